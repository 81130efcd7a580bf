//! Samplers, in the form that the hardware reads.

use agx_abi::record::sampler as record;
use ash::vk;
use half::f16;

use crate::border;
use crate::sampler_heap::SamplerHeap;
use crate::ycbcr::YcbcrConversion;

/// Size of a hardware sampler.
pub const BYTES: usize = 8;
/// Bytes of a sampler with a border colour.
pub const BORDERED_BYTES: usize = BYTES + border::BYTES;
/// Bytes of a sampler in a set.
pub const RECORD_BYTES: usize = agx_abi::textures::BIAS_STRIDE as usize;
/// The code of custom border colours.
const CUSTOM: u64 = 3;
/// First byte of the sampler number in a record.
pub const NUMBER: u64 = BORDERED_BYTES as u64 + 4;
/// The last level that a sampler for loads reaches.
const MOST_LEVEL: f32 = 14.0;
/// Maximum magnitude of level biases.
pub const MAX_BIAS: f32 = 15.0;

/// A sampler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sampler {
    /// The hardware sampler, and the border colour, which the hardware reads for programs with border colours. A colour without a
    /// format is not encoded.
    pub descriptor: [u8; BORDERED_BYTES],
    /// What follows in a set: level bias, whether the colour is without a format, index in the heap, nothing.
    rest: [u16; 4],
    /// How colours are converted; records of sets do not have it.
    pub conversion: Option<YcbcrConversion>,
}

/// The parameters of a sampler.
#[derive(Clone, Copy, Debug)]
pub struct SamplerInfo {
    /// Filters for magnification and minification.
    pub filters: [vk::Filter; 2],
    /// Filter between levels.
    pub levels: vk::SamplerMipmapMode,
    /// Address mode along each axis.
    pub wrap: [vk::SamplerAddressMode; 3],
    /// Maximum anisotropy.
    pub anisotropy: Option<f32>,
    /// Comparison of shadow lookups.
    pub compare: Option<vk::CompareOp>,
    /// Minimum and maximum level.
    pub lod: [f32; 2],
    /// Level bias.
    pub bias: f32,
    /// Border colour, if it is a fixed one.
    pub border: vk::BorderColor,
    /// Custom border colour, and its format or `UNDEFINED`.
    pub custom: Option<(vk::Format, [u32; 4])>,
    /// Whether coordinates are in texels.
    pub pixels: bool,
    /// Whether each face of a cube is filtered separately.
    pub seams: bool,
}

