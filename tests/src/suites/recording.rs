//! Suite `recording`: host instructions of Vulkan calls through the project's driver and through Mesa's, per kind of call.
//!
//! The client makes the calls of each kind within a function that callgrind counts; calls of the kernel, which the device
//! executes in the same process, do not count. A kind passes if a call costs at most as much as with Mesa's driver. A case more
//! compares the memory of processes that record many draws, and others what the device reads for both drivers
//! ([`super::recorded`]).

use std::path::Path;

use serde_json::json;

use super::{Context, recorded};
use crate::callgrind::calls_of;
use crate::device::environment::{Driver, Environment};
use crate::outcome::{CaseResult, Outcome, SuiteReport};
use crate::shared::DataError;
use crate::tools::Tools;

/// The client's function around the calls of a kind.
const COUNTED: &str = "vulkan_client::recording::counted";
/// The function of the device that executes kernel calls, by both forms of its name.
const KERNEL: [&str; 2] = ["agx_device::node::Node::call*", "<agx_device::node::Node>::call*"];

/// The case of memory.
const MEMORY: &str = "peak-memory";
/// Processes whose peaks are measured.
const PEAKS: usize = 5;
/// The cases of what the device reads run if the filter is a part of this.
const RECORDED: &str = "recorded";

/// The client's shaders: file, stage, source.
const SHADERS: [(&str, &str, &str); 4] = [
    (
        "draw.vert.spv",
        "vert",
        "#version 450
         layout(location = 0) in vec4 position;
         layout(location = 1) in vec4 colour;
         layout(location = 0) out vec4 tint;
         layout(push_constant) uniform Push { mat4 transform; };
         void main() { gl_Position = transform * position; tint = colour; }",
    ),
    (
        "draw.frag.spv",
        "frag",
        "#version 450
         layout(location = 0) in vec4 tint;
         layout(location = 0) out vec4 colour;
         layout(set = 0, binding = 0) uniform Material { vec4 factor; };
         layout(set = 0, binding = 1) uniform sampler2D image;
         void main() { colour = texture(image, tint.xy) * factor * tint; }",
    ),
    (
        "other.frag.spv",
        "frag",
        "#version 450
         layout(location = 0) in vec4 tint;
         layout(location = 0) out vec4 colour;
         layout(set = 0, binding = 0) uniform Material { vec4 factor; };
         layout(set = 0, binding = 1) uniform sampler2D image;
         void main() { colour = texture(image, tint.xy) * factor + tint; }",
    ),
    (
        "work.comp.spv",
        "comp",
        "#version 450
         layout(local_size_x = 64) in;
         layout(set = 0, binding = 0) uniform Material { vec4 factor; };
         layout(set = 0, binding = 2) writeonly buffer Written { uint numbers[64]; };
         layout(push_constant) uniform Push { uint number; };
         void main() { numbers[gl_LocalInvocationIndex] = number + uint(factor.x); }",
    ),
];

/// Runs the kinds of calls whose name contains the filter.
///
/// # Errors
/// Never: without valgrind or environment, the suite is absent.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    Ok(report(context).unwrap_or_else(SuiteReport::absent))
}

