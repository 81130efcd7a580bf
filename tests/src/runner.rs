//! Runs the cases of a suite on all threads and converts panics to failures.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};

use rayon::prelude::*;

use crate::outcome::{CaseResult, Outcome};

thread_local! {
    /// Message and location of the panic being caught on this thread.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
    /// Whether panics on this thread are caught and not printed.
    static CATCHING: RefCell<bool> = const { RefCell::new(false) };
}

/// Silences panics in [`caught`]: their message becomes the case's reason. Call it once, before any case.
pub fn install_panic_hook() {
    let previous = take_hook();
    set_hook(Box::new(move |info| {
        if CATCHING.with_borrow(|catching| *catching) {
            PANIC.set(Some(info.to_string().replace('\n', " ")));
        } else {
            previous(info);
        }
    }));
}

/// Runs `case`; a panic is a failure with the message and location.
pub fn caught(case: impl FnOnce() -> Outcome) -> Outcome {
    CATCHING.set(true);
    let result = catch_unwind(AssertUnwindSafe(case));
    CATCHING.set(false);
    result.unwrap_or_else(|_| {
        let message = PANIC.take().unwrap_or_else(|| "no message".into());
        Outcome::Fail(format!("panic: {message}"))
    })
}

/// Runs every item whose name contains `filter`, in parallel; returns the results in the order of the items.
pub fn run_cases<'t, T: Sync, O: Into<Outcome>>(
    items: &'t [T],
    filter: Option<&str>,
    name: impl Fn(&T) -> String + Sync,
    run: impl Fn(&'t T) -> O + Sync,
) -> Vec<CaseResult> {
    items
        .par_iter()
        .map(|item| (name(item), item))
        .filter(|(name, _)| filter.is_none_or(|filter| name.contains(filter)))
        .map(|(name, item)| CaseResult { name, outcome: caught(|| run(item).into()) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_failure_and_the_rest_goes_on() {
        let results = run_cases(
            &[1, 0, 2],
            None,
            |number| format!("case {number}"),
            |number| {
                assert!(*number > 0, "not positive");
                Outcome::Pass
            },
        );
        assert_eq!(results.len(), 3);
        assert_eq!(results[0].outcome, Outcome::Pass);
        assert!(matches!(&results[1].outcome, Outcome::Fail(reason) if reason.starts_with("panic: ")));
        assert_eq!(results[2].name, "case 2");
        assert_eq!(results[2].outcome, Outcome::Pass);
    }

    #[test]
    fn the_filter_is_a_part_of_the_name() {
        let results = run_cases(&["ab", "bc", "cd"], Some("b"), |name| name.to_string(), |_| Outcome::Pass);
        assert_eq!(results.iter().map(|case| case.name.as_str()).collect::<Vec<_>>(), ["ab", "bc"]);
    }
}
