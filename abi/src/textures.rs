//! Textures, images and samplers: the contents of state registers and descriptors.
//!
//! The first [`MAX_TEXTURES`] descriptors that a shader uses are in texture state registers from 0 on, in the
//! order of [`crate::ShaderInfo::textures`]. Elements of arrays with a run-time index, and descriptors beyond
//! the limit, are in tables in memory ([`crate::UniformSource::TextureTable`]) of [`DESCRIPTOR_BYTES`] per
//! element. Samplers are in sampler state registers from 0 on, in the order of
//! [`crate::ShaderInfo::samplers`], where instructions access them at no cost. If an array has a run-time
//! index and unknown length, or all registers are in use, shaders read the sampler's number from a table
//! ([`crate::UniformSource::SamplerTable`]): the number of a free register, or that of a sampler in the heap,
//! which starts at [`FIRST_IN_HEAP`]. One register is reserved for [`SamplerBinding::Loads`].
//!
//! Texture queries read the descriptor's words ([`crate::UniformSource::TextureWords`]).
//!
//! * A storage image has two descriptors: a texture for loads, and an image for stores.
//! * Storage images that are cubes are described as 2D arrays of their faces.
//! * An input attachment is a 2D array, possibly multisampled; the layer or view being rendered is loaded.
//! * A texel buffer is a linear 2D texture in rows of [`BUFFER_ROW_TEXELS`], with the number of texels in
//!   word [`BUFFER_SIZE_WORD`] of the texture descriptor, which the hardware ignores for such a texture.
//! * The hardware has no texels of three 32-bit components. If the compile key enables them, word
//!   [`BUFFER_TRIPLES_WORD`] has the number of such texels, which shaders load from the address of the texture; it is
//!   0 for all other texel buffers, and the other word is 0 for these.
//! * Atomics access the memory of a storage image at addresses that the shader computes. The texture descriptor of a tiled image
//!   has what this needs ([`TiledTexels`]), in fields that the hardware does not read; texel buffers are linear.

use crate::page_table::PAGE;

/// Size of a descriptor of a texture or image in bytes.
pub const DESCRIPTOR_BYTES: u32 = 24;

/// Distance in bytes between the level biases of samplers in a table
/// ([`crate::UniformSource::SamplerBiasTable`]), chosen so that a driver can keep each next to its sampler.
pub const BIAS_STRIDE: u32 = 32;

/// Distance in bytes between the numbers of samplers in a table ([`crate::UniformSource::SamplerTable`]),
/// chosen so that a driver can keep each next to its sampler.
pub const NUMBER_STRIDE: u32 = 32;

/// Number of the first sampler in the heap; lower numbers are state registers (Mesa, `hk_descriptor_set.c`).
pub const FIRST_IN_HEAP: u16 = 28;

/// Number of texture state registers that a driver fills (Mesa 25.0 binds as many before it uses memory).
pub const MAX_TEXTURES: usize = 16;

/// Number of sampler state registers that a driver fills.
pub const MAX_SAMPLERS: usize = 16;

/// Texels per row of a texel buffer, a power of two: the widest texture has this width (Mesa 26.1 has such rows too).
pub const BUFFER_ROW_TEXELS: u32 = 16384;

/// The 32-bit word of a texel buffer's texture descriptor that holds the number of texels.
pub const BUFFER_SIZE_WORD: u32 = 4;

/// The 32-bit word of a texel buffer's texture descriptor that holds the number of texels of three 32-bit components.
pub const BUFFER_TRIPLES_WORD: u32 = 5;

/// The last column of a tile of a multisampled storage image. The hardware ignores this field and the next three for such a
/// texture; [`crate::fragment::SampledTarget`] explains them. The image descriptor is one of a plane of all samples.
pub const SAMPLED_LAST_COLUMN: Field = field(128, 7);
/// The last row of a tile.
pub const SAMPLED_LAST_ROW: Field = field(135, 7);
/// Texels of a row of tiles along x.
pub const SAMPLED_STRIDE: Field = field(142, 16);
/// Samples between layers.
pub const SAMPLED_LAYER: Field = field(160, 31);

/// The last column and row of a tile of a tiled storage image with one sample. The hardware ignores this field and the next three
/// for such a texture; [`TiledTexels`] explains them.
pub const TILED_LAST: Field = field(128, 7);
/// Bits 32 to 39 of the address of the first level.
pub const TILED_HIGH: Field = field(135, 8);
/// Pages between layers.
pub const TILED_LAYER: Field = field(143, 17);
/// Bits 7 to 31 of the address of the first level.
pub const TILED_LOW: Field = field(160, 25);

/// Where the 32-bit texels of a tiled storage image are, for atomics. Rows of tiles follow each other, as the width of the level
/// and the side of a tile determine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TiledTexels {
    /// Width and height in texels of a tile, within which texels are in Morton order; a power of two, at most 64.
    pub side: u32,
    /// Address of the first level of the view in the first layer, a multiple of 128.
    pub address: u64,
    /// Bytes between layers or slices, a multiple of a page.
    pub layer_bytes: u64,
}

