//! Pipeline binaries (`VK_KHR_pipeline_binary`): what a pipeline was made of, which applications keep instead of a cache.
//!
//! A binary is an entry of a pipeline cache: a compiled shader, or the module of a stage. Pipelines with equal shaders have equal
//! binaries.

use std::fmt::Debug;

use agx_compiler::{CompileKey, Input};

use crate::cache::PipelineCache;
use crate::device::Device;

/// Bytes of the key of a binary.
pub const KEY_LEN: usize = 16;

/// A part of a pipeline that is stored alone.
#[derive(Debug)]
pub struct PipelineBinary {
    /// The hash of the data; other builds of the driver have other keys.
    pub key: [u8; KEY_LEN],
    /// An entry of a pipeline cache.
    pub data: Vec<u8>,
}

impl PipelineBinary {
    /// The binary with these data, which need not be valid: pipelines do not use invalid ones.
    pub fn new(device: &Device, data: Vec<u8>) -> PipelineBinary {
        PipelineBinary { key: hash(device, &data), data }
    }
}

/// The cache that consists of binaries.
pub fn cache<'b>(binaries: impl IntoIterator<Item = &'b PipelineBinary>) -> PipelineCache {
    let data: Vec<_> = binaries.into_iter().map(|binary| binary.data.as_slice()).collect();
    PipelineCache::from_data(&data.concat())
}

/// The key of a pipeline with these parameters.
pub fn pipeline_key(device: &Device, parameters: &impl Debug) -> [u8; KEY_LEN] {
    hash(device, format!("{parameters:?}").as_bytes())
}

fn hash(device: &Device, bytes: &[u8]) -> [u8; KEY_LEN] {
    device.compiler.cache_key(Input::spirv(bytes), &CompileKey::default()).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_name_the_data() {
        let device = Device::in_test();
        let keys = [vec![], vec![1], vec![2], vec![1]].map(|data| PipelineBinary::new(&device, data).key);
        assert!(keys[0] != keys[1] && keys[1] != keys[2]);
        assert_eq!(keys[1], keys[3]);
        assert_ne!(pipeline_key(&device, &"a"), pipeline_key(&device, &"b"));
    }

    #[test]
    fn a_cache_of_binaries_has_their_entries() {
        let device = Device::in_test();
        let kept = PipelineCache::default();
        kept.put(vec![1], vec![7, 7]);
        kept.put(vec![2], vec![]);
        let binaries: Vec<_> =
            kept.entries().into_iter().map(|data| PipelineBinary::new(&device, data)).collect();
        let again = cache(&binaries);
        assert_eq!(
            (again.get(&[1]), again.get(&[2]), again.get(&[3])),
            (Some(vec![7, 7]), Some(vec![]), None)
        );
    }
}
