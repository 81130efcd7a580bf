//! Graphics pipelines: shaders, and the state of draws that is known when they are created.

use std::sync::Arc;

use agx_abi::ShaderInfo;
use agx_abi::linking::VertexOutputs;
use agx_compiler::GeometryKey;
use agx_compiler::link::{Assembly, FragmentState, IndexSize};
use ash::vk;

use crate::Error;
use crate::cache::Known;
use crate::device::Device;
use crate::draw_state::{DrawState, Take, TargetFormats, VertexInput, changes_fragments};
use crate::format;
use crate::geometry::GeometryStage;
use crate::mesh::{MeshStage, TaskStage};
use crate::pipeline::ShaderSource;
use crate::program::Program;
use crate::render::{OfPipeline, Shaders};
use crate::stages::{FragmentNeeds, FragmentStage, LinkedVertex, VertexProgram, VertexStage};
use crate::tessellation::{ControlStage, EvaluationStage};

/// The parameters of a graphics pipeline.
#[derive(Clone, Debug, Default)]
pub struct GraphicsInfo {
    /// The vertex shader.
    pub vertex: ShaderSource,
    /// The tessellation control shader.
    pub control: Option<ShaderSource>,
    /// The tessellation evaluation shader.
    pub evaluation: Option<ShaderSource>,
    /// The geometry shader.
    pub geometry: Option<ShaderSource>,
    /// The task shader.
    pub task: Option<ShaderSource>,
    /// The mesh shader.
    pub mesh: Option<ShaderSource>,
    /// The fragment shader.
    pub fragment: Option<ShaderSource>,
    /// State that commands can set, with its initial values.
    pub state: DrawState,
    /// The dynamic states, which commands set.
    pub dynamic: Vec<vk::DynamicState>,
    /// Whether the fragment shader runs once per sample.
    pub shading: bool,
    /// Formats of the targets.
    pub formats: Vec<vk::Format>,
}

impl GraphicsInfo {
    /// Whether the fragment shader runs once per sample. If the sample count is dynamic, it may be 1; the loop over samples then has
    /// one iteration.
    fn is_shaded_by_sample(&self) -> bool {
        let samples_are_set = self.dynamic.contains(&vk::DynamicState::RASTERIZATION_SAMPLES_EXT);
        self.shading && (samples_are_set || self.state.samples.count > 1)
    }
}

/// Shaders of pipeline libraries, compiled in parts before the pipelines are known, as shader objects are.
#[derive(Clone, Default)]
pub struct LibraryStages {
    /// The vertex shader.
    pub vertex: Option<Arc<VertexStage>>,
    /// The fragment shader.
    pub fragment: Option<Arc<FragmentStage>>,
}

impl LibraryStages {
    /// Compiles the shaders that a library has. Those before and after tessellation, geometry and mesh shaders are compiled with the
    /// pipeline.
    ///
    /// # Errors
    /// The compiler's error.
    pub fn new(
        device: &Device,
        info: &GraphicsInfo,
        parts: vk::GraphicsPipelineLibraryFlagsEXT,
        known: Known<'_>,
    ) -> Result<LibraryStages, Error> {
        use vk::GraphicsPipelineLibraryFlagsEXT as Parts;
        let is_direct = [&info.control, &info.geometry, &info.mesh].iter().all(|stage| stage.is_none());
        let vertex = is_direct && parts.contains(Parts::PRE_RASTERIZATION_SHADERS);
        let vertex = vertex.then(|| VertexStage::new(device, info.vertex.clone(), true, None, known));
        let fragment = info.fragment.clone().filter(|_| parts.contains(Parts::FRAGMENT_SHADER));
        let modes = [info.is_shaded_by_sample(), true];
        let fragment = fragment.map(|source| FragmentStage::new(device, Some(source), None, modes, known));
        Ok(LibraryStages {
            vertex: vertex.transpose()?.map(Arc::new),
            fragment: fragment.transpose()?.map(Arc::new),
        })
    }

    /// Adds the shaders of another library.
    pub fn add(&mut self, other: &LibraryStages) {
        self.vertex = other.vertex.clone().or(self.vertex.take());
        self.fragment = other.fragment.clone().or(self.fragment.take());
    }

