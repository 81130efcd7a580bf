//! The registers that a placement needs: the one model of pressure for all moves.

use agx_abi::occupancy::{MAX_THREADS, max_gpr_halves};
use agx_isa::table::Opcode;
use arrayvec::ArrayVec;
use bumpalo::Bump;

use crate::analysis::liveness::liveness;
use crate::analysis::memory::MemoryAccess;
use crate::analysis::pressure::pressure;
use crate::analysis::uses::uses;
use crate::ir::{Function, InstData, IrOp, Op, ScratchSide, Value};

/// Half registers left free for later passes, of those with which all threads are resident.
const MARGIN_HALVES: u16 = 12;

/// Maximum number of sources that are followed at a time.
const MAX_PENDING: usize = 8;

/// What registers are left.
pub(super) struct Registers<'s> {
    /// Half registers that are left where most are needed, computed when they are first asked for: mostly nothing may move.
    room: Option<i64>,
    /// Number of operands that read each value, without those of instructions that have moved.
    uses: ScratchSide<'s, Value, u32>,
    scratch: &'s Bump,
}

impl<'s> Registers<'s> {
    pub(super) fn of(f: &Function<'_>, scratch: &'s Bump) -> Registers<'s> {
        Registers { room: None, uses: uses(f, scratch), scratch }
    }

    /// Takes half registers, if they are left.
    fn take(&mut self, f: &Function<'_>, growth: i64) -> bool {
        if growth <= 0 {
            return true;
        }
        let scratch = self.scratch;
        let most = i64::from(max_gpr_halves(MAX_THREADS) - MARGIN_HALVES);
        let demand = || i64::from(pressure(f, &liveness(f), scratch).max);
        let room = self.room.get_or_insert_with(|| most - demand());
        let is_left = growth <= *room;
        *room -= if is_left { growth } else { 0 };
        is_left
    }

    /// Computes one of two equal instructions before an if instead of both in its arms, if registers are left.
    pub(super) fn join_arms(&mut self, f: &Function<'_>, data: &InstData<'_>) -> bool {
        let is_left = self.take(f, results(f, data) - self.freed(f, data, 2));
        if is_left {
            self.note_moved(data);
        }
        is_left
    }

    /// Half registers of the sources that no more than `most` operands read.
    fn freed(&self, f: &Function<'_>, data: &InstData<'_>, most: u32) -> i64 {
        data.values().filter(|value| self.uses[*value] <= most).map(|value| halves(f, value)).sum()
    }

    /// Whether an instruction is computed in an arm: it loads, which lanes do not do in vain, or its result takes no fewer
    /// registers than the sources that live for it alone.
    pub(super) fn enter_arm(&self, f: &Function<'_>, data: &InstData<'_>) -> bool {
        is_fetch(data) || self.freed(f, data, 1) <= results(f, data)
    }

    /// Computes an instruction before a loop instead of within, if registers are left. `is_inside` tells which values are
    /// defined in the loop so far: they leave it, too.
    pub(super) fn leave_loop(
        &mut self,
        f: &Function<'_>,
        data: &InstData<'_>,
        is_inside: impl Fn(Value) -> bool,
    ) -> bool {
        let growth = self.growth(f, data, is_inside);
        (growth <= 0 || is_costly(f, data, growth)) && self.take(f, growth)
    }

    /// Half registers that an instruction adds to what lives in a loop if it leaves it, with its sources from inside.
    fn growth(&self, f: &Function<'_>, data: &InstData<'_>, is_inside: impl Fn(Value) -> bool) -> i64 {
        let mut growth = results(f, data);
        let mut pending: ArrayVec<Value, MAX_PENDING> = data.values().take(MAX_PENDING).collect();
        while let Some(value) = pending.pop() {
            match (is_inside(value), self.uses[value] > 1) {
                (true, true) => growth += halves(f, value),
                (false, false) => growth -= halves(f, value),
                (true, false) => {
                    let left = pending.remaining_capacity();
                    f.def(value.into()).iter().for_each(|def| pending.extend(def.values().take(left)));
                }
                (false, true) => {}
            }
        }
        growth
    }

    /// Notes that an instruction has moved.
    pub(super) fn note_moved(&mut self, data: &InstData<'_>) {
        data.values().for_each(|value| self.uses[value] = self.uses[value].saturating_sub(1));
    }
}

/// Whether an instruction takes longer than `growth` half registers are worth. Loads take long, whatever their cycles.
fn is_costly(f: &Function<'_>, data: &InstData<'_>, growth: i64) -> bool {
    let is_load = !data.is_speculatable() || MemoryAccess::of_load(f, data).is_some();
    is_load || i64::from(data.op.cycles()) > growth
}

/// Whether an instruction loads or interpolates.
fn is_fetch(data: &InstData<'_>) -> bool {
    match data.op {
        Op::Ir(op) => matches!(op, IrOp::LoadGlobal | IrOp::LoadTexture),
        Op::Hw(op) => matches!(op, Opcode::Iter | Opcode::Iterproj),
    }
}

fn halves(f: &Function<'_>, value: Value) -> i64 {
    f.ty(value).halves().into()
}

/// Half registers of the results.
fn results(f: &Function<'_>, data: &InstData<'_>) -> i64 {
    data.dsts.iter().map(|dst| halves(f, *dst)).sum()
}
