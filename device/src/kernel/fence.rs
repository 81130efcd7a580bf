//! Fences: each is signalled once.

use std::sync::{Arc, OnceLock};

use super::order::Clock;

/// What a signalled fence says.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Signal {
    /// Commands that are complete.
    clock: Clock,
    /// The work before it ended early.
    failed: bool,
}

/// A fence; copies are the same fence.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fence(Arc<OnceLock<Signal>>);

impl Fence {
    /// A fence that is signalled after the commands in `clock`.
    pub(crate) fn signalled(clock: &Clock) -> Fence {
        let fence = Fence::default();
        fence.signal(clock, false);
        fence
    }

    /// Signals it; a fence that is signalled already stays as it is.
    pub(crate) fn signal(&self, clock: &Clock, failed: bool) {
        // The first signal counts.
        let _ = self.0.set(Signal { clock: clock.clone(), failed });
    }

    pub(crate) fn is_signalled(&self) -> bool {
        self.0.get().is_some()
    }

    /// The commands that are complete; `None` before the signal.
    pub(crate) fn clock(&self) -> Option<&Clock> {
        self.0.get().map(|signal| &signal.clock)
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.0.get().is_some_and(|signal| signal.failed)
    }
}
