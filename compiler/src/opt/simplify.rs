//! Simplifies instructions one at a time.
//!
//! Copy propagation, constant folding, the algebraic rules and value numbering each see an instruction whose sources the
//! walk has already simplified: the result of one rewrite is seen by the next at once, and instructions that a rule
//! builds are rewritten before the walk continues.
//!
//! Values from back edges are not simplified yet when they are read, so that another run may find more in loops.
//!
//! Before: stage source. After: the same.

use bumpalo::collections::Vec as ArenaVec;

use super::algebraic::Rules;
use super::cse::Numbering;
use super::{constant_folding, copy_prop};
use crate::ir::{Function, Inst, InstData, Rewrite, Rewriter};

/// Maximum number of rewrites caused by one instruction. The rules terminate; this bounds the time.
const MAX_SETTLED: usize = 32;

/// Simplifies every instruction.
pub fn opt_simplify(f: &mut Function<'_>) {
    f.with_scratch(|f, scratch| {
        let (rules, numbering) = (Rules::new(f), Numbering::of(f, scratch));
        let mut simplifier = Simplifier { rules, numbering, pending: ArenaVec::new_in(scratch) };
        f.map_insts(|rewriter, inst| simplifier.visit(rewriter, inst));
    });
}

struct Simplifier<'s> {
    rules: Rules,
    numbering: Numbering<'s>,
    /// Instructions that were built but not yet rewritten, the next one last.
    pending: ArenaVec<'s, Inst>,
}

impl Simplifier<'_> {
    fn visit(&mut self, rewriter: &mut Rewriter<'_, '_>, inst: Inst) -> Rewrite {
        let start = rewriter.built();
        let data = rewriter.f.insts[inst];
        let result = self.rewrite_or_number(rewriter, inst, &data);
        if rewriter.built() > start {
            rewriter.relax_result(inst, result);
            self.settle(rewriter, start);
        }
        result
    }

    /// Rewrites the instructions built from position `start` on.
    fn settle(&mut self, rewriter: &mut Rewriter<'_, '_>, start: usize) {
        rewriter.take_built(start, &mut self.pending);
        let mut left = MAX_SETTLED;
        while let Some(inst) = self.pending.pop() {
            let start = rewriter.built();
            let data = rewriter.f.insts[inst];
            let result = if left > 0 { self.rewrite_or_number(rewriter, inst, &data) } else { Rewrite::Keep };
            left = left.saturating_sub(1);
            rewriter.relax_result(inst, result);
            rewriter.take_built(start, &mut self.pending);
            rewriter.apply(inst, result);
            if let Some(next) = self.pending.last() {
                rewriter.resolve_sources(*next);
            }
        }
    }

    /// Applies the first rewrite that has an effect.
    fn rewrite_or_number<'a>(
        &mut self,
        rewriter: &mut Rewriter<'_, 'a>,
        inst: Inst,
        data: &InstData<'a>,
    ) -> Rewrite {
        match self.rewrite(rewriter, inst, data) {
            Rewrite::Keep => self.numbering.visit(rewriter, inst),
            result => result,
        }
    }

    /// Applies the first rewrite but numbering that has an effect.
    fn rewrite<'a>(&mut self, rewriter: &mut Rewriter<'_, 'a>, inst: Inst, data: &InstData<'a>) -> Rewrite {
        let result = copy_prop::visit(rewriter, data);
        if !matches!(result, Rewrite::Keep) {
            return result;
        }
        let result = constant_folding::visit(rewriter, inst, data);
        if !matches!(result, Rewrite::Keep) {
            return result;
        }
        // Its sources may have been exchanged.
        if std::ptr::eq(rewriter.f.insts[inst].srcs, data.srcs) {
            return self.rules.visit(rewriter, data);
        }
        let exchanged = rewriter.f.insts[inst];
        self.rules.visit(rewriter, &exchanged)
    }
}
