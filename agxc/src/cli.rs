//! Parses the command line and runs a row of [`COMMANDS`].

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use crate::codes;
use crate::commands::{self, COMMANDS, Takes};
use crate::context::{Context, ERROR_FORMATS, Preprocessor, choose_colour};
use crate::diagnostic::Failure;
use crate::emit::EMITS;
use crate::glsl::Dialect;
use crate::output;
use crate::times::Times;

/// Description of the program.
pub const ABOUT: &str =
    "Compiles shaders for Apple AGX GPUs (M1, M2), and disassembles, runs and checks the result.";

/// The output of `--version`.
pub const VERSION_LINE: &str = concat!("agxc ", env!("CARGO_PKG_VERSION"), "\n");

/// Options of every command.
pub static GLOBALS: &[commands::Arg] = &[
    commands::arg("error-format", Takes::Choice(&["text", "json", "sarif"]), "Format of diagnostics"),
    commands::arg("color", Takes::Choice(&["auto", "always", "never"]), "Colour diagnostics"),
    commands::short("quiet", 'q', Takes::Nothing, "Print no warnings"),
    commands::short(
        "verbose",
        'v',
        Takes::Nothing,
        "Print each step and its duration, and the time of each pass",
    ),
    commands::arg("deny", Takes::Values("CODE"), "Treat this warning as an error; `all` for every warning"),
    commands::arg("allow", Takes::Values("CODE"), "Do not print this warning; `all` for every warning"),
    commands::arg(
        "log",
        Takes::Value("LEVEL"),
        "Log passes and their times: error, warn, info, debug, trace",
    ),
];

/// The place of the options of every command in the help of a command: after its own.
const FIRST_GLOBAL: usize = 100;

/// The parser, built from the table.
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
        .args(
            GLOBALS
                .iter()
                .enumerate()
                .map(|(at, global)| argument(global).global(true).display_order(FIRST_GLOBAL + at)),
        );
    parser.subcommands(COMMANDS.iter().map(subcommand))
}

fn subcommand(command: &'static commands::Command) -> Command {
    let args = command.args.iter().flat_map(|group| group.iter()).map(argument);
    let subcommand = Command::new(command.name).about(command.doc).term_width(100).args(args);
    let emits = command.args.iter().flat_map(|group| group.iter()).any(|arg| arg.name == "emit");
    match (command.details, emits) {
        ("", _) => subcommand,
        (details, false) => subcommand.after_help(output::wrapped(details)),
        (details, true) => {
            let rows = EMITS.iter().map(|row| format!("\n  {:<12}{}", row.name, row.doc));
            let (rows, details) = (rows.collect::<String>(), output::wrapped(details));
            subcommand.after_help(format!("Values of --emit:{rows}\n\n{details}"))
        }
    }
}

fn argument(arg: &'static commands::Arg) -> Arg {
    let named = match arg.takes {
        Takes::Word | Takes::Words => Arg::new(arg.name).required(true),
        Takes::Optional | Takes::Rest => Arg::new(arg.name),
        _ => Arg::new(arg.name).long(arg.name),
    };
    let named = match arg.short {
        Some(letter) => named.short(letter),
        None => named,
    };
    let named = named.help(arg.doc);
    match arg.takes {
        Takes::Word | Takes::Optional => named,
        Takes::Rest => named.last(true).num_args(0..).action(ArgAction::Append),
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
    // The format also applies to errors in the command line itself, so look for it before parsing.
    for (name, format) in ERROR_FORMATS {
        let is_joined = |word: &OsString| word.to_str() == Some(&format!("--error-format={name}"));
        let is_pair = |pair: &[OsString]| pair[0] == "--error-format" && pair[1] == name;
        if arguments.iter().any(is_joined) || arguments.windows(2).any(is_pair) {
            context.error_format = format;
        }
    }
    if let Some(word) = arguments.iter().find(|word| word.to_str().is_none()) {
        return Err(Failure::usage(format!("the argument `{}` is not UTF-8", word.to_string_lossy())));
    }
    let matches = match parser().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => return not_a_command(&error),
    };
    globals(&matches, context)?;
    let (name, options) = matches.subcommand().expect("invariant: the parser requires a command");
    let command = COMMANDS.iter().find(|command| command.name == name);
    let command = command.expect("invariant: the parser accepts only commands of the table");
    let times = context.verbose.then(Times::start);
    let outcome = (command.run)(options, context);
    if let Some(table) = times.map(|times| times.table()).filter(|table| !table.is_empty()) {
        output::stderr_lines(&[table]);
    }
    outcome
}

