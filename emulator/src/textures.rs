//! Texture and sampler state registers and the descriptors in them.
//!
//! The fields are as in the Mesa 25.0 driver. The linear, tiled and twiddled layouts are those of the hardware. The
//! meaning of the fourth code is not known; here it denotes plain rows, for launches by this crate: all slices of level
//! 0, then all of level 1, each level starting at a multiple of 16 bytes, samples of a texel consecutive.

use std::fmt;

use agx_abi::image_layout::{Layout, Order};
use agx_abi::textures::FIRST_IN_HEAP;

use crate::texels::TexelFormat;

/// Bytes of a texture or image descriptor.
pub(crate) const TEXTURE_BYTES: usize = 24;
/// Bytes of a sampler descriptor.
pub(crate) const SAMPLER_BYTES: usize = 8;
/// Bytes of the border colour that follows an extended sampler: one word for each channel.
pub(crate) const BORDER_BYTES: usize = 16;
/// State registers of each kind that an instruction can address.
const REGISTERS: usize = 256;

/// The texture and sampler state registers that the driver loads, from 0 on.
#[derive(Clone, Copy, Debug, Default)]
pub struct States<'a> {
    /// Texture or image descriptors.
    pub textures: &'a [[u8; TEXTURE_BYTES]],
    /// Sampler descriptors.
    pub samplers: &'a [[u8; SAMPLER_BYTES]],
    /// Border colours of the samplers with the same numbers; empty if samplers have none. Each channel is a word,
    /// encoded as the texture's format encodes the channel; sRGB has 12 bits without the curve (Mesa, `agx_border.c`).
    pub borders: &'a [[u8; BORDER_BYTES]],
    /// The sampler heap, whose samplers programs address by a number in a register: first address and number of
    /// samplers. The first has number 28; lower numbers, and all numbers without a heap, are sampler state registers.
    pub sampler_heap: Option<(u64, u32)>,
    /// Uniform half-words that were never set.
    pub unset_uniforms: &'a [std::ops::Range<u16>],
}

/// The state registers of a dispatch.
#[derive(Clone, Debug, Default)]
pub(crate) struct StateFile {
    textures: Vec<Option<[u8; TEXTURE_BYTES]>>,
    samplers: Vec<Option<[u8; SAMPLER_BYTES]>>,
    borders: Vec<[u8; BORDER_BYTES]>,
    heap: Option<(u64, u32)>,
}

impl StateFile {
    /// Registers as the driver loads them.
    pub(crate) fn new(states: States<'_>) -> StateFile {
        let textures = states.textures.iter().take(REGISTERS).copied().map(Some).collect();
        let samplers = states.samplers.iter().take(REGISTERS).copied().map(Some).collect();
        let borders = states.borders.iter().take(REGISTERS).copied().collect();
        StateFile { textures, samplers, borders, heap: states.sampler_heap }
    }

    /// Address of a sampler in the heap; `None` if the number is that of a state register. The error means that the
    /// heap has no sampler with this number.
    pub(crate) fn heap_sampler(&self, number: u32) -> Option<Result<u64, &'static str>> {
        let (first, count) = self.heap?;
        let place = number.checked_sub(FIRST_IN_HEAP.into())?;
        Some(match place < count {
            true => Ok(first + u64::from(place) * SAMPLER_BYTES as u64),
            false => Err("a sampler beyond the end of the heap"),
        })
    }

    /// Sets a texture state register; numbers that do not exist are ignored.
    pub(crate) fn set_texture(&mut self, number: u32, descriptor: [u8; TEXTURE_BYTES]) {
        set(&mut self.textures, number, descriptor);
    }

    /// Sets a sampler state register; numbers that do not exist are ignored.
    pub(crate) fn set_sampler(&mut self, number: u32, descriptor: [u8; SAMPLER_BYTES]) {
        set(&mut self.samplers, number, descriptor);
    }

    /// A texture or image descriptor, if one was loaded.
    pub(crate) fn texture(&self, number: u32) -> Option<[u8; TEXTURE_BYTES]> {
        self.textures.get(number as usize).copied().flatten()
    }

    /// A sampler, if one was loaded.
    pub(crate) fn sampler(&self, number: u32) -> Option<Sampler> {
        let sampler = self.samplers.get(number as usize).copied().flatten().map(Sampler::from_bytes)?;
        Some(match (sampler.border, self.borders.get(number as usize)) {
            (Border::Custom(_), Some(bytes)) => {
                let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes[4 * at + byte]));
                Sampler { border: Border::Custom(Some([0, 1, 2, 3].map(word))), ..sampler }
            }
            _ => sampler,
        })
    }
}

