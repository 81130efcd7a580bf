//! Shorthand for the operations lowerings build: default modifiers, results folded when the sources are constant.

use agx_isa::inst::OperandFlags;
use agx_isa::table::Opcode;
use agx_isa::table::names::{IntCondition, Truth};

use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{IrOp, Op, Rewriter, Src, Type};

/// An operation with its default modifiers.
pub(super) fn alu(r: &mut Rewriter<'_, '_>, op: impl Into<Op>, bits: u8, srcs: &[Src]) -> Src {
    let op = op.into();
    r.alu(op, bits, srcs, &mods(op))
}

/// A bitwise operation by its truth table.
pub(super) fn bitop(r: &mut Rewriter<'_, '_>, table: Truth, bits: u8, a: Src, b: Src) -> Src {
    r.alu(Opcode::Bitop, bits, &[a, b], &mods(Opcode::Bitop).with(key::TABLE, table))
}

/// A comparison of integers; `inverted` gives the complement.
pub(super) fn icmp(r: &mut Rewriter<'_, '_>, cond: IntCondition, inverted: bool, a: Src, b: Src) -> Src {
    r.alu(IrOp::Icmp, 1, &[a, b], &[cond.get(), u32::from(inverted)])
}

/// `cond ? x : y`.
pub(super) fn select(r: &mut Rewriter<'_, '_>, bits: u8, cond: Src, x: Src, y: Src) -> Src {
    match cond.as_imm() {
        Some(truth) => {
            if truth & 1 != 0 {
                x
            } else {
                y
            }
        }
        None => alu(r, IrOp::Select, bits, &[cond, x, y]),
    }
}

/// `-a` of an integer.
pub(super) fn negate(r: &mut Rewriter<'_, '_>, bits: u8, a: Src) -> Src {
    alu(r, Opcode::Isub, bits, &[Src::imm(0, bits), a])
}

/// The 64-bit product of two words plus `addend`.
pub(super) fn wide_product(r: &mut Rewriter<'_, '_>, a: Src, b: Src, addend: Src, signed: bool) -> Src {
    let (a, b) = if signed { (sign_extended(a), sign_extended(b)) } else { (a, b) };
    alu(r, Opcode::Imadd, 64, &[a, b, addend])
}

/// A word read as signed. A constant that is not negative goes without the flag, so that it can stay an immediate.
fn sign_extended(src: Src) -> Src {
    match src.as_imm() {
        Some(bits) if bits >> (src.bits - 1) == 0 => src,
        _ => src.with(OperandFlags::SX),
    }
}

/// The low and high word of a 64-bit integer, without taking it apart where its making shows them.
pub(super) fn words(r: &mut Rewriter<'_, '_>, src: Src) -> [Src; 2] {
    if let Some(bits) = src.as_imm() {
        return [Src::imm(bits, 32), Src::imm(bits >> 32, 32)];
    }
    if let Some(half) = src.as_uniform() {
        return [Src::uniform(half, 32), Src::uniform(half + 2, 32)];
    }
    match r.f.def(src).map(|def| (def.op, def.srcs)) {
        Some((Op::Ir(IrOp::Collect), [low, high])) => return [*low, *high],
        Some((Op::Ir(IrOp::Uconv), [narrow])) if r.f.width(*narrow) <= 32 => {
            let low = if r.f.width(*narrow) == 32 { *narrow } else { alu(r, IrOp::Uconv, 32, &[*narrow]) };
            return [low, Src::imm32(0)];
        }
        _ => {}
    }
    let [low, high] = [Type::B32; 2].map(|ty| r.f.add_value(ty));
    r.push(IrOp::Split, &[low, high], &[src], &[]);
    [low.into(), high.into()]
}

/// The 64-bit integer of two words.
pub(super) fn join(r: &mut Rewriter<'_, '_>, [low, high]: [Src; 2]) -> Src {
    match (low.as_imm(), high.as_imm()) {
        (Some(low), Some(high)) => Src::imm(high << 32 | low, 64),
        _ => Src::value(r.value(IrOp::Collect, Type::B64, &[low, high], &[])),
    }
}
