//! Loads, stores and atomics of kernels: with less than the natural alignment, in the memory of the lane, and through
//! generic pointers.

use bumpalo::collections::Vec as ArenaVec;
use spirv::MemoryAccess;

use super::super::arith::halves;
use super::super::chunks::{Chunk, chunks_of, memory_bits, push_loaded};
use super::super::composite::{join_integer, split_integer};
use super::super::pointer::{Pointer, Root};
use super::super::values::Values;
use super::pointers::{LOCAL, PRIVATE, UNREAD, is_tagged, moved, offset, upper};
use crate::error::{CompileError, KernelError};
use crate::frontend::kit::buffers::{self, Atomic};
use crate::ir::function::Access;
use crate::ir::op::IrOp;
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::ir::{Arithmetic, Build};

/// Maximum number of components of a memory access.
const MAX_COMPONENTS: usize = 4;

/// Memory that is accessed.
#[derive(Clone, Copy)]
pub(in super::super) enum Space {
    /// Device memory, relative to an address.
    Device { base: Src, access: Access },
    /// The memory of the workgroup.
    Local,
    /// The memory of the lane.
    Private,
}

/// The pointer with the alignment that the memory operands of an access state.
pub(in super::super) fn aligned<'a>(
    v: &Values<'_, 'a>,
    pointer: &'a Pointer<'a>,
    operands: &[u32],
) -> &'a Pointer<'a> {
    let natural = v.types.natural(pointer.ty).1.max(1);
    let align = match operands {
        [mask, align, ..] if MemoryAccess::from_bits_truncate(*mask).contains(MemoryAccess::ALIGNED) => {
            *align
        }
        _ => natural,
    };
    let align = if align.is_power_of_two() { align.min(natural.max(4)) } else { 1 };
    if align == pointer.align { pointer } else { v.bump.alloc(Pointer { align, ..*pointer }) }
}

/// Where a pointer points, if its memory is known.
pub(in super::super) fn space(pointer: &Pointer<'_>, access: Access) -> Result<Space, CompileError> {
    let access = pointer.access | access;
    match pointer.root {
        Root::Local => Ok(Space::Local),
        Root::Private => Ok(Space::Private),
        Root::Buffer { base, .. } => Ok(Space::Device { base, access }),
        Root::Unread => Err(KernelError::PointerUse { what: UNREAD }.into()),
        _ => Err(KernelError::PointerUse { what: "the memory has no address" }.into()),
    }
}

/// Loads components.
pub(in super::super) fn load_at(
    v: &mut Values<'_, '_>,
    space: Space,
    at: Src,
    ty: Type,
    align: u32,
) -> Vec<Src> {
    let b = &mut v.kit.b;
    let loaded = match space {
        Space::Device { base, access } => b.value(IrOp::LoadGlobal, ty, &[base, at], &[access.bits(), align]),
        Space::Local => b.value(IrOp::LoadLocal, ty, &[at], &[align]),
        Space::Private => b.value(IrOp::LoadScratch, ty, &[at], &[]),
    };
    b.split(Src::value(loaded), Type::scalar(ty.bits), usize::from(ty.comps)).to_vec()
}

/// Stores components of one width.
pub(in super::super) fn store_at(v: &mut Values<'_, '_>, space: Space, at: Src, parts: &[Src], align: u32) {
    let bits = parts.first().map_or(32, |part| v.kit.b.f.width(*part));
    let vector = v.kit.b.collect(Type::vector(bits, parts.len() as u8), parts);
    match space {
        Space::Device { base, access } => {
            v.kit.memory.writes_memory = true;
            let access = access.difference(Access::READONLY);
            v.kit.b.effect(IrOp::StoreGlobal, &[vector, base, at], &[access.bits(), align]);
        }
        Space::Local => v.kit.b.effect(IrOp::StoreLocal, &[vector, at], &[align]),
        Space::Private => v.kit.b.effect(IrOp::StoreScratch, &[vector, at], &[]),
    }
}

