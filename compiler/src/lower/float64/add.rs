//! Sums: aligns the smaller number to the exponent of the larger one.

use super::emit::{Emit, INFINITY, NAN, q, w};
use crate::ir::Src;

/// a + b.
pub(super) fn add(e: &mut Emit<'_, '_, '_>, a: Src, b: Src) -> Src {
    let magnitudes = [e.magnitude(a), e.magnitude(b)];
    let swap = e.below(magnitudes[0], magnitudes[1]);
    let (large, small) = (e.select(swap, b, a), e.select(swap, a, b));
    let large_magnitude = e.select(swap, magnitudes[1], magnitudes[0]);
    let small_magnitude = e.select(swap, magnitudes[0], magnitudes[1]);
    let (sign, other_sign) = (e.sign(large), e.sign(small));
    let opposite = e.differ(sign, other_sign);
    let (x, y) = (e.unpack(large_magnitude), e.unpack(small_magnitude));
    let distance = e.wsub(x.exponent, y.exponent);
    let distance = e.wmin(distance, w(63));
    let wide = e.qshl(x.mantissa, w(10));
    let narrow = e.qshl(y.mantissa, w(10));
    let narrow = e.sticky_shift(narrow, distance);
    let (sum, difference) = (e.qadd(wide, narrow), e.qsub(wide, narrow));
    let total = e.select(opposite, difference, sum);
    let exponent = e.wsub(x.exponent, w(1));
    let rounded = e.normalize_and_round(total, exponent);
    let result = e.signed(rounded, sign);
    // Numbers that cancel give +0; zeros of equal sign keep it.
    let zero_sign = e.wand(sign, other_sign);
    let zero = e.signed(q(0), zero_sign);
    let vanishes = e.is_zero(total);
    let result = e.select(vanishes, zero, result);
    let small_is_infinite = e.equal(small_magnitude, q(INFINITY));
    let cancels = e.both(small_is_infinite, opposite);
    let is_nan = e.is_nan(large_magnitude);
    let invalid = e.either(is_nan, cancels);
    let special = e.select(invalid, q(NAN), large);
    let is_special = e.is_special(large_magnitude);
    e.select(is_special, special, result)
}
