//! Transform feedback: each output is stored at its offset, and vertices that do not fit are not stored.

use agx_abi::feedback::CapturedOutput;
use agx_abi::vertex::Output;
use agx_abi::{InterfaceUniform, PartRole, Stage, Target, UniformSource};
use agx_compiler::link::Assembly;
use agx_compiler::{CompileKey, CompiledShader, Compiler, Input, Scratch};
use agx_emulator::{Access, Memory};
use agx_tests::driver::validate_program;
use agx_tests::launched;

use super::{compiled, spirv};

const VERTICES: u32 = 3;
const INSTANCES: u32 = 2;
const BASE: [u32; 2] = [5, 2];
const BUFFERS: u64 = 0x3_0000;
const BUFFER_BYTES: usize = 0x1000;
/// Initial contents of the buffers.
const UNTOUCHED: u8 = 0xaa;

fn key() -> CompileKey {
    let mut key = CompileKey::default();
    (key.validate, key.stage) = (true, Some(Stage::Vertex));
    key
}

/// The shader of a file, compiled as a compute shader that captures its outputs.
fn capturing(name: &str) -> CompiledShader {
    let mut key = key();
    (key.vertex_as_compute, key.captures_outputs) = (true, true);
    let (bytes, compiler) = (spirv(name), Compiler::new(Target::default()));
    let whole = compiler
        .whole_vertex_of(&mut Scratch::default(), Input::spirv(&bytes), &key, Assembly::default(), |_| None)
        .expect("compiles");
    validate_program(&whole.program).unwrap_or_else(|outcome| panic!("{outcome:?}"));
    whole.shader
}

/// The driver's value of a uniform for this number of captured vertices.
fn value(source: UniformSource, count: u32) -> u64 {
    match source {
        UniformSource::FeedbackBuffer { buffer } => BUFFERS + u64::from(buffer) * BUFFER_BYTES as u64,
        UniformSource::FeedbackCount => count.into(),
        UniformSource::VertexCount => VERTICES.into(),
        UniformSource::Interface(InterfaceUniform::BaseVertexAndInstance) => {
            u64::from(BASE[0]) | u64::from(BASE[1]) << 32
        }
        _ => 0,
    }
}

/// The buffers after capturing this number of vertices.
fn captured(shader: &CompiledShader, count: u32) -> Vec<Vec<u8>> {
    let mut memory = Memory::new();
    let bytes = 4 * BUFFER_BYTES;
    memory.map(BUFFERS, vec![UNTOUCHED; bytes], Access::READ | Access::WRITE).expect("maps");
    let code = shader.part(PartRole::Main).expect("a main part");
    let uniforms = launched::uniforms(&shader.info, |source| value(source, count));
    launched::launch(shader, code, &mut memory, &uniforms, [VERTICES, INSTANCES]);
    memory.bytes(BUFFERS, bytes).expect("mapped").chunks(BUFFER_BYTES).map(<[u8]>::to_vec).collect()
}

/// The expected results of `feedback.vert`.
fn expected(count: u32) -> Vec<Vec<u8>> {
    let mut buffers = vec![vec![UNTOUCHED; BUFFER_BYTES]; 4];
    for number in 0..count {
        let (vertex, instance) = (number % VERTICES + BASE[0], number / VERTICES + BASE[1]);
        let v = vertex as f32;
        let mut put = |buffer: usize, stride: usize, offset: usize, bytes: &[u8]| {
            let at = number as usize * stride + offset;
            buffers[buffer][at..at + bytes.len()].copy_from_slice(bytes);
        };
        let floats = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
        put(0, 48, 8, &floats(&[v, v + 0.25, instance as f32, 1.0]));
        put(0, 48, 28, &floats(&[10.0 + v, 20.0 + v, 30.0 + v]));
        put(1, 40, 4, &floats(&[v, 1.0, 2.0, 3.0, 4.0, 5.0 + v]));
        put(1, 40, 32, &(1.5 + f64::from(v)).to_le_bytes());
        let words =
            |values: &[i64]| values.iter().flat_map(|v| (*v as u32).to_le_bytes()).collect::<Vec<_>>();
        put(3, 28, 4, &words(&[vertex.into(), 7]));
        put(3, 28, 16, &words(&[-1, 2 * i64::from(vertex), -3]));
        let half = |value: f32| half::f16::from_f32(value).to_le_bytes();
        put(3, 28, 12, &[half(0.5 + v), half(-2.0)].concat());
    }
    buffers
}

