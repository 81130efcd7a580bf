//! Images: creation, filling, reading back, samplers.

use ash::vk;

use crate::Error;
use crate::device::{Buffer, Device};
use crate::request::fill;

/// Formats by name: format, bytes of a block, width and height of a block.
const FORMATS: &[(&str, vk::Format, u32, [u32; 2])] = &[
    ("rgba8", vk::Format::R8G8B8A8_UNORM, 4, [1, 1]),
    ("rgba8srgb", vk::Format::R8G8B8A8_SRGB, 4, [1, 1]),
    ("rgba8snorm", vk::Format::R8G8B8A8_SNORM, 4, [1, 1]),
    ("rgba8ui", vk::Format::R8G8B8A8_UINT, 4, [1, 1]),
    ("bgra8srgb", vk::Format::B8G8R8A8_SRGB, 4, [1, 1]),
    ("abgr8", vk::Format::A8B8G8R8_UNORM_PACK32, 4, [1, 1]),
    ("abgr8srgb", vk::Format::A8B8G8R8_SRGB_PACK32, 4, [1, 1]),
    ("abgr8snorm", vk::Format::A8B8G8R8_SNORM_PACK32, 4, [1, 1]),
    ("abgr8ui", vk::Format::A8B8G8R8_UINT_PACK32, 4, [1, 1]),
    ("abgr8i", vk::Format::A8B8G8R8_SINT_PACK32, 4, [1, 1]),
    ("r8snorm", vk::Format::R8_SNORM, 1, [1, 1]),
    ("r8i", vk::Format::R8_SINT, 1, [1, 1]),
    ("rg8snorm", vk::Format::R8G8_SNORM, 2, [1, 1]),
    ("rg8ui", vk::Format::R8G8_UINT, 2, [1, 1]),
    ("rg8i", vk::Format::R8G8_SINT, 2, [1, 1]),
    ("r16snorm", vk::Format::R16_SNORM, 2, [1, 1]),
    ("r16ui", vk::Format::R16_UINT, 2, [1, 1]),
    ("r16i", vk::Format::R16_SINT, 2, [1, 1]),
    ("rg16snorm", vk::Format::R16G16_SNORM, 4, [1, 1]),
    ("rg16i", vk::Format::R16G16_SINT, 4, [1, 1]),
    ("rgba16snorm", vk::Format::R16G16B16A16_SNORM, 8, [1, 1]),
    ("rgba16i", vk::Format::R16G16B16A16_SINT, 8, [1, 1]),
    ("rg32i", vk::Format::R32G32_SINT, 8, [1, 1]),
    ("rgba32i", vk::Format::R32G32B32A32_SINT, 16, [1, 1]),
    ("rgb10a2ui", vk::Format::A2B10G10R10_UINT_PACK32, 4, [1, 1]),
    ("b4g4r4a4", vk::Format::B4G4R4A4_UNORM_PACK16, 2, [1, 1]),
    ("a4r4g4b4", vk::Format::A4R4G4B4_UNORM_PACK16, 2, [1, 1]),
    ("a4b4g4r4", vk::Format::A4B4G4R4_UNORM_PACK16, 2, [1, 1]),
    ("a1r5g5b5", vk::Format::A1R5G5B5_UNORM_PACK16, 2, [1, 1]),
    ("rgba8i", vk::Format::R8G8B8A8_SINT, 4, [1, 1]),
    ("bgra8", vk::Format::B8G8R8A8_UNORM, 4, [1, 1]),
    ("r8", vk::Format::R8_UNORM, 1, [1, 1]),
    ("r8ui", vk::Format::R8_UINT, 1, [1, 1]),
    ("rg8", vk::Format::R8G8_UNORM, 2, [1, 1]),
    ("r16", vk::Format::R16_UNORM, 2, [1, 1]),
    ("r16f", vk::Format::R16_SFLOAT, 2, [1, 1]),
    ("rg16", vk::Format::R16G16_UNORM, 4, [1, 1]),
    ("rg16f", vk::Format::R16G16_SFLOAT, 4, [1, 1]),
    ("rg16ui", vk::Format::R16G16_UINT, 4, [1, 1]),
    ("rgba16f", vk::Format::R16G16B16A16_SFLOAT, 8, [1, 1]),
    ("rgba16", vk::Format::R16G16B16A16_UNORM, 8, [1, 1]),
    ("rgba16ui", vk::Format::R16G16B16A16_UINT, 8, [1, 1]),
    ("r32f", vk::Format::R32_SFLOAT, 4, [1, 1]),
    ("r32ui", vk::Format::R32_UINT, 4, [1, 1]),
    ("r32i", vk::Format::R32_SINT, 4, [1, 1]),
    ("rg32f", vk::Format::R32G32_SFLOAT, 8, [1, 1]),
    ("rg32ui", vk::Format::R32G32_UINT, 8, [1, 1]),
    ("rgb32f", vk::Format::R32G32B32_SFLOAT, 12, [1, 1]),
    ("rgb32ui", vk::Format::R32G32B32_UINT, 12, [1, 1]),
    ("rgb32i", vk::Format::R32G32B32_SINT, 12, [1, 1]),
    ("rgba32f", vk::Format::R32G32B32A32_SFLOAT, 16, [1, 1]),
    ("rgba32ui", vk::Format::R32G32B32A32_UINT, 16, [1, 1]),
    ("rgb10a2", vk::Format::A2B10G10R10_UNORM_PACK32, 4, [1, 1]),
    ("rg11b10f", vk::Format::B10G11R11_UFLOAT_PACK32, 4, [1, 1]),
    ("rgb9e5", vk::Format::E5B9G9R9_UFLOAT_PACK32, 4, [1, 1]),
    ("r5g6b5", vk::Format::R5G6B5_UNORM_PACK16, 2, [1, 1]),
    ("d32", vk::Format::D32_SFLOAT, 4, [1, 1]),
    ("d16", vk::Format::D16_UNORM, 2, [1, 1]),
    ("d32s8", vk::Format::D32_SFLOAT_S8_UINT, 4, [1, 1]),
    ("s8", vk::Format::S8_UINT, 1, [1, 1]),
    ("bc1", vk::Format::BC1_RGBA_UNORM_BLOCK, 8, [4, 4]),
    ("bc1srgb", vk::Format::BC1_RGB_SRGB_BLOCK, 8, [4, 4]),
    ("bc2", vk::Format::BC2_UNORM_BLOCK, 16, [4, 4]),
    ("bc3", vk::Format::BC3_UNORM_BLOCK, 16, [4, 4]),
    ("bc4", vk::Format::BC4_UNORM_BLOCK, 8, [4, 4]),
    ("bc4s", vk::Format::BC4_SNORM_BLOCK, 8, [4, 4]),
    ("bc5", vk::Format::BC5_UNORM_BLOCK, 16, [4, 4]),
    ("bc6h", vk::Format::BC6H_SFLOAT_BLOCK, 16, [4, 4]),
    ("bc6hu", vk::Format::BC6H_UFLOAT_BLOCK, 16, [4, 4]),
    ("bc7", vk::Format::BC7_UNORM_BLOCK, 16, [4, 4]),
    ("etc2", vk::Format::ETC2_R8G8B8_UNORM_BLOCK, 8, [4, 4]),
    ("etc2a1", vk::Format::ETC2_R8G8B8A1_UNORM_BLOCK, 8, [4, 4]),
    ("etc2a", vk::Format::ETC2_R8G8B8A8_UNORM_BLOCK, 16, [4, 4]),
    ("eac", vk::Format::EAC_R11_UNORM_BLOCK, 8, [4, 4]),
    ("eac2", vk::Format::EAC_R11G11_UNORM_BLOCK, 16, [4, 4]),
    ("astc4x4", vk::Format::ASTC_4X4_UNORM_BLOCK, 16, [4, 4]),
    ("astc6x5", vk::Format::ASTC_6X5_UNORM_BLOCK, 16, [6, 5]),
    ("astc8x8", vk::Format::ASTC_8X8_UNORM_BLOCK, 16, [8, 8]),
];

