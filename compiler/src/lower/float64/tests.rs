//! Compares every operation with the host's, on edge cases, near them, and on random numbers with similar
//! exponents.

use agx_random::Random;
use bumpalo::Bump;

use super::*;
use crate::lower::test_arithmetic::{Case, build, run};

const EDGES: &[f64] = &[
    0.0,
    1.0,
    2.0,
    0.5,
    1.5,
    f64::MIN_POSITIVE,
    f64::MAX,
    f64::INFINITY,
    f64::NAN,
    f64::EPSILON,
    4_503_599_627_370_496.0,
    9_007_199_254_740_993.0,
    9_223_372_036_854_775_807.0,
    18_446_744_073_709_551_615.0,
    2_147_483_648.0,
    65504.0,
    65520.0,
    5.960_464_477_539_063e-8,
    2.980_232_238_769_531_3e-8,
    1.175_494_350_822_287_5e-38,
    1.175_494_280_757_364_2e-38,
    3.402_823_669_209_385e38,
    0.49999999999999994,
    2.5,
    3.5,
];

fn double(random: &mut Random) -> u64 {
    let bits = match random.below(8) {
        0 => EDGES[random.below(EDGES.len())].to_bits(),
        1 => EDGES[random.below(EDGES.len())].to_bits().wrapping_add(random.next_u64() % 5).wrapping_sub(2),
        2 => random.next_u64(),
        // Denormals.
        3 => random.next_u64() >> (12 + random.below(52)),
        // Few digits, so that ties and exact results occur.
        4 => {
            (random.next_u64() << (30 + random.below(22)) & ((1 << 52) - 1))
                | (1000 + random.next_u64() % 60) << 52
        }
        5 => (random.next_u64() & ((1 << 52) - 1)) | (1 + random.next_u64() % 70) << 52,
        _ => (random.next_u64() & ((1 << 52) - 1)) | (1000 + random.next_u64() % 60) << 52,
    };
    bits ^ (random.next_u64() & 1) << 63
}

/// Compares bits; all NaNs are equal.
fn same(a: u64, b: u64, width: u8) -> bool {
    let is_nan = |bits: u64| match width {
        64 => f64::from_bits(bits).is_nan(),
        32 => f32::from_bits(bits as u32).is_nan(),
        16 => half::f16::from_bits(bits as u16).is_nan(),
        _ => false,
    };
    a == b || (is_nan(a) && is_nan(b))
}

fn check(case: &Case, float_result: bool, rounds: usize, input: impl Fn(&mut Random, usize) -> u64) {
    let bump = Bump::new();
    let mut f = build(&bump, case);
    lower_float64(&mut f).expect("lowers");
    let mut random = Random::new(5);
    for _ in 0..rounds {
        let inputs: Vec<u64> = (0..case.widths.len()).map(|index| input(&mut random, index)).collect();
        let (wanted, got) = (case.expected(&inputs), run(&f, &inputs));
        let width = if float_result { case.dst_width } else { 1 };
        assert!(
            same(wanted, got, width),
            "{:?} {:?} of {inputs:x?}: {got:#x}, not {wanted:#x}",
            case.op,
            case.mods
        );
    }
}

const ROUNDS: usize = 6_000;

#[test]
fn arithmetic_is_correctly_rounded() {
    for (op, arity) in [
        (IrOp::Fadd64, 2),
        (IrOp::Fmul64, 2),
        (IrOp::Fdiv, 2),
        (IrOp::Fsqrt, 1),
        (IrOp::Ffma64, 3),
        (IrOp::Fmin, 2),
        (IrOp::Fmax, 2),
        (IrOp::Fneg, 1),
        (IrOp::Fabs, 1),
    ] {
        check(&Case::new(op, 64, &vec![64; arity], &[]), true, ROUNDS, |random, _| double(random));
    }
}

