//! Geometry shaders, which run as compute shaders ([`agx_abi::geometry`]).
//!
//! An invocation reads the outputs of the vertex shader from memory. It stores each emitted vertex at its own
//! place, and with it the indices of the primitive that the vertex completes. Places without a primitive get
//! restart indices, so that the order of primitives is that of the invocations.

use agx_abi::UniformSource;
use agx_abi::feedback::CapturedOutput;
use agx_abi::geometry::{GeometryInfo, INDEX_BYTES, MAX_STREAMS, NO_STREAM, RESTART, WORKGROUP};
use agx_abi::vertex::{MAX_SLOTS, Output, Varying, assign_slots, stored_words};
use agx_isa::sr::Sr;

use super::feedback::Vertices;
use super::vertex::{VertexOutput, packed};
use super::{Kit, compute, feedback};
use crate::CompileKey;
use crate::error::{CompileError, KitError};
use crate::ir::build::alu::IntCond;
use crate::ir::{Access, Arithmetic, Build, IrOp, Src, Type};
use crate::ssa::Variable;

/// Bytes of a word.
const WORD_BYTES: u32 = 4;

/// Maximum number of words that one store takes.
const STORED_WORDS: usize = 4;

/// How a geometry shader is joined to its draw.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct GeometryKey {
    /// The slots in which the vertex shader stores its outputs.
    pub inputs: Vec<Varying>,
    /// The provoking vertex of an output primitive is its last instead of its first.
    pub last_provokes: bool,
    /// The stream whose primitives are drawn, of a shader that emits to several.
    pub stream: u32,
}

/// State of a geometry shader.
pub struct GeometryStage {
    /// Its modes.
    pub info: GeometryInfo,
    key: GeometryKey,
    /// Number of the invocation along x, and counted through all instances.
    numbers: [Src; 2],
    /// Number of emitted vertices.
    emitted: Variable,
    /// The current strip of each stream.
    strips: Vec<Strip>,
    /// The slots of the outputs.
    slots: Vec<Varying>,
}

/// The current strip of a stream.
struct Strip {
    /// Number of its vertices.
    count: Variable,
    /// The numbers of the vertices before the next one, the last first. Without several streams they are those before it.
    before: Vec<Variable>,
}

/// The primitive that a vertex completes.
struct Primitive {
    corners: Vec<Src>,
    /// Whether it does; none for points, which always do.
    completes: Option<Src>,
}

/// Begins a geometry shader whose vertices have these inputs.
pub fn begin(kit: &mut Kit<'_, '_>, info: GeometryInfo, declared: &[Output], key: &CompileKey) {
    let default = || GeometryKey { inputs: assign_slots(declared), ..GeometryKey::default() };
    let key = key.geometry.clone().unwrap_or_else(default);
    // Of a shader with one stream nothing is drawn if it is another that is.
    let info = GeometryInfo { streams: info.streams || key.stream != 0, ..info };
    kit.compute.workgroup_size = [WORKGROUP, 1, 1];
    let numbers = [compute::register(kit, Sr::THREAD_X), compute::vertex(kit)];
    let mut number = || {
        let variable = kit.vars.add(&[32]);
        kit.vars.write(&kit.b, variable, Src::imm32(0));
        variable
    };
    let emitted = number();
    let (streams, before) = if info.streams { (MAX_STREAMS, info.corners.saturating_sub(1)) } else { (1, 0) };
    let strips = (0..streams)
        .map(|_| Strip { count: number(), before: (0..before).map(|_| number()).collect() })
        .collect();
    let stage = GeometryStage { info, key, numbers, emitted, strips, slots: Vec::new() };
    kit.software.geometry = Some(Box::new(stage));
}

/// Quotient and remainder of the number of an invocation along x by the invocations of a primitive.
fn divided(kit: &mut Kit<'_, '_>, number: Src, invocations: u32) -> [Src; 2] {
    let primitive = kit.b.udiv(number, Src::imm32(invocations));
    let before = kit.b.imul(primitive, Src::imm32(invocations));
    [primitive, kit.b.isub(number, before)]
}

/// Number of the input primitive in its instance; `None` outside geometry shaders.
pub fn primitive(kit: &mut Kit<'_, '_>) -> Option<Src> {
    let stage = kit.software.geometry.as_ref()?;
    let (number, info) = (stage.numbers[0], stage.info);
    // After tessellation, vertices have the number of their patch.
    if stage.key.inputs.iter().any(|varying| varying.output == Output::PrimitiveId) {
        return Some(input(kit, 0, Output::PrimitiveId));
    }
    Some(divided(kit, number, info.invocations)[0])
}

