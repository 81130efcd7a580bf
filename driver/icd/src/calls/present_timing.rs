//! When images of swapchains were seen.
//!
//! All times are of the monotonic clock, which is the only clock of a swapchain and never changes.

use std::sync::Arc;

use agx_driver::Error;
use ash::vk;

use crate::handles::shared;
use crate::newer::{self, FIRST_PIXEL_OUT, OUT_OF_ORDER};
use crate::objects::Device;
use crate::pointers::Fill;

/// The clock, and its number.
const CLOCK: (vk::TimeDomainKHR, u64) = (vk::TimeDomainKHR::CLOCK_MONOTONIC, 1);

pub(crate) fn set_swapchain_present_timing_queue_size_ext(
    _: &Arc<Device>,
    swapchain: vk::SwapchainKHR,
    size: u32,
) -> Result<(), Error> {
    match shared(swapchain)?.swapchain.keep_timings(size as usize) {
        true => Ok(()),
        false => Err(Error::NotReady),
    }
}

pub(crate) fn get_swapchain_timing_properties_ext(
    _: &Arc<Device>,
    swapchain: vk::SwapchainKHR,
    out: &mut newer::SwapchainTimingProperties,
    counter: Option<&mut u64>,
) -> Result<(), Error> {
    let refresh = shared(swapchain)?.swapchain.refresh().ok_or(Error::NotReady)?;
    (out.refresh_duration, out.refresh_interval) = (refresh, refresh);
    counter.into_iter().for_each(|counter| *counter = refresh);
    Ok(())
}

pub(crate) fn get_swapchain_time_domain_properties_ext(
    _: &Arc<Device>,
    _: vk::SwapchainKHR,
    out: &mut newer::SwapchainTimeDomainProperties,
    counter: Option<&mut u64>,
) -> Result<vk::Result, Error> {
    counter.into_iter().for_each(|counter| *counter = 1);
    let (mut count, (clock, number)) = (out.time_domain_count, CLOCK);
    // SAFETY: valid usage of `VkSwapchainTimeDomainPropertiesEXT`: either both pointers are null, or both have room for the count.
    let (clocks, numbers) = unsafe {
        (
            Fill::new(&raw mut count, out.p_time_domains),
            Fill::new(&raw mut out.time_domain_count, out.p_time_domain_ids),
        )
    };
    let _ = clocks.fill(&[clock], |clock, slot| *slot = *clock);
    Ok(numbers.fill(&[number], |number, slot| *slot = *number))
}

pub(crate) fn get_past_presentation_timing_ext(
    _: &Arc<Device>,
    info: &newer::PastPresentationTimingInfo,
    out: &mut newer::PastPresentationTimingProperties,
) -> Result<vk::Result, Error> {
    let swapchain = &shared(info.swapchain)?.swapchain;
    let in_order = info.flags & OUT_OF_ORDER == 0;
    (out.timing_properties_counter, out.time_domains_counter) = (swapchain.refresh().unwrap_or(0), 1);
    if out.p_presentation_timings.is_null() {
        out.presentation_timing_count = 0;
        swapchain.take_timings(in_order, |_| {
            out.presentation_timing_count += 1;
            false
        });
        return Ok(vk::Result::SUCCESS);
    }
    // SAFETY: valid usage of `VkPastPresentationTimingPropertiesEXT`: there are as many structures.
    let slots = unsafe {
        std::slice::from_raw_parts_mut(out.p_presentation_timings, out.presentation_timing_count as usize)
    };
    let mut slots = slots.iter_mut();
    let (mut taken, mut result) = (0, vk::Result::SUCCESS);
    swapchain.take_timings(in_order, |timing| {
        let Some(slot) = slots.next() else {
            result = vk::Result::INCOMPLETE;
            return false;
        };
        taken += 1;
        (slot.present_id, slot.target_time, slot.report_complete) = (timing.id, 0, vk::TRUE);
        (slot.time_domain, slot.time_domain_id) = CLOCK;
        let time = newer::PresentStageTime { stage: FIRST_PIXEL_OUT, time: timing.time.unwrap_or(0) };
        if slot.present_stage_count > 0 && !slot.p_present_stages.is_null() {
            // SAFETY: valid usage of `VkPastPresentationTimingEXT`: there is room for the stages.
            unsafe { slot.p_present_stages.write(time) };
            slot.present_stage_count = 1;
        }
        true
    });
    out.presentation_timing_count = taken;
    Ok(result)
}
