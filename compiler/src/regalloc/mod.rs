//! Register allocation on SSA.
//!
//! Steps: [`spill`](mod@spill) brings register demand under the limit, [`assign`] gives every value a
//! register, and [`lower_pseudo`] lowers pseudo-instructions to moves. [`check`] proves the result.
//!
//! Before: stage machine. After: stage allocated.

pub mod affinity;
pub mod assign;
pub mod check;
mod claims;
mod evict;
pub mod exports;
pub mod file;
pub mod flight;
mod join;
pub mod lower_pseudo;
pub mod parallel_copy;
pub mod shapes;
mod shared_parts;
pub mod spill;
#[cfg(test)]
pub(crate) mod tests;

use agx_isa::desc::WaitBehaviour;
use agx_isa::table::Opcode;
use bumpalo::Bump;

use crate::analysis::dominance::{Dominance, dominance};
use crate::analysis::liveness::{Liveness, liveness};
use crate::analysis::pressure::{BlockDemand, Demand, pressure};
use crate::error::{BackEndError, CompileError, ErrorKind};
use crate::ir::entity::{Inst, Value};
use crate::ir::function::{Function, InstData, Seam};
use crate::ir::op::{IrOp, Op};
use crate::ir::src::Src;
use crate::ir::table::Side;
use crate::ir::types::Stage;

use file::{FILE_HALVES, HalfSet};
use shapes::Shapes;
use spill::{SpillReport, Which};

/// A general-purpose register, identified by its lowest half. The value determines the size.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Reg {
    /// Half index: r5l = 10, r5h = 11, r5 = 10.
    pub half: u8,
}

/// Registers of the values of a function.
#[derive(Clone, Debug, Default)]
pub struct Allocation {
    /// Register of each value; `None` for values that no longer exist.
    pub reg: Side<Value, Option<Reg>>,
    /// Half registers up to the highest one used.
    pub halves_used: u16,
    /// Bytes of stack memory in use, including those in use before.
    pub stack_bytes: u32,
    /// Values stored to the stack for lack of registers.
    pub spills: u32,
    /// Values loaded back.
    pub fills: u32,
    /// Phis on the stack, with the byte offset that predecessors store to.
    pub memory_phis: Vec<(Value, u32)>,
    /// Instructions that spilling added to rematerialise values, with those values.
    pub rematerialised: Vec<(Inst, Value)>,
}

impl Allocation {
    fn new(values: usize) -> Self {
        Allocation { reg: Side::new(values), ..Allocation::default() }
    }

    /// Records the register of a value of `halves` half registers.
    fn record(&mut self, value: Value, half: u16, halves: u16) {
        self.reg[value] = Some(Reg { half: half as u8 });
        self.reserve(half, halves);
    }

    /// Counts registers as used.
    fn reserve(&mut self, half: u16, halves: u16) {
        self.halves_used = self.halves_used.max(half + halves).min(FILE_HALVES);
    }

    /// Half index of the register of `value`.
    pub fn half(&self, value: Value) -> Option<u16> {
        self.reg[value].map(|reg| u16::from(reg.half))
    }
}

/// Constraints and options of register allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AllocateOptions {
    /// Half registers available to the program, at most 256.
    pub limit_halves: u16,
    /// Half registers, counted from 0, that are never allocated.
    pub reserved_halves: u16,
    /// Bytes of stack memory already in use.
    pub stack_bytes: u32,
    /// Keep every value on the stack, for tests: store it where it is defined and load it at each use.
    pub spill_everything: bool,
    /// Run the checker on the result.
    pub validate: bool,
}

/// Maximum number of pairs of a block and a live-in value per instruction that spilling considers: more take
/// too long.
const PAIRS_PER_INST: usize = 16;

/// Half registers beyond the demand that may be used to keep results apart from registers that an outstanding
/// load will write.
const SPARE_HALVES: u16 = 8;

/// Maximum rounds of spilling; one suffices unless stores need large temporary vectors.
const SPILL_ROUNDS: u32 = 4;

