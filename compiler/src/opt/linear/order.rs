//! The order of factors.
//!
//! In a product of three or more factors, uniform factors come first, so that the preamble multiplies them, then those that
//! other products share, so that `opt_cse` merges their products.

use super::build::Maker;
use super::facts::Facts;
use super::sum::Term;
use crate::ir::Src;

impl Facts<'_> {
    /// The rank of a factor: constants, then uniform ones if there are several, then by descending number of products that
    /// share it.
    fn rank(&self, factor: Src, uniform: usize) -> (u8, u16) {
        match factor.as_imm() {
            Some(_) => (0, 0),
            None if uniform > 1 && self.is_uniform(factor) => (1, 0),
            None => (2, u16::MAX - self.get(factor).longer.max(1)),
        }
    }
}

impl Maker<'_, '_, '_, '_> {
    /// The factors in multiplication order, if that creates a partial product for the preamble or for other products to
    /// share.
    pub(super) fn ordered(&self, term: &Term) -> Option<Term> {
        if term.factors.len() < 3 {
            return None;
        }
        let uniform = term.factors.iter().filter(|factor| self.is_uniform(**factor)).count();
        // Early factors come first in the order, so their number suffices.
        let is_early = |factor: &&Src| self.facts.rank(**factor, uniform) < (2, u16::MAX - 1);
        let early = term.factors.iter().filter(is_early).count();
        if early < 2 || uniform == term.factors.len() {
            return None;
        }
        let mut ordered = term.clone();
        ordered.factors.sort_by_key(|factor| self.facts.rank(*factor, uniform));
        (early < ordered.factors.len() || uniform > 1).then_some(ordered)
    }
}
