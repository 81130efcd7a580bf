//! Register allocation on SSA.
//!
//! In order: [`spill`](mod@spill) brings the demand under the limit, [`assign`] gives every value a register, [`lower_pseudo`] turns
//! what only moves registers into moves. [`check`] proves the result.

pub mod affinity;
pub mod assign;
pub mod check;
mod evict;
pub mod exports;
pub mod file;
mod join;
pub mod lower_pseudo;
pub mod parallel_copy;
pub mod spill;
#[cfg(test)]
pub(crate) mod tests;

use crate::analysis::dominance::{Dominance, dominance};
use crate::analysis::liveness::{Liveness, liveness};
use crate::analysis::pressure::{ALIGNMENT_WASTE, Pressure, pressure};
use crate::error::CompileError;
use crate::ir::entity::Value;
use crate::ir::function::{Function, Seam};
use crate::ir::op::{IrOp, Op};
use crate::ir::src::Src;
use crate::ir::table::Side;
use crate::ir::types::Stage;

use file::{FILE_HALVES, HalfSet};
use spill::{SpillReport, Which};

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
    /// Bytes of stack memory in use, those given included.
    pub stack_bytes: u32,
    /// Values stored to the stack for want of registers.
    pub spills: u32,
    /// Values loaded back.
    pub fills: u32,
    /// Phis that live on the stack, with the byte offset that predecessors store to.
    pub memory_phis: Vec<(Value, u32)>,
}

impl Allocation {
    fn new(values: usize) -> Self {
        Allocation { reg: Side::new(values), ..Allocation::default() }
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
    /// Bytes of stack memory in use already.
    pub stack_bytes: u32,
    /// Run the checker on the result.
    pub validate: bool,
}

/// Half registers kept free beside resident values, for what stores of spilled values need.
const SPILL_SLACK: u16 = 8;

/// Rounds of spilling; the first one is enough unless temporary vectors of stores are large.
const SPILL_ROUNDS: u32 = 4;

/// Gives every value a register. The function is at stage Machine before, Allocated after.
///
/// # Errors
/// A limit error when the values that one instruction needs at once do not fit, or the stack is too large.
pub fn allocate(f: &mut Function<'_>, options: &AllocateOptions) -> Result<Allocation, CompileError> {
    let tree = dominance(f);
    clear_unreachable(f, &tree);
    exports::gather_exports(f);
    let before = options.validate.then(|| check::Snapshot::of(f));
    let limit = options.limit_halves.min(FILE_HALVES);
    check_preloads(f, limit)?;
    let waste = options.reserved_halves.next_multiple_of(4) + ALIGNMENT_WASTE;
    let mut live = liveness(f);
    let mut demand = pressure(f, &live);
    let capacity = limit.saturating_sub(waste);
    let mut spilled = None;
    if demand.max > capacity {
        spilled = Some(spill_to(f, &tree, &mut live, &mut demand, capacity, options.stack_bytes)?);
    }
    exports::gather_exports(f);
    let usable = target_halves(demand.max + waste, limit).saturating_sub(options.reserved_halves);
    let usable = HalfSet::range(options.reserved_halves, usable);
    let mut allocation = assign::assign(f, &live, &tree, usable)?;
    allocation.stack_bytes = options.stack_bytes;
    if let Some(report) = spilled {
        allocation.stack_bytes = report.stack_bytes;
        (allocation.spills, allocation.fills) = (report.stores, report.loads);
        allocation.memory_phis = report.memory_phis;
    }
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

/// Registers that hold values when the program starts cannot be moved below a limit.
fn check_preloads(f: &Function<'_>, limit: u16) -> Result<(), CompileError> {
    for inst in &f.block(f.entry()).insts {
        let data = f.insts[*inst];
        let end = data.dst().map_or(0, |dst| f.ty(dst).halves()) + data.modifier("reg") as u16;
        if data.op == Op::Ir(IrOp::Preload) && end > limit {
            return Err(CompileError::limit(format!(
                "the program finds inputs in registers up to half register {end}; the limit is {limit}"
            )));
        }
    }
    Ok(())
}

/// Spills until the demand is within `capacity`; `live` and `demand` are those of the result.
fn spill_to(
    f: &mut Function<'_>,
    tree: &Dominance,
    live: &mut Liveness,
    demand: &mut Pressure,
    capacity: u16,
    stack_bytes: u32,
) -> Result<SpillReport, CompileError> {
    let mut budget = capacity.saturating_sub(SPILL_SLACK);
    let mut total = SpillReport { stack_bytes, ..SpillReport::default() };
    if let Some(report) = spill::keep_on_stack(f, live, tree, Which::Long, stack_bytes)? {
        total.add(report);
        *live = liveness(f);
        *demand = pressure(f, live);
    }
    for _ in 0..SPILL_ROUNDS {
        if demand.max <= capacity {
            break;
        }
        total.add(spill::spill(f, live, tree, demand, budget, total.stack_bytes)?);
        *live = liveness(f);
        *demand = pressure(f, live);
        budget = budget.saturating_sub(demand.max.saturating_sub(capacity));
    }
    tracing::debug!(stores = total.stores, loads = total.loads, demand = demand.max, capacity, "spilled");
    Ok(total)
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
    }
}
