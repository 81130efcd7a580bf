//! Scalar arithmetic: methods that pick the operation for the width of their operands.

use agx_isa::table::Opcode;
use agx_isa::table::names::{FloatCondition, IntCondition, Rounding, Truth};

use crate::ir::insert::{Build, FloatMode};
use crate::ir::key;
use crate::ir::op::{IrOp, Op};
use crate::ir::src::Src;

/// Integer comparisons: condition code of the hardware, and whether the complement applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IntCond(IntCondition, bool);

impl IntCond {
    /// A condition of the hardware, or its complement.
    pub fn new(condition: IntCondition, complement: bool) -> Self {
        IntCond(condition, complement)
    }

    /// a = b.
    pub const EQ: IntCond = IntCond(IntCondition::EQUAL, false);
    /// a ≠ b.
    pub const NE: IntCond = IntCond(IntCondition::EQUAL, true);
    /// a < b, unsigned.
    pub const ULT: IntCond = IntCond(IntCondition::UNSIGNED_LESS, false);
    /// a > b, unsigned.
    pub const UGT: IntCond = IntCond(IntCondition::UNSIGNED_GREATER, false);
    /// a ≤ b, unsigned.
    pub const ULE: IntCond = IntCond(IntCondition::UNSIGNED_GREATER, true);
    /// a ≥ b, unsigned.
    pub const UGE: IntCond = IntCond(IntCondition::UNSIGNED_LESS, true);
    /// a < b, signed.
    pub const SLT: IntCond = IntCond(IntCondition::SIGNED_LESS, false);
    /// a > b, signed.
    pub const SGT: IntCond = IntCond(IntCondition::SIGNED_GREATER, false);
    /// a ≤ b, signed.
    pub const SLE: IntCond = IntCond(IntCondition::SIGNED_GREATER, true);
    /// a ≥ b, signed.
    pub const SGE: IntCond = IntCond(IntCondition::SIGNED_LESS, true);
}

/// Float comparisons: condition code of the hardware, and whether to take its complement, which holds for
/// unordered operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FloatCond(FloatCondition, bool);

impl FloatCond {
    /// Ordered and equal.
    pub const EQ: FloatCond = FloatCond(FloatCondition::EQUAL, false);
    /// Unordered or unequal.
    pub const NE: FloatCond = FloatCond(FloatCondition::EQUAL, true);
    /// Ordered and less.
    pub const LT: FloatCond = FloatCond(FloatCondition::LESS, false);
    /// Ordered and greater.
    pub const GT: FloatCond = FloatCond(FloatCondition::GREATER, false);
    /// Ordered and not less.
    pub const GE: FloatCond = FloatCond(FloatCondition::GREATER_OR_EQUAL, false);
    /// Ordered and not greater.
    pub const LE: FloatCond = FloatCond(FloatCondition::LESS_OR_EQUAL, false);
    /// Unordered or not less.
    pub const UNORD_GE: FloatCond = FloatCond(FloatCondition::LESS, true);
    /// Unordered or not greater.
    pub const UNORD_LE: FloatCond = FloatCond(FloatCondition::GREATER, true);
    /// Unordered or less.
    pub const UNORD_LT: FloatCond = FloatCond(FloatCondition::GREATER_OR_EQUAL, true);
    /// Unordered or greater.
    pub const UNORD_GT: FloatCond = FloatCond(FloatCondition::LESS_OR_EQUAL, true);
}

/// A constant of `bits` bits holding the float nearest to `number`, for widths 16, 32 and 64.
pub fn float(number: f64, bits: u8) -> Src {
    match bits {
        16 => Src::imm(u64::from(agx_isa::half::Half::from_f64(number).to_bits()), 16),
        64 => Src::imm(number.to_bits(), 64),
        _ => Src::f32(number as f32),
    }
}

/// A constant integer of `bits` bits; negative numbers wrap.
pub fn int(number: i64, bits: u8) -> Src {
    Src::imm(number as u64, bits)
}

