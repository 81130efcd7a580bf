//! Values that live on the stack from their definition on.
//!
//! Each is stored where it is defined and loaded again by every block or, for tests, by every instruction
//! that reads it. It is therefore never live across a block boundary, and the analyses of such values do not
//! see it. Phis among them become phis of stack slots; values that can be rematerialised are not stored.
//!
//! This is for functions in which thousands of values live through thousands of blocks: choosing the resident
//! values of each block would take time and memory for every pair, and nearly all of them end up on the stack
//! anyway.

use crate::analysis::dominance::Dominance;
use crate::analysis::liveness::Liveness;
use crate::error::CompileError;
use crate::ir::entity::{Block, Inst, Value};
use crate::ir::function::{Function, InstData, InstList};
use crate::ir::op::{IrOp, Op};
use crate::ir::src::Src;
use crate::ir::table::Side;

use super::SpillReport;
use super::memory::Memory;
use super::phi_inputs::PhiInputs;

/// Values that live through fewer blocks than this are not considered.
const SHORT_BLOCKS: usize = 8;

/// Weight of a read per enclosing loop, for at most three loops.
const LOOP_WEIGHT: usize = 8;

/// Which values to keep on the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// Those that live through the most blocks for the fewest reads, if the number of pairs of a block and a
    /// live-in value exceeds this many per instruction.
    Long {
        /// Pairs per instruction.
        pairs: usize,
    },
    /// All that are read, and all phis.
    All,
}

/// Moves values to stack memory from byte `stack_bytes` on. `None` if there are none to move.
///
/// # Errors
/// A limit if the stack is too large.
pub fn keep_on_stack(
    f: &mut Function<'_>,
    live: &Liveness,
    reachable: &Dominance<'_>,
    which: Which,
    stack_bytes: u32,
) -> Result<Option<SpillReport>, CompileError> {
    let chosen = match which {
        Which::All => all(f),
        Which::Long { pairs } => long(f, live, pairs),
    };
    let Some(chosen) = chosen else { return Ok(None) };
    let mut walk = StackWalk {
        chosen,
        for_each_use: which == Which::All,
        names: Side::new(f.values.len()),
        round: 0,
        inputs: PhiInputs::new(f),
        phis: Side::new(f.blocks.len()),
        memory: Memory::new(f, stack_bytes),
        out: f.inst_list(),
        f,
    };
    let order: Vec<Block> = walk.f.blocks_in_order().filter(|block| reachable.is_reachable(*block)).collect();
    for block in &order {
        walk.make_memory_phis(*block);
    }
    for block in &order {
        walk.block(*block);
    }
    let StackWalk { memory, f, mut inputs, .. } = walk;
    inputs.write(f);
    memory.finish(f).map(Some)
}

/// Every value that is read, and every phi.
fn all(f: &Function<'_>) -> Option<Side<Value, bool>> {
    let mut chosen = Side::new(f.values.len());
    let mut any = false;
    for inst in f.blocks_in_order().flat_map(|block| &f.block(block).insts) {
        let data = f.insts[*inst];
        let phi = data.dst().filter(|_| data.op == Op::Ir(IrOp::Phi));
        for value in data.srcs.iter().filter_map(|src| src.as_value()).chain(phi) {
            chosen[value] = true;
            any = true;
        }
    }
    any.then_some(chosen)
}

/// The layout positions that a value lives between, and its number of reads.
#[derive(Clone, Copy, Default)]
struct Span {
    /// Position of its definition plus one; 0 if it has none.
    from: usize,
    to: usize,
    reads: usize,
}

impl Span {
    fn blocks(&self) -> usize {
        self.to.saturating_sub(self.from.saturating_sub(1))
    }
}

/// The values that save the most pairs per load, until at most `pairs` per instruction are left.
fn long(f: &Function<'_>, live: &Liveness, pairs: usize) -> Option<Side<Value, bool>> {
    let insts: usize = f.blocks_in_order().map(|block| f.block(block).insts.len()).sum();
    let excess = live.pairs().saturating_sub(pairs * insts);
    if excess == 0 {
        return None;
    }
    let spans = spans(f);
    let mut candidates: Vec<(usize, Value)> = live
        .values()
        .filter(|value| spans[*value].from > 0 && spans[*value].blocks() >= SHORT_BLOCKS)
        .map(|value| (spans[value].blocks() / (1 + spans[value].reads), value))
        .collect();
    candidates.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut chosen = Side::new(f.values.len());
    let mut spared = 0;
    for (_, value) in &candidates {
        if spared >= excess {
            break;
        }
        chosen[*value] = true;
        spared += spans[*value].blocks();
    }
    (!candidates.is_empty()).then_some(chosen)
}

