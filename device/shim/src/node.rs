//! Calls to the node, and those that take or return descriptors.

use std::ffi::{c_int, c_ulong, c_void};
use std::io::Write as _;
use std::sync::OnceLock;
use std::time::Duration;

use agx_device::kernel::{Chip, Errno, MODELS, User};
use agx_device::{Kernel, Node, Settings};

use crate::{fail, fence, files, memory, sync};

/// Options from `agxc device`.
struct Options {
    /// File for findings; standard error if absent.
    report: Option<String>,
    trace: Option<String>,
    record: Option<String>,
    statistics: Option<String>,
    /// Print every call to standard error.
    calls: bool,
}

static NODE: OnceLock<(Node, &Options)> = OnceLock::new();

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The kernel of this process and its options, which live as long as the process.
fn node() -> &'static (Node, &'static Options) {
    NODE.get_or_init(|| {
        let options: &'static Options = Box::leak(Box::new(Options {
            report: variable("AGX_DEVICE_REPORT"),
            trace: variable("AGX_DEVICE_TRACE"),
            record: variable("AGX_DEVICE_RECORD"),
            statistics: variable("AGX_DEVICE_STATISTICS"),
            calls: variable("AGX_DEVICE_CALLS").is_some(),
        }));
        let mut kernel = Kernel::new(chip(), settings(), Box::new(memory::Files), now);
        if options.record.is_some() {
            kernel.record();
        }
        // SAFETY: the function lives as long as the process, and has no arguments.
        unsafe { libc::atexit(at_exit) };
        (Node::new(kernel, sleep, |kernel| report(options, kernel)), options)
    })
}

fn settings() -> Settings {
    Settings::from_variables(true, |name| variable(&format!("AGX_DEVICE_{name}")))
        .unwrap_or_else(|error| refuse(&error.to_string()))
}

/// The chip that `AGX_DEVICE_CHIP` names.
fn chip() -> Chip {
    let named = variable("AGX_DEVICE_CHIP").map(|name| {
        Chip::find(&name).unwrap_or_else(|| {
            let names: Vec<&str> = MODELS.iter().map(|model| model.name).collect();
            refuse(&format!("unknown chip `{name}` in AGX_DEVICE_CHIP; expected one of {}", names.join(", ")))
        })
    });
    Chip { soft_faults: variable("AGX_DEVICE_SOFT_FAULTS").is_some(), ..named.unwrap_or_default() }
}

/// Ends the program, which would otherwise run on another device than the variables ask for.
fn refuse(why: &str) -> ! {
    let _ = writeln!(std::io::stderr(), "agx-device: {why}");
    std::process::exit(2)
}

/// The kernel of this process.
pub fn kernel() -> &'static Node {
    &node().0
}

/// Nanoseconds of the monotonic clock of the host's kernel. Libraries that fake the time of a program replace `clock_gettime`, but not
/// the system call: the time of a device goes on.
pub fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is local.
    unsafe { libc::syscall(libc::SYS_clock_gettime, libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Sleeps for some time of [`now`], as a system call for the same reason. It may end early.
fn sleep(time: Duration) {
    let time = libc::timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() };
    // SAFETY: the structure is local, and a null pointer asks for no rest.
    unsafe { libc::syscall(libc::SYS_nanosleep, &time, std::ptr::null_mut::<libc::timespec>()) };
}

/// Memory of this process.
struct Process;

impl User for Process {
    fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), Errno> {
        if address == 0 {
            return Err(Errno::FAULT);
        }
        // SAFETY: the program passes its own memory, as for the kernel; a wrong address ends the process instead of
        // failing the call.
        unsafe { std::ptr::copy_nonoverlapping(address as *const u8, into.as_mut_ptr(), into.len()) };
        Ok(())
    }

    fn write(&mut self, address: u64, from: &[u8]) -> Result<(), Errno> {
        if address == 0 {
            return Err(Errno::FAULT);
        }
        // SAFETY: as above.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), address as *mut u8, from.len()) };
        Ok(())
    }
}

/// The file of the buffer to map, and the offset in it.
pub fn mapped_file(offset: u64) -> Option<(c_int, i64)> {
    let token = node().0.lock().mapped_buffer(offset)?;
    Some((memory::file(token)?, 0))
}

/// The open node of a descriptor: copies of it are the same.
fn file(fd: c_int) -> u64 {
    files::inode(fd).unwrap_or(0)
}

/// The call that closes a buffer, whose handle other open nodes may have.
const GEM_CLOSE: u8 = 0x09;
/// Calls that take or return descriptors: prime and sync objects.
const PRIME_EXPORT: u8 = 0x2d;
const PRIME_IMPORT: u8 = 0x2e;
const SYNC_EXPORT: u8 = 0xc1;
const SYNC_IMPORT: u8 = 0xc2;

/// A copy of the structure of a call.
///
/// # Safety
/// `argument` is a structure with the length in the request.
pub unsafe fn structure(request: c_ulong, argument: *mut c_void) -> Vec<u8> {
    let mut bytes = vec![0_u8; (request >> 16) as usize & 0x3fff];
    // SAFETY: the caller's promise.
    unsafe { std::ptr::copy_nonoverlapping(argument as *const u8, bytes.as_mut_ptr(), bytes.len()) };
    bytes
}

