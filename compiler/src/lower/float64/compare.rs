//! Comparisons, extrema and signs.

use super::emit::{Emit, SIGN, q, w};
use crate::ir::Src;
use agx_isa::table::names::FloatCondition;

/// Compares floats; `inverted` gives the complement.
pub(super) fn compare(e: &mut Emit<'_, '_, '_>, cond: FloatCondition, inverted: bool, a: Src, b: Src) -> Src {
    let magnitudes = [e.magnitude(a), e.magnitude(b)];
    let nans = magnitudes.map(|magnitude| e.is_nan(magnitude));
    let (x, y) = (key(e, a, magnitudes[0]), key(e, b, magnitudes[1]));
    let (truth, unordered) = match cond {
        FloatCondition::EQUAL => (e.equal(x, y), false),
        FloatCondition::LESS | FloatCondition::LESS_OR_NAN => {
            (e.less(x, y), cond == FloatCondition::LESS_OR_NAN)
        }
        FloatCondition::GREATER | FloatCondition::GREATER_OR_NAN => {
            (e.less(y, x), cond == FloatCondition::GREATER_OR_NAN)
        }
        FloatCondition::GREATER_OR_EQUAL => {
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

/// Maps a float to an integer of the same order; both zeros map to 0.
fn key(e: &mut Emit<'_, '_, '_>, a: Src, magnitude: Src) -> Src {
    let sign = e.sign(a);
    let is_negative = e.differ(sign, w(0));
    let negated = e.qsub(q(0), magnitude);
    e.select(is_negative, negated, magnitude)
}

/// The smaller or larger of two floats; if one is NaN, the other.
pub(super) fn extremum(e: &mut Emit<'_, '_, '_>, cond: FloatCondition, a: Src, b: Src) -> Src {
    let first = compare(e, cond, false, a, b);
    e.select(first, a, b)
}

/// −a.
pub(super) fn negate(e: &mut Emit<'_, '_, '_>, a: Src) -> Src {
    let [low, high] = e.words(a);
    let high = e.wxor(high, w(SIGN));
    e.join(low, high)
}
