//! Acts as the driver for draws: linked vertex and fragment programs with buffers, attributes and state.

use agx_abi::fragment::{
    CoefficientSource, Interpolation, RootDescriptor, pack_sample_positions, standard_sample_positions,
};
use agx_abi::layout::{InterfaceUniform, UNIFORM_HALVES};
use agx_abi::vertex::Output;
use agx_abi::{ShaderInfo, UniformSource};

use super::targets::{SpilledTarget, Targets};
use super::textures::{SamplerResource, TextureResource};
use super::{BufferBinding, LaunchError, Layout, write_range};
use crate::textures::{SAMPLER_BYTES, TEXTURE_BYTES};
use crate::{
    Access, Binding, Coefficient, Cull, Draw, Framebuffer, Memory, Options, Plane, Program, Report, Shade,
    Stage, States, Tests, Topology, Viewport, draw, shade,
};

/// A linked program of a draw.
#[derive(Clone, Copy, Debug)]
pub struct StageProgram<'a> {
    /// Code of the linked program.
    pub code: &'a [u8],
    /// Code of the main part's preamble, if there is one.
    pub preamble: Option<&'a [u8]>,
    /// The compiler's information about the main part.
    pub info: &'a ShaderInfo,
    /// Stack memory per lane in bytes, for all parts.
    pub scratch_bytes: u32,
    /// Push constants; bytes beyond them read as zero.
    pub push_constants: &'a [u8],
}

/// The data of a vertex attribute.
#[derive(Clone, Copy, Debug, Default)]
pub struct AttributeData<'a> {
    /// The vertex buffer.
    pub bytes: &'a [u8],
    /// First byte of the first element.
    pub offset: usize,
    /// Bytes from one element to the next.
    pub stride: usize,
    /// Bytes of an element.
    pub element_bytes: usize,
}

impl AttributeData<'_> {
    /// The last element inside the buffer; `None` if there is none.
    fn last(&self) -> Option<u32> {
        let rest = self.bytes.len().checked_sub(self.offset.checked_add(self.element_bytes)?)?;
        Some(rest.checked_div(self.stride).map_or(u32::MAX, |count| count as u32))
    }
}

/// A draw in terms of a graphics API.
#[derive(Debug)]
pub struct DrawLaunch<'a> {
    /// Prolog and main part of the vertex shader.
    pub vertex: StageProgram<'a>,
    /// All parts of the fragment shader.
    pub fragment: StageProgram<'a>,
    /// Buffers of both shaders, which may write them.
    pub buffers: &'a mut [BufferBinding],
    /// Textures and images of both shaders, which may write them.
    pub textures: &'a mut [TextureResource],
    /// Samplers of both shaders.
    pub samplers: &'a [SamplerResource],
    /// Data of the vertex shader's attributes, by their number.
    pub attributes: &'a [AttributeData<'a>],
    /// Render targets that do not fit into the tile; the draw changes them.
    pub targets: &'a mut [SpilledTarget],
    /// Blend constant.
    pub blend_constant: [f32; 4],
    /// Polygon stipple, with one word per row and the first pixel in the most significant bit.
    pub stipple: Option<&'a [u32; 32]>,
    /// Base vertex, base instance.
    pub base: [u32; 2],
    /// The primitives that the vertices form.
    pub topology: Topology,
    /// Vertex numbers in order, including the base vertex.
    pub vertices: &'a [u32],
    /// Instances.
    pub instances: u32,
    /// Viewport.
    pub viewport: Viewport,
    /// Left, top, right, bottom; the last two exclusive.
    pub scissor: Option<[u32; 4]>,
    /// Whether triangles whose vertices run counter-clockwise on the screen are front faces.
    pub front_counter_clockwise: bool,
    /// Faces that are not drawn.
    pub cull: Cull,
    /// Depth and stencil.
    pub tests: Tests,
    /// Whether the fragment program tests samples itself.
    pub late_tests: bool,
    /// Options of the machine.
    pub options: Options,
}

