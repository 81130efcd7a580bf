//! Moves loads and interpolations down to what reads them.
//!
//! What is read in one arm of an `if` only moves into that arm, so that lanes which do not go there need neither wait for
//! it nor hold it. Within a block it moves to the first instruction that reads it: loads then stand in the order in which
//! they are needed, which scheduling keeps.
//!
//! Only what depends on nothing but its sources moves: loads from memory that nobody writes, interpolations at a place that
//! each lane finds alone, and the splitting of their results. What depends on neighbouring lanes, as derivatives and
//! samples with implicit level of detail do, stays. Nothing moves into a loop or out of one.

use crate::analysis::dominance::{Dominance, dominance};
use crate::ir::{Block, Function, Inst, InstData, IrOp, Op, Seam, Side, Value};
use agx_isa::table::Opcode;

/// Where what reads a value stands.
#[derive(Clone, Copy)]
struct Use {
    block: Block,
    /// The first instruction of the block that reads it; `None` when the block's end is as early as it is needed.
    before: Option<Inst>,
}

/// Moves loads and interpolations down to what reads them.
pub fn opt_sink(f: &mut Function<'_>) {
    let insts = f.blocks_in_order().flat_map(|block| &f.block(block).insts);
    if !insts.into_iter().any(|inst| can_sink(&f.insts[*inst])) {
        return;
    }
    f.compute_cfg();
    let tree = dominance(f);
    let mut sinker = Sinker {
        tree: &tree,
        loops: loops(f),
        first_use: Side::new(f.values.len()),
        place: Side::new(f.insts.len()),
        attached: Side::default(),
        at_end: Side::default(),
        moved: false,
    };
    let order: Vec<Block> = f.blocks_in_order().filter(|block| tree.is_reachable(*block)).collect();
    for block in order.iter().rev() {
        sinker.block(f, *block);
    }
    if sinker.moved {
        for block in order {
            sinker.write(f, block);
        }
    }
}

/// Whether an instruction may be executed later, and by fewer lanes.
fn can_sink(data: &InstData<'_>) -> bool {
    let op = match data.op {
        Op::Ir(op) => matches!(op, IrOp::LoadGlobal | IrOp::LoadTexture),
        Op::Hw(op) => matches!(op, Opcode::Iter | Opcode::Iterproj),
    };
    op && data.is_pure()
}

/// The header of the innermost loop around each block.
fn loops(f: &Function<'_>) -> Side<Block, Option<Block>> {
    let mut loops = Side::new(f.blocks.len());
    let mut open: Vec<Block> = Vec::new();
    for (index, segment) in f.layout.iter().enumerate() {
        loops[segment.block] = open.last().copied();
        match segment.seam {
            Seam::Loop => open.extend(f.layout.get(index + 1).map(|next| next.block)),
            Seam::EndLoop => drop(open.pop()),
            _ => {}
        }
    }
    loops
}

struct Sinker<'t> {
    tree: &'t Dominance,
    loops: Side<Block, Option<Block>>,
    first_use: Side<Value, Option<Use>>,
    /// Position in its block, or that of what it moved to.
    place: Side<Inst, u32>,
    /// What moves to the place before an instruction, the last first.
    attached: Side<Inst, Vec<Inst>>,
    /// What moves to the end of a block without a terminator, the last first.
    at_end: Side<Block, Vec<Inst>>,
    moved: bool,
}

impl Sinker<'_> {
    /// Goes backward through a block; what follows it in the layout has been visited.
    fn block(&mut self, f: &Function<'_>, block: Block) {
        let insts = &f.block(block).insts;
        for (position, inst) in (0..).zip(insts) {
            self.place[*inst] = position;
        }
        for (index, inst) in insts.iter().enumerate().rev() {
            let data = &f.insts[*inst];
            let splits = data.op == Op::Ir(IrOp::Split)
                && data.srcs.first().and_then(|src| f.def(*src)).is_some_and(|load| can_sink(&load));
            let target = if splits || can_sink(data) { self.target(f, block, data) } else { None };
            let at = match target {
                Some(target) if Some(&target.before) != Some(&insts.get(index + 1).copied()) => {
                    self.sink(f, *inst, target);
                    target.block
                }
                _ => block,
            };
            if data.op == Op::Ir(IrOp::Phi) {
                for (pred, src) in data.phi_inputs() {
                    if let Some(value) = src.as_value().filter(|_| self.tree.is_reachable(pred)) {
                        self.read(value, Use { block: pred, before: f.terminator(pred) });
                    }
                }
            } else {
                for value in data.srcs.iter().filter_map(|src| src.as_value()) {
                    self.read(value, Use { block: at, before: Some(*inst) });
                }
            }
        }
    }

    /// Where an instruction of `block` is needed first, if it is read and may move there.
    fn target(&self, f: &Function<'_>, block: Block, data: &InstData<'_>) -> Option<Use> {
        let uses = data.dsts.iter().filter_map(|dst| self.first_use[*dst]);
        let mut target = uses.reduce(|a, b| self.earlier(f, a, b))?;
        while self.loops[target.block] != self.loops[block] {
            let block = self.tree.parent(target.block)?;
            target = Use { block, before: f.terminator(block) };
        }
        Some(target)
    }

    fn read(&mut self, value: Value, new: Use) {
        let merged = match self.first_use[value] {
            Some(old) => self.meet(old, new),
            None => new,
        };
        self.first_use[value] = Some(merged);
    }
}
