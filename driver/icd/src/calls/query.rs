//! Query pools.

use std::sync::Arc;

use agx_driver::Error;
use agx_driver::query::QueryPool;
use ash::vk;

use crate::handles::{give, object, shared, take};
use crate::objects::{Device, PhysicalDevice};
use crate::pointers::Fill;

pub(crate) fn create_query_pool(
    device: &Arc<Device>,
    info: &vk::QueryPoolCreateInfo<'_>,
    out: &mut vk::QueryPool,
) -> Result<(), Error> {
    let vk::QueryPoolCreateInfo { query_type, query_count, pipeline_statistics, .. } = *info;
    let (space, counters) = (&device.space, &device.counters);
    *out = give(Arc::new(QueryPool::new(space, counters, query_type, pipeline_statistics, query_count)?));
    Ok(())
}

pub(crate) fn destroy_query_pool(_: &Arc<Device>, pool: vk::QueryPool) {
    drop(take(pool));
}

pub(crate) fn reset_query_pool(_: &Arc<Device>, pool: vk::QueryPool, first: u32, count: u32) {
    if let Some(pool) = object(pool) {
        pool.reset(first, count);
    }
}

pub(crate) fn get_query_pool_results(
    device: &Arc<Device>,
    pool: vk::QueryPool,
    first: u32,
    count: u32,
    _: usize,
    data: &mut [u8],
    stride: u64,
    flags: vk::QueryResultFlags,
) -> Result<vk::Result, Error> {
    let pool = shared(pool)?;
    let wide = flags.contains(vk::QueryResultFlags::TYPE_64);
    if flags.contains(vk::QueryResultFlags::WAIT) {
        device.device.queue.wait_until(|| (first..first + count).all(|query| pool.result(query).1))?;
    }
    let mut result = vk::Result::SUCCESS;
    for (at, query) in (first..first + count).enumerate() {
        let (values, available) = pool.result(query);
        let Some(room) = data.get_mut(at * stride as usize..) else { break };
        let bytes = if wide { 8 } else { 4 };
        let mut put = |place: usize, value: u64| {
            if let Some(slot) = room.get_mut(place..place + bytes) {
                slot.iter_mut().zip(value.to_le_bytes()).for_each(|(to, from)| *to = from);
            }
        };
        if available || flags.contains(vk::QueryResultFlags::PARTIAL) {
            values.iter().enumerate().for_each(|(at, value)| put(at * bytes, *value));
        }
        if !available {
            result = vk::Result::NOT_READY;
        }
        if flags.contains(vk::QueryResultFlags::WITH_AVAILABILITY) {
            put(values.len() * bytes, available.into());
        }
    }
    Ok(result)
}

/// Clocks that can be read together: the device's, and the monotonic clock.
const DOMAINS: [vk::TimeDomainKHR; 2] = [vk::TimeDomainKHR::DEVICE, vk::TimeDomainKHR::CLOCK_MONOTONIC];

pub(crate) fn get_physical_device_calibrateable_time_domains_khr(
    _: &Arc<PhysicalDevice>,
    fill: Fill<u32, vk::TimeDomainKHR>,
) -> Result<vk::Result, Error> {
    Ok(fill.fill(&DOMAINS, |domain, slot| *slot = *domain))
}

/// Nanoseconds of the monotonic clock.
fn monotonic() -> u64 {
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut [i64; 2]) -> i32;
    }
    const CLOCK_MONOTONIC: i32 = 1;
    let mut time = [0; 2];
    // SAFETY: the function belongs to the C library, with which the standard library is linked. It writes seconds and
    // nanoseconds, two 64-bit words on the systems that load Vulkan drivers.
    let code = unsafe { clock_gettime(CLOCK_MONOTONIC, &raw mut time) };
    let [seconds, nanoseconds] = time.map(|part| if code == 0 { part as u64 } else { 0 });
    seconds * 1_000_000_000 + nanoseconds
}

pub(crate) fn get_calibrated_timestamps_khr(
    device: &Arc<Device>,
    infos: &[vk::CalibratedTimestampInfoKHR<'_>],
    out: &mut [u64],
    deviation: &mut u64,
) -> Result<(), Error> {
    let start = monotonic();
    for (info, slot) in infos.iter().zip(out) {
        *slot = match info.time_domain {
            vk::TimeDomainKHR::DEVICE => device.space.gpu().time(),
            _ => monotonic(),
        };
    }
    *deviation = (monotonic() - start).max(1);
    Ok(())
}
