//! How far away the next use of each value is: what spilling decides by.
//!
//! Distances count instructions along the shortest path. Leaving a loop counts as very far, so that what is used inside
//! a loop stays in registers before what is used after it (Braun and Hack, "Register Spilling and Live-Range Splitting
//! for SSA-Form Programs", 2009).

use crate::ir::entity::{Block, Entity, Value};
use crate::ir::function::Function;
use crate::ir::op::{IrOp, Op};

use super::liveness::Liveness;

/// No use on any path.
pub const NEVER: u32 = u32::MAX;

/// Added for each edge that leaves a loop.
const LOOP_EXIT: u32 = 100_000;

/// Next-use distances at the borders of blocks, for the values that cross them.
#[derive(Clone, Debug)]
pub struct NextUses {
    columns: usize,
    head: Vec<u32>,
    end: Vec<u32>,
}

impl NextUses {
    /// Instructions from the head of `block` to the next use of `value`, or [`NEVER`]. Sources of phis are used at the
    /// ends of the predecessors.
    pub fn from_head(&self, live: &Liveness, block: Block, value: Value) -> u32 {
        live.column_of(value).map_or(NEVER, |column| self.head[block.index() * self.columns + column])
    }

    /// Instructions from the end of `block` to the next use of `value`, or [`NEVER`].
    pub fn from_end(&self, live: &Liveness, block: Block, value: Value) -> u32 {
        live.column_of(value).map_or(NEVER, |column| self.end[block.index() * self.columns + column])
    }
}

/// Computes next-use distances. Takes memory for each pair of a block and a crossing value: for functions that spill.
pub fn next_uses(f: &Function<'_>, live: &Liveness) -> NextUses {
    let columns = live.crossing();
    let size = f.blocks.len() * columns;
    let mut result = NextUses { columns, head: vec![NEVER; size], end: vec![NEVER; size] };
    for block in f.blocks_in_order() {
        for inst in &f.block(block).insts {
            let data = &f.insts[*inst];
            if data.op != Op::Ir(IrOp::Phi) {
                continue;
            }
            for (pred, src) in data.phi_inputs() {
                if let Some(column) = src.as_value().and_then(|value| live.column_of(value)) {
                    result.end[pred.index() * columns + column] = 0;
                }
            }
        }
    }
    let order: Vec<Block> = f.blocks_in_order().collect();
    let mut changed = true;
    while changed {
        changed = false;
        for block in order.iter().rev() {
            changed |= result.update(f, live, *block);
        }
    }
    result
}

impl NextUses {
    /// Recomputes a block from its successors; says whether its head changed.
    fn update(&mut self, f: &Function<'_>, live: &Liveness, block: Block) -> bool {
        let (columns, row) = (self.columns, block.index() * self.columns);
        for successor in &f.block(block).succs {
            let leaves = f.block(*successor).loop_depth < f.block(block).loop_depth;
            let extra = if leaves { LOOP_EXIT } else { 0 };
            for column in 0..columns {
                let distance = self.head[successor.index() * columns + column];
                if distance != NEVER {
                    let end = &mut self.end[row + column];
                    *end = (*end).min(distance.saturating_add(extra).min(NEVER - 1));
                }
            }
        }
        let insts = &f.block(block).insts;
        let length = insts.len() as u32;
        let mut head: Vec<u32> = self.end[row..row + columns]
            .iter()
            .map(
                |distance| {
                    if *distance == NEVER { NEVER } else { distance.saturating_add(length).min(NEVER - 1) }
                },
            )
            .collect();
        for (position, inst) in insts.iter().enumerate().rev() {
            let data = &f.insts[*inst];
            for column in data.dsts.iter().filter_map(|dst| live.column_of(*dst)) {
                head[column] = NEVER;
            }
            if data.op == Op::Ir(IrOp::Phi) {
                continue;
            }
            for column in data.srcs.iter().filter_map(|src| src.as_value()).filter_map(|v| live.column_of(v))
            {
                head[column] = position as u32;
            }
        }
        let changed = self.head[row..row + columns] != head[..];
        self.head[row..row + columns].copy_from_slice(&head);
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::liveness::liveness;
    use crate::ir::builder::Builder;
    use crate::ir::src::Src;
    use crate::ir::types::Type;
    use bumpalo::Bump;

    #[test]
    fn uses_after_a_loop_are_far() {
        let bump = Bump::new();
        let mut f = Function::new(&bump, "test");
        let mut b = Builder::start(&mut f);
        let entry = b.block();
        let inside = b.value(IrOp::Mov, Type::B32, &[Src::imm32(1)], &[]);
        let after = b.value(IrOp::Mov, Type::B32, &[Src::imm32(2)], &[]);
        let blocks = b.begin_loop();
        b.begin_if(Src::bool(true));
        b.jump(blocks.after);
        b.begin_else();
        b.end_if();
        b.effect(IrOp::Keep, &[inside.into()], &[]);
        b.end_loop();
        b.effect(IrOp::Keep, &[after.into()], &[]);
        b.finish();
        let live = liveness(&f);
        let next = next_uses(&f, &live);
        assert_eq!(next.from_end(&live, entry, inside), 1);
        assert_eq!(next.from_head(&live, entry, inside), NEVER, "it is defined there");
        assert_eq!(next.from_end(&live, entry, after), LOOP_EXIT + 2);
        assert_eq!(next.from_head(&live, blocks.after, after), 0);
        assert_eq!(next.from_head(&live, blocks.after, inside), NEVER);
    }
}
