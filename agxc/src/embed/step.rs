//! Stepping through a run on the reference machine, forward and backward.
//!
//! The machine is deterministic, so a place in a run is a time, the number of instructions executed before. Requests name the
//! time that they start from.

use agx_debug::{Console, Kind, Location, Part, Session, Spot, Step, Stopped, Value as Scalar};
use agx_emulator::{Capture, GroupView, LaneState, Options};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::compile::Shader;
use super::{Files, answer, request};
use crate::commands::{Inputs, check_workgroups, groups};
use crate::context::Context;
use crate::debugger::drawn::{self, Selection};
use crate::debugger::{Subject, symbols};
use crate::diagnostic::Failure;
use crate::resources::Specs;
use crate::scene::{self, Files as SceneFiles};
use crate::values::Element;
use crate::{commands, key, machine};

/// Most instructions of a run that is stepped through: each answer executes it anew.
const MOST_INSTRUCTIONS: u64 = 1 << 20;

/// Most entries of a time line.
const MOST_ENTRIES: usize = 1 << 15;

/// What to step through.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Wanted {
    Grid(Grid),
    Drawn(Drawn),
}

/// A run of a compute shader.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Grid {
    shader: Shader,
    /// Resources in the notation of the command line.
    #[serde(default)]
    resources: Specs,
    /// Number of workgroups: `X`, `X,Y` or `X,Y,Z`.
    groups: String,
}

/// A vertex or a fragment of a scene.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Drawn {
    /// Name of the scene file.
    scene: String,
    /// The chip to compile for.
    #[serde(default)]
    target: Option<String>,
    /// The pixel of a fragment.
    #[serde(default)]
    pixel: Option<[u32; 2]>,
    /// The fragment among the shaded ones of the pixel in its draw; the last one if absent.
    #[serde(default)]
    fragment: Option<u32>,
    /// The number of a vertex.
    #[serde(default)]
    vertex: Option<u32>,
    /// The instance of the vertex.
    #[serde(default)]
    instance: u32,
    /// The draw; the first with the vertex, or the last with the pixel, if absent.
    #[serde(default)]
    draw: Option<usize>,
}

/// A step, and the time that it starts from.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Move {
    time: u64,
    step: Name,
    /// The lane to show; the first active one if absent.
    #[serde(default)]
    lane: Option<usize>,
    /// Breakpoints, as the words of the debugger's command `break`.
    #[serde(default)]
    breaks: Vec<String>,
    /// Watches: an expression as `print` takes it, or after a colon any command of the debugger.
    #[serde(default)]
    watches: Vec<String>,
}

/// What a step does.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case")]
enum Name {
    /// Nothing: the state at the time is shown.
    Stay,
    Instruction,
    Line,
    Out,
    BackInstruction,
    BackLine,
    BackOut,
    /// To a breakpoint or the end.
    Continue,
    /// Back to a breakpoint or the start.
    BackContinue,
    /// To the end, past breakpoints.
    End,
}

/// A run that is stepped through.
pub struct Stepping(Subject);

/// Prepares the run of a request. The answer has `files`, the names of the sources; `code`, the instructions; and `entries`, the time line: for
/// each instruction executed the time, the number of the instruction in `code`, the active lanes as a mask, and workgroup and SIMD-group.
pub fn step_through(files: &Files, text: &str) -> (Option<Stepping>, String) {
    match request(text).and_then(|wanted| open(files, wanted)) {
        Ok(subject) => {
            let value = overview(&subject);
            (Some(Stepping(subject)), answer(Ok((value, Vec::new()))))
        }
        Err(failure) => (None, answer(Err(failure))),
    }
}

impl Stepping {
    /// Makes the step of a request. The answer has `time`, `stopped`, the state there, the breakpoints with their places, and the watches with
    /// their values.
    pub fn go(&self, text: &str) -> String {
        answer(request(text).map(|wanted: Move| (moved(&self.0, &wanted), Vec::new())))
    }
}

fn open(files: &Files, wanted: Wanted) -> Result<Subject, Failure> {
    match wanted {
        Wanted::Grid(grid) => of_grid(files, &grid),
        Wanted::Drawn(drawn) => of_scene(files, &drawn),
    }
}

fn of_grid(files: &Files, wanted: &Grid) -> Result<Subject, Failure> {
    let unit = wanted.shader.read(files)?;
    let (shader, tracking) = commands::tracked_with(&unit.file, unit.chip, &unit.key)?;
    let workgroups = groups(&wanted.groups)?;
    check_workgroups(workgroups)?;
    let mut inputs = Inputs {
        bindings: wanted.resources.read(&|name| files.bytes(name))?,
        arguments: Vec::new(),
        results: (0, Element::U32),
        workgroups,
        machine: Options { budget: machine::BUDGET, ..Options::default() },
    };
    Subject::of_grid(&unit.file, &shader, symbols::of(&shader, &tracking), &mut inputs)
}

