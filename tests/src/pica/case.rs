//! Cases from files: a program, its inputs, and its expected outputs. docs/pica200.md describes the format.

use std::collections::BTreeMap;
use std::path::Path;

use agx_compiler::CompileKey;
use agx_pica200::container::Choice;
use agx_pica200::interpret::{Uniforms, Vector};
use agx_pica200::{Container, Geometry, GeometryMode, Program, Shader, Stage};
use serde::Deserialize;

use super::run::{GeometryRun, Inputs, Outputs, Tolerance, VertexRun};
use crate::outcome::Outcome;

/// A word: a number, or the bits of a float as hexadecimal text.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(untagged)]
pub enum Word {
    /// A float.
    Number(f64),
    /// Eight hexadecimal digits.
    Bits(String),
    /// A component that is not compared.
    Any(()),
}

/// A case in the file's form.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Case {
    /// Name.
    #[serde(alias = "name")]
    pub case: String,
    /// A container, relative to the file.
    pub container: Option<String>,
    /// Assembly, relative to the file.
    pub assembly: Option<String>,
    /// Program words, if neither is given.
    pub code: Vec<String>,
    /// Operand descriptors.
    pub opdesc: Vec<String>,
    /// Number of the shader in the container.
    pub dvle: Option<usize>,
    /// Stage of the shader of a container, or of the words: `vertex` or `geometry`.
    pub stage: Option<String>,
    /// First instruction of the words.
    pub entry: u32,
    /// Mode of a geometry program in words: `point`, `variable` or `fixed`.
    pub mode: Option<String>,
    /// In mode fixed, the first uniform.
    pub fixed_start: u8,
    /// Options of the front end.
    pub options: BTreeMap<String, u64>,
    /// Float uniforms by number.
    pub uniforms: BTreeMap<String, Vec<Word>>,
    /// Boolean uniforms.
    pub bools: Vec<u8>,
    /// Integer uniforms.
    pub ints: Vec<[u8; 4]>,
    /// Input registers, or the vectors of a geometry program's primitive.
    pub v: Vec<Vec<Word>>,
    /// Expected first output.
    pub o0: Option<Vec<Word>>,
    /// Expected outputs by number.
    pub outputs: BTreeMap<String, Vec<Word>>,
    /// Expected primitives.
    pub primitives: Option<Vec<CasePrimitive>>,
    /// Relative tolerance.
    pub tolerance: Option<f32>,
}

/// An expected primitive.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct CasePrimitive {
    /// Whether the winding is inverted.
    pub inverted: bool,
    /// Outputs by number, of three vertices.
    pub vertices: Vec<BTreeMap<String, Vec<Word>>>,
}

/// Default relative tolerance.
const TOLERANCE: f32 = 1e-4;
/// Absolute tolerance, as a fraction of the relative one.
const ABSOLUTE: f32 = 0.1;

fn broken(message: String) -> Outcome {
    Outcome::Fail(format!("case: {message}"))
}

fn hex(text: &str) -> Result<u32, Outcome> {
    let digits = text.trim_start_matches("0x");
    u32::from_str_radix(digits, 16).map_err(|_| broken(format!("`{text}` is not a word in hexadecimal")))
}

/// The value of a word; `None` if it is not compared.
fn value(word: &Word) -> Result<Option<f32>, Outcome> {
    Ok(match word {
        Word::Number(number) => Some(*number as f32),
        Word::Bits(bits) => Some(f32::from_bits(hex(bits)?)),
        Word::Any(()) => None,
    })
}

fn components(words: &[Word]) -> Result<[Option<f32>; 4], Outcome> {
    let mut vector = [None; 4];
    for (slot, word) in vector.iter_mut().zip(words) {
        *slot = value(word)?;
    }
    Ok(vector)
}

fn vector(words: &[Word]) -> Result<Vector, Outcome> {
    Ok(components(words)?.map(Option::unwrap_or_default))
}

fn number(text: &str, count: usize) -> Result<usize, Outcome> {
    let parsed = text.trim_start_matches(['c', 'o']).parse().ok().filter(|number| *number < count);
    parsed.ok_or_else(|| broken(format!("`{text}` is not a register below {count}")))
}

fn outputs(by_number: &BTreeMap<String, Vec<Word>>) -> Result<Outputs, Outcome> {
    let mut outputs = [[None; 4]; 16];
    for (register, words) in by_number {
        outputs[number(register, 16)?] = components(words)?;
    }
    Ok(outputs)
}

impl Case {
    /// Runs the case; paths are relative to `folder`.
    pub fn run(&self, folder: &Path, key: &CompileKey, seed: u64) -> Outcome {
        self.check(folder, key, seed).into()
    }

    fn check(&self, folder: &Path, key: &CompileKey, seed: u64) -> Result<(), Outcome> {
        let container = self.container(folder)?;
        let shader = self.shader(&container)?;
        let uniforms = self.uniforms(&shader)?;
        let container = Container { program: container.program, shaders: vec![shader] };
        let bytes = container.write().map_err(|error| broken(error.to_string()))?;
        let options: Vec<(String, u64)> =
            self.options.iter().map(|(name, value)| (name.clone(), *value)).collect();
        let inputs = self.v.iter().map(|words| vector(words)).collect::<Result<Vec<_>, _>>()?;
        match container.shaders[0].stage {
            Stage::Vertex => {
                let run = VertexRun::compile(&bytes, key, &options)?;
                let mut registers: Inputs = [[0.0; 4]; 16];
                registers.iter_mut().zip(inputs).for_each(|(register, input)| *register = input);
                let found = run.run(&[registers], &uniforms, seed)?;
                self.check_outputs(found.first())
            }
            Stage::Geometry => {
                let run = GeometryRun::compile(&bytes, key, &options)?;
                let expected = self.expected_primitives()?;
                let capacity = expected.len() as u32 + 1;
                let found = run.run(&[inputs], &uniforms, capacity, seed)?;
                let found = found.first().cloned().unwrap_or_default();
                self.check_primitives(&found, &expected)
            }
        }
    }

