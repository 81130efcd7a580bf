//! The part of the preamble that needs control flow: values that exist only in an arm of an if, or after a loop, are computed
//! in a copy of that construct.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::copy::Copy;
use super::equals::Equals;
use super::uniform::{Uniform, Whole};
use crate::ir::{
    Block, Builder, ConstructEnd, Function, Inst, InstData, IrOp, Op, ScratchSide, Seam, Segment, Src, Value,
};

/// Copies what needs control flow, in the constructs that it needs.
pub(super) fn copy_constructs<'a>(
    b: &mut Builder<'_, 'a>,
    copy: &mut Copy<'_, '_, 'a>,
    constructs: &Constructs<'_>,
    scratch: &Bump,
) {
    let f = copy.f;
    let mut to = Structure {
        f,
        constructs,
        copy,
        b,
        closes: f.construct_ends(),
        ends: ScratchSide::new_in(scratch, f.blocks.len()),
        targets: ScratchSide::new_in(scratch, f.blocks.len()),
        phis: ArenaVec::new_in(scratch),
        open: ArenaVec::new_in(scratch),
        is_after_copy: false,
        conditions: 0,
    };
    for index in 0..f.layout.len() {
        to.copy_block(index);
        to.cross(index);
    }
    to.connect_phis();
}

/// What the preamble has to contain.
pub(super) struct Constructs<'s> {
    /// The instructions, with those that need no control flow.
    pub(super) insts: ScratchSide<'s, Inst, bool>,
    /// By segment: it is in a construct that moves as a whole and is needed.
    wholes: ArenaVec<'s, bool>,
    /// By segment: it opens a construct that is copied.
    copied: ArenaVec<'s, bool>,
}

impl<'s> Constructs<'s> {
    /// Finds what the given values need.
    pub(super) fn of(
        f: &Function<'_>,
        places: &[(Value, u16)],
        uniform: &Uniform<'_>,
        equals: &Equals<'_>,
        scratch: &'s Bump,
    ) -> Constructs<'s> {
        let count = f.layout.len();
        let none = || ArenaVec::from_iter_in(std::iter::repeat_n(false, count), scratch);
        let found =
            Constructs { insts: ScratchSide::new_in(scratch, f.insts.len()), wholes: none(), copied: none() };
        let open = ArenaVec::new_in(scratch);
        let mut search = Search { f, uniform, equals, open, found };
        places.iter().for_each(|(value, _)| search.need(*value));
        let mut joins_guarded = false;
        for (index, segment) in f.layout.iter().enumerate().rev() {
            search.cross(index, joins_guarded);
            joins_guarded = search.visit_block(index, segment.block);
        }
        search.found
    }
}

/// Users come before definitions in this walk, but for loops, of which everything is needed.
struct Search<'f, 's, 'a> {
    f: &'f Function<'a>,
    uniform: &'f Uniform<'f>,
    equals: &'f Equals<'f>,
    /// For each open construct: something in it exists only under its condition.
    open: ArenaVec<'s, bool>,
    found: Constructs<'s>,
}

impl Search<'_, '_, '_> {
    /// Returns whether the block joins guarded values.
    fn visit_block(&mut self, index: usize, block: Block) -> bool {
        let is_whole = self.found.wholes[index];
        let mut joins_guarded = false;
        for inst in self.f.block(block).insts.iter().rev() {
            if !(is_whole || self.found.insts[*inst]) {
                continue;
            }
            self.found.insts[*inst] = true;
            let data = &self.f.insts[*inst];
            if self.uniform.is_guarded(data) {
                joins_guarded |= data.op == Op::Ir(IrOp::Phi);
                self.open.last_mut().into_iter().for_each(|around| *around = true);
            }
            let condition = self.uniform.joins[*inst].map(|join| join.condition);
            for value in data.srcs.iter().chain(&condition).filter_map(|src| src.as_value()) {
                self.need(value);
            }
        }
        joins_guarded
    }

    /// Crosses the seam after a segment backwards; `joins_guarded` means that the block after it joins guarded values.
    fn cross(&mut self, index: usize, joins_guarded: bool) {
        let Segment { block, seam } = self.f.layout[index];
        match seam {
            Seam::EndIf | Seam::EndLoop | Seam::EndScope => self.open.push(joins_guarded),
            Seam::If | Seam::Loop | Seam::Scope => {
                let is_needed = self.open.pop() == Some(true);
                self.open.last_mut().into_iter().for_each(|around| *around |= is_needed);
                if is_needed && self.uniform.steers[block] {
                    self.found.copied[index] = true;
                    let srcs = self.f.terminator(block).map_or(&[][..], |inst| self.f.insts[inst].srcs);
                    srcs.iter().filter_map(|src| src.as_value()).for_each(|value| self.need(value));
                }
            }
            Seam::Else | Seam::End => {}
        }
    }

    /// Adds the definition of a value, and the construct around it that moves as a whole.
    fn need(&mut self, value: Value) {
        let Some(def) = self.f.values[self.equals.value(value)].def else { return };
        self.found.insts[def] = true;
        if let Some(Whole(row)) = self.uniform.wholes[def] {
            let (first, last) = self.uniform.extents[row];
            if !self.found.wholes[last] {
                self.found.wholes[first..=last].fill(true);
            }
        }
    }
}

