//! 16-bit floats, as a type for conversions.

use crate::semantics::rounding::{Direction, round16};

/// A half-precision float (IEEE 754 binary16), represented by its bits.
#[derive(Clone, Copy, Debug)]
pub struct Half(u16);

/// Number of mantissa bits.
const MANTISSA: u32 = 10;

/// Largest exponent field: infinities and NaNs.
const SPECIAL: u16 = 31;

impl Half {
    /// The float with these bits.
    pub const fn from_bits(bits: u16) -> Half {
        Half(bits)
    }

    /// Its bits.
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// Rounds to nearest, ties to even. A NaN keeps its sign and the first bits of its payload, and becomes
    /// quiet.
    pub fn from_f32(number: f32) -> Half {
        Half::from_f64(f64::from(number))
    }

    /// The float with the same value, sign and payload, if there is one.
    pub fn exactly(number: f32) -> Option<Half> {
        let half = Half::from_f32(number);
        (half.to_f32().to_bits() == number.to_bits()).then_some(half)
    }

    /// Like [`Half::from_f32`].
    pub fn from_f64(number: f64) -> Half {
        if number.is_nan() {
            let bits = number.to_bits();
            return Half((bits >> 48) as u16 & 0x8000 | 0x7e00 | (bits >> 42) as u16 & 0x3ff);
        }
        Half(round16(number, Direction::NearestEven) as u16)
    }

    /// Converts to single precision; a NaN keeps its payload and becomes quiet.
    pub fn to_f32(self) -> f32 {
        let (sign, mantissa) = (u32::from(self.0 & 0x8000) << 16, u32::from(self.mantissa()));
        let magnitude = match self.exponent() {
            0 => (mantissa as f32 / (1 << 24) as f32).to_bits(),
            SPECIAL if mantissa == 0 => f32::INFINITY.to_bits(),
            SPECIAL => 0x7fc0_0000 | mantissa << (23 - MANTISSA),
            exponent => (u32::from(exponent) + 112) << 23 | mantissa << (23 - MANTISSA),
        };
        f32::from_bits(sign | magnitude)
    }

    /// Converts to double precision; a NaN keeps its payload and becomes quiet.
    pub fn to_f64(self) -> f64 {
        let (sign, mantissa) = (u64::from(self.0 & 0x8000) << 48, u64::from(self.mantissa()));
        let magnitude = match self.exponent() {
            0 => (mantissa as f64 / f64::from(1 << 24)).to_bits(),
            SPECIAL if mantissa == 0 => f64::INFINITY.to_bits(),
            SPECIAL => 0x7ff8_0000_0000_0000 | mantissa << (52 - MANTISSA),
            exponent => (u64::from(exponent) + 1008) << 52 | mantissa << (52 - MANTISSA),
        };
        f64::from_bits(sign | magnitude)
    }

    /// Whether it is neither zero, denormal, infinite nor NaN.
    pub const fn is_normal(self) -> bool {
        !matches!(self.exponent(), 0 | SPECIAL)
    }

    const fn exponent(self) -> u16 {
        self.0 >> MANTISSA & SPECIAL
    }

    const fn mantissa(self) -> u16 {
        self.0 & 0x3ff
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agx_random::Random;
    use half::f16;

    #[test]
    fn every_half_converts_like_the_crate() {
        for bits in 0..=u16::MAX {
            let (ours, theirs) = (Half::from_bits(bits), f16::from_bits(bits));
            assert_eq!(ours.to_f64().to_bits(), theirs.to_f64().to_bits(), "{bits:#x}");
            assert_eq!(ours.to_f32().to_bits(), theirs.to_f32().to_bits(), "{bits:#x}");
            assert_eq!(ours.is_normal(), theirs.is_normal(), "{bits:#x}");
            let quiet = if theirs.is_nan() { bits | 0x200 } else { bits };
            assert_eq!(Half::from_f32(ours.to_f32()).to_bits(), quiet);
            assert_eq!(Half::from_f64(ours.to_f64()).to_bits(), quiet);
        }
    }

    #[test]
    fn numbers_round_as_those_of_the_crate() {
        let mut random = Random::new(7);
        for _ in 0..100_000 {
            let number = f32::from_bits(random.next_u64() as u32);
            assert_eq!(Half::from_f32(number).to_bits(), f16::from_f32(number).to_bits(), "{number:e}");
        }
    }
}
