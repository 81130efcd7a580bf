//! Code that both arms of an if compute.
//!
//! Two instructions in the arms of one if with the same operation, sources, modifiers and result types become one before
//! the if. Instructions that depend on merged ones follow them. Inner ifs come first, so that what all arms of nested ifs
//! have in common moves out of all of them.
//!
//! Instructions that may be executed anywhere merge wherever they are in the arms; loads and reads of coverage only in the
//! first blocks, which lanes always come to, and not after a discard. Subgroup operations and derivatives stay: they depend
//! on which lanes are active.

use arrayvec::ArrayVec;
use bumpalo::Bump;

use super::blocks::{Arm, Blocks};
use super::is_worth_moving;
use super::registers::Registers;
use crate::ir::row_table::{Entry, RowTable, hash_row, same_row};
use crate::ir::{Block, Function, Inst, InstData, ScratchSide, Seam, Src, Value};
use crate::opt::copy_prop;
use crate::opt::cse::replace;

/// Maximum number of sources of an instruction that merges.
const MAX_SOURCES: usize = 8;

/// Merges what both arms of ifs compute.
pub(super) fn merge_arms<'s>(
    f: &mut Function<'_>,
    blocks: &Blocks<'s>,
    registers: &mut Registers<'s>,
    scratch: &'s Bump,
) {
    if f.layout.iter().all(|segment| segment.seam != Seam::If) {
        return;
    }
    let mut merger = Merger {
        twins: ScratchSide::later_in(scratch, f.insts.len()),
        instead: ScratchSide::later_in(scratch, f.values.len()),
        is_moved: ScratchSide::later_in(scratch, f.insts.len()),
        changed: false,
        blocks,
        registers,
        scratch,
        f,
    };
    let ends = merger.f.construct_ends();
    for (start, end) in ends.iter().enumerate().rev() {
        if let Some(end) = end.filter(|_| merger.f.layout[start].seam == Seam::If) {
            merger.merge(start, end.otherwise, end.close);
        }
    }
    let Merger { twins, changed, .. } = merger;
    if changed {
        f.map_insts(|rewriter, inst| match twins[inst] {
            Some(first) => replace(rewriter, first, inst),
            // Phis of what both arms compute are copies.
            None => {
                let data = rewriter.f.insts[inst];
                copy_prop::visit(rewriter, &data)
            }
        });
    }
}

/// An instruction of an arm, and its block.
type Member = (Block, Inst);

/// Instructions by row, with the numbers of their blocks.
type Members<'s> = RowTable<'s, u32>;

struct Merger<'f, 's, 'a> {
    f: &'f mut Function<'a>,
    blocks: &'f Blocks<'s>,
    registers: &'f mut Registers<'s>,
    /// For an instruction of an else arm, the equal one that moves before the if.
    twins: ScratchSide<'s, Inst, Option<Inst>>,
    /// For a result of such an instruction, the result of the equal one.
    instead: ScratchSide<'s, Value, Option<Value>>,
    /// Of the arm at hand, the instructions that move before the if.
    is_moved: ScratchSide<'s, Inst, bool>,
    changed: bool,
    scratch: &'s Bump,
}

impl<'s> Merger<'_, 's, '_> {
    /// Merges what the arms of the if after segment `start` have in common.
    fn merge(&mut self, start: usize, otherwise: usize, close: usize) {
        let head = self.f.layout[start].block;
        let then = self.members(Arm { head, is_else: false }, start + 1, otherwise);
        if then.is_empty() {
            return;
        }
        let others = self.members(Arm { head, is_else: true }, otherwise + 1, close);
        if others.is_empty() {
            return;
        }
        let table = self.table(&then);
        let mut any_moved = false;
        for (block, inst) in others {
            let Some(Entry { inst: first, note: other, .. }) = self.find(&table, inst) else { continue };
            if !self.is_moved[first] {
                let data = self.f.insts[first];
                if !self.registers.join_arms(self.f, &data, self.blocks, [head, Block(other), block]) {
                    continue;
                }
                (self.is_moved[first], any_moved) = (true, true);
            }
            self.twins[inst] = Some(first);
            for (dst, twin) in self.f.insts[inst].dsts.iter().zip(self.f.insts[first].dsts) {
                self.instead[*dst] = Some(*twin);
            }
        }
        if any_moved {
            self.move_out(head, then);
        }
    }

    /// The instructions of an arm, without inner constructs, that may merge.
    fn members(&self, arm: Arm, first: usize, last: usize) -> Vec<Member> {
        let f = &*self.f;
        let mut members = Vec::new();
        let mut is_certain = true;
        for segment in &f.layout[first..=last] {
            let block = segment.block;
            if self.blocks.at[block].arm != Some(arm) {
                continue;
            }
            f.watch.visit(1 + f.block(block).insts.len());
            for inst in &f.block(block).insts {
                let data = &f.insts[*inst];
                is_certain &= !data.writes_coverage();
                let certainly = is_certain && (data.is_pure() || data.reads_only_coverage());
                if (data.is_speculatable() || certainly)
                    && is_worth_moving(f, data)
                    && data.srcs.len() <= MAX_SOURCES
                {
                    members.push((block, *inst));
                }
            }
            is_certain = false;
        }
        members
    }

    fn table(&self, members: &[Member]) -> Members<'s> {
        let mut table = RowTable::with_room(members.len(), self.scratch);
        for (block, inst) in members {
            let data = &self.f.insts[*inst];
            let hash = hash_row(data);
            let (at, known) = table.place(hash, |known| same_row(self.f, &self.f.insts[known], data));
            if known.is_free() {
                table.take(at, Entry { inst: *inst, note: block.0, hash });
            }
        }
        table
    }

    /// The entry that equals `inst`, whose sources may have merged.
    fn find(&self, table: &Members<'_>, inst: Inst) -> Option<Entry<u32>> {
        let data = self.f.insts[inst];
        let srcs: ArrayVec<Src, MAX_SOURCES> = data.srcs.iter().map(|src| self.resolve(*src)).collect();
        let row = InstData { srcs: &srcs, ..data };
        let (_, known) = table.place(hash_row(&row), |known| same_row(self.f, &self.f.insts[known], &row));
        (!known.is_free()).then_some(known)
    }

    /// The source, or the value that replaces it.
    fn resolve(&self, src: Src) -> Src {
        let twin = src.as_value().and_then(|value| self.instead[value]);
        twin.map_or(src, |twin| Src { flags: src.flags, bits: src.bits, ..Src::value(twin) })
    }

    /// Moves the members that have moved to the end of the block `head`.
    fn move_out(&mut self, head: Block, mut members: Vec<Member>) {
        self.changed = true;
        members.retain(|(_, inst)| self.is_moved[*inst]);
        let branch = self.f.block_mut(head).insts.pop();
        self.f.block_mut(head).insts.extend(members.iter().map(|(_, inst)| *inst).chain(branch));
        for run in members.chunk_by(|(a, _), (b, _)| a == b) {
            self.f.block_mut(run[0].0).insts.retain(|inst| !self.is_moved[*inst]);
        }
        // They may move out of an outer if, too.
        for (_, inst) in members {
            self.is_moved[inst] = false;
        }
    }
}
