//! `agxc reduce`: reduces an input on which a command fails.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::ArgMatches;

use super::{Arg, Takes, arg, compile};
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};
use crate::interrupt::Temporary;
use crate::reduce::{Units, reduce};
use crate::{input, interrupt, output};

/// Options of this command.
pub const ARGS: &[Arg] = &[
    arg("FILE", Takes::Word, "Input that makes the command fail"),
    arg(
        "message",
        Takes::Value("TEXT"),
        "Text that the command must keep printing [default: its first error with an AGX code]",
    ),
    arg("runs", Takes::Value("NUMBER"), "Maximum number of runs of the command [default: 5000]"),
    arg(
        "timeout",
        Takes::Value("SECONDS"),
        "Time limit of a run; a run that exceeds it is discarded [default: 10]",
    ),
    arg("COMMAND", Takes::Rest, "Command, with {} for the input [default: agxc compile {}]"),
];

/// How a run of the command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ended {
    /// With this exit code.
    Exited(i32),
    /// By this signal, where signals exist.
    Killed(Option<i32>),
    /// It exceeded the time limit.
    TimedOut,
}

/// The result of a run of the command.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Observed {
    ended: Ended,
    /// Everything that it printed, without excerpts of the input.
    printed: String,
}

/// The command, and the conditions for the same failure.
struct Probe {
    words: Vec<String>,
    candidate: PathBuf,
    printed: PathBuf,
    timeout: Duration,
    ended: Ended,
    message: String,
    runs_left: u64,
}

/// Reduces the input and writes the smallest one that still fails.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let name = options.get_one::<String>("FILE").map_or("-", String::as_str);
    let file = input::read(name, compile::kind(options), context)?;
    let folder = std::env::temp_dir().join(format!("agxc-reduce-{}", std::process::id()));
    let folder = Temporary::new(folder);
    let failed = |error: std::io::Error| Failure::file(&folder.path().display().to_string(), &error);
    std::fs::create_dir_all(folder.path()).map_err(failed)?;
    let smallest = in_folder(&file, folder.path(), options, context)?;
    write(options.get_one::<String>("output").map(String::as_str), &smallest)
}

/// Writes an input to `target`.
fn write(target: Option<&str>, bytes: &[u8]) -> Result<(), Failure> {
    match bytes.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()) {
        true => output::text(target, &String::from_utf8_lossy(bytes)),
        false => output::binary(target, bytes),
    }
}

fn in_folder(
    file: &input::File,
    folder: &Path,
    options: &ArgMatches,
    context: &Context,
) -> Result<Vec<u8>, Failure> {
    let mut probe = Probe::new(file, folder, options)?;
    let first = probe.observe(&file.bytes)?;
    match first.ended {
        Ended::Exited(0) => {
            let message = "the command succeeds on the input, so there is nothing to reduce";
            return Err(file.problem(600, message));
        }
        Ended::TimedOut => {
            let seconds = probe.timeout.as_secs();
            let message = format!("the command takes more than {seconds} s on the input; raise --timeout");
            return Err(file.problem(600, &message));
        }
        ended => probe.ended = ended,
    }
    if probe.message.is_empty() {
        probe.message = first_error(&first.printed).to_owned();
    } else if !first.printed.contains(&probe.message) {
        let message = format!("the command does not print `{}` outside excerpts of the input", probe.message);
        return Err(file.problem(600, &message));
    }
    let units = Units::of(file.kind, &file.bytes);
    let before = units.len();
    let smallest = Arc::new(Mutex::new(units.clone()));
    keep_when_interrupted(&smallest, options);
    let outcome = reduce(units, |candidate| {
        if probe.runs_left == 0 {
            return Err(None);
        }
        let fails = probe.fails(&candidate.bytes()).map_err(Some)?;
        if fails {
            candidate.clone_into(&mut smallest.lock().unwrap_or_else(PoisonError::into_inner));
        }
        Ok(fails)
    });
    interrupt::forget_act();
    if let Err(Some(failure)) = outcome {
        return Err(failure);
    }
    let smallest = smallest.lock().unwrap_or_else(PoisonError::into_inner);
    context.note(|| format!("{}: {} of {before} units left", file.name, smallest.len()));
    Ok(smallest.bytes())
}

/// Writes the smallest input so far if a signal ends the run.
fn keep_when_interrupted(smallest: &Arc<Mutex<Units>>, options: &ArgMatches) {
    let (smallest, target) = (Arc::clone(smallest), options.get_one::<String>("output").cloned());
    interrupt::before_end(move || {
        let bytes = smallest.lock().unwrap_or_else(PoisonError::into_inner).bytes();
        let outcome = match write(target.as_deref(), &bytes) {
            Ok(()) => "the smallest input so far is written",
            Err(_) => "the smallest input so far cannot be written",
        };
        output::stderr_lines(&[format!("agxc: interrupted; {outcome}")]);
    });
}

