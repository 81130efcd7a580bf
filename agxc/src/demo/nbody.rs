//! Gravitational n-body simulation: four steps of 256 bodies.

use super::host::{Random, compare, float_bytes, floats};
use super::{Buffers, Demo, Source, nothing};

const BODIES: usize = 256;
const STEPS: u32 = 4;
const SECONDS: f32 = 0.01;
const SOFTENING: f32 = 0.05;
/// Floats in a body: position, mass, velocity, padding.
const FIELDS: usize = 8;

/// The demo.
pub static DEMO: Demo = Demo {
    name: "nbody",
    title: "n-body gravitation: 4 steps of 256 bodies, every pair (WGSL)",
    source: Source::Wgsl(include_str!("../../shaders/nbody.wgsl")),
    spec_constants: &[],
    push_constants: nothing,
    buffers,
    workgroups: [BODIES as u32 / 64, 1, 1],
    launches: STEPS,
    check,
    picture: None,
};

/// A cloud of bodies at rest, with masses that sum to about one.
fn bodies() -> Vec<f32> {
    let mut random = Random::new(0x1234_5678);
    let mut body = || {
        let position = [random.signed(), random.signed(), random.signed()];
        let mass = (random.signed() + 1.25) / BODIES as f32;
        [position[0], position[1], position[2], mass, 0.0, 0.0, 0.0, 0.0]
    };
    (0..BODIES).flat_map(|_| body()).collect()
}

fn buffers() -> Buffers {
    let mut step = (BODIES as u32).to_le_bytes().to_vec();
    step.extend(float_bytes([SECONDS, SOFTENING, 0.0]));
    vec![float_bytes(bodies()), vec![0; BODIES * FIELDS * 4], step]
}

fn check(buffers: &Buffers) -> Result<String, String> {
    const TOLERANCE: f64 = 1e-5;
    let mut wanted: Vec<f64> = bodies().into_iter().map(f64::from).collect();
    for _ in 0..STEPS {
        wanted = step(&wanted);
    }
    let worst = compare(&floats(&buffers[0]), &wanted, TOLERANCE)?;
    Ok(format!(
        "positions and velocities agree with double precision, worst difference {worst:.1e} (allowed: {TOLERANCE:.0e})"
    ))
}

/// One step in double precision.
fn step(before: &[f64]) -> Vec<f64> {
    let mut after = before.to_vec();
    for (body, moved) in before.chunks(FIELDS).zip(after.chunks_mut(FIELDS)) {
        let mut acceleration = [0.0; 3];
        for other in before.chunks(FIELDS) {
            let offset = [other[0] - body[0], other[1] - body[1], other[2] - body[2]];
            let squared: f64 = offset.iter().map(|x| x * x).sum::<f64>() + f64::from(SOFTENING).powi(2);
            for (sum, x) in acceleration.iter_mut().zip(offset) {
                *sum += x * other[3] * squared.powf(-1.5);
            }
        }
        for (axis, sum) in acceleration.into_iter().enumerate() {
            moved[4 + axis] += sum * f64::from(SECONDS);
            moved[axis] += moved[4 + axis] * f64::from(SECONDS);
        }
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forces come in pairs, so the total momentum stays zero.
    #[test]
    fn momentum_is_conserved() {
        let start: Vec<f64> = bodies().into_iter().map(f64::from).collect();
        let end = step(&step(&start));
        for axis in 0..3 {
            let momentum: f64 = end.chunks(FIELDS).map(|body| body[3] * body[4 + axis]).sum();
            assert!(momentum.abs() < 1e-12, "{momentum}");
        }
        assert!(end[4].abs() > 1e-6, "bodies do move");
    }
}
