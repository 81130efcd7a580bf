//! Groups of inputs that one instruction interpolates: it writes up to four numbers, whatever inputs their coefficient
//! registers hold.

use arrayvec::ArrayVec;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::ir::vocabulary::{Input, interpolation};
use crate::ir::{Function, Inst, IrOp, Op, ScratchSide, Type, Value};

/// Maximum number of components that an instruction interpolates.
pub(super) const MOST_COMPONENTS: usize = 4;

/// An input variable, or the part of it that is read.
#[derive(Clone, Copy)]
pub(super) struct Member {
    pub(super) dst: Value,
    /// The first component, by number among all inputs.
    pub(super) input: u32,
    /// Number of components.
    pub(super) count: u32,
}

impl Member {
    /// The numbers of its components among those of all inputs.
    fn components(&self) -> std::ops::Range<usize> {
        self.input as usize..(self.input + self.count) as usize
    }
}

/// Inputs that are interpolated alike, in the block of the first one.
pub(super) struct Group {
    pub(super) members: ArrayVec<Member, MOST_COMPONENTS>,
    /// The instruction that reads the first one.
    pub(super) first: Inst,
    /// Modifiers for the kind of interpolation and its place.
    how: [u32; 2],
}

impl Group {
    /// Number of components.
    pub(super) fn count(&self) -> u32 {
        self.members.iter().map(|member| member.count).sum()
    }
}

/// The groups of more than one input, and the one to which each instruction belongs.
pub(super) struct Groups<'s> {
    pub(super) list: ArenaVec<'s, Group>,
    /// Number of the group, counted from 1; 0 for none.
    of_inst: ScratchSide<'s, Inst, u32>,
}

impl<'s> Groups<'s> {
    /// Groups the inputs of `f` that each block reads. Inputs that are read twice would take coefficient registers twice,
    /// and numbers whose place is determined by what reads them would be moved there.
    pub(super) fn of(f: &Function<'_>, scratch: &'s Bump) -> Groups<'s> {
        let of_inst = ScratchSide::later_in(scratch, f.insts.len());
        let mut groups = Groups { list: ArenaVec::new_in(scratch), of_inst };
        // Number of reads by component.
        let mut reads: ArenaVec<'_, u32> = ArenaVec::new_in(scratch);
        for block in f.blocks_in_order() {
            let open = groups.list.len();
            for inst in &f.block(block).insts {
                let data = &f.insts[*inst];
                let (Op::Ir(IrOp::Interpolate), Some(dst), [input, mode, place]) =
                    (data.op, data.dst(), data.mods)
                else {
                    continue;
                };
                let member = Member { dst, input: *input, count: u32::from(f.ty(dst).comps) };
                if !Input(member.input).is_user() {
                    continue;
                }
                reads.resize(reads.len().max(member.components().end), 0);
                reads[member.components()].iter_mut().for_each(|count| *count += 1);
                let is_word = f.ty(dst) == Type::vector(32, f.ty(dst).comps) && !f.values[dst].relaxed;
                if !interpolation(*mode).is_flat() && data.srcs.is_empty() && is_word {
                    groups.add(open, *inst, member, [*mode, *place]);
                }
            }
        }
        groups.list.retain(|group| group.members.len() > 1);
        if groups.list.is_empty() {
            return groups;
        }
        let placed = placed(f, scratch);
        let is_read_once = |member: &Member| reads[member.components()].iter().all(|count| *count == 1);
        groups
            .list
            .retain(|group| group.members.iter().all(|member| is_read_once(member) && !placed[member.dst]));
        groups.number(f);
        groups
    }

    /// Adds an input to the first group from number `open` on that has room for it, or to a new one.
    fn add(&mut self, open: usize, inst: Inst, member: Member, how: [u32; 2]) {
        let has_room =
            |group: &&mut Group| group.how == how && group.count() + member.count <= MOST_COMPONENTS as u32;
        match self.list[open..].iter_mut().find(has_room) {
            Some(group) => group.members.push(member),
            None => {
                let members = std::iter::once(member).collect();
                self.list.push(Group { members, first: inst, how });
            }
        }
    }

    fn number(&mut self, f: &Function<'_>) {
        for (number, group) in (1..).zip(&self.list) {
            for def in group.members.iter().filter_map(|member| f.values[member.dst].def) {
                self.of_inst[def] = number;
            }
        }
    }

    /// The group of an instruction.
    pub(super) fn get(&self, inst: Inst) -> Option<&Group> {
        self.list.get((self.of_inst[inst] as usize).checked_sub(1)?)
    }
}

/// Numbers that their users read in certain registers, and vectors of such numbers.
fn placed<'s>(f: &Function<'_>, scratch: &'s Bump) -> ScratchSide<'s, Value, bool> {
    let mut placed: ScratchSide<'_, Value, bool> = ScratchSide::new_in(scratch, f.values.len());
    let insts = || f.blocks_in_order().flat_map(|block| &f.block(block).insts).map(|inst| &f.insts[*inst]);
    for data in insts().filter(|data| places_sources(data.op)) {
        for value in data.srcs.iter().filter_map(|src| src.as_value()) {
            placed[value] |= f.ty(value).comps == 1;
        }
    }
    for data in insts().filter(|data| data.op == Op::Ir(IrOp::Split)) {
        if let Some(vector) = data.srcs.first().and_then(|src| src.as_value()) {
            placed[vector] |= data.dsts.iter().any(|part| placed[*part]);
        }
    }
    placed
}

/// Whether an operation reads its sources in certain registers.
fn places_sources(op: Op) -> bool {
    use IrOp::{Collect, Copy, Export, LoadTexture, Phi, Sample, StoreImage};
    matches!(op, Op::Ir(Collect | Copy | Export | LoadTexture | Phi | Sample | StoreImage))
}
