//! `agxc stats`: compile shaders and print what their code costs.

use agx_compiler::Statistics;
use clap::ArgMatches;
use serde_json::json;

use super::{Arg, Takes, arg, compile};
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::{input, output, statistics};

/// Options of this command alone.
pub const ARGS: &[Arg] = &[arg("format", Takes::Choice(&["text", "json", "csv"]), "How to print them")];

/// Compiles every input and prints one row each. The first failure ends the run, without output.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let kind = options.get_one::<String>("kind").map(String::as_str);
    let mut rows: Vec<(String, Statistics)> = Vec::new();
    for name in options.get_many::<String>("FILE").into_iter().flatten() {
        let file = input::read(name, kind, context)?;
        rows.push((name.clone(), compile::shader(&file, options)?.stats));
    }
    let format = options.get_one::<String>("format").map_or("text", String::as_str);
    output::text(options.get_one::<String>("output").map(String::as_str), &table(format, &rows))
}

/// All rows in one of the formats.
fn table(format: &str, rows: &[(String, Statistics)]) -> String {
    match format {
        "json" => {
            let shaders: Vec<_> = rows
                .iter()
                .map(|(name, statistics)| json!({ "name": name, "statistics": statistics::json(statistics) }))
                .collect();
            format!("{:#}\n", json!({ "schema_version": statistics::SCHEMA_VERSION, "shaders": shaders }))
        }
        "csv" => {
            let lines = rows.iter().map(|(name, statistics)| statistics::csv_row(name, statistics) + "\n");
            format!("{}\n{}", statistics::csv_heading(), lines.collect::<String>())
        }
        _ => rows
            .iter()
            .map(|(name, statistics)| format!("{name}: {}\n", statistics::line(statistics)))
            .collect(),
    }
}
