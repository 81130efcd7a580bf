//! The render command of a pass.

use agx_abi::fragment::{MAX_TARGETS, pack_sample_positions, standard_sample_positions};
use agx_abi::record::{self as r, Field, Packed, render_command as command};
use agx_abi::render::{merge_factor, tile_program};
use agx_abi::tile::{SAMPLE_STRIDE, TileLayout};
use agx_compiler::link::{BackgroundOp, PassTargets};
use ash::vk;

use super::tiles::TileUse;
use super::{ColourTarget, Pass, PassInfo, state};
use crate::Error;
use crate::command::Recorder;
use crate::program::Program;
use crate::upload::Upload;
use crate::view::{self, Descriptor};
use crate::words::{Sources, ViewState, Words, assemble};

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

/// The words of a program of tiles, with the field for each of them.
type TileWords<'p> = ([&'static Field; 2], &'p Program);

impl Recorder {
    /// All fields of a render command except for its stream and arrays.
    pub(super) fn pass_words(
        &mut self,
        pass: &Pass,
        layer: Option<u32>,
        heap: u64,
    ) -> Result<Command, Error> {
        let info = &pass.info;
        let (tile, _) = &pass.tile;
        let [tile_width, tile_height] = tile.tile_size(pass.samples);
        let operation = |target: &ColourTarget| match target.load {
            vk::AttachmentLoadOp::CLEAR => Some(BackgroundOp::Clear),
            vk::AttachmentLoadOp::LOAD | vk::AttachmentLoadOp::NONE_KHR => Some(BackgroundOp::Load),
            _ => None,
        };
        let is_stored = |target: &ColourTarget| {
            (target.store == vk::AttachmentStoreOp::STORE || target.resolve.is_some()).then_some(())
        };
        let of = TileUse {
            targets: pass.targets,
            operations: per_target(info, operation),
            stored: mask(&per_target(info, is_stored)),
        };
        let programs = self.device.tiles.programs(&self.device, of)?;
        let targets = target_descriptors(&mut self.upload, info, layer)?;
        let clear = per_target(info, |target| Some(target.clear)).map(Option::unwrap_or_default);
        let view = ViewState { heap, targets, samples: pass.samples, clear: &clear, ..ViewState::NONE };
        let positions = standard_sample_positions(pass.samples);
        let multisample = u64::from(pack_sample_positions(positions));
        let layers = if layer.is_some() { 1 } else { layers(info.layers, pass.size) };
        let [merge_x, merge_y] = pass.size.map(merge_factor);
        use command::*;
        let mut command = new()
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
        let list: [TileWords<'_>; 4] = [
            ([&BACKGROUND, &BACKGROUND_RESOURCES], &programs.background),
            ([&PARTIAL_BACKGROUND, &PARTIAL_BACKGROUND_RESOURCES], &programs.partial_background),
            ([&END_OF_TILE, &END_OF_TILE_RESOURCES], &programs.end),
            ([&PARTIAL_END_OF_TILE, &PARTIAL_END_OF_TILE_RESOURCES], &programs.partial_end),
        ];
        let sources = Sources::of_tile(view);
        for ([words, resources], program) in list {
            let Words { pipeline, resources: own } = assemble(&mut self.upload, &sources, program, None)?;
            command = command.set(words, tile_program(pipeline)).set(resources, own.into());
        }
        Ok(state::depth_words(command, pass, layer))
    }
}

/// Address of the descriptors of the targets; 0 without targets.
fn target_descriptors(upload: &mut Upload, info: &PassInfo, layer: Option<u32>) -> Result<u64, Error> {
    const NONE: [Descriptor; 2] = [[0; view::BYTES]; 2];
    let mut list = [NONE; MAX_TARGETS as usize];
    for (place, target) in list.iter_mut().zip(&info.colours) {
        let Some(target) = target else { continue };
        let found = match layer {
            None => target.view.target_descriptors().copied(),
            Some(layer) => target.view.target(vk::ImageAspectFlags::COLOR).map(|mut part| {
                part.layers = [part.layers[0] + layer, 1];
                [part.texture(), part.stored()]
            }),
        };
        *place = found.unwrap_or(NONE);
    }
    match info.colours.len() {
        0 => Ok(0),
        count => upload.put(list.get(..count).unwrap_or(&list).as_flattened().as_flattened(), 16),
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
