//! Graphics pipelines: shaders, and the state of draws that is known when they are created.

use std::sync::Arc;

use agx_abi::ShaderInfo;
use agx_compiler::link::{Assembly, IndexSize};
use ash::vk;

use crate::Error;
use crate::cache::Known;
use crate::device::Device;
use crate::draw_state::{DrawState, TargetFormats, VertexInput, changes_fragments};
use crate::format;
use crate::geometry::GeometryStage;
use crate::pipeline::ShaderSource;
use crate::program::Program;
use crate::stages::{FragmentStage, LinkedVertex, VertexStage};
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
    pub vertex: Arc<Program>,
    /// The fragment program.
    pub fragment: Arc<Program>,
}

/// A graphics pipeline.
pub struct GraphicsPipeline {
    /// The vertex shader.
    pub vertex: Arc<VertexStage>,
    /// The tessellation shaders: control and evaluation.
    pub tessellation: Option<(Arc<ControlStage>, Arc<EvaluationStage>)>,
    /// The geometry shader.
    pub geometry: Option<Arc<GeometryStage>>,
    /// The fragment shader.
    pub fragment: Arc<FragmentStage>,
    /// State that commands can set, with its initial values.
    pub state: DrawState,
    /// The dynamic states, which commands set.
    pub dynamic: Vec<vk::DynamicState>,
    /// Formats of the targets.
    pub formats: TargetFormats,
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
        let fragment = FragmentStage::new(device, fragment, [shading, fragments_are_set], known)?;
        // Whether culled primitives are discarded is part of the fragment program, and depends on the compiled shader
        // before it.
        let last = geometry.as_ref().or(evaluation.as_ref()).unwrap_or(&vertex);
        let inputs = match (last.culls(), fragment.main_info()) {
            (true, _) => None,
            (false, Some(main)) => Some(main.fragment.coefficients.clone()),
            (false, None) => {
                let program =
                    fragment.program(device, state.fragment(&formats)?, &ShaderInfo::default(), known)?;
                Some(program.info.fragment.coefficients.clone())
            }
        };
        let tessellation = match control.zip(evaluation) {
            Some((control, evaluation)) => {
                let control = ControlStage::new(device, &control, known)?;
                Some((Arc::new(control), Arc::new(EvaluationStage::new(evaluation, inputs.clone()))))
            }
            None => None,
        };
        let geometry = geometry.map(|source| Arc::new(GeometryStage::new(source, inputs.clone())));
        let in_parts = input_is_set && geometry.is_none() && tessellation.is_none();
        let pipeline = GraphicsPipeline {
            vertex: Arc::new(VertexStage::new(device, vertex, in_parts, inputs, known)?),
            tessellation,
            geometry,
            fragment: Arc::new(fragment),
            formats,
            state,
            dynamic,
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
        let strides: Vec<u32> = input.bindings.iter().map(|binding| binding.stride).collect();
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

    /// Whether a state is dynamic.
    pub fn is_dynamic(&self, state: vk::DynamicState) -> bool {
        self.dynamic.contains(&state)
    }
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
