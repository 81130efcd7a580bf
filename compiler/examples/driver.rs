//! How a driver uses the compiler, from two shaders to the words of a draw: it compiles them under a pipeline
//! layout and robustness settings through a cache, matches their varyings, links programs for the state of a
//! draw, builds the programs that run at the start and end of the pass, and writes the words that the
//! hardware reads.
//!
//! Run with `cargo run -p agx-compiler --features wgsl --example driver`; the tests at the end run it too.

#![expect(clippy::print_stdout, reason = "this is what the program is for")]

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use agx_abi::fragment::Corner;
use agx_abi::pipeline::{PipelineLayout, SetLayout};
use agx_abi::tile::{ColourFormat, TileLayout};
use agx_abi::varyings::{CoefficientBindings, OutputLayout};
use agx_abi::vertex_format::VertexFormat;
use agx_abi::words::{LocalUse, ProgramKind, Resources, ShaderWords};
use agx_abi::{PartRole, ShaderInfo, Stage, Target as Chip};
use agx_compiler::link::{
    AttributeKey, BackgroundKey, BackgroundOp, Blend, BlendOp, EndOfTileKey, Equation, Factor, FragmentState,
    LinkedProgram, Parts, PassTargets, Target, TileProgram, VertexPrologKey, link,
};
use agx_compiler::{Bounds, CompileKey, CompileLimits, CompiledShader, Compiler, FIGURES, Input, Scratch};

const SHADERS: &str = "
struct Point { @builtin(position) place: vec4f, @location(0) colour: vec4f, @location(1) @interpolate(flat) row: u32 }
struct View { rows: array<vec4f, 4>, scale: f32 }
@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> shades: array<vec4f>;

@vertex fn corner(@location(0) place: vec2f, @location(1) colour: vec4f) -> Point {
    return Point(vec4f(place * view.scale, 0.0, 1.0), colour, u32(place.y));
}

@fragment fn colour(point: Point) -> @location(0) vec4f { return point.colour * shades[point.row]; }
";

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A device: state that lives as long as the driver.
struct Device {
    compiler: Compiler,
    scratch: Scratch,
    /// Compiled shaders as bytes, by compilation key. A real driver keeps them on disk.
    cache: BTreeMap<u128, Vec<u8>>,
    /// Number of cache hits.
    found: u32,
    /// Set when the application abandons the pipeline: running compilations stop.
    cancelled: Arc<AtomicBool>,
}

impl Device {
    fn new(chip: Chip) -> Device {
        Device {
            compiler: Compiler::new(chip),
            scratch: Scratch::default(),
            cache: BTreeMap::new(),
            found: 0,
            cancelled: Arc::default(),
        }
    }

    /// The key of a stage: descriptors in memory, exact bounds checks for storage buffers, cancellation.
    fn key(&self, stage: Stage) -> CompileKey {
        let mut key = CompileKey::default();
        key.stage = Some(stage);
        key.layout = Some(PipelineLayout { sets: vec![SetLayout::of_descriptors(0, [(0, 1), (1, 1)])] });
        key.robustness.storage = Bounds::Exact;
        let cancelled = Arc::clone(&self.cancelled);
        key.limits = CompileLimits::default().with_should_stop(move || cancelled.load(Ordering::Relaxed));
        key
    }

    /// The shader of a stage, from the cache if present. A damaged entry only costs a compilation.
    fn shader(&mut self, source: &str, stage: Stage) -> Result<CompiledShader> {
        let (input, key) = (Input::wgsl(source), self.key(stage));
        let name = self.compiler.cache_key(input, &key);
        if let Some(shader) = self.cache.get(&name).and_then(|bytes| CompiledShader::from_bytes(bytes).ok()) {
            self.found += 1;
            return Ok(shader);
        }
        let shader = self.compiler.compile(&mut self.scratch, input, &key)?;
        self.cache.insert(name, shader.to_bytes());
        Ok(shader)
    }
}

/// A pipeline: programs and the records written for them.
struct Pipeline {
    vertex: LinkedProgram,
    fragment: LinkedProgram,
    outputs: OutputLayout,
    coefficients: CoefficientBindings,
    /// Requirements of the fragment program, including its blending.
    fragment_info: ShaderInfo,
}

