//! Copies, clears, blits and resolves.

use agx_driver::command::{CommandBuffer, Recorder};
use agx_driver::image::Image;
use agx_driver::transfer::{Blit, Box3, BufferImageCopy, ImageCopy, Resolve};
use ash::vk;

use crate::generated::members;
use crate::handles::{object, owned};

pub(crate) fn cmd_fill_buffer(buffer: &mut CommandBuffer, to: vk::Buffer, offset: u64, size: u64, word: u32) {
    let Some(to) = object(to) else { return };
    let (address, bytes) = to.range(offset, size);
    buffer.record(move |recorder| recorder.fill_memory(address, bytes, word));
}

pub(crate) fn cmd_update_buffer(
    buffer: &mut CommandBuffer,
    to: vk::Buffer,
    offset: u64,
    _: u64,
    bytes: &[u8],
) {
    let Some(to) = object(to) else { return };
    let address = to.address() + offset;
    buffer.record_borrowed(
        |recorder| recorder.update_memory(address, bytes),
        || {
            let bytes = bytes.to_vec();
            move |recorder: &mut Recorder| recorder.update_memory(address, &bytes)
        },
    );
}

/// Copies regions: source, destination and bytes of each.
fn copy_buffer(
    buffer: &mut CommandBuffer,
    from: vk::Buffer,
    to: vk::Buffer,
    regions: impl Iterator<Item = [u64; 3]>,
) {
    let (Some(from), Some(to)) = (object(from), object(to)) else { return };
    for [source, destination, bytes] in regions {
        let places = [from.address() + source, to.address() + destination];
        buffer.record(move |recorder| recorder.copy_memory(places[0], places[1], bytes));
    }
}

pub(crate) fn cmd_copy_buffer(
    buffer: &mut CommandBuffer,
    from: vk::Buffer,
    to: vk::Buffer,
    regions: &[vk::BufferCopy],
) {
    copy_buffer(buffer, from, to, regions.iter().map(|r| [r.src_offset, r.dst_offset, r.size]));
}

pub(crate) fn cmd_copy_buffer2(buffer: &mut CommandBuffer, info: &vk::CopyBufferInfo2<'_>) {
    let regions = members::copy_buffer_info2_regions(info).iter();
    let regions = regions.map(|r| [r.src_offset, r.dst_offset, r.size]);
    copy_buffer(buffer, info.src_buffer, info.dst_buffer, regions);
}

/// A position in an image, with layers or slices as the third coordinate, and the number of layers.
pub(super) fn place(layers: &vk::ImageSubresourceLayers, offset: vk::Offset3D, image: &Image) -> (Box3, u32) {
    let count = match layers.layer_count {
        vk::REMAINING_ARRAY_LAYERS => image.info.layers - layers.base_array_layer,
        count => count,
    };
    let third = layers.base_array_layer + offset.z as u32;
    let at = [offset.x as u32, offset.y as u32, third];
    (Box3 { aspect: layers.aspect_mask, level: layers.mip_level, at }, count)
}

/// A size, with depth and layers as one number; one of them is 1.
pub(super) fn size(extent: vk::Extent3D, layers: u32) -> [u32; 3] {
    [extent.width, extent.height, extent.depth * layers]
}

/// The single aspects of a mask.
fn aspects(mask: vk::ImageAspectFlags) -> impl Iterator<Item = vk::ImageAspectFlags> {
    use vk::ImageAspectFlags as A;
    let all = A::COLOR | A::DEPTH | A::STENCIL | A::PLANE_0 | A::PLANE_1 | A::PLANE_2;
    let mut rest = (mask & all).as_raw();
    // The lowest bit first.
    std::iter::from_fn(move || {
        let bit = rest & rest.wrapping_neg();
        rest ^= bit;
        (bit != 0).then_some(A::from_raw(bit))
    })
}

