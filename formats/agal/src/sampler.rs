//! Settings of texture instructions: fields of the byte code, and keywords of the assembler.

use crate::token::SamplerField;

/// Kind of a texture.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dimension {
    /// Two coordinates.
    D2,
    /// A direction.
    Cube,
    /// Three coordinates; not in the document.
    D3,
}

impl Dimension {
    /// Number of coordinates.
    pub fn coordinates(self) -> usize {
        if self == Dimension::D2 { 2 } else { 3 }
    }
}

/// Filter within a level.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Filter {
    /// The nearest texel.
    Nearest,
    /// Weighted average of the nearest texels.
    Linear,
    /// Weighted, with this number of samples along the longer axis; not in the document.
    Anisotropic(u8),
}

/// Filter between levels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mip {
    /// Only the first level is used.
    None,
    /// The nearest level.
    Nearest,
    /// Weighted average of the two nearest levels.
    Linear,
}

/// Texture addressing outside 0 … 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wrap {
    /// Clamp to the edge in both directions.
    Clamp,
    /// Repeat in both directions.
    Repeat,
    /// Clamp along u, repeat along v; not in the document.
    ClampRepeat,
    /// Repeat along u, clamp along v; not in the document.
    RepeatClamp,
}

/// The settings of a texture instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SamplerSettings {
    /// Kind of the texture.
    pub dimension: Dimension,
    /// Filter within a level.
    pub filter: Filter,
    /// Filter between levels.
    pub mip: Mip,
    /// Texture addressing.
    pub wrap: Wrap,
    /// Bias of the level of detail in eighths.
    pub bias_eighths: i8,
    /// The token's filters and addressing are ignored in favour of the application's.
    pub ignored: bool,
    /// Format of the texture: 0 colours, 1 `dxt1`, 2 `dxt5`, 3 `video`.
    pub format: u8,
}

impl SamplerSettings {
    /// Bias of the level of detail.
    pub fn bias(&self) -> f32 {
        f32::from(self.bias_eighths) / 8.0
    }
}

/// First bit of the texture's format.
pub(crate) const FORMAT: u32 = 40;
/// First bit of the dimension.
pub(crate) const DIMENSION: u32 = 44;
/// First bit of the flags: 1 centroid, 2 single, 4 ignore the token's settings.
pub(crate) const FLAGS: u32 = 48;
/// First bit of the wrapping.
pub(crate) const WRAP: u32 = 52;
/// First bit of the mipmapping.
pub(crate) const MIP: u32 = 56;
/// First bit of the filter.
pub(crate) const FILTER: u32 = 60;

/// The flag that ignores the token's settings in favour of the application's.
pub(crate) const IGNORE: u8 = 4;

/// A keyword of the assembler between `<` and `>`: sets a field of four bits, or adds a flag to it.
#[derive(Clone, Copy, Debug)]
pub struct SamplerWord {
    /// The keyword.
    pub word: &'static str,
    /// First of the four bits.
    pub shift: u32,
    /// Value of the field.
    pub value: u8,
}

const fn word(word: &'static str, shift: u32, value: u8) -> SamplerWord {
    SamplerWord { word, shift, value }
}

/// Every keyword. If several keywords have the same meaning, the disassembler prints the first.
pub static SAMPLER_WORDS: &[SamplerWord] = &[
    word("2d", DIMENSION, 0),
    word("cube", DIMENSION, 1),
    word("3d", DIMENSION, 2),
    word("clamp", WRAP, 0),
    word("repeat", WRAP, 1),
    word("wrap", WRAP, 1),
    word("clamp_u_repeat_v", WRAP, 2),
    word("repeat_u_clamp_v", WRAP, 3),
    word("nearest", FILTER, 0),
    word("linear", FILTER, 1),
    word("anisotropic2x", FILTER, 2),
    word("anisotropic4x", FILTER, 3),
    word("anisotropic8x", FILTER, 4),
    word("anisotropic16x", FILTER, 5),
    word("mipnone", MIP, 0),
    word("nomip", MIP, 0),
    word("mipnearest", MIP, 1),
    word("miplinear", MIP, 2),
    word("rgba", FORMAT, 0),
    word("dxt1", FORMAT, 1),
    word("compressed", FORMAT, 1),
    word("dxt5", FORMAT, 2),
    word("compressedalpha", FORMAT, 2),
    word("video", FORMAT, 3),
    word("centroid", FLAGS, 1),
    word("single", FLAGS, 2),
    word("ignoresampler", FLAGS, IGNORE),
    word("depth", FLAGS, 8),
];

/// The settings that a field encodes; for an invalid field, its first bit is the error.
pub(crate) fn settings(field: SamplerField) -> Result<SamplerSettings, u32> {
    let dimension = match field.nibble(DIMENSION) {
        0 => Dimension::D2,
        1 => Dimension::Cube,
        2 => Dimension::D3,
        _ => return Err(DIMENSION),
    };
    let filter = match field.nibble(FILTER) {
        0 => Filter::Nearest,
        1 => Filter::Linear,
        power @ 2..=5 => Filter::Anisotropic(1 << power >> 1),
        _ => return Err(FILTER),
    };
    let mip = match field.nibble(MIP) {
        0 => Mip::None,
        1 => Mip::Nearest,
        2 => Mip::Linear,
        _ => return Err(MIP),
    };
    let wrap = match field.nibble(WRAP) {
        0 => Wrap::Clamp,
        1 => Wrap::Repeat,
        2 => Wrap::ClampRepeat,
        3 => Wrap::RepeatClamp,
        _ => return Err(WRAP),
    };
    let ignored = field.nibble(FLAGS) & IGNORE != 0;
    let bias_eighths = field.bias_eighths();
    Ok(SamplerSettings { dimension, filter, mip, wrap, bias_eighths, ignored, format: field.nibble(FORMAT) })
}
