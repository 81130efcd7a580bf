//! Powers of e, 2 and 10, logarithms, and hyperbolic functions.

use std::f64::consts::{LN_2, LOG2_E, LOG10_2, LOG10_E};

use super::{
    INFINITY, NAN, c, odd, or_nan, ordered_sum, polynomial, power_of_two, rest, scaled, where_is, with_sign,
};
use crate::ir::Arithmetic;
use crate::ir::build::alu::FloatCond;
use crate::ir::builder::Builder;
use crate::ir::src::Src;

/// (eˣ − 1 − x) / x² for |x| up to ½·ln 2.
const EXP: [f64; 5] = [0.00139504805964, 0.00836888225666, 0.0416662059693, 0.166665188986, 0.500000009512];

/// (2ˣ − 1) / x for |x| up to ½.
const EXP2: [f64; 6] =
    [0.000154697319775, 0.00134100009661, 0.00961803078251, 0.055502973142, 0.240226510841, 0.693147225395];

/// (10ˣ − 1) / x for |x| up to ½·log₁₀ 2.
const EXP10: [f64; 7] = [
    0.0683670977966,
    0.207850246538,
    0.539377776781,
    1.17124392168,
    2.03467862752,
    2.65094909717,
    2.30258509293,
];

/// (ln(1 + x) − x + x²/2) / x³ for 1 + x from √½ to √2.
const LOG: [f64; 9] = [
    0.0674660280497,
    -0.116756042236,
    0.118881536092,
    -0.124055965064,
    0.142195545845,
    -0.166679955043,
    0.200021185366,
    -0.250000096036,
    0.333333126058,
];

/// (sinh x − x) / x³ for x² up to 1.
const SINH: [f64; 4] = [2.8190289983e-6, 0.000198358714488, 0.0083333508247, 0.166666665076];

/// (tanh x − x) / x³ for x² up to 0.36.
const TANH: [f64; 6] =
    [0.00221469945205, -0.00825508722106, 0.0217323113195, -0.0539526858406, 0.133332554873, -0.333333321885];

/// Largest magnitude of a scaled exponent: results beyond are infinite or zero.
const MOST: f64 = 170.0;

/// The bits of √½.
const ROOT_HALF: u32 = 0x3f35_04f3;

/// `x`, limited to magnitudes that [`scaled`] covers.
fn limited(b: &mut Builder<'_, '_>, x: Src, most: f64) -> Src {
    let x = b.fmin(x, c(most));
    b.fmax(x, c(-most))
}

/// The integer n and eʳ − 1 with x = n·ln 2 + r.
fn reduced(b: &mut Builder<'_, '_>, x: Src) -> (Src, Src) {
    let turns = b.fmul(x, c(LOG2_E));
    let n = b.rint(turns);
    let negated = b.fneg(n);
    let r = b.ffma(negated, c(LN_2), x);
    let r = b.ffma(negated, rest(LN_2), r);
    let square = b.fmul(r, r);
    let tail = polynomial(b, r, &EXP);
    (b.float_to_int(n, true, 32), b.ffma(tail, square, r))
}

/// eˣ·2^`extra`.
fn exp_times(b: &mut Builder<'_, '_>, x: Src, extra: i32) -> Src {
    let near = limited(b, x, MOST / LOG2_E);
    let (n, less_one) = reduced(b, near);
    let power = b.fadd(less_one, c(1.0));
    let n = b.iadd(n, Src::imm32(extra as u32));
    let result = scaled(b, power, n);
    or_nan(b, x, result)
}

pub(in super::super) fn exp(b: &mut Builder<'_, '_>, x: Src) -> Src {
    exp_times(b, x, 0)
}

pub(in super::super) fn exp2(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let near = limited(b, x, MOST);
    let result = exp2_of_sum(b, near, c(0.0));
    or_nan(b, x, result)
}

/// 2 to the power of a sum, whose high part has a magnitude of at most [`MOST`].
pub(super) fn exp2_of_sum(b: &mut Builder<'_, '_>, high: Src, low: Src) -> Src {
    let n = b.rint(high);
    let r = b.fsub(high, n);
    let r = b.fadd(r, low);
    let factor = polynomial(b, r, &EXP2);
    let power = b.ffma(factor, r, c(1.0));
    let n = b.float_to_int(n, true, 32);
    scaled(b, power, n)
}

