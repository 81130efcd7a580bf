//! A state that threads change and wait for.
//!
//! `driver/loom` includes this file and runs it in every order of its steps, with other `primitives`.

use std::sync::PoisonError;
use std::time::Duration;

use super::primitives::{AtomicBool, Condvar, Mutex, MutexGuard, Ordering};

/// A state with its lock, and whether its threads are to end.
pub(crate) struct Waits<T> {
    state: Mutex<T>,
    changed: Condvar,
    ends: AtomicBool,
}

impl<T> Waits<T> {
    pub(crate) fn new(state: T) -> Waits<T> {
        Waits { state: Mutex::new(state), changed: Condvar::new(), ends: AtomicBool::new(false) }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes those that wait, for whoever has changed the state and has the lock or had it since.
    pub(crate) fn notify(&self) {
        self.changed.notify_all();
    }

    /// Wakes those that wait, after a change that was made without the lock.
    pub(crate) fn notify_after_change(&self) {
        // The lock orders this notification after the tests of those that are about to sleep.
        drop(self.lock());
        self.changed.notify_all();
    }

    /// Sleeps until a notification.
    pub(crate) fn sleep<'t>(&self, state: MutexGuard<'t, T>) -> MutexGuard<'t, T> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Sleeps until a notification, or for this time.
    pub(crate) fn sleep_for<'t>(&self, state: MutexGuard<'t, T>, time: Duration) -> MutexGuard<'t, T> {
        self.changed.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Lets the threads end.
    pub(crate) fn end(&self) {
        self.ends.store(true, Ordering::Relaxed);
        self.notify_after_change();
    }

    /// Whether the threads are to end. They ask with the lock before they sleep.
    pub(crate) fn ends(&self) -> bool {
        self.ends.load(Ordering::Relaxed)
    }
}
