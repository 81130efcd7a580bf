//! Memory files: the node itself, and buffers.

use std::ffi::{CStr, c_int};
use std::mem::MaybeUninit;

use libc::stat as Stat;

use crate::{fail, system};

/// Major number of graphics devices, and the minor number of the first render node.
const DEVICE: [u32; 2] = [226, 128];
/// Length of the node's file. Buffers never have it, because their sizes are multiples of pages.
const NODE_BYTES: i64 = 226_128;
/// Permission bits of the node's file, an unusual combination.
const NODE_MODE: u32 = 0o6171;

/// A new memory file with this length; −1 on failure.
pub fn create(name: &CStr, bytes: i64) -> c_int {
    // SAFETY: the name is a C string; the descriptor is new and ours.
    unsafe {
        let fd = system(libc::SYS_memfd_create, [name.as_ptr() as i64, libc::MFD_CLOEXEC.into(), 0, 0, 0, 0])
            as c_int;
        if fd >= 0 && libc::ftruncate(fd, bytes) != 0 {
            libc::close(fd);
            return fail(libc::ENOMEM);
        }
        fd
    }
}

/// A new descriptor of the node.
pub fn node() -> c_int {
    let fd = create(c"agx-device", NODE_BYTES);
    if fd >= 0 {
        // SAFETY: the descriptor is ours. The mode only marks the file.
        unsafe { libc::fchmod(fd, NODE_MODE) };
    }
    fd
}

/// `fstat` without special treatment of the node.
///
/// # Safety
/// `into` can be written.
pub unsafe fn plain_stat(fd: c_int, into: *mut Stat) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { system(libc::SYS_fstat, [fd.into(), into as i64, 0, 0, 0, 0]) as c_int }
}

/// The system's number of a file.
pub fn inode(fd: c_int) -> Option<u64> {
    information(fd).map(|found| found.st_ino)
}

/// Length of a file.
pub fn length(fd: c_int) -> Option<u64> {
    information(fd).map(|found| found.st_size as u64)
}

fn information(fd: c_int) -> Option<Stat> {
    let mut found = MaybeUninit::<Stat>::zeroed();
    // SAFETY: all zeros is a value of the structure, and the call writes it when it succeeds.
    unsafe { (plain_stat(fd, found.as_mut_ptr()) == 0).then(|| found.assume_init()) }
}

/// Whether a descriptor is one of the node.
pub fn is_node(fd: c_int) -> bool {
    information(fd).is_some_and(|found| found.st_size == NODE_BYTES && found.st_mode & 0o7777 == NODE_MODE)
}

/// Fills the structure as for a render node.
///
/// # Safety
/// `into` can be written.
pub unsafe fn describe_node(into: *mut Stat) {
    // SAFETY: the caller's promise; all zeros is a value of the structure.
    unsafe {
        let mut found: Stat = std::mem::zeroed();
        found.st_mode = libc::S_IFCHR | 0o666;
        found.st_rdev = libc::makedev(DEVICE[0], DEVICE[1]);
        found.st_nlink = 1;
        found.st_ino = NODE_BYTES as u64;
        *into = found;
    }
}
