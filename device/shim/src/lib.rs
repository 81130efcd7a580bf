//! A library to preload, with which a program that looks for a GPU finds the device as `/dev/dri/renderD128`.
//!
//! It overrides the C library's `open`, `stat`, `mmap` and `ioctl`, and libdrm's search for devices. A descriptor of
//! the node is a memory file with distinctive properties, so that copies made by `dup` or passed to other processes are
//! recognised without bookkeeping. Buffers are memory files too, mapped by both the program and the device, so nothing
//! is copied. The environment variables `AGX_DEVICE_*`, which `agxc device` sets, select the reports.

mod buffer;
mod drm;
mod fence;
mod files;
mod memory;
mod node;
mod sync;

use std::ffi::{CStr, c_char, c_int, c_long, c_ulong, c_void};

use libc::{mode_t, off_t, size_t, stat as Stat};

/// The path of the render node.
pub(crate) const NODE: &CStr = c"/dev/dri/renderD128";

/// Sets the C library's error number and returns −1.
pub(crate) fn fail(errno: i32) -> c_int {
    // SAFETY: the C library's error number is local to the thread.
    unsafe { *libc::__errno_location() = errno };
    -1
}

/// A system call that bypasses the C library's functions, which this library overrides. All arguments are whole words,
/// because arguments of a variadic function are not widened.
///
/// # Safety
/// As for the system call.
pub(crate) unsafe fn system(number: c_long, arguments: [i64; 6]) -> c_long {
    let [a, b, c, d, e, f] = arguments;
    // SAFETY: the caller's promise.
    unsafe { libc::syscall(number, a, b, c, d, e, f) }
}

/// Whether a path is that of the node.
///
/// # Safety
/// `path` is null or a C string.
unsafe fn is_node(path: *const c_char) -> bool {
    // SAFETY: the caller gives a C string.
    !path.is_null() && unsafe { CStr::from_ptr(path) } == NODE
}

/// # Safety
/// As the C library's `open`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open(path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    // SAFETY: the caller follows the rules of `open`.
    unsafe {
        match is_node(path) {
            true => files::node(),
            false => system(
                libc::SYS_openat,
                [libc::AT_FDCWD as i64, path as i64, flags.into(), mode.into(), 0, 0],
            ) as c_int,
        }
    }
}

/// # Safety
/// As the C library's `open64`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open64(path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    // SAFETY: the same function on this machine.
    unsafe { open(path, flags, mode) }
}

/// # Safety
/// As the C library's `stat`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stat(path: *const c_char, into: *mut Stat) -> c_int {
    // SAFETY: the caller follows the rules of `stat`.
    unsafe {
        if is_node(path) {
            files::describe_node(into);
            return 0;
        }
        system(libc::SYS_newfstatat, [libc::AT_FDCWD as i64, path as i64, into as i64, 0, 0, 0]) as c_int
    }
}

/// # Safety
/// As the C library's `stat64`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stat64(path: *const c_char, into: *mut Stat) -> c_int {
    // SAFETY: the same function on this machine.
    unsafe { stat(path, into) }
}

/// # Safety
/// As the C library's `fstat`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fstat(fd: c_int, into: *mut Stat) -> c_int {
    // SAFETY: the caller follows the rules of `fstat`.
    unsafe {
        let found = files::plain_stat(fd, into);
        if found == 0 && files::is_node(fd) {
            files::describe_node(into);
        }
        found
    }
}

/// # Safety
/// As the C library's `fstat64`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fstat64(fd: c_int, into: *mut Stat) -> c_int {
    // SAFETY: the same function on this machine.
    unsafe { fstat(fd, into) }
}

/// # Safety
/// As the C library's `access`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn access(path: *const c_char, mode: c_int) -> c_int {
    // SAFETY: the caller follows the rules of `access`.
    unsafe {
        match is_node(path) {
            true => 0,
            false => system(libc::SYS_faccessat, [libc::AT_FDCWD as i64, path as i64, mode.into(), 0, 0, 0])
                as c_int,
        }
    }
}

/// # Safety
/// As the C library's `mmap`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mmap(
    address: *mut c_void,
    len: size_t,
    protection: c_int,
    flags: c_int,
    fd: c_int,
    offset: off_t,
) -> *mut c_void {
    let anonymous = flags & libc::MAP_ANONYMOUS != 0;
    let (fd, offset) = match !anonymous && fd >= 0 && files::is_node(fd) {
        true => match node::mapped_file(offset as u64) {
            Some(found) => found,
            None => {
                fail(libc::EINVAL);
                return libc::MAP_FAILED;
            }
        },
        false => (fd, offset),
    };
    // SAFETY: the caller follows the rules of `mmap`; a buffer's file has the length that the program requested.
    unsafe {
        system(
            libc::SYS_mmap,
            [address as i64, len as i64, protection.into(), flags.into(), fd.into(), offset],
        ) as *mut c_void
    }
}

/// # Safety
/// As the C library's `mmap64`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mmap64(
    address: *mut c_void,
    len: size_t,
    protection: c_int,
    flags: c_int,
    fd: c_int,
    offset: off_t,
) -> *mut c_void {
    // SAFETY: the same function on this machine.
    unsafe { mmap(address, len, protection, flags, fd, offset) }
}

/// # Safety
/// As the C library's `ioctl`; calls to the node take a structure with the length in the request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ioctl(fd: c_int, request: c_ulong, argument: *mut c_void) -> c_int {
    // SAFETY: the caller passes a structure that matches the request, and follows the rules of `ioctl`.
    unsafe {
        match files::kind(fd) {
            files::Kind::Node => node::ioctl(fd, request, argument),
            files::Kind::Fence => fence::ioctl(fd, request, argument),
            files::Kind::Other if buffer::is_call(request) && files::is_buffer(fd) => {
                buffer::ioctl(request, argument)
            }
            files::Kind::Sync | files::Kind::Other => {
                system(libc::SYS_ioctl, [fd.into(), request as i64, argument as i64, 0, 0, 0]) as c_int
            }
        }
    }
}
