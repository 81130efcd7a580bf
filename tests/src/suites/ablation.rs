//! Suite `ablation`: what each optional pass gains on the corpus, compared with the page of the book that states it.
//!
//! A case is a pass. Without it the corpus is compiled anew; the case passes if its row of docs/ablation.md still holds.
//! `BLESS=1` writes the page.

use std::collections::BTreeMap;
use std::path::Path;

use agx_abi::Stage;
use agx_compiler::internal::pipeline::{PASSES, Pass};
use agx_compiler::{CompileKey, Statistics};
use rayon::prelude::*;

use super::Context;
use crate::corpus::{Item, load};
use crate::outcome::{CaseResult, Outcome, SuiteReport};
use crate::runner::run_cases;
use crate::shared::{DataError, read_text};

/// The page.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/ablation.md");

/// The page before its table.
const HEAD: &str = "# What each pass gains

Each row compares code compiled without an optional pass with code compiled with all passes, for the modules of the corpus. A figure is the
geometric mean over the modules, in percent: with `+1.00` the code needs 1 % more without the pass. *Modules* counts those whose statistics
differ. The first three figures are ALU cycles by stage, then instructions, half-registers and cycles of one SIMD-group, all of the main part. A pass
that gains little here may be needed elsewhere: `opt_narrow` for GLES, `opt_move_to_vertex` for linked stages. The time that passes take is printed by `make bench`.

`score --only ablation` measures the table and fails for rows that no longer hold; with `BLESS=1` it writes this page.

";

/// How far a figure may be from the page's: this, in percent, and this part of the page's figure.
const TOLERANCE: f64 = 0.05;
const PART: f64 = 0.02;

/// The statistics of the modules that compile, and `None` for the others.
type Measured = Vec<Option<Statistics>>;

/// A column of the table: its title, the stage whose modules count or `None` for all, and the figure.
struct Column {
    title: &'static str,
    stage: Option<Stage>,
    figure: fn(&Statistics) -> u32,
}

const fn column(title: &'static str, stage: Option<Stage>, figure: fn(&Statistics) -> u32) -> Column {
    Column { title, stage, figure }
}

const COLUMNS: [Column; 6] = [
    column("compute", Some(Stage::Compute), |stats| stats.alu),
    column("fragment", Some(Stage::Fragment), |stats| stats.alu),
    column("vertex", Some(Stage::Vertex), |stats| stats.alu),
    column("instructions", None, |stats| stats.instructions),
    column("half-registers", None, |stats| stats.gpr_halves),
    column("cycles", None, |stats| stats.cycles),
];

/// A row of the table.
#[derive(Clone, PartialEq, Debug)]
struct Row {
    /// Modules with other statistics.
    modules: usize,
    /// The figure of each column.
    gains: [f64; COLUMNS.len()],
}

/// Runs the suite.
///
/// # Errors
/// [`DataError`] if the corpus is invalid.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let items = load(context.shared)?;
    let plain = measure(&items, context.key);
    let optional: Vec<&Pass> = PASSES.iter().copied().filter(|pass| pass.optional).collect();
    let rows: Vec<(&str, Row)> = optional
        .par_iter()
        .filter(|pass| context.filter.is_none_or(|filter| pass.name.contains(filter)))
        .map(|pass| {
            let mut key = context.key.clone();
            key.disabled_passes.push(pass.name.to_owned());
            (pass.name, compare(&items, &plain, &measure(&items, &key)))
        })
        .collect();
    if std::env::var_os("BLESS").is_some() && context.filter.is_none() {
        let path = Path::new(PAGE).to_owned();
        std::fs::write(&path, page(&rows)).map_err(|error| DataError::Read { path, error })?;
    }
    let stated = parse(&read_text(Path::new(PAGE))?);
    let mut cases =
        run_cases(&rows, None, |(name, _)| (*name).to_owned(), |(name, row)| check(name, row, &stated));
    if context.filter.is_none() {
        cases.extend(stated.keys().filter(|name| rows.iter().all(|(pass, _)| pass != name)).map(|name| {
            CaseResult {
                name: name.clone(),
                outcome: Outcome::Fail("docs/ablation.md has a row for it, but there is no such pass".into()),
            }
        }));
    }
    Ok(SuiteReport::new(cases))
}

/// The statistics of every item.
fn measure(items: &[Item], key: &CompileKey) -> Measured {
    items.par_iter().map(|item| Some(item.compile(key).ok()?.stats)).collect()
}

/// What the code with statistics `without` needs more than that with `plain`.
fn compare(items: &[Item], plain: &Measured, without: &Measured) -> Row {
    let both = || {
        items.iter().zip(plain.iter().zip(without)).filter_map(|(item, (plain, without))| {
            Some((item.entry.stage, plain.as_ref()?, without.as_ref()?))
        })
    };
    let gain = |column: &Column| {
        let counted = both().filter(|(stage, ..)| column.stage.is_none() || *stage == column.stage);
        percent(counted.map(|(_, plain, without)| ((column.figure)(without), (column.figure)(plain))))
    };
    Row {
        modules: both().filter(|(_, plain, without)| plain != without).count(),
        gains: COLUMNS.each_ref().map(gain),
    }
}

