//! Fences, semaphores and events.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex};

use crate::Error;
use crate::gpu::{SyncPoint, WaitFor};
use crate::memory::{Arena, Piece, Space, lock};
use crate::poll;

/// The state of a fence or semaphore: a sync object of the kernel.
pub struct Payload {
    space: Arc<Space>,
    handle: u32,
    /// Whether it was exported or imported, so that others may signal it.
    is_shared: bool,
}

impl Payload {
    fn new(space: &Arc<Space>, signalled: bool) -> Result<Payload, Error> {
        let handle = space.gpu().create_sync(signalled)?;
        Ok(Payload { space: space.clone(), handle, is_shared: false })
    }
}

impl Drop for Payload {
    fn drop(&mut self) {
        self.space.gpu().destroy_sync(self.handle);
    }
}

/// A fence or a semaphore.
struct Payloads {
    permanent: Payload,
    /// A payload that replaces the permanent one until a fence is reset, or a semaphore is waited for.
    temporary: Option<Payload>,
}

impl Payloads {
    fn current(&self) -> &Payload {
        self.temporary.as_ref().unwrap_or(&self.permanent)
    }
}

/// What a wait of a submission takes from a semaphore.
pub enum Consumed {
    /// Nothing: timelines stay as they are.
    Nothing,
    /// The signal of its permanent payload, which has to be reset.
    Signal,
    /// Its temporary payload, which the submission destroys.
    Temporary(Payload),
}

/// A fence or a semaphore.
pub struct Sync {
    space: Arc<Space>,
    payloads: Mutex<Payloads>,
    /// Whether it is a timeline.
    pub timeline: bool,
}

impl Sync {
    /// A fence or a binary semaphore.
    ///
    /// # Errors
    /// The kernel call fails.
    pub fn binary(space: &Arc<Space>, signalled: bool) -> Result<Sync, Error> {
        let payloads = Payloads { permanent: Payload::new(space, signalled)?, temporary: None };
        Ok(Sync { space: space.clone(), payloads: Mutex::new(payloads), timeline: false })
    }

    /// A timeline with an initial value.
    ///
    /// # Errors
    /// The kernel call fails.
    pub fn timeline(space: &Arc<Space>, value: u64) -> Result<Sync, Error> {
        let mut sync = Sync::binary(space, false)?;
        sync.timeline = true;
        if value > 0 {
            sync.signal(value);
        }
        Ok(sync)
    }

    /// The current payload, or a point of its timeline.
    pub fn point(&self, value: u64) -> SyncPoint {
        self.point_of(lock(&self.payloads).current(), value)
    }

    fn point_of(&self, payload: &Payload, value: u64) -> SyncPoint {
        SyncPoint { handle: payload.handle, value: self.timeline.then_some(value) }
    }

    /// What a submission waits for, what the wait takes, and whether something that the queue does not know may signal it
    /// after the submission.
    pub fn wait(&self, value: u64) -> (SyncPoint, Consumed, bool) {
        let mut payloads = lock(&self.payloads);
        let point = self.point_of(payloads.current(), value);
        let is_late = self.timeline || payloads.current().is_shared;
        let consumed = match payloads.temporary.take() {
            Some(payload) => Consumed::Temporary(payload),
            None if self.timeline => Consumed::Nothing,
            None => Consumed::Signal,
        };
        (point, consumed, is_late)
    }

    /// Signals it, or a point of its timeline.
    pub fn signal(&self, value: u64) {
        self.space.gpu().signal(self.point(value));
    }

    /// Makes a fence unsignalled, after its permanent payload is restored.
    pub fn reset(&self) {
        let mut payloads = lock(&self.payloads);
        payloads.temporary = None;
        self.space.gpu().reset(payloads.permanent.handle);
    }

    /// Whether it, or a point of its timeline, is signalled.
    pub fn is_reached(&self, value: u64) -> bool {
        self.space.gpu().wait(&[self.point(value)], WaitFor::All, 0).is_ok()
    }

    /// The current value of its timeline.
    pub fn value(&self) -> u64 {
        self.space.gpu().timeline_value(self.point(0).handle)
    }

