//! Products, and products with a sum, whose 106 digits are held in two 64-bit halves.

use agx_isa::table::Opcode;

use super::emit::{BIAS, Emit, INFINITY, NAN, Normal, q, w};
use crate::ir::{IrOp, Src};

/// Exponent of a zero in a sum: so small that the other operand is always the larger one.
const ZERO_EXPONENT: u32 = -0x4000_i32 as u32;

/// a · b.
pub(super) fn multiply(e: &mut Emit<'_, '_, '_>, a: Src, b: Src) -> Src {
    let sign = product_sign(e, a, b);
    let magnitudes = [e.magnitude(a), e.magnitude(b)];
    let Product { high, low, exponent } = product(e, magnitudes);
    let rest = e.differ(low, q(0));
    let rest = e.bit(rest);
    let mantissa = e.qor(high, rest);
    let rounded = e.normalize_and_round(mantissa, exponent);
    let vanishes = either_zero(e, magnitudes);
    let magnitude = e.select(vanishes, q(0), rounded);
    let result = e.signed(magnitude, sign);
    let special = special_product(e, magnitudes, sign);
    let specials = magnitudes.map(|magnitude| e.is_special(magnitude));
    let is_special = e.either(specials[0], specials[1]);
    e.select(is_special, special, result)
}

fn product_sign(e: &mut Emit<'_, '_, '_>, a: Src, b: Src) -> Src {
    let signs = [e.sign(a), e.sign(b)];
    e.wxor(signs[0], signs[1])
}

fn either_zero(e: &mut Emit<'_, '_, '_>, magnitudes: [Src; 2]) -> Src {
    let zeros = magnitudes.map(|magnitude| e.is_zero(magnitude));
    e.either(zeros[0], zeros[1])
}

/// The product if a factor is infinite or NaN.
fn special_product(e: &mut Emit<'_, '_, '_>, magnitudes: [Src; 2], sign: Src) -> Src {
    let nans = magnitudes.map(|magnitude| e.is_nan(magnitude));
    let is_nan = e.either(nans[0], nans[1]);
    let has_zero = either_zero(e, magnitudes);
    let invalid = e.either(is_nan, has_zero);
    let infinite = e.signed(q(INFINITY), sign);
    e.select(invalid, q(NAN), infinite)
}

/// A product: its mantissa over 2^126, at least 1/2; the exponent as [`Emit::round`] expects it.
struct Product {
    high: Src,
    low: Src,
    exponent: Src,
}

fn product(e: &mut Emit<'_, '_, '_>, magnitudes: [Src; 2]) -> Product {
    let [x, y] = magnitudes.map(|magnitude| e.normalize(magnitude));
    let a = e.qshl(x.mantissa, w(11));
    let b = e.qshl(y.mantissa, w(10));
    let high = e.op(IrOp::Umulh, 64, &[a, b]);
    let low = e.qmul(a, b);
    let exponent = e.wadd(x.exponent, y.exponent);
    // One more than the sum of the exponents: a product of 2 or more has its highest bit at place 126.
    let exponent = e.wsub(exponent, w(BIAS));
    Product { high, low, exponent }
}

/// A number of 128 bits.
#[derive(Clone, Copy)]
struct Wide {
    high: Src,
    low: Src,
}

impl Wide {
    fn select(e: &mut Emit<'_, '_, '_>, cond: Src, x: Wide, y: Wide) -> Wide {
        Wide { high: e.select(cond, x.high, y.high), low: e.select(cond, x.low, y.low) }
    }

    /// Right shift by 0 to 127 places with a sticky lowest bit.
    fn sticky_shift(self, e: &mut Emit<'_, '_, '_>, by: Src) -> Wide {
        let is_long = e.at_least(by, w(64));
        let none = e.differ(self.low, q(0));
        let lost = e.both(is_long, none);
        let high = e.select(is_long, q(0), self.high);
        let low = e.select(is_long, self.high, self.low);
        let by = e.wand(by, w(63));
        let up = e.wsub(w(64), by);
        let out = e.qshl(low, up);
        let also_lost = e.differ(out, q(0));
        let lost = e.either(lost, also_lost);
        let lost = e.bit(lost);
        let (moved, crossing) = (e.qshr(low, by), e.qshl(high, up));
        let low = e.qor(moved, crossing);
        Wide { high: e.qshr(high, by), low: e.qor(low, lost) }
    }

    fn add(self, e: &mut Emit<'_, '_, '_>, other: Wide) -> Wide {
        let low = e.qadd(self.low, other.low);
        let carry = e.below(low, other.low);
        let carry = e.bit(carry);
        let high = e.qadd(self.high, other.high);
        Wide { high: e.qadd(high, carry), low }
    }

    fn subtract(self, e: &mut Emit<'_, '_, '_>, other: Wide) -> Wide {
        let borrow = e.below(self.low, other.low);
        let borrow = e.bit(borrow);
        let high = e.qsub(self.high, other.high);
        Wide { high: e.qsub(high, borrow), low: e.qsub(self.low, other.low) }
    }

