//! Simplifies integer operations by the ranges of their sources, and by the bits that they move.
//!
//! * A result with only one possible value becomes a constant, including comparisons with a known result.
//! * A mask that clears nothing, and an extremum that one source always wins, are removed.
//! * Signed shifts, quotients, remainders and extensions of non-negative numbers become unsigned ones.
//! * 64-bit sums, products, shifts, quotients and comparisons of numbers below 2^32 with results below 2^32
//!   are computed in 32 bits.
//! * A small integer converted to float, moved by less than one, clamped to bounds beyond it, and rounded down or
//!   converted back, such as the integer part of a fragment's position, becomes that integer.
//!
//! * Shifts and masks that reverse the bits of a word become one operation ([`reverse_bits`]).
//!
//! [`Walk`] provides the ranges.
//!
//! Before: stage source. After: the same.

use agx_abi::Stage;
use agx_isa::table::Opcode;
use agx_isa::table::names::{Rounding, Truth};

use super::bit_reversal::reverse_bits;
use crate::analysis::ranges::{self, Walk};
use crate::context::Context;
use crate::ir::key;
use crate::ir::rewrite::map_some;
use crate::ir::{Build, Function, InstData, IrOp, Op, Rewrite, Rewriter, Src};

/// The bit of an integer condition that compares signed.
const SIGNED_CONDITION: u32 = 4;

/// Integers up to this have exact sums with eighths in 32-bit floats.
const MAX_WHOLE: i128 = 1 << 20;

/// Simplifies integer operations by the ranges of their sources.
pub fn opt_ranges(f: &mut Function<'_>, context: &mut Context<'_>) {
    // If there are only comparisons, the walk is worthwhile only where invocations have numbers with known
    // bounds.
    let compute = context.facts.info.stage == Stage::Compute;
    let is_worthwhile = |data: &InstData<'_>| match data.op {
        Op::Ir(IrOp::Icmp) => compute && data.srcs[1].as_imm().is_some_and(|number| number > 1),
        _ => may_gain(f, data),
    };
    if !f.insts.keys().any(|inst| is_worthwhile(&f.insts[inst])) {
        return;
    }
    // Before ranges show that some of the bits are zeros.
    reverse_bits(f);
    let mut walk = Walk::new(f, &context.facts.info);
    let is_subject = |data: &InstData<'_>| ranges::is_known(data.op) || may_be_whole(data.op);
    map_some(f, is_subject, |r, inst| {
        let data = r.f.insts[inst];
        if let Some(whole) = whole_part(r.f, &data) {
            walk.go_to(r.f, r.block);
            let is_float = data.op == Op::Hw(Opcode::Floor);
            return match walk.unsigned(r.f, whole.number).1 <= MAX_WHOLE {
                true => Rewrite::Forward(if is_float { whole.converted } else { whole.number }),
                false => Rewrite::Keep,
            };
        }
        if !ranges::is_known(data.op) {
            return Rewrite::Keep;
        }
        walk.go_to(r.f, r.block);
        walk.define(r.f, inst);
        let Some(src) = simpler(&walk, r, &data) else { return Rewrite::Keep };
        if let (Some(old), Some(new)) = (data.dst(), src.as_value()) {
            walk.copy(old, new);
        }
        Rewrite::Forward(src)
    });
}

/// Whether ranges could simplify an operation.
fn may_gain(f: &Function<'_>, data: &InstData<'_>) -> bool {
    match data.op {
        Op::Ir(IrOp::Icmp | IrOp::Imin | IrOp::Imax | IrOp::Umin | IrOp::Umax | IrOp::Sshr | IrOp::Sconv) => {
            true
        }
        Op::Ir(IrOp::Udiv | IrOp::Umod) => f.width(data.srcs[1]) == 64,
        Op::Ir(IrOp::Sdiv | IrOp::Srem | IrOp::Smod) => true,
        Op::Hw(Opcode::Bitop) => data.srcs[1].as_imm().is_some_and(|mask| mask > 1),
        Op::Hw(Opcode::FToS32 | Opcode::FToU32 | Opcode::Floor) => whole_part(f, data).is_some(),
        Op::Hw(Opcode::Iadd | Opcode::Isub) | Op::Ir(IrOp::Imul | IrOp::Shl | IrOp::Ushr) => {
            data.dst().is_some_and(|dst| f.ty(dst).bits == 64)
        }
        _ => false,
    }
}

