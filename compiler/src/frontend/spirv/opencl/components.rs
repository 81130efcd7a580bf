//! The component-wise instructions of OpenCL.std, and the dispatch of the others.

use super::super::arith::count;
use super::super::glsl_math as fast;
use super::super::kernel::{has_floats, wrong};
use super::super::module::Def;
use super::super::owners::Memory;
use super::super::types::Ty;
use super::super::values::Values;
use super::super::words::Inst;
use super::integers;
use super::math::{arcs, bits, exponential, gamma, powers, remainder, trigonometry};
use super::shaped;
use crate::error::{CompileError, KernelError};
use crate::frontend::kit::Kit;
use crate::ir::build::alu::{FloatCond, IntCond, float};
use crate::ir::src::Src;
use crate::ir::{Arithmetic, FloatMode};

/// The operands of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Domain {
    /// Floats, computed in 32 bits.
    Single,
    /// Floats of any width.
    Float,
    /// Integers of any width.
    Int,
    /// Numbers of any kind.
    Any,
}

/// Builds a component.
type Build = for<'k, 'f, 'a> fn(&'k mut Kit<'f, 'a>, &[Src]) -> Src;

/// A component-wise instruction.
struct Row {
    number: u32,
    name: &'static str,
    domain: Domain,
    arity: usize,
    build: Build,
}

macro_rules! rows {
    ($($number:literal $name:literal $domain:ident |$k:ident, [$($arg:ident),*]| $body:expr;)*) => {
        /// The component-wise instructions, by number.
        static ROWS: &[Row] = &[$(Row {
            number: $number,
            name: $name,
            domain: Domain::$domain,
            arity: [$(stringify!($arg)),*].len(),
            build: |$k, args| {
                let &[$($arg),*] = args else { return Src::imm32(0) };
                $body
            },
        }),*];
    };
}

