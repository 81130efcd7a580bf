//! Draws: vertex programs, primitives, fragment programs over a framebuffer.
//!
//! All vertex programs run before the first fragment. Primitives are shaded in order, with eight quads per SIMD-group. Blending and formats are implemented by the programs: the framebuffer stores bytes.

use crate::dispatch::{Options, Stop};
use crate::findings::Finding;
use crate::fragments::{Running, cover, shade_primitives};
use crate::frame::{Coefficient, Frame, Framebuffer, Plane, Tests};
use crate::geometry::Geometry;
use crate::history::{Touch, Watcher};
use crate::machine::{Machine, conclude};
use crate::memory::Memory;
use crate::profile::{Profile, Report};
use crate::program::Program;
use crate::raster::Viewport;
use crate::textures::States;
use agx_abi::render::LEAST_W;

/// A program of a draw with its inputs.
#[derive(Clone, Copy, Debug)]
pub struct Stage<'a> {
    /// The program.
    pub program: &'a Program,
    /// A program that one lane runs first, to set uniforms.
    pub preamble: Option<&'a Program>,
    /// Uniform half-words from 0 on.
    pub uniforms: &'a [u16],
    /// Texture and sampler state as the driver loads it.
    pub states: States<'a>,
    /// Stack memory of a lane in bytes.
    pub scratch_bytes: u32,
}

/// The primitives that vertices form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Topology {
    /// Each vertex is a point.
    Points,
    /// Two vertices are a line.
    Lines,
    /// Three vertices are a triangle.
    Triangles,
}

impl Topology {
    /// Vertices of a primitive.
    pub fn vertices(self) -> u32 {
        match self {
            Topology::Points => 1,
            Topology::Lines => 2,
            Topology::Triangles => 3,
        }
    }
}

/// Faces that are not drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Cull {
    /// All are drawn.
    #[default]
    None,
    /// Front faces are not drawn.
    Front,
    /// Back faces are not drawn.
    Back,
}

/// The value that a coefficient register interpolates. Slots are those of `st_var`, in words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binding {
    /// A slot of the provoking vertex.
    Flat(u32),
    /// A slot of this vertex of the primitive, or of its last one.
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
        /// The axis.
        axis: usize,
        /// Divided by w: `iterproj` makes it the position.
        over_w: bool,
    },
}

/// A draw.
#[derive(Clone, Debug)]
pub struct Draw<'a> {
    /// Runs for every vertex, with the vertex number in r5 and the instance number in r6.
    pub vertex: Stage<'a>,
    /// Runs for every covered pixel and its quad.
    pub fragment: Stage<'a>,
    /// The primitives that the vertices form.
    pub topology: Topology,
    /// Vertex numbers in order, as read from an index buffer.
    pub vertices: &'a [u32],
    /// Instances.
    pub instances: u32,
    /// Four slots: clip-space x, y, z, w.
    pub position_slot: u32,
    /// Slot of the point size; if absent, the size is 1.
    pub point_size_slot: Option<u32>,
    /// Coefficient registers from 0 on.
    pub coefficients: &'a [Binding],
    /// Viewport.
    pub viewport: Viewport,
    /// Left, top, right, bottom; the last two exclusive.
    pub scissor: Option<[u32; 4]>,
    /// Width of lines in pixels.
    pub line_width: f32,
    /// Whether triangles whose vertices run counter-clockwise on the screen are front faces.
    pub front_counter_clockwise: bool,
    /// Faces that are not drawn.
    pub cull: Cull,
    /// Whether the last vertex is the provoking vertex, instead of the first.
    pub provoking_last: bool,
    /// Depth and stencil.
    pub tests: Tests,
    /// Whether the fragment program runs the tests (`sample_mask`, `zs_emit`); otherwise they run before it.
    pub late_tests: bool,
    /// Parameters that only control streams use.
    pub more: More<'a>,
    /// Options of the run.
    pub options: Options,
}

/// Limits of the depth of samples.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DepthLimits {
    /// Minimum and maximum.
    pub range: [f32; 2],
    /// Whether they also apply to depth that fragment programs write.
    pub written: bool,
}

impl Default for DepthLimits {
    fn default() -> Self {
        DepthLimits { range: [0.0, 1.0], written: false }
    }
}

/// When the fragment program of a draw runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Shading {
    /// Never: only the tests run.
    Tests,
    /// For each visible fragment, after all fragments before it in its samples.
    #[default]
    Each,
    /// For the last of consecutive opaque fragments of a sample. Strict mode reports a fragment that stores less than one whose
    /// place it takes.
    Opaque,
}

/// Parameters of a draw that only control streams use.
#[derive(Clone, Copy, Debug)]
pub struct More<'a> {
    /// Slot with the layer in its lower half and the viewport in its upper half.
    pub layer_slot: Option<u32>,
    /// Viewports from 1 on, with their scissors, and minimum and maximum depth.
    pub viewports: &'a [(Viewport, [u32; 4], [f32; 2])],
    /// First of the slots with clip distances, and their number.
    pub clip_slots: (u32, usize),
    /// The volume to which primitives are clipped.
    pub volume: Volume,
    /// Limits of depth, of the first viewport.
    pub depth_limits: DepthLimits,
    /// Depth bias.
    pub bias: Option<Bias>,
    /// The part of triangles that is drawn.
    pub fill: Fill,
    /// Number of the first primitive.
    pub first_primitive: u32,
    /// Number of the first instance.
    pub first_instance: u32,
    /// When the fragment program runs.
    pub shading: Shading,
    /// Whether the y coordinate of points increases upwards.
    pub points_run_up: bool,
    /// Subdivisions of a pixel to which screen positions are rounded; if absent they are not rounded.
    pub steps: Option<u32>,
}

