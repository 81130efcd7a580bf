//! Conversion from Y′CbCr: images of several planes, and their conversion in shaders.
//!
//! Each plane of an image is a texture. A combined image sampler with a conversion has a texture for each plane, which the compiled
//! shader samples and converts ([`agx_compiler::Conversion`]).

use agx_compiler::{ColourModel, Conversion};
use ash::vk;

use crate::descriptor::PipelineLayout;

/// A format of several planes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Planar {
    /// Vulkan's number.
    pub format: vk::Format,
    /// The format of each plane.
    pub planes: &'static [vk::Format],
    /// Texels of the first plane, along each axis, that a texel of the other planes covers.
    pub chroma: [u32; 2],
}

const THREE_8: &[vk::Format] = &[vk::Format::R8_UNORM; 3];
const TWO_8: &[vk::Format] = &[vk::Format::R8_UNORM, vk::Format::R8G8_UNORM];
const THREE_10: &[vk::Format] = &[vk::Format::R10X6_UNORM_PACK16; 3];
const TWO_10: &[vk::Format] = &[vk::Format::R10X6_UNORM_PACK16, vk::Format::R10X6G10X6_UNORM_2PACK16];
const THREE_12: &[vk::Format] = &[vk::Format::R12X4_UNORM_PACK16; 3];
const TWO_12: &[vk::Format] = &[vk::Format::R12X4_UNORM_PACK16, vk::Format::R12X4G12X4_UNORM_2PACK16];
const THREE_16: &[vk::Format] = &[vk::Format::R16_UNORM; 3];
const TWO_16: &[vk::Format] = &[vk::Format::R16_UNORM, vk::Format::R16G16_UNORM];

macro_rules! planar {
    ($($format:ident $planes:ident $width:literal $height:literal;)*) => {
        /// Every such format.
        pub static PLANAR: &[Planar] = &[$(Planar {
            format: vk::Format::$format,
            planes: $planes,
            chroma: [$width, $height],
        },)*];
    };
}

planar! {
    G8_B8_R8_3PLANE_420_UNORM THREE_8 2 2;
    G8_B8R8_2PLANE_420_UNORM TWO_8 2 2;
    G8_B8_R8_3PLANE_422_UNORM THREE_8 2 1;
    G8_B8R8_2PLANE_422_UNORM TWO_8 2 1;
    G8_B8_R8_3PLANE_444_UNORM THREE_8 1 1;
    G8_B8R8_2PLANE_444_UNORM TWO_8 1 1;
    G16_B16_R16_3PLANE_420_UNORM THREE_16 2 2;
    G16_B16R16_2PLANE_420_UNORM TWO_16 2 2;
    G16_B16_R16_3PLANE_422_UNORM THREE_16 2 1;
    G16_B16R16_2PLANE_422_UNORM TWO_16 2 1;
    G16_B16_R16_3PLANE_444_UNORM THREE_16 1 1;
    G16_B16R16_2PLANE_444_UNORM TWO_16 1 1;
    G10X6_B10X6_R10X6_3PLANE_420_UNORM_3PACK16 THREE_10 2 2;
    G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16 TWO_10 2 2;
    G10X6_B10X6_R10X6_3PLANE_422_UNORM_3PACK16 THREE_10 2 1;
    G10X6_B10X6R10X6_2PLANE_422_UNORM_3PACK16 TWO_10 2 1;
    G10X6_B10X6_R10X6_3PLANE_444_UNORM_3PACK16 THREE_10 1 1;
    G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16 TWO_10 1 1;
    G12X4_B12X4_R12X4_3PLANE_420_UNORM_3PACK16 THREE_12 2 2;
    G12X4_B12X4R12X4_2PLANE_420_UNORM_3PACK16 TWO_12 2 2;
    G12X4_B12X4_R12X4_3PLANE_422_UNORM_3PACK16 THREE_12 2 1;
    G12X4_B12X4R12X4_2PLANE_422_UNORM_3PACK16 TWO_12 2 1;
    G12X4_B12X4_R12X4_3PLANE_444_UNORM_3PACK16 THREE_12 1 1;
    G12X4_B12X4R12X4_2PLANE_444_UNORM_3PACK16 TWO_12 1 1;
}

/// The row of a format.
pub fn planar(format: vk::Format) -> Option<&'static Planar> {
    PLANAR.iter().find(|planar| planar.format == format)
}

/// How a sampler converts colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct YcbcrConversion {
    /// Planes of the images.
    pub planes: u8,
    /// Bits of a component.
    pub bits: u8,
    /// The colour model of the components.
    pub model: ColourModel,
    /// Whether luma and chroma use only the middle of their range.
    pub narrow: bool,
    /// Along x and y: each texel of chroma covers two of luma, and is where the first of them is.
    pub cosited: [bool; 2],
    /// Sources of red, green, blue and alpha: 0 to 3 are these components, 4 is one, 5 zero.
    pub swizzle: [u8; 4],
}

