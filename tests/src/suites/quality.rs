//! Suite `quality`: our statistics compared with the baseline's, for the entry points that both compile.

use std::path::Path;
use std::sync::Mutex;

use agx_abi::Stage;
use agx_compiler::{Bounds, Robustness, Statistics};
use serde_json::{Value, json};

use super::Context;
use crate::baseline::{Baseline, Row};
use crate::corpus::{Item, load};
use crate::outcome::{Outcome, SuiteReport};
use crate::runner::run_cases;
use crate::shared::{DataError, read_text};

/// The newest baseline, and the suffix of its groups of figures.
const NEWEST: (&str, &str) = ("baseline/mesa-26.1.6.tsv", "");

/// The baseline with compile costs, and the suffix of its groups of figures.
const WITH_COST: (&str, &str) = ("baseline/mesa-25.0.7.tsv", "_mesa_25_0");

/// Reads the baseline with compile costs.
///
/// # Errors
/// [`DataError`] when it is absent or malformed.
pub fn load_cost_baseline(shared: &Path) -> Result<Baseline, DataError> {
    load_baseline(shared, WITH_COST.0)
}

fn load_baseline(shared: &Path, file: &str) -> Result<Baseline, DataError> {
    let path = shared.join(file);
    let text = read_text(&path)?;
    Baseline::parse(&text).map_err(|message| DataError::Malformed { path, line: 0, message })
}

/// Runs the suite. A case passes if it is compiled and thus compared with each baseline that has it.
///
/// # Errors
/// [`DataError`] if corpus or baseline are invalid.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let mut baselines = Vec::new();
    for (file, suffix) in [NEWEST, WITH_COST] {
        baselines.push((load_baseline(context.shared, file)?, suffix));
    }
    let mut items = load(context.shared)?;
    let known =
        |item: &Item| baselines.iter().any(|(table, _)| table.find(&item.file, &item.entry.name).is_some());
    items.retain(known);
    let mut exact = context.key.clone();
    exact.robustness = Robustness::all(Bounds::Exact);
    let measured = Mutex::new(Vec::new());
    let cases = run_cases(&items, context.filter, Item::name, |item| {
        let (plain, robust) = match (item.compile(context.key), item.compile(&exact)) {
            (Ok(plain), Ok(robust)) => (plain.stats, robust.stats),
            (Err(outcome), _) | (_, Err(outcome)) => return outcome,
        };
        if let Ok(mut measured) = measured.lock() {
            measured.push((item.name(), item, plain, robust));
        }
        Outcome::Pass
    });
    let mut measured = measured.into_inner().unwrap_or_default();
    measured.sort_by(|left, right| left.0.cmp(&right.0));
    let mut report = SuiteReport::new(cases);
    for (baseline, suffix) in &baselines {
        for stage in [Stage::Compute, Stage::Vertex, Stage::Fragment] {
            let pairs = measured.iter().filter_map(|(_, item, plain, robust)| {
                let row = baseline.find(&item.file, &item.entry.name)?;
                (row.stage == stage).then_some((plain, robust, row))
            });
            let (plain, robust): (Vec<_>, Vec<_>) =
                pairs.map(|(plain, robust, row)| ((plain, row), (plain, robust, row))).unzip();
            let mut figures = compare(&plain);
            if suffix.is_empty() {
                // Only the newest figures were compared with the registers of the code.
                figures["regs_counted"] = json!(registers_counted(&plain));
                report.extra.insert(format!("{}_exact", stage.name()), compare_exact(&robust));
            }
            report.extra.insert(format!("{}{suffix}", stage.name()), figures);
        }
    }
    Ok(report)
}

/// The cost of exact bounds checks of every buffer: geometric means relative to our own code without them, and to the
/// baseline's, which has none.
fn compare_exact(triples: &[(&Statistics, &Statistics, &Row)]) -> Value {
    let own = |count: fn(&Statistics) -> u32| {
        geometric_mean(
            triples.iter().map(|(plain, exact, _)| (u64::from(count(exact)), u64::from(count(plain)))),
        )
    };
    let baseline = |count: fn(&Statistics) -> u32, theirs: fn(&Row) -> Option<u64>| {
        geometric_mean(
            triples.iter().filter_map(|(_, exact, row)| Some((u64::from(count(exact)), theirs(row)?))),
        )
    };
    let with_preamble = |stats: &Statistics| stats.instructions + stats.preamble_instructions;
    json!({
        "inst_of_plain": own(|stats| stats.instructions),
        "preamble_of_plain": own(|stats| stats.preamble_instructions),
        "inst_with_preamble_of_plain": own(with_preamble),
        "inst": baseline(|stats| stats.instructions, |row| row.instructions),
        "inst_with_preamble": baseline(with_preamble, |row| Some(row.instructions? + row.preamble_instructions?)),
    })
}

