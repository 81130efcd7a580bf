//! Operations that move components, and operations with several results.

use bumpalo::collections::Vec as ArenaVec;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::arith::{halves, join};
use super::eval::Eval;
use super::types::{Kind, Ty};
use crate::error::{CompileError, TypeError, ValueError};
use crate::ir::build::alu::{IntCond, int};
use crate::ir::builder::Builder;
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::ir::{Arithmetic, Build, key};

/// An operand of an instruction.
fn operand(operands: &[u32], index: usize) -> Result<u32, CompileError> {
    operands
        .get(index)
        .copied()
        .ok_or_else(|| CompileError::from(ValueError::Missing { index, count: operands.len() }))
}

/// The operand, unchanged.
pub(super) fn copy<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    _: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    Ok(eval.value(operand(operands, 0)?)?.1)
}

/// A part of a composite.
pub(super) fn extract<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    _: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let (from, leaves) = eval.value(operand(operands, 0)?)?;
    let (_, start, count) = locate(eval, from, operands.get(1..).unwrap_or(&[]))?;
    leaves.get(start..start.saturating_add(count)).ok_or_else(outside)
}

/// The internal error for a type that does not match its scalars.
fn outside() -> CompileError {
    CompileError::internal("a part outside of its composite")
}

/// A composite with one part replaced.
pub(super) fn insert<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    _: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let (_, object) = eval.value(operand(operands, 0)?)?;
    let (into, leaves) = eval.value(operand(operands, 1)?)?;
    let (_, start, count) = locate(eval, into, operands.get(2..).unwrap_or(&[]))?;
    if object.len() != count {
        return Err(ValueError::Inserted { expected: count, found: object.len() }.into());
    }
    let mut result = leaves.to_vec();
    let part = result.get_mut(start..start.saturating_add(count)).ok_or_else(outside)?;
    part.copy_from_slice(object);
    Ok(eval.keep(&result))
}

/// A component with a computed index.
pub(super) fn extract_dynamic<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    _: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let (_, vector) = eval.value(operand(operands, 0)?)?;
    let index = eval.scalar(operand(operands, 1)?)?;
    eval.check_integer(index)?;
    eval.check_widths(vector)?;
    let numbered: Vec<(u32, Src)> = (0..).zip(vector.iter().copied()).collect();
    let chosen = choose(eval.b, &numbered, index)?;
    Ok(eval.keep(&[chosen]))
}

/// A vector with one component replaced, at a computed index.
pub(super) fn insert_dynamic<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    _: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let (_, vector) = eval.value(operand(operands, 0)?)?;
    let (component, index) = (eval.scalar(operand(operands, 1)?)?, eval.scalar(operand(operands, 2)?)?);
    eval.check_integer(index)?;
    eval.check_widths(vector.iter().chain([&component]))?;
    let result = replace(eval.b, vector, index, component);
    Ok(eval.keep(&result))
}

/// All components of a vector combined by `join`.
pub(super) fn reduce<'a, 'f>(
    eval: &mut Eval<'_, 'f, 'a>,
    operands: &[u32],
    join: fn(&mut Builder<'f, 'a>, Src, Src) -> Src,
) -> Result<&'a [Src], CompileError> {
    let (_, vector) = eval.value(operand(operands, 0)?)?;
    let result = vector.iter().copied().reduce(|x, y| join(eval.b, x, y));
    Ok(eval.keep(&[result.ok_or(ValueError::EmptyList)?]))
}

/// Converts between an address and an integer.
pub(super) fn convert_address<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    ty: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let bits = eval.types.leaves(ty)?.first().copied().unwrap_or(64);
    let address = eval.scalar(operand(operands, 0)?)?;
    eval.check_integer(address)?;
    if bits == 1 {
        return Err(ValueError::ResultType.into());
    }
    let address = eval.b.uconv(address, bits);
    Ok(eval.keep(&[address]))
}

/// Compares two addresses for equality or inequality.
pub(super) fn compare_addresses<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    cond: IntCond,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let ((_, a), (_, b)) = (address(eval, operand(operands, 0)?)?, address(eval, operand(operands, 1)?)?);
    eval.check_integer(a)?;
    eval.check_widths([&a, &b])?;
    let result = eval.b.icmp(cond, a, b);
    Ok(eval.keep(&[result]))
}

