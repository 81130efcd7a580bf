//! Reads and writes samples of the tile by the graphics APIs' definition of the formats, independently of the compiler.

use agx_abi::tile::{ColourFormat, Numeric, TileFormat};
use half::f16;

/// The components of a sample, as floats or integers; missing ones are 0, 0, 0, 1.
pub fn read(format: ColourFormat, bytes: &[u8]) -> [f64; 4] {
    let desc = format.desc();
    let mut colour = [0.0, 0.0, 0.0, 1.0];
    let word = u32::from_le_bytes(bytes[..4].try_into().expect("samples have eight bytes"));
    for (at, out) in colour.iter_mut().enumerate().take(desc.components.into()) {
        let (byte, short) = (bytes[at], |at: usize| u16::from_le_bytes([bytes[2 * at], bytes[2 * at + 1]]));
        let wide = |at: usize| u32::from_le_bytes(bytes[4 * at..4 * at + 4].try_into().expect("four bytes"));
        *out = match (desc.tile, desc.numeric) {
            (TileFormat::U8Norm, _) => f64::from(byte) / 255.0,
            (TileFormat::S8Norm, _) => (f64::from(byte as i8) / 127.0).max(-1.0),
            (TileFormat::U16Norm, _) => f64::from(short(at)) / 65535.0,
            (TileFormat::S16Norm, _) => (f64::from(short(at) as i16) / 32767.0).max(-1.0),
            (TileFormat::Srgba8, _) if at == 3 => f64::from(byte) / 255.0,
            (TileFormat::Srgba8, _) => linear(f64::from(byte) / 255.0),
            (TileFormat::I8, Numeric::Sint) => f64::from(byte as i8),
            (TileFormat::I8, _) => f64::from(byte),
            (TileFormat::I16, Numeric::Uint) => f64::from(short(at)),
            (TileFormat::I16, Numeric::Sint) => f64::from(short(at) as i16),
            (TileFormat::I16, _) => f16::from_bits(short(at)).to_f64(),
            (TileFormat::I32, Numeric::Uint) => f64::from(wide(at)),
            (TileFormat::I32, Numeric::Sint) => f64::from(wide(at) as i32),
            (TileFormat::I32, _) => f64::from(f32::from_bits(wide(at))),
            (TileFormat::Rgb10A2, _) if at == 3 => f64::from(word >> 30) / 3.0,
            (TileFormat::Rgb10A2, _) => f64::from(word >> (10 * at) & 0x3ff) / 1023.0,
            (TileFormat::Rg11B10F, _) => small(word >> (11 * at), if at == 2 { 5 } else { 6 }),
            (TileFormat::Rgb9E5, _) => {
                f64::from(word >> (9 * at) & 0x1ff) * 2.0_f64.powi((word >> 27) as i32 - 24)
            }
        };
    }
    colour
}

/// A float of five exponent bits without sign.
fn small(bits: u32, mantissa: u32) -> f64 {
    let (exponent, fraction) = (bits >> mantissa & 31, bits & ((1 << mantissa) - 1));
    let fraction = f64::from(fraction) / f64::from(1_u32 << mantissa);
    if exponent == 0 {
        fraction * 2.0_f64.powi(-14)
    } else {
        (1.0 + fraction) * 2.0_f64.powi(exponent as i32 - 15)
    }
}

pub fn linear(encoded: f64) -> f64 {
    if encoded <= 0.04045 { encoded / 12.92 } else { ((encoded + 0.055) / 1.055).powf(2.4) }
}

fn encoded(linear: f64) -> f64 {
    if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

/// Whether a stored component is the nearest to `wanted`, with a tolerance of one thousandth of a step.
pub fn is_nearest(format: ColourFormat, at: usize, found: f64, wanted: f64, all: [f64; 4]) -> bool {
    let desc = format.desc();
    let relative = |bits: i32| (found - wanted).abs() <= wanted.abs() * 2.0_f64.powi(-bits) + 1e-6;
    let step = |low: f64, steps: f64| (found - wanted.clamp(low, 1.0)).abs() * steps <= 0.501;
    match (desc.numeric, desc.tile) {
        // Halves are rounded to the memory's format later.
        (Numeric::Unorm, TileFormat::I16) => (found - wanted.clamp(0.0, 1.0)).abs() <= 0.0005,
        (Numeric::Unorm, _) => step(0.0, f64::from((1_u32 << desc.bits[at]) - 1)),
        (Numeric::Snorm, _) => step(-1.0, f64::from((1_u32 << (desc.bits[at] - 1)) - 1)),
        (Numeric::Srgb, _) if at == 3 => step(0.0, 255.0),
        (Numeric::Srgb, _) => (encoded(found) - encoded(wanted.clamp(0.0, 1.0))).abs() * 255.0 <= 0.51,
        (Numeric::Uint, _) => found == wanted.clamp(0.0, f64::from(u32::MAX >> (32 - desc.bits[at]))),
        (Numeric::Sint, _) => {
            let largest = f64::from(u32::MAX >> (33 - desc.bits[at]));
            found == wanted.clamp(-largest - 1.0, largest)
        }
        (Numeric::Float, TileFormat::Rg11B10F) => {
            (found - wanted.max(0.0)).abs()
                <= wanted.max(0.0) * 2.0_f64.powi(if at == 2 { -6 } else { -7 }) + 1e-6
        }
        (Numeric::Float, TileFormat::Rgb9E5) => {
            let largest = all[..3].iter().fold(0.0, |a: f64, b| a.max(*b));
            (found - wanted.max(0.0)).abs() <= largest * 2.0_f64.powi(-9) + 1e-6
        }
        (Numeric::Float, TileFormat::I16) => relative(11),
        (Numeric::Float, _) => relative(22),
    }
}
