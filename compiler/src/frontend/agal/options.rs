//! Options of a key for AGAL programs.

use agx_agal::{Dimension, Filter, Mip, SamplerSettings, TextureUse, Wrap};

use crate::CompileKey;
use crate::error::{CompileError, InputError};

/// Options of [`CompileKey::options`]. Sampler options have four bits per sampler register, `fs0` lowest: 0
/// keeps the token's setting, n + 1 replaces it by the byte code's number n.
pub const OPTIONS: &[(&str, &str)] = &[
    ("strict", "1: reject programs that the document forbids"),
    ("flip_y", "1: negate y of the position"),
    ("depth_from_minus_w", "1: convert the position's depth from the range -w to w to 0 to w"),
    (
        "sampler_dimensions",
        "dimension of each texture: 4 bits each; 0: as in the token, 1: 2d, 2: cube, 3: 3d",
    ),
    (
        "sampler_filters",
        "filter of each sampler: 4 bits each; 0: as in the token, 1: nearest, 2: linear, 3 to 6: anisotropic",
    ),
    (
        "sampler_mips",
        "mipmapping of each sampler: 4 bits each; 0: as in the token, 1: none, 2: nearest, 3: linear",
    ),
    (
        "sampler_wraps",
        "wrapping of each sampler: 4 bits each; 0: as in the token, 1: clamp, 2: repeat, 3 and 4: mixed",
    ),
    ("sampler_biases", "bias of fs0 to fs7 in eighths: 8 bits each, added to the token's"),
    ("sampler_biases_high", "bias of fs8 to fs15 in eighths: 8 bits each, added to the token's"),
];

/// The options of a key.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Options {
    /// Reject programs that the document forbids.
    pub(super) strict: bool,
    /// Negate y of the position.
    pub(super) flip_y: bool,
    /// Depth of the position is in the range −w to w.
    pub(super) depth_from_minus_w: bool,
    dimensions: u64,
    filters: u64,
    mips: u64,
    wraps: u64,
    biases: [u64; 2],
}

impl Options {
    /// The options of `key`, whose names are already validated.
    pub(super) fn new(key: &CompileKey) -> Result<Options, CompileError> {
        let mut options = Options::default();
        for (name, value) in &key.options {
            match name.as_str() {
                "strict" => options.strict = flag(name, *value)?,
                "flip_y" => options.flip_y = flag(name, *value)?,
                "depth_from_minus_w" => options.depth_from_minus_w = flag(name, *value)?,
                "sampler_dimensions" => options.dimensions = nibbles(name, *value, 3)?,
                "sampler_filters" => options.filters = nibbles(name, *value, 6)?,
                "sampler_mips" => options.mips = nibbles(name, *value, 3)?,
                "sampler_wraps" => options.wraps = nibbles(name, *value, 4)?,
                "sampler_biases" => options.biases[0] = *value,
                "sampler_biases_high" => options.biases[1] = *value,
                _ => {}
            }
        }
        Ok(options)
    }

    /// The settings of a texture use, from the token and the key.
    pub(super) fn settings(&self, texture: &TextureUse) -> SamplerSettings {
        let register = u32::from(texture.register % 16);
        let choice = |options: u64| nibble(options, register) as u8;
        let token = texture.settings;
        let [low, high] = self.biases.map(u64::to_le_bytes);
        let bias = low.iter().chain(&high).nth(register as usize).map_or(0, |bias| *bias as i8);
        SamplerSettings {
            dimension: match choice(self.dimensions) {
                1 => Dimension::D2,
                2 => Dimension::Cube,
                3 => Dimension::D3,
                _ => token.dimension,
            },
            filter: match choice(self.filters) {
                0 => token.filter,
                1 => Filter::Nearest,
                2 => Filter::Linear,
                power => Filter::Anisotropic(1u8.wrapping_shl(u32::from(power).saturating_sub(2))),
            },
            mip: match choice(self.mips) {
                1 => Mip::None,
                2 => Mip::Nearest,
                3 => Mip::Linear,
                _ => token.mip,
            },
            wrap: match choice(self.wraps) {
                1 => Wrap::Clamp,
                2 => Wrap::Repeat,
                3 => Wrap::ClampRepeat,
                4 => Wrap::RepeatClamp,
                _ => token.wrap,
            },
            bias_eighths: token.bias_eighths.saturating_add(bias),
            ..token
        }
    }
}

fn flag(name: &str, value: u64) -> Result<bool, CompileError> {
    match value {
        0 | 1 => Ok(value == 1),
        _ => Err(InputError::OptionValue {
            name: format!("`{name}`"),
            expected: "0 or 1".to_owned(),
            found: value,
        }
        .into()),
    }
}

/// The four-bit field of a register.
fn nibble(value: u64, register: u32) -> u64 {
    value.wrapping_shr(register << 2) & 15
}

/// Checks sixteen four-bit fields against the maximum `last`.
fn nibbles(name: &str, value: u64, last: u64) -> Result<u64, CompileError> {
    match (0..16).find(|register| nibble(value, *register) > last) {
        Some(register) => Err(InputError::OptionValue {
            name: format!("`{name}`, sampler {register}"),
            expected: format!("0 to {last}"),
            found: nibble(value, register),
        }
        .into()),
        None => Ok(value),
    }
}
