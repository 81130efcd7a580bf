//! `agxc stats`: compiles shaders and prints their statistics.

use std::path::Path;

use agx_compiler::Statistics;
use clap::ArgMatches;

use super::{Arg, Takes, arg, compile, has_effect};
use crate::baseline::{self, Document, Thresholds};
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure, Problems};
use crate::{key, lint, output, statistics};

/// Options of this command.
pub const ARGS: &[Arg] = &[
    arg("format", Takes::Choice(&["text", "json", "csv", "markdown"]), "Output format"),
    arg("baseline", Takes::Value("FILE"), "Compare with the figures in this JSON; fail on regressions"),
    arg(
        "threshold",
        Takes::Values("FIGURE=PERCENT"),
        "Allow this figure to grow by this percentage; `all=PERCENT` for every figure [default: 0]",
    ),
    compile::WHOLE,
    arg("update", Takes::Nothing, "Write the figures of these inputs to the baseline instead of comparing"),
];

/// A shader's name and figures.
pub type Row = (String, Statistics);

/// Compiles every entry point of every input and prints one row for each. Failures are reported after the rows.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let compares = options.contains_id("baseline");
    for option in ["threshold", "update"] {
        has_effect(options, option, compares, "without --baseline")?;
    }
    for option in ["format", "output"] {
        has_effect(options, option, !compares, "with --baseline")?;
    }
    has_effect(options, "threshold", !options.get_flag("update"), "with --update")?;
    let thresholds = Thresholds::from_options(options.get_many::<String>("threshold"))?;
    let mut rows: Vec<Row> = Vec::new();
    let mut problems = Problems::default();
    for name in options.get_many::<String>("FILE").into_iter().flatten() {
        rows.extend(of_file(name, options, context, &mut problems)?);
    }
    match options.get_one::<String>("baseline") {
        Some(path) if options.get_flag("update") => update(path, &rows)?,
        Some(path) => problems.add(compare(path, &rows, &thresholds)?),
        None => {
            let format = options.get_one::<String>("format").map_or("text", String::as_str);
            let target = options.get_one::<String>("output").map(String::as_str);
            if !rows.is_empty() {
                output::text(target, &table(format, &rows))?;
            }
        }
    }
    problems.result()
}

/// The rows of a file, one for each selected entry point that compiles.
pub fn of_file(
    name: &str,
    options: &ArgMatches,
    context: &mut Context,
    problems: &mut Problems,
) -> Result<Vec<Row>, Failure> {
    let draw = key::draw(options)?;
    compile::each_entry(name, options, context, problems, |file, unit, context| {
        let shader = unit.compile(file, draw.as_ref())?;
        context.warnings.add(lint::warnings(file, &shader))?;
        Ok((unit.called(name, ':'), shader.stats))
    })
}

/// Compares the figures with those of the file at `path`: improvements are printed, regressions returned.
fn compare(path: &str, rows: &[Row], thresholds: &Thresholds) -> Result<Vec<Diagnostic>, Failure> {
    let changes = baseline::changes(&Document::read(path)?, rows, thresholds);
    output::stdout(changes.notes.iter().map(|note| format!("{note}\n")).collect::<String>().as_bytes())?;
    let problem = |change: String| Diagnostic::new(204, change).in_file(path);
    Ok(changes.regressions.into_iter().map(problem).collect())
}

/// Writes the rows to the baseline at `path`; rows of other shaders are unchanged.
fn update(path: &str, rows: &[Row]) -> Result<(), Failure> {
    output::check_regular(path)?;
    let new = Document::new(rows);
    let document = match Path::new(path).exists() {
        true => {
            let mut old = Document::read(path)?;
            old.update(new);
            old
        }
        false => new,
    };
    output::text(Some(path), &document.text())
}

/// All rows in one of the formats.
pub fn table(format: &str, rows: &[Row]) -> String {
    match format {
        "json" => Document::new(rows).text(),
        "markdown" => statistics::markdown(rows),
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
