//! Runs every file below `filetests/` as a test of its own. `BLESS=1` rewrites the printed outputs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agx_compiler::pipeline::PASSES;
use agx_tests::filetest::check::check;
use agx_tests::filetest::format::FileTest;
use libtest_mimic::{Arguments, Failed, Trial};

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

/// The passes a file names; none for a malformed file, which fails its own test.
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
