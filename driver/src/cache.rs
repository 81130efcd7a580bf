//! Pipeline caches: compiled shaders by cache key.
//!
//! Applications store the contents on disk, where they may become outdated, truncated or damaged. An entry is used only
//! if the compiler's own check accepts it ([`CompiledShader::from_bytes`]); otherwise the shader is compiled again.
//!
//! A cache also keeps what was made of its shaders: programs in memory, and the linked shaders of whole pipelines. These are found
//! by the application's parameters, without the compiler's keys.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use agx_compiler::CompiledShader;

use crate::Error;
use crate::graphics::{GraphicsKey, GraphicsShaders};
use crate::memory::lock;
use crate::pipeline::{ComputePipeline, ShaderSource};
use crate::stages::Made;

/// What was made of shaders.
#[derive(Default)]
pub(crate) struct MadePipelines {
    /// Compute pipelines by shader.
    pub compute: Made<ShaderSource, ComputePipeline>,
    /// Shaders of graphics pipelines.
    pub graphics: Made<GraphicsKey, GraphicsShaders>,
}

/// Compiled shaders by key.
#[derive(Default)]
pub struct PipelineCache {
    shaders: Mutex<BTreeMap<Vec<u8>, Vec<u8>>>,
    made: MadePipelines,
}

impl std::fmt::Debug for PipelineCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PipelineCache").field("shaders", &lock(&self.shaders).len()).finish_non_exhaustive()
    }
}

impl PipelineCache {
    /// A cache with contents from [`PipelineCache::data`]; everything after a damaged length is dropped.
    pub fn from_data(mut data: &[u8]) -> PipelineCache {
        let mut shaders = BTreeMap::new();
        let piece = |data: &mut &[u8]| {
            let (len, rest) = data.split_first_chunk::<4>()?;
            let (piece, rest) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
            *data = rest;
            Some(piece.to_vec())
        };
        while let Some(key) = piece(&mut data) {
            let Some(shader) = piece(&mut data) else { break };
            shaders.insert(key, shader);
        }
        PipelineCache { shaders: Mutex::new(shaders), made: MadePipelines::default() }
    }

    /// Its contents: length and bytes of each key and of its shader.
    pub fn data(&self) -> Vec<u8> {
        self.entries().concat()
    }

    /// The data of each entry, of which any selection is the data of a cache.
    pub fn entries(&self) -> Vec<Vec<u8>> {
        let with_len = |piece: &Vec<u8>| [&(piece.len() as u32).to_le_bytes(), piece.as_slice()].concat();
        let entry = |(key, shader)| [with_len(key), with_len(shader)].concat();
        lock(&self.shaders).iter().map(entry).collect()
    }

    /// Adds the entries of another cache.
    pub fn merge(&self, other: &PipelineCache) {
        let others = lock(&other.shaders).clone();
        lock(&self.shaders).extend(others);
    }

    /// The bytes of an entry.
    pub fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        lock(&self.shaders).get(key).cloned()
    }

    /// Stores bytes that are not a shader.
    pub fn put(&self, key: Vec<u8>, bytes: Vec<u8>) {
        lock(&self.shaders).insert(key, bytes);
    }

    fn find(&self, key: &[u8]) -> Option<CompiledShader> {
        lock(&self.shaders).get(key).and_then(|bytes| CompiledShader::from_bytes(bytes).ok())
    }

    fn keep(&self, key: Vec<u8>, shader: &CompiledShader) {
        lock(&self.shaders).insert(key, shader.to_bytes());
    }
}

/// The cache in which pipelines look before they compile.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'c> {
    /// The application's cache.
    pub cache: Option<&'c PipelineCache>,
    /// Whether compiling is forbidden.
    pub only: bool,
    /// Where everything that the pipelines use is kept too.
    pub captured: Option<&'c PipelineCache>,
}

