//! Suite `corpus`: every entry point of the corpus compiles in every role that a draw can give it, or the compiler
//! reports an unsupported feature.

use super::Context;
use crate::corpus::{Item, load};
use crate::outcome::SuiteReport;
use crate::roles::every_role;
use crate::runner::run_cases;
use crate::shared::DataError;

/// Runs the suite.
///
/// # Errors
/// [`DataError`] if the corpus is invalid.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let items = load(context.shared)?;
    let cases = run_cases(&items, context.filter, Item::name, |item| every_role(item, context.key));
    Ok(SuiteReport::new(cases))
}
