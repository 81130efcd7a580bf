//! `agxc trace`: the listing of a recording, or its comparison with another one.

use agx_device::Recording;
use clap::ArgMatches;

use super::{Arg, Takes, arg};
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};
use crate::{input, output};

/// Options of this command.
pub const ARGS: &[Arg] = &[
    arg("submission", Takes::Value("NUMBER"), "List only this submission; the first is 1 [default: all]"),
    arg(
        "compare",
        Takes::Value("RECORDING"),
        "List the fields that differ from this recording, of the same program through another driver",
    ),
];

/// Reads the recording called `name`.
pub fn read(name: &str) -> Result<Recording, Failure> {
    let bytes = input::read_bytes(name)?;
    Recording::parse(&bytes).map_err(|error| Diagnostic::new(110, error.to_string()).in_file(name).into())
}

/// The number that an option has; `None` if it is absent.
pub fn number(options: &ArgMatches, name: &str) -> Result<Option<u64>, Failure> {
    let Some(text) = options.get_one::<String>(name) else { return Ok(None) };
    let wrong = || Failure::usage(format!("--{name}: expected a number, found `{text}`"));
    text.parse().map(Some).map_err(|_| wrong())
}

/// Prints every record of the recording, with the programs.
pub fn run(options: &ArgMatches, _context: &mut Context) -> Result<(), Failure> {
    let name = options.get_one::<String>("FILE").expect("invariant: the parser requires a file");
    let recording = read(name)?;
    let target = options.get_one::<String>("output").map(String::as_str);
    if let Some(other) = options.get_one::<String>("compare") {
        if options.contains_id("submission") {
            return Err(Failure::usage(
                "--submission has no effect with --compare: whole recordings are compared",
            ));
        }
        return output::text(target, &compared(&recording, name, &read(other)?)?);
    }
    let count = recording.submissions();
    let wanted = match number(options, "submission")? {
        None => 1..=count,
        Some(number) if (1..=count as u64).contains(&number) => number as usize..=number as usize,
        Some(number) => {
            let message = format!("--submission {number}: the recording has {count} submissions");
            return Err(Failure::usage(message));
        }
    };
    let mut text = String::new();
    for number in wanted {
        let listing = recording.listing(number);
        text.push_str(&listing.map_err(|error| Diagnostic::new(110, error.to_string()).in_file(name))?);
    }
    output::text(target, &text)
}

/// The fields that two drivers wrote differently, and how many there are.
fn compared(recording: &Recording, name: &str, other: &Recording) -> Result<String, Failure> {
    let found = recording.differences(other);
    let found = found.map_err(|error| Diagnostic::new(110, error.to_string()).in_file(name))?;
    let fields: std::collections::BTreeSet<_> = found.iter().map(|one| (one.record, one.field)).collect();
    let mut text: String = found.iter().map(|difference| format!("{difference}\n")).collect();
    text.push_str(&format!("{} differences in {} fields\n", found.len(), fields.len()));
    Ok(text)
}
