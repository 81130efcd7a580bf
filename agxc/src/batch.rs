//! The inputs of a batch, and the journal for resuming it.

use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use agx_compiler::Location;
use rustc_hash::FxHashSet;
use serde_json::json;

use crate::diagnostic::{Diagnostic, Failure};
use crate::input::{self, Kind};

/// Files that the arguments name, in order and each once. A folder denotes the shaders in it, `@LIST` the paths in a file.
pub fn inputs<'p>(paths: impl Iterator<Item = &'p str>) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for path in paths {
        if let Some(list) = path.strip_prefix('@') {
            let bytes = input::read_bytes(list)?;
            let text = String::from_utf8_lossy(&bytes);
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
            found.extend(lines.map(str::to_owned));
        } else if Path::new(path).is_dir() {
            found.extend(folder(path)?);
        } else {
            found.push(path.to_owned());
        }
    }
    let mut known = FxHashSet::default();
    found.retain(|path| known.insert(path.clone()));
    Ok(found)
}

/// Shaders in a folder and its subfolders, selected by their extensions, sorted by path. Links to folders are not
/// followed.
fn folder(path: &str) -> Result<Vec<String>, Failure> {
    let (mut found, mut open) = (Vec::new(), vec![Path::new(path).to_owned()]);
    while let Some(folder) = open.pop() {
        let failed = |error: std::io::Error| Failure::file(&folder.display().to_string(), &error);
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = entry.path();
            let Some(name) = path.to_str().map(ToOwned::to_owned) else {
                let error = std::io::Error::new(ErrorKind::InvalidFilename, "the name is not UTF-8");
                return Err(Failure::file(&path.to_string_lossy(), &error));
            };
            if entry.file_type().map_err(failed)?.is_dir() {
                open.push(path);
            } else if matches!(Kind::guess(&name, b""), Some(Kind::Shader(_) | Kind::Hlsl)) {
                found.push(name);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Inputs that succeeded with the same settings and the same contents.
pub struct Journal {
    done: FxHashSet<u64>,
    file: File,
    path: String,
    settings: String,
}

impl Journal {
    /// Opens or creates the journal at `path`. Lines with other settings are kept but ignored.
    pub fn open(path: &str, settings: &str) -> Result<Journal, Failure> {
        let failed = |error: std::io::Error| Failure::file(path, &error);
        let mut done = FxHashSet::default();
        if Path::new(path).exists() {
            let bytes = input::read_bytes(path)?;
            for (number, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
                let row: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
                let hash = row["hash"].as_str().and_then(|text| u64::from_str_radix(text, 16).ok());
                done.insert(hash.ok_or_else(|| {
                    let location = Location::Text { line: number as u32 + 1, column: 1 };
                    Diagnostic::new(104, "expected a row of a journal").in_file(path).at(location)
                })?);
            }
        }
        let file = File::options().create(true).append(true).open(path).map_err(failed)?;
        Ok(Journal { done, file, path: path.to_owned(), settings: settings.to_owned() })
    }

    /// Whether the input called `name` has succeeded; false if it cannot be read.
    pub fn has(&self, name: &str) -> bool {
        std::fs::read(name).is_ok_and(|bytes| self.done.contains(&self.hash(name, &bytes)))
    }

    /// Records that the input called `name` has succeeded.
    pub fn record(&mut self, name: &str) -> Result<(), Failure> {
        let Ok(bytes) = std::fs::read(name) else { return Ok(()) };
        let row = json!({ "input": name, "hash": format!("{:016x}", self.hash(name, &bytes)) });
        writeln!(self.file, "{row}").map_err(|error| Failure::file(&self.path, &error))
    }

    /// FNV-1a of settings, name and contents: equal on every host and in every version.
    fn hash(&self, name: &str, bytes: &[u8]) -> u64 {
        let all =
            self.settings.bytes().chain([0]).chain(name.bytes()).chain([0]).chain(bytes.iter().copied());
        all.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }
}
