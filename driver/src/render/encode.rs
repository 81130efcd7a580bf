//! Writes draws to the streams of a pass.
//!
//! A stream keeps its state from draw to draw: a draw writes the records of what has changed ([`Dirty`]), in the order of the
//! hardware's headers, and the words of programs whose sources have changed.

use std::sync::Arc;

use agx_abi::record::{self as r, Packed, StateUpdate};
use ash::vk;

use super::draw::{DrawNumbers, IndexBuffer, UNSHADED};
use super::edges::{Scissor, scissors};
use super::state::{Update, index, provoking};
use super::{Graphics, Pass, View};
use crate::Error;
use crate::cache::Known;
use crate::device::Device;
use crate::dirty::Dirty;
use crate::draw_state::BindingInfo;
use crate::graphics::Programs;
use crate::scratch;
use crate::stages::LinkedVertex;
use crate::upload::Upload;
use crate::words::{Numbers, Sources, ViewState, Words};

/// What the latest draw of a pass has written.
#[derive(Default)]
pub(super) struct Written {
    /// Its programs.
    pub programs: Option<Programs>,
    /// The parts of the state that records and the words of the programs depend on.
    uses: Dirty,
    /// Indices of the first scissor and of the depth bias.
    scissor: u64,
    bias: u64,
    /// The scissor of each viewport.
    pub scissors: Vec<Scissor>,
    /// The logarithm of the bytes of an index, in the restart index.
    restart: Option<u64>,
}

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

/// Draws in every view.
///
/// # Errors
/// Nothing is bound, the compiler's error, or out of memory.
pub(super) fn encode(
    encoder: &mut Encoder<'_>,
    numbers: DrawNumbers,
    indexed: bool,
    number: u32,
) -> Result<(), Error> {
    let Encoder { graphics, pass, .. } = encoder;
    let state = &mut graphics.state;
    let base = base(numbers, indexed);
    if state.base != base || state.draw != number {
        (state.base, state.draw) = (base, number);
        state.dirty |= Dirty::NUMBERS;
    }
    let indices = if indexed { graphics.indices } else { None };
    let shift = indices.filter(|_| graphics.dynamic.restart).map(|indices| indices.shift());
    let restarts = shift.is_some() && shift != pass.written.restart;
    if state.dirty.intersects(pass.written.uses | Dirty::RECORDS) || restarts {
        encoder.write_state(shift.filter(|_| restarts))?;
        encoder.graphics.state.dirty = Dirty::NONE;
    }
    let Encoder { graphics, pass, upload, .. } = encoder;
    let draw = DrawWords::new(graphics, numbers, indices)?;
    for view in &mut pass.views {
        view.stream.push(upload, draw.words())?;
    }
    pass.draws += 1;
    Ok(())
}

/// Everything that a draw needs.
pub(super) struct Encoder<'e> {
    pub device: &'e Device,
    pub upload: &'e mut Upload,
    pub pass: &'e mut Pass,
    pub graphics: &'e mut Graphics,
    /// The vertex program, if it is not that of the vertex shader.
    pub linked: Option<Arc<LinkedVertex>>,
}

