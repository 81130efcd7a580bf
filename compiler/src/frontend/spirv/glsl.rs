//! The extended instructions of GLSL: component-wise ones as rows, the others by shape.

use spirv::GlslStd450Op;

use super::arith::{self, Domain, Outcome, Row, rows};
use super::glsl_math as math;
use super::interface::StageIo;
use super::matrix;
use super::module::Def;
use super::owners::Memory;
use super::types::{Kind, Ty};
use super::values::Values;
use super::words::Inst;
use super::{fragment, memory, pointers};
use crate::error::{CompileError, ModuleError, ValueError};
use crate::ir::Arithmetic;
use crate::ir::build::alu::{FloatCond, IntCond, float, int};
use crate::ir::builder::Builder;
use crate::ir::function::Access;
use crate::ir::src::Src;

rows! { GlslStd450Op;
    Round Float = |b, [x], _| b.rint(x);
    RoundEven Float = |b, [x], _| b.rint(x);
    Trunc Float = |b, [x], _| b.trunc(x);
    Floor Float = |b, [x], _| b.floor(x);
    Ceil Float = |b, [x], _| b.ceil(x);
    Fract Float = |b, [x], _| { let whole = b.floor(x); b.fsub(x, whole) };
    FAbs Float = |b, [x], _| b.fabs(x);
    SAbs Signed = |b, [x], _| { let negated = b.ineg(x); b.imax(x, negated) };
    FSign Float = |b, [x], _| math::sign(b, x);
    SSign Signed = |b, [x], _| {
        let bits = b.f.width(x);
        let capped = b.imin(x, int(1, bits));
        b.imax(capped, int(-1, bits))
    };
    Radians Float = |b, [x], bits| b.fmul(x, float(std::f64::consts::PI / 180.0, bits));
    Degrees Float = |b, [x], bits| b.fmul(x, float(180.0 / std::f64::consts::PI, bits));
    Sin Float = |b, [x], _| b.fsin(x);
    Cos Float = |b, [x], _| b.fcos(x);
    Tan Float = |b, [x], _| math::single(b, x, math::tan);
    Asin Float = |b, [x], _| math::single(b, x, math::asin);
    Acos Float = |b, [x], _| math::single(b, x, math::acos);
    Atan Float = |b, [x], _| math::single(b, x, math::atan);
    Sinh Float = |b, [x], _| math::single(b, x, math::sinh);
    Cosh Float = |b, [x], _| math::single(b, x, math::cosh);
    Tanh Float = |b, [x], _| math::single(b, x, math::tanh);
    Asinh Float = |b, [x], _| math::single(b, x, math::asinh);
    Acosh Float = |b, [x], _| math::single(b, x, math::acosh);
    Atanh Float = |b, [x], _| math::single(b, x, math::atanh);
    Atan2 Float = |b, [y, x], _| math::single2(b, y, x, math::atan2);
    Pow Float = |b, [x, y], _| math::single2(b, x, y, math::pow);
    Exp Float = |b, [x], _| math::single(b, x, math::exp);
    Log Float = |b, [x], _| math::single(b, x, math::log);
    Exp2 Float = |b, [x], _| b.exp2(x);
    Log2 Float = |b, [x], _| b.log2(x);
    Sqrt Float = |b, [x], _| b.fsqrt(x);
    InverseSqrt Float = |b, [x], _| b.rsqrt(x);
    FMin Float = |b, [x, y], _| least(b, x, y);
    UMin Unsigned = |b, [x, y], _| b.umin(x, y);
    SMin Signed = |b, [x, y], _| b.imin(x, y);
    FMax Float = |b, [x, y], _| greatest(b, x, y);
    UMax Unsigned = |b, [x, y], _| b.umax(x, y);
    SMax Signed = |b, [x, y], _| b.imax(x, y);
    FClamp Float = |b, [x, low, high], _| { let x = greatest(b, x, low); least(b, x, high) };
    UClamp Unsigned = |b, [x, low, high], _| { let x = b.umax(x, low); b.umin(x, high) };
    SClamp Signed = |b, [x, low, high], _| { let x = b.imax(x, low); b.imin(x, high) };
    FMix Float = |b, [x, y, a], bits| {
        let rest = b.fsub(float(1.0, bits), a);
        let first = b.fmul(x, rest);
        b.ffma(y, a, first)
    };
    Step Float = |b, [edge, x], bits| {
        let is_below = b.fcmp(FloatCond::LT, x, edge);
        b.select(is_below, float(0.0, bits), float(1.0, bits))
    };
    SmoothStep Float = |b, [low, high, x], _| math::smooth_step(b, low, high, x);
    Fma Float = |b, [x, y, z], _| b.ffma(x, y, z);
    Ldexp Float(free) = |b, [x, exponent], _| math::ldexp(b, x, exponent);
    FindILsb Unsigned -> Integer = |b, [x], bits| {
        let x = b.uconv(x, word_or_pair(b.f.width(x)));
        let negated = b.ineg(x);
        let lowest = b.and(x, negated);
        highest_bit(b, lowest, bits)
    };
    FindSMsb Signed -> Integer = |b, [x], bits| {
        let width = word_or_pair(b.f.width(x));
        let x = b.sconv(x, width);
        let sign = b.sshr(x, Src::imm32(u32::from(width).saturating_sub(1)));
        let differing = b.xor(x, sign);
        highest_bit(b, differing, bits)
    };
    FindUMsb Unsigned -> Integer = |b, [x], bits| {
        let x = b.uconv(x, word_or_pair(b.f.width(x)));
        highest_bit(b, x, bits)
    };
    NMin Float = |b, [x, y], _| least(b, x, y);
    NMax Float = |b, [x, y], _| greatest(b, x, y);
    NClamp Float = |b, [x, low, high], _| { let x = greatest(b, x, low); least(b, x, high) };
}

