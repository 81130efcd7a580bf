//! Common subexpression elimination by value numbering.
//!
//! One walk over the layout. A pure instruction (or a load of memory nobody writes) with the operation, sources,
//! modifiers and result types of an earlier one is replaced by it, if the earlier one dominates. Dominance comes from
//! the structure: what an arm, a loop's body or a scope computes is forgotten when it closes, except that an arm whose
//! sibling never reaches the join dominates what follows, and that the first block of a loop or scope dominates all
//! that comes after.
//!
//! Operations across lanes depend on which lanes are active, so they merge only within a block.
//!
//! The table hashes row content; it is never iterated.
//!
//! Before: stage source to lowered. After: the same.

use std::hash::Hasher;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxHasher;

use crate::analysis::regions::{Region, Regions};
use crate::ir::{Block, Function, Inst, InstData, IrOp, Op, Rewrite, Rewriter, Src};

/// Merges equal pure instructions.
pub fn opt_cse(f: &mut Function<'_>) {
    let mut numbering = Numbering::of(f);
    f.map_insts(|rewriter, inst| {
        let data = rewriter.f.insts[inst];
        numbering.visit(rewriter, inst, &data)
    });
}

/// The values numbered so far in a walk.
pub(super) struct Numbering {
    regions: Regions,
    table: HashTable<Numbered>,
}

impl Numbering {
    /// Nothing numbered yet of `f`, whose layout stays.
    pub(super) fn of(f: &Function<'_>) -> Numbering {
        let count = f.layout.iter().map(|segment| f.block(segment.block).insts.len()).sum();
        Numbering { regions: Regions::of(f), table: HashTable::with_capacity(count) }
    }

    /// Numbers `inst`, or replaces it by an equal one before it.
    pub(super) fn visit(
        &mut self,
        rewriter: &mut Rewriter<'_, '_>,
        inst: Inst,
        data: &InstData<'_>,
    ) -> Rewrite {
        let cross_lane = data.op.is_cross_lane();
        if !(cross_lane || data.is_pure()) || data.dsts.is_empty() || data.op == Op::Ir(IrOp::Phi) {
            return Rewrite::Keep;
        }
        let block = rewriter.block;
        let region = self.regions.region(block);
        let insts = &rewriter.f.insts;
        let hash = hash_row(data);
        let entry = self.table.entry(
            hash,
            |known| known.hash == hash as u32 && same_row(rewriter.f, &insts[known.inst], data),
            |known| hash_row(&insts[known.inst]),
        );
        let numbered = Numbered { inst, region, block, hash: hash as u32 };
        match entry {
            Entry::Vacant(vacant) => {
                vacant.insert(numbered);
                Rewrite::Keep
            }
            Entry::Occupied(mut occupied)
                if !self.regions.dominates(occupied.get().region, region)
                    || (cross_lane && occupied.get().block != block) =>
            {
                *occupied.get_mut() = numbered;
                Rewrite::Keep
            }
            Entry::Occupied(occupied) => {
                let first = occupied.get().inst;
                replace(rewriter, first, data)
            }
        }
    }
}

fn replace(rewriter: &mut Rewriter<'_, '_>, first: Inst, data: &InstData<'_>) -> Rewrite {
    let first = rewriter.f.insts[first];
    for (dst, known) in data.dsts.iter().zip(first.dsts) {
        // One of the two is needed as it is.
        rewriter.f.values[*known].relaxed &= rewriter.f.values[*dst].relaxed;
        rewriter.forward(*dst, Src::value(*known));
    }
    Rewrite::Remove
}

/// A table entry: an instruction and where it stands.
#[derive(Clone, Copy)]
struct Numbered {
    inst: Inst,
    region: Region,
    block: Block,
    /// Low bits of the row's hash: most rows differ in them.
    hash: u32,
}

fn hash_row(data: &InstData<'_>) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_usize(data.op.index());
    for src in data.srcs {
        let what = src.kind as u64 | u64::from(src.bits) << 8 | u64::from(src.flags.bits()) << 16;
        hasher.write_u64(src.payload ^ what << 40);
    }
    for modifier in data.mods {
        hasher.write_u32(*modifier);
    }
    hasher.finish()
}

fn same_row(f: &Function<'_>, a: &InstData<'_>, b: &InstData<'_>) -> bool {
    a.op == b.op
        && a.srcs == b.srcs
        && a.mods == b.mods
        && a.dsts.len() == b.dsts.len()
        && a.dsts.iter().zip(b.dsts).all(|(a, b)| f.ty(*a) == f.ty(*b))
}
