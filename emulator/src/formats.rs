//! Element formats of device, stack, local and tile memory.
//!
//! Codes, sizes and decoding follow applegpu. Encoding (for stores) is not documented and follows the graphics APIs:
//! clamp, round to nearest even, NaN becomes zero.

use half::f16;

/// An element format: the four-bit code of memory and tile instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    I8,
    I16,
    I32,
    F16,
    Unorm8,
    Snorm8,
    Unorm16,
    Snorm16,
    Rgb10A2,
    Srgba8,
    Rg11B10F,
    Rgb9E5,
    Rg11B10FTowardZero,
    Rgb9E5TowardZero,
}

/// Codes in order; 9 and 11 are unknown.
const CODES: [Option<Format>; 16] = {
    use Format::*;
    [
        Some(I8),
        Some(I16),
        Some(I32),
        Some(F16),
        Some(Unorm8),
        Some(Snorm8),
        Some(Unorm16),
        Some(Snorm16),
        Some(Rgb10A2),
        None,
        Some(Srgba8),
        None,
        Some(Rg11B10F),
        Some(Rgb9E5),
        Some(Rg11B10FTowardZero),
        Some(Rgb9E5TowardZero),
    ]
};

impl Format {
    /// The format of a code, if known.
    pub(crate) fn from_code(code: u32) -> Option<Format> {
        CODES.get(code as usize).copied().flatten()
    }

    /// Bytes of one element; of the whole word for packed formats.
    pub(crate) fn bytes(self) -> u32 {
        use Format::*;
        match self {
            I8 | Unorm8 | Snorm8 | Srgba8 => 1,
            I16 | F16 | Unorm16 | Snorm16 => 2,
            I32 | Rgb10A2 | Rg11B10F | Rgb9E5 | Rg11B10FTowardZero | Rgb9E5TowardZero => 4,
        }
    }

    /// Number of components in one 32-bit word, for packed formats; they ignore the shift and the mask.
    pub(crate) fn packed_components(self) -> Option<u32> {
        use Format::*;
        match self {
            Rgb10A2 => Some(4),
            Rg11B10F | Rgb9E5 | Rg11B10FTowardZero | Rgb9E5TowardZero => Some(3),
            _ => None,
        }
    }

    /// The register value of an element. `component` counts from 0 (x); `raw` is the element, zero-extended, or the
    /// whole word of a packed format; `wide` selects 32-bit registers.
    pub(crate) fn decode(self, raw: u32, component: u32, wide: bool) -> u32 {
        use Format::*;
        let value = match self {
            I8 | I16 | I32 => return raw,
            F16 if !wide => return raw,
            F16 => return f16::from_bits(raw as u16).to_f32().to_bits(),
            Unorm8 => f64::from(raw) / 255.0,
            Snorm8 => (f64::from(raw as u8 as i8) / 127.0).max(-1.0),
            Unorm16 => f64::from(raw) / 65535.0,
            Snorm16 => (f64::from(raw as u16 as i16) / 32767.0).max(-1.0),
            Rgb10A2 if component == 3 => f64::from(raw >> 30) / 3.0,
            Rgb10A2 => f64::from(raw >> (10 * component) & 0x3ff) / 1023.0,
            Srgba8 if component == 3 => f64::from(raw) / 255.0,
            Srgba8 => srgb_to_linear(f64::from(raw) / 255.0),
            Rg11B10F | Rg11B10FTowardZero => small_float(raw, component),
            Rgb9E5 | Rgb9E5TowardZero => shared_exponent(raw, component),
        };
        if wide { (value as f32).to_bits() } else { u32::from(f16::from_f64(value).to_bits()) }
    }

    /// The element of a register value; `component` as in [`Format::decode`]. For packed formats the result is the
    /// component's part of the word, except for shared exponents, which need all components: see [`encode_rgb9e5`].
    pub(crate) fn encode(self, value: u32, component: u32, wide: bool) -> u32 {
        use Format::*;
        let float = || if wide { f32::from_bits(value) } else { f16::from_bits(value as u16).to_f32() };
        match self {
            I8 => value & 0xff,
            I16 => value & 0xffff,
            I32 => value,
            F16 if !wide => value & 0xffff,
            F16 => u32::from(f16::from_f32(float()).to_bits()),
            Unorm8 => unorm(float(), 255.0),
            Unorm16 => unorm(float(), 65535.0),
            Snorm8 => snorm(float(), 127.0) & 0xff,
            Snorm16 => snorm(float(), 32767.0) & 0xffff,
            Rgb10A2 if component == 3 => unorm(float(), 3.0) << 30,
            Rgb10A2 => unorm(float(), 1023.0) << (10 * component),
            Srgba8 if component == 3 => unorm(float(), 255.0),
            Srgba8 => unorm(linear_to_srgb(float()), 255.0),
            Rg11B10F => encode_small_float(float(), component, false),
            Rg11B10FTowardZero => encode_small_float(float(), component, true),
            Rgb9E5 | Rgb9E5TowardZero => 0,
        }
    }
}