/// Assigns a register to every value. The function is at stage Machine before and Allocated after. `known` is what an
/// earlier pass found out about its demand.
///
/// # Errors
/// A limit error if the values that one instruction needs at once do not fit, or the stack is too large.
pub fn allocate(
    f: &mut Function<'_>,
    options: &AllocateOptions,
    known: Option<Demand>,
) -> Result<Allocation, CompileError> {
    f.with_scratch(|f, scratch| allocate_in(f, options, known, scratch))
}

fn allocate_in(
    f: &mut Function<'_>,
    options: &AllocateOptions,
    known: Option<Demand>,
    scratch: &Bump,
) -> Result<Allocation, CompileError> {
    let tree = dominance(f, scratch);
    clear_unreachable(f, &tree);
    let gathered = exports::gather_exports(f);
    let before = options.validate.then(|| check::Snapshot::of(f));
    let limit = options.limit_halves.min(FILE_HALVES);
    check_fixed_places(f, limit)?;
    let mut known = known.unwrap_or_else(|| Demand::new(f, liveness(f)));
    if let Some(block) = gathered {
        // Exports have moved, which may raise the demand.
        known.set(block, BlockDemand::AtMost(u32::MAX));
    }
    let mut shapes = Shapes::new(f);
    let lost = shapes.lost_to(options.reserved_halves) + shapes.waste();
    let capacity = limit.saturating_sub(lost);
    let free = agx_abi::occupancy::max_gpr_halves(agx_abi::occupancy::MAX_THREADS).saturating_sub(lost);
    // If all values together fit within the free limit, the exact demand does not matter.
    let mut demand = halves_in_all(f, capacity.min(free)).unwrap_or_else(|| known.highest(f, scratch));
    let mut live = known.live;
    let mut spilled = None;
    if options.spill_everything || demand > capacity {
        spilled = spill_as_needed(f, &tree, &mut live, options, capacity, scratch)?;
        exports::gather_exports(f);
        shapes = Shapes::new(f);
        demand = pressure(f, &live, scratch).max;
    }
    let demand = demand + shapes.lost_to(options.reserved_halves) + shapes.waste();
    let at_no_cost = demand + SPARE_HALVES;
    let usable = target_halves(demand, limit).saturating_sub(options.reserved_halves);
    let usable = HalfSet::range(options.reserved_halves, usable);
    let mut allocation = assign::assign(f, &live, &tree, &shapes, usable, at_no_cost, scratch)?;
    allocation.stack_bytes = options.stack_bytes;
    if let Some(report) = spilled {
        allocation.stack_bytes = report.stack_bytes;
        (allocation.spills, allocation.fills) = (report.stores, report.loads);
        (allocation.memory_phis, allocation.rematerialised) = (report.memory_phis, report.rematerialised);
    }
    if let Some(before) = &before {
        check::check(f, &allocation, before, options)?;
    }
    lower_pseudo::lower_pseudo(f, &mut allocation, scratch)?;
    if let Some(before) = &before {
        check::check(f, &allocation, before, options)?;
    }
    f.stage = Stage::Allocated;
    Ok(allocation)
}

/// Half registers of all values together, if they are at most `most` and using more registers than the demand
/// is harmless: extra registers keep loads apart, which preambles do not need.
fn halves_in_all(f: &Function<'_>, most: u16) -> Option<u16> {
    // Only preambles contain it.
    let is_preamble = f.present.may_have_op(Opcode::UniformStore);
    let (mut halves, mut loads) = (0u16, 0);
    for inst in f.blocks_in_order().flat_map(|block| &f.block(block).insts) {
        let data = &f.insts[*inst];
        for dst in data.dsts {
            halves = halves.checked_add(f.ty(*dst).halves()).filter(|halves| *halves <= most)?;
        }
        loads += u32::from(finishes_later(data));
        if loads > 1 && !is_preamble {
            return None;
        }
    }
    Some(halves)
}

/// Whether results are written asynchronously.
pub(crate) fn finishes_later(data: &InstData<'_>) -> bool {
    !data.dsts.is_empty() && matches!(data.op, Op::Hw(op) if op.desc().wait == WaitBehaviour::Async)
}

