//! 32-bit operations.

use half::f16;

use super::{Machine, Rounding, Vector};
use crate::model::Instruction;
use crate::opcode::{Class, Opcode};

/// The sources of an operation.
type Sources = [Vector; 4];

/// The result of integer comparisons for true.
const TRUE: u32 = u32::MAX;

impl Machine<'_, '_> {
    /// Executes operations that compute a 32-bit result from their sources alone.
    pub(super) fn compute(&mut self, instruction: &Instruction, active: &[usize]) {
        let opcode = instruction.opcode;
        for lane in active.iter().copied() {
            let srcs: Sources = std::array::from_fn(|number| self.fetch(lane, instruction, number));
            let is_helper = self.lanes[lane].is_helper;
            let mut rules = Rules {
                zero_wins: self.zero_wins,
                opcode,
                is_precise: instruction.is_precise,
                rounding: &mut *self.rounding,
            };
            let value = match opcode {
                Opcode::ReadHelper => [if is_helper { TRUE } else { 0 }; 4],
                Opcode::Clock => [self.time as u32, (self.time >> 32) as u32, 0, 0],
                _ => match opcode.info().class {
                    Class::Component => std::array::from_fn(|at| rules.component(srcs.map(|src| src[at]))),
                    Class::Scalar => [rules.scalar(srcs); 4],
                    _ => rules.vector(srcs),
                },
            };
            self.store(lane, instruction, 0, value);
        }
    }
}

/// Arithmetic rules of an instruction.
struct Rules<'r, 'f> {
    /// 0 times any number is 0.
    zero_wins: bool,
    opcode: Opcode,
    /// The instruction is precise: each sum and product is rounded.
    is_precise: bool,
    rounding: &'r mut Rounding<'f>,
}

fn float(word: u32) -> f32 {
    f32::from_bits(word)
}

fn floats(vector: Vector) -> [f32; 4] {
    vector.map(f32::from_bits)
}

fn bits(vector: [f32; 4]) -> Vector {
    vector.map(f32::to_bits)
}

fn choose(condition: bool) -> f32 {
    f32::from(u8::from(condition))
}

/// The sign of a number as -1, 0 or 1; 0 for a NaN.
fn sign(a: f32) -> f32 {
    if a > 0.0 {
        1.0
    } else if a < 0.0 {
        -1.0
    } else {
        0.0
    }
}

/// `a` to the power of `b`, computed as `2^(b log2 a)`, except that it is 1 if `b` is 0.
fn power(a: f32, b: f32) -> f32 {
    if b == 0.0 {
        1.0
    } else if a < 0.0 {
        f32::NAN
    } else {
        a.powf(b)
    }
}

impl Rules<'_, '_> {
    /// Rounds the result of an operation; `operand` is its first operand, or its largest term.
    fn round(&mut self, operand: f32, result: f32) -> f32 {
        if self.is_precise { result } else { (self.rounding)(self.opcode, operand, result) }
    }

    fn mul(&mut self, a: f32, b: f32) -> f32 {
        if self.zero_wins && (a == 0.0 || b == 0.0) { 0.0 } else { self.round(a, a * b) }
    }

    fn add(&mut self, a: f32, b: f32) -> f32 {
        self.round(a, a + b)
    }

    fn dot(&mut self, a: [f32; 4], b: [f32; 4], count: usize) -> f32 {
        let mut sum = self.mul(a[0], b[0]);
        for at in 1..count {
            let term = self.mul(a[at], b[at]);
            sum = self.add(sum, term);
        }
        sum
    }

    /// The products of `count` components and `rest`, added from left to right. The document does not specify
    /// the order of additions, so the error of the sum depends on its largest term.
    fn sum(&mut self, a: [f32; 4], b: [f32; 4], count: usize, rest: Option<f32>) -> f32 {
        let zero_wins = self.zero_wins;
        let product = |(a, b): (&f32, &f32)| if zero_wins && (*a == 0.0 || *b == 0.0) { 0.0 } else { a * b };
        let terms = a.iter().zip(&b).take(count).map(product).chain(rest);
        let largest = terms.clone().fold(0.0, |largest: f32, term| largest.max(term.abs()));
        let sum = terms.reduce(|sum, term| sum + term).unwrap_or(0.0);
        self.round(largest, sum)
    }

    fn fused(&mut self, a: f32, b: f32, c: f32) -> f32 {
        if self.zero_wins && (a == 0.0 || b == 0.0) { c } else { self.round(a, a.mul_add(b, c)) }
    }

