//! Moves loop-invariant instructions out of loops.
//!
//! Innermost loops come first: an instruction moved out of one may be moved out of the next. A pure
//! instruction whose sources are defined outside the loop moves before it. So does a read of coverage, if the loop
//! contains no discard, and a load, if it may be executed there (it is in a block that the first iteration always
//! reaches, or may be executed speculatively) and no instruction of the loop may write the memory that it reads.
//!
//! Sums of integers are regrouped so that more of them may move: `(x + a) + b` with `a` and `b` from outside becomes
//! `x + (a + b)`.
//!
//! Moved values occupy registers throughout the loop, so instructions move only while the registers stay
//! below the number at which fewer threads would be resident.
//!
//! Before: stage source. After: the same.

use agx_abi::occupancy::{MAX_THREADS, max_gpr_halves};
use agx_isa::table::Opcode;
use bumpalo::Bump;

use super::split_fixed;
use crate::analysis::homes::homes;
use crate::analysis::liveness::liveness;
use crate::analysis::memory::{MemoryAccess, disturbs_memory};
use crate::analysis::pressure::{Pressure, pressure};
use crate::analysis::uses::uses;
use crate::ir::{Access, Block, Function, Inst, InstData, IrOp, Op, ScratchSide, Seam, Src, Value, has_left};

/// Half registers left free for later passes.
const MARGIN_HALVES: u16 = 12;

/// Moves loop-invariant instructions out of loops.
pub fn opt_loop_invariant(f: &mut Function<'_>) {
    if f.layout.iter().all(|segment| segment.seam != Seam::Loop) {
        return;
    }
    f.with_scratch(hoist_all);
}

fn hoist_all(f: &mut Function<'_>, scratch: &Bump) {
    let (homes, loops) = (homes(f, scratch), loops_inside_out(f));
    // Mostly nothing may move, and the demand is of no interest.
    if !loops.iter().any(|(start, end)| has_candidates(f, &homes, *start, *end)) {
        return;
    }
    let demand = pressure(f, &liveness(f), scratch);
    let mut hoister = Hoister { homes, demand, uses: uses(f, scratch), f };
    for (start, end) in loops {
        hoister.hoist(start, end);
    }
}

/// Whether an instruction of a loop may be able to move out of it.
fn has_candidates(f: &Function<'_>, homes: &ScratchSide<'_, Value, usize>, start: usize, end: usize) -> bool {
    f.layout[start + 1..=end].iter().flat_map(|segment| &f.block(segment.block).insts).any(|inst| {
        let data = &f.insts[*inst];
        is_worth_moving(f, data)
            && is_from_outside(homes, data, start)
            && (is_computed_anywhere(data) || MemoryAccess::of_load(f, data).is_some())
            || Regrouped::of(f, homes, data, start).is_some()
    })
}

/// A sum `(varying + first) + second` whose last two summands come from outside the loop.
struct Regrouped {
    /// The inner sum.
    inner: Value,
    varying: Src,
    first: Src,
    second: Src,
}

impl Regrouped {
    fn of(
        f: &Function<'_>,
        homes: &ScratchSide<'_, Value, usize>,
        data: &InstData<'_>,
        start: usize,
    ) -> Option<Regrouped> {
        // Constants are free where they are.
        let is_outside =
            |src: Src| src.as_value().map_or(src.as_imm().is_none(), |value| homes[value] <= start);
        let is_sum = |data: &&InstData<'_>| data.op == Op::Hw(Opcode::Iadd);
        let (inner, second) = Some(data).filter(is_sum).and_then(|data| split_fixed(f, data, is_outside))?;
        let (varying, first) = split_fixed(f, Some(&f.def(inner)?).filter(is_sum)?, is_outside)?;
        Some(Regrouped { inner: inner.as_value()?, varying, first, second })
    }
}

