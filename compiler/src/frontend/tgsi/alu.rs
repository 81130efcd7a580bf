//! Operations on 32-bit components: component-wise operations, and those with a single result.

use agx_tgsi::{Instruction, Opcode};

use super::operands::written;
use super::program::Program;
use super::values::{TRUE, power, reciprocal, truth};
use super::wide::scale;
use crate::frontend::four;
use crate::frontend::kit::Kit;
use crate::ir::build::alu::{FloatCond, IntCond};
use crate::ir::{Arithmetic, Src};

/// Bounds of RCC.
const SMALL: f32 = 5.42101e-20;
const LARGE: f32 = 1.884467e+19;

/// Maximum number of sources of a component-wise operation.
const MAX_SOURCES: usize = 4;

impl Program<'_> {
    /// Component-wise operations.
    pub fn component(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) {
        let Some(dst) = instruction.dsts.first() else { return };
        let mut value = [None; 4];
        for component in written(dst.mask) {
            let srcs: [Src; MAX_SOURCES] =
                std::array::from_fn(|number| self.fetch(kit, instruction, number, component));
            four::set(&mut value, component, Some(self.compute(kit, instruction.opcode, srcs)));
        }
        self.store(kit, instruction, value);
    }

    /// Operations with a single result.
    pub fn scalar(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) {
        use Opcode::{Pk2h, Pk2us, Pk4b, Pk4ub};
        if let Pk2h | Pk2us | Pk4b | Pk4ub = instruction.opcode {
            let a = self.fetch_all(kit, instruction, 0);
            let word = super::pack::pack(kit, instruction.opcode, a);
            self.replicate(kit, instruction, word);
            return;
        }
        let [a, b] = [0, 1].map(|number| self.fetch(kit, instruction, number, 0));
        let word = match instruction.opcode {
            Opcode::Rcp => reciprocal(kit, a),
            Opcode::Rsq => {
                let magnitude = kit.b.fabs(a);
                kit.b.rsqrt(magnitude)
            }
            Opcode::Sqrt => kit.b.fsqrt(a),
            Opcode::Ex2 => kit.b.exp2(a),
            Opcode::Lg2 => kit.b.log2(a),
            Opcode::Pow => power(kit, a, b),
            Opcode::Cos => kit.b.fcos(a),
            Opcode::Sin => kit.b.fsin(a),
            _ => clamped_reciprocal(kit, a),
        };
        self.replicate(kit, instruction, word);
    }

    /// A component of a component-wise operation.
    fn compute(&self, kit: &mut Kit<'_, '_>, opcode: Opcode, srcs: [Src; MAX_SOURCES]) -> Src {
        let [a, b, c, _] = srcs;
        if let Some((condition, gives)) = comparison(opcode) {
            return compare(kit, condition, gives, a, b);
        }
        match opcode {
            Opcode::Mov => a,
            Opcode::ReadHelper => {
                let helper = crate::frontend::kit::coverage::is_helper(kit);
                truth(kit, helper)
            }
            Opcode::Cmp => {
                let below = kit.b.fcmp(FloatCond::LT, a, Src::f32(0.0));
                kit.b.select(below, b, c)
            }
            Opcode::Cnd => {
                let above = kit.b.fcmp(FloatCond::GT, c, Src::f32(0.5));
                kit.b.select(above, a, b)
            }
            Opcode::Ucmp => {
                let is_set = kit.b.icmp(IntCond::NE, a, Src::imm32(0));
                kit.b.select(is_set, b, c)
            }
            _ => match self.float(kit, opcode, a, b, c) {
                Some(value) => value,
                None => bit_field(kit, opcode, srcs).unwrap_or_else(|| integer(kit, opcode, a, b, c)),
            },
        }
    }

    /// `a × b`, with 0 taking precedence if the program requires it.
    pub fn mul(&self, kit: &mut Kit<'_, '_>, a: Src, b: Src) -> Src {
        let product = kit.b.fmul(a, b);
        self.or_zero(kit, a, b, product)
    }

    /// `a × b + c`, fused or not.
    pub fn mad(&self, kit: &mut Kit<'_, '_>, a: Src, b: Src, c: Src) -> Src {
        if self.zero_wins || kit.b.mode.separate {
            let product = self.mul(kit, a, b);
            return kit.b.fadd(product, c);
        }
        kit.b.ffma(a, b, c)
    }

    /// `value`, or 0 if a factor is 0 and 0 takes precedence.
    fn or_zero(&self, kit: &mut Kit<'_, '_>, a: Src, b: Src, value: Src) -> Src {
        if !self.zero_wins {
            return value;
        }
        let [first, second] = [a, b].map(|factor| kit.b.fcmp(FloatCond::EQ, factor, Src::f32(0.0)));
        let either = kit.b.or(first, second);
        kit.b.select(either, Src::f32(0.0), value)
    }

    fn float(&self, kit: &mut Kit<'_, '_>, opcode: Opcode, a: Src, b: Src, c: Src) -> Option<Src> {
        Some(match opcode {
            Opcode::Mul => self.mul(kit, a, b),
            Opcode::Add => kit.b.fadd(a, b),
            Opcode::Sub => kit.b.fsub(a, b),
            Opcode::Min | Opcode::Max if self.second_if_nan => {
                let condition = if opcode == Opcode::Min { FloatCond::LT } else { FloatCond::GT };
                let is_first = kit.b.fcmp(condition, a, b);
                kit.b.select(is_first, a, b)
            }
            Opcode::Min => kit.b.fmin(a, b),
            Opcode::Max => kit.b.fmax(a, b),
            Opcode::Sfl => Src::f32(0.0),
            Opcode::Str => Src::f32(1.0),
            Opcode::Mad => self.mad(kit, a, b, c),
            Opcode::Fma if self.zero_wins => {
                let fused = kit.b.ffma(a, b, c);
                let [first, second] = [a, b].map(|factor| kit.b.fcmp(FloatCond::EQ, factor, Src::f32(0.0)));
                let either = kit.b.or(first, second);
                kit.b.select(either, c, fused)
            }
            Opcode::Fma => kit.b.ffma(a, b, c),
            Opcode::Lrp => self.interpolate_linear(kit, a, b, c),
            Opcode::Frc => {
                let whole = kit.b.floor(a);
                kit.b.fsub(a, whole)
            }
            Opcode::Clamp => {
                let below = kit.b.fcmp(FloatCond::LT, a, b);
                let above = kit.b.fcmp(FloatCond::GT, a, c);
                let upper = kit.b.select(above, c, a);
                kit.b.select(below, b, upper)
            }
            Opcode::Flr => kit.b.floor(a),
            Opcode::Round => kit.b.rint(a),
            Opcode::Ceil => kit.b.ceil(a),
            Opcode::Trunc => kit.b.trunc(a),
            Opcode::Abs => kit.b.fabs(a),
            Opcode::Ssg => sign(kit, a),
            Opcode::Div => kit.b.fdiv(a, b),
            Opcode::Ldexp => scale(kit, a, b, 32),
            Opcode::F2i => kit.b.float_to_int(a, true, 32),
            Opcode::F2u => kit.b.float_to_int(a, false, 32),
            Opcode::I2f => kit.b.int_to_float(a, true, 32),
            Opcode::U2f => kit.b.int_to_float(a, false, 32),
            _ => return None,
        })
    }

    /// `a × b + (1 - a) × c`.
    fn interpolate_linear(&self, kit: &mut Kit<'_, '_>, a: Src, b: Src, c: Src) -> Src {
        let rest = kit.b.fsub(Src::f32(1.0), a);
        let second = self.mul(kit, rest, c);
        self.mad(kit, a, b, second)
    }
}