/// Clamped to 0..=1, scaled, rounded to nearest even; NaN gives 0.
pub(crate) fn unorm(value: f32, scale: f64) -> u32 {
    libm::rint(f64::from(value).clamp(0.0, 1.0) * scale) as u32
}

/// Clamped to −1..=1, scaled, rounded to nearest even; NaN gives 0.
pub(crate) fn snorm(value: f32, scale: f64) -> u32 {
    libm::rint(f64::from(value).clamp(-1.0, 1.0) * scale) as i32 as u32
}

/// The sRGB transfer function of IEC 61966-2-1, decoding.
pub(crate) fn srgb_to_linear(value: f64) -> f64 {
    if value <= 0.04045 { value / 12.92 } else { libm::pow((value + 0.055) / 1.055, 2.4) }
}

/// The sRGB transfer function of IEC 61966-2-1, encoding.
pub(crate) fn linear_to_srgb(value: f32) -> f32 {
    let value = f64::from(value);
    let encoded =
        if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * libm::pow(value, 1.0 / 2.4) - 0.055 };
    encoded as f32
}

/// First bit and mantissa bits of the components of an 11-11-10 word.
const SMALL_FLOATS: [(u32, u32); 3] = [(0, 6), (11, 6), (22, 5)];

/// An unsigned float of 5 exponent bits (bias 15).
fn small_float(raw: u32, component: u32) -> f64 {
    let (shift, mantissa_bits) = SMALL_FLOATS[component.min(2) as usize];
    let field = raw >> shift & ((1 << (mantissa_bits + 5)) - 1);
    // The same layout as f16 without the sign and with fewer mantissa bits.
    f16::from_bits((field << (10 - mantissa_bits)) as u16).to_f64()
}

/// Negative and NaN handling as in the packed-float formats of the graphics APIs: negative gives 0, NaN stays NaN,
/// infinity stays infinity, finite values clamp to the largest finite one.
fn encode_small_float(value: f32, component: u32, toward_zero: bool) -> u32 {
    let (shift, mantissa_bits) = SMALL_FLOATS[component.min(2) as usize];
    let infinity = 0x1f_u32 << mantissa_bits;
    let field = if value.is_nan() {
        infinity | 1
    } else if value <= 0.0 {
        0
    } else if value.is_infinite() {
        infinity
    } else {
        small_field(f64::from(value), mantissa_bits, toward_zero).min(infinity - 1)
    };
    field << shift
}

/// Exponent and mantissa of a positive finite value.
fn small_field(value: f64, mantissa_bits: u32, toward_zero: bool) -> u32 {
    let exponent = libm::ilogb(value).max(-14);
    let scaled = libm::scalbn(value, mantissa_bits as i32 - exponent);
    let mantissa = if toward_zero { libm::trunc(scaled) } else { libm::rint(scaled) } as u32;
    // A subnormal has no implicit bit; a carry out of the mantissa correctly increments the exponent.
    (((exponent + 14) as u32) << mantissa_bits).saturating_add(mantissa)
}

/// `2^(e − 15) · m / 512`.
fn shared_exponent(raw: u32, component: u32) -> f64 {
    let mantissa = raw >> (9 * component.min(2)) & 0x1ff;
    libm::scalbn(f64::from(mantissa), (raw >> 27) as i32 - 24)
}

