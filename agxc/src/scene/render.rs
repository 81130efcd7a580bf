//! Draws a scene: compiles the shaders, links them with prologs and epilogs, and runs them on the reference machine.

use agx_abi::fragment::cull_flags;
use agx_abi::tile::ColourFormat;
use agx_abi::vertex::Output;
use agx_abi::{PartRole, Stage, Target};
use agx_compiler::internal::tracking::{self, Tracking};
use agx_compiler::link::LinkedProgram;
use agx_compiler::{CompileKey, CompiledShader, Compiler, Scratch};
use agx_debug::Symbols;
use agx_emulator::launch::textures::{Dimension, SamplerResource, Shape, TextureResource};
use agx_emulator::launch::{AttributeData, BufferBinding, DrawLaunch, LaunchError, StageProgram};
use agx_emulator::{Capture, Framebuffer, Options, Profile, Report, SampleState, Watch};

use super::bundled::Files;
use super::model::{self, Draw, Scene};
use super::state::Wrong;
use crate::context::Context;
use crate::debugger::symbols;
use crate::diagnostic::{Diagnostic, Failure};
use crate::input::File;
use crate::texture::{self, Pixels};
use crate::values::Slot;
use crate::{formats, input, machine};

/// A drawn scene.
pub struct Picture {
    /// Pixels in a row, rows.
    pub size: [u32; 2],
    /// Red, green, blue, alpha of each pixel.
    pub rgba: Vec<u8>,
    /// Instructions the machine executed.
    pub instructions: u64,
    /// The samples of the watched pixel before the first draw.
    pub cleared: Vec<SampleState>,
    /// What each draw left that was asked for.
    pub draws: Vec<Drawn>,
}

impl Picture {
    /// The profiles of all shaders, each with a title, and the shader.
    pub fn profiles(&self) -> impl Iterator<Item = (String, &Profile, &Shown)> {
        self.draws.iter().enumerate().flat_map(|(number, draw)| {
            let profiles = [&draw.report.vertex_profile, &draw.report.profile];
            let shaders = ["vertex", "fragment"].into_iter().zip(profiles).zip(&draw.shaders);
            shaders.filter_map(move |((stage, profile), shown)| {
                Some((format!("draw {number}, {stage}"), profile.as_ref()?, shown))
            })
        })
    }
}

/// What is kept of each draw.
#[derive(Clone, Default)]
pub struct Wishes {
    /// The history of this pixel.
    pub history: Option<[u32; 2]>,
    /// Counts for each instruction.
    pub profile: bool,
    /// A SIMD-group, of one draw or of any.
    pub capture: Option<(Option<usize>, Capture)>,
    /// Optional passes that the compiler skips.
    pub disabled_passes: Vec<String>,
}

/// What a draw left.
pub struct Drawn {
    /// Counts, profiles, history, SIMD-group.
    pub report: Report,
    /// Its shaders: vertex, fragment.
    pub shaders: [Shown; 2],
}

/// A shader of a draw and its source.
pub struct Shown {
    /// Name of its file.
    pub name: String,
    /// Contents of the file, if it is a text.
    pub text: Option<String>,
    /// Source lines and variables, by offset in the linked program.
    pub symbols: Symbols,
}

impl Shown {
    /// Line `line`, from 1, of the file called `name`, if its text is known.
    pub fn line(&self, name: &str, line: u32) -> Option<&str> {
        input::line_of(self.text.as_ref().filter(|_| name == self.name)?, line)
    }
}

/// Maximum number of pixels along a side.
const MAX_SIDE: u32 = 4096;

/// Maximum number of vertices of all instances of a draw: more would take minutes and gigabytes.
const MAX_VERTICES: u64 = 1 << 20;

/// Code of the diagnostic for an error in a scene.
const WRONG_SCENE: u16 = 106;

/// Code of the diagnostic for shaders of a draw that do not fit together.
const MISFIT: u16 = 205;

