//! Images: draws of the project's own shaders, compared with lavapipe pixel by pixel.
//!
//! A pixel is compared unless its centre is within a pixel of an edge of a triangle, where rounding decides whether a
//! machine covers the pixel, and whether its quad has helper lanes. Elsewhere components may differ by one step of 255,
//! because functions like sine may be rounded differently, and by two where triangles are blended.

use std::path::{Path, PathBuf};

use agx_abi::fragment::cull_flags;
use agx_abi::tile::ColourFormat;
use agx_abi::vertex_format::VertexFormat;
use agx_abi::{Stage, Target};
use agx_compiler::link::{
    AttributeKey, Blend, BlendOp, Equation, Factor, FragmentState, LinkedProgram, Target as RenderTarget,
};
use agx_compiler::{CompileError, CompileKey, CompiledShader, Compiler, Input, Scratch};
use agx_emulator::launch::{AttributeData, DrawLaunch};
use agx_emulator::{Comparison, Cull, Framebuffer, Tests};
use agx_tests::driver::{instructions, stage, storage_buffer};

use super::oracle::Oracle;

const SIZE: [u32; 2] = [96, 64];

/// Allowed difference of a component in steps of 255, with and without blending.
const TOLERANCE: [u8; 2] = [2, 1];

/// Minimum percentage of the pixels that must be compared.
const LEAST_COMPARED: usize = 60;

/// An image: its shaders, and its blending, depth and culling, as numbers of `lavapipe-runner`.
type Case = (&'static str, &'static str, u32, bool, u32);

#[rustfmt::skip]
const CASES: &[Case] = &[
    ("basic", "colour", 0, false, 0),
    ("basic", "colour", 0, true, 0),
    ("basic", "colour", 0, true, 2),
    ("basic", "colour", 0, false, 1),
    ("basic", "place", 0, true, 0),
    ("flat", "flat", 0, true, 0),
    ("flat", "number", 0, true, 0),
    ("basic", "window", 0, true, 0),
    ("basic", "facing", 0, true, 0),
    ("basic", "uniforms", 0, true, 0),
    ("basic", "checker", 0, true, 0),
    ("waves", "rings", 0, true, 0),
    ("basic", "fractal", 0, true, 0),
    ("basic", "discard", 0, true, 0),
    ("basic", "discard", 0, false, 0),
    ("basic", "kills", 0, true, 0),
    ("basic", "demotes", 0, true, 0),
    ("basic", "branches", 0, true, 0),
    ("waves", "choices", 0, true, 0),
    ("basic", "loops", 0, true, 0),
    ("basic", "palette", 0, true, 0),
    ("flat", "slopes", 0, true, 0),
    ("flat", "width", 0, true, 0),
    ("basic", "powers", 0, true, 0),
    ("basic", "hash", 0, true, 0),
    ("waves", "packing", 0, true, 0),
    ("waves", "matrix", 0, true, 0),
    ("basic", "steps", 0, true, 0),
    ("lit", "mirror", 0, true, 0),
    ("lit", "shaded", 0, true, 0),
    ("waves", "angles", 0, true, 0),
    ("basic", "depth", 0, true, 0),
    ("basic", "calls", 0, true, 0),
    ("basic", "mediump", 0, true, 0),
    ("basic", "alpha", 1, false, 0),
    ("basic", "alpha", 2, false, 0),
    ("waves", "alpha", 3, false, 0),
    ("culling", "colour", 0, true, 0),
    ("culling", "alpha", 1, false, 0),
];

/// Position (clip space), colour (four bytes of 0 to 1), texture position.
type Vertex = ([f32; 4], [u8; 4], [f32; 2]);

/// Three overlapping triangles, two of them with perspective, one with the opposite orientation.
const MESH: [Vertex; 9] = [
    ([-0.95, -0.9, 0.3, 1.0], [255, 40, 20, 255], [-1.0, -0.8]),
    ([1.7, -1.6, 1.2, 2.0], [20, 240, 60, 200], [1.0, -0.6]),
    ([-0.4, 0.95, 0.5, 1.0], [30, 60, 250, 120], [-0.2, 0.9]),
    ([0.95, 0.9, 0.2, 1.0], [250, 230, 40, 255], [0.9, 0.7]),
    ([-2.4, 0.9, 1.5, 3.0], [40, 220, 230, 160], [-0.9, 0.4]),
    ([0.6, -0.95, 0.6, 1.0], [200, 60, 210, 90], [0.5, -1.0]),
    ([-0.5, -0.5, 0.4, 1.0], [120, 120, 120, 255], [-0.6, -0.4]),
    ([-0.8, 0.6, 0.4, 1.0], [250, 250, 250, 255], [-0.7, 0.5]),
    ([0.5, 0.3, 0.4, 1.0], [10, 20, 30, 255], [0.4, 0.2]),
];