/// The reciprocal of `a`, clamped to the bounds of RCC.
fn clamped_reciprocal(kit: &mut Kit<'_, '_>, a: Src) -> Src {
    let value = reciprocal(kit, a);
    let mut clamp = |low: f32, high: f32| {
        let below = kit.b.fcmp(FloatCond::LT, value, Src::f32(low));
        let above = kit.b.fcmp(FloatCond::GT, value, Src::f32(high));
        let upper = kit.b.select(above, Src::f32(high), value);
        kit.b.select(below, Src::f32(low), upper)
    };
    let (positive, negative) = (clamp(SMALL, LARGE), clamp(-LARGE, -SMALL));
    let is_positive = kit.b.fcmp(FloatCond::GT, value, Src::f32(0.0));
    kit.b.select(is_positive, positive, negative)
}

/// -1, 0 or 1.
fn sign(kit: &mut Kit<'_, '_>, a: Src) -> Src {
    let zero = Src::f32(0.0);
    let above = kit.b.fcmp(FloatCond::GT, a, zero);
    let below = kit.b.fcmp(FloatCond::LT, a, zero);
    let negative = kit.b.select(below, Src::f32(-1.0), zero);
    kit.b.select(above, Src::f32(1.0), negative)
}

/// The kinds of comparisons.
#[derive(Clone, Copy)]
enum Comparison {
    Float(FloatCond),
    Integer(IntCond),
}

