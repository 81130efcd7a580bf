//! Findings of the machine: faults that end a run, and observations of strict mode.

use std::fmt;

use thiserror::Error;

use crate::memory::MemoryFault;

/// The kind of a finding. Half registers and uniforms are named by half index: r5l = 10, r5h = 11.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FindingKind {
    /// The bytes at the program counter are not a known instruction.
    #[error("undecodable bytes: {0}")]
    Undecodable(String),
    /// The program counter left the program.
    #[error("the program counter is outside the program")]
    OutsideProgram,
    /// A trap instruction was reached.
    #[error("trap")]
    Trap,
    /// A SIMD-group executed more instructions than permitted.
    #[error("no stop after {0} instructions")]
    StepLimit(u64),
    /// All SIMD-groups together executed more instructions than [`crate::Options::budget`] permits.
    #[error("the run's budget of {0} instructions is spent")]
    BudgetSpent(u64),
    /// The machine does not model the instruction, or this form of it.
    #[error("not modelled: {0}")]
    Unsupported(&'static str),
    /// An access to device memory failed.
    #[error("{0}")]
    Memory(MemoryFault),
    /// A register was read that no instruction had written in this lane.
    #[error("{} is read but was never written", Half(*.0))]
    UnwrittenRegister(u8),
    /// A uniform was read that neither the driver nor the preamble had set.
    #[error("u{}{} is read but was never set", .0 >> 1, if .0 & 1 == 0 { 'l' } else { 'h' })]
    UnsetUniform(u16),
    /// A register was read after a discard hint had dropped its value.
    #[error("{} is read after its value was discarded", Half(*.0))]
    Discarded(u8),
    /// The destination of an unfinished load was read.
    #[error("{} is read while a load of wait group {group} is outstanding", Half(*.half))]
    PendingRead {
        /// The half register.
        half: u8,
        /// The wait group.
        group: u8,
    },
    /// The destination of an unfinished load was overwritten.
    #[error("{} is overwritten while a load of wait group {group} is outstanding", Half(*.half))]
    PendingWrite {
        /// The half register.
        half: u8,
        /// The wait group.
        group: u8,
    },
    /// More operations were outstanding than a wait group can count.
    #[error("more than 8 operations outstanding in wait group {0}")]
    TooManyOutstanding(u8),
    /// Local memory was accessed outside the workgroup's allocation.
    #[error("{bytes} bytes of local memory at {address:#x} are outside the {size} allocated")]
    LocalOutOfBounds {
        /// First byte of the access.
        address: u32,
        /// Length of the access.
        bytes: u32,
        /// Bytes allocated.
        size: u32,
    },
    /// A local access with an index but without the shift bits that hardware needs to use it.
    #[error("a local index without shift bits has no defined effect")]
    LocalIndexUndefined,
    /// The stack was accessed outside the current frame.
    #[error("stack access at byte {offset} of a frame of {frame} bytes")]
    StackOutOfBounds {
        /// Byte offset from the frame's base.
        offset: i64,
        /// Bytes of the current frame and everything above it.
        frame: i64,
    },
    /// The stack pointer left the scratch allocation.
    #[error("the stack pointer of {words} words is outside the {limit} allocated")]
    StackPointer {
        /// The stack pointer in words.
        words: i64,
        /// Words allocated.
        limit: i64,
    },
    /// A callee returned with a different stack pointer.
    #[error("the stack pointer is {after} words at the return, {before} at the call")]
    StackImbalance {
        /// Words at the call.
        before: i64,
        /// Words at the return.
        after: i64,
    },
    /// A mask instruction was executed while `r0l` held a computed value instead of a nesting counter.
    #[error("r0l holds data, not a nesting level")]
    NestingHoldsData,
    /// The program stopped inside a construct that some lane had entered.
    #[error("stop with lanes still masked off by r0l")]
    StaleNesting,
    /// Some lanes of the SIMD-group did not reach a barrier.
    #[error("a threadgroup barrier that not all lanes reach")]
    DivergentBarrier,
    /// SIMD-groups of the workgroup had stopped while others waited.
    #[error("a threadgroup barrier that not all SIMD-groups reach")]
    AbandonedBarrier,
    /// Two lanes accessed the same byte without ordering, at least one of them storing.
    #[error("a data race on the {space} byte at {address:#x}")]
    DataRace {
        /// `device` or `local`.
        space: &'static str,
        /// The byte.
        address: u64,
    },
    /// A sample was tested twice.
    #[error("a sample is tested that was tested before")]
    SampleTestedTwice,
    /// A sample was killed after its test had updated depth, stencil and occlusion.
    #[error("a sample is killed that was tested before")]
    SampleKilledAfterTest,
    /// The tile was written before the program's own tests of the sample.
    #[error("the tile is written before the sample is tested")]
    TileStoreBeforeTest,
    /// An opaque fragment did not store all that an earlier fragment of its sample stores. The hardware does not shade the
    /// earlier one.
    #[error("an opaque fragment hides stores of an earlier one that it does not make itself")]
    HiddenStore,
    /// A varying was stored after the store marked as the last.
    #[error("a varying is stored after the last one")]
    VaryingAfterLast,
    /// A matrix product's destination overlaps one of its factors.
    #[error("the destination of a matrix product overlaps a factor")]
    MatrixOverlap,
    /// A matrix of a product begins in the middle of a register.
    #[error("a matrix of a product begins in the middle of a register")]
    MatrixUnaligned,
    /// The preamble used an operation that only the main program may use.
    #[error("a preamble cannot {0}")]
    NotInPreamble(&'static str),
}

impl FindingKind {
    /// Whether the run cannot continue.
    pub fn is_fatal(&self) -> bool {
        use FindingKind::*;
        matches!(
            self,
            Undecodable(_)
                | OutsideProgram
                | Trap
                | StepLimit(_)
                | BudgetSpent(_)
                | Unsupported(_)
                | Memory(_)
        )
    }
}

/// Prints a half index as a register half.
struct Half(u8);

impl fmt::Display for Half {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}{}", self.0 >> 1, if self.0 & 1 == 0 { 'l' } else { 'h' })
    }
}

