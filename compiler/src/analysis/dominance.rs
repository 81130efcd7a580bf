//! Immediate dominators.
//!
//! The layout is a reverse postorder of the forward edges, and the source of each back edge is dominated by
//! its target. One pass over the layout is therefore exact, without iteration.

use bumpalo::Bump;

use crate::ir::entity::Block;
use crate::ir::function::Function;
use crate::ir::table::ScratchSide;

/// The dominator tree of the reachable blocks.
pub struct Dominance<'s> {
    parent: ScratchSide<'s, Block, Option<Block>>,
    /// Position in the layout plus one; 0 for unreachable blocks.
    position: ScratchSide<'s, Block, u32>,
}

impl Dominance<'_> {
    /// The immediate dominator; `None` for the entry and for unreachable blocks.
    pub fn parent(&self, block: Block) -> Option<Block> {
        self.parent[block]
    }

    /// Whether `block` is reachable from the entry.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.position[block] != 0
    }

    /// The position of a block in program order: of two blocks on the way to a third, the one with the lower position
    /// dominates the other.
    pub fn position(&self, block: Block) -> u32 {
        self.position[block]
    }

    /// Whether every path from the entry to `below` passes `above`; a reachable block dominates itself.
    #[cfg(test)]
    pub fn dominates(&self, above: Block, below: Block) -> bool {
        let mut at = Some(below);
        while let Some(block) = at {
            if self.position[block] <= self.position[above] {
                return block == above && self.is_reachable(block);
            }
            at = self.parent[block];
        }
        false
    }

    /// The lowest common dominator of two reachable blocks.
    pub fn meet(&self, mut a: Block, mut b: Block) -> Block {
        while a != b {
            let upper = if self.position[a] > self.position[b] { &mut a } else { &mut b };
            *upper = self.parent[*upper].expect("invariant: the entry dominates every reachable block");
        }
        a
    }
}

/// Computes the dominator tree in `scratch`. Requires current edges ([`Function::compute_cfg`]).
pub fn dominance<'s>(f: &Function<'_>, scratch: &'s Bump) -> Dominance<'s> {
    let count = f.blocks.len();
    let mut tree = Dominance {
        parent: ScratchSide::new_in(scratch, count),
        position: ScratchSide::new_in(scratch, count),
    };
    for (index, block) in f.blocks_in_order().enumerate() {
        let preds = f.block(block).preds.iter().filter(|pred| tree.is_reachable(**pred));
        let parent = preds.copied().reduce(|a, b| tree.meet(a, b));
        if index == 0 || parent.is_some() {
            tree.parent[block] = parent;
            tree.position[block] = index as u32 + 1;
        }
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::builder::Builder;
    use crate::ir::src::Src;

    #[test]
    fn tree_of_a_loop_with_a_break() {
        let bump = Bump::new();
        let mut f = Function::new(&bump, "test");
        let mut b = Builder::start(&mut f);
        let entry = b.block();
        let blocks = b.begin_loop();
        let after_if = b.begin_if(Src::bool(true));
        let then = b.block();
        b.jump(blocks.after);
        b.begin_else();
        let otherwise = b.block();
        b.end_if();
        b.end_loop();
        let dead = b.begin_if(Src::bool(true));
        b.halt();
        b.begin_else();
        b.halt();
        b.end_if();
        b.finish();

        let scratch = Bump::new();
        let tree = dominance(&f, &scratch);
        assert_eq!(tree.parent(entry), None);
        assert_eq!(tree.parent(blocks.header), Some(entry));
        assert_eq!(tree.parent(after_if), Some(otherwise));
        assert_eq!(tree.parent(blocks.after), Some(then));
        assert!(tree.dominates(blocks.header, blocks.after) && tree.dominates(then, then));
        assert!(!tree.dominates(otherwise, blocks.after) && !tree.dominates(blocks.after, entry));
        assert!(!tree.is_reachable(dead) && !tree.dominates(dead, dead) && !tree.dominates(entry, dead));
    }
}