/// The copies of a region, one for each aspect.
fn copies(region: &vk::ImageCopy, from: &Image, to: &Image) -> impl Iterator<Item = ImageCopy> + use<> {
    let (source, layers) = place(&region.src_subresource, region.src_offset, from);
    let (destination, others) = place(&region.dst_subresource, region.dst_offset, to);
    let [x, y, z] = size(region.extent, 1);
    // Layers of an array may be slices of a volume on the other side.
    let size = [x, y, z.max(layers).max(others)];
    let both = aspects(region.src_subresource.aspect_mask).zip(aspects(region.dst_subresource.aspect_mask));
    both.map(move |(one, other)| ImageCopy {
        from: Box3 { aspect: one, ..source },
        to: Box3 { aspect: other, ..destination },
        size,
    })
}

/// The copies of a region in its newer form.
pub(super) fn copies2(
    region: &vk::ImageCopy2<'_>,
    from: &Image,
    to: &Image,
) -> impl Iterator<Item = ImageCopy> + use<> {
    copies(&plain(region), from, to)
}

fn plain(region: &vk::ImageCopy2<'_>) -> vk::ImageCopy {
    vk::ImageCopy {
        src_subresource: region.src_subresource,
        src_offset: region.src_offset,
        dst_subresource: region.dst_subresource,
        dst_offset: region.dst_offset,
        extent: region.extent,
    }
}

fn copy_image(buffer: &mut CommandBuffer, from: vk::Image, to: vk::Image, regions: Vec<vk::ImageCopy>) {
    let (Some(from), Some(to)) = (owned(from), owned(to)) else { return };
    buffer.record(move |recorder| {
        for region in &regions {
            copies(region, &from, &to).try_for_each(|copy| recorder.copy_image(&from, &to, &copy))?;
        }
        Ok(())
    });
}

pub(crate) fn cmd_copy_image(
    buffer: &mut CommandBuffer,
    from: vk::Image,
    _: vk::ImageLayout,
    to: vk::Image,
    _: vk::ImageLayout,
    regions: &[vk::ImageCopy],
) {
    copy_image(buffer, from, to, regions.to_vec());
}

pub(crate) fn cmd_copy_image2(buffer: &mut CommandBuffer, info: &vk::CopyImageInfo2<'_>) {
    let regions = members::copy_image_info2_regions(info).iter().map(plain).collect();
    copy_image(buffer, info.src_image, info.dst_image, regions);
}

fn buffer_image(
    buffer: &mut CommandBuffer,
    memory: vk::Buffer,
    image: vk::Image,
    regions: Vec<vk::BufferImageCopy>,
    to_image: bool,
) {
    let (Some(memory), Some(image)) = (owned(memory), owned(image)) else { return };
    buffer.record(move |recorder| {
        for region in &regions {
            let (place, layers) = place(&region.image_subresource, region.image_offset, &image);
            let copy = BufferImageCopy {
                address: memory.address() + region.buffer_offset,
                row: region.buffer_row_length,
                rows: region.buffer_image_height,
                image: place,
                size: size(region.image_extent, layers),
            };
            match to_image {
                true => recorder.copy_to_image(&image, &copy)?,
                false => recorder.copy_from_image(&image, &copy)?,
            }
        }
        Ok(())
    });
}

pub(crate) fn cmd_copy_buffer_to_image(
    buffer: &mut CommandBuffer,
    from: vk::Buffer,
    to: vk::Image,
    _: vk::ImageLayout,
    regions: &[vk::BufferImageCopy],
) {
    buffer_image(buffer, from, to, regions.to_vec(), true);
}

pub(crate) fn cmd_copy_image_to_buffer(
    buffer: &mut CommandBuffer,
    from: vk::Image,
    _: vk::ImageLayout,
    to: vk::Buffer,
    regions: &[vk::BufferImageCopy],
) {
    buffer_image(buffer, to, from, regions.to_vec(), false);
}

