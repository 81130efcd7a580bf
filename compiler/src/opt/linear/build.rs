//! Builds sums and products.

use agx_isa::table::Opcode;

use super::facts::{Facts, Known, Part};
use super::forms::Forms;
use super::sum::{Sum, Term};
use crate::ir::{Arithmetic, Build, IrOp, Rewriter, Src};

/// Builds new sums and products.
pub(super) struct Maker<'m, 's, 'f, 'a> {
    pub facts: &'m mut Facts<'s>,
    pub forms: &'m mut Forms<'s>,
    pub r: &'m mut Rewriter<'f, 'a>,
    /// The results are relaxed.
    pub relaxed: bool,
}

impl Maker<'_, '_, '_, '_> {
    pub(super) fn is_uniform(&self, src: Src) -> bool {
        self.facts.is_uniform(src)
    }

    /// Marks what was built as relaxed if the results are.
    pub(super) fn made(&mut self, src: Src) -> Src {
        if let Some(value) = src.as_value().filter(|_| self.relaxed) {
            self.r.f.relax(value);
        }
        src
    }

    /// The product of the factors of a term, with its sign.
    pub(super) fn product(&mut self, term: &Term) -> Src {
        let ordered = self.ordered(term);
        let Term { negative, factors } = ordered.as_ref().unwrap_or(term);
        let factors = factors.iter().copied().filter(|factor| *factor != Src::f32(1.0));
        let product = factors.reduce(|before, factor| {
            // Constants come last.
            let (a, b) = if before.as_imm().is_some() { (factor, before) } else { (before, factor) };
            let next = self.r.op(Opcode::Fmul, 32, &[a, b]);
            let is_uniform = self.is_uniform(a) && self.is_uniform(b);
            self.facts.note(self.r.f, next, Known { part: Part::Factor, ..Known::default() }, is_uniform);
            self.made(next)
        });
        let product = product.unwrap_or(Src::f32(1.0));
        if !negative {
            return product;
        }
        let negated = self.r.alu(IrOp::Fneg, 32, &[product], &[]);
        self.made(negated)
    }

    /// Adds single terms first, so that each product is fused with the preceding sum.
    pub(super) fn sum(&mut self, terms: &mut Sum) -> Src {
        terms.sort_by_key(|term| term.factors.len() > 1);
        let mut sum: Option<Src> = None;
        for term in terms.iter() {
            let summand = self.product(term);
            sum = Some(match sum {
                None => summand,
                Some(before) => self.add(before, summand),
            });
        }
        sum.unwrap_or(Src::f32(0.0))
    }

    /// `before + summand`, constants last.
    fn add(&mut self, before: Src, summand: Src) -> Src {
        let (a, b) = if before.as_imm().is_some() { (summand, before) } else { (before, summand) };
        let sum = match [a.as_imm(), b.as_imm()] {
            [Some(a), Some(b)] => Src::f32(f32::from_bits(a as u32) + f32::from_bits(b as u32)),
            _ => self.r.fadd(a, b),
        };
        self.made(sum)
    }

    /// The sum of uniform terms, for the preamble.
    pub(super) fn uniform_sum(&mut self, terms: &mut Sum) -> Src {
        let sum = self.sum(terms);
        self.facts.note(self.r.f, sum, Known::default(), true);
        sum
    }
}
