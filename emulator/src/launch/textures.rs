//! Acts as the driver for textures, images and samplers: descriptors in the form that the hardware reads.
//!
//! The fields are as in the Mesa 25.0 driver.

use agx_abi::DescriptorKind;
use agx_abi::agal;
use agx_abi::fragment::{SampledTarget, TargetHeap};
use agx_abi::textures::{BUFFER_ROW_TEXELS, BUFFER_SIZE_WORD, BUFFER_TRIPLES_WORD, MAX_SAMPLERS};

use super::BufferBinding;
use crate::texels::TexelFormat;
use crate::textures::{SAMPLER_BYTES, TEXTURE_BYTES};

/// The coordinates of a texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dimension {
    /// One coordinate.
    Line,
    /// One coordinate and a layer.
    LineArray,
    /// Two coordinates.
    Plane,
    /// Two coordinates and a layer.
    PlaneArray,
    /// Two coordinates and a sample.
    PlaneSamples,
    /// Three coordinates.
    Volume,
    /// A direction.
    Cube,
    /// A direction and a cube.
    CubeArray,
    /// Two coordinates, a sample and a layer.
    PlaneSamplesArray,
    /// A texel buffer.
    Buffer,
}

impl Dimension {
    /// The code in descriptors.
    fn code(self) -> u32 {
        match self {
            Dimension::Buffer => Dimension::Plane as u32,
            other => other as u32,
        }
    }
}

/// Codes of channels and type of a texel (Mesa 25.0 driver).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// Channels and their bits.
    pub channels: u32,
    /// 0 unsigned normalised, 1 signed normalised, 2 unsigned, 3 signed integer, 4 float.
    pub kind: u32,
    /// Red, green and blue are stored with the curve of sRGB.
    pub srgb: bool,
}

impl Format {
    /// Four normalised bytes.
    pub const RGBA8: Format = Format { channels: 0x28, kind: 0, srgb: false };
    /// Four 32-bit floats.
    pub const RGBA32F: Format = Format { channels: 0x38, kind: 4, srgb: false };
    /// A 32-bit float.
    pub const R32F: Format = Format { channels: 0x21, kind: 4, srgb: false };
    /// Two 32-bit floats.
    pub const RG32F: Format = Format { channels: 0x31, kind: 4, srgb: false };
    /// A 32-bit unsigned integer.
    pub const R32UI: Format = Format { channels: 0x21, kind: 2, srgb: false };
    /// Four 32-bit unsigned integers.
    pub const RGBA32UI: Format = Format { channels: 0x38, kind: 2, srgb: false };
    /// Three 32-bit unsigned integers, for texel buffers only: the hardware has no such format.
    pub const RGB32UI: Format = Format { channels: 0x36, kind: 2, srgb: false };
    /// Four 32-bit signed integers.
    pub const RGBA32I: Format = Format { channels: 0x38, kind: 3, srgb: false };

    /// Bytes of a texel.
    fn bytes(self) -> u32 {
        TexelFormat::new(self.channels, self.kind, false).map_or(1, |texel| texel.bytes())
    }

    /// The format in descriptors: that of a component, if the hardware lacks the format.
    fn in_hardware(self) -> Format {
        if self == Format::RGB32UI { Format::R32UI } else { self }
    }
}

/// Properties of a texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Its coordinates.
    pub dimension: Dimension,
    /// Its texels.
    pub format: Format,
    /// Width, height, and depth, layers or cubes. For a buffer, the width is the number of texels.
    pub size: [u32; 3],
    /// Levels of detail.
    pub levels: u32,
    /// Samples per texel.
    pub samples: u32,
    /// Whether rows are padded to multiples of 16 bytes and layers to multiples of 128, with a single level, as atomics
    /// on images require. Otherwise the layout is the machine's own: rows without padding, all layers of a level
    /// together, each level at a multiple of 16 bytes, samples of a texel consecutive.
    pub linear: bool,
}

impl Shape {
    /// A texture of one level and one sample.
    pub fn new(dimension: Dimension, format: Format, size: [u32; 3]) -> Shape {
        Shape { dimension, format, size, levels: 1, samples: 1, linear: dimension == Dimension::Buffer }
    }

