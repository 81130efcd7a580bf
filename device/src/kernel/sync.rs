//! Sync objects, each both binary and timeline, as in the kernel.

use super::fence::Fence;
use super::order::Clock;
use super::sync_memory::SharedSync;
use super::{Answer, Errno};

/// Nanoseconds of the monotonic clock until which a call waits.
pub type Deadline = i64;

/// A fence at a point of a timeline; 0 for the fence of a binary object.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) point: u64,
    pub(crate) fence: Fence,
}

/// A sync object. A point is signalled when its fence and all before it are.
#[derive(Debug, Default)]
pub(crate) struct SyncObject {
    /// In the order in which they were added. Of signalled ones at the start only the last is kept.
    links: Vec<Link>,
    /// The memory that has the links too, if other kernels share the object.
    shared: Option<SharedSync>,
}

impl SyncObject {
    /// A binary object that is signalled.
    pub(crate) fn signalled(clock: &Clock) -> SyncObject {
        SyncObject { links: vec![Link { point: 0, fence: Fence::signalled(clock) }], shared: None }
    }

    /// Shares it: an object without fences gets those of the memory, and the memory gets those of another.
    ///
    /// # Errors
    /// There are too many.
    pub(crate) fn share(&mut self, shared: SharedSync) -> Result<(), Errno> {
        let own = std::mem::take(&mut self.links);
        self.shared = Some(shared);
        match own.is_empty() {
            true => self.read(),
            false => self.change(&mut |links| links.clone_from(&own))?,
        }
        Ok(())
    }

    /// The memory that other kernels share.
    pub(crate) fn shared(&self) -> Option<&SharedSync> {
        self.shared.as_ref()
    }

    /// Takes over what other kernels have changed.
    pub(crate) fn read(&mut self) {
        if let Some(shared) = &mut self.shared {
            shared.read(&mut self.links);
        }
    }

    fn change(&mut self, apply: &mut dyn FnMut(&mut Vec<Link>)) -> Result<(), Errno> {
        match &mut self.shared {
            Some(shared) => shared.change(&mut self.links, apply)?,
            None => apply(&mut self.links),
        }
        Ok(())
    }

    /// Replaces all fences by binary ones.
    ///
    /// # Errors
    /// There are too many fences for the memory of a shared object.
    pub(crate) fn replace(&mut self, fences: impl IntoIterator<Item = Fence>) -> Result<(), Errno> {
        let new: Vec<Link> = fences.into_iter().map(|fence| Link { point: 0, fence }).collect();
        self.change(&mut |links| links.clone_from(&new))
    }

    /// Adds a point to the timeline, which is signalled after all the fences.
    ///
    /// # Errors
    /// As for [`SyncObject::replace`].
    pub(crate) fn add(&mut self, point: u64, fences: impl IntoIterator<Item = Fence>) -> Result<(), Errno> {
        let new: Vec<Link> = fences.into_iter().map(|fence| Link { point, fence }).collect();
        self.change(&mut |links| {
            let signalled = links.iter().take_while(|link| link.fence.is_signalled()).count();
            links.drain(..signalled.saturating_sub(1));
            links.extend_from_slice(&new);
        })
    }

    /// Removes all fences.
    ///
    /// # Errors
    /// As for [`SyncObject::replace`].
    pub(crate) fn reset(&mut self) -> Result<(), Errno> {
        self.change(&mut Vec::clear)
    }

    /// The fences before which a point is not signalled, those of point 0 being all; `None` if nothing was submitted
    /// that would signal it.
    pub(crate) fn fences(&self, point: u64) -> Option<impl Iterator<Item = &Fence>> {
        let reach = match point {
            0 => self.links.last()?.point,
            _ => self.links.iter().map(|link| link.point).find(|at| *at >= point)?,
        };
        let count = self.links.iter().rposition(|link| point == 0 || link.point == reach)?;
        Some(self.links.iter().take(count.saturating_add(1)).map(|link| &link.fence))
    }

    /// Whether the object, or the point of its timeline, is signalled.
    pub(crate) fn reached(&self, point: u64) -> bool {
        self.fences(point).is_some_and(|mut fences| fences.all(Fence::is_signalled))
    }

