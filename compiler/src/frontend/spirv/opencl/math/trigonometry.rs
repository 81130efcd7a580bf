//! Sine, cosine and tangent of radians and half turns.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, PI};

use super::{INFINITY, MAGNITUDE, NAN, c, odd, polynomial, rest};
use crate::frontend::kit::Kit;
use crate::ir::Arithmetic;
use crate::ir::build::alu::{FloatCond, IntCond};
use crate::ir::builder::Builder;
use crate::ir::src::Src;

/// (sin x − x) / x³ for x² up to (π/4)².
const SIN: [f64; 4] = [2.71658691508e-6, -0.000198391807781, 0.00833332908482, -0.166666666424];

/// (cos x − 1 + x²/2) / x⁴ for the same.
const COS: [f64; 4] = [-2.72308008842e-7, 2.47998442309e-5, -0.00138888853435, 0.0416666666464];

/// π/2 as a sum of three floats.
const QUARTER: [f64; 3] = [FRAC_PI_2 as f32 as f64, -4.371_138_828_673_793e-8, -1.715_153_947_643_25e-15];

/// Largest magnitude whose quarter turns three floats subtract exactly enough.
const MOST: f64 = 100_000.0;

/// The bits of 2/π after a word of zeros.
const TURNS: [u32; 8] =
    [0, 0xa2f9_836e, 0x4e44_1529, 0xfc27_57d1, 0xf534_ddc0, 0xdb62_9599, 0x3c43_9041, 0xfe51_63ab];

/// A number of quarter turns and the angle that remains, of at most an eighth.
struct Angle {
    turns: Src,
    rest: Src,
}

/// The angle of `x` radians.
fn reduced(kit: &mut Kit<'_, '_>, x: Src) -> Angle {
    let b = &mut kit.b;
    let scaled = b.fmul(x, c(FRAC_2_PI));
    let n = b.rint(scaled);
    let negated = b.fneg(n);
    let near = QUARTER.iter().fold(x, |sum, part| b.ffma(negated, c(*part), sum));
    let turns = b.float_to_int(n, true, 32);
    let magnitude = b.fabs(x);
    let is_far = b.fcmp(FloatCond::GT, magnitude, c(MOST));
    let (of_turns, of_rest) = (kit.vars.add(&[32]), kit.vars.add(&[32]));
    kit.vars.write(&kit.b, of_turns, turns);
    kit.vars.write(&kit.b, of_rest, near);
    kit.b.begin_if(is_far);
    let far = reduced_far(&mut kit.b, x);
    kit.vars.write(&kit.b, of_turns, far.turns);
    kit.vars.write(&kit.b, of_rest, far.rest);
    kit.b.begin_else();
    kit.b.end_if();
    let turns = kit.vars.read(&mut kit.b, of_turns);
    let rest = kit.vars.read(&mut kit.b, of_rest);
    Angle { turns, rest }
}

/// The product of the mantissa and the bits of 2/π that count, modulo four quarter turns.
fn reduced_far(b: &mut Builder<'_, '_>, x: Src) -> Angle {
    let magnitude = b.and(x, Src::imm32(MAGNITUDE));
    let exponent = b.ushr(magnitude, Src::imm32(23));
    let mantissa = b.and(magnitude, Src::imm32(0x7f_ffff));
    let mantissa = b.or(mantissa, Src::imm32(0x80_0000));
    // The first bit that counts: 25 after the exponent, behind the word of zeros.
    let first = b.isub(exponent, Src::imm32(127 + 25 - 32));
    let word = b.ushr(first, Src::imm32(5));
    let shift = b.and(first, Src::imm32(31));
    let words = [0u32, 1, 2, 3].map(|next| chosen(b, word, next));
    let [w0, w1, w2, w3] = words;
    let [high, middle, low] =
        [(w0, w1), (w1, w2), (w2, w3)].map(|(upper, lower)| funnel(b, upper, lower, shift));
    let (p0, carry) = (b.imul(mantissa, low), b.umulh(mantissa, low));
    let product = b.imul(mantissa, middle);
    let p1 = b.iadd(product, carry);
    let overflows = b.icmp(IntCond::ULT, p1, carry);
    let overflow = b.select(overflows, Src::imm32(1), Src::imm32(0));
    let (upper, top) = (b.umulh(mantissa, middle), b.imul(mantissa, high));
    let p2 = b.iadd(upper, top);
    let p2 = b.iadd(p2, overflow);
    let quadrant = b.ushr(p2, Src::imm32(30));
    let fraction = funnel(b, p2, p1, Src::imm32(2));
    let further = funnel(b, p1, p0, Src::imm32(2));
    // A fraction of at least a half counts as negative, after the next quarter.
    let round = b.ushr(fraction, Src::imm32(31));
    let turns = b.iadd(quadrant, round);
    let bits = super::super::super::arith::join(b, further, fraction);
    let number = b.int_to_float(bits, true, 32);
    let number = b.fmul(number, c(2f64.powi(-64)));
    let rest = b.fmul(number, c(FRAC_PI_2));
    let is_negative = b.is_negative(x);
    let (negated, backward) = (b.fneg(rest), b.ineg(turns));
    Angle { turns: b.select(is_negative, backward, turns), rest: b.select(is_negative, negated, rest) }
}

