//! Draws.

use std::sync::Arc;

use agx_abi::record as r;
use agx_abi::varyings::CoefficientBindings;
use ash::vk;

use super::results::{INDIRECT, claim};
use super::state::{Update, index, provoking};
use super::tessellation::tessellate;
use super::{Graphics, OfPipeline, Pass, Shaders};
use crate::Error;
use crate::cache::Known;
use crate::command::Recorder;
use crate::device::Device;
use crate::gpu::SHADER_BASE;
use crate::graphics::{GraphicsPipeline, Programs};
use crate::kernels::Kernel;
use crate::record::Writer;
use crate::stages::LinkedVertex;
use crate::words::{Assembler, Direct, Numbers, Stage, State, Words};

/// Indices of a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IndexBuffer {
    /// First byte.
    pub address: u64,
    /// Bytes.
    pub bytes: u64,
    /// Size of an index.
    pub kind: vk::IndexType,
}

impl IndexBuffer {
    /// The logarithm of the bytes of an index.
    pub(super) fn shift(&self) -> u64 {
        match self.kind {
            vk::IndexType::UINT32 => 2,
            vk::IndexType::UINT8_EXT => 0,
            _ => 1,
        }
    }
}

/// The parameters of a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DrawNumbers {
    /// Number of vertices or indices and of instances, the first of each, and the base vertex.
    Direct {
        /// Vertices or indices.
        count: u32,
        /// Instances.
        instances: u32,
        /// First vertex or index.
        first: u32,
        /// Base vertex.
        base: i32,
        /// First instance.
        first_instance: u32,
    },
    /// `VkDrawIndirectCommand` or `VkDrawIndexedIndirectCommand` at an address.
    Indirect(u64),
}

/// A draw with its state.
#[derive(Clone)]
pub(super) struct Drawn {
    /// The state.
    pub graphics: Graphics,
    /// The parameters.
    pub numbers: DrawNumbers,
    /// Whether it has indices.
    pub indexed: bool,
    /// The vertex program, if it is not that of the vertex shader.
    pub linked: Option<Arc<LinkedVertex>>,
}

/// Error of a draw without a vertex shader.
pub(super) const UNSHADED: Error = Error::Invalid { what: "a draw without vertex shader" };

/// Codes of primitives (`agx_abi::record::PRIMITIVES`).
fn primitive(topology: vk::PrimitiveTopology) -> Result<u64, Error> {
    Ok(match topology {
        vk::PrimitiveTopology::POINT_LIST => 0,
        vk::PrimitiveTopology::LINE_LIST => 1,
        vk::PrimitiveTopology::LINE_STRIP => 3,
        vk::PrimitiveTopology::TRIANGLE_LIST => 6,
        vk::PrimitiveTopology::TRIANGLE_STRIP => 9,
        vk::PrimitiveTopology::TRIANGLE_FAN => 11,
        _ => return Err(Error::Unsupported { what: "this topology" }),
    })
}

impl Recorder {
    /// Binds a graphics pipeline and applies its static state.
    pub fn bind_graphics(&mut self, pipeline: &GraphicsPipeline) {
        let is_set = |state| pipeline.is_dynamic(state);
        let strides = !is_set(vk::DynamicState::VERTEX_INPUT_EXT)
            && !is_set(vk::DynamicState::VERTEX_INPUT_BINDING_STRIDE);
        self.graphics.dynamic.take(&pipeline.state, &pipeline.dynamic);
        self.graphics.shaders = Shaders {
            vertex: Some(pipeline.vertex.clone()),
            control: pipeline.tessellation.as_ref().map(|(control, _)| control.clone()),
            evaluation: pipeline.tessellation.as_ref().map(|(_, evaluation)| evaluation.clone()),
            geometry: pipeline.geometry.clone(),
            fragment: Some(pipeline.fragment.clone()),
            pipeline: Some(OfPipeline { formats: pipeline.formats, strides }),
        };
    }

    /// Draws, in every view.
    ///
    /// # Errors
    /// Nothing is bound, or out of memory.
    pub fn draw(&mut self, numbers: DrawNumbers, indexed: bool, number: u32) -> Result<(), Error> {
        if self.pass.is_none() {
            return Ok(());
        }
        let drawn = Drawn { graphics: self.graphics.clone(), numbers, indexed, linked: None };
        let Shaders { control, evaluation, geometry, .. } = drawn.graphics.shaders.clone();
        if let Some((control, evaluation)) = control.zip(evaluation) {
            return tessellate(self, drawn, (&control, &evaluation), number);
        }
        if geometry.is_some() && matches!(numbers, DrawNumbers::Indirect(_)) {
            claim(self, INDIRECT)?;
        }
        draw_primitives(self, drawn, number)
    }

