//! What a debugger sees of a SIMD-group.

use agx_isa::half_set::HalfSet;

use crate::findings::MaskChange;
use crate::group::{Group, LANES, Progress};
use crate::machine::Team;

/// Whether a lane executes the next instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaneState {
    /// It executes it.
    Active,
    /// It left this many enclosing constructs.
    Left(u16),
    /// It does not exist: the workgroup or the primitive has fewer lanes.
    Absent,
}

/// The pixel of a lane of a fragment program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PixelView {
    /// Its position.
    pub position: [u32; 2],
    /// Samples that the primitive covers; none in helper lanes.
    pub covered: u16,
    /// Samples that were neither killed nor failed a test.
    pub live: u16,
}

/// A SIMD-group between two instructions.
#[derive(Clone, Copy, Debug)]
pub struct GroupView<'a> {
    group: &'a Group,
    team: &'a Team,
}

impl<'a> GroupView<'a> {
    pub(crate) fn new(group: &'a Group, team: &'a Team) -> GroupView<'a> {
        GroupView { group, team }
    }

    /// Byte offset of the next instruction.
    pub fn pc(&self) -> u32 {
        self.group.pc
    }

    /// Position of the workgroup in the grid.
    pub fn workgroup(&self) -> [u32; 3] {
        self.group.workgroup
    }

    /// Number in the workgroup.
    pub fn index(&self) -> u32 {
        self.group.index
    }

    /// Active lanes, bit i = lane i.
    pub fn exec(&self) -> u32 {
        self.group.exec
    }

    /// Lanes that exist.
    pub fn lanes(&self) -> u32 {
        self.group.lanes
    }

    /// Whether a lane (0..32) executes the next instruction.
    pub fn lane(&self, lane: usize) -> LaneState {
        let has = |mask: u32| mask >> (lane % LANES) & 1 != 0;
        match (has(self.group.exec), has(self.group.lanes)) {
            (true, _) => LaneState::Active,
            (false, true) => LaneState::Left(self.group.half(0, lane % LANES)),
            (false, false) => LaneState::Absent,
        }
    }

    /// A half register of a lane (0..32); r5l = 10.
    pub fn half(&self, half: u8, lane: usize) -> u16 {
        self.group.half(half, lane % LANES)
    }

    /// Whether a half register of a lane (0..32) holds a defined value.
    pub fn is_defined(&self, half: u8, lane: usize) -> bool {
        let bits = self.group.defined[usize::from(half)] & !self.group.discarded[usize::from(half)];
        bits >> (lane % LANES) & 1 != 0
    }

    /// Destinations and number of the outstanding operations of a wait group (0 or 1).
    pub fn pending(&self, wait_group: usize) -> (HalfSet, u32) {
        let pending = self.group.pending[wait_group & 1];
        (pending.halves, pending.count)
    }

    /// A half-word of a lane's stack, by its offset in bytes from the base of the current frame.
    pub fn stack(&self, offset: u32, lane: usize) -> Option<u16> {
        let limit = self.group.stack.len() as i64 / 2;
        let at = (limit - self.group.stack_words) * 2 + i64::from(offset / 2);
        self.group.stack.get(usize::try_from(at).ok()?).map(|lanes| lanes[lane % LANES])
    }

    /// The latest changes of the execution mask, oldest first.
    pub fn mask_changes(&self) -> Vec<MaskChange> {
        self.group.mask_changes()
    }

    /// Position of a lane in its workgroup.
    pub fn thread(&self, lane: usize) -> [u32; 3] {
        let thread = self.group.index * LANES as u32 + (lane % LANES) as u32;
        let [width, height, _] = self.team.size.map(|extent| extent.max(1));
        [thread % width, thread / width % height, thread / width / height]
    }

    /// Position of a lane in the grid, in a dispatch of whole workgroups.
    pub fn global(&self, lane: usize) -> [u32; 3] {
        let thread = self.thread(lane);
        let (size, group) = (self.team.size, self.group.workgroup);
        [0, 1, 2].map(|axis| group[axis].wrapping_mul(size[axis]).wrapping_add(thread[axis]))
    }

    /// The pixel of a lane, in a fragment program.
    pub fn pixel(&self, lane: usize) -> Option<PixelView> {
        let pixels = self.group.pixels.as_deref()?;
        let lane = lane % LANES;
        Some(PixelView {
            position: pixels.position[lane],
            covered: pixels.covered[lane],
            live: pixels.live[lane],
        })
    }

    /// Threadgroup memory of its workgroup.
    pub fn local(&self) -> &'a [u8] {
        self.team.local.bytes()
    }

    /// Whether it waits at a barrier.
    pub fn is_at_barrier(&self) -> bool {
        self.group.progress == Progress::AtBarrier
    }

    /// Whether it has ended.
    pub fn is_stopped(&self) -> bool {
        self.group.progress == Progress::Stopped
    }
}
