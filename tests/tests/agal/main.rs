//! Every bundled AGAL program on the reference machine, compared with the interpreter; the tables of `docs/agal.md`.
//!
//! There is a test for each program; with the feature `stress` it covers inputs of every kind, otherwise of one.

mod document;
mod programs;

use agx_compiler::CompileKey;
use agx_tests::agal::compare::Agreement;
use agx_tests::agal::inputs::{KINDS, Kind};
use agx_tests::agal::oracle::compare;
use libtest_mimic::{Arguments, Failed, Trial};

use programs::{Bundled, bundled};

fn main() {
    let trials = bundled().into_iter().enumerate().map(|(number, bundled)| {
        let name = bundled.name.clone();
        Trial::test(name, move || agrees(&bundled, number))
    });
    let mut trials: Vec<Trial> = trials.collect();
    trials.push(Trial::test("document", document::is_current));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// The kinds of inputs for program `number`.
fn kinds(number: usize) -> impl Iterator<Item = Kind> {
    let all = cfg!(feature = "stress");
    KINDS
        .into_iter()
        .enumerate()
        .filter(move |(at, _)| all || *at == number % KINDS.len())
        .map(|(_, kind)| kind)
}

fn agrees(bundled: &Bundled, number: usize) -> Result<(), Failed> {
    let mut sum = Agreement::default();
    for kind in kinds(number) {
        let agreed = compare(&bundled.program, kind, 1, &CompileKey::default());
        sum.add(agreed.map_err(|outcome| format!("{kind:?}: {}", outcome.reason().unwrap_or_default()))?);
    }
    // If most results needed other roundings, the comparison would be weak.
    if sum.direct < sum.rounded {
        return Err(format!("too little agrees without other rounding: {sum:?}").into());
    }
    Ok(())
}
