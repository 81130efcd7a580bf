//! Memory for the results of launches that run before the pass of a draw.

use super::interrupt;
use crate::Error;
use crate::command::{Grid, Recorder};
use crate::program::Program;
use crate::results_memory::{ALIGNMENT, MOST_SHARED, Memory, Shared};
use crate::words::{LaunchNumbers, Sources, State};

/// Bytes of shared memory for the results of a step of an indirect draw, whose size only the device has.
pub(super) const INDIRECT: u64 = 1 << 26;

impl Recorder {
    /// Memory for the results of a draw: of its own, or shared memory that was claimed.
    pub(super) fn memory(&mut self, own: Option<u64>) -> Result<Memory, Error> {
        if let Some(bytes) = own {
            let bytes = bytes.max(4);
            let size = u32::try_from(bytes).map_err(|_| Error::DeviceMemory { bytes })?;
            let (address, used) = (self.upload.reserve(bytes)?, self.upload.put(&[0; 4], 16)?);
            return Ok(Memory { address, bytes: size, used, is_fresh: true });
        }
        let shared = self.shared.ok_or(Error::Invalid { what: "shared memory that was not claimed" })?;
        Ok(shared.memory)
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
        self.launch(program, &Sources::of_launch(&state), Grid::IndirectThreads(launch), [64, 1, 1])?;
        self.barrier()
    }
}

/// Claims shared memory for the results of the next draw of the pass, at most [`MOST_SHARED`] bytes. If the draws of the
/// pass have claimed too much already, larger memory is used, or the pass is interrupted.
pub(super) fn claim(recorder: &mut Recorder, bytes: u64) -> Result<(), Error> {
    let bytes = bytes.next_multiple_of(ALIGNMENT).min(MOST_SHARED);
    let has_room = |shared: &Shared| u64::from(shared.memory.bytes) + bytes <= shared.size;
    if recorder.shared.is_some_and(|shared| !has_room(&shared) && shared.size == MOST_SHARED) {
        interrupt(recorder)?;
    }
    let mut shared = match recorder.shared.filter(has_room) {
        Some(shared) => shared,
        None => {
            let doubled = recorder.shared.map_or(0, |shared| 2 * shared.size);
            recorder.device.chunks.results.get(bytes.max(doubled))?
        }
    };
    if shared.memory.bytes == 0 {
        recorder.before_pass(|recorder| recorder.fill_memory(shared.memory.used, 4, 0))?;
    }
    shared.memory.bytes += bytes as u32;
    recorder.shared = Some(shared);
    Ok(())
}
