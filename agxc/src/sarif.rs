//! Diagnostics as a SARIF log (Static Analysis Results Interchange Format, version 2.1.0), which code hosts and editors
//! read: one log for a run, with a rule for each code that occurs.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agx_compiler::Location;
use serde_json::{Map, Value, json};

use crate::context::Context;
use crate::diagnostic::{Diagnostic, Severity};
use crate::{codes, output};

/// The results of a run so far. Copies share them.
#[derive(Clone, Default)]
pub struct Results(Arc<Mutex<Vec<(u16, Value)>>>);

impl Results {
    /// Adds diagnostics about the inputs of `context`.
    pub fn add(&self, diagnostics: &[Diagnostic], context: &Context) {
        let rows = diagnostics.iter().map(|diagnostic| (diagnostic.code, result(diagnostic, context)));
        self.lock().extend(rows);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(u16, Value)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The log with all results.
    pub fn log(&self) -> String {
        let results = self.lock();
        let mut numbers: Vec<u16> = results.iter().map(|(code, _)| *code).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let rules: Vec<Value> = numbers.iter().map(|code| rule(*code)).collect();
        let results: Vec<&Value> = results.iter().map(|(_, result)| result).collect();
        let log = json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": { "name": "agxc", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
                "columnKind": "unicodeCodePoints",
                "results": results,
            }],
        });
        format!("{log:#}\n")
    }
}

fn id(code: u16) -> String {
    format!("AGX{code:04}")
}

/// The rule of a code: its title and explanation.
fn rule(code: u16) -> Value {
    let (title, explanation) = codes::texts(code);
    json!({ "id": id(code), "shortDescription": { "text": title }, "fullDescription": { "text": explanation } })
}

fn result(diagnostic: &Diagnostic, context: &Context) -> Value {
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let fields = [
        ("ruleId", json!(id(diagnostic.code))),
        ("level", json!(level)),
        ("message", json!({ "text": diagnostic.message })),
    ];
    let mut result: Map<String, Value> =
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let file = match &diagnostic.location {
        Location::Source { file, .. } => Some(file),
        _ => diagnostic.file.as_ref(),
    };
    if let Some(file) = file {
        let artifact = ("artifactLocation".to_owned(), json!({ "uri": uri(file) }));
        let region = region(&diagnostic.location, file, context).map(|region| ("region".to_owned(), region));
        let place: Map<String, Value> = [artifact].into_iter().chain(region).collect();
        result.insert("locations".to_owned(), json!([{ "physicalLocation": place }]));
    }
    Value::Object(result)
}

/// The place in the input called `file`: line and column in characters, or the bytes of a word.
fn region(location: &Location, file: &str, context: &Context) -> Option<Value> {
    match location {
        Location::Text { line, column } | Location::Source { line, column, .. } if *line > 0 => {
            let bytes = (*column as usize).saturating_sub(1);
            let text = context.source_line(file, *line);
            let before = text.and_then(|text| text.get(..bytes)).map_or(bytes, |text| text.chars().count());
            Some(json!({ "startLine": line, "startColumn": before.saturating_add(1) }))
        }
        Location::Word { offset, .. } => {
            Some(json!({ "byteOffset": (*offset as u64).saturating_mul(4), "byteLength": 4 }))
        }
        _ => None,
    }
}

/// A path as a reference: relative ones as they are, absolute ones of the scheme `file`.
fn uri(path: &str) -> String {
    let path = output::reference(path);
    if path.starts_with('/') { format!("file://{path}") } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_characters_and_bytes() {
        let mut context = Context::new();
        context.remember("a b.wgsl", "é = 1".as_bytes());
        let text = Diagnostic::new(203, "bad").in_file("a b.wgsl").at(Location::Text { line: 1, column: 3 });
        let place = &result(&text, &context)["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%20b.wgsl");
        assert_eq!(place["region"], json!({ "startLine": 1, "startColumn": 2 }));
        let word = Location::Word { offset: 5, opcode: None };
        let word = result(&Diagnostic::new(203, "bad").in_file("/m.spv").at(word), &context);
        let place = &word["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "file:///m.spv");
        assert_eq!(place["region"], json!({ "byteOffset": 20, "byteLength": 4 }));
    }

    #[test]
    fn a_log_has_a_rule_for_each_code() {
        let (context, results) = (Context::new(), Results::default());
        let warning = Diagnostic::warning(502, "spills");
        results.clone().add(&[Diagnostic::new(1, "no"), warning, Diagnostic::new(1, "no")], &context);
        let log: Value = serde_json::from_str(&results.log()).unwrap();
        let run = &log["runs"][0];
        let ids: Vec<_> =
            run["tool"]["driver"]["rules"].as_array().unwrap().iter().map(|rule| &rule["id"]).collect();
        assert_eq!(ids, ["AGX0001", "AGX0502"]);
        assert_eq!(run["results"].as_array().unwrap().len(), 3);
        assert_eq!(
            (&run["results"][1]["level"], &run["results"][0]["locations"]),
            (&json!("warning"), &Value::Null)
        );
    }
}
