//! Error functions and gamma functions.

use std::f64::consts::PI;

use super::exponential::{exp, exp2_of_sum, log};
use super::powers::{log2_sum, times_log2_e};
use super::trigonometry::sinpi;
use super::{INFINITY, NAN, Sum, c, or_nan, ordered_sum, polynomial, product, sum, where_is, with_sign};
use crate::ir::Arithmetic;
use crate::ir::build::alu::FloatCond;
use crate::ir::builder::Builder;
use crate::ir::src::Src;

/// erf x / x for x² up to 1.
const ERF: [f64; 8] = [
    -9.68014311197e-6,
    0.000112705468385,
    -0.000848471177045,
    0.00522107489978,
    -0.0268654458289,
    0.112837827473,
    -0.376126384838,
    1.12837916706,
];

/// erfc x · e^(x²) / t with t = 1 / (1 + x/2), for x from 0.8 to 10.2.
const ERFC: [f64; 11] = [
    0.0624344647517,
    -0.328088220082,
    0.689842697911,
    -0.688979243313,
    0.306889340198,
    -0.144086076107,
    0.120501515232,
    0.169758796335,
    0.247589009413,
    0.282043831353,
    0.282096312731,
];

/// Stirling's series in 1/x²: ln Γ(x) − (x − ½)·ln x + x − ½·ln 2π, times x.
const STIRLING: [f64; 4] = [-1.0 / 1680.0, 1.0 / 1260.0, -1.0 / 360.0, 1.0 / 12.0];

/// From here on, the series has the precision of a float.
const FEW: f64 = 4.0;

fn erf_small(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let z = b.fmul(x, x);
    let factor = polynomial(b, z, &ERF);
    b.fmul(factor, x)
}

/// 1 − erf of a number from 0.8 on.
fn erfc_large(b: &mut Builder<'_, '_>, magnitude: Src) -> Src {
    let x = b.fmin(magnitude, c(11.0));
    let denominator = b.ffma(x, c(0.5), c(1.0));
    let t = b.fdiv(c(1.0), denominator);
    let factor = polynomial(b, t, &ERFC);
    let factor = b.fmul(factor, t);
    let square = product(b, x, x);
    let negated = b.fneg(square.high);
    let power = exp(b, negated);
    let result = b.fmul(power, factor);
    let low = b.fneg(square.low);
    b.ffma(result, low, result)
}

pub(in super::super) fn erf(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let magnitude = b.fabs(x);
    let small = erf_small(b, x);
    let rest = erfc_large(b, magnitude);
    let large = b.fsub(c(1.0), rest);
    let large = with_sign(b, large, x);
    let result = where_is(b, (FloatCond::LT, magnitude, c(0.9)), small, large);
    or_nan(b, x, result)
}

pub(in super::super) fn erfc(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let magnitude = b.fabs(x);
    let small = erf_small(b, x);
    let near = b.fsub(c(1.0), small);
    let far = erfc_large(b, magnitude);
    let left = b.fsub(c(2.0), far);
    let large = where_is(b, (FloatCond::LT, x, c(0.0)), left, far);
    let result = where_is(b, (FloatCond::LT, magnitude, c(0.9)), near, large);
    or_nan(b, x, result)
}

/// A number from [`FEW`] on and the product of those before it, by steps of 1 from a number that is not negative.
fn shifted(b: &mut Builder<'_, '_>, x: Src) -> (Src, Src) {
    let (mut y, mut before) = (x, c(1.0));
    for _ in 0..(FEW as u32) {
        let is_below = b.fcmp(FloatCond::LT, y, c(FEW));
        let (product, next) = (b.fmul(before, y), b.fadd(y, c(1.0)));
        before = b.select(is_below, product, before);
        y = b.select(is_below, next, y);
    }
    (y, before)
}

/// The rest of Stirling's series for a number from [`FEW`] on.
fn series(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let reciprocal = b.fdiv(c(1.0), x);
    let z = b.fmul(reciprocal, reciprocal);
    let factor = polynomial(b, z, &STIRLING);
    b.fmul(factor, reciprocal)
}

