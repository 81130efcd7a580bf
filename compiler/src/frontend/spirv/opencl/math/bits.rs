//! Functions of the encoding of floats.

use super::{INFINITY, MAGNITUDE, NAN, c, or_nan, where_is};
use crate::ir::Arithmetic;
use crate::ir::build::alu::{FloatCond, IntCond, float};
use crate::ir::builder::Builder;
use crate::ir::src::Src;

/// Nearest integer, with halves away from zero.
pub(in super::super) fn round(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let bits = b.f.width(x);
    let whole = b.trunc(x);
    let difference = b.fsub(x, whole);
    let size = b.fabs(difference);
    let is_up = b.fcmp(FloatCond::GE, size, float(0.5, bits));
    let step = b.select(is_up, float(1.0, bits), float(0.0, bits));
    let step = copysign(b, step, x);
    let result = b.fadd(whole, step);
    copysign(b, result, x)
}

/// The magnitude of `x` with the sign of `y`, in any width.
pub(in super::super) fn copysign(b: &mut Builder<'_, '_>, x: Src, y: Src) -> Src {
    let bits = b.f.width(x);
    let mask = Src::imm(1 << bits.saturating_sub(1), bits);
    let sign = b.and(y, mask);
    let others = b.not(mask);
    let magnitude = b.and(x, others);
    b.or(magnitude, sign)
}

/// The next float after `x` in the direction of `y`: integers of one sign are in the order of their floats.
pub(in super::super) fn nextafter(b: &mut Builder<'_, '_>, x: Src, y: Src) -> Src {
    let bits = b.f.width(x);
    let (zero, one) = (Src::imm(0, bits), Src::imm(1, bits));
    let is_up = b.fcmp(FloatCond::LT, x, y);
    let is_negative = b.is_negative(x);
    let grows = b.xor(is_up, is_negative);
    let (next, previous) = (b.iadd(x, one), b.isub(x, one));
    let moved = b.select(grows, next, previous);
    let least = copysign(b, one, y);
    let mask = Src::imm(1 << bits.saturating_sub(1), bits);
    let others = b.not(mask);
    let magnitude = b.and(x, others);
    let is_zero = b.icmp(IntCond::EQ, magnitude, zero);
    let moved = b.select(is_zero, least, moved);
    let is_same = b.fcmp(FloatCond::EQ, x, y);
    let is_equal = if bits == 32 { same_bits(b, x, y, is_same) } else { is_same };
    let result = b.select(is_equal, y, moved);
    let result = or_nan(b, x, result);
    or_nan(b, y, result)
}

/// Whether two numbers are equal, where comparisons take denormals as zeros.
fn same_bits(b: &mut Builder<'_, '_>, x: Src, y: Src, is_same: Src) -> Src {
    let bits = b.icmp(IntCond::EQ, x, y);
    let either = b.or(x, y);
    let either = b.and(either, Src::imm32(MAGNITUDE));
    let are_zero = b.icmp(IntCond::EQ, either, Src::imm32(0));
    let are_same = b.or(bits, are_zero);
    b.and(are_same, is_same)
}

/// The exponent of a float as an integer.
pub(in super::super) fn ilogb(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let magnitude = b.and(x, Src::imm32(MAGNITUDE));
    let field = b.ushr(magnitude, Src::imm32(23));
    let exponent = b.isub(field, Src::imm32(127));
    let is_infinite = b.icmp(IntCond::EQ, magnitude, Src::imm32(INFINITY));
    let exponent = b.select(is_infinite, Src::imm32(i32::MAX as u32), exponent);
    let is_nan = b.icmp(IntCond::UGT, magnitude, Src::imm32(INFINITY));
    let exponent = b.select(is_nan, Src::imm32(i32::MAX as u32), exponent);
    let is_zero = b.fcmp(FloatCond::EQ, x, c(0.0));
    b.select(is_zero, Src::imm32(1 << 31), exponent)
}

/// The exponent of a float as a float.
pub(in super::super) fn logb(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let exponent = ilogb(b, x);
    let result = b.int_to_float(exponent, true, 32);
    let size = b.fabs(x);
    let result = where_is(b, (FloatCond::EQ, size, Src::imm32(INFINITY)), size, result);
    let result = where_is(b, (FloatCond::EQ, x, c(0.0)), c(f64::NEG_INFINITY), result);
    or_nan(b, x, result)
}

/// x − y if that is positive, else 0.
pub(in super::super) fn fdim(b: &mut Builder<'_, '_>, x: Src, y: Src) -> Src {
    let bits = b.f.width(x);
    let difference = b.fsub(x, y);
    let is_below = b.fcmp(FloatCond::LE, x, y);
    b.select(is_below, float(0.0, bits), difference)
}

/// The number of the greater (or lesser) magnitude; of equal ones, the greater (or lesser) number.
pub(in super::super) fn by_magnitude(b: &mut Builder<'_, '_>, x: Src, y: Src, greater: bool) -> Src {
    let (of_x, of_y) = (b.fabs(x), b.fabs(y));
    let cond = if greater { FloatCond::GT } else { FloatCond::LT };
    let (is_x, is_y) = (b.fcmp(cond, of_x, of_y), b.fcmp(cond, of_y, of_x));
    let either = if greater { b.fmax(x, y) } else { b.fmin(x, y) };
    let result = b.select(is_y, y, either);
    b.select(is_x, x, result)
}

/// The part after the point, below 1, and the part before it.
pub(in super::super) fn fract(b: &mut Builder<'_, '_>, x: Src) -> (Src, Src) {
    let bits = b.f.width(x);
    let whole = b.floor(x);
    let rest = b.fsub(x, whole);
    let most = match bits {
        16 => Src::imm(0x3bff, 16),
        64 => Src::imm(0x3fef_ffff_ffff_ffff, 64),
        _ => Src::imm32(0x3f7f_ffff),
    };
    let rest = b.fmin(rest, most);
    let infinity = float(f64::INFINITY, bits);
    let size = b.fabs(x);
    let rest = where_is(b, (FloatCond::EQ, size, infinity), float(0.0, bits), rest);
    let rest = copysign(b, rest, x);
    let is_left = b.fcmp(FloatCond::LT, x, float(0.0, bits));
    let positive = b.fabs(rest);
    let rest = b.select(is_left, positive, rest);
    (or_nan(b, x, rest), whole)
}

/// A quiet NaN with the payload of an integer.
pub(in super::super) fn nan(b: &mut Builder<'_, '_>, payload: Src) -> Src {
    let bits = b.f.width(payload);
    let quiet = match bits {
        16 => 0x7e00,
        64 => 0x7ff8_0000_0000_0000,
        _ => u64::from(NAN),
    };
    let mask =
        Src::imm((1u64 << bits.saturating_sub(1)) | (quiet & (quiet.wrapping_neg())).wrapping_sub(1), bits);
    let kept = b.and(payload, mask);
    b.or(kept, Src::imm(quiet, bits))
}