/// The smaller of two numbers. Where signs of zeros are kept, -0 is smaller than 0; the hardware takes them as equal.
fn least(b: &mut Builder<'_, '_>, x: Src, y: Src) -> Src {
    let least = b.fmin(x, y);
    or_by_sign(b, [x, y], least, Builder::imin)
}

/// The greater of two numbers, as [`least`].
fn greatest(b: &mut Builder<'_, '_>, x: Src, y: Src) -> Src {
    let greatest = b.fmax(x, y);
    or_by_sign(b, [x, y], greatest, Builder::imax)
}

/// `chosen`, or what `by_bits` chooses of two numbers that are equal, if signs of zeros are kept.
fn or_by_sign<'f, 'a>(
    b: &mut Builder<'f, 'a>,
    [x, y]: [Src; 2],
    chosen: Src,
    by_bits: fn(&mut Builder<'f, 'a>, Src, Src) -> Src,
) -> Src {
    if !b.mode.signed_zero {
        return chosen;
    }
    let are_equal = b.fcmp(FloatCond::EQ, x, y);
    let by_bits = by_bits(b, x, y);
    b.select(are_equal, by_bits, chosen)
}

/// The width in which the bits of an integer of `bits` bits are searched.
fn word_or_pair(bits: u8) -> u8 {
    bits.max(32)
}

/// The index of the highest set bit of `x`, of 32 or 64 bits, or -1 if there is none, in `bits` bits.
fn highest_bit(b: &mut Builder<'_, '_>, x: Src, bits: u8) -> Src {
    if b.f.width(x) == 32 {
        let index = b.most_significant_bit(x);
        return b.sconv(index, bits);
    }
    let (low, high) = arith::halves(b, x);
    let (lower, upper) = (b.most_significant_bit(low), b.most_significant_bit(high));
    let above = b.iadd(upper, Src::imm32(32));
    let is_low = b.icmp(IntCond::EQ, high, Src::imm32(0));
    let index = b.select(is_low, lower, above);
    b.sconv(index, bits)
}

/// Functions that the extended instruction set defines only for floats of 16 and 32 bits.
#[rustfmt::skip]
const SINGLE_ONLY: &[GlslStd450Op] = {
    use GlslStd450Op as G;
    &[
        G::Radians, G::Degrees, G::Sin, G::Cos, G::Tan, G::Asin, G::Acos, G::Atan, G::Sinh, G::Cosh, G::Tanh,
        G::Asinh, G::Acosh, G::Atanh, G::Atan2, G::Pow, G::Exp, G::Log, G::Exp2, G::Log2,
    ]
};

/// Integers or floats packed into words: component width, largest value of a normalised component,
/// signedness.
#[derive(Clone, Copy)]
struct Packing {
    bits: u8,
    scale: f64,
    signed: bool,
}

