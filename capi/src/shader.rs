//! Compiled shaders and their properties.

use agx_abi::layout::FieldValue;
use agx_abi::{PartRole, SamplerBinding, ShaderInfo, Stage, UniformRange};
use agx_compiler::{CompiledShader, FIGURES, Figure, Input, Language, Texts};

use crate::bytes::{AgxBuffer, AgxText};
use crate::error::AgxError;
use crate::key::{AgxCompiler, AgxKey, AgxStage, numbered};

/// A compiled shader. Immutable.
pub struct AgxShader(pub(crate) CompiledShader);

/// Parts of shaders.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgxPart {
    /// The shader proper.
    Main = 0,
    /// The preamble, which runs once before all invocations and writes uniforms.
    Preamble = 1,
}

/// Information about a shader for its driver.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxShaderInfo {
    /// Its stage.
    pub stage: AgxStage,
    /// Size of a workgroup (compute).
    pub workgroup_size: [u32; 3],
    /// Half-registers of the main part.
    pub gpr_halves: u16,
    /// Half-registers of the preamble; 0 if there is none.
    pub preamble_gpr_halves: u16,
    /// Uniform half-words in use.
    pub uniform_halves: u16,
    /// Threadgroup memory in bytes.
    pub local_bytes: u32,
    /// Stack memory of a lane in bytes.
    pub scratch_bytes: u32,
    /// Stack memory of the preamble in bytes.
    pub preamble_scratch_bytes: u32,
    /// The shader writes device memory.
    pub writes_memory: bool,
    /// The shader has a workgroup barrier.
    pub uses_barrier: bool,
}

impl From<&ShaderInfo> for AgxShaderInfo {
    fn from(info: &ShaderInfo) -> AgxShaderInfo {
        AgxShaderInfo {
            stage: info.stage.into(),
            workgroup_size: info.workgroup_size,
            gpr_halves: info.gpr_halves,
            preamble_gpr_halves: info.preamble_gpr_halves,
            uniform_halves: info.uniform_halves,
            local_bytes: info.local_bytes,
            scratch_bytes: info.scratch_bytes,
            preamble_scratch_bytes: info.preamble_scratch_bytes,
            writes_memory: info.writes_memory,
            uses_barrier: info.uses_barrier,
        }
    }
}

/// A range of the uniform file that the driver fills.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxUniform {
    /// First half-word.
    pub start: u16,
    /// Half-words.
    pub halves: u16,
    /// The contents of the range, by the names of docs/abi.md: `buffer_address`, `push_constants`, …
    pub source: AgxText,
    /// Number of the source's fields: set, binding, element, …
    pub fields: usize,
}

impl From<&UniformRange> for AgxUniform {
    fn from(range: &UniformRange) -> AgxUniform {
        AgxUniform {
            start: range.start,
            halves: range.halves,
            source: range.source.desc().name.into(),
            fields: range.source.fields().len(),
        }
    }
}

/// A field of the source of a uniform range.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxField {
    /// Its name.
    pub name: AgxText,
    /// Its value if it is a number, else 0.
    pub number: u32,
    /// Its value if it is a word, else empty.
    pub word: AgxText,
}

impl From<(&'static str, FieldValue)> for AgxField {
    fn from((name, value): (&'static str, FieldValue)) -> AgxField {
        let (number, word) = match value {
            FieldValue::Number(number) => (number, ""),
            FieldValue::Word(word) => (0, word),
        };
        AgxField { name: name.into(), number, word: word.into() }
    }
}

/// The contents of a texture or sampler state register.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxStateRegister {
    /// `texture` or `image`; `sampler`, or `loads` for the sampler of loads by integer coordinates, which has
    /// no set.
    pub kind: AgxText,
    /// Descriptor set.
    pub set: u32,
    /// Binding within the set.
    pub binding: u32,
    /// Array element.
    pub element: u32,
}

/// A statistic.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxFigure {
    /// Name in text.
    pub title: AgxText,
    /// Name in data.
    pub key: AgxText,
    /// Its meaning, in one sentence.
    pub description: AgxText,
    /// Whether higher values are better; for most statistics lower ones are.
    pub higher_is_better: bool,
}

