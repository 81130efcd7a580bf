//! Images, texel buffers and samplers of a shader's run, as resources of the reference machine, and with Vulkan's
//! numbers.

use agx_emulator::launch::BufferBinding;
use agx_emulator::launch::textures::{
    Border, Dimension, Format, SamplerResource, SamplerState, Shape, TextureResource, Wrap,
};

use super::compare::Comparison;

/// A format: its name, Vulkan's number, the machine's codes, bytes of a texel.
type FormatRow = (&'static str, u32, Format, u32);

const fn format(channels: u32, kind: u32) -> Format {
    Format { channels, kind, srgb: false }
}

const FORMATS: &[FormatRow] = &[
    ("r8", 9, format(0x00, 0), 1),
    ("rg8", 16, format(0x0a, 0), 2),
    ("rgba8", 37, Format::RGBA8, 4),
    ("rgba8_snorm", 38, format(0x28, 1), 4),
    ("rgba8ui", 41, format(0x28, 2), 4),
    ("rgba8i", 42, format(0x28, 3), 4),
    ("r16f", 76, format(0x09, 4), 2),
    ("rgba16f", 97, format(0x32, 4), 8),
    ("r32ui", 98, Format::R32UI, 4),
    ("r32i", 99, format(0x21, 3), 4),
    ("r32f", 100, Format::R32F, 4),
    ("rgba32ui", 107, Format::RGBA32UI, 16),
    ("rgba32i", 108, Format::RGBA32I, 16),
    ("rgba32f", 109, Format::RGBA32F, 16),
    ("depth32f", 126, Format::R32F, 4),
];

const DIMENSIONS: &[(&str, Dimension)] = &[
    ("1d", Dimension::Line),
    ("1d_array", Dimension::LineArray),
    ("2d", Dimension::Plane),
    ("2d_array", Dimension::PlaneArray),
    ("3d", Dimension::Volume),
    ("cube", Dimension::Cube),
    ("cube_array", Dimension::CubeArray),
];

/// Names of Vulkan's address modes, in Vulkan's order.
const WRAPS: &[(&str, Wrap)] = &[
    ("repeat", Wrap::Repeat),
    ("mirror", Wrap::MirroredRepeat),
    ("edge", Wrap::ClampToEdge),
    ("border", Wrap::ClampToBorder),
];

/// Names of Vulkan's comparisons, in Vulkan's order, with the machine's codes.
const COMPARISONS: &[(&str, u32)] = &[
    ("never", 7),
    ("less", 2),
    ("equal", 4),
    ("less_equal", 0),
    ("greater", 3),
    ("not_equal", 5),
    ("greater_equal", 1),
    ("always", 6),
];

const BORDERS: &[(&str, Border)] = &[
    ("transparent", Border::TransparentBlack),
    ("black", Border::OpaqueBlack),
    ("white", Border::OpaqueWhite),
];

fn find<T: Copy>(rows: &[(&str, T)], name: &str) -> Option<(u32, T)> {
    let at = rows.iter().position(|(known, _)| *known == name)?;
    Some((at as u32, rows[at].1))
}

/// An image or texel buffer of descriptor set 0.
pub struct Texture {
    /// The resource of the machine.
    pub resource: TextureResource,
    /// Vulkan's number of the format.
    pub vulkan_format: u32,
    /// Bytes of a texel.
    pub texel_bytes: u32,
    /// Comparison of its texels after the run.
    pub comparison: Comparison,
}

impl Texture {
    /// `kind` is `image`, `storage`, `linear` (storage with atomics), `texels` or `storage_texels`. The words after it
    /// are a binding, a dimension unless it is a buffer, a format, the size, the levels. `fill` describes the texels.
    pub fn parse(
        kind: &str,
        words: &[&str],
        fill: impl Fn(&[&str], usize, u64) -> Option<Vec<u8>>,
    ) -> Option<Texture> {
        let number = |word: &str| word.parse::<u32>().ok();
        let is_buffer = matches!(kind, "texels" | "storage_texels");
        let (binding, dimension, name, size, levels, rest) = match words {
            [binding, name, count, rest @ ..] if is_buffer => {
                (binding, Dimension::Buffer, name, [number(count)?, 1, 1], 1, rest)
            }
            [binding, dimension, name, width, height, depth, levels, rest @ ..] => {
                let (_, dimension) = find(DIMENSIONS, dimension)?;
                let size = [number(width)?, number(height)?, number(depth)?];
                (binding, dimension, name, size, number(levels)?, rest)
            }
            _ => return None,
        };
        let binding = number(binding)?;
        let (_, vulkan_format, format, texel_bytes) = *FORMATS.iter().find(|(known, ..)| known == name)?;
        let storage = matches!(kind, "storage" | "linear" | "storage_texels");
        let linear = kind == "linear" || is_buffer;
        let shape = Shape { levels, linear, ..Shape::new(dimension, format, size) };
        let length = length(&shape, texel_bytes);
        let bytes = fill(rest, length.next_multiple_of(4), u64::from(binding) + 1)?[..length].to_vec();
        let buffer = BufferBinding { set: 0, binding, element: 0, bytes, writable: storage };
        let resource = TextureResource { buffer, shape, storage };
        Some(Texture { resource, vulkan_format, texel_bytes, comparison: Comparison::Exact })
    }

    /// Whether it is a texel buffer.
    pub fn is_buffer(&self) -> bool {
        self.resource.shape.dimension == Dimension::Buffer
    }
}

/// Bytes of all levels; each begins at a multiple of 16.
fn length(shape: &Shape, texel_bytes: u32) -> usize {
    let [width, height, depth] = shape.size;
    let is_volume = shape.dimension == Dimension::Volume;
    let faces = if matches!(shape.dimension, Dimension::Cube | Dimension::CubeArray) { 6 } else { 1 };
    let mut length = 0u32;
    for level in 0..shape.levels {
        let shrink = |size: u32| (size >> level).max(1);
        let slices = if is_volume { shrink(depth) } else { depth * faces };
        length = length.next_multiple_of(16) + shrink(width) * shrink(height) * slices * texel_bytes;
    }
    length as usize
}

/// A sampler of descriptor set 0; with an image of the same binding it forms a combined descriptor.
pub struct Sampler {
    /// The resource of the machine.
    pub resource: SamplerResource,
    /// Vulkan's numbers: linear filter, filter between levels, address mode, comparison, border.
    pub vulkan: [u32; 5],
}

impl Sampler {
    /// A binding, then words in any order: `linear`, `levels_nearest`, `levels_linear`, an address mode, a comparison,
    /// a border's name.
    pub fn parse(words: &[&str]) -> Option<Sampler> {
        let (binding, words) = words.split_first()?;
        let mut state = SamplerState { linear_levels: None, ..SamplerState::default() };
        let mut vulkan = [0, 0, 2, 0, 0];
        for word in words {
            if let Some((mode, wrap)) = find(WRAPS, word) {
                (state.wrap, vulkan[2]) = ([wrap; 3], mode);
            } else if let Some((number, compare)) = find(COMPARISONS, word) {
                (state.compare, vulkan[3]) = (compare, number + 1);
            } else if let Some((number, border)) = find(BORDERS, word) {
                (state.border, vulkan[4]) = (border, number);
            } else {
                match *word {
                    "linear" => (state.linear, vulkan[0]) = ([true; 2], 1),
                    "levels_nearest" => (state.linear_levels, vulkan[1]) = (Some(false), 1),
                    "levels_linear" => (state.linear_levels, vulkan[1]) = (Some(true), 2),
                    _ => return None,
                }
            }
        }
        let resource = SamplerResource { set: 0, binding: binding.parse().ok()?, element: 0, state };
        Some(Sampler { resource, vulkan })
    }
}