/// Draws `scene`, with its shaders and pictures from `files`.
pub fn render(
    scene: &Scene,
    files: &Files<'_>,
    target: Target,
    context: &mut Context,
) -> Result<Picture, Failure> {
    render_watched(scene, files, target, &Wishes::default(), context)
}

/// Draws `scene` and keeps what is wished.
pub fn render_watched(
    scene: &Scene,
    files: &Files<'_>,
    target: Target,
    wishes: &Wishes,
    context: &mut Context,
) -> Result<Picture, Failure> {
    let wrong = |why: Wrong| Failure::from(Diagnostic::new(WRONG_SCENE, why).in_file(files.scene()));
    let [width, height] = scene.size;
    if scene.size.iter().any(|side| !(1..=MAX_SIDE).contains(side)) {
        return Err(wrong(format!("size: expected sides from 1 to {MAX_SIDE}, found {width} × {height}")));
    }
    if !matches!(scene.samples, 1 | 2 | 4) {
        return Err(wrong(format!("samples: expected 1, 2 or 4, found {}", scene.samples)));
    }
    let format = scene.picture_format().map_err(wrong)?;
    let mut framebuffer = Framebuffer::new(width, height, scene.samples.into(), 8);
    let clear = scene.clear.colour.map(|component| component.clamp(0.0, 1.0));
    framebuffer.clear(&stored(format, clear), scene.clear.depth, scene.clear.stencil);
    let mut resources = Resources::new(scene, files)?;
    let (mut instructions, mut draws) = (0u64, Vec::new());
    let cleared = wishes.history.map_or_else(Vec::new, |pixel| framebuffer.samples_of(pixel));
    for (number, draw) in scene.draws.iter().enumerate() {
        let at = format!("draws[{number}]");
        let capture = wishes.capture.filter(|(draw, _)| draw.is_none_or(|draw| draw == number));
        let watch = Watch { history: wishes.history, capture: capture.map(|(_, capture)| capture) };
        let compiler = Compiler::new(target);
        let drawer = Drawer { scene, draw, at, files, format, compiler, watch, wishes };
        let drawn = drawer.run(&mut resources, &mut framebuffer, context)?;
        instructions = instructions.saturating_add(drawn.report.instructions);
        draws.push(drawn);
    }
    let rgba = resolve(&framebuffer, format);
    Ok(Picture { size: scene.size, rgba, instructions, cleared, draws })
}

/// The resources of all shaders of a scene.
struct Resources {
    buffers: Vec<BufferBinding>,
    textures: Vec<TextureResource>,
    samplers: Vec<SamplerResource>,
}

impl Resources {
    fn new(scene: &Scene, files: &Files<'_>) -> Result<Resources, Failure> {
        let wrong = |why: Wrong| Failure::from(Diagnostic::new(WRONG_SCENE, why).in_file(files.scene()));
        let buffer = |buffer: &model::Buffer| BufferBinding {
            set: buffer.set,
            binding: buffer.binding,
            element: 0,
            bytes: buffer.bytes(),
            writable: true,
        };
        let mut textures = Vec::new();
        for (number, texture) in scene.textures.iter().enumerate() {
            let file = texture.file.as_ref().map(|name| files.read(name)).transpose()?;
            let made = resource(texture, file);
            textures.push(made.map_err(|why| wrong(format!("textures[{number}]: {why}")))?);
        }
        let mut samplers = Vec::new();
        for (number, sampler) in scene.samplers.iter().enumerate() {
            let slot = Slot { set: sampler.set, binding: sampler.binding, element: sampler.element };
            let made = texture::sampler(slot, sampler.state.iter().map(String::as_str));
            samplers.push(made.map_err(|why| wrong(format!("samplers[{number}].state: {why}")))?);
        }
        Ok(Resources { buffers: scene.buffers.iter().map(buffer).collect(), textures, samplers })
    }
}

