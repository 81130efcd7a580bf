//! From the command line to a row of [`COMMANDS`].

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command};

use crate::commands::{self, COMMANDS, Takes};
use crate::context::{Context, ErrorFormat, choose_colour};
use crate::diagnostic::Failure;
use crate::emit::EMITS;
use crate::output;

/// What the program does.
pub const ABOUT: &str =
    "Compiles shaders for Apple AGX GPUs (M1, M2), and disassembles, runs and checks the result.";

/// Options of every command.
pub static GLOBALS: &[commands::Arg] = &[
    commands::arg("error-format", Takes::Choice(&["text", "json"]), "Format of diagnostics"),
    commands::arg("color", Takes::Choice(&["auto", "always", "never"]), "Colour diagnostics"),
];

/// The parser, made from the table.
fn parser() -> Command {
    let parser = Command::new("agxc")
        .about(ABOUT)
        .version(env!("CARGO_PKG_VERSION"))
        .after_help(
            "Exit codes: 0 success, 1 input rejected or check failed, 2 usage error, 3 file error,\n\
             4 valid but unsupported or beyond a limit, 70 internal error.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .term_width(100)
        .args(GLOBALS.iter().map(|global| argument(global).global(true)));
    parser.subcommands(COMMANDS.iter().map(subcommand))
}

fn subcommand(command: &'static commands::Command) -> Command {
    let args = command.args.iter().flat_map(|group| group.iter()).map(argument);
    let subcommand = Command::new(command.name).about(command.doc).term_width(100).args(args);
    let emits = command.args.iter().flat_map(|group| group.iter()).any(|arg| arg.name == "emit");
    match (command.details, emits) {
        ("", _) => subcommand,
        (details, false) => subcommand.after_help(details),
        (details, true) => {
            let rows = EMITS.iter().map(|row| format!("\n  {:<12}{}", row.name, row.doc));
            subcommand.after_help(format!("Values of --emit:{}\n\n{details}", rows.collect::<String>()))
        }
    }
}

fn argument(arg: &'static commands::Arg) -> Arg {
    let named = match arg.takes {
        Takes::Word | Takes::Words => Arg::new(arg.name).required(true),
        Takes::Optional => Arg::new(arg.name),
        _ => Arg::new(arg.name).long(arg.name),
    };
    let named = match arg.short {
        Some(letter) => named.short(letter),
        None => named,
    };
    let named = named.help(arg.doc);
    match arg.takes {
        Takes::Word | Takes::Optional => named,
        Takes::Words => named.num_args(1..).action(ArgAction::Append),
        Takes::Nothing => named.action(ArgAction::SetTrue),
        Takes::Value(value) => named.value_name(value),
        Takes::Values(value) => named.value_name(value).action(ArgAction::Append),
        Takes::Choice(values) => {
            named.value_name("CHOICE").value_parser(values.to_vec()).default_value(values[0])
        }
    }
}

/// Parses `arguments` (the program's name first) and runs the command.
pub fn run(arguments: &[OsString], context: &mut Context) -> Result<(), Failure> {
    // Errors in the command line itself obey the format too, so look for it before parsing.
    let joined = arguments.iter().any(|word| word == "--error-format=json");
    if joined || arguments.windows(2).any(|pair| pair[0] == "--error-format" && pair[1] == "json") {
        context.error_format = ErrorFormat::Json;
    }
    let matches = match parser().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => return not_a_command(&error),
    };
    if matches.get_one::<String>("error-format").is_some_and(|format| format == "json") {
        context.error_format = ErrorFormat::Json;
    }
    context.colour = choose_colour(matches.get_one::<String>("color").map(String::as_str));
    let (name, options) = matches.subcommand().expect("invariant: the parser demands a command");
    let command = COMMANDS.iter().find(|command| command.name == name);
    (command.expect("invariant: the parser knows only commands of the table").run)(options, context)
}

/// Help and version go to standard output; anything else is a usage error.
fn not_a_command(error: &clap::Error) -> Result<(), Failure> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => output::stdout(error.to_string().as_bytes()),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            Err(Failure::usage("no command given; `agxc help` lists them"))
        }
        _ => {
            let text = error.to_string();
            let message = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
            Err(Failure::usage(message.split("\n\nUsage:").next().unwrap_or(message).replace("\n", " ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_makes_a_consistent_parser() {
        parser().debug_assert();
    }

    #[test]
    fn every_option_has_a_line_of_help() {
        for command in COMMANDS {
            assert!(!command.doc.is_empty() && !command.doc.ends_with('.'), "{}", command.name);
            for arg in command.args.iter().flat_map(|group| group.iter()) {
                assert!(!arg.doc.is_empty(), "{} {}", command.name, arg.name);
            }
        }
    }
}
