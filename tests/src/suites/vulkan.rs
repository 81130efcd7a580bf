//! Suites `vulkan` and `driver-vulkan`: the compute and draw cases of the conformance suites as Vulkan programs,
//! through Mesa's driver and through the project's driver on the device. Every eighth case runs; with a filter, even an
//! empty one, all that match.

use std::path::Path;

use agx_compiler::internal::frontend::wgsl;
use serde_json::json;

use super::Context;
use super::device::{Results, results};
use crate::device::conformance::{Conformance, Contents, PASS_THROUGH, Shader, Source, Step};
use crate::device::environment::{Door, Driver, Environment};
use crate::outcome::{CaseResult, Outcome, SuiteReport};
use crate::shared::{DataError, read_json_lines};

/// Beginning of the client's message if the driver lacks a feature of a module.
const NOT_OFFERED: &str = "the driver does not offer";

/// Without a filter, one in this number of cases runs.
const SHARE: usize = 8;

/// A case in progress.
struct Running<'c> {
    name: String,
    case: &'c Conformance,
    /// Current contents, or the outcome.
    state: Result<Contents, Outcome>,
}

/// Runs cases of the suites `webgpu`, `shaderlib` and Amber's through Mesa's driver.
///
/// # Errors
/// [`DataError`] when a suite's file is unusable.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    run_on(&Door::plain(Driver::Device), context)
}

/// As [`run`], through the project's driver.
///
/// # Errors
/// As [`run`].
pub fn driver(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    run_on(&context.own(), context)
}

fn run_on(door: &Door, context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let environment = match Environment::find(&format!("vulkan-{:?}", door.driver)) {
        Ok(environment) => environment,
        Err(reason) => return Ok(SuiteReport::absent(reason)),
    };
    let folder = context.shared.join("conformance");
    let suites = [
        ("webgpu", cases(&folder.join("webgpu.jsonl"), Conformance::WebGpu)?),
        ("shaderlib", cases(&folder.join("shaderlib.jsonl"), Conformance::Library)?),
        ("amber", cases(&folder.join("amber.jsonl"), Conformance::Amber)?),
    ];
    let report_file = environment.scratch().join("findings.txt");
    // The file may not exist.
    let _ = std::fs::remove_file(&report_file);
    let mut outcomes = Vec::new();
    let mut extra = Vec::new();
    for (suite, cases) in &suites {
        let found = run_suite(context, (&environment, door), suite, cases, &report_file);
        let passed = found.iter().filter(|case| case.outcome == Outcome::Pass).count();
        extra.push((format!("{suite}_pass"), json!(format!("{passed}/{}", found.len()))));
        outcomes.extend(found);
    }
    let mut report = SuiteReport::new(outcomes);
    report.extra.extend(extra);
    let findings = std::fs::read_to_string(&report_file).unwrap_or_default();
    report.extra.insert("findings".into(), json!(findings.lines().count()));
    report.extra.insert("mesa".into(), json!(environment.version));
    Ok(report)
}

fn cases<T: serde::de::DeserializeOwned>(
    path: &Path,
    kind: fn(T) -> Conformance,
) -> Result<Vec<Conformance>, DataError> {
    Ok(read_json_lines::<T>(path)?.into_iter().map(kind).collect())
}

