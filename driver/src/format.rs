//! Formats: their properties in descriptors, in the tile, and as vertex attributes.
//!
//! Descriptors number the channels of a texel from the lowest bits on; the swizzle of a row maps Vulkan's components to
//! channels.

use std::sync::LazyLock;

use agx_abi::tile::ColourFormat;
use agx_abi::vertex_format::VertexFormat;
use ash::vk;

use crate::ycbcr;

/// A channel of a texture descriptor: 0 to 3 are channels of the texel; this is the constant one.
pub const ONE: u8 = 4;
/// The constant zero.
pub const ZERO: u8 = 5;

/// Properties of an image format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FormatDesc {
    /// Vulkan's number.
    pub format: vk::Format,
    /// Vulkan's name without prefix. A format with unused low bits has the name of the one that uses them.
    pub name: &'static str,
    /// Code of the channels in descriptors.
    pub channels: u8,
    /// Code of the type in descriptors.
    pub kind: u8,
    /// Whether colour is stored with the sRGB curve.
    pub srgb: bool,
    /// Channels of red, green, blue and alpha.
    pub swizzle: [u8; 4],
    /// Bytes of a texel or block.
    pub bytes: u32,
    /// Texels of a block.
    pub block: [u32; 2],
}

/// Types in descriptors.
const UNORM: u8 = 0;
pub(crate) const SNORM: u8 = 1;
pub(crate) const UINT: u8 = 2;
pub(crate) const SINT: u8 = 3;
pub(crate) const FLOAT: u8 = 4;

/// Components in the order of the channels.
const RGBA: [u8; 4] = [0, 1, 2, 3];
const RGB: [u8; 4] = [0, 1, 2, ONE];
const RG: [u8; 4] = [0, 1, ZERO, ONE];
const R: [u8; 4] = [0, ZERO, ZERO, ONE];
const A: [u8; 4] = [ZERO, ZERO, ZERO, 0];
const BGRA: [u8; 4] = [2, 1, 0, 3];
const BGR: [u8; 4] = [2, 1, 0, ONE];
const ABGR: [u8; 4] = [3, 2, 1, 0];
const ARGB: [u8; 4] = [1, 2, 3, 0];

/// Words without an interpretation.
pub const WORD: FormatDesc = FormatDesc {
    format: vk::Format::R32_SFLOAT,
    name: "R32_SFLOAT",
    channels: 0x21,
    kind: FLOAT,
    srgb: false,
    swizzle: R,
    bytes: 4,
    block: [1, 1],
};

macro_rules! formats {
    ($($name:ident $(as $same:ident)? $channels:literal $kind:ident $bytes:literal $swizzle:ident $([$width:literal $height:literal])? $($srgb:ident)?;)*) => {
        /// Every format that textures can have.
        pub static FORMATS: &[FormatDesc] = &[$(FormatDesc {
            format: vk::Format::$name,
            name: formats!(@name $name $($same)?),
            channels: $channels,
            kind: $kind,
            srgb: formats!(@srgb $($srgb)?),
            swizzle: $swizzle,
            bytes: $bytes,
            block: formats!(@block $($width $height)?),
        }),*];
    };
    (@name $name:ident) => { stringify!($name) };
    (@name $name:ident $same:ident) => { stringify!($same) };
    (@srgb srgb) => { true };
    (@srgb) => { false };
    (@block $width:literal $height:literal) => { [$width, $height] };
    (@block) => { [1, 1] };
}