rows! {
    0 "acos" Single |k, [x]| arcs::acos(&mut k.b, x);
    1 "acosh" Single |k, [x]| exponential::acosh(&mut k.b, x);
    2 "acospi" Single |k, [x]| { let angle = arcs::acos(&mut k.b, x); arcs::half_turns(&mut k.b, angle) };
    3 "asin" Single |k, [x]| arcs::asin(&mut k.b, x);
    4 "asinh" Single |k, [x]| exponential::asinh(&mut k.b, x);
    5 "asinpi" Single |k, [x]| { let angle = arcs::asin(&mut k.b, x); arcs::half_turns(&mut k.b, angle) };
    6 "atan" Single |k, [x]| arcs::atan(&mut k.b, x);
    7 "atan2" Single |k, [y, x]| arcs::atan2(&mut k.b, y, x);
    8 "atanh" Single |k, [x]| exponential::atanh(&mut k.b, x);
    9 "atanpi" Single |k, [x]| { let angle = arcs::atan(&mut k.b, x); arcs::half_turns(&mut k.b, angle) };
    10 "atan2pi" Single |k, [y, x]| { let angle = arcs::atan2(&mut k.b, y, x); arcs::half_turns(&mut k.b, angle) };
    11 "cbrt" Single |k, [x]| powers::cbrt(&mut k.b, x);
    12 "ceil" Float |k, [x]| k.b.ceil(x);
    13 "copysign" Float |k, [x, y]| bits::copysign(&mut k.b, x, y);
    14 "cos" Single |k, [x]| trigonometry::cos(k, x);
    15 "cosh" Single |k, [x]| exponential::cosh(&mut k.b, x);
    16 "cospi" Single |k, [x]| trigonometry::cospi(&mut k.b, x);
    17 "erfc" Single |k, [x]| gamma::erfc(&mut k.b, x);
    18 "erf" Single |k, [x]| gamma::erf(&mut k.b, x);
    19 "exp" Single |k, [x]| exponential::exp(&mut k.b, x);
    20 "exp2" Single |k, [x]| exponential::exp2(&mut k.b, x);
    21 "exp10" Single |k, [x]| exponential::exp10(&mut k.b, x);
    22 "expm1" Single |k, [x]| exponential::expm1(&mut k.b, x);
    23 "fabs" Float |k, [x]| k.b.fabs(x);
    24 "fdim" Float |k, [x, y]| bits::fdim(&mut k.b, x, y);
    25 "floor" Float |k, [x]| k.b.floor(x);
    26 "fma" Float |k, [x, y, z]| k.b.ffma(x, y, z);
    27 "fmax" Float |k, [x, y]| k.b.fmax(x, y);
    28 "fmin" Float |k, [x, y]| k.b.fmin(x, y);
    29 "fmod" Single |k, [x, y]| remainder::fmod(k, x, y);
    32 "hypot" Single |k, [x, y]| powers::hypot(&mut k.b, x, y);
    33 "ilogb" Single |k, [x]| bits::ilogb(&mut k.b, x);
    34 "ldexp" Float |k, [x, n]| fast::ldexp(&mut k.b, x, n);
    35 "lgamma" Single |k, [x]| gamma::lgamma(&mut k.b, x).0;
    37 "log" Single |k, [x]| exponential::log(&mut k.b, x);
    38 "log2" Single |k, [x]| exponential::log2(&mut k.b, x);
    39 "log10" Single |k, [x]| exponential::log10(&mut k.b, x);
    40 "log1p" Single |k, [x]| exponential::log1p(&mut k.b, x);
    41 "logb" Single |k, [x]| bits::logb(&mut k.b, x);
    42 "mad" Float |k, [x, y, z]| k.b.ffma(x, y, z);
    43 "maxmag" Float |k, [x, y]| bits::by_magnitude(&mut k.b, x, y, true);
    44 "minmag" Float |k, [x, y]| bits::by_magnitude(&mut k.b, x, y, false);
    46 "nan" Int |k, [x]| bits::nan(&mut k.b, x);
    47 "nextafter" Float |k, [x, y]| bits::nextafter(&mut k.b, x, y);
    48 "pow" Single |k, [x, y]| powers::pow(&mut k.b, x, y);
    49 "pown" Single |k, [x, n]| powers::pown(&mut k.b, x, n);
    50 "powr" Single |k, [x, y]| powers::powr(&mut k.b, x, y);
    51 "remainder" Single |k, [x, y]| remainder::remainder(k, x, y);
    53 "rint" Float |k, [x]| k.b.rint(x);
    54 "rootn" Single |k, [x, n]| powers::rootn(&mut k.b, x, n);
    55 "round" Float |k, [x]| bits::round(&mut k.b, x);
    56 "rsqrt" Float |k, [x]| k.b.rsqrt(x);
    57 "sin" Single |k, [x]| trigonometry::sin(k, x);
    59 "sinh" Single |k, [x]| exponential::sinh(&mut k.b, x);
    60 "sinpi" Single |k, [x]| trigonometry::sinpi(&mut k.b, x);
    61 "sqrt" Float |k, [x]| k.b.fsqrt(x);
    62 "tan" Single |k, [x]| trigonometry::tan(k, x);
    63 "tanh" Single |k, [x]| exponential::tanh(&mut k.b, x);
    64 "tanpi" Single |k, [x]| trigonometry::tanpi(&mut k.b, x);
    65 "tgamma" Single |k, [x]| gamma::tgamma(&mut k.b, x);
    66 "trunc" Float |k, [x]| k.b.trunc(x);
    67 "half_cos" Single |k, [x]| k.b.fcos(x);
    68 "half_divide" Single |k, [x, y]| k.b.fdiv(x, y);
    69 "half_exp" Single |k, [x]| fast::exp(&mut k.b, x);
    70 "half_exp2" Single |k, [x]| k.b.exp2(x);
    71 "half_exp10" Single |k, [x]| fast_exp10(k, x);
    72 "half_log" Single |k, [x]| fast::log(&mut k.b, x);
    73 "half_log2" Single |k, [x]| k.b.log2(x);
    74 "half_log10" Single |k, [x]| fast_log10(k, x);
    75 "half_powr" Single |k, [x, y]| fast::pow(&mut k.b, x, y);
    76 "half_recip" Single |k, [x]| k.b.fdiv(Src::f32(1.0), x);
    77 "half_rsqrt" Single |k, [x]| k.b.rsqrt(x);
    78 "half_sin" Single |k, [x]| k.b.fsin(x);
    79 "half_sqrt" Single |k, [x]| k.b.fsqrt(x);
    80 "half_tan" Single |k, [x]| trigonometry::tan(k, x);
    81 "native_cos" Single |k, [x]| k.b.fcos(x);
    82 "native_divide" Single |k, [x, y]| k.b.fdiv(x, y);
    83 "native_exp" Single |k, [x]| fast::exp(&mut k.b, x);
    84 "native_exp2" Single |k, [x]| k.b.exp2(x);
    85 "native_exp10" Single |k, [x]| fast_exp10(k, x);
    86 "native_log" Single |k, [x]| fast::log(&mut k.b, x);
    87 "native_log2" Single |k, [x]| k.b.log2(x);
    88 "native_log10" Single |k, [x]| fast_log10(k, x);
    89 "native_powr" Single |k, [x, y]| fast::pow(&mut k.b, x, y);
    90 "native_recip" Single |k, [x]| k.b.fdiv(Src::f32(1.0), x);
    91 "native_rsqrt" Single |k, [x]| k.b.rsqrt(x);
    92 "native_sin" Single |k, [x]| k.b.fsin(x);
    93 "native_sqrt" Single |k, [x]| k.b.fsqrt(x);
    94 "native_tan" Single |k, [x]| fast::tan(&mut k.b, x);
    95 "fclamp" Float |k, [x, low, high]| { let x = k.b.fmax(x, low); k.b.fmin(x, high) };
    96 "degrees" Float |k, [x]| { let w = k.b.f.width(x); k.b.fmul(x, float(180.0 / std::f64::consts::PI, w)) };
    97 "fmax_common" Float |k, [x, y]| k.b.fmax(x, y);
    98 "fmin_common" Float |k, [x, y]| k.b.fmin(x, y);
    99 "mix" Float |k, [x, y, a]| { let span = k.b.fsub(y, x); k.b.ffma(span, a, x) };
    100 "radians" Float |k, [x]| { let w = k.b.f.width(x); k.b.fmul(x, float(std::f64::consts::PI / 180.0, w)) };
    101 "step" Float |k, [edge, x]| {
        let w = k.b.f.width(x);
        let is_below = k.b.fcmp(FloatCond::LT, x, edge);
        k.b.select(is_below, float(0.0, w), float(1.0, w))
    };
    102 "smoothstep" Float |k, [low, high, x]| fast::smooth_step(&mut k.b, low, high, x);
    103 "sign" Float |k, [x]| fast::sign(&mut k.b, x);
    141 "s_abs" Int |k, [x]| { let negated = k.b.ineg(x); k.b.imax(x, negated) };
    142 "s_abs_diff" Int |k, [x, y]| { let (low, high) = (k.b.imin(x, y), k.b.imax(x, y)); k.b.isub(high, low) };
    143 "s_add_sat" Int |k, [x, y]| integers::add_signed(&mut k.b, x, y);
    144 "u_add_sat" Int |k, [x, y]| integers::add_unsigned(&mut k.b, x, y);
    145 "s_hadd" Int |k, [x, y]| integers::half_sum(&mut k.b, x, y, true);
    146 "u_hadd" Int |k, [x, y]| integers::half_sum(&mut k.b, x, y, false);
    147 "s_rhadd" Int |k, [x, y]| integers::rounded_half_sum(&mut k.b, x, y, true);
    148 "u_rhadd" Int |k, [x, y]| integers::rounded_half_sum(&mut k.b, x, y, false);
    149 "s_clamp" Int |k, [x, low, high]| { let x = k.b.imax(x, low); k.b.imin(x, high) };
    150 "u_clamp" Int |k, [x, low, high]| { let x = k.b.umax(x, low); k.b.umin(x, high) };
    151 "clz" Int |k, [x]| integers::leading_zeros(&mut k.b, x);
    152 "ctz" Int |k, [x]| integers::trailing_zeros(&mut k.b, x);
    153 "s_mad_hi" Int |k, [x, y, z]| { let high = integers::high_product(&mut k.b, x, y, true); k.b.iadd(high, z) };
    154 "u_mad_sat" Int |k, [x, y, z]| integers::multiply_add(&mut k.b, [x, y, z], false);
    155 "s_mad_sat" Int |k, [x, y, z]| integers::multiply_add(&mut k.b, [x, y, z], true);
    156 "s_max" Int |k, [x, y]| k.b.imax(x, y);
    157 "u_max" Int |k, [x, y]| k.b.umax(x, y);
    158 "s_min" Int |k, [x, y]| k.b.imin(x, y);
    159 "u_min" Int |k, [x, y]| k.b.umin(x, y);
    160 "s_mul_hi" Int |k, [x, y]| integers::high_product(&mut k.b, x, y, true);
    161 "rotate" Int |k, [x, n]| integers::rotate(&mut k.b, x, n);
    162 "s_sub_sat" Int |k, [x, y]| integers::subtract_signed(&mut k.b, x, y);
    163 "u_sub_sat" Int |k, [x, y]| integers::subtract_unsigned(&mut k.b, x, y);
    164 "u_upsample" Int |k, [high, low]| integers::upsample(&mut k.b, high, low);
    165 "s_upsample" Int |k, [high, low]| integers::upsample(&mut k.b, high, low);
    166 "popcount" Int |k, [x]| { let w = k.b.f.width(x); count(&mut k.b, x, w) };
    167 "s_mad24" Int |k, [x, y, z]| { let product = k.b.imul(x, y); k.b.iadd(product, z) };
    168 "u_mad24" Int |k, [x, y, z]| { let product = k.b.imul(x, y); k.b.iadd(product, z) };
    169 "s_mul24" Int |k, [x, y]| k.b.imul(x, y);
    170 "u_mul24" Int |k, [x, y]| k.b.imul(x, y);
    186 "bitselect" Any |k, [x, y, mask]| {
        let others = k.b.not(mask);
        let (of_x, of_y) = (k.b.and(x, others), k.b.and(y, mask));
        k.b.or(of_x, of_y)
    };
    187 "select" Any |k, [x, y, condition]| {
        let zero = Src::imm(0, k.b.f.width(condition));
        let is_y = k.b.icmp(IntCond::NE, condition, zero);
        k.b.select(is_y, y, x)
    };
    201 "u_abs" Int |k, [x]| k.b.uconv(x, k.b.f.width(x));
    202 "u_abs_diff" Int |k, [x, y]| { let (low, high) = (k.b.umin(x, y), k.b.umax(x, y)); k.b.isub(high, low) };
    203 "u_mul_hi" Int |k, [x, y]| integers::high_product(&mut k.b, x, y, false);
    204 "u_mad_hi" Int |k, [x, y, z]| { let high = integers::high_product(&mut k.b, x, y, false); k.b.iadd(high, z) };
}

