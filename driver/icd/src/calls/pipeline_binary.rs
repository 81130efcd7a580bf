//! Pipeline binaries (`VK_KHR_pipeline_binary`).

use std::ffi::c_void;
use std::sync::Arc;

use agx_driver::Error;
use agx_driver::cache::{Known, PipelineCache};
use agx_driver::memory::lock;
use agx_driver::pipeline_binary::{KEY_LEN, PipelineBinary, cache, pipeline_key};
use ash::vk;

use super::identifier::Modules;
use super::library::Libraries;
use super::pipeline::{all_flags, compute_source};
use crate::generated::members;
use crate::handles::{give, object, shared, take};
use crate::newer::{
    MAX_PIPELINE_BINARY_KEY_SIZE, PIPELINE_BINARY_MISSING, PipelineBinaryCreateInfo, PipelineBinaryDataInfo,
    PipelineBinaryHandle, PipelineBinaryHandlesInfo, PipelineBinaryInfo, PipelineBinaryKey,
    PipelineCreateInfo, ReleaseCapturedPipelineDataInfo,
};
use crate::objects::Device;
use crate::pointers::{Fill, find};

/// The cache of the binaries that a pipeline is to be made of.
pub(super) fn given(next: *const c_void) -> Option<PipelineCache> {
    let info = find::<PipelineBinaryInfo>(next).filter(|info| info.binary_count > 0)?;
    let binaries = members::pipeline_binary_info_khr_pipeline_binaries(info);
    Some(cache(binaries.iter().filter_map(|binary| object(*binary))))
}

fn write(key: [u8; KEY_LEN], out: &mut PipelineBinaryKey) {
    out.key_size = KEY_LEN as u32;
    out.key = [0; MAX_PIPELINE_BINARY_KEY_SIZE];
    out.key[..KEY_LEN].copy_from_slice(&key);
}

pub(crate) fn create_pipeline_binaries_khr(
    device: &Arc<Device>,
    info: &PipelineBinaryCreateInfo,
    out: &mut PipelineBinaryHandlesInfo,
) -> Result<vk::Result, Error> {
    let data = match members::pipeline_binary_create_info_khr_keys_and_data_info(info) {
        Some(given) => {
            let list = members::pipeline_binary_keys_and_data_khr_pipeline_binary_data(given);
            list.iter().map(|data| members::pipeline_binary_data_khr_data(data).to_vec()).collect()
        }
        // The driver has no cache of its own.
        None if info.p_pipeline_create_info.is_null() => captured(info.pipeline)?,
        None => {
            out.pipeline_binary_count = 0;
            return Ok(PIPELINE_BINARY_MISSING);
        }
    };
    // SAFETY: valid usage of `VkPipelineBinaryHandlesInfoKHR`: the array has room for the count.
    let fill = unsafe { Fill::new(&raw mut out.pipeline_binary_count, out.p_pipeline_binaries) };
    Ok(fill.fill(&data, |data: &Vec<u8>, slot| {
        *slot = give(Arc::new(PipelineBinary::new(device, data.clone())));
    }))
}

/// What a pipeline was made of.
fn captured(pipeline: vk::Pipeline) -> Result<Vec<Vec<u8>>, Error> {
    let pipeline = shared(pipeline)?;
    let captured = lock(&pipeline.captured);
    let captured = captured.as_ref().ok_or(Error::Invalid { what: "a pipeline without captured data" })?;
    Ok(captured.entries())
}

pub(crate) fn destroy_pipeline_binary_khr(_: &Arc<Device>, binary: PipelineBinaryHandle) {
    drop(take(binary));
}

pub(crate) fn get_pipeline_key_khr(
    device: &Arc<Device>,
    info: Option<&PipelineCreateInfo>,
    out: &mut PipelineBinaryKey,
) -> Result<(), Error> {
    let modules = Modules::new(device, Known::default());
    let next = info.map_or(std::ptr::null(), |info| info.p_next.cast_const());
    let key = if let Some(compute) = find::<vk::ComputePipelineCreateInfo<'_>>(next) {
        pipeline_key(device, &compute_source(compute, modules)?)
    } else if let Some(graphics) = find::<vk::GraphicsPipelineCreateInfo<'_>>(next) {
        let libraries = Libraries::of(graphics, all_flags(graphics.flags, graphics.p_next));
        pipeline_key(device, &libraries.whole(graphics, modules)?)
    } else if info.is_none() {
        // The key of the driver, without which no other key is valid.
        pipeline_key(device, &())
    } else {
        return Err(Error::Invalid { what: "a pipeline key without the parameters of a pipeline" });
    };
    write(key, out);
    Ok(())
}

pub(crate) fn get_pipeline_binary_data_khr(
    _: &Arc<Device>,
    info: &PipelineBinaryDataInfo,
    key: &mut PipelineBinaryKey,
    fill: Fill<usize, c_void>,
) -> Result<vk::Result, Error> {
    let binary = shared(info.pipeline_binary)?;
    write(binary.key, key);
    Ok(fill.exactly(&binary.data))
}

pub(crate) fn release_captured_pipeline_data_khr(
    _: &Arc<Device>,
    info: &ReleaseCapturedPipelineDataInfo,
) -> vk::Result {
    if let Some(pipeline) = object(info.pipeline) {
        drop(lock(&pipeline.captured).take());
    }
    vk::Result::SUCCESS
}
