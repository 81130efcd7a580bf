//! The messages of the Debug Adapter Protocol, and the arguments of the requests that are supported.

use std::io::{BufRead, Write};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::diagnostic::Failure;
use crate::framing::{self, Frame};

/// What was read.
pub enum Message {
    Request(Request),
    /// No message of the protocol.
    Wrong(String),
    End,
}

/// A request of the editor.
#[derive(Deserialize)]
pub struct Request {
    pub seq: i64,
    pub command: String,
    #[serde(default)]
    arguments: Value,
}

impl Request {
    /// The arguments.
    pub fn arguments<T: DeserializeOwned>(&self) -> Result<T, String> {
        let arguments = if self.arguments.is_null() { json!({}) } else { self.arguments.clone() };
        serde_json::from_value(arguments).map_err(|error| format!("`{}`: {error}", self.command))
    }
}

/// Reads a message.
pub fn read(input: &mut impl BufRead) -> Message {
    match framing::read(input) {
        Frame::End => Message::End,
        Frame::Wrong(why) => Message::Wrong(why),
        Frame::Body(body) => match serde_json::from_slice(&body) {
            Ok(request) => Message::Request(request),
            Err(error) => Message::Wrong(format!("a message is no request: {error}")),
        },
    }
}

/// Where responses and events go.
pub struct Output {
    seq: i64,
    to: Box<dyn Write>,
}

impl Output {
    pub fn new(to: impl Write + 'static) -> Output {
        Output { seq: 0, to: Box::new(to) }
    }

    /// Answers a request.
    pub fn success(&mut self, request: &Request, body: Value) -> Result<(), Failure> {
        self.send(json!({
            "type": "response", "request_seq": request.seq, "success": true, "command": request.command, "body": body,
        }))
    }

    /// Refuses a request, with a diagnostic of this program.
    pub fn failure(&mut self, request: &Request, code: u16, message: &str) -> Result<(), Failure> {
        let text = format!("AGX{code:04}: {message}");
        self.send(json!({
            "type": "response", "request_seq": request.seq, "success": false, "command": request.command, "message": text,
            "body": { "error": { "id": code, "format": "{text}", "variables": { "text": text }, "showUser": true } },
        }))
    }

    pub fn event(&mut self, name: &str, body: Value) -> Result<(), Failure> {
        self.send(json!({ "type": "event", "event": name, "body": body }))
    }

    fn send(&mut self, mut message: Value) -> Result<(), Failure> {
        self.seq += 1;
        message["seq"] = self.seq.into();
        framing::write(&mut self.to, &message.to_string())
    }
}

/// What to debug.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Launch {
    /// The file; that of the command line if absent.
    #[serde(default)]
    pub program: Option<String>,
    /// Options of `agxc debug`.
    #[serde(default)]
    pub args: Vec<String>,
    /// Whether to stop before the first instruction.
    #[serde(default = "yes")]
    pub stop_on_entry: bool,
}

fn yes() -> bool {
    true
}

/// A source file.
#[derive(Deserialize)]
pub struct Source {
    #[serde(default)]
    pub path: Option<String>,
    #[serde(default)]
    pub name: Option<String>,
}

/// All breakpoints of a file.
#[derive(Deserialize)]
pub struct SetBreakpoints {
    pub source: Source,
    #[serde(default)]
    pub breakpoints: Vec<SourceBreakpoint>,
}

/// A breakpoint of a file.
#[derive(Deserialize)]
pub struct SourceBreakpoint {
    pub line: u32,
    #[serde(default)]
    pub condition: Option<String>,
}

/// All breakpoints of instructions.
#[derive(Deserialize)]
pub struct SetInstructionBreakpoints {
    pub breakpoints: Vec<InstructionBreakpoint>,
}

/// A breakpoint of an instruction.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InstructionBreakpoint {
    pub instruction_reference: String,
    #[serde(default)]
    pub offset: i64,
    #[serde(default)]
    pub condition: Option<String>,
}

/// A step or continuation of a thread.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Go {
    #[serde(default)]
    pub thread_id: i64,
    #[serde(default)]
    pub granularity: Option<String>,
}

/// The scopes of a frame.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Scopes {
    pub frame_id: i64,
}

/// The variables of a scope or variable.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Variables {
    pub variables_reference: i64,
}

/// An expression.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Evaluate {
    pub expression: String,
    #[serde(default)]
    pub frame_id: Option<i64>,
    #[serde(default)]
    pub context: Option<String>,
}

/// Instructions around an address.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Disassemble {
    pub memory_reference: String,
    #[serde(default)]
    pub offset: i64,
    #[serde(default)]
    pub instruction_offset: i64,
    pub instruction_count: i64,
}

/// Bytes of memory.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadMemory {
    pub memory_reference: String,
    #[serde(default)]
    pub offset: i64,
    pub count: i64,
}
