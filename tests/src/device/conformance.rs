//! Cases of conformance suites as Vulkan programs: the steps that each runs on a driver, and the check of the results.

use std::collections::BTreeMap;

use crate::amber::image::Image;
use crate::amber::model::{Buffer, Command, Expect, Pipeline, Test as AmberTest};
use crate::amber::pipeline::malformed;
use crate::outcome::Outcome;
use crate::shaderlib::{Test as LibraryTest, UPSTREAM_TOLERANCE};
use crate::shared::to_hex;
use crate::webgpu::model::{Body, Test as WebGpuTest};

/// The source of a shader.
pub enum Source<'t> {
    /// WGSL of a compute shader.
    Wgsl(&'t str),
    /// GLSL of a compute shader.
    Glsl(&'t str),
    /// SPIR-V assembly and the name of its stage.
    Assembly(&'t str, &'t str),
    /// The vertex shader that passes positions through.
    PassThrough,
}

/// GLSL of [`Source::PassThrough`].
pub const PASS_THROUGH: &str = "#version 450\nlayout(location=0) in vec4 p;\nvoid main(){ gl_Position=p; }\n";

/// A shader of a step: its source, the words after the file's name, and specialization constants.
pub struct Shader<'t> {
    /// Stage in the notation of requests.
    pub stage: &'static str,
    /// Source.
    pub source: Source<'t>,
    /// Entry point; by default the first of the stage.
    pub entry: Option<&'t str>,
    /// Number, value and bytes of each constant.
    pub constants: Vec<(u32, u64, u32)>,
}

/// A program to run: lines of a request, shaders, and the buffers and images in its result, in order.
pub struct Step<'t> {
    /// Lines, except for shaders.
    pub lines: Vec<String>,
    /// Shaders.
    pub shaders: Vec<Shader<'t>>,
    /// Names and lengths of the results.
    pub results: Vec<(String, usize)>,
}

/// A case of a conformance suite.
pub enum Conformance {
    /// WebGPU.
    WebGpu(WebGpuTest),
    /// Vulkan's shader library.
    Library(LibraryTest),
    /// Amber.
    Amber(AmberTest),
}

/// Contents of buffers and images by name.
pub type Contents = BTreeMap<String, Vec<u8>>;

/// Pixel formats of Amber's attachments, with the client's names.
const FORMATS: [(&str, &str); 2] = [("B8G8R8A8_UNORM", "bgra8"), ("R8G8B8A8_UNORM", "rgba8")];

impl Conformance {
    /// Its name in its suite.
    pub fn name(&self) -> &str {
        match self {
            Conformance::WebGpu(test) => &test.name,
            Conformance::Library(test) => &test.name,
            Conformance::Amber(test) => &test.name,
        }
    }

    /// The contents before the first step.
    ///
    /// # Errors
    /// The outcome that is not a pass: the case is inconsistent.
    pub fn contents(&self) -> Result<Contents, Outcome> {
        Ok(match self {
            Conformance::WebGpu(test) => webgpu_buffers(test)?
                .into_iter()
                .map(|(binding, bytes)| (binding.to_string(), bytes))
                .collect(),
            Conformance::Library(test) => {
                [(String::from("0"), test.input()), (String::from("1"), test.output())].into()
            }
            Conformance::Amber(test) => {
                let mut contents = Contents::new();
                for (name, buffer) in &test.buffers {
                    if let Buffer::Data { .. } = buffer {
                        let bytes =
                            buffer.bytes().ok_or_else(|| malformed("contents that are not hexadecimal"))?;
                        contents.insert(name.clone(), bytes);
                    }
                }
                contents
            }
        })
    }

    /// The step with this number, with contents after the earlier ones; `None` after the last.
    ///
    /// # Errors
    /// The outcome that is not a pass: the case is inconsistent, or uses a feature that requests do not support.
    pub fn step(&self, number: usize, contents: &Contents) -> Result<Option<Step<'_>>, Outcome> {
        match self {
            Conformance::WebGpu(test) if number == 0 => {
                let uniform = |name: &str| is_uniform(test, name);
                let shader = compute_shader(Source::Wgsl(&test.wgsl));
                Ok(Some(compute_step(contents, uniform, shader, [1, 1, 1])))
            }
            Conformance::Library(test) if number == 0 => {
                let shader = compute_shader(Source::Glsl(&test.glsl));
                Ok(Some(compute_step(contents, |_| false, shader, [test.rows, 1, 1])))
            }
            Conformance::Amber(test) => amber_step(test, number, contents),
            _ => Ok(None),
        }
    }

    /// Checks the contents after the step with this number.
    ///
    /// # Errors
    /// The outcome that is not a pass.
    pub fn check(&self, number: usize, contents: &Contents) -> Result<(), Outcome> {
        let named = |name: &str| contents.get(name).map(Vec::as_slice).unwrap_or_default();
        match self {
            Conformance::WebGpu(test) => match &test.body {
                Body::Cases(cases) => cases.check(named("0")),
                Body::Raw(raw) => {
                    let buffers =
                        contents.iter().filter_map(|(name, bytes)| Some((name.parse().ok()?, bytes.clone())));
                    raw.check(&buffers.collect::<Vec<_>>())
                }
            }
            .map_err(Outcome::Fail),
            Conformance::Library(test) => test.check(named("1"), UPSTREAM_TOLERANCE).map_err(Outcome::Fail),
            Conformance::Amber(test) => amber_check(test, number, contents),
        }
    }
}

