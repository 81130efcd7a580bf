//! Division by constants.
//!
//! An unsigned division by d is a multiplication by a rounded reciprocal of N bits. With s = floor(log2 d),
//! either the reciprocal rounded up (n·m >> N+s) or the one rounded down and applied to n + 1 (n·m + m >>
//! N+s) is exact for all n of N bits (Robison, N-bit unsigned division via N-bit multiply-add, 2005). Both
//! are one multiply-add instruction. Signed division multiplies by the reciprocal of the magnitude, one bit
//! wider (Hacker's Delight, chapter 10).

use agx_isa::inst::OperandFlags;
use agx_isa::table::Opcode;

use super::{Kind, Wanted};
use crate::ir::{Arithmetic, Build, IrOp, Rewriter, Src};
use crate::lower::multiply_high::wide_product;

/// Divides by a constant; `None` if no method applies.
pub(super) fn divide(r: &mut Rewriter<'_, '_>, kind: Kind, a: Src, divisor: u64, width: u8) -> Option<Src> {
    // Division by zero is undefined; these are the constant folder's results.
    if divisor == 0 {
        return Some(if kind.result == Wanted::Quotient { Src::imm(u64::MAX, width) } else { a });
    }
    let rounds_down = !kind.signed || kind.result == Wanted::Modulo && divisor >> (width - 1) == 0;
    if rounds_down && kind.result != Wanted::Quotient && divisor.is_power_of_two() {
        return Some(r.and(a, Src::imm(divisor - 1, width)));
    }
    let quotient = if kind.signed {
        let shift = 64 - u32::from(width);
        signed(r, a, ((divisor << shift) as i64) >> shift, width)?
    } else {
        unsigned(r, a, divisor, width)?
    };
    if kind.result == Wanted::Quotient {
        return Some(quotient);
    }
    let remainder = if width == 64 {
        let product = r.op(IrOp::Imul, 64, &[quotient, Src::imm(divisor, 64)]);
        r.op(Opcode::Isub, 64, &[a, product])
    } else {
        let negative = Src::imm(divisor.wrapping_neg(), width);
        r.op(Opcode::Imadd, width, &[quotient, negative, a])
    };
    Some(kind.of_remainder(r, remainder, Src::imm(divisor, width)))
}

/// An exact reciprocal of N bits: the multiplier, whether it is also added, and the shift beyond N.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reciprocal {
    pub multiplier: u64,
    pub added: bool,
    pub shift: u32,
}

/// The reciprocal of `divisor`, not a power of two, for dividends of `width` bits (16 or 32).
pub(super) fn reciprocal(divisor: u64, width: u8) -> Reciprocal {
    let shift = divisor.ilog2();
    let numerator = 1u64 << (u32::from(width) + shift);
    let (down, rest) = (numerator / divisor, numerator % divisor);
    let round_up = divisor - rest <= 1 << shift;
    Reciprocal { multiplier: down + u64::from(round_up), added: !round_up, shift }
}

fn unsigned(r: &mut Rewriter<'_, '_>, a: Src, divisor: u64, width: u8) -> Option<Src> {
    if divisor.is_power_of_two() {
        return Some(shift_right(r, IrOp::Ushr, a, divisor.ilog2(), width));
    }
    if width == 64 {
        return None;
    }
    let Reciprocal { multiplier, added, shift } = reciprocal(divisor, width);
    let multiplier = Src::imm(multiplier, width);
    let addend = if added { multiplier } else { Src::imm(0, width) };
    Some(if width == 32 {
        let product = wide_product(r, a, multiplier, addend, false);
        let high = r.words(product)[1];
        shift_right(r, IrOp::Ushr, high, shift, 32)
    } else {
        let product = r.op(Opcode::Imadd, 32, &[a, multiplier, addend]);
        let quotient = shift_right(r, IrOp::Ushr, product, u32::from(width) + shift, 32);
        r.op(IrOp::Uconv, width, &[quotient])
    })
}

fn signed(r: &mut Rewriter<'_, '_>, a: Src, divisor: i64, width: u8) -> Option<Src> {
    let magnitude = divisor.unsigned_abs();
    let quotient = if magnitude == 1 {
        a
    } else if magnitude.is_power_of_two() {
        signed_power(r, a, magnitude.ilog2(), width)
    } else {
        match width {
            32 => signed_word(r, a, magnitude),
            8 | 16 => {
                let wide = r.op(IrOp::Sconv, 32, &[a]);
                let quotient = signed_word(r, wide, magnitude);
                r.op(IrOp::Uconv, width, &[quotient])
            }
            _ => return None,
        }
    };
    Some(if divisor < 0 { r.ineg(quotient) } else { quotient })
}

/// Division by 2^`log2`: negative dividends are rounded up by adding 2^`log2` - 1 first.
fn signed_power(r: &mut Rewriter<'_, '_>, a: Src, log2: u32, width: u8) -> Src {
    let sign = shift_right(r, IrOp::Sshr, a, u32::from(width) - 1, width);
    let bias = shift_right(r, IrOp::Ushr, sign, u32::from(width) - log2, width);
    let biased = r.op(Opcode::Iadd, width, &[a, bias]);
    shift_right(r, IrOp::Sshr, biased, log2, width)
}

/// The smallest multiplier m and shift s with m·d > 2^(32+s) that is exact for all signed words, m below 2^32.
pub(super) fn signed_reciprocal(magnitude: u64) -> (u64, u32) {
    let mut shift = 0;
    loop {
        let multiplier = (1u64 << (32 + shift)) / magnitude + 1;
        let excess = multiplier * magnitude - (1 << (32 + shift));
        // n·excess stays below 2^(32+s) for |n| up to 2^31.
        if excess <= 1 << (shift + 1) || shift == 31 {
            return (multiplier, shift);
        }
        shift += 1;
    }
}

/// Rounds toward minus infinity, then adds one for negative dividends.
fn signed_word(r: &mut Rewriter<'_, '_>, a: Src, magnitude: u64) -> Src {
    let (multiplier, shift) = signed_reciprocal(magnitude);
    // The dividend is signed, the multiplier is not.
    let zero = Src::imm32(0);
    let product = r.op(Opcode::Imadd, 64, &[a.with(OperandFlags::SX), Src::imm(multiplier, 32), zero]);
    let high = r.words(product)[1];
    let floor = shift_right(r, IrOp::Sshr, high, shift, 32);
    let negative = shift_right(r, IrOp::Ushr, a, 31, 32);
    r.op(Opcode::Iadd, 32, &[floor, negative])
}

fn shift_right(r: &mut Rewriter<'_, '_>, op: IrOp, a: Src, amount: u32, bits: u8) -> Src {
    if amount == 0 { a } else { r.op(op, bits, &[a, Src::imm32(amount)]) }
}
