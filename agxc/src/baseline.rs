//! Compares statistics with a baseline: figures that grew by more than the threshold, and figures that improved.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use serde_json::Value;

use crate::diagnostic::Failure;
use crate::statistics::{self, Figure};

/// Allowed regressions of figures, in per cent.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Thresholds {
    /// For figures without their own threshold.
    all: f64,
    /// By key.
    named: Vec<(&'static str, f64)>,
}

impl Thresholds {
    /// From `FIGURE=PERCENT`, where a figure is a key of the JSON form or `all`.
    pub fn from_options<'s>(
        settings: Option<impl Iterator<Item = &'s String>>,
    ) -> Result<Thresholds, Failure> {
        let mut thresholds = Thresholds::default();
        for setting in settings.into_iter().flatten() {
            let wrong = |why: &str| Failure::usage(format!("--threshold `{setting}`: {why}"));
            let (name, text) = setting.split_once('=').ok_or_else(|| wrong("expected FIGURE=PERCENT"))?;
            let number = text.strip_suffix('%').unwrap_or(text).parse::<f64>().ok();
            let percent = number.filter(|percent| percent.is_finite() && *percent >= 0.0);
            let percent = percent.ok_or_else(|| wrong("expected a percentage of at least 0"))?;
            match (name, statistics::figure(name)) {
                ("all", _) => thresholds.all = percent,
                (_, Some(figure)) => thresholds.named.push((figure.key, percent)),
                _ => {
                    let keys: Vec<&str> = statistics::FIGURES.iter().map(|figure| figure.key).collect();
                    return Err(wrong(&format!("unknown figure; expected all, {}", keys.join(", "))));
                }
            }
        }
        Ok(thresholds)
    }

    fn of(&self, key: &str) -> f64 {
        self.named.iter().rev().find(|(known, _)| *known == key).map_or(self.all, |(_, percent)| *percent)
    }
}

/// The findings of a comparison, each a sentence.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Changes {
    /// Figures that got worse by more than their threshold, and shaders that the baseline lacks.
    pub regressions: Vec<String>,
    /// Everything else that changed.
    pub notes: Vec<String>,
}

/// A normalised path: `./x` is `x`.
pub fn normal(name: &str) -> &str {
    let mut rest = name;
    while let Some(shorter) = rest.strip_prefix("./") {
        rest = shorter.trim_start_matches('/');
    }
    rest
}

/// The rows of a statistics document.
pub fn rows(document: &Value) -> &[Value] {
    document["shaders"].as_array().map_or(&[], Vec::as_slice)
}

/// The normalised name of a row.
pub fn name_of(row: &Value) -> &str {
    normal(row["name"].as_str().unwrap_or_default())
}

/// Compares the compiled rows with those of the document `old`. Rows of `old` that were not compiled are ignored.
pub fn changes(old: &Value, new: &[crate::commands::StatisticsRow], thresholds: &Thresholds) -> Changes {
    let mut changes = Changes::default();
    for (name, statistics) in new {
        let Some(row) = rows(old).iter().find(|row| name_of(row) == normal(name)) else {
            changes.regressions.push(format!("`{name}` is not in the baseline; add it with --update"));
            continue;
        };
        for figure in statistics::FIGURES {
            let Some(before) = row.pointer("/statistics").and_then(|all| all.get(figure.key)?.as_u64())
            else {
                continue;
            };
            let after = u64::from((figure.value)(statistics));
            if before != after {
                let sentence = format!("`{name}`: {}", sentence(figure, before, after));
                match is_regression(figure, before, after, thresholds) {
                    true => changes.regressions.push(sentence),
                    false => changes.notes.push(sentence),
                }
            }
        }
    }
    changes
}

/// `instructions: 12, was 10 (+20.0 %)`.
fn sentence(figure: &Figure, before: u64, after: u64) -> String {
    format!("{}: {after}, was {before} ({})", figure.key, percentage(before, after))
}

