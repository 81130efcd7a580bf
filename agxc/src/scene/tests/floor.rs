//! The floor that a pair of AGAL programs draws, against what a ray through each pixel finds.

use super::{Colour, compare, draw, scene};

const HAZE: Colour = [0.7, 0.8, 0.9];
const LIGHT: [f64; 3] = [0.5, 0.5, -4.0];
const SQUARES: [Colour; 2] = [[240.0, 230.0, 200.0], [60.0, 70.0, 110.0]];

/// What the ray through a point of the picture meets: 0 and 1 a square of either colour, 2 the hole or the sky, 3 what is farther
/// than squares can be told.
fn trace(x: f64, y: f64) -> (usize, Colour) {
    let (right, down) = (x / 160.0 - 1.0, y / 120.0 - 1.0);
    // The floor is one unit below the eye, and the projection scales heights by 1.5, widths by 1.125.
    let depth = 1.5 / down;
    if down <= 0.0 || depth >= 40.0 {
        return (2, HAZE);
    }
    let (at, z) = (right * depth / 1.125, -depth);
    if (at + 1.0).powi(2) + (z + 4.0).powi(2) < 0.5 {
        return (2, HAZE);
    }
    let square = (at.floor() + z.floor()).rem_euclid(2.0) as usize;
    let to_light = [LIGHT[0] - at, LIGHT[1] + 1.0, LIGHT[2] - z];
    let length = to_light.iter().map(|part| part * part).sum::<f64>().sqrt();
    let light = 0.85 * (to_light[1] / length).clamp(0.0, 1.0) + 0.15;
    let clear = (0.08 * z).exp2();
    let mixed = |at: usize| HAZE[at] + (SQUARES[square][at] / 255.0 * light - HAZE[at]) * clear;
    (if depth > 20.0 { 3 } else { square }, [0, 1, 2].map(mixed))
}

#[test]
fn a_floor_by_a_pair_of_agal_programs_is_where_rays_meet_it() {
    let scene = scene("floor");
    let rgba = draw("floor", &scene);
    let seen = compare("floor", &rgba, (scene.size, 4), 2.0, |x, y| {
        let (kind, colour) = trace(x, y);
        let around = [[-1.5, 0.0], [1.5, 0.0], [0.0, -1.5], [0.0, 1.5]];
        let is_inside = around.iter().all(|[dx, dy]| trace(x + dx, y + dy).0 == kind);
        (is_inside && kind < 3).then_some((kind, colour))
    });
    assert!(seen[..3].iter().all(|count| *count >= 100), "{seen:?}");
}
