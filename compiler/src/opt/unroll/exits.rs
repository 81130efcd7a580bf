//! Jumps that leave a loop to blocks further out than the one after it.

use bumpalo::Bump;

use super::Unroller;
use crate::analysis::iterations::Loop;
use crate::ir::{Block, Function, Inst, IrOp, Op, ScratchSide, Value};

/// The position in the layout of each block and of the block of each instruction, plus one; 0 for those made later.
pub(super) struct Places<'s> {
    blocks: ScratchSide<'s, Block, u32>,
    insts: ScratchSide<'s, Inst, u32>,
}

impl<'s> Places<'s> {
    fn of(f: &Function<'_>, scratch: &'s Bump) -> Self {
        let blocks = ScratchSide::new_in(scratch, f.blocks.len());
        let mut places = Places { blocks, insts: ScratchSide::new_in(scratch, f.insts.len()) };
        for (index, segment) in f.layout.iter().enumerate() {
            places.blocks[segment.block] = index as u32 + 1;
            for inst in &f.block(segment.block).insts {
                places.insts[*inst] = index as u32 + 1;
            }
        }
        places
    }
}

impl Unroller<'_, '_> {
    /// Notes where everything is, before the first loop is unrolled.
    pub(super) fn note_places(&mut self) {
        if self.places.is_none() {
            self.places = Some(Places::of(self.f, self.scratch));
        }
    }

    /// Whether all readers of the loop's values outside are reached only through the block after it, or are phis of the
    /// blocks further out that read the values where the loop is left.
    pub(super) fn may_leave(&mut self, around: &Loop) -> bool {
        if around.others.is_empty() {
            return true;
        }
        self.find_users();
        self.note_places();
        let Some(places) = &self.places else { return false };
        let end = places.blocks[self.f.layout[around.end].block];
        let targets = || around.others.iter().map(|block| places.blocks[*block]);
        if end == 0 || targets().any(|place| place == 0) {
            return false;
        }
        // What follows a loop further out is reached through the loop again.
        let first = targets().filter(|place| *place > end).min().unwrap_or(u32::MAX);
        let is_between = |place: u32| end < place && place < first;
        let reads_between = |user: Inst, value: Value| {
            let data = &self.f.insts[user];
            match data.op {
                // A phi reads at the end of the block that the value comes from.
                Op::Ir(IrOp::Phi) => data
                    .phi_inputs()
                    .filter(|(_, src)| src.as_value() == Some(value))
                    .all(|(from, _)| is_between(places.blocks[from])),
                _ => is_between(places.insts[user]),
            }
        };
        let body = &self.f.layout[around.start + 1..=around.end];
        let insts = body.iter().flat_map(|segment| &self.f.block(segment.block).insts);
        let mut values = insts.flat_map(|inst| self.f.insts[*inst].dsts);
        values.all(|value| self.users_outside(around, *value).all(|user| reads_between(user, *value)))
            && self.reads_are_exits(around)
    }

    /// Whether phis of the blocks further out read values of the loop only where they come from it.
    fn reads_are_exits(&self, around: &Loop) -> bool {
        let f = &*self.f;
        let is_from_loop = |block: Block| {
            f.layout[around.start + 1..=around.end].iter().any(|segment| segment.block == block)
        };
        around.others.iter().all(|block| {
            f.block(*block).insts[..f.phi_count(*block)].iter().all(|phi| {
                f.insts[*phi].phi_inputs().all(|(from, src)| {
                    let def = src.as_value().and_then(|value| f.values[value].def);
                    is_from_loop(from) || def.is_none_or(|def| !self.ranks.is_inside(around, def))
                })
            })
        })
    }
}
