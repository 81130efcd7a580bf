//! Seeded faults: breaks one line of the sources at a time and checks that the named test fails.
//!
//! `make mutants` runs all of them, `cargo run -p agx-tests --bin mutants -- NAME` those whose name contains NAME. The
//! faults are in `tests/mutants.json`. The sources are first copied to the target folder; the work tree is never
//! changed.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};

use agx_tests::mutants::{Fault, FaultError, load, workspace};

/// Verdict of the named test on a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    /// The test failed, as expected.
    Seen,
    /// The test passed.
    Survived,
    /// The broken sources do not build, so the fault is invalid.
    DoesNotBuild,
    /// No test has the name.
    NoTest,
}

impl Verdict {
    fn name(self) -> &'static str {
        match self {
            Verdict::Seen => "seen",
            Verdict::Survived => "SURVIVED",
            Verdict::DoesNotBuild => "DOES NOT BUILD",
            Verdict::NoTest => "NO SUCH TEST",
        }
    }
}

/// How the crate with most of the faults is built: again and again, for tests that are short.
const REBUILT_OFTEN: [&str; 2] =
    ["profile.dev.package.agx-compiler.opt-level=0", "profile.dev.package.agx-compiler.codegen-units=256"];

fn main() -> ExitCode {
    let filter = std::env::args().nth(1).unwrap_or_default();
    match run(&filter) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            // Standard error may be closed.
            let _ = writeln!(std::io::stderr(), "mutants: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs the faults whose name contains `filter`; returns whether all of them were detected.
fn run(filter: &str) -> Result<bool, FaultError> {
    let mut faults: Vec<Fault> = load()?.into_iter().filter(|fault| fault.name.contains(filter)).collect();
    // Neighbours share what has to be built again.
    faults.sort_by(|a, b| a.file.cmp(&b.file));
    let folder = workspace().join("target/mutants");
    let tree = folder.join("tree");
    copy_sources(&tree)?;
    let tests: BTreeSet<&[String]> = faults.iter().map(|fault| fault.test.as_slice()).collect();
    // Tests that say nothing of a fault.
    let mut useless = BTreeSet::new();
    for test in tests {
        let error = match judge(&folder, test)? {
            Verdict::Survived => continue,
            Verdict::NoTest => FaultError::NoTest(test.join(" ")),
            _ => FaultError::Baseline(test.join(" ")),
        };
        print(&format!("{error}\n"));
        useless.insert(test);
    }
    let mut seen = 0;
    for fault in faults.iter().filter(|fault| !useless.contains(fault.test.as_slice())) {
        let path = tree.join(&fault.file);
        let sound = read(&path)?;
        write(&path, &fault.apply(&sound)?)?;
        let verdict = judge(&folder, &fault.test);
        write(&path, &sound)?;
        let verdict = verdict?;
        seen += usize::from(verdict == Verdict::Seen);
        print(&format!("{:<16} {} ({})\n", verdict.name(), fault.name, fault.file));
    }
    print(&format!("{seen} of {} faults seen\n", faults.len()));
    Ok(seen == faults.len())
}

/// Builds and runs one test on the copied sources.
fn judge(folder: &Path, test: &[String]) -> Result<Verdict, FaultError> {
    // Arguments after `--` go to the test program.
    let (of_cargo, of_program) = test.split_at(test.iter().position(|one| one == "--").unwrap_or(test.len()));
    if !cargo(folder, &[of_cargo, &["--no-run".to_owned()]].concat())?.passes {
        return Ok(Verdict::DoesNotBuild);
    }
    Ok(match cargo(folder, &[of_cargo, of_program].concat())? {
        Outcome { passes: false, .. } => Verdict::Seen,
        Outcome { tests: 0, .. } => Verdict::NoTest,
        Outcome { .. } => Verdict::Survived,
    })
}

/// What `cargo test` did.
struct Outcome {
    passes: bool,
    /// Number of tests that ran.
    tests: usize,
}

impl Outcome {
    fn new(output: &Output) -> Outcome {
        let text = String::from_utf8_lossy(&output.stdout);
        let count = |line: &str| line.strip_prefix("running ")?.split(' ').next()?.parse::<usize>().ok();
        Outcome { passes: output.status.success(), tests: text.lines().filter_map(count).sum() }
    }
}

/// Runs `cargo test` with `arguments`.
fn cargo(folder: &Path, arguments: &[String]) -> Result<Outcome, FaultError> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command.current_dir(folder.join("tree")).env("CARGO_TARGET_DIR", folder.join("build"));
    command.env("CARGO_INCREMENTAL", "1").args(["test", "--quiet"]);
    command.args(REBUILT_OFTEN.into_iter().flat_map(|setting| ["--config", setting])).args(arguments);
    command.stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output().map_err(|error| FaultError::File { path: "cargo".into(), error })?;
    Ok(Outcome::new(&output))
}

/// Copies every tracked file that differs to `tree`, so that unchanged files are not built again, and removes the others.
fn copy_sources(tree: &Path) -> Result<(), FaultError> {
    let failed = |error| FaultError::File { path: "git".into(), error };
    let output =
        Command::new("git").args(["ls-files", "-z"]).current_dir(workspace()).output().map_err(failed)?;
    let list = String::from_utf8_lossy(&output.stdout).into_owned();
    for name in list.split('\0').filter(|name| !name.is_empty()) {
        let (from, to) = (workspace().join(name), tree.join(name));
        let Ok(bytes) = std::fs::read(&from) else { continue };
        if std::fs::read(&to).is_ok_and(|known| known == bytes) {
            continue;
        }
        let file_error = |error| FaultError::File { path: to.clone(), error };
        if let Some(folder) = to.parent() {
            std::fs::create_dir_all(folder).map_err(file_error)?;
        }
        std::fs::write(&to, bytes).map_err(file_error)?;
    }
    let tracked: BTreeSet<PathBuf> = list.split('\0').map(|name| tree.join(name)).collect();
    remove_others(tree, &tracked)
}

/// Removes the files of `tree` that are not in `kept`.
fn remove_others(tree: &Path, kept: &BTreeSet<PathBuf>) -> Result<(), FaultError> {
    let mut folders = vec![tree.to_owned()];
    while let Some(folder) = folders.pop() {
        let failed = |error| FaultError::File { path: folder.clone(), error };
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.is_dir() {
                folders.push(path);
            } else if !kept.contains(&path) {
                std::fs::remove_file(&path).map_err(failed)?;
            }
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, FaultError> {
    std::fs::read_to_string(path).map_err(|error| FaultError::File { path: PathBuf::from(path), error })
}

fn write(path: &Path, text: &str) -> Result<(), FaultError> {
    std::fs::write(path, text).map_err(|error| FaultError::File { path: PathBuf::from(path), error })
}

/// Writes to standard output; a closed pipe is ignored.
fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}
