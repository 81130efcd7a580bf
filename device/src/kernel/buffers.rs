//! Buffers and their memory.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use agx_emulator::Words;

use super::Errno;

/// Bytes of a page of the device.
pub(crate) const PAGE: u64 = 0x4000;
/// First bit of the handle in mapping offsets.
pub(crate) const MAP_SHIFT: u32 = 36;

/// Allocates memory for buffers.
pub trait Allocator: Send {
    /// `bytes` bytes of zeroed memory, a multiple of a page, and a token by which the allocator identifies it.
    ///
    /// # Errors
    /// [`Errno::NO_MEMORY`].
    fn allocate(&mut self, bytes: u64) -> Result<(Arc<dyn Words>, u64), Errno>;
}

/// Memory of the process, which is not mapped elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Heap {
    last: u64,
    /// Maximum size of a buffer in bytes.
    limit: u64,
}

impl Heap {
    /// Allocates buffers of at most `limit` bytes.
    pub fn new(limit: u64) -> Heap {
        Heap { last: 0, limit }
    }
}

impl Default for Heap {
    /// Buffers of at most 8 GiB, the memory of the smallest computer with this hardware.
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
        self.last = self.last.wrapping_add(1);
        Ok((Arc::new(words.into_boxed_slice()), self.last))
    }
}

/// A buffer.
#[derive(Clone)]
pub(crate) struct Buffer {
    pub(crate) words: Arc<dyn Words>,
    pub(crate) bytes: u64,
    /// The allocator's token.
    pub(crate) token: u64,
    /// The files that have the handle, once it was exported or imported.
    pub(crate) owners: BTreeSet<u64>,
    /// The address space that alone can bind it; it cannot be exported.
    pub(crate) private: Option<u32>,
}
