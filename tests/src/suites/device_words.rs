//! Suite `device-words`: the records that the project's driver writes for a program, field by field beside those of Mesa's
//! driver, over the case files of `tests/device`. Every fourth case runs; with a filter, even an empty one, all that match.
//!
//! A field may differ if a row of `tests/device/words.tsv` names it with the reason. A field without a row is
//! a failure and, where all cases ran, a row that no case needs.

use std::collections::BTreeMap;
use std::path::Path;

use agx_device::{Difference, Recording};
use rayon::prelude::*;
use serde_json::json;

use super::Context;
use super::device::{prepare, request};
use crate::device::cases::Case;
use crate::device::environment::{Door, Driver, Environment};
use crate::outcome::{CaseResult, Outcome, SuiteReport};
use crate::shared::DataError;

/// Without a filter, one in this number of cases runs.
const SHARE: usize = 4;
/// The committed list: record, fields separated by spaces, reason, separated by tabs.
const ALLOWED: &str = include_str!("../../device/words.tsv");
/// Drivers whose records are compared, in the order of a difference's values.
const DRIVERS: [Driver; 2] = [Driver::Own, Driver::Device];

/// Fields of a record that may differ for one reason.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Allowed<'t> {
    record: &'t str,
    fields: Vec<&'t str>,
    /// A sentence.
    reason: &'t str,
}

impl Allowed<'_> {
    fn covers(&self, difference: &Difference) -> bool {
        self.record == difference.record && self.fields.contains(&difference.field)
    }
}

/// The rows of the list.
fn allowed(text: &str) -> Vec<Allowed<'_>> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let rows = lines.filter_map(|line| {
        let mut fields = line.split('\t');
        let record = fields.next()?;
        Some(Allowed { record, fields: fields.next()?.split(' ').collect(), reason: fields.next()? })
    });
    rows.collect()
}

/// Runs the cases.
///
/// # Errors
/// Never: a missing environment skips the suite.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let (environment, files) = match prepare("device-words") {
        Ok(prepared) => prepared,
        Err(reason) => return Ok(SuiteReport::absent(reason)),
    };
    let is_wanted = |at: usize, name: &str| match context.filter {
        Some(filter) => name.contains(filter),
        None => at.is_multiple_of(SHARE),
    };
    let cases = files.into_iter().flat_map(|(_, cases)| cases).enumerate();
    let cases: Vec<Case> =
        cases.filter(|(at, case)| is_wanted(*at, &case.name)).map(|(_, case)| case).collect();
    let compared: Vec<(String, Result<Vec<Difference>, Outcome>)> =
        cases.par_iter().map(|case| (case.name.clone(), differences(context, &environment, case))).collect();
    let rows = allowed(ALLOWED);
    let mut report = SuiteReport::new(outcomes(&rows, &compared, context.filter == Some("")));
    report.extra.insert("fields".into(), fields(&compared));
    report.extra.insert("mesa".into(), json!(environment.version));
    Ok(report)
}

/// The fields that two drivers write differently for a case.
///
/// # Errors
/// The outcome that is not a pass: the program failed on a driver.
fn differences(
    context: &Context<'_>,
    environment: &Environment,
    case: &Case,
) -> Result<Vec<Difference>, Outcome> {
    let folder = environment.folder(&case.name).map_err(Outcome::Fail)?;
    let text = request(case, context.tools, &folder)?;
    let recordings = DRIVERS.map(|driver| record(environment, driver, (&folder, &text)));
    let [Ok(own), Ok(mesa)] = recordings else {
        let reason = recordings.into_iter().find_map(Result::err);
        return Err(Outcome::Skipped(reason.unwrap_or_default()));
    };
    // Recordings are large.
    let _ = std::fs::remove_dir_all(&folder);
    own.differences(&mesa).map_err(|error| Outcome::Fail(error.to_string()))
}

