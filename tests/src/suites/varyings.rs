//! Suite `varyings`: compares the rasteriser state for vertex outputs of the project's driver with that of Mesa's, for
//! every vertex shader of the corpus with the fragment shader of its name, or else with one that reads all its
//! varyings.
//!
//! Each pair is drawn with buffers of zeros, so that nothing is covered; the listing of the device has the records. The
//! drivers must agree for shader objects, which are compiled separately. For pipelines, Mesa's driver compiles the
//! shaders together and moves constants and expressions between them; `pipelines` counts those that agree in every
//! coefficient binding.

use std::borrow::Cow;
use std::path::Path;

use agx_abi::Stage;
use rayon::prelude::*;
use serde_json::json;

use super::Context;
use crate::bindings::Contents;
use crate::corpus::{Item, load, partner};
use crate::corpus_request::{self, NAME, Scene};
use crate::device::environment::{Door, Driver, Environment};
use crate::outcome::{CaseResult, Outcome, SuiteReport};
use crate::shared::DataError;
use crate::spirv_scan::EntryPoint;
use crate::varying_reader::varying_reader;

/// The draw: every output of a fragment shader has a target, and the triangle covers nothing.
const SCENE: Scene =
    Scene { size: 4, targets: 8, vertices: [[0.0; 4]; 3], contents: Contents::Zeros, objects: false };

/// The rasteriser state of one driver.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Told {
    layout: Layout,
    /// The sources of coefficient registers, one component each, in the order of slots; the numbers of registers may
    /// differ between compilers.
    bindings: Vec<String>,
}

/// Order and number of the words of vertices.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Layout {
    /// Words of a vertex.
    words: u32,
    /// The outputs.
    select: Vec<String>,
    /// Number of varyings of each kind.
    counts: String,
    /// Number of slots to which coefficients may be bound.
    slots: u32,
    /// What the fragment program does that the rasteriser depends on: the second word of fragment control.
    control: String,
}

impl Layout {
    /// The layout without point size, which Mesa's driver always stores if shaders are compiled separately.
    fn without_point_size(mut self) -> Layout {
        let before = self.select.len();
        self.select.retain(|output| output != "POINT_SIZE");
        self.words -= (before - self.select.len()) as u32;
        self
    }
}

/// The way in which a driver gets the shaders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// As one pipeline.
    Pipeline,
    /// As two shader objects.
    Objects,
}

/// Runs the suite.
///
/// # Errors
/// [`DataError`] if the corpus is invalid; a missing environment skips the suite.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let items = load(context.shared)?;
    let environment = match Environment::find("varyings") {
        Ok(environment) => environment,
        Err(reason) => return Ok(SuiteReport::absent(reason)),
    };
    let is_wanted = |name: &str| context.filter.is_none_or(|filter| name.contains(filter));
    let is_vertex = |item: &&Item| item.entry.stage == Some(Stage::Vertex) && is_wanted(&item.name());
    let vertices: Vec<&Item> = items.iter().filter(is_vertex).collect();
    let compared: Vec<(CaseResult, bool)> = vertices
        .par_iter()
        .map(|vertex| {
            let fragment = match partner(&items, vertex) {
                Some(fragment) => Ok(Cow::Borrowed(fragment)),
                None => reader(context, vertex).map(Cow::Owned),
            };
            let alike = fragment.and_then(|fragment| compare(context, &environment, vertex, &fragment));
            let (outcome, alike) = match alike {
                Ok(alike) => (Outcome::Pass, alike),
                Err(outcome) => (outcome, false),
            };
            (CaseResult { name: vertex.name(), outcome }, alike)
        })
        .collect();
    let alike = compared.iter().filter(|(_, alike)| *alike).count();
    let mut report = SuiteReport::new(compared.into_iter().map(|(result, _)| result).collect());
    report.extra.insert("pipelines".into(), json!(alike));
    report.extra.insert("mesa".into(), json!(environment.version));
    Ok(report)
}

/// A fragment shader that reads all varyings of a vertex shader.
fn reader(context: &Context<'_>, vertex: &Item) -> Result<Item, Outcome> {
    let source = varying_reader(&vertex.module).map_err(Outcome::Unsupported)?;
    let module = context.tools.glsl_to_spirv_for(&source, "frag", "vulkan1.2")?;
    let entry = EntryPoint { stage: Some(Stage::Fragment), name: "main".into() };
    Ok(Item { file: "reader".into(), entry, several: false, module })
}

/// Whether the drivers agree for a pipeline of a pair.
///
/// # Errors
/// The outcome that is not a pass: they do not agree for its shader objects.
fn compare(
    context: &Context<'_>,
    environment: &Environment,
    vertex: &Item,
    fragment: &Item,
) -> Result<bool, Outcome> {
    let name = vertex.name().replace(['/', ':'], "-");
    let drawn = |way: Way, driver: Driver| {
        let folder = environment.folder(&format!("{name}-{way:?}-{driver:?}")).map_err(Outcome::Fail)?;
        let scene = Scene { objects: way == Way::Objects, ..SCENE };
        let told = corpus_request::draw(context.key, [vertex, fragment], &scene, &folder)
            .and_then(|request| draw(environment, driver, &request, &folder));
        // Leftovers are harmless.
        let _ = std::fs::remove_dir_all(&folder);
        told
    };
    let both = |way: Way| Ok::<_, Outcome>([drawn(way, Driver::Own)?, drawn(way, Driver::Device)?]);
    let [ours, mesa] = both(Way::Objects)?.map(|told| told.layout.without_point_size());
    if ours != mesa {
        return Err(Outcome::Fail(format!("the project's driver: {ours:?}; Mesa's: {mesa:?}")));
    }
    let [ours, mesa] = both(Way::Pipeline)?;
    Ok(ours == mesa)
}

