//! Suites `cts` and `cts-mesa`: Khronos' Vulkan conformance suite through the project's driver and through Mesa's.
//!
//! `AGX_CTS` names a `deqp-vk` program that its user built. Without a filter, one in [`ONE_IN`] cases runs, chosen by a
//! hash of the name; `--one-in N` changes the number, `--cases PATH` names a list or a folder of lists, such as the
//! suite's own `mustpass/main/vk-default`. Without it, the program exports the names of its cases.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rayon::prelude::*;
use serde_json::json;

use super::Context;
use crate::cts::list::{Sample, names, read};
use crate::cts::open::{self, Open};
use crate::cts::process::{LIMIT, Ran, Runner};
use crate::device::environment::{Driver, Environment};
use crate::outcome::{CaseResult, Outcome, SuiteReport};
use crate::shared::DataError;

/// Without a filter, one in this number of cases runs.
const ONE_IN: u64 = 2000;
/// Number of cases that one process runs.
const TOGETHER: usize = 250;

/// Runs the sample through the project's driver.
///
/// # Errors
/// Never: a missing program or environment skips the suite.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    run_on(Driver::Own, "agx", context)
}

/// Runs the sample through Mesa's driver on the device.
///
/// # Errors
/// Never: a missing program or environment skips the suite.
pub fn mesa(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    run_on(Driver::Device, "mesa", context)
}

fn run_on(driver: Driver, name: &str, context: &Context<'_>) -> Result<SuiteReport, DataError> {
    match results(driver, name, context) {
        Ok(ran) => Ok(report(&open::rows(name), &ran)),
        Err(reason) => Ok(SuiteReport::absent(reason)),
    }
}

/// The results of all cases of the sample.
fn results(driver: Driver, name: &str, context: &Context<'_>) -> Result<Vec<Ran>, String> {
    let program = std::env::var_os("AGX_CTS").map(PathBuf::from).filter(|path| path.is_file());
    let program = program.ok_or("AGX_CTS names no deqp-vk program of Khronos' Vulkan conformance suite")?;
    let environment = Environment::find(&format!("cts-{name}"))?;
    let list = match context.cases {
        Some(path) => read(path)?,
        None => exported(&environment, &program)?,
    };
    let one_in = context.one_in.unwrap_or(if context.filter.is_some() { 1 } else { ONE_IN });
    let sample = Sample { filter: context.filter, one_in };
    let cases: Vec<&str> = names(&list).filter(|name| sample.contains(name)).collect();
    let pieces: Vec<(usize, &[&str])> = cases.chunks(TOGETHER).enumerate().collect();
    let ran: Result<Vec<Vec<Ran>>, String> = pieces
        .par_iter()
        .map(|(number, piece)| {
            let folder = environment.folder(&format!("piece-{number}"))?;
            Runner { command: || command(&environment, driver, &program), folder, limit: LIMIT }.run(piece)
        })
        .collect();
    Ok(ran?.into_iter().flatten().collect())
}

/// Starts the program in its own folder, which has its data.
fn command(environment: &Environment, driver: Driver, program: &Path) -> Command {
    let mut command = environment.command(driver, program);
    command.current_dir(program.parent().unwrap_or(Path::new("."))).env("AGX_DEVICE_STRICT", "yes");
    command
}

/// The names of all cases, exported by the program and cached while it does not change.
fn exported(environment: &Environment, program: &Path) -> Result<String, String> {
    let text = |error: std::io::Error| error.to_string();
    let file = environment.scratch().join("cases.txt");
    let modified = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    if modified(&file) > modified(program) {
        return std::fs::read_to_string(&file).map_err(text);
    }
    let mut command = command(environment, Driver::Lavapipe, program);
    command.arg("--deqp-runmode=stdout-caselist").stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output().map_err(text)?;
    let list = String::from_utf8_lossy(&output.stdout).into_owned();
    if names(&list).next().is_none() {
        return Err(format!("{} exports no cases: {}", program.display(), output.status));
    }
    std::fs::write(&file, &list).map_err(text)?;
    Ok(list)
}

/// A finding of the device fails a case that passes. Figures: failures that are not among the open cases, passes of
/// cases that ran, and open rows all of whose cases pass.
fn report(open: &[Open<'_>], ran: &[Ran]) -> SuiteReport {
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
