//! Estimates the size of an iteration after folding the values that constants determine.

use bumpalo::collections::Vec as ArenaVec;

use super::{Unroller, does_something};
use crate::analysis::iterations::Loop;
use crate::ir::{Block, Inst, InstData, IrOp, Op, ScratchSide, Seam, Src, Value};

/// Maximum number of times that phis of the header are examined.
const MAX_TIMES: usize = 3;

/// What remains of an iteration after folding.
#[derive(Clone, Copy, Default)]
pub(super) struct Remaining {
    /// Number of instructions, excluding those computed from constants and induction variables, and selections that these
    /// determine.
    pub size: usize,
    /// Inner loops begin with values that are then known, or compare them: their iterations may be known too.
    pub reaches_inner: bool,
}

/// Estimates what remains of an iteration.
pub(super) fn remaining(unroller: &Unroller<'_, '_>, around: &Loop) -> Remaining {
    let mut known = Known::new(unroller, around);
    for _ in 0..MAX_TIMES {
        let (remaining, holds) = known.estimate();
        if holds {
            return remaining;
        }
    }
    known.phis.clear();
    known.estimate().0
}

struct Known<'u, 'f, 'a> {
    unroller: &'u Unroller<'f, 'a>,
    around: &'u Loop,
    /// Phis of the header with a constant initial value that may continue with known values.
    phis: ArenaVec<'u, Inst>,
    values: ScratchSide<'u, Value, bool>,
}

impl<'u, 'f, 'a> Known<'u, 'f, 'a> {
    fn new(unroller: &'u Unroller<'f, 'a>, around: &'u Loop) -> Self {
        let (f, before) = (&*unroller.f, unroller.f.layout[around.start].block);
        let begins =
            |inst: &Inst| f.insts[*inst].phi_input_from(before).is_some_and(|src| src.as_imm().is_some());
        let header = &f.block(around.header).insts[..f.phi_count(around.header)];
        let phis = ArenaVec::from_iter_in(header.iter().copied().filter(begins), unroller.scratch);
        Known { unroller, around, phis, values: ScratchSide::later_in(unroller.scratch, 0) }
    }

    /// The remaining size under the assumption that the phis are known, and whether the assumption holds; if
    /// not, fewer are assumed.
    fn estimate(&mut self) -> (Remaining, bool) {
        let f = &*self.unroller.f;
        self.values = ScratchSide::new_in(self.unroller.scratch, f.values.len());
        for dst in self.phis.iter().flat_map(|phi| f.insts[*phi].dsts) {
            self.values[*dst] = true;
        }
        let (mut remaining, mut depth) = (Remaining::default(), 0u32);
        for segment in &f.layout[self.around.start + 1..=self.around.end] {
            remaining.size += self.block(segment.block) + usize::from(segment.seam == Seam::Loop);
            remaining.reaches_inner |= depth > 0 && self.is_reached(segment.block);
            match segment.seam {
                Seam::Loop => depth += 1,
                Seam::EndLoop => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        let before = f.layout[self.around.start].block;
        let goes_on =
            |phi: &Inst| f.insts[*phi].phi_inputs().all(|(from, src)| from == before || self.is_known(src));
        let kept = ArenaVec::from_iter_in(self.phis.iter().copied().filter(goes_on), self.unroller.scratch);
        let holds = kept.len() == self.phis.len();
        self.phis = kept;
        remaining.size = remaining.size.max(1);
        (remaining, holds)
    }

    /// Whether a block of an inner loop continues or compares values that depend on the iteration, and are known.
    fn is_reached(&self, block: Block) -> bool {
        let f = &*self.unroller.f;
        f.block(block).insts.iter().any(|inst| {
            let data = &f.insts[*inst];
            let is_reader = matches!(data.op, Op::Ir(IrOp::Phi | IrOp::Icmp | IrOp::Fcmp));
            is_reader && data.srcs.iter().any(|src| src.as_value().is_some_and(|value| self.values[value]))
        })
    }

    fn block(&mut self, block: Block) -> usize {
        let f = &*self.unroller.f;
        let mut size = 0;
        for inst in &f.block(block).insts {
            let data = f.insts[*inst];
            let folds = self.folds(&data);
            for dst in data.dsts.iter().filter(|_| folds) {
                self.values[*dst] = true;
            }
            size += usize::from(!folds && !self.is_decided(&data) && does_something(data.op));
        }
        size
    }

    /// Whether the result is determined by constants.
    fn folds(&self, data: &InstData<'_>) -> bool {
        data.op.pure_fn().is_some() && data.is_pure() && data.srcs.iter().all(|src| self.is_known(*src))
    }

    /// Whether constants determine which source a selection returns, or which way a branch goes.
    fn is_decided(&self, data: &InstData<'_>) -> bool {
        matches!(data.op, Op::Ir(IrOp::Select | IrOp::If)) && self.is_known(data.srcs[0])
    }

    fn is_known(&self, src: Src) -> bool {
        src.as_imm().is_some() || src.as_value().is_some_and(|value| self.values[value])
    }
}
