//! The render command of a pass.

use agx_abi::DescriptorKind;
use agx_abi::fragment::{MAX_TARGETS, pack_sample_positions, standard_sample_positions};
use agx_abi::record::{self as r, Packed, render_command as command};
use agx_abi::render::{merge_factor, tile_program};
use agx_abi::tile::{SAMPLE_STRIDE, TileLayout};
use agx_compiler::link::{BackgroundKey, BackgroundOp, EndOfTileKey, PassTargets};
use ash::vk;

use super::tiles::Tile;
use super::{ColourTarget, Pass, PassInfo, state};
use crate::Error;
use crate::command::Recorder;
use crate::words::{Assembler, Bound, Direct, Stage, State, ViewState, Words};

/// A render command.
pub(super) type Command = Packed<{ command::RECORD.bytes }>;

/// Rules of every pass.
const RULES: u32 = {
    use r::ppp_control::*;
    new().flag(&W_CLAMP, true).flag(&FIXED_POINT, true).bits()
};

/// The tile of a pass; a pass without targets has samples of the smallest size.
pub(super) fn tile(targets: &PassTargets) -> TileLayout {
    let layout = targets.layout();
    TileLayout { sample_bytes: layout.sample_bytes.max(SAMPLE_STRIDE), ..layout }
}

impl PassInfo {
    /// Whether something is cleared and then stored, so that tiles without draws matter.
    fn stores_clears(&self) -> bool {
        let is_stored = |load, store, resolves| {
            load == vk::AttachmentLoadOp::CLEAR && (resolves || store == vk::AttachmentStoreOp::STORE)
        };
        let mut colours = self.colours.iter().flatten();
        let mut depths = self.depth.iter().chain(&self.stencil);
        colours.any(|target| is_stored(target.load, target.store, target.resolve.is_some()))
            || depths.any(|target| is_stored(target.load, target.store, target.resolve.is_some()))
    }
}

impl Recorder {
    /// All fields of a render command except for its stream and arrays.
    pub(super) fn pass_words(
        &mut self,
        pass: &Pass,
        layer: Option<u32>,
        heap: u64,
    ) -> Result<Command, Error> {
        let info = &pass.info;
        let tile = &pass.tile;
        let [tile_width, tile_height] = tile.tile_size(pass.samples);
        let operation = |target: &ColourTarget| match target.load {
            vk::AttachmentLoadOp::CLEAR => Some(BackgroundOp::Clear),
            vk::AttachmentLoadOp::LOAD | vk::AttachmentLoadOp::NONE_KHR => Some(BackgroundOp::Load),
            _ => None,
        };
        let operations = per_target(info, operation);
        let all = per_target(info, |_| Some(BackgroundOp::Load));
        let stores = |target: &ColourTarget| (target.store == vk::AttachmentStoreOp::STORE).then_some(());
        let stored = mask(&per_target(info, |target| stores(target).or(target.resolve.as_ref().map(|_| ()))));
        let every = mask(&per_target(info, |_| Some(())));
        let background = self.background(pass, operations, (layer, heap))?;
        let partial_background = self.background(pass, all, (layer, heap))?;
        let end = self.end_of_tile(pass, stored, (layer, heap))?;
        let partial_end = self.end_of_tile(pass, every, (layer, heap))?;
        let positions = standard_sample_positions(pass.samples);
        let multisample = u64::from(pack_sample_positions(positions));
        let layers = if layer.is_some() { 1 } else { layers(info.layers, pass.size) };
        let [merge_x, merge_y] = pass.size.map(merge_factor);
        use command::*;
        let command = new()
            .set(&WIDTH, pass.size[0].into())
            .set(&HEIGHT, pass.size[1].into())
            .set(&LAYERS, layers.into())
            .set(&SAMPLES, pass.samples.into())
            .set(&SAMPLE_BYTES, tile.sample_bytes.into())
            .set(&TILE_WIDTH, tile_width.into())
            .set(&TILE_HEIGHT, tile_height.into())
            .set(&MULTISAMPLE, multisample)
            .set(&PPP_CONTROL, RULES.into())
            .flag(&EMPTY_TILES, info.stores_clears())
            .float(&MERGE_X, merge_x)
            .float(&MERGE_Y, merge_y);
        let command = [
            ([&BACKGROUND, &BACKGROUND_RESOURCES], &background),
            ([&PARTIAL_BACKGROUND, &PARTIAL_BACKGROUND_RESOURCES], &partial_background),
            ([&END_OF_TILE, &END_OF_TILE_RESOURCES], &end),
            ([&PARTIAL_END_OF_TILE, &PARTIAL_END_OF_TILE_RESOURCES], &partial_end),
        ]
        .into_iter()
        .fold(command, |command, ([words, resources], program)| {
            command.set(words, tile_program(program.pipeline)).set(resources, program.resources.into())
        });
        Ok(state::depth_words(command, pass, layer))
    }

