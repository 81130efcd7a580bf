//! Registers for values that live longer because their instructions move.

use agx_abi::occupancy::{MAX_THREADS, max_gpr_halves};
use bumpalo::Bump;

use crate::analysis::liveness::liveness;
use crate::analysis::pressure::{Pressure, pressure};
use crate::analysis::uses::uses;
use crate::ir::{Block, Function, InstData, ScratchSide, Value};

/// Half registers left free for later passes.
const MARGIN_HALVES: u16 = 12;

/// The registers that blocks need before anything moves, and the uses of values.
pub(super) struct Room<'s> {
    /// The registers.
    pub demand: Pressure,
    /// Number of operands that read each value, without those of instructions that have moved where the mover counts them.
    pub uses: ScratchSide<'s, Value, u32>,
}

impl<'s> Room<'s> {
    /// That of `f`. Requires current edges.
    pub(super) fn of(f: &Function<'_>, scratch: &'s Bump) -> Room<'s> {
        Room { demand: pressure(f, &liveness(f), scratch), uses: uses(f, scratch) }
    }

    /// Half registers that may be added to what all of `blocks` need, before fewer threads would be resident, or before they
    /// need more than `granted`.
    pub(super) fn left(&self, blocks: impl Iterator<Item = Block>, granted: u16) -> i64 {
        let limit = (max_gpr_halves(MAX_THREADS) - MARGIN_HALVES).max(granted);
        let needed = blocks.map(|block| self.demand.blocks[block.0 as usize]).max();
        i64::from(limit) - i64::from(needed.unwrap_or(0))
    }

    /// Half registers that an instruction adds to the values that live where it moves to: its results, minus sources
    /// without other uses.
    pub(super) fn growth(&self, f: &Function<'_>, data: &InstData<'_>) -> i64 {
        let halves = |value: Value| i64::from(f.ty(value).halves());
        let freed = data.srcs.iter().filter_map(|src| src.as_value()).filter(|value| self.uses[*value] <= 1);
        data.dsts.iter().map(|dst| halves(*dst)).sum::<i64>() - freed.map(halves).sum::<i64>()
    }
}
