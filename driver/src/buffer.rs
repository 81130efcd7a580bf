//! Buffers: ranges of memory.

use std::sync::{Arc, OnceLock};

use crate::Error;
use crate::gpu::PAGE;
use crate::memory::{Allocation, Space};
use crate::reserved::{Backing, Reserved};

/// A buffer.
pub struct Buffer {
    /// Bytes.
    pub bytes: u64,
    backing: OnceLock<Backing>,
}

impl Buffer {
    /// Alignment of buffers in bytes.
    pub const ALIGNMENT: u64 = 256;

    /// A buffer without memory.
    pub fn new(bytes: u64) -> Buffer {
        Buffer { bytes, backing: OnceLock::new() }
    }

    /// A buffer whose pages are bound one by one.
    ///
    /// # Errors
    /// Out of memory or addresses.
    pub fn sparse(bytes: u64, space: &Arc<Space>) -> Result<Buffer, Error> {
        let reserved = Arc::new(Reserved::new(space, bytes, Vec::new())?);
        Ok(Buffer { bytes, backing: Backing::Sparse(reserved).into() })
    }

    /// The size and alignment of the memory that a buffer of `bytes` bytes needs.
    pub fn requirements_of(bytes: u64, is_sparse: bool) -> (u64, u64) {
        let alignment = if is_sparse { PAGE } else { Self::ALIGNMENT };
        (bytes.next_multiple_of(alignment), alignment)
    }

    /// The size and alignment of the memory that it needs.
    pub fn requirements(&self) -> (u64, u64) {
        Self::requirements_of(self.bytes, self.reserved().is_some())
    }

    /// The addresses whose pages are bound one by one.
    pub fn reserved(&self) -> Option<&Arc<Reserved>> {
        self.backing.get()?.reserved()
    }

    /// Binds memory from byte `offset` on.
    ///
    /// # Errors
    /// It already has memory.
    pub fn bind(&self, memory: Arc<Allocation>, offset: u64) -> Result<(), Error> {
        let bound = self.backing.set(Backing::Memory(memory, offset));
        bound.map_err(|_| Error::Invalid { what: "a buffer is bound twice" })
    }

    /// Its first address; 0 without memory.
    #[inline]
    pub fn address(&self) -> u64 {
        self.backing.get().map_or(0, Backing::address)
    }

    /// Address and length of `bytes` bytes from `offset` on, or of all that follow.
    #[inline]
    pub fn range(&self, offset: u64, bytes: u64) -> (u64, u64) {
        let rest = self.bytes.saturating_sub(offset);
        (self.address() + offset, bytes.min(rest))
    }
}
