//! Shader objects: created individually, linked, or from binaries.

use ash::vk;

use crate::Error;
use crate::device::{Device, States};
use crate::pipeline::{Bound, Shader};
use crate::request::Request;

/// Functions of shader objects.
///
/// # Errors
/// The driver does not have them.
pub fn states(device: &Device) -> Result<&States, Error> {
    device.states.as_ref().ok_or_else(|| "the driver does not offer shader objects".into())
}

/// Objects of these shaders, created as in `way objects|linked|binary`, with more flags.
///
/// # Errors
/// Vulkan's error.
pub fn create(
    device: &Device,
    way: &str,
    shaders: &[Shader],
    bound: &Bound,
    more: vk::ShaderCreateFlagsEXT,
) -> Result<Vec<vk::ShaderEXT>, Error> {
    let constants: Vec<_> = shaders.iter().map(Shader::specialization).collect();
    let layouts = [bound.set_layout];
    let ranges: Vec<_> = bound.push_range().into_iter().collect();
    let mut infos = Vec::new();
    let after = shaders.iter().skip(1).map(|shader| shader.stage).chain([vk::ShaderStageFlags::empty()]);
    for ((shader, constants), next) in shaders.iter().zip(&constants).zip(after) {
        let mut flags = more;
        if way == "linked" {
            flags |= vk::ShaderCreateFlagsEXT::LINK_STAGE;
        }
        let is_first = infos.is_empty();
        if is_first && shader.stage == vk::ShaderStageFlags::MESH_EXT {
            flags |= vk::ShaderCreateFlagsEXT::NO_TASK_SHADER;
        }
        let mut info = vk::ShaderCreateInfoEXT::default()
            .flags(flags)
            .stage(shader.stage)
            .next_stage(next)
            .code_type(vk::ShaderCodeTypeEXT::SPIRV)
            .name(&shader.entry)
            .set_layouts(&layouts)
            .push_constant_ranges(&ranges)
            .specialization_info(constants);
        (info.p_code, info.code_size) = (shader.words.as_ptr().cast(), 4 * shader.words.len());
        infos.push(info);
    }
    let objects = &states(device)?.objects;
    let made = |infos: &[vk::ShaderCreateInfoEXT<'_>]| {
        // SAFETY: handles are this device's; structures live through the call.
        unsafe { objects.create_shaders(infos, None) }.map_err(|(_, error)| Error::from(error))
    };
    let shaders = made(&infos)?;
    if way != "binary" {
        return Ok(shaders);
    }
    for (info, shader) in infos.iter_mut().zip(shaders) {
        // SAFETY: the shader is this device's.
        let binary = unsafe { objects.get_shader_binary_data(shader)? };
        damaged(device, info, &binary)?;
        // It is stored in memory that is aligned for binaries, and the original shader is destroyed.
        let kept: &'static [u128] = aligned(&binary).leak();
        // SAFETY: the shader is this device's.
        unsafe { objects.destroy_shader(shader, None) };
        (info.p_code, info.code_size) = (kept.as_ptr().cast(), binary.len());
        info.code_type = vk::ShaderCodeTypeEXT::BINARY;
    }
    made(&infos)
}

/// Bytes with the alignment of binaries.
fn aligned(bytes: &[u8]) -> Vec<u128> {
    bytes
        .chunks(16)
        .map(|chunk| {
            let mut word = [0; 16];
            word[..chunk.len()].copy_from_slice(chunk);
            u128::from_le_bytes(word)
        })
        .collect()
}

/// Checks that a binary of another driver is rejected.
fn damaged(device: &Device, info: &vk::ShaderCreateInfoEXT<'_>, binary: &[u8]) -> Result<(), Error> {
    let kept = aligned(&binary.iter().map(|byte| byte ^ 0x5a).collect::<Vec<_>>());
    let mut info = *info;
    (info.p_code, info.code_size) = (kept.as_ptr().cast(), binary.len());
    info.code_type = vk::ShaderCodeTypeEXT::BINARY;
    // SAFETY: as above.
    match unsafe { states(device)?.objects.create_shaders(&[info], None) } {
        Err((_, vk::Result::INCOMPATIBLE_SHADER_BINARY_EXT)) => Ok(()),
        Err((_, error)) => Err(error.into()),
        Ok(_) => Err("a damaged binary was taken".into()),
    }
}

/// The object of a compute shader, if a request has one.
///
/// # Errors
/// Vulkan's error.
pub fn compute(
    device: &Device,
    request: &Request,
    shader: &Shader,
    bound: &Bound,
) -> Result<Option<vk::ShaderEXT>, Error> {
    let Ok(way) = request.word("way") else { return Ok(None) };
    let flags = match request.has("base") {
        true => vk::ShaderCreateFlagsEXT::DISPATCH_BASE,
        false => vk::ShaderCreateFlagsEXT::empty(),
    };
    let made = create(device, way, std::slice::from_ref(shader), bound, flags)?;
    Ok(made.first().copied())
}

/// Binds shaders.
///
/// # Errors
/// The driver does not have shader objects.
pub fn bind(
    device: &Device,
    commands: vk::CommandBuffer,
    shaders: &[(vk::ShaderEXT, vk::ShaderStageFlags)],
) -> Result<(), Error> {
    let (objects, stages): (Vec<_>, Vec<_>) = shaders.iter().copied().unzip();
    // SAFETY: the command buffer is being recorded.
    unsafe { states(device)?.objects.cmd_bind_shaders(commands, &stages, &objects) };
    Ok(())
}
