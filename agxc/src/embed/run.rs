//! Runs of compute shaders on the reference machine: buffers in, buffers out.

use agx_abi::Stage;
use agx_compiler::internal::tracking::Tracking;
use agx_emulator::Options;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::compile::Shader;
use super::{Files, answer, request};
use crate::commands::{check_workgroups, groups};
use crate::debugger::symbols;
use crate::diagnostic::{Diagnostic, Failure};
use crate::machine::{self, Job};
use crate::report::html;
use crate::resources::Specs;
use crate::values::{self, Element, Slot};
use crate::{lint, texture};

/// A run.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    shader: Shader,
    /// Resources in the notation of the command line.
    #[serde(default)]
    resources: Specs,
    /// Number of workgroups: `X`, `X,Y` or `X,Y,Z`.
    #[serde(default = "one")]
    groups: String,
    /// Types in which buffers are printed, by place; others have words.
    #[serde(default)]
    shown: Vec<(String, String)>,
}

fn one() -> String {
    "1".to_owned()
}

/// A buffer or an image after a run.
struct Contents {
    slot: Slot,
    bytes: Vec<u8>,
}

/// The outcome of a run.
pub struct Ran {
    answer: String,
    contents: Vec<Contents>,
}

impl Ran {
    /// The answer: `buffers` with the place and the values of each, the counts, and `html` about the lines that ran.
    pub fn answer(&self) -> &str {
        &self.answer
    }

    /// The bytes of a buffer, by its number in the answer.
    pub fn bytes(&self, number: usize) -> &[u8] {
        self.contents.get(number).map_or(&[], |contents| &contents.bytes)
    }
}

/// Most elements of a buffer that an answer has as text.
const MOST_SHOWN: usize = 4096;

/// Runs the shader of a request.
pub fn run(files: &Files, text: &str) -> Ran {
    let mut contents = Vec::new();
    let answer = answer(request(text).and_then(|wanted| ran(files, &wanted, &mut contents)));
    Ran { answer, contents }
}

fn ran(
    files: &Files,
    wanted: &Request,
    contents: &mut Vec<Contents>,
) -> Result<(Value, Vec<Diagnostic>), Failure> {
    let unit = wanted.shader.read(files)?;
    let shader = unit.compile()?;
    if shader.info.stage != Stage::Compute {
        let stage = shader.info.stage.name();
        return Err(unit
            .file
            .problem(101, &format!("expected a compute shader to run, found a {stage} shader")));
    }
    let mut bindings = wanted.resources.read(&|name| files.bytes(name))?;
    let workgroups = groups(&wanted.groups)?;
    check_workgroups(workgroups)?;
    let warnings = lint::unused_bindings(&unit.file, &shader.info, &bindings);
    let job = Job {
        name: &unit.file.name,
        samplers: &bindings.samplers,
        push_constants: &bindings.push_constants,
        arguments: &[],
        results: 0,
        workgroups,
        options: Options { budget: machine::BUDGET, profile: true, ..Options::default() },
    };
    let outcome = machine::run(&shader, &mut bindings.buffers, &mut bindings.textures, &job);
    if let Some(failure) = outcome.failure {
        return Err(failure);
    }
    let images = bindings.textures.into_iter().filter(|texture| texture.storage).map(texture::contents);
    for buffer in bindings.buffers.into_iter().chain(images) {
        let slot = Slot { set: buffer.set, binding: buffer.binding, element: buffer.element };
        contents.push(Contents { slot, bytes: buffer.bytes });
    }
    let shown: Vec<Value> =
        contents.iter().map(|contents| contents.shown(&wanted.shown)).collect::<Result<_, _>>()?;
    let report = &outcome.report;
    let symbols = symbols::of(&shader, &Tracking::default());
    let source = |name: &str, line: u32| unit.file.line(name, line);
    let lines =
        report.profile.as_ref().map(|profile| html::executed("Executed lines", profile, &symbols, source));
    let value = json!({
        "html": lines,
        "files": shader.sources.files,
        "buffers": shown,
        "instructions": report.instructions,
        "lane_instructions": report.lane_instructions,
        "cycles": report.estimated_cycles(),
        "lines": report.lines,
    });
    Ok((value, warnings))
}

impl Contents {
    /// Place and values, in the type that `types` gives for the place.
    fn shown(&self, types: &[(String, String)]) -> Result<Value, Failure> {
        let place = self.slot.to_string();
        let given = types.iter().find(|(known, _)| *known == place).map(|(_, name)| name.as_str());
        let element = given.map_or(Ok(Element::U32), values::element)?;
        let most = MOST_SHOWN.saturating_mul(element.size_bytes());
        let shown = self.bytes.get(..most).unwrap_or(&self.bytes);
        Ok(json!({
            "place": place, "bytes": self.bytes.len(), "text": values::print(shown, element),
            "whole": shown.len() == self.bytes.len(),
        }))
    }
}
