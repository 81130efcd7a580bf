//! Why an input was not compiled.

use thiserror::Error;

/// Where in the input a problem lies.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Location {
    /// The input as a whole.
    #[default]
    Whole,
    /// A SPIR-V word.
    Word {
        /// Offset in words from the start of the module.
        offset: usize,
        /// Name of the instruction there, when known.
        opcode: Option<String>,
    },
    /// A position in a source file that the input was made from.
    Source {
        /// The file's name, as the input gives it.
        file: String,
        /// Line, from 1.
        line: u32,
        /// Column, from 1; 0 when unknown.
        column: u32,
    },
    /// A position in a text.
    Text {
        /// Line, from 1.
        line: u32,
        /// Column in bytes, from 1.
        column: u32,
    },
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Location::Whole => f.write_str("input"),
            Location::Word { offset, opcode: Some(opcode) } => write!(f, "word {offset} ({opcode})"),
            Location::Word { offset, opcode: None } => write!(f, "word {offset}"),
            Location::Source { file, line, column: 0 } => write!(f, "{file}:{line}"),
            Location::Source { file, line, column } => write!(f, "{file}:{line}:{column}"),
            Location::Text { line, column } => write!(f, "{line}:{column}"),
        }
    }
}

/// The kinds of failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// The input breaks the rules of its own format.
    Invalid,
    /// The input is valid and this compiler cannot do it.
    Unsupported,
    /// The input exceeds a documented limit.
    Limit,
    /// A defect of this compiler; the input is not at fault.
    Internal,
}

impl ErrorKind {
    /// How messages begin.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Invalid => "invalid",
            ErrorKind::Unsupported => "unsupported",
            ErrorKind::Limit => "limit",
            ErrorKind::Internal => "internal error",
        }
    }
}

/// Why an input was not compiled: what, where, and of which kind.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{location}: {}: {message}", .kind.name())]
pub struct CompileError {
    /// Kind of failure.
    pub kind: ErrorKind,
    /// Where.
    pub location: Location,
    /// One sentence that names the culprit and, where there is one, the way out.
    pub message: String,
}

impl CompileError {
    /// A failure of `kind` that concerns the input as a whole.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        CompileError { kind, location: Location::Whole, message: message.into() }
    }

    /// An input that breaks its format's rules.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// A valid input that this compiler cannot do.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported, message)
    }

    /// An input beyond a documented limit.
    pub fn limit(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Limit, message)
    }

    /// A defect of this compiler.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// The same failure at `location`, unless it already has a place.
    pub fn at(mut self, location: Location) -> Self {
        if self.location == Location::Whole {
            self.location = location;
        }
        self
    }
}
