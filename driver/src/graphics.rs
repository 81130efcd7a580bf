//! Graphics pipelines: shaders, and the state of draws that is known when they are made.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use agx_abi::fragment::{MAX_TARGETS, cull_flags};
use agx_abi::vertex::Varying;
use agx_abi::{ShaderInfo, Stage};
use agx_compiler::link::{
    Assembly, AttributeKey, Blend, BlendOp, Equation, Factor, FragmentState, LogicOp, Target,
};
use agx_compiler::{CompileKey, Input, Scratch};
use ash::vk;

use crate::Error;
use crate::cache::Known;
use crate::device::Device;
use crate::format;
use crate::memory::lock;
use crate::pipeline::ShaderSource;
use crate::program::{self, Program};

/// An attribute of vertices.
#[derive(Clone, Copy, Debug)]
pub struct AttributeInfo {
    /// Location.
    pub location: u32,
    /// Number of its buffer.
    pub binding: u32,
    /// Format of elements.
    pub format: vk::Format,
    /// First byte.
    pub offset: u32,
}

/// A buffer of vertices.
#[derive(Clone, Copy, Debug)]
pub struct BindingInfo {
    /// Number.
    pub binding: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// Elements are for so many instances each, 0 for all of them; without, for vertices.
    pub divisor: Option<u32>,
}

/// Rasteriser state.
#[derive(Clone, Copy, Debug, Default)]
pub struct RasterInfo {
    /// Nothing is drawn.
    pub discard: bool,
    /// Depth is clamped.
    pub clamp: bool,
    /// Primitives are clipped at the near and the far plane.
    pub clip: bool,
    /// What is drawn of triangles.
    pub polygon: vk::PolygonMode,
    /// Faces that are dropped.
    pub cull: vk::CullModeFlags,
    /// Front faces run clockwise.
    pub clockwise: bool,
    /// Constant, clamp and slope of the depth bias.
    pub bias: Option<[f32; 3]>,
    /// Flat values come from the last vertex, and not from the first.
    pub provoking_last: bool,
    /// Width of lines.
    pub line_width: f32,
}

/// Depth and stencil state.
#[derive(Clone, Copy, Debug, Default)]
pub struct DepthInfo {
    /// Comparison of the depth test; `None` without.
    pub test: Option<vk::CompareOp>,
    /// The comparison, kept while the test is disabled.
    pub compare: vk::CompareOp,
    /// Depth is written.
    pub write: bool,
    /// Stencil is tested.
    pub stencil: bool,
    /// Stencil of front faces and of back faces.
    pub faces: [vk::StencilOpState; 2],
}

/// State that commands can change.
#[derive(Clone, Debug, Default)]
pub struct Dynamic {
    /// What the vertices make.
    pub topology: vk::PrimitiveTopology,
    /// The greatest index starts a new strip.
    pub restart: bool,
    /// Rasteriser state.
    pub raster: RasterInfo,
    /// Depth and stencil.
    pub depth: DepthInfo,
    /// Viewports.
    pub viewports: Vec<vk::Viewport>,
    /// Scissors.
    pub scissors: Vec<vk::Rect2D>,
    /// Blend constant.
    pub blend: [f32; 4],
}

/// Samples of pixels.
#[derive(Clone, Copy, Debug)]
pub struct SampleInfo {
    /// Samples of a pixel.
    pub count: u32,
    /// Samples that are let through.
    pub mask: u32,
    /// The fragment shader runs for each sample.
    pub shading: bool,
    /// Alpha becomes coverage.
    pub alpha_to_coverage: bool,
    /// Alpha becomes one.
    pub alpha_to_one: bool,
}

impl Default for SampleInfo {
    fn default() -> Self {
        SampleInfo { count: 1, mask: u32::MAX, shading: false, alpha_to_coverage: false, alpha_to_one: false }
    }
}

/// Everything that a graphics pipeline is made of.
#[derive(Clone, Debug, Default)]
pub struct GraphicsInfo {
    /// The vertex shader.
    pub vertex: ShaderSource,
    /// The fragment shader.
    pub fragment: Option<ShaderSource>,
    /// Attributes.
    pub attributes: Vec<AttributeInfo>,
    /// Vertex buffers.
    pub bindings: Vec<BindingInfo>,
    /// State that commands can change, as it is without them.
    pub state: Dynamic,
    /// Which of it commands change.
    pub dynamic: Vec<vk::DynamicState>,
    /// Samples.
    pub samples: SampleInfo,
    /// Formats of the targets.
    pub formats: Vec<vk::Format>,
    /// Blending of each target.
    pub blends: Vec<vk::PipelineColorBlendAttachmentState>,
    /// Replaces blending.
    pub logic_op: Option<vk::LogicOp>,
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
    /// What it is made of.
    pub info: GraphicsInfo,
    fragment_state: FragmentState,
    /// Programs by the strides of the vertex buffers.
    programs: Mutex<BTreeMap<Vec<u32>, Programs>>,
    /// Vertex programs that capture, also by where vertex numbers come from.
    capturing: Mutex<BTreeMap<(Vec<u32>, Assembly), Arc<Program>>>,
}

