//! Integer division and remainder, exact for every input.
//!
//! * By a constant: shifts for powers of two, else one 64-bit multiply-add with a rounded reciprocal (`division/constant.rs`).
//! * By a variable, 16 bits: one float division. Half a unit is added to the dividend, so that no quotient is nearer to
//!   an integer than 2^-17 of itself, far more than the error of `rcp` and the product.
//! * By a variable, 32 bits: a float reciprocal scaled to just below 2^32, one Newton step in integers, and two
//!   corrections of the quotient (the method of LLVM's AMDGPU back end; needs a reciprocal within one unit in the last
//!   place).
//!
//! Division by zero gives some value, as SPIR-V allows.
//!
//! Before: no 8-bit arithmetic. After: no `udiv`, `umod`, `sdiv`, `srem`.

mod constant;
#[cfg(test)]
mod tests;

use agx_isa::table::Opcode;

use super::alu::{SIGNED_LESS, UNSIGNED_LESS, alu, bitop, icmp, negate, select};
use super::multiply_high::multiply_high;
use super::{TABLE_AND, TABLE_OR, TABLE_XOR};
use crate::error::CompileError;
use crate::ir::op::mods_with;
use crate::ir::{Function, IrOp, Op, Rewrite, Rewriter, Src};

/// Replaces integer division and remainder.
///
/// # Errors
/// 64-bit division by anything but a power of two is unsupported.
pub fn lower_division(f: &mut Function<'_>) -> Result<(), CompileError> {
    let mut error = None;
    f.map_insts(|r, inst| {
        let data = r.f.insts[inst];
        let Some(kind) = Kind::of(data.op) else { return Rewrite::Keep };
        match divide(r, kind, data.srcs[0], data.srcs[1]) {
            Some(result) => Rewrite::Forward(result),
            None => {
                error.get_or_insert_with(|| {
                    CompileError::unsupported(
                        "64-bit integer division by anything but a constant power of two",
                    )
                });
                Rewrite::Keep
            }
        }
    });
    error.map_or(Ok(()), Err)
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
struct Kind {
    signed: bool,
    remainder: bool,
}

impl Kind {
    fn of(op: Op) -> Option<Kind> {
        let (signed, remainder) = match op {
            Op::Ir(IrOp::Udiv) => (false, false),
            Op::Ir(IrOp::Umod) => (false, true),
            Op::Ir(IrOp::Sdiv) => (true, false),
            Op::Ir(IrOp::Srem) => (true, true),
            _ => return None,
        };
        Some(Kind { signed, remainder })
    }
}

fn divide(r: &mut Rewriter<'_, '_>, kind: Kind, a: Src, b: Src) -> Option<Src> {
    let width = r.f.width(a);
    if let Some(divisor) = b.as_imm() {
        return constant::divide(r, kind, a, divisor, width);
    }
    match width {
        64 => None,
        32 => {
            let (quotient, remainder) = if kind.signed { signed_32(r, a, b) } else { unsigned_32(r, a, b) };
            Some(if kind.remainder { remainder } else { quotient })
        }
        _ => {
            let quotient = by_float(r, kind.signed, a, b, width);
            Some(if kind.remainder { remainder(r, a, quotient, b, width) } else { quotient })
        }
    }
}

/// `a - quotient * b`.
fn remainder(r: &mut Rewriter<'_, '_>, a: Src, quotient: Src, b: Src, width: u8) -> Src {
    let negative = negate(r, width, b);
    alu(r, Opcode::Imadd, width, &[quotient, negative, a])
}

/// The quotient of integers of at most 16 bits through floats.
fn by_float(r: &mut Rewriter<'_, '_>, signed: bool, a: Src, b: Src, width: u8) -> Src {
    let (to_float, to_integer) =
        if signed { (Opcode::S16ToF, Opcode::FToS16) } else { (Opcode::U16ToF, Opcode::FToU16) };
    let dividend = alu(r, to_float, 32, &[a]);
    let divisor = alu(r, to_float, 32, &[b]);
    let half = Src::f32(0.5);
    // The half points away from zero; the conversion then drops the fraction.
    let half = if signed {
        let sign = bitop(r, TABLE_AND, 32, dividend, Src::imm32(0x8000_0000));
        bitop(r, TABLE_OR, 32, sign, half)
    } else {
        half
    };
    let dividend = alu(r, Opcode::Fadd, 32, &[dividend, half]);
    let reciprocal = alu(r, Opcode::Rcp, 32, &[divisor]);
    let quotient = alu(r, Opcode::Fmul, 32, &[dividend, reciprocal]);
    r.alu(to_integer, width, &[quotient], &mods_with(to_integer, &[("round", 0)]))
}

/// A little below 2^32, so that a reciprocal off by one unit in the last place does not exceed the true one: its rounding
/// and that of the divisor add two units, which 2^32 - 1024 outweighs.
const SCALE: f32 = 4_294_966_272.0;

/// Quotient and remainder of unsigned words.
fn unsigned_32(r: &mut Rewriter<'_, '_>, a: Src, b: Src) -> (Src, Src) {
    let zero = Src::imm32(0);
    let float = alu(r, Opcode::U32ToF, 32, &[b]);
    let reciprocal = alu(r, Opcode::Rcp, 32, &[float]);
    let scaled = alu(r, Opcode::Fmul, 32, &[reciprocal, Src::f32(SCALE)]);
    let estimate = r.alu(Opcode::FToU32, 32, &[scaled], &mods_with(Opcode::FToU32, &[("round", 0)]));
    // Newton's step: the error of the estimate, in units of 2^-32, is its product with -b.
    let minus_b = negate(r, 32, b);
    let error = alu(r, Opcode::Imadd, 32, &[estimate, minus_b, zero]);
    let correction = multiply_high(r, estimate, error, false);
    let estimate = alu(r, Opcode::Iadd, 32, &[estimate, correction]);
    let mut quotient = multiply_high(r, a, estimate, false);
    let mut remainder = alu(r, Opcode::Imadd, 32, &[quotient, minus_b, a]);
    for _ in 0..2 {
        let fits = icmp(r, UNSIGNED_LESS, true, remainder, b);
        let more = alu(r, Opcode::Iadd, 32, &[quotient, Src::imm32(1)]);
        quotient = select(r, 32, fits, more, quotient);
        // Where the divisor does not fit, the difference wraps to a larger number.
        let less = alu(r, Opcode::Isub, 32, &[remainder, b]);
        remainder = alu(r, IrOp::Umin, 32, &[remainder, less]);
    }
    (quotient, remainder)
}

/// Quotient and remainder of signed words, by their magnitudes.
fn signed_32(r: &mut Rewriter<'_, '_>, a: Src, b: Src) -> (Src, Src) {
    let magnitude = |r: &mut Rewriter<'_, '_>, src| {
        let negative = negate(r, 32, src);
        alu(r, IrOp::Imax, 32, &[src, negative])
    };
    let (magnitude_a, magnitude_b) = (magnitude(r, a), magnitude(r, b));
    let (quotient, remainder) = unsigned_32(r, magnitude_a, magnitude_b);
    let signs = bitop(r, TABLE_XOR, 32, a, b);
    let mut signed = |sign, number| {
        let is_negative = icmp(r, SIGNED_LESS, false, sign, Src::imm32(0));
        let negative = negate(r, 32, number);
        select(r, 32, is_negative, negative, number)
    };
    (signed(signs, quotient), signed(a, remainder))
}
