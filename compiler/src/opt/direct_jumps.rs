//! Jumps to a block that does nothing go where that block goes.
//!
//! A loop that is left at several places has a scope around it for each place whose code is outside the loop. Where
//! that code has become the inputs of phis only, its block is empty, and the scope ends with the jumps to it.
//!
//! Part of `opt_simplify_control`.

use crate::ir::{Block, Function, IrOp, Op, Seam, Side, Src};

/// Where a jump to a block leads.
#[derive(Clone, Copy)]
struct Goal {
    /// The first block on the way that does something.
    target: Block,
    /// The block before it on the way; the target itself if the way has no other block.
    from: Block,
}

/// Redirects jumps past empty blocks.
pub(super) fn direct_jumps(f: &mut Function<'_>) {
    // Jumps leave a loop or a scope, or begin another iteration.
    if !f.layout.iter().any(|segment| matches!(segment.seam, Seam::Loop | Seam::Scope)) {
        return;
    }
    let mut goals: Side<Block, Option<Goal>> = Side::new(f.blocks.len());
    let mut has_empty = false;
    // Goals of later blocks are known. A jump back has none yet, so that no way is a circle.
    for index in (0..f.layout.len()).rev() {
        let block = f.layout[index].block;
        let next = leads_to(f, index).and_then(|next| Some((next, goals[next]?)));
        goals[block] = Some(match next {
            Some((next, goal)) if goal.target == next => Goal { target: next, from: block },
            Some((_, goal)) => goal,
            None => Goal { target: block, from: block },
        });
        has_empty |= next.is_some();
    }
    if !has_empty {
        return;
    }
    for index in 0..f.layout.len() {
        let block = f.layout[index].block;
        let Some(jump) = f.terminator(block).filter(|inst| f.insts[*inst].op == Op::Ir(IrOp::Jump)) else {
            continue;
        };
        let goal =
            f.insts[jump].target().and_then(|target| goals[target].filter(|goal| goal.target != target));
        if let Some(goal) = goal {
            let mods = f.alloc(&[goal.target.0]);
            f.insts[jump].mods = mods;
            add_inputs(f, goal, block);
        }
    }
}

/// The block that an empty block goes to: by its jump, or past the end of a scope.
fn leads_to(f: &Function<'_>, index: usize) -> Option<Block> {
    let segment = f.layout[index];
    match *f.block(segment.block).insts.as_slice() {
        [] if segment.seam == Seam::EndScope => f.layout.get(index + 1).map(|after| after.block),
        [only] if f.insts[only].op == Op::Ir(IrOp::Jump) => f.insts[only].target(),
        _ => None,
    }
}

/// Gives the phis of a goal the inputs from `block` that they have from the last block on the way.
fn add_inputs(f: &mut Function<'_>, goal: Goal, block: Block) {
    for index in 0..f.phi_count(goal.target) {
        let phi = f.block(goal.target).insts[index];
        let data = f.insts[phi];
        let Some(src) = data.phi_input_from(goal.from) else { continue };
        let inputs: Vec<(Block, Src)> = data.phi_inputs().chain([(block, src)]).collect();
        f.set_inst(phi, data.with_inputs(f, &inputs));
    }
}
