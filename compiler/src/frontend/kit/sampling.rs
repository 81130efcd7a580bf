//! Sampling: textures at float coordinates.

use agx_abi::Stage;
use agx_abi::textures::{self as fields, DescriptorKind};
use agx_isa::table::Opcode;
use agx_isa::table::names::{LodMode, Value as _};

use super::Kit;
use super::conversion::{Conversion, converted};
use super::derivatives::{Axis, derivative, has_quads};
use super::textures::{self, Handle};
use crate::error::{CompileError, KitError};
use crate::ir::op::Op;
use crate::ir::{Arithmetic, Build, IrOp, Src, Type};

/// The dimension of a texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dim {
    /// One-dimensional.
    D1,
    /// Two-dimensional.
    D2,
    /// Three-dimensional.
    D3,
    /// Six faces.
    Cube,
    /// A texel buffer.
    Buffer,
    /// An input attachment: the texels of the fragment's own pixel.
    Attachment,
}

/// The shape of a texture or image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Its dimension.
    pub dim: Dim,
    /// Whether it has layers.
    pub arrayed: bool,
    /// Whether it is multisampled.
    pub multisampled: bool,
    /// Whether it is accessed without a sampler, by loads and stores.
    pub storage: bool,
}

impl Shape {
    /// A sampled texture with one layer and one sample.
    pub const fn texture(dim: Dim) -> Shape {
        Shape { dim, arrayed: false, multisampled: false, storage: false }
    }

    /// Number of coordinates of a position, without the layer.
    pub fn axes(self) -> usize {
        match self.dim {
            Dim::D1 | Dim::Buffer => 1,
            Dim::D3 | Dim::Cube => 3,
            Dim::D2 | Dim::Attachment => 2,
        }
    }

    /// Number of integer coordinates of a texel, including the layer. The faces of all cubes are the layers
    /// of one array.
    pub fn texel_coords(self) -> usize {
        match self.dim {
            Dim::Cube => 3,
            _ => self.axes().saturating_add(self.arrayed.into()),
        }
    }

    /// The hardware's code of the dimension for sampling.
    pub(crate) fn code(self) -> Result<u32, CompileError> {
        Ok(match (self.dim, self.arrayed, self.multisampled) {
            (Dim::D1, false, false) => 0,
            (Dim::D1, true, false) => 1,
            (Dim::D2 | Dim::Buffer, false, false) => 2,
            (Dim::D2, true, false) | (Dim::Attachment, _, false) => 3,
            (Dim::D2, false, true) => 4,
            (Dim::D2, true, true) | (Dim::Attachment, _, true) => 8,
            (Dim::D3, false, false) => 5,
            (Dim::Cube, false, false) => 6,
            (Dim::Cube, true, false) => 7,
            (dim, arrayed, multisampled) => {
                let layers = if arrayed { " with layers" } else { "" };
                let samples = if multisampled { " with several samples" } else { "" };
                return Err(KitError::Shape { shape: format!("dimension {dim:?}{layers}{samples}") }.into());
            }
        })
    }
}

/// The source of the level of detail.
#[derive(Clone, Debug, Default)]
pub enum Lod {
    /// From the coordinates of the quad. In a stage without quads it is level 0.
    #[default]
    Quad,
    /// From the coordinates of the quad, plus a bias.
    Bias(Src),
    /// As given.
    Explicit(Src),
    /// From gradients: for each axis of the texture, the change of its coordinate to the right, then down, 32
    /// bits each.
    Gradients(Vec<[Src; 2]>),
}

/// A sample operation.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The shape of the texture.
    pub shape: Shape,
    /// Bits of a component of the result: 16 or 32.
    pub bits: u8,
    /// Coordinates, 32-bit floats, as many as the texture has axes.
    pub coords: Vec<Src>,
    /// The layer, a float, if the texture has layers.
    pub layer: Option<Src>,
    /// The level of detail.
    pub lod: Lod,
    /// Its lower limit.
    pub min_lod: Option<Src>,
    /// The reference value of a shadow comparison.
    pub reference: Option<Src>,
    /// Offset in texels: see [`pack_offset`].
    pub offset: Option<Src>,
    /// Gather this channel of four texels instead of one filtered texel.
    pub gather: Option<u32>,
    /// Return the level instead of a texel: the sampled one, and the one before clamping.
    pub query: bool,
    /// Also tell whether all texels have memory.
    pub sparse: bool,
}

/// What a sample or a load of a texel gives.
#[derive(Clone, Copy, Debug)]
pub struct Sampled {
    /// The components of the texel.
    pub components: [Src; 4],
    /// 0 if all texels have memory, or if this was not asked.
    pub missing: Src,
}

