//! Locks and atomic words of [`crate::waits`], for which `driver/loom` has others.

pub(crate) use std::sync::atomic::{AtomicBool, Ordering};
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
