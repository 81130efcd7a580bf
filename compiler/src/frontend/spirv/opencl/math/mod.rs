//! The elementary functions of OpenCL for 32 bits with the precision that its full profile requires, built from fused
//! products and sums. Polynomials have the least greatest error on their interval. Denormals are zeros, as in all arithmetic
//! of 32 bits.

pub(super) mod arcs;
pub(super) mod bits;
pub(super) mod exponential;
pub(super) mod gamma;
pub(super) mod powers;
pub(super) mod remainder;
pub(super) mod trigonometry;

use crate::frontend::kit::Kit;
use crate::ir::Arithmetic;
use crate::ir::build::alu::FloatCond;
use crate::ir::builder::Builder;
use crate::ir::src::Src;

/// The quiet NaN.
pub(super) const NAN: u32 = 0x7fc0_0000;

/// Infinity.
pub(super) const INFINITY: u32 = 0x7f80_0000;

/// The bits of a float except its sign.
pub(super) const MAGNITUDE: u32 = 0x7fff_ffff;

/// A number as the nearest float.
pub(super) fn c(number: f64) -> Src {
    Src::f32(number as f32)
}

/// The rest of a number after its nearest float.
pub(super) fn rest(number: f64) -> Src {
    c(number - f64::from(number as f32))
}

/// The polynomial with these coefficients, highest power first.
pub(super) fn polynomial(b: &mut Builder<'_, '_>, x: Src, coefficients: &[f64]) -> Src {
    let Some((first, rest)) = coefficients.split_first() else { return c(0.0) };
    let mut sum = c(*first);
    for coefficient in rest {
        sum = b.ffma(sum, x, c(*coefficient));
    }
    sum
}

/// x + x·z·P(z), an odd function of x if z is its square.
pub(super) fn odd(b: &mut Builder<'_, '_>, x: Src, z: Src, coefficients: &[f64]) -> Src {
    let tail = polynomial(b, z, coefficients);
    let tail = b.fmul(tail, z);
    b.ffma(tail, x, x)
}

/// `magnitude`, which is non-negative, with the sign of `sign`.
pub(super) fn with_sign(b: &mut Builder<'_, '_>, magnitude: Src, sign: Src) -> Src {
    let sign = b.and(sign, Src::imm32(!MAGNITUDE));
    b.xor(magnitude, sign)
}

/// `special` where a comparison of `x` holds.
pub(super) fn where_is(
    b: &mut Builder<'_, '_>,
    (cond, x, limit): (FloatCond, Src, Src),
    special: Src,
    otherwise: Src,
) -> Src {
    let holds = b.fcmp(cond, x, limit);
    b.select(holds, special, otherwise)
}

/// `x` itself if it is NaN.
pub(super) fn or_nan(b: &mut Builder<'_, '_>, x: Src, otherwise: Src) -> Src {
    where_is(b, (FloatCond::NE, x, x), x, otherwise)
}

/// 2 to the power of an integer from -126 to 127.
pub(super) fn power_of_two(b: &mut Builder<'_, '_>, exponent: Src) -> Src {
    let biased = b.iadd(exponent, Src::imm32(127));
    b.shl(biased, Src::imm32(23))
}

/// `x` times 2 to the power of an integer from -252 to 254.
pub(super) fn scaled(b: &mut Builder<'_, '_>, x: Src, exponent: Src) -> Src {
    let half = b.sshr(exponent, Src::imm32(1));
    let other = b.isub(exponent, half);
    let (first, second) = (power_of_two(b, half), power_of_two(b, other));
    let x = b.fmul(x, first);
    b.fmul(x, second)
}

/// A number as an unevaluated sum.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    pub high: Src,
    pub low: Src,
}

/// The exact product.
pub(super) fn product(b: &mut Builder<'_, '_>, x: Src, y: Src) -> Sum {
    let high = b.fmul(x, y);
    let negated = b.fneg(high);
    Sum { high, low: b.ffma(x, y, negated) }
}

/// The exact sum of numbers of which the first has the greater magnitude.
pub(super) fn ordered_sum(b: &mut Builder<'_, '_>, x: Src, y: Src) -> Sum {
    let high = b.fadd(x, y);
    let back = b.fsub(high, x);
    Sum { high, low: b.fsub(y, back) }
}

/// The exact sum.
pub(super) fn sum(b: &mut Builder<'_, '_>, x: Src, y: Src) -> Sum {
    let high = b.fadd(x, y);
    let of_y = b.fsub(high, x);
    let of_x = b.fsub(high, of_y);
    let (rest_y, rest_x) = (b.fsub(y, of_y), b.fsub(x, of_x));
    Sum { high, low: b.fadd(rest_x, rest_y) }
}

/// A loop that runs while `goes_on` gives a condition that holds; `act` changes variables.
pub(super) fn repeat(
    kit: &mut Kit<'_, '_>,
    goes_on: impl FnOnce(&mut Kit<'_, '_>) -> Src,
    act: impl FnOnce(&mut Kit<'_, '_>),
) {
    let blocks = kit.b.begin_loop();
    kit.vars.open_loop(blocks.header);
    let condition = goes_on(kit);
    kit.b.begin_if(condition);
    act(kit);
    kit.b.begin_else();
    kit.b.jump(blocks.after);
    kit.b.end_if();
    kit.b.end_loop();
    kit.vars.close_loop(kit.b.f);
}
