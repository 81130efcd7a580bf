//! Common subexpression elimination by value numbering.
//!
//! One walk over the layout. A pure instruction (or a load of read-only memory) with the operation, sources,
//! modifiers and result types of an earlier instruction is replaced by it if the earlier one dominates.
//! Dominance follows from the structure: entries of an arm, a loop's body or a scope expire when it closes,
//! except that an arm whose sibling never reaches the join dominates the code after the if, and that the
//! first block of a loop or scope dominates all code after it.
//!
//! A difference of floats also matches its opposite: `b - a` is `-(a - b)` if the signs of zeros are
//! insignificant, and users can mostly absorb the sign.
//!
//! Subgroup operations depend on which lanes are active, so they merge only within a block; so do phis, which
//! are equal if their sources are. Derivatives, and textures read at a level that derivatives determine, depend on the
//! value in other lanes, which may have left a loop in another iteration: in functions with loops they merge only within
//! a block, too.
//!
//! `opt_simplify` numbers values in the walk in which it simplifies them; this pass does nothing else.
//!
//! Before: stage source to lowered. After: the same.

use std::hash::Hasher;

use agx_isa::table::Opcode;
use agx_isa::table::names::LodMode;
use bumpalo::Bump;
use rustc_hash::FxHasher;

use crate::analysis::regions::Regions;
use crate::ir::key;
use crate::ir::row_table::{Entry, RowTable, hash_row, hash_src, same_row};
use crate::ir::{Arithmetic, Block, Function, Inst, InstData, IrOp, Op, Rewrite, Rewriter, Seam, Src};

/// Merges identical pure instructions.
pub fn opt_cse(f: &mut Function<'_>) {
    f.with_scratch(|f, scratch| {
        let mut numbering = Numbering::of(f, scratch);
        f.map_insts(|rewriter, inst| numbering.visit(rewriter, inst));
    });
}

/// The values numbered so far in a walk.
pub(super) struct Numbering<'s> {
    regions: Regions<'s>,
    /// The instructions, noted with the number of their block.
    table: RowTable<'s, u32>,
    /// There may be differences of floats with an opposite.
    has_differences: bool,
    has_loops: bool,
}

impl<'s> Numbering<'s> {
    /// An empty numbering for `f`, whose layout must not change.
    pub(super) fn of(f: &Function<'_>, scratch: &'s Bump) -> Numbering<'s> {
        let count = f.layout.iter().map(|segment| f.block(segment.block).insts.len()).sum();
        Numbering {
            regions: Regions::of(f, scratch),
            table: RowTable::with_room(count, scratch),
            has_differences: !f.signed_zeros && !f.has_exact && f.present.may_have_op(IrOp::Fneg),
            has_loops: f.layout.iter().any(|segment| segment.seam == Seam::Loop),
        }
    }

    /// Numbers `inst`, or replaces it by an earlier identical instruction.
    #[inline(always)]
    pub(super) fn visit(&mut self, rewriter: &mut Rewriter<'_, '_>, inst: Inst) -> Rewrite {
        match self.find(rewriter.f, rewriter.block, inst) {
            None => Rewrite::Keep,
            Some(Known::Equal(first)) => replace(rewriter, first, inst),
            Some(Known::Opposite(first)) => negate(rewriter, first, inst),
        }
    }

    /// Numbers `inst`, an instruction of `block`, or finds an earlier one that computes the same.
    #[inline(always)]
    fn find(&mut self, f: &Function<'_>, block: Block, inst: Inst) -> Option<Known> {
        let data = &f.insts[inst];
        let in_block = match data.op {
            op if data.is_pure() => op == Op::Ir(IrOp::Phi),
            Op::Hw(Opcode::Dfdx | Opcode::Dfdy) => self.has_loops,
            Op::Hw(Opcode::Smpf) => self.has_loops && data.get(key::LOD_MODE) != LodMode::EXPLICIT,
            op if op.is_cross_lane() => true,
            _ => return None,
        };
        if data.dsts.is_empty() {
            return None;
        }
        let here = Entry { inst, note: block.0, hash: 0 };
        if data.op == Op::Hw(Opcode::Fadd)
            && self.has_differences
            && let Some(difference) = Difference::of(f, data)
        {
            return self.find_difference(f, here, data, difference);
        }
        let here = Entry { hash: hash_row(data), ..here };
        let found = self.table.place(here.hash, |known| same_row(f, &f.insts[known], data));
        self.known(found, here, in_block).map(Known::Equal)
    }

    /// The instruction of an entry if it dominates `here`; otherwise stores `here` in the entry.
    #[inline(always)]
    fn known(&mut self, (at, known): (usize, Entry<u32>), here: Entry<u32>, in_block: bool) -> Option<Inst> {
        if known.is_free() {
            self.table.take(at, here);
            return None;
        }
        if known.note != here.note && (in_block || !self.dominates(Block(known.note), Block(here.note))) {
            self.table.entries[at] = here;
            return None;
        }
        Some(known.inst)
    }

    /// Whether what an earlier block computes is available in a later one.
    fn dominates(&self, earlier: Block, later: Block) -> bool {
        self.regions.dominates(self.regions.region(earlier), self.regions.region(later))
    }

    /// Numbers a difference, or finds an earlier equal or opposite one.
    #[inline(never)]
    fn find_difference(
        &mut self,
        f: &Function<'_>,
        here: Entry<u32>,
        data: &InstData<'_>,
        difference: Difference,
    ) -> Option<Known> {
        let here = Entry { hash: difference.hash() as u32, ..here };
        let is_opposite = |known: Inst| difference.is_opposite(f, &f.insts[known]);
        let found =
            self.table.place(here.hash, |known| same_row(f, &f.insts[known], data) || is_opposite(known));
        let first = self.known(found, here, false)?;
        Some(if is_opposite(first) { Known::Opposite(first) } else { Known::Equal(first) })
    }
}

