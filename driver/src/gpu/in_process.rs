//! A door to an emulated device in the same process.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex};

use agx_device::kernel::{Allocator, Chip, Errno, Kernel, User};
use agx_device::words::Words;
use agx_device::{Finding, Node, Settings, Statistics};

use super::client::{Client, Door, Pointed};
use crate::Error;
use crate::memory::lock;

/// Alignment of mappings in bytes (`minMemoryMapAlignment`).
const ALIGNMENT: usize = 4096;

/// Memory of a buffer, with the alignment of mappings.
struct Aligned {
    words: Box<[AtomicU32]>,
    skip: usize,
    len: usize,
}

impl Words for Aligned {
    fn words(&self) -> &[AtomicU32] {
        self.words.get(self.skip..self.skip + self.len).unwrap_or(&[])
    }
}

/// Memory by the kernel's token.
type Store = Arc<Mutex<BTreeMap<u64, Arc<dyn Words>>>>;

/// Allocates memory of the process, and keeps it until the driver takes it.
struct Shared {
    store: Store,
    next: u64,
}

impl Allocator for Shared {
    fn allocate(&mut self, bytes: u64) -> Result<(Arc<dyn Words>, u64), Errno> {
        let len = usize::try_from(bytes / 4).map_err(|_| Errno::NO_MEMORY)?;
        let words = bytemuck::try_zeroed_slice_box::<AtomicU32>(len + ALIGNMENT / 4);
        let words = words.map_err(|()| Errno::NO_MEMORY)?;
        let misaligned = words.as_ptr().addr() % ALIGNMENT;
        let skip = if misaligned == 0 { 0 } else { (ALIGNMENT - misaligned) / 4 };
        let words: Arc<dyn Words> = Arc::new(Aligned { words, skip, len });
        self.next += 1;
        lock(&self.store).insert(self.next, words.clone());
        Ok((words, self.next))
    }
}

/// Data that calls point to: the address of byte `b` of argument `a` is `(a + 1) << 32 | b`.
#[derive(Default)]
struct Arguments(Vec<Vec<u8>>);

impl Arguments {
    fn add(&mut self, bytes: Vec<u8>) -> u64 {
        self.0.push(bytes);
        (self.0.len() as u64) << 32
    }

    fn at(&mut self, address: u64, len: usize) -> Result<&mut [u8], Errno> {
        let (argument, byte) = ((address >> 32) as usize, address as u32 as usize);
        let bytes = argument.checked_sub(1).and_then(|at| self.0.get_mut(at)).ok_or(Errno::FAULT)?;
        bytes.get_mut(byte..byte + len).ok_or(Errno::FAULT)
    }
}

impl User for Arguments {
    fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), Errno> {
        into.copy_from_slice(self.at(address, into.len())?);
        Ok(())
    }

    fn write(&mut self, address: u64, from: &[u8]) -> Result<(), Errno> {
        self.at(address, from.len())?.copy_from_slice(from);
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
    /// Passes on what the kernel reports; returns the first fault. `is_new`: there was a submission since the last time.
    fn take(&mut self, kernel: &mut Kernel, is_new: bool) -> Option<String> {
        let mut fault = None;
        for finding in kernel.fresh_findings() {
            (self.report)(finding);
            if finding.fatal && fault.is_none() {
                fault = Some(finding.to_string());
            }
        }
        if let Some(trace) = &mut self.trace {
            trace(&kernel.take_trace());
        }
        if !is_new {
            return fault;
        }
        if let Some((recording, write)) = kernel.recording().zip(self.recording.as_mut()) {
            write(&recording);
        }
        if let Some(statistics) = &mut self.statistics {
            statistics(&kernel.statistics());
        }
        fault
    }
}

/// A device in process.
pub struct InProcess {
    node: Node,
    store: Store,
    fault: Arc<Mutex<Option<String>>>,
}

impl InProcess {
    /// Opens a device that presents `chip` and reports to `outputs`.
    ///
    /// # Errors
    /// A kernel call fails.
    pub fn open(
        chip: Chip,
        settings: Settings,
        clock: fn() -> u64,
        outputs: Outputs,
    ) -> Result<Client<InProcess>, Error> {
        let store = Store::default();
        let allocator = Box::new(Shared { store: store.clone(), next: 0 });
        let mut kernel = Kernel::new(chip, settings, allocator, clock);
        if outputs.recording.is_some() {
            kernel.record();
        }
        let fault = Arc::<Mutex<Option<String>>>::default();
        // With the number of submissions that they know.
        let outputs = Mutex::new((outputs, 0));
        let known = fault.clone();
        let node = Node::new(kernel, move |kernel| {
            let (outputs, submissions) = &mut *lock(&outputs);
            let is_new = std::mem::replace(submissions, kernel.submissions()) != kernel.submissions();
            if let Some(fault) = outputs.take(kernel, is_new) {
                lock(&known).get_or_insert(fault);
            }
        });
        Client::new(InProcess { node, store, fault })
    }
}

impl Door for InProcess {
    fn call(&self, number: u8, argument: &mut [u8], pointed: &mut [Pointed]) -> Result<(), i32> {
        let mut user = Arguments::default();
        for (place, bytes) in pointed.iter() {
            let address = user.add(bytes.clone());
            agx_abi::record::set_bits(argument, 8 * *place as u32, 64, address);
        }
        self.node.call(number, argument, &mut user).map_err(|errno| errno.0)?;
        for ((_, bytes), after) in pointed.iter_mut().zip(user.0) {
            *bytes = after;
        }
        Ok(())
    }

    fn map(&self, handle: u32, bytes: u64) -> Result<Arc<dyn Words>, Error> {
        let token = self.node.lock().buffer(handle).map_or(0, |(token, _)| token);
        lock(&self.store).remove(&token).ok_or(Error::DeviceMemory { bytes })
    }

    fn now(&self) -> u64 {
        self.node.now()
    }

    fn call_name(&self, number: u8) -> &'static str {
        Kernel::call_name(number)
    }

    fn fault(&self, _: u32) -> Option<String> {
        lock(&self.fault).clone()
    }
}
