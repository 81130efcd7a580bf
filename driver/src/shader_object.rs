//! Shader objects (`VK_EXT_shader_object`): shaders that are bound individually, and their binaries.
//!
//! A binary is the contents of a pipeline cache: the source of the shader, and its main part compiled for a device without
//! features, so that equal shaders have equal binaries on all devices. It is accepted if the compiler's cache key of the source
//! finds a main part in it that passes the compiler's check. This detects other builds and damage. A device whose features
//! change the code of the shader compiles it again.

use std::sync::{Arc, OnceLock};

use ash::vk;

use crate::Error;
use crate::cache::{Known, PipelineCache};
use crate::command::Recorder;
use crate::device::{Device, Enabled};
use crate::dirty::Dirty;
use crate::geometry::GeometryStage;
use crate::mesh::{MeshStage, TaskStage};
use crate::pipeline::{ComputePipeline, Module, ShaderSource};
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
    /// A task shader.
    Task(Arc<TaskStage>),
    /// A mesh shader.
    Mesh(Arc<MeshStage>),
    /// A fragment shader.
    Fragment(Arc<FragmentStage>),
    /// A compute shader.
    Compute(Arc<ComputePipeline>),
}

impl ShaderKind {
    /// Binds the shader.
    pub fn bind(&self, recorder: &mut Recorder) {
        let graphics = &mut recorder.graphics;
        graphics.state.dirty |= Dirty::PROGRAMS;
        match self {
            ShaderKind::Vertex(stage) => graphics.objects().vertex = Some(stage.clone()),
            ShaderKind::Control(stage) => graphics.objects().control = Some(stage.clone()),
            ShaderKind::Evaluation(stage) => graphics.objects().evaluation = Some(stage.clone()),
            ShaderKind::Geometry(stage) => graphics.objects().geometry = Some(stage.clone()),
            ShaderKind::Task(stage) => graphics.objects().task = Some(stage.clone()),
            ShaderKind::Mesh(stage) => graphics.objects().mesh = Some(stage.clone()),
            ShaderKind::Fragment(stage) => graphics.objects().fragment = Some(stage.clone()),
            ShaderKind::Compute(pipeline) => recorder.bind_compute(pipeline.clone()),
        }
    }
}

/// A shader object.
pub struct ShaderObject {
    /// The shader.
    pub kind: ShaderKind,
    stage: vk::ShaderStageFlags,
    source: ShaderSource,
    /// Its binary, made when the application first asks for it.
    binary: OnceLock<Vec<u8>>,
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
        let kind = made(device, stage, source, Known::default())?;
        Ok(ShaderObject { kind, stage, source: source.clone(), binary: OnceLock::new() })
    }

    /// The shader of a binary.
    ///
    /// # Errors
    /// [`Error::Binary`] if another build of the driver made it, or if it is damaged.
    pub fn from_binary(
        device: &Device,
        stage: vk::ShaderStageFlags,
        binary: &[u8],
    ) -> Result<ShaderObject, Error> {
        let cache = PipelineCache::from_data(binary);
        let source = cache.get(SOURCE).and_then(|bytes| ShaderSource::from_bytes(&bytes));
        let source = source.ok_or(Error::Binary)?;
        let known = Known { cache: Some(&cache), ..Known::default() };
        let kept = made(device, stage, &featureless(&source), Known { only: true, ..known });
        let kept = kept.map_err(|error| match error {
            Error::CompileRequired | Error::Compile(_) | Error::Link(_) => Error::Binary,
            other => other,
        })?;
        let kind = match device.enabled == Enabled::default() {
            true => kept,
            false => made(device, stage, &source, known)?,
        };
        Ok(ShaderObject { kind, stage, source, binary: OnceLock::from(binary.to_vec()) })
    }

    /// Its stage.
    pub fn stage(&self) -> vk::ShaderStageFlags {
        self.stage
    }

    /// Its binary.
    ///
    /// # Errors
    /// The compiler's error, or out of memory.
    pub fn binary(&self, device: &Device) -> Result<&[u8], Error> {
        if let Some(binary) = self.binary.get() {
            return Ok(binary);
        }
        let cache = PipelineCache::default();
        let known = Known { cache: Some(&cache), ..Known::default() };
        made(device, self.stage, &featureless(&self.source), known)?;
        cache.put(SOURCE.to_vec(), self.source.to_bytes());
        Ok(self.binary.get_or_init(|| cache.data()))
    }
}

