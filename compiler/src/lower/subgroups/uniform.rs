//! Simplifies subgroup operations on uniform values, before they are lowered.
//!
//! * A read from another lane, or an idempotent reduction, of a uniform value is the value itself.
//! * A sum of a uniform value is its product with the number of active lanes.
//! * The test whether a ballot of a uniform condition has any lane set is the condition itself; whether it
//!   has none, its complement.
//! * A read at a uniform lane index becomes a broadcast, which takes one shuffle instead of four.

use agx_abi::Stage;
use agx_abi::occupancy::SUBGROUP_SIZE;
use agx_isa::table::Opcode;
use agx_isa::table::names::{IntCondition, Reduction, Truth};

use crate::analysis::divergence::{Divergence, divergence};
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{Build, Function, InstData, IrOp, Op, Rewrite, Rewriter, Src};

/// Reductions whose result on equal sources is the source.
const IDEMPOTENT: &[Reduction] = &[
    Reduction::AND,
    Reduction::OR,
    Reduction::SMIN,
    Reduction::SMAX,
    Reduction::UMIN,
    Reduction::UMAX,
    Reduction::FMIN,
    Reduction::FMAX,
];

/// Simplifies subgroup operations on uniform values.
pub(super) fn simplify(f: &mut Function<'_>, stage: Stage) {
    let known = divergence(f, stage);
    f.map_insts(|r, inst| {
        let data = r.f.insts[inst];
        let Op::Ir(op) = data.op else { return Rewrite::Keep };
        match op {
            IrOp::Icmp => any_lane(r, &known, &data),
            IrOp::Ballot
            | IrOp::Broadcast
            | IrOp::ReadLane
            | IrOp::ReadLaneXor
            | IrOp::ReadLaneUp
            | IrOp::ReadLaneDown
            | IrOp::QuadBroadcast
            | IrOp::Reduce
            | IrOp::Scan => across(r, &known, op, &data),
            _ => None,
        }
        .map_or(Rewrite::Keep, Rewrite::Forward)
    });
}

/// The replacement of a subgroup operation whose source, or index, is uniform.
fn across(r: &mut Rewriter<'_, '_>, known: &Divergence, op: IrOp, data: &InstData<'_>) -> Option<Src> {
    let source = data.srcs[0];
    if op == IrOp::Ballot {
        return (source.as_imm() == Some(0)).then(|| Src::imm32(0));
    }
    let is_uniform = known.is_uniform_in(source, r.block);
    match op {
        IrOp::Scan => None,
        IrOp::Reduce if is_uniform => reduce(r, data),
        IrOp::Reduce => None,
        _ if is_uniform => Some(source),
        IrOp::ReadLane if data.srcs[1].as_imm().is_none() && known.is_uniform_in(data.srcs[1], r.block) => {
            let ty = r.f.src_ty(source);
            Some(Src::value(r.value(IrOp::Broadcast, ty, data.srcs, &[])))
        }
        _ => None,
    }
}

/// The reduction of a uniform value.
fn reduce(r: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Option<Src> {
    let code = data.get(key::REDUCTION);
    if IDEMPOTENT.contains(&code) {
        return Some(data.srcs[0]);
    }
    let sums = code == Reduction::IADD && data.get(key::CLUSTER) >= SUBGROUP_SIZE;
    if !sums || r.f.width(data.srcs[0]) != 32 {
        return None;
    }
    let active = r.alu(IrOp::Ballot, 32, &[Src::bool(true)], &[]);
    let count = r.op(Opcode::Popcnt, 32, &[active]);
    Some(r.alu(IrOp::Imul, 32, &[data.srcs[0], count], &[]))
}

/// A ballot of a uniform condition, compared with 0: the condition or its complement.
fn any_lane(r: &mut Rewriter<'_, '_>, known: &Divergence, data: &InstData<'_>) -> Option<Src> {
    let ballot = r.f.def(data.srcs[0]).filter(|def| def.op == Op::Ir(IrOp::Ballot))?;
    let compares =
        data.srcs[1].as_imm() == Some(0) && data.get(key::INT_COND).unsigned() == IntCondition::EQUAL;
    if !compares || !known.is_uniform_in(ballot.srcs[0], r.block) {
        return None;
    }
    if data.get(key::INV) {
        return Some(ballot.srcs[0]);
    }
    let mods = mods(Opcode::Bitop).with(key::TABLE, Truth::NOT);
    Some(r.alu(Opcode::Bitop, 1, &[ballot.srcs[0], Src::bool(false)], &mods))
}