/// The packing of a pack or unpack instruction.
fn packing(op: GlslStd450Op) -> Option<Packing> {
    use GlslStd450Op as G;
    let (bits, scale, signed) = match op {
        G::PackSnorm4x8 | G::UnpackSnorm4x8 => (8, 127.0, true),
        G::PackUnorm4x8 | G::UnpackUnorm4x8 => (8, 255.0, false),
        G::PackSnorm2x16 | G::UnpackSnorm2x16 => (16, 32767.0, true),
        G::PackUnorm2x16 | G::UnpackUnorm2x16 => (16, 65535.0, false),
        _ => return None,
    };
    Some(Packing { bits, scale, signed })
}

/// Translates an extended instruction.
pub(super) fn glsl<'a>(
    io: &mut StageIo<'a>,
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let number = inst.word(3)?;
    let op = GlslStd450Op::from_u32(number).ok_or(ModuleError::UnknownExtended { number })?;
    let named = |error: CompileError| error.within(format!("{op:?}"));
    let ty = v.eval().ty(inst.word(0)?)?;
    let leaves = match row(op) {
        Some(row) => {
            check_word(v, op, inst)?;
            arith::elementwise(&mut v.eval(), row, ty, inst.rest(4)).map_err(named)?
        }
        None => {
            let list = shaped(io, m, v, op, ty, inst).map_err(named)?;
            let list = v.bump.alloc_slice_copy(&list);
            v.eval().checked(ty, list)?
        }
    };
    let leaves = v.apart(ty, leaves);
    v.define(inst.word(1)?, Def::Value(ty, leaves))
}

/// Checks that the operand of a transcendental function has at most 32 bits.
fn check_word<'a>(v: &mut Values<'_, 'a>, op: GlslStd450Op, inst: &Inst<'a>) -> Result<(), CompileError> {
    if SINGLE_ONLY.contains(&op) {
        let (_, leaves) = v.eval().value(inst.word(4)?)?;
        if leaves.iter().any(|leaf| v.kit.b.f.width(*leaf) == 64) {
            return Err(ValueError::Extended { why: "64-bit floats are not supported" }.into());
        }
    }
    Ok(())
}

/// Instructions that are not component-wise.
fn shaped<'a>(
    io: &mut StageIo<'a>,
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    op: GlslStd450Op,
    ty: Ty,
    inst: &Inst<'a>,
) -> Result<Vec<Src>, CompileError> {
    use GlslStd450Op as G;
    if matches!(op, G::InterpolateAtCentroid | G::InterpolateAtSample | G::InterpolateAtOffset) {
        return fragment::interpolate_at(io, m, v, op, inst);
    }
    let x = v.eval().value(inst.word(4)?)?;
    match op {
        G::Modf | G::ModfStruct | G::Frexp | G::FrexpStruct => return two_results(m, v, op, ty, x, inst),
        G::PackHalf2x16 | G::UnpackHalf2x16 | G::PackDouble2x32 | G::UnpackDouble2x32 => {
            return halves_or_doubles(v, op, x.1);
        }
        G::Determinant | G::MatrixInverse => return square_matrix(v, op, x),
        _ => {}
    }
    if let Some(packing) = packing(op) {
        let b = &mut v.kit.b;
        if x.1.iter().any(|x| b.f.width(*x) != 32) {
            return Err(ValueError::Extended { why: "the type is wrong" }.into());
        }
        return match (op, x.1) {
            (G::UnpackSnorm4x8 | G::UnpackUnorm4x8 | G::UnpackSnorm2x16 | G::UnpackUnorm2x16, [word]) => {
                Ok(unpack(b, packing, *word))
            }
            (_, list) if list.len() == usize::from(32u8.checked_div(packing.bits).unwrap_or(0)) => {
                Ok(vec![pack(b, packing, list)])
            }
            _ => Err(ValueError::Extended { why: "the number of components is wrong" }.into()),
        };
    }
    v.eval().check_float(x.0)?;
    let mut others = [&[][..]; 2];
    for (other, id) in others.iter_mut().zip(inst.rest(5)) {
        let (ty, leaves) = v.eval().value(*id)?;
        v.eval().check_float(ty)?;
        *other = leaves;
    }
    geometry(&mut v.kit.b, op, x.1, others[0], others[1])
}

