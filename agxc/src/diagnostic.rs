//! Diagnostics: one line each with an excerpt of the source, or JSON.

use std::borrow::Cow;
use std::io::Write as _;
use std::process::ExitCode;

use agx_compiler::{CompileError, Location};
use serde_json::json;

use crate::codes;
use crate::context::{Context, ErrorFormat};
use crate::{input, output};

/// The severity of a problem.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// It determines the exit code.
    Error,
    /// It does not affect the exit code.
    Warning,
}

impl Severity {
    fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// One problem.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Severity.
    pub severity: Severity,
    /// Number from [`codes::CODES`].
    pub code: u16,
    /// One sentence.
    pub message: String,
    /// Name of the input.
    pub file: Option<String>,
    /// Location in the input.
    pub location: Location,
}

impl Diagnostic {
    /// An error without a location.
    pub fn new(code: u16, message: impl Into<String>) -> Self {
        let message = message.into();
        Diagnostic { severity: Severity::Error, code, message, file: None, location: Location::Whole }
    }

    /// A warning without a location.
    pub fn warning(code: u16, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::new(code, message) }
    }

    /// The same problem in the input called `file`.
    pub fn in_file(mut self, file: &str) -> Self {
        self.file = Some(file.to_owned());
        self
    }

    /// The same problem at `location`.
    pub fn at(mut self, location: Location) -> Self {
        self.location = location;
        self
    }

    /// An error in the JSON file called `file`, at its line and column.
    pub fn from_json(error: &serde_json::Error, file: &str) -> Self {
        let text = error.to_string();
        let message = text.rsplit_once(" at line").map_or(text.as_str(), |(before, _)| before);
        let [line, column] = [error.line(), error.column()].map(|number| number.max(1) as u32);
        Diagnostic::new(104, message).in_file(file).at(Location::Text { line, column })
    }

    /// The compiler's error for the input called `file`.
    pub fn from_compiler(error: CompileError, file: &str) -> Self {
        let (code, message) = (error.code(), error.message());
        let location = match error.location {
            Location::Source { file, line, column } if input::is_the_input(&file) => {
                Location::Text { line, column: column.max(1) }
            }
            location => location,
        };
        Diagnostic::new(code, message).in_file(file).at(location)
    }

    /// `file:line:column: `, with the parts that are known.
    fn place(&self) -> String {
        let Some(file) = &self.file else { return "agxc: ".to_owned() };
        match &self.location {
            Location::Whole => format!("{file}: "),
            Location::Text { line, column } => format!("{file}:{line}:{column}: "),
            Location::Source { .. } => format!("{}: ", self.location),
            _ => format!("{file}: {}: ", self.location),
        }
    }

    /// Its place and message in one line.
    pub fn line(&self) -> String {
        format!("{}{}", self.place(), self.message)
    }

    /// As a JSON object.
    pub fn json(&self) -> serde_json::Value {
        let (line, column) = match self.location {
            Location::Text { line, column } | Location::Source { line, column, .. } => {
                (Some(line), Some(column))
            }
            _ => (None, None),
        };
        let file = match &self.location {
            Location::Source { file, .. } => Some(file),
            _ => self.file.as_ref(),
        };
        let (word, opcode) = match &self.location {
            Location::Word { offset, opcode } => (Some(*offset), opcode.as_ref()),
            _ => (None, None),
        };
        json!({
            "severity": self.severity.name(), "code": format!("AGX{:04}", self.code), "message": self.message,
            "file": file, "line": line, "column": column, "word": word, "opcode": opcode,
        })
    }
}

/// Why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// One or several problems; the first defect of this program, or else the first problem, determines the exit code.
    Problems(Vec<Diagnostic>),
    /// The reader of the output has closed the pipe: exit without a message.
    ClosedPipe,
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure::Problems(vec![diagnostic])
    }
}

impl Failure {
    /// An error in the command line.
    pub fn usage(message: impl Into<String>) -> Self {
        Diagnostic::new(codes::USAGE, message).into()
    }

    /// The operating system's error for the file called `name`.
    pub fn file(name: &str, error: &std::io::Error) -> Self {
        Diagnostic::new(codes::FILE, error.to_string()).in_file(name).into()
    }
}

/// The problems of several inputs or entry points, none of which stops the others.
#[derive(Default)]
pub struct Problems(Vec<Diagnostic>);

impl Problems {
    /// Adds problems.
    pub fn add(&mut self, found: Vec<Diagnostic>) {
        self.0.extend(found);
    }

    /// The value of `outcome`, or `None` if it failed and its problems were added.
    ///
    /// # Errors
    /// [`Failure::ClosedPipe`], which ends the run.
    pub fn or_add<T>(&mut self, outcome: Result<T, Failure>) -> Result<Option<T>, Failure> {
        match outcome {
            Ok(value) => Ok(Some(value)),
            Err(Failure::Problems(found)) => {
                self.add(found);
                Ok(None)
            }
            Err(Failure::ClosedPipe) => Err(Failure::ClosedPipe),
        }
    }

