//! Buffers, images, their views, samplers.

use std::sync::Arc;

use agx_driver::Error;
use agx_driver::buffer::Buffer;
use agx_driver::image::{Binding, Image, ImageInfo};
use agx_driver::modifier::{MODIFIERS, Modifier, PlanePlace, Tiling};
use agx_driver::physical;
use agx_driver::sampler::{Sampler, SamplerInfo};
use agx_driver::view::{BufferView, ImageView, ViewInfo, composed};
use agx_driver::ycbcr::YcbcrConversion;
use ash::vk;

use super::host_copy::packed_bytes;
use crate::generated::members;
use crate::handles::{give, known, object, shared, take};
use crate::objects::Device;
use crate::pointers::{find, find_mut};

pub(crate) fn create_buffer(
    device: &Arc<Device>,
    info: &vk::BufferCreateInfo<'_>,
    out: &mut vk::Buffer,
) -> Result<(), Error> {
    *out = give(Arc::new(match info.flags.contains(vk::BufferCreateFlags::SPARSE_BINDING) {
        true => Buffer::sparse(info.size, &device.device.space)?,
        false => Buffer::new(info.size),
    }));
    Ok(())
}

pub(crate) fn destroy_buffer(_: &Arc<Device>, buffer: vk::Buffer) {
    drop(take(buffer));
}

pub(crate) fn get_buffer_device_address(_: &Arc<Device>, info: &vk::BufferDeviceAddressInfo<'_>) -> u64 {
    object(info.buffer).map_or(0, |buffer| buffer.address())
}

/// The address of a buffer follows from that of its memory.
pub(crate) fn get_buffer_opaque_capture_address(
    device: &Arc<Device>,
    info: &vk::BufferDeviceAddressInfo<'_>,
) -> u64 {
    get_buffer_device_address(device, info)
}

pub(crate) fn create_buffer_view(
    _: &Arc<Device>,
    info: &vk::BufferViewCreateInfo<'_>,
    out: &mut vk::BufferView,
) -> Result<(), Error> {
    let buffer = shared(info.buffer)?;
    *out = give(Arc::new(BufferView::new(&buffer, info.format, info.offset, info.range)?));
    Ok(())
}

pub(crate) fn destroy_buffer_view(_: &Arc<Device>, view: vk::BufferView) {
    drop(take(view));
}

/// The modifier of an image, and the places of its planes if the application determines them.
fn modifier_of<'a>(
    info: &'a vk::ImageCreateInfo<'_>,
) -> Result<(Modifier, Option<&'a [vk::SubresourceLayout]>), Error> {
    let unknown = Error::Unsupported { what: "an image with these modifiers" };
    if let Some(explicit) = find::<vk::ImageDrmFormatModifierExplicitCreateInfoEXT<'_>>(info.p_next) {
        let modifier = Modifier::find(explicit.drm_format_modifier).ok_or(unknown)?;
        let places = members::image_drm_format_modifier_explicit_create_info_ext_plane_layouts(explicit);
        return Ok((modifier, Some(places)));
    }
    let listed = find::<vk::ImageDrmFormatModifierListCreateInfoEXT<'_>>(info.p_next)
        .map(members::image_drm_format_modifier_list_create_info_ext_drm_format_modifiers)
        .unwrap_or_default();
    let supports = |modifier: &Modifier| {
        let tiling = Tiling::Modifier(*modifier);
        physical::image_format(info.format, info.image_type, tiling, info.usage, info.flags).is_some()
    };
    let mut known = MODIFIERS.into_iter().filter(|modifier| listed.contains(&modifier.number()));
    Ok((known.find(supports).ok_or(unknown)?, None))
}

/// The image of a structure, without memory.
pub(super) fn image_of(info: &vk::ImageCreateInfo<'_>) -> Result<Image, Error> {
    match info.tiling {
        vk::ImageTiling::LINEAR => Image::new(parameters(info, Tiling::Linear)),
        vk::ImageTiling::DRM_FORMAT_MODIFIER_EXT => {
            let (modifier, places) = modifier_of(info)?;
            let parameters = parameters(info, Tiling::Modifier(modifier));
            let place =
                |layout: &vk::SubresourceLayout| PlanePlace { offset: layout.offset, row: layout.row_pitch };
            match places {
                Some(places) => Image::placed(parameters, &places.iter().map(place).collect::<Vec<_>>()),
                None => Image::new(parameters),
            }
        }
        _ => Image::new(parameters(info, Tiling::Optimal)),
    }
}

fn parameters(info: &vk::ImageCreateInfo<'_>, tiling: Tiling) -> ImageInfo {
    let has = |flag| info.flags.contains(flag);
    ImageInfo {
        format: info.format,
        kind: info.image_type,
        size: [info.extent.width, info.extent.height, info.extent.depth],
        levels: info.mip_levels,
        layers: info.array_layers,
        samples: info.samples.as_raw(),
        usage: info.usage,
        tiling,
        disjoint: has(vk::ImageCreateFlags::DISJOINT),
        binding: match has(vk::ImageCreateFlags::SPARSE_BINDING) {
            true if has(vk::ImageCreateFlags::SPARSE_RESIDENCY) => Binding::Blocks,
            true => Binding::Pages,
            false => Binding::Whole,
        },
    }
}

pub(crate) fn create_image(
    device: &Arc<Device>,
    info: &vk::ImageCreateInfo<'_>,
    out: &mut vk::Image,
) -> Result<(), Error> {
    let image = image_of(info)?;
    if image.info.binding != Binding::Whole {
        image.reserve(&device.device.space)?;
    }
    *out = give(Arc::new(image));
    Ok(())
}

