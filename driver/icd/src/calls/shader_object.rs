//! Shader objects (`VK_EXT_shader_object`).

use std::ffi::c_void;
use std::sync::Arc;

use agx_driver::Error;
use agx_driver::command::{CommandBuffer, Recorder};
use agx_driver::descriptor::PipelineLayout;
use agx_driver::dirty::Dirty;
use agx_driver::pipeline::{Module, ShaderSource};
use agx_driver::shader_object::ShaderObject;
use ash::vk;

use super::pipeline::{cache_header, constants};
use crate::generated::members;
use crate::handles::{give, owned, shared, take};
use crate::objects::Device;
use crate::pointers::Fill;

fn made(device: &Device, info: &vk::ShaderCreateInfoEXT<'_>) -> Result<ShaderObject, Error> {
    let code = members::shader_create_info_ext_code(info);
    if info.code_type == vk::ShaderCodeTypeEXT::BINARY {
        let own = code.strip_prefix(cache_header().as_slice()).ok_or(Error::Binary)?;
        return ShaderObject::from_binary(device, info.stage, own);
    }
    crate::keep_module(code);
    let name = members::shader_create_info_ext_name(info);
    let sets = members::shader_create_info_ext_set_layouts(info).iter().map(|set| owned(*set));
    let source = ShaderSource {
        code: Module::new(code.to_vec()),
        entry_point: name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        constants: members::shader_create_info_ext_specialization_info(info)
            .map(constants)
            .unwrap_or_default(),
        has_base: info.flags.contains(vk::ShaderCreateFlagsEXT::DISPATCH_BASE),
        conversions: PipelineLayout { sets: sets.collect() }.conversions(),
        ..ShaderSource::default()
    };
    ShaderObject::new(device, info.stage, &source)
}

pub(crate) fn create_shaders_ext(
    device: &Arc<Device>,
    infos: &[vk::ShaderCreateInfoEXT<'_>],
    out: &mut [vk::ShaderEXT],
) -> Result<(), Error> {
    out.fill(vk::ShaderEXT::null());
    // Linked shaders need no special handling: outputs are matched by location.
    infos.iter().zip(out).try_for_each(|(info, slot)| {
        *slot = give(Arc::new(made(device, info)?));
        Ok(())
    })
}

pub(crate) fn destroy_shader_ext(_: &Arc<Device>, shader: vk::ShaderEXT) {
    drop(take(shader));
}

pub(crate) fn get_shader_binary_data_ext(
    device: &Arc<Device>,
    shader: vk::ShaderEXT,
    fill: Fill<usize, c_void>,
) -> Result<vk::Result, Error> {
    let mut data = cache_header();
    data.extend(shared(shader)?.binary(device)?);
    Ok(fill.whole(&data))
}

pub(crate) fn cmd_bind_shaders_ext(
    buffer: &mut CommandBuffer,
    stages: &[vk::ShaderStageFlags],
    shaders: &[vk::ShaderEXT],
) {
    let given = |at: usize| shaders.get(at).and_then(|shader| owned(*shader));
    let bound: Vec<_> = stages.iter().enumerate().map(|(at, stage)| (*stage, given(at))).collect();
    buffer.record(move |recorder| {
        bound.iter().for_each(|(stage, shader)| bind(recorder, *stage, shader.as_deref()));
        Ok(())
    });
}

/// Binds or unbinds the shader of a stage.
fn bind(recorder: &mut Recorder, stage: vk::ShaderStageFlags, shader: Option<&ShaderObject>) {
    recorder.graphics.state.dirty |= Dirty::PROGRAMS;
    match (stage, shader) {
        (_, Some(shader)) => shader.kind.bind(recorder),
        (vk::ShaderStageFlags::VERTEX, None) => recorder.graphics.objects().vertex = None,
        (vk::ShaderStageFlags::TESSELLATION_CONTROL, None) => {
            recorder.graphics.objects().control = None;
        }
        (vk::ShaderStageFlags::TESSELLATION_EVALUATION, None) => {
            recorder.graphics.objects().evaluation = None;
        }
        (vk::ShaderStageFlags::GEOMETRY, None) => recorder.graphics.objects().geometry = None,
        (vk::ShaderStageFlags::TASK_EXT, None) => recorder.graphics.objects().task = None,
        (vk::ShaderStageFlags::MESH_EXT, None) => recorder.graphics.objects().mesh = None,
        (vk::ShaderStageFlags::FRAGMENT, None) => recorder.graphics.objects().fragment = None,
        // Unsupported stages have no shaders.
        _ => {}
    }
}
