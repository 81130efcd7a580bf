//! Answers the requests of an editor about a running shader.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::mpsc::{Receiver, TryRecvError};

use agx_debug::{Console, Expression, Filter, Part, Session, Spot, Step, Stopped, number};
use agx_emulator::Dispatch;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::next;
use super::protocol::{
    Disassemble, Evaluate, Go, Launch, Message, Output, ReadMemory, Request, Scopes, SetBreakpoints,
    SetInstructionBreakpoints, SourceBreakpoint, Variables,
};
use super::views::{self, Handles};
use crate::debugger::Subject;
use crate::diagnostic::Failure;

/// Where the addresses of a preamble begin; those of the main part begin at 0, and those of device memory above 2^32.
pub const PREAMBLE_ADDRESS: u64 = 0x8000_0000;

/// What a breakpoint was set for.
#[derive(PartialEq)]
enum Origin {
    File(String),
    Instructions,
}

/// The answer to a request, or why there is none.
type Answer = Result<Value, String>;

/// A shader under debugging, and the editor.
pub struct Adapter<'s> {
    session: Session<'s>,
    console: Console,
    requests: &'s Receiver<Message>,
    /// Requests that arrived while the machine ran.
    queue: VecDeque<Request>,
    output: Output,
    /// SIMD-groups by the numbers of their threads, from 1.
    threads: Vec<([u32; 3], u32)>,
    handles: Handles,
    set: Vec<(Origin, u32)>,
    /// Findings that were printed.
    printed: usize,
    stop_on_entry: bool,
}

