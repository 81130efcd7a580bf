//! Sampling: textures at float coordinates, with their variants.

use agx_isa::table::Opcode;
use spirv::{Dim, ImageOperands};

use super::module::Def;
use super::resource::Resource;
use super::resources;
use super::types::{ImageType, Kind, Ty};
use super::values::Values;
use super::words::Inst;
use crate::error::{CompileError, ImageError, TypeError};
use crate::frontend::kit::sampling::{self as kit, Lod, Sample, Sampled, Shape};
use crate::frontend::kit::textures;
use crate::ir::build::alu::IntCond;
use crate::ir::op::Op as IrOperation;
use crate::ir::src::Src;
use crate::ir::{Arithmetic, Build};

/// The variant of a sampling instruction.
#[derive(Clone, Copy, Default)]
pub(super) struct Form {
    /// The level of detail is implicit, from the quad.
    pub implicit: bool,
    /// Compares with a reference.
    pub compares: bool,
    /// Divides the coordinates.
    pub projects: bool,
    /// Gathers a channel of four texels.
    pub gathers: bool,
    /// Also tells whether all texels have memory.
    pub sparse: bool,
}

/// A sample with an explicit level.
pub(super) const PLAIN: Form =
    Form { implicit: false, compares: false, projects: false, gathers: false, sparse: false };
/// A sample with an implicit level.
pub(super) const IMPLICIT: Form = Form { implicit: true, ..PLAIN };

/// Image operands: ids by kind.
#[derive(Clone, Copy, Default)]
pub(super) struct Operands {
    pub bias: Option<u32>,
    pub lod: Option<u32>,
    pub gradients: Option<(u32, u32)>,
    /// Constant or computed offset.
    pub offset: Option<u32>,
    /// One offset for each texel of a gather.
    pub offsets: Option<u32>,
    pub sample: Option<u32>,
    pub min_lod: Option<u32>,
}

impl Operands {
    /// Parses the image operands after the fixed operands of an image instruction.
    pub fn read(words: &[u32]) -> Result<Operands, CompileError> {
        let mut operands = Operands::default();
        let Some((mask, ids)) = words.split_first() else { return Ok(operands) };
        let mask = ImageOperands::from_bits(*mask).ok_or(ImageError::UnknownOperands { mask: *mask })?;
        let mut ids = ids.iter().copied();
        for operand in mask.iter() {
            let mut id = || {
                ids.next().ok_or_else(|| CompileError::from(ImageError::MissingOperand { mask: mask.bits() }))
            };
            match operand {
                ImageOperands::BIAS => operands.bias = Some(id()?),
                ImageOperands::LOD => operands.lod = Some(id()?),
                ImageOperands::GRAD => operands.gradients = Some((id()?, id()?)),
                ImageOperands::CONST_OFFSET | ImageOperands::OFFSET => operands.offset = Some(id()?),
                ImageOperands::CONST_OFFSETS | ImageOperands::OFFSETS => operands.offsets = Some(id()?),
                ImageOperands::SAMPLE => operands.sample = Some(id()?),
                ImageOperands::MIN_LOD => operands.min_lod = Some(id()?),
                ImageOperands::MAKE_TEXEL_AVAILABLE | ImageOperands::MAKE_TEXEL_VISIBLE => {
                    id()?;
                }
                // The texel format determines signedness, and the others concern memory order or caching.
                _ => {}
            }
        }
        Ok(operands)
    }
}

/// The kit's shape for an image type.
pub(super) fn shape(image: &ImageType) -> Result<Shape, CompileError> {
    let dim = match image.dim {
        Dim::Dim1D => kit::Dim::D1,
        Dim::Dim2D => kit::Dim::D2,
        Dim::Dim3D => kit::Dim::D3,
        Dim::DimCube => kit::Dim::Cube,
        Dim::DimBuffer => kit::Dim::Buffer,
        Dim::DimSubpassData => kit::Dim::Attachment,
        dim => return Err(TypeError::Dim { dim }.into()),
    };
    let ImageType { arrayed, multisampled, storage, .. } = *image;
    Ok(Shape { dim, arrayed, multisampled, storage })
}

