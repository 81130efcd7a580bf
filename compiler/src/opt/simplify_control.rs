//! Simplifies control flow, innermost constructs first, in one walk over the layout.
//!
//! * An if on a constant is replaced by the taken arm.
//! * An if with short arms without effects becomes selects: a construct costs three to five mask
//!   instructions, and both arms are executed anyway if lanes diverge.
//! * A jump to the block that control reaches anyway is removed.
//! * A loop without back edges becomes a scope, and a scope without jumps out of it is removed.
//! * An exit of a loop that is taken after 2^64 iterations is removed ([`drop_loop_bounds`]).
//! * A scope that contains only a loop is removed.
//! * Code after a jump or halt, and after constructs that are never left, is removed.
//!
//! The layout stays well formed throughout: blocks that lose the seam between them are merged, and phis are
//! updated. An if whose phi would become a select that a lowering has removed stays.
//!
//! Before: stage source. After: the same.

use agx_isa::table::Opcode;
use agx_isa::table::names::Truth;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::flatten::{can_flatten, takes_condition};
use super::loop_bounds::drop_loop_bounds;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{
    Block, Function, InstData, IrOp, ScratchSide, Seam, Segment, Src, Type, end_of_region, has_left,
    repair_phis,
};

/// Simplifies control flow.
pub fn opt_simplify_control(f: &mut Function<'_>) {
    if f.layout.len() <= 1 {
        return;
    }
    drop_loop_bounds(f);
    f.with_scratch(simplify);
}

fn simplify(f: &mut Function<'_>, scratch: &Bump) {
    let mut simplifier = Simplifier {
        merged: ScratchSide::new_in(scratch, f.blocks.len()),
        jumps: count_jumps(f, scratch),
        out: ArenaVec::with_capacity_in(f.layout.len(), scratch),
        open: ArenaVec::new_in(scratch),
        pending: None,
        dead_next: false,
        f,
    };
    simplifier.walk();
    let Simplifier { merged, f, .. } = simplifier;
    repair_phis(f, |block| resolve(&merged, block));
}

fn count_jumps<'s>(f: &Function<'_>, scratch: &'s Bump) -> ScratchSide<'s, Block, u32> {
    let mut jumps: ScratchSide<'_, Block, u32> = ScratchSide::new_in(scratch, f.blocks.len());
    for segment in f.layout {
        if let Some(target) = f.terminator(segment.block).and_then(|inst| f.insts[inst].target()) {
            jumps[target] += 1;
        }
    }
    jumps
}

/// An open construct, by positions in the new layout.
struct Open {
    /// The segment that opens it.
    at: usize,
    /// The segment that ends the then-arm.
    else_at: usize,
}

struct Simplifier<'f, 'a> {
    f: &'f mut Function<'a>,
    /// The block that each block was merged into.
    merged: ScratchSide<'f, Block, Option<Block>>,
    /// Number of jumps to a block.
    jumps: ScratchSide<'f, Block, u32>,
    out: ArenaVec<'f, Segment>,
    open: ArenaVec<'f, Open>,
    /// The block into which the next one will be merged.
    pending: Option<Block>,
    /// The next block is unreachable.
    dead_next: bool,
}

