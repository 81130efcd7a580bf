//! Regions: a coarse dominator tree read off the structured layout in linear time.
//!
//! A region is a chain of blocks, each of which dominates the next in program order; a region dominates its
//! children from the point where they branch off. An arm, a loop's body or a scope is a child of the region
//! before it, with two refinements: the first block of a loop or scope belongs to the surrounding region,
//! because it is always executed, and when only one arm of an if reaches the join, the join continues that
//! arm's region.

use crate::ir::{Block, Function, Seam, Side, TYPICAL_DEPTH};

/// A region by number; parents have smaller numbers than their children.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Region(u32);

impl Region {
    /// The region of the first block.
    pub(crate) const FIRST: Region = Region(0);
}

/// The region of each block, and the tree of regions.
pub(crate) struct Regions {
    of_block: Side<Block, Region>,
    /// First preorder number and number of regions of each subtree.
    subtrees: Vec<(u32, u32)>,
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

impl Regions {
    /// Computes the regions of `f`.
    pub(crate) fn of(f: &Function<'_>) -> Regions {
        if f.layout.len() == 1 {
            return Regions { of_block: Side::default(), subtrees: Vec::new() };
        }
        let mut of_block = Side::new(f.blocks.len());
        // Most segments begin a region.
        let mut parents = Vec::with_capacity(f.layout.len() + 1);
        parents.push(Region(0));
        let mut frames: Vec<Frame> = Vec::with_capacity(TYPICAL_DEPTH);
        let mut current = Region(0);
        for segment in f.layout {
            of_block[segment.block] = current;
            if let Some(frame) = frames.last_mut().filter(|frame| frame.at_first_block) {
                frame.at_first_block = false;
                current = child(&mut parents, current);
            }
            let falls_through = f.terminator(segment.block).is_none();
            current = cross(segment.seam, current, falls_through, &mut frames, &mut parents);
        }
        Regions { of_block, subtrees: number(&parents) }
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

fn child(parents: &mut Vec<Region>, parent: Region) -> Region {
    parents.push(parent);
    Region(parents.len() as u32 - 1)
}

/// The region after `seam`.
fn cross(
    seam: Seam,
    current: Region,
    falls_through: bool,
    frames: &mut Vec<Frame>,
    parents: &mut Vec<Region>,
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
fn number(parents: &[Region]) -> Vec<(u32, u32)> {
    let mut sizes = vec![1u32; parents.len()];
    for index in (1..parents.len()).rev() {
        sizes[parents[index].0 as usize] += sizes[index];
    }
    let mut firsts = vec![0u32; parents.len()];
    let mut next = vec![1u32; parents.len()];
    for index in 1..parents.len() {
        let parent = parents[index].0 as usize;
        firsts[index] = next[parent];
        next[parent] += sizes[index];
        next[index] = firsts[index] + 1;
    }
    firsts.into_iter().zip(sizes).collect()
}
