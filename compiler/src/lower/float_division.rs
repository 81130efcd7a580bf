//! Division and square root of floats.
//!
//! * `a / b` is `a * rcp(b)`. The reciprocal is off by at most one unit in the last place (applegpu, from
//!   Metal's library code), so the quotient is within 2.5, as Vulkan and WGSL require for |b| from 2^-126 to
//!   2^126.
//! * `sqrt(a)` is `a * rsqrts(a)`, which is correct for 0 and infinity because `rsqrts` is 1 there (Mesa 25.0
//!   AGX compiler).
//! * If a function computes both `rsqrt(a)` and `sqrt(a)`, one `rsqrts(a)` serves both.
//! * 16-bit operands: the intermediate result has 32 bits, at no cost, and the product is rounded once more. `1 / a` is
//!   `rcp(a)`, and division by the root of `a` multiplies by `rsqrt(a)`.
//!
//! Before: stage source; no 64-bit float arithmetic. After: the same; no float division or square root.

use agx_isa::table::Opcode;

use crate::error::{BackEndError, CompileError};
use crate::ir::families::FLOAT_DIVISIONS;
use crate::ir::{Build, Function, InstData, IrOp, Op, Rewrite, Side, Src, Value};

/// The bits of 1 as a half float.
const ONE: u64 = 0x3c00;

/// Replaces `fdiv` and `fsqrt`.
///
/// # Errors
/// 64-bit floats are unsupported.
pub fn lower_float_division(f: &mut Function<'_>) -> Result<(), CompileError> {
    share_roots(f);
    FLOAT_DIVISIONS.try_map(f, |r, inst| {
        let data = r.f.insts[inst];
        let (function, argument) = match data.op {
            Op::Ir(IrOp::Fdiv) => (Opcode::Rcp, data.srcs[1]),
            Op::Ir(IrOp::Fsqrt) => (Opcode::Rsqrts, data.srcs[0]),
            _ => return Ok(Rewrite::Keep),
        };
        let width = r.f.width(argument);
        if width == 64 {
            return Err(BackEndError::Double { name: data.op.name() }.into());
        }
        let of_root = if function == Opcode::Rcp { squared(r.f, argument) } else { None };
        let (function, argument) = of_root.map_or((function, argument), |square| (Opcode::Rsqrt, square));
        if function != Opcode::Rsqrts && width == 16 && data.srcs[0] == Src::imm(ONE, 16) {
            return Ok(Rewrite::Forward(r.op(function, 16, &[argument])));
        }
        let factor = r.op(function, 32, &[argument]);
        Ok(Rewrite::Forward(match r.f.signed_zeros {
            // The hardware's product loses the sign of a zero.
            true => r.op(Opcode::Ffma, width, &[data.srcs[0], factor, Src::f32(-0.0)]),
            false => r.op(Opcode::Fmul, width, &[data.srcs[0], factor]),
        }))
    })
}

/// What a 16-bit number is the root of, if results need not be as written. The algebraic rules do this with 32-bit numbers, and not
/// with these, whose roots are products of different widths.
fn squared(f: &Function<'_>, root: Src) -> Option<Src> {
    if f.width(root) != 16 || !is_free(f) || f.has_exact {
        return None;
    }
    let [square, factor] = *f.def(root).filter(|data| data.op == Op::Hw(Opcode::Fmul))?.srcs else {
        return None;
    };
    let factor = f.def(factor).filter(|data| data.op == Op::Hw(Opcode::Rsqrts))?;
    (factor.srcs == [square]).then_some(square)
}

/// Whether the function allows results other than those of the operations as written.
fn is_free(f: &Function<'_>) -> bool {
    f.contract && !f.special_values
}

