//! Descriptors of textures, images and samplers.

use super::records;

/// Layouts of texels in memory.
pub const LAYOUTS: &[(u64, &str)] = &[(0, "linear"), (1, "twiddled"), (2, "tiled"), (3, "interchange")];

/// Dimensions of a texture.
pub const DIMENSIONS: &[(u64, &str)] = &[
    (0, "1d"),
    (1, "1d-array"),
    (2, "2d"),
    (3, "2d-array"),
    (4, "2d-ms"),
    (5, "3d"),
    (6, "cube"),
    (7, "cube-array"),
    (8, "2d-ms-array"),
];

/// Sources of a swizzled component.
pub const CHANNELS: &[(u64, &str)] = &[(0, "r"), (1, "g"), (2, "b"), (3, "a"), (4, "1"), (5, "0")];

/// Types of texels.
pub const TYPES: &[(u64, &str)] =
    &[(0, "unorm"), (1, "snorm"), (2, "uint"), (3, "sint"), (4, "float"), (5, "xr")];

/// Channels of texels and blocks.
pub const FORMATS: &[(u64, &str)] = &[
    (0x00, "r8"),
    (0x09, "r16"),
    (0x0a, "rg8"),
    (0x0b, "r5g6b5"),
    (0x0c, "rgba4"),
    (0x0d, "a1rgb5"),
    (0x0e, "rgb5a1"),
    (0x21, "r32"),
    (0x23, "rg16"),
    (0x25, "rg11b10"),
    (0x26, "rgb10a2"),
    (0x27, "rgb9e5"),
    (0x28, "rgba8"),
    (0x31, "rg32"),
    (0x32, "rgba16"),
    (0x36, "rgb32-by-software"),
    (0x38, "rgba32"),
    (0x40, "gbgr422"),
    (0x41, "bgrg422"),
    (0x50, "pvrtc2"),
    (0x51, "pvrtc4"),
    (0x58, "etc2-rgb8"),
    (0x59, "etc2-rgba8"),
    (0x5a, "etc2-rgb8a1"),
    (0x5b, "eac-r11"),
    (0x5c, "eac-rg11"),
    (0x60, "astc-4x4"),
    (0x61, "astc-5x4"),
    (0x62, "astc-5x5"),
    (0x63, "astc-6x5"),
    (0x64, "astc-6x6"),
    (0x65, "astc-8x5"),
    (0x66, "astc-8x6"),
    (0x67, "astc-8x8"),
    (0x68, "astc-10x5"),
    (0x69, "astc-10x6"),
    (0x6a, "astc-10x8"),
    (0x6b, "astc-10x10"),
    (0x6c, "astc-12x10"),
    (0x6d, "astc-12x12"),
    (0x74, "bc1"),
    (0x75, "bc2"),
    (0x76, "bc3"),
    (0x77, "bc4"),
    (0x78, "bc5"),
    (0x79, "bc6h"),
    (0x7a, "bc6h-unsigned"),
    (0x7b, "bc7"),
];

/// Handling of coordinates outside a texture.
pub const WRAPS: &[(u64, &str)] = &[
    (0, "clamp-to-edge"),
    (1, "repeat"),
    (2, "mirrored-repeat"),
    (3, "clamp-to-border"),
    (4, "clamp"),
    (5, "mirrored-clamp-to-edge"),
];

/// Comparison with a shadow reference.
pub const SHADOW_COMPARE: &[(u64, &str)] = &[
    (0, "less-equal"),
    (1, "greater-equal"),
    (2, "less"),
    (3, "greater"),
    (4, "equal"),
    (5, "not-equal"),
    (6, "always"),
    (7, "never"),
];

