//! The 8-bit floats used as immediates of float operands: sign, three bits of exponent, four of mantissa.
//!
//! Exponent 0 is `m / 64`, others are `(16 + m) * 2^(e - 7)`; the range is 1/64 to 31 and every value is exact in half
//! precision (applegpu; Mesa 25.0's minifloat packer).

/// The value of an encoded minifloat; only the low eight bits of `code` are significant.
pub const fn decode(code: u8) -> f32 {
    let exponent = (code >> 4 & 7) as u32;
    let mantissa = (code & 15) as u32;
    // Scaled by 64, every value is an integer.
    let magnitude = if exponent == 0 { mantissa } else { (16 + mantissa) << (exponent - 1) };
    let value = magnitude as f32 / 64.0;
    if code & 0x80 != 0 { -value } else { value }
}

/// The code of `value`, if it is exactly representable. This includes negative zero, but not NaN and
/// infinities.
pub fn encode(value: f32) -> Option<u8> {
    let sign = if value.is_sign_negative() { 0x80 } else { 0 };
    let scaled = value.abs() * 64.0;
    if scaled.is_nan() || scaled > 31.0 * 64.0 || scaled != libm::floorf(scaled) {
        return None;
    }
    let magnitude = scaled as u32;
    if magnitude < 16 {
        return Some(sign | magnitude as u8);
    }
    let shift = 27 - magnitude.leading_zeros();
    if magnitude.trailing_zeros() < shift {
        return None;
    }
    Some(sign | ((shift + 1) << 4) as u8 | (magnitude >> shift & 15) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_round_trips() {
        for code in 0..=u8::MAX {
            assert_eq!(encode(decode(code)), Some(code));
        }
    }

    #[test]
    fn known_values() {
        for (code, value) in [(0x30, 1.0), (0x80, -0.0), (0x40, 2.0), (0x20, 0.5), (0x52, 4.5), (0x7f, 31.0)]
        {
            assert_eq!(decode(code).to_bits(), f32::to_bits(value), "{code:#x}");
        }
        for value in [32.0, 1.0 / 128.0, 1.03, f32::NAN, f32::INFINITY, -33.0, 0.0151] {
            assert_eq!(encode(value), None, "{value}");
        }
    }
}
