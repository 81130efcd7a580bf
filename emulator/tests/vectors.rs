//! Every recorded execution of a single instruction: the machine must give applegpu's results.

#![expect(clippy::print_stdout, reason = "says what it skips")]

mod support;

use std::path::PathBuf;

use agx_emulator::{LANES, Memory, Simd};
use serde_json::Value;

/// The directory of the vectors, if it exists.
fn shared() -> Option<PathBuf> {
    let given = std::env::var_os("AGX_SHARED").map(PathBuf::from);
    let beside = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared"));
    Some(given.unwrap_or(beside)).filter(|path| path.exists())
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).expect("hex")).collect()
}

fn halves(value: &Value) -> Vec<(u16, String)> {
    let object = value.as_object().expect("an object");
    object
        .iter()
        .map(|(half, text)| (half.parse().expect("index"), text.as_str().expect("hex").into()))
        .collect()
}

/// The value of each lane, lane 0 first.
fn lanes(text: &str) -> Vec<u16> {
    (0..LANES).map(|lane| u16::from_str_radix(&text[4 * lane..4 * lane + 4], 16).expect("hex")).collect()
}

fn mask(value: &Value) -> u32 {
    u32::from_str_radix(value.as_str().expect("hex"), 16).expect("a mask")
}

/// The state before the instruction.
fn start(vector: &Value) -> Simd {
    let mut simd = Simd::new();
    for (half, text) in halves(&vector["before"]) {
        for (lane, value) in lanes(&text).into_iter().enumerate() {
            simd.set_register(half as u8, lane, value);
        }
    }
    let uniforms = halves(&vector["uniforms"]);
    let select = vector["text"].as_str().is_some_and(|text| text.contains("cmpsel"));
    for (half, text) in &uniforms {
        let value = u16::from_str_radix(text, 16).expect("hex");
        simd.set_uniform(*half, value);
        // applegpu drops bit 8 of a uniform index in the last two sources of selects (Mesa packs it): the value
        // recorded for u83 may be that of u211, so set both.
        if select && uniforms.iter().all(|(other, _)| *other != half + 256) {
            simd.set_uniform(half + 256, value);
        }
    }
    simd.set_exec(mask(&vector["exec"]));
    simd
}

fn is_nan16(bits: u16) -> bool {
    bits & 0x7fff > 0x7c00
}

fn is_nan32(bits: u32) -> bool {
    bits & 0x7fff_ffff > 0x7f80_0000
}

/// The differences to the recorded state afterwards. NaNs of float operations are equal regardless of their payload.
fn difference(vector: &Value, simd: &Simd) -> Option<String> {
    if simd.exec() != mask(&vector["exec_after"]) {
        return Some(format!("exec {:08x} instead of {}", simd.exec(), vector["exec_after"]));
    }
    let after = halves(&vector["after"]);
    let float = vector["text"].as_str().is_some_and(|text| text.starts_with('f'));
    let expected = |half: u16, lane: usize| {
        after.iter().find(|(other, _)| *other == half).map(|(_, text)| lanes(text)[lane])
    };
    for (half, text) in &after {
        for (lane, value) in lanes(text).into_iter().enumerate() {
            let found = simd.register(*half as u8, lane);
            let low = half & !1;
            let wide = |read: &dyn Fn(u16) -> Option<u16>| {
                Some(u32::from(read(low)?) | u32::from(read(low + 1)?) << 16)
            };
            let ours = wide(&|half| Some(simd.register(half as u8, lane)));
            let theirs = wide(&|half| expected(half, lane));
            let both_nan = match (ours, theirs) {
                (Some(ours), Some(theirs)) => is_nan32(ours) && is_nan32(theirs),
                _ => is_nan16(found) && is_nan16(value),
            };
            if found != value && !(float && both_nan) {
                return Some(format!("half {half} lane {lane}: {found:04x} instead of {value:04x}"));
            }
        }
    }
    None
}

#[test]
fn recorded_executions_agree() {
    let Some(shared) = shared() else {
        println!("skipped: no vectors (set AGX_SHARED)");
        return;
    };
    let text = std::fs::read_to_string(shared.join("vectors/emulation.jsonl")).expect("readable");
    let mut failures = Vec::new();
    let mut total = 0;
    for line in text.lines() {
        let vector: Value = serde_json::from_str(line).expect("JSON");
        let bytes = hex(vector["hex"].as_str().expect("hex"));
        let mut simd = start(&vector);
        let problem = match support::step(&mut simd, &mut Memory::new(), &bytes) {
            Err(stop) => Some(stop.to_string()),
            Ok(()) => difference(&vector, &simd),
        };
        total += 1;
        failures.extend(problem.map(|problem| format!("{} {}: {problem}", vector["hex"], vector["text"])));
    }
    assert!(total > 0, "the file holds vectors");
    assert!(failures.is_empty(), "{} of {total} differ:\n{}", failures.len(), failures.join("\n"));
}
