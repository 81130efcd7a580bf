//! Lowers `load_scratch` and `store_scratch` to the hardware's stack accesses, which address bytes.
//!
//! Before: stage source. After: the same; no `load_scratch`, `store_scratch`.

use agx_isa::table::Opcode;

use super::address::{element_format, load_pieces, store_pieces};
use crate::error::CompileError;
use crate::ir::families::SCRATCH;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{Build, Function, InstData, IrOp, Op, Rewrite, Rewriter, Src, Type};

/// Lowers accesses to the lane's stack memory.
///
/// # Errors
/// None at present; the signature is that of every lowering.
pub fn lower_scratch(f: &mut Function<'_>) -> Result<(), CompileError> {
    SCRATCH.map(f, |r, inst| {
        let data = r.f.insts[inst];
        match data.op {
            Op::Ir(IrOp::LoadScratch) => lower_load(r, &data),
            Op::Ir(IrOp::StoreScratch) => lower_store(r, &data),
            _ => Rewrite::Keep,
        }
    });
    Ok(())
}

fn lower_load(r: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Rewrite {
    load_pieces(r, data.dsts[0], |r, dst, bytes| {
        let index = byte_index(r, data.srcs[0], bytes);
        let mods = stack_mods(Opcode::StackLoad, r.f.ty(dst));
        r.push(Opcode::StackLoad, &[dst], &[index], &mods);
    });
    Rewrite::Remove
}

fn lower_store(r: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Rewrite {
    store_pieces(r, data.srcs[0], |r, piece, bytes| {
        let index = byte_index(r, data.srcs[1], bytes);
        let mods = stack_mods(Opcode::StackStore, r.f.src_ty(piece));
        r.push(Opcode::StackStore, &[], &[piece, index], &mods);
    });
    Rewrite::Remove
}

fn stack_mods(op: Opcode, ty: Type) -> crate::ir::op::Mods {
    mods(op).with(key::FORMAT, element_format(ty.bits)).with(key::MASK, (1 << ty.comps) - 1)
}

fn byte_index(r: &mut Rewriter<'_, '_>, offset: Src, bytes: u32) -> Src {
    if bytes == 0 {
        return offset;
    }
    r.op(Opcode::Iadd, 32, &[offset, Src::imm32(bytes)])
}
