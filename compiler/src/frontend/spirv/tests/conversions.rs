//! Conversions between floats, against the library `half`.

use std::fmt::Write as _;

use agx_random::Random;
use half::{bf16, f16};

use super::*;

const TYPES: &str =
    "TypeInt %u16 16 0\nTypeInt %u64 64 0\nTypeFloat %f16 16\nTypeFloat %f64 64\nTypeFloat %bf16 16 0\n";

/// A float type: its name, that of the integer type of its width, and the width.
type Format = (&'static str, &'static str, u8);

const HALF: Format = ("f16", "u16", 16);
const BRAIN: Format = ("bf16", "u16", 16);
const SINGLE: Format = ("float", "uint", 32);
const DOUBLE: Format = ("f64", "u64", 64);

/// The bits of `values` converted from one format to another; `mode` is the number of a rounding mode.
fn converted(values: &[u64], from: Format, to: Format, mode: Option<u32>) -> Vec<u64> {
    let (mut declarations, mut body) = (TYPES.to_owned(), String::new());
    for at in 0..values.len() {
        let (low, high) = (2 * at, 2 * at + 1);
        if let Some(mode) = mode {
            writeln!(declarations, "Decorate %r{at} 39 {mode}").expect("a string");
        }
        write!(
            body,
            "AccessChain %ptr %p{low} %data #0 #{low}\nAccessChain %ptr %p{high} %data #0 #{high}
            Load %uint %low{at} %p{low}\nLoad %uint %high{at} %p{high}
            CompositeConstruct %uvec2 %pair{at} %low{at} %high{at}\nBitcast %u64 %wide{at} %pair{at}
            {} %{} %word{at} %wide{at}\nBitcast %{} %x{at} %word{at}
            FConvert %{} %r{at} %x{at}
            Bitcast %{} %i{at} %r{at}\n{} %u64 %long{at} %i{at}\nBitcast %uvec2 %out{at} %long{at}
            CompositeExtract %uint %l{at} %out{at} 0\nCompositeExtract %uint %h{at} %out{at} 1
            Store %p{low} %l{at}\nStore %p{high} %h{at}\n",
            if from.2 == 64 { "CopyObject" } else { "UConvert" },
            from.1,
            from.0,
            to.0,
            to.1,
            if to.2 == 64 { "CopyObject" } else { "UConvert" },
        )
        .expect("a string");
    }
    let words: Vec<u32> = values.iter().flat_map(|value| [*value as u32, (*value >> 32) as u32]).collect();
    let text = with_body(&declarations, &format!("{body}Return"));
    let result = run(&text, &words).unwrap_or_else(|error| panic!("{error}\n{text}"));
    result.as_chunks::<2>().0.iter().map(|[low, high]| u64::from(*low) | u64::from(*high) << 32).collect()
}

/// Bits of a format's numbers: special ones, and random ones of all magnitudes.
fn numbers(from: Format) -> Vec<u64> {
    let mut random = Random::new(7);
    let mut all: Vec<u64> = (0..64).map(|_| random.next_u64() >> (64 - from.2)).collect();
    let special =
        [0.0, -0.0, 1.0, -1.5, 65504.0, 65519.0, 65520.0, 3.4e38, -1e300, 1e-7, f64::INFINITY, f64::NAN];
    all.extend(special.iter().map(|number| match from {
        HALF => f16::from_f64(*number).to_bits().into(),
        BRAIN => bf16::from_f64(*number).to_bits().into(),
        SINGLE => u64::from((*number as f32).to_bits()),
        _ => number.to_bits(),
    }));
    // NaNs whose low bits alone, or whose bits all, are set.
    all.extend(match from {
        HALF => [0x7c01, 0xffff],
        BRAIN => [0x7f81, 0xffff],
        SINGLE => [0x7f80_0001, 0xffff_ffff],
        _ => [0x7ff0_0000_0000_0001, u64::MAX],
    });
    // Ties between two numbers of fewer bits, and their neighbours.
    let ties = [0x3f80_8000u32, 0x3f81_8000, 0x3f80_8001, 0x3f80_7fff, 0x3f80_1000, 0x3f80_3000, 0x7f7f_8000];
    if from == SINGLE {
        all.extend(ties.map(u64::from));
    }
    if from == DOUBLE {
        all.extend(ties.map(|tie| f64::from(f32::from_bits(tie)).to_bits()));
        // A number just above a tie of bfloat16 that rounds to the tie with 32 bits.
        all.push(f64::from(f32::from_bits(0x3f80_8000)).to_bits() + 1);
    }
    all
}

