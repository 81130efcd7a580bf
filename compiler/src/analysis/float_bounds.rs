//! Bounds of floats, except for rounding.
//!
//! They come from constants and from operations with a limited range, such as sines, saturation, squares and
//! fractions, and pass through arithmetic; dot products of [unit vectors](super::unit_vectors) have some too. Values are taken to be numbers, as
//! the source languages let compilers assume.

use agx_isa::half::Half;
use agx_isa::table::Opcode;

use super::unit_vectors;
use crate::ir::{Function, IrOp, Op, Src};

/// Number of operations through which bounds are sought.
const MAX_DEPTH: u32 = 4;

/// The smallest and the largest number that a float can be; infinite if unknown.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounds {
    /// The smallest.
    pub low: f32,
    /// The largest.
    pub high: f32,
}

impl Bounds {
    const UNKNOWN: Bounds = Bounds::new(f32::NEG_INFINITY, f32::INFINITY);
    const POSITIVE: Bounds = Bounds::new(0.0, f32::INFINITY);
    const UNIT: Bounds = Bounds::new(0.0, 1.0);
    const SIGNED_UNIT: Bounds = Bounds::new(-1.0, 1.0);

    const fn new(low: f32, high: f32) -> Bounds {
        Bounds { low, high }
    }

    /// The bounds of `src`.
    pub fn of(f: &Function<'_>, src: Src) -> Bounds {
        let is_dot = unit_vectors::is_at_most_one(f, src);
        if is_dot { Bounds::SIGNED_UNIT } else { within(f, src, MAX_DEPTH) }
    }

    fn negated(self) -> Bounds {
        Bounds::new(-self.high, -self.low)
    }

    fn size(self) -> Bounds {
        let high = self.high.max(-self.low);
        Bounds::new(self.low.max(-self.high).max(0.0), high)
    }

    fn plus(self, other: Bounds) -> Bounds {
        Bounds::new(self.low + other.low, self.high + other.high).or_unknown()
    }

    fn times(self, other: Bounds) -> Bounds {
        // Zero times an unknown number is zero.
        let product = |a: f32, b: f32| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
        let [a, b] = [self.low, self.high].map(|end| (product(end, other.low), product(end, other.high)));
        Bounds::new(a.0.min(a.1).min(b.0).min(b.1), a.0.max(a.1).max(b.0).max(b.1)).or_unknown()
    }

    fn and(self, other: Bounds) -> Bounds {
        Bounds::new(self.low.max(other.low), self.high.min(other.high))
    }

    fn or(self, other: Bounds) -> Bounds {
        Bounds::new(self.low.min(other.low), self.high.max(other.high))
    }

    fn or_unknown(self) -> Bounds {
        if self.low.is_nan() || self.high.is_nan() { Bounds::UNKNOWN } else { self }
    }
}

/// The value of a 16-bit or 32-bit constant.
pub fn number(f: &Function<'_>, src: Src) -> Option<f32> {
    of_bits(src.as_imm()?, f.width(src))
}

/// The number that 16 or 32 bits are as a float.
pub fn of_bits(bits: u64, width: u8) -> Option<f32> {
    match width {
        16 => Some(Half::from_bits(bits as u16).to_f32()),
        32 => Some(f32::from_bits(bits as u32)),
        _ => None,
    }
}

/// Whether `src`, if it is a number, is zero or more whatever the rounding.
pub fn is_never_negative(f: &Function<'_>, src: Src) -> bool {
    is_zero_or_more(f, src, MAX_DEPTH)
}

fn is_zero_or_more(f: &Function<'_>, src: Src, depth: u32) -> bool {
    if let Some(number) = number(f, src) {
        return number >= 0.0;
    }
    let (Some(data), Some(depth), true) = (f.def(src), depth.checked_sub(1), src.flags.is_empty()) else {
        return false;
    };
    let holds = |src: &Src| is_zero_or_more(f, *src, depth);
    match (data.op, data.srcs) {
        (Op::Hw(Opcode::Exp2 | Opcode::Rsqrt | Opcode::U8ToF | Opcode::U16ToF | Opcode::U32ToF), _)
        | (Op::Ir(IrOp::Fsat | IrOp::Fabs | IrOp::Fsqrt), _) => true,
        (Op::Hw(Opcode::Fmul | Opcode::Hmul), [a, b]) => a == b || holds(a) && holds(b),
        (Op::Hw(Opcode::Ffma | Opcode::Hfma), [a, b, c]) => (a == b || holds(a) && holds(b)) && holds(c),
        (Op::Hw(Opcode::Fadd | Opcode::Hadd) | Op::Ir(IrOp::Fmin), [a, b]) => holds(a) && holds(b),
        (Op::Ir(IrOp::Fmax), [a, b]) => holds(a) || holds(b),
        (Op::Ir(IrOp::Select), [_, a, b]) => holds(a) && holds(b),
        _ => false,
    }
}

