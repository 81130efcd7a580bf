//! Loads and stores.

use agx_abi::UniformSource;
use bumpalo::collections::Vec as ArenaVec;
use spirv::MemoryAccess;

use super::arith::{halves, join};
use super::chunks::{Chunk, chunks, chunks_of, memory_bits, push_loaded};
use super::pointer::{Pointer, Root, Step};
use super::types::{Layout, MatrixLayout, Ty};
use super::values::Values;
use super::words::Inst;
use super::{composite, index, kernel, stage_memory};
use crate::error::{CompileError, MemoryError};
use crate::frontend::kit::bounds::{self, Checked, Limit};
use crate::frontend::kit::limits::MAX_PUSH_CONSTANT_BYTES;
use crate::frontend::kit::{coverage, uniforms};
use crate::ir::build::alu::IntCond;
use crate::ir::function::Access;
use crate::ir::op::IrOp;
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::ir::{Arithmetic, Build};
use crate::ssa::Variable;

/// Maximum number of combinations of dynamic indices into scalar variables: each costs a comparison, and a
/// selection per scalar.
pub const MAX_SELECTED: u32 = 1024;

/// The memory operands of an instruction, starting at operand `index`.
pub(super) fn access_of(inst: &Inst<'_>, index: usize) -> Access {
    let mask = MemoryAccess::from_bits_truncate(inst.rest(index).first().copied().unwrap_or(0));
    let ordered =
        MemoryAccess::VOLATILE | MemoryAccess::MAKE_POINTER_AVAILABLE | MemoryAccess::MAKE_POINTER_VISIBLE;
    if mask.intersects(ordered) { Access::VOLATILE } else { Access::empty() }
}

/// The scalars of the value a pointer points to.
pub(super) fn load<'a>(
    v: &mut Values<'_, 'a>,
    pointer: &Pointer<'a>,
    access: Access,
) -> Result<&'a [Src], CompileError> {
    let widths = v.types.leaves(pointer.ty)?;
    match pointer.root {
        Root::Variables(base) => load_variables(v, pointer, base, widths.len() as u32),
        Root::Scratch { base, slot } => Ok(load_scratch(v, pointer, base, slot, widths)),
        Root::Stage(number) => stage_memory::load(v, pointer, number),
        _ if v.types.is_kernel => kernel::access::load(v, pointer, access),
        _ => load_memory(v, pointer, access),
    }
}

/// Stores scalars to the pointee.
pub(super) fn store<'a>(
    v: &mut Values<'_, 'a>,
    pointer: &Pointer<'a>,
    data: &[Src],
    access: Access,
) -> Result<(), CompileError> {
    check_stored(v, pointer, data)?;
    let is_volatile = (pointer.access | access).contains(Access::VOLATILE);
    match pointer.root {
        Root::Variables(base) => store_variables(v, pointer, base, data),
        Root::Stage(number) => stage_memory::store(v, pointer, number, data),
        // The contents never change: the variable would not be in the constant section otherwise.
        Root::Constants => Ok(()),
        Root::PushConstants => Err(MemoryError::WrittenPushConstants.into()),
        // Memory may keep what it holds.
        _ if !is_volatile && data.iter().all(|src| *src == uniforms::undefined(32)) => Ok(()),
        Root::Scratch { base, slot } => {
            store_scratch(v, pointer, base, slot, data);
            Ok(())
        }
        _ if v.types.is_kernel => kernel::access::store(v, pointer, data, access),
        _ => store_memory(v, pointer, data, access),
    }
}

/// Checks that scalars are those of a value of the pointee's type.
pub(super) fn check_stored(
    v: &Values<'_, '_>,
    pointer: &Pointer<'_>,
    data: &[Src],
) -> Result<(), CompileError> {
    let widths = v.types.leaves(pointer.ty)?;
    let fits = widths.len() == data.len()
        && widths.iter().zip(data).all(|(bits, src)| v.kit.b.f.width(*src) == *bits);
    if fits {
        Ok(())
    } else {
        Err(MemoryError::StoredType { expected: widths.len(), found: data.len() }.into())
    }
}

/// The elements that computed indices may select.
pub(super) struct Candidates {
    /// Number and position in scalar variables of each element.
    pub elements: Vec<(u32, u32)>,
    /// The number of the selected element.
    pub chosen: Src,
}

