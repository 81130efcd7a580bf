//! `agxc explain`: what a diagnostic code means.

use clap::ArgMatches;

use super::{Arg, Takes, arg};
use crate::codes::{self, Code};
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::output;

/// Arguments.
pub const ARGS: &[Arg] = &[arg("CODE", Takes::Word, "A code such as AGX0201, or `all`")];

/// Prints the explanation of a code, or the list of codes.
pub fn run(options: &ArgMatches, _context: &mut Context) -> Result<(), Failure> {
    let word = options.get_one::<String>("CODE").map_or("", String::as_str);
    if word == "all" {
        let list: String =
            codes::CODES.iter().map(|code| format!("AGX{:04}  {}\n", code.number, code.title)).collect();
        return output::stdout(list.as_bytes());
    }
    match code(word) {
        Some(code) => output::stdout(text(code).as_bytes()),
        None => {
            Err(Failure::usage(format!("`{word}` is not a diagnostic code; `agxc explain all` lists them")))
        }
    }
}

/// The code that `word` names: `AGX0201`, `agx201` or `201`.
fn code(word: &str) -> Option<&'static Code> {
    let upper = word.to_ascii_uppercase();
    codes::find(upper.strip_prefix("AGX").unwrap_or(&upper).parse().ok()?)
}

fn text(code: &Code) -> String {
    format!("AGX{:04}: {}\n\n{}\nExit code {}.\n", code.number, code.title, code.explanation, code.exit as u8)
}
