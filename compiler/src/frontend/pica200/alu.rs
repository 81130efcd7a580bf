//! Arithmetic instructions, component by component.

use agx_isa::table::Opcode as Hw;
use agx_pica200::Opcode;
use agx_pica200::register::Compare;

use super::numbers::Numbers;
use crate::frontend::four;
use crate::ir::build::alu::{FloatCond, float};
use crate::ir::builder::Builder;
use crate::ir::op::Op;
use crate::ir::{Arithmetic, Build, Src};

/// The maximum exponent of lighting, 0x7fff / 0x100.
const LIT_LIMIT: f64 = 127.996_093_75;

/// A vector.
pub(super) type Vector = [Src; 4];

fn zero() -> Src {
    float(0.0, 32)
}

fn one() -> Src {
    float(1.0, 32)
}

/// The first operand if the comparison with the second holds, else the second.
fn pick(b: &mut Builder<'_, '_>, cond: FloatCond, x: Src, y: Src) -> Src {
    let holds = b.fcmp(cond, x, y);
    b.select(holds, x, y)
}

fn truth(b: &mut Builder<'_, '_>, cond: FloatCond, x: Src, y: Src) -> Src {
    let holds = b.fcmp(cond, x, y);
    b.select(holds, one(), zero())
}

/// The components in `written` of the result of an operation in its non-inverted form; others are zero.
pub(super) fn compute(
    b: &mut Builder<'_, '_>,
    numbers: Numbers,
    opcode: Opcode,
    [x, y, z]: [Vector; 3],
    written: [bool; 4],
) -> Vector {
    if let Some(value) = scalar(b, numbers, opcode, x, y) {
        return [value; 4];
    }
    let mut result = [zero(); 4];
    for index in (0..4usize).filter(|index| four::of(written, *index)) {
        let (x, y, z) = (four::of(x, index), four::of(y, index), four::of(z, index));
        let value = match opcode {
            Opcode::Add => numbers.sum(b, x, y),
            Opcode::Mul => numbers.product(b, x, y),
            Opcode::Mad => numbers.multiply_add(b, x, y, z),
            Opcode::Sge => truth(b, FloatCond::GE, x, y),
            Opcode::Slt => truth(b, FloatCond::LT, x, y),
            Opcode::Max => pick(b, FloatCond::GT, x, y),
            Opcode::Min => pick(b, FloatCond::LT, x, y),
            Opcode::Flr => b.floor(x),
            Opcode::Lit => lit(b, index, x),
            Opcode::Dst => match index {
                0 => one(),
                1 => numbers.product(b, x, y),
                2 => x,
                _ => y,
            },
            _ => x,
        };
        four::set(&mut result, index, value);
    }
    result
}

/// Operations with a single result for all components.
fn scalar(b: &mut Builder<'_, '_>, numbers: Numbers, opcode: Opcode, x: Vector, y: Vector) -> Option<Src> {
    let pairs = |x: Vector, count| -> Vec<(Src, Src)> { x.into_iter().zip(y).take(count).collect() };
    let value = match opcode {
        Opcode::Dp3 => return Some(numbers.dot(b, &pairs(x, 3))),
        Opcode::Dp4 => return Some(numbers.dot(b, &pairs(x, 4))),
        Opcode::Dph => return Some(numbers.dot(b, &pairs([x[0], x[1], x[2], one()], 4))),
        Opcode::Ex2 => b.exp2(x[0]),
        Opcode::Lg2 => b.log2(x[0]),
        Opcode::Rcp => b.alu(Hw::Rcp, 32, &[x[0]], &Op::Hw(Hw::Rcp).default_mods()),
        Opcode::Rsq => b.rsqrt(x[0]),
        _ => return None,
    };
    Some(numbers.round(b, value))
}

/// A component of the lighting vector.
fn lit(b: &mut Builder<'_, '_>, index: usize, x: Src) -> Src {
    match index {
        1 => {
            let above = pick(b, FloatCond::GT, x, float(-LIT_LIMIT, 32));
            pick(b, FloatCond::LT, above, float(LIT_LIMIT, 32))
        }
        2 => zero(),
        _ => pick(b, FloatCond::GT, x, zero()),
    }
}

/// A comparison.
pub(super) fn compare(b: &mut Builder<'_, '_>, compare: Compare, x: Src, y: Src) -> Src {
    let cond = match compare {
        Compare::Eq => FloatCond::EQ,
        Compare::Ne => FloatCond::NE,
        Compare::Lt => FloatCond::LT,
        Compare::Le => FloatCond::LE,
        Compare::Gt => FloatCond::GT,
        Compare::Ge => FloatCond::GE,
        Compare::Always6 | Compare::Always7 => return Src::imm(1, 1),
    };
    b.fcmp(cond, x, y)
}
