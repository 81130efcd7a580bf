//! Floating point.
//!
//! 32-bit operations: 32-bit sources flush denormals, 16-bit sources widen exactly, the fused result is
//! rounded to nearest even, flushed according to its exponent before rounding, and for a 16-bit destination
//! rounded a second time. 16-bit operations preserve denormals and round once. NaN results are canonical.
//! Saturation maps NaN to 0.
//!
//! Special functions are computed in double precision and rounded, which is correct rounding except in the
//! rarest cases; no source specifies the hardware's accuracy.

use super::rounding::{Direction, flush32, fused_to_odd, round16, round32, widen16, widen32};
use super::{PureArgs, Source};
use crate::inst::OperandFlags;

/// A float source as a double, with denormals of 32-bit sources flushed and modifiers applied.
#[inline]
pub fn read(source: Source) -> f64 {
    let value = if source.width <= 16 { widen16(source.bits) } else { widen32(source.bits) };
    modified(value, source.flags)
}

fn modified(value: f64, flags: OperandFlags) -> f64 {
    let value = if flags.contains(OperandFlags::ABS) { value.abs() } else { value };
    if flags.contains(OperandFlags::NEG) { -value } else { value }
}

fn saturated(value: f64) -> f64 {
    // NaN fails the comparison and gives 0; so does -0.
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}

/// Finishes a 32-bit operation from its single-precision result.
fn finish32(args: &PureArgs<'_>, single: u64, saturate: u32) -> u64 {
    let single = if saturate != 0 {
        round32(saturated(f64::from(f32::from_bits(single as u32))), Direction::NearestEven)
    } else {
        single
    };
    if args.dst_width <= 16 {
        round16(f64::from(f32::from_bits(single as u32)), Direction::NearestEven)
    } else {
        single
    }
}

/// Finishes a 16-bit operation from its exact or rounded-to-odd result.
fn finish16(args: &PureArgs<'_>, exact: f64, saturate: u32) -> u64 {
    let narrow = |value| {
        if args.dst_width <= 16 {
            round16(value, Direction::NearestEven)
        } else {
            round32(value, Direction::NearestEven)
        }
    };
    if saturate != 0 { narrow(saturated(exact)) } else { narrow(exact) }
}

/// `a * b + c` in single precision, with the result flushed according to its exponent before rounding.
fn fused(a: f64, b: f64, c: f64) -> u64 {
    let result = (a as f32).mul_add(b as f32, c as f32);
    if result.is_nan() {
        return super::rounding::NAN32;
    }
    let bits = flush32(result.to_bits());
    if result.abs() == f32::MIN_POSITIVE {
        // Was it rounded up into the normal range, or is it exact? Near the bottom every term is exact in a
        // double.
        let excess = a.mul_add(b, c - f64::from(result));
        if excess != 0.0 && (excess < 0.0) == (result > 0.0) {
            return u64::from(bits & 0x8000_0000);
        }
    }
    bits.into()
}

/// 32-bit fused multiply-add.
#[inline]
pub fn ffma(args: &PureArgs<'_>) -> u64 {
    let [a, b, c] = [0, 1, 2].map(|i| read(args.source(i)));
    finish32(args, fused(a, b, c), args.modifier(0))
}

/// 32-bit addition.
#[inline]
pub fn fadd(args: &PureArgs<'_>) -> u64 {
    let [a, b] = [0, 1].map(|i| read(args.source(i)));
    finish32(args, fused(a, 1.0, b), args.modifier(0))
}

/// 32-bit multiplication.
#[inline]
pub fn fmul(args: &PureArgs<'_>) -> u64 {
    let [a, b] = [0, 1].map(|i| read(args.source(i)));
    finish32(args, fused(a, b, 0.0), args.modifier(0))
}

/// 16-bit fused multiply-add.
pub fn hfma(args: &PureArgs<'_>) -> u64 {
    let [a, b, c] = [0, 1, 2].map(|i| read(args.source(i)));
    finish16(args, fused_to_odd(a, b, c), args.modifier(0))
}

/// 16-bit addition.
pub fn hadd(args: &PureArgs<'_>) -> u64 {
    let [a, b] = [0, 1].map(|i| read(args.source(i)));
    finish16(args, a + b, args.modifier(0))
}

/// 16-bit multiplication; a zero product is +0.
pub fn hmul(args: &PureArgs<'_>) -> u64 {
    let [a, b] = [0, 1].map(|i| read(args.source(i)));
    finish16(args, a * b + 0.0, args.modifier(0))
}

fn unary(args: &PureArgs<'_>, function: impl Fn(f64) -> f64) -> u64 {
    let single = round32(function(read(args.source(0))), Direction::NearestEven);
    finish32(args, single, args.modifier(0))
}

/// Rounds toward minus infinity.
pub fn floor(args: &PureArgs<'_>) -> u64 {
    unary(args, libm::floor)
}

