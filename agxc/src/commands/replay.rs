//! `agxc replay`: runs the submissions of a recording without the driver.

use agx_device::{Finding, PixelHistory, Replay, Settings, Work, host_threads};
use clap::ArgMatches;

use super::{Arg, Takes, arg, pixel, trace};
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure, Problems};
use crate::output;
use crate::scene::{BACKGROUND, TILE, history_text};

/// Options of this command.
pub const ARGS: &[Arg] = &[
    arg("list", Takes::Nothing, "Print every record before it runs, as `trace` does"),
    arg("instructions", Takes::Nothing, "Print every executed instruction with the values that it wrote"),
    arg("statistics", Takes::Nothing, "Print launches, instructions and cycles by program"),
    arg(
        "pixel",
        Takes::Value("X,Y"),
        "Print every fragment that touched this pixel of a render pass, and what became of it",
    ),
];

/// The device settings of the options.
fn settings(options: &ArgMatches) -> Result<Settings, Failure> {
    Ok(Settings {
        strict: options.get_one::<String>("strict").is_none_or(|choice| choice == "yes"),
        trace: options.get_flag("list"),
        instructions: options.get_flag("instructions"),
        soft_faults: options.get_flag("soft-faults"),
        seed: trace::number(options, "seed")?.unwrap_or(0),
        threads: trace::number(options, "threads")?.map_or_else(host_threads, |threads| threads as u32),
        interrupt_draws: trace::number(options, "interrupt")?.unwrap_or(0) as u32,
        pixel: options.get_one::<String>("pixel").map(|text| pixel(text)).transpose()?,
        ..Settings::default()
    })
}

/// Replays a recording and compares the resulting memory with the recorded contents.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let name = options.get_one::<String>("FILE").expect("invariant: the parser requires a file");
    let settings = settings(options)?;
    let replay = trace::read(name)?.replay(settings);
    let replay = replay.map_err(|error| Diagnostic::new(110, error.to_string()).in_file(name))?;
    let mut text = replay.trace.clone();
    for PixelHistory { place, work, touches } in &replay.history {
        let form = if *work == Work::Tile { BACKGROUND } else { TILE };
        text.push_str(&history_text(&format!("{place}, {work}"), touches, form));
    }
    let statistics = &replay.statistics;
    match options.get_flag("statistics") {
        true => text.push_str(&statistics.to_string()),
        false => text.push_str(&format!(
            "{} submissions, {} launches, {} draws\n",
            statistics.submissions, statistics.launches, statistics.draws
        )),
    }
    output::text(options.get_one::<String>("output").map(String::as_str), &text)?;
    let mut problems = Problems::default();
    let findings = replay.findings.iter().filter(|finding| !finding.fatal);
    let warnings = findings.map(|finding| Diagnostic::warning(504, described(finding)).in_file(name));
    problems.or_add(context.warnings.add(warnings.collect()))?;
    problems.add(errors(&replay, name));
    problems.result()
}

fn described(finding: &Finding) -> String {
    format!("{}: {}", finding.place, finding.text)
}

/// Faults, and the first byte that differs.
fn errors(replay: &Replay, name: &str) -> Vec<Diagnostic> {
    let faults = replay.findings.iter().filter(|finding| finding.fatal);
    let mut problems: Vec<Diagnostic> =
        faults.map(|fault| Diagnostic::new(401, described(fault)).in_file(name)).collect();
    if let Some((address, expected, found)) = replay.differences.first() {
        let message = format!("byte {address:#x}: expected {expected:#04x}, found {found:#04x}");
        problems.push(Diagnostic::new(402, message).in_file(name));
    }
    problems
}