/// Whether the sources are defined up to segment `start`.
fn is_from_outside(homes: &ScratchSide<'_, Value, usize>, data: &InstData<'_>, start: usize) -> bool {
    data.srcs.iter().all(|src| src.as_value().is_none_or(|value| homes[value] <= start))
}

/// Whether moving saves anything: instructions without cost, or that only arrange registers for their user, are not
/// worth moving.
fn is_worth_moving(f: &Function<'_>, data: &InstData<'_>) -> bool {
    match data.op {
        Op::Ir(IrOp::LoadGlobal | IrOp::LoadLocal | IrOp::LoadScratch | IrOp::Split) => true,
        Op::Ir(IrOp::Phi | IrOp::Mov | IrOp::Preload | IrOp::Copy) => false,
        _ => is_computed_anywhere(data) && data.dst().is_some_and(|dst| f.ty(dst).comps == 1),
    }
}

/// Whether an instruction gives the same result wherever it is executed, as long as coverage is the same.
fn is_computed_anywhere(data: &InstData<'_>) -> bool {
    data.is_speculatable() || data.reads_only_coverage()
}

/// Segments that begin and end each loop, inner loops before outer ones.
fn loops_inside_out(f: &Function<'_>) -> Vec<(usize, usize)> {
    let ends = f.construct_ends();
    let is_loop = |(index, _): &(usize, _)| f.layout[*index].seam == Seam::Loop;
    let mut loops: Vec<(usize, usize)> = (ends.iter().enumerate())
        .filter(is_loop)
        .filter_map(|(start, end)| end.map(|end| (start, end.close)))
        .collect();
    loops.sort_by_key(|(_, end)| *end);
    loops
}

struct Hoister<'f, 's, 'a> {
    f: &'f mut Function<'a>,
    homes: ScratchSide<'s, Value, usize>,
    /// The registers that blocks need before anything moves.
    demand: Pressure,
    /// Number of operands that read each value, without those of instructions that have moved.
    uses: ScratchSide<'s, Value, u32>,
}

/// A loop, and the state for moving instructions out of it.
struct Loop {
    start: usize,
    /// Half registers available for moved values.
    room: i64,
    /// The stores of the loop; `None` if unknown.
    stores: Option<Vec<MemoryAccess>>,
    /// Whether the loop contains a discard.
    changes_coverage: bool,
    /// Whether the first iteration always reaches the current block.
    is_certain: bool,
}

