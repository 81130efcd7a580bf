//! Samplers, in the form the hardware reads.

use agx_abi::record::sampler as record;
use ash::vk;
use half::f16;

use crate::border;
use crate::record::Writer;

/// Bytes of a sampler as the hardware reads it.
pub const BYTES: usize = 8;
/// Bytes of a sampler with a border colour.
pub const BORDERED_BYTES: usize = BYTES + border::BYTES;
/// Bytes of a sampler in a set.
pub const RECORD_BYTES: usize = agx_abi::textures::BIAS_STRIDE as usize;
/// Most that samplers add to levels, and most that they take away.
pub const MAX_BIAS: f32 = 15.0;

/// A sampler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sampler {
    /// What the hardware reads, and the border colour that it reads of programs whose samplers have one.
    pub descriptor: [u8; BORDERED_BYTES],
    /// What shaders add to levels: the bits of a 16-bit float.
    pub bias: u16,
}

/// What a sampler is made of.
#[derive(Clone, Copy, Debug)]
pub struct SamplerInfo {
    /// Filters where texels are larger and where they are smaller than pixels.
    pub filters: [vk::Filter; 2],
    /// Filter between levels.
    pub levels: vk::SamplerMipmapMode,
    /// Outside, along each axis.
    pub wrap: [vk::SamplerAddressMode; 3],
    /// Samples of an anisotropic footprint.
    pub anisotropy: Option<f32>,
    /// How references are compared.
    pub compare: Option<vk::CompareOp>,
    /// Least and greatest level.
    pub lod: [f32; 2],
    /// Added to levels.
    pub bias: f32,
    /// Colour outside, where it is one of the fixed ones.
    pub border: vk::BorderColor,
    /// Colour outside of the application's own.
    pub custom: Option<[u8; border::BYTES]>,
    /// Coordinates count texels.
    pub pixels: bool,
}

impl Sampler {
    /// What loads by integer coordinates want ([`agx_abi::SamplerBinding::Loads`]).
    pub fn loads() -> Sampler {
        Sampler::new(&SamplerInfo {
            filters: [vk::Filter::NEAREST; 2],
            levels: vk::SamplerMipmapMode::NEAREST,
            wrap: [vk::SamplerAddressMode::CLAMP_TO_BORDER; 3],
            anisotropy: None,
            compare: None,
            lod: [0.0, 0.0],
            bias: 0.0,
            border: vk::BorderColor::FLOAT_TRANSPARENT_BLACK,
            custom: None,
            pixels: true,
        })
    }

    /// A sampler.
    pub fn new(info: &SamplerInfo) -> Sampler {
        let level = |lod: f32| u64::from((lod.clamp(0.0, 15.98) * 64.0) as u16);
        let [magnify, minify] = info.filters.map(|filter| u64::from(filter == vk::Filter::LINEAR));
        let levels = match info.levels {
            _ if info.pixels => 0,
            vk::SamplerMipmapMode::LINEAR => 2,
            _ => 1,
        };
        let border = match info.border {
            _ if info.custom.is_some() => 3,
            vk::BorderColor::FLOAT_OPAQUE_BLACK | vk::BorderColor::INT_OPAQUE_BLACK => 1,
            vk::BorderColor::FLOAT_OPAQUE_WHITE | vk::BorderColor::INT_OPAQUE_WHITE => 2,
            _ => 0,
        };
        let [s, t, r] = info.wrap.map(wrap);
        let bytes = Writer::new(&record::RECORD)
            .set(&record::MIN_LEVEL, level(info.lod[0]))
            .set(&record::MAX_LEVEL, level(info.lod[1]))
            .set(&record::ANISOTROPY, info.anisotropy.map_or(1, |most| most.clamp(1.0, 16.0) as u64))
            .set(&record::MAGNIFY, magnify)
            .set(&record::MINIFY, minify)
            .set(&record::LEVELS, levels)
            .set(&record::WRAP_S, s)
            .set(&record::WRAP_T, t)
            .set(&record::WRAP_R, r)
            .flag(&record::PIXELS, info.pixels)
            .set(&record::COMPARE, info.compare.map_or(6, comparison))
            .flag(&record::COMPARES, info.compare.is_some())
            .set(&record::BORDER, border)
            .bytes();
        let mut descriptor = [0; BORDERED_BYTES];
        let bytes = bytes.into_iter().chain(info.custom.unwrap_or_default());
        descriptor.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
        Sampler { descriptor, bias: f16::from_f32(info.bias.clamp(-MAX_BIAS, MAX_BIAS)).to_bits() }
    }

    /// The sampler in a set: what the hardware reads, then the bias.
    pub fn record(&self) -> [u8; RECORD_BYTES] {
        let mut record = [0; RECORD_BYTES];
        let bytes = self.descriptor.into_iter().chain(self.bias.to_le_bytes());
        record.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
        record
    }
}

fn wrap(mode: vk::SamplerAddressMode) -> u64 {
    match mode {
        vk::SamplerAddressMode::REPEAT => 1,
        vk::SamplerAddressMode::MIRRORED_REPEAT => 2,
        vk::SamplerAddressMode::CLAMP_TO_BORDER => 3,
        vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE => 5,
        _ => 0,
    }
}

/// How samplers number comparisons (`agx_abi::record::SHADOW_COMPARE`).
fn comparison(op: vk::CompareOp) -> u64 {
    match op {
        vk::CompareOp::LESS_OR_EQUAL => 0,
        vk::CompareOp::GREATER_OR_EQUAL => 1,
        vk::CompareOp::LESS => 2,
        vk::CompareOp::GREATER => 3,
        vk::CompareOp::EQUAL => 4,
        vk::CompareOp::NOT_EQUAL => 5,
        vk::CompareOp::ALWAYS => 6,
        _ => 7,
    }
}
