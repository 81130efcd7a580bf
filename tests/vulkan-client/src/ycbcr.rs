//! Images of luma and chroma, with samplers that convert their colours.

use ash::vk;

use crate::Error;
use crate::device::Device;
use crate::request::fill;

/// A format of several planes: its name, Vulkan's number, bytes of a texel of each plane, and over how many texels of the first one of
/// the others reaches.
type Format = (&'static str, vk::Format, &'static [u32], [u32; 2]);

const FORMATS: &[Format] = &[
    ("420", vk::Format::G8_B8_R8_3PLANE_420_UNORM, &[1, 1, 1], [2, 2]),
    ("420-2", vk::Format::G8_B8R8_2PLANE_420_UNORM, &[1, 2], [2, 2]),
    ("422", vk::Format::G8_B8_R8_3PLANE_422_UNORM, &[1, 1, 1], [2, 1]),
    ("422-2", vk::Format::G8_B8R8_2PLANE_422_UNORM, &[1, 2], [2, 1]),
    ("444", vk::Format::G8_B8_R8_3PLANE_444_UNORM, &[1, 1, 1], [1, 1]),
    ("420-16", vk::Format::G16_B16_R16_3PLANE_420_UNORM, &[2, 2, 2], [2, 2]),
    ("420-2-16", vk::Format::G16_B16R16_2PLANE_420_UNORM, &[2, 4], [2, 2]),
];

const PLANES: [vk::ImageAspectFlags; 3] =
    [vk::ImageAspectFlags::PLANE_0, vk::ImageAspectFlags::PLANE_1, vk::ImageAspectFlags::PLANE_2];

/// A view of an image and a sampler, both with a conversion.
pub struct Converted {
    /// The view.
    pub view: vk::ImageView,
    /// The sampler.
    pub sampler: vk::Sampler,
}

/// The image of `ycbcr BINDING FORMAT WIDTH HEIGHT MODEL RANGE FILTER SWIZZLE PATTERN [PLACES]`, of which the last word says
/// where chroma is.
///
/// # Errors
/// Vulkan's error, or unknown words.
pub fn converted(device: &Device, words: &[String]) -> Result<Converted, Error> {
    let [_, name, width, height, model, range, filter, swizzle, pattern, places @ ..] = words else {
        return Err("`ycbcr` wants nine or ten words".into());
    };
    let [x, y] = match places.first().map(String::as_str) {
        None => [vk::ChromaLocation::MIDPOINT; 2],
        Some("cosited") => [vk::ChromaLocation::COSITED_EVEN; 2],
        Some("cosited-x") => [vk::ChromaLocation::COSITED_EVEN, vk::ChromaLocation::MIDPOINT],
        Some("cosited-y") => [vk::ChromaLocation::MIDPOINT, vk::ChromaLocation::COSITED_EVEN],
        Some(other) => return Err(format!("unknown places of chroma `{other}`").into()),
    };
    let known = FORMATS.iter().find(|(known, ..)| known == name);
    let (_, format, bytes, reach) = *known.ok_or_else(|| format!("unknown format `{name}`"))?;
    let size = [width.parse()?, height.parse()?];
    let image = filled(device, (format, bytes, reach), size, pattern)?;
    let filter = match filter.as_str() {
        "linear" => vk::Filter::LINEAR,
        _ => vk::Filter::NEAREST,
    };
    let conversion = vk::SamplerYcbcrConversionCreateInfo::default()
        .format(format)
        .ycbcr_model(model_of(model))
        .ycbcr_range(match range.as_str() {
            "narrow" => vk::SamplerYcbcrRange::ITU_NARROW,
            _ => vk::SamplerYcbcrRange::ITU_FULL,
        })
        .components(components(swizzle))
        .x_chroma_offset(x)
        .y_chroma_offset(y)
        .chroma_filter(filter);
    // SAFETY: handles are this device's; structures live through the calls.
    unsafe {
        let conversion = device.functions.create_sampler_ycbcr_conversion(&conversion, None)?;
        let mut converts = vk::SamplerYcbcrConversionInfo::default().conversion(conversion);
        let edge = vk::SamplerAddressMode::CLAMP_TO_EDGE;
        let sampler = vk::SamplerCreateInfo::default()
            .mag_filter(filter)
            .min_filter(filter)
            .address_mode_u(edge)
            .address_mode_v(edge)
            .address_mode_w(edge)
            .push_next(&mut converts);
        let sampler = device.functions.create_sampler(&sampler, None)?;
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .level_count(1)
            .layer_count(1);
        let mut converts = vk::SamplerYcbcrConversionInfo::default().conversion(conversion);
        let view = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(format)
            .subresource_range(range)
            .push_next(&mut converts);
        Ok(Converted { view: device.functions.create_image_view(&view, None)?, sampler })
    }
}

