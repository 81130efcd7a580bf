//! The kernel interface, implemented in process.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, PoisonError};

use agx_abi::record::{
    Field, bind_op, gem_bind_object, gem_create, get_params, get_time, queue_create, submit, sync, vm_bind,
    vm_create,
};
use agx_device::kernel::{Allocator, Chip, Errno, Kernel, User};
use agx_device::words::Words;
use agx_device::{Finding, Settings, Statistics};

use super::{Gpu, GpuBuffer, KERNEL, SHADER_BASE, SyncPoint};
use crate::Error;

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
        self.store.lock().unwrap_or_else(PoisonError::into_inner).insert(self.next, words.clone());
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

/// Numbers of calls: the low byte of their request.
mod number {
    pub(super) const GEM_CLOSE: u8 = 0x09;
    pub(super) const GET_PARAMS: u8 = 0x40;
    pub(super) const GET_TIME: u8 = 0x41;
    pub(super) const VM_CREATE: u8 = 0x42;
    pub(super) const VM_BIND: u8 = 0x44;
    pub(super) const GEM_CREATE: u8 = 0x45;
    pub(super) const GEM_BIND_OBJECT: u8 = 0x47;
    pub(super) const QUEUE_CREATE: u8 = 0x48;
    pub(super) const SUBMIT: u8 = 0x4a;
    pub(super) const SYNC_CREATE: u8 = 0xbf;
    pub(super) const SYNC_DESTROY: u8 = 0xc0;
    pub(super) const SYNC_RESET: u8 = 0xc4;
    pub(super) const SYNC_TIMELINE_WAIT: u8 = 0xca;
    pub(super) const SYNC_QUERY: u8 = 0xcb;
    pub(super) const SYNC_TIMELINE_SIGNAL: u8 = 0xcd;
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

/// A device in process.
pub struct InProcess {
    kernel: Kernel,
    store: Store,
    vm: u32,
    queue: u32,
    outputs: Outputs,
}

impl InProcess {
    /// Opens a device that reports to `outputs`.
    ///
    /// # Errors
    /// A kernel call fails.
    pub fn open(settings: Settings, clock: fn() -> u64, outputs: Outputs) -> Result<InProcess, Error> {
        let store = Store::default();
        let allocator = Box::new(Shared { store: store.clone(), next: 0 });
        let mut kernel = Kernel::new(Chip::default(), settings, allocator, clock);
        if outputs.recording.is_some() {
            kernel.record();
        }
        let mut gpu = InProcess { kernel, store, vm: 0, queue: 0, outputs };
        let [start, end] = KERNEL;
        let fields = [(vm_create::KERNEL_START, start), (vm_create::KERNEL_END, end)];
        let made = gpu.call(number::VM_CREATE, arguments(vm_create::RECORD.bytes, &fields), Vec::new())?;
        gpu.vm = vm_create::VM.get(&made) as u32;
        let fields = [
            (queue_create::VM, gpu.vm.into()),
            (queue_create::PRIORITY, 1),
            (queue_create::SHADER_BASE, SHADER_BASE),
        ];
        let made =
            gpu.call(number::QUEUE_CREATE, arguments(queue_create::RECORD.bytes, &fields), Vec::new())?;
        gpu.queue = queue_create::QUEUE.get(&made) as u32;
        Ok(gpu)
    }

    /// The kernel, for tests and tools: statistics, listings, recordings.
    pub fn kernel(&mut self) -> &mut Kernel {
        &mut self.kernel
    }

    /// Makes a call whose structure points to `pointed`, each with the byte of the structure at which its address is.
    fn call(
        &mut self,
        number: u8,
        mut argument: Vec<u8>,
        pointed: Vec<(usize, Vec<u8>)>,
    ) -> Result<Vec<u8>, Error> {
        let mut user = Arguments::default();
        for (place, bytes) in pointed {
            let address = user.add(bytes);
            agx_abi::record::set_bits(&mut argument, 8 * place as u32, 64, address);
        }
        let refused = |errno: Errno| Error::Kernel { call: Kernel::call_name(number), number: errno.0 };
        self.kernel.call(number, &mut argument, &mut user).map_err(refused)?;
        Ok(match user.0.pop() {
            // The caller needs the data that a query writes.
            Some(last) if matches!(number, number::SYNC_QUERY | number::GET_PARAMS) => last,
            _ => argument,
        })
    }