/// A format and its block.
#[derive(Clone, Copy)]
pub struct Format {
    /// The format.
    pub format: vk::Format,
    /// Bytes of a block.
    pub bytes: u32,
    /// Texels of a block.
    pub block: [u32; 2],
}

/// A format by name.
///
/// # Errors
/// There is no format with this name.
pub fn format(name: &str) -> Result<Format, Error> {
    let found = FORMATS.iter().find(|(known, ..)| *known == name);
    let (_, format, bytes, block) = found.ok_or_else(|| format!("unknown format `{name}`"))?;
    Ok(Format { format: *format, bytes: *bytes, block: *block })
}

/// The aspects of a format that are copied.
pub fn aspect(format: vk::Format) -> vk::ImageAspectFlags {
    match format {
        vk::Format::D32_SFLOAT | vk::Format::D16_UNORM => vk::ImageAspectFlags::DEPTH,
        vk::Format::D32_SFLOAT_S8_UINT => vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL,
        vk::Format::S8_UINT => vk::ImageAspectFlags::STENCIL,
        _ => vk::ImageAspectFlags::COLOR,
    }
}

/// An image and a view of all of it.
#[derive(Clone, Copy)]
pub struct Image {
    /// The image.
    pub image: vk::Image,
    /// A view of all of it.
    pub view: vk::ImageView,
    format: Format,
    size: [u32; 3],
    layers: u32,
    levels: u32,
}

