//! Cases from files: a program, its inputs, and its expected outputs. docs/tgsi.md describes the format.

use std::collections::BTreeMap;
use std::path::Path;

use agx_compiler::CompileKey;
use agx_tgsi::{File, Processor, Shader, parse};
use serde::Deserialize;

use super::directives::{Kind, Numbers};
use super::{Scene, Vector, compile, compute, fragment, is_close, judge::output, vertex};
use crate::outcome::Outcome;
use crate::pica::Word;

/// A vector or list of words in a file.
type Words = Vec<Word>;

/// A case in the file's form.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Case {
    /// Name.
    #[serde(alias = "name")]
    pub case: String,
    /// A file with the program, relative to the file of the case.
    pub program: Option<String>,
    /// The program, if no file is given.
    pub text: String,
    /// Options of the front end.
    pub options: BTreeMap<String, u64>,
    /// Vectors of constant buffers, by number.
    pub constants: BTreeMap<String, Vec<Words>>,
    /// Words of buffers, by number.
    pub buffers: BTreeMap<String, Words>,
    /// Workgroups of a compute program.
    pub workgroups: Option<[u32; 3]>,
    /// Input registers of one vertex, or of all fragments.
    pub inputs: Vec<Words>,
    /// Expected outputs by semantic: `POSITION`, `GENERIC[3]`, `COLOR[0]`.
    pub outputs: BTreeMap<String, Words>,
    /// Expected words of buffers, by number.
    pub expected: BTreeMap<String, Words>,
    /// Whether the fragments are discarded.
    pub discarded: bool,
    /// Relative tolerance.
    pub tolerance: Option<f32>,
}

fn bits(word: &Word) -> Result<Option<u32>, Outcome> {
    match word {
        Word::Number(number) => Ok(Some((*number as f32).to_bits())),
        Word::Bits(text) => {
            let digits = text.trim_start_matches("0x");
            let bits = u32::from_str_radix(digits, 16);
            bits.map(Some).map_err(|_| Outcome::Fail(format!("`{text}` is not a word in hexadecimal digits")))
        }
        Word::Any(()) => Ok(None),
    }
}

fn vector(words: &[Word]) -> Result<Vector, Outcome> {
    let mut vector = [0; 4];
    for (component, word) in vector.iter_mut().zip(words) {
        *component = bits(word)?.unwrap_or(0);
    }
    Ok(vector)
}

fn number(text: &str) -> Result<u32, Outcome> {
    text.parse().map_err(|_| Outcome::Fail(format!("`{text}` is not a number")))
}

impl Case {
    /// Runs the case; `folder` is the folder of its file.
    pub fn run(&self, folder: &Path, key: &CompileKey, seed: u64) -> Outcome {
        self.result(folder, key, seed).into()
    }

    fn result(&self, folder: &Path, key: &CompileKey, seed: u64) -> Result<(), Outcome> {
        let text = match &self.program {
            None => self.text.clone(),
            Some(name) => {
                let read = std::fs::read_to_string(folder.join(name));
                read.map_err(|error| Outcome::Fail(format!("{name}: {error}")))?
            }
        };
        let mut key = key.clone();
        key.options.extend(self.options.iter().map(|(name, value)| (name.clone(), *value)));
        let shader = parse(&text).map_err(|error| Outcome::Fail(format!("parse: {error}")))?;
        let scene = self.scene(&shader)?;
        match shader.processor {
            Processor::Vertex => self.vertex(&text, &scene, &key, seed),
            Processor::Fragment => self.fragment(&text, &shader, &scene, &key),
            Processor::Compute => self.compute(&text, &scene, &key, seed),
            _ => compile(&text, &key).map(|_| ()),
        }
    }

    /// The inputs of the case, and zeros for the rest.
    fn scene(&self, shader: &Shader) -> Result<Scene, Outcome> {
        let mut scene = Scene::random(shader, Kind::Unit, &mut Numbers::new(1), false);
        for (bytes, _) in scene.buffers.values_mut() {
            if bytes.len() > 4 {
                bytes.fill(0);
            }
        }
        for (name, vectors) in &self.constants {
            let mut bytes = Vec::new();
            for words in vectors {
                bytes.extend(vector(words)?.iter().flat_map(|word| word.to_le_bytes()));
            }
            let known = scene.buffers.entry((0, number(name)?)).or_default();
            bytes.resize(bytes.len().max(known.0.len()), 0);
            known.0 = bytes;
        }
        for (name, words) in &self.buffers {
            let mut bytes = Vec::new();
            for word in words {
                bytes.extend(bits(word)?.unwrap_or(0).to_le_bytes());
            }
            scene.buffers.insert((super::scene::BUFFERS, number(name)?), (bytes, true));
        }
        Ok(scene)
    }

