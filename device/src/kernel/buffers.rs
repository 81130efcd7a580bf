//! Buffers: where their memory comes from.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use agx_emulator::Words;

use super::Errno;

/// Bytes of a page of the device.
pub(crate) const PAGE: u64 = 0x4000;
/// Mapping offsets have the handle from this bit on.
pub(crate) const MAP_SHIFT: u32 = 36;

/// Gives memory for buffers.
pub trait Allocator: Send {
    /// Memory of `bytes` bytes, a multiple of a page, zero, and a number by which the allocator knows it.
    ///
    /// # Errors
    /// [`Errno::NO_MEMORY`].
    fn allocate(&mut self, bytes: u64) -> Result<(Arc<dyn Words>, u64), Errno>;
}

/// Memory of the process, which nobody else maps.
#[derive(Clone, Copy, Debug)]
pub struct Heap {
    last: u64,
    /// Most bytes of a buffer.
    limit: u64,
}

impl Heap {
    /// Gives buffers of at most `limit` bytes.
    pub fn new(limit: u64) -> Heap {
        Heap { last: 0, limit }
    }
}

impl Default for Heap {
    /// Buffers of at most 8 GiB, as much memory as the smallest machine with this hardware has.
    fn default() -> Self {
        Heap::new(8 << 30)
    }
}

impl Allocator for Heap {
    fn allocate(&mut self, bytes: u64) -> Result<(Arc<dyn Words>, u64), Errno> {
        if bytes > self.limit {
            return Err(Errno::NO_MEMORY);
        }
        let count = usize::try_from(bytes / 4).map_err(|_| Errno::NO_MEMORY)?;
        let mut words: Vec<AtomicU32> = Vec::new();
        words.try_reserve_exact(count).map_err(|_| Errno::NO_MEMORY)?;
        words.resize_with(count, AtomicU32::default);
        self.last += 1;
        Ok((Arc::new(words.into_boxed_slice()), self.last))
    }
}

/// A buffer.
#[derive(Clone)]
pub(crate) struct Buffer {
    pub(crate) words: Arc<dyn Words>,
    pub(crate) bytes: u64,
    /// The allocator's number.
    pub(crate) token: u64,
    /// Others know the buffer by other names.
    pub(crate) shared: bool,
}
