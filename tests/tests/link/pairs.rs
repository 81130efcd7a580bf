//! Vertex and fragment shaders that are compiled for each other draw the same as any other two.

use agx_abi::linking::{DrawWord, KnownOutput, MovedSteps, SharedAddress, Step, VertexOutputs};
use agx_abi::tile::ColourFormat;
use agx_abi::vertex::Output;
use agx_abi::{Stage, Target};
use agx_compiler::link::{FragmentState, Parts, Target as RenderTarget, link};
use agx_compiler::{CompileKey, CompiledShader, Compiler, Input, Scratch};
use agx_emulator::Framebuffer;
use agx_emulator::launch::DrawLaunch;
use agx_tests::driver::{stage, storage_buffer, validate_program};

/// Declarations of both shaders.
const SHARED: &str = "#version 450
layout(set = 0, binding = 3) uniform Block { vec4 tint; vec2 scale; float bias; } block;
layout(push_constant) uniform Pushed { vec4 shade; float shift; } pushed;
";

/// Outputs that differ, and those that are the same for all vertices: constants, words of a buffer, a push constant.
const VERTEX: &str = "
layout(location = 0) out vec2 at;
layout(location = 1) out vec3 constant;
layout(location = 2) out vec2 tint;
layout(location = 3) out float shade;
layout(location = 4) out float unread;
layout(location = 5) out vec2 both;
void main() {
    float x = float(gl_VertexIndex % 2) * 4.0 - 1.0, y = float(gl_VertexIndex / 2) * 4.0 - 1.0;
    float w = 1.0 + 0.5 * float(gl_VertexIndex);
    gl_Position = vec4(x * w, y * w, 0.25 * w, w);
    at = vec2(x, y);
    constant = vec3(1.5, -2.0, 4.0);
    tint = block.tint.yw;
    shade = pushed.shade.z;
    unread = x;
    both = vec2(y, 3.0 * x);
}";

/// Scaled and shifted inputs, one of them negated at the end, and an input that is read twice.
const FRAGMENT: &str = "
layout(location = 0) in vec2 at;
layout(location = 1) in vec3 constant;
layout(location = 2) in vec2 tint;
layout(location = 3) in float shade;
layout(location = 5) in vec2 both;
layout(location = 0) out vec4 colour;
void main() {
    float x = -(at.x * block.scale.y + pushed.shift);
    float y = 2.0 - at.y;
    colour = vec4(x * y, both.x * 2.0 + both.x * block.bias, dot(tint, constant.xz), shade * both.y);
}";

fn compile(part: Stage, key: CompileKey) -> CompiledShader {
    let mut key = key;
    key.validate = true;
    let body = if part == Stage::Vertex { VERTEX } else { FRAGMENT };
    let text = format!("{SHARED}{body}");
    let input = Input::glsl(&text, part);
    Compiler::new(Target::default()).compile(&mut Scratch::default(), input, &key).expect("compiles")
}

/// The image of a triangle over the whole screen.
fn draw(vertex: &CompiledShader, fragment: &CompiledShader) -> Vec<f32> {
    let mut state = FragmentState::default();
    state.targets[0] = Some(RenderTarget::new(ColourFormat::Rgba32Sfloat));
    let options = CompileKey::default();
    let compiler = Compiler::new(Target::default());
    let program =
        compiler.fragment_program(&mut Scratch::default(), fragment, &state, &options).expect("links");
    let layout = vertex.info.output_layout(&fragment.info.fragment.coefficients);
    let first = link(&Parts { outputs: Some(&layout), ..Parts::new(vertex) }).expect("links");
    validate_program(&first).unwrap_or_else(|outcome| panic!("{outcome:?}"));
    let mut vertex = vertex.clone();
    vertex.info.varyings.clone_from(&layout.varyings);
    let words = [0.5_f32, 0.75, 0.25, 1.25, 3.0, -1.5, 0.125].map(f32::to_le_bytes).concat();
    let pushed = [9.0_f32, 9.5, -0.75, 8.0, 0.375].map(f32::to_le_bytes).concat();
    let mut framebuffer = Framebuffer::new(8, 8, 1, state.layout().sample_bytes.into());
    let launch = DrawLaunch {
        vertices: &[0, 1, 2],
        buffers: &mut [storage_buffer(0, 3, words, false)],
        ..DrawLaunch::new(stage(&vertex, &first, &pushed), stage(fragment, &program, &pushed), [8; 2])
    };
    assert_eq!(launch.run(&mut framebuffer).expect("runs").findings, []);
    let pixel = |at: u32| framebuffer.colour(at % 8, at / 8, 0).expect("a pixel").to_vec();
    let bytes: Vec<u8> = (0..64).flat_map(pixel).collect();
    bytes.as_chunks::<4>().0.iter().map(|word| f32::from_le_bytes(*word)).collect()
}