/// The type and the address of a pointer that is a value.
fn address(eval: &mut Eval<'_, '_, '_>, id: u32) -> Result<(Ty, Src), CompileError> {
    match eval.value(id)? {
        (ty, [address]) => Ok((ty, *address)),
        (ty, [start, _, offset]) if matches!(eval.types.kind(ty), Kind::Pointer { .. }) => {
            let offset = eval.b.uconv(*offset, 64);
            Ok((ty, eval.b.iadd(*start, offset)))
        }
        _ => Err(ValueError::NotAPointer.into()),
    }
}

/// The number of elements between two addresses.
pub(super) fn address_difference<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    ty: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let ((pointer, a), (_, b)) =
        (address(eval, operand(operands, 0)?)?, address(eval, operand(operands, 1)?)?);
    eval.check_widths([&a, &b])?;
    let difference = eval.b.isub(a, b);
    let width = eval.b.f.width(difference);
    let elements = eval.b.sdiv(difference, int(i64::from(stride(eval, pointer)?), width));
    let bits = eval.types.leaves(ty)?.first().copied().unwrap_or(32);
    let elements = eval.b.sconv(elements, bits);
    Ok(eval.keep(&[elements]))
}

/// Stride in bytes of the array that pointers of a type move through.
fn stride(eval: &Eval<'_, '_, '_>, pointer: Ty) -> Result<u32, CompileError> {
    match eval.types.kind(pointer) {
        Kind::Pointer { stride: stride @ 1.., .. } => Ok(stride),
        Kind::Pointer { pointee: Some(pointee), .. } => Ok(eval.types.natural(pointee).0.max(1)),
        _ => Err(ValueError::NotAPointer.into()),
    }
}

/// The part of `ty` at `path`: its type, first scalar and number of scalars.
pub(super) fn locate(
    eval: &Eval<'_, '_, '_>,
    mut ty: Ty,
    path: &[u32],
) -> Result<(Ty, usize, usize), CompileError> {
    let mut start = 0usize;
    for index in path {
        if let Some(count) = eval.types.element_count(ty).filter(|count| index >= count) {
            return Err(ValueError::OutOfBounds { index: u64::from(*index), count: u64::from(count) }.into());
        }
        let (part, leaf) = eval.types.element(ty, *index)?;
        start = start.saturating_add(leaf as usize);
        ty = part;
    }
    Ok((ty, start, eval.types.leaf_count(ty)?))
}

/// A composite constructed from its parts; each element of a cooperative matrix is the only operand.
pub(super) fn construct<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    ty: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    if matches!(eval.types.kind(ty), Kind::CooperativeMatrix { .. }) {
        return replicate(eval, ty, operands);
    }
    if let [only] = operands {
        return Ok(eval.value(*only)?.1);
    }
    let mut result = ArenaVec::with_capacity_in(operands.len(), eval.bump);
    for id in operands {
        result.extend_from_slice_copy(eval.value(*id)?.1);
        if result.len() > super::types::MAX_LEAVES as usize {
            return Err(TypeError::Scalars { most: super::types::MAX_LEAVES }.into());
        }
    }
    Ok(result.into_bump_slice())
}

/// A composite whose parts are all the same value.
pub(super) fn replicate<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    ty: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let (part, all) = (eval.value(operand(operands, 0)?)?.1, eval.types.leaves(ty)?.len());
    let mut result = ArenaVec::with_capacity_in(all, eval.bump);
    result.extend(part.iter().copied().cycle().take(all));
    Ok(result.into_bump_slice())
}

/// Components of two vectors in any order.
pub(super) fn shuffle<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    _: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let (a, b) = (eval.value(operand(operands, 0)?)?.1, eval.value(operand(operands, 1)?)?.1);
    let picks = operands.get(2..).unwrap_or(&[]);
    let mut result = ArenaVec::with_capacity_in(picks.len(), eval.bump);
    for pick in picks {
        // All ones denotes an undefined component.
        let pick = if *pick == u32::MAX { 0 } else { *pick as usize };
        let component = pick.checked_sub(a.len()).map_or_else(|| a.get(pick), |pick| b.get(pick));
        result.push(*component.ok_or_else(|| ValueError::OutOfBounds {
            index: pick as u64,
            count: a.len().saturating_add(b.len()) as u64,
        })?);
    }
    Ok(result.into_bump_slice())
}

