//! Shared by the suites of Amber tests: one file has the tests of every kind.

use super::Context;
use crate::amber::model::Test;
use crate::outcome::{Outcome, SuiteReport};
use crate::runner::run_cases;
use crate::shared::{DataError, read_json_lines};

/// Runs the tests of one kind with `run_test`, whose `Err` is the outcome that is not a pass.
///
/// # Errors
/// [`DataError`] if the suite's file is invalid.
pub fn run_kind(
    context: &Context<'_>,
    kind: &str,
    run_test: impl Fn(&Context<'_>, &Test) -> Result<(), Outcome> + Sync,
) -> Result<SuiteReport, DataError> {
    let mut tests: Vec<Test> = read_json_lines(&context.shared.join("conformance/amber.jsonl"))?;
    tests.retain(|test| test.kind == kind);
    let cases = run_cases(&tests, context.filter, |test| test.name.clone(), |test| run_test(context, test));
    Ok(SuiteReport::new(cases))
}
