//! Lowers 64-bit integer operations to operations on 32-bit words.
//!
//! The hardware adds, subtracts and moves register pairs and multiplies into them. Bitwise operations,
//! products, shifts, comparisons, extrema and selects are performed on the words. Shifts need no case
//! distinction: amounts have seven significant bits and shift everything out from 32 on, and `shrhi` and
//! `asrh` provide the bits shifted out of the upper word (applegpu).
//!
//! Afterwards 64-bit values are only added, multiplied into, moved, converted, split and used as addresses.
//!
//! Before: stage source; no 64-bit float arithmetic; no integer division; no high products. After: the same; no 64-bit
//! arithmetic except sums.

use agx_isa::table::Opcode;
use agx_isa::table::names::{IntCondition, Truth};

use crate::error::CompileError;
use crate::ir::build::alu::IntCond;
use crate::ir::families::INT64;
use crate::ir::key;
use crate::ir::{Arithmetic, Build, Function, InstData, IrOp, Op, Rewrite, Rewriter, Src};
use crate::lower::multiply_high::wide_product;

/// Lowers 64-bit arithmetic to words.
///
/// # Errors
/// None at present; the signature is that of every lowering.
pub fn lower_int64(f: &mut Function<'_>) -> Result<(), CompileError> {
    if !f.present.has_width(64) {
        return Ok(());
    }
    INT64.map(f, |r, inst| {
        let data = r.f.insts[inst];
        match lower(r, &data) {
            Some(result) => Rewrite::Forward(result),
            None => Rewrite::Keep,
        }
    });
    Ok(())
}