fn report(context: &Context<'_>) -> Result<SuiteReport, String> {
    drop(context.tools.valgrind().map_err(|error| error.to_string())?);
    let environment = Environment::find("recording")?;
    let folder = environment.folder("shaders")?;
    for (file, stage, source) in SHADERS {
        let module =
            context.tools.glsl_to_spirv_for(source, stage, "vulkan1.3").map_err(|error| error.to_string())?;
        std::fs::write(folder.join(file), module).map_err(|error| error.to_string())?;
    }
    let filter = context.filter.unwrap_or_default();
    let of = |driver| measure(context.tools, &environment, driver, &folder, filter);
    let (ours, mesa) = rayon::join(|| of(Driver::Own), || of(Driver::Device));
    let (ours, mesa) = (ours?, mesa?);
    let mut report = SuiteReport::new(Vec::new());
    let mut logarithms = 0.0;
    for ((name, ours), (_, mesa)) in ours.iter().zip(&mesa) {
        let ratio = ours / mesa.max(1.0);
        logarithms += ratio.ln();
        let figures = json!({"instructions": ours.round(), "mesa": mesa.round(), "ratio": rounded(ratio)});
        report.extra.insert(name.clone(), figures);
        let outcome = match ratio <= 1.0 {
            true => Outcome::Pass,
            false => Outcome::Fail(format!("{ours:.0} instructions; Mesa's driver takes {mesa:.0}")),
        };
        report.cases.push(CaseResult { name: name.clone(), outcome });
    }
    let mean = (logarithms / report.cases.len().max(1) as f64).exp();
    report.extra.insert("ratio".into(), json!(rounded(mean)));
    if MEMORY.contains(filter) {
        let of = |driver| least_peak(&environment, driver, &folder);
        let (ours, mesa) = (of(Driver::Own)?, of(Driver::Device)?);
        let figures = json!({"kilobytes": ours, "mesa": mesa, "ratio": rounded(ours / mesa.max(1.0))});
        report.extra.insert(MEMORY.into(), figures);
        let outcome = match ours <= mesa {
            true => Outcome::Pass,
            false => Outcome::Fail(format!("{ours} kilobytes; with Mesa's driver {mesa}")),
        };
        report.cases.push(CaseResult { name: MEMORY.into(), outcome });
    }
    if RECORDED.contains(filter) {
        for (case, figures) in recorded::cases(context.tools, &environment, &folder)? {
            report.extra.insert(case.name.clone(), figures);
            report.cases.push(case);
        }
    }
    report.extra.insert("mesa".into(), json!(environment.version));
    Ok(report)
}

/// The least peak of some processes: on a busy host, the threads of one may have more in memory at the same time.
fn least_peak(environment: &Environment, driver: Driver, folder: &Path) -> Result<f64, String> {
    (0..PEAKS).try_fold(f64::INFINITY, |least, _| Ok(least.min(peak(environment, driver, folder)?)))
}

/// The most kilobytes in memory of a process that records many draws.
fn peak(environment: &Environment, driver: Driver, folder: &Path) -> Result<f64, String> {
    let output = environment
        .client(driver)
        .arg("recording-memory")
        .arg(folder)
        .output()
        .map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout);
    said.trim()
        .parse()
        .map_err(|_| format!("{}: {said}{}", output.status, String::from_utf8_lossy(&output.stderr)))
}

/// Three digits after the point.
pub(super) fn rounded(ratio: f64) -> f64 {
    (ratio * 1000.0).round() / 1000.0
}

/// Instructions of a call of each kind.
fn measure(
    tools: &Tools,
    environment: &Environment,
    driver: Driver,
    folder: &Path,
    filter: &str,
) -> Result<Vec<(String, f64)>, String> {
    let mut command = environment.client(driver);
    command.arg("recording").arg(folder).arg(filter);
    let (kinds, counts) = calls_of(tools, &command, COUNTED, &KERNEL)?;
    per_call(&kinds, &counts)
}

/// The cost of a call of each kind, from the client's list of kinds and the counts of its rounds: once and twice the number of
/// calls.
fn per_call(kinds: &str, counts: &[u64]) -> Result<Vec<(String, f64)>, String> {
    let kinds: Vec<&str> = kinds.lines().collect();
    if counts.len() != 2 * kinds.len() {
        return Err(format!("{} counts for {} kinds of calls", counts.len(), kinds.len()));
    }
    let of = |(line, counts): (&&str, &[u64; 2])| {
        let [once, twice] = *counts;
        let (name, calls) = line.split_once(' ').ok_or_else(|| format!("unexpected line `{line}`"))?;
        let calls: f64 = calls.parse().map_err(|_| format!("unexpected line `{line}`"))?;
        Ok((name.to_owned(), twice.saturating_sub(once) as f64 / calls))
    };
    kinds.iter().zip(counts.as_chunks::<2>().0).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_costs_the_difference_of_two_rounds() {
        let found = per_call("draw 10\nmap 4\n", &[1_100, 2_100, 50, 52]);
        assert_eq!(found, Ok(vec![("draw".to_owned(), 100.0), ("map".to_owned(), 0.5)]));
        assert!(per_call("draw 10\n", &[1_100]).is_err());
        assert!(per_call("draw\n", &[1, 2]).is_err());
    }
}
