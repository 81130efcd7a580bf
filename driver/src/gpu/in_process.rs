//! A door to an emulated device in the same process.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, MutexGuard};

use agx_device::kernel::{Allocator, Chip, Errno, Kernel, User};
use agx_device::words::Words;
use agx_device::{Finding, Node, Settings, Statistics};

use super::client::{Client, Door, Memory, Pointed, number};
use super::exports::{Exports, Mark, Shared};
use crate::Error;
use crate::memory::lock;

/// Alignment of mappings in bytes (`minMemoryMapAlignment`).
const ALIGNMENT: usize = 4096;

/// Memory of a buffer, with the alignment of mappings.
struct Aligned {
    words: Vec<AtomicU32>,
    /// Words before its own.
    skip: usize,
}

impl Words for Aligned {
    fn words(&self) -> &[AtomicU32] {
        self.words.get(self.skip..).unwrap_or(&[])
    }
}

/// Allocates memory of the process.
#[derive(Default)]
struct Allocated {
    last: u64,
}

impl Allocator for Allocated {
    fn allocate(&mut self, bytes: u64) -> Result<(Arc<dyn Words>, u64), Errno> {
        let len = usize::try_from(bytes / 4).map_err(|_| Errno::NO_MEMORY)?;
        let words = bytemuck::try_zeroed_slice_box::<AtomicU32>(len + ALIGNMENT / 4);
        let mut words = words.map_err(|()| Errno::NO_MEMORY)?.into_vec();
        let misaligned = words.as_ptr().addr() % ALIGNMENT;
        let skip = if misaligned == 0 { 0 } else { (ALIGNMENT - misaligned) / 4 };
        words.truncate(skip + len);
        self.last += 1;
        Ok((Arc::new(Aligned { words, skip }), self.last))
    }
}

/// Data that calls point to: the address of byte `b` of memory `a` is `(a + 1) << 32 | b`.
struct Arguments<'a, 'm>(&'a mut [Pointed<'m>]);

/// Number of the memory, and the byte in it.
fn place(address: u64) -> Result<(usize, usize), Errno> {
    let memory = (address >> 32) as usize;
    Ok((memory.checked_sub(1).ok_or(Errno::FAULT)?, address as u32 as usize))
}

impl User for Arguments<'_, '_> {
    fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), Errno> {
        let (memory, byte) = place(address)?;
        let bytes = self.0.get(memory).and_then(|(_, memory)| memory.bytes().get(byte..byte + into.len()));
        into.copy_from_slice(bytes.ok_or(Errno::FAULT)?);
        Ok(())
    }

    fn write(&mut self, address: u64, from: &[u8]) -> Result<(), Errno> {
        let (memory, byte) = place(address)?;
        let Some((_, Memory::Written(bytes))) = self.0.get_mut(memory) else { return Err(Errno::FAULT) };
        bytes.get_mut(byte..byte + from.len()).ok_or(Errno::FAULT)?.copy_from_slice(from);
        Ok(())
    }
}

/// Receivers of the device's reports.
pub struct Outputs {
    /// Receives each finding.
    pub report: Box<dyn FnMut(&Finding) + Send>,
    /// Receives the listing of each submission, with [`Settings::trace`].
    pub trace: Option<Box<dyn FnMut(&str) + Send>>,
    /// Receives the statistics after each submission.
    pub statistics: Option<Box<dyn FnMut(&Statistics) + Send>>,
    /// Receives the recording of all submissions, after each.
    pub recording: Option<Box<dyn FnMut(&[u8]) + Send>>,
}

impl Outputs {
    /// Passes on what the kernel reports. `is_new`: there was a submission since the last time.
    fn take(&mut self, kernel: &mut Kernel, is_new: bool) {
        kernel.fresh_findings().iter().for_each(|finding| (self.report)(finding));
        if let Some(trace) = &mut self.trace {
            trace(&kernel.take_trace());
        }
        if !is_new {
            return;
        }
        if let Some((recording, write)) = kernel.recording().zip(self.recording.as_mut()) {
            write(&recording);
        }
        if let Some(statistics) = &mut self.statistics {
            statistics(&kernel.statistics());
        }
    }
}

/// An emulated device in the process, with its kernel.
pub struct Host {
    node: Node,
    exports: Mutex<Exports>,
}

impl Host {
    /// A device that presents `chip` and reports to `outputs`.
    pub fn new(chip: Chip, settings: Settings, clock: fn() -> u64, outputs: Outputs) -> Arc<Host> {
        let mut kernel = Kernel::new(chip, settings, Box::new(Allocated::default()), clock);
        if outputs.recording.is_some() {
            kernel.record();
        }
        // With the number of submissions that they know.
        let outputs = Mutex::new((outputs, 0));
        let node = Node::new(kernel, std::thread::sleep, move |kernel| {
            let (outputs, submissions) = &mut *lock(&outputs);
            let is_new = std::mem::replace(submissions, kernel.submissions()) != kernel.submissions();
            outputs.take(kernel, is_new);
        });
        Arc::new(Host { node, exports: Mutex::new(Exports::new()) })
    }

    /// A client of its kernel.
    ///
    /// # Errors
    /// A kernel call fails.
    pub fn client(self: &Arc<Host>) -> Result<Client<InProcess>, Error> {
        Client::new(InProcess { host: self.clone() })
    }

    /// The exports, without those that no descriptor is left of.
    fn exports(&self) -> MutexGuard<'_, Exports> {
        let mut exports = lock(&self.exports);
        if exports.is_empty() {
            return exports;
        }
        for object in exports.sweep() {
            if let Shared::Sync(key) = object {
                // The key is known, so the call cannot fail.
                let _ = self.node.lock().sync_files().release(key);
            }
        }
        exports
    }
}