    fn sync_call(
        &mut self,
        number: u8,
        point: SyncPoint,
        fields: &[(usize, usize, u64)],
    ) -> Result<Vec<u8>, Error> {
        let mut argument = vec![0; 48];
        for (byte, bytes, value) in fields {
            agx_abi::record::set_bits(&mut argument, 8 * *byte as u32, 8 * *bytes as u32, *value);
        }
        let points = point.value.unwrap_or(0).to_le_bytes().to_vec();
        self.call(number, argument, vec![(0, point.handle.to_le_bytes().to_vec()), (8, points)])
    }
}

/// The bytes of a structure with these fields.
fn arguments(bytes: usize, fields: &[(Field, u64)]) -> Vec<u8> {
    let mut argument = vec![0; bytes];
    fields.iter().for_each(|(field, value)| field.set_raw(&mut argument, *value));
    argument
}

/// Bytes of the parameters, and offsets of the number of clusters and of the cores of each.
const PARAMETERS: usize = 592;
const CLUSTERS: usize = 28;
const CORES: usize = 32;

impl Gpu for InProcess {
    fn cores(&mut self) -> u32 {
        let fields = [(get_params::SIZE, PARAMETERS as u64)];
        let pointer = (get_params::POINTER.start / 8) as usize;
        let argument = arguments(get_params::RECORD.bytes, &fields);
        // This call cannot fail.
        let found =
            self.call(number::GET_PARAMS, argument, vec![(pointer, vec![0; PARAMETERS])]).unwrap_or_default();
        let word = |at: usize| {
            found.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(1, u32::from_le_bytes)
        };
        word(CLUSTERS) * word(CORES).next_power_of_two()
    }

    fn create_buffer(&mut self, bytes: u64) -> Result<GpuBuffer, Error> {
        // Flag 1: cached by the processor.
        let fields = [(gem_create::SIZE, bytes), (gem_create::FLAGS, 1)];
        let made = self
            .call(number::GEM_CREATE, arguments(gem_create::RECORD.bytes, &fields), Vec::new())
            .map_err(|_| Error::DeviceMemory { bytes })?;
        let handle = gem_create::HANDLE.get(&made) as u32;
        let token = self.kernel.buffer(handle).map_or(0, |(token, _)| token);
        let words = self.store.lock().unwrap_or_else(PoisonError::into_inner).remove(&token);
        Ok(GpuBuffer { handle, words: words.ok_or(Error::DeviceMemory { bytes })? })
    }

    fn close_buffer(&mut self, handle: u32) {
        // The handle is valid, so the call cannot fail.
        let _ = self.call(number::GEM_CLOSE, [handle.to_le_bytes(), [0; 4]].concat(), Vec::new());
    }

    fn bind(&mut self, handle: u32, address: u64, bytes: u64) -> Result<(), Error> {
        let op = [
            (bind_op::READ, 1),
            (bind_op::WRITE, 1),
            (bind_op::HANDLE, handle.into()),
            (bind_op::RANGE, bytes),
            (bind_op::ADDRESS, address),
        ];
        self.bind_op(&op)
    }

    fn unbind(&mut self, address: u64, bytes: u64) {
        let op = [(bind_op::UNBIND, 1), (bind_op::RANGE, bytes), (bind_op::ADDRESS, address)];
        // The addresses are bound, so the call cannot fail.
        let _ = self.bind_op(&op);
    }

    fn bind_times(&mut self, handle: u32, bytes: u64) -> Result<u32, Error> {
        let fields = [
            (gem_bind_object::FLAGS, 1),
            (gem_bind_object::HANDLE, handle.into()),
            (gem_bind_object::RANGE, bytes),
        ];
        let size = gem_bind_object::RECORD.bytes;
        let made = self.call(number::GEM_BIND_OBJECT, arguments(size, &fields), Vec::new())?;
        Ok(gem_bind_object::OBJECT.get(&made) as u32)
    }

