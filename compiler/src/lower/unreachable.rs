//! Empties unreachable blocks.
//!
//! The layout contains unreachable blocks, such as the one after a loop that is never left. Such a block
//! would still fall through into the next one and add a predecessor that never runs. Afterwards it contains
//! only `halt`, so that it has no successors, and phis have inputs from reachable predecessors only. The
//! block before an if construct whose arms are unreachable as well contains an `if` instead.
//!
//! Before: stage source. After: the same.

use crate::error::CompileError;
use crate::ir::{Block, Entity, Function, IrOp, Seam, Segment, Side, Src, has_left, repair_phis};

/// Reduces every unreachable block to `halt` or `if false`.
///
/// # Errors
/// None at present; the signature is that of every lowering.
pub fn lower_unreachable(f: &mut Function<'_>) -> Result<(), CompileError> {
    // Control reaches every block, unless it leaves one before the last or stays in a loop.
    let Some((_, others)) = f.layout.split_last() else { return Ok(()) };
    if !others.iter().any(|segment| leaves(f, segment)) {
        return Ok(());
    }
    let reachable = reachable_blocks(f);
    let dead: Vec<Segment> = f.layout.iter().filter(|segment| !reachable[segment.block]).copied().collect();
    if dead
        .iter()
        .all(|Segment { block, .. }| f.block(*block).succs.is_empty() && f.block(*block).insts.len() <= 1)
    {
        return Ok(());
    }
    for Segment { block, seam } in dead {
        let end = match seam {
            Seam::If => f.make_inst(IrOp::If, &[], &[Src::imm(0, 1)], &[], 0),
            _ => f.make_inst(IrOp::Halt, &[], &[], &[], 0),
        };
        let insts = &mut f.block_mut(block).insts;
        insts.clear();
        insts.push(end);
    }
    repair_phis(f, |block| block);
    Ok(())
}

/// Whether control may not go on from a segment to the next one.
fn leaves(f: &Function<'_>, segment: &Segment) -> bool {
    segment.seam == Seam::Loop || has_left(f, segment.block)
}

fn reachable_blocks(f: &Function<'_>) -> Side<Block, bool> {
    let mut reachable: Side<Block, bool> = Side::new(f.blocks.len());
    let mut pending = vec![f.entry()];
    while let Some(block) = pending.pop() {
        if block.index() < f.blocks.len() && !std::mem::replace(&mut reachable[block], true) {
            pending.extend(f.block(block).succs.iter().copied());
        }
    }
    reachable
}
