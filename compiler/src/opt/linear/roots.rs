//! Products of a reciprocal root with a sum that contains the root: `1/√x · (√x + c)` is `1 + c/√x`.
//!
//! The force of a spring and the way out of a sphere are of this form: `normalize(d) · (length(d) − l)`.

use agx_isa::table::Opcode;

use super::build::Maker;
use super::sum::{Sum, Term, remove};
use crate::ir::{Function, Op, Src};

impl<'a> Maker<'_, '_, '_, 'a> {
    /// Removes roots from such products. Returns whether there are any; `None` if there are too many factors.
    pub(super) fn cancel_roots(&mut self, sum: &mut Sum) -> Option<bool> {
        let mut changed = false;
        if !self.facts.has_roots {
            return Some(false);
        }
        for term in sum {
            let Some((root, factor, offset)) = self.find_root(term) else { continue };
            [root, factor].iter().for_each(|src| remove(&mut term.factors, *src));
            // A uniform factor multiplies both summands if the preamble can multiply the offset.
            let is_uniform = |src: &Src| self.is_uniform(*src) && src.as_imm().is_none();
            let scale = term.factors.iter().copied().find(is_uniform).filter(|_| self.is_uniform(offset));
            scale.iter().for_each(|scale| remove(&mut term.factors, *scale));
            let factors = [Some(offset), scale, Some(root)].into_iter().flatten().collect();
            let one = Term::of(scale.unwrap_or(Src::f32(1.0)));
            let mut inner = [one, Term { negative: false, factors }].into_iter().collect();
            term.factors.try_push(self.sum(&mut inner)).ok()?;
            changed = true;
        }
        Some(changed)
    }

    /// The reciprocal root among the factors of a term, the sum, and its other summand.
    fn find_root(&self, term: &Term) -> Option<(Src, Src, Src)> {
        let f = &*self.r.f;
        term.factors.iter().find_map(|root| {
            let radicand = radicand(f, *root)?;
            term.factors.iter().find_map(|sum| {
                let summands = self.operands(*sum, Opcode::Fadd)?;
                let is_root = |src: &Src| {
                    let factors = self.operands(*src, Opcode::Fmul);
                    factors.is_some_and(|srcs| srcs == [radicand, *root] || srcs == [*root, radicand])
                };
                let at = summands.iter().position(is_root)?;
                Some((*root, *sum, summands[1 - at]))
            })
        })
    }

    /// The operands of the plain operation `op` that computes `src`.
    fn operands(&self, src: Src, op: Opcode) -> Option<&'a [Src]> {
        let f = &*self.r.f;
        let def = src.as_value().and_then(|value| f.values[value].def).filter(|_| src.flags.is_empty())?;
        self.facts.operation(f, def).filter(|(found, _)| *found == op).map(|(_, srcs)| srcs)
    }
}

/// What `src` is the reciprocal root of.
fn radicand(f: &Function<'_>, src: Src) -> Option<Src> {
    let data = f.def(src).filter(|_| src.flags.is_empty())?;
    matches!(data.op, Op::Hw(Opcode::Rsqrt | Opcode::Rsqrts)).then(|| data.srcs[0])
}
