//! Images of kernels, whose types do not name that of their texels: the instruction that reads or writes one does.

use agx_abi::kernel::{Addressing, LITERAL_SAMPLER_SET, LiteralSampler};
use spirv::Op;

use super::super::kernel::block::state;
use super::super::kernel::{has_floats, wrong};
use super::super::module::Def;
use super::super::owners::Memory;
use super::super::resource::{Bound, Resource};
use super::super::resources;
use super::super::sampling::{Operands, define_sampled, define_texel, shape};
use super::super::types::{ImageType, Kind, Ty};
use super::super::values::Values;
use super::super::words::Inst;
use crate::error::{CompileError, ImageError, KernelError};
use crate::frontend::kit::images::{self, Load};
use crate::frontend::kit::sampling::{self as kit, Lod, Sample};
use crate::frontend::kit::textures::Handle;
use crate::ir::Arithmetic;
use crate::ir::build::alu::float;
use crate::ir::src::Src;

/// The resource of set `set` with a binding.
fn bound(set: u32, binding: u32) -> Bound {
    let at = Handle { set, binding, fixed: 0, index: None, count: Some(1) };
    Bound { at, readable: true, attachment: None }
}

/// The parameter with a number, if it is an image or a sampler.
pub(super) fn parameter(v: &Values<'_, '_>, ty: Ty, index: u32) -> Option<Resource> {
    let bound = Some(bound(0, index));
    match v.types.kind(ty) {
        Kind::Image(_) => Some(Resource { ty, image: bound, sampler: None }),
        Kind::Sampler => Some(Resource { ty, image: None, sampler: bound }),
        _ => None,
    }
}

/// Defines a sampler that the module states: the next binding of the set of such samplers.
pub(super) fn literal_sampler<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let ty = v.eval().ty(inst.word(0)?)?;
    let [addressing, normalized, filter] = [inst.word(2)?, inst.word(3)?, inst.word(4)?];
    let addressing = match addressing {
        0 => Addressing::None,
        1 => Addressing::ClampToEdge,
        2 => Addressing::Clamp,
        3 => Addressing::Repeat,
        4 => Addressing::RepeatMirrored,
        _ => return Err(wrong("an addressing mode from 0 to 4")),
    };
    let samplers = &mut state(m)?.samplers;
    let binding = samplers.len() as u32;
    samplers.push(LiteralSampler { addressing, normalized: normalized != 0, linear: filter != 0 });
    let resource = Resource { ty, image: None, sampler: Some(bound(LITERAL_SAMPLER_SET, binding)) };
    v.define(inst.word(1)?, Def::Resource(v.bump.alloc(resource)))
}

/// Builds an instruction on images; returns false for those that are the same in shaders.
pub(super) fn instruction<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<bool, CompileError> {
    match inst.op {
        Op::ImageSampleExplicitLod => sample(v, inst)?,
        Op::ImageRead | Op::ImageFetch => read(v, inst)?,
        Op::ImageWrite => write(v, inst)?,
        Op::ImageQuerySizeLod | Op::ImageQuerySize => size(v, inst)?,
        Op::ImageQueryFormat | Op::ImageQueryOrder => return Err(KernelError::ImageFormat.into()),
        _ => return Ok(false),
    }
    Ok(true)
}

/// Width of a component of an instruction's texel, and whether it is a float.
fn texel(v: &Values<'_, '_>, ty: Ty) -> Result<(u8, bool), CompileError> {
    let is_float = has_floats(v, ty)?;
    match v.types.leaves(ty)? {
        [bits @ (16 | 32), ..] if is_float || *bits == 32 => Ok((*bits, is_float)),
        _ => Err(ImageError::TexelType.into()),
    }
}