/// A texture of a scene; `file` has the name and contents of the file that it names.
fn resource(texture: &model::Texture, file: Option<(String, Vec<u8>)>) -> Result<TextureResource, Wrong> {
    let slot = Slot { set: texture.set, binding: texture.binding, element: texture.element };
    let name = texture.format.as_deref().unwrap_or("rgba8");
    let (format, texel_bytes) = texture::format(name)?;
    let numbers = texture.bytes();
    let pixels = match (file, &texture.checker, texture.size) {
        (Some((name, bytes)), None, None) => {
            Pixels::from_png(&bytes).map_err(|why| format!("{name}: {why}"))?
        }
        (None, Some(checker), None) => {
            check_size("checker.size", checker.size)?;
            Pixels::checker(checker.size, checker.squares, checker.colours)
        }
        (None, None, Some(size)) => Pixels { size, rgba: numbers },
        _ => return Err("expected one of `file`, `checker`, or `size` with numbers".into()),
    };
    let [width, height] = pixels.size;
    check_size("size", pixels.size)?;
    let needed = (width as usize).saturating_mul(height as usize).saturating_mul(texel_bytes);
    if pixels.rgba.len() != needed {
        return Err(format!(
            "{width} × {height} texels of {name} are {needed} bytes, not {}",
            pixels.rgba.len()
        ));
    }
    if texture.levels && !name.ends_with("rgba8") {
        return Err(format!("levels need the format rgba8 or srgba8, found {name}"));
    }
    let (bytes, levels) = if texture.levels { pixels.with_levels() } else { (pixels.rgba, 1) };
    let shape = Shape { levels, ..Shape::new(Dimension::Plane, format, [width, height, 1]) };
    Ok(texture::resource(slot, shape, bytes))
}

/// Rejects a size, given by `field`, that textures cannot have.
fn check_size(field: &str, [width, height]: [u32; 2]) -> Result<(), Wrong> {
    if [width, height].iter().all(|side| (1..=texture::MAX_SIDE).contains(side)) {
        return Ok(());
    }
    Err(format!("{field}: expected sides from 1 to {}, found {width} × {height} texels", texture::MAX_SIDE))
}

/// Rejects more vertices than the machine can draw in a reasonable time.
fn check_vertices(draw: &Draw, at: &str) -> Result<(), Wrong> {
    let (field, each) = match draw.indices.len() {
        0 => ("vertices", u64::from(draw.vertices)),
        indices => ("indices", indices as u64),
    };
    if each > MAX_VERTICES {
        return Err(format!("{at}.{field}: expected at most {MAX_VERTICES}, found {each}"));
    }
    if each.max(1).saturating_mul(draw.instances.into()) > MAX_VERTICES {
        let instances = draw.instances;
        return Err(format!(
            "{at}.instances: expected at most {MAX_VERTICES} vertices in all instances, found {instances} instances of {each}"
        ));
    }
    Ok(())
}

/// The vertex numbers of a draw.
fn numbers(draw: &Draw) -> Vec<u32> {
    let counted = (0..draw.vertices).collect();
    let numbers = if draw.indices.is_empty() { counted } else { draw.indices.clone() };
    numbers.into_iter().map(|vertex| vertex.wrapping_add(draw.base_vertex)).collect()
}

struct Drawer<'s> {
    scene: &'s Scene,
    draw: &'s Draw,
    /// Path of the draw in the scene.
    at: String,
    files: &'s Files<'s>,
    format: ColourFormat,
    compiler: Compiler,
    watch: Watch,
    wishes: &'s Wishes,
}