/// The bounds of `src`, sought through `depth` operations.
fn within(f: &Function<'_>, src: Src, depth: u32) -> Bounds {
    if let Some(number) = number(f, src) {
        return Bounds::new(number, number).or_unknown();
    }
    let (Some(data), Some(depth)) = (f.def(src), depth.checked_sub(1)) else { return Bounds::UNKNOWN };
    match (data.op, data.srcs) {
        (Op::Hw(op), srcs) => arithmetic(f, op, srcs, depth),
        (Op::Ir(op), srcs) => selection(f, op, srcs, depth),
    }
}

fn arithmetic(f: &Function<'_>, op: Opcode, srcs: &[Src], depth: u32) -> Bounds {
    let of = |src: &Src| within(f, *src, depth);
    let product = |a: &Src, b: &Src| {
        let product = of(a).times(of(b));
        if a == b { product.and(Bounds::POSITIVE) } else { product }
    };
    match (op, srcs) {
        (Opcode::Fadd | Opcode::Hadd, [a, b]) if is_fraction(f, *a, *b) || is_fraction(f, *b, *a) => {
            Bounds::UNIT
        }
        (Opcode::Fadd | Opcode::Hadd, [a, b]) => of(a).plus(of(b)),
        (Opcode::Fmul | Opcode::Hmul, [a, b]) => product(a, b),
        (Opcode::Ffma | Opcode::Hfma, [a, b, c]) => product(a, b).plus(of(c)),
        (Opcode::Exp2, [a]) if of(a).high <= 0.0 => Bounds::UNIT,
        (Opcode::Exp2 | Opcode::Rsqrt | Opcode::U32ToF, _) => Bounds::POSITIVE,
        (Opcode::U8ToF, _) => Bounds::new(0.0, f32::from(u8::MAX)),
        (Opcode::U16ToF, _) => Bounds::new(0.0, f32::from(u16::MAX)),
        (Opcode::Log2, [a]) if of(a).high <= 1.0 => Bounds::POSITIVE.negated(),
        _ => Bounds::UNKNOWN,
    }
}

fn selection(f: &Function<'_>, op: IrOp, srcs: &[Src], depth: u32) -> Bounds {
    let of = |src: &Src| within(f, *src, depth);
    match (op, srcs) {
        (IrOp::Fsin | IrOp::Fcos, _) => Bounds::SIGNED_UNIT,
        (IrOp::Fsat, _) => Bounds::UNIT,
        (IrOp::Fneg, [a]) => of(a).negated(),
        (IrOp::Fabs, [a]) => of(a).size(),
        (IrOp::Fsqrt, [a]) if of(a).high <= 1.0 => Bounds::UNIT,
        (IrOp::Fsqrt, _) => Bounds::POSITIVE,
        (IrOp::Select, [_, a, b]) => of(a).or(of(b)),
        (IrOp::Fdiv, [a, b]) => match number(f, *b) {
            Some(by) if by.is_normal() => of(a).times(Bounds::new(1.0 / by, 1.0 / by)),
            _ => Bounds::UNKNOWN,
        },
        (IrOp::Fmin, [a, b]) => {
            let (a, b) = (of(a), of(b));
            Bounds::new(a.low.min(b.low), a.high.min(b.high))
        }
        (IrOp::Fmax, [a, b]) => {
            let (a, b) = (of(a), of(b));
            Bounds::new(a.low.max(b.low), a.high.max(b.high))
        }
        _ => Bounds::UNKNOWN,
    }
}

/// Whether the sum of two numbers is the fraction of the first: the second is its negated integer part.
fn is_fraction(f: &Function<'_>, whole: Src, part: Src) -> bool {
    let negated = f.def(part).filter(|data| data.op == Op::Ir(IrOp::Fneg));
    let floor = negated.and_then(|data| f.def(data.srcs[0]));
    floor.is_some_and(|data| data.op == Op::Hw(Opcode::Floor) && data.srcs[0] == whole)
}
