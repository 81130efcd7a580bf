//! Suite `dawn`: WebGPU conformance tests as WebGPU programs, through Dawn on the project's Vulkan driver. Every eighth
//! test runs; with a filter, even an empty one, all that match.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Deserialize;
use serde_json::json;

use super::Context;
use crate::device::environment::{Door, Environment};
use crate::outcome::{CaseResult, Outcome, SuiteReport};
use crate::shared::{DataError, from_hex, read_json_lines};
use crate::webgpu::model::{Body, Test};

/// Without a filter, one in this number of tests runs.
const SHARE: usize = 8;
/// Number of tests that one process runs.
const TOGETHER: usize = 128;
/// Time limit of a process in seconds.
const SECONDS: u32 = 300;

/// Dawn's results for a test.
#[derive(Deserialize)]
struct Ran {
    name: String,
    #[serde(default)]
    buffers: BTreeMap<String, String>,
    error: Option<String>,
}

/// Runs the tests.
///
/// # Errors
/// [`DataError`] if the file of tests is invalid.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let environment = match Environment::find("dawn") {
        Ok(environment) => environment,
        Err(reason) => return Ok(SuiteReport::absent(reason)),
    };
    if let Err(reason) = environment.prepare_clients() {
        return Ok(SuiteReport::absent(reason));
    }
    let tests: Vec<Test> = read_json_lines(&context.shared.join("conformance/webgpu.jsonl"))?;
    let is_wanted = |(at, test): &(usize, Test)| match context.filter {
        Some(filter) => test.name.contains(filter),
        None => at.is_multiple_of(SHARE),
    };
    let tests: Vec<Test> = tests.into_iter().enumerate().filter(is_wanted).map(|(_, test)| test).collect();
    let pieces: Vec<(usize, &[Test])> = tests.chunks(TOGETHER).enumerate().collect();
    let door = context.own();
    let cases =
        pieces.par_iter().flat_map(|(number, piece)| piece_results((&environment, &door), *number, piece));
    let mut report = SuiteReport::new(cases.collect());
    report.extra.insert("mesa".into(), json!(environment.version));
    Ok(report)
}

fn buffers(test: &Test) -> Result<Vec<(u32, Vec<u8>, bool)>, String> {
    match &test.body {
        Body::Cases(cases) => cases.buffers(),
        Body::Raw(raw) => raw.buffers(),
    }
}

/// Runs tests in one process.
fn piece_results(room: (&Environment, &Door), number: usize, tests: &[Test]) -> Vec<CaseResult> {
    let found = match ran(room, number, tests) {
        Ok(found) => found,
        Err(reason) => {
            let lost =
                |test: &Test| CaseResult { name: test.name.clone(), outcome: Outcome::Fail(reason.clone()) };
            return tests.iter().map(lost).collect();
        }
    };
    let judged = |test: &Test| {
        let missing = || Outcome::Fail("the program ended before this test".into());
        let result = found.get(&test.name).ok_or_else(missing).and_then(|ran| judge(test, ran));
        CaseResult { name: test.name.clone(), outcome: result.err().unwrap_or(Outcome::Pass) }
    };
    tests.iter().map(judged).collect()
}

fn ran(
    (environment, door): (&Environment, &Door),
    number: usize,
    tests: &[Test],
) -> Result<BTreeMap<String, Ran>, String> {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let mut text = String::new();
    for test in tests {
        let list: Vec<_> = buffers(test)?
            .iter()
            .map(|(binding, bytes, _)| json!({"binding": binding, "hex": hex(bytes)}))
            .collect();
        text.push_str(&json!({"name": test.name, "wgsl": test.wgsl, "buffers": list}).to_string());
        text.push('\n');
    }
    let file = format!("opt/agx/dawn-{number}.jsonl");
    std::fs::write(environment.root().join(&file), text).map_err(|error| error.to_string())?;
    let words = ["node", "/opt/agx/dawn_client.mjs", &format!("/{file}")];
    let output = environment.inside(door, &[], SECONDS, &words).output();
    let output = output.map_err(|error| error.to_string())?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = printed.lines().filter_map(|line| serde_json::from_str::<Ran>(line).ok());
    let found: BTreeMap<String, Ran> = lines.map(|ran| (ran.name.clone(), ran)).collect();
    match found.is_empty() {
        true => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            Err(said.lines().find(|line| !line.trim().is_empty()).unwrap_or("no message").to_owned())
        }
        false => Ok(found),
    }
}

/// Compares the buffers with the test's expectation.
fn judge(test: &Test, ran: &Ran) -> Result<(), Outcome> {
    if let Some(error) = &ran.error {
        return Err(Outcome::Fail(error.clone()));
    }
    let bytes = |text: &String| from_hex(text).unwrap_or_default();
    let checked = match &test.body {
        Body::Cases(cases) => cases.check(&ran.buffers.get("0").map(bytes).unwrap_or_default()),
        Body::Raw(raw) => {
            let after = ran.buffers.iter().filter_map(|(at, text)| Some((at.parse().ok()?, bytes(text))));
            raw.check(&after.collect::<Vec<_>>())
        }
    };
    checked.map_err(Outcome::Fail)
}
