//! Marks the last executed store of a vertex output, once the order of instructions is final.
//!
//! Before: stage allocated. After: the same.

use agx_isa::table::Opcode;

use crate::error::CompileError;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{Function, Inst, Op};

/// Marks the last store of an output.
///
/// # Errors
/// None at present; the signature is that of every lowering.
pub fn lower_last_varying(f: &mut Function<'_>) -> Result<(), CompileError> {
    if !f.present.may_have_op(Opcode::StVar) {
        return Ok(());
    }
    let is_store = |f: &Function<'_>, inst: &Inst| f.insts[*inst].op == Op::Hw(Opcode::StVar);
    let last = f
        .blocks_in_order()
        .rev()
        .find_map(|block| f.block(block).insts.iter().rev().copied().find(|inst| is_store(f, inst)));
    if let Some(inst) = last {
        f.insts[inst].mods = f.alloc(&mods(Opcode::StVar).with(key::LAST, true));
    }
    Ok(())
}
