//! The tile buffer: the layout of render target colours in a sample of the tile.
//!
//! A target is held in one of the hardware's memory formats, with its components in the order red, green,
//! blue, alpha regardless of their order in memory: the store at the end of a tile permutes them. Formats
//! that the tile cannot pack are held as half floats, and that store packs them (Mesa 25.0 does both).

use crate::fragment::MAX_TARGETS;

/// Maximum size of a sample in bytes (Mesa 25.0).
pub const MAX_SAMPLE_BYTES: u16 = 64;

/// Exclusive upper bound of the size of a tile in bytes (Mesa 25.0).
pub const MAX_TILE_BYTES: u32 = 32_768;

/// Pixels of the smallest tile, 16 by 16.
pub const MIN_TILE_PIXELS: u32 = 256;

/// Sizes of a tile in pixels, in order of preference (Mesa 25.0).
pub const TILE_SIZES: [[u32; 2]; 3] = [[32, 32], [32, 16], [16, 16]];

/// The size of a sample in bytes is a multiple of this.
pub const SAMPLE_STRIDE: u16 = 8;

/// The numeric kind of a colour's components.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Numeric {
    /// 0 to 1 in equal steps.
    Unorm,
    /// −1 to 1 in equal steps.
    Snorm,
    /// Unsigned integers.
    Uint,
    /// Signed integers.
    Sint,
    /// Floats.
    Float,
    /// Red, green, blue with the sRGB transfer function, alpha linear; blended in linear space.
    Srgb,
}

/// Memory formats of the hardware in which targets are held.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TileFormat {
    /// 8 bits.
    I8 = 0,
    /// 16 bits, including half floats in register format.
    I16 = 1,
    /// 32 bits.
    I32 = 2,
    /// 8 bits, 0 to 1.
    U8Norm = 4,
    /// 8 bits, −1 to 1.
    S8Norm = 5,
    /// 16 bits, 0 to 1.
    U16Norm = 6,
    /// 16 bits, −1 to 1.
    S16Norm = 7,
    /// 10, 10, 10 and 2 bits, 0 to 1.
    Rgb10A2 = 8,
    /// 8 bits with the sRGB transfer function, the fourth linear.
    Srgba8 = 10,
    /// Small floats of 11, 11 and 10 bits.
    Rg11B10F = 12,
    /// Three mantissas of 9 bits with one exponent.
    Rgb9E5 = 13,
}

impl TileFormat {
    /// The hardware's code of the format.
    pub fn code(self) -> u32 {
        self as u32
    }

    /// Whether all components are in one word, so that they can only be stored together.
    pub fn is_packed(self) -> bool {
        matches!(self, TileFormat::Rgb10A2 | TileFormat::Rg11B10F | TileFormat::Rgb9E5)
    }

    /// Size of a component in bytes; for packed formats, of the word.
    pub fn component_bytes(self) -> u16 {
        match self {
            TileFormat::I8 | TileFormat::U8Norm | TileFormat::S8Norm | TileFormat::Srgba8 => 1,
            TileFormat::I16 | TileFormat::U16Norm | TileFormat::S16Norm => 2,
            _ => 4,
        }
    }
}

/// The properties of a colour format.
#[derive(Clone, Copy, Debug)]
pub struct ColourFormatDesc {
    /// Vulkan's name without prefix.
    pub name: &'static str,
    /// The format in the tile.
    pub tile: TileFormat,
    /// Number of components, starting with red.
    pub components: u8,
    /// Their numeric kind.
    pub numeric: Numeric,
    /// Bits of each component in memory, 0 if absent.
    pub bits: [u8; 4],
}

macro_rules! colour_formats {
    ($($variant:ident $name:literal $tile:ident $numeric:ident [$($bits:literal)+];)*) => {
        /// A colour format of render targets.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum ColourFormat {
            $(#[doc = $name] $variant,)*
        }

        static FORMATS: &[ColourFormatDesc] = &[$(ColourFormatDesc {
            name: $name,
            tile: TileFormat::$tile,
            components: [$($bits),+].len() as u8,
            numeric: Numeric::$numeric,
            bits: padded(&[$($bits),+]),
        }),*];

        impl ColourFormat {
            /// Every colour format.
            pub const ALL: &'static [ColourFormat] = &[$(ColourFormat::$variant),*];
        }
    };
}