fn set<T: Clone>(registers: &mut Vec<Option<T>>, number: u32, value: T) {
    let number = number as usize;
    if number < REGISTERS {
        if registers.len() <= number {
            registers.resize(number + 1, None);
        }
        registers[number] = Some(value);
    }
}

/// Addressing of texels: number of coordinates, layer, sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Dimension {
    /// Coordinates.
    pub(crate) axes: usize,
    /// Has a layer.
    pub(crate) array: bool,
    /// Has samples.
    pub(crate) multisampled: bool,
    /// Coordinates are a direction.
    pub(crate) cube: bool,
}

impl Dimension {
    /// The dimension for a code of texture instructions and descriptors.
    pub(crate) fn from_code(code: u32) -> Option<Dimension> {
        let plain = Dimension { axes: 2, array: false, multisampled: false, cube: false };
        Some(match code {
            0 => Dimension { axes: 1, ..plain },
            1 => Dimension { axes: 1, array: true, ..plain },
            2 => plain,
            3 => Dimension { array: true, ..plain },
            4 => Dimension { multisampled: true, ..plain },
            5 => Dimension { axes: 3, ..plain },
            6 => Dimension { axes: 3, cube: true, ..plain },
            7 => Dimension { axes: 3, cube: true, array: true, ..plain },
            8 => Dimension { array: true, multisampled: true, ..plain },
            _ => return None,
        })
    }

    /// Whether the third axis is depth, which halves from level to level.
    fn has_depth(self) -> bool {
        self.axes == 3 && !self.cube
    }
}

/// A texture or image.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Texture {
    pub(crate) dimension: Dimension,
    pub(crate) format: TexelFormat,
    /// The channel for each result; 4 is one, 5 zero.
    pub(crate) swizzle: [u32; 4],
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Depth of a 3D texture, else layers (of six faces for cubes).
    pub(crate) depth: u32,
    pub(crate) first_level: u32,
    pub(crate) last_level: u32,
    pub(crate) samples: u32,
    pub(crate) address: u64,
    /// Bytes of a row and of a layer, of linear textures.
    linear: Option<[u64; 2]>,
    /// Layout, for textures that are neither linear nor plain rows.
    pub(crate) layout: Option<Layout>,
    /// Metadata of compressed images.
    pub(crate) metadata: Option<u64>,
    /// The address is that of a page table.
    pub(crate) sparse: bool,
}

/// Bits of a descriptor.
struct Bits(u128, u64);

impl Bits {
    fn new(bytes: &[u8; TEXTURE_BYTES]) -> Bits {
        let word = |range: std::ops::Range<usize>| {
            bytes[range].iter().rev().fold(0_u128, |value, byte| value << 8 | u128::from(*byte))
        };
        Bits(word(0..16), word(16..24) as u64)
    }

    /// `len` bits from bit `start` of the first 16 bytes.
    fn get(&self, start: u32, len: u32) -> u32 {
        (self.0 >> start) as u32 & (u32::MAX >> (32 - len))
    }

    /// An address in units of 16 bytes, 36 bits.
    fn address(&self, start: u32) -> u64 {
        ((self.0 >> start) as u64 & 0xf_ffff_ffff) << 4
    }

