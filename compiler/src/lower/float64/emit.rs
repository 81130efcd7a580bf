//! The integer operations from which 64-bit float operations are built, and the decomposition of 64-bit
//! floats.

use agx_isa::table::Opcode;

use crate::ir::build::alu::IntCond;
use crate::ir::op::mods;
use crate::ir::{Arithmetic, Build, IrOp, Op, Rewriter, Src};

/// Bits of infinity.
pub(super) const INFINITY: u64 = 0x7ff0 << 48;
/// Bits of the canonical NaN.
pub(super) const NAN: u64 = 0x7ff8 << 48;
/// The hidden bit, above the fraction.
pub(super) const HIDDEN: u64 = 1 << 52;
/// The exponent bias.
pub(super) const BIAS: u32 = 0x3ff;
/// The sign bit in the upper word.
pub(super) const SIGN: u32 = 1 << 31;

/// A 32-bit constant.
pub(super) fn w(number: u32) -> Src {
    Src::imm32(number)
}

/// A 64-bit constant.
pub(super) fn q(number: u64) -> Src {
    Src::imm(number, 64)
}

/// Builds integer operations. Names of 64-bit methods begin with `q`, those of 32-bit methods with `w`.
pub(super) struct Emit<'r, 'f, 'a>(pub &'r mut Rewriter<'f, 'a>);

/// A finite non-zero number, normalised: `mantissa` / 2^52 is at least 1 and less than 2.
pub(super) struct Normal {
    pub mantissa: Src,
    /// Biased exponent, negative for small denormals.
    pub exponent: Src,
}

