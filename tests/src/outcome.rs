//! Outcomes of test cases, and their counts.

use std::collections::BTreeMap;

use agx_compiler::{CompileError, ErrorKind, Location};
use serde_json::{Map, Value, json};

/// The outcome of one case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The case ran, and every expectation is met.
    Pass,
    /// Wrong result, a finding of the strict machine, a panic, or a valid input rejected as invalid.
    Fail(String),
    /// The compiler or the machine reports an unsupported feature.
    Unsupported(String),
    /// Not run, because something outside the project is missing.
    Skipped(String),
}

impl Outcome {
    /// The reason, unless the case passed.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Outcome::Pass => None,
            Outcome::Fail(reason) | Outcome::Unsupported(reason) | Outcome::Skipped(reason) => Some(reason),
        }
    }
}

impl From<CompileError> for Outcome {
    /// Errors about unsupported features are unsupported. All other errors are failures, because the inputs of all
    /// suites are valid.
    fn from(error: CompileError) -> Outcome {
        match error.kind() {
            ErrorKind::Unsupported => match &error.location {
                Location::Word { opcode: Some(opcode), .. } => {
                    Outcome::Unsupported(format!("{opcode}: {}", error.message()))
                }
                _ => Outcome::Unsupported(error.message()),
            },
            _ => Outcome::Fail(format!("compile: {error}")),
        }
    }
}

impl From<Result<(), Outcome>> for Outcome {
    /// `Err` is the outcome that is not a pass.
    fn from(result: Result<(), Outcome>) -> Outcome {
        result.err().unwrap_or(Outcome::Pass)
    }
}

/// A case with its name and outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaseResult {
    /// Name, unique within the suite.
    pub name: String,
    /// Its outcome.
    pub outcome: Outcome,
}

/// Number of cases by outcome.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Cases that passed.
    pub pass: usize,
    /// Cases that failed.
    pub fail: usize,
    /// Cases refused as unsupported.
    pub unsupported: usize,
    /// Cases not run.
    pub skipped: usize,
}

impl Tally {
    /// Counts `cases`.
    pub fn of(cases: &[CaseResult]) -> Tally {
        let mut tally = Tally::default();
        for case in cases {
            *match case.outcome {
                Outcome::Pass => &mut tally.pass,
                Outcome::Fail(_) => &mut tally.fail,
                Outcome::Unsupported(_) => &mut tally.unsupported,
                Outcome::Skipped(_) => &mut tally.skipped,
            } += 1;
        }
        tally
    }

    /// All cases.
    pub fn total(&self) -> usize {
        self.pass + self.fail + self.unsupported + self.skipped
    }

    /// Passes among the cases that were run; `None` if none was.
    pub fn rate(&self) -> Option<f64> {
        let run = self.total() - self.skipped;
        (run > 0).then(|| self.pass as f64 / run as f64)
    }
}

/// The result of a suite.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SuiteReport {
    /// Every case, in the order of the input.
    pub cases: Vec<CaseResult>,
    /// Additional figures, by name.
    pub extra: Map<String, Value>,
    /// The reason why the suite was not run.
    pub absent: Option<String>,
}

impl SuiteReport {
    /// A suite with these cases.
    pub fn new(cases: Vec<CaseResult>) -> SuiteReport {
        SuiteReport { cases, ..SuiteReport::default() }
    }

    /// A suite that was not run.
    pub fn absent(reason: impl Into<String>) -> SuiteReport {
        SuiteReport { absent: Some(reason.into()), ..SuiteReport::default() }
    }

    /// The counts.
    pub fn tally(&self) -> Tally {
        Tally::of(&self.cases)
    }

    /// The extra figure at `path`: a name, or a group and a name with a dot between them.
    pub fn figure(&self, path: &str) -> Option<f64> {
        let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
        let value = self.extra.get(first)?;
        rest.map_or(Some(value), |name| value.get(name))?.as_f64()
    }

    /// The JSON form: counts, then the extra figures.
    pub fn json(&self) -> Value {
        let tally = self.tally();
        let mut object = json!({
            "pass": tally.pass,
            "fail": tally.fail,
            "unsupported": tally.unsupported,
            "skipped": tally.skipped,
            "total": tally.total(),
        });
        if let Value::Object(map) = &mut object {
            if let Some(reason) = &self.absent {
                map.insert("absent".into(), reason.as_str().into());
            }
            map.extend(self.extra.clone());
        }
        object
    }

    /// Reasons for one kind of outcome with their number, most frequent first. Details such as register numbers are
    /// ignored.
    pub fn reasons(&self, of_kind: fn(&Outcome) -> bool) -> Vec<(usize, String)> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for case in self.cases.iter().filter(|case| of_kind(&case.outcome)) {
            *counts.entry(without_particulars(case.outcome.reason().unwrap_or_default())).or_default() += 1;
        }
        let mut reasons: Vec<(usize, String)> =
            counts.into_iter().map(|(text, count)| (count, text)).collect();
        reasons.sort_by(|left, right| right.0.cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
        reasons
    }
}

