//! Fragment programs on the machine and in the interpreter: a triangle over a screen of 8 × 8 pixels, with inputs that
//! are linear on the screen.

use agx_abi::tile::{ColourFormat, TilePass};
use agx_abi::vertex_format::VertexFormat;
use agx_compiler::link::{AttributeKey, FragmentState, Target};
use agx_compiler::{CompileKey, Compiler, Scratch};
use agx_emulator::launch::textures::TextureResource;
use agx_emulator::launch::{AttributeData, BufferBinding, DrawLaunch};
use agx_emulator::{Framebuffer, Options};
use agx_tgsi::interpret::{At, Group, Rounding, run_rounded};
use agx_tgsi::{Declaration, File, Interpolation, Opcode, PropertyName, SemanticName, Shader};

use super::compute::STEPS;
use super::world::Stage;
use super::{Scene, Vector, compile, input};
use crate::driver::{stage, validate_program};
use crate::outcome::Outcome;

/// Pixels along each side of the screen.
pub const SIDE: u32 = 8;

/// Fragments of a quad.
const QUAD: usize = 4;

/// The corners of the triangle in clip space.
const CORNERS: [[f32; 2]; 3] = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]];

/// Depth of the triangle.
const DEPTH: f32 = 0.25;

/// Clear colour of the targets.
pub const CLEARED: [f32; 4] = [0.25, 0.5, 0.75, 1.0];

/// An input component as a function on the screen: its value at the upper left corner, and its changes to the right and
/// downwards.
pub type Linear = [f32; 3];

/// The results of a draw.
pub struct Drawn {
    /// The colours of each pixel, by target.
    pub colours: Vec<Vec<Vector>>,
    /// Buffers.
    pub buffers: Vec<BufferBinding>,
    /// Textures and images.
    pub textures: Vec<TextureResource>,
}

/// The inputs of a program that come from the vertices: register and declaration.
fn passed(shader: &Shader) -> Vec<(u32, &Declaration, String)> {
    let mut inputs = Vec::new();
    for declaration in shader.of_file(File::Input) {
        let Some(semantic) = declaration.semantic else { continue };
        let is_built_in = matches!(
            semantic.name,
            SemanticName::Position
                | SemanticName::Face
                | SemanticName::PointCoord
                | SemanticName::PrimitiveId
                | SemanticName::Layer
                | SemanticName::ViewportIndex
                | SemanticName::ClipDistance
        );
        for register in declaration.range.first..=declaration.range.last {
            let index = semantic.index + register - declaration.range.first;
            if !is_built_in {
                inputs.push((register, declaration, format!("{}[{index}]", semantic.name.name())));
            }
        }
    }
    inputs
}

/// A vertex program that passes through a position and the inputs of a fragment program.
fn vertex_text(shader: &Shader) -> String {
    let inputs = passed(shader);
    let mut text = String::from("VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n");
    for (number, (_, _, semantic)) in (1..).zip(&inputs) {
        text += &format!("DCL IN[{number}]\nDCL OUT[{number}], {semantic}\n");
    }
    for number in 0..=inputs.len() {
        text += &format!("MOV OUT[{number}], IN[{number}]\n");
    }
    text + "END\n"
}

/// Number of render targets of a program.
fn targets(shader: &Shader, wanted: u32) -> u32 {
    let declared = shader.of_file(File::Output).filter_map(|declaration| declaration.semantic);
    let colours = declared.filter(|semantic| semantic.name == SemanticName::Color);
    colours.map(|semantic| semantic.index + 1).max().unwrap_or(1).max(wanted)
}

/// The value of an input component at a position on the screen.
fn at(linear: Linear, x: f32, y: f32) -> f32 {
    linear[0] + linear[1] * x + linear[2] * y
}

/// The position of a corner on the screen.
fn corner(corner: [f32; 2]) -> [f32; 2] {
    corner.map(|part| (part + 1.0) / 2.0 * SIDE as f32)
}