/// The first error with an AGX code: from the code to the end of its line, without the path of a reproducer, which
/// differs between runs.
fn first_error(printed: &str) -> &str {
    let is_code =
        |word: &str| word.len() == 7 && word.get(3..).is_some_and(|digits| digits.parse::<u16>().is_ok());
    let mut found = printed.match_indices("AGX").filter_map(|(at, _)| printed.get(at..));
    let error = found.find(|rest| rest.get(..7).is_some_and(is_code)).unwrap_or_default();
    let line = error.lines().next().unwrap_or_default();
    line.find(" (reproducer: ").and_then(|at| line.get(..at)).unwrap_or(line)
}

/// `printed` without the excerpts that follow diagnostics: a numbered line of the input, and the line of its caret.
fn without_excerpts(printed: &str) -> String {
    let is_numbered = |line: &str| {
        let digits = line.trim_start().split_once(" | ").map_or("", |(digits, _)| digits);
        !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
    };
    let mut lines = Vec::new();
    // The number of lines that may be those of an excerpt.
    let mut excerpt = 0;
    for line in printed.lines() {
        match excerpt {
            2 if is_numbered(line) => excerpt = 1,
            1 if line.trim_start().starts_with('|') => excerpt = 0,
            _ => {
                excerpt = if line.contains("AGX") { 2 } else { 0 };
                lines.push(line);
            }
        }
    }
    lines.join("\n")
}

impl Probe {
    fn new(file: &input::File, folder: &Path, options: &ArgMatches) -> Result<Probe, Failure> {
        let number = |name: &str, default: u64| match options.get_one::<String>(name) {
            None => Ok(default),
            Some(text) => text.parse().ok().filter(|number| *number > 0).ok_or_else(|| {
                Failure::usage(format!("--{name}: expected a number of at least 1, found `{text}`"))
            }),
        };
        let mut words: Vec<String> =
            options.get_many::<String>("COMMAND").into_iter().flatten().cloned().collect();
        if words.is_empty() {
            let own = std::env::current_exe().map_err(|error| Failure::file("agxc", &error))?;
            // A pipe has no extension that names its language.
            let own = own.to_string_lossy().into_owned();
            words = [own.as_str(), "compile", "-x", file.kind.name(), "{}"].map(str::to_owned).to_vec();
        }
        if words.iter().all(|word| !word.contains("{}")) {
            words.push("{}".to_owned());
        }
        let base = Path::new(&file.name).file_name().map_or_else(|| "input".into(), |base| base.to_owned());
        Ok(Probe {
            words,
            candidate: folder.join(base),
            printed: folder.join("printed"),
            timeout: Duration::from_secs(number("timeout", 10)?),
            ended: Ended::TimedOut,
            message: options.get_one::<String>("message").cloned().unwrap_or_default(),
            runs_left: number("runs", 5000)?,
        })
    }

    /// Whether the command fails on `bytes` as it does on the whole input.
    fn fails(&mut self, bytes: &[u8]) -> Result<bool, Failure> {
        let found = self.observe(bytes)?;
        let same = found.ended == self.ended && found.ended != Ended::TimedOut;
        Ok(same && found.printed.contains(&self.message))
    }

    /// Runs the command on `bytes`.
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
        let ended = loop {
            let status = child.try_wait().map_err(|error| Failure::file(&program, &error))?;
            if let Some(status) = status {
                break status.code().map_or_else(|| Ended::Killed(signal(status)), Ended::Exited);
            }
            if begin.elapsed() > self.timeout {
                // This fails if the process has already ended; `wait` follows in either case.
                let _ = child.kill();
                let _ = child.wait();
                break Ended::TimedOut;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        let printed = std::fs::read(&self.printed).map_err(|error| failed(&self.printed, error))?;
        Ok(Observed { ended, printed: without_excerpts(&String::from_utf8_lossy(&printed)) })
    }
}

/// The signal that ended a process.
#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_status: ExitStatus) -> Option<i32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_is_found() {
        let printed = "a AGX b: error[AGX0201]: bad `x`\nc: error[AGX0300]: worse";
        assert_eq!(first_error(printed), "AGX0201]: bad `x`");
        let internal = "a: error[AGX0070]: panic at b.rs:1:2: c (reproducer: /tmp/agxc-reproducer-17; more)";
        assert_eq!(first_error(internal), "AGX0070]: panic at b.rs:1:2: c");
        assert_eq!(first_error("AGXabcd AGX12"), "");
    }

    #[test]
    fn excerpts_are_left_out() {
        let printed = "note\na:2:3: error[AGX2200]: bad\n    2 | x = y;\n      |     ^\n    2 | kept\nend";
        assert_eq!(without_excerpts(printed), "note\na:2:3: error[AGX2200]: bad\n    2 | kept\nend");
    }
}
