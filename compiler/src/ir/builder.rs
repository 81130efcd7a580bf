//! Builds instructions and control structure.
//!
//! A [`Builder`] appends to one block at a time. Operations on constants are folded as they are built, so
//! scalarising front ends leave little to clean up. The structure methods keep the layout well formed: every
//! `begin_*` needs its `end_*`, and [`Builder::jump`] takes the blocks that they return.

use bumpalo::collections::Vec as ArenaVec;

use super::entity::{Block, Inst};
use super::function::{Function, Seam, Segment};
use super::insert::{Build, FloatMode};
use super::op::IrOp;
use super::src::Src;

/// A loop under construction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoopBlocks {
    /// Target of continues.
    pub header: Block,
    /// Target of breaks.
    pub after: Block,
}

/// An open construct.
#[derive(Clone, Copy, Debug)]
struct Open {
    seam: Seam,
    after: Block,
    otherwise: Block,
}

/// Appends instructions and structure to a function.
pub struct Builder<'f, 'a> {
    /// The function under construction.
    pub f: &'f mut Function<'a>,
    /// Source line given to new instructions.
    pub line: u32,
    /// How float arithmetic is built.
    pub mode: FloatMode,
    block: Block,
    /// The finished part of the layout.
    layout: ArenaVec<'a, Segment>,
    open: Vec<Open>,
    /// Numbers of the open regions, ascending.
    regions: Vec<u32>,
    next_region: u32,
}

impl<'f, 'a> Builder<'f, 'a> {
    /// Starts a function: creates its entry block.
    pub fn start(f: &'f mut Function<'a>) -> Self {
        let block = f.add_block();
        let layout = ArenaVec::new_in(f.bump);
        Builder {
            f,
            line: 0,
            mode: FloatMode::default(),
            block,
            layout,
            open: Vec::new(),
            regions: vec![0],
            next_region: 1,
        }
    }

    /// Appends to `block` of a function whose layout is complete. Structure methods may not be used.
    pub fn at(f: &'f mut Function<'a>, block: Block) -> Self {
        let layout = ArenaVec::new_in(f.bump);
        Builder {
            f,
            line: 0,
            mode: FloatMode::default(),
            block,
            layout,
            open: Vec::new(),
            regions: vec![0],
            next_region: 1,
        }
    }

    /// The block that instructions are appended to.
    pub fn block(&self) -> Block {
        self.block
    }

    /// Whether the current block has ended, so that further instructions are unreachable.
    pub fn is_terminated(&self) -> bool {
        self.f.terminator(self.block).is_some()
    }

    /// The innermost region around the current point. Regions are the arms of ifs, the bodies of loops and
    /// scopes, and the function itself, which is number 0.
    pub fn region(&self) -> u32 {
        self.regions.last().copied().unwrap_or(0)
    }

    /// Whether the current point is within the region.
    pub fn is_region_open(&self, region: u32) -> bool {
        self.regions.binary_search(&region).is_ok()
    }

    fn open_region(&mut self) {
        self.regions.push(self.next_region);
        self.next_region += 1;
    }

    /// Ends the current block with `seam` and makes `next` current.
    fn seam(&mut self, seam: Seam, next: Block) {
        self.layout.push(Segment { block: self.block, seam });
        self.block = next;
    }

    fn edge(&mut self, from: Block, to: Block) {
        self.f.block_mut(from).succs.push(to);
        self.f.block_mut(to).preds.push(from);
    }

    /// Adds an edge from the current block unless it has ended.
    fn fall_to(&mut self, to: Block) {
        if !self.is_terminated() {
            self.edge(self.block, to);
        }
    }

    /// Opens an if; the then-arm becomes current. Returns the block after the if.
    pub fn begin_if(&mut self, cond: Src) -> Block {
        let (then, otherwise, after) = (self.f.add_block(), self.f.add_block(), self.f.add_block());
        self.effect(IrOp::If, &[cond], &[]);
        self.edge(self.block, then);
        self.edge(self.block, otherwise);
        self.open.push(Open { seam: Seam::If, after, otherwise });
        self.open_region();
        self.seam(Seam::If, then);
        after
    }

    /// Ends the then-arm and begins the else-arm.
    pub fn begin_else(&mut self) {
        let open = *self.open.last().expect("invariant: begin_else inside begin_if");
        debug_assert_eq!(open.seam, Seam::If);
        self.fall_to(open.after);
        self.regions.pop();
        self.open_region();
        self.seam(Seam::Else, open.otherwise);
    }

    /// Ends the else-arm; the block that joins both arms becomes current.
    pub fn end_if(&mut self) {
        let open = self.open.pop().expect("invariant: end_if closes begin_if");
        self.fall_to(open.after);
        self.regions.pop();
        self.seam(Seam::EndIf, open.after);
    }

    /// Opens a loop; its header becomes current.
    pub fn begin_loop(&mut self) -> LoopBlocks {
        let (header, after) = (self.f.add_block(), self.f.add_block());
        self.fall_to(header);
        self.open.push(Open { seam: Seam::Loop, after, otherwise: header });
        self.open_region();
        self.seam(Seam::Loop, header);
        LoopBlocks { header, after }
    }

    /// Ends the loop's body with the back edge; the block after the loop becomes current.
    pub fn end_loop(&mut self) {
        let open = self.open.pop().expect("invariant: end_loop closes begin_loop");
        self.fall_to(open.otherwise);
        self.regions.pop();
        self.seam(Seam::EndLoop, open.after);
    }

    /// Opens a scope. Returns the block after it, the target of jumps out of it.
    pub fn begin_scope(&mut self) -> Block {
        let (first, after) = (self.f.add_block(), self.f.add_block());
        self.fall_to(first);
        self.open.push(Open { seam: Seam::Scope, after, otherwise: first });
        self.open_region();
        self.seam(Seam::Scope, first);
        after
    }

    /// Ends the scope; the block after it becomes current.
    pub fn end_scope(&mut self) {
        let open = self.open.pop().expect("invariant: end_scope closes begin_scope");
        self.fall_to(open.after);
        self.regions.pop();
        self.seam(Seam::EndScope, open.after);
    }

    /// Jumps to `target`, a header or after-block of an open construct. The rest of the block is unreachable:
    /// the caller must build nothing more in it.
    pub fn jump(&mut self, target: Block) {
        if !self.is_terminated() {
            self.push(IrOp::Jump, &[], &[], &[target.0]);
            self.edge(self.block, target);
        }
    }

    /// Ends the invocation.
    pub fn halt(&mut self) {
        if !self.is_terminated() {
            self.effect(IrOp::Halt, &[], &[]);
        }
    }

    /// Completes the function and returns it. Every construct must be closed.
    pub fn finish(self) -> &'f mut Function<'a> {
        debug_assert!(self.open.is_empty(), "every construct is closed");
        let Builder { f, mut layout, block, .. } = self;
        layout.push(Segment { block, seam: Seam::End });
        f.layout = layout.into_bump_slice();
        f.compute_cfg();
        f
    }
}

impl<'a> Build<'a> for Builder<'_, 'a> {
    fn function(&self) -> &Function<'a> {
        self.f
    }

    fn function_mut(&mut self) -> &mut Function<'a> {
        self.f
    }

    fn line(&self) -> u32 {
        self.line
    }

    fn append(&mut self, inst: Inst) {
        let block = self.block;
        self.f.block_mut(block).insts.push(inst);
    }

    fn float_mode(&self) -> FloatMode {
        self.mode
    }
}
