//! Draws.

use std::sync::Arc;

use agx_abi::record::{self as r, Packed};
use agx_abi::varyings::CoefficientBindings;
use ash::vk;

use super::edges::scissors;
use super::results::{INDIRECT, claim};
use super::state::{Update, index, numbers_primitives, provoking};
use super::tessellation::tessellate;
use super::{Graphics, OfPipeline, Pass, Shaders, interrupt, renew_arrays, resume};
use crate::Error;
use crate::cache::Known;
use crate::command::Recorder;
use crate::device::Device;
use crate::gpu::SHADER_BASE;
use crate::graphics::{GraphicsPipeline, Programs};
use crate::kernels::Kernel;
use crate::scratch;
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
        // The hardware does not draw nothing (Mesa 26.1).
        let is_empty = matches!(
            numbers,
            DrawNumbers::Direct { count: 0, .. } | DrawNumbers::Direct { instances: 0, .. }
        );
        if self.pass.is_none() || is_empty {
            return Ok(());
        }
        take_samples(self)?;
        renew_arrays(self)?;
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
            sample_mask: graphics.dynamic.samples.mask,
            attributes: graphics.dynamic.input.places(&programs.vertex, &graphics.buffers, &strides, zeros),
            blend: graphics.dynamic.blending.constants,
            ..graphics.state.clone()
        };
        let mut views = std::mem::take(&mut pass.views);
        let mut result = Ok(());
        for view in &mut views {
            (state.view, state.heap) = (view.number, view.heap);
            result =
                self.state_records(pass, graphics, &programs, (&state, indices)).and_then(|mut records| {
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
        (state, indices): (&State, Option<IndexBuffer>),
    ) -> Result<Vec<u8>, Error> {
        let stages = [scratch::Stage::Vertex, scratch::Stage::Fragment];
        for ((stage, program), stacks) in
            stages.into_iter().zip([&programs.vertex, &programs.fragment]).zip(&mut pass.stacks)
        {
            self.device.scratch.reserve(stage, program)?;
            stacks.add(program);
        }
        let vertex = Assembler::words(&mut self.upload, state, &programs.vertex, Stage::Vertex)?;
        let tile = pass.tile();
        let stage = Stage::Fragment(&tile, pass.samples);
        let fragment = Assembler::words(&mut self.upload, state, &programs.fragment, stage)?;
        let sources = &programs.fragment.info.fragment.coefficients;
        let coefficients = CoefficientBindings::new(sources, &programs.vertex.outputs);
        let bindings = coefficients.to_bytes(provoking(&graphics.dynamic))?;
        let address = if bindings.is_empty() { 0 } else { self.upload.put(&bindings, 16)? - SHADER_BASE };
        let numbers = numbers_primitives(&coefficients);
        let viewports = if graphics.dynamic.viewports.is_empty() {
            vec![vk::Viewport::default()]
        } else {
            graphics.dynamic.viewports.clone()
        };
        let first = index(&pass.arrays.scissors, &r::scissor::RECORD);
        let scissors = scissors(pass, graphics, &viewports);
        let bias = bias(pass, graphics);
        let update = Update {
            pass,
            graphics,
            programs,
            words: fragment,
            coefficients: (address, coefficients),
            indices: [first, bias],
            scissors,
            viewports,
        };
        let update = update.bytes()?;
        let address = self.upload.put(&update, 64)?;
        let restart = indices.filter(|_| graphics.dynamic.restart);
        let mut bytes = vertex_state(graphics, programs, &vertex, (restart, numbers))?;
        bytes.extend(state_pointer(address, update.len()).bytes());
        Ok(bytes)
    }
}

/// The record for an update of the rasteriser's state.
pub(super) fn state_pointer(address: u64, bytes: usize) -> Packed<8> {
    use r::ppp_state::*;
    new().set(&ADDRESS_HIGH, address >> 32).set(&WORDS, bytes as u64 / 4).set(&ADDRESS_LOW, address)
}

/// Gives a pass without images the samples of the next draw.
fn take_samples(recorder: &mut Recorder) -> Result<(), Error> {
    let count = recorder.graphics.dynamic.samples.count.max(1);
    let Some(pass) = &mut recorder.pass else { return Ok(()) };
    if pass.samples == count || pass.info.images().next().is_some() {
        return Ok(());
    }
    pass.info.samples = count;
    if pass.draws > 0 {
        return interrupt(recorder);
    }
    // Nothing has been drawn yet: the pass begins anew.
    recorder.pass.take().map_or(Ok(()), |pass| resume(recorder, pass))
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
    let word = |value: u64| r::draw_word::new().set(&r::draw_word::VALUE, value).bytes();
    let mut head = d::new().set(&d::PRIMITIVE, primitive(graphics.dynamic.topology)?);
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
            .flag(&d::HAS_INDEX_SIZE, true)
            .flag(&d::HAS_INDICES, true)
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
                r::indirect_draw::new()
                    .set(&r::indirect_draw::ADDRESS_HIGH, address >> 32)
                    .set(&r::indirect_draw::ADDRESS_LOW, address & 0xffff_ffff)
                    .bytes(),
            );
        }
    }
    if indices.is_some() {
        let length = rest.next_multiple_of(4).min(u64::from(u32::MAX) << 2);
        words.extend(r::index_bytes::new().set(&r::index_bytes::BYTES, length).bytes());
    }
    Ok([head.bytes().as_slice(), &words].concat())
}

