//! Shaders of draws, and the programs compiled or linked from them for a state.
//!
//! A stage whose state is static is compiled to whole programs, which are optimised as a whole. If its state is
//! dynamic, its main part is compiled when the stage is created, and prologs and epilogs are linked to it at draws.

use std::hash::BuildHasherDefault;
use std::sync::{Arc, Mutex};

use agx_abi::fragment::{CoefficientSource, Corner, FragmentInfo, cull_flags};
use agx_abi::linking::{MovedSteps, VertexOutputs};
use agx_abi::tessellation::{PatchLayout, Rows, TessellationInfo};
use agx_abi::varyings::{BindingSource, CoefficientBindings, OutputGroup};
use agx_abi::vertex::Output;
use agx_abi::{ShaderInfo, Stage};
use agx_compiler::link::{Assembly, AttributeKey, FragmentState, LinkedProgram};
use agx_compiler::{CompileKey, CompiledShader, Input, Scratch, Statistics};
use hashbrown::HashMap;
use rustc_hash::FxHasher;

use crate::Error;
use crate::cache::Known;
use crate::device::Device;
use crate::draw_state::{AttributeInfo, BindingInfo, VertexBuffers, VertexInput};
use crate::format;
use crate::gpu::SHADER_BASE;
use crate::memory::{Piece, lock};
use crate::pipeline::ShaderSource;
use crate::program::{self, Program};

/// Cached objects by state.
pub(crate) type Made<K, T> = Mutex<HashMap<K, Arc<T>, BuildHasherDefault<FxHasher>>>;

/// Programs by state.
type Programs<K> = Made<K, Program>;

/// Attributes by location, with their vertex input.
type Attributes = Vec<(u32, Option<AttributeKey>)>;

/// What a fragment shader needs from the vertex shader before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FragmentNeeds {
    /// Its inputs.
    inputs: Vec<CoefficientSource>,
    /// The operations that it leaves to the vertex shader.
    moved: Vec<MovedSteps>,
}

impl FragmentNeeds {
    /// Those of a compiled fragment shader.
    pub fn of(info: &ShaderInfo) -> FragmentNeeds {
        let FragmentInfo { coefficients, moved, .. } = &info.fragment;
        FragmentNeeds { inputs: coefficients.clone(), moved: moved.clone() }
    }

    /// Whether a vertex shader that was compiled for any fragment shader stores no more than is needed.
    pub fn are_met_by(&self, vertex: &ShaderInfo) -> bool {
        let is_read = |output| self.inputs.iter().any(|input| input.output() == Some(output));
        let mut varyings = vertex.varyings.iter().map(|varying| varying.output);
        self.moved.is_empty()
            && self.find_stored(vertex)
            && varyings.all(|output| output.group() != OutputGroup::Varyings || is_read(output))
    }

    /// Whether a vertex shader stores what it stores only for fragment shaders that need it.
    pub(crate) fn find_stored(&self, vertex: &ShaderInfo) -> bool {
        finds_stored(&self.inputs, vertex)
    }

    /// Requests them of a vertex shader.
    pub(crate) fn add_to(&self, key: &mut CompileKey) {
        key.fragment_inputs = Some(self.inputs.clone());
        key.moved.clone_from(&self.moved);
    }
}

/// Whether a vertex shader stores those inputs of a fragment shader that it stores only if they are needed: the number of the
/// viewport, and words of the position.
fn finds_stored(inputs: &[CoefficientSource], vertex: &ShaderInfo) -> bool {
    let outputs = inputs.iter().filter_map(|input| input.output());
    let mut needed = outputs.filter(|output| {
        matches!(output, Output::Viewport | Output::ReadPosition(_) | Output::CornerPosition(_))
    });
    needed.all(|output| vertex.varyings.iter().any(|varying| varying.output == output))
}

/// A vertex shader.
pub struct VertexStage {
    source: ShaderSource,
    /// The record of a patch, if it is a tessellation evaluation shader.
    patch: Option<PatchLayout>,
    /// What the fragment shader needs, if there is only one for all draws.
    needs: Option<FragmentNeeds>,
    /// The main part, if the vertex input is dynamic.
    main: Option<CompiledShader>,
    /// Linked shaders by vertex input.
    linked: Made<Attributes, LinkedVertex>,
    /// Programs for transform feedback, by vertex input and input assembly.
    capturing: Programs<(Attributes, Assembly)>,
    /// Programs that store their outputs: all for a geometry shader, or some rows for a tessellation control shader.
    stored: Programs<(Attributes, Assembly, Option<Rows>)>,
}

