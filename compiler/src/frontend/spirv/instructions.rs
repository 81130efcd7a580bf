//! Instructions on values and pointers of any kind.

use spirv::StorageClass;

use super::composite;
use super::interface::StageIo;
use super::large::Operand;
use super::module::Def;
use super::owners::Memory;
use super::pointer::{Pointer, Root};
use super::pure::{self, Compute};
use super::types::Kind;
use super::values::Values;
use super::words::Inst;
use super::{acceleration, debug, glsl, kernel, large, memory, pointers, resources, variables};
use crate::error::{CompileError, MemoryError, ModuleError};
use crate::frontend::kit::bounds::Limit;
use crate::ir::Arithmetic;
use crate::ir::function::Access;
use crate::ir::src::Src;

/// `OpUndef`. Types without values have no undefined value either: uses of such a result are invalid.
pub(super) fn undefined<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let ty = v.eval().ty(inst.word(0)?)?;
    if !v.types.has_values(ty) {
        return Ok(());
    }
    let leaves = v.undefined(ty)?;
    v.define(inst.word(1)?, Def::Value(ty, leaves))
}

/// A variable of a function.
pub(super) fn local_variable<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let id = inst.word(1)?;
    let pointee = v.eval().ty(inst.word(0)?)?;
    let Kind::Pointer { class: StorageClass::Function, pointee: Some(ty), .. } = v.types.kind(pointee) else {
        return Err(MemoryError::FunctionVariable { id }.into());
    };
    let pointer = variables::allocate(m, v, id, ty)?;
    let init = match inst.rest(3) {
        [init, ..] => large::operand(m, v, *init)?,
        [] if matches!(pointer.root, Root::Variables(_)) => Operand::Scalars(v.undefined(ty)?),
        [] => Operand::Scalars(&[]),
    };
    if !matches!(init, Operand::Scalars([])) {
        large::store(m, v, &pointer, init, Access::empty())?;
    }
    let pointer = Pointer { pointer: Some(pointee).filter(|_| v.types.is_kernel), ..pointer };
    v.define(id, Def::Pointer(v.bump.alloc(pointer)))
}

/// `OpAccessChain`.
pub(super) fn access_chain_instruction<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let mut pointer = *pointers::pointer(m, v, inst.word(2)?)?;
    pointers::access_chain(v, &mut pointer, inst.rest(3))?;
    pointers::define_pointer(v, inst, pointer)
}

/// `OpPtrAccessChain`: first moves by elements of the array that contains the pointee.
pub(super) fn element_chain_instruction<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let pointer = *pointers::pointer(m, v, inst.word(2)?)?;
    let mut pointer = pointers::move_by_elements(v, pointer, inst.word(3)?)?;
    pointers::access_chain(v, &mut pointer, inst.rest(4))?;
    pointers::define_pointer(v, inst, pointer)
}

/// `OpLoad`, also of descriptors.
pub(super) fn load_instruction<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let pointer = pointers::pointer(m, v, inst.word(2)?)?;
    if resources::load_resource(v, inst.word(1)?, pointer)?
        || acceleration::load_structure(v, inst.word(1)?, pointer)?
    {
        return Ok(());
    }
    let access = memory::access_of(inst, 3);
    let pointer = if v.types.is_kernel { kernel::access::aligned(v, pointer, inst.rest(3)) } else { pointer };
    if large::is_large(v, pointer) {
        return large::load(v, inst, pointer, access, m.usage.stays(inst.word(1)?));
    }
    let leaves = memory::load(v, pointer, access)?;
    v.define_result(inst, leaves)
}

/// `OpStore`.
pub(super) fn store_instruction<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let pointer = pointers::pointer(m, v, inst.word(0)?)?;
    let data = inst.word(1)?;
    if resources::store_resource(v, inst.word(0)?, pointer, data)? {
        return Ok(());
    }
    let data = large::operand(m, v, data)?;
    let pointer = if v.types.is_kernel { kernel::access::aligned(v, pointer, inst.rest(2)) } else { pointer };
    large::store(m, v, pointer, data, memory::access_of(inst, 2))
}

/// `OpCopyMemory`.
pub(super) fn copy_memory<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let (to, from) = (pointers::pointer(m, v, inst.word(0)?)?, pointers::pointer(m, v, inst.word(1)?)?);
    let access = memory::access_of(inst, 2);
    if large::is_large(v, from) {
        let from = v.bump.alloc(Pointer { access: from.access | access, ..*from });
        return large::store(m, v, to, Operand::Memory(from), access);
    }
    let data = memory::load(v, from, access)?;
    large::store(m, v, to, Operand::Scalars(data), access)
}