    fn is_below(self, e: &mut Emit<'_, '_, '_>, other: Wide) -> Src {
        let same = e.equal(self.high, other.high);
        let (low, high) = (e.below(self.low, other.low), e.below(self.high, other.high));
        e.select(same, low, high)
    }
}

/// a · b + c, rounded once.
pub(super) fn fused(e: &mut Emit<'_, '_, '_>, a: Src, b: Src, c: Src) -> Src {
    let factors = [e.magnitude(a), e.magnitude(b)];
    let addend = e.magnitude(c);
    let (sign, other_sign) = (product_sign(e, a, b), e.sign(c));
    let opposite = e.differ(sign, other_sign);
    let [product_zero, addend_zero] = [either_zero(e, factors), e.is_zero(addend)];
    let p = product(e, factors);
    let Normal { mantissa, exponent } = e.normalize(addend);
    let x = Wide { high: e.select(product_zero, q(0), p.high), low: e.select(product_zero, q(0), p.low) };
    let mantissa = e.qshl(mantissa, w(10));
    let y = Wide { high: e.select(addend_zero, q(0), mantissa), low: q(0) };
    let x_exponent = e.select(product_zero, w(ZERO_EXPONENT), p.exponent);
    let exponent = e.wsub(exponent, w(1));
    let y_exponent = e.select(addend_zero, w(ZERO_EXPONENT), exponent);
    let sum = add_wide(e, [x, y], [x_exponent, y_exponent], [sign, other_sign]);
    let zero_sign = e.wand(sign, other_sign);
    let zero = e.signed(q(0), zero_sign);
    let result = e.select(sum.vanishes, zero, sum.result);

    let product_special = factors.map(|factor| e.is_special(factor));
    let product_special = e.either(product_special[0], product_special[1]);
    let special = special_product(e, factors, sign);
    let special_magnitude = e.magnitude(special);
    let product_nan = e.is_nan(special_magnitude);
    let addend_infinite = e.equal(addend, q(INFINITY));
    let cancels = e.both(addend_infinite, opposite);
    let addend_nan = e.is_nan(addend);
    let invalid = e.either(cancels, addend_nan);
    let invalid = e.either(invalid, product_nan);
    let from_product = e.select(invalid, q(NAN), special);
    let from_addend = e.select(addend_nan, q(NAN), c);
    let addend_special = e.is_special(addend);
    let result = e.select(addend_special, from_addend, result);
    e.select(product_special, from_product, result)
}

struct Sum {
    result: Src,
    vanishes: Src,
}

/// The sum of two 128-bit numbers with exponents and signs.
fn add_wide(e: &mut Emit<'_, '_, '_>, numbers: [Wide; 2], exponents: [Src; 2], signs: [Src; 2]) -> Sum {
    let opposite = e.differ(signs[0], signs[1]);
    let swap = e.less(exponents[0], exponents[1]);
    let large = Wide::select(e, swap, numbers[1], numbers[0]);
    let small = Wide::select(e, swap, numbers[0], numbers[1]);
    let exponent = e.select(swap, exponents[1], exponents[0]);
    let other = e.select(swap, exponents[0], exponents[1]);
    let distance = e.wsub(exponent, other);
    let distance = e.wmin(distance, w(127));
    let small = small.sticky_shift(e, distance);
    let sum = large.add(e, small);
    // With equal exponents the first may be the smaller one.
    let is_less = large.is_below(e, small);
    let (x, y) = (Wide::select(e, is_less, small, large), Wide::select(e, is_less, large, small));
    let difference = x.subtract(e, y);
    let total = Wide::select(e, opposite, difference, sum);
    let turned = e.both(is_less, opposite);
    let sign = e.select(swap, signs[1], signs[0]);
    let negated = e.wxor(sign, w(super::emit::SIGN));
    let sign = e.select(turned, negated, sign);
    let any = e.qor(total.high, total.low);
    let vanishes = e.is_zero(any);
    // 64 bits suffice for rounding, once the highest ones are among them.
    let is_low = e.is_zero(total.high);
    let rest = e.top_bit(total.high);
    let up = e.wsub(w(63), rest);
    let left = e.qshl(total.high, up);
    let crossing_by = e.wsub(w(64), up);
    let crossing = e.qshr(total.low, crossing_by);
    let lost = e.qshl(total.low, up);
    let lost = e.differ(lost, q(0));
    let lost = e.bit(lost);
    let high = e.qor(left, crossing);
    let high = e.qor(high, lost);
    let mantissa = e.select(is_low, total.low, high);
    let high_exponent = e.wsub(exponent, up);
    let low_exponent = e.wsub(exponent, w(64));
    let exponent = e.select(is_low, low_exponent, high_exponent);
    let rounded = e.normalize_and_round(mantissa, exponent);
    Sum { result: e.signed(rounded, sign), vanishes }
}

/// The 64-bit product of two words.
pub(super) fn word_product(e: &mut Emit<'_, '_, '_>, a: Src, b: Src) -> Src {
    e.op(Opcode::Imadd, 64, &[a, b, w(0)])
}