fn of_scene(files: &Files, wanted: &Drawn) -> Result<Subject, Failure> {
    let capture = match (wanted.pixel, wanted.vertex) {
        (Some(pixel), None) => Capture::Fragment { pixel, number: wanted.fragment },
        (None, Some(vertex)) => Capture::Vertex { vertex, instance: wanted.instance },
        _ => return Err(Failure::usage("stepping through a scene needs either a pixel or a vertex")),
    };
    let target = key::target(wanted.target.as_deref())?;
    let scene = scene::read(&files.bytes(&wanted.scene)?, &wanted.scene)?;
    let read = |name: &str| files.bytes(name);
    let from = SceneFiles::Read(&wanted.scene, &read);
    let selection = Selection { draw: wanted.draw, capture };
    drawn::of_scene(&scene, &from, target, selection, Vec::new(), &mut Context::new())
}

/// The instructions and the time line.
fn overview(subject: &Subject) -> Value {
    let dispatch = subject.dispatch();
    let mut session = subject.session(dispatch.as_ref());
    let code: Vec<Value> =
        [Part::Preamble, Part::Main].iter().flat_map(|part| code(&session, *part)).collect();
    let mut entries: Vec<Value> = Vec::new();
    let is_whole = loop {
        let Some(at) = session.location() else { break true };
        let time = session.machine().time();
        if entries.len() == MOST_ENTRIES || time > MOST_INSTRUCTIONS {
            break false;
        }
        let ([x, y, z], index) = (at.workgroup, index_of(&session, at.spot));
        entries.push(json!([time, index, at.exec, [x, y, z, at.group]]));
        if let Stopped::Fault | Stopped::End = session.step(Step::Instruction, &mut || false) {
            break true;
        }
    };
    json!({ "files": subject.symbols.files, "code": code, "entries": entries, "whole": is_whole })
}

/// The number of an instruction in the list of both parts.
fn index_of(session: &Session<'_>, spot: Spot) -> usize {
    let within = session.code(spot.part).instructions().partition_point(|one| one.offset < spot.offset);
    match spot.part {
        Part::Preamble => within,
        Part::Main => session.code(Part::Preamble).instructions().len() + within,
    }
}

/// The instructions of a part: part, offset, text, and where it has a source position file and line.
fn code(session: &Session<'_>, part: Part) -> Vec<Value> {
    let symbols = session.symbols().part(part);
    let row = |one: &agx_debug::Instruction| {
        let line = symbols.line(one.offset);
        json!({
            "part": part.name(), "offset": one.offset, "text": one.text,
            "file": line.map(|row| row.file), "line": line.map(|row| row.line),
        })
    };
    session.code(part).instructions().iter().map(row).collect()
}

fn moved(subject: &Subject, wanted: &Move) -> Value {
    let dispatch = subject.dispatch();
    let mut session = subject.session(dispatch.as_ref());
    let breaks: Vec<Value> = wanted.breaks.iter().map(|words| broken(&mut session, words)).collect();
    session.go_to(wanted.time.min(MOST_INSTRUCTIONS));
    if wanted.lane.is_some() {
        session.choose_lane(wanted.lane);
    }
    let stopped = stepped(&mut session, wanted.step);
    let mut value = state(&session, stopped);
    value["breaks"] = breaks.into();
    value["watches"] = wanted.watches.iter().map(|text| watched(&mut session, text)).collect();
    value["more"] =
        MORE.iter().map(|name| json!([name, printed(&mut session, &format!("info {name}"))])).collect();
    value
}

/// Parts of the state that the answer has as the debugger prints them.
const MORE: [&str; 5] = ["waits", "groups", "uniforms", "textures", "findings"];

/// What a command of the debugger prints, or why it prints nothing.
fn printed(session: &mut Session<'_>, command: &str) -> String {
    match Console::default().run(session, command, &mut || true) {
        Ok(reply) => reply.text.trim_end().to_owned(),
        Err(error) => format!("({error})"),
    }
}

