//! Integer arithmetic.

use super::{PureArgs, width_mask};
use crate::inst::OperandFlags;

/// A constant, truncated to the destination.
pub fn immediate(args: &PureArgs<'_>) -> u64 {
    args.truncate(args.source(0).bits)
}

/// `a + (b << shift)`.
#[inline]
pub fn iadd(args: &PureArgs<'_>) -> u64 {
    finish(args, 2, args.source(0).extended() + shifted(args, 1))
}

/// `a - (b << shift)`.
#[inline]
pub fn isub(args: &PureArgs<'_>) -> u64 {
    finish(args, 2, args.source(0).extended() - shifted(args, 1))
}

/// `a * b + (c << shift)`.
#[inline]
pub fn imadd(args: &PureArgs<'_>) -> u64 {
    finish(args, 3, product(args) + shifted(args, 2))
}

/// `a * b - (c << shift)`.
pub fn imsub(args: &PureArgs<'_>) -> u64 {
    finish(args, 3, product(args) - shifted(args, 2))
}

fn product(args: &PureArgs<'_>) -> i128 {
    // At most 33 bits each: the product has 66 and cannot overflow.
    let narrow = |i: usize| args.source(i).extended().clamp(-(1 << 63), (1 << 64) - 1);
    narrow(0).wrapping_mul(narrow(1))
}

/// The last source shifted left; 0 for amounts of 5 and more.
fn shifted(args: &PureArgs<'_>, index: usize) -> i128 {
    match args.modifier(0) {
        shift @ 0..=4 => args.source(index).extended() << shift,
        _ => 0,
    }
}

/// Truncates or clamps the exact result. Clamping requires shift 0 and no 64-bit operand; it is signed if any
/// source is sign-extended.
fn finish(args: &PureArgs<'_>, sources: usize, exact: i128) -> u64 {
    let saturate = args.modifier(1) != 0;
    let addend = args.source(sources - 1);
    let wide = args.dst_width > 32 || addend.width > 32 || args.source(0).width > 32;
    if !saturate || wide || args.modifier(0) != 0 {
        return args.truncate(exact as u64);
    }
    let signed = (0..sources).any(|i| args.source(i).flags.contains(OperandFlags::SX));
    let (low, high) = if signed {
        (-(1 << (args.dst_width - 1)), (1i128 << (args.dst_width - 1)) - 1)
    } else {
        (0, width_mask(args.dst_width).into())
    };
    args.truncate(exact.clamp(low, high) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics::Source;

    fn source(bits: u64, width: u8, sx: bool) -> Source {
        let flags = if sx { OperandFlags::SX } else { OperandFlags::empty() };
        Source { bits, width, flags }
    }

    #[test]
    fn addition() {
        let minus_one = source(0xffff, 16, true);
        for (dst_width, a, b, mods, result) in [
            (32, source(1, 32, false), minus_one, [0, 0], 0),
            (32, source(1, 32, false), source(0xffff, 16, false), [0, 0], 0x1_0000),
            (64, source(1 << 40, 64, false), minus_one, [4, 0], (1 << 40) - 16),
            (32, source(7, 32, false), minus_one, [5, 0], 7),
            (16, source(0x7fff, 16, true), source(1, 16, true), [0, 1], 0x7fff),
            (16, source(0xffff, 16, false), source(1, 16, false), [0, 1], 0xffff),
            (16, source(0xffff, 16, false), source(1, 16, false), [1, 1], 1),
        ] {
            let args = PureArgs { dst_width, sources: &[a, b], mods: &mods };
            assert_eq!(iadd(&args), result, "{args:?}");
        }
    }

    #[test]
    fn subtraction_clamps_at_zero_when_unsigned() {
        let sources = [source(1, 32, false), source(2, 32, false)];
        assert_eq!(isub(&PureArgs { dst_width: 32, sources: &sources, mods: &[0, 1] }), 0);
        assert_eq!(isub(&PureArgs { dst_width: 32, sources: &sources, mods: &[0, 0] }), 0xffff_ffff);
    }

    #[test]
    fn products_have_64_bits() {
        let sources = [source(0xffff_ffff, 32, false), source(0xffff_ffff, 32, false), source(1, 32, false)];
        let args = PureArgs { dst_width: 64, sources: &sources, mods: &[1, 0] };
        assert_eq!(imadd(&args), 0xffff_ffffu64 * 0xffff_ffff + 2);
        assert_eq!(imsub(&args), 0xffff_ffffu64 * 0xffff_ffff - 2);
    }
}
