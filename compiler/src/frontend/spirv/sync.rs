//! Barriers and atomics.

use spirv::{MemorySemantics, Scope};

use super::owners::Memory;
use super::pointer::{Pointer, Root};
use super::types::Kind;
use super::values::Values;
use super::words::Inst;
use super::{kernel, memory, pointers};
use crate::error::{CompileError, GroupError};
use crate::frontend::kit::buffers::{self, Atomic};
use crate::frontend::kit::{bounds, compute, coverage};
use crate::ir::Arithmetic;
use crate::ir::build::alu::IntCond;
use crate::ir::builder::Builder;
use crate::ir::function::Access;
use crate::ir::src::Src;
use crate::ir::types::Type;

/// Combines the old value of a float atomic with its operand.
pub(super) type Combine = fn(&mut Builder<'_, '_>, Src, Src) -> Src;

/// `OpMemoryBarrier`.
pub(super) fn memory_barrier<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let memory = memory_of(v, inst.word(1)?)?;
    compute::fence(&mut v.kit, memory);
    Ok(())
}

/// An atomic with the fences that its semantics require: one before it if it releases memory, one after it if
/// it acquires memory. `order` is the index of the semantics operand; the operand before it is the scope.
pub(super) fn ordered<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    order: usize,
    atomic: impl FnOnce(&mut Memory<'a>, &mut Values<'_, 'a>, &Inst<'a>) -> Result<(), CompileError>,
) -> Result<(), CompileError> {
    let (scope, semantics) = (inst.word(order.wrapping_sub(1))?, inst.word(order)?);
    let ordering = MemorySemantics::from_bits_truncate(v.constant(semantics)?);
    let alone = matches!(Scope::from_u32(v.constant(scope)?), Some(Scope::Subgroup | Scope::Invocation));
    let memory = if alone { Access::empty() } else { memory_of(v, semantics)? };
    let both = MemorySemantics::ACQUIRE_RELEASE | MemorySemantics::SEQUENTIALLY_CONSISTENT;
    if ordering.intersects(MemorySemantics::RELEASE | both) {
        compute::fence(&mut v.kit, memory);
    }
    atomic(m, v, inst)?;
    if ordering.intersects(MemorySemantics::ACQUIRE | both) {
        compute::fence(&mut v.kit, memory);
    }
    Ok(())
}

/// `OpAtomicLoad`.
pub(super) fn atomic_load<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let pointer = pointers::pointer(m, v, inst.word(2)?)?;
    let leaves = memory::load(v, pointer, Access::VOLATILE)?;
    v.define_result(inst, leaves)
}

/// `OpAtomicStore`.
pub(super) fn atomic_store<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let pointer = pointers::pointer(m, v, inst.word(0)?)?;
    let (_, data) = v.eval().value(inst.word(3)?)?;
    memory::store(v, pointer, data, Access::VOLATILE)
}

/// `OpAtomicCompareExchange`.
pub(super) fn atomic_compare_exchange<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let new = v.eval().scalar(inst.word(6)?)?;
    let expected = v.eval().scalar(inst.word(7)?)?;
    update(m, v, inst, Atomic::CompareExchange, &[new, expected])
}

/// `OpAtomicExchange`, also on half floats.
pub(super) fn atomic_exchange<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    match is_half(v, inst)? {
        true => float_atomic(m, v, inst, |_, _, y| y),
        false => atomic_with_operand(m, v, inst, Atomic::Exchange),
    }
}

/// An atomic with an operand from the instruction.
pub(super) fn atomic_with_operand<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    atomic: Atomic,
) -> Result<(), CompileError> {
    let operand = v.eval().scalar(inst.word(5)?)?;
    update(m, v, inst, atomic, &[operand])
}