/// Rounds toward plus infinity.
pub fn ceil(args: &PureArgs<'_>) -> u64 {
    unary(args, libm::ceil)
}

/// Rounds toward zero.
pub fn trunc(args: &PureArgs<'_>) -> u64 {
    unary(args, libm::trunc)
}

/// Rounds to the nearest integer, ties to even.
pub fn rint(args: &PureArgs<'_>) -> u64 {
    unary(args, libm::rint)
}

/// Reciprocal.
pub fn rcp(args: &PureArgs<'_>) -> u64 {
    unary(args, |x| 1.0 / x)
}

/// Reciprocal square root.
pub fn rsqrt(args: &PureArgs<'_>) -> u64 {
    unary(args, |x| 1.0 / libm::sqrt(x))
}

/// Reciprocal square root whose product with its argument is the square root: 1 for zero and infinity, for
/// which the product with the exact value would be NaN.
pub fn rsqrts(args: &PureArgs<'_>) -> u64 {
    unary(args, |x| if x == 0.0 || x == f64::INFINITY { 1.0 } else { 1.0 / libm::sqrt(x) })
}

/// Binary logarithm.
pub fn log2(args: &PureArgs<'_>) -> u64 {
    unary(args, libm::log2)
}

/// Power of two.
pub fn exp2(args: &PureArgs<'_>) -> u64 {
    unary(args, libm::exp2)
}

/// Folds an angle in quarter turns into the range of one quarter turn on either side of zero with the same
/// sine.
pub fn sinr(args: &PureArgs<'_>) -> u64 {
    unary(args, |turns| {
        let quarter = turns - 4.0 * libm::floor(turns / 4.0);
        match quarter {
            q if q < 1.0 => q,
            q if q < 3.0 => 2.0 - q,
            q => q - 4.0,
        }
    })
}

/// Sine of a quarter-turn angle divided by that angle.
pub fn sinc(args: &PureArgs<'_>) -> u64 {
    const QUARTER: f64 = std::f64::consts::FRAC_PI_2;
    unary(args, |f| if f == 0.0 { QUARTER } else { libm::sin(QUARTER * f) / f })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics::PureFn;

    fn single(value: f32) -> Source {
        Source { bits: value.to_bits().into(), width: 32, flags: OperandFlags::empty() }
    }

    fn run(op: PureFn, sources: &[f32], sat: u32) -> f32 {
        let sources: Vec<Source> = sources.iter().map(|&value| single(value)).collect();
        f32::from_bits(op(&PureArgs { dst_width: 32, sources: &sources, mods: &[sat] }) as u32)
    }

    #[test]
    fn denormals_are_flushed_before_and_after() {
        assert_eq!(run(fadd, &[1e-40, 0.0], 0), 0.0);
        assert_eq!(run(fmul, &[1e-20, 1e-20], 0), 0.0);
        assert!(run(ffma, &[-1e-20, 1e-20, -0.0], 0).is_sign_negative());
        // Just below the normal range, and rounds up into it: the exponent before rounding decides.
        let below = f32::from_bits(0x3f7f_ffff);
        assert_eq!(run(fmul, &[f32::MIN_POSITIVE, below], 0), 0.0);
        assert_eq!(f32::MIN_POSITIVE * below, f32::MIN_POSITIVE);
    }

    #[test]
    fn saturation() {
        for (value, result) in [(2.0, 1.0), (-3.0, 0.0), (f32::NAN, 0.0), (0.25, 0.25), (-0.0, 0.0)] {
            assert_eq!(run(fadd, &[value, -0.0], 1).to_bits(), f32::to_bits(result), "{value}");
        }
    }

    #[test]
    fn narrow_destinations_round_twice() {
        // 1 + 2^-11 + 2^-30: single precision drops the last bit, then the tie goes to even.
        let sources = [single(1.0 + 1.0 / 2048.0), single(1.0 / (1 << 30) as f32)];
        let twice = fadd(&PureArgs { dst_width: 16, sources: &sources, mods: &[0] });
        assert_eq!(twice, 0x3c00);
    }

    #[test]
    fn special_functions() {
        let half_turn = [0.0f32, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5];
        for turns in half_turn {
            let folded = run(sinr, &[turns], 0);
            let sine = folded * run(sinc, &[folded], 0);
            assert!((sine - (turns * std::f32::consts::FRAC_PI_2).sin()).abs() < 1e-6, "{turns}");
        }
        for x in [0.0, -0.0, 2.0, 1e30, f32::INFINITY] {
            assert_eq!(run(rsqrts, &[x], 0) * x, x.sqrt(), "{x}");
        }
        assert_eq!(run(rcp, &[3.0], 0), 1.0 / 3.0);
        assert_eq!(run(rcp, &[-0.0], 0), f32::NEG_INFINITY);
        assert_eq!(run(log2, &[8.0], 0), 3.0);
        assert_eq!(run(exp2, &[-3.0], 0), 0.125);
        assert!(run(rsqrt, &[-1.0], 0).is_nan());
    }
}
