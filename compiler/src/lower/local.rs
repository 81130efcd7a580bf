//! Lowers `load_local`, `store_local` and `atomic_local` to the hardware's local accesses.
//!
//! The byte offset is placed in the 16-bit base; the index stays 0, because its unit is not fully understood
//! (measured on M1 Ultra: it is shifted by a one-hot field that other sources ignore).
//!
//! Before: stage source. After: the same; no `load_local`, `store_local`, `atomic_local`.

use agx_isa::table::Opcode;

use super::address::{element_format, load_pieces, store_pieces};
use crate::error::CompileError;
use crate::ir::families::LOCAL;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{Build, Function, InstData, IrOp, Op, Rewrite, Rewriter, Src, Type};

const NO_INDEX: Src = Src::imm(0, 16);

/// Lowers accesses to threadgroup memory.
///
/// # Errors
/// None at present; the signature is that of every lowering.
pub fn lower_local(f: &mut Function<'_>) -> Result<(), CompileError> {
    LOCAL.map(f, |r, inst| {
        let data = r.f.insts[inst];
        match data.op {
            Op::Ir(IrOp::LoadLocal) => lower_load(r, &data),
            Op::Ir(IrOp::StoreLocal) => lower_store(r, &data),
            Op::Ir(IrOp::AtomicLocal) => lower_atomic(r, &data),
            _ => Rewrite::Keep,
        }
    });
    Ok(())
}

fn lower_load(r: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Rewrite {
    load_pieces(r, data.dsts[0], |r, dst, bytes| {
        let base = local_base(r, data.srcs[0], bytes);
        let mods = local_mods(Opcode::Lload, r.f.ty(dst));
        r.push(Opcode::Lload, &[dst], &[base, NO_INDEX], &mods);
    });
    Rewrite::Remove
}

fn lower_store(r: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Rewrite {
    store_pieces(r, data.srcs[0], |r, piece, bytes| {
        let base = local_base(r, data.srcs[1], bytes);
        let mods = local_mods(Opcode::Lstore, r.f.src_ty(piece));
        r.push(Opcode::Lstore, &[], &[piece, base, NO_INDEX], &mods);
    });
    Rewrite::Remove
}

fn lower_atomic(r: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Rewrite {
    let base = local_base(r, data.srcs[0], 0);
    r.push(
        Opcode::Latomic,
        data.dsts,
        &[data.srcs[1], base, NO_INDEX],
        &mods(Opcode::Latomic).with(key::ATOMIC, data.get(key::ATOMIC)),
    );
    Rewrite::Remove
}

fn local_mods(op: Opcode, ty: Type) -> crate::ir::op::Mods {
    mods(op).with(key::FORMAT, element_format(ty.bits)).with(key::MASK, (1 << ty.comps) - 1)
}

/// Byte address within threadgroup memory, which has fewer than 2^16 bytes.
fn local_base(r: &mut Rewriter<'_, '_>, offset: Src, bytes: u32) -> Src {
    let offset = constant_last(r, offset);
    let offset = if r.f.width(offset) == 16 { offset } else { r.alu(IrOp::Uconv, 16, &[offset], &[]) };
    if bytes == 0 {
        return offset;
    }
    r.op(Opcode::Iadd, 16, &[offset, Src::imm(u64::from(bytes), 16)])
}

/// `(x << n) + (c << n)` for an offset `(x + c) << n`, and likewise for products: the hardware shifts and adds in one
/// instruction, in this order, and accesses to neighbouring elements share the product.
fn constant_last(r: &mut Rewriter<'_, '_>, offset: Src) -> Src {
    let Some((scaling, x, factor, constant)) = scaled_sum(r.f, offset) else { return offset };
    let bits = r.f.width(offset);
    let scaled = r.op(scaling, bits, &[x, factor]);
    r.op(Opcode::Iadd, bits, &[scaled, Src::imm(constant, bits)])
}

/// The scaling operation of an offset `(x + c) << n` or `(x + c) * n`, its operands `x` and `n`, and the scaled `c`.
fn scaled_sum(f: &Function<'_>, offset: Src) -> Option<(IrOp, Src, Src, u64)> {
    let data = f.def(offset)?;
    let Op::Ir(scaling @ (IrOp::Shl | IrOp::Imul)) = data.op else { return None };
    let [sum, factor] = *data.srcs else { return None };
    let sum = f.def(sum).filter(|data| data.op == Op::Hw(Opcode::Iadd))?;
    let [x, constant] = *sum.srcs else { return None };
    let (constant, number) = (constant.as_imm()?, factor.as_imm()?);
    let scaled = match scaling {
        IrOp::Shl => constant << (number % 32),
        _ => constant.wrapping_mul(number),
    };
    Some((scaling, x, factor, scaled))
}