impl Known<'_> {
    /// What was made for a key, by `make` if the cache does not have it. Nothing is locked meanwhile. If shaders are captured, it is
    /// always made again.
    ///
    /// # Errors
    /// The error of `make`.
    pub(crate) fn made<K: Hash + Eq, T>(
        self,
        list: fn(&MadePipelines) -> &Made<K, T>,
        key: K,
        make: impl FnOnce(&K) -> Result<T, Error>,
    ) -> Result<Arc<T>, Error> {
        let list = self.cache.filter(|_| self.captured.is_none()).map(|cache| list(&cache.made));
        if let Some(found) = list.and_then(|list| lock(list).get(&key).cloned()) {
            return Ok(found);
        }
        let made = Arc::new(make(&key)?);
        if let Some(list) = list {
            lock(list).insert(key, made.clone());
        }
        Ok(made)
    }

    /// The shader for a key, compiled by `make` if it is not cached.
    ///
    /// # Errors
    /// The error of `make`, or that the shader would have to be compiled.
    pub fn shader(
        self,
        key: Vec<u8>,
        make: impl FnOnce() -> Result<CompiledShader, Error>,
    ) -> Result<CompiledShader, Error> {
        let found = self.cache.and_then(|cache| cache.find(&key));
        let is_new = found.is_none();
        let shader = match found {
            Some(found) => found,
            None if self.only => return Err(Error::CompileRequired),
            None => make()?,
        };
        for cache in self.captured.into_iter().chain(self.cache.filter(|_| is_new)) {
            cache.keep(key.clone(), &shader);
        }
        Ok(shader)
    }
}

#[cfg(test)]
mod tests {
    use agx_compiler::{CompileKey, Compiler, Input, Scratch};

    use super::*;

    fn compiled() -> Result<CompiledShader, Error> {
        let input = Input::glsl("#version 450\nvoid main() {}\n", agx_abi::Stage::Compute);
        Ok(Compiler::default().compile(&mut Scratch::default(), input, &CompileKey::default())?)
    }

    fn never() -> Result<CompiledShader, Error> {
        Err(Error::NotReady)
    }

    #[test]
    fn what_was_kept_is_found_again_and_damage_is_not() {
        let cache = PipelineCache::default();
        let known = Known { cache: Some(&cache), ..Known::default() };
        let made = known.shader(vec![1], compiled).expect("compiled");
        assert_eq!(known.shader(vec![1], never).expect("known").parts, made.parts);
        assert!(matches!(Known { only: true, ..known }.shader(vec![2], never), Err(Error::CompileRequired)));
        let data = cache.data();
        let copy = PipelineCache::default();
        copy.merge(&PipelineCache::from_data(&data));
        assert!(copy.find(&[1]).is_some());
        for at in 0..data.len() {
            let mut damaged = data.clone();
            damaged[at] ^= 4;
            let found = PipelineCache::from_data(&damaged).find(&[1]);
            assert!(found.is_none_or(|found| found.parts == made.parts), "byte {at}");
            assert!(PipelineCache::from_data(&data[..at]).find(&[1]).is_none(), "cut at {at}");
        }
    }

    #[test]
    fn shaders_are_captured_whether_they_are_known_or_not() {
        let [cache, captured] = <[PipelineCache; 2]>::default();
        let known = Known { cache: Some(&cache), captured: Some(&captured), ..Known::default() };
        known.shader(vec![1], compiled).expect("compiled");
        Known { captured: None, ..known }.shader(vec![2], compiled).expect("compiled");
        known.shader(vec![2], never).expect("known");
        let [first, second] = <[Vec<u8>; 2]>::try_from(captured.entries()).expect("two entries");
        assert!(PipelineCache::from_data(&first).find(&[1]).is_some());
        assert!(PipelineCache::from_data(&first).find(&[2]).is_none());
        assert!(PipelineCache::from_data(&[second, first].concat()).find(&[1]).is_some());
    }

    #[test]
    fn what_was_made_is_shared_and_errors_are_not_kept() {
        let cache = PipelineCache::default();
        let known = Known { cache: Some(&cache), ..Known::default() };
        let source = |entry: &str| ShaderSource { entry_point: entry.into(), ..ShaderSource::default() };
        let failed = known.made(|made| &made.compute, source("main"), |_| Err(Error::NotReady));
        assert!(matches!(failed, Err(Error::NotReady)));
        let device = crate::device::Device::in_test();
        let make = |_: &ShaderSource| {
            let program = crate::program::Program::new(&device.code, compiled()?)?;
            Ok(ComputePipeline { program })
        };
        let never = |_: &ShaderSource| Err(Error::CompileRequired);
        let first = known.made(|made| &made.compute, source("main"), make).expect("made");
        let again = known.made(|made| &made.compute, source("main"), never).expect("known");
        assert!(Arc::ptr_eq(&first, &again));
        assert!(known.made(|made| &made.compute, source("other"), never).is_err());
        assert!(Known::default().made(|made| &made.compute, source("main"), never).is_err(), "no cache");
    }
}