impl Sampled {
    /// Components of texels whose memory was not asked for.
    pub(crate) fn of(components: [Src; 4]) -> Sampled {
        Sampled { components, missing: Src::imm32(0) }
    }
}

/// The results of an operation on a texture that gives four components of a number of bits, and with `sparse` whether all
/// texels have memory.
pub(crate) fn sampled(
    kit: &mut Kit<'_, '_>,
    op: IrOp,
    (bits, sparse): (u8, bool),
    srcs: &[Src],
    mods: &[u32],
) -> Sampled {
    if !sparse {
        let vector = kit.b.value(op, Type::vector(bits, 4), srcs, mods);
        return Sampled::of(kit.b.split_into(Src::value(vector), Type::scalar(bits)));
    }
    // The word of residency has the width of the components.
    let vector = kit.b.value(op, Type::vector(32, 5), srcs, mods);
    let [red, green, blue, alpha, missing] = kit.b.split_into(Src::value(vector), Type::B32);
    let components = [red, green, blue, alpha].map(|component| kit.b.fconv(component, bits));
    Sampled { components, missing }
}

impl Sample {
    /// A plain sample at 32-bit coordinates.
    pub fn new(shape: Shape, coords: Vec<Src>, lod: Lod) -> Sample {
        Sample {
            shape,
            bits: 32,
            coords,
            layer: None,
            lod,
            min_lod: None,
            reference: None,
            offset: None,
            gather: None,
            query: false,
            sparse: false,
        }
    }
}

/// Integer offsets along the axes in one word, four bits each.
pub fn pack_offset(kit: &mut Kit<'_, '_>, offset: &[Src]) -> Src {
    let b = &mut kit.b;
    let mut packed = Src::imm32(0);
    for (at, offset) in [0, 4, 8].into_iter().zip(offset) {
        let word = b.sconv(*offset, 32);
        let nibble = b.and(word, Src::imm32(0xf));
        let placed = b.shl(nibble, Src::imm32(at));
        packed = if at == 0 { placed } else { b.or(packed, placed) };
    }
    packed
}

/// Samples a texture.
///
/// # Errors
/// Shapes that the hardware does not support, too many samplers.
pub fn sample(
    kit: &mut Kit<'_, '_>,
    texture: Handle,
    sampler: Handle,
    sample: &Sample,
) -> Result<Sampled, CompileError> {
    match kit.bindings.conversion(sampler) {
        Some(conversion) if !sample.query => {
            // Images with several planes have memory for all texels.
            let sample = Sample { sparse: false, ..sample.clone() };
            sample_planes(kit, texture, sampler, &sample, &conversion).map(Sampled::of)
        }
        _ => sample_plane(kit, texture, sampler, sample),
    }
}

/// The colour of a sample of all planes.
fn sample_planes(
    kit: &mut Kit<'_, '_>,
    texture: Handle,
    sampler: Handle,
    sample: &Sample,
    conversion: &Conversion,
) -> Result<[Src; 4], CompileError> {
    let whole = Sample { bits: 32, ..sample.clone() };
    let of_chroma = Sample { coords: chroma_coords(kit, texture, &whole, conversion), ..whole.clone() };
    let mut planes = Vec::new();
    for plane in 0..u32::from(conversion.planes) {
        let texture = Handle { fixed: texture.fixed.wrapping_add(plane), ..texture };
        let sample = if plane == 0 { &whole } else { &of_chroma };
        planes.push(sample_plane(kit, texture, sampler, sample)?.components);
    }
    let one = Src::f32(1.0);
    let texel = match planes.as_slice() {
        [[luma, ..], [blue, red, ..]] => [*red, *luma, *blue, one],
        [[luma, ..], [blue, ..], [red, ..]] => [*red, *luma, *blue, one],
        [texel, ..] => *texel,
        [] => [Src::f32(0.0); 4],
    };
    let from = |channel: u8| match channel {
        4 => one,
        channel => texel.get(usize::from(channel)).copied().unwrap_or(Src::f32(0.0)),
    };
    let [red, green, blue, alpha] = conversion.swizzle.map(from);
    let [red, green, blue] = converted(kit, [red, green, blue], conversion);
    Ok([red, green, blue, alpha].map(|component| kit.b.fconv(component, sample.bits)))
}

