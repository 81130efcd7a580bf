//! Spilling: keeps the values with the nearest uses in registers, the others in stack memory.
//!
//! After Braun and Hack (2009): one walk in program order maintains the set of *resident* values. If more
//! values are needed than fit, those with the farthest next uses are evicted; if a value is needed that is
//! not resident, it is loaded, or rematerialised if that takes one instruction with operands in registers. A
//! value that is loaded anywhere is stored once, right after its definition: values never change, so this one
//! store serves every load.
//!
//! A load gives the value a new *name*. Phis that join names are inserted during the walk, so the function
//! stays in SSA form throughout: at joins where the names differ, and at the headers of loops in which names
//! may change. A phi that does not fit becomes a phi of stack slots. Slots are assigned offsets at the end,
//! when it is known which of them are live at the same time.

mod border;
mod local;
mod memory;
mod phi_inputs;
mod residents;
mod slot_lives;
mod slots;
mod whole;

pub use whole::{Which, keep_on_stack};

use agx_isa::desc::WaitBehaviour;

use crate::analysis::dominance::Dominance;
use crate::analysis::liveness::Liveness;
use crate::analysis::next_use::{NEVER, NextUses, next_uses};
use crate::analysis::pressure::{Pressure, dead_result_needs_register};
use crate::error::{BackEndError, CompileError};
use crate::ir::entity::{Block, Inst, Value};
use crate::ir::function::{Function, InstData, InstList, Seam};
use crate::ir::op::{IrOp, Op};
use crate::ir::src::{Src, SrcKind};
use crate::ir::table::Side;

use border::Border;
use local::LocalUses;
use memory::Memory;
use phi_inputs::PhiInputs;
use residents::{Resident, Residents};

/// The result of spilling.
#[derive(Clone, Debug, Default)]
pub struct SpillReport {
    /// Bytes of stack memory in use, including those in use before.
    pub stack_bytes: u32,
    /// Values stored.
    pub stores: u32,
    /// Values loaded.
    pub loads: u32,
    /// Phis that became phis of stack slots, with the byte offset of the slot that predecessors store to.
    pub memory_phis: Vec<(Value, u32)>,
    /// Instructions that rematerialise values from others, with those values.
    pub rematerialised: Vec<(Inst, Value)>,
}

impl SpillReport {
    /// Adds the result of a later round.
    pub fn add(&mut self, later: SpillReport) {
        self.stack_bytes = later.stack_bytes;
        self.stores += later.stores;
        self.loads += later.loads;
        self.memory_phis.extend(later.memory_phis);
        self.rematerialised.extend(later.rematerialised);
    }
}

/// A value that can be rematerialised is as good to evict as one whose next use is this many times farther
/// away.
const REPEATED_DISTANCE: u32 = 4;

struct Spiller<'f, 'a> {
    f: &'f mut Function<'a>,
    live: &'f Liveness,
    reachable: &'f Dominance<'f>,
    next: NextUses,
    /// Maximum half registers resident at once.
    budget: u32,
    /// Highest demand in each loop, by header.
    loop_demand: Side<Block, u16>,
    local: LocalUses,
    resident: Residents,
    borders: Side<Block, Border>,
    memory: Memory,
    inputs: PhiInputs,
    /// The name a value was loaded under at the end of a predecessor, with the number of the round.
    loaded: Side<Value, (u32, Option<Value>)>,
    /// Number of calls that made a predecessor provide values.
    round: u32,
    out: InstList<'a>,
}

/// Whether an instruction can be rematerialised anywhere: pure, without values as sources.
pub(super) fn is_rematerialised(data: &InstData<'_>) -> bool {
    matches!(data.op, Op::Hw(_))
        && data.is_pure()
        && data.dsts.len() == 1
        && data.srcs.iter().all(|src| src.kind != SrcKind::Value)
}

/// Whether an instruction can be rematerialised where its sources are in registers: pure and synchronous.
pub(super) fn is_repeatable(data: &InstData<'_>) -> bool {
    matches!(data.op, Op::Hw(op) if op.desc().wait != WaitBehaviour::Async)
        && data.is_pure()
        && data.dsts.len() == 1
}

