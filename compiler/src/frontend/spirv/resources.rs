//! Instructions whose results are images or samplers.

use spirv::Decoration;

use super::index;
use super::module::{Def, Global};
use super::pointer::{Attachment, Pointer, Root};
use super::resource::{Bound, Resource};
use super::types::{ImageType, Kind, Layout, Ty};
use super::values::Values;
use super::words::Inst;
use crate::error::{CompileError, ImageError, MemoryError, TypeError};
use crate::frontend::kit::textures;
use crate::ir::function::Access;
use crate::ir::src::Src;

/// The pointer to a variable that holds textures or samplers.
pub(super) fn resource_variable<'a>(
    v: &mut Values<'_, 'a>,
    global: &Global<'a>,
) -> Result<Pointer<'a>, CompileError> {
    let number = |decoration: Decoration| {
        v.module
            .decorations
            .of(global.id, decoration)
            .ok_or_else(|| CompileError::from(MemoryError::NoDecoration { id: global.id, decoration }))
    };
    if !is_descriptor(v, global.ty) {
        return Err(MemoryError::PlainUniform { id: global.id }.into());
    }
    let (set, binding) = (number(Decoration::DescriptorSet)?, number(Decoration::Binding)?);
    let readable = !v.module.decorations.has(global.id, Decoration::NonReadable);
    let attachment =
        v.module.decorations.of(global.id, Decoration::InputAttachmentIndex).map(Attachment::Input);
    let root = Root::Resources { set, binding, count: elements(v, global.ty), readable, attachment };
    Ok(Pointer::new(root, global.ty, Layout::Natural, Access::READONLY))
}

/// Whether a type is that of textures, samplers and other descriptors, or nested arrays of them. The nesting depth of
/// types is limited.
fn is_descriptor(v: &Values<'_, '_>, mut ty: Ty) -> bool {
    loop {
        match v.types.kind(ty) {
            Kind::Array { elem, .. } | Kind::RuntimeArray { elem, .. } => ty = elem,
            kind => {
                return matches!(
                    kind,
                    Kind::Image(_) | Kind::Sampler | Kind::SampledImage { .. } | Kind::Opaque(_)
                );
            }
        }
    }
}

/// Number of elements of nested arrays; `None` if one of them has no known length. The nesting depth of types
/// is limited.
fn elements(v: &Values<'_, '_>, mut ty: Ty) -> Option<u32> {
    let mut all = 1u32;
    loop {
        match v.types.kind(ty) {
            Kind::Array { elem, count, .. } => (ty, all) = (elem, all.checked_mul(count)?),
            Kind::RuntimeArray { .. } => return None,
            _ => return Some(all),
        }
    }
}

/// One step into an array of textures or samplers.
pub(super) fn step_resources<'a>(
    v: &mut Values<'_, 'a>,
    pointer: Pointer<'a>,
    index: Src,
) -> Result<Pointer<'a>, CompileError> {
    let (ty, _) = v.types.element(pointer.ty, 0)?;
    let stride = elements(v, ty).ok_or_else(|| CompileError::from(MemoryError::DescriptorArray))?;
    Ok(match index.as_imm() {
        Some(constant) => {
            Pointer { ty, fixed: pointer.fixed.wrapping_add(stride.wrapping_mul(constant as u32)), ..pointer }
        }
        None => {
            let index = index::index_word(&mut v.kit.b, index);
            Pointer {
                ty,
                offset: Some(index::add_scaled(&mut v.kit.b, pointer.offset, index, stride)),
                ..pointer
            }
        }
    })
}

/// Extracts an element of an array of descriptors that was loaded as a whole; returns false for other
/// composites.
pub(super) fn extract_resource<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<bool, CompileError> {
    let Some(Def::Pointer(array)) = v.defs.get(inst.word(2)? as usize).copied() else {
        return Ok(false);
    };
    v.eval().check_visible(inst.word(2)?)?;
    let mut element = *array;
    for number in inst.rest(3) {
        element = match element.root {
            Root::Resources { .. } => step_resources(v, element, Src::imm32(*number))?,
            _ => return Ok(false),
        };
    }
    let element = v.bump.alloc(element);
    load_resource(v, inst.word(1)?, element)
}

