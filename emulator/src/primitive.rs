//! Primitives: their shape on the screen, faces, depth, and interpolated values.

use crate::draw::{Bias, Binding, Cull, Draw, Fill};
use crate::frame::{Coefficient, Plane, Primitive};
use crate::pixels::SLOTS;
use crate::raster::{
    Clip, DISTANCES, Distant, Point, Polygon, Viewport, clip, clip_distant, clip_segment, doubled_area, plane,
};

/// The output slots of a vertex.
pub(crate) type Vertex = Vec<u32>;

/// A slot's bits; slots that do not exist are 0.
fn slot(vertex: &Vertex, slot: u32) -> u32 {
    vertex.get(slot as usize % SLOTS).copied().unwrap_or(0)
}

fn float_slot(vertex: &Vertex, number: u32) -> f64 {
    f64::from(f32::from_bits(slot(vertex, number)))
}

fn position(draw: &Draw<'_>, vertex: &Vertex) -> Clip {
    [0, 1, 2, 3].map(|at| float_slot(vertex, draw.position_slot + at))
}

/// A point, rounded to the grid of positions.
fn snapped(draw: &Draw<'_>, point: Point) -> Point {
    match draw.more.steps.map(f64::from) {
        Some(steps) => point.map(|at| libm::rint(at * steps) / steps),
        None => point,
    }
}

/// Position and clip distances.
fn distant(draw: &Draw<'_>, vertex: &Vertex) -> Distant {
    let (first, count) = draw.more.clip_slots;
    let mut corner = [0.0; 4 + DISTANCES];
    corner[..4].copy_from_slice(&position(draw, vertex));
    for (at, place) in corner.iter_mut().skip(4).take(count).enumerate() {
        *place = float_slot(vertex, first + at as u32);
    }
    corner
}

/// Layer and viewport of a primitive: those of its first vertex.
fn target(draw: &Draw<'_>, vertices: &[Vertex]) -> (u32, u32) {
    let Some((number, vertex)) = draw.more.layer_slot.zip(vertices.first()) else { return (0, 0) };
    let both = slot(vertex, number);
    (both & 0xffff, both >> 16)
}

/// The shape of a primitive: its polygon on the screen, and three homogeneous points at which vertex values are
/// defined.
struct Shape {
    outline: Vec<Point>,
    rows: [[f64; 3]; 3],
    /// The vertex of each row.
    owners: [usize; 3],
    /// Left, top and side of a point.
    point: Option<[f64; 3]>,
    viewport: Viewport,
}

/// A primitive after its vertices were shaded, ready for any tile.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// Its number in its instance, and that of the instance.
    pub(crate) numbers: [u32; 2],
    pub(crate) layer: u32,
    pub(crate) primitive: Primitive,
    /// The polygons to draw.
    pub(crate) polygons: Vec<Polygon>,
    /// Minimum and maximum depth.
    pub(crate) range: [f32; 2],
}

/// Coefficients, depth, face and polygons of a primitive in a framebuffer of this size; `None` if nothing is drawn.
pub(crate) fn set_up(
    [width, height]: [u32; 2],
    draw: &Draw<'_>,
    vertices: &[Vertex],
    number: u32,
) -> Option<Prepared> {
    let (layer, viewport) = target(draw, vertices);
    let own = (draw.viewport, draw.scissor, draw.more.depth_limits.range);
    let (viewport, scissor, range) = match draw.more.viewports.get((viewport as usize).wrapping_sub(1)) {
        Some((viewport, scissor, range)) => (*viewport, Some(*scissor), *range),
        None => own,
    };
    let scissor = scissor.unwrap_or([0, 0, width, height]);
    let scissor = [scissor[0], scissor[1], scissor[2].min(width), scissor[3].min(height)];
    let shape = shape(draw, viewport, vertices)?;
    let (primitive, polygons) = prepare(draw, vertices, number, shape, scissor)?;
    (!polygons.is_empty()).then_some(Prepared { numbers: [number, 0], layer, primitive, polygons, range })
}

