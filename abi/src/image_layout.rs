//! Memory layout of texels: the tiled and the twiddled layout of the hardware.
//!
//! The rules follow the layout library of Mesa 25.0 and later, whose tests compare them with the vendor's
//! driver. Sizes are in elements: texels, or blocks of block-compressed formats. Sides have fewer than 2³⁰
//! of them. In the tiled layout large levels are rows of tiles of one page each, and levels smaller than
//! such a tile are padded to powers of two; elements of a tile are in Morton order, x in the lowest bit. The
//! twiddled layout uses the second form for all levels.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use crate::page_table::PAGE;

/// Alignment of levels in bytes.
const LINE: u64 = 0x80;
/// Levels of the largest images, whose sides have 32768 texels.
const MOST_LEVELS: u32 = 16;

/// The two layouts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Rows of tiles.
    Tiled,
    /// Morton order throughout.
    Twiddled,
}

/// An image in one of these layouts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Which of the two.
    pub order: Order,
    /// Size of level 0 in texels.
    pub size: [u32; 2],
    /// Size of an element in texels.
    pub block: [u32; 2],
    /// Size of an element in bytes, with all its samples.
    pub element_bytes: u32,
    /// Number of levels that memory is allocated for.
    pub levels: u32,
    /// Layers start at multiples of a page.
    pub page_aligned: bool,
}

/// One level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// Size of the level in bytes, before alignment.
    pub bytes: u64,
    /// Size of a tile in elements.
    pub tile: [u32; 2],
    /// Elements per row, a whole number of tiles.
    pub stride: u32,
}

impl Level {
    /// The index of an element in its level.
    fn index(&self, [x, y]: [u32; 2]) -> u64 {
        let Level { tile, stride, .. } = *self;
        // The sides of tiles are powers of two.
        let [inner_x, inner_y] = [x & tile[0].saturating_sub(1), y & tile[1].saturating_sub(1)];
        let [corner_x, corner_y] = [x ^ inner_x, y ^ inner_y];
        let corner = area([corner_y, stride]).saturating_add(area([corner_x, tile[1]]));
        corner.saturating_add(interleave(inner_x, inner_y))
    }

    /// Whether another level of `size` elements has them in the same places. The index of an element is the sum of those of
    /// the bits of its coordinates.
    fn is_like(&self, other: &Level, [width, height]: [u32; 2]) -> bool {
        let bits = (0_u32..u32::BITS).map(|bit| 1_u32.unbounded_shl(bit));
        let columns = bits.clone().take_while(|x| *x < width).map(|x| [x, 0]);
        let rows = bits.take_while(|y| *y < height).map(|y| [0, y]);
        columns.chain(rows).all(|at| self.index(at) == other.index(at))
    }
}

/// The size of the largest tile: one page of elements of a given size.
fn largest_tile(element_bytes: u32) -> [u32; 2] {
    match element_bytes {
        0 | 1 => [128, 128],
        2 => [128, 64],
        3 | 4 => [64, 64],
        5..=8 => [64, 32],
        9..=16 => [32, 32],
        17..=32 => [32, 16],
        _ => [16, 16],
    }
}

/// An image of one level, from a device driver's point of view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageLayout(Layout);

impl ImageLayout {
    /// One level of `size` texels with `bytes` bytes each, samples included, tiled or twiddled.
    pub fn single(size: [u32; 2], bytes: u32, twiddled: bool) -> ImageLayout {
        let order = if twiddled { Order::Twiddled } else { Order::Tiled };
        ImageLayout(Layout {
            order,
            size,
            block: [1, 1],
            element_bytes: bytes,
            levels: 1,
            page_aligned: true,
        })
    }

    /// Byte offset of a texel.
    pub fn element(&self, at: [u32; 2]) -> u64 {
        self.0.offset(0, at, 0)
    }
}

/// The first bit of the units in a stride of depth or stencil.
const STRIDE_UNITS: u32 = 14;

/// The stride of depth or stencil in a render command, for this number of bytes between layers, a multiple of a
/// page: the number of pages minus one, and a bit for the presence of layers (values that Mesa 26.1 writes).
pub fn depth_stride(bytes: u64) -> u64 {
    (bytes / PAGE).saturating_sub(1) << STRIDE_UNITS | 1
}

