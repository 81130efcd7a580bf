//! Rasterisation: clipping, coverage of convex polygons, planes of interpolated values.
//!
//! Arithmetic is in 64-bit floats, so that a pixel is covered exactly if its sample is inside; edges between pixels
//! follow the top-left rule.

use crate::draw::Volume;
use crate::frame::{Framebuffer, Plane, TILE};

/// A position in clip space: x, y, z, w.
pub(crate) type Clip = [f64; 4];
/// A position on the screen in pixels.
pub(crate) type Point = [f64; 2];

/// The viewport: the mapping from clip space to the screen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Viewport {
    /// Left edge in pixels.
    pub x: f32,
    /// Top edge in pixels.
    pub y: f32,
    /// Width in pixels.
    pub width: f32,
    /// Height in pixels; negative flips the image.
    pub height: f32,
    /// Depth of z/w = 0.
    pub min_depth: f32,
    /// Depth of z/w = 1.
    pub max_depth: f32,
}

impl Viewport {
    /// The screen position times w, and w.
    pub(crate) fn homogeneous(&self, clip: Clip) -> [f64; 3] {
        let half = [f64::from(self.width) / 2.0, f64::from(self.height) / 2.0];
        let centre = [f64::from(self.x) + half[0], f64::from(self.y) + half[1]];
        [clip[0] * half[0] + clip[3] * centre[0], clip[1] * half[1] + clip[3] * centre[1], clip[3]]
    }

    /// The screen position of a point in front of the viewer.
    pub(crate) fn point(&self, clip: Clip) -> Point {
        let [x, y, w] = self.homogeneous(clip);
        [x / w, y / w]
    }

    /// Depth times w.
    pub(crate) fn depth(&self, clip: Clip) -> f64 {
        let (near, far) = (f64::from(self.min_depth), f64::from(self.max_depth));
        clip[2] * (far - near) + clip[3] * near
    }
}

/// Signed distances to the near and far planes of the view volume.
const DEPTHS: [fn(&Clip) -> f64; 2] = [|p| p[2], |p| p[3] - p[2]];

impl Volume {
    /// Signed distances to its planes: in front of the viewer, near, far.
    fn planes(self) -> impl Iterator<Item = impl Fn(&Clip) -> f64> {
        let least_w = f64::from(self.least_w);
        let depths = DEPTHS.into_iter().filter(move |_| self.depth).map(Some);
        [None].into_iter().chain(depths).map(move |depth| {
            move |place: &Clip| match depth {
                Some(distance) => distance(place),
                None => place[3] - least_w,
            }
        })
    }
}

/// Maximum number of clip distances of a vertex.
pub(crate) const DISTANCES: usize = 8;
/// A position in clip space with clip distances.
pub(crate) type Distant = [f64; 4 + DISTANCES];

/// A position without planes.
#[cfg(test)]
fn wide([x, y, z, w]: Clip) -> Distant {
    let mut corner = [0.0; 4 + DISTANCES];
    corner[..4].copy_from_slice(&[x, y, z, w]);
    corner
}

/// Clips a convex polygon to the view volume (Sutherland and Hodgman).
#[cfg(test)]
fn clip_polygon(polygon: Vec<Clip>) -> Vec<Clip> {
    let cut = clip_distant(polygon.into_iter().map(wide).collect(), 0, Volume::default());
    cut.iter().map(clip).collect()
}

/// Clips a convex polygon to the view volume and to its first `distances` planes.
pub(crate) fn clip_distant(mut polygon: Vec<Distant>, distances: usize, volume: Volume) -> Vec<Distant> {
    for inside in volume.planes() {
        polygon = cut(&polygon, |corner| inside(&clip(corner)));
    }
    for plane in 0..distances.min(DISTANCES) {
        polygon = cut(&polygon, |corner| corner[4 + plane]);
    }
    polygon
}

