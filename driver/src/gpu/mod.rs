//! The kernel interface, as the driver uses it.
//!
//! The driver reaches the device only through [`Gpu`]. [`Client`] implements it with the calls of `asahi_drm.h` over a
//! [`Door`]: [`InProcess`] leads to an emulated device in the same process, which clients may share ([`Host`]), and the crate
//! `agx-node` opens a render node.

mod client;
mod exports;
mod in_process;
mod observed;
mod parameters;

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;

use agx_device::words::Words;

pub use client::{Client, Door, Memory, Pointed, number};
pub use in_process::{Host, InProcess, Outputs};
pub use observed::{Keep, Observed};
pub use parameters::Parameters;

use crate::Error;

/// A buffer of the kernel.
#[derive(Clone)]
pub struct GpuBuffer {
    /// The kernel's number of it.
    pub handle: u32,
    /// Its memory, for the processor.
    pub words: Arc<dyn Words>,
}

/// A sync object and, unless it is binary, a point of its timeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SyncPoint {
    /// The sync object.
    pub handle: u32,
    /// The point, from 1 on; `None` for a binary one.
    pub value: Option<u64>,
}

/// What a wait is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitFor {
    /// One of the points is signalled.
    Any,
    /// All are signalled.
    All,
    /// Something that will signal all of them was submitted.
    Submission,
}

/// The kernel calls that the driver uses. They may be made from any thread.
pub trait Gpu: Send + Sync {
    /// The parameters of the chip.
    fn parameters(&self) -> &Parameters;

    /// A zeroed buffer of `bytes` bytes, a multiple of [`PAGE`].
    ///
    /// # Errors
    /// Out of memory.
    fn create_buffer(&self, bytes: u64) -> Result<GpuBuffer, Error>;

    /// Frees a buffer. Exported or imported memory lives as long as another owner has it.
    fn close_buffer(&self, handle: u32);

    /// The file that maps a buffer, and the offset there; `None` if its memory is that of the process.
    ///
    /// # Errors
    /// The call fails.
    fn file(&self, handle: u32) -> Result<Option<(BorrowedFd<'_>, u64)>, Error>;

    /// A descriptor of a buffer.
    ///
    /// # Errors
    /// The call fails.
    fn export_buffer(&self, handle: u32) -> Result<OwnedFd, Error>;

    /// The buffer of a descriptor, and its bytes.
    ///
    /// # Errors
    /// [`Error::ExternalHandle`]: the descriptor is not that of a buffer.
    fn import_buffer(&self, file: BorrowedFd<'_>) -> Result<(GpuBuffer, u64), Error>;

    /// A descriptor of the fences of an exported buffer: of the work that others still do with it.
    ///
    /// # Errors
    /// The kernel does not know such fences.
    fn buffer_fence(&self, buffer: BorrowedFd<'_>) -> Result<OwnedFd, Error>;

    /// Adds a fence to an exported buffer, for which others wait before they access it.
    ///
    /// # Errors
    /// The kernel does not know such fences.
    fn add_buffer_fence(&self, buffer: BorrowedFd<'_>, fence: BorrowedFd<'_>) -> Result<(), Error>;

    /// Binds `bytes` bytes of a buffer, from byte `offset` on, at an address, in place of what is bound there.
    ///
    /// # Errors
    /// The call fails.
    fn bind(&self, handle: u32, offset: u64, address: u64, bytes: u64) -> Result<(), Error>;

    /// Binds the first page of a buffer at all pages of an address range, in place of what is bound there.
    ///
    /// # Errors
    /// The call fails.
    fn bind_page(&self, handle: u32, address: u64, bytes: u64) -> Result<(), Error>;

    /// Unbinds addresses.
    fn unbind(&self, address: u64, bytes: u64);

    /// Registers a buffer for timestamps; returns its number in commands.
    ///
    /// # Errors
    /// The call fails.
    fn bind_times(&self, handle: u32, bytes: u64) -> Result<u32, Error>;

    /// Undoes [`Gpu::bind_times`].
    fn unbind_times(&self, object: u32);

    /// The time in nanoseconds, on the clock of timestamps.
    fn time(&self) -> u64;

    /// A sync object, signalled or not.
    ///
    /// # Errors
    /// The call fails.
    fn create_sync(&self, signalled: bool) -> Result<u32, Error>;

    /// Destroys a sync object.
    fn destroy_sync(&self, handle: u32);

    /// A descriptor of a sync object.
    ///
    /// # Errors
    /// The call fails.
    fn export_sync(&self, handle: u32) -> Result<OwnedFd, Error>;

    /// The sync object of a descriptor, with a new handle.
    ///
    /// # Errors
    /// [`Error::ExternalHandle`]: the descriptor is not that of a sync object.
    fn import_sync(&self, file: BorrowedFd<'_>) -> Result<u32, Error>;

    /// A descriptor of the fence of a binary sync object. Something that signals it was submitted.
    ///
    /// # Errors
    /// The call fails.
    fn export_fence(&self, handle: u32) -> Result<OwnedFd, Error>;

    /// Replaces the fence of a binary sync object by that of a descriptor.
    ///
    /// # Errors
    /// [`Error::ExternalHandle`]: the descriptor is not that of a fence.
    fn import_fence(&self, handle: u32, file: BorrowedFd<'_>) -> Result<(), Error>;

    /// Signals a sync object, or a point of its timeline.
    fn signal(&self, point: SyncPoint);

    /// Makes a sync object unsignalled.
    fn reset(&self, handle: u32);

    /// Waits for at most this number of nanoseconds, also for points that nothing was submitted for yet.
    ///
    /// # Errors
    /// [`Error::Timeout`], or the call fails.
    fn wait(&self, points: &[SyncPoint], wait: WaitFor, nanoseconds: u64) -> Result<(), Error>;

    /// The point that a timeline has reached.
    fn timeline_value(&self, handle: u32) -> u64;

    /// Lets `to` be signalled when `from` is. Something that signals `from` was submitted.
    ///
    /// # Errors
    /// The call fails.
    fn transfer(&self, from: SyncPoint, to: SyncPoint) -> Result<(), Error>;

    /// Submits commands: headers and structures in sequence. They run after `waits`, which something was submitted for;
    /// `signals`, of two lists, are signalled when they are complete.
    ///
    /// # Errors
    /// The call fails.
    fn submit(&self, commands: &[u8], waits: &[SyncPoint], signals: [&[SyncPoint]; 2]) -> Result<(), Error>;

    /// A sentence about a command that ended early. `sync` is a binary sync object that a complete submission has signalled.
    fn fault(&self, sync: u32) -> Option<String>;
}

/// Bytes of a page of the device.
pub const PAGE: u64 = 0x4000;
/// Address to which shader addresses are relative; control streams can address the following four gigabytes with 32
/// bits.
pub const SHADER_BASE: u64 = 0x10_0000_0000;
/// Addresses of streams, shaders and descriptors.
pub const LOW: [u64; 2] = [SHADER_BASE + 0x1_0000, SHADER_BASE + 0xffff_0000];
/// Addresses of memory of applications.
pub const HIGH: [u64; 2] = [0x20_0000_0000, 0x60_0000_0000];
/// Addresses of memory whose addresses applications may choose.
pub const CHOSEN: [u64; 2] = [HIGH[1], KERNEL[0]];
/// Addresses reserved for the kernel: 32 GiB, because the lists of primitives of render passes are there.
const KERNEL: [u64; 2] = [0x70_0000_0000, 0x78_0000_0000];
/// Maximum number of commands in a submission (`asahi_drm.h`).
pub const MAX_COMMANDS: usize = 64;
