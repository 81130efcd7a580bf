//! The score as text and as JSON.

use std::fmt::Write;

use serde_json::{Map, Value};

use crate::outcome::{Outcome, SuiteReport};

/// A table with a row per suite, then the additional figures, then the cases that were not run with reasons.
pub fn table(reports: &[(&str, SuiteReport)]) -> String {
    let mut text = String::from(
        "| suite          | pass | fail | unsupported | skipped | total |    rate |\n\
         |----------------|-----:|-----:|------------:|--------:|------:|--------:|\n",
    );
    for (name, report) in reports {
        let tally = report.tally();
        let rate = tally.rate().map_or("–".into(), |rate| format!("{:.2} %", rate * 100.0));
        let row = format!(
            "| {name:<14} | {:>4} | {:>4} | {:>11} | {:>7} | {:>5} | {rate:>7} |\n",
            tally.pass,
            tally.fail,
            tally.unsupported,
            tally.skipped,
            tally.total()
        );
        text.push_str(&row);
    }
    for (name, report) in reports {
        figures(&mut text, name, &report.extra);
    }
    for (name, report) in reports {
        if let Some(reason) = &report.absent {
            text.push_str(&format!("\n{name} was not run: {reason}.\n"));
        }
        for (count, reason) in report.reasons(|outcome| matches!(outcome, Outcome::Skipped(_))) {
            text.push_str(&format!("\n{name}: {count} skipped: {reason}.\n"));
        }
    }
    text
}

/// Figures of one suite: a line for those of the whole suite and a line for each group.
fn figures(text: &mut String, suite: &str, extra: &Map<String, Value>) {
    let line = |figures: &mut dyn Iterator<Item = (&String, &Value)>| {
        figures.map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
    };
    let plain = line(&mut extra.iter().filter(|(_, value)| !value.is_object()));
    if !plain.is_empty() {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n{suite}: {plain}\n");
    }
    for (name, value) in extra {
        if let Value::Object(group) = value {
            let _ = write!(text, "\n{suite} {name}: {}\n", line(&mut group.iter()));
        }
    }
}

/// One object with a member per suite.
pub fn json(reports: &[(&str, SuiteReport)]) -> Value {
    Value::Object(reports.iter().map(|(name, report)| ((*name).to_owned(), report.json())).collect())
}

/// Selects outcomes of one kind.
type OutcomeKind = fn(&Outcome) -> bool;

/// Each failure with its reason, then the number of occurrences of each reason for failure and lack of support.
pub fn failures(name: &str, report: &SuiteReport) -> String {
    let mut text = format!("== {name}: failures ==\n");
    for case in &report.cases {
        if let Outcome::Fail(reason) = &case.outcome {
            text.push_str(&format!("{}: {reason}\n", case.name));
        }
    }
    let kinds: [(&str, OutcomeKind); 2] = [
        ("reasons for failure", |outcome| matches!(outcome, Outcome::Fail(_))),
        ("reasons for refusal", |outcome| matches!(outcome, Outcome::Unsupported(_))),
    ];
    for (title, of_kind) in kinds {
        text.push_str(&format!("== {name}: {title} ==\n"));
        for (count, reason) in report.reasons(of_kind) {
            text.push_str(&format!("{count:>6}  {reason}\n"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::outcome::CaseResult;

    fn reports() -> Vec<(&'static str, SuiteReport)> {
        let case = |name: &str, outcome| CaseResult { name: name.into(), outcome };
        let mut first = SuiteReport::new(vec![
            case("good", Outcome::Pass),
            case("bad", Outcome::Fail("wrong: word 3".into())),
            case("later", Outcome::Unsupported("no front end".into())),
            case("absent", Outcome::Skipped("no tool".into())),
        ]);
        first.extra.insert("ratio".into(), json!(0.5));
        first.extra.insert("compute".into(), json!({"modules": 2}));
        vec![("first", first), ("second", SuiteReport::absent("no file"))]
    }

    #[test]
    fn the_table_says_everything_once() {
        let text = table(&reports());
        let row = "| first          |    1 |    1 |           1 |       1 |     4 | 33.33 % |";
        assert!(text.contains(row), "{text}");
        for part in [
            "first: ratio 0.5\n",
            "first compute: modules 2\n",
            "second was not run: no file.",
            "1 skipped: no tool",
        ] {
            assert_eq!(text.matches(part).count(), 1, "{part} in {text}");
        }
    }

    #[test]
    fn json_has_a_member_a_suite() {
        let value = json(&reports());
        assert_eq!(value["first"]["pass"], 1);
        assert_eq!(value["first"]["compute"]["modules"], 2);
        assert_eq!(value["second"]["total"], 0);
        assert_eq!(value["second"]["absent"], "no file");
    }

    #[test]
    fn failures_are_listed_with_reasons() {
        let text = failures("first", &reports()[0].1);
        assert!(text.contains("bad: wrong: word 3\n"), "{text}");
        assert!(text.contains("     1  wrong: word #\n"), "{text}");
        assert!(text.contains("     1  no front end\n"), "{text}");
        assert!(!text.contains("good"), "{text}");
    }
}
