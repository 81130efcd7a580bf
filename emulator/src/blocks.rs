//! Block-compressed texels: formats, and decoding a texel of a block.

use crate::astc;

/// A block-compressed format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Blocks {
    /// Bytes of a block.
    pub(crate) bytes: u32,
    /// Texels of a block along x and y.
    pub(crate) texels: [u32; 2],
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Bc1,
    Bc2,
    Bc3,
    Bc4,
    Bc5,
    Bc6(bool),
    Bc7,
    Etc2,
    Etc2Alpha,
    Etc2Punch,
    Eac1,
    Eac2,
    Astc,
}

/// Code of the channels in a descriptor (Mesa 25.0 driver), bytes, texels, kind.
const BLOCKS: [(u32, u32, [u32; 2], Kind); 27] = {
    use Kind::*;
    [
        (0x58, 8, [4, 4], Etc2),
        (0x59, 16, [4, 4], Etc2Alpha),
        (0x5a, 8, [4, 4], Etc2Punch),
        (0x5b, 8, [4, 4], Eac1),
        (0x5c, 16, [4, 4], Eac2),
        (0x60, 16, [4, 4], Astc),
        (0x61, 16, [5, 4], Astc),
        (0x62, 16, [5, 5], Astc),
        (0x63, 16, [6, 5], Astc),
        (0x64, 16, [6, 6], Astc),
        (0x65, 16, [8, 5], Astc),
        (0x66, 16, [8, 6], Astc),
        (0x67, 16, [8, 8], Astc),
        (0x68, 16, [10, 5], Astc),
        (0x69, 16, [10, 6], Astc),
        (0x6a, 16, [10, 8], Astc),
        (0x6b, 16, [10, 10], Astc),
        (0x6c, 16, [12, 10], Astc),
        (0x6d, 16, [12, 12], Astc),
        (0x74, 8, [4, 4], Bc1),
        (0x75, 16, [4, 4], Bc2),
        (0x76, 16, [4, 4], Bc3),
        (0x77, 8, [4, 4], Bc4),
        (0x78, 16, [4, 4], Bc5),
        (0x79, 16, [4, 4], Bc6(true)),
        (0x7a, 16, [4, 4], Bc6(false)),
        (0x7b, 16, [4, 4], Bc7),
    ]
};

/// How the numbers of a block are meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Numbers {
    Unsigned,
    Signed,
    /// Red, green and blue are on the sRGB curve. Decoding does not apply it.
    Srgb,
}

impl Blocks {
    /// The format of a code; `None` for formats of single texels and unused codes.
    pub(crate) fn from_code(code: u32) -> Option<Blocks> {
        let (_, bytes, texels, kind) = *BLOCKS.iter().find(|(known, ..)| *known == code)?;
        Some(Blocks { bytes, texels, kind })
    }

    /// Bits of the channels of a border colour; `None` if the encoding is not known.
    pub(crate) fn border_bits(&self) -> Option<[u32; 4]> {
        Some(match self.kind {
            Kind::Bc1
            | Kind::Bc2
            | Kind::Bc3
            | Kind::Bc7
            | Kind::Etc2
            | Kind::Etc2Alpha
            | Kind::Etc2Punch => [8; 4],
            Kind::Bc4 => [14, 0, 0, 0],
            Kind::Bc5 => [14, 14, 0, 0],
            Kind::Bc6(_) => [16, 16, 16, 0],
            Kind::Eac1 => [11, 0, 0, 0],
            Kind::Eac2 => [11, 11, 0, 0],
            Kind::Astc => return None,
        })
    }

