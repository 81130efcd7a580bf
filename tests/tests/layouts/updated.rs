//! Sets that are updated between two runs of an unchanged program: its words refer to the set, which is in memory.

use agx_abi::pipeline::{DescriptorForm, PipelineLayout, SetLayout};
use agx_abi::{PartRole, ShaderInfo, UniformSource};
use agx_compiler::CompiledShader;
use agx_emulator::{Access, Memory};
use agx_tests::launched::{launch, uniforms};

const SHADER: &str = "
@group(0) @binding(0) var<uniform> factor: vec4u;
@group(0) @binding(1) var<storage, read> source: array<u32>;
@group(0) @binding(2) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    result[id.x] = source[id.x] * factor.y + arrayLength(&source);
}";

const SET: u64 = 0x1_0000;
/// Buffers, one page each: two factors, two sources of different lengths, two results.
const BUFFERS: [u64; 6] = [0x2_0000, 0x3_0000, 0x4_0000, 0x5_0000, 0x6_0000, 0x7_0000];
const RESULT_BYTES: usize = 16;

/// The words of the shader: the set's address.
fn words_of(info: &ShaderInfo) -> Vec<u16> {
    uniforms(info, |source| match source {
        UniformSource::SetAddress { .. } => SET,
        other => panic!("{other} would be bound before the program starts"),
    })
}

/// Writes the descriptors of bindings 0 to 2: address and bytes of each.
fn update(memory: &mut Memory, layout: &SetLayout, buffers: [(u64, u32); 3]) {
    for (binding, (address, bytes)) in layout.bindings.iter().zip(buffers) {
        let DescriptorForm::Descriptors(parts) = binding.form else { panic!("descriptors") };
        let at = SET + u64::from(binding.offset + parts.buffer);
        memory.write(at, &address.to_le_bytes()).expect("in the set");
        memory.write(at + 8, &bytes.to_le_bytes()).expect("in the set");
    }
}

fn run(memory: &mut Memory, shader: &CompiledShader, uniforms: &[u16]) {
    launch(shader, shader.part(PartRole::Main).expect("a main part"), memory, uniforms, [4, 1]);
}

#[test]
fn a_set_may_change_between_two_runs_of_the_same_words() {
    let layout = SetLayout::of_descriptors(0, [(0, 1), (1, 1), (2, 1)]);
    let shader = super::compiled(SHADER, Some(PipelineLayout { sets: vec![layout.clone()] }));
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let contents = [
        words(&[0, 3, 0, 0]),
        words(&[0, 5, 0, 0]),
        words(&[1, 2, 3, 4]),
        words(&[10, 20, 30, 40, 50, 60]),
        vec![0; RESULT_BYTES],
        vec![0; RESULT_BYTES],
    ];
    let mut memory = Memory::new();
    memory.map(SET, vec![0; 256], Access::READ | Access::WRITE).expect("maps");
    for (address, bytes) in BUFFERS.into_iter().zip(contents) {
        memory.map(address, bytes, Access::READ | Access::WRITE).expect("maps");
    }
    let uniforms = words_of(&shader.info);
    let [factor, other_factor, source, other_source, result, other_result] = BUFFERS;
    update(&mut memory, &layout, [(factor, 16), (source, 16), (result, 16)]);
    run(&mut memory, &shader, &uniforms);
    update(&mut memory, &layout, [(other_factor, 16), (other_source, 24), (other_result, 16)]);
    run(&mut memory, &shader, &uniforms);
    let found = |at: u64| memory.bytes(at, RESULT_BYTES).expect("mapped").to_vec();
    assert_eq!(found(result), words(&[7, 10, 13, 16]));
    assert_eq!(found(other_result), words(&[56, 106, 156, 206]));
}
