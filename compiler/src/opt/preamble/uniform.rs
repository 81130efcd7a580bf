//! The analysis: which instructions compute the same for every invocation, and what has to surround them.
//!
//! The walk assumes that a loop or scope can move as a whole. It takes the assumption back when it finds an instruction that
//! cannot, and walks the construct again.

use agx_abi::layout::{UniformRange, UniformSource};
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::analysis::movable::is_movable;
use crate::ir::{Block, Function, Inst, InstData, IrOp, Op, ScratchSide, Seam, Src, Value};

/// Maximum number of constructs around a loop or scope that moves as a whole. Each can be walked once more for each of them.
const MOST_AROUND: usize = 8;

/// The computations that are the same in every invocation.
pub(super) struct Uniform<'s> {
    /// Instructions with uniform results.
    pub(super) insts: ScratchSide<'s, Inst, bool>,
    /// There may be some.
    pub(super) may_have_insts: bool,
    /// For uniform phis that join the arms of an if.
    pub(super) joins: ScratchSide<'s, Inst, Option<Join>>,
    /// There are some in arms.
    pub(super) in_arms: bool,
    /// Values that exist only under the condition of an if, or after some iterations of a loop: the preamble has to contain
    /// these constructs.
    pub(super) guarded: ScratchSide<'s, Value, bool>,
    /// There are such values.
    pub(super) has_guarded: bool,
    /// Blocks that end where a loop or scope begins that moves as a whole, or an if on a uniform condition that all
    /// invocations reach: what exists only in its arms needs it. The arms of other ifs have nothing of this kind, and may end
    /// with jumps out of constructs that stay.
    pub(super) steers: ScratchSide<'s, Block, bool>,
    /// The outermost construct that moves as a whole around each instruction, and around the values that a phi after it joins.
    pub(super) wholes: ScratchSide<'s, Inst, Option<Whole>>,
    /// The segments of each of these constructs: the block that it begins with, and the one that it ends with.
    pub(super) extents: ArenaVec<'s, (usize, usize)>,
}

/// The condition of an if, and where its first arm ends.
#[derive(Clone, Copy)]
pub(super) struct Join {
    pub(super) condition: Src,
    pub(super) then_end: Block,
}

/// A loop or scope that moves as a whole: its row in [`Uniform::extents`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Whole(pub(super) usize);

impl<'s> Uniform<'s> {
    /// Whether an instruction is a part of a construct, or computes what exists only in one.
    pub(super) fn is_guarded(&self, data: &InstData<'_>) -> bool {
        data.dsts.is_empty() || data.dsts.iter().any(|dst| self.guarded[*dst])
    }

    /// The construct that moves as a whole around an instruction.
    pub(super) fn whole(&self, inst: Inst) -> Option<Whole> {
        if self.extents.is_empty() { None } else { self.wholes[inst] }
    }

    /// Finds uniform instructions. Parameters of test kernels count as divergent.
    pub(super) fn of(f: &Function<'_>, ranges: &[UniformRange], scratch: &'s Bump) -> Uniform<'s> {
        let arguments =
            ranges.iter().filter(|range| matches!(range.source, UniformSource::KernelArgument { .. }));
        let uniform = Uniform {
            insts: ScratchSide::new_in(scratch, f.insts.len()),
            may_have_insts: false,
            joins: ScratchSide::later_in(scratch, 0),
            in_arms: false,
            guarded: ScratchSide::later_in(scratch, f.values.len()),
            has_guarded: false,
            steers: ScratchSide::later_in(scratch, f.blocks.len()),
            wholes: ScratchSide::later_in(scratch, f.insts.len()),
            extents: ArenaVec::new_in(scratch),
        };
        let mut walk = Walk {
            f,
            arguments: arguments.map(|range| range.start..range.start + range.halves).collect(),
            uniform,
            values: ScratchSide::new_in(scratch, f.values.len()),
            open: ArenaVec::new_in(scratch),
            attempt: None,
            stays: ScratchSide::later_in(scratch, f.blocks.len()),
            behind: Behind::Nothing,
            has_left: false,
        };
        let mut index = 0;
        while index < f.layout.len() {
            let moves = walk.enter(index) && walk.cross(index);
            index = if moves { index + 1 } else { walk.take_back(index) };
        }
        walk.uniform
    }
}

/// An open construct.
#[derive(Clone, Copy)]
struct Open {
    /// The segment that opens it.
    at: usize,
    condition: Src,
    /// The end of the then-arm, once that is known.
    then_end: Option<Block>,
    /// Every invocation takes the same path through it and the constructs around it.
    is_steady: bool,
    /// [`Walk::has_left`] where it begins.
    has_left: bool,
}

/// The construct that ends before the current block.
#[derive(Clone, Copy)]
enum Behind {
    Nothing,
    If(Join),
    Whole(Whole),
}