    /// A descriptor that shares the current payload.
    ///
    /// # Errors
    /// The kernel call fails.
    pub fn export(&self) -> Result<OwnedFd, Error> {
        let mut payloads = lock(&self.payloads);
        let file = self.space.gpu().export_sync(payloads.current().handle)?;
        match &mut payloads.temporary {
            Some(temporary) => temporary.is_shared = true,
            None => payloads.permanent.is_shared = true,
        }
        Ok(file)
    }

    /// Shares the payload of a descriptor, which replaces the permanent one or becomes the temporary one.
    ///
    /// # Errors
    /// [`Error::ExternalHandle`]: the descriptor is not that of a payload.
    pub fn import(&self, file: BorrowedFd<'_>, temporary: bool) -> Result<(), Error> {
        let handle = self.space.gpu().import_sync(file)?;
        let payload = Payload { space: self.space.clone(), handle, is_shared: true };
        let mut payloads = lock(&self.payloads);
        match temporary {
            true => payloads.temporary = Some(payload),
            false => *payloads = Payloads { permanent: payload, temporary: None },
        }
        Ok(())
    }

    /// A descriptor of the fence of the current payload; `None` if it is signalled. A semaphore changes as by a wait.
    ///
    /// # Errors
    /// The kernel call fails.
    pub fn export_semaphore_fence(&self) -> Result<Option<OwnedFd>, Error> {
        let file = self.current_fence()?;
        if let (point, Consumed::Signal, _) = self.wait(0) {
            self.space.gpu().reset(point.handle);
        }
        Ok(file)
    }

    /// As [`Sync::export_semaphore_fence`], of a fence, which changes as by [`Sync::reset`].
    ///
    /// # Errors
    /// The kernel call fails.
    pub fn export_fence(&self) -> Result<Option<OwnedFd>, Error> {
        let file = self.current_fence()?;
        self.reset();
        Ok(file)
    }

    /// A descriptor of the fence of the current payload, unless it is signalled. Its signal was submitted, but the queue may
    /// have kept it.
    fn current_fence(&self) -> Result<Option<OwnedFd>, Error> {
        let (gpu, point) = (self.space.gpu(), self.point(0));
        gpu.wait(&[point], WaitFor::Submission, u64::MAX)?;
        match gpu.wait(&[point], WaitFor::All, 0) {
            Ok(()) => Ok(None),
            Err(_) => gpu.export_fence(point.handle).map(Some),
        }
    }

    /// Gives it a temporary payload with the fence of a descriptor, or a signalled one.
    ///
    /// # Errors
    /// [`Error::ExternalHandle`]: the descriptor is not that of a fence.
    pub fn import_fence(&self, file: Option<BorrowedFd<'_>>) -> Result<(), Error> {
        let payload = Payload::new(&self.space, file.is_none())?;
        if let Some(file) = file {
            self.space.gpu().import_fence(payload.handle, file)?;
        }
        lock(&self.payloads).temporary = Some(payload);
        Ok(())
    }
}

/// An event: a word of memory that is 1 while it is set.
pub struct Event {
    memory: Piece,
}

impl Event {
    /// An event in the unset state.
    ///
    /// # Errors
    /// Out of memory.
    pub fn new(arena: &Arc<Arena>) -> Result<Event, Error> {
        let event = Event { memory: arena.take(16, 16)? };
        event.set(false);
        Ok(event)
    }

    /// Sets or resets it.
    pub fn set(&self, value: bool) {
        self.memory.write(0, &u32::from(value).to_le_bytes());
    }

    /// Whether it is set.
    pub fn is_set(&self) -> bool {
        self.memory.words().first().is_some_and(poll::is_set)
    }

