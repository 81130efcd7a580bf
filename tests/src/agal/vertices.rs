//! Vertex programs, run as compute shaders, which store their outputs to memory.

use agx_abi::vertex::Output;
use agx_abi::vertex_format::VertexFormat;
use agx_abi::{InterfaceUniform, PartRole, Stage, Target, UniformRange, UniformSource};
use agx_agal::interpret::{Inputs, Outputs, Vector};
use agx_compiler::link::{AttributeKey, LinkedProgram, Parts, VertexPrologKey, link};
use agx_compiler::{CompileKey, CompiledShader, Compiler, Scratch};
use agx_emulator::{Access, Dispatch, Memory, Options, Program, States, dispatch};

use super::{constant_bytes, input, shader, validated};
use crate::driver::validate_program;
use crate::outcome::Outcome;

/// Base of the memory of the program; its ranges are this far apart.
const BASE: u64 = 0x1_0000_0000;
const STEP: u64 = 0x10_0000;

/// Bytes of a register.
const REGISTER_BYTES: usize = 16;

/// The inputs of a vertex program.
#[derive(Clone, Copy, Debug)]
pub struct Run<'r> {
    /// Byte code.
    pub program: &'r [u8],
    /// Constants from register 0 on.
    pub constants: &'r [Vector],
    /// Attributes of each vertex.
    pub vertices: &'r [[Vector; 16]],
    /// Number of instances; all vertices run for each.
    pub instances: u32,
}

impl Run<'_> {
    /// The inputs of each vertex of each instance, for the interpreter.
    pub fn inputs(&self) -> Vec<Inputs> {
        let instances = (0..self.instances)
            .flat_map(|instance| self.vertices.iter().map(move |vertex| (instance as f32, *vertex)));
        instances.map(|(instance, attributes)| Inputs { attributes, instance, ..Inputs::default() }).collect()
    }

    /// The reference machine's results for each vertex of each instance.
    ///
    /// # Errors
    /// The outcome that is not a pass.
    pub fn outputs(&self, key: &CompileKey) -> Result<Vec<Outputs>, Outcome> {
        let checked = shader(self.program)?;
        let (compiled, program) = compile(self.program, key)?;
        let mut memory = Memory::new();
        let mut places = Places { memory: &mut memory, run: self, next: BASE, outputs: 0 };
        let uniforms = places.uniforms(&compiled, &constant_bytes(&checked, self.constants))?;
        let outputs = places.outputs;
        let preamble = compiled.part(PartRole::Preamble).map(Program::new);
        let launch = Dispatch {
            program: &Program::new(&program.code),
            preamble: preamble.as_ref(),
            uniforms: &uniforms,
            states: States::default(),
            workgroups: [1, self.instances, 1],
            workgroup_size: [self.vertices.len() as u32, 1, 1],
            threads: None,
            tile: None,
            local_bytes: 0,
            scratch_bytes: program.scratch_bytes,
            options: Options { strict: true, ..Options::default() },
        };
        let report = dispatch(&mut memory, &launch).map_err(|stop| Outcome::Fail(stop.to_string()))?;
        if let Some(finding) = report.findings.first() {
            return Err(Outcome::Fail(format!("strict: {finding}")));
        }
        let slots = compiled.info.varyings.len();
        let bytes = memory.bytes(outputs, self.output_bytes(slots)).unwrap_or_default();
        Ok(bytes.chunks(4 * slots.max(1)).map(|vertex| outputs_of(&compiled, vertex)).collect())
    }

    fn output_bytes(&self, slots: usize) -> usize {
        4 * slots * self.vertices.len() * self.instances as usize
    }
}

/// The words of a vertex as registers.
fn outputs_of(shader: &CompiledShader, words: &[u8]) -> Outputs {
    let mut outputs = Outputs::default();
    let (words, _) = words.as_chunks::<4>();
    for varying in &shader.info.varyings {
        let word = words.get(usize::from(varying.slot)).map_or(0.0, |word| f32::from_le_bytes(*word));
        match varying.output {
            Output::Position(component) => outputs.outputs[0][component as usize] = word,
            Output::User { location, component } => {
                outputs.varyings[location as usize][component as usize] = word;
            }
            _ => {}
        }
    }
    outputs
}

