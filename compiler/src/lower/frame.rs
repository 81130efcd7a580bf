//! Allocates the stack frame at the start of a program that uses stack memory.
//!
//! Before: stage final. After: the same.

use agx_isa::table::Opcode;

use crate::error::{BackEndError, CompileError};
use crate::ir::op::mods;
use crate::ir::{Function, IrOp, Op, Src};

/// Words that Apple's compiler and Mesa reserve in addition to those used.
const RESERVED_WORDS: u32 = 10;

/// Maximum number of words a program may reserve.
const MAX_WORDS: u32 = 32_767;

/// Which part allocates the stack frame that a part uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Frame {
    /// The part itself, for itself.
    #[default]
    Own,
    /// The part itself, also for a later part that needs a given number of bytes.
    Shared(u32),
    /// An earlier part.
    Opened,
}

impl Frame {
    /// Size of the frame in bytes that a part allocates which itself needs `scratch_bytes`.
    pub fn opened_bytes(self, scratch_bytes: u32) -> u32 {
        match self {
            Frame::Own => scratch_bytes,
            Frame::Shared(bytes) => scratch_bytes.max(bytes),
            Frame::Opened => 0,
        }
    }
}

/// Words of stack that a program with `scratch_bytes` reserves.
pub fn frame_words(scratch_bytes: u32) -> u32 {
    match scratch_bytes {
        0 => 0,
        bytes => (bytes.div_ceil(4) + RESERVED_WORDS).next_multiple_of(4),
    }
}

/// Inserts `stack_adjust` for a part that uses `scratch_bytes` of stack, if it allocates a frame.
///
/// # Errors
/// More stack than the hardware maps is a limit.
pub fn lower_frame(f: &mut Function<'_>, scratch_bytes: u32, frame: Frame) -> Result<(), CompileError> {
    if frame_words(scratch_bytes) >= MAX_WORDS {
        return Err(BackEndError::Stack { bytes: scratch_bytes, most_words: MAX_WORDS }.into());
    }
    let words = frame_words(frame.opened_bytes(scratch_bytes));
    if words == 0 {
        return Ok(());
    }
    let adjust = f.make_inst(Opcode::StackAdjust, &[], &[Src::imm32(words)], &mods(Opcode::StackAdjust), 0);
    let entry = f.entry();
    let preloads = f.block(entry).insts.iter();
    let place = preloads.take_while(|inst| f.insts[**inst].op == Op::Ir(IrOp::Preload)).count();
    f.block_mut(entry).insts.insert(place, adjust);
    Ok(())
}