/// The elements that the indices `steps` may select. Positions are numbered in units of the greatest common divisor of
/// all strides, so that a single index is its own number.
pub(super) fn candidates(v: &mut Values<'_, '_>, steps: &[Step]) -> Result<Candidates, CompileError> {
    let unit = steps.iter().fold(0, |unit, step| greatest_common_divisor(unit, step.stride)).max(1);
    let mut elements = vec![(0u32, 0u32)];
    let mut chosen = None;
    for step in steps {
        if (elements.len() as u64).saturating_mul(step.count.into()) > u64::from(MAX_SELECTED) {
            return Err(MemoryError::Selected { most: MAX_SELECTED }.into());
        }
        let scale = step.stride.checked_div(unit).unwrap_or(0);
        let each = |(number, place): &(u32, u32)| {
            let (number, place) = (*number, *place);
            (0..step.count)
                .map(move |index| {
                    let (numbers, places) = (index.wrapping_mul(scale), index.wrapping_mul(step.stride));
                    (number.wrapping_add(numbers), place.wrapping_add(places))
                })
                .collect::<Vec<_>>()
        };
        elements = elements.iter().flat_map(each).collect();
        chosen = Some(index::add_scaled(&mut v.kit.b, chosen, step.index, scale));
    }
    Ok(Candidates { elements, chosen: chosen.unwrap_or(Src::imm32(0)) })
}

fn greatest_common_divisor(mut a: u32, mut b: u32) -> u32 {
    while let Some(rest) = a.checked_rem(b) {
        (a, b) = (b, rest);
    }
    a
}

fn load_variables<'a>(
    v: &mut Values<'_, 'a>,
    pointer: &Pointer<'a>,
    base: Variable,
    count: u32,
) -> Result<&'a [Src], CompileError> {
    let first = base.at(pointer.fixed);
    if pointer.steps.is_empty() {
        let read = |leaf: usize| v.kit.vars.read(&mut v.kit.b, first.at(leaf as u32));
        return Ok(v.bump.alloc_slice_fill_with(count as usize, read));
    }
    let Candidates { elements, chosen } = candidates(v, pointer.steps)?;
    let mut result = Vec::with_capacity(count as usize);
    for leaf in 0..count {
        let read = |(number, place): &(u32, u32)| {
            (*number, v.kit.vars.read(&mut v.kit.b, first.at(*place).at(leaf)))
        };
        let values: Vec<(u32, Src)> = elements.iter().map(read).collect();
        result.push(composite::choose(&mut v.kit.b, &values, chosen)?);
    }
    Ok(v.bump.alloc_slice_copy(&result))
}

fn store_variables<'a>(
    v: &mut Values<'_, 'a>,
    pointer: &Pointer<'a>,
    base: Variable,
    data: &[Src],
) -> Result<(), CompileError> {
    let first = base.at(pointer.fixed);
    if pointer.steps.is_empty() {
        for (leaf, src) in data.iter().enumerate() {
            v.kit.vars.write(&v.kit.b, first.at(leaf as u32), *src);
        }
        return Ok(());
    }
    let Candidates { elements, chosen } = candidates(v, pointer.steps)?;
    for (number, place) in elements {
        let hit = v.kit.b.icmp(IntCond::EQ, chosen, Src::imm32(number));
        for (leaf, src) in data.iter().enumerate() {
            let variable = first.at(place).at(leaf as u32);
            let old = v.kit.vars.read(&mut v.kit.b, variable);
            let new = v.kit.b.select(hit, *src, old);
            v.kit.vars.write(&v.kit.b, variable, new);
        }
    }
    Ok(())
}

/// Offset of scalar `leaf` of the pointee in stack memory.
fn scratch_offset<'a>(
    v: &mut Values<'_, 'a>,
    pointer: &Pointer<'a>,
    base: u32,
    slot: u32,
    leaf: usize,
) -> Src {
    let place = pointer.fixed.wrapping_add(leaf as u32);
    let fixed = Src::imm32(base.wrapping_add(place.wrapping_mul(slot)));
    pointer.offset.map_or(fixed, |offset| v.kit.b.iadd(offset, fixed))
}

fn load_scratch<'a>(
    v: &mut Values<'_, 'a>,
    pointer: &Pointer<'a>,
    base: u32,
    slot: u32,
    widths: &[u8],
) -> &'a [Src] {
    let mut result = Vec::with_capacity(widths.len());
    for (leaf, bits) in widths.iter().enumerate() {
        let offset = scratch_offset(v, pointer, base, slot, leaf);
        let words = if *bits == 64 { 2 } else { 1 };
        let loaded = Src::value(v.kit.b.value(IrOp::LoadScratch, Type::vector(32, words), &[offset], &[]));
        result.push(match bits {
            64 => v.kit.b.collect(Type::B64, &[loaded]),
            1 => v.kit.b.icmp(IntCond::NE, loaded, Src::imm32(0)),
            bits => v.kit.b.uconv(loaded, *bits),
        });
    }
    v.bump.alloc_slice_copy(&result)
}