/// A call to the node.
///
/// # Safety
/// `argument` is a structure with the length in the request.
pub unsafe fn ioctl(fd: c_int, request: c_ulong, argument: *mut c_void) -> c_int {
    let number = request as u8;
    // SAFETY: the caller's promise.
    let mut bytes = unsafe { structure(request, argument) };
    let (node, options) = node();
    let outcome = match number {
        GEM_CLOSE => node.lock().buffer_files().close(word(&bytes, 0) as u32, file(fd)),
        PRIME_EXPORT | PRIME_IMPORT | SYNC_EXPORT | SYNC_IMPORT => {
            descriptors(node, number, &mut bytes, file(fd))
        }
        _ => node.call(number, &mut bytes, &mut Process),
    };
    if options.calls {
        let name = Kernel::call_name(number);
        let _ = writeln!(std::io::stderr(), "agx-device: {name} ({number:#x}): {outcome:?}");
    }
    match outcome {
        Ok(()) => {
            // SAFETY: the caller's promise.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), argument as *mut u8, bytes.len()) };
            0
        }
        Err(errno) => fail(errno.0),
    }
}

/// A word of a structure; 0 outside it.
pub fn word(bytes: &[u8], at: usize) -> i32 {
    bytes.get(at..).and_then(|bytes| bytes.first_chunk().copied()).map_or(0, i32::from_le_bytes)
}

/// Sets a word of a structure.
pub fn set_word(bytes: &mut [u8], at: usize, value: i32) {
    if let Some(place) = bytes.get_mut(at..at + 4) {
        place.copy_from_slice(&value.to_le_bytes());
    }
}

/// Flag of the calls for sync objects: the descriptor is a fence.
const IS_FENCE: i32 = 1;

fn descriptors(node: &'static Node, number: u8, bytes: &mut [u8], owner: u64) -> Result<(), Errno> {
    match number {
        SYNC_EXPORT | SYNC_IMPORT if word(bytes, 4) & !IS_FENCE != 0 => return Err(Errno::INVALID),
        SYNC_EXPORT if word(bytes, 4) == IS_FENCE => {
            return give(bytes, fence::export(node, word(bytes, 0) as u32)?);
        }
        SYNC_EXPORT => return give(bytes, sync::export(node, word(bytes, 0) as u32)?),
        SYNC_IMPORT if word(bytes, 4) == IS_FENCE => {
            return fence::import(node, word(bytes, 0) as u32, word(bytes, 8));
        }
        SYNC_IMPORT => {
            set_word(bytes, 0, sync::import(node, word(bytes, 8))? as i32);
            return Ok(());
        }
        _ => {}
    }
    let mut kernel = node.lock();
    match number {
        PRIME_EXPORT => {
            let handle = word(bytes, 0) as u32;
            let file = memory::file(kernel.buffer_files().export(handle, owner)?).ok_or(Errno::NOT_FOUND)?;
            // SAFETY: duplicating a descriptor has no further conditions.
            give(bytes, unsafe { libc::fcntl(file, libc::F_DUPFD_CLOEXEC, 0) })?;
        }
        PRIME_IMPORT => {
            let (words, token) = memory::import(word(bytes, 8)).ok_or(Errno::INVALID)?;
            let handle = kernel.buffer_files().import(token, words, owner);
            set_word(bytes, 0, handle as i32);
        }
        _ => return Err(Errno::NOT_SUPPORTED),
    }
    Ok(())
}

/// Writes an exported descriptor, unless there is none because the process has too many or too little memory.
fn give(bytes: &mut [u8], file: c_int) -> Result<(), Errno> {
    if file < 0 {
        return Err(Errno::NO_MEMORY);
    }
    set_word(bytes, 8, file);
    Ok(())
}

/// Writes new findings and listings to their destinations.
fn report(options: &Options, kernel: &mut Kernel) {
    let fresh: String =
        kernel.fresh_findings().iter().map(|finding| format!("agx-device: {finding}\n")).collect();
    if !fresh.is_empty() {
        append(options.report.as_deref(), fresh.as_bytes());
    }
    let trace = kernel.take_trace();
    if !trace.is_empty() {
        append(options.trace.as_deref(), trace.as_bytes());
    }
}

/// Appends to a file, or to standard error. Errors are ignored.
fn append(path: Option<&str>, bytes: &[u8]) {
    let _ = match path.filter(|path| *path != "-") {
        Some(path) => std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .and_then(|mut file| file.write_all(bytes)),
        None => std::io::stderr().write_all(bytes),
    };
}

/// Writes the results that are available only at the end.
extern "C" fn at_exit() {
    let Some((node, options)) = NODE.get() else { return };
    node.wait_idle();
    let kernel = node.lock();
    if let Some(path) = &options.statistics {
        append(Some(path), kernel.statistics().to_string().as_bytes());
    }
    if let (Some(path), Some(recording)) = (&options.record, kernel.recording()) {
        let _ = std::fs::write(path, recording);
    }
}
