//! Suite `quality`: our statistics against the baseline's, over the entry points that both compile.

use std::path::Path;
use std::sync::Mutex;

use agx_abi::Stage;
use agx_compiler::Statistics;
use serde_json::{Value, json};

use super::Context;
use crate::baseline::{Baseline, Row};
use crate::corpus::{Item, load};
use crate::outcome::{Outcome, SuiteReport};
use crate::runner::run_cases;
use crate::shared::{DataError, read_text};

/// The baseline's file below the shared folder.
const FILE: &str = "baseline/mesa-25.0.7.tsv";

/// Reads the baseline.
///
/// # Errors
/// [`DataError`] when it is absent or malformed.
pub fn load_baseline(shared: &Path) -> Result<Baseline, DataError> {
    let path = shared.join(FILE);
    let text = read_text(&path)?;
    Baseline::parse(&text).map_err(|message| DataError::Malformed { path, line: 0, message })
}

/// Runs the suite. A case passes when it is compiled and thus compared.
///
/// # Errors
/// [`DataError`] when corpus or baseline are unusable.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let baseline = load_baseline(context.shared)?;
    let mut items = load(context.shared)?;
    items.retain(|item| baseline.find(&item.file, &item.entry.name).is_some());
    let pairs = Mutex::new(Vec::new());
    let cases = run_cases(&items, context.filter, Item::name, |item| match item.compile(context.key) {
        Ok(shader) => {
            if let Ok(mut pairs) = pairs.lock() {
                pairs.push((item.name(), item, shader.stats));
            }
            Outcome::Pass
        }
        Err(outcome) => outcome,
    });
    let mut pairs = pairs.into_inner().unwrap_or_default();
    pairs.sort_by(|left, right| left.0.cmp(&right.0));
    let mut report = SuiteReport::new(cases);
    for stage in [Stage::Compute, Stage::Vertex, Stage::Fragment] {
        let pairs = pairs.iter().filter_map(|(_, item, stats)| {
            let row = baseline.find(&item.file, &item.entry.name)?;
            (row.stage == stage).then_some((stats, row))
        });
        report.extra.insert(stage.name().into(), compare(&pairs.collect::<Vec<_>>()));
    }
    Ok(report)
}

/// Geometric means of ours ÷ theirs and sums; means are null when there is nothing to compare.
fn compare(pairs: &[(&Statistics, &Row)]) -> Value {
    let mean = |ours: fn(&Statistics) -> u32, theirs: fn(&Row) -> u64| {
        geometric_mean(pairs.iter().map(|(stats, row)| (u64::from(ours(stats)), theirs(row))))
    };
    let sum = |count: &dyn Fn(&(&Statistics, &Row)) -> u64| pairs.iter().map(count).sum::<u64>();
    json!({
        "modules": pairs.len(),
        "inst": mean(|ours| ours.instructions, |row| row.instructions),
        "alu": mean(|ours| ours.alu, |row| row.alu),
        "bytes": mean(|ours| ours.code_bytes, |row| row.bytes),
        "regs": mean(|ours| ours.gpr_halves, |row| row.registers),
        "cycles": sum(&|(ours, _)| u64::from(ours.cycles)),
        "stalled": sum(&|(ours, _)| u64::from(ours.stalled_cycles)),
        "waits": sum(&|(ours, _)| u64::from(ours.waits)),
        "spills": sum(&|(ours, _)| u64::from(ours.spills)),
        "fills": sum(&|(ours, _)| u64::from(ours.fills)),
        "mesa_spills": sum(&|(_, row)| row.spills),
        "mesa_fills": sum(&|(_, row)| row.fills),
    })
}

/// Geometric mean of the ratios; a count of zero is taken as one on either side. Rounded to four digits.
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
        let table = "file\tstage\tentry\tinst\talu\tfscib\tic\tbytes\tregs\tuniforms\tscratch\tthreads\tloops\tspills\
            \tfills\tcompile_instructions\na\tGLCompute\tmain\t10\t4\t4\t0\t80\t20\t1\t0\t1024\t0\t3\t4\t99\n";
        let baseline = Baseline::parse(table).expect("well-formed");
        let stats = Statistics {
            instructions: 5,
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
        let expected = json!({"modules": 1, "inst": 0.5, "alu": 2.0, "bytes": 1.0, "regs": 0.5, "cycles": 7, "stalled": 6, "waits": 1, "spills": 1, "fills": 2,
            "mesa_spills": 3, "mesa_fills": 4});
        assert_eq!(compare(&[(&stats, &baseline.rows[0])]), expected);
        assert_eq!(compare(&[])["inst"], Value::Null);
    }
}