const STRIDE: usize = 28;

/// Location, format, offset; Vulkan's numbers of the formats.
const ATTRIBUTES: [(u32, &str, u32, u32); 3] =
    [(0, "R32G32B32A32_SFLOAT", 0, 109), (1, "R8G8B8A8_UNORM", 16, 37), (2, "R32G32_SFLOAT", 20, 103)];

/// Two vectors and a rotation, column by column.
const NUMBERS: [f32; 24] = [
    0.6, 0.5, 0.8, 1.0, 0.3, 0.9, 0.7, 0.4, 0.8, 0.6, 0.0, 0.0, -0.6, 0.8, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0,
    0.0, 0.0, 1.0,
];

fn mesh() -> Vec<u8> {
    let mut bytes = Vec::new();
    for (position, colour, place) in MESH {
        bytes.extend(position.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(colour);
        bytes.extend(place.iter().flat_map(|number| number.to_le_bytes()));
    }
    bytes
}

fn numbers() -> Vec<u8> {
    NUMBERS.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lavapipe/pictures").join(name)
}

fn module(name: &str, stage: &str) -> Result<Vec<u8>, String> {
    let file = format!("{name}.{stage}");
    let source = std::fs::read_to_string(path(&file)).map_err(|error| format!("{file}: {error}"))?;
    super::module(&path(&format!("{file}.spv")), &source, stage).map_err(|error| format!("{file}: {error}"))
}

/// Sources of all shaders, for regenerating their modules.
pub fn sources() -> Vec<PathBuf> {
    let mut names: Vec<String> = CASES
        .iter()
        .flat_map(|(vertex, fragment, ..)| [format!("{vertex}.vert"), format!("{fragment}.frag")])
        .collect();
    names.sort();
    names.dedup();
    names.iter().map(|name| path(name)).collect()
}

fn compile(module: &[u8], stage: Stage) -> Result<CompiledShader, String> {
    let mut key = CompileKey::default();
    key.stage = Some(stage);
    key.validate = true;
    let compiler = Compiler::new(Target::default());
    compiler.compile(&mut Scratch::default(), Input::spirv(module), &key).map_err(|error| error.to_string())
}

fn blend(kind: u32) -> Option<Blend> {
    let (source, destination) = match kind {
        0 => return None,
        1 => (Factor::SourceAlpha, Factor::OneMinusSourceAlpha),
        2 => (Factor::One, Factor::One),
        _ => (Factor::Destination, Factor::Zero),
    };
    let equation = Equation { source, destination, op: BlendOp::Add };
    Some(Blend { colour: equation, alpha: equation })
}

fn attribute(location: u32) -> Option<AttributeKey> {
    let (_, format, ..) = ATTRIBUTES.iter().find(|(known, ..)| *known == location)?;
    let format = VertexFormat::from_name(format)?;
    Some(AttributeKey { alignment: 4, ..AttributeKey::new(location, format, STRIDE as u32) })
}

/// A shader and its program.
type Linked = (CompiledShader, LinkedProgram);

/// The state of a case.
fn state(vertex: &CompiledShader, blending: u32) -> FragmentState {
    let mut state = FragmentState::default();
    state.culled = cull_flags(&vertex.info.varyings).collect();
    state.targets[0] = Some(RenderTarget {
        blend: blend(blending).map(Into::into),
        ..RenderTarget::new(ColourFormat::Rgba8Unorm)
    });
    state
}

/// Both shaders with their programs, linked from parts.
fn link(case: &Case, modules: &[Vec<u8>; 2]) -> Result<[Linked; 2], String> {
    let vertex = compile(&modules[0], Stage::Vertex)?;
    let mut fragment = compile(&modules[1], Stage::Fragment)?;
    let (compiler, mut scratch, options) =
        (Compiler::new(Target::default()), Scratch::default(), CompileKey::default());
    let failed = |error: CompileError| error.to_string();
    let before = compiler.vertex_program(&mut scratch, &vertex, attribute, &options).map_err(failed)?;
    let state = state(&vertex, case.2);
    let after = compiler.fragment_program(&mut scratch, &fragment, &state, &options).map_err(failed)?;
    fragment.info = after.info(&fragment.info);
    Ok([(vertex, before), (fragment, after)])
}

/// Both shaders with their programs, compiled as wholes.
fn whole(case: &Case, modules: &[Vec<u8>; 2]) -> Result<[Linked; 2], String> {
    let (compiler, mut scratch) = (Compiler::new(Target::default()), Scratch::default());
    let key = |stage| {
        let mut key = CompileKey::default();
        (key.stage, key.validate) = (Some(stage), true);
        key
    };
    let failed = |error: CompileError| error.to_string();
    let vertex = Input::spirv(&modules[0]);
    let vertex =
        compiler.whole_vertex(&mut scratch, vertex, &key(Stage::Vertex), attribute).map_err(failed)?;
    let (fragment, state) = (Input::spirv(&modules[1]), state(&vertex.shader, case.2));
    let fragment = compiler.whole_fragment(&mut scratch, fragment, &key(Stage::Fragment), &state);
    Ok([vertex, fragment.map_err(failed)?].map(|whole| (whole.shader, whole.program)))
}

/// The image drawn by the strict machine, in rows of pixels.
fn draw(case: &Case, [(vertex, first), (fragment, second)]: &[Linked; 2]) -> Result<Vec<u8>, String> {
    let (.., depth, cull) = *case;
    let data = mesh();
    let attributes: Vec<AttributeData<'_>> = vertex
        .info
        .attributes
        .iter()
        .filter_map(|attribute| ATTRIBUTES.iter().find(|(location, ..)| *location == attribute.location))
        .map(|(_, format, offset, _)| AttributeData {
            bytes: &data,
            offset: *offset as usize,
            stride: STRIDE,
            element_bytes: VertexFormat::from_name(format).map_or(0, |format| format.bytes.into()),
        })
        .collect();
    let vertices: Vec<u32> = (0..MESH.len() as u32).collect();
    let tests = if depth {
        Tests { depth: Comparison::Less, depth_write: true, ..Tests::default() }
    } else {
        Tests::default()
    };
    let mut framebuffer = Framebuffer::new(SIZE[0], SIZE[1], 1, 8);
    framebuffer.clear(&[0, 0, 0, 255], 1.0, 0);
    let launch = DrawLaunch {
        buffers: &mut [storage_buffer(0, 0, numbers(), false)],
        attributes: &attributes,
        vertices: &vertices,
        cull: [Cull::None, Cull::Front, Cull::Back][cull as usize],
        tests,
        late_tests: second.late_tests,
        ..DrawLaunch::new(stage(vertex, first, &[]), stage(fragment, second, &[]), SIZE)
    };
    let report = launch.run(&mut framebuffer).map_err(|error| format!("run: {error}"))?;
    if let Some(finding) = report.findings.first() {
        return Err(format!("strict: {finding}"));
    }
    let pixels = (0..SIZE[1]).flat_map(|y| (0..SIZE[0]).map(move |x| (x, y)));
    Ok(pixels.flat_map(|(x, y)| framebuffer.colour(x, y, 0).unwrap_or_default()[..4].to_vec()).collect())
}

/// The draw in the binary form of `lavapipe-runner`.
fn request(case: &Case, modules: &[Vec<u8>; 2]) -> Vec<u8> {
    let (.., blending, depth, cull) = *case;
    let mut bytes = Vec::new();
    let words = |bytes: &mut Vec<u8>, words: &[u32]| {
        words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    };
    let list = |bytes: &mut Vec<u8>, contents: &[u8]| {
        bytes.extend((contents.len() as u32).to_le_bytes());
        bytes.extend(contents);
    };
    modules.iter().for_each(|module| list(&mut bytes, module));
    words(&mut bytes, &[SIZE[0], SIZE[1], MESH.len() as u32, STRIDE as u32, ATTRIBUTES.len() as u32]);
    for (location, _, offset, format) in ATTRIBUTES {
        words(&mut bytes, &[location, format, offset]);
    }
    list(&mut bytes, &mesh());
    list(&mut bytes, &numbers());
    words(&mut bytes, &[blending, u32::from(depth), cull]);
    bytes
}

/// Whether the pixel's centre is within a pixel of an edge.
fn is_at_edge(x: u32, y: u32) -> bool {
    let point = [f64::from(x) + 0.5, f64::from(y) + 0.5];
    let corner = |([cx, cy, _, w], ..): Vertex| {
        let screen = |clip: f32, side: u32| f64::from((clip / w + 1.0) / 2.0) * f64::from(side);
        [screen(cx, SIZE[0]), screen(cy, SIZE[1])]
    };
    MESH.as_chunks::<3>().0.iter().any(|triangle| {
        [(0, 1), (1, 2), (2, 0)].into_iter().any(|(from, to)| {
            let (a, b) = (corner(triangle[from]), corner(triangle[to]));
            let along = [b[0] - a[0], b[1] - a[1]];
            let square = along[0] * along[0] + along[1] * along[1];
            let share = ((point[0] - a[0]) * along[0] + (point[1] - a[1]) * along[1]) / square;
            let share = share.clamp(0.0, 1.0);
            let nearest = [a[0] + share * along[0], a[1] + share * along[1]];
            (point[0] - nearest[0]).hypot(point[1] - nearest[1]) <= 1.0
        })
    })
}

fn compare(ours: &[u8], theirs: &[u8], tolerance: u8) -> Result<(), String> {
    let mut compared = 0;
    for (at, (a, b)) in ours.chunks(4).zip(theirs.chunks(4)).enumerate() {
        let (x, y) = (at as u32 % SIZE[0], at as u32 / SIZE[0]);
        if is_at_edge(x, y) {
            continue;
        }
        compared += 1;
        if a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > tolerance) {
            return Err(format!("pixel {x}, {y}: {a:?}, lavapipe has {b:?}"));
        }
    }
    let total = (SIZE[0] * SIZE[1]) as usize;
    if ours.len() != 4 * total || theirs.len() != 4 * total || 100 * compared < LEAST_COMPARED * total {
        return Err(format!("{compared} of {total} pixels are too few"));
    }
    Ok(())
}