/// `OpCopyObject` of a value, a descriptor, an array of descriptors, or a pointer.
pub(super) fn copy_object<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    match v.defs.get(inst.word(2)? as usize).copied() {
        Some(Def::Resource(resource)) => v.define(inst.word(1)?, Def::Resource(resource)),
        Some(Def::Value(..) | Def::Stored(..)) => pure(m, v, inst, Compute::Whole(composite::copy), &[]),
        _ => {
            let pointer = pointers::pointer(m, v, inst.word(2)?)?;
            let ty = v.eval().ty(inst.word(0)?)?;
            let is_pointer = matches!(v.types.kind(ty), Kind::Pointer { .. });
            if !is_pointer && resources::load_resource(v, inst.word(1)?, pointer)? {
                return Ok(());
            }
            pointers::define_pointer(v, inst, *pointer)
        }
    }
}

/// `OpCompositeExtract` from a value or an array of descriptors.
pub(super) fn composite_extract<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    match resources::extract_resource(v, inst)? {
        true => Ok(()),
        false => pure(m, v, inst, Compute::Whole(composite::extract), &[]),
    }
}

/// A pure instruction; operands in `pointers` that are pointers with an address are treated as values.
pub(super) fn pure<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    compute: Compute,
    pointers: &[u32],
) -> Result<(), CompileError> {
    if large::moves(m, v, inst)? {
        return Ok(());
    }
    let ty = v.eval().ty(inst.word(0)?)?;
    let operands = inst.rest(2);
    let leaves = pointers::with_pointers_as_values(m, v, pointers, |v| {
        pure::evaluate(&mut v.eval(), compute, ty, operands)
    })?;
    let leaves = v.apart(ty, leaves);
    v.define(inst.word(1)?, Def::Value(ty, leaves))
}

/// An extended instruction.
pub(super) fn extended_instruction<'a>(
    io: &mut StageIo<'a>,
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    match v.defs.get(inst.word(2)? as usize) {
        Some(Def::NonSemanticSet) => Ok(()),
        Some(Def::DebugSet) => debug::debug_instruction(v, inst),
        Some(Def::GlslSet) => glsl::glsl(io, m, v, inst),
        _ => Err(ModuleError::NoExtendedSet { id: inst.word(2)? }.into()),
    }
}

/// The number of elements of the runtime array at the end of a buffer, from the buffer's size.
pub(super) fn array_length<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let pointer = pointers::pointer(m, v, inst.word(2)?)?;
    let Kind::Struct { members } = v.types.kind(pointer.ty) else {
        return Err(MemoryError::ArrayLength { why: "expected a structure" }.into());
    };
    let member = members.get(inst.word(3)? as usize);
    let member = member.ok_or(MemoryError::ArrayLength { why: "the structure lacks the member" })?;
    let stride = match v.types.kind(member.ty) {
        Kind::RuntimeArray { stride: stride @ 1.., .. } => stride,
        _ => {
            return Err(
                MemoryError::ArrayLength { why: "the member is not a runtime array with a stride" }.into()
            );
        }
    };
    let size = match pointer.root {
        Root::Buffer { limit: Some(limit @ Limit::Buffer(_)), .. } => limit.bytes(&mut v.kit),
        // The instruction is not allowed on variable pointers and addresses.
        _ => {
            return Err(
                MemoryError::ArrayLength { why: "the pointer is a value, whose buffer is unknown" }.into()
            );
        }
    };
    let start = Src::imm32(member.offset);
    let size = if member.offset == 0 { size } else { v.kit.b.umax(size, start) };
    let bytes = if member.offset == 0 { size } else { v.kit.b.isub(size, start) };
    let count = match stride.is_power_of_two() {
        true => v.kit.b.ushr(bytes, Src::imm32(stride.trailing_zeros())),
        false => v.kit.b.udiv(bytes, Src::imm32(stride)),
    };
    let ty = v.eval().ty(inst.word(0)?)?;
    let leaves = v.bump.alloc_slice_copy(&[count]);
    let leaves = v.eval().checked(ty, leaves)?;
    v.define(inst.word(1)?, Def::Value(ty, leaves))
}
