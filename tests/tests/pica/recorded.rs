//! The cases in files: those of the project, and the recorded runs if they are present.

use std::path::Path;

use agx_compiler::CompileKey;
use agx_tests::outcome::Outcome;
use agx_tests::pica::Case;
use agx_tests::shared::{locate, read_json_lines};

/// Runs the cases of a file; returns their number.
fn run(path: &Path) -> usize {
    let cases: Vec<Case> = read_json_lines(path).expect("cases");
    let folder = path.parent().expect("a folder");
    let key = CompileKey::default();
    for (index, case) in cases.iter().enumerate() {
        let outcome = case.run(folder, &key, 0);
        assert_eq!(outcome, Outcome::Pass, "{}, case {index}: {}", path.display(), case.case);
    }
    cases.len()
}

#[test]
#[expect(clippy::print_stderr, reason = "says what was skipped")]
fn recorded_runs_agree() {
    match locate().map(|shared| shared.join("conformance/pica-unit.jsonl")).filter(|path| path.is_file()) {
        Some(path) => assert_eq!(run(&path), 134),
        None => eprintln!("skipped: conformance/pica-unit.jsonl is absent"),
    }
}

#[test]
fn the_projects_cases_agree() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("pica-programs/format.jsonl");
    assert!(run(&path) >= 7);
}