fn webgpu_buffers(test: &WebGpuTest) -> Result<Vec<(u32, Vec<u8>)>, Outcome> {
    let buffers = match &test.body {
        Body::Cases(cases) => cases.buffers(),
        Body::Raw(raw) => raw.buffers(),
    };
    let buffers = buffers.map_err(Outcome::Fail)?;
    Ok(buffers.into_iter().map(|(binding, bytes, _)| (binding, bytes)).collect())
}

/// Whether the source declares the binding as a uniform buffer.
fn is_uniform(test: &WebGpuTest, binding: &str) -> bool {
    let bound = format!("@binding({binding})");
    test.wgsl
        .split(';')
        .any(|declaration| declaration.contains(&bound) && declaration.contains("var<uniform>"))
}

fn compute_shader(source: Source<'_>) -> Shader<'_> {
    Shader { stage: "comp", source, entry: None, constants: Vec::new() }
}

/// A line that binds a buffer.
fn bind(key: &str, binding: &str, bytes: &[u8]) -> String {
    format!("{key} {binding} {} hex:{}", bytes.len(), to_hex(bytes))
}

/// A dispatch whose buffers are named after their bindings. Results list storage buffers before uniform buffers.
fn compute_step<'t>(
    contents: &Contents,
    is_uniform: impl Fn(&str) -> bool,
    shader: Shader<'t>,
    [x, y, z]: [u32; 3],
) -> Step<'t> {
    let mut lines = vec![String::from("kind compute"), format!("groups {x} {y} {z}")];
    let mut results = Vec::new();
    for uniform in [false, true] {
        for (name, bytes) in contents.iter().filter(|(name, _)| is_uniform(name) == uniform) {
            lines.push(bind(if uniform { "uniform" } else { "buffer" }, name, bytes));
            results.push((name.clone(), bytes.len()));
        }
    }
    Step { lines, shaders: vec![shader], results }
}

/// The action of an Amber test in a step.
enum Action<'t> {
    Run([u32; 3]),
    /// Clears the attachments and draws a rectangle.
    Draw([f64; 4], Option<[f64; 4]>),
    /// None: only expectations after the latest step.
    Check(&'t Expect),
}

/// The actions of an Amber test in order, each with its pipeline. A clear and the following draw are one action.
fn actions(test: &AmberTest) -> Vec<(&str, Action<'_>)> {
    let mut colours: BTreeMap<&str, [f64; 4]> = BTreeMap::new();
    let mut actions: Vec<(&str, Action<'_>)> = Vec::new();
    for command in &test.commands {
        match command {
            Command::ClearColor { pipeline, rgba } => _ = colours.insert(pipeline, *rgba),
            Command::Clear { pipeline } => {
                let colour = colours.get(pipeline.as_str()).copied().unwrap_or_default();
                actions.push((pipeline, Action::Draw(colour, None)));
            }
            Command::DrawRect { pipeline, rect } => match actions.last_mut() {
                Some((cleared, Action::Draw(_, drawn @ None))) if *cleared == pipeline => {
                    *drawn = Some(*rect)
                }
                _ => actions.push((pipeline, Action::Draw([0.0; 4], Some(*rect)))),
            },
            Command::Run { pipeline, groups } => actions.push((pipeline, Action::Run(*groups))),
            Command::Expect(expect) => actions.push(("", Action::Check(expect))),
        }
    }
    actions
}

/// The step of an Amber test: a dispatch or draw.
fn amber_step<'t>(
    test: &'t AmberTest,
    number: usize,
    contents: &Contents,
) -> Result<Option<Step<'t>>, Outcome> {
    let mut steps = actions(test).into_iter().filter(|(_, action)| !matches!(action, Action::Check(_)));
    let Some((pipeline, action)) = steps.nth(number) else { return Ok(None) };
    let pipeline = test.pipelines.get(pipeline).ok_or_else(|| malformed("no pipeline of that name"))?;
    match action {
        Action::Draw(clear, rect) => draw_step(pipeline, test, contents, (clear, rect)).map(Some),
        Action::Run([x, y, z]) => {
            let mut step = bound_step(pipeline, test, contents, "comp")?;
            step.lines.extend([String::from("kind compute"), format!("groups {x} {y} {z}")]);
            Ok(Some(step))
        }
        Action::Check(_) => Ok(None),
    }
}

