//! Draws a scene: shaders are compiled, linked with prologs and epilogs, and run by the reference machine.

use agx_abi::tile::ColourFormat;
use agx_abi::vertex_format::VertexFormat;
use agx_abi::{PartRole, Stage, Target};
use agx_compiler::link::{
    AttributeKey, Blend, BlendOp, EpilogKey, Equation, Factor, FragmentPrologKey, LinkedProgram, Parts,
    Target as RenderTarget, VertexPrologKey, link,
};
use agx_compiler::{CompileKey, CompiledShader, Compiler, Scratch};
use agx_emulator::launch::{AttributeData, BufferBinding, DrawLaunch, LaunchError, StageProgram};
use agx_emulator::{Comparison, Cull, Framebuffer, Options, Report, Tests, Topology, Viewport};

use super::bundled::Files;
use super::model::{self, Draw, Scene, VertexBuffer};
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};
use crate::{input, machine};

/// A drawn scene.
pub struct Picture {
    /// Pixels in a row, rows.
    pub size: [u32; 2],
    /// Red, green, blue, alpha of each pixel.
    pub rgba: Vec<u8>,
    /// Instructions the machine executed.
    pub instructions: u64,
}

/// Most pixels along a side.
const MAX_SIDE: u32 = 4096;

/// Alignment of what scene files hold: every buffer begins at a page.
const BUFFER_ALIGNMENT: u32 = 4096;

/// Names with their values, to choose by name.
type Names<T> = &'static [(&'static str, T)];

const COMPARISONS: Names<Comparison> = &[
    ("never", Comparison::Never),
    ("less", Comparison::Less),
    ("equal", Comparison::Equal),
    ("less_equal", Comparison::LessEqual),
    ("greater", Comparison::Greater),
    ("not_equal", Comparison::NotEqual),
    ("greater_equal", Comparison::GreaterEqual),
    ("always", Comparison::Always),
];
const TOPOLOGIES: Names<Topology> =
    &[("triangles", Topology::Triangles), ("lines", Topology::Lines), ("points", Topology::Points)];
const CULLS: Names<Cull> = &[("none", Cull::None), ("front", Cull::Front), ("back", Cull::Back)];
const FORMATS: Names<ColourFormat> =
    &[("R8G8B8A8_UNORM", ColourFormat::Rgba8Unorm), ("R8G8B8A8_SRGB", ColourFormat::Rgba8Srgb)];
const OPS: Names<BlendOp> = &[
    ("add", BlendOp::Add),
    ("subtract", BlendOp::Subtract),
    ("reverse_subtract", BlendOp::ReverseSubtract),
    ("min", BlendOp::Min),
    ("max", BlendOp::Max),
];
const FACTORS: Names<Factor> = &[
    ("zero", Factor::Zero),
    ("one", Factor::One),
    ("source", Factor::Source),
    ("one_minus_source", Factor::OneMinusSource),
    ("destination", Factor::Destination),
    ("one_minus_destination", Factor::OneMinusDestination),
    ("source_alpha", Factor::SourceAlpha),
    ("one_minus_source_alpha", Factor::OneMinusSourceAlpha),
    ("destination_alpha", Factor::DestinationAlpha),
    ("one_minus_destination_alpha", Factor::OneMinusDestinationAlpha),
    ("constant", Factor::Constant),
    ("one_minus_constant", Factor::OneMinusConstant),
    ("constant_alpha", Factor::ConstantAlpha),
    ("one_minus_constant_alpha", Factor::OneMinusConstantAlpha),
    ("source_alpha_saturate", Factor::SourceAlphaSaturate),
    ("second", Factor::Second),
    ("one_minus_second", Factor::OneMinusSecond),
    ("second_alpha", Factor::SecondAlpha),
    ("one_minus_second_alpha", Factor::OneMinusSecondAlpha),
];

fn choose<T: Copy>(what: &str, name: &str, names: Names<T>) -> Result<T, Failure> {
    names.iter().find(|(known, _)| *known == name).map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        Failure::usage(format!("`{name}` is no {what}: {}", known.join(", ")))
    })
}

