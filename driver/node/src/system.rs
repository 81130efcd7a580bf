//! The system calls: the only unsafe code of the crate.

use std::ffi::c_void;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::atomic::AtomicU32;

use agx_device::words::Words;
use rustix::io::Errno;
use rustix::ioctl::opcode::from_components;
use rustix::ioctl::{Direction, Ioctl, IoctlOutput, Opcode, ioctl};
use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};

/// A call with a structure.
struct Call<'a> {
    opcode: Opcode,
    argument: &'a mut [u8],
}

// SAFETY: the opcode states the length of the structure, which is that of the slice (`call`), and the kernel reads and
// writes only the slice and the memory to which its addresses point.
unsafe impl Ioctl for Call<'_> {
    type Output = ();
    const IS_MUTATING: bool = true;

    fn opcode(&self) -> Opcode {
        self.opcode
    }

    fn as_ptr(&mut self) -> *mut c_void {
        self.argument.as_mut_ptr().cast()
    }

    unsafe fn output_from_ptr(_: IoctlOutput, _: *mut c_void) -> rustix::io::Result<()> {
        Ok(())
    }
}

/// Makes a call, again if a signal interrupts it.
///
/// # Safety
/// The opcode's length is that of `argument`. The kernel may follow addresses in `argument`; they point to memory that lives
/// and is not borrowed elsewhere during the call.
pub(crate) unsafe fn call(file: BorrowedFd<'_>, opcode: Opcode, argument: &mut [u8]) -> Result<(), Errno> {
    loop {
        // SAFETY: the caller's promise.
        match unsafe { ioctl(file, Call { opcode, argument: &mut *argument }) } {
            Err(Errno::INTR | Errno::AGAIN) => {}
            other => return other,
        }
    }
}

/// The owner of a descriptor.
///
/// # Safety
/// The descriptor is open, and nothing else closes it.
pub(crate) unsafe fn owned(descriptor: i32) -> OwnedFd {
    // SAFETY: the caller's promise.
    unsafe { OwnedFd::from_raw_fd(descriptor) }
}

/// The status of an exported fence: 1 signalled, 0 not, negative if its work failed.
pub(crate) fn fence_status(fence: BorrowedFd<'_>) -> Option<i32> {
    // `sync_file_info`: the status follows a name of 32 bytes.
    let mut argument = [0; 56];
    let opcode = from_components(Direction::ReadWrite, b'>', 4, argument.len());
    // SAFETY: the opcode has the structure's length; with a count of 0 the kernel follows no address.
    unsafe { call(fence, opcode, &mut argument) }.ok()?;
    argument.get(32..36)?.try_into().ok().map(i32::from_le_bytes)
}

/// Letter of the calls to exported buffers (`linux/dma-buf.h`), and their access that is waited for: reads and writes.
const BUFFER: u8 = b'b';
const ACCESS: u32 = 3;

/// The structure of a call to an exported buffer: the access, and a descriptor.
fn access(descriptor: i32) -> [u8; 8] {
    let mut argument = [0; 8];
    let words = argument.as_chunks_mut::<4>().0.iter_mut();
    words.zip([ACCESS.to_le_bytes(), descriptor.to_le_bytes()]).for_each(|(place, word)| *place = word);
    argument
}

/// A fence of the work on an exported buffer (`DMA_BUF_IOCTL_EXPORT_SYNC_FILE`).
pub(crate) fn buffer_fence(buffer: BorrowedFd<'_>) -> Result<OwnedFd, Errno> {
    let mut argument = access(-1);
    let opcode = from_components(Direction::ReadWrite, BUFFER, 2, argument.len());
    // SAFETY: the opcode has the structure's length; the kernel follows no address.
    unsafe { call(buffer, opcode, &mut argument) }?;
    let [_, descriptor] = *argument.as_chunks::<4>().0 else { return Err(Errno::BADF) };
    // SAFETY: the kernel has just made the descriptor for this process, and nothing else has it.
    Ok(unsafe { owned(i32::from_le_bytes(descriptor)) })
}

/// Adds a fence to the work on an exported buffer (`DMA_BUF_IOCTL_IMPORT_SYNC_FILE`).
pub(crate) fn add_buffer_fence(buffer: BorrowedFd<'_>, fence: BorrowedFd<'_>) -> Result<(), Errno> {
    let mut argument = access(fence.as_raw_fd());
    let opcode = from_components(Direction::Write, BUFFER, 3, argument.len());
    // SAFETY: as above.
    unsafe { call(buffer, opcode, &mut argument) }
}

/// A buffer in the memory of the process.
pub(crate) struct Mapping {
    address: *mut c_void,
    bytes: usize,
}

// SAFETY: the mapping belongs to this object, and its atomic words can be shared between threads.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps bytes of a buffer, which the processor reads and writes.
    pub(crate) fn new(file: impl AsFd, offset: u64, bytes: usize) -> Result<Mapping, Errno> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at an address that the kernel chooses.
        let address = unsafe { mmap(std::ptr::null_mut(), bytes, access, MapFlags::SHARED, file, offset) }?;
        Ok(Mapping { address, bytes })
    }
}

impl Words for Mapping {
    fn words(&self) -> &[AtomicU32] {
        // SAFETY: the mapping has this number of words, is aligned to a page, and lives as long as this object. The device
        // may change the words concurrently, which atomic words allow.
        unsafe { std::slice::from_raw_parts(self.address.cast::<AtomicU32>(), self.bytes / 4) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping belongs to this object, and no references to it remain. An error would leave it mapped.
        let _ = unsafe { munmap(self.address, self.bytes) };
    }
}

/// A mapping of the application, until it is dropped.
pub struct Placed {
    address: *mut c_void,
    bytes: usize,
}

// SAFETY: the mapping belongs to this object, which only removes it.
unsafe impl Send for Placed {}

impl Placed {
    /// Maps bytes of a file from an offset on at an address, in place of what is mapped there, or where the kernel likes if the
    /// address is null.
    ///
    /// # Errors
    /// The call fails.
    ///
    /// # Safety
    /// The addresses belong to the caller, who no longer uses them when the object is dropped.
    pub unsafe fn new(
        file: BorrowedFd<'_>,
        offset: u64,
        bytes: usize,
        address: *mut c_void,
    ) -> Result<Placed, Errno> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let fixed = if address.is_null() { MapFlags::empty() } else { MapFlags::FIXED };
        let flags = MapFlags::SHARED | fixed;
        // SAFETY: the caller's promise.
        let address = unsafe { mmap(address, bytes, access, flags, file, offset) }?;
        Ok(Placed { address, bytes })
    }

    /// Its first address.
    pub fn address(&self) -> *mut c_void {
        self.address
    }

    /// Removes the mapping and keeps its addresses reserved.
    ///
    /// # Errors
    /// The call fails, and the mapping is left.
    pub fn reserve(self) -> Result<(), (Placed, Errno)> {
        let flags = MapFlags::PRIVATE | MapFlags::FIXED | MapFlags::NORESERVE;
        // SAFETY: the mapping belongs to this object; the caller of `new` no longer uses the addresses.
        match unsafe { mmap_anonymous(self.address, self.bytes, ProtFlags::empty(), flags) } {
            Ok(_) => {
                std::mem::forget(self);
                Ok(())
            }
            Err(errno) => Err((self, errno)),
        }
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        // SAFETY: as above. An error would leave it mapped.
        let _ = unsafe { munmap(self.address, self.bytes) };
    }
}
