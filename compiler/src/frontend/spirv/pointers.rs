//! Operations on pointers: access chains, and pointers as values.

use spirv::StorageClass;

use super::kernel::pointers::UNREAD;
use super::module::Def;
use super::owners::Memory;
use super::pointer::{Pointer, Root, Step};
use super::types::{Kind, Layout, Ty};
use super::values::Values;
use super::words::Inst;
use super::{globals, index, kernel, resources};
use crate::error::{CompileError, KernelError, MemoryError, TypeError};
use crate::frontend::kit::bounds::Limit;
use crate::frontend::kit::buffers::{self, BufferElement};
use crate::ir::Arithmetic;
use crate::ir::function::Access;
use crate::ir::src::Src;

/// `access` without the flag that the address is always valid: only the program ensures that it is in bounds.
fn anywhere(access: Access) -> Access {
    access.difference(Access::SPECULATABLE)
}

/// Moves a pointer along an access chain of `indices`.
pub(super) fn access_chain<'a>(
    v: &mut Values<'_, 'a>,
    pointer: &mut Pointer<'a>,
    indices: &[u32],
) -> Result<(), CompileError> {
    for id in indices {
        let index = v.eval().scalar(*id)?;
        step(v, pointer, index)?;
    }
    Ok(())
}

/// Moves a pointer to a member or element of its pointee.
pub(super) fn step<'a>(
    v: &mut Values<'_, 'a>,
    pointer: &mut Pointer<'a>,
    index: Src,
) -> Result<(), CompileError> {
    match pointer.root {
        Root::BufferArray { set, binding, is_uniform, bounds } => {
            let element = index.as_imm().map_or(index, |constant| Src::imm32(constant as u32));
            choose_buffer(v, pointer, BufferElement { set, binding, element, is_uniform, bounds })
        }
        Root::Resources { .. } | Root::Handle => {
            *pointer = resources::step_resources(v, *pointer, index)?;
            Ok(())
        }
        Root::Variables(_) | Root::Scratch { .. } | Root::Stage(_) => step_scalars(v, pointer, index),
        Root::Constants => {
            let index = within(v, pointer.ty, index);
            step_bytes(v, pointer, index)
        }
        Root::Local | Root::Buffer { .. } | Root::PushConstants | Root::Private | Root::Generic { .. } => {
            step_bytes(v, pointer, index)
        }
        Root::Unread => Err(KernelError::PointerUse { what: UNREAD }.into()),
    }
}

/// Moves a pointer to an array in memory by `place` groups of `group` elements, which are in the array.
pub(super) fn move_by_groups<'a>(
    v: &mut Values<'_, 'a>,
    pointer: &mut Pointer<'a>,
    place: Src,
    group: u32,
) -> Result<(), CompileError> {
    let stride = match pointer.root {
        Root::Scratch { slot, .. } => v.types.element(pointer.ty, 1)?.1.saturating_mul(slot),
        _ => v.types.stride(pointer.ty, pointer.layout, pointer.matrix)?,
    };
    if let Root::Buffer { base, .. } = pointer.root {
        v.kit.uniforms.note_indexed(base);
    }
    let stride = stride.saturating_mul(group);
    pointer.offset = Some(index::add_scaled(&mut v.kit.b, pointer.offset, place, stride));
    pointer.align = pointer.align.min(1 << stride.trailing_zeros().min(31));
    Ok(())
}

/// Selects a buffer of an array: for a constant index its own address register, else its record in the table.
fn choose_buffer<'a>(
    v: &mut Values<'_, 'a>,
    pointer: &mut Pointer<'a>,
    buffer: BufferElement,
) -> Result<(), CompileError> {
    (pointer.ty, _) = v.types.element(pointer.ty, 0)?;
    let base = buffers::address(&mut v.kit, buffer);
    pointer.root = Root::Buffer { base, limit: Some(Limit::Buffer(buffer)) };
    Ok(())
}