// Name, the name in tables if it differs, channels, type, bytes, components, texels of a block.
formats! {
    R8_UNORM 0x00 UNORM 1 R; R8_SNORM 0x00 SNORM 1 R; R8_UINT 0x00 UINT 1 R; R8_SINT 0x00 SINT 1 R;
    R8_SRGB 0x00 UNORM 1 R srgb;
    R8G8_UNORM 0x0a UNORM 2 RG; R8G8_SNORM 0x0a SNORM 2 RG; R8G8_UINT 0x0a UINT 2 RG; R8G8_SINT 0x0a SINT 2 RG;
    R8G8_SRGB 0x0a UNORM 2 RG srgb;
    R8G8B8A8_UNORM 0x28 UNORM 4 RGBA; R8G8B8A8_SNORM 0x28 SNORM 4 RGBA; R8G8B8A8_UINT 0x28 UINT 4 RGBA;
    R8G8B8A8_SINT 0x28 SINT 4 RGBA; R8G8B8A8_SRGB 0x28 UNORM 4 RGBA srgb;
    B8G8R8A8_UNORM 0x28 UNORM 4 BGRA; B8G8R8A8_SNORM 0x28 SNORM 4 BGRA; B8G8R8A8_UINT 0x28 UINT 4 BGRA;
    B8G8R8A8_SINT 0x28 SINT 4 BGRA; B8G8R8A8_SRGB 0x28 UNORM 4 BGRA srgb;
    A8B8G8R8_UNORM_PACK32 0x28 UNORM 4 RGBA; A8B8G8R8_SNORM_PACK32 0x28 SNORM 4 RGBA;
    A8B8G8R8_UINT_PACK32 0x28 UINT 4 RGBA; A8B8G8R8_SINT_PACK32 0x28 SINT 4 RGBA;
    A8B8G8R8_SRGB_PACK32 0x28 UNORM 4 RGBA srgb;
    R16_UNORM 0x09 UNORM 2 R; R16_SNORM 0x09 SNORM 2 R; R16_UINT 0x09 UINT 2 R; R16_SINT 0x09 SINT 2 R;
    R16_SFLOAT 0x09 FLOAT 2 R;
    R16G16_UNORM 0x23 UNORM 4 RG; R16G16_SNORM 0x23 SNORM 4 RG; R16G16_UINT 0x23 UINT 4 RG;
    R16G16_SINT 0x23 SINT 4 RG; R16G16_SFLOAT 0x23 FLOAT 4 RG;
    R16G16B16A16_UNORM 0x32 UNORM 8 RGBA; R16G16B16A16_SNORM 0x32 SNORM 8 RGBA; R16G16B16A16_UINT 0x32 UINT 8 RGBA;
    R16G16B16A16_SINT 0x32 SINT 8 RGBA; R16G16B16A16_SFLOAT 0x32 FLOAT 8 RGBA;
    R32_UINT 0x21 UINT 4 R; R32_SINT 0x21 SINT 4 R; R32_SFLOAT 0x21 FLOAT 4 R;
    R32G32_UINT 0x31 UINT 8 RG; R32G32_SINT 0x31 SINT 8 RG; R32G32_SFLOAT 0x31 FLOAT 8 RG;
    R32G32B32A32_UINT 0x38 UINT 16 RGBA; R32G32B32A32_SINT 0x38 SINT 16 RGBA; R32G32B32A32_SFLOAT 0x38 FLOAT 16 RGBA;
    A2B10G10R10_UNORM_PACK32 0x26 UNORM 4 RGBA; A2B10G10R10_UINT_PACK32 0x26 UINT 4 RGBA;
    A2R10G10B10_UNORM_PACK32 0x26 UNORM 4 BGRA; A2R10G10B10_UINT_PACK32 0x26 UINT 4 BGRA;
    A2B10G10R10_SINT_PACK32 0x26 SINT 4 RGBA; A2R10G10B10_SINT_PACK32 0x26 SINT 4 BGRA;
    B10G11R11_UFLOAT_PACK32 0x25 FLOAT 4 RGB; E5B9G9R9_UFLOAT_PACK32 0x27 FLOAT 4 RGB;
    R5G6B5_UNORM_PACK16 0x0b UNORM 2 BGR; B5G6R5_UNORM_PACK16 0x0b UNORM 2 RGB;
    R4G4B4A4_UNORM_PACK16 0x0c UNORM 2 ABGR; B4G4R4A4_UNORM_PACK16 0x0c UNORM 2 ARGB;
    A4R4G4B4_UNORM_PACK16 0x0c UNORM 2 BGRA; A4B4G4R4_UNORM_PACK16 0x0c UNORM 2 RGBA;
    A1R5G5B5_UNORM_PACK16 0x0e UNORM 2 BGRA; A1B5G5R5_UNORM_PACK16_KHR as A1B5G5R5_UNORM_PACK16 0x0e UNORM 2 RGBA;
    A8_UNORM_KHR as A8_UNORM 0x00 UNORM 1 A;
    R10X6_UNORM_PACK16 as R16_UNORM 0x09 UNORM 2 R; R10X6G10X6_UNORM_2PACK16 as R16G16_UNORM 0x23 UNORM 4 RG;
    R12X4_UNORM_PACK16 as R16_UNORM 0x09 UNORM 2 R; R12X4G12X4_UNORM_2PACK16 as R16G16_UNORM 0x23 UNORM 4 RG;
    D16_UNORM 0x09 UNORM 2 R; D32_SFLOAT 0x21 FLOAT 4 R; S8_UINT 0x00 UINT 1 R; D32_SFLOAT_S8_UINT 0x21 FLOAT 4 R;
    BC1_RGB_UNORM_BLOCK 0x74 UNORM 8 RGB [4 4]; BC1_RGB_SRGB_BLOCK 0x74 UNORM 8 RGB [4 4] srgb;
    BC1_RGBA_UNORM_BLOCK 0x74 UNORM 8 RGBA [4 4]; BC1_RGBA_SRGB_BLOCK 0x74 UNORM 8 RGBA [4 4] srgb;
    BC2_UNORM_BLOCK 0x75 UNORM 16 RGBA [4 4]; BC2_SRGB_BLOCK 0x75 UNORM 16 RGBA [4 4] srgb;
    BC3_UNORM_BLOCK 0x76 UNORM 16 RGBA [4 4]; BC3_SRGB_BLOCK 0x76 UNORM 16 RGBA [4 4] srgb;
    BC4_UNORM_BLOCK 0x77 UNORM 8 R [4 4]; BC4_SNORM_BLOCK 0x77 SNORM 8 R [4 4];
    BC5_UNORM_BLOCK 0x78 UNORM 16 RG [4 4]; BC5_SNORM_BLOCK 0x78 SNORM 16 RG [4 4];
    BC6H_UFLOAT_BLOCK 0x7a FLOAT 16 RGB [4 4]; BC6H_SFLOAT_BLOCK 0x79 FLOAT 16 RGB [4 4];
    BC7_UNORM_BLOCK 0x7b UNORM 16 RGBA [4 4]; BC7_SRGB_BLOCK 0x7b UNORM 16 RGBA [4 4] srgb;
    ETC2_R8G8B8_UNORM_BLOCK 0x58 UNORM 8 RGB [4 4]; ETC2_R8G8B8_SRGB_BLOCK 0x58 UNORM 8 RGB [4 4] srgb;
    ETC2_R8G8B8A1_UNORM_BLOCK 0x5a UNORM 8 RGBA [4 4]; ETC2_R8G8B8A1_SRGB_BLOCK 0x5a UNORM 8 RGBA [4 4] srgb;
    ETC2_R8G8B8A8_UNORM_BLOCK 0x59 UNORM 16 RGBA [4 4]; ETC2_R8G8B8A8_SRGB_BLOCK 0x59 UNORM 16 RGBA [4 4] srgb;
    EAC_R11_UNORM_BLOCK 0x5b UNORM 8 R [4 4]; EAC_R11_SNORM_BLOCK 0x5b SNORM 8 R [4 4];
    EAC_R11G11_UNORM_BLOCK 0x5c UNORM 16 RG [4 4]; EAC_R11G11_SNORM_BLOCK 0x5c SNORM 16 RG [4 4];
    ASTC_4X4_UNORM_BLOCK 0x60 UNORM 16 RGBA [4 4]; ASTC_4X4_SRGB_BLOCK 0x60 UNORM 16 RGBA [4 4] srgb;
    ASTC_5X4_UNORM_BLOCK 0x61 UNORM 16 RGBA [5 4]; ASTC_5X4_SRGB_BLOCK 0x61 UNORM 16 RGBA [5 4] srgb;
    ASTC_5X5_UNORM_BLOCK 0x62 UNORM 16 RGBA [5 5]; ASTC_5X5_SRGB_BLOCK 0x62 UNORM 16 RGBA [5 5] srgb;
    ASTC_6X5_UNORM_BLOCK 0x63 UNORM 16 RGBA [6 5]; ASTC_6X5_SRGB_BLOCK 0x63 UNORM 16 RGBA [6 5] srgb;
    ASTC_6X6_UNORM_BLOCK 0x64 UNORM 16 RGBA [6 6]; ASTC_6X6_SRGB_BLOCK 0x64 UNORM 16 RGBA [6 6] srgb;
    ASTC_8X5_UNORM_BLOCK 0x65 UNORM 16 RGBA [8 5]; ASTC_8X5_SRGB_BLOCK 0x65 UNORM 16 RGBA [8 5] srgb;
    ASTC_8X6_UNORM_BLOCK 0x66 UNORM 16 RGBA [8 6]; ASTC_8X6_SRGB_BLOCK 0x66 UNORM 16 RGBA [8 6] srgb;
    ASTC_8X8_UNORM_BLOCK 0x67 UNORM 16 RGBA [8 8]; ASTC_8X8_SRGB_BLOCK 0x67 UNORM 16 RGBA [8 8] srgb;
    ASTC_10X5_UNORM_BLOCK 0x68 UNORM 16 RGBA [10 5]; ASTC_10X5_SRGB_BLOCK 0x68 UNORM 16 RGBA [10 5] srgb;
    ASTC_10X6_UNORM_BLOCK 0x69 UNORM 16 RGBA [10 6]; ASTC_10X6_SRGB_BLOCK 0x69 UNORM 16 RGBA [10 6] srgb;
    ASTC_10X8_UNORM_BLOCK 0x6a UNORM 16 RGBA [10 8]; ASTC_10X8_SRGB_BLOCK 0x6a UNORM 16 RGBA [10 8] srgb;
    ASTC_10X10_UNORM_BLOCK 0x6b UNORM 16 RGBA [10 10]; ASTC_10X10_SRGB_BLOCK 0x6b UNORM 16 RGBA [10 10] srgb;
    ASTC_12X10_UNORM_BLOCK 0x6c UNORM 16 RGBA [12 10]; ASTC_12X10_SRGB_BLOCK 0x6c UNORM 16 RGBA [12 10] srgb;
    ASTC_12X12_UNORM_BLOCK 0x6d UNORM 16 RGBA [12 12]; ASTC_12X12_SRGB_BLOCK 0x6d UNORM 16 RGBA [12 12] srgb;
    // Formats of several planes; the row describes the first.
    G8_B8_R8_3PLANE_420_UNORM 0x00 UNORM 1 R; G8_B8R8_2PLANE_420_UNORM 0x00 UNORM 1 R;
    G8_B8_R8_3PLANE_422_UNORM 0x00 UNORM 1 R; G8_B8R8_2PLANE_422_UNORM 0x00 UNORM 1 R;
    G8_B8_R8_3PLANE_444_UNORM 0x00 UNORM 1 R; G8_B8R8_2PLANE_444_UNORM 0x00 UNORM 1 R;
    G16_B16_R16_3PLANE_420_UNORM 0x09 UNORM 2 R; G16_B16R16_2PLANE_420_UNORM 0x09 UNORM 2 R;
    G16_B16_R16_3PLANE_422_UNORM 0x09 UNORM 2 R; G16_B16R16_2PLANE_422_UNORM 0x09 UNORM 2 R;
    G16_B16_R16_3PLANE_444_UNORM 0x09 UNORM 2 R; G16_B16R16_2PLANE_444_UNORM 0x09 UNORM 2 R;
    G10X6_B10X6_R10X6_3PLANE_420_UNORM_3PACK16 0x09 UNORM 2 R; G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16 0x09 UNORM 2 R;
    G10X6_B10X6_R10X6_3PLANE_422_UNORM_3PACK16 0x09 UNORM 2 R; G10X6_B10X6R10X6_2PLANE_422_UNORM_3PACK16 0x09 UNORM 2 R;
    G10X6_B10X6_R10X6_3PLANE_444_UNORM_3PACK16 0x09 UNORM 2 R; G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16 0x09 UNORM 2 R;
    G12X4_B12X4_R12X4_3PLANE_420_UNORM_3PACK16 0x09 UNORM 2 R; G12X4_B12X4R12X4_2PLANE_420_UNORM_3PACK16 0x09 UNORM 2 R;
    G12X4_B12X4_R12X4_3PLANE_422_UNORM_3PACK16 0x09 UNORM 2 R; G12X4_B12X4R12X4_2PLANE_422_UNORM_3PACK16 0x09 UNORM 2 R;
    G12X4_B12X4_R12X4_3PLANE_444_UNORM_3PACK16 0x09 UNORM 2 R; G12X4_B12X4R12X4_2PLANE_444_UNORM_3PACK16 0x09 UNORM 2 R;
}

