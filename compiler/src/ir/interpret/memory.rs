//! The environment of an interpreted lane: memory, special registers, and registers set before the program
//! starts.

use thiserror::Error;

/// Address spaces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// Device memory, by 64-bit address.
    Device,
    /// The lane's private stack memory, by byte offset.
    Local,
    /// The lane's own stack memory, by byte offset.
    Scratch,
}

impl Space {
    fn name(self) -> &'static str {
        match self {
            Space::Device => "device",
            Space::Local => "threadgroup",
            Space::Scratch => "stack",
        }
    }
}

/// An access to unmapped memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("no {} memory at {address:#x}", .space.name())]
pub struct MemoryFault {
    /// The address space.
    pub space: Space,
    /// First byte of the access.
    pub address: u64,
}

/// The environment of an interpreted lane.
pub trait InterpreterMemory {
    /// Fills `bytes` from `address`.
    ///
    /// # Errors
    /// The memory is not mapped.
    fn read(&mut self, space: Space, address: u64, bytes: &mut [u8]) -> Result<(), MemoryFault>;

    /// Stores `bytes` at `address`.
    ///
    /// # Errors
    /// The memory is not mapped.
    fn write(&mut self, space: Space, address: u64, bytes: &[u8]) -> Result<(), MemoryFault>;

    /// Value of special register `number`, if it exists.
    fn special_register(&mut self, number: u32) -> Option<u32> {
        let _ = number;
        None
    }

    /// Value of a component of a fragment input, if it exists: the number is the modifier `input` of `interpolate`.
    fn interpolated(&mut self, input: u32) -> Option<u32> {
        let _ = input;
        None
    }

    /// Initial value of the register at `half`, `bits` bits wide, if it has one.
    fn preloaded(&mut self, half: u32, bits: u8) -> Option<u64> {
        let _ = (half, bits);
        None
    }
}

/// Memory with one range per space.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FlatMemory {
    /// Address of the first byte of device memory.
    pub base: u64,
    /// Device memory.
    pub device: Vec<u8>,
    /// Threadgroup memory.
    pub local: Vec<u8>,
    /// Stack memory.
    pub scratch: Vec<u8>,
    /// Special registers: number and value.
    pub special: Vec<(u32, u32)>,
}

impl FlatMemory {
    fn range(&mut self, space: Space, address: u64, length: usize) -> Result<&mut [u8], MemoryFault> {
        let (start, memory) = match space {
            Space::Device => (address.checked_sub(self.base), &mut self.device),
            Space::Local => (Some(address), &mut self.local),
            Space::Scratch => (Some(address), &mut self.scratch),
        };
        let start = start.and_then(|start| usize::try_from(start).ok());
        let range = start.and_then(|start| Some(start..start.checked_add(length)?));
        range.and_then(|range| memory.get_mut(range)).ok_or(MemoryFault { space, address })
    }
}

impl InterpreterMemory for FlatMemory {
    fn read(&mut self, space: Space, address: u64, bytes: &mut [u8]) -> Result<(), MemoryFault> {
        bytes.copy_from_slice(self.range(space, address, bytes.len())?);
        Ok(())
    }

    fn write(&mut self, space: Space, address: u64, bytes: &[u8]) -> Result<(), MemoryFault> {
        self.range(space, address, bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    fn special_register(&mut self, number: u32) -> Option<u32> {
        self.special.iter().find(|(known, _)| *known == number).map(|(_, value)| *value)
    }
}
