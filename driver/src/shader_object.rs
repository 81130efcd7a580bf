//! Shader objects (`VK_EXT_shader_object`): shaders that are bound individually, and their binaries.
//!
//! A binary is the contents of a pipeline cache: the source of the shader, and its compiled main part. It is accepted
//! if the compiler's cache key of the source finds a main part in it that passes the compiler's check. This detects
//! other builds, other features of the device, and damage.

use std::sync::Arc;

use ash::vk;

use crate::Error;
use crate::cache::{Known, PipelineCache};
use crate::device::Device;
use crate::geometry::GeometryStage;
use crate::pipeline::{ComputePipeline, PipelineRobustness, ShaderSource};
use crate::stages::{FragmentStage, VertexStage};
use crate::tessellation::{ControlStage, EvaluationStage};
use crate::ycbcr;

/// The key of the source's entry; keys of shaders have at least 16 bytes.
const SOURCE: &[u8] = b"source";

/// A shader that is bound individually.
pub enum ShaderKind {
    /// A vertex shader.
    Vertex(Arc<VertexStage>),
    /// A tessellation control shader.
    Control(Arc<ControlStage>),
    /// A tessellation evaluation shader.
    Evaluation(Arc<EvaluationStage>),
    /// A geometry shader.
    Geometry(Arc<GeometryStage>),
    /// A fragment shader.
    Fragment(Arc<FragmentStage>),
    /// A compute shader.
    Compute(Arc<ComputePipeline>),
}

/// A shader object.
pub struct ShaderObject {
    /// The shader.
    pub kind: ShaderKind,
    /// Its binary.
    pub binary: Vec<u8>,
}

impl ShaderObject {
    /// Compiles a shader.
    ///
    /// # Errors
    /// The compiler's error, an unsupported stage, or out of memory.
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
    /// [`Error::Binary`] if another build of the driver or another device made it, or if it is damaged.
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
        vk::ShaderStageFlags::TESSELLATION_CONTROL => {
            ShaderKind::Control(Arc::new(ControlStage::new(device, source, known)?))
        }
        vk::ShaderStageFlags::TESSELLATION_EVALUATION => {
            let stage = EvaluationStage::new(source.clone(), None);
            stage.check(device, known)?;
            ShaderKind::Evaluation(Arc::new(stage))
        }
        vk::ShaderStageFlags::GEOMETRY => {
            let stage = GeometryStage::new(source.clone(), None);
            stage.check(device, known)?;
            ShaderKind::Geometry(Arc::new(stage))
        }
        vk::ShaderStageFlags::FRAGMENT => {
            let source = Some(source.clone());
            ShaderKind::Fragment(Arc::new(FragmentStage::new(device, source, None, [false, true], known)?))
        }
        vk::ShaderStageFlags::COMPUTE => {
            ShaderKind::Compute(Arc::new(ComputePipeline::new(device, source, known)?))
        }
        _ => {
            return Err(Error::Unsupported { what: "a shader stage of meshes or rays" });
        }
    })
}

/// Removes and returns the first word.
fn word(bytes: &mut &[u8]) -> Option<u32> {
    let (word, rest) = bytes.split_first_chunk::<4>()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*word))
}

impl ShaderSource {
    /// All its fields: length and name of the entry point, number of constants, each as its number and two words,
    /// whether workgroups have a base, conversions, and the code.
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = (self.entry_point.len() as u32).to_le_bytes().to_vec();
        bytes.extend(self.entry_point.bytes());
        bytes.extend((self.constants.len() as u32).to_le_bytes());
        for (id, value) in &self.constants {
            bytes.extend(id.to_le_bytes());
            bytes.extend(value.to_le_bytes());
        }
        bytes.extend(u32::from(self.has_base).to_le_bytes());
        bytes.extend(ycbcr::to_words(&self.conversions).into_iter().flat_map(u32::to_le_bytes));
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
        let conversions = ycbcr::from_words(|| word(bytes))?;
        let (code, robustness) = (Arc::new(bytes.to_vec()), PipelineRobustness::default());
        Some(ShaderSource { code, entry_point, constants, has_base, robustness, conversions })
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
            conversions: Vec::new(),
        };
        let bytes = source.to_bytes();
        let back = ShaderSource::from_bytes(&bytes).expect("all of it");
        assert_eq!((&back.code, &back.entry_point), (&source.code, &source.entry_point));
        assert_eq!((back.constants, back.has_base), (source.constants, true));
        let without_code = bytes.len() - 4;
        assert!((0..without_code).all(|len| ShaderSource::from_bytes(&bytes[..len]).is_none()));
    }
}
