//! Suite `cost`: host instructions of our compile calls, measured with valgrind, compared with the baseline's.
//!
//! The program runs itself under callgrind with a list of entry points ([`probe`]). Callgrind counts only within
//! `compile_one`, so that reading files and starting up do not count. Counts depend only on the code.

use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;
use std::sync::Mutex;

use agx_abi::{Stage, Target};
use agx_compiler::{CompileError, CompileKey, CompiledShader, Compiler, Input, Scratch};
use serde_json::json;

use super::Context;
use super::quality::load_cost_baseline;
use crate::baseline::{Baseline, Row};
use crate::callgrind::Callgrind;
use crate::corpus::{Item, load};
use crate::outcome::{Outcome, SuiteReport};
use crate::runner::run_cases;
use crate::shared::{DataError, read_text};

/// The option that turns the scoreboard's program into a probe.
pub const PROBE_OPTION: &str = "--probe-cost";

/// Runs the suite. A case passes if it is compiled and thus measured.
///
/// # Errors
/// [`DataError`] if corpus or baseline are invalid.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let baseline = load_cost_baseline(context.shared)?;
    if let Err(error) = context.tools.valgrind() {
        return Ok(SuiteReport::absent(error.to_string()));
    }
    let mut items = load(context.shared)?;
    items.retain(|item| baseline.find(&item.file, &item.entry.name).is_some());
    let compiled = Mutex::new(Vec::new());
    let cases = run_cases(&items, context.filter, Item::name, |item| match item.compile(context.key) {
        Ok(_) => {
            if let Ok(mut compiled) = compiled.lock() {
                compiled.push(item);
            }
            Outcome::Pass
        }
        Err(outcome) => outcome,
    });
    let mut compiled = compiled.into_inner().unwrap_or_default();
    compiled.sort_by_key(|item| item.name());
    let mut report = SuiteReport::new(cases);
    if let Err(reason) = measure_all(context, &baseline, &compiled, &mut report) {
        return Ok(SuiteReport::absent(reason));
    }
    Ok(report)
}

/// Measures each stage separately and adds the ratios to `report`.
fn measure_all(
    context: &Context<'_>,
    baseline: &Baseline,
    compiled: &[&Item],
    report: &mut SuiteReport,
) -> Result<(), String> {
    let (mut all_ours, mut all_theirs, mut modules) = (0, 0, 0);
    for stage in [Stage::Compute, Stage::Vertex, Stage::Fragment] {
        let of_stage: Vec<(&Item, &Row)> = compiled
            .iter()
            .filter_map(|item| Some((*item, baseline.find(&item.file, &item.entry.name)?)))
            .filter(|(_, row)| row.stage == stage && row.compile_instructions.is_some())
            .collect();
        if of_stage.is_empty() {
            continue;
        }
        let ours = measure(context, &of_stage)?;
        let theirs: u64 = of_stage.iter().filter_map(|(_, row)| row.compile_instructions).sum();
        let figures = json!({"modules": of_stage.len(), "instructions": ours, "ratio": ratio(ours, theirs)});
        report.extra.insert(stage.name().into(), figures);
        all_ours += ours;
        all_theirs += theirs;
        modules += of_stage.len();
    }
    report.extra.insert("modules".into(), modules.into());
    report.extra.insert("ratio".into(), json!(ratio(all_ours, all_theirs)));
    Ok(())
}

/// Ours ÷ theirs to four digits; `None` if there is nothing to compare.
fn ratio(ours: u64, theirs: u64) -> Option<f64> {
    (theirs > 0).then(|| (ours as f64 / theirs as f64 * 10_000.0).round() / 10_000.0)
}

/// Host instructions of compiling `items`.
fn measure(context: &Context<'_>, items: &[(&Item, &Row)]) -> Result<u64, String> {
    let failed = |error: std::io::Error| format!("the list of entry points: {error}");
    let list_path = context.tools.scratch_path("list");
    if let Some(folder) = list_path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut list = String::new();
    for (item, _) in items {
        let path = context.shared.join("corpus/spirv").join(&item.file);
        let stage = item.entry.stage.unwrap_or_default().name();
        // Writing to a String cannot fail.
        let _ = writeln!(list, "{stage}\t{}\t{}", item.entry.name, path.display());
    }
    std::fs::write(&list_path, list).map_err(failed)?;
    let program = std::env::current_exe().map_err(failed)?;
    let list_argument = list_path.display().to_string();
    let counted = Callgrind {
        tools: context.tools,
        function: "agx_tests::suites::cost::compile_one",
        program: &program,
        arguments: &[PROBE_OPTION, &list_argument],
        environment: &[],
    }
    .total();
    let _ = std::fs::remove_file(&list_path);
    counted
}

/// Compiles every entry point of the list file, which has a line for each: stage, entry point and path, separated by
/// tabs.
///
/// # Errors
/// A sentence with the file or line at fault.
pub fn probe(list: &Path) -> Result<(), String> {
    let text = read_text(list).map_err(|error| error.to_string())?;
    let compiler = Compiler::new(Target::default());
    for line in text.lines() {
        let mut fields = line.splitn(3, '\t');
        let (Some(stage), Some(entry), Some(path)) = (fields.next(), fields.next(), fields.next()) else {
            return Err(format!("expected a line of a cost list, found {line}"));
        };
        let mut key = CompileKey::default();
        key.stage = [Stage::Vertex, Stage::Fragment, Stage::Compute].into_iter().find(|s| s.name() == stage);
        key.entry_point = Some(entry.to_owned());
        let module = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
        if let Err(error) = black_box(compile_one(&compiler, &module, &key)) {
            return Err(format!("{path}: {error}"));
        }
    }
    Ok(())
}

/// The function to measure: one compile call with new scratch memory. Callgrind finds it by name.
#[inline(never)]
fn compile_one(compiler: &Compiler, module: &[u8], key: &CompileKey) -> Result<CompiledShader, CompileError> {
    compiler.compile(&mut Scratch::default(), Input::spirv(module), key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_have_four_digits() {
        assert_eq!(ratio(1, 3), Some(0.3333));
        assert_eq!(ratio(1, 0), None);
    }
}
