//! The command line of the AGX compiler as a library: [`main`] is the program, and [`embed`] offers compilation, runs and
//! drawing to programs that show them, such as the page.
//!
//! Every command is a row of `commands::COMMANDS`; help, completions and the README's usage are generated from that
//! table. A command reads its inputs through `context::Context`, writes through `output`, and reports errors
//! through `diagnostic::Failure`, which also determines the exit code.

mod align;
mod assembly;
mod baseline;
mod batch;
mod cli;
mod codes;
mod coefficient;
mod commands;
mod context;
mod debugger;
mod demo;
mod diagnostic;
mod draw;
pub mod embed;
mod emit;
mod formats;
mod framing;
mod glsl;
mod input;
mod interrupt;
mod json;
mod kernel;
mod key;
mod language_server;
mod layout;
mod linking;
mod lint;
mod listing;
mod machine;
mod modules;
mod npy;
mod output;
mod patch;
mod pica;
mod picture;
mod printf;
mod reduce;
mod report;
mod resources;
mod sarif;
mod scene;
mod shader_json;
mod spirv_listing;
mod stage_json;
mod statistics;
mod suggest;
mod texture;
mod times;
mod values;
mod varying;
mod vertex;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::OnceLock;

use context::Context;
use diagnostic::{Diagnostic, Failure};

/// Location of the first panic.
static PANIC_PLACE: OnceLock<String> = OnceLock::new();

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        // Only the first panic is reported; ignore the error for later ones.
        let _ = PANIC_PLACE.set(panic.location().map_or_else(String::new, ToString::to_string));
    }));
    let mut context = Context::new();
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().collect();
    if let [_, only] = &arguments[..]
        && (only == "--version" || only == "-V")
    {
        // Scripts ask for the version often; avoid building the parser of all commands.
        return diagnostic::report(output::stdout(cli::VERSION_LINE.as_bytes()), &mut context);
    }
    let outcome = catch_unwind(AssertUnwindSafe(|| cli::run(&arguments, &mut context)));
    let outcome = outcome
        .unwrap_or_else(|panic| Err(Failure::from(Diagnostic::new(codes::INTERNAL, panic_message(&*panic)))));
    diagnostic::report(outcome, &mut context)
}

/// Location and message of a panic.
fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text =
        panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    let place = PANIC_PLACE.get().map_or("an unknown place", String::as_str);
    format!("panic at {place}: {}", text.unwrap_or("no message"))
}