/// The parameters of an image.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Its format.
    pub format: Format,
    /// Width, height, depth.
    pub size: [u32; 3],
    /// Layers.
    pub layers: u32,
    /// Levels.
    pub levels: u32,
    /// Samples.
    pub samples: u32,
    /// Type of its view.
    pub view: vk::ImageViewType,
    /// Its uses.
    pub usage: vk::ImageUsageFlags,
    /// Whether views may have other formats.
    pub mutable: bool,
    /// Whether its texels lie in rows.
    pub linear: bool,
}

impl Image {
    /// A new image.
    ///
    /// # Errors
    /// Vulkan's error.
    pub fn new(device: &Device, shape: &Shape) -> Result<Image, Error> {
        let [width, height, depth] = shape.size;
        let dimension = match shape.view {
            vk::ImageViewType::TYPE_1D | vk::ImageViewType::TYPE_1D_ARRAY => vk::ImageType::TYPE_1D,
            vk::ImageViewType::TYPE_3D => vk::ImageType::TYPE_3D,
            // A slice of a volume, from the middle.
            _ if depth > 1 => vk::ImageType::TYPE_3D,
            _ => vk::ImageType::TYPE_2D,
        };
        let slice = if shape.view == vk::ImageViewType::TYPE_2D { depth / 2 } else { 0 };
        let cube = shape.view == vk::ImageViewType::CUBE || shape.view == vk::ImageViewType::CUBE_ARRAY;
        let flags = match (cube, slice > 0) {
            (true, _) => vk::ImageCreateFlags::CUBE_COMPATIBLE,
            (_, true) => vk::ImageCreateFlags::TYPE_2D_VIEW_COMPATIBLE_EXT,
            _ => vk::ImageCreateFlags::empty(),
        };
        let create = vk::ImageCreateInfo::default()
            .flags(if shape.mutable { flags | vk::ImageCreateFlags::MUTABLE_FORMAT } else { flags })
            .image_type(dimension)
            .format(shape.format.format)
            .extent(vk::Extent3D { width, height, depth })
            .mip_levels(shape.levels)
            .array_layers(shape.layers)
            .samples(vk::SampleCountFlags::from_raw(shape.samples))
            .tiling(if shape.linear { vk::ImageTiling::LINEAR } else { vk::ImageTiling::OPTIMAL })
            .usage(shape.usage);
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(aspect(shape.format.format))
            .level_count(if slice > 0 { 1 } else { shape.levels })
            .base_array_layer(slice)
            .layer_count(shape.layers);
        // SAFETY: handles are this device's; structures live through the calls.
        unsafe {
            let image = device.functions.create_image(&create, None)?;
            let needs = device.functions.get_image_memory_requirements(image);
            let memory = device.allocate(needs, vk::MemoryPropertyFlags::DEVICE_LOCAL)?;
            device.functions.bind_image_memory(image, memory, 0)?;
            let view = vk::ImageViewCreateInfo::default()
                .image(image)
                .view_type(shape.view)
                .format(shape.format.format)
                .subresource_range(range);
            let view = device.functions.create_image_view(&view, None)?;
            let Shape { format, size, layers, levels, .. } = *shape;
            Ok(Image { image, view, format, size, layers, levels })
        }
    }

