//! Memory for results that programs leave for later programs of the same pass.

use std::sync::{Arc, Mutex};

use crate::Error;
use crate::memory::{Allocation, Place, Space, lock};

/// Bytes of the smallest shared memory.
const LEAST_SHARED: u64 = 1 << 26;
/// Bytes of the largest shared memory.
pub(crate) const MOST_SHARED: u64 = 1 << 28;
/// Alignment of results.
pub(crate) const ALIGNMENT: u64 = 16;

/// Memory for the results of launches.
#[derive(Clone, Copy)]
pub(crate) struct Memory {
    /// First byte.
    pub address: u64,
    /// Size.
    pub bytes: u32,
    /// Address of the number of bytes in use.
    pub used: u64,
    /// Whether nothing is in use when a draw begins.
    pub is_fresh: bool,
}

impl Memory {
    /// Low and high word of the address, bytes, and whether nothing is in use.
    pub fn words(self) -> [u32; 4] {
        [self.address as u32, (self.address >> 32) as u32, self.bytes, self.is_fresh.into()]
    }
}

/// The memory that the large draws of all passes of a device share. Its commands run in order, so that the results of one
/// pass may replace those of another.
pub struct SharedMemory {
    space: Arc<Space>,
    /// In ascending order of their sizes; commands refer to all of them.
    made: Mutex<Vec<Allocation>>,
}

impl SharedMemory {
    /// No memory yet.
    pub fn new(space: Arc<Space>) -> SharedMemory {
        SharedMemory { space, made: Mutex::default() }
    }

    /// Memory for at least this number of bytes, at most [`MOST_SHARED`].
    pub(crate) fn get(&self, bytes: u64) -> Result<Shared, Error> {
        let mut made = lock(&self.made);
        let size = bytes.next_power_of_two().clamp(LEAST_SHARED, MOST_SHARED);
        if made.last().is_none_or(|last| last.bytes < size) {
            // The number of bytes in use is after the results.
            made.push(self.space.allocate(size + ALIGNMENT, Place::High)?);
        }
        let last = made.last().ok_or(Error::DeviceMemory { bytes: size })?;
        let size = 1 << last.bytes.ilog2();
        let memory = Memory { address: last.address, bytes: 0, used: last.address + size, is_fresh: false };
        Ok(Shared { memory, size })
    }
}

/// Shared memory in a pass.
#[derive(Clone, Copy)]
pub(crate) struct Shared {
    /// The memory, up to the end of what draws of this pass have claimed.
    pub memory: Memory,
    /// All its bytes.
    pub size: u64,
}

impl Shared {
    /// Forgets what draws have claimed, at the end of their pass.
    pub fn clear(&mut self) {
        self.memory.bytes = 0;
    }
}
