//! Counts the instructions that passes visit, and calls the cancellation callback at intervals.
//!
//! On cancellation the stack unwinds with [`Stopped`]; `crate::stopping` turns it into an error.

use std::cell::Cell;
use std::panic::{RefUnwindSafe, UnwindSafe, resume_unwind};
use std::rc::Rc;
use std::sync::Arc;

/// A cancellation callback: returns whether to stop.
pub type ShouldStop = Arc<dyn Fn() -> bool + Send + Sync + UnwindSafe + RefUnwindSafe>;

/// Visited instructions between two calls of the callback.
const STRIDE: usize = 256;

/// Number of instructions that cheap loops count at once.
pub const CHUNK: usize = 64;

/// The payload of the unwinding.
pub struct Stopped;

/// Counts visited instructions and calls the callback. Clones share the count.
#[derive(Clone, Default)]
pub struct Watch {
    /// `None` without a callback, which makes counting nearly free.
    callback: Option<Rc<Callback>>,
}

struct Callback {
    /// Remaining instructions until the next call.
    left: Cell<usize>,
    should_stop: ShouldStop,
}

impl Callback {
    #[cold]
    fn count(&self, work: usize) {
        match self.left.get().checked_sub(work) {
            Some(left) => self.left.set(left),
            None => {
                self.left.set(STRIDE);
                if (self.should_stop)() {
                    resume_unwind(Box::new(Stopped));
                }
            }
        }
    }
}

impl Watch {
    /// A watch with a callback, if the stack can be unwound.
    pub fn new(should_stop: Option<ShouldStop>) -> Self {
        let should_stop = should_stop.filter(|_| cfg!(panic = "unwind"));
        let callback =
            should_stop.map(|should_stop| Rc::new(Callback { left: Cell::new(STRIDE), should_stop }));
        Watch { callback }
    }

    /// Counts `work`, in visited instructions or equivalent effort.
    ///
    /// Unwinds with [`Stopped`] if the callback requests it.
    #[inline]
    pub fn visit(&self, work: usize) {
        if let Some(callback) = &self.callback {
            callback.count(work);
        }
    }

    /// Whether there is a callback.
    pub fn is_on(&self) -> bool {
        self.callback.is_some()
    }
}