/// Half registers that spill code may need in addition to resident values: copies of values that the hardware
/// stores in parts or from other registers, and values that predecessors store to phis of stack slots.
pub fn store_slack(f: &Function<'_>) -> u16 {
    let insts = f.blocks_in_order().flat_map(|block| &f.block(block).insts);
    let needs = |data: &InstData<'_>| {
        let is_phi = data.op == Op::Ir(IrOp::Phi);
        let stored =
            data.dsts.iter().map(|dst| f.ty(*dst)).filter(|ty| is_phi || memory::is_stored_in_parts(*ty));
        stored.map(|ty| ty.halves()).max().unwrap_or(0)
    };
    insts.map(|inst| needs(&f.insts[*inst])).max().unwrap_or(0)
}

/// Spills until at most `budget` half registers are needed at once, as far as instructions allow. Uses stack
/// memory from byte `stack_bytes` on.
///
/// # Errors
/// A limit if one instruction needs more than the budget, or the stack is too large.
pub fn spill(
    f: &mut Function<'_>,
    live: &Liveness,
    reachable: &Dominance<'_>,
    demand: &Pressure,
    budget: u16,
    stack_bytes: u32,
) -> Result<SpillReport, CompileError> {
    let mut spiller = Spiller {
        next: next_uses(f, live),
        loop_demand: loop_demand(f, demand),
        local: LocalUses::new(f),
        resident: Residents::default(),
        borders: Side::new(f.blocks.len()),
        memory: Memory::new(f, stack_bytes),
        inputs: PhiInputs::new(f),
        loaded: Side::new(2 * f.values.len()),
        round: 0,
        out: f.inst_list(),
        budget: budget.into(),
        reachable,
        live,
        f,
    };
    for block in spiller.f.blocks_in_order().filter(|block| reachable.is_reachable(*block)) {
        spiller.walk(block)?;
    }
    spiller.inputs.write(spiller.f);
    spiller.replace_trivial_phis();
    let Spiller { memory, f, .. } = spiller;
    memory.finish(f)
}

/// Highest demand in each loop, by header.
fn loop_demand(f: &Function<'_>, demand: &Pressure) -> Side<Block, u16> {
    let mut result: Side<Block, u16> = Side::new(f.blocks.len());
    let mut open: Vec<(Block, u16)> = Vec::new();
    for (index, segment) in f.layout.iter().enumerate() {
        if let Some((_, max)) = open.last_mut() {
            *max = (*max).max(demand.blocks[segment.block.0 as usize]);
        }
        match segment.seam {
            Seam::Loop => open.push((f.layout[index + 1].block, 0)),
            Seam::EndLoop => {
                let Some((header, max)) = open.pop() else { continue };
                result[header] = max;
                if let Some((_, outer)) = open.last_mut() {
                    *outer = (*outer).max(max);
                }
            }
            _ => {}
        }
    }
    result
}

