//! Suite `device-cost`: instructions and cycles that the device executes for a program through the project's driver and
//! through Mesa's, over the case files of `tests/device`. Every fourth case runs; with a filter, even an empty one, all
//! that match.
//!
//! All programs that run on the device are counted: shaders of the program, and those of the driver itself.

use std::collections::BTreeMap;
use std::path::Path;

use agx_device::Work;
use rayon::prelude::*;
use serde_json::json;

use super::Context;
use super::device::{prepare, request};
use crate::device::cases::Case;
use crate::device::environment::{Door, Driver, Environment};
use crate::outcome::{CaseResult, Outcome, SuiteReport};
use crate::shared::DataError;

/// Without a filter, one in this number of cases runs.
const SHARE: usize = 4;
/// Figures of a run, in the order of [`Sums`].
const FIGURES: [&str; 3] = ["instructions", "lane_instructions", "cycles"];

/// Instructions of SIMD-groups, of lanes, and cycles.
pub(super) type Sums = [u64; 3];

/// Runs the cases.
///
/// # Errors
/// Never: a missing environment skips the suite.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let (environment, files) = match prepare("device-cost") {
        Ok(prepared) => prepared,
        Err(reason) => return Ok(SuiteReport::absent(reason)),
    };
    let is_wanted = |at: usize, name: &str| match context.filter {
        Some(filter) => name.contains(filter),
        None => at.is_multiple_of(SHARE),
    };
    let cases = files.iter().flat_map(|(file, cases)| cases.iter().map(move |case| (*file, case)));
    let cases: Vec<_> = cases
        .enumerate()
        .filter(|(at, (_, case))| is_wanted(*at, &case.name))
        .map(|(_, case)| case)
        .collect();
    let measured: Vec<_> = cases
        .par_iter()
        .map(|(file, case)| (*file, case.name.clone(), measure(context, &environment, case)))
        .collect();
    let mut ratios: BTreeMap<&str, Vec<[f64; 3]>> = BTreeMap::new();
    let mut results = Vec::new();
    for (file, name, outcome) in measured {
        let outcome = match outcome {
            Ok([ours, mesa]) => {
                ratios.entry(file).or_default().push(ratio(ours, mesa));
                Outcome::Pass
            }
            Err(outcome) => outcome,
        };
        results.push(CaseResult { name, outcome });
    }
    let mut report = SuiteReport::new(results);
    for (file, ratios) in ratios {
        report.extra.insert(file.to_owned(), summary(&ratios));
    }
    report.extra.insert("mesa".into(), json!(environment.version));
    Ok(report)
}

/// Ours ÷ Mesa's; 1 if both are 0.
pub(super) fn ratio(ours: Sums, mesa: Sums) -> [f64; 3] {
    [0, 1, 2].map(|figure| (ours[figure].max(1)) as f64 / (mesa[figure].max(1)) as f64)
}

/// Geometric means of ratios, and the number of ratios above 1 and in total.
pub(super) fn summary<'r>(ratios: impl IntoIterator<Item = &'r [f64; 3]>) -> serde_json::Value {
    let ratios: Vec<&[f64; 3]> = ratios.into_iter().collect();
    let mut figures = serde_json::Map::new();
    for (at, figure) in FIGURES.iter().enumerate() {
        let logarithms: f64 = ratios.iter().map(|ratio| ratio[at].ln()).sum();
        figures.insert((*figure).to_owned(), json!((logarithms / ratios.len().max(1) as f64).exp()));
    }
    let slower = ratios.iter().filter(|ratio| ratio[2] > 1.0).count();
    figures.insert("slower".into(), json!(format!("{slower}/{}", ratios.len())));
    figures.into()
}

