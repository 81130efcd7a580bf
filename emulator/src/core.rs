//! The state that the SIMD-groups of a dispatch share: memory, uniforms, local memory, and observations.

use crate::exec::memory::Layout;
use crate::exec::plain;
use crate::findings::{FindingKind, Observation};
use crate::frame::Frame;
use crate::group::LANES;
use crate::helper::Helper;
use crate::lines::see_texel;
use crate::local::Local;
use crate::memory::{Memory, MemoryFault};
use crate::mutant::Mutant;
use crate::order::{Fence, Order, Path};
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
    /// Words of stack per lane.
    pub(crate) stack_words: i64,
    /// Whether failing device accesses read 0 and write nothing.
    pub(crate) soft_fault: bool,
    /// Whether special functions may be off by one unit in the last place.
    pub(crate) perturb: bool,
    /// Determines where they are.
    pub(crate) seed: u64,
    /// An operation broken on purpose.
    pub(crate) mutant: Option<Mutant>,
    /// Whether the program is a preamble.
    pub(crate) preamble: bool,
}

/// Device memory traffic of programs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Traffic {
    /// Accesses that failed and returned 0 or did nothing.
    pub(crate) soft_faults: u64,
    /// Accessed lines of 128 bytes, counted per instruction.
    pub(crate) lines: u64,
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
    /// Observations of the current instruction; the dispatcher adds the location.
    pub(crate) notes: Vec<Observation>,
    /// Buffered stores of SIMD-groups, unless memory is sequential.
    pub(crate) order: Option<&'a mut Order>,
    /// The running SIMD-group's number among the concurrent ones.
    pub(crate) viewer: usize,
    /// State of the race detector, if enabled.
    pub(crate) races: Option<&'a mut Races>,
    /// Device memory traffic.
    pub(crate) traffic: Traffic,
    /// The state of the scratch helper program, if the program is one.
    pub(crate) helper: Option<&'a mut Helper>,
}

impl Core<'_> {
    /// Records a non-fatal observation.
    pub(crate) fn note(&mut self, kind: FindingKind, lane: usize) {
        self.notes.push(kind.in_lane(lane));
    }

    /// Reports a device access to the race detector.
    pub(crate) fn saw_device(&mut self, address: u64, bytes: u32, by: AccessBy) {
        let racing = self.races.as_mut().and_then(|races| races.device(address, bytes, by));
        if let Some(address) = racing {
            let kind = FindingKind::DataRace { space: "device", address };
            self.note(kind, by.thread as usize % LANES);
        }
    }

    /// Reports a local access to the race detector.
    pub(crate) fn saw_local(&mut self, address: u32, bytes: u32, by: AccessBy) {
        let racing = self.races.as_mut().and_then(|races| races.local(u64::from(address), bytes, by));
        if let Some(address) = racing {
            let kind = FindingKind::DataRace { space: "local", address };
            self.note(kind, by.thread as usize % LANES);
        }
    }

    /// Loads up to four bytes of memory, zero-extended. Texels come through the texture cache.
    pub(crate) fn load(
        &mut self,
        path: Path,
        address: u64,
        bytes: u32,
        lane: usize,
    ) -> Result<u32, Observation> {
        let mut word = [0; 4];
        let into = &mut word[..bytes as usize];
        let read = self.read(path, address, into);
        if path == Path::Texels && read.is_ok() {
            see_texel(self.memory, address, into);
        }
        self.forgiven(read, lane)?;
        Ok(u32::from_le_bytes(word))
    }

    /// Loads what a store to an image needs of its texels, which does not involve the texture cache.
    pub(crate) fn load_stored(&mut self, address: u64, bytes: u32, lane: usize) -> Result<u32, Observation> {
        let mut word = [0; 4];
        let read = self.read(Path::Texels, address, &mut word[..bytes as usize]);
        self.forgiven(read, lane)?;
        Ok(u32::from_le_bytes(word))
    }

    fn read(&mut self, path: Path, address: u64, into: &mut [u8]) -> Result<(), MemoryFault> {
        match &mut self.order {
            None => self.memory.read(address, into),
            Some(order) => order.load(self.memory, self.viewer, path, address, into),
        }
    }

    /// Stores up to four bytes of memory; `unfinished` is the wait group of the instruction.
    pub(crate) fn store(
        &mut self,
        (path, unfinished): (Path, Option<u8>),
        address: u64,
        bytes: u32,
        value: u32,
        lane: usize,
    ) -> Result<(), Observation> {
        let value = value.to_le_bytes();
        let from = &value[..bytes as usize];
        let written = match &mut self.order {
            None => self.memory.write(address, from),
            Some(order) => order.store(self.memory, self.viewer, path, address, from, unfinished),
        };
        self.forgiven(written, lane)
    }

    /// Replaces a word of memory by the result of `update`, atomically.
    pub(crate) fn exchange(
        &mut self,
        address: u64,
        lane: usize,
        update: impl FnOnce(u32) -> u32,
    ) -> Result<(), Observation> {
        if let Some(order) = &mut self.order {
            order.before_atomic(self.memory, self.viewer, address, 4);
        }
        let mut word = [0; 4];
        let read = self.memory.read_unseen(address, &mut word);
        self.forgiven(read, lane)?;
        let new = update(u32::from_le_bytes(word)).to_le_bytes();
        let written = match &mut self.order {
            None => self.memory.write_unseen(address, &new),
            Some(order) => self
                .memory
                .writable(address, new.len())
                .map(|()| order.store_atomic(self.memory, self.viewer, address, &new)),
        };
        self.forgiven(written, lane)
    }

    /// Whether an access can be made for all lanes at once.
    pub(crate) fn is_plain(&self, layout: &Layout) -> bool {
        self.order.is_none() && self.races.is_none() && plain::is_plain(layout)
    }

    /// Ignores a failed access if soft faults are enabled; otherwise it ends the run.
    fn forgiven(&mut self, outcome: Result<(), MemoryFault>, lane: usize) -> Result<(), Observation> {
        match outcome {
            Err(fault) if !self.launch.soft_fault => Err(FindingKind::Memory(fault).in_lane(lane)),
            outcome => {
                self.traffic.soft_faults += u64::from(outcome.is_err());
                Ok(())
            }
        }
    }

    /// Executes a fence of the running SIMD-group.
    pub(crate) fn fence(&mut self, fence: Fence) {
        if matches!(fence, Fence::ImagesSeen | Fence::TexelsSeen)
            && let Some(cache) = &mut self.memory.texels
        {
            cache.drop_all();
        }
        if let Some(order) = &mut self.order {
            order.fence(self.memory, self.viewer, fence);
        }
    }

    /// Completes the stores of a wait group of the running SIMD-group.
    pub(crate) fn complete(&mut self, index: u8) {
        if let Some(order) = &mut self.order {
            order.complete(self.viewer, index);
        }
    }

    /// A number below `limit`, chosen by the seed.
    pub(crate) fn chance(&mut self, limit: u64) -> u64 {
        self.order.as_mut().map_or(0, |order| order.rng().below(limit))
    }
}
