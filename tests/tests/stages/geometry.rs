//! Geometry shaders that run as compute shaders: emitted vertices are at their places, and the indices of the primitives
//! that they complete; all other places have restart indices.

use agx_abi::feedback::CapturedOutput;
use agx_abi::geometry::{GeometryInfo, NO_STREAM, RESTART};
use agx_abi::vertex::{Output, Varying};
use agx_abi::{PartRole, Stage, UniformSource};
use agx_compiler::{CompileKey, CompiledShader, Compiler, GeometryKey, Input, Scratch};
use agx_emulator::{Access, Memory};
use agx_tests::launched;

use super::spirv;

const PRIMITIVES: usize = 2;
const INSTANCES: usize = 2;
const INVOCATIONS: usize = 2;
const MAX_VERTICES: usize = 6;
/// Words of a vertex of the input: the position, a word that nothing reads, a location.
const INPUT_WORDS: usize = 7;
/// Words of an emitted vertex: the position, the layer, a location.
const OUTPUT_WORDS: usize = 8;
const INPUTS: u64 = 0x1_0000;
const VERTICES: u64 = 0x2_0000;
const INDICES: u64 = 0x4_0000;
/// Contents of words that nothing stores.
const UNTOUCHED: u32 = 0xaaaa_aaaa;

fn compiled(last_provokes: bool) -> CompiledShader {
    compile("strips.geom", last_provokes, 0)
}

fn compile(name: &str, last_provokes: bool, stream: u32) -> CompiledShader {
    let mut key = CompileKey::default();
    (key.validate, key.stage) = (true, Some(Stage::Compute));
    let position = (0..4).map(|at| Varying { slot: at, output: Output::Position(at.into()) });
    let user = (0..2).map(|at| {
        let output = Output::User { location: 1, component: at.into() };
        Varying { slot: 5 + at, output }
    });
    key.geometry = Some(GeometryKey { inputs: position.chain(user).collect(), last_provokes, stream });
    let bytes = spirv(name);
    Compiler::default().compile(&mut Scratch::default(), Input::spirv(&bytes), &key).expect("compiles")
}

/// The word of an input vertex.
fn input(vertex: usize, word: usize) -> f32 {
    (vertex * 16 + word) as f32
}

