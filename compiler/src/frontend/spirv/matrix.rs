//! Vector and matrix algebra. A matrix is the list of its columns' components.

use spirv::Op;

use super::eval::Eval;
use super::types::{Kind, Ty};
use crate::error::{CompileError, ValueError};
use crate::ir::Arithmetic;
use crate::ir::builder::Builder;
use crate::ir::src::Src;

/// `OpDot`.
pub(super) fn dot_instruction<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    _: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let [x, y] = pair(eval, operands)?;
    if x.leaves.len() != y.leaves.len() {
        return Err(ValueError::Shapes { op: Op::Dot }.into());
    }
    let result = dot(eval.b, x.leaves, y.leaves);
    Ok(eval.keep(&[result]))
}

/// `OpTranspose`.
pub(super) fn transpose_instruction<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    _: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let matrix = operand(eval, operands, 0)?;
    let result = transpose(matrix.leaves, matrix.rows)?;
    Ok(eval.keep(&result))
}

/// `OpOuterProduct`: the first vector times each component of the second.
pub(super) fn outer_product<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    _: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let [x, y] = pair(eval, operands)?;
    let result: Vec<Src> = y.leaves.iter().flat_map(|factor| scale(eval.b, x.leaves, *factor)).collect();
    Ok(eval.keep(&result))
}

/// `OpVectorTimesScalar` and `OpMatrixTimesScalar`; `op` is one of them.
pub(super) fn times_scalar<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    op: Op,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let [x, factor] = pair(eval, operands)?;
    let [factor] = factor.leaves else {
        return Err(ValueError::Shapes { op }.into());
    };
    let products = x.leaves.iter().map(|leaf| eval.b.fmul(*leaf, *factor));
    Ok(eval.bump.alloc_slice_fill_iter(products))
}

/// `OpMatrixTimesVector`.
pub(super) fn matrix_times_vector<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    _: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let [matrix, vector] = pair(eval, operands)?;
    if matrix.columns != vector.leaves.len() {
        return Err(ValueError::Shapes { op: Op::MatrixTimesVector }.into());
    }
    let mut result = Vec::with_capacity(matrix.rows);
    combine(eval.b, matrix.leaves, matrix.rows, vector.leaves, &mut result);
    Ok(eval.keep(&result))
}

/// `OpVectorTimesMatrix`.
pub(super) fn vector_times_matrix<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    _: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let [vector, matrix] = pair(eval, operands)?;
    if vector.leaves.len() != matrix.rows {
        return Err(ValueError::Shapes { op: Op::VectorTimesMatrix }.into());
    }
    let columns = matrix.leaves.chunks(matrix.rows);
    let result: Vec<Src> = columns.map(|column| fused_dot(eval.b, vector.leaves.iter(), column)).collect();
    Ok(eval.keep(&result))
}

/// `OpMatrixTimesMatrix`.
pub(super) fn matrix_times_matrix<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    _: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let [x, y] = pair(eval, operands)?;
    if x.columns != y.rows {
        return Err(ValueError::Shapes { op: Op::MatrixTimesMatrix }.into());
    }
    let columns = y.leaves.chunks(y.rows);
    let mut result = Vec::with_capacity(x.rows.saturating_mul(y.columns));
    for column in columns {
        combine(eval.b, x.leaves, x.rows, column, &mut result);
    }
    Ok(eval.keep(&result))
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
    let id = operands.get(index).ok_or(ValueError::Missing { index, count: operands.len() })?;
    let (ty, leaves) = eval.value(*id)?;
    let (vector, columns) = match eval.types.kind(ty) {
        Kind::Matrix { column, count } => (column, count as usize),
        _ => (ty, 1),
    };
    eval.check_float(vector)?;
    Ok(Operand { leaves, rows: leaves.len().checked_div(columns).unwrap_or(0), columns })
}

/// The first two operands, whose scalars have one width.
fn pair<'a>(eval: &Eval<'_, '_, 'a>, operands: &[u32]) -> Result<[Operand<'a>; 2], CompileError> {
    let [x, y] = [operand(eval, operands, 0)?, operand(eval, operands, 1)?];
    eval.check_widths(x.leaves.iter().chain(y.leaves))?;
    Ok([x, y])
}

/// Transposes a matrix.
pub(super) fn transpose(matrix: &[Src], rows: usize) -> Result<Vec<Src>, CompileError> {
    if rows == 0 {
        return Err(ValueError::NoRows.into());
    }
    Ok((0..rows).flat_map(|row| matrix.iter().skip(row).step_by(rows).copied()).collect())
}

/// Sum of the products of components.
pub(super) fn dot<'s>(b: &mut Builder<'_, '_>, x: impl IntoIterator<Item = &'s Src>, y: &[Src]) -> Src {
    let mut sum = None;
    for (x, y) in x.into_iter().zip(y) {
        let product = b.fmul(*x, *y);
        sum = Some(match sum {
            Some(sum) => b.fadd(sum, product),
            None => product,
        });
    }
    sum.unwrap_or(Src::f32(0.0))
}

/// Like [`dot`] for a row or column of a matrix. Such products share few factors with others, so they are fused
/// immediately where that is allowed, which saves a third of the instructions in all passes.
fn fused_dot<'s>(b: &mut Builder<'_, '_>, x: impl Iterator<Item = &'s Src> + Clone, y: &[Src]) -> Src {
    if !b.may_fuse() || x.clone().next().is_none_or(|x| b.f.width(*x) > 32) {
        return dot(b, x, y);
    }
    let mut sum = None;
    for (x, y) in x.zip(y) {
        sum = Some(match sum {
            None => b.fmul(*x, *y),
            // A product with a constant is often simplified to something else.
            Some(sum) if x.as_imm().or(y.as_imm()).is_some() => {
                let product = b.fmul(*x, *y);
                b.fadd(sum, product)
            }
            Some(sum) => b.ffma(*x, *y, sum),
        });
    }
    sum.unwrap_or(Src::f32(0.0))
}