impl Emit<'_, '_, '_> {
    pub fn op(&mut self, op: impl Into<Op>, bits: u8, srcs: &[Src]) -> Src {
        self.0.op(op, bits, srcs)
    }

    pub fn words(&mut self, a: Src) -> [Src; 2] {
        self.0.words(a)
    }

    pub fn join(&mut self, low: Src, high: Src) -> Src {
        self.0.join([low, high])
    }

    /// Zero-extends a word to 64 bits.
    pub fn widen(&mut self, a: Src) -> Src {
        self.join(a, w(0))
    }

    pub fn wadd(&mut self, a: Src, b: Src) -> Src {
        self.op(Opcode::Iadd, 32, &[a, b])
    }

    pub fn wsub(&mut self, a: Src, b: Src) -> Src {
        self.op(Opcode::Isub, 32, &[a, b])
    }

    pub fn wand(&mut self, a: Src, b: Src) -> Src {
        self.0.and(a, b)
    }

    pub fn wor(&mut self, a: Src, b: Src) -> Src {
        self.0.or(a, b)
    }

    pub fn wxor(&mut self, a: Src, b: Src) -> Src {
        self.0.xor(a, b)
    }

    pub fn wshl(&mut self, a: Src, by: u32) -> Src {
        self.op(IrOp::Shl, 32, &[a, w(by)])
    }

    pub fn wshr(&mut self, a: Src, by: u32) -> Src {
        self.op(IrOp::Ushr, 32, &[a, w(by)])
    }

    /// The smaller signed word.
    pub fn wmin(&mut self, a: Src, b: Src) -> Src {
        self.op(IrOp::Imin, 32, &[a, b])
    }

    /// The larger signed word.
    pub fn wmax(&mut self, a: Src, b: Src) -> Src {
        self.op(IrOp::Imax, 32, &[a, b])
    }

    pub fn qadd(&mut self, a: Src, b: Src) -> Src {
        self.op(Opcode::Iadd, 64, &[a, b])
    }

    pub fn qsub(&mut self, a: Src, b: Src) -> Src {
        self.op(Opcode::Isub, 64, &[a, b])
    }

    pub fn qand(&mut self, a: Src, b: Src) -> Src {
        self.0.and(a, b)
    }

    pub fn qor(&mut self, a: Src, b: Src) -> Src {
        self.0.or(a, b)
    }

    pub fn qxor(&mut self, a: Src, b: Src) -> Src {
        self.0.xor(a, b)
    }

    /// Left shift by a word; 0 for amounts of 64 or more.
    pub fn qshl(&mut self, a: Src, by: Src) -> Src {
        self.op(IrOp::Shl, 64, &[a, by])
    }

    /// Right shift by a word; 0 for amounts of 64 or more.
    pub fn qshr(&mut self, a: Src, by: Src) -> Src {
        self.op(IrOp::Ushr, 64, &[a, by])
    }

    pub fn qmul(&mut self, a: Src, b: Src) -> Src {
        self.op(IrOp::Imul, 64, &[a, b])
    }

    /// Complement of 64 bits.
    pub fn qnot(&mut self, a: Src) -> Src {
        self.qxor(a, q(u64::MAX))
    }

    /// Equality of words or 64-bit integers.
    pub fn equal(&mut self, a: Src, b: Src) -> Src {
        self.0.icmp(IntCond::EQ, a, b)
    }

    pub fn differ(&mut self, a: Src, b: Src) -> Src {
        self.0.icmp(IntCond::NE, a, b)
    }

    /// Unsigned less.
    pub fn below(&mut self, a: Src, b: Src) -> Src {
        self.0.icmp(IntCond::ULT, a, b)
    }

    /// Unsigned not less.
    pub fn at_least(&mut self, a: Src, b: Src) -> Src {
        self.0.icmp(IntCond::UGE, a, b)
    }

    /// Signed less.
    pub fn less(&mut self, a: Src, b: Src) -> Src {
        self.0.icmp(IntCond::SLT, a, b)
    }

    pub fn both(&mut self, a: Src, b: Src) -> Src {
        self.0.and(a, b)
    }

    pub fn either(&mut self, a: Src, b: Src) -> Src {
        self.0.or(a, b)
    }

    pub fn not(&mut self, a: Src) -> Src {
        self.0.xor(a, Src::bool(true))
    }

    pub fn select(&mut self, cond: Src, x: Src, y: Src) -> Src {
        let _bits = self.0.f.width(x);
        self.0.select(cond, x, y)
    }

    /// 0 or 1 in 64 bits.
    pub fn bit(&mut self, cond: Src) -> Src {
        let word = self.op(IrOp::Uconv, 32, &[cond]);
        self.widen(word)
    }

    /// Index of the highest bit set; -1 for 0.
    pub fn top_bit(&mut self, a: Src) -> Src {
        let [low, high] = self.words(a);
        let mods = mods(Opcode::Ffs);
        let in_low = self.0.alu(Opcode::Ffs, 32, &[low], &mods);
        let in_high = self.0.alu(Opcode::Ffs, 32, &[high], &mods);
        let in_high = self.wadd(in_high, w(32));
        let is_low = self.equal(high, w(0));
        self.select(is_low, in_low, in_high)
    }

    /// Right shift by 0 to 63 places; the lowest bit is sticky: it is also set if any bit shifted out was.
    pub fn sticky_shift(&mut self, a: Src, by: Src) -> Src {
        let moved = self.qshr(a, by);
        let back = self.qshl(moved, by);
        let lost = self.differ(back, a);
        let lost = self.bit(lost);
        self.qor(moved, lost)
    }

    /// The sign bit, in its position in the upper word.
    pub fn sign(&mut self, a: Src) -> Src {
        let [_, high] = self.words(a);
        self.wand(high, w(SIGN))
    }

    /// All bits except the sign.
    pub fn magnitude(&mut self, a: Src) -> Src {
        let [low, high] = self.words(a);
        let high = self.wand(high, w(!SIGN));
        self.join(low, high)
    }

    /// `magnitude` with a sign from [`Emit::sign`].
    pub fn signed(&mut self, magnitude: Src, sign: Src) -> Src {
        let [low, high] = self.words(magnitude);
        let high = self.wor(high, sign);
        self.join(low, high)
    }

    /// The exponent of a magnitude.
    pub fn exponent(&mut self, magnitude: Src) -> Src {
        let [_, high] = self.words(magnitude);
        self.wshr(high, 20)
    }

    /// Mantissa with its hidden bit and exponent of a magnitude; denormals are unchanged, with exponent 1.
    pub fn unpack(&mut self, magnitude: Src) -> Normal {
        let exponent = self.exponent(magnitude);
        let fraction = self.qand(magnitude, q(HIDDEN - 1));
        let is_denormal = self.equal(exponent, w(0));
        let hidden = self.qor(fraction, q(HIDDEN));
        let mantissa = self.select(is_denormal, fraction, hidden);
        let exponent = self.wmax(exponent, w(1));
        Normal { mantissa, exponent }
    }

    /// Mantissa and exponent of a non-zero magnitude, with denormals normalised.
    pub fn normalize(&mut self, magnitude: Src) -> Normal {
        let Normal { mantissa, exponent } = self.unpack(magnitude);
        let top = self.top_bit(mantissa);
        let by = self.wsub(w(52), top);
        let mantissa = self.qshl(mantissa, by);
        let exponent = self.wsub(exponent, by);
        Normal { mantissa, exponent }
    }

    /// The magnitude nearest to `mantissa` / 2^62 · 2^(exponent + 1 - bias), ties to even. The mantissa is
    /// below 2^63; its lowest bit may be sticky.
    pub fn round(&mut self, mantissa: Src, exponent: Src) -> Src {
        let deficit = self.wsub(w(0), exponent);
        let deficit = self.wmax(deficit, w(0));
        let deficit = self.wmin(deficit, w(63));
        let mantissa = self.sticky_shift(mantissa, deficit);
        let exponent = self.wmax(exponent, w(0));
        let exponent = self.wmin(exponent, w(0x7fe));
        // To nearest, ties to even: adds half of the last place, minus one unless the last digit is odd.
        let odd = self.qshr(mantissa, w(10));
        let odd = self.qand(odd, q(1));
        let half = self.qadd(odd, q(0x1ff));
        let rounded = self.qadd(mantissa, half);
        let digits = self.qshr(rounded, w(10));
        let place = self.wshl(exponent, 20);
        let place = self.join(w(0), place);
        let result = self.qadd(digits, place);
        let [_, high] = self.words(result);
        let overflows = self.at_least(high, w((INFINITY >> 32) as u32));
        self.select(overflows, q(INFINITY), result)
    }

    /// Like [`Emit::round`] for any non-zero 64-bit mantissa: first shifts its highest bit to place 62.
    pub fn normalize_and_round(&mut self, mantissa: Src, exponent: Src) -> Src {
        let top = self.top_bit(mantissa);
        let up = self.wsub(w(62), top);
        let left = self.qshl(mantissa, up);
        let right = self.sticky_shift(mantissa, w(1));
        let too_high = self.equal(top, w(63));
        let mantissa = self.select(too_high, right, left);
        let exponent = self.wsub(exponent, up);
        self.round(mantissa, exponent)
    }

    /// Whether a magnitude is NaN.
    pub fn is_nan(&mut self, magnitude: Src) -> Src {
        self.below(q(INFINITY), magnitude)
    }

    /// Whether a magnitude is infinity or NaN.
    pub fn is_special(&mut self, magnitude: Src) -> Src {
        let [_, high] = self.words(magnitude);
        self.at_least(high, w((INFINITY >> 32) as u32))
    }

    pub fn is_zero(&mut self, a: Src) -> Src {
        self.equal(a, q(0))
    }
}
