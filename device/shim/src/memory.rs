//! Memory of buffers: files that both the program and the device map.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex};

use agx_device::kernel::{Allocator, Errno};
use agx_device::words::Words;

use crate::files;

/// A buffer's file, mapped by the device.
pub struct Mapped {
    words: *const AtomicU32,
    len: usize,
    fd: c_int,
}

// SAFETY: the pointer is to a mapping that this object owns; its atomic words can be shared between threads.
unsafe impl Send for Mapped {}
// SAFETY: as above.
unsafe impl Sync for Mapped {}

impl Mapped {
    /// Maps a file, which stays open during the lifetime of this object.
    pub fn new(fd: c_int) -> Option<Mapped> {
        let bytes = files::length(fd)? as usize;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping of a whole file, at an address that the system chooses.
        let address = unsafe {
            crate::system(
                libc::SYS_mmap,
                [0, bytes as i64, protection.into(), libc::MAP_SHARED.into(), fd.into(), 0],
            )
        };
        (address > 0).then_some(Mapped { words: address as *const AtomicU32, len: bytes / 4, fd })
    }

    /// The file.
    pub fn file(&self) -> c_int {
        self.fd
    }
}

impl Words for Mapped {
    fn words(&self) -> &[AtomicU32] {
        // SAFETY: the mapping has this number of words, is aligned to a page, and lives as long as this object. The
        // program may change the words concurrently, which atomic words allow.
        unsafe { std::slice::from_raw_parts(self.words, self.len) }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: this object owns the mapping and the descriptor, and no references to the mapping remain.
        unsafe {
            libc::munmap(self.words as *mut _, self.len * 4);
            libc::close(self.fd);
        }
    }
}

/// Every buffer's memory, by the number of its file.
static MEMORY: Mutex<BTreeMap<u64, std::sync::Weak<Mapped>>> = Mutex::new(BTreeMap::new());

fn with_memory<R>(run: impl FnOnce(&mut BTreeMap<u64, std::sync::Weak<Mapped>>) -> R) -> R {
    run(&mut MEMORY.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

/// The file of a buffer.
pub fn file(token: u64) -> Option<c_int> {
    with_memory(|memory| memory.get(&token).and_then(|mapped| mapped.upgrade()).map(|mapped| mapped.file()))
}

/// The memory of an imported descriptor, and the number of its file.
pub fn import(fd: c_int) -> Option<(Arc<Mapped>, u64)> {
    let token = files::inode(fd)?;
    if let Some(known) = with_memory(|memory| memory.get(&token).and_then(|mapped| mapped.upgrade())) {
        return Some((known, token));
    }
    // SAFETY: duplicating a descriptor has no further conditions.
    let copy = unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 0) };
    let mapped = Arc::new(Mapped::new(copy)?);
    with_memory(|memory| memory.insert(token, Arc::downgrade(&mapped)));
    Some((mapped, token))
}

/// Allocates files as memory of buffers.
pub struct Files;

impl Allocator for Files {
    fn allocate(&mut self, bytes: u64) -> Result<(Arc<dyn Words>, u64), Errno> {
        let fd = files::create(files::BUFFER, bytes as i64);
        let token = files::inode(fd).ok_or(Errno::NO_MEMORY)?;
        let mapped = Arc::new(Mapped::new(fd).ok_or(Errno::NO_MEMORY)?);
        with_memory(|memory| memory.insert(token, Arc::downgrade(&mapped)));
        Ok((mapped, token))
    }
}
