//! Runs cases in processes of a program of Khronos' suites. A process that crashes or hangs costs one case; the others run again in a new one.

use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use crate::outcome::Outcome;

/// Time limit of a case.
pub const LIMIT: Duration = Duration::from_secs(60);
/// Time limit until a process prints its first line, in which it builds the tree of its cases.
const START: Duration = Duration::from_secs(180);

/// The words with which the program reports a case, and whether they count as a pass. Others count as failures. Warnings are accepted for a conformant
/// implementation.
const PASSES: [&str; 4] = ["Pass", "QualityWarning", "CompatibilityWarning", "Waiver"];
const UNSUPPORTED: &str = "NotSupported";

/// The result of a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ran {
    /// Its name.
    pub name: String,
    /// Its outcome, without regard to findings.
    pub outcome: Outcome,
    /// The first finding of the device during the case.
    pub finding: Option<String>,
}

/// How processes are started.
pub struct Runner<F> {
    /// Makes the command, without the options that name the cases.
    pub command: F,
    /// A folder for files of this runner alone.
    pub folder: PathBuf,
    /// Time limit of a case.
    pub limit: Duration,
}

impl<F: Fn() -> Command> Runner<F> {
    /// Runs the cases. The program orders them itself; results are in the order in which they ended.
    ///
    /// # Errors
    /// A process cannot be started.
    pub fn run(&self, names: &[&str]) -> Result<Vec<Ran>, String> {
        let mut results: Vec<Ran> = Vec::with_capacity(names.len());
        let mut work = vec![names.to_vec()];
        while let Some(names) = work.pop() {
            let before = results.len();
            self.process(&names, &mut results)?;
            let done: HashSet<&str> = results[before..].iter().map(|ran| ran.name.as_str()).collect();
            let rest: Vec<&str> = names.iter().copied().filter(|name| !done.contains(name)).collect();
            match (rest.as_slice(), done.is_empty()) {
                ([], _) => {}
                ([name], true) => {
                    let outcome = Outcome::Fail("the process ended before the case".into());
                    results.push(Ran { name: (*name).to_owned(), outcome, finding: None });
                }
                // One of the cases ends the process before any can run.
                (rest, true) => work.extend(rest.chunks(rest.len().div_ceil(2)).map(<[&str]>::to_vec)),
                (_, false) => work.push(rest),
            }
        }
        Ok(results)
    }

    /// Runs cases until the process ends; each that started adds a result.
    fn process(&self, names: &[&str], results: &mut Vec<Ran>) -> Result<(), String> {
        let text = |error: std::io::Error| error.to_string();
        let (list, report) = (self.folder.join("cases.txt"), self.folder.join("findings.txt"));
        std::fs::write(&list, names.join("\n") + "\n").map_err(text)?;
        std::fs::write(&report, "").map_err(text)?;
        let mut command = (self.command)();
        command.arg(format!("--deqp-caselist-file={}", list.display()));
        command.args(["--deqp-log-filename=/dev/null", "--deqp-log-images=disable"]);
        command.args(["--deqp-log-shader-sources=disable", "--deqp-log-flush=disable"]);
        command.env("AGX_DEVICE_REPORT", &report);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(text)?;
        let lines = lines_of(&mut child, &report);
        let mut reader = Reader { names, results, running: None, report: &report, seen: 0 };
        let ended = reader.read(&lines, self.limit);
        // The process may have ended by itself.
        let _ = child.kill();
        let status = child.wait().map_err(text)?;
        if let Some(at) = reader.running.take() {
            let reason = match ended {
                Ended::Quiet => format!("time-out: no result after {} s", self.limit.as_secs()),
                Ended::Closed => format!("crash: {status}"),
            };
            reader.finish(at, Outcome::Fail(reason), u64::MAX);
        }
        Ok(())
    }
}

/// A line that a process printed.
struct Line {
    text: String,
    /// Bytes of the device's report when it arrived. A case takes much longer than reading a line, so findings up to here
    /// belong to cases up to here.
    reported: u64,
}

/// The lines that a process prints, read by a thread that ends with its output.
fn lines_of(child: &mut Child, report: &Path) -> Receiver<Line> {
    let report = report.to_owned();
    let (sender, receiver) = channel();
    if let Some(output) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut reader = BufReader::new(output);
            let mut bytes = Vec::new();
            while reader.read_until(b'\n', &mut bytes).is_ok_and(|count| count > 0) {
                let reported = report.metadata().map_or(0, |data| data.len());
                let text = String::from_utf8_lossy(&bytes).trim_end().to_owned();
                if sender.send(Line { text, reported }).is_err() {
                    break;
                }
                bytes.clear();
            }
        });
    }
    receiver
}

/// Why a process's output ended.
enum Ended {
    /// Its output is closed.
    Closed,
    /// It printed nothing for too long.
    Quiet,
}

/// Reads the output of a process.
struct Reader<'r> {
    names: &'r [&'r str],
    results: &'r mut Vec<Ran>,
    /// The name of the case that is running.
    running: Option<String>,
    /// The device's report, and the number of bytes of it that belong to earlier cases.
    report: &'r Path,
    seen: usize,
}

