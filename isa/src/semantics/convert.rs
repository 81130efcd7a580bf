//! Conversions between integers and floats.

use super::float::read;
use super::rounding::{Direction, round16, round32};
use super::{PureArgs, Source};

/// The modifier `round`: 0 is toward zero; the two values that were never observed are modelled as nearest
/// even too.
fn direction(args: &PureArgs<'_>) -> Direction {
    if args.modifier(0) == 0 { Direction::TowardZero } else { Direction::NearestEven }
}

fn to_float(args: &PureArgs<'_>, width: u8, signed: bool) -> u64 {
    let source = Source { width, bits: args.source(0).bits & super::width_mask(width), ..args.source(0) };
    // At most 32 bits: exact in a double.
    let value = if signed { source.sign_extended() as f64 } else { source.bits as f64 };
    if args.dst_width <= 16 { round16(value, direction(args)) } else { round32(value, direction(args)) }
}

fn to_integer(args: &PureArgs<'_>, width: u8, signed: bool) -> u64 {
    let value = read(args.source(0));
    let whole = match direction(args) {
        Direction::TowardZero => libm::trunc(value),
        Direction::NearestEven => libm::rint(value),
    };
    let (low, high) =
        if signed { (-(1i64 << (width - 1)), (1i64 << (width - 1)) - 1) } else { (0, (1i64 << width) - 1) };
    // The cast clamps and maps NaN to 0.
    args.truncate((whole as i64).clamp(low, high) as u64)
}

/// Unsigned byte to float.
pub fn u8_to_f(args: &PureArgs<'_>) -> u64 {
    to_float(args, 8, false)
}

/// Signed byte to float.
pub fn s8_to_f(args: &PureArgs<'_>) -> u64 {
    to_float(args, 8, true)
}

/// Unsigned 16-bit integer to float.
pub fn u16_to_f(args: &PureArgs<'_>) -> u64 {
    to_float(args, 16, false)
}

/// Signed 16-bit integer to float.
pub fn s16_to_f(args: &PureArgs<'_>) -> u64 {
    to_float(args, 16, true)
}

/// Unsigned 32-bit integer to float.
pub fn u32_to_f(args: &PureArgs<'_>) -> u64 {
    to_float(args, 32, false)
}

/// Signed 32-bit integer to float.
pub fn s32_to_f(args: &PureArgs<'_>) -> u64 {
    to_float(args, 32, true)
}

/// Float to unsigned 16-bit integer.
pub fn f_to_u16(args: &PureArgs<'_>) -> u64 {
    to_integer(args, 16, false)
}

/// Float to signed 16-bit integer.
pub fn f_to_s16(args: &PureArgs<'_>) -> u64 {
    to_integer(args, 16, true)
}

/// Float to unsigned 32-bit integer.
pub fn f_to_u32(args: &PureArgs<'_>) -> u64 {
    to_integer(args, 32, false)
}

/// Float to signed 32-bit integer.
pub fn f_to_s32(args: &PureArgs<'_>) -> u64 {
    to_integer(args, 32, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inst::OperandFlags;
    use crate::semantics::PureFn;

    #[test]
    fn conversions() {
        let bits = |value: f32| u64::from(value.to_bits());
        let cases: &[(PureFn, u64, u8, u32, u64)] = &[
            (f_to_u32, bits(2.5), 32, 1, 2),
            (f_to_u32, bits(3.9), 32, 0, 3),
            (f_to_u32, bits(-1.0), 32, 0, 0),
            (f_to_u32, bits(1e10), 32, 0, 0xffff_ffff),
            (f_to_s32, bits(-1e10), 32, 0, 0x8000_0000),
            (f_to_s32, bits(f32::NAN), 32, 0, 0),
            (f_to_s16, bits(-2.0), 16, 0, 0xfffe),
            (s8_to_f, 0x1ff, 32, 1, bits(-1.0)),
            (u8_to_f, 0x1ff, 32, 1, bits(255.0)),
            (u32_to_f, 0xffff_ffff, 32, 1, bits(4294967296.0)),
            (u32_to_f, 0xffff_ffff, 32, 0, bits(4294967040.0)),
            (s16_to_f, 0xffff, 16, 1, 0xbc00),
        ];
        for &(op, value, dst_width, round, result) in cases {
            let source = Source { bits: value, width: 32, flags: OperandFlags::empty() };
            let got = op(&PureArgs { dst_width, sources: &[source], mods: &[round] });
            assert_eq!(got, result, "{value:#x}");
        }
    }
}