/// The memory affected by the semantics.
fn memory_of(v: &mut Values<'_, '_>, id: u32) -> Result<Access, CompileError> {
    let semantics = MemorySemantics::from_bits_truncate(v.constant(id)?);
    let mut memory = Access::empty();
    let device = MemorySemantics::UNIFORM_MEMORY | MemorySemantics::CROSS_WORKGROUP_MEMORY;
    memory.set(Access::DEVICE, semantics.intersects(device));
    memory.set(Access::LOCAL, semantics.contains(MemorySemantics::WORKGROUP_MEMORY));
    // Outputs that invocations share are in device memory.
    if semantics.contains(MemorySemantics::OUTPUT_MEMORY) && v.kit.software.tessellation.is_some() {
        memory |= Access::DEVICE;
    }
    // So are payloads, which count as memory of the workgroup, and outputs of meshes.
    let of_group = MemorySemantics::OUTPUT_MEMORY | MemorySemantics::WORKGROUP_MEMORY;
    if semantics.intersects(of_group) && v.kit.software.mesh.is_some() {
        memory |= Access::DEVICE;
    }
    memory.set(Access::IMAGE, semantics.contains(MemorySemantics::IMAGE_MEMORY));
    Ok(memory)
}

/// `OpControlBarrier`. Invocations of a SIMD-group execute in lockstep, so a barrier among them only orders
/// memory.
pub(super) fn control_barrier<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let scope = v.constant(inst.word(0)?)?;
    let memory = memory_of(v, inst.word(2)?)?;
    match Scope::from_u32(scope) {
        Some(Scope::Subgroup | Scope::Invocation) => compute::fence(&mut v.kit, memory),
        // It also orders accesses to outputs. The invocations of a patch are in one SIMD-group.
        Some(Scope::Workgroup) if v.kit.software.tessellation.is_some() => {
            compute::fence(&mut v.kit, memory | Access::DEVICE);
        }
        Some(Scope::Workgroup) => {
            compute::barrier(&mut v.kit, memory);
        }
        // Vulkan allows no other scopes in these stages.
        _ => return Err(GroupError::BarrierScope { scope }.into()),
    }
    Ok(())
}

/// An atomic on a word.
pub(super) fn update<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    atomic: Atomic,
    operands: &[Src],
) -> Result<(), CompileError> {
    let ty = v.eval().ty(inst.word(0)?)?;
    if !matches!(v.types.kind(ty), Kind::Int { bits: 32 } | Kind::Float { bits: 32 }) {
        return Err(GroupError::AtomicWidth { op: inst.op }.into());
    }
    let pointer = *pointers::pointer(m, v, inst.word(2)?)?;
    if pointer.ty != ty || operands.iter().any(|operand| v.kit.b.f.width(*operand) != 32) {
        return Err(GroupError::AtomicType { op: inst.op }.into());
    }
    let guard = coverage::guard(&mut v.kit);
    let old = atomic_word(v, pointer, atomic, operands)?;
    let old = coverage::end_guard_with(&mut v.kit, guard, old);
    v.define_leaves(inst, &[old])
}

/// A float atomic: a compare-and-exchange loop, repeated until no other invocation changed the value in
/// between.
pub(super) fn float_atomic<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    combine: Combine,
) -> Result<(), CompileError> {
    let ty = v.eval().ty(inst.word(0)?)?;
    let bits = match v.types.kind(ty) {
        Kind::Float { bits: bits @ (16 | 32) } => bits,
        _ => {
            return Err(GroupError::FloatAtomicWidth { op: inst.op }.into());
        }
    };
    let mut pointer = *pointers::pointer(m, v, inst.word(2)?)?;
    let operand = v.eval().scalar(inst.word(5)?)?;
    if pointer.ty != ty || v.kit.b.f.width(operand) != bits {
        return Err(GroupError::AtomicType { op: inst.op }.into());
    }
    let shift = if bits == 16 { Some(word_around(v, &mut pointer)) } else { None };
    let guard = coverage::guard(&mut v.kit);
    let seen = v.kit.vars.add(&[32]);
    let first = atomic_word(v, pointer, Atomic::Or, &[Src::imm32(0)])?;
    v.kit.vars.write(&v.kit.b, seen, first);
    let blocks = v.kit.b.begin_loop();
    v.kit.vars.open_loop(blocks.header);
    let expected = v.kit.vars.read(&mut v.kit.b, seen);
    let wanted = match shift {
        None => combine(&mut v.kit.b, expected, operand),
        Some(shift) => {
            let old = half_of(&mut v.kit.b, expected, shift);
            let new = combine(&mut v.kit.b, old, operand);
            with_half(&mut v.kit.b, expected, new, shift)
        }
    };
    let old = atomic_word(v, pointer, Atomic::CompareExchange, &[wanted, expected])?;
    v.kit.vars.write(&v.kit.b, seen, old);
    let is_done = v.kit.b.icmp(IntCond::EQ, old, expected);
    v.kit.b.begin_if(is_done);
    v.kit.b.jump(blocks.after);
    v.kit.b.begin_else();
    v.kit.b.end_if();
    v.kit.b.end_loop();
    v.kit.vars.close_loop(v.kit.b.f);
    let old = v.kit.vars.read(&mut v.kit.b, seen);
    let old = coverage::end_guard_with(&mut v.kit, guard, old);
    let old = shift.map_or(old, |shift| half_of(&mut v.kit.b, old, shift));
    v.define_leaves(inst, &[old])
}

