//! `agxc stats`: compile shaders and print what their code costs.

use agx_compiler::Statistics;
use clap::ArgMatches;
use serde_json::{Value, json};

use super::{Arg, Takes, arg, compile};
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};
use crate::{input, output, statistics};

/// Options of this command alone.
pub const ARGS: &[Arg] = &[
    arg("format", Takes::Choice(&["text", "json", "csv"]), "How to print them"),
    arg("baseline", Takes::Value("FILE"), "Fail when the figures differ from those in this JSON"),
    arg("update", Takes::Nothing, "Write the figures to the baseline instead of comparing"),
];

/// Compiles every input and prints one row each. The first failure ends the run, without output.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let kind = options.get_one::<String>("kind").map(String::as_str);
    let mut rows: Vec<(String, Statistics)> = Vec::new();
    for name in options.get_many::<String>("FILE").into_iter().flatten() {
        let file = input::read(name, kind, context)?;
        rows.push((name.clone(), compile::shader(&file, options)?.stats));
    }
    if let Some(path) = options.get_one::<String>("baseline") {
        return baseline(path, &rows, options.get_flag("update"));
    }
    let format = options.get_one::<String>("format").map_or("text", String::as_str);
    output::text(options.get_one::<String>("output").map(String::as_str), &table(format, &rows))
}

/// Compares the figures with those of the file at `path`, or writes them there.
fn baseline(path: &str, rows: &[(String, Statistics)], update: bool) -> Result<(), Failure> {
    if update {
        return output::text(Some(path), &table("json", rows));
    }
    let old: Value = serde_json::from_slice(&input::read_bytes(path)?)
        .map_err(|error| Failure::from(Diagnostic::new(104, error.to_string()).in_file(path)))?;
    let changes = changes(&old, rows);
    match changes.is_empty() {
        true => Ok(()),
        false => {
            let problem = |change: String| Diagnostic::new(204, change).in_file(path);
            Err(Failure::Problems(changes.into_iter().map(problem).collect()))
        }
    }
}

/// A sentence for each figure that differs, and for each shader that only one side has.
fn changes(old: &Value, rows: &[(String, Statistics)]) -> Vec<String> {
    let shaders = old["shaders"].as_array().map_or(&[][..], Vec::as_slice);
    let mut changes = Vec::new();
    for (name, statistics) in rows {
        let new = statistics::json(statistics);
        match shaders.iter().find(|shader| shader["name"] == name.as_str()) {
            None => changes.push(format!("`{name}` is not in the baseline")),
            Some(shader) => {
                for (key, value) in new.as_object().into_iter().flatten() {
                    let before = &shader["statistics"][key];
                    if before != value {
                        changes.push(format!("`{name}`: {key} is {value}, was {before}"));
                    }
                }
            }
        }
    }
    let gone = shaders.iter().filter_map(|shader| shader["name"].as_str());
    for name in gone.filter(|name| !rows.iter().any(|(known, _)| known == name)) {
        changes.push(format!("`{name}` is in the baseline only"));
    }
    changes
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_baseline_sees_every_change() {
        let row = |name: &str, instructions| {
            (name.to_owned(), Statistics { instructions, ..Statistics::default() })
        };
        let old: Value = serde_json::from_str(&table("json", &[row("a", 5), row("b", 1)])).unwrap();
        assert!(changes(&old, &[row("a", 5), row("b", 1)]).is_empty());
        let found = changes(&old, &[row("a", 6), row("c", 1)]);
        let wanted =
            ["`a`: instructions is 6, was 5", "`c` is not in the baseline", "`b` is in the baseline only"];
        assert_eq!(found, wanted);
    }
}
