//! Vertex programs on the machine and in the interpreter. On the machine they run as compute shaders, with the prolog that
//! fetches their attributes, so that their outputs are in memory.

use agx_abi::vertex::Output;
use agx_abi::vertex_format::VertexFormat;
use agx_abi::{InterfaceUniform, PartRole, UniformSource};
use agx_compiler::link::{AttributeKey, Parts, VertexPrologKey, link};
use agx_compiler::{CompileKey, CompiledShader, Compiler, Scratch};
use agx_emulator::{Access, Dispatch, Memory, Options, Program, States, dispatch};
use agx_tgsi::interpret::{Group, Rounding, run_rounded};
use agx_tgsi::{File, SemanticName, Shader};

use super::compute::STEPS;
use super::world::Stage;
use super::{Scene, Vector, compile, input};
use crate::driver::validate_program;
use crate::outcome::Outcome;

const ATTRIBUTES: u64 = 0x10_0000;
const BUFFERS: u64 = 0x100_0000;
const BUFFER_STEP: u64 = 0x10_0000;
const OUTPUTS: u64 = 0x30_0000;
const SECTION: u64 = 0x40_0000;

/// The first vertex and instance of the draw.
const BASE_VERTEX: u32 = 3;
const BASE_INSTANCE: u32 = 5;

/// Maximum number of instructions of a SIMD-group before a run is considered endless.
const MAX_STEPS: u64 = 20_000_000;

/// A component of an output, by semantic and component, with its word.
pub type Word = ((SemanticName, u32, u32), u32);

/// The outputs of vertices on the machine. `attributes` has a register for each declared input of each vertex.
///
/// # Errors
/// The outcome that is not a pass.
pub fn on_machine(
    text: &str,
    scene: &Scene,
    attributes: &[Vec<Vector>],
    key: &CompileKey,
    seed: u64,
) -> Result<Vec<Vec<(Output, u32)>>, Outcome> {
    // It must also compile as a hardware vertex shader.
    compile(text, key)?;
    let mut key = key.clone();
    key.vertex_as_compute = true;
    let (compiler, mut scratch) = (Compiler::default(), Scratch::default());
    let shader = compiler.compile(&mut scratch, input(text), &key)?;
    let registers = attributes.first().map_or(0, Vec::len) as u32;
    let source = |location| {
        let format = VertexFormat::from_name("R32G32B32A32_SFLOAT")?;
        Some(AttributeKey { alignment: 16, ..AttributeKey::new(location, format, 16 * registers) })
    };
    let info = &shader.info;
    let prolog = VertexPrologKey::new(info, source);
    let prolog = compiler.vertex_prolog(&mut scratch, &prolog, &key)?;
    let main = shader.part(PartRole::Main).unwrap_or_default();
    let parts = Parts { main, info, prolog: Some(&prolog), epilog: None, sample_loop: None, outputs: None };
    let program = link(&parts).map_err(|error| Outcome::Fail(format!("link: {error}")))?;
    validate_program(&program)?;
    let slots = info.varyings.len();
    let bytes = (4 * slots * attributes.len()).max(4);
    let mut memory = memory(&shader, scene, attributes)?;
    map(&mut memory, OUTPUTS, vec![0; bytes], Access::READ | Access::WRITE)?;
    let preamble = shader.part(PartRole::Preamble).map(Program::new);
    let launch = Dispatch {
        program: &Program::new(&program.code),
        preamble: preamble.as_ref(),
        uniforms: &uniforms(&shader, scene, [attributes.len() as u32, registers]),
        states: States::default(),
        workgroups: [1, 1, 1],
        workgroup_size: [attributes.len() as u32, 1, 1],
        threads: None,
        tile: None,
        local_bytes: 0,
        scratch_bytes: program.scratch_bytes,
        options: Options { strict: true, seed, max_steps: MAX_STEPS, ..Options::default() },
    };
    let report = dispatch(&mut memory, &launch).map_err(|stop| Outcome::Fail(format!("strict: {stop}")))?;
    if let Some(finding) = report.findings.first() {
        return Err(Outcome::Fail(format!("strict: {finding}")));
    }
    let words = memory.bytes(OUTPUTS, bytes).unwrap_or_default();
    let vertex = |bytes: &[u8]| {
        let words =
            bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        info.varyings.iter().map(|varying| varying.output).zip(words).collect()
    };
    Ok(words.chunks_exact((4 * slots).max(1)).map(vertex).collect())
}

fn map(memory: &mut Memory, address: u64, bytes: Vec<u8>, access: Access) -> Result<(), Outcome> {
    if bytes.is_empty() {
        return Ok(());
    }
    memory.map(address, bytes, access).map_err(|error| Outcome::Fail(error.to_string()))
}

/// Attributes, buffers and constants.
fn memory(shader: &CompiledShader, scene: &Scene, attributes: &[Vec<Vector>]) -> Result<Memory, Outcome> {
    let mut memory = Memory::new();
    let words = attributes.iter().flatten().flatten();
    // A fetch of four words may begin at the last attribute.
    let bytes = words.flat_map(|word| word.to_le_bytes()).collect();
    map(&mut memory, ATTRIBUTES, bytes, Access::READ)?;
    map(&mut memory, SECTION, shader.info.constants.clone(), Access::READ)?;
    for (number, (bytes, writable)) in (0..).zip(scene.buffers.values()) {
        let access = if *writable { Access::READ | Access::WRITE } else { Access::READ };
        map(&mut memory, BUFFERS + number * BUFFER_STEP, bytes.clone(), access)?;
    }
    Ok(memory)
}

