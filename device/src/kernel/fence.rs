//! Fences: each is signalled once.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::order::Clock;

/// What a signalled fence says.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Signal {
    /// Commands that are complete.
    clock: Clock,
    /// The work before it ended early.
    failed: bool,
}

/// Called once with whether the work before the signal ended early.
pub(crate) type Listener = Box<dyn FnOnce(bool) + Send>;

#[derive(Default)]
struct Inner {
    signal: OnceLock<Signal>,
    listeners: Mutex<Vec<Listener>>,
}

/// A fence; copies are the same fence.
#[derive(Clone, Default)]
pub(crate) struct Fence(Arc<Inner>);

impl fmt::Debug for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Fence").field(&self.0.signal.get()).finish()
    }
}

impl Fence {
    /// A fence that is signalled after the commands in `clock`.
    pub(crate) fn signalled(clock: &Clock) -> Fence {
        let fence = Fence::default();
        fence.signal(clock, false);
        fence
    }

    /// A fence that is signalled after all of these.
    pub(crate) fn after_all(fences: &[Fence]) -> Fence {
        let all = Fence::default();
        if fences.is_empty() {
            all.signal(&Clock::default(), false);
        }
        let left = Arc::new(Mutex::new((fences.len(), false)));
        for fence in fences {
            let (all, left) = (all.clone(), left.clone());
            fence.listen(Box::new(move |failed| {
                let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
                *left = (left.0.saturating_sub(1), left.1 || failed);
                if left.0 == 0 {
                    all.signal(&Clock::default(), left.1);
                }
            }));
        }
        all
    }

    /// Signals it; a fence that is signalled already stays as it is.
    pub(crate) fn signal(&self, clock: &Clock, failed: bool) {
        if self.0.signal.set(Signal { clock: clock.clone(), failed }).is_ok() {
            let listeners = self.0.listeners.lock().map(|mut list| std::mem::take(&mut *list));
            listeners.into_iter().flatten().for_each(|listener| listener(failed));
        }
    }

    /// Calls `listener` when the fence is signalled, which is now if it is.
    pub(crate) fn listen(&self, listener: Listener) {
        match self.0.signal.get() {
            Some(signal) => listener(signal.failed),
            None => self.0.listeners.lock().unwrap_or_else(PoisonError::into_inner).push(listener),
        }
    }

    /// Whether two are the same fence.
    pub(crate) fn is(&self, other: &Fence) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn is_signalled(&self) -> bool {
        self.0.signal.get().is_some()
    }

    /// The commands that are complete; `None` before the signal.
    pub(crate) fn clock(&self) -> Option<&Clock> {
        self.0.signal.get().map(|signal| &signal.clock)
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.0.signal.get().is_some_and(|signal| signal.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_after_others_is_signalled_last_and_fails_with_any() {
        let fences = [(); 3].map(|()| Fence::default());
        let all = Fence::after_all(&fences);
        for (at, fence) in fences.iter().enumerate() {
            assert!(!all.is_signalled());
            fence.signal(&Clock::default(), at == 1);
        }
        assert!(all.is_signalled() && all.has_failed());
        assert!(Fence::after_all(&[]).is_signalled());
        assert!(Fence::after_all(&fences).has_failed());
    }
}
