//! Fragments: the polygons of a draw, shaded in order by SIMD-groups of eight quads.

use crate::draw::{Draw, Shading, Stage};
use crate::exec::stack;
use crate::frame::{Frame, Primitive};
use crate::group::{Group, LANES};
use crate::machine::{Job, Machine, Team};
use crate::pixels::Pixels;
use crate::primitive::Prepared;
use crate::profile::Counts;
use crate::program::Program;
use crate::raster::{Polygon, Quad};
use crate::registers::lanes_of;
use crate::workers::Outcome;

impl Frame {
    /// The fragment of a pixel begins.
    fn note_begin(&mut self, pixel: [u32; 2], covered: u16) {
        if let Some(watcher) = &mut self.watcher {
            watcher.begin(pixel, covered, self.primitive.back, &self.buffer);
        }
    }

    /// The fragment of these samples of a pixel is visible.
    fn note_visible(&mut self, [x, y]: [u32; 2], samples: u16) {
        if let Some(hidden) = &mut self.hidden {
            let places = lanes_of(u32::from(samples));
            places
                .filter_map(|sample| self.buffer.place(x, y, sample as u32))
                .for_each(|at| hidden.begin(at));
        }
    }

    /// The fragments that began have ended.
    fn note_end(&mut self) {
        if let Some(watcher) = &mut self.watcher {
            watcher.end(&self.buffer);
        }
    }

    /// Makes a primitive the one being shaded.
    fn take(&mut self, prepared: &Prepared) {
        let Primitive { coefficients, depth, back } = &prepared.primitive;
        self.primitive.coefficients.clone_from(coefficients);
        (self.primitive.depth, self.primitive.back) = (*depth, *back);
        self.depth_limits.range = prepared.range;
        if let Some(watcher) = &mut self.watcher {
            watcher.primitive = prepared.numbers;
        }
    }
}

/// Counts of a stage's programs, and the SIMD-groups that will run together.
pub(crate) struct Running {
    pub(crate) main: Counts,
    preamble: Option<Counts>,
    waiting: Vec<Team>,
    together: usize,
}

impl Running {
    /// Adds the counts of another thread.
    pub(crate) fn merge(&mut self, other: &Running) {
        self.main.merge(&other.main);
    }

    pub(crate) fn new(stage: &Stage<'_>) -> Running {
        let preamble = stage.preamble.map(Counts::new);
        Running { main: Counts::new(stage.program), preamble, waiting: Vec::new(), together: 1 }
    }

    pub(crate) fn programs<'r>(
        &'r self,
        stage: &Stage<'r>,
    ) -> impl Iterator<Item = (&'r Program, &'r Counts)> {
        stage.preamble.zip(self.preamble.as_ref()).into_iter().chain([(stage.program, &self.main)])
    }

    pub(crate) fn preamble(&mut self, machine: &mut Machine<'_>, stage: &Stage<'_>) -> Outcome {
        match stage.preamble.zip(self.preamble.as_mut()) {
            Some((program, counts)) => machine.preamble(program, counts, stage.scratch_bytes),
            None => Ok(()),
        }
    }
}

/// Shades primitives of a draw in the pixels of the frame, in order.
pub(crate) fn shade_primitives<'p>(
    machine: &mut Machine<'_>,
    frame: &mut Frame,
    primitives: impl IntoIterator<Item = &'p Prepared>,
    draw: &Draw<'_>,
    counts: &mut Running,
) -> Outcome {
    (frame.tests, frame.late_tests, frame.depth_limits) =
        (draw.tests, draw.late_tests, draw.more.depth_limits);
    if let Some(hidden) = &mut frame.hidden {
        hidden.shading = draw.more.shading;
    }
    for prepared in primitives {
        frame.take(prepared);
        for polygon in &prepared.polygons {
            match draw.more.shading {
                Shading::Tests => test_polygon(frame, polygon),
                Shading::Each | Shading::Opaque => {
                    shade_polygon(machine, frame, polygon, &draw.fragment, counts)?
                }
            }
        }
    }
    finish_fragments(machine, frame, &draw.fragment, counts)
}

/// Shades the pixels of a rectangle that are in the frame.
pub(crate) fn cover(
    machine: &mut Machine<'_>,
    frame: &mut Frame,
    rectangle: [u32; 4],
    stage: &Stage<'_>,
    counts: &mut Running,
) -> Outcome {
    let [left, top, right, bottom] = rectangle.map(f64::from);
    let corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
    if let Some(polygon) = Polygon::new(&corners, frame.buffer.rectangle()) {
        shade_polygon(machine, frame, &polygon, stage, counts)?;
    }
    finish_fragments(machine, frame, stage, counts)
}

/// Tests the samples of a polygon without a program.
fn test_polygon(frame: &mut Frame, polygon: &Polygon) {
    for quad in polygon.quads(&frame.buffer) {
        for ([x, y], covered) in quad.pixels.into_iter().zip(quad.covered) {
            frame.note_begin([x, y], covered);
            for sample in lanes_of(u32::from(covered)) {
                frame.test([x, y, sample as u32], None, None);
            }
            frame.note_end();
        }
    }
}

/// Maximum number of concurrent fragment SIMD-groups with relaxed memory.
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
) -> Outcome {
    let quads = polygon.quads(&frame.buffer);
    for tile in quads.chunk_by(|a, b| a.tile == b.tile) {
        for (index, quads) in tile.chunks(QUADS).enumerate() {
            let Some(mut group) = fragment_group(machine, frame, quads, index as u32) else {
                frame.note_end();
                continue;
            };
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

/// Runs the pending fragment SIMD-groups.
fn finish_fragments(
    machine: &mut Machine<'_>,
    frame: &mut Frame,
    stage: &Stage<'_>,
    counts: &mut Running,
) -> Outcome {
    let job = Job { stack_words: stack::limit_words(stage.scratch_bytes), ..Job::default() };
    let mut teams = std::mem::take(&mut counts.waiting);
    machine.execute(stage.program, &mut counts.main, &mut teams, job, Some(frame))?;
    frame.note_end();
    Ok(())
}

/// The SIMD-group of up to eight quads; `None` if no sample passes the early tests.
fn fragment_group(machine: &Machine<'_>, frame: &mut Frame, quads: &[Quad], index: u32) -> Option<Group> {
    let mut group = machine.group(index, 4 * quads.len() as u32);
    let mut pixels = Pixels::default();
    for (at, quad) in quads.iter().enumerate() {
        for corner in 0..4 {
            let lane = 4 * at + corner;
            let [x, y] = quad.pixels[corner];
            let mut covered = quad.covered[corner];
            frame.note_begin([x, y], covered);
            if !frame.late_tests {
                let samples = (0..frame.buffer.samples()).filter(|sample| covered >> sample & 1 != 0);
                covered = samples.fold(0, |passed, sample| {
                    passed | u16::from(frame.test([x, y, sample], None, None)) << sample
                });
            }
            frame.note_visible([x, y], covered);
            pixels.position[lane] = [x, y];
            pixels.covered[lane] = covered;
            pixels.live[lane] = covered;
        }
    }
    let visible = pixels.covered != [0; LANES];
    group.pixels = Some(Box::new(pixels));
    visible.then_some(group)
}
