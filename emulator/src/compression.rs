//! Metadata of compressed images, which describes how the texels of a subtile are stored.
//!
//! A tile of 16 by 16 samples has eight bytes of metadata, one for each subtile of 8 by 4. For an uncompressed subtile
//! the byte is the size of its data in bytes, minus one. Another value means that all texels are equal and only one is
//! stored; Mesa's driver clears images in this way. Other forms of the hardware's compression are not modelled: block
//! stores leave texels uncompressed.

use crate::textures::Texture;

/// Samples of a tile along each axis.
const TILE: u32 = 16;
/// Bytes to which the metadata of a level is aligned.
const LINE: u64 = 0x80;

/// The subtile of a sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Subtile {
    /// Address of its byte of metadata.
    pub(crate) metadata: u64,
    /// Address of its texel if there is only one.
    pub(crate) texel: u64,
}

/// Samples of a pixel along each axis.
fn stretch(samples: u32) -> [u32; 2] {
    [if samples == 4 { 2 } else { 1 }, if samples > 1 { 2 } else { 1 }]
}

/// Interleaves the bits of x and y; if one side is longer, its remaining bits follow.
fn interleaved([x, y]: [u32; 2], [width, height]: [u32; 2]) -> u64 {
    let bits = width.min(height).next_power_of_two().trailing_zeros();
    let mixed = (0..bits).fold(0, |all, bit| {
        all | u64::from(x >> bit & 1) << (2 * bit) | u64::from(y >> bit & 1) << (2 * bit + 1)
    });
    let longer = if width > height { x } else { y };
    mixed + (u64::from(longer >> bits << bits) << bits)
}

impl Texture {
    /// The byte for uncompressed texels.
    pub(crate) fn plain_code(&self) -> u8 {
        (32 * self.format.bytes() - 1).min(255) as u8
    }

    /// The byte for texels that are all equal, as written by the kernels with which Mesa 26.1 clears.
    pub(crate) fn solid_code(&self) -> u8 {
        match self.format.bytes() {
            1 => 0x60,
            2 => 0x01,
            4 => 0x03,
            _ => 0x07,
        }
    }

    /// Offset of a level in the metadata of a layer, its tiles along each axis, and the bytes of a whole layer.
    fn level_metadata(&self, level: u32) -> Option<(u64, [u32; 2], u64)> {
        let layout = self.layout?;
        let stretch = stretch(self.samples);
        let mut size = [0, 1].map(|axis| (layout.size[axis] * stretch[axis]).next_multiple_of(TILE));
        let (mut found, mut total) = (None, 0);
        for number in 0..layout.levels {
            let tiles = size.map(|side| side.div_ceil(TILE));
            if number == level {
                found = Some((total, tiles));
            }
            let padded = tiles.map(|count| u64::from(count.next_power_of_two()));
            total += (padded[0] * padded[1] * 8).next_multiple_of(LINE);
            if size[0].max(size[1]) <= TILE {
                break;
            }
            size = size.map(|side| side.div_ceil(2));
        }
        found.map(|(start, tiles)| (start, tiles, total))
    }

    /// The subtile of a sample of a compressed image; `None` for other images.
    pub(crate) fn subtile(&self, level: u32, [x, y, slice]: [u32; 3], sample: u32) -> Option<Subtile> {
        let metadata = self.metadata?;
        let (start, tiles, layer_bytes) = self.level_metadata(level)?;
        let [across, down] = stretch(self.samples);
        let (column, row) = if self.samples == 4 { (sample & 1, sample >> 1) } else { (0, sample) };
        let place = [x * across + column, y * down + row];
        let tile = place.map(|at| at / TILE);
        let number = place[1] % TILE / 4 * 2 + place[0] % TILE / 8;
        let byte = start + 8 * interleaved(tile, tiles) + u64::from(number);
        let corner = [tile[0] * TILE / across, tile[1] * TILE / down, slice];
        Some(Subtile {
            metadata: metadata + u64::from(slice) * layer_bytes + byte,
            texel: self.texel(level, corner, 0) + u64::from(number * self.format.bytes()),
        })
    }

    /// First address and bytes of the metadata of a level of a layer, of compressed images.
    pub(crate) fn metadata_range(&self, level: u32, layer: u32) -> Option<(u64, u64)> {
        let (start, tiles, layer_bytes) = self.level_metadata(level)?;
        let [width, height] = tiles.map(|count| u64::from(count.next_power_of_two()));
        Some((self.metadata? + u64::from(layer) * layer_bytes + start, 8 * width * height))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_interleaved_as_far_as_both_sides_reach() {
        let cases = [([0, 0], 0), ([1, 0], 1), ([0, 1], 2), ([3, 3], 15), ([4, 0], 16), ([5, 2], 25)];
        for (tile, expected) in cases {
            assert_eq!(interleaved(tile, [8, 4]), expected, "{tile:?}");
        }
        assert_eq!(interleaved([0, 4], [4, 8]), 16);
    }
}
