//! Fragments: the polygons of a draw, shaded by SIMD-groups of quads.
//!
//! Polygons are shaded in order, tile by tile, with eight quads per SIMD-group. Large draws are distributed over
//! threads: each shades all polygons within its band of rows.

use std::sync::{Mutex, PoisonError};

use crate::draw::{Draw, Stage, Topology};
use crate::exec::stack;
use crate::findings::Finding;
use crate::frame::{Frame, Framebuffer};
use crate::group::{Group, LANES};
use crate::machine::{Job, Machine, Team};
use crate::pixels::Pixels;
use crate::primitive::{Vertex, set_up, target};
use crate::profile::Counts;
use crate::program::Program;
use crate::raster::{Polygon, Quad};
use crate::registers::lanes_of;
use crate::workers::{self, Outcome};

/// Minimum number of pixels of a draw for which it is distributed over threads.
const LEAST_SHARED: u64 = 4096;
/// Bands per thread; several, because their work differs.
const BANDS_PER_THREAD: u32 = 4;

impl Frame {
    /// Removes and returns the rows of tiles from `band` on.
    fn split_off(&mut self, band: u32) -> Frame {
        let buffer = self.buffer.split_off(band);
        Frame { buffer, primitive: self.primitive.clone(), ..*self }
    }

    /// Returns the buffer of the current layer and takes that of another.
    pub(crate) fn change_layer(&mut self, layers: &mut [Framebuffer], layer: u32) {
        for place in [self.layer, layer] {
            if self.layer != layer
                && let Some(buffer) = layers.get_mut(place as usize)
            {
                std::mem::swap(buffer, &mut self.buffer);
            }
        }
        self.layer = layer;
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

/// The primitives of a draw after its vertices were shaded.
pub(crate) struct Primitives<'d> {
    pub(crate) draw: &'d Draw<'d>,
    /// Vertices of each instance.
    pub(crate) instances: &'d [Vec<Vertex>],
}

impl Primitives<'_> {
    /// Shades the primitives of all instances, in order.
    pub(crate) fn shade(
        &self,
        machine: &mut Machine<'_>,
        frame: &mut Frame,
        layers: &mut [Framebuffer],
        counts: &mut Running,
    ) -> Outcome {
        let stage = &self.draw.fragment;
        let threads = machine.threads(stage.program);
        let area = (threads > 1).then_some(LEAST_SHARED);
        let Some(first) = self.shade_from((0, area), machine, frame, layers, counts)? else { return Ok(()) };
        share_bands(machine, (frame, layers), (stage, counts), threads, |machine, frame, layers, counts| {
            self.shade_from((first, None), machine, frame, layers, counts).map(|_| ())
        })
    }

    /// Shades the primitives from number `first` on over all instances, in order. With an area, it stops at the
    /// primitive that covers more pixels than that, and returns its number.
    fn shade_from(
        &self,
        (first, mut area): (usize, Option<u64>),
        machine: &mut Machine<'_>,
        frame: &mut Frame,
        layers: &mut [Framebuffer],
        counts: &mut Running,
    ) -> Result<Option<usize>, Box<Finding>> {
        let draw = self.draw;
        let corners = match draw.topology {
            Topology::Points => 1,
            Topology::Lines => 2,
            Topology::Triangles => 3,
        };
        let all = self.instances.iter().flat_map(|vertices| vertices.chunks_exact(corners).enumerate());
        for (at, (number, corners)) in all.enumerate().skip(first) {
            let number = draw.more.first_primitive.wrapping_add(number as u32);
            let (layer, viewport) = target(draw, corners);
            if layer as usize >= layers.len() {
                continue;
            }
            if layer != frame.layer {
                finish_fragments(machine, frame, &draw.fragment, counts)?;
                frame.change_layer(layers, layer);
            }
            let polygons = set_up(frame, draw, corners, number, viewport);
            if let Some(left) = &mut area {
                let Some(less) = left.checked_sub(polygons.iter().map(Polygon::area).sum()) else {
                    return Ok(Some(at));
                };
                *left = less;
            }
            for polygon in polygons {
                if draw.more.tests_only {
                    test_polygon(frame, &polygon);
                } else {
                    shade_polygon(machine, frame, &polygon, &draw.fragment, counts)?;
                }
            }
        }
        finish_fragments(machine, frame, &draw.fragment, counts)?;
        Ok(None)
    }
}

