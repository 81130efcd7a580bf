//! Textures and samplers in the notation of the command line and of scene files: formats, pictures, words for filters
//! and edges.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use agx_abi::kernel::{Addressing, LITERAL_SAMPLER_SET, LiteralSampler};
use agx_emulator::launch::BufferBinding;
use agx_emulator::launch::textures::{
    Border, Dimension, Format, SamplerResource, SamplerState, Shape, TextureResource, Wrap,
};

use crate::values::Slot;

/// Maximum number of texels along a side.
pub const MAX_SIDE: u32 = 4096;

/// Maximum number of layers, slices or faces.
const MAX_LAYERS: u64 = 2048;

/// Maximum number of texels of a texel buffer.
const MAX_BUFFER_TEXELS: u32 = 1 << 24;

/// A kind of texture: its name, its dimension, and the number of sides of its size.
type Kind = (&'static str, Dimension, usize);

/// The kinds. Without a name, a size is that of one of the first two.
const KINDS: &[Kind] = &[
    ("2d", Dimension::Plane, 2),
    ("3d", Dimension::Volume, 3),
    ("1d", Dimension::Line, 1),
    ("1d_array", Dimension::LineArray, 2),
    ("2d_array", Dimension::PlaneArray, 3),
    ("cube", Dimension::Cube, 2),
    ("cube_array", Dimension::CubeArray, 3),
    ("buffer", Dimension::Buffer, 1),
];

/// The dimension and the size of a texture of a kind, with a size like `8x8` or `8x8x4`. Layers and cubes are the last
/// side.
///
/// # Errors
/// A sentence.
pub fn extent(kind: Option<&str>, size: &str) -> Result<(Dimension, [u32; 3]), String> {
    let sides: Vec<u32> = size
        .split('x')
        .map(|side| side.parse().map_err(|_| format!("expected a size like 8x8, found `{size}`")))
        .collect::<Result<_, _>>()?;
    let (name, dimension, count) = find_kind(kind, sides.len())?;
    if sides.len() != *count {
        return Err(format!("the size of a texture of kind {name} has {count} sides, found {}", sides.len()));
    }
    let most = if *dimension == Dimension::Buffer { MAX_BUFFER_TEXELS } else { MAX_SIDE };
    if sides.iter().any(|side| !(1..=most).contains(side)) {
        return Err(format!("each side must be from 1 to {most}"));
    }
    let (width, height, depth) = match (dimension, &sides[..]) {
        (Dimension::LineArray, &[width, layers]) => (width, 1, layers),
        (_, &[width, height, depth]) => (width, height, depth),
        (_, &[width, height]) => (width, height, 1),
        _ => (sides.first().copied().unwrap_or(1), 1, 1),
    };
    if u64::from(depth).saturating_mul(faces(*dimension)) > MAX_LAYERS {
        return Err(format!("a texture has at most {MAX_LAYERS} layers, slices or faces"));
    }
    Ok((*dimension, [width, height, depth]))
}

/// The kind called `name`, or the one that a size with `sides` sides has by default.
fn find_kind(name: Option<&str>, sides: usize) -> Result<&'static Kind, String> {
    let found = match name {
        Some(name) => KINDS.iter().find(|(known, ..)| *known == name),
        None => KINDS.iter().take(2).find(|(.., count)| *count == sides),
    };
    found.ok_or_else(|| {
        let known: Vec<&str> = KINDS.iter().map(|(known, ..)| *known).collect();
        let known = known.join(", ");
        match name {
            Some(name) => format!("unknown kind of texture `{name}`; expected one of {known}"),
            None => format!("expected WIDTHxHEIGHT, WIDTHxHEIGHTxDEPTH, or a size after one of {known}"),
        }
    })
}

/// The number of faces of each layer.
pub fn faces(dimension: Dimension) -> u64 {
    if matches!(dimension, Dimension::Cube | Dimension::CubeArray) { 6 } else { 1 }
}