/// What a program with state of a draw is called in caches.
fn name(device: &Device, input: Input<'_>, key: &CompileKey, state: &impl std::fmt::Debug) -> Vec<u8> {
    let mut name = device.compiler.cache_key(input, key).to_le_bytes().to_vec();
    name.extend(format!("{state:?}").bytes());
    name
}

/// A fragment shader that does nothing.
const NOTHING: &str = "#version 450\nvoid main() {}\n";

impl GraphicsPipeline {
    /// Compiles a pipeline for the strides that it says.
    ///
    /// # Errors
    /// What the compiler says, or memory is used up.
    pub fn new(device: &Device, info: GraphicsInfo, known: Known<'_>) -> Result<GraphicsPipeline, Error> {
        let fragment_state = fragment_state(&info)?;
        let pipeline = GraphicsPipeline {
            info,
            fragment_state,
            programs: Mutex::default(),
            capturing: Mutex::default(),
        };
        let strides: Vec<u32> = pipeline.info.bindings.iter().map(|binding| binding.stride).collect();
        pipeline.programs(device, &strides, known)?;
        Ok(pipeline)
    }

    /// Whether commands change a state.
    pub fn is_dynamic(&self, state: vk::DynamicState) -> bool {
        self.info.dynamic.contains(&state)
    }

    /// The programs for strides of the vertex buffers, in the order of the bindings.
    ///
    /// # Errors
    /// What the compiler says, or memory is used up.
    pub fn programs(&self, device: &Device, strides: &[u32], known: Known<'_>) -> Result<Programs, Error> {
        let mut made = lock(&self.programs);
        if let Some(programs) = made.get(strides) {
            return Ok(programs.clone());
        }
        let vertex = self.vertex(device, strides, known)?;
        let fragment = match made.values().next() {
            Some(programs) => programs.fragment.clone(),
            None => Arc::new(self.fragment(device, &vertex.info, known)?),
        };
        let programs = Programs { vertex: Arc::new(vertex), fragment };
        made.insert(strides.to_vec(), programs.clone());
        Ok(programs)
    }

    /// The programs of the first strides.
    pub fn known(&self) -> Option<Programs> {
        lock(&self.programs).values().next().cloned()
    }

    /// Where the attribute at a location comes from.
    fn attribute(&self, location: u32, strides: &[u32]) -> Option<AttributeKey> {
        let attribute = self.info.attributes.iter().find(|attribute| attribute.location == location)?;
        let place = self.info.bindings.iter().position(|binding| binding.binding == attribute.binding)?;
        let binding = self.info.bindings.get(place)?;
        let format = format::vertex(attribute.format)?;
        let component = match format.packed {
            true => u32::from(format.bytes),
            false => u32::from(format.fields[0].bits / 8).max(1),
        };
        Some(AttributeKey {
            format,
            stride: strides.get(place).copied().unwrap_or(binding.stride),
            divisor: binding.divisor,
            alignment: component.min(4),
            location: 0,
        })
    }

    fn vertex(&self, device: &Device, strides: &[u32], known: Known<'_>) -> Result<Program, Error> {
        let source = &self.info.vertex;
        let (input, key) = (Input::spirv(&source.code), source.key(device, Stage::Vertex));
        let attributes = |location| self.attribute(location, strides);
        let locations = self.info.attributes.iter().map(|attribute| attribute.location);
        let state: Vec<_> = locations.map(|location| (location, attributes(location))).collect();
        let shader = known.shader(name(device, input, &key, &state), || {
            let whole = device.compiler.whole_vertex(&mut Scratch::default(), input, &key, attributes)?;
            Ok(program::linked(whole))
        })?;
        Program::new(&device.code, shader)
    }

    /// The vertex shader as a program that captures its outputs, launched with a thread for each vertex of each primitive.
    ///
    /// # Errors
    /// What the compiler says, or memory is used up.
    pub fn capturing(
        &self,
        device: &Device,
        strides: &[u32],
        assembly: Assembly,
    ) -> Result<Arc<Program>, Error> {
        let mut made = lock(&self.capturing);
        if let Some(program) = made.get(&(strides.to_vec(), assembly)) {
            return Ok(program.clone());
        }
        let source = &self.info.vertex;
        let (input, mut key) = (Input::spirv(&source.code), source.key(device, Stage::Vertex));
        (key.vertex_as_compute, key.captures_outputs) = (true, true);
        let attributes = |location| self.attribute(location, strides);
        let whole =
            device.compiler.whole_vertex_of(&mut Scratch::default(), input, &key, assembly, attributes)?;
        let program = Arc::new(Program::new(&device.code, program::linked(whole))?);
        made.insert((strides.to_vec(), assembly), program.clone());
        Ok(program)
    }