impl From<&Figure> for AgxFigure {
    fn from(figure: &Figure) -> AgxFigure {
        AgxFigure {
            title: figure.title.into(),
            key: figure.key.into(),
            description: figure.description.into(),
            higher_is_better: figure.higher_is_better,
        }
    }
}

/// Compiles bytes in the language `language`.
pub(crate) fn compile(
    compiler: &mut AgxCompiler,
    language: &str,
    bytes: &[u8],
    key: &AgxKey,
) -> Result<AgxShader, AgxError> {
    let input = input(language, bytes, key)?;
    Ok(AgxShader(compiler.compiler.compile(&mut compiler.scratch, input, &key.0)?))
}

/// Compiles bytes in the language `language`, and returns the intermediate texts.
pub(crate) fn compile_with_texts(
    compiler: &mut AgxCompiler,
    language: &str,
    bytes: &[u8],
    key: &AgxKey,
) -> Result<(AgxShader, Texts), AgxError> {
    let input = input(language, bytes, key)?;
    let made = compiler.compiler.compile_with_texts(&mut compiler.scratch, input, &key.0)?;
    Ok((AgxShader(made.0), made.1))
}

/// An element of a list by its number.
pub(crate) fn element<'l, T>(what: &str, list: &'l [T], at: usize) -> Result<&'l T, AgxError> {
    list.get(at).ok_or_else(|| AgxError::argument(format!("{what} {at}: there are {}", list.len())))
}

/// The bytes and the language of an input.
pub(crate) fn input<'i>(language: &str, bytes: &'i [u8], key: &AgxKey) -> Result<Input<'i>, AgxError> {
    let language = Language::find(language)
        .ok_or_else(|| AgxError::argument(format!("unknown language `{language}`")))?;
    Ok(Input { stage: key.0.stage, ..Input::new(language, bytes) })
}

impl AgxShader {
    /// Checks the stage of a shader that is an argument.
    pub(crate) fn expect(&self, wanted: Stage, what: &str) -> Result<(), AgxError> {
        match self.0.info.stage {
            found if found == wanted => Ok(()),
            found => {
                Err(AgxError::argument(format!("{what} is a {found} shader: expected a {wanted} shader")))
            }
        }
    }

    /// Code of a part; empty if the shader does not have it.
    pub(crate) fn part(&self, number: u32) -> Result<&[u8], AgxError> {
        Ok(self.0.part(role(number)?).unwrap_or_default())
    }

    /// Assembly of a part; empty if the shader does not have it.
    pub(crate) fn assembly(&self, number: u32) -> Result<AgxBuffer, AgxError> {
        Ok(AgxBuffer(self.0.assembly(role(number)?).unwrap_or_default().into_bytes()))
    }

    /// A field of the source of a uniform range.
    pub(crate) fn uniform_field(&self, at: usize, field: usize) -> Result<AgxField, AgxError> {
        let range = element("uniform range", &self.0.info.uniforms, at)?;
        Ok((*element("field", &range.source.fields(), field)?).into())
    }

    /// The contents of a texture state register.
    pub(crate) fn texture(&self, at: usize) -> Result<AgxStateRegister, AgxError> {
        let found = element("texture register", &self.0.info.textures, at)?;
        let (set, binding, element) = (found.set, found.binding, found.element);
        Ok(AgxStateRegister { kind: found.kind.name().into(), set, binding, element })
    }

    /// A statistic.
    pub(crate) fn statistic(&self, at: usize) -> Result<u32, AgxError> {
        Ok((element("statistic", FIGURES, at)?.value)(&self.0.stats))
    }
}

/// The role with this number.
fn role(number: u32) -> Result<PartRole, AgxError> {
    numbered("part", &[PartRole::Main, PartRole::Preamble], number)
}

/// A sampler state register in the header's form.
pub(crate) fn sampler(binding: &SamplerBinding) -> AgxStateRegister {
    match *binding {
        SamplerBinding::Bound { set, binding, element } => {
            AgxStateRegister { kind: "sampler".into(), set, binding, element }
        }
        SamplerBinding::Paired { set, binding, element, .. } => {
            AgxStateRegister { kind: "paired".into(), set, binding, element }
        }
        SamplerBinding::Loads => AgxStateRegister { kind: "loads".into(), set: 0, binding: 0, element: 0 },
    }
}
