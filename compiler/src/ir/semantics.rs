//! Semantics of IR-only operations, in the form of the hardware's semantics ([`agx_isa::semantics`]).
//!
//! Widths come from the sources and the destination. Float operations at 32 bits flush denormals exactly
//! where the hardware instructions that they lower to do: the constant folder and the hardware must agree.

use agx_isa::half::Half;
use agx_isa::inst::OperandFlags;
use agx_isa::semantics::select::{compare_integers, float_condition};
use agx_isa::semantics::{PureArgs, Source};

fn mask(width: u8) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

fn sign_extend(bits: u64, width: u8) -> i64 {
    let shift = 64 - u32::from(width.clamp(1, 64));
    ((bits << shift) as i64) >> shift
}

fn unsigned(source: &Source) -> u64 {
    source.bits & mask(source.width)
}

fn signed(source: &Source) -> i64 {
    sign_extend(source.bits, source.width)
}

/// Flushes a 32-bit denormal to a zero of the same sign.
fn flush(number: f32) -> f32 {
    if number.is_subnormal() { 0f32.copysign(number) } else { number }
}

/// A float source of 16, 32 or 64 bits with its modifiers applied.
fn float(source: &Source) -> f64 {
    let mut number = match source.width {
        16 => Half::from_bits(source.bits as u16).to_f64(),
        32 => f64::from(flush(f32::from_bits(source.bits as u32))),
        _ => f64::from_bits(source.bits),
    };
    if source.flags.contains(OperandFlags::ABS) {
        number = number.abs();
    }
    if source.flags.contains(OperandFlags::NEG) {
        number = -number;
    }
    number
}

/// Rounds `number` to 32 bits with the last bit set if inexact (round to odd), so that rounding again to
/// fewer bits is correct.
fn to_odd(number: f64) -> f32 {
    let near = number as f32;
    let exact = f64::from(near);
    if exact == number || near.is_infinite() {
        return near;
    }
    let truncated = if exact.abs() > number.abs() { near.to_bits() - 1 } else { near.to_bits() };
    f32::from_bits(truncated | 1)
}

fn float_bits(number: f64, width: u8) -> u64 {
    match width {
        16 => u64::from(if number.is_nan() { 0x7e00 } else { Half::from_f32(to_odd(number)).to_bits() }),
        32 => u64::from(if number.is_nan() { 0x7fc0_0000 } else { flush(number as f32).to_bits() }),
        _ => number.to_bits(),
    }
}

pub(super) fn mov(args: &PureArgs<'_>) -> u64 {
    unsigned(&args.sources[0]) & mask(args.dst_width)
}

pub(super) fn icmp(args: &PureArgs<'_>) -> u64 {
    let truth = compare_integers(args.mods[0], args.sources[0], args.sources[1]);
    u64::from(truth != (args.mods[1] != 0))
}

pub(super) fn fcmp(args: &PureArgs<'_>) -> u64 {
    let truth = float_condition(args.mods[0], float(&args.sources[0]), float(&args.sources[1]));
    u64::from(truth != (args.mods[1] != 0))
}

pub(super) fn select(args: &PureArgs<'_>) -> u64 {
    let chosen = if args.sources[0].bits & 1 != 0 { &args.sources[1] } else { &args.sources[2] };
    unsigned(chosen) & mask(args.dst_width)
}

pub(super) fn uconv(args: &PureArgs<'_>) -> u64 {
    unsigned(&args.sources[0]) & mask(args.dst_width)
}

pub(super) fn sconv(args: &PureArgs<'_>) -> u64 {
    signed(&args.sources[0]) as u64 & mask(args.dst_width)
}

pub(super) fn fconv(args: &PureArgs<'_>) -> u64 {
    float_bits(float(&args.sources[0]), args.dst_width)
}

fn sign_bit(width: u8) -> u64 {
    1 << (width - 1)
}

pub(super) fn fneg(args: &PureArgs<'_>) -> u64 {
    unsigned(&args.sources[0]) ^ sign_bit(args.dst_width)
}

pub(super) fn fabs(args: &PureArgs<'_>) -> u64 {
    unsigned(&args.sources[0]) & !sign_bit(args.dst_width)
}

#[expect(clippy::manual_clamp, reason = "`clamp` would keep a NaN")]
pub(super) fn fsat(args: &PureArgs<'_>) -> u64 {
    let number = float(&args.sources[0]);
    // `max` returns the other operand for a NaN, and +0 + -0 = +0 removes a negative zero.
    float_bits(number.max(0.0).min(1.0) + 0.0, args.dst_width)
}

/// min and max select the bits of one source, as the compare-and-select instruction does, so denormals are
/// preserved.
fn float_extremum(args: &PureArgs<'_>, first_wins: fn(f64, f64) -> bool) -> u64 {
    let [a, b] = [&args.sources[0], &args.sources[1]];
    let first = first_wins(float(a), float(b)) || float(b).is_nan();
    unsigned(if first { a } else { b }) & mask(args.dst_width)
}