/// A sample with a level, at coordinates that may be integers: those of texels.
fn sample<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let (resource, _, image) = resources::image(v, inst.word(2)?)?;
    let ty = v.eval().ty(inst.word(0)?)?;
    let (bits, _) = texel(v, ty)?;
    let (place, leaves) = v.eval().value(inst.word(3)?)?;
    let is_float = has_floats(v, place)?;
    let shape = shape(&image)?;
    let axes = shape.axes();
    let expected = axes.saturating_add(image.arrayed.into());
    if leaves.len() < expected || image.multisampled {
        return Err(ImageError::Coordinate { expected, found: leaves.len() }.into());
    }
    let mut coords = Vec::with_capacity(axes);
    for leaf in leaves.iter().take(expected) {
        coords.push(match is_float {
            true => v.kit.b.fconv(*leaf, 32),
            false => v.kit.b.int_to_float(*leaf, true, 32),
        });
    }
    let layer = if image.arrayed { coords.pop() } else { None };
    if !is_float {
        coords.iter_mut().for_each(|coord| *coord = v.kit.b.fadd(*coord, float(0.5, 32)));
    }
    let lod = match Operands::read(inst.rest(4))?.lod {
        Some(id) => v.eval().scalar(id)?,
        None => float(0.0, 32),
    };
    let (Some(texture), Some(sampler)) = (resource.image, resource.sampler) else {
        return Err(ImageError::NoSampler.into());
    };
    let sample = Sample { layer, bits, ..Sample::new(shape, coords, Lod::Explicit(lod)) };
    let sampled = kit::sample(&mut v.kit, texture.at, sampler.at, &sample)?;
    define_sampled(v, inst, &sampled, false)
}

/// The scalars of an integer coordinate.
fn integers(v: &mut Values<'_, '_>, id: u32, image: &ImageType) -> Result<Vec<Src>, CompileError> {
    let (ty, leaves) = v.eval().value(id)?;
    let count = shape(image)?.texel_coords();
    if leaves.len() < count || has_floats(v, ty)? {
        return Err(ImageError::Coordinate { expected: count, found: leaves.len() }.into());
    }
    Ok(leaves.iter().take(count).map(|leaf| v.kit.b.sconv(*leaf, 32)).collect())
}

/// A texel at integer coordinates.
fn read<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let (_, bound, image) = resources::image(v, inst.word(2)?)?;
    let ty = v.eval().ty(inst.word(0)?)?;
    let (bits, is_float) = texel(v, ty)?;
    let operands = Operands::read(inst.rest(4))?;
    let load = Load {
        shape: shape(&image)?,
        bits,
        coords: integers(v, inst.word(3)?, &image)?,
        offset: Vec::new(),
        lod: operands.lod.map(|id| v.eval().scalar(id)).transpose()?,
        sample: match operands.sample {
            Some(id) if image.multisampled => Some(v.eval().scalar(id)?),
            _ => None,
        },
        alpha: Some(if is_float { float(1.0, 32) } else { Src::imm32(1) }),
        sparse: false,
    };
    let loaded = images::load(&mut v.kit, bound.at, &load)?;
    define_sampled(v, inst, &loaded, false)
}

/// Stores a texel.
fn write<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let (_, bound, image) = resources::image(v, inst.word(0)?)?;
    let coords = integers(v, inst.word(1)?, &image)?;
    let (ty, leaves) = v.eval().value(inst.word(2)?)?;
    texel(v, ty)?;
    let [first, ..] = leaves else { return Err(wrong("a texel")) };
    let mut data = [*first; 4];
    data.iter_mut().zip(leaves).for_each(|(component, leaf)| *component = *leaf);
    let shape = shape(&image)?;
    images::store(&mut v.kit, bound.at, shape, (coords, Src::imm32(0)), &data, bound.readable)
}

/// Texels along each axis, then layers.
fn size<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let (_, bound, image) = resources::image(v, inst.word(2)?)?;
    let level = match inst.rest(3) {
        [id, ..] => v.eval().scalar(*id)?,
        [] => Src::imm32(0),
    };
    let level = v.kit.b.uconv(level, 32);
    let ty = v.eval().ty(inst.word(0)?)?;
    let bits = v.types.leaves(ty)?.first().copied().unwrap_or(32);
    let size = images::size(&mut v.kit, bound.at, shape(&image)?, level);
    let mut size: Vec<Src> = size.iter().map(|size| v.kit.b.uconv(*size, bits)).collect();
    // OpenCL C asks for vectors of four components, of which the last one is zero.
    size.resize(size.len().max(4), Src::imm(0, bits));
    define_texel(v, inst, &size)
}