fn compile(bytes: &[u8], key: &CompileKey) -> Result<(CompiledShader, LinkedProgram), Outcome> {
    let mut key = validated(key);
    (key.stage, key.vertex_as_compute) = (Some(Stage::Vertex), true);
    let (compiler, mut scratch) = (Compiler::new(Target::default()), Scratch::default());
    let shader = compiler.compile(&mut scratch, input(bytes), &key)?;
    let prolog = VertexPrologKey::new(&shader.info, four_floats);
    let prolog = compiler.vertex_prolog(&mut scratch, &prolog, &key)?;
    let main = shader.part(PartRole::Main).unwrap_or_default();
    let parts = Parts {
        main,
        info: &shader.info,
        prolog: Some(&prolog),
        epilog: None,
        sample_loop: None,
        outputs: None,
    };
    let program = link(&parts).map_err(|error| Outcome::Fail(format!("link: {error}")))?;
    validate_program(&program)?;
    Ok((shader, program))
}

/// An attribute of four consecutive floats.
pub(super) fn four_floats(location: u32) -> Option<AttributeKey> {
    let format = VertexFormat::from_name("R32G32B32A32_SFLOAT")?;
    Some(AttributeKey { alignment: 16, ..AttributeKey::new(location, format, REGISTER_BYTES as u32) })
}

/// Memory that is filled with the contents of uniforms.
struct Places<'m, 'r> {
    memory: &'m mut Memory,
    run: &'m Run<'r>,
    next: u64,
    outputs: u64,
}

impl Places<'_, '_> {
    fn map(&mut self, bytes: Vec<u8>, access: Access) -> Result<u64, Outcome> {
        let address = self.next;
        self.next += STEP;
        self.memory.map(address, bytes, access).map_err(|error| Outcome::Fail(error.to_string()))?;
        Ok(address)
    }

    fn uniforms(&mut self, shader: &CompiledShader, constants: &[u8]) -> Result<Vec<u16>, Outcome> {
        let mut uniforms = vec![0; shader.info.filled_halves().into()];
        for range in &shader.info.uniforms {
            let bytes = self.bytes(shader, range, constants)?;
            let halves = bytes.as_chunks::<2>().0.iter().map(|half| u16::from_le_bytes(*half));
            let places = uniforms.iter_mut().skip(range.start.into()).take(range.halves.into());
            places.zip(halves).for_each(|(place, half)| *place = half);
        }
        Ok(uniforms)
    }

    fn bytes(
        &mut self,
        shader: &CompiledShader,
        range: &UniformRange,
        constants: &[u8],
    ) -> Result<Vec<u8>, Outcome> {
        let count = self.run.vertices.len() as u32;
        Ok(match range.source {
            UniformSource::BufferAddress { .. } => {
                self.map(constants.to_vec(), Access::READ)?.to_le_bytes().to_vec()
            }
            UniformSource::ConstantAddress => {
                self.map(shader.info.constants.clone(), Access::READ)?.to_le_bytes().to_vec()
            }
            UniformSource::Promoted { offset } => {
                shader.info.promoted.get(offset as usize..).unwrap_or(&[]).to_vec()
            }
            UniformSource::VertexOutputs => {
                let bytes = self.run.output_bytes(shader.info.varyings.len());
                self.outputs = self.map(vec![0; bytes], Access::READ | Access::WRITE)?;
                self.outputs.to_le_bytes().to_vec()
            }
            UniformSource::VertexCount => count.to_le_bytes().to_vec(),
            UniformSource::Interface(InterfaceUniform::AttributeBase { attribute }) => {
                let location =
                    shader.info.attributes.get(attribute as usize).map_or(0, |found| found.location);
                let vertices = self.run.vertices.iter().flat_map(|vertex| vertex[location as usize % 16]);
                let bytes = vertices.flat_map(|word| word.to_le_bytes()).collect();
                self.map(bytes, Access::READ)?.to_le_bytes().to_vec()
            }
            UniformSource::Interface(InterfaceUniform::AttributeClamp { .. }) => {
                (count - 1).to_le_bytes().to_vec()
            }
            _ => vec![0; 2 * usize::from(range.halves)],
        })
    }
}
