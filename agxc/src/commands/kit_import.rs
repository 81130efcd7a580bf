//! `agxc kit-import`: reads a report of `agx-kit`, lists the assumptions that it contradicts, and turns what the hardware gave into
//! vectors.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clap::ArgMatches;
use serde_json::{Value, json};

use super::{Arg, Takes, arg};
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};
use crate::{input, output};

/// Options of this command.
pub const ARGS: &[Arg] = &[
    arg("FILE", Takes::Word, "Report of `agx-kit`; - is standard input"),
    arg("vectors", Takes::Value("FILE"), "Write what the hardware gave as JSON, one output on each line"),
];

/// The line before the block that this command reads, and the version after it.
const START: &str = "```agx-kit ";
const VERSION: &str = "1";

/// An experiment of a report.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Experiment {
    /// Its name.
    pub name: String,
    /// `same`, `differs`, `failed`, `late`, `kit` or `skipped`.
    pub result: String,
    /// The assumptions that it decides.
    pub decides: Vec<String>,
    /// The words of its other lines.
    pub lines: Vec<Vec<String>>,
}

/// Reads the block of a report.
///
/// # Errors
/// The report has no block, the block has no end, or one of its lines is unknown.
pub fn parse(report: &str) -> Result<Vec<Experiment>, String> {
    let mut lines = report.lines().enumerate().map(|(at, line)| (at + 1, line.trim_end()));
    let version = lines.find_map(|(_, line)| line.strip_prefix(START));
    match version {
        None => return Err(format!("the report has no block that begins with `{START}{VERSION}`")),
        Some(version) if version != VERSION => {
            return Err(format!("version {version} of reports is unknown; expected {VERSION}"));
        }
        Some(_) => {}
    }
    let mut list: Vec<Experiment> = Vec::new();
    for (at, line) in lines {
        let words: Vec<String> = line.split(' ').map(String::from).collect();
        match (words.first().map(String::as_str), list.last_mut()) {
            (Some("```"), _) => return Ok(list),
            (Some("cut"), _) => {}
            (Some("experiment"), _) if words.len() == 4 => {
                let [_, _, name, result] =
                    [0, 1, 2, 3].map(|at: usize| words.get(at).cloned().unwrap_or_default());
                list.push(Experiment { name, result, ..Experiment::default() });
            }
            (Some("decides"), Some(last)) => last.decides.push(words.get(1..).unwrap_or_default().join(" ")),
            (Some("differs"), Some(last)) if words.len() == 6 => last.lines.push(words),
            (Some("value"), Some(last)) if words.len() == 3 => last.lines.push(words),
            (Some("digest"), Some(last)) if words.len() == 4 => last.lines.push(words),
            (Some("second" | "recording"), Some(last)) if words.len() == 3 => last.lines.push(words),
            (Some("word"), Some(last)) if words.len() > 4 => last.lines.push(words),
            (Some("note"), Some(last)) => last.lines.push(words),
            _ => return Err(format!("line {at}: unknown line `{line}`")),
        }
    }
    Err(String::from("the block has no end"))
}

/// What the hardware gave, one vector for each output.
fn vectors(list: &[Experiment]) -> impl Iterator<Item = Value> {
    list.iter().flat_map(|experiment| {
        experiment.lines.iter().filter_map(|words| {
            let (name, text) = (experiment.name.as_str(), words.iter().map(String::as_str).collect::<Vec<_>>());
            Some(match text[..] {
                ["value", output, bytes] => json!({"experiment": name, "output": output, "bytes": bytes}),
                ["digest", output, digest, bytes] => {
                    json!({"experiment": name, "output": output, "digest": digest, "length": bytes.parse::<u64>().ok()?})
                }
                ["differs", output, at, found, expected, _] => json!({
                    "experiment": name, "output": output, "at": at.parse::<u64>().ok()?, "hardware": found, "machine": expected
                }),
                _ => return None,
            })
        })
    })
}

/// The summary: counts, and contradicted assumptions with the outputs that contradict them.
fn summary(list: &[Experiment]) -> String {
    let count = |result: &str| list.iter().filter(|experiment| experiment.result == result).count();
    let mut text = format!("{} experiments:", list.len());
    for result in ["same", "differs", "failed", "late", "skipped", "kit"] {
        if count(result) > 0 {
            let _ = write!(text, " {} {result}", count(result));
        }
    }
    text.push('\n');
    let is_against =
        |experiment: &&Experiment| matches!(experiment.result.as_str(), "differs" | "failed" | "late");
    for experiment in list.iter().filter(is_against) {
        if blamed(experiment) == Some("driver") {
            let _ = writeln!(
                text,
                "`{}` differs with the project's driver only: its words or its compiler are wrong, not an assumption",
                experiment.name
            );
            continue;
        }
        let outputs =
            experiment.lines.iter().filter(|words| words.first().is_some_and(|word| word == "differs"));
        let outputs: Vec<&str> = outputs.filter_map(|words| words.get(1).map(String::as_str)).collect();
        let by = if outputs.is_empty() { experiment.result.clone() } else { outputs.join(", ") };
        let _ = writeln!(text, "contradicted by `{}` ({by}):", experiment.name);
        experiment.decides.iter().for_each(|assumption| text.push_str(&format!("  {assumption}\n")));
    }
    text + &words(list)
}