fn plain_region(r: &vk::BufferImageCopy2<'_>) -> vk::BufferImageCopy {
    vk::BufferImageCopy {
        buffer_offset: r.buffer_offset,
        buffer_row_length: r.buffer_row_length,
        buffer_image_height: r.buffer_image_height,
        image_subresource: r.image_subresource,
        image_offset: r.image_offset,
        image_extent: r.image_extent,
    }
}

pub(crate) fn cmd_copy_buffer_to_image2(buffer: &mut CommandBuffer, info: &vk::CopyBufferToImageInfo2<'_>) {
    let regions = members::copy_buffer_to_image_info2_regions(info).iter().map(plain_region).collect();
    buffer_image(buffer, info.src_buffer, info.dst_image, regions, true);
}

pub(crate) fn cmd_copy_image_to_buffer2(buffer: &mut CommandBuffer, info: &vk::CopyImageToBufferInfo2<'_>) {
    let regions = members::copy_image_to_buffer_info2_regions(info).iter().map(plain_region).collect();
    buffer_image(buffer, info.dst_buffer, info.src_image, regions, false);
}

/// Calls `act` for the boxes of a range, one for each level and aspect.
fn each_box(image: &Image, range: &vk::ImageSubresourceRange, mut act: impl FnMut(Box3, [u32; 3])) {
    let levels = match range.level_count {
        vk::REMAINING_MIP_LEVELS => image.info.levels - range.base_mip_level,
        count => count,
    };
    let volume = image.info.kind == vk::ImageType::TYPE_3D;
    for level in range.base_mip_level..range.base_mip_level + levels {
        let [width, height, _] = image.extent(level);
        let layers = match range.layer_count {
            _ if volume => image.slices(level),
            vk::REMAINING_ARRAY_LAYERS => image.info.layers - range.base_array_layer,
            count => count,
        };
        let first = if volume { 0 } else { range.base_array_layer };
        for aspect in aspects(range.aspect_mask) {
            act(Box3 { aspect, level, at: [0, 0, first] }, [width, height, layers]);
        }
    }
}

/// Clears ranges of an image to the value of each aspect.
fn clear(
    buffer: &mut CommandBuffer,
    image: vk::Image,
    ranges: &[vk::ImageSubresourceRange],
    value: impl Fn(vk::ImageAspectFlags) -> [u32; 4],
) {
    let Some(known) = object(image) else { return };
    let mut clear_box = |place: Box3, size| {
        let value = value(place.aspect);
        buffer.record_borrowed(
            |recorder| recorder.clear_box(known.into(), place, size, value),
            || {
                let image = owned(image);
                move |recorder: &mut Recorder| {
                    let mut known = image.iter();
                    known.try_for_each(|known| recorder.clear_box((&**known).into(), place, size, value))
                }
            },
        );
    };
    ranges.iter().for_each(|range| each_box(known, range, &mut clear_box));
}

pub(crate) fn cmd_clear_color_image(
    buffer: &mut CommandBuffer,
    image: vk::Image,
    _: vk::ImageLayout,
    colour: &vk::ClearColorValue,
    ranges: &[vk::ImageSubresourceRange],
) {
    // SAFETY: all members of the union are four words, and all bits are valid.
    let value = unsafe { colour.uint32 };
    clear(buffer, image, ranges, |_| value);
}

pub(crate) fn cmd_clear_depth_stencil_image(
    buffer: &mut CommandBuffer,
    image: vk::Image,
    _: vk::ImageLayout,
    value: &vk::ClearDepthStencilValue,
    ranges: &[vk::ImageSubresourceRange],
) {
    let (depth, stencil) = (value.depth.to_bits(), value.stencil);
    clear(buffer, image, ranges, |aspect| {
        [if aspect == vk::ImageAspectFlags::STENCIL { stencil } else { depth }, 0, 0, 0]
    });
}

