//! What one run of the program knows: how to print, and which inputs were read.

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;

/// How diagnostics are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorFormat {
    /// One line each.
    Text,
    /// One JSON object a line.
    Json,
}

/// State of one run.
pub struct Context {
    /// How diagnostics are printed.
    pub error_format: ErrorFormat,
    /// Standard error is a terminal.
    pub terminal: bool,
    /// Colours are wanted on standard error.
    pub colour: bool,
    /// Names and contents of the inputs, in the order they were read.
    inputs: Vec<(String, Vec<u8>)>,
}

impl Context {
    /// Looks at standard error and `NO_COLOR` (set and not empty: no colours).
    pub fn new() -> Self {
        let terminal = std::io::stderr().is_terminal();
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Context {
            error_format: ErrorFormat::Text,
            terminal,
            colour: terminal && !no_colour,
            inputs: Vec::new(),
        }
    }

    /// Keeps an input, for excerpts and reproducers.
    pub fn remember(&mut self, name: &str, bytes: &[u8]) {
        self.inputs.push((name.to_owned(), bytes.to_vec()));
    }

    /// Line `line` (from 1) of the input called `file`, if it is text and has one.
    pub fn source_line(&self, file: &str, line: u32) -> Option<&str> {
        let (_, bytes) = self.inputs.iter().find(|(name, _)| name == file)?;
        std::str::from_utf8(bytes).ok()?.lines().nth((line as usize).checked_sub(1)?)
    }

    /// Writes the inputs and the command line into a new folder below the system's temporary folder.
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