    /// All problems.
    pub fn into_inner(self) -> Vec<Diagnostic> {
        self.0
    }

    /// All problems, if there are any.
    pub fn result(self) -> Result<(), Failure> {
        if self.0.is_empty() { Ok(()) } else { Err(Failure::Problems(self.0)) }
    }
}

/// The exit code of the first defect of this program, or else of the first error.
fn exit_code(diagnostics: &[Diagnostic]) -> Option<codes::Exit> {
    let errors = || diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    errors().find(|error| is_internal(error)).or(errors().next()).map(|error| codes::exit(error.code))
}

/// Writes the warnings of a run and its errors to standard error. Returns the exit code of the run.
pub fn report(outcome: Result<(), Failure>, context: &mut Context) -> ExitCode {
    let mut diagnostics = context.warnings.take();
    match outcome {
        Ok(()) => {}
        Err(Failure::Problems(problems)) => diagnostics.extend(problems),
        Err(Failure::ClosedPipe) => return ExitCode::SUCCESS,
    }
    let exit = exit_code(&diagnostics);
    if exit == Some(codes::Exit::Internal) {
        add_reproducer(&mut diagnostics, context);
    }
    print(&diagnostics, context);
    if context.error_format == ErrorFormat::Sarif {
        // Ignore errors: standard error may be closed.
        let _ = std::io::stderr().write_all(context.results.log().as_bytes());
    }
    exit.map_or(ExitCode::SUCCESS, |exit| ExitCode::from(exit as u8))
}

