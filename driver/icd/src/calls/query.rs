//! Query pools.

use std::sync::Arc;

use agx_driver::Error;
use agx_driver::query::QueryPool;
use ash::vk;

use crate::handles::{give, object, shared, take};
use crate::objects::Device;

pub(crate) fn create_query_pool(
    device: &Arc<Device>,
    info: &vk::QueryPoolCreateInfo<'_>,
    out: &mut vk::QueryPool,
) -> Result<(), Error> {
    *out =
        give(Arc::new(QueryPool::new(&device.space, &device.counters, info.query_type, info.query_count)?));
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
        device.device.queue.wait(u64::MAX, || (first..first + count).all(|query| pool.result(query).1))?;
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
