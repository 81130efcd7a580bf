//! Submissions: sync objects, commands, timestamps.

use agx_emulator::Window;

use super::commands::{Ordered, parse};
use super::fence::Fence;
use super::{Answer, Errno, Kernel, TimeWrite, User, element};
use crate::execute::Command;
use crate::record::{Field, compute_command, render_command, submit, sync};

/// Maximum number of bytes of commands, and of sync objects.
const LIMITS: [u64; 2] = [1 << 24, 1 << 16];

/// The call.
pub(super) fn submit(kernel: &mut Kernel, argument: &mut [u8], user: &mut dyn User) -> Result<Answer, Errno> {
    super::calls::checked(argument, &submit::RECORD)?;
    let [waits, signals] = [submit::IN_SYNCS, submit::OUT_SYNCS].map(|field| field.get(argument));
    let bytes = submit::SIZE.get(argument);
    if bytes > LIMITS[0] || waits.max(signals) > LIMITS[1] {
        return Err(Errno::INVALID);
    }
    let handle = submit::QUEUE.get(argument) as u32;
    let queue = *kernel.tables.queues.get(handle)?;
    let syncs = syncs(user, submit::SYNCS.get(argument), waits.saturating_add(signals))?;
    let (waits, signals) = syncs.split_at_checked(waits as usize).ok_or(Errno::INVALID)?;
    let mut fences = Vec::new();
    for wait in waits {
        let object = kernel.tables.syncs.get(wait.handle)?;
        fences.extend(object.fences(wait.point).ok_or(Errno::INVALID)?.cloned());
    }
    // Without a thread the commands run within the call, which waits for the work of other processes.
    if !kernel.is_asynchronous() && !fences.iter().all(Fence::is_signalled) {
        return Ok(Answer::Wait(i64::MAX));
    }
    for signal in signals {
        kernel.tables.syncs.get(signal.handle)?;
    }
    let mut stream = vec![0; bytes as usize];
    user.read(submit::COMMANDS.get(argument), &mut stream)?;
    let commands = parse(&stream)?;
    let commands: Vec<(Ordered, Vec<TimeWrite>)> = commands
        .into_iter()
        .map(|ordered| timestamps(kernel, &ordered.command).map(|times| (ordered, times)))
        .collect::<Result<_, Errno>>()?;
    let fence = kernel.submit((handle, queue), fences, commands, &stream)?;
    for signal in signals {
        let object = kernel.tables.syncs.get_mut(signal.handle)?;
        match signal.timeline {
            true => object.add(signal.point, [fence.clone()])?,
            false => object.replace([fence.clone()])?,
        }
    }
    Ok(Answer::Done)
}

/// A sync object of a submission.
struct Sync {
    handle: u32,
    timeline: bool,
    point: u64,
}

fn syncs(user: &mut dyn User, pointer: u64, count: u64) -> Result<Vec<Sync>, Errno> {
    (0..count)
        .map(|at| {
            let mut bytes = vec![0; sync::RECORD.bytes];
            user.read(element(pointer, at, bytes.len() as u64), &mut bytes)?;
            let (kind, point) = (sync::TYPE.get(&bytes), sync::VALUE.get(&bytes));
            // A binary object has no points.
            if kind > 1 || (kind == 0 && point != 0) {
                return Err(Errno::INVALID);
            }
            Ok(Sync { handle: sync::HANDLE.get(&bytes) as u32, timeline: kind == 1, point })
        })
        .collect()
}

/// Fields of a command for timestamps, handle and offset, and whether they are for its end.
fn timestamp_fields(command: &Command) -> Vec<([Field; 2], bool)> {
    match command {
        Command::Compute(_) => {
            use compute_command::*;
            vec![([TIME_START, TIME_START_OFFSET], false), ([TIME_END, TIME_END_OFFSET], true)]
        }
        Command::Render(_) => {
            use render_command::*;
            vec![
                ([VERTEX_TIME_START, VERTEX_TIME_START_OFFSET], false),
                ([VERTEX_TIME_END, VERTEX_TIME_END_OFFSET], true),
                ([FRAGMENT_TIME_START, FRAGMENT_TIME_START_OFFSET], false),
                ([FRAGMENT_TIME_END, FRAGMENT_TIME_END_OFFSET], true),
            ]
        }
    }
}

/// The timestamps that a command writes.
fn timestamps(kernel: &Kernel, command: &Command) -> Result<Vec<TimeWrite>, Errno> {
    let bytes = command.bytes();
    let fields = timestamp_fields(command).into_iter().filter(|([handle, _], _)| handle.is_set(bytes));
    fields
        .map(|([handle, offset], at_end)| {
            let object = kernel.tables.times.get(handle.get(bytes) as u32)?;
            let offset = offset.get(bytes);
            if offset % 8 != 0 || offset.checked_add(8).is_none_or(|end| end > object.bytes) {
                return Err(Errno::INVALID);
            }
            let start = object.offset.checked_add(offset).ok_or(Errno::INVALID)?;
            let window = Window::new(object.words.clone(), start, 8).ok_or(Errno::INVALID)?;
            Ok(TimeWrite { window, at_end })
        })
        .collect()
}

impl Kernel {
    /// Adds a submission; unless the device is asynchronous, it is complete when this returns.
    fn submit(
        &mut self,
        queue: (u32, super::Queue),
        waits: Vec<Fence>,
        commands: Vec<(Ordered, Vec<TimeWrite>)>,
        stream: &[u8],
    ) -> Result<Fence, Errno> {
        if let Some(recorder) = &mut self.recorder {
            let space = self.tables.spaces.get(queue.1.vm)?;
            recorder.submission(&space.memory, queue.1.shader_base, stream);
        }
        let mut batch = self.order.begin(queue.1.vm, queue.0, waits.iter().filter_map(Fence::clock));
        let fence = self.work.submit(queue, waits, commands);
        if !self.is_asynchronous() {
            let failed = self.run_now(&mut batch);
            fence.signal(&batch.after, failed);
            if let Some(recorder) = &mut self.recorder {
                recorder.result(&self.tables.spaces.get(queue.1.vm)?.memory);
            }
        }
        Ok(fence)
    }
}
