//! Blends of two values: `x·(1 − t) + y·t`.

use agx_isa::table::Opcode;

use arrayvec::ArrayVec;

use super::terms::{Leaves, Term, Terms};
use crate::ir::{Function, InstData, IrOp, Op, Src};

/// The bits of 1.0.
const ONE: u64 = 0x3f80_0000;

/// A blend, with factors common to both values.
pub(super) struct Blend {
    pub negative: bool,
    /// The interpolation weight of the second value.
    pub step: Src,
    pub common: Leaves,
    pub first: Leaves,
    pub second: Leaves,
}

impl Blend {
    /// Takes a blend out of `terms`, if there is one with a divergent step: the preamble computes the
    /// complement of a uniform one.
    pub(super) fn take(
        f: &Function<'_>,
        terms: &mut Terms,
        is_uniform: impl Fn(Src) -> bool,
    ) -> Option<Blend> {
        let (first, second, rest, step) = find(f, terms, is_uniform)?;
        let (start, end) = (&terms[first], &terms[second]);
        let negative = start.negative;
        let (mut start, mut end) = (without(start, rest), without(end, step));
        let mut common = Leaves::new();
        start.retain(|factor| match end.iter().position(|other| other == factor) {
            Some(at) => {
                common.push(end.remove(at));
                false
            }
            None => true,
        });
        terms.remove(first.max(second));
        terms.remove(first.min(second));
        Some(Blend { negative, step, common, first: start, second: end })
    }
}

/// The two terms of a blend, the factor `1 - t` of the first one, and the step `t`.
fn find(
    f: &Function<'_>,
    terms: &Terms,
    is_uniform: impl Fn(Src) -> bool,
) -> Option<(usize, usize, Src, Src)> {
    for (first, start) in terms.iter().enumerate() {
        for rest in &start.leaves {
            let Some(complement) = Complement::of(f, *rest).filter(|of| !is_uniform(of.src())) else {
                continue;
            };
            for (second, end) in terms.iter().enumerate() {
                if second != first && end.negative == start.negative {
                    let step = end.leaves.iter().find(|leaf| complement.is_of(f, **leaf));
                    // If one value is 1, nothing is saved: a sum fuses with the product of the other.
                    if let Some(step) = step.filter(|_| has_values(start, end)) {
                        return Some((first, second, *rest, *step));
                    }
                }
            }
        }
    }
    None
}

/// Whether each term of a blend has factors that the other lacks.
fn has_values(start: &Term, end: &Term) -> bool {
    let common = |other: &Term, leaf: &Src| other.leaves.contains(leaf);
    [(start, end), (end, start)]
        .iter()
        .all(|(term, other)| term.leaves.iter().filter(|leaf| !common(other, leaf)).count() > 1)
}

/// The operand of which a factor is the complement.
enum Complement {
    /// The factor is `1 - t` for this `t`.
    Rest(Src),
    /// The factor is 0 if this condition holds and 1 otherwise.
    Condition(Src),
}

impl Complement {
    fn of(f: &Function<'_>, src: Src) -> Option<Complement> {
        let data = f.def(src).filter(|_| src.flags.is_empty())?;
        match (data.op, data.srcs) {
            (Op::Ir(IrOp::Select), [condition, then, otherwise]) => {
                let is_inverse = *then == Src::f32(0.0) && *otherwise == Src::f32(1.0);
                is_inverse.then_some(Complement::Condition(*condition))
            }
            (Op::Hw(Opcode::Fadd), [negated, one]) if *one == Src::f32(1.0) && negated.flags.is_empty() => {
                let is_plain = data.mods.iter().all(|number| *number == 0);
                let negation = f.def(*negated).filter(|data| is_plain && data.op == Op::Ir(IrOp::Fneg))?;
                negation.srcs[0].flags.is_empty().then_some(Complement::Rest(negation.srcs[0]))
            }
            _ => None,
        }
    }

    fn src(&self) -> Src {
        match self {
            Complement::Rest(src) | Complement::Condition(src) => *src,
        }
    }

    fn is_of(&self, f: &Function<'_>, step: Src) -> bool {
        match self {
            Complement::Rest(src) => *src == step,
            Complement::Condition(condition) => condition_of_step(f, step) == Some((*condition, true)),
        }
    }
}

/// The condition of a step that is selected as 0 or 1, and whether it is 1 if the condition holds.
pub(super) fn condition_of_step(f: &Function<'_>, step: Src) -> Option<(Src, bool)> {
    let data = f.def(step).filter(|data| data.op == Op::Ir(IrOp::Select) && step.flags.is_empty())?;
    match [data.srcs[1].as_imm(), data.srcs[2].as_imm()] {
        [Some(ONE), Some(0)] => Some((data.srcs[0], true)),
        [Some(0), Some(ONE)] => Some((data.srcs[0], false)),
        _ => None,
    }
}

/// Most values that are looked at to find that one is 0 or 1.
const MAX_STEPS: usize = 12;

/// Whether a value is 0 or 1: a selection or product of such.
pub(super) fn is_step(f: &Function<'_>, step: Src) -> bool {
    let mut pending: ArrayVec<Src, MAX_STEPS> = ArrayVec::new();
    pending.push(step);
    for _ in 0..MAX_STEPS {
        let Some(src) = pending.pop() else { return true };
        if matches!(src.as_imm(), Some(0 | ONE)) {
            continue;
        }
        let is_plain =
            |data: &InstData<'_>| data.mods.iter().all(|number| *number == 0) && src.flags.is_empty();
        let Some(data) = f.def(src).filter(is_plain) else { return false };
        let parts = match (data.op, data.srcs) {
            (Op::Ir(IrOp::Select), [_, parts @ ..]) | (Op::Hw(Opcode::Fmul), parts) => parts,
            _ => return false,
        };
        if parts.iter().any(|part| !part.flags.is_empty() || pending.try_push(*part).is_err()) {
            return false;
        }
    }
    pending.is_empty()
}

fn without(term: &Term, factor: Src) -> Leaves {
    let mut leaves = term.leaves.clone();
    if let Some(at) = leaves.iter().position(|leaf| *leaf == factor) {
        leaves.remove(at);
    }
    leaves
}