    /// Runs the programs of a draw that come before its pass; returns the draw of the hardware.
    fn prepared(&mut self, drawn: Drawn, number: u32) -> Result<Drawn, Error> {
        if let Some(geometry) = drawn.graphics.shaders.geometry.clone() {
            return self.emit(drawn, &geometry, number);
        }
        let drawn = self.without_adjacency(drawn)?;
        self.capture(&drawn, number)?;
        Ok(drawn)
    }

    /// Executes as many draws as the word at `count` has, at most `most`, with parameters from `first` on, `stride` bytes
    /// apart.
    ///
    /// # Errors
    /// As [`Recorder::draw`].
    pub fn draw_count(
        &mut self,
        [first, count]: [u64; 2],
        [most, stride]: [u32; 2],
        indexed: bool,
    ) -> Result<(), Error> {
        if most == 0 {
            return Ok(());
        }
        let words: u32 = if indexed { 5 } else { 4 };
        let bytes = 4 * u64::from(words) * u64::from(most);
        let copied = self.upload.put(&vec![0; bytes as usize], 16)?;
        let stride = if most == 1 { words } else { stride / 4 };
        let list = [
            Direct::Buffer(first, 4 * u64::from(stride) * u64::from(most)),
            Direct::Buffer(count, 4),
            Direct::Buffer(copied, bytes),
        ];
        // Compute launches run before the pass, whose commands are submitted later.
        self.run_kernel(Kernel::Draws, &[stride, words], &list, [most, 1, 1])?;
        (0..most).try_for_each(|at| {
            let address = copied + 4 * u64::from(words) * u64::from(at);
            self.draw(DrawNumbers::Indirect(address), indexed, at)
        })
    }

    fn draw_views(&mut self, pass: &mut Pass, drawn: &Drawn, number: u32) -> Result<(), Error> {
        let Drawn { graphics, numbers, indexed, .. } = drawn;
        let strides = strides(graphics);
        let programs = programs(&self.device, drawn, pass, &strides)?;
        let indices = graphics.indices.filter(|_| *indexed);
        let record = draw_record(graphics, *numbers, indices)?;
        let zeros = self.device.zeros.address;
        let mut state = State {
            base: base(*numbers, *indexed),
            draw: number,
            samples: pass.samples,
            attributes: graphics.dynamic.input.places(&programs.vertex, &graphics.buffers, &strides, zeros),
            blend: graphics.dynamic.blending.constants,
            ..graphics.state.clone()
        };
        let mut views = std::mem::take(&mut pass.views);
        let mut result = Ok(());
        for view in &mut views {
            state.view = view.number;
            result = self.state_records(pass, graphics, &programs, &state).and_then(|mut records| {
                records.extend(&record);
                view.stream.push(&mut self.upload, &records)
            });
            if result.is_err() {
                break;
            }
        }
        pass.views = views;
        pass.draws += 1;
        result
    }

    /// Vertex state and rasteriser state of a draw.
    fn state_records(
        &mut self,
        pass: &mut Pass,
        graphics: &Graphics,
        programs: &Programs,
        state: &State,
    ) -> Result<Vec<u8>, Error> {
        for program in [&programs.vertex, &programs.fragment] {
            self.device.scratch.reserve(program)?;
        }
        let vertex = Assembler::words(&mut self.upload, state, &programs.vertex, Stage::Vertex)?;
        let sample_bytes = pass.targets.layout().sample_bytes.max(8).into();
        let stage = Stage::Fragment { samples: pass.samples, sample_bytes };
        let fragment = Assembler::words(&mut self.upload, state, &programs.fragment, stage)?;
        let sources = &programs.fragment.info.fragment.coefficients;
        let coefficients = CoefficientBindings::new(sources, &programs.vertex.outputs);
        let bindings = coefficients.to_bytes(provoking(&graphics.dynamic))?;
        let address = self.upload.put(&bindings, 16)? - SHADER_BASE;
        let viewports = if graphics.dynamic.viewports.is_empty() {
            vec![vk::Viewport::default()]
        } else {
            graphics.dynamic.viewports.clone()
        };
        let indices = [scissors(pass, graphics, viewports.len()), bias(pass, graphics)];
        let update = Update {
            pass,
            graphics,
            programs,
            words: fragment,
            coefficients: (address, coefficients),
            indices,
            viewports,
        };
        let update = update.bytes()?;
        let address = self.upload.put(&update, 64)?;
        let mut bytes = vertex_state(graphics, programs, &vertex)?;
        bytes.extend(
            Writer::new(&r::ppp_state::RECORD)
                .set(&r::ppp_state::ADDRESS_HIGH, address >> 32)
                .set(&r::ppp_state::WORDS, update.len() as u64 / 4)
                .set(&r::ppp_state::ADDRESS_LOW, address & 0xffff_ffff)
                .bytes(),
        );
        Ok(bytes)
    }
}

