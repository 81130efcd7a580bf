//! Liveness of values at the boundaries of blocks.
//!
//! Liveness follows the logical control-flow graph of one lane. That is sufficient for registers although
//! both arms of an `if` execute one after the other: every lane has its own registers, and writes of inactive
//! lanes are masked.
//!
//! Only values that cross a block boundary have a column in the bit sets; most values live within one block.
//! A phi's sources are live at the end of the predecessors they come from and not at the head of the phi's
//! block. The phi itself is not live-in there either: it is defined in the block.
//!
//! One backward pass over the layout computes everything except what back edges contribute; it suffices for
//! functions without loops. Each further pass propagates the live-in values of loop headers through one more
//! level of nesting, so the number of passes is the loop depth plus two.

use bumpalo::Bump;

use crate::ir::entity::{Block, Entity, Value};
use crate::ir::function::{Function, Seam};
use crate::ir::op::{IrOp, Op};
use crate::ir::table::{ScratchSide, Side};

use super::bitset::BitMatrix;

/// Added to the columns of values that cross a block boundary. Rows of other values are less.
const CROSSING: u32 = 1 << 31;

/// Live values at the boundaries of each block.
#[derive(Clone, Debug)]
pub struct Liveness {
    /// Column of each value that crosses a block boundary, plus [`CROSSING`].
    column: Side<Value, u32>,
    values: Vec<Value>,
    live_in: BitMatrix,
    live_out: BitMatrix,
}

impl Liveness {
    /// Values live at the head of `block`, in order of id, without the block's phis.
    pub fn live_in(&self, block: Block) -> impl Iterator<Item = Value> + '_ {
        self.live_in.columns(block.index()).map(|column| self.values[column])
    }

    /// Values live at the end of `block`, in order of id, including the sources of its successors' phis.
    pub fn live_out(&self, block: Block) -> impl Iterator<Item = Value> + '_ {
        self.live_out.columns(block.index()).map(|column| self.values[column])
    }

    /// Values live at the end of `pred` and not at the head of `block`, in order of id.
    pub fn ended_between(&self, pred: Block, block: Block) -> impl Iterator<Item = Value> + '_ {
        let columns = self.live_out.columns_without(pred.index(), Some((&self.live_in, block.index())));
        columns.map(|column| self.values[column])
    }

    /// Whether `value` is live at the head of `block`.
    pub fn is_live_in(&self, block: Block, value: Value) -> bool {
        self.column_of(value).is_some_and(|column| self.live_in.contains(block.index(), column))
    }

    /// Whether `value` is live at the end of `block`.
    pub fn is_live_out(&self, block: Block, value: Value) -> bool {
        self.column_of(value).is_some_and(|column| self.live_out.contains(block.index(), column))
    }

    /// Half registers of the values live at the end of each block, by block id. Visits only the differences
    /// between consecutive blocks, because most long-lived values do not change.
    pub fn halves_out(&self, f: &Function<'_>) -> Vec<u32> {
        let rows = &self.live_out;
        let halves = |column: usize| u32::from(f.ty(self.values[column]).halves());
        let mut result = vec![0; f.blocks.len()];
        let mut before: Option<usize> = None;
        for row in f.blocks_in_order().map(Block::index) {
            f.watch.visit(1);
            let mut sum = 0;
            match before {
                None => sum = rows.columns(row).map(halves).sum(),
                Some(before) => {
                    sum += result[before];
                    rows.each_difference(row, before, |column, is_live| {
                        if is_live {
                            sum += halves(column);
                        } else {
                            sum -= halves(column);
                        }
                    });
                }
            }
            result[row] = sum;
            before = Some(row);
        }
        result
    }

    /// Columns of the values live at the head of `block`, ascending.
    pub fn live_in_columns(&self, block: Block) -> impl Iterator<Item = usize> + '_ {
        self.live_in.columns(block.index())
    }

    /// Number of values that cross a block boundary.
    pub fn crossing(&self) -> usize {
        self.values.len()
    }

    /// The values that cross a block boundary, in order of id.
    pub fn values(&self) -> impl Iterator<Item = Value> + '_ {
        self.values.iter().copied()
    }

    /// Number of pairs of a block and a value live at its head.
    pub fn pairs(&self) -> usize {
        self.live_in.count()
    }

    /// Rank of `value` among the values that cross a block boundary; `None` for others.
    pub fn column_of(&self, value: Value) -> Option<usize> {
        self.column[value].checked_sub(CROSSING).map(|column| column as usize)
    }
}