#[test]
fn outputs_are_captured_at_their_places_and_only_where_there_is_room() {
    let shader = capturing("feedback.vert");
    for count in [VERTICES * INSTANCES, 4, 0] {
        for (buffer, (found, wanted)) in captured(&shader, count).iter().zip(expected(count)).enumerate() {
            let differs = (0..BUFFER_BYTES).find(|at| found[*at] != wanted[*at]);
            assert_eq!(differs, None, "first byte of buffer {buffer} that differs, {count} vertices");
        }
    }
}

#[test]
fn what_is_captured_is_reported_however_the_shader_runs() {
    let drawn = compiled("feedback.vert", &key()).info.feedback;
    assert_eq!(drawn, capturing("feedback.vert").info.feedback);
    assert_eq!(drawn.strides, [48, 40, 0, 28]);
    assert_eq!(drawn.buffers().collect::<Vec<_>>(), [0, 1, 3]);
    let of = |buffer: u8| drawn.outputs.iter().filter(move |output| output.buffer == buffer);
    let user = |location, component| Output::User { location, component };
    let word = |buffer, offset, output| CapturedOutput { buffer, offset, bits: 32, output };
    let first: Vec<_> = of(0).copied().collect();
    assert_eq!(first[0], word(0, 8, Output::Position(0)));
    assert_eq!(first[6], word(0, 36, user(0, 2)));
    let wide: Vec<_> = of(1).copied().collect();
    assert_eq!(wide[3], word(1, 16, user(3, 0)), "the second column");
    assert_eq!(wide[6..], [word(1, 32, user(4, 0)), word(1, 36, user(4, 1))], "words of a double");
    let halves: Vec<_> = of(3).filter(|output| output.bits == 16).map(|output| output.offset).collect();
    assert_eq!(halves, [12, 14]);
    assert_eq!(compiled("screen.vert", &key()).info.feedback.outputs, []);
}

#[test]
fn blocks_of_an_array_have_a_buffer_each() {
    let feedback = compiled("feedback_blocks.vert", &key()).info.feedback;
    assert_eq!(feedback.strides, [0, 16, 16, 0]);
    let places: Vec<_> = feedback.outputs.iter().map(|output| (output.buffer, output.offset)).collect();
    assert_eq!(places, [(1, 4), (1, 8), (2, 4), (2, 8)]);
}

/// A vertex takes its room in the buffer of an output that is never written.
#[test]
fn unwritten_outputs_have_room() {
    let feedback = compiled("feedback_unwritten.vert", &key()).info.feedback;
    assert_eq!((feedback.strides, feedback.outputs.len()), ([0, 24, 0, 0], 0));
}

#[test]
fn a_drawn_shader_has_no_code_for_what_is_captured() {
    let bytes = spirv("feedback.vert");
    let mode: Vec<u8> = [3 << 16 | 16, 4, 11].into_iter().flat_map(u32::to_le_bytes).collect();
    let at = (0..bytes.len()).step_by(4).find(|at| bytes[*at..].starts_with(&mode)).expect("the mode `Xfb`");
    let nothing = [1_u32 << 16; 3].map(u32::to_le_bytes).concat();
    let plain = [&bytes[..at], &nothing, &bytes[at + 12..]].concat();
    let plain = Compiler::default().compile(&mut Scratch::default(), Input::spirv(&plain), &key());
    let (plain, shader) = (plain.expect("compiles"), compiled("feedback.vert", &key()));
    assert_eq!(plain.info.feedback.outputs, []);
    assert_eq!(shader.part(PartRole::Main), plain.part(PartRole::Main));
}

#[test]
fn an_output_that_does_not_fit_into_its_vertex_is_refused() {
    let mut bytes = spirv("feedback.vert");
    // The only stride of 40 bytes becomes 36, so the double ends at byte 40.
    let stride = [37_u32.to_le_bytes(), 40_u32.to_le_bytes()].concat();
    let places: Vec<usize> =
        (0..bytes.len() - 8).step_by(4).filter(|at| bytes[*at..].starts_with(&stride)).collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at + 4] = 36;
    }
    let error = Compiler::default().compile(&mut Scratch::default(), Input::spirv(&bytes), &key());
    let error = error.expect_err("it does not fit");
    assert_eq!(error.code(), 2121, "{error}");
}
