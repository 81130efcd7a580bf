//! The pages of sparse images.
//!
//! Large levels of tiled images are rows of tiles of a page each, so tiles are bound at once: four, which are a standard block of
//! Vulkan, or one in volumes. The smaller levels of a layer follow them and are its mip tail.

use std::sync::Arc;

use agx_abi::image_layout::Layout;
use ash::vk;

use crate::Error;
use crate::format::{self, FormatDesc};
use crate::gpu::PAGE;
use crate::image::{Binding, Image, ImageInfo, Plane, PlaneLayout};
use crate::memory::Allocation;
use crate::physical;
use crate::reserved::Pages;

/// How a plane of an image is bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Granularity {
    /// Texels of a block that is bound at once.
    pub block: [u32; 3],
    /// The first level of the mip tail; without a tail the number of levels.
    pub tail_level: u32,
    /// Bytes of the tails of all layers or slices, a multiple of a block.
    pub tail_bytes: u64,
    /// The byte at which the application names them.
    pub tail_offset: u64,
}

/// Tiles of a block along the first two axes. Vulkan's standard blocks of two-dimensional images have four pages; those of volumes
/// would cross slices, which lie apart.
fn tiles(kind: vk::ImageType) -> [u32; 2] {
    match kind {
        vk::ImageType::TYPE_3D => [1, 1],
        _ => [2, 2],
    }
}

/// Texels of the block of an image of a type; `None` if its blocks are no pages.
fn block(layout: &Layout, kind: vk::ImageType) -> Option<[u32; 3]> {
    let ([width, height], [columns, rows]) = (layout.page_tile()?, tiles(kind));
    Some([columns * width * layout.block[0], rows * height * layout.block[1], 1])
}

/// The blocks of images with a format, type and usage by aspect; none if they cannot be bound by blocks.
pub fn blocks_of(info: &ImageInfo) -> Vec<(vk::ImageAspectFlags, [u32; 3])> {
    let Some(format) = format::find(info.format) else { return Vec::new() };
    let flags = vk::ImageCreateFlags::SPARSE_BINDING | vk::ImageCreateFlags::SPARSE_RESIDENCY;
    let found = physical::image_format(info.format, info.kind, info.tiling, info.usage, flags);
    let samples = found.map_or(0, |found| found.sample_counts.as_raw());
    match Image::new(*info) {
        Ok(image) if samples & info.samples != 0 => {
            let block =
                |plane: &Plane| Some((aspect(format, plane.number), block(&tiled(plane)?, info.kind)?));
            image.planes.iter().filter_map(block).collect()
        }
        _ => Vec::new(),
    }
}

/// How an image is bound by blocks, by aspect.
pub fn requirements(image: &Image) -> Vec<(vk::ImageAspectFlags, Granularity)> {
    let by_blocks = image.info.binding == Binding::Blocks;
    let planes = image.planes.iter().filter(|_| by_blocks);
    planes
        .filter_map(|plane| Some((aspect(image.format, plane.number), granularity(image, plane)?)))
        .collect()
}

/// The aspect of a plane.
fn aspect(format: &FormatDesc, plane: usize) -> vk::ImageAspectFlags {
    match (format.has_depth(), format.has_stencil()) {
        (true, _) if plane == 0 => vk::ImageAspectFlags::DEPTH,
        (_, true) => vk::ImageAspectFlags::STENCIL,
        _ => vk::ImageAspectFlags::COLOR,
    }
}

/// The layout of a plane that can be bound by blocks.
fn tiled(plane: &Plane) -> Option<Layout> {
    match plane.layout {
        PlaneLayout::Tiled(layout) => Some(layout),
        PlaneLayout::Linear(_) => None,
    }
}

/// How a plane of an image is bound by blocks, if it can be.
///
/// The tails of layers lie apart and need not be whole blocks, but applications bind all of them as one. They get names behind
/// the image, and [`named`] finds their places.
pub fn granularity(image: &Image, plane: &Plane) -> Option<Granularity> {
    let block = block(&tiled(plane)?, image.info.kind)?;
    let tail_level = tail_level(image, block);
    let before = image.planes.iter().take_while(|other| other.number < plane.number);
    let before: u64 = before.map(|other| tails(image, other, tail_level).1).sum();
    let (_, tail_bytes) = tails(image, plane, tail_level);
    Some(Granularity { block, tail_level, tail_bytes, tail_offset: image.reserved_bytes() + before })
}