/// One change of the execution mask.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MaskChange {
    /// The instruction that changed it.
    pub pc: u32,
    /// Active lanes afterwards, bit i = lane i.
    pub exec: u32,
}

/// A finding with its location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Kind.
    pub kind: FindingKind,
    /// Byte offset of the instruction from the start of its program.
    pub pc: u32,
    /// Whether the instruction is in the preamble.
    pub preamble: bool,
    /// Disassembly of the instruction.
    pub text: String,
    /// The first lane concerned, if lanes differ.
    pub lane: Option<u8>,
    /// Workgroup index in the grid.
    pub workgroup: [u32; 3],
    /// SIMD-group index in the workgroup.
    pub simd_group: u32,
    /// Number of times that the same instruction reported the same kind, including this one.
    pub count: u64,
    /// The latest changes of the execution mask before the finding, oldest first.
    pub mask_changes: Vec<MaskChange>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = if self.preamble { "preamble " } else { "" };
        write!(f, "{program}{:#06x} `{}`: {}", self.pc, self.text, self.kind)?;
        let [x, y, z] = self.workgroup;
        write!(f, " (workgroup {x},{y},{z}, SIMD-group {}", self.simd_group)?;
        if let Some(lane) = self.lane {
            write!(f, ", lane {lane}")?;
        }
        if self.count > 1 {
            write!(f, ", {} times", self.count)?;
        }
        write!(f, ")")?;
        for (at, change) in self.mask_changes.iter().enumerate() {
            write!(f, "{}{:#06x} → {:08x}", if at == 0 { "; mask: " } else { ", " }, change.pc, change.exec)?;
        }
        Ok(())
    }
}

/// A kind and its lane, before the machine adds the location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Observation {
    pub(crate) kind: FindingKind,
    pub(crate) lane: Option<u8>,
}

impl From<FindingKind> for Observation {
    fn from(kind: FindingKind) -> Self {
        Observation { kind, lane: None }
    }
}

impl FindingKind {
    /// The kind, at a lane.
    pub(crate) fn in_lane(self, lane: usize) -> Observation {
        Observation { kind: self, lane: Some(lane as u8) }
    }
}