impl Drawer<'_> {
    fn run(
        &self,
        resources: &mut Resources,
        framebuffer: &mut Framebuffer,
        context: &mut Context,
    ) -> Result<Drawn, Failure> {
        let (vertex_file, vertex, followed) = self.compile(&self.draw.vertex, Stage::Vertex, context)?;
        let (fragment_file, mut fragment, followed_fragment) =
            self.compile(&self.draw.fragment, Stage::Fragment, context)?;
        if let Some(why) = formats::misfit_of_agal(&vertex_file, &fragment_file) {
            return Err(fragment_file.problem(MISFIT, &why));
        }
        if let Some(read) = unwritten(&vertex, &fragment) {
            let why = format!("{read} is read, which the vertex shader {} never writes", vertex_file.name);
            return Err(fragment_file.problem(MISFIT, &why));
        }
        let [vertex_program, fragment_program] = self.link(&vertex, &mut fragment)?;
        let (at, draw) = (self.at.as_str(), self.draw);
        check_vertices(draw, at).map_err(|why| self.wrong(why))?;
        let sources = draw.sources(at).map_err(|why| self.wrong(why))?;
        let data: Vec<Vec<u8>> = draw.vertex_buffers.iter().map(model::VertexBuffer::bytes).collect();
        let locations = vertex.info.attributes.iter().map(|attribute| attribute.location);
        let attributes: Vec<AttributeData<'_>> =
            locations.map(|location| sources.data(location, &data)).collect();
        let vertices = numbers(draw);
        let push_constants = draw.push_constants.bytes();
        let stages = [(&vertex, &vertex_program), (&fragment, &fragment_program)]
            .map(|(shader, program)| stage(shader, program, &push_constants));
        let launch = DrawLaunch {
            buffers: &mut resources.buffers,
            textures: &mut resources.textures,
            samplers: &resources.samplers,
            attributes: &attributes,
            blend_constant: draw.blend_constant,
            base: [draw.base_vertex, draw.base_instance],
            topology: draw.shapes(at).map_err(|why| self.wrong(why))?,
            vertices: &vertices,
            instances: draw.instances,
            scissor: draw.scissor,
            front_counter_clockwise: !draw.front_clockwise,
            cull: draw.culled(at).map_err(|why| self.wrong(why))?,
            tests: draw.tests(at).map_err(|why| self.wrong(why))?,
            late_tests: fragment_program.late_tests,
            options: Options {
                budget: machine::BUDGET,
                profile: self.wishes.profile,
                watch: self.watch,
                ..Options::default()
            },
            ..DrawLaunch::new(stages[0], stages[1], self.scene.size)
        };
        let report = report(launch.run(framebuffer), [&draw.vertex.file, &draw.fragment.file])?;
        let shaders = [
            shown(&vertex_file, &vertex, &followed, vertex_program.main_start),
            shown(&fragment_file, &fragment, &followed_fragment, fragment_program.main_start),
        ];
        Ok(Drawn { report, shaders })
    }

    /// Whether something is kept that is shown with source lines.
    fn keeps_sources(&self) -> bool {
        self.wishes.profile || self.watch.capture.is_some()
    }

    fn wrong(&self, why: Wrong) -> Failure {
        Diagnostic::new(WRONG_SCENE, why).in_file(self.files.scene()).into()
    }

    fn compile(
        &self,
        shader: &model::Shader,
        stage: Stage,
        context: &mut Context,
    ) -> Result<(File, CompiledShader, Tracking), Failure> {
        let (name, bytes) = self.files.read(&shader.file)?;
        let file = input::from_bytes(&name, bytes, None, context)?;
        let mut key = CompileKey::default();
        key.stage = Some(stage);
        key.entry_point.clone_from(&shader.entry);
        key.disabled_passes.clone_from(&self.wishes.disabled_passes);
        let failed = |error| Failure::from(Diagnostic::from_compiler(error, &name));
        let (mut scratch, input) = (Scratch::default(), file.shader(&key)?);
        if !self.keeps_sources() {
            let shader = self.compiler.compile(&mut scratch, input, &key).map_err(failed)?;
            return Ok((file, shader, Tracking::default()));
        }
        let followed = tracking::compile(&self.compiler, &mut scratch, input, &key);
        let (mut shader, tracking) = followed.map_err(failed)?;
        for source in shader.sources.files.iter_mut().filter(|name| input::is_the_input(name)) {
            source.clone_from(&file.name);
        }
        Ok((file, shader, tracking))
    }

    fn link(
        &self,
        vertex: &CompiledShader,
        main: &mut CompiledShader,
    ) -> Result<[LinkedProgram; 2], Failure> {
        let draw = self.draw;
        let sources = draw.sources(&self.at).map_err(|why| self.wrong(why))?;
        let mut state =
            draw.state(&self.at, self.format, self.scene.samples).map_err(|why| self.wrong(why))?;
        state.culled = cull_flags(&vertex.info.varyings).collect();
        let (options, mut scratch) = (CompileKey::default(), Scratch::default());
        let failed = |error, shader: &model::Shader| Diagnostic::from_compiler(error, &shader.file);
        let vertex = self
            .compiler
            .vertex_program(&mut scratch, vertex, |location| sources.key(location), &options)
            .map_err(|error| failed(error, &draw.vertex))?;
        let fragment = self
            .compiler
            .fragment_program(&mut scratch, main, &state, &options)
            .map_err(|error| failed(error, &draw.fragment))?;
        main.info = fragment.info(&main.info);
        Ok([vertex, fragment])
    }
}

