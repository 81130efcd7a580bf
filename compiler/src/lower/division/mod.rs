//! Integer division and remainder, exact for every input.
//!
//! * By a constant: shifts for powers of two, else one 64-bit multiply-add with a rounded reciprocal (`division/constant.rs`).
//! * By a 16-bit variable: one float division. Half a unit is added to the dividend, so that every quotient
//!   differs from an integer by at least 2^-17 of itself, far more than the error of `rcp` and the product.
//! * By a 32-bit variable: a float reciprocal scaled to just below 2^32, one Newton step in integers, and two
//!   corrections of the quotient (the method of LLVM's AMDGPU back end; requires a reciprocal within one unit
//!   in the last place). Where only the divisor is the same for all invocations, the reciprocal, which moves to the
//!   preamble, is corrected instead, so that the quotient needs one correction.
//!
//! * 64 bits: the same with two Newton steps on a 64-bit reciprocal; for a constant divisor the reciprocal folds.
//!
//! Division by zero is undefined, as in SPIR-V.
//!
//! Before: stage source; no 8-bit arithmetic. After: the same; no integer division.

mod constant;
#[cfg(test)]
mod tests;

use agx_isa::table::Opcode;
use agx_isa::table::names::Rounding;

use super::multiply_high::multiply_high;
use crate::analysis::movable::MovableValues;
use crate::error::CompileError;
use crate::ir::build::alu::IntCond;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{Arithmetic, Build, Function, IrOp, Op, Rewrite, Rewriter, Src};

/// Replaces integer division and remainder.
///
/// # Errors
/// None at present; the signature is that of every lowering.
pub fn lower_division(f: &mut Function<'_>) -> Result<(), CompileError> {
    f.with_scratch(|f, scratch| {
        let (entry, mut uniform) = (f.entry(), MovableValues::new_in(scratch, f));
        f.map_insts(|r, inst| {
            let data = r.f.insts[inst];
            if let Some(mut kind) = Kind::of(data.op) {
                kind.is_by_uniform = uniform.has(data.srcs[1]) && !uniform.has(data.srcs[0]);
                return Rewrite::Forward(divide(r, kind, data.srcs[0], data.srcs[1]));
            }
            uniform.note(&data, r.block == entry);
            Rewrite::Keep
        });
    });
    Ok(())
}

/// The requested operation.
#[derive(Clone, Copy, Debug)]
struct Kind {
    signed: bool,
    result: Wanted,
    /// The divisor is the same for all invocations, the dividend is not.
    is_by_uniform: bool,
}

/// The result of a division.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    Quotient,
    /// With the sign of the dividend.
    Remainder,
    /// The remainder with the sign of the divisor.
    Modulo,
}

impl Kind {
    fn of(op: Op) -> Option<Kind> {
        let (signed, result) = match op {
            Op::Ir(IrOp::Udiv) => (false, Wanted::Quotient),
            Op::Ir(IrOp::Umod) => (false, Wanted::Remainder),
            Op::Ir(IrOp::Sdiv) => (true, Wanted::Quotient),
            Op::Ir(IrOp::Srem) => (true, Wanted::Remainder),
            Op::Ir(IrOp::Smod) => (true, Wanted::Modulo),
            _ => return None,
        };
        Some(Kind { signed, result, is_by_uniform: false })
    }

    /// The wanted result, from the remainder with the sign of the dividend.
    fn of_remainder(self, r: &mut Rewriter<'_, '_>, remainder: Src, b: Src) -> Src {
        if self.result == Wanted::Modulo { modulo(r, remainder, b) } else { remainder }
    }
}

fn divide(r: &mut Rewriter<'_, '_>, kind: Kind, a: Src, b: Src) -> Src {
    let width = r.f.width(a);
    if let Some(divisor) = b.as_imm()
        && let Some(result) = constant::divide(r, kind, a, divisor, width)
    {
        return result;
    }
    let (quotient, known) = if width >= 32 {
        let by_uniform = kind.is_by_uniform && width == 32;
        let (quotient, remainder) =
            if kind.signed { signed(r, a, b, by_uniform) } else { unsigned(r, a, b, by_uniform) };
        (quotient, Some(remainder))
    } else {
        (by_float(r, kind.signed, a, b, width), None)
    };
    if kind.result == Wanted::Quotient {
        return quotient;
    }
    let remainder = known.unwrap_or_else(|| remainder(r, a, quotient, b, width));
    kind.of_remainder(r, remainder, b)
}

