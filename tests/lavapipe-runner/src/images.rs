//! Images, texel buffers and samplers of a request on the device.

use ash::vk;

use crate::Error;
use crate::device::Device;
use crate::pipeline::{Mapped, allocate};
use crate::request::{Image, Sampler, TexelBuffer};

/// An image of the device, and a staging buffer for its texels.
pub struct Uploaded {
    /// The image.
    pub image: vk::Image,
    /// A view of all of it.
    pub view: vk::ImageView,
    /// Its texels before and after the run.
    pub staging: Mapped,
    copies: Vec<vk::BufferImageCopy>,
    aspect: vk::ImageAspectFlags,
}

/// Shape of an image by the machine's number of its dimension: Vulkan's type of image and view, whether the last size
/// is a depth, layers of one unit.
fn kind(dimension: u32) -> (vk::ImageType, vk::ImageViewType, bool, u32) {
    match dimension {
        0 => (vk::ImageType::TYPE_1D, vk::ImageViewType::TYPE_1D, false, 1),
        1 => (vk::ImageType::TYPE_1D, vk::ImageViewType::TYPE_1D_ARRAY, false, 1),
        3 => (vk::ImageType::TYPE_2D, vk::ImageViewType::TYPE_2D_ARRAY, false, 1),
        5 => (vk::ImageType::TYPE_3D, vk::ImageViewType::TYPE_3D, true, 1),
        6 => (vk::ImageType::TYPE_2D, vk::ImageViewType::CUBE, false, 6),
        7 => (vk::ImageType::TYPE_2D, vk::ImageViewType::CUBE_ARRAY, false, 6),
        _ => (vk::ImageType::TYPE_2D, vk::ImageViewType::TYPE_2D, false, 1),
    }
}

/// Creates an image and a buffer with its texels: all slices of a level together, levels at multiples of 16 bytes.
///
/// # Errors
/// Vulkan's error.
pub fn upload(device: &Device, request: &Image<'_>) -> Result<Uploaded, Error> {
    let (image_type, view_type, has_depth, unit) = kind(request.dimension);
    let [width, height, last] = request.size;
    let (depth, layers) = if has_depth { (last, 1) } else { (1, last * unit) };
    let format = vk::Format::from_raw(request.format as i32);
    let aspect = match format {
        vk::Format::D32_SFLOAT => vk::ImageAspectFlags::DEPTH,
        _ => vk::ImageAspectFlags::COLOR,
    };
    let usage = match request.storage {
        true => vk::ImageUsageFlags::STORAGE,
        false => vk::ImageUsageFlags::SAMPLED,
    };
    let flags = match unit {
        6 => vk::ImageCreateFlags::CUBE_COMPATIBLE,
        _ => vk::ImageCreateFlags::empty(),
    };
    let extent = vk::Extent3D { width, height, depth };
    let create = vk::ImageCreateInfo::default()
        .flags(flags)
        .image_type(image_type)
        .format(format)
        .extent(extent)
        .mip_levels(request.levels)
        .array_layers(layers)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(usage | vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST);
    let copies = copies(request, extent, layers, aspect);
    let staging = allocate(device, request.bytes, vk::BufferUsageFlags::TRANSFER_SRC)?;
    let (image, view) = device.image(&create, view_type, aspect)?;
    Ok(Uploaded { image, view, staging, copies, aspect })
}

/// The levels of an image in its buffer.
fn copies(
    request: &Image<'_>,
    extent: vk::Extent3D,
    layers: u32,
    aspect: vk::ImageAspectFlags,
) -> Vec<vk::BufferImageCopy> {
    let mut copies = Vec::new();
    let mut offset = 0u64;
    for level in 0..request.levels {
        let [width, height, depth] =
            [extent.width, extent.height, extent.depth].map(|size| (size >> level).max(1));
        let subresource = vk::ImageSubresourceLayers {
            aspect_mask: aspect,
            mip_level: level,
            base_array_layer: 0,
            layer_count: layers,
        };
        copies.push(
            vk::BufferImageCopy::default()
                .buffer_offset(offset)
                .image_subresource(subresource)
                .image_extent(vk::Extent3D { width, height, depth }),
        );
        let bytes = width * height * depth * layers * request.texel_bytes;
        offset = (offset + u64::from(bytes)).next_multiple_of(16);
    }
    copies
}

impl Uploaded {
    /// Records the copy of its texels to the image.
    pub fn fill(&self, device: &Device, command: vk::CommandBuffer) {
        device.prepare_image(command, self.image, self.aspect);
        let layout = vk::ImageLayout::GENERAL;
        // SAFETY: all handles are this device's, and the copies are within image and buffer.
        unsafe {
            let (buffer, copies) = (self.staging.buffer, &self.copies);
            device.functions.cmd_copy_buffer_to_image(command, buffer, self.image, layout, copies);
        }
    }

    /// Records the copy of the texels back to the buffer.
    pub fn read_back(&self, device: &Device, command: vk::CommandBuffer) {
        let layout = vk::ImageLayout::GENERAL;
        // SAFETY: as in `fill`.
        unsafe {
            let (buffer, copies) = (self.staging.buffer, &self.copies);
            device.functions.cmd_copy_image_to_buffer(command, self.image, layout, buffer, copies);
        }
    }
}

/// Creates a buffer with a view of its texels.
///
/// # Errors
/// Vulkan's error.
pub fn texel_buffer(device: &Device, request: &TexelBuffer<'_>) -> Result<(Mapped, vk::BufferView), Error> {
    let usage = vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER;
    let mapped = allocate(device, request.bytes, usage)?;
    let create = vk::BufferViewCreateInfo::default()
        .buffer(mapped.buffer)
        .format(vk::Format::from_raw(request.format as i32))
        .range(request.bytes.len() as u64);
    // SAFETY: the buffer is this device's.
    let view = unsafe { device.functions.create_buffer_view(&create, None) }?;
    Ok((mapped, view))
}

/// Creates a sampler.
///
/// # Errors
/// Vulkan's error.
pub fn sampler(device: &Device, request: &Sampler) -> Result<vk::Sampler, Error> {
    let filter = vk::Filter::from_raw(request.linear as i32);
    let wrap = vk::SamplerAddressMode::from_raw(request.wrap as i32);
    let mip = match request.levels {
        2 => vk::SamplerMipmapMode::LINEAR,
        _ => vk::SamplerMipmapMode::NEAREST,
    };
    let border = match request.border {
        1 => vk::BorderColor::FLOAT_OPAQUE_BLACK,
        2 => vk::BorderColor::FLOAT_OPAQUE_WHITE,
        _ => vk::BorderColor::FLOAT_TRANSPARENT_BLACK,
    };
    let create = vk::SamplerCreateInfo::default()
        .mag_filter(filter)
        .min_filter(filter)
        .mipmap_mode(mip)
        .address_mode_u(wrap)
        .address_mode_v(wrap)
        .address_mode_w(wrap)
        .max_lod(if request.levels == 0 { 0.25 } else { 15.0 })
        .compare_enable(request.compare != 0)
        .compare_op(vk::CompareOp::from_raw(request.compare.saturating_sub(1) as i32))
        .border_color(border);
    // SAFETY: the structure lives through the call.
    Ok(unsafe { device.functions.create_sampler(&create, None) }?)
}