/// An image with a sampler.
pub(super) fn sampled_image<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let (image, sampler) = (resource(v, inst.word(2)?)?, resource(v, inst.word(3)?)?);
    let resource = Resource { sampler: sampler.sampler, ..image };
    v.define(inst.word(1)?, Def::Resource(v.bump.alloc(resource)))
}

/// The image of a sampled image.
pub(super) fn image_alone<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let resource = Resource { sampler: None, ..resource(v, inst.word(2)?)? };
    v.define(inst.word(1)?, Def::Resource(v.bump.alloc(resource)))
}

/// Loads a descriptor, or an array of them, which stays a pointer; returns false for pointers to other
/// things.
pub(super) fn load_resource<'a>(
    v: &mut Values<'_, 'a>,
    id: u32,
    pointer: &'a Pointer<'a>,
) -> Result<bool, CompileError> {
    let Some(handle) = Bound::of(pointer) else { return Ok(false) };
    let resource = match v.types.kind(pointer.ty) {
        Kind::Image(_) => Resource { ty: pointer.ty, image: Some(handle), sampler: None },
        Kind::Sampler => Resource { ty: pointer.ty, image: None, sampler: Some(handle) },
        Kind::SampledImage { image } => {
            let at = textures::first_plane(&mut v.kit, handle.at);
            Resource { ty: image, image: Some(Bound { at, ..handle }), sampler: Some(handle) }
        }
        Kind::Opaque(op) => {
            return Err(TypeError::Opaque { op }.into());
        }
        _ => {
            v.define(id, Def::Pointer(pointer))?;
            return Ok(true);
        }
    };
    v.define(id, Def::Resource(v.bump.alloc(resource)))?;
    Ok(true)
}

/// Stores a texture or sampler in a function's variable, which becomes a pointer to its descriptor; returns false for
/// other variables. Dominance decides which uses see the descriptor, because a variable that is stored to once has it
/// wherever it has any; a second store is an error.
pub(super) fn store_resource<'a>(
    v: &mut Values<'_, 'a>,
    id: u32,
    pointer: &Pointer<'a>,
    data: u32,
) -> Result<bool, CompileError> {
    match pointer.root {
        Root::Handle => {}
        Root::Resources { .. } => return Err(TypeError::ChosenResource.into()),
        _ => return Ok(false),
    }
    let stored = resource(v, data)?;
    let bound = match v.types.kind(pointer.ty) {
        Kind::Image(_) if stored.ty == pointer.ty => stored.image,
        Kind::Sampler if stored.image.is_none() => stored.sampler,
        Kind::SampledImage { image } if stored.ty == image => stored.sampler,
        _ => None,
    };
    let bound = bound.ok_or_else(|| CompileError::from(ImageError::StoredResource { id: data }))?;
    v.define(id, Def::Pointer(v.bump.alloc(bound.pointer(pointer.ty))))?;
    Ok(true)
}

/// The texture or sampler with an id.
fn resource(v: &mut Values<'_, '_>, id: u32) -> Result<Resource, CompileError> {
    v.eval().check_visible(id)?;
    match v.defs.get(id as usize) {
        Some(Def::Resource(resource)) => Ok(**resource),
        _ => Err(ImageError::NotAResource { id }.into()),
    }
}

/// The image with an id, and its type.
pub(super) fn image(v: &mut Values<'_, '_>, id: u32) -> Result<(Resource, Bound, ImageType), CompileError> {
    let resource = resource(v, id)?;
    match (resource.image, v.types.kind(resource.ty)) {
        (Some(handle), Kind::Image(ty)) => Ok((resource, handle, ty)),
        _ => Err(ImageError::NotAnImage { id }.into()),
    }
}
