//! Writes draws to the streams of a pass.
//!
//! A stream keeps its state from draw to draw: a draw writes the records of what has changed ([`Dirty`]), in the order of the
//! hardware's headers, and the words of programs whose sources have changed.

use std::sync::Arc;

use agx_abi::record::{self as r, Packed, StateUpdate};
use ash::vk;

use super::assembly::drawn_vertices;
use super::draw::{DrawNumbers, IndexBuffer, UNSHADED};
use super::edges::{Scissor, scissors};
use super::state::{Update, index, provoking};
use super::{Graphics, Pass, Shown, View};
use crate::Error;
use crate::cache::Known;
use crate::device::Device;
use crate::dirty::Dirty;
use crate::draw_state::{BindingInfo, DepthBias};
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
    lists: Lists,
}

impl Written {
    /// Nothing is written; the memory of lists is kept.
    pub(super) fn clear(&mut self) {
        (self.programs, self.restart) = (None, None);
    }
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
#[inline]
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
    encoder.pass.draws += 1;
    push_draw(encoder, numbers, indices)
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
    /// Writes records to the stream of every view.
    #[inline(always)]
    fn push<const N: usize>(&mut self, records: &[u32; N]) -> Result<(), Error> {
        self.pass.views.iter_mut().try_for_each(|view| view.stream.push(self.upload, records))
    }

    /// Continues the stream of every view at a record elsewhere, which returns.
    fn call(&mut self, record: u64) -> Result<(), Error> {
        use r::draw_link::*;
        let link = new()
            .set(&TARGET_HIGH, record >> 32)
            .set(&TARGET_LOW, record & 0xffff_ffff)
            .flag(&WITH_RETURN, true)
            .bits();
        let link = [link as u32, (link >> 32) as u32];
        self.pass.views.iter_mut().try_for_each(|view| view.stream.call(self.upload, link))
    }

    /// Writes the state that has changed, with the restart index for indices of a size if there is one.
    #[inline(never)]
    fn write_state(&mut self, restart: Option<u64>) -> Result<(), Error> {
        let mut dirty = self.graphics.state.dirty;
        if self.pass.written.programs.is_none() {
            dirty = Dirty::ALL;
        }
        if dirty.intersects(Dirty::PROGRAMS) {
            dirty |= Dirty::BUFFERS;
            self.link()?;
        }
        let Encoder { device, upload, pass, graphics, .. } = self;
        let Pass { shown, views, arrays, written, .. } = &mut **pass;
        let Some(programs) = &written.programs else { return Ok(()) };
        if dirty.intersects(Dirty::BUFFERS) {
            place_attributes(device, graphics, programs);
        }
        if dirty.intersects(Dirty::VIEWS) {
            written.scissor = index::<{ r::scissor::RECORD.bytes }>(&arrays.scissors);
            let (area, dynamic) = (shown.info.area, &graphics.dynamic);
            scissors(area, dynamic, &mut arrays.scissors, &mut written.scissors);
        }
        if dirty.intersects(Dirty::BIAS) {
            let raster = &graphics.dynamic.raster;
            if raster.biased {
                shown.whole_bias = Some(shown.info.biases_by_range(raster));
            }
            written.bias = bias(shown, graphics, &mut arrays.biases);
        }
        let draw = Drawing { shown, graphics, programs, written: (written.scissor, written.bias) };
        let lists = (written.scissors.as_slice(), &mut written.lists);
        write_views(upload, views, &draw, (dirty, restart), lists)?;
        if restart.is_some() {
            written.restart = restart;
        }
        Ok(())
    }

    /// Finds the programs.
    fn link(&mut self) -> Result<(), Error> {
        let Encoder { device, pass, graphics, linked, .. } = self;
        let programs = linked_programs(device, graphics, linked.as_ref(), &pass.shown)?;
        let stages = [scratch::Stage::Vertex, scratch::Stage::Fragment];
        for ((stage, program), stacks) in
            stages.into_iter().zip([&programs.vertex.program, &*programs.fragment]).zip(&mut pass.stacks)
        {
            device.scratch.reserve(stage, program)?;
            stacks.add(program);
        }
        pass.shown.sample_positions = graphics.dynamic.samples.positions(pass.shown.samples);
        pass.written.uses = programs.vertex.program.uses() | programs.fragment.uses();
        pass.written.programs = Some(programs);
        Ok(())
    }
}

