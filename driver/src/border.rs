//! Custom border colours of samplers.
//!
//! The colour has a word for each channel, encoded like the channel in the format of the image; the swizzle of the
//! texture is applied to it (Mesa, `agx_border.c`). The format must therefore be known. The encoding for shared
//! exponents and ASTC is not documented.

use ash::vk;
use half::f16;

use crate::format::{self, FLOAT, FormatDesc, SINT, SNORM, UINT};

/// Bytes of a colour.
pub const BYTES: usize = 16;

/// Bits of the channels of formats by their code, lowest first.
const CHANNELS: [(u8, [u32; 4]); 16] = [
    (0x00, [8, 0, 0, 0]),
    (0x09, [16, 0, 0, 0]),
    (0x0a, [8, 8, 0, 0]),
    (0x0b, [5, 6, 5, 0]),
    (0x0c, [4, 4, 4, 4]),
    (0x0d, [1, 5, 5, 5]),
    (0x0e, [5, 5, 5, 1]),
    (0x21, [32, 0, 0, 0]),
    (0x23, [16, 16, 0, 0]),
    (0x25, [11, 11, 10, 0]),
    (0x26, [10, 10, 10, 2]),
    (0x28, [8, 8, 8, 8]),
    (0x31, [32, 32, 0, 0]),
    (0x32, [16, 16, 16, 16]),
    (0x36, [32, 32, 32, 0]),
    (0x38, [32, 32, 32, 32]),
];

/// Bits of the channels of block-compressed formats, by code: BC1 to BC3 and BC7, BC4, BC5, BC6H, ETC2, EAC.
const BLOCKS: [(std::ops::RangeInclusive<u8>, [u32; 4]); 7] = [
    (0x74..=0x76, [8; 4]),
    (0x77..=0x77, [14, 0, 0, 0]),
    (0x78..=0x78, [14, 14, 0, 0]),
    (0x79..=0x7a, [16, 16, 16, 0]),
    (0x7b..=0x7b, [8; 4]),
    (0x58..=0x5a, [8; 4]),
    (0x5b..=0x5c, [11, 11, 0, 0]),
];

/// Bits of red, green and blue of sRGB formats, without the curve.
const SRGB_BITS: u32 = 12;

/// The colour, given as bits of floats or integers, encoded for images of a format; `None` if the encoding is not
/// known.
pub fn packed(format: vk::Format, colour: [u32; 4]) -> Option<[u8; BYTES]> {
    let format = format::find(format)?;
    let plain = CHANNELS.iter().find(|(code, _)| *code == format.channels).map(|(_, bits)| *bits);
    let block = || BLOCKS.iter().find(|(codes, _)| codes.contains(&format.channels)).map(|(_, bits)| *bits);
    let bits = plain.or_else(block)?;
    let mut words = [0; 4];
    for (component, channel) in format.swizzle.into_iter().enumerate() {
        let place = words.get_mut(usize::from(channel)).zip(bits.get(usize::from(channel)));
        if let Some((word, bits)) = place.filter(|(_, bits)| **bits > 0) {
            let bits = if format.srgb && component < 3 { SRGB_BITS } else { *bits };
            *word = coded(format, bits, colour[component]);
        }
    }
    let mut bytes = [0; BYTES];
    let all = words.into_iter().flat_map(u32::to_le_bytes);
    bytes.iter_mut().zip(all).for_each(|(to, from)| *to = from);
    Some(bytes)
}

/// The code of the fixed colour nearest to a colour of floats: transparent black, black, white.
pub fn nearest(colour: [u32; 4]) -> u64 {
    let [red, green, blue, alpha] = colour.map(f32::from_bits);
    match (alpha < 0.5, red + green + blue < 1.5) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    }
}

/// A value encoded in a channel with this number of bits.
fn coded(format: &FormatDesc, bits: u32, value: u32) -> u32 {
    let mask = u32::MAX >> (32 - bits);
    let float = f32::from_bits(value);
    match format.kind {
        UINT => value.min(mask),
        SINT => {
            let most = (mask >> 1) as i32;
            (value as i32).clamp(-most - 1, most) as u32 & mask
        }
        FLOAT if bits == 32 => value,
        FLOAT => f16::from_f32(float).to_bits().into(),
        SNORM => {
            let most = (mask >> 1) as f32;
            (float.clamp(-1.0, 1.0) * most).round_ties_even() as i32 as u32 & mask
        }
        _ => (f64::from(float.clamp(0.0, 1.0)) * f64::from(mask)).round_ties_even() as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_coded_as_in_memory() {
        let floats = [0.2_f32, -1.0, 1.0, 0.6].map(f32::to_bits);
        let cases = [
            (vk::Format::R8G8B8A8_UNORM, floats, [51, 0, 255, 153]),
            (vk::Format::B8G8R8A8_UNORM, floats, [255, 0, 51, 153]),
            (vk::Format::R8G8B8A8_SRGB, floats, [819, 0, 4095, 153]),
            (vk::Format::R8G8_SNORM, floats, [25, 0x81, 0, 0]),
            (vk::Format::R16_SFLOAT, floats, [0x3266, 0, 0, 0]),
            (vk::Format::R32G32_SFLOAT, floats, [floats[0], floats[1], 0, 0]),
            (vk::Format::R8G8B8A8_UINT, [7, 300, 0, 255], [7, 255, 0, 255]),
            (vk::Format::R16G16_SINT, [u32::MAX, 40_000, 9, 9], [0xffff, 0x7fff, 0, 0]),
            (vk::Format::BC4_UNORM_BLOCK, floats, [3277, 0, 0, 0]),
        ];
        for (format, colour, words) in cases {
            let expected = words.map(u32::to_le_bytes).concat();
            assert_eq!(packed(format, colour).map(|bytes| bytes.to_vec()), Some(expected), "{format:?}");
        }
        assert_eq!(packed(vk::Format::E5B9G9R9_UFLOAT_PACK32, floats), None);
        assert_eq!([floats, [0.1, 0.2, 0.9, 1.0].map(f32::to_bits), [0; 4]].map(nearest), [1, 1, 0]);
    }
}
