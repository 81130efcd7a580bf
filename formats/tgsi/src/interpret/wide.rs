//! 64-bit operations: numbers are in pairs of components, the low word first.

use super::{Machine, Vector};
use crate::model::{Instruction, Saturate};
use crate::opcode::{Class, Opcode};

/// The 64-bit number in components `pair` and `pair + 1`.
pub(super) fn join(vector: Vector, pair: usize) -> u64 {
    u64::from(vector[pair]) | u64::from(vector[pair + 1]) << 32
}

fn put(vector: &mut Vector, pair: usize, bits: u64) {
    vector[pair] = bits as u32;
    vector[pair + 1] = (bits >> 32) as u32;
}

impl Machine<'_, '_> {
    /// Executes 64-bit operations.
    pub(super) fn compute_wide(&mut self, instruction: &Instruction, active: &[usize]) {
        let opcode = instruction.opcode;
        for lane in active.iter().copied() {
            let srcs: [Vector; 3] = std::array::from_fn(|number| self.fetch(lane, instruction, number));
            let Some(dst) = instruction.dsts.first() else { return };
            let value = match opcode.info().class {
                Class::Pair => {
                    pairs(|pair| saturate(instruction, operate(opcode, srcs.map(|src| join(src, pair)))))
                }
                Class::PairCount => pairs(|pair| {
                    // Counts of shifts are in consecutive components; those of DLDEXP are in the first
                    // component of each pair.
                    let count = srcs[1][if opcode == Opcode::Dldexp { pair } else { pair / 2 }];
                    with_count(opcode, join(srcs[0], pair), count)
                }),
                Class::PairFlag => {
                    let flag = |pair| {
                        if compare(opcode, join(srcs[0], pair), join(srcs[1], pair)) { u32::MAX } else { 0 }
                    };
                    let (low, high) = (flag(0), flag(2));
                    // One component of each pair is written.
                    let mask = dst.mask & if dst.mask & 1 != 0 { !2 } else { !0 };
                    let mask = mask & if dst.mask & 4 != 0 { !8 } else { !0 };
                    self.store_bits(lane, instruction, dst, mask, [low, low, high, high]);
                    continue;
                }
                Class::Widen => pairs(|pair| widen(opcode, srcs[0][pair / 2])),
                Class::Narrow => {
                    self.narrow(lane, instruction, srcs[0]);
                    continue;
                }
                _ => {
                    let (significand, exponent) = split(f64::from_bits(join(srcs[0], 0)));
                    if let Some(second) = instruction.dsts.get(1) {
                        self.store_bits(lane, instruction, second, second.mask, [exponent as u32; 4]);
                    }
                    pairs(|_| significand.to_bits())
                }
            };
            self.store_bits(lane, instruction, dst, whole_pairs(dst.mask), value);
        }
    }

    /// Writes the first written component from xy, the second from zw.
    fn narrow(&mut self, lane: usize, instruction: &Instruction, a: Vector) {
        let Some(dst) = instruction.dsts.first() else { return };
        let mut value = [0; 4];
        let mut mask = 0;
        let written = (0..4).filter(|component| dst.mask & 1 << component != 0);
        for (component, pair) in written.zip([0, 2]) {
            value[component] = narrow(instruction.opcode, join(a, pair));
            if instruction.saturate != Saturate::No {
                value[component] = f32::from_bits(value[component]).clamp(0.0, 1.0).to_bits();
            }
            mask |= 1 << component;
        }
        self.store_bits(lane, instruction, dst, mask, value);
    }
}

/// The pairs with both components written.
fn whole_pairs(mask: u8) -> u8 {
    [0b0011, 0b1100].into_iter().filter(|pair| mask & pair == *pair).sum()
}

fn pairs(value: impl Fn(usize) -> u64) -> Vector {
    let mut out = [0; 4];
    put(&mut out, 0, value(0));
    put(&mut out, 2, value(2));
    out
}

#[expect(clippy::manual_clamp, reason = "NaN becomes 0")]
fn saturate(instruction: &Instruction, bits: u64) -> u64 {
    match instruction.saturate {
        Saturate::No => bits,
        _ => f64::from_bits(bits).max(0.0).min(1.0).to_bits(),
    }
}

fn sign(a: f64) -> f64 {
    if a > 0.0 {
        1.0
    } else if a < 0.0 {
        -1.0
    } else {
        0.0
    }
}