const fn padded(bits: &[u8]) -> [u8; 4] {
    let mut all = [0; 4];
    let mut at = 0;
    while at < bits.len() {
        all[at] = bits[at];
        at += 1;
    }
    all
}

// Name, tile format, numeric kind, bits of red, green, blue, alpha.
#[rustfmt::skip]
colour_formats! {
    R8Unorm "R8_UNORM" U8Norm Unorm [8];
    R8Snorm "R8_SNORM" S8Norm Snorm [8];
    R8Uint "R8_UINT" I8 Uint [8];
    R8Sint "R8_SINT" I8 Sint [8];
    R8Srgb "R8_SRGB" Srgba8 Srgb [8];
    Rg8Unorm "R8G8_UNORM" U8Norm Unorm [8 8];
    Rg8Snorm "R8G8_SNORM" S8Norm Snorm [8 8];
    Rg8Uint "R8G8_UINT" I8 Uint [8 8];
    Rg8Sint "R8G8_SINT" I8 Sint [8 8];
    Rg8Srgb "R8G8_SRGB" Srgba8 Srgb [8 8];
    Rgba8Unorm "R8G8B8A8_UNORM" U8Norm Unorm [8 8 8 8];
    Rgba8Snorm "R8G8B8A8_SNORM" S8Norm Snorm [8 8 8 8];
    Rgba8Uint "R8G8B8A8_UINT" I8 Uint [8 8 8 8];
    Rgba8Sint "R8G8B8A8_SINT" I8 Sint [8 8 8 8];
    Rgba8Srgb "R8G8B8A8_SRGB" Srgba8 Srgb [8 8 8 8];
    Bgra8Unorm "B8G8R8A8_UNORM" U8Norm Unorm [8 8 8 8];
    Bgra8Snorm "B8G8R8A8_SNORM" S8Norm Snorm [8 8 8 8];
    Bgra8Uint "B8G8R8A8_UINT" I8 Uint [8 8 8 8];
    Bgra8Sint "B8G8R8A8_SINT" I8 Sint [8 8 8 8];
    Bgra8Srgb "B8G8R8A8_SRGB" Srgba8 Srgb [8 8 8 8];
    Abgr8UnormPack32 "A8B8G8R8_UNORM_PACK32" U8Norm Unorm [8 8 8 8];
    Abgr8SnormPack32 "A8B8G8R8_SNORM_PACK32" S8Norm Snorm [8 8 8 8];
    Abgr8UintPack32 "A8B8G8R8_UINT_PACK32" I8 Uint [8 8 8 8];
    Abgr8SintPack32 "A8B8G8R8_SINT_PACK32" I8 Sint [8 8 8 8];
    Abgr8SrgbPack32 "A8B8G8R8_SRGB_PACK32" Srgba8 Srgb [8 8 8 8];
    R16Unorm "R16_UNORM" U16Norm Unorm [16];
    R16Snorm "R16_SNORM" S16Norm Snorm [16];
    R16Uint "R16_UINT" I16 Uint [16];
    R16Sint "R16_SINT" I16 Sint [16];
    R16Sfloat "R16_SFLOAT" I16 Float [16];
    Rg16Unorm "R16G16_UNORM" U16Norm Unorm [16 16];
    Rg16Snorm "R16G16_SNORM" S16Norm Snorm [16 16];
    Rg16Uint "R16G16_UINT" I16 Uint [16 16];
    Rg16Sint "R16G16_SINT" I16 Sint [16 16];
    Rg16Sfloat "R16G16_SFLOAT" I16 Float [16 16];
    Rgba16Unorm "R16G16B16A16_UNORM" U16Norm Unorm [16 16 16 16];
    Rgba16Snorm "R16G16B16A16_SNORM" S16Norm Snorm [16 16 16 16];
    Rgba16Uint "R16G16B16A16_UINT" I16 Uint [16 16 16 16];
    Rgba16Sint "R16G16B16A16_SINT" I16 Sint [16 16 16 16];
    Rgba16Sfloat "R16G16B16A16_SFLOAT" I16 Float [16 16 16 16];
    R32Uint "R32_UINT" I32 Uint [32];
    R32Sint "R32_SINT" I32 Sint [32];
    R32Sfloat "R32_SFLOAT" I32 Float [32];
    Rg32Uint "R32G32_UINT" I32 Uint [32 32];
    Rg32Sint "R32G32_SINT" I32 Sint [32 32];
    Rg32Sfloat "R32G32_SFLOAT" I32 Float [32 32];
    Rgba32Uint "R32G32B32A32_UINT" I32 Uint [32 32 32 32];
    Rgba32Sint "R32G32B32A32_SINT" I32 Sint [32 32 32 32];
    Rgba32Sfloat "R32G32B32A32_SFLOAT" I32 Float [32 32 32 32];
    A2bgr10UnormPack32 "A2B10G10R10_UNORM_PACK32" Rgb10A2 Unorm [10 10 10 2];
    A2rgb10UnormPack32 "A2R10G10B10_UNORM_PACK32" Rgb10A2 Unorm [10 10 10 2];
    A2bgr10UintPack32 "A2B10G10R10_UINT_PACK32" I16 Uint [10 10 10 2];
    A2rgb10UintPack32 "A2R10G10B10_UINT_PACK32" I16 Uint [10 10 10 2];
    Bgr11UfloatPack32 "B10G11R11_UFLOAT_PACK32" Rg11B10F Float [11 11 10];
    Ebgr9UfloatPack32 "E5B9G9R9_UFLOAT_PACK32" Rgb9E5 Float [9 9 9];
    Rgb565UnormPack16 "R5G6B5_UNORM_PACK16" I16 Unorm [5 6 5];
    Bgr565UnormPack16 "B5G6R5_UNORM_PACK16" I16 Unorm [5 6 5];
    Rgba5551UnormPack16 "R5G5B5A1_UNORM_PACK16" I16 Unorm [5 5 5 1];
    Bgra5551UnormPack16 "B5G5R5A1_UNORM_PACK16" I16 Unorm [5 5 5 1];
    Argb1555UnormPack16 "A1R5G5B5_UNORM_PACK16" I16 Unorm [5 5 5 1];
    Abgr1555UnormPack16 "A1B5G5R5_UNORM_PACK16" I16 Unorm [5 5 5 1];
    Rgba4UnormPack16 "R4G4B4A4_UNORM_PACK16" I16 Unorm [4 4 4 4];
    Bgra4UnormPack16 "B4G4R4A4_UNORM_PACK16" I16 Unorm [4 4 4 4];
    Argb4UnormPack16 "A4R4G4B4_UNORM_PACK16" I16 Unorm [4 4 4 4];
    Abgr4UnormPack16 "A4B4G4R4_UNORM_PACK16" I16 Unorm [4 4 4 4];
}

