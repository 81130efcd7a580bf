//! Copies of images by the processor (`VK_EXT_host_image_copy`).
//!
//! Copies without conversion between layouts, for which the driver may choose the form of host memory, use packed rows.

use std::sync::Arc;

use agx_driver::Error;
use agx_driver::host_copy::{self, HostCopy};
use agx_driver::image::Image;
use ash::vk;

use super::transfer::{copies2, place, size};
use super::version_14::properties_14;
use crate::generated::members;
use crate::handles::shared;
use crate::objects::Device;
use crate::pointers::{Fill, slice, slice_mut};

/// The layouts that copies take: images have the same texels in all of them.
const LAYOUTS: &[vk::ImageLayout] = &[
    vk::ImageLayout::GENERAL,
    vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
    vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
    vk::ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL,
    vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
    vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
    vk::ImageLayout::TRANSFER_DST_OPTIMAL,
    vk::ImageLayout::PREINITIALIZED,
    vk::ImageLayout::DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL,
    vk::ImageLayout::DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL,
    vk::ImageLayout::DEPTH_ATTACHMENT_OPTIMAL,
    vk::ImageLayout::DEPTH_READ_ONLY_OPTIMAL,
    vk::ImageLayout::STENCIL_ATTACHMENT_OPTIMAL,
    vk::ImageLayout::STENCIL_READ_ONLY_OPTIMAL,
    vk::ImageLayout::READ_ONLY_OPTIMAL,
    vk::ImageLayout::ATTACHMENT_OPTIMAL,
    vk::ImageLayout::ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT,
];

/// Writes the layouts that copies accept. Without an array, only their number is written.
pub(super) fn layouts(count: &mut u32, room: *mut vk::ImageLayout) {
    // SAFETY: valid usage of `VkPhysicalDeviceHostImageCopyProperties`.
    let fill = unsafe { Fill::new(count, room) };
    // Properties have no result that could say that there is too little room.
    let _ = fill.fill(LAYOUTS, |layout, slot| *slot = *layout);
}

/// Writes the properties of such copies.
pub(super) fn describe(out: &mut vk::PhysicalDeviceHostImageCopyPropertiesEXT<'_>) {
    layouts(&mut out.copy_src_layout_count, out.p_copy_src_layouts);
    layouts(&mut out.copy_dst_layout_count, out.p_copy_dst_layouts);
    let version = properties_14();
    out.optimal_tiling_layout_uuid = version.optimal_tiling_layout_uuid;
    out.identical_memory_type_requirements = version.identical_memory_type_requirements;
}

/// A copy of a region between host memory and an image.
fn host_copy(
    image: &Image,
    layers: &vk::ImageSubresourceLayers,
    (offset, extent): (vk::Offset3D, vk::Extent3D),
    [row, rows]: [u32; 2],
) -> HostCopy {
    let (place, layers) = place(layers, offset, image);
    HostCopy { row, rows, image: place, size: size(extent, layers) }
}

pub(crate) fn copy_memory_to_image(
    _: &Arc<Device>,
    info: &vk::CopyMemoryToImageInfoEXT<'_>,
) -> Result<(), Error> {
    let image = shared(info.dst_image)?;
    for region in members::copy_memory_to_image_info_regions(info) {
        let bounds = (region.image_offset, region.image_extent);
        let pitch = [region.memory_row_length, region.memory_image_height];
        let copy = host_copy(&image, &region.image_subresource, bounds, pitch);
        // SAFETY: valid usage of `VkMemoryToImageCopy`: the memory has the texels of the region.
        let bytes = unsafe { slice(region.p_host_pointer.cast::<u8>(), copy.bytes(&image)) };
        copy.to_image(&image, bytes)?;
    }
    Ok(())
}

pub(crate) fn copy_image_to_memory(
    _: &Arc<Device>,
    info: &vk::CopyImageToMemoryInfoEXT<'_>,
) -> Result<(), Error> {
    let image = shared(info.src_image)?;
    for region in members::copy_image_to_memory_info_regions(info) {
        let bounds = (region.image_offset, region.image_extent);
        let pitch = [region.memory_row_length, region.memory_image_height];
        let copy = host_copy(&image, &region.image_subresource, bounds, pitch);
        // SAFETY: valid usage of `VkImageToMemoryCopy`: the memory has room for the texels of the region.
        let bytes = unsafe { slice_mut(region.p_host_pointer.cast::<u8>(), copy.bytes(&image)) };
        copy.from_image(&image, bytes)?;
    }
    Ok(())
}

pub(crate) fn copy_image_to_image(
    _: &Arc<Device>,
    info: &vk::CopyImageToImageInfoEXT<'_>,
) -> Result<(), Error> {
    let (from, to) = (shared(info.src_image)?, shared(info.dst_image)?);
    for region in members::copy_image_to_image_info_regions(info) {
        copies2(region, &from, &to).try_for_each(|copy| host_copy::copy_image(&from, &to, &copy))?;
    }
    Ok(())
}

pub(crate) fn transition_image_layout(
    _: &Arc<Device>,
    _: &[vk::HostImageLayoutTransitionInfoEXT<'_>],
) -> Result<(), Error> {
    Ok(())
}

/// The bytes of a subresource in copies that keep the layout of the image.
pub(super) fn packed_bytes(image: &Image, place: &vk::ImageSubresource) -> u64 {
    let [width, height, depth] = image.extent(place.mip_level);
    let layers = vk::ImageSubresourceLayers {
        aspect_mask: place.aspect_mask,
        mip_level: place.mip_level,
        base_array_layer: place.array_layer,
        layer_count: 1,
    };
    let whole = (vk::Offset3D::default(), vk::Extent3D { width, height, depth });
    host_copy(image, &layers, whole, [0; 2]).bytes(image) as u64
}
