//! Compares the interpreter with recorded runs: a few that this crate contains, and all if the reference
//! material is present (`../shared` next to the workspace, or `AGX_SHARED`).

use std::path::PathBuf;

use agx_pica200::interpret::{Numbers, Run, Uniforms};
use agx_pica200::{Program, Stage};
use serde_json::Value;

/// The folder of the reference material.
fn shared() -> PathBuf {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    std::env::var_os("AGX_SHARED").map_or_else(beside, PathBuf::from)
}

fn hex(value: &Value) -> u32 {
    u32::from_str_radix(value.as_str().expect("a word in hex"), 16).expect("a word in hex")
}

fn list<T>(value: &Value, read: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().expect("a list").iter().map(read).collect()
}

fn vector(value: &Value) -> [f32; 4] {
    let parts = list(value, |part| f32::from_bits(hex(part)));
    std::array::from_fn(|index| parts[index])
}

/// Whether two floats are equal: all NaNs are equal, and functions may differ in the last places.
fn close(a: f32, b: f32) -> bool {
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-6 * b.abs()
}

fn check(case: &Value) {
    let name = case["case"].as_str().expect("a name");
    let program = Program::from_words(&list(&case["code"], hex), &list(&case["opdesc"], hex));
    let mut uniforms = Uniforms::default();
    for (register, value) in case["uniforms"].as_object().expect("uniforms") {
        uniforms.float[register.parse::<usize>().expect("a number")] = vector(value);
    }
    let number = |value: &Value| value.as_i64().expect("a number");
    for (slot, value) in uniforms.bool.iter_mut().zip(list(&case["bools"], number)) {
        *slot = value != 0;
    }
    for (slot, value) in uniforms.int.iter_mut().zip(list(&case["ints"], |ints| list(ints, number))) {
        *slot = std::array::from_fn(|index| value[index] as u8);
    }
    let mut inputs = [[0.0; 4]; 16];
    for (slot, value) in inputs.iter_mut().zip(list(&case["v"], vector)) {
        *slot = value;
    }
    let (program, uniforms, numbers) = (&program, &uniforms, Numbers::default());
    let run = Run { program, stage: Stage::Vertex, entry: 0, uniforms, inputs, numbers, limit: 10_000 };
    let outcome = run.execute().expect("an end");
    let expected = vector(&case["o0"]);
    let equal = outcome.outputs[0].iter().zip(expected).all(|(a, b)| close(*a, b));
    assert!(equal, "{name}: {:?} instead of {expected:?}", outcome.outputs[0]);
    let address: Vec<i64> = outcome.address.iter().map(|value| i64::from(*value)).collect();
    assert_eq!(address, list(&case["a"], number), "{name}");
    let codes: Vec<i64> = outcome.codes.iter().map(|value| i64::from(*value)).collect();
    assert_eq!(codes, list(&case["cc"], number), "{name}");
}

fn check_all(text: &str) -> usize {
    let cases: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("a case a line")).collect();
    cases.iter().for_each(check);
    cases.len()
}

#[test]
fn carried_cases_agree() {
    assert!(check_all(include_str!("cases.jsonl")) >= 8);
}

#[test]
#[expect(clippy::print_stderr, reason = "says what was skipped")]
fn recorded_cases_agree() {
    let path = shared().join("conformance/pica-unit.jsonl");
    match std::fs::read_to_string(&path) {
        Ok(text) => assert_eq!(check_all(&text), 134),
        Err(_) => eprintln!("skipped: {} is absent", path.display()),
    }
}