pub(in super::super) fn exp10(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let near = limited(b, x, MOST * LOG10_2);
    let turns = b.fmul(near, c(1.0 / LOG10_2));
    let n = b.rint(turns);
    let negated = b.fneg(n);
    let r = b.ffma(negated, c(LOG10_2), near);
    let r = b.ffma(negated, rest(LOG10_2), r);
    let factor = polynomial(b, r, &EXP10);
    let power = b.ffma(factor, r, c(1.0));
    let n = b.float_to_int(n, true, 32);
    let result = scaled(b, power, n);
    or_nan(b, x, result)
}

/// eˣ − 1: 2ⁿ·(eʳ − 1) + (2ⁿ − 1).
pub(in super::super) fn expm1(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let near = limited(b, x, 40.0);
    let (n, less_one) = reduced(b, near);
    let power = power_of_two(b, n);
    let whole = b.fadd(power, c(-1.0));
    let small = b.ffma(power, less_one, whole);
    let large = exp(b, x);
    let result = where_is(b, (FloatCond::GT, x, c(30.0)), large, small);
    // A zero keeps its sign.
    let result = where_is(b, (FloatCond::EQ, x, c(0.0)), x, result);
    or_nan(b, x, result)
}

/// The exponent and m − 1 of a positive number m·2ᵉ with m from √½ to √2.
pub(super) fn split(b: &mut Builder<'_, '_>, x: Src) -> (Src, Src) {
    let above = b.isub(x, Src::imm32(ROOT_HALF));
    let exponent = b.sshr(above, Src::imm32(23));
    let moved = b.shl(exponent, Src::imm32(23));
    let m = b.isub(x, moved);
    (b.int_to_float(exponent, true, 32), b.fadd(m, c(-1.0)))
}

/// ln(1 + f) for 1 + f from √½ to √2.
fn log_near_one(b: &mut Builder<'_, '_>, f: Src) -> Src {
    let tail = polynomial(b, f, &LOG);
    let tail = b.ffma(tail, f, c(-0.5));
    let square = b.fmul(f, f);
    b.ffma(tail, square, f)
}

/// The logarithm of `x` where it is not that of a positive number.
pub(super) fn log_or_special(b: &mut Builder<'_, '_>, x: Src, result: Src) -> Src {
    let result = where_is(b, (FloatCond::EQ, x, Src::imm32(INFINITY)), x, result);
    let result = where_is(b, (FloatCond::EQ, x, c(0.0)), c(f64::NEG_INFINITY), result);
    let is_real = b.fcmp(FloatCond::GE, x, c(0.0));
    b.select(is_real, result, Src::imm32(NAN))
}

/// e·`scale` + t·`factor`.
fn logarithm(b: &mut Builder<'_, '_>, x: Src, scale: f64, factor: f64) -> Src {
    let (e, f) = split(b, x);
    let t = log_near_one(b, f);
    let low = if factor == 1.0 { t } else { b.fmul(t, c(factor)) };
    let low = b.ffma(e, rest(scale), low);
    let result = b.ffma(e, c(scale), low);
    log_or_special(b, x, result)
}

pub(in super::super) fn log(b: &mut Builder<'_, '_>, x: Src) -> Src {
    logarithm(b, x, LN_2, 1.0)
}

pub(in super::super) fn log2(b: &mut Builder<'_, '_>, x: Src) -> Src {
    logarithm(b, x, 1.0, LOG2_E)
}

pub(in super::super) fn log10(b: &mut Builder<'_, '_>, x: Src) -> Src {
    logarithm(b, x, LOG10_2, LOG10_E)
}

/// ln(1 + x): with u = 1 + x rounded, ln u and the rest of the sum, relative to u.
pub(in super::super) fn log1p(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let u = b.fadd(x, c(1.0));
    let magnitude = b.fabs(x);
    let is_large = b.fcmp(FloatCond::GT, magnitude, c(1.0));
    let by_x = ordered_sum(b, x, c(1.0));
    let by_one = ordered_sum(b, c(1.0), x);
    let lost = b.select(is_large, by_x.low, by_one.low);
    let correction = b.fdiv(lost, u);
    let (e, f) = split(b, u);
    let t = log_near_one(b, f);
    let low = b.fadd(t, correction);
    let low = b.ffma(e, rest(LN_2), low);
    let far = b.ffma(e, c(LN_2), low);
    let far = log_or_special(b, u, far);
    let near = log_near_one(b, x);
    let is_near = b.fcmp(FloatCond::LT, magnitude, c(0.25));
    let result = b.select(is_near, near, far);
    where_is(b, (FloatCond::EQ, x, c(0.0)), x, result)
}

