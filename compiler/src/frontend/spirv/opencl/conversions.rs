//! Conversions with a direction of rounding, and conversions that limit their results.

use spirv::{Decoration, FPRoundingMode, Op};

use super::super::kernel::wrong;
use super::super::types::Kind;
use super::super::values::Values;
use super::super::words::Inst;
use super::images;
use crate::error::{CompileError, ValueError};
use crate::ir::Arithmetic;
use crate::ir::build::alu::{FloatCond, IntCond, float};
use crate::ir::builder::Builder;
use crate::ir::src::Src;

/// The direction in which inexact results are rounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rounding {
    /// To the nearest number; of two, the one whose last bit is zero.
    NearestEven,
    /// To the nearest number of lower or equal magnitude.
    TowardZero,
    /// To the nearest greater or equal number.
    Up,
    /// To the nearest lower or equal number.
    Down,
}

/// The direction with a number.
pub(super) fn rounding(number: u32) -> Result<Rounding, CompileError> {
    match FPRoundingMode::from_u32(number) {
        Some(FPRoundingMode::RTE) => Ok(Rounding::NearestEven),
        Some(FPRoundingMode::RTZ) => Ok(Rounding::TowardZero),
        Some(FPRoundingMode::RTP) => Ok(Rounding::Up),
        Some(FPRoundingMode::RTN) => Ok(Rounding::Down),
        _ => Err(ValueError::Rounding { number }.into()),
    }
}

/// A number of one encoding moved to the next in a direction where the rounded number is beyond the exact one: `above`
/// and `below` tell where it is greater and less.
fn corrected(b: &mut Builder<'_, '_>, nearest: Src, (above, below): (Src, Src), rounding: Rounding) -> Src {
    let bits = b.f.width(nearest);
    let one = Src::imm(1, bits);
    let (next, previous) = (b.iadd(nearest, one), b.isub(nearest, one));
    let is_negative = b.is_negative(nearest);
    let (larger, smaller) = (b.select(is_negative, previous, next), b.select(is_negative, next, previous));
    match rounding {
        Rounding::NearestEven => nearest,
        Rounding::Up => b.select(below, larger, nearest),
        Rounding::Down => {
            // Below zero is the least negative number.
            let zero = Src::imm(0, bits);
            let is_zero = b.icmp(IntCond::EQ, nearest, zero);
            let least = Src::imm(1 << bits.saturating_sub(1) | 1, bits);
            let smaller = b.select(is_zero, least, smaller);
            b.select(above, smaller, nearest)
        }
        Rounding::TowardZero => {
            let beyond = b.select(is_negative, below, above);
            b.select(beyond, previous, nearest)
        }
    }
}

/// A float as one of `bits` bits.
pub(super) fn convert(b: &mut Builder<'_, '_>, x: Src, bits: u8, rounding: Rounding) -> Src {
    let width = b.f.width(x);
    let nearest = b.fconv(x, bits);
    if bits >= width || rounding == Rounding::NearestEven {
        return nearest;
    }
    let back = b.fconv(nearest, width);
    let (above, below) = (b.fcmp(FloatCond::GT, back, x), b.fcmp(FloatCond::LT, back, x));
    corrected(b, nearest, (above, below), rounding)
}

/// An integer as a float of `bits` bits.
fn from_integer(b: &mut Builder<'_, '_>, x: Src, signed: bool, bits: u8, rounding: Rounding) -> Src {
    let nearest = b.int_to_float(x, signed, bits);
    if rounding == Rounding::NearestEven {
        return nearest;
    }
    let is_wide = b.f.width(x) == 64;
    let wide = if signed { b.sconv(x, 64) } else { b.uconv(x, 64) };
    let number = b.fconv(nearest, bits.max(32));
    let width = bits.max(32);
    let power = if signed && is_wide { 63 } else { 64 };
    let limit = float(2f64.powi(if is_wide { power } else { 33 }), width);
    let is_beyond = b.fcmp(FloatCond::GE, number, limit);
    let inside = b.select(is_beyond, float(0.0, width), number);
    let back = b.float_to_int(inside, signed || !is_wide, 64);
    let (greater, less) = match signed || !is_wide {
        true => (IntCond::SGT, IntCond::SLT),
        false => (IntCond::UGT, IntCond::ULT),
    };
    let above = b.icmp(greater, back, wide);
    let above = b.or(above, is_beyond);
    let below = b.icmp(less, back, wide);
    let within = b.not(is_beyond);
    let below = b.and(below, within);
    corrected(b, nearest, (above, below), rounding)
}

/// A float as an integer.
fn to_integer(
    b: &mut Builder<'_, '_>,
    x: Src,
    (signed, bits): (bool, u8),
    rounding: Rounding,
    saturates: bool,
) -> Src {
    let x = if b.f.width(x) == 16 { b.fconv(x, 32) } else { x };
    let x = match rounding {
        Rounding::TowardZero => x,
        Rounding::NearestEven => b.rint(x),
        Rounding::Up => b.ceil(x),
        Rounding::Down => b.floor(x),
    };
    let wide = b.float_to_int(x, signed, bits.max(32));
    let result = b.uconv(wide, bits);
    if !saturates {
        return result;
    }
    let width = b.f.width(x);
    let power = i32::from(bits).saturating_sub(signed.into());
    let all = u64::MAX >> 64u32.saturating_sub(bits.into());
    let (least, most) = if signed { (1u64 << bits.saturating_sub(1), all >> 1) } else { (0, all) };
    let is_above = b.fcmp(FloatCond::GE, x, float(2f64.powi(power), width));
    let floor = if signed { -(2f64.powi(power)) } else { 0.0 };
    let is_below = b.fcmp(FloatCond::LT, x, float(floor, width));
    let result = b.select(is_above, Src::imm(most, bits), result);
    let result = b.select(is_below, Src::imm(least, bits), result);
    let is_nan = b.fcmp(FloatCond::NE, x, x);
    b.select(is_nan, Src::imm(0, bits), result)
}

