//! Loops and their number of iterations, if constants determine it.

use arrayvec::ArrayVec;
use bumpalo::Bump;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::ir::insert::{MAX_PURE_SOURCES, fold};
use crate::ir::{Block, Function, Inst, IrOp, Op, ScratchSide, Seam, Segment, Src, Value, end_of_region};

/// Maximum number of instructions that a condition may depend on.
const MAX_SLICE: usize = 24;

/// Maximum number of iterations for which [`has_known_iterations`] examines whether constants determine them.
const MAX_KNOWN: u32 = 4096;

/// Rank of instructions that were removed from the function.
const REMOVED: u32 = u32::MAX;

/// Facts about one loop.
pub(crate) struct Loop {
    /// Segments after which it begins and ends.
    pub start: usize,
    pub end: usize,
    pub header: Block,
    pub after: Block,
    /// Blocks further out that jumps leave to, such as the end of a function that returns from the loop.
    pub others: Vec<Block>,
    /// Rank of its first instruction.
    first_rank: u32,
}

impl Loop {
    /// Its segments.
    pub fn segments<'f>(&self, f: &Function<'f>) -> &'f [Segment] {
        &f.layout[self.start + 1..=self.end]
    }

    /// The blocks that jumps leave the loop to, except the one after it.
    pub fn other_targets(&self, f: &Function<'_>) -> Vec<Block> {
        let segments = self.segments(f);
        let mut others = Vec::new();
        for target in segments.iter().filter_map(|segment| target(f, segment.block)) {
            let is_inside = || segments.iter().any(|segment| segment.block == target);
            if target != self.after && !others.contains(&target) && !is_inside() {
                others.push(target);
            }
        }
        others
    }
}

/// Ranks of instructions: the loop entered last has ranks from its first rank on, in program order.
pub(crate) struct Ranks<'s> {
    ranks: ScratchSide<'s, Inst, u32>,
    next: u32,
}

impl<'s> Ranks<'s> {
    /// Ranks of no instruction of `f`.
    pub fn new_in(scratch: &'s Bump, f: &Function<'_>) -> Self {
        Ranks { ranks: ScratchSide::new_in(scratch, f.insts.len()), next: 1 }
    }

    /// Ranks the instructions of the loop that begins after segment `start`.
    pub fn enter(&mut self, f: &Function<'_>, start: usize) -> Option<Loop> {
        let first_rank = self.next;
        let end = end_of_region(f.layout, start + 1);
        for inst in f.layout[start + 1..=end].iter().flat_map(|segment| &f.block(segment.block).insts) {
            self.ranks[*inst] = self.next;
            self.next += 1;
        }
        let (header, after) = (f.layout[start + 1].block, f.layout.get(end + 1)?.block);
        let is_loop = f.layout[end].seam == Seam::EndLoop;
        is_loop.then_some(Loop { start, end, header, after, others: Vec::new(), first_rank })
    }

    /// Records that an instruction is no longer in the function.
    pub fn remove(&mut self, inst: Inst) {
        self.ranks[inst] = REMOVED;
    }

    /// Whether `inst` is in the loop.
    pub fn is_inside(&self, around: &Loop, inst: Inst) -> bool {
        !self.is_before(around, inst) && self.ranks[inst] != REMOVED
    }

    /// Whether `inst` is neither in the loop, nor was removed.
    pub fn is_before(&self, around: &Loop, inst: Inst) -> bool {
        self.ranks[inst] < around.first_rank
    }
}

/// The target of the jump that ends a block.
pub(crate) fn target(f: &Function<'_>, block: Block) -> Option<Block> {
    f.terminator(block).and_then(|inst| f.insts[inst].target())
}

