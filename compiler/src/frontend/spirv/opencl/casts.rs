//! Conversions between pointers.

use spirv::StorageClass;

use super::super::kernel::pointers::{LOCAL, PRIVATE, is_tagged, upper, value};
use super::super::kernel::wrong;
use super::super::module::Def;
use super::super::owners::Memory;
use super::super::pointer::{Pointer, Root};
use super::super::types::{Kind, Ty};
use super::super::values::Values;
use super::super::words::Inst;
use super::super::{composite, instructions, pointers, pure};
use crate::error::{CompileError, KernelError};
use crate::ir::Arithmetic;
use crate::ir::build::alu::IntCond;
use crate::ir::src::Src;

/// The class and the pointee of the pointer type that an instruction's result has.
fn result(v: &mut Values<'_, '_>, inst: &Inst<'_>) -> Result<Option<(StorageClass, Ty, Ty)>, CompileError> {
    let ty = v.eval().ty(inst.word(0)?)?;
    Ok(match v.types.kind(ty) {
        Kind::Pointer { class, pointee: Some(pointee), .. } => Some((class, pointee, ty)),
        _ => None,
    })
}

/// `OpBitcast`: between pointers, the memory stays known.
pub(in super::super) fn bitcast<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    if v.types.is_kernel
        && let Some(to) = result(v, inst)?
        && matches!(v.defs.get(inst.word(2)? as usize), Some(Def::Pointer(_) | Def::Global(_)))
    {
        return retype(m, v, inst, to);
    }
    instructions::pure(m, v, inst, pure::Compute::Whole(composite::bitcast), inst.rest(2))
}

/// Defines the result as the same pointer of another type.
fn retype<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    (_, pointee, ty): (StorageClass, Ty, Ty),
) -> Result<(), CompileError> {
    let pointer = *pointers::pointer(m, v, inst.word(2)?)?;
    let root = match pointer.root {
        Root::Local | Root::Private | Root::Buffer { .. } | Root::Generic { .. } => pointer.root,
        _ if pointee == pointer.ty => pointer.root,
        _ => Root::Unread,
    };
    let pointer = Pointer { root, ty: pointee, pointer: Some(ty), component_stride: 0, ..pointer };
    v.define(inst.word(1)?, Def::Pointer(v.bump.alloc(pointer)))
}

/// `OpPtrCastToGeneric` and `OpGenericCastToPtr`: the value of a pointer stays the same.
pub(in super::super) fn cast<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let to = result(v, inst)?.ok_or_else(|| wrong("a pointer"))?;
    match v.defs.get(inst.word(2)? as usize).copied() {
        Some(Def::Pointer(_) | Def::Global(_)) => retype(m, v, inst, to),
        _ => {
            let address = v.eval().scalar(inst.word(2)?)?;
            v.define_leaves(inst, &[address])
        }
    }
}

/// Whether a generic pointer points into memory of a class.
fn is_of(v: &mut Values<'_, '_>, address: Src, class: StorageClass) -> Src {
    let upper = upper(v, address);
    match class {
        StorageClass::Workgroup => is_tagged(v, upper, LOCAL),
        StorageClass::Function => is_tagged(v, upper, PRIVATE),
        _ => {
            let bits = v.kit.b.and(upper, Src::imm32(LOCAL | PRIVATE));
            v.kit.b.icmp(IntCond::EQ, bits, Src::imm32(0))
        }
    }
}

/// The address of a generic pointer.
fn generic<'a>(m: &mut Memory<'a>, v: &mut Values<'_, 'a>, id: u32) -> Result<Src, CompileError> {
    let pointer = pointers::pointer(m, v, id)?;
    let what = "a variable in registers has no address";
    let leaves = value(v, pointer).ok_or(KernelError::PointerUse { what })?;
    leaves.first().copied().ok_or_else(|| wrong("a pointer"))
}

/// `OpGenericCastToPtrExplicit`: null if the pointer is into other memory.
pub(in super::super) fn cast_explicit<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let (class, ..) = result(v, inst)?.ok_or_else(|| wrong("a pointer"))?;
    let address = generic(m, v, inst.word(2)?)?;
    let is_there = is_of(v, address, class);
    let result = v.kit.b.select(is_there, address, Src::imm(0, 64));
    v.define_leaves(inst, &[result])
}

/// `OpGenericPtrMemSemantics`: the memory that a pointer points into, as memory semantics.
pub(in super::super) fn semantics<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    use spirv::MemorySemantics;
    let address = generic(m, v, inst.word(2)?)?;
    let is_local = is_of(v, address, StorageClass::Workgroup);
    let [local, global] = [MemorySemantics::WORKGROUP_MEMORY, MemorySemantics::CROSS_WORKGROUP_MEMORY];
    let result = v.kit.b.select(is_local, Src::imm32(local.bits()), Src::imm32(global.bits()));
    v.define_leaves(inst, &[result])
}
