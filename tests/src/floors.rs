//! Floors: the rate each suite has reached, below which it must not fall again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::outcome::SuiteReport;

/// The committed floors.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Floors {
    /// Passes among the cases run, by suite.
    pub rates: BTreeMap<String, f64>,
    /// Figures that must stay at or below a limit, by `suite.figure`.
    pub limits: BTreeMap<String, f64>,
}

/// A suite below its floor.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum Breach {
    /// Too few cases pass.
    #[error("{suite}: {reached:.4} of the cases pass, the floor is {floor:.4}")]
    Rate {
        /// The suite.
        suite: String,
        /// The rate reached.
        reached: f64,
        /// The rate demanded.
        floor: f64,
    },
    /// A figure is too high.
    #[error("{figure} is {reached:.4}, the limit is {limit:.4}")]
    Limit {
        /// The suite and the figure.
        figure: String,
        /// The value reached.
        reached: f64,
        /// The value allowed.
        limit: f64,
    },
}

/// Rates are kept to this many parts, rounded down, so that a floor never exceeds what was reached.
const PARTS: f64 = 10_000.0;

impl Floors {
    /// What in `reports` lies below a floor. A suite that was not run breaks none.
    pub fn breaches(&self, reports: &[(&str, SuiteReport)]) -> Vec<Breach> {
        let mut breaches = Vec::new();
        for (suite, report) in reports {
            let rates = self.rates.get(*suite).zip(report.tally().rate());
            if let Some((floor, reached)) = rates.filter(|(floor, reached)| reached < floor) {
                breaches.push(Breach::Rate { suite: (*suite).to_owned(), reached, floor: *floor });
            }
            for (name, value) in &report.extra {
                let figure = format!("{suite}.{name}");
                let values = self.limits.get(&figure).zip(value.as_f64());
                if let Some((limit, reached)) = values.filter(|(limit, reached)| reached > limit) {
                    breaches.push(Breach::Limit { figure, reached, limit: *limit });
                }
            }
        }
        breaches
    }

    /// Raises each floor to the rate that `reports` reach; none is lowered.
    pub fn raise(&mut self, reports: &[(&str, SuiteReport)]) {
        for (suite, report) in reports {
            if let Some(rate) = report.tally().rate() {
                let floor = self.rates.entry((*suite).to_owned()).or_insert(0.0);
                *floor = floor.max((rate * PARTS).floor() / PARTS);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{CaseResult, Outcome};

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
        assert_eq!(floors.breaches(&[("a", report(2, 1))]), []);
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
        let breaches = floors.breaches(&[("a", report(1, 2)), ("cost", cost)]);
        let texts: Vec<String> = breaches.iter().map(Breach::to_string).collect();
        assert_eq!(
            texts,
            ["a: 0.3333 of the cases pass, the floor is 0.5000", "cost.ratio is 0.7500, the limit is 0.5000"]
        );
        assert_eq!(floors.breaches(&[("a", report(1, 1)), ("b", report(0, 1))]), []);
    }
}
