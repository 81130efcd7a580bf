//! The kernel interface, as the driver uses it.
//!
//! [`Gpu`] is everything the driver asks of a kernel; nothing else reaches the device. [`InProcess`] answers with
//! `agx-device`; a render node with `asahi_drm.h` behind it would answer the same calls with system calls.

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
    /// Its memory, as the processor sees it.
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

/// What the driver asks of the kernel.
pub trait Gpu: Send {
    /// One more than the largest number that a core can have: clusters have as many numbers as the next power of two of their cores.
    fn cores(&mut self) -> u32;

    /// A buffer of `bytes` bytes, a multiple of [`PAGE`], zero.
    ///
    /// # Errors
    /// Memory is used up.
    fn create_buffer(&mut self, bytes: u64) -> Result<GpuBuffer, Error>;

    /// Gives a buffer back.
    fn close_buffer(&mut self, handle: u32);

    /// Binds a whole buffer of `bytes` bytes at an address.
    ///
    /// # Errors
    /// The kernel refuses.
    fn bind(&mut self, handle: u32, address: u64, bytes: u64) -> Result<(), Error>;

    /// Unbinds addresses.
    fn unbind(&mut self, address: u64, bytes: u64);

    /// Makes a buffer one that timestamps are written to; gives its number in commands.
    ///
    /// # Errors
    /// The kernel refuses.
    fn bind_times(&mut self, handle: u32, bytes: u64) -> Result<u32, Error>;

    /// Undoes [`Gpu::bind_times`].
    fn unbind_times(&mut self, object: u32);

    /// Nanoseconds, as timestamps have them.
    fn time(&mut self) -> u64;

    /// A sync object, signalled or not.
    ///
    /// # Errors
    /// The kernel refuses.
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

    /// Submits commands: headers and structures one after the other.
    ///
    /// # Errors
    /// The kernel refuses, or a program faults.
    fn submit(&mut self, commands: &[u8], waits: &[SyncPoint], signals: &[SyncPoint]) -> Result<(), Error>;
}

/// Bytes of a page of the device.
pub const PAGE: u64 = 0x4000;
/// Address that shaders are relative to; the four gigabytes from here on hold what control streams name by 32 bits.
pub const SHADER_BASE: u64 = 0x10_0000_0000;
/// Addresses that streams, shaders and descriptors are put at.
pub const LOW: [u64; 2] = [SHADER_BASE + 0x1_0000, SHADER_BASE + 0xffff_0000];
/// Addresses that memory of applications is put at.
pub const HIGH: [u64; 2] = [0x20_0000_0000, 0x60_0000_0000];
/// Addresses that the kernel keeps.
const KERNEL: [u64; 2] = [0x70_0000_0000, 0x71_0000_0000];
/// Most commands of a submission (`asahi_drm.h`).
pub const MAX_COMMANDS: usize = 64;
