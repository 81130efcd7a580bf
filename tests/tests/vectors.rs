//! The vectors of the reference material: all instructions encode to the same bytes, all executions agree.

#![expect(clippy::print_stderr, reason = "a test that cannot run says so")]

use agx_compiler::CompileKey;
use agx_tests::outcome::Outcome;
use agx_tests::suites::{Context, find};
use agx_tests::tools::Tools;

fn check(suite: &str) {
    let Some(shared) = agx_tests::shared::locate() else {
        eprintln!("skipped: there is no reference material beside the project");
        return;
    };
    let tools = Tools::find(std::env::temp_dir());
    let context = Context {
        shared: &shared,
        cases: None,
        filter: None,
        one_in: None,
        tools: &tools,
        key: &CompileKey::default(),
        seed: 0,
        node: None,
    };
    let suite = find(suite).expect("a suite of that name");
    let report = (suite.run)(&context).expect("readable vectors");
    assert!(!report.cases.is_empty(), "there are vectors");
    let bad: Vec<String> = report
        .cases
        .iter()
        .filter(|case| case.outcome != Outcome::Pass)
        .map(|case| format!("{}: {}", case.name, case.outcome.reason().unwrap_or_default()))
        .collect();
    assert!(bad.is_empty(), "{} of {}:\n{}", bad.len(), report.cases.len(), bad.join("\n"));
}

#[test]
fn every_instruction_encodes_to_the_same_bytes() {
    check("encoding");
}

#[test]
fn every_execution_agrees() {
    check("emulation");
}
