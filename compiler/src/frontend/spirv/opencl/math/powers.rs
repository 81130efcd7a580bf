//! Powers and roots: 2 to the power of a product with a logarithm of twice the precision.

use std::f64::consts::LOG2_E;

use super::exponential::{exp2_of_sum, split};
use super::{
    INFINITY, MAGNITUDE, NAN, Sum, c, or_nan, ordered_sum, polynomial, product, rest, sum, where_is,
};
use crate::ir::Arithmetic;
use crate::ir::build::alu::{FloatCond, IntCond};
use crate::ir::builder::Builder;
use crate::ir::src::Src;

/// (2·artanh s − 2s) / s³ for s² up to 0.0295.
const ARTANH: [f64; 4] = [0.23620370911, 0.285359042444, 0.400003410297, 0.6666666575];

/// The binary logarithm of a positive number: of m·2ᵉ, e and 2·artanh((m − 1) / (m + 1)) in base 2.
pub(super) fn log2_sum(b: &mut Builder<'_, '_>, x: Src) -> Sum {
    let (e, f) = split(b, x);
    let d = b.fadd(f, c(2.0));
    let back = b.fadd(d, c(-2.0));
    let d_low = b.fsub(f, back);
    let reciprocal = b.fdiv(c(1.0), d);
    let s = b.fmul(f, reciprocal);
    let negated = b.fneg(s);
    let error = b.ffma(negated, d, f);
    let error = b.ffma(negated, d_low, error);
    let s_low = b.fmul(error, reciprocal);
    let z = b.fmul(s, s);
    let tail = polynomial(b, z, &ARTANH);
    let cube = b.fmul(z, s);
    let low = b.fadd(s_low, s_low);
    let low = b.ffma(tail, cube, low);
    let twice = b.fadd(s, s);
    let natural = ordered_sum(b, twice, low);
    let scaled = times_log2_e(b, natural);
    let total = sum(b, e, scaled.high);
    let low = b.fadd(total.low, scaled.low);
    ordered_sum(b, total.high, low)
}

/// A sum times log₂ e.
pub(super) fn times_log2_e(b: &mut Builder<'_, '_>, x: Sum) -> Sum {
    let high = product(b, x.high, c(LOG2_E));
    let low = b.ffma(x.high, rest(LOG2_E), high.low);
    let low = b.ffma(x.low, c(LOG2_E), low);
    ordered_sum(b, high.high, low)
}

/// 2 to the power of `logarithm`·`exponent`.
fn power_of(b: &mut Builder<'_, '_>, logarithm: Sum, exponent: Sum) -> Src {
    // Beyond, every product is out of range, or the logarithm is zero.
    let high = b.fmin(exponent.high, c(1.0e12));
    let high = b.fmax(high, c(-1.0e12));
    let all = product(b, high, logarithm.high);
    let low = b.ffma(high, logarithm.low, all.low);
    let low = b.ffma(exponent.low, logarithm.high, low);
    let near = b.fmin(all.high, c(170.0));
    let near = b.fmax(near, c(-170.0));
    let is_near = b.fcmp(FloatCond::EQ, near, all.high);
    let low = b.select(is_near, low, c(0.0));
    exp2_of_sum(b, near, low)
}

/// |x| to the power of `exponent` for a finite |x| above 0, and for 0 and infinity by the sign of the exponent.
fn magnitude_power(b: &mut Builder<'_, '_>, x: Src, exponent: Sum) -> Src {
    let magnitude = b.fabs(x);
    let logarithm = log2_sum(b, magnitude);
    let result = power_of(b, logarithm, exponent);
    let is_negative = b.fcmp(FloatCond::LT, exponent.high, c(0.0));
    let of_zero = b.select(is_negative, Src::imm32(INFINITY), c(0.0));
    let of_infinity = b.select(is_negative, c(0.0), Src::imm32(INFINITY));
    let result = where_is(b, (FloatCond::EQ, magnitude, c(0.0)), of_zero, result);
    where_is(b, (FloatCond::EQ, magnitude, Src::imm32(INFINITY)), of_infinity, result)
}

/// A float as a sum.
fn alone(x: Src) -> Sum {
    Sum { high: x, low: c(0.0) }
}

