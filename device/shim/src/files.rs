//! Memory files: the node itself, and buffers.

use std::ffi::{CStr, c_int};
use std::mem::MaybeUninit;

use libc::stat as Stat;

use crate::{fail, system};

/// Major number of graphics devices, and the minor number of the first render node.
const DEVICE: [u32; 2] = [226, 128];
/// Length of the node's file. Buffers never have it, because their sizes are multiples of pages.
const NODE_BYTES: i64 = 226_128;
/// Length of the file of a sync object, which has room for its words.
const SYNC_BYTES: i64 = 226_132;
const _: () = assert!(SYNC_BYTES as usize / 4 >= agx_device::kernel::SYNC_WORDS);
/// Permission bits of these files, an unusual combination.
const MODE: u32 = 0o6171;

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
    marked(c"agx-device", NODE_BYTES)
}

/// A new descriptor of a sync object, without fences.
pub fn sync() -> c_int {
    marked(c"agx-sync", SYNC_BYTES)
}

fn marked(name: &CStr, bytes: i64) -> c_int {
    let fd = create(name, bytes);
    if fd >= 0 {
        mark(fd);
    }
    fd
}

/// Marks a file of this library.
pub fn mark(fd: c_int) {
    // SAFETY: the descriptor is ours. The mode only marks the file.
    unsafe { libc::fchmod(fd, MODE) };
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

/// What a descriptor stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The node.
    Node,
    /// A sync object, of this process or another.
    Sync,
    /// A fence.
    Fence,
    /// A file of the program.
    Other,
}

/// What a descriptor stands for.
pub fn kind(fd: c_int) -> Kind {
    match information(fd) {
        Some(found) if found.st_mode & 0o7777 == MODE => {
            match (found.st_mode & libc::S_IFMT, found.st_size) {
                (libc::S_IFSOCK, _) => Kind::Fence,
                (libc::S_IFREG, NODE_BYTES) => Kind::Node,
                (libc::S_IFREG, SYNC_BYTES) => Kind::Sync,
                _ => Kind::Other,
            }
        }
        _ => Kind::Other,
    }
}

/// The name of memory files of buffers, and how the system shows it.
pub const BUFFER: &CStr = c"agx-buffer";
const BUFFER_LINK: &str = "/memfd:agx-buffer (deleted)";

/// Whether a descriptor is one of a buffer, of this process or another.
pub fn is_buffer(fd: c_int) -> bool {
    std::fs::read_link(format!("/proc/self/fd/{fd}")).is_ok_and(|link| link.as_os_str() == BUFFER_LINK)
}

/// Whether a descriptor is one of the node.
pub fn is_node(fd: c_int) -> bool {
    kind(fd) == Kind::Node
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
