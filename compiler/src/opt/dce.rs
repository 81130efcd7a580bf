//! Dead code elimination.
//!
//! Marks what effects need, from the end of the function backwards, and removes every other instruction. Because it marks
//! instead of counting uses, phis of a loop that only feed each other go as well. Runs at any stage before registers are
//! assigned; a pure instruction with several results stays while one of them is used.
//!
//! Before: stage source to selected. After: the same.

use agx_isa::desc::Effects;

use crate::ir::{Entity, Function, Inst, IrOp, Op, Side};

/// Removes pure instructions whose results nothing needs.
pub fn opt_dce(f: &mut Function<'_>) {
    let live = mark(f);
    for index in 0..f.layout.len() {
        let block = f.layout[index].block;
        f.block_mut(block).insts.retain(|inst| live[*inst]);
    }
}

/// The instructions that effects depend on.
fn mark(f: &Function<'_>) -> Side<Inst, bool> {
    let mut live: Side<Inst, bool> = Side::new(f.insts.len());
    // What phis read may come later in the layout, and has been passed by.
    let mut passed: Vec<Inst> = Vec::new();
    for segment in f.layout.iter().rev() {
        for inst in f.block(segment.block).insts.iter().rev() {
            if live[*inst] || !is_removable(f, *inst) {
                live[*inst] = true;
                let back = f.insts[*inst].op == Op::Ir(IrOp::Phi);
                mark_sources(f, *inst, &mut live, back.then_some(&mut passed));
            }
        }
    }
    while let Some(inst) = passed.pop() {
        mark_sources(f, inst, &mut live, Some(&mut passed));
    }
    live
}

/// Marks what `inst` reads; what was not marked before goes to `passed`.
fn mark_sources(
    f: &Function<'_>,
    inst: Inst,
    live: &mut Side<Inst, bool>,
    mut passed: Option<&mut Vec<Inst>>,
) {
    for src in f.insts[inst].srcs {
        let def = src.as_value().and_then(|value| f.values[value].def);
        if let Some(def) = def
            && !live[def]
        {
            live[def] = true;
            if let Some(passed) = &mut passed {
                passed.push(def);
            }
        }
    }
}

/// What depends on other lanes changes nothing for them, so it may go, derivatives too, which keep their place among what
/// ends lanes as long as they are used. A load without a user may go although it reads memory; only volatile ones must stay.
fn is_removable(f: &Function<'_>, inst: Inst) -> bool {
    debug_assert!(inst.index() < f.insts.len());
    let data = f.insts[inst];
    data.is_pure() || data.op.effects() == Effects::CROSS_LANE || super::is_removable_load(&data)
}