/// The representation of a comparison's result.
#[derive(Clone, Copy)]
enum Gives {
    /// 1.0 or 0.0.
    One,
    /// All bits or none.
    Bits,
}

fn comparison(opcode: Opcode) -> Option<(Comparison, Gives)> {
    use Comparison::{Float, Integer};
    Some(match opcode {
        Opcode::Slt => (Float(FloatCond::LT), Gives::One),
        Opcode::Sge => (Float(FloatCond::GE), Gives::One),
        Opcode::Seq => (Float(FloatCond::EQ), Gives::One),
        Opcode::Sgt => (Float(FloatCond::GT), Gives::One),
        Opcode::Sle => (Float(FloatCond::LE), Gives::One),
        Opcode::Sne => (Float(FloatCond::NE), Gives::One),
        Opcode::Fslt => (Float(FloatCond::LT), Gives::Bits),
        Opcode::Fsge => (Float(FloatCond::GE), Gives::Bits),
        Opcode::Fseq => (Float(FloatCond::EQ), Gives::Bits),
        Opcode::Fsne => (Float(FloatCond::NE), Gives::Bits),
        Opcode::Islt => (Integer(IntCond::SLT), Gives::Bits),
        Opcode::Isge => (Integer(IntCond::SGE), Gives::Bits),
        Opcode::Uslt => (Integer(IntCond::ULT), Gives::Bits),
        Opcode::Usge => (Integer(IntCond::UGE), Gives::Bits),
        Opcode::Useq => (Integer(IntCond::EQ), Gives::Bits),
        Opcode::Usne => (Integer(IntCond::NE), Gives::Bits),
        _ => return None,
    })
}

fn compare(kit: &mut Kit<'_, '_>, comparison: Comparison, gives: Gives, a: Src, b: Src) -> Src {
    let condition = match comparison {
        Comparison::Float(condition) => kit.b.fcmp(condition, a, b),
        Comparison::Integer(condition) => kit.b.icmp(condition, a, b),
    };
    match gives {
        Gives::One => kit.b.select(condition, Src::f32(1.0), Src::f32(0.0)),
        Gives::Bits => truth(kit, condition),
    }
}

fn integer(kit: &mut Kit<'_, '_>, opcode: Opcode, a: Src, b: Src, c: Src) -> Src {
    let zero = Src::imm32(0);
    let builder = &mut kit.b;
    match opcode {
        Opcode::Not => builder.not(a),
        Opcode::Shl | Opcode::Shr | Opcode::Ishr | Opcode::Ushr => {
            let count = builder.and(b, Src::imm32(31));
            match opcode {
                Opcode::Shl => builder.shl(a, count),
                Opcode::Ushr => builder.ushr(a, count),
                _ => builder.sshr(a, count),
            }
        }
        Opcode::And => builder.and(a, b),
        Opcode::Or => builder.or(a, b),
        Opcode::Xor => builder.xor(a, b),
        Opcode::Mod | Opcode::Idiv | Opcode::Udiv | Opcode::Umod => divide(kit, opcode, a, b),
        Opcode::Sad => {
            let (low, high) = (builder.umin(a, b), builder.umax(a, b));
            let difference = builder.isub(high, low);
            builder.iadd(difference, c)
        }
        Opcode::Imax => builder.imax(a, b),
        Opcode::Imin => builder.imin(a, b),
        Opcode::Umax => builder.umax(a, b),
        Opcode::Umin => builder.umin(a, b),
        Opcode::Ineg => builder.ineg(a),
        Opcode::Iabs => {
            let negated = builder.ineg(a);
            builder.imax(a, negated)
        }
        Opcode::Issg => {
            let (least, most) = (Src::imm32(TRUE), Src::imm32(1));
            let capped = builder.imin(a, most);
            builder.imax(capped, least)
        }
        Opcode::Uadd => builder.iadd(a, b),
        Opcode::Umul => builder.imul(a, b),
        Opcode::Umad => {
            let product = builder.imul(a, b);
            builder.iadd(product, c)
        }
        Opcode::ImulHi => builder.smulh(a, b),
        Opcode::UmulHi => builder.umulh(a, b),
        _ => zero,
    }
}

