//! Suite `corpus`: every entry point of the corpus compiles, or the compiler says what it lacks.

use super::Context;
use crate::corpus::{Item, load};
use crate::outcome::{Outcome, SuiteReport};
use crate::runner::run_cases;
use crate::shared::DataError;

/// Runs the suite.
///
/// # Errors
/// [`DataError`] when the corpus is unusable.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let items = load(context.shared)?;
    let cases = run_cases(&items, context.filter, Item::name, |item| match item.compile(context.key) {
        Ok(_) => Outcome::Pass,
        Err(outcome) => outcome,
    });
    Ok(SuiteReport::new(cases))
}
