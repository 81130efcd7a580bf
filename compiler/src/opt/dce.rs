//! Dead code elimination.
//!
//! Marks the instructions that effects depend on, from the end of the function backward, and removes all
//! others. Marking instead of counting uses also removes phis of a loop that only feed each other. Runs at
//! any stage before register allocation; a pure instruction with several results stays while one of them is
//! used.
//!
//! Before: stage source to selected. After: the same.

use agx_isa::desc::Effects;
use agx_isa::table::Opcode;

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::ir::key;
use crate::ir::{Entity, Function, Inst, InstData, IrOp, Op, Stage};

/// A mark for each instruction, by id.
type Live<'s> = &'s mut [bool];

/// Removes pure instructions whose results are unused.
pub fn opt_dce(f: &mut Function<'_>) {
    if f.settled.unused == Some(f.mark()) {
        return;
    }
    f.with_scratch(|f, scratch| {
        let live: Live<'_> = scratch.alloc_slice_fill_copy(f.insts.len(), false);
        if let Some(live) = mark(f, live, scratch) {
            remove(f, live);
        }
    });
    f.settled.unused = Some(f.mark());
}

/// Removes all instructions that are not in `live`.
fn remove(f: &mut Function<'_>, live: &[bool]) {
    for index in 0..f.layout.len() {
        let block = f.layout[index].block;
        let insts = &mut f.block_mut(block).insts;
        let list = insts.as_mut_slice();
        let mut kept = 0;
        for at in 0..list.len() {
            let inst = list[at];
            list[kept] = inst;
            kept += usize::from(live[inst.index()]);
        }
        insts.truncate(kept);
    }
}

/// Marks the instructions that effects depend on in `live`; `None` if all instructions are live.
fn mark<'s>(f: &Function<'_>, live: Live<'s>, scratch: &'s Bump) -> Option<Live<'s>> {
    let mut is_clean = true;
    // Definitions of phi sources may come later in the layout and have been passed already.
    let mut passed = ArenaVec::new_in(scratch);
    for segment in f.layout.iter().rev() {
        for inst in f.block(segment.block).insts.iter().rev() {
            let data = &f.insts[*inst];
            if !live[inst.index()] {
                if is_removable(f.stage, data) {
                    is_clean = false;
                    continue;
                }
                live[inst.index()] = true;
            }
            if data.op != Op::Ir(IrOp::Phi) {
                definitions(f, data).for_each(|def| live[def.index()] = true);
                continue;
            }
            for def in definitions(f, data) {
                if !std::mem::replace(&mut live[def.index()], true) {
                    passed.push(def);
                }
            }
        }
    }
    while let Some(inst) = passed.pop() {
        for def in definitions(f, &f.insts[inst]) {
            if !std::mem::replace(&mut live[def.index()], true) {
                passed.push(def);
            }
        }
    }
    (!is_clean).then_some(live)
}

/// The instructions that define the sources of `data`.
fn definitions<'d>(f: &'d Function<'_>, data: &'d InstData<'_>) -> impl Iterator<Item = Inst> + 'd {
    data.srcs.iter().filter_map(|src| f.values[src.as_value()?].def)
}

/// Subgroup operations have no effect on other lanes, so they may be removed. This includes derivatives,
/// which are ordered with instructions that terminate lanes as long as they are used. A load without a use
/// may be removed although it reads memory; only volatile ones must stay.
///
/// Reads of special registers have no effect, and may be removed even where they must not be moved.
///
/// Once no lowering depends on them, reads of registers set by the program's environment may be removed like
/// others.
fn is_removable(stage: Stage, data: &InstData<'_>) -> bool {
    (stage >= Stage::Selected && data.op == Op::Ir(IrOp::Preload))
        || data.is_pure()
        || data.op.effects() == Effects::CROSS_LANE
        || data.op == Op::Hw(Opcode::Mfsr)
        || data.op == Op::Hw(Opcode::Smpi) && !data.get(key::IMAGE)
        || super::is_removable_load(data)
}
