//! Variables of module scope: resources, workgroup memory, private variables, and the values the machine provides.

use agx_abi::Stage;
use spirv::{BuiltIn, Decoration, StorageClass};

use super::module::Global;
use super::pointer::{Pointer, Root};
use super::translate::Translator;
use super::types::{Kind, Layout, MatrixLayout, Ty};
use super::words::Inst;
use crate::error::{CompileError, MemoryError, TypeError};
use crate::frontend::kit::buffers::{self, BufferElement};
use crate::frontend::kit::compute::{self, ComputeInput, LaneInput};
use crate::frontend::kit::limits::MAX_LOCAL_BYTES;
use crate::ir::Arithmetic;
use crate::ir::function::Access;
use crate::ir::src::Src;

/// Alignment of variables in workgroup memory.
const LOCAL_ALIGN: u32 = 16;

/// The kit's name of a component of a built-in input.
type Component = fn(u32) -> ComputeInput;

/// Built-in inputs of compute shaders.
const INPUTS: &[(BuiltIn, Component)] = &[
    (BuiltIn::WorkgroupId, ComputeInput::WorkgroupId),
    (BuiltIn::NumWorkgroups, ComputeInput::WorkgroupCount),
    (BuiltIn::WorkgroupSize, ComputeInput::WorkgroupSize),
    (BuiltIn::LocalInvocationId, ComputeInput::LocalInvocationId),
    (BuiltIn::LocalInvocationIndex, |_| ComputeInput::LocalInvocationIndex),
    (BuiltIn::GlobalInvocationId, ComputeInput::GlobalInvocationId),
    (BuiltIn::SubgroupId, |_| ComputeInput::SubgroupId),
    (BuiltIn::NumSubgroups, |_| ComputeInput::SubgroupCount),
];

/// Built-in inputs about lanes, which all stages have.
const LANE_INPUTS: &[(BuiltIn, LaneInput)] = &[
    (BuiltIn::SubgroupLocalInvocationId, LaneInput::Index),
    (BuiltIn::SubgroupSize, LaneInput::Count),
    (BuiltIn::SubgroupEqMask, LaneInput::EqMask),
    (BuiltIn::SubgroupGeMask, LaneInput::GeMask),
    (BuiltIn::SubgroupGtMask, LaneInput::GtMask),
    (BuiltIn::SubgroupLeMask, LaneInput::LeMask),
    (BuiltIn::SubgroupLtMask, LaneInput::LtMask),
];