fn two_results<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    op: GlslStd450Op,
    ty: Ty,
    (operand, x): (Ty, &'a [Src]),
    inst: &Inst<'a>,
) -> Result<Vec<Src>, CompileError> {
    use GlslStd450Op as G;
    v.eval().check_float(operand)?;
    let is_struct = matches!(op, G::ModfStruct | G::FrexpStruct);
    let second_bits = if is_struct { v.types.leaves(ty)?.last().copied().unwrap_or(32) } else { 32 };
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for x in x {
        let (fraction, other) = if matches!(op, G::Modf | G::ModfStruct) {
            math::modf(&mut v.kit.b, *x)
        } else {
            let (fraction, exponent) = math::frexp(&mut v.kit.b, *x);
            (fraction, v.kit.b.sconv(exponent, second_bits))
        };
        first.push(fraction);
        second.push(other);
    }
    if is_struct {
        first.append(&mut second);
    } else {
        let pointer = pointers::pointer(m, v, inst.word(5)?)?;
        memory::store(v, pointer, &second, Access::empty())?;
    }
    Ok(first)
}

fn halves_or_doubles(v: &mut Values<'_, '_>, op: GlslStd450Op, x: &[Src]) -> Result<Vec<Src>, CompileError> {
    use GlslStd450Op as G;
    let widths: Vec<u8> = x.iter().map(|x| v.kit.b.f.width(*x)).collect();
    let b = &mut v.kit.b;
    match (op, x, widths.as_slice()) {
        (G::PackHalf2x16, [low, high], [32, 32]) => {
            let parts = [b.fconv(*low, 16), b.fconv(*high, 16)];
            Ok(vec![super::composite::join_integer(b, &parts, 32)])
        }
        (G::UnpackHalf2x16, [word], [32]) => {
            let parts = super::composite::split_integer(b, *word, 16);
            Ok(parts.into_iter().map(|half| b.fconv(half, 32)).collect())
        }
        (G::PackDouble2x32, [low, high], [32, 32]) => Ok(vec![arith::join(b, *low, *high)]),
        (G::UnpackDouble2x32, [double], [64]) => {
            let (low, high) = arith::halves(b, *double);
            Ok(vec![low, high])
        }
        _ => Err(ValueError::Extended { why: "the type is wrong" }.into()),
    }
}

fn square_matrix(
    v: &mut Values<'_, '_>,
    op: GlslStd450Op,
    (ty, leaves): (Ty, &[Src]),
) -> Result<Vec<Src>, CompileError> {
    let Kind::Matrix { column, count } = v.types.kind(ty) else {
        return Err(ValueError::NotSquare.into());
    };
    v.eval().check_float(column)?;
    let size = count as usize;
    if leaves.len() != size.saturating_mul(size) {
        return Err(ValueError::NotSquare.into());
    }
    Ok(match op {
        GlslStd450Op::Determinant => vec![matrix::determinant(&mut v.kit.b, leaves, size)],
        _ => matrix::inverse(&mut v.kit.b, leaves, size),
    })
}

/// Rounds and packs normalised components, the first lowest.
fn pack(b: &mut Builder<'_, '_>, packing: Packing, list: &[Src]) -> Src {
    let least = if packing.signed { -1.0 } else { 0.0 };
    let mut parts = Vec::with_capacity(list.len());
    for x in list {
        let x = b.fmax(*x, Src::f32(least));
        let x = b.fmin(x, Src::f32(1.0));
        let scaled = b.fmul(x, Src::f32(packing.scale as f32));
        let rounded = b.rint(scaled);
        let integer = b.float_to_int(rounded, packing.signed, 32);
        parts.push(b.uconv(integer, packing.bits));
    }
    super::composite::join_integer(b, &parts, 32)
}

/// Normalised components of a word, the lowest first.
fn unpack(b: &mut Builder<'_, '_>, packing: Packing, word: Src) -> Vec<Src> {
    let mut list = Vec::new();
    for part in super::composite::split_integer(b, word, packing.bits) {
        let wide = if packing.signed { b.sconv(part, 32) } else { b.uconv(part, 32) };
        let number = b.int_to_float(wide, packing.signed, 32);
        let scaled = b.fmul(number, Src::f32((1.0 / packing.scale) as f32));
        list.push(if packing.signed { b.fmax(scaled, Src::f32(-1.0)) } else { scaled });
    }
    list
}

