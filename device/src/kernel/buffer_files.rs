//! Buffers that have owners beside a handle: open nodes, descriptors, other clients.

use std::collections::BTreeSet;
use std::sync::Arc;

use agx_emulator::Words;

use super::buffers::Buffer;
use super::{Errno, Kernel};

/// Exports and imports of a kernel's buffers.
pub struct BufferFiles<'k> {
    pub(super) kernel: &'k mut Kernel,
}

impl BufferFiles<'_> {
    /// The memory of a buffer, and the allocator's token of it.
    pub fn memory(&self, handle: u32) -> Option<(Arc<dyn Words>, u64)> {
        self.kernel.tables.buffers.get(handle).ok().map(|buffer| (buffer.words.clone(), buffer.token))
    }

    /// A new handle for memory that other handles may have too; closing it leaves theirs.
    pub fn adopt(&mut self, token: u64, words: Arc<dyn Words>) -> u32 {
        let bytes = (words.words().len() as u64).saturating_mul(4);
        let owners = BTreeSet::new();
        self.kernel.tables.buffers.insert(Buffer { words, bytes, token, owners, private: None })
    }

    /// A handle for imported memory; the same token has the same handle. `file` is the open node that imports it: the handles
    /// of all files are in one table, and each file closes its own.
    pub fn import(&mut self, token: u64, words: Arc<dyn Words>, file: u64) -> u32 {
        let known = self.kernel.tables.buffers.find(|buffer| buffer.token == token);
        let handle = known.unwrap_or_else(|| self.adopt(token, words));
        if let Ok(buffer) = self.kernel.tables.buffers.get_mut(handle) {
            buffer.owners.insert(file);
        }
        handle
    }

    /// Exports a buffer of a file: returns the allocator's token.
    ///
    /// # Errors
    /// [`Errno::NOT_FOUND`]: no buffer has this handle. [`Errno::INVALID`]: the buffer is private to an address space.
    pub fn export(&mut self, handle: u32, file: u64) -> Result<u64, Errno> {
        let buffer = self.kernel.tables.buffers.get_mut(handle)?;
        if buffer.private.is_some() {
            return Err(Errno::INVALID);
        }
        buffer.owners.insert(file);
        Ok(buffer.token)
    }

    /// Closes the handle of a file.
    ///
    /// # Errors
    /// [`Errno::INVALID`]: no buffer has this handle.
    pub fn close(&mut self, handle: u32, file: u64) -> Result<(), Errno> {
        let buffers = &mut self.kernel.tables.buffers;
        // The framework has this error for unknown buffers.
        let buffer = buffers.get_mut(handle).map_err(|_| Errno::INVALID)?;
        buffer.owners.remove(&file);
        if buffer.owners.is_empty() {
            buffers.remove(handle)?;
        }
        Ok(())
    }
}
