//! The mirror, traced: what the ray of a pixel meets, and what it meets after the mirror.

use super::{Colour, compare, dot, draw, scene};

/// Centre and half the side, cosine and sine of the turn, colour.
const BOXES: [([f64; 4], [f64; 2], Colour); 2] = [
    ([-0.95, -0.4, -4.4, 0.7], [0.8, 0.6], [255.0, 200.0, 120.0]),
    ([1.05, -0.05, -5.6, 0.8], [0.96, -0.28], [130.0, 190.0, 255.0]),
];
const PAINT: [Colour; 2] = [[250.0, 250.0, 245.0], [110.0, 60.0, 40.0]];
const SKY: Colour = [0.8, 0.86, 0.92];
const LIGHT: [f64; 3] = [0.48, 0.64, 0.6];
const GROUND: f64 = -1.15;
const EYE: [f64; 3] = [0.0, 1.3, 0.0];

/// Distance and colour of the box that a ray hits first.
fn trace(from: [f64; 3], ray: [f64; 3]) -> Option<(f64, Colour)> {
    let hits = BOXES.iter().filter_map(|(place, turn, colour)| hit(from, ray, *place, *turn, *colour));
    hits.min_by(|a, b| a.0.total_cmp(&b.0))
}

/// The distance at which a ray enters a box, by slabs in the box's coordinates, and the colour there.
fn hit(
    from: [f64; 3],
    ray: [f64; 3],
    [x, y, z, half]: [f64; 4],
    [cos, sin]: [f64; 2],
    colour: Colour,
) -> Option<(f64, Colour)> {
    let turn_back = |v: [f64; 3]| [cos * v[0] - sin * v[2], v[1], sin * v[0] + cos * v[2]];
    let [from, ray] = [[from[0] - x, from[1] - y, from[2] - z], ray].map(|v| turn_back(v).map(|x| x / half));
    let (mut enter, mut leave, mut axis) = (f64::NEG_INFINITY, f64::INFINITY, 0);
    for at in 0..3 {
        let ends = [-1.0, 1.0].map(|side: f64| (side - from[at]) / ray[at]);
        if ends[0].min(ends[1]) > enter {
            (enter, axis) = (ends[0].min(ends[1]), at);
        }
        leave = leave.min(ends[0].max(ends[1]));
    }
    if enter <= 0.0 || enter >= leave {
        return None;
    }
    let uv = [1, 2].map(|more| {
        let at = (axis + more) % 3;
        2.0 * (from[at] + enter * ray[at] + 1.0)
    });
    let mut normal = [0.0; 3];
    normal[axis] = -ray[axis].signum();
    let normal = [cos * normal[0] + sin * normal[2], normal[1], cos * normal[2] - sin * normal[0]];
    let light = 0.35 + 0.65 * dot(normal, LIGHT).max(0.0);
    let paint = PAINT[(uv[0] as usize + uv[1] as usize) % 2];
    Some((enter, [0, 1, 2].map(|at| paint[at] / 255.0 * colour[at] / 255.0 * light)))
}

/// What a point of the picture shows: 0 a box, 1 a box in the mirror, 2 the sky in the mirror, 3 the sky; with its colour.
fn seen(x: f64, y: f64) -> (usize, Colour) {
    let view = [(2.0 * x / 320.0 - 1.0) * (4.0 / 3.0) / 1.5, -(2.0 * y / 240.0 - 1.0) / 1.5, -1.0];
    let ray = [view[0], 0.96 * view[1] + 0.28 * view[2], 0.96 * view[2] - 0.28 * view[1]];
    if let Some((_, colour)) = trace(EYE, ray) {
        return (0, colour);
    }
    let t = (GROUND - EYE[1]) / ray[1];
    let ground = [0, 1, 2].map(|at| EYE[at] + t * ray[at]);
    if t <= 0.0 || ground[0].abs() > 2.4 || !(-7.2..=-2.9).contains(&ground[2]) {
        return (3, SKY);
    }
    let tinted = |colour: Colour| {
        let tint = [0.25, 0.35, 0.45];
        [0, 1, 2].map(|at| 0.4 * tint[at] + 0.6 * colour[at])
    };
    match trace(ground, [ray[0], -ray[1], ray[2]]) {
        Some((_, colour)) => (1, tinted(colour)),
        None => (2, tinted(SKY)),
    }
}

#[test]
fn boxes_stand_on_a_mirror_that_shows_them_upside_down() {
    let scene = scene("mirror");
    let rgba = draw("mirror", &scene);
    // Near the edges of squares the filter mixes colours.
    let around = [-5.0, -3.0, -1.5, 1.5, 3.0, 5.0].into_iter().flat_map(|far| [[far, 0.0], [0.0, far]]);
    let around: Vec<[f64; 2]> = around.collect();
    let found = compare("mirror", &rgba, (scene.size, 2), 3.0, |x, y| {
        let here = seen(x, y);
        around.iter().all(|[dx, dy]| seen(x + dx, y + dy) == here).then_some(here)
    });
    assert!(found[..4].iter().all(|count| *count >= 20), "{found:?}");
}
