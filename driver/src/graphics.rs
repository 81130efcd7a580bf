//! Graphics pipelines: shaders, and the state of draws that is known when they are created.

use std::sync::Arc;

use agx_abi::ShaderInfo;
use agx_abi::linking::VertexOutputs;
use agx_compiler::link::{Assembly, IndexSize};
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

/// A graphics pipeline.
pub struct GraphicsPipeline {
    /// The vertex shader.
    pub vertex: Arc<VertexStage>,
    /// The tessellation shaders: control and evaluation.
    pub tessellation: Option<Tessellation>,
    /// The geometry shader.
    pub geometry: Option<Arc<GeometryStage>>,
    /// The fragment shader.
    pub fragment: Arc<FragmentStage>,
    /// State that commands can set, with its initial values.
    pub state: DrawState,
    /// The parts of it that the pipeline determines.
    pub fixed_parts: Vec<Take>,
    /// The shaders as draws use them.
    pub shaders: Shaders,
    /// Formats of the targets.
    pub formats: TargetFormats,
}

/// The stages that tessellate patches: control and evaluation.
type Tessellation = (Arc<ControlStage>, Arc<EvaluationStage>);

fn tessellation(
    device: &Device,
    (control, evaluation): (ShaderSource, ShaderSource),
    needs: Option<&FragmentNeeds>,
    known: Known<'_>,
) -> Result<Tessellation, Error> {
    let control = ControlStage::new(device, &control, known)?;
    Ok((Arc::new(control), Arc::new(EvaluationStage::new(evaluation, needs.cloned()))))
}

impl GraphicsPipeline {
    /// Compiles a pipeline: programs for static state, main parts for dynamic state.
    ///
    /// # Errors
    /// The compiler's error, a format that is not renderable, or out of memory.
    pub fn new(device: &Device, info: GraphicsInfo, known: Known<'_>) -> Result<GraphicsPipeline, Error> {
        let GraphicsInfo { vertex, control, evaluation, geometry, fragment, state, .. } = info;
        let GraphicsInfo { dynamic, shading, formats, .. } = info;
        let input_is_set = dynamic.contains(&vk::DynamicState::VERTEX_INPUT_EXT);
        let fragments_are_set = changes_fragments(&dynamic);
        // If the sample count is dynamic, it may be 1; the loop over samples then has one iteration.
        let samples_are_set = dynamic.contains(&vk::DynamicState::RASTERIZATION_SAMPLES_EXT);
        let shading = shading && (samples_are_set || state.samples.count > 1);
        let formats = target_formats(&formats)?;
        let is_direct = geometry.is_none() && control.is_none();
        let in_parts = input_is_set && is_direct;
        // Whether culled primitives are discarded is part of the fragment program, and depends on the compiled shader
        // before it.
        let culls = geometry.as_ref().or(evaluation.as_ref()).unwrap_or(&vertex).culls();
        let first = match is_direct && !culls && fragment.is_some() {
            true => Some(for_any_fragment(device, vertex.clone(), in_parts, &state, known)?),
            false => None,
        };
        let before = first.as_ref().map(|(_, info)| VertexOutputs::of(info));
        let fragment = FragmentStage::new(device, fragment, before, [shading, fragments_are_set], known)?;
        let needs = match culls {
            true => None,
            false => Some(needs_of(device, &fragment, (&state, &formats), known)?),
        };
        let are_met = |info| needs.as_ref().is_some_and(|needs| needs.are_met_by(info));
        let vertex = match first {
            Some((stage, info)) if are_met(&info) => stage,
            _ => VertexStage::new(device, vertex, in_parts, needs.clone(), known)?,
        };
        let patches = control.zip(evaluation);
        let tessellation =
            patches.map(|sources| tessellation(device, sources, needs.as_ref(), known)).transpose()?;
        let geometry = geometry.map(|source| Arc::new(GeometryStage::new(source, needs)));
        let (vertex, fragment) = (Arc::new(vertex), Arc::new(fragment));
        let strides_are_set = dynamic.contains(&vk::DynamicState::VERTEX_INPUT_BINDING_STRIDE);
        let is_fixed = !input_is_set && !strides_are_set && !fragments_are_set;
        let shaders = Shaders {
            vertex: Some(vertex.clone()),
            control: tessellation.as_ref().map(|(control, _)| control.clone()),
            evaluation: tessellation.as_ref().map(|(_, evaluation)| evaluation.clone()),
            geometry: geometry.clone(),
            fragment: Some(fragment.clone()),
            pipeline: Some(OfPipeline { formats, strides: !input_is_set && !strides_are_set }),
            fixed: is_fixed.then(Arc::default),
        };
        let fixed_parts = DrawState::fixed_parts(&dynamic);
        let pipeline = GraphicsPipeline {
            vertex,
            tessellation,
            geometry,
            fragment,
            formats,
            state,
            fixed_parts,
            shaders,
        };
        pipeline.compile_known(device, [input_is_set, fragments_are_set], known)?;
        Ok(pipeline)
    }