/// A door to a device in the process.
pub struct InProcess {
    host: Arc<Host>,
}

impl InProcess {
    /// Opens a device of its own.
    ///
    /// # Errors
    /// A kernel call fails.
    pub fn open(
        chip: Chip,
        settings: Settings,
        clock: fn() -> u64,
        outputs: Outputs,
    ) -> Result<Client<InProcess>, Error> {
        Host::new(chip, settings, clock, outputs).client()
    }
}

/// The word of a structure at a byte.
fn word(argument: &[u8], at: u32) -> u32 {
    agx_abi::record::bits(argument, 8 * at, 32) as u32
}

/// Flag of the calls for sync objects: the descriptor is a fence.
fn is_fence(argument: &[u8]) -> bool {
    word(argument, 4) & 1 != 0
}

impl Door for InProcess {
    fn call(&self, call: u8, argument: &mut [u8], pointed: &mut [Pointed<'_>]) -> Result<(), i32> {
        for ((place, _), memory) in pointed.iter().zip(1_u64..) {
            if let Some(address) = argument.get_mut(*place..*place + 8) {
                address.copy_from_slice(&(memory << 32).to_le_bytes());
            }
        }
        self.host.node.call(call, argument, &mut Arguments(pointed)).map_err(|errno| errno.0)?;
        if call == number::GEM_CLOSE {
            // It may be time for the memory of exports too.
            drop(self.host.exports());
        }
        Ok(())
    }

    fn give(&self, call: u8, argument: &mut [u8]) -> Result<OwnedFd, i32> {
        let (node, handle) = (&self.host.node, word(argument, 0));
        let given = match call {
            number::BUFFER_EXPORT => {
                let (words, token) = node.lock().buffer_files().memory(handle).ok_or(Errno::NOT_FOUND.0)?;
                self.host.exports().give(Shared::Buffer(words, token))
            }
            number::SYNC_EXPORT if is_fence(argument) => {
                // The descriptor is that of a signalled fence.
                let failed = node.wait_signalled(handle).map_err(|errno| errno.0)?;
                lock(&self.host.exports).fence(failed)
            }
            number::SYNC_EXPORT => {
                let key = node.lock().sync_files().export(handle).map_err(|errno| errno.0)?;
                self.host.exports().give(Shared::Sync(key))
            }
            _ => return Err(Errno::NO_SUCH_CALL.0),
        };
        given.map_err(|error| error.raw_os_error().unwrap_or(Errno::NO_MEMORY.0))
    }

    fn take(&self, call: u8, argument: &mut [u8], file: BorrowedFd<'_>) -> Result<(), i32> {
        let exports = self.host.exports();
        let (found, mark) = (exports.find(file), exports.mark(file));
        drop(exports);
        let mut kernel = self.host.node.lock();
        let handle = match (call, found, mark) {
            (number::BUFFER_IMPORT, Some(Shared::Buffer(words, token)), _) => {
                kernel.buffer_files().adopt(token, words)
            }
            (number::SYNC_IMPORT, Some(Shared::Sync(key)), _) if !is_fence(argument) => {
                kernel.sync_files().import(key).map_err(|errno| errno.0)?
            }
            (number::SYNC_IMPORT, _, Some(Mark::Fence { failed })) if is_fence(argument) => {
                let handle = word(argument, 0);
                let imported = kernel.sync_files().import_fence(handle).map_err(|errno| errno.0)?;
                kernel.sync_files().signal(imported, failed);
                handle
            }
            _ => return Err(Errno::INVALID.0),
        };
        agx_abi::record::set_bits(argument, 0, 32, handle.into());
        Ok(())
    }

    fn bytes(&self, handle: u32, _: BorrowedFd<'_>) -> Option<u64> {
        self.host.node.lock().buffer(handle).map(|(_, bytes)| bytes)
    }

    fn map(&self, handle: u32, bytes: u64) -> Result<Arc<dyn Words>, Error> {
        match self.host.node.lock().buffer_files().memory(handle) {
            Some((words, _)) => Ok(words),
            None => Err(Error::DeviceMemory { bytes }),
        }
    }

    fn file(&self, _: u32) -> Result<Option<(BorrowedFd<'_>, u64)>, Error> {
        Ok(None)
    }

    /// Fences become descriptors when they are signalled, so buffers have none.
    fn buffer_fence(&self, buffer: BorrowedFd<'_>) -> Result<OwnedFd, i32> {
        let exports = self.host.exports();
        match exports.find(buffer) {
            Some(Shared::Buffer(..)) => exports.fence(false).map_err(|_| Errno::NO_MEMORY.0),
            _ => Err(Errno::INVALID.0),
        }
    }

    fn add_buffer_fence(&self, buffer: BorrowedFd<'_>, fence: BorrowedFd<'_>) -> Result<(), i32> {
        let exports = self.host.exports();
        match (exports.find(buffer), exports.mark(fence)) {
            (Some(Shared::Buffer(..)), Some(Mark::Fence { .. })) => Ok(()),
            _ => Err(Errno::INVALID.0),
        }
    }

    fn now(&self) -> u64 {
        self.host.node.now()
    }

    fn call_name(&self, number: u8) -> &'static str {
        Kernel::call_name(number)
    }

    fn fault(&self, queue: u32, _: u32) -> Option<String> {
        self.host.node.lock().fault(queue).map(str::to_owned)
    }
}