    /// `a × b + c × d`.
    fn products(&mut self, [a, b]: [f32; 2], [c, d]: [f32; 2]) -> f32 {
        let (first, second) = (self.mul(a, b), self.mul(c, d));
        self.add(first, second)
    }

    /// One component of a component-wise operation.
    fn component(&mut self, srcs: [u32; 4]) -> u32 {
        let [a, b, c, _] = srcs.map(float);
        if let Some(value) = self.float_component(a, b, c) {
            return value.to_bits();
        }
        let opcode = self.opcode;
        if let Some(is_true) = comparison(opcode, srcs) {
            return if is_true { TRUE } else { 0 };
        }
        match opcode {
            Opcode::Mov => srcs[0],
            Opcode::Cmp => srcs[if a < 0.0 { 1 } else { 2 }],
            Opcode::Cnd => srcs[if c > 0.5 { 0 } else { 1 }],
            Opcode::Ucmp => srcs[if srcs[0] != 0 { 1 } else { 2 }],
            Opcode::F2i => a as i32 as u32,
            Opcode::F2u => a as u32,
            Opcode::I2f => (srcs[0] as i32 as f32).to_bits(),
            Opcode::U2f => (srcs[0] as f32).to_bits(),
            Opcode::Ldexp => (f64::from(a) * 2f64.powi((srcs[1] as i32).clamp(-300, 300))).to_f32_bits(),
            _ => bit_field(opcode, srcs).unwrap_or_else(|| integer(opcode, srcs)),
        }
    }

    fn float_component(&mut self, a: f32, b: f32, c: f32) -> Option<f32> {
        use Opcode::*;
        Some(match self.opcode {
            Mul => self.mul(a, b),
            Add => self.add(a, b),
            Sub => self.add(a, -b),
            Mad => {
                let product = self.mul(a, b);
                self.add(product, c)
            }
            Fma => self.fused(a, b, c),
            Lrp => {
                let rest = self.add(1.0, -a);
                self.products([a, b], [rest, c])
            }
            Frc => {
                let whole = a.floor();
                self.add(a, -whole)
            }
            Div => self.round(a, a / b),
            opcode => return exact_component(opcode, a, b, c),
        })
    }

    /// The result of an operation that replicates it.
    fn scalar(&mut self, srcs: Sources) -> u32 {
        use Opcode::*;
        let [a, b, ..] = srcs.map(floats);
        let value = match self.opcode {
            Rcp => 1.0 / a[0],
            Rsq => 1.0 / a[0].abs().sqrt(),
            Sqrt => a[0].sqrt(),
            Ex2 => a[0].exp2(),
            Lg2 => a[0].log2(),
            Pow => power(a[0], b[0]),
            Cos => a[0].cos(),
            Sin => a[0].sin(),
            Rcc => clamp_reciprocal(1.0 / a[0]),
            opcode => return pack(opcode, a),
        };
        self.round(a[0], value).to_bits()
    }

    fn vector(&mut self, srcs: Sources) -> Vector {
        use Opcode::*;
        let [a, b, c, _] = srcs.map(floats);
        match self.opcode {
            Lit => bits(self.lit(a)),
            Exp => bits(self.exponential(a[0])),
            Log => bits(self.logarithm(a[0])),
            Dp2 => bits([self.sum(a, b, 2, None); 4]),
            Dp3 => bits([self.sum(a, b, 3, None); 4]),
            Dp4 => bits([self.sum(a, b, 4, None); 4]),
            Dp2a => bits([self.sum(a, b, 2, Some(c[0])); 4]),
            Dph => bits([self.sum(a, b, 3, Some(b[3])); 4]),
            Dst => bits([1.0, self.mul(a[1], b[1]), a[2], b[3]]),
            Xpd => {
                let mut part = |i: usize, j: usize| self.products([a[i], b[j]], [-b[i], a[j]]);
                bits([part(1, 2), part(2, 0), part(0, 1), 1.0])
            }
            Rfl => bits(self.reflected(a, b)),
            X2d => bits(self.transformed(a, b, c)),
            Scs => bits([self.round(a[0], a[0].cos()), self.round(a[0], a[0].sin()), 0.0, 1.0]),
            Nrm => {
                let [x, y, z, _] = self.normalized(a, 3);
                bits([x, y, z, 1.0])
            }
            Nrm4 => bits(self.normalized(a, 4)),
            opcode => unpack(opcode, srcs[0][0]),
        }
    }

