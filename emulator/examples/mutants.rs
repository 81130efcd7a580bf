//! Mutation test: breaks one operation at a time, runs the tests of this crate, and lists the mutants that no test
//! detects. `cargo run --release -p agx-emulator --example mutants [mnemonic …]`
#![expect(clippy::print_stdout, reason = "a report is for the terminal")]

use std::path::PathBuf;
use std::process::{Command, Stdio};

use agx_emulator::{Fault, FindingKind, Memory, Simd, step_one};
use agx_isa::desc::{Effects, Role};
use agx_isa::inst::{Inst, Tag};
use agx_isa::table::Opcode;

/// Test programs, the fastest first.
const TESTS: [&str; 6] = ["operations", "programs", "vectors", "draw", "textures", "strict"];

/// Builds the tests and gives their executables in order.
fn executables() -> Vec<PathBuf> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["test", "--release", "-p", "agx-emulator", "--no-run", "--message-format=json"]);
    for test in TESTS {
        command.args(["--test", test]);
    }
    let output = command.stderr(Stdio::inherit()).output().expect("cargo runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let messages: Vec<serde_json::Value> =
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let executable = |test: &str| {
        let message = messages
            .iter()
            .find(|message| message["target"]["name"] == test && message["executable"].is_string());
        PathBuf::from(message.and_then(|message| message["executable"].as_str()).expect("the test was built"))
    };
    TESTS.iter().map(|test| executable(test)).collect()
}

/// Operations with the same result when their first two sources are swapped.
const COMMUTATIVE: [Opcode; 9] = [
    Opcode::Ffma,
    Opcode::Hfma,
    Opcode::Fadd,
    Opcode::Hadd,
    Opcode::Fmul,
    Opcode::Hmul,
    Opcode::Imadd,
    Opcode::Imsub,
    Opcode::Iadd,
];

/// Faults without effect: 8-bit integers are exact floats with every rounding, and `sinc` is even.
const HARMLESS: [(Opcode, Fault); 3] = [
    (Opcode::U8ToF, Fault::NoModifiers),
    (Opcode::S8ToF, Fault::NoModifiers),
    (Opcode::Sinc, Fault::NoFlags),
];

/// Whether the machine executes the operation; others end every run with a finding.
fn is_modelled(op: Opcode) -> bool {
    let mut inst = Inst::new(op);
    for (at, spec) in op.desc().operands.iter().enumerate() {
        if inst.operands[at].tag == Tag::None {
            inst.operands[at] = spec.kind.example(op.desc().value);
        }
    }
    let Ok(bytes) = agx_isa::encode(&inst) else { return true };
    match step_one(&mut Simd::new(), &mut Memory::new(), &bytes) {
        Err(stop) => !matches!(stop.finding.kind, FindingKind::Unsupported(what) if what == op.name()),
        Ok(()) => true,
    }
}

/// Fences, pixel waits and `no_var` do nothing in the machine, so skipping them is not a fault.
fn does_nothing(op: Opcode) -> bool {
    let fence =
        op.desc().effects == Effects::BARRIER && op.desc().operands.is_empty() && op != Opcode::Barrier;
    fence || matches!(op, Opcode::Pixwait | Opcode::Pixrel | Opcode::NoVar)
}

/// Whether the fault affects the operation.
fn applies(op: Opcode, fault: Fault) -> bool {
    if does_nothing(op) || !is_modelled(op) || HARMLESS.contains(&(op, fault)) {
        return false;
    }
    let desc = op.desc();
    let sources = || desc.with_role(Role::Src);
    match fault {
        Fault::Skip => true,
        Fault::Flip => desc.with_role(Role::Dst).any(|(_, dst)| dst.kind.takes(Tag::Reg)),
        Fault::Swap => desc.pure.is_some() && sources().count() > 1 && !COMMUTATIVE.contains(&op),
        Fault::NoModifiers => desc.pure.is_some() && desc.with_role(Role::Mod).next().is_some(),
        Fault::NoFlags => {
            let flagged =
                |kind: &agx_isa::operand::OperandKind| kind.forms.iter().any(|form| !form.flags.is_empty());
            desc.pure.is_some() && sources().any(|(_, source)| flagged(&source.kind))
        }
    }
}

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let tests = executables();
    let (mut killed, mut survivors) = (0, Vec::new());
    for op in Opcode::ALL.iter().filter(|op| chosen.is_empty() || chosen.iter().any(|name| name == op.name()))
    {
        for fault in Fault::ALL.into_iter().filter(|fault| applies(*op, *fault)) {
            let noticed = tests.iter().any(|test| {
                let mut command = Command::new(test);
                command.env("AGX_MUTANT", format!("{} {fault:?}", op.name()));
                let run = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
                !run.is_ok_and(|status| status.success())
            });
            if noticed {
                killed += 1;
            } else {
                survivors.push(format!("{} {fault:?}", op.name()));
            }
        }
    }
    println!("{killed} of {} mutants noticed; survivors:", killed + survivors.len());
    survivors.iter().for_each(|survivor| println!("  {survivor}"));
}
