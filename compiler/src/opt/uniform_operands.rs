//! Groups the uniform operands of integer sums and products.
//!
//! `(x · a) · b` with uniform `a` and `b` becomes `x · (a · b)`, so that the preamble computes the
//! parenthesised product; likewise for sums. Arithmetic modulo a power of two makes this exact.
//!
//! Before: stage source. After: the same.

use agx_isa::table::Opcode;

use super::is_plain;
use super::preamble::is_movable;
use crate::ir::{Build, Function, InstData, IrOp, Op, Rewrite, Rewriter, Side, Src, Value};

/// Groups the uniform operands of integer sums and products.
pub fn opt_uniform_operands(f: &mut Function<'_>) {
    if !f.present.may_have_op(Opcode::Iadd) && !f.present.may_have_op(IrOp::Imul) {
        return;
    }
    let mut uniform = Uniform { values: Side::new(f.values.len()) };
    f.map_insts(|r, inst| {
        let data = r.f.insts[inst];
        let result = uniform.visit(r, &data);
        if result == Rewrite::Keep && is_movable(&data, true) && data.srcs.iter().all(|src| uniform.is(*src))
        {
            data.dsts.iter().for_each(|dst| uniform.values[*dst] = true);
        }
        result
    });
}

/// Values that the preamble could compute.
struct Uniform {
    values: Side<Value, bool>,
}

impl Uniform {
    fn is(&self, src: Src) -> bool {
        src.as_value().is_none_or(|value| self.values[value])
    }

    /// Combines the uniform operand of an operation with that of the operation that defines its other
    /// operand.
    fn visit(&mut self, r: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Rewrite {
        let Some((outer, second)) = self.parts(r.f, data) else { return Rewrite::Keep };
        let Some(inner) = r.f.def(outer).filter(|inner| inner.op == data.op) else { return Rewrite::Keep };
        let Some((base, first)) = self.parts(r.f, &inner) else { return Rewrite::Keep };
        let width = r.f.width(base);
        // Constants come last.
        let operands = if first.as_imm().is_some() { [second, first] } else { [first, second] };
        let both = r.alu(data.op, width, &operands, data.mods);
        if let Some(value) = both.as_value() {
            self.values[value] = true;
        }
        Rewrite::Forward(r.alu(data.op, width, &[base, both], data.mods))
    }

    /// The divergent and the uniform operand of a plain sum or product of 16 or 32 bits.
    fn parts(&self, f: &Function<'_>, data: &InstData<'_>) -> Option<(Src, Src)> {
        let (Op::Hw(Opcode::Iadd) | Op::Ir(IrOp::Imul), [a, b]) = (data.op, data.srcs) else { return None };
        let bits = f.ty(data.dst()?).bits;
        let is_plain =
            is_plain(data) && matches!(bits, 16 | 32) && data.srcs.iter().all(|src| f.width(*src) == bits);
        match (self.is(*a), self.is(*b)) {
            (false, true) if is_plain => Some((*a, *b)),
            (true, false) if is_plain => Some((*b, *a)),
            _ => None,
        }
    }
}
