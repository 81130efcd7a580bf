//! Pairs of factors whose sum or difference several sums would contain, once the factor they share is taken out.
//!
//! Taking `b` out of `a·b − c·b` saves nothing by itself. But `a×b + b×c`, the normal of two triangles with a common
//! edge, is `(a − c)×b`, whose components share three differences.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::sum::{Sum, Term};
use crate::ir::{Src, Value};

/// Two values, the one defined first in front, and whether one of them is subtracted.
type Pair = (Value, Value, bool);

/// Number of sums that would contain each pair.
#[derive(Default)]
pub(super) struct Pairs {
    counts: HashMap<Pair, u32, FxBuildHasher>,
}

impl Pairs {
    /// Counts the pairs in a sum.
    pub(super) fn add(&mut self, sum: &Sum) {
        each_pair(sum).for_each(|pair| *self.counts.entry(pair).or_default() += 1);
    }

    /// Whether several sums contain what remains of two terms without the factor they share.
    pub(super) fn are_shared(&self, first: &Term, second: &Term) -> bool {
        pair(first, second).is_some_and(|pair| self.counts.get(&pair).is_some_and(|count| *count > 1))
    }
}

/// The pairs in a sum.
pub(super) fn each_pair(sum: &Sum) -> impl Iterator<Item = Pair> {
    let rest = |index: usize| sum[index + 1..].iter();
    sum.iter()
        .enumerate()
        .flat_map(move |(index, first)| rest(index).filter_map(|second| pair(first, second)))
}

/// For two products of two factors each that share one: the other two.
fn pair(first: &Term, second: &Term) -> Option<Pair> {
    let ([a, b], [c, d]) = (&first.factors[..], &second.factors[..]) else { return None };
    let (left, right) = match () {
        () if a == c => (b, d),
        () if a == d => (b, c),
        () if b == c => (a, d),
        () if b == d => (a, c),
        () => return None,
    };
    let value = |src: &Src| src.as_value().filter(|_| src.flags.is_empty());
    let (left, right) = (value(left)?, value(right)?);
    (left != right).then_some((left.min(right), left.max(right), first.negative != second.negative))
}
