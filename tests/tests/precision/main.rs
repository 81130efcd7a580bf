//! Measures the precision of every float operation by running compiled code on the reference machine: all half floats,
//! and floats and doubles of every exponent. `docs/precision.md` has the table; `BLESS=1` rewrites it.

mod demand;
mod module;
mod relaxed;
mod rows;
mod samples;
mod wide;

use std::fmt::Write;
use std::path::Path;

use agx_compiler::{CompileKey, Input};
use agx_tests::driver::{compile, launch, storage_buffer};
use rayon::prelude::*;

use demand::Format;
use module::{Call, GROUP};
use rows::{ROWS, Row, Unit};

/// The worst result of an operation in one width.
#[derive(Clone, Copy, Default)]
struct Worst {
    /// In the row's unit.
    error: f64,
    /// As a fraction of Vulkan's limit.
    share: f64,
    /// The operands and the result with the largest fraction.
    operands: [f64; 9],
    got: f64,
    count: usize,
}

fn call(row: &Row, bits: u32) -> Call {
    Call {
        operation: row.operation,
        operands: row.operands,
        gives: row.gives,
        source_bits: row.source_bits.unwrap_or(bits),
        result_bits: bits,
        relaxed: false,
    }
}

/// Runs the operation on every sample.
fn run(call: &Call, input: Vec<u8>, count: usize) -> Vec<f64> {
    let mut key = CompileKey::default();
    key.validate = true;
    let shader = compile(Input::spirv(&call.module()), &key).expect("compiles");
    let bytes = call.result_bits as usize / 8;
    let mut buffers =
        [storage_buffer(0, 0, input, false), storage_buffer(0, 1, vec![0; count * bytes], true)];
    launch(&shader, &mut buffers, &[], [(count / GROUP) as u32, 1, 1], 0).expect("runs");
    buffers[1].bytes.chunks_exact(bytes).map(samples::number).collect()
}

fn measure(row: &Row, bits: u32) -> Worst {
    let call = call(row, bits);
    let (source, format) = (Format { bits: call.source_bits }, Format { bits });
    let is_wanted = |operands: &[f64]| (row.domain)(source, operands) && !(row.exact)(operands).high.is_nan();
    let samples = samples::samples(source, call.floats(), GROUP, is_wanted);
    let count = samples.len() / call.floats();
    let results = run(&call, samples::bytes(&samples, source), count);
    let mut worst = Worst { count, ..Worst::default() };
    for (operands, got) in samples.chunks_exact(call.floats()).zip(results) {
        let exact = (row.exact)(operands);
        let error = error(format, exact, got);
        let unit = if row.unit == Unit::Ulp { format.ulp(exact.high) } else { 1.0 };
        let allowed = (row.allowed)(format, operands, exact.high);
        let share = if error == 0.0 || allowed == f64::INFINITY { 0.0 } else { error / allowed };
        let counts = allowed.is_finite();
        worst.error = worst.error.max(if counts { error / unit } else { 0.0 });
        if share > worst.share || got.is_nan() {
            worst.share = if got.is_nan() { f64::INFINITY } else { share };
            worst.got = got;
            worst.operands[..operands.len()].copy_from_slice(operands);
        }
    }
    worst
}

/// Distance of `got` from the exact result. Numbers beyond the largest one count as the first that is too large, and
/// denormal singles may be zero.
fn error(format: Format, exact: wide::Wide, got: f64) -> f64 {
    let limit = format.overflow();
    if exact.high.abs() >= limit {
        return if got == exact.high.signum() * f64::INFINITY {
            0.0
        } else {
            (exact.high.signum() * limit - got).abs()
        };
    }
    if got == 0.0 && format.bits == 32 && exact.high.abs() < format.tiny() {
        return 0.0;
    }
    exact.distance_from(got.clamp(-limit, limit)).abs()
}

