//! Rounding of exact or round-to-odd doubles to half and single precision, and widening back.

use crate::half::Half;

/// Canonical NaN of half precision.
pub const NAN16: u64 = 0x7e00;
/// Canonical NaN of single precision.
pub const NAN32: u64 = 0x7fc0_0000;

/// Direction of rounding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// To the nearest, ties to even.
    NearestEven,
    /// Toward zero.
    TowardZero,
}

/// A half-precision number, widened exactly.
pub fn widen16(bits: u64) -> f64 {
    Half::from_bits(bits as u16).to_f64()
}

/// A single-precision number, widened exactly; denormals are flushed to a zero of the same sign, as in all
/// 32-bit float sources.
pub fn widen32(bits: u64) -> f64 {
    f64::from(f32::from_bits(flush32(bits as u32)))
}

/// A single-precision number with denormals flushed to a zero of the same sign.
pub fn flush32(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits }
}

/// Rounds to single precision. Values below the normal range before rounding become a zero of the same sign.
pub fn round32(value: f64, direction: Direction) -> u64 {
    if value.is_nan() {
        return NAN32;
    }
    if value.abs() < f64::from(f32::MIN_POSITIVE) {
        return (value.to_bits() >> 63) << 31;
    }
    round(value, 23, -126, direction)
}

/// Rounds to half precision; denormals are preserved.
pub fn round16(value: f64, direction: Direction) -> u64 {
    if value.is_nan() { NAN16 } else { round(value, 10, -14, direction) }
}

/// Rounds a number that is not NaN to a format of `mantissa` stored bits and smallest normal exponent `min`.
fn round(value: f64, mantissa: i32, min: i32, direction: Direction) -> u64 {
    let exponent_bits = if mantissa == 10 { 5 } else { 8 };
    let sign = (value.to_bits() >> 63) << (mantissa + exponent_bits);
    let infinity = ((1u64 << exponent_bits) - 1) << mantissa;
    let magnitude = value.abs();
    if magnitude.is_infinite() {
        return sign | infinity;
    }
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(min);
    // In units of the last place: exact, since only the exponent changes.
    let units = libm::scalbn(magnitude, mantissa - exponent);
    let whole = match direction {
        Direction::NearestEven => libm::rint(units),
        Direction::TowardZero => libm::trunc(units),
    } as u64;
    let biased = (exponent - min) as u64;
    // A carry out of the mantissa increments the exponent; a denormal has biased exponent 0 and no hidden
    // bit.
    let code = (biased << mantissa) + whole;
    if code < infinity {
        sign | code
    } else if direction == Direction::TowardZero {
        sign | (infinity - 1)
    } else {
        sign | infinity
    }
}

/// `a * b + c` rounded to odd: exact for further rounding to fewer bits. The product must be exact in a double.
pub fn fused_to_odd(a: f64, b: f64, c: f64) -> f64 {
    let product = a * b;
    let sum = product + c;
    if !sum.is_finite() {
        return sum;
    }
    let high = sum - product;
    let error = (product - (sum - high)) + (c - high);
    if error == 0.0 || sum.to_bits() & 1 == 1 {
        return sum;
    }
    // The exact sum is strictly between `sum` and an odd neighbour.
    let toward_larger = (error > 0.0) == (sum > 0.0);
    f64::from_bits(if toward_larger { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use agx_random::Random;
    use half::f16;

    #[test]
    fn halves_round_like_the_crate() {
        for bits in (0..u32::MAX).step_by(40_009) {
            let value = f32::from_bits(bits);
            let expected = f16::from_f32(value);
            let got = round16(f64::from(value), Direction::NearestEven) as u16;
            assert!(got == expected.to_bits() || value.is_nan(), "{value:e}: {got:#x} {expected:?}");
        }
    }

    #[test]
    fn singles_round_like_the_processor() {
        let mut random = Random::new(1);
        for _ in 0..100_000 {
            let state = random.next_u64();
            let value = f64::from_bits(state & 0x800f_ffff_ffff_ffff | ((895 + (state >> 52) % 260) << 52));
            let expected = if value.abs() < f64::from(f32::MIN_POSITIVE) { 0.0 } else { value as f32 };
            let got = f32::from_bits(round32(value, Direction::NearestEven) as u32);
            assert!(got == expected, "{value:e} {got:e} {expected:e}");
        }
    }

    #[test]
    fn a_fused_sum_is_rounded_once() {
        // 2049 * 1 + 2^-24 is just above the tie between 2048 and 2050.
        let sum = fused_to_odd(2049.0, 1.0, widen16(1));
        assert_eq!(round16(sum, Direction::NearestEven), u64::from(f16::from_f32(2050.0).to_bits()));
        let sum = fused_to_odd(2049.0, 1.0, -widen16(1));
        assert_eq!(round16(sum, Direction::NearestEven), u64::from(f16::from_f32(2048.0).to_bits()));
    }

    #[test]
    fn overflow_and_denormals() {
        assert_eq!(round16(65520.0, Direction::NearestEven), 0x7c00);
        assert_eq!(round16(65520.0, Direction::TowardZero), 0x7bff);
        assert_eq!(round16(6e-8, Direction::NearestEven), 1);
        assert_eq!(round32(-1e-39, Direction::NearestEven), 0x8000_0000);
    }
}
