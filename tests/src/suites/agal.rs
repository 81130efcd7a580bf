//! AGAL programs through compiler and machine: cases from files, and bare programs compared with the interpreter.

use std::path::{Path, PathBuf};

use agx_agal::{AssembleOptions, Program, assemble};

use super::Context;
use crate::agal::case::Case;
use crate::agal::inputs::KINDS;
use crate::agal::oracle::compare;
use crate::outcome::{Outcome, SuiteReport};
use crate::runner::run_cases;
use crate::shared::{DataError, read_json_lines};

/// The cases of this project.
const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/agal-programs");

/// An item to run.
enum Item {
    /// A case of a file in `folder`.
    Case { folder: PathBuf, case: Box<Case> },
    /// A program without inputs.
    Program(PathBuf),
}

/// Cases and programs of this project, of the folder `agal-programs` of the reference material, and those that the
/// command line names.
///
/// # Errors
/// [`DataError`] if a file of cases is invalid.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let shared = context.shared.join("agal-programs");
    let mut items = Vec::new();
    for place in [Some(Path::new(OWN)), Some(shared.as_path()), context.cases].into_iter().flatten() {
        for path in files(place)? {
            items.extend(read(&path)?);
        }
    }
    let cases = run_cases(
        &items,
        context.filter,
        |(name, _)| name.clone(),
        |(_, item)| match item {
            Item::Case { folder, case } => case.run(folder, context.key),
            Item::Program(path) => against_interpreter(context, path),
        },
    );
    Ok(SuiteReport::new(cases))
}

/// The files of a path: a file itself, or every case and program in a folder, possibly none.
fn files(place: &Path) -> Result<Vec<PathBuf>, DataError> {
    if place.is_file() {
        return Ok(vec![place.to_owned()]);
    }
    let Ok(entries) = std::fs::read_dir(place) else { return Ok(Vec::new()) };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| DataError::Read { path: place.to_owned(), error })?.path();
        if path.extension().is_some_and(|extension| ["jsonl", "agal"].iter().any(|known| extension == *known))
        {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// The cases of a file, or its program.
fn read(path: &Path) -> Result<Vec<(String, Item)>, DataError> {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    if path.extension().is_none_or(|extension| extension != "jsonl") {
        return Ok(vec![(stem, Item::Program(path.to_owned()))]);
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let cases = read_json_lines::<Case>(path)?.into_iter().enumerate();
    let item = |case| Item::Case { folder: folder.to_owned(), case: Box::new(case) };
    Ok(cases.map(|(index, case)| (format!("{stem}/{index:03}-{}", case.case), item(case))).collect())
}

/// Runs a program over inputs of every kind.
fn against_interpreter(context: &Context<'_>, path: &Path) -> Result<(), Outcome> {
    let contents = std::fs::read(path).map_err(|error| Outcome::Fail(error.to_string()))?;
    let failed = |error: String| Outcome::Fail(error);
    let program = match contents.first() {
        Some(0xa0) => Program::read(&contents).map_err(|error| failed(error.to_string()))?,
        _ => {
            let text = String::from_utf8(contents).map_err(|error| failed(error.to_string()))?;
            assemble(&text, AssembleOptions::default()).map_err(|error| failed(error.to_string()))?
        }
    };
    for kind in KINDS {
        compare(&program, kind, context.seed + 1, context.key)?;
    }
    Ok(())
}
