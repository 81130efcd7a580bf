//! Edges of the control-flow graph, derived from the layout.

use super::entity::{Block, Entity};
use super::function::{Function, Seam, Segment};
use super::op::{IrOp, Op};

/// Typical nesting of constructs, for preallocation.
pub(crate) const TYPICAL_DEPTH: usize = 8;

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
    /// Recomputes predecessors, successors and loop depths from the layout. A malformed layout yields only
    /// the edges that can be determined; the validator reports it.
    pub fn compute_cfg(&mut self) {
        for block in &mut self.blocks {
            block.preds.clear();
            block.succs.clear();
        }
        if let [Segment { block, seam }] = *self.layout {
            self.block_mut(block).loop_depth = 0;
            self.add_edges(block, seam, None, None);
            return;
        }
        let ends = self.construct_ends();
        let mut open: Vec<Open> = Vec::with_capacity(TYPICAL_DEPTH);
        let mut loop_depth = 0;
        for (index, end) in ends.into_iter().enumerate() {
            self.watch.visit(1);
            let (block, seam) = (self.layout[index].block, self.layout[index].seam);
            self.block_mut(block).loop_depth = loop_depth;
            let next = self.layout.get(index + 1).map(|segment| segment.block);
            if matches!(seam, Seam::If | Seam::Loop | Seam::Scope)
                && let (Some(next), Some(end)) = (next, end)
            {
                let head = if seam == Seam::If { self.layout[end.otherwise + 1].block } else { next };
                open.push(Open { seam, head, after: self.layout[end.close + 1].block });
            }
            self.add_edges(block, seam, next, open.last().copied());
            match seam {
                Seam::Loop => loop_depth += 1,
                Seam::EndLoop => loop_depth = loop_depth.saturating_sub(1),
                _ => {}
            }
            if matches!(seam, Seam::EndIf | Seam::EndLoop | Seam::EndScope) {
                open.pop();
            }
        }
    }

    /// Adds the edges that leave `block`; `construct` is the innermost one that is open after its seam.
    fn add_edges(&mut self, block: Block, seam: Seam, next: Option<Block>, construct: Option<Open>) {
        let terminator = self.terminator(block).map(|inst| self.insts[inst]);
        match terminator.map(|data| data.op) {
            Some(Op::Ir(IrOp::Halt)) => return,
            Some(Op::Ir(IrOp::Jump)) => {
                if let Some(target) = terminator.and_then(|data| data.target()) {
                    self.add_edge(block, target);
                }
                return;
            }
            _ => {}
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
            self.block_mut(from).succs.push(to);
            self.block_mut(to).preds.push(from);
        }
    }

    /// For each opening seam the matching else and closing seams, by index in the layout; `None` if
    /// unbalanced.
    pub(crate) fn construct_ends(&self) -> Vec<Option<ConstructEnd>> {
        let mut ends = vec![None; self.layout.len()];
        let mut open: Vec<(usize, usize)> = Vec::with_capacity(TYPICAL_DEPTH);
        for (index, segment) in self.layout.iter().enumerate() {
            match segment.seam {
                Seam::If | Seam::Loop | Seam::Scope => open.push((index, index)),
                Seam::Else => {
                    if let Some((_, otherwise)) = open.last_mut() {
                        *otherwise = index;
                    }
                }
                Seam::EndIf | Seam::EndLoop | Seam::EndScope => {
                    if let Some((start, otherwise)) = open.pop()
                        && index + 1 < self.layout.len()
                    {
                        ends[start] = Some(ConstructEnd { otherwise, close: index });
                    }
                }
                Seam::End => {}
            }
        }
        ends
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
