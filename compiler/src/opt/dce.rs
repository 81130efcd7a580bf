//! Dead code elimination.
//!
//! Marks the instructions that effects depend on, from the end of the function backward, and removes all
//! others. Marking instead of counting uses also removes phis of a loop that only feed each other. Runs at
//! any stage before register allocation; a pure instruction with several results stays while one of them is
//! used.
//!
//! Before: stage source to selected. After: the same.

use agx_isa::table::Opcode;

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::ir::key;
use crate::ir::{Entity, Function, Inst, InstData, IrOp, Op, Stage};

/// Removes pure instructions whose results are unused.
pub fn opt_dce(f: &mut Function<'_>) {
    f.with_scratch(|f, scratch| {
        let mut marks = Marks::new_in(scratch, f);
        if marks.find_dead(f, scratch) {
            remove(f, marks.is_dead);
        }
    });
}

/// Whether [`opt_dce`] would remove instructions.
pub(crate) fn has_unused(f: &Function<'_>) -> bool {
    let scratch = Bump::new();
    Marks::new_in(&scratch, f).find_dead(f, &scratch)
}

/// Removes all instructions in `is_dead`.
fn remove(f: &mut Function<'_>, is_dead: &[bool]) {
    for index in 0..f.layout.len() {
        let block = f.layout[index].block;
        // Blocks mostly begin with instructions that stay.
        let first = f.block(block).insts.iter().position(|inst| is_dead[inst.index()]);
        let Some(mut kept) = first else { continue };
        let insts = &mut f.block_mut(block).insts;
        let list = insts.as_mut_slice();
        for at in kept + 1..list.len() {
            let inst = list[at];
            list[kept] = inst;
            kept += usize::from(!is_dead[inst.index()]);
        }
        insts.truncate(kept);
    }
}

/// What effects depend on.
struct Marks<'s> {
    /// By value: an effect depends on it.
    is_live: &'s mut [bool],
    /// By instruction: it has no effect, nor does any depend on it.
    is_dead: &'s mut [bool],
}

impl<'s> Marks<'s> {
    fn new_in(scratch: &'s Bump, f: &Function<'_>) -> Self {
        Marks {
            is_live: scratch.alloc_slice_fill_copy(f.values.len(), false),
            is_dead: scratch.alloc_slice_fill_copy(f.insts.len(), false),
        }
    }

    /// Marks values and instructions; returns whether an instruction is dead.
    fn find_dead(&mut self, f: &Function<'_>, scratch: &Bump) -> bool {
        let mut is_clean = true;
        // Definitions of phi sources may come later in the layout and have been passed already.
        let mut passed = ArenaVec::new_in(scratch);
        for segment in f.layout.iter().rev() {
            for inst in f.block(segment.block).insts.iter().rev() {
                let data = &f.insts[*inst];
                let is_used = match data.dsts {
                    [dst] => self.is_live[dst.index()],
                    dsts => dsts.iter().any(|dst| self.is_live[dst.index()]),
                };
                if !is_used && is_removable(f.stage, data) {
                    self.is_dead[inst.index()] = true;
                    is_clean = false;
                } else if data.op != Op::Ir(IrOp::Phi) {
                    data.values().for_each(|value| self.is_live[value.index()] = true);
                } else {
                    self.mark_sources(f, data, &mut passed);
                }
            }
        }
        while let Some(inst) = passed.pop() {
            if std::mem::take(&mut self.is_dead[inst.index()]) {
                self.mark_sources(f, &f.insts[inst], &mut passed);
            }
        }
        !is_clean && self.is_dead.contains(&true)
    }

    /// Marks the sources of an instruction, and lists the definitions among them that were passed as dead.
    fn mark_sources(&mut self, f: &Function<'_>, data: &InstData<'_>, passed: &mut ArenaVec<'_, Inst>) {
        for value in data.values() {
            self.is_live[value.index()] = true;
            if let Some(def) = f.values[value].def
                && self.is_dead[def.index()]
            {
                passed.push(def);
            }
        }
    }
}

/// Subgroup operations have no effect on other lanes, so they may be removed. This includes derivatives,
/// which are ordered with instructions that terminate lanes as long as they are used. So may reads of coverage, even
/// where they must not be moved. A load without a use may be removed although it reads memory; only volatile ones must
/// stay.
///
/// Once no lowering depends on them, reads of registers set by the program's environment may be removed like
/// others.
fn is_removable(stage: Stage, data: &InstData<'_>) -> bool {
    (stage >= Stage::Selected && data.op == Op::Ir(IrOp::Preload))
        || data.only_observes()
        || data.op == Op::Hw(Opcode::Smpi) && !data.get(key::IMAGE)
        || super::is_removable_load(data)
}
