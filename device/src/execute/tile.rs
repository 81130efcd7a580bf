//! Tile memory at the start and end of a pass: initial contents, and storing the final contents.
//!
//! The whole framebuffer is one tile. Hardware interrupts a pass when the memory for its primitives is full: a special
//! program stores tile memory, other work runs, and another program loads it again. [`Settings::interrupt_draws`]
//! simulates this at regular intervals, to find drivers whose programs for it are wrong.
//!
//! [`Settings::interrupt_draws`]: crate::Settings::interrupt_draws

use agx_abi::render::tile_program_address;
use agx_abi::words::ProgramKind;
use agx_emulator::{EndOfTile, Framebuffer, Shade, Tests, end_of_tile, shade};

use super::depth::DepthBuffer;
use super::render::{Pass, has_borders};
use super::{Device, Submission};
use crate::record::{Field, Scope, multisample_control, render_command};
use crate::statistics::Work;
use crate::stream::StreamError;

/// The start and end of a whole pass, or of an interruption.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Visit {
    /// Those of a whole pass.
    Pass,
    /// Those of an interruption.
    Part,
}

impl Visit {
    /// Fields of the program at the start: address and resources.
    fn background(self) -> [Field; 2] {
        use render_command::*;
        match self {
            Visit::Pass => [BACKGROUND, BACKGROUND_RESOURCES],
            Visit::Part => [PARTIAL_BACKGROUND, PARTIAL_BACKGROUND_RESOURCES],
        }
    }

    /// Fields of the program at the end.
    fn end_of_tile(self) -> [Field; 2] {
        use render_command::*;
        match self {
            Visit::Pass => [END_OF_TILE, END_OF_TILE_RESOURCES],
            Visit::Part => [PARTIAL_END_OF_TILE, PARTIAL_END_OF_TILE_RESOURCES],
        }
    }

    /// Depth and stencil in memory.
    fn buffers(self, command: &[u8]) -> [DepthBuffer; 2] {
        let buffers = [DepthBuffer::depth(command), DepthBuffer::stencil(command)];
        match self {
            Visit::Pass => buffers,
            Visit::Part => buffers.map(DepthBuffer::kept),
        }
    }
}

impl Device {
    /// Fills tile memory: depth and stencil from their buffers, colours with the background program.
    pub(super) fn enter_tile(
        &mut self,
        submission: &mut Submission<'_>,
        pass: &mut Pass<'_>,
        visit: Visit,
    ) -> Result<(), StreamError> {
        let buffers = visit.buffers(pass.command);
        let layers = (0..render_command::LAYERS.get(pass.command).max(1) as u32).map(|layer| {
            let mut tile = framebuffer(pass.command);
            for buffer in &buffers {
                buffer.load(submission.memory, &mut tile, layer)?;
            }
            Ok(tile)
        });
        pass.layers = layers.collect::<Result<_, StreamError>>()?;
        let [address, resources] = visit.background().map(|field| field.get(pass.command));
        let scope = Scope { kind: ProgramKind::Tile, command: pass.command };
        let address = tile_program_address(address);
        let loaded = self.loaded(submission, address, has_borders(resources), &scope)?;
        for (layer, tile) in pass.layers.iter_mut().enumerate() {
            let [width, height] = tile.size();
            let outcome = shade(
                submission.memory,
                tile,
                &Shade {
                    fragment: loaded.stage(pass.heap),
                    rectangle: [0, 0, width, height],
                    coefficients: &[],
                    depth: 0.0,
                    tests: Tests::default(),
                    late_tests: false,
                    layer: layer as u32,
                    keeps_tests: true,
                    options: self.options(),
                },
            );
            self.conclude(loaded.words.code, Work::Tile, outcome);
        }
        Ok(())
    }

    /// Stores tile memory: colours with the end-of-tile program, depth and stencil to their buffers.
    pub(super) fn leave_tile(
        &mut self,
        submission: &mut Submission<'_>,
        pass: &mut Pass<'_>,
        visit: Visit,
    ) -> Result<(), StreamError> {
        let [address, resources] = visit.end_of_tile().map(|field| field.get(pass.command));
        let scope = Scope { kind: ProgramKind::Tile, command: pass.command };
        let address = tile_program_address(address);
        let loaded = self.loaded(submission, address, has_borders(resources), &scope)?;
        for (layer, tile) in pass.layers.iter_mut().enumerate() {
            let end =
                EndOfTile { stage: loaded.stage(pass.heap), layer: layer as u32, options: self.options() };
            let outcome = end_of_tile(submission.memory, tile, &end);
            self.conclude(loaded.words.code, Work::Tile, outcome);
        }
        for buffer in visit.buffers(pass.command) {
            for (layer, tile) in pass.layers.iter().enumerate() {
                buffer.store(submission.memory, tile, layer as u32)?;
            }
        }
        Ok(())
    }
}

/// An empty framebuffer of a command, with cleared depth and stencil.
fn framebuffer(command: &[u8]) -> Framebuffer {
    use render_command::*;
    let samples = SAMPLES.get(command).max(1) as u32;
    let [width, height, bytes] = [WIDTH, HEIGHT, SAMPLE_BYTES].map(|field| field.get(command) as u32);
    let mut buffer = Framebuffer::new(width, height, samples, bytes);
    buffer.depth_unorm16 = DepthBuffer::depth(command).is_unorm16();
    let raw = CLEAR_DEPTH.get(command) as u32;
    let depth = match buffer.depth_unorm16 {
        true => (f64::from(raw & 0xffff) / 65535.0) as f32,
        false => f32::from_bits(raw),
    };
    buffer.clear(&[], depth, CLEAR_STENCIL.get(command) as u8);
    if samples > 1 {
        let places = MULTISAMPLE.get(command).to_le_bytes();
        use multisample_control::{X0, X1, X2, X3, Y0, Y1, Y2, Y3};
        let fields = [[X0, Y0], [X1, Y1], [X2, Y2], [X3, Y3]];
        buffer.sample_positions = fields.map(|place| place.map(|field| field.get(&places) as f64 / 16.0));
    }
    buffer
}
