//! What the SIMD-groups of a dispatch share while they execute: memory, uniforms, local memory, and the notebook of
//! what was noticed.

use crate::findings::{FindingKind, Observation};
use crate::frame::Frame;
use crate::group::LANES;
use crate::local::Local;
use crate::memory::Memory;
use crate::mutant::Mutant;
use crate::races::{AccessBy, Races};
use crate::registers::Uniforms;
use crate::textures::StateFile;

/// Sizes and limits of the running dispatch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Launch {
    /// Lanes in a workgroup.
    pub(crate) workgroup_size: [u32; 3],
    /// Lanes in a full workgroup.
    pub(crate) full_size: [u32; 3],
    /// Words of stack a lane may use.
    pub(crate) stack_words: i64,
    /// Whether failing device accesses read 0 and write nothing.
    pub(crate) soft_fault: bool,
    /// Whether special functions are off by a unit in the last place now and then.
    pub(crate) perturb: bool,
    /// Decides where they are.
    pub(crate) seed: u64,
    /// An operation broken on purpose.
    pub(crate) mutant: Option<Mutant>,
    /// Whether the program is a preamble.
    pub(crate) preamble: bool,
}

/// The shared state, as an executing instruction sees it.
pub(crate) struct Core<'a> {
    pub(crate) memory: &'a mut Memory,
    pub(crate) uniforms: &'a mut Uniforms,
    pub(crate) local: &'a mut Local,
    pub(crate) states: &'a mut StateFile,
    /// The framebuffer and the primitive, for fragment programs.
    pub(crate) frame: Option<&'a mut Frame>,
    pub(crate) launch: Launch,
    /// What the current instruction noticed; the dispatcher adds where and when.
    pub(crate) notes: Vec<Observation>,
    /// Data race bookkeeping, when asked for.
    pub(crate) races: Option<&'a mut Races>,
    /// Failing device accesses that were forgiven.
    pub(crate) soft_faults: u64,
    /// 128-byte lines touched by device accesses, summed over instructions.
    pub(crate) lines: u64,
}

impl Core<'_> {
    /// Records a non-fatal observation.
    pub(crate) fn note(&mut self, kind: FindingKind, lane: usize) {
        self.notes.push(kind.in_lane(lane));
    }

    /// Tells the race detector of a device access.
    pub(crate) fn saw_device(&mut self, address: u64, bytes: u32, by: AccessBy) {
        let racing = self.races.as_mut().and_then(|races| races.device(address, bytes, by));
        if let Some(address) = racing {
            let kind = FindingKind::DataRace { space: "device", address };
            self.note(kind, by.thread as usize % LANES);
        }
    }

    /// Tells the race detector of a local access.
    pub(crate) fn saw_local(&mut self, address: u32, bytes: u32, by: AccessBy) {
        let racing = self.races.as_mut().and_then(|races| races.local(u64::from(address), bytes, by));
        if let Some(address) = racing {
            let kind = FindingKind::DataRace { space: "local", address };
            self.note(kind, by.thread as usize % LANES);
        }
    }

    /// Loads up to four bytes of device memory, zero-extended.
    pub(crate) fn load(&mut self, address: u64, bytes: u32, lane: usize) -> Result<u32, Observation> {
        let mut word = [0; 4];
        match self.memory.read(address, &mut word[..bytes as usize]) {
            Ok(()) => Ok(u32::from_le_bytes(word)),
            Err(_) if self.launch.soft_fault => {
                self.soft_faults += 1;
                Ok(0)
            }
            Err(fault) => Err(FindingKind::Memory(fault).in_lane(lane)),
        }
    }

    /// Stores up to four bytes of device memory.
    pub(crate) fn store(
        &mut self,
        address: u64,
        bytes: u32,
        value: u32,
        lane: usize,
    ) -> Result<(), Observation> {
        match self.memory.write(address, &value.to_le_bytes()[..bytes as usize]) {
            Ok(()) => Ok(()),
            Err(_) if self.launch.soft_fault => {
                self.soft_faults += 1;
                Ok(())
            }
            Err(fault) => Err(FindingKind::Memory(fault).in_lane(lane)),
        }
    }
}
