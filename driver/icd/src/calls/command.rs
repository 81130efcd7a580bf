//! Command pools and command buffers; binding, dispatch and synchronisation commands.

use std::ffi::c_void;
use std::sync::Arc;

use agx_driver::Error;
use agx_driver::command::{CommandBuffer, Groups, Level, Recorder};
use agx_driver::descriptor::{Kept, Set, SetLayout};
use agx_driver::memory::lock;
use agx_driver::physical::GRAPHICS_STAGES;
use ash::vk;

use super::descriptor::{kept, of_template, write};
use crate::few::Few;
use crate::generated::members;
use crate::handles::{give, give_dispatched, named, object, owned, shared, take, take_dispatched};
use crate::objects::{CommandPool, Device, Pipeline, PipelineKind};

pub(crate) fn create_command_pool(
    _: &Arc<Device>,
    _: &vk::CommandPoolCreateInfo<'_>,
    out: &mut vk::CommandPool,
) -> Result<(), Error> {
    *out = give(Arc::new(CommandPool::default()));
    Ok(())
}

pub(crate) fn destroy_command_pool(_: &Arc<Device>, pool: vk::CommandPool) {
    if let Some(pool) = take(pool) {
        lock(&pool.buffers).drain(..).for_each(|buffer| drop(take_dispatched(buffer)));
    }
}

pub(crate) fn reset_command_pool(
    _: &Arc<Device>,
    pool: vk::CommandPool,
    _: vk::CommandPoolResetFlags,
) -> Result<(), Error> {
    lock(&shared(pool)?.buffers).iter().for_each(|buffer| named(*buffer).reset());
    Ok(())
}

pub(crate) fn trim_command_pool(_: &Arc<Device>, _: vk::CommandPool, _: vk::CommandPoolTrimFlags) {}

pub(crate) fn allocate_command_buffers(
    device: &Arc<Device>,
    info: &vk::CommandBufferAllocateInfo<'_>,
    out: &mut [vk::CommandBuffer],
) -> Result<(), Error> {
    let pool = shared(info.command_pool)?;
    let level = match info.level {
        vk::CommandBufferLevel::SECONDARY => Level::Secondary,
        _ => Level::Primary,
    };
    for slot in out {
        *slot = give_dispatched(CommandBuffer::new(device.device.clone(), level));
        lock(&pool.buffers).push(*slot);
    }
    Ok(())
}

pub(crate) fn free_command_buffers(_: &Arc<Device>, pool: vk::CommandPool, buffers: &[vk::CommandBuffer]) {
    for buffer in buffers {
        if let Some(pool) = object(pool) {
            pool.forget(*buffer);
        }
        drop(take_dispatched(*buffer));
    }
}

pub(crate) fn begin_command_buffer(
    buffer: &mut CommandBuffer,
    _: &vk::CommandBufferBeginInfo<'_>,
) -> Result<(), Error> {
    buffer.begin();
    Ok(())
}

pub(crate) fn end_command_buffer(buffer: &mut CommandBuffer) -> Result<(), Error> {
    buffer.end()
}

pub(crate) fn reset_command_buffer(
    buffer: &mut CommandBuffer,
    _: vk::CommandBufferResetFlags,
) -> Result<(), Error> {
    buffer.reset();
    Ok(())
}

pub(crate) fn cmd_execute_commands(buffer: &mut CommandBuffer, others: &[vk::CommandBuffer]) {
    buffer.execute(others.iter().map(|other| &*named(*other)));
}

pub(crate) fn cmd_set_device_mask(_: &mut CommandBuffer, _: u32) {}

pub(crate) fn cmd_bind_pipeline(
    buffer: &mut CommandBuffer,
    _: vk::PipelineBindPoint,
    pipeline: vk::Pipeline,
) {
    fn bind(recorder: &mut Recorder, pipeline: &Pipeline) -> Result<(), Error> {
        match &pipeline.kind {
            PipelineKind::Compute(pipeline) => recorder.bind_compute(pipeline.clone()),
            PipelineKind::Graphics(pipeline) => recorder.bind_graphics(pipeline),
            PipelineKind::Library(_) => return Err(Error::Invalid { what: "a pipeline library is bound" }),
        }
        Ok(())
    }
    let Some(known) = object(pipeline) else { return };
    buffer.record_borrowed(
        |recorder| bind(recorder, known),
        || {
            let pipeline = owned(pipeline);
            move |recorder: &mut Recorder| pipeline.iter().try_for_each(|known| bind(recorder, known))
        },
    );
}

pub(crate) fn cmd_bind_descriptor_sets(
    buffer: &mut CommandBuffer,
    point: vk::PipelineBindPoint,
    _: vk::PipelineLayout,
    first: u32,
    sets: &[vk::DescriptorSet],
    offsets: &[u32],
) {
    buffer.record_borrowed(
        |recorder| {
            recorder.bind_sets(point, first, sets.iter().map(|set| owned(*set)), offsets);
            Ok(())
        },
        || {
            let sets: Few<Option<Arc<Set>>, 4> = sets.iter().map(|set| owned(*set)).collect();
            let offsets: Few<u32, 4> = offsets.iter().copied().collect();
            move |recorder: &mut Recorder| {
                recorder.bind_sets(point, first, sets.iter().cloned(), &offsets);
                Ok(())
            }
        },
    );
}

