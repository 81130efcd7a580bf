//! Devices, their queue, private data.

use std::sync::Arc;

use agx_driver::device::Enabled;
use agx_driver::memory::lock;
use agx_driver::{Bounds, Error, Robustness};
use ash::vk;

use super::features;
use super::instance::device_extensions;
use crate::generated::members;
use crate::handles::{give, give_dispatched, object, take, take_dispatched};
use crate::objects::{Device, PhysicalDevice, PrivateData, Queue};
use crate::pointers::find;

pub(crate) fn create_device(
    physical: &Arc<PhysicalDevice>,
    info: &vk::DeviceCreateInfo<'_>,
    out: &mut vk::Device,
) -> Result<vk::Result, Error> {
    let extensions = device_extensions();
    let known =
        |name: &&std::ffi::CStr| extensions.iter().any(|(known, _)| name.to_bytes() == known.as_bytes());
    let names = members::device_create_info_enabled_extension_names(info);
    if !names.iter().all(known) {
        return Ok(vk::Result::ERROR_EXTENSION_NOT_PRESENT);
    }
    if features::are_lacking(info) {
        return Ok(vk::Result::ERROR_FEATURE_NOT_PRESENT);
    }
    let priority = |queue: &vk::DeviceQueueCreateInfo<'_>| {
        let wanted = find::<vk::DeviceQueueGlobalPriorityCreateInfoKHR<'_>>(queue.p_next);
        wanted.is_none_or(|wanted| wanted.global_priority <= vk::QueueGlobalPriorityKHR::MEDIUM)
    };
    if !members::device_create_info_queue_create_infos(info).iter().all(priority) {
        return Ok(vk::Result::ERROR_NOT_PERMITTED_KHR);
    }
    let device = agx_driver::device::Device::new(crate::environment::open()?, enabled(info))?;
    let extensions = names.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    *out = give_dispatched(Arc::new(Device::new(device, physical.minor, extensions)));
    Ok(vk::Result::SUCCESS)
}

fn enabled(info: &vk::DeviceCreateInfo<'_>) -> Enabled {
    let borders = find::<vk::PhysicalDeviceCustomBorderColorFeaturesEXT<'_>>(info.p_next);
    Enabled {
        robustness: robustness(info),
        borders: borders.is_some_and(|borders| borders.custom_border_colors == vk::TRUE),
        open_borders: borders.is_some_and(|borders| borders.custom_border_color_without_format == vk::TRUE),
    }
}

/// The robustness that the enabled features require.
fn robustness(info: &vk::DeviceCreateInfo<'_>) -> Robustness {
    let all = find::<vk::PhysicalDeviceFeatures2<'_>>(info.p_next).map(|features| &features.features);
    let robust = all.or(members::device_create_info_enabled_features(info));
    let more = find::<vk::PhysicalDeviceRobustness2FeaturesEXT<'_>>(info.p_next);
    // A null buffer has size 0.
    let exact =
        more.is_some_and(|more| more.robust_buffer_access2 == vk::TRUE || more.null_descriptor == vk::TRUE);
    let clamped = robust.is_some_and(|features| features.robust_buffer_access == vk::TRUE);
    let buffers = match (exact, clamped) {
        (true, _) => Bounds::Exact,
        (false, true) => Bounds::Clamped,
        (false, false) => Bounds::Unchecked,
    };
    let parts = find::<vk::PhysicalDeviceImageRobustnessFeatures<'_>>(info.p_next);
    let version = find::<vk::PhysicalDeviceVulkan13Features<'_>>(info.p_next);
    let images = more.is_some_and(|more| more.robust_image_access2 == vk::TRUE)
        || parts.is_some_and(|parts| parts.robust_image_access == vk::TRUE)
        || version.is_some_and(|version| version.robust_image_access == vk::TRUE);
    let image = if images { Bounds::Exact } else { buffers };
    Robustness { image, ..Robustness::all(buffers) }
}

pub(crate) fn destroy_device(device: &Arc<Device>) {
    if let Some(queue) = device.queue.get() {
        drop(take_dispatched(*queue));
    }
}

pub(crate) fn get_device_queue(device: &Arc<Device>, _: u32, _: u32, out: &mut vk::Queue) {
    *out = *device.queue.get_or_init(|| give_dispatched(Arc::new(Queue { device: device.device.clone() })));
}

pub(crate) fn get_device_queue2(device: &Arc<Device>, _: &vk::DeviceQueueInfo2<'_>, out: &mut vk::Queue) {
    get_device_queue(device, 0, 0, out);
}

pub(crate) fn device_wait_idle(device: &Arc<Device>) -> Result<(), Error> {
    device.device.queue.wait_idle()
}

pub(crate) fn queue_wait_idle(queue: &Arc<Queue>) -> Result<(), Error> {
    queue.device.queue.wait_idle()
}

pub(crate) fn get_device_group_peer_memory_features(
    _: &Arc<Device>,
    _: u32,
    _: u32,
    _: u32,
    out: &mut vk::PeerMemoryFeatureFlags,
) {
    *out = vk::PeerMemoryFeatureFlags::COPY_SRC | vk::PeerMemoryFeatureFlags::COPY_DST;
}

pub(crate) fn create_private_data_slot(
    _: &Arc<Device>,
    _: &vk::PrivateDataSlotCreateInfo<'_>,
    out: &mut vk::PrivateDataSlot,
) -> Result<(), Error> {
    *out = give(Arc::new(PrivateData::default()));
    Ok(())
}

pub(crate) fn destroy_private_data_slot(_: &Arc<Device>, slot: vk::PrivateDataSlot) {
    drop(take(slot));
}

pub(crate) fn set_private_data(
    _: &Arc<Device>,
    _: vk::ObjectType,
    handle: u64,
    slot: vk::PrivateDataSlot,
    data: u64,
) -> Result<(), Error> {
    if let Some(slot) = object(slot) {
        lock(slot).insert(handle, data);
    }
    Ok(())
}

pub(crate) fn get_private_data(
    _: &Arc<Device>,
    _: vk::ObjectType,
    handle: u64,
    slot: vk::PrivateDataSlot,
    out: &mut u64,
) {
    *out = object(slot).and_then(|slot| lock(slot).get(&handle).copied()).unwrap_or(0);
}