impl YcbcrConversion {
    /// A conversion for images of a format, whose texels of chroma are at these places along x and y.
    pub fn new(
        format: vk::Format,
        model: vk::SamplerYcbcrModelConversion,
        range: vk::SamplerYcbcrRange,
        places: [vk::ChromaLocation; 2],
        swizzle: [u8; 4],
    ) -> YcbcrConversion {
        use vk::SamplerYcbcrModelConversion as M;
        let planes = planar(format).map_or(1, |planar| planar.planes.len() as u8);
        let bits = match planar(format).and_then(|planar| planar.planes.first()) {
            Some(&vk::Format::R10X6_UNORM_PACK16) => 10,
            Some(&vk::Format::R12X4_UNORM_PACK16) => 12,
            Some(&vk::Format::R16_UNORM) => 16,
            _ => 8,
        };
        let model = match model {
            M::YCBCR_IDENTITY => ColourModel::Ycbcr,
            M::YCBCR_709 => ColourModel::Bt709,
            M::YCBCR_601 => ColourModel::Bt601,
            M::YCBCR_2020 => ColourModel::Bt2020,
            _ => ColourModel::Rgb,
        };
        let narrow = range == vk::SamplerYcbcrRange::ITU_NARROW;
        let chroma = planar(format).map_or([1; 2], |planar| planar.chroma);
        let cosited = [0, 1].map(|axis| chroma[axis] > 1 && places[axis] == vk::ChromaLocation::COSITED_EVEN);
        YcbcrConversion { planes, bits, model, narrow, cosited, swizzle }
    }

    /// The compiler's parameters for an element of a binding.
    fn of_element(self, set: u32, binding: u32, element: u32) -> Conversion {
        let YcbcrConversion { planes, bits, model, narrow, cosited, swizzle } = self;
        Conversion { set, binding, element, planes, model, narrow, bits, cosited, swizzle }
    }
}

impl PipelineLayout {
    /// Elements of bindings whose colours are converted.
    pub fn conversions(&self) -> Vec<Conversion> {
        let mut found = Vec::new();
        for (set, layout) in (0..).zip(&self.sets) {
            let bindings = layout.iter().flat_map(|layout| layout.bindings.iter());
            let converted = bindings.flat_map(|(number, binding)| {
                binding
                    .conversions()
                    .map(move |(element, conversion)| conversion.of_element(set, number, element))
            });
            found.extend(converted);
        }
        found
    }
}

/// Conversions as words of a binary: their number, then set, binding, element and two words of each.
pub fn to_words(conversions: &[Conversion]) -> Vec<u32> {
    let mut words = vec![conversions.len() as u32];
    for conversion in conversions {
        let Conversion { set, binding, element, planes, model, narrow, bits, cosited, swizzle } = *conversion;
        let code = MODELS.iter().position(|known| *known == model).unwrap_or(0) as u8;
        let flags =
            [narrow, cosited[0], cosited[1]].iter().rev().fold(0, |all, flag| all << 1 | u8::from(*flag));
        let packed = [planes, code, flags, bits];
        words.extend([set, binding, element, u32::from_le_bytes(packed), u32::from_le_bytes(swizzle)]);
    }
    words
}

/// The conversions in words of a binary.
pub fn from_words(mut word: impl FnMut() -> Option<u32>) -> Option<Vec<Conversion>> {
    let mut conversions = Vec::new();
    for _ in 0..word()? {
        let (set, binding, element) = (word()?, word()?, word()?);
        let [planes, code, flags, bits] = word()?.to_le_bytes();
        let [narrow, x, y] = [0, 1, 2].map(|bit| flags >> bit & 1 != 0);
        let (swizzle, model) = (word()?.to_le_bytes(), *MODELS.get(usize::from(code))?);
        let cosited = [x, y];
        conversions.push(Conversion { set, binding, element, planes, model, narrow, bits, cosited, swizzle });
    }
    Some(conversions)
}

/// Colour models by their codes in binaries.
const MODELS: [ColourModel; 5] =
    [ColourModel::Rgb, ColourModel::Ycbcr, ColourModel::Bt709, ColourModel::Bt601, ColourModel::Bt2020];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_come_back_from_words() {
        let conversion = YcbcrConversion::new(
            vk::Format::G16_B16R16_2PLANE_420_UNORM,
            vk::SamplerYcbcrModelConversion::YCBCR_2020,
            vk::SamplerYcbcrRange::ITU_NARROW,
            [vk::ChromaLocation::MIDPOINT, vk::ChromaLocation::COSITED_EVEN],
            [2, 1, 0, 4],
        );
        assert_eq!((conversion.planes, conversion.bits, conversion.narrow), (2, 16, true));
        assert_eq!(conversion.cosited, [false, true]);
        let bits =
            [vk::Format::G8_B8_R8_3PLANE_444_UNORM, vk::Format::G10X6_B10X6_R10X6_3PLANE_420_UNORM_3PACK16]
                .map(|format| {
                    YcbcrConversion::new(
                        format,
                        Default::default(),
                        Default::default(),
                        Default::default(),
                        [0; 4],
                    )
                    .bits
                });
        assert_eq!(bits, [8, 10]);
        let list = vec![conversion.of_element(1, 7, 0), conversion.of_element(0, 2, 3)];
        let mut words = to_words(&list).into_iter();
        assert_eq!(from_words(|| words.next()), Some(list));
    }
}
