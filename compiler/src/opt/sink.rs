//! Moves loads and interpolations into the branches that read them.
//!
//! A value that is used only in one arm of an `if` moves into that arm, so that lanes which do not execute
//! the arm neither wait for it nor hold it. Nothing moves within its own block: loads should be far ahead of
//! their uses, and scheduling limits the registers they need.
//!
//! Only instructions that depend on nothing but their sources move: loads from read-only memory,
//! interpolations at a position that each lane computes alone, and splits of their results. Instructions that
//! depend on other lanes, such as derivatives and samples with implicit level of detail, stay. Nothing moves
//! into or out of a loop.
//!
//! Before: stage source. After: the same.

use crate::analysis::dominance::{Dominance, dominance};
use crate::ir::{Block, Function, Inst, InstData, IrOp, Op, ScratchSide, Seam, Side, Value};
use agx_isa::table::Opcode;
use bumpalo::Bump;

/// The position of a use.
#[derive(Clone, Copy)]
struct Use {
    block: Block,
    /// The first remaining instruction of the block that needs the value before it; `None` for the end of the
    /// block.
    before: Option<Inst>,
}

/// Moves loads and interpolations into the branches that read them.
pub fn opt_sink(f: &mut Function<'_>) {
    let mut insts = f.blocks_in_order().flat_map(|block| &f.block(block).insts);
    if f.layout.len() == 1 || !insts.any(|inst| can_sink(&f.insts[*inst])) {
        return;
    }
    f.with_scratch(sink_all);
}

fn sink_all(f: &mut Function<'_>, scratch: &Bump) {
    let tree = dominance(f, scratch);
    let mut sinker = Sinker {
        loops: loops(f, scratch),
        first_use: ScratchSide::new_in(scratch, f.values.len()),
        place: ScratchSide::new_in(scratch, f.insts.len()),
        attached: Side::default(),
        at_end: Side::default(),
        is_moved: ScratchSide::later_in(scratch, f.insts.len()),
        any_moved: false,
        tree: &tree,
        f,
    };
    sinker.find_places();
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

/// Whether an instruction may execute later, and in fewer lanes.
fn can_sink(data: &InstData<'_>) -> bool {
    let op = match data.op {
        Op::Ir(op) => matches!(op, IrOp::LoadGlobal | IrOp::LoadTexture),
        Op::Hw(op) => matches!(op, Opcode::Iter | Opcode::Iterproj),
    };
    op && data.is_pure()
}

/// Whether an instruction may sink, or takes the result of one apart.
fn may_sink(f: &Function<'_>, data: &InstData<'_>) -> bool {
    let is_split = data.op == Op::Ir(IrOp::Split);
    can_sink(data) || is_split && f.def(data.srcs[0]).is_some_and(|load| can_sink(&load))
}

/// The header of the innermost loop around each block.
fn loops<'s>(f: &Function<'_>, scratch: &'s Bump) -> ScratchSide<'s, Block, Option<Block>> {
    let mut loops = ScratchSide::new_in(scratch, f.blocks.len());
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

/// Where a value is used first.
#[derive(Clone, Copy, Default)]
enum FirstUse {
    /// Not of interest: its definition stays.
    #[default]
    Any,
    /// Nowhere so far.
    None,
    At(Use),
}

struct Sinker<'s, 'a> {
    f: &'s mut Function<'a>,
    tree: &'s Dominance<'s>,
    loops: ScratchSide<'s, Block, Option<Block>>,
    first_use: ScratchSide<'s, Value, FirstUse>,
    /// Position of each instruction in its block.
    place: ScratchSide<'s, Inst, u32>,
    /// Instructions that move before a remaining instruction, in reverse order: a definition is visited after
    /// all its users, so it is placed before all of them.
    attached: Side<Inst, Vec<Inst>>,
    /// Instructions that move to the end of a block without terminator, in reverse order.
    at_end: Side<Block, Vec<Inst>>,
    is_moved: ScratchSide<'s, Inst, bool>,
    any_moved: bool,
}

impl Sinker<'_, '_> {
    /// Records the positions of instructions, and which may sink.
    fn find_places(&mut self) {
        for block in self.f.blocks_in_order() {
            for (position, inst) in (0..).zip(&self.f.block(block).insts) {
                self.place[*inst] = position;
                let data = &self.f.insts[*inst];
                if may_sink(self.f, data) {
                    data.dsts.iter().for_each(|dst| self.first_use[*dst] = FirstUse::None);
                }
            }
        }
    }

    /// Records the uses by the phis of a block. This precedes the walk, because the phis of a loop header
    /// read values defined later in the layout.
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

    /// Walks backward through a block; the blocks after it in the layout have been visited.
    fn block(&mut self, block: Block) {
        for index in (self.f.phi_count(block)..self.f.block(block).insts.len()).rev() {
            let inst = self.f.block(block).insts[index];
            let data = self.f.insts[inst];
            let target = self.target(block, &data).filter(|target| target.block != block);
            if let Some(target) = target {
                self.sink(inst, target);
            }
            // An instruction that moves reads its sources at its new position.
            let at = target.unwrap_or(Use { block, before: Some(inst) });
            for value in data.srcs.iter().filter_map(|src| src.as_value()) {
                self.read(value, at);
            }
        }
    }

    fn end_of(&self, block: Block) -> Use {
        Use { block, before: self.f.terminator(block) }
    }

    /// Records that `value` is used at `new`.
    fn read(&mut self, value: Value, new: Use) {
        let merged = match self.first_use[value] {
            FirstUse::Any => return,
            FirstUse::None => new,
            FirstUse::At(old) => self.earlier(old, new),
        };
        self.first_use[value] = FirstUse::At(merged);
    }

    /// A position that reaches both uses.
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

    /// The new position of an instruction of `block`, if it moves.
    fn target(&self, block: Block, data: &InstData<'_>) -> Option<Use> {
        let uses = data.dsts.iter().filter_map(|dst| match self.first_use[*dst] {
            FirstUse::At(first) => Some(first),
            FirstUse::Any | FirstUse::None => None,
        });
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

    /// Writes the new instruction order of a block.
    fn write(&mut self, block: Block) {
        let insts = self.f.take_insts(block);
        let mut out = self.f.inst_list();
        out.reserve(insts.len());
        for inst in insts.into_iter().filter(|inst| !self.is_moved[*inst]) {
            out.extend(self.attached[inst].iter().rev());
            out.push(inst);
        }
        out.extend(self.at_end[block].iter().rev());
        self.f.block_mut(block).insts = out;
    }
}