/// Draws `scene`, whose shaders are in `files`.
pub fn render(
    scene: &Scene,
    files: &Files<'_>,
    target: Target,
    context: &mut Context,
) -> Result<Picture, Failure> {
    let [width, height] = scene.size;
    if scene.size.iter().any(|side| !(1..=MAX_SIDE).contains(side)) {
        return Err(Failure::usage(format!("a picture of {width} × {height}: sides are 1 to {MAX_SIDE}")));
    }
    let format = choose("format of pictures", &scene.format, FORMATS)?;
    if !matches!(scene.samples, 1 | 2 | 4) {
        return Err(Failure::usage(format!("{} samples: there are 1, 2 or 4", scene.samples)));
    }
    let mut framebuffer = Framebuffer::new(width, height, scene.samples.into(), 8);
    let clear = scene.clear.colour.map(|component| component.clamp(0.0, 1.0));
    framebuffer.clear(&stored(format, clear), scene.clear.depth, 0);
    let mut buffers: Vec<BufferBinding> = scene
        .buffers
        .iter()
        .map(|buffer| BufferBinding {
            set: buffer.set,
            binding: buffer.binding,
            element: 0,
            bytes: buffer.data.bytes(),
            writable: true,
        })
        .collect();
    let mut instructions = 0;
    for draw in &scene.draws {
        let drawer = Drawer { scene, draw, format, compiler: Compiler::new(target) };
        let shaders = [(&draw.vertex, Stage::Vertex), (&draw.fragment, Stage::Fragment)];
        let [vertex, fragment] = shaders.map(|(shader, stage)| drawer.compile(files, shader, stage, context));
        instructions += drawer.draw(&vertex?, &fragment?, &mut buffers, &mut framebuffer)?.instructions;
    }
    Ok(Picture { size: scene.size, rgba: resolve(&framebuffer, format), instructions })
}

struct Drawer<'s> {
    scene: &'s Scene,
    draw: &'s Draw,
    format: ColourFormat,
    compiler: Compiler,
}