    /// Compiles the vertex and fragment programs for static state.
    fn compile_known(
        &self,
        device: &Device,
        [input_is_set, fragments_are_set]: [bool; 2],
        known: Known<'_>,
    ) -> Result<(), Error> {
        let input = &self.state.input;
        let strides = strides(input);
        let (mut last, mut last_input, mut last_strides) =
            (self.vertex.clone(), &**input, strides.as_slice());
        let none = VertexInput::default();
        if let Some((control, evaluation)) = &self.tessellation {
            let rows = Some(control.info().inputs);
            self.vertex.stored(device, input, &strides, Assembly::default(), rows, known)?;
            last = evaluation.stage(device, control.info().record, known)?;
            (last_input, last_strides) = (&none, &[]);
        }
        let linked = match &self.geometry {
            Some(geometry) => {
                Some(self.emitted(device, geometry, (&last, last_input, last_strides), known)?)
            }
            None if input_is_set && self.tessellation.is_none() => None,
            None => Some(last.linked(device, last_input, last_strides, known)?),
        };
        let outputs = linked.as_ref().map(|linked| &linked.shader.info).or(self.vertex.main_info());
        if let Some(outputs) = outputs.filter(|_| !fragments_are_set) {
            let state = self.state.fragment(&self.formats)?;
            let fragment = self.fragment.program(device, state, outputs, known)?;
            if let Some(linked) = &linked {
                linked.program(device, &fragment.info.fragment.coefficients)?;
            }
        }
        Ok(())
    }

    /// The vertex program of the vertices that the geometry shader emits, of a draw of a list without indices, or of
    /// tessellated patches.
    fn emitted(
        &self,
        device: &Device,
        geometry: &GeometryStage,
        (last, input, strides): (&VertexStage, &VertexInput, &[u32]),
        known: Known<'_>,
    ) -> Result<Arc<LinkedVertex>, Error> {
        let index = self.tessellation.as_ref().map(|_| IndexSize::B32);
        let assembly = Assembly { index, ..Assembly::default() };
        let stored = last.stored(device, input, strides, assembly, None, known)?;
        let last_provokes = self.state.raster.provoking_last;
        Ok(geometry.emitter(device, &stored.info.varyings, last_provokes, known)?.drawn.clone())
    }
}

/// A vertex shader compiled for any fragment shader, and the information about it.
fn for_any_fragment(
    device: &Device,
    source: ShaderSource,
    in_parts: bool,
    state: &DrawState,
    known: Known<'_>,
) -> Result<(VertexStage, ShaderInfo), Error> {
    let stage = VertexStage::new(device, source, in_parts, None, known)?;
    let info = match stage.main_info() {
        Some(main) => main.clone(),
        None => stage.linked(device, &state.input, &strides(&state.input), known)?.shader.info.clone(),
    };
    Ok((stage, info))
}

/// What a fragment shader needs from the vertex shader before it.
fn needs_of(
    device: &Device,
    fragment: &FragmentStage,
    (state, formats): (&DrawState, &TargetFormats),
    known: Known<'_>,
) -> Result<FragmentNeeds, Error> {
    if let Some(main) = fragment.main_info() {
        return Ok(FragmentNeeds::of(main));
    }
    let program = fragment.program(device, state.fragment(formats)?, &ShaderInfo::default(), known)?;
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
