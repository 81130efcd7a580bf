//! Doubles through the whole compiler: a shader with every operation, compared with the host's arithmetic.

use agx_compiler::{CompileKey, Input};
use agx_tests::driver::{compile, launch, storage_buffer};
use agx_tests::tools::Tools;

const SOURCE: &str = include_str!("float64/operations.comp");

const LANES: usize = 64;
const RESULTS: usize = 16;
const INTEGERS: usize = 6;

/// Numbers whose conversions to integers are in range.
const EDGES: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    2.5,
    0.5,
    -0.49999999999999994,
    f64::MIN_POSITIVE,
    5e-324,
    -2.225_073_858_507_201e-308,
    1.0e-40,
    2_147_483_647.0,
    -2_147_483_648.0,
    65504.0,
    0.1,
    -123_456_789.123_456_79,
];

fn numbers() -> Vec<f64> {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 11
    };
    (0..3 * LANES)
        .map(|_| match next() % 3 {
            0 => EDGES[(next() % 16) as usize],
            _ => f64::from_bits((next() & ((1 << 52) - 1)) | (1000 + next() % 53) << 52 | (next() & 1) << 63),
        })
        .collect()
}

fn expected(a: f64, b: f64, c: f64) -> ([f64; RESULTS], [i64; INTEGERS]) {
    let narrow = a as f32;
    let narrow = if narrow.is_subnormal() { 0f32.copysign(narrow) } else { narrow };
    let least = if b < a { b } else { a };
    let largest = if a < b { b } else { a };
    let floats = [
        a + b,
        a - b,
        a * b,
        a / b,
        a.mul_add(b, c),
        a.sqrt(),
        a.floor(),
        a.ceil(),
        a.trunc(),
        a.round_ties_even(),
        least,
        largest,
        a.abs(),
        if a < b { -c } else { c },
        f64::from(narrow),
        a,
    ];
    let order = [a == b, a < b, a <= b, a > b, a >= b, a != b];
    let order = order.iter().enumerate().map(|(bit, truth)| i64::from(*truth) << bit).sum();
    let exponent = if a == 0.0 { 0 } else { exponent(a.abs()) };
    (floats, [a as i64, i64::from(a as i32), a.abs() as u64 as i64, order, exponent, 3])
}

/// The exponent of the smallest power of two above a positive number.
fn exponent(a: f64) -> i64 {
    let (a, shift) = if a < f64::MIN_POSITIVE { (a * 2f64.powi(60), 60) } else { (a, 0) };
    (a.to_bits() >> 52) as i64 - 1022 - shift
}

#[test]
fn doubles_are_as_on_the_host() {
    let tools = Tools::find(std::env::temp_dir().join("agx-tests-float64"));
    let Some(module) = tools.glsl_or_skip(SOURCE, "comp", "vulkan1.3") else { return };
    let mut key = CompileKey::default();
    key.validate = true;
    let shader = compile(Input::spirv(&module), &key).expect("compiles");
    let numbers = numbers();
    let input = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut buffers = [
        storage_buffer(0, 0, input, false),
        storage_buffer(0, 1, vec![0; LANES * RESULTS * 8], true),
        storage_buffer(0, 2, vec![0; LANES * INTEGERS * 8], true),
    ];
    launch(&shader, &mut buffers, &[], [LANES as u32 / 32, 1, 1], 0).expect("runs");
    let quads = |bytes: &[u8]| -> Vec<u64> {
        bytes.chunks_exact(8).map(|quad| u64::from_le_bytes(quad.try_into().expect("eight bytes"))).collect()
    };
    let (floats, integers) = (quads(&buffers[1].bytes), quads(&buffers[2].bytes));
    for (lane, triple) in numbers.chunks_exact(3).enumerate() {
        let (wanted, wanted_integers) = expected(triple[0], triple[1], triple[2]);
        for (index, wanted) in wanted.into_iter().enumerate() {
            let got = f64::from_bits(floats[lane * RESULTS + index]);
            let same = got.to_bits() == wanted.to_bits() || (got.is_nan() && wanted.is_nan());
            assert!(same, "result {index} of {triple:?}: {got:e}, not {wanted:e}");
        }
        let got = &integers[lane * INTEGERS..][..INTEGERS];
        let wanted: Vec<u64> = wanted_integers.iter().map(|integer| *integer as u64).collect();
        assert_eq!(got, wanted, "integers of {triple:?}");
    }
}
