//! Next uses within the current block.

use crate::analysis::liveness::Liveness;
use crate::analysis::next_use::{NEVER, NextUses};
use crate::ir::entity::{Block, Value};
use crate::ir::function::{Function, InstData};
use crate::ir::op::{IrOp, Op};
use crate::ir::table::Side;

/// Positions of the next uses in the current block. Entries are tagged with block numbers, so they are never
/// cleared.
#[derive(Clone, Debug)]
pub(super) struct LocalUses {
    /// Number of the block that touched the value last, and the position of its next use there.
    next: Side<Value, (u32, u32)>,
    /// For each source not yet visited, in reverse order: the position of the use after it.
    after: Vec<u32>,
    number: u32,
    block: Block,
    length: u32,
    position: u32,
}

impl LocalUses {
    pub(super) fn new(f: &Function<'_>) -> Self {
        LocalUses {
            next: Side::new(f.values.len()),
            after: Vec::new(),
            number: 0,
            block: f.entry(),
            length: 0,
            position: 0,
        }
    }

    /// Makes `block` the current one.
    pub(super) fn enter(&mut self, f: &Function<'_>, live: &Liveness, next: &NextUses, block: Block) {
        self.number += 1;
        self.block = block;
        self.length = f.block(block).insts.len() as u32;
        self.after.clear();
        self.position = f.phi_count(block) as u32;
        for (position, inst) in f.block(block).insts.iter().enumerate().rev() {
            let data = &f.insts[*inst];
            if data.op == Op::Ir(IrOp::Phi) {
                continue;
            }
            for value in data.srcs.iter().filter_map(|src| src.as_value()) {
                self.after.push(self.next(live, next, value));
                self.next[value] = (self.number, position as u32);
            }
        }
    }

    /// Position of the next use of `value`, past the end of the block if it is in another one, or [`NEVER`].
    pub(super) fn next(&self, live: &Liveness, next: &NextUses, value: Value) -> u32 {
        let (number, position) = self.next[value];
        if number == self.number {
            return position;
        }
        match next.after_end(live, self.block, value) {
            NEVER => NEVER,
            distance => distance.saturating_add(self.length).min(NEVER - 1),
        }
    }

    /// Position of the next instruction.
    pub(super) fn position(&self) -> u32 {
        self.position
    }

    /// Advances past the instruction `data`.
    pub(super) fn pass(&mut self, data: &InstData<'_>) {
        self.position += 1;
        for value in data.srcs.iter().rev().filter_map(|src| src.as_value()) {
            let after = self.after.pop().unwrap_or(NEVER);
            self.next[value] = (self.number, after);
        }
    }
}