/// Word `word` + `next` of the bits of 2/π, for a first word up to 4.
fn chosen(b: &mut Builder<'_, '_>, word: Src, next: u32) -> Src {
    let at = |index: u32| Src::imm32(TURNS.get(index as usize).copied().unwrap_or(0));
    (1..5).fold(at(next), |known, first| {
        let is_first = b.icmp(IntCond::EQ, word, Src::imm32(first));
        b.select(is_first, at(first.saturating_add(next)), known)
    })
}

/// The upper word of two words shifted to the left by less than 32.
fn funnel(b: &mut Builder<'_, '_>, upper: Src, lower: Src, shift: Src) -> Src {
    let moved = b.shl(upper, shift);
    let half = b.ushr(lower, Src::imm32(1));
    let other = b.isub(Src::imm32(31), shift);
    let low = b.ushr(half, other);
    b.or(moved, low)
}

/// Sine and cosine of an angle of at most an eighth turn.
fn both(b: &mut Builder<'_, '_>, x: Src) -> (Src, Src) {
    let z = b.fmul(x, x);
    let sine = odd(b, x, z, &SIN);
    let tail = polynomial(b, z, &COS);
    let tail = b.ffma(tail, z, c(-0.5));
    (sine, b.ffma(tail, z, c(1.0)))
}

/// The sine after a number of quarter turns.
fn turned(b: &mut Builder<'_, '_>, turns: Src, (sine, cosine): (Src, Src)) -> Src {
    let odd = b.and(turns, Src::imm32(1));
    let is_odd = b.icmp(IntCond::NE, odd, Src::imm32(0));
    let value = b.select(is_odd, cosine, sine);
    let half = b.shl(turns, Src::imm32(30));
    let sign = b.and(half, Src::imm32(0x8000_0000));
    b.xor(value, sign)
}

/// NaN unless `x` is finite.
fn if_finite(b: &mut Builder<'_, '_>, x: Src, result: Src) -> Src {
    let magnitude = b.fabs(x);
    let is_finite = b.fcmp(FloatCond::LT, magnitude, Src::imm32(INFINITY));
    b.select(is_finite, result, Src::imm32(NAN))
}

/// Sine and cosine.
pub(in super::super) fn sincos(kit: &mut Kit<'_, '_>, x: Src) -> (Src, Src) {
    let Angle { turns, rest } = reduced(kit, x);
    let b = &mut kit.b;
    let parts = both(b, rest);
    let sine = turned(b, turns, parts);
    let next = b.iadd(turns, Src::imm32(1));
    let cosine = turned(b, next, parts);
    (if_finite(b, x, sine), if_finite(b, x, cosine))
}

pub(in super::super) fn sin(kit: &mut Kit<'_, '_>, x: Src) -> Src {
    sincos(kit, x).0
}

pub(in super::super) fn cos(kit: &mut Kit<'_, '_>, x: Src) -> Src {
    sincos(kit, x).1
}

pub(in super::super) fn tan(kit: &mut Kit<'_, '_>, x: Src) -> Src {
    let (sine, cosine) = sincos(kit, x);
    kit.b.fdiv(sine, cosine)
}

/// Sine and cosine of half turns.
fn of_half_turns(b: &mut Builder<'_, '_>, x: Src) -> (Src, Src) {
    // Numbers from 2²⁴ on are even.
    let size = b.fabs(x);
    let has_rest = b.fcmp(FloatCond::LT, size, c(2f64.powi(24)));
    let near = b.select(has_rest, x, c(0.0));
    let twice = b.fadd(near, near);
    let n = b.rint(twice);
    let rest_of = b.ffma(n, c(-0.5), near);
    let low = b.fmul(rest_of, rest(PI));
    let angle = b.ffma(rest_of, c(PI), low);
    let parts = both(b, angle);
    let turns = b.float_to_int(n, true, 32);
    let sine = turned(b, turns, parts);
    let next = b.iadd(turns, Src::imm32(1));
    let cosine = turned(b, next, parts);
    (if_finite(b, x, sine), if_finite(b, x, cosine))
}

pub(in super::super) fn sinpi(b: &mut Builder<'_, '_>, x: Src) -> Src {
    of_half_turns(b, x).0
}

pub(in super::super) fn cospi(b: &mut Builder<'_, '_>, x: Src) -> Src {
    of_half_turns(b, x).1
}

pub(in super::super) fn tanpi(b: &mut Builder<'_, '_>, x: Src) -> Src {
    let (sine, cosine) = of_half_turns(b, x);
    b.fdiv(sine, cosine)
}
