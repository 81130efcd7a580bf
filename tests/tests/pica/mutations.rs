//! Mutated programs give an error or a shader, never a panic or an internal error; shaders give the same results as the
//! interpreter.

use agx_abi::Target;
use agx_compiler::{CompileKey, Compiler, ErrorKind, Input, Language, Scratch};
use agx_pica200::container::Choice;
use agx_pica200::interpret::{Numbers, Vector};
use agx_pica200::{Container, Stage};
use agx_random::Random;
use agx_tests::pica::run::{Tolerance, VertexRun};

use super::support::{Named, interpret, programs, uniforms, vector};

/// Number of mutations in `cargo test`; `PICA_MUTATIONS=N` sets it.
const MUTATIONS: usize = 60;

fn count() -> usize {
    std::env::var("PICA_MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(MUTATIONS)
}

/// A program with mutated words: bits, whole words, targets, copies of other words, or truncated.
fn changed(random: &mut Random, programs: &[Named]) -> Container {
    let mut container = programs[random.below(programs.len())].container.clone();
    for _ in 0..=random.below(4) {
        let code = &mut container.program.code;
        let at = random.below(code.len());
        let other = random.below(code.len());
        match random.below(8) {
            0 => code[at] ^= 1 << random.below(32),
            1 => code[at] = random.next_u32(),
            2 => code[at] = code[other],
            3 => code.swap(at, other),
            // Targets and counts determine control flow.
            4 | 5 => code[at] = code[at] & !(0xfff << 10) | (random.below(code.len() + 2) as u32) << 10,
            6 => code[at] = code[at] & !0xff | random.below(12) as u32,
            _ => {
                let descriptors = &mut container.program.descriptors;
                let at = random.below(descriptors.len());
                if let Some(descriptor) = descriptors.get_mut(at) {
                    descriptor.0 ^= 1 << random.below(32);
                }
            }
        }
    }
    if random.below(10) == 0 {
        let length = random.below(container.program.code.len());
        container.program.code.truncate(length);
    }
    container
}

/// Compiles a mutated program. If it compiles and the interpreter terminates, runs and compares it. Returns whether it
/// was compared.
fn check(container: &Container, seed: u64) -> bool {
    let Ok(bytes) = container.write() else { return false };
    let language = Language::find("pica200").expect("a language");
    let (compiler, mut scratch) = (Compiler::new(Target::default()), Scratch::default());
    if let Err(error) = compiler.compile(&mut scratch, Input::new(language, &bytes), &CompileKey::default()) {
        assert_ne!(error.kind(), ErrorKind::Internal, "{error}");
        return false;
    }
    let shader = container.shader(Choice::First).expect("it compiled");
    if shader.stage != Stage::Vertex {
        return false;
    }
    let mut random = Random::new(seed);
    let uniforms = uniforms(&mut random, shader, false);
    let inputs: Vec<[Vector; 16]> =
        (0..4).map(|_| std::array::from_fn(|_| vector(&mut random, false))).collect();
    let expected: Result<Vec<_>, _> = inputs
        .iter()
        .map(|inputs| interpret(container, shader, &uniforms, *inputs, Numbers::default()))
        .collect();
    let Ok(expected) = expected else { return false };
    let program = Named { name: String::new(), text: String::new(), container: container.clone() };
    // A function's error may decide a comparison, and a denormal may cause an overflow: such programs are only
    // compiled.
    if program.tolerance() != Tolerance::EXACT {
        return false;
    }
    let run = VertexRun::compile(&bytes, &CompileKey::default(), &[]).expect("it compiled");
    let found = run.run(&inputs, &uniforms, seed).unwrap_or_else(|outcome| panic!("{outcome:?}"));
    for (found, expected) in found.iter().zip(&expected) {
        if let Some(difference) = Tolerance::EXACT.difference(found, &expected.outputs) {
            let shader = container.shader(Choice::First).ok();
            let text = agx_pica200::disasm::disassemble(&container.program, shader);
            panic!("seed {seed}: {difference}\n{text}");
        }
    }
    true
}

#[test]
fn changed_programs_do_what_the_interpreter_does() {
    let programs = programs();
    let first: u64 = std::env::var("PICA_FIRST").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut compared = 0;
    let count = count() as u64;
    for seed in first..first + count {
        let mut random = Random::new(seed + 1);
        let container = changed(&mut random, &programs);
        compared += u64::from(check(&container, seed));
    }
    assert!(compared * 8 > count, "{compared} of {count} compared");
}

#[test]
fn every_prefix_is_an_error_or_a_shader() {
    let language = Language::find("pica200").expect("a language");
    let (compiler, mut scratch) = (Compiler::new(Target::default()), Scratch::default());
    for program in programs().iter().step_by(25) {
        let bytes = program.bytes();
        for length in 0..bytes.len() {
            let input = Input::new(language, &bytes[..length]);
            let compiled = compiler.compile(&mut scratch, input, &CompileKey::default());
            assert!(
                compiled.is_err_and(|error| error.kind() != ErrorKind::Internal) || bytes.len() - length < 4
            );
        }
    }
}