/// Names of formats that are only for vertex attributes.
static VERTEX_ONLY: &[(vk::Format, &str)] = &[
    (vk::Format::R8_USCALED, "R8_USCALED"),
    (vk::Format::R8_SSCALED, "R8_SSCALED"),
    (vk::Format::R8G8_USCALED, "R8G8_USCALED"),
    (vk::Format::R8G8_SSCALED, "R8G8_SSCALED"),
    (vk::Format::R8G8B8A8_USCALED, "R8G8B8A8_USCALED"),
    (vk::Format::R8G8B8A8_SSCALED, "R8G8B8A8_SSCALED"),
    (vk::Format::R8G8B8_UNORM, "R8G8B8_UNORM"),
    (vk::Format::R8G8B8_SNORM, "R8G8B8_SNORM"),
    (vk::Format::R8G8B8_UINT, "R8G8B8_UINT"),
    (vk::Format::R8G8B8_SINT, "R8G8B8_SINT"),
    (vk::Format::R8G8B8_USCALED, "R8G8B8_USCALED"),
    (vk::Format::R8G8B8_SSCALED, "R8G8B8_SSCALED"),
    (vk::Format::B8G8R8A8_USCALED, "B8G8R8A8_USCALED"),
    (vk::Format::B8G8R8A8_SSCALED, "B8G8R8A8_SSCALED"),
    (vk::Format::A8B8G8R8_USCALED_PACK32, "A8B8G8R8_USCALED_PACK32"),
    (vk::Format::A8B8G8R8_SSCALED_PACK32, "A8B8G8R8_SSCALED_PACK32"),
    (vk::Format::B8G8R8_UNORM, "B8G8R8_UNORM"),
    (vk::Format::B8G8R8_SNORM, "B8G8R8_SNORM"),
    (vk::Format::B8G8R8_UINT, "B8G8R8_UINT"),
    (vk::Format::B8G8R8_SINT, "B8G8R8_SINT"),
    (vk::Format::B8G8R8_USCALED, "B8G8R8_USCALED"),
    (vk::Format::B8G8R8_SSCALED, "B8G8R8_SSCALED"),
    (vk::Format::R16_USCALED, "R16_USCALED"),
    (vk::Format::R16_SSCALED, "R16_SSCALED"),
    (vk::Format::R16G16_USCALED, "R16G16_USCALED"),
    (vk::Format::R16G16_SSCALED, "R16G16_SSCALED"),
    (vk::Format::R16G16B16_UNORM, "R16G16B16_UNORM"),
    (vk::Format::R16G16B16_SNORM, "R16G16B16_SNORM"),
    (vk::Format::R16G16B16_UINT, "R16G16B16_UINT"),
    (vk::Format::R16G16B16_SINT, "R16G16B16_SINT"),
    (vk::Format::R16G16B16_USCALED, "R16G16B16_USCALED"),
    (vk::Format::R16G16B16_SSCALED, "R16G16B16_SSCALED"),
    (vk::Format::R16G16B16_SFLOAT, "R16G16B16_SFLOAT"),
    (vk::Format::R16G16B16A16_USCALED, "R16G16B16A16_USCALED"),
    (vk::Format::R16G16B16A16_SSCALED, "R16G16B16A16_SSCALED"),
    (vk::Format::R32G32B32_UINT, "R32G32B32_UINT"),
    (vk::Format::R32G32B32_SINT, "R32G32B32_SINT"),
    (vk::Format::R32G32B32_SFLOAT, "R32G32B32_SFLOAT"),
    (vk::Format::A2B10G10R10_SNORM_PACK32, "A2B10G10R10_SNORM_PACK32"),
    (vk::Format::A2B10G10R10_USCALED_PACK32, "A2B10G10R10_USCALED_PACK32"),
    (vk::Format::A2B10G10R10_SSCALED_PACK32, "A2B10G10R10_SSCALED_PACK32"),
    (vk::Format::A2R10G10B10_SNORM_PACK32, "A2R10G10B10_SNORM_PACK32"),
    (vk::Format::A2R10G10B10_USCALED_PACK32, "A2R10G10B10_USCALED_PACK32"),
    (vk::Format::A2R10G10B10_SSCALED_PACK32, "A2R10G10B10_SSCALED_PACK32"),
];