/// The part of a convex polygon where `inside` is not negative.
fn cut(polygon: &[Distant], inside: impl Fn(&Distant) -> f64) -> Vec<Distant> {
    let mut cut = Vec::with_capacity(polygon.len() + 1);
    for (at, here) in polygon.iter().enumerate() {
        let next = &polygon[(at + 1) % polygon.len()];
        let (d0, d1) = (inside(here), inside(next));
        if d0 >= 0.0 {
            cut.push(*here);
        }
        if (d0 >= 0.0) != (d1 >= 0.0) {
            let t = d0 / (d0 - d1);
            cut.push(std::array::from_fn(|at| here[at] + (next[at] - here[at]) * t));
        }
    }
    cut
}

/// Clips a segment to the view volume and to its first `distances` planes; `None` if nothing is left.
pub(crate) fn clip_segment(mut ends: [Distant; 2], distances: usize, volume: Volume) -> Option<[Distant; 2]> {
    for inside in volume.planes() {
        ends = cut_segment(ends, |end| inside(&clip(end)))?;
    }
    (0..distances.min(DISTANCES)).try_fold(ends, |ends, plane| cut_segment(ends, |end| end[4 + plane]))
}

/// The part of a segment where `inside` is not negative.
fn cut_segment(mut ends: [Distant; 2], inside: impl Fn(&Distant) -> f64) -> Option<[Distant; 2]> {
    let [d0, d1] = [inside(&ends[0]), inside(&ends[1])];
    if d0 < 0.0 && d1 < 0.0 {
        return None;
    }
    if (d0 < 0.0) != (d1 < 0.0) {
        let t = d0 / (d0 - d1);
        let [a, b] = ends;
        ends[usize::from(d0 >= 0.0)] = std::array::from_fn(|at| a[at] + (b[at] - a[at]) * t);
    }
    Some(ends)
}

/// The position of a vertex.
pub(crate) fn clip(corner: &Distant) -> Clip {
    [corner[0], corner[1], corner[2], corner[3]]
}

