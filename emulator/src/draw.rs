//! Draws: vertex programs, primitives, fragment programs over a framebuffer.
//!
//! Vertex programs run to their end before the first fragment; primitives are shaded in order, a tile after the other,
//! eight quads a SIMD-group. Blending and formats are the programs' business: the framebuffer keeps bytes.

use crate::dispatch::{Options, Stop};
use crate::exec::stack;
use crate::findings::Finding;
use crate::frame::{Coefficient, Frame, Framebuffer, Plane, Primitive, Tests};
use crate::group::{Group, LANES};
use crate::machine::{Job, Machine, Team, conclude};
use crate::memory::Memory;
use crate::pixels::{Outputs, Pixels, SLOTS};
use crate::profile::{Counts, Report};
use crate::program::Program;
use crate::raster::{Clip, Point, Polygon, Quad, Viewport, clip_polygon, clip_segment, doubled_area, plane};
use crate::registers::Dst;
use crate::textures::States;
use agx_isa::inst::Size;

/// A program of a draw with what it runs with.
#[derive(Clone, Copy, Debug)]
pub struct Stage<'a> {
    /// The program.
    pub program: &'a Program,
    /// A program that one lane runs before, to set uniforms.
    pub preamble: Option<&'a Program>,
    /// Uniform half-words from 0 on.
    pub uniforms: &'a [u16],
    /// Texture and sampler state as the driver loads it.
    pub states: States<'a>,
    /// Stack memory of a lane in bytes.
    pub scratch_bytes: u32,
}

/// What vertices make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Topology {
    /// A point each.
    Points,
    /// A line for two.
    Lines,
    /// A triangle for three.
    Triangles,
}

/// Faces that are not drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Cull {
    /// All are drawn.
    #[default]
    None,
    /// Front faces are dropped.
    Front,
    /// Back faces are dropped.
    Back,
}

/// What a coefficient register interpolates. Slots are those of `st_var`, in words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binding {
    /// A slot of the provoking vertex.
    Flat(u32),
    /// A slot, linear on the screen.
    Linear(u32),
    /// A slot divided by w, linear on the screen: `iterproj` makes it perspective.
    Perspective(u32),
    /// 1/w.
    OneOverW,
    /// Depth.
    Depth,
    /// Number of the primitive, from 0 on in each instance.
    PrimitiveId,
    /// Position across a point, 0 to 1 from left to right.
    PointX,
    /// Position down a point, 0 to 1 from top to bottom.
    PointY,
}

/// A draw.
#[derive(Clone, Debug)]
pub struct Draw<'a> {
    /// Runs for every vertex: vertex number in r5, instance number in r6.
    pub vertex: Stage<'a>,
    /// Runs for every covered pixel and its quad.
    pub fragment: Stage<'a>,
    /// What the vertices make.
    pub topology: Topology,
    /// Vertex numbers in order: an index buffer, read.
    pub vertices: &'a [u32],
    /// Instances.
    pub instances: u32,
    /// Four slots: clip-space x, y, z, w.
    pub position_slot: u32,
    /// Slot of the point size; 1 without.
    pub point_size_slot: Option<u32>,
    /// Coefficient registers from 0 on.
    pub coefficients: &'a [Binding],
    /// Where clip space goes.
    pub viewport: Viewport,
    /// Left, top, right, bottom; the last two exclusive.
    pub scissor: Option<[u32; 4]>,
    /// Width of lines in pixels.
    pub line_width: f32,
    /// Whether triangles whose corners run counter-clockwise on the screen are front faces.
    pub front_counter_clockwise: bool,
    /// Faces that are not drawn.
    pub cull: Cull,
    /// The last vertex provokes, not the first.
    pub provoking_last: bool,
    /// Depth and stencil.
    pub tests: Tests,
    /// The fragment program triggers the tests itself (`sample_mask`, `zs_emit`); otherwise they come before it.
    pub late_tests: bool,
    /// How to run.
    pub options: Options,
}