/// The row of a format.
pub fn find(format: vk::Format) -> Option<&'static FormatDesc> {
    match known(format) {
        Some(known) => known.desc,
        None => search(format),
    }
}

fn search(format: vk::Format) -> Option<&'static FormatDesc> {
    FORMATS.iter().find(|desc| desc.format == format)
}

/// What the names of a format say.
struct Known {
    desc: Option<&'static FormatDesc>,
    colour: Option<ColourFormat>,
    vertex: Option<VertexFormat>,
}

/// A format of Vulkan 1.0, whose numbers begin at 0.
fn known(format: vk::Format) -> Option<&'static Known> {
    const FIRST: usize = 185;
    static LIST: LazyLock<[Known; FIRST]> = LazyLock::new(|| {
        std::array::from_fn(|number| {
            let format = vk::Format::from_raw(number as i32);
            let desc = search(format);
            let colour = desc.and_then(|desc| ColourFormat::from_name(desc.name));
            Known { desc, colour, vertex: named_vertex(format) }
        })
    });
    LIST.get(format.as_raw() as usize)
}

/// The format of a component of texels of three 32-bit components, which only texel buffers have.
pub fn third(format: vk::Format) -> Option<&'static FormatDesc> {
    find(match format {
        vk::Format::R32G32B32_UINT => vk::Format::R32_UINT,
        vk::Format::R32G32B32_SINT => vk::Format::R32_SINT,
        vk::Format::R32G32B32_SFLOAT => vk::Format::R32_SFLOAT,
        _ => return None,
    })
}

