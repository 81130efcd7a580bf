//! Conversions between floats: all widths, the bfloat16 encoding, and decorated rounding.

use spirv::{Decoration, FPRoundingMode};

use super::arith;
use super::eval::Eval;
use super::module::Def;
use super::types::{Kind, Ty};
use super::values::Values;
use super::words::Inst;
use crate::error::{CompileError, ValueError};
use crate::ir::Arithmetic;
use crate::ir::build::alu::FloatCond;
use crate::ir::builder::Builder;
use crate::ir::src::Src;

/// The encoding of a float.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    /// IEEE 754, with this number of bits.
    Ieee(u8),
    /// The upper half of an IEEE number of 32 bits.
    Bfloat16,
}

/// The direction in which inexact results are rounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rounding {
    /// To the nearest number; of two, the one whose last bit is zero.
    NearestEven,
    /// To the nearest number of lower or equal magnitude.
    TowardZero,
}

/// `OpFConvert`.
pub(super) fn convert_float<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let (ty, id) = (v.eval().ty(inst.word(0)?)?, inst.word(1)?);
    let rounding = match v.module.decorations.of(id, Decoration::FPRoundingMode) {
        Some(number) => rounding(number)?,
        None => Rounding::NearestEven,
    };
    let leaves = convert(&mut v.eval(), ty, inst.word(2)?, rounding)?;
    let leaves = v.apart(ty, leaves);
    v.define(id, Def::Value(ty, leaves))
}

fn rounding(number: u32) -> Result<Rounding, CompileError> {
    match FPRoundingMode::from_u32(number) {
        Some(FPRoundingMode::RTE) => Ok(Rounding::NearestEven),
        Some(FPRoundingMode::RTZ) => Ok(Rounding::TowardZero),
        _ => Err(ValueError::Rounding { number }.into()),
    }
}

fn convert<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    ty: Ty,
    operand: u32,
    rounding: Rounding,
) -> Result<&'a [Src], CompileError> {
    let (source, scalars) = eval.value(operand)?;
    let (from, to) = (format(eval, source)?, format(eval, ty)?);
    let count = eval.types.leaf_count(ty)?;
    if scalars.len() != count {
        let found = scalars.len();
        return Err(ValueError::Components { id: operand, expected: count, found }.into());
    }
    let converted = eval.bump.alloc_slice_copy(scalars);
    for scalar in &mut *converted {
        *scalar = component(eval.b, *scalar, from, to, rounding);
    }
    eval.checked(ty, converted)
}

/// The encoding of a type's scalars.
fn format(eval: &Eval<'_, '_, '_>, ty: Ty) -> Result<Format, CompileError> {
    let (scalar, _) = eval.types.scalar_and_count(ty)?;
    match eval.types.kind(scalar) {
        Kind::Float { bits } => Ok(Format::Ieee(bits)),
        Kind::Bfloat16 => Ok(Format::Bfloat16),
        _ => Err(ValueError::NotAFloat.into()),
    }
}

/// Whether the result or the operand of a conversion has elements of bfloat16.
pub(super) fn is_of_bfloat16(
    eval: &Eval<'_, '_, '_>,
    ty: Ty,
    operands: &[u32],
) -> Result<bool, CompileError> {
    let of = |ty: Ty| -> Result<bool, CompileError> {
        Ok(matches!(eval.types.kind(eval.types.scalar_and_count(ty)?.0), Kind::Bfloat16))
    };
    match operands {
        [id, ..] => Ok(of(ty)? || of(eval.value(*id)?.0)?),
        [] => Ok(false),
    }
}