    /// The shaders of a pipeline that consists of them; `None` if it has to be compiled.
    fn shaders(
        &self,
        device: &Device,
        key: &GraphicsKey,
        known: Known<'_>,
    ) -> Result<Option<GraphicsShaders>, Error> {
        let fragment = match (&self.fragment, &key.fragment) {
            (Some(fragment), _) if fragment.runs_per_sample() == key.shading => fragment.clone(),
            (None, None) => Arc::new(FragmentStage::new(device, None, None, [false, true], known)?),
            _ => return Ok(None),
        };
        let Some(vertex) = self.vertex.clone().filter(|_| key.is_direct() && key.mesh.is_none()) else {
            return Ok(None);
        };
        let infos = vertex.main_info().zip(fragment.main_info());
        if infos.is_some_and(|(vertex, fragment)| !FragmentNeeds::of(fragment).find_stored(vertex)) {
            return Ok(None);
        }
        let shaders = Shaders { vertex: Some(vertex), fragment: Some(fragment), ..Shaders::default() };
        GraphicsShaders::of_stages(device, key, shaders, known).map(Some)
    }
}

/// Programs of a draw.
#[derive(Clone)]
pub struct Programs {
    /// The vertex program.
    pub vertex: Arc<VertexProgram>,
    /// The fragment program.
    pub fragment: Arc<Program>,
}

/// What determines the shaders of a graphics pipeline.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct GraphicsKey {
    vertex: ShaderSource,
    /// Control and evaluation.
    tessellation: Option<[ShaderSource; 2]>,
    geometry: Option<ShaderSource>,
    /// The mesh shader, and the task shader if there is one.
    mesh: Option<(ShaderSource, Option<ShaderSource>)>,
    fragment: Option<ShaderSource>,
    dynamic: Vec<vk::DynamicState>,
    /// Whether the fragment shader runs once per sample.
    shading: bool,
    formats: TargetFormats,
    input: Arc<VertexInput>,
    /// The state of fragment programs, unless commands set a part of it.
    state: Option<FragmentState>,
    /// Whether the last vertex is the provoking vertex.
    provoking_last: bool,
    /// The stream whose primitives are drawn.
    stream: u32,
}

/// The shaders of a graphics pipeline.
pub struct GraphicsShaders {
    /// The shaders as draws use them.
    pub shaders: Arc<Shaders>,
    /// The parts of the state that the pipeline determines.
    pub fixed_parts: Vec<Take>,
}

/// A graphics pipeline.
pub struct GraphicsPipeline {
    /// The shaders.
    pub made: Arc<GraphicsShaders>,
    /// State that commands can set, with its initial values.
    pub state: DrawState,
}

/// The stages that tessellate patches: control and evaluation.
type Tessellation = (Arc<ControlStage>, Arc<EvaluationStage>);

fn tessellation(
    device: &Device,
    [control, evaluation]: [ShaderSource; 2],
    needs: Option<&FragmentNeeds>,
    known: Known<'_>,
) -> Result<Tessellation, Error> {
    let control = ControlStage::new(device, &control, known)?;
    Ok((Arc::new(control), Arc::new(EvaluationStage::new(evaluation, needs.cloned()))))
}

impl GraphicsPipeline {
    /// A pipeline whose shaders are compiled if they are not known.
    ///
    /// # Errors
    /// The compiler's error, a format that is not renderable, or out of memory.
    pub fn new(device: &Device, info: GraphicsInfo, known: Known<'_>) -> Result<GraphicsPipeline, Error> {
        let (key, state) = GraphicsKey::new(info)?;
        let made = known.made(|made| &made.graphics, key, |key| GraphicsShaders::new(device, key, known))?;
        Ok(GraphicsPipeline { made, state })
    }

    /// A pipeline whose shaders are those of libraries, unless they have to be compiled for each other.
    ///
    /// # Errors
    /// As [`GraphicsPipeline::new`].
    pub fn linked(
        device: &Device,
        info: GraphicsInfo,
        stages: &LibraryStages,
        known: Known<'_>,
    ) -> Result<GraphicsPipeline, Error> {
        let (key, state) = GraphicsKey::new(info)?;
        let make = |key: &GraphicsKey| GraphicsShaders::new(device, key, known);
        let made = match stages.shaders(device, &key, known)? {
            Some(shaders) => Arc::new(shaders),
            None => known.made(|made| &made.graphics, key, make)?,
        };
        Ok(GraphicsPipeline { made, state })
    }
}

impl GraphicsKey {
    /// What determines the shaders, and the state that does not.
    fn new(info: GraphicsInfo) -> Result<(GraphicsKey, DrawState), Error> {
        let shading = info.is_shaded_by_sample();
        let GraphicsInfo { vertex, control, evaluation, geometry, task, mesh, fragment, .. } = info;
        let GraphicsInfo { state, dynamic, formats, .. } = info;
        let formats = target_formats(&formats)?;
        let of_fragments = match changes_fragments(&dynamic) {
            true => None,
            false => Some(state.fragment(&formats)?),
        };
        let key = GraphicsKey {
            vertex,
            tessellation: control.zip(evaluation).map(<[ShaderSource; 2]>::from),
            geometry,
            mesh: mesh.map(|mesh| (mesh, task)),
            fragment,
            shading,
            formats,
            input: state.input.clone(),
            state: of_fragments,
            provoking_last: state.raster.provoking_last,
            stream: state.raster.stream,
            dynamic,
        };
        Ok((key, state))
    }