fn place_attributes(device: &Device, graphics: &mut Graphics, programs: &Programs) {
    let zeros = device.zeros.address;
    let Graphics { state, dynamic, shaders, buffers, strides, .. } = graphics;
    let fixed = shaders.has_strides();
    let stride = |_, binding: &BindingInfo| stride_of(binding, fixed, strides);
    dynamic.input.places(&programs.vertex.program, buffers, stride, zeros, &mut state.attributes);
}

/// A draw, with the indices of its first scissor and of its depth bias.
struct Drawing<'d> {
    shown: &'d Shown,
    graphics: &'d Graphics,
    programs: &'d Programs,
    written: (u64, u64),
}

/// Lists that are empty between draws, but keep their memory: an update of the rasteriser's state, and records of a stream.
#[derive(Default)]
pub(super) struct Lists {
    update: Vec<u8>,
    records: Vec<u32>,
}

/// Writes the state of the views.
fn write_views(
    upload: &mut Upload,
    views: &mut [View],
    draw: &Drawing<'_>,
    (dirty, restart): (Dirty, Option<u64>),
    (scissors, Lists { update: bytes, records }): (&[Scissor], &mut Lists),
) -> Result<(), Error> {
    let Drawing { shown: pass, graphics, programs, written: (scissor, bias) } = *draw;
    for view in views {
        let changes = rewrite_words(upload, view, draw, (dirty, restart))?;
        let [vertex, fragment] = &view.words;
        vertex_state(records, graphics, programs, vertex.words, changes);
        let mut update = StateUpdate::new(scissors.len(), bytes);
        let (words, indices) = (fragment.words, [scissor, bias]);
        Update { pass, graphics, programs, words, indices, scissors }.write(&mut update, changes);
        let has_records = update.has_records();
        update.finish();
        if has_records {
            let pointer = state_pointer(upload.put(bytes, 64)?, bytes.len()).bits();
            records.extend_from_slice(&[pointer as u32, (pointer >> 32) as u32]);
        }
        view.stream.push(upload, records)?;
    }
    Ok(())
}