/// 10ˣ by the hardware's power of two.
fn fast_exp10(k: &mut Kit<'_, '_>, x: Src) -> Src {
    let scaled = k.b.fmul(x, Src::f32(std::f32::consts::LOG2_10));
    k.b.exp2(scaled)
}

/// The decimal logarithm by the hardware's binary one.
fn fast_log10(k: &mut Kit<'_, '_>, x: Src) -> Src {
    let binary = k.b.log2(x);
    k.b.fmul(binary, Src::f32(std::f32::consts::LOG10_2))
}

/// An instruction of the set.
pub(in super::super) fn extended<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let number = inst.word(3)?;
    let found = ROWS.binary_search_by_key(&number, |row| row.number);
    match found.ok().and_then(|at| ROWS.get(at)) {
        Some(row) => {
            let ty = v.eval().ty(inst.word(0)?)?;
            let leaves = components(v, row, ty, inst)?;
            let leaves = v.bump.alloc_slice_copy(&leaves);
            let leaves = v.eval().checked(ty, leaves)?;
            v.define(inst.word(1)?, Def::Value(ty, leaves))
        }
        None => shaped::extended(m, v, inst, number),
    }
}

/// The components of a row's result.
fn components<'a>(
    v: &mut Values<'_, 'a>,
    row: &Row,
    ty: Ty,
    inst: &Inst<'a>,
) -> Result<Vec<Src>, CompileError> {
    let widths = v.types.leaves(ty)?;
    let mut operands = Vec::with_capacity(row.arity);
    for index in 0..row.arity {
        let (operand, leaves) = v.eval().value(inst.word(index.saturating_add(4))?)?;
        let is_float = has_floats(v, operand)?;
        check(v, row, (index, is_float), leaves)?;
        if leaves.len() != widths.len() {
            return Err(wrong("as many components as the result has"));
        }
        operands.push((is_float, leaves));
    }
    check_widths(v, row, &operands)?;
    let is_float = has_floats(v, ty)?;
    if is_float != (row.domain != Domain::Int && row.number != 33 || row.number == 46)
        && row.domain != Domain::Any
    {
        return Err(wrong("a result of the type of the operands"));
    }
    let mode = v.kit.b.mode;
    v.kit.b.mode = FloatMode { separate: row.domain == Domain::Single || mode.separate, ..mode };
    let mut result = Vec::with_capacity(widths.len());
    for (component, bits) in widths.iter().enumerate() {
        let mut args = Vec::with_capacity(row.arity);
        for (is_float, leaves) in &operands {
            let leaf = leaves.get(component).copied().unwrap_or(Src::imm32(0));
            args.push(match (row.domain, is_float) {
                (Domain::Single, true) => v.kit.b.fconv(leaf, 32),
                (Domain::Single, false) => v.kit.b.sconv(leaf, 32),
                _ => leaf,
            });
        }
        if row.name == "select" && widths.len() > 1 {
            // Vectors are chosen from by the highest bits.
            if let Some(condition) = args.last_mut() {
                let bits = v.kit.b.f.width(*condition);
                *condition = v.kit.b.sshr(*condition, Src::imm32(u32::from(bits).saturating_sub(1)));
            }
        }
        let value = (row.build)(&mut v.kit, &args);
        result.push(if is_float && row.domain == Domain::Single {
            v.kit.b.fconv(value, *bits)
        } else {
            value
        });
    }
    v.kit.b.mode = mode;
    Ok(result)
}