fn shape(draw: &Draw<'_>, viewport: Viewport, vertices: &[Vertex]) -> Option<Shape> {
    match vertices {
        [point] => point_shape(draw, viewport, point),
        [a, b] => line_shape(draw, viewport, [a, b]),
        [a, b, c] => triangle_shape(draw, viewport, [a, b, c]),
        _ => None,
    }
}

fn prepare(
    draw: &Draw<'_>,
    vertices: &[Vertex],
    number: u32,
    shape: Shape,
    scissor: [u32; 4],
) -> Option<(Primitive, Vec<Polygon>)> {
    let back = vertices.len() == 3 && is_back(draw, &shape.outline);
    let culled = match draw.cull {
        Cull::None => false,
        Cull::Front => vertices.len() == 3 && !back,
        Cull::Back => back,
    };
    if culled {
        return None;
    }
    let polygons = polygons(draw, vertices, &shape, scissor);
    let depths = shape.owners.map(|at| shape.viewport.depth(position(draw, &vertices[at])));
    let mut depth = plane(&shape.rows, depths)?;
    if let Some(bias) = draw.more.bias.filter(|_| vertices.len() == 3) {
        depth.c += offset(&bias, &depth, &shape.outline);
    }
    let coefficients = draw
        .coefficients
        .iter()
        .map(|binding| match binding {
            Binding::PrimitiveId => Some(Coefficient::Flat(number)),
            // Depth as it is tested, with the bias.
            Binding::Depth => Some(Coefficient::Linear(depth)),
            binding => coefficient(draw, &shape, vertices, *binding),
        })
        .collect::<Option<_>>()?;
    Some((Primitive { coefficients, depth, back }, polygons))
}

/// The polygons to draw for a primitive.
fn polygons(draw: &Draw<'_>, vertices: &[Vertex], shape: &Shape, scissor: [u32; 4]) -> Vec<Polygon> {
    let fill = if vertices.len() == 3 { draw.more.fill } else { Fill::Whole };
    let outlines: Vec<Vec<Point>> = match fill {
        Fill::Whole => vec![shape.outline.clone()],
        Fill::Edges => {
            let ends = |at: usize| [&vertices[at], &vertices[(at + 1) % 3]];
            let lines = (0..3).filter_map(|at| line_shape(draw, shape.viewport, ends(at)));
            lines.map(|line| line.outline).collect()
        }
        Fill::Corners => {
            let points = vertices.iter().filter_map(|vertex| point_shape(draw, shape.viewport, vertex));
            points.map(|point| point.outline).collect()
        }
    };
    outlines.iter().filter_map(|outline| Polygon::new(outline, scissor)).collect()
}

/// The offset of a depth bias.
fn offset(bias: &Bias, depth: &Plane, outline: &[Point]) -> f64 {
    let deepest = outline.iter().map(|[x, y]| depth.at(*x, *y).abs()).fold(0.0, f64::max);
    let unit = match bias.integer {
        // Drivers scale the factor to depth.
        true => 1.0,
        false => libm::exp2(f64::from(libm::ilogb(deepest.max(f64::from(f32::MIN_POSITIVE))) - 23)),
    };
    let slope = depth.a.abs().max(depth.b.abs());
    let sum = slope * f64::from(bias.slope) + unit * f64::from(bias.constant);
    match bias.clamp {
        clamp if clamp > 0.0 => sum.min(clamp.into()),
        clamp if clamp < 0.0 => sum.max(clamp.into()),
        _ => sum,
    }
}

/// The doubled area is positive for clockwise vertices if y points down.
fn is_back(draw: &Draw<'_>, outline: &[Point]) -> bool {
    (doubled_area(outline) < 0.0) != draw.front_counter_clockwise
}

fn triangle_shape(draw: &Draw<'_>, viewport: Viewport, vertices: [&Vertex; 3]) -> Option<Shape> {
    let corners = vertices.map(|vertex| distant(draw, vertex));
    let clipped = clip_distant(corners.to_vec(), draw.more.clip_slots.1, draw.more.volume);
    let outline = clipped.iter().map(|corner| snapped(draw, viewport.point(clip(corner)))).collect();
    let outline = distinct(outline);
    let rows = corners.map(|corner| viewport.homogeneous(clip(&corner)));
    (outline.len() >= 3).then_some(Shape { outline, rows, owners: [0, 1, 2], point: None, viewport })
}