/// Writes the words of the programs of a view that have changed.
fn rewrite_words(
    upload: &mut Upload,
    view: &mut View,
    Drawing { shown, graphics, programs, .. }: &Drawing<'_>,
    (dirty, restart): (Dirty, Option<u64>),
) -> Result<Changes, Error> {
    let vertex = dirty.intersects(programs.vertex.program.uses());
    let fragment = dirty.intersects(programs.fragment.uses());
    if vertex || fragment {
        let dynamic = &graphics.dynamic;
        let state = ViewState {
            number: view.number,
            heap: view.heap,
            targets: 0,
            sample_positions: shown.sample_positions,
            sample_mask: dynamic.samples.mask,
            primitive_vertices: drawn_vertices(dynamic.topology),
            blend: dynamic.blending.constants,
            clear: &[],
        };
        let sources = (&Sources::of_draw(&graphics.state, &state), dirty);
        let [of_vertex, of_fragment] = &mut view.words;
        if vertex {
            of_vertex.rewrite(upload, sources, &programs.vertex.program, None)?;
        }
        if fragment {
            of_fragment.rewrite(upload, sources, &programs.fragment, Some(shown.tile.1))?;
        }
    }
    Ok(Changes { dirty, vertex, fragment, restart })
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
    pass: &Shown,
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
    pass: &Shown,
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
pub(super) fn stride_of(binding: &BindingInfo, fixed: bool, strides: &[Option<u32>]) -> u32 {
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

/// The record for an update of the rasteriser's state of this number of bytes.
pub(super) fn state_pointer(address: u64, bytes: usize) -> Packed<8> {
    use r::ppp_state::*;
    new().set(&ADDRESS_HIGH, address >> 32).set(&WORDS, bytes as u64 / 4).set(&ADDRESS_LOW, address)
}

/// Writes the records of a draw to the stream of every view.
#[inline(always)]
fn push_draw(
    encoder: &mut Encoder<'_>,
    numbers: DrawNumbers,
    indices: Option<IndexBuffer>,
) -> Result<(), Error> {
    use r::index_list as d;
    if let Some(record) = encoder.graphics.record {
        return encoder.call(record);
    }
    let dynamic = &encoder.graphics.dynamic;
    let head = d::new().set(&d::PRIMITIVE, primitive(dynamic.topology)?);
    let direct = head.set(&d::HAS_COUNT, 1).set(&d::HAS_INSTANCES, 1).set(&d::HAS_START, 1);
    let indirect = head.set(&d::HAS_INDIRECT, 1);
    let restarts = dynamic.restart;
    // The head, the low half of the index buffer's address, and the index buffer's length.
    let indexed = |head: Packed<4>, buffer: IndexBuffer, first: u32| {
        let skipped = u64::from(first) << buffer.shift();
        let address = buffer.address + skipped;
        let head = head
            .set(&d::INDEX_HIGH, address >> 32)
            .set(&d::INDEX_SIZE, buffer.shift())
            .flag(&d::HAS_INDEX_SIZE, true)
            .flag(&d::HAS_INDICES, true)
            .flag(&d::RESTART, restarts);
        let bytes = ((buffer.bytes.saturating_sub(skipped) + 3) & !3).min(u64::from(u32::MAX) << 2);
        let bytes = r::index_bytes::new().set(&r::index_bytes::BYTES, bytes);
        (head.bits(), address as u32, bytes.bits())
    };
    match (indices, numbers) {
        (None, DrawNumbers::Direct { count, instances, first, .. }) => {
            encoder.push(&[direct.bits(), count, instances, first])
        }
        (None, DrawNumbers::Indirect(address)) => {
            let [high, low] = place(address);
            encoder.push(&[indirect.bits(), high, low])
        }
        (Some(buffer), DrawNumbers::Direct { count, instances, first, base, .. }) => {
            let (head, start, bytes) = indexed(direct, buffer, first);
            encoder.push(&[head, start, count, instances, base as u32, bytes])
        }
        (Some(buffer), DrawNumbers::Indirect(address)) => {
            let ((head, start, bytes), [high, low]) = (indexed(indirect, buffer, 0), place(address));
            encoder.push(&[head, start, high, low, bytes])
        }
    }
}

/// The first word of an indirect draw with indices, without their address and size.
pub(super) fn draw_head(graphics: &Graphics) -> Result<u32, Error> {
    use r::index_list as d;
    let head = d::new()
        .set(&d::PRIMITIVE, primitive(graphics.dynamic.topology)?)
        .set(&d::HAS_INDIRECT, 1)
        .flag(&d::HAS_INDEX_SIZE, true)
        .flag(&d::HAS_INDICES, true)
        .flag(&d::RESTART, graphics.dynamic.restart);
    Ok(head.bits())
}

/// The record for the address of the numbers of a draw.
fn place(address: u64) -> [u32; 2] {
    use r::indirect_draw::*;
    let place = new().set(&ADDRESS_HIGH, address >> 32).set(&ADDRESS_LOW, address & 0xffff_ffff).bits();
    [place as u32, (place >> 32) as u32]
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
        let discard = graphics.discards();
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

/// Adds the depth bias of a draw to an array; returns its index.
fn bias(pass: &Shown, graphics: &Graphics, biases: &mut Vec<u8>) -> u64 {
    use r::depth_bias as b;
    let at = index::<{ b::RECORD.bytes }>(biases);
    let DepthBias { factors: [constant, clamp, slope], normalised, exact } = graphics.dynamic.raster.bias;
    // The hardware counts the whole range of normalised depth (`render_command::INTEGER_BIAS`), Vulkan its steps.
    let unit = match (pass.info.has_unorm_depth(), normalised) {
        (true, _) => 1.0 / 32768.0,
        (false, true) => 1.0 / 8_388_608.0,
        (false, false) => 1.0,
    };
    let unit = if exact && pass.info.biases_by_range(&graphics.dynamic.raster) { unit / 2.0 } else { unit };
    if graphics.dynamic.raster.biased {
        let record =
            b::new().float(&b::CONSTANT, constant * unit).float(&b::SLOPE, slope).float(&b::CLAMP, clamp);
        biases.extend_from_slice(&record.bytes());
    }
    at
}
