//! Shared by the tests of this crate: the programs, and random runs of them.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::path::Path;

use agx_pica200::Container;
use agx_pica200::container::Choice;
use agx_pica200::interpret::{Numbers, Outcome, Run, RunError, Uniforms};
use agx_random::Random;

pub use programs::Named;

mod programs;

/// Every program in `programs/`, by name.
pub fn programs() -> Vec<Named> {
    programs::programs_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("programs"))
}

/// A float of moderate size.
fn float(random: &mut Random) -> f32 {
    random.below(4001) as f32 / 500.0 - 4.0
}

/// Runs the first shader of a container on random inputs and uniforms.
pub fn random_run(container: &Container, seed: u64) -> Result<Outcome, RunError> {
    let mut random = Random::new(seed);
    let mut uniforms = Uniforms::default();
    uniforms.float.iter_mut().flatten().for_each(|value| *value = float(&mut random));
    uniforms.float[0] = [(random.below(5) + 3) as f32; 4];
    uniforms.bool.iter_mut().for_each(|value| *value = random.below(2) == 0);
    uniforms.int.iter_mut().for_each(|value| *value = std::array::from_fn(|_| random.below(4) as u8));
    let mut inputs = [[0.0; 4]; 16];
    inputs.iter_mut().flatten().for_each(|value| *value = float(&mut random));
    let shader = container.shader(Choice::First).expect("a shader");
    uniforms.apply(&shader.constants);
    let (stage, entry, numbers) = (shader.stage, shader.entry, Numbers::default());
    let (program, uniforms, limit) = (&container.program, &uniforms, 100_000);
    Run { program, stage, entry, uniforms, inputs, numbers, limit }.execute()
}