/// Draws on the machine. `inputs` has four functions for each input register.
///
/// # Errors
/// The outcome that is not a pass.
pub fn on_machine(
    text: &str,
    shader: &Shader,
    scene: &Scene,
    inputs: &[[Linear; 4]],
    wanted: u32,
    key: &CompileKey,
) -> Result<Drawn, Outcome> {
    let targets = targets(shader, wanted);
    let mut state = FragmentState::default();
    let mut key = key.clone();
    for target in 0..targets as usize {
        state.targets[target] = Some(Target::new(ColourFormat::Rgba32Sfloat));
    }
    if shader.instructions.iter().any(|instruction| instruction.opcode == Opcode::Fbfetch) {
        let formats = state.targets.map(|target| target.map(|_| ColourFormat::Rgba32Sfloat));
        key.tile = Some(TilePass { formats, samples: 1, input_attachments: Vec::new() });
    }
    let (compiler, mut scratch) = (Compiler::default(), Scratch::default());
    let mut fragment = compiler.compile(&mut scratch, input(text), &key)?;
    let program = compiler.fragment_program(&mut scratch, &fragment, &state, &key)?;
    fragment.info = program.info(&fragment.info);
    validate_program(&program)?;
    let vertex_text = vertex_text(shader);
    let mut vertex_key = key.clone();
    vertex_key.tile = None;
    let vertex = compile(&vertex_text, &vertex_key)?;
    let data = corners(shader, inputs);
    let stride = 16 * (1 + passed(shader).len());
    let source = |location| {
        let format = VertexFormat::from_name("R32G32B32A32_SFLOAT")?;
        Some(AttributeKey { alignment: 16, ..AttributeKey::new(location, format, stride as u32) })
    };
    let vertex_program = compiler.vertex_program(&mut scratch, &vertex, source, &vertex_key)?;
    validate_program(&vertex_program)?;
    let layout = state.layout();
    let mut framebuffer = Framebuffer::new(SIDE, SIDE, 1, layout.sample_bytes.into());
    let cleared: Vec<u8> = CLEARED.iter().flat_map(|part| part.to_le_bytes()).collect();
    framebuffer.clear(&cleared.repeat(targets as usize), 1.0, 0);
    let of =
        |location: usize| AttributeData { bytes: &data, offset: 16 * location, stride, element_bytes: 16 };
    let attributes: Vec<AttributeData<'_>> =
        vertex.info.attributes.iter().map(|attribute| of(attribute.location as usize)).collect();
    let (mut buffers, mut textures, samplers) = (scene.bindings(), scene.resources(), scene.samplers());
    let stages = [stage(&vertex, &vertex_program, &[]), stage(&fragment, &program, &[])];
    let launch = DrawLaunch {
        buffers: &mut buffers,
        textures: &mut textures,
        samplers: &samplers,
        attributes: &attributes,
        vertices: &[0, 1, 2],
        front_counter_clockwise: false,
        late_tests: program.late_tests,
        options: Options { strict: true, ..Options::default() },
        ..DrawLaunch::new(stages[0], stages[1], [SIDE; 2])
    };
    let report = launch.run(&mut framebuffer).map_err(|error| Outcome::Fail(format!("draw: {error}")))?;
    if let Some(finding) = report.findings.first() {
        return Err(Outcome::Fail(format!("strict: {finding}")));
    }
    let colour = |number: u32, target: usize| {
        let bytes = framebuffer.colour(number % SIDE, number / SIDE, 0).unwrap_or_default();
        let start = layout.offsets[target].map_or(0, usize::from);
        let word = |at: usize| {
            bytes.get(start + at..start + at + 4).map_or([0; 4], |word| [word[0], word[1], word[2], word[3]])
        };
        [0, 4, 8, 12].map(|at| u32::from_le_bytes(word(at)))
    };
    let pixel = |number: u32| (0..targets as usize).map(|target| colour(number, target)).collect();
    Ok(Drawn { colours: (0..SIDE * SIDE).map(pixel).collect(), buffers, textures })
}

