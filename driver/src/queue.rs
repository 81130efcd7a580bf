//! The queue: passes submissions to the kernel in order.
//!
//! Every submission signals a point of the queue's own timeline. A submission may wait for a point of a timeline that nothing
//! will signal yet; it and those after it are then kept, and a thread passes them on when the kernel knows what they wait
//! for.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use agx_abi::record::command_header as header;

use crate::Error;
use crate::command::KernelCommand;
use crate::gpu::{MAX_COMMANDS, SyncPoint, WaitFor};
use crate::memory::{Space, lock};
use crate::reserved::PageBind;
use crate::sync::{Consumed, Payload, Sync};

/// Commands with the sync objects that they wait for and signal.
#[derive(Default)]
pub struct Submission {
    /// Waits.
    pub waits: Vec<SyncPoint>,
    /// Those among them that something may signal later.
    pub late: Vec<SyncPoint>,
    /// Binary semaphores among them, which the wait resets.
    pub resets: Vec<u32>,
    /// Payloads among them that end with the wait.
    pub temporary: Vec<Payload>,
    /// Command buffers in order.
    pub commands: Vec<Arc<Vec<KernelCommand>>>,
    /// Signals.
    pub signals: Vec<SyncPoint>,
    /// Pages of sparse resources to bind after the waits; a submission with some has no commands.
    pub binds: Vec<PageBind>,
}

impl Submission {
    /// Adds a wait for a semaphore, or for a point of its timeline.
    pub fn wait(&mut self, sync: &Sync, value: u64) {
        let (point, consumed, is_late) = sync.wait(value);
        self.waits.push(point);
        if is_late {
            self.late.push(point);
        }
        match consumed {
            Consumed::Nothing => {}
            Consumed::Signal => self.resets.push(point.handle),
            Consumed::Temporary(payload) => self.temporary.push(payload),
        }
    }

    /// Adds a signal of a fence or a semaphore, or of a point of its timeline.
    pub fn signal(&mut self, sync: &Sync, value: u64) {
        self.signals.push(sync.point(value));
    }

    /// What has to be waited for before it is passed on: until the kernel knows what will signal the points that may be signalled
    /// later, or, because the kernel binds pages at once, until all waits have ended. Of binary semaphores that only this queue
    /// has, applications submit the signals before the waits.
    fn needs(&self) -> (&[SyncPoint], WaitFor) {
        match self.binds.is_empty() {
            true => (&self.late, WaitFor::Submission),
            false => (&self.waits, WaitFor::All),
        }
    }

    /// Number of points of the queue's timeline that it takes: without commands, one for every wait.
    fn points(&self) -> u64 {
        match self.commands.iter().all(|list| list.is_empty()) {
            true => self.waits.len().max(1) as u64,
            false => 1,
        }
    }
}

#[derive(Default)]
struct State {
    /// Submissions that the kernel does not have, with the last of their points.
    kept: VecDeque<(Submission, u64)>,
    /// Whether a thread passes them on.
    has_thread: bool,
    /// The last point of the timeline that a submission takes.
    last: u64,
    outcomes: Outcomes,
    /// Memory for the commands of a call.
    bytes: Vec<u8>,
    lost: Option<Error>,
}

/// Binary sync objects that tell whether calls to the kernel succeeded, one for each call.
#[derive(Default)]
struct Outcomes {
    /// With the points of the timeline that are signalled after the calls, in order.
    open: VecDeque<(u64, u32)>,
    /// Those that can be used again.
    free: Vec<u32>,
}

/// What the thread shares with the queue.
struct Shared {
    space: Arc<Space>,
    /// The queue's timeline.
    timeline: u32,
    state: Mutex<State>,
}

/// The queue.
pub struct Queue {
    shared: Arc<Shared>,
}

impl Queue {
    /// An empty queue.
    ///
    /// # Errors
    /// The kernel call fails.
    pub fn new(space: Arc<Space>) -> Result<Queue, Error> {
        let timeline = space.gpu().create_sync(false)?;
        let state = State { last: 1, ..State::default() };
        space.gpu().signal(SyncPoint { handle: timeline, value: Some(1) });
        Ok(Queue { shared: Arc::new(Shared { space, timeline, state: Mutex::new(state) }) })
    }

