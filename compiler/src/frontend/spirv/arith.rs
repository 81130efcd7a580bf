//! Component-wise operations: one row per opcode.

use spirv::Op;

use super::eval::Eval;
use super::types::{Kind, Ty};
use crate::error::{CompileError, ValueError};
use crate::ir::build::alu::{FloatCond, IntCond, float};
use crate::ir::builder::Builder;
use crate::ir::src::Src;
use crate::ir::{Arithmetic, Build};

/// The kind of a row's operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Domain {
    /// Booleans.
    Bool,
    /// Integers of any signedness.
    Unsigned,
    /// Integers that are sign-extended if the hardware has no operation of their width.
    Signed,
    /// Floats.
    Float,
}

impl Domain {
    /// Its name in errors.
    fn name(self) -> &'static str {
        match self {
            Domain::Bool => "booleans",
            Domain::Unsigned | Domain::Signed => "integers",
            Domain::Float => "floats",
        }
    }
}

/// The components of a row's result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// The kind and width of the first operand.
    Same,
    /// Booleans.
    Bool,
    /// Integers of any width.
    Integer,
    /// Floats of any width.
    Float,
}

/// A component-wise operation.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub domain: Domain,
    /// Number of operands.
    pub arity: usize,
    /// Whether all operands must have the width of the first.
    pub uniform: bool,
    /// The kind of the result.
    pub outcome: Outcome,
    /// Whether the second operand is a shift amount: see [`Eval::masks_shifts`].
    pub shifts: bool,
    /// Builds one component from the operands and the width of the result in bits.
    pub build: fn(&mut Builder<'_, '_>, &[Src], u8) -> Src,
}

impl Row {
    /// Whether it converts from or to floats.
    pub(super) fn converts(&self) -> bool {
        match self.outcome {
            Outcome::Float => true,
            Outcome::Integer => self.domain == Domain::Float,
            Outcome::Same | Outcome::Bool => false,
        }
    }
}

/// Rows of component-wise operations: opcode, domain of the operands (`free`: widths may differ; `shift`:
/// widths may differ, and the second operand is a shift amount), outcome if it differs from the first
/// operand, recipe.
macro_rules! rows {
    ($ops:ident; $($op:ident $domain:ident $(($free:ident))? $(-> $outcome:ident)? = |$b:ident, [$($arg:ident),*], $bits:tt| $body:expr;)*) => {
        /// The operations with a row.
        #[cfg(test)]
        pub(super) const OPS: &[$ops] = &[$($ops::$op),*];

        /// The row of `op`, if it has one.
        pub(super) fn row(op: $ops) -> Option<&'static Row> {
            Some(match op {
                $($ops::$op => const { &Row {
                    domain: Domain::$domain,
                    arity: [$(stringify!($arg)),*].len(),
                    uniform: !rows!(@free $($free)?),
                    outcome: rows!(@outcome $($outcome)?),
                    shifts: rows!(@shifts $($free)?),
                    build: |$b, args, $bits| {
                        let &[$($arg),*] = args else { unreachable!("the number of operands is checked") };
                        $body
                    },
                } },)*
                _ => return None,
            })
        }
    };
    (@free) => { false };
    (@free free) => { true };
    (@free shift) => { true };
    (@shifts) => { false };
    (@shifts free) => { false };
    (@shifts shift) => { true };
    (@outcome) => { Outcome::Same };
    (@outcome $outcome:ident) => { Outcome::$outcome };
}
pub(super) use rows;

