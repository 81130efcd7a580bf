//! Instructions that make values of type image or sampler.

use spirv::Decoration;

use super::module::{Def, Global};
use super::pointer::{Attachment, Pointer, Root};
use super::resource::{Bound, Resource};
use super::translate::Translator;
use super::types::{ImageType, Kind, Layout, Ty};
use super::words::Inst;
use crate::error::{CompileError, ImageError, MemoryError, TypeError};
use crate::ir::function::Access;
use crate::ir::src::Src;

impl<'a> Translator<'_, 'a> {
    /// The pointer to a variable that holds textures or samplers.
    pub(super) fn resource_variable(&mut self, global: &Global<'a>) -> Result<Pointer<'a>, CompileError> {
        let number = |decoration: Decoration| {
            self.module
                .decorations
                .of(global.id, decoration)
                .ok_or_else(|| CompileError::from(MemoryError::NoDecoration { id: global.id, decoration }))
        };
        let (set, binding) = (number(Decoration::DescriptorSet)?, number(Decoration::Binding)?);
        let readable = !self.module.decorations.has(global.id, Decoration::NonReadable);
        let attachment =
            self.module.decorations.of(global.id, Decoration::InputAttachmentIndex).map(Attachment::Input);
        let root = Root::Resources { set, binding, count: self.elements(global.ty), readable, attachment };
        Ok(Pointer::new(root, global.ty, Layout::Natural, Access::READONLY))
    }

    /// Elements of nested arrays; `None` when one of them has no known length. Types nest no deeper than is allowed.
    fn elements(&self, mut ty: Ty) -> Option<u32> {
        let mut all = 1u32;
        loop {
            match self.values.types.kind(ty) {
                Kind::Array { elem, count, .. } => (ty, all) = (elem, all.checked_mul(count)?),
                Kind::RuntimeArray { .. } => return None,
                _ => return Some(all),
            }
        }
    }

    /// One step into an array of textures or samplers.
    pub(super) fn step_resources(
        &mut self,
        pointer: Pointer<'a>,
        index: Src,
    ) -> Result<Pointer<'a>, CompileError> {
        let (ty, _) = self.values.types.element(pointer.ty, 0)?;
        let stride = self.elements(ty).ok_or_else(|| CompileError::from(MemoryError::DescriptorArray))?;
        Ok(match index.as_imm() {
            Some(constant) => Pointer {
                ty,
                fixed: pointer.fixed.wrapping_add(stride.wrapping_mul(constant as u32)),
                ..pointer
            },
            None => {
                let index = self.index_word(index);
                Pointer { ty, offset: Some(self.add_scaled(pointer.offset, index, stride)), ..pointer }
            }
        })
    }

    /// An element of an array of descriptors that was loaded as a whole; false for other composites.
    pub(super) fn extract_resource(&mut self, inst: &Inst<'a>) -> Result<bool, CompileError> {
        let Some(Def::Pointer(array)) = self.values.defs.get(inst.word(2)? as usize).copied() else {
            return Ok(false);
        };
        self.eval().check_visible(inst.word(2)?)?;
        let mut element = *array;
        for number in inst.rest(3) {
            element = match element.root {
                Root::Resources { .. } => self.step_resources(element, Src::imm32(*number))?,
                _ => return Ok(false),
            };
        }
        self.load_resource(inst.word(1)?, element)
    }

    /// An image with a sampler.
    pub(super) fn sampled_image(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let (image, sampler) = (self.resource(inst.word(2)?)?, self.resource(inst.word(3)?)?);
        let resource = Resource { sampler: sampler.sampler, ..image };
        self.define(inst.word(1)?, Def::Resource(self.values.bump.alloc(resource)))
    }

    /// The image of an image with a sampler.
    pub(super) fn image_alone(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let resource = Resource { sampler: None, ..self.resource(inst.word(2)?)? };
        self.define(inst.word(1)?, Def::Resource(self.values.bump.alloc(resource)))
    }

    /// What is loaded of a descriptor, or of an array of them, which stays a pointer; false for pointers to other things.
    pub(super) fn load_resource(&mut self, id: u32, pointer: Pointer<'a>) -> Result<bool, CompileError> {
        let Some(handle) = Bound::of(&pointer) else { return Ok(false) };
        let resource = match self.values.types.kind(pointer.ty) {
            Kind::Image(_) => Resource { ty: pointer.ty, image: Some(handle), sampler: None },
            Kind::Sampler => Resource { ty: pointer.ty, image: None, sampler: Some(handle) },
            Kind::SampledImage { image } => {
                Resource { ty: image, image: Some(handle), sampler: Some(handle) }
            }
            Kind::Opaque(op) => {
                return Err(TypeError::Opaque { op }.into());
            }
            _ => {
                self.define(id, Def::Pointer(self.values.bump.alloc(pointer)))?;
                return Ok(true);
            }
        };
        self.define(id, Def::Resource(self.values.bump.alloc(resource)))?;
        Ok(true)
    }

    /// The texture or sampler an id denotes.
    pub(super) fn resource(&mut self, id: u32) -> Result<Resource, CompileError> {
        self.eval().check_visible(id)?;
        match self.values.defs.get(id as usize) {
            Some(Def::Resource(resource)) => Ok(**resource),
            _ => Err(ImageError::NotAResource { id }.into()),
        }
    }

    /// The image that an id denotes, with its type.
    pub(super) fn image(&mut self, id: u32) -> Result<(Resource, Bound, ImageType), CompileError> {
        let resource = self.resource(id)?;
        match (resource.image, self.values.types.kind(resource.ty)) {
            (Some(handle), Kind::Image(ty)) => Ok((resource, handle, ty)),
            _ => Err(ImageError::NotAnImage { id }.into()),
        }
    }
}
