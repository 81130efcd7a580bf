//! Variables private to an invocation: scalar variables, stack memory, or the constant section.

use super::kernel;
use super::memory;
use super::owners::Memory;
use super::pointer::{Pointer, Root};
use super::types::{Kind, Layout, Ty};
use super::values::Values;
use crate::error::{CompileError, MemoryError};
use crate::frontend::kit::limits::{MAX_CONSTANT_BYTES, MAX_SCRATCH_BYTES};
use crate::ir::function::Access;
use crate::ir::src::Src;

/// Alignment of arrays in the constant section: that of the widest load.
const CONSTANT_ALIGN: u32 = 16;

/// Allocates a variable private to its invocation: in the constant section if it is indexed dynamically and
/// never changes, in stack memory if it is another dynamically indexed array that is too long for selections,
/// else in scalar variables.
pub(super) fn allocate<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    id: u32,
    ty: Ty,
) -> Result<Pointer<'a>, CompileError> {
    if matches!(v.types.kind(ty), Kind::Image(_) | Kind::Sampler | Kind::SampledImage { .. }) {
        return Ok(Pointer::new(Root::Handle, ty, Layout::Natural, Access::empty()));
    }
    let widths = v.types.leaves(ty)?;
    let constant = m.usage.constant(id).filter(|leaves| leaves.len() == widths.len() && !v.types.is_kernel);
    if let Some(leaves) = constant {
        let fixed = constant_array(m, v, ty, leaves)?;
        return Ok(constants(ty, fixed));
    }
    if m.usage.needs_memory(id) && v.types.is_kernel {
        return kernel::pointers::in_stack(v, ty);
    }
    if m.usage.needs_memory(id) {
        let pointer = in_stack(v, ty)?;
        if let (Some(named), Root::Scratch { base, slot }) = (&mut v.kit.vars.named, pointer.root) {
            named.place(&v.kit.b, id, widths.len(), (base, slot));
        }
        return Ok(pointer);
    }
    let first = v.kit.vars.add(widths);
    v.mark_variable(id, first, ty);
    Ok(Pointer::new(Root::Variables(first), ty, Layout::Natural, Access::empty()))
}

/// Allocates stack memory.
pub(super) fn in_stack<'a>(v: &mut Values<'_, 'a>, ty: Ty) -> Result<Pointer<'a>, CompileError> {
    let widths = v.types.leaves(ty)?;
    let slot = if widths.contains(&64) { 8 } else { 4 };
    let base = v.kit.memory.take_stack((widths.len() as u32).saturating_mul(slot));
    if v.kit.memory.scratch_bytes > MAX_SCRATCH_BYTES {
        return Err(MemoryError::Stack { most: MAX_SCRATCH_BYTES }.into());
    }
    Ok(Pointer::new(Root::Scratch { base, slot }, ty, Layout::Natural, Access::empty()))
}

/// A pointer into the constant section.
pub(super) fn constants<'a>(ty: Ty, fixed: u32) -> Pointer<'a> {
    Pointer { fixed, ..Pointer::new(Root::Constants, ty, Layout::Natural, Access::empty()) }
}

/// The offset of scalars in the constant section. Equal arrays are shared.
pub(super) fn constant_array<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    ty: Ty,
    leaves: &'a [Src],
) -> Result<u32, CompileError> {
    let known = m.constants.arrays.iter().find(|known| (known.0, known.1) == (ty, leaves));
    if let Some((_, _, start)) = known {
        return Ok(*start);
    }
    let bytes = memory::bytes_of(v, ty, leaves)?;
    let section = &mut v.kit.memory.constants;
    let start = (section.len() as u32).next_multiple_of(CONSTANT_ALIGN);
    if bytes.len() > MAX_CONSTANT_BYTES.saturating_sub(start) as usize {
        return Err(MemoryError::Constants { most: MAX_CONSTANT_BYTES }.into());
    }
    section.resize(start as usize, 0);
    section.extend_from_slice(&bytes);
    m.constants.arrays.push((ty, leaves, start));
    Ok(start)
}