    fn background(
        &mut self,
        pass: &Pass,
        operations: [Option<BackgroundOp>; MAX_TARGETS as usize],
        place: (Option<u32>, u64),
    ) -> Result<Words, Error> {
        let key = BackgroundKey { targets: pass.targets, operations };
        let program = self.device.tiles.background(&self.device, &key)?;
        self.tile_program(pass, &program, DescriptorKind::Texture, place)
    }

    fn end_of_tile(&mut self, pass: &Pass, stored: u8, place: (Option<u32>, u64)) -> Result<Words, Error> {
        let key = EndOfTileKey { targets: pass.targets, stored };
        let program = self.device.tiles.end_of_tile(&self.device, &key)?;
        self.tile_program(pass, &program, DescriptorKind::Image, place)
    }

    /// The words of a background or end-of-tile program.
    fn tile_program(
        &mut self,
        pass: &Pass,
        tile: &Tile,
        kind: DescriptorKind,
        (layer, heap): (Option<u32>, u64),
    ) -> Result<Words, Error> {
        let view = ViewState { heap, ..ViewState::default() };
        let mut state = State { samples: pass.samples, view, ..State::default() };
        let mut list = vec![Direct::Buffer(0, 0); MAX_TARGETS as usize];
        for (at, target) in pass.info.colours.iter().enumerate() {
            let Some(target) = target else { continue };
            if let Some(clear) = state.clear.get_mut(at) {
                *clear = target.clear;
            }
            let Some(mut part) = target.view.target(vk::ImageAspectFlags::COLOR) else { continue };
            if let Some(layer) = layer {
                part.layers = [part.layers[0] + layer, 1];
            }
            if let Some(place) = list.get_mut(at) {
                *place = Direct::Texture([part.texture(), part.stored()]);
            }
        }
        if let Some(place) = state.sets.first_mut() {
            *place = Some(Bound::Direct(list));
        }
        let stage = Stage::Tile(&pass.tile, pass.samples);
        Assembler::tile(&mut self.upload, &state, &tile.program, stage, (tile.bound, kind))
    }
}

fn per_target<T: Copy>(
    info: &PassInfo,
    of: impl Fn(&ColourTarget) -> Option<T>,
) -> [Option<T>; MAX_TARGETS as usize] {
    let mut list = [None; MAX_TARGETS as usize];
    for (slot, target) in list.iter_mut().zip(&info.colours) {
        *slot = target.as_ref().and_then(&of);
    }
    list
}

/// A bit for each target with an entry.
fn mask(list: &[Option<()>]) -> u8 {
    list.iter().enumerate().fold(0, |mask, (at, some)| mask | u8::from(some.is_some()) << at)
}

/// Layers of a pass: the largest framebuffer, with which some applications emulate passes without targets, would need more
/// memory for primitives than there is (Mesa 26.1 renders to as many).
fn layers(layers: u32, size: [u32; 2]) -> u32 {
    match (layers, size) {
        (2048, [16384, 16384]) => 32,
        _ => layers.max(1),
    }
}