/// Translates a sampling instruction.
pub(super) fn sample_instruction<'a>(
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    form: Form,
) -> Result<(), CompileError> {
    let (resource, _, image) = resources::image(v, inst.word(2)?)?;
    let given = form.compares || form.gathers;
    let operands = Operands::read(inst.rest(if given { 5 } else { 4 }))?;
    let mut sample = sample_at(v, inst, &image, image.arrayed)?;
    let axes = sample.coords.len();
    if form.projects {
        for coord in &mut sample.coords {
            *coord = divide(v, inst, axes, *coord)?;
        }
    }
    if form.compares {
        let reference = v.eval().scalar(inst.word(4)?)?;
        sample.reference = Some(if form.projects { divide(v, inst, axes, reference)? } else { reference });
    }
    sample.lod = level(v, form, axes, &operands)?;
    sample.min_lod = operands.min_lod.map(|id| v.eval().scalar(id)).transpose()?;
    if form.gathers {
        sample.gather = Some(if form.compares { 0 } else { v.constant(inst.word(4)?)? });
    }
    sample.sparse = form.sparse;
    let sampled = with_offsets(v, &operands, resource, sample)?;
    define_sampled(v, inst, &sampled, form.sparse)
}

/// The sample at an instruction's coordinates, including the layer if they have one.
fn sample_at<'a>(
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    image: &ImageType,
    has_layer: bool,
) -> Result<Sample, CompileError> {
    let (ty, leaves) = v.eval().value(inst.word(3)?)?;
    v.eval().check_float(ty)?;
    if image.multisampled || matches!(image.dim, Dim::DimBuffer | Dim::DimSubpassData) {
        return Err(ImageError::NotSampled.into());
    }
    let shape = shape(image)?;
    let axes = shape.axes();
    let expected = axes.saturating_add(has_layer.into());
    if leaves.len() < expected {
        return Err(ImageError::Coordinate { expected, found: leaves.len() }.into());
    }
    let coords = leaves.iter().take(axes).map(|leaf| v.kit.b.fconv(*leaf, 32)).collect();
    let layer = leaves.get(axes).copied().filter(|_| has_layer);
    Ok(Sample { layer, bits: texel_bits(v, image)?, ..Sample::new(shape, coords, Lod::Quad) })
}

/// Width of a component of a texel.
pub(super) fn texel_bits(v: &Values<'_, '_>, image: &ImageType) -> Result<u8, CompileError> {
    match v.types.kind(image.texel) {
        Kind::Float { bits: bits @ (16 | 32) } => Ok(bits),
        Kind::Int { bits: 32 } => Ok(32),
        _ => Err(ImageError::TexelType.into()),
    }
}

/// `value` divided by the divisor of a projective coordinate: the component after the `axes` used ones.
fn divide<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>, axes: usize, value: Src) -> Result<Src, CompileError> {
    let (_, leaves) = v.eval().value(inst.word(3)?)?;
    let divisor = leaves.get(axes).copied().ok_or(ImageError::Divisor { axes })?;
    let divisor = v.kit.b.fconv(divisor, 32);
    let mods = IrOperation::Hw(Opcode::Rcp).default_mods();
    let reciprocal = v.kit.b.alu(Opcode::Rcp, 32, &[divisor], &mods);
    Ok(v.kit.b.fmul(value, reciprocal))
}

/// The source of the level of detail; a gather reads the first level.
fn level(v: &mut Values<'_, '_>, form: Form, axes: usize, operands: &Operands) -> Result<Lod, CompileError> {
    if let Some(id) = operands.lod {
        let (ty, _) = v.eval().value(id)?;
        v.eval().check_float(ty)?;
        return Ok(Lod::Explicit(v.eval().scalar(id)?));
    }
    if let Some((dx, dy)) = operands.gradients {
        return gradients(v, axes, dx, dy);
    }
    let bias = operands.bias.map(|id| v.eval().scalar(id)).transpose()?;
    Ok(match (form.implicit, bias) {
        (true, None) => Lod::Quad,
        (true, Some(bias)) => Lod::Bias(bias),
        (false, bias) => Lod::Explicit(bias.unwrap_or(Src::f32(0.0))),
    })
}

