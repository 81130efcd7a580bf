//! Suite `work`: what the device executes for the shaders of the corpus through the project's driver and through Mesa's.
//! Compute shaders are dispatched; a vertex and a fragment shader of one name draw a triangle that covers the target.
//!
//! The other figures of quality count instructions of code; these count what runs: branches that are taken, iterations, preambles
//! once for each launch or draw, prologs and epilogs. Copies, clears and the programs of tiles are left out: of draws only their
//! own programs count, and of a dispatch what the same request without it executes is subtracted.

use std::path::Path;

use agx_abi::Stage;
use agx_device::Work;
use rayon::prelude::*;
use serde_json::json;

use super::Context;
use super::device_cost::{Counted, Sums, executed, ratio, summary};
use crate::bindings::Contents;
use crate::corpus::{Item, load, partner};
use crate::corpus_request::{self, NAME, Scene};
use crate::device::environment::{Driver, Environment};
use crate::outcome::{CaseResult, Outcome, SuiteReport};
use crate::shared::DataError;

/// Workgroups of a dispatch.
const GROUPS: [u32; 3] = [2, 2, 1];

/// Width and height of the targets of a draw in pixels.
const SIZE: u32 = 32;

/// Vertices that cover the target where a vertex shader takes positions as they are, or multiplies them by identity matrices.
const COVERING: [[f32; 4]; 3] = [[-1.0, -1.0, 0.5, 1.0], [3.0, -1.0, 0.5, 1.0], [-1.0, 3.0, 0.5, 1.0]];

/// Lane instructions of a draw from which on fragments were shaded: the three lanes of the vertices alone execute fewer.
const SHADED: u64 = (SIZE * SIZE) as u64;

/// Cases that the report names as the slowest ones.
const SLOWEST: usize = 10;

/// The work of a case.
enum Run<'i> {
    Dispatch(&'i Item),
    Draw(&'i Item, &'i Item),
}

impl Run<'_> {
    fn name(&self) -> String {
        match self {
            Run::Dispatch(item) | Run::Draw(item, _) => item.name(),
        }
    }

    /// The group of figures it belongs to, and the kind of work that is counted.
    fn work(&self) -> (&'static str, Work) {
        match self {
            Run::Dispatch(_) => ("dispatch", Work::Launch),
            Run::Draw(..) => ("draw", Work::Draw),
        }
    }

    /// The request, or the same one without its dispatch.
    fn request(
        &self,
        context: &Context<'_>,
        contents: Contents,
        dispatches: u32,
        folder: &Path,
    ) -> Result<String, Outcome> {
        match self {
            Run::Dispatch(item) => corpus_request::dispatch(item, GROUPS, dispatches, contents, folder),
            Run::Draw(vertex, fragment) => {
                let compiled = fragment.compile(context.key)?;
                let written = compiled.info.fragment.targets();
                let scene = Scene {
                    size: SIZE,
                    targets: (u8::BITS - written.leading_zeros()).max(1) as usize,
                    vertices: COVERING,
                    contents,
                    objects: false,
                };
                corpus_request::draw(context.key, [vertex, fragment], &scene, folder)
            }
        }
    }
}

