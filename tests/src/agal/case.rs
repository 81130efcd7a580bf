//! Programs with inputs and expected outputs, from files.
//!
//! `docs/agal.md` describes the format. If a case has no expected outputs, they come from the interpreter.

use std::collections::BTreeMap;
use std::path::Path;

use agx_agal::interpret::{Inputs, Outputs, Vector};
use agx_agal::{AssembleOptions, Dimension, Stage, assemble};
use agx_compiler::CompileKey;
use serde::Deserialize;

use super::compare::Oracle;
use super::texture::{Bindings, Texture};
use super::{fragments, shader, vertices};
use crate::outcome::Outcome;

/// A line of a file of cases.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Name.
    #[serde(default)]
    pub case: String,
    /// Name of a file in the same folder: byte code, or assembler text.
    pub program: Option<String>,
    /// Byte code as hexadecimal digits.
    pub hex: Option<String>,
    /// Byte code as numbers.
    pub bytes: Option<Vec<u8>>,
    /// Assembler text.
    pub text: Option<String>,
    /// Options of the front end.
    #[serde(default)]
    pub options: BTreeMap<String, u64>,
    /// Constants by register.
    #[serde(default)]
    pub constants: BTreeMap<u16, Vector>,
    /// Textures by sampler register.
    #[serde(default)]
    pub textures: BTreeMap<u16, TextureData>,
    /// Runs of the program.
    pub runs: Vec<Run>,
    /// Maximum relative difference to an expected output.
    #[serde(default = "default_tolerance")]
    pub tolerance: f32,
}

fn default_tolerance() -> f32 {
    1e-4
}

/// A texture of a case.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextureData {
    /// `2d`, `cube` or `3d`.
    pub dimension: String,
    /// Width, height, and depth.
    pub size: Vec<u32>,
    /// Texels.
    pub texels: Vec<Vector>,
}

/// A run of a program: one vertex, or one quad of fragments.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Run {
    /// Constants of this run, by register.
    pub constants: BTreeMap<u16, Vector>,
    /// Attributes of the vertex.
    pub attributes: BTreeMap<u16, Vector>,
    /// Varyings of the upper left fragment.
    pub varyings: BTreeMap<u16, Vector>,
    /// Their changes to the right.
    pub dx: BTreeMap<u16, Vector>,
    /// Their changes downwards.
    pub dy: BTreeMap<u16, Vector>,
    /// Expected outputs of the vertex or the upper left fragment, or of each fragment of the quad.
    pub expect: Vec<Expect>,
}

/// Outputs of a vertex or fragment. Missing ones are not compared.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Expect {
    /// The position of a vertex.
    pub position: Option<Vec<Option<f32>>>,
    /// Varyings of a vertex.
    pub varyings: BTreeMap<u16, Vec<Option<f32>>>,
    /// Colours of a fragment by target.
    pub colours: BTreeMap<u16, Vec<Option<f32>>>,
    /// The depth of a fragment.
    pub depth: Option<f32>,
    /// Whether the fragment is discarded.
    pub discarded: Option<bool>,
}

fn malformed(reason: impl std::fmt::Display) -> Outcome {
    Outcome::Fail(format!("the case is malformed: {reason}"))
}

impl Case {
    /// The byte code of the case; `folder` is the folder of its file.
    ///
    /// # Errors
    /// Text that does not assemble, or files that cannot be read.
    pub fn byte_code(&self, folder: &Path) -> Result<Vec<u8>, Outcome> {
        if let Some(bytes) = &self.bytes {
            return Ok(bytes.clone());
        }
        if let Some(hex) = &self.hex {
            let digits: String = hex.split_whitespace().collect();
            let pair = |at: usize| digits.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
            let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(pair).collect();
            return bytes.ok_or_else(|| malformed("`hex` is not hexadecimal"));
        }
        let contents = match (&self.text, &self.program) {
            (Some(text), _) => text.clone().into_bytes(),
            (None, Some(name)) => {
                std::fs::read(folder.join(name)).map_err(|error| malformed(format!("{name}: {error}")))?
            }
            (None, None) => return Err(malformed("it has no `program`, `bytes`, `hex` or `text`")),
        };
        if contents.first() == Some(&0xa0) {
            return Ok(contents);
        }
        let text = String::from_utf8(contents).map_err(malformed)?;
        assemble(&text, AssembleOptions::default()).map(|program| program.write()).map_err(malformed)
    }

    /// Compiles the program, runs it, and compares.
    ///
    /// # Errors
    /// The outcome that is not a pass.
    pub fn run(&self, folder: &Path, key: &CompileKey) -> Result<(), Outcome> {
        let bytes = self.byte_code(folder)?;
        let checked = shader(&bytes)?;
        let textures = self.textures()?;
        let mut key = key.clone();
        key.options.extend(self.options.iter().map(|(name, value)| (name.clone(), *value)));
        let key = &key;
        for (number, run) in self.runs.iter().enumerate() {
            let constants = registers(&[&self.constants, &run.constants]);
            let (inputs, found) = match checked.stage {
                Stage::Vertex => vertex(&bytes, &constants, run, (&textures, key))?,
                Stage::Fragment => quad(&bytes, &constants, run, (&textures, key))?,
            };
            let at = |reason: String| Outcome::Fail(format!("run {number}: {reason}"));
            if run.expect.is_empty() {
                let bindings = Bindings { textures: &textures, stage: checked.stage };
                let oracle = Oracle { shader: &checked, constants: &constants, textures: &bindings };
                oracle.agrees(&inputs, &found).map_err(at)?;
            }
            for (lane, (expect, found)) in run.expect.iter().zip(&found).enumerate() {
                expect
                    .holds(found, self.tolerance)
                    .map_err(|reason| at(format!("fragment {lane}: {reason}")))?;
            }
        }
        Ok(())
    }