/// Sums and fused sums of numbers that nearly cancel, and roots of squares.
#[test]
fn cancellation_is_exact() {
    let bump = Bump::new();
    let mut add = build(&bump, &Case::new(IrOp::Fadd64, 64, &[64, 64], &[]));
    let mut fma = build(&bump, &Case::new(IrOp::Ffma64, 64, &[64; 3], &[]));
    let mut root = build(&bump, &Case::new(IrOp::Fsqrt, 64, &[64], &[]));
    for f in [&mut add, &mut fma, &mut root] {
        lower_float64(f).expect("lowers");
    }
    let mut random = Random::new(8);
    for _ in 0..ROUNDS {
        let (a, b) = (f64::from_bits(double(&mut random)), f64::from_bits(double(&mut random)));
        let near = f64::from_bits(a.to_bits().wrapping_add(random.next_u64() % 9).wrapping_sub(4));
        let got = run(&add, &[a.to_bits(), (-near).to_bits()]);
        assert!(same(got, (a - near).to_bits(), 64), "{a:e} - {near:e}");
        let product = a * b;
        let near = f64::from_bits(product.to_bits().wrapping_add(random.next_u64() % 3).wrapping_sub(1));
        let got = run(&fma, &[a, b, -near].map(f64::to_bits));
        assert!(same(got, a.mul_add(b, -near).to_bits(), 64), "{a:e} * {b:e} - {near:e}");
        let square = a * a;
        let near = f64::from_bits(square.to_bits().wrapping_add(random.next_u64() % 3).wrapping_sub(1));
        assert!(same(run(&root, &[near.to_bits()]), near.sqrt().to_bits(), 64), "root of {near:e}");
    }
}

#[test]
fn comparisons_know_signs_and_nans() {
    for cond in [0, 1, 2, 3, 5, 6, 7] {
        for inverted in [0, 1] {
            let case = Case::new(IrOp::Fcmp, 1, &[64, 64], &[cond, inverted]);
            let previous = std::cell::Cell::new(0);
            check(&case, false, 2000, |random, index| {
                let fresh = double(random);
                let bits = if index == 1 && random.below(3) == 0 { previous.get() } else { fresh };
                previous.set(bits);
                bits
            });
        }
    }
}

#[test]
fn numbers_become_integral() {
    for round in 0..4 {
        check(&Case::new(IrOp::Fround64, 64, &[64], &[round]), true, ROUNDS, |random, _| double(random));
    }
}

#[test]
fn floats_convert() {
    for bits in [16, 32] {
        check(&Case::new(IrOp::Fconv, bits, &[64], &[]), true, ROUNDS, |random, _| {
            let bits = double(random);
            // Exponents of the narrow float, and those around them.
            if random.below(2) == 0 {
                bits & !(0x7ff << 52) | (860 + random.next_u64() % 300) << 52
            } else {
                bits
            }
        });
        check(&Case::new(IrOp::Fconv, 64, &[bits], &[]), true, ROUNDS, |random, _| {
            random.next_u64() & ((1 << bits) - 1)
        });
    }
}

#[test]
fn integers_convert() {
    for signed in [0, 1] {
        for (from, to) in [(64, 64), (64, 32), (64, 16), (32, 64), (16, 64), (8, 64)] {
            check(&Case::new(IrOp::IntToFloat, to, &[from], &[signed]), true, ROUNDS, |random, _| {
                let bits = random.next_u64() >> random.below(64);
                let bits = if random.below(2) == 0 { bits.wrapping_neg() } else { bits };
                let bits = bits << random.below(8);
                Src::imm(bits, from).payload
            });
        }
        for (from, to) in [(64, 64), (64, 32), (64, 16), (64, 8), (32, 64), (16, 64)] {
            in_range(from, to, signed);
        }
    }
}

/// Numbers within the range of an integer type, for conversions.
fn in_range(from: u8, to: u8, signed: u32) {
    let case = Case::new(IrOp::FloatToInt, to, &[from], &[signed]);
    check(&case, false, ROUNDS, |random, _| {
        let integer = random.next_u64() >> (64 - u32::from(to) + random.below(usize::from(to)) as u32);
        let number = if signed == 1 {
            ((integer >> 1) as f64) * if random.below(2) == 0 { 1.0 } else { -1.0 }
        } else {
            integer as f64
        };
        let number = if random.below(2) == 0 { number * 0.999 } else { number };
        let limit = 2f64.powi(i32::from(to) - signed as i32);
        let number = if number.abs() < limit { number } else { 0.0 };
        match from {
            64 => number.to_bits(),
            32 => {
                let number = number as f32;
                u64::from(if f64::from(number.abs()) < limit { number } else { 1.0 }.to_bits())
            }
            _ => u64::from(half::f16::from_f64(number.clamp(-60000.0, 60000.0)).to_bits()),
        }
    });
}
