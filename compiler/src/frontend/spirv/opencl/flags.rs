//! Atomic flags.

use super::super::kernel::access::atomic;
use super::super::kernel::wrong;
use super::super::owners::Memory;
use super::super::pointer::Pointer;
use super::super::values::Values;
use super::super::words::Inst;
use super::super::{memory, pointers};
use crate::error::CompileError;
use crate::frontend::kit::buffers::Atomic;
use crate::ir::Arithmetic;
use crate::ir::build::alu::IntCond;
use crate::ir::function::Access;
use crate::ir::src::Src;

/// The word of a flag.
fn flag<'a>(m: &mut Memory<'a>, v: &mut Values<'_, 'a>, id: u32) -> Result<Pointer<'a>, CompileError> {
    let pointer = *pointers::pointer(m, v, id)?;
    match v.types.leaves(pointer.ty)? {
        [32] => Ok(pointer),
        _ => Err(wrong("a pointer to an integer of 32 bits")),
    }
}

/// `OpAtomicFlagTestAndSet`.
pub(in super::super) fn test_and_set<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let pointer = flag(m, v, inst.word(2)?)?;
    let old = atomic(v, &pointer, Atomic::Exchange, &[Src::imm32(1)])?;
    let was_set = v.kit.b.icmp(IntCond::NE, old, Src::imm32(0));
    v.define_leaves(inst, &[was_set])
}

/// `OpAtomicFlagClear`.
pub(in super::super) fn clear_flag<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let pointer = flag(m, v, inst.word(0)?)?;
    memory::store(v, &pointer, &[Src::imm32(0)], Access::VOLATILE)
}
