//! Random structured programs over uniforms against a model.

use agx_compiler::CompileKey;
use agx_pica200::assemble;
use agx_pica200::interpret::Uniforms;
use agx_random::structured::pica200::{LIMIT, counted, counts, text};
use agx_random::structured::{Features, Program};
use agx_random::{Entropy, Random};
use agx_tests::pica::run::VertexRun;

/// Programs.
const RUNS: usize = 60;

/// Vertices of each.
const VERTICES: usize = 5;

#[test]
fn structured_programs_give_the_results_of_the_model() {
    let mut random = Random::new(5);
    for _ in 0..RUNS {
        let data = random.bytes(256);
        let mut entropy = Entropy::new(&data);
        let numbers = Program::any_uniforms(&mut entropy);
        let program = Program::any(&mut entropy, Features::PICA200);
        let program = Program { body: counted(&program.body) };
        let text = text(&program);
        let container = assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let bytes = container.write().expect("a small program");
        let mut key = CompileKey::default();
        key.validate = true;
        let run =
            VertexRun::compile(&bytes, &key, &[]).unwrap_or_else(|outcome| panic!("{outcome:?}\n{text}"));
        let mut uniforms = Uniforms::default();
        uniforms.apply(&container.shaders[0].constants);
        for (at, number) in numbers.iter().enumerate() {
            uniforms.float[at / 4][at % 4] = *number as f32;
        }
        for (register, count) in uniforms.int.iter_mut().zip(counts(&numbers)) {
            register[0] = count;
        }
        let inputs: Vec<_> = (0..VERTICES).map(|lane| [[lane as f32; 4]; 16]).collect();
        let outputs = run.run(&inputs, &uniforms, 1).unwrap_or_else(|outcome| panic!("{outcome:?}\n{text}"));
        for (lane, output) in outputs.iter().enumerate() {
            let wanted =
                program.results(&numbers, lane as i32, Some(LIMIT)).map(|number| Some(number as f32));
            assert_eq!(output[0], wanted, "vertex {lane} with uniforms {numbers:?}\n{text}");
        }
    }
}