/// Quotients and remainders; the opcode determines the result for a divisor of 0.
fn divide(kit: &mut Kit<'_, '_>, opcode: Opcode, a: Src, b: Src) -> Src {
    let builder = &mut kit.b;
    let (value, otherwise) = match opcode {
        Opcode::Idiv => (builder.sdiv(a, b), 0),
        Opcode::Udiv => (builder.udiv(a, b), TRUE),
        Opcode::Umod => (builder.umod(a, b), TRUE),
        _ => (builder.srem(a, b), TRUE),
    };
    let is_zero = builder.icmp(IntCond::EQ, b, Src::imm32(0));
    builder.select(is_zero, Src::imm32(otherwise), value)
}

/// Operations on fields of bits.
fn bit_field(kit: &mut Kit<'_, '_>, opcode: Opcode, srcs: [Src; MAX_SOURCES]) -> Option<Src> {
    let [a, b, c, e] = srcs;
    let builder = &mut kit.b;
    Some(match opcode {
        Opcode::Ubfe => {
            let mask = low_bits(kit, c);
            let count = kit.b.and(b, Src::imm32(31));
            let moved = kit.b.ushr(a, count);
            kit.b.and(moved, mask)
        }
        Opcode::Ibfe => signed_field(kit, a, b, c),
        Opcode::Bfi => {
            let mask = low_bits(kit, e);
            let count = kit.b.and(c, Src::imm32(31));
            let mask = kit.b.shl(mask, count);
            let inserted = kit.b.shl(b, count);
            let inserted = kit.b.and(inserted, mask);
            let outside = kit.b.not(mask);
            let kept = kit.b.and(a, outside);
            kit.b.or(inserted, kept)
        }
        Opcode::Brev => builder.bitrev(a),
        Opcode::Popc => builder.popcnt(a),
        Opcode::Lsb => {
            let negated = builder.ineg(a);
            let lowest = builder.and(a, negated);
            builder.most_significant_bit(lowest)
        }
        Opcode::Umsb => builder.most_significant_bit(a),
        Opcode::Imsb => {
            let signs = builder.sshr(a, Src::imm32(31));
            let differing = builder.xor(a, signs);
            builder.most_significant_bit(differing)
        }
        _ => return None,
    })
}

/// A word with its lowest `count` bits set, 0 to 32.
fn low_bits(kit: &mut Kit<'_, '_>, count: Src) -> Src {
    let within = kit.b.and(count, Src::imm32(31));
    let bit = kit.b.shl(Src::imm32(1), within);
    let mask = kit.b.isub(bit, Src::imm32(1));
    let is_whole = kit.b.icmp(IntCond::EQ, count, Src::imm32(32));
    kit.b.select(is_whole, Src::imm32(TRUE), mask)
}

/// `count` bits of `a` from `offset` on, with the sign of the highest.
fn signed_field(kit: &mut Kit<'_, '_>, a: Src, offset: Src, count: Src) -> Src {
    let mask = low_bits(kit, count);
    let start = kit.b.and(offset, Src::imm32(31));
    let moved = kit.b.ushr(a, start);
    let field = kit.b.and(moved, mask);
    // The field's sign bit is the difference between the mask and its half.
    let half = kit.b.ushr(mask, Src::imm32(1));
    let sign = kit.b.xor(mask, half);
    let flipped = kit.b.xor(field, sign);
    kit.b.isub(flipped, sign)
}
