//! Comparisons, extrema and signs.

use super::emit::{Emit, SIGN, q, w};
use crate::ir::Src;

/// Whether the floats compare so: 0 equal, 1 less, 2 greater, 5 not less, 6 not greater, 3 and 7 less and greater that
/// also hold when the second one is NaN. `inverted` gives the complement.
pub(super) fn compare(e: &mut Emit<'_, '_, '_>, cond: u32, inverted: bool, a: Src, b: Src) -> Src {
    let magnitudes = [e.magnitude(a), e.magnitude(b)];
    let nans = magnitudes.map(|magnitude| e.is_nan(magnitude));
    let (x, y) = (key(e, a, magnitudes[0]), key(e, b, magnitudes[1]));
    let (truth, unordered) = match cond {
        0 => (e.equal(x, y), false),
        1 | 3 => (e.less(x, y), cond == 3),
        2 | 7 => (e.less(y, x), cond == 7),
        5 => {
            let less = e.less(x, y);
            (e.not(less), false)
        }
        _ => {
            let greater = e.less(y, x);
            (e.not(greater), false)
        }
    };
    let either = e.either(nans[0], nans[1]);
    let on_nan = if unordered { nans[1] } else { Src::bool(false) };
    let truth = e.select(either, on_nan, truth);
    if inverted { e.not(truth) } else { truth }
}

/// An integer in the order of the floats; both zeros are 0.
fn key(e: &mut Emit<'_, '_, '_>, a: Src, magnitude: Src) -> Src {
    let sign = e.sign(a);
    let is_negative = e.differ(sign, w(0));
    let negated = e.qsub(q(0), magnitude);
    e.select(is_negative, negated, magnitude)
}

/// The smaller or larger of two floats; of a NaN and a number, the number.
pub(super) fn extremum(e: &mut Emit<'_, '_, '_>, cond: u32, a: Src, b: Src) -> Src {
    let first = compare(e, cond, false, a, b);
    e.select(first, a, b)
}

/// −a.
pub(super) fn negate(e: &mut Emit<'_, '_, '_>, a: Src) -> Src {
    let [low, high] = e.words(a);
    let high = e.wxor(high, w(SIGN));
    e.join(low, high)
}
