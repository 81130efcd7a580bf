//! Suite `amber-compute`: Amber tests with compute pipelines.

use agx_abi::Stage;
use agx_compiler::CompiledShader;

use super::{Context, amber::run_kind};
use crate::amber::check::check;
use crate::amber::model::{Command, Pipeline, Test};
use crate::amber::pipeline::{Bound, Buffers, compile_stage};
use crate::driver::launch;
use crate::outcome::{Outcome, SuiteReport};
use crate::shared::DataError;

/// Runs the suite.
///
/// # Errors
/// [`DataError`] if the suite's file is invalid.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    run_kind(context, "compute", run_test)
}

/// Runs the commands of a test; `Err` is the outcome that is not a pass.
fn run_test(context: &Context<'_>, test: &Test) -> Result<(), Outcome> {
    let mut buffers: Buffers<'_> = Buffers::new();
    for (name, buffer) in &test.buffers {
        let bytes = buffer.bytes().ok_or_else(|| Outcome::Fail(format!("buffer {name} has no contents")))?;
        buffers.insert(name, bytes);
    }
    let mut checks = 0;
    for command in &test.commands {
        match command {
            Command::Run { pipeline, groups } => {
                let pipeline = test
                    .pipelines
                    .get(pipeline)
                    .ok_or_else(|| Outcome::Fail(format!("unknown pipeline {pipeline}")))?;
                let shader = compile_stage(context, test, pipeline, Stage::Compute)?;
                run_pipeline(context, pipeline, &shader, &mut buffers, *groups)?;
            }
            Command::Expect(expect) => {
                let got = buffers
                    .get(expect.buffer.as_str())
                    .ok_or_else(|| Outcome::Fail(format!("unknown buffer {}", expect.buffer)))?;
                let other = buffers.get(expect.other.as_str()).map(Vec::as_slice);
                check(expect, got, other).map_err(Outcome::Fail)?;
                checks += 1;
            }
            _ => return Err(Outcome::Fail("the test draws, which no compute test does".into())),
        }
    }
    if checks == 0 { Err(Outcome::Fail("the test expects nothing".into())) } else { Ok(()) }
}

/// Dispatches with the pipeline's buffers and copies their contents back.
fn run_pipeline<'t>(
    context: &Context<'_>,
    pipeline: &'t Pipeline,
    shader: &CompiledShader,
    buffers: &mut Buffers<'t>,
    groups: [u32; 3],
) -> Result<(), Outcome> {
    let mut bound = Bound::new(pipeline, buffers)?;
    launch(shader, &mut bound.buffers, &bound.push_constants, groups, context.seed)?;
    bound.finish(buffers);
    Ok(())
}