impl Encoder<'_> {
    /// Writes the state that has changed, with the restart index for indices of a size if there is one.
    fn write_state(&mut self, restart: Option<u64>) -> Result<(), Error> {
        let mut dirty = self.graphics.state.dirty;
        if self.pass.written.programs.is_none() {
            dirty = Dirty::ALL;
        }
        if dirty.intersects(Dirty::PROGRAMS) {
            dirty |= Dirty::BUFFERS;
            self.link()?;
        }
        let Some(programs) = self.pass.written.programs.clone() else { return Ok(()) };
        if dirty.intersects(Dirty::BUFFERS) {
            self.place_attributes(&programs);
        }
        if dirty.intersects(Dirty::VIEWS) {
            let first = index(&self.pass.arrays.scissors, &r::scissor::RECORD);
            (self.pass.written.scissor, self.pass.written.scissors) =
                (first, scissors(self.pass, self.graphics));
        }
        if dirty.intersects(Dirty::BIAS) {
            self.pass.written.bias = bias(self.pass, self.graphics);
        }
        let mut views = std::mem::take(&mut self.pass.views);
        let result = views.iter_mut().try_for_each(|view| self.write_view(view, &programs, (dirty, restart)));
        self.pass.views = views;
        if restart.is_some() {
            self.pass.written.restart = restart;
        }
        result
    }

    /// Finds the programs.
    fn link(&mut self) -> Result<(), Error> {
        let Encoder { device, pass, graphics, linked, .. } = self;
        let programs = linked_programs(device, graphics, linked.as_ref(), pass)?;
        let stages = [scratch::Stage::Vertex, scratch::Stage::Fragment];
        for ((stage, program), stacks) in
            stages.into_iter().zip([&programs.vertex.program, &*programs.fragment]).zip(&mut pass.stacks)
        {
            device.scratch.reserve(stage, program)?;
            stacks.add(program);
        }
        pass.written.uses = programs.vertex.program.uses() | programs.fragment.uses();
        pass.written.programs = Some(programs);
        Ok(())
    }

    fn place_attributes(&mut self, programs: &Programs) {
        let zeros = self.device.zeros.address;
        let Graphics { state, dynamic, shaders, buffers, strides, .. } = &mut *self.graphics;
        let fixed = shaders.has_strides();
        let stride = |_, binding: &BindingInfo| stride_of(binding, fixed, strides);
        dynamic.input.places(&programs.vertex.program, buffers, stride, zeros, &mut state.attributes);
    }

    /// Writes the state of a view.
    fn write_view(
        &mut self,
        view: &mut View,
        programs: &Programs,
        (dirty, restart): (Dirty, Option<u64>),
    ) -> Result<(), Error> {
        let Encoder { upload, pass, graphics, .. } = self;
        let vertex_changes = dirty.intersects(programs.vertex.program.uses() | Dirty::PROGRAMS);
        let fragment_changes = dirty.intersects(programs.fragment.uses() | Dirty::PROGRAMS);
        if vertex_changes || fragment_changes {
            let dynamic = &graphics.dynamic;
            let shown = ViewState {
                number: view.number,
                heap: view.heap,
                targets: 0,
                samples: pass.samples,
                sample_mask: dynamic.samples.mask,
                blend: dynamic.blending.constants,
                clear: &[],
            };
            let sources = (&Sources::of_draw(&graphics.state, shown), dirty);
            let [vertex, fragment] = &mut view.words;
            if vertex_changes {
                vertex.rewrite(upload, sources, &programs.vertex.program, None)?;
            }
            if fragment_changes {
                fragment.rewrite(upload, sources, &programs.fragment, Some(pass.tile.1))?;
            }
        }
        let mut spare = std::mem::take(&mut upload.spare);
        let changes = Changes { dirty, vertex: vertex_changes, fragment: fragment_changes, restart };
        vertex_state(&mut spare.records, graphics, programs, view.words[0].words, changes);
        let mut update = StateUpdate::new(pass.written.scissors.len(), &mut spare.update);
        let written = &pass.written;
        Update {
            pass,
            graphics,
            programs,
            words: view.words[1].words,
            indices: [written.scissor, written.bias],
            scissors: &written.scissors,
        }
        .write(&mut update, changes);
        let has_records = update.has_records();
        update.finish();
        let pointer = match has_records {
            true => upload.put_words(&spare.update, 64).map(Some),
            false => Ok(None),
        };
        let result = pointer.and_then(|address| {
            if let Some(address) = address {
                let pointer = state_pointer(address, spare.update.len()).bits();
                spare.records.extend_from_slice(&[pointer as u32, (pointer >> 32) as u32]);
            }
            view.stream.push(upload, &spare.records)
        });
        upload.spare = spare;
        result
    }
}

/// The state to be written.
#[derive(Clone, Copy)]
pub(super) struct Changes {
    pub dirty: Dirty,
    /// Whether the words of the programs are new.
    pub vertex: bool,
    pub fragment: bool,
    /// The logarithm of the bytes of an index that restarts.
    pub restart: Option<u64>,
}

/// The programs of a draw.
fn linked_programs(
    device: &Device,
    graphics: &Graphics,
    linked: Option<&Arc<LinkedVertex>>,
    pass: &Pass,
) -> Result<Programs, Error> {
    let formats = &pass.targets.formats;
    let fixed = graphics.shaders.fixed.as_ref().filter(|_| linked.is_none());
    if let Some((known, programs)) = fixed.and_then(|fixed| fixed.get())
        && known == formats
    {
        return Ok(programs.clone());
    }
    let made = made_programs(device, graphics, linked, pass)?;
    if let Some(fixed) = fixed {
        // A pipeline that is used with other targets keeps the first.
        let _ = fixed.set((*formats, made.clone()));
    }
    Ok(made)
}

