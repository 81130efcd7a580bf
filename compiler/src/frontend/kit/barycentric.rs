//! Barycentric coordinates of a fragment, and the values of its inputs at the vertices of the primitive.
//!
//! The hardware interpolates, but tells no weights. The vertex shader stores x, y and w of its position twice, to be
//! interpolated and to be read of each vertex. With P the interpolated one and p₀, p₁, p₂ those of the vertices, the
//! coordinates b of a triangle satisfy P − p₀ = b₁ (p₁ − p₀) + b₂ (p₂ − p₀): three equations, of which the solution
//! uses the two in which the triangle is largest. A line has b₁ alone, and a point nothing to solve. Weights that are linear
//! in screen space are proportional to b times the w of the vertex.

use agx_abi::UniformSource;

use super::{Kit, fragment};
use crate::ir::build::alu::{FloatCond, IntCond, float};
use crate::ir::vocabulary::{Input, Mode, Place};
use crate::ir::{Arithmetic, Build, IrOp, Src, Type};

/// A kind of barycentric coordinates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Weights {
    /// Those of perspective-correct interpolation.
    Perspective,
    /// Those of interpolation that is linear in screen space.
    Linear,
}

/// x, y and w, or a difference of two of them.
type Vector = [Src; 3];

/// Number of vertices of a triangle.
const TRIANGLE: u32 = 3;

/// Whether a primitive of the draw has at least `count` vertices.
fn has_vertices(kit: &mut Kit<'_, '_>, count: u32) -> Src {
    let vertices = kit.uniforms.get(UniformSource::PrimitiveVertices, 0, 32);
    kit.b.icmp(IntCond::UGE, vertices, Src::imm32(count))
}

/// `count` components, from `input` on, of the value at vertex `corner`. Vertices that the primitive does not have repeat the last
/// one.
pub fn at_vertex(kit: &mut Kit<'_, '_>, input: Input, corner: u32, count: u8) -> Vec<Src> {
    let read = |kit: &mut Kit<'_, '_>, mode| {
        fragment::interpolate(kit, input, mode, (Place::Centre, &[]), Type::vector(32, count))
    };
    match corner {
        0 => read(kit, Mode::First),
        1 => {
            let (second, last) = (read(kit, Mode::Second), read(kit, Mode::Third));
            let is_triangle = has_vertices(kit, TRIANGLE);
            let words = second.into_iter().zip(last);
            words.map(|(second, last)| kit.b.select(is_triangle, second, last)).collect()
        }
        _ => read(kit, Mode::Third),
    }
}

/// Barycentric coordinate `number` of the point of the pixel at `at`; `None` for numbers above 2.
pub fn coordinate(kit: &mut Kit<'_, '_>, weights: Weights, number: u32, at: (Place, &[Src])) -> Option<Src> {
    let vertices = [0, 1, 2].map(|corner| {
        [0, 1, 2].map(|component| {
            let word = at_vertex(kit, Input::corner_position(component), corner, 1);
            word.first().copied().unwrap_or(Src::NONE)
        })
    });
    let point = [0, 1, 2].map(|component| {
        fragment::interpolate_one(kit, Input::position(component), Mode::Perspective, at, Type::B32)
    });
    let mut coordinates = solve(kit, point, vertices);
    if weights == Weights::Linear {
        for (coordinate, [.., w]) in coordinates.iter_mut().zip(vertices) {
            *coordinate = kit.b.fmul(*coordinate, w);
        }
        let sum = coordinates.into_iter().reduce(|sum, term| kit.b.fadd(sum, term))?;
        coordinates = coordinates.map(|coordinate| quotient(kit, coordinate, sum));
    }
    coordinates.get(number as usize).copied()
}

/// The perspective-correct coordinates of a point.
fn solve(kit: &mut Kit<'_, '_>, point: Vector, [origin, second, third]: [Vector; 3]) -> Vector {
    let (is_triangle, is_line) = (has_vertices(kit, TRIANGLE), has_vertices(kit, 2));
    let [x, y, w] = origin;
    let [place, across, along] = [point, second, third]
        .map(|[a, b, c]| [(a, x), (b, y), (c, w)].map(|(end, start)| kit.b.fsub(end, start)));
    let area = cross(kit, across, along);
    let parts = [cross(kit, place, along), cross(kit, across, place)];
    let [of_second, of_third] = quotients(kit, parts, area);
    let [on_line] = quotients(kit, [place], across);
    let zero = float(0.0, 32);
    let on_line = kit.b.select(is_line, on_line, zero);
    let of_second = kit.b.select(is_triangle, of_second, on_line);
    let of_third = kit.b.select(is_triangle, of_third, zero);
    let rest = kit.b.fsub(float(1.0, 32), of_second);
    [kit.b.fsub(rest, of_third), of_second, of_third]
}

fn cross(kit: &mut Kit<'_, '_>, [a, b, c]: Vector, [x, y, z]: Vector) -> Vector {
    [[b, z, c, y], [c, x, a, z], [a, y, b, x]].map(|[first, second, third, fourth]| {
        let (plus, minus) = (kit.b.fmul(first, second), kit.b.fmul(third, fourth));
        kit.b.fsub(plus, minus)
    })
}

fn quotient(kit: &mut Kit<'_, '_>, a: Src, b: Src) -> Src {
    kit.b.alu(IrOp::Fdiv, 32, &[a, b], &[])
}

/// How often vectors contain a parallel one, along the axis on which that is longest.
fn quotients<const N: usize>(kit: &mut Kit<'_, '_>, parts: [Vector; N], whole: Vector) -> [Src; N] {
    let [x, y, w] = whole.map(|axis| kit.b.alu(IrOp::Fabs, 32, &[axis], &[]));
    let is_y = kit.b.fcmp(FloatCond::LT, x, y);
    let longer = kit.b.select(is_y, y, x);
    let is_w = kit.b.fcmp(FloatCond::LT, longer, w);
    let mut longest = |vector: Vector| {
        let of_plane = kit.b.select(is_y, vector[1], vector[0]);
        kit.b.select(is_w, vector[2], of_plane)
    };
    let (parts, whole) = (parts.map(&mut longest), longest(whole));
    parts.map(|part| quotient(kit, part, whole))
}