fn user(location: u32, component: u32) -> Output {
    Output::User { location, component }
}

#[test]
fn a_pair_draws_the_same_with_less() {
    let (first, alone) =
        (compile(Stage::Vertex, CompileKey::default()), compile(Stage::Fragment, CompileKey::default()));
    let outputs = VertexOutputs::of(&first.info);
    let (base, pointer) = (SharedAddress::BufferAddress { set: 0, binding: 3, element: 0 }, None);
    let memory = |offset| DrawWord::Memory { base, pointer, offset };
    let values: Vec<DrawWord> = outputs.known.iter().map(|known| known.value).collect();
    let constants = [1.5_f32, -2.0, 4.0].map(|number| DrawWord::Constant(number.to_bits()));
    let others = [memory(4), memory(12), DrawWord::PushConstant { offset: 8 }];
    assert_eq!(values, [constants, others].concat());

    let mut key = CompileKey::default();
    key.vertex_outputs = Some(outputs);
    let fragment = compile(Stage::Fragment, key);
    let coefficients = &fragment.info.fragment.coefficients;
    let read: Vec<Output> = coefficients.iter().filter_map(|source| source.output()).collect();
    assert_eq!(read, [user(0, 0), user(0, 1), user(5, 0), user(5, 1)]);
    let x = vec![Step::Scale(memory(20)), Step::Offset(DrawWord::PushConstant { offset: 16 })];
    let constant = |number: f32| DrawWord::Constant(number.to_bits());
    let y = vec![Step::Scale(constant(-1.0)), Step::Offset(constant(2.0))];
    let both = vec![Step::Scale(DrawWord::PushConstant { offset: 8 })];
    let moved = [(user(0, 0), x), (user(0, 1), y), (user(5, 1), both)];
    assert_eq!(fragment.info.fragment.moved, moved.map(|(output, steps)| MovedSteps { output, steps }));

    let mut key = CompileKey::default();
    key.fragment_inputs = Some(coefficients.clone());
    key.moved.clone_from(&fragment.info.fragment.moved);
    let vertex = compile(Stage::Vertex, key);
    assert!(fragment.stats.instructions < alone.stats.instructions);
    let (wanted, found) = (draw(&first, &alone), draw(&vertex, &fragment));
    let is_near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-5 * a.abs().max(1.0);
    assert!(wanted.iter().zip(&found).all(is_near), "{wanted:?}\n{found:?}");
    assert!(wanted.iter().any(|number| *number != wanted[0]), "the picture is not uniform");
    let mixed = draw(&first, &fragment);
    assert!(!wanted.iter().zip(&mixed).all(is_near), "the vertex shader must execute what moved");
}

/// Nothing is interpolated of a vertex shader that writes nothing.
#[test]
fn inputs_that_are_not_written_are_not_interpolated() {
    let mut key = CompileKey::default();
    key.vertex_outputs = Some(VertexOutputs::default());
    let fragment = compile(Stage::Fragment, key);
    assert_eq!(fragment.info.fragment.coefficients, []);
    assert_eq!(fragment.info.fragment.moved, []);
}

/// A word in memory is read only if nothing of its vector has to be interpolated.
#[test]
fn single_words_in_memory_are_interpolated_with_their_vectors() {
    let first = compile(Stage::Vertex, CompileKey::default());
    let base = SharedAddress::BufferAddress { set: 0, binding: 3, element: 0 };
    let interpolated = |components: &[u32]| -> Vec<Output> {
        let mut outputs = VertexOutputs::of(&first.info);
        let value = DrawWord::Memory { base, pointer: None, offset: 0 };
        let known = |component: &u32| KnownOutput { output: user(0, *component), value };
        outputs.known.extend(components.iter().map(known));
        let mut key = CompileKey::default();
        key.vertex_outputs = Some(outputs);
        let fragment = compile(Stage::Fragment, key);
        let read = fragment.info.fragment.coefficients.iter().filter_map(|source| source.output());
        read.filter(|output| matches!(output, Output::User { location: 0, .. })).collect()
    };
    assert_eq!(interpolated(&[]), [user(0, 0), user(0, 1)]);
    assert_eq!(interpolated(&[1]), [user(0, 0), user(0, 1)]);
    assert_eq!(interpolated(&[0, 1]), []);
}