    /// The program, from a container, assembly or words.
    fn container(&self, folder: &Path) -> Result<Container, Outcome> {
        let read = |name: &String| {
            let path = folder.join(name);
            std::fs::read(&path).map_err(|error| broken(format!("{}: {error}", path.display())))
        };
        if let Some(name) = &self.container {
            return Container::read(&read(name)?).map_err(|error| broken(error.to_string()));
        }
        if let Some(name) = &self.assembly {
            let text = String::from_utf8(read(name)?).map_err(|error| broken(error.to_string()))?;
            return agx_pica200::assemble(&text).map_err(|error| broken(error.to_string()));
        }
        let words = |texts: &[String]| texts.iter().map(|text| hex(text)).collect::<Result<Vec<_>, _>>();
        let program = Program::from_words(&words(&self.code)?, &words(&self.opdesc)?);
        let mut shader = Shader::bare(self.stage()?.unwrap_or_default(), self.entry);
        if let Some(name) = &self.mode {
            let row = GeometryMode::ALL.iter().find(|row| row.1 == name);
            let mode = row.ok_or_else(|| broken(format!("unknown mode `{name}`")))?.0;
            shader.geometry = Geometry { mode, fixed_start: self.fixed_start, ..Geometry::default() };
        }
        Ok(Container { program, shaders: vec![shader] })
    }

    fn stage(&self) -> Result<Option<Stage>, Outcome> {
        match self.stage.as_deref() {
            None => Ok(None),
            Some("vertex") => Ok(Some(Stage::Vertex)),
            Some("geometry") => Ok(Some(Stage::Geometry)),
            Some(other) => Err(broken(format!("unknown stage `{other}`; expected vertex or geometry"))),
        }
    }

    fn shader(&self, container: &Container) -> Result<Shader, Outcome> {
        let choice = match (self.dvle, self.stage()?) {
            (Some(index), _) => Choice::Index(index),
            (None, Some(stage)) => Choice::Stage(stage),
            (None, None) => Choice::First,
        };
        container.shader(choice).cloned().map_err(|error| broken(error.to_string()))
    }

    /// The uniforms: the container's constants, overridden by the case.
    fn uniforms(&self, shader: &Shader) -> Result<Uniforms, Outcome> {
        let mut uniforms = Uniforms::default();
        uniforms.apply(&shader.constants);
        for (register, words) in &self.uniforms {
            uniforms.float[number(register, 96)?] = vector(words)?;
        }
        uniforms.int.iter_mut().zip(&self.ints).for_each(|(slot, value)| *slot = *value);
        uniforms.bool.iter_mut().zip(&self.bools).for_each(|(slot, value)| *slot = *value != 0);
        Ok(uniforms)
    }

    fn tolerance(&self) -> Tolerance {
        let relative = self.tolerance.unwrap_or(TOLERANCE);
        Tolerance { relative, absolute: relative * ABSOLUTE }
    }

    fn check_outputs(&self, found: Option<&Outputs>) -> Result<(), Outcome> {
        let found = found.ok_or_else(|| Outcome::Fail("no vertex came out".into()))?;
        let mut expected = outputs(&self.outputs)?;
        if let Some(first) = &self.o0 {
            expected[0] = components(first)?;
        }
        self.compare(found, &expected, "")
    }

    /// Components in the case must exist and agree. Components that a program does not write are 0.
    fn compare(&self, found: &Outputs, expected: &Outputs, place: &str) -> Result<(), Outcome> {
        for register in 0..16 {
            for component in 0..4 {
                let Some(expected) = expected[register][component] else { continue };
                let found = found[register][component].unwrap_or(0.0);
                if !self.tolerance().accepts(found, expected) {
                    return Err(Outcome::Fail(format!(
                        "{place}o{register}[{component}] is {found:?}, expected {expected:?}"
                    )));
                }
            }
        }
        Ok(())
    }

    fn expected_primitives(&self) -> Result<Vec<(bool, Vec<Outputs>)>, Outcome> {
        let list = self.primitives.iter().flatten();
        list.map(|primitive| {
            let vertices = primitive.vertices.iter().map(outputs).collect::<Result<Vec<_>, _>>()?;
            Ok((primitive.inverted, vertices))
        })
        .collect()
    }

    fn check_primitives(
        &self,
        found: &(u32, Vec<super::run::Completed>),
        expected: &[(bool, Vec<Outputs>)],
    ) -> Result<(), Outcome> {
        if found.0 as usize != expected.len() {
            let message = format!("{} primitives, expected {}", found.0, expected.len());
            return Err(Outcome::Fail(message));
        }
        for (number, ((vertices, inverted), (flag, wanted))) in found.1.iter().zip(expected).enumerate() {
            if inverted != flag {
                return Err(Outcome::Fail(format!("primitive {number}: inverted is {inverted}")));
            }
            for (vertex, (found, expected)) in vertices.iter().zip(wanted).enumerate() {
                self.compare(found, expected, &format!("primitive {number}, vertex {vertex}: "))?;
            }
        }
        Ok(())
    }
}