/// A rectangle of pixels shaded without vertices, as driver-internal clears and blits and shader tests do.
#[derive(Clone, Debug)]
pub struct Shade<'a> {
    /// Runs for every pixel.
    pub fragment: Stage<'a>,
    /// Left, top, right, bottom; the last two exclusive.
    pub rectangle: [u32; 4],
    /// Coefficient registers from 0 on.
    pub coefficients: &'a [Coefficient],
    /// Depth of every sample.
    pub depth: f32,
    /// Depth and stencil.
    pub tests: Tests,
    /// The fragment program triggers the tests itself.
    pub late_tests: bool,
    /// How to run.
    pub options: Options,
}

/// Draws into `framebuffer`.
pub fn draw(memory: &mut Memory, framebuffer: &mut Framebuffer, draw: &Draw<'_>) -> Result<Report, Stop> {
    let mut machine = Machine::new(memory, &draw.options, draw.vertex.uniforms, draw.vertex.states);
    let mut frame = frame(framebuffer, draw.tests, draw.late_tests);
    let mut counts = [Running::new(&draw.vertex), Running::new(&draw.fragment)];
    let outcome = render(&mut machine, &mut frame, draw, &mut counts);
    std::mem::swap(framebuffer, &mut frame.buffer);
    let [vertex, fragment] = &counts;
    let programs: Vec<_> = vertex.programs(&draw.vertex).chain(fragment.programs(&draw.fragment)).collect();
    conclude(outcome, machine.report(&programs))
}

/// Shades a rectangle of `framebuffer`.
pub fn shade(memory: &mut Memory, framebuffer: &mut Framebuffer, shade: &Shade<'_>) -> Result<Report, Stop> {
    let mut machine = Machine::new(memory, &shade.options, shade.fragment.uniforms, shade.fragment.states);
    let mut frame = frame(framebuffer, shade.tests, shade.late_tests);
    frame.primitive.coefficients = shade.coefficients.to_vec();
    frame.primitive.depth = Plane { a: 0.0, b: 0.0, c: f64::from(shade.depth) };
    let mut counts = Running::new(&shade.fragment);
    let outcome = cover(&mut machine, &mut frame, shade, &mut counts);
    std::mem::swap(framebuffer, &mut frame.buffer);
    let programs: Vec<_> = counts.programs(&shade.fragment).collect();
    conclude(outcome, machine.report(&programs))
}

fn cover(
    machine: &mut Machine<'_>,
    frame: &mut Frame,
    shade: &Shade<'_>,
    counts: &mut Running,
) -> Result<(), Box<Finding>> {
    counts.preamble(machine, &shade.fragment)?;
    let [width, height] = frame.buffer.size();
    let [left, top, right, bottom] = shade.rectangle.map(f64::from);
    let corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
    let Some(polygon) = Polygon::new(&corners, [0, 0, width, height]) else { return Ok(()) };
    shade_polygon(machine, frame, &polygon, &shade.fragment, counts)?;
    finish_fragments(machine, frame, &shade.fragment, counts)
}

/// The framebuffer moves into the frame for the time of a draw.
fn frame(framebuffer: &mut Framebuffer, tests: Tests, late_tests: bool) -> Frame {
    Frame {
        buffer: std::mem::replace(framebuffer, Framebuffer::new(0, 0, 1, 0)),
        tests,
        primitive: Primitive::default(),
        layer: 0,
        late_tests,
    }
}

/// Counts of a stage's programs, and the SIMD-groups that are about to run together.
struct Running {
    main: Counts,
    preamble: Option<Counts>,
    waiting: Vec<Team>,
    together: usize,
}

impl Running {
    fn new(stage: &Stage<'_>) -> Running {
        let preamble = stage.preamble.map(Counts::new);
        Running { main: Counts::new(stage.program), preamble, waiting: Vec::new(), together: 1 }
    }