/// (eˣ − e⁻ˣ) / 2; a polynomial below 1.
pub(in super::super) fn sinh(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let magnitude = b.fabs(x);
    let grown = exp_times(b, magnitude, -1);
    let quarter = b.fdiv(c(0.25), grown);
    let large = b.fsub(grown, quarter);
    let large = with_sign(b, large, x);
    let z = b.fmul(x, x);
    let small = odd(b, x, z, &SINH);
    let result = where_is(b, (FloatCond::LT, magnitude, c(1.0)), small, large);
    or_nan(b, x, result)
}

/// (eˣ + e⁻ˣ) / 2.
pub(in super::super) fn cosh(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let magnitude = b.fabs(x);
    let grown = exp_times(b, magnitude, -1);
    let quarter = b.fdiv(c(0.25), grown);
    let result = b.fadd(grown, quarter);
    or_nan(b, x, result)
}

/// 1 − 2 / (e²ˣ + 1); a polynomial below 0.55.
pub(in super::super) fn tanh(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let magnitude = b.fabs(x);
    let twice = b.fadd(magnitude, magnitude);
    let near = b.fmin(twice, c(40.0));
    let power = exp(b, near);
    let denominator = b.fadd(power, c(1.0));
    let quotient = b.fdiv(c(2.0), denominator);
    let large = b.fsub(c(1.0), quotient);
    let large = with_sign(b, large, x);
    let z = b.fmul(x, x);
    let small = odd(b, x, z, &TANH);
    let result = where_is(b, (FloatCond::LT, magnitude, c(0.55)), small, large);
    or_nan(b, x, result)
}

/// ln(|x| + √(x² + 1)) as ln(1 + |x| + x² / (1 + √(x² + 1))).
pub(in super::super) fn asinh(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let magnitude = b.fabs(x);
    let near = b.fmin(magnitude, c(8192.0));
    let square = b.fmul(near, near);
    let root = b.fadd(square, c(1.0));
    let root = b.fsqrt(root);
    let below = b.fadd(root, c(1.0));
    let extra = b.fdiv(square, below);
    let less_one = b.fadd(near, extra);
    let small = log1p(b, less_one);
    let large = log_of_twice(b, magnitude);
    let result = where_is(b, (FloatCond::GT, magnitude, c(4096.0)), large, small);
    let result = with_sign(b, result, x);
    or_nan(b, x, result)
}

/// ln 2x.
fn log_of_twice(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let single = log(b, x);
    b.fadd(single, c(LN_2))
}

/// ln(x + √(x² − 1)) as ln(1 + t + √(2t + t²)) with t = x − 1.
pub(in super::super) fn acosh(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let near = b.fmin(x, c(8192.0));
    let t = b.fadd(near, c(-1.0));
    let twice = b.fadd(t, t);
    let square = b.ffma(t, t, twice);
    let root = b.fsqrt(square);
    let less_one = b.fadd(t, root);
    let small = log1p(b, less_one);
    let large = log_of_twice(b, x);
    let result = where_is(b, (FloatCond::GT, x, c(4096.0)), large, small);
    let is_real = b.fcmp(FloatCond::GE, x, c(1.0));
    b.select(is_real, result, Src::imm32(NAN))
}

/// ln((1 + x) / (1 − x)) / 2 as ln(1 + 2x / (1 − x)) / 2.
pub(in super::super) fn atanh(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let magnitude = b.fabs(x);
    let below = b.fsub(c(1.0), magnitude);
    let twice = b.fadd(magnitude, magnitude);
    let quotient = b.fdiv(twice, below);
    let double = log1p(b, quotient);
    let result = b.fmul(double, c(0.5));
    let result = with_sign(b, result, x);
    let result = where_is(b, (FloatCond::GT, magnitude, c(1.0)), Src::imm32(NAN), result);
    or_nan(b, x, result)
}