/// Which side the report blames, if two drivers ran the experiment.
fn blamed(experiment: &Experiment) -> Option<&str> {
    let second = experiment.lines.iter().find(|words| words.first().is_some_and(|word| word == "second"))?;
    second.get(2).map(String::as_str)
}

/// The variants of words: which matter, and which make no difference.
fn words(list: &[Experiment]) -> String {
    let mut variants: BTreeMap<[String; 2], Vec<String>> = BTreeMap::new();
    for words in list.iter().flat_map(|experiment| &experiment.lines) {
        if let [kind, subject, experiment, result, variant @ ..] = words.as_slice()
            && kind == "word"
        {
            let matters = variants.entry([subject.clone(), variant.join(" ")]).or_default();
            if result != "same" {
                matters.push(format!("{experiment} {result}"));
            }
        }
    }
    let line = |([subject, variant], matters): (&[String; 2], &Vec<String>)| match matters.is_empty() {
        true => format!("  {subject}: {variant}: no difference\n"),
        false => format!("  {subject}: {variant}: {}\n", matters.join(", ")),
    };
    let lines: String = variants.iter().map(line).collect();
    if lines.is_empty() { lines } else { format!("words that were tried:\n{lines}") }
}

/// Reads a report.
pub fn run(options: &ArgMatches, _: &mut Context) -> Result<(), Failure> {
    let name = options.get_one::<String>("FILE").expect("invariant: the parser requires a file");
    let bytes = input::read_bytes(name)?;
    let list = parse(&String::from_utf8_lossy(&bytes));
    let list = list.map_err(|why| Diagnostic::new(CODE, why).in_file(name))?;
    if let Some(path) = options.get_one::<String>("vectors") {
        let text: String = vectors(&list).map(|vector| format!("{vector}\n")).collect();
        output::text(Some(path), &text)?;
    }
    output::text(options.get_one::<String>("output").map(String::as_str), &summary(&list))
}

/// The code of reports that cannot be read.
const CODE: u16 = 112;

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "# agx-kit report\n\ntext\n```agx-kit 1\nexperiment 4 lanes same\ndecides numbers of lanes\n\
                          digest numbers 00ff 64\nexperiment 6 arithmetic differs\ndecides sums\ndiffers floats 8 0000803f 0100803f 3\n\
                          value one 01\nnote page 4096\nexperiment 30 faults late\ndecides faults\ncut\n```\n";

    #[test]
    fn two_drivers_and_words_are_summed_up() {
        let report = "```agx-kit 1\nexperiment 6 arithmetic differs\ndecides sums\nsecond same driver\nrecording arithmetic.agxrec 9\n\
                      experiment 7 other differs\ndecides others\nsecond differs machine\n\
                      word tags clear same a b-1\nword tags blend late a b-1\nword tags clear same a b-2\n```\n";
        let text = summary(&parse(report).expect("a report"));
        assert!(
            text.contains("`arithmetic` differs with the project's driver only") && !text.contains("  sums")
        );
        assert!(text.contains("contradicted by `other` (differs):\n  others\n"));
        assert!(
            text.ends_with(
                "words that were tried:\n  tags: a b-1: blend late\n  tags: a b-2: no difference\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn a_report_becomes_a_summary_and_vectors() {
        let list = parse(REPORT).expect("a report");
        assert_eq!(
            summary(&list),
            "3 experiments: 1 same 1 differs 1 late\ncontradicted by `arithmetic` (floats):\n  sums\ncontradicted by `faults` \
             (late):\n  faults\n"
        );
        let vectors: Vec<String> = vectors(&list).map(|vector| vector.to_string()).collect();
        assert_eq!(vectors.len(), 3);
        assert!(vectors[1].contains("\"hardware\":\"0000803f\"") && vectors[1].contains("\"at\":8"));
    }

    #[test]
    fn other_files_are_refused() {
        let refused =
            |text: &str, part: &str| assert!(parse(text).is_err_and(|why| why.contains(part)), "{part}");
        refused("", "no block");
        refused("```agx-kit 2\n```\n", "version 2");
        refused("```agx-kit 1\nvalue a 00\n```\n", "unknown line");
        refused("```agx-kit 1\nexperiment 1 chip same\n", "no end");
    }
}
