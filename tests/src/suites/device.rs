//! Compares Mesa's driver and the project's driver on the device with lavapipe, over the case files of `tests/device`.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;

use super::Context;
use crate::cts::list::Sample;
use crate::device::cases::{Case, parse};
use crate::device::compare::compare;
use crate::device::environment::{Door, Driver, Environment};
use crate::outcome::{CaseResult, Outcome, SuiteReport};
use crate::shared::DataError;
use crate::tools::Tools;

/// The case files.
const FILES: [(&str, &str); 3] = [
    ("compute", include_str!("../../device/compute.cases")),
    ("draw", include_str!("../../device/draw.cases")),
    ("transfer", include_str!("../../device/transfer.cases")),
];
/// Cases that Mesa's driver does not support, for the project's driver only.
const OWN: [(&str, &str); 3] = [
    ("condition", include_str!("../../device/condition.cases")),
    ("driver", include_str!("../../device/driver.cases")),
    ("mesh", include_str!("../../device/mesh.cases")),
];
/// Number of cases that one process runs; if it ends early, only these are run again.
const TOGETHER: usize = 48;

/// Seeds of a render node in the two runs, unless the command line has one.
const NODE_SEEDS: [u64; 2] = [2, 5];
/// One in this number of cases runs through a render node, unless the command line says otherwise.
const NODE_SHARE: u64 = 6;

/// The options of two runs: the second interrupts render passes. In process it also has another order of tiles, unordered commands as
/// findings, and caches, which a render node has in both runs.
fn doors(driver: Driver, seed: Option<u64>) -> [Door; 2] {
    // The parameter buffer is full after each draw that has primitives.
    let interrupted = |door: Door| door.with("AGX_DEVICE_PARAMETER_BYTES", "1");
    if driver == Driver::Node {
        let [first, second] = NODE_SEEDS.map(|own| Door::node(seed.unwrap_or(own)));
        return [first, interrupted(second)];
    }
    let plain = || Door::plain(driver);
    let unordered = plain().with("AGX_DEVICE_SEED", "3").with("AGX_DEVICE_HAZARDS", "1");
    [plain().with("AGX_DEVICE_STRICT", "yes"), interrupted(unordered.with("AGX_DEVICE_CACHES", "1"))]
}

/// Results by name: bytes, or an error.
pub type Results = BTreeMap<String, Result<Vec<u8>, String>>;

/// Runs every case through Mesa's driver on the device.
///
/// # Errors
/// Never: a missing environment skips the suite.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    run_on(Driver::Device, 1, context)
}

/// Runs every case through the project's driver.
///
/// # Errors
/// Never: a missing environment skips the suite.
pub fn driver(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    run_on(context.own().driver, 1, context)
}

/// Runs cases through the project's driver and a render node of the kernel.
///
/// # Errors
/// Never: a missing environment skips the suite.
pub fn node(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    run_on(Driver::Node, NODE_SHARE, context)
}

/// Runs one in `share` cases through a driver, unless the command line says otherwise.
fn run_on(driver: Driver, share: u64, context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let own = if matches!(driver, Driver::Own | Driver::Node) { &OWN[..] } else { &[] };
    let own: Result<Vec<_>, String> = own.iter().map(|file| read(*file)).collect();
    let (environment, mut files, own) = match (prepare(&format!("device-{driver:?}")), own) {
        (Ok((environment, files)), Ok(own)) => (environment, files, own),
        (Err(reason), _) | (_, Err(reason)) => return Ok(SuiteReport::absent(reason)),
    };
    files.extend(own);
    let counts: BTreeMap<&str, usize> = files.iter().map(|(file, cases)| (*file, cases.len())).collect();
    let mut cases: Vec<Case> = files.into_iter().flat_map(|(_, cases)| cases).collect();
    let share = if context.filter.is_some() { 1 } else { share };
    let sample = Sample { filter: context.filter, one_in: context.one_in.unwrap_or(share) };
    cases.retain(|case| sample.contains(&case.name));
    let report_file = environment.scratch().join("findings.txt");
    // The file may not exist.
    let _ = std::fs::remove_file(&report_file);
    let prepared: Vec<(&Case, Result<String, Outcome>)> =
        cases.iter().map(|case| (case, request(case, context.tools, environment.scratch()))).collect();
    let runnable: Vec<(&str, &str)> = prepared
        .iter()
        .filter_map(|(case, request)| Some((case.name.as_str(), request.as_ref().ok()?.as_str())))
        .collect();
    let expected = results(&environment, &Door::plain(Driver::Lavapipe), &runnable, &report_file);
    let [found, interrupted] =
        doors(driver, context.node).map(|door| results(&environment, &door, &runnable, &report_file));
    let outcomes = prepared.iter().map(|(case, request)| CaseResult {
        name: case.name.clone(),
        outcome: match request {
            Ok(_) => match judge(case, &expected, &found) {
                Outcome::Pass => same(case, &found, &interrupted),
                other => other,
            },
            Err(outcome) => outcome.clone(),
        },
    });
    let findings = std::fs::read_to_string(&report_file).unwrap_or_default();
    let outcomes = outcomes.chain([strict(&findings)]);
    let mut report = SuiteReport::new(outcomes.collect());
    report.extra.insert("findings".into(), json!(findings.lines().filter(|line| is_finding(line)).count()));
    report.extra.insert("mesa".into(), json!(environment.version));
    for (file, count) in counts {
        report.extra.insert(format!("{file}_cases"), json!(count));
    }
    Ok(report)
}

