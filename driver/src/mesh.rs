//! Task and mesh shaders, and the programs that are compiled from them.

use std::sync::Arc;

use agx_abi::{MeshInfo, MeshKind, Stage};
use agx_compiler::{CompileKey, Input};

use crate::Error;
use crate::cache::Known;
use crate::device::Device;
use crate::pipeline::ShaderSource;
use crate::program::Program;
use crate::stages::{FragmentNeeds, LinkedVertex, main_part, name};

/// A task shader: a compute shader of the hardware.
pub struct TaskStage {
    /// Its program.
    pub program: Program,
}

/// A mesh shader.
pub struct MeshStage {
    /// The shader, to be launched as a compute shader.
    pub program: Program,
    /// The vertex shader of the hardware that draws its primitives.
    pub drawn: Arc<LinkedVertex>,
}

fn key(device: &Device, source: &ShaderSource, kind: MeshKind) -> CompileKey {
    let mut key = source.key(device, Stage::Compute);
    key.mesh = Some(kind);
    key
}

impl TaskStage {
    /// Compiles a shader.
    ///
    /// # Errors
    /// The compiler's error, or out of memory.
    pub fn new(device: &Device, source: &ShaderSource, known: Known<'_>) -> Result<TaskStage, Error> {
        let key = key(device, source, MeshKind::Task);
        let shader = main_part(device, Input::spirv(&source.code), &key, known)?;
        Ok(TaskStage { program: Program::new(&device.code, shader)? })
    }

    /// Its properties.
    pub fn info(&self) -> MeshInfo {
        self.program.info.mesh.unwrap_or_default()
    }
}

impl MeshStage {
    /// Compiles a shader. `needs` is what the fragment shader needs, if it is always the same.
    ///
    /// # Errors
    /// The compiler's error, or out of memory.
    pub fn new(
        device: &Device,
        source: &ShaderSource,
        needs: Option<&FragmentNeeds>,
        known: Known<'_>,
    ) -> Result<MeshStage, Error> {
        let (input, key) = (Input::spirv(&source.code), key(device, source, MeshKind::Mesh));
        let shader = main_part(device, input, &key, known)?;
        let name = name(device, input, &key, &("drawn", needs));
        let drawn = LinkedVertex::emitted(device, &shader.info, needs, (name, known))?;
        Ok(MeshStage { program: Program::new(&device.code, shader)?, drawn: Arc::new(drawn) })
    }

    /// Its properties.
    pub fn info(&self) -> MeshInfo {
        self.program.info.mesh.unwrap_or_default()
    }
}
