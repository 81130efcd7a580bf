//! Spheres over a checkered floor, by sphere tracing.

use super::host::{PictureTolerance, compare_picture, float_bytes, pack, word_bytes};
use super::{Buffers, Demo, Picture, Source};

const WIDTH: u32 = 128;
const HEIGHT: u32 = 96;
const SPHERES: [[f32; 4]; 4] =
    [[0.0, -0.2, 0.0, 0.8], [1.6, -0.5, 0.8, 0.5], [-1.5, -0.4, 0.5, 0.6], [0.5, -0.75, -1.3, 0.25]];
/// The direction to the light, of length one.
const LIGHT: [f32; 3] = [0.48, 0.64, -0.6];
const FAR: f64 = 20.0;

type Vector = [f64; 3];

/// The demo.
pub static DEMO: Demo = Demo {
    name: "raymarch",
    title: "sphere-traced spheres with shadows, 128 × 96 pixels (SPIR-V from GLSL)",
    source: Source::SpirV {
        bytes: include_bytes!("../../shaders/raymarch.spv"),
        text: include_str!("../../shaders/raymarch.comp"),
    },
    spec_constants: &[],
    push_constants: || word_bytes([WIDTH, HEIGHT]),
    buffers,
    workgroups: [WIDTH / 8, HEIGHT / 8, 1],
    launches: 1,
    check,
    picture: Some(Picture { binding: 0, width: WIDTH, height: HEIGHT }),
};

fn buffers() -> Buffers {
    let scene = SPHERES.into_iter().flatten().chain(LIGHT).chain([0.0]);
    vec![vec![0; (WIDTH * HEIGHT * 4) as usize], float_bytes(scene)]
}

/// At an edge, rounding decides which surface a ray hits, so some pixels may differ.
const TOLERANCE: PictureTolerance = PictureTolerance { steps: 3, share: 0.98 };

fn check(buffers: &Buffers) -> Result<String, String> {
    let pixels = (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (x, y)));
    let wanted: Vec<u32> = pixels.map(|(x, y)| pixel(x, y)).collect();
    compare_picture(&buffers[0], &wanted, &TOLERANCE)
}

fn pixel(x: u32, y: u32) -> u32 {
    let height = f64::from(HEIGHT);
    let screen = [f64::from(x) + 0.5 - f64::from(WIDTH) / 2.0, f64::from(y) + 0.5 - height / 2.0];
    let direction = normalize([screen[0] / height, -screen[1] / height, 1.4]);
    pack(shade([0.0, 0.3, -4.0], direction).map(|channel| channel.clamp(0.0, 1.0).sqrt()))
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn normalize(a: Vector) -> Vector {
    a.map(|x| x / dot(a, a).sqrt())
}

/// `from` + `direction` · `factor`.
fn along(from: Vector, direction: Vector, factor: f64) -> Vector {
    [0, 1, 2].map(|axis| from[axis] + direction[axis] * factor)
}

fn mix(a: Vector, b: Vector, share: f64) -> Vector {
    [0, 1, 2].map(|axis| a[axis] + (b[axis] - a[axis]) * share)
}

fn distance_to_scene(p: Vector) -> f64 {
    let to = |sphere: [f32; 4]| {
        let centre = [0, 1, 2].map(|axis| f64::from(sphere[axis]));
        let offset = along(p, centre, -1.0);
        dot(offset, offset).sqrt() - f64::from(sphere[3])
    };
    SPHERES.into_iter().map(to).fold(p[1] + 1.0, f64::min)
}

/// The distance that a ray travels before it hits a surface.
fn follow(from: Vector, direction: Vector) -> Option<f64> {
    let mut travelled = 0.0;
    for _ in 0..80 {
        let room = distance_to_scene(along(from, direction, travelled));
        if room < 0.002 {
            return Some(travelled);
        }
        travelled += room;
        if travelled > FAR {
            break;
        }
    }
    None
}

fn normal_at(p: Vector) -> Vector {
    let slope = |axis: usize| {
        let mut step = [0.0; 3];
        step[axis] = 0.01;
        distance_to_scene(along(p, step, 1.0)) - distance_to_scene(along(p, step, -1.0))
    };
    normalize([slope(0), slope(1), slope(2)])
}

fn sky(direction: Vector) -> Vector {
    mix([0.9, 0.85, 0.8], [0.25, 0.45, 0.8], (direction[1] * 1.5 + 0.2).clamp(0.0, 1.0))
}

fn colour_of(p: Vector) -> Vector {
    if p[1] >= -0.98 {
        return [0.0, 2.0, 4.0].map(|phase| 0.5 + 0.4 * (phase + p[0] * 1.3).sin());
    }
    let half = (p[0].floor() + p[2].floor()) * 0.5;
    if half - half.floor() > 0.25 { [0.25; 3] } else { [0.8; 3] }
}

fn shade(from: Vector, direction: Vector) -> Vector {
    let Some(travelled) = follow(from, direction) else { return sky(direction) };
    let p = along(from, direction, travelled);
    let normal = normal_at(p);
    let light = LIGHT.map(f64::from);
    let facing = dot(normal, light).max(0.0);
    let shadowed = facing > 0.0 && follow(along(p, normal, 0.03), light).is_some();
    let lit = if shadowed { 0.0 } else { facing };
    let surface = colour_of(p).map(|channel| channel * (0.25 + 0.75 * lit));
    let t = ((travelled - 6.0) / (FAR - 6.0)).clamp(0.0, 1.0);
    mix(surface, sky(direction), t * t * (3.0 - 2.0 * t))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rays_meet_what_they_should() {
        let ahead = follow([0.0, -0.2, -4.0], [0.0, 0.0, 1.0]).unwrap();
        assert!((ahead - 3.2).abs() < 0.01, "the first sphere's surface lies 3.2 ahead: {ahead}");
        assert_eq!(follow([0.0, 0.0, -4.0], [0.0, 1.0, 0.0]), None);
        let length = dot(LIGHT.map(f64::from), LIGHT.map(f64::from));
        assert!((length - 1.0).abs() < 1e-6, "{length}");
    }
}
