//! What is known of the device memory that loads read.
//!
//! Two facts about memory let passes merge and move loads:
//!
//! * Source languages rarely declare that memory is only read: pointers into buffers and storage buffers are readable
//!   and writable by default. If no instruction of the shader stores to device memory or changes it atomically, all its
//!   invocations see the same contents, and the loads are marked as read-only. What other programs write meanwhile may be
//!   missed, unless the load is volatile.
//! * The whole of a uniform block is readable, so that a load at a constant offset within one may be executed
//!   speculatively. An element of an array has a constant offset only once the loop around it is unrolled.
//!
//! Part of `opt_memory`.

use crate::ir::key;
use crate::ir::{Access, Function, InstData, IrOp, Op};

/// Marks loads of memory that is only read or always readable.
pub(super) fn mark_loads(f: &mut Function<'_>) {
    let is_written = [IrOp::StoreGlobal, IrOp::AtomicGlobal].into_iter().any(|op| f.present.may_have_op(op));
    if is_written && f.declared.readable.is_empty() {
        return;
    }
    for inst in f.insts.keys() {
        let data = &f.insts[inst];
        if data.op != Op::Ir(IrOp::LoadGlobal) || data.get(key::ACCESS).contains(Access::VOLATILE) {
            continue;
        }
        let mut access = data.get(key::ACCESS);
        access.set(Access::READONLY, !is_written || access.contains(Access::READONLY));
        access.set(Access::SPECULATABLE, access.contains(Access::SPECULATABLE) || is_readable(f, data));
        if access != data.get(key::ACCESS) {
            let mods = f.alloc(&[access.bits(), data.get(key::ALIGN)]);
            f.insts[inst].mods = mods;
        }
    }
}

/// Whether all that a load reads is in memory that may be read wherever its address is known.
fn is_readable(f: &Function<'_>, data: &InstData<'_>) -> bool {
    let ([base, offset], Some(dst)) = (data.srcs, data.dst()) else { return false };
    let (Some(address), Some(offset)) = (base.as_uniform(), offset.as_imm()) else { return false };
    let end = offset.saturating_add(u64::from(f.ty(dst).halves()) * 2);
    f.declared.readable.iter().any(|known| known.address == address && end <= known.bytes.into())
}
