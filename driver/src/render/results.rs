//! Memory for the results of launches that run before the pass of a draw.

use crate::Error;
use crate::command::{Grid, Recorder};
use crate::program::Program;
use crate::words::{LaunchNumbers, State};

/// Bytes of the memory that the draws of a command buffer share if only the device has their sizes.
const SHARED_BYTES: u32 = 1 << 26;

/// Memory for the results of launches.
#[derive(Clone, Copy)]
pub struct Memory {
    /// First byte.
    pub(super) address: u64,
    pub(super) bytes: u32,
    /// Address of the number of bytes in use.
    pub(super) used: u64,
    /// Whether nothing is in use when a draw begins.
    pub(super) is_fresh: bool,
}

impl Memory {
    /// Low and high word of the address, bytes, and whether nothing is in use.
    pub(super) fn words(self) -> [u32; 4] {
        [self.address as u32, (self.address >> 32) as u32, self.bytes, self.is_fresh.into()]
    }
}

impl Recorder {
    /// Memory for the results of a draw: of its own, or that of all draws whose size only the device has.
    pub(super) fn memory(&mut self, needed: Option<u64>) -> Result<Memory, Error> {
        if let Some(needed) = needed {
            let needed = needed.max(4);
            let bytes = u32::try_from(needed).map_err(|_| Error::DeviceMemory { bytes: needed })?;
            let (address, used) = (self.upload.reserve(needed)?, self.upload.put(&[0; 4], 16)?);
            return Ok(Memory { address, bytes, used, is_fresh: true });
        }
        if let Some(shared) = self.shared {
            return Ok(shared);
        }
        let (address, used) = (self.upload.reserve(SHARED_BYTES.into())?, self.upload.put(&[0; 4], 16)?);
        self.fill_memory(used, 4, 0)?;
        let shared = Memory { address, bytes: SHARED_BYTES, used, is_fresh: false };
        self.shared = Some(shared);
        Ok(shared)
    }

    /// Launches a stage with the parameters at an address ([`record`]).
    pub(super) fn launch_stage(
        &mut self,
        program: &Program,
        state: &State,
        launch: u64,
    ) -> Result<(), Error> {
        let launch_numbers = LaunchNumbers { capture: launch, ..state.launch };
        let state = State { launch: launch_numbers, ..state.clone() };
        self.launch(program, &state, Grid::IndirectThreads(launch), [64, 1, 1])?;
        self.barrier()
    }
}