/// What a vertex shader for a vertex input is compiled from.
pub enum Origin {
    /// A vertex or tessellation evaluation shader.
    Shader {
        /// The shader.
        source: ShaderSource,
        /// The record of a patch, if it is a tessellation evaluation shader.
        patch: Option<PatchLayout>,
        /// Its attributes.
        attributes: Attributes,
    },
    /// A geometry or mesh shader, whose vertices it loads.
    Emitter(Box<ShaderInfo>),
}

impl Origin {
    /// The shader before a fragment shader with these needs, or before any.
    ///
    /// # Errors
    /// The compiler's error.
    pub(crate) fn compiled(
        &self,
        device: &Device,
        needs: Option<&FragmentNeeds>,
    ) -> Result<CompiledShader, Error> {
        let scratch = &mut Scratch::default();
        let whole = match self {
            Origin::Shader { source, patch, attributes } => {
                let key = drawn_key(device, source, *patch, needs);
                let input = Input::spirv(&source.code);
                device.compiler.whole_vertex(scratch, input, &key, source_of(attributes))?
            }
            Origin::Emitter(info) => {
                let mut key = CompileKey::default();
                needs.iter().for_each(|needs| needs.add_to(&mut key));
                device.compiler.emitted_vertex(scratch, info, &key)?
            }
        };
        Ok(program::linked(whole.shader, &whole.program))
    }
}

/// The key of a vertex or tessellation evaluation shader that draws.
fn drawn_key(
    device: &Device,
    source: &ShaderSource,
    patch: Option<PatchLayout>,
    needs: Option<&FragmentNeeds>,
) -> CompileKey {
    let mut key = source.key(device, Stage::Vertex);
    key.tessellation = patch;
    needs.iter().for_each(|needs| needs.add_to(&mut key));
    key
}

/// A vertex shader for a vertex input.
pub struct LinkedVertex {
    /// The code; its outputs have final slots if the shader alone determines them.
    pub shader: CompiledShader,
    origin: Origin,
    /// Programs by the inputs of fragment shaders.
    programs: Made<Vec<CoefficientSource>, VertexProgram>,
}

/// A vertex program for the inputs of a fragment shader, with the words that tell the rasteriser of its outputs.
pub struct VertexProgram {
    /// The program.
    pub program: Program,
    /// Whether the fragment shader reads the number of its primitive.
    pub numbers_primitives: bool,
    /// Number of coefficient bindings.
    pub bindings: u64,
    /// Addresses of the bindings relative to the shader base, by provoking vertex.
    coefficients: [u64; 3],
    /// Number of words per vertex, as vertex state has it.
    pub vertex_outputs: u32,
    /// Which outputs there are.
    pub output_select: u32,
    /// Number of varyings of each kind.
    pub counts: u32,
    /// The memory of the bindings.
    _memory: Piece,
}

impl VertexProgram {
    fn new(
        device: &Device,
        shader: &CompiledShader,
        sources: &[CoefficientSource],
    ) -> Result<VertexProgram, Error> {
        let program = Program::with_outputs(&device.code, shader, shader.info.output_layout(sources))?;
        let outputs = &program.outputs;
        let bindings = CoefficientBindings::new(sources, outputs);
        let lists = [Corner::First, Corner::Second, Corner::Third].map(|first| bindings.to_bytes(first));
        let [first, second, third] = lists;
        let lists = [first?, second?, third?];
        let stride = (lists[0].len() as u64).next_multiple_of(COEFFICIENT_ALIGNMENT);
        let memory = device.code.take(3 * stride, COEFFICIENT_ALIGNMENT)?;
        let mut coefficients = [0; 3];
        if !bindings.bindings.is_empty() {
            for ((at, list), address) in (0..).zip(&lists).zip(&mut coefficients) {
                memory.write(at * stride, list);
                *address = memory.address + at * stride - SHADER_BASE;
            }
        }
        let word = |bytes: Vec<u8>| bytes.first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
        Ok(VertexProgram {
            numbers_primitives: bindings.bindings.iter().any(|b| b.source == BindingSource::PrimitiveId),
            bindings: bindings.bindings.len() as u64,
            coefficients,
            vertex_outputs: word(outputs.vertex_outputs()?),
            output_select: word(outputs.output_select(&bindings)?),
            counts: word(outputs.counts.to_bytes()?),
            program,
            _memory: memory,
        })
    }

