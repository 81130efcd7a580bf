//! Variables of module scope: resources, workgroup memory, private variables, and the values the machine provides.

use agx_abi::{Stage, UniformSource};
use agx_isa::table::Opcode;
use spirv::{BuiltIn, Decoration, StorageClass};

use super::derivatives::Group;
use super::module::Global;
use super::pointers::{BufferId, Pointer, Root};
use super::translate::Translator;
use super::types::{Kind, Layout, MatrixLayout, Ty};
use super::words::Inst;
use crate::error::CompileError;
use crate::ir::build::alu::IntCond;
use crate::ir::function::Access;
use crate::ir::op::{IrOp, mods_with};
use crate::ir::src::Src;
use crate::ir::types::Type;

/// Invocations of a SIMD-group.
pub(super) const SUBGROUP_SIZE: u32 = 32;

/// Alignment of variables in workgroup memory.
const LOCAL_ALIGN: u32 = 16;

/// Most bytes of workgroup memory: what a threadgroup may have (Metal feature set tables, Apple7 and Apple8).
pub const MAX_LOCAL_BYTES: u32 = 32 << 10;

/// Where a built-in input comes from.
#[derive(Clone, Copy)]
enum Input {
    /// Special registers, one a component.
    Registers(u16),
    /// A uniform of several words.
    Uniform(UniformSource),
}

/// Built-in inputs of compute shaders with the special registers that hold them (applegpu, Mesa 25.0).
const INPUTS: &[(BuiltIn, Input)] = &[
    (BuiltIn::WorkgroupId, Input::Registers(0)),
    (BuiltIn::LocalInvocationId, Input::Registers(48)),
    (BuiltIn::LocalInvocationIndex, Input::Registers(51)),
    (BuiltIn::SubgroupLocalInvocationId, Input::Registers(52)),
    (BuiltIn::SubgroupId, Input::Registers(53)),
    (BuiltIn::GlobalInvocationId, Input::Registers(80)),
    (BuiltIn::NumWorkgroups, Input::Uniform(UniformSource::WorkgroupCount)),
];

