//! The state of a draw in a key, which determines the prologs and epilogs of vertex and fragment shaders.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use agx_abi::tile::ColourFormat;
use agx_abi::vertex_format::VertexFormat;
use agx_abi::{Stage, Target as Chip};
use agx_compiler::link::{AttributeKey, FragmentState, LinkPart, LogicOp, Target, VertexPrologKey};
use agx_compiler::{CompileError, CompileKey, CompiledShader, Compiler, Scratch, ShaderPart};
use serde::{Deserialize, Serialize};

use crate::diagnostic::Failure;
use crate::input::File;
use crate::scene::{BlendFile, Names, blending, choose, write_mask};

/// The state as JSON: the section `draw` of a key.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DrawFile {
    samples: u8,
    targets: Vec<Option<TargetFile>>,
    logic_op: Option<String>,
    alpha_to_coverage: bool,
    alpha_to_one: bool,
    sample_mask: u8,
    attributes: Vec<AttributeFile>,
}

impl Default for DrawFile {
    fn default() -> Self {
        DrawFile {
            samples: 1,
            targets: Vec::new(),
            logic_op: None,
            alpha_to_coverage: false,
            alpha_to_one: false,
            sample_mask: 0xff,
            attributes: Vec::new(),
        }
    }
}

/// A render target as JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TargetFile {
    /// Vulkan's name without prefix.
    format: String,
    /// Letters of the written components.
    #[serde(default = "all_components")]
    write_mask: String,
    #[serde(default)]
    blend: Option<BlendFile>,
}

fn all_components() -> String {
    "rgba".into()
}

/// A vertex attribute as JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AttributeFile {
    location: u32,
    /// Vulkan's name without prefix.
    format: String,
    stride: u32,
    /// Instances that share an element; absent for an attribute per vertex.
    #[serde(default)]
    divisor: Option<u32>,
    /// Alignment of the address of the first element, in bytes.
    #[serde(default = "word")]
    alignment: u32,
}

fn word() -> u32 {
    4
}

const LOGIC_OPS: Names<LogicOp> = &[
    ("clear", LogicOp::Clear),
    ("and", LogicOp::And),
    ("and_reverse", LogicOp::AndReverse),
    ("copy", LogicOp::Copy),
    ("and_inverted", LogicOp::AndInverted),
    ("no_op", LogicOp::NoOp),
    ("xor", LogicOp::Xor),
    ("or", LogicOp::Or),
    ("nor", LogicOp::Nor),
    ("equivalent", LogicOp::Equivalent),
    ("invert", LogicOp::Invert),
    ("or_reverse", LogicOp::OrReverse),
    ("copy_inverted", LogicOp::CopyInverted),
    ("or_inverted", LogicOp::OrInverted),
    ("nand", LogicOp::Nand),
    ("set", LogicOp::Set),
];

/// `stop`, without the padding that the linker adds after it.
const STOP: [u8; 2] = [0x88, 0];

/// The state of a draw.
pub struct Draw {
    fragment: FragmentState,
    attributes: Vec<AttributeKey>,
    /// Compile shaders and state as one program instead of parts.
    whole: bool,
}

impl Draw {
    /// The state of a file.
    pub fn new(file: &DrawFile, whole: bool) -> Result<Draw, String> {
        Ok(Draw { fragment: fragment(file)?, attributes: attributes(file)?, whole })
    }

    /// The key of the attribute at a location.
    fn source(&self, location: u32) -> Option<AttributeKey> {
        self.attributes.iter().find(|known| known.location == location).copied()
    }

    /// `shader` with its prolog and epilog, as separate parts or compiled as a whole, and with the statistics of all of
    /// it. Compute shaders have neither.
    pub fn complete(
        &self,
        shader: CompiledShader,
        file: &File,
        chip: Chip,
        key: &CompileKey,
    ) -> Result<CompiledShader, Failure> {
        let compiler = Compiler::new(chip);
        let done = match (self.whole, shader.info.stage) {
            (_, Stage::Compute) => Ok(shader),
            (true, stage) => self.whole(&compiler, stage, file, key)?,
            (false, Stage::Vertex) => self.vertex_parts(&compiler, shader),
            (false, Stage::Fragment) => self.fragment_parts(&compiler, shader),
        };
        done.map_err(|error| file.refused(error))
    }

    fn whole(
        &self,
        compiler: &Compiler,
        stage: Stage,
        file: &File,
        key: &CompileKey,
    ) -> Result<Result<CompiledShader, CompileError>, Failure> {
        let (scratch, input) = (&mut Scratch::default(), file.shader(key)?);
        let whole = match stage {
            Stage::Vertex => compiler.whole_vertex(scratch, input, key, |location| self.source(location)),
            _ => compiler.whole_fragment(scratch, input, key, &self.fragment),
        };
        Ok(whole.map(|whole| whole.shader))
    }

