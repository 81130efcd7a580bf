//! Compilation: assembly with costs, the IR at any point, the report, and the comparison of two shaders.

use agx_abi::Target;
use agx_compiler::{CompileKey, CompiledShader, IrPoint};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Files, answer, request};
use crate::diagnostic::{Diagnostic, Failure};
use crate::draw::Draw;
use crate::input::File;
use crate::report::html::{self, Sections, Sources};
use crate::spirv_listing::Listing;
use crate::{commands, emit, key, lint, listing, modules, report, shader_json, spirv_listing};

/// A shader and its settings.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shader {
    /// Name of the file.
    file: String,
    /// Its language, if the name does not say it.
    #[serde(default)]
    kind: Option<String>,
    /// The key, in the form of key files.
    #[serde(default)]
    key: Value,
    /// Values of specialization constants: NUMBER=VALUE or NAME=VALUE.
    #[serde(default)]
    constants: Vec<String>,
}

/// A shader with its settings read.
pub struct Unit {
    /// The file.
    pub file: File,
    /// The chip compiled for.
    pub chip: Target,
    /// The key.
    pub key: CompileKey,
    draw: Option<Draw>,
    entry_points: Value,
}

impl Shader {
    /// Reads the file and the settings. If the module has several entry points and the key names none, the first one is
    /// selected.
    pub fn read(&self, files: &Files) -> Result<Unit, Failure> {
        let file = files.shader(&self.file, self.kind.as_deref())?;
        let text = if self.key.is_null() { "{}".to_owned() } else { self.key.to_string() };
        let (chip, mut key, draw) = key::from_text(text.as_bytes(), "key")?;
        key::set_constants(&file, &mut key, self.constants.iter().map(String::as_str))?;
        let points = modules::declarations(&file, &key)?.entry_points;
        let fits = |point: &&modules::EntryPoint| key.stage.is_none_or(|stage| point.stage == Some(stage));
        if key.entry_point.is_none()
            && points.iter().filter(fits).count() > 1
            && let Some(first) = points.iter().find(fits)
        {
            (key.entry_point, key.stage) = (Some(first.name.clone()), first.stage);
        }
        let row = |point: &modules::EntryPoint| json!({ "name": point.name, "stage": point.stage.map(|stage| stage.name()) });
        Ok(Unit { file, chip, key, draw, entry_points: points.iter().map(row).collect() })
    }
}

impl Unit {
    /// The compiled shader.
    pub fn compile(&self) -> Result<CompiledShader, Failure> {
        self.compile_file(&self.file)
    }

    /// The compiled shader, and the listing that its positions are in if the module has none.
    fn listed(&self) -> Result<(CompiledShader, Option<Listing>), Failure> {
        spirv_listing::compiled(&self.file, |file| self.compile_file(file))
    }

    fn compile_file(&self, file: &File) -> Result<CompiledShader, Failure> {
        commands::under(file, self.chip, &self.key, self.draw.as_ref())
    }
}

/// Compiles the shader of a request. The answer has `listing`, `source` for a module that is shown as text, `shader` in the form of `--emit json`, `html` with the
/// sections of the report, and `entry_points`.
pub fn compile(files: &Files, text: &str) -> String {
    answer(request::<Shader>(text).and_then(|shader| shader.read(files)).and_then(|unit| compiled(&unit)))
}

fn compiled(unit: &Unit) -> Result<(Value, Vec<Diagnostic>), Failure> {
    let (shader, listing) = unit.listed()?;
    let key = key::to_json(unit.chip, &unit.key, None);
    let Sections { summary, figures, charts, interface, assembly, flow } =
        Sections::new(&shader, &report::parts(&shader), &unit.sources(&key, None));
    let value = json!({
        "source": listing.map(|listing| listing.text),
        "listing": listing::shader(&shader),
        "shader": shader_json::shader(&shader, unit.chip),
        "html": {
            "summary": summary, "figures": figures, "charts": charts, "interface": interface, "assembly": assembly,
            "flow": flow,
        },
        "entry_points": unit.entry_points,
    });
    Ok((value, lint::warnings(&unit.file, &shader)))
}

impl Unit {
    fn sources<'s>(&'s self, key: &'s str, listing: Option<&'s str>) -> Sources<'s> {
        let text = listing.or(std::str::from_utf8(&self.file.bytes).ok());
        Sources { name: &self.file.name, text, chip: self.chip, key, baseline: None }
    }
}

/// The report of the shader of a request as one file: `html` of the answer.
pub fn report(files: &Files, text: &str) -> String {
    let made = |unit: Unit| {
        let (shader, listing) = unit.listed()?;
        let key = key::to_json(unit.chip, &unit.key, None);
        let text = listing.as_ref().map(|listing| listing.text.as_str());
        Ok((json!({ "html": html::page(&shader, &unit.sources(&key, text)) }), Vec::new()))
    };
    answer(request::<Shader>(text).and_then(|shader| shader.read(files)).and_then(made))
}

/// A shader and the name of a pass or a phase.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct IrRequest {
    shader: Shader,
    /// The name; without it, the IR is that of the front end.
    #[serde(default)]
    step: Option<String>,
}

/// The IR of a shader `before` and `after` a pass or a phase; without one, the IR of the front end in both.
pub fn ir(files: &Files, text: &str) -> String {
    let made = |wanted: IrRequest| {
        let unit = wanted.shader.read(files)?;
        let points = match &wanted.step {
            Some(name) => [IrPoint::Before(name), IrPoint::After(name)],
            None => [IrPoint::Start; 2],
        };
        let [before, after] = points.map(|point| emit::ir_at(&unit.file, unit.chip, &unit.key, point));
        Ok((json!({ "before": before?, "after": after? }), Vec::new()))
    };
    answer(request(text).and_then(made))
}

/// Two shaders.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    before: Shader,
    after: Shader,
}

/// Compares the two shaders of a request; the first one is in `old`. The answer has `html`.
pub fn compare(old: &Files, new: &Files, text: &str) -> String {
    let made = |pair: Pair| {
        let (before, after) = (pair.before.read(old)?.compile()?, pair.after.read(new)?.compile()?);
        Ok((json!({ "html": html::comparison(&before, &after) }), Vec::new()))
    };
    answer(request(text).and_then(made))
}
