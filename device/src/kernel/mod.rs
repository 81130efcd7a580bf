//! The kernel interface: `asahi_drm.h`, and the parts of `drm.h` that a driver needs.
//!
//! A submission runs within the call that submits it, in the order of the calls; sync objects are signalled before the
//! call returns. With [`Settings::asynchronous`] the call returns at once, and a thread of the device runs the commands
//! ([`crate::Node`]). A wait returns [`Answer::Wait`], which tells the caller to try again after another call or a command.

mod address_space;
mod buffer_files;
mod buffers;
mod calls;
mod chip;
mod commands;
mod fence;
mod order;
pub(crate) mod run;
mod shared;
mod submit;
mod sync;
mod sync_files;
mod sync_memory;
mod table;
mod work;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use agx_emulator::{Window, Words};

pub use buffer_files::BufferFiles;
pub use buffers::{Allocator, Heap};
pub use chip::{Chip, MODELS, Model};
pub(crate) use commands::parse as parse_commands;
pub use sync::Deadline;
pub use sync_files::{Imported, SyncFiles};
pub use sync_memory::{Owner, SYNC_WORDS, SyncMemory};

use crate::execute::Device;
use crate::findings::Finding;
use crate::recording::Recorder;
use crate::settings::{Deviation, Settings};
use crate::statistics::Statistics;
use address_space::AddressSpace;
use buffers::Buffer;
use fence::Fence;
use order::Order;
use shared::Shared;
use sync::SyncObject;
use table::Table;
use work::Work;

/// A kernel error: a positive error number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Errno(pub i32);

impl Errno {
    /// No such object.
    pub const NOT_FOUND: Errno = Errno(2);
    /// Inaccessible memory of the caller.
    pub const FAULT: Errno = Errno(14);
    /// Out of memory.
    pub const NO_MEMORY: Errno = Errno(12);
    /// Invalid arguments.
    pub const INVALID: Errno = Errno(22);
    /// No such call.
    pub const NO_SUCH_CALL: Errno = Errno(25);
    /// Timeout.
    pub const TIME: Errno = Errno(62);
    /// Not supported.
    pub const NOT_SUPPORTED: Errno = Errno(95);
}

/// Memory of the caller, to which arguments of calls point.
pub trait User {
    /// Copies from it.
    ///
    /// # Errors
    /// [`Errno::FAULT`] if it is inaccessible.
    fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), Errno>;

    /// Copies to it.
    ///
    /// # Errors
    /// [`Errno::FAULT`] if it is inaccessible.
    fn write(&mut self, address: u64, from: &[u8]) -> Result<(), Errno>;
}

/// The address of an element of an array in the caller's memory. Addresses wrap around; the caller refuses those that
/// it does not map.
fn element(array: u64, index: u64, bytes: u64) -> u64 {
    array.wrapping_add(index.wrapping_mul(bytes))
}

/// The outcome of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The call is complete.
    Done,
    /// The call must wait for another call, until a time in nanoseconds of the monotonic clock.
    Wait(Deadline),
}

/// A queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queue {
    pub(crate) vm: u32,
    pub(crate) shader_base: u64,
}

/// A buffer for timestamps.
#[derive(Clone)]
pub(crate) struct TimeObject {
    pub(crate) words: Arc<dyn Words>,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

/// A timestamp that a command writes.
#[derive(Debug)]
pub(crate) struct TimeWrite {
    window: Window,
    /// It is the time at the end of the command, not at its start.
    at_end: bool,
}

/// The objects of the caller, by their handles.
#[derive(Default)]
struct Tables {
    buffers: Table<Buffer>,
    spaces: Table<AddressSpace>,
    queues: Table<Queue>,
    times: Table<TimeObject>,
    syncs: Shared<SyncObject>,
}

/// What the execution of commands reported.
#[derive(Default)]
struct Log {
    findings: Vec<Finding>,
    /// Number of findings that were already returned.
    taken: usize,
    listing: String,
    /// The first command of each queue that ended early.
    faults: BTreeMap<u32, String>,
}

/// The kernel driver and the device.
pub struct Kernel {
    settings: Settings,
    chip: Chip,
    allocator: Box<dyn Allocator>,
    tables: Tables,
    order: Order,
    work: Work,
    device: Arc<Mutex<Device>>,
    log: Log,
    clock: fn() -> u64,
    recorder: Option<Recorder>,
    /// Whether a sync object is or was shared with other processes.
    shares_syncs: bool,
}

impl Kernel {
    /// A device that allocates buffers from `allocator` and takes the time from `clock`, in nanoseconds of the
    /// monotonic clock.
    pub fn new(chip: Chip, settings: Settings, allocator: Box<dyn Allocator>, clock: fn() -> u64) -> Kernel {
        let settings = Settings { soft_faults: chip.soft_faults, ..settings };
        Kernel {
            settings,
            chip,
            allocator,
            tables: Tables::default(),
            order: Order::default(),
            work: Work::new(settings.seed),
            device: Arc::new(Mutex::new(Device::new(settings))),
            log: Log::default(),
            clock,
            recorder: None,
            shares_syncs: false,
        }
    }