/// Sets a breakpoint: its number, its place as text, its line, and its instructions in `code`.
fn broken(session: &mut Session<'_>, words: &str) -> Value {
    let before = session.breakpoints().len();
    let text = printed(session, &format!("break {words}"));
    match session.breakpoints().get(before) {
        None => json!({ "words": words, "error": text }),
        Some(one) => {
            let spots: Vec<usize> = one.spots.iter().map(|spot| index_of(session, *spot)).collect();
            json!({ "words": words, "id": one.id, "text": text, "line": one.line, "spots": spots })
        }
    }
}

/// A watch with its value.
fn watched(session: &mut Session<'_>, text: &str) -> Value {
    let command = text.strip_prefix(':').map_or_else(|| format!("print {text}"), str::to_owned);
    json!([text, printed(session, &command)])
}

fn stepped(session: &mut Session<'_>, step: Name) -> Stopped {
    // A run that never ends is left at the limit.
    let mut patience = MOST_INSTRUCTIONS;
    let mut should_stop = || {
        patience = patience.saturating_sub(4096);
        patience == 0
    };
    match step {
        Name::Stay => Stopped::Stepped,
        Name::Instruction => session.step(Step::Instruction, &mut should_stop),
        Name::Line => session.step(Step::Line, &mut should_stop),
        Name::Out => session.step(Step::OutOfLoop, &mut should_stop),
        Name::BackInstruction => session.back(Step::Instruction, 1, &mut should_stop),
        Name::BackLine => session.back(Step::Line, 1, &mut should_stop),
        Name::BackOut => session.back(Step::OutOfLoop, 1, &mut should_stop),
        Name::Continue => session.run(&mut should_stop),
        Name::BackContinue => session.run_back(&mut should_stop),
        Name::End => {
            session.remove(None);
            session.run(&mut should_stop)
        }
    }
}

/// The state of a session.
fn state(session: &Session<'_>, stopped: Stopped) -> Value {
    let machine = session.machine();
    let breakpoint = match stopped {
        Stopped::Breakpoint { id, .. } => Some(id),
        _ => None,
    };
    let stopped = match stopped {
        _ if machine.fault().is_some() => "fault",
        Stopped::Start => "start",
        Stopped::Interrupted => "limit",
        Stopped::Breakpoint { .. } => "breakpoint",
        _ if machine.is_finished() => "end",
        _ => "step",
    };
    let lane = session.lane();
    json!({
        "time": machine.time(),
        "stopped": stopped,
        "breakpoint": breakpoint,
        "fault": machine.fault().map(ToString::to_string),
        "at": session.location().map(|at| place(&at)),
        "lane": lane,
        "lanes": lanes(session),
        "registers": session.group().map_or_else(Vec::new, |group| registers(&group, lane)),
        "variables": variables(session, lane),
    })
}

fn place(at: &Location) -> Value {
    json!({
        "part": at.spot.part.name(), "offset": at.spot.offset, "exec": at.exec, "workgroup": at.workgroup,
        "group": at.group, "file": at.line.map(|row| row.file), "line": at.line.map(|row| row.line),
    })
}

fn lanes(session: &Session<'_>) -> Vec<Value> {
    let row = |lane: agx_debug::Lane| {
        let state = match lane.state {
            LaneState::Active => "active",
            LaneState::Left(_) => "inactive",
            LaneState::Absent => "absent",
        };
        json!({ "state": state, "place": lane.place, "text": lane.describe() })
    };
    session.lanes().into_iter().map(row).collect()
}

/// Registers with defined values: name, and the value as bits, integer, float and two halves.
fn registers(group: &GroupView<'_>, lane: usize) -> Vec<Value> {
    let halves = |register: u8| [register.saturating_mul(2), register.saturating_mul(2).saturating_add(1)];
    let known = |register: &u8| halves(*register).iter().any(|half| group.is_defined(*half, lane));
    let row = |register: u8| {
        let [low, high] = halves(register).map(|half| u32::from(group.half(half, lane)));
        let word = high << 16 | low;
        let float =
            |name: &str, bits: u32| Kind::find(name).map(|kind| Scalar::new(kind, bits.into()).to_string());
        let half = |at: u8, bits: u32| match group.is_defined(at, lane) {
            true => float("f16", bits),
            false => Some("?".to_owned()),
        };
        let [at, next] = halves(register);
        let two = [half(at, low), half(next, high)];
        json!([format!("r{register}"), format!("{word:#010x}"), word as i32, float("f32", word), two])
    };
    (0..128u8).filter(known).map(row).collect()
}

fn variables(session: &Session<'_>, lane: usize) -> Vec<Value> {
    let Some(scope) = session.scope(lane) else { return Vec::new() };
    let assigned = scope.variables().filter_map(|(name, datum)| Some(json!([name, datum?.to_string()])));
    assigned.collect()
}
