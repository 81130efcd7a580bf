//! The debugger on a terminal: a command a line.

use std::io::{BufRead as _, IsTerminal as _};

use agx_debug::{Console, Session, Stopped};

use super::Subject;
use crate::diagnostic::{Diagnostic, Failure};
use crate::output;

/// What asks for a command.
const PROMPT: &str = "(agxc) ";

/// Runs `commands`, then those of standard input until `quit` or its end if it is read. Unless they are typed, the first
/// wrong command ends the run.
pub fn run(subject: &Subject, commands: &[&str], reads: bool) -> Result<(), Failure> {
    let dispatch = subject.dispatch();
    let mut session = subject.session(dispatch.as_ref());
    let mut console = Console::new(subject.sources.clone());
    output::stdout(console.show(&session, Stopped::Start).as_bytes())?;
    for command in commands {
        output::stdout(format!("{PROMPT}{command}\n").as_bytes())?;
        if one(&mut console, &mut session, command, false)? {
            return Ok(());
        }
    }
    if reads { read(&mut console, &mut session) } else { Ok(()) }
}

/// Runs the commands of standard input.
fn read(console: &mut Console, session: &mut Session<'_>) -> Result<(), Failure> {
    let is_typed = std::io::stdin().is_terminal();
    let mut lines = std::io::stdin().lock().lines();
    loop {
        if is_typed {
            output::stdout(PROMPT.as_bytes())?;
        }
        let Some(line) = lines.next() else { return Ok(()) };
        let line = line.map_err(|error| Failure::file("standard input", &error))?;
        if one(console, session, &line, is_typed)? {
            return Ok(());
        }
    }
}

/// Runs a command; whether it ends the session. Errors in what is typed are only printed.
fn one(
    console: &mut Console,
    session: &mut Session<'_>,
    line: &str,
    is_typed: bool,
) -> Result<bool, Failure> {
    match console.run(session, line, &mut || false) {
        Ok(reply) => output::stdout(reply.text.as_bytes()).map(|()| reply.quits),
        Err(error) if is_typed => output::stdout(format!("{error}\n").as_bytes()).map(|()| false),
        Err(error) => Err(Diagnostic::new(404, error.to_string()).into()),
    }
}