fn model_of(name: &str) -> vk::SamplerYcbcrModelConversion {
    match name {
        "rgb" => vk::SamplerYcbcrModelConversion::RGB_IDENTITY,
        "identity" => vk::SamplerYcbcrModelConversion::YCBCR_IDENTITY,
        "601" => vk::SamplerYcbcrModelConversion::YCBCR_601,
        "2020" => vk::SamplerYcbcrModelConversion::YCBCR_2020,
        _ => vk::SamplerYcbcrModelConversion::YCBCR_709,
    }
}

fn components(name: &str) -> vk::ComponentMapping {
    match name {
        "swapped" => vk::ComponentMapping {
            r: vk::ComponentSwizzle::B,
            g: vk::ComponentSwizzle::G,
            b: vk::ComponentSwizzle::R,
            a: vk::ComponentSwizzle::ZERO,
        },
        _ => vk::ComponentMapping::default(),
    }
}

/// An image whose planes are copied from a buffer.
fn filled(
    device: &Device,
    (format, bytes, reach): (vk::Format, &[u32], [u32; 2]),
    [width, height]: [u32; 2],
    pattern: &str,
) -> Result<vk::Image, Error> {
    let create = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(format)
        .extent(vk::Extent3D { width, height, depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST);
    let (mut copies, mut offset) = (Vec::new(), 0);
    for (number, (bytes, plane)) in bytes.iter().zip(PLANES).enumerate() {
        let [x, y] = if number == 0 { [1, 1] } else { reach };
        let (width, height) = (width.div_ceil(x), height.div_ceil(y));
        let layers = vk::ImageSubresourceLayers::default().aspect_mask(plane).layer_count(1);
        let copy = vk::BufferImageCopy::default()
            .buffer_offset(offset)
            .image_subresource(layers)
            .image_extent(vk::Extent3D { width, height, depth: 1 });
        copies.push(copy);
        offset += u64::from((width * height * bytes).next_multiple_of(16));
    }
    let content = device.buffer(&fill(pattern, offset as usize)?)?;
    // SAFETY: handles are this device's; structures live through the calls; the buffer has the bytes of all planes.
    unsafe {
        let image = device.functions.create_image(&create, None)?;
        let needs = device.functions.get_image_memory_requirements(image);
        let memory = device.allocate(needs, vk::MemoryPropertyFlags::DEVICE_LOCAL)?;
        device.functions.bind_image_memory(image, memory, 0)?;
        let general = vk::ImageLayout::GENERAL;
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .level_count(1)
            .layer_count(1);
        let barrier = vk::ImageMemoryBarrier::default()
            .dst_access_mask(vk::AccessFlags::MEMORY_WRITE)
            .new_layout(general)
            .image(image)
            .subresource_range(range);
        let stages = vk::PipelineStageFlags::ALL_COMMANDS;
        device.submit(|commands| {
            let none = vk::DependencyFlags::empty();
            device.functions.cmd_pipeline_barrier(commands, stages, stages, none, &[], &[], &[barrier]);
            device.functions.cmd_copy_buffer_to_image(commands, content.buffer, image, general, &copies);
            Ok(())
        })?;
        Ok(image)
    }
}