struct Walk<'f, 's, 'a> {
    f: &'f Function<'a>,
    /// Half-words of arguments of a test kernel.
    arguments: Vec<std::ops::Range<u16>>,
    uniform: Uniform<'s>,
    values: ScratchSide<'s, Value, bool>,
    open: ArenaVec<'s, Open>,
    /// The position in `open` of the outermost loop or scope that is assumed to move as a whole.
    attempt: Option<usize>,
    /// Blocks that end where a loop or scope begins that does not move as a whole, or an if of which an arm does not end.
    stays: ScratchSide<'s, Block, bool>,
    behind: Behind,
    /// An invocation may have left an open loop or scope before the current instruction.
    has_left: bool,
}

impl Walk<'_, '_, '_> {
    fn is_uniform(&self, src: &Src) -> bool {
        if let Some(value) = src.as_value() {
            return self.values[value];
        }
        let is_argument = |half| self.arguments.iter().any(|range| range.contains(&half));
        self.arguments.is_empty() || !src.as_uniform().is_some_and(is_argument)
    }

    fn are_uniform(&self, data: &InstData<'_>) -> bool {
        data.srcs.iter().all(|src| self.is_uniform(src))
    }

    fn is_guarded(&self, src: &Src) -> bool {
        self.uniform.has_guarded && src.as_value().is_some_and(|value| self.uniform.guarded[value])
    }

    /// Every invocation takes the same path to here.
    fn is_steady(&self) -> bool {
        self.open.last().is_none_or(|open| open.is_steady)
    }

    /// Every invocation executes the current block: it may be in loops and scopes, which all enter, but not in an arm.
    fn is_always_executed(&self) -> bool {
        !self.has_left && self.open.iter().all(|open| self.f.layout[open.at].seam != Seam::If)
    }

    /// Finds the uniform instructions of a block. Returns whether it is a part of no construct that is assumed to move as a
    /// whole, or can.
    fn enter(&mut self, index: usize) -> bool {
        let behind = std::mem::replace(&mut self.behind, Behind::Nothing);
        let is_first = self.open.last().is_some_and(|open| open.at + 1 == index);
        let is_header = is_first && self.f.layout[index - 1].seam == Seam::Loop;
        for inst in &self.f.block(self.f.layout[index].block).insts {
            let data = &self.f.insts[*inst];
            let moves = match data.op {
                Op::Ir(IrOp::Phi) if self.attempt.is_some() => self.visit_whole_phi(*inst, data, is_header),
                Op::Ir(IrOp::Phi) => self.visit_phi(*inst, data, behind),
                _ => self.visit(*inst, data),
            };
            // In the preamble, code after an arm that does not end would read what the other one computes.
            let ends = data.op == Op::Ir(IrOp::Halt) && !self.open.is_empty() && self.is_steady();
            if ends || !moves && self.attempt.is_some() {
                return false;
            }
        }
        true
    }

    /// Decides on an instruction that is not a phi; returns whether it may be part of what moves as a whole.
    fn visit(&mut self, inst: Inst, data: &InstData<'_>) -> bool {
        self.has_left |= data.op == Op::Ir(IrOp::Jump);
        if !self.are_uniform(data) {
            return false;
        }
        let moves_anywhere = is_movable(data, false) || self.is_always_executed() && is_movable(data, true);
        if moves_anywhere || self.is_steady() && is_movable(data, true) {
            let is_guarded = self.attempt.is_some() || data.srcs.iter().any(|src| self.is_guarded(src));
            self.take(inst, data, is_guarded || !moves_anywhere);
            return true;
        }
        matches!(data.op, Op::Ir(IrOp::If | IrOp::Jump))
    }

    fn visit_phi(&mut self, inst: Inst, data: &InstData<'_>, behind: Behind) -> bool {
        let is_uniform = self.are_uniform(data);
        match behind {
            Behind::If(join) if is_uniform && data.srcs.len() == 2 && self.is_uniform(&join.condition) => {
                let is_guarded = data.srcs.iter().chain([&join.condition]).any(|src| self.is_guarded(src));
                self.take(inst, data, is_guarded);
                self.uniform.joins[inst] = Some(join);
                true
            }
            Behind::Whole(whole) if is_uniform => {
                self.take(inst, data, true);
                self.uniform.wholes[inst] = Some(whole);
                true
            }
            _ => false,
        }
    }

    /// Decides on a phi of a construct that is assumed to move as a whole. [`close`](Self::close) looks at what the header of a
    /// loop reads of its iterations.
    fn visit_whole_phi(&mut self, inst: Inst, data: &InstData<'_>, is_header: bool) -> bool {
        let moves = is_header || self.are_uniform(data);
        if moves {
            self.take(inst, data, true);
        }
        moves
    }

    /// Notes that an instruction is uniform.
    fn take(&mut self, inst: Inst, data: &InstData<'_>, is_guarded: bool) {
        self.uniform.insts[inst] = true;
        self.uniform.may_have_insts = true;
        self.uniform.in_arms |= !self.open.is_empty();
        for dst in data.dsts {
            self.values[*dst] = true;
            if is_guarded {
                self.uniform.guarded[*dst] = true;
                self.uniform.has_guarded = true;
            }
        }
    }

    /// Crosses the seam after a segment. Returns whether what is assumed to move as a whole still can.
    fn cross(&mut self, index: usize) -> bool {
        let segment = self.f.layout[index];
        match segment.seam {
            Seam::If | Seam::Loop | Seam::Scope => {
                self.begin(index);
                return self.attempt.is_none() || self.is_steady();
            }
            Seam::Else => {
                self.open.last_mut().into_iter().for_each(|open| open.then_end = Some(segment.block));
            }
            Seam::EndIf | Seam::EndLoop | Seam::EndScope => return self.close(index),
            Seam::End => {}
        }
        true
    }

    /// Opens the construct after a segment.
    fn begin(&mut self, index: usize) {
        let segment = self.f.layout[index];
        let terminator = self.f.terminator(segment.block).map(|inst| self.f.insts[inst].srcs);
        let condition = terminator.and_then(|srcs| srcs.first().copied()).unwrap_or(Src::NONE);
        let is_steady = self.is_steady()
            && match segment.seam {
                Seam::If => self.is_uniform(&condition) && !self.stays[segment.block],
                _ => self.open.len() < MOST_AROUND && !self.stays[segment.block],
            };
        if is_steady {
            self.uniform.steers[segment.block] = true;
            if segment.seam != Seam::If && self.attempt.is_none() {
                self.attempt = Some(self.open.len());
            }
        }
        let has_left = self.has_left;
        self.open.push(Open { at: index, condition, then_end: None, is_steady, has_left });
    }

    /// Closes the innermost construct. Returns whether what is assumed to move as a whole still can.
    fn close(&mut self, index: usize) -> bool {
        let Some(open) = self.open.last().copied() else { return true };
        let is_attempt = self.attempt == Some(self.open.len() - 1);
        let is_iterated = self.attempt.is_some() && self.f.layout[index].seam == Seam::EndLoop;
        // The path through the construct chooses what a phi after it is.
        if is_iterated && !self.joins_uniform(open.at + 1) || is_attempt && !self.joins_uniform(index + 1) {
            return false;
        }
        self.behind = match open.then_end {
            Some(then_end) => Behind::If(Join { condition: open.condition, then_end }),
            None if is_attempt => Behind::Whole(self.keep(open.at + 1, index)),
            None => Behind::Nothing,
        };
        if is_attempt {
            self.attempt = None;
        }
        self.open.pop();
        self.has_left &= !self.open.is_empty();
        true
    }

    /// Whether all values that the phis of a segment join are uniform.
    fn joins_uniform(&self, index: usize) -> bool {
        let block = self.f.block(self.f.layout[index].block);
        let insts = block.insts.iter().map(|inst| &self.f.insts[*inst]);
        let mut phis = insts.take_while(|data| data.op == Op::Ir(IrOp::Phi));
        phis.all(|data| self.are_uniform(data))
    }

    /// Notes that the construct of the given segments moves as a whole.
    fn keep(&mut self, first: usize, last: usize) -> Whole {
        let whole = Whole(self.uniform.extents.len());
        self.uniform.extents.push((first, last));
        for segment in &self.f.layout[first..=last] {
            for inst in &self.f.block(segment.block).insts {
                self.uniform.wholes[*inst] = Some(whole);
            }
        }
        whole
    }

    /// Takes the assumption back for all open loops and scopes, of which none can move after what is in segment `index`, or
    /// leaves all open ifs where they are. Returns where the walk goes on: after the beginning of the outermost one.
    fn take_back(&mut self, index: usize) -> usize {
        let depth = self.attempt.take().unwrap_or_default();
        let at = self.open.get(depth).map_or(index, |open| open.at);
        self.has_left = self.open.get(depth).is_some_and(|open| open.has_left);
        for open in self.open.drain(depth..) {
            self.stays[self.f.layout[open.at].block] = true;
        }
        for segment in &self.f.layout[at + 1..=index] {
            self.uniform.steers[segment.block] = false;
            for inst in &self.f.block(segment.block).insts {
                self.uniform.insts[*inst] = false;
                if self.uniform.wholes[*inst].is_some() {
                    self.uniform.wholes[*inst] = None;
                }
                for dst in self.f.insts[*inst].dsts {
                    self.values[*dst] = false;
                    if self.uniform.guarded[*dst] {
                        self.uniform.guarded[*dst] = false;
                    }
                }
            }
        }
        self.uniform.steers[self.f.layout[at].block] = false;
        let kept = self.uniform.extents.partition_point(|(first, _)| *first <= at);
        self.uniform.extents.truncate(kept);
        self.behind = Behind::Nothing;
        self.begin(at);
        at + 1
    }
}