/// Gradients from the operands.
fn gradients(v: &mut Values<'_, '_>, axes: usize, dx: u32, dy: u32) -> Result<Lod, CompileError> {
    let (_, dx) = v.eval().value(dx)?;
    let (_, dy) = v.eval().value(dy)?;
    if dx.len() < axes || dy.len() < axes {
        return Err(ImageError::Gradient { expected: axes, found: dx.len().min(dy.len()) }.into());
    }
    let pairs = dx.iter().zip(dy).take(axes);
    Ok(Lod::Gradients(pairs.map(|(dx, dy)| [*dx, *dy].map(|slope| v.kit.b.fconv(slope, 32))).collect()))
}

/// Samples with the offset; a gather with four offsets samples once per texel.
fn with_offsets(
    v: &mut Values<'_, '_>,
    operands: &Operands,
    resource: Resource,
    mut sample: Sample,
) -> Result<Sampled, CompileError> {
    let Some(offsets) = operands.offsets else {
        if let Some(id) = operands.offset {
            let (_, offset) = v.eval().value(id)?;
            sample.offset = Some(kit::pack_offset(&mut v.kit, offset));
        }
        return sample_texture(v, resource, &sample);
    };
    let (_, leaves) = v.eval().value(offsets)?;
    let [x0, y0, x1, y1, x2, y2, x3, y3] = *leaves else {
        return Err(ImageError::GatherOffsets { why: "expected four offsets of two components each" }.into());
    };
    if sample.gather.is_none() {
        return Err(ImageError::GatherOffsets { why: "expected a gather from a 2D image" }.into());
    }
    // From each gather, the texel at the offset itself, which comes last.
    let mut all = Sampled::of([Src::NONE; 4]);
    for (texel, offset) in all.components.iter_mut().zip([[x0, y0], [x1, y1], [x2, y2], [x3, y3]]) {
        sample.offset = Some(kit::pack_offset(&mut v.kit, &offset));
        let gathered = sample_texture(v, resource, &sample)?;
        *texel = gathered.components[3];
        all.missing = v.kit.b.or(all.missing, gathered.missing);
    }
    Ok(all)
}

/// Samples a texture that has a sampler.
fn sample_texture(
    v: &mut Values<'_, '_>,
    resource: Resource,
    sample: &Sample,
) -> Result<Sampled, CompileError> {
    let (Some(image), Some(sampler)) = (resource.image, resource.sampler) else {
        return Err(ImageError::NoSampler.into());
    };
    kit::sample(&mut v.kit, image.at, sampler.at, sample)
}

/// The level that a sample would use, and the level before clamping. The layer does not matter and may be
/// missing.
pub(super) fn query_lod<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let (resource, _, image) = resources::image(v, inst.word(2)?)?;
    let sample = Sample { bits: 32, query: true, ..sample_at(v, inst, &image, false)? };
    let mut levels = sample_texture(v, resource, &sample)?.components;
    if let Some(image) = resource.image {
        textures::or_zeros(&mut v.kit, image.at, &mut levels[..2]);
    }
    define_texel(v, inst, &levels)
}

/// Defines the result of a sample or a load of a texel; with `sparse`, whether texels have no memory comes first.
pub(super) fn define_sampled<'a>(
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    sampled: &Sampled,
    sparse: bool,
) -> Result<(), CompileError> {
    let [red, green, blue, alpha] = sampled.components;
    let all = [sampled.missing, red, green, blue, alpha];
    define_texel(v, inst, if sparse { &all } else { &all[1..] })
}

/// Whether all texels of a sample or load have memory.
pub(super) fn texels_are_resident<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let missing = v.eval().scalar(inst.word(2)?)?;
    let resident = v.kit.b.icmp(IntCond::EQ, missing, Src::imm32(0));
    define_texel(v, inst, &[resident])
}

/// Defines the result of an image instruction with as many components as its type has.
pub(super) fn define_texel<'a>(
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    texel: &[Src],
) -> Result<(), CompileError> {
    let ty: Ty = v.eval().ty(inst.word(0)?)?;
    let count = v.types.leaf_count(ty)?;
    let leaves = texel.get(..count).ok_or_else(|| CompileError::from(ImageError::Result { count }))?;
    let leaves = v.bump.alloc_slice_copy(leaves);
    let leaves = v.eval().checked(ty, leaves)?;
    v.define(inst.word(1)?, Def::Value(ty, leaves))
}