/// Whether constants determine how often the loop that begins after segment `start` is executed, by an exit that every lane
/// takes in the same iteration. Requires current edges.
pub(crate) fn has_known_iterations(f: &Function<'_>, start: usize, scratch: &Bump) -> bool {
    let mut ranks = Ranks::new_in(scratch, f);
    let Some(mut around) = ranks.enter(f, start) else { return false };
    around.others = around.other_targets(f);
    iterations(f, &ranks, &around, MAX_KNOWN).is_some()
}

/// An if that every iteration reaches, with one arm that leaves the loop.
struct Exit {
    condition: Src,
    leaves_when: bool,
}

/// The computations within the loop that the condition of an exit depends on.
#[derive(Default)]
struct Slice {
    /// Pure instructions in program order.
    insts: Vec<Inst>,
    /// Phis of the header with their initial value and the value from the back edge.
    phis: Vec<(Value, Src, Src)>,
    /// Constant values from before the loop.
    constants: Vec<(Value, Src)>,
}

type Known = HashMap<Value, Src, FxBuildHasher>;

/// The number of iterations, including the last one, if constants determine it and it is at most `most`: that of the exit
/// that is taken first.
pub(crate) fn iterations(f: &Function<'_>, ranks: &Ranks<'_>, around: &Loop, most: u32) -> Option<u32> {
    exits(f, around).iter().fold(None, |fewest: Option<u32>, exit| {
        let most = fewest.map_or(most, |fewest| fewest - 1);
        count(f, ranks, around, exit, most).or(fewest)
    })
}

/// Exits in program order, up to the first point where an iteration may end early.
fn exits(f: &Function<'_>, around: &Loop) -> Vec<Exit> {
    let (mut exits, mut depth) = (Vec::new(), 0u32);
    for index in around.start + 1..=around.end {
        let segment = f.layout[index];
        if target(f, segment.block) == Some(around.header) {
            break;
        }
        if segment.seam == Seam::If && depth == 0 {
            exits.extend(exit(f, around, index));
        }
        depth = segment.seam.depth_after(depth);
    }
    exits
}

/// The if that begins after segment `index`, if an arm of one block leaves the loop.
fn exit(f: &Function<'_>, around: &Loop, index: usize) -> Option<Exit> {
    let condition = *f.insts[f.terminator(f.layout[index].block)?].srcs.first()?;
    let is_outside = |target: Block| target == around.after || around.others.contains(&target);
    let leaves = |block: Block| target(f, block).is_some_and(is_outside);
    let then = f.layout[index + 1];
    if then.seam == Seam::Else && leaves(then.block) {
        return Some(Exit { condition, leaves_when: true });
    }
    let last = f.layout.get(end_of_region(f.layout, index + 1) + 1)?;
    (last.seam == Seam::EndIf && leaves(last.block)).then_some(Exit { condition, leaves_when: false })
}

/// The iteration in which `exit` is taken, counted from one.
fn count(f: &Function<'_>, ranks: &Ranks<'_>, around: &Loop, exit: &Exit, most: u32) -> Option<u32> {
    let slice = slice(f, ranks, around, exit.condition)?;
    let values = slice.insts.len() + slice.phis.len() + slice.constants.len();
    let mut known = Known::with_capacity_and_hasher(values, FxBuildHasher);
    known.extend(slice.phis.iter().map(|(phi, first, _)| (*phi, *first)));
    known.extend(slice.constants.iter().copied());
    let read = |known: &Known, src: Src| match src.as_value() {
        Some(value) => known.get(&value).map(|constant| Src { flags: src.flags, ..*constant }),
        None => Some(src),
    };
    for round in 1..=most {
        for inst in &slice.insts {
            let data = f.insts[*inst];
            let dst = data.dst()?;
            let mut srcs: ArrayVec<Src, MAX_PURE_SOURCES> = ArrayVec::new();
            for src in data.srcs {
                srcs.try_push(read(&known, *src)?).ok()?;
            }
            let constant = fold(f, data.op, f.ty(dst), &srcs, data.mods)?;
            known.insert(dst, constant);
        }
        let truth = read(&known, exit.condition)?.as_imm()? & 1 != 0;
        if truth == exit.leaves_when {
            return Some(round);
        }
        let next = slice.phis.iter().map(|(_, _, next)| read(&known, *next));
        let next: Option<ArrayVec<Src, MAX_SLICE>> = next.collect();
        for ((phi, _, _), next) in slice.phis.iter().zip(next?) {
            known.insert(*phi, next);
        }
    }
    None
}

