//! The end of a render pass: the program that stores the tile.

use crate::dispatch::{Options, Stop};
use crate::draw::Stage;
use crate::exec::stack;
use crate::frame::{Frame, Framebuffer, Primitive, Tests};
use crate::machine::{Job, Machine, Team, conclude};
use crate::memory::Memory;
use crate::profile::{Counts, Report};

/// An end-of-tile program. Hardware runs it for every tile; here the whole framebuffer is one tile, and it runs once.
#[derive(Clone, Debug)]
pub struct EndOfTile<'a> {
    /// The program.
    pub stage: Stage<'a>,
    /// The layer that the framebuffer belongs to.
    pub layer: u32,
    /// Options of the run.
    pub options: Options,
}

/// Runs an end-of-tile program over a framebuffer.
pub fn end_of_tile(
    memory: &mut Memory,
    framebuffer: &mut Framebuffer,
    end: &EndOfTile<'_>,
) -> Result<Report, Stop> {
    let stage = &end.stage;
    let mut machine = Machine::new(memory, &end.options, stage.uniforms, stage.states);
    let mut frame = Frame {
        buffer: std::mem::replace(framebuffer, Framebuffer::new(0, 0, 1, 0)),
        tests: Tests::default(),
        primitive: Primitive::default(),
        layer: end.layer,
        late_tests: false,
        depth_limits: crate::draw::DepthLimits::default(),
    };
    let mut counts = Counts::new(stage.program);
    let mut preamble_counts = stage.preamble.map(Counts::new);
    let mut outcome = Ok(());
    if let Some((program, counts)) = stage.preamble.zip(preamble_counts.as_mut()) {
        outcome = machine.preamble(program, counts, stage.scratch_bytes);
    }
    if outcome.is_ok() {
        let size = [1; 3];
        let stack_words = stack::limit_words(stage.scratch_bytes);
        let job = Job { workgroup_size: size, full_size: size, stack_words, ..Job::default() };
        let mut group = machine.group(0, 1);
        group.workgroup = [0, 0, end.layer];
        let mut teams = [Team::alone(group, machine.local(0))];
        outcome = machine.execute(stage.program, &mut counts, &mut teams, job, Some(&mut frame));
    }
    std::mem::swap(framebuffer, &mut frame.buffer);
    let preamble = stage.preamble.zip(preamble_counts.as_ref());
    let programs: Vec<_> = preamble.into_iter().chain([(stage.program, &counts)]).collect();
    conclude(outcome, machine.report(&programs))
}
