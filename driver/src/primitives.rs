//! Atomic words of [`crate::poll`], for which `driver/loom` has others.

pub(crate) use std::sync::atomic::{AtomicU32, Ordering, fence};
