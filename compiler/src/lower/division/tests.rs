//! Compares division with its semantics, and tests the error bound of the estimate with reciprocals worse
//! than the hardware's.

use agx_random::Random;

use super::constant::{Reciprocal, reciprocal, signed_reciprocal};
use super::*;
use crate::ir::InstData;
use crate::lower::test_arithmetic::{Case, check_where, integer};
use crate::lower::{lower_int8, lower_int64, lower_multiply_high};

const OPS: [IrOp; 5] = [IrOp::Udiv, IrOp::Umod, IrOp::Sdiv, IrOp::Srem, IrOp::Smod];

fn is_lowered(_: &Function<'_>, data: &InstData<'_>) -> bool {
    !OPS.iter().any(|op| data.op == Op::Ir(*op))
}

/// Whether the result is defined: division by zero and the one signed overflow are undefined.
fn is_defined(op: IrOp, width: u8, inputs: &[u64]) -> bool {
    let lowest = 1 << (width - 1);
    let overflows = inputs[0] == lowest && inputs[1] == Src::imm(u64::MAX, width).payload;
    inputs[1] != 0 && !(overflows && matches!(op, IrOp::Sdiv | IrOp::Srem | IrOp::Smod))
}

#[test]
fn by_variables() {
    for op in OPS {
        for width in [8, 16, 32] {
            let case = Case::new(op, width, &[width, width], &[]);
            let passes: &[fn(&mut Function<'_>) -> _] = &[lower_int8, lower_division];
            check_where(&case, passes, is_lowered, |inputs| is_defined(op, width, inputs));
        }
    }
}

/// Divides as by a divisor that is the same for all invocations.
fn lower_by_uniform(f: &mut Function<'_>) -> Result<(), CompileError> {
    f.map_insts(|r, inst| {
        let data = r.f.insts[inst];
        match Kind::of(data.op) {
            Some(kind) => {
                Rewrite::Forward(divide(r, Kind { is_by_uniform: true, ..kind }, data.srcs[0], data.srcs[1]))
            }
            None => Rewrite::Keep,
        }
    });
    Ok(())
}

#[test]
fn by_uniforms() {
    for op in OPS {
        let case = Case::new(op, 32, &[32, 32], &[]);
        check_where(&case, &[lower_by_uniform], is_lowered, |inputs| is_defined(op, 32, inputs));
    }
}

#[test]
fn by_constants() {
    let mut random = Random::new(3);
    for op in OPS {
        for width in [8, 16, 32] {
            for _ in 0..60 {
                let divisor = integer(&mut random, width);
                let case = Case::new(op, width, &[width, width], &[]).with_constant(1, divisor);
                let passes: &[fn(&mut Function<'_>) -> _] = &[lower_int8, lower_division];
                check_where(&case, passes, is_lowered, |inputs| is_defined(op, width, inputs));
            }
        }
    }
}

#[test]
fn of_64_bits() {
    let passes: &[fn(&mut Function<'_>) -> _] = &[lower_division, lower_multiply_high, lower_int64];
    for op in OPS {
        let case = Case::new(op, 64, &[64, 64], &[]);
        check_where(&case, passes, is_lowered, |inputs| is_defined(op, 64, inputs));
        for divisor in [3, 10, 0xffff_ffff, 0x1234_5678_9abc, u64::MAX - 4] {
            let case = Case::new(op, 64, &[64, 64], &[]).with_constant(1, divisor);
            check_where(&case, passes, is_lowered, |inputs| is_defined(op, 64, inputs));
        }
        for log2 in [0, 1, 5, 31, 32, 47] {
            let case = Case::new(op, 64, &[64, 64], &[]).with_constant(1, 1 << log2);
            check_where(&case, &[lower_division, lower_int64], is_lowered, |_| true);
        }
    }
}

#[test]
fn sixteen_bit_reciprocals_are_exact_for_every_dividend() {
    for divisor in
        (3..1 << 16).step_by(251).chain([3, 5, 6, 7, 9, 641, 65535]).filter(|d: &u64| !d.is_power_of_two())
    {
        let Reciprocal { multiplier, added, shift } = reciprocal(divisor, 16);
        for dividend in 0..1u64 << 16 {
            let product = dividend * multiplier + if added { multiplier } else { 0 };
            assert_eq!(product >> (16 + shift), dividend / divisor, "{dividend} / {divisor}");
        }
    }
}

#[test]
fn signed_multipliers_fit_a_word() {
    let mut random = Random::new(5);
    for _ in 0..20_000 {
        let magnitude = integer(&mut random, 31).max(3);
        let (multiplier, shift) = signed_reciprocal(magnitude);
        assert!(multiplier >> 32 == 0 && shift < 32, "{magnitude}");
    }
}

/// The algorithm of [`unsigned`] with a reciprocal that is off by `ulps` units in the last place.
fn quotient_with_error(a: u32, b: u32, ulps: i32, by_uniform: bool) -> u32 {
    let reciprocal = f32::from_bits((1.0 / b as f32).to_bits().wrapping_add_signed(ulps));
    let high = |a: u32, b: u32| ((u64::from(a) * u64::from(b)) >> 32) as u32;
    let mut estimate = (reciprocal * (TWO_32 * BELOW_ONE)) as u32;
    estimate = estimate.wrapping_add(high(estimate, estimate.wrapping_mul(b.wrapping_neg())));
    if by_uniform && !estimate.wrapping_mul(b) >= b {
        estimate += 1;
    }
    let mut quotient = high(a, estimate);
    let mut rest = a.wrapping_sub(quotient.wrapping_mul(b));
    for _ in 0..if by_uniform { 1 } else { 2 } {
        if rest >= b {
            quotient = quotient.wrapping_add(1);
            rest -= b;
        }
    }
    quotient
}

#[test]
fn the_estimate_survives_a_reciprocal_off_by_one_unit() {
    let mut random = Random::new(9);
    for _ in 0..400_000 {
        let a = integer(&mut random, 32) as u32;
        let b = (integer(&mut random, 32) as u32).max(1);
        // Just below a multiple of the divisor.
        let near = (a / b).saturating_mul(b).wrapping_sub(1);
        for (a, ulps) in [a, near, u32::MAX].into_iter().flat_map(|a| [-1, 0, 1].map(|ulps| (a, ulps))) {
            for by_uniform in [false, true] {
                let quotient = quotient_with_error(a, b, ulps, by_uniform);
                assert_eq!(quotient, a / b, "{a} / {b}, reciprocal off by {ulps}, uniform: {by_uniform}");
            }
        }
    }
}
