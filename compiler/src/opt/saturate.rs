//! Omits lower bounds of numbers that are never negative, and saturates numbers that are bounded on one side, where the
//! other bound holds anyway.
//!
//! `max(x, 0)` with x ≤ 1 and `min(x, 1)` with x ≥ 0 are saturations, which cost nothing if x has no other use: the
//! operation that computes x saturates its result. A dot product of unit vectors may exceed one by rounding; saturated,
//! it is closer to the exact result.
//!
//! Before: stage source. After: the same.

use crate::analysis::exact::exact_values;
use crate::analysis::float_bounds::{Bounds, is_never_negative, number};
use crate::ir::{Function, InstData, IrOp, Op, Src};

/// Omits bounds of numbers that are never negative, and saturates numbers bounded on one side, where the other bound holds.
pub fn opt_saturate(f: &mut Function<'_>) {
    let may_bound = f.present.may_have_op(IrOp::Fmax) || f.present.may_have_op(IrOp::Fmin);
    if !may_bound || !f.contract || f.special_values {
        return;
    }
    let exact = exact_values(f);
    for block in f.blocks_in_order() {
        for at in 0..f.block(block).insts.len() {
            let inst = f.block(block).insts[at];
            let data = f.insts[inst];
            let Some((op, src)) = equivalent(f, &data) else { continue };
            if data.dst().is_some_and(|dst| !exact[dst]) {
                let srcs = f.alloc(&[src]);
                f.set_inst(inst, InstData { op: op.into(), srcs, ..data });
            }
        }
    }
}

/// The operation on one number, a move or a saturation, that an operation is equivalent to.
fn equivalent(f: &Function<'_>, data: &InstData<'_>) -> Option<(IrOp, Src)> {
    let (Op::Ir(op @ (IrOp::Fmax | IrOp::Fmin)), [a, b]) = (data.op, data.srcs) else { return None };
    let (src, bound) = if a.as_imm().is_some() { (*b, *a) } else { (*a, *b) };
    let bound = number(f, bound)?;
    if op == IrOp::Fmax && bound <= 0.0 && is_never_negative(f, src) {
        return Some((IrOp::Mov, src));
    }
    let saturates = match op {
        IrOp::Fmax => bound == 0.0 && Bounds::of(f, src).high <= 1.0,
        _ => bound == 1.0 && Bounds::of(f, src).low >= 0.0,
    };
    saturates.then_some((IrOp::Fsat, src))
}
