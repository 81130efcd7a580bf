//! Copies of bytes.

use super::super::kernel::access::{self, load_at, space, store_at};
use super::super::kernel::pointers::offset;
use super::super::owners::Memory;
use super::super::pointer::{Pointer, Root};
use super::super::values::Values;
use super::super::words::Inst;
use super::super::{memory, pointers};
use crate::error::{CompileError, KernelError};
use crate::frontend::kit::compute::Turns;
use crate::ir::Arithmetic;
use crate::ir::src::Src;
use crate::ir::types::Type;
use spirv::MemoryAccess;

/// Maximum number of bytes that are copied without a loop.
const MOST_UNROLLED: u32 = 512;

/// Maximum number of components of a memory access.
const COMPONENTS: u32 = 4;

/// `OpCopyMemorySized`.
pub(in super::super) fn copy_sized<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let (to, from) = (*pointers::pointer(m, v, inst.word(0)?)?, *pointers::pointer(m, v, inst.word(1)?)?);
    let id = inst.word(2)?;
    let bytes = v.eval().scalar(id)?.as_imm().and_then(|bytes| u32::try_from(bytes).ok());
    let bytes = bytes.ok_or(KernelError::CopiedBytes { id })?;
    if is_whole(v, &to, &from, bytes) {
        let data = memory::load(v, &from, memory::access_of(inst, 3))?;
        return memory::store(v, &to, data, memory::access_of(inst, 3));
    }
    let align = stated_alignment(inst.rest(3));
    copy(v, (&to, &from), bytes, align, memory::access_of(inst, 3))
}

/// Whether a copy is that of the whole variable in registers.
fn is_whole(v: &Values<'_, '_>, to: &Pointer<'_>, from: &Pointer<'_>, bytes: u32) -> bool {
    let in_registers = |pointer: &Pointer<'_>| matches!(pointer.root, Root::Variables(_));
    (in_registers(to) || in_registers(from)) && to.ty == from.ty && v.types.natural(to.ty).0 == bytes
}

fn stated_alignment(operands: &[u32]) -> u32 {
    match operands {
        [mask, align, ..] if MemoryAccess::from_bits_truncate(*mask).contains(MemoryAccess::ALIGNED) => {
            *align
        }
        _ => 1,
    }
}

/// Copies bytes between two places.
pub(super) fn copy<'a>(
    v: &mut Values<'_, 'a>,
    (to, from): (&Pointer<'a>, &Pointer<'a>),
    bytes: u32,
    align: u32,
    flags: crate::ir::function::Access,
) -> Result<(), CompileError> {
    if let Root::Generic { address } = to.root {
        return access::for_each_space(v, to, address, |v, to| copy(v, (to, from), bytes, align, flags));
    }
    if let Root::Generic { address } = from.root {
        return access::for_each_space(v, from, address, |v, from| copy(v, (to, from), bytes, align, flags));
    }
    let spaces = (space(to, flags)?, space(from, flags)?);
    let unit = if align.is_power_of_two() { align.min(4) } else { 1 };
    let starts = (offset(v, to), offset(v, from));
    let step = unit.saturating_mul(COMPONENTS);
    let looped = if bytes > MOST_UNROLLED { bytes & step.wrapping_neg() } else { 0 };
    if looped > 0 {
        let turns = Turns::begin(&mut v.kit, Src::imm32(0), [looped, step]);
        let at = turns.number;
        let places = (v.kit.b.iadd(starts.0, at), v.kit.b.iadd(starts.1, at));
        move_units(v, spaces, places, (unit, COMPONENTS));
        turns.end(&mut v.kit);
    }
    let mut done = looped;
    while done < bytes {
        let unit = unit.min(1 << bytes.saturating_sub(done).ilog2());
        let count = bytes.saturating_sub(done).checked_div(unit).unwrap_or(1).min(COMPONENTS);
        let at = Src::imm32(done);
        let places = (v.kit.b.iadd(starts.0, at), v.kit.b.iadd(starts.1, at));
        move_units(v, spaces, places, (unit, count));
        done = done.saturating_add(unit.saturating_mul(count));
    }
    Ok(())
}

/// Copies some units.
fn move_units(
    v: &mut Values<'_, '_>,
    (to, from): (access::Space, access::Space),
    (target, source): (Src, Src),
    (unit, count): (u32, u32),
) {
    let ty = Type::vector(unit.saturating_mul(8) as u8, count as u8);
    let parts = load_at(v, from, source, ty, unit);
    store_at(v, to, target, &parts, unit);
}
