//! A vertex shader that runs as a compute shader: outputs in memory, vertex numbers from the prolog.

use agx_abi::vertex::RunsAs;
use agx_abi::{InterfaceUniform, PartRole, Stage, Target, UniformSource};
use agx_compiler::link::{LinkedProgram, Parts, VertexPrologKey, link};
use agx_compiler::{CompileKey, CompiledShader, Compiler, Scratch};
use agx_emulator::{Access, Memory};
use agx_tests::driver::validate_program;
use agx_tests::launched::{launch, uniforms};

use super::compiled;

const VERTICES: u32 = 5;
const INSTANCES: u32 = 2;
const BASE_VERTEX: u32 = 3;
const OUTPUTS: u64 = 0x3_0000;

/// The program of a vertex shader without attributes that runs as a compute shader.
pub fn program(shader: &CompiledShader) -> LinkedProgram {
    let info = &shader.info;
    let prolog = VertexPrologKey::new(info, |_| None);
    let prolog = Compiler::new(Target::default())
        .vertex_prolog(&mut Scratch::default(), &prolog, &CompileKey::default())
        .expect("a prolog");
    let main = shader.part(PartRole::Main).expect("a main part");
    let parts = Parts { main, info, prolog: Some(&prolog), epilog: None, sample_loop: None, outputs: None };
    let program = link(&parts).expect("links");
    validate_program(&program).unwrap_or_else(|outcome| panic!("{outcome:?}"));
    program
}

#[test]
fn outputs_of_vertices_follow_each_other_in_memory() {
    let mut key = CompileKey::default();
    (key.validate, key.stage, key.vertex_as_compute) = (true, Some(Stage::Vertex), true);
    let shader = compiled("screen.vert", &key);
    let info = &shader.info;
    assert_eq!(info.runs_as, RunsAs::Compute);
    let program = program(&shader);
    let slots = info.varyings.len();
    assert_eq!(slots, 8);
    let bytes = 4 * slots * (VERTICES * INSTANCES) as usize;
    let mut memory = Memory::new();
    memory.map(OUTPUTS, vec![0; bytes], Access::READ | Access::WRITE).expect("maps");
    let uniforms = uniforms(&shader.info, |source| match source {
        UniformSource::VertexOutputs => OUTPUTS,
        UniformSource::VertexCount => VERTICES.into(),
        UniformSource::Interface(InterfaceUniform::BaseVertexAndInstance) => BASE_VERTEX.into(),
        _ => 0,
    });
    launch(&shader, &program.code, &mut memory, &uniforms, [VERTICES, INSTANCES]);
    let bytes = memory.bytes(OUTPUTS, bytes).expect("mapped").to_vec();
    for (number, words) in (0..).zip(bytes.chunks(4 * slots)) {
        let corner = (number % VERTICES + BASE_VERTEX) % 3;
        let at = [if corner == 1 { 16.0 } else { 0.0 }, if corner == 2 { 16.0 } else { 0.0_f32 }];
        let w = (1 << corner) as f32;
        let triangle = (number % VERTICES + BASE_VERTEX) / 3;
        let [x, y] = at.map(|at| (at / 4.0 - 1.0) * w);
        let expected = [x, y, 0.5 * w, w, at[0], at[1], corner as f32, f32::from_bits(triangle)];
        let got: Vec<u32> =
            words.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect();
        assert_eq!(got, expected.map(f32::to_bits), "vertex {number}");
    }
}