    /// The channels of one texel of a block.
    pub(crate) fn decode(&self, block: u128, [x, y]: [u32; 2], numbers: Numbers) -> [f32; 4] {
        let signed = numbers == Numbers::Signed;
        let bytes = block.to_le_bytes();
        let at = (y * self.texels[0] + x) as usize;
        match self.kind {
            Kind::Bc1 => colours(&bytes, at, true),
            Kind::Bc2 => {
                let alpha = (block >> (4 * at) & 0xf) as f32 / 15.0;
                let [r, g, b, _] = colours(&bytes[8..], at, false);
                [r, g, b, alpha]
            }
            Kind::Bc3 => {
                let [r, g, b, _] = colours(&bytes[8..], at, false);
                [r, g, b, ramp(&bytes, at, false)]
            }
            Kind::Bc4 => [ramp(&bytes, at, signed), 0.0, 0.0, 1.0],
            Kind::Bc5 => [ramp(&bytes, at, signed), ramp(&bytes[8..], at, signed), 0.0, 1.0],
            Kind::Bc6(signed) => half_floats(&bytes, at, signed),
            Kind::Bc7 => {
                let mut texels = [0; 64];
                bcdec_rs::bc7(&bytes, &mut texels, 16);
                [0, 1, 2, 3].map(|channel| f32::from(texels[4 * at + channel]) / 255.0)
            }
            Kind::Astc => astc::texel(&bytes, self.texels, [x, y], numbers == Numbers::Srgb),
            _ => self.etc2(&bytes, at, signed),
        }
    }

    /// ETC2 and EAC.
    fn etc2(&self, bytes: &[u8; 16], at: usize, signed: bool) -> [f32; 4] {
        let mut texels = [0_u32; 16];
        match self.kind {
            Kind::Eac1 => return [alpha_ramp(bytes, at, signed), 0.0, 0.0, 1.0],
            Kind::Eac2 => {
                return [alpha_ramp(bytes, at, signed), alpha_ramp(&bytes[8..], at, signed), 0.0, 1.0];
            }
            Kind::Etc2Alpha => texture2ddecoder::decode_etc2_rgba8_block(bytes, &mut texels),
            Kind::Etc2Punch => texture2ddecoder::decode_etc2_rgba1_block(bytes, &mut texels),
            _ => texture2ddecoder::decode_etc2_rgb_block(bytes, &mut texels),
        }
        // Blue is in the lowest byte.
        let [b, g, r, a] = texels[at].to_le_bytes();
        // A transparent texel is black, whatever its block's colours are.
        if self.kind == Kind::Etc2Punch && a == 0 {
            return [0.0; 4];
        }
        [r, g, b, a].map(|channel| f32::from(channel) / 255.0)
    }
}

/// A texel with one of four colours between two RGB565 colours; with `punch`, the order of the two selects three
/// colours and black.
fn colours(bytes: &[u8], at: usize, punch: bool) -> [f32; 4] {
    let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let ends = [word(0), word(2)];
    let expand = |colour: u16| {
        let [r, g, b] = [colour >> 11, colour >> 5 & 0x3f, colour & 0x1f].map(f32::from);
        [r / 31.0, g / 63.0, b / 31.0]
    };
    let [first, second] = ends.map(expand);
    let mix = |weight: f32| {
        let [r, g, b] = [0, 1, 2].map(|channel| first[channel] + (second[channel] - first[channel]) * weight);
        [r, g, b, 1.0]
    };
    let code = bytes[4 + at / 4] >> (2 * (at % 4)) & 3;
    let three = punch && ends[0] <= ends[1];
    match (code, three) {
        (0, _) => mix(0.0),
        (1, _) => mix(1.0),
        (2, false) => mix(1.0 / 3.0),
        (3, false) => mix(2.0 / 3.0),
        (2, true) => mix(0.5),
        _ => [0.0; 4],
    }
}

/// A texel with one of eight values between two 8-bit values.
fn ramp(bytes: &[u8], at: usize, signed: bool) -> f32 {
    let value = |byte: u8| match signed {
        true => (f32::from(byte as i8) / 127.0).max(-1.0),
        false => f32::from(byte) / 255.0,
    };
    let ends = [value(bytes[0]), value(bytes[1])];
    let eight = if signed { bytes[0] as i8 > bytes[1] as i8 } else { bytes[0] > bytes[1] };
    let codes = bytes[2..8].iter().rev().fold(0_u64, |codes, byte| codes << 8 | u64::from(*byte));
    let code = codes >> (3 * at) & 7;
    let mix = |weight: f32| ends[0] + (ends[1] - ends[0]) * weight;
    match (code, eight) {
        (0, _) => ends[0],
        (1, _) => ends[1],
        (code, true) => mix((code - 1) as f32 / 7.0),
        (6, false) if signed => -1.0,
        (6, false) => 0.0,
        (7, false) => 1.0,
        (code, false) => mix((code - 1) as f32 / 5.0),
    }
}

