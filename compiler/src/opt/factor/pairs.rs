//! Pairs of factors whose sum or difference several sums would contain, once the factor they share is taken out.
//!
//! Taking `b` out of `a·b − c·b` saves nothing by itself. But `a×b + b×c`, the normal of two triangles with a common
//! edge, is `(a − c)×b`, whose components share three differences.

use agx_isa::table::Opcode;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::terms::{Term, Terms};
use super::{Chains, Part};
use crate::ir::{Function, Src, Value};

/// Two values, the one defined first in front, and whether one of them is subtracted.
type Pair = (Value, Value, bool);

/// Number of sums that would contain each pair.
#[derive(Default)]
pub(super) struct Pairs {
    counts: HashMap<Pair, u32, FxBuildHasher>,
}

impl Pairs {
    /// Counts the pairs in the sums of `f`.
    pub(super) fn of(chains: &Chains<'_>, f: &Function<'_>) -> Pairs {
        let mut pairs = Pairs::default();
        let mut terms = Terms::new();
        // The block that is being rewritten has no list of instructions.
        for inst in f.insts.keys().filter(|inst| chains.kinds[*inst].is_some()) {
            let data = &f.insts[inst];
            let is_root = data.dst().is_some_and(|dst| chains.parts[dst] != Part::Term && !chains.exact[dst]);
            let is_sum = || matches!(chains.operation(f, inst), Some((Opcode::Fadd | Opcode::Ffma, _)));
            terms.clear();
            if is_root && is_sum() && chains.sum(f, data, &mut terms, &mut true).is_some() {
                pairs.add(&terms);
            }
        }
        pairs
    }

    fn add(&mut self, terms: &Terms) {
        for (index, first) in terms.iter().enumerate() {
            for second in &terms[index + 1..] {
                if let Some(pair) = pair(first, second) {
                    *self.counts.entry(pair).or_default() += 1;
                }
            }
        }
    }

    /// Whether several sums contain what remains of two terms without the factor they share.
    pub(super) fn are_shared(&self, first: &Term, second: &Term) -> bool {
        pair(first, second).is_some_and(|pair| self.counts.get(&pair).is_some_and(|count| *count > 1))
    }
}

/// Whether two terms share a factor.
pub(super) fn has_pair(terms: &Terms) -> bool {
    terms
        .iter()
        .enumerate()
        .any(|(index, first)| terms[index + 1..].iter().any(|second| pair(first, second).is_some()))
}

/// Replaces the difference of two sums with a common summand, `(a + p) − (c + p)`, by the difference of the others.
pub(super) fn cancel(chains: &Chains<'_>, f: &Function<'_>, terms: &mut Terms) {
    let [first, second] = &mut terms[..] else { return };
    let ([a], [b]) = (&mut first.leaves[..], &mut second.leaves[..]) else { return };
    let summands = |src: Src| {
        let value = src.as_value().filter(|value| src.flags.is_empty() && !chains.exact[*value])?;
        let operation = chains.operation(f, f.values[value].def?);
        operation.filter(|(op, _)| *op == Opcode::Fadd).map(|(_, srcs)| srcs)
    };
    let (Some(left), Some(right)) = (summands(*a), summands(*b)) else { return };
    if first.negative == second.negative {
        return;
    }
    for (at, summand) in left.iter().enumerate() {
        if let Some(other) = right.iter().position(|src| src == summand) {
            (*a, *b) = (left[1 - at], right[1 - other]);
            return;
        }
    }
}

/// What remains of two products of two factors each without the factor they share.
fn pair(first: &Term, second: &Term) -> Option<Pair> {
    let ([a, b], [c, d]) = (&first.leaves[..], &second.leaves[..]) else { return None };
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