/// The format for vertex prologs.
pub fn vertex(format: vk::Format) -> Option<VertexFormat> {
    match known(format) {
        Some(known) => known.vertex,
        None => named_vertex(format),
    }
}

fn named_vertex(format: vk::Format) -> Option<VertexFormat> {
    let name = match VERTEX_ONLY.iter().find(|(known, _)| *known == format) {
        Some((_, name)) => name,
        None => {
            let desc = search(format);
            desc.filter(|desc| !desc.is_depth_stencil() && !desc.is_compressed() && !desc.srgb)?.name
        }
    };
    VertexFormat::from_name(name)
}

/// Bytes of an element of an attribute.
pub fn vertex_bytes(format: vk::Format) -> Option<u8> {
    Some(vertex(format)?.bytes)
}

impl FormatDesc {
    /// Whether it has depth.
    pub fn has_depth(&self) -> bool {
        self.name.starts_with('D')
    }

    /// Whether it has stencil.
    pub fn has_stencil(&self) -> bool {
        self.name.ends_with("S8_UINT")
    }

    /// Whether it has depth or stencil.
    pub fn is_depth_stencil(&self) -> bool {
        self.has_depth() || self.has_stencil()
    }

    /// Whether texels are stored in blocks.
    pub fn is_compressed(&self) -> bool {
        self.block != [1, 1]
    }