/// The first level that is smaller than a block.
fn tail_level(image: &Image, block: [u32; 3]) -> u32 {
    let is_tail = |level: &u32| {
        let [width, height, _] = image.extent(*level);
        width < block[0] || height < block[1]
    };
    (0..image.info.levels).find(is_tail).unwrap_or(image.info.levels)
}

/// Bytes of the tail of a layer of a plane, and of all its tails together.
fn tails(image: &Image, plane: &Plane, tail_level: u32) -> (u64, u64) {
    if tail_level >= image.info.levels {
        return (0, 0);
    }
    let one = plane.layer_stride() - plane.level_offset(tail_level);
    (one, (one * u64::from(image.slices(tail_level))).next_multiple_of(image.alignment()))
}

/// The pages of a part of an image that the application names by its offset: itself, or the tails of layers or slices.
pub fn named(image: &Image, pages: &Pages) -> Vec<Pages> {
    let tail = image.planes.iter().filter(|_| pages.offset >= image.reserved_bytes()).find_map(|plane| {
        let whole = granularity(image, plane)?;
        let at = pages.offset.checked_sub(whole.tail_offset).filter(|at| *at < whole.tail_bytes)?;
        Some((plane, whole.tail_level, at))
    });
    let Some((plane, level, at)) = tail else { return vec![pages.clone()] };
    let (one, _) = tails(image, plane, level);
    let start = plane.offset + plane.level_offset(level);
    let mut all = Vec::new();
    for page in (0..pages.bytes).step_by(PAGE as usize) {
        let (layer, byte) = ((at + page) / one, (at + page) % one);
        // What fills the last block has no place.
        if layer < u64::from(image.slices(level)) {
            let memory = pages.memory.clone().map(|(memory, from)| (memory, from + page));
            let offset = start + layer * plane.layer_stride() + byte;
            add(&mut all, Pages { offset, bytes: PAGE, memory });
        }
    }
    all
}

/// Texels of an image that are bound at once.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    /// The level.
    pub level: u32,
    /// The layer.
    pub layer: u32,
    /// The first texel, a multiple of the block.
    pub offset: [u32; 3],
    /// Texels.
    pub extent: [u32; 3],
}

/// The pages of blocks of a plane of an image. Blocks follow each other in memory, and the tiles of a block; tiles outside of the
/// level have memory, too, but no place.
///
/// # Errors
/// The plane cannot be bound by blocks.
pub fn pages(
    image: &Image,
    plane: &Plane,
    blocks: &Blocks,
    memory: Option<&(Arc<Allocation>, u64)>,
) -> Result<Vec<Pages>, Error> {
    let unlike = || Error::Invalid { what: "an image is bound by blocks that it does not have" };
    let layout = tiled(plane).ok_or_else(unlike)?;
    let whole =
        granularity(image, plane).filter(|whole| blocks.level < whole.tail_level).ok_or_else(unlike)?;
    let [x, y, z]: [u32; 3] = std::array::from_fn(|axis| blocks.offset[axis] / whole.block[axis]);
    let [columns, rows, slices]: [u32; 3] =
        std::array::from_fn(|axis| blocks.extent[axis].div_ceil(whole.block[axis]));
    let level = layout.level(blocks.level);
    let [across, down] = tiles(image.info.kind);
    let start = plane.offset + plane.level_offset(blocks.level);
    let grid = level_tiles(&layout, plane.size(image.extent(blocks.level)));
    let mut all = Vec::new();
    let mut before = 0;
    for (slice, row, column) in (0..slices)
        .flat_map(|slice| (0..rows).flat_map(move |row| (0..columns).map(move |column| (slice, row, column))))
    {
        for (tile_y, tile_x) in (0..down).flat_map(|tile_y| (0..across).map(move |tile_x| (tile_y, tile_x))) {
            let place = [(x + column) * across + tile_x, (y + row) * down + tile_y];
            if place[0] < grid[0] && place[1] < grid[1] {
                let tile =
                    u64::from(place[1]) * u64::from(level.stride / level.tile[0]) + u64::from(place[0]);
                let layer = u64::from(blocks.layer + z + slice);
                let offset = start + layer * plane.layer_stride() + tile * PAGE;
                let memory = memory.map(|(memory, from)| (memory.clone(), from + before));
                add(&mut all, Pages { offset, bytes: PAGE, memory });
            }
            before += PAGE;
        }
    }
    Ok(all)
}

/// Tiles of a level along both axes, for its texels.
fn level_tiles(layout: &Layout, [width, height, _]: [u32; 3]) -> [u32; 2] {
    let tile = layout.page_tile().unwrap_or([1; 2]);
    [width.div_ceil(layout.block[0]).div_ceil(tile[0]), height.div_ceil(layout.block[1]).div_ceil(tile[1])]
}

