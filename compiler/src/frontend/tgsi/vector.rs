//! Operations that combine components in irregular ways.

use agx_tgsi::{Instruction, Opcode};

use super::operands::halves;
use super::program::Program;
use super::values::{power, reciprocal};
use crate::error::CompileError;
use crate::frontend::four;
use crate::frontend::kit::Kit;
use crate::ir::build::alu::FloatCond;
use crate::ir::{Arithmetic, Src};

/// A register's components.
type Vector = [Src; 4];

const ONE: Src = Src::f32(1.0);
const ZERO: Src = Src::f32(0.0);

impl Program<'_> {
    /// Translates an operation that is neither component-wise nor scalar.
    ///
    /// # Errors
    /// Never for opcodes in the table; the signature is common to all classes.
    pub fn vector(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) -> Result<(), CompileError> {
        use Opcode::{Up2h, Up2us, Up4b, Up4ub};
        let opcode = instruction.opcode;
        let value = match opcode {
            Opcode::Clock => clock(kit),
            Up2h | Up2us | Up4b | Up4ub => {
                let word = self.fetch(kit, instruction, 0, 0);
                super::pack::unpack(kit, opcode, word)
            }
            _ => {
                let [a, b, c] = [0, 1, 2].map(|number| self.fetch_all(kit, instruction, number));
                self.combine(kit, opcode, a, b, c)?
            }
        };
        self.store(kit, instruction, value.map(Some));
        Ok(())
    }

    fn combine(
        &self,
        kit: &mut Kit<'_, '_>,
        opcode: Opcode,
        a: Vector,
        b: Vector,
        c: Vector,
    ) -> Result<Vector, CompileError> {
        Ok(match opcode {
            Opcode::Lit => lit(kit, a),
            Opcode::Exp => {
                let whole = kit.b.floor(a[0]);
                [kit.b.exp2(whole), kit.b.fsub(a[0], whole), kit.b.exp2(a[0]), ONE]
            }
            Opcode::Log => log(kit, a[0]),
            Opcode::Dp2 => [self.dot(kit, a, b, 2); 4],
            Opcode::Dp3 => [self.dot(kit, a, b, 3); 4],
            Opcode::Dp4 => [self.dot(kit, a, b, 4); 4],
            Opcode::Dp2a => {
                let product = self.dot(kit, a, b, 2);
                [kit.b.fadd(product, c[0]); 4]
            }
            Opcode::Dph => {
                let product = self.dot(kit, a, b, 3);
                [kit.b.fadd(product, b[3]); 4]
            }
            Opcode::Dst => [ONE, self.mul(kit, a[1], b[1]), a[2], b[3]],
            Opcode::Xpd => {
                let mut part = |i: usize, j: usize| {
                    let [ai, aj] = [i, j].map(|at| four::of(a, at));
                    let [bi, bj] = [i, j].map(|at| four::of(b, at));
                    let (first, second) = (self.mul(kit, ai, bj), self.mul(kit, bi, aj));
                    kit.b.fsub(first, second)
                };
                [part(1, 2), part(2, 0), part(0, 1), ONE]
            }
            Opcode::Rfl => self.reflect(kit, a, b),
            Opcode::X2d => {
                let mut part = |first: Src, x: Src, y: Src| {
                    let sum = self.mad(kit, b[0], x, first);
                    self.mad(kit, b[1], y, sum)
                };
                let (x, y) = (part(a[0], c[0], c[1]), part(a[1], c[2], c[3]));
                [x, y, x, y]
            }
            Opcode::Scs => [kit.b.fcos(a[0]), kit.b.fsin(a[0]), ZERO, ONE],
            Opcode::Nrm | Opcode::Nrm4 => self.normalise(kit, opcode, a),
            other => return Err(CompileError::internal(format!("{} has no translation", other.name()))),
        })
    }

    /// The sum of the products of the first components.
    fn dot(&self, kit: &mut Kit<'_, '_>, a: Vector, b: Vector, count: usize) -> Src {
        let mut sum = self.mul(kit, a[0], b[0]);
        for (a, b) in a.into_iter().zip(b).take(count).skip(1) {
            sum = self.mad(kit, a, b, sum);
        }
        sum
    }

    /// `2 (a · b) / (a · a) a - b`.
    fn reflect(&self, kit: &mut Kit<'_, '_>, a: Vector, b: Vector) -> Vector {
        let (product, square) = (self.dot(kit, a, b, 3), self.dot(kit, a, a, 3));
        let twice = kit.b.fadd(product, product);
        let scale = kit.b.fdiv(twice, square);
        let mut part = |at: usize| {
            let along = self.mul(kit, scale, four::of(a, at));
            kit.b.fsub(along, four::of(b, at))
        };
        [part(0), part(1), part(2), ONE]
    }

    fn normalise(&self, kit: &mut Kit<'_, '_>, opcode: Opcode, a: Vector) -> Vector {
        let count = if opcode == Opcode::Nrm { 3 } else { 4 };
        let square = self.dot(kit, a, a, count);
        let scale = kit.b.rsqrt(square);
        let mut value = a.map(|part| self.mul(kit, part, scale));
        if opcode == Opcode::Nrm {
            value[3] = ONE;
        }
        value
    }
}

/// Lighting coefficients: 1, diffuse, specular, 1.
fn lit(kit: &mut Kit<'_, '_>, a: Vector) -> Vector {
    let is_lit = kit.b.fcmp(FloatCond::GT, a[0], ZERO);
    let diffuse = kit.b.select(is_lit, a[0], ZERO);
    let is_above = kit.b.fcmp(FloatCond::GT, a[1], ZERO);
    let base = kit.b.select(is_above, a[1], ZERO);
    let below = kit.b.fcmp(FloatCond::LT, a[3], Src::f32(-128.0));
    let above = kit.b.fcmp(FloatCond::GT, a[3], Src::f32(128.0));
    let upper = kit.b.select(above, Src::f32(128.0), a[3]);
    let exponent = kit.b.select(below, Src::f32(-128.0), upper);
    let shine = power(kit, base, exponent);
    let specular = kit.b.select(is_lit, shine, ZERO);
    [ONE, diffuse, specular, ONE]
}

/// Exponent, mantissa and logarithm.
fn log(kit: &mut Kit<'_, '_>, a: Src) -> Vector {
    let magnitude = kit.b.fabs(a);
    let logarithm = kit.b.log2(magnitude);
    let exponent = kit.b.floor(logarithm);
    let power = kit.b.exp2(exponent);
    let inverse = reciprocal(kit, power);
    [exponent, kit.b.fmul(magnitude, inverse), logarithm, ONE]
}

/// The clock. No hardware register is known to count time, so the clock is constant, which satisfies the
/// document's "monotonically increasing" in the weak sense.
fn clock(kit: &mut Kit<'_, '_>) -> Vector {
    let [low, high] = halves(kit, Src::imm(0, 64));
    [low, high, Src::imm32(0), Src::imm32(0)]
}