    /// Whether images of it have planes of luma and chroma.
    pub fn is_planar(&self) -> bool {
        ycbcr::planar(self.format).is_some()
    }

    /// Whether texels are integers.
    pub fn is_integer(&self) -> bool {
        matches!(self.kind, UINT | SINT)
    }

    /// Whether texels are signed integers.
    pub fn is_signed(&self) -> bool {
        self.kind == SINT
    }

    /// The format in the tile, if it is a renderable colour format.
    pub fn colour(&self) -> Option<ColourFormat> {
        match known(self.format) {
            Some(known) => known.colour,
            None => ColourFormat::from_name(self.name),
        }
    }

    /// Aspects that images of it have.
    pub fn aspects(&self) -> vk::ImageAspectFlags {
        let mut aspects = vk::ImageAspectFlags::empty();
        if self.has_depth() {
            aspects |= vk::ImageAspectFlags::DEPTH;
        }
        if self.has_stencil() {
            aspects |= vk::ImageAspectFlags::STENCIL;
        }
        if aspects.is_empty() { vk::ImageAspectFlags::COLOR } else { aspects }
    }

    /// The format of each plane in memory: depth and stencil are separate.
    pub fn planes(&self) -> Vec<&'static FormatDesc> {
        let names: &[vk::Format] = match (self.format, ycbcr::planar(self.format)) {
            (_, Some(planar)) => planar.planes,
            (vk::Format::D32_SFLOAT_S8_UINT, _) => &[vk::Format::D32_SFLOAT, vk::Format::S8_UINT],
            _ => &[self.format],
        };
        names.iter().filter_map(|name| find(*name)).collect()
    }

    /// The supported uses of images with it.
    pub fn features(&self) -> vk::FormatFeatureFlags2 {
        use vk::FormatFeatureFlags2 as F;
        let mut features = F::SAMPLED_IMAGE | F::TRANSFER_SRC | F::TRANSFER_DST | F::HOST_IMAGE_TRANSFER_EXT;
        if self.is_planar() {
            return features
                | F::SAMPLED_IMAGE_FILTER_LINEAR
                | F::SAMPLED_IMAGE_YCBCR_CONVERSION_LINEAR_FILTER
                | F::MIDPOINT_CHROMA_SAMPLES
                | F::COSITED_CHROMA_SAMPLES
                | F::DISJOINT;
        }
        if self.is_depth_stencil() {
            features |= F::DEPTH_STENCIL_ATTACHMENT | F::BLIT_SRC;
            if self.has_depth() {
                features |= F::SAMPLED_IMAGE_DEPTH_COMPARISON | F::SAMPLED_IMAGE_FILTER_LINEAR;
            }
            return features;
        }
        features |= F::BLIT_SRC;
        if !self.is_integer() {
            features |= F::SAMPLED_IMAGE_FILTER_LINEAR;
        }
        if self.is_compressed() {
            return features;
        }
        if self.is_stored() {
            features |= F::STORAGE_IMAGE | F::STORAGE_READ_WITHOUT_FORMAT | F::STORAGE_WRITE_WITHOUT_FORMAT;
        }
        if matches!(self.format, vk::Format::R32_UINT | vk::Format::R32_SINT) {
            features |= F::STORAGE_IMAGE_ATOMIC;
        }
        if self.colour().is_some() {
            features |= F::COLOR_ATTACHMENT | F::BLIT_DST;
            if !self.is_integer() {
                features |= F::COLOR_ATTACHMENT_BLEND;
            }
        }
        features
    }

    /// The supported uses of buffers with it.
    pub fn buffer_features(&self) -> vk::FormatFeatureFlags2 {
        use vk::FormatFeatureFlags2 as F;
        let mut features = F::empty();
        if self.is_compressed() || self.is_depth_stencil() || self.is_planar() {
            return features;
        }
        features |= F::UNIFORM_TEXEL_BUFFER;
        if self.is_stored() {
            features |=
                F::STORAGE_TEXEL_BUFFER | F::STORAGE_READ_WITHOUT_FORMAT | F::STORAGE_WRITE_WITHOUT_FORMAT;
        }
        if matches!(self.format, vk::Format::R32_UINT | vk::Format::R32_SINT) {
            features |= F::STORAGE_TEXEL_BUFFER_ATOMIC;
        }
        features
    }

    /// Whether shaders can store it: what render targets can have, and alpha alone.
    fn is_stored(&self) -> bool {
        self.colour().is_some() || self.format == vk::Format::A8_UNORM_KHR
    }

    /// The components that the channels of a texel hold: the inverse of the swizzle.
    pub fn stored_swizzle(&self) -> [u8; 4] {
        [0, 1, 2, 3].map(|channel| {
            let component = (0..4).zip(self.swizzle).find(|(_, from)| *from == channel);
            component.map_or(channel, |(component, _)| component)
        })
    }

    /// A format of unsigned integers with texels of the same size, for copies.
    pub fn as_bits(&self) -> Option<&'static FormatDesc> {
        bits(self.bytes)
    }
}