    /// The same image, seen through a view of one level or with another format.
    ///
    /// # Errors
    /// Vulkan's error.
    fn seen(
        self,
        device: &Device,
        kind: vk::ImageViewType,
        level: u32,
        format: Format,
    ) -> Result<Image, Error> {
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(self.aspect())
            .base_mip_level(level)
            .level_count(1)
            .layer_count(vk::REMAINING_ARRAY_LAYERS);
        let create = vk::ImageViewCreateInfo::default()
            .image(self.image)
            .view_type(kind)
            .format(format.format)
            .subresource_range(range);
        // SAFETY: the image is this device's.
        let view = unsafe { device.functions.create_image_view(&create, None)? };
        Ok(Image { view, ..self })
    }

    /// Its aspects.
    pub fn aspect(&self) -> vk::ImageAspectFlags {
        aspect(self.format.format)
    }

    /// The first layers of a level.
    pub fn layers(&self, level: u32, count: u32) -> vk::ImageSubresourceLayers {
        vk::ImageSubresourceLayers::default().aspect_mask(self.aspect()).mip_level(level).layer_count(count)
    }

    /// Transitions it to the general layout and discards its contents.
    pub fn general(&self, device: &Device, commands: vk::CommandBuffer) {
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(aspect(self.format.format))
            .level_count(self.levels)
            .layer_count(self.layers);
        let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = [vk::ImageMemoryBarrier::default()
            .src_access_mask(all)
            .dst_access_mask(all)
            .old_layout(vk::ImageLayout::UNDEFINED)
            .new_layout(vk::ImageLayout::GENERAL)
            .image(self.image)
            .subresource_range(range)];
        let stages = vk::PipelineStageFlags::ALL_COMMANDS;
        let none = vk::DependencyFlags::empty();
        // SAFETY: the command buffer is being recorded.
        unsafe {
            device.functions.cmd_pipeline_barrier(commands, stages, stages, none, &[], &[], &barrier);
        }
    }

    fn level_size(&self, level: u32) -> [u32; 3] {
        self.size.map(|side| (side >> level).max(1))
    }

    /// Bytes of a level of all layers.
    fn level_bytes(&self, level: u32) -> u32 {
        let [width, height, depth] = self.level_size(level);
        let [bw, bh] = self.format.block;
        width.div_ceil(bw) * height.div_ceil(bh) * depth * self.layers * self.format.bytes
    }

    /// Bytes of all levels.
    pub fn bytes(&self) -> u32 {
        (0..self.levels).map(|level| self.level_bytes(level).next_multiple_of(16)).sum()
    }

    fn copies(&self, aspect: vk::ImageAspectFlags) -> Vec<vk::BufferImageCopy> {
        let mut offset = 0;
        (0..self.levels)
            .map(|level| {
                let [width, height, depth] = self.level_size(level);
                let layers = vk::ImageSubresourceLayers::default()
                    .aspect_mask(aspect)
                    .mip_level(level)
                    .layer_count(self.layers);
                let copy = vk::BufferImageCopy::default()
                    .buffer_offset(offset)
                    .image_subresource(layers)
                    .image_extent(vk::Extent3D { width, height, depth });
                offset += u64::from(self.level_bytes(level).next_multiple_of(16));
                copy
            })
            .collect()
    }