    /// Submits.
    ///
    /// # Errors
    /// The device is lost.
    pub fn submit(&self, submissions: Vec<Submission>) -> Result<(), Error> {
        let mut state = lock(&self.shared.state);
        for submission in submissions {
            state.last += submission.points();
            let point = state.last;
            if state.kept.is_empty() && !state.has_thread && self.shared.is_ready(&submission) {
                self.shared.pass(&mut state, submission, point);
            } else {
                state.kept.push_back((submission, point));
            }
        }
        if !state.kept.is_empty() && !state.has_thread {
            state.has_thread = true;
            let shared = self.shared.clone();
            // It ends when it has passed everything on.
            drop(std::thread::spawn(move || shared.pass_kept()));
        }
        self.shared.loss(state)
    }

    /// Waits for points for at most this number of nanoseconds.
    ///
    /// # Errors
    /// Timeout, or the device is lost.
    pub fn wait(&self, points: &[SyncPoint], wait: WaitFor, nanoseconds: u64) -> Result<(), Error> {
        self.shared.space.gpu().wait(points, wait, nanoseconds)?;
        self.check()
    }

    /// Reports whether the device is lost.
    ///
    /// # Errors
    /// It is.
    pub fn check(&self) -> Result<(), Error> {
        self.shared.loss(lock(&self.shared.state))
    }

    /// Waits until `done` returns true, which submitted commands cause.
    ///
    /// # Errors
    /// The device is lost.
    pub fn wait_until(&self, mut done: impl FnMut() -> bool) -> Result<(), Error> {
        let mut point = lock(&self.shared.state).last;
        while !done() {
            self.wait(&[self.shared.point(point)], WaitFor::All, u64::MAX)?;
            // If the commands so far do not cause it, later ones do.
            point += 1;
        }
        Ok(())
    }

    /// Waits until everything that was submitted is complete.
    ///
    /// # Errors
    /// The device is lost.
    pub fn wait_idle(&self) -> Result<(), Error> {
        let last = lock(&self.shared.state).last;
        self.wait(&[self.shared.point(last)], WaitFor::All, u64::MAX)
    }
}

impl Shared {
    /// A point of the queue's timeline.
    fn point(&self, value: u64) -> SyncPoint {
        SyncPoint { handle: self.timeline, value: Some(value) }
    }

    /// Whether a submission can be passed on.
    fn is_ready(&self, submission: &Submission) -> bool {
        let (points, wait) = submission.needs();
        self.space.gpu().wait(points, wait, 0).is_ok()
    }

    /// The thread that passes on what was kept.
    fn pass_kept(&self) {
        loop {
            let mut state = lock(&self.state);
            let Some((submission, _)) = state.kept.front() else {
                state.has_thread = false;
                return;
            };
            let (points, wait) = submission.needs();
            let points = points.to_vec();
            drop(state);
            let known = self.space.gpu().wait(&points, wait, u64::MAX);
            let mut state = lock(&self.state);
            if let Err(error) = known {
                state.lost.get_or_insert(error);
            }
            if let Some((submission, point)) = state.kept.pop_front() {
                self.pass(&mut state, submission, point);
            }
        }
    }

    /// Passes a submission to the kernel. If the device is lost, its signals come from the processor, so that every wait
    /// ends.
    fn pass(&self, state: &mut State, mut submission: Submission, point: u64) {
        let gpu = self.space.gpu();
        let mut taken = Vec::new();
        let passed = match &state.lost {
            Some(error) => Err(error.clone()),
            None => self
                .take_shared(&mut submission, &mut taken)
                .and_then(|()| self.to_kernel(state, &submission, point)),
        };
        if let Err(error) = passed {
            submission.signals.iter().for_each(|signal| gpu.signal(*signal));
            gpu.signal(self.point(point));
            state.lost.get_or_insert(error);
        }
        // The kernel has taken the fences of the waits.
        submission.resets.iter().for_each(|handle| gpu.reset(*handle));
        taken.iter().for_each(|handle| gpu.destroy_sync(*handle));
    }

    /// Moves the signals of shared semaphores that the submission resets to sync objects of its own, which `taken` receives. The
    /// owner of such a semaphore may signal it again as soon as the work is done, so a later reset would remove that signal.
    fn take_shared(&self, submission: &mut Submission, taken: &mut Vec<u32>) -> Result<(), Error> {
        let gpu = self.space.gpu();
        let Submission { resets, late, waits, .. } = submission;
        for handle in resets.extract_if(.., |handle| late.iter().any(|point| point.handle == *handle)) {
            let own = SyncPoint { handle: gpu.create_sync(false)?, value: None };
            taken.push(own.handle);
            gpu.transfer(SyncPoint { handle, value: None }, own)?;
            gpu.reset(handle);
            waits.iter_mut().filter(|wait| wait.handle == handle).for_each(|wait| *wait = own);
        }
        Ok(())
    }

