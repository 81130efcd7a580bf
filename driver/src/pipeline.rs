//! Pipelines: shaders compiled for a layout and a state.

use std::sync::Arc;

use agx_abi::Stage;
use agx_compiler::{CompileKey, Input};

use crate::Error;
use crate::cache::Known;
use crate::device::Device;
use crate::program::Program;

/// A shader of a pipeline.
#[derive(Clone, Debug, Default)]
pub struct ShaderSource {
    /// SPIR-V.
    pub code: Arc<Vec<u8>>,
    /// Name of the entry point.
    pub entry_point: String,
    /// Specialization constants by id, as raw bits.
    pub constants: Vec<(u32, u64)>,
    /// Workgroups need not be numbered from 0 on.
    pub has_base: bool,
}

impl ShaderSource {
    /// The compiler's key for a stage.
    pub fn key(&self, device: &Device, stage: Stage) -> CompileKey {
        let mut key = CompileKey::default();
        key.entry_point = Some(self.entry_point.clone());
        key.stage = Some(stage);
        key.spec_constants = self.constants.clone();
        key.robustness = device.enabled.robustness;
        key.sampler_bias = true;
        key.pairs_samplers = device.enabled.open_borders;
        key.workgroup_base = self.has_base;
        key
    }
}

/// A compute pipeline.
pub struct ComputePipeline {
    /// Its program.
    pub program: Program,
}

impl ComputePipeline {
    /// Compiles a shader.
    ///
    /// # Errors
    /// What the compiler says, or memory is used up.
    pub fn new(device: &Device, source: &ShaderSource, known: Known<'_>) -> Result<ComputePipeline, Error> {
        let (input, key) = (Input::spirv(&source.code), source.key(device, Stage::Compute));
        let name = device.compiler.cache_key(input, &key).to_le_bytes().to_vec();
        let shader = known.shader(name, || device.compile(input, &key))?;
        Ok(ComputePipeline { program: Program::new(&device.code, shader)? })
    }
}