impl<'a> Translator<'_, 'a> {
    /// Builds what must stand at the start of the program: initial values of private variables, built-in inputs.
    pub(super) fn prologue(&mut self) -> Result<(), CompileError> {
        for (index, global) in self.module.globals.iter().enumerate() {
            if self.memory.globals[index].is_some() {
                continue;
            }
            let pointer = match global.class {
                StorageClass::Private => {
                    let pointer = self.allocate(global.id, global.ty)?;
                    if let Some(init) = global.init {
                        self.store(pointer, init, Access::empty())?;
                    }
                    Some(pointer)
                }
                StorageClass::Input if self.kit.stage == Stage::Compute => self.input(global)?,
                _ => None,
            };
            self.memory.globals[index] = pointer;
        }
        self.zero_workgroup_memory()
    }

    /// The variable that holds a built-in input; `None` for inputs that are not supported, which is an error only where
    /// they are used.
    fn input(&mut self, global: &Global<'a>) -> Result<Option<Pointer<'a>>, CompileError> {
        let built_in = self.module.decorations.of(global.id, Decoration::BuiltIn).and_then(BuiltIn::from_u32);
        let (Some(built_in), Ok(widths)) = (built_in, self.values.types.leaves(global.ty)) else {
            return Ok(None);
        };
        let components = 0..widths.len() as u32;
        let leaves: Option<Vec<Src>> =
            components.map(|component| self.built_in(built_in, component)).collect();
        let Some(leaves) = leaves else { return Ok(None) };
        if widths.iter().any(|bits| *bits != 32) || leaves.len() != widths.len() {
            return Err(MemoryError::BuiltInType { id: global.id, built_in }.into());
        }
        let pointer = self.allocate(global.id, global.ty)?;
        self.store(pointer, &leaves, Access::empty())?;
        Ok(Some(pointer))
    }

    fn built_in(&mut self, built_in: BuiltIn, component: u32) -> Option<Src> {
        match INPUTS.iter().find(|(known, _)| *known == built_in) {
            Some((_, input)) => Some(compute::input(&mut self.kit, input(component))),
            None => self.lane_built_in(built_in, component),
        }
    }

    /// A component of a built-in that all stages have: lanes of a SIMD-group, the device, of which there is one, and the shading
    /// rate, which is one fragment a pixel.
    pub(super) fn lane_built_in(&mut self, built_in: BuiltIn, component: u32) -> Option<Src> {
        if matches!(built_in, BuiltIn::DeviceIndex | BuiltIn::ShadingRateKHR) {
            return Some(Src::imm32(0));
        }
        let (_, input) = LANE_INPUTS.iter().find(|(known, _)| *known == built_in)?;
        // Masks have words for lanes that do not exist.
        Some(if component == 0 { compute::lane_input(&mut self.kit, *input) } else { Src::imm32(0) })
    }

    /// The pointer to a variable of module scope.
    pub(super) fn global(&mut self, index: usize) -> Result<Pointer<'a>, CompileError> {
        if let Some(pointer) = self.memory.globals[index] {
            return Ok(pointer);
        }
        let global = self.module.globals[index];
        let pointer = match global.class {
            StorageClass::Uniform | StorageClass::StorageBuffer => self.buffer(&global)?,
            StorageClass::PushConstant => {
                Pointer::new(Root::PushConstants, global.ty, Layout::Explicit, Access::READONLY)
            }
            StorageClass::UniformConstant => self.resource_variable(&global)?,
            StorageClass::TileImageEXT => self.tile_image_variable(&global)?,
            StorageClass::Workgroup => self.workgroup_variable(&global)?,
            StorageClass::Input => {
                let built_in = self.module.decorations.of(global.id, Decoration::BuiltIn);
                let name = built_in.and_then(BuiltIn::from_u32);
                return Err(match name {
                    Some(built_in) => MemoryError::BuiltIn { id: global.id, built_in }.into(),
                    None => {
                        MemoryError::NotInInterface { id: global.id, stage: self.kit.stage.name() }.into()
                    }
                });
            }
            class => return Err(TypeError::StorageClass { class, id: global.id }.into()),
        };
        let pointer = Pointer { pointer: Some(global.pointer), ..pointer };
        // An address that the program reads from a descriptor is read again in each block, from which it moves to the preamble.
        let is_computed = matches!(pointer.root, Root::Buffer { base, .. } if base.as_value().is_some());
        self.memory.globals[index] = Some(pointer).filter(|_| !is_computed);
        Ok(pointer)
    }

    fn buffer(&mut self, global: &Global<'a>) -> Result<Pointer<'a>, CompileError> {
        let decorations = &self.module.decorations;
        let number = |decoration: Decoration| {
            decorations
                .of(global.id, decoration)
                .ok_or_else(|| CompileError::from(MemoryError::NoDecoration { id: global.id, decoration }))
        };
        let (set, binding) = (number(Decoration::DescriptorSet)?, number(Decoration::Binding)?);
        let mut access = Access::empty();
        let is_uniform = global.class == StorageClass::Uniform && !self.is_buffer_block(global.ty);
        let stays = decorations.has(global.id, Decoration::NonWritable)
            && !decorations.has(global.id, Decoration::Aliased);
        access.set(Access::READONLY, is_uniform || stays);
        let ordered = [Decoration::Volatile, Decoration::Coherent];
        access
            .set(Access::VOLATILE, ordered.iter().any(|decoration| decorations.has(global.id, *decoration)));
        let robustness = self.kit.robustness;
        let bounds = if is_uniform { robustness.uniform } else { robustness.storage };
        let root = match self.values.types.kind(global.ty) {
            Kind::Array { .. } | Kind::RuntimeArray { .. } => Root::BufferArray { set, binding, bounds },
            _ => {
                // What a uniform block holds is there, whether it is read or not.
                let is_there = is_uniform && buffers::is_always_valid(&mut self.kit, set, binding);
                access.set(Access::SPECULATABLE, is_there && !access.contains(Access::VOLATILE));
                let buffer = BufferElement { set, binding, element: Src::imm32(0), bounds };
                let base = buffers::address(&mut self.kit, buffer);
                Root::Buffer { base, identity: Some(buffer) }
            }
        };
        Ok(Pointer::new(root, global.ty, Layout::Explicit, access))
    }

    fn is_buffer_block(&self, ty: Ty) -> bool {
        let inner = match self.values.types.kind(ty) {
            Kind::Array { elem, .. } | Kind::RuntimeArray { elem, .. } => elem,
            _ => ty,
        };
        self.module.is_buffer_block(inner)
    }

    /// Finds a place in workgroup memory. Blocks with an explicit layout share one place, as their extension says.
    fn workgroup_variable(&mut self, global: &Global<'a>) -> Result<Pointer<'a>, CompileError> {
        let is_block = self.module.is_block(global.ty);
        let (fixed, layout, bytes) = if is_block {
            (0, Layout::Explicit, self.values.types.explicit_end(global.ty, MatrixLayout::default())?)
        } else {
            let fixed = self.kit.memory.local_bytes.next_multiple_of(LOCAL_ALIGN);
            (fixed, Layout::Natural, self.values.types.natural(global.ty).0)
        };
        self.kit.memory.local_bytes = self.kit.memory.local_bytes.max(fixed.saturating_add(bytes));
        if self.kit.memory.local_bytes > MAX_LOCAL_BYTES {
            return Err(MemoryError::Workgroup { most: MAX_LOCAL_BYTES }.into());
        }
        Ok(Pointer { fixed, ..Pointer::new(Root::Local, global.ty, layout, Access::empty()) })
    }

    /// Fills the workgroup variables that have an initializer, which can only be null, with zeros: each invocation
    /// stores every so-manieth word, then all wait for each other.
    fn zero_workgroup_memory(&mut self) -> Result<(), CompileError> {
        for (index, global) in self.module.globals.iter().enumerate() {
            if global.class == StorageClass::Workgroup && global.init.is_some() {
                self.global(index)?;
            }
        }
        let bytes = self.kit.memory.local_bytes.next_multiple_of(4);
        self.kit.memory.local_bytes = bytes;
        if bytes == 0 {
            return Ok(());
        }
        compute::clear_local(&mut self.kit, bytes);
        Ok(())
    }

    /// The number of elements of the runtime array that ends a buffer: what fits into the buffer's size.
    pub(super) fn array_length(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let pointer = self.pointer(inst.word(2)?)?;
        let Kind::Struct { members } = self.values.types.kind(pointer.ty) else {
            return Err(MemoryError::ArrayLength { why: "expected a structure" }.into());
        };
        let member = members.get(inst.word(3)? as usize);
        let member =
            member.ok_or_else(|| MemoryError::ArrayLength { why: "the structure lacks the member" })?;
        let stride = match self.values.types.kind(member.ty) {
            Kind::RuntimeArray { stride: stride @ 1.., .. } => stride,
            _ => {
                return Err(MemoryError::ArrayLength {
                    why: "the member is not a runtime array with a stride",
                }
                .into());
            }
        };
        let size = match pointer.root {
            Root::Buffer { identity: Some(buffer), .. } => buffers::size(&mut self.kit, buffer),
            // Variable pointers and addresses may not be asked for it.
            _ => {
                return Err(MemoryError::ArrayLength {
                    why: "the pointer is a value, whose buffer is unknown",
                }
                .into());
            }
        };
        let start = Src::imm32(member.offset);
        let size = if member.offset == 0 { size } else { self.kit.b.umax(size, start) };
        let bytes = if member.offset == 0 { size } else { self.kit.b.isub(size, start) };
        let count = match stride.is_power_of_two() {
            true => self.kit.b.ushr(bytes, Src::imm32(stride.trailing_zeros())),
            false => self.kit.b.udiv(bytes, Src::imm32(stride)),
        };
        let ty = self.eval().ty(inst.word(0)?)?;
        let leaves = self.values.bump.alloc_slice_copy(&[count]);
        let leaves = self.eval().checked(ty, leaves)?;
        self.define(inst.word(1)?, super::module::Def::Value(ty, leaves))
    }
}