impl<'a> Translator<'_, 'a> {
    /// Builds what must stand at the start of the program: initial values of private variables, built-in inputs.
    pub(super) fn prologue(&mut self) -> Result<(), CompileError> {
        for (index, global) in self.module.globals.iter().enumerate() {
            if self.globals[index].is_some() {
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
                StorageClass::Input if self.io.stage == Stage::Compute => self.input(global)?,
                _ => None,
            };
            self.globals[index] = pointer;
        }
        self.zero_workgroup_memory()
    }

    /// The variable that holds a built-in input; `None` for inputs that are not supported, which is an error only where
    /// they are used.
    fn input(&mut self, global: &Global<'a>) -> Result<Option<Pointer<'a>>, CompileError> {
        let built_in = self.module.decorations.of(global.id, Decoration::BuiltIn).and_then(BuiltIn::from_u32);
        let (Some(built_in), Ok(widths)) = (built_in, self.types.leaves(global.ty)) else { return Ok(None) };
        let Some(leaves) = self.built_in(built_in, widths.len()) else { return Ok(None) };
        if widths.iter().any(|bits| *bits != 32) || leaves.len() != widths.len() {
            return Err(CompileError::invalid(format!("built-in {built_in:?} has the wrong type")));
        }
        let pointer = self.allocate(global.id, global.ty)?;
        self.store(pointer, &leaves, Access::empty())?;
        Ok(Some(pointer))
    }

    fn built_in(&mut self, built_in: BuiltIn, count: usize) -> Option<Vec<Src>> {
        if self.io.derivative_group == Some(Group::Quads)
            && let Some(place) = self.built_in_of_quads(built_in)
        {
            return Some(place);
        }
        if let Some((_, input)) = INPUTS.iter().find(|(known, _)| *known == built_in) {
            let component = |index: u16| match input {
                Input::Registers(first) => self.special_register(first + index),
                Input::Uniform(source) => self.uniforms.get(*source, 2 * index, 32),
            };
            return Some((0..count.min(3) as u16).map(component).collect());
        }
        let invocations: u32 = self.workgroup_size.iter().product();
        match built_in {
            BuiltIn::WorkgroupSize => Some(self.workgroup_size.map(Src::imm32).to_vec()),
            BuiltIn::SubgroupSize => Some(vec![Src::imm32(SUBGROUP_SIZE)]),
            BuiltIn::NumSubgroups => Some(vec![Src::imm32(invocations.div_ceil(SUBGROUP_SIZE))]),
            BuiltIn::DeviceIndex => Some(vec![Src::imm32(0)]),
            _ => self.lane_mask(built_in),
        }
    }

    /// A component of a built-in that is about the lanes of a SIMD-group, which all stages have.
    pub(super) fn lane_built_in(&mut self, built_in: BuiltIn, component: u32) -> Option<Src> {
        let words = match built_in {
            BuiltIn::SubgroupLocalInvocationId | BuiltIn::SubgroupSize => self.built_in(built_in, 1)?,
            _ => self.lane_mask(built_in)?,
        };
        words.get(component as usize).copied()
    }

    /// Built-ins that differ where invocations are placed in quads of two by two.
    fn built_in_of_quads(&mut self, built_in: BuiltIn) -> Option<Vec<Src>> {
        let size = self.workgroup_size.map(Src::imm32);
        Some(match built_in {
            BuiltIn::LocalInvocationId => self.place_in_quads().to_vec(),
            BuiltIn::LocalInvocationIndex => {
                let [x, y, z] = self.place_in_quads();
                let rows = self.b.imul(z, size[1]);
                let row = self.b.iadd(rows, y);
                let before = self.b.imul(row, size[0]);
                vec![self.b.iadd(before, x)]
            }
            BuiltIn::GlobalInvocationId => {
                let place = self.place_in_quads();
                let mut global = Vec::with_capacity(3);
                for (axis, place) in (0..).zip(place) {
                    let group = self.special_register(axis);
                    let first = self.b.imul(group, size[usize::from(axis)]);
                    global.push(self.b.iadd(first, place));
                }
                global
            }
            _ => return None,
        })
    }

    /// Masks of the lanes that stand in a relation to this one.
    fn lane_mask(&mut self, built_in: BuiltIn) -> Option<Vec<Src>> {
        let wanted = [
            BuiltIn::SubgroupEqMask,
            BuiltIn::SubgroupGeMask,
            BuiltIn::SubgroupGtMask,
            BuiltIn::SubgroupLeMask,
            BuiltIn::SubgroupLtMask,
        ];
        if !wanted.contains(&built_in) {
            return None;
        }
        let lane = self.special_register(52);
        let equal = self.b.shl(Src::imm32(1), lane);
        let less = self.b.isub(equal, Src::imm32(1));
        let less_equal = self.b.or(less, equal);
        let word = match built_in {
            BuiltIn::SubgroupEqMask => equal,
            BuiltIn::SubgroupGeMask => self.b.not(less),
            BuiltIn::SubgroupGtMask => self.b.not(less_equal),
            BuiltIn::SubgroupLeMask => less_equal,
            _ => less,
        };
        let zero = Src::imm32(0);
        Some(vec![word, zero, zero, zero])
    }

    fn special_register(&mut self, number: u16) -> Src {
        let mods = mods_with(Opcode::Mfsr, &[("sr", u32::from(number))]);
        Src::value(self.b.value(Opcode::Mfsr, Type::B32, &[], &mods))
    }

    /// The pointer to a variable of module scope.
    pub(super) fn global(&mut self, index: usize) -> Result<Pointer<'a>, CompileError> {
        if let Some(pointer) = self.globals[index] {
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
                return Err(CompileError::unsupported(match name {
                    Some(name) => format!("built-in {name:?}"),
                    None => {
                        format!("inputs of a {} shader that are not of its interface", self.io.stage.name())
                    }
                }));
            }
            class => return Err(CompileError::unsupported(format!("variables of storage class {class:?}"))),
        };
        let pointer = Pointer { pointer: Some(global.pointer), ..pointer };
        self.globals[index] = Some(pointer);
        Ok(pointer)
    }

    fn buffer(&mut self, global: &Global<'a>) -> Result<Pointer<'a>, CompileError> {
        let decorations = &self.module.decorations;
        let number = |decoration: Decoration| {
            decorations.of(global.id, decoration).ok_or_else(|| {
                CompileError::invalid(format!("variable {} has no {decoration:?} decoration", global.id))
            })
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
        let root = match self.types.kind(global.ty) {
            Kind::Array { .. } | Kind::RuntimeArray { .. } => Root::BufferArray { set, binding },
            _ => {
                // What a uniform block holds is there, whether it is read or not.
                access.set(Access::SPECULATABLE, is_uniform && !access.contains(Access::VOLATILE));
                let source = UniformSource::BufferAddress { set, binding, element: 0 };
                let base = self.uniforms.get(source, 0, 64);
                Root::Buffer { base, identity: Some(BufferId::Element { set, binding, element: 0 }) }
            }
        };
        Ok(Pointer::new(root, global.ty, Layout::Explicit, access))
    }

    fn is_buffer_block(&self, ty: Ty) -> bool {
        let inner = match self.types.kind(ty) {
            Kind::Array { elem, .. } | Kind::RuntimeArray { elem, .. } => elem,
            _ => ty,
        };
        self.module.is_buffer_block(inner)
    }

    /// Finds a place in workgroup memory. Blocks with an explicit layout share one place, as their extension says.
    fn workgroup_variable(&mut self, global: &Global<'a>) -> Result<Pointer<'a>, CompileError> {
        let is_block = self.module.is_block(global.ty);
        let (fixed, layout, bytes) = if is_block {
            (0, Layout::Explicit, self.types.explicit_end(global.ty, MatrixLayout::default())?)
        } else {
            let fixed = self.local_bytes.next_multiple_of(LOCAL_ALIGN);
            (fixed, Layout::Natural, self.types.natural(global.ty).0)
        };
        self.local_bytes = self.local_bytes.max(fixed.saturating_add(bytes));
        if self.local_bytes > MAX_LOCAL_BYTES {
            return Err(CompileError::limit(format!(
                "more than {MAX_LOCAL_BYTES} bytes of workgroup memory"
            )));
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
        let bytes = self.local_bytes.next_multiple_of(4);
        self.local_bytes = bytes;
        if bytes == 0 {
            return Ok(());
        }
        let invocations: u32 = self.workgroup_size.iter().product();
        let index = self.special_register(51);
        let first = self.b.shl(index, Src::imm32(2));
        let variable = self.vars.add(&[32]);
        self.vars.write(&self.b, variable, first);
        let blocks = self.b.begin_loop();
        self.vars.open_loop(blocks.header);
        let offset = self.vars.read(&mut self.b, variable);
        let is_inside = self.b.icmp(IntCond::ULT, offset, Src::imm32(bytes));
        self.b.begin_if(is_inside);
        self.b.effect(IrOp::StoreLocal, &[Src::imm32(0), offset], &[4]);
        let next = self.b.iadd(offset, Src::imm32(4 * invocations));
        self.vars.write(&self.b, variable, next);
        self.b.begin_else();
        self.b.jump(blocks.after);
        self.b.end_if();
        self.b.end_loop();
        self.vars.close_loop(self.b.f);
        self.uses_barrier = true;
        self.b.effect(IrOp::ControlBarrier, &[], &[Access::LOCAL.bits()]);
        Ok(())
    }

    /// The number of elements of the runtime array that ends a buffer: what fits into the buffer's size.
    pub(super) fn array_length(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let pointer = self.pointer(inst.word(2)?)?;
        let Kind::Struct { members } = self.types.kind(pointer.ty) else {
            return Err(CompileError::invalid("the length of something that is not a structure"));
        };
        let member = members.get(inst.word(3)? as usize);
        let member = member.ok_or_else(|| CompileError::invalid("a structure does not have the member"))?;
        let stride = match self.types.kind(member.ty) {
            Kind::RuntimeArray { stride: stride @ 1.., .. } => stride,
            _ => return Err(CompileError::invalid("the member is not a runtime array with a stride")),
        };
        let size = match pointer.root {
            Root::Buffer { identity: Some(BufferId::Element { set, binding, element }), .. } => {
                self.uniforms.get(UniformSource::BufferSize { set, binding, element }, 0, 32)
            }
            Root::Buffer { identity: Some(BufferId::Dynamic { set, binding, index }), .. } => {
                self.record(set, binding, index, 8, Type::B32)
            }
            // Variable pointers and addresses may not be asked for it.
            _ => {
                return Err(CompileError::invalid("the length of an array behind a pointer that is a value"));
            }
        };
        let start = Src::imm32(member.offset);
        let size = if member.offset == 0 { size } else { self.b.umax(size, start) };
        let bytes = if member.offset == 0 { size } else { self.b.isub(size, start) };
        let count = match stride.is_power_of_two() {
            true => self.b.ushr(bytes, Src::imm32(stride.trailing_zeros())),
            false => self.b.udiv(bytes, Src::imm32(stride)),
        };
        let ty = self.eval().ty(inst.word(0)?)?;
        let leaves = self.bump.alloc_slice_copy(&[count]);
        let leaves = self.eval().checked(ty, leaves)?;
        self.define(inst.word(1)?, super::module::Def::Value(ty, leaves))
    }
}
