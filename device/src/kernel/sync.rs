//! Sync objects, each both binary and timeline, as in the kernel.

use super::order::Clock;
use super::{Answer, Errno};

/// Nanoseconds of the monotonic clock until which a call waits.
pub type Deadline = i64;

/// A sync object.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct SyncObject {
    /// Whether it has a fence. All fences are signalled, because submissions run within the call.
    pub(crate) fence: bool,
    /// The point the timeline has reached.
    pub(crate) point: u64,
    /// Commands that are complete when it is signalled, at any of its points.
    pub(crate) clock: Clock,
}

impl SyncObject {
    /// Signals the object, or a point of its timeline, after the commands in `clock`.
    pub(crate) fn signal(&mut self, point: u64, clock: &Clock) {
        self.clock.join(clock);
        self.fence = true;
        self.point = self.point.max(point);
    }

    pub(crate) fn reset(&mut self) {
        *self = SyncObject::default();
    }

    /// Whether the object, or the point of its timeline, is signalled.
    pub(crate) fn reached(&self, point: u64) -> bool {
        self.fence && self.point >= point
    }
}

/// How to wait for several objects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    /// For all instead of for one.
    pub(crate) all: bool,
    /// Also for those that nothing was submitted for yet.
    pub(crate) for_submit: bool,
    pub(crate) deadline: Deadline,
    /// Nanoseconds of the monotonic clock.
    pub(crate) now: u64,
}

/// Waits; gives the number of the first object that is signalled.
pub(crate) fn wait(objects: &[(&SyncObject, u64)], waiting: Waiting) -> Result<Result<u32, Answer>, Errno> {
    let reached = |(object, point): &(&SyncObject, u64)| object.reached(*point);
    let first = objects.iter().position(reached);
    let done = if waiting.all { objects.iter().all(reached) } else { first.is_some() };
    if done {
        return Ok(Ok(first.unwrap_or(0) as u32));
    }
    // Nothing was submitted that could signal it, and the caller does not wait for that.
    if !waiting.for_submit && objects.iter().any(|(object, point)| !object.fence || object.point < *point) {
        return Err(Errno::INVALID);
    }
    if waiting.deadline <= waiting.now as i64 {
        return Err(Errno::TIME);
    }
    Ok(Err(Answer::Wait(waiting.deadline)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_ends_when_enough_is_reached() {
        let (idle, mut busy) = (SyncObject::default(), SyncObject::default());
        busy.signal(5, &Clock::default());
        let (idle, busy) = (&idle, &busy);
        let waiting = Waiting { all: false, for_submit: true, deadline: 10, now: 3 };
        assert_eq!(wait(&[(idle, 0), (busy, 5)], waiting), Ok(Ok(1)));
        assert_eq!(wait(&[(idle, 0), (busy, 6)], waiting), Ok(Err(Answer::Wait(10))));
        assert_eq!(
            wait(&[(idle, 0), (busy, 5)], Waiting { all: true, now: 10, ..waiting }),
            Err(Errno::TIME)
        );
        assert_eq!(wait(&[(idle, 0)], Waiting { for_submit: false, ..waiting }), Err(Errno::INVALID));
        assert_eq!(wait(&[], Waiting { all: true, ..waiting }), Ok(Ok(0)));
    }
}