/// An earlier instruction that computes the same.
#[derive(Clone, Copy)]
enum Known {
    /// An identical one.
    Equal(Inst),
    /// A difference whose negation is the same.
    Opposite(Inst),
}

/// Whether there are equal instructions that [`opt_cse`] does not leave. It may leave phis of a loop, which become equal when
/// what the loop computes for the next iteration is merged, after they were numbered. And of an arm and the code that continues
/// it, it leaves what it also finds in the other arm, between them.
pub(crate) fn has_equal(f: &Function<'_>) -> bool {
    let scratch = Bump::new();
    let regions = Regions::nested(f, &scratch);
    let mut numbering = Numbering { regions, ..Numbering::of(f, &scratch) };
    let mut finds =
        |block, inst: Inst| f.insts[inst].op != Op::Ir(IrOp::Phi) && numbering.find(f, block, inst).is_some();
    f.layout.iter().any(|segment| f.block(segment.block).insts.iter().any(|inst| finds(segment.block, *inst)))
}

/// Replaces a difference by the negation of its opposite.
#[cold]
fn negate(rewriter: &mut Rewriter<'_, '_>, first: Inst, inst: Inst) -> Rewrite {
    let [value, dst] = [first, inst].map(|inst| rewriter.f.insts[inst].dst());
    let (Some(value), Some(dst)) = (value, dst) else { return Rewrite::Keep };
    let negated = rewriter.fneg(Src::value(value));
    let relaxed = rewriter.f.values[dst].relaxed;
    rewriter.f.values[value].relaxed &= relaxed;
    if let Some(negated) = negated.as_value() {
        rewriter.f.values[negated].relaxed = relaxed;
    }
    Rewrite::Forward(negated)
}

/// `a − b` of floats, which is `−(b − a)` if the sign of a zero is insignificant.
#[derive(Clone, Copy, PartialEq)]
struct Difference {
    minuend: Src,
    subtrahend: Src,
}

impl Difference {
    /// The difference that the sum `data` computes, if it is one; most are none.
    #[inline(always)]
    fn of(f: &Function<'_>, data: &InstData<'_>) -> Option<Difference> {
        let [a, b] = data.srcs else { return None };
        match [negation(f, a), negation(f, b)] {
            [None, Some(negation)] => Difference::with(f, data, *a, negation),
            [Some(negation), None] => Difference::with(f, data, *b, negation),
            _ => None,
        }
    }

    /// The difference that the sum `data` of `minuend` and a negation computes.
    #[inline(never)]
    fn with(f: &Function<'_>, data: &InstData<'_>, minuend: Src, negation: Inst) -> Option<Difference> {
        let subtrahend = f.insts[negation].srcs[0];
        (!data.get(key::SAT)).then_some(Difference { minuend, subtrahend })
    }

    /// Equal for opposite differences.
    fn hash(self) -> u64 {
        let hash = |src: Src| {
            let mut hasher = FxHasher::default();
            hash_src(&mut hasher, src);
            hasher.finish()
        };
        hash(self.minuend) ^ hash(self.subtrahend)
    }

    /// Whether `data` is the opposite difference.
    fn is_opposite(self, f: &Function<'_>, data: &InstData<'_>) -> bool {
        let opposite = Difference { minuend: self.subtrahend, subtrahend: self.minuend };
        data.op == Op::Hw(Opcode::Fadd) && Difference::of(f, data) == Some(opposite)
    }
}

/// The instruction that negates a float to give `src`.
#[inline(always)]
fn negation(f: &Function<'_>, src: &Src) -> Option<Inst> {
    let def = src.as_value().and_then(|value| f.values[value].def)?;
    (f.insts[def].op == Op::Ir(IrOp::Fneg) && src.flags.is_empty()).then_some(def)
}

/// Replaces the results of `inst` by those of an identical instruction.
pub(super) fn replace(rewriter: &mut Rewriter<'_, '_>, first: Inst, inst: Inst) -> Rewrite {
    let [known, replaced] = [first, inst].map(|inst| rewriter.f.insts[inst].dsts);
    for (dst, known) in replaced.iter().zip(known) {
        // If either use needs full precision, the merged value must keep it.
        rewriter.f.values[*known].relaxed &= rewriter.f.values[*dst].relaxed;
        rewriter.forward(*dst, Src::value(*known));
    }
    Rewrite::Remove
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse;
    use crate::opt::opt_dce;

    /// Of three equal instructions the first is in an arm, which the third continues, and the second in the other arm.
    const ARMS: &str = "kernel @arms(%0:32) stage source {
        b0:
            %1:1 = icmp %0, #0 cond=0
            loop {
        b1:
            if %1 {
        b2:
            %2:32 = iadd %0, #5
            keep %2
        } else {
        b3:
            %3:32 = iadd %0, #5
            jump b5
        }
        b4:
            %4:32 = iadd %0, #5
            keep %4
            jump b5
        }
        b5:
        }";

    #[test]
    fn what_is_removed_makes_nothing_equal() {
        let bump = Bump::new();
        let mut f = parse(&bump, ARMS).expect("parses").remove(0);
        assert!(!has_equal(&f), "{f}");
        opt_dce(&mut f);
        assert!(!has_equal(&f), "{f}");
        let merged = |f: &mut Function<'_>| {
            let before = f.to_string();
            opt_cse(f);
            f.to_string() != before
        };
        assert!(merged(&mut f), "the third instruction is the first without the second");
        let twice = ARMS.replace("keep %2", "%6:32 = iadd %0, #5\n            keep %2, %6");
        assert!(has_equal(&parse(&bump, &twice).expect("parses")[0]));
    }
}
