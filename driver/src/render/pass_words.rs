//! The render command of a pass.

use agx_abi::DescriptorKind;
use agx_abi::fragment::{MAX_TARGETS, pack_sample_positions, standard_sample_positions};
use agx_abi::record::{self as r, render_command as command};
use agx_compiler::link::{BackgroundKey, BackgroundOp, EndOfTileKey};
use ash::vk;

use super::tiles::Tile;
use super::{ColourTarget, Pass, PassInfo, state};
use crate::Error;
use crate::command::Recorder;
use crate::record::Writer;
use crate::words::{Assembler, Bound, Direct, Stage, State, Words};

impl Recorder {
    /// All fields of a render command except for its stream and arrays.
    pub(super) fn pass_words(&mut self, pass: &Pass, layer: Option<u32>) -> Result<Writer, Error> {
        let info = &pass.info;
        let sample_bytes = pass.targets.layout().sample_bytes.max(8);
        let pixel = u32::from(sample_bytes) * pass.samples;
        let tile = [[32, 32], [32, 16], [16, 16]];
        let fits = |[width, height]: &[u32; 2]| width * height * pixel <= 32768;
        let [tile_width, tile_height] = tile.into_iter().find(fits).unwrap_or([16, 16]);
        let operation = |target: &ColourTarget| match target.load {
            vk::AttachmentLoadOp::CLEAR => Some(BackgroundOp::Clear),
            vk::AttachmentLoadOp::LOAD => Some(BackgroundOp::Load),
            _ => None,
        };
        let operations = per_target(info, operation);
        let all = per_target(info, |_| Some(BackgroundOp::Load));
        let stores = |target: &ColourTarget| (target.store == vk::AttachmentStoreOp::STORE).then_some(());
        let stored = mask(&per_target(info, |target| stores(target).or(target.resolve.as_ref().map(|_| ()))));
        let every = mask(&per_target(info, |_| Some(())));
        let background = self.background(pass, operations, layer)?;
        let partial_background = self.background(pass, all, layer)?;
        let end = self.end_of_tile(pass, stored, layer)?;
        let partial_end = self.end_of_tile(pass, every, layer)?;
        let positions = standard_sample_positions(pass.samples);
        let multisample = r::multisample_control::BITS_32_63.raw(&[0; 8]) << 32
            | u64::from(pack_sample_positions(positions));
        let layers = if layer.is_some() { 1 } else { info.layers.max(1) };
        let writer = Writer::new(&command::RECORD)
            .set(&command::WIDTH, pass.size[0].into())
            .set(&command::HEIGHT, pass.size[1].into())
            .set(&command::LAYERS, layers.into())
            .set(&command::SAMPLES, pass.samples.into())
            .set(&command::SAMPLE_BYTES, sample_bytes.into())
            .set(&command::TILE_WIDTH, tile_width.into())
            .set(&command::TILE_HEIGHT, tile_height.into())
            .set(&command::MULTISAMPLE, multisample)
            .set(&command::PPP_CONTROL, 1 << 9)
            .set(&command::EMPTY_TILES, 1)
            .float(&command::MERGE_X, 1.0)
            .float(&command::MERGE_Y, 1.0);
        let writer = tile_words(writer, [&command::BACKGROUND, &command::BACKGROUND_RESOURCES], &background);
        let writer = tile_words(
            writer,
            [&command::PARTIAL_BACKGROUND, &command::PARTIAL_BACKGROUND_RESOURCES],
            &partial_background,
        );
        let writer = tile_words(writer, [&command::END_OF_TILE, &command::END_OF_TILE_RESOURCES], &end);
        let writer = tile_words(
            writer,
            [&command::PARTIAL_END_OF_TILE, &command::PARTIAL_END_OF_TILE_RESOURCES],
            &partial_end,
        );
        Ok(state::depth_words(writer, info, layer))
    }

    fn background(
        &mut self,
        pass: &Pass,
        operations: [Option<BackgroundOp>; MAX_TARGETS as usize],
        layer: Option<u32>,
    ) -> Result<Words, Error> {
        let key = BackgroundKey { targets: pass.targets, operations };
        let program = self.device.tiles.background(&self.device, &key)?;
        self.tile_program(pass, &program, DescriptorKind::Texture, layer)
    }

    fn end_of_tile(&mut self, pass: &Pass, stored: u8, layer: Option<u32>) -> Result<Words, Error> {
        let key = EndOfTileKey { targets: pass.targets, stored };
        let program = self.device.tiles.end_of_tile(&self.device, &key)?;
        self.tile_program(pass, &program, DescriptorKind::Image, layer)
    }

    /// The words of a background or end-of-tile program.
    fn tile_program(
        &mut self,
        pass: &Pass,
        tile: &Tile,
        kind: DescriptorKind,
        layer: Option<u32>,
    ) -> Result<Words, Error> {
        let mut state = State { samples: pass.samples, ..State::default() };
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
        let stage = Stage::Fragment {
            samples: pass.samples,
            sample_bytes: pass.targets.layout().sample_bytes.max(8).into(),
        };
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

fn tile_words(writer: Writer, [words, resources]: [&r::Field; 2], program: &Words) -> Writer {
    writer.set(words, program.pipeline()).set(resources, program.resources())
}
