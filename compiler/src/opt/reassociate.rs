//! Reassociates float sums and products with constants.
//!
//! Constants, signs, sums and products applied to a float x combine to a·x + b. If an operation ends a chain
//! of these, or joins two chains with the same x, it becomes one operation on x: `(x + 1) + 2`, `1 − (x +
//! 0.5)`, `(x · 3 + 1) · 2`, and a blend of constants `(1 − t) · k + t · m`, which is t · (m − k) + k.
//!
//! Rounding differs, as SPIR-V allows where contraction is not forbidden (Mesa 25.0 takes the same liberty):
//! the pass does not touch sources of `exact`, nor cases where constants nearly cancel, because the rounding
//! of the sum is significant there.
//!
//! Before: stage source. After: the same.

use agx_isa::table::Opcode;
use bumpalo::Bump;

use crate::analysis::exact::exact_values;
use crate::analysis::uses::uses;
use crate::ir::key;
use crate::ir::rewrite::map_from;
use crate::ir::{Build, Function, InstData, IrOp, Op, Rewrite, Rewriter, ScratchSide, Src, Type, Value};

/// A sum smaller than its summands by this factor is not changed.
const CANCELLED: f64 = 1.0 / 1024.0;

/// `factor · base + offset`.
#[derive(Clone, Copy)]
struct Linear {
    base: Src,
    factor: f64,
    offset: f64,
    /// Number of operations of the original expression; signs are free.
    operations: u32,
    /// Only a product with a constant.
    is_product: bool,
}

/// Reassociates float sums and products with constants.
pub fn opt_reassociate(f: &mut Function<'_>) {
    if !f.contract || !f.insts.keys().any(|inst| with_constant(&f.insts[inst])) {
        return;
    }
    f.with_scratch(reassociate_all);
}

fn reassociate_all(f: &mut Function<'_>, scratch: &Bump) {
    let mut known = Known::later_in(scratch, f.values.len());
    let Some(start) = first_chain(f, &mut known) else { return };
    let exact = exact_values(f);
    let uses = uses(f, scratch);
    map_from(f, start, |r, inst| {
        let data = r.f.insts[inst];
        let Some((dst, linear, joins)) = combine(r.f, &known, &data) else { return Rewrite::Keep };
        let plain = linear.factor == 1.0 || linear.factor == -1.0 || linear.offset == 0.0;
        let once = |src: &Src| src.as_value().is_none_or(|value| uses[value] <= 1);
        let is_shorter = linear.operations > 1 && (joins || plain || data.srcs.iter().all(once));
        if !is_shorter || exact[dst] || data.op == Op::Ir(IrOp::Fneg) {
            known[dst] = Some(linear);
            return Rewrite::Keep;
        }
        let result = build(r, &linear);
        if let Some(value) = result.as_value() {
            known[value] = Some(Linear { operations: 1, is_product: linear.offset == 0.0, ..linear });
        }
        Rewrite::Forward(result)
    });
}

/// The linear forms of values.
type Known<'s> = ScratchSide<'s, Value, Option<Linear>>;

/// The position in the layout and in its block of the first operation that ends a chain; most functions have none. Records the
/// linear forms up to there.
fn first_chain(f: &Function<'_>, known: &mut Known<'_>) -> Option<(usize, usize)> {
    f.blocks_in_order().enumerate().find_map(|(index, block)| {
        let mut insts = f.block(block).insts.iter().map(|inst| &f.insts[*inst]);
        let at = insts.position(|data| {
            let Some((dst, linear, _)) = combine(f, known, data) else { return false };
            let ends_chain = linear.operations > 1 && data.op != Op::Ir(IrOp::Fneg);
            if !ends_chain {
                known[dst] = Some(linear);
            }
            ends_chain
        })?;
        Some((index, at))
    })
}

/// Whether an operation can be part of a chain: a sum or product with a constant.
fn with_constant(data: &InstData<'_>) -> bool {
    matches!(data.op, Op::Hw(Opcode::Fadd | Opcode::Fmul | Opcode::Ffma))
        && data.srcs[1..].iter().any(|src| src.as_imm().is_some())
}

/// A finite constant that is not a denormal.
fn constant(f: &Function<'_>, src: Src) -> Option<f64> {
    let number = f32::from_bits(src.as_imm().filter(|_| f.width(src) == 32)? as u32);
    (src.flags.is_empty() && (number == 0.0 || number.is_normal())).then_some(f64::from(number))
}