impl ColourFormat {
    /// The row.
    pub fn desc(self) -> &'static ColourFormatDesc {
        &FORMATS[self as usize]
    }

    /// The format with this name (Vulkan's, without prefix).
    pub fn from_name(name: &str) -> Option<ColourFormat> {
        Self::ALL.iter().copied().find(|format| format.desc().name == name)
    }

    /// Size of a sample in the tile in bytes.
    pub fn tile_bytes(self) -> u16 {
        let desc = self.desc();
        let count = if desc.tile.is_packed() { 1 } else { u16::from(desc.components) };
        count * desc.tile.component_bytes()
    }

    /// Whether the tile holds half floats.
    pub fn is_half(self) -> bool {
        let desc = self.desc();
        desc.tile == TileFormat::I16 && matches!(desc.numeric, Numeric::Float | Numeric::Unorm)
    }

    /// Whether the components are integers, which are not blended.
    pub fn is_integer(self) -> bool {
        matches!(self.desc().numeric, Numeric::Uint | Numeric::Sint)
    }
}

/// The layout of the targets of a pass in a sample.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct TileLayout {
    /// First byte of each target; `None` for absent targets, and for those that did not fit.
    pub offsets: [Option<u16>; MAX_TARGETS as usize],
    /// Targets that did not fit, bit 0 the first: they are in memory, described by
    /// [`crate::fragment::TargetHeap`].
    pub spilled: u8,
    /// Size of a sample in bytes.
    pub sample_bytes: u16,
}