rows! { Op;
    SNegate Unsigned = |b, [x], _| b.ineg(x);
    IAdd Unsigned = |b, [x, y], _| b.iadd(x, y);
    ISub Unsigned = |b, [x, y], _| b.isub(x, y);
    IMul Unsigned = |b, [x, y], _| b.imul(x, y);
    UDiv Unsigned = |b, [x, y], _| b.udiv(x, y);
    SDiv Signed = |b, [x, y], _| b.sdiv(x, y);
    UMod Unsigned = |b, [x, y], _| b.umod(x, y);
    SRem Signed = |b, [x, y], _| b.srem(x, y);
    SMod Signed = |b, [x, y], _| b.smod(x, y);
    ShiftRightLogical Unsigned(shift) = |b, [x, y], _| { let y = b.uconv(y, 32); b.ushr(x, y) };
    ShiftRightArithmetic Signed(shift) = |b, [x, y], _| { let y = b.uconv(y, 32); b.sshr(x, y) };
    ShiftLeftLogical Unsigned(shift) = |b, [x, y], _| { let y = b.uconv(y, 32); b.shl(x, y) };
    BitwiseOr Unsigned = |b, [x, y], _| b.or(x, y);
    BitwiseXor Unsigned = |b, [x, y], _| b.xor(x, y);
    BitwiseAnd Unsigned = |b, [x, y], _| b.and(x, y);
    Not Unsigned = |b, [x], _| b.not(x);
    BitReverse Unsigned = |b, [x], _| reverse(b, x);
    BitCount Unsigned -> Integer = |b, [x], bits| count(b, x, bits);
    AbsUSubINTEL Unsigned = |b, [x, y], _| { let (low, high) = (b.umin(x, y), b.umax(x, y)); b.isub(high, low) };
    AbsISubINTEL Signed = |b, [x, y], _| { let (low, high) = (b.imin(x, y), b.imax(x, y)); b.isub(high, low) };

    IEqual Unsigned -> Bool = |b, [x, y], _| b.icmp(IntCond::EQ, x, y);
    INotEqual Unsigned -> Bool = |b, [x, y], _| b.icmp(IntCond::NE, x, y);
    UGreaterThan Unsigned -> Bool = |b, [x, y], _| b.icmp(IntCond::UGT, x, y);
    SGreaterThan Signed -> Bool = |b, [x, y], _| b.icmp(IntCond::SGT, x, y);
    UGreaterThanEqual Unsigned -> Bool = |b, [x, y], _| b.icmp(IntCond::UGE, x, y);
    SGreaterThanEqual Signed -> Bool = |b, [x, y], _| b.icmp(IntCond::SGE, x, y);
    ULessThan Unsigned -> Bool = |b, [x, y], _| b.icmp(IntCond::ULT, x, y);
    SLessThan Signed -> Bool = |b, [x, y], _| b.icmp(IntCond::SLT, x, y);
    ULessThanEqual Unsigned -> Bool = |b, [x, y], _| b.icmp(IntCond::ULE, x, y);
    SLessThanEqual Signed -> Bool = |b, [x, y], _| b.icmp(IntCond::SLE, x, y);

    LogicalEqual Bool = |b, [x, y], _| b.xnor(x, y);
    LogicalNotEqual Bool = |b, [x, y], _| b.xor(x, y);
    LogicalOr Bool = |b, [x, y], _| b.or(x, y);
    LogicalAnd Bool = |b, [x, y], _| b.and(x, y);
    LogicalNot Bool = |b, [x], _| b.not(x);

    FNegate Float = |b, [x], _| b.fneg(x);
    FAdd Float = |b, [x, y], _| b.fadd(x, y);
    FSub Float = |b, [x, y], _| b.fsub(x, y);
    FMul Float = |b, [x, y], _| b.fmul(x, y);
    FDiv Float = |b, [x, y], _| b.fdiv(x, y);
    FRem Float = |b, [x, y], _| { let q = b.fdiv(x, y); let n = b.trunc(q); subtract_multiple(b, x, n, y) };
    FMod Float = |b, [x, y], _| { let q = b.fdiv(x, y); let n = b.floor(q); subtract_multiple(b, x, n, y) };

    FOrdEqual Float -> Bool = |b, [x, y], _| b.fcmp(FloatCond::EQ, x, y);
    FUnordEqual Float -> Bool = |b, [x, y], _| { let differ = less_or_greater(b, x, y); b.not(differ) };
    FOrdNotEqual Float -> Bool = |b, [x, y], _| less_or_greater(b, x, y);
    FUnordNotEqual Float -> Bool = |b, [x, y], _| b.fcmp(FloatCond::NE, x, y);
    FOrdLessThan Float -> Bool = |b, [x, y], _| b.fcmp(FloatCond::LT, x, y);
    FUnordLessThan Float -> Bool = |b, [x, y], _| b.fcmp(FloatCond::UNORD_LT, x, y);
    FOrdGreaterThan Float -> Bool = |b, [x, y], _| b.fcmp(FloatCond::GT, x, y);
    FUnordGreaterThan Float -> Bool = |b, [x, y], _| b.fcmp(FloatCond::UNORD_GT, x, y);
    FOrdLessThanEqual Float -> Bool = |b, [x, y], _| b.fcmp(FloatCond::LE, x, y);
    FUnordLessThanEqual Float -> Bool = |b, [x, y], _| b.fcmp(FloatCond::UNORD_LE, x, y);
    FOrdGreaterThanEqual Float -> Bool = |b, [x, y], _| b.fcmp(FloatCond::GE, x, y);
    FUnordGreaterThanEqual Float -> Bool = |b, [x, y], _| b.fcmp(FloatCond::UNORD_GE, x, y);
    LessOrGreater Float -> Bool = |b, [x, y], _| less_or_greater(b, x, y);
    IsNan Float -> Bool = |b, [x], _| b.fcmp(FloatCond::NE, x, x);
    IsInf Float -> Bool = |b, [x], _| {
        let (magnitude, infinity) = (b.fabs(x), float(f64::INFINITY, b.f.width(x)));
        b.fcmp(FloatCond::EQ, magnitude, infinity)
    };
    IsFinite Float -> Bool = |b, [x], _| {
        let (magnitude, infinity) = (b.fabs(x), float(f64::INFINITY, b.f.width(x)));
        b.fcmp(FloatCond::LT, magnitude, infinity)
    };
    IsNormal Float -> Bool = |b, [x], _| is_normal(b, x);
    SignBitSet Float -> Bool = |b, [x], _| b.is_negative(x);
    Ordered Float -> Bool = |b, [x, y], _| {
        let (p, q) = (b.fcmp(FloatCond::EQ, x, x), b.fcmp(FloatCond::EQ, y, y));
        b.and(p, q)
    };
    Unordered Float -> Bool = |b, [x, y], _| {
        let (p, q) = (b.fcmp(FloatCond::NE, x, x), b.fcmp(FloatCond::NE, y, y));
        b.or(p, q)
    };

    ConvertFToU Float -> Integer = |b, [x], bits| b.float_to_int(x, false, bits);
    ConvertFToS Float -> Integer = |b, [x], bits| b.float_to_int(x, true, bits);
    ConvertSToF Signed -> Float = |b, [x], bits| b.int_to_float(x, true, bits);
    ConvertUToF Unsigned -> Float = |b, [x], bits| b.int_to_float(x, false, bits);
    UConvert Unsigned -> Integer = |b, [x], bits| b.uconv(x, bits);
    SConvert Signed -> Integer = |b, [x], bits| b.sconv(x, bits);
    FConvert Float -> Float = |b, [x], bits| b.fconv(x, bits);
    QuantizeToF16 Float = |b, [x], _| quantize(b, x);

    BitFieldInsert Unsigned(free) = |b, [base, insert, offset, count], _| insert_bits(b, base, insert, offset, count);
    BitFieldSExtract Signed(free) = |b, [base, offset, count], _| extract_signed(b, base, offset, count);
    BitFieldUExtract Unsigned(free) = |b, [base, offset, count], _| extract_unsigned(b, base, offset, count);
}

