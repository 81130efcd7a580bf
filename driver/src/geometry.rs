//! Geometry shaders, and the programs that are compiled from them for a vertex shader.

use std::sync::{Arc, Mutex};

use agx_abi::vertex::Output;
use agx_abi::{GeometryInfo, Stage};
use agx_compiler::{CompileKey, GeometryKey, Input, Statistics};

use crate::Error;
use crate::cache::Known;
use crate::device::Device;
use crate::memory::lock;
use crate::pipeline::ShaderSource;
use crate::program::Program;
use crate::stages::{FragmentNeeds, LinkedVertex, Made, found, main_part, name};

/// A geometry shader.
pub struct GeometryStage {
    source: ShaderSource,
    /// What the fragment shader needs, if there is only one for all draws.
    needs: Option<FragmentNeeds>,
    emitters: Made<GeometryKey, Emitter>,
}

/// The programs of a geometry shader for a vertex shader.
pub struct Emitter {
    /// The geometry shader, to be launched as a compute shader.
    pub program: Arc<Program>,
    /// The vertex shader of the hardware that draws the emitted vertices.
    pub drawn: Arc<LinkedVertex>,
}

impl Emitter {
    /// The modes of the shader.
    pub fn info(&self) -> GeometryInfo {
        self.program.info.geometry.unwrap_or_default()
    }

    /// The word of an emitted vertex that names the stream of its primitive, if there are several streams.
    pub(crate) fn stream_word(&self) -> Option<u32> {
        let varyings = &self.program.info.varyings;
        let word = varyings.iter().find(|varying| varying.output == Output::Stream)?;
        Some(word.slot.into())
    }
}

impl GeometryStage {
    /// A geometry shader. `needs` is what the fragment shader needs, if it is always the same.
    pub fn new(source: ShaderSource, needs: Option<FragmentNeeds>) -> GeometryStage {
        GeometryStage { source, needs, emitters: Mutex::default() }
    }

    /// Compiles the shader without a vertex shader, to check it and to keep it in a cache.
    ///
    /// # Errors
    /// The compiler's error.
    pub fn check(&self, device: &Device, known: Known<'_>) -> Result<(), Error> {
        main_part(
            device,
            Input::spirv(&self.source.code),
            &self.key(device, &GeometryKey::default()),
            known,
        )?;
        Ok(())
    }

    fn key(&self, device: &Device, geometry: &GeometryKey) -> CompileKey {
        let mut key = self.source.key(device, Stage::Compute);
        key.geometry = Some(geometry.clone());
        key
    }

    /// The programs after a vertex shader that stores its outputs in the slots of `geometry`.
    ///
    /// # Errors
    /// The compiler's error, or out of memory.
    pub fn emitter(
        &self,
        device: &Device,
        geometry: GeometryKey,
        known: Known<'_>,
    ) -> Result<Arc<Emitter>, Error> {
        found(&self.emitters, geometry, |geometry| {
            let (input, key) = (Input::spirv(&self.source.code), self.key(device, geometry));
            let shader = main_part(device, input, &key, known)?;
            let name = name(device, input, &key, &("emitted", &self.needs));
            let drawn = LinkedVertex::emitted(device, &shader.info, self.needs.as_ref(), (name, known))?;
            let program = Arc::new(Program::new(&device.code, shader)?);
            Ok(Emitter { program, drawn: Arc::new(drawn) })
        })
    }

    /// Statistics of its program.
    pub fn statistics(&self) -> Option<Statistics> {
        lock(&self.emitters).values().next().map(|emitter| emitter.program.statistics)
    }
}
