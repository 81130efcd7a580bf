//! `agxc run` for vertex shaders: the options give attributes and constants by name, one vertex runs through compiler
//! and machine, and its outputs are printed.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use std::fmt::Write;

use agx_abi::vertex::{Output, Varying};
use agx_abi::vertex_format::VertexFormat;
use agx_abi::{PartRole, Stage, agal};
use agx_compiler::link::{AttributeKey, Parts, VertexPrologKey, link};
use agx_compiler::{CompileKey, CompiledShader, Compiler, Scratch};
use agx_emulator::Options;
use agx_emulator::launch::{AttributeData, BufferBinding, StageProgram, VertexLaunch};
use clap::ArgMatches;

use crate::commands::with_key;
use crate::diagnostic::{Diagnostic, Failure};
use crate::input::File;
use crate::machine::{self, Outcome};
use crate::resources::Bindings;
use crate::{key, lint};

/// A register's contents.
pub type Vector = [f32; 4];

/// Bytes of a register.
const VECTOR_BYTES: usize = 16;

/// Number of constant registers in a run.
const REGISTERS: usize = 1024;

/// Maximum number of attributes of a vertex.
const ATTRIBUTES: usize = 32;

/// Names of registers on the command line.
struct Names {
    language: &'static str,
    /// Prefix of attributes, before the location.
    attribute: &'static str,
    /// Prefix of constants, before the number, with the set and binding of their buffer.
    constant: Option<(&'static str, (u32, u32))>,
}

/// The last row is for other languages.
const NAMES: &[Names] = &[
    Names { language: "agal", attribute: "va", constant: Some(("vc", agal::VERTEX_CONSTANTS)) },
    Names { language: "tgsi", attribute: "in", constant: Some(("const", (0, 0))) },
    Names { language: "", attribute: "location", constant: None },
];

/// Contents of the registers of a vertex.
struct Registers {
    attributes: Vec<Vector>,
    /// Locations of the attributes that are given.
    given: Vec<usize>,
    constants: Vec<Vector>,
}

impl Registers {
    fn read<'s>(names: &Names, settings: impl Iterator<Item = &'s String>) -> Result<Registers, Failure> {
        let mut registers = Registers {
            attributes: vec![[0.0, 0.0, 0.0, 1.0]; ATTRIBUTES],
            given: Vec::new(),
            constants: vec![[0.0; 4]; REGISTERS],
        };
        for setting in settings {
            registers.set(names, setting).ok_or_else(|| {
                let constant = names.constant.map_or(String::new(), |(name, _)| format!(" or {name}0=…"));
                let attribute = names.attribute;
                Failure::usage(format!(
                    "--register `{setting}`: expected {attribute}0=…{constant} with up to four numbers"
                ))
            })?;
        }
        Ok(registers)
    }

    /// Sets a register: `va0=1,2,3,1`.
    fn set(&mut self, names: &Names, setting: &str) -> Option<()> {
        let (name, values) = setting.split_once('=')?;
        let digits = name.find(|letter: char| letter.is_ascii_digit())?;
        let (kind, number) = name.split_at_checked(digits)?;
        let number: usize = number.parse().ok()?;
        let registers = match names.constant {
            _ if kind.eq_ignore_ascii_case(names.attribute) => &mut self.attributes,
            Some((constant, _)) if kind.eq_ignore_ascii_case(constant) => &mut self.constants,
            _ => return None,
        };
        let vector = registers.get_mut(number)?;
        let parts: Vec<&str> = values.split(',').map(str::trim).collect();
        if parts.len() > vector.len() {
            return None;
        }
        for (slot, part) in vector.iter_mut().zip(&parts) {
            *slot = part.parse().ok()?;
        }
        if kind.eq_ignore_ascii_case(names.attribute) {
            self.given.push(number);
        }
        Some(())
    }
}

fn bytes(vectors: &[Vector]) -> Vec<u8> {
    vectors.iter().flatten().flat_map(|value| value.to_le_bytes()).collect()
}

/// A run: its outputs as text, and how it went.
pub struct Ran {
    /// A line for each output.
    pub text: String,
    /// Counts, trace, failure.
    pub outcome: Outcome,
    /// Warnings on its options.
    pub warnings: Vec<Diagnostic>,
}