    /// Fills every level from a buffer.
    pub fn upload(&self, device: &Device, commands: vk::CommandBuffer, from: &Buffer) {
        let copies = self.copies(aspect(self.format.format));
        let layout = vk::ImageLayout::GENERAL;
        // SAFETY: the command buffer is being recorded; the buffer has the bytes of all levels.
        unsafe {
            device.functions.cmd_copy_buffer_to_image(commands, from.buffer, self.image, layout, &copies);
        }
        device.barrier(commands);
    }

    /// Copies one aspect of every level to a buffer.
    pub fn download(
        &self,
        device: &Device,
        commands: vk::CommandBuffer,
        into: &Buffer,
        aspect: vk::ImageAspectFlags,
    ) {
        let copies = self.copies(aspect);
        let layout = vk::ImageLayout::GENERAL;
        device.barrier(commands);
        // SAFETY: the command buffer is being recorded; the buffer has room for all levels.
        unsafe {
            device.functions.cmd_copy_image_to_buffer(commands, self.image, layout, into.buffer, &copies);
        }
    }
}

/// A texture or storage image of a request, with its contents.
///
/// # Errors
/// Vulkan's error, or unknown words.
pub fn resource(device: &Device, words: &[String], storage: bool) -> Result<Image, Error> {
    let number = |at: usize, or: u32| words.get(at).map_or(Ok(or), |word| word.parse::<u32>());
    let name = words.get(1).ok_or("a texture wants a format")?;
    let (width, height) = (number(2, 1)?, number(3, 1)?);
    let (layers, levels) = (number(4, 1)?, number(5, 1)?);
    let view = match words.get(6).map(String::as_str).unwrap_or("2d") {
        "1d" => vk::ImageViewType::TYPE_1D,
        "1d-array" => vk::ImageViewType::TYPE_1D_ARRAY,
        "2d" | "slice" => vk::ImageViewType::TYPE_2D,
        "2d-array" => vk::ImageViewType::TYPE_2D_ARRAY,
        "3d" => vk::ImageViewType::TYPE_3D,
        "cube" => vk::ImageViewType::CUBE,
        "cube-array" => vk::ImageViewType::CUBE_ARRAY,
        other => return Err(format!("unknown kind of texture `{other}`").into()),
    };
    let is_slice = words.get(6).is_some_and(|kind| kind == "slice");
    let volume = view == vk::ImageViewType::TYPE_3D || is_slice;
    let usage = vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::TRANSFER_SRC;
    let extra = if storage { vk::ImageUsageFlags::STORAGE } else { vk::ImageUsageFlags::SAMPLED };
    let option = |key| words.iter().skip(8).find_map(|word| word.strip_prefix(key));
    let image = Image::new(
        device,
        &Shape {
            format: format(name)?,
            size: [width, height, if volume { layers } else { 1 }],
            layers: if volume { 1 } else { layers },
            levels,
            samples: 1,
            view,
            usage: usage | extra,
            mutable: option("as:").is_some(),
            linear: option("linear").is_some(),
        },
    )?;
    let pattern = words.get(7).map(String::as_str).unwrap_or("random");
    let content = device.buffer(&fill(pattern, image.bytes() as usize)?)?;
    device.submit(|commands| {
        image.general(device, commands);
        image.upload(device, commands, &content);
        Ok(())
    })?;
    match (option("level:"), option("as:")) {
        (None, None) => Ok(image),
        (level, other) => {
            image.seen(device, view, level.unwrap_or("0").parse()?, format(other.unwrap_or(name))?)
        }
    }
}