/// The format of unsigned integers with texels of `bytes` bytes.
pub fn bits(bytes: u32) -> Option<&'static FormatDesc> {
    find(match bytes {
        1 => vk::Format::R8_UINT,
        2 => vk::Format::R16_UINT,
        4 => vk::Format::R32_UINT,
        8 => vk::Format::R32G32_UINT,
        16 => vk::Format::R32G32B32A32_UINT,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swizzles_invert_each_other() {
        for desc in FORMATS {
            let stored = desc.stored_swizzle();
            for (component, channel) in desc.swizzle.iter().enumerate().filter(|(_, channel)| **channel < 4) {
                let first = desc.swizzle.iter().position(|from| from == channel);
                assert_eq!(
                    stored[usize::from(*channel)] as usize,
                    first.unwrap_or(component),
                    "{}",
                    desc.name
                );
            }
        }
    }

    #[test]
    fn every_mandatory_colour_target_has_a_tile_format() {
        let names =
            ["R8G8B8A8_UNORM", "B8G8R8A8_SRGB", "A2B10G10R10_UINT_PACK32", "R5G6B5_UNORM_PACK16", "R32_UINT"];
        for name in names {
            let desc = FORMATS.iter().find(|desc| desc.name == name).expect(name);
            assert!(desc.colour().is_some(), "{name}");
        }
    }
}