impl Drawer<'_> {
    fn compile(
        &self,
        files: &Files<'_>,
        shader: &model::Shader,
        stage: Stage,
        context: &mut Context,
    ) -> Result<CompiledShader, Failure> {
        let (name, bytes) = files.read(&shader.file)?;
        let file = input::from_bytes(&name, bytes, context)?;
        let mut key = CompileKey::default();
        key.stage = Some(stage);
        key.entry_point.clone_from(&shader.entry);
        let result = self.compiler.compile(&mut Scratch::default(), file.shader(key.stage)?, &key);
        result.map_err(|error| Diagnostic::from_compiler(error, &name).into())
    }

    fn draw(
        &self,
        vertex: &CompiledShader,
        fragment: &CompiledShader,
        buffers: &mut [BufferBinding],
        framebuffer: &mut Framebuffer,
    ) -> Result<Report, Failure> {
        let sources = self.sources()?;
        let vertex_program = self.link_vertex(vertex, &sources)?;
        let fragment_program = self.link_fragment(fragment)?;
        let data: Vec<(u32, Vec<u8>, usize)> = sources
            .iter()
            .map(|source| (source.location, source.buffer.data.bytes(), source.offset as usize))
            .collect();
        let attributes: Vec<AttributeData<'_>> = vertex
            .info
            .attributes
            .iter()
            .map(|attribute| {
                let found = data.iter().zip(&sources).find(|((at, ..), _)| *at == attribute.location);
                found.map_or_else(AttributeData::default, |((_, bytes, offset), source)| AttributeData {
                    bytes,
                    offset: *offset,
                    stride: source.key.stride as usize,
                    element_bytes: source.key.format.bytes.into(),
                })
            })
            .collect();
        let counted: Vec<u32> = (0..self.draw.vertices).collect();
        let vertices = if self.draw.indices.is_empty() { &counted } else { &self.draw.indices };
        let [width, height] = self.scene.size.map(|side| side as f32);
        let launch = DrawLaunch {
            vertex: stage(vertex, &vertex_program),
            fragment: stage(fragment, &fragment_program),
            buffers,
            textures: &mut [],
            samplers: &[],
            attributes: &attributes,
            targets: &mut [],
            blend_constant: self.draw.blend_constant,
            stipple: None,
            base: [0, 0],
            topology: choose("topology", self.draw.topology.as_deref().unwrap_or("triangles"), TOPOLOGIES)?,
            vertices,
            instances: self.draw.instances,
            viewport: Viewport { x: 0.0, y: 0.0, width, height, min_depth: 0.0, max_depth: 1.0 },
            scissor: None,
            front_counter_clockwise: !self.draw.front_clockwise,
            cull: choose("cull mode", self.draw.cull.as_deref().unwrap_or("none"), CULLS)?,
            tests: self.tests()?,
            late_tests: fragment_program.late_tests,
            options: Options::default(),
        };
        let result = launch.run(framebuffer);
        report(result, &self.draw.fragment.file)
    }

    /// Where attributes come from.
    fn sources(&self) -> Result<Vec<Source<'_>>, Failure> {
        let mut sources = Vec::new();
        for buffer in &self.draw.vertex_buffers {
            for attribute in &buffer.attributes {
                let format = VertexFormat::from_name(&attribute.format).ok_or_else(|| {
                    Failure::usage(format!("`{}` is no format of vertex attributes", attribute.format))
                })?;
                // The lowest bit set of the offset is what the address is a multiple of.
                let alignment = 1 << (attribute.offset | BUFFER_ALIGNMENT).trailing_zeros();
                let key = AttributeKey {
                    format,
                    stride: buffer.stride,
                    divisor: buffer.divisor,
                    alignment,
                    location: 0,
                };
                sources.push(Source { location: attribute.location, offset: attribute.offset, buffer, key });
            }
        }
        Ok(sources)
    }

    fn link_vertex(&self, shader: &CompiledShader, sources: &[Source<'_>]) -> Result<LinkedProgram, Failure> {
        let key = VertexPrologKey::new(&shader.info, |location| {
            sources.iter().find(|source| source.location == location).map(|source| source.key)
        });
        let options = CompileKey::default();
        let prolog = self.compiler.vertex_prolog(&mut Scratch::default(), &key, &options);
        let prolog = prolog.map_err(|error| Diagnostic::from_compiler(error, &self.draw.vertex.file))?;
        let parts = Parts {
            main: shader.part(PartRole::Main).unwrap_or_default(),
            info: &shader.info,
            prolog: Some(&prolog),
            epilog: None,
            sample_loop: None,
        };
        linked(&parts)
    }

    fn link_fragment(&self, shader: &CompiledShader) -> Result<LinkedProgram, Failure> {
        let fragment = &shader.info.fragment;
        let mut key = EpilogKey::new(fragment);
        key.samples = self.scene.samples;
        key.targets[0] = Some(self.target()?);
        key.alpha_to_coverage = self.draw.alpha_to_coverage;
        let mut before =
            FragmentPrologKey { sample_shading: fragment.sample_shading, ..FragmentPrologKey::default() };
        match self.draw.sample_mask {
            Some(mask) if fragment.early_tests => key.stored_samples = mask,
            Some(mask) => before.sample_mask = mask,
            None => {}
        }
        key.tested &= !before.is_needed();
        let (options, mut scratch) = (CompileKey::default(), Scratch::default());
        let failed = |error| Diagnostic::from_compiler(error, &self.draw.fragment.file);
        let epilog = self.compiler.fragment_epilog(&mut scratch, &key, &options).map_err(failed)?;
        let prolog = match before.is_needed() {
            true => Some(self.compiler.fragment_prolog(&mut scratch, &before, &options).map_err(failed)?),
            false => None,
        };
        linked(&Parts {
            main: shader.part(PartRole::Main).unwrap_or_default(),
            info: &shader.info,
            prolog: prolog.as_ref(),
            epilog: Some(&epilog),
            sample_loop: fragment.sample_shading.then_some(self.scene.samples),
        })
    }

    fn target(&self) -> Result<RenderTarget, Failure> {
        let mut target = RenderTarget::new(self.format);
        if let Some(mask) = &self.draw.write_mask {
            target.write_mask = 0;
            for letter in mask.chars() {
                let at = "rgba".find(letter);
                let at =
                    at.ok_or_else(|| Failure::usage(format!("`{letter}` is no component: r, g, b, a")))?;
                target.write_mask |= 1 << at;
            }
        }
        if let Some(blend) = &self.draw.blend {
            let colour = equation(&blend.colour)?;
            let alpha = blend.alpha.as_ref().map_or(Ok(colour), equation)?;
            target.blend = Some(Blend { colour, alpha }.into());
        }
        Ok(target)
    }

    fn tests(&self) -> Result<Tests, Failure> {
        let Some(depth) = &self.draw.depth else { return Ok(Tests::default()) };
        let compare = choose("comparison", &depth.compare, COMPARISONS)?;
        Ok(Tests { depth: compare, depth_write: depth.write, ..Tests::default() })
    }
}

