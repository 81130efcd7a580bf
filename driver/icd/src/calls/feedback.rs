//! Transform feedback.

use agx_driver::command::{CommandBuffer, Recorder};
use ash::vk;

use super::pass::{begin_query, end_query};
use crate::handles::{object, owned};

pub(crate) fn cmd_bind_transform_feedback_buffers_ext(
    buffer: &mut CommandBuffer,
    first: u32,
    buffers: &[vk::Buffer],
    offsets: &[u64],
    sizes: &[u64],
) {
    let of = |(at, (handle, offset)): (usize, (&vk::Buffer, &u64))| {
        let size = sizes.get(at).copied().unwrap_or(vk::WHOLE_SIZE);
        object(*handle).map_or((0, 0), |buffer| buffer.range(*offset, size))
    };
    let places: Vec<(u64, u64)> = buffers.iter().zip(offsets).enumerate().map(of).collect();
    buffer.record(move |recorder| {
        let bound = recorder.graphics.feedback.buffers.iter_mut().skip(first as usize);
        bound.zip(&places).for_each(|(bound, place)| *bound = *place);
        Ok(())
    });
}

/// Numbers and addresses of the counter buffers that are not null.
fn counters(first: u32, buffers: &[vk::Buffer], offsets: &[u64]) -> Vec<(u32, u64)> {
    let offset = |at: usize| offsets.get(at).copied().unwrap_or(0);
    let of = |(number, (at, handle)): (u32, (usize, &vk::Buffer))| {
        Some((number, object(*handle)?.address() + offset(at)))
    };
    (first..).zip(buffers.iter().enumerate()).filter_map(of).collect()
}

pub(crate) fn cmd_begin_transform_feedback_ext(
    buffer: &mut CommandBuffer,
    first: u32,
    buffers: &[vk::Buffer],
    offsets: &[u64],
) {
    let counters = counters(first, buffers, offsets);
    buffer.record(move |recorder: &mut Recorder| recorder.begin_feedback(&counters));
}

pub(crate) fn cmd_end_transform_feedback_ext(
    buffer: &mut CommandBuffer,
    first: u32,
    buffers: &[vk::Buffer],
    offsets: &[u64],
) {
    let counters = counters(first, buffers, offsets);
    buffer.record(move |recorder: &mut Recorder| recorder.end_feedback(&counters));
}

pub(crate) fn cmd_begin_query_indexed_ext(
    buffer: &mut CommandBuffer,
    pool: vk::QueryPool,
    query: u32,
    flags: vk::QueryControlFlags,
    stream: u32,
) {
    begin_query(buffer, pool, [query, stream], flags);
}

pub(crate) fn cmd_end_query_indexed_ext(
    buffer: &mut CommandBuffer,
    pool: vk::QueryPool,
    query: u32,
    stream: u32,
) {
    end_query(buffer, pool, [query, stream]);
}

pub(crate) fn cmd_draw_indirect_byte_count_ext(
    buffer: &mut CommandBuffer,
    instances: u32,
    first_instance: u32,
    counter: vk::Buffer,
    counter_offset: u64,
    before: u32,
    stride: u32,
) {
    let Some(counter) = owned(counter) else { return };
    buffer.record(move |recorder| {
        let counter = counter.address() + counter_offset;
        recorder.draw_captured(counter, [before, stride], [instances, first_instance])
    });
}
