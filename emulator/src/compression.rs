//! Metadata of compressed images, which describes how the texels of a subtile are stored.
//!
//! A tile of 16 by 16 samples has eight bytes of metadata, one for each subtile of 8 by 4. For an uncompressed subtile
//! the byte is the size of its data in bytes, minus one. Another value means that all texels are equal and only one is
//! stored; Mesa's driver clears images in this way. Other forms of the hardware's compression are not modelled: block
//! stores leave texels uncompressed.

use crate::textures::Texture;

/// Samples of a tile along each axis.
const TILE: u32 = 16;
/// Samples of a subtile along each axis.
const SUBTILE: [u32; 2] = [8, 4];
/// Bytes to which the metadata of a level is aligned.
const LINE: u64 = 0x80;

/// The byte for uncompressed texels of this size in bytes.
pub fn plain_code(bytes: u32) -> u8 {
    (32 * bytes - 1).min(255) as u8
}

/// The byte for texels of this size that are all equal, as written by the kernels with which Mesa 26.1 clears.
pub fn solid_code(bytes: u32) -> u8 {
    match bytes {
        1 => 0x60,
        2 => 0x01,
        4 => 0x03,
        _ => 0x07,
    }
}

/// The subtiles of a level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subtiles {
    /// Samples of a pixel along each axis.
    stretch: [u32; 2],
    /// Tiles along each axis.
    tiles: [u32; 2],
}

/// Where a sample is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InSubtile {
    /// Offset of the subtile's byte in the metadata of the level.
    pub metadata: u64,
    /// The first pixel of its tile.
    pub corner: [u32; 2],
    /// Number of the subtile in its tile: the texel of this index holds the value if all texels are equal.
    pub number: u32,
}

impl Subtiles {
    /// The subtiles of a level of this size in samples.
    fn new(size: [u32; 2], stretch: [u32; 2]) -> Subtiles {
        Subtiles { stretch, tiles: size.map(|side| side.div_ceil(TILE)) }
    }

    /// The subtiles of the first level of an image, whose size is in pixels.
    pub fn of_image(size: [u32; 2], samples: u32) -> Subtiles {
        let stretch = stretch(samples);
        Subtiles::new([0, 1].map(|axis| size[axis].saturating_mul(stretch[axis])), stretch)
    }

    /// Bytes of metadata.
    pub fn metadata_bytes(&self) -> u64 {
        self.tiles.iter().fold(8, |bytes, count| bytes * u64::from(count.next_power_of_two()))
    }

    /// Where a sample of a pixel is.
    pub fn locate(&self, [x, y]: [u32; 2], sample: u32) -> InSubtile {
        let [across, down] = self.stretch;
        let (column, row) = if across == 2 { (sample & 1, sample >> 1) } else { (0, sample) };
        let place = [x * across + column, y * down + row];
        let tile = place.map(|at| at / TILE);
        let number = place[1] % TILE / SUBTILE[1] * 2 + place[0] % TILE / SUBTILE[0];
        InSubtile {
            metadata: 8 * interleaved(tile, self.tiles) + u64::from(number),
            corner: [tile[0] * TILE / across, tile[1] * TILE / down],
            number,
        }
    }
}

/// The subtile of a sample of a texture.
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
    /// Pixels of a subtile along each axis.
    pub(crate) fn subtile_pixels(&self) -> [u32; 2] {
        let stretch = stretch(self.samples);
        [0, 1].map(|axis| SUBTILE[axis] / stretch[axis])
    }

    /// The byte for uncompressed texels.
    pub(crate) fn plain_code(&self) -> u8 {
        plain_code(self.format.bytes())
    }

    /// The byte for texels that are all equal.
    pub(crate) fn solid_code(&self) -> u8 {
        solid_code(self.format.bytes())
    }

    /// Offset of a level in the metadata of a layer, its bytes, and those of a whole layer. Levels smaller than a tile
    /// have no metadata.
    fn level_metadata(&self, level: u32) -> Option<(u64, u64, u64)> {
        let layout = self.layout?;
        let stretch = stretch(self.samples);
        let mut size = [0, 1].map(|axis| (layout.size[axis] * stretch[axis]).next_multiple_of(TILE));
        let (mut found, mut total) = (None, 0);
        for number in 0..layout.levels {
            if size[0].max(size[1]) < TILE {
                break;
            }
            let bytes = Subtiles::new(size, stretch).metadata_bytes();
            if number == level {
                found = Some((total, bytes));
            }
            total += bytes.next_multiple_of(LINE);
            size = size.map(|side| side.div_ceil(2));
        }
        found.map(|(start, bytes)| (start, bytes, total))
    }

    /// The subtiles of a level. Its size is halved and rounded down, whereas its metadata has room for halves rounded up.
    fn subtiles(&self, level: u32) -> Option<Subtiles> {
        let size = self.layout?.size.map(|side| (side >> level.min(31)).max(1));
        Some(Subtiles::of_image(size, self.samples))
    }

    /// The subtile of a sample of a compressed image; `None` for other images.
    pub(crate) fn subtile(&self, level: u32, [x, y, slice]: [u32; 3], sample: u32) -> Option<Subtile> {
        let metadata = self.metadata?;
        let (start, _, layer_bytes) = self.level_metadata(level)?;
        let found = self.subtiles(level)?.locate([x, y], sample);
        let [column, row] = found.corner;
        Some(Subtile {
            metadata: metadata + u64::from(slice) * layer_bytes + start + found.metadata,
            texel: self.texel(level, [column, row, slice], 0) + u64::from(found.number * self.format.bytes()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels of 33 by 128 pixels are 16 by 64 at level 1: tiles count from the halved size.
    #[test]
    fn samples_are_located_in_tiles_of_16() {
        let subtiles = Subtiles::of_image([16, 64], 1);
        let found = subtiles.locate([9, 37], 0);
        // Tile 2 of one column, third row of subtiles from the top, second column.
        assert_eq!(found, InSubtile { metadata: 2 * 8 + 3, corner: [0, 32], number: 3 });
        // Four samples of a pixel are two by two.
        let found = Subtiles::of_image([16, 16], 4).locate([15, 15], 3);
        assert_eq!(found, InSubtile { metadata: 3 * 8 + 7, corner: [8, 8], number: 7 });
        assert_eq!(Subtiles::of_image([33, 16], 1).metadata_bytes(), 4 * 8);
    }

    #[test]
    fn tiles_are_interleaved_as_far_as_both_sides_reach() {
        let cases = [([0, 0], 0), ([1, 0], 1), ([0, 1], 2), ([3, 3], 15), ([4, 0], 16), ([5, 2], 25)];
        for (tile, expected) in cases {
            assert_eq!(interleaved(tile, [8, 4]), expected, "{tile:?}");
        }
        assert_eq!(interleaved([0, 4], [4, 8]), 16);
    }
}
