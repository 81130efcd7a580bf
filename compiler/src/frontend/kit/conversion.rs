//! Conversion of colours from Y′CbCr: the hardware samples planes, and shader code converts them to colours.
//!
//! The planes of an image are textures of their own, which follow each other in the array of a binding. All are sampled at the same
//! normalised coordinates with the same sampler, so that chroma lies midway between the texels of luma that share it; where it is
//! cosited, the coordinates of chroma are half a texel of luma farther. The equations are those of Vulkan's chapter on sampler
//! Y′CBCR conversion.

use super::Kit;
use crate::ir::{Arithmetic, Src};

/// A combined image sampler whose colours are converted. Its texture of element `e` and plane `p` is the element `e * planes + p`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Conversion {
    /// Descriptor set.
    pub set: u32,
    /// Binding within the set.
    pub binding: u32,
    /// The array element that it is for. Elements without a conversion of their own have that of the first in the list.
    pub element: u32,
    /// Planes of its images: 1, 2 (luma, both chroma components) or 3 (luma, blue, red chroma).
    pub planes: u8,
    /// The meaning of the components.
    pub model: ColourModel,
    /// Luma and chroma use only the middle of their range.
    pub narrow: bool,
    /// Bits of a component: 8, or 9 to 16 in the upper bits of 16.
    pub bits: u8,
    /// Along x and y: each texel of chroma covers two of luma, and is where the first of them is.
    pub cosited: [bool; 2],
    /// The sources of red, green, blue and alpha before conversion: 0 to 3 are components, 4 is one, 5 zero.
    pub swizzle: [u8; 4],
}

/// The meaning of the components of a texel. Except in [`ColourModel::Rgb`], red is red chroma, green is luma, and blue is blue
/// chroma.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ColourModel {
    /// Red, green and blue.
    Rgb,
    /// Luma and chroma, of which only the range is expanded.
    Ycbcr,
    /// Luma and chroma of BT.709.
    Bt709,
    /// Luma and chroma of BT.601.
    Bt601,
    /// Luma and chroma of BT.2020.
    Bt2020,
}

impl ColourModel {
    /// The weight of red chroma in red, of blue and red chroma in green, and of blue chroma in blue; `None` if the model has no
    /// conversion.
    fn weights(self) -> Option<[f32; 4]> {
        match self {
            ColourModel::Rgb | ColourModel::Ycbcr => None,
            ColourModel::Bt709 => Some([1.5748, -0.133_974_32 / 0.7152, -0.334_802_48 / 0.7152, 1.8556]),
            ColourModel::Bt601 => Some([1.402, -0.202_008 / 0.587, -0.419_198 / 0.587, 1.772]),
            ColourModel::Bt2020 => Some([1.4746, -0.111_567_02 / 0.678, -0.387_377_4 / 0.678, 1.8814]),
        }
    }
}

impl Conversion {
    /// Factor and summand that expand luma, then chroma, to their whole range.
    fn ranges(&self) -> [[f32; 2]; 2] {
        let bits = u32::from(self.bits.clamp(8, 16));
        let most = (1_u32.wrapping_shl(bits).wrapping_sub(1)) as f32;
        let step = 1_u32.wrapping_shl(bits.wrapping_sub(8)) as f32;
        // The component, as an integer, that a texel of 1.0 has.
        let one = match bits {
            8 => 255.0,
            _ => 65535.0 / 1_u32.wrapping_shl(16_u32.wrapping_sub(bits)) as f32,
        };
        match self.narrow {
            true => [[one / (219.0 * step), -16.0 / 219.0], [one / (224.0 * step), -128.0 / 224.0]],
            false => [[one / most, 0.0], [one / most, -128.0 * step / most]],
        }
    }
}

/// Red chroma, luma and blue chroma as red, green and blue.
pub(super) fn converted(kit: &mut Kit<'_, '_>, texel: [Src; 3], conversion: &Conversion) -> [Src; 3] {
    if conversion.model == ColourModel::Rgb {
        return texel;
    }
    let [red, luma, blue] = texel;
    let [of_luma, of_chroma] = conversion.ranges();
    let mut expand = |value: Src, [factor, summand]: [f32; 2]| {
        let scaled = kit.b.fmul(value, Src::f32(factor));
        kit.b.fadd(scaled, Src::f32(summand))
    };
    let [red, luma, blue] = [expand(red, of_chroma), expand(luma, of_luma), expand(blue, of_chroma)];
    let Some([red_red, green_blue, green_red, blue_blue]) = conversion.model.weights() else {
        return [red, luma, blue];
    };
    let mut add = |sum: Src, value: Src, weight: f32| {
        let part = kit.b.fmul(value, Src::f32(weight));
        kit.b.fadd(sum, part)
    };
    let green = add(luma, blue, green_blue);
    [add(luma, red, red_red), add(green, red, green_red), add(luma, blue, blue_blue)]
}
