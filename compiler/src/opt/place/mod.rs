//! Moves instructions to where they cost least.
//!
//! Each instruction whose results depend on its sources, and on little else, may be computed in the blocks from the
//! earliest where its sources are available to the latest that all its readers come after. One of them is chosen:
//!
//! * **Before loops**, as far out as the sources allow, if no more registers are needed for it, or if it saves more cycles in
//!   each iteration than it takes half registers and these are left: a moved value occupies registers throughout the
//!   loop. A read of coverage leaves loops without a discard. A load leaves loops that do not write what it reads, if it may
//!   be executed there: the first iteration always comes to it, or it may be executed speculatively.
//! * **Before ifs**, if both arms compute the same and registers are left: one instruction replaces the two
//!   ([`merge_arms`]). **After ifs**, if both arms end with the same operation ([`merge_ends`]).
//! * **Where it is read**, in an arm or after ifs: lanes which do not execute the arm neither compute the result nor
//!   hold it. The results of other instructions than loads are no smaller than what lives longer instead. What
//!   neighbours read by derivatives and samples stays where all lanes compute it. Nothing moves into a loop, and
//!   nothing within its own block: loads should be far ahead of their uses, and scheduling limits the registers they
//!   need.
//!
//! Registers are left as long as the demand stays below the number at which fewer threads would be resident.
//!
//! A walk in program order finds the earliest places. Another one, backward, finds the latest and chooses, so that sources
//! follow their readers.
//!
//! Before: stage source. After: the same.

mod blocks;
mod ends;
mod equal;
mod registers;

use agx_isa::table::Opcode;
use agx_isa::table::names::LodMode;
use bumpalo::Bump;

use self::blocks::{Blocks, Mobility};
use self::ends::merge_ends;
use self::equal::merge_arms;
use self::registers::Registers;
use crate::analysis::dominance::{Dominance, dominance};
use crate::ir::key;
use crate::ir::{Block, Function, Inst, InstData, IrOp, Op, ScratchSide, Side, Value};

/// Moves instructions to where they cost least.
pub fn opt_place(f: &mut Function<'_>) {
    if f.layout.len() > 1 {
        f.with_scratch(place_all);
    }
}

fn place_all(f: &mut Function<'_>, scratch: &Bump) {
    let tree = dominance(f, scratch);
    let blocks = Blocks::of(f, scratch);
    merge_ends(f, &blocks, scratch);
    let mut registers = Registers::of(f, scratch);
    merge_arms(f, &blocks, &mut registers, scratch);
    let mut placer = Placer {
        blocks,
        registers,
        values: ScratchSide::new_in(scratch, f.values.len()),
        order: ScratchSide::new_in(scratch, f.insts.len()),
        moves: Moves {
            attached: Side::default(),
            at_end: Side::default(),
            is_moved: ScratchSide::later_in(scratch, f.insts.len()),
            any: false,
        },
        tree: &tree,
        f,
    };
    let order: Vec<Block> = placer.f.blocks_in_order().filter(|block| tree.is_reachable(*block)).collect();
    for block in &order {
        placer.find_earliest(*block);
    }
    for block in &order {
        placer.read_phis(*block);
    }
    for block in order.iter().rev() {
        placer.choose_all(*block);
    }
    let Placer { moves, f, .. } = placer;
    if moves.any {
        for block in order {
            moves.write(f, block);
        }
    }
}

/// The position of a use.
#[derive(Clone, Copy)]
struct Use {
    block: Block,
    /// The first remaining instruction of the block that needs the value before it; `None` for the end of the
    /// block.
    before: Option<Inst>,
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

/// Whether an instruction may move and is worth it: those without cost, or that only arrange registers for their user, are
/// not.
fn is_worth_moving(f: &Function<'_>, data: &InstData<'_>) -> bool {
    match data.op {
        Op::Ir(IrOp::LoadGlobal | IrOp::LoadLocal | IrOp::LoadScratch | IrOp::LoadTexture | IrOp::Split) => {
            true
        }
        Op::Ir(IrOp::Phi | IrOp::Mov | IrOp::Preload | IrOp::Copy) => false,
        Op::Hw(Opcode::Iter | Opcode::Iterproj) => true,
        _ => data.dst().is_some_and(|dst| f.ty(dst).comps == 1),
    }
}

/// Whether an instruction reads what the neighbours of a lane have in their registers, whether or not they are active.
fn reads_neighbours(data: &InstData<'_>) -> bool {
    match data.op {
        Op::Hw(Opcode::Dfdx | Opcode::Dfdy) => true,
        Op::Hw(Opcode::Smpf) => data.get(key::LOD_MODE) != LodMode::EXPLICIT,
        op => op.is_cross_lane(),
    }
}

struct Placer<'s, 'a> {
    f: &'s mut Function<'a>,
    tree: &'s Dominance<'s>,
    blocks: Blocks<'s>,
    registers: Registers<'s>,
    values: ScratchSide<'s, Value, Row>,
    /// Position of each instruction in its block.
    order: ScratchSide<'s, Inst, u32>,
    moves: Moves<'s>,
}

/// What is known of a value. Positions are those of blocks in program order.
#[derive(Clone, Copy, Default)]
struct Row {
    /// The block that defines it.
    home: u32,
    /// The earliest block that may.
    top: u32,
    first_use: FirstUse,
    /// Whether neighbours may read it in a block where the lane is not active.
    is_shared: bool,
}

/// New places.
struct Moves<'s> {
    /// Instructions that move before a remaining instruction, in reverse order: a definition is visited after
    /// all its users, so it is placed before all of them.
    attached: Side<Inst, Vec<Inst>>,
    /// Instructions that move to the end of a block without terminator, in reverse order.
    at_end: Side<Block, Vec<Inst>>,
    is_moved: ScratchSide<'s, Inst, bool>,
    any: bool,
}