impl Default for More<'_> {
    fn default() -> Self {
        More {
            layer_slot: None,
            viewports: &[],
            clip_slots: (0, 0),
            volume: Volume::default(),
            depth_limits: DepthLimits::default(),
            bias: None,
            fill: Fill::Whole,
            first_primitive: 0,
            first_instance: 0,
            shading: Shading::Each,
            points_run_up: false,
            steps: None,
        }
    }
}

/// The volume to which primitives are clipped, apart from clip distances. Scissors replace clipping at the sides.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Volume {
    /// Whether primitives are clipped at the near and far planes.
    pub depth: bool,
    /// The least w: what is nearer is clipped.
    pub least_w: f32,
}

impl Default for Volume {
    fn default() -> Self {
        Volume { depth: true, least_w: LEAST_W }
    }
}

/// The part of triangles that is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fill {
    /// The whole triangle.
    Whole,
    /// Its edges.
    Edges,
    /// Its vertices.
    Corners,
}

/// A depth bias.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bias {
    /// Number of units to add.
    pub constant: f32,
    /// Factor of the slope.
    pub slope: f32,
    /// Limit; 0 means no limit.
    pub clamp: f32,
    /// Whether a unit is the whole range of depth, instead of the smallest step of a float as large as the primitive's
    /// depth.
    pub integer: bool,
}

/// A rectangle of pixels that is shaded without vertices, as for clears and blits of drivers and for shader tests.
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
    /// Whether the fragment program runs the tests.
    pub late_tests: bool,
    /// The layer that the framebuffer belongs to.
    pub layer: u32,
    /// Whether depth, stencil and the sample count stay unchanged.
    pub keeps_tests: bool,
    /// Options of the run.
    pub options: Options,
}

/// Draws to `framebuffer`.
pub fn draw(memory: &mut Memory, framebuffer: &mut Framebuffer, draw: &Draw<'_>) -> Result<Report, Stop> {
    let mut machine = Machine::new(memory, &draw.options, draw.vertex.uniforms, draw.vertex.states);
    let mut frame = frame(framebuffer, draw.tests, draw.late_tests);
    let mut counts = [Running::new(&draw.vertex), Running::new(&draw.fragment)];
    frame.watcher = watcher(&draw.options);
    let outcome = render(&mut machine, &mut frame, draw, &mut counts);
    std::mem::swap(framebuffer, &mut frame.buffer);
    let [vertex, fragment] = &counts;
    let programs: Vec<_> = vertex.programs(&draw.vertex).chain(fragment.programs(&draw.fragment)).collect();
    let mut report = machine.report(&programs);
    report.history = history(&mut frame);
    report.vertex_profile = draw.options.profile.then(|| Profile::new(draw.vertex.program, &vertex.main));
    conclude(outcome, report)
}

/// Shades a rectangle of `framebuffer`.
pub fn shade(memory: &mut Memory, framebuffer: &mut Framebuffer, shade: &Shade<'_>) -> Result<Report, Stop> {
    let mut machine = Machine::new(memory, &shade.options, shade.fragment.uniforms, shade.fragment.states);
    let mut frame = frame(framebuffer, shade.tests, shade.late_tests);
    frame.layer = shade.layer;
    frame.watcher = watcher(&shade.options);
    let passed = frame.buffer.passed;
    frame.primitive.coefficients = shade.coefficients.to_vec();
    frame.primitive.depth = Plane { a: 0.0, b: 0.0, c: f64::from(shade.depth) };
    let mut counts = Running::new(&shade.fragment);
    let preamble = counts.preamble(&mut machine, &shade.fragment);
    let outcome = preamble
        .and_then(|()| cover(&mut machine, &mut frame, shade.rectangle, &shade.fragment, &mut counts));
    if shade.keeps_tests {
        frame.buffer.passed = passed;
    }
    std::mem::swap(framebuffer, &mut frame.buffer);
    let programs: Vec<_> = counts.programs(&shade.fragment).collect();
    let mut report = machine.report(&programs);
    report.history = history(&mut frame);
    conclude(outcome, report)
}

/// What watches the pixel that the options name.
pub(crate) fn watcher(options: &Options) -> Option<Box<Watcher>> {
    options.watch.history.map(|pixel| Box::new(Watcher::new(pixel)))
}

/// The history of the pixel that is watched.
pub(crate) fn history(frame: &mut Frame) -> Vec<Touch> {
    frame.watcher.as_mut().map_or_else(Vec::new, |watcher| watcher.take_touches())
}

/// Moves the framebuffer into a frame for the duration of a draw.
pub(crate) fn frame(framebuffer: &mut Framebuffer, tests: Tests, late_tests: bool) -> Frame {
    let buffer = std::mem::replace(framebuffer, Framebuffer::new(0, 0, 1, 0));
    Frame { tests, late_tests, ..Frame::new(buffer) }
}

fn render(
    machine: &mut Machine<'_>,
    frame: &mut Frame,
    draw: &Draw<'_>,
    counts: &mut [Running; 2],
) -> Result<(), Box<Finding>> {
    let [vertex_counts, fragment_counts] = counts;
    let mut geometry = Geometry::default();
    geometry.add(machine, draw, (frame.buffer.size(), 1), vertex_counts)?;
    machine.rebind(draw.fragment.uniforms, draw.fragment.states);
    fragment_counts.preamble(machine, &draw.fragment)?;
    shade_primitives(machine, frame, geometry.primitives(), draw, fragment_counts)
}