/// A format with the name of GLSL's layout qualifier, and its bytes per texel.
type Row = (&'static str, Format, usize);

/// The formats. Without the suffix of a type, texels are unsigned and normalised.
const FORMATS: &[Row] = &[
    ("rgba8", Format::RGBA8, 4),
    ("srgba8", Format { srgb: true, ..Format::RGBA8 }, 4),
    row("r8", R8, UNORM, 1),
    row("r8_snorm", R8, SNORM, 1),
    row("r8ui", R8, UINT, 1),
    row("r8i", R8, SINT, 1),
    row("rg8", RG8, UNORM, 2),
    row("rg8_snorm", RG8, SNORM, 2),
    row("rg8ui", RG8, UINT, 2),
    row("rg8i", RG8, SINT, 2),
    row("rgba8_snorm", RGBA8, SNORM, 4),
    row("rgba8ui", RGBA8, UINT, 4),
    row("rgba8i", RGBA8, SINT, 4),
    row("r16", R16, UNORM, 2),
    row("r16_snorm", R16, SNORM, 2),
    row("r16ui", R16, UINT, 2),
    row("r16i", R16, SINT, 2),
    row("r16f", R16, FLOAT, 2),
    row("rg16", RG16, UNORM, 4),
    row("rg16_snorm", RG16, SNORM, 4),
    row("rg16ui", RG16, UINT, 4),
    row("rg16i", RG16, SINT, 4),
    row("rg16f", RG16, FLOAT, 4),
    row("rgba16", RGBA16, UNORM, 8),
    row("rgba16_snorm", RGBA16, SNORM, 8),
    row("rgba16ui", RGBA16, UINT, 8),
    row("rgba16i", RGBA16, SINT, 8),
    row("rgba16f", RGBA16, FLOAT, 8),
    ("r32ui", Format::R32UI, 4),
    row("r32i", R32, SINT, 4),
    ("r32f", Format::R32F, 4),
    row("rg32ui", RG32, UINT, 8),
    row("rg32i", RG32, SINT, 8),
    row("rg32f", RG32, FLOAT, 8),
    ("rgba32ui", Format::RGBA32UI, 16),
    ("rgba32i", Format::RGBA32I, 16),
    ("rgba32f", Format::RGBA32F, 16),
    row("rgb10_a2", RGB10_A2, UNORM, 4),
    row("rgb10_a2ui", RGB10_A2, UINT, 4),
    row("r11f_g11f_b10f", RG11_B10, FLOAT, 4),
];

// Codes of channels and types, as in `Format`.
const R8: u32 = 0x00;
const RG8: u32 = 0x0a;
const RGBA8: u32 = 0x28;
const R16: u32 = 0x09;
const RG16: u32 = 0x23;
const RGBA16: u32 = 0x32;
const R32: u32 = 0x21;
const RG32: u32 = 0x31;
const RGB10_A2: u32 = 0x26;
const RG11_B10: u32 = 0x25;
const UNORM: u32 = 0;
const SNORM: u32 = 1;
const UINT: u32 = 2;
const SINT: u32 = 3;
const FLOAT: u32 = 4;

const fn row(name: &'static str, channels: u32, kind: u32, bytes: usize) -> Row {
    (name, Format { channels, kind, srgb: false }, bytes)
}

/// The format called `name`, and its bytes per texel.
///
/// # Errors
/// A sentence with the kinds of names.
pub fn format(name: &str) -> Result<(Format, usize), String> {
    let found = FORMATS.iter().find(|(known, ..)| *known == name);
    found.map(|(_, format, bytes)| (*format, *bytes)).ok_or_else(|| {
        format!(
            "unknown texel format `{name}`; expected srgba8, or a format of GLSL like rgba8, r16f, rg32ui or \
             rgba8_snorm"
        )
    })
}

/// Texels in rows.
#[derive(Clone, PartialEq, Debug)]
pub struct Pixels {
    /// Width and height.
    pub size: [u32; 2],
    /// Red, green, blue, alpha of each.
    pub rgba: Vec<u8>,
}

impl Pixels {
    /// The contents of a PNG, as 8-bit red, green, blue and alpha.
    ///
    /// # Errors
    /// A sentence.
    pub fn from_png(bytes: &[u8]) -> Result<Pixels, String> {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder
            .set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
        let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
        let [width, height] = [reader.info().width, reader.info().height];
        if width > MAX_SIDE || height > MAX_SIDE {
            return Err(format!(
                "an image of {width} × {height} texels; each side must be at most {MAX_SIDE}"
            ));
        }
        let mut bytes = vec![0; reader.output_buffer_size().unwrap_or(0)];
        let frame = reader.next_frame(&mut bytes).map_err(|error| error.to_string())?;
        bytes.truncate(frame.buffer_size());
        let rgba = match frame.color_type {
            png::ColorType::Rgba => bytes,
            png::ColorType::GrayscaleAlpha => bytes
                .as_chunks::<2>()
                .0
                .iter()
                .flat_map(|[grey, alpha]| [*grey, *grey, *grey, *alpha])
                .collect(),
            other => return Err(format!("unsupported pixel type {other:?}")),
        };
        Ok(Pixels { size: [width, height], rgba })
    }

    /// A checkerboard of `squares` by `squares` squares, the first colour at the top left.
    pub fn checker(size: [u32; 2], squares: u32, colours: [[u8; 4]; 2]) -> Pixels {
        let ([width, height], [even, odd]) = (size, colours);
        let texels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let square = |at: u32, side: u32| {
            u64::from(at).saturating_mul(squares.into()).checked_div(side.into()).unwrap_or(0)
        };
        let colour = |(x, y)| if (square(x, width) ^ square(y, height)) & 1 == 0 { even } else { odd };
        Pixels { size, rgba: texels.flat_map(colour).collect() }
    }

    /// The next smaller level: means of two by two texels.
    fn halved(&self) -> Pixels {
        let [width, height] = self.size;
        let size = [(width / 2).max(1), (height / 2).max(1)];
        let component = |x: u32, y: u32, at: usize| {
            let (x, y) = (x.min(width.saturating_sub(1)), y.min(height.saturating_sub(1)));
            let texel = (y as usize).saturating_mul(width as usize).saturating_add(x as usize);
            self.rgba.get(texel.saturating_mul(4).saturating_add(at)).copied().map_or(0, u32::from)
        };
        let texels = (0..size[1]).flat_map(|y| (0..size[0]).map(move |x| (x << 1, y << 1)));
        let mean = |(x, y): (u32, u32)| {
            [0, 1, 2, 3].map(|at| {
                let corners = [(x, y), (x | 1, y), (x, y | 1), (x | 1, y | 1)];
                (corners.iter().map(|(x, y)| component(*x, *y, at)).sum::<u32>() as f32 / 4.0).round() as u8
            })
        };
        Pixels { size, rgba: texels.flat_map(mean).collect() }
    }

    /// The levels down to a single texel in one buffer, each at a multiple of 16 bytes, and their number.
    pub fn with_levels(self) -> (Vec<u8>, u32) {
        let (mut bytes, mut levels, mut level) = (Vec::new(), 0u32, self);
        loop {
            bytes.resize(bytes.len().next_multiple_of(16), 0);
            bytes.extend_from_slice(&level.rgba);
            levels = levels.saturating_add(1);
            if level.size == [1, 1] {
                return (bytes, levels);
            }
            level = level.halved();
        }
    }
}

/// A texture.
pub fn resource(slot: Slot, shape: Shape, bytes: Vec<u8>) -> TextureResource {
    let Slot { set, binding, element } = slot;
    TextureResource {
        buffer: BufferBinding { set, binding, element, bytes, writable: false },
        shape,
        storage: false,
    }
}

/// A storage image with texels in rows without padding. Its own rows are padded, as atomics require.
pub fn storage(slot: Slot, shape: Shape, texels: &[u8]) -> TextureResource {
    let shape = Shape { linear: true, ..shape };
    let mut image = resource(slot, shape, shape.padded(texels));
    image.buffer.writable = true;
    image.storage = true;
    image
}

/// The contents of a storage image as a buffer, in rows without padding.
pub fn contents(image: TextureResource) -> BufferBinding {
    let bytes = image.shape.packed(&image.buffer.bytes);
    BufferBinding { bytes, ..image.buffer }
}

/// The change that a word makes to a sampler.
type Change = fn(&mut SamplerState);

const SAMPLER_WORDS: &[(&str, Change)] = &[
    ("nearest", |state| state.linear = [false; 2]),
    ("linear", |state| state.linear = [true; 2]),
    ("levels_none", |state| state.linear_levels = None),
    ("levels_nearest", |state| state.linear_levels = Some(false)),
    ("levels_linear", |state| state.linear_levels = Some(true)),
    ("clamp", |state| state.wrap = [Wrap::ClampToEdge; 3]),
    ("repeat", |state| state.wrap = [Wrap::Repeat; 3]),
    ("mirror", |state| state.wrap = [Wrap::MirroredRepeat; 3]),
    ("mirror_once", |state| state.wrap = [Wrap::MirroredClampToEdge; 3]),
    ("border_transparent", |state| border(state, Border::TransparentBlack)),
    ("border_black", |state| border(state, Border::OpaqueBlack)),
    ("border_white", |state| border(state, Border::OpaqueWhite)),
    ("texels", |state| state.pixel_coordinates = true),
    ("compare_less_equal", |state| state.compare = 0),
    ("compare_greater_equal", |state| state.compare = 1),
    ("compare_less", |state| state.compare = 2),
    ("compare_greater", |state| state.compare = 3),
    ("compare_equal", |state| state.compare = 4),
    ("compare_not_equal", |state| state.compare = 5),
    ("compare_always", |state| state.compare = 6),
    ("compare_never", |state| state.compare = 7),
];

fn border(state: &mut SamplerState, border: Border) {
    state.wrap = [Wrap::ClampToBorder; 3];
    state.border = border;
}

/// A sampler that a kernel states.
pub fn literal(binding: u32, literal: &LiteralSampler) -> SamplerResource {
    let wrap = match literal.addressing {
        Addressing::None | Addressing::ClampToEdge => Wrap::ClampToEdge,
        Addressing::Clamp => Wrap::ClampToBorder,
        Addressing::Repeat => Wrap::Repeat,
        Addressing::RepeatMirrored => Wrap::MirroredRepeat,
    };
    let state = SamplerState {
        linear: [literal.linear; 2],
        wrap: [wrap; 3],
        pixel_coordinates: !literal.normalized,
        ..SamplerState::default()
    };
    SamplerResource { set: LITERAL_SAMPLER_SET, binding, element: 0, state }
}

/// A sampler with these settings; the default is nearest and clamped to the edge.
///
/// # Errors
/// A sentence that names the unknown setting.
pub fn sampler<'w>(slot: Slot, words: impl Iterator<Item = &'w str>) -> Result<SamplerResource, String> {
    let mut state = SamplerState::default();
    for word in words {
        let (_, change) = SAMPLER_WORDS.iter().find(|(known, _)| *known == word).ok_or_else(|| {
            let known: Vec<&str> = SAMPLER_WORDS.iter().map(|(word, _)| *word).collect();
            format!("unknown sampler setting `{word}`; expected one of {}", known.join(", "))
        })?;
        change(&mut state);
    }
    Ok(SamplerResource { set: slot.set, binding: slot.binding, element: slot.element, state })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture;

    const SLOT: Slot = Slot { set: 0, binding: 1, element: 0 };

    #[test]
    fn a_picture_becomes_texels_and_smaller_levels() {
        let [black, white] = [[0, 0, 0, 255], [255; 4]];
        let board = Pixels::checker([4, 2], 2, [black, white]);
        let rows = [[black, black, white, white], [white, white, black, black]];
        assert_eq!(board.rgba, rows.concat().concat());
        let file = picture::encode(&board.rgba, 4, 2).unwrap();
        assert_eq!(Pixels::from_png(&file).unwrap(), board);
        assert!(Pixels::from_png(b"no picture").is_err());
        let (bytes, levels) = board.with_levels();
        // 4 × 2, 2 × 1, 1 × 1: 32 bytes, 8 and padding, 4.
        assert_eq!((levels, bytes.len()), (3, 32 + 16 + 4));
        assert_eq!(bytes[32..40], [128, 128, 128, 255, 128, 128, 128, 255]);
        assert_eq!(bytes[48..], [128, 128, 128, 255]);
    }

    #[test]
    fn words_make_samplers() {
        let of = |words: &str| sampler(SLOT, words.split(',')).map(|sampler| sampler.state);
        let state = of("linear,repeat,levels_linear").unwrap();
        assert_eq!(
            (state.linear, state.linear_levels, state.wrap),
            ([true; 2], Some(true), [Wrap::Repeat; 3])
        );
        assert_eq!(of("border_white").unwrap().border, Border::OpaqueWhite);
        assert!(of("bilinear").unwrap_err().contains("`bilinear`"));
        assert_eq!(format("r32f"), Ok((Format::R32F, 4)));
        assert!(format("rgb8").unwrap_err().contains("rgba8"));
    }
}
