//! Estimates what executing code without active lanes costs, and decides which arms of ifs are jumped over.

use agx_isa::half_set::HalfSet;
use agx_isa::timing::{JUMP_CYCLES, result_cycles};
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::ir::{Block, Function, InstData, Op, Seam, Src};
use crate::regalloc::{Allocation, finishes_later};

use super::Plan;

/// Cost of an arm, in estimated cycles, from which a jump over it pays off: half the time no lane is active.
pub(super) const SKIP_COST: u32 = 2 * JUMP_CYCLES;

/// Estimated cycles of a loop without an active lane in addition to its instructions: it pays to jump over one with a small
/// body too.
const LOOP_CYCLES: u32 = 4 * JUMP_CYCLES;

/// The same for the rest of a loop's body after the last lane has left, which happens once in many iterations
/// (Mesa 25.0).
pub(super) const SKIP_COST_LEFT: u32 = 10 * JUMP_CYCLES;

/// Estimated cycles of the segments of a function when no lane is active, and the arms that are jumped over.
pub(super) struct Costs<'s> {
    /// Cycles up to the start and to the end of each segment. An arm that is jumped over counts as a jump for the
    /// segments after it.
    spans: ArenaVec<'s, (u32, u32)>,
    /// Whether the arm that begins after each segment is jumped over.
    skipped: &'s mut [bool],
}

impl<'s> Costs<'s> {
    /// Walks over the segments. A loop counts as expensive regardless of its body: it would execute one iteration with an
    /// empty mask. An arm is cheap if most of it is jumped over inside.
    pub(super) fn of(f: &Function<'_>, allocation: &Allocation, plans: &[Plan], scratch: &'s Bump) -> Self {
        let segments = f.layout.len();
        let skipped = scratch.alloc_slice_fill_copy(segments, false);
        let mut costs = Costs { spans: ArenaVec::with_capacity_in(segments, scratch), skipped };
        // Of each open if: where the current arm begins, the cycles up to there, and whether it is nested.
        let mut open: ArenaVec<'_, (usize, u32, bool)> = ArenaVec::new_in(scratch);
        let mut sum = 0u32;
        for (index, segment) in f.layout.iter().enumerate() {
            let start = sum;
            sum = sum.saturating_add(block_cycles(f, allocation, segment.block));
            costs.spans.push((start, sum));
            match (segment.seam, open.last_mut()) {
                (Seam::If, _) => {
                    let is_nested = matches!(plans[index], Plan::Arms | Plan::ElseOnly);
                    open.push((index, sum, is_nested));
                }
                (Seam::Else | Seam::EndIf, Some((arm, before, is_nested))) => {
                    if *is_nested && sum - *before >= SKIP_COST {
                        costs.skipped[*arm] = true;
                        sum = before.saturating_add(JUMP_CYCLES);
                    }
                    (*arm, *before) = (index, sum);
                    if segment.seam == Seam::EndIf {
                        open.pop();
                    }
                }
                (Seam::Loop, _) => sum = sum.saturating_add(LOOP_CYCLES),
                _ => {}
            }
        }
        costs
    }

    /// Whether the arm that begins after segment `index` is jumped over.
    pub(super) fn skips(&self, index: usize) -> bool {
        self.skipped[index]
    }

    /// Cycles from the end of segment `from` to the end of segment `to` of the same arm.
    pub(super) fn between(&self, from: usize, to: usize) -> u32 {
        self.spans[to].1.saturating_sub(self.spans[from].1)
    }
}

/// Estimated cycles of a block. Loads that are started together are waited for once, at the first read of one of their
/// results.
fn block_cycles(f: &Function<'_>, allocation: &Allocation, block: Block) -> u32 {
    let mut loads = Loads { halves: HalfSet::EMPTY, cycles: 0 };
    let mut sum = 0u32;
    for inst in &f.block(block).insts {
        let data = &f.insts[*inst];
        let wait = loads.wait_for(f, allocation, data);
        loads.start(f, allocation, data);
        sum = sum.saturating_add(wait + issue_cycles(data));
    }
    sum
}

/// The loads that were started and not waited for.
struct Loads {
    /// The half registers that they write.
    halves: HalfSet,
    /// The cycles of the slowest one.
    cycles: u32,
}

impl Loads {
    /// The cycles that an instruction waits for its operands.
    fn wait_for(&mut self, f: &Function<'_>, allocation: &Allocation, data: &InstData<'_>) -> u32 {
        let is_outstanding = |src: &Src| {
            let halves = f.src_ty(*src).halves();
            let half = src.as_value().and_then(|value| allocation.half(value));
            half.is_some_and(|half| self.halves.has_any(&(half..half + halves)))
        };
        if self.cycles == 0 || !data.srcs.iter().any(is_outstanding) {
            return 0;
        }
        self.halves = HalfSet::EMPTY;
        std::mem::take(&mut self.cycles)
    }

    /// Adds an instruction, if it is asynchronous: then its latency does not depend on modifiers.
    fn start(&mut self, f: &Function<'_>, allocation: &Allocation, data: &InstData<'_>) {
        let Op::Hw(op) = data.op else { return };
        if !finishes_later(data) {
            return;
        }
        for dst in data.dsts {
            if let Some(half) = allocation.half(*dst) {
                self.halves.insert_all(half..half + f.ty(*dst).halves());
            }
        }
        self.cycles = self.cycles.max(result_cycles(op.desc(), |_| 0));
    }
}

/// Estimated cycles of issuing an instruction; instructions outside the cycle model count one.
fn issue_cycles(data: &InstData<'_>) -> u32 {
    match data.op {
        Op::Hw(op) => u32::from(op.desc().throughput.max(1)),
        Op::Ir(_) => 0,
    }
}