/// Geometric functions.
fn geometry(
    b: &mut Builder<'_, '_>,
    op: GlslStd450Op,
    x: &[Src],
    y: &[Src],
    z: &[Src],
) -> Result<Vec<Src>, CompileError> {
    use GlslStd450Op as G;
    let n = x.len();
    let width = |list: &[Src]| list.first().or(x.first()).map(|x| b.f.width(*x));
    // The ratio of indices of refraction has any width.
    if width(y) != width(x) || (width(z) != width(x) && op != G::Refract) {
        return Err(ValueError::ExtendedOperands { name: format!("{op:?}") }.into());
    }
    Ok(match op {
        G::Length => vec![length(b, x)],
        G::Distance if y.len() == n => {
            let difference: Vec<Src> = x.iter().zip(y).map(|(x, y)| b.fsub(*x, *y)).collect();
            vec![length(b, &difference)]
        }
        G::Normalize => normalize(b, x),
        G::Cross if n == 3 && y.len() == 3 => cross(b, x, y),
        G::FaceForward if y.len() == n && z.len() == n => {
            let side = matrix::dot(b, z, y);
            let zero = float(0.0, b.f.width(side));
            let keeps = b.fcmp(FloatCond::LT, side, zero);
            x.iter()
                .map(|x| {
                    let negated = b.fneg(*x);
                    b.select(keeps, *x, negated)
                })
                .collect()
        }
        G::Reflect if y.len() == n => {
            let along = matrix::dot(b, y, x);
            let twice = b.fadd(along, along);
            subtract_scaled(b, x, twice, y)
        }
        G::Refract if y.len() == n && z.len() == 1 => refract(b, x, y, z),
        _ => return Err(ValueError::ExtendedOperands { name: format!("{op:?}") }.into()),
    })
}

/// The cross product of two vectors.
fn cross(b: &mut Builder<'_, '_>, x: &[Src], y: &[Src]) -> Vec<Src> {
    fn turned(vector: &[Src], by: usize) -> impl Iterator<Item = Src> {
        vector.iter().copied().cycle().skip(by).take(3)
    }
    let left = turned(x, 1).zip(turned(y, 2));
    let right = turned(x, 2).zip(turned(y, 1));
    let component = |((xi, yj), (xj, yi))| {
        let (first, second) = (b.fmul(xi, yj), b.fmul(xj, yi));
        b.fsub(first, second)
    };
    left.zip(right).map(component).collect()
}

/// √(x·x), in 32 bits so that half floats do not overflow; for a scalar, its absolute value.
fn length(b: &mut Builder<'_, '_>, x: &[Src]) -> Src {
    if let [x] = x {
        return b.fabs(*x);
    }
    let bits = x.first().map_or(32, |x| b.f.width(*x));
    let wide: Vec<Src> = x.iter().map(|x| b.fconv(*x, bits.max(32))).collect();
    let square = matrix::dot(b, &wide, &wide);
    let root = b.fsqrt(square);
    b.fconv(root, bits)
}

fn normalize(b: &mut Builder<'_, '_>, x: &[Src]) -> Vec<Src> {
    let bits = x.first().map_or(32, |x| b.f.width(*x));
    let wide: Vec<Src> = x.iter().map(|x| b.fconv(*x, bits.max(32))).collect();
    let square = matrix::dot(b, &wide, &wide);
    let factor = b.rsqrt(square);
    let scaled = matrix::scale(b, &wide, factor);
    scaled.into_iter().map(|x| b.fconv(x, bits)).collect()
}

/// x − factor·y.
fn subtract_scaled(b: &mut Builder<'_, '_>, x: &[Src], factor: Src, y: &[Src]) -> Vec<Src> {
    let negated = b.fneg(factor);
    x.iter().zip(y).map(|(x, y)| b.ffma(negated, *y, *x)).collect()
}

/// The refracted direction, zero under total reflection.
fn refract(b: &mut Builder<'_, '_>, incident: &[Src], normal: &[Src], eta: &[Src]) -> Vec<Src> {
    let bits = incident.first().map_or(32, |x| b.f.width(*x));
    let (zero, one) = (float(0.0, bits), float(1.0, bits));
    let eta = b.fconv(eta.first().copied().unwrap_or(one), bits);
    let along = matrix::dot(b, normal, incident);
    let negated = b.fneg(along);
    let sine = b.ffma(negated, along, one);
    let square = b.fmul(eta, eta);
    let bent = b.fmul(square, sine);
    let k = b.fsub(one, bent);
    let is_total = b.fcmp(FloatCond::LT, k, zero);
    let root = b.fsqrt(k);
    let factor = b.ffma(eta, along, root);
    let scaled = matrix::scale(b, incident, eta);
    let refracted = subtract_scaled(b, &scaled, factor, normal);
    refracted.into_iter().map(|x| b.select(is_total, zero, x)).collect()
}
