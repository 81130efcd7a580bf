//! Operations that move components, and those that give several results.

use spirv::Op;

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

/// Evaluates `op`; `None` when it is not of this kind.
pub(super) fn evaluate<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    op: Op,
    ty: Ty,
    operands: &[u32],
) -> Result<Option<&'a [Src]>, CompileError> {
    let operand = |index| operand(operands, index);
    Ok(Some(match op {
        Op::CompositeConstruct => construct(eval, operands)?,
        Op::CompositeExtract => {
            let (from, leaves) = eval.value(operand(0)?)?;
            let (_, start, count) = locate(eval, from, operands.get(1..).unwrap_or(&[]))?;
            &leaves[start..start + count]
        }
        Op::CompositeInsert => {
            let (_, object) = eval.value(operand(0)?)?;
            let (into, leaves) = eval.value(operand(1)?)?;
            let (_, start, count) = locate(eval, into, operands.get(2..).unwrap_or(&[]))?;
            if object.len() != count {
                return Err(ValueError::Inserted { expected: count, found: object.len() }.into());
            }
            let mut result = leaves.to_vec();
            result[start..start + count].copy_from_slice(object);
            eval.keep(&result)
        }
        Op::CopyObject | Op::CopyLogical | Op::ExpectKHR => eval.value(operand(0)?)?.1,
        Op::VectorShuffle => shuffle(eval, operand(0)?, operand(1)?, &operands[2..])?,
        Op::VectorExtractDynamic => {
            let (_, vector) = eval.value(operand(0)?)?;
            let index = eval.scalar(operand(1)?)?;
            let chosen = choose(eval.b, vector, index)?;
            eval.keep(&[chosen])
        }
        Op::VectorInsertDynamic => {
            let (_, vector) = eval.value(operand(0)?)?;
            let (component, index) = (eval.scalar(operand(1)?)?, eval.scalar(operand(2)?)?);
            let result = replace(eval.b, vector, index, component);
            eval.keep(&result)
        }
        Op::Select => select(eval, ty, operand(0)?, operand(1)?, operand(2)?)?,
        Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => {
            integer_dot(eval, op, ty, operands)?
        }
        Op::Bitcast => bitcast(eval, ty, operand(0)?)?,
        Op::Any | Op::All => {
            let (_, vector) = eval.value(operand(0)?)?;
            let join = if op == Op::Any { Builder::or } else { Builder::and };
            let result = vector.iter().copied().reduce(|x, y| join(eval.b, x, y));
            eval.keep(&[result.ok_or_else(|| ValueError::EmptyList)?])
        }
        Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => {
            extended(eval, op, operand(0)?, operand(1)?)?
        }
        _ => return pointer_values(eval, op, ty, operands),
    }))
}

/// Evaluates operations on addresses; `None` when `op` is not one.
fn pointer_values<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    op: Op,
    ty: Ty,
    operands: &[u32],
) -> Result<Option<&'a [Src]>, CompileError> {
    let operand = |index| operand(operands, index);
    Ok(Some(match op {
        Op::ConvertPtrToU | Op::ConvertUToPtr => {
            let bits = eval.types.leaves(ty)?.first().copied().unwrap_or(64);
            let address = eval.scalar(operand(0)?)?;
            let address = eval.b.uconv(address, bits);
            eval.keep(&[address])
        }
        Op::PtrEqual | Op::PtrNotEqual => {
            let (a, b) = (eval.scalar(operand(0)?)?, eval.scalar(operand(1)?)?);
            let cond = if op == Op::PtrEqual { IntCond::EQ } else { IntCond::NE };
            let result = eval.b.icmp(cond, a, b);
            eval.keep(&[result])
        }
        Op::PtrDiff => {
            let ((pointer, a), b) = (eval.value(operand(0)?)?, eval.scalar(operand(1)?)?);
            let [a] = a else { return Err(ValueError::NotAPointer.into()) };
            let difference = eval.b.isub(*a, b);
            let width = eval.b.f.width(difference);
            let elements = eval.b.sdiv(difference, int(i64::from(stride(eval, pointer)?), width));
            let bits = eval.types.leaves(ty)?.first().copied().unwrap_or(32);
            let elements = eval.b.sconv(elements, bits);
            eval.keep(&[elements])
        }
        _ => return Ok(None),
    }))
}

/// Bytes from one element to the next of the array that pointers of a type move through.
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
    let mut start = 0;
    for index in path {
        if let Some(count) = eval.types.element_count(ty).filter(|count| index >= count) {
            return Err(ValueError::OutOfBounds { index: u64::from(*index), count: u64::from(count) }.into());
        }
        let (part, leaf) = eval.types.element(ty, *index)?;
        start += leaf as usize;
        ty = part;
    }
    Ok((ty, start, eval.types.leaf_count(ty)?))
}