/// The coordinates of a sample in planes of chroma. Images with several planes have one level.
fn chroma_coords(kit: &mut Kit<'_, '_>, luma: Handle, sample: &Sample, conversion: &Conversion) -> Vec<Src> {
    let mut coords = sample.coords.clone();
    let axes = [fields::WIDTH, fields::HEIGHT].into_iter().zip(conversion.cosited);
    for (coord, (field, cosited)) in coords.iter_mut().zip(axes) {
        if cosited {
            let last = textures::field(kit, luma, field);
            let texels = kit.b.iadd(last, Src::imm32(1));
            let texels = kit.b.int_to_float(texels, false, 32);
            let half = kit.b.fdiv(Src::f32(0.5), texels);
            *coord = kit.b.fadd(*coord, half);
        }
    }
    coords
}

/// Samples one texture.
fn sample_plane(
    kit: &mut Kit<'_, '_>,
    texture: Handle,
    sampler: Handle,
    sample: &Sample,
) -> Result<Sampled, CompileError> {
    let last_layer = match sample.layer {
        Some(_) => textures::last_layer(kit, texture),
        None => Src::NONE,
    };
    // Gathers always read the first level.
    let bias = if sample.gather.is_none() { textures::sampler_bias(kit, sampler) } else { None };
    let (mode, lod) = level(kit, sample, bias);
    let names = textures::descriptor(kit, texture, DescriptorKind::Texture);
    let sampler = textures::sampler(kit, sampler, texture)?;
    let coords = kit.b.collect(Type::vector(32, sample.coords.len() as u8), &sample.coords);
    let given = |src: Option<Src>| src.unwrap_or(Src::NONE);
    let srcs = [
        names.texture,
        names.heap,
        sampler,
        coords,
        given(sample.layer),
        last_layer,
        lod,
        given(sample.min_lod),
        given(sample.reference),
        given(sample.offset),
    ];
    let gather = sample.gather.map_or(0, |channel| channel.min(3) << 1 | 1);
    let mods = [sample.shape.code()?, mode.code(), gather, u32::from(sample.query), u32::from(sample.sparse)];
    Ok(sampled(kit, IrOp::Sample, (sample.bits, sample.sparse), &srcs, &mods))
}

/// The mode and operand of the level of detail. Outside fragment shaders there are no hardware quads to
/// derive it from.
fn level(kit: &mut Kit<'_, '_>, sample: &Sample, of_sampler: Option<Src>) -> (LodMode, Src) {
    let bias = match &sample.lod {
        Lod::Explicit(level) => return (LodMode::EXPLICIT, biased(kit, *level, of_sampler)),
        Lod::Gradients(axes) => {
            let words: Vec<Src> = axes.iter().flatten().copied().collect();
            return (LodMode::GRADIENTS, scaled(kit, words, of_sampler));
        }
        Lod::Quad => of_sampler,
        Lod::Bias(bias) => Some(biased(kit, *bias, of_sampler)),
    };
    if kit.stage == Stage::Fragment {
        kit.fragment.info.needs_helpers = true;
        return bias.map_or((LodMode::AUTO, Src::NONE), |bias| (LodMode::BIAS, bias));
    }
    match has_quads(kit) {
        true => (LodMode::GRADIENTS, gradients_in_quad(kit, &sample.coords, bias)),
        false => (LodMode::EXPLICIT, bias.unwrap_or(Src::f32(0.0))),
    }
}

/// A level plus a bias.
fn biased(kit: &mut Kit<'_, '_>, level: Src, bias: Option<Src>) -> Src {
    let Some(bias) = bias else { return level };
    let [level, bias] = [level, bias].map(|src| kit.b.fconv(src, 32));
    kit.b.fadd(level, bias)
}

/// The gradients of coordinates in the quad, scaled according to the bias.
fn gradients_in_quad(kit: &mut Kit<'_, '_>, coords: &[Src], bias: Option<Src>) -> Src {
    let mut words = Vec::with_capacity(coords.len().saturating_mul(2));
    for coord in coords {
        for axis in [Axis::X, Axis::Y] {
            words.push(derivative(kit, axis, *coord));
        }
    }
    scaled(kit, words, bias)
}

/// Gradients, scaled according to the bias.
fn scaled(kit: &mut Kit<'_, '_>, mut words: Vec<Src>, bias: Option<Src>) -> Src {
    if let Some(bias) = bias {
        let bias = kit.b.fconv(bias, 32);
        let mods = Op::Hw(Opcode::Exp2).default_mods();
        let scale = kit.b.alu(Opcode::Exp2, 32, &[bias], &mods);
        for word in &mut words {
            *word = kit.b.fmul(*word, scale);
        }
    }
    kit.b.collect(Type::vector(32, words.len() as u8), &words)
}