/// Copies instructions and constructs to the preamble.
struct Structure<'p, 'b, 'f, 's, 'a> {
    f: &'f Function<'a>,
    constructs: &'p Constructs<'p>,
    copy: &'p mut Copy<'f, 's, 'a>,
    b: &'p mut Builder<'b, 'a>,
    /// By segment that opens a construct: where that ends.
    closes: Vec<Option<ConstructEnd>>,
    /// The block of the preamble in which each block ends.
    ends: ScratchSide<'p, Block, Option<Block>>,
    /// The block of the preamble that jumps to each block go to.
    targets: ScratchSide<'p, Block, Option<Block>>,
    /// Phis of the function, with their copies.
    phis: ArenaVec<'p, (Inst, Inst)>,
    /// For each open construct, whether it is copied.
    open: ArenaVec<'p, bool>,
    /// A construct that is copied ends before the current block.
    is_after_copy: bool,
    /// Open ifs that are copied.
    conditions: usize,
}

impl Structure<'_, '_, '_, '_, '_> {
    fn copy_block(&mut self, index: usize) {
        let block = self.f.layout[index].block;
        let is_whole = self.constructs.wholes[index];
        let copies_phis = std::mem::take(&mut self.is_after_copy) || is_whole;
        for inst in &self.f.block(block).insts {
            let data = &self.f.insts[*inst];
            match data.op {
                _ if !self.constructs.insts[*inst] || !self.copy.uniform.is_guarded(data) => {}
                Op::Ir(IrOp::If | IrOp::Jump) => {}
                Op::Ir(IrOp::Phi) if copies_phis => {
                    self.phis.push((*inst, self.copy.copy_phi(self.b, *inst)));
                }
                _ => self.copy.copy(self.b, *inst),
            }
        }
        // The last iteration of a loop leaves the values to store.
        if !is_whole {
            self.copy.store(self.b);
        }
        self.ends[block] = Some(self.b.block());
        let jump = self.f.terminator(block).and_then(|inst| self.f.insts[inst].target());
        if let Some(target) = jump.filter(|_| is_whole).and_then(|target| self.targets[target]) {
            self.b.jump(target);
        }
    }

    /// Crosses the seam after a segment.
    fn cross(&mut self, index: usize) {
        let Segment { block, seam } = self.f.layout[index];
        let is_copied = match seam {
            Seam::If | Seam::Loop | Seam::Scope => {
                self.open.push(self.constructs.copied[index]);
                self.constructs.copied[index]
            }
            Seam::Else => self.open.last() == Some(&true),
            Seam::EndIf | Seam::EndLoop | Seam::EndScope => self.open.pop() == Some(true),
            Seam::End => false,
        };
        if !is_copied {
            return;
        }
        self.copy.flush(self.b);
        let block_at = |at: usize| self.f.layout.get(at).map_or(block, |segment| segment.block);
        let after = self.closes[index].map_or(block, |end| block_at(end.close + 1));
        match seam {
            Seam::If => {
                self.clear_guarded(index);
                let condition = self.f.terminator(block).and_then(|inst| self.f.insts[inst].srcs.first());
                let condition = condition.map_or(Src::NONE, |src| self.copy.src(src));
                self.b.begin_if(condition);
                self.conditions += 1;
            }
            Seam::Loop => {
                let blocks = self.b.begin_loop();
                self.targets[block_at(index + 1)] = Some(blocks.header);
                self.targets[after] = Some(blocks.after);
            }
            Seam::Scope => self.targets[after] = Some(self.b.begin_scope()),
            Seam::Else => self.b.begin_else(),
            Seam::EndIf => {
                self.b.end_if();
                self.conditions -= 1;
            }
            Seam::EndLoop => self.b.end_loop(),
            Seam::EndScope => self.b.end_scope(),
            Seam::End => {}
        }
        self.is_after_copy = matches!(seam, Seam::EndIf | Seam::EndLoop | Seam::EndScope);
    }

    /// Stores zeros for what is stored only in the arms of the if after segment `index`, unless it is in another one.
    fn clear_guarded(&mut self, index: usize) {
        if self.conditions > 0 {
            return;
        }
        let last = self.closes[index].map_or(index, |end| end.close);
        for segment in &self.f.layout[index + 1..=last] {
            for inst in &self.f.block(segment.block).insts {
                if self.constructs.insts[*inst] && self.copy.uniform.is_guarded(&self.f.insts[*inst]) {
                    self.copy.clear(self.b, *inst);
                }
            }
        }
    }

    /// Gives phis their sources.
    fn connect_phis(&mut self) {
        for (old, new) in &self.phis {
            let data = self.f.insts[*old];
            let end = |block: Block| self.ends[block].unwrap_or(block).0;
            let bump = self.b.f.bump;
            let mods = bump.alloc_slice_fill_iter(data.mods.iter().map(|block| end(Block(*block))));
            let srcs = bump.alloc_slice_fill_iter(data.srcs.iter().map(|src| self.copy.src(src)));
            let data = InstData { mods, srcs, ..self.b.f.insts[*new] };
            self.b.f.insts[*new] = data;
        }
    }
}