fn store_scratch<'a>(v: &mut Values<'_, 'a>, pointer: &Pointer<'a>, base: u32, slot: u32, data: &[Src]) {
    for (leaf, src) in data.iter().enumerate() {
        let offset = scratch_offset(v, pointer, base, slot, leaf);
        let word = if v.kit.b.f.width(*src) == 64 {
            let (low, high) = halves(&mut v.kit.b, *src);
            v.kit.b.collect(Type::vector(32, 2), &[low, high])
        } else {
            v.kit.b.uconv(*src, 32)
        };
        v.kit.b.effect(IrOp::StoreScratch, &[word, offset], &[]);
    }
}

/// The bytes of constant scalars of type `ty` in private memory.
pub(super) fn bytes_of(v: &Values<'_, '_>, ty: Ty, leaves: &[Src]) -> Result<Vec<u8>, CompileError> {
    let mut list = ArenaVec::new_in(v.bump);
    chunks(v.types, ty, Layout::Natural, MatrixLayout::default(), 0, 0, &mut list)?;
    let mut bytes = vec![0; v.types.natural(ty).0 as usize];
    let mut rest = leaves.iter();
    for chunk in list {
        let size = usize::from(memory_bits(chunk.bits) / 8);
        for (index, leaf) in rest.by_ref().take(chunk.count as usize).enumerate() {
            let value = leaf.as_imm().ok_or_else(|| CompileError::internal("a constant without a value"))?;
            let start = (chunk.offset as usize).saturating_add(index.saturating_mul(size));
            for (byte, new) in bytes.iter_mut().skip(start).zip(value.to_le_bytes()).take(size) {
                *byte = new;
            }
        }
    }
    Ok(bytes)
}

/// Byte offset of a chunk, and a power of two that divides it.
fn chunk_offset<'a>(v: &mut Values<'_, 'a>, pointer: &Pointer<'a>, chunk: &Chunk) -> (Src, u32) {
    let fixed = pointer.fixed.wrapping_add(chunk.offset);
    let align = pointer.align.min(1 << fixed.trailing_zeros().min(31));
    let constant = Src::imm32(fixed);
    let offset = match pointer.offset {
        Some(offset) if fixed == 0 => offset,
        Some(offset) => v.kit.b.iadd(offset, constant),
        None => constant,
    };
    (offset, align)
}

fn load_memory<'a>(
    v: &mut Values<'_, 'a>,
    pointer: &Pointer<'a>,
    access: Access,
) -> Result<&'a [Src], CompileError> {
    let mut result = ArenaVec::with_capacity_in(v.types.leaves(pointer.ty)?.len(), v.bump);
    for chunk in chunks_of(v, pointer)? {
        let bits = memory_bits(chunk.bits);
        if matches!(pointer.root, Root::PushConstants) && pointer.offset.is_none() && bits >= 16 {
            load_push_constant(v, pointer.fixed.wrapping_add(chunk.offset), &chunk, &mut result)?;
            continue;
        }
        let (offset, align) = chunk_offset(v, pointer, &chunk);
        let words = if bits == 64 { 2 } else { 1 };
        let ty = Type::vector(bits.min(32), chunk.count.wrapping_mul(words) as u8);
        let parts = match pointer.root {
            Root::Local => {
                let loaded = v.kit.b.value(IrOp::LoadLocal, ty, &[offset], &[align]);
                v.kit.b.split(Src::value(loaded), Type::scalar(ty.bits), usize::from(ty.comps))
            }
            root => {
                let (base, access) = base(v, root, pointer.access | access)?;
                let asked = bounds::Access { base, offset: (offset, pointer.align), ty };
                let checked = match is_inside(pointer) {
                    // The first texel always exists.
                    Some(inside) => {
                        let offset = v.kit.b.select(inside, offset, Src::imm32(0));
                        Checked { base, offset, is_inside: Some(inside) }
                    }
                    None if matches!(root, Root::Buffer { limit: None, .. }) => {
                        bounds::unchecked_load(&mut v.kit, asked)
                    }
                    None => bounds::load(&mut v.kit, limit(root), asked),
                };
                let srcs = [checked.base, checked.offset];
                let loaded = v.kit.b.value(IrOp::LoadGlobal, ty, &srcs, &[access.bits(), align]);
                let mut parts =
                    v.kit.b.split(Src::value(loaded), Type::scalar(ty.bits), usize::from(ty.comps));
                parts.iter_mut().for_each(|part| *part = checked.loaded(&mut v.kit, *part));
                parts
            }
        };
        push_loaded(v, &parts, chunk.bits, &mut result);
    }
    Ok(result.into_bump_slice())
}