/// The point that stages belong to; of graphics and compute together both.
fn points(stages: vk::ShaderStageFlags) -> impl Iterator<Item = vk::PipelineBindPoint> {
    let is_compute = stages.contains(vk::ShaderStageFlags::COMPUTE);
    let is_graphics = stages.intersects(GRAPHICS_STAGES);
    let compute = is_compute.then_some(vk::PipelineBindPoint::COMPUTE);
    is_graphics.then_some(vk::PipelineBindPoint::GRAPHICS).into_iter().chain(compute)
}

pub(crate) fn cmd_bind_descriptor_sets2(
    buffer: &mut CommandBuffer,
    info: &vk::BindDescriptorSetsInfoKHR<'_>,
) {
    let sets = members::bind_descriptor_sets_info_descriptor_sets(info);
    let offsets = members::bind_descriptor_sets_info_dynamic_offsets(info);
    for point in points(info.stage_flags) {
        cmd_bind_descriptor_sets(buffer, point, info.layout, info.first_set, sets, offsets);
    }
}

pub(crate) fn cmd_push_constants2(buffer: &mut CommandBuffer, info: &vk::PushConstantsInfoKHR<'_>) {
    let values = members::push_constants_info_values(info);
    cmd_push_constants(buffer, info.layout, info.stage_flags, info.offset, values);
}

pub(crate) fn cmd_push_descriptor_set2(buffer: &mut CommandBuffer, info: &vk::PushDescriptorSetInfoKHR<'_>) {
    let writes = members::push_descriptor_set_info_descriptor_writes(info);
    for point in points(info.stage_flags) {
        cmd_push_descriptor_set(buffer, point, info.layout, info.set, writes);
    }
}

pub(crate) fn cmd_push_descriptor_set_with_template2(
    buffer: &mut CommandBuffer,
    info: &vk::PushDescriptorSetWithTemplateInfoKHR<'_>,
) {
    let (template, layout) = (info.descriptor_update_template, info.layout);
    cmd_push_descriptor_set_with_template(buffer, template, layout, info.set, info.p_data);
}

pub(crate) fn cmd_push_constants(
    buffer: &mut CommandBuffer,
    _: vk::PipelineLayout,
    stages: vk::ShaderStageFlags,
    offset: u32,
    values: &[u8],
) {
    buffer.record_borrowed(
        |recorder| {
            recorder.push_constants(stages, offset, values);
            Ok(())
        },
        || {
            let values: Few<u8, 64> = values.iter().copied().collect();
            move |recorder: &mut Recorder| {
                recorder.push_constants(stages, offset, &values);
                Ok(())
            }
        },
    );
}

/// Has descriptors written to a set that is pushed: `now` writes them, `later` keeps them for a secondary command buffer.
fn push(
    buffer: &mut CommandBuffer,
    point: vk::PipelineBindPoint,
    (layout, number): (&Arc<SetLayout>, u32),
    now: impl FnOnce(&Set),
    later: impl FnOnce() -> Kept,
) {
    buffer.record_borrowed(
        |recorder| recorder.push_descriptors(point, layout, number, now),
        || {
            let (layout, kept) = (layout.clone(), later());
            move |recorder: &mut Recorder| {
                recorder.push_descriptors(point, &layout, number, |set| kept.write(set))
            }
        },
    );
}