/// An integer as one of another width and signedness, limited to those that it can be.
fn limited(b: &mut Builder<'_, '_>, x: Src, (from_signed, to_signed): (bool, bool), bits: u8) -> Src {
    let width = b.f.width(x);
    let all = u64::MAX >> 64u32.saturating_sub(bits.into());
    let most = if to_signed { all >> 1 } else { all };
    let x = if from_signed && !to_signed { b.imax(x, Src::imm(0, width)) } else { x };
    let widest = u64::MAX >> 64u32.saturating_sub(width.into()) >> u32::from(from_signed);
    let x = if most >= widest {
        x
    } else if from_signed {
        b.imin(x, Src::imm(most, width))
    } else {
        b.umin(x, Src::imm(most, width))
    };
    let x = if from_signed && to_signed && bits < width { b.imax(x, Src::imm(!most, width)) } else { x };
    if from_signed { b.sconv(x, bits) } else { b.uconv(x, bits) }
}

/// Whether any or all integers of a vector are negative: producers apply the instructions for booleans to integers too. Returns
/// false for booleans.
fn of_signs<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<bool, CompileError> {
    let (_, leaves) = v.eval().value(inst.word(2)?)?;
    if leaves.iter().any(|leaf| v.kit.b.f.width(*leaf) == 1) {
        return Ok(false);
    }
    let b = &mut v.kit.b;
    let mut result = Src::bool(inst.op == Op::All);
    for leaf in leaves {
        let sign = b.is_negative(*leaf);
        result = if inst.op == Op::All { b.and(result, sign) } else { b.or(result, sign) };
    }
    v.define_leaves(inst, &[result])?;
    Ok(true)
}

/// Builds an instruction whose meaning in kernels differs, such as a conversion with decorations; returns false for others.
pub(in super::super) fn special<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<bool, CompileError> {
    if images::instruction(v, inst)? {
        return Ok(true);
    }
    if matches!(inst.op, Op::Any | Op::All) {
        return of_signs(v, inst);
    }
    use Op::{ConvertFToS, ConvertFToU, ConvertSToF, ConvertUToF, FConvert, SConvert, UConvert};
    let is_conversion = matches!(
        inst.op,
        ConvertFToS | ConvertFToU | ConvertSToF | ConvertUToF | FConvert | SConvert | UConvert
    );
    if !is_conversion {
        return Ok(false);
    }
    let id = inst.word(1)?;
    let decorations = &v.module.decorations;
    let mode = decorations.of(id, Decoration::FPRoundingMode).map(rounding).transpose()?;
    let saturates = decorations.has(id, Decoration::SaturatedConversion);
    if mode.is_none() && !saturates {
        return Ok(false);
    }
    build(v, inst, mode, saturates).map(|()| true)
}

/// Whether the result is a float, and what the operand must be.
fn kinds(op: Op) -> (bool, bool) {
    let to_float = matches!(op, Op::ConvertSToF | Op::ConvertUToF | Op::FConvert);
    let from_float = matches!(op, Op::ConvertFToS | Op::ConvertFToU | Op::FConvert);
    (from_float, to_float)
}

fn build<'a>(
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    mode: Option<Rounding>,
    saturates: bool,
) -> Result<(), CompileError> {
    convert_by(v, inst, (inst.op, inst.word(2)?), (mode, saturates))
}

/// Defines the result of an instruction as the conversion of an operand by an opcode.
pub(super) fn convert_by<'a>(
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    (op, operand): (Op, u32),
    (mode, saturates): (Option<Rounding>, bool),
) -> Result<(), CompileError> {
    let ty = v.eval().ty(inst.word(0)?)?;
    let (from, leaves) = v.eval().value(operand)?;
    let is_float = |ty| -> Result<bool, CompileError> {
        match v.types.kind(v.types.scalar_and_count(ty)?.0) {
            Kind::Float { .. } => Ok(true),
            Kind::Int { .. } => Ok(false),
            _ => Err(wrong("numbers")),
        }
    };
    if (is_float(from)?, is_float(ty)?) != kinds(op) {
        return Err(wrong("the numbers that the conversion is for"));
    }
    let widths = v.types.leaves(ty)?;
    let mut result = Vec::with_capacity(widths.len());
    for (x, bits) in leaves.iter().zip(widths) {
        let b = &mut v.kit.b;
        let nearest = mode.unwrap_or(Rounding::NearestEven);
        let toward_zero = mode.unwrap_or(Rounding::TowardZero);
        result.push(match op {
            Op::FConvert => convert(b, *x, *bits, nearest),
            Op::ConvertSToF => from_integer(b, *x, true, *bits, nearest),
            Op::ConvertUToF => from_integer(b, *x, false, *bits, nearest),
            Op::ConvertFToS => to_integer(b, *x, (true, *bits), toward_zero, saturates),
            Op::ConvertFToU => to_integer(b, *x, (false, *bits), toward_zero, saturates),
            Op::SatConvertSToU => limited(b, *x, (true, false), *bits),
            Op::SatConvertUToS => limited(b, *x, (false, true), *bits),
            Op::SConvert if saturates => limited(b, *x, (true, true), *bits),
            Op::UConvert if saturates => limited(b, *x, (false, false), *bits),
            Op::SConvert => b.sconv(*x, *bits),
            _ => b.uconv(*x, *bits),
        });
    }
    v.define_leaves(inst, &result)
}

/// `OpSatConvertSToU` and `OpSatConvertUToS`.
pub(in super::super) fn saturate<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    build(v, inst, None, true)
}