impl Reader<'_> {
    fn read(&mut self, lines: &Receiver<Line>, of_case: Duration) -> Ended {
        let mut limit = START;
        loop {
            match lines.recv_timeout(limit) {
                Ok(line) => self.line(&line),
                Err(RecvTimeoutError::Timeout) => return Ended::Quiet,
                Err(RecvTimeoutError::Disconnected) => return Ended::Closed,
            }
            limit = of_case;
        }
    }

    fn line(&mut self, Line { text: line, reported }: &Line) {
        if let Some(name) = line.strip_prefix("Test case '").and_then(|rest| rest.split('\'').next()) {
            self.running = self.names.contains(&name).then(|| name.to_owned());
            return;
        }
        let Some((word, detail)) = result_of(line) else { return };
        let Some(name) = self.running.take() else { return };
        let outcome = match word {
            _ if PASSES.contains(&word) => Outcome::Pass,
            UNSUPPORTED => Outcome::Unsupported(detail.to_owned()),
            _ => Outcome::Fail(format!("{word}: {detail}")),
        };
        self.finish(name, outcome, *reported);
    }

    fn finish(&mut self, name: String, outcome: Outcome, reported: u64) {
        let text = std::fs::read(self.report).unwrap_or_default();
        let end = text.len().min(reported as usize);
        let new = String::from_utf8_lossy(text.get(self.seen..end).unwrap_or_default()).into_owned();
        self.seen = end;
        let finding = new.lines().find(|line| line.contains("finding: ")).map(str::to_owned);
        self.results.push(Ran { name, outcome, finding });
    }
}

/// The word and the detail of a result line, `  Word (detail)`.
fn result_of(line: &str) -> Option<(&str, &str)> {
    let (word, detail) = line.strip_prefix("  ")?.split_once(" (")?;
    let is_word = !word.is_empty() && word.chars().all(|letter| letter.is_ascii_alphabetic());
    is_word.then(|| (word, detail.strip_suffix(')').unwrap_or(detail)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Prints as the program does. Cases named `crash` and `hang` do so, `early` ends the program before any case,
    /// `finding` writes to the device's report.
    const PROGRAM: &str = r#"
        for option in "$@"; do case $option in --deqp-caselist-file=*) list=${option#*=};; esac; done
        echo 'dEQP Core'
        if grep -q early "$list"; then exit 1; fi
        sort "$list" >"$list.sorted"
        while read -r name; do
            sleep 0.1
            echo "Test case '$name'.."
            case $name in
                *crash) kill -s SEGV $$;;
                *hang) sleep 30;;
                *finding) echo 'finding: a word' >>"$AGX_DEVICE_REPORT"; echo '  Pass (Pass)';;
                *absent) echo '  NotSupported (no such format (R8))';;
                *warning) echo '  QualityWarning (slow)';;
                *wrong) echo '  Fail (Image mismatch)';;
                *) echo '  Pass (ok)';;
            esac
            echo
        done <"$list.sorted"
        "#;

    fn run(names: &[&str]) -> Vec<(String, Outcome, bool)> {
        let folder = std::env::temp_dir().join(format!("agx-cts-{}-{}", std::process::id(), names.join("-")));
        std::fs::create_dir_all(&folder).expect("a folder");
        let command = || {
            let mut command = Command::new("sh");
            command.args(["-c", PROGRAM, "deqp-vk"]);
            command
        };
        let runner = Runner { command, folder: folder.clone(), limit: Duration::from_secs(2) };
        let mut ran = runner.run(names).expect("a shell");
        std::fs::remove_dir_all(&folder).expect("the folder");
        ran.sort_by(|left, right| left.name.cmp(&right.name));
        ran.into_iter().map(|ran| (ran.name, ran.outcome, ran.finding.is_some())).collect()
    }

    #[test]
    fn words_become_outcomes_and_findings_belong_to_their_case() {
        let found = run(&["e-plain", "d-wrong", "c-warning", "b-finding", "a-absent"]);
        let expected = [
            ("a-absent", Outcome::Unsupported("no such format (R8)".into()), false),
            ("b-finding", Outcome::Pass, true),
            ("c-warning", Outcome::Pass, false),
            ("d-wrong", Outcome::Fail("Fail: Image mismatch".into()), false),
            ("e-plain", Outcome::Pass, false),
        ];
        assert_eq!(found, expected.map(|(name, outcome, finding)| (name.to_owned(), outcome, finding)));
    }

    #[test]
    fn crashes_and_hangs_cost_one_case() {
        let found = run(&["a", "b-crash", "c", "d-hang", "e"]);
        let outcomes: Vec<&Outcome> = found.iter().map(|(_, outcome, _)| outcome).collect();
        let [Outcome::Pass, Outcome::Fail(crash), Outcome::Pass, Outcome::Fail(hang), Outcome::Pass] =
            *outcomes
        else {
            panic!("{found:?}");
        };
        assert!(crash.starts_with("crash: "), "{crash}");
        assert_eq!(hang, "time-out: no result after 2 s");
    }

    #[test]
    fn a_case_that_ends_the_program_at_its_start_costs_itself() {
        let found = run(&["a", "b", "c-early", "d", "e"]);
        let failed: Vec<&str> = found
            .iter()
            .filter(|(_, outcome, _)| *outcome != Outcome::Pass)
            .map(|(name, ..)| name.as_str())
            .collect();
        assert_eq!((found.len(), failed), (5, vec!["c-early"]));
    }
}
