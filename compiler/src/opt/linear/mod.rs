//! The algebra of sums of products.
//!
//! Float sums, products and negations whose results have a single use, in the same block, are one sum with the operation that
//! uses them: a list of terms, each a list of factors with a sign ([`sum`]). One decomposer reads it from the code ([`facts`]),
//! one builder writes it ([`build`]), and one function gives its cost. The moves in between make it cheaper. A move is a
//! function on a sum; the header of its file states its algebra:
//!
//! * [`defer_scales`]: scales of vectors move past linear operations.
//! * [`compose`]: maps with uniform coefficients are composed, and terms that differ only in those become one.
//! * [`roots`]: products of a reciprocal root with a sum that contains the root need no root.
//! * [`common`]: common factors are taken out, and those that leave what other sums contain ([`pairs`]).
//! * [`complements`]: products with a value and one are single fused operations.
//! * [`order`]: uniform factors come first, then those that other products share.
//!
//! The preamble computes uniform operations once, so that they cost nothing and are not rebuilt. Rounding differs: sums of floats
//! stay as they are if a function or an `exact` forbids contraction, or if signed zeros, infinities or NaNs are significant.
//!
//! Of sums of integers, the offsets of memory accesses give their constants to uniform bases ([`bases`]).
//!
//! Before: stage source. After: the same.

mod bases;
mod build;
mod common;
mod complements;
mod compose;
mod defer_scales;
mod facts;
mod forms;
mod order;
mod pairs;
mod roots;
mod sum;

use agx_abi::Stage;
use agx_isa::table::Opcode;
use bumpalo::Bump;

use super::may_regroup;
use crate::analysis::movable::MovableValues;
use crate::context::Context;
use crate::ir::rewrite::map_some;
use crate::ir::{Entity, Function, Inst, Rewrite, Rewriter, Src};
use build::Maker;
use facts::{Chain, Facts, Part, may_be_plain};
use forms::Forms;

/// Makes sums of products cheaper.
pub fn opt_linear(f: &mut Function<'_>, context: &mut Context<'_>) {
    let has = |op: Opcode| f.present.may_have_op(op);
    let has_sums = may_regroup(f) && (has(Opcode::Fmul) || has(Opcode::Fadd) || has(Opcode::Ffma));
    let composes = context.facts.info.stage != Stage::Vertex;
    f.with_scratch(|f, scratch| {
        let has_offsets = bases::has_offsets(f);
        if !has_sums && !has_offsets {
            return;
        }
        let mut uniform = MovableValues::of(f, scratch);
        if has_sums {
            defer_scales::defer_scales(f, &uniform, scratch);
            uniform = rewrite_sums(f, uniform, scratch, composes);
        }
        if has_offsets {
            bases::move_constants(f, &uniform);
        }
    });
}

/// Applies the moves on sums of floats. Returns the uniform values, with those that it made.
fn rewrite_sums<'s>(
    f: &mut Function<'_>,
    uniform: MovableValues<'s>,
    scratch: &'s Bump,
    composes: bool,
) -> MovableValues<'s> {
    let mut facts = Facts::of(f, uniform, scratch);
    let mut forms = Forms::new_in(scratch, f.values.len(), composes);
    let mut chain = Chain::default();
    map_some(f, may_be_plain, |r, inst| {
        rewrite(r, &mut facts, &mut forms, inst, &mut chain).map_or(Rewrite::Keep, Rewrite::Forward)
    });
    facts.uniform
}

/// The cheaper form of the sum or product that `inst` completes, if there is one.
fn rewrite<'s>(
    r: &mut Rewriter<'_, '_>,
    facts: &mut Facts<'s>,
    forms: &mut Forms<'s>,
    inst: Inst,
    chain: &mut Chain,
) -> Option<Src> {
    let (op, srcs) = facts.operation(r.f, inst)?;
    let dst = r.f.insts[inst].dst()?;
    let known = facts.get(dst.into());
    // Others belong to the sum or product that reads them.
    if known.part == Part::Term && op != Opcode::Fmul || known.part == Part::Factor && op == Opcode::Fmul {
        return None;
    }
    // An operation on other values has no cheaper form, unless they are sums, but may be a part of others.
    let is_whole = op == Opcode::Fmul && known.part == Part::None;
    let may_change = facts.is_chain(srcs)
        || srcs.iter().any(|src| !forms.get(*src).is_empty())
        || is_whole && facts.has_complement(r.f, srcs, known.home);
    let is_linear = op != Opcode::Fmul || srcs.iter().any(|src| facts.is_uniform(*src));
    if !(may_change || forms.is_used && known.is_read && is_linear) {
        return None;
    }
    let first_new = r.f.values.len();
    facts.decompose(r.f, inst, chain)?;
    let Chain { sum, relaxed } = chain;
    if !may_change {
        forms.note(dst, sum, |src| facts.is_uniform(src));
        return None;
    }
    let mut maker = Maker { facts, forms, r, relaxed: *relaxed };
    let mut changed = maker.cancel_roots(sum)?;
    if known.part != Part::Term {
        changed |= maker.compose(sum) || maker.join_uniform(sum);
        if known.is_read {
            maker.forms.note(dst, sum, |src| maker.facts.is_uniform(src));
        }
        changed |= maker.take_common(sum)?;
    }
    changed |= sum.iter().any(|term| maker.ordered(term).is_some());
    let expanded = match &sum[..] {
        [term] if is_whole => maker.expand_complements(term, known.home),
        _ => None,
    };
    let result = match expanded {
        Some(result) => result,
        None if changed => maker.sum(sum),
        None => return None,
    };
    if let Some(value) = result.as_value().filter(|value| value.index() >= first_new) {
        maker.facts.note(maker.r.f, result, known, false);
        maker.forms.replace(dst, value);
    }
    Some(result)
}