impl Pipeline {
    fn new(device: &mut Device, source: &str, state: &FragmentState) -> Result<Pipeline> {
        let vertex = device.shader(source, Stage::Vertex)?;
        let fragment = device.shader(source, Stage::Fragment)?;
        let Device { compiler, scratch, .. } = device;
        let options = CompileKey::default();
        let program = compiler.fragment_program(scratch, &fragment, state, &options)?;
        let fragment_info = program.info(&fragment.info);
        // The fragment shader's interpolation modes determine the order of the vertex shader's outputs.
        let inputs = &fragment_info.fragment.coefficients;
        let outputs = vertex.info.output_layout(inputs);
        let coefficients = CoefficientBindings::new(inputs, &outputs);
        let prolog = VertexPrologKey::new(&vertex.info, attribute);
        let prolog = compiler.vertex_prolog(scratch, &prolog, &options)?;
        let parts = Parts { prolog: Some(&prolog), outputs: Some(&outputs), ..Parts::new(&vertex) };
        Ok(Pipeline { vertex: link(&parts)?, fragment: program, outputs, coefficients, fragment_info })
    }

    /// The records of the rasterizer.
    fn records(&self) -> Result<Vec<Vec<u8>>> {
        Ok(vec![
            self.outputs.output_select(&self.coefficients)?,
            self.outputs.vertex_outputs()?,
            self.outputs.counts.to_bytes()?,
            self.coefficients.to_bytes(Corner::First)?,
            self.fragment.fragment_control().packed().bytes().to_vec(),
        ])
    }
}

/// Positions and colours, consecutive in one buffer.
fn attribute(location: u32) -> Option<AttributeKey> {
    let format = VertexFormat::from_name(["R32G32_SFLOAT", "R8G8B8A8_UNORM"].get(location as usize)?)?;
    Some(AttributeKey { alignment: 4, ..AttributeKey::new(location, format, 12) })
}

/// One target with alpha blending.
fn state() -> FragmentState {
    let over = |source| Equation { source, destination: Factor::OneMinusSourceAlpha, op: BlendOp::Add };
    let blend = Blend { colour: over(Factor::SourceAlpha), alpha: over(Factor::One) };
    let mut state = FragmentState::new([None; 8], 4);
    state.targets[0] = Some(Target { blend: Some(blend.into()), ..Target::new(ColourFormat::Rgba8Unorm) });
    state
}

/// The programs at the start of the pass, which clears the target, and at its end, which stores it.
fn tile_programs(device: &mut Device, state: &FragmentState) -> Result<[TileProgram; 2]> {
    let formats = state.targets.map(|target| target.map(|target| target.format));
    let targets = PassTargets { formats, samples: state.samples, layered: false };
    let mut operations = [None; 8];
    operations[0] = Some(BackgroundOp::Clear);
    let Device { compiler, scratch, .. } = device;
    let options = CompileKey::default();
    Ok([
        compiler.background_program(scratch, &BackgroundKey { targets, operations }, &options)?,
        compiler.end_of_tile_program(scratch, &EndOfTileKey { targets, stored: 1 }, &options)?,
    ])
}

/// Addresses at which the driver placed a program's data.
struct Placed {
    code: u64,
    uniforms: u64,
    preamble: Option<u64>,
}

/// The words before a fragment program: its uniforms, local memory, code and tests.
fn fragment_words(pipeline: &Pipeline, tile: &TileLayout, samples: u32, placed: &Placed) -> Result<Vec<u8>> {
    let program = &pipeline.fragment;
    let mut words = ShaderWords::new();
    for range in &pipeline.fragment_info.uniforms {
        words.uniforms(range.start, range.halves, placed.uniforms + 2 * u64::from(range.start))?;
    }
    words.local(LocalUse::Tile(tile, samples))?;
    words.program(ProgramKind::Fragment, placed.code, program.gpr_halves, 0)?;
    words.fragment(program.late_tests);
    Ok(words.end(placed.preamble)?)
}