pub(crate) fn cmd_push_descriptor_set(
    buffer: &mut CommandBuffer,
    point: vk::PipelineBindPoint,
    layout: vk::PipelineLayout,
    set: u32,
    writes: &[vk::WriteDescriptorSet<'_>],
) {
    let Some(layout) = object(layout).and_then(|layout| layout.set(set)) else { return };
    let given = || writes.iter();
    let sets = buffer.device().sets.clone();
    push(buffer, point, (layout, set), |to| write(to, given()), || kept(given(), &sets, layout));
}

pub(crate) fn cmd_push_descriptor_set_with_template(
    buffer: &mut CommandBuffer,
    template: vk::DescriptorUpdateTemplate,
    layout: vk::PipelineLayout,
    set: u32,
    data: *const c_void,
) {
    let Some(layout) = object(layout).and_then(|layout| layout.set(set)) else { return };
    let Some(template) = object(template) else { return };
    let given = || of_template(template, data);
    let sets = buffer.device().sets.clone();
    push(buffer, template.point, (layout, set), |to| write(to, given()), || kept(given(), &sets, layout));
}

pub(crate) fn cmd_dispatch(buffer: &mut CommandBuffer, x: u32, y: u32, z: u32) {
    buffer.record(move |recorder| recorder.dispatch(Groups::Direct([x, y, z])));
}

pub(crate) fn cmd_dispatch_base(
    buffer: &mut CommandBuffer,
    base_x: u32,
    base_y: u32,
    base_z: u32,
    x: u32,
    y: u32,
    z: u32,
) {
    let first = [base_x, base_y, base_z];
    buffer.record(move |recorder| recorder.dispatch_from(first, Groups::Direct([x, y, z])));
}

pub(crate) fn cmd_dispatch_indirect(buffer: &mut CommandBuffer, numbers: vk::Buffer, offset: u64) {
    let Some(numbers) = owned(numbers) else { return };
    buffer.record(move |recorder| recorder.dispatch(Groups::Indirect(numbers.address() + offset)));
}

/// Orders all earlier commands before all later ones.
fn barrier(buffer: &mut CommandBuffer) {
    buffer.record(|recorder| recorder.barrier());
}

pub(crate) fn cmd_pipeline_barrier(
    buffer: &mut CommandBuffer,
    _: vk::PipelineStageFlags,
    _: vk::PipelineStageFlags,
    _: vk::DependencyFlags,
    _: &[vk::MemoryBarrier<'_>],
    _: &[vk::BufferMemoryBarrier<'_>],
    _: &[vk::ImageMemoryBarrier<'_>],
) {
    barrier(buffer);
}

pub(crate) fn cmd_pipeline_barrier2(buffer: &mut CommandBuffer, _: &vk::DependencyInfo<'_>) {
    barrier(buffer);
}

/// Sets or resets an event after all earlier commands.
fn mark(buffer: &mut CommandBuffer, event: vk::Event, value: u32) {
    let Some(event) = owned(event) else { return };
    buffer.record(move |recorder| {
        recorder.barrier()?;
        recorder.fill_memory(event.address(), 4, value)
    });
}

pub(crate) fn cmd_set_event(buffer: &mut CommandBuffer, event: vk::Event, _: vk::PipelineStageFlags) {
    mark(buffer, event, 1);
}

pub(crate) fn cmd_set_event2(buffer: &mut CommandBuffer, event: vk::Event, _: &vk::DependencyInfo<'_>) {
    mark(buffer, event, 1);
}

pub(crate) fn cmd_reset_event(buffer: &mut CommandBuffer, event: vk::Event, _: vk::PipelineStageFlags) {
    mark(buffer, event, 0);
}

pub(crate) fn cmd_reset_event2(buffer: &mut CommandBuffer, event: vk::Event, _: vk::PipelineStageFlags2) {
    mark(buffer, event, 0);
}

pub(crate) fn cmd_wait_events(
    buffer: &mut CommandBuffer,
    _: &[vk::Event],
    _: vk::PipelineStageFlags,
    _: vk::PipelineStageFlags,
    _: &[vk::MemoryBarrier<'_>],
    _: &[vk::BufferMemoryBarrier<'_>],
    _: &[vk::ImageMemoryBarrier<'_>],
) {
    // Earlier commands of the same queue set the events, and they are complete after a barrier.
    barrier(buffer);
}

pub(crate) fn cmd_wait_events2(buffer: &mut CommandBuffer, _: &[vk::Event], _: &[vk::DependencyInfo<'_>]) {
    barrier(buffer);
}

pub(crate) fn cmd_reset_query_pool(buffer: &mut CommandBuffer, pool: vk::QueryPool, first: u32, count: u32) {
    let Some(pool) = owned(pool) else { return };
    buffer.record(move |recorder| recorder.reset_queries(&pool, first, count));
}

pub(crate) fn cmd_write_timestamp(
    buffer: &mut CommandBuffer,
    _: vk::PipelineStageFlags,
    pool: vk::QueryPool,
    query: u32,
) {
    let Some(pool) = owned(pool) else { return };
    buffer.record(move |recorder| recorder.write_timestamp(&pool, query));
}

pub(crate) fn cmd_write_timestamp2(
    buffer: &mut CommandBuffer,
    _: vk::PipelineStageFlags2,
    pool: vk::QueryPool,
    query: u32,
) {
    cmd_write_timestamp(buffer, vk::PipelineStageFlags::empty(), pool, query);
}

pub(crate) fn cmd_copy_query_pool_results(
    buffer: &mut CommandBuffer,
    pool: vk::QueryPool,
    first: u32,
    count: u32,
    to: vk::Buffer,
    offset: u64,
    stride: u64,
    flags: vk::QueryResultFlags,
) {
    use vk::QueryResultFlags as F;
    let (Some(pool), Some(to)) = (owned(pool), owned(to)) else { return };
    let flags = [F::TYPE_64, F::WITH_AVAILABILITY, F::PARTIAL].map(|flag| flags.contains(flag));
    buffer.record(move |recorder| {
        recorder.copy_queries(&pool, [first, count], [to.address() + offset, stride], flags)
    });
}
