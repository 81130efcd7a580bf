//! `printf`: a record in a buffer, which the driver prints after the launch.

use agx_abi::kernel::{PRINTF_HEADER_BYTES, PrintfFormat};
use agx_abi::{ArgumentKind, UniformSource};

use super::super::kernel::access::{Space, load_at, store_at};
use super::super::kernel::block::{block_scalar, implicit, state};
use super::super::kernel::pointers::{moved, value};
use super::super::kernel::{has_floats, wrong};
use super::super::module::Def;
use super::super::owners::Memory;
use super::super::pointer::{Pointer, Root};
use super::super::values::Values;
use super::super::words::Inst;
use super::super::{arith, pointers};
use crate::error::{CompileError, KernelError};
use crate::frontend::kit::buffers::{self, Atomic};
use crate::ir::Arithmetic;
use crate::ir::build::alu::IntCond;
use crate::ir::function::Access;
use crate::ir::src::Src;
use crate::ir::types::Type;

/// Maximum number of components of a store.
const COMPONENTS: usize = 4;

/// Where a pointer into the constant section points, if that is known.
fn constant_offset(v: &mut Values<'_, '_>, pointer: &Pointer<'_>) -> Option<u32> {
    let section = v.kit.uniforms.get(UniformSource::ConstantAddress, 0, 64);
    match pointer.root {
        Root::Buffer { base, .. } if base == section && pointer.offset.is_none() => Some(pointer.fixed),
        _ => None,
    }
}

/// The bytes of a string in the constant section.
fn text(v: &Values<'_, '_>, start: u32) -> Vec<u8> {
    let rest = v.kit.memory.constants.get(start as usize..).unwrap_or(&[]);
    rest.iter().copied().take_while(|byte| *byte != 0).collect()
}

/// The words of an argument, and the bytes of each of its scalars.
fn words<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    id: u32,
) -> Result<(Vec<Src>, Vec<u8>), CompileError> {
    if matches!(v.defs.get(id as usize), Some(Def::Pointer(_) | Def::Global(_))) {
        let pointer = *pointers::pointer(m, v, id)?;
        if let Some(offset) = constant_offset(v, &pointer) {
            return Ok((vec![Src::imm32(offset)], vec![4]));
        }
        let what = "a variable in registers has no address";
        let leaves = value(v, &pointer).ok_or(KernelError::PointerUse { what })?;
        let (low, high) = arith::halves(&mut v.kit.b, leaves.first().copied().unwrap_or(Src::imm(0, 64)));
        return Ok((vec![low, high], vec![8]));
    }
    let (ty, leaves) = v.eval().value(id)?;
    let is_float = has_floats(v, ty).unwrap_or(false);
    let (mut words, mut sizes) = (Vec::new(), Vec::new());
    for leaf in leaves {
        let b = &mut v.kit.b;
        let leaf = if is_float { b.fconv(*leaf, 64) } else { *leaf };
        match b.f.width(leaf) {
            64 => {
                let (low, high) = arith::halves(b, leaf);
                words.extend([low, high]);
                sizes.push(8);
            }
            1 => return Err(wrong("numbers and strings")),
            _ => {
                words.push(b.uconv(leaf, 32));
                sizes.push(4);
            }
        }
    }
    Ok((words, sizes))
}

/// The number of a format.
fn number(m: &mut Memory<'_>, format: PrintfFormat) -> Result<u32, CompileError> {
    let formats = &mut state(m)?.formats;
    let known = formats.iter().position(|known| *known == format);
    Ok(known.unwrap_or_else(|| {
        formats.push(format);
        formats.len().saturating_sub(1)
    }) as u32)
}

/// `printf`: takes room in the buffer, and stores the record if there is enough.
pub(super) fn print<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let format = *pointers::pointer(m, v, inst.word(4)?)?;
    let start = constant_offset(v, &format).ok_or_else(|| wrong("a constant string as format"))?;
    let text = text(v, start);
    let (mut record, mut sizes) = (vec![Src::imm32(0)], Vec::new());
    for id in inst.rest(5) {
        let (words, of_scalars) = words(m, v, *id)?;
        record.extend(words);
        sizes.extend(of_scalars);
    }
    if let Some(first) = record.first_mut() {
        *first = Src::imm32(number(m, PrintfFormat { text, sizes })?);
    }
    let place = implicit(m, ArgumentKind::PrintfBuffer, 8)?;
    let buffer = block_scalar(v, place, 64);
    let bytes = (record.len() as u32).saturating_mul(4);
    let kit = &mut v.kit;
    let at = buffers::atomic_unguarded(kit, Some(buffer), Src::imm32(0), Atomic::Add, &[Src::imm32(bytes)]);
    let space = Space::Device { base: buffer, access: Access::VOLATILE };
    let room = load_at(v, space, Src::imm32(4), Type::B32, 4);
    let room = room.first().copied().unwrap_or(Src::imm32(0));
    let end = v.kit.b.iadd(at, Src::imm32(bytes));
    let fits = v.kit.b.icmp(IntCond::ULE, end, room);
    let is_ahead = v.kit.b.icmp(IntCond::ULE, at, end);
    let fits = v.kit.b.and(fits, is_ahead);
    v.kit.b.begin_if(fits);
    let target = moved(v, buffer, at);
    let space = Space::Device { base: target, access: Access::empty() };
    for (index, parts) in (0u32..).zip(record.chunks(COMPONENTS)) {
        let before = index.saturating_mul(COMPONENTS as u32).saturating_mul(4);
        store_at(v, space, Src::imm32(PRINTF_HEADER_BYTES.saturating_add(before)), parts, 4);
    }
    v.kit.b.begin_else();
    v.kit.b.end_if();
    let result = v.kit.b.select(fits, Src::imm32(0), Src::imm32(u32::MAX));
    v.define_leaves(inst, &[result])
}