/// The recording of a request through a driver.
fn record(
    environment: &Environment,
    driver: Driver,
    (folder, request): (&Path, &str),
) -> Result<Recording, String> {
    let file = folder.join("requests.txt");
    std::fs::write(&file, request).map_err(|error| error.to_string())?;
    let recording = folder.join(format!("{driver:?}.agxrec"));
    let path = recording.to_string_lossy();
    let door = Door::plain(driver).with("AGX_DEVICE_RECORD", &path);
    environment.run(&door, &file, folder, &folder.join("findings.txt"))?;
    let bytes = std::fs::read(&recording).map_err(|error| format!("{driver:?}: no recording: {error}"))?;
    Recording::parse(&bytes).map_err(|error| error.to_string())
}

/// A case each for the programs, and one for each field of the list if all programs ran.
fn outcomes(
    rows: &[Allowed<'_>],
    compared: &[(String, Result<Vec<Difference>, Outcome>)],
    is_whole: bool,
) -> Vec<CaseResult> {
    let outcome = |result: &Result<Vec<Difference>, Outcome>| match result {
        Err(outcome) => outcome.clone(),
        Ok(found) => match found.iter().find(|found| !rows.iter().any(|row| row.covers(found))) {
            Some(unknown) => Outcome::Fail(unknown.to_string()),
            None => Outcome::Pass,
        },
    };
    let mut results: Vec<CaseResult> = compared
        .iter()
        .map(|(name, result)| CaseResult { name: name.clone(), outcome: outcome(result) })
        .collect();
    let ran = compared.iter().filter_map(|(_, result)| result.as_ref().ok()).flatten();
    let found: Vec<&Difference> = ran.collect();
    let needed = |record: &str, field: &str| match found
        .iter()
        .any(|found| (found.record, found.field) == (record, field))
    {
        true => Outcome::Pass,
        false => Outcome::Fail(format!("no program differs in {record} {field}: remove the field")),
    };
    let fields = rows.iter().flat_map(|row| row.fields.iter().map(|field| (row.record, *field)));
    let of_fields = fields.map(|(record, field)| CaseResult {
        name: format!("row-{record}-{field}"),
        outcome: needed(record, field),
    });
    results.extend(of_fields.filter(|_| is_whole));
    results
}

/// For each field that differs: the number of programs, and one place with the values.
fn fields(compared: &[(String, Result<Vec<Difference>, Outcome>)]) -> serde_json::Value {
    let mut counts: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for (name, result) in compared {
        let mut known: Vec<String> = Vec::new();
        for difference in result.iter().flatten() {
            let field = format!("{} {}", difference.record, difference.field);
            if known.contains(&field) {
                continue;
            }
            let row = counts.entry(field.clone()).or_insert_with(|| (0, format!("{name}: {difference}")));
            row.0 += 1;
            known.push(field);
        }
    }
    counts.into_iter().map(|(field, (count, example))| (field, json!([count, example]))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(field: &'static str) -> Difference {
        Difference { place: "pass 1".into(), record: "render", field, values: ["1", "2"].map(String::from) }
    }

    #[test]
    fn a_field_without_a_row_and_a_row_without_a_field_fail() {
        let rows = allowed("# comment\n\nrender\tSIZE UNUSED\tA reason.\n");
        let compared = [
            (String::from("same"), Ok(vec![difference("SIZE")])),
            (String::from("other"), Ok(vec![difference("SIZE"), difference("KIND")])),
            (String::from("absent"), Err(Outcome::Skipped("lost".into()))),
        ];
        let results = outcomes(&rows, &compared, true);
        let failed: Vec<&str> = results
            .iter()
            .filter(|case| matches!(case.outcome, Outcome::Fail(_)))
            .map(|case| case.name.as_str())
            .collect();
        assert_eq!(failed, ["other", "row-render-UNUSED"]);
        assert_eq!(outcomes(&rows, &compared, false).len(), 3);
        assert_eq!(fields(&compared)["render SIZE"][0], 2);
    }

    #[test]
    fn every_row_has_a_record_a_field_and_a_reason() {
        let rows = allowed(ALLOWED);
        assert_eq!(rows.len(), ALLOWED.lines().filter(|l| !l.is_empty() && !l.starts_with('#')).count());
        assert!(rows.len() <= 25, "{} reasons", rows.len());
        for row in rows {
            let is_whole = !row.record.is_empty() && !row.fields.contains(&"") && row.reason.ends_with('.');
            assert!(is_whole, "{row:?}");
        }
    }
}
