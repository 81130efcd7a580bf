//! Common factors: `a·c + b·c` is `(a + b)·c`.
//!
//! `n·s·(l·t) + m·s·(k·t)`, the dot product of two normalised vectors, becomes `s·t·(n·l + m·k)`.

use super::build::Maker;
use super::pairs::each_pair;
use super::sum::{Factors, Sum, Term, cost, remove};
use crate::ir::Src;

/// Minimum number of terms of a sum for which shared pairs of factors are counted: two pairs.
const FEWEST_OF_PAIRS: usize = 4;

/// Terms with common factors.
struct Group {
    /// Mask of the member terms.
    members: u32,
    common: Factors,
}

impl Group {
    /// The members among `terms`.
    fn of<'t>(&self, terms: &'t Sum) -> impl Iterator<Item = &'t Term> + use<'t> {
        let members = self.members;
        terms.iter().enumerate().filter(move |(index, _)| members >> index & 1 == 1).map(|(_, term)| term)
    }

    /// A member without the common factors.
    fn rest(&self, member: &Term) -> Term {
        let mut rest = member.clone();
        self.common.iter().for_each(|factor| remove(&mut rest.factors, *factor));
        rest
    }
}

/// Whether two factors may be equal; a quick check, since mostly none are.
pub(super) fn may_repeat(terms: &Sum) -> bool {
    let mut seen = 0u64;
    terms.iter().flat_map(|term| &term.factors).any(|factor| {
        let bit = 1 << (factor.payload % 64);
        let is_seen = seen & bit != 0;
        seen |= bit;
        is_seen
    })
}

/// The factors that all of `terms` have, with the smallest multiplicity.
pub(super) fn common<'t>(mut terms: impl Iterator<Item = &'t Term>) -> Factors {
    let mut common = terms.next().map_or_else(Factors::new, |first| first.factors.clone());
    for term in terms {
        let mut left = term.factors.clone();
        common.retain(|factor| match left.iter().position(|other| other == factor) {
            Some(at) => {
                left.remove(at);
                true
            }
            None => false,
        });
    }
    common
}

impl Maker<'_, '_, '_, '_> {
    /// Takes common factors out as long as that saves operations. Returns whether it did; `None` if there are too many factors.
    pub(super) fn take_common(&mut self, terms: &mut Sum) -> Option<bool> {
        let mut changed = false;
        while let Some(group) = self.best_group(terms) {
            let (mut inner, mut rest) = (Sum::new(), Sum::new());
            for (index, term) in terms.drain(..).enumerate() {
                let is_member = group.members >> index & 1 == 1;
                if is_member { inner.push(group.rest(&term)) } else { rest.push(term) }
            }
            let mut product = Term { negative: false, factors: group.common };
            self.compose(&mut inner);
            product.factors.try_push(self.sum(&mut inner)).ok()?;
            *terms = rest;
            terms.push(product);
            changed = true;
        }
        Some(changed)
    }

    /// The group whose common factors save the most operations, if any saves one.
    fn best_group(&mut self, terms: &Sum) -> Option<Group> {
        if !may_repeat(terms) {
            return None;
        }
        // Taking the shared factor out of two products saves nothing unless other sums contain the rest.
        if terms.len() >= FEWEST_OF_PAIRS && each_pair(terms).next().is_some() {
            self.facts.count_pairs(self.r.f);
        }
        let mut best: Option<(usize, Group)> = None;
        for (first, term) in terms.iter().enumerate() {
            for factor in &term.factors {
                // The product of a value with a constant is fused with the sum.
                if factor.as_imm().is_some() && term.factors.len() < 3 {
                    continue;
                }
                let has = |term: &Term| u32::from(term.factors.contains(factor));
                let members =
                    terms.iter().enumerate().fold(0, |members, (index, term)| members | has(term) << index);
                // Each factor is examined where it occurs first.
                if members.count_ones() < 2 || members.trailing_zeros() as usize != first {
                    continue;
                }
                let mut group = Group { members, common: Factors::new() };
                group.common = common(group.of(terms));
                let saved = self.saving(terms, &group);
                if saved > best.as_ref().map_or(0, |(most, _)| *most) {
                    best = Some((saved, group));
                }
            }
        }
        best.map(|(_, group)| group)
    }

    /// Number of saved operations. Within the parentheses, what remains of a term may be a product that other sums contain,
    /// too; if that applies to all terms, so does the sum of them: those of the other components of a vector.
    fn saving(&self, terms: &Sum, group: &Group) -> usize {
        let is_uniform = |src: Src| self.is_uniform(src);
        let products = |src: &Src| self.facts.get(*src).products;
        let own = group.common.iter().map(products).max().unwrap_or(0).max(2);
        let is_common = |factor: &Src| products(factor) > own;
        let mut inner: Sum = group.of(terms).map(|term| group.rest(term)).collect();
        // A product that other sums contain is computed anyway.
        for term in &mut inner {
            let is_known = term.factors.iter().all(|src| src.as_imm().is_some() || is_common(src));
            let varying = term.factors.iter().copied().find(|src| !is_uniform(*src));
            if let Some(factor) = varying.filter(|_| is_known) {
                *term = Term::of(factor);
            }
        }
        let is_shared = |term: &Term| term.factors.iter().all(|src| is_uniform(*src) || is_common(src));
        let mut members = group.of(terms);
        let is_pair = match [members.next(), members.next(), members.next()] {
            [Some(first), Some(second), None] => self.facts.is_shared_pair(first, second),
            _ => false,
        };
        let is_free = is_pair || inner.iter().all(|term| is_shared(term) && term.weight(is_uniform) < 2);
        let inside = if is_free { 0 } else { cost(&inner, is_uniform) };
        let common = Term { negative: false, factors: group.common.clone() }.weight(is_uniform);
        let before: usize = group.of(terms).map(|term| term.weight(is_uniform) - 1).sum();
        before.saturating_sub(inside + common)
    }
}
