//! Integer functions of OpenCL, in all widths.

use super::super::arith::{halves, join};
use crate::ir::Arithmetic;
use crate::ir::build::alu::IntCond;
use crate::ir::builder::Builder;
use crate::ir::src::Src;

/// The least (`signed`) integer of a width.
fn least(bits: u8) -> Src {
    Src::imm(1u64 << bits.saturating_sub(1), bits)
}

/// The greatest signed or unsigned integer of a width.
fn greatest(bits: u8, signed: bool) -> Src {
    let all = u64::MAX >> 64u32.saturating_sub(bits.into());
    Src::imm(if signed { all >> 1 } else { all }, bits)
}

/// The limit in the direction of the sign of `x`.
fn limit(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let bits = b.f.width(x);
    let is_negative = b.is_negative(x);
    b.select(is_negative, least(bits), greatest(bits, true))
}

/// x + y, limited to signed integers.
pub(super) fn add_signed(b: &mut Builder<'_, '_>, x: Src, y: Src) -> Src {
    let sum = b.iadd(x, y);
    let (of_x, of_y) = (b.xor(x, sum), b.xor(y, sum));
    let both = b.and(of_x, of_y);
    let overflows = b.is_negative(both);
    let limit = limit(b, x);
    b.select(overflows, limit, sum)
}

/// x − y, limited to signed integers.
pub(super) fn subtract_signed(b: &mut Builder<'_, '_>, x: Src, y: Src) -> Src {
    let difference = b.isub(x, y);
    let (of_y, of_result) = (b.xor(x, y), b.xor(x, difference));
    let both = b.and(of_y, of_result);
    let overflows = b.is_negative(both);
    let limit = limit(b, x);
    b.select(overflows, limit, difference)
}

/// x + y, limited to unsigned integers.
pub(super) fn add_unsigned(b: &mut Builder<'_, '_>, x: Src, y: Src) -> Src {
    let sum = b.iadd(x, y);
    let overflows = b.icmp(IntCond::ULT, sum, x);
    b.select(overflows, greatest(b.f.width(x), false), sum)
}

/// x − y, limited to unsigned integers.
pub(super) fn subtract_unsigned(b: &mut Builder<'_, '_>, x: Src, y: Src) -> Src {
    let larger = b.umax(x, y);
    b.isub(larger, y)
}

/// Half of a number, rounded down.
fn half(b: &mut Builder<'_, '_>, x: Src, signed: bool) -> Src {
    if signed { b.sshr(x, Src::imm32(1)) } else { b.ushr(x, Src::imm32(1)) }
}

/// (x + y) / 2, rounded down, without overflow.
pub(super) fn half_sum(b: &mut Builder<'_, '_>, x: Src, y: Src, signed: bool) -> Src {
    let (common, different) = (b.and(x, y), b.xor(x, y));
    let half = half(b, different, signed);
    b.iadd(common, half)
}

/// (x + y + 1) / 2, rounded down, without overflow.
pub(super) fn rounded_half_sum(b: &mut Builder<'_, '_>, x: Src, y: Src, signed: bool) -> Src {
    let (common, different) = (b.or(x, y), b.xor(x, y));
    let half = half(b, different, signed);
    b.isub(common, half)
}

/// The number of zeros before the first bit.
pub(super) fn leading_zeros(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let bits = b.f.width(x);
    if bits == 64 {
        let (low, high) = halves(b, x);
        let (of_low, of_high) = (leading_zeros(b, low), leading_zeros(b, high));
        let after = b.iadd(of_low, Src::imm32(32));
        let is_low = b.icmp(IntCond::EQ, high, Src::imm32(0));
        let count = b.select(is_low, after, of_high);
        return b.uconv(count, 64);
    }
    let word = b.uconv(x, 32);
    let first = b.most_significant_bit(word);
    let count = b.isub(Src::imm32(u32::from(bits).saturating_sub(1)), first);
    b.uconv(count, bits)
}

/// The number of zeros after the last bit.
pub(super) fn trailing_zeros(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let bits = b.f.width(x);
    if bits == 64 {
        let (low, high) = halves(b, x);
        let (of_low, of_high) = (trailing_zeros(b, low), trailing_zeros(b, high));
        let after = b.iadd(of_high, Src::imm32(32));
        let is_high = b.icmp(IntCond::EQ, low, Src::imm32(0));
        let count = b.select(is_high, after, of_low);
        return b.uconv(count, 64);
    }
    let word = b.uconv(x, 32);
    let negated = b.ineg(word);
    let last = b.and(word, negated);
    let index = b.most_significant_bit(last);
    let is_none = b.icmp(IntCond::EQ, word, Src::imm32(0));
    let count = b.select(is_none, Src::imm32(bits.into()), index);
    b.uconv(count, bits)
}

