//! Faces of cube textures: the face of a direction, and the texel beyond an edge.

/// Face and position on it, 0 to 1, of a direction: the rules of the graphics APIs, faces +x −x +y −y +z −z.
pub(crate) fn face([x, y, z]: [f32; 3]) -> (u32, f32, f32) {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (face, sc, tc, major) = if az >= ax && az >= ay {
        if z < 0.0 { (5, -x, -y, az) } else { (4, x, -y, az) }
    } else if ay >= ax {
        if y < 0.0 { (3, x, -z, ay) } else { (2, x, z, ay) }
    } else if x < 0.0 {
        (1, z, -y, ax)
    } else {
        (0, -z, -y, ax)
    };
    (face, (sc / major + 1.0) / 2.0, (tc / major + 1.0) / 2.0)
}

/// The direction of a position on a face; the position may be beyond its edges.
fn direction(face: u32, s: f32, t: f32) -> [f32; 3] {
    let (sc, tc) = (2.0 * s - 1.0, 2.0 * t - 1.0);
    match face {
        0 => [1.0, -tc, -sc],
        1 => [-1.0, -tc, sc],
        2 => [sc, 1.0, tc],
        3 => [sc, -1.0, -tc],
        4 => [sc, -tc, 1.0],
        _ => [-sc, -tc, -1.0],
    }
}

/// The texel at a position on a face with `size` texels per side; beyond an edge it is on the neighbouring face.
pub(crate) fn neighbour(size: u32, place: [i64; 2], number: u32) -> ([u32; 2], u32) {
    let side = i64::from(size);
    if place.iter().all(|at| (0..side).contains(at)) {
        return (place.map(|at| at as u32), number);
    }
    // The centre of a texel one step beyond the edge is outside the cube by less than half a texel of the neighbour.
    let [s, t] = place.map(|at| (at as f32 + 0.5) / size as f32);
    let (number, s, t) = face(direction(number, s, t));
    let inside = |at: f32| (libm::floorf(at * size as f32) as i64).clamp(0, side - 1) as u32;
    ([inside(s), inside(t)], number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cube_directions_hit_their_face() {
        let cases = [
            ([1.0, 0.0, 0.0], 0),
            ([-1.0, 0.0, 0.0], 1),
            ([0.0, 1.0, 0.0], 2),
            ([0.0, -1.0, 0.0], 3),
            ([0.0, 0.0, 1.0], 4),
            ([0.0, 0.0, -1.0], 5),
        ];
        for (direction, number) in cases {
            assert_eq!(face(direction), (number, 0.5, 0.5), "{direction:?}");
        }
        // On +x, larger z is further left and larger y is further up.
        assert_eq!(face([1.0, 0.5, 0.5]), (0, 0.25, 0.25));
    }

    #[test]
    fn directions_return_to_their_place() {
        for number in 0..6 {
            for (s, t) in [(0.5, 0.5), (0.125, 0.75), (0.875, 0.25)] {
                assert_eq!(face(direction(number, s, t)), (number, s, t));
            }
        }
    }

    #[test]
    fn texels_beyond_an_edge_are_those_that_touch_it() {
        // (place, face, the neighbour's place and face) of faces with four texels a side
        let cases = [
            ([-1, 2], 4, ([3, 2], 1)),
            ([4, 2], 4, ([0, 2], 0)),
            ([1, -1], 4, ([1, 3], 2)),
            ([1, 4], 4, ([1, 0], 3)),
            ([-1, 0], 0, ([3, 0], 4)),
            ([1, -1], 0, ([3, 2], 2)),
            ([2, 3], 5, ([2, 3], 5)),
        ];
        for (place, number, expected) in cases {
            assert_eq!(neighbour(4, place, number), expected, "{place:?} of {number}");
        }
        // Crossing an edge and going back leads to the same texel.
        for number in 0..6 {
            for at in 0..4 {
                let ([x, y], other) = neighbour(4, [-1, at], number);
                let touching = [[-1, i64::from(y)], [4, i64::from(y)], [i64::from(x), -1], [i64::from(x), 4]];
                let back = touching.map(|place| neighbour(4, place, other));
                assert!(back.contains(&([0, at as u32], number)), "{number} {at}");
            }
        }
    }
}