    fn unbind_times(&mut self, object: u32) {
        let fields = [(gem_bind_object::OP, 1), (gem_bind_object::OBJECT, object.into())];
        let _ =
            self.call(number::GEM_BIND_OBJECT, arguments(gem_bind_object::RECORD.bytes, &fields), Vec::new());
    }

    fn time(&mut self) -> u64 {
        let argument = vec![0; get_time::RECORD.bytes];
        self.call(number::GET_TIME, argument, Vec::new()).map_or(0, |got| get_time::TIMESTAMP.get(&got))
    }

    fn create_sync(&mut self, signalled: bool) -> Result<u32, Error> {
        let argument = [[0; 4], u32::from(signalled).to_le_bytes()].concat();
        let made = self.call(number::SYNC_CREATE, argument, Vec::new())?;
        Ok(agx_abi::record::bits(&made, 0, 32) as u32)
    }

    fn destroy_sync(&mut self, handle: u32) {
        let _ = self.call(number::SYNC_DESTROY, [handle.to_le_bytes(), [0; 4]].concat(), Vec::new());
    }

    fn signal(&mut self, point: SyncPoint) {
        let _ = self.sync_call(number::SYNC_TIMELINE_SIGNAL, point, &[(16, 4, 1)]);
    }

    fn reset(&mut self, handle: u32) {
        let mut argument = vec![0; 16];
        agx_abi::record::set_bits(&mut argument, 64, 32, 1);
        let _ = self.call(number::SYNC_RESET, argument, vec![(0, handle.to_le_bytes().to_vec())]);
    }

    fn is_reached(&mut self, point: SyncPoint) -> bool {
        // Flags: wait for all points, also for those without a submission yet; the deadline is in the past.
        self.sync_call(number::SYNC_TIMELINE_WAIT, point, &[(24, 4, 1), (28, 4, 3)]).is_ok()
    }

    fn timeline_value(&mut self, handle: u32) -> u64 {
        let point = SyncPoint { handle, value: None };
        let got = self.sync_call(number::SYNC_QUERY, point, &[(16, 4, 1)]);
        got.map_or(0, |bytes| agx_abi::record::bits(&bytes, 0, 64))
    }

    fn submit(&mut self, commands: &[u8], waits: &[SyncPoint], signals: &[SyncPoint]) -> Result<(), Error> {
        let syncs = waits.iter().chain(signals).flat_map(|point| {
            let fields = [
                (sync::TYPE, u64::from(point.value.is_some())),
                (sync::HANDLE, point.handle.into()),
                (sync::VALUE, point.value.unwrap_or(0)),
            ];
            arguments(sync::RECORD.bytes, &fields)
        });
        let fields = [
            (submit::QUEUE, u64::from(self.queue)),
            (submit::IN_SYNCS, waits.len() as u64),
            (submit::OUT_SYNCS, signals.len() as u64),
            (submit::SIZE, commands.len() as u64),
        ];
        let pointed = vec![(0, syncs.collect()), (8, commands.to_vec())];
        self.call(number::SUBMIT, arguments(submit::RECORD.bytes, &fields), pointed)?;
        let mut lost = None;
        for finding in self.kernel.fresh_findings() {
            (self.outputs.report)(finding);
            if finding.fatal && lost.is_none() {
                lost = Some(finding.to_string());
            }
        }
        if let Some(trace) = &mut self.outputs.trace {
            trace(&self.kernel.take_trace());
        }
        if let Some((recording, write)) = self.kernel.recording().zip(self.outputs.recording.as_mut()) {
            write(&recording);
        }
        if let Some(statistics) = &mut self.outputs.statistics {
            statistics(&self.kernel.statistics());
        }
        match lost {
            Some(finding) => Err(Error::Lost { finding }),
            None => Ok(()),
        }
    }
}

impl InProcess {
    fn bind_op(&mut self, op: &[(Field, u64)]) -> Result<(), Error> {
        let op = arguments(bind_op::RECORD.bytes, op);
        let fields =
            [(vm_bind::VM, u64::from(self.vm)), (vm_bind::COUNT, 1), (vm_bind::STRIDE, op.len() as u64)];
        self.call(number::VM_BIND, arguments(vm_bind::RECORD.bytes, &fields), vec![(16, op)])?;
        Ok(())
    }
}
