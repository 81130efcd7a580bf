//! What formats can be used for.

use ash::vk;

use super::{LAYERS, SAMPLES, SIDE};
use crate::format;

/// What a format can be used for: linear images, other images, buffers.
pub fn format_features(format: vk::Format) -> [vk::FormatFeatureFlags2; 3] {
    use vk::FormatFeatureFlags2 as F;
    let mut features = [F::empty(); 3];
    if let Some(desc) = format::find(format) {
        let optimal = desc.features();
        let linear = match desc.is_compressed() || desc.is_depth_stencil() {
            true => F::empty(),
            false => {
                optimal & !(F::COLOR_ATTACHMENT | F::COLOR_ATTACHMENT_BLEND | F::DEPTH_STENCIL_ATTACHMENT)
            }
        };
        features = [linear, optimal, desc.buffer_features()];
    }
    if format::vertex(format).is_some() {
        features[2] |= F::VERTEX_BUFFER;
    }
    features
}

/// What images of a format, kind and usage can be; `None` where there are none.
pub fn image_format(
    format: vk::Format,
    kind: vk::ImageType,
    tiling: vk::ImageTiling,
    usage: vk::ImageUsageFlags,
    flags: vk::ImageCreateFlags,
) -> Option<vk::ImageFormatProperties> {
    use vk::{FormatFeatureFlags2 as F, ImageUsageFlags as U};
    let [linear, optimal, _] = format_features(format);
    let features = if tiling == vk::ImageTiling::LINEAR { linear } else { optimal };
    let wanted = [
        (U::SAMPLED, F::SAMPLED_IMAGE),
        (U::STORAGE, F::STORAGE_IMAGE),
        (U::COLOR_ATTACHMENT, F::COLOR_ATTACHMENT),
        (U::DEPTH_STENCIL_ATTACHMENT, F::DEPTH_STENCIL_ATTACHMENT),
        (U::TRANSFER_SRC, F::TRANSFER_SRC),
        (U::TRANSFER_DST, F::TRANSFER_DST),
    ];
    let lacking = wanted.iter().any(|(used, feature)| usage.contains(*used) && !features.contains(*feature));
    let extended = flags.contains(vk::ImageCreateFlags::EXTENDED_USAGE);
    let refused = vk::ImageCreateFlags::SPARSE_BINDING
        | vk::ImageCreateFlags::PROTECTED
        | vk::ImageCreateFlags::DISJOINT
        | vk::ImageCreateFlags::BLOCK_TEXEL_VIEW_COMPATIBLE;
    let desc = format::find(format)?;
    if features.is_empty() || (lacking && !extended) || flags.intersects(refused) {
        return None;
    }
    if kind != vk::ImageType::TYPE_2D && (desc.is_depth_stencil() || desc.is_compressed()) {
        return None;
    }
    let is_linear = tiling == vk::ImageTiling::LINEAR;
    let side = if kind == vk::ImageType::TYPE_3D { 2048 } else { SIDE };
    let [height, depth] = match kind {
        vk::ImageType::TYPE_1D => [1, 1],
        vk::ImageType::TYPE_3D => [2048, 2048],
        _ => [SIDE, 1],
    };
    let several = kind == vk::ImageType::TYPE_2D
        && !is_linear
        && !desc.is_compressed()
        && !usage.contains(U::STORAGE)
        && !flags.contains(vk::ImageCreateFlags::CUBE_COMPATIBLE)
        && (desc.is_depth_stencil() || desc.colour().is_some());
    let levels = if is_linear { 1 } else { 32 - side.leading_zeros() };
    Some(vk::ImageFormatProperties {
        max_extent: vk::Extent3D { width: side, height, depth },
        max_mip_levels: levels,
        max_array_layers: if kind == vk::ImageType::TYPE_3D || is_linear { 1 } else { LAYERS },
        sample_counts: if several { SAMPLES } else { vk::SampleCountFlags::TYPE_1 },
        max_resource_size: 2 << 30,
    })
}
