//! The calls of `asahi_drm.h` and `drm.h`, over any way to the kernel.

use std::collections::BTreeMap;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex};

use agx_abi::record::{
    Field, bind_op, gem_bind_object, gem_create, get_params, get_time, queue_create, queue_destroy, set_bits,
    submit, sync, vm_bind, vm_create, vm_destroy,
};
use agx_device::words::Words;

use super::parameters::{BYTES, Parameters};
use super::{Gpu, GpuBuffer, KERNEL, PAGE, SHADER_BASE, SyncPoint, WaitFor};
use crate::Error;
use crate::memory::lock;

/// Numbers of calls: the low byte of their request.
pub mod number {
    /// `DRM_IOCTL_GEM_CLOSE`.
    pub const GEM_CLOSE: u8 = 0x09;
    /// `DRM_IOCTL_PRIME_HANDLE_TO_FD`.
    pub const BUFFER_EXPORT: u8 = 0x2d;
    /// `DRM_IOCTL_PRIME_FD_TO_HANDLE`.
    pub const BUFFER_IMPORT: u8 = 0x2e;
    /// `DRM_IOCTL_ASAHI_GET_PARAMS`.
    pub const GET_PARAMS: u8 = 0x40;
    /// `DRM_IOCTL_ASAHI_GET_TIME`.
    pub const GET_TIME: u8 = 0x41;
    /// `DRM_IOCTL_ASAHI_VM_CREATE`.
    pub const VM_CREATE: u8 = 0x42;
    /// `DRM_IOCTL_ASAHI_VM_DESTROY`.
    pub const VM_DESTROY: u8 = 0x43;
    /// `DRM_IOCTL_ASAHI_VM_BIND`.
    pub const VM_BIND: u8 = 0x44;
    /// `DRM_IOCTL_ASAHI_GEM_CREATE`.
    pub const GEM_CREATE: u8 = 0x45;
    /// `DRM_IOCTL_ASAHI_GEM_BIND_OBJECT`.
    pub const GEM_BIND_OBJECT: u8 = 0x47;
    /// `DRM_IOCTL_ASAHI_QUEUE_CREATE`.
    pub const QUEUE_CREATE: u8 = 0x48;
    /// `DRM_IOCTL_ASAHI_QUEUE_DESTROY`.
    pub const QUEUE_DESTROY: u8 = 0x49;
    /// `DRM_IOCTL_ASAHI_SUBMIT`.
    pub const SUBMIT: u8 = 0x4a;
    /// `DRM_IOCTL_SYNCOBJ_CREATE`.
    pub const SYNC_CREATE: u8 = 0xbf;
    /// `DRM_IOCTL_SYNCOBJ_DESTROY`.
    pub const SYNC_DESTROY: u8 = 0xc0;
    /// `DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD`.
    pub const SYNC_EXPORT: u8 = 0xc1;
    /// `DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE`.
    pub const SYNC_IMPORT: u8 = 0xc2;
    /// `DRM_IOCTL_SYNCOBJ_RESET`.
    pub const SYNC_RESET: u8 = 0xc4;
    /// `DRM_IOCTL_SYNCOBJ_SIGNAL`.
    pub const SYNC_SIGNAL: u8 = 0xc5;
    /// `DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT`.
    pub const SYNC_TIMELINE_WAIT: u8 = 0xca;
    /// `DRM_IOCTL_SYNCOBJ_QUERY`.
    pub const SYNC_QUERY: u8 = 0xcb;
    /// `DRM_IOCTL_SYNCOBJ_TRANSFER`.
    pub const SYNC_TRANSFER: u8 = 0xcc;
    /// `DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL`.
    pub const SYNC_TIMELINE_SIGNAL: u8 = 0xcd;
}

/// Memory that a call reads or writes: the byte of the structure at which its address goes, and its contents.
pub type Pointed = (usize, Vec<u8>);

/// A way to the kernel.
pub trait Door: Send + Sync {
    /// Makes a call with a structure, after the addresses of `pointed` are entered in it.
    ///
    /// # Errors
    /// The error number of the kernel.
    fn call(&self, number: u8, argument: &mut [u8], pointed: &mut [Pointed]) -> Result<(), i32>;

