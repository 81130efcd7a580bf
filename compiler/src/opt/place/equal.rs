//! Code that both arms of an if compute.
//!
//! Two instructions in the arms of one if with the same operation, sources, modifiers and result types become one before
//! the if. Instructions that depend on merged ones follow them. Inner ifs come first, so that what all arms of nested ifs
//! have in common moves out of all of them.
//!
//! Instructions that may be executed anywhere merge wherever they are in the arms; loads and reads of coverage only in the
//! first blocks, which lanes always come to, and not after a discard. Subgroup operations and derivatives stay: they depend
//! on which lanes are active.

use std::ops::RangeInclusive;

use arrayvec::ArrayVec;
use bumpalo::Bump;

use super::blocks::{Arm, Blocks};
use super::is_worth_moving;
use super::registers::Registers;
use crate::ir::row_table::{Entry, RowTable, hash_row, same_row};
use crate::ir::{Block, ConstructEnd, Function, Inst, InstData, ScratchSide, Seam, Segment, Src, Value};
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
        ends: f.construct_ends(),
        blocks,
        registers,
        scratch,
        f,
    };
    for start in (0..merger.ends.len()).rev() {
        if let Some(end) = merger.ends[start].filter(|_| merger.f.layout[start].seam == Seam::If) {
            merger.merge(start, end);
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

/// Instructions by row.
type Members<'s> = RowTable<'s, ()>;

struct Merger<'f, 's, 'a> {
    f: &'f mut Function<'a>,
    blocks: &'f Blocks<'s>,
    /// For a segment after which a construct begins, the segments that end its arms.
    ends: Vec<Option<ConstructEnd>>,
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
    fn merge(&mut self, start: usize, end: ConstructEnd) {
        let head = self.f.layout[start].block;
        let others = self.members(Arm { head, is_else: true }, end.otherwise + 1..=end.close);
        if others.is_empty() {
            return;
        }
        let then = self.members(Arm { head, is_else: false }, start + 1..=end.otherwise);
        let table = self.table(&then);
        let mut any_moved = false;
        for (_, inst) in others {
            let Some(first) = self.find(&table, inst) else { continue };
            if !self.is_moved[first] && !self.registers.join_arms(self.f, &self.f.insts[first]) {
                continue;
            }
            (self.is_moved[first], any_moved) = (true, true);
            self.twins[inst] = Some(first);
            for (dst, twin) in self.f.insts[inst].dsts.iter().zip(self.f.insts[first].dsts) {
                self.instead[*dst] = Some(*twin);
            }
        }
        if any_moved {
            self.move_out(head, then);
        }
    }

    /// The instructions of an arm, without inner ifs and loops, that may merge. The walk steps over those, so that every
    /// block is visited for one arm only, however deeply ifs are nested.
    fn members(&self, arm: Arm, segments: RangeInclusive<usize>) -> Vec<Member> {
        let f = &*self.f;
        let mut members = Vec::new();
        let mut is_certain = true;
        let mut next = *segments.start();
        while segments.contains(&next) {
            let Segment { block, seam } = f.layout[next];
            next = match self.ends[next] {
                Some(end) if seam != Seam::Scope => end.close + 1,
                _ => next + 1,
            };
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
        for (_, inst) in members {
            let data = &self.f.insts[*inst];
            let hash = hash_row(data);
            let (at, known) = table.place(hash, |known| same_row(self.f, &self.f.insts[known], data));
            if known.is_free() {
                table.take(at, Entry { inst: *inst, note: (), hash });
            }
        }
        table
    }

    /// The entry that equals `inst`, whose sources may have merged.
    fn find(&self, table: &Members<'_>, inst: Inst) -> Option<Inst> {
        let data = self.f.insts[inst];
        let srcs: ArrayVec<Src, MAX_SOURCES> = data.srcs.iter().map(|src| self.resolve(*src)).collect();
        let row = InstData { srcs: &srcs, ..data };
        let (_, known) = table.place(hash_row(&row), |known| same_row(self.f, &self.f.insts[known], &row));
        (!known.is_free()).then_some(known.inst)
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
        members.iter().for_each(|(_, inst)| self.is_moved[*inst] = false);
    }
}
