//! Defers the scaling of vectors through linear operations, to where it takes fewer multiplications.
//!
//! A normalised vector takes a multiplication by `s = rsqrt(v · v)` for each component. If it is only used in two
//! dot products, scaling these takes two multiplications instead of three. The *carriers* of the scale are the values
//! that are a multiple of `s`, such as sums of carriers: they are computed without it. Where another operation reads a
//! carrier, either the carrier is multiplied by `s`, or the other factor of the product that makes it, which products
//! of other components share: `t.x·(n·s) + u.x` becomes `n·(t.x·s) + u.x`.
//!
//! A comparison with zero, and the direction in which a cube texture is sampled, do not depend on the scale at all.
//!
//! Carriers are in one block, which bounds their uses, and a scale has few of them: the move takes linear time.
//! Relaxed values keep their scale, which keeps them in the range of
//! half precision; so do uniform ones, which the preamble computes.

mod graph;
mod plan;

use agx_isa::table::Opcode;
use bumpalo::Bump;

use crate::analysis::movable::MovableValues;
use crate::ir::Function;
use graph::Graph;
use plan::Plan;

/// Defers the scaling of vectors to where it takes fewer multiplications.
pub(super) fn defer_scales(f: &mut Function<'_>, uniform: &MovableValues<'_>, scratch: &Bump) {
    if !(f.present.may_have_op(Opcode::Rsqrt) && f.present.may_have_op(Opcode::Fmul)) {
        return;
    }
    let Some(mut graph) = Graph::of(f, uniform, scratch) else { return };
    let mut plan = Plan::new(scratch, graph.f.values.len());
    for at in 0..graph.scales.len() {
        if plan.find(&graph, graph.scales[at]) {
            plan.apply(&mut graph);
        }
    }
    graph.finish();
}