/// An attribute with the buffer it is in.
struct Source<'s> {
    location: u32,
    offset: u32,
    buffer: &'s VertexBuffer,
    key: AttributeKey,
}

fn equation(equation: &model::Equation) -> Result<Equation, Failure> {
    Ok(Equation {
        source: choose("blend factor", &equation.source, FACTORS)?,
        destination: choose("blend factor", &equation.destination, FACTORS)?,
        op: choose("blend operation", &equation.op, OPS)?,
    })
}

fn linked(parts: &Parts<'_>) -> Result<LinkedProgram, Failure> {
    link(parts).map_err(|error| Failure::usage(error.to_string()))
}

fn stage<'a>(shader: &'a CompiledShader, program: &'a LinkedProgram) -> StageProgram<'a> {
    StageProgram {
        code: &program.code,
        preamble: shader.part(PartRole::Preamble),
        info: &shader.info,
        scratch_bytes: program.scratch_bytes,
        push_constants: &[],
    }
}

/// The report of a run without findings.
fn report(result: Result<Report, LaunchError>, name: &str) -> Result<Report, Failure> {
    match result {
        Ok(report) => match machine::findings(&report.findings, name) {
            Some(failure) => Err(failure),
            None => Ok(report),
        },
        Err(LaunchError::Stopped(stop)) => Err(machine::findings(&stop.report.findings, name)
            .unwrap_or_else(|| Diagnostic::new(400, stop.to_string()).in_file(name).into())),
        Err(error) => Err(Diagnostic::new(400, error.to_string()).in_file(name).into()),
    }
}

/// A colour as the target keeps it.
fn stored(format: ColourFormat, colour: [f32; 4]) -> [u8; 4] {
    let mut at = 0;
    colour.map(|component| {
        at += 1;
        let encode = format == ColourFormat::Rgba8Srgb && at < 4;
        let value = if encode { to_srgb(component) } else { component };
        (value * 255.0).round() as u8
    })
}

fn to_srgb(linear: f32) -> f32 {
    if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

fn from_srgb(encoded: f32) -> f32 {
    if encoded <= 0.04045 { encoded / 12.92 } else { ((encoded + 0.055) / 1.055).powf(2.4) }
}

/// The mean of the samples of each pixel, taken of linear colours.
fn resolve(framebuffer: &Framebuffer, format: ColourFormat) -> Vec<u8> {
    let [width, height] = framebuffer.size();
    let samples = framebuffer.samples();
    let mut rgba = Vec::with_capacity(4 * width as usize * height as usize);
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        let mut sum = [0.0_f32; 4];
        for bytes in (0..samples).filter_map(|sample| framebuffer.colour(x, y, sample)) {
            for (at, (sum, byte)) in sum.iter_mut().zip(bytes).enumerate() {
                let value = f32::from(*byte) / 255.0;
                *sum += if format == ColourFormat::Rgba8Srgb && at < 3 { from_srgb(value) } else { value };
            }
        }
        rgba.extend(stored(format, sum.map(|sum| sum / samples as f32)));
    }
    rgba
}
