//! Removes the rounding of floats that are integers already.
//!
//! Sums, products, extrema and selections of integers are integers, whatever their size: a sum that 32 bits cannot
//! represent rounds to a multiple of a power of two. Remainders of hashes, which subtract a rounded quotient, often round
//! such numbers.
//!
//! Before: stage source. After: the same.

use agx_isa::table::Opcode;

use super::is_plain;
use crate::analysis::float_bounds::of_bits;
use crate::ir::{Function, InstData, IrOp, Op, Rewrite, Side, Src, Value};

/// Operations that round to an integer.
const ROUNDINGS: [Opcode; 4] = [Opcode::Floor, Opcode::Ceil, Opcode::Trunc, Opcode::Rint];

/// Removes the rounding of floats that are integers already.
pub fn opt_rounding(f: &mut Function<'_>) {
    if !ROUNDINGS.iter().any(|op| f.present.may_have_op(*op)) {
        return;
    }
    let mut integers = Integers { values: Side::new(f.values.len()) };
    f.map_insts(|r, inst| {
        let data = r.f.insts[inst];
        let Some(dst) = data.dst() else { return Rewrite::Keep };
        let keeps_width = || r.f.width(data.srcs[0]) == r.f.ty(dst).bits;
        if rounds(&data) && is_plain(&data) && integers.is(data.srcs[0]) && keeps_width() {
            return Rewrite::Forward(data.srcs[0]);
        }
        integers.values[dst] = integers.gives(&data);
        Rewrite::Keep
    });
}

fn rounds(data: &InstData<'_>) -> bool {
    matches!(data.op, Op::Hw(op) if ROUNDINGS.contains(&op))
}

/// Values that are integers as floats, infinite or NaN.
struct Integers {
    values: Side<Value, bool>,
}

impl Integers {
    fn is(&self, src: Src) -> bool {
        match (src.as_value(), src.as_imm()) {
            (Some(value), _) => self.values[value],
            (None, Some(bits)) => is_integer(bits, src.bits),
            (None, None) => false,
        }
    }

    /// Whether the result of an instruction is an integer.
    fn gives(&self, data: &InstData<'_>) -> bool {
        match data.op {
            Op::Hw(
                Opcode::Fadd | Opcode::Fmul | Opcode::Ffma | Opcode::Hadd | Opcode::Hmul | Opcode::Hfma,
            )
            | Op::Ir(IrOp::Fneg | IrOp::Fabs | IrOp::Fsat | IrOp::Fmin | IrOp::Fmax | IrOp::Fconv) => {
                data.srcs.iter().all(|src| self.is(*src))
            }
            Op::Ir(IrOp::Select) => data.srcs[1..].iter().all(|src| self.is(*src)),
            Op::Hw(Opcode::S32ToF | Opcode::U32ToF) => true,
            _ => rounds(data),
        }
    }
}

/// Whether a constant of `width` bits is an integer as a float, infinite or NaN.
fn is_integer(bits: u64, width: u8) -> bool {
    of_bits(bits, width).is_some_and(|number| !number.is_finite() || number.trunc() == number)
}
