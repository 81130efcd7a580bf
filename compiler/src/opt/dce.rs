//! Dead code elimination.
//!
//! Marks what effects need, from the effects backwards, and removes every other instruction. Because it marks instead
//! of counting uses, phis of a loop that only feed each other go as well. Runs at any stage before registers are
//! assigned; a pure instruction with several results stays while one of them is used.

use agx_isa::desc::Effects;

use crate::ir::{Entity, Function, Inst, Rewrite, Side};

/// Removes pure instructions whose results nothing needs.
pub fn opt_dce(f: &mut Function<'_>) {
    let live = mark(f);
    f.map_insts(|_, inst| if live[inst] { Rewrite::Keep } else { Rewrite::Remove });
}

/// The instructions that effects depend on.
fn mark(f: &Function<'_>) -> Side<Inst, bool> {
    let mut live: Side<Inst, bool> = Side::new(f.insts.len());
    let mut worklist: Vec<Inst> = Vec::new();
    for segment in &f.layout {
        for inst in &f.block(segment.block).insts {
            if !is_removable(f, *inst) {
                live[*inst] = true;
                worklist.push(*inst);
            }
        }
    }
    while let Some(inst) = worklist.pop() {
        for src in f.insts[inst].srcs {
            let def = src.as_value().and_then(|value| f.values[value].def);
            if let Some(def) = def
                && !live[def]
            {
                live[def] = true;
                worklist.push(def);
            }
        }
    }
    live
}

/// What depends on other lanes changes nothing for them, so it may go, derivatives too, which keep their place among what
/// ends lanes as long as they are used. A load without a user may go although it reads memory; only volatile ones must stay.
fn is_removable(f: &Function<'_>, inst: Inst) -> bool {
    debug_assert!(inst.index() < f.insts.len());
    let data = f.insts[inst];
    data.is_pure() || data.op.effects() == Effects::CROSS_LANE || super::is_removable_load(&data)
}