/// A texel of three half floats.
fn half_floats(bytes: &[u8; 16], at: usize, signed: bool) -> [f32; 4] {
    let mut texels = [0.0_f32; 48];
    bcdec_rs::bc6h_float(bytes, &mut texels, 12, signed);
    [texels[3 * at], texels[3 * at + 1], texels[3 * at + 2], 1.0]
}

/// Modifiers of the eleven-bit format, by table (OpenGL ES 3.0, table C.12).
const MODIFIERS: [[i32; 4]; 16] = [
    [3, 6, 9, 15],
    [3, 7, 10, 13],
    [2, 5, 8, 13],
    [2, 4, 6, 13],
    [3, 6, 8, 12],
    [3, 7, 9, 11],
    [4, 7, 8, 11],
    [3, 5, 8, 11],
    [2, 6, 8, 10],
    [2, 5, 8, 10],
    [2, 4, 8, 10],
    [2, 5, 7, 10],
    [3, 4, 7, 10],
    [1, 2, 3, 10],
    [4, 6, 8, 9],
    [3, 5, 7, 9],
];

/// A texel with 11-bit values around one base; texels are in column order.
fn alpha_ramp(bytes: &[u8], at: usize, signed: bool) -> f32 {
    let place = (at % 4) * 4 + at / 4;
    let codes = bytes[2..8].iter().fold(0_u64, |codes, byte| codes << 8 | u64::from(*byte));
    let code = (codes >> (45 - 3 * place) & 7) as usize;
    let row = MODIFIERS[usize::from(bytes[1] & 15)];
    let modifier = if code < 4 { -row[code] } else { row[code - 4] - 1 };
    let multiplier = match i32::from(bytes[1] >> 4) {
        0 => modifier,
        multiplier => modifier * multiplier * 8,
    };
    if signed {
        let base = i32::from((bytes[0] as i8).max(-127)) * 8;
        return (base + multiplier).clamp(-1023, 1023) as f32 / 1023.0;
    }
    let base = i32::from(bytes[0]) * 8 + 4;
    (base + multiplier).clamp(0, 2047) as f32 / 2047.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn block(bytes: &[u8]) -> u128 {
        bytes.iter().rev().fold(0, |block, byte| block << 8 | u128::from(*byte))
    }

    #[test]
    fn four_colours_and_three_with_black() {
        let bc1 = Blocks::from_code(0x74).expect("known");
        // White and black; codes 0, 1, 2, 3 in the first row.
        let four = block(&[0xff, 0xff, 0, 0, 0b1110_0100, 0, 0, 0]);
        assert_eq!(bc1.decode(four, [0, 0], Numbers::Unsigned), [1.0; 4]);
        assert_eq!(bc1.decode(four, [1, 0], Numbers::Unsigned), [0.0, 0.0, 0.0, 1.0]);
        assert!((bc1.decode(four, [2, 0], Numbers::Unsigned)[0] - 2.0 / 3.0).abs() < 1e-6);
        let three = block(&[0, 0, 0xff, 0xff, 0b1110_0100, 0, 0, 0]);
        assert_eq!(bc1.decode(three, [2, 0], Numbers::Unsigned)[0], 0.5);
        assert_eq!(bc1.decode(three, [3, 0], Numbers::Unsigned), [0.0; 4]);
    }

    #[test]
    fn transparent_texels_of_etc2_are_black() {
        let punch = Blocks::from_code(0x5a).expect("known");
        // Differential, not opaque: base colour 0x84 without differences; code 2 is transparent, code 0 the base.
        let half = block(&[0x80, 0x80, 0x80, 0, 0xff, 0xfe, 0, 0]);
        assert_eq!(punch.decode(half, [3, 3], Numbers::Unsigned), [0.0; 4]);
        assert_eq!(
            punch.decode(half, [0, 0], Numbers::Unsigned),
            [132.0 / 255.0, 132.0 / 255.0, 132.0 / 255.0, 1.0]
        );
        // The same with the bit for opaque blocks.
        let opaque = block(&[0x80, 0x80, 0x80, 2, 0xff, 0xfe, 0, 0]);
        assert_eq!(punch.decode(opaque, [3, 3], Numbers::Unsigned)[3], 1.0);
    }

    #[test]
    fn every_block_has_texels() {
        let mut rng = Rng::new(5);
        let mut forbidden = 0;
        for (code, _, [width, height], _) in BLOCKS {
            let format = Blocks::from_code(code).expect("known");
            for _ in 0..400 {
                let block = u128::from(rng.next()) << 64 | u128::from(rng.next());
                let texel = format.decode(block, [width - 1, height - 1], Numbers::Unsigned);
                forbidden += u32::from(texel == [1.0, 0.0, 1.0, 1.0]);
            }
        }
        assert!(forbidden > 1000, "{forbidden} forbidden blocks");
    }

    #[test]
    fn ramps_have_eight_or_six_steps() {
        let bc4 = Blocks::from_code(0x77).expect("known");
        let eight = block(&[255, 0, 0b00_010_001, 0, 0, 0, 0, 0]);
        assert_eq!(bc4.decode(eight, [0, 0], Numbers::Unsigned)[0], 0.0);
        assert!((bc4.decode(eight, [1, 0], Numbers::Unsigned)[0] - 6.0 / 7.0).abs() < 1e-6);
        let six = block(&[0, 255, 0b00_111_110, 0, 0, 0, 0, 0]);
        assert_eq!(bc4.decode(six, [0, 0], Numbers::Unsigned)[0], 0.0);
        assert_eq!(bc4.decode(six, [1, 0], Numbers::Unsigned)[0], 1.0);
        assert_eq!(bc4.decode(block(&[0x80, 0x7f, 0, 0, 0, 0, 0, 0]), [0, 0], Numbers::Signed)[0], -1.0);
    }

    #[test]
    fn eleven_bits_around_a_base() {
        let eac = Blocks::from_code(0x5b).expect("known");
        // Base 128, multiplier 1, table 0, all codes 4: the modifier is 3 − 1.
        let codes = (0..16).fold(0_u64, |codes, _| codes << 3 | 4).to_be_bytes();
        let mut bytes = vec![128, 0x10];
        bytes.extend(&codes[2..]);
        let expected = (128.0 * 8.0 + 4.0 + 16.0) / 2047.0;
        assert!((eac.decode(block(&bytes), [2, 3], Numbers::Unsigned)[0] - expected).abs() < 1e-6);
    }

    /// Another decoder rounds to 8 bits. It reads some bytes past a block, and knows valid blocks only.
    #[test]
    fn two_decoders_agree_on_blocks_in_both_dimensions() {
        let mut rng = Rng::new(11);
        let formats = BLOCKS.into_iter().filter(|(.., kind)| *kind == Kind::Astc);
        for (code, _, [width, height], _) in formats {
            let format = Blocks::from_code(code).expect("known");
            let mut compared = 0;
            while compared < 300 {
                let block = u128::from(rng.next()) << 64 | u128::from(rng.next());
                let [x, y] = [width, height].map(|side| (rng.next() % u64::from(side)) as u32);
                let own = format.decode(block, [x, y], Numbers::Unsigned);
                if own == [1.0, 0.0, 1.0, 1.0] {
                    continue;
                }
                compared += 1;
                let mut padded = [0; 32];
                padded[..16].copy_from_slice(&block.to_le_bytes());
                let mut texels = [0; 144];
                texture2ddecoder::decode_astc_block(&padded, width as usize, height as usize, &mut texels);
                let [b, g, r, a] = texels[(y * width + x) as usize].to_le_bytes();
                for (own, other) in own.into_iter().zip([r, g, b, a]) {
                    let apart = (own * 255.0 - f32::from(other)).abs();
                    assert!(apart < 0.75, "{code:#x} {block:#034x} {x}, {y}: {own} and {other}");
                }
            }
        }
    }
}