fn operate(opcode: Opcode, bits: [u64; 3]) -> u64 {
    use Opcode::*;
    let ([a, b, _], [x, y, z]) = (bits, bits.map(f64::from_bits));
    let double = match opcode {
        Dabs => x.abs(),
        Dneg => -x,
        Dadd => x + y,
        Dmul => x * y,
        Ddiv => x / y,
        Dmax => {
            if x > y || y.is_nan() {
                x
            } else {
                y
            }
        }
        Dmin => {
            if x < y || y.is_nan() {
                x
            } else {
                y
            }
        }
        Drcp => 1.0 / x,
        Dsqrt => x.sqrt(),
        Drsq => 1.0 / x.sqrt(),
        Dmad => x * y + z,
        Dfma => x.mul_add(y, z),
        Dfrac => x - x.floor(),
        Dtrunc => x.trunc(),
        Dceil => x.ceil(),
        Dflr => x.floor(),
        Dround => x.round_ties_even(),
        Dssg => sign(x),
        U642d => a as f64,
        I642d => a as i64 as f64,
        D2u64 => return x as u64,
        D2i64 => return x as i64 as u64,
        _ => return integer(opcode, a, b),
    };
    double.to_bits()
}

fn integer(opcode: Opcode, a: u64, b: u64) -> u64 {
    use Opcode::*;
    let (i, j) = (a as i64, b as i64);
    match opcode {
        I64min => i.min(j) as u64,
        U64min => a.min(b),
        I64max => i.max(j) as u64,
        U64max => a.max(b),
        I64abs => i.unsigned_abs(),
        I64ssg => i.signum() as u64,
        I64neg => a.wrapping_neg(),
        U64add => a.wrapping_add(b),
        U64mul => a.wrapping_mul(b),
        I64div => {
            if j == 0 {
                0
            } else {
                i.wrapping_div(j) as u64
            }
        }
        U64div => a.checked_div(b).unwrap_or(u64::MAX),
        I64mod => {
            if j == 0 {
                u64::MAX
            } else {
                i.wrapping_rem(j) as u64
            }
        }
        U64mod => a.checked_rem(b).unwrap_or(u64::MAX),
        _ => 0,
    }
}

fn with_count(opcode: Opcode, a: u64, count: u32) -> u64 {
    match opcode {
        Opcode::U64shl => a << (count & 63),
        Opcode::I64shr => ((a as i64) >> (count & 63)) as u64,
        Opcode::U64shr => a >> (count & 63),
        _ => scale(f64::from_bits(a), count as i32).to_bits(),
    }
}

/// `a × 2^exponent`, computed in steps that neither overflow nor underflow.
fn scale(a: f64, exponent: i32) -> f64 {
    let mut left = exponent.clamp(-2200, 2200);
    let mut value = a;
    while left != 0 {
        let step = left.clamp(-1000, 1000);
        value *= 2f64.powi(step);
        left -= step;
    }
    value
}

fn compare(opcode: Opcode, a: u64, b: u64) -> bool {
    use Opcode::*;
    let ((x, y), (i, j)) = ((f64::from_bits(a), f64::from_bits(b)), (a as i64, b as i64));
    match opcode {
        Dslt => x < y,
        Dsge => x >= y,
        Dseq => x == y,
        Dsne => x != y,
        U64seq => a == b,
        U64sne => a != b,
        I64slt => i < j,
        U64slt => a < b,
        I64sge => i >= j,
        _ => a >= b,
    }
}

fn widen(opcode: Opcode, a: u32) -> u64 {
    let float = f32::from_bits(a);
    match opcode {
        Opcode::F2u64 => float as u64,
        Opcode::F2i64 => float as i64 as u64,
        Opcode::U2i64 => u64::from(a),
        Opcode::I2i64 => i64::from(a as i32) as u64,
        Opcode::I2d => f64::from(a as i32).to_bits(),
        Opcode::U2d => f64::from(a).to_bits(),
        _ => f64::from(float).to_bits(),
    }
}

fn narrow(opcode: Opcode, a: u64) -> u32 {
    let double = f64::from_bits(a);
    match opcode {
        Opcode::U642f => (a as f32).to_bits(),
        Opcode::I642f => (a as i64 as f32).to_bits(),
        Opcode::D2i => double as i32 as u32,
        Opcode::D2u => double as u32,
        _ => (double as f32).to_bits(),
    }
}

/// Significand in 0.5 … 1 and exponent; the exponent of 0, infinities and NaNs is 0.
fn split(a: f64) -> (f64, i32) {
    const EXPONENT: u64 = 0x7ff << 52;
    if a == 0.0 || !a.is_finite() {
        return (a, 0);
    }
    let (a, extra) = if a.is_subnormal() { (a * 2f64.powi(64), -64) } else { (a, 0) };
    let bits = a.to_bits();
    let exponent = ((bits & EXPONENT) >> 52) as i32 - 1022;
    (f64::from_bits(bits & !EXPONENT | 1022 << 52), exponent + extra)
}
