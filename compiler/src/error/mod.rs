//! Compile errors.
//!
//! A [`CompileError`] is a location and a [`Reason`]: a variant of one of the enums of this folder, one per
//! subject. A variant's code, kind, explanation and example form one row next to it ([`row`]); [`CODES`]
//! lists the rows, which `agxc explain` prints. Codes ascend by subject: 1000 for SPIR-V, 2000 for front ends
//! in general and the other languages, 3000 for linking and the back end.

mod backend;
mod frontend;
mod languages;
mod link;
mod row;
mod spirv;
mod text;

pub(crate) use backend::{BackEndError, PartError};
pub(crate) use frontend::{InputError, KitError};
pub(crate) use languages::{AgalError, NagaError, PicaError, TgsiError};
pub use link::LinkError;
pub use row::{ErrorKind, ErrorRow, Example};
pub(crate) use spirv::{
    FlowError, GroupError, ImageError, KernelError, MemoryError, ModuleError, StageError, TypeError,
    ValueError,
};
pub(crate) use text::TextError;
use thiserror::Error;

/// The code for defects of this compiler.
pub const INTERNAL: ErrorRow = ErrorRow {
    code: 70,
    kind: ErrorKind::Internal,
    explanation: "The compiler has a defect. The input is not at fault. Please report the input and the options.",
    example: Example::Words("An input that makes a check of the compiler fail."),
};