    fn programs<'r>(&'r self, stage: &Stage<'r>) -> impl Iterator<Item = (&'r Program, &'r Counts)> {
        stage.preamble.zip(self.preamble.as_ref()).into_iter().chain([(stage.program, &self.main)])
    }

    fn preamble(&mut self, machine: &mut Machine<'_>, stage: &Stage<'_>) -> Result<(), Box<Finding>> {
        match stage.preamble.zip(self.preamble.as_mut()) {
            Some((program, counts)) => machine.preamble(program, counts, stage.scratch_bytes),
            None => Ok(()),
        }
    }
}

fn render(
    machine: &mut Machine<'_>,
    frame: &mut Frame,
    draw: &Draw<'_>,
    counts: &mut [Running; 2],
) -> Result<(), Box<Finding>> {
    let [vertex_counts, fragment_counts] = counts;
    vertex_counts.preamble(machine, &draw.vertex)?;
    let mut instances = Vec::new();
    for instance in 0..draw.instances {
        instances.push(vertices(machine, draw, instance, vertex_counts)?);
    }
    machine.rebind(draw.fragment.uniforms, draw.fragment.states);
    fragment_counts.preamble(machine, &draw.fragment)?;
    let corners = match draw.topology {
        Topology::Points => 1,
        Topology::Lines => 2,
        Topology::Triangles => 3,
    };
    for vertices in &instances {
        for (number, corners) in (0..).zip(vertices.chunks_exact(corners)) {
            let Some(polygon) = set_up(frame, draw, corners, number) else { continue };
            shade_polygon(machine, frame, &polygon, &draw.fragment, fragment_counts)?;
        }
    }
    finish_fragments(machine, frame, &draw.fragment, fragment_counts)
}

/// The output slots of a vertex.
type Vertex = Vec<u32>;

/// `r5`, the vertex number, and `r6`, the instance number.
const IDS: [Dst; 2] = [Dst { half: 10, size: Size::B32 }, Dst { half: 12, size: Size::B32 }];

/// Runs the vertex program for every vertex of an instance.
fn vertices(
    machine: &mut Machine<'_>,
    draw: &Draw<'_>,
    instance: u32,
    counts: &mut Running,
) -> Result<Vec<Vertex>, Box<Finding>> {
    let job = Job { stack_words: stack::limit_words(draw.vertex.scratch_bytes), ..Job::default() };
    let mut vertices = Vec::with_capacity(draw.vertices.len());
    for (index, numbers) in draw.vertices.chunks(LANES).enumerate() {
        let mut group = machine.group(index as u32, numbers.len() as u32);
        group.outputs = Some(Box::default());
        for (lane, number) in numbers.iter().enumerate() {
            for (dst, value) in IDS.into_iter().zip([*number, instance]) {
                group.define(dst, u64::from(value), lane);
            }
        }
        let mut teams = [Team::alone(group, machine.local(0))];
        machine.execute(draw.vertex.program, &mut counts.main, &mut teams, job, None)?;
        let outputs: &Outputs = match &teams[0].groups[0].outputs {
            Some(outputs) => outputs,
            None => continue,
        };
        for lane in 0..numbers.len() {
            vertices.push(outputs.slots.iter().map(|slot| slot[lane]).collect());
        }
    }
    Ok(vertices)
}

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

/// The shape of a primitive: its polygon on the screen and three homogeneous corners that carry vertex values.
struct Shape {
    outline: Vec<Point>,
    rows: [[f64; 3]; 3],
    /// The vertex behind each row.
    owners: [usize; 3],
    /// Left, top and side of a point.
    point: Option<[f64; 3]>,
}

