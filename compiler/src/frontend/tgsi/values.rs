//! Values that several classes of operations compute.

use agx_isa::table::Opcode as Row;

use crate::frontend::kit::Kit;
use crate::ir::build::alu::FloatCond;
use crate::ir::op::Op;
use crate::ir::{Arithmetic, Build, Src};

/// All bits set: true as the result of integer comparisons.
pub(super) const TRUE: u32 = u32::MAX;

/// 1 / a.
pub(super) fn reciprocal(kit: &mut Kit<'_, '_>, a: Src) -> Src {
    kit.b.alu(Row::Rcp, 32, &[a], &Op::Hw(Row::Rcp).default_mods())
}

/// `a` to the power of `b` as `2^(b log2 a)`, but 1 if `b` is 0.
pub(super) fn power(kit: &mut Kit<'_, '_>, a: Src, b: Src) -> Src {
    let logarithm = kit.b.log2(a);
    let exponent = kit.b.fmul(b, logarithm);
    let power = kit.b.exp2(exponent);
    let is_zero = kit.b.fcmp(FloatCond::EQ, b, Src::f32(0.0));
    kit.b.select(is_zero, Src::f32(1.0), power)
}

/// All bits set if a boolean holds, else none.
pub(super) fn truth(kit: &mut Kit<'_, '_>, condition: Src) -> Src {
    kit.b.select(condition, Src::imm32(TRUE), Src::imm32(0))
}