/// Number of the invocation among those of its primitive; `None` outside geometry shaders.
pub fn invocation(kit: &mut Kit<'_, '_>) -> Option<Src> {
    let (number, info) = kit.software.geometry.as_ref().map(|stage| (stage.numbers[0], stage.info))?;
    Some(divided(kit, number, info.invocations)[1])
}

/// A word of a vertex of the input primitive. Words that the vertex shader does not write are 0.
pub fn input(kit: &mut Kit<'_, '_>, vertex: u32, output: Output) -> Src {
    let Some(stage) = kit.software.geometry.as_ref() else { return Src::imm32(0) };
    let Some(varying) = stage.key.inputs.iter().find(|varying| varying.output == output) else {
        return Src::imm32(0);
    };
    let (slot, stride, info, number) =
        (u32::from(varying.slot), stored_words(&stage.key.inputs), stage.info, stage.numbers[1]);
    let [primitive, _] = divided(kit, number, info.invocations);
    let base = kit.uniforms.get(UniformSource::VertexOutputs, 0, 64);
    let bytes = stride.saturating_mul(WORD_BYTES);
    let first = kit.b.imul(primitive, Src::imm32(bytes.saturating_mul(info.input_vertices)));
    let within = bytes.saturating_mul(vertex).saturating_add(slot.saturating_mul(WORD_BYTES));
    let offset = kit.b.iadd(first, Src::imm32(within));
    let access = Access::READONLY.bits();
    Src::value(kit.b.value(IrOp::LoadGlobal, Type::B32, &[base, offset], &[access, WORD_BYTES]))
}

/// Emits a vertex with these outputs, 32-bit words, to a stream; the outputs are the same for all vertices. Vertices beyond
/// the declared maximum are dropped.
///
/// # Errors
/// More words than slots.
pub fn emit(kit: &mut Kit<'_, '_>, outputs: &[(VertexOutput, Src)], stream: u32) -> Result<(), CompileError> {
    let mut words = packed(kit, outputs);
    let Some(mut stage) = kit.software.geometry.take() else { return Ok(()) };
    let count = kit.vars.read(&mut kit.b, stage.emitted);
    let number = vertex_number(kit, &stage, count);
    let primitive = completed(kit, &stage, number, stream);
    if stage.info.streams {
        words.extend(stream_words(kit, &primitive, stream));
    }
    let places: Vec<Output> = words.iter().map(|(output, _)| *output).collect();
    stage.slots = assign_slots(&places);
    if stage.slots.len() > MAX_SLOTS as usize {
        return Err(KitError::VertexOutputs { most: MAX_SLOTS, found: stage.slots.len() }.into());
    }
    let has_room = kit.b.icmp(IntCond::ULT, count, Src::imm32(stage.info.max_vertices));
    kit.b.begin_if(has_room);
    store_vertex(kit, &stage, number, &words);
    store_primitive(kit, &stage, count, &primitive, stream);
    let next = kit.b.iadd(count, Src::imm32(1));
    kit.vars.write(&kit.b, stage.emitted, next);
    kit.b.begin_else();
    kit.b.end_if();
    if let Some(strip) = stage.strips.get(stream as usize) {
        advance(kit, strip, number);
    }
    kit.memory.writes_memory = true;
    kit.software.geometry = Some(stage);
    Ok(())
}

/// Adds a vertex to a strip.
fn advance(kit: &mut Kit<'_, '_>, strip: &Strip, number: Src) {
    let count = kit.vars.read(&mut kit.b, strip.count);
    let next = kit.b.iadd(count, Src::imm32(1));
    kit.vars.write(&kit.b, strip.count, next);
    let mut latest = number;
    for before in &strip.before {
        let former = kit.vars.read(&mut kit.b, *before);
        kit.vars.write(&kit.b, *before, latest);
        latest = former;
    }
}

/// The words that tell the stream of the primitive that a vertex completes.
fn stream_words(kit: &mut Kit<'_, '_>, primitive: &Primitive, stream: u32) -> Vec<(Output, Src)> {
    let stream = Src::imm32(stream);
    let Some(completes) = primitive.completes else { return vec![(Output::Stream, stream)] };
    let tag = kit.b.select(completes, stream, Src::imm32(NO_STREAM));
    let corners = (0..).zip(&primitive.corners).map(|(at, corner)| (Output::StreamCorner(at), *corner));
    std::iter::once((Output::Stream, tag)).chain(corners).collect()
}