/// The sums of both drivers.
fn measure(context: &Context<'_>, environment: &Environment, case: &Case) -> Result<[Sums; 2], Outcome> {
    let text = request(case, context.tools, environment.scratch())?;
    let counted = Counted { name: &case.name, work: None, variables: &[] };
    let run = |driver: Driver| {
        let folder = environment.folder(&format!("{driver:?}-{}", case.name)).map_err(Outcome::Fail)?;
        let sums = executed(environment, driver, &text, &folder, &counted);
        // Leftovers are harmless.
        let _ = std::fs::remove_dir_all(&folder);
        sums
    };
    let sums = [run(Driver::Own)?, run(Driver::Device)?];
    match sums.contains(&[0; 3]) {
        true => Err(Outcome::Fail("the device executed nothing".into())),
        false => Ok(sums),
    }
}

/// Which run is counted, and what of it.
pub(super) struct Counted<'c> {
    /// Name of the only request.
    pub name: &'c str,
    /// Only programs of this kind; all without it.
    pub work: Option<Work>,
    /// Options of the device beside those that count.
    pub variables: &'c [(&'static str, &'c str)],
}

/// Runs a request on a driver; gives what the device executed. Files of the run, the result included, are left in `folder`.
///
/// # Errors
/// The outcome that is not a pass: the program failed, or the driver refuses it.
pub(super) fn executed(
    environment: &Environment,
    driver: Driver,
    text: &str,
    folder: &Path,
    counted: &Counted<'_>,
) -> Result<Sums, Outcome> {
    let failed = |error: std::io::Error| Outcome::Fail(error.to_string());
    let [requests, report, statistics] =
        ["requests.txt", "findings.txt", "statistics.txt"].map(|file| folder.join(file));
    std::fs::write(&requests, text).map_err(failed)?;
    let statistics_path = statistics.to_string_lossy();
    let door = Door::plain(driver).with("AGX_DEVICE_STATISTICS", &statistics_path);
    let door = counted.variables.iter().fold(door, |door, (name, value)| door.with(name, value));
    environment.run(&door, &requests, folder, &report).map_err(Outcome::Fail)?;
    if let Ok(reason) = std::fs::read_to_string(folder.join(format!("{}.err", counted.name))) {
        let findings = std::fs::read_to_string(&report).unwrap_or_default();
        let finding = findings.lines().next().unwrap_or_default();
        return Err(Outcome::Unsupported(
            format!("{driver:?}: {} {finding}", reason.trim_end()).trim_end().to_owned(),
        ));
    }
    match std::fs::read_to_string(&statistics) {
        Ok(text) => sums(&text, counted.work).map_err(Outcome::Fail),
        // The device writes no statistics if it executed nothing.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok([0; 3]),
        Err(error) => Err(failed(error)),
    }
}

/// The sums over the programs of the wanted kind in the device's output: address, kind, launches, then the figures.
fn sums(text: &str, wanted: Option<Work>) -> Result<Sums, String> {
    let wanted = wanted.map(|work| work.to_string());
    let mut sums = [0; 3];
    for line in text.lines().skip(3) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, work, _, figures @ ..] = words.as_slice() else { return Err(format!("statistics: {line}")) };
        if wanted.as_deref().is_some_and(|wanted| wanted != *work) {
            continue;
        }
        for (sum, figure) in sums.iter_mut().zip(figures) {
            *sum += figure.parse::<u64>().map_err(|error| format!("statistics: {figure}: {error}"))?;
        }
    }
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_summed_over_programs_and_compared_by_their_geometric_mean() {
        let text = "1 submissions, 2 launches, 0 draws\n0 passes\n program work launches instructions lane cycles\n\
                    0x10 draw 1 4 128 9\n0x80 launch 1 2 64 1\n";
        assert_eq!(sums(text, None), Ok([6, 192, 10]));
        assert_eq!(sums(text, Some(Work::Launch)), Ok([2, 64, 1]));
        assert!(sums("a\nb\nc\n0x10 tile 1 x 1 1\n", None).is_err());
        let shown = summary(&[ratio([4, 4, 2], [1, 1, 1]), ratio([1, 4, 1], [1, 1, 2])]);
        assert_eq!(shown["instructions"], json!(2.0));
        assert_eq!((&shown["cycles"], &shown["slower"]), (&json!(1.0), &json!("1/2")));
    }
}