/// The integer part of a float: the unsigned integer, and its conversion to float.
struct Whole {
    number: Src,
    converted: Src,
}

/// Whether an operation may have a [`whole_part`].
fn may_be_whole(op: Op) -> bool {
    matches!(op, Op::Hw(Opcode::FToS32 | Opcode::FToU32 | Opcode::Floor))
}

/// The unsigned integer whose conversion to float, increased by less than one, this operation converts back or rounds
/// down.
fn whole_part(f: &Function<'_>, data: &InstData<'_>) -> Option<Whole> {
    let rounds_down = match data.op {
        Op::Hw(Opcode::FToS32 | Opcode::FToU32) => data.get(key::ROUND) == Rounding::TOWARD_ZERO,
        Op::Hw(Opcode::Floor) => true,
        _ => false,
    };
    let mut moved = *data.srcs.first().filter(|_| rounds_down)?;
    if f.ty(data.dst()?).bits != 32 {
        return None;
    }
    // Clamping and rounding down change no such number.
    while let Some(inner) = f.def(moved).filter(|_| is_plain(f, moved)).and_then(|data| kept(&data)) {
        moved = inner;
    }
    let sum = f.def(moved).filter(|_| is_plain(f, moved))?;
    let converted = match (sum.op, sum.srcs) {
        (Op::Hw(Opcode::Fadd), [converted, by]) if !sum.get(key::SAT) && is_plain(f, *converted) => {
            let by = f32::from_bits(by.as_imm()? as u32);
            let is_small = (0.0..1.0).contains(&by) && (8.0 * by).fract() == 0.0;
            Some(*converted).filter(|_| is_small)?
        }
        _ => moved,
    };
    let data = f.def(converted)?;
    let (Op::Hw(Opcode::U32ToF), [number]) = (data.op, data.srcs) else { return None };
    is_plain(f, *number).then_some(Whole { number: *number, converted })
}

fn is_plain(f: &Function<'_>, src: Src) -> bool {
    src.flags.is_empty() && f.width(src) == 32
}

/// The source of which an operation keeps the integer part, if that is at most [`MAX_WHOLE`].
fn kept(data: &InstData<'_>) -> Option<Src> {
    let bound = || data.srcs[1].as_imm().map(|bits| f32::from_bits(bits as u32));
    let keeps = match data.op {
        Op::Hw(Opcode::Floor) => true,
        Op::Ir(IrOp::Fmin) => bound()? >= (MAX_WHOLE + 1) as f32,
        Op::Ir(IrOp::Fmax) => bound()? <= 0.0,
        _ => false,
    };
    keeps.then(|| data.srcs[0])
}

/// The replacement of an instruction.
fn simpler(walk: &Walk<'_>, r: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Option<Src> {
    let dst = data.dst().filter(|dst| r.f.ty(*dst).comps == 1)?;
    let width = r.f.ty(dst).bits;
    if data.op == Op::Ir(IrOp::Phi) {
        return None;
    }
    if let Some(range) = walk.range(r.f, dst.into()).filter(|range| range.low == range.high) {
        return Some(Src::imm(range.low as u64, width));
    }
    if !may_gain(r.f, data) {
        return None;
    }
    without_effect(walk, r.f, data)
        .or_else(|| narrower(walk, r, data, width))
        .or_else(|| unsigned(walk, r, data, width))
}

