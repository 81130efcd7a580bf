//! A door to the kernel: the render node of a GPU, with the calls of `asahi_drm.h`.
//!
//! System calls go through the C library (`rustix` with `use-libc`), so that a preloaded library can present an emulated
//! device as the node.

#[cfg(test)]
mod header;
mod system;

use std::fs::{File, OpenOptions};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use agx_device::Kernel;
use agx_device::words::Words;
use agx_driver::Error;
use agx_driver::gpu::{Client, Door, Memory, Pointed, number};
use rustix::ioctl::opcode::from_components;
use rustix::ioctl::{Direction, Opcode};
use rustix::time::{ClockId, clock_gettime};

pub use system::Placed;

/// Numbers of the render nodes.
const NODES: std::ops::Range<u32> = 128..192;
/// The name with which the kernel's driver answers.
const NAME: &[u8] = b"asahi";

/// Letter of the calls of graphics devices.
const GROUP: u8 = b'd';
/// Numbers of calls that this crate makes itself.
const VERSION: u8 = 0x00;
const MMAP_OFFSET: u8 = 0x46;
/// Calls whose structure the kernel does not change.
const WRITE_ONLY: [u8; 6] = [
    number::GEM_CLOSE,
    number::GET_PARAMS,
    number::VM_DESTROY,
    number::VM_BIND,
    number::QUEUE_DESTROY,
    number::SUBMIT,
];
/// Error number of descriptors that are none.
const BAD_DESCRIPTOR: i32 = 9;
/// Bytes of structures at which a descriptor is.
const DESCRIPTOR: std::ops::Range<usize> = 8..12;

/// The request of a call with a structure of this length.
fn opcode(number: u8, bytes: usize) -> Opcode {
    let direction = match WRITE_ONLY.contains(&number) {
        true => Direction::Write,
        false => Direction::ReadWrite,
    };
    from_components(direction, GROUP, number, bytes)
}

/// A render node.
pub struct RenderNode {
    file: File,
}

/// Opens the first node of an AGX GPU; `None` if there is none.
///
/// # Errors
/// A call to the node fails.
pub fn open() -> Option<Result<Client<RenderNode>, Error>> {
    NODES.filter_map(node).next().map(Client::new)
}

/// Major number of the nodes of graphics devices.
const MAJOR: u32 = 226;

/// Major and minor number of the first node of an AGX GPU.
pub fn find() -> Option<[u32; 2]> {
    NODES.into_iter().find(|number| node(*number).is_some()).map(|number| [MAJOR, number])
}

/// The node of this number, if it is one of an AGX GPU.
fn node(number: u32) -> Option<RenderNode> {
    let path = format!("/dev/dri/renderD{number}");
    let node = RenderNode { file: OpenOptions::new().read(true).write(true).open(path).ok()? };
    (node.name().as_deref() == Some(NAME)).then_some(node)
}

/// Writes a number at a byte of a structure.
fn put(argument: &mut [u8], at: usize, value: u64) {
    argument[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

impl RenderNode {
    /// The name of the kernel's driver.
    fn name(&self) -> Option<Vec<u8>> {
        // `drm_version`: three numbers, then length and address of name, date and description.
        let mut argument = vec![0; 64];
        put(&mut argument, 16, NAME.len() as u64);
        let mut name = vec![0; NAME.len()];
        self.call(VERSION, &mut argument, &mut [(24, Memory::Written(&mut name))]).ok()?;
        let len = u64::from_le_bytes(argument[16..24].try_into().ok()?);
        (len == NAME.len() as u64).then_some(name)
    }

    /// The offset at which the node maps a buffer.
    fn offset(&self, handle: u32) -> Result<u64, Error> {
        let refused = |number| Error::Kernel { call: self.call_name(MMAP_OFFSET), number };
        let mut argument = [0; 16];
        argument[..4].copy_from_slice(&handle.to_le_bytes());
        self.call(MMAP_OFFSET, &mut argument, &mut []).map_err(refused)?;
        argument.last_chunk().map(|offset| u64::from_le_bytes(*offset)).ok_or(refused(0))
    }
}

impl Door for RenderNode {
    fn call(&self, number: u8, argument: &mut [u8], pointed: &mut [Pointed<'_>]) -> Result<(), i32> {
        for (place, memory) in pointed.iter_mut() {
            let address = match memory {
                Memory::Read(bytes) => bytes.as_ptr().expose_provenance(),
                Memory::Written(bytes) => bytes.as_mut_ptr().expose_provenance(),
            };
            put(argument, *place, address as u64);
        }
        let opcode = opcode(number, argument.len());
        // SAFETY: the opcode has the structure's length; the addresses in it are those of `pointed`, which is borrowed during
        // the call and has the lengths that the caller entered.
        unsafe { system::call(self.file.as_fd(), opcode, argument) }.map_err(|errno| errno.raw_os_error())
    }

    fn give(&self, number: u8, argument: &mut [u8]) -> Result<OwnedFd, i32> {
        self.call(number, argument, &mut [])?;
        let descriptor = argument[DESCRIPTOR].try_into().map(i32::from_le_bytes);
        let descriptor = descriptor.ok().filter(|descriptor| *descriptor >= 0).ok_or(BAD_DESCRIPTOR)?;
        // SAFETY: the kernel has just made the descriptor for this process, and nothing else has it.
        Ok(unsafe { system::owned(descriptor) })
    }

    fn take(&self, number: u8, argument: &mut [u8], file: BorrowedFd<'_>) -> Result<(), i32> {
        argument[DESCRIPTOR].copy_from_slice(&file.as_raw_fd().to_le_bytes());
        self.call(number, argument, &mut [])
    }

    fn bytes(&self, _: u32, file: BorrowedFd<'_>) -> Option<u64> {
        rustix::fs::seek(file, rustix::fs::SeekFrom::End(0)).ok()
    }

    fn file(&self, handle: u32) -> Result<Option<(BorrowedFd<'_>, u64)>, Error> {
        Ok(Some((self.file.as_fd(), self.offset(handle)?)))
    }

    fn map(&self, handle: u32, bytes: u64) -> Result<Arc<dyn Words>, Error> {
        let offset = self.offset(handle)?;
        let mapping = system::Mapping::new(&self.file, offset, bytes as usize);
        Ok(Arc::new(mapping.map_err(|_| Error::DeviceMemory { bytes })?))
    }

    fn buffer_fence(&self, buffer: BorrowedFd<'_>) -> Result<OwnedFd, i32> {
        system::buffer_fence(buffer).map_err(|errno| errno.raw_os_error())
    }

    fn add_buffer_fence(&self, buffer: BorrowedFd<'_>, fence: BorrowedFd<'_>) -> Result<(), i32> {
        system::add_buffer_fence(buffer, fence).map_err(|errno| errno.raw_os_error())
    }

    fn now(&self) -> u64 {
        let time = clock_gettime(ClockId::Monotonic);
        time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
    }

    fn call_name(&self, number: u8) -> &'static str {
        Kernel::call_name(number)
    }

    /// The status of a fence that is exported for this question.
    fn fault(&self, _: u32, sync: u32) -> Option<String> {
        // `drm_syncobj_handle`: handle, flags (1: a fence), descriptor.
        let mut argument = vec![0; 16];
        argument[..4].copy_from_slice(&sync.to_le_bytes());
        argument[4] = 1;
        let fence = self.give(number::SYNC_EXPORT, &mut argument).ok()?;
        let status = system::fence_status(fence.as_fd())?;
        (status < 0).then(|| {
            format!("a command ended early (status {status}); the kernel's log (`dmesg`) has the reason")
        })
    }
}