    fn textures(&self) -> Result<Vec<Texture>, Outcome> {
        let count = self.textures.keys().last().map_or(0, |last| usize::from(*last) + 1);
        let none = Texture { dimension: Dimension::D2, size: [1; 3], texels: vec![[0.0; 4]] };
        let mut textures = vec![none; count];
        for (register, data) in &self.textures {
            textures[usize::from(*register)] = data.texture()?;
        }
        Ok(textures)
    }
}

impl TextureData {
    fn texture(&self) -> Result<Texture, Outcome> {
        let side = |at: usize| self.size.get(at).copied().unwrap_or(1);
        let (dimension, depth) = match self.dimension.as_str() {
            "2d" => (Dimension::D2, 1),
            "cube" => (Dimension::Cube, 6),
            "3d" => (Dimension::D3, side(2)),
            other => {
                return Err(malformed(format!("unknown dimension `{other}`; expected `2d`, `cube` or `3d`")));
            }
        };
        let size = [side(0), side(1), depth];
        let count = size.iter().try_fold(1u32, |count, size| count.checked_mul(*size));
        let texture = Texture { dimension, size, texels: self.texels.clone() };
        let is_full = count.is_some_and(|count| count > 0 && count as usize <= self.texels.len())
            && texture.count(texture.levels()) == self.texels.len();
        if !is_full {
            return Err(malformed(format!("{} texels do not fill a texture of {size:?}", self.texels.len())));
        }
        Ok(texture)
    }
}

/// Registers from 0 on; later maps override earlier ones.
fn registers(maps: &[&BTreeMap<u16, Vector>]) -> Vec<Vector> {
    let count =
        maps.iter().filter_map(|map| map.keys().last()).max().map_or(0, |last| usize::from(*last) + 1);
    let mut registers = vec![[0.0; 4]; count.min(1024)];
    for (register, vector) in maps.iter().flat_map(|map| map.iter()) {
        if let Some(place) = registers.get_mut(usize::from(*register)) {
            *place = *vector;
        }
    }
    registers
}

fn sixteen(map: &BTreeMap<u16, Vector>) -> [Vector; 16] {
    std::array::from_fn(|register| map.get(&(register as u16)).copied().unwrap_or_default())
}

type Quad = ([Inputs; 4], [Outputs; 4]);

/// One vertex, in all four lanes.
fn vertex(
    bytes: &[u8],
    constants: &[Vector],
    run: &Run,
    (textures, key): (&[Texture], &CompileKey),
) -> Result<Quad, Outcome> {
    let vertices = [sixteen(&run.attributes)];
    let run = vertices::Run { program: bytes, constants, vertices: &vertices, textures, instances: 1 };
    let found = run.outputs(key)?.first().copied().unwrap_or_default();
    Ok(([run.inputs()[0]; 4], [found; 4]))
}

/// One quad, on a screen of two by two pixels.
fn quad(
    bytes: &[u8],
    constants: &[Vector],
    run: &Run,
    (textures, key): (&[Texture], &CompileKey),
) -> Result<Quad, Outcome> {
    let [base, dx, dy] = [&run.varyings, &run.dx, &run.dy].map(sixteen);
    // The corners are half a pixel left of and above the first pixel's centre, and four pixels further on.
    let corner = |right: f32, down: f32| {
        std::array::from_fn(|register| {
            std::array::from_fn(|at| base[register][at] + right * dx[register][at] + down * dy[register][at])
        })
    };
    let corners = [corner(-0.5, -0.5), corner(3.5, -0.5), corner(-0.5, 3.5)];
    let run = fragments::Run { program: bytes, constants, corners: &corners, textures, side: 2 };
    Ok(run.quads(key)?.first().copied().unwrap_or_default())
}

impl Expect {
    /// Whether outputs are as expected.
    fn holds(&self, found: &Outputs, tolerance: f32) -> Result<(), String> {
        if let Some(discarded) = self.discarded.filter(|discarded| *discarded != found.killed) {
            return Err(format!("expected discarded = {discarded}"));
        }
        if self.discarded == Some(true) {
            return Ok(());
        }
        let outside = |register: u16| format!("register {register} does not exist");
        let position =
            self.position.iter().map(|expected| ("position".to_owned(), expected, Some(&found.outputs[0])));
        let varyings = self.varyings.iter().map(|(register, expected)| {
            (format!("varying {register}"), expected, found.varyings.get(usize::from(*register)))
        });
        let colours = self.colours.iter().map(|(register, expected)| {
            (format!("colour {register}"), expected, found.outputs.get(usize::from(*register)))
        });
        for (name, expected, found) in position.chain(varyings).chain(colours) {
            let found = found.ok_or_else(|| outside(16))?;
            for (at, (expected, found)) in expected.iter().zip(found).enumerate() {
                near(*expected, *found, tolerance)
                    .map_err(|reason| format!("{name}, component {at}: {reason}"))?;
            }
        }
        near(self.depth, found.depth, tolerance).map_err(|reason| format!("depth: {reason}"))
    }
}

fn near(expected: Option<f32>, found: f32, tolerance: f32) -> Result<(), String> {
    let Some(expected) = expected else { return Ok(()) };
    let close = expected == found
        || expected.is_nan() && found.is_nan()
        || (expected - found).abs() <= tolerance * expected.abs().max(1.0);
    if close { Ok(()) } else { Err(format!("expected {expected}, found {found}")) }
}
