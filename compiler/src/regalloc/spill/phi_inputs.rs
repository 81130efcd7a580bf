//! Sources of phis while they are rewritten one predecessor at a time.
//!
//! A join of thousands of paths has phis with thousands of sources: searching them for a predecessor, or
//! rewriting the list for each, would be quadratic.

use crate::ir::entity::{Block, Inst, Value};
use crate::ir::function::{Function, InstData};
use crate::ir::src::Src;
use crate::ir::table::Side;

/// New sources of phis, not yet written to the function.
#[derive(Clone, Debug, Default)]
pub(super) struct PhiInputs {
    /// Index of a block among the predecessors of its last successor, the only successor that can be a join.
    rank: Side<Block, u32>,
    sources: Side<Inst, Option<Vec<Src>>>,
    changed: Vec<Inst>,
}

impl PhiInputs {
    pub(super) fn new(f: &Function<'_>) -> Self {
        let mut rank = Side::new(f.blocks.len());
        for block in f.blocks_in_order() {
            for (index, pred) in (0..).zip(&f.block(block).preds) {
                rank[*pred] = index;
            }
        }
        PhiInputs { rank, sources: Side::new(f.insts.len()), changed: Vec::new() }
    }

    /// Index of the source of `phi` that comes from `pred`.
    pub(super) fn index(&self, phi: &InstData<'_>, pred: Block) -> Option<usize> {
        let rank = self.rank[pred] as usize;
        if phi.mods.get(rank) == Some(&pred.0) {
            return Some(rank);
        }
        phi.mods.iter().position(|block| *block == pred.0)
    }

    /// The original source of `phi` from `pred`.
    pub(super) fn source(&self, phi: &InstData<'_>, pred: Block) -> Option<Src> {
        phi.srcs.get(self.index(phi, pred)?).copied()
    }

    /// Makes `phi` read `name` from `pred`.
    pub(super) fn set(&mut self, f: &Function<'_>, phi: Inst, pred: Block, name: Value) {
        let data = f.insts[phi];
        let Some(index) = self.index(&data, pred) else { return };
        let changed = &mut self.changed;
        let sources = self.sources[phi].get_or_insert_with(|| {
            changed.push(phi);
            data.srcs.to_vec()
        });
        sources[index] = name.into();
    }

    /// Writes the sources to the function.
    pub(super) fn write(&mut self, f: &mut Function<'_>) {
        for phi in self.changed.drain(..) {
            if let Some(sources) = self.sources[phi].take() {
                f.insts[phi].srcs = f.alloc(&sources);
            }
        }
    }
}
