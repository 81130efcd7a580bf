//! The hardware's 24-bit floats: sign, 7 bits of exponent with bias 63, 16 bits of mantissa.
//!
//! Exponent 0 is an ordinary exponent, except for the pattern of zero; exponent 127 means infinity and NaN.
//! Every 24-bit float is exact in single precision.

/// The magnitude bits of 2⁻⁶³ in single precision; its 24-bit pattern means zero.
const TINY: u32 = (127 - 63) << 23;
/// The magnitude bits of 2⁶⁴ in single precision, the first value that is too large.
const HUGE: u32 = (127 + 64) << 23;
const INFINITY: u32 = 0x7f80_0000;

/// Converts a 24-bit pattern.
pub fn to_f32(bits: u32) -> f32 {
    let sign = (bits >> 23 & 1) << 31;
    let exponent = bits >> 16 & 0x7f;
    let mantissa = (bits & 0xffff) << 7;
    let magnitude = match (exponent, mantissa) {
        (0, 0) => 0,
        (0x7f, _) => INFINITY | mantissa,
        _ => (exponent + 64) << 23 | mantissa,
    };
    f32::from_bits(sign | magnitude)
}

/// Converts to a 24-bit pattern; truncates, as assemblers do with constants.
pub fn from_f32(value: f32) -> u32 {
    let bits = value.to_bits();
    let sign = bits >> 31 << 23;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > INFINITY {
        return sign | 0x7f_8000;
    }
    if magnitude >= HUGE {
        return sign | 0x7f_0000;
    }
    if magnitude < TINY {
        return sign;
    }
    sign | (magnitude - (64 << 23)) >> 7
}

/// Rounds to the nearest 24-bit float, ties to even. Magnitudes of 2⁶⁴ and more become infinite; those of
/// 2⁻⁶³ and less become zero.
pub fn round(value: f32) -> f32 {
    let bits = value.to_bits();
    let (sign, magnitude) = (bits & 0x8000_0000, bits & 0x7fff_ffff);
    if magnitude > INFINITY {
        return value;
    }
    let rounded = (magnitude + 0x3f + (magnitude >> 7 & 1)) & !0x7f;
    let limited = match rounded {
        0..=TINY => 0,
        HUGE.. => INFINITY,
        _ => rounded,
    };
    f32::from_bits(sign | limited)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_round_trip() {
        for bits in (0..1 << 24).step_by(97).chain([0x3f_0000, 0x80_0000, 0xbf_0000]) {
            let value = to_f32(bits);
            if !value.is_nan() {
                assert_eq!(from_f32(value), bits, "{value}");
                assert_eq!(round(value).to_bits(), value.to_bits());
            }
        }
        assert_eq!(to_f32(0x3f_0000), 1.0);
        assert!(to_f32(from_f32(f32::NAN)).is_nan());
    }

    #[test]
    fn numbers_between_are_rounded_to_even() {
        assert_eq!(round(1.0 + 2f32.powi(-17)), 1.0);
        assert_eq!(round(1.0 + 3.0 * 2f32.powi(-17)), 1.0 + 2f32.powi(-15));
        assert_eq!(from_f32(1.0 + 2f32.powi(-17)), 0x3f_0000);
        assert_eq!(round(f32::MAX), f32::INFINITY);
        assert_eq!(round(-1e-30).to_bits(), (-0.0f32).to_bits());
    }
}
