//! Blends of two values: `x·(1 − t) + y·t`.

use agx_isa::table::Opcode;

use arrayvec::ArrayVec;

use super::terms::{Leaves, Term, Terms, remove};
use crate::ir::{Function, InstData, IrOp, Op, Src};

/// The bits of 1.0.
const ONE: u64 = 0x3f80_0000;

/// A blend, with factors common to both values.
pub(super) struct Blend {
    pub negative: bool,
    /// The second value is negated.
    pub opposite: bool,
    /// The interpolation weight of the second value.
    pub step: Src,
    pub common: Leaves,
    pub first: Leaves,
    pub second: Leaves,
}

impl Blend {
    /// Takes a blend out of `terms`, if there is one whose step is divergent or 0 or 1: the preamble computes the
    /// complement of another uniform step.
    pub(super) fn take(
        f: &Function<'_>,
        terms: &mut Terms,
        is_uniform: impl Fn(Src) -> bool,
    ) -> Option<Blend> {
        let (first, second, rest, step) = find(f, terms, is_uniform)?;
        let (start, end) = (&terms[first], &terms[second]);
        let (negative, opposite) = (start.negative, start.negative != end.negative);
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
        Some(Blend { negative, opposite, step, common, first: start, second: end })
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
            let Some(complement) = Complement::of(f, *rest) else { continue };
            let is_uniform = is_uniform(complement.src());
            for (second, end) in terms.iter().enumerate() {
                if second == first {
                    continue;
                }
                let step = end.leaves.iter().find(|leaf| complement.is_of(f, **leaf));
                let Some(step) = step.filter(|step| !is_uniform || is_step(f, **step)) else { continue };
                // If one value is 1, nothing is saved: a sum fuses with the product of the other.
                if has_values(start, end) || is_constant(start, end) {
                    return Some((first, second, *rest, *step));
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

/// Whether a blend is between a value and itself.
fn is_constant(start: &Term, end: &Term) -> bool {
    let common = start.leaves.iter().filter(|leaf| end.leaves.contains(leaf)).count();
    start.negative == end.negative && start.leaves.len() == end.leaves.len() && common + 1 == end.leaves.len()
}

/// The operand of which a factor is the complement.
enum Complement {
    /// The factor is `1 - t` for this `t`.
    Rest(Src),
    /// The factor is 0 or 1 by this condition: 1 if it has this value.
    Condition(Src, bool),
}

impl Complement {
    fn of(f: &Function<'_>, src: Src) -> Option<Complement> {
        let data = f.def(src).filter(|_| src.flags.is_empty())?;
        match (data.op, data.srcs) {
            (Op::Ir(IrOp::Select), _) => {
                condition_of_step(f, src).map(|(condition, is_one)| Complement::Condition(condition, is_one))
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
            Complement::Rest(src) | Complement::Condition(src, _) => *src,
        }
    }

    fn is_of(&self, f: &Function<'_>, step: Src) -> bool {
        match self {
            Complement::Rest(src) => *src == step,
            Complement::Condition(condition, is_one) => {
                condition_of_step(f, step) == Some((*condition, !*is_one))
            }
        }
    }
}

/// Whether a factor may be the complement of a step.
pub(super) fn is_complement(f: &Function<'_>, src: Src) -> bool {
    let def = src.as_value().and_then(|value| f.values[value].def);
    def.is_some_and(|def| matches!(f.insts[def].op, Op::Hw(Opcode::Fadd) | Op::Ir(IrOp::Select)))
        && Complement::of(f, src).is_some()
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
    remove(&mut leaves, factor);
    leaves
}
