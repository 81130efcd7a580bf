//! What pure operations compute: the one copy that the constant folder, the IR interpreter and the reference machine
//! share.

use crate::inst::OperandFlags;

/// A source as an operation reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source {
    /// The value, zero-extended to 64 bits. A float immediate arrives as the float it stands for, never as an imm8.
    pub bits: u64,
    /// Width in bits: 1, 8, 16, 32 or 64.
    pub width: u8,
    /// Modifiers; cache hints are ignored.
    pub flags: OperandFlags,
}

/// The inputs of a pure operation.
#[derive(Clone, Copy, Debug)]
pub struct PureArgs<'a> {
    /// Width of the destination in bits.
    pub dst_width: u8,
    /// Sources in row order.
    pub sources: &'a [Source],
    /// Modifiers (operands of role `Mod`) in row order.
    pub mods: &'a [u32],
}

/// A pure operation: the result is zero-extended from `dst_width` bits.
pub type PureFn = fn(&PureArgs<'_>) -> u64;