fn construct<'a>(eval: &Eval<'_, '_, 'a>, operands: &[u32]) -> Result<&'a [Src], CompileError> {
    if let [only] = operands {
        return Ok(eval.value(*only)?.1);
    }
    let mut result = Vec::new();
    for id in operands {
        result.extend_from_slice(eval.value(*id)?.1);
        if result.len() > super::types::MAX_LEAVES as usize {
            return Err(TypeError::Scalars { most: super::types::MAX_LEAVES }.into());
        }
    }
    Ok(eval.keep(&result))
}

fn shuffle<'a>(eval: &Eval<'_, '_, 'a>, a: u32, b: u32, picks: &[u32]) -> Result<&'a [Src], CompileError> {
    let (a, b) = (eval.value(a)?.1, eval.value(b)?.1);
    let mut result = Vec::with_capacity(picks.len());
    for pick in picks {
        // All ones denotes a component that may be anything.
        let pick = if *pick == u32::MAX { 0 } else { *pick as usize };
        let component = if pick < a.len() { a.get(pick) } else { b.get(pick - a.len()) };
        result.push(*component.ok_or_else(|| ValueError::OutOfBounds {
            index: pick as u64,
            count: (a.len() + b.len()) as u64,
        })?);
    }
    Ok(eval.keep(&result))
}

/// Element `index` of a list, the last one for indices out of bounds.
pub(super) fn choose(b: &mut Builder<'_, '_>, list: &[Src], index: Src) -> Result<Src, CompileError> {
    let Some((last, rest)) = list.split_last() else {
        return Err(ValueError::EmptyList.into());
    };
    let bits = b.f.width(index);
    let mut result = *last;
    for (position, element) in rest.iter().enumerate().rev() {
        let here = b.icmp(IntCond::EQ, index, Src::imm(position as u64, bits));
        result = b.select(here, *element, result);
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

fn select<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    ty: Ty,
    cond: u32,
    a: u32,
    b: u32,
) -> Result<&'a [Src], CompileError> {
    let (cond, a, b) = (eval.value(cond)?.1, eval.value(a)?.1, eval.value(b)?.1);
    let count = eval.types.leaf_count(ty)?;
    let same = a.iter().zip(b).all(|(a, b)| eval.b.f.width(*a) == eval.b.f.width(*b));
    let fits = a.len() == count && b.len() == count && (cond.len() == 1 || cond.len() == count) && same;
    if !fits || cond.iter().any(|cond| eval.b.f.width(*cond) != 1) {
        return Err(ValueError::ResultType.into());
    }
    let result: Vec<Src> = (0..count)
        .map(|index| eval.b.select(cond[if cond.len() == 1 { 0 } else { index }], a[index], b[index]))
        .collect();
    Ok(eval.keep(&result))
}

fn bitcast<'a>(eval: &mut Eval<'_, '_, 'a>, ty: Ty, operand: u32) -> Result<&'a [Src], CompileError> {
    let (_, from) = eval.value(operand)?;
    let to = eval.types.leaves(ty)?;
    let (Some(old), Some(new)) = (from.first().map(|leaf| eval.b.f.width(*leaf)), to.first().copied()) else {
        return Err(ValueError::BitcastType.into());
    };
    if from.len() * usize::from(old) != to.len() * usize::from(new) || old == 1 {
        return Err(ValueError::BitcastSize {
            from: from.len() * usize::from(old),
            to: to.len() * usize::from(new),
        }
        .into());
    }
    if old == new {
        return Ok(from);
    }
    let mut result = Vec::with_capacity(to.len());
    if old > new {
        for leaf in from {
            result.extend(take_apart(eval.b, *leaf, new));
        }
    } else {
        for group in from.chunks(usize::from(new / old)) {
            result.push(put_together(eval.b, group, new));
        }
    }
    Ok(eval.keep(&result))
}

/// The parts of `bits` bits of an integer, lowest first.
pub(super) fn take_apart(b: &mut Builder<'_, '_>, leaf: Src, bits: u8) -> Vec<Src> {
    let width = b.f.width(leaf);
    if bits >= 16 {
        return b.split(leaf, Type::scalar(bits), usize::from(width / bits)).to_vec();
    }
    if width == 64 {
        let (low, high) = halves(b, leaf);
        let mut parts = take_apart(b, low, bits);
        parts.extend(take_apart(b, high, bits));
        return parts;
    }
    let byte = |index: u8| {
        let moved = b.ushr(leaf, Src::imm32(u32::from(index) * 8));
        b.uconv(moved, 8)
    };
    (0..width / 8).map(byte).collect()
}

/// An integer of `bits` bits made of parts, lowest first.
pub(super) fn put_together(b: &mut Builder<'_, '_>, parts: &[Src], bits: u8) -> Src {
    let part_bits = parts.first().map_or(bits, |part| b.f.width(*part));
    if part_bits >= 16 {
        let constant = parts.iter().rev().try_fold(0u64, |sum, part| Some(sum << part_bits | part.as_imm()?));
        return constant.map_or_else(|| b.collect(Type::scalar(bits), parts), |sum| Src::imm(sum, bits));
    }
    if bits == 64 {
        let (low, high) = parts.split_at(parts.len() / 2);
        let (low, high) = (put_together(b, low, 32), put_together(b, high, 32));
        return join(b, low, high);
    }
    let mut sum = Src::imm(0, bits);
    for (index, part) in parts.iter().enumerate() {
        let wide = b.uconv(*part, bits);
        let moved = b.shl(wide, Src::imm32(index as u32 * u32::from(part_bits)));
        sum = if index == 0 { moved } else { b.or(sum, moved) };
    }
    sum
}

