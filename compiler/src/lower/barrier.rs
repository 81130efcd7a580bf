//! Barriers: `control_barrier` and `fence_memory` become the hardware's barrier sequences.
//!
//! The sequences are those of Mesa 25.0's AGX compiler; what each fence of the family does on its own is not known.

use agx_isa::table::Opcode;

use crate::error::CompileError;
use crate::ir::op::mods_with;
use crate::ir::{Access, Function, IrOp, Op, Rewrite, Rewriter};

/// Lowers barriers and fences.
///
/// # Errors
/// None at present; the signature is that of every lowering.
pub fn lower_barrier(f: &mut Function<'_>) -> Result<(), CompileError> {
    f.map_insts(|r, inst| {
        let data = r.f.insts[inst];
        let control = match data.op {
            Op::Ir(IrOp::ControlBarrier) => true,
            Op::Ir(IrOp::FenceMemory) => false,
            _ => return Rewrite::Keep,
        };
        let memory = Access::from_bits_truncate(data.mods[0]);
        if memory.contains(Access::DEVICE) {
            push(r, Opcode::MemoryBarrier);
        }
        if memory.contains(Access::IMAGE) {
            push(r, Opcode::ImageBarrier1);
            push(r, Opcode::ImageBarrier2);
        }
        if control {
            push(r, Opcode::Barrier);
        }
        if memory.contains(Access::IMAGE) {
            push(r, Opcode::ImageBarrier3);
            push(r, Opcode::ImageBarrier4);
        }
        Rewrite::Remove
    });
    Ok(())
}

fn push(r: &mut Rewriter<'_, '_>, op: Opcode) {
    r.push(op, &[], &[], &mods_with(op, &[]));
}