/// Whether a float is an integer, and whether it is an odd one.
fn parity(b: &mut Builder<'_, '_>, y: Src) -> (Src, Src) {
    let whole = b.trunc(y);
    let is_integer = b.fcmp(FloatCond::EQ, whole, y);
    let half = b.fmul(y, c(0.5));
    let of_half = b.trunc(half);
    let is_even = b.fcmp(FloatCond::EQ, of_half, half);
    let is_odd = b.not(is_even);
    (is_integer, b.and(is_integer, is_odd))
}

/// `result`, negated if `x` is negative and `is_odd` holds.
fn signed(b: &mut Builder<'_, '_>, result: Src, x: Src, is_odd: Src) -> Src {
    let sign = b.and(x, Src::imm32(!MAGNITUDE));
    let sign = b.select(is_odd, sign, Src::imm32(0));
    b.xor(result, sign)
}

pub(in super::super) fn pow(b: &mut Builder<'_, '_>, x: Src, y: Src) -> Src {
    let (is_integer, is_odd) = parity(b, y);
    let result = magnitude_power(b, x, alone(y));
    let result = signed(b, result, x, is_odd);
    // A negative finite number has powers only of integers.
    let is_negative = b.fcmp(FloatCond::LT, x, c(0.0));
    let is_finite = b.fcmp(FloatCond::GT, x, c(f64::NEG_INFINITY));
    let is_broken = b.not(is_integer);
    let has_none = b.and(is_negative, is_finite);
    let has_none = b.and(has_none, is_broken);
    let result = b.select(has_none, Src::imm32(NAN), result);
    let result = of_infinite_exponent(b, x, y, result);
    let result = or_nan(b, x, result);
    let result = or_nan(b, y, result);
    let result = where_is(b, (FloatCond::EQ, y, c(0.0)), c(1.0), result);
    where_is(b, (FloatCond::EQ, x, c(1.0)), c(1.0), result)
}

/// The power for an infinite exponent: 0, 1 or infinity.
fn of_infinite_exponent(b: &mut Builder<'_, '_>, x: Src, y: Src, otherwise: Src) -> Src {
    let (magnitude, size) = (b.fabs(x), b.fabs(y));
    let is_above = b.fcmp(FloatCond::GT, magnitude, c(1.0));
    let is_up = b.fcmp(FloatCond::GT, y, c(0.0));
    let grows = b.xnor(is_above, is_up);
    let limit = b.select(grows, Src::imm32(INFINITY), c(0.0));
    let limit = where_is(b, (FloatCond::EQ, magnitude, c(1.0)), c(1.0), limit);
    where_is(b, (FloatCond::EQ, size, Src::imm32(INFINITY)), limit, otherwise)
}

/// The power of a number that is not negative.
pub(in super::super) fn powr(b: &mut Builder<'_, '_>, x: Src, y: Src) -> Src {
    let result = magnitude_power(b, x, alone(y));
    let result = of_infinite_exponent(b, x, y, result);
    let result = where_is(b, (FloatCond::EQ, y, c(0.0)), c(1.0), result);
    let (size, magnitude) = (b.fabs(y), b.fabs(x));
    // 0⁰, ∞⁰ and 1 to an infinite power have no value.
    let is_zero = b.fcmp(FloatCond::EQ, y, c(0.0));
    let from_zero = b.fcmp(FloatCond::EQ, x, c(0.0));
    let from_infinity = b.fcmp(FloatCond::EQ, magnitude, Src::imm32(INFINITY));
    let extreme = b.or(from_zero, from_infinity);
    let extreme = b.and(extreme, is_zero);
    let is_infinite = b.fcmp(FloatCond::EQ, size, Src::imm32(INFINITY));
    let is_one = b.fcmp(FloatCond::EQ, x, c(1.0));
    let stays = b.and(is_infinite, is_one);
    let is_negative = b.fcmp(FloatCond::LT, x, c(0.0));
    let has_none = b.or(extreme, stays);
    let has_none = b.or(has_none, is_negative);
    let result = b.select(has_none, Src::imm32(NAN), result);
    let result = or_nan(b, x, result);
    or_nan(b, y, result)
}

/// An integer of 32 bits as a sum.
fn integer(b: &mut Builder<'_, '_>, n: Src) -> Sum {
    let high = b.int_to_float(n, true, 32);
    let back = b.float_to_int(high, true, 32);
    let low = b.isub(n, back);
    Sum { high, low: b.int_to_float(low, true, 32) }
}

