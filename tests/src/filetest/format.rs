//! The format of a file test: a line `test PASS…`, then functions, each followed by `;` lines with expectations.

use agx_abi::Stage;
use thiserror::Error;

/// A file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileTest {
    /// The contents of the first line: names of passes, or `validate`.
    pub passes: Vec<String>,
    /// Settings for passes, given on the first line as `name=value`.
    pub settings: Vec<(String, u32)>,
    /// The functions with their expectations.
    pub functions: Vec<FunctionTest>,
    lines: Vec<String>,
}

/// A function and its expectations. Lines count from 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FunctionTest {
    /// Line of the function's header.
    pub first_line: usize,
    /// Text of the function without expectations.
    pub source: String,
    /// Expected output after the passes; `None` if the file has none.
    pub output: Option<Vec<String>>,
    /// Whether the passes must not change anything.
    pub unchanged: bool,
    /// Executions with their results.
    pub runs: Vec<Run>,
    /// Expected messages: the line, and a part of their text.
    pub errors: Vec<(usize, String)>,
    /// Lines of the expected output, for rewriting: the first and one past the last.
    output_lines: (usize, usize),
}

/// `; run: @name(arguments) == results`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// Its line.
    pub line: usize,
    /// Literals of the arguments.
    pub arguments: Vec<String>,
    /// Literals of the results.
    pub results: Vec<String>,
}

/// An error in the format of a file.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {}: {message}", .line + 1)]
pub struct FormatError {
    line: usize,
    message: String,
}

impl FileTest {
    /// Reads a file.
    ///
    /// # Errors
    /// [`FormatError`] names the line.
    pub fn parse(text: &str) -> Result<FileTest, FormatError> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let error = |line, message: &str| FormatError { line, message: message.into() };
        let head = lines.first().and_then(|line| line.strip_prefix("test "));
        let head = head.ok_or_else(|| error(0, "the first line is `test PASS…`"))?;
        let (settings, passes): (Vec<&str>, Vec<&str>) =
            head.split_whitespace().partition(|word| word.contains('='));
        let passes: Vec<String> = passes.into_iter().map(str::to_owned).collect();
        let setting =
            |word: &str| parse_setting(word).ok_or_else(|| error(0, &format!("unknown setting {word}")));
        let settings = settings.into_iter().map(setting).collect::<Result<Vec<_>, _>>()?;
        let mut functions: Vec<FunctionTest> = Vec::new();
        let mut in_remark = true;
        for (number, line) in lines.iter().enumerate().skip(1) {
            if line.starts_with("kernel ") {
                functions.push(FunctionTest {
                    first_line: number,
                    output_lines: (number, number),
                    ..FunctionTest::default()
                });
                in_remark = false;
            } else if line.trim().is_empty() {
                in_remark = true;
                continue;
            }
            match (functions.last_mut(), in_remark, line.strip_prefix(';')) {
                (Some(function), false, Some(comment)) => function.expect(number, comment)?,
                (Some(function), false, None) => function.add_source(number, line)?,
                (_, true, Some(_)) => {}
                (_, true, None) | (None, false, _) => {
                    return Err(error(number, "a line outside a function is empty or begins with `;`"));
                }
            }
        }
        if passes.is_empty() || functions.is_empty() {
            return Err(error(0, "a test names at least one pass and has at least one function"));
        }
        Ok(FileTest { passes, settings, functions, lines })
    }

    /// The text of the file with new expected outputs, one per function; `None` leaves a function unchanged.
    pub fn rewritten(&self, outputs: &[Option<Vec<String>>]) -> String {
        let mut lines = self.lines.clone();
        for (function, output) in self.functions.iter().zip(outputs).rev() {
            let Some(output) = output else { continue };
            let (start, end) = function.output_lines;
            lines.splice(start..end, output.iter().map(|line| comment(line)));
        }
        lines.join("\n") + "\n"
    }
}

fn comment(line: &str) -> String {
    if line.is_empty() { ";".into() } else { format!("; {line}") }
}

impl FunctionTest {
    /// Whether there is any expectation.
    pub fn expects_something(&self) -> bool {
        self.output.is_some() || self.unchanged || !self.runs.is_empty() || !self.errors.is_empty()
    }

    fn add_source(&mut self, number: usize, line: &str) -> Result<(), FormatError> {
        if self.expects_something() && self.errors.is_empty() {
            let message = "a function's text ends before its expectations".into();
            return Err(FormatError { line: number, message });
        }
        let (code, comment) = line.split_once(';').unwrap_or((line, ""));
        if let Some(message) = comment.trim().strip_prefix("error:") {
            self.errors.push((number, message.trim().to_owned()));
        }
        self.source.push_str(code.trim_end());
        self.source.push('\n');
        self.output_lines = (number + 1, number + 1);
        Ok(())
    }

    /// Parses an expectation in a comment below the function.
    fn expect(&mut self, number: usize, comment: &str) -> Result<(), FormatError> {
        let text = comment.strip_prefix(' ').unwrap_or(comment).trim_end();
        if text == "unchanged" {
            self.unchanged = true;
        } else if let Some(run) = text.strip_prefix("run:") {
            let message = || FormatError { line: number, message: "a run is `@name(…) == …`".into() };
            self.runs.push(parse_run(number, run).ok_or_else(message)?);
        } else if let Some(message) = text.strip_prefix("error:") {
            self.errors.push((self.first_line, message.trim().to_owned()));
        } else {
            let output = self.output.get_or_insert_default();
            if output.is_empty() {
                self.output_lines = (number, number);
            }
            if self.output_lines.1 != number {
                return Err(FormatError {
                    line: number,
                    message: "the expected output is in one piece".into(),
                });
            }
            output.push(text.to_owned());
            self.output_lines.1 = number + 1;
        }
        Ok(())
    }
}

