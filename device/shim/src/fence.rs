//! Exported fences (`linux/sync_file.h`), which programs wait for with `poll`.
//!
//! A fence is one end of a pair of sockets. The process whose work signals it has the other end and sends a message, which makes
//! the fence readable and is never received, only looked at. If that process ends before, its end closes, which makes the fence
//! readable too.

use std::ffi::{c_int, c_ulong, c_void};

use agx_device::Node;
use agx_device::kernel::Errno;

use crate::files::{self, Kind};
use crate::{fail, node};

/// Letter of the calls, and their numbers.
const GROUP: u8 = b'>';
const MERGE: u8 = 3;
const FILE_INFO: u8 = 4;
const SET_DEADLINE: u8 = 5;

/// Places in `sync_merge_data`: the second fence, the new one, flags.
const SECOND: usize = 32;
const MERGED: usize = 36;
const MERGE_FLAGS: usize = 40;
/// Places in `sync_file_info`: status, flags, number of fences, their details. A name precedes them.
const STATUS: usize = 32;
const FLAGS: usize = 36;
const COUNT: usize = 40;
const DETAILS: usize = 48;
/// Bytes of the details of a fence, `sync_fence_info`, and places in them: name of the driver, status, time.
const DETAIL_BYTES: usize = 80;
const DRIVER: usize = 32;
const DETAIL_STATUS: usize = 64;
const TIME: usize = 72;
/// Name of the driver and of fences.
const NAME: &[u8] = b"asahi";

/// Status of a fence whose work ended early: −EIO. The process that would have signalled it may have ended too.
const FAILED: i32 = -5;

/// What a fence says: status as in [`FILE_INFO`], and nanoseconds of the monotonic clock.
#[derive(Clone, Copy, Debug)]
struct Signal {
    status: i32,
    time: u64,
}

/// Bytes of the message.
const BYTES: usize = 12;

/// The end that signals a fence.
pub struct Signaller(c_int);

impl Signaller {
    /// Signals it.
    pub fn signal(self, failed: bool) {
        let mut message = [0; BYTES];
        let status = if failed { FAILED } else { 1 };
        message[..4].copy_from_slice(&status.to_le_bytes());
        message[4..].copy_from_slice(&node::now().to_le_bytes());
        // SAFETY: the array has the length.
        unsafe { libc::send(self.0, message.as_ptr().cast(), BYTES, libc::MSG_NOSIGNAL) };
    }
}

impl Drop for Signaller {
    fn drop(&mut self) {
        // SAFETY: the descriptor is ours.
        unsafe { libc::close(self.0) };
    }
}

/// A new fence.
fn pair() -> Result<(Signaller, c_int), Errno> {
    let mut ends = [0; 2];
    let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
    // SAFETY: the array has room for two descriptors.
    if unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) } != 0 {
        return Err(Errno(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EMFILE)));
    }
    files::mark(ends[1]);
    Ok((Signaller(ends[0]), ends[1]))
}

/// What a fence says; `None` while it is not signalled.
fn look(fd: c_int) -> Option<Signal> {
    let mut message = [0_u8; BYTES];
    let flags = libc::MSG_PEEK | libc::MSG_DONTWAIT;
    // SAFETY: the array has the length.
    match unsafe { libc::recv(fd, message.as_mut_ptr().cast(), BYTES, flags) } {
        ..0 => None,
        0 => Some(Signal { status: FAILED, time: node::now() }),
        _ => {
            let [status, low, high] = *message.as_chunks::<4>().0 else { return None };
            let time = u64::from(u32::from_le_bytes(low)) | u64::from(u32::from_le_bytes(high)) << 32;
            Some(Signal { status: i32::from_le_bytes(status), time })
        }
    }
}

/// Waits until a fence is signalled; returns whether it failed.
pub fn wait(fd: c_int) -> bool {
    loop {
        if let Some(signal) = look(fd) {
            return signal.status < 0;
        }
        let mut polled = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        // SAFETY: the structure is local.
        unsafe { libc::poll(&mut polled, 1, -1) };
    }
}

/// Runs `then` with whether a fence failed, when it is signalled: now, or in a thread.
fn after(fds: Vec<c_int>, then: impl FnOnce(bool) + Send + 'static) -> Result<(), Errno> {
    if fds.iter().all(|fd| look(*fd).is_some()) {
        then(fds.iter().any(|fd| wait(*fd)));
        return Ok(());
    }
    // SAFETY: duplicating a descriptor has no further conditions.
    let own = fds.iter().map(|fd| unsafe { libc::fcntl(*fd, libc::F_DUPFD_CLOEXEC, 0) });
    let own: Vec<c_int> = own.collect();
    if own.iter().any(|fd| *fd < 0) {
        own.iter().filter(|fd| **fd >= 0).for_each(|fd| close(*fd));
        return Err(Errno(libc::EMFILE));
    }
    std::thread::spawn(move || {
        // All are waited for, also after one that failed.
        let failed = own.iter().filter(|fd| wait(**fd)).count() > 0;
        own.iter().for_each(|fd| close(*fd));
        then(failed);
    });
    Ok(())
}

