//! Memory for the results of launches that run before the pass of a draw.

use super::interrupt;
use crate::Error;
use crate::command::{Grid, Recorder};
use crate::program::Program;
use crate::results_memory::{ALIGNMENT, MOST_SHARED, Memory, Shared};
use crate::words::{LaunchNumbers, Sources, State};

/// Bytes of shared memory for the results of a step of an indirect draw, whose size only the device has.
pub(super) const INDIRECT: u64 = 1 << 26;

/// Maximum size of results in memory of their own; larger draws use the shared memory.
pub(super) const MOST_OWN: u64 = 1 << 22;

/// Parts of a draw, patches or workgroups, whose results are in memory together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Batch {
    /// Number of the first part.
    pub first: u32,
    /// Maximum number of parts.
    pub most: u32,
    /// Bytes of memory of its own for the results.
    pub own: Option<u64>,
    /// Bytes of shared memory.
    pub claimed: u64,
    /// How many of them are for a later step.
    pub later: u64,
}

/// What a later step of a draw needs.
#[derive(Clone, Copy)]
pub(super) struct Later {
    /// Bytes of shared memory.
    pub bytes: u64,
    /// For at most so many parts.
    pub parts: u64,
}

impl Later {
    /// There is none.
    pub const NONE: Later = Later { bytes: 0, parts: u64::MAX };
    /// A step whose size only the device has.
    pub const UNKNOWN: Later = Later { bytes: INDIRECT, parts: u64::MAX };
}

/// The batches of a draw with at most `most` parts, whose results take up to `largest` bytes each.
pub(super) fn batches(most: Option<u64>, largest: u64, later: Later) -> impl Iterator<Item = Batch> {
    let Later { bytes: more, parts } = later;
    let whole = |own, claimed| Batch { first: 0, most: u32::MAX, own, claimed, later: more };
    let (single, count) = match most {
        None => (Some(whole(None, INDIRECT + more)), 0),
        Some(most) if most.saturating_mul(largest) <= MOST_OWN && most <= parts => {
            (Some(whole(Some(most * largest), more)), 0)
        }
        Some(most) => (None, most),
    };
    let each = ((MOST_SHARED - more) / largest).min(parts);
    let batch = move |at: u64| {
        let first = at * each;
        let most = each.min(count - first);
        let claimed = most * largest + more;
        Batch { first: first as u32, most: most as u32, own: None, claimed, later: more }
    };
    single.into_iter().chain((0..count.div_ceil(each)).map(batch))
}

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
