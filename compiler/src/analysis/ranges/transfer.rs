//! Transfer functions: the ranges of results from those of sources.

use agx_abi::Stage;
use agx_abi::occupancy::SUBGROUP_SIZE;
use agx_isa::inst::OperandFlags;
use agx_isa::sr::Sr;
use agx_isa::table::Opcode;
use agx_isa::table::names::{IntCondition, Truth};

use super::{Range, Walk};
use crate::ir::key;
use crate::ir::{Function, InstData, IrOp, Op, Src, Type};

/// Bounds, if any are known.
pub(super) type Bounds = Option<(i128, i128)>;

/// Computes the bounds of a result from those of two sources.
type Join = fn((i128, i128), (i128, i128)) -> (i128, i128);

/// How the range of a result is computed.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// The bounds of the scalar result from those of the sources.
    Scalar(for<'s> fn(&Sources<'s>) -> Bounds),
    /// The words of a number, low one first.
    Words,
    /// Joins the ranges of the predecessors.
    Phi,
}

/// The inputs of a rule: an operation and the ranges at its position.
pub(super) struct Sources<'s> {
    walk: &'s Walk<'s>,
    f: &'s Function<'s>,
    data: &'s InstData<'s>,
    /// Width of the result in bits.
    width: u8,
}

/// The rule of an operation, if ranges can be derived for its results.
pub(super) fn rule(op: Op) -> Option<Rule> {
    Some(match op {
        Op::Ir(op) => operation(op)?,
        Op::Hw(op) => Rule::Scalar(hardware(op)?),
    })
}

fn hardware(op: Opcode) -> Option<for<'s> fn(&Sources<'s>) -> Bounds> {
    Some(match op {
        Opcode::Iadd | Opcode::Imadd => |s| s.sum(|a, b| (a.0 + b.0, a.1 + b.1)),
        Opcode::Isub | Opcode::Imsub => |s| s.sum(|a, b| (a.0 - b.1, a.1 - b.0)),
        Opcode::Bitop => |s| s.bitwise(),
        Opcode::Bfeil => |s| s.field(),
        Opcode::Popcnt => |_| Some((0, 32)),
        Opcode::Ffs => |_| Some((-1, 31)),
        Opcode::Mfsr => |s| s.walk.register(s.data.get(key::SR)),
        _ => return None,
    })
}

fn operation(op: IrOp) -> Option<Rule> {
    Some(match op {
        IrOp::Phi => Rule::Phi,
        IrOp::Split => Rule::Words,
        IrOp::Mov => Rule::Scalar(|s| s.known(0)),
        IrOp::Select => Rule::Scalar(|s| {
            let (a, b) = (s.known(1)?, s.known(2)?);
            Some((a.0.min(b.0), a.1.max(b.1)))
        }),
        IrOp::Collect => Rule::Scalar(|s| s.zero_extended()),
        IrOp::Uconv => Rule::Scalar(|s| Some(s.cut(0, s.unsigned(0)))),
        IrOp::Sconv => Rule::Scalar(|s| Some(s.cut(0, s.signed(0)))),
        IrOp::Icmp => Rule::Scalar(|s| {
            let truth = i128::from(s.walk.decide(s.f, s.data)?);
            Some((truth, truth))
        }),
        IrOp::Imul => Rule::Scalar(|s| Some(product(s.term(0)?, s.term(1)?))),
        IrOp::Umulh => Rule::Scalar(|s| {
            let (low, high) = (s.width <= 32).then(|| product(s.unsigned(0), s.unsigned(1)))?;
            Some((low >> s.width, high >> s.width))
        }),
        IrOp::Shl => Rule::Scalar(|s| s.shift_left()),
        IrOp::Ushr => Rule::Scalar(|s| Some(s.shift_right(0, 1))),
        IrOp::Sshr => Rule::Scalar(|s| {
            let (a, b) = (s.signed(0), s.amount(1));
            let by = |number: i128, near, far| if number < 0 { number >> near } else { number >> far };
            Some((by(a.0, b.0, b.1), by(a.1, b.1, b.0)))
        }),
        IrOp::Umin => Rule::Scalar(|s| Some(least(s.unsigned(0), s.unsigned(1)))),
        IrOp::Umax => Rule::Scalar(|s| Some(greatest(s.unsigned(0), s.unsigned(1)))),
        IrOp::Imin => Rule::Scalar(|s| Some(least(s.signed(0), s.signed(1)))),
        IrOp::Imax => Rule::Scalar(|s| Some(greatest(s.signed(0), s.signed(1)))),
        IrOp::Udiv => Rule::Scalar(|s| quotient(s.unsigned(0), s.unsigned(1))),
        IrOp::Umod => Rule::Scalar(|s| remainder(s.unsigned(0), s.unsigned(1))),
        IrOp::Sdiv => Rule::Scalar(|s| quotient(s.signed(0), s.signed(1))),
        IrOp::Srem => Rule::Scalar(|s| remainder(s.signed(0), s.signed(1))),
        IrOp::Smod => Rule::Scalar(|s| {
            let (a, b) = (s.signed(0), s.signed(1));
            // The result has the sign of the divisor; a negative dividend may give any remainder.
            (b.0 > 0).then(|| (0, if a.0 < 0 { b.1 - 1 } else { a.1.min(b.1 - 1) }))
        }),
        _ => return None,
    })
}