/// `x` rotated to the left.
pub(super) fn rotate(b: &mut Builder<'_, '_>, x: Src, n: Src) -> Src {
    let bits = b.f.width(x);
    let mask = Src::imm32(u32::from(bits).saturating_sub(1));
    let n = b.uconv(n, 32);
    let left = b.and(n, mask);
    let negated = b.ineg(n);
    let right = b.and(negated, mask);
    let (upper, lower) = (b.shl(x, left), b.ushr(x, right));
    b.or(upper, lower)
}

/// The upper half of a product.
pub(super) fn high_product(b: &mut Builder<'_, '_>, x: Src, y: Src, signed: bool) -> Src {
    match b.f.width(x) {
        64 => wide_product(b, x, y, signed).1,
        32 => {
            if signed {
                b.smulh(x, y)
            } else {
                b.umulh(x, y)
            }
        }
        bits => {
            let [x, y] = [x, y].map(|x| if signed { b.sconv(x, 32) } else { b.uconv(x, 32) });
            let product = b.imul(x, y);
            let high = b.ushr(product, Src::imm32(bits.into()));
            b.uconv(high, bits)
        }
    }
}

/// The lower and the upper half of a product of 64-bit integers.
fn wide_product(b: &mut Builder<'_, '_>, x: Src, y: Src, signed: bool) -> (Src, Src) {
    let ((x0, x1), (y0, y1)) = (halves(b, x), halves(b, y));
    let wide = |b: &mut Builder<'_, '_>, x: Src, y: Src| {
        let (low, high) = (b.imul(x, y), b.umulh(x, y));
        join(b, low, high)
    };
    let (low, left) = (wide(b, x0, y0), wide(b, x1, y0));
    let (right, high) = (wide(b, x0, y1), wide(b, x1, y1));
    let (_, carried) = halves(b, low);
    let carried = b.uconv(carried, 64);
    let middle = b.iadd(left, carried);
    let (middle_low, middle_high) = halves(b, middle);
    let middle_low = b.uconv(middle_low, 64);
    let other = b.iadd(right, middle_low);
    let (_, other_high) = halves(b, other);
    let [middle_high, other_high] = [middle_high, other_high].map(|half| b.uconv(half, 64));
    let high = b.iadd(high, middle_high);
    let mut high = b.iadd(high, other_high);
    if signed {
        for (sign, other) in [(x, y), (y, x)] {
            let is_negative = b.is_negative(sign);
            let subtracted = b.select(is_negative, other, Src::imm(0, 64));
            high = b.isub(high, subtracted);
        }
    }
    (b.imul(x, y), high)
}

/// x·y + z, limited to integers of the width.
pub(super) fn multiply_add(b: &mut Builder<'_, '_>, [x, y, z]: [Src; 3], signed: bool) -> Src {
    let bits = b.f.width(x);
    if bits == 64 {
        return wide_multiply_add(b, [x, y, z], signed);
    }
    let [x, y, z] = [x, y, z].map(|x| if signed { b.sconv(x, 64) } else { b.uconv(x, 64) });
    let product = b.imul(x, y);
    let sum = b.iadd(product, z);
    let most = greatest(bits, signed).as_imm().unwrap_or(0);
    let limited = if signed {
        let sum = b.imin(sum, Src::imm(most, 64));
        b.imax(sum, Src::imm(!most, 64))
    } else {
        b.umin(sum, Src::imm(most, 64))
    };
    b.uconv(limited, bits)
}

fn wide_multiply_add(b: &mut Builder<'_, '_>, [x, y, z]: [Src; 3], signed: bool) -> Src {
    let (low, high) = wide_product(b, x, y, signed);
    let sum = b.iadd(low, z);
    let carries = b.icmp(IntCond::ULT, sum, low);
    let carry = b.select(carries, Src::imm(1, 64), Src::imm(0, 64));
    let high = b.iadd(high, carry);
    if !signed {
        let overflows = b.icmp(IntCond::NE, high, Src::imm(0, 64));
        return b.select(overflows, greatest(64, false), sum);
    }
    let sign = b.sshr(z, Src::imm32(63));
    let high = b.iadd(high, sign);
    let expected = b.sshr(sum, Src::imm32(63));
    let overflows = b.icmp(IntCond::NE, high, expected);
    let limit = limit(b, high);
    b.select(overflows, limit, sum)
}

/// An integer of twice the width from its halves.
pub(super) fn upsample(b: &mut Builder<'_, '_>, high: Src, low: Src) -> Src {
    let bits = b.f.width(high);
    let twice = bits.saturating_mul(2).min(64);
    let (high, low) = (b.uconv(high, twice), b.uconv(low, twice));
    let moved = b.shl(high, Src::imm32(bits.into()));
    b.or(moved, low)
}
