//! Shifts, bit fields, bitwise operations: 32-bit arithmetic on zero-extended sources, truncated to the
//! destination. Shift amounts have seven bits.

use super::PureArgs;

fn amount(args: &PureArgs<'_>, index: usize) -> u32 {
    (args.source(index).bits & 0x7f) as u32
}

/// The field mask: `width` bits, or all 32 if that is 0.
fn field(args: &PureArgs<'_>) -> u64 {
    match args.modifier(0) & 31 {
        0 => 0xffff_ffff,
        width => (1 << width) - 1,
    }
}

fn word(args: &PureArgs<'_>, index: usize) -> u64 {
    args.source(index).bits & 0xffff_ffff
}

/// `value << by` of an unbounded number, truncated to 64 bits.
fn up(value: u64, by: u32) -> u64 {
    value.checked_shl(by).unwrap_or(0)
}

fn down(value: u64, by: u32) -> u64 {
    value.checked_shr(by).unwrap_or(0)
}

/// Bit-field insert.
pub fn bfi(args: &PureArgs<'_>) -> u64 {
    let (mask, by) = (field(args), amount(args, 2));
    args.truncate(word(args, 0) & !up(mask, by) & 0xffff_ffff | up(word(args, 1) & mask, by) & 0xffff_ffff)
}

/// Bit-field extract and insert low.
pub fn bfeil(args: &PureArgs<'_>) -> u64 {
    let mask = field(args);
    args.truncate(word(args, 0) & !mask | down(word(args, 1), amount(args, 2)) & mask)
}

/// Field of a 64-bit pair.
pub fn extr(args: &PureArgs<'_>) -> u64 {
    args.truncate(down(word(args, 1) << 32 | word(args, 0), amount(args, 2)) & field(args))
}

/// Upper word of a left shift, over `a`.
pub fn shlhi(args: &PureArgs<'_>) -> u64 {
    let by = amount(args, 2);
    let mask = up(field(args), by.saturating_sub(32)) & 0xffff_ffff;
    // 128 bits hold the relevant result of a shift by up to 127: the second 32-bit word.
    let moved = (u128::from(word(args, 1)) << by.min(95) >> 32) as u64;
    args.truncate(moved & mask | word(args, 0) & !mask)
}

/// Lower word of a right shift of the upper word, over `a`.
pub fn shrhi(args: &PureArgs<'_>) -> u64 {
    let by = amount(args, 2);
    let mask = down(field(args) << 32, by.min(32)) & 0xffff_ffff;
    args.truncate(down(word(args, 1) << 32, by) & mask | word(args, 0) & !mask)
}

/// Arithmetic shift right.
pub fn asr(args: &PureArgs<'_>) -> u64 {
    args.truncate((args.source(0).sign_extended() >> amount(args, 1).min(63)) as u64)
}

/// Lower word of an arithmetic shift right of the upper word.
pub fn asrh(args: &PureArgs<'_>) -> u64 {
    let wide = i128::from(args.source(0).sign_extended()) << 32;
    args.truncate((wide >> amount(args, 1).min(127)) as u64 & 0xffff_ffff)
}

/// Any bitwise function of two sources.
pub fn bitop(args: &PureArgs<'_>) -> u64 {
    let (a, b) = (args.source(0).bits, args.source(1).bits);
    let table = args.modifier(0);
    // applegpu, which tested all sixteen tables on hardware, models these two as `a` and documents them as
    // undefined.
    if matches!(table & 15, 0b1100 | 0b0011) {
        return args.truncate(a);
    }
    let terms = [!a & !b, a & !b, !a & b, a & b];
    let picked = terms.iter().enumerate().filter(|(i, _)| table >> i & 1 == 1);
    args.truncate(picked.fold(0, |all, (_, term)| all | term))
}

/// Reverses 32 bits.
pub fn bitrev(args: &PureArgs<'_>) -> u64 {
    args.truncate((word(args, 0) as u32).reverse_bits().into())
}

/// Counts set bits.
pub fn popcnt(args: &PureArgs<'_>) -> u64 {
    args.truncate(word(args, 0).count_ones().into())
}

/// Index of the most significant set bit, all ones for 0.
pub fn ffs(args: &PureArgs<'_>) -> u64 {
    args.truncate(word(args, 0).checked_ilog2().map_or(u64::MAX, u64::from))
}

/// Interleaves the low halves.
pub fn intl(args: &PureArgs<'_>) -> u64 {
    args.truncate(spread(word(args, 0)) | spread(word(args, 1)) << 1)
}

/// Moves bit `i` of the low half to bit `2 i`.
fn spread(value: u64) -> u64 {
    let mut x = value & 0xffff;
    for (shift, mask) in [(8, 0x00ff_00ff), (4, 0x0f0f_0f0f), (2, 0x3333_3333), (1, 0x5555_5555)] {
        x = (x | x << shift) & mask;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inst::OperandFlags;
    use crate::semantics::{PureFn, Source};

    fn run(op: PureFn, sources: &[u64], modifier: u32) -> u64 {
        let sources: Vec<Source> =
            sources.iter().map(|&bits| Source { bits, width: 32, flags: OperandFlags::empty() }).collect();
        op(&PureArgs { dst_width: 32, sources: &sources, mods: &[modifier] })
    }

    #[test]
    fn shifts_use_seven_bits() {
        assert_eq!(run(bfi, &[0, 1, 31], 0), 1 << 31);
        assert_eq!(run(bfi, &[0, 1, 32], 0), 0);
        assert_eq!(run(bfi, &[0, 1, 128], 0), 1);
        assert_eq!(run(bfeil, &[0, 0xffff_ffff, 33], 0), 0);
        assert_eq!(run(asr, &[0x8000_0000, 100], 0), 0xffff_ffff);
        assert_eq!(run(asrh, &[0x8000_0000, 32], 0), 0x8000_0000);
        assert_eq!(run(asrh, &[0x8000_0000, 36], 0), 0xf800_0000);
    }

    #[test]
    fn fields() {
        assert_eq!(run(bfi, &[0xffff_ffff, 0, 8], 4), 0xffff_f0ff);
        assert_eq!(run(bfeil, &[0xaaaa_aaaa, 0x1234_5678, 8], 8), 0xaaaa_aa56);
        assert_eq!(run(extr, &[0x1122_3344, 0x5566_7788, 16], 0), 0x7788_1122);
        assert_eq!(run(shlhi, &[0xf, 0x1234_5678, 8], 0), 0x12);
        assert_eq!(run(shlhi, &[0xf, 0x1234_5678, 36], 0), 0x2345_678f);
        assert_eq!(run(shrhi, &[0xf000_0000, 0x1234_5678, 36], 0), 0x0123_4567);
        assert_eq!(run(shrhi, &[0, 0x1234_5678, 4], 0), 0x8000_0000);
    }

    #[test]
    fn bit_functions() {
        let (a, b) = (0b1100, 0b1010);
        for (table, result) in
            [(0b1000, a & b), (0b1110, a | b), (0b0110, a ^ b), (0b1010, a), (0b0010, a & !b), (0b0011, a)]
        {
            assert_eq!(run(bitop, &[a, b], table) & 15, result, "{table:#b}");
        }
        assert_eq!(run(ffs, &[0], 0), 0xffff_ffff);
        assert_eq!(run(ffs, &[0x8001], 0), 15);
        assert_eq!(run(bitrev, &[1], 0), 1 << 31);
        assert_eq!(run(intl, &[0xffff, 0], 0), 0x5555_5555);
        assert_eq!(run(intl, &[0, 0x8001], 0), 0x8000_0002);
    }
}
