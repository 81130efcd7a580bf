//! Runs compiled PICA200 programs on the strict machine.
//!
//! Vertex programs run as compute shaders, with the prolog that fetches their attributes, so that their outputs are in
//! memory; geometry programs are always compute shaders. The buffers are those of `agx_abi::pica200`.

use agx_abi::pica200::{
    GEOMETRY_HEAD_BYTES, GEOMETRY_INPUT, GEOMETRY_OUTPUT, GEOMETRY_WORKGROUP, SET, UNIFORMS, primitive_bytes,
    stretch_bytes, uniform_block,
};
use agx_abi::vertex::{Output, Varying};
use agx_abi::vertex_format::VertexFormat;
use agx_abi::{PartRole, Target};
use agx_compiler::link::{AttributeKey, LinkedProgram, Parts, VertexPrologKey, link};
use agx_compiler::{CompileKey, CompiledShader, Compiler, Input, Language, Scratch};
use agx_emulator::Options;
use agx_emulator::launch::{AttributeData, VertexLaunch};
use agx_pica200::interpret::{Primitive, Uniforms, Vector};

use crate::driver::{launch, stage, storage_buffer, validate_program, vertices};
use crate::outcome::Outcome;

/// Outputs o0 to o15 of a vertex; `None` for components that the program does not write.
pub type Outputs = [[Option<f32>; 4]; 16];

/// Input registers of a vertex.
pub type Inputs = [Vector; 16];

/// Bytes of the attributes of a vertex.
const VERTEX_BYTES: u32 = 16 * 16;

/// Maximum number of instructions of a SIMD-group before a run is considered endless.
const MAX_STEPS: u64 = 20_000_000;

/// The language.
fn language() -> &'static Language {
    Language::find("pica200").expect("invariant: the compiler has the language")
}

/// The key with outputs by register, and options.
fn key(base: &CompileKey, options: &[(String, u64)]) -> CompileKey {
    let mut key = base.clone();
    key.options.extend_from_slice(options);
    key.options.push(("raw_outputs".to_owned(), 1));
    key
}

/// A compiled vertex program.
pub struct VertexRun {
    shader: CompiledShader,
    program: LinkedProgram,
}

impl VertexRun {
    /// Compiles a container or assembly and links the prolog.
    ///
    /// # Errors
    /// The outcome that is not a pass.
    pub fn compile(bytes: &[u8], base: &CompileKey, options: &[(String, u64)]) -> Result<Self, Outcome> {
        let mut key = key(base, options);
        key.vertex_as_compute = true;
        let (compiler, mut scratch) = (Compiler::new(Target::default()), Scratch::default());
        let shader = compiler.compile(&mut scratch, Input::new(language(), bytes), &key)?;
        let attribute = |location| {
            let format = VertexFormat::from_name("R32G32B32A32_SFLOAT")?;
            Some(AttributeKey { alignment: 16, ..AttributeKey::new(location, format, VERTEX_BYTES) })
        };
        let info = &shader.info;
        let prolog = VertexPrologKey::new(info, attribute);
        let prolog = compiler.vertex_prolog(&mut scratch, &prolog, &key)?;
        let main = shader.part(PartRole::Main).unwrap_or_default();
        let parts =
            Parts { main, info, prolog: Some(&prolog), epilog: None, sample_loop: None, outputs: None };
        let program = link(&parts).map_err(|error| Outcome::Fail(format!("link: {error}")))?;
        validate_program(&program)?;
        Ok(VertexRun { shader, program })
    }

    /// The compiled shader.
    pub fn shader(&self) -> &CompiledShader {
        &self.shader
    }

    /// The outputs of vertices with these inputs and uniforms.
    ///
    /// # Errors
    /// The outcome that is not a pass: every finding of the machine.
    pub fn run(&self, inputs: &[Inputs], uniforms: &Uniforms, seed: u64) -> Result<Vec<Outputs>, Outcome> {
        let info = &self.shader.info;
        let bytes: Vec<u8> =
            inputs.iter().flatten().flatten().flat_map(|value| value.to_le_bytes()).collect();
        let attributes: Vec<AttributeData<'_>> = info
            .attributes
            .iter()
            .map(|attribute| AttributeData {
                bytes: &bytes,
                offset: 16 * attribute.location as usize,
                stride: VERTEX_BYTES as usize,
                element_bytes: 16,
            })
            .collect();
        let block = uniform_block(&uniforms.float, &uniforms.int, &uniforms.bool);
        let launch = VertexLaunch {
            program: stage(&self.shader, &self.program, &[]),
            buffers: &mut [storage_buffer(SET, UNIFORMS, block, false)],
            textures: &mut [],
            samplers: &[],
            attributes: &attributes,
            vertices: inputs.len() as u32,
            instances: 1,
            options: Options { strict: true, seed, max_steps: MAX_STEPS, ..Options::default() },
        };
        let words = vertices(launch)?;
        let size = (4 * info.varyings.len()).max(1);
        Ok(words.chunks_exact(size).map(|words| vertex(words, &info.varyings)).collect())
    }
}

