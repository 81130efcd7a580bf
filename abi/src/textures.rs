//! Textures, images and samplers: which state registers hold what, and what is in a descriptor.
//!
//! The first [`MAX_TEXTURES`] descriptors a shader uses lie in texture state registers from 0 on, in the order of
//! [`crate::ShaderInfo::textures`]. Elements of arrays indexed by a run-time value, and whatever else does not fit, are
//! reached through tables in memory ([`crate::UniformSource::TextureTable`]) of [`DESCRIPTOR_BYTES`] for each element.
//! Samplers are in sampler state registers from 0 on, in the order of [`crate::ShaderInfo::samplers`], because
//! instructions reach them there at no cost. Where an array is indexed by a run-time value and its length is unknown, or all
//! registers are taken, shaders read the sampler's number from a table ([`crate::UniformSource::SamplerTable`]): the number of a
//! free register, or that of a sampler in the heap, which starts at [`FIRST_IN_HEAP`]. One register is kept for [`SamplerBinding::Loads`].
//!
//! What a shader asks about a texture it reads from the descriptor's words ([`crate::UniformSource::TextureWords`]).
//!
//! * A storage image has two descriptors: a texture that loads read, and an image that stores write.
//! * Storage images that are cubes are described as 2D arrays of their faces.
//! * An input attachment is a 2D array (of one or several samples); the layer rendered to is loaded.
//! * A texel buffer is a linear 2D texture in rows of [`BUFFER_ROW_TEXELS`], with the number of texels in word
//!   [`BUFFER_SIZE_WORD`] of the texture descriptor, which the hardware does not read for such a texture.
//! * A storage image or storage texel buffer that atomics are done on is linear: the shader computes addresses.

/// Bytes of a descriptor of a texture or image.
pub const DESCRIPTOR_BYTES: u32 = 24;

/// Bytes from the level bias of a sampler to that of the next in a table ([`crate::UniformSource::SamplerBiasTable`]), so that a
/// driver can keep it beside the sampler.
pub const BIAS_STRIDE: u32 = 32;

/// Bytes from the number of a sampler to that of the next in a table ([`crate::UniformSource::SamplerTable`]), so that a driver can keep
/// it beside the sampler.
pub const NUMBER_STRIDE: u32 = 32;

/// Number by which programs name the first sampler of the heap; below it are state registers (Mesa, `hk_descriptor_set.c`).
pub const FIRST_IN_HEAP: u16 = 28;

/// Texture state registers that a driver fills (Mesa 25.0 binds as many before it goes through memory).
pub const MAX_TEXTURES: usize = 16;

/// Sampler state registers that a driver fills.
pub const MAX_SAMPLERS: usize = 16;

/// Texels of a row of a texel buffer; a power of two.
pub const BUFFER_ROW_TEXELS: u32 = 1024;

/// The 32-bit word of a texel buffer's texture descriptor that holds the number of texels.
pub const BUFFER_SIZE_WORD: u32 = 4;

/// What a descriptor describes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DescriptorKind {
    /// What samples and loads read.
    Texture,
    /// What stores write.
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

/// What a texture state register holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextureBinding {
    /// Descriptor set.
    pub set: u32,
    /// Binding within the set.
    pub binding: u32,
    /// Array element; 0 when the binding is not an array.
    pub element: u32,
    /// Which of its descriptors.
    pub kind: DescriptorKind,
}

/// What a sampler state register holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SamplerBinding {
    /// A sampler of the application.
    Bound {
        /// Descriptor set.
        set: u32,
        /// Binding within the set.
        binding: u32,
        /// Array element; 0 when the binding is not an array.
        element: u32,
    },
    /// A sampler of the application for one of the textures it is combined with: its border colour may depend on the texture's
    /// format. Only where the compiler's key asks for it.
    Paired {
        /// Descriptor set.
        set: u32,
        /// Binding within the set.
        binding: u32,
        /// Array element; 0 when the binding is not an array.
        element: u32,
        /// Descriptor set of the texture.
        texture_set: u32,
        /// Binding of the texture.
        texture_binding: u32,
        /// Array element of the texture; where it is chosen at run time, the known part of its number.
        texture_element: u32,
    },
    /// What loads by integer coordinates want: nearest texel, coordinates in texels, a border of transparent black.
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

/// Width in texels, less one.
pub const WIDTH: Field = field(28, 14);
/// Height in texels, less one.
pub const HEIGHT: Field = field(42, 14);
/// First level of the view.
pub const FIRST_LEVEL: Field = field(56, 4);
/// Last level of the view.
pub const LAST_LEVEL: Field = field(60, 4);
/// Logarithm of the samples, less one.
pub const SAMPLES: Field = field(64, 1);
/// Address in units of 16 bytes.
pub const ADDRESS: Field = field(66, 36);
/// Bytes of a row in units of 16, less one, of linear textures.
pub const ROW_STRIDE: Field = field(110, 16);
/// Depth, layers, or cubes, less one, of textures that are not linear.
pub const DEPTH: Field = field(110, 14);
/// The texture is linear and has layers: [`LINEAR_LAYERS`] and [`LAYER_STRIDE`] mean something.
pub const HAS_LINEAR_LAYERS: Field = field(127, 1);
/// Layers less one, of linear arrays.
pub const LINEAR_LAYERS: Field = field(128, 11);
/// Bytes from one layer to the next in units of 128, less one, of linear arrays.
pub const LAYER_STRIDE: Field = field(139, 27);

/// The fields of a texture descriptor that shaders read, with what they contain.
pub const FIELDS: [(Field, &str); 11] = [
    (WIDTH, "width in texels, less one"),
    (HEIGHT, "height in texels, less one"),
    (FIRST_LEVEL, "first level of the view"),
    (LAST_LEVEL, "last level of the view"),
    (SAMPLES, "logarithm of the samples, less one"),
    (ADDRESS, "address, in units of 16 bytes"),
    (ROW_STRIDE, "linear: bytes of a row, in units of 16, less one"),
    (DEPTH, "not linear: depth, layers or cubes, less one"),
    (HAS_LINEAR_LAYERS, "linear, and the two fields below mean something"),
    (LINEAR_LAYERS, "layers, less one"),
    (LAYER_STRIDE, "bytes from layer to layer, in units of 128, less one"),
];
