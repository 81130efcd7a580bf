//! The render command of a pass.

use std::sync::Arc;

use agx_abi::fragment::MAX_TARGETS;
use agx_abi::record::{self as r, render_command as command};
use agx_abi::render::{merge_factor, tile_program};
use agx_abi::tile::{SAMPLE_STRIDE, TileLayout};
use agx_compiler::link::{BackgroundOp, PassTargets};
use ash::vk;

use super::tiles::{TilePrograms, TileUse};
use super::{ColourTarget, PassInfo, Shown, state};
use crate::Error;
use crate::command::RenderCommand;
use crate::device::Device;
use crate::program::Program;
use crate::upload::Upload;
use crate::view::{self, Descriptor};
use crate::words::{Sources, ViewState, assemble};

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

impl Shown {
    /// What its programs of tiles do.
    fn tile_use(&self) -> TileUse {
        let operation = |target: &ColourTarget| match target.load {
            vk::AttachmentLoadOp::CLEAR => Some(BackgroundOp::Clear),
            vk::AttachmentLoadOp::LOAD | vk::AttachmentLoadOp::NONE_KHR => Some(BackgroundOp::Load),
            _ => None,
        };
        let is_stored = |target: &ColourTarget| {
            (target.store == vk::AttachmentStoreOp::STORE || target.resolve.is_some()).then_some(())
        };
        TileUse {
            targets: self.targets,
            operations: per_target(&self.info, operation),
            stored: mask(&per_target(&self.info, is_stored)),
        }
    }

    /// Finds its programs of tiles.
    pub(super) fn find_tiles(&mut self, device: &Device) -> Result<(), Error> {
        let wanted = self.tile_use();
        if self.tiles.as_ref().is_none_or(|(known, _)| *known != wanted) {
            let programs = device.tiles.programs(device, wanted.clone())?;
            self.tiles = Some((wanted, programs));
        }
        Ok(())
    }

    /// Sets all fields of a render command except for its stream and arrays. The programs of tiles were found.
    pub(super) fn write_command(
        &self,
        upload: &mut Upload,
        (layer, heap): (Option<u32>, u64),
        command: &mut RenderCommand,
    ) -> Result<(), Error> {
        use command::*;
        let Shown { info, samples, sample_positions, size, .. } = self;
        let (tile, _) = &self.tile;
        let [tile_width, tile_height] = tile.tile_size(*samples);
        let layers = if layer.is_some() { 1 } else { layers(info.layers, *size) };
        let [merge_x, merge_y] = size.map(merge_factor);
        command
            .put(&WIDTH, size[0].into())
            .put(&HEIGHT, size[1].into())
            .put(&LAYERS, layers.into())
            .put(&SAMPLES, (*samples).into())
            .put(&SAMPLE_BYTES, tile.sample_bytes.into())
            .put(&TILE_WIDTH, tile_width.into())
            .put(&TILE_HEIGHT, tile_height.into())
            .put(&MULTISAMPLE, (*sample_positions).into())
            .put(&PPP_CONTROL, RULES.into())
            .put_flag(&EMPTY_TILES, info.stores_clears())
            .put_float(&MERGE_X, merge_x)
            .put_float(&MERGE_Y, merge_y);
        state::depth_words(command, self, layer);
        let targets = target_descriptors(upload, info, layer)?;
        let clear = per_target(info, |target| Some(target.clear)).map(Option::unwrap_or_default);
        let view = ViewState {
            heap,
            targets,
            sample_positions: self.sample_positions,
            clear: &clear,
            ..ViewState::NONE
        };
        match &self.tiles {
            Some((_, programs)) => write_tiles(upload, programs, &Sources::of_tile(&view), command),
            None => Ok(()),
        }
    }
}

/// Writes the words of the programs of tiles, and sets the fields for them. What a program does whenever a part of the draws is
/// complete is often what it does for all of them.
fn write_tiles(
    upload: &mut Upload,
    programs: &TilePrograms,
    sources: &Sources<'_>,
    command: &mut RenderCommand,
) -> Result<(), Error> {
    use command::*;
    let TilePrograms { background, end, partial_background, partial_end } = programs;
    let mut words = |program: &Arc<Program>| assemble(upload, sources, program, None);
    let mut both = |whole: &Arc<Program>, partial: &Arc<Program>| {
        let of_whole = words(whole)?;
        let of_partial = if Arc::ptr_eq(whole, partial) { of_whole } else { words(partial)? };
        Ok::<_, Error>([of_whole, of_partial])
    };
    let [whole, partial] = both(background, partial_background)?;
    command
        .put(&BACKGROUND, tile_program(whole.pipeline))
        .put(&BACKGROUND_RESOURCES, whole.resources.into())
        .put(&PARTIAL_BACKGROUND, tile_program(partial.pipeline))
        .put(&PARTIAL_BACKGROUND_RESOURCES, partial.resources.into());
    let [whole, partial] = both(end, partial_end)?;
    command
        .put(&END_OF_TILE, tile_program(whole.pipeline))
        .put(&END_OF_TILE_RESOURCES, whole.resources.into())
        .put(&PARTIAL_END_OF_TILE, tile_program(partial.pipeline))
        .put(&PARTIAL_END_OF_TILE_RESOURCES, partial.resources.into());
    Ok(())
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
