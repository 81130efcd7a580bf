//! Moves computations that both arms of an if perform before the if.
//!
//! A pure instruction at the beginning of one arm that the beginning of the other arm has, too, with the same operation,
//! sources, modifiers and result types, is computed once before the if. Instructions that depend on moved ones follow
//! them. Inner ifs come first, so that what all arms of nested ifs have in common moves out of all of them.
//!
//! Moved values live from the end of the block before, so instructions move only while the registers stay below the
//! number at which fewer threads would be resident, or below what the function needs elsewhere.
//!
//! Subgroup operations and derivatives stay: they depend on which lanes are active. A read of coverage moves unless a
//! discard precedes it in its arm.
//!
//! Before: stage source. After: the same.

use arrayvec::ArrayVec;
use bumpalo::Bump;

use super::cse::replace;
use super::room::Room;
use crate::ir::row_table::{Entry, RowTable, hash_row, same_row};
use crate::ir::{Block, Function, Inst, InstData, IrOp, Op, Rewrite, ScratchSide, Seam, Src, Value};

/// Maximum number of sources of an instruction that moves.
const MAX_SOURCES: usize = 8;

/// Moves what both arms of ifs compute before them.
pub fn opt_hoist_equal(f: &mut Function<'_>) {
    if f.layout.iter().any(|segment| segment.seam == Seam::If) {
        f.with_scratch(hoist_all);
    }
}

fn hoist_all(f: &mut Function<'_>, scratch: &Bump) {
    let mut hoister = Hoister {
        twins: ScratchSide::later_in(scratch, f.insts.len()),
        moved: ScratchSide::later_in(scratch, f.values.len()),
        registers: None,
        changed: false,
        scratch,
        f,
    };
    let ends = hoister.f.construct_ends();
    for (start, end) in ends.iter().enumerate().rev() {
        if let Some(end) = end.filter(|_| hoister.f.layout[start].seam == Seam::If) {
            let blocks = [start, start + 1, end.otherwise + 1].map(|index| hoister.f.layout[index].block);
            hoister.hoist(blocks);
        }
    }
    let Hoister { twins, changed, .. } = hoister;
    if changed {
        f.map_insts(|rewriter, inst| match twins[inst] {
            Some(first) => replace(rewriter, first, inst),
            None => Rewrite::Keep,
        });
    }
}

struct Hoister<'f, 's, 'a> {
    f: &'f mut Function<'a>,
    /// For an instruction of an else arm, the equal one that moves before the if.
    twins: ScratchSide<'s, Inst, Option<Inst>>,
    /// For a result of such an instruction, the result of the equal one.
    moved: ScratchSide<'s, Value, Option<Value>>,
    /// Computed when first asked for.
    registers: Option<Room<'s>>,
    changed: bool,
    scratch: &'s Bump,
}

impl<'s> Hoister<'_, 's, '_> {
    /// Moves what the first blocks of both arms have in common to the end of the block before the if. `blocks` are that
    /// block and those of the arms.
    fn hoist(&mut self, blocks: [Block; 3]) {
        let [before, then, otherwise] = blocks;
        let Some(table) = self.rows(then, otherwise) else { return };
        let (mut room, mut place) = (None, Place::default());
        for index in 0..self.f.block(otherwise).insts.len() {
            let inst = self.f.block(otherwise).insts[index];
            let may_move = place.may_move(self.f, &self.f.insts[inst]);
            let Some(at) = Some(inst).filter(|_| may_move).and_then(|inst| self.find(&table, inst)) else {
                continue;
            };
            let first = table.entries[at].inst;
            if !table.entries[at].note {
                let data = self.f.insts[first];
                let registers = self.registers.get_or_insert_with(|| Room::of(self.f, self.scratch));
                let growth = registers.growth(self.f, &data);
                let room =
                    room.get_or_insert_with(|| registers.left(blocks.into_iter(), registers.demand.max));
                if growth > *room {
                    continue;
                }
                *room -= growth;
                table.entries[at].note = true;
            }
            self.twins[inst] = Some(first);
            for (dst, twin) in self.f.insts[inst].dsts.iter().zip(self.f.insts[first].dsts) {
                self.moved[*dst] = Some(*twin);
            }
        }
        if table.entries.iter().any(|entry| entry.note) {
            self.move_out(before, then, &table);
        }
    }