/// The result of an operation, its linear form, and whether it joins two chains.
#[inline(always)]
fn combine(f: &Function<'_>, known: &Known<'_>, data: &InstData<'_>) -> Option<(Value, Linear, bool)> {
    let is_linear = |src: &Src| src.as_value().map_or(src.as_imm().is_some(), |value| known[value].is_some());
    match data.op {
        Op::Ir(IrOp::Fneg) => combine_linear(f, known, data),
        // Most have no constant, nor a source that is computed with one.
        Op::Hw(Opcode::Fadd | Opcode::Fmul | Opcode::Ffma) if data.srcs.iter().any(is_linear) => {
            combine_linear(f, known, data)
        }
        _ => None,
    }
}

/// Like [`combine`], for an operation that may be part of a chain.
#[inline(never)]
fn combine_linear(f: &Function<'_>, known: &Known<'_>, data: &InstData<'_>) -> Option<(Value, Linear, bool)> {
    let dst = data.dst().filter(|dst| f.ty(*dst) == Type::B32)?;
    let linear = |src: Src| -> Option<Linear> {
        if !src.flags.is_empty() || f.src_ty(src) != Type::B32 || src.as_imm().is_some() {
            return None;
        }
        let trivial = Linear { base: src, factor: 1.0, offset: 0.0, operations: 0, is_product: false };
        Some(src.as_value().and_then(|value| known[value]).unwrap_or(trivial))
    };
    let number = |src: Src| constant(f, src);
    let (linear, joins) = match (data.op, data.srcs) {
        (Op::Ir(IrOp::Fneg), [a]) => {
            let a = linear(*a)?;
            (Linear { factor: -a.factor, offset: -a.offset, ..a }, false)
        }
        (Op::Hw(Opcode::Fmul), [a, k]) if !data.get(key::SAT) => (times(linear(*a)?, number(*k)?)?, false),
        (Op::Hw(Opcode::Fadd), [a, b]) if !data.get(key::SAT) => match number(*b) {
            Some(offset) => (plus(linear(*a)?, offset)?, false),
            None => (join(linear(*a)?, linear(*b)?, 1)?, true),
        },
        (Op::Hw(Opcode::Ffma), [a, k, b]) if !data.get(key::SAT) => {
            let product = times(linear(*a)?, number(*k)?)?;
            match number(*b) {
                Some(offset) => (Linear { operations: product.operations, ..plus(product, offset)? }, false),
                None => (join(product, linear(*b)?, 0)?, true),
            }
        }
        _ => return None,
    };
    Some((dst, linear, joins))
}

fn times(a: Linear, k: f64) -> Option<Linear> {
    let scaled = Linear {
        factor: a.factor * k,
        offset: a.offset * k,
        operations: a.operations + 1,
        is_product: a.operations == 0 && a.offset == 0.0,
        ..a
    };
    (k != 0.0 && is_normal(scaled.factor) && is_normal(scaled.offset)).then_some(scaled)
}

fn plus(a: Linear, offset: f64) -> Option<Linear> {
    // A product and a sum with otherwise known operands become one operation.
    let operations = if a.is_product { 1 } else { a.operations + 1 };
    Some(Linear { offset: sum(a.offset, offset)?, operations, is_product: false, ..a })
}

fn join(a: Linear, b: Linear, operation: u32) -> Option<Linear> {
    if a.base != b.base || a.operations + b.operations == 0 {
        return None;
    }
    // Multiples that cancel leave a constant: floats are assumed to be finite, as everywhere.
    let factor = if a.factor == -b.factor { 0.0 } else { sum(a.factor, b.factor)? };
    let operations = a.operations + b.operations + operation;
    Some(Linear { factor, offset: sum(a.offset, b.offset)?, operations, is_product: false, ..a })
}

/// The sum of two constants unless they nearly cancel.
fn sum(a: f64, b: f64) -> Option<f64> {
    let sum = a + b;
    let is_small = a != 0.0 && b != 0.0 && sum.abs() < CANCELLED * a.abs().max(b.abs());
    (!is_small && is_normal(sum)).then_some(sum)
}

/// Whether a 32-bit float can represent it as a normal number.
fn is_normal(number: f64) -> bool {
    number == 0.0 || (number as f32).is_normal()
}

fn build(r: &mut Rewriter<'_, '_>, linear: &Linear) -> Src {
    let (factor, offset) = (Src::f32(linear.factor as f32), Src::f32(linear.offset as f32));
    if linear.factor == 0.0 {
        return offset;
    }
    if linear.offset == 0.0 {
        return r.op(Opcode::Fmul, 32, &[linear.base, factor]);
    }
    if linear.factor == 1.0 {
        return r.op(Opcode::Fadd, 32, &[linear.base, offset]);
    }
    if linear.factor == -1.0 {
        let negated = r.alu(IrOp::Fneg, 32, &[linear.base], &[]);
        return r.op(Opcode::Fadd, 32, &[negated, offset]);
    }
    r.op(Opcode::Ffma, 32, &[linear.base, factor, offset])
}