    fn lit(&mut self, a: [f32; 4]) -> [f32; 4] {
        let exponent = a[3].clamp(-128.0, 128.0);
        let base = if a[1] > 0.0 { a[1] } else { 0.0 };
        let specular = if a[0] > 0.0 { self.round(base, power(base, exponent)) } else { 0.0 };
        [1.0, if a[0] > 0.0 { a[0] } else { 0.0 }, specular, 1.0]
    }

    fn exponential(&mut self, a: f32) -> [f32; 4] {
        let whole = a.floor();
        [self.round(a, whole.exp2()), self.round(a, a - whole), self.round(a, a.exp2()), 1.0]
    }

    fn logarithm(&mut self, a: f32) -> [f32; 4] {
        let magnitude = a.abs();
        let logarithm = self.round(magnitude, magnitude.log2());
        let whole = logarithm.floor();
        [whole, self.round(magnitude, magnitude / whole.exp2()), logarithm, 1.0]
    }

    fn reflected(&mut self, a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
        let (along, length) = (2.0 * self.dot(a, b, 3), self.dot(a, a, 3));
        let scale = self.round(along, along / length);
        let mut part = |at: usize| {
            let product = self.mul(scale, a[at]);
            self.add(product, -b[at])
        };
        [part(0), part(1), part(2), 1.0]
    }

    fn transformed(&mut self, a: [f32; 4], b: [f32; 4], c: [f32; 4]) -> [f32; 4] {
        let mut part = |at: usize, first: usize| {
            let product = self.mul(b[0], c[first]);
            let sum = self.add(a[at], product);
            let product = self.mul(b[1], c[first + 1]);
            self.add(sum, product)
        };
        let (x, y) = (part(0, 0), part(1, 2));
        [x, y, x, y]
    }

    fn normalized(&mut self, a: [f32; 4], count: usize) -> [f32; 4] {
        let length = self.dot(a, a, count).sqrt();
        let scale = self.round(length, 1.0 / length);
        a.map(|part| self.mul(part, scale))
    }
}

/// One component of an operation whose result has only a few values or is exact.
fn exact_component(opcode: Opcode, a: f32, b: f32, c: f32) -> Option<f32> {
    use Opcode::*;
    Some(match opcode {
        Min => {
            if a < b || b.is_nan() {
                a
            } else {
                b
            }
        }
        Max => {
            if a > b || b.is_nan() {
                a
            } else {
                b
            }
        }
        Slt => choose(a < b),
        Sge => choose(a >= b),
        Seq => choose(a == b),
        Sgt => choose(a > b),
        Sle => choose(a <= b),
        Sne => choose(a != b),
        Sfl => 0.0,
        Str => 1.0,
        Clamp => {
            if a < b {
                b
            } else if a > c {
                c
            } else {
                a
            }
        }
        Flr => a.floor(),
        Round => a.round_ties_even(),
        Ceil => a.ceil(),
        Trunc => a.trunc(),
        Abs => a.abs(),
        Ssg => sign(a),
        _ => return None,
    })
}

/// Conversion of a double to the bits of a float.
trait ToF32Bits {
    fn to_f32_bits(self) -> u32;
}

impl ToF32Bits for f64 {
    fn to_f32_bits(self) -> u32 {
        (self as f32).to_bits()
    }
}

fn clamp_reciprocal(value: f32) -> f32 {
    const SMALL: f32 = 5.42101e-20;
    const LARGE: f32 = 1.884467e+19;
    let clamp = |value: f32, low: f32, high: f32| {
        if value < low {
            low
        } else if value > high {
            high
        } else {
            value
        }
    };
    if value > 0.0 { clamp(value, SMALL, LARGE) } else { clamp(value, -LARGE, -SMALL) }
}

/// Comparisons with a mask as their result.
fn comparison(opcode: Opcode, srcs: [u32; 4]) -> Option<bool> {
    use Opcode::*;
    let ([a, b, ..], [x, y, ..], [i, j, ..]) = (srcs, srcs.map(float), srcs.map(|word| word as i32));
    Some(match opcode {
        Fseq => x == y,
        Fsge => x >= y,
        Fslt => x < y,
        Fsne => x != y,
        Isge => i >= j,
        Islt => i < j,
        Useq => a == b,
        Usge => a >= b,
        Uslt => a < b,
        Usne => a != b,
        _ => return None,
    })
}

