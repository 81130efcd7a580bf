//! Background and end-of-tile programs, compiled when a pass first needs them.

use std::sync::Arc;

use agx_abi::UniformSource;
use agx_compiler::link::{BackgroundKey, EndOfTileKey, TileProgram};
use agx_compiler::{CompileKey, Scratch};

use crate::Error;
use crate::device::Device;
use crate::program::Program;

/// A program of a pass.
pub struct Tile {
    pub(super) program: Program,
    pub(super) bound: u8,
}

/// The background and end-of-tile programs of a device.
#[derive(Default)]
pub struct Tiles {
    background: std::sync::Mutex<Vec<(BackgroundKey, Arc<Tile>)>>,
    end_of_tile: std::sync::Mutex<Vec<(EndOfTileKey, Arc<Tile>)>>,
}

/// The tile program of `key`, compiled if it is not cached.
fn cached<K: Clone + PartialEq>(
    list: &std::sync::Mutex<Vec<(K, Arc<Tile>)>>,
    key: &K,
    make: impl FnOnce() -> Result<Arc<Tile>, Error>,
) -> Result<Arc<Tile>, Error> {
    let mut list = crate::memory::lock(list);
    if let Some((_, tile)) = list.iter().find(|(known, _)| known == key) {
        return Ok(tile.clone());
    }
    let tile = make()?;
    list.push((key.clone(), tile.clone()));
    Ok(tile)
}

impl Tiles {
    pub(super) fn background(&self, device: &Device, key: &BackgroundKey) -> Result<Arc<Tile>, Error> {
        cached(&self.background, key, || {
            let options = CompileKey::default();
            let made = device.compiler.background_program(&mut Scratch::default(), key, &options)?;
            placed(device, made)
        })
    }

    pub(super) fn end_of_tile(&self, device: &Device, key: &EndOfTileKey) -> Result<Arc<Tile>, Error> {
        cached(&self.end_of_tile, key, || {
            let options = CompileKey::default();
            let made = device.compiler.end_of_tile_program(&mut Scratch::default(), key, &options)?;
            placed(device, made)
        })
    }
}

fn placed(device: &Device, made: TileProgram) -> Result<Arc<Tile>, Error> {
    let bound = made.bound;
    debug_assert!(
        made.shader
            .info
            .uniforms
            .iter()
            .all(|range| { !matches!(range.source, UniformSource::BufferAddress { .. }) })
    );
    Ok(Arc::new(Tile { program: Program::new(&device.code, made.shader)?, bound }))
}
