//! Sync objects that processes share: files that each maps. A thread for each waits for changes.

use std::collections::BTreeMap;
use std::ffi::{CString, c_int};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use agx_device::Node;
use agx_device::kernel::{Errno, Owner, SYNC_WORDS, SyncMemory};
use agx_device::words::Words;

use crate::files::{self, Kind};
use crate::memory::Mapped;
use crate::node;

/// Seconds after which a waiting thread looks for processes that have ended.
const LOOK: libc::time_t = 1;

/// A file of a sync object.
struct File {
    memory: Mapped,
    ends: Arc<AtomicBool>,
}

impl Words for File {
    fn words(&self) -> &[AtomicU32] {
        self.memory.words()
    }
}

impl SyncMemory for File {
    fn alone(&self, run: &mut dyn FnMut()) {
        let fd = self.memory.file();
        // SAFETY: the descriptor is ours. The lock ends with it if the process does.
        while unsafe { libc::flock(fd, libc::LOCK_EX) } != 0 {}
        run();
        // SAFETY: as above.
        unsafe { libc::flock(fd, libc::LOCK_UN) };
    }

    fn wake(&self) {
        if let Some(word) = self.words().first() {
            futex(word, libc::FUTEX_WAKE, i32::MAX as u32, None);
        }
    }

    fn owner(&self) -> Owner {
        [std::process::id(), name_space()]
    }

    fn is_gone(&self, [process, space]: Owner) -> bool {
        // SAFETY: no signal is sent.
        space == name_space()
            && unsafe { libc::kill(process as i32, 0) } != 0
            && std::io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Release);
        self.wake();
    }
}

/// The name space of the numbers of processes.
fn name_space() -> u32 {
    static SPACE: OnceLock<u32> = OnceLock::new();
    *SPACE.get_or_init(|| {
        let link = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        let digits = link.to_string_lossy().chars().filter(char::is_ascii_digit).collect::<String>();
        digits.parse::<u64>().map_or(0, |number| number as u32)
    })
}

/// The call for waits and wakes at a word that processes share.
fn futex(word: &AtomicU32, operation: c_int, value: u32, timeout: Option<&libc::timespec>) {
    let timeout = timeout.map_or(std::ptr::null(), std::ptr::from_ref);
    let place = word.as_ptr() as i64;
    // SAFETY: the word and the time live during the call.
    unsafe {
        crate::system(libc::SYS_futex, [place, operation.into(), value.into(), timeout as i64, 0, 0]);
    }
}

/// The files of this process, by their numbers in the system.
static FILES: Mutex<BTreeMap<u64, Weak<File>>> = Mutex::new(BTreeMap::new());

fn files() -> MutexGuard<'static, BTreeMap<u64, Weak<File>>> {
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    files.retain(|_, file| file.strong_count() > 0);
    files
}

/// A further description of a file, whose locks are its own; −1 on failure.
fn reopened(fd: c_int) -> c_int {
    let path = CString::new(format!("/proc/self/fd/{fd}")).unwrap_or_default();
    // SAFETY: the path is a C string.
    unsafe { crate::open(path.as_ptr(), libc::O_RDWR | libc::O_CLOEXEC, 0) }
}

/// Maps the file of a sync object, and starts its thread.
fn open(fd: c_int, token: u64) -> Option<Arc<File>> {
    let [memory, watched] = [Mapped::new(reopened(fd))?, Mapped::new(reopened(fd))?];
    let file = Arc::new(File { memory, ends: Arc::default() });
    if file.words().len() < SYNC_WORDS {
        return None;
    }
    let ends = file.ends.clone();
    std::thread::spawn(move || watch(&watched, &ends));
    files().insert(token, Arc::downgrade(&file));
    Some(file)
}

/// Tells the kernel of each change, until the object ends.
fn watch(memory: &Mapped, ends: &AtomicBool) {
    let Some(word) = memory.words().first() else { return };
    let node = node::kernel();
    loop {
        let seen = word.load(Ordering::Acquire);
        if ends.load(Ordering::Acquire) {
            return;
        }
        node.lock().sync_files().read_shared();
        node.notify();
        let time = libc::timespec { tv_sec: LOOK, tv_nsec: 0 };
        futex(word, libc::FUTEX_WAIT, seen, Some(&time));
    }
}

/// A descriptor of the sync object of a handle.
pub fn export(node: &Node, handle: u32) -> Result<c_int, Errno> {
    let mut kernel = node.lock();
    let mut syncs = kernel.sync_files();
    if let Some((_, token)) = syncs.shared(handle)? {
        let file = files().get(&token).and_then(Weak::upgrade).ok_or(Errno::NOT_FOUND)?;
        return Ok(reopened(file.memory.file()));
    }
    let fd = files::sync();
    let token = files::inode(fd).ok_or(Errno::NO_MEMORY)?;
    let shared = open(fd, token).ok_or(Errno::NO_MEMORY);
    if let Err(errno) = shared.and_then(|file| syncs.share(handle, file, token)) {
        // SAFETY: the descriptor is ours.
        unsafe { libc::close(fd) };
        return Err(errno);
    }
    Ok(fd)
}

/// The sync object of a descriptor, with a new handle.
pub fn import(node: &Node, fd: c_int) -> Result<u32, Errno> {
    let token = files::inode(fd).filter(|_| files::kind(fd) == Kind::Sync).ok_or(Errno::INVALID)?;
    let mut kernel = node.lock();
    let mut syncs = kernel.sync_files();
    match syncs.import_shared(token) {
        Ok(handle) => Ok(handle),
        Err(_) => syncs.adopt_shared(open(fd, token).ok_or(Errno::NO_MEMORY)?, token),
    }
}
