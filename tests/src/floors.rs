//! Floors: rates of suites that must not decrease.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::outcome::{Outcome, SuiteReport};
use crate::suites::may_be_absent;

/// The committed floors.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Floors {
    /// Passes among the cases that were run, by suite.
    pub rates: BTreeMap<String, f64>,
    /// Upper limits of figures, by `suite.figure` or `suite.group.figure`.
    pub limits: BTreeMap<String, f64>,
}

/// Whether cases that were not run are accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Skipped {
    /// A skipped case is a breach, because it is not known to pass.
    Refused,
    /// The caller accepts that an external program or a file is missing.
    Allowed,
}

/// A suite below its floor.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum Breach {
    /// Too few cases pass.
    #[error("{suite}: {reached:.4} of the cases pass, the floor is {floor:.4}")]
    Rate {
        /// The suite.
        suite: String,
        /// The actual rate.
        reached: f64,
        /// The required rate.
        floor: f64,
    },
    /// Cases of a suite with a floor were not run.
    #[error("{suite}: {count} cases were not run: {reason} (use --allow-skipped to accept this)")]
    Skipped {
        /// The suite.
        suite: String,
        /// Number of cases.
        count: usize,
        /// The most frequent reason.
        reason: String,
    },
    /// A suite with a floor was not run at all.
    #[error("{suite} was not run: {reason} (use --allow-skipped to accept this)")]
    Absent {
        /// The suite.
        suite: String,
        /// The reason.
        reason: String,
    },
    /// A figure with a limit is missing from the report.
    #[error("{figure} has a limit but was not measured")]
    Unmeasured {
        /// The suite and the figure.
        figure: String,
    },
    /// A figure is too high.
    #[error("{figure} is {reached:.4}, the limit is {limit:.4}")]
    Limit {
        /// The suite and the figure.
        figure: String,
        /// The actual value.
        reached: f64,
        /// The maximum value.
        limit: f64,
    },
}

/// Rates are stored with this resolution, rounded down, so that a floor never exceeds the actual rate.
const PARTS: f64 = 10_000.0;

impl Floors {
    /// All breaches in `reports`. Suites that are not in `reports` are ignored.
    pub fn breaches(&self, reports: &[(&str, SuiteReport)], skipped: Skipped) -> Vec<Breach> {
        let mut breaches = Vec::new();
        for (suite, report) in reports {
            let rates = self.rates.get(*suite).zip(report.tally().rate());
            if let Some((floor, reached)) = rates.filter(|(floor, reached)| reached < floor) {
                breaches.push(Breach::Rate { suite: (*suite).to_owned(), reached, floor: *floor });
            }
            let may_be_absent = report.absent.is_some() && may_be_absent(suite);
            if skipped == Skipped::Refused && !may_be_absent {
                breaches.extend(not_run(suite, report));
            }
            if report.absent.is_none() {
                breaches.extend(self.exceeded(suite, report));
            }
        }
        breaches
    }

    /// Figures of `suite` above their limits.
    fn exceeded(&self, suite: &str, report: &SuiteReport) -> Vec<Breach> {
        let mut breaches = Vec::new();
        for (figure, limit) in &self.limits {
            let Some(path) = figure.strip_prefix(suite).and_then(|rest| rest.strip_prefix('.')) else {
                continue;
            };
            match report.figure(path) {
                Some(reached) if reached <= *limit => {}
                Some(reached) => {
                    breaches.push(Breach::Limit { figure: figure.clone(), reached, limit: *limit })
                }
                None => breaches.push(Breach::Unmeasured { figure: figure.clone() }),
            }
        }
        breaches
    }

    /// Raises each floor to the rate in `reports` and lowers each limit to the figure; never the reverse.
    pub fn raise(&mut self, reports: &[(&str, SuiteReport)]) {
        for (suite, report) in reports {
            if let Some(rate) = report.tally().rate() {
                let floor = self.rates.entry((*suite).to_owned()).or_insert(0.0);
                *floor = floor.max((rate * PARTS).floor() / PARTS);
            }
            for (figure, limit) in &mut self.limits {
                let path = figure.strip_prefix(*suite).and_then(|rest| rest.strip_prefix('.'));
                if let Some(reached) = path.and_then(|path| report.figure(path)) {
                    *limit = limit.min((reached * PARTS).ceil() / PARTS);
                }
            }
        }
    }
}

