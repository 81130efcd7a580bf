//! The inputs of a batch, and the journal for resuming it.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use agx_compiler::Location;
use rustc_hash::FxHashSet;
use serde_json::json;

use crate::codes;
use crate::diagnostic::{Diagnostic, Failure, Problems};
use crate::input::{self, Kind};
use crate::output;

/// The inputs of a batch.
#[derive(Default)]
pub struct Inputs {
    /// Files, in order and each once.
    pub names: Vec<String>,
    /// Files and folders that cannot be named or listed.
    pub refused: Problems,
}

/// Files that the arguments name. A folder denotes the shaders in it, `@LIST` the paths in a file.
pub fn inputs<'p>(paths: impl Iterator<Item = &'p str>) -> Result<Inputs, Failure> {
    let mut found = Inputs::default();
    for path in paths {
        if let Some(list) = path.strip_prefix('@') {
            let bytes = input::read_bytes(list)?;
            for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
                match str::from_utf8(line).map(str::trim) {
                    Ok(line) if line.is_empty() || line.starts_with('#') => {}
                    Ok(line) => found.names.push(line.to_owned()),
                    Err(_) => {
                        let location = Location::Text { line: number, column: 1 };
                        found.refused.add(vec![not_utf8(list).at(location)]);
                    }
                }
            }
        } else if Path::new(path).is_dir() {
            folder(path, &mut found);
        } else {
            found.names.push(path.to_owned());
        }
    }
    let mut known = FxHashSet::default();
    found.names.retain(|path| known.insert(path.clone()));
    Ok(found)
}

/// The problem that a path in `place` is not text.
fn not_utf8(place: &str) -> Diagnostic {
    Diagnostic::new(codes::FILE, "the name is not UTF-8").in_file(place)
}

/// Adds the shaders in a folder and its subfolders, selected by their extensions, sorted by path. Links to folders are not
/// followed.
fn folder(path: &str, inputs: &mut Inputs) {
    let (mut found, mut open) = (Vec::new(), vec![Path::new(path).to_owned()]);
    while let Some(folder) = open.pop() {
        let failed = |error: std::io::Error| {
            vec![Diagnostic::new(codes::FILE, error.to_string()).in_file(&folder.display().to_string())]
        };
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                inputs.refused.add(failed(error));
                continue;
            }
        };
        for entry in entries {
            let kind = entry.and_then(|entry| Ok((entry.path(), entry.file_type()?)));
            match kind.map(|(path, kind)| (path.to_str().map(ToOwned::to_owned), path, kind)) {
                Err(error) => inputs.refused.add(failed(error)),
                Ok((_, path, kind)) if kind.is_dir() => open.push(path),
                Ok((Some(name), ..)) if is_shader(&name) => found.push(name),
                Ok((None, path, _)) if is_shader(&path.to_string_lossy()) => {
                    inputs.refused.add(vec![not_utf8(&path.to_string_lossy())]);
                }
                Ok(_) => {}
            }
        }
    }
    found.sort();
    inputs.names.extend(found);
}

/// Whether a file is a shader by its name.
fn is_shader(name: &str) -> bool {
    matches!(Kind::guess(name, b""), Some(Kind::Shader(_) | Kind::Hlsl))
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
        output::check_regular(path)?;
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
        input::read_bytes(name).is_ok_and(|bytes| self.done.contains(&self.hash(name, &bytes)))
    }

    /// Records that the input called `name` has succeeded.
    pub fn record(&mut self, name: &str) -> Result<(), Failure> {
        let Ok(bytes) = input::read_bytes(name) else { return Ok(()) };
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