/// The computations in the loop that `condition` depends on; `None` if it depends on more than constants and
/// induction variables.
fn slice(f: &Function<'_>, ranks: &Ranks<'_>, around: &Loop, condition: Src) -> Option<Slice> {
    let (mut slice, mut pending) = (Slice::default(), Vec::with_capacity(2 * MAX_SLICE));
    pending.push(condition);
    while let Some(src) = pending.pop() {
        let Some(value) = src.as_value() else {
            src.as_imm()?;
            continue;
        };
        let inst = f.values[value].def?;
        let data = f.insts[inst];
        if slice.insts.contains(&inst) || slice.phis.iter().any(|(phi, _, _)| *phi == value) {
            continue;
        }
        if !ranks.is_inside(around, inst) {
            slice.constants.push((value, constant(f, src)?));
            continue;
        }
        if slice.insts.len() + slice.phis.len() >= MAX_SLICE || f.ty(value).comps != 1 {
            return None;
        }
        if data.op == Op::Ir(IrOp::Phi) {
            let (first, next) = header_inputs(f, around, inst)?;
            slice.phis.push((value, constant(f, first)?, next));
            pending.push(next);
        } else {
            data.op.pure_fn().filter(|_| data.is_pure())?;
            slice.insts.push(inst);
            pending.extend(data.srcs);
        }
    }
    slice.insts.sort_by_key(|inst| ranks.ranks[*inst]);
    Some(slice)
}

/// The sources of `phi` from outside and inside the loop, if it is a phi of the header.
fn header_inputs(f: &Function<'_>, around: &Loop, phi: Inst) -> Option<(Src, Src)> {
    let header = &f.block(around.header).insts;
    if !header[..f.phi_count(around.header)].contains(&phi) {
        return None;
    }
    let before = f.layout[around.start].block;
    let data = f.insts[phi];
    let first = data.phi_input_from(before)?;
    let mut back = data.phi_inputs().filter(|(from, _)| *from != before).map(|(_, src)| src);
    let next = back.next()?;
    back.all(|src| src == next).then_some((first, next))
}

/// The value of `src` if it is determined by constants that no pass has folded yet.
fn constant(f: &Function<'_>, src: Src) -> Option<Src> {
    let mut known = Known::default();
    let mut pending = vec![src];
    let mut steps = 0;
    while let Some(next) = pending.last().copied() {
        let Some(value) = next.as_value().filter(|value| !known.contains_key(value)) else {
            next.as_value().is_some().then_some(()).or(next.as_imm().map(|_| ()))?;
            pending.pop();
            continue;
        };
        steps += 1;
        let data = f.def(next).filter(|data| steps < 2 * MAX_SLICE && data.is_speculatable())?;
        let is_open = |src: &Src| src.as_value().is_some_and(|value| !known.contains_key(&value));
        if data.srcs.iter().any(is_open) {
            pending.extend(data.srcs.iter().filter(|src| is_open(src)));
            continue;
        }
        let read = |src: &Src| match src.as_value() {
            Some(value) => Src { flags: src.flags, ..known[&value] },
            None => *src,
        };
        let srcs: Vec<Src> = data.srcs.iter().map(read).collect();
        known.insert(value, fold(f, data.op, f.ty(data.dst()?), &srcs, data.mods)?);
        pending.pop();
    }
    match src.as_value() {
        Some(value) => known.get(&value).map(|constant| Src { flags: src.flags, ..*constant }),
        None => src.as_imm().map(|_| src),
    }
}