/// The cases of a suite that were not run.
fn not_run(suite: &str, report: &SuiteReport) -> Option<Breach> {
    let suite = suite.to_owned();
    if let Some(reason) = &report.absent {
        return Some(Breach::Absent { suite, reason: reason.clone() });
    }
    let count = report.tally().skipped;
    let reasons = report.reasons(|outcome| matches!(outcome, Outcome::Skipped(_)));
    let reason = reasons.into_iter().next().map(|(_, reason)| reason)?;
    Some(Breach::Skipped { suite, count, reason })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::CaseResult;

    fn report(pass: usize, fail: usize) -> SuiteReport {
        let case = |outcome: Outcome| CaseResult { name: String::new(), outcome };
        let mut cases = vec![case(Outcome::Pass); pass];
        cases.resize(pass + fail, case(Outcome::Fail("x".into())));
        SuiteReport::new(cases)
    }

    #[test]
    fn floors_only_rise() {
        let mut floors = Floors::default();
        floors.raise(&[("a", report(2, 1))]);
        assert_eq!(floors.rates["a"], 0.6666);
        assert_eq!(floors.breaches(&[("a", report(2, 1))], Skipped::Refused), []);
        floors.raise(&[("a", report(1, 2)), ("b", report(0, 0))]);
        assert_eq!(floors.rates["a"], 0.6666);
        assert_eq!(floors.rates.get("b"), None, "a suite without cases reaches nothing");
    }

    #[test]
    fn a_fall_is_told() {
        let floors =
            Floors { rates: [("a".to_owned(), 0.5)].into(), limits: [("cost.ratio".to_owned(), 0.5)].into() };
        let mut cost = report(1, 0);
        cost.extra.insert("ratio".into(), 0.75.into());
        let breaches = floors.breaches(&[("a", report(1, 2)), ("cost", cost)], Skipped::Refused);
        let texts: Vec<String> = breaches.iter().map(Breach::to_string).collect();
        assert_eq!(
            texts,
            ["a: 0.3333 of the cases pass, the floor is 0.5000", "cost.ratio is 0.7500, the limit is 0.5000"]
        );
        assert_eq!(floors.breaches(&[("a", report(1, 1)), ("b", report(0, 1))], Skipped::Refused), []);
    }

    #[test]
    fn limits_reach_into_groups_and_must_be_measured() {
        let mut floors =
            Floors { limits: [("quality.vertex.alu".to_owned(), 0.8)].into(), ..Floors::default() };
        let mut quality = report(1, 0);
        assert_eq!(
            floors.breaches(&[("quality", quality.clone())], Skipped::Refused),
            [Breach::Unmeasured { figure: "quality.vertex.alu".into() }]
        );
        quality.extra.insert("vertex".into(), serde_json::json!({"alu": 0.75}));
        assert_eq!(floors.breaches(&[("quality", quality.clone())], Skipped::Refused), []);
        floors.raise(&[("quality", quality)]);
        assert_eq!(floors.limits["quality.vertex.alu"], 0.75, "a limit only falls");
    }

    #[test]
    fn what_was_not_run_is_a_breach_unless_allowed() {
        let mut some = report(1, 0);
        some.cases.push(CaseResult { name: String::new(), outcome: Outcome::Skipped("no tool".into()) });
        let reports = [("a", some), ("b", SuiteReport::absent("no file"))];
        let breaches = Floors::default().breaches(&reports, Skipped::Refused);
        let texts: Vec<String> = breaches.iter().map(Breach::to_string).collect();
        assert_eq!(
            texts,
            [
                "a: 1 cases were not run: no tool (use --allow-skipped to accept this)",
                "b was not run: no file (use --allow-skipped to accept this)"
            ]
        );
        assert_eq!(Floors::default().breaches(&reports, Skipped::Allowed), []);
        let optional =
            [("scenes", SuiteReport::absent("no clients")), ("cost", SuiteReport::absent("no file"))];
        let breaches = Floors::default().breaches(&optional, Skipped::Refused);
        assert_eq!(
            breaches,
            [Breach::Absent { suite: "cost".into(), reason: "no file".into() }],
            "a suite that needs only the host is never absent"
        );
    }
}
