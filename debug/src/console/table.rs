//! The table of commands.

use super::{Call, ConsoleError, Reply, print};
use crate::expression::Expression;
use crate::session::{Step, Stopped};

/// A command.
pub(super) struct Command {
    /// Its name.
    pub(super) name: &'static str,
    /// Its short name.
    pub(super) short: &'static str,
    /// The words that it takes.
    pub(super) takes: &'static str,
    /// What it does.
    pub(super) doc: &'static str,
    pub(super) run: fn(&mut Call<'_, '_>) -> Result<Reply, ConsoleError>,
}

macro_rules! commands {
    ($($name:literal $short:literal $takes:literal $doc:literal = $run:expr;)*) => {
        /// Every command.
        pub(super) static COMMANDS: &[Command] =
            &[$(Command { name: $name, short: $short, takes: $takes, doc: $doc, run: $run }),*];
    };
}

commands! {
    "break" "b" "[FILE:]LINE | *OFFSET [preamble] [lane N] [workgroup X,Y,Z] [pixel X,Y] [if CONDITION]" "Set a breakpoint" =
        |call| call.set_breakpoint();
    "delete" "d" "[NUMBER]" "Remove a breakpoint, or all" = delete;
    "continue" "c" "" "Continue to a breakpoint or the end" = |call| {
        let stopped = call.session.run(call.should_stop);
        Ok(Reply { stopped: Some(stopped), ..Reply::default() })
    };
    "reverse-continue" "rc" "" "Go back to a breakpoint or the start" = |call| {
        let stopped = call.session.run_back(call.should_stop);
        Ok(Reply { stopped: Some(stopped), ..Reply::default() })
    };
    "step" "s" "[COUNT]" "Step to another source line" = |call| call.forward(Step::Line);
    "stepi" "si" "[COUNT]" "Step to the next instruction" = |call| call.forward(Step::Instruction);
    "out" "o" "" "Leave the innermost loop" = |call| call.forward(Step::OutOfLoop);
    "back" "bk" "[COUNT]" "Go back to the start of a source line" = |call| call.back(Step::Line);
    "backi" "bi" "[COUNT]" "Go back by instructions" = |call| call.back(Step::Instruction);
    "back-out" "bo" "" "Go back to before the innermost loop" = |call| {
        call.check_loop()?;
        call.back(Step::OutOfLoop)
    };
    "goto" "g" "TIME" "Go to a time: the number of instructions executed before" = go_to;
    "print" "p" "EXPRESSION [@ LANE | @ *]" "Print a value in the shown lane, another one, or all" =
        |call| call.evaluate().map(Reply::text);
    "watch" "w" "EXPRESSION" "Print a value whenever execution stops" = watch;
    "unwatch" "uw" "" "Remove all watches" = |call| {
        call.console.watches.clear();
        Ok(Reply::default())
    };
    "lane" "l" "NUMBER | auto" "Show a lane; line steps then stop only where it is active" = |call| call.choose_lane();
    "group" "gr" "X,Y,Z NUMBER" "Choose the SIMD-group of a workgroup that steps concern" = |call| call.choose_group();
    "where" "wh" "" "Print where execution is" =
        |call| Ok(Reply::text(print::place(call.console, call.session)));
    "list" "ls" "" "Print the source around the line" =
        |call| print::source(call.console, call.session).map(Reply::text);
    "disassemble" "di" "" "Print the code around the instruction" =
        |call| print::disassembly(call.session).map(Reply::text);
    "info" "i" "variables | registers | uniforms | textures | lanes | waits | groups | breakpoints | findings" "Print a part of the state" =
        info;
    "memory" "m" "ADDRESS [BYTES]" "Print memory" = memory;
    "help" "h" "" "Print this list" = |_| Ok(Reply::text(help()));
    "quit" "q" "" "End the session" = |_| Ok(Reply { quits: true, ..Reply::default() });
}

impl Command {
    /// The command with a name or short name.
    pub(super) fn find(name: &str) -> Option<&'static Command> {
        COMMANDS.iter().find(|command| command.name == name || command.short == name)
    }
}

fn help() -> String {
    let line = |command: &Command| {
        let names = format!("{}, {}", command.name, command.short);
        format!("{:22} {}\n{:22} {}\n", names, command.doc, "", command.takes)
            .replace(&format!("{:22} \n", ""), "")
    };
    COMMANDS.iter().map(line).collect()
}

fn delete(call: &mut Call<'_, '_>) -> Result<Reply, ConsoleError> {
    let id = match call.words {
        "" => None,
        words => Some(words.parse().map_err(|_| call.wrong("the number of a breakpoint"))?),
    };
    if !call.session.remove(id) && id.is_some() {
        return Err(call.wrong("the number of a breakpoint"));
    }
    Ok(Reply::default())
}

fn go_to(call: &mut Call<'_, '_>) -> Result<Reply, ConsoleError> {
    let time = super::number(call.words).ok_or_else(|| call.wrong("a time"))?;
    call.session.go_to(time);
    Ok(Reply { stopped: Some(Stopped::Stepped), ..Reply::default() })
}

fn watch(call: &mut Call<'_, '_>) -> Result<Reply, ConsoleError> {
    let expression = Expression::parse(call.words)?;
    call.console.watches.push(expression);
    Ok(Reply::text(print::watches(call.console, call.session)))
}

fn memory(call: &mut Call<'_, '_>) -> Result<Reply, ConsoleError> {
    let mut words = call.words.split_whitespace();
    let address = words.next().and_then(super::number).ok_or_else(|| call.wrong("an address"))?;
    let count = words.next().map_or(Some(64), super::number).filter(|count| *count <= 4096);
    let count = count.ok_or_else(|| call.wrong("at most 4096 bytes"))?;
    print::memory(call.session, address, count as usize).map(Reply::text)
}

fn info(call: &mut Call<'_, '_>) -> Result<Reply, ConsoleError> {
    let session = &*call.session;
    let text = match call.words {
        "variables" | "v" => print::variables(session)?,
        "registers" | "r" => print::registers(session)?,
        "uniforms" | "u" => print::uniforms(session),
        "lanes" | "l" => print::lanes(session),
        "textures" | "t" => print::textures(session),
        "waits" | "w" => print::waits(session)?,
        "groups" | "g" => print::groups(session),
        "breakpoints" | "b" => print::breakpoints(session, None),
        "findings" | "f" => {
            session.machine().findings().iter().map(|finding| format!("{finding}\n")).collect()
        }
        _ => {
            return Err(call.wrong(
                "variables, registers, uniforms, textures, lanes, waits, groups, breakpoints or findings",
            ));
        }
    };
    Ok(Reply::text(text))
}