/// Draws points, lines or triangles.
pub(super) fn draw_primitives(recorder: &mut Recorder, drawn: Drawn, number: u32) -> Result<(), Error> {
    let Some(mut pass) = recorder.pass.take() else { return Ok(()) };
    let result =
        recorder.prepared(drawn, number).and_then(|drawn| recorder.draw_views(&mut pass, &drawn, number));
    recorder.pass = Some(pass);
    result
}

/// The programs of a draw.
fn programs(device: &Device, drawn: &Drawn, pass: &Pass, strides: &[u32]) -> Result<Programs, Error> {
    let Graphics { shaders, dynamic, .. } = &drawn.graphics;
    let known = Known::default();
    let linked = match &drawn.linked {
        Some(linked) => linked.clone(),
        None => {
            let vertex = shaders.vertex.as_ref().ok_or(UNSHADED)?;
            vertex.linked(device, &dynamic.input, strides, known)?
        }
    };
    let mut state = dynamic.fragment(&pass.targets.formats)?;
    // A target that the pipeline does not name is unchanged (`VK_EXT_dynamic_rendering_unused_attachments`).
    for (target, known) in state.targets.iter_mut().zip(shaders.pipeline.iter().flat_map(|p| &p.formats)) {
        if let (Some(target), None) = (target, known) {
            (target.write_mask, target.blend) = (0, None);
        }
    }
    let fragment = match &shaders.fragment {
        Some(fragment) => fragment.program(device, state, &linked.shader.info, known)?,
        None => device.no_fragment()?.program(device, state, &linked.shader.info, known)?,
    };
    let vertex = linked.program(device, &fragment.info.fragment.coefficients)?;
    Ok(Programs { vertex, fragment })
}

/// Strides of the vertex buffers, in the order of the bindings.
pub(super) fn strides(graphics: &Graphics) -> Vec<u32> {
    let fixed = graphics.shaders.pipeline.is_some_and(|pipeline| pipeline.strides);
    let of = |binding: &crate::draw_state::BindingInfo| match graphics.strides.get(&binding.binding) {
        Some(stride) if !fixed => *stride,
        _ => binding.stride,
    };
    graphics.dynamic.input.bindings.iter().map(of).collect()
}

/// Base vertex and base instance.
fn base(numbers: DrawNumbers, indexed: bool) -> Numbers<2> {
    match numbers {
        DrawNumbers::Direct { base, first_instance, .. } if indexed => {
            Numbers::Known([base as u32, first_instance])
        }
        DrawNumbers::Direct { first, first_instance, .. } => Numbers::Known([first, first_instance]),
        DrawNumbers::Indirect(address) => Numbers::Memory(address + if indexed { 12 } else { 8 }),
    }
}

/// The draw itself.
fn draw_record(
    graphics: &Graphics,
    numbers: DrawNumbers,
    indices: Option<IndexBuffer>,
) -> Result<Vec<u8>, Error> {
    use r::index_list as d;
    let word = |value: u64| Writer::new(&r::draw_word::RECORD).set(&r::draw_word::VALUE, value).bytes();
    let mut head = Writer::new(&d::RECORD).set(&d::PRIMITIVE, primitive(graphics.dynamic.topology)?);
    let mut words = Vec::new();
    let mut rest = 0;
    if let Some(buffer) = indices {
        let first = match numbers {
            DrawNumbers::Direct { first, .. } => u64::from(first) << buffer.shift(),
            DrawNumbers::Indirect(_) => 0,
        };
        let address = buffer.address + first;
        rest = buffer.bytes.saturating_sub(first);
        head = head
            .set(&d::INDEX_HIGH, address >> 32)
            .set(&d::INDEX_SIZE, buffer.shift())
            .set(&d::HAS_INDEX_SIZE, 1)
            .set(&d::HAS_INDICES, 1)
            .flag(&d::RESTART, graphics.dynamic.restart);
        words.extend(word(address & 0xffff_ffff));
    }
    match numbers {
        DrawNumbers::Direct { count, instances, first, base, .. } => {
            head = head.set(&d::HAS_COUNT, 1).set(&d::HAS_INSTANCES, 1).set(&d::HAS_START, 1);
            words.extend(word(count.into()));
            words.extend(word(instances.into()));
            words.extend(word(if indices.is_some() { u64::from(base as u32) } else { first.into() }));
        }
        DrawNumbers::Indirect(address) => {
            head = head.set(&d::HAS_INDIRECT, 1);
            words.extend(
                Writer::new(&r::indirect_draw::RECORD)
                    .set(&r::indirect_draw::ADDRESS_HIGH, address >> 32)
                    .set(&r::indirect_draw::ADDRESS_LOW, address & 0xffff_ffff)
                    .bytes(),
            );
        }
    }
    if indices.is_some() {
        let length = rest.next_multiple_of(4).min(u64::from(u32::MAX) << 2);
        words.extend(Writer::new(&r::index_bytes::RECORD).set(&r::index_bytes::BYTES, length).bytes());
    }
    Ok([head.bytes(), words].concat())
}