#[test]
fn every_operation_is_as_precise_as_vulkan_demands() {
    let cases: Vec<(usize, u32)> =
        (0..ROWS.len()).flat_map(|row| ROWS[row].widths.iter().map(move |bits| (row, *bits))).collect();
    let measured: Vec<Worst> = cases.par_iter().map(|(row, bits)| measure(&ROWS[*row], *bits)).collect();
    let mut complaints = String::new();
    for ((row, bits), worst) in cases.iter().zip(&measured) {
        let row = &ROWS[*row];
        let bound = row.bound[bits.trailing_zeros() as usize - 4];
        assert!(worst.count >= 768, "{} of {bits} bits is tried on {} operands", row.name, worst.count);
        if worst.share > 1.0 || worst.error > bound || worst.share.is_nan() {
            let operands = &worst.operands[..call(row, *bits).floats()];
            writeln!(
                complaints,
                "{} of {bits} bits: error {:.3e} of {bound}, {:.3} of what is allowed: {operands:?} gives {:e}, not {:e}",
                row.name, worst.error, worst.share, worst.got, (row.exact)(operands).high
            )
            .expect("written");
        }
    }
    assert!(complaints.is_empty(), "\n{complaints}");
    check_document(&table(&cases, &measured));
}

/// The rows of the document's table.
fn table(cases: &[(usize, u32)], measured: &[Worst]) -> String {
    let mut text = String::new();
    for (index, row) in ROWS.iter().enumerate() {
        write!(text, "| {} | {} | {} |", row.name, row.method, row.asks).expect("written");
        for bits in [16, 32, 64] {
            let found = cases.iter().position(|case| *case == (index, bits)).map(|at| measured[at]);
            let cell = found.map_or("–".to_owned(), |worst| cell(row, worst));
            write!(text, " {cell} |").expect("written");
        }
        text.push('\n');
    }
    text
}

fn cell(row: &Row, worst: Worst) -> String {
    let error = match (row.unit, worst.error) {
        (_, 0.0) => return "exact".to_owned(),
        (Unit::Ulp, error) => format!("{error:.2} ULP"),
        (Unit::Absolute, error) if row.bound[1].is_finite() => format!("{error:.1e}"),
        (Unit::Absolute, _) => String::new(),
    };
    format!("{error} {:.0} %", (worst.share * 100.0).ceil()).trim_start().to_owned()
}

fn check_document(table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/precision.md");
    let text = std::fs::read_to_string(&path).expect("the document");
    let (begin, end) = ("|---|---|---|---|---|---|\n", "\n<!-- end of the table -->");
    let (before, rest) = text.split_once(begin).expect("the table's head");
    let (_, after) = rest.split_once(end).expect("the table's end");
    let wanted = format!("{before}{begin}{table}{end}{after}");
    if std::env::var_os("BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, &wanted).expect("written");
    } else {
        assert!(text == wanted, "docs/precision.md is not current: run with BLESS=1");
    }
}

/// `Asinh`, `Acosh` and `Atanh` inherit a formula that ends in a logarithm, for which Vulkan has an absolute limit
/// between ½ and 2 and a relative one elsewhere. Their limit is therefore absolute for small results, and a few units
/// for others; the rows of the table use these limits.
#[test]
fn functions_that_inherit_a_logarithm_are_bounded_absolutely_near_zero() {
    let single = Format { bits: 32 };
    let absolute = 2f64.powi(-21);
    let near = [
        single.area(1e-3, 1.0, 1e-3_f64.asinh()),
        single.area(0.5, 1.0, 0.5_f64.asinh()),
        single.area(1.01, -1.0, 1.01_f64.acosh()),
        2.0 * single.atanh(1e-3, 1e-3_f64.atanh()),
        2.0 * single.atanh(-0.3, (-0.3_f64).atanh()),
    ];
    for allowed in near {
        assert!((absolute..8.0 * absolute).contains(&allowed), "{allowed:e}");
    }
    let far = [
        (single.area(1e6, 1.0, 1e6_f64.asinh()), 1e6_f64.asinh()),
        (single.area(1e6, -1.0, 1e6_f64.acosh()), 1e6_f64.acosh()),
        (single.atanh(0.9999, 0.9999_f64.atanh()), 0.9999_f64.atanh()),
    ];
    for (allowed, result) in far {
        assert!(allowed < 8.0 * single.ulp(result), "{allowed:e} of {result}");
    }
    for name in ["Asinh", "Acosh", "Atanh"] {
        let row = ROWS.iter().find(|row| row.name == name).expect("a row");
        assert!(row.unit == Unit::Absolute && row.bound[1] <= 32.0 * absolute, "{name}");
    }
}
