//! Marks loads of device memory as read-only in a shader that does not write it.
//!
//! Source languages rarely declare that memory is only read: pointers into buffers and storage buffers are readable
//! and writable by default. If no instruction of the shader stores to device memory or changes it atomically, all
//! its invocations see the same contents, so that other passes may merge and move the loads. What other programs write
//! meanwhile may be missed, unless the load is volatile.
//!
//! Before: stage source. After: the same.

use crate::ir::key;
use crate::ir::{Access, Function, IrOp, Op};

/// Marks loads of device memory as read-only in a shader that does not write it.
pub fn opt_readonly_memory(f: &mut Function<'_>) {
    if [IrOp::StoreGlobal, IrOp::AtomicGlobal].into_iter().any(|op| f.present.may_have_op(op)) {
        return;
    }
    for inst in f.insts.keys() {
        let data = &f.insts[inst];
        if data.op == Op::Ir(IrOp::LoadGlobal)
            && !data.get(key::ACCESS).intersects(Access::READONLY | Access::VOLATILE)
        {
            let access = data.get(key::ACCESS) | Access::READONLY;
            let mods = f.alloc(&[access.bits(), data.get(key::ALIGN)]);
            f.insts[inst].mods = mods;
        }
    }
}
