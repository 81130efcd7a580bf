//! Suite `amber-compute`: Amber tests whose pipelines are compute pipelines.

use std::collections::BTreeMap;

use agx_abi::Stage;
use agx_compiler::{CompiledShader, Input};

use super::Context;
use crate::amber::check::check;
use crate::amber::model::{Command, Pipeline, Test};
use crate::driver::{compile, launch, storage_buffer};
use crate::outcome::{Outcome, SuiteReport};
use crate::runner::run_cases;
use crate::shared::{DataError, read_json_lines};

/// Runs the suite.
///
/// # Errors
/// [`DataError`] when the suite's file is unusable.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let mut tests: Vec<Test> = read_json_lines(&context.shared.join("conformance/amber.jsonl"))?;
    tests.retain(|test| test.kind == "compute");
    let cases = run_cases(
        &tests,
        context.filter,
        |test| test.name.clone(),
        |test| run_test(context, test).err().unwrap_or(Outcome::Pass),
    );
    Ok(SuiteReport::new(cases))
}

/// Contents of a test's buffers by name, as they change.
type Buffers<'t> = BTreeMap<&'t str, Vec<u8>>;

/// Does what the test says; `Err` is whatever is not a pass.
fn run_test(context: &Context<'_>, test: &Test) -> Result<(), Outcome> {
    let mut buffers: Buffers<'_> = BTreeMap::new();
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
                    .ok_or_else(|| Outcome::Fail(format!("there is no pipeline {pipeline}")))?;
                let shader = compile_pipeline(context, test, pipeline)?;
                run_pipeline(context, pipeline, &shader, &mut buffers, *groups)?;
            }
            Command::Expect(expect) => {
                let got = buffers
                    .get(expect.buffer.as_str())
                    .ok_or_else(|| Outcome::Fail(format!("there is no buffer {}", expect.buffer)))?;
                let other = buffers.get(expect.other.as_str()).map(Vec::as_slice);
                check(expect, got, other).map_err(Outcome::Fail)?;
                checks += 1;
            }
            _ => return Err(Outcome::Fail("the test draws, which no compute test does".into())),
        }
    }
    if checks == 0 { Err(Outcome::Fail("the test expects nothing".into())) } else { Ok(()) }
}

fn compile_pipeline(
    context: &Context<'_>,
    test: &Test,
    pipeline: &Pipeline,
) -> Result<CompiledShader, Outcome> {
    let malformed = |message: &str| Outcome::Fail(format!("malformed test: {message}"));
    let [attachment] = pipeline.attach.as_slice() else {
        return Err(malformed("a compute pipeline has one shader"));
    };
    let source = test.shaders.get(&attachment.shader).and_then(|shader| shader.spvasm.as_deref());
    let module = context.tools.assemble_spirv(source.ok_or_else(|| malformed("no shader of that name"))?)?;
    let mut key = context.key.clone();
    key.entry_point = Some(attachment.entry.clone());
    key.stage = Some(Stage::Compute);
    for (id, value) in &attachment.spec {
        let id = id.parse().map_err(|_| malformed("a SpecId that is no number"))?;
        let bits = value.bits().ok_or_else(|| malformed("a specialization constant of unknown type"))?;
        key.spec_constants.push((id, bits));
    }
    compile(Input::SpirV(&module), &key)
}

/// Dispatches with the pipeline's buffers and takes their contents back.
fn run_pipeline(
    context: &Context<'_>,
    pipeline: &Pipeline,
    shader: &CompiledShader,
    buffers: &mut Buffers<'_>,
    groups: [u32; 3],
) -> Result<(), Outcome> {
    let mut bound = Vec::new();
    let mut names = Vec::new();
    let mut push_constants = Vec::new();
    for binding in &pipeline.bind {
        let (name, bytes) = buffers
            .get_key_value(binding.buffer.as_str())
            .ok_or_else(|| Outcome::Fail(format!("there is no buffer {}", binding.buffer)))?;
        match binding.role.as_str() {
            "push_constant" => push_constants.clone_from(bytes),
            role => {
                names.push(*name);
                bound.push(storage_buffer(binding.set, binding.binding, bytes.clone(), role == "storage"));
            }
        }
    }
    launch(shader, &mut bound, &push_constants, groups, context.seed)?;
    for (name, buffer) in names.into_iter().zip(bound) {
        buffers.insert(name, buffer.bytes);
    }
    Ok(())
}
