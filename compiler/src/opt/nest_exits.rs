//! Converts ifs that leave a scope to ifs around the rest of the scope.
//!
//! A loop that returns from a function leaves, once it is unrolled, a scope with an exit for each iteration: `if hit { jump
//! out } else {}`, then the next iteration. The rest of the scope becomes the other arm instead, so that nothing jumps, and
//! short iterations without effects can become selects from the last one on. What the block after the scope receives from
//! its exits passes through the joins of these ifs.
//!
//! Only ifs directly in the scope are converted, and only those whose other arm is empty. A scope that nothing leaves any
//! more is removed, as by `opt_simplify_control`.
//!
//! Before: stage source. After: the same.

use super::opt_simplify_control;
use super::simplify_control::phi_data;
use crate::ir::{Block, Function, Inst, InstData, IrOp, Seam, Segment, Src, has_left};

/// Maximum number of exits of a scope that are converted: each nests the rest of the scope one level deeper.
const MOST_EXITS: usize = 64;

/// Converts ifs that leave a scope to ifs around the rest of the scope.
pub fn opt_nest_exits(f: &mut Function<'_>) {
    if !f.layout.iter().any(|segment| segment.seam == Seam::Scope) {
        return;
    }
    let (input, ends) = (f.layout, f.construct_ends());
    let mut nesting = Nesting { out: Vec::with_capacity(input.len()), open: Vec::new(), f };
    for (index, end) in ends.iter().enumerate() {
        let block_at = |at: usize| input.get(at).map(|segment| segment.block);
        nesting.cross(input[index], block_at(index + 1), end.and_then(|end| block_at(end.close + 1)));
    }
    let Nesting { out, .. } = nesting;
    if out != f.layout {
        f.set_layout(&out);
        f.compute_cfg();
        opt_simplify_control(f);
    }
}

/// An open construct.
enum Open {
    /// An if, with the end of its then-arm once that is known.
    If(Option<Block>),
    Loop,
    Scope {
        /// The block after it.
        after: Block,
        /// The ends of the arms that left it, outermost first.
        exits: Vec<Block>,
    },
}

struct Nesting<'f, 'a> {
    f: &'f mut Function<'a>,
    /// The new layout.
    out: Vec<Segment>,
    open: Vec<Open>,
}

impl Nesting<'_, '_> {
    /// Crosses a seam of the old layout. `next` is the block after it, `after` the one after the construct that it opens.
    fn cross(&mut self, Segment { block, seam }: Segment, next: Option<Block>, after: Option<Block>) {
        match seam {
            Seam::If => self.open.push(Open::If(None)),
            Seam::Loop => self.open.push(Open::Loop),
            Seam::Scope => {
                self.open.push(Open::Scope { after: after.unwrap_or(block), exits: Vec::new() });
            }
            Seam::Else => {
                if let Some(Open::If(then_end)) = self.open.last_mut() {
                    *then_end = Some(block);
                }
            }
            Seam::EndIf => {
                let closed = self.open.pop();
                if let (Some(Open::If(Some(exit))), Some(join)) = (closed, next)
                    && self.nest(exit, block, join)
                {
                    return;
                }
            }
            Seam::EndLoop => _ = self.open.pop(),
            Seam::EndScope => {
                if let Some(Open::Scope { after, exits }) = self.open.pop() {
                    self.close(block, after, &exits);
                    return;
                }
            }
            Seam::End => {}
        }
        self.out.push(Segment { block, seam });
    }

    /// Makes the rest of the scope around an if its else-arm, which is the empty block `otherwise` so far, if the then-arm
    /// ends with a jump out of that scope in `exit`. Returns whether it did.
    fn nest(&mut self, exit: Block, otherwise: Block, join: Block) -> bool {
        let Some(Open::Scope { after, exits }) = self.open.last_mut() else { return false };
        let target = self.f.terminator(exit).and_then(|inst| self.f.insts[inst].target());
        let is_only_block = self.out.last().is_some_and(|segment| segment.seam == Seam::Else);
        if target != Some(*after)
            || !is_only_block
            || !self.f.block(otherwise).insts.is_empty()
            || exits.len() >= MOST_EXITS
        {
            return false;
        }
        exits.push(exit);
        self.f.block_mut(exit).insts.pop();
        // The join becomes the first block of the arm, where nothing else arrives.
        for index in 0..self.f.phi_count(join) {
            let phi = self.f.block(join).insts[index];
            let data = self.f.insts[phi];
            if let Some((_, src)) = data.phi_inputs().find(|(from, _)| *from == otherwise) {
                let srcs = self.f.alloc(&[src]);
                self.f.set_inst(phi, InstData { op: IrOp::Mov.into(), srcs, mods: &[], ..data });
            }
        }
        true
    }

    /// Ends the ifs around the rest of a scope whose last block is `last`, then the scope.
    fn close(&mut self, last: Block, after: Block, exits: &[Block]) {
        let mut end = last;
        let mut falls = !has_left(self.f, last);
        for exit in exits.iter().rev() {
            let join = self.f.add_block();
            self.out.push(Segment { block: end, seam: Seam::EndIf });
            for index in 0..self.f.phi_count(after) {
                self.pass_through(
                    self.f.block(after).insts[index],
                    join,
                    [Some(*exit), falls.then_some(end)],
                );
            }
            (end, falls) = (join, true);
        }
        self.out.push(Segment { block: end, seam: Seam::EndScope });
    }

    /// Gives `phi` one input from `join`: a new phi of its inputs from the blocks in `arrivals`, which reach the join now.
    fn pass_through(&mut self, phi: Inst, join: Block, arrivals: [Option<Block>; 2]) {
        let data = self.f.insts[phi];
        let Some(dst) = data.dst() else { return };
        let moves = |from: &Block| arrivals.contains(&Some(*from));
        let (moved, mut kept): (Vec<(Block, Src)>, Vec<(Block, Src)>) =
            data.phi_inputs().partition(|(from, _)| moves(from));
        let joined = self.f.add_value_like(dst);
        let dsts = self.f.alloc(&[joined]);
        let new = InstData { dsts, ..phi_data(self.f, &moved, &data) };
        let new = self.f.add_inst(new);
        self.f.block_mut(join).insts.push(new);
        kept.push((join, joined.into()));
        let data = phi_data(self.f, &kept, &data);
        self.f.set_inst(phi, data);
    }
}