/// Writes diagnostics to standard error, or keeps them for the log at the end of the run.
pub fn print(diagnostics: &[Diagnostic], context: &Context) {
    let mut text = String::new();
    for diagnostic in diagnostics {
        match context.error_format {
            ErrorFormat::Json => text.push_str(&format!("{}\n", diagnostic.json())),
            ErrorFormat::Sarif => context.results.add(std::slice::from_ref(diagnostic), context),
            ErrorFormat::Text => text.push_str(&render(diagnostic, context)),
        }
    }
    // Ignore errors: standard error may be closed.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Columns of a source line that are shown.
const EXCERPT_COLUMNS: usize = 200;

/// Letters of a message that are shown: it may quote a long name.
const MESSAGE_LETTERS: usize = 2000;

/// The part of a source line around byte `column`, counted from 1, and blanks up to that column.
fn excerpt(line: &str, column: u32) -> (String, String) {
    let bytes = (column as usize).saturating_sub(1);
    let before = line.char_indices().take_while(|(at, _)| *at < bytes).count();
    let skipped = match line.char_indices().nth(EXCERPT_COLUMNS) {
        Some(_) => before.saturating_sub(EXCERPT_COLUMNS / 2),
        None => 0,
    };
    let mut rest = line.chars().skip(skipped);
    let shown: String = rest.by_ref().take(EXCERPT_COLUMNS).collect();
    let cut = |is_cut: bool| if is_cut { "…" } else { "" };
    let (first, last) = (cut(skipped > 0), cut(rest.next().is_some()));
    let blanks: String = shown.chars().take(before - skipped).map(caret_blank).collect();
    let shown: Vec<Cow<'_, str>> = shown.split('\t').map(output::printable).collect();
    let blank = if skipped > 0 { " " } else { "" };
    (format!("{first}{}{last}", shown.join("\t")), format!("{blank}{blanks}"))
}

/// A message in one printable line of limited length.
fn one_line(message: &str) -> String {
    let mut letters = message.chars();
    let shown: String = letters.by_ref().take(MESSAGE_LETTERS).collect();
    let last = if letters.next().is_some() { "…" } else { "" };
    format!("{}{last}", output::printable(&shown))
}

/// One line, and if the location is in a text input, its line with a caret.
fn render(diagnostic: &Diagnostic, context: &Context) -> String {
    let (red, plain) = match (context.colour, diagnostic.severity) {
        (true, Severity::Error) => ("\x1b[1;31m", "\x1b[0m"),
        (true, Severity::Warning) => ("\x1b[1;33m", "\x1b[0m"),
        (false, _) => ("", ""),
    };
    let (place, severity) = (diagnostic.place(), diagnostic.severity.name());
    let (place, message) = (output::printable(&place), one_line(&diagnostic.message));
    let mut text = format!("{place}{red}{severity}{plain}[AGX{:04}]: {message}\n", diagnostic.code);
    if let (Location::Text { line, column }, Some(file)) = (&diagnostic.location, &diagnostic.file)
        && let Some(source) = context.source_line(file, *line)
    {
        let (shown, blanks) = excerpt(source, *column);
        text.push_str(&format!("{line:5} | {shown}\n      | {blanks}{red}^{plain}\n"));
    }
    text
}

/// Keeps tabs, so that the caret is below its character.
fn caret_blank(c: char) -> char {
    if c == '\t' { '\t' } else { ' ' }
}

/// Whether the problem is a defect of this program.
fn is_internal(diagnostic: &Diagnostic) -> bool {
    codes::exit(diagnostic.code) == codes::Exit::Internal
}

/// Saves the inputs and the command line, and adds the path to the last defect of this program.
fn add_reproducer(diagnostics: &mut [Diagnostic], context: &Context) {
    let Some(defect) = diagnostics.iter_mut().rfind(|diagnostic| is_internal(diagnostic)) else { return };
    match context.save_reproducer() {
        Ok(path) => defect
            .message
            .push_str(&format!(" (reproducer: {}; `agxc reduce` makes it smaller)", path.display())),
        Err(error) => defect.message.push_str(&format!(" (no reproducer: {error})")),
    }
}

#[cfg(test)]
mod tests {
    use agx_compiler::{CompileKey, Compiler, Input, Scratch};

    use super::*;

    #[test]
    fn compiler_errors_keep_kind_and_place() {
        let (compiler, key) = (Compiler::default(), CompileKey::default());
        let mut module: Vec<u8> = [0x0723_0203, 0x0001_0000, 0, 8, 0, 0x0002_0011, 17_u32]
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let error =
            compiler.compile(&mut Scratch::default(), Input::spirv(&module), &key).expect_err("Pipes");
        let diagnostic = Diagnostic::from_compiler(error, "a.spv");
        assert_eq!(diagnostic.place(), "a.spv: word 5 (OpCapability): ");
        assert_eq!(codes::exit(diagnostic.code), codes::Exit::Unsupported);
        module.truncate(4);
        let error =
            compiler.compile(&mut Scratch::default(), Input::spirv(&module), &key).expect_err("short");
        assert_eq!(codes::exit(Diagnostic::from_compiler(error, "a.spv").code), codes::Exit::Rejected);
    }

    #[test]
    fn a_defect_determines_the_exit_code() {
        let problems = [200, codes::INTERNAL, 100].map(|code| Diagnostic::new(code, "bad"));
        assert_eq!(exit_code(&problems), Some(codes::Exit::Internal));
        assert_eq!(exit_code(&problems[2..]), Some(codes::Exit::Usage));
        assert_eq!(exit_code(&[Diagnostic::warning(500, "odd")]), None);
    }

    #[test]
    fn the_line_is_shown_with_a_caret() {
        let mut context = Context::new();
        context.colour = false;
        context.remember("a.ir", b"one\n\ttwo\n");
        let diagnostic =
            Diagnostic::new(203, "bad").in_file("a.ir").at(Location::Text { line: 2, column: 2 });
        assert_eq!(
            render(&diagnostic, &context),
            "a.ir:2:2: error[AGX0203]: bad\n    2 | \ttwo\n      | \t^\n"
        );
    }

    #[test]
    fn excerpts_are_cut_around_the_column() {
        let line = format!("{}x{}", "a".repeat(300), "b".repeat(300));
        let expected = format!("…{}x{}…", "a".repeat(100), "b".repeat(99));
        assert_eq!(excerpt(&line, 301), (expected, " ".repeat(101)));
        let (start, end) = (format!("{}…", "a".repeat(200)), format!("…{}", "b".repeat(101)));
        assert_eq!(excerpt(&line, 1), (start, String::new()));
        assert_eq!(excerpt(&line, 601), (end, " ".repeat(101)));
        assert_eq!(excerpt(&"a".repeat(200), 3), ("a".repeat(200), "  ".to_owned()), "a short line is whole");
        assert_eq!(excerpt("é = 1", 3), ("é = 1".to_owned(), " ".to_owned()), "columns are bytes");
        assert_eq!(excerpt("ab", 9), ("ab".to_owned(), "  ".to_owned()), "beyond the end");
        assert_eq!(excerpt("", 0), (String::new(), String::new()));
    }

    #[test]
    fn what_a_terminal_would_obey_is_shown_as_a_sign() {
        let mut context = Context::new();
        context.colour = false;
        context.remember("a\x1b[2J.ir", b"\x1b]0;x\x07\ty\x7f\xc2\x9b\n");
        let message = format!("bad \r\u{202e}{}", "n".repeat(5000));
        let at = Location::Text { line: 1, column: 1 };
        let text = render(&Diagnostic::new(203, message).in_file("a\x1b[2J.ir").at(at), &context);
        let expected = format!("a␛[2J.ir:1:1: error[AGX0203]: bad ␍\u{fffd}{}…\n", "n".repeat(1994));
        assert_eq!(text, expected + "    1 | ␛]0;x␇\ty␡\u{fffd}\n      | ^\n");
    }
}
