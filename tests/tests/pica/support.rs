//! Programs, and random inputs and uniforms for them.

use std::path::Path;

use agx_pica200::container::Choice;
use agx_pica200::interpret::{Numbers, Outcome, Run, RunError, Uniforms, Vector};
use agx_pica200::{Container, GeometryMode, Inst, Opcode, Shader};
use agx_random::Random;
use agx_tests::pica::run::Tolerance;

pub use programs::Named;

#[path = "../../../formats/pica200/tests/common/programs.rs"]
mod programs;

impl Named {
    /// Its only shader.
    pub fn shader(&self) -> &Shader {
        self.container.shader(Choice::First).expect("a program has a shader")
    }

    /// Its container as bytes.
    pub fn bytes(&self) -> Vec<u8> {
        self.container.write().expect("a small program")
    }

    /// The opcodes in it.
    pub fn opcodes(&self) -> Vec<Opcode> {
        let words = self.container.program.code.iter();
        let mut opcodes: Vec<Opcode> =
            words.filter_map(|word| Inst::decode(*word)).map(|inst| inst.opcode).collect();
        opcodes.sort_unstable();
        opcodes.dedup();
        opcodes
    }

    /// The required precision of results: exact, except for functions that the hardware approximates.
    pub fn tolerance(&self) -> Tolerance {
        let approximate = [Opcode::Ex2, Opcode::Lg2, Opcode::Rcp, Opcode::Rsq];
        match self.opcodes().iter().any(|opcode| approximate.contains(opcode)) {
            true => Tolerance::FUNCTIONS,
            false => Tolerance::EXACT,
        }
    }
}

/// Every program, by name.
pub fn programs() -> Vec<Named> {
    programs::programs_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/pica200/programs"))
}

/// A float of moderate size, exact in 24 bits.
fn float(random: &mut Random) -> f32 {
    random.below(1025) as f32 / 128.0 - 4.0
}

/// A float that is usually a special value. Products of these are not denormal, because the machine flushes denormals.
fn edge(random: &mut Random) -> f32 {
    const EDGES: [f32; 16] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        1048576.0,
        -1048576.0,
        0.5,
        2.0,
        127.0,
        -128.0,
        255.0,
        3.0,
        0.00390625,
    ];
    match random.below(4) {
        0 => float(random),
        _ => EDGES[random.below(EDGES.len())],
    }
}

/// A vector of moderate or of special floats.
pub fn vector(random: &mut Random, edges: bool) -> Vector {
    std::array::from_fn(|_| if edges { edge(random) } else { float(random) })
}

/// Uniforms for a shader: random, then its constants. For geometry programs the first vector has the number of
/// vertices.
pub fn uniforms(random: &mut Random, shader: &Shader, edges: bool) -> Uniforms {
    let mut uniforms = Uniforms::default();
    uniforms.float.iter_mut().for_each(|value| *value = vector(random, edges));
    uniforms.bool.iter_mut().for_each(|value| *value = random.below(2) == 0);
    uniforms.int.iter_mut().for_each(|value| {
        *value = [random.below(5) as u8, random.below(6) as u8, random.below(4) as u8, 0];
    });
    uniforms.apply(&shader.constants);
    uniforms
}

/// Vectors of a primitive's input: random, and in mode variable their number first.
pub fn primitive(random: &mut Random, shader: &Shader) -> Vec<Vector> {
    let count = 6 + random.below(3);
    let mut vectors: Vec<Vector> = (0..count).map(|_| vector(random, false)).collect();
    if shader.geometry.mode == GeometryMode::Variable {
        vectors[0] = [(3 + random.below(count - 3)) as f32; 4];
    }
    vectors
}

/// Maximum number of instructions of the interpreter.
pub const STEPS: usize = 20_000;

/// The interpreter's result for a vertex.
pub fn interpret(
    container: &Container,
    shader: &Shader,
    uniforms: &Uniforms,
    inputs: [Vector; 16],
    numbers: Numbers,
) -> Result<Outcome, RunError> {
    let (program, stage, entry, limit) = (&container.program, shader.stage, shader.entry, STEPS);
    Run { program, stage, entry, uniforms, inputs, numbers, limit }.execute()
}

/// The interpreter's result for a primitive; its vectors are inputs or replace uniforms, depending on the mode.
pub fn interpret_primitive(
    container: &Container,
    shader: &Shader,
    uniforms: &Uniforms,
    vectors: &[Vector],
    numbers: Numbers,
) -> Result<Outcome, RunError> {
    let mut inputs = [[0.0; 4]; 16];
    let mut uniforms = uniforms.clone();
    match shader.geometry.mode {
        GeometryMode::Point => {
            inputs.iter_mut().zip(vectors).for_each(|(slot, vector)| *slot = *vector);
        }
        mode => {
            let start = if mode == GeometryMode::Fixed { shader.geometry.fixed_start.into() } else { 0 };
            let slots = uniforms.float.iter_mut().skip(start);
            slots.zip(vectors).for_each(|(slot, vector)| *slot = *vector);
        }
    }
    interpret(container, shader, &uniforms, inputs, numbers)
}