/// A part of an access that one instruction performs.
#[derive(Clone, Copy)]
struct Piece {
    /// Bytes after the pointer.
    at: u32,
    /// Width of its components.
    bits: u8,
    /// Number of components.
    count: usize,
    /// A power of two that divides its address.
    align: u32,
}

/// The pieces of a chunk at a pointer with an alignment.
fn pieces(chunk: &Chunk, align: u32) -> Vec<Piece> {
    let bits = memory_bits(chunk.bits);
    let align = align.min(1 << chunk.offset.trailing_zeros().min(31));
    let unit = (u32::from(bits) / 8).min(4).min(align.max(1));
    let units = (chunk.count.saturating_mul(u32::from(bits) / 8)).checked_div(unit).unwrap_or(0) as usize;
    let step = |first: usize| {
        let within = (first as u32).wrapping_mul(unit);
        Piece {
            at: chunk.offset.wrapping_add(within),
            bits: unit.saturating_mul(8) as u8,
            count: units.saturating_sub(first).min(MAX_COMPONENTS),
            align: align.min(1 << within.trailing_zeros().min(31)),
        }
    };
    (0..units).step_by(MAX_COMPONENTS).map(step).collect()
}

/// The offset of a pointer and a number of bytes.
fn offset_at<'a>(v: &mut Values<'_, 'a>, pointer: &Pointer<'a>, bytes: u32) -> Src {
    offset(v, &Pointer { fixed: pointer.fixed.wrapping_add(bytes), ..*pointer })
}

/// The scalars of the pointee.
pub(in super::super) fn load<'a>(
    v: &mut Values<'_, 'a>,
    pointer: &Pointer<'a>,
    access: Access,
) -> Result<&'a [Src], CompileError> {
    if let Root::Generic { address } = pointer.root {
        return load_generic(v, pointer, address, access);
    }
    let space = space(pointer, access)?;
    let mut result = ArenaVec::new_in(v.bump);
    for chunk in chunks_of(v, pointer)? {
        let bits = memory_bits(chunk.bits);
        let mut parts = Vec::new();
        for piece in pieces(&chunk, pointer.align) {
            let at = offset_at(v, pointer, piece.at);
            let ty = Type::vector(piece.bits, piece.count as u8);
            parts.extend(load_at(v, space, at, ty, piece.align));
        }
        let unit = parts.first().map_or(bits, |part| v.kit.b.f.width(*part));
        if unit < bits.min(32) {
            let joined = parts.chunks(usize::from(bits.checked_div(unit).unwrap_or(1)));
            let joined: Vec<Src> = joined.map(|group| join_integer(&mut v.kit.b, group, bits)).collect();
            let wide = joined.into_iter().flat_map(|scalar| match bits {
                64 => <[Src; 2]>::from(halves(&mut v.kit.b, scalar)).to_vec(),
                _ => vec![scalar],
            });
            parts = wide.collect();
        }
        push_loaded(v, &parts, chunk.bits, &mut result);
    }
    Ok(result.into_bump_slice())
}

/// Stores scalars to the pointee.
pub(in super::super) fn store<'a>(
    v: &mut Values<'_, 'a>,
    pointer: &Pointer<'a>,
    data: &[Src],
    access: Access,
) -> Result<(), CompileError> {
    if let Root::Generic { address } = pointer.root {
        return for_each_space(v, pointer, address, |v, pointer| store(v, pointer, data, access));
    }
    let space = space(pointer, access)?;
    let mut rest = data;
    for chunk in chunks_of(v, pointer)? {
        let (now, later) = rest.split_at_checked(chunk.count as usize).unwrap_or((rest, &[]));
        rest = later;
        let bits = memory_bits(chunk.bits);
        let pieces = pieces(&chunk, pointer.align);
        let unit = pieces.first().map_or(bits, |piece| piece.bits);
        let mut parts = Vec::new();
        for src in now {
            let scalar = v.kit.b.uconv(*src, bits);
            match unit == bits {
                true => parts.push(scalar),
                false => parts.extend(split_integer(&mut v.kit.b, scalar, unit)),
            }
        }
        for (piece, parts) in pieces.iter().zip(parts.chunks(MAX_COMPONENTS)) {
            let at = offset_at(v, pointer, piece.at);
            store_at(v, space, at, parts, piece.align);
        }
    }
    Ok(())
}

