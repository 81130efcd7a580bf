//! TGSI programs through compiler and machine: those of this project compared with the interpreter, and cases from
//! files.

use std::path::{Path, PathBuf};

use agx_tgsi::{is_compiled_stage, parse};

use super::Context;
use crate::outcome::SuiteReport;
use crate::runner::run_cases;
use crate::shared::{DataError, read_json_lines};
use crate::tgsi::{Case, judge, programs};

/// The cases of this project.
const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tgsi-cases");

/// An item to run.
enum Judged {
    /// A program to compare with the interpreter.
    Program(String),
    /// A case, and the folder of its file.
    Case(Box<Case>, PathBuf),
}

/// Programs and cases of this project, those in the folder `tgsi-cases` of the reference material, and those that the
/// command line names. A `.tgsi` file must compile, and agree with the interpreter if its comments describe its inputs.
///
/// # Errors
/// [`DataError`] if a file is invalid.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    // Programs of unsupported stages only test the parser.
    let is_compiled = |text: &str| parse(text).is_ok_and(|shader| is_compiled_stage(shader.processor));
    let mut cases: Vec<(String, Judged)> = programs()
        .into_iter()
        .filter(|(_, text)| is_compiled(text))
        .map(|(name, text)| (format!("programs/{name}"), Judged::Program(text)))
        .collect();
    let shared = context.shared.join("tgsi-cases");
    for place in [Some(Path::new(OWN)), Some(shared.as_path()), context.cases].into_iter().flatten() {
        for path in files(place)? {
            read(&path, &mut cases)?;
        }
    }
    Ok(SuiteReport::new(run_cases(
        &cases,
        context.filter,
        |(name, _)| name.clone(),
        |(_, judged)| match judged {
            Judged::Program(text) => judge(text, context.key, context.seed).outcome,
            Judged::Case(case, folder) => case.run(folder, context.key, context.seed),
        },
    )))
}

/// The files of a path: a file itself, or every case and program in a folder, possibly none.
fn files(place: &Path) -> Result<Vec<PathBuf>, DataError> {
    if place.is_file() {
        return Ok(vec![place.to_owned()]);
    }
    let Ok(entries) = std::fs::read_dir(place) else { return Ok(Vec::new()) };
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| DataError::Read { path: place.to_owned(), error })?;
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "jsonl" || extension == "tgsi") {
            paths.push(path);
        }
    }
    paths.sort();
    // Programs that cases refer to are not run separately.
    let has_cases = paths.iter().any(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    paths.retain(|path| !has_cases || path.extension().is_some_and(|extension| extension == "jsonl"));
    Ok(paths)
}

/// The cases of a file.
fn read(path: &Path, cases: &mut Vec<(String, Judged)>) -> Result<(), DataError> {
    let folder = path.parent().unwrap_or(Path::new(".")).to_owned();
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    if path.extension().is_some_and(|extension| extension == "tgsi") {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| DataError::Read { path: path.to_owned(), error })?;
        cases.push((format!("files/{stem}"), Judged::Program(text)));
        return Ok(());
    }
    for (index, case) in read_json_lines::<Case>(path)?.into_iter().enumerate() {
        let name = format!("{stem}/{index:03}-{}", case.case);
        cases.push((name, Judged::Case(Box::new(case), folder.clone())));
    }
    Ok(())
}
