//! PICA200 programs through compiler and machine: recorded vertex runs, and cases from files.

use std::path::{Path, PathBuf};

use super::Context;
use crate::outcome::SuiteReport;
use crate::pica::Case;
use crate::runner::run_cases;
use crate::shared::{DataError, read_json_lines};

/// The cases of this project.
const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/pica-programs");

/// Recorded vertex runs of a third party.
///
/// # Errors
/// [`DataError`] if the suite's file is invalid.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let path = context.shared.join("conformance/pica-unit.jsonl");
    Ok(run_all(context, &read(&path)?))
}

/// Cases from files: those of this project, those in the folder `pica-programs` of the reference material, and those
/// that the command line names.
///
/// # Errors
/// [`DataError`] if a file is invalid.
pub fn programs(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let shared = context.shared.join("pica-programs");
    let mut cases = Vec::new();
    for place in [Some(Path::new(OWN)), Some(shared.as_path()), context.cases].into_iter().flatten() {
        for path in files(place)? {
            cases.extend(read(&path)?);
        }
    }
    Ok(run_all(context, &cases))
}

/// A case with its name and the folder of its file.
type Named = (String, PathBuf, Case);

fn run_all(context: &Context<'_>, cases: &[Named]) -> SuiteReport {
    SuiteReport::new(run_cases(
        cases,
        context.filter,
        |(name, ..)| name.clone(),
        |(_, folder, case)| case.run(folder, context.key, context.seed),
    ))
}

/// The files of a path: a file itself, or every `.jsonl` in a folder, possibly none.
fn files(place: &Path) -> Result<Vec<PathBuf>, DataError> {
    if place.is_file() {
        return Ok(vec![place.to_owned()]);
    }
    let Ok(entries) = std::fs::read_dir(place) else { return Ok(Vec::new()) };
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| DataError::Read { path: place.to_owned(), error })?;
        if entry.path().extension().is_some_and(|extension| extension == "jsonl") {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

/// The cases of a file.
fn read(path: &Path) -> Result<Vec<Named>, DataError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let cases = read_json_lines::<Case>(path)?.into_iter().enumerate();
    Ok(cases
        .map(|(index, case)| (format!("{stem}/{index:03}-{}", case.case), folder.to_owned(), case))
        .collect())
}