/// The bindings of a pipeline, and its shader of a stage.
fn bound_step<'t>(
    pipeline: &'t Pipeline,
    test: &'t AmberTest,
    contents: &Contents,
    stage: &'static str,
) -> Result<Step<'t>, Outcome> {
    let mut step =
        Step { lines: Vec::new(), shaders: vec![amber_shader(pipeline, test, stage)?], results: Vec::new() };
    for (role, key) in [("storage", "buffer"), ("uniform", "uniform"), ("push_constant", "push")] {
        for binding in pipeline.bind.iter().filter(|binding| binding.role == role) {
            let bytes = contents.get(&binding.buffer).ok_or_else(|| malformed("no buffer of that name"))?;
            if key == "push" {
                let words = bytes.chunks(4).map(|word| {
                    let word = word.iter().rev().fold(0_u32, |word, byte| word << 8 | u32::from(*byte));
                    format!(" {word:#x}")
                });
                step.lines.push(format!("push{}", words.collect::<String>()));
                continue;
            }
            if binding.set != 0 {
                return Err(Outcome::Unsupported("a second descriptor set".into()));
            }
            step.lines.push(bind(key, &binding.binding.to_string(), bytes));
            step.results.push((binding.buffer.clone(), bytes.len()));
        }
    }
    Ok(step)
}

fn amber_shader<'t>(
    pipeline: &'t Pipeline,
    test: &'t AmberTest,
    stage: &'static str,
) -> Result<Shader<'t>, Outcome> {
    let name = if stage == "comp" { "compute" } else { "fragment" };
    for attachment in &pipeline.attach {
        let Some(shader) = test.shaders.get(&attachment.shader).filter(|shader| shader.stage == name) else {
            continue;
        };
        let text = shader.spvasm.as_deref().ok_or_else(|| malformed("a shader without source"))?;
        let mut constants = Vec::new();
        for (id, value) in &attachment.spec {
            let id = id.parse().map_err(|_| malformed("a SpecId that is not a number"))?;
            let bits = value.bits().ok_or_else(|| malformed("a specialization constant of unknown type"))?;
            constants.push((id, bits, if value.kind == "double" { 8 } else { 4 }));
        }
        let source = Source::Assembly(text, name);
        return Ok(Shader { stage, source, entry: Some(&attachment.entry), constants });
    }
    Err(malformed("a pipeline has one shader of a stage"))
}

/// A pass that clears the attachments and optionally draws a rectangle.
fn draw_step<'t>(
    pipeline: &'t Pipeline,
    test: &'t AmberTest,
    contents: &Contents,
    (clear, rect): ([f64; 4], Option<[f64; 4]>),
) -> Result<Step<'t>, Outcome> {
    let mut step = bound_step(pipeline, test, contents, "frag")?;
    step.shaders
        .insert(0, Shader { stage: "vert", source: Source::PassThrough, entry: None, constants: Vec::new() });
    let [width, height] = pipeline.fb;
    step.lines.extend([String::from("kind draw"), format!("size {width} {height}")]);
    let mut targets = Vec::new();
    for (location, binding) in pipeline.bind.iter().filter(|binding| binding.role == "color").enumerate() {
        let Some(Buffer::Image { format }) = test.buffers.get(&binding.buffer) else {
            return Err(malformed("an attachment without a format"));
        };
        let known = FORMATS.iter().find(|(name, _)| name == format);
        let (_, name) = known.ok_or_else(|| Outcome::Unsupported(format!("an attachment of {format}")))?;
        if binding.location != location as u32 {
            return Err(Outcome::Unsupported("attachments that leave locations out".into()));
        }
        step.lines.push(format!("target {name}"));
        targets.push((binding.buffer.clone(), 4 * (width * height) as usize));
    }
    step.results.splice(0..0, targets);
    let colour = clear.map(|part| format!("{:?}", part / 255.0));
    step.lines.push(format!("clear {}", colour.join(" ")));
    let [x, y, w, h] = rect.unwrap_or([0.0; 4]);
    let corner = |x: f64, y: f64| {
        format!(" {:?} {:?} 0.0 1.0", 2.0 * x / f64::from(width) - 1.0, 2.0 * y / f64::from(height) - 1.0)
    };
    let corners = [corner(x, y), corner(x + w, y), corner(x, y + h), corner(x + w, y + h)].concat();
    step.lines.push(format!("vertex_data 16 vertex{corners}"));
    step.lines.extend(["attribute 0 rgba32f 0", "topology triangle-strip"].map(String::from));
    step.lines.push(format!("vertices {}", if rect.is_some() { 4 } else { 0 }));
    Ok(step)
}