/// Number of a vertex of this invocation among those of the draw.
fn vertex_number(kit: &mut Kit<'_, '_>, stage: &GeometryStage, count: Src) -> Src {
    let before = kit.b.imul(stage.numbers[1], Src::imm32(stage.info.max_vertices));
    kit.b.iadd(before, count)
}

/// First byte of a vertex.
fn vertex_place(kit: &mut Kit<'_, '_>, stage: &GeometryStage, number: Src) -> Src {
    let bytes = (stage.slots.len() as u32).saturating_mul(WORD_BYTES);
    kit.b.imul(number, Src::imm32(bytes))
}

/// Stores the words of vertex `number`.
fn store_vertex(kit: &mut Kit<'_, '_>, stage: &GeometryStage, number: Src, words: &[(Output, Src)]) {
    let base = kit.uniforms.get(UniformSource::GeometryVertices, 0, 64);
    let first = vertex_place(kit, stage, number);
    let of = |varying: &Varying| words.iter().rev().find(|(output, _)| *output == varying.output);
    let all: Vec<Src> =
        stage.slots.iter().map(|varying| of(varying).map_or(Src::imm32(0), |(_, word)| *word)).collect();
    for (at, part) in all.chunks(STORED_WORDS).enumerate() {
        let within = (at.saturating_mul(STORED_WORDS) as u32).saturating_mul(WORD_BYTES);
        let offset = kit.b.iadd(first, Src::imm32(within));
        let data = kit.b.collect(Type::vector(32, part.len() as u8), part);
        kit.b.effect(IrOp::StoreGlobal, &[data, base, offset], &[0, WORD_BYTES]);
    }
}

/// Stores the indices of the primitive that the vertex with `count` before it completes; restart indices if it completes
/// none, or if its stream is not drawn.
fn store_primitive(
    kit: &mut Kit<'_, '_>,
    stage: &GeometryStage,
    count: Src,
    primitive: &Primitive,
    stream: u32,
) {
    let restart = Src::imm32(RESTART);
    let is_drawn = stream == stage.key.stream;
    let mut index = |corner: Src| match primitive.completes {
        _ if !is_drawn => restart,
        Some(completes) => kit.b.select(completes, corner, restart),
        None => corner,
    };
    let indices: Vec<Src> = primitive.corners.iter().map(|corner| index(*corner)).collect();
    let before = stage.info.corners.saturating_sub(1);
    if before == 0 {
        return store_indices(kit, stage, count, &indices);
    }
    let has_place = kit.b.icmp(IntCond::UGE, count, Src::imm32(before));
    kit.b.begin_if(has_place);
    let place = kit.b.isub(count, Src::imm32(before));
    store_indices(kit, stage, place, &indices);
    kit.b.begin_else();
    kit.b.end_if();
}

/// The primitive that vertex `number` completes in the strip of a stream. In every other triangle two corners are
/// exchanged, so that all have the same winding.
fn completed(kit: &mut Kit<'_, '_>, stage: &GeometryStage, number: Src, stream: u32) -> Primitive {
    let corners = stage.info.corners;
    let Some(strip) = stage.strips.get(stream as usize).filter(|_| corners > 1) else {
        return Primitive { corners: vec![number], completes: None };
    };
    let count = kit.vars.read(&mut kit.b, strip.count);
    let mut order: Vec<Src> = match strip.before.as_slice() {
        [] => (1..corners).rev().map(|back| kit.b.isub(number, Src::imm32(back))).collect(),
        before => before.iter().rev().map(|variable| kit.vars.read(&mut kit.b, *variable)).collect(),
    };
    order.push(number);
    if let [first, second, third] = order.as_mut_slice() {
        let (a, b) = if stage.key.last_provokes { (first, second) } else { (second, third) };
        let odd = kit.b.and(count, Src::imm32(1));
        let odd = kit.b.icmp(IntCond::NE, odd, Src::imm32(0));
        (*a, *b) = (kit.b.select(odd, *b, *a), kit.b.select(odd, *a, *b));
    }
    let completes = kit.b.icmp(IntCond::UGE, count, Src::imm32(corners.saturating_sub(1)));
    Primitive { corners: order, completes: Some(completes) }
}