/// Sum and carry, difference and borrow, or low and high half of a product: two lists one after the other.
fn extended<'a>(eval: &mut Eval<'_, '_, 'a>, op: Op, x: u32, y: u32) -> Result<&'a [Src], CompileError> {
    let ((ty, xs), (_, ys)) = (eval.value(x)?, eval.value(y)?);
    let (scalar, _) = eval.types.scalar_and_count(ty)?;
    if xs.len() != ys.len() || !matches!(eval.types.kind(scalar), Kind::Int { .. }) {
        return Err(ValueError::IntegerPair { first: xs.len(), second: ys.len() }.into());
    }
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for (x, y) in xs.iter().zip(ys) {
        let (low, high) = match eval.b.f.width(*x) {
            8 => extended_byte(eval.b, op, *x, *y),
            _ => extended_pair(eval.b, op, *x, *y),
        };
        first.push(low);
        second.push(high);
    }
    first.append(&mut second);
    Ok(eval.keep(&first))
}

fn extended_pair(b: &mut Builder<'_, '_>, op: Op, x: Src, y: Src) -> (Src, Src) {
    let bits = b.f.width(x);
    match op {
        Op::IAddCarry => {
            let sum = b.iadd(x, y);
            let carry = b.icmp(IntCond::ULT, sum, x);
            (sum, b.uconv(carry, bits))
        }
        Op::ISubBorrow => {
            let borrow = b.icmp(IntCond::ULT, x, y);
            (b.isub(x, y), b.uconv(borrow, bits))
        }
        Op::UMulExtended => (b.imul(x, y), b.umulh(x, y)),
        _ => (b.imul(x, y), b.smulh(x, y)),
    }
}

/// The same of bytes, in 16 bits: the second result is what leaves the byte.
fn extended_byte(b: &mut Builder<'_, '_>, op: Op, x: Src, y: Src) -> (Src, Src) {
    let [x, y] =
        [x, y].map(|byte| if op == Op::SMulExtended { b.sconv(byte, 16) } else { b.uconv(byte, 16) });
    let whole = match op {
        Op::IAddCarry => b.iadd(x, y),
        Op::ISubBorrow => b.isub(x, y),
        _ => b.imul(x, y),
    };
    let above = b.ushr(whole, Src::imm32(8));
    // A borrow fills the upper byte.
    let above = if op == Op::ISubBorrow { b.and(above, Src::imm(1, 16)) } else { above };
    (b.uconv(whole, 8), b.uconv(above, 8))
}

/// Dot product of integer vectors or of words packed with four bytes, with or without an accumulator that saturates.
fn integer_dot<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    op: Op,
    ty: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let (signed, mixed, saturates) = match op {
        Op::SDot => (true, false, false),
        Op::UDot => (false, false, false),
        Op::SUDot => (true, true, false),
        Op::SDotAccSat => (true, false, true),
        Op::UDotAccSat => (false, false, true),
        _ => (true, true, true),
    };
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
    // Products and sums wrap in the result's width, as the instruction says.
    let width = bits.max(32);
    let mut sum = Src::imm(0, width);
    for (x, y) in xs.iter().zip(&ys) {
        let b = &mut *eval.b;
        let x = if signed { b.sconv(*x, width) } else { b.uconv(*x, width) };
        let y = if signed && !mixed { b.sconv(*y, width) } else { b.uconv(*y, width) };
        let product = b.imul(x, y);
        sum = b.iadd(sum, product);
    }
    if saturates {
        let accumulator = eval.scalar(id(2)?)?;
        if eval.b.f.width(accumulator) != bits {
            return Err(
                ValueError::DotProduct { why: "the accumulator has another width than the result" }.into()
            );
        }
        let result = add_saturating(eval.b, sum, accumulator, signed, bits);
        return Ok(eval.keep(&[result]));
    }
    let result = eval.b.uconv(sum, bits);
    Ok(eval.keep(&[result]))
}

/// The sum of a number and an accumulator of `bits` bits, or the end of their range that it is beyond. The number is in
/// 32 bits or more, of which the low ones count.
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
            // It overflows where both have a sign that it has not.
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
                let below = b.imin(sum, int((1 << (bits - 1)) - 1, 32));
                b.imax(below, int(-(1 << (bits - 1)), 32))
            } else {
                b.umin(sum, int((1 << bits) - 1, 32))
            };
            b.uconv(capped, bits)
        }
    }
}

/// Components of a vector; of a lone word its four bytes.
fn components(b: &mut Builder<'_, '_>, leaves: &[Src]) -> Vec<Src> {
    match leaves {
        [word] if b.f.width(*word) == 32 => take_apart(b, *word, 8),
        list => list.to_vec(),
    }
}
