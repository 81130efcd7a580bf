//! Settings of texture instructions: fields of the byte code, and words of the assembler.

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

/// How texels of a level are combined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Filter {
    /// The nearest one.
    Nearest,
    /// The nearest ones, weighted.
    Linear,
    /// Weighted, with so many samples along the longer axis; not in the document.
    Anisotropic(u8),
}

/// How levels are combined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mip {
    /// Only the first level is used.
    None,
    /// The nearest one.
    Nearest,
    /// The two nearest ones, weighted.
    Linear,
}

/// What coordinates outside the texture give.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wrap {
    /// The edge, in both directions.
    Clamp,
    /// The texture again, in both directions.
    Repeat,
    /// The edge along u, the texture again along v; not in the document.
    ClampRepeat,
    /// The texture again along u, the edge along v; not in the document.
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
    /// Coordinates outside.
    pub wrap: Wrap,
    /// Bias of the level of detail in eighths.
    pub bias_eighths: i8,
    /// Filter, mipmapping and wrapping are those that the application sets, not those of the token.
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

/// The flag that makes the application's settings count.
pub(crate) const IGNORE: u8 = 4;

/// A word of the assembler between `<` and `>`: sets four bits, or adds a flag to them.
#[derive(Clone, Copy, Debug)]
pub struct SamplerWord {
    /// The word.
    pub word: &'static str,
    /// First of the four bits.
    pub shift: u32,
    /// What they become.
    pub value: u8,
}

const fn word(word: &'static str, shift: u32, value: u8) -> SamplerWord {
    SamplerWord { word, shift, value }
}

/// Every word. Of several words for a value, the disassembler writes the first.
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

/// The settings that a field encodes; the first bit of a field that encodes none.
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
