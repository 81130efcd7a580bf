//! Compares pure operations with the published executions, lane by lane.
//!
//! The executions are applegpu's; its author compared its emulator with M1 hardware.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::path::PathBuf;

use agx_isa::desc::Role;
use agx_isa::semantics::{PureArgs, Source, evaluate};
use agx_isa::{Inst, Operand, Tag, decode, minifloat};
use serde_json::Value;

const LANES: usize = 32;

fn vectors() -> Option<String> {
    let shared = std::env::var_os("AGX_SHARED").map(PathBuf::from);
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let path = shared.unwrap_or(beside).join("vectors/emulation.jsonl");
    let text = std::fs::read_to_string(&path).ok();
    if text.is_none() {
        #[expect(clippy::print_stderr, reason = "a test says what it skips")]
        {
            eprintln!("skipped: no {}", path.display());
        }
    }
    text
}

fn hex(text: &str) -> u64 {
    u64::from_str_radix(text, 16).unwrap()
}

/// Sixteen bits of a lane in `before` or `after`, which have four digits for each of 32 lanes.
fn lane_half(registers: &Value, half: u64, lane: usize) -> Option<u64> {
    registers.get(half.to_string()).and_then(Value::as_str).map(|text| hex(&text[lane * 4..lane * 4 + 4]))
}

fn wide(halves: u8, mut read: impl FnMut(u64) -> u64) -> u64 {
    (0..u64::from(halves)).fold(0, |all, i| all | read(i) << (16 * i))
}

/// A half-word of the uniform file. applegpu drops bit 8 of the uniform index in selects (docs/errata.md), so
/// the recorded value is that of the uniform 256 below.
fn uniform_half(case: &Value, half: u64) -> u64 {
    let at = |half: u64| case["uniforms"].get(half.to_string()).and_then(Value::as_str).map(hex);
    at(half).or_else(|| at(half & 255)).unwrap_or(0)
}

/// A source in a lane. Executions do not record registers that they did not read, such as the unselected
/// source of a select.
fn source(operand: &Operand, case: &Value, lane: usize, size: u8, float: bool) -> Source {
    let first = u64::from(operand.value);
    let bits = match operand.tag {
        Tag::Reg => wide(operand.size.halves(), |i| lane_half(&case["before"], first + i, lane).unwrap_or(0)),
        Tag::Uniform => wide(operand.size.halves(), |i| uniform_half(case, first + i)),
        _ if float => minifloat::decode(operand.value as u8).to_bits().into(),
        _ => operand.value.into(),
    };
    let width = match operand.tag {
        Tag::Imm if float => 32,
        Tag::Imm => size,
        _ => operand.size.bits(),
    };
    Source { bits, width, flags: operand.flags }
}

/// The destination and its value in a lane; `None` if the row is not pure.
fn result(inst: &Inst, case: &Value, lane: usize) -> Option<(Operand, u64)> {
    let desc = inst.op.desc();
    let dst = inst.operands[0];
    let sources: Vec<Source> = desc
        .with_role(Role::Src)
        .map(|(i, spec)| {
            let float = spec.kind.style == agx_isa::operand::Style::Float;
            let size = if matches!(spec.name, "x" | "y") { dst.size.bits() } else { 16 };
            source(&inst.operands[i], case, lane, size, float)
        })
        .collect();
    let mods: Vec<u32> = desc.with_role(Role::Mod).map(|(i, _)| inst.operands[i].value).collect();
    let args = PureArgs { dst_width: dst.size.bits(), sources: &sources, mods: &mods };
    evaluate(inst.op, &args).map(|value| (dst, value))
}

fn is_nan(value: u64, width: u8) -> bool {
    match width {
        16 => value & 0x7fff > 0x7c00,
        32 => value & 0x7fff_ffff > 0x7f80_0000,
        _ => false,
    }
}

#[test]
fn pure_operations_agree_with_published_executions() {
    let Some(text) = vectors() else { return };
    let (mut checked, mut failures) = (0, Vec::new());
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let bytes: Vec<u8> = case["hex"]
            .as_str()
            .unwrap()
            .as_bytes()
            .chunks(2)
            .map(|pair| hex(std::str::from_utf8(pair).unwrap()) as u8)
            .collect();
        let (inst, _) = decode(&bytes).unwrap();
        if inst.op.desc().pure.is_none() {
            continue;
        }
        checked += 1;
        let exec = hex(case["exec"].as_str().unwrap());
        for lane in (0..LANES).filter(|lane| exec >> lane & 1 == 1) {
            let (dst, value) = result(&inst, &case, lane).unwrap();
            let expected = wide(dst.size.halves(), |i| {
                lane_half(&case["after"], u64::from(dst.value) + i, lane).unwrap()
            });
            let nan = is_nan(value, dst.size.bits()) && is_nan(expected, dst.size.bits());
            if value != expected && !nan {
                failures.push(format!("{inst} lane {lane}: {value:#x}, expected {expected:#x}"));
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{} of {checked} differ\n{}", failures.len(), failures.join("\n"));
    assert!(checked > 1000, "only {checked}");
}
