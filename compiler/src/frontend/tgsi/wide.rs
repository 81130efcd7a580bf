//! 64-bit operations on pairs of components.

use agx_tgsi::{Class, Instruction, Opcode, Saturate};

use super::operands::{clamp, halves, join, written};
use super::program::Program;
use super::values::truth;
use crate::frontend::four;
use crate::frontend::kit::Kit;
use crate::ir::build::alu::{FloatCond, IntCond, float, int};
use crate::ir::{Arithmetic, Src};

impl Program<'_> {
    /// Operations whose operands are pairs.
    pub fn pairs(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) {
        let Some(dst) = instruction.dsts.first() else { return };
        match instruction.opcode.info().class {
            Class::PairFlag => self.flags(kit, instruction),
            Class::Split => self.split(kit, instruction),
            class => {
                let mut value = [None; 4];
                for pair in whole_pairs(dst.mask) {
                    let result = match class {
                        Class::PairCount => self.with_count(kit, instruction, pair),
                        _ => self.pair(kit, instruction, pair),
                    };
                    put(kit, &mut value, pair, instruction.saturate, result);
                }
                self.store_to(kit, instruction, dst, value);
            }
        }
    }

    fn pair(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction, pair: u8) -> Src {
        let count = instruction.srcs.len();
        let zero = Src::imm(0, 64);
        let [a, b, c] = [0, 1, 2].map(|number| match number < count {
            true => self.fetch_pair(kit, instruction, number, pair),
            false => zero,
        });
        double(kit, (instruction.opcode, self.second_if_nan), a, b, c)
            .unwrap_or_else(|| integer(kit, instruction.opcode, a, b))
    }

    /// Shifts, whose counts are in x and y, and DLDEXP, whose exponents are in x and z.
    fn with_count(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction, pair: u8) -> Src {
        let a = self.fetch_pair(kit, instruction, 0, pair);
        if instruction.opcode == Opcode::Dldexp {
            let exponent = self.fetch(kit, instruction, 1, pair << 1);
            return scale(kit, a, exponent, 64);
        }
        let count = self.fetch(kit, instruction, 1, pair);
        let count = kit.b.and(count, Src::imm32(63));
        match instruction.opcode {
            Opcode::U64shl => kit.b.shl(a, count),
            Opcode::U64shr => kit.b.ushr(a, count),
            _ => kit.b.sshr(a, count),
        }
    }

    /// Comparisons: the result of xy is written to x or y, that of zw to z or w.
    fn flags(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) {
        let Some(dst) = instruction.dsts.first() else { return };
        let mut value = [None; 4];
        for pair in [0, 1] {
            let here = written(dst.mask).find(|component| component / 2 == pair);
            let Some(component) = here else { continue };
            let [a, b] = [0, 1].map(|number| self.fetch_pair(kit, instruction, number, pair));
            let holds = compare(kit, instruction.opcode, a, b);
            four::set(&mut value, component, Some(truth(kit, holds)));
        }
        self.store_to(kit, instruction, dst, value);
    }

    /// DFRACEXP.
    fn split(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) {
        let a = self.fetch_pair(kit, instruction, 0, 0);
        let (significand, exponent) = fraction_and_exponent(kit, a);
        if let Some(second) = instruction.dsts.get(1) {
            self.store_to(kit, instruction, second, [Some(exponent); 4]);
        }
        let Some(dst) = instruction.dsts.first() else { return };
        let mut value = [None; 4];
        for pair in whole_pairs(dst.mask) {
            put(kit, &mut value, pair, Saturate::No, significand);
        }
        self.store_to(kit, instruction, dst, value);
    }

    /// xy from x, zw from y.
    pub fn widen(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) {
        let Some(dst) = instruction.dsts.first() else { return };
        let mut value = [None; 4];
        for pair in whole_pairs(dst.mask) {
            let word = self.fetch(kit, instruction, 0, pair);
            let wide = match instruction.opcode {
                Opcode::F2u64 => kit.b.float_to_int(word, false, 64),
                Opcode::F2i64 => kit.b.float_to_int(word, true, 64),
                Opcode::U2i64 => kit.b.uconv(word, 64),
                Opcode::I2i64 => kit.b.sconv(word, 64),
                Opcode::I2d => kit.b.int_to_float(word, true, 64),
                Opcode::U2d => kit.b.int_to_float(word, false, 64),
                _ => kit.b.fconv(word, 64),
            };
            put(kit, &mut value, pair, instruction.saturate, wide);
        }
        self.store_to(kit, instruction, dst, value);
    }

    /// The first written component from xy, the second from zw.
    pub fn narrow(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) {
        let Some(dst) = instruction.dsts.first() else { return };
        let mut value = [None; 4];
        for (component, pair) in written(dst.mask).zip([0, 1]) {
            let wide = self.fetch_pair(kit, instruction, 0, pair);
            let word = match instruction.opcode {
                Opcode::U642f => kit.b.int_to_float(wide, false, 32),
                Opcode::I642f => kit.b.int_to_float(wide, true, 32),
                Opcode::D2i => kit.b.float_to_int(wide, true, 32),
                Opcode::D2u => kit.b.float_to_int(wide, false, 32),
                _ => kit.b.fconv(wide, 32),
            };
            four::set(&mut value, component, Some(clamp(kit, instruction.saturate, word)));
        }
        self.store_to(kit, instruction, dst, value);
    }
}

