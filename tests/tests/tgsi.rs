//! TGSI: every program of `agx_tgsi` compiles, and leaves on the machine what it leaves in the interpreter; docs/tgsi.md says
//! what is true of each opcode.

use std::path::Path;

use agx_compiler::CompileKey;
use agx_tests::outcome::Outcome;
use agx_tests::tgsi::{judge, programs, table};
use agx_tgsi::{is_compiled_stage, parse};

fn key() -> CompileKey {
    let mut key = CompileKey::default();
    key.validate = true;
    key
}

/// Judges the programs that `is_mine` picks.
fn agree(is_mine: impl Fn(usize) -> bool) {
    let only = std::env::var("TGSI_ONLY").unwrap_or_default();
    let mut complaints = Vec::new();
    for (number, (name, text)) in programs().iter().enumerate() {
        if !is_mine(number) || !name.contains(&only) {
            continue;
        }
        let stage = parse(text).map(|shader| shader.processor);
        let outcome = judge(text, &key(), 1).outcome;
        let is_refused = stage.is_ok_and(|stage| !is_compiled_stage(stage));
        match outcome {
            Outcome::Pass if !is_refused => {}
            Outcome::Unsupported(_) if is_refused => {}
            other => complaints.push(format!("{name}: {other:?}")),
        }
    }
    assert!(complaints.is_empty(), "{} programs:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn programs_agree_with_the_interpreter() {
    agree(|number| number % 2 == 0);
}

#[test]
fn the_other_programs_agree_with_the_interpreter() {
    agree(|number| number % 2 == 1);
}

#[test]
#[cfg(not(debug_assertions))]
fn the_document_has_the_table_of_opcodes() {
    const BEGIN: &str = "<!-- generated: opcodes -->\n";
    const END: &str = "<!-- end -->";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/tgsi.md");
    let text = std::fs::read_to_string(&path).expect("docs/tgsi.md");
    let (before, rest) = text.split_once(BEGIN).expect("a beginning of the table");
    let (found, after) = rest.split_once(END).expect("an end of the table");
    let wanted = table::table(&CompileKey::default());
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{wanted}{END}{after}")).expect("writes");
    } else {
        assert_eq!(found, wanted, "BLESS=1 writes the table anew");
    }
}
