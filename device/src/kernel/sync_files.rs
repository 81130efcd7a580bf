//! Sync objects and fences as descriptors, for whoever hands them to programs.

use super::fence::Fence;
use super::{Errno, Kernel};

/// Exports and imports of a kernel's sync objects.
pub struct SyncFiles<'k> {
    pub(super) kernel: &'k mut Kernel,
}

impl SyncFiles<'_> {
    /// Signals a sync object with an imported fence, which is treated as a fence of everything submitted so far.
    ///
    /// # Errors
    /// [`Errno::NOT_FOUND`]: no sync object has this handle.
    pub fn import_fence(&mut self, handle: u32) -> Result<(), Errno> {
        let fence = Fence::signalled(self.kernel.order.issued());
        self.kernel.tables.syncs.get_mut(handle)?.replace([fence]);
        Ok(())
    }

    /// A key for the sync object of a handle, with which [`SyncFiles::import`] makes further handles for it.
    ///
    /// # Errors
    /// [`Errno::NOT_FOUND`]: no sync object has this handle.
    pub fn export(&mut self, handle: u32) -> Result<u32, Errno> {
        self.kernel.tables.syncs.export(handle)
    }

    /// Ends the life of an export, of which no descriptor is left.
    ///
    /// # Errors
    /// [`Errno::NOT_FOUND`]: no sync object has this key.
    pub fn release(&mut self, key: u32) -> Result<(), Errno> {
        self.kernel.tables.syncs.release(key)
    }

    /// A new handle for an exported sync object.
    ///
    /// # Errors
    /// [`Errno::NOT_FOUND`]: no sync object has this key.
    pub fn import(&mut self, key: u32) -> Result<u32, Errno> {
        self.kernel.tables.syncs.import(key)
    }
}
