//! Moves loads and interpolations into the branches that read them.
//!
//! What is read in one arm of an `if` only moves into that arm, so that lanes which do not go there need neither wait for
//! it nor hold it. Within its own block nothing moves: loads do best far before what reads them, and scheduling sees to it
//! that they do not need too many registers.
//!
//! Only what depends on nothing but its sources moves: loads from memory that nobody writes, interpolations at a place that
//! each lane finds alone, and the splitting of their results. What depends on neighbouring lanes, as derivatives and
//! samples with implicit level of detail do, stays. Nothing moves into a loop or out of one.
//!
//! Before: stage source. After: the same.

use crate::analysis::dominance::{Dominance, dominance};
use crate::ir::{Block, Function, Inst, InstData, IrOp, Op, Seam, Side, Value};
use agx_isa::table::Opcode;

/// Where a value is read.
#[derive(Clone, Copy)]
struct Use {
    block: Block,
    /// The first instruction that stays in the block and needs the value before it; `None` for the end of the block.
    before: Option<Inst>,
}

/// Moves loads and interpolations into the branches that read them.
pub fn opt_sink(f: &mut Function<'_>) {
    let mut insts = f.blocks_in_order().flat_map(|block| &f.block(block).insts);
    if f.layout.len() == 1 || !insts.any(|inst| can_sink(&f.insts[*inst])) {
        return;
    }
    f.compute_cfg();
    let tree = dominance(f);
    let mut sinker = Sinker {
        loops: loops(f),
        first_use: Side::new(f.values.len()),
        place: Side::new(f.insts.len()),
        attached: Side::default(),
        at_end: Side::default(),
        is_moved: Side::default(),
        any_moved: false,
        tree: &tree,
        f,
    };
    for block in sinker.f.blocks_in_order() {
        for (position, inst) in (0..).zip(&sinker.f.block(block).insts) {
            sinker.place[*inst] = position;
        }
    }
    let order: Vec<Block> = sinker.f.blocks_in_order().filter(|block| tree.is_reachable(*block)).collect();
    for block in &order {
        sinker.phis(*block);
    }
    for block in order.iter().rev() {
        sinker.block(*block);
    }
    if sinker.any_moved {
        for block in order {
            sinker.write(block);
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

struct Sinker<'s, 'a> {
    f: &'s mut Function<'a>,
    tree: &'s Dominance,
    loops: Side<Block, Option<Block>>,
    first_use: Side<Value, Option<Use>>,
    /// Position of each instruction in its block.
    place: Side<Inst, u32>,
    /// Instructions that move to the place before an instruction that stays, in reverse order: a definition is visited
    /// after everything that reads it, so it comes to stand before all of that.
    attached: Side<Inst, Vec<Inst>>,
    /// Instructions that move to the end of a block without a terminator, in reverse order.
    at_end: Side<Block, Vec<Inst>>,
    is_moved: Side<Inst, bool>,
    any_moved: bool,
}

impl Sinker<'_, '_> {
    /// Notes what the phis of a block read. This comes before the walk: the phis of a loop's header read values that
    /// are defined later in the layout.
    fn phis(&mut self, block: Block) {
        for index in 0..self.f.phi_count(block) {
            let data = self.f.insts[self.f.block(block).insts[index]];
            for (pred, src) in data.phi_inputs() {
                if let Some(value) = src.as_value().filter(|_| self.tree.is_reachable(pred)) {
                    self.read(value, self.end_of(pred));
                }
            }
        }
    }

    /// Goes backward through a block; what follows it in the layout has been visited.
    fn block(&mut self, block: Block) {
        for index in (self.f.phi_count(block)..self.f.block(block).insts.len()).rev() {
            let inst = self.f.block(block).insts[index];
            let data = self.f.insts[inst];
            let target = self.target(block, &data).filter(|target| target.block != block);
            if let Some(target) = target {
                self.sink(inst, target);
            }
            // An instruction that moves reads its sources where it moves to.
            let at = target.unwrap_or(Use { block, before: Some(inst) });
            for value in data.srcs.iter().filter_map(|src| src.as_value()) {
                self.read(value, at);
            }
        }
    }

    fn end_of(&self, block: Block) -> Use {
        Use { block, before: self.f.terminator(block) }
    }

    /// Notes that `value` is read at `new`.
    fn read(&mut self, value: Value, new: Use) {
        let merged = self.first_use[value].map_or(new, |old| self.earlier(old, new));
        self.first_use[value] = Some(merged);
    }

    /// Where both uses find what is computed there.
    fn earlier(&self, old: Use, new: Use) -> Use {
        let block = self.tree.meet(old.block, new.block);
        let place = |at: Use| at.before.map_or(u32::MAX, |inst| self.place[inst]);
        match (old.block == block, new.block == block) {
            (true, true) if place(old) < place(new) => old,
            (_, true) => new,
            (true, false) => old,
            (false, false) => self.end_of(block),
        }
    }

    /// Where an instruction of `block` moves.
    fn target(&self, block: Block, data: &InstData<'_>) -> Option<Use> {
        let splits = data.op == Op::Ir(IrOp::Split)
            && data.srcs.first().and_then(|src| self.f.def(*src)).is_some_and(|load| can_sink(&load));
        if !splits && !can_sink(data) {
            return None;
        }
        let uses = data.dsts.iter().filter_map(|dst| self.first_use[*dst]);
        let mut target = uses.reduce(|old, new| self.earlier(old, new))?;
        while self.loops[target.block] != self.loops[block] {
            target = self.end_of(self.tree.parent(target.block)?);
        }
        Some(target)
    }

    fn sink(&mut self, inst: Inst, target: Use) {
        (self.is_moved[inst], self.any_moved) = (true, true);
        match target.before {
            Some(before) => self.attached[before].push(inst),
            None => self.at_end[target.block].push(inst),
        }
    }

    /// Writes the new order of a block.
    fn write(&mut self, block: Block) {
        let insts = self.f.take_insts(block);
        let mut out = self.f.inst_list();
        for inst in insts.into_iter().filter(|inst| !self.is_moved[*inst]) {
            out.extend(self.attached[inst].iter().rev());
            out.push(inst);
        }
        out.extend(self.at_end[block].iter().rev());
        self.f.block_mut(block).insts = out;
    }
}
