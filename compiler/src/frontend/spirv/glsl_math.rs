//! Elementary functions with the precision that Vulkan requires, built from the hardware's functions
//! (reciprocal, square root, binary logarithm and power of two, each within one or two ULP) and the IR's sine
//! and cosine.
//! The functions that [`single`] wraps are computed in 32 bits regardless of the width of their operands: the
//! hardware converts half floats while reading and writing registers.
//! Functions named in [`single`] are computed in 32 bits whatever the width of their operands is: the hardware converts
//! half floats while it reads and writes registers.

use std::f64::consts::{FRAC_PI_2, LN_2, LOG2_E, PI};

use crate::ir::Arithmetic;
use crate::ir::build::alu::{FloatCond, IntCond, float};
use crate::ir::builder::Builder;
use crate::ir::src::Src;

/// Computes a function of one operand in 32 bits.
pub(super) fn single(b: &mut Builder<'_, '_>, x: Src, function: fn(&mut Builder<'_, '_>, Src) -> Src) -> Src {
    let bits = b.f.width(x);
    let wide = b.fconv(x, 32);
    let result = function(b, wide);
    b.fconv(result, bits)
}

/// Computes a function of two operands in 32 bits.
pub(super) fn single2(
    b: &mut Builder<'_, '_>,
    x: Src,
    y: Src,
    function: fn(&mut Builder<'_, '_>, Src, Src) -> Src,
) -> Src {
    let bits = b.f.width(x);
    let (wide_x, wide_y) = (b.fconv(x, 32), b.fconv(y, 32));
    let result = function(b, wide_x, wide_y);
    b.fconv(result, bits)
}

fn c(number: f64) -> Src {
    Src::f32(number as f32)
}

/// The polynomial with these coefficients, highest power first.
fn polynomial(b: &mut Builder<'_, '_>, x: Src, coefficients: &[f64]) -> Src {
    let Some((first, rest)) = coefficients.split_first() else { return c(0.0) };
    let mut sum = c(*first);
    for coefficient in rest {
        sum = b.ffma(sum, x, c(*coefficient));
    }
    sum
}

/// e^x as 2^(x·log₂e): the rounding of the product costs |x|/2 ULP, of the 3 + 2|x| allowed.
pub(super) fn exp(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let scaled = b.fmul(x, c(LOG2_E));
    b.exp2(scaled)
}

/// Natural logarithm from the binary one.
pub(super) fn log(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let binary = b.log2(x);
    b.fmul(binary, c(LN_2))
}

/// x^y as 2^(y·log₂x), which satisfies the required precision.
pub(super) fn pow(b: &mut Builder<'_, '_>, x: Src, y: Src) -> Src {
    let binary = b.log2(x);
    let scaled = b.fmul(binary, y);
    b.exp2(scaled)
}

pub(super) fn tan(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let (sine, cosine) = (b.fsin(x), b.fcos(x));
    b.fdiv(sine, cosine)
}

/// (eˣ − e⁻ˣ) / 2; below ½, where the difference loses relative precision, x + x³·(1/3! + x²/5! + x⁴/7!).
pub(super) fn sinh(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let (grow, shrink) = exponentials(b, x);
    let large = b.fsub(grow, shrink);
    let square = b.fmul(x, x);
    let tail = polynomial(b, square, &[1.0 / 5040.0, 1.0 / 120.0, 1.0 / 6.0]);
    let tail = b.fmul(tail, square);
    let small = b.ffma(tail, x, x);
    let magnitude = b.fabs(x);
    let is_small = b.fcmp(FloatCond::LT, magnitude, c(0.5));
    b.select(is_small, small, large)
}

/// (eˣ + e⁻ˣ) / 2.
pub(super) fn cosh(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let (grow, shrink) = exponentials(b, x);
    b.fadd(grow, shrink)
}

/// eˣ / 2 and e⁻ˣ / 2, halved in the exponent so that the largest results do not overflow in between.
fn exponentials(b: &mut Builder<'_, '_>, x: Src) -> (Src, Src) {
    let up = b.ffma(x, c(LOG2_E), c(-1.0));
    let down = b.ffma(x, c(-LOG2_E), c(-1.0));
    (b.exp2(up), b.exp2(down))
}

