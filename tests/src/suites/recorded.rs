//! What the commands of both drivers make the device read: part of the suite `recording`, and the figures of `scenes`.
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
pub(super) struct Read {
    launches: u64,
    pub(super) draws: u64,
    passes: u64,
    barriers: u64,
    /// Bytes of control streams, of updates of the rasteriser's state, and of shader words.
    bytes: [u64; 3],
}

impl Read {
    /// From the first two lines of the device's statistics.
    ///
    /// # Errors
    /// The lines have other numbers.
    pub(super) fn of(statistics: &str) -> Result<Read, String> {
        let numbers = |line: usize| -> Vec<u64> {
            let words = statistics.lines().nth(line).unwrap_or_default().split_whitespace();
            words.filter_map(|word| word.parse().ok()).collect()
        };
        match (&numbers(0)[..], &numbers(1)[..]) {
            ([_, launches, draws, ..], [passes, barriers, streams, updates, words]) => Ok(Read {
                launches: *launches,
                draws: *draws,
                passes: *passes,
                barriers: *barriers,
                bytes: [*streams, *updates, *words],
            }),
            _ => Err(format!("statistics: {}", statistics.lines().next().unwrap_or("none"))),
        }
    }

    /// What was read after `earlier`, by a thousand of `count` draws or frames; `None` if nothing was drawn.
    pub(super) fn after(&self, earlier: &Read, count: u64) -> Option<Read> {
        let draws = self.draws.checked_sub(earlier.draws).filter(|draws| *draws > 0 && count > 0)?;
        let by = |number: u64| (1000 * number).div_ceil(count);
        let of = |later: u64, earlier: u64| by(later.saturating_sub(earlier));
        Some(Read {
            launches: of(self.launches, earlier.launches),
            draws: by(draws),
            passes: of(self.passes, earlier.passes),
            barriers: of(self.barriers, earlier.barriers),
            bytes: [0, 1, 2].map(|at| of(self.bytes[at], earlier.bytes[at])),
        })
    }

    /// The figures that are compared, with their names.
    fn figures(&self) -> Figures {
        [("passes", self.passes), ("barriers", self.barriers), ("bytes", self.bytes.iter().sum())]
    }

    /// The figures of a scene: what one driver does by a pass, the other may do by a launch.
    pub(super) fn of_scene(&self) -> Figures {
        let [_, barriers, bytes] = self.figures();
        [("commands", self.passes + self.launches), barriers, bytes]
    }
}

/// Figures with their names.
type Figures = [(&'static str, u64); 3];

/// A case for each figure, with what was measured: what the device reads is at most what it reads for Mesa's driver.
pub(super) fn compared(name: &str, [ours, mesa]: [Figures; 2]) -> Vec<(CaseResult, Value)> {
    let pairs = ours.into_iter().zip(mesa);
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
    let mut cases = compared("calls", [ours, mesa].map(|read| read.figures()));
    let (ours, mesa) = both(&scenes, &[&requests, &results])?;
    cases.extend(compared("draws", [ours, mesa].map(|read| read.figures())));
    Ok(cases)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_the_statistics_and_compared() {
        let text = "1 submissions, 0 launches, 2 draws\n\
                    1 passes, 2 barriers, 30 bytes of streams, 4 bytes of updates, 5 bytes of shader words\n";
        let ours = Read { launches: 0, draws: 2, passes: 1, barriers: 2, bytes: [30, 4, 5] };
        assert_eq!(Read::of(text), Ok(ours));
        assert!(Read::of("1 submissions\n").is_err());
        let mesa = Read { barriers: 1, bytes: [20, 10, 10], ..ours };
        let found: Vec<_> = compared("draws", [ours, mesa].map(|read| read.figures()))
            .into_iter()
            .map(|(case, figures)| (case.name, case.outcome == Outcome::Pass, figures["ratio"].clone()))
            .collect();
        let named = |name: &str, passes, ratio: f64| (format!("draws-{name}"), passes, json!(ratio));
        let expected =
            [named("passes", true, 1.0), named("barriers", false, 2.0), named("bytes", true, 0.975)];
        assert_eq!(found, expected);
        let later = Read { launches: 3, draws: 5, passes: 4, barriers: 2, bytes: [60, 4, 9] };
        let thousand =
            Read { launches: 1000, draws: 1000, passes: 1000, barriers: 0, bytes: [10_000, 0, 1334] };
        assert_eq!((later.after(&ours, 3), ours.after(&later, 3)), (Some(thousand), None));
        let frames = later.after(&ours, 1).map(|read| (read.draws, read.bytes[0]));
        assert_eq!(frames, Some((3000, 30_000)));
    }
}
