//! The folder of reference material outside the project: vectors, conformance tests, corpus, baseline.
//!
//! It is the folder named by `AGX_SHARED`, by default `../shared`. It is never an error if it is absent: tests that
//! need it are skipped and report that.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use thiserror::Error;

/// The reason why a file of the reference material cannot be used.
#[derive(Debug, Error)]
pub enum DataError {
    /// The file is not there.
    #[error("{} is absent", .0.display())]
    Absent(PathBuf),
    /// The file cannot be read.
    #[error("{}: {error}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// A line is malformed.
    #[error("{}:{line}: {message}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Description.
        message: String,
    },
}

/// The folder of the reference material: `AGX_SHARED`, or `../shared` next to the workspace; `None` if it is absent.
pub fn locate() -> Option<PathBuf> {
    let beside_workspace = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let path = std::env::var_os("AGX_SHARED").map_or_else(beside_workspace, PathBuf::from);
    path.is_dir().then_some(path)
}

/// The text of `path`.
///
/// # Errors
/// [`DataError::Absent`] if there is no such file, [`DataError::Read`] if it cannot be read.
pub fn read_text(path: &Path) -> Result<String, DataError> {
    std::fs::read_to_string(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => DataError::Absent(path.to_owned()),
        _ => DataError::Read { path: path.to_owned(), error },
    })
}

/// One `T` per line of the JSON-lines file `path`.
///
/// # Errors
/// As [`read_text`], and [`DataError::Malformed`] for a line that is not a `T`.
pub fn read_json_lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, DataError> {
    let parse = |(index, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| DataError::Malformed {
            path: path.to_owned(),
            line: index + 1,
            message: error.to_string(),
        })
    };
    let text = read_text(path)?;
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(parse).collect()
}

/// The bytes that the hexadecimal digits `text` denote.
pub fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect()
}

/// Hexadecimal digits of `bytes`.
pub fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_round_trips_and_rejects() {
        assert_eq!(from_hex("00ff7A"), Some(vec![0, 255, 0x7a]));
        assert_eq!(to_hex(&[0, 255, 0x7a]), "00ff7a");
        for bad in ["0", "0g", "é1"] {
            assert_eq!(from_hex(bad), None, "{bad}");
        }
    }

    #[test]
    fn an_absent_file_is_told_apart() {
        let error = read_text(Path::new("/nonexistent/file")).expect_err("there is no such file");
        assert!(matches!(error, DataError::Absent(_)));
    }
}
