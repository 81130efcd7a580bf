//! TGSI: every program of `agx_tgsi` compiles, and gives the same results on the machine as in the interpreter. The
//! table in docs/tgsi.md is generated from the results.

use std::path::Path;

use agx_compiler::CompileKey;
use agx_tests::outcome::Outcome;
use agx_tests::tgsi::{Judged, judge, programs, table};
use agx_tgsi::{is_compiled_stage, parse};
use rayon::prelude::{IntoParallelIterator, ParallelIterator};

/// Markers around the table in the document.
const BEGIN: &str = "<!-- generated: opcodes -->\n";
const END: &str = "<!-- end -->";

/// The complaint about a program, if there is one.
fn complaint(name: &str, text: &str, judged: &Judged) -> Option<String> {
    let is_refused = parse(text).is_ok_and(|shader| !is_compiled_stage(shader.processor));
    let is_right = match judged.outcome {
        Outcome::Pass => !is_refused,
        Outcome::Unsupported(_) => is_refused,
        _ => false,
    };
    (!is_right).then(|| format!("{name}: {:?}", judged.outcome))
}

#[test]
fn programs_agree_with_the_interpreter_and_the_document_says_so() {
    let mut key = CompileKey::default();
    key.validate = true;
    let judged: Vec<(String, String, Judged)> = programs()
        .into_par_iter()
        .map(|(name, text)| {
            let judged = judge(&text, &key, 1);
            (name, text, judged)
        })
        .collect();
    let complaints: Vec<String> =
        judged.iter().filter_map(|(name, text, judged)| complaint(name, text, judged)).collect();
    assert!(complaints.is_empty(), "{} programs:\n{}", complaints.len(), complaints.join("\n"));
    let results: Vec<(String, Judged)> = judged.into_iter().map(|(_, text, judged)| (text, judged)).collect();
    compare(&table::table(&results, &key));
}

/// Compares the table in the document.
fn compare(wanted: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/tgsi.md");
    let text = std::fs::read_to_string(&path).expect("docs/tgsi.md");
    let (before, rest) = text.split_once(BEGIN).expect("a beginning of the table");
    let (found, after) = rest.split_once(END).expect("an end of the table");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{wanted}{END}{after}")).expect("writes");
    } else {
        assert_eq!(found, wanted, "BLESS=1 writes the table anew");
    }
}
