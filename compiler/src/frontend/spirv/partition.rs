//! Partitions of a subgroup: lanes with equal values, and reductions and scans within parts.

use spirv::Op;

use super::simd::{ballot, lowest, moved};
use super::values::Values;
use super::words::Inst;
use crate::error::CompileError;
use crate::ir::build::alu::IntCond;
use crate::ir::builder::{Builder, LoopBlocks};
use crate::ir::op::IrOp;
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::ir::{Arithmetic, Build};

/// Whether two lists of scalars are bitwise equal.
fn same_bits(b: &mut Builder<'_, '_>, pairs: impl Iterator<Item = (Src, Src)>) -> Src {
    let mut same = Src::bool(true);
    for (x, y) in pairs {
        let equal = if b.f.width(x) == 1 { b.xnor(x, y) } else { b.icmp(IntCond::EQ, x, y) };
        same = b.and(same, equal);
    }
    same
}

/// The lanes with the same value as this one.
pub(super) fn partition<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<Vec<Src>, CompileError> {
    debug_assert_eq!(inst.op, Op::GroupNonUniformPartitionEXT);
    let (_, leaves) = v.eval().value(inst.word(2)?)?;
    let zero = Src::imm32(0);
    let mask = for_each_part(
        v,
        32,
        |t, leader| {
            let pairs: Vec<(Src, Src)> = leaves
                .iter()
                .map(|leaf| (*leaf, moved(&mut t.kit.b, IrOp::Broadcast, *leaf, leader)))
                .collect();
            let is_in = same_bits(&mut t.kit.b, pairs.into_iter());
            (is_in, ballot(&mut t.kit.b, is_in))
        },
        |_, part| part,
    );
    Ok(vec![mask, zero, zero, zero])
}

/// Combines `x` over the lanes of this lane's part, given by `mask`.
pub(super) fn combine_part(v: &mut Values<'_, '_>, x: Src, mask: Src, op: IrOp, mods: [u32; 2]) -> Src {
    let bits = v.kit.b.f.width(x);
    for_each_part(
        v,
        bits,
        |t, leader| {
            let part = moved(&mut t.kit.b, IrOp::Broadcast, mask, leader);
            (t.kit.b.icmp(IntCond::EQ, mask, part), part)
        },
        |t, _| Src::value(t.kit.b.value(op, Type::scalar(bits), &[x], &mods)),
    )
}

/// A loop with one iteration per part: `part` returns whether this lane is in the part of lane `leader`, and
/// the mask of that part; `result` computes the result for its lanes. All lanes execute every iteration, so
/// that all take part in `part`.
fn for_each_part(
    v: &mut Values<'_, '_>,
    bits: u8,
    part: impl FnOnce(&mut Values<'_, '_>, Src) -> (Src, Src),
    result: impl FnOnce(&mut Values<'_, '_>, Src) -> Src,
) -> Src {
    let (rest, found) = (v.kit.vars.add(&[32]), v.kit.vars.add(&[bits]));
    let active = ballot(&mut v.kit.b, Src::bool(true));
    v.kit.vars.write(&v.kit.b, rest, active);
    v.kit.vars.write(&v.kit.b, found, Src::imm(0, bits));
    let LoopBlocks { header, after } = v.kit.b.begin_loop();
    v.kit.vars.open_loop(header);
    let left = v.kit.vars.read(&mut v.kit.b, rest);
    let leader = lowest(&mut v.kit.b, left);
    let (is_in, lanes) = part(v, leader);
    v.kit.b.begin_if(is_in);
    let value = result(v, lanes);
    v.kit.vars.write(&v.kit.b, found, value);
    v.kit.b.begin_else();
    v.kit.b.end_if();
    let others = v.kit.b.not(lanes);
    let left = v.kit.b.and(left, others);
    v.kit.vars.write(&v.kit.b, rest, left);
    let is_done = v.kit.b.icmp(IntCond::EQ, left, Src::imm32(0));
    v.kit.b.begin_if(is_done);
    v.kit.b.jump(after);
    v.kit.b.begin_else();
    v.kit.b.end_if();
    v.kit.b.end_loop();
    v.kit.vars.close_loop(v.kit.b.f);
    v.kit.vars.read(&mut v.kit.b, found)
}