    fn sets(&self, state: vk::DynamicState) -> bool {
        self.dynamic.contains(&state)
    }

    /// Whether it has neither a tessellation nor a geometry shader.
    fn is_direct(&self) -> bool {
        self.geometry.is_none() && self.tessellation.is_none()
    }

    /// The vertex shader, in parts if its input is dynamic.
    fn in_parts(&self) -> bool {
        self.sets(vk::DynamicState::VERTEX_INPUT_EXT) && self.is_direct()
    }
}

impl GraphicsShaders {
    /// Compiles the shaders: programs for static state, main parts for dynamic state.
    fn new(device: &Device, key: &GraphicsKey, known: Known<'_>) -> Result<GraphicsShaders, Error> {
        if let Some((mesh, task)) = &key.mesh {
            return GraphicsShaders::of_meshes(device, key, (mesh, task.as_ref()), known);
        }
        let evaluation = key.tessellation.as_ref().map(|[_, evaluation]| evaluation);
        // Whether culled primitives are discarded is part of the fragment program, and depends on the compiled shader
        // before it.
        let culls = key.geometry.as_ref().or(evaluation).unwrap_or(&key.vertex).culls();
        let first = match key.is_direct() && !culls && key.fragment.is_some() {
            true => Some(for_any_fragment(device, key, known)?),
            false => None,
        };
        let before = first.as_ref().map(|(_, info)| VertexOutputs::of(info));
        let modes = [key.shading, key.state.is_none()];
        let fragment = FragmentStage::new(device, key.fragment.clone(), before, modes, known)?;
        let needs = match culls {
            true => None,
            false => Some(needs_of(device, &fragment, key, known)?),
        };
        let are_met = |info| needs.as_ref().is_some_and(|needs| needs.are_met_by(info));
        let vertex = match first {
            Some((stage, info)) if are_met(&info) => stage,
            _ => VertexStage::new(device, key.vertex.clone(), key.in_parts(), needs.clone(), known)?,
        };
        let patches = key.tessellation.clone();
        let patches =
            patches.map(|sources| tessellation(device, sources, needs.as_ref(), known)).transpose()?;
        let geometry = key.geometry.clone().map(|source| Arc::new(GeometryStage::new(source, needs)));
        let shaders = Shaders {
            vertex: Some(Arc::new(vertex)),
            control: patches.as_ref().map(|(control, _)| control.clone()),
            evaluation: patches.as_ref().map(|(_, evaluation)| evaluation.clone()),
            geometry,
            fragment: Some(Arc::new(fragment)),
            ..Shaders::default()
        };
        GraphicsShaders::of_stages(device, key, shaders, known)
    }

    /// The shaders of these stages, with the programs for static state.
    fn of_stages(
        device: &Device,
        key: &GraphicsKey,
        mut shaders: Shaders,
        known: Known<'_>,
    ) -> Result<GraphicsShaders, Error> {
        let input_is_set = key.sets(vk::DynamicState::VERTEX_INPUT_EXT);
        let strides_are_set = key.sets(vk::DynamicState::VERTEX_INPUT_BINDING_STRIDE);
        let strides = !input_is_set && !strides_are_set;
        shaders.pipeline = Some(OfPipeline { formats: key.formats, strides });
        shaders.fixed = (strides && key.state.is_some()).then(Arc::default);
        compile_known(&shaders, device, key, known)?;
        let fixed_parts = DrawState::fixed_parts(&key.dynamic);
        Ok(GraphicsShaders { shaders: Arc::new(shaders), fixed_parts })
    }

    /// Compiles the shaders of a pipeline that draws meshes.
    fn of_meshes(
        device: &Device,
        key: &GraphicsKey,
        (mesh, task): (&ShaderSource, Option<&ShaderSource>),
        known: Known<'_>,
    ) -> Result<GraphicsShaders, Error> {
        let modes = [key.shading, key.state.is_none()];
        let fragment = FragmentStage::new(device, key.fragment.clone(), None, modes, known)?;
        let needs = match mesh.culls() {
            true => None,
            false => Some(needs_of(device, &fragment, key, known)?),
        };
        let mesh = MeshStage::new(device, mesh, needs.as_ref(), known)?;
        let task = task.map(|task| TaskStage::new(device, task, known)).transpose()?;
        if let Some(state) = key.state.clone() {
            let program = fragment.program(device, state, &mesh.drawn.shader.info, known)?;
            mesh.drawn.program(device, &program.info.fragment.coefficients)?;
        }
        let shaders = Shaders {
            task: task.map(Arc::new),
            mesh: Some(Arc::new(mesh)),
            fragment: Some(Arc::new(fragment)),
            pipeline: Some(OfPipeline { formats: key.formats, strides: true }),
            ..Shaders::default()
        };
        let fixed_parts = DrawState::fixed_parts_of_meshes(&key.dynamic);
        Ok(GraphicsShaders { shaders: Arc::new(shaders), fixed_parts })
    }
}