/// The uniform file for this number of vertices and of registers.
fn uniforms(shader: &CompiledShader, scene: &Scene, counts: [u32; 2]) -> Vec<u16> {
    let info = &shader.info;
    let mut uniforms = vec![0u16; info.filled_halves().into()];
    for range in &info.uniforms {
        let bytes = match range.source {
            UniformSource::Promoted { offset } => {
                info.promoted.get(offset as usize..).unwrap_or_default().to_vec()
            }
            source => uniform(shader, scene, source, counts).to_le_bytes().to_vec(),
        };
        let halves = uniforms.iter_mut().skip(range.start.into()).take(range.halves.into());
        for (half, bytes) in halves.zip(bytes.chunks_exact(2)) {
            *half = u16::from_le_bytes([bytes[0], bytes[1]]);
        }
    }
    uniforms
}

fn uniform(
    shader: &CompiledShader,
    scene: &Scene,
    source: UniformSource,
    [count, registers]: [u32; 2],
) -> u64 {
    match source {
        UniformSource::VertexOutputs => OUTPUTS,
        UniformSource::VertexCount => count.into(),
        UniformSource::BufferAddress { set, binding, .. } => {
            let number = scene.buffers.keys().position(|place| *place == (set, binding));
            number.map_or(0, |number| BUFFERS + number as u64 * BUFFER_STEP)
        }
        UniformSource::BufferSize { set, binding, .. } => {
            scene.buffers.get(&(set, binding)).map_or(0, |(bytes, _)| bytes.len() as u64)
        }
        UniformSource::ConstantAddress => SECTION,
        UniformSource::Interface(InterfaceUniform::BaseVertexAndInstance) => {
            u64::from(BASE_VERTEX) | u64::from(BASE_INSTANCE) << 32
        }
        // Vertex numbers start at the base.
        UniformSource::Interface(InterfaceUniform::AttributeBase { attribute }) => {
            let number = shader.info.attributes.get(attribute as usize);
            let register = number.map_or(0, |attribute| u64::from(attribute.location));
            (ATTRIBUTES + 16 * register).wrapping_sub(16 * u64::from(registers) * u64::from(BASE_VERTEX))
        }
        UniformSource::Interface(InterfaceUniform::AttributeClamp { .. }) => {
            u64::from(count + BASE_VERTEX - 1)
        }
        _ => 0,
    }
}

/// The outputs of vertices in the interpreter: every declared component that an instruction writes.
///
/// # Errors
/// The interpreter's error.
pub fn in_interpreter(
    shader: &Shader,
    scene: &mut Scene,
    attributes: &[Vec<Vector>],
    rounding: &mut Rounding<'_>,
) -> Result<Vec<Vec<Word>>, Outcome> {
    let system = |vertex: usize, register: u32| {
        let name = shader.declaration(File::SystemValue, None, register).and_then(|found| found.semantic);
        let value = match name.map(|semantic| semantic.name) {
            Some(SemanticName::VertexId) => vertex as u32 + BASE_VERTEX,
            Some(SemanticName::VertexIdNoBase) => vertex as u32,
            Some(SemanticName::BaseVertex) => BASE_VERTEX,
            Some(SemanticName::BaseInstance) => BASE_INSTANCE,
            _ => 0,
        };
        [value, 0, 0, 0]
    };
    let fetch = |vertex: usize, register: u32, _| {
        attributes[vertex].get(register as usize).copied().unwrap_or_default()
    };
    let count = attributes.len();
    let mut stage =
        Stage { shader, scene, shared: Vec::new(), input: &fetch, system: &system, colour: [0; 4] };
    let group = Group { count, is_helper: &|_| false, steps: STEPS };
    let outcomes = run_rounded(shader, &group, &mut stage, rounding);
    let outcomes = outcomes.map_err(|error| Outcome::Fail(format!("interpreter: {error}")))?;
    Ok(outcomes.iter().map(|outcome| outputs(shader, &outcome.outputs)).collect())
}

/// The written components of output registers, by semantic. If several registers have a semantic, the last one counts.
pub fn outputs(shader: &Shader, registers: &[Vector]) -> Vec<Word> {
    let mut words = Vec::new();
    for declaration in shader.of_file(File::Output) {
        let Some(semantic) = declaration.semantic else { continue };
        for (register, index) in (declaration.range.first..=declaration.range.last).zip(0..) {
            for component in 0..4u32 {
                if !is_written(shader, register, component) {
                    continue;
                }
                let word = registers.get(register as usize).map_or(0, |vector| vector[component as usize]);
                let place = (semantic.name, semantic.index + index, component);
                words.retain(|(known, _)| *known != place);
                words.push((place, word));
            }
        }
    }
    words
}

/// Whether an instruction writes a component of an output register.
pub fn is_written(shader: &Shader, register: u32, component: u32) -> bool {
    shader.instructions.iter().flat_map(|instruction| &instruction.dsts).any(|dst| {
        let is_here = dst.index.indirect.is_some() || dst.index.offset == register as i32;
        dst.file == File::Output && is_here && dst.mask & 1 << component != 0
    })
}
