//! Algebraic simplification by a table of rules.
//!
//! Each instruction is compared with the patterns of [`rules::GROUPS`]; the first match replaces it. A rule
//! declares how exact it is, and a test evaluates both sides of every rule on edge cases and random inputs
//! with the semantics that the constant folder and the hardware share. Expects sources in the order that constant
//! folding establishes: constants last.
//!
//! An operation whose result is the source of an `exact` must be computed as written: only rules that are
//! always exact apply to it. The same holds for all operations of a function that does not allow contraction.
//! If infinities and NaNs are significant, no rule applies that assumes their absence.
//!
//! Part of `opt_simplify`.

mod pattern;
mod rules;

use crate::analysis::exact::exact_values;
use crate::ir::{Function, InstData, Rewrite, Rewriter, Side, Value};
use pattern::{Rule, Shape};

/// The rules that apply to one function.
pub(super) struct Rules {
    /// The least exact rules that the function allows.
    limit: pattern::Exactness,
    /// Sources of `exact` operations, computed when first needed.
    exact: Option<Side<Value, bool>>,
}

impl Rules {
    pub(super) fn new(f: &Function<'_>) -> Rules {
        Rules { limit: pattern::Exactness::limit(f), exact: None }
    }

    /// Replaces an instruction by the first rule that matches.
    #[inline(always)]
    pub(super) fn visit(&mut self, rewriter: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Rewrite {
        match rules::of(data.op) {
            [] => Rewrite::Keep,
            rules => self.apply(rules, rewriter, data),
        }
    }

    fn apply(&mut self, rules: &[Rule], rewriter: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Rewrite {
        let shape = Shape::of(rewriter.f, data);
        for rule in rules.iter().filter(|rule| shape.may_match(rule.shape) && rule.exactness <= self.limit) {
            let Some(bound) = pattern::matches(rewriter.f, rule, data) else { continue };
            if rewriter.f.has_exact && !rule.exactness.is_strict() {
                let exact = self.exact.get_or_insert_with(|| exact_values(rewriter.f));
                if data.dst().is_some_and(|dst| exact[dst]) {
                    continue;
                }
            }
            if let Some(src) = pattern::build(rewriter, rule, &bound) {
                return Rewrite::Forward(src);
            }
        }
        Rewrite::Keep
    }
}

#[cfg(test)]
mod tests;
