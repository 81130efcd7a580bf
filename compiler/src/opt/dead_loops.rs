//! Loops that compute nothing that is read later, and have no effect, are left at once.
//!
//! Shaders have such loops once what they computed is not needed, and programs that count only. Each ends, as the languages
//! require of loops, so that it may as well not begin: its first block jumps to what follows, and `opt_simplify_control`
//! removes the construct.

use crate::ir::{Block, Function, InstData, IrOp, Op, Seam, Segment, Side, Value};

use super::is_removable_load;

/// Number of instructions after a loop that are looked at before the uses of all values are found.
const NEARBY: usize = 32;

/// Makes loops without effect jump past themselves.
pub(super) fn leave_dead_loops(f: &mut Function<'_>) {
    if !f.layout.iter().any(|segment| segment.seam == Seam::Loop) {
        return;
    }
    // Where values are read is needed for few loops.
    let mut places = None;
    let (mut open, mut dead) = (Vec::new(), Vec::new());
    for index in 0..f.layout.len() {
        match f.layout[index].seam {
            Seam::Loop => open.push(index + 1),
            Seam::EndLoop => {
                if let Some(first) = open.pop().filter(|first| may_be_dead(f, *first, index))
                    && places.get_or_insert_with(|| Places::of(f)).is_dead(f, first, index)
                {
                    dead.push((first, index));
                }
            }
            _ => {}
        }
    }
    leave(f, &dead);
}

/// Whether the blocks from `first` to `last` of the layout, a loop, have no effect, and neither phis behind them nor a reader
/// nearby.
fn may_be_dead(f: &Function<'_>, first: usize, last: usize) -> bool {
    let insts = f.layout[first..=last].iter().flat_map(|segment| &f.block(segment.block).insts);
    let has_phis = |after: &Segment| f.phi_count(after.block) > 0;
    f.layout.get(last + 1).is_some_and(|after| !has_phis(after))
        && !is_read_soon(f, first, last)
        && insts.map(|inst| &f.insts[*inst]).all(|data| data.target().is_some() || has_no_effect(data))
}

/// Whether one of the first instructions after a loop reads what a phi of its first block accumulates: most loops compute
/// something for what follows.
fn is_read_soon(f: &Function<'_>, first: usize, last: usize) -> bool {
    let header = f.layout[first].block;
    let phis = &f.block(header).insts[..f.phi_count(header)];
    let is_phi = |value: Value| phis.iter().any(|phi| f.insts[*phi].dst() == Some(value));
    let mut next = f.layout[last + 1..].iter().flat_map(|segment| &f.block(segment.block).insts).take(NEARBY);
    next.any(|inst| f.insts[*inst].srcs.iter().any(|src| src.as_value().is_some_and(is_phi)))
}

/// Leaves loops and scopes at once. Each is given by its first and last segment. Of its blocks the first one remains, which
/// jumps to the block after it.
pub(super) fn leave(f: &mut Function<'_>, extents: &[(usize, usize)]) {
    if extents.is_empty() {
        return;
    }
    let mut lasts: Vec<Option<usize>> = vec![None; f.layout.len()];
    for (first, last) in extents {
        lasts[*first] = lasts[*first].max(Some(*last));
    }
    let (layout, mut out, mut index) = (f.layout, Vec::with_capacity(f.layout.len()), 0);
    while let Some(segment) = layout.get(index) {
        let last = lasts[index];
        if let Some(last) = last {
            let after = f.alloc(&[layout[last + 1].block.0]);
            let jump = InstData { op: IrOp::Jump.into(), dsts: &[], srcs: &[], mods: after, line: 0 };
            let jump = f.add_inst(jump);
            let insts = &mut f.block_mut(segment.block).insts;
            insts.clear();
            insts.push(jump);
        }
        index = last.unwrap_or(index);
        out.push(Segment { block: segment.block, seam: layout[index].seam });
        index += 1;
    }
    f.set_layout(&out);
}

/// Positions in the layout.
struct Places {
    /// Of each block.
    blocks: Side<Block, usize>,
    /// Where each value is read.
    reads: Side<Value, Reads>,
}

/// The first and the last position that read a value, counted from 1; 0 for none. Phis of loops around read what comes
/// after them.
#[derive(Clone, Copy, Default)]
struct Reads {
    first: u32,
    last: u32,
}

impl Places {
    fn of(f: &Function<'_>) -> Places {
        let mut places = Places { blocks: Side::new(f.blocks.len()), reads: Side::new(f.values.len()) };
        for (index, segment) in f.layout.iter().enumerate() {
            places.blocks[segment.block] = index;
            for inst in &f.block(segment.block).insts {
                for value in f.insts[*inst].srcs.iter().filter_map(|src| src.as_value()) {
                    let reads = &mut places.reads[value];
                    reads.last = index as u32 + 1;
                    reads.first = if reads.first == 0 { reads.last } else { reads.first };
                }
            }
        }
        places
    }

    /// Whether the blocks from `first` to `last` of the layout, a loop that [`may_be_dead`], are left somewhere and compute
    /// nothing for the others.
    fn is_dead(&self, f: &Function<'_>, first: usize, last: usize) -> bool {
        let after = f.layout[last + 1].block;
        let is_read_outside = |value: &Value| {
            let reads = self.reads[*value];
            reads.last != 0 && (reads.first <= first as u32 || reads.last > last as u32 + 1)
        };
        let mut is_left = false;
        for segment in &f.layout[first..=last] {
            for inst in &f.block(segment.block).insts {
                let data = &f.insts[*inst];
                if let Some(target) = data.target() {
                    let is_inside = (first..=last).contains(&self.blocks[target]);
                    is_left |= target == after;
                    if !is_inside && target != after {
                        return false;
                    }
                } else if data.dsts.iter().any(is_read_outside) {
                    return false;
                }
            }
        }
        is_left
    }
}

fn has_no_effect(data: &InstData<'_>) -> bool {
    data.is_pure() || matches!(data.op, Op::Ir(IrOp::Phi | IrOp::If)) || is_removable_load(data)
}
