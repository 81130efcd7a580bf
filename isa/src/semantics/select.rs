//! Comparisons and selection.

use super::float::read;
use super::{PureArgs, Source};

/// Integer comparison `cond` (three bits): bit 2 selects a signed comparison, with each source extended from
/// its own size. 3 and 7 never hold.
#[inline]
pub fn compare_integers(cond: u32, a: Source, b: Source) -> bool {
    let order = if cond & 4 != 0 { a.sign_extended().cmp(&b.sign_extended()) } else { a.bits.cmp(&b.bits) };
    match cond & 3 {
        0 => order.is_eq(),
        1 => order.is_lt(),
        2 => order.is_gt(),
        _ => false,
    }
}

/// Float comparison `cond` (three bits); denormals of 32-bit sources read as zero.
#[inline]
pub fn compare_floats(cond: u32, a: Source, b: Source) -> bool {
    float_condition(cond, read(a), read(b))
}

/// Whether the float condition `cond` (three bits) holds. `ltn` (3) and `gtn` (7) also hold if `b` is NaN; 4
/// never holds.
#[inline]
pub fn float_condition(cond: u32, a: f64, b: f64) -> bool {
    match cond & 7 {
        0 => a == b,
        1 => a < b,
        2 => a > b,
        3 => a < b || b.is_nan(),
        5 => a >= b,
        6 => a <= b,
        7 => a > b || b.is_nan(),
        _ => false,
    }
}

fn select(args: &PureArgs<'_>, holds: bool) -> u64 {
    args.truncate(args.source(if holds { 2 } else { 3 }).bits)
}

/// Select by integer comparison.
#[inline]
pub fn icsel(args: &PureArgs<'_>) -> u64 {
    select(args, compare_integers(args.modifier(0), args.source(0), args.source(1)))
}

/// Select by float comparison.
#[inline]
pub fn fcsel(args: &PureArgs<'_>) -> u64 {
    select(args, compare_floats(args.modifier(0), args.source(0), args.source(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inst::OperandFlags;

    #[test]
    fn integers_extend_from_their_own_size() {
        let source = |bits, width| Source { bits, width, flags: OperandFlags::empty() };
        let (short, long) = (source(0xffff, 16), source(0xffff_ffff, 32));
        assert!(!compare_integers(0, short, long) && compare_integers(1, short, long));
        assert!(compare_integers(4, short, long) && !compare_integers(5, short, long));
    }

    #[test]
    fn nan_loses() {
        let source =
            |value: f32| Source { bits: value.to_bits().into(), width: 32, flags: OperandFlags::empty() };
        let (one, nan) = (source(1.0), source(f32::NAN));
        for (cond, a, b, holds) in [
            (3, one, nan, true),
            (3, nan, one, false),
            (7, one, nan, true),
            (1, one, nan, false),
            (6, one, one, true),
        ] {
            assert_eq!(compare_floats(cond, a, b), holds, "{cond}");
        }
    }
}
