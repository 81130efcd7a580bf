//! The operations: how to call them, their exact results, Vulkan's limits, and this project's limits.

use std::f64::consts::PI;

use super::demand::Format;
use super::module::Operation::{self, Core, Glsl};
use super::module::{Gives, Operand};
use super::wide::{Wide, w};
use Operand::{Integer, Scalar, Vector};

/// Unit of the errors of a row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Units in the last place.
    Ulp,
    /// The error itself.
    Absolute,
}

/// An operation.
#[derive(Clone, Copy)]
pub struct Row {
    pub name: &'static str,
    pub operation: Operation,
    pub operands: &'static [Operand],
    pub gives: Gives,
    /// Widths of the result that exist, and of the operands of a conversion.
    pub widths: &'static [u32],
    pub source_bits: Option<u32>,
    /// Condition on the operands to test.
    pub domain: fn(Format, &[f64]) -> bool,
    pub exact: fn(&[f64]) -> Wide,
    pub allowed: fn(Format, &[f64], f64) -> f64,
    pub unit: Unit,
    /// Maximum error of any result, for 16, 32 and 64 bits.
    pub bound: [f64; 3],
    pub method: &'static str,
    pub asks: &'static str,
}

const ALL: &[u32] = &[16, 32, 64];
const SINGLE: &[u32] = &[16, 32];
const ONE: &[Operand] = &[Scalar];
const TWO: &[Operand] = &[Scalar, Scalar];
const THREE: &[Operand] = &[Scalar, Scalar, Scalar];

/// One operand, one rounding.
const ROUNDED: Row = Row {
    name: "",
    operation: Core(0),
    operands: ONE,
    gives: Gives::Scalar,
    widths: ALL,
    source_bits: None,
    domain: |_, _| true,
    exact: |x| w(x[0]),
    allowed: |f, _, r| f.rounding(r),
    unit: Unit::Ulp,
    bound: [0.5; 3],
    method: "one instruction",
    asks: "correctly rounded",
};

/// A result that is one of a few numbers, or an operand.
const EXACT: Row = Row { bound: [0.0; 3], asks: "exact", ..ROUNDED };

/// A function of 32 bits.
const FUNCTION: Row = Row { widths: SINGLE, ..ROUNDED };

fn dot(x: &[f64], y: &[f64]) -> Wide {
    x.iter().zip(y).fold(w(0.0), |sum, (x, y)| sum + w(*x) * w(*y))
}

fn products(x: &[f64], y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x * y).collect()
}

/// Operands whose products neither overflow nor vanish.
fn is_moderate(f: Format, x: &[f64]) -> bool {
    let limit = 2f64.powi(-f.least_exponent() / 2);
    x.iter().all(|x| *x == 0.0 || (1.0 / limit..limit).contains(&x.abs()))
}

/// For a 64-bit remainder, the reference computes the quotient exactly only if it is a small integer.
fn has_small_quotient(f: Format, x: &[f64]) -> bool {
    is_moderate(f, x) && x[1] != 0.0 && (x[0] / x[1]).abs() < 2f64.powi(9)
}

fn difference(x: &[f64]) -> Vec<f64> {
    (0..3).map(|axis| x[axis] - x[axis + 3]).collect()
}

fn smooth_step(x: &[f64]) -> Wide {
    let t = (w(x[2]) - w(x[0])) / (w(x[1]) - w(x[0]));
    let t = if t.high < 0.0 {
        w(0.0)
    } else if t.high > 1.0 {
        w(1.0)
    } else {
        t
    };
    t * t * (w(3.0) - t - t)
}