impl Moves<'_> {
    fn put(&mut self, inst: Inst, target: Use) {
        (self.is_moved[inst], self.any) = (true, true);
        match target.before {
            Some(before) => self.attached[before].push(inst),
            None => self.at_end[target.block].push(inst),
        }
    }

    /// Writes the new instruction order of a block.
    fn write(&self, f: &mut Function<'_>, block: Block) {
        let insts = f.take_insts(block);
        let mut out = f.inst_list();
        out.reserve(insts.len());
        for inst in insts.into_iter().filter(|inst| !self.is_moved[*inst]) {
            out.extend(self.attached[inst].iter().rev());
            out.push(inst);
        }
        out.extend(self.at_end[block].iter().rev());
        f.block_mut(block).insts = out;
    }
}

impl Placer<'_, '_> {
    /// Finds the earliest places of the instructions of a block.
    fn find_earliest(&mut self, block: Block) {
        self.f.watch.visit(1 + self.f.block(block).insts.len());
        let here = self.tree.position(block);
        for (order, inst) in (0..).zip(&self.f.block(block).insts) {
            let data = self.f.insts[*inst];
            self.order[*inst] = order;
            let mobility = Mobility::of(self.f, &data).filter(|_| is_worth_moving(self.f, &data));
            let top = mobility.as_ref().map_or(here, |mobility| self.earliest(&data, block, mobility));
            let first_use = if mobility.is_some() { FirstUse::None } else { FirstUse::Any };
            for dst in data.dsts {
                self.values[*dst] = Row { home: here, top, first_use, is_shared: false };
            }
        }
    }

    /// The position of the earliest place of an instruction of `block`.
    fn earliest(&self, data: &InstData<'_>, mut block: Block, mobility: &Mobility) -> u32 {
        let sources = data.values().map(|value| self.values[value].top).max().unwrap_or(0);
        while let Some(before) = self.blocks.before_loop(block)
            && sources <= self.tree.position(before)
            && self.blocks.may_leave(block, mobility)
        {
            block = before;
        }
        self.tree.position(block)
    }

    /// Records the uses by the phis of a block. This precedes the backward walk, because the phis of a loop header
    /// read values defined later in the layout.
    fn read_phis(&mut self, block: Block) {
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
    fn choose_all(&mut self, block: Block) {
        for index in (self.f.phi_count(block)..self.f.block(block).insts.len()).rev() {
            let inst = self.f.block(block).insts[index];
            let data = self.f.insts[inst];
            let target = self.choose(block, &data).filter(|target| target.block != block);
            if let Some(target) = target {
                self.registers.note_moved(&data);
                self.moves.put(inst, target);
            }
            // An instruction that moves reads its sources at its new position.
            let at = target.unwrap_or(Use { block, before: Some(inst) });
            let is_gathered =
                data.op == Op::Ir(IrOp::Collect) && data.dsts.iter().any(|dst| self.values[*dst].is_shared);
            let is_shared = is_gathered || reads_neighbours(&data);
            for value in data.values() {
                self.values[value].is_shared |= is_shared;
                self.read(value, at);
            }
        }
    }

    fn end_of(&self, block: Block) -> Use {
        Use { block, before: self.f.terminator(block) }
    }

    /// Records that `value` is used at `new`.
    fn read(&mut self, value: Value, new: Use) {
        let merged = match self.values[value].first_use {
            FirstUse::Any => return,
            FirstUse::None => new,
            FirstUse::At(old) => self.earlier(old, new),
        };
        self.values[value].first_use = FirstUse::At(merged);
    }

    /// A position that reaches both uses.
    fn earlier(&self, old: Use, new: Use) -> Use {
        let block = self.tree.meet(old.block, new.block);
        let place = |at: Use| at.before.map_or(u32::MAX, |inst| self.order[inst]);
        match (old.block == block, new.block == block) {
            (true, true) if place(old) < place(new) => old,
            (_, true) => new,
            (true, false) => old,
            (false, false) => self.end_of(block),
        }
    }

    /// The place of an instruction of `block`, unless it stays.
    fn choose(&mut self, block: Block, data: &InstData<'_>) -> Option<Use> {
        let uses = data.dsts.iter().filter_map(|dst| match self.values[*dst].first_use {
            FirstUse::At(first) => Some(first),
            FirstUse::Any | FirstUse::None => None,
        });
        let latest = uses.reduce(|old, new| self.earlier(old, new))?;
        let top = self.values[*data.dsts.first()?].top;
        let here = self.tree.position(block);
        let follows = self.tree.position(latest.block) < here;
        let is_shared = data.dsts.iter().any(|dst| self.values[*dst].is_shared);
        let sinks = !is_shared && data.is_pure() && self.registers.enter_arm(self.f, data);
        let mut target = if follows || sinks { latest } else { self.end_of(block) };
        while let Some(before) = self.blocks.before_loop(target.block)
            && top <= self.tree.position(before)
        {
            let outside = self.tree.position(before);
            let is_inside = |value: Value| self.values[value].home > outside;
            let leaves = here > outside;
            if leaves && !self.registers.leave_loop(self.f, data, is_inside) {
                break;
            }
            target = self.end_of(before);
        }
        Some(target)
    }
}