/// The bytes between layers of depth or stencil that a render command encodes.
pub fn depth_stride_bytes(word: u64) -> u64 {
    strides(word).saturating_mul(PAGE)
}

/// The number of units in a stride, which is encoded minus one.
fn strides(word: u64) -> u64 {
    (word >> STRIDE_UNITS).saturating_add(1)
}

/// The bytes between layers of compression metadata that a render command encodes: lines minus one.
pub fn metadata_stride_bytes(word: u64) -> u64 {
    strides(word).saturating_mul(LINE)
}

/// Number of elements of a rectangle.
fn area([width, height]: [u32; 2]) -> u64 {
    u64::from(width).saturating_mul(u64::from(height))
}

fn minify(size: u32, level: u32) -> u32 {
    (size >> level.min(31)).max(1)
}

impl Layout {
    /// Number of levels that memory is allocated for in an image with more than one level: the hardware
    /// computes layer offsets for all of them.
    pub fn all_levels(size: [u32; 2], depth: u32) -> u32 {
        size[0].max(size[1]).max(depth).max(1).ilog2().saturating_add(1)
    }

    fn is_compressed(&self) -> bool {
        self.block != [1, 1]
    }

    /// Number of elements that cover a given number of texels along each axis.
    fn elements(&self, texels: [u32; 2]) -> [u32; 2] {
        let [width, height] = self.block;
        [texels[0].div_ceil(width.max(1)), texels[1].div_ceil(height.max(1))]
    }

    /// Size of a number of elements in bytes.
    fn bytes_of(&self, elements: u64) -> u64 {
        elements.saturating_mul(u64::from(self.element_bytes))
    }

    /// The size in elements of a tile of large levels if it is a page.
    pub fn page_tile(&self) -> Option<[u32; 2]> {
        let tile = largest_tile(self.element_bytes);
        let is_page = self.order == Order::Tiled && self.bytes_of(area(tile)) == PAGE;
        is_page.then_some(tile)
    }

    /// The first level that is padded to powers of two.
    fn first_small(&self) -> u32 {
        let tile = largest_tile(self.element_bytes);
        let [width, height] = self.elements(self.size);
        let mut texels = [width.saturating_mul(self.block[0]), height.saturating_mul(self.block[1])];
        for level in 0..MOST_LEVELS {
            let [w, h] = self.elements(texels);
            if w < tile[0] || h < tile[1] {
                return level;
            }
            texels = texels.map(|side| minify(side, 1));
        }
        MOST_LEVELS
    }

    /// The layout of a level.
    pub fn level(&self, level: u32) -> Level {
        match self.order {
            Order::Twiddled => self.twiddled(level),
            Order::Tiled if level < self.first_small() => self.large(level),
            Order::Tiled => self.small(level),
        }
    }

    /// A level of tiles of a page each.
    fn large(&self, level: u32) -> Level {
        let tile = largest_tile(self.element_bytes);
        let [width, height] = self.elements(self.size);
        let tiles = [width.div_ceil(tile[0]), height.div_ceil(tile[1])];
        let padded = tiles.map(|count| count.trailing_zeros() < level);
        let whole = area(tiles).unbounded_shr(level.saturating_mul(2));
        let columns = if padded[0] { tiles[1].unbounded_shr(level) } else { 0 };
        let rows = if padded[1] { tiles[0].unbounded_shr(level) } else { 0 };
        let corner = u64::from(padded[0] && padded[1]);
        let count =
            [u64::from(columns), u64::from(rows), corner].into_iter().fold(whole, u64::saturating_add);
        let extra = u32::from(self.is_compressed() && padded[0]);
        let row = self.elements([minify(self.size[0], level), 1])[0].saturating_add(extra);
        Level {
            bytes: self.bytes_of(count.saturating_mul(area(tile))),
            tile,
            stride: row.next_multiple_of(tile[0]),
        }
    }

    /// A level that is padded to powers of two.
    fn small(&self, level: u32) -> Level {
        let first = self.first_small();
        let elements = self.elements(self.size);
        let padded = elements.map(|side| match self.is_compressed() {
            true => minify(side.next_power_of_two(), first),
            false => minify(side, first).next_power_of_two(),
        });
        let [width, height] = padded.map(|side| minify(side, level.saturating_sub(first)));
        let side = match self.is_compressed() {
            true => width.min(height).next_power_of_two(),
            false => minify(elements[0].min(elements[1]), level).next_power_of_two(),
        };
        let row = self.elements([minify(self.size[0], level), 1])[0];
        Level {
            bytes: self.bytes_of(area([width, height])),
            tile: [side, side],
            stride: row.next_multiple_of(side),
        }
    }

