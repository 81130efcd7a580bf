//! Arithmetic instructions.

use super::{Numbers, Vector};
use crate::f24;
use crate::opcode::Opcode;
use crate::register::Compare;

/// The largest exponent of `litp`, 0x7fff / 0x100.
const LIT_LIMIT: f32 = 127.996_09;

impl Numbers {
    fn round(self, value: f32) -> f32 {
        if self.round24 { f24::round(value) } else { value }
    }

    fn product(self, a: f32, b: f32) -> f32 {
        let product = a * b;
        if self.exact && product.is_nan() && !a.is_nan() && !b.is_nan() { 0.0 } else { self.round(product) }
    }

    fn sum(self, a: f32, b: f32) -> f32 {
        self.round(a + b)
    }

    /// Dot product of the first `count` components.
    fn dot(self, a: Vector, b: Vector, count: usize) -> f32 {
        let products = a.into_iter().zip(b).take(count).map(|(a, b)| self.product(a, b));
        products.fold(0.0, |sum, product| self.sum(sum, product))
    }
}

/// The first operand if it is larger, else the second; if either is NaN, the second.
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The result of an operation; `opcode` is the form without inverted sources.
pub(super) fn compute(opcode: Opcode, [a, b, c]: [Vector; 3], numbers: Numbers) -> Vector {
    let each = |f: &dyn Fn(f32, f32) -> f32| std::array::from_fn(|index| f(a[index], b[index]));
    let truth = |value: bool| if value { 1.0 } else { 0.0 };
    let scalar = |value: f32| [numbers.round(value); 4];
    match opcode {
        Opcode::Add => each(&|a, b| numbers.sum(a, b)),
        Opcode::Mul => each(&|a, b| numbers.product(a, b)),
        Opcode::Mad => {
            std::array::from_fn(|index| numbers.sum(numbers.product(a[index], b[index]), c[index]))
        }
        Opcode::Dp3 => [numbers.dot(a, b, 3); 4],
        Opcode::Dp4 => [numbers.dot(a, b, 4); 4],
        Opcode::Dph => [numbers.dot([a[0], a[1], a[2], 1.0], b, 4); 4],
        Opcode::Dst => [1.0, numbers.product(a[1], b[1]), a[2], b[3]],
        Opcode::Ex2 => scalar(a[0].exp2()),
        Opcode::Lg2 => scalar(a[0].log2()),
        Opcode::Rcp => scalar(1.0 / a[0]),
        Opcode::Rsq => scalar(1.0 / a[0].sqrt()),
        Opcode::Lit => {
            let exponent = smaller(larger(a[1], -LIT_LIMIT), LIT_LIMIT);
            [larger(a[0], 0.0), exponent, 0.0, larger(a[3], 0.0)]
        }
        Opcode::Sge => each(&|a, b| truth(a >= b)),
        Opcode::Slt => each(&|a, b| truth(a < b)),
        Opcode::Max => each(&larger),
        Opcode::Min => each(&smaller),
        Opcode::Flr => a.map(f32::floor),
        _ => a,
    }
}

/// Evaluates a comparison.
pub(super) fn compare(compare: Compare, a: f32, b: f32) -> bool {
    match compare {
        Compare::Eq => a == b,
        Compare::Ne => a != b,
        Compare::Lt => a < b,
        Compare::Le => a <= b,
        Compare::Gt => a > b,
        Compare::Ge => a >= b,
        Compare::Always6 | Compare::Always7 => true,
    }
}
