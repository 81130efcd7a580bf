//! Compares programs with the interpreter, with numbers from a seed.

use std::path::{Path, PathBuf};

use agx_compiler::CompileKey;
use agx_tgsi::interpret::Rounding;
use agx_tgsi::{File, Processor, Shader, parse};

use super::directives::{Directives, Kind, Numbers};
use super::fragment::{self, Linear, SIDE};
use super::left::{Left, Place, agree};
use super::scene::bound_words;
use super::{Scene, Vector, compile, compute, vertex};
use crate::outcome::Outcome;

/// Workgroups of a compute program.
const WORKGROUPS: [u32; 3] = [2, 1, 1];

/// Vertices of a vertex program.
const VERTICES: usize = 32;

/// The result of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judged {
    /// Outcome.
    pub outcome: Outcome,
    /// Words that were compared.
    pub words: usize,
}

/// The programs of `agx_tgsi`, by name.
///
/// # Panics
/// If the folder cannot be read, which means that the project is incomplete.
pub fn programs() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../formats/tgsi/programs");
    let mut found: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("the folder of TGSI programs")
        .filter_map(|entry| read(&entry.ok()?.path()))
        .collect();
    found.sort();
    found
}

/// A program's name and text.
fn read(path: &Path) -> Option<(String, String)> {
    let is_program = path.extension().is_some_and(|extension| extension == "tgsi");
    let name = path.file_stem()?.to_string_lossy().into_owned();
    Some((name, std::fs::read_to_string(path).ok().filter(|_| is_program)?))
}

/// Compiles a program, runs it on both sides, and compares all results.
pub fn judge(text: &str, key: &CompileKey, seed: u64) -> Judged {
    let mut words = 0;
    let outcome = judged(text, key, seed, &mut words);
    Judged { outcome: outcome.into(), words }
}

fn judged(text: &str, key: &CompileKey, seed: u64, words: &mut usize) -> Result<(), Outcome> {
    let directives = Directives::read(text).map_err(Outcome::Fail)?;
    let shader = parse(text).map_err(|error| Outcome::Fail(format!("parse: {error}")))?;
    let is_compute = shader.processor == Processor::Compute;
    if directives.only_compiles || (is_compute && directives.inputs.is_none()) {
        return compile(text, key).map(|_| ());
    }
    for round in 0..2 {
        let (random, edges) = (Numbers::new(seed + round), round == 1);
        let check = Check { text, shader: &shader, directives, key, seed };
        *words += match shader.processor {
            Processor::Compute => check.compute(random, edges)?,
            Processor::Vertex => check.vertex(random, edges)?,
            Processor::Fragment => check.fragment(random)?,
            _ => return compile(text, key).map(|_| ()),
        };
    }
    Ok(())
}

/// A program and the settings of the comparison.
struct Check<'c> {
    text: &'c str,
    shader: &'c Shader,
    directives: Directives,
    key: &'c CompileKey,
    seed: u64,
}

