//! Remainders, which are exact.

use super::super::super::glsl_math::ldexp;
use super::{INFINITY, MAGNITUDE, NAN, c, repeat, where_is};
use crate::frontend::kit::Kit;
use crate::ir::Arithmetic;
use crate::ir::build::alu::{FloatCond, IntCond};
use crate::ir::src::Src;

/// Number of bits of the quotient that a turn of the loop finds: a mantissa and as many bits are a word.
const BITS: u32 = 8;

/// What a long division leaves.
struct Division {
    /// The last bits of the quotient.
    quotient: Src,
    /// The mantissa of the remainder.
    rest: Src,
    /// The mantissa of the divisor.
    divisor: Src,
    /// The exponent of both, as in the encoding of a float.
    exponent: Src,
}

/// The exponent and the mantissa of a magnitude.
fn parts(kit: &mut Kit<'_, '_>, magnitude: Src) -> (Src, Src) {
    let exponent = kit.b.ushr(magnitude, Src::imm32(23));
    let mantissa = kit.b.and(magnitude, Src::imm32(0x7f_ffff));
    (exponent, kit.b.or(mantissa, Src::imm32(0x80_0000)))
}

/// Divides magnitudes, the first of which is not the smaller one.
fn divide(kit: &mut Kit<'_, '_>, x: Src, y: Src) -> Division {
    let ((of_x, dividend), (exponent, divisor)) = (parts(kit, x), parts(kit, y));
    let quotient = kit.b.udiv(dividend, divisor);
    let rest = kit.b.umod(dividend, divisor);
    let steps = kit.b.isub(of_x, exponent);
    let [of_quotient, of_rest, of_steps] = [32; 3].map(|bits| kit.vars.add(&[bits]));
    kit.vars.write(&kit.b, of_quotient, quotient);
    kit.vars.write(&kit.b, of_rest, rest);
    kit.vars.write(&kit.b, of_steps, steps);
    let goes_on = |kit: &mut Kit<'_, '_>| {
        let steps = kit.vars.read(&mut kit.b, of_steps);
        kit.b.icmp(IntCond::SGT, steps, Src::imm32(0))
    };
    repeat(kit, goes_on, |kit| {
        let steps = kit.vars.read(&mut kit.b, of_steps);
        let count = kit.b.imin(steps, Src::imm32(BITS));
        let rest = kit.vars.read(&mut kit.b, of_rest);
        let before = kit.vars.read(&mut kit.b, of_quotient);
        let dividend = kit.b.shl(rest, count);
        let digits = kit.b.udiv(dividend, divisor);
        let rest = kit.b.umod(dividend, divisor);
        let moved = kit.b.shl(before, count);
        let quotient = kit.b.or(moved, digits);
        let left = kit.b.isub(steps, count);
        kit.vars.write(&kit.b, of_rest, rest);
        kit.vars.write(&kit.b, of_quotient, quotient);
        kit.vars.write(&kit.b, of_steps, left);
    });
    let quotient = kit.vars.read(&mut kit.b, of_quotient);
    let rest = kit.vars.read(&mut kit.b, of_rest);
    Division { quotient, rest, divisor, exponent }
}

/// A signed mantissa with an exponent as a float.
fn number(kit: &mut Kit<'_, '_>, mantissa: Src, exponent: Src) -> Src {
    let float = kit.b.int_to_float(mantissa, true, 32);
    let exponent = kit.b.isub(exponent, Src::imm32(127 + 23));
    ldexp(&mut kit.b, float, exponent)
}

/// `result` if both numbers have a remainder: the first is finite, the second neither zero nor NaN.
fn if_defined(kit: &mut Kit<'_, '_>, (x, y): (Src, Src), result: Src) -> Src {
    let b = &mut kit.b;
    let (size, divisor) = (b.fabs(x), b.fabs(y));
    let is_finite = b.fcmp(FloatCond::LT, size, Src::imm32(INFINITY));
    let is_divisor = b.fcmp(FloatCond::GT, divisor, c(0.0));
    let is_defined = b.and(is_finite, is_divisor);
    b.select(is_defined, result, Src::imm32(NAN))
}

/// The remainder of the quotient rounded toward zero.
pub(in super::super) fn fmod(kit: &mut Kit<'_, '_>, x: Src, y: Src) -> Src {
    let magnitude = kit.b.and(x, Src::imm32(MAGNITUDE));
    let divisor = kit.b.and(y, Src::imm32(MAGNITUDE));
    let division = divide(kit, magnitude, divisor);
    let rest = number(kit, division.rest, division.exponent);
    let rest = super::with_sign(&mut kit.b, rest, x);
    let is_less = kit.b.fcmp(FloatCond::LT, magnitude, divisor);
    let result = kit.b.select(is_less, x, rest);
    let result = where_is(&mut kit.b, (FloatCond::EQ, x, c(0.0)), x, result);
    if_defined(kit, (x, y), result)
}

/// The remainder of the quotient rounded to the nearest integer, and the last seven bits of that with its sign.
pub(in super::super) fn remquo(kit: &mut Kit<'_, '_>, x: Src, y: Src) -> (Src, Src) {
    let magnitude = kit.b.and(x, Src::imm32(MAGNITUDE));
    let divisor = kit.b.and(y, Src::imm32(MAGNITUDE));
    let division = divide(kit, magnitude, divisor);
    let b = &mut kit.b;
    let twice = b.shl(division.rest, Src::imm32(1));
    let is_above = b.icmp(IntCond::UGT, twice, division.divisor);
    let is_half = b.icmp(IntCond::EQ, twice, division.divisor);
    let last = b.and(division.quotient, Src::imm32(1));
    let is_odd = b.icmp(IntCond::NE, last, Src::imm32(0));
    let rounds = b.and(is_half, is_odd);
    let rounds = b.or(rounds, is_above);
    let over = b.isub(division.rest, division.divisor);
    let rest = b.select(rounds, over, division.rest);
    let next = b.iadd(division.quotient, Src::imm32(1));
    let quotient = b.select(rounds, next, division.quotient);
    let far = number(kit, rest, division.exponent);
    // A number below the divisor is its own remainder, or less than the divisor by at most a half.
    let b = &mut kit.b;
    let is_less = b.fcmp(FloatCond::LT, magnitude, divisor);
    let half = b.fmul(divisor, c(0.5));
    let is_near = b.fcmp(FloatCond::GT, magnitude, half);
    let below = b.fsub(magnitude, divisor);
    let near = b.select(is_near, below, magnitude);
    let one = b.select(is_near, Src::imm32(1), Src::imm32(0));
    let rest = b.select(is_less, near, far);
    let quotient = b.select(is_less, one, quotient);
    let sign = b.and(x, Src::imm32(!MAGNITUDE));
    let rest = b.xor(rest, sign);
    let rest = where_is(b, (FloatCond::EQ, x, c(0.0)), x, rest);
    let bits = b.and(quotient, Src::imm32(0x7f));
    let differ = b.xor(x, y);
    let is_negative = b.is_negative(differ);
    let negated = b.ineg(bits);
    let bits = b.select(is_negative, negated, bits);
    let rest = if_defined(kit, (x, y), rest);
    let is_number = kit.b.fcmp(FloatCond::EQ, rest, rest);
    (rest, kit.b.select(is_number, bits, Src::imm32(0)))
}

pub(in super::super) fn remainder(kit: &mut Kit<'_, '_>, x: Src, y: Src) -> Src {
    remquo(kit, x, y).0
}
