//! Calls to exported buffers (`linux/dma-buf.h`).
//!
//! A fence is added to a buffer when it is signalled, so no work on a buffer is ever left for others to wait for.

use std::ffi::{c_int, c_ulong, c_void};

use crate::files::{self, Kind};
use crate::{fail, fence, node};

/// Letter of the calls, and their numbers.
const GROUP: u8 = b'b';
const SYNC: u8 = 0;
const SET_NAME: u8 = 1;
const EXPORT_FENCE: u8 = 2;
const IMPORT_FENCE: u8 = 3;

/// Flags of calls with fences: reads and writes.
const ACCESS: i32 = 3;

/// Whether a call is one to a buffer.
pub fn is_call(request: c_ulong) -> bool {
    (request >> 8) as u8 == GROUP
}

/// A call to a buffer.
///
/// # Safety
/// `argument` is a structure with the length in the request.
pub unsafe fn ioctl(request: c_ulong, argument: *mut c_void) -> c_int {
    let number = request as u8;
    if matches!(number, SYNC | SET_NAME) {
        return 0;
    }
    // SAFETY: the caller's promise.
    let mut bytes = unsafe { node::structure(request, argument) };
    // Flags, then the descriptor.
    let flags = node::word(&bytes, 0);
    if flags & !ACCESS != 0 || flags & ACCESS == 0 {
        return fail(libc::EINVAL);
    }
    match number {
        EXPORT_FENCE => match fence::signalled() {
            Ok(fence) => node::set_word(&mut bytes, 4, fence),
            Err(errno) => return fail(errno.0),
        },
        IMPORT_FENCE if files::kind(node::word(&bytes, 4)) == Kind::Fence => {
            fence::wait(node::word(&bytes, 4));
        }
        IMPORT_FENCE => return fail(libc::EINVAL),
        _ => return fail(libc::ENOTTY),
    }
    // SAFETY: the caller's promise.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), argument as *mut u8, bytes.len()) };
    0
}