impl<'a> Spiller<'_, 'a> {
    fn walk(&mut self, block: Block) -> Result<(), CompileError> {
        self.local.enter(self.f, self.live, &self.next, block);
        self.enter(block);
        let (local, live, next) = (&self.local, self.live, &self.next);
        self.resident.renew(self.f, |value| local.next(live, next, value));
        let insts = self.f.take_insts(block);
        let mut sources = Vec::new();
        for inst in &insts {
            let data = self.f.insts[*inst];
            if data.op == Op::Ir(IrOp::Phi) {
                let stays = |dst: Value| !self.memory.is_memory_phi(dst) && self.next_use(dst) != NEVER;
                if data.dst().is_some_and(stays) {
                    self.out.push(*inst);
                }
            } else {
                sources.clear();
                sources.extend(data.srcs.iter().filter_map(|src| src.as_value()));
                sources.sort_unstable();
                sources.dedup();
                let done = self.visit(*inst, &data, &sources);
                done.map_err(|error| self.f.locate(*inst, error))?;
            }
        }
        let next = self.f.inst_list();
        self.f.block_mut(block).insts = std::mem::replace(&mut self.out, next);
        self.close(block)
    }

    fn halves(&self, value: Value) -> u32 {
        u32::from(self.f.ty(value).halves())
    }

    fn next_use(&self, value: Value) -> u32 {
        self.local.next(self.live, &self.next, value)
    }

    /// Brings the values that an instruction reads, `sources`, into registers, and makes room for its results.
    fn visit(&mut self, inst: Inst, data: &InstData<'a>, sources: &[Value]) -> Result<(), CompileError> {
        self.f.watch.visit(2);
        let missing = sources.iter().filter(|value| self.resident.place(**value).is_none());
        self.evict(missing.map(|value| self.halves(*value)).sum(), sources)?;
        for value in sources.iter().copied() {
            if self.resident.place(value).is_none() {
                let held = |value| self.resident.name(value);
                let name = self.memory.reload(self.f, value, held, &mut self.out, data.line);
                self.resident.push(Resident::new(self.f, value, name, self.next_use(value)));
            }
        }
        if sources.iter().any(|value| self.resident.name(*value) != Some(*value)) {
            let srcs = data.srcs.iter().map(|src| self.renamed(*src));
            self.f.insts[inst].srcs = self.f.bump.alloc_slice_fill_iter(srcs);
        }
        self.local.pass(data);
        for value in sources {
            if let Some(place) = self.resident.place(*value) {
                self.resident.set_next(place, self.next_use(*value));
            }
        }
        let needs_register =
            |dst: &&Value| dead_result_needs_register(data.op) || self.next_use(**dst) != NEVER;
        let results: u32 = data.dsts.iter().filter(needs_register).map(|dst| self.halves(*dst)).sum();
        // Without results there is room: the sources had it.
        if results > 0 {
            self.evict(results, &[])?;
        }
        for dst in data.dsts {
            let next = self.next_use(*dst);
            if next != NEVER {
                self.resident.push(Resident::new(self.f, *dst, *dst, next));
            }
        }
        self.out.push(inst);
        Ok(())
    }

    /// `src` under its current name.
    fn renamed(&self, src: Src) -> Src {
        match src.as_value().and_then(|value| self.resident.name(value)) {
            Some(name) => Src { payload: Src::value(name).payload, ..src },
            None => src,
        }
    }

    /// The distance to the next use of a value, weighted by the benefit of not having to load it, which makes it at
    /// most `most`.
    fn distance(&self, resident: &Resident, most: u32) -> u32 {
        let def = self.f.values[resident.value].def.filter(|_| most != resident.next);
        let Some(def) = def else { return resident.next };
        let mut sources = self.f.insts[def].srcs.iter().filter_map(|src| src.as_value());
        // It is unknown whether they are still in registers by then.
        if sources.all(|source| self.next_use(source) != NEVER) { most } else { resident.next }
    }

    /// The distance if the value can be computed again instead of being loaded.
    fn greatest_distance(&self, resident: &Resident) -> u32 {
        if !resident.is_repeatable || resident.next >= NEVER - 1 {
            return resident.next;
        }
        let here = self.local.position();
        let distance = resident.next.saturating_sub(here).saturating_mul(REPEATED_DISTANCE);
        here.saturating_add(distance).min(NEVER - 1)
    }

    /// Evicts the values with the farthest next uses until `needed` half registers are free. Of two with
    /// equal distance the larger is evicted, then the older.
    fn evict(&mut self, needed: u32, pinned: &[Value]) -> Result<(), CompileError> {
        while self.resident.halves() + needed > self.budget {
            let Some(farthest) = self.farthest(pinned) else {
                let needed = self.resident.halves() + needed;
                return Err(BackEndError::OneInstruction { needed, budget: self.budget }.into());
            };
            self.resident.swap_remove(farthest);
        }
        Ok(())
    }

    /// The index of the resident value with the farthest next use that is not pinned.
    fn farthest(&mut self, pinned: &[Value]) -> Option<usize> {
        let (mut farthest, mut most) = (None, 0);
        for index in 0..self.resident.len() {
            let resident = &self.resident[index];
            // Mostly, this saves the rest.
            let greatest = self.greatest_distance(resident);
            if resident.rank(greatest) <= most {
                continue;
            }
            let (value, distance) = (resident.value, self.distance(resident, greatest));
            let rank = resident.rank(distance);
            // An operand that is not used again stays so within the block.
            if distance != greatest {
                self.resident.forbid_repeating(index);
            }
            if rank > most && !pinned.contains(&value) {
                (most, farthest) = (rank, Some(index));
            }
        }
        farthest
    }
}