    fn twiddled(&self, level: u32) -> Level {
        let elements = self.elements(self.size);
        let room = elements.map(|side| minify(side.next_power_of_two(), level));
        let logical = match self.is_compressed() {
            true => room,
            false => elements.map(|side| minify(side, level).next_power_of_two()),
        };
        let side = logical[0].min(logical[1]);
        Level { bytes: self.bytes_of(area(room)), tile: [side, side], stride: logical[0] }
    }

    /// Byte offset of a level within its layer.
    pub fn level_offset(&self, level: u32) -> u64 {
        (0..level).fold(0, |sum, level| aligned(self.level(level).bytes, LINE).saturating_add(sum))
    }

    /// Distance between layers in bytes.
    pub fn layer_stride(&self) -> u64 {
        let bytes = self.level_offset(self.levels);
        if self.page_aligned || self.order == Order::Twiddled { aligned(bytes, PAGE) } else { bytes }
    }

    /// Byte offset of an element from the start of the image.
    pub fn offset(&self, level: u32, at: [u32; 2], layer: u32) -> u64 {
        let index = self.level(level).index(at);
        let before = if layer == 0 { 0 } else { self.bytes(layer) };
        before.saturating_add(self.level_offset(level)).saturating_add(self.bytes_of(index))
    }

    /// Size of a given number of layers in bytes.
    pub fn bytes(&self, layers: u32) -> u64 {
        self.layer_stride().saturating_mul(u64::from(layers))
    }

    /// A level of an image of blocks as a level of an image of texels as large as its blocks. With several slices their
    /// distance is the same too. `None` if the hardware places the texels of no image like these blocks: the tiles of small
    /// levels, and rows of tiles of a page, can be larger for blocks than for texels.
    pub fn level_of_texels(&self, level: u32, slices: u32) -> Option<LevelOfTexels> {
        let size = self.elements(self.size.map(|side| minify(side, level)));
        let wanted = self.level(level);
        // An image of one level, and one whose levels before this one are as large as those of the blocks.
        let whole = size.map(|side| side.unbounded_shl(level));
        let images = [(0, size, 1), (level, whole, Layout::all_levels(whole, 1))];
        images.into_iter().find_map(|(own, size, levels)| {
            let layout = Layout { size, block: [1, 1], levels, ..*self };
            let has_place = slices == 1 || layout.layer_stride() == self.layer_stride();
            let start = self.level_offset(level).checked_sub(layout.level_offset(own))?;
            let is_like = has_place && layout.level(own).is_like(&wanted, size.map(|side| minify(side, own)));
            is_like.then_some(LevelOfTexels { layout, level: own, start })
        })
    }
}

/// A level of an image of blocks as a level of an image of texels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LevelOfTexels {
    /// The image of texels.
    pub layout: Layout,
    /// Its level.
    pub level: u32,
    /// Its first byte in the image of blocks.
    pub start: u64,
}

/// The next multiple of `alignment`, or the greatest number if there is none.
fn aligned(bytes: u64, alignment: u64) -> u64 {
    bytes.checked_next_multiple_of(alignment).unwrap_or(u64::MAX)
}