/// Operations whose result has the width of their (first) operand.
macro_rules! same_width {
    ($($(#[$doc:meta])* $name:ident($($arg:ident),*) = $op:expr;)*) => {
        $($(#[$doc])* fn $name(&mut self, $($arg: Src),*) -> Src {
            let bits = self.width(same_width!(@first $($arg),*));
            self.op($op, bits, &[$($arg),*])
        })*
    };
    (@first $first:ident $(, $rest:ident)*) => { $first };
}

/// Float operations with hardware rows for 32 and 16 bits and an IR operation for 64 bits.
macro_rules! three_rows {
    ($($(#[$doc:meta])* $name:ident($first:ident $(, $arg:ident)*) = $wide:ident, $half:ident, $double:ident;)*) => {
        $($(#[$doc])* fn $name(&mut self, $first: Src, $($arg: Src),*) -> Src {
            let bits = self.width($first);
            let op = match bits {
                16 => Op::Hw(Opcode::$half),
                64 => Op::Ir(IrOp::$double),
                _ => Op::Hw(Opcode::$wide),
            };
            self.op(op, bits, &[$first, $($arg),*])
        })*
    };
}

/// Rounding to integers: the hardware row, and the mode of the IR operation for 64 bits.
macro_rules! roundings {
    ($($(#[$doc:meta])* $name:ident = $row:ident, $mode:literal;)*) => {
        $($(#[$doc])* fn $name(&mut self, a: Src) -> Src {
            match self.width(a) {
                64 => self.alu(IrOp::Fround64, 64, &[a], &[$mode]),
                bits => self.op(Opcode::$row, bits, &[a]),
            }
        })*
    };
}

/// Arithmetic for anything that builds instructions.
pub trait Arithmetic<'a>: Build<'a> {
    three_rows! {
        /// a + b, regardless of the float mode.
        plain_fadd(a, b) = Fadd, Hadd, Fadd64;
        /// a · b, regardless of the float mode.
        plain_fmul(a, b) = Fmul, Hmul, Fmul64;
        /// a · b + c, rounded once.
        ffma(a, b, c) = Ffma, Hfma, Ffma64;
    }

    same_width! {
        /// −a.
        fneg(a) = IrOp::Fneg;
        /// |a|.
        fabs(a) = IrOp::Fabs;
        /// The smaller operand; if one is NaN, the other.
        fmin(a, b) = IrOp::Fmin;
        /// The larger operand; if one is NaN, the other.
        fmax(a, b) = IrOp::Fmax;
        /// a / b.
        fdiv(a, b) = IrOp::Fdiv;
        /// √a.
        fsqrt(a) = IrOp::Fsqrt;
        /// Sine of radians.
        fsin(a) = IrOp::Fsin;
        /// Cosine of radians.
        fcos(a) = IrOp::Fcos;
        /// 2^a.
        exp2(a) = Opcode::Exp2;
        /// Binary logarithm.
        log2(a) = Opcode::Log2;
        /// a + b.
        iadd(a, b) = Opcode::Iadd;
        /// a − b.
        isub(a, b) = Opcode::Isub;
        /// Low half of the product.
        imul(a, b) = IrOp::Imul;
        /// High half of the unsigned product.
        umulh(a, b) = IrOp::Umulh;
        /// High half of the signed product.
        smulh(a, b) = IrOp::Smulh;
        /// Unsigned quotient.
        udiv(a, b) = IrOp::Udiv;
        /// Signed quotient.
        sdiv(a, b) = IrOp::Sdiv;
        /// Unsigned remainder.
        umod(a, b) = IrOp::Umod;
        /// Signed remainder with the sign of a.
        srem(a, b) = IrOp::Srem;
        /// Signed remainder with the sign of b.
        smod(a, b) = IrOp::Smod;
        /// The smaller signed integer.
        imin(a, b) = IrOp::Imin;
        /// The larger signed integer.
        imax(a, b) = IrOp::Imax;
        /// The smaller unsigned integer.
        umin(a, b) = IrOp::Umin;
        /// The larger unsigned integer.
        umax(a, b) = IrOp::Umax;
        /// a shifted left by b.
        shl(a, b) = IrOp::Shl;
        /// a shifted right by b, filled with zeros.
        ushr(a, b) = IrOp::Ushr;
        /// a shifted right by b, filled with the sign.
        sshr(a, b) = IrOp::Sshr;
    }

    roundings! {
        /// a rounded toward zero.
        trunc = Trunc, 0;
        /// Nearest integer, ties to even.
        rint = Rint, 1;
        /// Largest integer not above a.
        floor = Floor, 2;
        /// Smallest integer not below a.
        ceil = Ceil, 3;
    }

    /// `a`, marked so that it is not fused with its users. 64-bit operations are never fused, and constants
    /// cannot be.
    fn apart(&mut self, a: Src) -> Src {
        let bits = self.width(a);
        let is_apart = self.function().def(a).is_none_or(|def| def.op == Op::Ir(IrOp::Exact));
        if is_apart || !matches!(bits, 16 | 32) { a } else { self.alu(IrOp::Exact, bits, &[a], &[]) }
    }

    /// `a`, to the same bits in every shader that computes it by the same expressions. The results of 64-bit operations
    /// do not depend on optimisation, nor do constants.
    fn invariant(&mut self, a: Src) -> Src {
        let bits = self.width(a);
        let may_vary = a.as_value().is_some() && matches!(bits, 16 | 32);
        if may_vary { self.alu(IrOp::Invariant, bits, &[a], &[]) } else { a }
    }

    /// a + b.
    fn fadd(&mut self, a: Src, b: Src) -> Src {
        let (a, b) = if self.float_mode().separate { (self.apart(a), self.apart(b)) } else { (a, b) };
        self.plain_fadd(a, b)
    }

    /// a · b.
    fn fmul(&mut self, a: Src, b: Src) -> Src {
        let bits = self.width(a);
        let product = match self.float_mode().signed_zero && bits != 64 {
            true => self.ffma(a, b, float(-0.0, bits)),
            false => self.plain_fmul(a, b),
        };
        if self.float_mode().separate { self.apart(product) } else { product }
    }

    /// Whether products may be fused with sums, which needs fewer operations.
    fn may_fuse(&self) -> bool {
        self.function().contract && self.float_mode() == FloatMode::default()
    }

    /// a clamped to 0…1; NaN gives 0.
    fn fsat(&mut self, a: Src) -> Src {
        match self.width(a) {
            64 => {
                let above = self.fmax(a, float(0.0, 64));
                self.fmin(above, float(1.0, 64))
            }
            bits => self.alu(IrOp::Fsat, bits, &[a], &[]),
        }
    }

    /// 1 / √a.
    fn rsqrt(&mut self, a: Src) -> Src {
        match self.width(a) {
            64 => {
                let root = self.fsqrt(a);
                self.fdiv(float(1.0, 64), root)
            }
            bits => self.op(Opcode::Rsqrt, bits, &[a]),
        }
    }

    /// The bitwise operation given by a truth table.
    fn bitop(&mut self, a: Src, b: Src, table: Truth) -> Src {
        let bits = self.width(a);
        self.alu(Opcode::Bitop, bits, &[a, b], &[table.get()])
    }

    /// Bitwise and.
    fn and(&mut self, a: Src, b: Src) -> Src {
        self.bitop(a, b, Truth::AND)
    }

    /// Bitwise or.
    fn or(&mut self, a: Src, b: Src) -> Src {
        self.bitop(a, b, Truth::OR)
    }

    /// Bitwise exclusive or.
    fn xor(&mut self, a: Src, b: Src) -> Src {
        self.bitop(a, b, Truth::XOR)
    }

    /// Bitwise exclusive nor.
    fn xnor(&mut self, a: Src, b: Src) -> Src {
        self.bitop(a, b, Truth::XNOR)
    }

    /// Bitwise complement.
    fn not(&mut self, a: Src) -> Src {
        let zero = Src::imm(0, self.width(a));
        self.bitop(a, zero, Truth::NOT)
    }

    /// a − b.
    fn fsub(&mut self, a: Src, b: Src) -> Src {
        let negated = self.fneg(b);
        self.fadd(a, negated)
    }

    /// −a.
    fn ineg(&mut self, a: Src) -> Src {
        let zero = Src::imm(0, self.width(a));
        self.isub(zero, a)
    }

    /// Compares integers.
    fn icmp(&mut self, cond: IntCond, a: Src, b: Src) -> Src {
        self.alu(IrOp::Icmp, 1, &[a, b], &[cond.0.get(), u32::from(cond.1)])
    }

    /// Compares floats.
    fn fcmp(&mut self, cond: FloatCond, a: Src, b: Src) -> Src {
        self.alu(IrOp::Fcmp, 1, &[a, b], &[cond.0.get(), u32::from(cond.1)])
    }

    /// Whether the integer is negative.
    fn is_negative(&mut self, a: Src) -> Src {
        let zero = Src::imm(0, self.width(a));
        self.icmp(IntCond::SLT, a, zero)
    }

    /// `a` where `cond` holds, else `b`.
    fn select(&mut self, cond: Src, a: Src, b: Src) -> Src {
        match cond.as_imm() {
            Some(truth) => {
                if truth & 1 != 0 {
                    a
                } else {
                    b
                }
            }
            None if a == b => a,
            None => {
                let bits = self.width(a);
                self.alu(IrOp::Select, bits, &[cond, a, b], &[])
            }
        }
    }

    /// Converts `a` by `op` unless it already has `bits` bits.
    fn resize(&mut self, op: IrOp, a: Src, bits: u8) -> Src {
        if self.width(a) == bits { a } else { self.alu(op, bits, &[a], &[]) }
    }

    /// Zero-extends or truncates to `bits`.
    fn uconv(&mut self, a: Src, bits: u8) -> Src {
        self.resize(IrOp::Uconv, a, bits)
    }

    /// Sign-extends or truncates to `bits`.
    fn sconv(&mut self, a: Src, bits: u8) -> Src {
        self.resize(IrOp::Sconv, a, bits)
    }

    /// Converts a float to a float of `bits`.
    fn fconv(&mut self, a: Src, bits: u8) -> Src {
        self.resize(IrOp::Fconv, a, bits)
    }

    /// Converts an integer to a float of `bits`, rounding to nearest even.
    fn int_to_float(&mut self, a: Src, signed: bool, bits: u8) -> Src {
        let width = self.width(a);
        if width == 64 || bits == 64 {
            return self.alu(IrOp::IntToFloat, bits, &[a], &[u32::from(signed)]);
        }
        let (op, a) = match (width, signed) {
            (32, true) => (Opcode::S32ToF, a),
            (32, false) => (Opcode::U32ToF, a),
            (_, true) => (Opcode::S16ToF, self.sconv(a, 16)),
            (_, false) => (Opcode::U16ToF, self.uconv(a, 16)),
        };
        // Large integers exceed half floats: a conversion through 32 bits would round twice only if both
        // steps were inexact, and the operation rounds directly to the destination.
        self.op(op, bits, &[a])
    }

    /// Converts a float to an integer of `bits`, rounding toward zero.
    fn float_to_int(&mut self, a: Src, signed: bool, bits: u8) -> Src {
        if bits == 64 || self.width(a) == 64 {
            return self.alu(IrOp::FloatToInt, bits, &[a], &[u32::from(signed)]);
        }
        let op = match (bits, signed) {
            (32, true) => Opcode::FToS32,
            (32, false) => Opcode::FToU32,
            (_, true) => Opcode::FToS16,
            (_, false) => Opcode::FToU16,
        };
        let mods = crate::ir::op::mods(op).with(key::ROUND, Rounding::TOWARD_ZERO);
        let wide = self.alu(op, bits.max(16), &[a], &mods);
        self.uconv(wide, bits)
    }

    /// An operation from a word to a word.
    fn on_word(&mut self, op: Opcode, a: Src) -> Src {
        self.op(op, 32, &[a])
    }

    /// Reverses the bits of an integer of up to 32 bits.
    fn bitrev(&mut self, a: Src) -> Src {
        let bits = self.width(a);
        let word = self.uconv(a, 32);
        let reversed = self.on_word(Opcode::Bitrev, word);
        let moved = if bits < 32 { self.ushr(reversed, Src::imm32(32 - u32::from(bits))) } else { reversed };
        self.uconv(moved, bits)
    }

    /// The bits of the low halves of two words in turns, those of the first in the even positions.
    fn interleave(&mut self, even: Src, odd: Src) -> Src {
        self.op(Opcode::Intl, 32, &[even, odd])
    }

    /// Number of set bits of an integer of up to 32 bits.
    fn popcnt(&mut self, a: Src) -> Src {
        let word = self.uconv(a, 32);
        self.on_word(Opcode::Popcnt, word)
    }

    /// Index of the most significant set bit of a word, −1 for 0.
    fn most_significant_bit(&mut self, a: Src) -> Src {
        self.on_word(Opcode::Ffs, a)
    }
}

impl<'a, T: Build<'a>> Arithmetic<'a> for T {}