impl<'a> Simplifier<'_, 'a> {
    fn walk(&mut self) {
        let input = self.f.layout;
        let mut index = 0;
        while index < input.len() {
            let block = self.enter(input[index].block);
            if has_left(self.f, block) {
                let end = end_of_region(input, index);
                for segment in &input[index + 1..=end] {
                    self.clear(segment.block);
                }
                index = end;
            }
            self.leave(block, input, index);
            index += 1;
        }
        if *self.out != *self.f.layout {
            self.f.set_layout(&self.out);
        }
    }

    /// Makes `block` current, merged into the pending block if there is one.
    fn enter(&mut self, block: Block) -> Block {
        if let Some(target) = self.pending.take() {
            if has_left(self.f, target) {
                self.clear(block);
            } else {
                self.absorb(target, block);
            }
            return target;
        }
        if std::mem::take(&mut self.dead_next) {
            self.clear(block);
            let halt = InstData { op: IrOp::Halt.into(), dsts: &[], srcs: &[], mods: &[], line: 0 };
            let halt = self.f.add_inst(halt);
            self.f.block_mut(block).insts.push(halt);
        }
        block
    }

    /// Crosses the seam after `block`, at `index` of the old layout.
    fn leave(&mut self, block: Block, input: &[Segment], index: usize) {
        let seam = input[index].seam;
        let after = input.get(index + 1).map(|segment| segment.block);
        if let (Seam::EndScope, Some(after)) = (seam, after) {
            self.drop_jump(block, after);
        }
        if seam == Seam::EndLoop {
            let header = self
                .open
                .last()
                .and_then(|open| self.out.get(open.at + 1))
                .map_or(block, |first| first.block);
            self.drop_jump(block, header);
        }
        self.out.push(Segment { block, seam });
        match (seam, after) {
            (Seam::If | Seam::Loop | Seam::Scope, _) => {
                self.open.push(Open { at: self.out.len() - 1, else_at: 0 });
            }
            (Seam::Else, _) => {
                if let Some(open) = self.open.last_mut() {
                    open.else_at = self.out.len() - 1;
                }
            }
            (Seam::EndIf, Some(join)) => self.finish_if(join),
            (Seam::EndLoop, Some(after)) => self.finish_loop(after),
            (Seam::EndScope, Some(after)) => self.finish_scope(after),
            _ => {}
        }
    }

    /// Removes the jump to `target` at the end of `block`, if there is one.
    fn drop_jump(&mut self, block: Block, target: Block) {
        if self.f.terminator(block).and_then(|inst| self.f.insts[inst].target()) == Some(target) {
            self.f.block_mut(block).insts.pop();
            self.jumps[target] -= 1;
        }
    }

    /// Empties a block that is unreachable.
    fn clear(&mut self, block: Block) {
        if let Some(target) = self.f.terminator(block).and_then(|inst| self.f.insts[inst].target()) {
            self.jumps[target] -= 1;
        }
        self.f.block_mut(block).insts.clear();
    }

    /// The block into which `block` has finally been merged.
    fn resolve(&self, block: Block) -> Block {
        resolve(&self.merged, block)
    }

    /// Appends `block`, whose only predecessor is `target`, to `target`.
    fn absorb(&mut self, target: Block, block: Block) {
        for index in 0..self.f.phi_count(block) {
            let phi = self.f.block(block).insts[index];
            let data = self.f.insts[phi];
            if let Some(src) = self.input_from(&data, target) {
                let srcs = self.f.alloc(&[src]);
                self.f.set_inst(phi, InstData { op: IrOp::Mov.into(), srcs, mods: &[], ..data });
            }
        }
        let insts = self.f.take_insts(block);
        self.f.block_mut(target).insts.extend_from_slice_copy(&insts);
        self.merged[block] = Some(target);
    }

    /// The source of a phi that comes from `pred`.
    fn input_from(&self, phi: &InstData<'a>, pred: Block) -> Option<Src> {
        phi.phi_inputs().find(|(from, _)| self.resolve(*from) == pred).map(|(_, src)| src)
    }

    fn finish_if(&mut self, join: Block) {
        let Some(Open { at, else_at }) = self.open.pop() else { return };
        let end = self.out.len() - 1;
        let head = self.out[at].block;
        let Some(cond) = self.f.terminator(head).and_then(|inst| self.f.insts[inst].srcs.first().copied())
        else {
            return;
        };
        let (then_end, else_end) = (self.out[else_at].block, self.out[end].block);
        if let Some(truth) = cond.as_imm() {
            let (taken, other) = if truth & 1 != 0 {
                (at + 1..else_at + 1, else_at + 1..end + 1)
            } else {
                (else_at + 1..end + 1, at + 1..else_at + 1)
            };
            for index in other {
                self.clear(self.out[index].block);
            }
            self.out.truncate(taken.end);
            self.out.drain(at + 1..taken.start);
            self.f.block_mut(head).insts.pop();
            self.remove_brackets(at);
        } else if has_left(self.f, then_end) && has_left(self.f, else_end) {
            self.dead_next = true;
        } else if else_at == at + 1 && end == at + 2 && can_flatten(self.f, [then_end, else_end], join) {
            self.flatten(head, cond, [then_end, else_end], join);
            self.out.truncate(at);
            self.pending = Some(head);
        }
    }

    /// Removes the opening seam at `at` and the seam at the end of the new layout: the blocks on both sides
    /// of each are merged.
    fn remove_brackets(&mut self, at: usize) {
        let head = self.out[at].block;
        let first = self.out.remove(at + 1);
        self.absorb(head, first.block);
        self.out[at].seam = first.seam;
        self.pending = self.out.pop().map(|last| last.block);
    }

    /// Executes both arms unconditionally and selects between their results.
    fn flatten(&mut self, head: Block, cond: Src, arms: [Block; 2], join: Block) {
        self.f.block_mut(head).insts.pop();
        for index in 0..self.f.phi_count(join) {
            let phi = self.f.block(join).insts[index];
            let data = self.f.insts[phi];
            let [x, y] = arms.map(|arm| self.input_from(&data, arm));
            let (Some(x), Some(y)) = (x, y) else { continue };
            let (op, srcs) = if x == y { (IrOp::Mov, vec![x]) } else { (IrOp::Select, vec![cond, x, y]) };
            let srcs = self.f.alloc(&srcs);
            self.f.set_inst(phi, InstData { op: op.into(), srcs, mods: &[], ..data });
        }
        for (arm, table) in arms.into_iter().zip([Truth::AND, Truth::NOT_AND]) {
            self.condition_discards(arm, cond, table);
            self.absorb(head, arm);
        }
    }

    /// Combines the conditions of the discards in an arm with that of its if.
    fn condition_discards(&mut self, arm: Block, cond: Src, table: Truth) {
        let insts = self.f.take_insts(arm);
        let mut out = self.f.inst_list();
        for inst in insts {
            let data = self.f.insts[inst];
            if takes_condition(&data) {
                let both = self.f.add_value(Type::BOOL);
                let mods = mods(Opcode::Bitop).with(key::TABLE, table);
                out.push(self.f.make_inst(Opcode::Bitop, &[both], &[cond, data.srcs[0]], &mods, data.line));
                self.f.insts[inst].srcs = self.f.alloc(&[both.into()]);
            }
            out.push(inst);
        }
        self.f.block_mut(arm).insts = out;
    }

    fn finish_loop(&mut self, after: Block) {
        let Some(open) = self.open.last() else { return };
        let (at, end) = (open.at, self.out.len() - 1);
        let repeats = !has_left(self.f, self.out[end].block) || self.jumps[self.out[at + 1].block] > 0;
        if repeats {
            self.dead_next = self.jumps[after] == 0;
            self.open.pop();
        } else {
            self.out[at].seam = Seam::Scope;
            self.out[end].seam = Seam::EndScope;
            self.drop_jump(self.out[end].block, after);
            self.finish_scope(after);
        }
    }

    fn finish_scope(&mut self, after: Block) {
        let Some(open) = self.open.pop() else { return };
        if self.jumps[after] == 0 {
            self.remove_brackets(open.at);
        } else {
            self.leave_with_loop(open.at);
        }
    }

    /// Removes the brackets of the scope at `at`, the construct that ends the new layout, if it contains only a loop that
    /// is left by jumps out of the scope: the jumps leave the loop instead.
    fn leave_with_loop(&mut self, at: usize) {
        let [.., last, after] = self.out[..] else { return };
        let is_loop = self.out[at + 1].seam == Seam::Loop && last.seam == Seam::EndLoop;
        let is_only = || end_of_region(&self.out, at + 2) == self.out.len() - 2;
        if !is_loop || self.jumps[after.block] > 0 || !is_only() {
            return;
        }
        self.out.pop();
        self.clear(after.block);
        let (head, first) = (self.out[at].block, self.out.remove(at + 1));
        self.absorb(head, first.block);
        self.out[at].seam = first.seam;
    }
}

/// The block into which `block` has finally been merged, given the block into which each was merged.
fn resolve(merged: &ScratchSide<'_, Block, Option<Block>>, mut block: Block) -> Block {
    while let Some(into) = merged[block] {
        block = into;
    }
    block
}