    /// Layers and bytes between them, of linear arrays.
    fn linear_layers(&self) -> (u32, u64) {
        ((self.1 & 0x7ff) as u32 + 1, ((self.1 >> 11 & 0x7ff_ffff) << 7) + 0x80)
    }
}

const LINEAR: u32 = 0;
/// First mode of sparse textures.
const SPARSE: u32 = 2;
const TWIDDLED: u32 = 1;
const TILED: u32 = 2;
/// Plain rows.
pub(crate) const ROWS: u32 = 3;

/// The layout of a code, unless it is linear or rows.
fn order(code: u32) -> Option<Order> {
    match code {
        TWIDDLED => Some(Order::Twiddled),
        TILED => Some(Order::Tiled),
        _ => None,
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flag = |is_set: bool, name: &'static str| if is_set { name } else { "" };
        match self.cube {
            true => f.write_str("cube")?,
            false => write!(f, "{}d", self.axes)?,
        }
        write!(f, "{}{}", flag(self.array, "_array"), flag(self.multisampled, "_ms"))
    }
}

impl fmt::Display for Texture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Texture { dimension, width, height, depth, first_level, last_level, .. } = self;
        write!(f, "{dimension} {width}")?;
        if dimension.axes > 1 {
            write!(f, "×{height}")?;
        }
        if dimension.array || dimension.has_depth() {
            write!(f, "×{depth}")?;
        }
        write!(f, ", {}, levels {first_level} to {last_level}", self.format)?;
        if dimension.multisampled {
            write!(f, ", {} samples", self.samples)?;
        }
        write!(f, ", at {:#x}", self.address)
    }
}

