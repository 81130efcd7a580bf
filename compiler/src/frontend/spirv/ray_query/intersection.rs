//! Tests of a ray against boxes and triangles.

use super::super::values::Values;
use super::structure::words;
use crate::ir::Arithmetic;
use crate::ir::build::alu::FloatCond;
use crate::ir::builder::Builder;
use crate::ir::src::Src;

/// A vector of three floats.
pub(super) type Vector = [Src; 3];

/// The factor by which the far end of a ray in a box is moved, for the errors of rounding: some units in the last place.
const MARGIN: f32 = 1.000_001;

/// The origin and the direction of a ray.
pub(super) fn parts(ray: [Src; 6]) -> [Vector; 2] {
    let [x, y, z, dx, dy, dz] = ray;
    [[x, y, z], [dx, dy, dz]]
}

/// The components of two vectors side by side.
fn pairs([x, y, z]: Vector, [other_x, other_y, other_z]: Vector) -> [(Src, Src); 3] {
    [(x, other_x), (y, other_y), (z, other_z)]
}

/// The sum of the products of components.
fn dot(b: &mut Builder<'_, '_>, a: Vector, c: Vector) -> Src {
    let [x, y, z] = pairs(a, c);
    let sum = b.fmul(x.0, x.1);
    let sum = b.ffma(y.0, y.1, sum);
    b.ffma(z.0, z.1, sum)
}

/// The vector product. Its components are the exact opposites of those of the product in the other order, because their
/// products are rounded before they are subtracted.
fn cross(b: &mut Builder<'_, '_>, [ax, ay, az]: Vector, [cx, cy, cz]: Vector) -> Vector {
    [[(ay, cz), (az, cy)], [(az, cx), (ax, cz)], [(ax, cy), (ay, cx)]].map(|products| {
        let [plus, minus] = products.map(|(first, second)| {
            let product = b.fmul(first, second);
            b.apart(product)
        });
        b.fsub(plus, minus)
    })
}

fn difference(b: &mut Builder<'_, '_>, a: Vector, c: Vector) -> Vector {
    pairs(a, c).map(|(a, c)| b.fsub(a, c))
}

/// Whether a ray is in a box somewhere between two distances. Where the ray is parallel to a side and in its plane, the other
/// sides decide.
pub(super) fn box_is_hit(
    b: &mut Builder<'_, '_>,
    [origin, direction]: [Vector; 2],
    [low, high]: [Vector; 2],
    [nearest, farthest]: [Src; 2],
) -> Src {
    let (mut near, mut far) = (nearest, farthest);
    for ((origin, direction), sides) in origin.into_iter().zip(direction).zip(pairs(low, high)) {
        let inverse = b.fdiv(Src::f32(1.0), direction);
        // Its product with a distance of 0 is 0.
        let inverse = b.fmax(inverse, Src::f32(f32::MIN));
        let inverse = b.fmin(inverse, Src::f32(f32::MAX));
        let [first, second] = <[Src; 2]>::from(sides).map(|side| {
            let distance = b.fsub(side, origin);
            b.fmul(distance, inverse)
        });
        let (enters, leaves) = (b.fmin(first, second), b.fmax(first, second));
        let leaves = b.fmul(leaves, Src::f32(MARGIN));
        near = b.fmax(near, enters);
        far = b.fmin(far, leaves);
    }
    b.fcmp(FloatCond::LE, near, far)
}

/// Where a ray hits a triangle.
pub(super) struct Hit {
    /// Whether it does, at any distance.
    pub is_hit: Src,
    /// The distance.
    pub distance: Src,
    /// Weights of the second and the third vertex.
    pub weights: [Src; 2],
    /// Whether the vertices are in clockwise order, seen from the origin.
    pub is_clockwise: Src,
}

/// Tests a triangle. A ray that passes an edge of two triangles hits at least one of them: the value that decides about an edge
/// has the opposite sign for the other triangle and the same magnitude.
pub(super) fn triangle(
    b: &mut Builder<'_, '_>,
    [origin, direction]: [Vector; 2],
    vertices: [Vector; 3],
) -> Hit {
    let corners = vertices.map(|vertex| difference(b, vertex, origin));
    let [first, second, third] = corners;
    let edges = [(third, second), (first, third), (second, first)].map(|(from, to)| {
        let normal = cross(b, from, to);
        dot(b, direction, normal)
    });
    let zero = Src::f32(0.0);
    let [mut all_negative, mut all_positive] = [Src::bool(true); 2];
    for edge in edges {
        let is_negative = b.fcmp(FloatCond::LE, edge, zero);
        let is_positive = b.fcmp(FloatCond::GE, edge, zero);
        all_negative = b.and(all_negative, is_negative);
        all_positive = b.and(all_positive, is_positive);
    }
    let sum = b.fadd(edges[0], edges[1]);
    let sum = b.fadd(sum, edges[2]);
    let is_flat = b.fcmp(FloatCond::EQ, sum, zero);
    let is_inside = b.or(all_negative, all_positive);
    let is_steep = b.not(is_flat);
    let is_hit = b.and(is_inside, is_steep);
    let weights = [edges[1], edges[2]].map(|edge| b.fdiv(edge, sum));
    // The distance of the plane.
    let [along, across] = [second, third].map(|corner| difference(b, corner, first));
    let normal = cross(b, along, across);
    let (to_plane, per_unit) = (dot(b, normal, first), dot(b, normal, direction));
    let distance = b.fdiv(to_plane, per_unit);
    let is_clockwise = b.fcmp(FloatCond::GT, sum, zero);
    Hit { is_hit, distance, weights, is_clockwise }
}

/// The rows of a matrix of an instance, at a byte of its record.
pub(super) fn rows(v: &mut Values<'_, '_>, instance: Src, matrix: u32) -> [[Src; 4]; 3] {
    [0_u32, 16, 32].map(|row| words(v, instance, matrix.saturating_add(row)))
}

/// A ray in the space of an instance.
pub(super) fn transformed(b: &mut Builder<'_, '_>, rows: [[Src; 4]; 3], ray: [Src; 6]) -> [Src; 6] {
    let [origin, direction] = parts(ray);
    let [(x, dx), (y, dy), (z, dz)] = rows.map(|[x, y, z, constant]| {
        let moved = dot(b, [x, y, z], origin);
        (b.fadd(moved, constant), dot(b, [x, y, z], direction))
    });
    [x, y, z, dx, dy, dz]
}
