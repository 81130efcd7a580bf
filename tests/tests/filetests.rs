//! Runs every file in `filetests/` as a separate test. `BLESS=1` rewrites the expected outputs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agx_compiler::internal::pipeline::PASSES;
use agx_tests::filetest::check::check;
use agx_tests::filetest::format::FileTest;
use libtest_mimic::{Arguments, Failed, Trial};

/// Maximum width of a line in a header.
const HEADER_COLUMNS: usize = 120;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let bless = std::env::var_os("BLESS").is_some_and(|value| value != "0");
    let mut files = files_below(&root);
    files.sort();
    assert!(!files.is_empty(), "there are file tests in {}", root.display());
    let tested: Vec<String> = files.iter().flat_map(|path| passes_of(path)).collect();
    let mut trials: Vec<Trial> = files
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap_or(&path).with_extension("").display().to_string();
            Trial::test(name, move || run(&path, bless))
        })
        .collect();
    trials.push(Trial::test("every_pass_has_a_file_test", move || every_pass_is_tested(&tested)));
    trials.push(Trial::test("headers_state_what_passes_need_and_leave", move || check_headers(bless)));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn files_below(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ir") {
                files.push(path);
            }
        }
    }
    files
}

/// The passes that a file names; none for a malformed file, which fails its own test.
fn passes_of(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    FileTest::parse(&text).map(|test| test.passes).unwrap_or_default()
}

fn every_pass_is_tested(tested: &[String]) -> Result<(), Failed> {
    let missing: Vec<&str> = PASSES
        .iter()
        .map(|pass| pass.name)
        .filter(|name| !tested.iter().any(|tested| tested == name))
        .collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("no file test names {}", missing.join(", ")).into()) }
}

/// The file of a pass: the name of the pass without the prefix that names the folder, or `mod.rs` in a folder of that
/// name if it has parts.
fn source_of(pass: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/src");
    let folders = [("opt_", "opt"), ("lower_", "lower"), ("mark_", "analysis")];
    let found = folders.iter().find_map(|(prefix, folder)| Some((pass.strip_prefix(prefix)?, *folder)));
    let stem = match found {
        Some((name, folder)) => root.join(folder).join(name),
        None if pass == "regalloc" => root.join("regalloc"),
        None => root.join("schedule").join(pass),
    };
    if stem.is_dir() { stem.join("mod.rs") } else { stem.with_extension("rs") }
}

/// Checks that the last paragraph of a pass's header is its contract in the table of passes.
fn check_headers(bless: bool) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    for pass in PASSES {
        let path = source_of(pass.name);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let header: Vec<&str> = text.lines().take_while(|line| line.starts_with("//!")).collect();
        let start = header.iter().rposition(|line| *line == "//!").map_or(header.len(), |blank| blank + 1);
        let is_contract = header.get(start).is_some_and(|line| line.starts_with("//! Before: "));
        let (prose, stated) = header.split_at(if is_contract { start } else { header.len() });
        let wanted = wrapped(&pass.contract());
        if stated == wanted {
            continue;
        }
        if !bless {
            wrong.push(format!("{} must end with\n{}", path.display(), wanted.join("\n")));
            continue;
        }
        let blank = (!is_contract).then_some("//!");
        let rest = text.lines().skip(header.len());
        let lines = prose.iter().copied().chain(blank).chain(wanted.iter().map(String::as_str)).chain(rest);
        std::fs::write(&path, lines.map(|line| format!("{line}\n")).collect::<String>())?;
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// A text as lines of a module's header.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec!["//!".to_owned()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= HEADER_COLUMNS => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("//! {word}")),
        }
    }
    lines
}

fn run(path: &Path, bless: bool) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let test = FileTest::parse(&text)?;
    let mut verdict = check(&test);
    if bless {
        let rewritten = test.rewritten(&verdict.outputs);
        if rewritten != text {
            std::fs::write(path, &rewritten)?;
        }
        verdict = check(&FileTest::parse(&rewritten)?);
    }
    match verdict.complaints.as_slice() {
        [] => Ok(()),
        complaints => Err(complaints.join("\n").into()),
    }
}
