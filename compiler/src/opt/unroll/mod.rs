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
//! Loops that jumps leave to blocks further out, such as those that return, stay.
//!
//! The copies still test their conditions; later passes find them constant and remove the tests and scopes.
//! Inner loops come first. Outer loops, and copies of inner loops that depend on the iteration of an outer one, are tried again
//! when the pass runs again, after the computations of the copies have been folded. The budget limits the size of each
//! unrolled loop before simplification; all of a function share another one. A loop around loops
//! that stay is unrolled only if much of it folds, or if the iterations of the inner loops may depend on its own:
//! beside theirs, the end of its iteration costs little. A [hint](UnrollHint) of the input raises the limits, or
//! forbids unrolling.
//!
//! Before: stage source. After: the same.

mod copy;
mod remaining;

use bumpalo::Bump;
use remaining::Remaining;

use crate::analysis::iterations::{Loop, Ranks, iterations, target};
use crate::analysis::users::Users;
use crate::ir::{Function, IrOp, Op, Seam, Segment, UnrollHint};

/// Maximum number of iterations of an unrolled loop, including the last, incomplete one (Mesa 25.0 takes 32).
const MAX_ITERATIONS: usize = 33;

/// Maximum number of instructions of an unrolled loop.
const MAX_INSTRUCTIONS: usize = 320;

/// Maximum number of blocks of an unrolled loop, before its constants are folded.
const MAX_BLOCKS: usize = 384;

/// Number of instructions of the unrolled loops of a function beyond which no further loop is unrolled.
const MAX_TOTAL: usize = 1536;

/// Factor by which an unrolled loop may exceed the budget before its constants are folded.
const MAX_GROWTH: usize = 24;

/// Factor by which a loop that runs once may exceed the budget: it does not grow.
const MAX_SINGLE: usize = 4;

/// Factor by which a loop that the input wants to be unrolled may exceed the limits of others.
const MAX_WANTED: usize = 4;

/// Ratio of an iteration to what remains of it from which the loop may grow to the whole budget.
const MIN_FOLDED: usize = 2;

/// Unrolls loops.
pub fn opt_unroll(f: &mut Function<'_>) {
    let starts = loops(f);
    if !starts.is_empty() {
        f.with_scratch(|f, scratch| unroll(f, starts, scratch));
    }
}

/// Segments after which loops begin.
fn loops(f: &Function<'_>) -> Vec<usize> {
    (0..f.layout.len()).filter(|index| f.layout[*index].seam == Seam::Loop).collect()
}

/// Unrolls the loops that begin after the segments `starts` where possible.
fn unroll(f: &mut Function<'_>, starts: Vec<usize>, scratch: &Bump) {
    let ranks = Ranks::new_in(scratch, f);
    let mut unroller = Unroller { ranks, users: None, f, scratch };
    let mut total = 0;
    // Inner loops begin after the loops around them.
    for start in starts.into_iter().rev() {
        if total < MAX_TOTAL {
            total += unroller.consider(start).unwrap_or(0);
        }
    }
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
    /// The limits of a loop with a hint.
    fn new(hint: Option<UnrollHint>) -> Limits {
        let factor = if hint == Some(UnrollHint::Unroll) { MAX_WANTED } else { 1 };
        Limits {
            instructions: MAX_INSTRUCTIONS * factor,
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
    /// Which instructions the current loop contains.
    ranks: Ranks<'f>,
    /// The users of each value, computed when first needed.
    users: Option<Users<'f>>,
    /// For tables.
    scratch: &'f Bump,
}

impl Unroller<'_, '_> {
    /// Unrolls the loop that begins after segment `start` if that pays. Returns the size of the copies.
    fn consider(&mut self, start: usize) -> Option<usize> {
        self.f.watch.visit(16);
        let around = self.ranks.enter(self.f, start)?;
        let segments = &self.f.layout[around.start + 1..=around.end];
        let size = self.size(segments).max(1);
        let limits = Limits::new(self.f.declared.unroll_hints[around.header]);
        let most = limits.iterations(size, segments.len());
        let is_small = size <= MAX_INSTRUCTIONS * MAX_SINGLE && segments.len() <= MAX_BLOCKS;
        if most < 2 && !is_small || !self.repeats(&around) || !around.other_targets(self.f).is_empty() {
            return None;
        }
        let iterations = iterations(self.f, &self.ranks, &around, most.max(2) as u32)? as usize;
        let size = match iterations <= 2 && is_small {
            true => size * iterations,
            false => self.unrolled_size(&around, &limits, size, iterations)?,
        };
        copy::unroll(self, &around, iterations);
        Some(size)
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

    /// Whether there is a back edge to the header.
    fn repeats(&self, around: &Loop) -> bool {
        let segments = &self.f.layout[around.start + 1..=around.end];
        let falls = self.f.terminator(self.f.layout[around.end].block).is_none();
        falls || segments.iter().any(|segment| target(self.f, segment.block) == Some(around.header))
    }
}

/// Whether an operation becomes a hardware instruction.
fn does_something(op: Op) -> bool {
    !matches!(op, Op::Ir(IrOp::Phi | IrOp::Mov | IrOp::Collect | IrOp::Split | IrOp::Jump))
}
