//! Rewrites of single instructions, combined in one walk.
//!
//! Copy propagation, constant folding, the algebraic rules and common subexpression elimination each see an
//! instruction whose sources the walk has already simplified, so one walk replaces several: the result of one
//! rewrite is seen by the next at once, and instructions that a rule builds are rewritten before the walk
//! continues. The pipeline merges adjacent passes of this kind.
//!
//! Before: stage source to lowered, as the passes declare. After: the same.

use bitflags::bitflags;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::algebraic::{DEPTHS, Rules};
use super::cse::{Numbering, may_merge};
use super::{constant_folding, copy_prop};
use crate::ir::function::NUMBERED;
use crate::ir::rewrite::map_from;
use crate::ir::settled::{note_settled, note_unsettled, settled_rewrites};
use crate::ir::{Function, Inst, InstData, IrOp, Op, Rewrite, Rewriter, ScratchSide, Seam, Value};

/// For each operation, up to how many operations before it a change may affect its rewriting, counting itself: the depth
/// of rules, and of a split of a `collect`.
static REACHES: [u8; Op::COUNT] = {
    let (mut reaches, mut op) = ([1; Op::COUNT], 0);
    while op < reaches.len() {
        reaches[op] = if DEPTHS[op] > 1 { DEPTHS[op] } else { 1 };
        op += 1;
    }
    (reaches[Op::Ir(IrOp::Collect).index()], reaches[Op::Ir(IrOp::Split).index()]) = (2, 2);
    reaches
};

/// The largest of [`REACHES`].
const REACH: u8 = {
    let (mut furthest, mut op) = (0, 0);
    while op < REACHES.len() {
        furthest = if REACHES[op] > furthest { REACHES[op] } else { furthest };
        op += 1;
    }
    furthest
};

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
        const CSE = NUMBERED;
    }
}

/// Applies the rewrites in `which` to every instruction, unless nothing changed since they were last applied.
pub fn rewrite_locally(f: &mut Function<'_>, which: LocalRewrites) {
    if LocalRewrites::from_bits_truncate(settled_rewrites(f)).contains(which) {
        return;
    }
    let unchanged = LocalRewrites::from_bits_truncate(f.settled.unchanged);
    let mut start = (0, 0);
    if unchanged.contains(which) {
        // What has no result stays as it is, and affects nothing else. Nothing but a copy is propagated.
        let first = match which {
            LocalRewrites::CSE => f.with_scratch(|f, scratch| may_merge(f, scratch)).then_some(start),
            LocalRewrites::COPY_PROP => first_changed(f, |data| copy_prop::may_copy(data.op)),
            _ => first_changed(f, |data| !data.dsts.is_empty()),
        };
        let Some(first) = first else { return note_settled(f, which.bits()) };
        // Numbering has to see what comes before, too.
        start = if which.contains(LocalRewrites::CSE) { start } else { first };
    }
    let before = f.mark();
    match which {
        LocalRewrites::COPY_PROP => copy_prop::opt_copy_prop(f),
        _ => f.with_scratch(|f, scratch| rewrite_from(f, scratch, which, start, unchanged)),
    }
    // Values from back edges are not simplified yet when they are read.
    let has_loops = f.layout.iter().any(|segment| segment.seam == Seam::Loop);
    if !has_loops || f.mark() == before {
        note_settled(f, which.bits());
    } else {
        note_unsettled(f, which.bits());
    }
}

/// Applies the rewrites in `which` from the instruction at the position `start` on: nothing before it has changed since the
/// rewrites `unchanged` found nothing to do.
fn rewrite_from(
    f: &mut Function<'_>,
    scratch: &Bump,
    which: LocalRewrites,
    start: (usize, usize),
    unchanged: LocalRewrites,
) {
    let mut numbering = which.contains(LocalRewrites::CSE).then(|| Numbering::of(f, scratch));
    // Numbering alone changes nothing before the first instruction that is merged.
    let start = match &mut numbering {
        Some(numbering) if which == LocalRewrites::CSE => numbering.first(f),
        _ => Some(start),
    };
    let Some(start) = start else { return };
    let of_changed = which - LocalRewrites::CSE;
    let is_repeated = !of_changed.is_empty() && unchanged.contains(of_changed);
    let changes = is_repeated.then(|| ScratchSide::new_in(scratch, f.values.len()));
    let pending = ArenaVec::new_in(scratch);
    let mut local = Local { which, rules: Rules::new(f), numbering, pending, changes };
    map_from(f, start, |rewriter, inst| local.visit(rewriter, inst));
}

/// Whether the nearest change among the definitions that lead to an instruction, which may affect `affected` operations from
/// it on, affects its own rewriting.
#[inline(always)]
fn is_within_reach(data: &InstData<'_>, affected: u8) -> bool {
    affected == REACH || REACH - affected < REACHES[data.op.index()]
}

/// The position in the layout and in its block of the first instruction for which `counts` holds that changed since the local
/// rewrites found nothing to do.
fn first_changed(f: &Function<'_>, counts: impl Fn(&InstData<'_>) -> bool) -> Option<(usize, usize)> {
    let has_changed = |inst: &Inst| f.insts.is_touched(*inst) && counts(&f.insts[*inst]);
    f.layout.iter().enumerate().find_map(|(index, segment)| {
        let at = f.block(segment.block).insts.iter().position(has_changed)?;
        Some((index, at))
    })
}

struct Local<'s> {
    which: LocalRewrites,
    rules: Rules,
    numbering: Option<Numbering<'s>>,
    /// Instructions that were built but not yet rewritten, the next one last.
    pending: ArenaVec<'s, Inst>,
    /// If only changed instructions and their users need to be rewritten: how many operations from each value on may be
    /// affected by a change.
    changes: Option<ScratchSide<'s, Value, u8>>,
}

impl Local<'_> {
    fn visit(&mut self, rewriter: &mut Rewriter<'_, '_>, inst: Inst) -> Rewrite {
        let start = rewriter.built();
        let affected = if self.which == LocalRewrites::CSE { 0 } else { self.affected(rewriter.f, inst) };
        let mut result = Rewrite::Keep;
        if affected > 0 {
            let data = rewriter.f.insts[inst];
            if is_within_reach(&data, affected) {
                result = self.rewrite(rewriter, inst, &data);
            }
            self.note_affected(rewriter.f, inst, data.dsts, affected);
        }
        if result == Rewrite::Keep {
            result = self.number(rewriter, inst);
        }
        if rewriter.built() > start {
            rewriter.relax_result(inst, result);
            self.settle(rewriter, start);
        }
        result
    }

    /// How many operations from `inst` on may be affected by a change; 0 if the result of rewriting it is known.
    #[inline(always)]
    fn affected(&self, f: &Function<'_>, inst: Inst) -> u8 {
        let Some(changes) = &self.changes else { return REACH };
        if f.insts.is_touched(inst) {
            return REACH;
        }
        let values = f.insts[inst].srcs.iter().filter_map(|src| src.as_value());
        values.fold(0, |most, value| most.max(changes[value])).saturating_sub(1)
    }

    /// Records how far the results of `inst` affect others.
    #[inline(always)]
    fn note_affected(&mut self, f: &Function<'_>, inst: Inst, results: &[Value], affected: u8) {
        let Some(changes) = &mut self.changes else { return };
        let affected = if f.insts.is_touched(inst) { REACH } else { affected };
        for dst in results {
            changes[*dst] = affected;
        }
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