pub(super) fn fmin(args: &PureArgs<'_>) -> u64 {
    float_extremum(args, |a, b| a < b)
}

pub(super) fn fmax(args: &PureArgs<'_>) -> u64 {
    float_extremum(args, |a, b| a > b)
}

pub(super) fn fdiv(args: &PureArgs<'_>) -> u64 {
    float_bits(float(&args.sources[0]) / float(&args.sources[1]), args.dst_width)
}

pub(super) fn fsqrt(args: &PureArgs<'_>) -> u64 {
    float_bits(float(&args.sources[0]).sqrt(), args.dst_width)
}

pub(super) fn fsin(args: &PureArgs<'_>) -> u64 {
    float_bits(libm::sin(float(&args.sources[0])), args.dst_width)
}

pub(super) fn fcos(args: &PureArgs<'_>) -> u64 {
    float_bits(libm::cos(float(&args.sources[0])), args.dst_width)
}

/// The bits of a 64-bit float, with a canonical NaN.
fn double_bits(number: f64) -> u64 {
    if number.is_nan() { 0x7ff8 << 48 } else { number.to_bits() }
}

pub(super) fn fadd64(args: &PureArgs<'_>) -> u64 {
    double_bits(float(&args.sources[0]) + float(&args.sources[1]))
}

pub(super) fn fmul64(args: &PureArgs<'_>) -> u64 {
    double_bits(float(&args.sources[0]) * float(&args.sources[1]))
}

pub(super) fn ffma64(args: &PureArgs<'_>) -> u64 {
    double_bits(float(&args.sources[0]).mul_add(float(&args.sources[1]), float(&args.sources[2])))
}

pub(super) fn fround64(args: &PureArgs<'_>) -> u64 {
    let number = float(&args.sources[0]);
    double_bits(match args.mods[0] {
        0 => number.trunc(),
        1 => number.round_ties_even(),
        2 => number.floor(),
        _ => number.ceil(),
    })
}

pub(super) fn int_to_float(args: &PureArgs<'_>) -> u64 {
    let source = &args.sources[0];
    let (unsigned, signed) = (unsigned(source), signed(source));
    let is_signed = args.mods[0] != 0;
    match args.dst_width {
        32 => u64::from(if is_signed { signed as f32 } else { unsigned as f32 }.to_bits()),
        16 => {
            // Integers beyond 2^17 become infinite, the others are exact in 32 bits.
            let number = if is_signed { signed as f32 } else { unsigned as f32 };
            u64::from(Half::from_f32(number).to_bits())
        }
        _ => if is_signed { signed as f64 } else { unsigned as f64 }.to_bits(),
    }
}

pub(super) fn float_to_int(args: &PureArgs<'_>) -> u64 {
    let number = float(&args.sources[0]);
    let bits = if args.mods[0] != 0 { number as i64 as u64 } else { number as u64 };
    bits & mask(args.dst_width)
}

macro_rules! integer_ops {
    ($($name:ident($read:ident) = |$a:ident, $b:ident, $width:ident| $body:expr;)*) => {$(
        pub(super) fn $name(args: &PureArgs<'_>) -> u64 {
            let ($a, $b) = ($read(&args.sources[0]), $read(&args.sources[1]));
            let $width = args.sources[0].width;
            let _ = $width;
            ($body) as u64 & mask(args.dst_width)
        }
    )*};
}

integer_ops! {
    imin(signed) = |a, b, width| a.min(b);
    imax(signed) = |a, b, width| a.max(b);
    umin(unsigned) = |a, b, width| a.min(b);
    umax(unsigned) = |a, b, width| a.max(b);
    udiv(unsigned) = |a, b, width| a.checked_div(b).unwrap_or(u64::MAX);
    umod(unsigned) = |a, b, width| a.checked_rem(b).unwrap_or(a);
    sdiv(signed) = |a, b, width| if b == 0 { -1 } else { a.wrapping_div(b) };
    srem(signed) = |a, b, width| if b == 0 { a } else { a.wrapping_rem(b) };
    smod(signed) = |a, b, width| {
        let remainder = if b == 0 { a } else { a.wrapping_rem(b) };
        if remainder != 0 && (remainder < 0) != (b < 0) { remainder + b } else { remainder }
    };
    umulh(unsigned) = |a, b, width| (u128::from(a) * u128::from(b)) >> width;
    smulh(signed) = |a, b, width| (i128::from(a) * i128::from(b)) >> width;
    imul(unsigned) = |a, b, width| a.wrapping_mul(b);
    shl(unsigned) = |a, b, width| if b & 0x7f < u64::from(width) { a << (b & 0x7f) } else { 0 };
    ushr(unsigned) = |a, b, width| if b & 0x7f < u64::from(width) { a >> (b & 0x7f) } else { 0 };
}

pub(super) fn sshr(args: &PureArgs<'_>) -> u64 {
    let amount = (args.sources[1].bits & 0x7f).min(u64::from(args.sources[0].width) - 1);
    (signed(&args.sources[0]) >> amount) as u64 & mask(args.dst_width)
}
