//! Host instructions that a function executes, counted by valgrind's callgrind. The number depends only on the code.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::tools::Tools;

/// A function to count in a program.
#[derive(Debug)]
pub struct Callgrind<'a> {
    /// Locates valgrind and provides a folder for its output.
    pub tools: &'a Tools,
    /// The function's full name, as callgrind prints it. It must not be inlined.
    pub function: &'a str,
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: &'a [&'a str],
    /// Variables of its environment.
    pub environment: &'a [(&'a str, &'a str)],
}

impl Callgrind<'_> {
    /// The instructions of all calls.
    ///
    /// # Errors
    /// A sentence: valgrind is not installed, or the program failed.
    pub fn total(&self) -> Result<u64, String> {
        let (report, profile) = self.run(&[])?;
        let _ = std::fs::remove_file(profile);
        collected(&report).ok_or_else(|| "valgrind's report has no count".into())
    }

    /// The instructions of each call, in their order.
    ///
    /// # Errors
    /// As [`Callgrind::total`].
    pub fn each(&self) -> Result<Vec<u64>, String> {
        let (_, profile) = self.run(&[format!("--dump-after={}", self.function)])?;
        dumps(&profile)
    }

    /// Valgrind's report, and the file with the counts.
    fn run(&self, more: &[String]) -> Result<(String, PathBuf), String> {
        let mut program = Command::new(self.program);
        program.args(self.arguments).envs(self.environment.iter().copied());
        let (output, profile) = run_counted(self.tools, &program, self.function, more)?;
        Ok((String::from_utf8_lossy(&output.stderr).into_owned(), profile))
    }
}

/// The output of a program, and the instructions of each call of a function in it, without those of the functions that match a
/// pattern of `without`.
///
/// # Errors
/// As [`Callgrind::total`].
pub fn calls_of(
    tools: &Tools,
    program: &Command,
    function: &str,
    without: &[&str],
) -> Result<(String, Vec<u64>), String> {
    // The functions without counts toggle collecting too: what they collect outside of calls is dropped.
    let more = without.iter().map(|pattern| format!("--toggle-collect={pattern}"));
    let more = more.chain([format!("--zero-before={function}"), format!("--dump-after={function}")]);
    let (output, profile) = run_counted(tools, program, function, &more.collect::<Vec<_>>())?;
    let mut counts = dumps(&profile)?;
    // What is collected after the last call.
    let calls = counts.len() / 2 * 2;
    counts.truncate(calls);
    Ok((String::from_utf8_lossy(&output.stdout).into_owned(), counts))
}

/// Runs a program under callgrind; returns its output and the path of the counts.
fn run_counted(
    tools: &Tools,
    program: &Command,
    function: &str,
    more: &[String],
) -> Result<(Output, PathBuf), String> {
    let failed = |error: std::io::Error| format!("valgrind cannot be run: {error}");
    let profile = tools.scratch_path("profile");
    if let Some(folder) = profile.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut command: Command = tools.valgrind().map_err(|error| error.to_string())?;
    let variables = program.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let output = command
        .args(["--tool=callgrind", &format!("--toggle-collect={function}")])
        .arg(format!("--callgrind-out-file={}", profile.display()))
        .args(more)
        .arg(program.get_program())
        .args(program.get_args())
        .envs(variables)
        .output()
        .map_err(failed)?;
    match output.status.success() {
        true => Ok((output, profile)),
        false => {
            let text = String::from_utf8_lossy(&output.stderr);
            Err(format!("valgrind failed: {}", text.lines().last().unwrap_or("no message")))
        }
    }
}

/// The counts that callgrind dumped beside a profile, which are removed.
fn dumps(profile: &Path) -> Result<Vec<u64>, String> {
    let mut counts = Vec::new();
    loop {
        let path = PathBuf::from(format!("{}.{}", profile.display(), counts.len() + 1));
        let Ok(text) = std::fs::read_to_string(&path) else { break };
        let _ = std::fs::remove_file(&path);
        let total = text.lines().rev().find_map(|line| line.strip_prefix("totals: "));
        let total = total.and_then(|total| total.trim().parse().ok());
        counts.push(total.ok_or_else(|| format!("{} has no total", path.display()))?);
    }
    // No instructions are counted after the last call.
    counts.pop_if(|last| *last == 0);
    let _ = std::fs::remove_file(profile);
    Ok(counts)
}

/// The count in callgrind's closing report.
fn collected(report: &str) -> Option<u64> {
    let line = report.lines().rev().find_map(|line| line.split_once("Collected :"))?;
    line.1.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_read_from_the_report() {
        let report = "==7== Events    : Ir\n==7== Collected : 26503\n==7== \n==7== I   refs:      26,503\n";
        assert_eq!(collected(report), Some(26_503));
        assert_eq!(collected("==7== nothing\n"), None);
    }
}