/// A change in per cent of the old value, with its sign.
pub fn percentage(before: u64, after: u64) -> String {
    match (before, after) {
        (0, 0) => "+0.0 %".to_owned(),
        (0, _) => "new".to_owned(),
        _ => format!("{:+.1} %", (after as f64 - before as f64) * 100.0 / before as f64),
    }
}

fn is_regression(figure: &Figure, before: u64, after: u64, thresholds: &Thresholds) -> bool {
    let (less, more) = if figure.higher_is_better { (after, before) } else { (before, after) };
    let allowed = less as f64 * (1.0 + thresholds.of(figure.key) / 100.0);
    more > less && more as f64 > allowed
}

/// The rows of `old`, replaced by rows of `new` with the same name; other rows of `new` are appended.
pub fn merged(old: Option<&Value>, new: Vec<Value>) -> Vec<Value> {
    let mut merged: Vec<Value> = old.map_or_else(Vec::new, |old| rows(old).to_vec());
    for row in new {
        match merged.iter_mut().find(|known| name_of(known) == name_of(&row)) {
            Some(known) => {
                if let (Some(known), Some(statistics)) = (known.as_object_mut(), row.get("statistics")) {
                    known.insert("statistics".to_owned(), statistics.clone());
                }
            }
            None => merged.push(row),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use agx_compiler::Statistics;
    use serde_json::json;

    use super::*;

    fn row(name: &str, instructions: u32, threads: u32) -> (String, Statistics) {
        (name.to_owned(), Statistics { instructions, threads, ..Statistics::default() })
    }

    fn document(rows: &[(String, Statistics)]) -> Value {
        let rows: Vec<Value> = rows
            .iter()
            .map(|(name, statistics)| json!({ "name": name, "statistics": statistics::json(statistics) }))
            .collect();
        json!({ "schema_version": 1, "shaders": rows })
    }

    fn thresholds(settings: &[&str]) -> Thresholds {
        let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
        Thresholds::from_options(Some(settings.iter())).unwrap()
    }

    #[test]
    fn regressions_fail_and_improvements_are_notes() {
        let old = document(&[row("a", 50, 1024), row("b", 10, 512)]);
        let exact = thresholds(&[]);
        assert_eq!(changes(&old, &[row("./a", 50, 1024)], &exact), Changes::default());
        let found = changes(&old, &[row("a", 51, 1024), row("b", 9, 512), row("c", 1, 1024)], &exact);
        assert_eq!(
            found.regressions,
            ["`a`: instructions: 51, was 50 (+2.0 %)", "`c` is not in the baseline; add it with --update"]
        );
        assert_eq!(found.notes, ["`b`: instructions: 9, was 10 (-10.0 %)"]);
        assert_eq!(
            changes(&old, &[row("b", 10, 384)], &exact).regressions.len(),
            1,
            "fewer threads are worse"
        );
        assert_eq!(changes(&old, &[row("b", 10, 640)], &exact).notes.len(), 1);
    }

    #[test]
    fn thresholds_allow_growth() {
        let old = document(&[row("a", 50, 1024)]);
        let grown = [row("a", 51, 1024)];
        for (settings, allowed) in [
            (&["instructions=2%"][..], true),
            (&["all=2"], true),
            (&["all=5", "instructions=1.9"], false),
            (&["cycles=50"], false),
        ] {
            assert_eq!(
                changes(&old, &grown, &thresholds(settings)).regressions.is_empty(),
                allowed,
                "{settings:?}"
            );
        }
        for wrong in ["instructions", "speed=1", "all=-1", "all=x"] {
            assert!(Thresholds::from_options(Some([wrong.to_owned()].iter())).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_update_keeps_other_rows() {
        let old = document(&[row("./a", 1, 1), row("b", 2, 2)]);
        let merged = merged(Some(&old), rows(&document(&[row("a", 7, 1), row("c", 3, 3)])).to_vec());
        let found: Vec<_> =
            merged.iter().map(|row| (name_of(row), row["statistics"]["instructions"].as_u64())).collect();
        assert_eq!(found, [("a", Some(7)), ("b", Some(2)), ("c", Some(3))]);
    }
}
