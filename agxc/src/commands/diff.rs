//! `agxc diff`: compares two shaders, two targets or keys, or the statistics of two builds.

use std::fmt::Write as _;

use agx_compiler::{CompiledShader, Statistics};
use clap::ArgMatches;
use serde_json::{Value, json};

use super::{Arg, KEY, KIND, SOURCE, TARGET, Takes, arg, compile, has_effect, option_names};
use crate::align::align;
use crate::baseline::{Document, Row, percentage};
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::report::{self, PartReport, html};
use crate::{assembly, input, key, output, statistics};

/// Options of this command.
pub const ARGS: &[Arg] = &[
    arg("FILE", Takes::Words, "Shader and the shader to compare with, or two files of `stats --format json`"),
    arg("to-target", Takes::Value("CHIP"), "Chip to compile the second shader for"),
    arg("to-key", Takes::Value("FILE"), "Compile key of the second shader, as JSON"),
    arg(
        "format",
        Takes::Choice(&["text", "json", "html", "markdown"]),
        "Output format; html for shaders, markdown for builds",
    ),
    arg("brief", Takes::Nothing, "Omit the aligned listing"),
    compile::WHOLE,
];

/// Options of this command that determine how shaders are compiled, besides those that commands share.
const COMPILING: [&str; 4] = ["to-target", "to-key", "brief", "whole"];

/// Prints the figures that differ, and the code side by side.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let names: Vec<&str> =
        options.get_many::<String>("FILE").into_iter().flatten().map(String::as_str).collect();
    let (before, after) = match names[..] {
        [both] => (both, both),
        [before, after] => (before, after),
        _ => return Err(Failure::usage("diff: expected one or two files")),
    };
    let format = options.get_one::<String>("format").map_or("text", String::as_str);
    let target = options.get_one::<String>("output").map(String::as_str);
    if before.ends_with(".json") && after.ends_with(".json") {
        for option in COMPILING.into_iter().chain(option_names(&[TARGET, KEY, SOURCE, KIND])) {
            has_effect(options, option, false, "on files of statistics")?;
        }
        let (old, new) = (Document::read(before)?, Document::read(after)?);
        let text = match format {
            "json" => builds_json(&old, &new),
            "markdown" => builds_markdown(&old, &new),
            "html" => return Err(Failure::usage("diff: --format html compares shaders, not builds")),
            _ => builds(&old, &new),
        };
        return output::text(target, &text);
    }
    has_effect(options, "brief", format == "text", &format!("with --format {format}"))?;
    if format == "markdown" {
        return Err(Failure::usage("diff: --format markdown compares two files of `stats --format json`"));
    }
    let old = compiled(before, options, false, context)?;
    let new = compiled(after, options, true, context)?;
    let text = match format {
        "json" => format!("{:#}\n", json!({ "figures": figures_json(&old.stats, &new.stats) })),
        "html" => {
            let title = if before == after { before.to_owned() } else { format!("{before} and {after}") };
            html::document(&title, &html::comparison(&old, &new))
        }
        _ => shaders(&old, &new, !options.get_flag("brief")),
    };
    output::text(target, &text)
}

/// Compiles the first or the second shader.
fn compiled(
    name: &str,
    options: &ArgMatches,
    is_second: bool,
    context: &mut Context,
) -> Result<CompiledShader, Failure> {
    let file = input::read(name, compile::kind(options), context)?;
    match is_second {
        false => {
            let (chip, key) = key::for_file(&file, options)?;
            compile::under(&file, chip, &key, key::draw(options)?.as_ref())
        }
        true => {
            let (chip, key, draw) = key::second(&file, options)?;
            compile::under(&file, chip, &key, draw.as_ref())
        }
    }
}

/// The figures and the aligned code of two shaders.
fn shaders(old: &CompiledShader, new: &CompiledShader, listing: bool) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{:<16} {:>8} {:>8}", "", "before", "after");
    for figure in statistics::FIGURES {
        let [before, after] =
            [&old.stats, &new.stats].map(|statistics| u64::from((figure.value)(statistics)));
        let change = if before == after { String::new() } else { percentage(before, after) };
        let _ =
            writeln!(text, "{}", format!("{:<16} {before:>8} {after:>8}  {change}", figure.title).trim_end());
    }
    let [before, after] = [old, new].map(|shader| statistics::bottleneck(shader.stats.binds));
    let bottleneck = if before == after { before.to_owned() } else { format!("{before} → {after}") };
    let _ = writeln!(text, "{:<16} {bottleneck}", "Bottleneck");
    if listing {
        text.push_str(&aligned(&report::parts(old), &report::parts(new)));
    }
    text
}

/// Columns of the left side.
const LEFT_COLUMNS: usize = 52;