/// Checks an operand against the domain of a row. Exponents and degrees are integers.
fn check(
    v: &Values<'_, '_>,
    row: &Row,
    (index, is_float): (usize, bool),
    leaves: &[Src],
) -> Result<(), CompileError> {
    let takes_integer = index == 1 && matches!(row.name, "ldexp" | "pown" | "rootn");
    let is_wide = leaves.iter().any(|leaf| v.kit.b.f.width(*leaf) == 64);
    match row.domain {
        Domain::Single if is_wide && is_float => {
            Err(KernelError::Extended { name: row.name.to_owned(), what: " for floats of 64 bits" }.into())
        }
        Domain::Single | Domain::Float if is_float == takes_integer => {
            Err(wrong(if takes_integer { "integers" } else { "floats" }))
        }
        Domain::Int if is_float => Err(wrong("integers")),
        _ if leaves.iter().any(|leaf| v.kit.b.f.width(*leaf) == 1) => Err(wrong("numbers")),
        _ => Ok(()),
    }
}

/// Checks that all operands of a row have the same width, except exponents and degrees.
fn check_widths(v: &Values<'_, '_>, row: &Row, operands: &[(bool, &[Src])]) -> Result<(), CompileError> {
    let width = |(_, leaves): &(bool, &[Src])| leaves.first().map(|leaf| v.kit.b.f.width(*leaf));
    let same = operands.windows(2).all(|pair| match pair {
        [first, second] => {
            width(first) == width(second) || (first.0 != second.0 && row.domain != Domain::Any)
        }
        _ => true,
    });
    if same { Ok(()) } else { Err(wrong("operands of one width")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_ascend_and_names_are_known() {
        assert!(ROWS.windows(2).all(|pair| pair[0].number < pair[1].number));
        assert!(ROWS.iter().all(|row| !row.name.is_empty() && row.arity > 0));
    }
}