/// Whether a number is neither zero, denormal, infinite nor NaN.
fn is_normal(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let bits = b.f.width(x);
    let (magnitude, infinity) = (b.fabs(x), float(f64::INFINITY, bits));
    let least = match bits {
        16 => float(2f64.powi(-14), 16),
        64 => float(f64::MIN_POSITIVE, 64),
        _ => float(2f64.powi(-126), 32),
    };
    let (is_finite, is_large) =
        (b.fcmp(FloatCond::LT, magnitude, infinity), b.fcmp(FloatCond::GE, magnitude, least));
    b.and(is_finite, is_large)
}

/// Evaluates a row on every component. 8-bit scalars are computed in 16 bits.
pub(super) fn elementwise<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    row: &Row,
    ty: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let widths = eval.types.leaves(ty)?;
    let mut lists: [&[Src]; 4] = [&[]; 4];
    if operands.len() < row.arity {
        return Err(ValueError::TooFew { expected: row.arity, found: operands.len() }.into());
    }
    for (index, (list, id)) in lists.iter_mut().zip(operands).take(row.arity).enumerate() {
        let (operand, leaves) = eval.value(*id)?;
        check_domain(eval, if index == 0 { row.domain } else { tail_domain(row) }, operand)?;
        // The offset and count of bit-field operations are scalars even if the other operands are vectors.
        let broadcast = leaves.len() == 1 && index >= 1 && !row.uniform;
        if leaves.len() != widths.len() && !broadcast {
            return Err(
                ValueError::Components { id: *id, expected: widths.len(), found: leaves.len() }.into()
            );
        }
        *list = leaves;
    }
    check_outcome(eval, row, ty, lists[0])?;
    let result = eval.bump.alloc_slice_fill_copy(widths.len(), Src::NONE);
    for (component, (slot, bits)) in result.iter_mut().zip(widths).enumerate() {
        let mut args = [Src::NONE; 4];
        for (arg, list) in args.iter_mut().zip(&lists).take(row.arity) {
            *arg = part(list, component);
        }
        if row.shifts && eval.masks_shifts {
            let last = u64::from(eval.b.f.width(args[0])).saturating_sub(1);
            let mask = Src::imm(last, eval.b.f.width(args[1]));
            args[1] = eval.b.and(args[1], mask);
        }
        *slot = component_of(eval, row, args.get(..row.arity).unwrap_or(&args), *bits)?;
    }
    eval.checked(ty, result)
}