/// A pointer with an address as a value: its type and its scalars.
fn pointer_value<'a>(v: &mut Values<'_, 'a>, pointer: &Pointer<'a>) -> Option<(Ty, &'a [Src])> {
    let ty = pointer.pointer?;
    if v.types.is_kernel {
        return Some((ty, kernel::pointers::value(v, pointer)?));
    }
    let is_checked = v.types.leaves(ty).is_ok_and(|leaves| leaves.len() > 1);
    let leaves = match pointer.root {
        Root::Buffer { base, limit: Some(limit) } if is_checked => {
            let bytes = limit.bytes(&mut v.kit);
            &*v.bump.alloc_slice_copy(&[base, bytes, offset(v, pointer)])
        }
        _ => &*v.bump.alloc_slice_copy(&[address(v, pointer)?]),
    };
    Some((ty, leaves))
}

/// The offset of a pointer in bytes, or in whatever unit its root has.
fn offset(v: &mut Values<'_, '_>, pointer: &Pointer<'_>) -> Src {
    let fixed = Src::imm32(pointer.fixed);
    match pointer.offset {
        Some(offset) if pointer.fixed == 0 => offset,
        Some(offset) => v.kit.b.iadd(offset, fixed),
        None => fixed,
    }
}

/// The address in device memory, or the offset in workgroup memory.
pub(super) fn address(v: &mut Values<'_, '_>, pointer: &Pointer<'_>) -> Option<Src> {
    let offset = offset(v, pointer);
    match pointer.root {
        Root::Local => Some(offset),
        Root::Buffer { base, .. } => {
            let wide = v.kit.b.uconv(offset, 64);
            let is_start = wide.as_imm() == Some(0);
            Some(if is_start { base } else { v.kit.b.iadd(base, wide) })
        }
        _ => None,
    }
}

/// The pointee of a pointer given as a value.
fn pointer_from_value<'a>(
    v: &mut Values<'_, 'a>,
    ty: Ty,
    leaves: &[Src],
) -> Result<Pointer<'a>, CompileError> {
    let Kind::Pointer { class, pointee: Some(pointee), .. } = v.types.kind(ty) else {
        return Err(MemoryError::ValueAsPointer.into());
    };
    let align = v.types.natural(pointee).1.max(1);
    if let (true, [address]) = (v.types.is_kernel, leaves) {
        return Ok(kernel::pointers::at(v, (class, pointee, ty), *address));
    }
    let base = Pointer::new(Root::Local, pointee, Layout::Explicit, Access::empty());
    let base = Pointer { pointer: Some(ty), align, ..base };
    Ok(match (class, leaves) {
        (StorageClass::Workgroup, [offset]) => {
            let layout = if v.module.is_block(pointee) { Layout::Explicit } else { Layout::Natural };
            Pointer { offset: Some(*offset), layout, ..base }
        }
        (_, [address]) => Pointer { root: Root::Buffer { base: *address, limit: None }, ..base },
        (_, [start, bytes, offset]) => {
            let limit = Some(Limit::Bytes(*bytes, v.kit.robustness.storage));
            Pointer { root: Root::Buffer { base: *start, limit }, offset: Some(*offset), ..base }
        }
        _ => return Err(MemoryError::ValueAsPointer.into()),
    })
}

/// Moves a pointer by elements of the array that contains the pointee.
pub(super) fn move_by_elements<'a>(
    v: &mut Values<'_, 'a>,
    pointer: Pointer<'a>,
    id: u32,
) -> Result<Pointer<'a>, CompileError> {
    let index = v.eval().scalar(id)?;
    let stated = match pointer.pointer.map(|ty| v.types.kind(ty)) {
        Some(Kind::Pointer { stride, .. }) => stride,
        _ => 0,
    };
    let stride = if stated == 0 { v.types.natural(pointer.ty).0 } else { stated };
    if v.types.is_kernel && index.as_imm() == Some(0) {
        return Ok(pointer);
    }
    if !matches!(pointer.root, Root::Local | Root::Buffer { .. } | Root::Private | Root::Generic { .. }) {
        // There are no variable pointers into anything else.
        return Err(MemoryError::MovedPointer.into());
    }
    let pointer = Pointer { access: anywhere(pointer.access), ..pointer };
    if let Some(constant) = index.as_imm() {
        let step = stride.wrapping_mul(constant as u32);
        return Ok(Pointer { fixed: pointer.fixed.wrapping_add(step), ..pointer });
    }
    let index = index::index_word(&mut v.kit.b, index);
    let offset = index::add_scaled(&mut v.kit.b, pointer.offset, index, stride);
    let align = pointer.align.min(1 << stride.trailing_zeros().min(31));
    Ok(Pointer { offset: Some(offset), align, ..pointer })
}

