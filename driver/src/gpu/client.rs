//! The calls of `asahi_drm.h` and `drm.h`, over any way to the kernel.

use std::collections::BTreeMap;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use agx_abi::record::{
    Field, Packed, bind_op, gem_bind_object, gem_close, gem_create, get_params, get_time, queue_create,
    queue_destroy, submit, sync, sync_array, sync_create, sync_destroy, sync_points, sync_transfer,
    sync_wait, vm_bind, vm_create, vm_destroy,
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

/// Memory of a call, besides its structure.
#[derive(Debug)]
pub enum Memory<'m> {
    /// The kernel reads it.
    Read(&'m [u8]),
    /// The kernel reads and writes it.
    Written(&'m mut [u8]),
}

impl Memory<'_> {
    /// Its contents.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Memory::Read(bytes) => bytes,
            Memory::Written(bytes) => bytes,
        }
    }
}

/// Memory that a call reads or writes, and the byte of the structure at which its address goes.
pub type Pointed<'m> = (usize, Memory<'m>);

/// A way to the kernel.
pub trait Door: Send + Sync {
    /// Makes a call with a structure, after the addresses of `pointed` are entered in it.
    ///
    /// # Errors
    /// The error number of the kernel.
    fn call(&self, number: u8, argument: &mut [u8], pointed: &mut [Pointed<'_>]) -> Result<(), i32>;

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

    /// The file that maps a buffer, and the offset there; `None` if its memory is that of the process.
    ///
    /// # Errors
    /// The call fails.
    fn file(&self, handle: u32) -> Result<Option<(BorrowedFd<'_>, u64)>, Error>;

    /// A descriptor of the fences of an exported buffer.
    ///
    /// # Errors
    /// The error number of the kernel.
    fn buffer_fence(&self, buffer: BorrowedFd<'_>) -> Result<OwnedFd, i32>;

    /// Adds a fence to an exported buffer.
    ///
    /// # Errors
    /// The error number of the kernel.
    fn add_buffer_fence(&self, buffer: BorrowedFd<'_>, fence: BorrowedFd<'_>) -> Result<(), i32>;

    /// The time in nanoseconds, on the clock of deadlines.
    fn now(&self) -> u64;

    /// The name of a call, for messages.
    fn call_name(&self, number: u8) -> &'static str;

    /// A sentence about a command of a queue that ended early. `sync` is a binary sync object that a complete submission to it has
    /// signalled.
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
    /// Whether a buffer was ever exported or imported.
    has_owners: AtomicBool,
}

/// Error numbers.
const TIME: i32 = 62;
const MANY_OF_ALL: i32 = 23;
const MANY: i32 = 24;

/// The byte of a structure at which a field begins.
const fn byte(field: &Field) -> usize {
    (field.start / 8) as usize
}

/// The word at a field of a structure.
#[inline(always)]
fn word(structure: &[u8], field: &Field) -> u32 {
    let word = structure.get(byte(field)..).and_then(<[u8]>::first_chunk);
    word.map_or(0, |word| u32::from_le_bytes(*word))
}

/// Number of sync objects of a call that need no memory of the heap.
const FEW: usize = 8;

/// A list of numbers for the kernel: `N` bytes without memory of the heap.
struct List<const N: usize> {
    few: [u8; N],
    len: usize,
    /// All of them, if they are more.
    many: Vec<u8>,
}

impl<const N: usize> List<N> {
    fn new() -> List<N> {
        List { few: [0; N], len: 0, many: Vec::new() }
    }

    fn add(&mut self, bytes: &[u8]) {
        let end = self.len + bytes.len();
        match self.few.get_mut(self.len..end).filter(|_| self.many.is_empty()) {
            Some(place) => place.copy_from_slice(bytes),
            None => {
                if self.many.is_empty() {
                    self.many.extend(self.few.iter().take(self.len));
                }
                self.many.extend_from_slice(bytes);
            }
        }
        self.len = end;
    }

    fn bytes(&mut self) -> &mut [u8] {
        match self.many.is_empty() {
            true => self.few.get_mut(..self.len).unwrap_or_default(),
            false => &mut self.many,
        }
    }
}

/// Handles and points as lists for a call; a binary object has point 0.
struct Points {
    handles: List<{ 4 * FEW }>,
    values: List<{ 8 * FEW }>,
    count: u64,
}

impl Points {
    fn new<'p>(points: impl IntoIterator<Item = &'p SyncPoint>) -> Points {
        let mut all = Points { handles: List::new(), values: List::new(), count: 0 };
        for point in points {
            all.handles.add(&point.handle.to_le_bytes());
            all.values.add(&point.value.unwrap_or(0).to_le_bytes());
            all.count += 1;
        }
        all
    }

    /// The memory of a call whose structure begins with the addresses of handles and of points.
    fn pointed(&mut self) -> [Pointed<'_>; 2] {
        [(0, Memory::Read(self.handles.bytes())), (8, Memory::Written(self.values.bytes()))]
    }
}

/// Priority of the queue: medium, the highest that needs no privilege.
const PRIORITY: u64 = 1;

/// Flag of buffers that the processor caches.
const WRITEBACK: u64 = 1;

/// Flags of the descriptor of a buffer: it can be mapped for writing (`DRM_RDWR`), and `exec` closes it (`DRM_CLOEXEC`).
const READ_WRITE: u32 = 2;
const CLOSES: u32 = 0o200_0000;

/// Flag of the descriptor of a sync object: it is its fence.
const IS_FENCE: u32 = 1;

/// A structure for a descriptor: a handle, flags, and the descriptor at byte 8.
fn described<const N: usize>(handle: u32, flags: u32) -> [u8; N] {
    let mut argument = [0; N];
    let words = argument.as_chunks_mut::<4>().0.iter_mut();
    words.zip([handle, flags]).for_each(|(place, word)| *place = word.to_le_bytes());
    argument
}

impl<D: Door> Client<D> {
    /// Reads the parameters, and makes an address space and a queue.
    ///
    /// # Errors
    /// A call fails, or the device lacks addresses that the driver uses.
    pub fn new(door: D) -> Result<Client<D>, Error> {
        let parameters = Parameters::read(&[]);
        let mut client = Client {
            door,
            parameters,
            vm: 0,
            queue: 0,
            owners: Mutex::default(),
            has_owners: AtomicBool::new(false),
        };
        let mut bytes = [0; BYTES];
        let mut pointed = [(byte(&get_params::POINTER), Memory::Written(&mut bytes))];
        let argument = get_params::new().set(&get_params::SIZE, BYTES as u64);
        client.call(number::GET_PARAMS, argument, &mut pointed)?;
        client.parameters = Parameters::read(&bytes);
        let [start, end] = KERNEL;
        let [first, last] = client.parameters.addresses;
        if first > SHADER_BASE || last < end || client.parameters.kernel_bytes > end - start {
            return Err(Error::Unsupported { what: "a device with these addresses" });
        }
        let argument = vm_create::new().set(&vm_create::KERNEL_START, start).set(&vm_create::KERNEL_END, end);
        let made = client.call(number::VM_CREATE, argument, &mut [])?;
        client.vm = word(&made, &vm_create::VM);
        let argument = queue_create::new()
            .set(&queue_create::VM, client.vm.into())
            .set(&queue_create::PRIORITY, PRIORITY)
            .set(&queue_create::SHADER_BASE, SHADER_BASE);
        let made = client.call(number::QUEUE_CREATE, argument, &mut [])?;
        client.queue = word(&made, &queue_create::QUEUE);
        Ok(client)
    }

    /// The way to the kernel.
    pub fn door(&self) -> &D {
        &self.door
    }

    /// Makes a call; returns its structure, with what the kernel has entered.
    fn call<const N: usize>(
        &self,
        number: u8,
        argument: Packed<N>,
        pointed: &mut [Pointed<'_>],
    ) -> Result<[u8; N], Error> {
        let mut bytes = argument.bytes();
        match self.door.call(number, &mut bytes, pointed) {
            Ok(()) => Ok(bytes),
            Err(TIME) => Err(Error::Timeout),
            Err(errno) => Err(Error::Kernel { call: self.door.call_name(number), number: errno }),
        }
    }

    /// A call that gives a descriptor.
    fn give<const N: usize>(&self, number: u8, mut argument: [u8; N]) -> Result<OwnedFd, Error> {
        let call = self.door.call_name(number);
        self.door.give(number, &mut argument).map_err(|errno| match errno {
            MANY | MANY_OF_ALL => Error::Descriptors,
            number => Error::Kernel { call, number },
        })
    }

    /// A call that takes a descriptor, which the kernel must know; returns the handle.
    fn take<const N: usize>(
        &self,
        number: u8,
        mut argument: [u8; N],
        file: BorrowedFd<'_>,
    ) -> Result<u32, Error> {
        self.door.take(number, &mut argument, file).map_err(|_| Error::ExternalHandle)?;
        Ok(agx_abi::record::bits(&argument, 0, 32) as u32)
    }

    /// The owners of handles, to add one.
    fn owners(&self) -> MutexGuard<'_, BTreeMap<u32, u32>> {
        self.has_owners.store(true, Ordering::Release);
        lock(&self.owners)
    }

    fn bind_op(&self, op: Packed<{ bind_op::RECORD.bytes }>) -> Result<(), Error> {
        let op = op.bytes();
        let argument = vm_bind::new()
            .set(&vm_bind::VM, self.vm.into())
            .set(&vm_bind::COUNT, 1)
            .set(&vm_bind::STRIDE, op.len() as u64);
        self.call(number::VM_BIND, argument, &mut [(byte(&vm_bind::POINTER), Memory::Read(&op))])?;
        Ok(())
    }
}

/// The binding of a buffer at addresses that programs read and write.
fn bound(handle: u32, address: u64, bytes: u64) -> Packed<{ bind_op::RECORD.bytes }> {
    bind_op::new()
        .flag(&bind_op::READ, true)
        .flag(&bind_op::WRITE, true)
        .set(&bind_op::HANDLE, handle.into())
        .set(&bind_op::RANGE, bytes)
        .set(&bind_op::ADDRESS, address)
}

impl<D: Door> Gpu for Client<D> {
    fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    fn create_buffer(&self, bytes: u64) -> Result<GpuBuffer, Error> {
        let argument = gem_create::new().set(&gem_create::SIZE, bytes).set(&gem_create::FLAGS, WRITEBACK);
        let made =
            self.call(number::GEM_CREATE, argument, &mut []).map_err(|_| Error::DeviceMemory { bytes })?;
        let handle = word(&made, &gem_create::HANDLE);
        let words = self.door.map(handle, bytes.next_multiple_of(PAGE));
        let words = words.inspect_err(|_| self.close_buffer(handle))?;
        Ok(GpuBuffer { handle, words })
    }

    fn close_buffer(&self, handle: u32) {
        let mut owners = self.has_owners.load(Ordering::Acquire).then(|| lock(&self.owners));
        if let Some(owners) = &mut owners
            && let Some(count) = owners.get_mut(&handle)
        {
            *count -= 1;
            if *count > 0 {
                return;
            }
            owners.remove(&handle);
        }
        // The handle is valid, so the call cannot fail. An import must not get the handle before it is closed.
        let _ =
            self.call(number::GEM_CLOSE, gem_close::new().set(&gem_close::HANDLE, handle.into()), &mut []);
    }

    fn file(&self, handle: u32) -> Result<Option<(BorrowedFd<'_>, u64)>, Error> {
        self.door.file(handle)
    }

    fn export_buffer(&self, handle: u32) -> Result<OwnedFd, Error> {
        self.owners().entry(handle).or_insert(1);
        self.give(number::BUFFER_EXPORT, described::<12>(handle, READ_WRITE | CLOSES))
    }

    fn import_buffer(&self, file: BorrowedFd<'_>) -> Result<(GpuBuffer, u64), Error> {
        let handle = {
            let mut owners = self.owners();
            let handle = self.take(number::BUFFER_IMPORT, [0; 12], file)?;
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

    fn buffer_fence(&self, buffer: BorrowedFd<'_>) -> Result<OwnedFd, Error> {
        let call = "export sync file";
        self.door.buffer_fence(buffer).map_err(|number| Error::Kernel { call, number })
    }

    fn add_buffer_fence(&self, buffer: BorrowedFd<'_>, fence: BorrowedFd<'_>) -> Result<(), Error> {
        let call = "import sync file";
        self.door.add_buffer_fence(buffer, fence).map_err(|number| Error::Kernel { call, number })
    }

    fn bind(&self, handle: u32, offset: u64, address: u64, bytes: u64) -> Result<(), Error> {
        self.bind_op(bound(handle, address, bytes).set(&bind_op::OFFSET, offset))
    }

    fn bind_page(&self, handle: u32, address: u64, bytes: u64) -> Result<(), Error> {
        self.bind_op(bound(handle, address, bytes).flag(&bind_op::SINGLE_PAGE, true))
    }

    fn unbind(&self, address: u64, bytes: u64) {
        let op = bind_op::new()
            .flag(&bind_op::UNBIND, true)
            .set(&bind_op::RANGE, bytes)
            .set(&bind_op::ADDRESS, address);
        // The addresses are bound, so the call cannot fail.
        let _ = self.bind_op(op);
    }

    fn bind_times(&self, handle: u32, bytes: u64) -> Result<u32, Error> {
        let argument = gem_bind_object::new()
            .set(&gem_bind_object::FLAGS, 1)
            .set(&gem_bind_object::HANDLE, handle.into())
            .set(&gem_bind_object::RANGE, bytes);
        let made = self.call(number::GEM_BIND_OBJECT, argument, &mut [])?;
        Ok(word(&made, &gem_bind_object::OBJECT))
    }

    fn unbind_times(&self, object: u32) {
        let argument =
            gem_bind_object::new().set(&gem_bind_object::OP, 1).set(&gem_bind_object::OBJECT, object.into());
        // The object exists, so the call cannot fail.
        let _ = self.call(number::GEM_BIND_OBJECT, argument, &mut []);
    }

    fn time(&self) -> u64 {
        let got = self.call(number::GET_TIME, get_time::new(), &mut []);
        got.map_or(0, |got| get_time::TIMESTAMP.get(&got))
    }

    fn create_sync(&self, signalled: bool) -> Result<u32, Error> {
        let argument = sync_create::new().flag(&sync_create::SIGNALLED, signalled);
        let made = self.call(number::SYNC_CREATE, argument, &mut [])?;
        Ok(word(&made, &sync_create::HANDLE))
    }

    fn destroy_sync(&self, handle: u32) {
        let argument = sync_destroy::new().set(&sync_destroy::HANDLE, handle.into());
        // The handle is valid, so the call cannot fail.
        let _ = self.call(number::SYNC_DESTROY, argument, &mut []);
    }

    fn export_sync(&self, handle: u32) -> Result<OwnedFd, Error> {
        self.give(number::SYNC_EXPORT, described::<16>(handle, 0))
    }

    fn import_sync(&self, file: BorrowedFd<'_>) -> Result<u32, Error> {
        self.take(number::SYNC_IMPORT, [0; 16], file)
    }

    fn export_fence(&self, handle: u32) -> Result<OwnedFd, Error> {
        self.give(number::SYNC_EXPORT, described::<16>(handle, IS_FENCE))
    }

    fn import_fence(&self, handle: u32, file: BorrowedFd<'_>) -> Result<(), Error> {
        let argument = described::<16>(handle, IS_FENCE);
        self.take(number::SYNC_IMPORT, argument, file).map(|_| ())
    }

    fn signal(&self, point: SyncPoint) {
        let mut points = Points::new(&[point]);
        let [handles, values] = points.pointed();
        // The handle is valid, so the calls cannot fail.
        match point.value {
            Some(_) => {
                let argument = sync_points::new().set(&sync_points::COUNT, 1);
                let _ = self.call(number::SYNC_TIMELINE_SIGNAL, argument, &mut [handles, values]);
            }
            None => {
                let argument = sync_array::new().set(&sync_array::COUNT, 1);
                let _ = self.call(number::SYNC_SIGNAL, argument, &mut [handles]);
            }
        }
    }

    fn reset(&self, handle: u32) {
        let handles = handle.to_le_bytes();
        let argument = sync_array::new().set(&sync_array::COUNT, 1);
        let _ = self.call(number::SYNC_RESET, argument, &mut [(0, Memory::Read(&handles))]);
    }

    fn wait(&self, points: &[SyncPoint], wait: WaitFor, nanoseconds: u64) -> Result<(), Error> {
        // Every timeline has reached 0, and the kernel takes that point for the latest.
        let is_zero = |point: &&SyncPoint| point.value == Some(0);
        let reached = points.iter().filter(is_zero).count();
        if reached == points.len() || (wait == WaitFor::Any && reached > 0) {
            return Ok(());
        }
        let mut points = Points::new(points.iter().filter(|point| !is_zero(point)));
        let deadline = match nanoseconds {
            0 => 0,
            _ => self.door.now().saturating_add(nanoseconds).min(i64::MAX as u64),
        };
        let argument = sync_wait::new()
            .set(&sync_wait::DEADLINE, deadline)
            .set(&sync_wait::COUNT, points.count)
            .flag(&sync_wait::FOR_ALL, wait != WaitFor::Any)
            .flag(&sync_wait::FOR_SUBMIT, true)
            .flag(&sync_wait::AVAILABLE, wait == WaitFor::Submission);
        self.call(number::SYNC_TIMELINE_WAIT, argument, &mut points.pointed())?;
        Ok(())
    }

    fn timeline_value(&self, handle: u32) -> u64 {
        let mut points = Points::new(&[SyncPoint { handle, value: None }]);
        let argument = sync_points::new().set(&sync_points::COUNT, 1);
        // The handle is valid, so the call cannot fail.
        let _ = self.call(number::SYNC_QUERY, argument, &mut points.pointed());
        agx_abi::record::bits(points.values.bytes(), 0, 64)
    }

    fn transfer(&self, from: SyncPoint, to: SyncPoint) -> Result<(), Error> {
        let argument = sync_transfer::new()
            .set(&sync_transfer::FROM, from.handle.into())
            .set(&sync_transfer::TO, to.handle.into())
            .set(&sync_transfer::FROM_POINT, from.value.unwrap_or(0))
            .set(&sync_transfer::TO_POINT, to.value.unwrap_or(0));
        self.call(number::SYNC_TRANSFER, argument, &mut [])?;
        Ok(())
    }

    fn submit(&self, commands: &[u8], waits: &[SyncPoint], signals: [&[SyncPoint]; 2]) -> Result<(), Error> {
        let waits = waits.iter().filter(|point| point.value != Some(0));
        let mut syncs = List::<{ FEW * sync::RECORD.bytes }>::new();
        let mut counts = [0; 2];
        for (point, count) in
            waits.map(|wait| (wait, 0)).chain(signals.into_iter().flatten().map(|signal| (signal, 1)))
        {
            let record = sync::new()
                .flag(&sync::TYPE, point.value.is_some())
                .set(&sync::HANDLE, point.handle.into())
                .set(&sync::VALUE, point.value.unwrap_or(0));
            syncs.add(&record.bytes());
            counts[count] += 1;
        }
        let argument = submit::new()
            .set(&submit::QUEUE, self.queue.into())
            .set(&submit::IN_SYNCS, counts[0])
            .set(&submit::OUT_SYNCS, counts[1])
            .set(&submit::SIZE, commands.len() as u64);
        let mut pointed = [
            (byte(&submit::SYNCS), Memory::Read(syncs.bytes())),
            (byte(&submit::COMMANDS), Memory::Read(commands)),
        ];
        self.call(number::SUBMIT, argument, &mut pointed)?;
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
        let queue = queue_destroy::new().set(&queue_destroy::QUEUE, self.queue.into());
        let _ = self.call(number::QUEUE_DESTROY, queue, &mut []);
        let vm = vm_destroy::new().set(&vm_destroy::VM, self.vm.into());
        let _ = self.call(number::VM_DESTROY, vm, &mut []);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_hold_any_number_of_points() {
        for count in 0..3 * FEW as u32 {
            let list: Vec<SyncPoint> =
                (0..count).map(|handle| SyncPoint { handle, value: Some(handle.into()) }).collect();
            let mut points = Points::new(&list);
            let handles: Vec<u8> = (0..count).flat_map(u32::to_le_bytes).collect();
            let values: Vec<u8> = (0..u64::from(count)).flat_map(u64::to_le_bytes).collect();
            assert_eq!((points.handles.bytes().to_vec(), points.values.bytes().to_vec()), (handles, values));
            assert_eq!(points.count, count.into());
        }
    }
}
