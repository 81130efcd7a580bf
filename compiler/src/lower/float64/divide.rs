//! Quotients and roots: digits of 18 bits from a 32-bit estimate of the reciprocal that is never too large,
//! with exact remainders. The final remainder corrects the last digit and determines the rounding.

use agx_isa::table::Opcode;
use agx_isa::table::names::Rounding;

use super::emit::{BIAS, Emit, INFINITY, NAN, Normal, q, w};
use super::multiply::word_product;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{Build, IrOp, Src};

/// Bits of a digit.
const DIGIT: u32 = 18;

/// 2^k in 32-bit float bits.
const fn power(exponent: i32) -> u32 {
    ((exponent + 127) as u32) << 23
}

/// a / b.
pub(super) fn divide(e: &mut Emit<'_, '_, '_>, a: Src, b: Src) -> Src {
    let signs = [e.sign(a), e.sign(b)];
    let sign = e.wxor(signs[0], signs[1]);
    let magnitudes = [e.magnitude(a), e.magnitude(b)];
    let [x, y] = magnitudes.map(|magnitude| e.normalize(magnitude));
    let mantissa = quotient(e, x.mantissa, y.mantissa);
    let exponent = e.wsub(x.exponent, y.exponent);
    let exponent = e.wadd(exponent, w(BIAS - 1));
    let rounded = e.normalize_and_round(mantissa, exponent);
    let [a_zero, b_zero] = magnitudes.map(|magnitude| e.is_zero(magnitude));
    let [a_infinite, b_infinite] = magnitudes.map(|magnitude| e.equal(magnitude, q(INFINITY)));
    let becomes_infinite = e.either(b_zero, a_infinite);
    let becomes_zero = e.either(a_zero, b_infinite);
    let result = e.select(becomes_infinite, q(INFINITY), rounded);
    let result = e.select(becomes_zero, q(0), result);
    let result = e.signed(result, sign);
    let zeros = e.both(a_zero, b_zero);
    let infinities = e.both(a_infinite, b_infinite);
    let nans = magnitudes.map(|magnitude| e.is_nan(magnitude));
    let invalid = e.either(zeros, infinities);
    let is_nan = e.either(nans[0], nans[1]);
    let invalid = e.either(invalid, is_nan);
    e.select(invalid, q(NAN), result)
}

/// a / b · 2^62 of mantissas, with the lowest bit set if inexact.
fn quotient(e: &mut Emit<'_, '_, '_>, a: Src, b: Src) -> Src {
    let estimate = reciprocal(e, b);
    let (mut rest, mut digits) = (a, q(0));
    for _ in 0..3 {
        // The digit is at most two too small, so the remainder stays below 3 b.
        let top = e.qshr(rest, w(30));
        let [top, _] = e.words(top);
        let product = word_product(e, top, estimate);
        let digit = e.qshr(product, w(28));
        let taken = e.qmul(digit, b);
        let moved = e.qshl(rest, w(DIGIT));
        rest = e.qsub(moved, taken);
        let moved = e.qshl(digits, w(DIGIT));
        digits = e.qadd(moved, digit);
    }
    for _ in 0..2 {
        let fits = e.at_least(rest, b);
        let less = e.qsub(rest, b);
        rest = e.select(fits, less, rest);
        let one = e.bit(fits);
        digits = e.qadd(digits, one);
    }
    let inexact = e.differ(rest, q(0));
    let inexact = e.bit(inexact);
    let moved = e.qshl(digits, w(8));
    e.qor(moved, inexact)
}

/// An integer of 24 bits, at most 2^76 / b and only slightly less; b is at least 2^52 and below 2^53.
fn reciprocal(e: &mut Emit<'_, '_, '_>, b: Src) -> Src {
    let top = e.qshr(b, w(29));
    let [top, _] = e.words(top);
    let above = e.wadd(top, w(1));
    let inverse = float_function(e, Opcode::Rcp, above, power(47));
    // The reciprocal may be too large by a unit in the last place, and its source too.
    e.wsub(inverse, w(3))
}

/// Applies a function to a word below 2^25, times a power of two, in 32-bit float arithmetic, and truncates
/// to an integer.
fn float_function(e: &mut Emit<'_, '_, '_>, function: Opcode, word: Src, scale: u32) -> Src {
    let number = e.op(Opcode::U32ToF, 32, &[word]);
    let result = e.op(function, 32, &[number]);
    let scaled = e.op(Opcode::Fmul, 32, &[result, w(scale)]);
    e.0.alu(Opcode::FToU32, 32, &[scaled], &mods(Opcode::FToU32).with(key::ROUND, Rounding::TOWARD_ZERO))
}

