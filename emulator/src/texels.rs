//! Texel formats: channels and type of texture and image descriptors (codes: Mesa 25.0 driver).
//!
//! Channel 0 is in the lowest bits. Values are four 32-bit patterns: floats for normalised and float types, integers
//! otherwise.

use std::fmt;

use half::f16;

use crate::blocks::{Blocks, Numbers};
use crate::formats::{Format, encode_rgb9e5, linear_to_srgb, snorm, srgb_to_linear, unorm};

/// Interpretation of the bits of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Unorm,
    Snorm,
    Uint,
    Sint,
    Float,
}

/// A texel format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TexelFormat {
    code: u32,
    /// Bits of each channel, lowest first.
    channels: &'static [u32],
    kind: Kind,
    srgb: bool,
    blocks: Option<Blocks>,
}

/// Code, bits of each channel.
const CHANNELS: [(u32, &[u32]); 17] = [
    (0x00, &[8]),
    (0x09, &[16]),
    (0x0a, &[8, 8]),
    (0x0b, &[5, 6, 5]),
    (0x0c, &[4, 4, 4, 4]),
    (0x0d, &[1, 5, 5, 5]),
    (0x0e, &[5, 5, 5, 1]),
    (0x21, &[32]),
    (0x23, &[16, 16]),
    (RG11B10, &[11, 11, 10]),
    (0x26, &[10, 10, 10, 2]),
    (RGB9E5, &[9, 9, 9, 5]),
    (0x28, &[8, 8, 8, 8]),
    (0x31, &[32, 32]),
    (0x32, &[16, 16, 16, 16]),
    (0x36, &[32, 32, 32]),
    (0x38, &[32, 32, 32, 32]),
];
const RG11B10: u32 = 0x25;
const RGB9E5: u32 = 0x27;

impl fmt::Display for TexelFormat {
    /// Bits of the channels, or bytes of a block, and the type.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.blocks {
            Some(Blocks { bytes, texels: [x, y], .. }) => write!(f, "{x}×{y} texels in {bytes} bytes")?,
            None => {
                let bits: Vec<String> = self.channels.iter().map(u32::to_string).collect();
                write!(f, "{} bits", bits.join("-"))?;
            }
        }
        write!(f, " {:?}{}", self.kind, if self.srgb { ", sRGB" } else { "" })
    }
}