/// Selects the value whose number is `index`, or any value of the list if no number matches. The most frequent value is
/// the default, which saves its comparisons.
pub(super) fn choose(b: &mut Builder<'_, '_>, list: &[(u32, Src)], index: Src) -> Result<Src, CompileError> {
    let mut counts: HashMap<Src, u32, _> = HashMap::with_capacity_and_hasher(list.len(), FxBuildHasher);
    let mut frequent = None;
    for (_, value) in list {
        let count = counts.entry(*value).or_default();
        *count = count.saturating_add(1);
        // The last of equally frequent values.
        if frequent.is_none_or(|(_, most)| *count >= most) {
            frequent = Some((*value, *count));
        }
    }
    let (frequent, _) = frequent.ok_or(ValueError::EmptyList)?;
    let bits = b.f.width(index);
    let mut result = frequent;
    for (number, value) in list.iter().rev().filter(|(_, value)| *value != frequent) {
        let here = b.icmp(IntCond::EQ, index, Src::imm(u64::from(*number), bits));
        result = b.select(here, *value, result);
    }
    Ok(result)
}

/// The list with `element` at `index`; unchanged for indices out of bounds.
pub(super) fn replace(b: &mut Builder<'_, '_>, list: &[Src], index: Src, element: Src) -> Vec<Src> {
    let bits = b.f.width(index);
    let mut at = |(position, old): (usize, &Src)| {
        let here = b.icmp(IntCond::EQ, index, Src::imm(position as u64, bits));
        b.select(here, element, *old)
    };
    list.iter().enumerate().map(&mut at).collect()
}

/// One of two values, selected as a whole or by components.
pub(super) fn select<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    ty: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let value = |index| operand(operands, index).and_then(|id| Ok(eval.value(id)?.1));
    let (cond, a, b) = (value(0)?, value(1)?, value(2)?);
    let count = eval.types.leaf_count(ty)?;
    let same = a.iter().zip(b).all(|(a, b)| eval.b.f.width(*a) == eval.b.f.width(*b));
    let fits = a.len() == count && b.len() == count && (cond.len() == 1 || cond.len() == count) && same;
    if !fits || cond.iter().any(|cond| eval.b.f.width(*cond) != 1) {
        return Err(ValueError::ResultType.into());
    }
    let conditions = cond.iter().cycle();
    let result: Vec<Src> =
        conditions.zip(a.iter().zip(b)).map(|(cond, (a, b))| eval.b.select(*cond, *a, *b)).collect();
    Ok(eval.keep(&result))
}

/// The same bits as scalars of another width.
pub(super) fn bitcast<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    ty: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let (_, from) = eval.value(operand(operands, 0)?)?;
    let to = eval.types.leaves(ty)?;
    let (Some(old), Some(new)) = (from.first().map(|leaf| eval.b.f.width(*leaf)), to.first().copied()) else {
        return Err(ValueError::BitcastType.into());
    };
    let from_bits = from.len().saturating_mul(old.into());
    let to_bits = to.len().saturating_mul(new.into());
    if from_bits != to_bits || old == 1 {
        return Err(ValueError::BitcastSize { from: from_bits, to: to_bits }.into());
    }
    if old == new {
        return Ok(from);
    }
    let mut result = Vec::with_capacity(to.len());
    if old > new {
        for leaf in from {
            result.extend(split_integer(eval.b, *leaf, new));
        }
    } else {
        for group in from.chunks(new.checked_div(old).unwrap_or(1).into()) {
            result.push(join_integer(eval.b, group, new));
        }
    }
    Ok(eval.keep(&result))
}

/// Splits an integer into parts of `bits` bits, lowest first.
pub(super) fn split_integer(b: &mut Builder<'_, '_>, leaf: Src, bits: u8) -> Vec<Src> {
    let width = b.f.width(leaf);
    if bits >= 16 {
        return b.split(leaf, Type::scalar(bits), width.checked_div(bits).unwrap_or(1).into()).to_vec();
    }
    if width == 64 {
        let (low, high) = halves(b, leaf);
        let mut parts = split_integer(b, low, bits);
        parts.extend(split_integer(b, high, bits));
        return parts;
    }
    let byte = |index: u8| {
        let moved = b.ushr(leaf, Src::imm32(u32::from(index) * 8));
        b.uconv(moved, 8)
    };
    (0..width / 8).map(byte).collect()
}

