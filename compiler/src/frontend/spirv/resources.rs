//! Textures, images and samplers as values: which descriptors they are, where instructions find these, and what they
//! say of their texture.

use agx_abi::textures::{self, DESCRIPTOR_BYTES, DescriptorKind, Field, MAX_SAMPLERS, MAX_TEXTURES};
use agx_abi::{SamplerBinding, TextureBinding, UniformSource};
use spirv::{Decoration, Op};

use super::module::{Def, Global};
use super::pointers::{Pointer, Root};
use super::tile_image::Attachment;
use super::translate::Translator;
use super::types::{ImageType, Kind, Layout, Ty};
use super::words::Inst;
use crate::error::CompileError;
use crate::ir::function::Access;
use crate::ir::op::IrOp;
use crate::ir::src::Src;
use crate::ir::types::Type;

/// One descriptor, or one of an array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handle {
    set: u32,
    binding: u32,
    /// Known part of the element's number.
    pub fixed: u32,
    /// Computed part.
    pub index: Option<Src>,
    /// Elements of the whole array; `None` when the module does not say.
    count: Option<u32>,
    /// The shader may load what it stored.
    pub readable: bool,
    /// What it is of the pass.
    pub attachment: Option<Attachment>,
}

/// A value of type image, sampler or sampled image.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resource {
    /// Its type: an image with a sampler has the image's.
    pub ty: Ty,
    pub image: Option<Handle>,
    pub sampler: Option<Handle>,
}

/// What state registers hold, as far as it has come up.
#[derive(Default)]
pub(super) struct States {
    pub textures: Vec<TextureBinding>,
    pub samplers: Vec<SamplerBinding>,
}

/// Operands that name a descriptor: a state register's number, or an offset and the table's address.
#[derive(Clone, Copy, Debug)]
pub(super) struct DescriptorOperands {
    pub texture: Src,
    pub heap: Src,
}

impl Handle {
    /// What a pointer to a texture or sampler points to.
    pub fn of(pointer: &Pointer<'_>) -> Option<Handle> {
        let Root::Resources { set, binding, count, readable, attachment } = pointer.root else { return None };
        Some(Handle {
            set,
            binding,
            fixed: pointer.fixed,
            index: pointer.offset,
            count,
            readable,
            attachment,
        })
    }

    fn bound(&self, element: u32) -> SamplerBinding {
        SamplerBinding::Bound { set: self.set, binding: self.binding, element }
    }
}

