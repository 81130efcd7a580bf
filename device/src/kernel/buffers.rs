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
#[derive(Clone, Copy, Debug, Default)]
pub struct Heap {
    next: u64,
}

impl Allocator for Heap {
    fn allocate(&mut self, bytes: u64) -> Result<(Arc<dyn Words>, u64), Errno> {
        let words: Box<[AtomicU32]> = (0..bytes / 4).map(|_| AtomicU32::new(0)).collect();
        self.next += 1;
        Ok((Arc::new(words), self.next))
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