    /// The samples of a texture of several samples per texel as a plane, to which programs store, and their places in it.
    pub(super) fn in_plane(&self) -> Option<(Shape, SampledTarget)> {
        let Shape { size: [width, height, _], samples, .. } = *self;
        if samples == 1 {
            return None;
        }
        let layer_samples = width.saturating_mul(height).saturating_mul(samples);
        let rows = self.size.iter().fold(samples, |all, side| all.saturating_mul(*side));
        let size = [TargetHeap::SAMPLES_PER_ROW, rows.div_ceil(TargetHeap::SAMPLES_PER_ROW), 1];
        let plane = Shape { linear: true, ..Shape::new(Dimension::Plane, self.format, size) };
        Some((plane, SampledTarget { tile: [1, 1], stride: width, layer_samples }))
    }

    /// Bytes of a row, and of a layer, of a linear texture.
    fn linear_strides(&self) -> [u32; 2] {
        let format = self.format.in_hardware();
        let bytes = format.bytes();
        if self.dimension == Dimension::Buffer {
            return [BUFFER_ROW_TEXELS.saturating_mul(bytes), 0];
        }
        let padded = |bytes: u32, unit| bytes.checked_next_multiple_of(unit).unwrap_or(u32::MAX);
        let row = padded(self.size[0].saturating_mul(bytes), 16);
        [row, padded(row.saturating_mul(self.size[1]), 128)]
    }

    /// Texels of one level in rows without padding, in the layout of the shape.
    pub fn padded(&self, texels: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (at, row) in self.rows().zip(texels.chunks(self.row_bytes())) {
            bytes.resize(at, 0);
            bytes.extend_from_slice(row);
        }
        bytes
    }

    /// The texels of one level, in rows without padding, from the layout of the shape: the inverse of
    /// [`Shape::padded`].
    pub fn packed(&self, bytes: &[u8]) -> Vec<u8> {
        let rows = self.rows().map_while(|at| bytes.get(at..)?.get(..self.row_bytes()));
        rows.flatten().copied().collect()
    }

    /// Bytes of a row without padding.
    fn row_bytes(&self) -> usize {
        (self.size[0] as usize).saturating_mul(self.format.bytes() as usize).max(1)
    }

    /// Where the rows of all layers start, in bytes.
    fn rows(&self) -> impl Iterator<Item = usize> {
        let Shape { size: [_, height, layers], .. } = self.as_storage();
        let [row, layer] = match self.linear {
            true => self.linear_strides().map(|stride| stride as usize),
            false => [self.row_bytes(), self.row_bytes().saturating_mul(height as usize)],
        };
        let start = move |z: usize, y: usize| z.saturating_mul(layer).saturating_add(y.saturating_mul(row));
        (0..layers as usize).flat_map(move |z| (0..height as usize).map(move |y| start(z, y)))
    }

    /// The shape as a storage image: cubes become arrays of faces; depth is unchanged.
    fn as_storage(&self) -> Shape {
        let [width, height, depth] = self.size;
        match self.dimension {
            Dimension::Cube => Shape { dimension: Dimension::PlaneArray, size: [width, height, 6], ..*self },
            Dimension::CubeArray => {
                let size = [width, height, depth.saturating_mul(6)];
                Shape { dimension: Dimension::PlaneArray, size, ..*self }
            }
            _ => *self,
        }
    }

    /// Width, height and depth minus one, as in descriptors.
    fn extents(&self) -> [u128; 3] {
        let [width, height, depth] = match self.dimension {
            Dimension::Buffer => {
                let rows = self.size[0].div_ceil(BUFFER_ROW_TEXELS);
                [self.size[0].min(BUFFER_ROW_TEXELS), rows, 1]
            }
            _ => self.size,
        };
        [width, height, depth].map(|size| u128::from(size.saturating_sub(1)))
    }