/// Replaces the reciprocal root of the operand of a square root by the same operation. They differ for 0,
/// where the source languages leave the reciprocal root undefined.
fn share_roots(f: &mut Function<'_>) {
    if !is_free(f) || !f.present.may_have_op(IrOp::Fsqrt) || !f.present.may_have_op(Opcode::Rsqrt) {
        return;
    }
    let mut has_root: Side<Value, bool> = Side::new(f.values.len());
    let mut reciprocal = Vec::new();
    for inst in f.blocks_in_order().flat_map(|block| &f.block(block).insts) {
        let data = &f.insts[*inst];
        match (data.op, data.srcs) {
            (Op::Ir(IrOp::Fsqrt), [src]) => {
                if let Some(value) = src.as_value() {
                    has_root[value] |= f.ty(value).bits == 32;
                }
            }
            (Op::Hw(Opcode::Rsqrt), [src]) if src.flags.is_empty() => reciprocal.push(*inst),
            _ => {}
        }
    }
    for inst in reciprocal {
        let data = f.insts[inst];
        if data.srcs[0].as_value().is_some_and(|value| has_root[value]) {
            f.set_inst(inst, InstData { op: Opcode::Rsqrts.into(), ..data });
        }
    }
}

#[cfg(test)]
mod tests {
    use agx_random::Random;
    use bumpalo::Bump;

    use super::*;
    use crate::lower::test_arithmetic::{Case, build, run};

    /// Distance of `got` from `exact` in units of the last place of a float with `digits` binary digits.
    fn ulps(got: f64, exact: f64, digits: i32) -> f64 {
        let unit = 2f64.powi(exact.abs().log2().floor() as i32 - digits + 1);
        (got - exact).abs() / unit
    }

    #[test]
    fn quotients_and_roots_are_within_the_bounds() {
        let bump = Bump::new();
        let mut random = Random::new(1);
        let mut divide = build(&bump, &Case::new(IrOp::Fdiv, 32, &[32, 32], &[]));
        let mut root = build(&bump, &Case::new(IrOp::Fsqrt, 32, &[32], &[]));
        lower_float_division(&mut divide).expect("lowers");
        lower_float_division(&mut root).expect("lowers");
        let float = |random: &mut Random| {
            f32::from_bits((random.next_u64() as u32 & 0x807f_ffff) | (64 + random.below(126) as u32) << 23)
        };
        for _ in 0..20_000 {
            let (a, b) = (float(&mut random), float(&mut random));
            let quotient = f32::from_bits(run(&divide, &[a.to_bits().into(), b.to_bits().into()]) as u32);
            let error = ulps(quotient.into(), f64::from(a) / f64::from(b), 24);
            assert!(error <= 2.5, "{a:e} / {b:e} gives {quotient:e}, off by {error}");
            let a = a.abs();
            let got = f32::from_bits(run(&root, &[a.to_bits().into()]) as u32);
            let error = ulps(got.into(), f64::from(a).sqrt(), 24);
            assert!(error <= 1.5, "the root of {a:e} gives {got:e}, off by {error}");
        }
        for special in [0.0, 1.0, 4.0, f32::INFINITY] {
            assert_eq!(f32::from_bits(run(&root, &[special.to_bits().into()]) as u32), special.sqrt());
        }
    }

    #[test]
    fn halves_are_nearly_correctly_rounded() {
        let bump = Bump::new();
        let mut random = Random::new(2);
        let mut divide = build(&bump, &Case::new(IrOp::Fdiv, 16, &[16, 16], &[]));
        lower_float_division(&mut divide).expect("lowers");
        let half = |random: &mut Random| {
            half::f16::from_bits((random.next_u64() as u16 & 0x83ff) | (8 + random.below(14) as u16) << 10)
        };
        for _ in 0..20_000 {
            let (a, b) = (half(&mut random), half(&mut random));
            let got = half::f16::from_bits(run(&divide, &[a.to_bits().into(), b.to_bits().into()]) as u16);
            let error = ulps(got.to_f64(), a.to_f64() / b.to_f64(), 11);
            assert!(error <= 0.51 || got.to_f64().abs() < 7e-5, "{a} / {b} gives {got}, off by {error}");
        }
    }
}
