//! Suites for which no front end exists yet: every case counts as unsupported, so that the score tells how many wait.

use serde::de::DeserializeOwned;

use super::Context;
use crate::outcome::{Outcome, SuiteReport};
use crate::pica;
use crate::runner::run_cases;
use crate::shared::{DataError, read_json_lines};

/// PICA200 vertex programs.
///
/// # Errors
/// [`DataError`] when the suite's file is unusable.
pub fn pica(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let file = "conformance/pica-unit.jsonl";
    refuse(context, file, "there is no PICA200 front end yet", |test: &pica::Test, index| {
        Some(format!("{index:03}-{}", test.case))
    })
}

/// Every test of `file` that `name` names, as unsupported for `reason`.
fn refuse<T: DeserializeOwned>(
    context: &Context<'_>,
    file: &str,
    reason: &str,
    name: fn(&T, usize) -> Option<String>,
) -> Result<SuiteReport, DataError> {
    let tests: Vec<T> = read_json_lines(&context.shared.join(file))?;
    let names: Vec<String> = tests.iter().enumerate().filter_map(|(index, test)| name(test, index)).collect();
    let cases = run_cases(&names, context.filter, String::clone, |_| Outcome::Unsupported(reason.into()));
    Ok(SuiteReport::new(cases))
}
