//! Products with a value and one: `x·(1 − y)` is `x − x·y`, a single fused operation.
//!
//! Blend factors and falloffs are of this form. The product must not be a term of a sum, with which it would be fused anyway.

use agx_isa::table::Opcode;

use super::build::Maker;
use super::facts::{Facts, negated};
use super::sum::{Factors, Term};
use crate::ir::{Build, Function, IrOp, Src};

/// The sum of one and a value.
#[derive(Clone, Copy)]
struct Complement {
    value: Src,
    is_subtracted: bool,
}

impl Facts<'_> {
    /// Whether a factor of a product in a block is the sum of one and a value, computed in the same block.
    pub(super) fn has_complement(&self, f: &Function<'_>, factors: &[Src], home: u32) -> bool {
        factors.iter().any(|factor| self.complement(f, *factor, home).is_some())
    }

    fn complement(&self, f: &Function<'_>, factor: Src, home: u32) -> Option<Complement> {
        let known = self.get(factor);
        known.op.filter(|op| *op == Opcode::Fadd && known.home == home)?;
        let data = f.def(factor).filter(|_| factor.flags.is_empty())?;
        let [value, one] = data.srcs else { return None };
        if *one != Src::f32(1.0) {
            return None;
        }
        let inner = negated(f, *value);
        Some(Complement { value: inner.unwrap_or(*value), is_subtracted: inner.is_some() })
    }
}

impl Maker<'_, '_, '_, '_> {
    /// A product in a block, with the sums of one and a value among its factors last; `None` if there are none.
    pub(super) fn expand_complements(&mut self, term: &Term, home: u32) -> Option<Src> {
        let (mut rest, mut complements) = (Term { factors: Factors::new(), ..*term }, Factors::new());
        for factor in &term.factors {
            let is_complement = self.facts.complement(self.r.f, *factor, home).is_some();
            if is_complement { complements.push(*factor) } else { rest.factors.push(*factor) }
        }
        if rest.factors.is_empty() {
            rest.factors.extend(complements.pop());
        }
        if complements.is_empty() {
            return None;
        }
        let mut product = self.product(&rest);
        for factor in complements {
            let Complement { value, is_subtracted } = self.facts.complement(self.r.f, factor, home)?;
            let scale = if is_subtracted { self.r.alu(IrOp::Fneg, 32, &[product], &[]) } else { product };
            product = self.r.op(Opcode::Ffma, 32, &[scale, value, product]);
            product = self.made(product);
        }
        Some(product)
    }
}
