//! Sync objects and fences as descriptors, for whoever hands them to programs.

use std::sync::Arc;

use super::fence::Fence;
use super::order::Clock;
use super::sync::SyncObject;
use super::sync_memory::{SharedSync, SyncMemory};
use super::{Errno, Kernel};

/// The fence of a descriptor, to be signalled by [`SyncFiles::signal`].
pub struct Imported {
    fence: Fence,
    clock: Clock,
}

/// Exports and imports of a kernel's sync objects.
pub struct SyncFiles<'k> {
    pub(super) kernel: &'k mut Kernel,
}

impl SyncFiles<'_> {
    /// Replaces the fences of a sync object by an imported one, which is treated as a fence of everything submitted so far.
    ///
    /// # Errors
    /// [`Errno::NOT_FOUND`]: no sync object has this handle.
    pub fn import_fence(&mut self, handle: u32) -> Result<Imported, Errno> {
        let fence = Fence::default();
        self.kernel.tables.syncs.get_mut(handle)?.replace([fence.clone()])?;
        Ok(Imported { fence, clock: self.kernel.order.issued().clone() })
    }

    /// Signals an imported fence. Waits end after a call of [`crate::Node::notify`].
    pub fn signal(&mut self, imported: Imported, failed: bool) {
        imported.fence.signal(&imported.clock, failed);
    }

    /// Calls `listener` when the fences of a sync object are signalled, which may be now, with whether work before them ended
    /// early. It must not call the kernel.
    ///
    /// # Errors
    /// [`Errno::NOT_FOUND`]: no sync object has this handle. [`Errno::INVALID`]: nothing will signal it.
    pub fn on_signal(
        &mut self,
        handle: u32,
        listener: impl FnOnce(bool) + Send + 'static,
    ) -> Result<(), Errno> {
        let fences = self.kernel.tables.syncs.get(handle)?.fences(0).ok_or(Errno::INVALID)?;
        let fences: Vec<Fence> = fences.cloned().collect();
        Fence::after_all(&fences).listen(Box::new(listener));
        Ok(())
    }

    /// The memory of a sync object that other processes share, and its token; `None` before [`SyncFiles::share`].
    ///
    /// # Errors
    /// [`Errno::NOT_FOUND`]: no sync object has this handle.
    pub fn shared(&self, handle: u32) -> Result<Option<(Arc<dyn SyncMemory>, u64)>, Errno> {
        let shared = self.kernel.tables.syncs.get(handle)?.shared();
        Ok(shared.map(|shared| (shared.memory().clone(), shared.token())))
    }

    /// Moves a sync object to memory that other processes share.
    ///
    /// # Errors
    /// [`Errno::NOT_FOUND`]: no sync object has this handle. [`Errno::NO_MEMORY`]: it has too many fences.
    pub fn share(&mut self, handle: u32, memory: Arc<dyn SyncMemory>, token: u64) -> Result<(), Errno> {
        self.kernel.shares_syncs = true;
        self.kernel.tables.syncs.get_mut(handle)?.share(SharedSync::new(memory, token))
    }

    /// A new handle for the sync object with this token, if the kernel has it.
    ///
    /// # Errors
    /// [`Errno::NOT_FOUND`]: it does not.
    pub fn import_shared(&mut self, token: u64) -> Result<u32, Errno> {
        let is = |object: &SyncObject| object.shared().is_some_and(|shared| shared.token() == token);
        let key = self.kernel.tables.syncs.find(is).ok_or(Errno::NOT_FOUND)?;
        self.kernel.tables.syncs.import(key)
    }

    /// A handle for a sync object of another process.
    ///
    /// # Errors
    /// As for [`SyncFiles::share`].
    pub fn adopt_shared(&mut self, memory: Arc<dyn SyncMemory>, token: u64) -> Result<u32, Errno> {
        let handle = self.kernel.tables.syncs.insert(SyncObject::default());
        self.share(handle, memory, token).map(|()| handle)
    }

    /// Takes over what other processes have changed, and ends the fences of processes that have ended.
    pub fn read_shared(&mut self) {
        self.kernel.tables.syncs.for_each(|object| {
            object.read();
            object.shared().into_iter().for_each(SharedSync::bury);
            object.read();
        });
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