/// 1 − 2 / (e²ˣ + 1): for large x the quotient vanishes; for small x (below 2⁻⁵) the series x − x³/3
/// preserves the relative precision that the difference loses.
pub(super) fn tanh(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let scaled = b.fmul(x, c(2.0 * LOG2_E));
    let power = b.exp2(scaled);
    let denominator = b.fadd(power, c(1.0));
    let quotient = b.fdiv(c(2.0), denominator);
    let large = b.fsub(c(1.0), quotient);
    let square = b.fmul(x, x);
    let correction = b.ffma(square, c(-1.0 / 3.0), c(1.0));
    let small = b.fmul(x, correction);
    let magnitude = b.fabs(x);
    let is_small = b.fcmp(FloatCond::LT, magnitude, c(0.031_25));
    b.select(is_small, small, large)
}

/// ln(|x| + √(x² + 1)) with the sign of x.
pub(super) fn asinh(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let magnitude = b.fabs(x);
    let square = b.ffma(x, x, c(1.0));
    let root = b.fsqrt(square);
    let sum = b.fadd(magnitude, root);
    let result = log(b, sum);
    with_sign(b, result, x)
}

/// ln(x + √((x + 1)(x − 1))).
pub(super) fn acosh(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let (above, below) = (b.fadd(x, c(1.0)), b.fadd(x, c(-1.0)));
    let product = b.fmul(above, below);
    let root = b.fsqrt(product);
    let sum = b.fadd(x, root);
    log(b, sum)
}

/// ln((1 + x) / (1 − x)) / 2.
pub(super) fn atanh(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let (above, below) = (b.fadd(x, c(1.0)), b.fsub(c(1.0), x));
    let quotient = b.fdiv(above, below);
    let binary = b.log2(quotient);
    b.fmul(binary, c(LN_2 / 2.0))
}

/// `magnitude`, which is non-negative, with the sign of `sign`.
fn with_sign(b: &mut Builder<'_, '_>, magnitude: Src, sign: Src) -> Src {
    let sign = b.and(sign, Src::imm32(0x8000_0000));
    b.or(magnitude, sign)
}

/// Arc sine on 0…½: asin t = t + t·z·P(z), z = t² (coefficients of Cephes' asinf, relative error 2.5e-7).
fn asin_core(b: &mut Builder<'_, '_>, t: Src, z: Src) -> Src {
    let tail = polynomial(
        b,
        z,
        &[4.216_319_904_8e-2, 2.418_131_104_9e-2, 4.547_002_599_8e-2, 7.495_300_268_6e-2, 1.666_675_242_2e-1],
    );
    let tail = b.fmul(tail, z);
    b.ffma(tail, t, t)
}

/// The common part of arc sine and arc cosine: whether |x| > ½, and asin of |x| or of √((1 − |x|)/2).
fn asin_reduced(b: &mut Builder<'_, '_>, x: Src) -> (Src, Src) {
    let magnitude = b.fabs(x);
    let is_large = b.fcmp(FloatCond::GT, magnitude, c(0.5));
    let square = b.fmul(x, x);
    let half_rest = b.ffma(magnitude, c(-0.5), c(0.5));
    let z = b.select(is_large, half_rest, square);
    let root = b.fsqrt(half_rest);
    let t = b.select(is_large, root, magnitude);
    (is_large, asin_core(b, t, z))
}

/// asin x = π/2 − 2·asin √((1 − x)/2) above ½.
pub(super) fn asin(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let (is_large, core) = asin_reduced(b, x);
    let reflected = b.ffma(core, c(-2.0), c(FRAC_PI_2));
    let result = b.select(is_large, reflected, core);
    with_sign(b, result, x)
}

/// acos x = 2·asin √((1 − x)/2) above ½, π minus that of −x below −½, and π/2 − asin x in between.
pub(super) fn acos(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let (is_large, core) = asin_reduced(b, x);
    let is_negative = b.fcmp(FloatCond::LT, x, c(0.0));
    let double = b.fadd(core, core);
    let from_pi = b.fsub(c(PI), double);
    let large = b.select(is_negative, from_pi, double);
    let signed = with_sign(b, core, x);
    let small = b.fsub(c(FRAC_PI_2), signed);
    b.select(is_large, large, small)
}

/// Arc tangent on 0…1: q + q·z·P(z), z = q² (P has the least greatest relative error, 1.1e-7).
fn atan_core(b: &mut Builder<'_, '_>, q: Src) -> Src {
    let z = b.fmul(q, q);
    let tail = polynomial(
        b,
        z,
        &[
            -4.822_533_942_6e-3,
            2.473_406_222_8e-2,
            -6.020_312_860_7e-2,
            9.968_472_991_9e-2,
            -1.404_132_772_67e-1,
            1.997_421_408_53e-1,
            -3.333_239_159_58e-1,
        ],
    );
    let tail = b.fmul(tail, z);
    b.ffma(tail, q, q)
}