impl Sampler {
    /// The sampler for loads by integer coordinates ([`agx_abi::SamplerBinding::Loads`]), which reach only the levels that the
    /// sampler has (Mesa 26.1).
    pub fn loads() -> Sampler {
        Sampler::new(&SamplerInfo {
            filters: [vk::Filter::NEAREST; 2],
            levels: vk::SamplerMipmapMode::NEAREST,
            wrap: [vk::SamplerAddressMode::CLAMP_TO_BORDER; 3],
            anisotropy: None,
            compare: None,
            lod: [0.0, MOST_LEVEL],
            bias: 0.0,
            border: vk::BorderColor::FLOAT_TRANSPARENT_BLACK,
            custom: None,
            pixels: false,
            seams: false,
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
            vk::BorderColor::FLOAT_OPAQUE_BLACK | vk::BorderColor::INT_OPAQUE_BLACK => 1,
            vk::BorderColor::FLOAT_OPAQUE_WHITE | vk::BorderColor::INT_OPAQUE_WHITE => 2,
            _ => 0,
        };
        let [s, t, r] = info.wrap.map(wrap);
        let bytes = record::new()
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
            .flag(&record::SEAMS, info.seams)
            .set(&record::COMPARE, info.compare.map_or(0, comparison))
            .flag(&record::COMPARES, info.compare.is_some())
            .set(&record::BORDER, border)
            .bytes();
        let mut descriptor = [0; BORDERED_BYTES];
        descriptor.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
        let bias = f16::from_f32(info.bias.clamp(-MAX_BIAS, MAX_BIAS)).to_bits();
        let sampler = Sampler { descriptor, rest: [bias, 0, 0, 0], conversion: None };
        match info.custom {
            None => sampler,
            Some((vk::Format::UNDEFINED, colour)) => sampler.open(colour),
            Some((format, colour)) => sampler.coloured(format, colour),
        }
    }

    /// The sampler with its index in a heap; its border colour is the nearest fixed one.
    pub fn in_heap(info: &SamplerInfo, heap: &SamplerHeap) -> Sampler {
        let sampler = Sampler::new(info);
        let fixed = match info.custom {
            Some((_, colour)) => sampler.coloured(vk::Format::UNDEFINED, colour),
            None => sampler,
        };
        let descriptor = fixed.descriptor.first_chunk().copied().unwrap_or_default();
        let [bias, is_open, _, rest] = sampler.rest;
        Sampler { rest: [bias, is_open, heap.number(descriptor), rest], ..sampler }
    }

    /// The level bias that shaders add: the bits of a 16-bit float.
    pub fn bias(&self) -> u16 {
        self.rest[0]
    }

    /// Whether the border colour has no format, and is to be encoded for the format of each texture.
    #[inline(always)]
    pub fn is_open(&self) -> bool {
        self.rest[1] != 0
    }

    /// The sampler, with the border colour encoded for textures of a format.
    pub fn of_format(self, format: vk::Format) -> Sampler {
        let words = self.descriptor.as_chunks::<4>().0.iter().skip(BYTES / 4);
        let mut colour = [0; 4];
        colour.iter_mut().zip(words).for_each(|(to, word)| *to = u32::from_le_bytes(*word));
        if self.is_open() { self.coloured(format, colour) } else { self }
    }

    /// The sampler with a border colour without a format.
    fn open(mut self, colour: [u32; 4]) -> Sampler {
        let words = self.descriptor.as_chunks_mut().0.iter_mut().skip(BYTES / 4);
        words.zip(colour).for_each(|(to, word)| *to = word.to_le_bytes());
        self.rest[1] = 1;
        self
    }

    /// The sampler with a border colour. If the encoding for the format is not known, it is the nearest fixed colour.
    fn coloured(mut self, format: vk::Format, colour: [u32; 4]) -> Sampler {
        let packed = border::packed(format, colour);
        self.rest[1] = 0;
        let code = if packed.is_some() { CUSTOM } else { border::nearest(colour) };
        record::BORDER.set_raw(&mut self.descriptor, code);
        let place = self.descriptor.iter_mut().skip(BYTES);
        place.zip(packed.unwrap_or_default()).for_each(|(to, from)| *to = from);
        self
    }

    /// The record of the sampler in a set.
    #[inline(always)]
    pub fn record(&self) -> [u8; RECORD_BYTES] {
        let mut record = [0; RECORD_BYTES];
        let (shown, rest) = record.split_at_mut(BORDERED_BYTES);
        shown.copy_from_slice(&self.descriptor);
        rest.as_chunks_mut().0.iter_mut().zip(self.rest).for_each(|(to, word)| *to = word.to_le_bytes());
        record
    }

    /// The sampler of a record in a set.
    pub fn of_record(record: &[u8; RECORD_BYTES]) -> Sampler {
        let mut sampler = Sampler { descriptor: [0; BORDERED_BYTES], rest: [0; 4], conversion: None };
        sampler.descriptor.iter_mut().zip(record).for_each(|(to, from)| *to = *from);
        let words = record.as_chunks::<2>().0.iter().skip(BORDERED_BYTES / 2);
        sampler.rest.iter_mut().zip(words).for_each(|(to, word)| *to = u16::from_le_bytes(*word));
        sampler
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

/// The code of a comparison in samplers (`agx_abi::record::SHADOW_COMPARE`).
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_keep_samplers() {
        let info = SamplerInfo {
            border: vk::BorderColor::FLOAT_CUSTOM_EXT,
            custom: Some((vk::Format::UNDEFINED, [0.25, 0.5, 0.75, 1.0].map(f32::to_bits))),
            bias: -1.5,
            pixels: false,
            filters: [vk::Filter::LINEAR; 2],
            levels: vk::SamplerMipmapMode::LINEAR,
            wrap: [vk::SamplerAddressMode::CLAMP_TO_BORDER; 3],
            anisotropy: None,
            compare: None,
            lod: [0.0, 4.0],
            seams: true,
        };
        let mut open = Sampler::new(&info);
        open.rest[2] = 77;
        let back = Sampler::of_record(&open.record());
        assert_eq!(back, open);
        assert_eq!((back.is_open(), back.bias()), (true, f16::from_f32(-1.5).to_bits()));
        let number = NUMBER as usize;
        assert_eq!(open.record()[number..number + 2], [77, 0]);
        // The colour is encoded for the format, and no longer kept separately.
        let coded = back.of_format(vk::Format::R8G8B8A8_UNORM);
        assert_eq!(coded, open.of_format(vk::Format::R8G8B8A8_UNORM));
        assert_eq!((coded.is_open(), record::BORDER.get(&coded.descriptor)), (false, CUSTOM));
        assert_eq!(Sampler::of_record(&coded.record()), coded);
    }
}