/// The cases of every file, by its name.
type CaseFiles = Vec<(&'static str, Vec<Case>)>;

/// The environment of `suite`, and the cases of every file.
///
/// # Errors
/// There is no environment, or a file cannot be read.
pub fn prepare(suite: &str) -> Result<(Environment, CaseFiles), String> {
    Ok((Environment::find(suite)?, case_files()?))
}

/// The cases of every file, prefixed with its name.
fn case_files() -> Result<CaseFiles, String> {
    FILES.into_iter().map(read).collect()
}

/// The cases of a file.
fn read((file, text): (&'static str, &str)) -> Result<(&'static str, Vec<Case>), String> {
    let cases = parse(text).map_err(|error| format!("{file}.cases: {error}"))?;
    let named = |case: Case| Case { name: format!("{file}-{}", case.name), ..case };
    Ok((file, cases.into_iter().map(named).collect()))
}

/// The request of a case, with its shaders compiled to files.
///
/// # Errors
/// A shader cannot be compiled.
pub fn request(case: &Case, tools: &Tools, scratch: &Path) -> Result<String, Outcome> {
    let mut text = format!("case {}\n", case.name);
    for line in &case.lines {
        text.push_str(line);
        text.push('\n');
    }
    for (number, (stage, source)) in case.shaders.iter().enumerate() {
        let module = tools.glsl_to_spirv_for(source, stage, "vulkan1.3").map_err(Outcome::from)?;
        let path = scratch.join(format!("{}-{number}.spv", case.name));
        std::fs::write(&path, module).map_err(|error| Outcome::Fail(error.to_string()))?;
        text.push_str(&format!("shader {stage} {}\n", path.display()));
    }
    text.push_str("end\n");
    Ok(text)
}

/// Runs all requests on a driver. Findings of the device are written to `report`.
pub fn results(environment: &Environment, door: &Door, requests: &[(&str, &str)], report: &Path) -> Results {
    let mut results = Results::new();
    for chunk in requests.chunks(TOGETHER) {
        let outcome = batch(environment, door, chunk, report, &mut results);
        if outcome.is_ok() {
            continue;
        }
        // The process ended early: run each request without a result separately.
        let missing: Vec<_> =
            chunk.iter().filter(|(name, _)| !results.contains_key(*name)).copied().collect();
        for single in missing {
            if let Err(error) = batch(environment, door, &[single], report, &mut results) {
                results.entry(single.0.to_owned()).or_insert(Err(error));
            }
        }
    }
    results
}

fn batch(
    environment: &Environment,
    door: &Door,
    requests: &[(&str, &str)],
    report: &Path,
    results: &mut Results,
) -> Result<(), String> {
    let folder = environment.folder(&format!("{:?}", door.driver))?;
    let file = folder.join("requests.txt");
    let text: String = requests.iter().map(|(_, request)| *request).collect();
    std::fs::write(&file, text).map_err(|error| error.to_string())?;
    let outcome = environment.run(door, &file, &folder, report);
    for (name, _) in requests {
        if let Ok(bytes) = std::fs::read(folder.join(format!("{name}.bin"))) {
            results.insert((*name).to_owned(), Ok(bytes));
        } else if let Ok(error) = std::fs::read_to_string(folder.join(format!("{name}.err"))) {
            results.insert((*name).to_owned(), Err(error));
        }
    }
    outcome
}

fn judge(case: &Case, expected: &Results, found: &Results) -> Outcome {
    let missing = || Err(String::from("no result"));
    let expected = expected.get(&case.name).cloned().unwrap_or_else(missing);
    let found = found.get(&case.name).cloned().unwrap_or_else(missing);
    match (expected, found) {
        (Ok(expected), Ok(found)) => match compare(case, &expected, &found) {
            Ok(()) => Outcome::Pass,
            Err(difference) => Outcome::Fail(difference),
        },
        (Err(error), _) => Outcome::Skipped(format!("lavapipe cannot run it: {error}")),
        (_, Err(error)) => Outcome::Fail(error),
    }
}

/// Whether the results of a case are the same when its render passes are interrupted.
fn same(case: &Case, whole: &Results, interrupted: &Results) -> Outcome {
    match (whole.get(&case.name), interrupted.get(&case.name)) {
        (Some(Ok(whole)), Some(Ok(interrupted))) if whole == interrupted => Outcome::Pass,
        (_, Some(Err(error))) => Outcome::Fail(format!("with interrupted passes: {error}")),
        _ => Outcome::Fail("interrupted render passes give another result".into()),
    }
}

/// Whether a line of a report is from the device, and not from a driver that rejects a call.
fn is_finding(line: &str) -> bool {
    ["finding: ", "fault: "].iter().any(|kind| line.contains(kind))
}

/// The case that the strict device has no findings for a driver.
fn strict(findings: &str) -> CaseResult {
    let outcome = match findings.lines().find(|line| is_finding(line)) {
        None => Outcome::Pass,
        Some(first) => Outcome::Fail(first.to_owned()),
    };
    CaseResult { name: "findings".into(), outcome }
}
