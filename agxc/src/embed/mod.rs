//! What programs show that embed agxc: compilation, runs, drawing, and the bundled examples. Requests and answers are
//! JSON; the contents of files come with the request, and nothing is read or written outside of it.
//!
//! An answer has `diagnostics`, which have the form of `--error-format json`, and what the request asked for where
//! nothing failed.

mod compile;
mod draw;
mod examples;
mod run;
mod step;
#[cfg(all(test, feature = "wgsl", feature = "glsl"))]
mod tests;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

pub use compile::{compare, compile, ir, report};
pub use draw::{Drawn, draw};
pub use examples::{example, examples, languages, passes};
pub use run::{Ran, run};
pub use step::{Stepping, step_through};

use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};
use crate::input::{self, File};
use crate::json;

/// Files that requests name.
#[derive(Clone, Default, Debug)]
pub struct Files(Vec<(String, Vec<u8>)>);

impl Files {
    /// Adds a file, or replaces the one with this name.
    pub fn add(&mut self, name: &str, bytes: Vec<u8>) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some(known) => known.1 = bytes,
            None => self.0.push((name.to_owned(), bytes)),
        }
    }

    /// Names of the files.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The contents of a file; empty if there is none.
    pub fn contents(&self, name: &str) -> &[u8] {
        self.find(name).unwrap_or_default()
    }

    fn find(&self, name: &str) -> Option<&[u8]> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, bytes)| bytes.as_slice())
    }

    /// The contents of a file.
    fn bytes(&self, name: &str) -> Result<Vec<u8>, Failure> {
        let absent = || Diagnostic::new(crate::codes::FILE, "no such file").in_file(name).into();
        self.find(name).map(<[u8]>::to_vec).ok_or_else(absent)
    }

    /// The shader in the file called `name`; `kind` is its language, if its name does not say it.
    fn shader(&self, name: &str, kind: Option<&str>) -> Result<File, Failure> {
        input::from_bytes(name, self.bytes(name)?, kind, &mut Context::new())
    }
}

/// A request of some form.
fn request<T: Serialize + DeserializeOwned>(text: &str) -> Result<T, Failure> {
    json::read(text.as_bytes(), "request")
}

/// The problems of a failure.
fn problems(failure: Failure) -> Vec<Diagnostic> {
    match failure {
        Failure::Problems(problems) => problems,
        Failure::ClosedPipe => Vec::new(),
    }
}

fn diagnostics(problems: &[Diagnostic]) -> Value {
    problems.iter().map(Diagnostic::json).collect()
}

/// The answer of a request that may fail: the value with its warnings, or the problems alone.
fn answer(outcome: Result<(Value, Vec<Diagnostic>), Failure>) -> String {
    let value = match outcome {
        Ok((mut value, warnings)) => {
            value["diagnostics"] = diagnostics(&warnings);
            value
        }
        Err(failure) => json!({ "diagnostics": diagnostics(&problems(failure)) }),
    };
    value.to_string()
}