/// Arc tangent, computed for the argument or for its reciprocal.
pub(super) fn atan(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let magnitude = b.fabs(x);
    let is_steep = b.fcmp(FloatCond::GT, magnitude, c(1.0));
    let reciprocal = b.fdiv(c(1.0), magnitude);
    let quotient = b.select(is_steep, reciprocal, magnitude);
    let angle = atan_core(b, quotient);
    let rest = b.fsub(c(FRAC_PI_2), angle);
    let result = b.select(is_steep, rest, angle);
    with_sign(b, result, x)
}

/// The angle of the point (x, y): that of (max, min) of the magnitudes, reflected into the point's octant.
pub(super) fn atan2(b: &mut Builder<'_, '_>, y: Src, x: Src) -> Src {
    let (across, up) = (b.fabs(x), b.fabs(y));
    let is_steep = b.fcmp(FloatCond::GT, up, across);
    let large = b.select(is_steep, up, across);
    let small = b.select(is_steep, across, up);
    let quotient = quotient_of_sizes(b, small, large);
    let angle = atan_core(b, quotient);
    let steep = b.fsub(c(FRAC_PI_2), angle);
    let angle = b.select(is_steep, steep, angle);
    let is_left = b.icmp(IntCond::SLT, x, Src::imm32(0));
    let left = b.fsub(c(PI), angle);
    let angle = b.select(is_left, left, angle);
    with_sign(b, angle, y)
}

/// The quotient of two numbers, 0 ≤ small ≤ large; 0 if both are zero. Numbers so large that a reciprocal would be
/// denormal are scaled down first. If infinities and NaNs are significant, the quotient of two infinities is 1.
fn quotient_of_sizes(b: &mut Builder<'_, '_>, small: Src, large: Src) -> Src {
    let is_huge = b.fcmp(FloatCond::GT, large, c(1.0e30));
    let scale = b.select(is_huge, c(2.0f64.powi(-40)), c(1.0));
    let (scaled, divisor) = (b.fmul(small, scale), b.fmul(large, scale));
    let quotient = b.fdiv(scaled, divisor);
    if !b.f.special_values {
        // Saturation makes 0 of NaN.
        return b.fsat(quotient);
    }
    let is_equal = b.fcmp(FloatCond::EQ, large, small);
    let quotient = b.select(is_equal, c(1.0), quotient);
    // The sum is NaN if one of the numbers is.
    let sum = b.fadd(large, small);
    let is_zero = b.fcmp(FloatCond::EQ, sum, c(0.0));
    b.select(is_zero, c(0.0), quotient)
}

/// The sign of a number as a number: a zero for a zero, and 0 for NaN if infinities and NaNs are significant.
pub(super) fn sign(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let bits = b.f.width(x);
    let zero = float(0.0, bits);
    let is_positive = b.fcmp(FloatCond::GT, x, zero);
    let is_negative = b.fcmp(FloatCond::LT, x, zero);
    let neither = match b.f.special_values {
        true => {
            let is_zero = b.fcmp(FloatCond::EQ, x, zero);
            b.select(is_zero, x, zero)
        }
        false => x,
    };
    let below = b.select(is_negative, float(-1.0, bits), neither);
    b.select(is_positive, float(1.0, bits), below)
}

/// The fraction of a number, and its whole part. The fraction of an integer or infinity is a zero with its sign, if these values
/// are significant.
pub(super) fn modf(b: &mut Builder<'_, '_>, x: Src) -> (Src, Src) {
    let whole = b.trunc(x);
    let fraction = b.fsub(x, whole);
    if !b.f.signed_zeros && !b.f.special_values {
        return (fraction, whole);
    }
    let bits = b.f.width(x);
    let zero = b.and(x, float(-0.0, bits));
    let is_whole = b.fcmp(FloatCond::EQ, x, whole);
    (b.select(is_whole, zero, fraction), whole)
}

