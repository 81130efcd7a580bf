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
        let GraphicsInfo { vertex, control, evaluation, geometry, fragment, state, .. } = info;
        let GraphicsInfo { dynamic, shading, formats, .. } = info;
        let formats = target_formats(&formats)?;
        // If the sample count is dynamic, it may be 1; the loop over samples then has one iteration.
        let samples_are_set = dynamic.contains(&vk::DynamicState::RASTERIZATION_SAMPLES_EXT);
        let of_fragments = match changes_fragments(&dynamic) {
            true => None,
            false => Some(state.fragment(&formats)?),
        };
        let key = GraphicsKey {
            vertex,
            tessellation: control.zip(evaluation).map(<[ShaderSource; 2]>::from),
            geometry,
            fragment,
            shading: shading && (samples_are_set || state.samples.count > 1),
            formats,
            input: state.input.clone(),
            state: of_fragments,
            provoking_last: state.raster.provoking_last,
            stream: state.raster.stream,
            dynamic,
        };
        let made = known.made(|made| &made.graphics, key, |key| GraphicsShaders::new(device, key, known))?;
        Ok(GraphicsPipeline { made, state })
    }
}

impl GraphicsKey {
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
        let input_is_set = key.sets(vk::DynamicState::VERTEX_INPUT_EXT);
        let strides_are_set = key.sets(vk::DynamicState::VERTEX_INPUT_BINDING_STRIDE);
        let is_fixed = !input_is_set && !strides_are_set && key.state.is_some();
        let strides = !input_is_set && !strides_are_set;
        let shaders = Shaders {
            vertex: Some(Arc::new(vertex)),
            control: patches.as_ref().map(|(control, _)| control.clone()),
            evaluation: patches.as_ref().map(|(_, evaluation)| evaluation.clone()),
            geometry,
            fragment: Some(Arc::new(fragment)),
            pipeline: Some(OfPipeline { formats: key.formats, strides }),
            fixed: is_fixed.then(Arc::default),
        };
        compile_known(&shaders, device, key, known)?;
        let fixed_parts = DrawState::fixed_parts(&key.dynamic);
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
