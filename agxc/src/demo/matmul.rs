//! Matrix product of two 64 × 64 matrices.

use super::host::{Random, compare, float_bytes, floats, word_bytes};
use super::{Buffers, Demo, Source, nothing};

const SIZE: usize = 64;

/// The demo.
pub static DEMO: Demo = Demo {
    name: "matmul",
    title: "matrix product, 64 × 64, tiles of 4 × 4 in registers (WGSL)",
    source: Source::Wgsl(include_str!("../../shaders/matmul.wgsl")),
    spec_constants: &[],
    push_constants: nothing,
    buffers,
    workgroups: [SIZE as u32 / 32, SIZE as u32 / 32, 1],
    launches: 1,
    check,
    picture: None,
};

fn matrices() -> [Vec<f32>; 2] {
    let mut random = Random::new(0x9e37_79b9);
    [0, 1].map(|_| (0..SIZE * SIZE).map(|_| random.signed()).collect())
}

fn buffers() -> Buffers {
    let [a, b] = matrices();
    vec![float_bytes(a), float_bytes(b), vec![0; SIZE * SIZE * 4], word_bytes([SIZE as u32, 0, 0, 0])]
}

fn check(buffers: &Buffers) -> Result<String, String> {
    const TOLERANCE: f64 = 1e-5;
    let [a, b] = matrices();
    let element = |index: usize| -> f64 {
        let (row, column) = (index / SIZE, index % SIZE);
        (0..SIZE).map(|k| f64::from(a[row * SIZE + k]) * f64::from(b[k * SIZE + column])).sum()
    };
    let wanted: Vec<f64> = (0..SIZE * SIZE).map(element).collect();
    let worst = compare(&floats(&buffers[2]), &wanted, TOLERANCE)?;
    Ok(format!(
        "all {} elements agree with double precision, worst difference {worst:.1e} (allowed: {TOLERANCE:.0e})",
        SIZE * SIZE
    ))
}