/// The pairs whose components are both written: 0 for xy, 1 for zw.
fn whole_pairs(mask: u8) -> impl Iterator<Item = u8> {
    [0, 1].into_iter().filter(move |pair| mask >> (pair << 1) & 3 == 3)
}

fn put(kit: &mut Kit<'_, '_>, value: &mut [Option<Src>; 4], pair: u8, saturate: Saturate, wide: Src) {
    let wide = if saturate == Saturate::No { wide } else { kit.b.fsat(wide) };
    let [low, high] = halves(kit, wide);
    let first = pair << 1;
    four::set(value, first, Some(low));
    four::set(value, first | 1, Some(high));
}

/// Operations on doubles, and conversions between 64-bit numbers.
fn double(
    kit: &mut Kit<'_, '_>,
    (opcode, second_if_nan): (Opcode, bool),
    a: Src,
    b: Src,
    c: Src,
) -> Option<Src> {
    let builder = &mut kit.b;
    Some(match opcode {
        Opcode::Dabs => builder.fabs(a),
        Opcode::Dneg => builder.fneg(a),
        Opcode::Dadd => builder.fadd(a, b),
        Opcode::Dmul => builder.fmul(a, b),
        Opcode::Ddiv => builder.fdiv(a, b),
        Opcode::Dmax | Opcode::Dmin => {
            let condition = if opcode == Opcode::Dmax { FloatCond::GT } else { FloatCond::LT };
            let mut first = builder.fcmp(condition, a, b);
            if !second_if_nan {
                let is_nan = builder.fcmp(FloatCond::NE, b, b);
                first = builder.or(first, is_nan);
            }
            builder.select(first, a, b)
        }
        Opcode::Drcp => builder.fdiv(float(1.0, 64), a),
        Opcode::Dsqrt => builder.fsqrt(a),
        Opcode::Drsq => builder.rsqrt(a),
        Opcode::Dmad => {
            let product = builder.fmul(a, b);
            builder.fadd(product, c)
        }
        Opcode::Dfma => builder.ffma(a, b, c),
        Opcode::Dfrac => {
            let whole = builder.floor(a);
            builder.fsub(a, whole)
        }
        Opcode::Dtrunc => builder.trunc(a),
        Opcode::Dceil => builder.ceil(a),
        Opcode::Dflr => builder.floor(a),
        Opcode::Dround => builder.rint(a),
        Opcode::Dssg => {
            let zero = float(0.0, 64);
            let (above, below) = (builder.fcmp(FloatCond::GT, a, zero), builder.fcmp(FloatCond::LT, a, zero));
            let negative = builder.select(below, float(-1.0, 64), zero);
            builder.select(above, float(1.0, 64), negative)
        }
        Opcode::U642d => builder.int_to_float(a, false, 64),
        Opcode::I642d => builder.int_to_float(a, true, 64),
        Opcode::D2u64 => builder.float_to_int(a, false, 64),
        Opcode::D2i64 => builder.float_to_int(a, true, 64),
        _ => return None,
    })
}

fn integer(kit: &mut Kit<'_, '_>, opcode: Opcode, a: Src, b: Src) -> Src {
    let zero = int(0, 64);
    if let Some(quotient) = divide(kit, opcode, a, b) {
        return quotient;
    }
    let builder = &mut kit.b;
    match opcode {
        Opcode::I64min => builder.imin(a, b),
        Opcode::U64min => builder.umin(a, b),
        Opcode::I64max => builder.imax(a, b),
        Opcode::U64max => builder.umax(a, b),
        Opcode::I64abs => {
            let negated = builder.ineg(a);
            builder.imax(a, negated)
        }
        Opcode::I64ssg => {
            let (above, below) = (builder.icmp(IntCond::SGT, a, zero), builder.icmp(IntCond::SLT, a, zero));
            let negative = builder.select(below, int(-1, 64), zero);
            builder.select(above, int(1, 64), negative)
        }
        Opcode::I64neg => builder.ineg(a),
        Opcode::U64add => builder.iadd(a, b),
        Opcode::U64mul => builder.imul(a, b),
        _ => zero,
    }
}