    /// The shader and its prolog.
    fn vertex_parts(
        &self,
        compiler: &Compiler,
        mut shader: CompiledShader,
    ) -> Result<CompiledShader, CompileError> {
        let (scratch, options) = (&mut Scratch::default(), &CompileKey::default());
        let source = |location| self.source(location);
        let prolog = VertexPrologKey::new(&shader.info, source);
        if !prolog.is_needed() {
            return Ok(shader);
        }
        let part = compiler.vertex_prolog(scratch, &prolog, options)?;
        let program = compiler.vertex_program(scratch, &shader, source, options)?;
        shader.stats = program.statistics(&shader);
        shader.info = program.info(&shader.info);
        shader.parts.push(as_part(part));
        Ok(shader)
    }

    /// The shader, its prolog if it needs one, and its epilog, which ends as the linker ends programs. The linker's
    /// loop over samples is not a part.
    fn fragment_parts(
        &self,
        compiler: &Compiler,
        mut shader: CompiledShader,
    ) -> Result<CompiledShader, CompileError> {
        let (scratch, options) = (&mut Scratch::default(), &CompileKey::default());
        let keys = self.fragment.keys(&shader.info)?;
        let program = compiler.fragment_program(scratch, &shader, &self.fragment, options)?;
        if keys.prolog.is_needed() {
            shader.parts.push(as_part(compiler.fragment_prolog(scratch, &keys.prolog, options)?));
        }
        let mut epilog = as_part(compiler.fragment_epilog(scratch, &keys.epilog, options)?);
        // The linker ends programs in the same way.
        epilog.code.extend(STOP);
        shader.stats = program.statistics(&shader);
        shader.parts.push(epilog);
        shader.info = program.info(&shader.info);
        Ok(shader)
    }
}

/// A prolog or an epilog as a part of a shader.
fn as_part(part: LinkPart) -> ShaderPart {
    ShaderPart::new(part.role(), part.code)
}

fn fragment(file: &DrawFile) -> Result<FragmentState, String> {
    let mut state = FragmentState::default();
    state.samples = file.samples;
    state.alpha_to_coverage = file.alpha_to_coverage;
    state.alpha_to_one = file.alpha_to_one;
    state.sample_mask = file.sample_mask;
    if !matches!(file.samples, 1 | 2 | 4) {
        return Err(format!("draw.samples: expected 1, 2 or 4, found {}", file.samples));
    }
    let most = state.targets.len();
    if file.targets.len() > most {
        return Err(format!("draw.targets: expected at most {most}, found {}", file.targets.len()));
    }
    for (at, (target, place)) in file.targets.iter().zip(&mut state.targets).enumerate() {
        *place = target.as_ref().map(|target| render_target(at, target)).transpose()?;
    }
    let logic_op = |name: &String| choose("draw.logic_op", "logic operation", name, LOGIC_OPS);
    state.logic_op = file.logic_op.as_ref().map(logic_op).transpose()?;
    Ok(state)
}

fn render_target(at: usize, file: &TargetFile) -> Result<Target, String> {
    let at = format!("draw.targets[{at}]");
    let format = ColourFormat::from_name(&file.format)
        .ok_or_else(|| format!("{at}.format: {}", unknown_format(&file.format)))?;
    let blend = file.blend.as_ref().map(|blend| blending(&format!("{at}.blend"), blend)).transpose()?;
    Ok(Target { write_mask: write_mask(&at, &file.write_mask)?, blend, ..Target::new(format) })
}

/// The sentence about a name that no colour format has.
pub fn unknown_format(name: &str) -> String {
    let known: Vec<&str> = ColourFormat::ALL.iter().map(|format| format.desc().name).collect();
    format!("unknown colour format `{name}`; expected one of {}", known.join(", "))
}

fn attributes(file: &DrawFile) -> Result<Vec<AttributeKey>, String> {
    let attribute = |(at, found): (usize, &AttributeFile)| {
        let format = VertexFormat::from_name(&found.format).ok_or_else(|| {
            let name = &found.format;
            format!(
                "draw.attributes[{at}].format: unknown vertex attribute format `{name}`; expected a format of Vulkan \
                 without prefix, such as R32G32_SFLOAT or R8G8B8A8_UNORM"
            )
        })?;
        if file.attributes.iter().take(at).any(|earlier| earlier.location == found.location) {
            return Err(format!("draw.attributes[{at}]: location {} has another attribute", found.location));
        }
        if !found.alignment.is_power_of_two() {
            let alignment = found.alignment;
            return Err(format!(
                "draw.attributes[{at}].alignment: expected a power of two, found {alignment}"
            ));
        }
        let AttributeFile { location, stride, divisor, alignment, .. } = *found;
        Ok(AttributeKey { location, format, stride, divisor, alignment, exact: false })
    };
    file.attributes.iter().enumerate().map(attribute).collect()
}