/// Shades a polygon that does not belong to a primitive.
pub(crate) fn shade_alone(
    machine: &mut Machine<'_>,
    frame: &mut Frame,
    polygon: &Polygon,
    stage: &Stage<'_>,
    counts: &mut Running,
) -> Outcome {
    let work = |machine: &mut Machine<'_>, frame: &mut Frame, _: &mut [Framebuffer], counts: &mut Running| {
        shade_polygon(machine, frame, polygon, stage, counts)?;
        finish_fragments(machine, frame, stage, counts)
    };
    match machine.threads(stage.program) {
        threads if threads > 1 && polygon.area() >= LEAST_SHARED => {
            share_bands(machine, (frame, &mut []), (stage, counts), threads, work)
        }
        _ => work(machine, frame, &mut [], counts),
    }
}

/// Splits the framebuffers of a draw into bands of rows, runs `work` for each band on one of several threads, and joins
/// the bands again.
/// together again.
fn share_bands(
    machine: &mut Machine<'_>,
    (frame, layers): (&mut Frame, &mut [Framebuffer]),
    (stage, counts): (&Stage<'_>, &mut Running),
    threads: usize,
    work: impl Fn(&mut Machine<'_>, &mut Frame, &mut [Framebuffer], &mut Running) -> Outcome + Sync,
) -> Outcome {
    let layer = frame.layer;
    let rows = frame.buffer.bands().end;
    let count = rows.clamp(1, BANDS_PER_THREAD.saturating_mul(threads as u32));
    let cuts = (0..count).rev().map(|band| u64::from(rows) * u64::from(band) / u64::from(count));
    let split = cuts.map(|cut| {
        let layers = layers.iter_mut().map(|layer| layer.split_off(cut as u32));
        Mutex::new((frame.split_off(cut as u32), layers.collect::<Vec<_>>()))
    });
    let mut bands: Vec<_> = split.collect();
    bands.reverse();
    let own = || Running::new(stage);
    let (shares, outcome) =
        workers::share(machine, threads, u64::from(count), own, |machine, band, counts| {
            let mut band = bands[band as usize].lock().unwrap_or_else(PoisonError::into_inner);
            let (frame, layers) = &mut *band;
            let outcome = work(machine, frame, layers, counts);
            frame.change_layer(layers, layer);
            outcome
        });
    shares.iter().for_each(|share| counts.main.merge(&share.main));
    for band in bands {
        let (below, others) = band.into_inner().unwrap_or_else(PoisonError::into_inner);
        frame.buffer.append(below.buffer);
        layers.iter_mut().zip(others).for_each(|(layer, below)| layer.append(below));
    }
    outcome
}

/// Tests the samples of a polygon without a program.
fn test_polygon(frame: &mut Frame, polygon: &Polygon) {
    for quad in polygon.quads(&frame.buffer) {
        for ([x, y], covered) in quad.pixels.into_iter().zip(quad.covered) {
            for sample in lanes_of(u32::from(covered)) {
                frame.test([x, y, sample as u32], None, None);
            }
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

/// Runs the pending fragment SIMD-groups.
fn finish_fragments(
    machine: &mut Machine<'_>,
    frame: &mut Frame,
    stage: &Stage<'_>,
    counts: &mut Running,
) -> Outcome {
    let job = Job { stack_words: stack::limit_words(stage.scratch_bytes), ..Job::default() };
    let mut teams = std::mem::take(&mut counts.waiting);
    machine.execute(stage.program, &mut counts.main, &mut teams, job, Some(frame))
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
