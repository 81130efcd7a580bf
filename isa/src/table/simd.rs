//! Operations across the lanes of a SIMD-group or quad.

use super::*;

/// One source, the operation, whole or prefix.
pub(super) const REDUCTION: &[OperandDesc] = ops![
    alu_dst!(44),
    alu!("a", 16, 42),
    modifier("op", kinds::names(names::REDUCTIONS), bits![28, 38:40, 47]),
    flag!("prefix", 30),
];

/// Three matrices of two registers per lane.
pub(super) const MATRIX: &[OperandDesc] = ops![
    alu_dst!(60).count(Count::Fixed(2)),
    alu!("a", 16, 58).count(Count::Fixed(2)),
    alu!("b", 28, 56).count(Count::Fixed(2)),
    alu!("c", 40, 54).count(Count::Fixed(2)),
    unknown("b_mods", bits![38:39]),
    unknown("c_mods", bits![50:51]),
    unknown("a_mods", bits![52:53]),
];

macro_rules! simd_rows { ($then:ident $($args:tt)*) => { $then! { $($args)*
@family "simd" "Operations across the lanes of a SIMD-group or quad";

/// Reads `a` of another lane: lane `b` (with `xor`, `up`, `down`: relative to this lane; `rotate` wraps
/// around), within the quad without `simd`. The low two index bits are the union of those of all four lanes
/// of a quad, including inactive ones.
Shuffle "shuffle" = row(0x6f, 0x0800_807f, fixed(6))
    .operands(ops![
        alu_dst!(44),
        alu!("a", 16, 42),
        src("b", kinds::ALU_SRC16, bits![28:33, 40:41, 34:37]),
        modifier("op", kinds::names(names::SHUFFLES), bits![38:39]),
        modifier("simd", kinds::names(names::SPANS), bits![26]).default(1),
        flag!("rotate", 47),
    ])
    .cost(Unit::Scib, 5, 2).effects(Effects::CROSS_LANE, OrderClass::None).source(from::ALL)
    .assumed("quad forms follow the 32-lane ones within the quad")
    .applegpu("{shuffle:op} {dst}, {a}, {b}");

/// Reduction over the active lanes of the quad, or exclusive scan (`prefix`).
QuadReduce "quad_reduce" = row(0x806f, 0x023f_ac00_807f, fixed(6))
    .operands(simd::REDUCTION)
    .cost(Unit::Scib, 24, 24).cost_when("prefix", 1, 18, 18).effects(Effects::CROSS_LANE, OrderClass::None).source(from::ALL)
    .assumed("inactive lanes do not take part; order and rounding of float sums are unknown").unseen()
    .applegpu("quad_{prefix:prefix}{reduction:op} {dst}, {a}");

/// Reduction over the active lanes of the SIMD-group, or exclusive scan (`prefix`).
SimdReduce "simd_reduce" = row(0x2000_806f, 0x023f_ac00_807f, fixed(6))
    .operands(simd::REDUCTION)
    .cost(Unit::Scib, 24, 24).cost_when("prefix", 1, 18, 18).effects(Effects::CROSS_LANE, OrderClass::None).source(from::ALL)
    .assumed("inactive lanes do not take part; order and rounding of float sums are unknown")
    .applegpu("simd_{prefix:prefix}{reduction:op} {dst}, {a}");

/// 8x8 matrix product `a * b + c` with a 32-bit accumulator; two elements per lane, in two consecutive
/// registers.
SimdMatrixFmadd32 "simd_matrix_fmadd32" = row(0x8000_0000_0c00_006f, 0x8000_0000_0c00_807f, fixed(8))
    .operands(simd::MATRIX).apart()
    .cost(Unit::F32, 36, 18).effects(Effects::CROSS_LANE, OrderClass::None)
    .source("applegpu, a fork of AGX2.xml with matrix rows, cooperative-matrix measurements on M1")
    .assumed("two modifier bits per source, of unknown meaning")
    .applegpu("simd_matrix_fmadd32 {dst}, {a}, {b}, {c}");

/// 8x8 matrix product `a * b + c` with a 16-bit accumulator; otherwise as `simd_matrix_fmadd32`.
SimdMatrixFmadd16 "simd_matrix_fmadd16" = row(0x8000_0000_0800_006f, 0x8000_0000_0c00_807f, fixed(8))
    .operands(simd::MATRIX).apart()
    .cost(Unit::F16, 34, 17).effects(Effects::CROSS_LANE, OrderClass::None)
    .source("applegpu, a fork of AGX2.xml with matrix rows, cooperative-matrix measurements on M1")
    .assumed("two modifier bits per source, of unknown meaning")
    .applegpu("simd_matrix_fmadd16 {dst}, {a}, {b}, {c}");

}}}
