//! Suite `corpus-run`: executes real shaders on seeded inputs. Compute shaders are dispatched; vertex and fragment
//! shaders of the same name are drawn. Optimised code must give the same results as code compiled without optional
//! passes, up to rounding, and as the interpreter if it can run the shader.

use std::sync::atomic::{AtomicUsize, Ordering};

use agx_abi::Stage;
use agx_compiler::CompileKey;
use agx_compiler::internal::pipeline::PASSES;

use super::Context;
use crate::corpus::{Item, load, partner};
use crate::execute::{Left, Pair, Palette, difference, dispatch};
use crate::interpreted::workgroup;
use crate::outcome::{Outcome, SuiteReport};
use crate::runner::run_cases;
use crate::shared::DataError;

/// An item to execute.
enum Run<'i> {
    /// A dispatch.
    Compute(&'i Item),
    /// A draw by a vertex and a fragment shader.
    Graphics(&'i Item, &'i Item),
}

impl Run<'_> {
    fn name(&self) -> String {
        match self {
            Run::Compute(item) => item.name(),
            Run::Graphics(vertex, _) => vertex.name(),
        }
    }

    /// Compiles with `base` and executes.
    fn execute(&self, base: &CompileKey, palette: Palette) -> Result<Left, Outcome> {
        match self {
            Run::Compute(item) => dispatch(&item.module, &item.compile(base)?, palette),
            Run::Graphics(vertex, fragment) => {
                let keys = [vertex.key(base), fragment.key(base)];
                Pair { vertex: &vertex.module, fragment: &fragment.module, keys }.draw(palette)
            }
        }
    }
}

/// Runs the suite. `changed` counts the runs that wrote any results, `interpreted` those that the interpreter
/// confirmed.
///
/// # Errors
/// [`DataError`] if the corpus is invalid.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let items = load(context.shared)?;
    let runs = runs(&items);
    let plain = without_optional_passes(context.key);
    let (changed, interpreted) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let cases = run_cases(&runs, context.filter, Run::name, |run| {
        let (left, palette) = compare(run, context.key, &plain)?;
        interpreted.fetch_add(usize::from(interpret(run, context.key, &left, palette)?), Ordering::Relaxed);
        changed.fetch_add(usize::from(left.changed), Ordering::Relaxed);
        Ok(())
    });
    let mut report = SuiteReport::new(cases);
    report.extra.insert("changed".into(), changed.into_inner().into());
    report.extra.insert("interpreted".into(), interpreted.into_inner().into());
    Ok(report)
}

/// Every compute shader, and every vertex shader with the fragment shader of the same name.
fn runs(items: &[Item]) -> Vec<Run<'_>> {
    items
        .iter()
        .filter_map(|item| match item.entry.stage {
            Some(Stage::Compute) => Some(Run::Compute(item)),
            Some(Stage::Vertex) => Some(Run::Graphics(item, partner(items, item)?)),
            _ => None,
        })
        .collect()
}

/// The key with all optional passes disabled.
fn without_optional_passes(base: &CompileKey) -> CompileKey {
    let mut key = base.clone();
    let optional = PASSES.iter().filter(|pass| pass.optional);
    key.disabled_passes = optional.map(|pass| pass.name.to_owned()).collect();
    key
}

/// Compares with the interpreter; returns whether it can run the shader.
fn interpret(run: &Run<'_>, key: &CompileKey, ours: &Left, palette: Palette) -> Result<bool, Outcome> {
    let Run::Compute(item) = run else { return Ok(false) };
    let expected = match workgroup(&item.module, &item.key(key), palette) {
        Ok(left) => left,
        Err(Outcome::Unsupported(_)) => return Ok(false),
        Err(outcome) => return Err(outcome),
    };
    match difference(&ours.words, &expected.words) {
        Some(difference) => Err(Outcome::Fail(format!("not what the interpreter leaves: {difference}"))),
        None => Ok(true),
    }
}

/// Runs both codes on the first palette with which the unoptimised code does not access memory outside its resources.
fn compare(run: &Run<'_>, key: &CompileKey, plain: &CompileKey) -> Result<(Left, Palette), Outcome> {
    let mut refusal = None;
    for palette in Palette::ALL {
        let reference = match run.execute(plain, palette) {
            Ok(reference) => reference,
            Err(outcome) => {
                refusal.get_or_insert(outcome);
                continue;
            }
        };
        let ours = run.execute(key, palette)?;
        return match difference(&ours.words, &reference.words) {
            Some(difference) => Err(Outcome::Fail(format!("wrong with {palette:?} inputs: {difference}"))),
            None => Ok((ours, palette)),
        };
    }
    // The inputs lead to accesses outside buffers, to endless loops, or to an unsupported feature.
    let reason = refusal.as_ref().and_then(Outcome::reason).unwrap_or_default().to_owned();
    Err(Outcome::Unsupported(format!("no seeded inputs fit: {reason}")))
}
