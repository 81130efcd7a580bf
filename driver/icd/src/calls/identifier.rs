//! Identifiers of shader modules (`VK_EXT_shader_module_identifier`), by which pipelines are made again without the modules.
//!
//! An identifier is the compiler's name of the module. If the device has the extension, a pipeline cache keeps the modules of its
//! pipelines; a pipeline of identifiers that the cache does not know has to be compiled. The captured data of a pipeline have the
//! modules by stage.

use std::sync::Arc;

use agx_driver::Error;
use agx_driver::cache::{Known, PipelineCache};
use agx_driver::pipeline::Module;
use ash::vk;

use super::pipeline::code;
use crate::generated::members;
use crate::handles::object;
use crate::objects::Device;

/// What the names of modules in caches begin with.
const PREFIX: &[u8] = b"module";

/// The name of the module of a stage in captured data.
fn of_stage(stage: vk::ShaderStageFlags) -> Vec<u8> {
    [b"stage".as_slice(), &stage.as_raw().to_le_bytes()].concat()
}

fn write(identifier: [u8; 16], out: &mut vk::ShaderModuleIdentifierEXT<'_>) {
    out.identifier_size = identifier.len() as u32;
    out.identifier = [0; vk::MAX_SHADER_MODULE_IDENTIFIER_SIZE_EXT];
    out.identifier[..identifier.len()].copy_from_slice(&identifier);
}

pub(crate) fn get_shader_module_identifier_ext(
    device: &Arc<Device>,
    module: vk::ShaderModule,
    out: &mut vk::ShaderModuleIdentifierEXT<'_>,
) {
    if let Some(module) = object(module) {
        write(module.code.identifier(device), out);
    }
}

pub(crate) fn get_shader_module_create_info_identifier_ext(
    device: &Arc<Device>,
    info: &vk::ShaderModuleCreateInfo<'_>,
    out: &mut vk::ShaderModuleIdentifierEXT<'_>,
) {
    write(code(info).identifier(device), out);
}

/// The modules of pipelines that are made with a cache.
#[derive(Clone, Copy)]
pub(super) struct Modules<'c> {
    device: &'c Device,
    known: Known<'c>,
}

impl<'c> Modules<'c> {
    pub(super) fn new(device: &'c Device, known: Known<'c>) -> Modules<'c> {
        Modules { device, known }
    }

    /// The cache, if the device has the extension.
    fn cache(self) -> Option<&'c PipelineCache> {
        self.known.cache.filter(|_| self.device.keeps_modules)
    }

    /// Keeps the module of a stage.
    pub(super) fn keep(self, stage: vk::ShaderStageFlags, module: &Module) {
        if let Some(captured) = self.known.captured {
            captured.put(of_stage(stage), module.to_vec());
        }
        let Some(cache) = self.cache() else { return };
        let name = [PREFIX, &module.identifier(self.device)].concat();
        if cache.get(&name).is_none() {
            cache.put(name, module.to_vec());
        }
    }

    /// The module with an identifier.
    ///
    /// # Errors
    /// [`Error::CompileRequired`]: the cache does not have it.
    pub(super) fn find(
        self,
        wanted: &vk::PipelineShaderStageModuleIdentifierCreateInfoEXT<'_>,
    ) -> Result<Arc<Module>, Error> {
        let wanted = members::pipeline_shader_stage_module_identifier_create_info_ext_identifier(wanted);
        let kept = self.cache().and_then(|cache| cache.get(&[PREFIX, wanted].concat()));
        let module = Module::new(kept.ok_or(Error::CompileRequired)?);
        // What was kept may be damaged.
        if module.identifier(self.device) == wanted { Ok(module) } else { Err(Error::CompileRequired) }
    }

    /// The module of a stage for which the application gives none, from the binaries of its pipeline.
    ///
    /// # Errors
    /// [`Error::Invalid`]: there are no binaries, or they are of pipelines without the stage.
    pub(super) fn of_stage(self, stage: vk::ShaderStageFlags) -> Result<Arc<Module>, Error> {
        let kept = self.known.cache.and_then(|cache| cache.get(&of_stage(stage)));
        Ok(Module::new(kept.ok_or(Error::Invalid { what: "a stage without module" })?))
    }
}