fn number(bits: u64, format: Format) -> f64 {
    match format {
        HALF => f16::from_bits(bits as u16).to_f64(),
        BRAIN => bf16::from_bits(bits as u16).to_f64(),
        SINGLE => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// The nearest number of the format: of two, the one whose last bit is zero.
fn nearest(x: f64, to: Format) -> u64 {
    match to {
        HALF => f16::from_f64(x).to_bits().into(),
        BRAIN => nearest_bfloat16(x),
        SINGLE => u64::from((x as f32).to_bits()),
        _ => x.to_bits(),
    }
}

/// The library considers only the upper half of a number of 64 bits.
fn nearest_bfloat16(x: f64) -> u64 {
    let single = x as f32;
    let truncated = single.to_bits() - u32::from(f64::from(single.abs()) > x.abs());
    let lower = u64::from(truncated >> 16);
    // Beyond the greatest finite number, the next power of two decides.
    let value = |bits: u64| if bits & 0x7fff == 0x7f80 { 2f64.powi(128) } else { number(bits, BRAIN).abs() };
    let (below, above) = (x.abs() - value(lower), value(lower + 1) - x.abs());
    match x.is_finite() {
        true => lower + u64::from(above < below || (above == below && lower % 2 == 1)),
        false => u64::from(single.to_bits() >> 16),
    }
}

/// Whether a number of 32 bits is a denormal, which the hardware may flush.
fn is_denormal(x: f64) -> bool {
    x != 0.0 && x.abs() < f64::from(f32::MIN_POSITIVE)
}

#[track_caller]
fn check_all(from: Format, to: Format, mode: Option<u32>, expected: impl Fn(f64) -> u64) {
    let values = numbers(from);
    for (bits, result) in values.iter().zip(converted(&values, from, to, mode)) {
        let (x, expected) = (number(*bits, from), expected(number(*bits, from)));
        let (y, wanted) = (number(result, to), number(expected, to));
        let flushed = is_denormal(x) || is_denormal(wanted);
        let fits =
            if x.is_nan() { y.is_nan() } else { result == expected || (flushed && is_denormal(y - x)) };
        assert!(
            fits,
            "{from:?} {bits:#x} ({x}) to {to:?}: {result:#x} ({y}), expected {expected:#x} ({wanted})"
        );
    }
}

const FORMATS: [Format; 4] = [HALF, BRAIN, SINGLE, DOUBLE];

#[test]
fn floats_of_all_encodings_are_rounded_to_nearest_even() {
    for from in FORMATS {
        for to in FORMATS.into_iter().filter(|to| *to != from) {
            check_all(from, to, None, |x| nearest(x, to));
            check_all(from, to, Some(0), |x| nearest(x, to));
        }
    }
}

#[test]
fn decorated_conversions_are_rounded_toward_zero() {
    for from in FORMATS {
        for to in FORMATS.into_iter().filter(|to| *to != from) {
            check_all(from, to, Some(1), |x| {
                let nearest = nearest(x, to);
                nearest - u64::from(number(nearest, to).abs() > x.abs())
            });
        }
    }
}

#[test]
fn every_bfloat16_number_is_the_upper_half_of_its_value() {
    for first in (0..=0xffff).step_by(0x1000) {
        let values: Vec<u64> = (first..first + 0x1000).step_by(67).collect();
        let expected: Vec<u64> = values.iter().map(|bits| bits << 16).collect();
        assert_eq!(converted(&values, BRAIN, SINGLE, None), expected);
    }
}

#[test]
fn bfloat16_numbers_are_stored_selected_and_part_of_vectors() {
    let declarations = "TypeFloat %bf16 16 0\nTypeVector %brains %bf16 2\nConstant %bf16 %half 16128\n";
    let body = "
        AccessChain %ptr %p %data #0 #0
        Load %uint %a %p
        Bitcast %brains %pair %a
        CompositeExtract %bf16 %x %pair 1
        IEqual %bool %zero %a #0
        Select %bf16 %y %zero %half %x
        CompositeConstruct %brains %both %y %half
        Bitcast %uint %word %both
        Store %p %word
        Return";
    check(declarations, body, &[0x4040_3f80], &[0x3f00_4040]);
    check(declarations, body, &[0], &[0x3f00_3f00]);
}
