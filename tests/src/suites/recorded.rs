//! What the commands of both drivers make the device read: part of the suite `recording`.
//!
//! The client's calls of all kinds, and the draws of `tests/device/draw.cases`, run through the project's driver and through
//! Mesa's. The device counts render passes, barriers, and the bytes of control streams and of the state that they refer to.

use std::path::Path;

use serde_json::{Value, json};

use super::device::{prepare, request};
use super::recording::rounded;
use crate::device::environment::{Driver, Environment};
use crate::outcome::{CaseResult, Outcome};
use crate::tools::Tools;

/// What the device has read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Read {
    passes: u64,
    barriers: u64,
    /// Bytes of control streams, of updates of the rasteriser's state, and of shader words.
    bytes: [u64; 3],
}

impl Read {
    /// From the second line of the device's statistics.
    fn of(statistics: &str) -> Result<Read, String> {
        let line = statistics.lines().nth(1).unwrap_or_default();
        let numbers: Vec<u64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        match numbers[..] {
            [passes, barriers, streams, updates, words] => {
                Ok(Read { passes, barriers, bytes: [streams, updates, words] })
            }
            _ => Err(format!("statistics: {line}")),
        }
    }

    /// The figures that are compared, with their names.
    fn figures(&self) -> [(&'static str, u64); 3] {
        [("passes", self.passes), ("barriers", self.barriers), ("bytes", self.bytes.iter().sum())]
    }
}

/// A case for each figure, with what was measured: what the device reads is at most what it reads for Mesa's driver.
fn compared(name: &str, ours: &Read, mesa: &Read) -> Vec<(CaseResult, Value)> {
    let pairs = ours.figures().into_iter().zip(mesa.figures());
    let case = |((what, ours), (_, mesa)): ((&str, u64), (&str, u64))| {
        let outcome = match ours <= mesa {
            true => Outcome::Pass,
            false => Outcome::Fail(format!("{ours} {what}; {mesa} with Mesa's driver")),
        };
        let ratio = rounded(ours as f64 / mesa.max(1) as f64);
        let figures = json!({"own": ours, "mesa": mesa, "ratio": ratio});
        (CaseResult { name: format!("{name}-{what}"), outcome }, figures)
    };
    pairs.map(case).collect()
}

/// Runs a client of both drivers; `arguments` are its own.
fn read(environment: &Environment, driver: Driver, arguments: &[&Path]) -> Result<Read, String> {
    let statistics = environment.scratch().join("statistics.txt");
    // The file may not exist.
    let _ = std::fs::remove_file(&statistics);
    let output = environment
        .client(driver)
        .args(arguments)
        .env("AGX_DEVICE_STATISTICS", &statistics)
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{}: {}", output.status, said.lines().last().unwrap_or("no message")));
    }
    Read::of(&std::fs::read_to_string(&statistics).map_err(|error| error.to_string())?)
}

/// The requests of all draws of the case files, in a file.
fn draws(tools: &Tools) -> Result<(Environment, Box<Path>), String> {
    let (environment, files) = prepare("recording-draws")?;
    let cases = files.into_iter().filter(|(file, _)| *file == "draw").flat_map(|(_, cases)| cases);
    let requests: Vec<String> =
        cases.filter_map(|case| request(&case, tools, environment.scratch()).ok()).collect();
    let file = environment.scratch().join("requests.txt");
    std::fs::write(&file, requests.concat()).map_err(|error| error.to_string())?;
    Ok((environment, file.into()))
}

/// The cases and their figures. The client's shaders are in a folder.
///
/// # Errors
/// A sentence: a client failed.
pub(super) fn cases(
    tools: &Tools,
    environment: &Environment,
    shaders: &Path,
) -> Result<Vec<(CaseResult, Value)>, String> {
    let (scenes, requests) = draws(tools)?;
    let results = scenes.folder("results")?;
    let both = |environment: &Environment, arguments: &[&Path]| {
        let [ours, mesa] = [Driver::Own, Driver::Device].map(|driver| read(environment, driver, arguments));
        Ok::<_, String>((ours?, mesa?))
    };
    let (ours, mesa) = both(environment, &[Path::new("recording-frame"), shaders, Path::new("")])?;
    let mut cases = compared("calls", &ours, &mesa);
    let (ours, mesa) = both(&scenes, &[&requests, &results])?;
    cases.extend(compared("draws", &ours, &mesa));
    Ok(cases)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_the_statistics_and_compared() {
        let text = "1 submissions, 0 launches, 2 draws\n\
                    1 passes, 2 barriers, 30 bytes of streams, 4 bytes of updates, 5 bytes of shader words\n";
        let ours = Read { passes: 1, barriers: 2, bytes: [30, 4, 5] };
        assert_eq!(Read::of(text), Ok(ours));
        assert!(Read::of("1 submissions\n").is_err());
        let mesa = Read { passes: 1, barriers: 1, bytes: [20, 10, 10] };
        let found: Vec<_> = compared("draws", &ours, &mesa)
            .into_iter()
            .map(|(case, figures)| (case.name, case.outcome == Outcome::Pass, figures["ratio"].clone()))
            .collect();
        let named = |name: &str, passes, ratio: f64| (format!("draws-{name}"), passes, json!(ratio));
        let expected =
            [named("passes", true, 1.0), named("barriers", false, 2.0), named("bytes", true, 0.975)];
        assert_eq!(found, expected);
    }
}