    /// Address of the word.
    pub fn address(&self) -> u64 {
        self.memory.address
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd as _;

    use super::*;
    use crate::device::Device;
    use crate::queue::Submission;

    /// Long enough for anything that ends.
    const LONG: u64 = 20_000_000_000;

    fn binary(device: &Device) -> Sync {
        Sync::binary(&device.space, false).expect("a sync object")
    }

    /// A submission that waits and signals.
    fn submission(wait: Option<&Sync>, signal: Option<&Sync>) -> Vec<Submission> {
        let mut submission = Submission::default();
        wait.into_iter().for_each(|sync| submission.wait(sync, 1));
        signal.into_iter().for_each(|sync| submission.signal(sync, 1));
        vec![submission]
    }

    #[test]
    fn a_fence_has_its_permanent_payload_again_after_a_reset() {
        let device = Device::in_test();
        let (fence, other) = (binary(&device), binary(&device));
        fence.signal(0);
        let file = other.export().expect("a descriptor");
        fence.import(file.as_fd(), true).expect("imported");
        assert!(!fence.is_reached(0), "the temporary payload is not signalled");
        other.signal(0);
        assert!(fence.is_reached(0) && fence.is_reached(0));
        fence.reset();
        assert!(!fence.is_reached(0) && other.is_reached(0));
        fence.signal(0);
        other.reset();
        assert!(fence.is_reached(0) && !other.is_reached(0));
        fence.import(file.as_fd(), false).expect("imported");
        assert!(!fence.is_reached(0));
        fence.signal(0);
        assert!(other.is_reached(0));
        fence.reset();
        assert!(!other.is_reached(0));
    }

    #[test]
    fn a_wait_consumes_a_temporary_payload_only() {
        let [device, second] = Device::two_in_test();
        let (semaphore, other) = (binary(&device), binary(&second));
        semaphore.signal(0);
        other.signal(0);
        semaphore.import(other.export().expect("a descriptor").as_fd(), true).expect("imported");
        for signalled in [true, false] {
            device.queue.submit(submission(Some(&semaphore), None)).expect("submitted");
            assert_eq!(semaphore.is_reached(0), signalled);
            // It shared the payload, which was not reset.
            assert!(other.is_reached(0));
        }
    }

    #[test]
    fn fences_are_copied() {
        let device = Device::in_test();
        let [from, to] = [binary(&device), binary(&device)];
        from.signal(0);
        assert!(from.export_semaphore_fence().expect("exported").is_none(), "it is signalled");
        assert!(!from.is_reached(0), "an export is a wait");
        to.import_fence(None).expect("imported");
        assert!(to.is_reached(0));
        to.reset();
        assert!(!to.is_reached(0));
        let file = device.space.gpu();
        from.signal(0);
        let copied = file.export_fence(from.point(0).handle).expect("a descriptor");
        from.reset();
        to.import_fence(Some(copied.as_fd())).expect("imported");
        assert!(to.is_reached(0) && !from.is_reached(0));
        from.import_fence(Some(copied.as_fd())).expect("imported again");
        assert!(from.export_fence().expect("exported").is_none());
        assert!(!from.is_reached(0));
    }

    #[test]
    fn strange_descriptors_are_refused() {
        let (device, other) = (Device::in_test(), Device::in_test());
        let sync = binary(&device);
        let memory = device.space.allocate(1, crate::memory::Place::High).expect("memory");
        let foreign = binary(&other).export().expect("a descriptor");
        let null = std::fs::File::open("/dev/null").expect("a file");
        for file in [memory.export().expect("a descriptor"), foreign, null.into()] {
            let file = file.as_fd();
            let results = [sync.import(file, true), sync.import(file, false), sync.import_fence(Some(file))];
            assert!(results.iter().all(|result| matches!(result, Err(Error::ExternalHandle))), "{results:?}");
        }
        let shared = sync.export().expect("a descriptor");
        assert!(matches!(device.space.import(shared.as_fd(), 1), Err(Error::ExternalHandle)));
    }

    /// A queue may wait for a semaphore that another one signals later.
    #[test]
    fn shared_semaphores_may_be_signalled_later() {
        for timeline in [false, true] {
            let [device, second] = Device::two_in_test();
            let new = |device: &Device| match timeline {
                true => Sync::timeline(&device.space, 0).expect("a sync object"),
                false => binary(device),
            };
            let gate = Sync::timeline(&device.space, 0).expect("a sync object");
            let (signalled, waited, fence) = (new(&device), new(&second), binary(&second));
            waited.import(signalled.export().expect("a descriptor").as_fd(), false).expect("imported");
            device.queue.submit(submission(Some(&gate), Some(&signalled))).expect("kept");
            second.queue.submit(submission(Some(&waited), Some(&fence))).expect("kept");
            assert!(!fence.is_reached(0));
            gate.signal(1);
            second.queue.wait(&[fence.point(0)], WaitFor::All, LONG).expect("signalled");
            assert_eq!(signalled.is_reached(1), timeline, "the wait resets binary semaphores");
        }
    }
}
