//! Reserves stack memory at the start of a program that uses it.

use agx_isa::table::Opcode;

use crate::error::CompileError;
use crate::ir::op::mods_with;
use crate::ir::{Function, IrOp, Op, Src};

/// Words that Apple's compiler and Mesa reserve beyond what is used.
const RESERVED_WORDS: u32 = 10;

/// Most words a program may reserve.
const MAX_WORDS: u32 = 32_767;

/// Words of stack that a program of `scratch_bytes` reserves.
pub fn frame_words(scratch_bytes: u32) -> u32 {
    match scratch_bytes {
        0 => 0,
        bytes => (bytes.div_ceil(4) + RESERVED_WORDS).next_multiple_of(4),
    }
}

/// Inserts `stack_adjust` for `scratch_bytes` of stack, if there are any.
///
/// # Errors
/// More stack than the hardware maps is a limit.
pub fn lower_frame(f: &mut Function<'_>, scratch_bytes: u32) -> Result<(), CompileError> {
    let words = frame_words(scratch_bytes);
    if words == 0 {
        return Ok(());
    }
    if words >= MAX_WORDS {
        return Err(CompileError::limit(format!(
            "the shader needs {scratch_bytes} bytes of stack; the hardware maps less than {} words",
            MAX_WORDS
        )));
    }
    let adjust =
        f.make_inst(Opcode::StackAdjust, &[], &[Src::imm32(words)], &mods_with(Opcode::StackAdjust, &[]), 0);
    let entry = f.entry();
    let preloads = f.block(entry).insts.iter();
    let place = preloads.take_while(|inst| f.insts[**inst].op == Op::Ir(IrOp::Preload)).count();
    f.block_mut(entry).insts.insert(place, adjust);
    Ok(())
}