/// A rectangle of pixels that is shaded without vertices.
#[derive(Debug)]
pub struct ShadeLaunch<'a> {
    /// All parts of the fragment shader.
    pub fragment: StageProgram<'a>,
    /// Its buffers, which it may write.
    pub buffers: &'a mut [BufferBinding],
    /// Its textures and images, which it may write.
    pub textures: &'a mut [TextureResource],
    /// Its samplers.
    pub samplers: &'a [SamplerResource],
    /// Render targets that do not fit into the tile; the program changes them.
    pub targets: &'a mut [SpilledTarget],
    /// Blend constant.
    pub blend_constant: [f32; 4],
    /// Polygon stipple, with one word per row and the first pixel in the most significant bit.
    pub stipple: Option<&'a [u32; 32]>,
    /// Left, top, right, bottom; the last two exclusive.
    pub rectangle: [u32; 4],
    /// Depth of every sample.
    pub depth: f32,
    /// Depth and stencil.
    pub tests: Tests,
    /// Whether the program tests samples itself.
    pub late_tests: bool,
    /// Options of the machine.
    pub options: Options,
}

impl<'a> DrawLaunch<'a> {
    /// A draw of triangles to a whole framebuffer of `size` pixels, without resources, vertices and tests.
    pub fn new(vertex: StageProgram<'a>, fragment: StageProgram<'a>, size: [u32; 2]) -> Self {
        let [width, height] = size.map(|side| side as f32);
        DrawLaunch {
            vertex,
            fragment,
            buffers: &mut [],
            textures: &mut [],
            samplers: &[],
            targets: &mut [],
            attributes: &[],
            blend_constant: [0.0; 4],
            stipple: None,
            base: [0; 2],
            topology: Topology::Triangles,
            vertices: &[],
            instances: 1,
            viewport: Viewport { x: 0.0, y: 0.0, width, height, min_depth: 0.0, max_depth: 1.0 },
            scissor: None,
            front_counter_clockwise: true,
            cull: Cull::None,
            tests: Tests::default(),
            late_tests: false,
            options: Options::default(),
        }
    }

    /// Draws, and copies the new contents back to the buffers, even if the machine stops early.
    ///
    /// # Errors
    /// [`LaunchError`]: a resource of a shader is missing, or the machine stopped on a fatal finding.
    pub fn run(self, framebuffer: &mut Framebuffer) -> Result<Report, LaunchError> {
        let mut layout = Layout::new(self.buffers, self.textures, self.samplers)?;
        let root = Root::map(&mut layout, self.stipple)?;
        let targets = Targets::map(&mut layout, self.targets)?;
        let attributes =
            self.attributes.iter().map(|data| place(&mut layout, data)).collect::<Result<Vec<_>, _>>()?;
        let interface = Interface {
            attributes,
            base: self.base,
            blend_constant: self.blend_constant,
            root: root.address,
            heap: targets.heap,
            samples: framebuffer.samples(),
            primitive_vertices: self.topology.vertices(),
        };
        let programs = [self.vertex, self.fragment].map(|stage| Programs::new(&stage));
        let mut state = |program: &StageProgram<'_>| {
            let stage = program.info.stage;
            let found = interface.state(&mut layout, program);
            found.map_err(|error| LaunchError::Stage { stage, error: Box::new(error) })
        };
        let (vertex_state, fragment_state) = (state(&self.vertex)?, state(&self.fragment)?);
        let slots = |output| slot(self.vertex.info, output);
        let coefficients: Vec<Binding> =
            self.fragment.info.fragment.coefficients.iter().map(|source| binding(*source, slots)).collect();
        let drawn = draw(
            &mut layout.memory,
            framebuffer,
            &Draw {
                vertex: programs[0].stage(&self.vertex, &vertex_state),
                fragment: programs[1].stage(&self.fragment, &fragment_state),
                topology: self.topology,
                vertices: self.vertices,
                instances: self.instances,
                position_slot: slots(Output::Position(0)).unwrap_or(0),
                point_size_slot: slots(Output::PointSize),
                coefficients: &coefficients,
                viewport: self.viewport,
                scissor: self.scissor,
                line_width: 1.0,
                front_counter_clockwise: self.front_counter_clockwise,
                cull: self.cull,
                provoking_last: false,
                tests: self.tests,
                late_tests: self.late_tests,
                more: crate::More::default(),
                options: self.options,
            },
        );
        let (memory, addresses) = (layout.memory, layout.addresses);
        super::take_back(&memory, &addresses, self.buffers, self.textures);
        targets.take_back(&memory, self.targets);
        let counted_fragments = root.counted(&memory);
        Ok(Report { counted_fragments, ..drawn? })
    }
}

