//! Words of memory that tell the processor that other memory is complete.
//!
//! `driver/loom` includes this file and runs it in every order of its steps, with other `primitives`.

use super::primitives::{AtomicU32, Ordering, fence};

/// Whether the word is set. What was stored before it was set is read after it, also with relaxed loads.
pub(crate) fn is_set(word: &AtomicU32) -> bool {
    let is_set = word.load(Ordering::Relaxed) != 0;
    fence(Ordering::Acquire);
    is_set
}
