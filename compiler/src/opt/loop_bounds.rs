//! Removes exits that a loop takes after 2^64 iterations.
//!
//! Translators that must bound every loop, such as naga and Tint, add a 64-bit counter in two halves, which starts at one
//! end of its range and leaves the loop at the other end:
//!
//! ```text
//! low  = phi #-1, low - 1
//! high = phi #-1, high - (low == 0)
//! if high == 0 && low == 0 { break }
//! ```
//!
//! No program runs that long, so the condition is false. It becomes a constant, and later passes remove the test and the
//! counter. Without them, the loop may have a known number of iterations.
//!
//! Part of `opt_simplify_control`.

use agx_isa::table::Opcode;
use agx_isa::table::names::Truth;
use arrayvec::ArrayVec;

use super::is_plain;
use crate::ir::key;
use crate::ir::{Function, InstData, IrOp, Op, Seam, Segment, Src, Type, Value};

/// All ones in 32 bits.
const ONES: u64 = 0xffff_ffff;

/// Maximum number of phis that a counter goes through.
const MAX_PHIS: usize = 16;

/// Makes the conditions of exits that a loop takes after 2^64 iterations constant.
pub(super) fn drop_loop_bounds(f: &mut Function<'_>) {
    let mut depth = 0_u32;
    for Segment { block, seam } in f.layout {
        let branch = f.terminator(*block).filter(|_| *seam == Seam::If && depth > 0);
        if let Some(inst) = branch.filter(|inst| never_holds(f, f.insts[*inst].srcs)) {
            f.insts[inst].srcs = f.alloc(&[Src::bool(false)]);
        }
        match seam {
            Seam::Loop => depth += 1,
            Seam::EndLoop => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
}

/// Whether `condition` holds only when a 64-bit counter has gone through its whole range.
fn never_holds(f: &Function<'_>, condition: &[Src]) -> bool {
    let halves = || {
        let join = f.def(*condition.first()?).filter(|data| data.op == Op::Hw(Opcode::Bitop))?;
        let is_and = f.ty(join.dst()?) == Type::BOOL && join.get(key::TABLE) == Truth::AND;
        let [a, b] = join.srcs else { return None };
        let ((a, end), (b, other)) = (compared(f, *a)?, compared(f, *b)?);
        (is_and && end == other && (end == 0 || end == ONES)).then_some((a, b, Counter { f, end }))
    };
    halves().is_some_and(|(a, b, counter)| counter.has_halves(a, b) || counter.has_halves(b, a))
}

/// The value and the constant that `condition` compares for equality.
fn compared(f: &Function<'_>, condition: Src) -> Option<(Value, u64)> {
    let data = f.def(condition).filter(|data| data.op == Op::Ir(IrOp::Icmp) && is_plain(data))?;
    Some((data.srcs[0].as_value()?, data.srcs[1].as_imm()?))
}

/// The low and the high half of a counter.
type Halves = (Value, Value);

/// A 64-bit counter in two halves. Nested loops share one: it starts once, and each of them continues it.
struct Counter<'f, 'a> {
    f: &'f Function<'a>,
    /// Both halves at its end: zero if it counts down, all ones if it counts up.
    end: u64,
}

impl Counter<'_, '_> {
    /// Both halves at its start.
    const fn start(&self) -> u64 {
        ONES - self.end
    }

    /// Whether `low` and `high` are the halves of the counter: everything that they merge is its start, or what one step
    /// makes of halves for which the same is true.
    fn has_halves(&self, low: Value, high: Value) -> bool {
        let mut known: ArrayVec<Halves, MAX_PHIS> = ArrayVec::new();
        known.push((low, high));
        let mut at = 0;
        while let Some((low, high)) = known.get(at).copied() {
            at += 1;
            let (Some(low), Some(high)) = (self.phi(low.into()), self.phi(high.into())) else { return false };
            if low.mods != high.mods {
                return false;
            }
            for (low, high) in low.srcs.iter().zip(high.srcs) {
                if self.is_start(*low) && self.is_start(*high) {
                    continue;
                }
                let Some(halves) = self.merged(*low, *high) else { return false };
                if !known.contains(&halves) && known.try_push(halves).is_err() {
                    return false;
                }
            }
        }
        true
    }

    fn is_start(&self, src: Src) -> bool {
        src.as_imm() == Some(self.start()) && src.bits == 32
    }

    fn phi(&self, src: Src) -> Option<InstData<'_>> {
        self.f.def(src).filter(|data| data.op == Op::Ir(IrOp::Phi))
    }

    /// The halves that `low` and `high` are, or that they are one step after.
    fn merged(&self, low: Src, high: Src) -> Option<Halves> {
        if self.phi(low).is_some() && self.phi(high).is_some() {
            return Some((low.as_value()?, high.as_value()?));
        }
        let before = self.lower(low)?;
        let (high, (compared, constant)) = self.higher(high)?;
        let of_old = compared == before && constant == self.end;
        let of_new = Some(compared) == low.as_value() && constant == self.start();
        (of_old || of_new).then_some((before, high))
    }

    /// The value that is one step before `low`.
    fn lower(&self, low: Src) -> Option<Value> {
        let data = self.f.def(low).filter(is_plain)?;
        let [from, by] = *data.srcs else { return None };
        let is_step = match (data.op, by.as_imm()?) {
            (Op::Hw(Opcode::Isub), 1) | (Op::Hw(Opcode::Iadd), ONES) => self.end == 0,
            (Op::Hw(Opcode::Iadd), 1) => self.end == ONES,
            _ => false,
        };
        from.as_value().filter(|_| is_step)
    }

    /// The value of which `high` is the next one, and the comparison that decides whether it differs.
    fn higher(&self, high: Src) -> Option<(Value, (Value, u64))> {
        let data = self.f.def(high).filter(is_plain)?;
        let [a, b] = *data.srcs else { return None };
        match data.op {
            Op::Hw(Opcode::Isub) if self.end == 0 => Some((a.as_value()?, self.carry(b)?)),
            Op::Hw(Opcode::Iadd) if self.end == ONES => match self.carry(b) {
                Some(carry) => Some((a.as_value()?, carry)),
                None => Some((b.as_value()?, self.carry(a)?)),
            },
            _ => None,
        }
    }

    /// The comparison of which `src` is the truth as a number.
    fn carry(&self, src: Src) -> Option<(Value, u64)> {
        let data = self.f.def(src)?;
        match (data.op, data.srcs) {
            (Op::Ir(IrOp::Uconv), [truth]) => compared(self.f, *truth),
            (Op::Ir(IrOp::Select), [truth, one, zero]) => {
                let is_truth = one.as_imm() == Some(1) && zero.as_imm() == Some(0);
                compared(self.f, *truth).filter(|_| is_truth)
            }
            _ => None,
        }
    }
}
