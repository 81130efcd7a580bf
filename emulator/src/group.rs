//! The state of one SIMD-group: registers of 32 lanes, mask, program counter, defined and pending registers.

use agx_isa::half_set::HalfSet;

use crate::findings::MaskChange;
use crate::flight::InFlight;
use crate::frame::Primitive;
use crate::pixels::{Outputs, Pixels};
use crate::races::AccessBy;
use crate::registers::lanes_of;

pub use agx_isa::semantics::LANES;
/// Half registers of a lane.
pub(crate) const HALVES: usize = 256;
/// Number of mask changes kept for reports.
const HISTORY: usize = 8;

/// A value of each lane.
pub(crate) type PerLane<T> = [T; LANES];

/// Outstanding operations of a wait group.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pending {
    /// Their destinations.
    pub(crate) halves: HalfSet,
    /// Their number.
    pub(crate) count: u32,
}

/// Whether a SIMD-group can run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Progress {
    Running,
    AtBarrier,
    /// Waiting for earlier fragments of the same pixels to end.
    AtPixelWait,
    Stopped,
}

/// One SIMD-group.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Values by register, then lane; the low half register is in the low bits.
    pub(crate) words: Box<[PerLane<u32>; HALVES / 2]>,
    /// Lanes in which a half holds a defined value.
    pub(crate) defined: Box<[u32; HALVES]>,
    /// Lanes in which a half's value was dropped by a discard hint.
    pub(crate) discarded: Box<[u32; HALVES]>,
    /// Active lanes.
    pub(crate) exec: u32,
    /// Number of active lanes.
    pub(crate) active: u32,
    /// Buffers in which rows prepare their sources.
    pub(crate) room: Box<[PerLane<u32>; 5]>,
    /// Lanes that exist: a workgroup's last SIMD-group may be partial.
    pub(crate) lanes: u32,
    pub(crate) pc: u32,
    /// Stack pointer in words.
    pub(crate) stack_words: i64,
    /// Private stacks by half-word, then lane; empty until first used.
    pub(crate) stack: Vec<PerLane<u16>>,
    /// The pixels of a fragment program.
    pub(crate) pixels: Option<Box<Pixels>>,
    /// The outputs of a vertex program.
    pub(crate) outputs: Option<Box<Outputs>>,
    /// Stack pointers of the calls that have not yet returned.
    pub(crate) calls: Vec<i64>,
    pub(crate) pending: [Pending; 2],
    /// Asynchronous operations whose results have not arrived; only with relaxed memory.
    pub(crate) in_flight: Vec<InFlight>,
    /// Number among the concurrent SIMD-groups.
    pub(crate) viewer: usize,
    /// The primitive of a fragment program, if several are active concurrently.
    pub(crate) primitive: Option<Box<Primitive>>,
    /// Lanes whose `r0l` was computed by an instruction whose result cannot be a nesting level.
    pub(crate) nesting_is_data: u32,
    /// Whether a mask instruction was executed.
    pub(crate) mask_used: bool,
    history: [MaskChange; HISTORY],
    history_len: usize,
    pub(crate) progress: Progress,
    /// Index in the workgroup.
    pub(crate) index: u32,
    pub(crate) workgroup: [u32; 3],
    pub(crate) steps: u64,
}

impl Group {
    /// Active lanes whose stores have an effect: all but helpers, which shade no live sample.
    pub(crate) fn storing(&self) -> u32 {
        let Some(pixels) = self.pixels.as_deref() else { return self.exec };
        let live = (0..LANES).filter(|lane| pixels.live[*lane] != 0).fold(0, |live, lane| live | 1 << lane);
        self.exec & live
    }

    /// A new SIMD-group. `garbage` has the initial contents of its registers, `lanes` the lanes that exist.
    pub(crate) fn new(garbage: &[PerLane<u32>; HALVES / 2], lanes: u32) -> Group {
        Group {
            words: Box::new(*garbage),
            defined: Box::new([0; HALVES]),
            discarded: Box::new([0; HALVES]),
            exec: lanes,
            active: lanes.count_ones(),
            room: Box::new([[0; LANES]; 5]),
            lanes,
            pc: 0,
            stack_words: 0,
            stack: Vec::new(),
            pixels: None,
            outputs: None,
            calls: Vec::new(),
            pending: [Pending::default(); 2],
            in_flight: Vec::new(),
            viewer: 0,
            primitive: None,
            nesting_is_data: 0,
            mask_used: false,
            history: [MaskChange::default(); HISTORY],
            history_len: 0,
            progress: Progress::Running,
            index: 0,
            workgroup: [0; 3],
            steps: 0,
        }
    }

    /// A half register of one lane.
    #[inline]
    pub(crate) fn half(&self, half: u8, lane: usize) -> u16 {
        (self.words[usize::from(half >> 1)][lane] >> (16 * u32::from(half & 1))) as u16
    }

    /// Sets a half register of one lane.
    #[inline]
    pub(crate) fn set_half(&mut self, half: u8, lane: usize, value: u16) {
        let shift = 16 * u32::from(half & 1);
        let word = &mut self.words[usize::from(half >> 1)][lane];
        *word = *word & !(0xffff << shift) | u32::from(value) << shift;
    }

    /// A half register of all lanes.
    pub(crate) fn halves(&self, half: u8) -> PerLane<u16> {
        let shift = 16 * u32::from(half & 1);
        self.words[usize::from(half >> 1)].map(|word| (word >> shift) as u16)
    }

    /// Sets a half register in the lanes of `exec`.
    pub(crate) fn set_halves(&mut self, half: u8, values: &PerLane<u16>, exec: u32) {
        lanes_of(exec).for_each(|lane| self.set_half(half, lane, values[lane]));
    }

    /// Changes the execution mask and records the change.
    pub(crate) fn set_exec(&mut self, exec: u32) {
        if exec != self.exec {
            self.history[self.history_len % HISTORY] = MaskChange { pc: self.pc, exec };
            self.history_len += 1;
            self.exec = exec;
            self.active = exec.count_ones();
        }
    }

    /// An access by a lane, for the race detector.
    pub(crate) fn access(&self, lane: usize, store: bool) -> AccessBy {
        AccessBy { workgroup: self.workgroup, thread: self.index * LANES as u32 + lane as u32, store }
    }

    /// The recorded mask changes, oldest first.
    pub(crate) fn mask_changes(&self) -> Vec<MaskChange> {
        let kept = self.history_len.min(HISTORY);
        (self.history_len - kept..self.history_len).map(|at| self.history[at % HISTORY]).collect()
    }
}
