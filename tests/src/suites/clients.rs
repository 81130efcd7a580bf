//! Suite `clients`: applications on the project's driver and on Mesa's driver on the device, compared with lavapipe.
//!
//! They run inside the environment from `device/environment/make.sh DIR --clients`. With the project's driver and with
//! lavapipe they run under the validation layer; errors that it reports only for the project's driver are failures. Through a
//! render node, where work is asynchronous, those that Mesa's driver causes there too are the program's. For programs with
//! animations time is slowed down.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use serde_json::json;

use super::Context;
use crate::clients::picture::Picture;
use crate::clients::screen::Screen;
use crate::clients::{CLIENTS, CLOCK, Client, OFTEN, Runs, SAVED, Shows, lines};
use crate::device::environment::{Door, Driver, Environment, WINDOW};
use crate::outcome::{CaseResult, Outcome, SuiteReport};
use crate::shared::DataError;

/// Folder of presented images, in the tree.
const FRAMES: &str = "opt/agx/frames";
/// A second takes 10⁹ seconds. If the clock stood still for every program, the waits of the validation layer would time
/// out immediately.
const SLOW: [&str; 2] = [CLOCK, "FAKETIME=+0 x0.000000001"];
const VALIDATION: &str = "VK_LAYER_KHRONOS_validation";
const SCREENSHOT: &str = "VK_LAYER_MESA_screenshot";

/// Runs clients on their drivers: by default those of [`OFTEN`]; with a filter, even an empty one, all that match.
///
/// # Errors
/// Never: a missing environment skips the suite.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let environment = match Environment::find("clients") {
        Ok(environment) => environment,
        Err(reason) => return Ok(SuiteReport::absent(reason)),
    };
    if let Err(reason) = environment.prepare_clients() {
        return Ok(SuiteReport::absent(reason));
    }
    let screen = match Screen::start(&environment) {
        Ok(screen) => screen,
        Err(reason) => return Ok(SuiteReport::absent(reason)),
    };
    let room = Room { environment, screen };
    let [own, mesa] = [context.own(), Door::plain(Driver::Device)];
    let (mut cases, mut seconds) = (Vec::new(), BTreeMap::new());
    for (tag, door, other) in [("agx", &own, Runs::Own), ("mesa", &mesa, Runs::Mesa)] {
        for client in CLIENTS.iter().filter(|client| client.runs == Runs::Both || client.runs == other) {
            let name = format!("{tag}-{}", client.name);
            let is_wanted = match context.filter {
                Some(filter) => name.contains(filter),
                None => OFTEN.contains(&client.name),
            };
            if is_wanted {
                let start = Instant::now();
                let outcome = room.run_client(door, client).err().unwrap_or(Outcome::Pass);
                seconds.insert(name.clone(), start.elapsed().as_secs());
                cases.push(CaseResult { name, outcome });
            }
        }
    }
    let mut report = SuiteReport::new(cases);
    report.extra.insert("seconds".into(), json!(seconds));
    report.extra.insert("mesa".into(), json!(room.environment.version));
    Ok(report)
}

/// The results of an application.
enum Shown {
    Nothing,
    Lines(Vec<String>),
    Picture(Picture),
}

/// The results of an application, and the messages of the validation layer.
struct Seen {
    shown: Shown,
    messages: BTreeSet<String>,
}

/// The first lines of the validation layer's errors, without what programs print before them in the line, and without those about
/// structures of extensions that are newer than the layer.
fn errors(text: &str) -> impl Iterator<Item = &str> {
    let with_next = text.lines().zip(text.lines().skip(1).chain([""]));
    with_next
        .filter(|(_, next)| !next.contains("with unknown VkStructureType"))
        .filter_map(|(line, _)| line.get(line.find("Validation Error")?..))
}

/// Stops a program and its children.
fn end(program: &Child) {
    // It may have ended already.
    let _ = Command::new("kill").arg(program.id().to_string()).stderr(Stdio::null()).status();
}

/// The environment of a run.
struct Room {
    environment: Environment,
    screen: Screen,
}

impl Room {
    fn run_client(&self, door: &Door, client: &Client) -> Result<(), Outcome> {
        let lavapipe = Door::plain(Driver::Lavapipe);
        let expected = match client.shows {
            Shows::Checked => Seen { shown: Shown::Nothing, messages: BTreeSet::new() },
            _ => self
                .shown(&lavapipe, client)
                // On a busy host, a quick program may time out once.
                .or_else(|reason| match OFTEN.contains(&client.name) {
                    true => self.shown(&lavapipe, client),
                    false => Err(reason),
                })
                .map_err(|reason| Outcome::Skipped(format!("lavapipe: {reason}")))?,
        };
        let found = self.shown(door, client).map_err(Outcome::Fail)?;
        let mut messages = found.messages.difference(&expected.messages).peekable();
        if messages.peek().is_some() {
            let known = self.mesa_messages(door, client).map_err(Outcome::Fail)?;
            if let Some(message) = messages.find(|message| !known.contains(*message)) {
                return Err(Outcome::Fail(message.clone()));
            }
        }
        // A program in a window is stopped, and may not write statistics then.
        let is_stopped = client.command.first() == Some(&WINDOW);
        let computes = !is_stopped && matches!(client.shows, Shows::Checked | Shows::Lines | Shows::Saved);
        if computes && !self.environment.client_reached_device() {
            return Err(Outcome::Fail("the device executed nothing".into()));
        }
        if let Some(finding) = self.environment.client_findings().lines().next() {
            return Err(Outcome::Fail(finding.to_owned()));
        }
        match (&expected.shown, &found.shown) {
            (Shown::Lines(expected), Shown::Lines(found)) => lines::compare(expected, found),
            (Shown::Picture(expected), Shown::Picture(found)) => expected.compare(found),
            _ => Ok(()),
        }
        .map_err(Outcome::Fail)
    }