/// The registers of a vertex from its words.
fn vertex(words: &[u8], varyings: &[Varying]) -> Outputs {
    let mut outputs = [[None; 4]; 16];
    for (bytes, varying) in words.chunks_exact(4).zip(varyings) {
        let (register, component) = match varying.output {
            Output::Position(component) => (0, component),
            Output::User { location, component } => (location, component),
            _ => continue,
        };
        let slot =
            outputs.get_mut(register as usize).and_then(|register| register.get_mut(component as usize));
        if let Some(slot) = slot {
            *slot = Some(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        }
    }
    outputs
}

/// A compiled geometry program.
pub struct GeometryRun {
    shader: CompiledShader,
}

/// A primitive in the machine's results: three vertices, and whether the winding is inverted.
pub type Completed = ([Outputs; 3], bool);

impl GeometryRun {
    /// Compiles a container or assembly.
    ///
    /// # Errors
    /// The outcome that is not a pass.
    pub fn compile(bytes: &[u8], base: &CompileKey, options: &[(String, u64)]) -> Result<Self, Outcome> {
        let key = key(base, options);
        let compiler = Compiler::new(Target::default());
        let shader = compiler.compile(&mut Scratch::default(), Input::new(language(), bytes), &key)?;
        Ok(GeometryRun { shader })
    }

    /// The compiled shader.
    pub fn shader(&self) -> &CompiledShader {
        &self.shader
    }

    /// The primitives that each invocation completes, at most `capacity` of them, with their actual number. `inputs`
    /// has the vectors of each primitive, the same number for all.
    ///
    /// # Errors
    /// The outcome that is not a pass.
    pub fn run(
        &self,
        inputs: &[Vec<Vector>],
        uniforms: &Uniforms,
        capacity: u32,
        seed: u64,
    ) -> Result<Vec<(u32, Vec<Completed>)>, Outcome> {
        let vectors = inputs.iter().map(Vec::len).max().unwrap_or(0);
        let head = [inputs.len() as u32, vectors as u32, capacity, 0];
        let mut input: Vec<u8> = head.iter().flat_map(|word| word.to_le_bytes()).collect();
        for vector in inputs.iter().flat_map(|record| {
            let padding = std::iter::repeat_n([0.0; 4], vectors - record.len());
            record.iter().copied().chain(padding)
        }) {
            input.extend(vector.iter().flat_map(|value| value.to_le_bytes()));
        }
        let words = self.shader.info.varyings.len() as u32;
        let stretch = stretch_bytes(words, capacity);
        let output = vec![0; stretch as usize * inputs.len()];
        let block = uniform_block(&uniforms.float, &uniforms.int, &uniforms.bool);
        let mut buffers = [
            storage_buffer(SET, UNIFORMS, block, false),
            storage_buffer(SET, GEOMETRY_INPUT, input, false),
            storage_buffer(SET, GEOMETRY_OUTPUT, output, true),
        ];
        let groups = (inputs.len() as u32).div_ceil(GEOMETRY_WORKGROUP);
        launch(&self.shader, &mut buffers, &[], [groups, 1, 1], seed)?;
        let stretches = buffers[2].bytes.chunks_exact(stretch as usize);
        Ok(stretches.map(|bytes| self.stretch(bytes, capacity)).collect())
    }

    /// The results of an invocation.
    fn stretch(&self, bytes: &[u8], capacity: u32) -> (u32, Vec<Completed>) {
        let varyings = &self.shader.info.varyings;
        let count = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let (head, words) = (GEOMETRY_HEAD_BYTES as usize, varyings.len() as u32);
        let records = bytes[head..].chunks_exact(primitive_bytes(words) as usize);
        let primitive = |record: &[u8]| {
            let mut vertices =
                record[head..].chunks_exact(4 * varyings.len()).map(|words| vertex(words, varyings));
            (std::array::from_fn(|_| vertices.next().unwrap_or_default()), record[0] & 1 != 0)
        };
        (count, records.take(count.min(capacity) as usize).map(primitive).collect())
    }
}

/// Tolerance of results.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    /// Relative to the expected value.
    pub relative: f32,
    /// Absolute.
    pub absolute: f32,
}

impl Tolerance {
    /// Only results that the machine flushes to zero may differ.
    pub const EXACT: Tolerance = Tolerance { relative: 0.0, absolute: f32::MIN_POSITIVE };
    /// For functions that the hardware approximates.
    pub const FUNCTIONS: Tolerance = Tolerance { relative: 2e-4, absolute: 2e-5 };

    /// Whether a value is within the tolerance; all NaNs are equal.
    pub fn accepts(self, found: f32, expected: f32) -> bool {
        found == expected
            || found.is_nan() && expected.is_nan()
            || (found - expected).abs() <= self.relative * expected.abs() + self.absolute
    }

    /// The first component that differs: register, component, found, expected.
    pub fn difference(self, found: &Outputs, expected: &[Vector; 16]) -> Option<String> {
        for (register, (found, expected)) in found.iter().zip(expected).enumerate() {
            for (component, (found, expected)) in found.iter().zip(expected).enumerate() {
                if let Some(found) = found.filter(|found| !self.accepts(*found, *expected)) {
                    let name = ["x", "y", "z", "w"][component];
                    return Some(format!("o{register}.{name} is {found:?}, expected {expected:?}"));
                }
            }
        }
        None
    }

    /// The first difference between the primitives of an invocation and the expected ones.
    pub fn primitives(self, found: &(u32, Vec<Completed>), expected: &[Primitive]) -> Option<String> {
        if found.0 as usize != expected.len() {
            return Some(format!("{} primitives, expected {}", found.0, expected.len()));
        }
        for (number, ((vertices, inverted), expected)) in found.1.iter().zip(expected).enumerate() {
            if *inverted != expected.inverted {
                return Some(format!("primitive {number}: the winding is {inverted}"));
            }
            for (vertex, (found, expected)) in vertices.iter().zip(&expected.vertices).enumerate() {
                if let Some(difference) = self.difference(found, expected) {
                    return Some(format!("primitive {number}, vertex {vertex}: {difference}"));
                }
            }
        }
        None
    }
}