/// Checks that the fixed registers which parts of a program exchange values in are below the limit.
fn check_fixed_places(f: &Function<'_>, limit: u16) -> Result<(), CompileError> {
    if !(f.present.may_have_op(IrOp::Preload) || f.present.may_have_op(IrOp::Export)) {
        return Ok(());
    }
    let entry = f.entry();
    let last = f.layout.last().map(|segment| segment.block).filter(|last| *last != entry);
    for inst in [Some(entry), last].iter().flatten().flat_map(|block| &f.block(*block).insts) {
        let data = &f.insts[*inst];
        let (what, ty) = match data.op {
            Op::Ir(IrOp::Preload) => ("finds inputs in", data.dst().map(|dst| f.ty(dst))),
            Op::Ir(IrOp::Export) => ("leaves outputs in", data.srcs.first().map(|src| f.src_ty(*src))),
            _ => continue,
        };
        let end = data.mods.first().map_or(0, |half| *half as u16) + ty.map_or(0, |ty| ty.halves());
        if end > limit {
            return Err(f.locate(
                *inst,
                CompileError::from(BackEndError::FixedRegisters { what: what.to_string(), end, limit }),
            ));
        }
    }
    Ok(())
}

/// Brings the demand under the limit by spilling, or spills everything. Updates `live` for the result.
fn spill_as_needed(
    f: &mut Function<'_>,
    tree: &Dominance<'_>,
    live: &mut Liveness,
    options: &AllocateOptions,
    capacity: u16,
    scratch: &Bump,
) -> Result<Option<SpillReport>, CompileError> {
    let limit = options.limit_halves.min(FILE_HALVES);
    let mut demand = pressure(f, live, scratch);
    let mut total = SpillReport { stack_bytes: options.stack_bytes, ..SpillReport::default() };
    if options.spill_everything || demand.max > capacity {
        let which = if options.spill_everything { Which::All } else { Which::Long { pairs: PAIRS_PER_INST } };
        if let Some(report) = spill::keep_on_stack(f, live, tree, which, options.stack_bytes)? {
            total.add(report);
            *live = liveness(f);
            demand = pressure(f, live, scratch);
        }
    }
    let mut budget = capacity.saturating_sub(spill::store_slack(f));
    for _ in 0..SPILL_ROUNDS {
        if demand.max <= capacity {
            break;
        }
        let report = spill::spill(f, live, tree, &demand, budget, total.stack_bytes);
        total.add(report.map_err(|error| explain_limit(error, limit, capacity))?);
        *live = liveness(f);
        let before = std::mem::replace(&mut demand, pressure(f, live, scratch));
        if demand.max >= before.max {
            // Preloads have fixed registers.
            break;
        }
        budget = budget.saturating_sub(demand.max.saturating_sub(capacity));
    }
    if total.stores + total.loads > 0 {
        tracing::debug!(total.stores, total.loads, demand = demand.max, capacity, "spilled");
    }
    let changed =
        total.stack_bytes > options.stack_bytes || total.loads > 0 || !total.rematerialised.is_empty();
    Ok(changed.then_some(total))
}

/// Adds an explanation of the limit.
fn explain_limit(error: CompileError, limit: u16, capacity: u16) -> CompileError {
    match error.kind() {
        ErrorKind::Limit => {
            let reserved = limit - capacity;
            error.noted(format!("limit {limit}, {reserved} of them reserved or lost to alignment"))
        }
        _ => error,
    }
}

/// Half registers worth using: the maximum with the same number of resident threads as `demand`. Using fewer
/// would only cost moves.
fn target_halves(demand: u16, limit: u16) -> u16 {
    let threads = agx_abi::occupancy::max_threads(demand.min(limit));
    agx_abi::occupancy::max_gpr_halves(threads).min(limit)
}

/// Empties unreachable blocks; terminators stay for the structure, without sources.
fn clear_unreachable(f: &mut Function<'_>, tree: &Dominance<'_>) {
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
        let insts = &mut f.block_mut(block).insts;
        insts.clear();
        insts.extend(terminator);
    }
}