    /// The address of the coefficient bindings relative to the shader base; 0 without bindings.
    pub fn coefficients(&self, provoking: Corner) -> u64 {
        self.coefficients[provoking as usize]
    }
}

/// Alignment of coefficient bindings in bytes.
const COEFFICIENT_ALIGNMENT: u64 = 16;

/// A fragment shader, or none.
pub struct FragmentStage {
    source: Option<ShaderSource>,
    /// The outputs of the vertex shader, if there is only one for all draws.
    before: Option<VertexOutputs>,
    /// Whether it runs once per sample.
    shading: bool,
    /// Whether it may read values at each vertex of a primitive.
    reads_vertices: bool,
    /// The main part, if its state is dynamic.
    main: Option<CompiledShader>,
    programs: Programs<FragmentState>,
}

/// The cache key of a program for a state of draws.
pub(crate) fn name(
    device: &Device,
    input: Input<'_>,
    key: &CompileKey,
    state: &impl std::fmt::Debug,
) -> Vec<u8> {
    let mut name = device.compiler.cache_key(input, key).to_le_bytes().to_vec();
    name.extend(format!("{state:?}").bytes());
    name
}

/// The main part of a shader.
pub(crate) fn main_part(
    device: &Device,
    input: Input<'_>,
    key: &CompileKey,
    known: Known<'_>,
) -> Result<CompiledShader, Error> {
    let name = device.compiler.cache_key(input, key).to_le_bytes().to_vec();
    known.shader(name, || device.compile(input, key))
}

/// A main part with the parts linked to it.
fn around(main: &CompiledShader, program: LinkedProgram) -> CompiledShader {
    let mut shader = main.clone();
    shader.info = program.info(&main.info);
    program::linked(shader, &program)
}

/// The cached object for a state, created if it does not exist.
pub(crate) fn found<K: std::hash::Hash + Eq, T>(
    known: &Made<K, T>,
    key: K,
    make: impl FnOnce(&K) -> Result<T, Error>,
) -> Result<Arc<T>, Error> {
    let mut known = lock(known);
    if let Some(found) = known.get(&key) {
        return Ok(found.clone());
    }
    let made = Arc::new(make(&key)?);
    known.insert(key, made.clone());
    Ok(made)
}

/// Strides of the vertex buffers, in the order of the bindings.
type Strides<'s> = &'s [u32];

