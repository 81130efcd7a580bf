//! Supported uses of formats.

use ash::vk;

use super::{LAYERS, SAMPLES, SIDE};
use crate::acceleration::VertexFormat;
use crate::format::{self, FormatDesc};
use crate::modifier::{Modifier, Tiling};

/// Slices of a linear image: their number has 11 bits in a descriptor.
const LINEAR_SLICES: u32 = 2048;

/// Supported uses of a format: linear images, other images, buffers.
pub fn format_features(format: vk::Format) -> [vk::FormatFeatureFlags2; 3] {
    use vk::FormatFeatureFlags2 as F;
    let mut features = [F::empty(); 3];
    if let Some(desc) = format::find(format) {
        features = [Modifier::features(format), desc.features(), desc.buffer_features()];
    }
    if format::third(format).is_some() {
        features[2] |= F::UNIFORM_TEXEL_BUFFER;
    }
    if format::vertex(format).is_some() {
        features[2] |= F::VERTEX_BUFFER;
    }
    if VertexFormat::find(format).is_some() {
        features[2] |= F::ACCELERATION_STRUCTURE_VERTEX_BUFFER_KHR;
    }
    features
}

/// The flags of uses that 32-bit flags have; their highest bit has no meaning.
pub fn former_features(features: vk::FormatFeatureFlags2) -> vk::FormatFeatureFlags {
    vk::FormatFeatureFlags::from_raw(features.as_raw() as u32 & i32::MAX as u32)
}

/// Supported uses of images with a format and a tiling.
fn image_features(format: vk::Format, tiling: Tiling) -> vk::FormatFeatureFlags2 {
    let [linear, optimal, _] = format_features(format);
    match tiling {
        Tiling::Optimal => optimal,
        Tiling::Linear => linear,
        Tiling::Modifier(_) => Modifier::features(format),
    }
}

/// Limits of images with a format, type and usage; `None` if they are not supported.
pub fn image_format(
    format: vk::Format,
    kind: vk::ImageType,
    tiling: Tiling,
    usage: vk::ImageUsageFlags,
    flags: vk::ImageCreateFlags,
) -> Option<vk::ImageFormatProperties> {
    use vk::{FormatFeatureFlags2 as F, ImageUsageFlags as U};
    let features = image_features(format, tiling);
    let wanted = [
        (U::SAMPLED, F::SAMPLED_IMAGE),
        (U::STORAGE, F::STORAGE_IMAGE),
        (U::COLOR_ATTACHMENT, F::COLOR_ATTACHMENT),
        (U::DEPTH_STENCIL_ATTACHMENT, F::DEPTH_STENCIL_ATTACHMENT),
        (U::TRANSFER_SRC, F::TRANSFER_SRC),
        (U::TRANSFER_DST, F::TRANSFER_DST),
        (U::HOST_TRANSFER_EXT, F::HOST_IMAGE_TRANSFER_EXT),
    ];
    let is_target = features.intersects(F::COLOR_ATTACHMENT | F::DEPTH_STENCIL_ATTACHMENT);
    let lacking = wanted.iter().any(|(used, feature)| usage.contains(*used) && !features.contains(*feature))
        || (usage.contains(U::INPUT_ATTACHMENT) && !is_target);
    let extended = flags.contains(vk::ImageCreateFlags::EXTENDED_USAGE);
    let desc = format::find(format)?;
    let blocks_as_texels = flags.contains(vk::ImageCreateFlags::BLOCK_TEXEL_VIEW_COMPATIBLE);
    if features.is_empty()
        || (lacking && !extended)
        || flags.contains(vk::ImageCreateFlags::PROTECTED)
        || (flags.contains(vk::ImageCreateFlags::SPARSE_BINDING)
            && !sparse_image(desc, kind, tiling, usage, flags))
        || (blocks_as_texels && !desc.is_compressed())
    {
        return None;
    }
    let is_disjoint = flags.contains(vk::ImageCreateFlags::DISJOINT);
    let is_flat = desc.is_planar() || matches!(tiling, Tiling::Modifier(_));
    if (kind != vk::ImageType::TYPE_2D && is_flat) || (is_disjoint && !desc.is_planar()) {
        return None;
    }
    let [side, height, depth] = most_texels(kind, tiling);
    let several = kind == vk::ImageType::TYPE_2D
        && tiling == Tiling::Optimal
        && !desc.is_compressed()
        && !usage.intersects(U::HOST_TRANSFER_EXT)
        && !flags.intersects(vk::ImageCreateFlags::CUBE_COMPATIBLE | vk::ImageCreateFlags::SPARSE_RESIDENCY)
        && (desc.is_depth_stencil() || desc.colour().is_some());
    let is_simple = tiling != Tiling::Optimal || desc.is_planar();
    let levels = if is_simple { 1 } else { 32 - side.leading_zeros() };
    Some(vk::ImageFormatProperties {
        max_extent: vk::Extent3D { width: side, height, depth },
        max_mip_levels: levels,
        max_array_layers: if kind == vk::ImageType::TYPE_3D || is_simple { 1 } else { LAYERS },
        sample_counts: if several { SAMPLES } else { vk::SampleCountFlags::TYPE_1 },
        max_resource_size: 2 << 30,
    })
}