/// A shader of a draw whose main part begins at byte `start` of its program.
fn shown(file: &File, shader: &CompiledShader, tracking: &Tracking, start: u32) -> Shown {
    let text = String::from_utf8(file.bytes.clone()).ok();
    let symbols =
        symbols::of(shader, tracking).moved(start, shader.part(PartRole::Main).map_or(0, <[u8]>::len));
    Shown { name: file.name.clone(), text, symbols }
}

fn stage<'a>(
    shader: &'a CompiledShader,
    program: &'a LinkedProgram,
    push_constants: &'a [u8],
) -> StageProgram<'a> {
    StageProgram {
        code: &program.code,
        preamble: shader.part(PartRole::Preamble),
        info: &shader.info,
        scratch_bytes: program.scratch_bytes,
        push_constants,
    }
}

/// The first location, or clip or cull distance, that the fragment shader reads and the vertex shader never writes. As
/// in AGAL, a location of which some components are written has zeros in the others.
fn unwritten(vertex: &CompiledShader, fragment: &CompiledShader) -> Option<String> {
    let writes = |wanted: Output| {
        vertex.info.varyings.iter().any(|varying| match (varying.output, wanted) {
            (Output::User { location, .. }, Output::User { location: wanted, .. }) => location == wanted,
            (output, wanted) => output == wanted,
        })
    };
    let read = fragment.info.fragment.coefficients.iter().filter_map(|source| source.output());
    read.filter(|output| !writes(*output)).find_map(|output| match output {
        Output::User { location, .. } => Some(format!("location {location}")),
        Output::ReadClipDistance(index) => Some(format!("clip distance {index}")),
        Output::CullDistance(index) => Some(format!("cull distance {index}")),
        // The hardware provides the others if they are not written.
        _ => None,
    })
}

/// The report of a run without findings, which name the fragment shader's file; `names` are those of both shaders.
fn report(result: Result<Report, LaunchError>, names: [&str; 2]) -> Result<Report, Failure> {
    let [vertex, name] = names;
    match result {
        Err(LaunchError::Stage { stage: Stage::Vertex, error }) => {
            Err(Diagnostic::new(400, error.to_string()).in_file(vertex).into())
        }
        Ok(report) => match machine::findings(&report.findings, name) {
            Some(failure) => Err(failure),
            None => Ok(report),
        },
        Err(LaunchError::Stopped(stop)) => Err(machine::findings(&stop.report.findings, name)
            .unwrap_or_else(|| Diagnostic::new(400, stop.to_string()).in_file(name).into())),
        Err(error) => Err(Diagnostic::new(400, error.to_string()).in_file(name).into()),
    }
}
/// A colour as stored in the target.
fn stored(format: ColourFormat, colour: [f32; 4]) -> [u8; 4] {
    let mut alpha = [false, false, false, true].into_iter();
    colour.map(|component| {
        let is_alpha = alpha.next().unwrap_or(true);
        let encode = format == ColourFormat::Rgba8Srgb && !is_alpha;
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

/// The mean of the samples of each pixel, computed with linear colours.
fn resolve(framebuffer: &Framebuffer, format: ColourFormat) -> Vec<u8> {
    let [width, height] = framebuffer.size();
    let samples = framebuffer.samples();
    let mut rgba = Vec::with_capacity((width as usize).saturating_mul(height as usize).saturating_mul(4));
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
