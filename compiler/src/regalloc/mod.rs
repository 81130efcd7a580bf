//! Register allocation on SSA.
//!
//! In order: `spill` brings the demand under the limit, [`assign`] gives every value a register, [`lower_pseudo`] turns
//! what only moves registers into moves. [`check`] proves the result.

pub mod affinity;
pub mod assign;
pub mod check;
mod evict;
pub mod file;
mod join;
pub mod lower_pseudo;
pub mod parallel_copy;
#[cfg(test)]
pub(crate) mod tests;

use crate::analysis::dominance::{Dominance, dominance};
use crate::analysis::liveness::liveness;
use crate::analysis::pressure::{ALIGNMENT_WASTE, pressure};
use crate::error::CompileError;
use crate::ir::entity::{Entity, Value};
use crate::ir::function::{Function, Seam};
use crate::ir::src::Src;
use crate::ir::table::Side;
use crate::ir::types::Stage;

use file::{FILE_HALVES, HalfSet};

/// A general-purpose register, named by its lowest half. The size is that of the value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Reg {
    /// Half index: r5l = 10, r5h = 11, r5 = 10.
    pub half: u8,
}

/// Registers of the values of a function.
#[derive(Clone, Debug, Default)]
pub struct Allocation {
    /// Register of each value; `None` for values that exist no more.
    pub reg: Side<Value, Option<Reg>>,
    /// Half registers up to the highest one used.
    pub halves_used: u16,
}

impl Allocation {
    fn new(values: usize) -> Self {
        Allocation { reg: Side::new(values), halves_used: 0 }
    }

    /// Half index of the register of `value`.
    pub fn half(&self, value: Value) -> Option<u16> {
        self.reg[value].map(|reg| u16::from(reg.half))
    }
}

/// What register allocation may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AllocateOptions {
    /// Half registers that exist for the program, at most 256.
    pub limit_halves: u16,
    /// Half registers from 0 up that are never handed out.
    pub reserved_halves: u16,
    /// Run the checker on the result.
    pub validate: bool,
}

/// Gives every value a register. The function is at stage Machine before, Allocated after.
///
/// # Errors
/// A limit error when the values that are needed at once do not fit.
pub fn allocate(f: &mut Function<'_>, options: &AllocateOptions) -> Result<Allocation, CompileError> {
    let tree = dominance(f);
    clear_unreachable(f, &tree);
    let live = liveness(f);
    let limit = options.limit_halves.min(FILE_HALVES);
    let demand = pressure(f, &live).max + options.reserved_halves.next_multiple_of(4) + ALIGNMENT_WASTE;
    if demand > limit && demand > options.reserved_halves {
        // Without spilling the allocator may still succeed: the waste is an upper bound.
        tracing::debug!(demand, limit, "register demand is above the limit");
    }
    let usable =
        HalfSet::range(options.reserved_halves, target_halves(demand, limit) - options.reserved_halves);
    let before = options.validate.then(|| check::Snapshot::of(f));
    let mut allocation = assign::assign(f, &live, &tree, usable)?;
    if let Some(before) = &before {
        check::check(f, &allocation, before, options)?;
    }
    lower_pseudo::lower_pseudo(f, &mut allocation)?;
    if let Some(before) = &before {
        check::check(f, &allocation, before, options)?;
    }
    f.stage = Stage::Allocated;
    Ok(allocation)
}

/// Half registers worth using: as many as leave as many threads resident as `demand` does. Fewer would only cost moves.
fn target_halves(demand: u16, limit: u16) -> u16 {
    let threads = agx_abi::occupancy::max_threads(demand.min(limit));
    agx_abi::occupancy::max_gpr_halves(threads).min(limit)
}

/// Empties blocks that cannot be reached; terminators stay for the structure, without reading anything.
fn clear_unreachable(f: &mut Function<'_>, tree: &Dominance) {
    for index in 0..f.layout.len() {
        let (block, seam) = (f.layout[index].block, f.layout[index].seam);
        if tree.is_reachable(block) {
            continue;
        }
        let terminator = f.terminator(block);
        if let Some(inst) = terminator.filter(|_| seam == Seam::If) {
            let srcs: Vec<Src> =
                f.insts[inst].srcs.iter().map(|src| Src::imm(0, f.width(*src).max(1))).collect();
            f.insts[inst].srcs = f.alloc(&srcs);
        }
        f.block_mut(block).insts = terminator.into_iter().collect();
        debug_assert!(block.index() < f.blocks.len());
    }
}
