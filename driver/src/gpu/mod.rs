//! The kernel interface, as the driver uses it.
//!
//! The driver reaches the device only through [`Gpu`]. [`InProcess`] implements it with `agx-device`; an implementation
//! for a render node would use the system calls of `asahi_drm.h`.

mod in_process;

use std::sync::Arc;

use agx_device::words::Words;

pub use in_process::{InProcess, Outputs};

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
    /// The point; `None` for a binary one.
    pub value: Option<u64>,
}

/// The kernel calls that the driver uses.
pub trait Gpu: Send {
    /// One more than the largest core number: each cluster has as many numbers as the next power of two of its cores.
    fn cores(&mut self) -> u32;

    /// A zeroed buffer of `bytes` bytes, a multiple of [`PAGE`].
    ///
    /// # Errors
    /// Out of memory.
    fn create_buffer(&mut self, bytes: u64) -> Result<GpuBuffer, Error>;

    /// Frees a buffer.
    fn close_buffer(&mut self, handle: u32);

    /// Binds a whole buffer of `bytes` bytes at an address.
    ///
    /// # Errors
    /// The call fails.
    fn bind(&mut self, handle: u32, address: u64, bytes: u64) -> Result<(), Error>;

    /// Unbinds addresses.
    fn unbind(&mut self, address: u64, bytes: u64);

    /// Registers a buffer for timestamps; returns its number in commands.
    ///
    /// # Errors
    /// The call fails.
    fn bind_times(&mut self, handle: u32, bytes: u64) -> Result<u32, Error>;

    /// Undoes [`Gpu::bind_times`].
    fn unbind_times(&mut self, object: u32);

    /// The time in nanoseconds, on the clock of timestamps.
    fn time(&mut self) -> u64;

    /// A sync object, signalled or not.
    ///
    /// # Errors
    /// The call fails.
    fn create_sync(&mut self, signalled: bool) -> Result<u32, Error>;

    /// Destroys a sync object.
    fn destroy_sync(&mut self, handle: u32);

    /// Signals a sync object, or a point of its timeline.
    fn signal(&mut self, point: SyncPoint);

    /// Makes a sync object unsignalled.
    fn reset(&mut self, handle: u32);

    /// Whether a sync object, or a point of its timeline, is signalled.
    fn is_reached(&mut self, point: SyncPoint) -> bool;

    /// The point that a timeline has reached.
    fn timeline_value(&mut self, handle: u32) -> u64;

    /// Submits commands: headers and structures in sequence.
    ///
    /// # Errors
    /// The call fails, or a program faults.
    fn submit(&mut self, commands: &[u8], waits: &[SyncPoint], signals: &[SyncPoint]) -> Result<(), Error>;
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
/// Addresses reserved for the kernel.
const KERNEL: [u64; 2] = [0x70_0000_0000, 0x71_0000_0000];
/// Maximum number of commands in a submission (`asahi_drm.h`).
pub const MAX_COMMANDS: usize = 64;
