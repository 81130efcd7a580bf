//! Unrolls loops with a known number of iterations.
//!
//! The exit iteration of a loop is known if an if that every iteration reaches leaves the loop on a condition
//! that depends only on constants: the condition is evaluated for each iteration until it holds. The loop
//! then becomes a scope with a copy of the body for each iteration, each in its own scope that continues jump
//! out of:
//!
//! ```text
//! loop { A; if c { break }; B }   becomes   scope { scope { A; if c { break }; B } scope { A; … } … }
//! ```
//!
//! Jumps to blocks further out, such as returns, stay in each copy.
//!
//! The copies still test their conditions; later passes find them constant and remove the tests and scopes.
//! Inner loops come first; loops that depend on the iteration of an outer loop are tried again in its copies,
//! and outer loops after the computations of the copies have been folded. The budget limits the size of the
//! unrolled loop before simplification; copies of inner loops share one budget per function. A loop around loops
//! that stay is unrolled only if much of it folds, or if the iterations of the inner loops may depend on its own:
//! beside theirs, the end of its iteration costs little. A [hint](UnrollHint) of the input raises the limits, or
//! forbids unrolling.
//!
//! Before: stage source. After: the same.

mod copy;
mod exits;
mod iterations;
mod remaining;

use bumpalo::Bump;
use remaining::Remaining;

use super::{LocalRewrites, opt_copy_prop, opt_simplify_control, rewrite_locally};
use crate::ir::{Block, Function, Inst, IrOp, Op, ScratchSide, Seam, Segment, UnrollHint};

/// Maximum number of iterations of an unrolled loop, including the last, incomplete one (Mesa 25.0 takes 32).
const MAX_ITERATIONS: usize = 33;

/// Maximum number of instructions of an unrolled loop.
const MAX_INSTRUCTIONS: usize = 384;

/// Maximum number of blocks of an unrolled loop, before its constants are folded.
const MAX_BLOCKS: usize = 384;

/// Maximum total number of instructions of unrolled copies of inner loops.
const MAX_INNER_INSTRUCTIONS: usize = 1536;

/// Factor by which an unrolled loop may exceed the budget before its constants are folded.
const MAX_GROWTH: usize = 24;

/// Factor by which a loop that runs once may exceed the budget: it does not grow.
const MAX_SINGLE: usize = 4;

/// Factor by which a loop that the input wants to be unrolled may exceed the limits of others.
const MAX_WANTED: usize = 4;

/// Ratio of an iteration to what remains of it from which the loop may grow to the whole budget.
const MIN_FOLDED: usize = 2;

/// Maximum number of iterations for which it is examined whether constants determine them.
const MAX_KNOWN: u32 = 4096;

/// Maximum number of times that loops are examined.
const MAX_TIMES: usize = 3;

/// Unrolls loops.
pub fn opt_unroll(f: &mut Function<'_>) {
    for _ in 0..MAX_TIMES {
        let starts = loops(f);
        if starts.is_empty() || !f.with_scratch(|f, scratch| unroll(f, starts, scratch)) {
            return;
        }
        if loops(f).is_empty() {
            return f.compute_cfg();
        }
        rewrite_locally(f, LocalRewrites::COPY_PROP | LocalRewrites::CONSTANT_FOLDING);
        opt_simplify_control(f);
        opt_copy_prop(f);
    }
}

/// Whether constants determine how often the loop that begins after segment `start` is executed, by an exit that every lane
/// takes in the same iteration. Requires current edges.
pub(crate) fn has_known_iterations(f: &mut Function<'_>, start: usize, scratch: &Bump) -> bool {
    let ranks = ScratchSide::new_in(scratch, f.insts.len());
    let mut unroller = Unroller { ranks, next_rank: 1, users: None, places: None, f, scratch };
    let Some(mut around) = unroller.enter(start) else { return false };
    around.others = unroller.others(&around);
    iterations::iterations(&unroller, &around, MAX_KNOWN).is_some()
}