impl<'a> Translator<'_, 'a> {
    /// The pointer to a variable that holds textures or samplers.
    pub(super) fn resource_variable(&mut self, global: &Global<'a>) -> Result<Pointer<'a>, CompileError> {
        let number = |decoration: Decoration| {
            self.module.decorations.of(global.id, decoration).ok_or_else(|| {
                CompileError::invalid(format!("variable {} has no {decoration:?} decoration", global.id))
            })
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
            match self.types.kind(ty) {
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
        let (ty, _) = self.types.element(pointer.ty, 0)?;
        let stride = self.elements(ty).ok_or_else(|| {
            CompileError::invalid("an array of descriptors has elements without a known size")
        })?;
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

    /// Translates what makes a value of type image or sampler; false for other instructions.
    pub(super) fn resource_instruction(&mut self, inst: &Inst<'a>) -> Result<bool, CompileError> {
        let resource = match inst.op {
            Op::Load => {
                let pointer = self.pointer(inst.word(2)?)?;
                return self.load_resource(inst.word(1)?, pointer);
            }
            Op::CompositeExtract => {
                let Some(Def::Pointer(array)) = self.defs.get(inst.word(2)? as usize).copied() else {
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
                return self.load_resource(inst.word(1)?, element);
            }
            Op::SampledImage => {
                let (image, sampler) = (self.resource(inst.word(2)?)?, self.resource(inst.word(3)?)?);
                Resource { sampler: sampler.sampler, ..image }
            }
            Op::Image => Resource { sampler: None, ..self.resource(inst.word(2)?)? },
            Op::CopyObject => match self.defs.get(inst.word(2)? as usize).copied() {
                Some(Def::Resource(resource)) => *resource,
                Some(Def::Pointer(pointer)) => {
                    let ty = self.eval().ty(inst.word(0)?)?;
                    return match self.types.kind(ty) {
                        Kind::Pointer { .. } => Ok(false),
                        _ => self.load_resource(inst.word(1)?, *pointer),
                    };
                }
                _ => return Ok(false),
            },
            _ => return Ok(false),
        };
        self.define(inst.word(1)?, Def::Resource(self.bump.alloc(resource)))?;
        Ok(true)
    }

    /// What is loaded of a descriptor, or of an array of them, which stays a pointer; false for pointers to other things.
    fn load_resource(&mut self, id: u32, pointer: Pointer<'a>) -> Result<bool, CompileError> {
        let Some(handle) = Handle::of(&pointer) else { return Ok(false) };
        let resource = match self.types.kind(pointer.ty) {
            Kind::Image(_) => Resource { ty: pointer.ty, image: Some(handle), sampler: None },
            Kind::Sampler => Resource { ty: pointer.ty, image: None, sampler: Some(handle) },
            Kind::SampledImage { image } => {
                Resource { ty: image, image: Some(handle), sampler: Some(handle) }
            }
            Kind::Opaque(name) => {
                return Err(CompileError::unsupported(format!("values of type {name}")));
            }
            _ => {
                self.define(id, Def::Pointer(self.bump.alloc(pointer)))?;
                return Ok(true);
            }
        };
        self.define(id, Def::Resource(self.bump.alloc(resource)))?;
        Ok(true)
    }

    /// The texture or sampler an id stands for.
    pub(super) fn resource(&mut self, id: u32) -> Result<Resource, CompileError> {
        self.eval().check_visible(id)?;
        match self.defs.get(id as usize) {
            Some(Def::Resource(resource)) => Ok(**resource),
            _ => Err(CompileError::invalid(format!("id {id} is not an image or sampler"))),
        }
    }

    /// The image that an id stands for, with its type.
    pub(super) fn image(&mut self, id: u32) -> Result<(Resource, Handle, ImageType), CompileError> {
        let resource = self.resource(id)?;
        match (resource.image, self.types.kind(resource.ty)) {
            (Some(handle), Kind::Image(ty)) => Ok((resource, handle, ty)),
            _ => Err(CompileError::invalid(format!("id {id} is not an image"))),
        }
    }

    /// The operands with which instructions name a texture or image.
    pub(super) fn descriptor(&mut self, handle: Handle, kind: DescriptorKind) -> DescriptorOperands {
        let Handle { set, binding, fixed, index, .. } = handle;
        if index.is_none() {
            let wanted = TextureBinding { set, binding, element: fixed, kind };
            let textures = &mut self.states.textures;
            let known = textures.iter().position(|known| *known == wanted);
            let register = known.or_else(|| {
                (textures.len() < MAX_TEXTURES).then(|| {
                    textures.push(wanted);
                    textures.len() - 1
                })
            });
            if let Some(register) = register {
                return DescriptorOperands { texture: Src::imm(register as u64, 16), heap: Src::NONE };
            }
        }
        let heap = self.uniforms.get(UniformSource::TextureTable { set, binding, kind }, 0, 64);
        DescriptorOperands { texture: self.table_offset(handle), heap }
    }

    /// Byte offset of a descriptor in its table.
    fn table_offset(&mut self, handle: Handle) -> Src {
        let fixed = Src::imm32(handle.fixed.wrapping_mul(DESCRIPTOR_BYTES));
        match handle.index {
            None => fixed,
            Some(index) => {
                let scaled = self.b.imul(index, Src::imm32(DESCRIPTOR_BYTES));
                self.b.iadd(scaled, fixed)
            }
        }
    }

    /// The operand with which instructions name a sampler.
    pub(super) fn sampler(&mut self, handle: Handle) -> Result<Src, CompileError> {
        let Some(index) = handle.index else {
            return self.sampler_register(&[handle.bound(handle.fixed)]);
        };
        let room = MAX_SAMPLERS - self.states.samplers.len();
        if handle.count.is_none_or(|count| count as usize > room) {
            return Ok(self.sampler_from_table(handle, index));
        }
        let all: Vec<SamplerBinding> =
            (0..handle.count.unwrap_or(0)).map(|element| handle.bound(element)).collect();
        let first = self.sampler_register(&all)?;
        let number = self.b.iadd(index, Src::imm32(handle.fixed.wrapping_add(first.payload as u32)));
        Ok(self.b.uconv(number, 16))
    }

    /// The number of a sampler of a long array, from memory.
    fn sampler_from_table(&mut self, handle: Handle, index: Src) -> Src {
        let Handle { set, binding, fixed, .. } = handle;
        let table = self.uniforms.get(UniformSource::SamplerTable { set, binding }, 0, 64);
        let number = self.b.iadd(index, Src::imm32(fixed));
        let offset = self.b.shl(number, Src::imm32(1));
        let mods = [Access::READONLY.bits(), 2];
        Src::value(self.b.value(IrOp::LoadGlobal, Type::B16, &[table, offset], &mods))
    }

    /// The sampler for loads by integer coordinates.
    pub(super) fn sampler_of_loads(&mut self) -> Result<Src, CompileError> {
        self.sampler_register(&[SamplerBinding::Loads])
    }

    /// The first of the state registers that hold these samplers side by side.
    fn sampler_register(&mut self, wanted: &[SamplerBinding]) -> Result<Src, CompileError> {
        let samplers = &mut self.states.samplers;
        let known = samplers.windows(wanted.len()).position(|window| window == wanted);
        let first = known.unwrap_or(samplers.len());
        if known.is_none() {
            samplers.extend_from_slice(wanted);
        }
        if samplers.len() > MAX_SAMPLERS {
            return Err(CompileError::limit(format!("the shader uses more than {MAX_SAMPLERS} samplers")));
        }
        Ok(Src::imm(first as u64, 16))
    }

    /// A 32-bit word of a texture's descriptor.
    fn descriptor_word(&mut self, handle: Handle, word: u32) -> Src {
        let Handle { set, binding, fixed, index, .. } = handle;
        if index.is_none() {
            let source = UniformSource::TextureWords { set, binding, element: fixed };
            return self.uniforms.get(source, 2 * word as u16, 32);
        }
        let kind = DescriptorKind::Texture;
        let table = self.uniforms.get(UniformSource::TextureTable { set, binding, kind }, 0, 64);
        let start = self.table_offset(handle);
        let offset = self.b.iadd(start, Src::imm32(4 * word));
        let mods = [Access::READONLY.bits(), 4];
        Src::value(self.b.value(IrOp::LoadGlobal, Type::B32, &[table, offset], &mods))
    }

    /// A field of at most 32 bits of a texture's descriptor.
    pub(super) fn descriptor_field(&mut self, handle: Handle, field: Field) -> Src {
        let (word, shift) = (field.start / 32, field.start % 32);
        let first = self.descriptor_word(handle, word);
        let mut value = if shift == 0 { first } else { self.b.ushr(first, Src::imm32(shift)) };
        if shift + field.width > 32 {
            let second = self.descriptor_word(handle, word + 1);
            let high = self.b.shl(second, Src::imm32(32 - shift));
            value = self.b.or(value, high);
        }
        if shift + field.width == 32 || field.width == 32 {
            return value;
        }
        self.b.and(value, Src::imm32((1 << field.width) - 1))
    }

    /// Number of the last layer, or the last cube, of an array.
    pub(super) fn last_layer(&mut self, handle: Handle) -> Src {
        let is_linear = self.descriptor_field(handle, textures::HAS_LINEAR_LAYERS);
        let linear = self.descriptor_field(handle, textures::LINEAR_LAYERS);
        let depth = self.descriptor_field(handle, textures::DEPTH);
        let is_linear = self.b.icmp(crate::ir::build::alu::IntCond::NE, is_linear, Src::imm32(0));
        self.b.select(is_linear, linear, depth)
    }

    /// Number of the last level, counted from the first of the view.
    pub(super) fn last_level(&mut self, handle: Handle) -> Src {
        let first = self.descriptor_field(handle, textures::FIRST_LEVEL);
        let last = self.descriptor_field(handle, textures::LAST_LEVEL);
        self.b.isub(last, first)
    }

    /// Where the texels of a linear texture begin: units of 16 bytes, which the descriptor has from bit 66 on, 36 bits.
    pub(super) fn texel_base(&mut self, handle: Handle) -> Src {
        let [low, high] = [2, 3].map(|word| self.descriptor_word(handle, word));
        let shifted = self.b.shl(low, Src::imm32(2));
        let first = self.b.and(shifted, Src::imm32(!0xf));
        let upper = self.b.shl(high, Src::imm32(2));
        let carried = self.b.ushr(low, Src::imm32(30));
        let joined = self.b.or(upper, carried);
        let second = self.b.and(joined, Src::imm32(0xff));
        self.b.collect(Type::B64, &[first, second])
    }

    /// Number of texels of a texel buffer.
    pub(super) fn buffer_texels(&mut self, handle: Handle) -> Src {
        self.descriptor_word(handle, textures::BUFFER_SIZE_WORD)
    }
}