/// Runs the suite. A case passes when both drivers run it.
///
/// # Errors
/// [`DataError`] when the corpus is unusable; an environment that is absent skips the suite.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let items = load(context.shared)?;
    let environment = match Environment::find("work") {
        Ok(environment) => environment,
        Err(reason) => return Ok(SuiteReport::absent(reason)),
    };
    let runs: Vec<Run<'_>> = items.iter().filter_map(|item| of(&items, item)).collect();
    let wanted = |run: &&Run<'_>| context.filter.is_none_or(|filter| run.name().contains(filter));
    let measured: Vec<(&Run<'_>, Result<[Sums; 2], Outcome>)> = runs
        .iter()
        .filter(wanted)
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(|run| (run, measure(context, &environment, run)))
        .collect();
    let mut report = SuiteReport::new(Vec::new());
    for group in ["dispatch", "draw"] {
        let of_group = measured.iter().filter(|(run, _)| run.work().0 == group);
        let ratios: Vec<(String, [f64; 3])> = of_group
            .filter_map(|(run, sums)| {
                sums.as_ref().ok().map(|[ours, mesa]| (run.name(), ratio(*ours, *mesa)))
            })
            .collect();
        report.extra.insert(group.to_owned(), summary(ratios.iter().map(|(_, ratio)| ratio)));
        report.extra.insert(format!("{group} slowest"), slowest(ratios));
    }
    report.extra.insert("mesa".into(), json!(environment.version));
    report.cases = measured
        .into_iter()
        .map(|(run, sums)| CaseResult {
            name: run.name(),
            outcome: sums.map_or_else(|outcome| outcome, |_| Outcome::Pass),
        })
        .collect();
    Ok(report)
}

/// The cases with the highest ratios of cycles.
fn slowest(mut ratios: Vec<(String, [f64; 3])>) -> serde_json::Value {
    ratios.sort_by(|(_, a), (_, b)| b[2].total_cmp(&a[2]));
    ratios.iter().take(SLOWEST).map(|(name, [.., cycles])| json!(format!("{name} {cycles:.2}"))).collect()
}

/// The work for an entry point of the corpus. A fragment shader has none of its own: it is drawn with its vertex shader.
fn of<'i>(items: &'i [Item], item: &'i Item) -> Option<Run<'i>> {
    match item.entry.stage {
        Some(Stage::Compute) => Some(Run::Dispatch(item)),
        Some(Stage::Vertex) => Some(Run::Draw(item, partner(items, item)?)),
        _ => None,
    }
}

/// What the device executes for both drivers, with contents for which both end and, in draws, shade fragments.
fn measure(context: &Context<'_>, environment: &Environment, run: &Run<'_>) -> Result<[Sums; 2], Outcome> {
    let (_, work) = run.work();
    let mut refusal = None;
    for contents in [Contents::Identity, Contents::Zeros] {
        match both(context, environment, run, contents) {
            Ok([ours, mesa]) if work == Work::Draw && ours[1].min(mesa[1]) < SHADED => {
                refusal.get_or_insert(Outcome::Unsupported("the draw covers nothing".into()));
            }
            Ok(sums) => return Ok(sums),
            Err(outcome) => _ = refusal.get_or_insert(outcome),
        }
    }
    Err(refusal.unwrap_or(Outcome::Unsupported("there are no contents to run with".into())))
}

fn both(
    context: &Context<'_>,
    environment: &Environment,
    run: &Run<'_>,
    contents: Contents,
) -> Result<[Sums; 2], Outcome> {
    let variables = [("AGX_DEVICE_STRICT", "no"), ("AGX_DEVICE_SOFT_FAULTS", "1")];
    let counted = Counted { name: NAME, work: Some(run.work().1), variables: &variables };
    let on = |driver: Driver, dispatches: u32| {
        let name = run.name().replace(['/', ':'], "-");
        let folder = environment.folder(&format!("{name}-{driver:?}")).map_err(Outcome::Fail)?;
        let sums = run
            .request(context, contents, dispatches, &folder)
            .and_then(|request| executed(environment, driver, &request, &folder, &counted));
        // Files that stay do no harm.
        let _ = std::fs::remove_dir_all(&folder);
        sums
    };
    let of = |driver: Driver| {
        let all = on(driver, 1)?;
        let rest = match run {
            Run::Dispatch(_) => on(driver, 0)?,
            Run::Draw(..) => [0; 3],
        };
        Ok::<Sums, Outcome>([0, 1, 2].map(|figure| all[figure].saturating_sub(rest[figure])))
    };
    Ok([of(Driver::Own)?, of(Driver::Device)?])
}