fn close(fd: c_int) {
    // SAFETY: the descriptor belongs to the caller.
    unsafe { libc::close(fd) };
}

/// A descriptor of the fences of a sync object.
pub fn export(node: &Node, handle: u32) -> Result<c_int, Errno> {
    let (signaller, fd) = pair()?;
    let listens = node.lock().sync_files().on_signal(handle, |failed| signaller.signal(failed));
    listens.inspect_err(|_| close(fd)).map(|()| fd)
}

/// A descriptor of a signalled fence.
pub fn signalled() -> Result<c_int, Errno> {
    let (signaller, fd) = pair()?;
    signaller.signal(false);
    Ok(fd)
}

/// Replaces the fences of a sync object by that of a descriptor.
pub fn import(node: &'static Node, handle: u32, fd: c_int) -> Result<(), Errno> {
    if files::kind(fd) != Kind::Fence {
        return Err(Errno::INVALID);
    }
    let mut kernel = node.lock();
    let imported = kernel.sync_files().import_fence(handle)?;
    if let Some(signal) = look(fd) {
        kernel.sync_files().signal(imported, signal.status < 0);
        return Ok(());
    }
    drop(kernel);
    after(vec![fd], move |failed| {
        node.lock().sync_files().signal(imported, failed);
        node.notify();
    })
}

/// A call to a fence.
///
/// # Safety
/// `argument` is a structure with the length in the request.
pub unsafe fn ioctl(fd: c_int, request: c_ulong, argument: *mut c_void) -> c_int {
    let (number, group) = (request as u8, (request >> 8) as u8);
    // SAFETY: the caller's promise.
    let mut bytes = unsafe { node::structure(request, argument) };
    let outcome = match (group, number) {
        (GROUP, MERGE) => merge(fd, &mut bytes),
        // SAFETY: the caller's promise.
        (GROUP, FILE_INFO) => unsafe { describe(fd, &mut bytes) },
        (GROUP, SET_DEADLINE) => Ok(()),
        _ => Err(Errno(libc::ENOTTY)),
    };
    if let Err(errno) = outcome {
        return fail(errno.0);
    }
    // SAFETY: the caller's promise.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), argument as *mut u8, bytes.len()) };
    0
}

/// A fence that is signalled after two others.
fn merge(fd: c_int, bytes: &mut [u8]) -> Result<(), Errno> {
    if node::word(bytes, MERGE_FLAGS) != 0 {
        return Err(Errno::INVALID);
    }
    let second = node::word(bytes, SECOND);
    if files::kind(second) != Kind::Fence {
        return Err(Errno::NOT_FOUND);
    }
    let (signaller, merged) = pair()?;
    after(vec![fd, second], |failed| signaller.signal(failed)).inspect_err(|_| close(merged))?;
    node::set_word(bytes, MERGED, merged);
    Ok(())
}

/// Status and details. Merged fences are described as one.
///
/// # Safety
/// The address of the details is 0, or has room for as many as the number of fences says.
unsafe fn describe(fd: c_int, bytes: &mut [u8]) -> Result<(), Errno> {
    if node::word(bytes, FLAGS) != 0 {
        return Err(Errno::INVALID);
    }
    let signal = look(fd);
    let (status, time) = signal.map_or((0, 0), |signal| (signal.status, signal.time));
    if node::word(bytes, COUNT) != 0 {
        let mut detail = [0; DETAIL_BYTES];
        for place in [0, DRIVER] {
            detail[place..place + NAME.len()].copy_from_slice(NAME);
        }
        detail[DETAIL_STATUS..DETAIL_STATUS + 4].copy_from_slice(&status.to_le_bytes());
        detail[TIME..].copy_from_slice(&time.to_le_bytes());
        let address = u64::from(node::word(bytes, DETAILS) as u32)
            | u64::from(node::word(bytes, DETAILS + 4) as u32) << 32;
        if address == 0 {
            return Err(Errno::FAULT);
        }
        // SAFETY: the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(detail.as_ptr(), address as *mut u8, DETAIL_BYTES) };
    }
    if let Some(name) = bytes.get_mut(..NAME.len()) {
        name.copy_from_slice(NAME);
    }
    node::set_word(bytes, STATUS, status);
    node::set_word(bytes, COUNT, 1);
    Ok(())
}
