//! Programs against the interpreter, over numbers from a seed.

use std::path::{Path, PathBuf};

use agx_compiler::CompileKey;
use agx_tgsi::{File, Processor, Shader, parse};

use super::directives::{Directives, Kind, Random};
use super::fragment::{self, Linear, SIDE};
use super::{Scene, Vector, compile, compute, is_close, vertex};
use crate::outcome::Outcome;

/// Workgroups of a compute program.
const WORKGROUPS: [u32; 3] = [2, 1, 1];

/// Vertices of a vertex program.
const VERTICES: usize = 32;

/// What became of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judged {
    /// Whether it agrees.
    pub outcome: Outcome,
    /// Words that were compared.
    pub words: usize,
}

/// The programs of `agx_tgsi`, by name.
///
/// # Panics
/// If the folder cannot be read: the project is not whole then.
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

/// Compiles a program, runs it on both sides, and compares everything it leaves.
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
        let (random, edges) = (Random(seed + round), round == 1);
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

/// A program and how it is compared.
struct Check<'c> {
    text: &'c str,
    shader: &'c Shader,
    directives: Directives,
    key: &'c CompileKey,
    seed: u64,
}

impl Check<'_> {
    fn compute(&self, mut random: Random, edges: bool) -> Result<usize, Outcome> {
        let kind = self.directives.inputs.unwrap_or(Kind::Float);
        let mut scene = Scene::random(self.shader, kind, &mut random, edges);
        let (buffers, textures) = compute::on_machine(self.text, &scene, WORKGROUPS, self.key, self.seed)?;
        compute::in_interpreter(self.shader, &mut scene, WORKGROUPS)?;
        self.compare_memory(&scene, &buffers, &textures)?;
        Ok(scene
            .buffers
            .iter()
            .filter(|(place, _)| place.0 >= 3)
            .map(|(_, (bytes, _))| bytes.len() / 4)
            .sum())
    }

    fn compare_memory(
        &self,
        scene: &Scene,
        buffers: &[agx_emulator::launch::BufferBinding],
        textures: &[agx_emulator::launch::textures::TextureResource],
    ) -> Result<(), Outcome> {
        let tolerance = self.directives.tolerance;
        let difference = scene.difference(buffers, tolerance).or(scene.image_difference(textures, tolerance));
        difference.map_or(Ok(()), |difference| Err(Outcome::Fail(difference)))
    }

    fn vertex(&self, mut random: Random, edges: bool) -> Result<usize, Outcome> {
        let kind = self.directives.inputs.unwrap_or(Kind::Small);
        let mut scene = Scene::random(self.shader, kind, &mut random, edges);
        if !scene.textures.is_empty() {
            return compile(self.text, self.key).map(|_| 0);
        }
        let registers = self.shader.size_of(File::Input) as usize;
        let vector = |random: &mut Random| -> Vector {
            let words = random.words(kind, 4, edges);
            [words[0], words[1], words[2], words[3]]
        };
        let attributes: Vec<Vec<Vector>> =
            (0..VERTICES).map(|_| (0..registers).map(|_| vector(&mut random)).collect()).collect();
        let found = vertex::on_machine(self.text, &scene, &attributes, self.key, self.seed)?;
        let wanted = vertex::in_interpreter(self.shader, &mut scene, &attributes)?;
        let mut count = 0;
        for (number, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
            for ((name, index, component), word) in wanted {
                let Some(output) = output(*name, *index, *component) else { continue };
                let place = found.iter().find(|(place, _)| *place == output);
                let (_, value) =
                    place.ok_or_else(|| Outcome::Fail(format!("{}[{index}] is missing", name.name())))?;
                self.close(*value, *word, || {
                    format!("vertex {number}, {}[{index}].{component}", name.name())
                })?;
                count += 1;
            }
        }
        Ok(count)
    }

    fn close(&self, found: u32, wanted: u32, what: impl Fn() -> String) -> Result<(), Outcome> {
        if is_close(found, wanted, self.directives.tolerance) {
            return Ok(());
        }
        let [a, b] = [found, wanted].map(f32::from_bits);
        Err(Outcome::Fail(format!("{}: {found:#010x} ({a}) instead of {wanted:#010x} ({b})", what())))
    }

    fn fragment(&self, mut random: Random) -> Result<usize, Outcome> {
        let mut scene = Scene::random(self.shader, Kind::Small, &mut random, false);
        let registers = self.shader.size_of(File::Input) as usize;
        let mut function = || -> Linear {
            [random.between(-4.0, 4.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0)]
        };
        let inputs: Vec<[Linear; 4]> = (0..registers).map(|_| std::array::from_fn(|_| function())).collect();
        let targets = self.directives.targets;
        let drawn = fragment::on_machine(self.text, self.shader, &scene, &inputs, targets, self.key)?;
        let wanted = fragment::in_interpreter(self.shader, &mut scene, &inputs, targets)?;
        let mut count = 0;
        for (number, (found, wanted)) in (0..).zip(drawn.colours.iter().zip(&wanted)) {
            let (x, y) = (number % SIDE, number / SIDE);
            for (target, (found, wanted)) in found.iter().zip(wanted).enumerate() {
                for (component, (found, wanted)) in found.iter().zip(wanted).enumerate() {
                    let Some(wanted) = wanted else { continue };
                    self.close(*found, *wanted, || format!("pixel {x}, {y}, COLOR[{target}].{component}"))?;
                    count += 1;
                }
            }
        }
        self.compare_memory(&scene, &drawn.buffers, &drawn.textures)?;
        Ok(count)
    }
}

/// Where a component of a vertex output is; nothing for those that have no effect.
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