/// Runs `act` for each memory that a generic pointer may point into, in the lanes whose pointers do.
pub(in super::super) fn for_each_space<'a>(
    v: &mut Values<'_, 'a>,
    pointer: &Pointer<'a>,
    address: Src,
    mut act: impl FnMut(&mut Values<'_, 'a>, &Pointer<'a>) -> Result<(), CompileError>,
) -> Result<(), CompileError> {
    let moved_by = offset(v, pointer);
    let upper = upper(v, address);
    let low = v.kit.b.uconv(address, 32);
    let low = v.kit.b.iadd(low, moved_by);
    let within = Pointer { fixed: 0, offset: Some(low), access: pointer.access, ..*pointer };
    let is_local = is_tagged(v, upper, LOCAL);
    v.kit.b.begin_if(is_local);
    act(v, &Pointer { root: Root::Local, ..within })?;
    v.kit.b.begin_else();
    let is_private = is_tagged(v, upper, PRIVATE);
    v.kit.b.begin_if(is_private);
    act(v, &Pointer { root: Root::Private, ..within })?;
    v.kit.b.begin_else();
    let access = pointer.access | Access::SIGNED;
    act(v, &Pointer { root: Root::Buffer { base: address, limit: None }, access, ..*pointer })?;
    v.kit.b.end_if();
    v.kit.b.end_if();
    Ok(())
}

fn load_generic<'a>(
    v: &mut Values<'_, 'a>,
    pointer: &Pointer<'a>,
    address: Src,
    access: Access,
) -> Result<&'a [Src], CompileError> {
    let first = v.kit.vars.add(v.types.leaves(pointer.ty)?);
    for_each_space(v, pointer, address, |v, pointer| {
        let leaves = load(v, pointer, access)?;
        v.write_all(first, leaves);
        Ok(())
    })?;
    v.read_all(first, pointer.ty)
}

/// An atomic on a word; returns the old value.
pub(in super::super) fn atomic<'a>(
    v: &mut Values<'_, 'a>,
    pointer: &Pointer<'a>,
    atomic: Atomic,
    operands: &[Src],
) -> Result<Src, CompileError> {
    let by = offset(v, pointer);
    match pointer.root {
        Root::Local => Ok(buffers::atomic_unguarded(&mut v.kit, None, by, atomic, operands)),
        Root::Buffer { base, .. } => {
            let address = moved(v, base, by);
            Ok(buffers::atomic_unguarded(&mut v.kit, Some(address), Src::imm32(0), atomic, operands))
        }
        Root::Generic { address } => {
            let address = moved(v, address, by);
            let old = v.kit.vars.add(&[32]);
            let upper = upper(v, address);
            let is_local = is_tagged(v, upper, LOCAL);
            v.kit.b.begin_if(is_local);
            let low = v.kit.b.uconv(address, 32);
            let result = buffers::atomic_unguarded(&mut v.kit, None, low, atomic, operands);
            v.kit.vars.write(&v.kit.b, old, result);
            v.kit.b.begin_else();
            let result =
                buffers::atomic_unguarded(&mut v.kit, Some(address), Src::imm32(0), atomic, operands);
            v.kit.vars.write(&v.kit.b, old, result);
            v.kit.b.end_if();
            Ok(v.kit.vars.read(&mut v.kit.b, old))
        }
        _ => Err(KernelError::PointerUse { what: "an atomic outside of global and local memory" }.into()),
    }
}
