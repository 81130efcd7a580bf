//! Suite `clients`: programs of other people through Mesa's driver on the device, compared with lavapipe.
//!
//! They run inside the environment, which `device/environment/make.sh DIR --clients` completes. A client prints lines of a
//! type and hexadecimal bytes: `u8` may differ by 2, `f32` by one part in a thousand. vkmark renders without a window and
//! prints no pixels: it has to end well.

use std::process::Output;

use serde_json::json;

use super::Context;
use crate::device::environment::{Driver, Environment};
use crate::outcome::{CaseResult, Outcome, SuiteReport};
use crate::shared::{DataError, from_hex};

/// A program and its arguments.
struct Client {
    name: &'static str,
    command: &'static [&'static str],
    variables: &'static [&'static str],
    /// It prints what it computed.
    prints: bool,
}

const PYTHON: &[&str] = &["PYTHONPATH=/opt/agx/python"];
const SCENE: [&str; 5] = ["vkmark", "--winsys", "headless", "-s", "128x96"];

/// A scene of vkmark.
macro_rules! scene {
    ($name:literal, $scene:literal) => {
        Client {
            name: concat!("vkmark-", $name),
            command: &[
                SCENE[0],
                SCENE[1],
                SCENE[2],
                SCENE[3],
                SCENE[4],
                "-b",
                concat!($scene, ":duration=0.1"),
            ],
            variables: &[],
            prints: false,
        }
    };
}

const CLIENTS: [Client; 13] = [
    Client {
        name: "wgpu",
        command: &["python3", "/opt/agx/wgpu_client.py"],
        variables: PYTHON,
        prints: true,
    },
    Client {
        name: "ncnn",
        command: &["python3", "/opt/agx/ncnn_client.py"],
        variables: PYTHON,
        prints: true,
    },
    Client {
        name: "zink",
        command: &["python3", "/opt/agx/gl_client.py"],
        variables: &["MESA_LOADER_DRIVER_OVERRIDE=zink", "GALLIUM_DRIVER=zink"],
        prints: true,
    },
    scene!("vertex", "vertex"),
    scene!("texture", "texture"),
    scene!("gouraud", "shading:shading=gouraud"),
    scene!("phong", "shading:shading=phong"),
    scene!("cel", "shading:shading=cel"),
    scene!("cube", "cube"),
    scene!("clear", "clear"),
    scene!("edge", "effect2d:kernel=edge"),
    scene!("blur", "effect2d:kernel=blur"),
    scene!("desktop", "desktop"),
];

/// Runs every client on both drivers.
///
/// # Errors
/// Never: what is absent skips the suite.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let environment = match Environment::find(&std::env::temp_dir().join("agx-clients-suite")) {
        Ok(environment) => environment,
        Err(reason) => return Ok(SuiteReport::absent(reason)),
    };
    if let Err(reason) = environment.prepare_clients() {
        return Ok(SuiteReport::absent(reason));
    }
    let wanted =
        CLIENTS.iter().filter(|client| context.filter.is_none_or(|filter| client.name.contains(filter)));
    let cases = wanted.map(|client| CaseResult {
        name: client.name.to_owned(),
        outcome: run_client(&environment, client).err().unwrap_or(Outcome::Pass),
    });
    let mut report = SuiteReport::new(cases.collect());
    report.extra.insert("mesa".into(), json!(environment.version));
    Ok(report)
}

fn run_client(environment: &Environment, client: &Client) -> Result<(), Outcome> {
    let run = |driver: Driver| -> Result<Vec<String>, Outcome> {
        let mut command = environment.inside(driver, client.variables, client.command);
        let output = command.output().map_err(|error| Outcome::Skipped(error.to_string()))?;
        printed(&output).map_err(|message| match driver {
            Driver::Lavapipe => Outcome::Skipped(format!("lavapipe: {message}")),
            Driver::Device | Driver::Own => Outcome::Fail(message),
        })
    };
    let expected = if client.prints { run(Driver::Lavapipe)? } else { Vec::new() };
    let found = run(Driver::Device)?;
    if let Some(finding) = environment.client_findings().lines().next() {
        return Err(Outcome::Fail(finding.to_owned()));
    }
    match client.prints {
        true => compare(&expected, &found).map_err(Outcome::Fail),
        false => Ok(()),
    }
}

/// The lines with results; the error is what the program said last.
fn printed(output: &Output) -> Result<Vec<String>, String> {
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{}: {}", output.status, said.lines().last().unwrap_or("no message")));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text
        .lines()
        .filter(|line| line.starts_with("u8 ") || line.starts_with("f32 "))
        .map(String::from)
        .collect())
}

fn compare(expected: &[String], found: &[String]) -> Result<(), String> {
    if expected.len() != found.len() || expected.is_empty() {
        return Err(format!("{} lines of results; expected {}", found.len(), expected.len()));
    }
    for (number, (expected, found)) in expected.iter().zip(found).enumerate() {
        let (kind, digits) = expected.split_once(' ').unwrap_or_default();
        let (other, found) = found.split_once(' ').unwrap_or_default();
        let (Some(expected), Some(found)) = (from_hex(digits), from_hex(found)) else {
            return Err(format!("line {number} is not hexadecimal"));
        };
        if (kind, expected.len()) != (other, found.len()) {
            return Err(format!(
                "line {number}: {} bytes of {other}; expected {} of {kind}",
                found.len(),
                expected.len()
            ));
        }
        let wrong = match kind {
            "f32" => far_floats(&expected, &found),
            _ => expected.iter().zip(&found).filter(|(a, b)| a.abs_diff(**b) > 2).count(),
        };
        if wrong > 0 {
            return Err(format!("line {number}: {wrong} values of {kind} differ"));
        }
    }
    Ok(())
}

/// How many floats differ by more than one part in a thousand.
fn far_floats(expected: &[u8], found: &[u8]) -> usize {
    let float = |bytes: &[u8; 4]| f32::from_le_bytes(*bytes);
    let pairs = expected.as_chunks::<4>().0.iter().zip(found.as_chunks::<4>().0);
    pairs.filter(|(a, b)| !((float(a) - float(b)).abs() <= 1e-3 * float(a).abs().max(1e-3))).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_compared_by_their_type() {
        let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let compare = |a: &[&str], b: &[&str]| compare(&lines(a), &lines(b));
        assert_eq!(compare(&["u8 0510"], &["u8 0712"]), Ok(()));
        assert!(compare(&["u8 0510"], &["u8 0810"]).is_err());
        assert_eq!(compare(&["f32 0000803f"], &["f32 0100803f"]), Ok(()));
        assert!(compare(&["f32 0000803f"], &["f32 0000813f"]).is_err());
        assert!(compare(&["f32 0000803f"], &["f32 0000c07f"]).is_err(), "a NaN");
        assert!(compare(&["u8 05"], &["u8 0505"]).is_err());
        assert!(compare(&[], &[]).is_err(), "nothing was compared");
    }
}
