//! Groups the uniform operands of integer sums and products.
//!
//! `(x · a) · b` with uniform `a` and `b` becomes `x · (a · b)`, so that the preamble computes the
//! parenthesised product; likewise for sums. A left shift by a constant counts as a product. Arithmetic modulo a power of
//! two makes this exact.
//!
//! Before: stage source. After: the same.

use agx_isa::table::Opcode;
use bumpalo::Bump;

use super::{is_plain, split_fixed};
use crate::analysis::movable::MovableValues;
use crate::ir::rewrite::map_from;
use crate::ir::{Build, Function, InstData, IrOp, Op, Rewrite, Rewriter, Src};

/// Groups the uniform operands of integer sums and products.
pub fn opt_uniform_operands(f: &mut Function<'_>) {
    if f.present.may_have_op(Opcode::Iadd) || f.present.may_have_op(IrOp::Imul) {
        f.with_scratch(group_all);
    }
}

fn group_all(f: &mut Function<'_>, scratch: &Bump) {
    let mut uniform = Uniform { values: MovableValues::new_in(scratch, f) };
    // Most functions have nothing to group.
    let Some(start) = uniform.find_group(f) else { return };
    map_from(f, start, |r, inst| {
        let data = r.f.insts[inst];
        let Some(group) = uniform.group(r.f, &data) else {
            uniform.values.note(&data, true);
            return Rewrite::Keep;
        };
        Rewrite::Forward(uniform.build(r, &data, group))
    });
}

/// A sum or product of a divergent and two uniform operands.
struct Group {
    base: Src,
    uniform: [Src; 2],
}

/// Values that the preamble could compute.
struct Uniform<'s> {
    values: MovableValues<'s>,
}

impl Uniform<'_> {
    /// The position in the layout and in its block of the first group. Records which values are uniform up to there.
    fn find_group(&mut self, f: &Function<'_>) -> Option<(usize, usize)> {
        f.blocks_in_order().enumerate().find_map(|(index, block)| {
            let mut insts = f.block(block).insts.iter().map(|inst| &f.insts[*inst]);
            let at = insts.position(|data| {
                self.values.note(data, true);
                self.group(f, data).is_some()
            })?;
            Some((index, at))
        })
    }

    /// The operands of an operation, and of the operation that defines its divergent operand.
    fn group(&self, f: &Function<'_>, data: &InstData<'_>) -> Option<Group> {
        let (outer, second) = self.parts(f, data)?;
        let inner = f.def(outer)?;
        let (base, first) = match data.op {
            Op::Ir(IrOp::Imul) if inner.op == Op::Ir(IrOp::Shl) => self.shifted(f, &inner)?,
            op if inner.op == op => self.parts(f, &inner)?,
            _ => return None,
        };
        // Constants come last.
        let uniform = if first.as_imm().is_some() { [second, first] } else { [first, second] };
        Some(Group { base, uniform })
    }

    /// Combines the uniform operands first.
    fn build(&mut self, r: &mut Rewriter<'_, '_>, data: &InstData<'_>, group: Group) -> Src {
        let width = r.f.width(group.base);
        let both = r.alu(data.op, width, &group.uniform, data.mods);
        if let Some(value) = both.as_value() {
            self.values.add(value);
        }
        r.alu(data.op, width, &[group.base, both], data.mods)
    }

    /// The operand of a left shift by a constant, and the factor of the product that it is.
    #[cold]
    fn shifted(&self, f: &Function<'_>, shift: &InstData<'_>) -> Option<(Src, Src)> {
        let [base, amount] = shift.srcs else { return None };
        let width = f.width(*base);
        let amount = amount.as_imm().filter(|amount| *amount < u64::from(width))?;
        let is_plain = is_plain(shift) && matches!(width, 16 | 32) && f.ty(shift.dst()?).bits == width;
        (is_plain && !self.values.has(*base)).then(|| (*base, Src::imm(1 << amount, width)))
    }

    /// The divergent and the uniform operand of a plain sum or product of 16 or 32 bits.
    #[inline(always)]
    fn parts(&self, f: &Function<'_>, data: &InstData<'_>) -> Option<(Src, Src)> {
        let is_known = matches!(data.op, Op::Hw(Opcode::Iadd) | Op::Ir(IrOp::Imul));
        if !is_known || !matches!(f.ty(data.dst()?).bits, 16 | 32) {
            return None;
        }
        split_fixed(f, data, |src| self.values.has(src))
    }
}
