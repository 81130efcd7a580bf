//! The state of one run of the program: how to print, and the inputs that were read.

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;

use crate::diagnostic::{Diagnostic, Failure, Problems, Severity};
use crate::{input, output, sarif};

/// How diagnostics are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorFormat {
    /// One line each.
    Text,
    /// One JSON object per line.
    Json,
    /// One SARIF log at the end.
    Sarif,
}

/// Formats by name; the first is the default.
pub const ERROR_FORMATS: [(&str, ErrorFormat); 3] =
    [("text", ErrorFormat::Text), ("json", ErrorFormat::Json), ("sarif", ErrorFormat::Sarif)];

/// Whether diagnostics are coloured; `choice` is the value of `--color`. If it is absent or `auto`, they are coloured
/// if standard error is a terminal, except that `NO_COLOR` (set and not empty) disables colours and `CLICOLOR_FORCE`
/// (set and not `0`) enables them.
pub fn choose_colour(choice: Option<&str>) -> bool {
    let is_set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    match choice {
        Some("always") => true,
        Some("never") => false,
        _ if is_set("NO_COLOR").is_some() => false,
        _ if is_set("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
        _ => std::io::stderr().is_terminal(),
    }
}

/// How GLSL and HLSL are translated.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Preprocessor {
    /// Folders to search for included files, after that of the input.
    pub includes: Vec<String>,
    /// Macros: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// The name of a dialect of GLSL other than that of Vulkan.
    pub dialect: Option<String>,
    /// Whether locations and bindings that GLSL lacks are assigned.
    pub auto_map: bool,
}

impl Preprocessor {
    /// No includes, no macros, and GLSL as Vulkan has it.
    pub fn is_empty(&self) -> bool {
        *self == Preprocessor::default()
    }
}

/// Settings for warnings, and the warnings so far. Code 0 denotes every code.
#[derive(Clone, Default)]
pub struct Warnings {
    /// Print no warnings.
    pub quiet: bool,
    /// Codes to report as errors.
    pub denied: Vec<u16>,
    /// Codes to hide.
    pub allowed: Vec<u16>,
    found: Vec<Diagnostic>,
}

impl Warnings {
    /// Stores the warnings that are not hidden.
    ///
    /// # Errors
    /// The denied ones.
    pub fn add(&mut self, warnings: Vec<Diagnostic>) -> Result<(), Failure> {
        let mut denied = Problems::default();
        for warning in warnings {
            let is_in = |codes: &[u16]| codes.iter().any(|code| *code == 0 || *code == warning.code);
            if is_in(&self.denied) {
                denied.add(vec![Diagnostic { severity: Severity::Error, ..warning }]);
            } else if !self.quiet && !is_in(&self.allowed) {
                self.found.push(warning);
            }
        }
        denied.result()
    }

    /// The warnings so far.
    pub fn take(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.found)
    }
}

/// State of one run.
pub struct Context {
    /// How GLSL and HLSL are translated.
    pub preprocessor: Preprocessor,
    /// Print each step and its duration.
    pub verbose: bool,
    /// Warnings.
    pub warnings: Warnings,
    /// How diagnostics are printed.
    pub error_format: ErrorFormat,
    /// What a SARIF log will have.
    pub results: sarif::Results,
    /// Diagnostics are coloured.
    pub colour: bool,
    /// Names and contents of the inputs, in the order they were read.
    inputs: Vec<(String, Vec<u8>)>,
}

impl Context {
    /// The state before the command line is read, with colours from [`choose_colour`].
    pub fn new() -> Self {
        Context {
            preprocessor: Preprocessor::default(),
            verbose: false,
            warnings: Warnings::default(),
            error_format: ErrorFormat::Text,
            results: sarif::Results::default(),
            colour: choose_colour(None),
            inputs: Vec::new(),
        }
    }

    /// A context for another thread: the same settings, without inputs and warnings.
    pub fn fork(&self) -> Self {
        let mut warnings = self.warnings.clone();
        warnings.take();
        let preprocessor = self.preprocessor.clone();
        Context {
            preprocessor,
            verbose: self.verbose,
            warnings,
            error_format: self.error_format,
            results: self.results.clone(),
            colour: self.colour,
            inputs: Vec::new(),
        }
    }

    /// With --verbose, prints a line about a step.
    pub fn note(&self, line: impl FnOnce() -> String) {
        if self.verbose {
            output::stderr_lines(&[output::printable(&line()).into_owned()]);
        }
    }

    /// Stores an input, for excerpts and reproducers.
    pub fn remember(&mut self, name: &str, bytes: &[u8]) {
        self.inputs.push((name.to_owned(), bytes.to_vec()));
    }

    /// Line `line` (from 1) of the input called `file`, if it is text and has that many lines.
    pub fn source_line(&self, file: &str, line: u32) -> Option<&str> {
        let (_, bytes) = self.inputs.iter().find(|(name, _)| name == file)?;
        let bytes = input::without_mark(bytes);
        input::line_of(std::str::from_utf8(bytes).ok()?, line)
    }

    /// Writes the inputs and the command line to a new folder in the system's temporary folder.
    pub fn save_reproducer(&self) -> std::io::Result<PathBuf> {
        let folder = std::env::temp_dir().join(format!("agxc-reproducer-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let mut command = std::fs::File::create(folder.join("command"))?;
        for argument in std::env::args() {
            writeln!(command, "{argument}")?;
        }
        for (index, (name, bytes)) in self.inputs.iter().enumerate() {
            let base: String = name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned();
            std::fs::write(folder.join(format!("{index}-{base}")), bytes)?;
        }
        Ok(folder)
    }
}
