//! Values that the next part of the program expects in fixed registers.
//!
//! Exports are at the end of the last block. No other value is live there, so one parallel copy moves all of
//! them to their registers, whatever those contain.

use crate::ir::entity::{Block, Inst};
use crate::ir::function::Function;
use crate::ir::op::{IrOp, Op};
use crate::ir::src::Src;

use super::assign::Assigner;

/// Whether the instruction is an export.
pub fn is_export(f: &Function<'_>, inst: Inst) -> bool {
    f.insts[inst].op == Op::Ir(IrOp::Export)
}

/// Moves exports after all other instructions of the last block, in their order. Returns that block if they were not there
/// before.
pub fn gather_exports(f: &mut Function<'_>) -> Option<Block> {
    if !f.present.may_have_op(IrOp::Export) {
        return None;
    }
    let last = f.layout.last()?.block;
    let has_end = f.terminator(last).is_some();
    let insts = &f.block(last).insts;
    let (body, end) = insts.split_at(insts.len() - usize::from(has_end));
    let after = body.iter().skip_while(|inst| !is_export(f, **inst));
    if after.into_iter().all(|inst| is_export(f, *inst)) {
        return None;
    }
    let mut gathered = f.inst_list();
    gathered.reserve(insts.len());
    for exported in [false, true] {
        gathered.extend(body.iter().copied().filter(|inst| is_export(f, *inst) == exported));
    }
    gathered.extend_from_slice_copy(end);
    f.block_mut(last).insts = gathered;
    Some(last)
}

impl Assigner<'_, '_> {
    /// Creates the copy before `exports`, which are all that remain of the block apart from a terminator.
    pub(super) fn place_exports(&mut self, exports: &[Inst]) -> Inst {
        let mut moves = Vec::with_capacity(exports.len());
        for inst in exports {
            if !is_export(self.f, *inst) {
                continue;
            }
            let data = self.f.insts[*inst];
            let (src, half) = (self.renamed(data.srcs[0]), data.mods[0] as u16);
            let place = self.f.add_value(self.f.src_ty(src));
            self.record(place, half);
            self.f.insts[*inst].srcs = self.f.alloc(&[Src::value(place)]);
            moves.push((place, src));
        }
        let line = exports.first().map_or(0, |inst| self.f.insts[*inst].line);
        self.copy(moves.into_iter(), line)
    }
}
