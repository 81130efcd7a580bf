//! Forwards stored and loaded values to later loads of the same device, threadgroup or stack memory.
//!
//! Within a block, and from blocks into successors that only they reach as far as they agree, a load reuses
//! the value that a preceding store or load left at the same location, unless an instruction in between may
//! have written it: a store that may alias, an atomic, a barrier or fence. SPIR-V lets an invocation keep
//! such values; volatile accesses are not touched.
//!
//! Part of `opt_memory`.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::analysis::memory::{MemoryAccess, components, disturbs_memory, vector};
use crate::ir::rewrite::map_from;
use crate::ir::{Block, Function, InstData, IrOp, Op, Rewrite, ScratchSide, Src};

/// Maximum number of values tracked at a time.
const MAX_KNOWN: usize = 32;

/// Maximum number of empty blocks that are skipped.
const MAX_EMPTY_BLOCKS: usize = 16;

/// Replaces loads whose value is known.
pub(super) fn replace_loads(f: &mut Function<'_>) {
    f.with_scratch(|f, scratch| {
        let mut memory = Memory::new_in(scratch, f);
        // In most functions there are none.
        let Some(start) = memory.first_known(f) else { return };
        map_from(f, start, |r, inst| {
            memory.enter(r.f, r.block);
            let data = r.f.insts[inst];
            match memory.visit(r.f, &data) {
                None => Rewrite::Keep,
                Some((known, first)) => {
                    let parts = components(r, known);
                    let comps = r.f.ty(data.dsts[0]).comps;
                    Rewrite::Forward(vector(r, &parts[first..first + usize::from(comps)]))
                }
            }
        });
    });
}

/// A known memory content.
#[derive(Clone, Copy, PartialEq)]
struct Known {
    access: MemoryAccess,
    value: Src,
    /// Where it begins and ends, relative to the root.
    range: (i64, i64),
}

struct Memory<'s> {
    block: Option<Block>,
    known: ArenaVec<'s, Known>,
    /// Known contents at the end of each block visited so far; empty for blocks behind back edges.
    at_end: ScratchSide<'s, Block, &'s [Known]>,
    scratch: &'s Bump,
}

impl<'s> Memory<'s> {
    fn new_in(scratch: &'s Bump, f: &Function<'_>) -> Self {
        let at_end = ScratchSide::later_in(scratch, f.blocks.len());
        Memory { block: None, known: ArenaVec::new_in(scratch), at_end, scratch }
    }

    /// Steps over what precedes the first load whose value is known. Returns its position in the layout and in its block.
    fn first_known(&mut self, f: &Function<'_>) -> Option<(usize, usize)> {
        f.blocks_in_order().enumerate().find_map(|(index, block)| {
            self.enter(f, block);
            let insts = &f.block(block).insts;
            let at = insts.iter().position(|inst| self.visit(f, &f.insts[*inst]).is_some())?;
            Some((index, at))
        })
    }

    /// Starts a block with the contents known in all predecessors.
    #[inline]
    fn enter(&mut self, f: &Function<'_>, block: Block) {
        if self.block != Some(block) {
            self.begin(f, block);
        }
    }

    fn begin(&mut self, f: &Function<'_>, block: Block) {
        if let Some(left) = self.block {
            self.at_end[left] = self.scratch.alloc_slice_copy(&self.known);
        }
        self.block = Some(block);
        self.known.clear();
        let mut ends = f.block(block).preds.iter().map(|pred| self.at_end[last_with_insts(f, *pred)]);
        if let Some(first) = ends.next() {
            // Mostly the lists begin alike.
            let is_in =
                |end: &[Known], at: usize, known: &Known| end.get(at) == Some(known) || end.contains(known);
            let in_all = |(at, known): &(usize, &Known)| ends.clone().all(|end| is_in(end, *at, known));
            self.known.extend(first.iter().enumerate().filter(in_all).map(|(_, known)| *known));
        }
    }

    /// Steps over an instruction. If it is a load whose value is known, returns that: components of a value, from a number on.
    fn visit(&mut self, f: &Function<'_>, data: &InstData<'_>) -> Option<(Src, usize)> {
        if matches!(data.op, Op::Ir(IrOp::LoadGlobal | IrOp::LoadLocal | IrOp::LoadScratch)) {
            let access = MemoryAccess::of_load(f, data)?;
            let range = access.range();
            let covers = |known: &Known| Some((known.value, first_covered(known, &access, range)?));
            let known = self.known.iter().rev().find_map(covers);
            if known.is_none() {
                self.remember(access, data.dsts[0].into());
            }
            return known;
        }
        if data.is_speculatable() {
            return None;
        }
        match MemoryAccess::of_store(f, data) {
            Some(access) => {
                self.known.retain(|known| known.access.is_readonly() || known.access.is_disjoint(&access));
                self.remember(access, data.srcs[0]);
            }
            None if disturbs_memory(data) => self.known.retain(|known| known.access.is_readonly()),
            None => {}
        }
        None
    }

    fn remember(&mut self, access: MemoryAccess, value: Src) {
        if self.known.len() == MAX_KNOWN {
            self.known.remove(0);
        }
        self.known.push(Known { access, value, range: access.range() });
    }
}

/// The block itself, or its single predecessor while it is empty, since empty blocks change nothing.
fn last_with_insts(f: &Function<'_>, mut block: Block) -> Block {
    for _ in 0..MAX_EMPTY_BLOCKS {
        match f.block(block).preds.as_slice() {
            [pred] if f.block(block).insts.is_empty() => block = *pred,
            _ => break,
        }
    }
    block
}

/// The component of `known` at which the data of `access` begins, if all of it is known.
#[inline]
fn first_covered(known: &Known, access: &MemoryAccess, (first, end): (i64, i64)) -> Option<usize> {
    let (known_first, known_end) = known.range;
    if first < known_first || end > known_end || access.ty.bits != known.access.ty.bits {
        return None;
    }
    let distance = first - known_first;
    let begins = distance % access.stride() == 0 && known.access.location.is_comparable(&access.location);
    begins.then(|| (distance / access.stride()) as usize)
}