/// Runs one vertex of a shader of any language. The shader may write to buffers and images.
///
/// # Errors
/// Registers that the language does not have, and errors of compiler and linker.
pub fn run(
    file: &File,
    options: &ArgMatches,
    bindings: &mut Bindings,
    machine: Options,
) -> Result<Ran, Failure> {
    let (target, mut key) = key::for_file(file, options)?;
    let known = NAMES.iter().find(|names| names.language == file.kind.name());
    let Some(names) = known.or(NAMES.last()) else {
        return Err(Failure::usage("a language without registers".to_owned()));
    };
    let settings = options.get_many::<String>("register").into_iter().flatten();
    let registers = Registers::read(names, settings)?;
    if let Some((_, (set, binding))) = names.constant
        && !bindings.buffers.iter().any(|known| (known.set, known.binding) == (set, binding))
    {
        let bytes = bytes(&registers.constants);
        bindings.buffers.push(BufferBinding { set, binding, element: 0, bytes, writable: false });
    }
    (key.stage, key.vertex_as_compute) = (Some(Stage::Vertex), true);
    let compiled = with_key(file, target, &key)?;
    let attributes = bytes(&registers.attributes);
    let mut ran = launch(&Compiler::new(target), (file, &compiled, &key), &attributes, bindings, machine)?;
    let is_read = |at: &&usize| compiled.info.attributes.iter().any(|found| found.location as usize == **at);
    let unread = registers.given.iter().filter(|at| !is_read(at));
    let warning = |at: &usize| lint::unused_attribute(file, &format!("{}{at}", names.attribute));
    ran.warnings.extend(unread.map(warning));
    Ok(ran)
}

/// Runs one vertex of a shader that was compiled to run as a compute shader. `attributes` has 16 bytes for each location.
///
/// # Errors
/// Errors of the linker.
pub fn launch(
    compiler: &Compiler,
    (file, shader, key): (&File, &CompiledShader, &CompileKey),
    attributes: &[u8],
    bindings: &mut Bindings,
    machine: Options,
) -> Result<Ran, Failure> {
    let info = &shader.info;
    let attribute = |location| {
        let format = VertexFormat::from_name("R32G32B32A32_SFLOAT")?;
        Some(AttributeKey { alignment: 16, ..AttributeKey::new(location, format, 0) })
    };
    let prolog = VertexPrologKey::new(info, attribute);
    let prolog = compiler
        .vertex_prolog(&mut Scratch::default(), &prolog, key)
        .map_err(|error| Diagnostic::from_compiler(error, &file.name))?;
    let main = shader.part(PartRole::Main).unwrap_or_default();
    let parts = Parts { main, info, prolog: Some(&prolog), epilog: None, sample_loop: None, outputs: None };
    let program = link(&parts).map_err(|error| file.problem(400, &error.to_string()))?;
    let of = |location: u32| AttributeData {
        bytes: attributes,
        offset: VECTOR_BYTES.saturating_mul(location as usize),
        stride: 0,
        element_bytes: VECTOR_BYTES,
    };
    let attributes: Vec<AttributeData<'_>> =
        info.attributes.iter().map(|attribute| of(attribute.location)).collect();
    let launch = VertexLaunch {
        program: StageProgram {
            code: &program.code,
            preamble: shader.part(PartRole::Preamble),
            info,
            scratch_bytes: program.scratch_bytes,
            push_constants: &bindings.push_constants,
        },
        buffers: &mut bindings.buffers,
        textures: &mut bindings.textures,
        samplers: &bindings.samplers,
        attributes: &attributes,
        vertices: 1,
        instances: 1,
        options: machine,
    };
    let (words, result) = match launch.run() {
        Ok((words, report)) => (words, Ok(report)),
        Err(error) => (Vec::new(), Err(error)),
    };
    let outcome = machine::outcome(result, &file.name);
    Ok(Ran { text: outputs(&words, &info.varyings, ""), outcome, warnings: Vec::new() })
}

/// A line for the position and for each location.
pub fn outputs(words: &[u8], varyings: &[Varying], indent: &str) -> String {
    let mut text = String::new();
    let mut last = None;
    for (bytes, varying) in words.chunks_exact(4).zip(varyings) {
        let place = match varying.output {
            Output::User { location, .. } => format!("location {location}"),
            Output::PointSize => "point size".to_owned(),
            Output::ClipDistance(_) => "clip distances".to_owned(),
            _ => "position".to_owned(),
        };
        let value = bytes.first_chunk().map_or(0.0, |bytes| f32::from_le_bytes(*bytes));
        let separator = match last.replace(place.clone()) {
            Some(before) if before == place => ", ".to_owned(),
            Some(_) => format!("\n{indent}{place}: "),
            None => format!("{indent}{place}: "),
        };
        // Writing to a string does not fail.
        let written = write!(text, "{separator}{value:?}");
        debug_assert!(written.is_ok(), "a string takes any text");
    }
    text.push('\n');
    text
}
