//! Edges of the control-flow graph, derived from the layout.

use super::entity::{Block, Entity};
use super::function::Function;
use super::layout::{Leaves, Seam, Segment};
use super::op::{IrOp, Op};
use super::src::Src;

/// No construct.
const NONE: usize = usize::MAX;

/// A construct that is open at a point of the layout.
#[derive(Clone, Copy)]
struct Open {
    seam: Seam,
    /// The loop's header, or the first block of the else-arm.
    head: Block,
    /// The block after the construct.
    after: Block,
}

impl Function<'_> {
    /// Computes predecessors, successors and loop depths from the layout. A malformed layout yields only the edges that can be
    /// determined; the validator reports it.
    pub fn compute_cfg(&mut self) {
        for block in &mut self.blocks {
            block.preds.clear();
            block.succs.clear();
            block.loop_depth = 0;
        }
        if let [segment] = *self.layout {
            return self.add_edges(segment, leaves(self, segment.block), None, None);
        }
        let ends = self.construct_ends();
        let mut open: Vec<Open> = Vec::new();
        let mut loop_depth = 0;
        for (index, end) in ends.into_iter().enumerate() {
            self.watch.visit(1);
            let segment = self.layout[index];
            let Segment { block, seam } = segment;
            let leaves = leaves(self, block);
            self.blocks[block.index()].loop_depth = loop_depth;
            let next = self.layout.get(index + 1).map(|segment| segment.block);
            if seam.opens()
                && let (Some(next), Some(end)) = (next, end)
            {
                let head = if seam == Seam::If { self.layout[end.otherwise + 1].block } else { next };
                open.push(Open { seam, head, after: self.layout[end.close + 1].block });
            }
            self.add_edges(segment, leaves, next, open.last().copied());
            match seam {
                Seam::Loop => loop_depth += 1,
                Seam::EndLoop => loop_depth = loop_depth.saturating_sub(1),
                _ => {}
            }
            if seam.closes() {
                open.pop();
            }
        }
    }

    /// Adds the edges that leave a segment; `construct` is the innermost one that is open after its seam.
    fn add_edges(
        &mut self,
        Segment { block, seam }: Segment,
        leaves: Leaves,
        next: Option<Block>,
        construct: Option<Open>,
    ) {
        match leaves {
            Leaves::Halt => return,
            Leaves::Jump(target) => return self.add_edge(block, target),
            Leaves::No => {}
        }
        match (seam, construct) {
            (Seam::If, Some(open)) => {
                if let Some(next) = next {
                    self.add_edge(block, next);
                }
                self.add_edge(block, open.head);
            }
            (Seam::Else, Some(open)) => self.add_edge(block, open.after),
            (Seam::EndLoop, Some(open)) if open.seam == Seam::Loop => self.add_edge(block, open.head),
            (Seam::End, _) => {}
            _ => {
                if let Some(next) = next {
                    self.add_edge(block, next);
                }
            }
        }
    }

    fn add_edge(&mut self, from: Block, to: Block) {
        if to.index() < self.blocks.len() {
            self.blocks[from.index()].succs.push(to);
            self.blocks[to.index()].preds.push(from);
        }
    }

    /// For each opening seam the matching else and closing seams, by index in the layout; `None` if
    /// unbalanced.
    pub(crate) fn construct_ends(&self) -> Vec<Option<ConstructEnd>> {
        let mut ends: Vec<Option<ConstructEnd>> = vec![None; self.layout.len()];
        // The innermost open construct: the close of each is that of the one around it until it closes.
        let mut open = NONE;
        for (index, segment) in self.layout.iter().enumerate() {
            match segment.seam {
                Seam::If | Seam::Loop | Seam::Scope => {
                    ends[index] = Some(ConstructEnd { otherwise: index, close: open });
                    open = index;
                }
                Seam::Else => {
                    if let Some(Some(end)) = ends.get_mut(open) {
                        end.otherwise = index;
                    }
                }
                Seam::EndIf | Seam::EndLoop | Seam::EndScope => {
                    if let Some(row) = ends.get_mut(open)
                        && let Some(end) = row
                    {
                        open = std::mem::replace(&mut end.close, index);
                        *row = row.filter(|_| index + 1 < self.layout.len());
                    }
                }
                Seam::End => {}
            }
        }
        while let Some(row) = ends.get_mut(open) {
            open = row.take().map_or(NONE, |end| end.close);
        }
        ends
    }
}

/// Computes the edges and updates phis for them: an input from a block that was merged into another comes from that, which
/// `resolve` gives, and inputs from blocks that are no predecessors any longer are dropped.
pub(crate) fn repair_phis(f: &mut Function<'_>, resolve: impl Fn(Block) -> Block) {
    f.compute_cfg();
    for block in f.blocks_in_order() {
        for index in 0..f.phi_count(block) {
            let phi = f.block(block).insts[index];
            let data = f.insts[phi];
            let is_pred = |from: &Block| f.block(block).preds.contains(from);
            if data.phi_inputs().all(|(from, _)| resolve(from) == from && is_pred(&from)) {
                continue;
            }
            let inputs = || data.phi_inputs().map(|(from, src)| (resolve(from), src));
            let kept: Vec<(Block, Src)> = inputs().filter(|(from, _)| is_pred(from)).collect();
            f.set_inst(phi, data.with_inputs(f, &kept));
        }
    }
}

/// How a block is left otherwise than through its seam.
fn leaves(f: &Function<'_>, block: Block) -> Leaves {
    let Some(last) = f.block(block).insts.last() else { return Leaves::No };
    let data = &f.insts[*last];
    match data.op {
        Op::Ir(IrOp::Halt) => Leaves::Halt,
        Op::Ir(IrOp::Jump) => data.target().map_or(Leaves::Halt, Leaves::Jump),
        _ => Leaves::No,
    }
}

/// Whether a block ends with a jump or halt.
pub(crate) fn has_left(f: &Function<'_>, block: Block) -> bool {
    let terminator = f.terminator(block).map(|inst| f.insts[inst].op);
    matches!(terminator, Some(Op::Ir(IrOp::Jump | IrOp::Halt)))
}

/// Layout indices of the seams that match an opening one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConstructEnd {
    /// The else of an if; the opening seam itself for other constructs.
    pub(crate) otherwise: usize,
    /// The closing seam.
    pub(crate) close: usize,
}