impl VertexInput {
    /// The vertex input of the attribute at a location.
    fn attribute(&self, location: u32, (strides, exact): (Strides<'_>, bool)) -> Option<AttributeKey> {
        let attribute = self.attributes.iter().find(|attribute| attribute.location == location)?;
        let place = self.bindings.iter().position(|binding| binding.binding == attribute.binding)?;
        let binding = self.bindings.get(place)?;
        let format = format::vertex(attribute.format)?;
        let stride = strides.get(place).copied().unwrap_or(binding.stride);
        Some(AttributeKey { divisor: binding.divisor, exact, ..AttributeKey::new(location, format, stride) })
    }

    fn keys(&self, strides: Strides<'_>, exact: bool) -> Attributes {
        let locations = self.attributes.iter().map(|attribute| attribute.location);
        locations.map(|location| (location, self.attribute(location, (strides, exact)))).collect()
    }

    /// The attribute that provides a location.
    pub(crate) fn source(&self, location: u32) -> Option<&AttributeInfo> {
        let at = |location| self.attributes.iter().find(|attribute| attribute.location == location);
        // A location without an attribute belongs to a wide attribute at a previous location.
        at(location).or_else(|| at(location.saturating_sub(1)))
    }

    /// Writes address and last element of each attribute that a program reads to a list; `buffers` has address and size of the
    /// vertex buffers by number, `stride` the strides of the bindings by their place.
    pub fn places(
        &self,
        program: &Program,
        buffers: &VertexBuffers,
        stride: impl Fn(usize, &BindingInfo) -> u32,
        zeros: u64,
        into: &mut Vec<(u64, u32)>,
    ) {
        let of = |location| self.place(location, buffers, &stride).unwrap_or((zeros, 0));
        into.clear();
        into.extend(program.info.attributes.iter().map(|attribute| of(attribute.location)));
    }

    /// Address and last element of the attribute at a location, if its buffer has elements.
    pub(crate) fn place(
        &self,
        location: u32,
        buffers: &VertexBuffers,
        stride: impl Fn(usize, &BindingInfo) -> u32,
    ) -> Option<(u64, u32)> {
        let attribute = self.source(location)?;
        let at = self.bindings.iter().position(|binding| binding.binding == attribute.binding)?;
        let (address, bytes) = *buffers.get(attribute.binding as usize)?;
        let needed = u64::from(attribute.offset) + u64::from(format::vertex_bytes(attribute.format)?);
        let rest = bytes.checked_sub(needed)?;
        let last = match stride(at, self.bindings.get(at)?) {
            0 => u32::MAX,
            stride => (rest / u64::from(stride)).min(u64::from(u32::MAX)) as u32,
        };
        Some((address + u64::from(attribute.offset), last))
    }
}

/// Looks up the vertex input of an attribute.
fn source_of(attributes: &Attributes) -> impl Fn(u32) -> Option<AttributeKey> {
    |location| attributes.iter().find(|(known, _)| *known == location)?.1
}

impl VertexStage {
    /// A vertex shader; `in_parts` if its vertex input is dynamic. `needs` is what the fragment shader needs, if it is
    /// always the same.
    ///
    /// # Errors
    /// The compiler's error.
    pub fn new(
        device: &Device,
        source: ShaderSource,
        in_parts: bool,
        needs: Option<FragmentNeeds>,
        known: Known<'_>,
    ) -> Result<VertexStage, Error> {
        VertexStage::of(source, None, needs).with_main(device, in_parts, known)
    }

    /// A tessellation evaluation shader after a control shader with this record of a patch. It has no vertex input, and
    /// is always in parts.
    ///
    /// # Errors
    /// The compiler's error.
    pub fn evaluation(
        device: &Device,
        source: ShaderSource,
        patch: PatchLayout,
        needs: Option<FragmentNeeds>,
        known: Known<'_>,
    ) -> Result<VertexStage, Error> {
        VertexStage::of(source, Some(patch), needs).with_main(device, true, known)
    }

    fn of(source: ShaderSource, patch: Option<PatchLayout>, needs: Option<FragmentNeeds>) -> VertexStage {
        let (main, linked, capturing, stored) = Default::default();
        VertexStage { source, patch, needs, main, linked, capturing, stored }
    }

    /// Compiles the main part, if the stage is in parts.
    fn with_main(mut self, device: &Device, in_parts: bool, known: Known<'_>) -> Result<VertexStage, Error> {
        if in_parts {
            let key = self.drawn_key(device);
            self.main = Some(main_part(device, Input::spirv(&self.source.code), &key, known)?);
        }
        Ok(self)
    }

    /// The vertex input of the attributes.
    fn attributes(&self, device: &Device, input: &VertexInput, strides: Strides<'_>) -> Attributes {
        input.keys(strides, self.source.has_exact_attributes(device))
    }

    fn key(&self, device: &Device) -> CompileKey {
        let mut key = self.source.key(device, Stage::Vertex);
        key.tessellation = self.patch;
        key
    }

    /// The key of the program that draws, with what the fragment shader needs.
    fn drawn_key(&self, device: &Device) -> CompileKey {
        drawn_key(device, &self.source, self.patch, self.needs.as_ref())
    }

    /// The shader linked for an input with these strides.
    ///
    /// # Errors
    /// The compiler's error.
    pub fn linked(
        &self,
        device: &Device,
        input: &VertexInput,
        strides: Strides<'_>,
        known: Known<'_>,
    ) -> Result<Arc<LinkedVertex>, Error> {
        found(&self.linked, self.attributes(device, input, strides), |attributes| {
            let (source, patch) = (self.source.clone(), self.patch);
            let origin = Origin::Shader { source, patch, attributes: attributes.clone() };
            Ok(LinkedVertex::new(self.compiled(device, attributes, &origin, known)?, origin))
        })
    }