/// Segments after which loops begin.
fn loops(f: &Function<'_>) -> Vec<usize> {
    (0..f.layout.len()).filter(|index| f.layout[*index].seam == Seam::Loop).collect()
}

/// Unrolls the loops that begin after the segments `starts` where possible; returns whether any was unrolled. Leaves the
/// edges of the control-flow graph to the caller.
fn unroll(f: &mut Function<'_>, starts: Vec<usize>, scratch: &Bump) -> bool {
    let ranks = ScratchSide::new_in(scratch, f.insts.len());
    let mut unroller = Unroller { ranks, next_rank: 1, users: None, places: None, f, scratch };
    let (mut budget, mut changed) = (MAX_INNER_INSTRUCTIONS, false);
    // Inner loops begin after the loops around them.
    for start in starts.into_iter().rev() {
        let Some(unrolled) = unroller.consider(start, MAX_INSTRUCTIONS) else { continue };
        changed = true;
        let mut pending = unrolled.inner;
        while let Some(inner) = pending.pop() {
            if let Some(unrolled) = unroller.consider(inner, budget.min(MAX_INSTRUCTIONS)) {
                budget = budget.saturating_sub(unrolled.size);
                pending.extend(unrolled.inner);
            }
        }
    }
    changed
}

/// An unrolled loop.
struct Unrolled {
    /// Instructions.
    size: usize,
    /// Segments after which loops begin in the copies, in program order.
    inner: Vec<usize>,
}

/// Facts about one loop.
struct Loop {
    /// Segments after which it begins and ends.
    start: usize,
    end: usize,
    header: Block,
    after: Block,
    /// Blocks further out that jumps leave to, such as the end of a function that returns from the loop.
    others: Vec<Block>,
    /// Rank of its first instruction.
    first_rank: u32,
}

/// How far a loop may be unrolled.
struct Limits {
    instructions: usize,
    blocks: usize,
    iterations: usize,
    /// The input wants it to be unrolled.
    is_wanted: bool,
}

impl Limits {
    /// The limits of a loop with a hint, where loops without one may have `budget` instructions.
    fn new(hint: Option<UnrollHint>, budget: usize) -> Limits {
        let factor = if hint == Some(UnrollHint::Unroll) { MAX_WANTED } else { 1 };
        Limits {
            instructions: budget * factor,
            blocks: MAX_BLOCKS * factor,
            // A loop that runs once is none.
            iterations: if hint == Some(UnrollHint::Keep) { 2 } else { MAX_ITERATIONS * factor },
            is_wanted: factor > 1,
        }
    }

    /// Maximum number of iterations of a loop of `size` instructions before folding.
    fn iterations(&self, size: usize, blocks: usize) -> usize {
        (self.instructions * MAX_GROWTH / size).min(self.blocks / blocks).min(self.iterations)
    }
}

struct Unroller<'f, 'a> {
    f: &'f mut Function<'a>,
    /// Ranks of instructions: the current loop has ranks from its first rank on, in program order.
    ranks: ScratchSide<'f, Inst, u32>,
    next_rank: u32,
    /// The users of each value, computed when first needed.
    users: Option<copy::Users<'f>>,
    /// Where the instructions and blocks were before any loop was unrolled, computed when first needed.
    places: Option<exits::Places<'f>>,
    /// For tables.
    scratch: &'f Bump,
}

/// Rank of instructions that were removed from the function.
const REMOVED: u32 = u32::MAX;

