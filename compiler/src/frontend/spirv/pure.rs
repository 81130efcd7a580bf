//! One row for each instruction whose result depends on its operands alone, in function bodies and for
//! specialization constants.
//!
//! Component-wise operations have their rows in `arith`.

use spirv::Op;

use super::arith;
use super::composite::{self, Dot, Pair};
use super::conversions;
use super::cooperative;
use super::eval::Eval;
use super::matrix;
use super::types::Ty;
use crate::error::CompileError;
use crate::ir::Arithmetic;
use crate::ir::build::alu::IntCond;
use crate::ir::builder::Builder;
use crate::ir::src::Src;

/// Computes the scalars of a result of a type from the operands.
type Function = for<'a> fn(&mut Eval<'_, '_, 'a>, Ty, &[u32]) -> Result<&'a [Src], CompileError>;

/// How a result is computed.
#[derive(Clone, Copy)]
pub(super) enum Compute {
    /// Component by component.
    Components(&'static arith::Row),
    /// By a function of the operands.
    Whole(Function),
}

/// The properties of a pure instruction.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub compute: Compute,
    /// Whether pointers among the operands are used as numbers.
    pub takes_pointers: bool,
}

/// The row of `op`, if it is pure.
pub(super) fn find(op: Op) -> Option<Row> {
    if let Some(row) = arith::row(op) {
        return Some(Row { compute: Compute::Components(row), takes_pointers: false });
    }
    let values = values(op).map(|function| (function, false));
    let (function, takes_pointers) = values.or_else(|| with_pointers(op).map(|function| (function, true)))?;
    Some(Row { compute: Compute::Whole(function), takes_pointers })
}

/// Instructions on values.
fn values(op: Op) -> Option<Function> {
    Some(match op {
        Op::ExpectKHR | Op::CopyObject => composite::copy,
        Op::CompositeExtract => composite::extract,
        Op::VectorShuffle => composite::shuffle,
        Op::VectorExtractDynamic => composite::extract_dynamic,
        Op::VectorInsertDynamic => composite::insert_dynamic,
        Op::Any => |eval, _, operands| composite::reduce(eval, operands, Builder::or),
        Op::All => |eval, _, operands| composite::reduce(eval, operands, Builder::and),
        Op::IAddCarry => |eval, _, operands| composite::extended(eval, Pair::Carry, operands),
        Op::ISubBorrow => |eval, _, operands| composite::extended(eval, Pair::Borrow, operands),
        Op::UMulExtended => |eval, _, operands| composite::extended(eval, Pair::Unsigned, operands),
        Op::SMulExtended => |eval, _, operands| composite::extended(eval, Pair::Signed, operands),
        Op::SDot => |eval, ty, operands| composite::integer_dot(eval, Dot::SIGNED, ty, operands),
        Op::UDot => |eval, ty, operands| composite::integer_dot(eval, Dot::UNSIGNED, ty, operands),
        Op::SUDot => |eval, ty, operands| composite::integer_dot(eval, Dot::MIXED, ty, operands),
        Op::SDotAccSat => {
            |eval, ty, operands| composite::integer_dot(eval, Dot::SIGNED.saturating(), ty, operands)
        }
        Op::UDotAccSat => {
            |eval, ty, operands| composite::integer_dot(eval, Dot::UNSIGNED.saturating(), ty, operands)
        }
        Op::SUDotAccSat => {
            |eval, ty, operands| composite::integer_dot(eval, Dot::MIXED.saturating(), ty, operands)
        }
        Op::ConvertUToPtr => composite::convert_address,
        Op::Dot => matrix::dot_instruction,
        Op::Transpose => matrix::transpose_instruction,
        Op::OuterProduct => matrix::outer_product,
        Op::VectorTimesScalar => {
            |eval, _, operands| matrix::times_scalar(eval, Op::VectorTimesScalar, operands)
        }
        Op::MatrixTimesScalar => {
            |eval, _, operands| matrix::times_scalar(eval, Op::MatrixTimesScalar, operands)
        }
        Op::MatrixTimesVector => matrix::matrix_times_vector,
        Op::VectorTimesMatrix => matrix::vector_times_matrix,
        Op::MatrixTimesMatrix => matrix::matrix_times_matrix,
        Op::CooperativeMatrixLengthKHR => cooperative::length,
        _ => return None,
    })
}

/// Instructions on values, which may be pointers.
fn with_pointers(op: Op) -> Option<Function> {
    Some(match op {
        Op::CompositeConstruct => composite::construct,
        Op::CompositeConstructReplicateEXT => composite::replicate,
        Op::CompositeInsert => composite::insert,
        Op::CopyLogical => composite::copy,
        Op::Select => composite::select,
        Op::Bitcast => composite::bitcast,
        Op::ConvertPtrToU => composite::convert_address,
        Op::PtrEqual => |eval, _, operands| composite::compare_addresses(eval, IntCond::EQ, operands),
        Op::PtrNotEqual => |eval, _, operands| composite::compare_addresses(eval, IntCond::NE, operands),
        Op::PtrDiff => composite::address_difference,
        _ => return None,
    })
}

/// The result of an instruction; its scalars match the type.
pub(super) fn evaluate<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    compute: Compute,
    ty: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    match compute {
        Compute::Components(row) if row.converts() && conversions::is_of_bfloat16(eval, ty, operands)? => {
            conversions::convert_bfloat16(eval, row, ty, operands)
        }
        Compute::Components(row) => arith::elementwise(eval, row, ty, operands),
        Compute::Whole(function) => {
            let result = function(eval, ty, operands)?;
            eval.checked(ty, result)
        }
    }
}
