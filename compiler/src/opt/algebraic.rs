//! Algebraic simplification by a table of rules.
//!
//! Each instruction is compared with the patterns of [`rules::GROUPS`]; the first that matches replaces it. A rule says
//! how exact it is, and a test evaluates both sides of every rule on edge and random inputs through the semantics the
//! folder and the machine share. Expects sources in the order [`opt_fold`](super::opt_fold) leaves: constants last.

mod pattern;
mod rules;

use self::pattern::Exactness;
use crate::ir::{Function, Rewrite};

/// Replaces operations by simpler ones of the same value.
pub fn opt_algebraic(f: &mut Function<'_>) {
    // Where a source forbids contraction it wants results to the last bit.
    let contract = f.contract;
    f.map_insts(|rewriter, inst| {
        let data = rewriter.f.insts[inst];
        let Some((_, group)) = rules::GROUPS.iter().find(|(op, _)| *op == data.op) else {
            return Rewrite::Keep;
        };
        for rule in group.iter().filter(|rule| contract || rule.exactness == Exactness::Exact) {
            if let Some(bound) = pattern::matches(rewriter, rule, &data)
                && let Some(src) = pattern::build(rewriter, rule, &bound)
            {
                return Rewrite::Forward(src);
            }
        }
        Rewrite::Keep
    });
}

#[cfg(test)]
mod tests;