pub(crate) fn get_image_drm_format_modifier_properties_ext(
    _: &Arc<Device>,
    image: vk::Image,
    out: &mut vk::ImageDrmFormatModifierPropertiesEXT<'_>,
) -> Result<(), Error> {
    let Tiling::Modifier(modifier) = known(image)?.info.tiling else {
        return Err(Error::Invalid { what: "an image without a modifier" });
    };
    out.drm_format_modifier = modifier.number();
    Ok(())
}

pub(crate) fn destroy_image(_: &Arc<Device>, image: vk::Image) {
    drop(take(image));
}

pub(crate) fn get_image_subresource_layout(
    _: &Arc<Device>,
    image: vk::Image,
    place: &vk::ImageSubresource,
    out: &mut vk::SubresourceLayout,
) {
    if let Some(image) = object(image) {
        *out = layout(image, place);
    }
}

fn layout(image: &Image, place: &vk::ImageSubresource) -> vk::SubresourceLayout {
    let [offset, size, row_pitch, layer] =
        image.subresource(place.aspect_mask, place.mip_level, place.array_layer);
    vk::SubresourceLayout { offset, size, row_pitch, array_pitch: layer, depth_pitch: layer }
}

pub(crate) fn get_image_subresource_layout2(
    _: &Arc<Device>,
    image: vk::Image,
    place: &vk::ImageSubresource2KHR<'_>,
    out: &mut vk::SubresourceLayout2KHR<'_>,
) {
    if let Some(image) = object(image) {
        write_layout(image, &place.image_subresource, out);
    }
}

/// Writes the layout of a subresource, and the size of a copy by the processor that keeps it.
fn write_layout(image: &Image, place: &vk::ImageSubresource, out: &mut vk::SubresourceLayout2KHR<'_>) {
    out.subresource_layout = layout(image, place);
    if let Some(copy) = find_mut::<vk::SubresourceHostMemcpySizeEXT<'_>>(out.p_next) {
        copy.size = packed_bytes(image, place);
    }
}

pub(crate) fn get_device_image_subresource_layout(
    _: &Arc<Device>,
    info: &vk::DeviceImageSubresourceInfoKHR<'_>,
    out: &mut vk::SubresourceLayout2KHR<'_>,
) {
    let create = members::device_image_subresource_info_create_info(info);
    let place = members::device_image_subresource_info_subresource(info);
    if let (Some(Ok(image)), Some(place)) = (create.map(image_of), place) {
        write_layout(&image, &place.image_subresource, out);
    }
}

pub(crate) fn create_image_view(
    _: &Arc<Device>,
    info: &vk::ImageViewCreateInfo<'_>,
    out: &mut vk::ImageView,
) -> Result<(), Error> {
    let view = ViewInfo {
        kind: info.view_type,
        format: info.format,
        components: info.components,
        range: info.subresource_range,
    };
    *out = give(Arc::new(ImageView::new(shared(info.image)?, &view)?));
    Ok(())
}

pub(crate) fn destroy_image_view(_: &Arc<Device>, view: vk::ImageView) {
    drop(take(view));
}

pub(crate) fn create_sampler(
    device: &Arc<Device>,
    info: &vk::SamplerCreateInfo<'_>,
    out: &mut vk::Sampler,
) -> Result<(), Error> {
    let custom = match info.border_color {
        vk::BorderColor::FLOAT_CUSTOM_EXT | vk::BorderColor::INT_CUSTOM_EXT => {
            let custom = find::<vk::SamplerCustomBorderColorCreateInfoEXT<'_>>(info.p_next);
            let custom =
                custom.ok_or(Error::Invalid { what: "a custom border colour without its structure" })?;
            // SAFETY: all members of the union have the same size.
            let colour = unsafe { custom.custom_border_color.uint32 };
            Some((custom.format, colour))
        }
        _ => None,
    };
    let conversion = find::<vk::SamplerYcbcrConversionInfo<'_>>(info.p_next)
        .and_then(|converted| object(converted.conversion).copied());
    let info = SamplerInfo {
        filters: [info.mag_filter, info.min_filter],
        levels: info.mipmap_mode,
        wrap: [info.address_mode_u, info.address_mode_v, info.address_mode_w],
        anisotropy: (info.anisotropy_enable == vk::TRUE).then_some(info.max_anisotropy),
        compare: (info.compare_enable == vk::TRUE).then_some(info.compare_op),
        lod: [info.min_lod, info.max_lod],
        bias: info.mip_lod_bias,
        border: info.border_color,
        custom,
        pixels: info.unnormalized_coordinates == vk::TRUE,
        seams: info.flags.contains(vk::SamplerCreateFlags::NON_SEAMLESS_CUBE_MAP_EXT),
    };
    let mut sampler = Sampler::in_heap(&info, &device.device.chunks.samplers);
    sampler.conversion = conversion;
    *out = give(Arc::new(sampler));
    Ok(())
}

pub(crate) fn destroy_sampler(_: &Arc<Device>, sampler: vk::Sampler) {
    drop(take(sampler));
}

pub(crate) fn create_sampler_ycbcr_conversion(
    _: &Arc<Device>,
    info: &vk::SamplerYcbcrConversionCreateInfo<'_>,
    out: &mut vk::SamplerYcbcrConversion,
) -> Result<(), Error> {
    let swizzle = composed(info.components, [0, 1, 2, 3]);
    let places = [info.x_chroma_offset, info.y_chroma_offset];
    let conversion = YcbcrConversion::new(info.format, info.ycbcr_model, info.ycbcr_range, places, swizzle);
    *out = give(Arc::new(conversion));
    Ok(())
}

pub(crate) fn destroy_sampler_ycbcr_conversion(_: &Arc<Device>, conversion: vk::SamplerYcbcrConversion) {
    drop(take(conversion));
}