/// Draws with a driver, and reads the records from the device's listing.
fn draw(environment: &Environment, driver: Driver, request: &str, folder: &Path) -> Result<Told, Outcome> {
    let failed = |error: std::io::Error| Outcome::Fail(format!("{driver:?}: {error}"));
    let [requests, report, trace] =
        ["requests.txt", "findings.txt", "trace.txt"].map(|file| folder.join(file));
    std::fs::write(&requests, request).map_err(failed)?;
    let door = Door::plain(driver)
        .with("AGX_DEVICE_TRACE", &trace.to_string_lossy())
        .with("AGX_DEVICE_STRICT", "no")
        .with("AGX_DEVICE_SOFT_FAULTS", "1");
    environment
        .run(&door, &requests, folder, &report)
        .map_err(|error| Outcome::Unsupported(format!("{driver:?}: {error}")))?;
    if let Ok(reason) = std::fs::read_to_string(folder.join(format!("{NAME}.err"))) {
        return Err(Outcome::Unsupported(format!("{driver:?}: {reason}")));
    }
    told(&std::fs::read_to_string(&trace).map_err(failed)?)
        .ok_or_else(|| Outcome::Fail(format!("{driver:?}: the listing has no draw")))
}

/// The records of the first draw of a listing.
fn told(trace: &str) -> Option<Told> {
    let record = |name: &str| {
        let place = trace.find(&format!("  {name}"))?;
        let line = trace.get(place..)?.lines().next()?;
        Some(line.trim().trim_start_matches(name).trim())
    };
    let after = trace.lines().skip_while(|line| !line.contains("coefficient header")).skip(1);
    let mut bindings: Vec<String> =
        after.take_while(|line| line.contains("coefficient binding")).flat_map(components).collect();
    bindings.sort_unstable();
    let layout = Layout {
        words: number(record("vertex outputs")?, "COUNT_1"),
        select: record("output select")?.split_whitespace().map(String::from).collect(),
        counts: record("varying counts")?.to_owned(),
        slots: number(record("coefficient header").unwrap_or_default(), "SLOTS"),
        control: trace.lines().filter(|line| line.contains("  fragment control")).nth(1).map(control)?,
    };
    Some(Told { layout, bindings })
}

/// The fields of a fragment control word without the address of its line.
fn control(line: &str) -> String {
    line.split_once("control").map_or("", |(_, fields)| fields).trim().to_owned()
}

/// A field of a record in the listing.
fn field<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    line.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
}

/// A numeric field; 0 if it is not listed.
fn number(line: &str, name: &str) -> u32 {
    field(line, name).and_then(|value| value.parse().ok()).unwrap_or(0)
}

/// Slot, source and kind of each component of a binding. For positions on points the kind is the compiler's choice and
/// ignored.
fn components(line: &str) -> Vec<String> {
    let source = field(line, "SOURCE").unwrap_or_default();
    let shade = field(line, "SHADE").filter(|_| source != "point-coordinate").unwrap_or_default();
    let one = |at: u32| format!("{:02} {source} {shade}", number(line, "SLOT") + at);
    (0..number(line, "COMPONENTS")).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_and_vectors_are_told_by_component() {
        let listing = |bindings: &str| {
            format!(
                "0x10  vertex outputs COUNT_1=9\n0x14  fragment control SCISSOR\n0x18  fragment control PASS=opaque\n0x20    output select VARYINGS\n0x24    varying counts SMOOTH=2\n\
                 0x28    varying counts\n0x30      coefficient header SLOTS=3\n{bindings}0x40  uniform word\n"
            )
        };
        let one = "   coefficient binding COMPONENTS=2 SHADE=linear SOURCE=varying SLOT=1 REGISTER=4\n";
        let two = "   coefficient binding COMPONENTS=1 SHADE=linear SOURCE=varying SLOT=2 REGISTER=1\n   \
                   coefficient binding COMPONENTS=1 SHADE=linear SOURCE=varying SLOT=1\n";
        let found = told(&listing(one)).expect("a draw");
        assert_eq!((found.layout.counts.as_str(), found.bindings.len()), ("SMOOTH=2", 2));
        assert_eq!((found.layout.words, found.layout.slots), (9, 3));
        assert_eq!(found.layout.control, "PASS=opaque");
        assert_eq!(told(&listing(two)), Some(found.clone()));
        assert_ne!(told(&listing(&two.replace("SLOT=2", "SLOT=3"))), Some(found));
        assert_eq!(told("nothing"), None);
    }
}