/// Vertex state, with the restart index for the indices of a draw that restarts, and whether primitives are numbered.
fn vertex_state(
    graphics: &Graphics,
    programs: &Programs,
    words: &Words,
    (restart, numbers): (Option<IndexBuffer>, bool),
) -> Result<Vec<u8>, Error> {
    use r::vertex_state as v;
    let head = v::new()
        .flag(&v::RESTART_INDEX, restart.is_some())
        .flag(&v::SHADER_WORD_0, true)
        .flag(&v::SHADER_WORD_1, true)
        .flag(&v::OUTPUTS, true)
        .flag(&v::CONTROL, true);
    let mut bytes = head.bytes().to_vec();
    if let Some(buffer) = restart {
        // The largest index.
        let index = u64::from(u32::MAX) >> (32 - (8 << buffer.shift()));
        bytes.extend(r::restart_index::new().set(&r::restart_index::VALUE, index).bytes());
    }
    bytes.extend(words.resources.to_le_bytes());
    bytes.extend(r::vertex_shader_1::new().set(&r::vertex_shader_1::PIPELINE, words.pipeline).bytes());
    bytes.extend(programs.vertex.outputs.vertex_outputs()?);
    use r::vertex_control as c;
    let discard = graphics.dynamic.raster.discard;
    let control = c::new()
        .set(&c::PROVOKING, provoking(&graphics.dynamic) as u64)
        .flag(&c::BIT_4, discard)
        .flag(&c::BIT_5, discard)
        .flag(&c::PRIMITIVE_ID, numbers);
    bytes.extend(control.bytes());
    // Records start at multiples of eight bytes.
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    Ok(bytes)
}

/// Adds the depth bias of a draw to those of the pass; returns its index.
fn bias(pass: &mut Pass, graphics: &Graphics) -> u64 {
    use r::depth_bias as b;
    let at = index(&pass.arrays.biases, &b::RECORD);
    // For normalised depth, the hardware's unit is half the range (`render_command::INTEGER_BIAS`), Vulkan's is the
    // smallest step.
    let unit = if pass.info.has_unorm_depth() { 1.0 / 32768.0 } else { 1.0 };
    if graphics.dynamic.raster.biased {
        let [constant, clamp, slope] = graphics.dynamic.raster.bias;
        let record =
            b::new().float(&b::CONSTANT, constant * unit).float(&b::SLOPE, slope).float(&b::CLAMP, clamp);
        pass.arrays.biases.extend(record.bytes());
    }
    at
}