/// By how many percent the geometric mean of the ratios exceeds 1, with counts of zero replaced by one.
fn percent(pairs: impl Iterator<Item = (u32, u32)>) -> f64 {
    let (mut logarithms, mut count) = (0.0, 0.0);
    for (without, plain) in pairs {
        logarithms += (f64::from(without.max(1)) / f64::from(plain.max(1))).ln();
        count += 1.0;
    }
    if count == 0.0 { 0.0 } else { ((logarithms / count).exp() - 1.0) * 100.0 }
}

/// Passes if the page states the row.
fn check(name: &str, row: &Row, stated: &BTreeMap<String, Row>) -> Outcome {
    let advice = "BLESS=1 writes docs/ablation.md";
    let Some(known) = stated.get(name) else {
        return Outcome::Fail(format!("docs/ablation.md has no row for the pass; {advice}"));
    };
    let mut figures = COLUMNS.iter().zip(known.gains.iter().zip(row.gains));
    let holds = |known: f64, measured: f64| (known - measured).abs() <= TOLERANCE + PART * known.abs();
    match figures.find(|(_, (known, measured))| !holds(**known, *measured)) {
        Some((column, (known, measured))) => Outcome::Fail(format!(
            "docs/ablation.md states {known:+.2} % for {}, measured {measured:+.2} %; {advice}",
            column.title
        )),
        None => Outcome::Pass,
    }
}

/// The whole page.
fn page(rows: &[(&str, Row)]) -> String {
    let mut text = format!("{HEAD}| pass | modules |");
    COLUMNS.iter().for_each(|column| text += &format!(" {} |", column.title));
    text += &format!("\n|---|{}\n", "---:|".repeat(COLUMNS.len() + 1));
    let mut rows: Vec<_> = rows.iter().collect();
    rows.sort_by_key(|(name, _)| *name);
    for (name, row) in rows {
        text += &format!("| `{name}` | {} |", row.modules);
        // A gain that rounds to zero has no sign.
        row.gains.iter().for_each(|gain| match format!("{gain:+.2}").as_str() {
            "+0.00" | "-0.00" => text += " 0 |",
            gain => text += &format!(" {gain} |"),
        });
        text.push('\n');
    }
    text
}

/// The rows of the page by pass.
fn parse(page: &str) -> BTreeMap<String, Row> {
    let row = |line: &str| {
        let (name, rest) = line.strip_prefix("| `")?.split_once("` |")?;
        let cells: Vec<f64> = rest.split('|').filter_map(|cell| cell.trim().parse().ok()).collect();
        let (modules, gains) = cells.split_first()?;
        Some((name.to_owned(), Row { modules: *modules as usize, gains: gains.try_into().ok()? }))
    };
    page.lines().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_geometric_means() {
        assert!((percent([(3, 2), (6, 1)].into_iter()) - 200.0).abs() < 1e-9);
        assert_eq!(percent([(0, 1)].into_iter()), 0.0);
        assert_eq!(percent(std::iter::empty()), 0.0);
    }

    #[test]
    fn the_page_states_its_rows() {
        let row = Row { modules: 7, gains: [1.25, 0.0, -0.5, 0.0, 12.0, 0.25] };
        let text = page(&[("opt_b", row.clone()), ("opt_a", Row { gains: [0.0; 6], ..row.clone() })]);
        assert!(text.ends_with("| `opt_b` | 7 | +1.25 | 0 | -0.50 | 0 | +12.00 | +0.25 |\n"), "{text}");
        let stated = parse(&text);
        assert_eq!(stated.keys().collect::<Vec<_>>(), ["opt_a", "opt_b"]);
        assert_eq!(stated["opt_b"], row);
    }

    #[test]
    fn rows_that_no_longer_hold_fail() {
        let row = Row { modules: 7, gains: [1.25, 0.0, -0.5, 0.0, 12.0, 0.25] };
        let stated = parse(&page(&[("opt_a", row.clone())]));
        assert_eq!(check("opt_a", &row, &stated), Outcome::Pass);
        let mut other = row.clone();
        other.gains[4] = 12.28;
        assert_eq!(check("opt_a", &other, &stated), Outcome::Pass);
        other.gains[4] = 12.32;
        let reason = "docs/ablation.md states +12.00 % for half-registers, measured +12.32 %; BLESS=1 writes docs/ablation.md";
        assert_eq!(check("opt_a", &other, &stated), Outcome::Fail(reason.into()));
        assert!(matches!(check("opt_b", &row, &stated), Outcome::Fail(reason) if reason.contains("no row")));
    }
}
