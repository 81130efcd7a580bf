//! The ranges of results from those of sources.

use agx_abi::Stage;
use agx_isa::inst::OperandFlags;
use agx_isa::sr::Sr;
use agx_isa::table::Opcode;
use agx_isa::table::names::{IntCondition, Truth};

use super::{Range, Walk};
use crate::ir::key;
use crate::ir::{Function, InstData, IrOp, Op, Src, Type};

/// Lanes of a SIMD-group.
const LANES: u32 = 32;

/// Bounds that may say nothing.
type Bounds = Option<(i128, i128)>;

impl Walk<'_> {
    /// Learns the ranges of the results of an operation.
    pub(super) fn compute(&mut self, f: &Function<'_>, data: &InstData<'_>) {
        if let (Op::Ir(IrOp::Split), [low, high]) = (data.op, data.dsts) {
            let whole = data.srcs[0];
            let bounds = (f.src_ty(whole) == Type::B64).then(|| self.unsigned(f, whole));
            let bounds = bounds.filter(|(_, high)| *high < 1 << 32);
            self.ranges[*low] = fit(bounds, 32);
            self.ranges[*high] = bounds.map(|_| Range::one(0));
            return;
        }
        let Some(dst) = data.dst() else { return };
        let ty = f.ty(dst);
        if ty.comps != 1 {
            return;
        }
        let range = match data.op {
            Op::Hw(op) => self.hardware(f, op, data, ty.bits),
            Op::Ir(op) => self.operation(f, op, data, ty.bits),
        };
        if range.is_some() || self.ranges[dst].is_some() {
            self.ranges[dst] = range;
        }
    }

    fn hardware(&self, f: &Function<'_>, op: Opcode, data: &InstData<'_>, width: u8) -> Option<Range> {
        match op {
            Opcode::Iadd | Opcode::Isub | Opcode::Imadd | Opcode::Imsub => {
                if data.get(key::SAT) {
                    return None;
                }
                let first = self.term(f, data.srcs[0], width)?;
                let (first, last) = match data.srcs {
                    [_, b, c] => (product(first, self.term(f, *b, width)?), *c),
                    [_, b] => (first, *b),
                    _ => return None,
                };
                let last = self.term(f, last, width)?;
                let shift = data.get(key::SHIFT);
                let last = if shift > 4 { (0, 0) } else { (last.0 << shift, last.1 << shift) };
                fit(
                    Some(match op {
                        Opcode::Iadd | Opcode::Imadd => (first.0 + last.0, first.1 + last.1),
                        _ => (first.0 - last.1, first.1 - last.0),
                    }),
                    width,
                )
            }
            Opcode::Bitop if width > 1 => self.bitwise(f, data, width),
            Opcode::Bfeil if data.srcs[0].as_imm() == Some(0) => {
                let (bits, shifted) = (data.get(key::WIDTH), self.shift_right(f, data.srcs[1], data.srcs[2]));
                let field = (0, (1i128 << bits) - 1);
                fit(if bits == 0 || shifted.1 <= field.1 { Some(shifted) } else { Some(field) }, width)
            }
            Opcode::Popcnt => fit(Some((0, 32)), width),
            Opcode::Ffs => fit(Some((-1, 31)), width),
            Opcode::Mfsr => fit(self.register(data.get(key::SR)), width),
            _ => None,
        }
    }

    /// The bounds of a summand or factor of a result of `width` bits, which extends narrower sources.
    fn term(&self, f: &Function<'_>, src: Src, width: u8) -> Bounds {
        if src.flags == OperandFlags::SX {
            return Some(self.signed(f, src));
        }
        if !src.flags.is_empty() || f.width(src) > width {
            return None;
        }
        match self.range(f, src) {
            Some(range) if f.width(src) == width => Some((i128::from(range.low), i128::from(range.high))),
            None if width == 64 && f.width(src) == 64 => None,
            _ => Some(self.unsigned(f, src)),
        }
    }

    /// Truth tables: bit i is the result for (a, b) = (i & 1, i >> 1).
    fn bitwise(&self, f: &Function<'_>, data: &InstData<'_>, width: u8) -> Option<Range> {
        if data.srcs.iter().any(|src| !src.flags.is_empty()) {
            return None;
        }
        let (a, b) = (self.unsigned(f, data.srcs[0]), self.unsigned(f, data.srcs[1]));
        let ones = |a: i128, b: i128| (1i128 << (128 - (a | b).leading_zeros())) - 1;
        fit(
            match data.get(key::TABLE) {
                Truth::AND => Some((0, a.1.min(b.1))),
                Truth::AND_NOT => Some((0, a.1)),
                Truth::NOT_AND => Some((0, b.1)),
                Truth::OR => Some((a.0.max(b.0), ones(a.1, b.1))),
                Truth::XOR => Some((0, ones(a.1, b.1))),
                Truth::FIRST => Some(a),
                _ => None,
            },
            width,
        )
    }

    fn operation(&self, f: &Function<'_>, op: IrOp, data: &InstData<'_>, width: u8) -> Option<Range> {
        let unsigned = |index: usize| self.unsigned(f, data.srcs[index]);
        let signed = |index: usize| self.signed(f, data.srcs[index]);
        let cut = |bounds: (i128, i128), index: usize| match self.range(f, data.srcs[index]) {
            // What is cut off is a multiple of 2^width.
            Some(range) if f.width(data.srcs[index]) > width => (range.low.into(), range.high.into()),
            _ => bounds,
        };
        let bounds = match op {
            IrOp::Mov => return self.range(f, data.srcs[0]),
            IrOp::Uconv => cut(unsigned(0), 0),
            IrOp::Sconv => cut(signed(0), 0),
            IrOp::Icmp => {
                let truth = i128::from(self.decide(f, data)?);
                (truth, truth)
            }
            IrOp::Imul => product(self.term(f, data.srcs[0], width)?, self.term(f, data.srcs[1], width)?),
            IrOp::Umulh if width <= 32 => {
                let (low, high) = product(unsigned(0), unsigned(1));
                (low >> width, high >> width)
            }
            IrOp::Shl => {
                let (a, b) = (self.term(f, data.srcs[0], width)?, self.amount(f, data.srcs[1]));
                if b.1 >= i128::from(width) {
                    return None;
                }
                let by = |number: i128, near, far| if number < 0 { number << near } else { number << far };
                (by(a.0, b.1, b.0), by(a.1, b.0, b.1))
            }
            IrOp::Ushr => self.shift_right(f, data.srcs[0], data.srcs[1]),
            IrOp::Sshr => {
                let (a, b) = (signed(0), self.amount(f, data.srcs[1]));
                let by = |number: i128, near, far| if number < 0 { number >> near } else { number >> far };
                (by(a.0, b.0, b.1), by(a.1, b.1, b.0))
            }
            IrOp::Umin => (unsigned(0).0.min(unsigned(1).0), unsigned(0).1.min(unsigned(1).1)),
            IrOp::Umax => (unsigned(0).0.max(unsigned(1).0), unsigned(0).1.max(unsigned(1).1)),
            IrOp::Imin => (signed(0).0.min(signed(1).0), signed(0).1.min(signed(1).1)),
            IrOp::Imax => (signed(0).0.max(signed(1).0), signed(0).1.max(signed(1).1)),
            IrOp::Udiv => quotient(unsigned(0), unsigned(1))?,
            IrOp::Umod => remainder(unsigned(0), unsigned(1))?,
            IrOp::Sdiv => quotient(signed(0), signed(1))?,
            IrOp::Srem => remainder(signed(0), signed(1))?,
            IrOp::Select => {
                return Range::union(self.range(f, data.srcs[1]), self.range(f, data.srcs[2]), width);
            }
            IrOp::Collect if width == 64 && data.srcs.len() == 2 => {
                let high = unsigned(1);
                (high.1 == 0 && f.width(data.srcs[0]) == 32).then(|| unsigned(0))?
            }
            _ => return None,
        };
        fit(Some(bounds), width)
    }

    /// The bounds of an amount of which seven bits count.
    fn amount(&self, f: &Function<'_>, src: Src) -> (i128, i128) {
        let bounds = self.unsigned(f, src);
        if bounds.1 > 127 { (0, 127) } else { bounds }
    }

    fn shift_right(&self, f: &Function<'_>, src: Src, amount: Src) -> (i128, i128) {
        let (a, b) = (self.unsigned(f, src), self.amount(f, amount));
        (a.0 >> b.1.min(127), a.1 >> b.0.min(127))
    }

    /// The result of a comparison that the ranges decide.
    pub(super) fn decide(&self, f: &Function<'_>, data: &InstData<'_>) -> Option<bool> {
        let (cond, inverted) = (data.get(key::INT_COND), data.get(key::INV));
        let bounds = |src| if cond.is_signed() { self.signed(f, src) } else { self.unsigned(f, src) };
        let (a, b) = (bounds(data.srcs[0]), bounds(data.srcs[1]));
        let less = |a: (i128, i128), b: (i128, i128)| {
            if a.1 < b.0 { Some(true) } else { (a.0 >= b.1).then_some(false) }
        };
        let truth = match cond.unsigned() {
            IntCondition::EQUAL if a.1 < b.0 || b.1 < a.0 => Some(false),
            IntCondition::EQUAL => (a.0 == a.1 && a == b).then_some(true),
            IntCondition::UNSIGNED_LESS => less(a, b),
            _ => less(b, a),
        };
        truth.map(|truth| truth != inverted)
    }

    /// Special registers whose numbers are small, by the workgroup where that is known.
    fn register(&self, register: Sr) -> Bounds {
        let size = self.info.workgroup_size;
        let threads = size.iter().try_fold(1u32, |all, size| all.checked_mul(*size))?;
        let known = self.info.stage == Stage::Compute && threads != 0;
        let most = match register {
            Sr::THREAD_IN_GROUP_X if known => size[0] - 1,
            Sr::THREAD_IN_GROUP_Y if known => size[1] - 1,
            Sr::THREAD_IN_GROUP_Z if known => size[2] - 1,
            Sr::THREAD_INDEX if known => threads - 1,
            Sr::SIMD_GROUP if known => threads.div_ceil(LANES) - 1,
            Sr::LANE | Sr::ACTIVE_INDEX => LANES - 1,
            Sr::ACTIVE_INDEX_IN_QUAD => 3,
            Sr::ACTIVE_COUNT_IN_QUAD => 4,
            Sr::ACTIVE_COUNT => LANES,
            Sr::THREAD_X | Sr::THREAD_Y if self.info.stage == Stage::Fragment => 0xffff,
            _ => return None,
        };
        Some((0, most.into()))
    }
}

fn fit(bounds: Bounds, width: u8) -> Option<Range> {
    let (low, high) = bounds?;
    Range::fit(i64::try_from(low).ok(), i64::try_from(high).ok(), width)
}

fn product(a: (i128, i128), b: (i128, i128)) -> (i128, i128) {
    let all = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
    all.iter().fold((all[0], all[0]), |(low, high), number| (low.min(*number), high.max(*number)))
}

/// By a divisor above zero; division by zero gives an undefined value.
fn quotient(a: (i128, i128), b: (i128, i128)) -> Bounds {
    let by = |number: i128| if number < 0 { number / b.0 } else { number / b.1 };
    let most = |number: i128| if number < 0 { number / b.1 } else { number / b.0 };
    (b.0 > 0).then(|| (by(a.0), most(a.1)))
}

fn remainder(a: (i128, i128), b: (i128, i128)) -> Bounds {
    let least = if a.0 < 0 { a.0.max(1 - b.1) } else { 0 };
    (b.0 > 0).then(|| (least, a.1.max(0).min(b.1 - 1)))
}
