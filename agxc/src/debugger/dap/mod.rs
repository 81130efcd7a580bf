//! The debugger for editors: the Debug Adapter Protocol on standard input and output.
//!
//! Threads are the SIMD-groups that run together. A frame shows one lane; the debug console takes the commands of
//! the terminal after `:`, so that `:lane 5` shows another one.

mod adapter;
mod protocol;
mod views;

use std::io::{BufReader, Read};
use std::sync::mpsc::{Receiver, channel};

use clap::ArgMatches;
use serde_json::json;

use self::adapter::Adapter;
use self::protocol::{Launch, Message, Output, Request};
use super::Subject;
use crate::cli;
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};

/// Serves an editor until it disconnects.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let requests = requests(std::io::stdin());
    let mut output = Output::new(std::io::stdout());
    let Some((subject, launch)) = start(options, context, &requests, &mut output)? else { return Ok(()) };
    let dispatch = subject.dispatch();
    Adapter::new(&subject, dispatch.as_ref(), &launch, &requests, output).serve()
}

/// Messages from the editor, read by a thread, so that a pause arrives while the machine runs.
fn requests(input: impl Read + Send + 'static) -> Receiver<Message> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut input = BufReader::new(input);
        loop {
            let message = protocol::read(&mut input);
            let is_last = !matches!(message, Message::Request(_));
            if sender.send(message).is_err() || is_last {
                break;
            }
        }
    });
    receiver
}

/// The next request; `None` at the end.
fn next(requests: &Receiver<Message>) -> Result<Option<Request>, Failure> {
    match requests.recv() {
        Ok(Message::Request(request)) => Ok(Some(request)),
        Ok(Message::Wrong(why)) => Err(Diagnostic::new(405, why).into()),
        Ok(Message::End) | Err(_) => Ok(None),
    }
}

/// Answers requests until one launches a shader.
fn start(
    options: &ArgMatches,
    context: &mut Context,
    requests: &Receiver<Message>,
    output: &mut Output,
) -> Result<Option<(Subject, Launch)>, Failure> {
    while let Some(request) = next(requests)? {
        match request.command.as_str() {
            "initialize" => output.success(&request, capabilities())?,
            "launch" => {
                let launch: Launch = match request.arguments() {
                    Ok(launch) => launch,
                    Err(why) => {
                        output.failure(&request, 405, &why)?;
                        continue;
                    }
                };
                match open(options, &launch, context) {
                    Ok(subject) => {
                        output.success(&request, json!({}))?;
                        output.event("initialized", json!({}))?;
                        return Ok(Some((subject, launch)));
                    }
                    Err(Failure::ClosedPipe) => return Err(Failure::ClosedPipe),
                    Err(Failure::Problems(problems)) => {
                        let first = problems.first().map_or(400, |problem| problem.code);
                        let lines: Vec<String> = problems.iter().map(|problem| problem.line()).collect();
                        output.failure(&request, first, &lines.join("\n"))?;
                    }
                }
            }
            "disconnect" | "terminate" => {
                output.success(&request, json!({}))?;
                return Ok(None);
            }
            name => output.failure(&request, 405, &format!("`{name}` before `launch`"))?,
        }
    }
    Ok(None)
}

/// The shader of a launch request, which may replace the command line's file and options.
fn open(options: &ArgMatches, launch: &Launch, context: &mut Context) -> Result<Subject, Failure> {
    if launch.program.is_none() && launch.args.is_empty() {
        return Subject::open(options, context);
    }
    let words: Vec<String> = launch.program.iter().chain(&launch.args).cloned().collect();
    Subject::open(&cli::options_of("debug", &words)?, context)
}

fn capabilities() -> serde_json::Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsConditionalBreakpoints": true,
        "supportsEvaluateForHovers": true,
        "supportsStepBack": true,
        "supportsSteppingGranularity": true,
        "supportsInstructionBreakpoints": true,
        "supportsDisassembleRequest": true,
        "supportsReadMemoryRequest": true,
        "supportsTerminateRequest": true,
        "supportsLoadedSourcesRequest": false,
    })
}