impl Hoister<'_, '_, '_> {
    fn hoist(&mut self, start: usize, end: usize) {
        let segments = start + 1..=end;
        let blocks = segments.clone().map(|index| self.f.layout[index].block);
        let room = self.room(blocks);
        let stores = self.stores(segments.clone());
        let mut insts = segments.clone().flat_map(|index| &self.f.block(self.f.layout[index].block).insts);
        let changes_coverage = insts.any(|inst| self.f.insts[*inst].writes_coverage());
        let mut around = Loop { start, room, stores, changes_coverage, is_certain: true };
        let mut moved = Vec::new();
        let (mut depth, mut certain) = (0u32, true);
        for index in segments {
            let segment = self.f.layout[index];
            around.is_certain = certain && depth == 0;
            self.hoist_block(segment.block, &mut around, &mut moved);
            // After a jump or halt, however deeply nested, the first iteration may not arrive.
            certain &= !has_left(self.f, segment.block);
            depth = segment.seam.depth_after(depth);
        }
        if !moved.is_empty() {
            let before = self.f.layout[start].block;
            self.f.block_mut(before).insts.extend(moved);
        }
    }

    /// Half registers that may be added to what all of `blocks` need before fewer threads would be resident.
    fn room(&self, blocks: impl Iterator<Item = Block>) -> i64 {
        let limit = i64::from(max_gpr_halves(MAX_THREADS) - MARGIN_HALVES);
        let needed = blocks.map(|block| self.demand.blocks[block.0 as usize]).max();
        (limit - i64::from(needed.unwrap_or(0))).max(0)
    }

    /// Half registers that an instruction adds to the values that live where it moves to: its results, minus sources
    /// without other uses.
    fn growth(&self, data: &InstData<'_>) -> i64 {
        let halves = |value: Value| i64::from(self.f.ty(value).halves());
        let freed = data.srcs.iter().filter_map(|src| src.as_value()).filter(|value| self.uses[*value] <= 1);
        data.dsts.iter().map(|dst| halves(*dst)).sum::<i64>() - freed.map(halves).sum::<i64>()
    }

    fn hoist_block(&mut self, block: Block, around: &mut Loop, moved: &mut Vec<Inst>) {
        let mut insts = self.f.take_insts(block);
        self.f.watch.visit(1 + insts.len());
        insts.retain(|inst| {
            moved.extend(self.regroup(*inst, around));
            let moves = self.can_move(*inst, around);
            if moves {
                self.move_out(*inst, around);
                moved.push(*inst);
            }
            !moves
        });
        self.f.block_mut(block).insts = insts;
    }

    /// Regroups a sum, if only that reads the inner one; returns the sum of the summands from outside, to be moved.
    fn regroup(&mut self, inst: Inst, around: &mut Loop) -> Option<Inst> {
        let data = self.f.insts[inst];
        let sum = Regrouped::of(self.f, &self.homes, &data, around.start)?;
        if self.uses[sum.inner] != 1 {
            return None;
        }
        let outer = self.f.add_value_like(sum.inner);
        let dsts = self.f.alloc(&[outer]);
        let invariant = InstData { dsts, srcs: self.f.alloc(&[sum.first, sum.second]), ..data };
        if self.growth(&invariant) > around.room {
            return None;
        }
        let invariant = self.f.add_inst(invariant);
        self.move_out(invariant, around);
        (self.uses[sum.inner], self.uses[outer]) = (0, 1);
        let srcs = self.f.alloc(&[sum.varying, outer.into()]);
        self.f.set_inst(inst, InstData { srcs, ..data });
        Some(invariant)
    }

    /// The stores of the loop; `None` if it writes memory in other ways.
    fn stores(&self, segments: std::ops::RangeInclusive<usize>) -> Option<Vec<MemoryAccess>> {
        let mut stores = Vec::new();
        for index in segments {
            for inst in &self.f.block(self.f.layout[index].block).insts {
                let data = self.f.insts[*inst];
                match MemoryAccess::of_store(self.f, &data) {
                    Some(access) => stores.push(access),
                    None if disturbs_memory(&data) => return None,
                    None => {}
                }
            }
        }
        Some(stores)
    }

    fn can_move(&self, inst: Inst, around: &Loop) -> bool {
        let data = self.f.insts[inst];
        is_worth_moving(self.f, &data)
            && is_from_outside(&self.homes, &data, around.start)
            && self.may_execute_before(&data, around)
            && self.growth(&data) <= around.room
    }

    fn may_execute_before(&self, data: &InstData<'_>, around: &Loop) -> bool {
        match data.reads_only_coverage() {
            true => !around.changes_coverage,
            false => data.is_speculatable() || self.may_load_before(data, around),
        }
    }

    fn may_load_before(&self, data: &InstData<'_>, around: &Loop) -> bool {
        let Some(access) = MemoryAccess::of_load(self.f, data) else { return false };
        let may_execute = around.is_certain || access.flags.contains(Access::SPECULATABLE);
        let unwritten = access.is_readonly()
            || around
                .stores
                .as_ref()
                .is_some_and(|stores| stores.iter().all(|store| store.is_disjoint(&access)));
        may_execute && unwritten
    }

    fn move_out(&mut self, inst: Inst, around: &mut Loop) {
        let data = self.f.insts[inst];
        around.room = (around.room - self.growth(&data)).max(0);
        for value in data.srcs.iter().filter_map(|src| src.as_value()) {
            let uses = &mut self.uses[value];
            *uses = uses.saturating_sub(1);
        }
        for dst in data.dsts {
            self.homes[*dst] = around.start;
        }
    }
}