fn made_programs(
    device: &Device,
    graphics: &Graphics,
    linked: Option<&Arc<LinkedVertex>>,
    pass: &Pass,
) -> Result<Programs, Error> {
    let Graphics { shaders, dynamic, .. } = graphics;
    let known = Known::default();
    let linked = match linked {
        Some(linked) => linked.clone(),
        None => {
            let vertex = shaders.vertex.as_ref().ok_or(UNSHADED)?;
            vertex.linked(device, &dynamic.input, &strides(graphics), known)?
        }
    };
    let mut state = dynamic.fragment(&pass.targets.formats)?;
    let shaded = shaders.fragment.as_ref().is_some_and(|fragment| fragment.is_given());
    state.counts = shaded && graphics.feedback.statistics.is_some_and(|statistics| statistics.root.is_some());
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

/// The stride of a vertex buffer.
fn stride_of(binding: &BindingInfo, fixed: bool, strides: &[Option<u32>]) -> u32 {
    match strides.get(binding.binding as usize) {
        Some(Some(stride)) if !fixed => *stride,
        _ => binding.stride,
    }
}

/// Strides of the vertex buffers, in the order of the bindings.
pub(super) fn strides(graphics: &Graphics) -> Vec<u32> {
    let fixed = graphics.shaders.has_strides();
    let bindings = graphics.dynamic.input.bindings.iter();
    bindings.map(|binding| stride_of(binding, fixed, &graphics.strides)).collect()
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

/// The record for an update of the rasteriser's state.
pub(super) fn state_pointer(address: u64, words: usize) -> Packed<8> {
    use r::ppp_state::*;
    new().set(&ADDRESS_HIGH, address >> 32).set(&WORDS, words as u64).set(&ADDRESS_LOW, address)
}

/// The records of a draw.
struct DrawWords {
    words: [u32; DrawWords::MOST],
    len: usize,
}

impl DrawWords {
    /// A head, the index buffer's address, three numbers, its length.
    const MOST: usize = 6;

    fn add(&mut self, words: &[u32]) {
        if let Some(room) = self.words.get_mut(self.len..self.len + words.len()) {
            room.copy_from_slice(words);
            self.len += words.len();
        }
    }

    fn words(&self) -> &[u32] {
        self.words.get(..self.len).unwrap_or(&[])
    }

    fn new(
        graphics: &Graphics,
        numbers: DrawNumbers,
        indices: Option<IndexBuffer>,
    ) -> Result<DrawWords, Error> {
        use r::index_list as d;
        let mut draw = DrawWords { words: [0; DrawWords::MOST], len: 1 };
        let mut head = d::new().set(&d::PRIMITIVE, primitive(graphics.dynamic.topology)?);
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
            draw.add(&[address as u32]);
        }
        match numbers {
            DrawNumbers::Direct { count, instances, first, base, .. } => {
                head = head.set(&d::HAS_COUNT, 1).set(&d::HAS_INSTANCES, 1).set(&d::HAS_START, 1);
                draw.add(&[count, instances, if indices.is_some() { base as u32 } else { first }]);
            }
            DrawNumbers::Indirect(address) => {
                use r::indirect_draw::*;
                head = head.set(&d::HAS_INDIRECT, 1);
                let place = new().set(&ADDRESS_HIGH, address >> 32).set(&ADDRESS_LOW, address & 0xffff_ffff);
                draw.add(&[place.bits() as u32, (place.bits() >> 32) as u32]);
            }
        }
        if indices.is_some() {
            let length = ((rest + 3) & !3).min(u64::from(u32::MAX) << 2);
            draw.add(&[r::index_bytes::new().set(&r::index_bytes::BYTES, length).bits()]);
        }
        draw.words[0] = head.bits();
        Ok(draw)
    }
}

/// Vertex state.
fn vertex_state(
    records: &mut Vec<u32>,
    graphics: &Graphics,
    programs: &Programs,
    words: Words,
    Changes { dirty, vertex, restart, .. }: Changes,
) {
    use r::vertex_state as v;
    records.clear();
    let outputs = dirty.intersects(Dirty::PROGRAMS);
    let control = dirty.intersects(Dirty::PROGRAMS | Dirty::RASTER);
    if !(vertex || control || restart.is_some()) {
        return;
    }
    let head = v::new()
        .flag(&v::RESTART_INDEX, restart.is_some())
        .flag(&v::SHADER_WORD_0, vertex)
        .flag(&v::SHADER_WORD_1, vertex)
        .flag(&v::OUTPUTS, outputs)
        .flag(&v::CONTROL, control);
    records.push(head.bits());
    // The largest index.
    records.extend(restart.map(|shift| u32::MAX >> (32 - (8 << shift))));
    if vertex {
        let pipeline = r::vertex_shader_1::new().set(&r::vertex_shader_1::PIPELINE, words.pipeline);
        records.extend_from_slice(&[words.resources, pipeline.bits()]);
    }
    if outputs {
        records.push(programs.vertex.vertex_outputs);
    }
    if control {
        use r::vertex_control as c;
        let discard = graphics.dynamic.raster.discard;
        let control = c::new()
            .set(&c::PROVOKING, provoking(&graphics.dynamic) as u64)
            .flag(&c::BIT_4, discard)
            .flag(&c::BIT_5, discard)
            .flag(&c::PRIMITIVE_ID, programs.vertex.numbers_primitives);
        records.push(control.bits());
    }
    // Records start at multiples of eight bytes.
    if !records.len().is_multiple_of(2) {
        records.push(0);
    }
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