/// The remainder with the sign of the divisor: that with the sign of the dividend, plus `b` if the signs differ.
fn modulo(r: &mut Rewriter<'_, '_>, remainder: Src, b: Src) -> Src {
    let width = r.f.width(remainder);
    let zero = Src::imm(0, width);
    let moved = r.op(Opcode::Iadd, width, &[remainder, b]);
    // The remainder is smaller than the divisor in magnitude: their exclusive or is zero or positive if they have one sign.
    let differ = match b.as_imm() {
        Some(divisor) if divisor >> (width - 1) == 0 => r.icmp(IntCond::SLT, remainder, zero),
        Some(_) => r.icmp(IntCond::SGT, remainder, zero),
        None => {
            let signs = r.xor(remainder, b);
            let opposite = r.icmp(IntCond::SLT, signs, zero);
            let inexact = r.icmp(IntCond::NE, remainder, zero);
            r.and(opposite, inexact)
        }
    };
    r.select(differ, moved, remainder)
}

/// `a - quotient * b`.
fn remainder(r: &mut Rewriter<'_, '_>, a: Src, quotient: Src, b: Src, width: u8) -> Src {
    let negative = r.ineg(b);
    r.op(Opcode::Imadd, width, &[quotient, negative, a])
}

/// The quotient of integers of at most 16 bits through floats.
fn by_float(r: &mut Rewriter<'_, '_>, signed: bool, a: Src, b: Src, width: u8) -> Src {
    let (to_float, to_integer) =
        if signed { (Opcode::S16ToF, Opcode::FToS16) } else { (Opcode::U16ToF, Opcode::FToU16) };
    let dividend = r.op(to_float, 32, &[a]);
    let divisor = r.op(to_float, 32, &[b]);
    let half = Src::f32(0.5);
    // The half has the sign of the dividend, away from zero; the conversion then drops the fraction.
    let half = if signed {
        let sign = r.and(dividend, Src::imm32(0x8000_0000));
        r.or(sign, half)
    } else {
        half
    };
    let dividend = r.op(Opcode::Fadd, 32, &[dividend, half]);
    let reciprocal = r.op(Opcode::Rcp, 32, &[divisor]);
    let quotient = r.op(Opcode::Fmul, 32, &[dividend, reciprocal]);
    r.alu(to_integer, width, &[quotient], &mods(to_integer).with(key::ROUND, Rounding::TOWARD_ZERO))
}

/// Slightly below 1, so that a reciprocal off by one unit in the last place does not exceed the true one: its
/// rounding and that of the divisor add up to less than three units of 2^-24; the factor subtracts four.
const BELOW_ONE: f32 = 1.0 - 4.0 / (1 << 24) as f32;
const TWO_32: f32 = 4_294_967_296.0;

/// Quotient and remainder of unsigned integers of 32 or 64 bits; `by_uniform` says whether computations with words that
/// depend on the divisor only are free.
fn unsigned(r: &mut Rewriter<'_, '_>, a: Src, b: Src, by_uniform: bool) -> (Src, Src) {
    let width = r.f.width(a);
    let mut reciprocal = if width == 64 { estimate_64(r, b) } else { estimate_32(r, b) };
    let minus_b = r.ineg(b);
    // Newton's step: the error of the estimate, in units of its last place, is its product with -b. Each step
    // doubles the number of correct bits, initially about twenty.
    for _ in 0..width / 32 {
        let error = multiply(r, reciprocal, minus_b, width);
        let correction = high_product(r, reciprocal, error, width);
        reciprocal = r.op(Opcode::Iadd, width, &[reciprocal, correction]);
    }
    if by_uniform {
        reciprocal = corrected(r, reciprocal, b);
    }
    let mut quotient = high_product(r, a, reciprocal, width);
    let product = multiply(r, quotient, minus_b, width);
    let mut remainder = r.op(Opcode::Iadd, width, &[a, product]);
    for _ in 0..if by_uniform { 1 } else { 2 } {
        let fits = r.icmp(IntCond::UGE, remainder, b);
        let more = r.op(Opcode::Iadd, width, &[quotient, Src::imm(1, width)]);
        quotient = r.select(fits, more, quotient);
        // If the divisor does not fit, the difference wraps to a larger number.
        let less = r.op(Opcode::Isub, width, &[remainder, b]);
        remainder = r.op(IrOp::Umin, width, &[remainder, less]);
    }
    (quotient, remainder)
}

