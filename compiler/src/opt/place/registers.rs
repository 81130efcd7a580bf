//! The registers that a placement needs: the one model of pressure for all moves.

use agx_abi::occupancy::{MAX_THREADS, max_gpr_halves};
use agx_isa::table::Opcode;
use arrayvec::ArrayVec;
use bumpalo::Bump;

use super::blocks::Blocks;
use super::values;
use crate::analysis::liveness::liveness;
use crate::analysis::memory::MemoryAccess;
use crate::analysis::pressure::pressure;
use crate::analysis::uses::uses;
use crate::ir::{Block, Function, InstData, IrOp, Op, ScratchSide, Value};

/// Half registers left free for later passes.
const MARGIN_HALVES: u16 = 12;

/// Maximum number of sources that are followed at a time.
const MAX_PENDING: usize = 8;

/// Half registers at which fewer threads would be resident, without the margin.
fn limit() -> i64 {
    i64::from(max_gpr_halves(MAX_THREADS) - MARGIN_HALVES)
}

/// What registers are left. The demand is computed when it is first asked for: mostly nothing may move.
pub(super) struct Registers<'s> {
    known: Option<Demand>,
    /// Number of operands that read each value, without those of instructions that have moved.
    uses: ScratchSide<'s, Value, u32>,
    scratch: &'s Bump,
}

/// The demand of a function.
struct Demand {
    /// Half registers that each block needs, by id.
    blocks: Vec<i64>,
    /// The most that any needs.
    most: i64,
    /// Half registers that each loop leaves.
    rooms: Vec<i64>,
}

impl<'s> Registers<'s> {
    pub(super) fn of(f: &Function<'_>, scratch: &'s Bump) -> Registers<'s> {
        Registers { known: None, uses: uses(f, scratch), scratch }
    }

    fn demand(&mut self, f: &Function<'_>, blocks: &Blocks<'_>) -> &mut Demand {
        let scratch = self.scratch;
        self.known.get_or_insert_with(|| {
            let demand = pressure(f, &liveness(f), scratch);
            Demand {
                blocks: demand.blocks.iter().map(|halves| i64::from(*halves)).collect(),
                most: demand.max.into(),
                rooms: blocks.rooms(f, &demand, limit()),
            }
        })
    }

    /// Computes one of two equal instructions before an if instead of both in `arms`, if registers are left.
    pub(super) fn join_arms(
        &mut self,
        f: &Function<'_>,
        data: &InstData<'_>,
        blocks: &Blocks<'_>,
        arms: [Block; 3],
    ) -> bool {
        let freed = values(data).filter(|value| self.uses[*value] <= 2).map(|value| halves(f, value));
        let growth = results(f, data) - freed.sum::<i64>();
        let demand = self.demand(f, blocks);
        let most = arms.iter().map(|block| demand.blocks[block.0 as usize]).max().unwrap_or(0);
        let is_left = growth <= 0 || most + growth <= limit().max(demand.most);
        if is_left {
            arms.iter().for_each(|block| demand.blocks[block.0 as usize] += growth);
            self.note_moved(data);
        }
        is_left
    }

    /// Whether an instruction is computed in an arm: it loads, which lanes do not do in vain, or its result takes no fewer
    /// registers than the sources that live for it alone.
    pub(super) fn enter_arm(&self, f: &Function<'_>, data: &InstData<'_>) -> bool {
        if is_fetch(data) {
            return true;
        }
        let sources = values(data).filter(|value| self.uses[*value] <= 1).map(|value| halves(f, value));
        sources.sum::<i64>() <= results(f, data)
    }

    /// Computes an instruction before loop `number` instead of within, if registers are left. `is_inside` tells which values
    /// are defined in the loop so far: they leave it, too.
    pub(super) fn leave_loop(
        &mut self,
        f: &Function<'_>,
        data: &InstData<'_>,
        blocks: &Blocks<'_>,
        number: usize,
        is_inside: impl Fn(Value) -> bool,
    ) -> bool {
        let growth = self.growth(f, data, is_inside);
        if growth > 0 && !is_costly(f, data, growth) {
            return false;
        }
        let demand = self.demand(f, blocks);
        let is_left = growth <= demand.rooms[number].max(0);
        if is_left {
            demand.rooms[number..blocks.loops[number].end].iter_mut().for_each(|room| *room -= growth);
        }
        is_left
    }

    /// Half registers that an instruction adds to what lives in a loop if it leaves it, with the sources from inside that follow
    /// it.
    fn growth(&self, f: &Function<'_>, data: &InstData<'_>, is_inside: impl Fn(Value) -> bool) -> i64 {
        let mut growth = results(f, data);
        let mut pending: ArrayVec<Value, MAX_PENDING> = values(data).take(MAX_PENDING).collect();
        while let Some(value) = pending.pop() {
            match (is_inside(value), self.uses[value] > 1) {
                (true, true) => growth += halves(f, value),
                (false, false) => growth -= halves(f, value),
                (true, false) => {
                    let left = pending.remaining_capacity();
                    f.def(value.into()).iter().for_each(|def| pending.extend(values(def).take(left)));
                }
                (false, true) => {}
            }
        }
        growth
    }

    /// Notes that an instruction has moved.
    pub(super) fn note_moved(&mut self, data: &InstData<'_>) {
        values(data).for_each(|value| self.uses[value] = self.uses[value].saturating_sub(1));
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