/// Stores the indices of the primitive at a place of this invocation.
fn store_indices(kit: &mut Kit<'_, '_>, stage: &GeometryStage, place: Src, indices: &[Src]) {
    let base = kit.uniforms.get(UniformSource::GeometryIndices, 0, 64);
    let before = kit.b.imul(stage.numbers[1], Src::imm32(stage.info.indices().saturating_mul(INDEX_BYTES)));
    let within = kit.b.imul(place, Src::imm32(stage.info.corners.saturating_mul(INDEX_BYTES)));
    let offset = kit.b.iadd(before, within);
    let data = kit.b.collect(Type::vector(32, indices.len() as u8), indices);
    kit.b.effect(IrOp::StoreGlobal, &[data, base, offset], &[0, INDEX_BYTES]);
}

/// Ends the current strip of a stream.
pub fn end_primitive(kit: &mut Kit<'_, '_>, stream: u32) {
    let stage = kit.software.geometry.as_ref();
    if let Some(count) = stage.and_then(|stage| Some(stage.strips.get(stream as usize)?.count)) {
        kit.vars.write(&kit.b, count, Src::imm32(0));
    }
}

/// Declares a captured output of these vertices of a geometry shader.
///
/// # Errors
/// As [`feedback::capture`]; outputs that are not whole words.
pub fn capture(
    kit: &mut Kit<'_, '_>,
    output: CapturedOutput,
    vertices: Vertices,
) -> Result<(), CompileError> {
    if u32::from(output.bits) != 32 {
        return Err(KitError::CapturedBits { bits: output.bits }.into());
    }
    feedback::capture(kit, output, vertices, Src::imm32(0))
}

/// Ends a geometry shader: fills the places of vertices that were not emitted with restart indices.
pub fn end(kit: &mut Kit<'_, '_>) {
    let Some(stage) = kit.software.geometry.take() else { return };
    kit.vertex.varyings.clone_from(&stage.slots);
    fill_places(kit, &stage);
    kit.software.geometry = Some(stage);
}

/// Marks the vertex that would complete the primitive of a place, if vertices have streams, as completing none.
fn store_no_stream(kit: &mut Kit<'_, '_>, stage: &GeometryStage, place: Src) {
    let Some(varying) = stage.slots.iter().find(|varying| varying.output == Output::Stream) else { return };
    let last = kit.b.iadd(place, Src::imm32(stage.info.corners.saturating_sub(1)));
    let number = vertex_number(kit, stage, last);
    let first = vertex_place(kit, stage, number);
    let offset = kit.b.iadd(first, Src::imm32(u32::from(varying.slot).saturating_mul(WORD_BYTES)));
    let base = kit.uniforms.get(UniformSource::GeometryVertices, 0, 64);
    kit.b.effect(IrOp::StoreGlobal, &[Src::imm32(NO_STREAM), base, offset], &[0, WORD_BYTES]);
}

/// Stores restart indices from the first place without a vertex on.
fn fill_places(kit: &mut Kit<'_, '_>, stage: &GeometryStage) {
    let before = stage.info.corners.saturating_sub(1);
    let count = kit.vars.read(&mut kit.b, stage.emitted);
    let used = kit.b.umax(count, Src::imm32(before));
    let first = kit.b.isub(used, Src::imm32(before));
    let places = Src::imm32(stage.info.max_vertices.saturating_sub(before));
    let place = kit.vars.add(&[32]);
    kit.vars.write(&kit.b, place, first);
    let has_any = kit.b.icmp(IntCond::ULT, first, places);
    kit.b.begin_if(has_any);
    let blocks = kit.b.begin_loop();
    kit.vars.open_loop(blocks.header);
    let at = kit.vars.read(&mut kit.b, place);
    store_indices(kit, stage, at, &vec![Src::imm32(RESTART); stage.info.corners as usize]);
    store_no_stream(kit, stage, at);
    let next = kit.b.iadd(at, Src::imm32(1));
    kit.vars.write(&kit.b, place, next);
    let is_more = kit.b.icmp(IntCond::ULT, next, places);
    kit.b.begin_if(is_more);
    kit.b.begin_else();
    kit.b.jump(blocks.after);
    kit.b.end_if();
    kit.b.end_loop();
    kit.vars.close_loop(kit.b.f);
    kit.b.begin_else();
    kit.b.end_if();
    kit.memory.writes_memory = true;
}