fn load_push_constant(
    v: &mut Values<'_, '_>,
    at: u32,
    chunk: &Chunk,
    result: &mut ArenaVec<'_, Src>,
) -> Result<(), CompileError> {
    let bits = memory_bits(chunk.bits);
    let bytes = u32::from(bits) / 8;
    if at > MAX_PUSH_CONSTANT_BYTES.saturating_sub(bytes.saturating_mul(chunk.count)) {
        return Err(MemoryError::PushConstants { at, most: MAX_PUSH_CONSTANT_BYTES }.into());
    }
    if !at.is_multiple_of(bytes.min(4)) {
        return Err(MemoryError::Unaligned { at, align: bytes.min(4) }.into());
    }
    for index in 0..chunk.count {
        let at = at.wrapping_add(index.wrapping_mul(bytes));
        if bits == 64 {
            let [low, high] = v.kit.uniforms.push_address(at);
            result.push(join(&mut v.kit.b, low, high));
        } else {
            let word = v.kit.uniforms.push_constant(at, bits);
            push_loaded(v, &[word], chunk.bits, result);
        }
    }
    Ok(())
}

/// What limits accesses to the pointee.
fn limit(root: Root) -> Option<Limit> {
    match root {
        Root::Buffer { limit, .. } => limit,
        _ => None,
    }
}

/// Whether the texel pointed to is in its image, if that matters.
fn is_inside(pointer: &Pointer<'_>) -> Option<Src> {
    pointer.texel.and_then(|texel| texel.is_inside)
}

/// Checks a store or an atomic.
pub(super) fn effect(v: &mut Values<'_, '_>, pointer: &Pointer<'_>, access: bounds::Access) -> Checked {
    match is_inside(pointer) {
        Some(inside) => Checked { base: access.base, offset: access.offset.0, is_inside: Some(inside) },
        None => bounds::effect(&mut v.kit, limit(pointer.root), access),
    }
}

/// Address and access flags of a root in device memory.
fn base(v: &mut Values<'_, '_>, root: Root, access: Access) -> Result<(Src, Access), CompileError> {
    match root {
        Root::Buffer { base, .. } => Ok((base, access)),
        Root::PushConstants => {
            let address = v.kit.uniforms.get(UniformSource::PushConstantAddress, 0, 64);
            Ok((address, access | Access::READONLY))
        }
        Root::Constants => {
            let address = v.kit.uniforms.get(UniformSource::ConstantAddress, 0, 64);
            Ok((address, Access::READONLY | Access::SPECULATABLE))
        }
        _ => Err(MemoryError::BufferArray.into()),
    }
}

fn store_memory<'a>(
    v: &mut Values<'_, 'a>,
    pointer: &Pointer<'a>,
    data: &[Src],
    access: Access,
) -> Result<(), CompileError> {
    let guard = match pointer.root {
        Root::Local => None,
        _ => Some(coverage::guard_store(&mut v.kit)),
    };
    let mut rest = data;
    for chunk in chunks_of(v, pointer)? {
        let (now, later) = rest.split_at(chunk.count as usize);
        rest = later;
        let bits = memory_bits(chunk.bits);
        let mut parts = Vec::with_capacity(now.len().saturating_mul(2));
        for src in now {
            if bits == 64 {
                let (low, high) = halves(&mut v.kit.b, *src);
                parts.extend([low, high]);
            } else {
                parts.push(v.kit.b.uconv(*src, bits));
            }
        }
        let ty = Type::vector(bits.min(32), parts.len() as u8);
        let vector = v.kit.b.collect(ty, &parts);
        let (offset, align) = chunk_offset(v, pointer, &chunk);
        match pointer.root {
            Root::Local => v.kit.b.effect(IrOp::StoreLocal, &[vector, offset], &[align]),
            root => {
                let (base, access) = base(v, root, (pointer.access | access).difference(Access::READONLY))?;
                v.kit.memory.writes_memory = true;
                let asked = bounds::Access { base, offset: (offset, pointer.align), ty };
                let checked = effect(v, pointer, asked);
                checked.begin(&mut v.kit);
                let srcs = [vector, checked.base, checked.offset];
                v.kit.b.effect(IrOp::StoreGlobal, &srcs, &[access.bits(), align]);
                checked.end(&mut v.kit);
            }
        }
    }
    fence_texels(v, pointer);
    if let Some(guard) = guard {
        coverage::end_guard(&mut v.kit, guard);
    }
    Ok(())
}

/// Makes memory operations through the pointer visible to texel loads.
pub(super) fn fence_texels<'a>(v: &mut Values<'_, 'a>, pointer: &Pointer<'a>) {
    if pointer.texel.is_some() {
        v.kit.b.effect(IrOp::FenceTexels, &[], &[1]);
    }
}