fn check(case: &Case, oracle: Option<&Oracle>) -> Result<(), String> {
    let modules = [module(case.0, "vert")?, module(case.1, "frag")?];
    let ours = draw(case, &link(case, &modules)?)?;
    match oracle {
        Some(oracle) => {
            let theirs = oracle.execute(&["draw"], &request(case, &modules))?;
            compare(&ours, &theirs, TOLERANCE[usize::from(case.2 == 0)])
        }
        None => Ok(()),
    }
}

/// Without lavapipe the pictures are still drawn by the strict machine.
#[test]
fn pictures_agree_with_lavapipe() {
    let oracle = Oracle::find();
    if oracle.is_none() {
        eprintln!("skipped comparison: lavapipe is not installed (Debian: mesa-vulkan-drivers, libvulkan1)");
    }
    let failures: Vec<String> = CASES
        .iter()
        .filter_map(|case| check(case, oracle.as_ref()).err().map(|error| format!("{case:?}: {error}")))
        .collect();
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), CASES.len(), failures.join("\n"));
}

/// Instructions that exchange two registers. The registers between parts are given; those of a whole are chosen, and the
/// choice may cost an exchange.
const SWAP: usize = 3;

/// Number of instructions of the programs, including preambles.
fn length(shaders: &[Linked; 2]) -> [usize; 2] {
    [0, 1].map(|at| {
        let (shader, program) = &shaders[at];
        instructions(&program.code) + shader.stats.preamble_instructions as usize
    })
}

fn check_whole(case: &Case) -> Result<(), String> {
    let modules = [module(case.0, "vert")?, module(case.1, "frag")?];
    let (parts, wholes) = (link(case, &modules)?, whole(case, &modules)?);
    compare(&draw(case, &wholes)?, &draw(case, &parts)?, 1)?;
    let (linked, whole) = (length(&parts), length(&wholes));
    if (0..2).any(|at| whole[at] > linked[at] + SWAP) {
        return Err(format!("wholes of {whole:?} instructions, parts of {linked:?}"));
    }
    Ok(())
}

#[test]
fn whole_shaders_give_the_same_pictures_and_exceed_parts_by_an_exchange_at_most() {
    let failures: Vec<String> = CASES
        .iter()
        .filter_map(|case| check_whole(case).err().map(|error| format!("{case:?}: {error}")))
        .collect();
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), CASES.len(), failures.join("\n"));
}