/// The location of a problem in the input.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Location {
    /// The input as a whole.
    #[default]
    Whole,
    /// A SPIR-V word.
    Word {
        /// Offset in words from the start of the module.
        offset: usize,
        /// Name of the instruction there, if known.
        opcode: Option<String>,
    },
    /// A position in a source file from which the input was generated.
    Source {
        /// The file's name, as given in the input.
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

/// Declares [`Reason`] over the enums of this folder.
macro_rules! reasons {
    ($($(#[doc = $doc:literal])+ $name:ident($Enum:ident),)*) => {
        /// The reason for an error, by subject.
        #[derive(Clone, PartialEq, Eq, Debug, Error)]
        pub(crate) enum Reason {
            $($(#[doc = $doc])+ #[error(transparent)] $name(#[from] $Enum),)*
            /// A defect of this compiler.
            #[error("{0}")]
            Internal(String),
        }

        impl Reason {
            fn code(&self) -> u16 {
                match self {
                    $(Reason::$name(error) => error.code(),)*
                    Reason::Internal(_) => INTERNAL.code,
                }
            }
        }

        $(impl From<$Enum> for CompileError {
            fn from(error: $Enum) -> Self {
                CompileError::from(Reason::$name(error))
            }
        })*

        /// The rows of all codes: one list per subject, ascending.
        pub const CODES: &[&[ErrorRow]] = &[&[INTERNAL], $($Enum::ROWS,)*];
    };
}

reasons! {
    /// SPIR-V: words, header, capabilities, entry points.
    Module(ModuleError),
    /// SPIR-V: ids, types and constants.
    Type(TypeError),
    /// SPIR-V: operands of computations.
    Value(ValueError),
    /// SPIR-V: variables, pointers and buffers.
    Memory(MemoryError),
    /// SPIR-V: functions, blocks and branches.
    Flow(FlowError),
    /// SPIR-V: images and samplers.
    Image(ImageError),
    /// SPIR-V: inputs and outputs of stages.
    Stage(StageError),
    /// SPIR-V: groups, barriers and atomics.
    Group(GroupError),
    /// SPIR-V: OpenCL's kernels.
    Kernel(KernelError),
    /// Inputs and keys, independent of the language.
    Input(InputError),
    /// Limits and rules that all front ends share.
    Kit(KitError),
    /// WGSL and GLSL.
    Naga(NagaError),
    /// AGAL.
    Agal(AgalError),
    /// PICA200.
    Pica(PicaError),
    /// TGSI.
    Tgsi(TgsiError),
    /// The textual IR.
    Text(TextError),
    /// Keys of prologs, epilogs and tile programs.
    Part(PartError),
    /// Linking.
    Link(LinkError),
    /// Lowering, registers and stack.
    BackEnd(BackEndError),
}

/// The row of a code.
pub fn find_code(code: u16) -> Option<&'static ErrorRow> {
    CODES.iter().flat_map(|rows| rows.iter()).find(|row| row.code == code)
}

/// A compile error: reason, location and kind.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{location}: {}: {}", self.kind().name(), self.message())]
pub struct CompileError {
    /// The location.
    pub location: Location,
    cause: Box<Cause>,
}

/// The reason for an error, with details.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Cause {
    reason: Reason,
    /// The part of the instruction that is affected; printed before the message.
    subject: Option<String>,
    /// A remark; printed after the message.
    note: Option<String>,
}

impl From<Reason> for CompileError {
    fn from(reason: Reason) -> Self {
        let cause = Cause { reason, subject: None, note: None };
        CompileError { location: Location::Whole, cause: Box::new(cause) }
    }
}

impl CompileError {
    /// A defect of this compiler.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Reason::Internal(message.into()).into()
    }

    /// Attaches `location`, unless the error already has one.
    pub fn at(mut self, location: Location) -> Self {
        if self.location == Location::Whole {
            self.location = location;
        }
        self
    }

    /// Replaces the location by one computed from it.
    pub(crate) fn relocate(self, place: impl FnOnce(Location) -> Location) -> Self {
        CompileError { location: place(self.location), cause: self.cause }
    }

    /// Names the affected part of the instruction.
    pub(crate) fn within(mut self, subject: String) -> Self {
        self.cause.subject = Some(subject);
        self
    }

    /// Adds a remark.
    pub(crate) fn noted(mut self, note: String) -> Self {
        self.cause.note = Some(note);
        self
    }

    /// Stable number of the error, printed as `AGX1234`.
    pub fn code(&self) -> u16 {
        self.cause.reason.code()
    }

    /// The row of the error: explanation and example.
    pub fn row(&self) -> &'static ErrorRow {
        find_code(self.code()).expect("invariant: every error has a row")
    }

    /// Kind of error.
    pub fn kind(&self) -> ErrorKind {
        self.row().kind
    }

    /// One sentence that names the culprit, what was expected and what was found.
    pub fn message(&self) -> String {
        let Cause { reason, subject, note } = &*self.cause;
        let before = subject.as_ref().map_or(String::new(), |subject| format!("{subject}: "));
        let after = note.as_ref().map_or(String::new(), |note| format!(" ({note})"));
        format!("{before}{reason}{after}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_ascend_and_have_a_text_and_an_example() {
        let rows: Vec<&ErrorRow> = CODES.iter().flat_map(|rows| rows.iter()).collect();
        for pair in rows.windows(2) {
            assert!(pair[0].code < pair[1].code, "{} before {}", pair[0].code, pair[1].code);
        }
        for row in rows {
            let (code, text) = (row.code, row.explanation.trim());
            assert!(
                text.ends_with('.') && text.split(". ").count() >= 2,
                "{code}: a title and a sentence more"
            );
            let example = match row.example {
                Example::Spirv { declarations, body } => [declarations, body].concat(),
                Example::Text { text, .. } | Example::Words(text) => text.to_owned(),
            };
            assert!(!example.trim().is_empty(), "{code}");
            assert!(!row.title().is_empty() && find_code(code) == Some(row), "{code}");
        }
    }

    #[test]
    fn an_error_has_the_kind_and_text_of_its_code() {
        let error = CompileError::from(TypeError::NotAType { id: 7 });
        assert_eq!((error.code(), error.kind()), (1102, ErrorKind::Invalid));
        assert_eq!(error.to_string(), "input: invalid: id 7 is not a type");
    }
}
