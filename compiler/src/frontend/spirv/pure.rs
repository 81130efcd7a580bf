//! Instructions whose results depend on their operands alone, by who computes them.

use spirv::Op;

use super::eval::Eval;
use super::types::Ty;
use super::{arith, composite, matrix};
use crate::error::CompileError;
use crate::ir::src::Src;

/// The result of `op`; `None` when `op` is not among those computed here.
pub(super) fn evaluate<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    op: Op,
    ty: Ty,
    operands: &[u32],
) -> Result<Option<&'a [Src]>, CompileError> {
    if let Some(row) = arith::row(op) {
        let is_shift = matches!(op, Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic);
        let row = arith::Row { masks_amount: is_shift && eval.masks_shifts, ..row };
        return arith::elementwise(eval, row, ty, operands).map(Some);
    }
    if let Some(result) = composite::evaluate(eval, op, ty, operands)? {
        return eval.checked(ty, result).map(Some);
    }
    match matrix::evaluate(eval, op, operands)? {
        Some(result) => eval.checked(ty, result).map(Some),
        None => Ok(None),
    }
}