/// The source that an operation returns unchanged.
fn without_effect(walk: &Walk<'_>, f: &Function<'_>, data: &InstData<'_>) -> Option<Src> {
    let [a, b] = *data.srcs else { return None };
    let below = |x, y| walk.unsigned(f, x).1 <= walk.unsigned(f, y).0;
    let less = |x, y| walk.signed(f, x).1 <= walk.signed(f, y).0;
    match data.op {
        Op::Hw(Opcode::Bitop) if data.get(key::TABLE) == Truth::AND && a.flags.is_empty() => {
            let mask = i128::from(b.as_imm()?);
            // All bits up to the highest one that may be set.
            let ones = (1i128 << (128 - walk.unsigned(f, a).1.leading_zeros())) - 1;
            (mask & ones == ones && f.width(a) == f.width(b)).then_some(a)
        }
        Op::Ir(IrOp::Umin) if below(a, b) => Some(a),
        Op::Ir(IrOp::Umin) if below(b, a) => Some(b),
        Op::Ir(IrOp::Umax) if below(a, b) => Some(b),
        Op::Ir(IrOp::Umax) if below(b, a) => Some(a),
        Op::Ir(IrOp::Imin) if less(a, b) => Some(a),
        Op::Ir(IrOp::Imin) if less(b, a) => Some(b),
        Op::Ir(IrOp::Imax) if less(a, b) => Some(b),
        Op::Ir(IrOp::Imax) if less(b, a) => Some(a),
        _ => None,
    }
}

/// The unsigned form of a signed operation on non-negative numbers.
fn unsigned(walk: &Walk<'_>, r: &mut Rewriter<'_, '_>, data: &InstData<'_>, width: u8) -> Option<Src> {
    let Op::Ir(op) = data.op else { return None };
    let counterpart = match op {
        IrOp::Sshr => IrOp::Ushr,
        IrOp::Sdiv => IrOp::Udiv,
        IrOp::Srem | IrOp::Smod => IrOp::Umod,
        IrOp::Sconv if width > r.f.width(data.srcs[0]) => IrOp::Uconv,
        _ => return None,
    };
    let checked = if op == IrOp::Sshr { &data.srcs[..1] } else { data.srcs };
    let negative = checked.iter().any(|src| walk.signed(r.f, *src).0 < 0);
    (!negative).then(|| r.alu(counterpart, width, data.srcs, &[]))
}

/// An operation of 64 bits in 32.
fn narrower(walk: &Walk<'_>, r: &mut Rewriter<'_, '_>, data: &InstData<'_>, width: u8) -> Option<Src> {
    let (op, cut) = match data.op {
        Op::Hw(Opcode::Iadd | Opcode::Isub) => (data.op, data.srcs),
        Op::Ir(IrOp::Imul | IrOp::Udiv | IrOp::Umod | IrOp::Icmp) => (data.op, data.srcs),
        Op::Ir(IrOp::Sdiv) => (IrOp::Udiv.into(), data.srcs),
        Op::Ir(IrOp::Srem | IrOp::Smod) => (IrOp::Umod.into(), data.srcs),
        // The amount stays.
        Op::Ir(IrOp::Shl | IrOp::Ushr) => (data.op, &data.srcs[..1]),
        _ => return None,
    };
    let is_word = |src: Src| matches!(walk.unsigned(r.f, src), (0.., ..=0xffff_ffff));
    // Comparisons have no other result, and division by zero is undefined, so that any result fits.
    let divides = matches!(op, Op::Ir(IrOp::Udiv | IrOp::Umod));
    let fits = width == 1 || divides || is_word(data.dst()?.into());
    let are_words = cut.iter().all(|src| r.f.width(*src) == 64 && is_word(*src));
    if !fits || !are_words || data.srcs.iter().any(|src| !src.flags.is_empty()) {
        return None;
    }
    let mut srcs = data.srcs.to_vec();
    srcs.iter_mut().take(cut.len()).for_each(|src| *src = r.alu(IrOp::Uconv, 32, &[*src], &[]));
    if width == 1 {
        // Signed comparisons of such numbers are equivalent to unsigned ones.
        let mut mods = data.mods.to_vec();
        mods[0] &= !SIGNED_CONDITION;
        return Some(r.alu(op, 1, &srcs, &mods));
    }
    let result = r.alu(op, 32, &srcs, data.mods);
    Some(r.alu(IrOp::Uconv, width, &[result], &[]))
}