/// Spans of all values, ignoring loops: an estimate.
fn spans(f: &Function<'_>) -> Side<Value, Span> {
    let mut spans: Side<Value, Span> = Side::new(f.values.len());
    let mut position: Side<Block, usize> = Side::new(f.blocks.len());
    for (index, block) in f.blocks_in_order().enumerate() {
        position[block] = index;
    }
    for block in f.blocks_in_order() {
        for inst in &f.block(block).insts {
            let data = &f.insts[*inst];
            let is_phi = data.op == Op::Ir(IrOp::Phi);
            for (index, src) in data.srcs.iter().enumerate() {
                let Some(value) = src.as_value() else { continue };
                let at = if is_phi { Block(data.mods[index]) } else { block };
                f.watch.visit(1);
                let span = &mut spans[value];
                span.to = span.to.max(position[at]);
                span.reads += LOOP_WEIGHT.pow(f.block(at).loop_depth.min(3));
            }
            for dst in data.dsts {
                spans[*dst].from = position[block] + 1;
            }
        }
    }
    spans
}

struct StackWalk<'f, 'a> {
    f: &'f mut Function<'a>,
    chosen: Side<Value, bool>,
    for_each_use: bool,
    /// The name a value was loaded under, with the number of the round.
    names: Side<Value, (u32, Option<Value>)>,
    /// Number of the block, or of the instruction if each loads its own sources.
    round: u32,
    inputs: PhiInputs,
    /// All phis of each block: phis of stack slots are already removed from it when its back edges are
    /// reached.
    phis: Side<Block, Vec<Inst>>,
    memory: Memory,
    out: InstList<'a>,
}

impl<'a> StackWalk<'_, 'a> {
    fn make_memory_phis(&mut self, block: Block) {
        let phis: Vec<Inst> = self.f.block(block).insts[..self.f.phi_count(block)].to_vec();
        let chosen = phis.iter().filter_map(|phi| self.f.insts[*phi].dst()).filter(|dst| self.chosen[*dst]);
        let chosen: Vec<Value> = chosen.collect();
        self.memory.add_phis(self.f, block, &phis, &chosen);
        self.phis[block] = phis;
    }

    fn block(&mut self, block: Block) {
        self.round += 1;
        let insts = self.f.take_insts(block);
        let mut provided = false;
        for inst in insts {
            let data = self.f.insts[inst];
            if data.op == Op::Ir(IrOp::Phi) {
                if data.dst().is_none_or(|dst| !self.memory.is_memory_phi(dst)) {
                    self.out.push(inst);
                }
                continue;
            }
            if data.op.is_terminator() {
                self.provide(block, data.line);
                provided = true;
            }
            self.visit(inst, &data);
        }
        if !provided {
            self.provide(block, 0);
        }
        let next = self.f.inst_list();
        self.f.block_mut(block).insts = std::mem::replace(&mut self.out, next);
    }

    fn visit(&mut self, inst: Inst, data: &InstData<'a>) {
        self.f.watch.visit(1);
        self.round += u32::from(self.for_each_use);
        let mut srcs: Vec<Src> = Vec::with_capacity(data.srcs.len());
        for src in data.srcs {
            let name = src.as_value().map(|value| self.name(value, data.line));
            srcs.push(name.map_or(*src, |name| Src { payload: Src::value(name).payload, ..*src }));
        }
        if srcs != data.srcs {
            self.f.insts[inst].srcs = self.f.alloc(&srcs);
        }
        for dst in data.dsts {
            self.names[*dst] = (self.round, Some(*dst));
        }
        self.out.push(inst);
    }

    /// The name of `value` here: the current one, or that of a load.
    fn name(&mut self, value: Value, line: u32) -> Value {
        if !self.chosen[value] {
            return value;
        }
        match self.names[value] {
            (round, Some(name)) if round == self.round => name,
            _ => {
                let name = self.memory.reload(self.f, value, |_| None, &mut self.out, line);
                self.names[value] = (self.round, Some(name));
                name
            }
        }
    }

    /// Provides the phis of successors with their sources from `block`.
    fn provide(&mut self, block: Block, line: u32) {
        for index in 0..self.f.block(block).succs.len() {
            let successor = self.f.block(block).succs[index];
            for at in 0..self.phis[successor].len() {
                let phi = self.phis[successor][at];
                let data = self.f.insts[phi];
                self.provide_phi(block, phi, &data, line);
            }
        }
    }

    fn provide_phi(&mut self, block: Block, phi: Inst, data: &InstData<'a>, line: u32) {
        self.round += u32::from(self.for_each_use);
        let (Some(dst), Some(src)) = (data.dst(), self.inputs.source(data, block)) else { return };
        let on_stack = self.memory.is_memory_phi(dst);
        if on_stack && src.as_value() == Some(dst) {
            self.memory.keep(dst, block);
            return;
        }
        let name = src.as_value().map(|value| self.name(value, line));
        if on_stack {
            let held = (src.as_value(), name.map_or(src, Src::value));
            self.memory.store_to_phi(self.f, dst, held, (block, line), &mut self.out);
        } else if let Some(name) = name.filter(|name| src.as_value() != Some(*name)) {
            self.inputs.set(self.f, phi, block, name);
        }
    }
}