fn corner(offset: vk::Offset3D, layer: u32, image: &Image) -> [i32; 3] {
    let third = if image.info.kind == vk::ImageType::TYPE_3D { offset.z } else { layer as i32 };
    [offset.x, offset.y, third]
}

fn blit_image(
    buffer: &mut CommandBuffer,
    from: vk::Image,
    to: vk::Image,
    regions: Vec<vk::ImageBlit>,
    filter: vk::Filter,
) {
    let (Some(from), Some(to)) = (owned(from), owned(to)) else { return };
    buffer.record(move |recorder| {
        for region in &regions {
            let corners = |layers: &vk::ImageSubresourceLayers, offsets: [vk::Offset3D; 2], image: &Image| {
                let first = layers.base_array_layer;
                let last = first + layers.layer_count.min(image.info.layers - first);
                [corner(offsets[0], first, image), corner(offsets[1], last, image)]
            };
            for aspect in aspects(region.src_subresource.aspect_mask) {
                let blit = Blit {
                    aspect,
                    levels: [region.src_subresource.mip_level, region.dst_subresource.mip_level],
                    from: corners(&region.src_subresource, region.src_offsets, &from),
                    to: corners(&region.dst_subresource, region.dst_offsets, &to),
                    linear: filter == vk::Filter::LINEAR,
                };
                recorder.blit(&from, &to, &blit)?;
            }
        }
        Ok(())
    });
}

pub(crate) fn cmd_blit_image(
    buffer: &mut CommandBuffer,
    from: vk::Image,
    _: vk::ImageLayout,
    to: vk::Image,
    _: vk::ImageLayout,
    regions: &[vk::ImageBlit],
    filter: vk::Filter,
) {
    blit_image(buffer, from, to, regions.to_vec(), filter);
}

pub(crate) fn cmd_blit_image2(buffer: &mut CommandBuffer, info: &vk::BlitImageInfo2<'_>) {
    let plain = |r: &vk::ImageBlit2<'_>| vk::ImageBlit {
        src_subresource: r.src_subresource,
        src_offsets: r.src_offsets,
        dst_subresource: r.dst_subresource,
        dst_offsets: r.dst_offsets,
    };
    let regions = members::blit_image_info2_regions(info).iter().map(plain).collect();
    blit_image(buffer, info.src_image, info.dst_image, regions, info.filter);
}

fn resolve_image(buffer: &mut CommandBuffer, from: vk::Image, to: vk::Image, regions: Vec<vk::ImageResolve>) {
    let (Some(from), Some(to)) = (owned(from), owned(to)) else { return };
    buffer.record(move |recorder| {
        for region in &regions {
            let (source, layers) = place(&region.src_subresource, region.src_offset, &from);
            let (destination, _) = place(&region.dst_subresource, region.dst_offset, &to);
            recorder.resolve(
                [from.as_ref().into(), to.as_ref().into()],
                [source, destination],
                size(region.extent, layers),
                Resolve::Mean,
            )?;
        }
        Ok(())
    });
}

pub(crate) fn cmd_resolve_image(
    buffer: &mut CommandBuffer,
    from: vk::Image,
    _: vk::ImageLayout,
    to: vk::Image,
    _: vk::ImageLayout,
    regions: &[vk::ImageResolve],
) {
    resolve_image(buffer, from, to, regions.to_vec());
}

pub(crate) fn cmd_resolve_image2(buffer: &mut CommandBuffer, info: &vk::ResolveImageInfo2<'_>) {
    let plain = |r: &vk::ImageResolve2<'_>| vk::ImageResolve {
        src_subresource: r.src_subresource,
        src_offset: r.src_offset,
        dst_subresource: r.dst_subresource,
        dst_offset: r.dst_offset,
        extent: r.extent,
    };
    let regions = members::resolve_image_info2_regions(info).iter().map(plain).collect();
    resolve_image(buffer, info.src_image, info.dst_image, regions);
}