/// Last uses within a block; blocks are entered one after another.
///
/// Positions count instructions through all blocks entered so far: entries of earlier blocks are then never
/// mistaken for those of the current one, and nothing needs clearing.
pub struct LastUses<'s> {
    position: ScratchSide<'s, Value, u32>,
    block: Block,
    start: u32,
    end: u32,
}

impl<'s> LastUses<'s> {
    /// No block is entered yet; allocates for the values of `f` in `scratch`.
    pub fn new_in(scratch: &'s Bump, f: &Function<'_>) -> Self {
        LastUses {
            position: ScratchSide::new_in(scratch, f.values.len()),
            block: f.entry(),
            start: 1,
            end: 1,
        }
    }

    /// Makes `block` the current one and returns the position of its first instruction. Sources of phis are not uses.
    pub fn enter(&mut self, f: &Function<'_>, block: Block) -> u32 {
        self.block = block;
        self.start = self.end;
        f.watch.visit(1 + f.block(block).insts.len() / 4);
        for inst in &f.block(block).insts {
            let data = &f.insts[*inst];
            if data.op != Op::Ir(IrOp::Phi) {
                for value in data.srcs.iter().filter_map(|src| src.as_value()) {
                    self.position[value] = self.end;
                }
            }
            self.end += 1;
        }
        self.start
    }

    /// Whether the instruction at `position` of the current block, which reads `value`, is its last use.
    pub fn ends_at(&self, live: &Liveness, value: Value, position: u32) -> bool {
        self.position[value] == position && !live.is_live_out(self.block, value)
    }

    /// Whether `value` is live at the end of the current block.
    pub fn is_live_out(&self, live: &Liveness, value: Value) -> bool {
        live.is_live_out(self.block, value)
    }

    /// Whether `value`, defined in the current block, is never read.
    pub fn is_dead(&self, live: &Liveness, value: Value) -> bool {
        self.position[value] < self.start && !live.is_live_out(self.block, value)
    }
}

/// Computes liveness. Requires current edges ([`Function::compute_cfg`]).
pub fn liveness(f: &Function<'_>) -> Liveness {
    if f.layout.len() == 1 {
        // No value crosses a boundary.
        let none = || BitMatrix::new(f.blocks.len(), 0);
        return Liveness { column: Side::default(), values: Vec::new(), live_in: none(), live_out: none() };
    }
    let Crossing { values, mut column, at_head, at_end } = Crossing::of(f);
    let columns = values.len();
    let new_matrix = || BitMatrix::new(f.blocks.len(), columns);
    let (mut live_in, mut live_out, mut defined) = (new_matrix(), new_matrix(), new_matrix());
    for (index, value) in values.iter().enumerate() {
        let row = &mut column[*value];
        if let Some(home) = (*row - CROSSING).checked_sub(1) {
            defined.insert(home as usize, index);
        }
        *row = CROSSING + index as u32;
    }
    let place = |value: Value| (column[value] - CROSSING) as usize;
    at_head.iter().for_each(|(block, value)| _ = live_in.insert(block.index(), place(*value)));
    at_end.iter().for_each(|(block, value)| _ = live_out.insert(block.index(), place(*value)));
    let mut result = Liveness { column, values, live_in, live_out };
    let has_loops = f.layout.iter().any(|segment| segment.seam == Seam::Loop);
    let mut changed = true;
    while changed {
        changed = false;
        for block in f.blocks_in_order().rev() {
            let row = block.index();
            for successor in &f.block(block).succs {
                f.watch.visit(1 + columns / 512);
                changed |= result.live_out.union_row(row, &result.live_in, successor.index());
            }
            changed |= result.live_in.union_row_without(row, &result.live_out, &defined, row);
        }
        changed &= has_loops;
    }
    result
}

