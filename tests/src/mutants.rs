//! The list of seeded faults, `tests/mutants.json`: each is one change of the sources and the test that must fail
//! because of it.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;

/// A deliberate defect.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Description.
    pub name: String,
    /// The file to break, relative to the workspace.
    pub file: String,
    /// The text to replace. It must occur exactly once in the file.
    pub from: String,
    /// What replaces it.
    pub to: String,
    /// Arguments of `cargo test` for the test that must fail.
    pub test: Vec<String>,
}

/// The reason why a fault cannot be tested.
#[derive(Debug, Error)]
pub enum FaultError {
    /// A file or program failed.
    #[error("{}: {error}", path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// The list is malformed.
    #[error("tests/mutants.json: {0}")]
    Malformed(#[from] serde_json::Error),
    /// The sources have changed since the fault was written.
    #[error("{file}: the text that `{name}` replaces occurs {count} times; expected once")]
    Stale {
        /// The fault.
        name: String,
        /// Its file.
        file: String,
        /// Number of occurrences of its text.
        count: usize,
    },
    /// A name that no test has.
    #[error("`cargo test {0}` runs no test")]
    NoTest(String),
    /// A test that fails without a fault.
    #[error("`cargo test {0}` fails or does not build without any fault")]
    Baseline(String),
}

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Reads the list.
///
/// # Errors
/// [`FaultError`] if it is absent or malformed.
pub fn load() -> Result<Vec<Fault>, FaultError> {
    let path = workspace().join("tests/mutants.json");
    let text = std::fs::read_to_string(&path).map_err(|error| FaultError::File { path, error })?;
    Ok(serde_json::from_str(&text)?)
}

impl Fault {
    /// `source` with the fault.
    ///
    /// # Errors
    /// [`FaultError::Stale`] if the text to replace does not occur exactly once.
    pub fn apply(&self, source: &str) -> Result<String, FaultError> {
        match source.matches(&self.from).count() {
            1 => Ok(source.replacen(&self.from, &self.to, 1)),
            count => Err(FaultError::Stale { name: self.name.clone(), file: self.file.clone(), count }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_applies_to_the_sources_of_today() {
        let faults = load().expect("the list is well-formed");
        assert!(faults.len() >= 20, "{}", faults.len());
        for (at, fault) in faults.iter().enumerate() {
            let source = std::fs::read_to_string(workspace().join(&fault.file)).expect("the file exists");
            let broken = fault.apply(&source).unwrap_or_else(|error| panic!("{error}"));
            assert_ne!(broken, source, "{}", fault.name);
            assert!(
                faults[..at].iter().all(|other| other.name != fault.name),
                "{} is listed twice",
                fault.name
            );
        }
    }

    /// A name without a test would make `cargo test` pass. Names of single words are those of modules and packages.
    #[test]
    fn every_fault_names_a_test_of_today() {
        let mut text = String::new();
        let mut folders = vec![workspace()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder").filter_map(Result::ok) {
                let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
                if path.is_dir() && !name.starts_with('.') && name != "target" {
                    folders.push(path);
                } else if name.ends_with(".rs") {
                    text.push_str(&std::fs::read_to_string(path).expect("a source"));
                } else if name.ends_with(".ir") {
                    text.push_str(&name);
                }
            }
        }
        let is_word =
            |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || b"_0123456789".contains(&byte));
        for fault in load().expect("the list is well-formed") {
            let name = fault.test.last().expect("arguments");
            assert!(
                !is_word(name) || text.contains(name.as_str()),
                "{}: no test is named {name}",
                fault.name
            );
        }
    }
}
