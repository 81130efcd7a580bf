//! `agxc run` for PICA200 programs: the options give registers by name, one vertex or primitive runs through compiler
//! and machine, and its outputs are printed.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use agx_abi::Stage;
use agx_abi::pica200::{
    GEOMETRY_HEAD_BYTES, GEOMETRY_INPUT, GEOMETRY_OUTPUT, SET, UNIFORMS, primitive_bytes, stretch_bytes,
    uniform_block,
};
use agx_compiler::{CompileKey, CompiledShader, Compiler};
use agx_emulator::Options;
use agx_emulator::launch::BufferBinding;
use agx_pica200::container::Choice;
use agx_pica200::interpret::{Uniforms, Vector};
use agx_pica200::{Container, Shader, Stage as PicaStage};
use clap::ArgMatches;

use crate::commands::with_key;
use crate::diagnostic::Failure;
use crate::input::{File, Kind};
use crate::machine::{self, Job};
use crate::resources::Bindings;
use crate::vertex::{self, Ran, outputs};
use crate::{formats, key};

/// Maximum number of primitives of a run.
const CAPACITY: u32 = 64;

/// Whether a file is run by this module.
pub fn is_pica200(file: &File) -> bool {
    matches!(file.kind, Kind::Shader(language) if language.name == "pica200")
}

/// Contents of registers.
struct Registers {
    uniforms: Uniforms,
    inputs: [Vector; 16],
    /// Number of input registers up to the last one that is given.
    given: usize,
}

/// Runs one vertex or primitive and returns its outputs as text.
pub fn run(file: &File, options: &ArgMatches, machine: Options) -> Result<Ran, Failure> {
    let container = formats::pica200(file)?;
    let (target, mut key) = key::for_file(file, options)?;
    let shader = chosen(&container, &key, file)?;
    let settings = options.get_many::<String>("register").into_iter().flatten();
    let registers = Registers::read(shader, settings)?;
    let compiler = Compiler::new(target);
    if shader.stage == PicaStage::Geometry {
        key.stage = Some(Stage::Compute);
        let compiled = with_key(file, target, &key)?;
        return Ok(primitives(&compiled, &registers, file, machine));
    }
    (key.stage, key.vertex_as_compute) = (Some(Stage::Vertex), true);
    let compiled = with_key(file, target, &key)?;
    let attributes = registers.input_bytes(registers.inputs.len());
    let mut bindings = Bindings { buffers: vec![registers.block()], ..Bindings::default() };
    vertex::launch(&compiler, (file, &compiled, &key), &attributes, &mut bindings, machine)
}

/// The shader that the key selects, by the compiler's rule.
fn chosen<'c>(container: &'c Container, key: &CompileKey, file: &File) -> Result<&'c Shader, Failure> {
    let index = key.options.iter().rev().find(|(name, _)| name == "dvle").map(|(_, index)| *index as usize);
    let choice = match (index, key.stage) {
        (Some(index), _) => Choice::Index(index),
        (None, Some(Stage::Compute)) => Choice::Stage(PicaStage::Geometry),
        (None, Some(_)) => Choice::Stage(PicaStage::Vertex),
        (None, None) => Choice::First,
    };
    container.shader(choice).map_err(|error| file.problem(200, &error.to_string()))
}

impl Registers {
    /// The container's constants, overridden by the settings.
    fn read<'s>(shader: &Shader, settings: impl Iterator<Item = &'s String>) -> Result<Registers, Failure> {
        let mut registers = Registers { uniforms: Uniforms::default(), inputs: [[0.0; 4]; 16], given: 0 };
        registers.uniforms.apply(&shader.constants);
        for setting in settings {
            registers.set(setting).ok_or_else(|| {
                Failure::usage(format!(
                    "--register `{setting}`: expected v0–v15 or c0–c95 with up to four numbers, i0–i3 with three \
                     bytes, or b0–b15 with 0 or 1"
                ))
            })?;
        }
        Ok(registers)
    }

    /// Sets a register: `v0=1,2,3,1`.
    fn set(&mut self, setting: &str) -> Option<()> {
        let (name, values) = setting.split_once('=')?;
        let (file, number) = name.split_at_checked(1)?;
        let number: usize = number.parse().ok()?;
        let parts: Vec<&str> = values.split(',').map(str::trim).collect();
        match file {
            "v" | "c" => {
                let vectors: &mut [Vector] =
                    if file == "v" { &mut self.inputs } else { &mut self.uniforms.float };
                let vector = vectors.get_mut(number).filter(|_| parts.len() <= 4)?;
                for (slot, part) in vector.iter_mut().zip(&parts) {
                    *slot = part.parse().ok()?;
                }
                if file == "v" {
                    self.given = self.given.max(number.saturating_add(1));
                }
            }
            "i" => {
                let vector = self.uniforms.int.get_mut(number).filter(|_| parts.len() <= 4)?;
                for (slot, part) in vector.iter_mut().zip(&parts) {
                    *slot = part.parse().ok()?;
                }
            }
            "b" => {
                *self.uniforms.bool.get_mut(number)? = match values {
                    "1" | "true" => true,
                    "0" | "false" => false,
                    _ => return None,
                };
            }
            _ => return None,
        }
        Some(())
    }

    /// The uniform buffer.
    fn block(&self) -> BufferBinding {
        let uniforms = &self.uniforms;
        buffer(UNIFORMS, uniform_block(&uniforms.float, &uniforms.int, &uniforms.bool), false)
    }

    fn input_bytes(&self, count: usize) -> Vec<u8> {
        self.inputs.iter().take(count).flatten().flat_map(|value| value.to_le_bytes()).collect()
    }
}

fn buffer(binding: u32, bytes: Vec<u8>, writable: bool) -> BufferBinding {
    BufferBinding { set: SET, binding, element: 0, bytes, writable }
}

fn primitives(shader: &CompiledShader, registers: &Registers, file: &File, machine: Options) -> Ran {
    let varyings = &shader.info.varyings;
    let words = varyings.len() as u32;
    let head = [1, registers.given as u32, CAPACITY, 0];
    let mut input: Vec<u8> = head.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
    input.extend(registers.input_bytes(registers.given.max(1)));
    let output = vec![0; stretch_bytes(words, CAPACITY) as usize];
    let mut buffers =
        [registers.block(), buffer(GEOMETRY_INPUT, input, false), buffer(GEOMETRY_OUTPUT, output, true)];
    let job = Job {
        name: &file.name,
        samplers: &[],
        push_constants: &[],
        arguments: &[],
        results: 0,
        workgroups: [1; 3],
        options: machine,
    };
    let outcome = machine::run(shader, &mut buffers, &mut [], &job);
    let bytes = &buffers[2].bytes;
    let count = bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let plural = if count == 1 { "" } else { "s" };
    let mut text = format!("{count} primitive{plural}\n");
    let head = GEOMETRY_HEAD_BYTES as usize;
    let records = bytes.get(head..).unwrap_or_default().chunks_exact(primitive_bytes(words) as usize);
    for (number, record) in records.take(count as usize).enumerate() {
        let inverted = record.first().is_some_and(|flags| flags & 1 != 0);
        let winding = if inverted { ", inverted" } else { "" };
        text.push_str(&format!("primitive {number}{winding}\n"));
        let vertices =
            record.get(head..).unwrap_or_default().chunks_exact(varyings.len().max(1).saturating_mul(4));
        for (vertex, words) in vertices.enumerate() {
            text.push_str(&outputs(words, varyings, &format!("  vertex {vertex} ")));
        }
    }
    Ran { text, outcome, warnings: Vec::new() }
}
