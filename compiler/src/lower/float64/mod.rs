//! Lowers 64-bit floats, which the hardware lacks, to integer arithmetic.
//!
//! Every operation is correctly rounded, ties to even, with denormals, infinities and signed zeros as in IEEE
//! 754; all NaN results are the canonical NaN. The code has no branches: special cases are selected at the
//! end. Intermediate mantissas have their highest bit at place 62 and ten places below the last one of the
//! result, the lowest of which is sticky (as in Hauser's SoftFloat).
//!
//! Before: stage source; no subgroup operations except `ballot`. After: the same; no 64-bit float arithmetic.

mod add;
mod compare;
mod convert;
mod divide;
mod emit;
mod multiply;
#[cfg(test)]
mod tests;

use agx_isa::table::names::FloatCondition;
use emit::Emit;

use crate::error::{BackEndError, CompileError};
use crate::ir::families::FLOAT64;
use crate::ir::key;
use crate::ir::{Function, InstData, IrOp, Op, Rewrite, Rewriter, Src};

/// Replaces operations on 64-bit floats by integer arithmetic.
///
/// # Errors
/// An operation that 64-bit floats do not support is unsupported.
pub fn lower_float64(f: &mut Function<'_>) -> Result<(), CompileError> {
    if !f.present.has_width(64) {
        return Ok(());
    }
    FLOAT64.try_map(f, |r, inst| {
        let data = r.f.insts[inst];
        Ok(lower(r, &data)?.map_or(Rewrite::Keep, Rewrite::Forward))
    })
}

fn lower(r: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Result<Option<Src>, CompileError> {
    let (Op::Ir(op), Some(dst), [a, rest @ ..]) = (data.op, data.dst(), data.srcs) else { return Ok(None) };
    let (a, bits, source_bits) = (*a, r.f.ty(dst).bits, r.f.width(*a));
    let second = || rest.first().copied().unwrap_or(a);
    let is_signed = data.get(key::SIGNED);
    let e = &mut Emit(r);
    Ok(Some(match op {
        IrOp::IntToFloat => convert::from_integer(e, a, is_signed, bits),
        IrOp::FloatToInt => convert::to_integer(e, a, is_signed, bits),
        IrOp::Fconv if source_bits == 64 && bits != 64 => convert::narrow(e, a, bits),
        IrOp::Fconv if source_bits != 64 && bits == 64 => convert::widen(e, a),
        _ if source_bits != 64 => return Ok(None),
        IrOp::Fconv => a,
        IrOp::Fadd64 => add::add(e, a, second()),
        IrOp::Fmul64 => multiply::multiply(e, a, second()),
        IrOp::Ffma64 => multiply::fused(e, a, second(), rest.get(1).copied().unwrap_or(a)),
        IrOp::Fround64 => convert::round_integral(e, a, data.mods[0]),
        IrOp::Fdiv => divide::divide(e, a, second()),
        IrOp::Fsqrt => divide::square_root(e, a),
        IrOp::Fcmp => compare::compare(e, data.get(key::FLOAT_COND), data.get(key::INV), a, second()),
        IrOp::Fmin => compare::extremum(e, FloatCondition::LESS_OR_NAN, a, second()),
        IrOp::Fmax => compare::extremum(e, FloatCondition::GREATER_OR_NAN, a, second()),
        IrOp::Fneg => compare::negate(e, a),
        IrOp::Fabs => e.magnitude(a),
        IrOp::Fsat | IrOp::Fsin | IrOp::Fcos => {
            return Err(BackEndError::Double { name: data.op.name() }.into());
        }
        _ => return Ok(None),
    }))
}
