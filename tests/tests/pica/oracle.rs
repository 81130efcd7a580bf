//! Compares a program of the project with the interpreter, with random and special inputs.

use agx_compiler::CompileKey;
use agx_pica200::Stage;
use agx_pica200::interpret::{Numbers, Vector};
use agx_random::Random;
use agx_tests::pica::GeometryRun;
use agx_tests::pica::run::{Tolerance, VertexRun};

use super::support::{Named, interpret, interpret_primitive, primitive, uniforms, vector};

/// Number of vertices of a run.
const VERTICES: usize = 24;
/// Number of primitives of a run.
const PRIMITIVES: usize = 9;

/// Settings for compiling and comparing a program.
#[derive(Clone, Copy)]
pub struct Mode {
    /// Options of the front end.
    pub options: &'static [(&'static str, u64)],
    /// Number format of the interpreter.
    pub numbers: Numbers,
    /// Whether inputs are special values.
    pub edges: bool,
    /// Number of runs, each with its own uniforms.
    pub runs: u64,
    /// Whether products may be fused with sums.
    pub fused: bool,
}

const EXACT: Numbers = Numbers { exact: true, round24: false };

/// The modes in which every program is compared.
pub const MODES: [Mode; 5] = [
    Mode { options: &[("stacks", 1)], numbers: EXACT, edges: false, runs: 1, fused: false },
    Mode { options: &[], numbers: EXACT, edges: false, runs: 2, fused: false },
    Mode { options: &[], numbers: EXACT, edges: true, runs: 3, fused: false },
    Mode {
        options: &[("f24", 1)],
        numbers: Numbers { exact: true, round24: true },
        edges: true,
        runs: 2,
        fused: false,
    },
    Mode {
        options: &[("fast", 1)],
        numbers: Numbers { exact: false, round24: false },
        edges: false,
        runs: 2,
        fused: true,
    },
];

/// Compares a program in a mode; the error is the first difference.
pub fn compare(program: &Named, mode: &Mode) -> Result<usize, String> {
    let options: Vec<(String, u64)> =
        mode.options.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let mut key = CompileKey::default();
    // The validator after every pass costs more than the rest; one mode is enough.
    key.validate = mode.options.is_empty() && !mode.edges;
    let tolerance = match program.tolerance() {
        // Values are rounded to 17 bits after every operation, so a function's error may grow to a whole unit.
        Tolerance::FUNCTIONS if mode.numbers.round24 => Tolerance { relative: 2e-3, absolute: 2e-3 },
        Tolerance::EXACT if mode.fused => Tolerance { relative: 1e-3, absolute: 1e-3 },
        Tolerance::FUNCTIONS if mode.fused => Tolerance { relative: 1e-2, absolute: 1e-2 },
        other => other,
    };
    match program.shader().stage {
        Stage::Vertex => vertices(program, mode, &key, &options, tolerance),
        Stage::Geometry => primitives(program, mode, &key, &options, tolerance),
    }
}

fn vertices(
    program: &Named,
    mode: &Mode,
    key: &CompileKey,
    options: &[(String, u64)],
    tolerance: Tolerance,
) -> Result<usize, String> {
    let shader = program.shader();
    let run = VertexRun::compile(&program.bytes(), key, options)
        .map_err(|outcome| format!("{}: {outcome:?}", program.name))?;
    let mut compared = 0;
    for seed in 0..mode.runs {
        let mut random = Random::new(seed);
        let uniforms = uniforms(&mut random, shader, mode.edges);
        let inputs: Vec<[Vector; 16]> =
            (0..VERTICES).map(|_| std::array::from_fn(|_| vector(&mut random, mode.edges))).collect();
        let found =
            run.run(&inputs, &uniforms, seed).map_err(|outcome| format!("{}: {outcome:?}", program.name))?;
        for (number, (inputs, found)) in inputs.iter().zip(&found).enumerate() {
            let expected = interpret(&program.container, shader, &uniforms, *inputs, mode.numbers)
                .map_err(|error| format!("{}: {error}", program.name))?;
            if let Some(difference) = tolerance.difference(found, &expected.outputs) {
                return Err(format!(
                    "{} {:?}, run {seed}, vertex {number}: {difference}",
                    program.name, mode.options
                ));
            }
            compared += 1;
        }
    }
    Ok(compared)
}

fn primitives(
    program: &Named,
    mode: &Mode,
    key: &CompileKey,
    options: &[(String, u64)],
    tolerance: Tolerance,
) -> Result<usize, String> {
    let shader = program.shader();
    let run = GeometryRun::compile(&program.bytes(), key, options)
        .map_err(|outcome| format!("{}: {outcome:?}", program.name))?;
    let mut compared = 0;
    for seed in 0..mode.runs {
        let mut random = Random::new(seed);
        let uniforms = uniforms(&mut random, shader, false);
        let count = 8;
        let inputs: Vec<Vec<Vector>> = (0..PRIMITIVES)
            .map(|_| {
                let mut vectors = primitive(&mut random, shader);
                vectors.resize(count, [0.5; 4]);
                vectors
            })
            .collect();
        let capacity = 3 + seed as u32;
        let found = run
            .run(&inputs, &uniforms, capacity, seed)
            .map_err(|outcome| format!("{}: {outcome:?}", program.name))?;
        for (number, (vectors, found)) in inputs.iter().zip(&found).enumerate() {
            let expected = interpret_primitive(&program.container, shader, &uniforms, vectors, mode.numbers)
                .map_err(|error| format!("{}: {error}", program.name))?;
            if let Some(difference) = tolerance.primitives(found, &expected.primitives) {
                return Err(format!("{}, run {seed}, primitive {number}: {difference}", program.name));
            }
            compared += 1;
        }
    }
    Ok(compared)
}
