//! Which loads of large values need no copy: those whose value, and all large parts of it, are read before the memory that
//! they were loaded from may change, in the block of the load.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;
use spirv::{Op, StorageClass};

use super::words::Inst;

/// Memory that instructions may change together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Region {
    /// Constants: nothing changes them.
    Constant,
    /// A variable of the invocation, by id.
    Variable(u32),
    Workgroup,
    Device,
    /// Any memory.
    Unknown,
}

impl Region {
    /// The memory of a variable or parameter of a storage class.
    pub fn of(class: StorageClass, id: u32, is_parameter: bool) -> Region {
        match class {
            StorageClass::PushConstant | StorageClass::UniformConstant => Region::Constant,
            StorageClass::Function | StorageClass::Private if !is_parameter => Region::Variable(id),
            StorageClass::Workgroup => Region::Workgroup,
            StorageClass::Uniform | StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer => {
                Region::Device
            }
            _ => Region::Unknown,
        }
    }

    /// Whether a store to `other` may change this memory.
    fn may_be_changed_by(self, other: Region) -> bool {
        self != Region::Constant && (self == other || self == Region::Unknown || other == Region::Unknown)
    }
}

/// A load of a large value.
struct Load {
    id: u32,
    from: Region,
    /// Nothing may have changed the memory so far.
    is_current: bool,
    needs_copy: bool,
}

/// The scan in progress.
pub(super) struct UncopiedScan<'a> {
    bump: &'a Bump,
    bound: usize,
    /// By id, the load that it is the value of, or of a part: counted from 1. Empty as long as there are no loads.
    of: &'a mut [u32],
    loads: Vec<Load>,
    /// The loads that are current.
    current: ArenaVec<'a, usize>,
}

impl<'a> UncopiedScan<'a> {
    /// Starts a scan of a module with ids below `bound`.
    pub fn new_in(bump: &'a Bump, bound: u32) -> Self {
        let (of, current) = (bump.alloc_slice_fill_copy(0, 0), ArenaVec::new_in(bump));
        UncopiedScan { bump, bound: bound as usize, of, loads: Vec::new(), current }
    }

    /// A load of a large value.
    pub fn load(&mut self, id: u32, from: Region) {
        if self.loads.is_empty() {
            self.of = self.bump.alloc_slice_fill_copy(self.bound, 0);
        }
        self.current.push(self.loads.len());
        self.loads.push(Load { id, from, is_current: true, needs_copy: false });
        self.name(id, self.loads.len());
    }

    fn name(&mut self, id: u32, load: usize) {
        if let Some(of) = self.of.get_mut(id as usize) {
            *of = load as u32;
        }
    }

    /// An instruction; `is_large` tells whether its result is, and `stored` what it may store to.
    pub fn instruction(&mut self, inst: &Inst<'a>, is_large: bool, stored: Option<Region>) {
        if self.loads.is_empty() {
            return;
        }
        for (index, operand) in inst.operands.iter().enumerate() {
            let load = self.of.get(*operand as usize).copied().unwrap_or(0) as usize;
            let Some(row) = load.checked_sub(1).and_then(|row| self.loads.get_mut(row)) else { continue };
            let is_result = index == 1 && row.id == *operand && inst.op == Op::Load;
            if is_result {
                continue;
            }
            row.needs_copy |= !row.is_current || !is_read_at_once(inst.op, index);
            if is_large && passes_on(inst.op) {
                self.name(inst.rest(1).first().copied().unwrap_or(0), load);
            }
        }
        if inst.op == Op::Label {
            self.change(None);
        } else if let Some(stored) = stored {
            self.change(Some(stored));
        }
    }

    /// Memory may change from here on; `None` for the beginning of a block, where other blocks may have changed it.
    fn change(&mut self, stored: Option<Region>) {
        let loads = &mut self.loads;
        self.current.retain(|row| {
            let Some(load) = loads.get_mut(*row) else { return false };
            load.is_current &= stored.is_some_and(|stored| !load.from.may_be_changed_by(stored));
            load.is_current
        });
    }

    /// The ids of the loads that need a copy, ascending.
    pub fn finish(self) -> Vec<u32> {
        let mut copied: Vec<u32> =
            self.loads.iter().filter(|load| load.needs_copy).map(|load| load.id).collect();
        copied.sort_unstable();
        copied
    }
}

/// Whether an instruction reads the large value in operand `index` no later than it is executed.
fn is_read_at_once(op: Op, index: usize) -> bool {
    matches!((op, index), (Op::Store, 1) | (Op::ReturnValue, 0)) || passes_on(op) && index == 2
}

/// Whether the result of an instruction is its operand 2, or a part of it.
fn passes_on(op: Op) -> bool {
    matches!(op, Op::CopyObject | Op::CopyLogical | Op::CompositeExtract)
}

/// The memory that an instruction without a pointer to store to may change.
pub(super) fn changed(op: Op) -> Option<Region> {
    let reads = matches!(
        op,
        Op::Load
            | Op::Variable
            | Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::CopyObject
            | Op::Bitcast
            | Op::CompositeExtract
            | Op::Undef
            | Op::Line
            | Op::NoLine
            | Op::Nop
            | Op::Phi
            | Op::SelectionMerge
            | Op::LoopMerge
    );
    (!reads).then_some(Region::Unknown)
}
