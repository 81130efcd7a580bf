//! Structured programs over uniforms give the results of a model: their computations move to the preamble, or stay, with
//! their loops. PICA200 programs, which need a vertex prolog to run, are only compiled.

use agx_abi::PartRole;
use agx_compiler::internal::frontend::language::{PICA200, TGSI};
use agx_compiler::{CompileKey, Compiler, Input, Scratch};
use agx_emulator::Options;
use agx_emulator::launch::{BufferBinding, Launch};
use agx_random::Entropy;
use agx_random::structured::{Features, Program, UNIFORMS, VARIABLES, pica200, spirv, tgsi, wgsl};

use crate::compile::compile;

/// Invocations, of one workgroup.
const LANES: usize = 32;

/// Bytes of their results.
const RESULT_BYTES: usize = LANES * VARIABLES * size_of::<i32>();

/// Tests `data` as choices for uniforms and a program, in each language.
pub fn structured(data: &[u8]) {
    let mut entropy = Entropy::new(data);
    let language = entropy.below(4);
    let uniforms = Program::any_uniforms(&mut entropy);
    if language == 0 {
        let program = Program::any(&mut entropy, Features::PICA200);
        return compile(Input::new(&PICA200, pica200::text(&program).as_bytes()));
    }
    let program = Program::any(&mut entropy, Features::INTEGERS);
    match language {
        1 => {
            let text = wgsl::text(&program);
            check(&program, &uniforms, [0, 1], Input::wgsl(&text), &text);
        }
        2 => {
            let words = spirv::words(&program);
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            check(&program, &uniforms, [0, 1], Input::spirv(&bytes), &format!("{program:#?}"));
        }
        _ => {
            let text = tgsi::text(&program);
            check(&program, &uniforms, [3, 0], Input::new(&TGSI, text.as_bytes()), &text);
        }
    }
}

/// Compiles and runs a program, and compares its results, in the buffer at `place`, with the model's.
fn check(program: &Program, uniforms: &[i32; UNIFORMS], place: [u32; 2], input: Input<'_>, text: &str) {
    let mut key = CompileKey::default();
    key.validate = true;
    let shader = Compiler::default().compile(&mut Scratch::default(), input, &key);
    let shader = shader.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let numbers: Vec<u8> = uniforms.iter().flat_map(|number| number.to_le_bytes()).collect();
    let buffer = |[set, binding]: [u32; 2], bytes, writable| BufferBinding {
        set,
        binding,
        element: 0,
        bytes,
        writable,
    };
    let mut buffers = [buffer([0, 0], numbers, false), buffer(place, vec![0; RESULT_BYTES], true)];
    let launch = Launch {
        code: shader.part(PartRole::Main).unwrap_or_default(),
        preamble: shader.part(PartRole::Preamble),
        info: &shader.info,
        buffers: &mut buffers,
        textures: &mut [],
        samplers: &[],
        push_constants: &[],
        arguments: &[],
        results: &mut [],
        workgroups: [1; 3],
        options: Options::default(),
    };
    let report = launch.run().unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert!(report.findings.is_empty(), "{}\n{text}", report.findings[0]);
    let found: Vec<i32> =
        buffers[1].bytes.as_chunks::<4>().0.iter().map(|word| i32::from_le_bytes(*word)).collect();
    for (lane, found) in found.chunks(VARIABLES).enumerate() {
        let wanted = program.results(uniforms, lane as i32, None);
        assert_eq!(found, wanted, "lane {lane} with uniforms {uniforms:?}\n{text}");
    }
}
