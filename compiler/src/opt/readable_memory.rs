//! Marks loads that may be executed speculatively because they read within a uniform block.
//!
//! The front end marks the loads of a uniform block at constant offsets, since the whole block is readable. An element of an
//! array in it has a constant offset only once the loop around it is unrolled, and is then within the block or not.
//!
//! Before: stage source. After: the same.

use crate::ir::key;
use crate::ir::{Access, Function, InstData, IrOp, Op};

/// Marks loads of uniform blocks at constant offsets as speculatable.
pub fn opt_readable_memory(f: &mut Function<'_>) {
    if f.declared.readable.is_empty() {
        return;
    }
    for inst in f.insts.keys() {
        let data = &f.insts[inst];
        if data.op == Op::Ir(IrOp::LoadGlobal)
            && !data.get(key::ACCESS).intersects(Access::SPECULATABLE | Access::VOLATILE)
            && is_readable(f, data)
        {
            let access = data.get(key::ACCESS) | Access::SPECULATABLE;
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