/// A polygon without corners that equal the next one, because an edge without length has no inside. A corner on two
/// planes is cut twice.
fn distinct(mut outline: Vec<Point>) -> Vec<Point> {
    outline.dedup();
    while outline.len() > 1 && outline.first() == outline.last() {
        outline.pop();
    }
    outline
}

/// Lines are drawn with Bresenham's algorithm (Mesa 26.1 supports no other on this hardware): one fragment in each
/// column of lines that are wider than high, or in each row of others. Wide lines have several adjacent fragments.
/// Values change only along the segment.
fn line_shape(draw: &Draw<'_>, viewport: Viewport, vertices: [&Vertex; 2]) -> Option<Shape> {
    let ends = vertices.map(|vertex| position(draw, vertex));
    let whole = vertices.map(|vertex| distant(draw, vertex));
    let cut = clip_segment(whole, draw.more.clip_slots.1, draw.more.volume)?;
    let [[x0, y0], [x1, y1]] = cut.map(|end| snapped(draw, viewport.point(clip(&end))));
    let half = f64::from(draw.line_width) / 2.0;
    let is_steep = (y1 - y0).abs() > (x1 - x0).abs();
    let (nx, ny) = if is_steep { (half, 0.0) } else { (0.0, half) };
    let [a, b] = outside_diamonds([[x0, y0], [x1, y1]], usize::from(is_steep));
    let outline =
        vec![[a[0] + nx, a[1] + ny], [b[0] + nx, b[1] + ny], [b[0] - nx, b[1] - ny], [a[0] - nx, a[1] - ny]];
    let [first, second] = ends.map(|end| viewport.homogeneous(end));
    let beside = [first[0] + nx * first[2], first[1] + ny * first[2], first[2]];
    Some(Shape { outline, rows: [first, second, beside], owners: [0, 1, 0], point: None, viewport })
}

/// Distance by which ends of segments are moved before a centre; smaller than the grid of vertex positions.
const BEFORE: f64 = 1.0 / 4096.0;

/// The ends of a segment along an axis. An end past the centre of its pixel and within the diamond around it is moved
/// just before the centre: a segment draws the pixels whose diamond it leaves (Vulkan 1.3, Bresenham Line Segment
/// Rasterization), so a start there is drawn and an end is not.
fn outside_diamonds(ends: [Point; 2], axis: usize) -> [Point; 2] {
    let [start, end] = ends;
    let slope = (end[1 - axis] - start[1 - axis]) / (end[axis] - start[axis]);
    let ahead = end[axis] - start[axis];
    ends.map(|point| {
        let centre = point.map(|place| libm::floor(place) + 0.5);
        let [along, beside] = [point[axis] - centre[axis], point[1 - axis] - centre[1 - axis]];
        if along * ahead < 0.0 || ahead == 0.0 || along.abs() + beside.abs() >= 0.5 {
            return point;
        }
        let mut moved = point;
        moved[axis] = centre[axis] - BEFORE.copysign(ahead);
        moved[1 - axis] += (moved[axis] - point[axis]) * slope;
        moved
    })
}

/// A point is a square with constant values.
fn point_shape(draw: &Draw<'_>, viewport: Viewport, vertex: &Vertex) -> Option<Shape> {
    let corner = distant(draw, vertex);
    let [corner, _] = clip_segment([corner; 2], draw.more.clip_slots.1, draw.more.volume)?;
    let clip = clip(&corner);
    let [x, y] = snapped(draw, viewport.point(clip));
    // Larger points are not rendered, and smaller ones are enlarged to a pixel (Mesa 25.0).
    let side = draw.point_size_slot.map_or(1.0, |slot| float_slot(vertex, slot)).clamp(1.0, 511.95);
    let (left, top) = (x - side / 2.0, y - side / 2.0);
    let outline = vec![[left, top], [left + side, top], [left + side, top + side], [left, top + side]];
    let w = clip[3];
    let rows = [[x * w, y * w, w], [(x + 1.0) * w, y * w, w], [x * w, (y + 1.0) * w, w]];
    Some(Shape { outline, rows, owners: [0; 3], point: Some([left, top, side]), viewport })
}

