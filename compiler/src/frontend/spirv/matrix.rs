//! Vector and matrix algebra. A matrix is the list of its columns' components.

use spirv::Op;

use super::eval::Eval;
use super::types::Kind;
use crate::error::CompileError;
use crate::ir::builder::Builder;
use crate::ir::src::Src;

/// Evaluates `op`; `None` when it is not of this kind.
pub(super) fn evaluate<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    op: Op,
    operands: &[u32],
) -> Result<Option<&'a [Src]>, CompileError> {
    let wanted = matches!(
        op,
        Op::Dot | Op::Transpose | Op::OuterProduct | Op::VectorTimesScalar | Op::MatrixTimesScalar
            | Op::MatrixTimesVector | Op::VectorTimesMatrix | Op::MatrixTimesMatrix
    );
    if !wanted {
        return Ok(None);
    }
    let first = operand(eval, operands, 0)?;
    if op == Op::Transpose {
        let result = transpose(first.leaves, first.rows)?;
        return Ok(Some(eval.keep(&result)));
    }
    let second = operand(eval, operands, 1)?;
    let (a, c) = (first.leaves, second.leaves);
    let b = &mut *eval.b;
    let result = match op {
        Op::Dot if a.len() == c.len() => vec![dot(b, a, c)],
        Op::OuterProduct => c.iter().flat_map(|y| scale(b, a, *y)).collect(),
        Op::VectorTimesScalar | Op::MatrixTimesScalar if c.len() == 1 => scale(b, a, c[0]),
        Op::MatrixTimesVector if first.columns == c.len() => combine(b, a, first.rows, c),
        Op::VectorTimesMatrix if a.len() == second.rows => {
            c.chunks(second.rows).map(|column| dot(b, a, column)).collect()
        }
        Op::MatrixTimesMatrix if first.columns == second.rows => {
            c.chunks(second.rows).flat_map(|column| combine(b, a, first.rows, column)).collect()
        }
        _ => return Err(CompileError::invalid("the operands' shapes do not match")),
    };
    Ok(Some(eval.keep(&result)))
}

/// A float vector or matrix.
struct Operand<'a> {
    leaves: &'a [Src],
    /// Components of a column, or of the vector.
    rows: usize,
    /// Columns; 1 for a vector.
    columns: usize,
}

fn operand<'a>(eval: &Eval<'_, '_, 'a>, operands: &[u32], index: usize) -> Result<Operand<'a>, CompileError> {
    let id = operands.get(index).ok_or_else(|| CompileError::invalid("an operand is missing"))?;
    let (ty, leaves) = eval.value(*id)?;
    let (vector, columns) = match eval.types.kind(ty) {
        Kind::Matrix { column, count } => (column, count as usize),
        _ => (ty, 1),
    };
    eval.check_float(vector)?;
    Ok(Operand { leaves, rows: leaves.len() / columns, columns })
}

/// Rows become columns.
pub(super) fn transpose(matrix: &[Src], rows: usize) -> Result<Vec<Src>, CompileError> {
    if rows == 0 {
        return Err(CompileError::invalid("a matrix has no rows"));
    }
    let columns = matrix.len() / rows;
    Ok((0..rows).flat_map(|row| (0..columns).map(move |column| matrix[column * rows + row])).collect())
}

/// Sum of the products of components.
pub(super) fn dot(b: &mut Builder<'_, '_>, x: &[Src], y: &[Src]) -> Src {
    let mut sum = None;
    for (x, y) in x.iter().zip(y) {
        let product = b.fmul(*x, *y);
        sum = Some(match sum {
            Some(sum) => b.fadd(sum, product),
            None => product,
        });
    }
    sum.unwrap_or(Src::f32(0.0))
}

/// Every component times `factor`.
pub(super) fn scale(b: &mut Builder<'_, '_>, list: &[Src], factor: Src) -> Vec<Src> {
    list.iter().map(|x| b.fmul(*x, factor)).collect()
}

/// Sum of the matrix's columns, each times a component of `weights`.
fn combine(b: &mut Builder<'_, '_>, matrix: &[Src], rows: usize, weights: &[Src]) -> Vec<Src> {
    let row = |row: usize| {
        let across: Vec<Src> = matrix.iter().skip(row).step_by(rows).copied().collect();
        dot(b, &across, weights)
    };
    (0..rows).map(row).collect()
}