/// The parts of two shaders side by side: `|` marks instructions that differ, `<` and `>` those of one side alone.
fn aligned(old: &[PartReport], new: &[PartReport]) -> String {
    let mut text = String::new();
    for (_, role) in assembly::ROLES {
        let (left, right) = (report::instructions(old, role), report::instructions(new, role));
        if left.is_empty() && right.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n.part {}", assembly::role_name(role));
        for (x, y) in align(&left, &right) {
            let (one, other) = (x.and_then(|x| left.get(x)), y.and_then(|y| right.get(y)));
            let mark = match (one, other) {
                (Some(one), Some(other)) if one == other => " ",
                (Some(_), Some(_)) => "|",
                (Some(_), None) => "<",
                _ => ">",
            };
            let [one, other] = [one, other].map(|side| side.map_or("", |text| *text));
            let _ = writeln!(text, "{}", format!("{one:<LEFT_COLUMNS$} {mark} {other}").trim_end());
        }
    }
    text
}

fn figures_json(old: &Statistics, new: &Statistics) -> Value {
    let row = |figure: &statistics::Figure| {
        let [before, after] = [old, new].map(|statistics| (figure.value)(statistics));
        (figure.key.to_owned(), json!({ "before": before, "after": after }))
    };
    Value::Object(statistics::FIGURES.iter().map(row).collect())
}

/// A figure of a shader in two builds.
struct Change {
    name: String,
    key: &'static str,
    before: u64,
    after: u64,
}

/// Every figure that differs, and the names of shaders that one build alone has.
fn changes(old: &Document, new: &Document) -> (Vec<Change>, Vec<String>) {
    let (mut changes, mut alone) = (Vec::new(), Vec::new());
    for row in new.rows() {
        let name = row.name();
        let Some(before) = old.row(name) else {
            alone.push(format!("`{name}` is only in the second build"));
            continue;
        };
        for figure in statistics::FIGURES {
            if let (Some(before), Some(after)) = (before.figure(figure.key), row.figure(figure.key))
                && before != after
            {
                changes.push(Change { name: name.to_owned(), key: figure.key, before, after });
            }
        }
    }
    let gone = old.rows().iter().map(Row::name).filter(|name| new.row(name).is_none());
    alone.extend(gone.map(|name| format!("`{name}` is only in the first build")));
    (changes, alone)
}

/// Sums of a figure over the shaders for which both builds have it.
fn totals(old: &Document, new: &Document) -> Vec<(&'static str, u64, u64)> {
    let total = |figure: &statistics::Figure| {
        let pairs = new
            .rows()
            .iter()
            .filter_map(|row| Some((old.row(row.name())?.figure(figure.key)?, row.figure(figure.key)?)));
        let (before, after) = pairs
            .fold((0u64, 0u64), |sum, pair| (sum.0.saturating_add(pair.0), sum.1.saturating_add(pair.1)));
        (figure.key, before, after)
    };
    statistics::FIGURES.iter().map(total).collect()
}

fn builds(old: &Document, new: &Document) -> String {
    let (changes, alone) = changes(old, new);
    let mut text = String::new();
    for Change { name, key, before, after } in &changes {
        let _ = writeln!(text, "{name}: {key}: {before} → {after} ({})", percentage(*before, *after));
    }
    alone.iter().for_each(|sentence| text.push_str(&format!("{sentence}\n")));
    let _ = writeln!(text, "\n{:<22} {:>10} {:>10}", "total", "before", "after");
    for (key, before, after) in totals(old, new) {
        let change = if before == after { String::new() } else { percentage(before, after) };
        let _ = writeln!(text, "{}", format!("{key:<22} {before:>10} {after:>10}  {change}").trim_end());
    }
    text
}

/// The changes of two builds as Markdown: a table with a row for each figure that differs, and the totals.
fn builds_markdown(old: &Document, new: &Document) -> String {
    let (changes, alone) = changes(old, new);
    let row = |name: &str, key: &str, before: u64, after: u64| {
        format!("| {name} | {key} | {before} | {after} | {} |\n", percentage(before, after))
    };
    let heading =
        |first: &str| format!("| {first} | Figure | Before | After | Change |\n|---|---|--:|--:|--:|\n");
    let mut text = match changes.len() {
        0 => "No figure of a shader has changed.\n".to_owned(),
        _ => heading("Shader"),
    };
    for Change { name, key, before, after } in &changes {
        text.push_str(&row(&statistics::markdown_code(name), key, *before, *after));
    }
    alone.iter().for_each(|sentence| text.push_str(&format!("\n{sentence}.\n")));
    let totals: Vec<String> = totals(old, new)
        .into_iter()
        .filter(|(_, before, after)| before != after)
        .map(|(key, before, after)| row("all", key, before, after))
        .collect();
    if !totals.is_empty() {
        text.push_str(&format!("\n{}{}", heading("Shaders"), totals.concat()));
    }
    text
}

fn builds_json(old: &Document, new: &Document) -> String {
    let (changes, alone) = changes(old, new);
    let row = |change: &Change| json!({ "name": change.name, "figure": change.key, "before": change.before, "after": change.after });
    let totals = totals(old, new).into_iter();
    let totals: serde_json::Map<String, Value> = totals
        .map(|(key, before, after)| (key.to_owned(), json!({ "before": before, "after": after })))
        .collect();
    let changes: Vec<Value> = changes.iter().map(row).collect();
    format!("{:#}\n", json!({ "changes": changes, "unmatched": alone, "totals": totals }))
}