impl Texture {
    /// Decodes a texture descriptor; the error describes what is not modelled.
    pub(crate) fn new(bytes: &[u8; TEXTURE_BYTES]) -> Result<Texture, &'static str> {
        let bits = Bits::new(bytes);
        let layout = bits.get(4, 2);
        let dimension = Dimension::from_code(bits.get(0, 4)).ok_or("this texture dimension")?;
        let linear_depth = bits.get(127, 1) != 0;
        let (layers, layer_stride) = bits.linear_layers();
        let linear = layout == LINEAR;
        // The field has two more bits, shared with the flags at 126 and 127; no row needs them.
        let stride = (u64::from(bits.get(110, 16)) << 4) + 16;
        let format = TexelFormat::new(bits.get(6, 7), bits.get(13, 3), bits.get(108, 1) != 0)?;
        let samples = if dimension.multisampled { 2 << bits.get(64, 1) } else { 1 };
        let size = [bits.get(28, 14) + 1, if dimension.axes == 1 { 1 } else { bits.get(42, 14) + 1 }];
        let depth = if dimension.has_depth() { bits.get(110, 14) + 1 } else { 1 };
        let several = bits.get(102, 1) != 0 || bits.get(60, 4) > 0;
        let layout = order(layout).map(|order| Layout {
            order,
            size,
            block: format.block(),
            element_bytes: format.bytes() * samples,
            levels: if several { Layout::all_levels(size, depth) } else { 1 },
            page_aligned: bits.get(126, 1) != 0,
        });
        Ok(Texture {
            dimension,
            format,
            swizzle: [16, 19, 22, 25].map(|start| bits.get(start, 3)),
            width: bits.get(28, 14) + 1,
            height: bits.get(42, 14) + 1,
            depth: match (linear, linear_depth) {
                (true, true) => layers,
                (true, false) => 1,
                (false, _) => bits.get(110, 14) + 1,
            },
            first_level: bits.get(56, 4),
            last_level: bits.get(60, 4).max(bits.get(56, 4)),
            samples,
            address: bits.address(66),
            linear: linear.then_some([stride, layer_stride]),
            layout,
            metadata: (!linear && bits.get(103, 1) != 0).then_some(bits.1 << 4),
            sparse: bits.get(104, 2) >= SPARSE,
        })
    }

    /// Decodes an image descriptor for image stores; the error describes what is not modelled.
    pub(crate) fn image(bytes: &[u8; TEXTURE_BYTES]) -> Result<Texture, &'static str> {
        let bits = Bits::new(bytes);
        let layout = bits.get(4, 2);
        let dimension = Dimension::from_code(bits.get(0, 4)).ok_or("this image dimension")?;
        let (layers, layer_stride) = bits.linear_layers();
        let linear = layout == LINEAR;
        let level = bits.get(100, 4);
        let format = TexelFormat::new(bits.get(6, 7), bits.get(13, 3), bits.get(125, 1) != 0)?;
        let samples = if dimension.multisampled { 2 << bits.get(56, 1) } else { 1 };
        let compressed = bits.get(59, 1) != 0 && bits.get(127, 1) != 0;
        let layout = order(layout).map(|order| Layout {
            order,
            size: [bits.get(24, 14) + 1, if dimension.axes == 1 { 1 } else { bits.get(38, 14) + 1 }],
            block: [1, 1],
            element_bytes: format.bytes() * samples,
            levels: bits.get(104, 4) + 1,
            page_aligned: bits.get(124, 1) != 0,
        });
        Ok(Texture {
            dimension,
            format,
            swizzle: [16, 18, 20, 22].map(|start| bits.get(start, 2)),
            width: bits.get(24, 14) + 1,
            height: bits.get(38, 14) + 1,
            depth: if linear { layers } else { bits.get(108, 14) + 1 },
            first_level: level,
            last_level: level,
            samples,
            address: bits.address(64),
            linear: linear.then_some([u64::from(bits.get(104, 21)) + 4, layer_stride]),
            layout,
            metadata: compressed.then_some(bits.1 << 4),
            sparse: false,
        })
    }

    /// The channels of a texel after the swizzle.
    pub(crate) fn swizzled(&self, channels: [u32; 4]) -> [u32; 4] {
        self.swizzle.map(|from| match from {
            4 => self.format.one(),
            5..=7 => 0,
            channel => channels[channel as usize],
        })
    }

    /// The component that is stored to an image's channel.
    pub(crate) fn source_of(&self, channel: usize) -> usize {
        self.swizzle.get(channel).map_or(channel, |component| (component & 3) as usize)
    }

    /// Texels along an axis at a level: width, height, depth or slices.
    pub(crate) fn extent(&self, level: u32) -> [u32; 3] {
        let shrink = |size: u32| (size >> level.min(31)).max(1);
        let slices = match () {
            () if self.dimension.has_depth() => shrink(self.depth),
            () if self.dimension.cube => self.depth * 6,
            () => self.depth,
        };
        [shrink(self.width), if self.dimension.axes == 1 { 1 } else { shrink(self.height) }, slices]
    }

    /// Address of an existing texel: x, y, slice.
    pub(crate) fn texel(&self, level: u32, [x, y, slice]: [u32; 3], sample: u32) -> u64 {
        let bytes = u64::from(self.format.bytes());
        if let Some([stride, layer_stride]) = self.linear {
            return self.address
                + u64::from(slice) * layer_stride
                + u64::from(y) * stride
                + u64::from(x) * bytes;
        }
        if let Some(layout) = &self.layout {
            let [across, down] = self.format.block();
            let element = layout.offset(level, [x / across, y / down], slice);
            return self.address + element + u64::from(sample) * bytes;
        }
        let level_bytes = |level: u32| {
            let texels = self.extent(level).iter().map(|extent| u64::from(*extent)).product::<u64>();
            (texels * u64::from(self.samples) * bytes).next_multiple_of(16)
        };
        let start: u64 = (0..level).map(level_bytes).sum();
        let [width, height, _] = self.extent(level).map(u64::from);
        let index = (u64::from(slice) * height + u64::from(y)) * width + u64::from(x);
        self.address + start + (index * u64::from(self.samples) + u64::from(sample)) * bytes
    }
}