/// The general part of a reason: its first line up to a bracket with a location, quoted instructions reduced to their
/// names, without registers and numbers.
fn without_particulars(reason: &str) -> String {
    let line = reason.lines().next().unwrap_or_default();
    let line = [" (workgroup ", "; case ", ": got "]
        .iter()
        .fold(line, |line, mark| line.split(mark).next().unwrap_or(line));
    let mut result = String::new();
    for (index, part) in line.split('`').enumerate() {
        // Odd parts are between quotes.
        let part = if index % 2 == 1 { part.split([' ', '.']).next().unwrap_or_default() } else { part };
        let quote = if index == 0 { "" } else { "`" };
        result.push_str(&format!("{quote}{}", without_numbers(part)));
    }
    result
}

/// `text` with every separate number, and every number of a register, replaced by `#`.
fn without_numbers(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let end = rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || ".%".contains(letter)));
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()).max(letter.len_utf8()));
        let number = word.trim_start_matches(['r', 'u', 'b', '%']);
        let is_number = number.starts_with(|first: char| first.is_ascii_digit());
        result.push_str(if is_number { "#" } else { word });
        rest = after;
    }
    result
}

#[cfg(test)]
mod tests {
    use agx_compiler::{CompileKey, Compiler, Input, Scratch};

    use super::*;

    fn case(outcome: Outcome) -> CaseResult {
        CaseResult { name: "case".into(), outcome }
    }

    /// The error for a module with one instruction.
    fn error_of(instruction: &[u32]) -> CompileError {
        let header = [0x0723_0203, 0x0001_0000, 0, 8, 0];
        let module: Vec<u8> = header.iter().chain(instruction).flat_map(|word| word.to_le_bytes()).collect();
        let (compiler, key) = (Compiler::default(), CompileKey::default());
        compiler.compile(&mut Scratch::default(), Input::spirv(&module), &key).expect_err("a wrong module")
    }

    #[test]
    fn kinds_of_errors_become_outcomes() {
        let pipes = [0x0002_0011, 17];
        let message = "OpCapability: capability Pipes is not supported";
        assert_eq!(Outcome::from(error_of(&pipes)), Outcome::Unsupported(message.into()));
        let unknown = [0x0002_0011, 60_000];
        assert!(matches!(Outcome::from(error_of(&unknown)), Outcome::Fail(_)));
    }

    #[test]
    fn rate_counts_what_was_run() {
        let cases = [
            case(Outcome::Pass),
            case(Outcome::Fail("f".into())),
            case(Outcome::Unsupported("u".into())),
            case(Outcome::Pass),
            case(Outcome::Skipped("s".into())),
        ];
        let tally = Tally::of(&cases);
        assert_eq!(tally, Tally { pass: 2, fail: 1, unsupported: 1, skipped: 1 });
        assert_eq!(tally.rate(), Some(0.5));
        assert_eq!(Tally { skipped: 3, ..Tally::default() }.rate(), None);
    }

    #[test]
    fn reasons_are_gathered_without_numbers() {
        assert_eq!(
            without_particulars("word 12 of 0x1f: r3l is 4.5, OpFoo2\nmore"),
            "word # of #: # is #, OpFoo2"
        );
        let finding =
            "strict: 0x000c `store.i32.x r1, u2_u3, r0`: r1l is read too early (workgroup 0,0,0, lane 3)";
        assert_eq!(without_particulars(finding), "strict: # `store`: # is read too early");
        assert_eq!(without_particulars("wrong: 1 of 2 cases; case 0: got 7, want 8"), "wrong: # of # cases");
        assert_eq!(without_particulars("é `ü` 7"), "é `ü` #");
        let report = SuiteReport::new(vec![
            case(Outcome::Fail("lane 1".into())),
            case(Outcome::Fail("other".into())),
            case(Outcome::Fail("lane 22".into())),
            case(Outcome::Pass),
        ]);
        assert_eq!(
            report.reasons(|outcome| matches!(outcome, Outcome::Fail(_))),
            [(2, "lane #".into()), (1, "other".into())]
        );
    }

    #[test]
    fn json_has_the_counts_and_the_extras() {
        let mut report = SuiteReport::new(vec![case(Outcome::Pass)]);
        report.extra.insert("ratio".into(), json!(0.5));
        let expected =
            json!({"pass": 1, "fail": 0, "unsupported": 0, "skipped": 0, "total": 1, "ratio": 0.5});
        assert_eq!(report.json(), expected);
    }
}