    /// Makes a call whose structure receives a descriptor at byte 8.
    ///
    /// # Errors
    /// The error number of the kernel.
    fn give(&self, number: u8, argument: &mut [u8]) -> Result<OwnedFd, i32>;

    /// Makes a call after a descriptor is entered at byte 8 of its structure.
    ///
    /// # Errors
    /// The error number of the kernel.
    fn take(&self, number: u8, argument: &mut [u8], file: BorrowedFd<'_>) -> Result<(), i32>;

    /// The size of a buffer in bytes, by its handle and the descriptor that it was imported from.
    fn bytes(&self, handle: u32, file: BorrowedFd<'_>) -> Option<u64>;

    /// The memory of a buffer of this number of bytes.
    ///
    /// # Errors
    /// It cannot be mapped.
    fn map(&self, handle: u32, bytes: u64) -> Result<Arc<dyn Words>, Error>;

    /// The time in nanoseconds, on the clock of deadlines.
    fn now(&self) -> u64;

    /// The name of a call, for messages.
    fn call_name(&self, number: u8) -> &'static str;

    /// A sentence about a command of a queue that ended early. `sync` is a binary sync object that its latest submission signals.
    fn fault(&self, queue: u32, sync: u32) -> Option<String>;
}

/// The kernel's objects that a driver uses, behind a door.
pub struct Client<D: Door> {
    door: D,
    parameters: Parameters,
    vm: u32,
    queue: u32,
    /// Owners of the handles of buffers that were exported or imported: an import of a buffer that the client has may give the
    /// same handle again.
    owners: Mutex<BTreeMap<u32, u32>>,
}

/// Error numbers.
const TIME: i32 = 62;
const MANY_OF_ALL: i32 = 23;
const MANY: i32 = 24;

/// The bytes of a structure with these fields.
fn arguments(bytes: usize, fields: &[(Field, u64)]) -> Vec<u8> {
    let mut argument = vec![0; bytes];
    fields.iter().for_each(|(field, value)| field.set_raw(&mut argument, *value));
    argument
}

/// The bytes of a structure of words, each with its first byte and its length in bytes.
fn words(bytes: usize, fields: &[(usize, usize, u64)]) -> Vec<u8> {
    let mut argument = vec![0; bytes];
    for (at, len, value) in fields {
        set_bits(&mut argument, 8 * *at as u32, 8 * *len as u32, *value);
    }
    argument
}

/// Priority of the queue: medium, the highest that needs no privilege.
const PRIORITY: u64 = 1;

/// Flag of buffers that the processor caches.
const WRITEBACK: u64 = 1;

/// Flags of the descriptor of a buffer: it can be mapped for writing (`DRM_RDWR`), and `exec` closes it (`DRM_CLOEXEC`).
const READ_WRITE: u64 = 2;
const CLOSES: u64 = 0o200_0000;

/// Flag of the descriptor of a sync object: it is its fence.
const IS_FENCE: u64 = 1;

/// Flags of waits.
const WAIT_ALL: u64 = 1;
const WAIT_FOR_SUBMIT: u64 = 2;
const WAIT_AVAILABLE: u64 = 4;

impl<D: Door> Client<D> {
    /// Reads the parameters, and makes an address space and a queue.
    ///
    /// # Errors
    /// A call fails, or the device lacks addresses that the driver uses.
    pub fn new(door: D) -> Result<Client<D>, Error> {
        let parameters = Parameters::read(&[]);
        let mut client = Client { door, parameters, vm: 0, queue: 0, owners: Mutex::default() };
        let fields = [(get_params::SIZE, BYTES as u64)];
        let pointer = (get_params::POINTER.start / 8) as usize;
        let mut pointed = [(pointer, vec![0; BYTES])];
        let argument = arguments(get_params::RECORD.bytes, &fields);
        client.call(number::GET_PARAMS, argument, &mut pointed)?;
        client.parameters = Parameters::read(&pointed[0].1);
        let [start, end] = KERNEL;
        let [first, last] = client.parameters.addresses;
        if first > SHADER_BASE || last < end || client.parameters.kernel_bytes > end - start {
            return Err(Error::Unsupported { what: "a device with these addresses" });
        }
        let fields = [(vm_create::KERNEL_START, start), (vm_create::KERNEL_END, end)];
        let made = client.call(number::VM_CREATE, arguments(vm_create::RECORD.bytes, &fields), &mut [])?;
        client.vm = vm_create::VM.get(&made) as u32;
        let fields = [
            (queue_create::VM, client.vm.into()),
            (queue_create::PRIORITY, PRIORITY),
            (queue_create::SHADER_BASE, SHADER_BASE),
        ];
        let made =
            client.call(number::QUEUE_CREATE, arguments(queue_create::RECORD.bytes, &fields), &mut [])?;
        client.queue = queue_create::QUEUE.get(&made) as u32;
        Ok(client)
    }

    /// The way to the kernel.
    pub fn door(&self) -> &D {
        &self.door
    }

    fn call(&self, number: u8, mut argument: Vec<u8>, pointed: &mut [Pointed]) -> Result<Vec<u8>, Error> {
        let call = self.door.call_name(number);
        self.door.call(number, &mut argument, pointed).map_err(|errno| match errno {
            TIME => Error::Timeout,
            number => Error::Kernel { call, number },
        })?;
        Ok(argument)
    }

    /// A call that gives a descriptor.
    fn give(&self, number: u8, mut argument: Vec<u8>) -> Result<OwnedFd, Error> {
        let call = self.door.call_name(number);
        self.door.give(number, &mut argument).map_err(|errno| match errno {
            MANY | MANY_OF_ALL => Error::Descriptors,
            number => Error::Kernel { call, number },
        })
    }

    /// A call that takes a descriptor, which the kernel must know; returns the handle.
    fn take(&self, number: u8, mut argument: Vec<u8>, file: BorrowedFd<'_>) -> Result<u32, Error> {
        self.door.take(number, &mut argument, file).map_err(|_| Error::ExternalHandle)?;
        Ok(agx_abi::record::bits(&argument, 0, 32) as u32)
    }

    fn bind_op(&self, op: &[(Field, u64)]) -> Result<(), Error> {
        let op = arguments(bind_op::RECORD.bytes, op);
        let fields =
            [(vm_bind::VM, u64::from(self.vm)), (vm_bind::COUNT, 1), (vm_bind::STRIDE, op.len() as u64)];
        let pointer = (vm_bind::POINTER.start / 8) as usize;
        self.call(number::VM_BIND, arguments(vm_bind::RECORD.bytes, &fields), &mut [(pointer, op)])?;
        Ok(())
    }
}

/// Handles and points as arrays for a call; a binary object has point 0.
fn arrays(points: &[SyncPoint]) -> [Pointed; 2] {
    let handles = points.iter().flat_map(|point| point.handle.to_le_bytes()).collect();
    let values = points.iter().flat_map(|point| point.value.unwrap_or(0).to_le_bytes()).collect();
    [(0, handles), (8, values)]
}

impl<D: Door> Gpu for Client<D> {
    fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    fn create_buffer(&self, bytes: u64) -> Result<GpuBuffer, Error> {
        let fields = [(gem_create::SIZE, bytes), (gem_create::FLAGS, WRITEBACK)];
        let made = self
            .call(number::GEM_CREATE, arguments(gem_create::RECORD.bytes, &fields), &mut [])
            .map_err(|_| Error::DeviceMemory { bytes })?;
        let handle = gem_create::HANDLE.get(&made) as u32;
        let words = self.door.map(handle, bytes.next_multiple_of(PAGE));
        let words = words.inspect_err(|_| self.close_buffer(handle))?;
        Ok(GpuBuffer { handle, words })
    }

    fn close_buffer(&self, handle: u32) {
        let mut owners = lock(&self.owners);
        if let Some(count) = owners.get_mut(&handle) {
            *count -= 1;
            if *count > 0 {
                return;
            }
            owners.remove(&handle);
        }
        // The handle is valid, so the call cannot fail. An import must not get the handle before it is closed.
        let _ = self.call(number::GEM_CLOSE, words(8, &[(0, 4, handle.into())]), &mut []);
    }

    fn export_buffer(&self, handle: u32) -> Result<OwnedFd, Error> {
        lock(&self.owners).entry(handle).or_insert(1);
        self.give(number::BUFFER_EXPORT, words(12, &[(0, 4, handle.into()), (4, 4, READ_WRITE | CLOSES)]))
    }

    fn import_buffer(&self, file: BorrowedFd<'_>) -> Result<(GpuBuffer, u64), Error> {
        let handle = {
            let mut owners = lock(&self.owners);
            let handle = self.take(number::BUFFER_IMPORT, vec![0; 12], file)?;
            *owners.entry(handle).or_insert(0) += 1;
            handle
        };
        let bytes = self.door.bytes(handle, file).filter(|bytes| *bytes > 0 && bytes.is_multiple_of(PAGE));
        let words = bytes.ok_or(Error::ExternalHandle).and_then(|bytes| self.door.map(handle, bytes));
        let words = words.map_err(|error| match error {
            // The memory of another device.
            Error::Kernel { .. } => Error::ExternalHandle,
            other => other,
        });
        let words = words.inspect_err(|_| self.close_buffer(handle))?;
        let bytes = words.words().len() as u64 * 4;
        Ok((GpuBuffer { handle, words }, bytes))
    }

    fn bind(&self, handle: u32, address: u64, bytes: u64) -> Result<(), Error> {
        let op = [
            (bind_op::READ, 1),
            (bind_op::WRITE, 1),
            (bind_op::HANDLE, handle.into()),
            (bind_op::RANGE, bytes),
            (bind_op::ADDRESS, address),
        ];
        self.bind_op(&op)
    }

    fn unbind(&self, address: u64, bytes: u64) {
        let op = [(bind_op::UNBIND, 1), (bind_op::RANGE, bytes), (bind_op::ADDRESS, address)];
        // The addresses are bound, so the call cannot fail.
        let _ = self.bind_op(&op);
    }

    fn bind_times(&self, handle: u32, bytes: u64) -> Result<u32, Error> {
        let fields = [
            (gem_bind_object::FLAGS, 1),
            (gem_bind_object::HANDLE, handle.into()),
            (gem_bind_object::RANGE, bytes),
        ];
        let argument = arguments(gem_bind_object::RECORD.bytes, &fields);
        let made = self.call(number::GEM_BIND_OBJECT, argument, &mut [])?;
        Ok(gem_bind_object::OBJECT.get(&made) as u32)
    }

    fn unbind_times(&self, object: u32) {
        let fields = [(gem_bind_object::OP, 1), (gem_bind_object::OBJECT, object.into())];
        let argument = arguments(gem_bind_object::RECORD.bytes, &fields);
        // The object exists, so the call cannot fail.
        let _ = self.call(number::GEM_BIND_OBJECT, argument, &mut []);
    }

    fn time(&self) -> u64 {
        let argument = vec![0; get_time::RECORD.bytes];
        self.call(number::GET_TIME, argument, &mut []).map_or(0, |got| get_time::TIMESTAMP.get(&got))
    }

    fn create_sync(&self, signalled: bool) -> Result<u32, Error> {
        let argument = words(8, &[(4, 4, signalled.into())]);
        let made = self.call(number::SYNC_CREATE, argument, &mut [])?;
        Ok(agx_abi::record::bits(&made, 0, 32) as u32)
    }

    fn destroy_sync(&self, handle: u32) {
        // The handle is valid, so the call cannot fail.
        let _ = self.call(number::SYNC_DESTROY, words(8, &[(0, 4, handle.into())]), &mut []);
    }

    fn export_sync(&self, handle: u32) -> Result<OwnedFd, Error> {
        self.give(number::SYNC_EXPORT, words(16, &[(0, 4, handle.into())]))
    }

    fn import_sync(&self, file: BorrowedFd<'_>) -> Result<u32, Error> {
        self.take(number::SYNC_IMPORT, vec![0; 16], file)
    }

    fn export_fence(&self, handle: u32) -> Result<OwnedFd, Error> {
        self.give(number::SYNC_EXPORT, words(16, &[(0, 4, handle.into()), (4, 4, IS_FENCE)]))
    }

    fn import_fence(&self, handle: u32, file: BorrowedFd<'_>) -> Result<(), Error> {
        let argument = words(16, &[(0, 4, handle.into()), (4, 4, IS_FENCE)]);
        self.take(number::SYNC_IMPORT, argument, file).map(|_| ())
    }

    fn signal(&self, point: SyncPoint) {
        let [handles, values] = arrays(&[point]);
        // The handle is valid, so the calls cannot fail.
        let _ = match point.value {
            Some(_) => {
                self.call(number::SYNC_TIMELINE_SIGNAL, words(24, &[(16, 4, 1)]), &mut [handles, values])
            }
            None => self.call(number::SYNC_SIGNAL, words(16, &[(8, 4, 1)]), &mut [handles]),
        };
    }

    fn reset(&self, handle: u32) {
        let [handles, _] = arrays(&[SyncPoint { handle, value: None }]);
        let _ = self.call(number::SYNC_RESET, words(16, &[(8, 4, 1)]), &mut [handles]);
    }

    fn wait(&self, points: &[SyncPoint], wait: WaitFor, nanoseconds: u64) -> Result<(), Error> {
        // Every timeline has reached 0, and the kernel takes that point for the latest.
        let is_zero = |point: &&SyncPoint| point.value == Some(0);
        let reached = points.iter().filter(is_zero).count();
        if reached == points.len() || (wait == WaitFor::Any && reached > 0) {
            return Ok(());
        }
        let points: Vec<SyncPoint> = points.iter().filter(|point| !is_zero(point)).copied().collect();
        let flags = match wait {
            WaitFor::Any => WAIT_FOR_SUBMIT,
            WaitFor::All => WAIT_FOR_SUBMIT | WAIT_ALL,
            WaitFor::Submission => WAIT_FOR_SUBMIT | WAIT_ALL | WAIT_AVAILABLE,
        };
        let deadline = match nanoseconds {
            0 => 0,
            _ => self.door.now().saturating_add(nanoseconds).min(i64::MAX as u64),
        };
        let fields = [(16, 8, deadline), (24, 4, points.len() as u64), (28, 4, flags)];
        self.call(number::SYNC_TIMELINE_WAIT, words(48, &fields), &mut arrays(&points))?;
        Ok(())
    }

    fn timeline_value(&self, handle: u32) -> u64 {
        let mut arrays = arrays(&[SyncPoint { handle, value: None }]);
        // The handle is valid, so the call cannot fail.
        let _ = self.call(number::SYNC_QUERY, words(24, &[(16, 4, 1)]), &mut arrays);
        agx_abi::record::bits(&arrays[1].1, 0, 64)
    }

    fn transfer(&self, from: SyncPoint, to: SyncPoint) -> Result<(), Error> {
        let fields = [
            (0, 4, from.handle.into()),
            (4, 4, to.handle.into()),
            (8, 8, from.value.unwrap_or(0)),
            (16, 8, to.value.unwrap_or(0)),
        ];
        self.call(number::SYNC_TRANSFER, words(32, &fields), &mut [])?;
        Ok(())
    }

    fn submit(&self, commands: &[u8], waits: &[SyncPoint], signals: &[SyncPoint]) -> Result<(), Error> {
        let waits: Vec<&SyncPoint> = waits.iter().filter(|point| point.value != Some(0)).collect();
        let syncs = waits.iter().copied().chain(signals).flat_map(|point| {
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
        let mut pointed = [(0, syncs.collect()), (8, commands.to_vec())];
        self.call(number::SUBMIT, arguments(submit::RECORD.bytes, &fields), &mut pointed)?;
        Ok(())
    }

    fn fault(&self, sync: u32) -> Option<String> {
        self.door.fault(self.queue, sync)
    }
}

/// The kernel may live longer than the client.
impl<D: Door> Drop for Client<D> {
    fn drop(&mut self) {
        // The calls fail only for what was not made.
        let queue = arguments(queue_destroy::RECORD.bytes, &[(queue_destroy::QUEUE, self.queue.into())]);
        let _ = self.call(number::QUEUE_DESTROY, queue, &mut []);
        let vm = arguments(vm_destroy::RECORD.bytes, &[(vm_destroy::VM, self.vm.into())]);
        let _ = self.call(number::VM_DESTROY, vm, &mut []);
    }
}