/// The scalar of an operand for a component: a scalar operand is used for each.
fn part(operand: &[Src], component: usize) -> Src {
    match operand {
        [only] => *only,
        all => all.get(component).copied().unwrap_or(Src::NONE),
    }
}

/// The domain of the operands after the first.
fn tail_domain(row: &Row) -> Domain {
    if row.uniform { row.domain } else { Domain::Unsigned }
}

fn check_domain(eval: &Eval<'_, '_, '_>, domain: Domain, ty: Ty) -> Result<(), CompileError> {
    let (scalar, _) = eval.types.scalar_and_count(ty)?;
    match (domain, eval.types.kind(scalar)) {
        (Domain::Float, Kind::Float { .. }) | (Domain::Bool, Kind::Bool) => Ok(()),
        (_, Kind::Bfloat16) => Err(ValueError::Bfloat16.into()),
        (Domain::Float, _) => Err(ValueError::NotAFloat.into()),
        (Domain::Unsigned | Domain::Signed, Kind::Int { .. }) => Ok(()),
        _ => Err(ValueError::OperandType { expected: domain.name() }.into()),
    }
}

/// Checks that the components of the result type are what the row gives for a first operand with these
/// scalars.
fn check_outcome(eval: &Eval<'_, '_, '_>, row: &Row, ty: Ty, first: &[Src]) -> Result<(), CompileError> {
    let (scalar, _) = eval.types.scalar_and_count(ty)?;
    let width = first.first().map(|leaf| eval.b.f.width(*leaf));
    let fits = match (eval.types.kind(scalar), row.outcome, row.domain) {
        (Kind::Bool, Outcome::Bool, _) | (Kind::Bool, Outcome::Same, Domain::Bool) => true,
        (Kind::Int { .. }, Outcome::Integer, _) | (Kind::Float { .. }, Outcome::Float, _) => true,
        (Kind::Int { bits }, Outcome::Same, Domain::Signed | Domain::Unsigned)
        | (Kind::Float { bits }, Outcome::Same, Domain::Float) => width == Some(bits),
        _ => false,
    };
    match fits {
        true => Ok(()),
        false if matches!(eval.types.kind(scalar), Kind::Bfloat16) => Err(ValueError::Bfloat16.into()),
        false => Err(ValueError::ResultType.into()),
    }
}

#[inline]
pub(super) fn component_of(
    eval: &mut Eval<'_, '_, '_>,
    row: &Row,
    args: &[Src],
    bits: u8,
) -> Result<Src, CompileError> {
    let width = args.first().map_or(0, |first| eval.b.f.width(*first));
    if row.uniform && args.iter().any(|arg| eval.b.f.width(*arg) != width) {
        return Err(ValueError::Widths { expected: width }.into());
    }
    if width != 8 {
        return Ok((row.build)(eval.b, args, bits));
    }
    let mut wide = [Src::NONE; 4];
    for (wide, arg) in wide.iter_mut().zip(args) {
        *wide = match (eval.b.f.width(*arg), row.domain) {
            (8, Domain::Signed) => eval.b.sconv(*arg, 16),
            (8, _) => eval.b.uconv(*arg, 16),
            _ => *arg,
        };
    }
    let result =
        (row.build)(eval.b, wide.get(..args.len()).unwrap_or(&wide), if bits == 8 { 16 } else { bits });
    let result_bits = eval.b.f.width(result);
    Ok(if bits == 8 && result_bits != 1 { eval.b.uconv(result, 8) } else { result })
}