/// Quotients and remainders; the opcode determines the result for a divisor of 0.
fn divide(kit: &mut Kit<'_, '_>, opcode: Opcode, a: Src, b: Src) -> Option<Src> {
    let (value, number) = match opcode {
        Opcode::I64div => (kit.b.sdiv(a, b), 0),
        Opcode::U64div => (kit.b.udiv(a, b), -1),
        Opcode::I64mod => (kit.b.srem(a, b), -1),
        Opcode::U64mod => (kit.b.umod(a, b), -1),
        _ => return None,
    };
    Some(otherwise(kit, b, value, number))
}

/// `value`, or `number` if the divisor is 0.
fn otherwise(kit: &mut Kit<'_, '_>, divisor: Src, value: Src, number: i64) -> Src {
    let is_zero = kit.b.icmp(IntCond::EQ, divisor, int(0, 64));
    kit.b.select(is_zero, int(number, 64), value)
}

fn compare(kit: &mut Kit<'_, '_>, opcode: Opcode, a: Src, b: Src) -> Src {
    let builder = &mut kit.b;
    match opcode {
        Opcode::Dslt => builder.fcmp(FloatCond::LT, a, b),
        Opcode::Dsge => builder.fcmp(FloatCond::GE, a, b),
        Opcode::Dseq => builder.fcmp(FloatCond::EQ, a, b),
        Opcode::Dsne => builder.fcmp(FloatCond::NE, a, b),
        Opcode::U64seq => builder.icmp(IntCond::EQ, a, b),
        Opcode::U64sne => builder.icmp(IntCond::NE, a, b),
        Opcode::I64slt => builder.icmp(IntCond::SLT, a, b),
        Opcode::U64slt => builder.icmp(IntCond::ULT, a, b),
        Opcode::I64sge => builder.icmp(IntCond::SGE, a, b),
        _ => builder.icmp(IntCond::UGE, a, b),
    }
}

/// Number of steps that keep scaling in range.
const STEPS: u32 = 3;

/// `a × 2^exponent`, of `bits` bits: multiplies by powers of two until the exponent is used up.
pub(super) fn scale(kit: &mut Kit<'_, '_>, a: Src, exponent: Src, bits: u8) -> Src {
    let largest: u32 = if bits == 64 { 1023 } else { 127 };
    let mut rest = exponent;
    let mut result = a;
    for _ in 0..STEPS {
        let capped = kit.b.imin(rest, Src::imm32(largest));
        let part = kit.b.imax(capped, Src::imm32(1u32.wrapping_sub(largest)));
        let factor = power_of_two(kit, part, largest, bits);
        result = kit.b.fmul(result, factor);
        rest = kit.b.isub(rest, part);
    }
    result
}

/// `2^part`, for exponents of normal numbers.
fn power_of_two(kit: &mut Kit<'_, '_>, part: Src, bias: u32, bits: u8) -> Src {
    let field = kit.b.iadd(part, Src::imm32(bias));
    if bits == 32 {
        return kit.b.shl(field, Src::imm32(23));
    }
    let high = kit.b.shl(field, Src::imm32(20));
    join(kit, [Src::imm32(0), high])
}

/// Significand in 0.5 … 1 and exponent of a double; 0, infinities and NaNs are returned as the significand.
fn fraction_and_exponent(kit: &mut Kit<'_, '_>, a: Src) -> (Src, Src) {
    const EXTRA: u32 = 54;
    let magnitude = kit.b.fabs(a);
    let is_denormal = kit.b.fcmp(FloatCond::LT, magnitude, float(f64::MIN_POSITIVE, 64));
    let larger = kit.b.fmul(a, float(2f64.powi(EXTRA as i32), 64));
    let normal = kit.b.select(is_denormal, larger, a);
    let [low, high] = halves(kit, normal);
    let shifted = kit.b.ushr(high, Src::imm32(20));
    let field = kit.b.and(shifted, Src::imm32(0x7ff));
    let mantissa = kit.b.and(high, Src::imm32(0x800f_ffff));
    let mantissa = kit.b.or(mantissa, Src::imm32(0x3fe0_0000));
    let fraction = join(kit, [low, mantissa]);
    let bias = kit.b.select(is_denormal, Src::imm32(1022 + EXTRA), Src::imm32(1022));
    let exponent = kit.b.isub(field, bias);
    let previous = kit.b.isub(field, Src::imm32(1));
    let is_number = kit.b.icmp(IntCond::ULT, previous, Src::imm32(0x7fe));
    (kit.b.select(is_number, fraction, a), kit.b.select(is_number, exponent, Src::imm32(0)))
}