/// Position and inputs of the corners.
fn corners(shader: &Shader, inputs: &[[Linear; 4]]) -> Vec<u8> {
    let mut words: Vec<f32> = Vec::new();
    for each in CORNERS {
        words.extend([each[0], each[1], DEPTH, 1.0]);
        let [x, y] = corner(each);
        for (register, ..) in passed(shader) {
            let functions = inputs.get(register as usize).copied().unwrap_or_default();
            words.extend(functions.map(|linear| at(linear, x, y)));
        }
    }
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The pixel of an invocation: quads from left to right, then down.
pub fn pixel(invocation: usize) -> (u32, u32) {
    let (quad, within) = ((invocation / QUAD) as u32, (invocation % QUAD) as u32);
    let quads = SIDE / 2;
    (2 * (quad % quads) + within % 2, 2 * (quad / quads) + within / 2)
}

/// The colours of each pixel in the interpreter, by target; `None` for unwritten components. Other results of the
/// program are stored in the scene.
///
/// # Errors
/// The interpreter's error.
pub fn in_interpreter(
    shader: &Shader,
    scene: &mut Scene,
    inputs: &[[Linear; 4]],
    wanted: u32,
    rounding: &mut Rounding<'_>,
) -> Result<Vec<Vec<[Option<u32>; 4]>>, Outcome> {
    let count = (SIDE * SIDE) as usize;
    let fetch = |invocation: usize, register: u32, place: Option<At>| {
        fetch(shader, inputs, invocation, register, place)
    };
    let system = |invocation: usize, register: u32| system(shader, invocation, register);
    let colour = CLEARED.map(f32::to_bits);
    let mut stage = Stage { shader, scene, shared: Vec::new(), input: &fetch, system: &system, colour };
    let group = Group { count, is_helper: &|_| false, steps: STEPS };
    let outcomes = run_rounded(shader, &group, &mut stage, rounding);
    let outcomes = outcomes.map_err(|error| Outcome::Fail(format!("interpreter: {error}")))?;
    let targets = targets(shader, wanted);
    let to_all = shader.property(PropertyName::FsColor0WritesAllCbufs).is_some_and(|value| value != 0);
    let mut colours = vec![Vec::new(); count];
    for (invocation, outcome) in outcomes.iter().enumerate() {
        let (x, y) = pixel(invocation);
        let words = super::vertex::outputs(shader, &outcome.outputs);
        let colour = |target: u32, component: u32| {
            if outcome.is_discarded {
                return Some(CLEARED[component as usize].to_bits());
            }
            let from = if to_all { 0 } else { target };
            let wanted = (SemanticName::Color, from, component);
            words.iter().find(|(place, _)| *place == wanted).map(|(_, word)| *word)
        };
        let target = |target| [0, 1, 2, 3].map(|component| colour(target, component));
        colours[(y * SIDE + x) as usize] = (0..targets).map(target).collect();
    }
    Ok(colours)
}

/// An input register of a fragment.
fn fetch(
    shader: &Shader,
    inputs: &[[Linear; 4]],
    invocation: usize,
    register: u32,
    place: Option<At>,
) -> Vector {
    let (x, y) = pixel(invocation);
    let (mut dx, mut dy) = (0.5, 0.5);
    if let Some(At::Offset(x, y)) = place {
        (dx, dy) = (dx + x, dy + y);
    }
    let functions = inputs.get(register as usize).copied().unwrap_or_default();
    std::array::from_fn(|component| {
        let mut declarations = shader.of_file(File::Input).filter(|found| found.has_register(register));
        let found = declarations.find(|found| shader.declares(found, register, component as u8));
        let Some(declaration) = found else { return 0 };
        match declaration.semantic.map(|semantic| semantic.name) {
            Some(SemanticName::Position) => position(shader, x, y)[component],
            Some(SemanticName::Face) => [1.0, 0.0, 0.0, 1.0f32][component].to_bits(),
            Some(_) => {
                let [x, y] = match declaration.interpolate.map(|interpolate| interpolate.mode) {
                    Some(Interpolation::Constant) => corner(CORNERS[0]),
                    _ => [x as f32 + dx, y as f32 + dy],
                };
                at(functions[component], x, y).to_bits()
            }
            None => 0,
        }
    })
}

/// The position in the convention of the properties.
fn position(shader: &Shader, x: u32, y: u32) -> Vector {
    let is_set = |name| shader.property(name).is_some_and(|value| value != 0);
    let (x, mut y) = (x as f32 + 0.5, y as f32 + 0.5);
    if is_set(PropertyName::FsCoordOrigin) {
        y = SIDE as f32 - y;
    }
    let shift = if is_set(PropertyName::FsCoordPixelCenter) { 0.5 } else { 0.0 };
    [x - shift, y - shift, DEPTH, 1.0].map(f32::to_bits)
}

fn system(shader: &Shader, invocation: usize, register: u32) -> Vector {
    let (x, y) = pixel(invocation);
    let half = 0.5f32.to_bits();
    let name = shader.declaration(File::SystemValue, None, register).and_then(|found| found.semantic);
    match name.map(|semantic| semantic.name) {
        Some(SemanticName::Position) => position(shader, x, y),
        Some(SemanticName::Face) => [u32::MAX, 0, 0, 0],
        Some(SemanticName::SampleMask) => [1, 0, 0, 0],
        Some(SemanticName::SamplePosition) => [half, half, 0, 0],
        _ => [0; 4],
    }
}
