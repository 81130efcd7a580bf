//! Distance to the next use of each value, which guides spilling.
//!
//! Distances count instructions along the shortest path. Leaving a loop adds a large distance, so that values
//! used inside the loop keep their registers in preference to values used after it (Braun and Hack, "Register
//! Spilling and Live-Range Splitting for SSA-Form Programs", 2009).

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
    /// Instructions from the head of `block` to the next use of `value`, or [`NEVER`]. Sources of phis are
    /// used at the ends of the predecessors.
    pub fn after_head(&self, live: &Liveness, block: Block, value: Value) -> u32 {
        live.column_of(value).map_or(NEVER, |column| self.head[block.index() * self.columns + column])
    }

    /// Instructions from the end of `block` to the next use of `value`, or [`NEVER`].
    pub fn after_end(&self, live: &Liveness, block: Block, value: Value) -> u32 {
        live.column_of(value).map_or(NEVER, |column| self.end[block.index() * self.columns + column])
    }
}

/// Computes next-use distances. Needs memory for each pair of a block and a crossing value, so it runs only
/// for functions that spill.
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
    let mut first_uses: Vec<Vec<(usize, u32)>> = vec![Vec::new(); f.blocks.len()];
    for block in f.blocks_in_order() {
        first_uses[block.index()] = block_first_uses(f, live, block);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for block in f.blocks_in_order().rev() {
            changed |= result.update(f, live, block, &first_uses[block.index()]);
        }
    }
    result
}

/// Columns of values that are live into the block and used there, with the position of the first use, by
/// column.
fn block_first_uses(f: &Function<'_>, live: &Liveness, block: Block) -> Vec<(usize, u32)> {
    let mut uses = Vec::new();
    for (position, inst) in f.block(block).insts.iter().enumerate() {
        let data = &f.insts[*inst];
        if data.op == Op::Ir(IrOp::Phi) {
            continue;
        }
        for value in data.srcs.iter().filter_map(|src| src.as_value()) {
            if let Some(column) = live.column_of(value).filter(|_| live.is_live_in(block, value)) {
                uses.push((column, position as u32));
            }
        }
    }
    uses.sort_unstable();
    uses.dedup_by_key(|(column, _)| *column);
    uses
}

impl NextUses {
    /// Recomputes a block from its successors; returns whether the distances at its head changed. Visits only
    /// live values.
    fn update(
        &mut self,
        f: &Function<'_>,
        live: &Liveness,
        block: Block,
        first_uses: &[(usize, u32)],
    ) -> bool {
        let (columns, row) = (self.columns, block.index() * self.columns);
        for successor in &f.block(block).succs {
            let leaves = f.block(*successor).loop_depth < f.block(block).loop_depth;
            let extra = if leaves { LOOP_EXIT } else { 0 };
            for column in live.live_in_columns(*successor) {
                f.watch.visit(1);
                let distance = self.head[successor.index() * columns + column];
                if distance != NEVER {
                    let end = &mut self.end[row + column];
                    *end = (*end).min(distance.saturating_add(extra).min(NEVER - 1));
                }
            }
        }
        let length = f.block(block).insts.len() as u32;
        let mut changed = false;
        for column in live.live_in_columns(block) {
            f.watch.visit(1);
            let head = match first_uses.binary_search_by_key(&column, |(used, _)| *used) {
                Ok(found) => first_uses[found].1,
                Err(_) => match self.end[row + column] {
                    NEVER => NEVER,
                    distance => distance.saturating_add(length).min(NEVER - 1),
                },
            };
            changed |= self.head[row + column] != head;
            self.head[row + column] = head;
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::liveness::liveness;
    use crate::ir::Build;
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
        assert_eq!(next.after_end(&live, entry, inside), 1);
        assert_eq!(next.after_head(&live, entry, inside), NEVER, "it is defined there");
        assert_eq!(next.after_end(&live, entry, after), LOOP_EXIT + 2);
        assert_eq!(next.after_head(&live, blocks.after, after), 0);
        assert_eq!(next.after_head(&live, blocks.after, inside), NEVER);
    }
}
