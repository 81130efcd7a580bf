//! Geometry shaders, which run as compute shaders ([`agx_abi::geometry`]).
//!
//! An invocation reads the outputs of the vertex shader from memory. It stores each emitted vertex at its own
//! place, and with it the indices of the primitive that the vertex completes. Places without a primitive get
//! restart indices, so that the order of primitives is that of the invocations.

use agx_abi::UniformSource;
use agx_abi::feedback::CapturedOutput;
use agx_abi::geometry::{GeometryInfo, INDEX_BYTES, RESTART, WORKGROUP};
use agx_abi::vertex::{MAX_SLOTS, Output, Varying, assign_slots, stored_words};
use agx_isa::sr::Sr;

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
}

/// State of a geometry shader.
pub struct GeometryStage {
    /// Its modes.
    pub info: GeometryInfo,
    key: GeometryKey,
    /// Number of the invocation along x, and counted through all instances.
    numbers: [Src; 2],
    /// Number of emitted vertices, and of those in the current strip.
    emitted: Variable,
    strip: Variable,
    /// The slots of the outputs.
    slots: Vec<Varying>,
}

/// Begins a geometry shader whose vertices have these inputs.
pub fn begin(kit: &mut Kit<'_, '_>, info: GeometryInfo, declared: &[Output], key: &CompileKey) {
    let default = || GeometryKey { inputs: assign_slots(declared), last_provokes: false };
    let key = key.geometry.clone().unwrap_or_else(default);
    kit.compute.workgroup_size = [WORKGROUP, 1, 1];
    let numbers = [compute::register(kit, Sr::THREAD_X), compute::vertex(kit)];
    let (emitted, strip) = (kit.vars.add(&[32]), kit.vars.add(&[32]));
    for variable in [emitted, strip] {
        kit.vars.write(&kit.b, variable, Src::imm32(0));
    }
    let stage = GeometryStage { info, key, numbers, emitted, strip, slots: Vec::new() };
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

/// Emits a vertex with these outputs, 32-bit words; they are the same for all vertices. Vertices beyond the declared
/// maximum are dropped.
///
/// # Errors
/// More words than slots.
pub fn emit(kit: &mut Kit<'_, '_>, outputs: &[(VertexOutput, Src)]) -> Result<(), CompileError> {
    let words = packed(kit, outputs);
    let Some(mut stage) = kit.software.geometry.take() else { return Ok(()) };
    let places: Vec<Output> = words.iter().map(|(output, _)| *output).collect();
    stage.slots = assign_slots(&places);
    if stage.slots.len() > MAX_SLOTS as usize {
        return Err(KitError::VertexOutputs { most: MAX_SLOTS, found: stage.slots.len() }.into());
    }
    let count = kit.vars.read(&mut kit.b, stage.emitted);
    let has_room = kit.b.icmp(IntCond::ULT, count, Src::imm32(stage.info.max_vertices));
    kit.b.begin_if(has_room);
    store_vertex(kit, &stage, count, &words);
    let next = kit.b.iadd(count, Src::imm32(1));
    kit.vars.write(&kit.b, stage.emitted, next);
    kit.b.begin_else();
    kit.b.end_if();
    let strip = kit.vars.read(&mut kit.b, stage.strip);
    let next = kit.b.iadd(strip, Src::imm32(1));
    kit.vars.write(&kit.b, stage.strip, next);
    kit.memory.writes_memory = true;
    kit.software.geometry = Some(stage);
    Ok(())
}

/// Number of a vertex of this invocation among those of the draw.
fn vertex_number(kit: &mut Kit<'_, '_>, stage: &GeometryStage, count: Src) -> Src {
    let before = kit.b.imul(stage.numbers[1], Src::imm32(stage.info.max_vertices));
    kit.b.iadd(before, count)
}

/// Stores the words of a vertex, and the primitive that it completes.
fn store_vertex(kit: &mut Kit<'_, '_>, stage: &GeometryStage, count: Src, words: &[(Output, Src)]) {
    let number = vertex_number(kit, stage, count);
    let base = kit.uniforms.get(UniformSource::GeometryVertices, 0, 64);
    let bytes = (stage.slots.len() as u32).saturating_mul(WORD_BYTES);
    let first = kit.b.imul(number, Src::imm32(bytes));
    let of = |varying: &Varying| words.iter().rev().find(|(output, _)| *output == varying.output);
    let all: Vec<Src> =
        stage.slots.iter().map(|varying| of(varying).map_or(Src::imm32(0), |(_, word)| *word)).collect();
    for (at, part) in all.chunks(STORED_WORDS).enumerate() {
        let within = (at.saturating_mul(STORED_WORDS) as u32).saturating_mul(WORD_BYTES);
        let offset = kit.b.iadd(first, Src::imm32(within));
        let data = kit.b.collect(Type::vector(32, part.len() as u8), part);
        kit.b.effect(IrOp::StoreGlobal, &[data, base, offset], &[0, WORD_BYTES]);
    }
    let before = stage.info.corners.saturating_sub(1);
    let strip = kit.vars.read(&mut kit.b, stage.strip);
    if before == 0 {
        return store_indices(kit, stage, count, &[number]);
    }
    let has_place = kit.b.icmp(IntCond::UGE, count, Src::imm32(before));
    kit.b.begin_if(has_place);
    let place = kit.b.isub(count, Src::imm32(before));
    let indices = corners(kit, stage, number, strip);
    store_indices(kit, stage, place, &indices);
    kit.b.begin_else();
    kit.b.end_if();
}

/// The indices of the primitive that vertex `number` completes, which has `strip` vertices before it in its
/// strip; restart indices if it completes none. In every other triangle two corners are exchanged, so that all
/// have the same winding.
fn corners(kit: &mut Kit<'_, '_>, stage: &GeometryStage, number: Src, strip: Src) -> Vec<Src> {
    let count = stage.info.corners;
    let mut order: Vec<Src> =
        (1..=count).rev().map(|back| kit.b.isub(number, Src::imm32(back.saturating_sub(1)))).collect();
    if let [first, second, third] = order.as_mut_slice() {
        let (a, b) = if stage.key.last_provokes { (first, second) } else { (second, third) };
        let odd = kit.b.and(strip, Src::imm32(1));
        let odd = kit.b.icmp(IntCond::NE, odd, Src::imm32(0));
        (*a, *b) = (kit.b.select(odd, *b, *a), kit.b.select(odd, *a, *b));
    }
    let completes = kit.b.icmp(IntCond::UGE, strip, Src::imm32(count.saturating_sub(1)));
    order.into_iter().map(|corner| kit.b.select(completes, corner, Src::imm32(RESTART))).collect()
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

/// Ends the current strip.
pub fn end_primitive(kit: &mut Kit<'_, '_>) {
    if let Some(strip) = kit.software.geometry.as_ref().map(|stage| stage.strip) {
        kit.vars.write(&kit.b, strip, Src::imm32(0));
    }
}

/// Declares a captured output of a geometry shader, whose vertex takes `stride` bytes of the buffer.
///
/// # Errors
/// As [`feedback::capture`]; outputs that are not whole words.
pub fn capture(kit: &mut Kit<'_, '_>, output: CapturedOutput, stride: u32) -> Result<(), CompileError> {
    if u32::from(output.bits) != 32 {
        return Err(KitError::CapturedBits { bits: output.bits }.into());
    }
    feedback::capture(kit, output, stride, Src::imm32(0))
}

/// Ends a geometry shader: fills the places of vertices that were not emitted with restart indices.
pub fn end(kit: &mut Kit<'_, '_>) {
    let Some(stage) = kit.software.geometry.take() else { return };
    kit.vertex.varyings.clone_from(&stage.slots);
    fill_places(kit, &stage);
    kit.software.geometry = Some(stage);
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
