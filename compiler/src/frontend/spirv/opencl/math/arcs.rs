//! Inverse trigonometric functions.

use std::f64::consts::{FRAC_1_PI, FRAC_PI_2, PI};

use super::{NAN, c, odd, or_nan, rest, where_is, with_sign};
use crate::ir::Arithmetic;
use crate::ir::build::alu::FloatCond;
use crate::ir::builder::Builder;
use crate::ir::src::Src;

/// (atan x − x) / x³ for x² up to 1.
const ATAN: [f64; 9] = [
    -0.00179363521888,
    0.0109146637979,
    -0.0311779494648,
    0.0579576930933,
    -0.0840345589933,
    0.109521876146,
    -0.142642420261,
    0.199985483182,
    -0.333332990906,
];

/// (asin x − x) / x³ for x² up to ¼.
const ASIN: [f64; 6] =
    [0.037806361521, 0.0143350533122, 0.0317995069099, 0.0445236160968, 0.0750042908389, 0.166666622198];

/// The number minus `x`.
fn from(b: &mut Builder<'_, '_>, number: f64, x: Src) -> Src {
    let near = b.fsub(rest(number), x);
    b.fadd(c(number), near)
}

/// The arc tangent of a quotient of at most 1.
fn flat(b: &mut Builder<'_, '_>, quotient: Src) -> Src {
    let z = b.fmul(quotient, quotient);
    odd(b, quotient, z, &ATAN)
}

pub(in super::super) fn atan(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let magnitude = b.fabs(x);
    let is_steep = b.fcmp(FloatCond::GT, magnitude, c(1.0));
    let reciprocal = b.fdiv(c(1.0), magnitude);
    let quotient = b.select(is_steep, reciprocal, magnitude);
    let angle = flat(b, quotient);
    let steep = from(b, FRAC_PI_2, angle);
    let angle = b.select(is_steep, steep, angle);
    let result = with_sign(b, angle, x);
    or_nan(b, x, result)
}

pub(in super::super) fn atan2(b: &mut Builder<'_, '_>, y: Src, x: Src) -> Src {
    let (across, up) = (b.fabs(x), b.fabs(y));
    let is_steep = b.fcmp(FloatCond::GT, up, across);
    let large = b.select(is_steep, up, across);
    let small = b.select(is_steep, across, up);
    // A reciprocal of more than 2^126 would be denormal.
    let scale = where_is(b, (FloatCond::GT, large, c(1.0e30)), c(2f64.powi(-40)), c(1.0));
    let (dividend, divisor) = (b.fmul(small, scale), b.fmul(large, scale));
    let quotient = b.fdiv(dividend, divisor);
    let quotient = where_is(b, (FloatCond::EQ, large, small), c(1.0), quotient);
    let quotient = where_is(b, (FloatCond::EQ, large, c(0.0)), c(0.0), quotient);
    let angle = flat(b, quotient);
    let steep = from(b, FRAC_PI_2, angle);
    let angle = b.select(is_steep, steep, angle);
    let left = from(b, PI, angle);
    let is_left = b.is_negative(x);
    let angle = b.select(is_left, left, angle);
    let result = with_sign(b, angle, y);
    let result = or_nan(b, x, result);
    or_nan(b, y, result)
}

/// Whether |x| is above ½, and asin of |x| or of √((1 − |x|)/2).
fn reduced(b: &mut Builder<'_, '_>, x: Src) -> (Src, Src) {
    let magnitude = b.fabs(x);
    let is_large = b.fcmp(FloatCond::GT, magnitude, c(0.5));
    let square = b.fmul(x, x);
    let half_rest = b.ffma(magnitude, c(-0.5), c(0.5));
    let z = b.select(is_large, half_rest, square);
    let root = b.fsqrt(half_rest);
    let t = b.select(is_large, root, magnitude);
    (is_large, odd(b, t, z, &ASIN))
}

/// NaN unless |x| is at most 1.
fn if_inside(b: &mut Builder<'_, '_>, x: Src, result: Src) -> Src {
    let magnitude = b.fabs(x);
    let is_inside = b.fcmp(FloatCond::LE, magnitude, c(1.0));
    b.select(is_inside, result, Src::imm32(NAN))
}

/// π/2 − 2·asin √((1 − x)/2) above ½.
pub(in super::super) fn asin(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let (is_large, core) = reduced(b, x);
    let double = b.fadd(core, core);
    let reflected = from(b, FRAC_PI_2, double);
    let result = b.select(is_large, reflected, core);
    let result = with_sign(b, result, x);
    if_inside(b, x, result)
}

/// 2·asin √((1 − x)/2) above ½, π minus that of −x below −½, and π/2 − asin x in between.
pub(in super::super) fn acos(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let (is_large, core) = reduced(b, x);
    let double = b.fadd(core, core);
    let left = from(b, PI, double);
    let large = where_is(b, (FloatCond::LT, x, c(0.0)), left, double);
    let signed = with_sign(b, core, x);
    let small = from(b, FRAC_PI_2, signed);
    let result = b.select(is_large, large, small);
    if_inside(b, x, result)
}

/// An angle in half turns.
pub(in super::super) fn half_turns(b: &mut Builder<'_, '_>, angle: Src) -> Src {
    let low = b.fmul(angle, rest(FRAC_1_PI));
    b.ffma(angle, c(FRAC_1_PI), low)
}