fn coefficient(draw: &Draw<'_>, shape: &Shape, vertices: &[Vertex], binding: Binding) -> Option<Coefficient> {
    let values = |number: u32| shape.owners.map(|at| float_slot(&vertices[at], number));
    let across = |axis: usize| {
        let [left, top, side] = shape.point.unwrap_or([0.0, 0.0, 1.0]);
        let start = [left, top][axis];
        let slope = [0, 1].map(|at| if at == axis { 1.0 / side } else { 0.0 });
        let plane = Plane { a: slope[0], b: slope[1], c: -start / side };
        match axis == 1 && draw.more.points_run_up {
            true => Plane { a: -plane.a, b: -plane.b, c: 1.0 - plane.c },
            false => plane,
        }
    };
    Some(match binding {
        Binding::Flat(number) => {
            let provoking = if draw.provoking_last { vertices.last() } else { vertices.first() };
            Coefficient::Flat(slot(provoking?, number))
        }
        Binding::FlatCorner(number, corner) => {
            let of =
                |corner: usize| vertices.get(corner).or(vertices.last()).map(|vertex| slot(vertex, number));
            Coefficient::FlatWithSecond(of(corner.into())?, of(1)?)
        }
        Binding::Perspective(number) => Coefficient::Linear(plane(&shape.rows, values(number))?),
        Binding::PrimitiveId | Binding::Depth => return None,
        Binding::OneOverW => Coefficient::Linear(plane(&shape.rows, [1.0; 3])?),
        Binding::Linear(number) => {
            // The value itself, and not the value over w, is linear: every point has w = 1.
            let flattened = shape.rows.map(|[x, y, w]| [x / w, y / w, 1.0]);
            Coefficient::Linear(plane(&flattened, values(number))?)
        }
        Binding::Point { axis, over_w } => {
            let Plane { a, b, c } = across(axis);
            let scale = if over_w { 1.0 / shape.rows[0][2] } else { 1.0 };
            Coefficient::Linear(Plane { a: a * scale, b: b * scale, c: c * scale })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_biases_are_depths_or_units_of_its_exponent() {
        let depth = Plane { a: 0.0, b: 0.0, c: 0.625 };
        let outline = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        let bias = Bias { constant: 0.25, slope: 0.0, clamp: 0.0, integer: true };
        assert_eq!(offset(&bias, &depth, &outline), 0.25);
        // 0.625 has the exponent -1.
        let bias = Bias { constant: 16.0, integer: false, ..bias };
        assert_eq!(offset(&bias, &depth, &outline), 16.0 * libm::exp2(-24.0));
    }

    #[test]
    fn a_polygon_has_no_edges_without_length() {
        let [a, b, c] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        assert_eq!(distinct(vec![a, a, b, b, b, c, a]), [a, b, c]);
        assert_eq!(distinct(vec![a, a]), [a]);
        assert_eq!(distinct(vec![]), [[0.0; 2]; 0]);
    }

    #[test]
    fn lines_draw_the_pixels_whose_diamond_they_leave() {
        let along = |start: Point, end: Point| outside_diamonds([start, end], 0).map(|[x, _]| x);
        // Past the centre and inside the diamond, both ends move before the centre: the start is drawn, the end is not.
        assert_eq!(along([0.7, 0.5], [3.7, 0.5]), [0.5 - BEFORE, 3.5 - BEFORE]);
        assert_eq!(along([3.3, 0.5], [0.3, 0.5]), [3.5 + BEFORE, 0.5 + BEFORE]);
        // Before the centre, or in a corner outside the diamond, they are unchanged.
        assert_eq!(along([0.3, 0.5], [3.3, 0.5]), [0.3, 3.3]);
        assert_eq!(along([0.9, 0.9], [3.9, 0.1]), [0.9, 3.9]);
        let [[_, y], _] = outside_diamonds([[0.75, 0.5], [4.75, 1.5]], 0);
        assert!((y - (0.5 - 0.25 * (0.25 + BEFORE))).abs() < 1e-12);
    }
}