impl ShadeLaunch<'_> {
    /// Shades, and copies the new contents back to the buffers, even if the machine stops early.
    ///
    /// # Errors
    /// As [`DrawLaunch::run`].
    pub fn run(self, framebuffer: &mut Framebuffer) -> Result<Report, LaunchError> {
        let mut layout = Layout::new(self.buffers, self.textures, self.samplers)?;
        let root = Root::map(&mut layout, self.stipple)?;
        let targets = Targets::map(&mut layout, self.targets)?;
        let interface = Interface {
            attributes: Vec::new(),
            base: [0; 2],
            blend_constant: self.blend_constant,
            root: root.address,
            heap: targets.heap,
            samples: framebuffer.samples(),
            primitive_vertices: 3,
        };
        let state = interface.state(&mut layout, &self.fragment)?;
        let programs = Programs::new(&self.fragment);
        let coefficients: Vec<Coefficient> = self
            .fragment
            .info
            .fragment
            .coefficients
            .iter()
            .map(|source| constant_coefficient(*source, self.depth))
            .collect();
        let shaded = shade(
            &mut layout.memory,
            framebuffer,
            &Shade {
                fragment: programs.stage(&self.fragment, &state),
                rectangle: self.rectangle,
                coefficients: &coefficients,
                depth: self.depth,
                tests: self.tests,
                late_tests: self.late_tests,
                layer: 0,
                keeps_tests: false,
                options: self.options,
            },
        );
        let (memory, addresses) = (layout.memory, layout.addresses);
        super::take_back(&memory, &addresses, self.buffers, self.textures);
        targets.take_back(&memory, self.targets);
        let counted_fragments = root.counted(&memory);
        Ok(Report { counted_fragments, ..shaded? })
    }
}

/// Decoded programs of a stage.
pub(super) struct Programs {
    main: Program,
    preamble: Option<Program>,
}

impl Programs {
    pub(super) fn new(stage: &StageProgram<'_>) -> Programs {
        Programs { main: Program::new(stage.code), preamble: stage.preamble.map(Program::new) }
    }

    pub(super) fn stage<'p>(&'p self, stage: &StageProgram<'_>, state: &'p State) -> Stage<'p> {
        Stage {
            program: &self.main,
            preamble: self.preamble.as_ref(),
            uniforms: &state.uniforms,
            states: States { textures: &state.textures, samplers: &state.samplers, ..States::default() },
            scratch_bytes: stage.scratch_bytes.max(stage.info.preamble_scratch_bytes),
        }
    }
}

/// The root descriptor, and the fragment counter that it points to.
struct Root {
    address: u64,
    counter: u64,
}

impl Root {
    fn map(layout: &mut Layout<'_>, stipple: Option<&[u32; 32]>) -> Result<Root, LaunchError> {
        let counter = layout.map(vec![0; 4], Access::READ | Access::WRITE)?;
        let mut root = vec![0; RootDescriptor::BYTES];
        let mut name = |offset: u32, address: u64| {
            if let Some(place) = root.get_mut(offset as usize..).and_then(<[u8]>::first_chunk_mut) {
                *place = address.to_le_bytes();
            }
        };
        name(RootDescriptor::INVOCATIONS_OFFSET, counter);
        if let Some(stipple) = stipple {
            let bytes = stipple.iter().flat_map(|row| row.to_le_bytes()).collect();
            name(RootDescriptor::STIPPLE_OFFSET, layout.map(bytes, Access::READ)?);
        }
        Ok(Root { address: layout.map(root, Access::READ)?, counter })
    }

    /// Number of fragments that programs counted.
    fn counted(&self, memory: &Memory) -> u32 {
        let bytes = memory.bytes(self.counter, 4).and_then(|bytes| bytes.first_chunk().copied());
        bytes.map_or(0, u32::from_le_bytes)
    }
}

/// Address of the first element, and the last element.
pub(super) fn place(layout: &mut Layout<'_>, data: &AttributeData<'_>) -> Result<(u64, u32), LaunchError> {
    match data.last() {
        Some(last) => {
            let address = layout.map(data.bytes.to_vec(), Access::READ)?;
            Ok((address.saturating_add(data.offset as u64), last))
        }
        // No element is inside the buffer: the shader reads zeros.
        None => Ok((layout.map(vec![0; data.element_bytes.max(16)], Access::READ)?, 0)),
    }
}

/// The state that the driver loads for a stage.
pub(super) struct State {
    /// The uniform file, up to the last filled half-word.
    pub(super) uniforms: Vec<u16>,
    textures: Vec<[u8; TEXTURE_BYTES]>,
    samplers: Vec<[u8; SAMPLER_BYTES]>,
}