impl Sources<'_> {
    fn unsigned(&self, index: usize) -> (i128, i128) {
        self.walk.unsigned(self.f, self.data.srcs[index])
    }

    fn signed(&self, index: usize) -> (i128, i128) {
        self.walk.signed(self.f, self.data.srcs[index])
    }

    /// The known bounds, signed or unsigned.
    fn known(&self, index: usize) -> Bounds {
        let range = self.walk.range(self.f, self.data.srcs[index])?;
        Some((range.low.into(), range.high.into()))
    }

    /// The bounds of a summand or factor.
    fn term(&self, index: usize) -> Bounds {
        self.walk.term(self.f, self.data.srcs[index], self.width)
    }

    /// The bounds of a shift amount, which has seven significant bits.
    fn amount(&self, index: usize) -> (i128, i128) {
        let bounds = self.unsigned(index);
        if bounds.1 > 127 { (0, 127) } else { bounds }
    }

    /// The bounds of a source that is extended within `bounds`, or truncated: truncation removes a multiple
    /// of 2^width.
    fn cut(&self, index: usize, bounds: (i128, i128)) -> (i128, i128) {
        let is_cut = self.f.width(self.data.srcs[index]) > self.width;
        self.known(index).filter(|_| is_cut).unwrap_or(bounds)
    }

    /// Combines the last source, shifted, with the first or with the product of the first two.
    fn sum(&self, join: Join) -> Bounds {
        if self.data.get(key::SAT) {
            return None;
        }
        let last = self.data.srcs.len().checked_sub(1)?;
        let first = if last == 2 { product(self.term(0)?, self.term(1)?) } else { self.term(0)? };
        let addend = self.term(last)?;
        let shift = self.data.get(key::SHIFT);
        Some(join(first, if shift > 4 { (0, 0) } else { (addend.0 << shift, addend.1 << shift) }))
    }

    /// Truth tables: bit i is the result for (a, b) = (i & 1, i >> 1).
    fn bitwise(&self) -> Bounds {
        if self.width == 1 || self.data.srcs.iter().any(|src| !src.flags.is_empty()) {
            return None;
        }
        let (a, b) = (self.unsigned(0), self.unsigned(1));
        let ones = |a: i128, b: i128| (1i128 << (128 - (a | b).leading_zeros())) - 1;
        match self.data.get(key::TABLE) {
            Truth::AND => Some((0, a.1.min(b.1))),
            Truth::AND_NOT => Some((0, a.1)),
            Truth::NOT_AND => Some((0, b.1)),
            Truth::OR => Some((a.0.max(b.0), ones(a.1, b.1))),
            Truth::XOR => Some((0, ones(a.1, b.1))),
            Truth::FIRST => Some(a),
            _ => None,
        }
    }

    /// A bit field extracted with zero extension.
    fn field(&self) -> Bounds {
        if self.data.srcs[0].as_imm() != Some(0) {
            return None;
        }
        let (bits, shifted) = (self.data.get(key::WIDTH), self.shift_right(1, 2));
        let field = (0, (1i128 << bits) - 1);
        Some(if bits == 0 || shifted.1 <= field.1 { shifted } else { field })
    }

    fn shift_left(&self) -> Bounds {
        let (a, b) = (self.term(0)?, self.amount(1));
        if b.1 >= i128::from(self.width) {
            return None;
        }
        let by = |number: i128, near, far| if number < 0 { number << near } else { number << far };
        Some((by(a.0, b.1, b.0), by(a.1, b.0, b.1)))
    }

    fn shift_right(&self, index: usize, amount: usize) -> (i128, i128) {
        let (a, b) = (self.unsigned(index), self.amount(amount));
        (a.0 >> b.1.min(127), a.1 >> b.0.min(127))
    }

    /// A 64-bit number composed of a word and zero.
    fn zero_extended(&self) -> Bounds {
        let is_pair = self.width == 64 && self.data.srcs.len() == 2;
        let fits = is_pair && self.unsigned(1).1 == 0 && self.f.width(self.data.srcs[0]) == 32;
        fits.then(|| self.unsigned(0))
    }
}

