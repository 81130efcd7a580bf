//! Suite `shaderlib`: GLSL compute shaders of the Vulkan conformance suite's shader library.

use std::sync::Mutex;

use agx_compiler::Input;

use super::Context;
use crate::driver::{compile, launch, storage_buffer};
use crate::outcome::{Outcome, SuiteReport};
use crate::runner::run_cases;
use crate::shaderlib::{TIGHT_TOLERANCE, Test, UPSTREAM_TOLERANCE};
use crate::shared::{DataError, read_json_lines};

/// Runs the suite. Passes are counted by the suite's own rule; `pass_1e5` counts those that also meet the tight
/// tolerance, `misses_1e5` names the others.
///
/// # Errors
/// [`DataError`] if the suite's file is invalid.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let tests: Vec<Test> = read_json_lines(&context.shared.join("conformance/shaderlib.jsonl"))?;
    let loose = Mutex::new(Vec::new());
    let cases = run_cases(
        &tests,
        context.filter,
        |test| test.name.clone(),
        |test| match run_test(context, test) {
            Ok(is_tight) => {
                if !is_tight && let Ok(mut loose) = loose.lock() {
                    loose.push(test.name.clone());
                }
                Outcome::Pass
            }
            Err(outcome) => outcome,
        },
    );
    let mut report = SuiteReport::new(cases);
    let mut loose = loose.into_inner().unwrap_or_default();
    loose.sort();
    report.extra.insert("pass_1e5".into(), (report.tally().pass - loose.len()).into());
    if !loose.is_empty() {
        report.extra.insert("misses_1e5".into(), loose.into());
    }
    Ok(report)
}

/// Compiles, runs and checks one test by the suite's own rule; returns whether it also meets the tight tolerance.
fn run_test(context: &Context<'_>, test: &Test) -> Result<bool, Outcome> {
    let module = context.tools.glsl_to_spirv(&test.glsl, "comp")?;
    let shader = compile(Input::spirv(&module), context.key)?;
    let mut buffers = [storage_buffer(0, 0, test.input(), false), storage_buffer(0, 1, test.output(), true)];
    launch(&shader, &mut buffers, &[], [test.rows, 1, 1], context.seed)?;
    let output = &buffers[1].bytes;
    test.check(output, UPSTREAM_TOLERANCE).map_err(Outcome::Fail)?;
    Ok(test.check(output, TIGHT_TOLERANCE).is_ok())
}