impl TexelFormat {
    /// The format for the codes of channels and type; the error describes what is not modelled.
    pub(crate) fn new(code: u32, kind: u32, srgb: bool) -> Result<TexelFormat, &'static str> {
        let blocks = Blocks::from_code(code);
        let plain = CHANNELS.iter().find(|(known, _)| *known == code).map(|(_, channels)| *channels);
        let channels = plain.or(blocks.map(|_| &[8, 8, 8, 8][..])).ok_or("this texel format")?;
        let kinds = [Kind::Unorm, Kind::Snorm, Kind::Uint, Kind::Sint, Kind::Float];
        let kind = *kinds.get(kind as usize).ok_or("this texel type")?;
        Ok(TexelFormat { code, channels, kind, srgb, blocks })
    }

    /// Bytes of a texel, or of a block of block-compressed formats.
    pub(crate) fn bytes(&self) -> u32 {
        match self.blocks {
            Some(blocks) => blocks.bytes,
            None => self.channels.iter().sum::<u32>() / 8,
        }
    }

    /// Texels of a block along x and y.
    pub(crate) fn block(&self) -> [u32; 2] {
        self.blocks.map_or([1, 1], |blocks| blocks.texels)
    }

    /// Channels of a texel.
    pub(crate) fn channel_count(&self) -> usize {
        if self.code == RGB9E5 { 3 } else { self.channels.len() }
    }

    /// The texel with these channel bits, if every channel is `bits` wide.
    pub(crate) fn assemble(&self, bits: u32, channels: [u32; 4]) -> Option<u128> {
        if self.channels.iter().any(|wide| *wide != bits) {
            return None;
        }
        let numbered = channels.into_iter().take(self.channels.len()).enumerate();
        Some(numbered.fold(0, |texel, (at, value)| texel | u128::from(value) << (bits * at as u32)))
    }

    /// The same format without the sRGB curve.
    pub(crate) fn without_curve(self) -> TexelFormat {
        TexelFormat { srgb: false, ..self }
    }

    /// The channels of a texel of a block.
    pub(crate) fn decode_block(&self, block: u128, at: [u32; 2]) -> [u32; 4] {
        let Some(blocks) = self.blocks else { return self.decode(block) };
        let numbers = match self.kind {
            Kind::Snorm => Numbers::Signed,
            _ if self.srgb => Numbers::Srgb,
            _ => Numbers::Unsigned,
        };
        let mut channels = blocks.decode(block, at, numbers);
        if self.srgb {
            for channel in channels.iter_mut().take(3) {
                *channel = srgb_to_linear(f64::from(*channel)) as f32;
            }
        }
        channels.map(f32::to_bits)
    }

    /// The channels of a border colour. Each word has one channel, encoded as in the format; the error describes what
    /// is not known.
    ///
    /// Red, green and blue of sRGB formats have 12 bits and no curve; floats of fewer than 32 bits are half floats;
    /// blocks have 8 bits, single and double channels 14 or, in ETC2, 11 (Mesa, `agx_border.c`).
    pub(crate) fn decode_border(&self, words: [u32; 4]) -> Result<[u32; 4], &'static str> {
        let bits = match self.blocks {
            Some(blocks) => blocks.border_bits().ok_or("custom border colours of this block format")?,
            None if self.code == RGB9E5 => return Err("custom border colours of shared exponents"),
            None => [0, 1, 2, 3].map(|at| self.channels.get(at).copied().unwrap_or(0)),
        };
        let mut values = [0, 0, 0, self.one()];
        for (at, value) in values.iter_mut().enumerate().filter(|(at, _)| bits[*at] > 0) {
            let bits = match self.kind {
                Kind::Float if bits[at] < 32 => 16,
                _ if self.srgb && at < 3 => 12,
                _ => bits[at],
            };
            *value = self.decode_channel(words[at] & (u32::MAX >> (32 - bits)), bits, false);
        }
        Ok(values)
    }

    /// Whether values are integers.
    pub(crate) fn is_integer(&self) -> bool {
        matches!(self.kind, Kind::Uint | Kind::Sint)
    }

    /// The value one.
    pub(crate) fn one(&self) -> u32 {
        if self.is_integer() { 1 } else { 1.0_f32.to_bits() }
    }

    /// The channels of a texel; missing ones are 0, a missing fourth is one.
    pub(crate) fn decode(&self, texel: u128) -> [u32; 4] {
        let mut values = [0, 0, 0, self.one()];
        let packed = match self.code {
            RG11B10 => Some(Format::Rg11B10F),
            RGB9E5 => Some(Format::Rgb9E5),
            _ => None,
        };
        if let Some(format) = packed {
            for (component, value) in values.iter_mut().take(3).enumerate() {
                *value = format.decode(texel as u32, component as u32, true);
            }
            return values;
        }
        let mut shift = 0;
        for (at, (bits, value)) in self.channels.iter().zip(&mut values).enumerate() {
            let raw = (texel >> shift) as u32 & (u32::MAX >> (32 - bits));
            *value = self.decode_channel(raw, *bits, self.srgb && at < 3);
            shift += bits;
        }
        values
    }

    fn decode_channel(&self, raw: u32, bits: u32, srgb: bool) -> u32 {
        let signed = || (raw << (32 - bits)) as i32 >> (32 - bits);
        let most = f64::from(u32::MAX >> (32 - bits));
        match self.kind {
            Kind::Uint => raw,
            Kind::Sint => signed() as u32,
            Kind::Float if bits == 16 => f16::from_bits(raw as u16).to_f32().to_bits(),
            Kind::Float => raw,
            Kind::Snorm => {
                let largest = f64::from((u32::MAX >> (32 - bits) >> 1).max(1));
                ((f64::from(signed()) / largest).max(-1.0) as f32).to_bits()
            }
            Kind::Unorm if srgb => (srgb_to_linear(f64::from(raw) / most) as f32).to_bits(),
            Kind::Unorm => ((f64::from(raw) / most) as f32).to_bits(),
        }
    }

    /// The texel of four values. `toward_zero` rounds floats to 16 bits toward zero.
    pub(crate) fn encode(&self, values: [u32; 4], toward_zero: bool) -> u128 {
        let floats = values.map(f32::from_bits);
        match self.code {
            RGB9E5 => return u128::from(encode_rgb9e5([floats[0], floats[1], floats[2]], toward_zero)),
            RG11B10 => {
                let format = if toward_zero { Format::Rg11B10FTowardZero } else { Format::Rg11B10F };
                let word = (0..3).fold(0, |word, at| word | format.encode(values[at as usize], at, true));
                return u128::from(word);
            }
            _ => {}
        }
        let mut texel = 0;
        let mut shift = 0;
        for (at, bits) in self.channels.iter().enumerate() {
            let raw = self.encode_channel(values[at], *bits, self.srgb && at < 3, toward_zero);
            texel |= u128::from(raw & (u32::MAX >> (32 - bits))) << shift;
            shift += bits;
        }
        texel
    }

    fn encode_channel(&self, value: u32, bits: u32, srgb: bool, toward_zero: bool) -> u32 {
        let float = f32::from_bits(value);
        let most = u32::MAX >> (32 - bits);
        match self.kind {
            // Integers are clamped to the range of the channel.
            Kind::Uint => value.min(most),
            Kind::Sint => {
                let largest = (most >> 1) as i32;
                (value as i32).clamp(-largest - 1, largest) as u32
            }
            Kind::Float if bits == 16 => u32::from(half_bits(float, toward_zero)),
            Kind::Float => value,
            Kind::Snorm => snorm(float, f64::from(most >> 1)),
            Kind::Unorm if srgb => unorm(linear_to_srgb(float), f64::from(most)),
            Kind::Unorm => unorm(float, f64::from(most)),
        }
    }
}

