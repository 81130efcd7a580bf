//! Calls to exported fences (`linux/sync_file.h`).

use std::ffi::{c_int, c_ulong, c_void};

use crate::files::{self, Kind};
use crate::{fail, node};

/// Letter of the calls, and their numbers.
const GROUP: u8 = b'>';
const MERGE: u8 = 3;
const FILE_INFO: u8 = 4;
const SET_DEADLINE: u8 = 5;

/// Places in the structures: the second fence and the new one, status and number of fences.
const SECOND: usize = 32;
const MERGED: usize = 36;
const STATUS: usize = 32;
const COUNT: usize = 40;

/// Status of a fence whose work ended early: −EIO.
const FAILED: i32 = -5;

/// A call to a signalled fence.
///
/// # Safety
/// `argument` is a structure with the length in the request.
pub unsafe fn ioctl(failed: bool, request: c_ulong, argument: *mut c_void) -> c_int {
    let (number, group) = (request as u8, (request >> 8) as u8);
    // SAFETY: the caller's promise.
    let mut bytes = unsafe { node::structure(request, argument) };
    match (group, number) {
        (GROUP, MERGE) => match files::kind(node::word(&bytes, SECOND)) {
            Kind::Fence { failed: other } => {
                node::set_word(&mut bytes, MERGED, files::fence(failed || other));
            }
            _ => return fail(libc::ENOENT),
        },
        // The fence is one; its details are not available.
        (GROUP, FILE_INFO) if node::word(&bytes, COUNT) == 0 => {
            node::set_word(&mut bytes, STATUS, if failed { FAILED } else { 1 });
            node::set_word(&mut bytes, COUNT, 1);
        }
        (GROUP, SET_DEADLINE) => {}
        _ => return fail(libc::ENOTTY),
    }
    // SAFETY: the caller's promise.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), argument as *mut u8, bytes.len()) };
    0
}
