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

impl Seam {
    /// Whether a construct begins.
    pub fn opens(self) -> bool {
        matches!(self, Seam::If | Seam::Loop | Seam::Scope)
    }

    /// Whether a construct ends.
    pub fn closes(self) -> bool {
        matches!(self, Seam::EndIf | Seam::EndLoop | Seam::EndScope)
    }

    /// Number of constructs open after the seam, if `depth` are open before it.
    pub fn depth_after(self, depth: u32) -> u32 {
        (depth + u32::from(self.opens())).saturating_sub(u32::from(self.closes()))
    }
}

/// A block and the bracket after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// The block.
    pub block: Block,
    /// The bracket before the next segment's block.
    pub seam: Seam,
}

/// The segment that ends the region which contains segment `index`: the first closing or dividing seam that does not belong to
/// a construct opened from there on.
pub fn end_of_region(layout: &[Segment], index: usize) -> usize {
    let mut depth = 0;
    let ends = layout.iter().enumerate().skip(index).find(|(_, segment)| {
        let is_end = depth == 0 && !segment.seam.opens();
        depth = segment.seam.depth_after(depth);
        is_end
    });
    ends.map_or(layout.len() - 1, |(at, _)| at)
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
