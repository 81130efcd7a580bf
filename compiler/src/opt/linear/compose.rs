//! Composition of linear maps with uniform coefficients, for the preamble: `u·(v·x + w)` is `(u·v)·x + u·w`.
//!
//! `(uv · scale + offset) · size + centre` takes two operations for every invocation. The products `scale · size` and
//! `offset · size` are the same for all invocations: the preamble computes them, and the shader needs one operation. The
//! same applies to a vector that is multiplied by two matrices.
//!
//! In the place of a factor that is a sum itself, a sum gets the terms of that, and terms that differ only in uniform factors
//! become one, whose coefficient is the sum of those. This is done if it takes no more operations, as the inner sum may
//! become unused, or fewer than both together if nothing else reads the inner one.
//!
//! Vertex shaders are left alone: programs draw the same geometry with several shaders and expect equal positions, though
//! they rarely declare them invariant; and the product of two matrices takes the preamble longer than a small draw saves.

use agx_abi::layout::UNIFORM_HALVES;
use arrayvec::ArrayVec;

use super::build::Maker;
use super::common::may_repeat;
use super::sum::{Factors, MOST_TERMS, Sum, Term, cost};
use crate::ir::Src;

/// Maximum number of coefficients that are computed, so that they fit in the uniform file beside the constants of the shader.
const MOST_COEFFICIENTS: usize = UNIFORM_HALVES as usize / 6;

/// Terms that differ only in uniform factors.
struct Group {
    varying: Factors,
    /// Mask of the terms.
    members: u32,
}

impl Maker<'_, '_, '_, '_> {
    /// Composes a sum with those that are factors of its terms, if that saves operations. Returns whether it did.
    pub(super) fn compose(&mut self, sum: &mut Sum) -> bool {
        let has_form = |src: &Src| !self.forms.get(*src).is_empty();
        if !self.forms.is_used || !sum.iter().any(|term| term.factors.iter().any(has_form)) {
            return false;
        }
        let Some((expanded, unshared)) = self.expanded(sum) else { return false };
        let groups = self.groups(&expanded);
        let is_uniform = |src: Src| self.is_uniform(src);
        let composed =
            groups.iter().filter_map(|group| group.typical(&expanded, is_uniform)).collect::<Sum>();
        let (before, after) = (cost(&*sum, is_uniform), cost(&composed, is_uniform));
        if self.forms.coefficients >= MOST_COEFFICIENTS || after > before && after >= before + unshared {
            return false;
        }
        self.forms.coefficients += groups.len();
        *sum = self.joined(&expanded, groups);
        true
    }

    /// Makes one term of those that differ only in uniform factors, if there are any. Returns whether it did.
    pub(super) fn join_uniform(&mut self, sum: &mut Sum) -> bool {
        let is_uniform = |src: Src| self.is_uniform(src);
        let uniform = sum.iter().filter(|term| term.is_uniform(is_uniform)).count();
        // Few sums repeat a factor.
        if sum.len() < 3 && uniform == 0 || uniform < 2 && !may_repeat(sum) {
            return false;
        }
        let groups = self.groups(sum);
        let changed = groups.len() < sum.len() && groups.len() > 1;
        if changed {
            *sum = self.joined(sum, groups);
        }
        changed
    }

    /// A sum with the terms of other sums in the place of factors that are such sums, and the cost of those sums that nothing
    /// else reads; `None` if there are no such factors.
    fn expanded(&self, sum: &Sum) -> Option<(Sum, usize)> {
        let is_uniform = |src: Src| self.is_uniform(src);
        let (mut expanded, mut unshared, mut any) = (Sum::new(), 0, false);
        for term in sum {
            let mut varying = term.factors.iter().copied().filter(|src| !is_uniform(*src));
            let only = varying.next().filter(|_| varying.next().is_none());
            let Some((factor, form)) =
                only.map(|src| (src, self.forms.get(src))).filter(|(_, form)| !form.is_empty())
            else {
                expanded.try_push(term.clone()).ok()?;
                continue;
            };
            any = true;
            if self.facts.get(factor).uses == 1 {
                unshared += cost(form, is_uniform);
            }
            for inner in form {
                let mut product = term.without(factor);
                product.negative ^= inner.negative;
                product.factors.try_extend_from_slice(&inner.factors).ok()?;
                expanded.try_push(product).ok()?;
            }
        }
        any.then_some((expanded, unshared))
    }

    /// The terms of a sum by their factors that are not uniform.
    fn groups(&self, sum: &Sum) -> ArrayVec<Group, MOST_TERMS> {
        let mut groups: ArrayVec<Group, MOST_TERMS> = ArrayVec::new();
        for (at, term) in sum.iter().enumerate() {
            let varying: Factors =
                term.factors.iter().copied().filter(|src| !self.is_uniform(*src)).collect();
            // There is room for a coefficient.
            let is_alike = |group: &&mut Group| group.varying == varying && !varying.is_full();
            match groups.iter_mut().find(is_alike) {
                Some(group) => group.members |= 1 << at,
                None => groups.push(Group { varying, members: 1 << at }),
            }
        }
        groups
    }

    /// The sum of groups of the terms of `sum`, each as one term.
    fn joined(&mut self, sum: &Sum, groups: impl IntoIterator<Item = Group>) -> Sum {
        let mut joined = Sum::new();
        for group in groups {
            let mut coefficients = group.coefficients(sum, |src| self.is_uniform(src));
            let mut term = match &mut coefficients[..] {
                [] => continue,
                [only] => std::mem::take(only),
                _ => Term::of(self.uniform_sum(&mut coefficients)),
            };
            term.factors.extend(group.varying);
            joined.push(term);
        }
        joined
    }
}

impl Group {
    /// The products of uniform factors of the terms, without opposite ones.
    fn coefficients(&self, sum: &Sum, is_uniform: impl Fn(Src) -> bool) -> Sum {
        let mut coefficients = Sum::new();
        for (_, Term { negative, factors }) in
            sum.iter().enumerate().filter(|(at, _)| self.members >> at & 1 == 1)
        {
            let factors = factors.iter().copied().filter(|src| is_uniform(*src)).collect();
            let coefficient = Term { negative: *negative, factors };
            let is_opposite =
                |other: &Term| other.factors == coefficient.factors && other.negative != coefficient.negative;
            match coefficients.iter().position(is_opposite) {
                Some(at) => drop(coefficients.remove(at)),
                None => coefficients.push(coefficient),
            }
        }
        coefficients
    }

    /// A term with the cost of the group; `None` if its terms cancel.
    fn typical(&self, sum: &Sum, is_uniform: impl Fn(Src) -> bool) -> Option<Term> {
        let coefficients = self.coefficients(sum, is_uniform);
        let mut term = Term { negative: false, factors: self.varying.clone() };
        // A coefficient of 1 has no factors.
        term.factors.extend(coefficients.iter().flat_map(|term| &term.factors).copied().next());
        (!coefficients.is_empty()).then_some(term)
    }
}
