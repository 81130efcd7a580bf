//! Stress modes of the back end, which must not change any result.

use agx_abi::pipeline::BindingAccess;
use agx_compiler::internal::pipeline::PASSES;
use agx_compiler::{Bounds, CompileKey, Robustness};

use crate::driver::layout_of_all;
use crate::outcome::SuiteReport;
use crate::report;
use crate::shared::DataError;
use crate::suites::{Context, SUITES};

/// Suites that compile shaders and take seconds to minutes.
const STRESSED: [&str; 5] = ["webgpu", "shaderlib", "amber-compute", "amber-fragment", "corpus"];

/// The compiler's error message if the ABI's registers for a shader's inputs exceed the limit of the key.
const BEYOND_LIMIT: &str = "finds inputs in registers up to half-register";

/// A stress mode.
#[derive(Clone, Debug)]
pub struct Stress {
    /// Name on the command line and in the report.
    pub name: String,
    key: CompileKey,
    seed: u64,
}

/// The normal mode, then every stress mode.
pub fn stresses() -> Vec<Stress> {
    let stress = |name: &str, change: &dyn Fn(&mut CompileKey)| {
        let mut key = CompileKey::default();
        key.validate = true;
        change(&mut key);
        Stress { name: name.into(), key, seed: 0 }
    };
    let mut all = vec![
        stress("plain", &|_| ()),
        stress("spill-everything", &|key| key.spill_everything = true),
        stress("robustness=clamped", &|key| key.robustness = Robustness::all(Bounds::Clamped)),
        stress("robustness=exact", &|key| key.robustness = Robustness::all(Bounds::Exact)),
        stress("layout=memory", &|key| key.layout = Some(layout_of_all(BindingAccess::Memory))),
        stress("layout=partially-bound", &|key| {
            key.layout = Some(layout_of_all(BindingAccess::PartiallyBound))
        }),
        stress("layout=constant", &|key| key.layout = Some(layout_of_all(BindingAccess::Constant))),
        stress("layout=memory,robustness=exact", &|key| {
            (key.layout, key.robustness) =
                (Some(layout_of_all(BindingAccess::Memory)), Robustness::all(Bounds::Exact));
        }),
        stress("max-gpr-halves=64", &|key| key.max_gpr_halves = Some(64)),
    ];
    all.extend((1..=3).map(|seed| Stress {
        seed,
        ..stress(&format!("schedule-seed={seed}"), &|key| key.schedule_seed = Some(seed))
    }));
    let mut optional: Vec<&str> = PASSES.iter().filter(|pass| pass.optional).map(|pass| pass.name).collect();
    optional.sort_unstable();
    optional.dedup();
    all.extend(optional.iter().map(|pass| {
        stress(&format!("without-{pass}"), &|key| key.disabled_passes = vec![(*pass).to_owned()])
    }));
    all
}

/// Runs the stress modes whose name contains `wanted`, after the normal mode. Passes each row of the report, and the
/// failures, to `print`. Returns whether no case fails that passes normally, and none is rejected that is not
/// otherwise.
///
/// # Errors
/// [`DataError`] if a file of a suite is invalid.
pub fn run(context: &Context<'_>, wanted: &str, mut print: impl FnMut(&str)) -> Result<bool, DataError> {
    print(&format!("| stress | {} |\n|---|{}\n", STRESSED.join(" | "), "---:|".repeat(STRESSED.len())));
    let mut expected = Vec::new();
    let mut good = true;
    for stress in stresses().iter().filter(|stress| stress.name == "plain" || stress.name.contains(wanted)) {
        let context = Context { key: &stress.key, seed: stress.seed, ..*context };
        let reports = run_suites(&context)?;
        let passes = |report: &SuiteReport| report.tally().pass;
        if expected.is_empty() {
            expected = reports.iter().map(|(_, report)| passes(report)).collect();
        }
        let mut row = format!("| {} |", stress.name);
        for ((name, report), expected) in reports.iter().zip(&expected) {
            let (tally, beyond) = (report.tally(), beyond_limit(stress, report));
            row.push_str(&format!(" {} of {expected} |", tally.pass));
            if tally.fail > beyond || tally.pass + beyond < *expected {
                good = false;
                print(&report::failures(name, report));
            }
        }
        print(&(row + "\n"));
    }
    Ok(good)
}

/// Number of shaders that cannot be compiled with the register limit of the stress mode.
fn beyond_limit(stress: &Stress, report: &SuiteReport) -> usize {
    let reasons = report.cases.iter().filter_map(|case| case.outcome.reason());
    let beyond = reasons.filter(|reason| reason.contains(BEYOND_LIMIT)).count();
    if stress.key.max_gpr_halves.is_some() { beyond } else { 0 }
}

fn run_suites(context: &Context<'_>) -> Result<Vec<(&'static str, SuiteReport)>, DataError> {
    let suites = SUITES.iter().filter(|suite| STRESSED.contains(&suite.name));
    suites.map(|suite| (suite.run)(context).map(|report| (suite.name, report))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stress_has_a_name_of_its_own_and_differs_from_what_is_compiled_as_always() {
        let all = stresses();
        assert!(all.len() > 20, "{}", all.len());
        for (at, stress) in all.iter().enumerate() {
            assert!(
                all[..at].iter().all(|other| other.name != stress.name && other.key != stress.key),
                "{}",
                stress.name
            );
        }
        assert!(STRESSED.iter().all(|name| crate::suites::find(name).is_some()));
    }
}
