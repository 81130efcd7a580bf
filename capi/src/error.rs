//! Statuses and errors.

use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

use agx_compiler::link::LinkError;
use agx_compiler::{CacheError, CompileError, ErrorKind, Location};

use crate::bytes::AgxText;

/// The result of a call.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgxStatus {
    /// Success.
    Ok = 0,
    /// The input or the state is invalid.
    Invalid = 1,
    /// The input is valid, but this compiler does not support it.
    Unsupported = 2,
    /// The input exceeds a limit, or the caller cancelled the compilation.
    Limit = 3,
    /// The compiler has a defect.
    Internal = 4,
    /// An argument is null, not UTF-8, or out of range.
    Argument = 5,
    /// The bytes do not decode to a shader of this build.
    Cache = 6,
    /// The parts do not belong together.
    Link = 7,
}

/// A failed call's error.
#[derive(Debug)]
pub struct AgxError {
    pub(crate) status: AgxStatus,
    /// Stable number of the errors of compiler and linker, which `agxc explain` documents; 0 for other statuses.
    pub(crate) code: u16,
    /// Location, kind and message.
    pub(crate) text: String,
    pub(crate) message: String,
    pub(crate) location: Location,
}

/// Kinds of locations.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgxLocationKind {
    /// The input as a whole.
    Whole = 0,
    /// A word of a SPIR-V module.
    Word = 1,
    /// A line of a source file from which the module was generated.
    Source = 2,
    /// A line of the input.
    Text = 3,
}

/// A location in an input.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxLocation {
    /// Its kind; the fields of other kinds are 0 or empty.
    pub kind: AgxLocationKind,
    /// Offset of the word from the start of the module, in words.
    pub word: usize,
    /// Name of the instruction at the word, if known.
    pub opcode: AgxText,
    /// Name of the source file.
    pub file: AgxText,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1; 0 if it is unknown.
    pub column: u32,
}

impl From<&Location> for AgxLocation {
    fn from(location: &Location) -> AgxLocation {
        let whole = AgxLocation {
            kind: AgxLocationKind::Whole,
            word: 0,
            opcode: "".into(),
            file: "".into(),
            line: 0,
            column: 0,
        };
        match location {
            Location::Word { offset, opcode } => AgxLocation {
                kind: AgxLocationKind::Word,
                word: *offset,
                opcode: opcode.as_deref().unwrap_or_default().into(),
                ..whole
            },
            Location::Source { file, line, column } => AgxLocation {
                kind: AgxLocationKind::Source,
                file: file.as_str().into(),
                line: *line,
                column: *column,
                ..whole
            },
            Location::Text { line, column } => {
                AgxLocation { kind: AgxLocationKind::Text, line: *line, column: *column, ..whole }
            }
            _ => whole,
        }
    }
}

impl AgxError {
    /// The error for an invalid argument.
    pub(crate) fn argument(text: impl Into<String>) -> AgxError {
        AgxError::new(AgxStatus::Argument, 0, text)
    }

    /// An error without a location.
    fn new(status: AgxStatus, code: u16, text: impl Into<String>) -> AgxError {
        let message = text.into();
        AgxError { status, code, text: message.clone(), message, location: Location::Whole }
    }
}

impl From<CompileError> for AgxError {
    fn from(error: CompileError) -> AgxError {
        let status = match error.kind() {
            ErrorKind::Unsupported => AgxStatus::Unsupported,
            ErrorKind::Limit => AgxStatus::Limit,
            ErrorKind::Internal => AgxStatus::Internal,
            _ => AgxStatus::Invalid,
        };
        let (text, message) = (error.to_string(), error.message());
        AgxError { status, code: error.code(), text, message, location: error.location }
    }
}

impl From<CacheError> for AgxError {
    fn from(error: CacheError) -> AgxError {
        AgxError::new(AgxStatus::Cache, 0, error.to_string())
    }
}

impl From<LinkError> for AgxError {
    fn from(error: LinkError) -> AgxError {
        AgxError::new(AgxStatus::Link, error.code(), error.to_string())
    }
}

/// An output place for an object. Its previous contents are not read.
pub(crate) type Place<'p, T> = Option<&'p mut MaybeUninit<Option<Box<T>>>>;

/// Runs the body of a function and reports its result to the caller.
pub(crate) fn attempt(
    error: Place<'_, AgxError>,
    action: impl FnOnce() -> Result<(), AgxError>,
) -> AgxStatus {
    let result = without_panics(action);
    let status = result.as_ref().map_or_else(|error| error.status, |()| AgxStatus::Ok);
    if let Some(place) = error {
        place.write(result.err().map(Box::new));
    }
    status
}

/// The result of an action; an error of status *internal* if it panics.
fn without_panics<T>(action: impl FnOnce() -> Result<T, AgxError>) -> Result<T, AgxError> {
    catch_unwind(AssertUnwindSafe(action)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
        Err(AgxError::new(AgxStatus::Internal, 0, text))
    })
}

/// Like [`attempt`], for a function that creates an object; its output place is null after a failure.
pub(crate) fn make<T>(
    place: Place<'_, T>,
    error: Place<'_, AgxError>,
    action: impl FnOnce() -> Result<T, AgxError>,
) -> AgxStatus {
    attempt(error, || {
        let place = given(place, "the place of the result")?.write(None);
        *place = Some(Box::new(action()?));
        Ok(())
    })
}

/// An argument that must not be null.
pub(crate) fn given<T>(argument: Option<T>, what: &str) -> Result<T, AgxError> {
    argument.ok_or_else(|| AgxError::argument(format!("{what} is null")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_text() {
        let odd = 3;
        let panics: [fn(i32) -> Result<(), AgxError>; 2] =
            [|odd| panic!("invariant: {odd} is even"), |_| panic!("invariant: even")];
        let texts = ["invariant: 3 is even", "invariant: even"];
        for (action, text) in panics.into_iter().zip(texts) {
            let error = without_panics(|| action(odd)).expect_err("a panic");
            assert_eq!((error.status, error.code, error.text.as_str()), (AgxStatus::Internal, 0, text));
        }
        assert_eq!(attempt(None, || panic!("invariant")), AgxStatus::Internal);
    }
}
