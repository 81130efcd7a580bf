//! Operations decorated `RelaxedPrecision` stay within 2^-10 of the result without the decoration, for numbers in the
//! guaranteed range. Operations that can round give halves.

use rayon::prelude::*;

use super::demand::Format;
use super::module::{Call, GROUP};
use super::rows::{ROWS, Row};
use super::{call, run, samples};

/// Vulkan's allowance in addition to the operation's own error, relative to the result.
const PRECISION: f64 = 1.0 / 1024.0;

/// Magnitudes for which this precision is guaranteed, besides zero.
const RANGE: std::ops::Range<f64> = 6.103_515_625e-5..16384.0;

/// Operations whose result a single instruction rounds.
const ROUNDED: &[&str] =
    &["FAdd", "FSub", "FMul", "FDiv", "Floor", "Exp2", "Log2", "InverseSqrt", "Fma", "Dot"];

fn is_in_range(x: f64) -> bool {
    x == 0.0 || RANGE.contains(&x.abs())
}

/// The errors in the results of a row.
fn check(row: &Row) -> Vec<String> {
    let call = Call { relaxed: true, ..call(row, 32) };
    let (source, format) = (Format { bits: call.source_bits }, Format { bits: 32 });
    let is_wanted = |operands: &[f64]| {
        let exact = (row.exact)(operands).high;
        (row.domain)(source, operands) && operands.iter().all(|x| is_in_range(*x)) && is_in_range(exact)
    };
    let samples = samples::samples(source, call.floats(), GROUP, is_wanted);
    let count = samples.len() / call.floats();
    let results = run(&call, samples::bytes(&samples, source), count);
    let mut complaints = Vec::new();
    for (operands, fourfold) in samples.chunks_exact(call.floats()).zip(results) {
        let (exact, got) = ((row.exact)(operands), fourfold / 4.0);
        let allowed = exact.high.abs() * PRECISION + (row.allowed)(format, operands, exact.high);
        let error = exact.distance_from(got).abs();
        if allowed.is_finite() && (error > allowed || error.is_nan()) {
            complaints.push(format!("{} {operands:?} gives {got:e}, not {:e}", row.name, exact.high));
        }
        let is_half = half::f16::from_f64(got).to_f64() == got;
        if ROUNDED.contains(&row.name) && !is_half {
            complaints.push(format!("{} {operands:?} gives {got:e}, which is no half", row.name));
        }
    }
    complaints
}

#[test]
fn relaxed_operations_are_as_precise_as_vulkan_demands() {
    let rows: Vec<&Row> = ROWS.iter().filter(|row| row.widths.contains(&32)).collect();
    assert!(ROUNDED.iter().all(|name| rows.iter().any(|row| row.name == *name)));
    let complaints: Vec<String> = rows.par_iter().flat_map(|row| check(row)).collect();
    let first = &complaints[..complaints.len().min(20)];
    assert!(complaints.is_empty(), "{} results:\n{}", complaints.len(), first.join("\n"));
}
