//! Rewrites of single instructions, combined in one walk.
//!
//! Copy propagation, constant folding, the algebraic rules and common subexpression elimination each see an
//! instruction whose sources the walk has already simplified, so one walk replaces several: the result of one
//! rewrite is seen by the next at once, and instructions that a rule builds are rewritten before the walk
//! continues. The pipeline merges adjacent passes of this kind.
//!
//! Before: stage source to lowered, as the passes declare. After: the same.

use bitflags::bitflags;
use bumpalo::collections::Vec as ArenaVec;

use super::algebraic::Rules;
use super::cse::Numbering;
use super::{constant_folding, copy_prop};
use crate::ir::{Function, Inst, InstData, Rewrite, Rewriter};

/// Maximum number of rewrites caused by one instruction. The rules terminate; this bounds the time.
const MAX_SETTLED: usize = 32;

bitflags! {
    /// Rewrites of single instructions, in the order in which they are tried.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct LocalRewrites: u8 {
        /// Like `opt_copy_prop`.
        const COPY_PROP = 1 << 0;
        /// Like `opt_constant_folding`.
        const CONSTANT_FOLDING = 1 << 1;
        /// Like `opt_algebraic`.
        const ALGEBRAIC = 1 << 2;
        /// Like `opt_cse`.
        const CSE = 1 << 3;
    }
}

/// Applies the rewrites in `which` to every instruction.
pub fn rewrite_locally(f: &mut Function<'_>, which: LocalRewrites) {
    f.with_scratch(|f, scratch| {
        let numbering = which.contains(LocalRewrites::CSE).then(|| Numbering::of(f, scratch));
        let mut local = Local { which, rules: Rules::new(f), numbering, pending: ArenaVec::new_in(scratch) };
        f.map_insts(|rewriter, inst| local.visit(rewriter, inst));
    });
}

struct Local<'s> {
    which: LocalRewrites,
    rules: Rules,
    numbering: Option<Numbering<'s>>,
    /// Instructions that were built but not yet rewritten, the next one last.
    pending: ArenaVec<'s, Inst>,
}

impl Local<'_> {
    fn visit(&mut self, rewriter: &mut Rewriter<'_, '_>, inst: Inst) -> Rewrite {
        let start = rewriter.built();
        let data = rewriter.f.insts[inst];
        let mut result = self.rewrite(rewriter, inst, &data);
        if result == Rewrite::Keep {
            result = self.number(rewriter, inst);
        }
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
            let result = if left > 0 { self.rewrite_built(rewriter, inst, &data) } else { Rewrite::Keep };
            left = left.saturating_sub(1);
            rewriter.relax_result(inst, result);
            rewriter.take_built(start, &mut self.pending);
            rewriter.apply(inst, result);
            if let Some(next) = self.pending.last() {
                rewriter.resolve_sources(*next);
            }
        }
    }

    /// Merges an instruction that other rewrites do not change.
    #[inline(always)]
    fn number(&mut self, rewriter: &mut Rewriter<'_, '_>, inst: Inst) -> Rewrite {
        match &mut self.numbering {
            Some(numbering) => numbering.visit(rewriter, inst),
            None => Rewrite::Keep,
        }
    }

    /// Rewrites or numbers one of the few instructions that rewrites build.
    #[inline(never)]
    fn rewrite_built<'a>(
        &mut self,
        rewriter: &mut Rewriter<'_, 'a>,
        inst: Inst,
        data: &InstData<'a>,
    ) -> Rewrite {
        match self.rewrite(rewriter, inst, data) {
            Rewrite::Keep => self.number(rewriter, inst),
            result => result,
        }
    }

    /// Applies the first rewrite but numbering that has an effect.
    #[inline(always)]
    fn rewrite<'a>(&mut self, rewriter: &mut Rewriter<'_, 'a>, inst: Inst, data: &InstData<'a>) -> Rewrite {
        let exchanged;
        let mut data = data;
        if self.which.contains(LocalRewrites::COPY_PROP) {
            let result = copy_prop::visit(rewriter, data);
            if !matches!(result, Rewrite::Keep) {
                return result;
            }
        }
        if self.which.contains(LocalRewrites::CONSTANT_FOLDING) {
            let result = constant_folding::visit(rewriter, inst, data);
            if !matches!(result, Rewrite::Keep) {
                return result;
            }
            // Its sources may have been exchanged.
            if !std::ptr::eq(rewriter.f.insts[inst].srcs, data.srcs) {
                exchanged = rewriter.f.insts[inst];
                data = &exchanged;
            }
        }
        if self.which.contains(LocalRewrites::ALGEBRAIC) {
            return self.rules.visit(rewriter, data);
        }
        Rewrite::Keep
    }
}
