//! Draws: vertex programs, primitives, fragment programs over a framebuffer.
//!
//! Vertex programs run to their end before the first fragment; primitives are shaded in order, a tile after the other,
//! eight quads a SIMD-group. Blending and formats are the programs' business: the framebuffer keeps bytes.

use crate::dispatch::{Options, Stop};
use crate::exec::stack;
use crate::findings::Finding;
use crate::fragments::{Primitives, Running, shade_alone};
use crate::frame::{Coefficient, Frame, Framebuffer, Plane, Primitive, Tests};
use crate::group::LANES;
use crate::machine::{Job, Machine, Team, conclude};
use crate::memory::Memory;
use crate::pixels::Outputs;
use crate::primitive::Vertex;
use crate::profile::Report;
use crate::program::Program;
use crate::raster::{Polygon, Viewport};
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
    /// A slot of this corner of the primitive, or of its last one.
    FlatCorner(u32, u8),
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
    /// Position on a point, 0 to 1: from left to right along axis 0, from top to bottom along axis 1.
    Point {
        /// Which of the two.
        axis: usize,
        /// Divided by w: `iterproj` makes it the position.
        over_w: bool,
    },
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
    /// What only a command stream asks for.
    pub more: More<'a>,
    /// How to run.
    pub options: Options,
}

/// What only a command stream asks of a draw.
#[derive(Clone, Copy, Debug)]
pub struct More<'a> {
    /// Slot with the layer in its lower half and the viewport in its upper half.
    pub layer_slot: Option<u32>,
    /// Viewports from 1 on, with their scissors.
    pub viewports: &'a [(Viewport, [u32; 4])],
    /// First of the slots with clip distances, and how many there are.
    pub clip_slots: (u32, usize),
    /// Clips at near and far.
    pub depth_clip: bool,
    /// Least and greatest depth.
    pub depth_range: [f32; 2],
    /// Depth bias.
    pub bias: Option<Bias>,
    /// What is drawn of triangles.
    pub fill: Fill,
    /// Number of the first primitive.
    pub first_primitive: u32,
    /// Number of the first instance.
    pub first_instance: u32,
    /// The fragment program does not run: only tests count.
    pub tests_only: bool,
    /// The y coordinate of points runs up.
    pub points_run_up: bool,
    /// Steps of a pixel that positions on the screen are rounded to; not rounded without.
    pub steps: Option<u32>,
}

impl Default for More<'_> {
    fn default() -> Self {
        More {
            layer_slot: None,
            viewports: &[],
            clip_slots: (0, 0),
            depth_clip: true,
            depth_range: [0.0, 1.0],
            bias: None,
            fill: Fill::Whole,
            first_primitive: 0,
            first_instance: 0,
            tests_only: false,
            points_run_up: false,
            steps: None,
        }
    }
}

/// What is drawn of triangles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fill {
    /// All of them.
    Whole,
    /// Their edges.
    Edges,
    /// Their corners.
    Corners,
}

/// A depth bias.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bias {
    /// Units added.
    pub constant: f32,
    /// Factor of the slope.
    pub slope: f32,
    /// Limit; none when 0.
    pub clamp: f32,
    /// A unit is half the range of depth, instead of the least step of a float as large as the primitive's depth.
    pub integer: bool,
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
    /// The layer that the framebuffer belongs to.
    pub layer: u32,
    /// Depth, stencil and the count of samples stay as they are.
    pub keeps_tests: bool,
    /// How to run.
    pub options: Options,
}

/// Draws into `framebuffer`.
pub fn draw(memory: &mut Memory, framebuffer: &mut Framebuffer, draw: &Draw<'_>) -> Result<Report, Stop> {
    draw_layers(memory, std::slice::from_mut(framebuffer), draw)
}

/// Draws into framebuffers of the same size, one for each layer.
pub fn draw_layers(memory: &mut Memory, layers: &mut [Framebuffer], draw: &Draw<'_>) -> Result<Report, Stop> {
    let mut machine = Machine::new(memory, &draw.options, draw.vertex.uniforms, draw.vertex.states);
    let mut nothing = Framebuffer::new(0, 0, 1, 0);
    let mut frame = frame(layers.first_mut().unwrap_or(&mut nothing), draw.tests, draw.late_tests);
    frame.depth_range = draw.more.depth_range;
    let mut counts = [Running::new(&draw.vertex), Running::new(&draw.fragment)];
    let outcome = render(&mut machine, &mut frame, layers, draw, &mut counts);
    frame.change_layer(layers, 0);
    std::mem::swap(layers.first_mut().unwrap_or(&mut nothing), &mut frame.buffer);
    let [vertex, fragment] = &counts;
    let programs: Vec<_> = vertex.programs(&draw.vertex).chain(fragment.programs(&draw.fragment)).collect();
    conclude(outcome, machine.report(&programs))
}

/// Shades a rectangle of `framebuffer`.
pub fn shade(memory: &mut Memory, framebuffer: &mut Framebuffer, shade: &Shade<'_>) -> Result<Report, Stop> {
    let mut machine = Machine::new(memory, &shade.options, shade.fragment.uniforms, shade.fragment.states);
    let mut frame = frame(framebuffer, shade.tests, shade.late_tests);
    frame.layer = shade.layer;
    let passed = frame.buffer.passed;
    frame.primitive.coefficients = shade.coefficients.to_vec();
    frame.primitive.depth = Plane { a: 0.0, b: 0.0, c: f64::from(shade.depth) };
    let mut counts = Running::new(&shade.fragment);
    let outcome = cover(&mut machine, &mut frame, shade, &mut counts);
    if shade.keeps_tests {
        frame.buffer.passed = passed;
    }
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
    shade_alone(machine, frame, &polygon, &shade.fragment, counts)
}

/// The framebuffer moves into the frame for the time of a draw.
fn frame(framebuffer: &mut Framebuffer, tests: Tests, late_tests: bool) -> Frame {
    Frame {
        buffer: std::mem::replace(framebuffer, Framebuffer::new(0, 0, 1, 0)),
        tests,
        primitive: Primitive::default(),
        layer: 0,
        late_tests,
        depth_range: [0.0, 1.0],
    }
}

fn render(
    machine: &mut Machine<'_>,
    frame: &mut Frame,
    layers: &mut [Framebuffer],
    draw: &Draw<'_>,
    counts: &mut [Running; 2],
) -> Result<(), Box<Finding>> {
    let [vertex_counts, fragment_counts] = counts;
    vertex_counts.preamble(machine, &draw.vertex)?;
    let mut instances = Vec::new();
    for instance in (draw.more.first_instance..).take(draw.instances as usize) {
        instances.push(vertices(machine, draw, instance, vertex_counts)?);
    }
    machine.rebind(draw.fragment.uniforms, draw.fragment.states);
    fragment_counts.preamble(machine, &draw.fragment)?;
    let primitives = Primitives { draw, instances: &instances };
    primitives.shade(machine, frame, layers, fragment_counts)
}

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
