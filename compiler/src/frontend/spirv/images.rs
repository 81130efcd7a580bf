//! Texel loads by integer coordinates, image stores, and image queries.

use super::owners::Memory;
use super::pointer::{Pointer, Root, Texel};
use super::resource::Bound;
use super::sampling::{Operands, shape};
use super::types::{ImageType, Kind, Layout};
use super::values::Values;
use super::words::Inst;
use super::{pointers, resources, sampling, tile_image};
use crate::error::{CompileError, ImageError};
use crate::frontend::kit::images::{self, Load};
use crate::frontend::kit::textures::{self, TEXEL_SHIFT};
use crate::ir::Arithmetic;
use crate::ir::build::alu::float;
use crate::ir::function::Access;
use crate::ir::src::Src;

/// Number of levels.
pub(super) fn query_levels<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let (_, bound, _) = resources::image(v, inst.word(2)?)?;
    let count = textures::levels(&mut v.kit, bound.at);
    sampling::define_texel(v, inst, &[count])
}

/// Number of samples.
pub(super) fn query_samples<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let (_, bound, _) = resources::image(v, inst.word(2)?)?;
    let count = textures::samples(&mut v.kit, bound.at);
    sampling::define_texel(v, inst, &[count])
}

/// The scalars of an integer coordinate.
fn integers(v: &mut Values<'_, '_>, id: u32, image: &ImageType) -> Result<Vec<Src>, CompileError> {
    let (_, leaves) = v.eval().value(id)?;
    let count = shape(image)?.texel_coords();
    if leaves.len() < count || leaves.iter().any(|leaf| v.kit.b.f.width(*leaf) == 1) {
        return Err(ImageError::Coordinate { expected: count, found: leaves.len() }.into());
    }
    Ok(leaves.iter().take(count).map(|leaf| v.kit.b.sconv(*leaf, 32)).collect())
}

/// Loads a texel, with `sparse` also whether it has memory, or reads a render target.
pub(super) fn load_texel<'a>(
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    sparse: bool,
) -> Result<(), CompileError> {
    let (_, bound, image) = resources::image(v, inst.word(2)?)?;
    let operands = Operands::read(inst.rest(4))?;
    if let Some(target) = tile_image::target_in_tile(v, bound)? {
        return tile_image::read_target(v, inst, target, &image, operands.sample);
    }
    let load = Load {
        shape: shape(&image)?,
        bits: sampling::texel_bits(v, &image)?,
        coords: integers(v, inst.word(3)?, &image)?,
        offset: match operands.offset {
            Some(id) => v.eval().value(id)?.1.to_vec(),
            None => Vec::new(),
        },
        lod: operands.lod.map(|id| v.eval().scalar(id)).transpose()?,
        sample: match operands.sample {
            Some(id) if image.multisampled => Some(v.eval().scalar(id)?),
            _ => None,
        },
        alpha: Some(one(v, &image, 32)),
        sparse,
    };
    let mut loaded = images::load(&mut v.kit, bound.at, &load)?;
    if image.storage {
        add_absent(v, &image, &mut loaded.components);
    }
    sampling::define_sampled(v, inst, &loaded, sparse)
}

/// One in the type of an image's texels.
fn one(v: &Values<'_, '_>, image: &ImageType, bits: u8) -> Src {
    match v.types.kind(image.texel) {
        Kind::Float { .. } => float(1.0, bits),
        _ => Src::imm(1, bits),
    }
}

/// Replaces the components that the format of a storage image lacks by what a load of them gives: zero, and one for alpha.
fn add_absent(v: &Values<'_, '_>, image: &ImageType, texel: &mut [Src; 4]) {
    let bits = v.kit.b.f.width(texel[0]);
    let absent = [Src::imm(0, bits), Src::imm(0, bits), Src::imm(0, bits), one(v, image, bits)];
    for (component, absent) in texel.iter_mut().zip(absent).skip(image.components) {
        *component = absent;
    }
}

/// Stores a texel.
pub(super) fn store_texel<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let (_, bound, image) = resources::image(v, inst.word(0)?)?;
    let coords = integers(v, inst.word(1)?, &image)?;
    let (_, leaves) = v.eval().value(inst.word(2)?)?;
    let bits = sampling::texel_bits(v, &image)?;
    if leaves.is_empty() || leaves.len() > 4 || leaves.iter().any(|leaf| v.kit.b.f.width(*leaf) != bits) {
        return Err(ImageError::Texel { count: leaves.len(), bits }.into());
    }
    let mut data = [leaves.first().copied().unwrap_or(Src::NONE); 4];
    data.iter_mut().zip(leaves).for_each(|(component, leaf)| *component = *leaf);
    // Components that the format lacks are not stored, whatever they are.
    let data = data.get(..image.components).unwrap_or(&data);
    let sample = match Operands::read(inst.rest(3))?.sample {
        Some(id) if image.multisampled => {
            let sample = v.eval().scalar(id)?;
            v.kit.b.uconv(sample, 32)
        }
        _ => Src::imm32(0),
    };
    images::store(&mut v.kit, bound.at, shape(&image)?, (coords, sample), data, bound.readable)
}

/// A pointer to a texel or to a sample of it, for atomics.
pub(super) fn texel_pointer<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let pointer = pointers::pointer(m, v, inst.word(2)?)?;
    let (Some(bound), Kind::Image(image)) = (Bound::of(pointer), v.types.kind(pointer.ty)) else {
        return Err(ImageError::TexelPointer { id: inst.word(2)? }.into());
    };
    if sampling::texel_bits(v, &image)? != 32 {
        return Err(ImageError::TexelAtomic.into());
    }
    let coords = integers(v, inst.word(3)?, &image)?;
    let sample = v.eval().scalar(inst.word(4)?)?;
    let place = (coords.as_slice(), v.kit.b.uconv(sample, 32));
    let shape = shape(&image)?;
    let is_inside = images::is_inside(&mut v.kit, bound.at, shape, place);
    let (base, offset) = images::texel_address(&mut v.kit, bound.at, shape, place);
    let root = Root::Buffer { base, limit: None };
    let pointer = Pointer::new(root, image.texel, Layout::Explicit, Access::VOLATILE);
    let (align, texel) = (1 << TEXEL_SHIFT, Some(Texel { is_inside }));
    pointers::define_pointer(v, inst, Pointer { offset: Some(offset), align, texel, ..pointer })
}

/// Texels along each axis at a level, then layers.
pub(super) fn query_size<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let (_, bound, image) = resources::image(v, inst.word(2)?)?;
    let level = match inst.rest(3) {
        [id, ..] => v.eval().scalar(*id)?,
        [] => Src::imm32(0),
    };
    let size = images::size(&mut v.kit, bound.at, shape(&image)?, level);
    sampling::define_texel(v, inst, &size)
}