/// √a.
pub(super) fn square_root(e: &mut Emit<'_, '_, '_>, a: Src) -> Src {
    let (sign, magnitude) = (e.sign(a), e.magnitude(a));
    let Normal { mantissa, exponent } = e.normalize(magnitude);
    // The bias is odd: for an even exponent, twice the mantissa gives an even power of two.
    let parity = e.wand(exponent, w(1));
    let is_odd = e.equal(parity, w(1));
    let twice = e.qadd(mantissa, mantissa);
    let radicand = e.select(is_odd, mantissa, twice);
    let mantissa = root(e, radicand);
    let parity = e.wxor(parity, w(1));
    let exponent = e.wsub(exponent, parity);
    let exponent = e.wadd(exponent, w(BIAS));
    let halved = e.op(IrOp::Sshr, 32, &[exponent, w(1)]);
    let exponent = e.wsub(halved, w(1));
    let result = e.round(mantissa, exponent);
    let is_special = e.equal(magnitude, q(INFINITY));
    let result = e.select(is_special, q(INFINITY), result);
    let is_nan = e.is_nan(magnitude);
    let is_negative = e.differ(sign, w(0));
    let invalid = e.either(is_nan, is_negative);
    let result = e.select(invalid, q(NAN), result);
    let is_zero = e.is_zero(magnitude);
    e.select(is_zero, a, result)
}

/// √(n / 2^52) · 2^62 of a radicand n of at least 2^52 and below 2^54; the lowest bit is set if inexact.
///
/// With the root computed to k places, the remainder is n·2^(2k - 52) minus its square, and the next digit is
/// the remainder divided by twice the root: the estimate gives digits that are never too large.
fn root(e: &mut Emit<'_, '_, '_>, n: Src) -> Src {
    let top = e.qshr(n, w(30));
    let [top, _] = e.words(top);
    let inverse = inverse_root(e, top);
    let product = word_product(e, top, inverse);
    let mut digits = e.qshr(product, w(28));
    let square = e.qmul(digits, digits);
    let square = e.qshl(square, w(16));
    let rest = e.qsub(n, square);
    digits = next_digit(e, digits, rest, inverse, 41);
    let rest = remainder(e, n, 20, digits);
    let rest = e.qshr(rest, w(4));
    digits = next_digit(e, digits, rest, inverse, 39);
    // The last digit is at most 3 too small.
    for correction in [4, 2, 1] {
        let larger = e.qadd(digits, q(correction));
        let rest = remainder(e, n, 56, larger);
        let [_, high] = e.words(rest);
        let is_too_large = e.less(high, w(0));
        digits = e.select(is_too_large, digits, larger);
    }
    let rest = remainder(e, n, 56, digits);
    let inexact = e.differ(rest, q(0));
    let inexact = e.bit(inexact);
    let moved = e.qshl(digits, w(8));
    e.qor(moved, inexact)
}

/// n · 2^shift minus the square of the digits, of which the low 64 bits suffice.
fn remainder(e: &mut Emit<'_, '_, '_>, n: Src, shift: u32, digits: Src) -> Src {
    let moved = e.qshl(n, w(shift));
    let square = e.qmul(digits, digits);
    e.qsub(moved, square)
}

/// Appends the digit rest · inverse / 2^shift.
fn next_digit(e: &mut Emit<'_, '_, '_>, digits: Src, rest: Src, inverse: Src, shift: u32) -> Src {
    let inverse = e.widen(inverse);
    let product = e.qmul(rest, inverse);
    let digit = e.qshr(product, w(shift));
    let moved = e.qshl(digits, w(DIGIT));
    e.qadd(moved, digit)
}

/// An integer of 24 bits, at most 2^24 / √(top / 2^22) and only slightly less; top holds the upper 24 bits of
/// the radicand.
fn inverse_root(e: &mut Emit<'_, '_, '_>, top: Src) -> Src {
    let above = e.wadd(top, w(1));
    let inverse = float_function(e, Opcode::Rsqrt, above, power(35));
    // The estimate may be too large by two units in the last place.
    e.wsub(inverse, w(4))
}
