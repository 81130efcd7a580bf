//! Values that are linear maps of others.

use bumpalo::Bump;

use super::sum::{Sum, Term};
use crate::ir::{ScratchSide, Src, Value};

/// Maximum number of terms of a sum that replaces a factor.
const MOST_FORM_TERMS: usize = 5;

/// The values that are sums of products with uniform factors.
pub(super) struct Forms<'s> {
    scratch: &'s Bump,
    /// The terms of each value; empty if it is something else.
    rows: ScratchSide<'s, Value, &'s [Term]>,
    /// Number of coefficients so far.
    pub coefficients: usize,
    /// Sums may be composed.
    pub is_used: bool,
}

impl<'s> Forms<'s> {
    pub(super) fn new_in(scratch: &'s Bump, values: usize, is_used: bool) -> Self {
        Forms { scratch, rows: ScratchSide::later_in(scratch, values), coefficients: 0, is_used }
    }

    /// The terms of the sum that `src` is.
    pub(super) fn get(&self, src: Src) -> &'s [Term] {
        src.as_value().map_or(&[], |value| self.rows[value])
    }

    /// Notes what a value is, for the sums that read it.
    pub(super) fn note(&mut self, value: Value, sum: &Sum, is_uniform: impl Fn(Src) -> bool) {
        let is_linear = |term: &Term| term.factors.iter().filter(|src| !is_uniform(**src)).count() < 2;
        if sum.iter().all(is_linear) && self.is_used && sum.len() <= MOST_FORM_TERMS {
            self.rows[value] = self.scratch.alloc_slice_clone(sum);
        }
    }

    /// Notes that `new` is what `old` is.
    pub(super) fn replace(&mut self, old: Value, new: Value) {
        self.rows[new] = self.rows[old];
    }
}
