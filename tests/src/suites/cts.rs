//! Suites `cts` and `cts-mesa`: Khronos' Vulkan conformance suite through the project's driver and through Mesa's.
//!
//! `AGX_CTS` names a `deqp-vk` program that its user built. Without a filter, one in [`ONE_IN`] cases runs, chosen by a
//! hash of the name; `--one-in N` changes the number, `--cases PATH` names a list or a folder of lists, such as the
//! suite's own `mustpass/main/vk-default`. Without it, the program exports the names of its cases.

use serde_json::json;

use super::Context;
use crate::cts::open::{self, Open};
use crate::cts::process::Ran;
use crate::cts::program::Program;
use crate::device::environment::{Door, Driver};
use crate::outcome::{CaseResult, Outcome, SuiteReport};
use crate::shared::DataError;

/// Without a filter, one in this number of cases runs.
const ONE_IN: u64 = 2000;

/// Runs the sample through the project's driver.
///
/// # Errors
/// Never: a missing program or environment skips the suite.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    run_on(&context.own(), "agx", context)
}

/// Runs the sample through Mesa's driver on the device.
///
/// # Errors
/// Never: a missing program or environment skips the suite.
pub fn mesa(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    run_on(&Door::plain(Driver::Device), "mesa", context)
}

fn run_on(door: &Door, name: &str, context: &Context<'_>) -> Result<SuiteReport, DataError> {
    match results(door, name, context) {
        Ok(ran) => Ok(report(&open::rows(name), &ran)),
        Err(reason) => Ok(SuiteReport::absent(reason)),
    }
}

/// The results of all cases of the sample.
fn results(door: &Door, name: &str, context: &Context<'_>) -> Result<Vec<Ran>, String> {
    let what = "deqp-vk program of Khronos' Vulkan conformance suite";
    let program = Program::find("AGX_CTS", what, &format!("cts-{name}"), |_, _, _| {})?;
    program.run(door, &program.cases(context, ONE_IN)?)
}

/// A finding of the device fails a case that passes. Figures: failures that are not among the open cases, passes of
/// cases that ran, and open rows all of whose cases pass.
pub fn report(open: &[Open<'_>], ran: &[Ran]) -> SuiteReport {
    let mut unexpected = 0;
    let mut failing = vec![false; open.len()];
    let mut cases = Vec::with_capacity(ran.len());
    for ran in ran {
        let outcome = judged(ran);
        let outcome = match (outcome, open.iter().position(|row| row.matches(&ran.name))) {
            (Outcome::Fail(reason), Some(row)) => {
                failing[row] = true;
                Outcome::Fail(format!("open: {} ({reason})", open[row].reason))
            }
            (Outcome::Fail(reason), None) => {
                unexpected += 1;
                Outcome::Fail(reason)
            }
            (outcome, _) => outcome,
        };
        cases.push(CaseResult { name: ran.name.clone(), outcome });
    }
    let stale = open.iter().zip(&failing).filter(|(row, failing)| {
        !**failing && cases.iter().any(|case| row.matches(&case.name) && case.outcome == Outcome::Pass)
    });
    let stale: Vec<&str> = stale.map(|(row, _)| row.pattern).collect();
    let mut report = SuiteReport::new(cases);
    let tally = report.tally();
    report.extra.insert("unexpected".into(), json!(unexpected));
    report
        .extra
        .insert("rate_of_run".into(), json!(tally.pass as f64 / (tally.pass + tally.fail).max(1) as f64));
    report.extra.insert("findings".into(), json!(ran.iter().filter(|ran| ran.finding.is_some()).count()));
    report.extra.insert("open_but_passing".into(), json!(stale));
    report
}

fn judged(ran: &Ran) -> Outcome {
    match (&ran.outcome, &ran.finding) {
        (Outcome::Pass, Some(finding)) => Outcome::Fail(finding.clone()),
        (outcome, _) => outcome.clone(),
    }
}