/// Interleaves the bits of two numbers, those of the first in the even positions.
fn interleave(x: u32, y: u32) -> u64 {
    let spread = |value: u32| (0_u32..16).fold(0, |sum, bit| sum | u64::from(value & 1 << bit) << bit);
    spread(x) | spread(y) << 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strides_of_depth_are_those_of_mesa() {
        // Images of 64 by 64, 128 by 128 and 200 by 300 texels of four bytes.
        for (pages, word) in [(1, 1), (4, 0xc001), (20, 0x4c001)] {
            assert_eq!(depth_stride(pages * PAGE), word);
            assert_eq!(depth_stride_bytes(word), pages * PAGE);
        }
        assert_eq!([0, 0xc000, 0x7c000].map(metadata_stride_bytes), [128, 512, 4096]);
    }

    fn tiled(size: [u32; 2], element_bytes: u32, levels: u32) -> Layout {
        Layout { order: Order::Tiled, size, block: [1, 1], element_bytes, levels, page_aligned: false }
    }

    #[test]
    fn elements_do_not_overlap() {
        for (size, bytes) in [([100, 20], 4), ([33, 33], 1), ([130, 70], 4), ([7, 5], 16), ([300, 200], 2)] {
            for order in [Order::Tiled, Order::Twiddled] {
                let levels = Layout::all_levels(size, 1);
                let layout = Layout { order, levels, ..tiled(size, bytes, 1) };
                let mut places: Vec<u64> = Vec::new();
                for level in 0..levels {
                    let [width, height] = size.map(|side| minify(side, level));
                    for layer in 0..2 {
                        for at in 0..width * height {
                            places.push(layout.offset(level, [at % width, at / width], layer));
                        }
                    }
                }
                let count = places.len();
                places.sort_unstable();
                places.dedup();
                assert_eq!(places.len(), count, "{size:?} {order:?}");
                let end = places.last().map_or(0, |last| last + u64::from(bytes));
                assert!(end <= layout.bytes(2), "{size:?} {order:?}");
            }
        }
    }

    /// Blocks and the texels that represent them are in the same places, for nearly all levels of images of many sizes.
    #[test]
    fn levels_of_blocks_are_levels_of_texels() {
        let sides = [1, 3, 5, 17, 20, 33, 36, 37, 100, 129, 257, 300];
        let sizes = sides.into_iter().flat_map(|width| sides.map(|height| [width, height]));
        let [mut found, mut missing] = [0, 0];
        for (size, (block, element_bytes)) in
            sizes.flat_map(|size| [(size, ([4, 4], 8)), (size, ([8, 5], 16))])
        {
            let levels = Layout::all_levels(size, 1);
            let blocks = Layout { block, levels, ..tiled(size, element_bytes, 1) };
            for level in 0..levels {
                let Some(texels) = blocks.level_of_texels(level, 1) else {
                    missing += 1;
                    continue;
                };
                found += 1;
                let [width, height] = blocks.elements(size.map(|side| minify(side, level)));
                assert_eq!(texels.layout.size.map(|side| minify(side, texels.level)), [width, height]);
                for at in (0..height).flat_map(|y| (0..width).map(move |x| [x, y])) {
                    let place = texels.start + texels.layout.offset(texels.level, at, 0);
                    assert_eq!(place, blocks.offset(level, at, 0), "{size:?} {block:?} {level} {at:?}");
                }
            }
        }
        assert!(missing * 10 < found, "{missing} {found}");
    }

    #[test]
    fn slices_of_blocks_have_the_distance_of_slices_of_texels() {
        let size = [1024, 1024];
        let blocks =
            Layout { block: [4, 4], page_aligned: true, ..tiled(size, 8, Layout::all_levels(size, 1)) };
        for level in 0..9 {
            let texels = blocks.level_of_texels(level, 8).expect("powers of two");
            assert_eq!(texels.layout.layer_stride(), blocks.layer_stride(), "{level}");
        }
    }

    #[test]
    fn a_row_of_blocks_with_a_padded_tile_is_no_row_of_texels() {
        // 129 blocks are five tiles of 32. Level 1 has 64 blocks, two tiles, and the hardware pads it to three.
        let blocks = Layout { block: [4, 4], ..tiled([513, 512], 16, 10) };
        assert_eq!(blocks.level(1).stride, 96);
        assert_eq!(blocks.level_of_texels(1, 1), None);
        assert!(blocks.level_of_texels(0, 1).is_some());
    }

    #[test]
    fn sizes_are_those_of_the_vendors_driver() {
        // A 64 by 64 image of four bytes is one page; its other levels follow at 128-byte boundaries.
        let layout = tiled([64, 64], 4, 7);
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 6].map(|level| layout.level_offset(level)),
            [0, 0x4000, 0x5000, 0x5400, 0x5500, 0x5580, 0x5600]
        );
        assert_eq!(tiled([130, 70], 4, 1).layer_stride(), 3 * 2 * 0x4000);
        assert_eq!(tiled([128, 128], 4, 1).offset(0, [64, 0], 0), 0x4000);
        assert_eq!(tiled([128, 128], 4, 1).offset(0, [1, 1], 0), 12);
    }
}