fn words(memory: &Memory, address: u64, count: usize) -> Vec<u32> {
    let bytes = memory.bytes(address, 4 * count).expect("mapped");
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Vertices and indices after a launch.
fn launched(shader: &CompiledShader) -> [Vec<u32>; 2] {
    let groups = PRIMITIVES * INVOCATIONS * INSTANCES;
    let modes = shader.info.geometry.expect("a geometry shader");
    let vertices = groups * modes.max_vertices as usize * shader.info.varyings.len();
    let indices = groups * modes.indices() as usize;
    let mut memory = Memory::new();
    let inputs =
        (0..3 * PRIMITIVES * INSTANCES).flat_map(|at| (0..INPUT_WORDS).map(move |word| input(at, word)));
    let inputs: Vec<u8> = inputs.flat_map(f32::to_le_bytes).collect();
    memory.map(INPUTS, inputs, Access::READ).expect("maps");
    for (address, count) in [(VERTICES, vertices), (INDICES, indices)] {
        let bytes = UNTOUCHED.to_le_bytes().repeat(count);
        memory.map(address, bytes, Access::READ | Access::WRITE).expect("maps");
    }
    let uniforms = launched::uniforms(&shader.info, |source| match source {
        UniformSource::VertexOutputs => INPUTS,
        UniformSource::GeometryVertices => VERTICES,
        UniformSource::GeometryIndices => INDICES,
        UniformSource::VertexCount => (PRIMITIVES * INVOCATIONS) as u64,
        source => panic!("unexpected uniform {source}"),
    });
    let code = shader.part(PartRole::Main).expect("a main part");
    let size = [(PRIMITIVES * INVOCATIONS) as u32, INSTANCES as u32];
    launched::launch(shader, code, &mut memory, &uniforms, size);
    [words(&memory, VERTICES, vertices), words(&memory, INDICES, indices)]
}

/// The results of `strips.geom`, by its meaning.
fn expected(last_provokes: bool) -> [Vec<u32>; 2] {
    let (mut vertices, mut indices) = (Vec::new(), Vec::new());
    for group in 0..PRIMITIVES * INVOCATIONS * INSTANCES {
        let (number, invocation) = (group / INVOCATIONS, group % INVOCATIONS);
        let primitive = number % PRIMITIVES;
        let count = if invocation == 0 { 5 } else { (primitive * 7).min(MAX_VERTICES) };
        for at in 0..MAX_VERTICES {
            if at >= count {
                vertices.extend([UNTOUCHED; OUTPUT_WORDS]);
                continue;
            }
            let word = |word| input(3 * number + at % 3, word).to_bits();
            vertices.extend([0, 1, 2, 3].map(word));
            vertices.extend([at as u32, word(5), word(6), (primitive as f32).to_bits()]);
        }
        for at in 2..MAX_VERTICES {
            let v = |back: usize| (group * MAX_VERTICES + at - back) as u32;
            // The strips are vertices 0 to 3, and those from 4 on.
            let strip = if at < 4 { at } else { at - 4 };
            indices.extend(match (at < count && strip >= 2, strip % 2 == 1, last_provokes) {
                (false, ..) => [RESTART; 3],
                (true, false, _) => [v(2), v(1), v(0)],
                (true, true, false) => [v(2), v(0), v(1)],
                (true, true, true) => [v(1), v(2), v(0)],
            });
        }
    }
    [vertices, indices]
}

#[test]
fn vertices_and_indices_are_at_their_places() {
    for last_provokes in [false, true] {
        let [vertices, indices] = launched(&compiled(last_provokes));
        let [wanted_vertices, wanted_indices] = expected(last_provokes);
        assert_eq!(vertices, wanted_vertices);
        assert_eq!(indices, wanted_indices, "last vertex provokes: {last_provokes}");
    }
}

#[test]
fn modes_and_written_outputs_are_reported() {
    let info = compiled(false).info;
    let modes =
        GeometryInfo { input_vertices: 3, corners: 3, invocations: 2, max_vertices: 6, streams: false };
    assert_eq!((info.stage, info.geometry), (Stage::Compute, Some(modes)));
    let outputs: Vec<Output> = info.varyings.iter().map(|varying| varying.output).collect();
    let user = |component| Output::User { location: 2, component };
    let position = [0, 1, 2, 3].map(Output::Position);
    let rest = [Output::LayerAndViewport, user(0), user(1), user(2)];
    assert_eq!(outputs, [position, rest].concat());
}

#[test]
fn emitted_vertices_are_loaded_by_a_vertex_shader_with_the_same_outputs() {
    let emitter = compiled(false);
    let whole = Compiler::default()
        .emitted_vertex(&mut Scratch::default(), &emitter.info, &CompileKey::default())
        .expect("compiles");
    let info = &whole.shader.info;
    assert_eq!(info.stage, Stage::Vertex);
    let places = |info: &agx_abi::ShaderInfo| -> Vec<Output> {
        let mut outputs: Vec<Output> = info.varyings.iter().map(|varying| varying.output).collect();
        outputs.sort_unstable();
        outputs
    };
    let mut wanted = places(&emitter.info);
    wanted.push(Output::Viewport);
    wanted.sort_unstable();
    assert_eq!(places(info), wanted);
}

#[test]
fn a_compute_shader_is_wanted_unless_the_key_has_geometry() {
    let mut key = CompileKey::default();
    key.stage = Some(Stage::Compute);
    let bytes = spirv("strips.geom");
    let error = Compiler::default().compile(&mut Scratch::default(), Input::spirv(&bytes), &key);
    assert!(error.is_err_and(|error| error.message().contains("Geometry")));
}

/// Every vertex of `streams.geom` has its stream in memory, and the indices are those of the drawn stream.
#[test]
fn vertices_have_their_stream() {
    for drawn in 0..2 {
        let shader = compile("streams.geom", false, drawn);
        let places: Vec<Output> = shader.info.varyings.iter().map(|varying| varying.output).collect();
        let user = |location| Output::User { location, component: 0 };
        let position = [0, 1, 2, 3].map(Output::Position);
        assert_eq!(places, [&position[..], &[Output::Stream, user(0), user(1)]].concat());
        let [vertices, indices] = launched(&shader);
        // The input has two words that matter; an invocation has places for four vertices.
        let number = |group: usize, component: usize| input(group, 5 + component);
        for (group, of_group) in vertices.chunks(4 * places.len()).enumerate() {
            for (at, vertex) in of_group.chunks(places.len()).enumerate() {
                let stream = [1, 0, 1, NO_STREAM][at];
                assert_eq!(vertex[4], stream, "vertex {at} of {group}");
                let values = [number(group, 0) + at as f32, number(group, 1) - at as f32].map(f32::to_bits);
                assert_eq!(
                    vertex[5..],
                    if at < 3 { values } else { [UNTOUCHED; 2] },
                    "vertex {at} of {group}"
                );
                let index = (4 * group + at) as u32;
                let listed = if stream == drawn { index } else { RESTART };
                assert_eq!(indices[4 * group + at], listed, "stream {drawn}, vertex {at} of {group}");
            }
        }
        let captured = CapturedOutput { buffer: 2, offset: 4, bits: 32, output: user(1) };
        assert_eq!(shader.info.feedback.outputs, [captured]);
        assert_eq!(
            (shader.info.feedback.strides, shader.info.feedback.streams),
            ([0, 0, 8, 0], [0, 0, 1, 0])
        );
    }
}

/// A vertex takes its room in the buffer of an output that is never written.
#[test]
fn unwritten_outputs_have_room() {
    let feedback = compile("feedback_unwritten.geom", false, 0).info.feedback;
    assert_eq!((feedback.strides, feedback.outputs.len()), ([0, 24, 0, 0], 4));
}

/// The strips of streams do not mix: a vertex of `stream_lines.geom` that completes a line has its corners in memory.
#[test]
fn streams_have_strips_of_their_own() {
    for drawn in [0, 2] {
        let shader = compile("stream_lines.geom", false, drawn);
        let slot = |wanted| {
            let found = shader.info.varyings.iter().find(|varying| varying.output == wanted);
            usize::from(found.expect("a slot").slot)
        };
        let [vertices, indices] = launched(&shader);
        for group in 0..PRIMITIVES * INVOCATIONS * INSTANCES {
            let number = |vertex: u32| 6 * group as u32 + vertex;
            let lines = [None, None, Some([0, 2]), Some([2, 3]), None, None]
                .map(|line| line.map(|line| line.map(number)));
            for (at, line) in lines.into_iter().enumerate() {
                let vertex = &vertices[(6 * group + at) * shader.info.varyings.len()..];
                let corners = [0, 1].map(|corner| vertex[slot(Output::StreamCorner(corner))]);
                match line {
                    Some(line) => assert_eq!((vertex[slot(Output::Stream)], corners), (2, line)),
                    None => assert_eq!(vertex[slot(Output::Stream)], NO_STREAM, "vertex {at}"),
                }
            }
            let listed = lines[1..].iter().map(|line| line.filter(|_| drawn == 2).unwrap_or([RESTART; 2]));
            let listed: Vec<u32> = listed.flatten().collect();
            assert_eq!(indices[10 * group..10 * (group + 1)], listed, "stream {drawn}, invocation {group}");
        }
    }
}
