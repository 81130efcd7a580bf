//! Regions: a coarse dominator tree read off the structured layout in linear time.
//!
//! A region is a chain of blocks, each of which dominates the next in program order; a region dominates its
//! children from the point where they branch off. An arm, a loop's body or a scope is a child of the region
//! before it, with two refinements: the first block of a loop or scope belongs to the surrounding region,
//! because it is always executed, and when only one arm of an if reaches the join, the join continues that
//! arm's region.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::ir::{Block, Function, ScratchSide, Seam};

/// A region by number; parents have smaller numbers than their children.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Region(u32);

/// The region of each block, and the tree of regions.
pub(crate) struct Regions<'s> {
    of_block: ScratchSide<'s, Block, Region>,
    /// First preorder number and number of regions of each subtree.
    subtrees: &'s [(u32, u32)],
}

/// An open construct.
struct Frame {
    /// Region to return to.
    base: Region,
    /// Where the then-arm ended, and whether its end reaches the join.
    then_end: Option<(Region, bool)>,
    /// The construct's first block is still open.
    at_first_block: bool,
}

impl<'s> Regions<'s> {
    /// Computes the regions of `f`.
    pub(crate) fn of(f: &Function<'_>, scratch: &'s Bump) -> Regions<'s> {
        Regions::with(f, true, scratch)
    }

    /// The regions of `f` without the second refinement: joins continue no arm. A region that dominates a later one then
    /// dominates all between them.
    pub(crate) fn nested(f: &Function<'_>, scratch: &'s Bump) -> Regions<'s> {
        Regions::with(f, false, scratch)
    }

    fn with(f: &Function<'_>, continues_arms: bool, scratch: &'s Bump) -> Regions<'s> {
        if f.layout.len() == 1 {
            return Regions { of_block: ScratchSide::later_in(scratch, 0), subtrees: &[] };
        }
        let mut of_block = ScratchSide::new_in(scratch, f.blocks.len());
        // Most segments begin a region.
        let mut parents = ArenaVec::with_capacity_in(f.layout.len() + 1, scratch);
        parents.push(Region(0));
        let mut frames = ArenaVec::new_in(scratch);
        let mut current = Region(0);
        for segment in f.layout {
            of_block[segment.block] = current;
            if let Some(frame) = frames.last_mut().filter(|frame: &&mut Frame| frame.at_first_block) {
                frame.at_first_block = false;
                current = child(&mut parents, current);
            }
            let falls_through = !continues_arms || f.terminator(segment.block).is_none();
            current = cross(segment.seam, current, falls_through, &mut frames, &mut parents);
        }
        Regions { of_block, subtrees: number(&parents, scratch) }
    }

    /// The region of `block`.
    pub(crate) fn region(&self, block: Block) -> Region {
        self.of_block[block]
    }

    /// Whether everything computed in `a` before a point of program order is available in `b` at that point.
    pub(crate) fn dominates(&self, a: Region, b: Region) -> bool {
        if a == b {
            return true;
        }
        let (first, count) = self.subtrees[a.0 as usize];
        let (number, _) = self.subtrees[b.0 as usize];
        (first..first + count).contains(&number)
    }
}

fn child(parents: &mut ArenaVec<'_, Region>, parent: Region) -> Region {
    parents.push(parent);
    Region(parents.len() as u32 - 1)
}

/// The region after `seam`.
fn cross(
    seam: Seam,
    current: Region,
    falls_through: bool,
    frames: &mut ArenaVec<'_, Frame>,
    parents: &mut ArenaVec<'_, Region>,
) -> Region {
    match seam {
        Seam::If => {
            frames.push(Frame { base: current, then_end: None, at_first_block: false });
            child(parents, current)
        }
        Seam::Else => {
            let Some(frame) = frames.last_mut() else { return current };
            frame.then_end = Some((current, falls_through));
            child(parents, frame.base)
        }
        Seam::EndIf => {
            let Some(frame) = frames.pop() else { return current };
            match (frame.then_end, falls_through) {
                (Some((_, false)), true) => current,
                (Some((then_end, true)), false) => then_end,
                _ => frame.base,
            }
        }
        Seam::Loop | Seam::Scope => {
            frames.push(Frame { base: current, then_end: None, at_first_block: true });
            current
        }
        Seam::EndLoop | Seam::EndScope => frames.pop().map_or(current, |frame| frame.base),
        Seam::End => current,
    }
}

/// Preorder numbers and subtree sizes, without a tree walk: children come after their parents.
fn number<'s>(parents: &[Region], scratch: &'s Bump) -> &'s [(u32, u32)] {
    let subtrees = scratch.alloc_slice_fill_copy(parents.len(), (0, 1));
    for index in (1..parents.len()).rev() {
        subtrees[parents[index].0 as usize].1 += subtrees[index].1;
    }
    let next = scratch.alloc_slice_fill_copy(parents.len(), 1);
    for index in 1..parents.len() {
        let parent = parents[index].0 as usize;
        subtrees[index].0 = next[parent];
        next[parent] += subtrees[index].1;
        next[index] = subtrees[index].0 + 1;
    }
    subtrees
}
