//! Conversions between 64-bit floats, other floats and integers.

use agx_isa::table::Opcode;

use super::emit::{BIAS, Emit, INFINITY, SIGN, q, w};
use crate::ir::{Arithmetic, IrOp, Src};

/// Difference of the biased exponents of a number in 64 bits and in 32 bits.
const REBIAS: u64 = ((BIAS - 127) as u64) << 52;
/// Fraction bits that 32-bit floats lack.
const EXCESS: u32 = 29;

/// Converts a float of 16 or 32 bits to 64 bits. 32-bit denormals are flushed to zero, as everywhere on the
/// hardware.
pub(super) fn widen(e: &mut Emit<'_, '_, '_>, a: Src) -> Src {
    let word = if e.0.f.width(a) == 32 { a } else { e.op(IrOp::Fconv, 32, &[a]) };
    let sign = e.wand(word, w(SIGN));
    let magnitude = e.wand(word, w(!SIGN));
    let wide = e.widen(magnitude);
    let wide = e.qshl(wide, w(EXCESS));
    let exponent = e.wshr(magnitude, 23);
    let (is_tiny, is_special) = (e.equal(exponent, w(0)), e.equal(exponent, w(0xff)));
    let rebias = e.select(is_special, q(2 * REBIAS), q(REBIAS));
    let result = e.qadd(wide, rebias);
    let result = e.select(is_tiny, q(0), result);
    e.signed(result, sign)
}

/// Converts a 64-bit float to 16 or 32 bits. Results that are denormal in 32 bits are flushed to zero.
pub(super) fn narrow(e: &mut Emit<'_, '_, '_>, a: Src, bits: u8) -> Src {
    let sign = e.sign(a);
    let magnitude = e.magnitude(a);
    let word = if bits == 32 { to_nearest(e, magnitude) } else { to_odd(e, magnitude) };
    let is_large = e.at_least(magnitude, q(REBIAS + (255 << 52)));
    let word = e.select(is_large, w(0xff << 23), word);
    let is_nan = e.is_nan(magnitude);
    let word = e.select(is_nan, w(0x1ff << 22), word);
    // The sign of a NaN is insignificant.
    let sign = e.select(is_nan, w(0), sign);
    let word = e.wor(word, sign);
    if bits == 32 { word } else { e.op(IrOp::Fconv, 16, &[word]) }
}

/// The 32-bit magnitude nearest to a 64-bit one that is within range.
fn to_nearest(e: &mut Emit<'_, '_, '_>, magnitude: Src) -> Src {
    let rebased = e.qsub(magnitude, q(REBIAS));
    let odd = e.qshr(rebased, w(EXCESS));
    let odd = e.qand(odd, q(1));
    let half = e.qadd(odd, q((1 << (EXCESS - 1)) - 1));
    let rounded = e.qadd(rebased, half);
    let rounded = e.qshr(rounded, w(EXCESS));
    let [word, _] = e.words(rounded);
    // Numbers that round to a denormal are flushed to zero, those that round to the smallest normal number
    // are not.
    let is_tiny = e.below(magnitude, q(REBIAS + (1 << 52)));
    let word = e.select(is_tiny, w(1 << 23), word);
    let least = REBIAS + (1 << 52) - (1 << EXCESS);
    let vanishes = e.below(magnitude, q(least));
    e.select(vanishes, w(0), word)
}

/// Truncates a magnitude to 32 bits and sets the last bit if inexact (round to odd), so that rounding again
/// is correct.
fn to_odd(e: &mut Emit<'_, '_, '_>, magnitude: Src) -> Src {
    let rebased = e.qsub(magnitude, q(REBIAS));
    let cut = e.sticky_shift(rebased, w(EXCESS));
    let [word, _] = e.words(cut);
    let is_tiny = e.below(magnitude, q(REBIAS + (1 << 52)));
    e.select(is_tiny, w(0), word)
}

/// The magnitude and sign of an integer in 64 bits.
fn split_sign(e: &mut Emit<'_, '_, '_>, a: Src, is_signed: bool) -> (Src, Src) {
    let wide = match e.0.f.width(a) {
        64 => a,
        _ => e.op(if is_signed { IrOp::Sconv } else { IrOp::Uconv }, 64, &[a]),
    };
    if !is_signed {
        return (wide, w(0));
    }
    let sign = e.sign(wide);
    let negative = e.differ(sign, w(0));
    let negated = e.qsub(q(0), wide);
    (e.select(negative, negated, wide), sign)
}