impl Unroller<'_, '_> {
    /// Unrolls the loop that begins after segment `start`, if that gives at most `budget` instructions.
    fn consider(&mut self, start: usize, budget: usize) -> Option<Unrolled> {
        self.f.watch.visit(16);
        let mut around = self.enter(start)?;
        let segments = &self.f.layout[around.start + 1..=around.end];
        let size = self.size(segments).max(1);
        let limits = Limits::new(self.f.declared.unroll_hints[around.header], budget);
        let most = limits.iterations(size, segments.len());
        let is_small = size <= budget * MAX_SINGLE && segments.len() <= MAX_BLOCKS;
        if most < 2 && !is_small || !self.repeats(&around) {
            return None;
        }
        around.others = self.others(&around);
        let has_inner = segments.iter().any(|segment| segment.seam == Seam::Loop);
        let iterations = iterations::iterations(self, &around, most.max(2) as u32)? as usize;
        if !self.may_leave(&around) {
            return None;
        }
        let size = match iterations <= 2 && is_small {
            true => size * iterations,
            false => self.unrolled_size(&around, &limits, size, iterations)?,
        };
        self.note_places();
        let after = self.f.layout.len() - around.end;
        copy::unroll(self, &around, iterations);
        let segments = around.start + 1..self.f.layout.len() - after;
        let inner = segments.filter(|index| has_inner && self.f.layout[*index].seam == Seam::Loop).collect();
        Some(Unrolled { size, inner })
    }

    /// The size of `iterations` copies of a loop of `size` instructions, if the loop should be unrolled.
    fn unrolled_size(&self, around: &Loop, limits: &Limits, size: usize, iterations: usize) -> Option<usize> {
        let fits = size * iterations <= limits.instructions;
        let segments = &self.f.layout[around.start + 1..=around.end];
        // Beside the loops that stay in it, the end of an iteration costs little.
        let must_fold = !limits.is_wanted && segments.iter().any(|segment| segment.seam == Seam::Loop);
        if fits && !must_fold {
            return Some(size * iterations);
        }
        let Remaining { size: remaining, reaches_inner } = remaining::remaining(self, around);
        let folds = remaining * MIN_FOLDED <= size;
        if must_fold && !folds && !reaches_inner {
            return None;
        }
        if fits {
            return Some(size * iterations);
        }
        // Such a loop is long in the source: the copies must be worth its growth.
        let weight = if folds || limits.is_wanted { 1 } else { 2 };
        (weight * remaining * iterations <= limits.instructions).then_some(remaining * iterations)
    }

    /// Number of hardware instructions in segments.
    fn size(&self, segments: &[Segment]) -> usize {
        let insts = segments.iter().flat_map(|segment| &self.f.block(segment.block).insts);
        insts.filter(|inst| does_something(self.f.insts[**inst].op)).count()
    }

    /// Numbers the instructions of the loop that begins after segment `start`.
    fn enter(&mut self, start: usize) -> Option<Loop> {
        let first_rank = self.next_rank;
        let mut depth = 0u32;
        for index in start + 1..self.f.layout.len() {
            let segment = self.f.layout[index];
            for inst in &self.f.block(segment.block).insts {
                self.ranks[*inst] = self.next_rank;
                self.next_rank += 1;
            }
            match segment.seam {
                Seam::If | Seam::Loop | Seam::Scope => depth += 1,
                Seam::EndLoop if depth == 0 => {
                    let header = self.f.layout[start + 1].block;
                    let after = self.f.layout.get(index + 1)?.block;
                    return Some(Loop { start, end: index, header, after, others: Vec::new(), first_rank });
                }
                Seam::EndIf | Seam::EndLoop | Seam::EndScope => depth = depth.checked_sub(1)?,
                Seam::Else | Seam::End => {}
            }
        }
        None
    }

    /// Whether `inst` is in the loop.
    fn is_inside(&self, around: &Loop, inst: Inst) -> bool {
        let rank = self.ranks[inst];
        around.first_rank <= rank && rank != REMOVED
    }

    fn target(&self, block: Block) -> Option<Block> {
        self.f.terminator(block).and_then(|inst| self.f.insts[inst].target())
    }

    /// Whether there is a back edge to the header.
    fn repeats(&self, around: &Loop) -> bool {
        let segments = &self.f.layout[around.start + 1..=around.end];
        let falls = self.f.terminator(self.f.layout[around.end].block).is_none();
        falls || segments.iter().any(|segment| self.target(segment.block) == Some(around.header))
    }
}

/// Whether an operation becomes a hardware instruction.
fn does_something(op: Op) -> bool {
    !matches!(op, Op::Ir(IrOp::Phi | IrOp::Mov | IrOp::Collect | IrOp::Split | IrOp::Jump))
}