/// Names of the settings.
const SETTINGS: [&str; 6] =
    ["constant_words", "max_gpr_halves", "paired", "scratch_bytes", "spill_everything", "stage"];

/// Pipeline stages, by their number in the setting `stage`.
pub const STAGES: [Stage; 3] = [Stage::Compute, Stage::Vertex, Stage::Fragment];

fn parse_setting(word: &str) -> Option<(String, u32)> {
    let (name, value) = word.split_once('=')?;
    let stage = || STAGES.iter().position(|stage| stage.name() == value).map(|at| at as u32);
    let value = if name == "stage" { stage()? } else { value.parse().ok()? };
    SETTINGS.contains(&name).then_some((name.to_owned(), value))
}

fn parse_run(line: usize, text: &str) -> Option<Run> {
    let (call, results) = text.split_once("==")?;
    let (name, arguments) = call.trim().strip_suffix(')')?.split_once('(')?;
    name.trim().strip_prefix('@')?;
    let list = |text: &str| {
        text.split(',').map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect::<Vec<_>>()
    };
    Some(Run { line, arguments: list(arguments), results: list(results) })
}

/// Line of every instruction of a function's text, in order of appearance, as offsets from the function's header.
pub fn instruction_lines(source: &str) -> Vec<usize> {
    let is_instruction = |line: &str| {
        let line = line.trim();
        let line = match line.split_once(':') {
            Some((label, rest)) if is_label(label) => rest.trim(),
            _ => line,
        };
        let line = line.trim_start_matches(['}', ' ']);
        !(line.is_empty() || ["{", "else {", "loop {", "scope {"].contains(&line))
    };
    source
        .lines()
        .enumerate()
        .skip(1)
        .filter(|(_, line)| is_instruction(line))
        .map(|(number, _)| number)
        .collect()
}

fn is_label(text: &str) -> bool {
    text.strip_prefix('b').is_some_and(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
test opt_cse opt_dce
; A remark on the file.
kernel @twice(%0:32) stage source {
b0:  %1:32 = fmul %0, %0
     %2:32 = fmul %0, %0
     keep %1, %2
}
; %1:32 = fmul %0, %0
; keep %1, %1
; run: @twice(3.0) == 9.0, 9.0

; A remark on the second function.
kernel @same() stage source {
b0:
    keep %9    ; error: %9 is never defined
}
; unchanged
";

    #[test]
    fn a_file_has_functions_with_expectations() {
        let test = FileTest::parse(FILE).expect("well-formed");
        assert_eq!(test.passes, ["opt_cse", "opt_dce"]);
        let [twice, same] = test.functions.as_slice() else { panic!("two functions expected") };
        assert_eq!(twice.first_line, 2);
        assert_eq!(
            twice.output.as_deref(),
            Some(["%1:32 = fmul %0, %0".into(), "keep %1, %1".into()].as_slice())
        );
        let run = Run { line: 9, arguments: vec!["3.0".into()], results: vec!["9.0".into(), "9.0".into()] };
        assert_eq!(twice.runs, [run]);
        assert!(
            twice.source.starts_with("kernel @twice(%0:32) stage source {\n")
                && twice.source.ends_with("}\n")
        );
        assert_eq!(same.errors, [(14, "%9 is never defined".to_owned())]);
        assert!(same.unchanged && !same.source.contains(';'));
    }

    #[test]
    fn rewriting_replaces_outputs_and_nothing_else() {
        let test = FileTest::parse(FILE).expect("well-formed");
        assert_eq!(test.rewritten(&[None, None]), FILE);
        let same = test.functions[0].output.clone();
        assert_eq!(test.rewritten(&[same, None]), FILE);
        let other = test.rewritten(&[Some(vec!["new".into()]), Some(vec!["x".into(), String::new()])]);
        assert!(other.contains("}\n; new\n; run: @twice"), "{other}");
        assert!(other.contains("}\n; x\n;\n; unchanged\n"), "{other}");
        assert!(other.contains("; A remark on the second function.\n"), "{other}");
    }

    #[test]
    fn malformed_files_are_refused_with_their_line() {
        let refused = |text: &str| FileTest::parse(text).expect_err(text).to_string();
        assert!(refused("kernel @f() {\n}\n").starts_with("line 1:"));
        assert!(refused("test a\n").contains("at least one function"));
        assert!(refused("test a max=1\nkernel @f() {\n}\n; x\n").contains("max=1"));
        assert!(refused("test a\nrubbish\n").starts_with("line 2:"));
        assert!(refused("test a\nkernel @f() {\n}\n; run: f(1)\n").starts_with("line 4:"));
        assert!(refused("test a\nkernel @f() {\n}\n; x\n; unchanged\n; y\n").starts_with("line 6:"));
        assert!(refused("test a\nkernel @f() {\n}\n; x\nkeep\n").starts_with("line 5:"));
    }

    #[test]
    fn instructions_have_lines() {
        let source = "kernel @f() {\nb0: %1:1 = a\n    if %1 {\nb1:\n    keep 1\n} else {\nb2:\n} loop {\n} trap\nb3: loop {\n}\n";
        assert_eq!(instruction_lines(source), [1, 2, 4, 8]);
    }
}