/// Whether an integer is odd.
fn is_odd(b: &mut Builder<'_, '_>, n: Src) -> Src {
    let bit = b.and(n, Src::imm32(1));
    b.icmp(IntCond::NE, bit, Src::imm32(0))
}

/// The power with an integer as exponent.
pub(in super::super) fn pown(b: &mut Builder<'_, '_>, x: Src, n: Src) -> Src {
    let exponent = integer(b, n);
    let result = magnitude_power(b, x, exponent);
    let is_odd = is_odd(b, n);
    let result = signed(b, result, x, is_odd);
    let result = or_nan(b, x, result);
    let is_zero = b.icmp(IntCond::EQ, n, Src::imm32(0));
    b.select(is_zero, c(1.0), result)
}

/// The root of an integer degree.
pub(in super::super) fn rootn(b: &mut Builder<'_, '_>, x: Src, n: Src) -> Src {
    let degree = integer(b, n);
    let high = b.fdiv(c(1.0), degree.high);
    let negated = b.fneg(high);
    let error = b.ffma(negated, degree.high, c(1.0));
    let error = b.ffma(negated, degree.low, error);
    let low = b.fmul(error, high);
    let result = magnitude_power(b, x, Sum { high, low });
    let is_odd = is_odd(b, n);
    let result = signed(b, result, x, is_odd);
    let is_negative = b.fcmp(FloatCond::LT, x, c(0.0));
    let is_even = b.not(is_odd);
    let has_none = b.and(is_negative, is_even);
    let is_zero = b.icmp(IntCond::EQ, n, Src::imm32(0));
    let has_none = b.or(has_none, is_zero);
    let result = b.select(has_none, Src::imm32(NAN), result);
    or_nan(b, x, result)
}

/// The cube root: one step of Newton's method from the hardware's logarithm and power.
pub(in super::super) fn cbrt(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let magnitude = b.fabs(x);
    // The squares in the step must not be denormal.
    let is_small = b.fcmp(FloatCond::LT, magnitude, c(1.0e-20));
    let larger = b.fmul(magnitude, c(2f64.powi(60)));
    let number = b.select(is_small, larger, magnitude);
    let binary = b.log2(number);
    let third = b.fmul(binary, c(1.0 / 3.0));
    let y = b.exp2(third);
    let square = product(b, y, y);
    let negated = b.fneg(number);
    let error = b.ffma(square.high, y, negated);
    let error = b.ffma(square.low, y, error);
    let slope = b.fmul(square.high, c(3.0));
    let step = b.fdiv(error, slope);
    let root = b.fsub(y, step);
    let smaller = b.fmul(root, c(2f64.powi(-20)));
    let root = b.select(is_small, smaller, root);
    let root = super::with_sign(b, root, x);
    let root = where_is(b, (FloatCond::EQ, magnitude, Src::imm32(INFINITY)), x, root);
    let root = where_is(b, (FloatCond::EQ, x, c(0.0)), x, root);
    or_nan(b, x, root)
}

/// √(x² + y²), with both numbers scaled so that the squares neither overflow nor vanish.
pub(in super::super) fn hypot(b: &mut Builder<'_, '_>, x: Src, y: Src) -> Src {
    let (across, up) = (b.fabs(x), b.fabs(y));
    let large = b.fmax(across, up);
    let down = where_is(b, (FloatCond::GT, large, c(1.0e18)), c(2f64.powi(-70)), c(1.0));
    let factor = where_is(b, (FloatCond::LT, large, c(1.0e-12)), c(2f64.powi(70)), down);
    let back = where_is(b, (FloatCond::GT, large, c(1.0e18)), c(2f64.powi(70)), c(1.0));
    let back = where_is(b, (FloatCond::LT, large, c(1.0e-12)), c(2f64.powi(-70)), back);
    let (x_scaled, y_scaled) = (b.fmul(across, factor), b.fmul(up, factor));
    let square = b.fmul(y_scaled, y_scaled);
    let square = b.ffma(x_scaled, x_scaled, square);
    let root = b.fsqrt(square);
    let result = b.fmul(root, back);
    let result = or_nan(b, x, result);
    let result = or_nan(b, y, result);
    let result = where_is(b, (FloatCond::EQ, across, Src::imm32(INFINITY)), across, result);
    where_is(b, (FloatCond::EQ, up, Src::imm32(INFINITY)), up, result)
}