/// Converts between bfloat16 and floats or integers, by floats of 32 or 64 bits.
pub(super) fn convert_bfloat16<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    row: &arith::Row,
    ty: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let &[id, ..] = operands else { return Err(ValueError::Missing { index: 0, count: 0 }.into()) };
    let (from, scalars) = eval.value(id)?;
    if format(eval, from).is_ok() && format(eval, ty).is_ok() {
        return convert(eval, ty, id, Rounding::NearestEven);
    }
    let is_result = format(eval, ty).is_ok();
    let bits = eval.types.leaves(ty)?.first().copied().unwrap_or(16);
    let converted = eval.bump.alloc_slice_copy(scalars);
    for scalar in &mut *converted {
        *scalar = if is_result {
            // Exact for integers of up to 32 bits, so that the result is rounded once.
            let wide = arith::component_of(eval, row, &[*scalar], 64)?;
            component(eval.b, wide, Format::Ieee(64), Format::Bfloat16, Rounding::NearestEven)
        } else {
            let wide = from_bfloat16(eval.b, *scalar);
            arith::component_of(eval, row, &[wide], bits)?
        };
    }
    eval.checked(ty, converted)
}

/// The number of 32 bits that equals a bfloat16 number.
pub(super) fn from_bfloat16(b: &mut Builder<'_, '_>, x: Src) -> Src {
    component(b, x, Format::Bfloat16, Format::Ieee(32), Rounding::NearestEven)
}

/// The bfloat16 number that is nearest to one of 32 bits.
pub(super) fn to_bfloat16(b: &mut Builder<'_, '_>, x: Src) -> Src {
    component(b, x, Format::Ieee(32), Format::Bfloat16, Rounding::NearestEven)
}

fn component(b: &mut Builder<'_, '_>, x: Src, from: Format, to: Format, rounding: Rounding) -> Src {
    if from == to {
        return x;
    }
    let x = match from {
        Format::Ieee(_) => x,
        Format::Bfloat16 => {
            let wide = b.uconv(x, 32);
            b.shl(wide, Src::imm(16, 32))
        }
    };
    let width = b.f.width(x);
    match (to, rounding) {
        (Format::Ieee(bits), Rounding::TowardZero) if bits < width => toward_zero(b, x, bits),
        (Format::Ieee(bits), _) => b.fconv(x, bits),
        (Format::Bfloat16, _) => {
            let word = match (width, rounding) {
                (64, Rounding::NearestEven) => to_odd(b, x),
                (64, Rounding::TowardZero) => toward_zero(b, x, 32),
                _ => b.fconv(x, 32),
            };
            upper_half(b, word, rounding)
        }
    }
}

/// Converts `x` to fewer bits, rounding toward zero: the nearest number, or the one before it in magnitude. The encodings
/// of neighbours of one sign are neighbours as integers, up to infinity.
fn toward_zero(b: &mut Builder<'_, '_>, x: Src, bits: u8) -> Src {
    let nearest = b.fconv(x, bits);
    let back = b.fconv(nearest, b.f.width(x));
    let (exact, rounded) = (b.fabs(x), b.fabs(back));
    let is_beyond = b.fcmp(FloatCond::GT, rounded, exact);
    let before = b.isub(nearest, Src::imm(1, bits));
    b.select(is_beyond, before, nearest)
}

/// Converts 64 bits to 32, rounding inexact results to the neighbour whose last bit is set: what a second rounding to
/// fewer bits gives is then correct for `x`.
fn to_odd(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let truncated = toward_zero(b, x, 32);
    let back = b.fconv(truncated, 64);
    let is_inexact = b.fcmp(FloatCond::NE, back, x);
    let odd = b.or(truncated, Src::imm(1, 32));
    b.select(is_inexact, odd, truncated)
}

/// The bfloat16 number for one of 32 bits.
fn upper_half(b: &mut Builder<'_, '_>, x: Src, rounding: Rounding) -> Src {
    let upper = b.ushr(x, Src::imm(16, 32));
    let rounded = match rounding {
        Rounding::TowardZero => upper,
        Rounding::NearestEven => {
            // Adds just less than half of the last place, and the last bit itself; a carry into the exponent is the
            // next power of two, or infinity.
            let last = b.and(upper, Src::imm(1, 32));
            let bias = b.iadd(last, Src::imm(0x7fff, 32));
            let sum = b.iadd(x, bias);
            b.ushr(sum, Src::imm(16, 32))
        }
    };
    let is_nan = b.fcmp(FloatCond::NE, x, x);
    let quiet = b.or(upper, Src::imm(0x40, 32));
    let word = b.select(is_nan, quiet, rounded);
    b.uconv(word, 16)
}