    /// The messages for Mesa's driver on the device with the options of `door`, which are those for a program that makes no mistake unless
    /// work is asynchronous; none without options.
    fn mesa_messages(&self, door: &Door, client: &Client) -> Result<BTreeSet<String>, String> {
        if door.options.is_empty() {
            return Ok(BTreeSet::new());
        }
        let mesa = Door { driver: Driver::Device, options: door.options.clone() };
        Ok(self.shown(&mesa, client)?.messages)
    }

    /// Runs a program; the error is its last output.
    fn shown(&self, door: &Door, client: &Client) -> Result<Seen, String> {
        let frames = self.environment.root().join(FRAMES);
        // The folder may not exist.
        let _ = std::fs::remove_dir_all(&frames);
        std::fs::create_dir_all(&frames).map_err(|error| error.to_string())?;
        let mut command = self.command(door, client);
        let mut picture = None;
        let output = match client.shows {
            Shows::Screen => {
                command.stdout(Stdio::piped()).stderr(Stdio::piped());
                self.screen.clear()?;
                let mut child = command.spawn().map_err(|error| error.to_string())?;
                let settled = self.screen.settled(&mut child);
                end(&child);
                picture = Some(settled?);
                child.wait_with_output()
            }
            _ => command.output(),
        };
        let output = output.map_err(|error| error.to_string())?;
        let ends = matches!(client.shows, Shows::End | Shows::Checked | Shows::Lines | Shows::Saved);
        let [printed, said] =
            [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        if ends && !output.status.success() {
            return Err(format!("{}: {}", output.status, said.lines().last().unwrap_or("no message")));
        }
        let file = match client.shows {
            Shows::Frame(number) => Some(frames.join(format!("{number}.png"))),
            Shows::Saved => Some(self.environment.root().join(SAVED.trim_start_matches('/'))),
            _ => None,
        };
        if let Some(file) = file {
            let bytes = std::fs::read(&file).map_err(|_| format!("{} was not written", file.display()))?;
            picture = Some(Picture::from_png(&bytes)?);
        }
        let shown = match (client.shows, picture) {
            (Shows::Lines, _) => Shown::Lines(lines::of(&printed)),
            (_, Some(picture)) if picture.is_blank() => {
                return Err("nothing was drawn".into());
            }
            (_, Some(picture)) => Shown::Picture(picture),
            _ => Shown::Nothing,
        };
        let messages =
            [&printed, &said].into_iter().flat_map(|text| errors(text)).map(String::from).collect();
        Ok(Seen { shown, messages })
    }

    fn command(&self, door: &Door, client: &Client) -> Command {
        let mut layers = Vec::new();
        if door.driver != Driver::Device || !door.options.is_empty() {
            layers.push(VALIDATION);
        }
        if matches!(client.shows, Shows::Frame(_)) {
            layers.push(SCREENSHOT);
        }
        let layers = format!("VK_INSTANCE_LAYERS={}", layers.join(":"));
        let frames = match client.shows {
            Shows::Frame(number) => {
                format!("VK_LAYER_MESA_SCREENSHOT_CONFIG=frames={number},output_dir=/{FRAMES}")
            }
            _ => String::new(),
        };
        let display = self.screen.display();
        let mut variables = vec![display.as_str(), layers.as_str()];
        if matches!(client.shows, Shows::Screen | Shows::Frame(_)) {
            variables.extend(SLOW);
        }
        variables.extend(client.variables);
        if !frames.is_empty() {
            variables.push(&frames);
        }
        self.environment.inside(door, &variables, client.seconds, client.command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_found_within_lines_except_for_newer_structures() {
        let text = "Validation Error: [ VUID-a ]\nvkCreateDevice(): a structure with unknown VkStructureType (7).\n\
                    Validation Error: [ VUID-b ]\nvkCmdDraw(): no pipeline\n[scene] Validation Error: [ VUID-c ]";
        let found: Vec<&str> = errors(text).collect();
        assert_eq!(found, ["Validation Error: [ VUID-b ]", "Validation Error: [ VUID-c ]"]);
    }
}
