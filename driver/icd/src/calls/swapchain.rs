//! Swapchains.

use std::os::fd::AsFd as _;
use std::sync::Arc;

use agx_driver::Error;
use agx_driver::swapchain::{Present, SwapchainInfo};
use ash::vk;

use super::sync::Points;
use crate::generated::members;
use crate::handles::{give, object, shared, take};
use crate::newer;
use crate::objects::{Device, Queue, Swapchain};
use crate::pointers::{Fill, find};

pub(crate) fn create_swapchain_khr(
    device: &Arc<Device>,
    info: &vk::SwapchainCreateInfoKHR<'_>,
    out: &mut vk::SwapchainKHR,
) -> Result<(), Error> {
    let surface = shared(info.surface)?;
    let made = agx_driver::swapchain::Swapchain::new(
        device,
        surface,
        &SwapchainInfo {
            images: info.min_image_count,
            format: info.image_format,
            size: [info.image_extent.width, info.image_extent.height],
            layers: info.image_array_layers,
            usage: info.image_usage,
            opaque: info.composite_alpha != vk::CompositeAlphaFlagsKHR::PRE_MULTIPLIED,
            mode: info.present_mode,
        },
    )?;
    let images = made.images().map(|image| give(image.clone())).collect();
    *out = give(Arc::new(Swapchain { swapchain: made, images }));
    Ok(())
}

pub(crate) fn destroy_swapchain_khr(_: &Arc<Device>, swapchain: vk::SwapchainKHR) {
    if let Some(swapchain) = take(swapchain) {
        swapchain.images.iter().for_each(|image| drop(take(*image)));
    }
}

pub(crate) fn get_swapchain_images_khr(
    _: &Arc<Device>,
    swapchain: vk::SwapchainKHR,
    fill: Fill<u32, vk::Image>,
) -> Result<vk::Result, Error> {
    Ok(fill.fill(&shared(swapchain)?.images, |image, slot| *slot = *image))
}

/// Binds an image to the memory of a swapchain image.
pub(super) fn bind_to_swapchain(
    image: vk::Image,
    place: &vk::BindImageMemorySwapchainInfoKHR<'_>,
) -> Result<(), Error> {
    let swapchain = shared(place.swapchain)?;
    let memory = swapchain.swapchain.memory(place.image_index);
    let memory = memory.ok_or(Error::Invalid { what: "an image number outside the swapchain" })?;
    shared(image)?.bind(vk::ImageAspectFlags::NONE, memory.clone(), 0)
}

pub(crate) fn acquire_next_image_khr(
    _: &Arc<Device>,
    swapchain: vk::SwapchainKHR,
    timeout: u64,
    semaphore: vk::Semaphore,
    fence: vk::Fence,
    out: &mut u32,
) -> Result<(), Error> {
    let swapchain = shared(swapchain)?;
    let acquired = swapchain.swapchain.acquire(timeout)?;
    for sync in [object(semaphore), object(fence)].into_iter().flatten() {
        match &acquired.fence {
            Some(fence) => sync.import_fence(Some(fence.as_fd())).inspect_err(|_| {
                swapchain.swapchain.release(acquired.number);
            })?,
            // The image was shown before it became free.
            None => sync.signal(0),
        }
    }
    *out = acquired.number;
    Ok(())
}

pub(crate) fn acquire_next_image2_khr(
    device: &Arc<Device>,
    info: &vk::AcquireNextImageInfoKHR<'_>,
    out: &mut u32,
) -> Result<(), Error> {
    acquire_next_image_khr(device, info.swapchain, info.timeout, info.semaphore, info.fence, out)
}

pub(crate) fn queue_present_khr(_: &Arc<Queue>, info: &vk::PresentInfoKHR<'_>) -> Result<(), Error> {
    let mut points = Points::default();
    for semaphore in members::present_info_khr_wait_semaphores(info) {
        points.wait(*semaphore, 0);
    }
    let mut submission = points.submission;
    let fences = find::<vk::SwapchainPresentFenceInfoEXT<'_>>(info.p_next)
        .map(members::swapchain_present_fence_info_khr_fences)
        .unwrap_or_default();
    let modes = find::<vk::SwapchainPresentModeInfoEXT<'_>>(info.p_next)
        .map(members::swapchain_present_mode_info_khr_present_modes)
        .unwrap_or_default();
    let swapchains = members::present_info_khr_swapchains(info).iter();
    let first = find::<vk::PresentIdKHR<'_>>(info.p_next).map(members::present_id_khr_present_ids);
    let second = find::<newer::PresentId2>(info.p_next).map(members::present_id2_khr_present_ids);
    let ids = second.or(first).unwrap_or_default();
    let timings = find::<newer::PresentTimingsInfo>(info.p_next)
        .map(members::present_timings_info_ext_timing_infos)
        .unwrap_or_default();
    let mut all = Ok(());
    for (at, (swapchain, number)) in swapchains.zip(members::present_info_khr_image_indices(info)).enumerate()
    {
        let present = Present {
            // The waits are complete after the first swapchain.
            submission: std::mem::take(&mut submission),
            id: ids.get(at).copied().unwrap_or(0),
            is_timed: timings.get(at).is_some_and(|timing| timing.present_stage_queries != 0),
            mode: modes.get(at).copied(),
            fence: fences.get(at).and_then(|fence| object(*fence)),
        };
        let shown = shared(*swapchain).and_then(|swapchain| swapchain.swapchain.present(*number, present));
        if !info.p_results.is_null() {
            let result = shown.as_ref().map_or_else(Error::code, |()| vk::Result::SUCCESS);
            // SAFETY: valid usage of `VkPresentInfoKHR`: there is an element for every swapchain.
            unsafe { *info.p_results.add(at) = result };
        }
        if let Err(error) = shown {
            all = Err(error);
        }
    }
    all
}

pub(crate) fn release_swapchain_images_khr(
    _: &Arc<Device>,
    info: &vk::ReleaseSwapchainImagesInfoEXT<'_>,
) -> Result<(), Error> {
    let swapchain = shared(info.swapchain)?;
    let images = members::release_swapchain_images_info_khr_image_indices(info);
    images.iter().for_each(|image| swapchain.swapchain.release(*image));
    Ok(())
}

pub(crate) fn wait_for_present_khr(
    _: &Arc<Device>,
    swapchain: vk::SwapchainKHR,
    id: u64,
    timeout: u64,
) -> Result<(), Error> {
    shared(swapchain)?.swapchain.wait_for(id, timeout)
}

pub(crate) fn wait_for_present2_khr(
    _: &Arc<Device>,
    swapchain: vk::SwapchainKHR,
    info: &newer::PresentWait2Info,
) -> Result<(), Error> {
    shared(swapchain)?.swapchain.wait_for(info.present_id, info.timeout)
}

pub(crate) fn get_device_group_present_capabilities_khr(
    _: &Arc<Device>,
    out: &mut vk::DeviceGroupPresentCapabilitiesKHR<'_>,
) -> Result<(), Error> {
    out.present_mask = [0; 32];
    out.present_mask[0] = 1;
    out.modes = vk::DeviceGroupPresentModeFlagsKHR::LOCAL;
    Ok(())
}

pub(crate) fn get_device_group_surface_present_modes_khr(
    _: &Arc<Device>,
    _: vk::SurfaceKHR,
    out: &mut vk::DeviceGroupPresentModeFlagsKHR,
) -> Result<(), Error> {
    *out = vk::DeviceGroupPresentModeFlagsKHR::LOCAL;
    Ok(())
}