/// An index clamped to the array: accesses out of bounds may reach any part of the variable, but nothing
/// else.
fn within(v: &mut Values<'_, '_>, ty: Ty, index: Src) -> Src {
    match v.types.kind(ty) {
        Kind::Array { count, .. } => {
            let index = index::index_word(&mut v.kit.b, index);
            v.kit.b.umin(index, Src::imm32(count.saturating_sub(1)))
        }
        _ => index,
    }
}

/// One step into scalar variables, stack memory, or an input or output in memory.
fn step_scalars<'a>(
    v: &mut Values<'_, 'a>,
    pointer: &mut Pointer<'a>,
    index: Src,
) -> Result<(), CompileError> {
    let count = v.types.element_count(pointer.ty);
    if let Some(constant) = index.as_imm() {
        let last = count.unwrap_or(1).saturating_sub(1);
        // An index out of bounds may reach any part of the variable, but nothing else.
        let clamped = u32::try_from(constant).unwrap_or(u32::MAX).min(last);
        let (ty, leaf) = v.types.element(pointer.ty, clamped)?;
        (pointer.ty, pointer.fixed) = (ty, pointer.fixed.wrapping_add(leaf));
        return Ok(());
    }
    check_dynamic(v, pointer.ty)?;
    let (ty, stride) = v.types.element(pointer.ty, 1)?;
    pointer.ty = ty;
    let index = index::index_word(&mut v.kit.b, index);
    match pointer.root {
        Root::Scratch { slot, .. } => {
            let last = Src::imm32(count.unwrap_or(1).saturating_sub(1));
            let index = v.kit.b.umin(index, last);
            let scale = stride.saturating_mul(slot);
            pointer.offset = Some(index::add_scaled(&mut v.kit.b, pointer.offset, index, scale));
        }
        Root::Stage(number) => {
            let count = count.unwrap_or(1);
            let elements = v
                .stage_memory
                .get(number as usize)
                .map(|memory| memory.elements(pointer.fixed, stride, count));
            let (count, distance) = elements.unwrap_or((count, 0));
            let index = v.kit.b.umin(index, Src::imm32(count.saturating_sub(1)));
            pointer.offset = Some(index::add_scaled(&mut v.kit.b, pointer.offset, index, distance));
        }
        _ => {
            let mut steps = pointer.steps.to_vec();
            steps.push(Step { stride, count: count.unwrap_or(1), index });
            pointer.steps = v.bump.alloc_slice_copy(&steps);
        }
    }
    Ok(())
}

