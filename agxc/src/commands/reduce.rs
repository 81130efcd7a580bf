//! `agxc reduce`: reduces an input on which a command fails.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::ArgMatches;

use super::{Arg, Takes, arg, compile};
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};
use crate::reduce::{Units, reduce};
use crate::{input, output};

/// Options of this command.
pub const ARGS: &[Arg] = &[
    arg("FILE", Takes::Word, "Input that makes the command fail"),
    arg(
        "message",
        Takes::Value("TEXT"),
        "Text that the command must keep printing [default: its first AGX code]",
    ),
    arg("runs", Takes::Value("NUMBER"), "Maximum number of runs of the command [default: 5000]"),
    arg(
        "timeout",
        Takes::Value("SECONDS"),
        "Time limit of a run; a run that exceeds it is discarded [default: 10]",
    ),
    arg("COMMAND", Takes::Rest, "Command, with {} for the input [default: agxc compile {}]"),
];

/// The result of a run of the command.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Observed {
    code: Option<i32>,
    printed: String,
}

/// The command, and the conditions for the same failure.
struct Probe {
    words: Vec<String>,
    candidate: PathBuf,
    printed: PathBuf,
    timeout: Duration,
    code: Option<i32>,
    message: String,
    runs_left: u64,
}

/// Reduces the input and writes the smallest one that still fails.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let name = options.get_one::<String>("FILE").map_or("-", String::as_str);
    let file = input::read(name, compile::kind(options), context)?;
    let folder = std::env::temp_dir().join(format!("agxc-reduce-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| Failure::file(&folder.display().to_string(), &error))?;
    let result = in_folder(&file, &folder, options, context);
    // A temporary folder; ignore errors.
    let _ = std::fs::remove_dir_all(&folder);
    let smallest = result?;
    match smallest.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()) {
        true => output::text(
            options.get_one::<String>("output").map(String::as_str),
            &String::from_utf8_lossy(&smallest),
        ),
        false => output::binary(options.get_one::<String>("output").map(String::as_str), &smallest),
    }
}

fn in_folder(
    file: &input::File,
    folder: &Path,
    options: &ArgMatches,
    context: &Context,
) -> Result<Vec<u8>, Failure> {
    let mut probe = Probe::new(&file.name, folder, options)?;
    let first = probe.observe(&file.bytes)?;
    if first.code == Some(0) {
        return Err(file.problem(600, "the command succeeds on the input, so there is nothing to reduce"));
    }
    probe.code = first.code;
    if probe.message.is_empty() {
        probe.message = first_code(&first.printed).to_owned();
    } else if !first.printed.contains(&probe.message) {
        return Err(file.problem(600, &format!("the command does not print `{}`", probe.message)));
    }
    let mut smallest = Units::of(file.kind, &file.bytes);
    let units = smallest.clone();
    let before = units.len();
    let outcome = reduce(units, |candidate| {
        if probe.runs_left == 0 {
            return Err(None);
        }
        let fails = probe.fails(&candidate.bytes()).map_err(Some)?;
        if fails {
            smallest = candidate.clone();
        }
        Ok(fails)
    });
    if let Err(Some(failure)) = outcome {
        return Err(failure);
    }
    context.note(|| format!("{}: {} of {before} units left", file.name, smallest.len()));
    Ok(smallest.bytes())
}

/// The first `AGX0123` in a text.
fn first_code(printed: &str) -> &str {
    let codes = printed.match_indices("AGX").filter_map(|(at, _)| printed.get(at..at + 7));
    codes.into_iter().find(|code| code[3..].bytes().all(|digit| digit.is_ascii_digit())).unwrap_or("")
}

impl Probe {
    fn new(name: &str, folder: &Path, options: &ArgMatches) -> Result<Probe, Failure> {
        let number = |name: &str, default: u64| match options.get_one::<String>(name) {
            None => Ok(default),
            Some(text) => text
                .parse()
                .map_err(|_| Failure::usage(format!("--{name}: expected a number, found `{text}`"))),
        };
        let mut words: Vec<String> =
            options.get_many::<String>("COMMAND").into_iter().flatten().cloned().collect();
        if words.is_empty() {
            let own = std::env::current_exe().map_err(|error| Failure::file("agxc", &error))?;
            words = vec![own.to_string_lossy().into_owned(), "compile".to_owned(), "{}".to_owned()];
        }
        if words.iter().all(|word| !word.contains("{}")) {
            words.push("{}".to_owned());
        }
        let base = Path::new(name).file_name().map_or_else(|| "input".into(), |base| base.to_owned());
        Ok(Probe {
            words,
            candidate: folder.join(base),
            printed: folder.join("printed"),
            timeout: Duration::from_secs(number("timeout", 10)?),
            code: None,
            message: options.get_one::<String>("message").cloned().unwrap_or_default(),
            runs_left: number("runs", 5000)?,
        })
    }

    /// Whether the command fails on `bytes` as it does on the whole input.
    fn fails(&mut self, bytes: &[u8]) -> Result<bool, Failure> {
        let found = self.observe(bytes)?;
        Ok(found.code == self.code && found.printed.contains(&self.message))
    }

    /// Runs the command on `bytes`. A run that exceeds the time limit has no exit code and no output.
    fn observe(&mut self, bytes: &[u8]) -> Result<Observed, Failure> {
        self.runs_left = self.runs_left.saturating_sub(1);
        let failed = |path: &Path, error: std::io::Error| Failure::file(&path.display().to_string(), &error);
        std::fs::write(&self.candidate, bytes).map_err(|error| failed(&self.candidate, error))?;
        let printed = std::fs::File::create(&self.printed).map_err(|error| failed(&self.printed, error))?;
        let also = printed.try_clone().map_err(|error| failed(&self.printed, error))?;
        let path = self.candidate.to_string_lossy();
        let mut words = self.words.iter().map(|word| word.replace("{}", &path));
        let program = words.next().unwrap_or_default();
        let mut child = Command::new(&program)
            .args(words)
            .stdin(Stdio::null())
            .stdout(printed)
            .stderr(also)
            .spawn()
            .map_err(|error| Diagnostic::new(2, error.to_string()).in_file(&program))?;
        let begin = Instant::now();
        let code = loop {
            let status = child.try_wait().map_err(|error| Failure::file(&program, &error))?;
            if let Some(status) = status {
                break status.code().or(Some(-1));
            }
            if begin.elapsed() > self.timeout {
                // This fails if the process has already ended; `wait` follows in either case.
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        let printed = std::fs::read(&self.printed).map_err(|error| failed(&self.printed, error))?;
        Ok(Observed { code, printed: String::from_utf8_lossy(&printed).into_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_code_is_found() {
        assert_eq!(first_code("a AGX b: error[AGX0201]: AGX0300"), "AGX0201");
        assert_eq!(first_code("AGXabcd AGX12"), "");
    }
}