/// The word of three values with a shared exponent: the exponent fits the largest after rounding.
pub(crate) fn encode_rgb9e5(values: [f32; 3], toward_zero: bool) -> u32 {
    const LARGEST: f64 = 65408.0;
    let clamped = values.map(|value| if value > 0.0 { f64::from(value).min(LARGEST) } else { 0.0 });
    let largest = clamped.iter().fold(0.0_f64, |a, &b| a.max(b));
    let round = |value: f64| if toward_zero { libm::trunc(value) } else { libm::rint(value) };
    let mut exponent = if largest == 0.0 { 0 } else { (libm::ilogb(largest) + 16).max(0) };
    if round(libm::scalbn(largest, 24 - exponent)) > 511.0 {
        exponent += 1;
    }
    let mantissa = |index: usize| round(libm::scalbn(clamped[index], 24 - exponent)) as u32;
    mantissa(0) | mantissa(1) << 9 | mantissa(2) << 18 | (exponent as u32) << 27
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(value: f32) -> u32 {
        value.to_bits()
    }

    #[test]
    fn decodes_known_values() {
        use Format::*;
        let cases: &[(Format, u32, u32, f32)] = &[
            (Unorm8, 255, 0, 1.0),
            (Unorm8, 51, 0, 0.2),
            (Snorm8, 0x80, 0, -1.0),
            (Snorm8, 0x81, 0, -1.0),
            (Snorm16, 0x8000, 0, -1.0),
            (Unorm16, 0xffff, 0, 1.0),
            (F16, 0x3c00, 0, 1.0),
            (F16, 0x0001, 0, 5.960_464_5e-8),
            (Rgb10A2, 0xc000_0000, 3, 1.0),
            (Rgb10A2, 1023 << 10, 1, 1.0),
            (Srgba8, 255, 0, 1.0),
            (Srgba8, 0, 0, 0.0),
            (Srgba8, 51, 3, 0.2),
            (Rg11B10F, 0x3c0, 0, 1.0),
            (Rg11B10F, 0x1e0 << 22, 2, 1.0),
            (Rg11B10F, 0x7c0 << 11, 1, f32::INFINITY),
            (Rgb9E5, 256 | 16 << 27, 0, 1.0),
        ];
        for &(format, raw, component, value) in cases {
            assert_eq!(format.decode(raw, component, true), bits(value), "{format:?} {raw:#x}");
        }
        assert_eq!(I8.decode(0xff, 0, true), 0xff, "integers are zero-extended");
        assert_eq!(Unorm8.decode(255, 0, false), 0x3c00, "16-bit registers get halves");
    }

    #[test]
    fn every_code_survives_a_round_trip() {
        use Format::*;
        let cases: &[(Format, u32)] =
            &[(Unorm8, 0x100), (Unorm16, 0x1_0000), (F16, 0x7c01), (Srgba8, 0x100), (Rg11B10F, 0x7c1)];
        for &(format, codes) in cases {
            for raw in 0..codes {
                assert_eq!(format.encode(format.decode(raw, 0, true), 0, true), raw, "{format:?} {raw:#x}");
            }
        }
        for raw in (0..=0xff_u32).filter(|raw| *raw != 0x80) {
            assert_eq!(Snorm8.encode(Snorm8.decode(raw, 0, true), 0, true), raw);
        }
        for raw in 0..0x400 {
            let word = raw << 10;
            assert_eq!(Rgb10A2.encode(Rgb10A2.decode(word, 1, true), 1, true), word);
        }
        for raw in 0..=0x3e0 {
            let word = raw << 22;
            assert_eq!(Rg11B10F.encode(Rg11B10F.decode(word, 2, true), 2, true), word, "{raw:#x}");
        }
    }

    #[test]
    fn encoding_clamps_and_rounds() {
        use Format::*;
        assert_eq!(Unorm8.encode(bits(f32::NAN), 0, true), 0);
        assert_eq!(Unorm8.encode(bits(2.0), 0, true), 255);
        assert_eq!(Unorm8.encode(bits(0.5), 0, true), 128, "127.5 rounds to even");
        assert_eq!(Snorm8.encode(bits(-2.0), 0, true), 0x81);
        assert_eq!(Rg11B10F.encode(bits(-1.0), 0, true), 0);
        assert_eq!(Rg11B10F.encode(bits(1.0e9), 0, true), 0x7bf, "finite values stay finite");
        assert_eq!(Rg11B10F.encode(bits(1.0 + 3.0 / 128.0), 0, true), 0x3c2);
        assert_eq!(Rg11B10FTowardZero.encode(bits(1.0 + 3.0 / 128.0), 0, true), 0x3c1);
    }

    #[test]
    fn shared_exponents() {
        assert_eq!(encode_rgb9e5([1.0, 0.5, 0.0], false), 256 | 128 << 9 | 16 << 27);
        assert_eq!(encode_rgb9e5([f32::INFINITY, f32::NAN, -1.0], false), 511 | 31 << 27);
        // 511.75/512 rounds up to 512/512, which needs the next exponent.
        assert_eq!(encode_rgb9e5([511.75 / 512.0, 0.0, 0.0], false), 256 | 16 << 27);
        assert_eq!(encode_rgb9e5([511.75 / 512.0, 0.0, 0.0], true), 511 | 15 << 27);
        assert_eq!(encode_rgb9e5([0.0; 3], false), 0);
    }
}
