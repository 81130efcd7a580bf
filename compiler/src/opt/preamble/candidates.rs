//! The values worth moving: those that the remaining code reads.

use agx_isa::desc::Unit;
use agx_isa::table::Opcode;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::uniform::Uniform;
use crate::ir::{Function, Inst, InstData, IrOp, Op, ScratchSide, Seam, Src, Value};

/// Weights of the operations that the preamble saves, as in Mesa 25.0: a memory load, an operation of the
/// integer/complex pipe (or one that is lowered to several), any other.
const LOAD_WEIGHT: u32 = 10;
const COMPLEX_WEIGHT: u32 = 4;
const SIMPLE_WEIGHT: u32 = 1;

/// The uniform scalars that remaining instructions read, with their weights. Uniform instructions whose results are read and
/// cannot be in the uniform file also remain, and their marks are removed.
pub(super) fn candidates<'s>(
    f: &Function<'_>,
    uniform: &mut Uniform<'_>,
    scratch: &'s Bump,
) -> ArenaVec<'s, (Value, u32)> {
    let wanted = ScratchSide::new_in(scratch, f.values.len());
    let mut search = Search { f, wanted, found: ArenaVec::new_in(scratch) };
    search.want_carried(uniform);
    // Users come before definitions in this walk, but for what loops carry.
    for inst in f.blocks_in_order().rev().flat_map(|block| f.block(block).insts.iter().rev()) {
        let data = &f.insts[*inst];
        if search.remains(uniform, *inst, data) {
            search.want(data);
        }
    }
    search.found.reverse();
    search.found
}

struct Search<'f, 's, 'a> {
    f: &'f Function<'a>,
    /// Values that remaining instructions read.
    wanted: ScratchSide<'s, Value, bool>,
    found: ArenaVec<'s, (Value, u32)>,
}

impl Search<'_, '_, '_> {
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
        for value in data.values() {
            self.wanted[value] = true;
        }
    }

    /// Whether an instruction remains; the results of another one that are read are candidates.
    fn remains(&mut self, uniform: &mut Uniform<'_>, inst: Inst, data: &InstData<'_>) -> bool {
        if !uniform.insts[inst] {
            return true;
        }
        // Most are operands of others.
        if !data.dsts.iter().any(|dst| self.wanted[*dst]) {
            return false;
        }
        let weight = weight(self.f, data);
        let can_move = |value: &Value| {
            let ty = self.f.ty(*value);
            !self.wanted[*value] || (weight > 0 && ty.comps == 1 && matches!(ty.bits, 1 | 16 | 32 | 64))
        };
        if data.dsts.iter().all(can_move) {
            // The whole list is reversed at the end.
            let moved = data.dsts.iter().rev().filter(|dst| self.wanted[**dst]);
            self.found.extend(moved.map(|dst| (*dst, weight)));
            return false;
        }
        uniform.insts[inst] = false;
        true
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