/// Compiles the vertex and fragment programs for static state.
fn compile_known(
    shaders: &Shaders,
    device: &Device,
    key: &GraphicsKey,
    known: Known<'_>,
) -> Result<(), Error> {
    let Shaders { vertex: Some(vertex), fragment: Some(fragment), .. } = shaders else { return Ok(()) };
    let (input, none) = (&*key.input, VertexInput::default());
    let strides = strides(input);
    let (mut last, mut last_input, mut last_strides) = (vertex.clone(), input, strides.as_slice());
    let patches = shaders.control.as_ref().zip(shaders.evaluation.as_ref());
    if let Some((control, evaluation)) = patches {
        let rows = Some(control.info().inputs);
        vertex.stored(device, input, &strides, Assembly::default(), rows, known)?;
        last = evaluation.stage(device, control.info().record, known)?;
        (last_input, last_strides) = (&none, &[]);
    }
    let linked = match &shaders.geometry {
        Some(geometry) => Some(emitted(device, key, geometry, (&last, last_input, last_strides), known)?),
        None if key.sets(vk::DynamicState::VERTEX_INPUT_EXT) && patches.is_none() => None,
        None => Some(last.linked(device, last_input, last_strides, known)?),
    };
    let outputs = linked.as_ref().map(|linked| &linked.shader.info).or(vertex.main_info());
    if let Some((outputs, state)) = outputs.zip(key.state.clone()) {
        let fragment = fragment.program(device, state, outputs, known)?;
        if let Some(linked) = &linked {
            linked.program(device, &fragment.info.fragment.coefficients)?;
        }
    }
    Ok(())
}

/// The vertex program of the vertices that the geometry shader emits, of a draw of a list without indices, or of
/// tessellated patches.
fn emitted(
    device: &Device,
    key: &GraphicsKey,
    geometry: &GeometryStage,
    (last, input, strides): (&VertexStage, &VertexInput, &[u32]),
    known: Known<'_>,
) -> Result<Arc<LinkedVertex>, Error> {
    let index = key.tessellation.as_ref().map(|_| IndexSize::B32);
    let assembly = Assembly { index, ..Assembly::default() };
    let stored = last.stored(device, input, strides, assembly, None, known)?;
    let inputs = stored.info.varyings.clone();
    let joined = GeometryKey { inputs, last_provokes: key.provoking_last, stream: key.stream };
    Ok(geometry.emitter(device, joined, known)?.drawn.clone())
}

/// A vertex shader compiled for any fragment shader, and the information about it.
fn for_any_fragment(
    device: &Device,
    key: &GraphicsKey,
    known: Known<'_>,
) -> Result<(VertexStage, ShaderInfo), Error> {
    let stage = VertexStage::new(device, key.vertex.clone(), key.in_parts(), None, known)?;
    let info = match stage.main_info() {
        Some(main) => main.clone(),
        None => stage.linked(device, &key.input, &strides(&key.input), known)?.shader.info.clone(),
    };
    Ok((stage, info))
}

/// What a fragment shader needs from the vertex shader before it.
fn needs_of(
    device: &Device,
    fragment: &FragmentStage,
    key: &GraphicsKey,
    known: Known<'_>,
) -> Result<FragmentNeeds, Error> {
    if let Some(main) = fragment.main_info() {
        return Ok(FragmentNeeds::of(main));
    }
    let state = key.state.clone().unwrap_or_default();
    let program = fragment.program(device, state, &ShaderInfo::default(), known)?;
    Ok(FragmentNeeds::of(&program.info))
}

/// The strides of the bindings.
fn strides(input: &VertexInput) -> Vec<u32> {
    input.bindings.iter().map(|binding| binding.stride).collect()
}

/// Formats of targets in tiles.
fn target_formats(formats: &[vk::Format]) -> Result<TargetFormats, Error> {
    let mut targets = TargetFormats::default();
    for (slot, format) in targets.iter_mut().zip(formats) {
        if *format != vk::Format::UNDEFINED {
            let found = format::find(*format).and_then(|desc| desc.colour());
            *slot = Some(found.ok_or(Error::Format(*format))?);
        }
    }
    Ok(targets)
}