impl Walk<'_> {
    /// Computes the range of the scalar result of an operation.
    pub(super) fn scalar(
        &mut self,
        f: &Function<'_>,
        data: &InstData<'_>,
        rule: for<'s> fn(&Sources<'s>) -> Bounds,
    ) {
        let Some(dst) = data.dst().filter(|dst| f.ty(*dst).comps == 1) else { return };
        let width = f.ty(dst).bits;
        let range = fit(rule(&Sources { walk: self, f, data, width }), width);
        if range.is_some() || self.ranges[dst].is_some() {
            self.ranges[dst] = range;
        }
    }

    /// Computes the ranges of the words of a number.
    pub(super) fn words(&mut self, f: &Function<'_>, data: &InstData<'_>) {
        let [low, high] = data.dsts else { return };
        let whole = data.srcs[0];
        let bounds = (f.src_ty(whole) == Type::B64).then(|| self.unsigned(f, whole));
        let bounds = bounds.filter(|(_, high)| *high < 1 << 32);
        self.ranges[*low] = fit(bounds, 32);
        self.ranges[*high] = bounds.map(|_| Range::one(0));
    }

    /// The bounds of a summand or factor of a result of `width` bits; narrower sources are extended.
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

    /// The result of a comparison if the ranges decide it.
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

    /// Bounds of special registers, from the workgroup size where that is known.
    fn register(&self, register: Sr) -> Bounds {
        let size = self.info.workgroup_size;
        let threads = size.iter().try_fold(1u32, |all, size| all.checked_mul(*size))?;
        let known = self.info.stage == Stage::Compute && threads != 0;
        let most = match register {
            Sr::THREAD_IN_GROUP_X if known => size[0] - 1,
            Sr::THREAD_IN_GROUP_Y if known => size[1] - 1,
            Sr::THREAD_IN_GROUP_Z if known => size[2] - 1,
            Sr::THREAD_INDEX if known => threads - 1,
            Sr::SIMD_GROUP if known => threads.div_ceil(SUBGROUP_SIZE) - 1,
            Sr::LANE | Sr::ACTIVE_INDEX => SUBGROUP_SIZE - 1,
            Sr::ACTIVE_INDEX_IN_QUAD => 3,
            Sr::ACTIVE_COUNT_IN_QUAD => 4,
            Sr::ACTIVE_COUNT => SUBGROUP_SIZE,
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

fn least(a: (i128, i128), b: (i128, i128)) -> (i128, i128) {
    (a.0.min(b.0), a.1.min(b.1))
}

fn greatest(a: (i128, i128), b: (i128, i128)) -> (i128, i128) {
    (a.0.max(b.0), a.1.max(b.1))
}

fn product(a: (i128, i128), b: (i128, i128)) -> (i128, i128) {
    let all = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
    all.iter().fold((all[0], all[0]), |(low, high), number| (low.min(*number), high.max(*number)))
}

/// Quotient by a positive divisor; division by zero is undefined.
fn quotient(a: (i128, i128), b: (i128, i128)) -> Bounds {
    let by = |number: i128| if number < 0 { number / b.0 } else { number / b.1 };
    let most = |number: i128| if number < 0 { number / b.1 } else { number / b.0 };
    (b.0 > 0).then(|| (by(a.0), most(a.1)))
}

fn remainder(a: (i128, i128), b: (i128, i128)) -> Bounds {
    let least = if a.0 < 0 { a.0.max(1 - b.1) } else { 0 };
    (b.0 > 0).then(|| (least, a.1.max(0).min(b.1 - 1)))
}
