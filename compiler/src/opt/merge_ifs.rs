//! Merges consecutive ifs on the same condition.
//!
//! In a fragment shader every effect on memory is inside its own if, which tests whether the lane is live. If
//! two such ifs are consecutive and the instructions between them can move before the first, the second arm
//! is appended to the first. Two conditions are the same if they perform the same computation on the same
//! special registers, with no discard in between.
//!
//! Part of `opt_simplify_control`.

use agx_isa::desc::OrderClass;
use arrayvec::ArrayVec;

use crate::ir::{Block, Function, Inst, InstData, IrOp, Op, Seam, Segment, Src};

/// Maximum number of instructions moved before the first if, because moving extends live ranges.
const MOST_BETWEEN: usize = 32;
/// Maximum number of operations of a condition that are compared.
const MOST_COMPARED: usize = 16;

/// The seams of an if that contains no other constructs.
const SEAMS: [Seam; 3] = [Seam::If, Seam::Else, Seam::EndIf];

/// Merges consecutive ifs on the same condition if both have an empty else-arm.
pub(super) fn merge_ifs(f: &mut Function<'_>) {
    let layout = f.layout;
    let is_pair = |window: &[Segment]| window.iter().map(|segment| segment.seam).eq([SEAMS, SEAMS].concat());
    if !layout.windows(2 * SEAMS.len()).any(is_pair) {
        return;
    }
    let mut out: Vec<Segment> = Vec::with_capacity(layout.len());
    for segment in layout.iter().copied() {
        // The second if of a pair has been closed: this block follows it.
        if let Some(start) = out.len().checked_sub(2 * SEAMS.len())
            && is_pair(&out[start..])
        {
            let blocks: ArrayVec<Block, 6> = out[start..].iter().map(|segment| segment.block).collect();
            if let [head, then, otherwise, between, second, last] = blocks[..] {
                let pair = Pair { head, arms: [then, otherwise], between, merged: [second, last] };
                if pair.can_merge(f) {
                    pair.merge(f, segment.block);
                    out.truncate(start + SEAMS.len());
                }
            }
        }
        out.push(segment);
    }
    if out.len() < layout.len() {
        f.set_layout(&out);
        f.compute_cfg();
    }
}

/// Two consecutive ifs.
struct Pair {
    head: Block,
    arms: [Block; 2],
    /// The block between them, which tests the condition again.
    between: Block,
    /// The arms of the second.
    merged: [Block; 2],
}

impl Pair {
    fn can_merge(&self, f: &Function<'_>) -> bool {
        let insts = |block: Block| &f.block(block).insts;
        let between = insts(self.between);
        insts(self.arms[1]).is_empty()
            && insts(self.merged[1]).is_empty()
            && f.terminator(self.arms[0]).is_none()
            && f.terminator(self.merged[0]).is_none()
            && between.len() <= MOST_BETWEEN
            && between
                .split_last()
                .is_some_and(|(_, before)| before.iter().all(|inst| is_free(&f.insts[*inst])))
            && insts(self.arms[0]).iter().all(|inst| keeps_coverage(&f.insts[*inst]))
            && self.is_one_condition(f)
    }

    /// Whether both ifs have the same condition.
    fn is_one_condition(&self, f: &Function<'_>) -> bool {
        let condition =
            |block: Block| f.terminator(block).and_then(|inst| f.insts[inst].srcs.first().copied());
        let (Some(a), Some(b)) = (condition(self.head), condition(self.between)) else { return false };
        let mut pending: ArrayVec<(Src, Src), MOST_COMPARED> = ArrayVec::new();
        pending.push((a, b));
        let mut left = MOST_COMPARED;
        while let Some((a, b)) = pending.pop() {
            if a == b {
                continue;
            }
            let def = |src: Src| f.values[src.as_value()?].def;
            let (Some(first), Some(second)) = (def(a), def(b)) else { return false };
            let (x, y) = (&f.insts[first], &f.insts[second]);
            left = left.saturating_sub(1);
            let is_same =
                a.flags == b.flags && x.op == y.op && x.mods == y.mods && x.srcs.len() == y.srcs.len();
            let is_stable = x.is_pure() && x.op != Op::Ir(IrOp::Phi)
                || x.reads_only_coverage()
                    && self.is_still_so(f, first)
                    && f.block(self.between).insts.contains(&second);
            if left == 0 || !is_same || !is_stable {
                return false;
            }
            for pair in x.srcs.iter().copied().zip(y.srcs.iter().copied()) {
                if pending.try_push(pair).is_err() {
                    return false;
                }
            }
        }
        true
    }

    /// Whether a register read in the head still has the same value at its end.
    fn is_still_so(&self, f: &Function<'_>, read: Inst) -> bool {
        let insts = &f.block(self.head).insts;
        let mut later = insts.iter().skip_while(|inst| **inst != read).peekable();
        let keeps = |inst: &Inst| keeps_coverage(&f.insts[*inst]) || f.insts[*inst].op.is_terminator();
        later.peek().is_some() && later.all(keeps)
    }

    /// Merges the two ifs; `after` is the block after them.
    fn merge(&self, f: &mut Function<'_>, after: Block) {
        let mut moved = f.take_insts(self.between);
        moved.pop();
        let head = &mut f.block_mut(self.head).insts;
        let terminator = head.pop();
        head.extend(moved);
        head.extend(terminator);
        let arm = f.take_insts(self.merged[0]);
        f.block_mut(self.arms[0]).insts.extend(arm);
        for index in 0..f.phi_count(after) {
            let phi = f.block(after).insts[index];
            let data = f.insts[phi];
            let renamed =
                data.mods.iter().map(|from| match self.merged.iter().position(|block| block.0 == *from) {
                    Some(arm) => self.arms[arm].0,
                    None => *from,
                });
            let mods = f.bump.alloc_slice_fill_iter(renamed);
            f.set_inst(phi, InstData { mods, ..data });
        }
    }
}

/// Whether an instruction may move before the preceding if.
fn is_free(data: &InstData<'_>) -> bool {
    data.is_pure() && data.op != Op::Ir(IrOp::Phi) || data.reads_only_coverage()
}

/// Whether the instruction neither changes coverage nor waits.
fn keeps_coverage(data: &InstData<'_>) -> bool {
    !data.writes_coverage() && !matches!(data.order(), OrderClass::Barrier | OrderClass::Control)
}
