//! Floating point: arithmetic, rounding, special functions, derivatives.

use super::*;

/// Two 32-bit sources.
pub(super) const BINARY32: &[OperandDesc] =
    ops![alu_dst!(44), float_src!("a", 16, 42), float_src!("b", 28, 40), flag!("sat", 6)];

/// Two 16-bit sources.
pub(super) const BINARY16: &[OperandDesc] =
    ops![alu_dst!(44), half_src!("a", 16, 42), half_src!("b", 28, 40), flag!("sat", 6)];

macro_rules! float_rows { ($then:ident $($args:tt)*) => { $then! { $($args)*
@family "float" "Floating point: arithmetic, rounding, special functions, derivatives";

/// Fused `a * b + c`, rounded to 32 bits and, for a 16-bit destination, rounded again. 32-bit denormals are flushed.
Ffma "ffma" = row(0x3a, 0x3f, extends(6, 8, 15))
    .operands(ops![
        alu_dst!(60), float_src!("a", 16, 58), float_src!("b", 28, 56), float_src!("c", 40, 54), flag!("sat", 6),
    ])
    .cost(Unit::F32, 2, 1).pure(pure!(float::ffma)).kernel(Kind::Single, kernels::ffma).rounded().source(from::ALL)
    .applegpu("fmadd32{.sat} {dst}, {a}, {b}, {c}");

/// Fused `a * b + c` of 16-bit sources, rounded once. Denormals are preserved.
Hfma "hfma" = row(0x36, 0x3f, extends(6, 8, 15))
    .operands(ops![
        alu_dst!(60), half_src!("a", 16, 58), half_src!("b", 28, 56), half_src!("c", 40, 54), flag!("sat", 6),
    ])
    .cost(Unit::F16, 2, 1).pure(pure!(float::hfma)).source(from::ALL)
    .assumed("a 32-bit destination, which compilers never use, receives the sum rounded once to 32 bits")
    .applegpu("fmadd16{.sat} {dst}, {a}, {b}, {c}");

/// `a + b`, rounded as in `ffma`.
Fadd "fadd" = row(0x2a, 0x3f, extends(4, 6, 15))
    .operands(float_rows::BINARY32)
    .cost(Unit::F32, 2, 1).pure(pure!(float::fadd)).kernel(Kind::Single, kernels::fadd).rounded().source(from::ALL)
    .applegpu("fadd32{.sat} {dst}, {a}, {b}");

/// `a * b`, rounded as in `ffma`; a zero product is +0.
Fmul "fmul" = row(0x1a, 0x3f, extends(4, 6, 15))
    .operands(float_rows::BINARY32)
    .cost(Unit::F32, 2, 1).pure(pure!(float::fmul)).kernel(Kind::Single, kernels::fmul).rounded().source(from::ALL)
    .assumed("the sign of a zero product: applegpu models fma(a, b, +0)")
    .applegpu("fmul32{.sat} {dst}, {a}, {b}");

/// `a + b` of 16-bit sources, rounded once.
Hadd "hadd" = row(0x26, 0x3f, extends(4, 6, 15))
    .operands(float_rows::BINARY16)
    .cost(Unit::F16, 2, 1).pure(pure!(float::hadd)).kernel(Kind::Half, kernels::fadd).source(from::ALL)
    .applegpu("fadd16{.sat} {dst}, {a}, {b}");

/// `a * b` of 16-bit sources, rounded once; a zero product is +0.
Hmul "hmul" = row(0x16, 0x3f, extends(4, 6, 15))
    .operands(float_rows::BINARY16)
    .cost(Unit::F16, 2, 1).pure(pure!(float::hmul)).kernel(Kind::Half, kernels::hmul).source(from::ALL)
    .assumed("the sign of a zero product: applegpu models fma(a, b, +0)")
    .applegpu("fmul16{.sat} {dst}, {a}, {b}");

/// Rounds toward minus infinity.
Floor "floor" = row(0xa, 0x03ff_f000_003f, extends(4, 6, 15))
    .operands(ops![alu_dst!(44), float_src!("a", 16, 42), flag!("sat", 6)])
    .cost(Unit::Ic, 3, 2).pure(pure!(float::floor)).kernel(Kind::Single, kernels::floor).rounded().source(from::ALL)
    .applegpu("floor{.sat} {dst}, {a}");

/// Reciprocal square root for square roots: `a * rsqrts(a)` is `sqrt(a)` for every `a`.
Rsqrts "rsqrts" = row(0x1000000a, 0x03ff_f000_003f, extends(4, 6, 15))
    .operands(ops![alu_dst!(44), float_src!("a", 16, 42), flag!("sat", 6)])
    .cost(Unit::Ic, 6, 4).pure(pure!(float::rsqrts)).kernel(Kind::Single, kernels::rsqrts).rounded().source(from::ALL)
    .inexact()
    .applegpu("rsqrt_special{.sat} {dst}, {a}");

/// Horizontal derivative within the quad.
Dfdx "dfdx" = row(0x4000000a, 0x03ff_f000_003f, extends(4, 6, 15))
    .operands(ops![alu_dst!(44), float_src!("a", 16, 42), flag!("sat", 6), unknown("u46", bits![46])])
    .effects(Effects::CROSS_LANE, OrderClass::Coverage).rounded().source(from::ALL)
    .assumed("bit 46 may kill helper lanes (applegpu)")
    .applegpu("dfdx{.sat} {dst}, {a}");

/// Vertical derivative within the quad.
Dfdy "dfdy" = row(0x6000000a, 0x03ff_f000_003f, extends(4, 6, 15))
    .operands(ops![alu_dst!(44), float_src!("a", 16, 42), flag!("sat", 6), unknown("u46", bits![46])])
    .effects(Effects::CROSS_LANE, OrderClass::Coverage).rounded().source(from::ALL)
    .assumed("bit 46 may kill helper lanes (applegpu)")
    .applegpu("dfdy{.sat} {dst}, {a}");

/// Reciprocal.
Rcp "rcp" = row(0x8000000a, 0x03ff_f000_003f, extends(4, 6, 15))
    .operands(ops![alu_dst!(44), float_src!("a", 16, 42), flag!("sat", 6)])
    .cost(Unit::Ic, 5, 3).pure(pure!(float::rcp)).kernel(Kind::Single, kernels::rcp).rounded().source(from::ALL)
    .inexact()
    .applegpu("rcp{.sat} {dst}, {a}");

/// Reciprocal square root.
Rsqrt "rsqrt" = row(0x9000000a, 0x03ff_f000_003f, extends(4, 6, 15))
    .operands(ops![alu_dst!(44), float_src!("a", 16, 42), flag!("sat", 6)])
    .cost(Unit::Ic, 6, 4).pure(pure!(float::rsqrt)).kernel(Kind::Single, kernels::rsqrt).rounded().source(from::ALL)
    .inexact()
    .applegpu("rsqrt{.sat} {dst}, {a}");

/// First step of the sine: folds an angle in quarter turns, 0 to 4, into -1 to 1.
Sinr "sinr" = row(0xa000000a, 0x03ff_f000_003f, extends(4, 6, 15))
    .operands(ops![alu_dst!(44), float_src!("a", 16, 42), flag!("sat", 6)])
    .cost(Unit::Ic, 3, 2).pure(pure!(float::sinr)).rounded().source(from::ALL)
    .inexact()
    .applegpu("sin_pt_1{.sat} {dst}, {a}");

/// Binary logarithm.
Log2 "log2" = row(0xc000000a, 0x03ff_f000_003f, extends(4, 6, 15))
    .operands(ops![alu_dst!(44), float_src!("a", 16, 42), flag!("sat", 6)])
    .cost(Unit::Ic, 5, 2).pure(pure!(float::log2)).rounded().source(from::ALL)
    .inexact()
    .applegpu("log2{.sat} {dst}, {a}");

/// Power of two.
Exp2 "exp2" = row(0xd000000a, 0x03ff_f000_003f, extends(4, 6, 15))
    .operands(ops![alu_dst!(44), float_src!("a", 16, 42), flag!("sat", 6)])
    .cost(Unit::Ic, 5, 2).pure(pure!(float::exp2)).rounded().source(from::ALL)
    .inexact()
    .applegpu("exp2{.sat} {dst}, {a}");

/// Second step of the sine: `sin(a quarter turns) / a`; the sine is `sinr(t) * sinc(sinr(t))`.
Sinc "sinc" = row(0xe000000a, 0x03ff_f000_003f, extends(4, 6, 15))
    .operands(ops![alu_dst!(44), float_src!("a", 16, 42), flag!("sat", 6)])
    .cost(Unit::Ic, 5, 2).pure(pure!(float::sinc)).rounded().source(from::ALL)
    .inexact()
    .applegpu("sin_pt_2{.sat} {dst}, {a}");

/// Rounds toward plus infinity.
Ceil "ceil" = row(0x10000000a, 0x03ff_f000_003f, extends(4, 6, 15))
    .operands(ops![alu_dst!(44), float_src!("a", 16, 42), flag!("sat", 6)])
    .pure(pure!(float::ceil)).kernel(Kind::Single, kernels::ceil).rounded().source(from::ALL)
    .applegpu("ceil{.sat} {dst}, {a}");

/// Rounds toward zero.
Trunc "trunc" = row(0x20000000a, 0x03ff_f000_003f, extends(4, 6, 15))
    .operands(ops![alu_dst!(44), float_src!("a", 16, 42), flag!("sat", 6)])
    .pure(pure!(float::trunc)).kernel(Kind::Single, kernels::trunc).rounded().source(from::ALL)
    .applegpu("trunc{.sat} {dst}, {a}");

/// Rounds to the nearest integer, ties to even.
Rint "rint" = row(0x30000000a, 0x03ff_f000_003f, extends(4, 6, 15))
    .operands(ops![alu_dst!(44), float_src!("a", 16, 42), flag!("sat", 6)])
    .pure(pure!(float::rint)).kernel(Kind::Single, kernels::rint).rounded().source(from::ALL)
    .applegpu("rint{.sat} {dst}, {a}");

}}}
