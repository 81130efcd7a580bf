//! Instructions.

use agx_agal::{Axis as AgalAxis, Instruction, Opcode, Read, Semantics};

use super::options::Options;
use super::registers::{Registers, Vector, ZERO};
use super::sampling;
use crate::error::CompileError;
use crate::frontend::four;
use crate::frontend::kit::derivatives::{Axis, derivative};
use crate::frontend::kit::{Kit, coverage};
use crate::ir::build::alu::{FloatCond, float};
use crate::ir::builder::Builder;
use crate::ir::{Arithmetic, Src};

/// Open blocks: whether each already has its else-part.
#[derive(Default)]
pub(super) struct Blocks(Vec<bool>);

/// Translates an instruction.
pub(super) fn translate(
    kit: &mut Kit<'_, '_>,
    registers: &mut Registers,
    blocks: &mut Blocks,
    (instruction, options): (&Instruction, &Options),
) -> Result<(), CompileError> {
    match instruction.opcode.row().semantics {
        Semantics::If(_) => {
            let condition = condition(kit, registers, instruction)?;
            kit.b.begin_if(condition);
            blocks.0.push(false);
        }
        Semantics::Else => {
            kit.b.begin_else();
            if let Some(alternative) = blocks.0.last_mut() {
                *alternative = true;
            }
        }
        Semantics::EndIf => {
            if blocks.0.pop() == Some(false) {
                kit.b.begin_else();
            }
            kit.b.end_if();
        }
        Semantics::Kill => {
            let [scalar, ..] = registers.read(kit, &instruction.sources[0], 1);
            let negative = kit.b.fcmp(FloatCond::LT, scalar, ZERO);
            kit.b.begin_if(negative);
            coverage::discard(kit)?;
            kit.b.begin_else();
            kit.b.end_if();
        }
        _ => {
            let result = result(kit, registers, instruction, options)?;
            registers.write(kit, &instruction.write, &result);
        }
    }
    Ok(())
}