    /// The descriptor of the texture at `address`.
    fn texture(&self, address: u64) -> [u8; TEXTURE_BYTES] {
        let [width, height, depth] = self.extents();
        let mut bits = Bits::default();
        bits.format(self);
        // Each result from its own channel.
        (16..).step_by(3).zip(0..4).for_each(|(bit, channel)| bits.set(bit, channel));
        bits.set(28, width);
        bits.set(42, height);
        bits.set(60, u128::from(self.levels.saturating_sub(1)));
        bits.set(64, u128::from(self.samples > 2));
        bits.set(66, u128::from(address >> 4));
        bits.set(108, u128::from(self.format.srgb));
        if self.linear {
            let [row, layer] = self.linear_strides();
            bits.set(110, u128::from((row / 16).saturating_sub(1)));
            if self.dimension == Dimension::Buffer {
                let word =
                    if self.format == Format::RGB32UI { BUFFER_TRIPLES_WORD } else { BUFFER_SIZE_WORD };
                bits.high = u64::from(self.size[0]) << word.saturating_mul(32).saturating_sub(128);
            } else {
                bits.set(127, 1);
                bits.high = depth as u64 | u64::from((layer / 128).saturating_sub(1)) << 11;
            }
        } else {
            bits.set(110, depth);
        }
        bits.bytes()
    }

    /// The descriptor with which shaders store to the image at `address`.
    pub(super) fn image(&self, address: u64) -> [u8; TEXTURE_BYTES] {
        let [width, height, depth] = self.extents();
        let mut bits = Bits::default();
        bits.format(self);
        (16..).step_by(2).zip(0..4).for_each(|(bit, channel)| bits.set(bit, channel));
        bits.set(24, width);
        bits.set(38, height);
        bits.set(56, u128::from(self.samples > 2));
        bits.set(64, u128::from(address >> 4));
        bits.set(125, u128::from(self.format.srgb));
        if self.linear {
            let [row, layer] = self.linear_strides();
            bits.set(104, u128::from(row.saturating_sub(4)));
            bits.high = depth as u64 | u64::from((layer / 128).saturating_sub(1)) << 11;
        } else {
            bits.set(108, depth);
        }
        bits.bytes()
    }
}

/// A descriptor under construction.
#[derive(Default)]
struct Bits {
    low: u128,
    high: u64,
}

impl Bits {
    fn set(&mut self, start: u32, value: u128) {
        self.low |= value << start;
    }

    fn format(&mut self, shape: &Shape) {
        // Launches by this module do not use tiled layouts.
        const ROWS: u128 = crate::textures::ROWS as u128;
        self.set(0, u128::from(shape.dimension.code()));
        self.set(4, if shape.linear { 0 } else { ROWS });
        let format = shape.format.in_hardware();
        self.set(6, u128::from(format.channels));
        self.set(13, u128::from(format.kind));
    }

    fn bytes(&self) -> [u8; TEXTURE_BYTES] {
        let mut bytes = [0; TEXTURE_BYTES];
        bytes[..16].copy_from_slice(&self.low.to_le_bytes());
        bytes[16..].copy_from_slice(&self.high.to_le_bytes());
        bytes
    }
}

/// A texture, storage image or texel buffer that a shader can access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextureResource {
    /// Its binding, its texels, and whether the shader may write them.
    pub buffer: BufferBinding,
    /// Properties.
    pub shape: Shape,
    /// Whether it is bound as a storage image or storage texel buffer.
    pub storage: bool,
}

impl TextureResource {
    /// The descriptor of the kind with the texels at `address`.
    pub(super) fn descriptor(&self, kind: DescriptorKind, address: u64) -> [u8; TEXTURE_BYTES] {
        let shape = if self.storage { self.shape.as_storage() } else { self.shape };
        match (kind, shape.in_plane().filter(|_| self.storage)) {
            (DescriptorKind::Texture, None) => shape.texture(address),
            (DescriptorKind::Texture, Some((_, place))) => {
                let mut bytes = shape.texture(address);
                for (field, value) in place.fields() {
                    agx_abi::record::set_bits(&mut bytes, field.start, field.width, value.into());
                }
                bytes
            }
            (DescriptorKind::Image, None) => shape.image(address),
            (DescriptorKind::Image, Some((plane, _))) => plane.image(address),
        }
    }
}

/// Treatment of coordinates outside a texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Wrap {
    /// The texel at the edge.
    #[default]
    ClampToEdge = 0,
    /// Repeats the texture.
    Repeat = 1,
    /// Repeats the texture, mirrored every other time.
    MirroredRepeat = 2,
    /// The border.
    ClampToBorder = 3,
    /// Mirrored once, then the texel at the edge.
    MirroredClampToEdge = 5,
}

