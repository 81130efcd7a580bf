//! The values worth moving: those that the remaining code reads.

use agx_isa::desc::Unit;
use agx_isa::table::Opcode;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::uniform::{Uniform, Whole};
use crate::ir::{Block, Function, Inst, InstData, IrOp, Op, ScratchSide, Seam, Src, Value};

/// Weights of the operations that the preamble saves, as in Mesa 25.0: a memory load, an operation of the
/// integer/complex pipe (or one that is lowered to several), any other.
const LOAD_WEIGHT: u32 = 10;
const COMPLEX_WEIGHT: u32 = 4;
const SIMPLE_WEIGHT: u32 = 1;

/// Weight of a result of a loop.
const WHOLE_WEIGHT: u32 = 100;

/// What the search found.
pub(super) struct Candidates<'s> {
    /// Uniform scalars that remaining instructions read, with their weights.
    pub(super) values: ArenaVec<'s, (Value, u32)>,
    /// Instructions that begin an if of which nothing remains, outside the constructs that could move as a whole.
    pub(super) empty_ifs: ArenaVec<'s, Inst>,
    /// By construct that could move as a whole: it remains.
    pub(super) remaining: ArenaVec<'s, bool>,
}

impl<'s> Candidates<'s> {
    /// Uniform instructions whose results are read and cannot be in the uniform file also remain, and their marks are removed.
    pub(super) fn of(f: &Function<'_>, uniform: &mut Uniform<'_>, scratch: &'s Bump) -> Candidates<'s> {
        let mut search = Search {
            f,
            wanted: ScratchSide::new_in(scratch, f.values.len()),
            open: ArenaVec::new_in(scratch),
            found: Candidates {
                values: ArenaVec::new_in(scratch),
                empty_ifs: ArenaVec::new_in(scratch),
                remaining: ArenaVec::from_iter_in(uniform.extents.iter().map(|_| false), scratch),
            },
        };
        search.want_carried(uniform);
        let mut joins_remain = false;
        for segment in f.layout.iter().rev() {
            let begins_empty_if = search.cross(segment.seam, joins_remain);
            joins_remain = search.visit_block(uniform, segment.block, begins_empty_if);
        }
        // Users come before definitions in this walk, but for what loops carry.
        search.found.values.reverse();
        search.found
    }
}

struct Search<'f, 's, 'a> {
    f: &'f Function<'a>,
    /// Values that remaining instructions read.
    wanted: ScratchSide<'s, Value, bool>,
    /// For each open construct: something in it remains.
    open: ArenaVec<'s, bool>,
    found: Candidates<'s>,
}

impl Search<'_, '_, '_> {
    /// Crosses a seam backwards; `joins_remain` means that phis of the block after it remain. Returns whether an if begins of
    /// which nothing remains.
    fn cross(&mut self, seam: Seam, joins_remain: bool) -> bool {
        match seam {
            Seam::EndIf | Seam::EndLoop | Seam::EndScope => self.open.push(joins_remain),
            Seam::If | Seam::Loop | Seam::Scope => {
                let remains = self.open.pop() != Some(false);
                self.open.last_mut().into_iter().for_each(|around| *around |= remains);
                return seam == Seam::If && !remains;
            }
            Seam::Else | Seam::End => {}
        }
        false
    }

    /// Visits a block from its end; returns whether phis of it remain.
    fn visit_block(&mut self, uniform: &mut Uniform<'_>, block: Block, begins_empty_if: bool) -> bool {
        let mut phis_remain = false;
        for inst in self.f.block(block).insts.iter().rev() {
            let data = &self.f.insts[*inst];
            if begins_empty_if && data.op == Op::Ir(IrOp::If) && uniform.whole(*inst).is_none() {
                self.found.empty_ifs.push(*inst);
            } else if self.remains(uniform, *inst, data) {
                phis_remain |= data.op == Op::Ir(IrOp::Phi);
                self.open.last_mut().into_iter().for_each(|around| *around = true);
                self.want(data);
            }
        }
        phis_remain
    }

    /// Notes what remaining phis read of the iteration before.
    fn want_carried(&mut self, uniform: &Uniform<'_>) {
        for pair in self.f.layout.windows(2).filter(|pair| pair[0].seam == Seam::Loop) {
            let header = pair[1].block;
            for phi in &self.f.block(header).insts[..self.f.phi_count(header)] {
                if !uniform.insts[*phi] {
                    self.want(&self.f.insts[*phi]);
                }
            }
        }
    }

    fn want(&mut self, data: &InstData<'_>) {
        for value in data.srcs.iter().filter_map(|src| src.as_value()) {
            self.wanted[value] = true;
        }
    }

    /// Whether an instruction remains; the results of another one that are read are candidates.
    fn remains(&mut self, uniform: &mut Uniform<'_>, inst: Inst, data: &InstData<'_>) -> bool {
        let whole = uniform.whole(inst);
        if !uniform.insts[inst] {
            return whole.is_none_or(|Whole(row)| self.found.remaining[row]);
        }
        // Most are operands of others.
        if !data.dsts.iter().any(|dst| self.wanted[*dst]) {
            return false;
        }
        let weight = if whole.is_some() { WHOLE_WEIGHT } else { weight(self.f, data) };
        let can_move = |value: &Value| {
            let ty = self.f.ty(*value);
            !self.wanted[*value] || (weight > 0 && ty.comps == 1 && matches!(ty.bits, 1 | 16 | 32 | 64))
        };
        if data.dsts.iter().all(can_move) {
            // The whole list is reversed at the end.
            let moved = data.dsts.iter().rev().filter(|dst| self.wanted[**dst]);
            self.found.values.extend(moved.map(|dst| (*dst, weight)));
            return false;
        }
        uniform.insts[inst] = false;
        if let Some(Whole(row)) = whole
            && !std::mem::replace(&mut self.found.remaining[row], true)
        {
            self.leave(uniform, row);
        }
        true
    }

    /// Leaves a construct that could move as a whole where it is.
    fn leave(&mut self, uniform: &mut Uniform<'_>, row: usize) {
        let (first, last) = uniform.extents[row];
        for segment in &self.f.layout[first..=last] {
            for inst in &self.f.block(segment.block).insts {
                uniform.insts[*inst] = false;
                self.want(&self.f.insts[*inst]);
            }
        }
    }
}

/// Whether an operation has the cost of a load.
pub(super) fn is_load(op: Op) -> bool {
    matches!(op, Op::Ir(IrOp::LoadGlobal) | Op::Hw(Opcode::Smpf | Opcode::Smpi))
}

/// The cost of an operation to the shader. Splitting a vector has the cost of computing it.
fn weight(f: &Function<'_>, data: &InstData<'_>) -> u32 {
    match data.op {
        op if is_load(op) => LOAD_WEIGHT,
        Op::Ir(IrOp::Split | IrOp::Collect) => {
            let loaded = |src: &Src| f.def(*src).is_some_and(|def| is_load(def.op));
            if data.srcs.iter().any(loaded) { LOAD_WEIGHT } else { 0 }
        }
        // The user of a comparison performs it.
        Op::Ir(IrOp::Mov | IrOp::Exact | IrOp::Icmp | IrOp::Fcmp) => 0,
        Op::Ir(IrOp::Imul | IrOp::Shl | IrOp::Ushr | IrOp::Sshr) => COMPLEX_WEIGHT,
        Op::Hw(op) if op.desc().unit == Unit::Ic || op.desc().unit == Unit::None => COMPLEX_WEIGHT,
        _ => SIMPLE_WEIGHT,
    }
}
