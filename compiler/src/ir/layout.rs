//! The layout: blocks in program order, with the brackets that give them structure.

use super::entity::Block;

/// The bracket between a block and the next one in the layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seam {
    /// The block ends with `if`; the then-arm begins.
    If,
    /// The then-arm ends, the else-arm begins.
    Else,
    /// The else-arm ends; the next block is the join of both arms.
    EndIf,
    /// A loop begins: the next block is its header.
    Loop,
    /// The loop's body ends with the back edge; the next block is the target of breaks.
    EndLoop,
    /// A scope begins.
    Scope,
    /// The scope ends; the next block follows its end and is the target of breaks out of it.
    EndScope,
    /// The function ends.
    End,
}

/// A block and the bracket after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// The block.
    pub block: Block,
    /// The bracket before the next segment's block.
    pub seam: Seam,
}

/// How a block is left otherwise than through the seam after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Leaves {
    /// It is not.
    No,
    /// By a jump.
    Jump(Block),
    /// The invocation ends.
    Halt,
}