fn half_bits(value: f32, toward_zero: bool) -> u16 {
    let nearest = f16::from_f32(value);
    let beyond = nearest.to_f32().abs() > value.abs();
    // The neighbour toward zero has the next smaller bit pattern.
    if toward_zero && beyond && value.is_finite() { nearest.to_bits() - 1 } else { nearest.to_bits() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(code: u32, kind: u32) -> TexelFormat {
        TexelFormat::new(code, kind, false).expect("known")
    }

    fn bits(values: [f32; 4]) -> [u32; 4] {
        values.map(f32::to_bits)
    }

    #[test]
    fn channels_start_at_the_lowest_bits() {
        assert_eq!(format(0x28, 0).decode(0x00ff_33ff), bits([1.0, 0.2, 1.0, 0.0]));
        assert_eq!(format(0x0b, 0).decode(0xf81f), bits([1.0, 0.0, 1.0, 1.0]));
        assert_eq!(format(0x00, 2).decode(7), [7, 0, 0, 1]);
        assert_eq!(format(0x0a, 3).decode(0x80ff), [u32::MAX, -128_i32 as u32, 0, 1]);
        assert_eq!(format(0x00, 1).decode(0x80), bits([-1.0, 0.0, 0.0, 1.0]));
        assert_eq!(format(0x23, 4).decode(0x3c00_bc00), bits([-1.0, 1.0, 0.0, 1.0]));
        assert_eq!(format(0x38, 4).bytes(), 16);
        assert!(TexelFormat::new(0x50, 0, false).is_err());
    }

    #[test]
    fn border_colours_have_a_word_for_each_channel() {
        let srgb = TexelFormat::new(0x28, 0, true).expect("known");
        assert_eq!(srgb.decode_border([0xfff, 0, 0, 0xff]), Ok(bits([1.0, 0.0, 0.0, 1.0])));
        assert_eq!(format(0x28, 0).decode_border([0x33, 0xff, 0, 0]), Ok(bits([0.2, 1.0, 0.0, 0.0])));
        assert_eq!(format(0x0a, 3).decode_border([0xff, 0x80, 7, 7]), Ok([u32::MAX, -128_i32 as u32, 0, 1]));
        assert_eq!(format(RG11B10, 4).decode_border([0x3c00, 0, 0xc000, 9]), Ok(bits([1.0, 0.0, -2.0, 1.0])));
        assert_eq!(format(0x78, 1).decode_border([0x1fff, 0x2001, 9, 9]), Ok(bits([1.0, -1.0, 0.0, 1.0])));
        assert!(format(RGB9E5, 4).decode_border([0; 4]).is_err());
        assert!(format(0x60, 0).decode_border([0; 4]).is_err(), "ASTC");
    }

    #[test]
    fn texels_survive_a_round_trip() {
        for (code, channels) in CHANNELS {
            for kind in 0..5 {
                let float = channels.iter().all(|bits| *bits >= 16) || matches!(code, RG11B10 | RGB9E5);
                if (kind == 4) != float && (kind == 4 || matches!(code, RG11B10 | RGB9E5)) {
                    continue;
                }
                let format = format(code, kind);
                let used = if format.bytes() == 16 { u128::MAX } else { (1 << (8 * format.bytes())) - 1 };
                // Patterns without NaNs, infinities and most negative normalised values.
                for pattern in [0_u128, 0x2184_2104_2184_2104_2184_2104_2184_2104] {
                    let texel = pattern & used;
                    let decoded = format.decode(texel);
                    let again = format.decode(format.encode(decoded, false));
                    assert_eq!(again, decoded, "{code:#x} kind {kind} {texel:#x}");
                }
            }
        }
    }

    #[test]
    fn stores_clamp() {
        assert_eq!(format(0x00, 2).encode([300, 0, 0, 0], false), 255);
        assert_eq!(format(0x00, 3).encode([-300_i32 as u32, 0, 0, 0], false), 0x80);
        assert_eq!(format(0x28, 0).encode(bits([2.0, -1.0, f32::NAN, 1.0]), false), 0xff00_00ff);
        let third = bits([1.0 / 3.0, 0.0, 0.0, 0.0]);
        let (near, down) = (format(0x09, 4).encode(third, false), format(0x09, 4).encode(third, true));
        assert_eq!((near, down), (0x3555, 0x3555));
        let up = bits([2.0 / 3.0, 0.0, 0.0, 0.0]);
        assert_eq!((format(0x09, 4).encode(up, false), format(0x09, 4).encode(up, true)), (0x3955, 0x3955));
        let big = bits([0.999_9, 0.0, 0.0, 0.0]);
        assert_eq!((format(0x09, 4).encode(big, false), format(0x09, 4).encode(big, true)), (0x3c00, 0x3bff));
    }
}