/// Values of the uniforms between parts and driver.
pub(super) struct Interface {
    pub(super) attributes: Vec<(u64, u32)>,
    pub(super) base: [u32; 2],
    pub(super) blend_constant: [f32; 4],
    /// Address of the root descriptor.
    pub(super) root: u64,
    /// Address of the texture heap of the render targets.
    pub(super) heap: u64,
    /// Samples per pixel.
    pub(super) samples: u32,
    /// Vertices of a primitive.
    pub(super) primitive_vertices: u32,
}

impl Interface {
    pub(super) fn state(
        &self,
        layout: &mut Layout<'_>,
        stage: &StageProgram<'_>,
    ) -> Result<State, LaunchError> {
        let textures = layout.states(stage.info)?;
        let mut uniforms = vec![0; UNIFORM_HALVES as usize];
        for range in &stage.info.uniforms {
            let bytes = match range.source {
                UniformSource::Interface(uniform) => self.bytes(uniform),
                UniformSource::SamplePositions => {
                    pack_sample_positions(standard_sample_positions(self.samples)).to_le_bytes().to_vec()
                }
                UniformSource::PrimitiveVertices => self.primitive_vertices.to_le_bytes().to_vec(),
                _ => layout.source_bytes(range, stage.info, stage.push_constants, &[])?,
            };
            write_range(&mut uniforms, range, &bytes, [1; 3])?;
        }
        uniforms.truncate(stage.info.filled_halves().into());
        Ok(State { uniforms, textures, samplers: std::mem::take(&mut layout.sampler_registers.0) })
    }

    fn bytes(&self, uniform: InterfaceUniform) -> Vec<u8> {
        let attribute = |number: u32| self.attributes.get(number as usize).copied().unwrap_or_default();
        match uniform {
            InterfaceUniform::AttributeBase { attribute: number } => {
                attribute(number).0.to_le_bytes().to_vec()
            }
            InterfaceUniform::AttributeClamp { attribute: number } => {
                attribute(number).1.to_le_bytes().to_vec()
            }
            InterfaceUniform::BaseVertexAndInstance => {
                self.base.iter().flat_map(|base| base.to_le_bytes()).collect()
            }
            InterfaceUniform::BlendConstant => {
                self.blend_constant.iter().flat_map(|constant| constant.to_le_bytes()).collect()
            }
            InterfaceUniform::TargetHeap => self.heap.to_le_bytes().to_vec(),
            InterfaceUniform::RootDescriptor => self.root.to_le_bytes().to_vec(),
            // The draw has number 0; a vertex shader has no input assembly buffer, and clear colours belong to background programs.
            _ => Vec::new(),
        }
    }
}

/// A slot that no vertex shader writes; it reads as 0.
const NO_SLOT: u32 = 255;

fn slot(info: &ShaderInfo, output: Output) -> Option<u32> {
    info.varyings.iter().find(|varying| varying.output == output).map(|varying| varying.slot.into())
}

fn binding(source: CoefficientSource, slot: impl Fn(Output) -> Option<u32>) -> Binding {
    match source {
        CoefficientSource::OneOverW => Binding::OneOverW,
        CoefficientSource::Depth => Binding::Depth,
        CoefficientSource::PointX => Binding::Point { axis: 0, over_w: false },
        CoefficientSource::PointY => Binding::Point { axis: 1, over_w: false },
        CoefficientSource::PrimitiveId => Binding::PrimitiveId,
        _ => match (source.output().and_then(slot), source.interpolation()) {
            (None, _) => Binding::Flat(NO_SLOT),
            (Some(slot), Interpolation::Flat) => Binding::Flat(slot),
            (Some(slot), Interpolation::Linear) => Binding::Linear(slot),
            (Some(slot), Interpolation::Perspective) => Binding::Perspective(slot),
            (Some(slot), Interpolation::Corner(corner)) => Binding::FlatCorner(slot, corner as u8),
        },
    }
}

/// The coefficients of a rectangle without vertices: its depth, w = 1, and zeros.
fn constant_coefficient(source: CoefficientSource, depth: f32) -> Coefficient {
    let c = match source {
        CoefficientSource::OneOverW => 1.0,
        CoefficientSource::Depth => f64::from(depth),
        _ => 0.0,
    };
    Coefficient::Linear(Plane { a: 0.0, b: 0.0, c })
}