    fn compiled(
        &self,
        device: &Device,
        attributes: &Attributes,
        origin: &Origin,
        known: Known<'_>,
    ) -> Result<CompiledShader, Error> {
        if let Some(main) = &self.main {
            let scratch = &mut Scratch::default();
            let options = CompileKey::default();
            let source = source_of(attributes);
            return Ok(around(main, device.compiler.vertex_program(scratch, main, source, &options)?));
        }
        let (input, key) = (Input::spirv(&self.source.code), self.drawn_key(device));
        let name = name(device, input, &key, attributes);
        known.shader(name, || origin.compiled(device, self.needs.as_ref()))
    }

    /// The shader as a program that captures its outputs, to be launched with a thread for each vertex of each
    /// primitive.
    ///
    /// # Errors
    /// The compiler's error, or out of memory.
    pub fn capturing(
        &self,
        device: &Device,
        input: &VertexInput,
        strides: Strides<'_>,
        assembly: Assembly,
    ) -> Result<Arc<Program>, Error> {
        found(&self.capturing, (self.attributes(device, input, strides), assembly), |(attributes, _)| {
            let mut key = self.key(device);
            key.captures_outputs = true;
            self.before_pass(device, key, attributes, assembly, Known::default())
        })
    }

    /// The shader as a program that stores its outputs, to be launched with a thread for each vertex of each primitive:
    /// all of them for a geometry shader, or the rows that a tessellation control shader reads.
    ///
    /// # Errors
    /// The compiler's error, or out of memory.
    pub fn stored(
        &self,
        device: &Device,
        input: &VertexInput,
        strides: Strides<'_>,
        assembly: Assembly,
        rows: Option<Rows>,
        known: Known<'_>,
    ) -> Result<Arc<Program>, Error> {
        found(&self.stored, (self.attributes(device, input, strides), assembly, rows), |(attributes, ..)| {
            let mut key = self.key(device);
            key.stored_rows = rows;
            self.before_pass(device, key, attributes, assembly, known)
        })
    }

    /// The shader as a compute shader.
    fn before_pass(
        &self,
        device: &Device,
        mut key: CompileKey,
        attributes: &Attributes,
        assembly: Assembly,
        known: Known<'_>,
    ) -> Result<Program, Error> {
        key.vertex_as_compute = true;
        let input = Input::spirv(&self.source.code);
        let shader = known.shader(name(device, input, &key, &(attributes, assembly)), || {
            let scratch = &mut Scratch::default();
            let source = source_of(attributes);
            let whole = device.compiler.whole_vertex_of(scratch, input, &key, assembly, source)?;
            Ok(program::linked(whole.shader, &whole.program))
        })?;
        Program::new(&device.code, shader)
    }

    /// Information about the main part, if the stage is in parts.
    pub fn main_info(&self) -> Option<&ShaderInfo> {
        self.main.as_ref().map(|main| &main.info)
    }

    /// Properties of a tessellation evaluation shader.
    pub fn patch_info(&self) -> TessellationInfo {
        self.main_info().and_then(|info| info.tessellation).unwrap_or_default()
    }

    /// Statistics of its programs.
    pub fn statistics(&self) -> Option<Statistics> {
        let linked = || lock(&self.linked).values().next().map(|linked| linked.shader.stats);
        let stored = || lock(&self.stored).values().next().map(|program| program.statistics);
        self.main.as_ref().map(|main| main.stats).or_else(linked).or_else(stored)
    }
}

/// A fragment shader that does nothing.
const NOTHING: &str = "#version 450\nvoid main() {}\n";

impl LinkedVertex {
    /// A vertex shader for all draws of a kind.
    pub fn new(shader: CompiledShader, origin: Origin) -> LinkedVertex {
        LinkedVertex { shader, origin, programs: Mutex::default() }
    }