    fn compute(&self, text: &str, scene: &Scene, key: &CompileKey, seed: u64) -> Result<(), Outcome> {
        let (found, _) = compute::on_machine(text, scene, self.workgroups.unwrap_or([1; 3]), key, seed)?;
        self.compare_buffers(&found)
    }

    fn compare_buffers(&self, found: &[agx_emulator::launch::BufferBinding]) -> Result<(), Outcome> {
        for (name, words) in &self.expected {
            let binding = number(name)?;
            let buffer =
                found.iter().find(|buffer| (buffer.set, buffer.binding) == (super::scene::BUFFERS, binding));
            let bytes = buffer.map_or(&[][..], |buffer| &buffer.bytes);
            for (at, word) in words.iter().enumerate() {
                let found = bytes
                    .get(4 * at..4 * at + 4)
                    .map_or(0, |word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
                self.close(found, word, || format!("buffer {name} word {at}"))?;
            }
        }
        Ok(())
    }

    fn close(&self, found: u32, wanted: &Word, what: impl Fn() -> String) -> Result<(), Outcome> {
        let Some(wanted) = bits(wanted)? else { return Ok(()) };
        if is_close(found, wanted, self.tolerance.unwrap_or(1e-6)) {
            return Ok(());
        }
        let [a, b] = [found, wanted].map(f32::from_bits);
        Err(Outcome::Fail(format!("{}: {found:#010x} ({a}) instead of {wanted:#010x} ({b})", what())))
    }

    fn vertex(&self, text: &str, scene: &Scene, key: &CompileKey, seed: u64) -> Result<(), Outcome> {
        let registers = self.inputs.iter().map(|words| vector(words)).collect::<Result<Vec<_>, _>>()?;
        let found = vertex::on_machine(text, scene, &[registers], key, seed)?;
        let found = found.first().cloned().unwrap_or_default();
        for (name, words) in &self.outputs {
            let semantic = semantic(name)?;
            for (component, word) in (0..).zip(words) {
                let place = output(semantic.0, semantic.1, component);
                let value = found.iter().find(|(output, _)| Some(*output) == place);
                let value = value.map_or(0, |(_, word)| *word);
                self.close(value, word, || format!("{name}.{component}"))?;
            }
        }
        Ok(())
    }

    fn fragment(&self, text: &str, shader: &Shader, scene: &Scene, key: &CompileKey) -> Result<(), Outcome> {
        let mut inputs = Vec::new();
        for words in &self.inputs {
            inputs.push(vector(words)?.map(|word| [f32::from_bits(word), 0.0, 0.0]));
        }
        inputs.resize(inputs.len().max(shader.size_of(File::Input) as usize), [[0.0; 3]; 4]);
        let drawn = fragment::on_machine(text, shader, scene, &inputs, 1, key)?;
        let found = drawn.colours.first().cloned().unwrap_or_default();
        for (name, words) in &self.outputs {
            let (_, target) = semantic(name)?;
            let colour = found.get(target as usize).copied().unwrap_or_default();
            for (component, (found, word)) in colour.iter().zip(words).enumerate() {
                self.close(*found, word, || format!("{name}.{component}"))?;
            }
        }
        let cleared = fragment::CLEARED.map(f32::to_bits);
        let is_discarded = found.first().is_some_and(|colour| *colour == cleared);
        if self.discarded != is_discarded && (self.discarded || self.outputs.is_empty()) {
            return Err(Outcome::Fail(format!("discarded: {is_discarded} instead of {}", self.discarded)));
        }
        self.compare_buffers(&drawn.buffers)
    }
}

/// `GENERIC[3]` as name and index.
fn semantic(text: &str) -> Result<(agx_tgsi::SemanticName, u32), Outcome> {
    let (name, index) = text.split_once('[').unwrap_or((text, "0]"));
    let name = agx_tgsi::SemanticName::from_name(name);
    let name = name.ok_or_else(|| Outcome::Fail(format!("unknown semantic `{text}`")))?;
    Ok((name, number(index.trim_end_matches(']'))?))
}