/// x − n·y, rounded once.
fn subtract_multiple(b: &mut Builder<'_, '_>, x: Src, n: Src, y: Src) -> Src {
    let negated = b.fneg(n);
    b.ffma(negated, y, x)
}

fn less_or_greater(b: &mut Builder<'_, '_>, x: Src, y: Src) -> Src {
    let (less, greater) = (b.fcmp(FloatCond::LT, x, y), b.fcmp(FloatCond::GT, x, y));
    b.or(less, greater)
}

/// Rounds to the precision and range of a half float; results that are denormal as halves become zero.
fn quantize(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let (bits, x) = (b.f.width(x), b.fconv(x, 32));
    let half = b.fconv(x, 16);
    let back = b.fconv(half, 32);
    let magnitude = b.fabs(back);
    let tiny = b.fcmp(FloatCond::LT, magnitude, Src::f32(6.103_515_6e-5));
    let sign = b.and(x, Src::imm32(0x8000_0000));
    let rounded = b.select(tiny, sign, back);
    b.fconv(rounded, bits)
}

fn reverse(b: &mut Builder<'_, '_>, x: Src) -> Src {
    if b.f.width(x) != 64 {
        return b.bitrev(x);
    }
    let (low, high) = halves(b, x);
    let (low, high) = (b.bitrev(high), b.bitrev(low));
    join(b, low, high)
}

pub(super) fn count(b: &mut Builder<'_, '_>, x: Src, bits: u8) -> Src {
    let total = if b.f.width(x) == 64 {
        let (low, high) = halves(b, x);
        let (low, high) = (b.popcnt(low), b.popcnt(high));
        b.iadd(low, high)
    } else {
        b.popcnt(x)
    };
    b.uconv(total, bits)
}

/// The two words of a 64-bit integer.
pub(super) fn halves(b: &mut Builder<'_, '_>, x: Src) -> (Src, Src) {
    let [low, high] = b.split_into(x, crate::ir::types::Type::B32);
    (low, high)
}

/// A 64-bit integer composed of two words.
pub(super) fn join(b: &mut Builder<'_, '_>, low: Src, high: Src) -> Src {
    match (low.as_imm(), high.as_imm()) {
        (Some(low), Some(high)) => Src::imm(high << 32 | low, 64),
        _ => b.collect(crate::ir::types::Type::B64, &[low, high]),
    }
}

/// 2^count − 1 in the width of `like`; all ones if the count equals the width.
fn low_mask(b: &mut Builder<'_, '_>, count: Src, like: Src) -> Src {
    let one = Src::imm(1, b.f.width(like));
    let count = b.uconv(count, 32);
    let power = b.shl(one, count);
    b.isub(power, one)
}

fn insert_bits(b: &mut Builder<'_, '_>, base: Src, insert: Src, offset: Src, count: Src) -> Src {
    let offset = b.uconv(offset, 32);
    let mask = low_mask(b, count, base);
    let mask = b.shl(mask, offset);
    let insert = b.shl(insert, offset);
    let kept = b.not(mask);
    let (kept, insert) = (b.and(base, kept), b.and(insert, mask));
    b.or(kept, insert)
}

fn extract_unsigned(b: &mut Builder<'_, '_>, base: Src, offset: Src, count: Src) -> Src {
    let offset = b.uconv(offset, 32);
    let moved = b.ushr(base, offset);
    let mask = low_mask(b, count, base);
    b.and(moved, mask)
}

/// Shifts the field to the top and back with its sign; a field of zero bits is 0.
fn extract_signed(b: &mut Builder<'_, '_>, base: Src, offset: Src, count: Src) -> Src {
    let bits = b.f.width(base);
    let (offset, count) = (b.uconv(offset, 32), b.uconv(count, 32));
    let width = Src::imm32(u32::from(bits));
    let back = b.isub(width, count);
    let up = b.isub(back, offset);
    let top = b.shl(base, up);
    let field = b.sshr(top, back);
    let empty = b.icmp(IntCond::EQ, count, Src::imm32(0));
    b.select(empty, Src::imm(0, bits), field)
}
