//! Moves and integer arithmetic.

use super::*;

/// Two addends, the second shifted.
pub(super) const ADD: &[OperandDesc] = ops![
    alu_dst!(wide 44),
    extended!(ADD_SRC, "a", 16, 42),
    extended!(ADD_SRC, "b", 28, 40),
    modifier("shift", kinds::NUMBER, bits![39, 52:53]),
    flag!("sat", 6),
];

/// Two factors and a shifted addend.
pub(super) const MULTIPLY_ADD: &[OperandDesc] = ops![
    alu_dst!(wide 60),
    extended!(MUL_SRC, "a", 16, 58),
    extended!(MUL_SRC, "b", 28, 56),
    extended!(ADD_SRC, "c", 40, 54),
    modifier("shift", kinds::NUMBER, bits![39, 52:53]),
    flag!("sat", 6),
];

macro_rules! integer_rows { ($then:ident $($args:tt)*) => { $then! { $($args)*
@family "integer" "Moves and integer arithmetic";

/// Writes a 16-bit constant.
Ldimm16 "ldimm16" = row(0x62, 0x17f, extends(4, 6, 15))
    .operands(ops![
        dst("dst", kinds::DST16, bits![9:14, 44:45, 7]),
        src("a", kinds::INTEGER, bits![16:31]),
    ])
    .cost(Unit::Scib, 1, 1).pure(pure!(integer::immediate)).kernel(Kind::Bits, kernels::copy).source(from::ALL)
    .applegpu("mov_imm {dst}, {a}");

/// Writes a 32-bit constant.
Ldimm32 "ldimm32" = row(0x162, 0x17f, extends(6, 8, 15))
    .operands(ops![
        dst("dst", kinds::DST32, bits![9:14, 60:61, 7]),
        src("a", kinds::INTEGER, bits![16:47]),
        unknown("u62", bits![62]),
    ])
    .cost(Unit::Scib, 1, 1).pure(pure!(integer::immediate)).kernel(Kind::Bits, kernels::copy).source(from::ALL)
    .assumed("bit 62 may kill the thread (applegpu)")
    .applegpu("mov_imm {dst}, {a}, 0b{u62}");

/// Reads a special register. Only some of them depend on coverage.
Mfsr "mfsr" = row(0x72, 0x807f, fixed(4))
    .operands(ops![alu_dst!(28), modifier("sr", kinds::SPECIAL, bits![16:21, 26:27])])
    .effects(Effects::READS_COVERAGE, OrderClass::None).cost(Unit::Scib, 2, 2).source(from::ALL)
    .applegpu("get_sr {dst}, {special:sr}");

/// `a + (b << shift)`; a shift above 4 gives `a`. Sources extend to infinite precision according to their
/// `sx` flag; the sum is truncated to the destination, or clamped (`sat`, 16 and 32 bits, shift 0: signed if
/// a source is).
Iadd "iadd" = row(0xe, 0x0800_803f, fixed(8))
    .operands(integer_rows::ADD)
    .cost(Unit::Scib, 2, 1).pure(pure!(integer::iadd)).kernel(Kind::Integer, kernels::iadd).cut().source(from::ALL)
    .applegpu("iadd{.sat} {dst}, {a}, {b}{, lsl shift}");

/// `a - (b << shift)`; otherwise as `iadd`.
Isub "isub" = row(0x0800_000e, 0x0800_803f, fixed(8))
    .operands(integer_rows::ADD)
    .cost(Unit::Scib, 2, 1).pure(pure!(integer::isub)).kernel(Kind::Integer, kernels::isub).cut().source(from::ALL)
    .applegpu("isub{.sat} {dst}, {a}, {b}{, lsl shift}");

/// `a * b + (c << shift)`; `a` and `b` have at most 32 bits, `c` and the destination up to 64.
Imadd "imadd" = row(0x1e, 0x0800_803f, fixed(8))
    .operands(integer_rows::MULTIPLY_ADD)
    .cost(Unit::Ic, 3, 2).pure(pure!(integer::imadd)).kernel(Kind::Integer, kernels::imadd).cut().source(from::ALL)
    .applegpu("imadd{.sat} {dst}, {a}, {b}, {c}{, lsl shift}");

/// `a * b - (c << shift)`; otherwise as `imadd`.
Imsub "imsub" = row(0x0800_001e, 0x0800_803f, fixed(8))
    .operands(integer_rows::MULTIPLY_ADD)
    .cost(Unit::Ic, 3, 2).pure(pure!(integer::imsub)).kernel(Kind::Integer, kernels::imsub).cut().source(from::ALL)
    .applegpu("imsub{.sat} {dst}, {a}, {b}, {c}{, lsl shift}");

/// Observed with bit 15 of `mfsr` set; the meaning is unknown.
MfsrUnknown "mfsr_unknown" = row(0x8072, 0x807f, fixed(4))
    .operands(ops![alu_dst!(28), modifier("sr", kinds::SPECIAL, bits![16:21, 26:27])])
    .source(from::APPLEGPU).assumed("fields as in mfsr").unseen();

}}}