    /// The last point of the timeline that is signalled, or that was added.
    pub(crate) fn point(&self, added: bool) -> u64 {
        let counts = |link: &&Link| added || link.fence.is_signalled();
        self.links.iter().take_while(counts).map(|link| link.point).max().unwrap_or(0)
    }

    /// Commands that are complete if the object is signalled so far.
    pub(crate) fn join_clock(&self, point: u64, clock: &mut Clock) {
        let fences = self.fences(point).into_iter().flatten();
        fences.filter_map(Fence::clock).for_each(|other| clock.join(other));
    }
}

/// How to wait for several objects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    /// For all instead of for one.
    pub(crate) all: bool,
    /// Also for those that nothing was submitted for yet.
    pub(crate) for_submit: bool,
    /// Only for a submission, not for its completion.
    pub(crate) available: bool,
    pub(crate) deadline: Deadline,
    /// Nanoseconds of the monotonic clock.
    pub(crate) now: u64,
}

/// Waits; gives the number of the first object that is signalled.
pub(crate) fn wait(objects: &[(&SyncObject, u64)], waiting: Waiting) -> Result<Result<u32, Answer>, Errno> {
    let submitted = |(object, point): &(&SyncObject, u64)| object.fences(*point).is_some();
    let reached = |wanted: &(&SyncObject, u64)| match waiting.available {
        true => submitted(wanted),
        false => wanted.0.reached(wanted.1),
    };
    // Nothing was submitted that could signal it, and the caller does not wait for that.
    if !waiting.for_submit && !waiting.available && !objects.iter().all(submitted) {
        return Err(Errno::INVALID);
    }
    let first = objects.iter().position(reached);
    let done = if waiting.all { objects.iter().all(reached) } else { first.is_some() };
    if done {
        return Ok(Ok(first.unwrap_or(0) as u32));
    }
    if waiting.deadline <= waiting.now as i64 {
        return Err(Errno::TIME);
    }
    Ok(Err(Answer::Wait(waiting.deadline)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timeline(points: &[(u64, bool)]) -> SyncObject {
        let mut object = SyncObject::default();
        for (point, done) in points {
            let fence = Fence::default();
            if *done {
                fence.signal(&Clock::default(), false);
            }
            object.add(*point, [fence]).expect("it is not shared");
        }
        object
    }

    #[test]
    fn waiting_ends_when_enough_is_reached() {
        let (idle, busy) = (SyncObject::default(), timeline(&[(5, true)]));
        let (idle, busy) = (&idle, &busy);
        let waiting = Waiting { all: false, for_submit: true, available: false, deadline: 10, now: 3 };
        assert_eq!(wait(&[(idle, 0), (busy, 5)], waiting), Ok(Ok(1)));
        assert_eq!(wait(&[(idle, 0), (busy, 6)], waiting), Ok(Err(Answer::Wait(10))));
        assert_eq!(
            wait(&[(idle, 0), (busy, 5)], Waiting { all: true, now: 10, ..waiting }),
            Err(Errno::TIME)
        );
        assert_eq!(wait(&[(idle, 0)], Waiting { for_submit: false, ..waiting }), Err(Errno::INVALID));
        assert_eq!(wait(&[], Waiting { all: true, ..waiting }), Ok(Ok(0)));
    }

    #[test]
    fn a_point_is_signalled_after_all_before_it() {
        let object = timeline(&[(2, true), (4, false), (6, true)]);
        assert_eq!([1, 2, 3, 6, 7].map(|point| object.reached(point)), [true, true, false, false, false]);
        assert_eq!((object.point(false), object.point(true)), (2, 6));
        let twice = timeline(&[(2, true), (2, false), (4, true)]);
        assert_eq!([1, 2].map(|point| twice.reached(point)), [false; 2]);
        // Point 0 stands for the latest fence.
        assert!(!object.reached(0));
        let available = Waiting { all: true, for_submit: false, available: true, deadline: 0, now: 1 };
        assert_eq!(wait(&[(&object, 6)], available), Ok(Ok(0)));
        assert_eq!(wait(&[(&object, 7)], available), Err(Errno::TIME));
    }

    #[test]
    fn signalled_points_are_not_kept() {
        let mut object = timeline(&[(1, true), (2, true), (3, true), (4, false)]);
        assert_eq!(object.links.len(), 2);
        object.replace([Fence::default()]).expect("it is not shared");
        assert_eq!((object.links.len(), object.reached(0)), (1, false));
    }
}