/// Treatment of coordinates outside a texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wrap {
    ClampToEdge,
    Repeat,
    MirroredRepeat,
    ClampToBorder,
    MirroredClampToEdge,
}

/// Comparison of a shadow lookup: `reference OP texel`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ShadowCompare(u32);

impl ShadowCompare {
    pub(crate) fn holds(self, reference: f32, texel: f32) -> bool {
        match self.0 {
            0 => reference <= texel,
            1 => reference >= texel,
            2 => reference < texel,
            3 => reference > texel,
            4 => reference == texel,
            5 => reference != texel,
            6 => true,
            _ => false,
        }
    }
}

/// The border colour.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Border {
    /// Red, green and blue have the first value, alpha the second.
    Fixed([f32; 2]),
    /// The words of a custom colour, if they are known.
    Custom(Option<[u32; 4]>),
}

impl Border {
    /// The channels after the swizzle; the error describes what is not known.
    pub(crate) fn values(self, texture: &Texture) -> Result<[u32; 4], &'static str> {
        let format = texture.format;
        match self {
            Border::Fixed([colour, alpha]) => {
                let channels = [colour, colour, colour, alpha].map(|value| match format.is_integer() {
                    true => value as u32,
                    false => value.to_bits(),
                });
                Ok(texture.swizzled(channels))
            }
            Border::Custom(words) => {
                let words = words.ok_or("custom border colours of samplers that have none")?;
                Ok(texture.swizzled(format.decode_border(words)?))
            }
        }
    }
}

/// A sampler.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Sampler {
    pub(crate) min_lod: f32,
    pub(crate) max_lod: f32,
    pub(crate) linear_magnify: bool,
    pub(crate) linear_minify: bool,
    /// Filter between levels; `None` reads only the first level.
    pub(crate) linear_mip: Option<bool>,
    pub(crate) wrap: [Wrap; 3],
    /// Whether coordinates are in texels.
    pub(crate) pixel_coordinates: bool,
    pub(crate) compare: ShadowCompare,
    /// Maximum number of samples along the longer axis of a footprint.
    pub(crate) anisotropy: u32,
    /// Whether each face of a cube is filtered separately.
    pub(crate) seams: bool,
    pub(crate) border: Border,
}

impl Sampler {
    /// A sampler descriptor.
    pub(crate) fn from_bytes(bytes: [u8; SAMPLER_BYTES]) -> Sampler {
        Sampler::new(u64::from_le_bytes(bytes))
    }

    fn new(bits: u64) -> Sampler {
        let get = |start: u32, len: u32| (bits >> start) as u32 & ((1 << len) - 1);
        let lod = |start| get(start, 10) as f32 / 64.0;
        let wrap = |start| match get(start, 3) {
            1 => Wrap::Repeat,
            2 => Wrap::MirroredRepeat,
            3 | 4 => Wrap::ClampToBorder,
            5 => Wrap::MirroredClampToEdge,
            _ => Wrap::ClampToEdge,
        };
        Sampler {
            min_lod: lod(0),
            max_lod: lod(10),
            linear_magnify: get(23, 2) != 0,
            linear_minify: get(25, 2) != 0,
            linear_mip: [None, Some(false), Some(true), Some(true)][get(27, 2) as usize],
            wrap: [wrap(29), wrap(32), wrap(35)],
            pixel_coordinates: get(38, 1) != 0,
            compare: ShadowCompare(get(39, 3)),
            anisotropy: 1 << get(20, 3).min(4),
            seams: get(57, 1) != 0,
            border: [
                Border::Fixed([0.0, 0.0]),
                Border::Fixed([0.0, 1.0]),
                Border::Fixed([1.0, 1.0]),
                Border::Custom(None),
            ][get(55, 2) as usize],
        }
    }
}