fn integer(opcode: Opcode, srcs: [u32; 4]) -> u32 {
    use Opcode::*;
    let ([a, b, c, _], [i, j, ..]) = (srcs, srcs.map(|word| word as i32));
    match opcode {
        Not => !a,
        Shl => a << (b & 31),
        Shr | Ishr => (i >> (b & 31)) as u32,
        Ushr => a >> (b & 31),
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Mod => {
            if j == 0 {
                TRUE
            } else {
                i.wrapping_rem(j) as u32
            }
        }
        Sad => a.abs_diff(b).wrapping_add(c),
        Idiv => {
            if j == 0 {
                0
            } else {
                i.wrapping_div(j) as u32
            }
        }
        Udiv => a.checked_div(b).unwrap_or(TRUE),
        Umod => a.checked_rem(b).unwrap_or(TRUE),
        Imax => i.max(j) as u32,
        Imin => i.min(j) as u32,
        Umax => a.max(b),
        Umin => a.min(b),
        Ineg => a.wrapping_neg(),
        Iabs => i.unsigned_abs(),
        Issg => i.signum() as u32,
        Uadd => a.wrapping_add(b),
        Umul => a.wrapping_mul(b),
        Umad => a.wrapping_mul(b).wrapping_add(c),
        ImulHi => ((i64::from(i) * i64::from(j)) >> 32) as u32,
        UmulHi => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        _ => 0,
    }
}

/// Bit field operations.
fn bit_field(opcode: Opcode, [a, b, c, e]: [u32; 4]) -> Option<u32> {
    use Opcode::*;
    let (offset, count) = (b & 31, c & 31);
    let is_whole = c == 32 && b == 0;
    let highest = |word: u32| 31u32.wrapping_sub(word.leading_zeros());
    Some(match opcode {
        Ibfe | Ubfe if is_whole => a,
        Ibfe | Ubfe if count == 0 => 0,
        Ubfe => (a >> offset) & (u32::MAX >> (32 - count)),
        Ibfe => {
            let field = (a >> offset) & (u32::MAX >> (32 - count));
            ((field << (32 - count)) as i32 >> (32 - count)) as u32
        }
        Bfi if e == 32 && c == 0 => b,
        Bfi => {
            let mask = ((1u32 << (e & 31)) - 1) << (c & 31);
            (b << (c & 31)) & mask | a & !mask
        }
        Brev => a.reverse_bits(),
        Popc => a.count_ones(),
        Lsb => {
            if a == 0 {
                u32::MAX
            } else {
                a.trailing_zeros()
            }
        }
        Umsb => highest(a),
        Imsb => highest(if (a as i32) < 0 { !a } else { a }),
        _ => return None,
    })
}

fn pack(opcode: Opcode, a: [f32; 4]) -> u32 {
    let bytes = |byte: &dyn Fn(f32) -> f32| {
        let each = a.map(|part| byte(part).round_ties_even() as u32);
        each[0] | each[1] << 8 | each[2] << 16 | each[3] << 24
    };
    match opcode {
        Opcode::Pk2h => {
            u32::from(f16::from_f32(a[0]).to_bits()) | u32::from(f16::from_f32(a[1]).to_bits()) << 16
        }
        Opcode::Pk2us => {
            let part = |part: f32| (part.clamp(0.0, 1.0) * 65535.0).round_ties_even() as u32;
            part(a[0]) | part(a[1]) << 16
        }
        Opcode::Pk4ub => bytes(&|part| part.clamp(0.0, 1.0) * 255.0),
        _ => bytes(&|part| part.clamp(-128.0 / 127.0, 1.0) * 127.0 + 128.0),
    }
}

fn unpack(opcode: Opcode, a: u32) -> Vector {
    let bytes = a.to_le_bytes().map(f32::from);
    let halves = [a as u16, (a >> 16) as u16];
    match opcode {
        Opcode::Up2h => {
            let [x, y] = halves.map(|half| f16::from_bits(half).to_f32());
            bits([x, y, x, y])
        }
        Opcode::Up2us => {
            let [x, y] = halves.map(|half| f32::from(half) / 65535.0);
            bits([x, y, x, y])
        }
        Opcode::Up4b => bits(bytes.map(|byte| (byte - 128.0) / 127.0)),
        _ => bits(bytes.map(|byte| byte / 255.0)),
    }
}