/// A sampler of a request: `nearest`, `linear`, `mip-nearest`, `mip-linear`, `repeat`, `mirror`, `border`,
/// `mirror-once`, `white`, `opaque`, `compare:OP`, `aniso:N`, `lod:MIN,MAX`, `bias:LEVELS`, `unnormalized`,
/// `custom:FORMAT,R,G,B,A` (a border colour; `none` for no format), `integer`, `seams`.
///
/// # Errors
/// Vulkan's error, or unknown words.
pub fn sampler(device: &Device, words: &[String]) -> Result<vk::Sampler, Error> {
    let mut custom = vk::SamplerCustomBorderColorCreateInfoEXT::default();
    let mut has_custom = false;
    let mut create = vk::SamplerCreateInfo::default()
        .address_mode_u(vk::SamplerAddressMode::CLAMP_TO_EDGE)
        .address_mode_v(vk::SamplerAddressMode::CLAMP_TO_EDGE)
        .address_mode_w(vk::SamplerAddressMode::CLAMP_TO_EDGE)
        .max_lod(vk::LOD_CLAMP_NONE);
    fn wrap(create: vk::SamplerCreateInfo<'_>, mode: vk::SamplerAddressMode) -> vk::SamplerCreateInfo<'_> {
        create.address_mode_u(mode).address_mode_v(mode).address_mode_w(mode)
    }
    for word in words.iter().skip(1) {
        let (key, value) = word.split_once(':').unwrap_or((word, ""));
        create = match key {
            "nearest" => create,
            "linear" => create.mag_filter(vk::Filter::LINEAR).min_filter(vk::Filter::LINEAR),
            "mip-nearest" => create.mipmap_mode(vk::SamplerMipmapMode::NEAREST),
            "mip-linear" => create.mipmap_mode(vk::SamplerMipmapMode::LINEAR),
            "repeat" => wrap(create, vk::SamplerAddressMode::REPEAT),
            "mirror" => wrap(create, vk::SamplerAddressMode::MIRRORED_REPEAT),
            "border" => wrap(create, vk::SamplerAddressMode::CLAMP_TO_BORDER),
            "mirror-once" => wrap(create, vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE),
            "white" => create.border_color(vk::BorderColor::FLOAT_OPAQUE_WHITE),
            "opaque" => create.border_color(vk::BorderColor::FLOAT_OPAQUE_BLACK),
            "custom" => {
                let mut values = value.split(',');
                custom.format = match values.next() {
                    Some("none") | None => vk::Format::UNDEFINED,
                    Some(name) => format(name)?.format,
                };
                let mut colour = [0; 4];
                for (place, value) in colour.iter_mut().zip(values) {
                    *place = crate::request::number(value)?;
                }
                custom.custom_border_color = vk::ClearColorValue { uint32: colour };
                has_custom = true;
                create.border_color(vk::BorderColor::FLOAT_CUSTOM_EXT)
            }
            "seams" => create.flags(vk::SamplerCreateFlags::NON_SEAMLESS_CUBE_MAP_EXT),
            "integer" => create.border_color(vk::BorderColor::INT_CUSTOM_EXT),
            "compare" => create.compare_enable(true).compare_op(vk::CompareOp::from_raw(value.parse()?)),
            "aniso" => create.anisotropy_enable(true).max_anisotropy(value.parse()?),
            "bias" => create.mip_lod_bias(value.parse()?),
            "lod" => {
                let (least, most) = value.split_once(',').ok_or("`lod` wants two numbers")?;
                create.min_lod(least.parse()?).max_lod(most.parse()?)
            }
            other => return Err(format!("unknown sampler option `{other}`").into()),
        };
    }
    if has_custom {
        create = create.push_next(&mut custom);
    }
    // SAFETY: the structure lives through the call.
    Ok(unsafe { device.functions.create_sampler(&create, None)? })
}

/// The first word of a line as a binding.
///
/// # Errors
/// It is not a number.
pub fn binding(words: &[String]) -> Result<u32, Error> {
    Ok(words.first().ok_or("a binding is missing")?.parse()?)
}