impl TiledTexels {
    /// The fields in the texture descriptor.
    pub fn fields(self) -> [(Field, u32); 4] {
        let [low, high] = [self.address & 0xffff_ffff, self.address >> 32];
        [
            (TILED_LAST, self.side.saturating_sub(1)),
            (TILED_HIGH, high as u32),
            (TILED_LAYER, (self.layer_bytes / PAGE) as u32),
            (TILED_LOW, (low / 128) as u32),
        ]
    }
}

/// The kind of a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DescriptorKind {
    /// A texture, for samples and loads.
    Texture,
    /// An image, for stores.
    Image,
}

impl DescriptorKind {
    /// Lower-case name.
    pub fn name(self) -> &'static str {
        match self {
            DescriptorKind::Texture => "texture",
            DescriptorKind::Image => "image",
        }
    }
}

/// The contents of a texture state register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextureBinding {
    /// Descriptor set.
    pub set: u32,
    /// Binding within the set.
    pub binding: u32,
    /// Array element; 0 if the binding is not an array.
    pub element: u32,
    /// The kind of descriptor.
    pub kind: DescriptorKind,
}

/// The contents of a sampler state register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SamplerBinding {
    /// A sampler of the application.
    Bound {
        /// Descriptor set.
        set: u32,
        /// Binding within the set.
        binding: u32,
        /// Array element; 0 if the binding is not an array.
        element: u32,
    },
    /// A sampler of the application for one of the textures it is combined with, because its border colour
    /// may depend on the texture's format. Only if the compile key enables it.
    Paired {
        /// Descriptor set.
        set: u32,
        /// Binding within the set.
        binding: u32,
        /// Array element; 0 if the binding is not an array.
        element: u32,
        /// Descriptor set of the texture.
        texture_set: u32,
        /// Binding of the texture.
        texture_binding: u32,
        /// Array element of the texture; for a run-time index, the constant part.
        texture_element: u32,
    },
    /// The sampler for loads by integer coordinates: nearest texel, coordinates in texels, a border of
    /// transparent black.
    Loads,
}

/// A field of a texture descriptor: first bit and width (Mesa 25.0 driver).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// First bit, counted from the descriptor's start.
    pub start: u32,
    /// Bits.
    pub width: u32,
}

const fn field(start: u32, width: u32) -> Field {
    Field { start, width }
}

/// Order of texels in memory, of which 0 is linear.
pub const ORDER: Field = field(4, 2);
/// Width in texels, minus one.
pub const WIDTH: Field = field(28, 14);
/// Height in texels, minus one.
pub const HEIGHT: Field = field(42, 14);
/// First level of the view.
pub const FIRST_LEVEL: Field = field(56, 4);
/// Last level of the view.
pub const LAST_LEVEL: Field = field(60, 4);
/// Logarithm of the number of samples, minus one.
pub const SAMPLES: Field = field(64, 1);
/// Address in units of 16 bytes.
pub const ADDRESS: Field = field(66, 36);
/// For linear textures: row stride in units of 16 bytes, minus one.
pub const ROW_STRIDE: Field = field(110, 16);
/// For textures that are not linear: depth, layers, or cubes, minus one.
pub const DEPTH: Field = field(110, 14);
/// Whether the texture is linear and has layers, so that [`LINEAR_LAYERS`] and [`LAYER_STRIDE`] are valid.
pub const HAS_LINEAR_LAYERS: Field = field(127, 1);
/// For linear arrays: number of layers, minus one.
pub const LINEAR_LAYERS: Field = field(128, 11);
/// For linear arrays: layer stride in units of 128 bytes, minus one.
pub const LAYER_STRIDE: Field = field(139, 27);
/// Whether it is a null descriptor: a linear texture of one zero without layers. The hardware ignores the bit.
pub const NULL: Field = field(191, 1);

/// The fields of a texture descriptor that shaders read, with their contents.
pub const FIELDS: [(Field, &str); 13] = [
    (ORDER, "order of texels in memory, of which 0 is linear"),
    (WIDTH, "width in texels, minus one"),
    (HEIGHT, "height in texels, minus one"),
    (FIRST_LEVEL, "first level of the view"),
    (LAST_LEVEL, "last level of the view"),
    (SAMPLES, "logarithm of the number of samples, minus one"),
    (ADDRESS, "address, in units of 16 bytes"),
    (ROW_STRIDE, "linear: row stride in units of 16 bytes, minus one"),
    (DEPTH, "not linear: depth, layers or cubes, minus one"),
    (HAS_LINEAR_LAYERS, "linear, and the two fields below are valid"),
    (LINEAR_LAYERS, "layers, minus one"),
    (LAYER_STRIDE, "layer stride in units of 128 bytes, minus one"),
    (NULL, "null descriptor, of images that are not texel buffers; read if images have exact bounds"),
];
