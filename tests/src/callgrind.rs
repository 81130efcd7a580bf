//! Host instructions that a function executes, counted by valgrind's callgrind. The number depends only on the code.

use std::path::{Path, PathBuf};
use std::process::Command;

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

    /// Valgrind's report, and the file with the counts.
    fn run(&self, more: &[String]) -> Result<(String, PathBuf), String> {
        let failed = |error: std::io::Error| format!("valgrind cannot be run: {error}");
        let profile = self.tools.scratch_path("profile");
        if let Some(folder) = profile.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let mut command: Command = self.tools.valgrind().map_err(|error| error.to_string())?;
        let output = command
            .args(["--tool=callgrind", &format!("--toggle-collect={}", self.function)])
            .arg(format!("--callgrind-out-file={}", profile.display()))
            .args(more)
            .arg(self.program)
            .args(self.arguments)
            .envs(self.environment.iter().copied())
            .output()
            .map_err(failed)?;
        let text = String::from_utf8_lossy(&output.stderr);
        match output.status.success() {
            true => Ok((text.into_owned(), profile)),
            false => Err(format!("valgrind failed: {}", text.lines().last().unwrap_or("no message"))),
        }
    }
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