/// Runs the cases of a suite, one step of all cases at a time.
fn run_suite(
    context: &Context<'_>,
    (environment, door): (&Environment, &Door),
    suite: &str,
    cases: &[Conformance],
    report: &Path,
) -> Vec<CaseResult> {
    let named = cases.iter().map(|case| (format!("{suite}-{}", case.name()), case));
    let is_wanted = |at: usize, name: &str| match context.filter {
        Some(filter) => name.contains(filter),
        None => at.is_multiple_of(SHARE),
    };
    let mut running: Vec<Running<'_>> = named
        .enumerate()
        .filter(|(at, (name, _))| is_wanted(*at, name))
        .map(|(_, named)| named)
        .map(|(name, case)| Running { name, case, state: case.contents() })
        .collect();
    for number in 0.. {
        let mut steps = Vec::new();
        for (at, one) in running.iter_mut().enumerate() {
            match prepared(context, one, number, environment.scratch(), at) {
                Ok(Some(step)) => steps.push((at, step)),
                Ok(None) => {}
                Err(outcome) => one.state = Err(outcome),
            }
        }
        if steps.is_empty() {
            break;
        }
        let names: Vec<String> = steps.iter().map(|(at, _)| file_name(*at)).collect();
        let requests: Vec<(&str, &str)> =
            names.iter().zip(&steps).map(|(name, (_, (text, _)))| (name.as_str(), text.as_str())).collect();
        let found = results(environment, door, &requests, report);
        for ((at, (_, places)), name) in steps.iter().zip(&names) {
            let one = &mut running[*at];
            take(one, places, &found, name);
            if let Ok(contents) = &one.state
                && let Err(outcome) = one.case.check(number, contents)
            {
                one.state = Err(outcome);
            }
        }
    }
    let judge =
        |one: Running<'_>| CaseResult { outcome: one.state.err().unwrap_or(Outcome::Pass), name: one.name };
    running.into_iter().map(judge).collect()
}

/// The name of a case's files; names of cases are paths.
fn file_name(at: usize) -> String {
    format!("case{at}")
}

/// Names and lengths of the results of a step.
type Places = Vec<(String, usize)>;

/// The request of a case's step, and its results.
fn prepared(
    context: &Context<'_>,
    one: &Running<'_>,
    number: usize,
    scratch: &Path,
    at: usize,
) -> Result<Option<(String, Places)>, Outcome> {
    let Ok(contents) = &one.state else { return Ok(None) };
    let Some(step) = one.case.step(number, contents)? else { return Ok(None) };
    let Step { lines, shaders, results } = step;
    let mut text = format!("case {}\n{}\n", file_name(at), lines.join("\n"));
    for shader in &shaders {
        let module = module(context, &shader.source)?;
        let path = scratch.join(format!("{}-{}.spv", file_name(at), shader.stage));
        std::fs::write(&path, module).map_err(|error| Outcome::Fail(error.to_string()))?;
        text.push_str(&shader_lines(shader, &path));
    }
    text.push_str("end\n");
    Ok(Some((text, results)))
}

fn shader_lines(shader: &Shader<'_>, path: &Path) -> String {
    let mut text = format!("shader {} {}", shader.stage, path.display());
    if let Some(entry) = shader.entry {
        text.push_str(&format!(" {entry}"));
    }
    text.push('\n');
    for (id, value, bytes) in &shader.constants {
        text.push_str(&format!("constant {} {id} {value} {bytes}\n", shader.stage));
    }
    text
}

fn module(context: &Context<'_>, source: &Source<'_>) -> Result<Vec<u8>, Outcome> {
    Ok(match source {
        Source::Wgsl(text) => {
            let words = wgsl::to_spirv(text, context.key)?;
            words.into_iter().flat_map(u32::to_le_bytes).collect()
        }
        Source::Glsl(text) => context.tools.glsl_to_spirv(text, "comp")?,
        Source::Assembly(text, _) => context.tools.assemble_spirv(text)?,
        Source::PassThrough => context.tools.glsl_to_spirv_for(PASS_THROUGH, "vert", "vulkan1.3")?,
    })
}

/// Copies the result of a step to a case's contents.
fn take(one: &mut Running<'_>, places: &Places, found: &Results, name: &str) {
    let Ok(contents) = &mut one.state else { return };
    let bytes = match found.get(name) {
        Some(Ok(bytes)) => bytes,
        Some(Err(error)) => {
            let error = error.clone();
            let refused = error.starts_with(NOT_OFFERED);
            return one.state = Err(if refused { Outcome::Unsupported(error) } else { Outcome::Fail(error) });
        }
        None => return one.state = Err(Outcome::Fail("no result".into())),
    };
    let mut rest = bytes.as_slice();
    for (name, len) in places {
        let Some((piece, more)) = rest.split_at_checked(*len) else {
            return one.state = Err(Outcome::Fail(format!("a result of {} bytes", bytes.len())));
        };
        contents.insert(name.clone(), piece.to_vec());
        rest = more;
    }
}