    fn to_kernel(&self, state: &mut State, submission: &Submission, point: u64) -> Result<(), Error> {
        let gpu = self.space.gpu();
        let State { outcomes, bytes, .. } = state;
        submission.binds.iter().try_for_each(|bind| bind.resource.bind(&bind.pages))?;
        let mut list = submission.commands.iter().flat_map(|list| list.iter()).peekable();
        if list.peek().is_none() {
            return self.without_commands(submission, point);
        }
        let mut waits = submission.waits.as_slice();
        while list.peek().is_some() {
            encode(list.by_ref().take(MAX_COMMANDS), bytes);
            let outcome = match outcomes.free.pop() {
                Some(outcome) => outcome,
                None => gpu.create_sync(false)?,
            };
            let own = [SyncPoint { handle: outcome, value: None }, self.point(point)];
            let signals: [&[SyncPoint]; 2] =
                if list.peek().is_none() { [&submission.signals, &own] } else { [&[], &own[..1]] };
            if let Err(error) = gpu.submit(bytes, waits, signals) {
                outcomes.free.push(outcome);
                return Err(error);
            }
            outcomes.open.push_back((point, outcome));
            waits = &[];
        }
        Ok(())
    }

    /// The kernel accepts no submission without commands: its points of the timeline are signalled after its waits, and
    /// after all points before them.
    fn without_commands(&self, submission: &Submission, point: u64) -> Result<(), Error> {
        let gpu = self.space.gpu();
        let before = point - submission.points();
        let waits = submission.waits.iter().filter(|wait| wait.value != Some(0));
        let mut reached = before;
        for wait in waits {
            reached += 1;
            gpu.transfer(*wait, self.point(reached))?;
        }
        if reached < point {
            gpu.transfer(self.point(reached), self.point(point))?;
        }
        submission.signals.iter().try_for_each(|signal| gpu.transfer(self.point(point), *signal))
    }

    /// The error of a lost device.
    fn loss(&self, mut state: MutexGuard<'_, State>) -> Result<(), Error> {
        let finding = self.first_fault(&mut state.outcomes);
        if let Some(finding) = finding {
            state.lost.get_or_insert(Error::Lost { finding });
        }
        state.lost.clone().map_or(Ok(()), Err)
    }

    /// A sentence about the first call that is complete and failed, of those that were not asked yet.
    fn first_fault(&self, outcomes: &mut Outcomes) -> Option<String> {
        let gpu = self.space.gpu();
        let mut found = None;
        let reached = if outcomes.open.is_empty() { 0 } else { gpu.timeline_value(self.timeline) };
        while let Some((_, outcome)) = outcomes.open.front().copied().filter(|(point, _)| *point <= reached) {
            outcomes.open.pop_front();
            found = found.or_else(|| gpu.fault(outcome));
            outcomes.free.push(outcome);
        }
        found
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let outcomes = &lock(&self.state).outcomes;
        let handles = outcomes.open.iter().map(|(_, handle)| handle).chain(&outcomes.free);
        handles.chain([&self.timeline]).for_each(|handle| self.space.gpu().destroy_sync(*handle));
    }
}