fn lower(r: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Option<Src> {
    let dst = data.dst()?;
    if let Op::Ir(IrOp::Icmp) = data.op {
        let is_quad = r.f.width(data.srcs[0]) == 64;
        return is_quad.then(|| compare(r, data.get(key::INT_COND), data.get(key::INV), data.srcs));
    }
    if r.f.ty(dst).bits != 64 || r.f.ty(dst).comps != 1 {
        return None;
    }
    Some(match data.op {
        Op::Hw(Opcode::Bitop) => wordwise(r, data.get(key::TABLE), data.srcs[0], data.srcs[1]),
        Op::Ir(IrOp::Imul) => product(r, data.srcs[0], data.srcs[1]),
        Op::Ir(IrOp::Shl) => shift_left(r, data.srcs[0], data.srcs[1]),
        Op::Ir(IrOp::Ushr) => shift_right(r, data.srcs[0], data.srcs[1], false),
        Op::Ir(IrOp::Sshr) => shift_right(r, data.srcs[0], data.srcs[1], true),
        Op::Ir(IrOp::Select) => choose(r, data.srcs[0], data.srcs[1], data.srcs[2]),
        Op::Ir(IrOp::Umin) => extremum(r, data.srcs, IntCondition::UNSIGNED_LESS),
        Op::Ir(IrOp::Umax) => extremum(r, data.srcs, IntCondition::UNSIGNED_GREATER),
        Op::Ir(IrOp::Imin) => extremum(r, data.srcs, IntCondition::SIGNED_LESS),
        Op::Ir(IrOp::Imax) => extremum(r, data.srcs, IntCondition::SIGNED_GREATER),
        _ => return None,
    })
}

fn wordwise(r: &mut Rewriter<'_, '_>, table: Truth, a: Src, b: Src) -> Src {
    let ([a_low, a_high], [b_low, b_high]) = (r.words(a), r.words(b));
    let low = r.bitop(a_low, b_low, table);
    let high = r.bitop(a_high, b_high, table);
    r.join([low, high])
}

/// The product of two extended words is one instruction; otherwise the cross products are added to its upper
/// word.
fn product(r: &mut Rewriter<'_, '_>, a: Src, b: Src) -> Src {
    let zero = Src::imm32(0);
    if let (Some(a), Some(b)) = (sign_extended_word(r, a), sign_extended_word(r, b)) {
        return wide_product(r, a, b, zero, true);
    }
    let ([a_low, a_high], [b_low, b_high]) = (r.words(a), r.words(b));
    let lowest = wide_product(r, a_low, b_low, zero, false);
    if a_high == zero && b_high == zero {
        return lowest;
    }
    let [low, mut high] = r.words(lowest);
    for (x, y) in [(a_low, b_high), (a_high, b_low)] {
        if x != zero && y != zero {
            high = r.op(Opcode::Imadd, 32, &[x, y, high]);
        }
    }
    r.join([low, high])
}

/// The word of which `src` is the sign extension.
fn sign_extended_word(r: &Rewriter<'_, '_>, src: Src) -> Option<Src> {
    let def = r.f.def(src)?;
    let narrow = *def.srcs.first()?;
    (def.op == Op::Ir(IrOp::Sconv) && r.f.width(narrow) == 32 && narrow.flags.is_empty()).then_some(narrow)
}

/// The low word of a shift amount.
fn amount(r: &mut Rewriter<'_, '_>, amount: Src) -> Src {
    if r.f.width(amount) == 64 { r.words(amount)[0] } else { amount }
}

fn shift_left(r: &mut Rewriter<'_, '_>, a: Src, by: Src) -> Src {
    let ([low, high], by) = (r.words(a), amount(r, by));
    let zero = Src::imm32(0);
    let new_low = r.op(IrOp::Shl, 32, &[low, by]);
    let stays = r.op(IrOp::Shl, 32, &[high, by]);
    let moves_up = r.op(Opcode::Shlhi, 32, &[zero, low, by]);
    let new_high = r.or(stays, moves_up);
    r.join([new_low, new_high])
}

/// `shrhi` and `asrh` give the bits shifted out of the upper word; below 32, `shrhi` keeps the lower bits of
/// its first source.
fn shift_right(r: &mut Rewriter<'_, '_>, a: Src, by: Src, signed: bool) -> Src {
    let ([low, high], by) = (r.words(a), amount(r, by));
    let stays = r.op(IrOp::Ushr, 32, &[low, by]);
    if signed {
        let moves_down = r.op(Opcode::Asrh, 32, &[high, by]);
        let merged = r.or(stays, moves_down);
        let new_high = r.op(IrOp::Sshr, 32, &[high, by]);
        // `asrh` by less than 32 leaves the lower bits unchanged, which are zero, and sets the upper ones.
        r.join([merged, new_high])
    } else {
        let new_low = r.op(Opcode::Shrhi, 32, &[stays, high, by]);
        let new_high = r.op(IrOp::Ushr, 32, &[high, by]);
        r.join([new_low, new_high])
    }
}

fn choose(r: &mut Rewriter<'_, '_>, cond: Src, x: Src, y: Src) -> Src {
    let ([x_low, x_high], [y_low, y_high]) = (r.words(x), r.words(y));
    let low = r.select(cond, x_low, y_low);
    let high = r.select(cond, x_high, y_high);
    r.join([low, high])
}

/// The source for which `first cond second` holds against the other.
fn extremum(r: &mut Rewriter<'_, '_>, srcs: &[Src], cond: IntCondition) -> Src {
    let first = compare(r, cond, false, srcs);
    choose(r, first, srcs[0], srcs[1])
}

/// Equal if no word differs; less if the upper words are less, or equal and the lower words are less as
/// unsigned numbers.
fn compare(r: &mut Rewriter<'_, '_>, cond: IntCondition, inverted: bool, srcs: &[Src]) -> Src {
    let ([a_low, a_high], [b_low, b_high]) = (r.words(srcs[0]), r.words(srcs[1]));
    if cond.unsigned() == IntCondition::EQUAL {
        let low = r.xor(a_low, b_low);
        let high = r.xor(a_high, b_high);
        let any = r.or(low, high);
        return r.icmp(IntCond::new(IntCondition::EQUAL, inverted), any, Src::imm32(0));
    }
    let same_high = r.icmp(IntCond::EQ, a_high, b_high);
    let low = r.icmp(IntCond::new(cond.unsigned(), inverted), a_low, b_low);
    let high = r.icmp(IntCond::new(cond, inverted), a_high, b_high);
    r.select(same_high, low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::test_arithmetic::{Case, check};

    #[test]
    fn every_operation_agrees_with_its_semantics() {
        let binary = |op: IrOp| Case::new(op, 64, &[64, 64], &[]);
        let shift = |op: IrOp| Case::new(op, 64, &[64, 32], &[]);
        let mut cases = vec![
            binary(IrOp::Imul),
            binary(IrOp::Umin),
            binary(IrOp::Umax),
            binary(IrOp::Imin),
            binary(IrOp::Imax),
            shift(IrOp::Shl),
            shift(IrOp::Ushr),
            shift(IrOp::Sshr),
            Case::new(IrOp::Select, 64, &[1, 64, 64], &[]),
        ];
        for table in [Truth::AND, Truth::OR, Truth::XOR, Truth::NOT, Truth::AND_NOT] {
            cases.push(Case::new(Opcode::Bitop, 64, &[64, 64], &[table.get()]));
        }
        for cond in [0, 1, 2, 4, 5, 6] {
            for inverted in [0, 1] {
                cases.push(Case::new(IrOp::Icmp, 1, &[64, 64], &[cond, inverted]));
            }
        }
        for case in cases {
            check(&case, lower_int64, |f, data| {
                let wide = |width| width == 64;
                let stays = matches!(data.op, Op::Ir(IrOp::Collect | IrOp::Split | IrOp::Keep))
                    || matches!(data.op, Op::Hw(Opcode::Imadd | Opcode::Iadd | Opcode::Isub));
                stays
                    || !(data.dsts.iter().any(|dst| wide(f.ty(*dst).bits))
                        || data.srcs.iter().any(|src| wide(f.width(*src))))
            });
        }
    }
}