impl TileLayout {
    /// Lays out targets in order, each aligned to its components. A target that would exceed a limit is
    /// spilled; smaller ones after it may still fit.
    pub fn new(formats: &[Option<ColourFormat>; MAX_TARGETS as usize], samples: u32) -> TileLayout {
        let mut layout = TileLayout::default();
        let mut end = 0;
        for (target, format) in formats.iter().enumerate() {
            let Some(format) = format else { continue };
            let start = u16::next_multiple_of(end, format.desc().tile.component_bytes());
            let after = start + format.tile_bytes();
            let tile = u32::from(after.next_multiple_of(SAMPLE_STRIDE)) * MIN_TILE_PIXELS * samples;
            if after > MAX_SAMPLE_BYTES || tile >= MAX_TILE_BYTES {
                layout.spilled |= 1 << target;
            } else {
                layout.offsets[target] = Some(start);
                end = after;
            }
        }
        layout.sample_bytes = end.next_multiple_of(SAMPLE_STRIDE);
        layout
    }

    /// Width and height of a tile for pixels of `samples` samples: the first of [`TILE_SIZES`] that fits.
    pub fn tile_size(&self, samples: u32) -> [u32; 2] {
        let pixel = u32::from(self.sample_bytes) * samples;
        let has_room = |size: &[u32; 2]| pixel * size[0] * size[1] < MAX_TILE_BYTES;
        TILE_SIZES.into_iter().find(has_room).unwrap_or([16, 16])
    }
}

/// Information about a render pass for compiling shaders that read render targets.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TilePass {
    /// Formats of the targets.
    pub formats: [Option<ColourFormat>; MAX_TARGETS as usize],
    /// Samples of a pixel: 1, 2 or 4.
    pub samples: u8,
    /// Input attachments that are render targets of the pass: index of the attachment, number of the target.
    pub input_attachments: Vec<(u32, u32)>,
}

impl TilePass {
    /// The format of a target, if it exists.
    pub fn format(&self, target: u32) -> Option<ColourFormat> {
        self.formats.get(target as usize).copied().flatten()
    }

    /// The layout of the targets.
    pub fn layout(&self) -> TileLayout {
        TileLayout::new(&self.formats, self.samples.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for format in ColourFormat::ALL {
            assert_eq!(ColourFormat::from_name(format.desc().name), Some(*format));
        }
        assert_eq!(ColourFormat::from_name("R8_USCALED"), None);
    }

    #[test]
    fn the_tile_has_room_for_every_bit() {
        for format in ColourFormat::ALL {
            let desc = format.desc();
            for bits in desc.bits.into_iter().filter(|bits| *bits != 0 && !desc.tile.is_packed()) {
                // A half float has 11 significant bits.
                let room = if format.is_half() && desc.numeric == Numeric::Unorm {
                    11
                } else {
                    8 * desc.tile.component_bytes()
                };
                assert!(u16::from(bits) <= room, "{}", desc.name);
            }
        }
    }

    fn layout(names: &[&str], samples: u32) -> TileLayout {
        let mut formats = [None; 8];
        for (format, name) in formats.iter_mut().zip(names) {
            *format = ColourFormat::from_name(name);
        }
        TileLayout::new(&formats, samples)
    }

    #[test]
    fn targets_are_aligned_and_strides_are_multiples_of_8() {
        let found = layout(&["R8_UNORM", "R16G16_SFLOAT", "?", "R32_UINT"], 1);
        assert_eq!(found.offsets[..5], [Some(0), Some(2), None, Some(8), None]);
        assert_eq!((found.sample_bytes, found.spilled), (16, 0));
        assert_eq!(layout(&[], 1), TileLayout::default());
    }

    #[test]
    fn tiles_shrink_with_the_bytes_of_a_pixel() {
        let sizes = [(0, 1), (24, 1), (32, 1), (56, 1), (64, 1), (32, 2), (24, 4)];
        let found = sizes.map(|(sample_bytes, samples)| {
            TileLayout { sample_bytes, ..TileLayout::default() }.tile_size(samples)
        });
        assert_eq!(found, [[32, 32], [32, 32], [32, 16], [32, 16], [16, 16], [16, 16], [16, 16]]);
    }

    #[test]
    fn large_targets_are_spilled_and_small_ones_are_not() {
        let wide = ["R32G32B32A32_SFLOAT"; 5];
        let found = layout(&wide, 1);
        assert_eq!((found.spilled, found.sample_bytes), (0b1_0000, 64));
        // Four samples: 256 pixels of 4 times 32 bytes give 32768, one byte too many.
        let found = layout(&["R32G32B32A32_SFLOAT", "R32G32B32A32_SFLOAT", "R16_UINT"], 4);
        assert_eq!((found.spilled, found.offsets[2], found.sample_bytes), (0b10, Some(16), 24));
    }
}