/// One step in memory.
fn step_bytes<'a>(v: &mut Values<'_, 'a>, pointer: &mut Pointer<'a>, index: Src) -> Result<(), CompileError> {
    if let Kind::Struct { members } = v.types.kind(pointer.ty) {
        let number = index.as_imm().ok_or(MemoryError::DynamicMember)?;
        let member = members
            .get(number as usize)
            .ok_or(TypeError::NoMember { index: number, count: members.len() })?;
        let step = if pointer.layout == Layout::Natural { member.natural_offset } else { member.offset };
        let access = &mut pointer.access;
        access.set(Access::READONLY, access.contains(Access::READONLY) || member.readonly);
        access.set(Access::VOLATILE, access.contains(Access::VOLATILE) || member.volatile);
        pointer.fixed = pointer.fixed.wrapping_add(step);
        (pointer.ty, pointer.matrix) = (member.ty, member.matrix);
        return Ok(());
    }
    let stride = match pointer.component_stride {
        0 => v.types.stride(pointer.ty, pointer.layout, pointer.matrix)?,
        stride => stride,
    };
    let (ty, _) = v.types.element(pointer.ty, 0)?;
    let into_row_major = matches!(v.types.kind(pointer.ty), Kind::Matrix { .. })
        && pointer.layout == Layout::Explicit
        && pointer.matrix.row_major;
    let count = v.types.element_count(pointer.ty).unwrap_or(0);
    pointer.component_stride = if into_row_major { pointer.matrix.stride } else { 0 };
    pointer.ty = ty;
    match index.as_imm() {
        Some(constant) => {
            if constant >= u64::from(count) {
                pointer.access = anywhere(pointer.access);
            }
            pointer.fixed = pointer.fixed.wrapping_add(stride.wrapping_mul(constant as u32));
        }
        None => {
            if let Root::Buffer { base, .. } = pointer.root {
                v.kit.uniforms.note_indexed(base);
            }
            let index = index::index_word(&mut v.kit.b, index);
            pointer.offset = Some(index::add_scaled(&mut v.kit.b, pointer.offset, index, stride));
            pointer.align = pointer.align.min(1 << stride.trailing_zeros().min(31));
            pointer.access = anywhere(pointer.access);
        }
    }
    Ok(())
}

fn check_dynamic(v: &Values<'_, '_>, ty: Ty) -> Result<(), CompileError> {
    match v.types.kind(ty) {
        Kind::Struct { .. } => Err(MemoryError::DynamicMember.into()),
        _ => Ok(()),
    }
}

/// Defines the pointer that is the result of an instruction.
pub(super) fn define_pointer<'a>(
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    pointer: Pointer<'a>,
) -> Result<(), CompileError> {
    let ty = v.eval().ty(inst.word(0)?)?;
    if !matches!(v.types.kind(ty), Kind::Pointer { pointee: Some(to), .. } if to == pointer.ty) {
        return Err(MemoryError::Pointee.into());
    }
    let pointer = Pointer { pointer: Some(ty), ..pointer };
    v.define(inst.word(1)?, Def::Pointer(v.bump.alloc(pointer)))
}

/// Runs `act` with those of `ids` that are pointers with an address defined as values.
pub(super) fn with_pointers_as_values<'a, T>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    ids: &[u32],
    act: impl FnOnce(&mut Values<'_, 'a>) -> Result<T, CompileError>,
) -> Result<T, CompileError> {
    let mut changed = Vec::new();
    for id in ids {
        let pointer = match v.defs.get(*id as usize).copied() {
            Some(Def::Pointer(pointer)) => pointer,
            Some(Def::Global(index)) => match globals::global(m, v, index as usize) {
                Ok(pointer) => pointer,
                Err(_) => continue,
            },
            _ => continue,
        };
        if let Some((ty, leaves)) = pointer_value(v, pointer)
            && let Some(slot) = v.defs.get_mut(*id as usize)
        {
            changed.push((*id, std::mem::replace(slot, Def::Value(ty, leaves))));
        }
    }
    let result = act(v);
    for (id, def) in changed {
        if let Some(slot) = v.defs.get_mut(id as usize) {
            *slot = def;
        }
    }
    result
}

/// The pointer an id denotes.
pub(super) fn pointer<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    id: u32,
) -> Result<&'a Pointer<'a>, CompileError> {
    v.eval().check_visible(id)?;
    match v.defs.get(id as usize).copied() {
        Some(Def::Pointer(pointer)) => Ok(pointer),
        Some(Def::Global(index)) => globals::global(m, v, index as usize),
        Some(Def::Value(ty, leaves)) => {
            let pointer = pointer_from_value(v, ty, leaves)?;
            Ok(v.bump.alloc(pointer))
        }
        _ => Err(MemoryError::NotAPointer { id }.into()),
    }
}
