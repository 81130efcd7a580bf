//! Diagnostics, and the exception that carries them.

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::{create_exception, intern};
use serde_json::Value;

create_exception!(
    agxc,
    Error,
    PyException,
    "A shader is wrong or not supported, or a run found a fault.\n\n`code`, `message`, `file`, `line` and `column` are those of the \
     first diagnostic, `diagnostics` has all."
);

/// A diagnostic of the compiler or of a run.
#[pyclass(module = "agxc", frozen, get_all)]
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// `error` or `warning`.
    severity: String,
    /// The code, such as `AGX2201`, which `agxc explain` explains.
    code: String,
    /// One sentence.
    message: String,
    /// The name of the file, if it is known.
    file: Option<String>,
    /// The line, from 1, if it is known.
    line: Option<u32>,
    /// The column in bytes, from 1, if it is known.
    column: Option<u32>,
}

#[pymethods]
impl Diagnostic {
    /// The diagnostic as the command line prints it.
    fn __str__(&self) -> String {
        let place = [self.line, self.column].into_iter().flatten().map(|number| format!("{number}:"));
        let file = self.file.as_ref().map_or_else(String::new, |file| format!("{file}:"));
        let place = format!("{file}{}", place.collect::<String>());
        let space = if place.is_empty() { "" } else { " " };
        format!("{place}{space}{}[{}]: {}", self.severity, self.code, self.message)
    }

    fn __repr__(&self) -> String {
        format!("<agxc.Diagnostic {self}>", self = self.__str__())
    }

    fn __eq__(&self, other: &Diagnostic) -> bool {
        self == other
    }
}

impl Diagnostic {
    /// The diagnostics of an answer.
    pub fn of(answer: &Value) -> Vec<Diagnostic> {
        answer["diagnostics"].as_array().into_iter().flatten().map(Diagnostic::new).collect()
    }

    fn new(value: &Value) -> Diagnostic {
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        let number = |name: &str| value[name].as_u64().and_then(|number| u32::try_from(number).ok());
        Diagnostic {
            severity: text("severity").unwrap_or_default(),
            code: text("code").unwrap_or_default(),
            message: text("message").unwrap_or_default(),
            file: text("file"),
            line: number("line"),
            column: number("column"),
        }
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == "error"
    }
}

/// The exception for diagnostics, whose text has a line for each.
pub fn exception(py: Python<'_>, diagnostics: Vec<Diagnostic>) -> PyErr {
    let lines: Vec<String> = diagnostics.iter().map(Diagnostic::__str__).collect();
    let error = Error::new_err(lines.join("\n"));
    match attach(py, &error, diagnostics) {
        Ok(()) => error,
        Err(failure) => failure,
    }
}

fn attach(py: Python<'_>, error: &PyErr, diagnostics: Vec<Diagnostic>) -> PyResult<()> {
    let value = error.value(py);
    let first = diagnostics.first().cloned();
    let text = |pick: fn(Diagnostic) -> String| first.clone().map_or_else(String::new, pick);
    value.setattr(intern!(py, "code"), text(|first| first.code))?;
    value.setattr(intern!(py, "message"), text(|first| first.message))?;
    value.setattr(intern!(py, "file"), first.clone().and_then(|first| first.file))?;
    value.setattr(intern!(py, "line"), first.clone().and_then(|first| first.line))?;
    value.setattr(intern!(py, "column"), first.and_then(|first| first.column))?;
    value.setattr(intern!(py, "diagnostics"), diagnostics)
}
