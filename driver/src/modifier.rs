//! Layouts of images on which drivers agree: the modifiers of `drm_fourcc.h`.
//!
//! Images with a modifier have one level, one layer and one sample. The tiled layout is that of other images; its compressed
//! variant is not supported.

use ash::vk;

use crate::Error;
use crate::format;

/// A layout with a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Modifier {
    /// Rows (`DRM_FORMAT_MOD_LINEAR`).
    Linear,
    /// Tiles (`DRM_FORMAT_MOD_APPLE_GPU_TILED`).
    Tiled,
}

/// All modifiers, the best first.
pub const MODIFIERS: [Modifier; 2] = [Modifier::Tiled, Modifier::Linear];

/// The number of Apple's first modifier: the vendor is in the upper byte.
const APPLE: u64 = 0x0c << 56;

impl Modifier {
    /// Its number.
    pub const fn number(self) -> u64 {
        match self {
            Modifier::Linear => 0,
            Modifier::Tiled => APPLE | 1,
        }
    }

    /// The modifier of a number.
    pub fn find(number: u64) -> Option<Modifier> {
        MODIFIERS.into_iter().find(|modifier| modifier.number() == number)
    }

    /// Supported uses of images with a format and any modifier.
    pub fn features(format: vk::Format) -> vk::FormatFeatureFlags2 {
        let desc = format::find(format).filter(|desc| !desc.is_compressed() && !desc.is_depth_stencil());
        desc.map_or(vk::FormatFeatureFlags2::empty(), |desc| desc.features())
    }
}

/// How the texels of an image lie in memory, as the application requests it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Tiling {
    /// As the driver likes.
    #[default]
    Optimal,
    /// In rows.
    Linear,
    /// As the modifier says.
    Modifier(Modifier),
}

/// Where a plane of an image with a modifier is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlanePlace {
    /// First byte in its memory.
    pub offset: u64,
    /// Bytes of a row.
    pub row: u64,
}

/// Alignment in bytes of what the application places: of rows and linear planes, and of tiled planes.
const LINE: u64 = 16;
const PAGE: u64 = 0x4000;

impl PlanePlace {
    /// Checks a place for a plane whose rows have at least this number of bytes.
    ///
    /// # Errors
    /// [`Error::PlaneLayout`]: the hardware cannot use a plane there.
    pub(crate) fn check(self, modifier: Modifier, least_row: u64) -> Result<PlanePlace, Error> {
        let [offset, row] = match modifier {
            Modifier::Linear => [LINE, LINE],
            // The size determines the tiles of a row.
            Modifier::Tiled => [PAGE, 1],
        };
        let fits = self.offset.is_multiple_of(offset)
            && self.row.is_multiple_of(row)
            && (least_row..=MAX_ROW).contains(&self.row)
            && self.offset <= MAX_OFFSET;
        if fits { Ok(self) } else { Err(Error::PlaneLayout) }
    }
}

/// The longest row that a texture can have: its field has 16 bits of units of 16 bytes, less one.
const MAX_ROW: u64 = LINE << 16;
/// More bytes than any image has.
const MAX_OFFSET: u64 = 1 << 40;

#[cfg(test)]
mod tests {
    use super::*;
    use vk::FormatFeatureFlags2 as F;

    #[test]
    fn numbers_are_those_of_the_header() {
        // `fourcc_mod_code(APPLE, 1)`, with `DRM_FORMAT_MOD_VENDOR_APPLE` 0x0c.
        assert_eq!(MODIFIERS.map(Modifier::number), [0x0c00_0000_0000_0001, 0]);
        assert_eq!(Modifier::find(0x0c00_0000_0000_0001), Some(Modifier::Tiled));
        // Compressed tiles, and `DRM_FORMAT_MOD_INVALID`.
        assert_eq!([0x0c00_0000_0000_0002, (1 << 56) - 1].map(Modifier::find), [None; 2]);
    }

    #[test]
    fn only_colours_have_modifiers() {
        let of = Modifier::features;
        assert_eq!(of(vk::Format::D16_UNORM), F::empty());
        assert_eq!(of(vk::Format::BC7_UNORM_BLOCK), F::empty());
        assert_eq!(of(vk::Format::UNDEFINED), F::empty());
        assert!(of(vk::Format::R32_UINT).contains(F::STORAGE_IMAGE_ATOMIC));
        let plain = of(vk::Format::B8G8R8A8_UNORM);
        assert!(plain.contains(F::COLOR_ATTACHMENT | F::SAMPLED_IMAGE) && !plain.contains(F::DISJOINT));
        assert!(of(vk::Format::G8_B8R8_2PLANE_420_UNORM).contains(F::DISJOINT));
    }

    #[test]
    fn planes_are_where_the_hardware_reaches_them() {
        let linear = |offset, row| PlanePlace { offset, row }.check(Modifier::Linear, 400).is_ok();
        assert!(linear(0, 400) && linear(16, 416) && linear(4096, MAX_ROW));
        assert!(!linear(8, 400) && !linear(0, 408) && !linear(0, 384) && !linear(0, MAX_ROW + 16));
        let tiled = |offset, row| PlanePlace { offset, row }.check(Modifier::Tiled, 400).is_ok();
        assert!(tiled(0x4000, 401) && !tiled(0x1000, 512) && !tiled(0, 399));
    }
}
