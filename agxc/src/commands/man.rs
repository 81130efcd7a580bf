//! `agxc man`: manual pages made from the table of commands.

use std::fmt::Write as _;

use clap::ArgMatches;

use super::{Arg, COMMANDS, Command, Takes, arg};
use crate::cli::{ABOUT, GLOBALS};
use crate::codes::{CODES, Exit};
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::emit::EMITS;
use crate::output;

/// Arguments.
pub const ARGS: &[Arg] = &[
    arg("COMMAND", Takes::Optional, "Print the page of this command instead of the overview"),
    arg("folder", Takes::Value("FOLDER"), "Write every page into this folder"),
];

/// Prints a page, or writes all of them.
pub fn run(options: &ArgMatches, _context: &mut Context) -> Result<(), Failure> {
    if let Some(folder) = options.get_one::<String>("folder") {
        std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, &error))?;
        output::file(&format!("{folder}/agxc.1"), overview().as_bytes())?;
        return COMMANDS.iter().try_for_each(|command| {
            output::file(&format!("{folder}/agxc-{}.1", command.name), page(command).as_bytes())
        });
    }
    let Some(name) = options.get_one::<String>("COMMAND") else {
        return output::stdout(overview().as_bytes());
    };
    let command = COMMANDS.iter().find(|command| command.name == name);
    let command = command.ok_or_else(|| Failure::usage(format!("unknown command `{name}`")))?;
    output::stdout(page(command).as_bytes())
}

/// `text` as roff takes it: no leading dots or quotes, dashes that stay dashes.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}

fn heading(name: &str) -> String {
    format!(".TH {} 1 \"\" \"agxc {}\" \"User Commands\"\n", name.to_uppercase(), env!("CARGO_PKG_VERSION"))
}

fn overview() -> String {
    let mut text = heading("agxc");
    let _ = writeln!(text, ".SH NAME\nagxc \\- shader compiler for Apple AGX GPUs");
    let _ = writeln!(text, ".SH SYNOPSIS\n.B agxc\n.I command\n[\\fIoption\\fR ...] [\\fIfile\\fR ...]");
    let _ = writeln!(text, ".SH DESCRIPTION\n{}\n.SH COMMANDS", escaped(ABOUT));
    for command in COMMANDS {
        let name = escaped(command.name);
        let _ = writeln!(text, ".TP\n.BR agxc\\-{name} (1)\n{}", escaped(command.doc));
    }
    text.push_str(".SH OPTIONS\n");
    GLOBALS.iter().for_each(|arg| text.push_str(&option(arg)));
    text.push_str(".SH EXIT STATUS\n.TP\n.B 0\nSuccess.\n");
    for (exit, meaning) in [
        (Exit::Rejected, "The input was rejected, or a check failed."),
        (Exit::Usage, "Usage error."),
        (Exit::File, "A file could not be read or written."),
        (Exit::Unsupported, "The input is valid but not supported, or beyond a limit."),
        (Exit::Internal, "Internal error."),
    ] {
        let _ = writeln!(text, ".TP\n.B {}\n{meaning}", exit as u8);
    }
    text.push_str(".SH DIAGNOSTICS\n");
    for code in CODES {
        let _ = writeln!(
            text,
            ".TP\n.B AGX{:04}\n{}. {}",
            code.number,
            escaped(code.title),
            escaped(code.explanation)
        );
    }
    text
}

fn page(command: &Command) -> String {
    let name = format!("agxc-{}", command.name);
    let mut text = heading(&name);
    let _ = writeln!(text, ".SH NAME\n{} \\- {}", escaped(&name), escaped(command.doc));
    let _ = write!(text, ".SH SYNOPSIS\n.B agxc {}\n[\\fIoption\\fR ...]", escaped(command.name));
    let all = || command.args.iter().flat_map(|group| group.iter());
    for arg in all() {
        match arg.takes {
            Takes::Word => _ = write!(text, " \\fI{}\\fR", escaped(arg.name)),
            Takes::Words => _ = write!(text, " \\fI{}\\fR ...", escaped(arg.name)),
            Takes::Rest => _ = write!(text, " [\\-\\- \\fI{}\\fR ...]", escaped(arg.name)),
            Takes::Optional => _ = write!(text, " [\\fI{}\\fR]", escaped(arg.name)),
            _ => {}
        }
    }
    text.push('\n');
    if !command.details.is_empty() {
        let _ = writeln!(text, ".SH DESCRIPTION\n{}", escaped(command.details));
    }
    text.push_str(".SH OPTIONS\n");
    all().chain(GLOBALS).for_each(|arg| text.push_str(&option(arg)));
    if all().any(|arg| arg.name == "emit") {
        text.push_str(".SH OUTPUTS\n");
        for row in EMITS {
            let _ = writeln!(text, ".TP\n.B {}\n{}", escaped(row.name), escaped(row.doc));
        }
    }
    text.push_str(".SH SEE ALSO\n.BR agxc (1)\n");
    text
}

/// The entry of an option or argument.
fn option(arg: &Arg) -> String {
    let long = format!("\\-\\-{}", escaped(arg.name));
    let named = match arg.short {
        Some(letter) => format!("\\-{letter}, {long}"),
        None => long,
    };
    let written = match arg.takes {
        Takes::Word | Takes::Words | Takes::Optional | Takes::Rest => {
            format!("\\fI{}\\fR", escaped(arg.name))
        }
        Takes::Nothing => format!("\\fB{named}\\fR"),
        Takes::Value(value) | Takes::Values(value) => format!("\\fB{named}\\fR \\fI{}\\fR", escaped(value)),
        Takes::Choice(values) => format!("\\fB{named}\\fR \\fI{}\\fR", values.join("|")),
    };
    format!(".TP\n{written}\n{}\n", escaped(arg.doc))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_every_option_and_no_stray_requests() {
        for command in COMMANDS {
            let text = page(command);
            for arg in command.args.iter().flat_map(|group| group.iter()) {
                assert!(text.contains(&escaped(arg.name)), "{} {}", command.name, arg.name);
            }
            let requests = [".TH ", ".SH ", ".TP", ".B ", ".BR "];
            for line in text.lines().filter(|line| line.starts_with('.')) {
                assert!(requests.iter().any(|request| line.starts_with(request)), "{}: {line}", command.name);
            }
        }
        assert!(overview().contains("AGX0402"));
    }
}
