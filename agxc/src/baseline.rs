//! Compares statistics with a baseline: figures that grew by more than the threshold, and figures that improved.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use agx_compiler::Statistics;
use rustc_hash::FxHashSet;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::commands::StatisticsRow;
use crate::diagnostic::Failure;
use crate::statistics::{self, Figure};
use crate::{input, json};

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

/// Statistics of shaders as JSON: what `stats --format json` writes and `--baseline` and `diff` read.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    schema_version: u32,
    shaders: Vec<Row>,
}

/// A shader in a document.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    name: String,
    statistics: Figures,
}

impl Row {
    /// The normalised name.
    pub fn name(&self) -> &str {
        normal(&self.name)
    }

    /// The figure with this key, if the document has it.
    pub fn figure(&self, key: &str) -> Option<u64> {
        self.statistics.get(key)
    }
}

/// Figures by key. A document of an earlier version may lack some.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Figures {
    values: Vec<(&'static str, u64)>,
    binds: Option<String>,
}

impl Figures {
    /// All figures of `statistics`.
    pub fn of(statistics: &Statistics) -> Figures {
        let value = |figure: &Figure| (figure.key, u64::from((figure.value)(statistics)));
        let values = statistics::FIGURES.iter().map(value).collect();
        Figures { values, binds: Some(statistics.binds.name().to_owned()) }
    }

    /// The figure with this key.
    pub fn get(&self, key: &str) -> Option<u64> {
        self.values.iter().find(|(known, _)| *known == key).map(|(_, value)| *value)
    }
}

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.values.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))?;
        self.binds.iter().try_for_each(|binds| map.serialize_entry(BINDS, binds))?;
        map.end()
    }
}

/// The key of the bottleneck.
const BINDS: &str = "binds";

impl<'de> Deserialize<'de> for Figures {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Figures, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = Figures;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object of figures")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Figures, A::Error> {
                let mut found = Figures::default();
                while let Some(key) = map.next_key::<String>()? {
                    if found.get(&key).is_some() || (key == BINDS && found.binds.is_some()) {
                        return Err(A::Error::custom(format!("duplicate figure `{key}`")));
                    }
                    match statistics::figure(&key) {
                        Some(figure) => found.values.push((figure.key, map.next_value()?)),
                        None if key == BINDS => found.binds = Some(map.next_value()?),
                        None => return Err(A::Error::custom(format!("unknown figure `{key}`"))),
                    }
                }
                Ok(found)
            }
        }

        deserializer.deserialize_map(Fields)
    }
}

impl Document {
    /// The document with these rows.
    pub fn new(rows: &[StatisticsRow]) -> Document {
        let row = |(name, statistics): &StatisticsRow| Row {
            name: name.clone(),
            statistics: Figures::of(statistics),
        };
        Document { schema_version: statistics::SCHEMA_VERSION, shaders: rows.iter().map(row).collect() }
    }

    /// The document in the file at `path`.
    ///
    /// # Errors
    /// Another form or version, an unknown figure, or a shader that appears twice.
    pub fn read(path: &str) -> Result<Document, Failure> {
        let found: Document = json::read(&input::read_bytes(path)?, path)?;
        let (expected, version) = (statistics::SCHEMA_VERSION, found.schema_version);
        if version != expected {
            return Err(json::wrong(path, format!("schema_version: expected {expected}, found {version}")));
        }
        let mut names = FxHashSet::default();
        match found.shaders.iter().find(|row| !names.insert(row.name())) {
            Some(row) => Err(json::wrong(path, format!("the shader `{}` appears twice", row.name()))),
            None => Ok(found),
        }
    }

    /// The rows.
    pub fn rows(&self) -> &[Row] {
        &self.shaders
    }

    /// The row of the shader called `name`.
    pub fn row(&self, name: &str) -> Option<&Row> {
        self.shaders.iter().find(|row| row.name() == normal(name))
    }

    /// The figures of the shader called `name`, or of one of its entry points.
    pub fn figures(&self, name: &str) -> Option<&Figures> {
        self.row(name).map(|row| &row.statistics)
    }

    /// Replaces rows by those of `new` with the same names, and appends the others.
    pub fn update(&mut self, new: Document) {
        for row in new.shaders {
            match self.shaders.iter_mut().find(|known| known.name() == row.name()) {
                Some(known) => known.statistics = row.statistics,
                None => self.shaders.push(row),
            }
        }
    }

    /// As JSON text.
    pub fn text(&self) -> String {
        let value = serde_json::to_value(self).expect("invariant: the document has only plain fields");
        format!("{value:#}\n")
    }
}

/// Compares the compiled rows with those of the document `old`. Rows of `old` that were not compiled are ignored.
pub fn changes(old: &Document, new: &[StatisticsRow], thresholds: &Thresholds) -> Changes {
    let mut changes = Changes::default();
    for (name, statistics) in new {
        let Some(row) = old.row(name) else {
            changes.regressions.push(format!("`{name}` is not in the baseline; add it with --update"));
            continue;
        };
        for figure in statistics::FIGURES {
            let Some(before) = row.figure(figure.key) else {
                let key = figure.key;
                let missing = format!("`{name}`: {key} is not in the baseline; add it with --update");
                changes.regressions.push(missing);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, instructions: u32, threads: u32) -> (String, Statistics) {
        (name.to_owned(), Statistics { instructions, threads, ..Statistics::default() })
    }

    fn thresholds(settings: &[&str]) -> Thresholds {
        let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
        Thresholds::from_options(Some(settings.iter())).unwrap()
    }

    #[test]
    fn regressions_fail_and_improvements_are_notes() {
        let old = Document::new(&[row("a", 50, 1024), row("b", 10, 512)]);
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
        let old = Document::new(&[row("a", 50, 1024)]);
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
        let mut document = Document::new(&[row("./a", 1, 1), row("b", 2, 2)]);
        document.update(Document::new(&[row("a", 7, 1), row("c", 3, 3)]));
        let found: Vec<_> =
            document.rows().iter().map(|row| (row.name(), row.figure("instructions"))).collect();
        assert_eq!(found, [("a", Some(7)), ("b", Some(2)), ("c", Some(3))]);
    }

    #[test]
    fn a_missing_figure_is_a_regression() {
        let mut old = Document::new(&[row("a", 1, 1)]);
        old.shaders[0].statistics.values.retain(|(key, _)| *key != "alu");
        let found = changes(&old, &[row("a", 1, 1)], &thresholds(&[]));
        assert_eq!(found.regressions, ["`a`: alu is not in the baseline; add it with --update"]);
    }
}