/// t²·(3 − 2t) of the clamped position of x between the edges.
pub(super) fn smooth_step(b: &mut Builder<'_, '_>, low: Src, high: Src, x: Src) -> Src {
    let bits = b.f.width(x);
    let (above, span) = (b.fsub(x, low), b.fsub(high, low));
    let quotient = b.fdiv(above, span);
    let t = b.fsat(quotient);
    let falling = b.ffma(t, float(-2.0, bits), float(3.0, bits));
    let square = b.fmul(t, t);
    b.fmul(square, falling)
}

/// 2 to the power of an integer within the exponents of normal floats of `bits` bits.
fn power_of_two(b: &mut Builder<'_, '_>, exponent: Src, bits: u8) -> Src {
    if bits == 64 {
        let biased = b.iadd(exponent, Src::imm32(1023));
        let high = b.shl(biased, Src::imm32(20));
        return super::arith::join(b, Src::imm32(0), high);
    }
    let biased = b.iadd(exponent, Src::imm32(127));
    b.shl(biased, Src::imm32(23))
}

/// x·2ᵉ by three factors, so that every normal result is computed without overflow or underflow in between. One suffices
/// for half floats, which are computed in 32 bits.
pub(super) fn ldexp(b: &mut Builder<'_, '_>, x: Src, exponent: Src) -> Src {
    let exponent = if b.f.width(exponent) == 64 {
        let capped = b.imin(exponent, Src::imm(1 << 20, 64));
        b.imax(capped, Src::imm((-1i64 << 20) as u64, 64))
    } else {
        exponent
    };
    let mut rest = b.sconv(exponent, 32);
    let bits = b.f.width(x);
    let largest = if bits == 64 { 1023 } else { 127 };
    let (least, most) = (Src::imm32(1u32.wrapping_sub(largest)), Src::imm32(largest));
    let mut result = b.fconv(x, bits.max(32));
    for _ in 0..if bits == 16 { 1 } else { 3 } {
        let capped = b.imin(rest, most);
        let part = b.imax(capped, least);
        let factor = power_of_two(b, part, bits);
        result = b.fmul(result, factor);
        rest = b.isub(rest, part);
    }
    b.fconv(result, bits)
}

/// Fraction in ½…1 and exponent of a float; zeros (including denormals), infinities and NaN are their own
/// fraction. Half floats are converted to 32 bits, in which their denormals are normal.
pub(super) fn frexp(b: &mut Builder<'_, '_>, x: Src) -> (Src, Src) {
    let bits = b.f.width(x);
    if bits == 64 {
        return frexp_double(b, x);
    }
    let wide = b.fconv(x, 32);
    let shifted = b.ushr(wide, Src::imm32(23));
    let field = b.and(shifted, Src::imm32(0xff));
    let mantissa = b.and(wide, Src::imm32(0x807f_ffff));
    let fraction = b.or(mantissa, Src::imm32(0x3f00_0000));
    let exponent = b.isub(field, Src::imm32(126));
    let previous = b.isub(field, Src::imm32(1));
    let is_normal = b.icmp(IntCond::ULT, previous, Src::imm32(254));
    let fraction = b.select(is_normal, fraction, wide);
    let exponent = b.select(is_normal, exponent, Src::imm32(0));
    (b.fconv(fraction, bits), exponent)
}

/// The same for 64 bits, where denormals are normalised first.
fn frexp_double(b: &mut Builder<'_, '_>, x: Src) -> (Src, Src) {
    let magnitude = b.fabs(x);
    let least = float(f64::MIN_POSITIVE, 64);
    let is_denormal = b.fcmp(FloatCond::LT, magnitude, least);
    let larger = b.fmul(x, float(2f64.powi(54), 64));
    let normal = b.select(is_denormal, larger, x);
    let (low, high) = super::arith::halves(b, normal);
    let shifted = b.ushr(high, Src::imm32(20));
    let field = b.and(shifted, Src::imm32(0x7ff));
    let mantissa = b.and(high, Src::imm32(0x800f_ffff));
    let fraction = b.or(mantissa, Src::imm32(0x3fe0_0000));
    let fraction = super::arith::join(b, low, fraction);
    let bias = b.select(is_denormal, Src::imm32(1022 + 54), Src::imm32(1022));
    let exponent = b.isub(field, bias);
    let previous = b.isub(field, Src::imm32(1));
    let is_number = b.icmp(IntCond::ULT, previous, Src::imm32(0x7fe));
    let fraction = b.select(is_number, fraction, x);
    let exponent = b.select(is_number, exponent, Src::imm32(0));
    (fraction, exponent)
}
