//! Forwards stored and loaded values to later loads of the same device, threadgroup or stack memory.
//!
//! Within a block, and from blocks into successors that only they reach as far as they agree, a load reuses
//! the value that a preceding store or load left at the same location, unless an instruction in between may
//! have written it: a store that may alias, an atomic, a barrier or fence. SPIR-V lets an invocation keep
//! such values; volatile accesses are not touched.
//!
//! Before: stage source. After: the same.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::analysis::memory::{MemoryAccess, components, disturbs_memory, vector};
use crate::ir::{Block, Function, InstData, IrOp, Op, Rewrite, Rewriter, ScratchSide, Src};

/// Maximum number of values tracked at a time.
const MAX_KNOWN: usize = 32;

/// Maximum number of empty blocks that are skipped.
const MAX_EMPTY_BLOCKS: usize = 16;

/// Replaces loads whose value is known.
pub fn opt_forward_memory(f: &mut Function<'_>) {
    f.with_scratch(|f, scratch| {
        let at_end = ScratchSide::new_in(scratch, f.blocks.len());
        let mut memory = Memory { block: None, known: ArenaVec::new_in(scratch), at_end, scratch };
        f.map_insts(|r, inst| {
            memory.enter(r);
            let data = r.f.insts[inst];
            memory.visit(r, &data)
        });
    });
}

/// A known memory content.
#[derive(Clone, Copy, PartialEq)]
struct Known {
    access: MemoryAccess,
    value: Src,
}

struct Memory<'s> {
    block: Option<Block>,
    known: ArenaVec<'s, Known>,
    /// Known contents at the end of each block visited so far; empty for blocks behind back edges.
    at_end: ScratchSide<'s, Block, &'s [Known]>,
    scratch: &'s Bump,
}

impl Memory<'_> {
    /// Starts a block with the contents known in all predecessors.
    fn enter(&mut self, r: &Rewriter<'_, '_>) {
        if self.block == Some(r.block) {
            return;
        }
        if let Some(left) = self.block {
            self.at_end[left] = self.scratch.alloc_slice_copy(&self.known);
        }
        self.block = Some(r.block);
        self.known.clear();
        let mut ends = r.f.block(r.block).preds.iter().map(|pred| self.at_end[last_with_insts(r.f, *pred)]);
        if let Some(first) = ends.next() {
            let in_all = |known: &&Known| ends.clone().all(|end| end.contains(known));
            self.known.extend(first.iter().filter(in_all).copied());
        }
    }

    fn visit(&mut self, r: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Rewrite {
        if matches!(data.op, Op::Ir(IrOp::LoadGlobal | IrOp::LoadLocal | IrOp::LoadScratch)) {
            return self.load(r, data);
        }
        if data.op.is_pure() {
            return Rewrite::Keep;
        }
        match MemoryAccess::of_store(r.f, data) {
            Some(access) => {
                self.known.retain(|known| known.access.is_readonly() || known.access.is_disjoint(&access));
                self.remember(access, data.srcs[0]);
            }
            None if disturbs_memory(data) => self.known.retain(|known| known.access.is_readonly()),
            None => {}
        }
        Rewrite::Keep
    }

    fn load(&mut self, r: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Rewrite {
        let Some(access) = MemoryAccess::of_load(r.f, data) else { return Rewrite::Keep };
        if let Some((known, first)) = self.known.iter().rev().find_map(|known| covers(known, &access)) {
            let parts = components(r, known.value);
            return Rewrite::Forward(vector(r, &parts[first..first + usize::from(access.ty.comps)]));
        }
        self.remember(access, data.dsts[0].into());
        Rewrite::Keep
    }

    fn remember(&mut self, access: MemoryAccess, value: Src) {
        if self.known.len() == MAX_KNOWN {
            self.known.remove(0);
        }
        self.known.push(Known { access, value });
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
fn covers(known: &Known, access: &MemoryAccess) -> Option<(Known, usize)> {
    let ((first, end), (known_first, known_end)) = (access.range(), known.access.range());
    let same =
        known.access.location.is_comparable(&access.location) && known.access.ty.bits == access.ty.bits;
    let inside = same && known_first <= first && end <= known_end;
    let distance = first - known_first;
    (inside && distance % access.stride() == 0).then(|| (*known, (distance / access.stride()) as usize))
}