/// The options of the command `name` in `words`, without those of every command.
///
/// # Errors
/// The words are not a command line of it.
pub fn options_of(name: &'static str, words: &[String]) -> Result<ArgMatches, Failure> {
    let words = [name.to_owned()].into_iter().chain(words.iter().cloned());
    let command = COMMANDS.iter().find(|command| command.name == name).map(subcommand);
    let command = command.expect("invariant: a command of the table");
    command.try_get_matches_from(words).map_err(|error| usage(&error))
}

/// Applies the options of every command.
fn globals(matches: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    context.colour = choose_colour(text("color"));
    context.verbose = matches.get_flag("verbose");
    context.warnings.quiet = matches.get_flag("quiet");
    context.warnings.denied = warning_codes(matches, "deny")?;
    context.warnings.allowed = warning_codes(matches, "allow")?;
    if let Some(level) = text("log") {
        start_log(level)?;
    }
    let Some((_, options)) = matches.subcommand() else { return Ok(()) };
    context.preprocessor = preprocessor(options)?;
    Ok(())
}

/// How the options of a command translate GLSL and HLSL.
///
/// # Errors
/// A folder for included files cannot be read.
pub fn preprocessor(options: &ArgMatches) -> Result<Preprocessor, Failure> {
    // Commands without shader inputs lack these options.
    let many = |name: &str| -> Vec<String> {
        options.try_get_many::<String>(name).ok().flatten().into_iter().flatten().cloned().collect()
    };
    let dialect = options.try_get_one::<String>("glsl").ok().flatten();
    let preprocessor = Preprocessor {
        includes: many("include"),
        defines: many("define"),
        dialect: dialect
            .map(|name| Dialect::find(name))
            .transpose()?
            .flatten()
            .map(|known| known.name.to_owned()),
        auto_map: options.try_get_one::<bool>("auto-map").ok().flatten().is_some_and(|is_set| *is_set),
    };
    for folder in &preprocessor.includes {
        std::fs::read_dir(folder).map_err(|error| Failure::file(folder, &error))?;
    }
    Ok(preprocessor)
}

/// Codes of warnings; 0 is every warning.
fn warning_codes(matches: &ArgMatches, name: &str) -> Result<Vec<u16>, Failure> {
    let code = |text: &String| match text.as_str() {
        "all" => Ok(0),
        text => {
            let number = text.strip_prefix("AGX").unwrap_or(text).parse().ok();
            let known = number.filter(|number| (500..600).contains(number) && codes::find(*number).is_some());
            known.ok_or_else(|| {
                Failure::usage(format!(
                    "--{name}: unknown warning `{text}`; `agxc explain all` lists the codes"
                ))
            })
        }
    };
    matches.get_many::<String>(name).into_iter().flatten().map(code).collect()
}

/// Writes the compiler's log to standard error.
fn start_log(level: &str) -> Result<(), Failure> {
    let level = level.parse::<LevelFilter>().map_err(|_| {
        Failure::usage(format!("--log: unknown level `{level}`; expected error, warn, info, debug or trace"))
    })?;
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_timer(tracing_subscriber::fmt::time::uptime())
        .with_span_events(FmtSpan::CLOSE)
        .init();
    Ok(())
}

/// Help and version go to standard output; anything else is a usage error.
fn not_a_command(error: &clap::Error) -> Result<(), Failure> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => output::stdout(error.to_string().as_bytes()),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            Err(Failure::usage("no command given; `agxc help` lists them"))
        }
        _ => Err(usage(error)),
    }
}

/// An error of the parser as a usage error.
fn usage(error: &clap::Error) -> Failure {
    let text = error.to_string();
    let message = text.split("\n\nUsage:").next().unwrap_or(&text);
    Failure::usage(one_line(message.strip_prefix("error: ").unwrap_or(message)))
}

/// The lines of an error of the parser in one line: lists after a colon, choices in brackets, hints after a semicolon.
fn one_line(text: &str) -> String {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("For more information"));
    lines.fold(String::new(), |all, line| {
        let separator = match (all.as_str(), line.chars().next()) {
            ("", _) => "",
            (all, _) if all.ends_with(':') => " ",
            (_, Some('[')) => " ",
            (_, Some('<')) => ", ",
            _ => "; ",
        };
        all + separator + line
    })
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
