//! Suite `webgpu`: WGSL compute shaders of the WebGPU conformance suite.

use agx_compiler::Input;

use super::Context;
use crate::driver::{compile, launch, storage_buffer};
use crate::outcome::{Outcome, SuiteReport};
use crate::runner::run_cases;
use crate::shared::{DataError, read_json_lines};
use crate::webgpu::model::{Body, Test};

/// Runs the suite.
///
/// # Errors
/// [`DataError`] if the suite's file is invalid.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let tests: Vec<Test> = read_json_lines(&context.shared.join("conformance/webgpu.jsonl"))?;
    let cases = run_cases(&tests, context.filter, |test| test.name.clone(), |test| run_test(context, test));
    Ok(SuiteReport::new(cases))
}

/// Compiles, runs and checks one test; `Err` is the outcome that is not a pass.
fn run_test(context: &Context<'_>, test: &Test) -> Result<(), Outcome> {
    let shader = compile(Input::wgsl(&test.wgsl), context.key)?;
    let buffers = match &test.body {
        Body::Cases(cases) => cases.buffers(),
        Body::Raw(raw) => raw.buffers(),
    };
    let mut buffers: Vec<_> = buffers
        .map_err(Outcome::Fail)?
        .into_iter()
        .map(|(binding, bytes, writable)| storage_buffer(0, binding, bytes, writable))
        .collect();
    launch(&shader, &mut buffers, &[], [1, 1, 1], context.seed)?;
    let mut after = buffers.into_iter().map(|buffer| (buffer.binding, buffer.bytes));
    match &test.body {
        Body::Cases(cases) => {
            let output = after.next().map(|(_, bytes)| bytes).unwrap_or_default();
            cases.check(&output)
        }
        Body::Raw(raw) => raw.check(&after.collect::<Vec<_>>()),
    }
    .map_err(Outcome::Fail)
}