/// An integer of `bits` bits composed of parts, lowest first.
pub(super) fn join_integer(b: &mut Builder<'_, '_>, parts: &[Src], bits: u8) -> Src {
    let part_bits = parts.first().map_or(bits, |part| b.f.width(*part));
    if part_bits >= 16 {
        let constant = parts.iter().rev().try_fold(0u64, |sum, part| Some(sum << part_bits | part.as_imm()?));
        return constant.map_or_else(|| b.collect(Type::scalar(bits), parts), |sum| Src::imm(sum, bits));
    }
    if bits == 64 {
        let (low, high) = parts.split_at(parts.len() / 2);
        let (low, high) = (join_integer(b, low, 32), join_integer(b, high, 32));
        return join(b, low, high);
    }
    let mut sum = Src::imm(0, bits);
    for (index, part) in parts.iter().enumerate() {
        let wide = b.uconv(*part, bits);
        let moved = b.shl(wide, Src::imm32((index as u32).wrapping_mul(part_bits.into())));
        sum = if index == 0 { moved } else { b.or(sum, moved) };
    }
    sum
}

/// Operations with two results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pair {
    /// Sum and carry.
    Carry,
    /// Difference and borrow.
    Borrow,
    /// Low and high half of an unsigned product.
    Unsigned,
    /// Low and high half of a signed product.
    Signed,
}

/// Both results: two concatenated lists.
pub(super) fn extended<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    pair: Pair,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let ((ty, xs), (_, ys)) = (eval.value(operand(operands, 0)?)?, eval.value(operand(operands, 1)?)?);
    let (scalar, _) = eval.types.scalar_and_count(ty)?;
    if xs.len() != ys.len() || !matches!(eval.types.kind(scalar), Kind::Int { .. }) {
        return Err(ValueError::IntegerPair { first: xs.len(), second: ys.len() }.into());
    }
    eval.check_widths(xs.iter().chain(ys))?;
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for (x, y) in xs.iter().zip(ys) {
        let (low, high) = match eval.b.f.width(*x) {
            8 => extended_byte(eval.b, pair, *x, *y),
            _ => extended_pair(eval.b, pair, *x, *y),
        };
        first.push(low);
        second.push(high);
    }
    first.append(&mut second);
    Ok(eval.keep(&first))
}

fn extended_pair(b: &mut Builder<'_, '_>, pair: Pair, x: Src, y: Src) -> (Src, Src) {
    let bits = b.f.width(x);
    match pair {
        Pair::Carry => {
            let sum = b.iadd(x, y);
            let carry = b.icmp(IntCond::ULT, sum, x);
            (sum, b.uconv(carry, bits))
        }
        Pair::Borrow => {
            let borrow = b.icmp(IntCond::ULT, x, y);
            (b.isub(x, y), b.uconv(borrow, bits))
        }
        Pair::Unsigned => (b.imul(x, y), b.umulh(x, y)),
        Pair::Signed => (b.imul(x, y), b.smulh(x, y)),
    }
}

/// The same for bytes, in 16 bits: the second result is the overflow.
fn extended_byte(b: &mut Builder<'_, '_>, pair: Pair, x: Src, y: Src) -> (Src, Src) {
    let [x, y] = [x, y].map(|byte| if pair == Pair::Signed { b.sconv(byte, 16) } else { b.uconv(byte, 16) });
    let whole = match pair {
        Pair::Carry => b.iadd(x, y),
        Pair::Borrow => b.isub(x, y),
        Pair::Unsigned | Pair::Signed => b.imul(x, y),
    };
    let above = b.ushr(whole, Src::imm32(8));
    // A borrow fills the upper byte.
    let above = if pair == Pair::Borrow { b.and(above, Src::imm(1, 16)) } else { above };
    (b.uconv(whole, 8), b.uconv(above, 8))
}

/// A kind of integer dot product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Dot {
    /// The first vector has signed components.
    first_signed: bool,
    /// The second vector has signed components.
    second_signed: bool,
    /// Whether an accumulator follows, with a saturating sum.
    saturates: bool,
}

impl Dot {
    /// Both vectors are signed.
    pub const SIGNED: Dot = Dot { first_signed: true, second_signed: true, saturates: false };
    /// Neither vector is signed.
    pub const UNSIGNED: Dot = Dot { first_signed: false, second_signed: false, saturates: false };
    /// The first vector is signed.
    pub const MIXED: Dot = Dot { first_signed: true, second_signed: false, saturates: false };