    /// Executes a call: `number` is the low byte of the request, `argument` its structure.
    ///
    /// # Errors
    /// The kernel's [`Errno`].
    pub fn call(&mut self, number: u8, argument: &mut [u8], user: &mut dyn User) -> Result<Answer, Errno> {
        let call = calls::find(number).ok_or(Errno::NO_SUCH_CALL)?;
        if self.shares_syncs {
            self.tables.syncs.for_each(SyncObject::read);
        }
        let answer = (call.run)(self, argument, user);
        match (answer, self.settings.difference) {
            (Err(Errno::INVALID), Some(Deviation::Errors)) => Err(Errno::NOT_SUPPORTED),
            (answer, _) => answer,
        }
    }

    /// The name of a call, for messages.
    pub fn call_name(number: u8) -> &'static str {
        calls::find(number).map_or("unknown call", |call| call.name)
    }

    /// The allocator's token of a buffer's memory, by the offset that was returned for mapping it: mappings start at its first byte.
    pub fn mapped_buffer(&self, offset: u64) -> Option<u64> {
        let handle = u32::try_from(offset >> buffers::MAP_SHIFT).ok()?;
        if u64::from(handle) << buffers::MAP_SHIFT != offset {
            return None;
        }
        Some(self.tables.buffers.get(handle).ok()?.token)
    }

    /// The allocator's token and the size of a buffer.
    pub fn buffer(&self, handle: u32) -> Option<(u64, u64)> {
        self.tables.buffers.get(handle).ok().map(|buffer| (buffer.token, buffer.bytes))
    }

    /// A window with the whole buffer, for the host.
    pub fn window(&self, handle: u32) -> Option<Window> {
        let buffer = self.tables.buffers.get(handle).ok()?;
        Window::new(buffer.words.clone(), 0, buffer.bytes)
    }

    /// Buffers with other owners.
    pub fn buffer_files(&mut self) -> BufferFiles<'_> {
        BufferFiles { kernel: self }
    }

    /// Sync objects as descriptors.
    pub fn sync_files(&mut self) -> SyncFiles<'_> {
        SyncFiles { kernel: self }
    }

    /// All findings so far.
    pub fn findings(&self) -> &[Finding] {
        &self.log.findings
    }

    /// Findings since the last call of this function.
    pub fn fresh_findings(&mut self) -> &[Finding] {
        let from = std::mem::replace(&mut self.log.taken, self.log.findings.len());
        self.log.findings.get(from..).unwrap_or(&[])
    }

    /// Statistics of the execution so far. Waits for the command that runs.
    pub fn statistics(&self) -> Statistics {
        self.device.lock().unwrap_or_else(PoisonError::into_inner).statistics.clone()
    }

    /// The listing of the submissions since the last call, with [`Settings::trace`].
    pub fn take_trace(&mut self) -> String {
        std::mem::take(&mut self.log.listing)
    }

    /// Whether work before the fences of a sync object ended early; `None` before all are signalled. Programs learn this from
    /// the status of an exported fence.
    ///
    /// # Errors
    /// [`Errno::NOT_FOUND`]: no sync object has this handle. [`Errno::INVALID`]: it has no fence.
    pub fn outcome(&self, handle: u32) -> Result<Option<bool>, Errno> {
        let object = self.tables.syncs.get(handle)?;
        let failed = object.fences(0).ok_or(Errno::INVALID)?.any(Fence::has_failed);
        Ok(object.reached(0).then_some(failed))
    }

    /// A sentence about the first command of a queue that ended early.
    pub fn fault(&self, queue: u32) -> Option<&str> {
        self.log.faults.get(&queue).map(String::as_str)
    }

    /// Number of submissions so far.
    pub fn submissions(&self) -> u64 {
        self.work.submitted()
    }

    /// Whether everything that was submitted is complete.
    pub fn is_idle(&self) -> bool {
        self.work.is_idle()
    }

    /// What a thread of the device needs to run commands.
    pub(crate) fn executor(&self) -> (Arc<Mutex<Device>>, fn() -> u64) {
        (self.device.clone(), self.clock)
    }

    /// Records all submissions from now on.
    pub fn record(&mut self) {
        self.recorder = Some(Recorder::default());
    }

    /// The recording so far.
    pub fn recording(&self) -> Option<Vec<u8>> {
        self.recorder.as_ref().map(Recorder::bytes)
    }
}
