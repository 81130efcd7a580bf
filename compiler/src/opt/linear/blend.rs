//! Blends of two values: `x·(1 − t) + y·t` is `x + t·(y − x)`, and `x` or `y` if a condition selects `t` as 0 or 1.
//!
//! This saves the complement of `t`, and one operation more if `y` is a product. The preamble computes the complement of a
//! uniform `t`.

use agx_isa::table::Opcode;

use super::build::Maker;
use super::common::common;
use super::facts::negated;
use super::sum::{Sum, Term, remove};
use crate::ir::{Arithmetic, Function, IrOp, Op, Src};

/// The bits of 1.0.
const ONE: u64 = 0x3f80_0000;

/// The weight of a value in a blend.
#[derive(Clone, Copy, PartialEq)]
enum Weight {
    /// 1 if the condition has this value, else 0.
    Condition(Src, bool),
    /// Another weight.
    Number(Src),
    /// Its complement.
    Complement(Src),
}

impl Weight {
    fn of(f: &Function<'_>, factor: Src) -> Weight {
        let Some(data) = f.def(factor) else { return Weight::Number(factor) };
        match (data.op, data.srcs) {
            (Op::Ir(IrOp::Select), [condition, one, zero]) => match [one.as_imm(), zero.as_imm()] {
                [Some(ONE), Some(0)] => Weight::Condition(*condition, true),
                [Some(0), Some(ONE)] => Weight::Condition(*condition, false),
                _ => Weight::Number(factor),
            },
            (Op::Hw(Opcode::Fadd), [other, one]) if one.as_imm() == Some(ONE) => {
                negated(f, *other).map_or(Weight::Number(factor), Weight::Complement)
            }
            _ => Weight::Number(factor),
        }
    }

    /// Its complement, if that is a factor where this one is the factor of the first value.
    fn opposite(self) -> Option<Weight> {
        match self {
            Weight::Condition(condition, truth) => Some(Weight::Condition(condition, !truth)),
            Weight::Complement(other) => Some(Weight::Number(other)),
            Weight::Number(_) => None,
        }
    }
}

/// Two terms of a sum that are a blend: their numbers and weights.
struct Blend {
    terms: [(usize, Src); 2],
    weight: Weight,
}

impl Maker<'_, '_, '_, '_> {
    /// Replaces blends by steps from one value to the other, or selections. Returns whether there are any; `None` if there are
    /// too many factors.
    pub(super) fn step_blends(&mut self, sum: &mut Sum) -> Option<bool> {
        let mut changed = false;
        while let Some(Blend { terms, weight }) = self.find_blend(sum) {
            let mut values = terms.map(|(at, factor)| sum[at].without(factor));
            let mut whole = Term { negative: false, factors: common(values.iter()) };
            for factor in &whole.factors {
                values.iter_mut().for_each(|value| remove(&mut value.factors, *factor));
            }
            let values = values.map(|value| self.product(&value));
            let blended = self.blended(values, weight, terms[1].1);
            whole.factors.try_push(blended).ok()?;
            let [(first, _), (second, _)] = terms;
            sum.remove(first.max(second));
            sum[first.min(second)] = whole;
            changed = true;
        }
        Some(changed)
    }

    /// The first blend in a sum.
    fn find_blend(&self, sum: &Sum) -> Option<Blend> {
        let f = &*self.r.f;
        if sum.len() < 2 {
            return None;
        }
        let weights = || {
            let terms = sum.iter().enumerate().filter(|(_, term)| term.factors.len() > 1);
            terms.flat_map(|(at, term)| term.factors.iter().map(move |factor| (at, *factor)))
        };
        weights().find_map(|(first, factor)| {
            let weight = Weight::of(f, factor);
            let opposite = weight.opposite()?;
            let is_uniform = self.is_uniform(factor) && matches!(weight, Weight::Complement(_));
            let second = weights().find(|(at, other)| {
                // Where one value is 1, a sum is fused with the product of the other.
                let has_values = || {
                    [(first, *at), (*at, first)].iter().all(|(one, other)| {
                        let is_other = |src: &&Src| !sum[*other].factors.contains(src);
                        sum[*one].factors.iter().filter(is_other).count() > 1
                    })
                };
                *at != first && Weight::of(f, *other) == opposite && !is_uniform && has_values()
            })?;
            Some(Blend { terms: [(first, factor), second], weight })
        })
    }

    /// The blend of two values; `step` is the weight of the second.
    fn blended(&mut self, [first, second]: [Src; 2], weight: Weight, step: Src) -> Src {
        if let Weight::Condition(condition, is_first) = weight {
            let (then, otherwise) = if is_first { (first, second) } else { (second, first) };
            let selected = self.r.select(condition, then, otherwise);
            return self.made(selected);
        }
        let opposite = Term { negative: true, ..Term::of(first) };
        let difference = self.sum(&mut [Term::of(second), opposite].into_iter().collect());
        let change = Term { negative: false, factors: [step, difference].into_iter().collect() };
        self.sum(&mut [Term::of(first), change].into_iter().collect())
    }
}