/// The condition of a block: its comparison holds for all four components.
fn condition(
    kit: &mut Kit<'_, '_>,
    registers: &Registers,
    instruction: &Instruction,
) -> Result<Src, CompileError> {
    let compares = match instruction.opcode {
        Opcode::Ife => FloatCond::EQ,
        Opcode::Ine => FloatCond::NE,
        Opcode::Ifg => FloatCond::GE,
        Opcode::Ifl => FloatCond::LT,
        other => return Err(untranslated(other)),
    };
    let [a, b] = instruction.sources.each_ref().map(|source| registers.read(kit, source, 15));
    let mut pairs: Vec<(Src, Src)> = Vec::with_capacity(4);
    for pair in a.into_iter().zip(b) {
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    let mut all = Src::imm(1, 1);
    for (at, (a, b)) in pairs.into_iter().enumerate() {
        let holds = kit.b.fcmp(compares, a, b);
        all = if at == 0 { holds } else { kit.b.and(all, holds) };
    }
    Ok(all)
}

/// The result of an instruction, in the components of its mask.
fn result(
    kit: &mut Kit<'_, '_>,
    registers: &Registers,
    instruction: &Instruction,
    options: &Options,
) -> Result<Vector, CompileError> {
    let mask = instruction.write.mask;
    let [first, second] = &instruction.sources;
    let opcode = instruction.opcode;
    match opcode.row().semantics {
        Semantics::Map(_) => {
            let a = registers.read(kit, first, mask);
            each(mask, |at| map(&mut kit.b, opcode, four::of(a, at)))
        }
        Semantics::Zip(_) => {
            let a = registers.read(kit, first, mask);
            let b = registers.read(kit, second, mask);
            each(mask, |at| zip(&mut kit.b, opcode, four::of(a, at), four::of(b, at)))
        }
        Semantics::Dot(count) => {
            let sum = product(kit, registers, [first, second], count);
            Ok([sum; 4])
        }
        Semantics::Matrix { rows, columns } => {
            let mut result = [ZERO; 4];
            for row in (0..rows).filter(|row| mask >> row & 1 == 1) {
                let second = second.row(row.into());
                four::set(&mut result, row, product(kit, registers, [first, &second], columns));
            }
            Ok(result)
        }
        Semantics::Cross => {
            let a = registers.read(kit, first, 7);
            let b = registers.read(kit, second, 7);
            each(mask, |at| Ok(minor(&mut kit.b, (&a, &b), at)))
        }
        Semantics::Normalize => {
            let squares = product(kit, registers, [first, first], 3);
            let scale = kit.b.rsqrt(squares);
            let a = registers.read(kit, first, mask);
            each(mask, |at| Ok(kit.b.fmul(four::of(a, at), scale)))
        }
        Semantics::Derivative(axis) => {
            let axis = if axis == AgalAxis::X { Axis::X } else { Axis::Y };
            let a = registers.read(kit, first, mask);
            each(mask, |at| Ok(derivative(kit, axis, four::of(a, at))))
        }
        Semantics::Texture => {
            let a = registers.read(kit, first, 7);
            sampling::sample(kit, &instruction.texture, &a, options)
        }
        Semantics::If(_) | Semantics::Else | Semantics::EndIf | Semantics::Kill => Err(untranslated(opcode)),
    }
}

/// An internal error: the match for an operation has no arm for an opcode.
fn untranslated(opcode: Opcode) -> CompileError {
    CompileError::internal(format!("opcode `{}` is not translated", opcode.row().name))
}

/// A result in the components of `mask`.
fn each(
    mask: u8,
    mut component: impl FnMut(usize) -> Result<Src, CompileError>,
) -> Result<Vector, CompileError> {
    let mut result = [ZERO; 4];
    for (at, place) in result.iter_mut().enumerate().filter(|(at, _)| mask >> at & 1 == 1) {
        *place = component(at)?;
    }
    Ok(result)
}

/// A function of one component.
fn map(b: &mut Builder<'_, '_>, opcode: Opcode, a: Src) -> Result<Src, CompileError> {
    Ok(match opcode {
        Opcode::Mov => a,
        Opcode::Rcp => b.fdiv(float(1.0, 32), a),
        Opcode::Frc => {
            let floor = b.floor(a);
            b.fsub(a, floor)
        }
        Opcode::Sqt => b.fsqrt(a),
        Opcode::Rsq => b.rsqrt(a),
        Opcode::Log => b.log2(a),
        Opcode::Exp => b.exp2(a),
        Opcode::Sin => b.fsin(a),
        Opcode::Cos => b.fcos(a),
        Opcode::Abs => b.fabs(a),
        Opcode::Neg => b.fneg(a),
        Opcode::Sat => b.fsat(a),
        Opcode::Sgn => {
            let above = b.fcmp(FloatCond::GT, a, ZERO);
            let below = b.fcmp(FloatCond::LT, a, ZERO);
            let minus = b.select(below, float(-1.0, 32), ZERO);
            b.select(above, float(1.0, 32), minus)
        }
        other => return Err(untranslated(other)),
    })
}

/// A function of two components.
fn zip(b: &mut Builder<'_, '_>, opcode: Opcode, a: Src, c: Src) -> Result<Src, CompileError> {
    let compares = match opcode {
        Opcode::Add => return Ok(b.fadd(a, c)),
        Opcode::Sub => return Ok(b.fsub(a, c)),
        Opcode::Mul => return Ok(b.fmul(a, c)),
        Opcode::Div => return Ok(b.fdiv(a, c)),
        Opcode::Min => return Ok(b.fmin(a, c)),
        Opcode::Max => return Ok(b.fmax(a, c)),
        Opcode::Pow => return Ok(power(b, a, c)),
        Opcode::Sge => FloatCond::GE,
        Opcode::Slt => FloatCond::LT,
        Opcode::Seq => FloatCond::EQ,
        Opcode::Sne => FloatCond::NE,
        other => return Err(untranslated(other)),
    };
    let holds = b.fcmp(compares, a, c);
    Ok(b.select(holds, float(1.0, 32), ZERO))
}

/// 2^(y · log2 x), and 1 if y is 0.
fn power(b: &mut Builder<'_, '_>, x: Src, y: Src) -> Src {
    let logarithm = b.log2(x);
    let exponent = b.fmul(y, logarithm);
    let power = b.exp2(exponent);
    let one = b.fcmp(FloatCond::EQ, y, ZERO);
    b.select(one, float(1.0, 32), power)
}

/// The sum of the products of the first `count` components.
fn product(kit: &mut Kit<'_, '_>, registers: &Registers, sources: [&Read; 2], count: u8) -> Src {
    let [a, b] =
        sources.map(|source| registers.read(kit, source, 1u8.wrapping_shl(count.into()).wrapping_sub(1)));
    let mut terms = a.into_iter().zip(b).take(count.into());
    let Some((x, y)) = terms.next() else { return ZERO };
    let mut sum = kit.b.fmul(x, y);
    for (x, y) in terms {
        sum = kit.b.ffma(x, y, sum);
    }
    sum
}

/// Component `at` of a cross product.
fn minor(b: &mut Builder<'_, '_>, (x, y): (&Vector, &Vector), at: usize) -> Src {
    let (i, j) = match at {
        0 => (1usize, 2usize),
        1 => (2, 0),
        _ => (0, 1),
    };
    let part = |vector: &Vector, at| four::of(*vector, at);
    let subtracted = b.fmul(part(x, j), part(y, i));
    let subtracted = b.fneg(subtracted);
    b.ffma(part(x, i), part(y, j), subtracted)
}