/// Whether an atomic operates on a half float.
fn is_half<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<bool, CompileError> {
    let ty = v.eval().ty(inst.word(0)?)?;
    Ok(matches!(v.types.kind(ty), Kind::Float { bits: 16 }))
}

/// Aligns a pointer to a half-word down to its word; returns the bit position of the half-word.
fn word_around<'a>(v: &mut Values<'_, 'a>, pointer: &mut Pointer<'a>) -> Src {
    let fixed = Src::imm32(pointer.fixed);
    let mut offset = pointer.offset.map_or(fixed, |offset| v.kit.b.iadd(offset, fixed));
    if let Root::Buffer { base, limit: None } = pointer.root {
        // The address itself may be odd.
        let wide = v.kit.b.uconv(offset, 64);
        let address = v.kit.b.iadd(base, wide);
        offset = v.kit.b.uconv(address, 32);
        let odd = v.kit.b.and(offset, Src::imm32(2));
        let odd = v.kit.b.uconv(odd, 64);
        pointer.root = Root::Buffer { base: v.kit.b.isub(address, odd), limit: None };
        (pointer.fixed, pointer.offset) = (0, None);
    } else {
        let start = v.kit.b.and(offset, Src::imm32(!2));
        (pointer.fixed, pointer.offset) = (0, Some(start));
    }
    let odd = v.kit.b.and(offset, Src::imm32(2));
    v.kit.b.shl(odd, Src::imm32(3))
}

/// An atomic on the word that a pointer points to; returns the old value.
fn atomic_word<'a>(
    v: &mut Values<'_, 'a>,
    pointer: Pointer<'a>,
    atomic: Atomic,
    operands: &[Src],
) -> Result<Src, CompileError> {
    if v.types.is_kernel {
        return kernel::access::atomic(v, &pointer, atomic, operands);
    }
    let fixed = Src::imm32(pointer.fixed);
    let offset = pointer.offset.map_or(fixed, |offset| v.kit.b.iadd(offset, fixed));
    let base = match pointer.root {
        Root::Local => None,
        Root::Buffer { base, .. } => Some(base),
        _ => return Err(GroupError::NotShared.into()),
    };
    let Some(base) = base else {
        return Ok(buffers::atomic_unguarded(&mut v.kit, None, offset, atomic, operands));
    };
    let asked = bounds::Access { base, offset: (offset, pointer.align), ty: Type::B32 };
    let checked = memory::effect(v, &pointer, asked);
    checked.begin(&mut v.kit);
    let old = buffers::atomic_unguarded(&mut v.kit, Some(checked.base), checked.offset, atomic, operands);
    let old = checked.end_with(&mut v.kit, old);
    memory::fence_texels(v, &pointer);
    Ok(old)
}

/// The half-word of `word` at bit `shift`.
fn half_of(b: &mut Builder<'_, '_>, word: Src, shift: Src) -> Src {
    let moved = b.ushr(word, shift);
    b.uconv(moved, 16)
}

/// `word` with the half-word at bit `shift` replaced.
fn with_half(b: &mut Builder<'_, '_>, word: Src, half: Src, shift: Src) -> Src {
    let mask = b.shl(Src::imm32(0xffff), shift);
    let kept = b.not(mask);
    let kept = b.and(word, kept);
    let wide = b.uconv(half, 32);
    let moved = b.shl(wide, shift);
    b.or(kept, moved)
}