records! {
"genxml of Mesa 25.0 and later, submissions of Mesa 26.1";

texture "texture" 24 "A texture, as it is sampled and loaded from." {
    DIMENSION 0 4 Choice(super::DIMENSIONS), "Its dimension.";
    LAYOUT 4 2 Choice(super::LAYOUTS), "Layout of its texels.";
    CHANNELS 6 7 Choice(super::FORMATS), "Channels of a texel.";
    TYPE 13 3 Choice(super::TYPES), "Type of a texel.";
    SWIZZLE_R 16 3 Choice(super::CHANNELS), "Where red comes from.";
    SWIZZLE_G 19 3 Choice(super::CHANNELS), "Where green comes from.";
    SWIZZLE_B 22 3 Choice(super::CHANNELS), "Where blue comes from.";
    SWIZZLE_A 25 3 Choice(super::CHANNELS), "Where alpha comes from.";
    WIDTH 28 14 MinusOne, "Width of level 0.";
    HEIGHT 42 14 MinusOne, "Height of level 0.";
    FIRST_LEVEL 56 4 Number, "First level that is read.";
    LAST_LEVEL 60 4 Number, "Last level that is read.";
    SAMPLES 64 1 Choice(&[(0, "2"), (1, "4")]), "Samples, of multisampled textures.";
    ADDRESS 66 36 Shifted(4), "First byte of level 0.";
    MIPMAPPED 102 1 Unknown, "Set by the vendor's driver with several levels.";
    COMPRESSED 103 1 Flag, "Metadata says how tiles are compressed.";
    MODE 104 2 Choice(&[(0, "normal"), (1, "counted"), (2, "sparse"), (3, "sparse-counted")]), "Sparse textures have the address of a page table.";
    COMPRESSION 106 2 Unknown, "0 without compression.";
    SRGB 108 1 Flag, "Colour is stored with the curve of sRGB.";
    SRGB_2 109 1 Flag, "The same, for two channels.";
    STRIDE 110 16 Shifted(4), if Is(4, 2, 0), "Bytes of a row, minus 16, of linear textures.";
    DEPTH 110 14 MinusOne, if IsNot(4, 2, 0), "Depth of level 0, or layers.";
    PAGE_ALIGNED 126 1 Flag, "Layers start at multiples of 16 KiB.";
    EXTENDED 127 1 Flag, "The last 8 bytes are valid.";
    METADATA 128 64 Shifted(4), if IsNot(4, 2, 0), "Metadata of compressed textures.";
    LINEAR_DEPTH 128 11 MinusOne, if Is(4, 2, 0), "Layers of linear textures.";
    LINEAR_LAYER_STRIDE 139 27 Shifted(7), if Is(4, 2, 0), "Bytes of a layer, minus 128.";
    LINEAR_REST 166 26 Unknown, if Is(4, 2, 0), "Software keeps sizes of texel buffers here.";
}
image "image" 24 "An image, as it is stored to." {
    DIMENSION 0 4 Choice(super::DIMENSIONS), "Its dimension.";
    LAYOUT 4 2 Choice(super::LAYOUTS), "Layout of its texels.";
    CHANNELS 6 7 Choice(super::FORMATS), "Channels of a texel.";
    TYPE 13 3 Choice(super::TYPES), "Type of a texel.";
    SWIZZLE_R 16 2 Choice(super::CHANNELS), "The component that the first channel of a texel holds.";
    SWIZZLE_G 18 2 Choice(super::CHANNELS), "The component that the second channel of a texel holds.";
    SWIZZLE_B 20 2 Choice(super::CHANNELS), "The component that the third channel of a texel holds.";
    SWIZZLE_A 22 2 Choice(super::CHANNELS), "The component that the fourth channel of a texel holds.";
    WIDTH 24 14 MinusOne, "Width of level 0.";
    HEIGHT 38 14 MinusOne, "Height of level 0.";
    BIT_52 52 1 Unknown, "Seen set.";
    ROTATE 53 1 Flag, "Turned by 90 degrees.";
    FLIP 54 1 Flag, "Upside down.";
    SAMPLES 56 1 Choice(&[(0, "2"), (1, "4")]), "Samples, of multisampled images.";
    MIPMAPPED 58 1 Unknown, "Set by the vendor's driver with several levels.";
    COMPRESSED 59 1 Flag, "Metadata says how tiles are compressed.";
    MODE 60 2 Unknown, "0; sparse images have others.";
    ADDRESS 64 36 Shifted(4), "First byte of level 0.";
    LEVEL 100 4 Number, "The level stored to.";
    STRIDE 104 21 Unknown, if Is(4, 2, 0), "Bytes of a row, minus 4, of linear images.";
    LEVELS 104 4 MinusOne, if IsNot(4, 2, 0), "Levels the image has.";
    LAYERS 108 14 MinusOne, if IsNot(4, 2, 0), "Depth of level 0, or layers.";
    PAGE_ALIGNED 124 1 Flag, if IsNot(4, 2, 0), "Layers start at multiples of 16 KiB.";
    SRGB 125 1 Flag, "Stores apply the curve of sRGB.";
    EXTENDED 127 1 Flag, "The last 8 bytes are valid.";
    METADATA 128 64 Shifted(4), if Is(127, 1, 1), "Metadata of compressed images; depth and layer stride of linear ones.";
    SOFTWARE 128 64 Unknown, if Is(127, 1, 0), "Not read by hardware; software keeps offsets for atomics here.";
}
sampler "sampler" 8 "How a texture is sampled." {
    MIN_LEVEL 0 10 Level, "Least level of detail.";
    MAX_LEVEL 10 10 Level, "Greatest level of detail.";
    ANISOTROPY 20 3 Log2, "Most samples along the longer axis of a footprint.";
    MAGNIFY 23 2 Choice(&[(0, "nearest"), (1, "linear"), (2, "cubic")]), "Filter where texels are larger than pixels.";
    MINIFY 25 2 Choice(&[(0, "nearest"), (1, "linear"), (2, "cubic")]), "Filter where texels are smaller.";
    LEVELS 27 2 Choice(&[(0, "first"), (1, "nearest"), (2, "linear")]), "Filter between levels.";
    WRAP_S 29 3 Choice(super::WRAPS), "Outside, along the first axis.";
    WRAP_T 32 3 Choice(super::WRAPS), "Outside, along the second axis.";
    WRAP_R 35 3 Choice(super::WRAPS), "Outside, along the third axis.";
    PIXELS 38 1 Flag, "Coordinates count texels.";
    COMPARE 39 3 Choice(super::SHADOW_COMPARE), "How the reference is compared.";
    COMPARES 42 1 Flag, "Shadow lookups compare.";
    BORDER 55 2 Choice(&[(0, "transparent-black"), (1, "opaque-black"), (2, "opaque-white"), (3, "custom")]), "Colour of what is outside.";
    SEAMS 57 1 Flag, "Faces of cubes are filtered each on its own.";
}
border "border" 16 "A border colour of the application's own, behind a sampler." {
    RED 0 32 Unknown, "First channel.";
    GREEN 32 32 Unknown, "Second channel.";
    BLUE 64 32 Unknown, "Third channel.";
    ALPHA 96 32 Unknown, "Fourth channel.";
}
}