/// Adds pages, to the last ones if they follow them in the resource and in memory.
fn add(all: &mut Vec<Pages>, pages: Pages) {
    let follows = |last: &Pages| {
        let in_memory = match (&last.memory, &pages.memory) {
            (Some((a, from)), Some((b, to))) => Arc::ptr_eq(a, b) && from + last.bytes == *to,
            (None, None) => true,
            _ => false,
        };
        in_memory && last.offset + last.bytes == pages.offset
    };
    match all.last_mut().filter(|last| follows(last)) {
        Some(last) => last.bytes += pages.bytes,
        None => all.push(pages),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(format: vk::Format, kind: vk::ImageType, size: [u32; 3], levels: u32, layers: u32) -> ImageInfo {
        ImageInfo {
            format,
            kind,
            size,
            levels,
            layers,
            samples: 1,
            usage: vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST,
            tiling: crate::modifier::Tiling::Optimal,
            disjoint: false,
            binding: Binding::Blocks,
        }
    }

    /// The place of a texel in the layout of a plane.
    fn texel(image: &Image, level: u32, at: [u32; 2], layer: u32) -> u64 {
        let layout = tiled(&image.planes[0]).expect("tiled");
        layout.offset(level, at, layer)
    }

    #[test]
    fn blocks_are_the_pages_of_their_texels() {
        let size = [300, 200, 1];
        let image = Image::new(info(vk::Format::R8G8B8A8_UNORM, vk::ImageType::TYPE_2D, size, 9, 2));
        let image = image.expect("an image");
        let plane = &image.planes[0];
        let all = requirements(&image);
        assert_eq!(all.len(), 1);
        let (aspect, needs) = all[0];
        assert_eq!((aspect, needs.block), (vk::ImageAspectFlags::COLOR, [128, 128, 1]));
        // 300 by 200; 150 by 100 texels are lower than a block.
        assert_eq!((needs.tail_level, needs.tail_offset), (1, image.reserved_bytes()));
        assert_eq!((needs.tail_bytes % 0x1_0000, image.requirements(aspect).1), (0, 0x1_0000));
        let tail = Pages { offset: needs.tail_offset, bytes: needs.tail_bytes, memory: None };
        let tail = named(&image, &tail);
        let own = plane.layer_stride() - texel(&image, 1, [0, 0], 0);
        assert_eq!(tail.iter().map(|pages| pages.bytes).sum::<u64>(), 2 * own);
        for layer in 0..2 {
            let first = texel(&image, 1, [0, 0], layer);
            assert!(tail.iter().any(|pages| pages.offset == first && pages.bytes == own), "{layer}");
        }
        let blocks = Blocks { level: 0, layer: 1, offset: [128, 128, 0], extent: [172, 72, 1] };
        let pages = pages(&image, plane, &blocks, None).expect("blocks");
        // The second block ends after one column of tiles.
        assert_eq!(pages.iter().map(|pages| pages.bytes).sum::<u64>(), (4 + 2) * PAGE);
        let has = |at| {
            let place = texel(&image, 0, at, 1);
            pages.iter().any(|pages| (pages.offset..pages.offset + pages.bytes).contains(&place))
        };
        for at in [[128, 128], [255, 199], [256, 128], [299, 199]] {
            assert!(has(at), "{at:?}");
        }
        assert!(!has([127, 128]) && !has([128, 127]));
        let tail = Blocks { level: 1, layer: 0, offset: [0; 3], extent: [64, 64, 1] };
        assert!(super::pages(&image, plane, &tail, None).is_err());
    }

    #[test]
    fn blocks_follow_each_other_in_memory() {
        let device = crate::device::Device::in_test();
        let memory = Arc::new(device.space.allocate(9 * PAGE, crate::memory::Place::High).expect("memory"));
        let size = [192, 128, 1];
        let image = Image::new(info(vk::Format::R8G8B8A8_UNORM, vk::ImageType::TYPE_2D, size, 1, 1));
        let image = image.expect("an image");
        let blocks = Blocks { level: 0, layer: 0, offset: [0; 3], extent: [192, 128, 1] };
        let all = pages(&image, &image.planes[0], &blocks, Some(&(memory, PAGE))).expect("blocks");
        let places: Vec<_> = all
            .iter()
            .map(|p| (p.offset / PAGE, p.bytes / PAGE, p.memory.as_ref().map(|m| m.1 / PAGE)))
            .collect();
        // Rows of three tiles. The second block has one column, and memory for two.
        assert_eq!(places, [(0, 2, Some(1)), (3, 2, Some(3)), (2, 1, Some(5)), (5, 1, Some(7))]);
    }

    #[test]
    fn the_tails_of_slices_are_bound_as_one() {
        let size = [128, 128, 8];
        let image = Image::new(info(vk::Format::R32_SFLOAT, vk::ImageType::TYPE_3D, size, 4, 1));
        let image = image.expect("an image");
        let needs = requirements(&image)[0].1;
        // 128 and 64 texels, then two slices of 32.
        assert_eq!((needs.tail_level, needs.tail_offset), (2, image.reserved_bytes()));
        let slice = image.planes[0].layer_stride() - texel(&image, 2, [0, 0], 0);
        assert_eq!(needs.tail_bytes, 2 * slice);
        let tail = Pages { offset: needs.tail_offset, bytes: needs.tail_bytes, memory: None };
        let pages = named(&image, &tail);
        assert_eq!(pages.iter().map(|pages| pages.bytes).sum::<u64>(), needs.tail_bytes);
        let has = |place: u64| pages.iter().any(|p| (p.offset..p.offset + p.bytes).contains(&place));
        for (level, slice) in [(2, 0), (2, 1), (3, 0)] {
            assert!(has(texel(&image, level, [0, 0], slice)), "{level} {slice}");
        }
        assert!(!has(texel(&image, 2, [0, 0], 2)) && !has(texel(&image, 1, [0, 0], 1)));
        // A part that the application names by its own offset stays as it is.
        let first = Pages { offset: 0, bytes: PAGE, memory: None };
        assert_eq!(named(&image, &first).iter().map(|pages| pages.offset).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn textures_read_through_the_table_of_their_layer() {
        use agx_abi::record::texture::{ADDRESS, MODE};
        use agx_abi::textures::{Field, TILED_HIGH, TILED_LAYER, TILED_LOW};
        let device = crate::device::Device::in_test();
        let whole = info(vk::Format::R8G8B8A8_UNORM, vk::ImageType::TYPE_2D, [128, 128, 1], 1, 3);
        let image = Image::new(whole).expect("an image");
        image.reserve(&device.space).expect("addresses");
        let plane = &image.planes[0];
        let mut part = crate::view::Part::slices(&image, plane, plane.format, 0);
        part.layers = [1, 2];
        let [texture, stored] = part.accessed();
        assert_eq!(MODE.get(&texture), 2);
        assert_eq!(Some(ADDRESS.get(&texture)), image.page_table(plane, 1));
        // Stores and atomics go to the pages themselves.
        let pages = image.address(plane) + plane.layer_stride();
        assert_eq!(agx_abi::record::image::ADDRESS.get(&stored), pages);
        let field = |Field { start, width }| agx_abi::record::bits(&texture, start, width);
        assert_eq!(field(TILED_HIGH) << 32 | field(TILED_LOW) << 7, pages);
        assert_eq!(field(TILED_LAYER) * PAGE, plane.layer_stride());
        let plain = Image::new(ImageInfo { binding: Binding::Pages, ..whole }).expect("an image");
        plain.reserve(&device.space).expect("addresses");
        let part = crate::view::Part::slices(&plain, &plain.planes[0], plane.format, 0);
        assert_eq!(MODE.get(&part.texture()), 0);
    }

    #[test]
    fn formats_without_pages_of_texels_have_no_blocks() {
        let of = |format, kind| blocks_of(&info(format, kind, [1; 3], 1, 1)).len();
        assert_eq!(of(vk::Format::R8G8B8A8_UNORM, vk::ImageType::TYPE_2D), 1);
        assert_eq!(of(vk::Format::D32_SFLOAT_S8_UINT, vk::ImageType::TYPE_2D), 2);
        assert_eq!(of(vk::Format::R8G8B8A8_UNORM, vk::ImageType::TYPE_1D), 0);
        assert_eq!(of(vk::Format::G8_B8R8_2PLANE_420_UNORM, vk::ImageType::TYPE_2D), 0);
        let storage = ImageInfo {
            usage: vk::ImageUsageFlags::STORAGE,
            ..info(vk::Format::R32_UINT, vk::ImageType::TYPE_2D, [1; 3], 1, 1)
        };
        assert_eq!(blocks_of(&storage).len(), 1);
        assert!(
            blocks_of(&ImageInfo {
                samples: 4,
                ..info(vk::Format::R8_UNORM, vk::ImageType::TYPE_2D, [1; 3], 1, 1)
            })
            .is_empty()
        );
    }
}