impl<'s> Adapter<'s> {
    pub fn new(
        subject: &'s Subject,
        dispatch: Option<&'s Dispatch<'s>>,
        launch: &Launch,
        requests: &'s Receiver<Message>,
        output: Output,
    ) -> Adapter<'s> {
        Adapter {
            session: subject.session(dispatch),
            console: Console::new(subject.sources.clone()),
            requests,
            queue: VecDeque::new(),
            output,
            threads: Vec::new(),
            handles: Handles::default(),
            set: Vec::new(),
            printed: 0,
            stop_on_entry: launch.stop_on_entry,
        }
    }

    /// Answers requests until the editor disconnects.
    pub fn serve(mut self) -> Result<(), Failure> {
        loop {
            let request = match self.queue.pop_front() {
                Some(request) => request,
                None => match next(self.requests)? {
                    Some(request) => request,
                    None => return Ok(()),
                },
            };
            if matches!(request.command.as_str(), "disconnect" | "terminate") {
                self.output.success(&request, json!({}))?;
                return self.output.event("terminated", json!({}));
            }
            self.handle(&request)?;
        }
    }

    fn handle(&mut self, request: &Request) -> Result<(), Failure> {
        let answer = match request.command.as_str() {
            "configurationDone" => return self.configured(request),
            "continue" | "reverseContinue" | "next" | "stepIn" | "stepOut" | "stepBack" => {
                return self.go(request);
            }
            "evaluate" => return self.evaluate(request),
            "setBreakpoints" => with(request, |arguments| self.set_breakpoints(arguments)),
            "setInstructionBreakpoints" => with(request, |arguments| self.set_instructions(arguments)),
            "threads" => Ok(self.list_threads()),
            "stackTrace" => with(request, |arguments| self.frames(&arguments)),
            "scopes" => with(request, |arguments| self.scopes(&arguments)),
            "variables" => with(request, |Variables { variables_reference }| {
                self.handles.variables(variables_reference, &self.session)
            }),
            "disassemble" => with(request, |arguments| Ok(self.disassemble(&arguments))),
            "readMemory" => with(request, |arguments| self.read_memory(&arguments)),
            // The machine is not running.
            "pause" | "setExceptionBreakpoints" | "setFunctionBreakpoints" => {
                Ok(json!({ "breakpoints": [] }))
            }
            name => Err(format!("the request `{name}` is not supported")),
        };
        self.answer(request, answer)
    }

    fn answer(&mut self, request: &Request, answer: Answer) -> Result<(), Failure> {
        match answer {
            Ok(body) => self.output.success(request, body),
            Err(why) => self.output.failure(request, 404, &why),
        }
    }

    /// The editor has set its breakpoints.
    fn configured(&mut self, request: &Request) -> Result<(), Failure> {
        self.output.success(request, json!({}))?;
        if self.stop_on_entry {
            return self.stopped(Stopped::Start);
        }
        let stopped = self.run(|session, should_stop| session.run(should_stop));
        self.stopped(stopped)
    }

    /// Runs the machine until it stops, or the editor pauses it.
    fn run(&mut self, go: impl FnOnce(&mut Session<'s>, &mut dyn FnMut() -> bool) -> Stopped) -> Stopped {
        self.handles.clear();
        let (requests, queue, output) = (self.requests, &mut self.queue, &mut self.output);
        go(&mut self.session, &mut || loop {
            match requests.try_recv() {
                Ok(Message::Request(request)) if request.command == "pause" => {
                    // The editor notices a closed pipe at the next message.
                    let _ = output.success(&request, json!({}));
                    return true;
                }
                Ok(Message::Request(request)) => {
                    let ends = matches!(request.command.as_str(), "disconnect" | "terminate");
                    queue.push_back(request);
                    if ends {
                        return true;
                    }
                }
                Err(TryRecvError::Empty) => return false,
                _ => return true,
            }
        })
    }

    /// A request after which the machine runs.
    fn go(&mut self, request: &Request) -> Result<(), Failure> {
        let go: Go = match request.arguments() {
            Ok(go) => go,
            Err(why) => return self.output.failure(request, 405, &why),
        };
        self.select(go.thread_id);
        let step = match (request.command.as_str(), go.granularity.as_deref()) {
            ("stepOut", _) => Step::OutOfLoop,
            (_, Some("instruction")) => Step::Instruction,
            _ => Step::Line,
        };
        let at = self.session.location();
        let in_loop =
            at.is_some_and(|at| self.session.code(at.spot.part).loop_around(at.spot.offset).is_some());
        if step == Step::OutOfLoop && !in_loop {
            return self.output.failure(request, 404, "the instruction is in no loop");
        }
        self.output.success(request, json!({ "allThreadsContinued": true }))?;
        if at.is_none() && !matches!(request.command.as_str(), "stepBack" | "reverseContinue") {
            return self.output.event("terminated", json!({}));
        }
        let stopped = match request.command.as_str() {
            "continue" => self.run(|session, should_stop| session.run(should_stop)),
            "reverseContinue" => self.run(|session, should_stop| session.run_back(should_stop)),
            "stepBack" => self.run(|session, should_stop| session.back(step, 1, should_stop)),
            _ => self.run(|session, should_stop| session.step(step, should_stop)),
        };
        self.stopped(stopped)
    }

    /// Tells the editor that the machine stopped.
    fn stopped(&mut self, stopped: Stopped) -> Result<(), Failure> {
        self.print_findings()?;
        let reason = match stopped {
            Stopped::Start => "entry",
            Stopped::Stepped => "step",
            Stopped::Breakpoint { .. } => "breakpoint",
            Stopped::Fault => "exception",
            Stopped::End | Stopped::Interrupted => "pause",
        };
        let (description, hit) = match stopped {
            Stopped::Breakpoint { id, lane } => (format!("breakpoint {id}, lane {lane}"), vec![id]),
            Stopped::End => ("the end of the run; step back, or continue to leave".to_owned(), Vec::new()),
            Stopped::Fault => {
                (self.session.machine().fault().map_or_else(String::new, ToString::to_string), Vec::new())
            }
            _ => (reason.to_owned(), Vec::new()),
        };
        let thread = self.current_thread();
        let body = json!({
            "reason": reason, "description": description, "text": description, "threadId": thread,
            "allThreadsStopped": true, "hitBreakpointIds": hit,
        });
        self.output.event("stopped", body)
    }

    fn print_findings(&mut self) -> Result<(), Failure> {
        let findings = self.session.machine().findings();
        let new: String = findings.iter().skip(self.printed).map(|finding| format!("{finding}\n")).collect();
        self.printed = self.printed.max(findings.len());
        if new.is_empty() {
            return Ok(());
        }
        self.output.event("output", json!({ "category": "stderr", "output": new }))
    }

    /// The number of the thread of a SIMD-group.
    fn thread(&mut self, focus: ([u32; 3], u32)) -> usize {
        let known = self.threads.iter().position(|known| *known == focus);
        let index = known.unwrap_or_else(|| {
            self.threads.push(focus);
            self.threads.len() - 1
        });
        index + 1
    }

    fn current_thread(&mut self) -> usize {
        let group = self.session.group().map(|group| (group.workgroup(), group.index()));
        group.map_or(1, |focus| self.thread(focus))
    }

    /// Makes requests concern a thread.
    fn select(&mut self, thread: i64) {
        let index = usize::try_from(thread).ok().and_then(|thread| thread.checked_sub(1));
        if let Some((workgroup, index)) = index.and_then(|index| self.threads.get(index).copied()) {
            self.session.select(workgroup, index);
        }
    }

    fn list_threads(&mut self) -> Value {
        let groups: Vec<_> =
            self.session.machine().groups().map(|group| (group.workgroup(), group.index())).collect();
        let one = |(workgroup, index): ([u32; 3], u32)| {
            let [x, y, z] = workgroup;
            let name = format!("workgroup {x},{y},{z}, SIMD-group {index}");
            json!({ "id": self.thread((workgroup, index)), "name": name })
        };
        json!({ "threads": groups.into_iter().map(one).collect::<Vec<_>>() })
    }

    fn frames(&mut self, go: &Go) -> Answer {
        self.select(go.thread_id);
        let frame = self.session.location().map(|at| views::frame(&self.session, &at, go.thread_id));
        let frames: Vec<Value> = frame.into_iter().collect();
        Ok(json!({ "stackFrames": frames, "totalFrames": frames.len() }))
    }

    fn scopes(&mut self, scopes: &Scopes) -> Answer {
        self.select(scopes.frame_id);
        Ok(self.handles.scopes(&self.session))
    }

    fn set_breakpoints(&mut self, asked: SetBreakpoints) -> Answer {
        let name = asked.source.path.or(asked.source.name).unwrap_or_default();
        self.forget(&Origin::File(name.clone()));
        let set = asked.breakpoints.iter().map(|one| self.set_line(&name, one)).collect::<Vec<Value>>();
        Ok(json!({ "breakpoints": set }))
    }

    fn set_line(&mut self, name: &str, asked: &SourceBreakpoint) -> Value {
        let base = Path::new(name).file_name().map_or(name, |base| base.to_str().unwrap_or(name));
        let file = [name, base].into_iter().find(|name| self.session.symbols().file(name).is_some());
        let condition =
            match asked.condition.as_deref().filter(|text| !text.trim().is_empty()).map(Expression::parse) {
                Some(Err(error)) => return refused(&error),
                condition => condition.and_then(Result::ok),
            };
        let file = Some(file.unwrap_or(name));
        match self.session.break_at_line(file, asked.line, Filter::default(), condition) {
            Ok(breakpoint) => {
                let (id, line) = (breakpoint.id, breakpoint.line.map(|line| line.1));
                self.set.push((Origin::File(name.to_owned()), id));
                json!({ "id": id, "verified": true, "line": line })
            }
            Err(error) => refused(&error),
        }
    }

    fn set_instructions(&mut self, asked: SetInstructionBreakpoints) -> Answer {
        self.forget(&Origin::Instructions);
        let mut set = Vec::new();
        for one in &asked.breakpoints {
            let condition = match one
                .condition
                .as_deref()
                .filter(|text| !text.trim().is_empty())
                .map(Expression::parse)
            {
                Some(Err(error)) => {
                    set.push(refused(&error));
                    continue;
                }
                condition => condition.and_then(Result::ok),
            };
            let address = number(&one.instruction_reference).map(|at| at.wrapping_add_signed(one.offset));
            let spot = spot(address.unwrap_or(u64::MAX));
            match self.session.break_at(spot, Filter::default(), condition) {
                Ok(breakpoint) => {
                    let id = breakpoint.id;
                    self.set.push((Origin::Instructions, id));
                    set.push(json!({ "id": id, "verified": true }));
                }
                Err(error) => set.push(refused(&error)),
            }
        }
        Ok(json!({ "breakpoints": set }))
    }

    /// Removes the breakpoints that were set for `origin`.
    fn forget(&mut self, origin: &Origin) {
        for (_, id) in self.set.iter().filter(|(known, _)| known == origin) {
            self.session.remove(Some(*id));
        }
        self.set.retain(|(known, _)| known != origin);
    }

    /// The value of an expression, or a command of the terminal after `:`.
    fn evaluate(&mut self, request: &Request) -> Result<(), Failure> {
        let asked: Evaluate = match request.arguments() {
            Ok(asked) => asked,
            Err(why) => return self.output.failure(request, 405, &why),
        };
        self.select(asked.frame_id.unwrap_or(0));
        let command =
            asked.expression.trim().strip_prefix(':').filter(|_| asked.context.as_deref() == Some("repl"));
        let Some(command) = command else {
            let answer = self.handles.evaluate(&asked.expression, &self.session);
            return self.answer(request, answer);
        };
        let reply = self.console.run(&mut self.session, command, &mut || false);
        match reply {
            Err(error) => self.output.failure(request, 404, &error.to_string()),
            Ok(reply) => {
                self.output.success(request, json!({ "result": reply.text, "variablesReference": 0 }))?;
                self.handles.clear();
                match reply.stopped {
                    Some(stopped) => self.stopped(stopped),
                    // The shown lane may be another one.
                    None => self.output.event("invalidated", json!({ "areas": ["variables"] })),
                }
            }
        }
    }

    fn disassemble(&self, asked: &Disassemble) -> Value {
        let address = number(&asked.memory_reference).unwrap_or(0).wrapping_add_signed(asked.offset);
        views::disassembly(&self.session, spot(address), asked.instruction_offset, asked.instruction_count)
    }

    fn read_memory(&self, asked: &ReadMemory) -> Answer {
        let address = number(&asked.memory_reference).ok_or("a memory reference is a number")?;
        let address = address.wrapping_add_signed(asked.offset);
        let count = usize::try_from(asked.count).unwrap_or(0);
        let memory = self.session.machine().memory();
        // Editors ask for more than is mapped.
        let mapped =
            (0..=count.min(1 << 16)).rev().find_map(|len| memory.bytes(address, len)).unwrap_or_default();
        Ok(json!({
            "address": format!("{address:#x}"), "unreadableBytes": count - mapped.len().min(count),
            "data": views::base64(mapped),
        }))
    }
}

/// The arguments of a request, answered.
fn with<T: DeserializeOwned>(request: &Request, answer: impl FnOnce(T) -> Answer) -> Answer {
    request.arguments().and_then(answer)
}

/// A breakpoint that was not set.
fn refused(error: &dyn std::error::Error) -> Value {
    json!({ "verified": false, "message": error.to_string() })
}

/// The instruction at an address.
fn spot(address: u64) -> Spot {
    match address.checked_sub(PREAMBLE_ADDRESS) {
        Some(offset) => Spot { part: Part::Preamble, offset: offset as u32 },
        None => Spot { part: Part::Main, offset: address as u32 },
    }
}
