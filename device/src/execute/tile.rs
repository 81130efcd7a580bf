//! Visits to the tiles of a pass: at its end, and whenever the parameter buffer is full.
//!
//! A pass whose parameter buffer is full is interrupted: its own programs for partial renders store tile memory and load it
//! again, and depth and stencil are stored if the word for loads and stores of the pass says so. What is not stored is lost.
//! [`Settings::parameter_bytes`] is the size of the buffer; [`Settings::interrupt_draws`] interrupts at regular intervals.
//!
//! [`Settings::parameter_bytes`]: crate::Settings::parameter_bytes
//! [`Settings::interrupt_draws`]: crate::Settings::interrupt_draws

use agx_abi::render::tile_program_address;
use agx_abi::words::ProgramKind;
use agx_emulator::{Binned, Framebuffer, Memory, MemoryFault, TileDepth, Visit, Visited, render_tiles};

use super::caches::Drops;
use super::depth::DepthBuffer;
use super::parameters::Counter;
use super::render::{Loaded, Pass, has_borders};
use super::{Device, Submission, note_all};
use crate::bytes;
use crate::record::{Field, Scope, render_command};
use crate::statistics::Work;
use crate::stream::{StreamError, unbound};

/// What ends a visit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// The end of the pass.
    Pass,
    /// An interruption.
    Part,
}

/// Fields of the program that fills tile memory: address and resources. That of a resumed pass loads what the interruption
/// stored.
fn background(is_resumed: bool) -> [Field; 2] {
    use render_command::*;
    match is_resumed {
        false => [BACKGROUND, BACKGROUND_RESOURCES],
        true => [PARTIAL_BACKGROUND, PARTIAL_BACKGROUND_RESOURCES],
    }
}

impl End {
    /// Fields of the program that stores tile memory.
    fn program(self) -> [Field; 2] {
        use render_command::*;
        match self {
            End::Pass => [END_OF_TILE, END_OF_TILE_RESOURCES],
            End::Part => [PARTIAL_END_OF_TILE, PARTIAL_END_OF_TILE_RESOURCES],
        }
    }
}

/// Depth and stencil of a pass during a visit.
struct Buffers([DepthBuffer; 2]);

impl Buffers {
    fn new(command: &[u8], is_resumed: bool) -> Buffers {
        let buffers = [DepthBuffer::depth(command), DepthBuffer::stencil(command)];
        Buffers(if is_resumed { buffers.map(DepthBuffer::resumed) } else { buffers })
    }
}

impl TileDepth for Buffers {
    fn load(&self, memory: &Memory, tile: &mut Framebuffer, layer: u32) -> Result<(), MemoryFault> {
        self.0.iter().try_for_each(|buffer| buffer.load(memory, tile, layer))
    }

    fn store(&self, memory: &mut Memory, tile: &Framebuffer, layer: u32) -> Result<(), MemoryFault> {
        self.0.iter().try_for_each(|buffer| buffer.store(memory, tile, layer))
    }
}

impl Device {
    /// Renders the tiles of a pass with the primitives in the parameter buffer.
    pub(super) fn visit_tiles(
        &mut self,
        submission: &mut Submission<'_>,
        pass: &mut Pass<'_>,
        end: End,
    ) -> Result<(), StreamError> {
        if end == End::Part {
            self.statistics.count(|sums| &mut sums.interruptions);
        }
        // Vertex programs, and the visit before, are complete.
        let complete = Drops { shader: false, texels: true };
        let stale = self.caches.drop((submission.vm, submission.memory), complete);
        note_all(self, stale);
        let is_resumed = pass.parameters.visits > 0;
        let background = self.tile_program(submission, pass, background(is_resumed))?;
        let end = self.tile_program(submission, pass, end.program())?;
        let buffers = Buffers::new(pass.command, is_resumed);
        let draws: Vec<Binned<'_>> = pass
            .parameters
            .draws
            .iter()
            .map(|(state, geometry)| Binned { draw: state.draw(self.options()), geometry })
            .collect();
        let visited = render_tiles(
            submission.memory,
            &Visit {
                shape: pass.shape,
                background: background.stage(pass.heap),
                draws: &draws,
                end: end.stage(pass.heap),
                empty_tiles: render_command::EMPTY_TILES.is_set(pass.command),
                depth: &buffers,
                options: self.options(),
            },
        );
        drop(draws);
        let fault = visited.fault;
        self.report(submission, pass, visited, [background.words.code, end.words.code])?;
        if let Some(fault) = fault {
            let (MemoryFault::Unmapped { address, .. } | MemoryFault::NotPermitted { address, .. }) = fault;
            return Err(unbound("depth or stencil", address)(fault));
        }
        pass.parameters.visited();
        Ok(())
    }

    /// The words and programs of a background or end-of-tile program.
    fn tile_program(
        &mut self,
        submission: &Submission<'_>,
        pass: &Pass<'_>,
        fields: [Field; 2],
    ) -> Result<Loaded, StreamError> {
        let [address, resources] = fields.map(|field| field.get(pass.command));
        let scope = Scope { kind: ProgramKind::Tile, command: pass.command };
        self.loaded(submission, tile_program_address(address), has_borders(resources), &scope)
    }

    /// Records what came of a visit, and counts samples.
    fn report(
        &mut self,
        submission: &mut Submission<'_>,
        pass: &Pass<'_>,
        visited: Visited,
        [background, end]: [u64; 2],
    ) -> Result<(), StreamError> {
        let launch = self.place.launch.take();
        self.conclude(background, Work::Tile, visited.background);
        for ((state, _), (outcome, passed)) in pass.parameters.draws.iter().zip(visited.draws) {
            self.place.launch = state.launch;
            self.conclude(state.program(), Work::Draw, outcome);
            if let Some(counter) = state.counter {
                count_samples(submission.memory, counter, passed)?;
            }
        }
        self.place.launch = None;
        self.conclude(end, Work::Tile, visited.end);
        self.place.launch = launch;
        Ok(())
    }
}

/// Adds to an occlusion counter.
fn count_samples(memory: &mut Memory, counter: Counter, passed: u64) -> Result<(), StreamError> {
    let error = unbound("an occlusion counter", counter.address);
    let [low, high]: [u32; 2] = bytes::words(memory, counter.address).map_err(&error)?;
    let before = u64::from(high) << 32 | u64::from(low);
    let after = match counter.counts {
        true => before.wrapping_add(passed),
        false => u64::from(before != 0 || passed != 0),
    };
    memory.write(counter.address, &after.to_le_bytes()).map_err(&error)
}