/// t·t·(3 − 2t): the quotient's error, of numbers each rounded, times the slope, one rounding per step, and a square
/// that underflows.
fn smooth_step_error(f: Format, x: &[f64], r: f64) -> f64 {
    let (above, span) = (x[2] - x[0], x[1] - x[0]);
    let t = above / span;
    let relative = f.rounding(above) / above.abs().max(f64::MIN_POSITIVE) + f.rounding(span) / span.abs();
    let error = f.divide(span, t) + t.abs() * relative;
    let t = t.clamp(0.0, 1.0);
    6.0 * t * (1.0 - t) * error + 6.0 * error * error + 3.0 * f.ulp(r) + t * t * f.ulp(3.0) + 3.0 * f.tiny()
}

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    Row { name: "FAdd", operation: Core(129), operands: TWO, exact: |x| w(x[0]) + w(x[1]), method: "`fadd`, `hadd`; integers for 64 bits", ..ROUNDED },
    Row { name: "FSub", operation: Core(131), operands: TWO, exact: |x| w(x[0]) - w(x[1]), method: "the same with a sign", ..ROUNDED },
    Row { name: "FMul", operation: Core(133), operands: TWO, exact: |x| w(x[0]) * w(x[1]), domain: |f, x| f.bits < 64 || is_moderate(f, x), method: "`fmul`, `hmul`; integers for 64 bits", ..ROUNDED },
    Row { name: "FDiv", operation: Core(136), operands: TWO, exact: |x| w(x[0]) / w(x[1]), domain: |f, x| x[1] != 0.0 && (f.bits < 64 || is_moderate(f, x)),
        allowed: |f, x, r| f.divide(x[1], r), bound: [0.51, 1.5, 0.5], method: "a · rcp(b) in 32 bits; long division for 64", asks: "2.5 ULP where 1/b is normal", ..ROUNDED },
    Row { name: "FRem", operation: Core(140), operands: TWO, domain: has_small_quotient, exact: |x| w(x[0]) - w(x[1]) * w((x[0] / x[1]).trunc()),
        allowed: |f, x, r| f.remainder(x[0], x[1], f64::trunc, r), unit: Unit::Absolute, bound: [f64::INFINITY; 3], method: "fma(−trunc(a/b), b, a)", asks: "a − b·trunc(a/b)", ..ROUNDED },
    Row { name: "FMod", operation: Core(141), operands: TWO, domain: has_small_quotient, exact: |x| w(x[0]) - w(x[1]) * w((x[0] / x[1]).floor()),
        allowed: |f, x, r| f.remainder(x[0], x[1], f64::floor, r), unit: Unit::Absolute, bound: [f64::INFINITY; 3], method: "fma(−floor(a/b), b, a)", asks: "a − b·floor(a/b)", ..ROUNDED },
    Row { name: "FNegate", operation: Core(127), exact: |x| w(-x[0]), method: "sign bit", ..EXACT },
    Row { name: "FConvert 16 → 32", operation: Core(115), source_bits: Some(16), widths: &[32], ..EXACT },
    Row { name: "FConvert 16 → 64", operation: Core(115), source_bits: Some(16), widths: &[64], method: "integers", ..EXACT },
    Row { name: "FConvert 32 → 16", operation: Core(115), source_bits: Some(32), widths: &[16], ..ROUNDED },
    Row { name: "FConvert 32 → 64", operation: Core(115), source_bits: Some(32), widths: &[64], method: "integers", ..EXACT },
    Row { name: "FConvert 64 → 16", operation: Core(115), source_bits: Some(64), widths: &[16], method: "integers", ..ROUNDED },
    Row { name: "FConvert 64 → 32", operation: Core(115), source_bits: Some(64), widths: &[32], method: "integers", ..ROUNDED },
    Row { name: "Dot", operation: Core(148), operands: &[Vector, Vector], domain: is_moderate, exact: |x| dot(&x[..3], &x[3..]),
        allowed: |f, x, _| f.dot(&products(&x[..3], &x[3..])), unit: Unit::Absolute, bound: [f64::INFINITY; 3], method: "products, summed by fma", asks: "products and sums, each rounded", ..ROUNDED },

    Row { name: "Round", operation: Glsl(1), exact: |x| w(x[0].round_ties_even()), method: "`rint`: ties to even", ..EXACT },
    Row { name: "RoundEven", operation: Glsl(2), exact: |x| w(x[0].round_ties_even()), method: "`rint`", ..EXACT },
    Row { name: "Trunc", operation: Glsl(3), exact: |x| w(x[0].trunc()), ..EXACT },
    Row { name: "FAbs", operation: Glsl(4), exact: |x| w(x[0].abs()), method: "sign bit", ..EXACT },
    Row { name: "FSign", operation: Glsl(6), exact: |x| w(if x[0] == 0.0 { 0.0 } else { x[0].signum() }), method: "two comparisons", ..EXACT },
    Row { name: "Floor", operation: Glsl(8), exact: |x| w(x[0].floor()), ..EXACT },
    Row { name: "Ceil", operation: Glsl(9), exact: |x| w(x[0].ceil()), ..EXACT },
    Row { name: "Fract", operation: Glsl(10), exact: |x| w(x[0]) - w(x[0].floor()), method: "x − floor(x)", ..ROUNDED },
    Row { name: "ModfStruct fraction", operation: Glsl(36), gives: Gives::Floats(0), exact: |x| w(x[0]) - w(x[0].trunc()), method: "x − trunc(x)", ..EXACT },
    Row { name: "ModfStruct whole", operation: Glsl(36), gives: Gives::Floats(1), exact: |x| w(x[0].trunc()), method: "`trunc`", ..EXACT },
    Row { name: "FrexpStruct", operation: Glsl(52), gives: Gives::FloatAndInteger, exact: |x| w(fraction(x[0])), method: "bit fields", ..EXACT },
    Row { name: "Ldexp", operation: Glsl(53), operands: &[Scalar, Integer], domain: |_, x| x[1].abs() < 3000.0, exact: |x| w(scale(x[0], x[1] as i32)),
        method: "three products by powers of two", ..ROUNDED },
    Row { name: "FMin, NMin", operation: Glsl(37), operands: TWO, exact: |x| w(x[0].min(x[1])), method: "comparing selection", ..EXACT },
    Row { name: "FMax, NMax", operation: Glsl(40), operands: TWO, exact: |x| w(x[0].max(x[1])), method: "comparing selection", ..EXACT },
    Row { name: "FClamp, NClamp", operation: Glsl(43), operands: THREE, domain: |_, x| x[1] <= x[2], exact: |x| w(x[0].max(x[1]).min(x[2])), method: "maximum, minimum", ..EXACT },
    Row { name: "Step", operation: Glsl(48), operands: TWO, exact: |x| w(if x[1] < x[0] { 0.0 } else { 1.0 }), method: "comparison", ..EXACT },
    Row { name: "FMix", operation: Glsl(46), operands: THREE, domain: is_moderate, exact: |x| w(x[0]) * (w(1.0) - w(x[2])) + w(x[1]) * w(x[2]),
        allowed: |f, x, r| {
            let (rest, second, difference) = (1.0 - x[2], x[1] * x[2], x[1] - x[0]);
            let sum = f.rounding(rest) * x[0].abs() + f.rounding(x[0] * rest) + f.rounding(second);
            let step = f.rounding(difference) * x[2].abs() + f.rounding(x[2] * difference);
            sum.max(step) + f.rounding(r)
        }, unit: Unit::Absolute, bound: [f64::INFINITY; 3], method: "fma(a, y − x, x) in 32 bits; fma(y, a, x·(1 − a))", asks: "x·(1 − a) + y·a or x + a·(y − x)", ..ROUNDED },
    Row { name: "SmoothStep", operation: Glsl(49), operands: THREE, domain: |f, x| x[0] < x[1] && is_moderate(f, x), exact: smooth_step, allowed: smooth_step_error,
        unit: Unit::Absolute, bound: [2e-3, 5e-7, 1e-15], method: "t²·(3 − 2t)", asks: "t·t·(3 − 2t), t the clamped quotient", ..ROUNDED },
    Row { name: "Fma", operation: Glsl(50), operands: THREE, domain: |f, x| f.bits < 64 || is_moderate(f, x), exact: |x| w(x[0]) * w(x[1]) + w(x[2]),
        allowed: |f, x, r| f.rounding(x[0] * x[1]) + f.rounding(r), method: "`ffma`, `hfma`: rounded once", asks: "x·y + z, each rounded", ..ROUNDED },

    Row { name: "Radians", operation: Glsl(11), exact: |x| w(x[0]) * RADIAN, allowed: |f, x, r| x[0].abs() * f.rounding(PI / 180.0) + f.rounding(r), bound: [1.0, 1.5, 0.0],
        method: "product", asks: "x · π/180", ..FUNCTION },
    Row { name: "Degrees", operation: Glsl(12), exact: |x| w(x[0]) / RADIAN, allowed: |f, x, r| x[0].abs() * f.rounding(180.0 / PI) + f.rounding(r), bound: [1.5, 1.5, 0.0],
        method: "product", asks: "x · 180/π", ..FUNCTION },
    Row { name: "Exp", operation: Glsl(27), exact: |x| w(x[0].exp()), allowed: |f, x, r| f.exp(x[0], r), bound: [1.0, 90.0, 0.0], method: "exp2(x · log2 e)", asks: "3 + 2·abs(x) ULP; 16 bits 1 + 2·abs(x)", ..FUNCTION },
    Row { name: "Exp2", operation: Glsl(29), exact: |x| w(x[0].exp2()), allowed: |f, x, r| f.exp(x[0], r), bound: [0.51, 0.51, 0.0], method: "`exp2`", asks: "3 + 2·abs(x) ULP; 16 bits 1 + 2·abs(x)", ..FUNCTION },
    Row { name: "Log", operation: Glsl(28), domain: |_, x| x[0] > 0.0, exact: |x| w(x[0].ln()), allowed: |f, x, r| f.log(x[0], r), bound: [0.51, 1.5, 0.0],
        method: "log2(x) · ln 2", asks: "3 ULP; 2^-21 from ½ to 2, 16 bits 2^-7", ..FUNCTION },
    Row { name: "Log2", operation: Glsl(30), domain: |_, x| x[0] > 0.0, exact: |x| w(x[0].log2()), allowed: |f, x, r| f.log(x[0], r), bound: [0.51, 0.51, 0.0],
        method: "`log2`", asks: "3 ULP; 2^-21 from ½ to 2, 16 bits 2^-7", ..FUNCTION },
    Row { name: "Pow", operation: Glsl(26), operands: TWO, domain: |_, x| x[0] > 0.0, exact: |x| w(x[0].powf(x[1])), allowed: |f, x, r| f.pow(x[0], x[1], r), bound: [1.0, 200.0, 0.0],
        method: "exp2(y · log2 x)", asks: "exp2(y · log2 x)", ..FUNCTION },
    Row { name: "Sqrt", operation: Glsl(31), domain: |_, x| x[0] >= 0.0, exact: |x| w(x[0]).sqrt(), allowed: |f, x, _| f.sqrt(x[0], 0.0), bound: [0.51, 1.5, 0.5],
        method: "x · rsqrts(x) in 32 bits; digit by digit for 64", asks: "1 / inversesqrt(x)", ..ROUNDED },
    Row { name: "InverseSqrt", operation: Glsl(32), domain: |_, x| x[0] > 0.0, exact: |x| w(1.0) / w(x[0]).sqrt(), allowed: |f, _, r| f.inverse_sqrt(r), bound: [0.51, 0.51, 1.5],
        method: "`rsqrt`; 1 / sqrt(x) for 64 bits", asks: "2 ULP", ..ROUNDED },

    Row { name: "Sin", operation: Glsl(13), exact: |x| w(x[0].sin()), allowed: |f, x, _| f.sine(x[0]), domain: |_, x| x[0].abs() <= PI, unit: Unit::Absolute, bound: [6e-4, 1e-6, 0.0],
        method: "`sinr`, `sinc` of the angle in turns", asks: "2^-11 from −π to π, 16 bits 2^-7", ..FUNCTION },
    Row { name: "Cos", operation: Glsl(14), exact: |x| w(x[0].cos()), allowed: |f, x, _| f.sine(x[0]), domain: |_, x| x[0].abs() <= PI, unit: Unit::Absolute, bound: [6e-4, 1e-6, 0.0],
        method: "the same, a quarter turn ahead", asks: "2^-11 from −π to π, 16 bits 2^-7", ..FUNCTION },
    Row { name: "Tan", operation: Glsl(15), exact: |x| w(x[0].tan()), allowed: |f, x, r| f.tan(x[0], r), domain: |_, x| x[0].abs() <= PI && x[0].cos().abs() > 0.01, unit: Unit::Absolute, bound: [0.1, 2e-2, 0.0],
        method: "sin / cos", asks: "sin / cos", ..FUNCTION },
    Row { name: "Asin", operation: Glsl(16), domain: |_, x| x[0].abs() <= 1.0, exact: |x| w(x[0].asin()), allowed: |f, x, r| f.asin(x[0], r), bound: [0.6, 8.0, 0.0],
        method: "polynomial of degree 11; √((1−x)/2) above ½", asks: "atan2(x, √(1 − x²))", ..FUNCTION },
    Row { name: "Acos", operation: Glsl(17), domain: |_, x| x[0].abs() <= 1.0, exact: |x| w(x[0].acos()), allowed: |f, x, r| f.asin(x[0], r), bound: [0.6, 8.0, 0.0],
        method: "the same", asks: "atan2(√(1 − x²), x)", ..FUNCTION },
    Row { name: "Atan", operation: Glsl(18), exact: |x| w(x[0].atan()), allowed: |f, _, r| f.atan(r), bound: [0.6, 8.0, 0.0],
        method: "polynomial of degree 15 of the number or its reciprocal", asks: "4096 ULP, 16 bits 5", ..FUNCTION },
    Row { name: "Atan2", operation: Glsl(25), operands: TWO, exact: |x| w(x[0].atan2(x[1])), allowed: |f, _, r| f.atan(r), domain: |_, x| x[0] != 0.0 || x[1] != 0.0, bound: [0.6, 8.0, 0.0],
        method: "the same of the smaller over the larger", asks: "4096 ULP, 16 bits 5", ..FUNCTION },
    Row { name: "Sinh", operation: Glsl(19), exact: |x| w(x[0].sinh()), allowed: |f, x, r| f.hyperbolic(x[0], r), bound: [1.01, 100.0, 0.0],
        method: "exp2 twice; a series below ½", asks: "(eˣ − e⁻ˣ) · ½", ..FUNCTION },
    Row { name: "Cosh", operation: Glsl(20), exact: |x| w(x[0].cosh()), allowed: |f, x, r| f.hyperbolic(x[0], r), bound: [1.0, 100.0, 0.0],
        method: "exp2 twice", asks: "(eˣ + e⁻ˣ) · ½", ..FUNCTION },
    Row { name: "Tanh", operation: Glsl(21), exact: |x| w(x[0].tanh()), allowed: |f, x, r| f.tanh(x[0], r), bound: [1.0, 30.0, 0.0],
        method: "1 − 2 / (e²ˣ + 1); a series below 2^-5", asks: "sinh / cosh", ..FUNCTION },
    Row { name: "Asinh", operation: Glsl(22), exact: |x| w(x[0].asinh()), allowed: |f, x, r| f.area(x[0].abs(), 1.0, r.abs()), unit: Unit::Absolute, bound: [4e-3, 1e-5, 0.0],
        method: "log(abs(x) + √(x² + 1)) with the sign of x", asks: "log(x + √(x² + 1))", ..FUNCTION },
    Row { name: "Acosh", operation: Glsl(23), domain: |_, x| x[0] >= 1.0, exact: |x| w(x[0].acosh()), allowed: |f, x, r| f.area(x[0], -1.0, r), unit: Unit::Absolute, bound: [4e-3, 1e-5, 0.0],
        method: "log(x + √((x + 1)(x − 1)))", asks: "log(x + √(x² − 1))", ..FUNCTION },
    Row { name: "Atanh", operation: Glsl(24), domain: |_, x| x[0].abs() < 1.0, exact: |x| w(x[0].atanh()), allowed: |f, x, r| f.atanh(x[0], r), unit: Unit::Absolute, bound: [4e-3, 1e-5, 0.0],
        method: "log2((1 + x) / (1 − x)) · ½ ln 2", asks: "log((1 + x) / (1 − x)) · ½", ..FUNCTION },

    Row { name: "Length", operation: Glsl(66), operands: &[Vector], domain: is_moderate, exact: |x| dot(x, x).sqrt(), allowed: |f, x, _| f.length(x, &[0.0; 3]), bound: [1.0, 3.0, 2.0],
        method: "sqrt(dot(x, x)), 16 bits in 32", asks: "sqrt(dot(x, x))", ..ROUNDED },
    Row { name: "Distance", operation: Glsl(67), operands: &[Vector, Vector], domain: is_moderate,
        exact: |x| (0..3).fold(w(0.0), |sum, axis| { let d = w(x[axis]) - w(x[axis + 3]); sum + d * d }).sqrt(),
        allowed: |f, x, _| { let d = difference(x); f.length(&d, &[f.rounding(d[0]), f.rounding(d[1]), f.rounding(d[2])]) }, bound: [1.5, 3.0, 2.0],
        method: "length(x − y)", asks: "length(x − y)", ..ROUNDED },
    Row { name: "Normalize", operation: Glsl(69), operands: &[Vector], gives: Gives::Vector, domain: |f, x| is_moderate(f, x) && x[0] != 0.0, exact: |x| w(x[0]) / dot(x, x).sqrt(),
        allowed: |f, x, r| {
            let square: f64 = x.iter().map(|x| x * x).sum();
            let inverse = 1.0 / square.sqrt();
            let carried = f.dot(&products(x, x)) * inverse / (2.0 * square);
            x[0].abs() * (f.inverse_sqrt(inverse) + carried) + f.rounding(r)
        }, bound: [0.6, 3.0, 4.0], method: "x · inversesqrt(dot(x, x)), 16 bits in 32", asks: "x · inversesqrt(dot(x, x))", ..ROUNDED },
    Row { name: "Cross", operation: Glsl(68), operands: &[Vector, Vector], gives: Gives::Vector, domain: is_moderate, exact: |x| w(x[1]) * w(x[5]) - w(x[2]) * w(x[4]),
        allowed: |f, x, _| f.dot(&[x[1] * x[5], -x[2] * x[4]]), unit: Unit::Absolute, bound: [f64::INFINITY; 3], method: "products, the second by fma", asks: "differences of products", ..ROUNDED },
    Row { name: "FaceForward", operation: Glsl(70), operands: &[Vector, Vector, Vector], gives: Gives::Vector,
        domain: |f, x| is_moderate(f, x) && dot(&x[3..6], &x[6..]).high.abs() > 4.0 * f.dot(&products(&x[3..6], &x[6..])),
        exact: |x| w(if dot(&x[3..6], &x[6..]).high < 0.0 { x[0] } else { -x[0] }), method: "sign of dot(reference, incident)", ..EXACT },
    Row { name: "Reflect", operation: Glsl(71), operands: &[Vector, Vector], gives: Gives::Vector, domain: is_moderate,
        exact: |x| w(x[0]) - dot(&x[3..], &x[..3]) * w(2.0) * w(x[3]),
        allowed: |f, x, r| {
            let list = products(&x[3..], &x[..3]);
            let twice = 2.0 * list.iter().sum::<f64>();
            2.0 * f.dot(&list) * x[3].abs() + f.rounding(twice) * x[3].abs() + f.rounding(twice * x[3]) + f.rounding(r)
        }, unit: Unit::Absolute, bound: [f64::INFINITY; 3], method: "fma(−2·dot(n, i), n, i)", asks: "i − 2·dot(n, i)·n", ..ROUNDED },
];

/// π / 180.
const RADIAN: Wide = Wide { high: 0.017_453_292_519_943_295, low: 2.948_652_270_870_168_7e-19 };

/// Fraction in ½…1 with the sign of `x`.
fn fraction(x: f64) -> f64 {
    if x == 0.0 {
        return x;
    }
    let x = if x.abs() < f64::MIN_POSITIVE { x * 2f64.powi(60) } else { x };
    f64::from_bits(x.to_bits() & !(0x7ff << 52) | 1022 << 52)
}

/// x · 2ᵉ in steps of which only the last rounds.
fn scale(x: f64, exponent: i32) -> f64 {
    let mut x = x;
    let mut rest = exponent;
    while rest > 0 && x.is_finite() && x != 0.0 {
        x *= 2f64.powi(rest.min(1000));
        rest -= rest.min(1000);
    }
    while rest < -900 && x.abs() > 2f64.powi(-100) {
        x *= 2f64.powi(-900);
        rest += 900;
    }
    if rest < 0 { x * 2f64.powi(rest.max(-1022)) } else { x }
}