/// Sets coefficients, depth and face for a primitive; `None` when nothing of it is drawn.
fn set_up(frame: &mut Frame, draw: &Draw<'_>, vertices: &[Vertex], number: u32) -> Option<Polygon> {
    let [width, height] = frame.buffer.size();
    let scissor = draw.scissor.unwrap_or([0, 0, width, height]);
    let scissor = [scissor[0], scissor[1], scissor[2].min(width), scissor[3].min(height)];
    let shape = match vertices {
        [point] => point_shape(draw, point),
        [a, b] => line_shape(draw, [a, b]),
        [a, b, c] => triangle_shape(draw, [a, b, c]),
        _ => None,
    }?;
    frame.primitive.back = vertices.len() == 3 && is_back(draw, &shape.outline);
    let culled = match draw.cull {
        Cull::None => false,
        Cull::Front => vertices.len() == 3 && !frame.primitive.back,
        Cull::Back => frame.primitive.back,
    };
    let polygon = Polygon::new(&shape.outline, scissor).filter(|_| !culled)?;
    let depths = shape.owners.map(|at| draw.viewport.depth(position(draw, &vertices[at])));
    frame.primitive.depth = plane(&shape.rows, depths)?;
    frame.primitive.coefficients = draw
        .coefficients
        .iter()
        .map(|binding| match binding {
            Binding::PrimitiveId => Some(Coefficient::Flat(number)),
            binding => coefficient(draw, &shape, vertices, *binding),
        })
        .collect::<Option<_>>()?;
    Some(polygon)
}

/// A positive doubled area runs clockwise when y points down.
fn is_back(draw: &Draw<'_>, outline: &[Point]) -> bool {
    (doubled_area(outline) < 0.0) != draw.front_counter_clockwise
}

fn triangle_shape(draw: &Draw<'_>, vertices: [&Vertex; 3]) -> Option<Shape> {
    let corners = vertices.map(|vertex| position(draw, vertex));
    let outline: Vec<Point> =
        clip_polygon(corners.to_vec()).into_iter().map(|corner| draw.viewport.point(corner)).collect();
    let rows = corners.map(|corner| draw.viewport.homogeneous(corner));
    (outline.len() >= 3).then_some(Shape { outline, rows, owners: [0, 1, 2], point: None })
}

/// A line is a rectangle around the segment; values change along it only.
fn line_shape(draw: &Draw<'_>, vertices: [&Vertex; 2]) -> Option<Shape> {
    let ends = vertices.map(|vertex| position(draw, vertex));
    let [[x0, y0], [x1, y1]] = clip_segment(ends)?.map(|end| draw.viewport.point(end));
    let length = libm::hypot(x1 - x0, y1 - y0);
    let across = f64::from(draw.line_width) / 2.0 / length;
    let (nx, ny) = ((y0 - y1) * across, (x1 - x0) * across);
    let outline = vec![[x0 + nx, y0 + ny], [x1 + nx, y1 + ny], [x1 - nx, y1 - ny], [x0 - nx, y0 - ny]];
    let [first, second] = ends.map(|end| draw.viewport.homogeneous(end));
    let beside = [first[0] + nx * first[2], first[1] + ny * first[2], first[2]];
    Some(Shape { outline, rows: [first, second, beside], owners: [0, 1, 0], point: None })
}

/// A point is a square; its values are the same everywhere.
fn point_shape(draw: &Draw<'_>, vertex: &Vertex) -> Option<Shape> {
    let [clip, _] = clip_segment([position(draw, vertex); 2])?;
    let [x, y] = draw.viewport.point(clip);
    // Larger points are not rendered, smaller ones grow to a pixel (Mesa 25.0).
    let side = draw.point_size_slot.map_or(1.0, |slot| float_slot(vertex, slot)).clamp(1.0, 511.95);
    let (left, top) = (x - side / 2.0, y - side / 2.0);
    let outline = vec![[left, top], [left + side, top], [left + side, top + side], [left, top + side]];
    let w = clip[3];
    let rows = [[x * w, y * w, w], [(x + 1.0) * w, y * w, w], [x * w, (y + 1.0) * w, w]];
    Some(Shape { outline, rows, owners: [0; 3], point: Some([left, top, side]) })
}