/// The plane through three homogeneous points: `a·x + b·y + c·w` is the value at each. `None` if they are on a line.
pub(crate) fn plane(rows: &[[f64; 3]; 3], values: [f64; 3]) -> Option<Plane> {
    let [p, q, r] = rows;
    let cross = |u: &[f64; 3], v: &[f64; 3]| {
        [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    };
    let columns = [cross(q, r), cross(r, p), cross(p, q)];
    let determinant: f64 = (0..3).map(|at| p[at] * columns[0][at]).sum();
    if determinant == 0.0 || !determinant.is_finite() {
        return None;
    }
    let solved =
        [0, 1, 2].map(|at| (0..3).map(|row| columns[row][at] * values[row]).sum::<f64>() / determinant);
    Some(Plane { a: solved[0], b: solved[1], c: solved[2] })
}

/// A half-plane: `a x + b y + c` is positive inside.
#[derive(Clone, Copy, Debug)]
struct Edge {
    a: f64,
    b: f64,
    c: f64,
}

impl Edge {
    fn contains(&self, [x, y]: Point) -> bool {
        let distance = self.a * x + self.b * y + self.c;
        // Samples exactly on an edge belong to left and top edges.
        distance > 0.0 || (distance == 0.0 && (self.a > 0.0 || (self.a == 0.0 && self.b > 0.0)))
    }
}

/// A convex polygon on the screen.
#[derive(Clone, Debug)]
pub(crate) struct Polygon {
    edges: Vec<Edge>,
    /// Left, top, right, bottom of the pixels that may be covered, the last two exclusive.
    bounds: [u32; 4],
}

/// Twice the area, positive if the vertices run clockwise on a screen whose y points down.
pub(crate) fn doubled_area(corners: &[Point]) -> f64 {
    let next = |at: usize| corners[(at + 1) % corners.len()];
    corners.iter().enumerate().map(|(at, [x, y])| x * next(at)[1] - next(at)[0] * y).sum()
}

impl Polygon {
    /// The polygon with these vertices, clipped to `scissor` (left, top, right, bottom); `None` if its area is empty.
    pub(crate) fn new(corners: &[Point], scissor: [u32; 4]) -> Option<Polygon> {
        let area = doubled_area(corners);
        if corners.len() < 3 || area == 0.0 || !area.is_finite() {
            return None;
        }
        let sign = area.signum();
        let edges = (0..corners.len()).map(|at| {
            let ([x0, y0], [x1, y1]) = (corners[at], corners[(at + 1) % corners.len()]);
            let (a, b) = ((y0 - y1) * sign, (x1 - x0) * sign);
            Edge { a, b, c: -(a * x0 + b * y0) }
        });
        let edges = edges.collect();
        let extent = |axis: usize| {
            let along = corners.iter().map(|corner| corner[axis]);
            let low = along.clone().fold(f64::INFINITY, f64::min).floor().max(f64::from(scissor[axis]));
            let high = along.fold(f64::NEG_INFINITY, f64::max).ceil().min(f64::from(scissor[axis + 2]));
            (low as u32, high.max(0.0) as u32)
        };
        let ((left, right), (top, bottom)) = (extent(0), extent(1));
        (left < right && top < bottom).then_some(Polygon { edges, bounds: [left, top, right, bottom] })
    }

    /// The samples of a pixel that the polygon covers.
    fn coverage(&self, x: u32, y: u32, buffer: &Framebuffer) -> u16 {
        let [left, top, right, bottom] = self.bounds;
        if x < left || x >= right || y < top || y >= bottom {
            return 0;
        }
        (0..buffer.samples()).fold(0, |covered, sample| {
            let [dx, dy] = buffer.sample_position(sample);
            let point = [f64::from(x) + dx, f64::from(y) + dy];
            let inside = self.edges.iter().all(|edge| edge.contains(point));
            covered | u16::from(inside) << sample
        })
    }

    /// Left, top, right, bottom of the pixels that may be covered, the last two exclusive.
    pub(crate) fn bounds(&self) -> [u32; 4] {
        self.bounds
    }

    /// The quads of a framebuffer with a covered sample, square by square: position of the first pixel, coverage of the
    /// four.
    pub(crate) fn quads(&self, buffer: &Framebuffer) -> Vec<Quad> {
        let [bounds, own] = [self.bounds, buffer.rectangle()];
        let [left, top] = [0, 1].map(|axis| bounds[axis].max(own[axis]));
        let [right, bottom] = [2, 3].map(|axis| bounds[axis].min(own[axis]));
        let mut quads = Vec::new();
        if left >= right || top >= bottom {
            return quads;
        }
        for tile_y in top / TILE..bottom.div_ceil(TILE) {
            for tile_x in left / TILE..right.div_ceil(TILE) {
                let (x0, y0) = (tile_x * TILE, tile_y * TILE);
                let rows = (y0.max(top) & !1)..(y0 + TILE).min(bottom);
                for y in rows.step_by(2) {
                    let columns = (x0.max(left) & !1)..(x0 + TILE).min(right);
                    for x in columns.step_by(2) {
                        let pixels = [[x, y], [x + 1, y], [x, y + 1], [x + 1, y + 1]];
                        let covered = pixels.map(|[x, y]| self.coverage(x, y, buffer));
                        if covered != [0; 4] {
                            quads.push(Quad { pixels, covered, tile: [tile_x, tile_y] });
                        }
                    }
                }
            }
        }
        quads
    }
}

/// Four neighbouring pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quad {
    pub(crate) pixels: [[u32; 2]; 4],
    pub(crate) covered: [u16; 4],
    pub(crate) tile: [u32; 2],
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [u32; 4] = [0, 0, 64, 64];

    fn covered(corners: &[Point]) -> Vec<[u32; 2]> {
        let buffer = Framebuffer::new(64, 64, 1, 4);
        let Some(polygon) = Polygon::new(corners, ALL) else { return Vec::new() };
        let mut pixels = Vec::new();
        for quad in polygon.quads(&buffer) {
            pixels.extend((0..4).filter(|at| quad.covered[*at] != 0).map(|at| quad.pixels[at]));
        }
        pixels
    }

    #[test]
    fn neighbours_share_no_pixel_and_miss_none() {
        let corners = [[0.0, 0.0], [40.0, 0.0], [40.0, 40.0], [0.0, 40.0]];
        let middle = [20.5, 20.5];
        let mut count = [[0; 64]; 64];
        for at in 0..4 {
            for [x, y] in covered(&[corners[at], corners[(at + 1) % 4], middle]) {
                count[y as usize][x as usize] += 1;
            }
        }
        for (y, row) in count.iter().enumerate() {
            for (x, count) in row.iter().enumerate() {
                assert_eq!(*count, i32::from(x < 40 && y < 40), "pixel {x}, {y}");
            }
        }
    }

    #[test]
    fn edges_through_samples_belong_to_left_and_top() {
        let square = covered(&[[0.5, 0.5], [2.5, 0.5], [2.5, 2.5], [0.5, 2.5]]);
        assert_eq!(square, [[0, 0], [1, 0], [0, 1], [1, 1]]);
        assert_eq!(covered(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), [[0; 2]; 0], "no area");
    }

    #[test]
    fn clipping_keeps_what_is_in_front() {
        let triangle = vec![[0.0, 0.0, 0.5, 1.0], [1.0, 0.0, 0.5, 1.0], [0.0, 1.0, 1.5, 1.0]];
        let clipped = clip_polygon(triangle);
        assert_eq!(clipped.len(), 4);
        assert!(clipped.iter().all(|p| p[2] <= p[3] + 1e-12));
        assert!(clip_polygon(vec![[0.0, 0.0, 0.0, -1.0]; 3]).is_empty());
        let mut ends = [[0.0, 0.0, -1.0, 1.0], [0.0, 0.0, 1.0, 1.0]].map(wide);
        let cut = clip_segment(ends, 0, Volume::default()).expect("half of it");
        assert_eq!([cut[0][2], cut[1][2]], [0.0, 1.0]);
        (ends[0][4], ends[1][4]) = (3.0, -1.0);
        let cut = clip_segment(ends, 1, Volume::default()).expect("a quarter of it");
        assert_eq!([cut[0][2], cut[1][2]], [0.0, 0.5]);
        ends[0][4] = -0.5;
        assert_eq!(clip_segment(ends, 1, Volume::default()), None);
    }

    #[test]
    fn the_least_w_decides_what_is_in_front() {
        let triangle =
            |w: f64| [[0.0, 0.0], [w, 0.0], [0.0, w]].map(|[x, y]| wide([x, y, w / 2.0, w])).to_vec();
        let left = |w: f64, least_w: f32| clip_distant(triangle(w), 0, Volume { depth: true, least_w }).len();
        assert_eq!([left(1e-9, 1e-10), left(5e-10, 1e-10), left(1e-11, 1e-10)], [3, 3, 0]);
        assert_eq!([left(0.5, 1.0), left(2.0, 1.0)], [0, 3]);
    }

    #[test]
    fn planes_pass_through_their_points() {
        let rows = [[1.0, 2.0, 1.0], [8.0, 2.0, 2.0], [3.0, 9.0, 1.0]];
        let values = [5.0, -1.0, 2.5];
        let plane = plane(&rows, values).expect("not on a line");
        for (row, value) in rows.iter().zip(values) {
            let found = plane.a * row[0] + plane.b * row[1] + plane.c * row[2];
            assert!((found - value).abs() < 1e-9);
        }
        assert!(super::plane(&[[0.0, 0.0, 1.0], [1.0, 1.0, 1.0], [2.0, 2.0, 1.0]], values).is_none());
    }
}
