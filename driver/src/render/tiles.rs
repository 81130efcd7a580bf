//! Background and end-of-tile programs, compiled when a pass first needs them.

use std::sync::{Arc, Mutex};

use agx_abi::UniformSource;
use agx_abi::words::LocalUse;
use agx_compiler::link::{BackgroundKey, BackgroundOp, EndOfTileKey, PassTargets, TileProgram};
use agx_compiler::{CompileKey, Scratch};

use super::pass_words::tile;
use crate::Error;
use crate::device::Device;
use crate::program::Program;
use crate::stages::{Made, found};
use crate::words::Use;

/// What the programs of a pass do with its targets.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct TileUse {
    /// The targets.
    pub targets: PassTargets,
    /// What happens to each before the draws.
    pub operations: Operations,
    /// Those that are stored after the draws, bit 0 the first.
    pub stored: u8,
}

/// An operation for each target.
pub(super) type Operations = [Option<BackgroundOp>; agx_abi::fragment::MAX_TARGETS as usize];

/// The programs of a pass.
pub(super) struct TilePrograms {
    /// Before the draws.
    pub background: Arc<Program>,
    /// After the draws.
    pub end: Arc<Program>,
    /// Before the rest of the draws, if the memory for primitives was full.
    pub partial_background: Arc<Program>,
    /// After a part of the draws.
    pub partial_end: Arc<Program>,
}

/// The background and end-of-tile programs of a device.
#[derive(Default)]
pub struct Tiles {
    passes: Made<TileUse, TilePrograms>,
    background: Mutex<Vec<(BackgroundKey, Arc<Program>)>>,
    end_of_tile: Mutex<Vec<(EndOfTileKey, Arc<Program>)>>,
}

/// The tile program of `key`, compiled if it is not cached.
fn cached<K: Clone + PartialEq>(
    list: &Mutex<Vec<(K, Arc<Program>)>>,
    key: K,
    make: impl FnOnce(&K) -> Result<Arc<Program>, Error>,
) -> Result<Arc<Program>, Error> {
    let mut list = crate::memory::lock(list);
    if let Some((_, tile)) = list.iter().find(|(known, _)| *known == key) {
        return Ok(tile.clone());
    }
    let tile = make(&key)?;
    list.push((key, tile.clone()));
    Ok(tile)
}

impl Tiles {
    /// The programs of a pass.
    pub(super) fn programs(&self, device: &Device, of: TileUse) -> Result<Arc<TilePrograms>, Error> {
        found(&self.passes, of, |TileUse { targets, operations, stored }| {
            let all = targets.formats.map(|format| format.map(|_| BackgroundOp::Load));
            let every = (0..).zip(all).fold(0, |mask, (at, load)| mask | u8::from(load.is_some()) << at);
            let background = |operations| BackgroundKey { targets: *targets, operations };
            let end = |stored| EndOfTileKey { targets: *targets, stored };
            Ok(TilePrograms {
                background: self.background(device, background(*operations))?,
                end: self.end_of_tile(device, end(*stored))?,
                partial_background: self.background(device, background(all))?,
                partial_end: self.end_of_tile(device, end(every))?,
            })
        })
    }

    fn background(&self, device: &Device, key: BackgroundKey) -> Result<Arc<Program>, Error> {
        cached(&self.background, key, |key| {
            let options = CompileKey::default();
            let made = device.compiler.background_program(&mut Scratch::default(), key, &options)?;
            placed(device, made, &key.targets)
        })
    }

    fn end_of_tile(&self, device: &Device, key: EndOfTileKey) -> Result<Arc<Program>, Error> {
        cached(&self.end_of_tile, key, |key| {
            let options = CompileKey::default();
            let made = device.compiler.end_of_tile_program(&mut Scratch::default(), key, &options)?;
            placed(device, made, &key.targets)
        })
    }
}

fn placed(device: &Device, made: TileProgram, targets: &PassTargets) -> Result<Arc<Program>, Error> {
    debug_assert!(
        made.shader
            .info
            .uniforms
            .iter()
            .all(|range| { !matches!(range.source, UniformSource::BufferAddress { .. }) })
    );
    let word = LocalUse::Tile(&tile(targets), targets.samples.into()).to_word()?;
    let of = Use::Tile(made.bound, made.kind, word);
    Ok(Arc::new(Program::used(&device.code, made.shader, of)?))
}