/// The values used in a block other than the one that defines them, or by a phi.
struct Crossing {
    /// In order of id.
    values: Vec<Value>,
    /// For each value, the block that defines it, counted from 1, plus [`CROSSING`] if it is one of them.
    column: Side<Value, u32>,
    /// Uses before a definition in the block, with repetitions.
    at_head: Vec<(Block, Value)>,
    /// Uses by phis, at the ends of predecessors.
    at_end: Vec<(Block, Value)>,
}

impl Crossing {
    fn of(f: &Function<'_>) -> Crossing {
        let mut result = Crossing {
            values: Vec::new(),
            column: Side::new(f.values.len()),
            at_head: Vec::new(),
            at_end: Vec::new(),
        };
        for block in f.blocks_in_order() {
            f.watch.visit(1 + f.block(block).insts.len() / 4);
            let here = block.0 + 1;
            for inst in &f.block(block).insts {
                let data = &f.insts[*inst];
                if data.op == Op::Ir(IrOp::Phi) {
                    for (pred, src) in data.phi_inputs() {
                        if let Some(value) = src.as_value() {
                            result.add(value);
                            result.at_end.push((pred, value));
                        }
                    }
                } else {
                    for value in data.srcs.iter().filter_map(|src| src.as_value()) {
                        // Only a phi can use a value before its definition, around a loop.
                        if result.column[value] & !CROSSING != here {
                            result.add(value);
                            result.at_head.push((block, value));
                        }
                    }
                }
                for dst in data.dsts {
                    let row = &mut result.column[*dst];
                    *row = *row & CROSSING | here;
                }
            }
        }
        result.values.sort_unstable();
        result
    }

    /// Adds a value, unless it is known already.
    fn add(&mut self, value: Value) {
        let row = &mut self.column[value];
        if *row < CROSSING {
            *row |= CROSSING;
            self.values.push(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Build;
    use crate::ir::builder::Builder;
    use crate::ir::src::Src;
    use crate::ir::types::Type;
    use bumpalo::Bump;

    #[test]
    fn loop_keeps_outer_values_alive_and_phis_are_not_live_in() {
        let bump = Bump::new();
        let mut f = Function::new(&bump, "test");
        let mut b = Builder::start(&mut f);
        let entry = b.block();
        let outer = b.value(IrOp::Mov, Type::B32, &[Src::imm32(1)], &[]);
        let blocks = b.begin_loop();
        let (phi, next) = (b.f.add_value(Type::B32), b.f.add_value(Type::B32));
        b.push(IrOp::Phi, &[phi], &[Src::imm32(0), next.into()], &[entry.0, blocks.header.0]);
        let after_if = b.begin_if(Src::bool(true));
        let then = b.block();
        b.jump(blocks.after);
        b.begin_else();
        let otherwise = b.block();
        b.end_if();
        b.push(IrOp::Imul, &[next], &[phi.into(), outer.into()], &[]);
        b.end_loop();
        b.effect(IrOp::Keep, &[phi.into()], &[]);
        b.finish();
        let phi_inst = f.block(blocks.header).insts[0];
        f.insts[phi_inst].mods = f.alloc(&[entry.0, after_if.0]);

        let live = liveness(&f);
        let out = |block: Block| live.live_out(block).collect::<Vec<_>>();
        assert_eq!(out(entry), [outer]);
        assert_eq!(live.live_in(blocks.header).collect::<Vec<_>>(), [outer]);
        assert_eq!(out(blocks.header), [outer, phi]);
        assert_eq!(out(then), [phi], "the break does not need what only further rounds need");
        assert_eq!(out(otherwise), [outer, phi]);
        assert_eq!(out(after_if), [outer, next]);
        assert_eq!(live.live_in(blocks.after).collect::<Vec<_>>(), [phi]);
        assert!(live.is_live_out(entry, outer) && !live.is_live_in(blocks.header, phi));
    }

    #[test]
    fn values_of_one_block_are_not_tracked() {
        let bump = Bump::new();
        let mut f = Function::new(&bump, "test");
        let mut b = Builder::start(&mut f);
        let local = b.value(IrOp::Mov, Type::B32, &[Src::imm32(1)], &[]);
        b.effect(IrOp::Keep, &[local.into()], &[]);
        b.finish();
        let live = liveness(&f);
        assert!(live.values.is_empty() && !live.is_live_out(f.entry(), local));
    }
}
