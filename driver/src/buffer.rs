//! Buffers: ranges of memory.

use std::sync::{Arc, OnceLock};

use crate::Error;
use crate::memory::Allocation;

/// A buffer.
pub struct Buffer {
    /// Bytes.
    pub bytes: u64,
    memory: OnceLock<(Arc<Allocation>, u64)>,
}

impl Buffer {
    /// Alignment of buffers in bytes.
    pub const ALIGNMENT: u64 = 256;

    /// A buffer without memory.
    pub fn new(bytes: u64) -> Buffer {
        Buffer { bytes, memory: OnceLock::new() }
    }

    /// The size and alignment of the memory that it needs.
    pub fn requirements(&self) -> (u64, u64) {
        (self.bytes.next_multiple_of(Self::ALIGNMENT), Self::ALIGNMENT)
    }

    /// Binds memory from byte `offset` on.
    ///
    /// # Errors
    /// It already has memory.
    pub fn bind(&self, memory: Arc<Allocation>, offset: u64) -> Result<(), Error> {
        self.memory.set((memory, offset)).map_err(|_| Error::Invalid { what: "a buffer is bound twice" })
    }

    /// Its first address; 0 without memory.
    #[inline]
    pub fn address(&self) -> u64 {
        self.memory.get().map_or(0, |(memory, offset)| memory.address + offset)
    }

    /// Address and length of `bytes` bytes from `offset` on, or of all that follow.
    #[inline]
    pub fn range(&self, offset: u64, bytes: u64) -> (u64, u64) {
        let rest = self.bytes.saturating_sub(offset);
        (self.address() + offset, bytes.min(rest))
    }
}