    /// The same with a saturating accumulator.
    pub const fn saturating(self) -> Dot {
        Dot { saturates: true, ..self }
    }
}

/// Dot product of integer vectors or of words packed with four bytes, optionally with a saturating
/// accumulator.
pub(super) fn integer_dot<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    dot: Dot,
    ty: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let id = |index| operand(operands, index);
    let Kind::Int { bits } = eval.types.kind(ty) else {
        return Err(ValueError::DotProduct { why: "expected an integer result" }.into());
    };
    let xs = components(eval.b, eval.value(id(0)?)?.1);
    let ys = components(eval.b, eval.value(id(1)?)?.1);
    if xs.len() != ys.len() || xs.iter().chain(&ys).any(|x| !(8..=bits.max(8)).contains(&eval.b.f.width(*x)))
    {
        return Err(ValueError::DotProduct {
            why: "the vectors differ, or their components are wider than the result",
        }
        .into());
    }
    // Products and sums wrap in the result's width, as specified.
    let width = bits.max(32);
    let mut sum = Src::imm(0, width);
    for (x, y) in xs.iter().zip(&ys) {
        let b = &mut *eval.b;
        let x = if dot.first_signed { b.sconv(*x, width) } else { b.uconv(*x, width) };
        let y = if dot.second_signed { b.sconv(*y, width) } else { b.uconv(*y, width) };
        let product = b.imul(x, y);
        sum = b.iadd(sum, product);
    }
    if dot.saturates {
        let accumulator = eval.scalar(id(2)?)?;
        if eval.b.f.width(accumulator) != bits {
            return Err(
                ValueError::DotProduct { why: "the accumulator differs in width from the result" }.into()
            );
        }
        let result = add_saturating(eval.b, sum, accumulator, dot.first_signed, bits);
        return Ok(eval.keep(&[result]));
    }
    let result = eval.b.uconv(sum, bits);
    Ok(eval.keep(&[result]))
}

/// The saturated sum of a number and an accumulator of `bits` bits. The number has 32 bits or more, of which
/// the low ones are significant.
fn add_saturating(b: &mut Builder<'_, '_>, x: Src, accumulator: Src, signed: bool, bits: u8) -> Src {
    match bits {
        32 => {
            let op = agx_isa::table::Opcode::Iadd;
            let mods = crate::ir::op::mods(op).with(key::SAT, true);
            let extend = |src: Src| if signed { src.with(agx_isa::inst::OperandFlags::SX) } else { src };
            b.alu(op, 32, &[extend(x), extend(accumulator)], &mods)
        }
        64 => {
            let sum = b.iadd(x, accumulator);
            if !signed {
                let wraps = b.icmp(IntCond::ULT, sum, x);
                return b.select(wraps, Src::imm(u64::MAX, 64), sum);
            }
            // It overflows if both operands have a sign different from the sum's.
            let (from_x, from_other) = (b.xor(sum, x), b.xor(sum, accumulator));
            let both = b.and(from_x, from_other);
            let overflows = b.is_negative(both);
            let is_low = b.is_negative(x);
            let end = b.select(is_low, int(i64::MIN, 64), int(i64::MAX, 64));
            b.select(overflows, end, sum)
        }
        _ => {
            let x = b.uconv(x, bits);
            let wide = |b: &mut Builder<'_, '_>, x| if signed { b.sconv(x, 32) } else { b.uconv(x, 32) };
            let (x, accumulator) = (wide(b, x), wide(b, accumulator));
            let sum = b.iadd(x, accumulator);
            let capped = if signed {
                let end = 1i64.wrapping_shl(u32::from(bits).wrapping_sub(1));
                let below = b.imin(sum, int(end.wrapping_sub(1), 32));
                b.imax(below, int(end.wrapping_neg(), 32))
            } else {
                b.umin(sum, int(1i64.wrapping_shl(bits.into()).wrapping_sub(1), 32))
            };
            b.uconv(capped, bits)
        }
    }
}

/// Components of a vector; for a packed word, its four bytes.
fn components(b: &mut Builder<'_, '_>, leaves: &[Src]) -> Vec<Src> {
    match leaves {
        [word] if b.f.width(*word) == 32 => split_integer(b, *word, 8),
        list => list.to_vec(),
    }
}
