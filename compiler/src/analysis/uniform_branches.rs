//! Finds the branches that all lanes of a SIMD-group take together.
//!
//! At such a branch no lane executes one of the arms, so jumping over it pays off sooner than at a divergent
//! branch, where some lane most likely executes it. The pass records the blocks that end with such a branch
//! in the context; `lower_control_flow` decides whether to jump when the arms have their final shape.
//!
//! No later pass adds or removes control flow.
//!
//! Before: stage source. After: the same.

use crate::analysis::divergence::divergence;
use crate::context::Context;
use crate::ir::{Function, Seam};

/// Finds uniform branches.
pub fn mark_uniform_branches(f: &mut Function<'_>, context: &mut Context<'_>) {
    if f.layout.iter().all(|segment| segment.seam != Seam::If) {
        return;
    }
    let known = divergence(f, context.facts.info.stage);
    for segment in f.layout.iter().filter(|segment| segment.seam == Seam::If) {
        context.back_end.uniform_branches[segment.block] = !known.branch_parts(segment.block);
    }
}
