//! Shifts, bit fields, bitwise operations.

use super::*;

/// Three sources and a width.
pub(super) const FIELD: &[OperandDesc] = ops![
    alu_dst!(60),
    alu!("a", 16, 58),
    alu!("b", 28, 56),
    alu!("c", 40, 54),
    modifier("width", kinds::NUMBER, bits![38:39, 50:51, 63]),
];

/// A value and a shift amount.
pub(super) const SIGNED_SHIFT: &[OperandDesc] =
    ops![alu_dst!(60), alu!("a", 16, 58).sign(Sign::Own), alu!("b", 28, 56)];

macro_rules! bitfield_rows { ($then:ident $($args:tt)*) => { $then! { $($args)*
@family "bitfield" "Shifts, bit fields, bitwise operations";

/// Bit-field insert: the low `width` bits of `b` (0 = all 32) go into `a` at bit `c & 127`.
Bfi "bfi" = row(0x2e, 0x0c00_807f, fixed(8))
    .operands(bitfield::FIELD)
    .cost(Unit::Ic, 3, 2).pure(pure!(bits::bfi)).kernel(Kind::Bits, kernels::bfi).cut().source(from::ALL)
    .applegpu("bfi {dst}, {a}, {b}, {c}{width:width}");

/// Bit-field extract and insert low: `b` shifted right by `c & 127` replaces the low `width` bits of `a` (0 = all 32).
Bfeil "bfeil" = row(0x802e, 0x0c00_807f, fixed(8))
    .operands(bitfield::FIELD)
    .cost(Unit::Ic, 3, 2).pure(pure!(bits::bfeil)).kernel(Kind::Bits, kernels::bfeil).cut().source(from::ALL)
    .applegpu("bfeil {dst}, {a}, {b}, {c}{width:width}");

/// The low `width` bits (0 = all 32) of the 64-bit value `b:a` shifted right by `c & 127`.
Extr "extr" = row(0x0400_002e, 0x0c00_807f, fixed(8))
    .operands(bitfield::FIELD)
    .cost(Unit::Ic, 3, 2).pure(pure!(bits::extr)).kernel(Kind::Bits, kernels::extr).cut().source(from::ALL)
    .applegpu("extr {dst}, {a}, {b}, {c}{width:width}");

/// Upper word of `b << (c & 127)`, masked by `width` bits moved up by the shift past 32, over `a`.
Shlhi "shlhi" = row(0x0800_002e, 0x0c00_807f, fixed(8))
    .operands(bitfield::FIELD)
    .cost(Unit::Ic, 3, 2).pure(pure!(bits::shlhi)).cut().source(from::NO_MESA).unseen()
    .applegpu("shlhi {dst}, {a}, {b}, {c}{width:width}");

/// Lower word of `(b << 32) >> (c & 127)`, masked by `width` bits moved down with the shift, over `a`.
Shrhi "shrhi" = row(0x0800_802e, 0x0c00_807f, fixed(8))
    .operands(bitfield::FIELD)
    .cost(Unit::Ic, 3, 2).pure(pure!(bits::shrhi)).cut().source(from::NO_MESA).unseen()
    .applegpu("shrhi {dst}, {a}, {b}, {c}{width:width}");

/// Arithmetic shift right of `a` by `b & 127`; `a` is sign-extended from its own size.
Asr "asr" = row(0x0400_802e, 0x0c00_807f, fixed(8))
    .operands(bitfield::SIGNED_SHIFT)
    .cost(Unit::Ic, 3, 2).pure(pure!(bits::asr)).kernel(Kind::SignedBits, kernels::asr).cut().source(from::ALL)
    .applegpu("asr {dst}, {a}, {b}");

/// Lower word of the sign-extended `a`, moved up 32 bits, shifted right by `b & 127`.
Asrh "asrh" = row(0x0c00_802e, 0x0c00_807f, fixed(8))
    .operands(bitfield::SIGNED_SHIFT)
    .cost(Unit::Ic, 3, 2).pure(pure!(bits::asrh)).cut().source(from::NO_MESA).unseen()
    .applegpu("asrh {dst}, {a}, {b}");

/// Any bitwise function of two sources: bit 0 of `table` is the result if both are 0, bit 1 if only `a` is 1,
/// bit 2 if only `b` is 1, bit 3 if both are. Tables 0b1100 and 0b0011 behave differently: both give `a`.
Bitop "bitop" = row(0x7e, 0x807f, fixed(6))
    .operands(ops![
        alu_dst!(44), alu!("a", 16, 42), alu!("b", 28, 40),
        modifier("table", kinds::NUMBER, bits![26:27, 38:39]),
    ])
    .cost(Unit::Scib, 2, 1).pure(pure!(bits::bitop)).kernel(Kind::Bits, kernels::bitop).cut().source(from::ALL)
    .assumed("tables 0b1100 and 0b0011 as applegpu models them; it documents them as undefined")
    .applegpu("{bitop:table}");

/// Reverses 32 bits.
Bitrev "bitrev" = row(0x0400_003e, 0x00ff_fc00_807f, fixed(6))
    .operands(ops![alu_dst!(44), alu!("a", 16, 42)])
    .pure(pure!(bits::bitrev)).kernel(Kind::Bits, kernels::bitrev).source(from::ALL)
    .applegpu("bitrev {dst}, {a}");

/// Number of set bits.
Popcnt "popcnt" = row(0x0800_003e, 0x00ff_fc00_807f, fixed(6))
    .operands(ops![alu_dst!(44), alu!("a", 16, 42)])
    .pure(pure!(bits::popcnt)).kernel(Kind::Bits, kernels::popcnt).source(from::ALL)
    .applegpu("popcount {dst}, {a}");

/// Index of the most significant set bit, all ones for 0.
Ffs "ffs" = row(0x0c00_003e, 0x00ff_fc00_807f, fixed(6))
    .operands(ops![alu_dst!(44), alu!("a", 16, 42)])
    .pure(pure!(bits::ffs)).kernel(Kind::Bits, kernels::ffs).source(from::ALL)
    .applegpu("ffs {dst}, {a}");

/// Interleaves the low 16 bits of `a` (even bits) and `b` (odd bits).
Intl "intl" = row(0x3e, 0x00c0_0c00_807f, fixed(6))
    .operands(ops![alu_dst!(44), alu!("a", 16, 42), alu!("b", 28, 40)])
    .pure(pure!(bits::intl)).source(from::ALL)
    .applegpu("intl {dst}, {a}, {b}");

}}}
