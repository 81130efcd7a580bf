//! Shader objects (`VK_EXT_shader_object`): shaders that are bound one by one, and their binaries.
//!
//! A binary is the contents of a pipeline cache: the source of the shader, and its main part as compiled. It is accepted where the
//! compiler's own key of the source names a main part in it that passes the compiler's check; so another build, other features of
//! the device and damage are found out.

use std::sync::Arc;

use ash::vk;

use crate::Error;
use crate::cache::{Known, PipelineCache};
use crate::device::Device;
use crate::pipeline::{ComputePipeline, PipelineRobustness, ShaderSource};
use crate::stages::{FragmentStage, VertexStage};

/// The entry of the source; keys of shaders have 16 bytes at least.
const SOURCE: &[u8] = b"source";

/// A shader that is bound by itself.
pub enum ShaderKind {
    /// A vertex shader.
    Vertex(Arc<VertexStage>),
    /// A fragment shader.
    Fragment(Arc<FragmentStage>),
    /// A compute shader.
    Compute(Arc<ComputePipeline>),
}

/// A shader object.
pub struct ShaderObject {
    /// What it is.
    pub kind: ShaderKind,
    /// Its binary.
    pub binary: Vec<u8>,
}

impl ShaderObject {
    /// Compiles a shader.
    ///
    /// # Errors
    /// What the compiler says, a stage that the driver does not have, or memory is used up.
    pub fn new(
        device: &Device,
        stage: vk::ShaderStageFlags,
        source: &ShaderSource,
    ) -> Result<ShaderObject, Error> {
        let cache = PipelineCache::default();
        let kind = made(device, stage, source, Known { cache: Some(&cache), only: false })?;
        cache.put(SOURCE.to_vec(), source.to_bytes());
        Ok(ShaderObject { kind, binary: cache.data() })
    }

    /// The shader of a binary.
    ///
    /// # Errors
    /// [`Error::Binary`] of what this build of the driver did not make for such a device, or that was damaged since.
    pub fn from_binary(
        device: &Device,
        stage: vk::ShaderStageFlags,
        binary: &[u8],
    ) -> Result<ShaderObject, Error> {
        let cache = PipelineCache::from_data(binary);
        let source = cache.get(SOURCE).and_then(|bytes| ShaderSource::from_bytes(&bytes));
        let kind =
            made(device, stage, &source.ok_or(Error::Binary)?, Known { cache: Some(&cache), only: true });
        let kind = kind.map_err(|error| match error {
            Error::CompileRequired | Error::Compile(_) | Error::Link(_) => Error::Binary,
            other => other,
        })?;
        Ok(ShaderObject { kind, binary: binary.to_vec() })
    }
}

fn made(
    device: &Device,
    stage: vk::ShaderStageFlags,
    source: &ShaderSource,
    known: Known<'_>,
) -> Result<ShaderKind, Error> {
    Ok(match stage {
        vk::ShaderStageFlags::VERTEX => {
            ShaderKind::Vertex(Arc::new(VertexStage::new(device, source.clone(), true, None, known)?))
        }
        vk::ShaderStageFlags::FRAGMENT => {
            let source = Some(source.clone());
            ShaderKind::Fragment(Arc::new(FragmentStage::new(device, source, [false, true], known)?))
        }
        vk::ShaderStageFlags::COMPUTE => {
            ShaderKind::Compute(Arc::new(ComputePipeline::new(device, source, known)?))
        }
        _ => return Err(Error::Unsupported { what: "a shader stage beside vertex, fragment and compute" }),
    })
}

/// Takes a word off the front.
fn word(bytes: &mut &[u8]) -> Option<u32> {
    let (word, rest) = bytes.split_first_chunk::<4>()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*word))
}

impl ShaderSource {
    /// Everything that it says: the length of the entry point and its name, the number of constants and each as its number and two
    /// words, whether workgroups have a base, and the code.
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = (self.entry_point.len() as u32).to_le_bytes().to_vec();
        bytes.extend(self.entry_point.bytes());
        bytes.extend((self.constants.len() as u32).to_le_bytes());
        for (id, value) in &self.constants {
            bytes.extend(id.to_le_bytes());
            bytes.extend(value.to_le_bytes());
        }
        bytes.extend(u32::from(self.has_base).to_le_bytes());
        bytes.extend_from_slice(&self.code);
        bytes
    }

    fn from_bytes(mut bytes: &[u8]) -> Option<ShaderSource> {
        let bytes = &mut bytes;
        let (name, rest) = word(bytes).and_then(|len| bytes.split_at_checked(len as usize))?;
        let entry_point = String::from_utf8(name.to_vec()).ok()?;
        *bytes = rest;
        let mut constants = Vec::new();
        for _ in 0..word(bytes)? {
            let (id, low, high) = (word(bytes)?, word(bytes)?, word(bytes)?);
            constants.push((id, u64::from(high) << 32 | u64::from(low)));
        }
        let has_base = word(bytes)? != 0;
        let robustness = PipelineRobustness::default();
        Some(ShaderSource { code: Arc::new(bytes.to_vec()), entry_point, constants, has_base, robustness })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_come_back_from_bytes_and_not_from_less() {
        let source = ShaderSource {
            code: Arc::new(vec![3, 2, 35, 7]),
            entry_point: "main".into(),
            constants: vec![(7, 1 << 40 | 5), (1, 0)],
            has_base: true,
            robustness: PipelineRobustness::default(),
        };
        let bytes = source.to_bytes();
        let back = ShaderSource::from_bytes(&bytes).expect("all of it");
        assert_eq!((&back.code, &back.entry_point), (&source.code, &source.entry_point));
        assert_eq!((back.constants, back.has_base), (source.constants, true));
        let without_code = bytes.len() - 4;
        assert!((0..without_code).all(|len| ShaderSource::from_bytes(&bytes[..len]).is_none()));
    }
}