/// The largest width, height and depth of images.
fn most_texels(kind: vk::ImageType, tiling: Tiling) -> [u32; 3] {
    match (kind, tiling) {
        (vk::ImageType::TYPE_1D, _) => [SIDE, 1, 1],
        (vk::ImageType::TYPE_3D, Tiling::Linear) => [LINEAR_SLICES; 3],
        (vk::ImageType::TYPE_3D, _) => [SIDE; 3],
        _ => [SIDE, SIDE, 1],
    }
}

/// Whether images can be bound by pages, or by blocks.
///
/// The processor copies to memory that an image has as a whole.
fn sparse_image(
    desc: &FormatDesc,
    kind: vk::ImageType,
    tiling: Tiling,
    usage: vk::ImageUsageFlags,
    flags: vk::ImageCreateFlags,
) -> bool {
    let by_blocks = flags.contains(vk::ImageCreateFlags::SPARSE_RESIDENCY);
    let has_blocks = matches!(kind, vk::ImageType::TYPE_2D | vk::ImageType::TYPE_3D);
    let by_processor = usage.contains(vk::ImageUsageFlags::HOST_TRANSFER_EXT);
    tiling == Tiling::Optimal && !by_processor && (!by_blocks || (has_blocks && !desc.is_planar()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vk::FormatFeatureFlags2 as F;

    /// A letter for each feature; features of images are in lower case, with two exceptions.
    const LETTERS: &[(char, F)] = &[
        ('s', F::SAMPLED_IMAGE),
        ('b', F::BLIT_SRC),
        ('l', F::SAMPLED_IMAGE_FILTER_LINEAR),
        ('i', F::STORAGE_IMAGE),
        ('a', F::STORAGE_IMAGE_ATOMIC),
        ('c', F::COLOR_ATTACHMENT),
        ('d', F::BLIT_DST),
        ('m', F::COLOR_ATTACHMENT_BLEND),
        ('z', F::DEPTH_STENCIL_ATTACHMENT),
        ('V', F::VERTEX_BUFFER),
        ('U', F::UNIFORM_TEXEL_BUFFER),
        ('T', F::STORAGE_TEXEL_BUFFER),
        ('X', F::STORAGE_TEXEL_BUFFER_ATOMIC),
    ];

    /// The uses of formats that Vulkan 1.3 requires ("Required Format Support"), including those for the advertised
    /// features of compressed textures and extended formats of storage images.
    const REQUIRED: &[(&str, &str)] = &[
        ("sbl", "B4G4R4A4_UNORM_PACK16 A4R4G4B4_UNORM_PACK16 A4B4G4R4_UNORM_PACK16 E5B9G9R9_UFLOAT_PACK32"),
        ("sblcdm", "R5G6B5_UNORM_PACK16 A1R5G5B5_UNORM_PACK16"),
        ("sblicdmVU", "R8_UNORM R8G8_UNORM A2B10G10R10_UNORM_PACK32 R16_SFLOAT R16G16_SFLOAT"),
        ("sbliVU", "R8_SNORM R8G8_SNORM"),
        ("sbicdVU", "R8_UINT R8_SINT R8G8_UINT R8G8_SINT R16_UINT R16_SINT R16G16_UINT R16G16_SINT"),
        ("sblicdmVUT", "R8G8B8A8_UNORM A8B8G8R8_UNORM_PACK32 R16G16B16A16_SFLOAT"),
        ("sbliVUT", "R8G8B8A8_SNORM A8B8G8R8_SNORM_PACK32"),
        ("sbicdVUT", "R8G8B8A8_UINT R8G8B8A8_SINT A8B8G8R8_UINT_PACK32 A8B8G8R8_SINT_PACK32"),
        ("sbicdVUT", "R16G16B16A16_UINT R16G16B16A16_SINT R32_SFLOAT R32G32_UINT R32G32_SINT R32G32_SFLOAT"),
        ("sbicdVUT", "R32G32B32A32_UINT R32G32B32A32_SINT R32G32B32A32_SFLOAT"),
        ("sbiacdVUTX", "R32_UINT R32_SINT"),
        ("sblcdm", "R8G8B8A8_SRGB B8G8R8A8_SRGB A8B8G8R8_SRGB_PACK32"),
        ("sblcdmVU", "B8G8R8A8_UNORM"),
        ("sbicdU", "A2B10G10R10_UINT_PACK32"),
        ("iV", "R16_UNORM R16_SNORM R16G16_UNORM R16G16_SNORM R16G16B16A16_UNORM R16G16B16A16_SNORM"),
        ("V", "R32G32B32_UINT R32G32B32_SINT R32G32B32_SFLOAT"),
        ("sbliU", "B10G11R11_UFLOAT_PACK32"),
        ("sbz", "D16_UNORM D32_SFLOAT"),
        ("z", "D32_SFLOAT_S8_UINT"),
        (
            "sbl",
            "BC1_RGB_UNORM_BLOCK BC1_RGB_SRGB_BLOCK BC1_RGBA_UNORM_BLOCK BC1_RGBA_SRGB_BLOCK BC2_UNORM_BLOCK",
        ),
        (
            "sbl",
            "BC2_SRGB_BLOCK BC3_UNORM_BLOCK BC3_SRGB_BLOCK BC4_UNORM_BLOCK BC4_SNORM_BLOCK BC5_UNORM_BLOCK",
        ),
        ("sbl", "BC5_SNORM_BLOCK BC6H_UFLOAT_BLOCK BC6H_SFLOAT_BLOCK BC7_UNORM_BLOCK BC7_SRGB_BLOCK"),
        ("sbl", "ETC2_R8G8B8_UNORM_BLOCK ETC2_R8G8B8_SRGB_BLOCK ETC2_R8G8B8A1_UNORM_BLOCK"),
        ("sbl", "ETC2_R8G8B8A1_SRGB_BLOCK ETC2_R8G8B8A8_UNORM_BLOCK ETC2_R8G8B8A8_SRGB_BLOCK"),
        ("sbl", "EAC_R11_UNORM_BLOCK EAC_R11_SNORM_BLOCK EAC_R11G11_UNORM_BLOCK EAC_R11G11_SNORM_BLOCK"),
        ("sbl", "ASTC_4X4_UNORM_BLOCK ASTC_5X4_UNORM_BLOCK ASTC_5X5_UNORM_BLOCK ASTC_6X5_UNORM_BLOCK"),
        ("sbl", "ASTC_6X6_UNORM_BLOCK ASTC_8X5_UNORM_BLOCK ASTC_8X6_UNORM_BLOCK ASTC_8X8_UNORM_BLOCK"),
        ("sbl", "ASTC_10X5_UNORM_BLOCK ASTC_10X6_UNORM_BLOCK ASTC_10X8_UNORM_BLOCK ASTC_10X10_UNORM_BLOCK"),
        ("sbl", "ASTC_12X10_UNORM_BLOCK ASTC_12X12_UNORM_BLOCK ASTC_4X4_SRGB_BLOCK ASTC_5X4_SRGB_BLOCK"),
        (
            "sbl",
            "ASTC_5X5_SRGB_BLOCK ASTC_6X5_SRGB_BLOCK ASTC_6X6_SRGB_BLOCK ASTC_8X5_SRGB_BLOCK ASTC_8X6_SRGB_BLOCK",
        ),
        ("sbl", "ASTC_8X8_SRGB_BLOCK ASTC_10X5_SRGB_BLOCK ASTC_10X6_SRGB_BLOCK ASTC_10X8_SRGB_BLOCK"),
        ("sbl", "ASTC_10X10_SRGB_BLOCK ASTC_12X10_SRGB_BLOCK ASTC_12X12_SRGB_BLOCK"),
    ];

    /// A format by Vulkan's name.
    fn named(name: &str) -> vk::Format {
        let numbers = (0..185).chain([1_000_340_000, 1_000_340_001]);
        let mut formats = numbers.map(vk::Format::from_raw);
        formats.find(|format| format!("{format:?}") == name).unwrap_or_else(|| panic!("no format {name}"))
    }

    #[test]
    fn formats_have_the_features_that_vulkan_demands() {
        let mut missing = Vec::new();
        for (letters, name) in
            REQUIRED.iter().flat_map(|(letters, names)| names.split(' ').map(move |name| (letters, name)))
        {
            let [_, images, buffers] = format_features(named(name));
            let wanted = LETTERS.iter().filter(|(letter, _)| letters.contains(*letter));
            let lacking = wanted.filter(|(_, feature)| !(images | buffers).contains(*feature));
            missing.extend(lacking.map(|(_, feature)| format!("{name} {feature:?}")));
        }
        assert_eq!(missing, Vec::<String>::new());
    }

    #[test]
    fn inputs_of_passes_are_formats_of_targets() {
        use vk::ImageUsageFlags as U;
        let is_input = |format, tiling| {
            let (kind, flags) = (vk::ImageType::TYPE_2D, vk::ImageCreateFlags::empty());
            image_format(format, kind, tiling, U::INPUT_ATTACHMENT, flags).is_some()
        };
        let optimal = Tiling::Optimal;
        assert!(is_input(vk::Format::R8_SINT, optimal) && is_input(vk::Format::D16_UNORM, optimal));
        assert!(is_input(vk::Format::R8_SINT, Tiling::Linear));
        assert!(!is_input(vk::Format::D16_UNORM, Tiling::Linear));
        assert!(!is_input(vk::Format::BC7_UNORM_BLOCK, optimal));
        assert!(is_input(vk::Format::E5B9G9R9_UFLOAT_PACK32, optimal));
    }

    #[test]
    fn only_planes_are_disjoint() {
        let known = |format| {
            let (kind, tiling) = (vk::ImageType::TYPE_2D, Tiling::Optimal);
            let flags = vk::ImageCreateFlags::DISJOINT;
            image_format(format, kind, tiling, vk::ImageUsageFlags::SAMPLED, flags).is_some()
        };
        assert!(known(vk::Format::G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16));
        assert!(!known(vk::Format::R8G8B8A8_UNORM) && !known(vk::Format::D32_SFLOAT_S8_UINT));
    }

    #[test]
    fn former_flags_have_31_bits() {
        let [_, images, _] = format_features(vk::Format::R8G8B8A8_UNORM);
        assert!(images.contains(F::STORAGE_READ_WITHOUT_FORMAT), "bit 31");
        assert_eq!(former_features(images).as_raw(), images.as_raw() as u32 & 0x7fff_ffff);
    }

    #[test]
    fn images_with_a_modifier_have_one_level_and_layer() {
        let of = |kind, modifier| {
            let (usage, flags) = (vk::ImageUsageFlags::SAMPLED, vk::ImageCreateFlags::empty());
            image_format(vk::Format::R8G8B8A8_UNORM, kind, Tiling::Modifier(modifier), usage, flags)
        };
        for modifier in [Modifier::Tiled, Modifier::Linear] {
            let found = of(vk::ImageType::TYPE_2D, modifier).expect("supported");
            assert_eq!([found.max_mip_levels, found.max_array_layers], [1, 1]);
            assert_eq!(found.sample_counts, vk::SampleCountFlags::TYPE_1);
            assert!(of(vk::ImageType::TYPE_3D, modifier).is_none());
        }
    }

    #[test]
    fn sampled_formats_can_be_copied() {
        for format in (0..185).map(vk::Format::from_raw) {
            let [_, images, _] = format_features(format);
            let copies = F::TRANSFER_SRC | F::TRANSFER_DST;
            assert!(!images.contains(F::SAMPLED_IMAGE) || images.contains(copies), "{format:?}");
        }
    }
}