/// Γ of a number that is not negative.
fn gamma_right(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let x = b.fmin(x, c(50.0));
    let (y, before) = shifted(b, x);
    let logarithm = log2_sum(b, y);
    let below = b.fadd(y, c(-0.5));
    let power = product(b, below, logarithm.high);
    let low = b.ffma(below, logarithm.low, power.low);
    let negated = b.fneg(y);
    let decay = times_log2_e(b, Sum { high: negated, low: c(0.0) });
    let total = sum(b, power.high, decay.high);
    let low = b.fadd(low, decay.low);
    let low = b.fadd(low, total.low);
    let tail = series(b, y);
    let exponent = ordered_sum(b, total.high, low);
    let high = b.fmin(exponent.high, c(160.0));
    let power = exp2_of_sum(b, high, exponent.low);
    let correction = exp(b, tail);
    let correction = b.fmul(correction, c((2.0 * PI).sqrt()));
    let whole = b.fmul(power, correction);
    b.fdiv(whole, before)
}

pub(in super::super) fn tgamma(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let is_left = b.fcmp(FloatCond::LT, x, c(0.0));
    let negated = b.fneg(x);
    let mirrored = b.fadd(c(1.0), negated);
    let argument = b.select(is_left, mirrored, x);
    let right = gamma_right(b, argument);
    let sine = sinpi(b, x);
    let divisor = b.fmul(sine, right);
    // What 1 − x lost, by the logarithmic derivative of the function.
    let lost = sum(b, c(1.0), negated);
    let slope = log(b, argument);
    let reciprocal = b.fdiv(c(-0.5), argument);
    let slope = b.fadd(slope, reciprocal);
    let change = b.fmul(slope, lost.low);
    let factor = b.fadd(change, c(1.0));
    let divisor = b.fmul(divisor, factor);
    let left = b.fdiv(c(PI), divisor);
    let whole = b.floor(x);
    let is_pole = b.fcmp(FloatCond::EQ, whole, x);
    let left = b.select(is_pole, Src::imm32(NAN), left);
    let result = b.select(is_left, left, right);
    let result = where_is(b, (FloatCond::GT, x, c(35.1)), Src::imm32(INFINITY), result);
    let unbounded = with_sign(b, Src::imm32(INFINITY), x);
    let result = where_is(b, (FloatCond::EQ, x, c(0.0)), unbounded, result);
    or_nan(b, x, result)
}

/// ln Γ of a number that is not negative.
fn lgamma_right(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let (y, before) = shifted(b, x);
    let logarithm = log(b, y);
    let below = b.fadd(y, c(-0.5));
    let tail = series(b, y);
    let tail = b.fadd(tail, c(0.5 * (2.0 * PI).ln()));
    let less_one = b.fadd(logarithm, c(-1.0));
    let tail = b.fadd(tail, c(-0.5));
    let total = b.ffma(below, less_one, tail);
    let rest = log(b, before);
    let result = b.fsub(total, rest);
    // At 1 and 2 the function is exactly zero.
    let result = where_is(b, (FloatCond::EQ, x, c(1.0)), c(0.0), result);
    where_is(b, (FloatCond::EQ, x, c(2.0)), c(0.0), result)
}

/// ln |Γ(x)| and the sign of Γ(x).
pub(in super::super) fn lgamma(b: &mut Builder<'_, '_>, x: Src) -> (Src, Src) {
    let is_left = b.fcmp(FloatCond::LT, x, c(0.0));
    let mirrored = b.fsub(c(1.0), x);
    let argument = b.select(is_left, mirrored, x);
    let right = lgamma_right(b, argument);
    let sine = sinpi(b, x);
    let size = b.fabs(sine);
    let reflected = log(b, size);
    let reflected = b.fsub(c(PI.ln()), reflected);
    let left = b.fsub(reflected, right);
    let result = b.select(is_left, left, right);
    let whole = b.floor(x);
    let is_integer = b.fcmp(FloatCond::EQ, whole, x);
    let is_low = b.fcmp(FloatCond::LE, x, c(0.0));
    let is_pole = b.and(is_integer, is_low);
    let result = b.select(is_pole, Src::imm32(INFINITY), result);
    let size = b.fabs(x);
    let result = where_is(b, (FloatCond::EQ, size, Src::imm32(INFINITY)), size, result);
    let half = b.fmul(whole, c(0.5));
    let of_half = b.floor(half);
    let is_odd = b.fcmp(FloatCond::NE, of_half, half);
    let is_negative = b.and(is_odd, is_left);
    let sign = b.select(is_negative, Src::imm32(u32::MAX), Src::imm32(1));
    let sign = b.select(is_pole, Src::imm32(1), sign);
    (or_nan(b, x, result), sign)
}