/// Every component times `factor`.
pub(super) fn scale(b: &mut Builder<'_, '_>, list: &[Src], factor: Src) -> Vec<Src> {
    list.iter().map(|x| b.fmul(*x, factor)).collect()
}

/// Appends the sum of the matrix's columns, each times a component of `weights`.
fn combine(b: &mut Builder<'_, '_>, matrix: &[Src], rows: usize, weights: &[Src], result: &mut Vec<Src>) {
    result.extend((0..rows).map(|row| fused_dot(b, matrix.iter().skip(row).step_by(rows), weights)));
}

/// `sum` + x·y. Always fused: differences of products lose most of their digits, and the result must not
/// depend on optimisations. 64-bit floats are computed with integers, where fusing costs more than it saves.
fn add_product(b: &mut Builder<'_, '_>, sum: Src, x: Src, y: Src) -> Src {
    if b.f.width(x) == 64 {
        let product = b.fmul(x, y);
        return b.fadd(sum, product);
    }
    b.ffma(x, y, sum)
}

/// x·y − z·w.
fn cross_product(b: &mut Builder<'_, '_>, x: Src, y: Src, z: Src, w: Src) -> Src {
    let (product, minus) = (b.fmul(x, y), b.fneg(z));
    add_product(b, product, minus, w)
}

/// Sum of the products of a column's components with their cofactors, for as many as both have.
fn expand(b: &mut Builder<'_, '_>, column: &[Src], cofactors: &[Src]) -> Src {
    let mut sum = None;
    for (x, cofactor) in column.iter().zip(cofactors) {
        sum = Some(match sum {
            None => b.fmul(*x, *cofactor),
            Some(sum) => add_product(b, sum, *x, *cofactor),
        });
    }
    sum.unwrap_or(Src::NONE)
}

/// The matrix without one row and one column.
fn minor(matrix: &[Src], size: usize, row: usize, column: usize) -> Vec<Src> {
    let columns = matrix.chunks(size.max(1)).enumerate().filter(|(at, _)| *at != column);
    let kept = columns.flat_map(|(_, column)| column.iter().enumerate().filter(|(at, _)| *at != row));
    kept.map(|(_, src)| *src).collect()
}

/// Determinant of a square matrix of two to four rows, expanded along the first column. The recursion depth
/// is two.
pub(super) fn determinant(b: &mut Builder<'_, '_>, matrix: &[Src], size: usize) -> Src {
    if let [x, z, w, y] = *matrix {
        return cross_product(b, x, y, w, z);
    }
    let cofactors: Vec<Src> = (0..size).map(|row| cofactor(b, matrix, size, row, 0)).collect();
    expand(b, matrix, &cofactors)
}

fn cofactor(b: &mut Builder<'_, '_>, matrix: &[Src], size: usize, row: usize, column: usize) -> Src {
    let rest = minor(matrix, size, row, column);
    let value = match rest[..] {
        [only] => only,
        _ => determinant(b, &rest, size.saturating_sub(1)),
    };
    if (row ^ column) & 1 == 0 { value } else { b.fneg(value) }
}

/// Inverse of a square matrix: the transposed cofactors divided by the determinant.
pub(super) fn inverse(b: &mut Builder<'_, '_>, matrix: &[Src], size: usize) -> Vec<Src> {
    let mut cofactors = Vec::with_capacity(size.saturating_mul(size));
    for column in 0..size {
        for row in 0..size {
            cofactors.push(cofactor(b, matrix, size, row, column));
        }
    }
    let determinant = expand(b, matrix.get(..size).unwrap_or(&[]), &cofactors);
    let one = crate::ir::build::alu::float(1.0, b.f.width(determinant));
    let factor = b.fdiv(one, determinant);
    let transposed = (0..size).flat_map(|row| cofactors.iter().skip(row).step_by(size));
    transposed.map(|part| b.fmul(*part, factor)).collect()
}

#[cfg(test)]
mod tests {
    use bumpalo::Bump;

    use super::*;
    use crate::ir::{Build, Function, IrOp, Type};

    /// The operations of a product of a row of three values with three others, the last of which is `last`.
    fn operations(last: Option<Src>, prepare: impl Fn(&mut Builder<'_, '_>)) -> Vec<&'static str> {
        let bump = Bump::new();
        let mut f = Function::new(&bump, "test");
        let mut b = Builder::start(&mut f);
        prepare(&mut b);
        let [x, y] = [0, 1].map(|side| {
            [0, 1, 2].map(|at| Src::value(b.value(IrOp::Preload, Type::B32, &[], &[6 * side + 2 * at])))
        });
        fused_dot(&mut b, x.iter(), &[y[0], y[1], last.unwrap_or(y[2])]);
        let names = b.f.insts.keys().map(|inst| b.f.insts[inst].op.name());
        names.filter(|name| *name != "preload").collect()
    }

    #[test]
    fn products_of_rows_are_fused_where_that_is_allowed() {
        assert_eq!(operations(None, |_| {}), ["fmul", "ffma", "ffma"]);
        let separate = ["fmul", "fmul", "fadd", "fmul", "fadd"];
        assert_eq!(operations(None, |b| b.f.contract = false), separate);
        assert!(!operations(None, |b| b.mode.separate = true).contains(&"ffma"));
        // A constant may eliminate the product.
        assert_eq!(operations(Some(Src::f32(2.0)), |_| {}), ["fmul", "ffma", "fmul", "fadd"]);
    }
}
