//! Fences, semaphores, events, submissions.

use std::ffi::c_void;
use std::sync::Arc;

use agx_driver::Error;
use agx_driver::gpu::{SyncPoint, WaitFor};
use agx_driver::queue::Submission;
use agx_driver::sync::{Event, Sync};
use ash::vk;

use crate::generated::members;
use crate::handles::{give, named, object, shared, take};
use crate::objects::{Device, Queue};
use crate::pointers::find;

pub(crate) fn create_fence(
    device: &Arc<Device>,
    info: &vk::FenceCreateInfo<'_>,
    out: &mut vk::Fence,
) -> Result<(), Error> {
    let signalled = info.flags.contains(vk::FenceCreateFlags::SIGNALED);
    *out = give(Arc::new(Sync::binary(&device.space, signalled)?));
    Ok(())
}

pub(crate) fn destroy_fence(_: &Arc<Device>, fence: vk::Fence) {
    drop(take(fence));
}

pub(crate) fn reset_fences(_: &Arc<Device>, fences: &[vk::Fence]) -> Result<(), Error> {
    fences.iter().filter_map(|fence| object(*fence)).for_each(|fence| fence.reset());
    Ok(())
}

pub(crate) fn get_fence_status(device: &Arc<Device>, fence: vk::Fence) -> Result<vk::Result, Error> {
    device.device.queue.check()?;
    Ok(if shared(fence)?.is_reached(0) { vk::Result::SUCCESS } else { vk::Result::NOT_READY })
}

pub(crate) fn wait_for_fences(
    device: &Arc<Device>,
    fences: &[vk::Fence],
    all: vk::Bool32,
    timeout: u64,
) -> Result<(), Error> {
    let points = fences.iter().map(|fence| shared(*fence).map(|fence| fence.point(0)));
    let points: Vec<SyncPoint> = points.collect::<Result<_, _>>()?;
    device.device.queue.wait(&points, if all == vk::FALSE { WaitFor::Any } else { WaitFor::All }, timeout)
}

pub(crate) fn create_semaphore(
    device: &Arc<Device>,
    info: &vk::SemaphoreCreateInfo<'_>,
    out: &mut vk::Semaphore,
) -> Result<(), Error> {
    let kind = find::<vk::SemaphoreTypeCreateInfo<'_>>(info.p_next);
    let timeline = kind.filter(|kind| kind.semaphore_type == vk::SemaphoreType::TIMELINE);
    *out = give(Arc::new(match timeline {
        Some(kind) => Sync::timeline(&device.space, kind.initial_value)?,
        None => Sync::binary(&device.space, false)?,
    }));
    Ok(())
}

pub(crate) fn destroy_semaphore(_: &Arc<Device>, semaphore: vk::Semaphore) {
    drop(take(semaphore));
}

pub(crate) fn get_semaphore_counter_value(
    device: &Arc<Device>,
    semaphore: vk::Semaphore,
    out: &mut u64,
) -> Result<(), Error> {
    device.device.queue.check()?;
    *out = shared(semaphore)?.value();
    Ok(())
}

pub(crate) fn wait_semaphores(
    device: &Arc<Device>,
    info: &vk::SemaphoreWaitInfo<'_>,
    timeout: u64,
) -> Result<(), Error> {
    let semaphores = members::semaphore_wait_info_semaphores(info).iter();
    let points = semaphores
        .zip(members::semaphore_wait_info_values(info))
        .map(|(semaphore, value)| shared(*semaphore).map(|semaphore| semaphore.point(*value)));
    let points: Vec<SyncPoint> = points.collect::<Result<_, _>>()?;
    let any = info.flags.contains(vk::SemaphoreWaitFlags::ANY);
    device.device.queue.wait(&points, if any { WaitFor::Any } else { WaitFor::All }, timeout)
}

pub(crate) fn signal_semaphore(
    device: &Arc<Device>,
    info: &vk::SemaphoreSignalInfo<'_>,
) -> Result<(), Error> {
    shared(info.semaphore)?.signal(info.value);
    device.device.queue.check()
}

pub(crate) fn create_event(
    device: &Arc<Device>,
    _: &vk::EventCreateInfo<'_>,
    out: &mut vk::Event,
) -> Result<(), Error> {
    *out = give(Arc::new(Event::new(&device.sets.arena)?));
    Ok(())
}

