//! Arithmetic on 8-bit integers.
//!
//! The hardware has no 8-bit registers: an 8-bit value is held zero-extended in a half register. Arithmetic
//! is performed in 16 bits on sources extended as the operation requires, and the result is truncated.
//!
//! Afterwards 8-bit values are only moved, selected, converted, loaded and stored.
//!
//! Before: stage source; no subgroup operations except `ballot`. After: the same; no 8-bit arithmetic.

use agx_isa::table::Opcode;

use crate::error::CompileError;
use crate::ir::key;
use crate::ir::{Build, Function, InstData, IrOp, Op, Rewrite, Rewriter, Src};

/// Lowers 8-bit arithmetic to 16 bits.
///
/// # Errors
/// None at present; the signature is that of every lowering.
pub fn lower_int8(f: &mut Function<'_>) -> Result<(), CompileError> {
    if f.values.keys().all(|value| f.ty(value).bits != 8) {
        return Ok(());
    }
    f.map_insts(|r, inst| {
        let data = r.f.insts[inst];
        match data.dst() {
            Some(_) if is_arithmetic(data.op) && touches_bytes(r, &data) => Rewrite::Forward(widen(r, &data)),
            _ => Rewrite::Keep,
        }
    });
    Ok(())
}

/// Whether the operation computes with the bits of its sources rather than just moving them.
fn is_arithmetic(op: Op) -> bool {
    let passes_on = matches!(
        op,
        Op::Ir(
            IrOp::Phi
                | IrOp::Mov
                | IrOp::Collect
                | IrOp::Split
                | IrOp::Select
                | IrOp::Uconv
                | IrOp::Sconv
                | IrOp::Copy
        ) | Op::Hw(Opcode::U8ToF | Opcode::S8ToF)
    );
    op.pure_fn().is_some() && !passes_on
}

fn touches_bytes(r: &Rewriter<'_, '_>, data: &InstData<'_>) -> bool {
    data.dsts.iter().any(|dst| r.f.ty(*dst).bits == 8) || data.srcs.iter().any(|src| r.f.width(*src) == 8)
}

/// Whether the operation interprets its sources as signed numbers.
fn reads_signed(data: &InstData<'_>) -> bool {
    match data.op {
        Op::Ir(IrOp::Sshr | IrOp::Imin | IrOp::Imax | IrOp::Smulh) => true,
        Op::Ir(IrOp::Sdiv | IrOp::Srem | IrOp::Smod) => true,
        Op::Ir(IrOp::Icmp) => data.get(key::INT_COND).is_signed(),
        Op::Hw(Opcode::Asr) => true,
        _ => false,
    }
}

fn widen(r: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Src {
    let extend = if reads_signed(data) { IrOp::Sconv } else { IrOp::Uconv };
    let mut srcs: Vec<Src> = Vec::new();
    for src in data.srcs {
        let wide = if r.f.width(*src) == 8 { r.op(extend, 16, &[src.plain()]) } else { *src };
        srcs.push(wide.with(src.flags));
    }
    let width = r.f.ty(data.dsts[0]).bits;
    // The high half of a product of bytes is the second byte of the product of the extended ones.
    if matches!(data.op, Op::Ir(IrOp::Umulh | IrOp::Smulh)) {
        let product = r.op(IrOp::Imul, 16, &srcs);
        let high = r.op(IrOp::Ushr, 16, &[product, Src::imm(8, 16)]);
        return r.op(IrOp::Uconv, 8, &[high]);
    }
    let result = r.alu(data.op, if width == 8 { 16 } else { width }, &srcs, data.mods);
    if width == 8 { r.op(IrOp::Uconv, 8, &[result]) } else { result }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::test_arithmetic::{Case, check};
    use agx_isa::table::names::Truth;

    #[test]
    fn agrees_with_the_semantics() {
        let binary = |op: IrOp| Case::new(op, 8, &[8, 8], &[]);
        let mut cases: Vec<Case> =
            [IrOp::Imul, IrOp::Shl, IrOp::Ushr, IrOp::Sshr, IrOp::Imin, IrOp::Imax, IrOp::Umin, IrOp::Umax]
                .map(binary)
                .into();
        cases.push(Case::new(Opcode::Iadd, 8, &[8, 8], &[0, 0]));
        cases.push(Case::new(Opcode::Isub, 8, &[8, 8], &[0, 0]));
        cases.push(Case::new(Opcode::Popcnt, 8, &[8], &[]));
        cases.push(Case::new(Opcode::Ffs, 32, &[8], &[]));
        cases.push(Case::new(Opcode::Asr, 8, &[8, 8], &[]));
        cases.push(Case::new(Opcode::U16ToF, 32, &[8], &[1]));
        for table in [Truth::AND, Truth::OR, Truth::XOR, Truth::NOT] {
            cases.push(Case::new(Opcode::Bitop, 8, &[8, 8], &[table.get()]));
        }
        for cond in [0, 1, 2, 4, 5, 6] {
            cases.push(Case::new(IrOp::Icmp, 1, &[8, 8], &[cond, 1]));
        }
        for case in &cases {
            check(case, lower_int8, |f, data| {
                !is_arithmetic(data.op) || data.dsts.iter().all(|dst| f.ty(*dst).bits != 8)
            });
        }
    }
}