impl Check<'_> {
    fn compute(&self, mut random: Numbers, edges: bool) -> Result<usize, Outcome> {
        let kind = self.directives.inputs.unwrap_or(Kind::Float);
        let scene = Scene::random(self.shader, kind, &mut random, edges);
        let (buffers, textures) = compute::on_machine(self.text, &scene, WORKGROUPS, self.key, self.seed)?;
        let found = bound_words(&buffers, &textures);
        let mut compared = 0;
        self.agree(&found, &mut |rounding| {
            let mut scene = scene.clone();
            compute::in_interpreter(self.shader, &mut scene, WORKGROUPS, rounding)?;
            // Of the buffers, the program writes those that are not constants.
            compared = scene.written_words();
            Ok(scene.left())
        })?;
        Ok(compared)
    }

    fn agree(
        &self,
        found: &[u32],
        leave: &mut dyn FnMut(&mut Rounding<'_>) -> Result<Vec<Left>, Outcome>,
    ) -> Result<usize, Outcome> {
        agree(found, self.directives.tolerance, leave)
    }

    fn vertex(&self, mut random: Numbers, edges: bool) -> Result<usize, Outcome> {
        let kind = self.directives.inputs.unwrap_or(Kind::Small);
        let scene = Scene::random(self.shader, kind, &mut random, edges);
        let registers = self.shader.size_of(File::Input) as usize;
        let vector = |random: &mut Numbers| -> Vector {
            let words = random.words(kind, 4, edges);
            [words[0], words[1], words[2], words[3]]
        };
        let attributes: Vec<Vec<Vector>> =
            (0..VERTICES).map(|_| (0..registers).map(|_| vector(&mut random)).collect()).collect();
        if !scene.textures.is_empty() {
            return compile(self.text, self.key).map(|_| 0);
        }
        let machine = vertex::on_machine(self.text, &scene, &attributes, self.key, self.seed)?;
        let leave = |rounding: &mut Rounding<'_>| {
            let outputs = vertex::in_interpreter(self.shader, &mut scene.clone(), &attributes, rounding)?;
            Ok(vertex_words(&outputs))
        };
        let mut found = Vec::new();
        for left in leave(&mut |_, _, result| result)? {
            let Place::Vertex { vertex, semantic: (name, index), component } = left.place else { continue };
            let wanted = output(name, index, component);
            let outputs = machine.get(vertex).into_iter().flatten();
            let word = outputs.into_iter().find(|(place, _)| Some(*place) == wanted).map(|(_, word)| *word);
            found.push(word.ok_or_else(|| Outcome::Fail(format!("{}[{index}] is missing", name.name())))?);
        }
        self.agree(&found, &mut { leave })
    }

    fn fragment(&self, mut random: Numbers) -> Result<usize, Outcome> {
        let scene = Scene::random(self.shader, Kind::Small, &mut random, false);
        let registers = self.shader.size_of(File::Input) as usize;
        let mut function = || -> Linear {
            [random.between(-4.0, 4.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0)]
        };
        let inputs: Vec<[Linear; 4]> = (0..registers).map(|_| std::array::from_fn(|_| function())).collect();
        let targets = self.directives.targets;
        let drawn = fragment::on_machine(self.text, self.shader, &scene, &inputs, targets, self.key)?;
        let mut count = 0;
        let mut leave = |rounding: &mut Rounding<'_>| {
            let mut scene = scene.clone();
            let colours = fragment::in_interpreter(self.shader, &mut scene, &inputs, targets, rounding)?;
            let mut left = pixel_words(&colours);
            count = left.len();
            left.extend(scene.left());
            Ok(left)
        };
        let mut found = Vec::new();
        for left in leave(&mut |_, _, result| result)? {
            let Place::Pixel { at: (x, y), target, component } = left.place else { continue };
            let pixel = drawn.colours.get((y * SIDE + x) as usize).and_then(|targets| targets.get(target));
            found.push(pixel.map_or(0, |colour| colour[component]));
        }
        found.extend(bound_words(&drawn.buffers, &drawn.textures));
        self.agree(&found, &mut leave)?;
        Ok(count)
    }
}

/// The outputs of vertices as words, without outputs that have no effect.
fn vertex_words(outputs: &[Vec<vertex::Word>]) -> Vec<Left> {
    let mut left = Vec::new();
    for (vertex, words) in outputs.iter().enumerate() {
        for ((name, index, component), word) in words {
            if output(*name, *index, *component).is_some() {
                let place = Place::Vertex { vertex, semantic: (*name, *index), component: *component };
                left.push(Left { place, word: *word });
            }
        }
    }
    left
}

/// The colours of pixels as words, without unwritten components.
fn pixel_words(colours: &[Vec<[Option<u32>; 4]>]) -> Vec<Left> {
    let mut left = Vec::new();
    for (number, targets) in (0..).zip(colours) {
        for (target, colour) in targets.iter().enumerate() {
            for (component, word) in colour.iter().enumerate() {
                let Some(word) = *word else { continue };
                let at = (number % SIDE, number / SIDE);
                left.push(Left { place: Place::Pixel { at, target, component }, word });
            }
        }
    }
    left
}

/// The location of a component of a vertex output; `None` if it has no effect.
pub(super) fn output(
    name: agx_tgsi::SemanticName,
    index: u32,
    component: u32,
) -> Option<agx_abi::vertex::Output> {
    use agx_abi::vertex::Output;
    use agx_tgsi::SemanticName;
    let location = match name {
        SemanticName::Position => return Some(Output::Position(component)),
        SemanticName::PointSize => return (component == 0).then_some(Output::PointSize),
        SemanticName::ClipDistance => return Some(Output::ClipDistance(4 * index + component)),
        SemanticName::Generic => index,
        SemanticName::TexCoord => 1000 + index,
        SemanticName::Color => 1100 + index,
        SemanticName::BackColor => 1200 + index,
        SemanticName::Fog => 1300 + index,
        _ => return None,
    };
    Some(Output::User { location, component })
}
