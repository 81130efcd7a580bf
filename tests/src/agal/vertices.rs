//! Vertex programs, run as compute shaders, which store their outputs to memory.

use agx_abi::vertex::Output;
use agx_abi::vertex_format::VertexFormat;
use agx_abi::{PartRole, Stage, Target, agal};
use agx_agal::interpret::{Inputs, Outputs, Vector};
use agx_compiler::link::{AttributeKey, LinkedProgram, Parts, VertexPrologKey, link};
use agx_compiler::{CompileKey, CompiledShader, Compiler, Scratch};
use agx_emulator::Options;
use agx_emulator::launch::{AttributeData, VertexLaunch};

use super::texture::{Texture, samplers};
use super::{constant_bytes, input, shader, validated};
use crate::driver::{stage, storage_buffer, validate_program, vertices};
use crate::outcome::Outcome;

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
    /// Textures by sampler register.
    pub textures: &'r [Texture],
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
        let bytes = |location: u32| -> Vec<u8> {
            let registers = self.vertices.iter().flat_map(|vertex| vertex[location as usize % 16]);
            registers.flat_map(f32::to_le_bytes).collect()
        };
        let data: Vec<Vec<u8>> =
            compiled.info.attributes.iter().map(|attribute| bytes(attribute.location)).collect();
        let attribute =
            |bytes| AttributeData { bytes, offset: 0, stride: REGISTER_BYTES, element_bytes: REGISTER_BYTES };
        let attributes: Vec<AttributeData<'_>> = data.iter().map(|bytes| attribute(bytes)).collect();
        let mut textures: Vec<_> = (0..)
            .zip(self.textures)
            .map(|(register, texture)| texture.resource(agal::VERTEX_TEXTURE_SET, register))
            .collect();
        let constants = constant_bytes(&checked, self.constants);
        let (set, binding) = agal::VERTEX_CONSTANTS;
        let words = vertices(VertexLaunch {
            program: stage(&compiled, &program, &[]),
            buffers: &mut [storage_buffer(set, binding, constants, false)],
            textures: &mut textures,
            samplers: &samplers(&compiled),
            attributes: &attributes,
            vertices: self.vertices.len() as u32,
            instances: self.instances,
            options: Options { strict: true, ..Options::default() },
        })?;
        let slots = compiled.info.varyings.len();
        Ok(words.chunks(4 * slots.max(1)).map(|vertex| outputs_of(&compiled, vertex)).collect())
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