/// Replaces `bytes` with the encoding of commands, each with a header: every command waits for all earlier ones.
fn encode<'c>(commands: impl Iterator<Item = &'c KernelCommand>, bytes: &mut Vec<u8>) {
    bytes.clear();
    let mut before = [0_u64; 2];
    for command in commands {
        let (kind, body) = match command {
            KernelCommand::Render(body) => (0, body.as_bytes().as_slice()),
            KernelCommand::Compute(body) => (1, body.as_bytes().as_slice()),
        };
        // The numbers of earlier commands; 0 waits for earlier submissions.
        let [render, compute] = before;
        let header = header::new()
            .set(&header::TYPE, kind)
            .set(&header::SIZE, body.len() as u64)
            .set(&header::VDM_BARRIER, render)
            .set(&header::CDM_BARRIER, compute);
        bytes.extend_from_slice(&header.bytes());
        bytes.extend_from_slice(body);
        if let Some(count) = before.get_mut(kind as usize) {
            *count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use agx_device::Settings;

    use super::*;
    use crate::command::{CommandBuffer, Level};
    use crate::device::{Device, Enabled};
    use crate::memory::Place;

    /// Long enough for anything that ends.
    const LONG: u64 = 20_000_000_000;

    fn signal(sync: &Sync, value: u64) -> Submission {
        Submission { signals: vec![sync.point(value)], ..Submission::default() }
    }

    /// Commands that fill four bytes with `word`.
    fn filling(device: &Arc<Device>, address: u64, word: u32) -> CommandBuffer {
        let mut commands = CommandBuffer::new(device.clone(), Level::Primary);
        commands.begin();
        commands.record(move |recorder| recorder.fill_memory(address, 4, word));
        commands.end().expect("records");
        commands
    }

    /// A submission of them, for devices that run it before anything else is recorded.
    fn fill(device: &Arc<Device>, address: u64, word: u32) -> Submission {
        let commands = vec![filling(device, address, word).commands()];
        Submission { commands, ..Submission::default() }
    }

    #[test]
    fn a_submission_may_wait_for_what_is_signalled_later() {
        let device = Device::in_test();
        let [gate, first, second] =
            [(); 3].map(|()| Sync::timeline(&device.space, 0).expect("a sync object"));
        let mut waiting = signal(&first, 1);
        waiting.wait(&gate, 3);
        device.queue.submit(vec![waiting]).expect("kept");
        device.queue.submit(vec![signal(&second, 1)]).expect("kept behind it");
        gate.signal(2);
        assert!(!first.is_reached(1) && !second.is_reached(1), "nothing passes a submission that waits");
        gate.signal(3);
        let points = [first.point(1), second.point(1)];
        device.queue.wait(&points, WaitFor::All, LONG).expect("signalled");
        device.queue.wait_idle().expect("idle");
    }

    /// Memory has the words when fences are signalled, whatever the device does in the meantime.
    #[test]
    fn fences_are_signalled_after_the_work() {
        for seed in 0..3 {
            let settings = Settings { asynchronous: true, seed, ..Settings::default() };
            let device = Device::in_test_with(Enabled::default(), settings, |found| panic!("{found}"));
            let memory = device.space.allocate(4, Place::High).expect("memory");
            let fence = Sync::binary(&device.space, false).expect("a sync object");
            let word = || {
                let mut bytes = [0; 4];
                memory.read(0, &mut bytes);
                u32::from_le_bytes(bytes)
            };
            for number in 1..=8 {
                let recorded = [number - 1, number].map(|word| filling(&device, memory.address, word));
                let list = recorded.each_ref().map(|commands| Submission {
                    commands: vec![commands.commands()],
                    ..Submission::default()
                });
                device.queue.submit(list.into()).expect("submitted");
                // Without commands, it is signalled after those before it.
                device.queue.submit(vec![signal(&fence, 0)]).expect("submitted");
                device.queue.wait(&[fence.point(0)], WaitFor::All, LONG).expect("signalled");
                assert_eq!(word(), number, "seed {seed}");
                fence.reset();
            }
            device.queue.submit(vec![fill(&device, memory.address, 99)]).expect("submitted");
            device.queue.wait_until(|| word() == 99).expect("filled");
        }
    }

    #[test]
    fn waits_end_when_the_device_is_lost() {
        for asynchronous in [false, true] {
            let settings = Settings { asynchronous, ..Settings::default() };
            let device = Device::in_test_with(Enabled::default(), settings, |_| ());
            let fence = Sync::timeline(&device.space, 0).expect("a sync object");
            // No memory is there.
            let wrong = Submission { ..fill(&device, crate::gpu::HIGH[1] - 0x10000, 1) };
            let submitted = device.queue.submit(vec![Submission { signals: vec![fence.point(1)], ..wrong }]);
            let waited = device.queue.wait(&[fence.point(1)], WaitFor::All, LONG);
            let idle = device.queue.wait_idle();
            assert!(matches!(waited, Err(Error::Lost { .. })), "{submitted:?} {waited:?}");
            assert!(matches!(idle, Err(Error::Lost { .. })), "{idle:?}");
            let later = device.queue.submit(vec![signal(&fence, 2)]);
            assert!(matches!(later, Err(Error::Lost { .. })));
            assert!(fence.is_reached(2), "every wait ends");
        }
    }

    #[test]
    fn a_lost_device_leaves_the_others() {
        for asynchronous in [false, true] {
            let settings = Settings { asynchronous, ..Settings::default() };
            let host = crate::device::host_in_test(settings, |_| ());
            let [first, second] = [(); 2].map(|()| Device::of_host(&host, Enabled::default()));
            // No memory is there.
            let wrong = |device: &Arc<Device>| fill(device, crate::gpu::HIGH[1] - 0x10000, 1);
            let lost = |device: &Arc<Device>| matches!(device.queue.wait_idle(), Err(Error::Lost { .. }));
            // The error is found after the wait.
            let _ = second.queue.submit(vec![wrong(&second)]);
            assert!(lost(&second) && !lost(&first));
            let memory = first.space.allocate(4, Place::High).expect("memory");
            first.queue.submit(vec![fill(&first, memory.address, 7)]).expect("submitted");
            assert!(!lost(&first));
            let _ = first.queue.submit(vec![wrong(&first)]);
            assert!(lost(&first), "also by an error that was reported before");
            drop((memory, first, second));
            let third = Device::of_host(&host, Enabled::default());
            assert!(!lost(&third), "it may have the numbers of a device that is gone");
        }
    }

    /// What was submitted before the error is complete, and every wait ends.
    #[test]
    fn a_device_may_be_lost_in_the_middle_of_many_submissions() {
        const MANY: u32 = 100;
        const WRONG: u32 = 50;
        for asynchronous in [false, true] {
            let settings = Settings { asynchronous, ..Settings::default() };
            let device = Device::in_test_with(Enabled::default(), settings, |_| ());
            let memory = device.space.allocate(4 * u64::from(MANY), Place::High).expect("memory");
            let (mut fences, mut recorded) = (Vec::new(), Vec::new());
            for number in 0..MANY {
                let place = match number {
                    // No memory is there.
                    WRONG => crate::gpu::HIGH[1] - 0x10000,
                    _ => memory.address + 4 * u64::from(number),
                };
                let commands = filling(&device, place, number + 1);
                let mut submission =
                    Submission { commands: vec![commands.commands()], ..Submission::default() };
                let fence = Sync::binary(&device.space, false).expect("a sync object");
                submission.signal(&fence, 0);
                // The error may be found later.
                let _ = device.queue.submit(vec![submission]);
                fences.push(fence);
                recorded.push(commands);
            }
            for fence in &fences {
                let waited = device.queue.wait(&[fence.point(0)], WaitFor::All, LONG);
                assert!(matches!(waited, Ok(()) | Err(Error::Lost { .. })), "{waited:?}");
                assert!(fence.is_reached(0));
            }
            assert!(matches!(device.queue.check(), Err(Error::Lost { .. })));
            let mut bytes = [0; 4 * WRONG as usize];
            memory.read(0, &mut bytes);
            let words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
            assert!(words.eq(1..=WRONG), "asynchronous: {asynchronous}");
        }
    }

    /// The thread that waits may run late on a busy machine: the median counts.
    #[test]
    fn waits_end_within_a_millisecond_of_the_signal() {
        let device = Device::in_test();
        let mut delays: Vec<Duration> = (0..21)
            .map(|_| {
                let fence = Sync::binary(&device.space, false).expect("a sync object");
                std::thread::scope(|scope| {
                    let waiter = scope.spawn(|| {
                        device.queue.wait(&[fence.point(0)], WaitFor::All, LONG).expect("signalled");
                        Instant::now()
                    });
                    std::thread::sleep(Duration::from_millis(3));
                    let signalled = Instant::now();
                    fence.signal(0);
                    waiter.join().expect("waits").saturating_duration_since(signalled)
                })
            })
            .collect();
        delays.sort();
        assert!(delays[delays.len() / 2] < Duration::from_millis(1), "{delays:?}");
    }

    #[test]
    fn timeouts_are_told() {
        let device = Device::in_test();
        let fence = Sync::binary(&device.space, false).expect("a sync object");
        assert!(matches!(device.queue.wait(&[fence.point(0)], WaitFor::All, 0), Err(Error::Timeout)));
        assert!(matches!(device.queue.wait(&[fence.point(0)], WaitFor::Any, 1000), Err(Error::Timeout)));
        let other = Sync::timeline(&device.space, 7).expect("a sync object");
        device.queue.wait(&[fence.point(0), other.point(0)], WaitFor::Any, 0).expect("0 is always reached");
        device.queue.wait(&[fence.point(0), other.point(7)], WaitFor::Any, 0).expect("signalled");
        assert!(matches!(device.queue.wait(&[other.point(8)], WaitFor::All, 0), Err(Error::Timeout)));
    }
}