/// A shader as compiled for a device without features.
fn featureless(source: &ShaderSource) -> ShaderSource {
    ShaderSource { featureless: true, ..source.clone() }
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
        vk::ShaderStageFlags::TASK_EXT => ShaderKind::Task(Arc::new(TaskStage::new(device, source, known)?)),
        vk::ShaderStageFlags::MESH_EXT => {
            ShaderKind::Mesh(Arc::new(MeshStage::new(device, source, None, known)?))
        }
        vk::ShaderStageFlags::FRAGMENT => {
            let source = Some(source.clone());
            ShaderKind::Fragment(Arc::new(FragmentStage::new(device, source, None, [false, true], known)?))
        }
        vk::ShaderStageFlags::COMPUTE => {
            ShaderKind::Compute(ComputePipeline::new(device, source.clone(), known)?)
        }
        _ => {
            return Err(Error::Unsupported { what: "a shader stage of rays" });
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
        let code = Module::new(bytes.to_vec());
        Some(ShaderSource { code, entry_point, constants, has_base, conversions, ..ShaderSource::default() })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use agx_compiler::{Bounds, Robustness};

    use super::*;

    /// A compute shader `main` in workgroups of one invocation that does nothing.
    pub(crate) const EMPTY: [u32; 35] = [
        0x0723_0203,
        0x0001_0000,
        0,
        5,
        0, // header with the bound of ids
        2 << 16 | 17,
        1, // capability Shader
        3 << 16 | 14,
        0,
        1, // memory model
        5 << 16 | 15,
        5,
        1,
        0x6e69_616d,
        0, // entry point %1
        6 << 16 | 16,
        1,
        17,
        1,
        1,
        1, // execution mode LocalSize
        2 << 16 | 19,
        2, // %2 void
        3 << 16 | 33,
        3,
        2, // %3 function type
        5 << 16 | 54,
        2,
        1,
        0,
        3, // %1
        2 << 16 | 248,
        4,             // %4 label
        1 << 16 | 253, // return
        1 << 16 | 56,  // end of the function
    ];

    #[test]
    fn binaries_do_not_depend_on_the_features_of_the_device() {
        let robust =
            Enabled { robustness: Robustness::all(Bounds::Exact), borders: true, open_borders: true };
        let code = EMPTY.iter().flat_map(|word| word.to_le_bytes()).collect();
        let source =
            ShaderSource { code: Module::new(code), entry_point: "main".into(), ..ShaderSource::default() };
        let devices = [Enabled::default(), robust].map(Device::with_features);
        let binaries = devices.each_ref().map(|device| {
            let object = ShaderObject::new(device, vk::ShaderStageFlags::COMPUTE, &source).expect("compiled");
            object.binary(device).expect("a binary").to_vec()
        });
        assert_eq!(binaries[0], binaries[1]);
        for device in &devices {
            let again = ShaderObject::from_binary(device, vk::ShaderStageFlags::COMPUTE, &binaries[0]);
            assert_eq!(again.expect("accepted").binary(device).expect("known"), binaries[0]);
            let mut damaged = binaries[0].clone();
            *damaged.last_mut().expect("not empty") ^= 1;
            let refused = ShaderObject::from_binary(device, vk::ShaderStageFlags::COMPUTE, &damaged);
            assert!(matches!(refused, Err(Error::Binary)));
        }
    }

    #[test]
    fn sources_come_back_from_bytes_and_not_from_less() {
        let source = ShaderSource {
            code: Module::new(vec![3, 2, 35, 7]),
            entry_point: "main".into(),
            constants: vec![(7, 1 << 40 | 5), (1, 0)],
            has_base: true,
            ..ShaderSource::default()
        };
        let bytes = source.to_bytes();
        let back = ShaderSource::from_bytes(&bytes).expect("all of it");
        assert_eq!((&back.code, &back.entry_point), (&source.code, &source.entry_point));
        assert_eq!((back.constants, back.has_base), (source.constants, true));
        let without_code = bytes.len() - 4;
        assert!((0..without_code).all(|len| ShaderSource::from_bytes(&bytes[..len]).is_none()));
    }
}