/// Converts an integer to a float of `bits`, ties to even.
pub(super) fn from_integer(e: &mut Emit<'_, '_, '_>, a: Src, is_signed: bool, bits: u8) -> Src {
    let (magnitude, sign) = split_sign(e, a, is_signed);
    if bits == 64 {
        let rounded = e.normalize_and_round(magnitude, w(BIAS + 61));
        let is_zero = e.is_zero(magnitude);
        let result = e.select(is_zero, q(0), rounded);
        return e.signed(result, sign);
    }
    let [low, high] = e.words(magnitude);
    if bits == 16 {
        // Integers beyond a word also exceed half floats.
        let is_word = e.equal(high, w(0));
        let word = e.select(is_word, low, w(u32::MAX));
        let number = e.op(Opcode::U32ToF, 16, &[word]);
        let sign = e.wshr(sign, 16);
        let sign = e.op(IrOp::Uconv, 16, &[sign]);
        return e.0.or(number, sign);
    }
    // The upper 32 digits, the last of which is sticky, and the power of two that was divided out.
    let top = e.top_bit(magnitude);
    let by = e.wsub(top, w(31));
    let by = e.wmax(by, w(0));
    let moved = e.sticky_shift(magnitude, by);
    let [word, _] = e.words(moved);
    let number = e.op(Opcode::U32ToF, 32, &[word]);
    let exponent = e.wadd(by, w(127));
    let power = e.wshl(exponent, 23);
    let scaled = e.op(Opcode::Fmul, 32, &[number, power]);
    e.wor(scaled, sign)
}

/// Converts a float to an integer of `bits`, rounding toward zero.
pub(super) fn to_integer(e: &mut Emit<'_, '_, '_>, a: Src, is_signed: bool, bits: u8) -> Src {
    let a = if e.0.f.width(a) == 64 { a } else { widen(e, a) };
    let (sign, magnitude) = (e.sign(a), e.magnitude(a));
    let number = e.unpack(magnitude);
    let digits = e.qshl(number.mantissa, w(11));
    let by = e.wsub(w(BIAS + 63), number.exponent);
    let by = e.wmax(by, w(0));
    let by = e.wmin(by, w(64));
    let whole = e.qshr(digits, by);
    let result = if is_signed {
        let negative = e.differ(sign, w(0));
        let negated = e.qsub(q(0), whole);
        e.select(negative, negated, whole)
    } else {
        whole
    };
    if bits == 64 { result } else { e.op(IrOp::Uconv, bits, &[result]) }
}

/// Rounds `a` to an integral float. `round`: 0 toward zero, 1 nearest with ties to even, 2 down, 3 up.
pub(super) fn round_integral(e: &mut Emit<'_, '_, '_>, a: Src, round: u32) -> Src {
    let (sign, magnitude) = (e.sign(a), e.magnitude(a));
    let exponent = e.exponent(magnitude);
    let is_small = e.below(exponent, w(BIAS));
    let places = e.wsub(w(BIAS + 52), exponent);
    let places = e.wmin(places, w(52));
    // Bits of the fraction below the binary point.
    let unit = e.qshl(q(1), places);
    let fraction = e.qsub(unit, q(1));
    let whole = e.qnot(fraction);
    let cut = e.qand(magnitude, whole);
    let one = q(u64::from(BIAS) << 52);
    let result = match round {
        0 => e.select(is_small, q(0), cut),
        1 => {
            let odd = e.qshr(magnitude, places);
            let odd = e.qand(odd, q(1));
            let half = e.qshr(fraction, w(1));
            let half = e.qadd(half, odd);
            let nearest = e.qadd(magnitude, half);
            let nearest = e.qand(nearest, whole);
            let is_above_half = e.below(q(u64::from(BIAS - 1) << 52), magnitude);
            let small = e.select(is_above_half, one, q(0));
            e.select(is_small, small, nearest)
        }
        _ => {
            let away = e.qadd(magnitude, fraction);
            let away = e.qand(away, whole);
            let is_zero = e.is_zero(magnitude);
            let small = e.select(is_zero, q(0), one);
            let away = e.select(is_small, small, away);
            let toward = e.select(is_small, q(0), cut);
            let is_negative = e.differ(sign, w(0));
            let (negative, positive) = if round == 2 { (away, toward) } else { (toward, away) };
            e.select(is_negative, negative, positive)
        }
    };
    let result = e.signed(result, sign);
    // From 2^52 on there is no fraction; this includes infinities and NaNs.
    let is_integral = e.at_least(exponent, w(BIAS + 52));
    let kept = canonical(e, a, magnitude);
    e.select(is_integral, kept, result)
}

/// `a`, with NaNs replaced by the canonical one.
fn canonical(e: &mut Emit<'_, '_, '_>, a: Src, magnitude: Src) -> Src {
    let is_nan = e.below(q(INFINITY), magnitude);
    e.select(is_nan, q(super::emit::NAN), a)
}