    /// The vertex shader that draws what a geometry or mesh shader stored, which the cache knows by a name.
    ///
    /// # Errors
    /// The compiler's error.
    pub(crate) fn emitted(
        device: &Device,
        emitter: &ShaderInfo,
        needs: Option<&FragmentNeeds>,
        (name, known): (Vec<u8>, Known<'_>),
    ) -> Result<LinkedVertex, Error> {
        let origin = Origin::Emitter(Box::new(emitter.clone()));
        let shader = known.shader(name, || origin.compiled(device, needs))?;
        Ok(LinkedVertex::new(shader, origin))
    }

    /// The program to be followed by a fragment program that reads `sources`. It is compiled again if that needs words which
    /// are stored only on demand.
    ///
    /// # Errors
    /// The compiler's error, or out of memory.
    pub fn program(
        &self,
        device: &Device,
        sources: &[CoefficientSource],
    ) -> Result<Arc<VertexProgram>, Error> {
        found(&self.programs, sources.to_vec(), |sources| {
            if finds_stored(sources, &self.shader.info) {
                return VertexProgram::new(device, &self.shader, sources);
            }
            let needs = FragmentNeeds { inputs: sources.clone(), moved: Vec::new() };
            VertexProgram::new(device, &self.origin.compiled(device, Some(&needs))?, sources)
        })
    }
}

impl FragmentStage {
    /// A fragment shader, or none; with `shading` it runs once per sample. `in_parts` if the state of its render
    /// targets is dynamic. `before` has the outputs of the vertex shader, if it is always the same.
    ///
    /// # Errors
    /// The compiler's error.
    pub fn new(
        device: &Device,
        source: Option<ShaderSource>,
        before: Option<VertexOutputs>,
        [shading, in_parts]: [bool; 2],
        known: Known<'_>,
    ) -> Result<FragmentStage, Error> {
        let reads_vertices = source.as_ref().is_some_and(ShaderSource::reads_vertices);
        let (main, programs) = (None, Mutex::default());
        let mut stage = FragmentStage { source, before, shading, reads_vertices, main, programs };
        if in_parts {
            let (input, key) = stage.input(device);
            stage.main = Some(main_part(device, input, &key, known)?);
        }
        Ok(stage)
    }

    fn input(&self, device: &Device) -> (Input<'_>, CompileKey) {
        match &self.source {
            Some(source) => {
                let mut key = source.key(device, Stage::Fragment);
                key.sample_shading = self.shading;
                key.vertex_outputs.clone_from(&self.before);
                (Input::spirv(&source.code), key)
            }
            None => (Input::glsl(NOTHING, Stage::Fragment), CompileKey::default()),
        }
    }

    /// Whether it runs once per sample.
    pub fn runs_per_sample(&self) -> bool {
        self.shading
    }

    /// Whether it may read values at each vertex of a primitive.
    pub fn reads_vertices(&self) -> bool {
        self.reads_vertices
    }

    /// Whether there is a shader.
    pub fn is_given(&self) -> bool {
        self.source.is_some()
    }

    /// The program for a state, after a vertex shader.
    ///
    /// # Errors
    /// The compiler's error, or out of memory.
    pub fn program(
        &self,
        device: &Device,
        state: FragmentState,
        vertex: &ShaderInfo,
        known: Known<'_>,
    ) -> Result<Arc<Program>, Error> {
        let mut state = state;
        state.culled = cull_flags(&vertex.varyings).collect();
        found(&self.programs, state, |state| {
            let scratch = &mut Scratch::default();
            if let Some(main) = &self.main {
                let options = CompileKey::default();
                let program = device.compiler.fragment_program(scratch, main, state, &options)?;
                return Program::new(&device.code, around(main, program));
            }
            let (input, key) = self.input(device);
            let shader = known.shader(name(device, input, &key, state), || {
                let whole = device.compiler.whole_fragment(scratch, input, &key, state)?;
                Ok(program::linked(whole.shader, &whole.program))
            })?;
            Program::new(&device.code, shader)
        })
    }

    /// Information about the main part, if the stage is in parts.
    pub fn main_info(&self) -> Option<&ShaderInfo> {
        self.main.as_ref().map(|main| &main.info)
    }

    /// Statistics of its programs.
    pub fn statistics(&self) -> Option<Statistics> {
        let program = || lock(&self.programs).values().next().map(|program| program.statistics);
        self.main.as_ref().map(|main| main.stats).or_else(program)
    }
}