    /// The instructions of the arm `then` that may move, without notes; `None` if one of the arms has none.
    fn rows(&self, then: Block, otherwise: Block) -> Option<RowTable<'s, bool>> {
        let f = &*self.f;
        let [then, otherwise] = [then, otherwise].map(|arm| &f.block(arm).insts);
        f.watch.visit(then.len() + otherwise.len());
        let [count, others] = [then, otherwise].map(|insts| {
            let mut place = Place::default();
            insts.iter().filter(|inst| place.may_move(f, &f.insts[**inst])).count()
        });
        if count.min(others) == 0 {
            return None;
        }
        let mut table = RowTable::with_room(count, self.scratch);
        let mut place = Place::default();
        for inst in then {
            let data = &f.insts[*inst];
            if place.may_move(f, data) {
                let hash = hash_row(data);
                let (at, known) = table.place(hash, |known| same_row(f, &f.insts[known], data));
                if known.is_free() {
                    table.take(at, Entry { inst: *inst, note: false, hash });
                }
            }
        }
        Some(table)
    }

    /// The entry that equals `inst`, whose sources may have moved.
    fn find(&self, table: &RowTable<'_, bool>, inst: Inst) -> Option<usize> {
        let data = self.f.insts[inst];
        let srcs: ArrayVec<Src, MAX_SOURCES> = data.srcs.iter().map(|src| self.resolve(*src)).collect();
        let row = InstData { srcs: &srcs, ..data };
        let (at, known) = table.place(hash_row(&row), |known| same_row(self.f, &self.f.insts[known], &row));
        (!known.is_free()).then_some(at)
    }

    /// Moves the noted instructions from the arm `then` to the end of the block `before`.
    fn move_out(&mut self, before: Block, then: Block, table: &RowTable<'_, bool>) {
        self.changed = true;
        let insts = self.f.take_insts(then);
        let mut kept = self.f.inst_list();
        let branch = self.f.block_mut(before).insts.pop();
        for inst in insts {
            let (_, entry) = table.place(hash_row(&self.f.insts[inst]), |known| known == inst);
            match entry.note {
                true => self.f.block_mut(before).insts.push(inst),
                false => kept.push(inst),
            }
        }
        self.f.block_mut(before).insts.extend(branch);
        self.f.block_mut(then).insts = kept;
    }

    /// The source, or the value that replaces it.
    fn resolve(&self, src: Src) -> Src {
        let twin = src.as_value().and_then(|value| self.moved[value]);
        twin.map_or(src, |twin| Src { flags: src.flags, bits: src.bits, ..Src::value(twin) })
    }
}

/// A place in an arm, in a walk from its beginning.
#[derive(Clone, Copy, Default)]
struct Place {
    /// Whether an instruction before may have changed coverage.
    is_after_discard: bool,
}

impl Place {
    /// Steps over an instruction. Returns whether it may run whichever arm is taken, before the arm, and does more than
    /// arrange registers.
    fn may_move(&mut self, f: &Function<'_>, data: &InstData<'_>) -> bool {
        self.is_after_discard |= data.writes_coverage();
        let arranges = matches!(data.op, Op::Ir(IrOp::Phi | IrOp::Mov | IrOp::Copy | IrOp::Preload));
        (data.is_speculatable() || data.reads_only_coverage() && !self.is_after_discard)
            && !arranges
            && data.srcs.len() <= MAX_SOURCES
            && data.dst().is_some_and(|dst| f.ty(dst).comps == 1)
    }
}
