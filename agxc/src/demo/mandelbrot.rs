//! A picture of the Mandelbrot set.

use super::host::{PictureTolerance, compare_picture, float_bytes, pack, word_bytes};
use super::{Buffers, Demo, Picture, Source, nothing};

const WIDTH: u32 = 320;
const HEIGHT: u32 = 200;
const LIMIT: u32 = 96;
const CENTRE: [f32; 2] = [-0.65, 0.0];
const PIXEL: f32 = 0.0125;

/// The demo.
pub static DEMO: Demo = Demo {
    name: "mandelbrot",
    title: "Mandelbrot set with smooth colours, 320 × 200 pixels (WGSL)",
    source: Source::Wgsl(include_str!("../../shaders/mandelbrot.wgsl")),
    spec_constants: &[],
    push_constants: nothing,
    buffers,
    workgroups: [WIDTH / 8, HEIGHT / 4, 1],
    launches: 1,
    check,
    picture: Some(Picture { binding: 0, width: WIDTH, height: HEIGHT }),
};

fn buffers() -> Buffers {
    let mut view = word_bytes([WIDTH, HEIGHT, LIMIT, 0]);
    view.extend(float_bytes([CENTRE[0], CENTRE[1], PIXEL, 0.0]));
    vec![vec![0; (WIDTH * HEIGHT * 4) as usize], view]
}

/// Orbits near the set's border are chaotic: rounding decides when they escape, so some pixels may differ.
const TOLERANCE: PictureTolerance = PictureTolerance { steps: 2, share: 0.99 };

fn check(buffers: &Buffers) -> Result<String, String> {
    let pixels = (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (x, y)));
    let wanted: Vec<u32> = pixels.map(|(x, y)| pixel(x, y)).collect();
    compare_picture(&buffers[0], &wanted, &TOLERANCE)
}

/// A pixel in double precision.
fn pixel(x: u32, y: u32) -> u32 {
    let re = f64::from(CENTRE[0]) + (f64::from(x) - f64::from(WIDTH) / 2.0) * f64::from(PIXEL);
    let im = f64::from(CENTRE[1]) + (f64::from(y) - f64::from(HEIGHT) / 2.0) * f64::from(PIXEL);
    let (mut a, mut b) = (0.0_f64, 0.0_f64);
    for count in 1..=LIMIT {
        (a, b) = (a * a - b * b + re, 2.0 * a * b + im);
        let norm = a * a + b * b;
        if norm >= 256.0 && count < LIMIT {
            let smooth = f64::from(count) + 4.0 - norm.log2().log2();
            return pack([0.16, 0.08, 0.0].map(|phase| wave(phase + 0.6 - smooth.sqrt() * 0.2)));
        }
    }
    pack([0.0; 3])
}

fn wave(turn: f64) -> f64 {
    0.5 + 0.5 * (std::f64::consts::TAU * turn).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_inside_and_the_corner_outside() {
        assert_eq!(pixel(WIDTH / 2, HEIGHT / 2), 0xff00_0000);
        assert_ne!(pixel(0, 0), 0xff00_0000);
    }
}