pub(crate) fn destroy_event(_: &Arc<Device>, event: vk::Event) {
    drop(take(event));
}

pub(crate) fn get_event_status(_: &Arc<Device>, event: vk::Event) -> Result<vk::Result, Error> {
    Ok(if shared(event)?.is_set() { vk::Result::EVENT_SET } else { vk::Result::EVENT_RESET })
}

pub(crate) fn set_event(_: &Arc<Device>, event: vk::Event) -> Result<(), Error> {
    shared(event)?.set(true);
    Ok(())
}

pub(crate) fn reset_event(_: &Arc<Device>, event: vk::Event) -> Result<(), Error> {
    shared(event)?.set(false);
    Ok(())
}

/// Waits and signals of a submission, as points, and the binary semaphores that waits reset.
#[derive(Default)]
pub(super) struct Points {
    pub(super) submission: Submission,
}

impl Points {
    pub(super) fn wait(&mut self, semaphore: vk::Semaphore, value: u64) {
        let Some(sync) = object(semaphore) else { return };
        self.submission.wait(sync, value);
    }

    fn signal(&mut self, semaphore: vk::Semaphore, value: u64) {
        let Some(sync) = object(semaphore) else { return };
        self.submission.signal(sync, value);
    }

    fn commands(&mut self, buffer: vk::CommandBuffer) {
        self.submission.commands.push(named(buffer).commands());
    }

    /// Adds the waits and signals of a structure whose chain may have the points of timelines.
    pub(super) fn semaphores(
        &mut self,
        next: *const c_void,
        waits: &[vk::Semaphore],
        signals: &[vk::Semaphore],
    ) {
        let timeline = find::<vk::TimelineSemaphoreSubmitInfo<'_>>(next);
        let values =
            |list: Option<&[u64]>, at: usize| list.and_then(|list| list.get(at)).copied().unwrap_or(0);
        let points = timeline.map(members::timeline_semaphore_submit_info_wait_semaphore_values);
        for (at, semaphore) in waits.iter().enumerate() {
            self.wait(*semaphore, values(points, at));
        }
        let points = timeline.map(members::timeline_semaphore_submit_info_signal_semaphore_values);
        for (at, semaphore) in signals.iter().enumerate() {
            self.signal(*semaphore, values(points, at));
        }
    }
}

pub(super) fn submit(queue: &Queue, mut submissions: Vec<Submission>, fence: vk::Fence) -> Result<(), Error> {
    if let Some(fence) = object(fence) {
        let point = fence.point(0);
        match submissions.last_mut() {
            Some(last) => last.signals.push(point),
            None => submissions.push(Submission { signals: vec![point], ..Submission::default() }),
        }
    }
    queue.device.queue.submit(submissions)
}

pub(crate) fn queue_submit(
    queue: &Arc<Queue>,
    submits: &[vk::SubmitInfo<'_>],
    fence: vk::Fence,
) -> Result<(), Error> {
    let of = |info: &vk::SubmitInfo<'_>| {
        let mut points = Points::default();
        let waits = members::submit_info_wait_semaphores(info);
        points.semaphores(info.p_next, waits, members::submit_info_signal_semaphores(info));
        members::submit_info_command_buffers(info).iter().for_each(|buffer| points.commands(*buffer));
        points.submission
    };
    submit(queue, submits.iter().map(of).collect(), fence)
}

pub(crate) fn queue_submit2(
    queue: &Arc<Queue>,
    submits: &[vk::SubmitInfo2<'_>],
    fence: vk::Fence,
) -> Result<(), Error> {
    let of = |info: &vk::SubmitInfo2<'_>| {
        let mut points = Points::default();
        for wait in members::submit_info2_wait_semaphore_infos(info) {
            points.wait(wait.semaphore, wait.value);
        }
        for buffer in members::submit_info2_command_buffer_infos(info) {
            points.commands(buffer.command_buffer);
        }
        for signal in members::submit_info2_signal_semaphore_infos(info) {
            points.signal(signal.semaphore, signal.value);
        }
        points.submission
    };
    submit(queue, submits.iter().map(of).collect(), fence)
}