fn vertex_state(graphics: &Graphics, programs: &Programs, words: &Words) -> Result<Vec<u8>, Error> {
    use r::vertex_state as v;
    let head = Writer::new(&v::RECORD)
        .set(&v::RESTART_INDEX, 1)
        .set(&v::SHADER_WORD_0, 1)
        .set(&v::SHADER_WORD_1, 1)
        .set(&v::OUTPUTS, 1)
        .set(&v::CONTROL, 1)
        .bytes();
    let restart = Writer::new(&r::restart_index::RECORD).set(&r::restart_index::VALUE, u64::from(u32::MAX));
    let first = Writer::new(&r::vertex_shader_0::RECORD)
        .set(&r::vertex_shader_0::UNIFORMS, words.uniforms.into())
        .set(&r::vertex_shader_0::TEXTURES, words.textures.into())
        .set(&r::vertex_shader_0::SAMPLERS, words.sampler_code())
        .set(&r::vertex_shader_0::PREAMBLE_REGISTERS, words.preamble_halves.into());
    let second =
        Writer::new(&r::vertex_shader_1::RECORD).set(&r::vertex_shader_1::PIPELINE, words.pipeline());
    let outputs = programs.vertex.outputs.vertex_outputs()?;
    let corner = provoking(&graphics.dynamic) as u64;
    let control = Writer::new(&r::vertex_control::RECORD).set(&r::vertex_control::PROVOKING, corner);
    Ok([head, restart.bytes(), first.bytes(), second.bytes(), outputs, control.bytes()].concat())
}

/// Adds the scissors of a draw to those of the pass; returns the index of the first.
fn scissors(pass: &mut Pass, graphics: &Graphics, count: usize) -> u64 {
    use r::scissor as s;
    let first = index(&pass.scissors, &s::RECORD);
    let [left, top, width, height] = pass.info.area;
    let edges = [left, top, left + width, top + height].map(i64::from);
    for at in 0..count {
        let dynamic = &graphics.dynamic;
        let scissor = dynamic.scissors.get(at).or(dynamic.scissors.last()).copied().unwrap_or_default();
        let view = dynamic.viewports.get(at).copied().unwrap_or_default();
        let [x, y] = [scissor.offset.x, scissor.offset.y].map(i64::from);
        let [right, bottom] = [x + i64::from(scissor.extent.width), y + i64::from(scissor.extent.height)];
        let inside = |value: i64, low: i64, high: i64| value.clamp(low, high) as u64;
        let (low, high) = (view.min_depth.min(view.max_depth), view.min_depth.max(view.max_depth));
        let record = Writer::new(&s::RECORD)
            .set(&s::MIN_X, inside(x, edges[0], edges[2]))
            .set(&s::MAX_X, inside(right, edges[0], edges[2]))
            .set(&s::MIN_Y, inside(y, edges[1], edges[3]))
            .set(&s::MAX_Y, inside(bottom, edges[1], edges[3]))
            .float(&s::MIN_Z, low)
            .float(&s::MAX_Z, high);
        pass.scissors.extend(record.bytes());
    }
    first
}

/// Adds the depth bias of a draw to those of the pass; returns its index.
fn bias(pass: &mut Pass, graphics: &Graphics) -> u64 {
    use r::depth_bias as b;
    let at = index(&pass.biases, &b::RECORD);
    // For normalised depth, the hardware's unit is half the range (`render_command::INTEGER_BIAS`), Vulkan's is the
    // smallest step.
    let unit = if pass.info.has_unorm_depth() { 1.0 / 32768.0 } else { 1.0 };
    if graphics.dynamic.raster.biased {
        let [constant, clamp, slope] = graphics.dynamic.raster.bias;
        let record = Writer::new(&b::RECORD)
            .float(&b::CONSTANT, constant * unit)
            .float(&b::SLOPE, slope)
            .float(&b::CLAMP, clamp);
        pass.biases.extend(record.bytes());
    }
    at
}