/// Checks the expectations of an Amber test between this step and the next.
fn amber_check(test: &AmberTest, number: usize, contents: &Contents) -> Result<(), Outcome> {
    let mut steps = 0;
    for (_, action) in actions(test) {
        match action {
            Action::Check(expect) if steps == number + 1 => check_expectation(test, expect, contents)?,
            Action::Check(_) => {}
            _ => steps += 1,
        }
    }
    Ok(())
}

fn check_expectation(test: &AmberTest, expect: &Expect, contents: &Contents) -> Result<(), Outcome> {
    let bytes = |name: &str| contents.get(name).map(Vec::as_slice);
    let image = |name: &str| -> Result<Option<Image>, Outcome> {
        let Some(Buffer::Image { format }) = test.buffers.get(name) else { return Ok(None) };
        let uses = |pipeline: &&Pipeline| pipeline.bind.iter().any(|binding| binding.buffer == name);
        let size = test.pipelines.values().find(uses).map_or([0; 2], |pipeline| pipeline.fb);
        let mut image = Image::new(format, size).map_err(Outcome::Unsupported)?;
        image.bytes = in_tile_order(format, bytes(name).unwrap_or_default());
        Ok(Some(image))
    };
    let outcome = match image(&expect.buffer)? {
        Some(found) => found.check(expect, image(&expect.other)?.as_ref()),
        None => {
            let found = bytes(&expect.buffer).ok_or_else(|| malformed("no buffer of that name"))?;
            crate::amber::check::check(expect, found, bytes(&expect.other))
        }
    };
    outcome.map_err(Outcome::Fail)
}

/// Pixels in the order of the checks, red first.
fn in_tile_order(format: &str, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if format.starts_with("B8G8R8A8") {
        bytes.chunks_exact_mut(4).for_each(|pixel| pixel.swap(0, 2));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_webgpu_case_is_a_dispatch() {
        let test = serde_json::from_str(
            r#"{"name":"n","wgsl":"@group(0) @binding(1) var<uniform> a: u32; @binding(0) var<storage> b: u32;",
                "buffers":{"0":[5],"1":[7]},"expect":{"0":[7]}}"#,
        );
        let case = Conformance::WebGpu(test.expect("a test"));
        let mut contents = case.contents().expect("buffers");
        let step = case.step(0, &contents).expect("well-formed").expect("a step");
        assert_eq!(
            step.lines,
            ["kind compute", "groups 1 1 1", "buffer 0 4 hex:05000000", "uniform 1 4 hex:07000000"]
        );
        assert_eq!(step.results, [("0".to_owned(), 4), ("1".to_owned(), 4)]);
        assert!(case.step(1, &contents).expect("well-formed").is_none());
        assert!(case.check(0, &contents).is_err());
        contents.insert("0".into(), vec![7, 0, 0, 0]);
        assert_eq!(case.check(0, &contents), Ok(()));
    }

    #[test]
    fn an_amber_draw_clears_and_covers_a_rectangle() {
        let test = serde_json::from_str(
            r#"{"name":"a","kind":"fragment","shaders":{"f":{"stage":"fragment","spvasm":"x"}},
                "buffers":{"i":{"format":"B8G8R8A8_UNORM"}},"pipelines":{"p":{"kind":"graphics",
                "attach":[{"shader":"f","entry":"main","spec":{}}],"fb":[2,1],"bind":[{"buffer":"i","as":"color"}]}},
                "commands":[{"op":"clear_color","pipeline":"p","rgba":[255,0,0,255]},{"op":"clear","pipeline":"p"},
                {"op":"draw_rect","pipeline":"p","rect":[0,0,1,1]},
                {"op":"expect","buffer":"i","cmp":"EQ_RGBA","idx":[1,0],"size":[1,1],"rgba":[255,0,0,255]}]}"#,
        );
        let case = Conformance::Amber(test.expect("a test"));
        let mut contents = case.contents().expect("buffers");
        let step = case.step(0, &contents).expect("well-formed").expect("a step");
        assert!(step.lines.contains(&"clear 1.0 0.0 0.0 1.0".to_owned()), "{:?}", step.lines);
        assert!(
            step.lines
                .iter()
                .any(|line| line.starts_with("vertex_data 16 vertex -1.0 -1.0 0.0 1.0 0.0 -1.0"))
        );
        assert_eq!(step.results, [("i".to_owned(), 8)]);
        assert!(case.step(1, &contents).expect("well-formed").is_none());
        contents.insert("i".into(), vec![1, 2, 3, 4, 0, 0, 255, 255]);
        assert_eq!(case.check(0, &contents), Ok(()));
        contents.insert("i".into(), vec![1, 2, 3, 4, 255, 0, 0, 255]);
        assert!(case.check(0, &contents).is_err());
    }
}