/// (2^32 - 1) / b, from a reciprocal that may be one less. It is at most one less than 2^32 / b; quotients by it are then
/// less than one too small.
fn corrected(r: &mut Rewriter<'_, '_>, reciprocal: Src, b: Src) -> Src {
    let product = multiply(r, reciprocal, b, 32);
    let rest = r.xor(product, Src::imm32(u32::MAX));
    let fits = r.icmp(IntCond::UGE, rest, b);
    let next = r.op(Opcode::Iadd, 32, &[reciprocal, Src::imm32(1)]);
    r.select(fits, next, reciprocal)
}

fn multiply(r: &mut Rewriter<'_, '_>, a: Src, b: Src, width: u8) -> Src {
    r.op(IrOp::Imul, width, &[a, b])
}

fn high_product(r: &mut Rewriter<'_, '_>, a: Src, b: Src, width: u8) -> Src {
    if width == 32 { multiply_high(r, a, b, false) } else { r.op(IrOp::Umulh, width, &[a, b]) }
}

/// Slightly less than 2^32 / b.
fn estimate_32(r: &mut Rewriter<'_, '_>, b: Src) -> Src {
    let float = r.op(Opcode::U32ToF, 32, &[b]);
    let reciprocal = r.op(Opcode::Rcp, 32, &[float]);
    let scaled = r.op(Opcode::Fmul, 32, &[reciprocal, Src::f32(TWO_32 * BELOW_ONE)]);
    to_word(r, scaled)
}

/// Slightly less than 2^64 / b: the mantissa of a float covers the upper word and part of the lower one.
fn estimate_64(r: &mut Rewriter<'_, '_>, b: Src) -> Src {
    let [low, high] = r.words(b).map(|word| r.op(Opcode::U32ToF, 32, &[word]));
    let float = r.op(Opcode::Ffma, 32, &[high, Src::f32(TWO_32), low]);
    let reciprocal = r.op(Opcode::Rcp, 32, &[float]);
    let scaled = r.op(Opcode::Fmul, 32, &[reciprocal, Src::f32(TWO_32 * TWO_32 * BELOW_ONE)]);
    let upper = r.op(Opcode::Fmul, 32, &[scaled, Src::f32(1.0 / TWO_32)]);
    let upper = r.op(Opcode::Trunc, 32, &[upper]);
    let lower = r.op(Opcode::Ffma, 32, &[upper, Src::f32(-TWO_32), scaled]);
    let parts = [to_word(r, lower), to_word(r, upper)];
    r.join(parts)
}

fn to_word(r: &mut Rewriter<'_, '_>, float: Src) -> Src {
    r.alu(Opcode::FToU32, 32, &[float], &mods(Opcode::FToU32).with(key::ROUND, Rounding::TOWARD_ZERO))
}

/// Quotient and remainder of signed integers of 32 or 64 bits, by their magnitudes.
fn signed(r: &mut Rewriter<'_, '_>, a: Src, b: Src, by_uniform: bool) -> (Src, Src) {
    let width = r.f.width(a);
    let magnitude = |r: &mut Rewriter<'_, '_>, src| {
        let negative = r.ineg(src);
        r.op(IrOp::Imax, width, &[src, negative])
    };
    let (magnitude_a, magnitude_b) = (magnitude(r, a), magnitude(r, b));
    let (quotient, remainder) = unsigned(r, magnitude_a, magnitude_b, by_uniform);
    let signs = r.xor(a, b);
    let mut with_sign = |sign, number| {
        let is_negative = r.icmp(IntCond::SLT, sign, Src::imm(0, width));
        let negative = r.ineg(number);
        r.select(is_negative, negative, number)
    };
    (with_sign(signs, quotient), with_sign(a, remainder))
}