/// The first word of the shader state: its resource requirements.
fn resources(info: &ShaderInfo, program: &LinkedProgram) -> Result<u32> {
    let resources = Resources {
        uniform_halves: program.uniform_halves,
        textures: info.textures.len() as u32,
        samplers: info.samplers.len() as u32,
        preamble_gpr_halves: info.preamble_gpr_halves,
        ..Resources::default()
    };
    Ok(resources.to_word()?)
}

/// Pipeline information for applications: named and described statistics, and texts.
fn show(device: &mut Device) -> Result<()> {
    let key = device.key(Stage::Fragment);
    let input = Input::wgsl(SHADERS);
    let (shader, texts) = device.compiler.compile_with_texts(&mut device.scratch, input, &key)?;
    for figure in FIGURES {
        println!("{:>6}  {}: {}", (figure.value)(&shader.stats), figure.title, figure.description);
    }
    println!("{}\n{}", texts.source, texts.optimised);
    for (role, assembly) in &texts.assembly {
        println!("{role:?}:\n{assembly}");
    }
    Ok(())
}

fn main() -> Result<()> {
    let mut device = Device::new(Chip::default());
    let state = state();
    let pipeline = Pipeline::new(&mut device, SHADERS, &state)?;
    let tile = state.layout();
    let placed = Placed { code: 0x4000, uniforms: 0x1_0000, preamble: None };
    let words = fragment_words(&pipeline, &tile, state.samples.into(), &placed)?;
    println!("words: {words:02x?}");
    println!("resources: {:#x}", resources(&pipeline.fragment_info, &pipeline.fragment)?);
    println!("records: {:02x?}", pipeline.records()?);
    println!("vertex program: {} bytes", pipeline.vertex.code.len());
    for program in tile_programs(&mut device, &state)? {
        let code = program.shader.part(PartRole::Main).unwrap_or_default();
        println!("program of the tile: {} bytes, targets {:#b}", code.len(), program.bound);
    }
    show(&mut device)
}

#[cfg(test)]
mod tests {
    use super::*;
    use agx_abi::UniformSource;
    use agx_compiler::ErrorKind;

    #[test]
    fn a_pipeline_has_programs_and_records() {
        let mut device = Device::new(Chip::default());
        let pipeline = Pipeline::new(&mut device, SHADERS, &state()).expect("a pipeline");
        assert!(pipeline.fragment.reads_targets == 1 && pipeline.fragment.stores_targets);
        // The flat row comes after the smooth colour, and both have coefficients.
        assert_eq!((pipeline.outputs.counts.total(), pipeline.coefficients.registers), (5, 6));
        assert!(pipeline.records().expect("records").iter().all(|record| !record.is_empty()));
        let sources = pipeline.fragment_info.uniforms.iter().map(|range| range.source);
        assert!(sources.into_iter().any(|source| source == UniformSource::SetAddress { set: 0 }));
        main().expect("everything else");
    }

    #[test]
    fn the_cache_saves_compilations_and_refuses_what_is_damaged() {
        let mut device = Device::new(Chip::default());
        let first = device.shader(SHADERS, Stage::Vertex).expect("compiles");
        assert_eq!(device.shader(SHADERS, Stage::Vertex).expect("found"), first);
        assert_eq!(device.found, 1);
        for bytes in device.cache.values_mut() {
            bytes[40] ^= 1;
        }
        assert_eq!(device.shader(SHADERS, Stage::Vertex).expect("compiles again"), first);
        assert_eq!(device.found, 1);
    }

    #[test]
    fn a_pipeline_that_nobody_wants_any_more_ends() {
        let mut device = Device::new(Chip::default());
        device.cancelled.store(true, Ordering::Relaxed);
        let key = device.key(Stage::Fragment);
        let error = device.compiler.compile(&mut device.scratch, Input::wgsl(SHADERS), &key);
        assert_eq!(error.map(|_| ()).map_err(|error| error.kind()), Err(ErrorKind::Limit));
        assert!(device.shader(SHADERS, Stage::Fragment).is_err() && device.cache.is_empty());
    }
}