/// Geometric means of ours ÷ theirs, and sums; means are null if there is nothing to compare.
fn compare(pairs: &[(&Statistics, &Row)]) -> Value {
    let mean = |ours: fn(&Statistics) -> u32, theirs: fn(&Row) -> Option<u64>| {
        let both = pairs.iter().filter_map(|(stats, row)| Some((u64::from(ours(stats)), theirs(row)?)));
        geometric_mean(both)
    };
    let sum = |count: &dyn Fn(&(&Statistics, &Row)) -> u64| pairs.iter().map(count).sum::<u64>();
    json!({
        "modules": pairs.len(),
        "inst": mean(|ours| ours.instructions, |row| row.instructions),
        "alu": mean(|ours| ours.alu, |row| Some(row.alu)),
        "inst_with_preamble": mean(
            |ours| ours.instructions + ours.preamble_instructions,
            |row| Some(row.instructions? + row.preamble_instructions?),
        ),
        "bytes": mean(|ours| ours.code_bytes, |row| Some(row.bytes)),
        "regs": mean(|ours| ours.gpr_halves, |row| Some(row.registers)),
        "cycles": sum(&|(ours, _)| u64::from(ours.cycles)),
        "stalled": sum(&|(ours, _)| u64::from(ours.stalled_cycles)),
        "waits": sum(&|(ours, _)| u64::from(ours.waits)),
        "spills": sum(&|(ours, _)| u64::from(ours.spills)),
        "fills": sum(&|(ours, _)| u64::from(ours.fills)),
        "mesa_spills": sum(&|(_, row)| row.spills),
        "mesa_fills": sum(&|(_, row)| row.fills),
    })
}

/// Geometric mean of our half registers ÷ [`Row::register_count`].
fn registers_counted(pairs: &[(&Statistics, &Row)]) -> Option<f64> {
    geometric_mean(pairs.iter().map(|(stats, row)| (u64::from(stats.gpr_halves), row.register_count())))
}

/// Geometric mean of the ratios, with counts of zero replaced by one, rounded to four digits.
fn geometric_mean(pairs: impl Iterator<Item = (u64, u64)>) -> Option<f64> {
    let (mut logarithms, mut count) = (0.0, 0.0);
    for (ours, theirs) in pairs {
        logarithms += (ours.max(1) as f64 / theirs.max(1) as f64).ln();
        count += 1.0;
    }
    (count > 0.0).then(|| ((logarithms / count).exp() * 10_000.0).round() / 10_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_geometric() {
        assert_eq!(geometric_mean([(1, 2), (8, 4)].into_iter()), Some(1.0));
        assert_eq!(geometric_mean([(3, 1), (0, 0)].into_iter()), Some(1.7321));
        assert_eq!(geometric_mean(std::iter::empty()), None);
    }

    #[test]
    fn comparison_has_every_figure() {
        let table = "file\tstage\tentry\tinst\talu\tbytes\tregs\tspills\tfills\tpreamble_inst\n\
            a\tGLCompute\tmain\t10\t4\t80\t20\t3\t4\t6\n";
        let baseline = Baseline::parse(table).expect("well-formed");
        let stats = Statistics {
            instructions: 5,
            preamble_instructions: 3,
            alu: 8,
            code_bytes: 80,
            gpr_halves: 10,
            spills: 1,
            fills: 2,
            cycles: 7,
            stalled_cycles: 6,
            waits: 1,
            ..Statistics::default()
        };
        let expected = json!({"modules": 1, "inst": 0.5, "inst_with_preamble": 0.5, "alu": 2.0, "bytes": 1.0, "regs": 0.5, "cycles": 7, "stalled": 6, "waits": 1, "spills": 1, "fills": 2,
            "mesa_spills": 3, "mesa_fills": 4});
        assert_eq!(compare(&[(&stats, &baseline.rows[0])]), expected);
        assert_eq!(compare(&[])["inst"], Value::Null);
    }

    #[test]
    fn registers_are_compared_as_counts() {
        let table =
            "file\tstage\tentry\tinst\talu\tbytes\tregs\tspills\tfills\na\tVertex\tmain\t1\t1\t1\t27\t0\t0\n";
        let baseline = Baseline::parse(table).expect("well-formed");
        let stats = Statistics { gpr_halves: 14, ..Statistics::default() };
        assert_eq!(registers_counted(&[(&stats, &baseline.rows[0])]), Some(0.5));
    }
}