fn coefficient(draw: &Draw<'_>, shape: &Shape, vertices: &[Vertex], binding: Binding) -> Option<Coefficient> {
    let values = |number: u32| shape.owners.map(|at| float_slot(&vertices[at], number));
    let across = |axis: usize| {
        let [left, top, side] = shape.point.unwrap_or([0.0, 0.0, 1.0]);
        let start = [left, top][axis];
        let slope = [0, 1].map(|at| if at == axis { 1.0 / side } else { 0.0 });
        Plane { a: slope[0], b: slope[1], c: -start / side }
    };
    Some(match binding {
        Binding::Flat(number) => {
            let provoking = if draw.provoking_last { vertices.last() } else { vertices.first() };
            Coefficient::Flat(slot(provoking?, number))
        }
        Binding::Perspective(number) => Coefficient::Linear(plane(&shape.rows, values(number))?),
        Binding::PrimitiveId => return None,
        Binding::OneOverW => Coefficient::Linear(plane(&shape.rows, [1.0; 3])?),
        Binding::Depth => {
            let depths = shape.owners.map(|at| draw.viewport.depth(position(draw, &vertices[at])));
            Coefficient::Linear(plane(&shape.rows, depths)?)
        }
        Binding::Linear(number) => {
            // The value, not the value over w, is linear: every corner at w = 1.
            let flattened = shape.rows.map(|[x, y, w]| [x / w, y / w, 1.0]);
            Coefficient::Linear(plane(&flattened, values(number))?)
        }
        Binding::PointX => Coefficient::Linear(across(0)),
        Binding::PointY => Coefficient::Linear(across(1)),
    })
}

/// Most fragment SIMD-groups under way at a time, where memory is not sequential.
const FRAGMENTS_TOGETHER: u64 = 6;

/// Quads of a fragment SIMD-group.
const QUADS: usize = LANES / 4;

/// Runs the fragment program over a polygon: full SIMD-groups of quads of the same tile.
fn shade_polygon(
    machine: &mut Machine<'_>,
    frame: &mut Frame,
    polygon: &Polygon,
    stage: &Stage<'_>,
    counts: &mut Running,
) -> Result<(), Box<Finding>> {
    let quads = polygon.quads(&frame.buffer);
    for tile in quads.chunk_by(|a, b| a.tile == b.tile) {
        for (index, quads) in tile.chunks(QUADS).enumerate() {
            let Some(mut group) = fragment_group(machine, frame, quads, index as u32) else { continue };
            if counts.waiting.is_empty() {
                counts.together = machine.teams_together(FRAGMENTS_TOGETHER);
            }
            if counts.together > 1 {
                group.primitive = Some(Box::new(frame.primitive.clone()));
            }
            counts.waiting.push(Team::alone(group, machine.local(0)));
            if counts.waiting.len() >= counts.together {
                finish_fragments(machine, frame, stage, counts)?;
            }
        }
    }
    Ok(())
}

/// Runs the fragment SIMD-groups that are waiting.
fn finish_fragments(
    machine: &mut Machine<'_>,
    frame: &mut Frame,
    stage: &Stage<'_>,
    counts: &mut Running,
) -> Result<(), Box<Finding>> {
    let job = Job { stack_words: stack::limit_words(stage.scratch_bytes), ..Job::default() };
    let mut teams = std::mem::take(&mut counts.waiting);
    machine.execute(stage.program, &mut counts.main, &mut teams, job, Some(frame))
}

/// The SIMD-group of up to eight quads; `None` when early tests leave no sample of it.
fn fragment_group(machine: &Machine<'_>, frame: &mut Frame, quads: &[Quad], index: u32) -> Option<Group> {
    let mut group = machine.group(index, 4 * quads.len() as u32);
    let mut pixels = Pixels::default();
    for (at, quad) in quads.iter().enumerate() {
        for corner in 0..4 {
            let lane = 4 * at + corner;
            let [x, y] = quad.pixels[corner];
            let mut covered = quad.covered[corner];
            if !frame.late_tests {
                let samples = (0..frame.buffer.samples()).filter(|sample| covered >> sample & 1 != 0);
                covered = samples.fold(0, |passed, sample| {
                    passed | u16::from(frame.test([x, y, sample], None, None)) << sample
                });
            }
            pixels.position[lane] = [x, y];
            pixels.covered[lane] = covered;
            pixels.live[lane] = covered;
        }
    }
    let visible = pixels.covered != [0; LANES];
    group.pixels = Some(Box::new(pixels));
    visible.then_some(group)
}