/// Border colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Border {
    /// All components 0.
    #[default]
    TransparentBlack = 0,
    /// Colour 0, alpha 1.
    OpaqueBlack = 1,
    /// All components 1.
    OpaqueWhite = 2,
}

/// Sampling state.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SamplerState {
    /// Whether magnification and minification use linear filters.
    pub linear: [bool; 2],
    /// Whether the filter between levels is linear; `None` reads only the first level.
    pub linear_levels: Option<bool>,
    /// Treatment of coordinates outside, along each axis.
    pub wrap: [Wrap; 3],
    /// Minimum and maximum level.
    pub levels: [f32; 2],
    /// Whether coordinates are in texels.
    pub pixel_coordinates: bool,
    /// How shadow lookups compare `reference OP texel`: 0 at most, 1 at least, 2 less, 3 greater, 4 equal, 5 not equal, 6
    /// always, 7 never.
    pub compare: u32,
    /// Border colour.
    pub border: Border,
    /// Level bias, for shaders that add the bias of samplers.
    pub bias: f32,
}

impl Default for SamplerState {
    fn default() -> Self {
        SamplerState {
            linear: [false; 2],
            linear_levels: Some(false),
            wrap: [Wrap::ClampToEdge; 3],
            levels: [0.0, 15.0],
            pixel_coordinates: false,
            compare: 6,
            border: Border::TransparentBlack,
            bias: 0.0,
        }
    }
}

impl SamplerState {
    /// The state for loads by integer coordinates.
    pub const LOADS: SamplerState = SamplerState {
        linear: [false; 2],
        linear_levels: None,
        wrap: [Wrap::ClampToBorder; 3],
        levels: [0.0, 0.0],
        pixel_coordinates: true,
        compare: 6,
        border: Border::TransparentBlack,
        bias: 0.0,
    };

    /// The sampler for a token of an AGAL program; `None` if the application sets it. Anisotropic filters become
    /// linear.
    pub fn of_agal(state: agal::SamplerState) -> Option<SamplerState> {
        let agal::SamplerState::Token { filter, mip, wrap } = state else { return None };
        let axis = |repeats: bool| if repeats { Wrap::Repeat } else { Wrap::ClampToEdge };
        let [u, v] = [matches!(wrap, 1 | 3), matches!(wrap, 1 | 2)].map(axis);
        Some(SamplerState {
            linear: [filter > 0; 2],
            linear_levels: (mip > 0).then_some(mip == 2),
            wrap: [u, v, v],
            ..SamplerState::default()
        })
    }

    /// The sampler descriptor of the hardware.
    pub(super) fn descriptor(&self) -> [u8; SAMPLER_BYTES] {
        let lod = |level: f32| u64::from((level.clamp(0.0, 15.9) * 64.0) as u16);
        let filter = match self.linear_levels {
            None => 0,
            Some(false) => 1,
            Some(true) => 2,
        };
        let mut bits = lod(self.levels[0]) | lod(self.levels[1]) << 10;
        bits |= u64::from(self.linear[0]) << 23 | u64::from(self.linear[1]) << 25 | filter << 27;
        for (bit, wrap) in (29..).step_by(3).zip(self.wrap) {
            bits |= (wrap as u64) << bit;
        }
        bits |= u64::from(self.pixel_coordinates) << 38 | u64::from(self.compare) << 39;
        (bits | (self.border as u64) << 55).to_le_bytes()
    }
}

/// A sampler that a shader can access.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SamplerResource {
    /// Descriptor set.
    pub set: u32,
    /// Binding within the set.
    pub binding: u32,
    /// Array element; 0 when the binding is not an array.
    pub element: u32,
    /// Sampling state.
    pub state: SamplerState,
}

/// Contents of sampler state registers: the shader's samplers, then those of sampler tables.
#[derive(Default)]
pub(super) struct SamplerRegisters(pub Vec<[u8; SAMPLER_BYTES]>);

impl SamplerRegisters {
    /// The register with `sampler`; `None` if no register is left.
    pub fn register(&mut self, sampler: [u8; SAMPLER_BYTES]) -> Option<u16> {
        let known = self.0.iter().position(|known| *known == sampler);
        let register = known.unwrap_or(self.0.len());
        if known.is_none() {
            self.0.push(sampler);
        }
        (register < MAX_SAMPLERS).then_some(register as u16)
    }
}