    fn fragment(&self, device: &Device, vertex: &ShaderInfo, known: Known<'_>) -> Result<Program, Error> {
        let state =
            FragmentState { culled: cull_flags(&vertex.varyings).collect(), ..self.fragment_state.clone() };
        let (input, key) = match &self.info.fragment {
            Some(source) => {
                let mut key = source.key(device, Stage::Fragment);
                key.sample_shading = self.info.samples.shading;
                (Input::spirv(&source.code), key)
            }
            None => (Input::glsl(NOTHING, Stage::Fragment), CompileKey::default()),
        };
        let shader = known.shader(name(device, input, &key, &state), || {
            let whole = device.compiler.whole_fragment(&mut Scratch::default(), input, &key, &state)?;
            Ok(program::linked(whole))
        })?;
        Program::new(&device.code, shader)
    }

    /// Address and last element of each attribute that the program reads, of buffers by number: address, bytes, stride.
    pub fn attributes(
        &self,
        program: &Program,
        buffers: &BTreeMap<u32, (u64, u64)>,
        strides: &[u32],
        zeros: u64,
    ) -> Vec<(u64, u32)> {
        let place = |location: u32| {
            let attribute = self.info.attributes.iter().find(|attribute| attribute.location == location)?;
            let at = self.info.bindings.iter().position(|binding| binding.binding == attribute.binding)?;
            let (address, bytes) = buffers.get(&attribute.binding)?;
            let format = format::vertex(attribute.format)?;
            let needed = u64::from(attribute.offset) + u64::from(format.bytes);
            let rest = bytes.checked_sub(needed)?;
            let last = match strides.get(at).copied().unwrap_or(0) {
                0 => u32::MAX,
                stride => (rest / u64::from(stride)).min(u64::from(u32::MAX)) as u32,
            };
            Some((address + u64::from(attribute.offset), last))
        };
        let of = |location: u32| {
            // A location that nothing is said of belongs to a wide attribute before it.
            let known = self.info.attributes.iter().any(|attribute| attribute.location == location);
            place(if known { location } else { location.saturating_sub(1) }).unwrap_or((zeros, 0))
        };
        program.info.attributes.iter().map(|attribute| of(attribute.location)).collect()
    }
}

/// What the fragment program depends on beside its shader.
fn fragment_state(info: &GraphicsInfo) -> Result<FragmentState, Error> {
    let mut targets = [None; MAX_TARGETS as usize];
    for (at, (slot, format)) in targets.iter_mut().zip(&info.formats).enumerate() {
        if *format == vk::Format::UNDEFINED {
            continue;
        }
        let colour = format::find(*format).and_then(|desc| desc.colour()).ok_or(Error::Format(*format))?;
        let state = info.blends.get(at).copied().unwrap_or_default();
        let mut target = Target::new(colour);
        target.write_mask = state.color_write_mask.as_raw() as u8;
        if state.blend_enable == vk::TRUE && !colour.is_integer() {
            let colour =
                equation(state.src_color_blend_factor, state.dst_color_blend_factor, state.color_blend_op)?;
            let alpha =
                equation(state.src_alpha_blend_factor, state.dst_alpha_blend_factor, state.alpha_blend_op)?;
            target.blend = Some(Blend { colour, alpha }.into());
        }
        *slot = Some(target);
    }
    let logic = info.logic_op.and_then(|op| LogicOp::ALL.get(op.as_raw() as usize).copied());
    Ok(FragmentState {
        targets,
        samples: info.samples.count as u8,
        logic_op: logic,
        alpha_to_coverage: info.samples.alpha_to_coverage,
        alpha_to_one: info.samples.alpha_to_one,
        sample_mask: info.samples.mask as u8,
        ..FragmentState::default()
    })
}

/// Factors and operations are listed in Vulkan's order.
fn equation(
    source: vk::BlendFactor,
    destination: vk::BlendFactor,
    op: vk::BlendOp,
) -> Result<Equation, Error> {
    let unknown = Error::Unsupported { what: "this blend factor or operation" };
    let factor = |factor: vk::BlendFactor| Factor::ALL.get(factor.as_raw() as usize).copied();
    let op = BlendOp::ALL.get(op.as_raw() as usize).copied();
    match (factor(source), factor(destination), op) {
        (Some(source), Some(destination), Some(op)) => Ok(Equation { source, destination, op }),
        _ => Err(unknown),
    }
}

/// The slot of an output; slots are words.
pub fn slot(varyings: &[Varying], output: agx_abi::vertex::Output) -> Option<u32> {
    varyings.iter().find(|varying| varying.output == output).map(|varying| varying.slot.into())
}
