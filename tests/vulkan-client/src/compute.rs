//! Compute programs.

use ash::vk;

use crate::Error;
use crate::binaries;
use crate::condition::{self, Condition, Scope, within};
use crate::device::Device;
use crate::generated::Commands;
use crate::objects;
use crate::pipeline::{Bound, shaders};
use crate::request::Request;

/// Runs a compute program; returns the contents of its buffers and images.
///
/// # Errors
/// Vulkan's error, or unknown words.
pub fn run(device: &Device, request: &Request) -> Result<Vec<u8>, Error> {
    let bound = Bound::new(device, request)?;
    let shaders = shaders(device, request)?;
    let shader = shaders.first().ok_or("there is no shader")?;
    let constants = shader.specialization();
    let stage = shader.create(&constants);
    let flags = match request.has("base") {
        true => vk::PipelineCreateFlags::DISPATCH_BASE,
        false => vk::PipelineCreateFlags::empty(),
    };
    let create = [vk::ComputePipelineCreateInfo::default().flags(flags).stage(stage).layout(bound.layout)];
    let generated = Commands::compute(device, request, &bound, &shaders)?;
    let objects = objects::compute(device, request, shader, &bound)?;
    let pipeline = match objects {
        Some(_) => vk::Pipeline::null(),
        None => made(device, request, create)?,
    };
    let groups = request.numbers("groups", [1; 3])?;
    let base = request.numbers("base", [0; 3])?;
    let [repeat] = request.numbers("repeat", [1])?;
    let sizes: Vec<u8> = groups.iter().flat_map(|count| count.to_le_bytes()).collect();
    let indirect = device.buffer(&sizes)?;
    let shader_stage = vk::ShaderStageFlags::COMPUTE;
    let condition = Condition::new(device, request, &bound)?;
    let condition = condition.as_ref();
    let dispatches = |commands: vk::CommandBuffer| {
        let point = vk::PipelineBindPoint::COMPUTE;
        for number in 0..repeat {
            bound.bind(device, commands, point, (repeat > 1).then_some(number));
            match objects {
                Some(shader) => objects::bind(device, commands, &[(shader, shader_stage)])?,
                // SAFETY: the command buffer is being recorded.
                None => unsafe { device.functions.cmd_bind_pipeline(commands, point, pipeline) },
            }
            within(condition, Scope::One(number), commands, || match &generated {
                Some(generated) => generated.execute(commands),
                None => {
                    // SAFETY: as above.
                    unsafe { dispatch(device, request, commands, (indirect.buffer, groups, base)) };
                    Ok(())
                }
            })?;
            match request.has("events") {
                true => device.event(commands)?,
                false => device.barrier(commands),
            }
        }
        Ok(())
    };
    let commands = recorded(device, request, condition, dispatches)?;
    bound.write_late(device);
    match request.has("timeline") {
        true => device.submit_numbered(commands)?,
        false => device.submit_recorded(commands)?,
    }
    bound.contents(device)
}

/// A command buffer with dispatches, which may be those of a secondary one.
fn recorded(
    device: &Device,
    request: &Request,
    condition: Option<&Condition<'_>>,
    dispatches: impl Fn(vk::CommandBuffer) -> Result<(), Error>,
) -> Result<vk::CommandBuffer, Error> {
    let record = |commands| within(condition, Scope::All, commands, || dispatches(commands));
    device.recorded(|commands| {
        condition::primary(condition, commands, || match request.has("secondary") {
            true => condition::inherited(request, Default::default(), |inheritance| {
                let flags = vk::CommandBufferUsageFlags::empty();
                let [levels] = request.numbers("secondary", [1])?;
                device.secondary(commands, (inheritance, flags), levels, record)
            }),
            false => record(commands),
        })
    })
}

/// Dispatches a number of workgroups, which is in a buffer too, from a first one on.
///
/// # Safety
/// The command buffer is being recorded.
unsafe fn dispatch(
    device: &Device,
    request: &Request,
    commands: vk::CommandBuffer,
    (indirect, [w, h, d], [x, y, z]): (vk::Buffer, [u32; 3], [u32; 3]),
) {
    // SAFETY: the caller's promise.
    unsafe {
        match (request.has("indirect"), request.has("base")) {
            (true, _) => device.functions.cmd_dispatch_indirect(commands, indirect, 0),
            (_, true) => device.functions.cmd_dispatch_base(commands, x, y, z, w, h, d),
            (_, false) => device.functions.cmd_dispatch(commands, w, h, d),
        }
    }
}

/// The pipeline, made as the request wants.
fn made(
    device: &Device,
    request: &Request,
    create: [vk::ComputePipelineCreateInfo<'_>; 1],
) -> Result<vk::Pipeline, Error> {
    if request.has("cached") {
        return cached(device, create);
    }
    if !request.has("binaries") {
        return pipeline(device, create, vk::PipelineCache::null());
    }
    binaries::remade(device, |chain, has_modules| {
        let [mut create] = create;
        create.p_next = chain;
        if !has_modules {
            create.stage.module = vk::ShaderModule::null();
        }
        pipeline(device, [create], vk::PipelineCache::null())
    })
}

fn pipeline(
    device: &Device,
    create: [vk::ComputePipelineCreateInfo<'_>; 1],
    cache: vk::PipelineCache,
) -> Result<vk::Pipeline, Error> {
    // SAFETY: handles are this device's; structures live through the call.
    let pipelines = unsafe { device.functions.create_compute_pipelines(cache, &create, None) };
    Ok(*pipelines.map_err(|(_, error)| error)?.first().ok_or("no pipeline")?)
}

/// A pipeline from a cache whose data was saved, damaged after its header, and saved again.
fn cached(device: &Device, create: [vk::ComputePipelineCreateInfo<'_>; 1]) -> Result<vk::Pipeline, Error> {
    let cache = |data: &[u8]| {
        let create = vk::PipelineCacheCreateInfo::default().initial_data(data);
        // SAFETY: the structure lives through the call.
        unsafe { device.functions.create_pipeline_cache(&create, None) }
    };
    // SAFETY: the cache is this device's.
    let data = |cache| unsafe { device.functions.get_pipeline_cache_data(cache) };
    let first = cache(&[])?;
    pipeline(device, create, first)?;
    let kept = data(first)?;
    for at in [kept.len() / 2, kept.len() - 1] {
        let mut damaged = kept.clone();
        damaged[at] ^= 0x10;
        pipeline(device, create, cache(&damaged)?)?;
        pipeline(device, create, cache(&damaged[..at])?)?;
    }
    pipeline(device, create, cache(&kept)?)
}
