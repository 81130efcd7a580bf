//! Task and mesh shaders, which run as compute shaders ([`agx_abi::mesh`]).
//!
//! A workgroup finds in a table which workgroup it is of the draw, or of the task workgroup that emits it. The invocations
//! of a mesh workgroup store outputs and indices in its place in memory. At the end they process its primitives in
//! turn: indices become those of the launch, and restart indices replace missing primitives. If primitives have outputs,
//! each one gets copies of its vertices, because the hardware has attributes of vertices only.

use agx_abi::UniformSource;
use agx_abi::geometry::{INDEX_BYTES, RESTART};
use agx_abi::mesh::{MAX_WORDS, MeshInfo, MeshKind, PAYLOAD, TABLE_ENTRY_BYTES, TABLE_HEADER_BYTES};
use agx_abi::vertex::{Varying, assign_slots, stored_words};
use agx_isa::sr::Sr;

use super::Kit;
use super::compute::{GroupPlace, barrier, register, take_turns};
use super::limits::MAX_LOCAL_BYTES;
use super::tessellation::Place;
use super::vertex::{VertexOutput, packed};
use crate::error::{CompileError, KitError, MemoryError};
use crate::ir::build::alu::IntCond;
use crate::ir::{Access, Arithmetic, Build, IrOp, Src, Type};
use crate::ssa::Variable;

/// Bytes of a word.
const WORD_BYTES: u32 = 4;

/// Words of the largest access.
const ACCESS_WORDS: usize = 4;

/// State of a task or mesh shader.
pub struct MeshStage {
    /// Its properties.
    pub info: MeshInfo,
    /// The workgroup.
    group: Group,
    /// What the invocation has set: vertices and primitives, or the workgroups that it emits in x, y and z.
    counts: Vec<Variable>,
    /// The outputs of a mesh shader.
    outputs: MeshOutputs,
}

/// The outputs of a mesh shader, word by word.
#[derive(Clone, Default)]
pub struct MeshOutputs {
    /// Those of a vertex.
    pub vertex: Vec<VertexOutput>,
    /// Those of a primitive.
    pub primitive: Vec<VertexOutput>,
    /// Whether primitives can be culled: the first word of their outputs tells.
    pub culls: bool,
}

/// Which workgroup it is.
struct Group {
    /// Its number in the launch.
    number: Src,
    /// The number of its task workgroup in the launch of those.
    task: Src,
    /// Bytes of the record of a task workgroup.
    task_bytes: Src,
    /// The number of the draw.
    draw: Src,
}

impl MeshOutputs {
    /// The word of a vertex's output among those of the vertex.
    pub fn vertex_word(&self, slots: &[Varying], output: VertexOutput) -> Option<u32> {
        let name = output.stored();
        Some(slots.iter().find(|varying| varying.output == name)?.slot.into())
    }

    /// The word of a primitive's output among those of the primitive.
    pub fn primitive_word(&self, output: VertexOutput) -> Option<u32> {
        let at = self.primitive.iter().position(|known| *known == output)?;
        Some((at as u32).saturating_add(self.culls.into()))
    }

    /// The slots of the outputs of a vertex in memory.
    pub fn slots(&self) -> Vec<Varying> {
        let names: Vec<_> = self.vertex.iter().map(|output| output.stored()).collect();
        assign_slots(&names)
    }
}

/// Loads words that an earlier program has written.
fn load(kit: &mut Kit<'_, '_>, [base, offset]: [Src; 2], words: u8) -> Vec<Src> {
    let mods = [Access::READONLY.bits(), WORD_BYTES];
    let loaded = kit.b.value(IrOp::LoadGlobal, Type::vector(32, words), &[base, offset], &mods);
    kit.b.split(Src::value(loaded), Type::B32, words.into()).to_vec()
}

/// The entry of the table for a workgroup of the draw: the last one with no more workgroups before it.
fn entry(kit: &mut Kit<'_, '_>, table: Src, [entries, number]: [Src; 2]) -> Src {
    let [low, high] = [Src::imm32(0), entries].map(|value| {
        let variable = kit.vars.add(&[32]);
        kit.vars.write(&kit.b, variable, value);
        variable
    });
    let blocks = kit.b.begin_loop();
    kit.vars.open_loop(blocks.header);
    let [first, end] = [low, high].map(|variable| kit.vars.read(&mut kit.b, variable));
    let room = kit.b.isub(end, first);
    let is_more = kit.b.icmp(IntCond::UGT, room, Src::imm32(1));
    kit.b.begin_if(is_more);
    let half = kit.b.ushr(room, Src::imm32(1));
    let middle = kit.b.iadd(first, half);
    let offset = table_offset(kit, middle);
    let before = load(kit, [table, offset], 1).first().copied().unwrap_or(number);
    let is_later = kit.b.icmp(IntCond::ULE, before, number);
    let (first, end) = (kit.b.select(is_later, middle, first), kit.b.select(is_later, end, middle));
    kit.vars.write(&kit.b, low, first);
    kit.vars.write(&kit.b, high, end);
    kit.b.begin_else();
    kit.b.jump(blocks.after);
    kit.b.end_if();
    kit.b.end_loop();
    kit.vars.close_loop(kit.b.f);
    kit.vars.read(&mut kit.b, low)
}

/// First byte of an entry of the table.
fn table_offset(kit: &mut Kit<'_, '_>, entry: Src) -> Src {
    let bytes = kit.b.imul(entry, Src::imm32(TABLE_ENTRY_BYTES));
    kit.b.iadd(bytes, Src::imm32(TABLE_HEADER_BYTES))
}

/// Finds out which workgroup it is. Task workgroups have a table of one entry.
fn group(kit: &mut Kit<'_, '_>, kind: MeshKind) -> Group {
    let table = kit.uniforms.get(UniformSource::WorkgroupTable, 0, 64);
    let number = register(kit, Sr::GROUP_X);
    let zero = Src::imm32(0);
    let header = load(kit, [table, zero], 4);
    let word = |words: &[Src], at: usize| words.get(at).copied().unwrap_or(Src::imm32(0));
    let of_draw = kit.b.iadd(number, word(&header, 1));
    let task = match kind {
        MeshKind::Task => number,
        MeshKind::Mesh => entry(kit, table, [word(&header, 0), of_draw]),
    };
    let offset = match kind {
        MeshKind::Task => Src::imm32(TABLE_HEADER_BYTES),
        MeshKind::Mesh => table_offset(kit, task),
    };
    let known = load(kit, [table, offset], 4);
    let count = [1, 2, 3].map(|at| word(&known, at));
    let within = kit.b.isub(of_draw, word(&known, 0));
    let row = kit.b.udiv(within, count[0]);
    let before = kit.b.imul(row, count[0]);
    let x = kit.b.isub(within, before);
    let z = kit.b.udiv(row, count[1]);
    let before = kit.b.imul(z, count[1]);
    let y = kit.b.isub(row, before);
    let (task_bytes, draw) = (word(&header, 2), word(&header, 3));
    // Among the workgroups of the draw or task.
    kit.compute.place = Some(GroupPlace { position: [x, y, z], count });
    Group { number, task, task_bytes, draw }
}

/// Begins a task or mesh shader with these modes. `outputs` are those that it may write.
///
/// # Errors
/// More outputs than the linker takes.
pub fn begin(kit: &mut Kit<'_, '_>, modes: MeshInfo, outputs: MeshOutputs) -> Result<(), CompileError> {
    let info = match modes.kind {
        MeshKind::Task => modes,
        MeshKind::Mesh => sizes(modes, &outputs)?,
    };
    let group = group(kit, info.kind);
    let numbers = if info.kind == MeshKind::Task { 3 } else { 2 };
    let counts = (0..numbers)
        .map(|_| {
            let variable = kit.vars.add(&[32]);
            kit.vars.write(&kit.b, variable, Src::imm32(0));
            variable
        })
        .collect();
    let culls = outputs.culls;
    kit.software.mesh = Some(Box::new(MeshStage { info, group, counts, outputs }));
    if culls {
        keep_all(kit, info);
    }
    kit.memory.writes_memory = true;
    Ok(())
}

/// The modes with the sizes of outputs.
fn sizes(modes: MeshInfo, outputs: &MeshOutputs) -> Result<MeshInfo, CompileError> {
    let vertex_words = stored_words(&outputs.slots());
    let primitive_words = (outputs.primitive.len() as u32).saturating_add(outputs.culls.into());
    let found = vertex_words.saturating_add(primitive_words);
    if found > MAX_WORDS {
        return Err(KitError::VertexOutputs { most: MAX_WORDS, found: found as usize }.into());
    }
    let names = outputs.vertex.iter().chain(&outputs.primitive).map(|output| output.stored());
    let drawn_words = match outputs.primitive.is_empty() {
        true => 0,
        false => stored_words(&assign_slots(&names.collect::<Vec<_>>())),
    };
    Ok(MeshInfo { vertex_words, primitive_words, drawn_words, ..modes })
}

/// Builds a loop in which the invocations of the workgroup take the primitives in turn.
fn for_primitives(kit: &mut Kit<'_, '_>, count: u32, act: impl FnOnce(&mut Kit<'_, '_>, Src)) {
    let step = kit.compute.invocations();
    let index = register(kit, Sr::THREAD_INDEX);
    take_turns(kit, index, [count, step], act);
}

/// Marks all primitives as not culled: those whose mark is not written are drawn.
fn keep_all(kit: &mut Kit<'_, '_>, info: MeshInfo) {
    let Some(Place { base, offset }) = primitives(kit) else { return };
    for_primitives(kit, info.primitives, |kit, at| {
        let within = kit.b.imul(at, Src::imm32(info.primitive_words.saturating_mul(WORD_BYTES)));
        let place = kit.b.iadd(offset, within);
        kit.b.effect(IrOp::StoreGlobal, &[Src::imm32(0), base, place], &[0, WORD_BYTES]);
    });
    barrier(kit, Access::DEVICE);
}

/// A place in an array with an element of `bytes` for each workgroup.
fn place(kit: &mut Kit<'_, '_>, source: UniformSource, bytes: u32) -> Option<Place> {
    let number = kit.software.mesh.as_ref()?.group.number;
    let offset = kit.b.imul(number, Src::imm32(bytes));
    let base = kit.uniforms.get(source, 0, 64);
    Some(Place { base, offset })
}

/// The properties of a mesh shader; `None` in other stages.
fn mesh_info(kit: &Kit<'_, '_>) -> Option<MeshInfo> {
    kit.software.mesh.as_ref().map(|stage| stage.info).filter(|info| info.kind == MeshKind::Mesh)
}

/// The outputs of the workgroup's vertices; `None` outside mesh shaders.
pub fn vertices(kit: &mut Kit<'_, '_>) -> Option<Place> {
    let info = mesh_info(kit)?;
    if info.drawn_words == 0 {
        return place(kit, UniformSource::GeometryVertices, info.vertex_bytes());
    }
    let Place { base, offset } = place(kit, UniformSource::VertexOutputs, info.record_bytes())?;
    let offset = kit.b.iadd(offset, Src::imm32(info.primitive_bytes()));
    Some(Place { base, offset })
}

/// The outputs of the workgroup's primitives; `None` outside mesh shaders.
pub fn primitives(kit: &mut Kit<'_, '_>) -> Option<Place> {
    let info = mesh_info(kit)?;
    place(kit, UniformSource::VertexOutputs, info.record_bytes())
}

/// The indices of the workgroup; `None` outside mesh shaders.
pub fn indices(kit: &mut Kit<'_, '_>) -> Option<Place> {
    let info = mesh_info(kit)?;
    place(kit, UniformSource::GeometryIndices, info.index_bytes())
}

/// The payload; `None` in other stages.
pub fn payload(kit: &mut Kit<'_, '_>) -> Option<Place> {
    let stage = kit.software.mesh.as_ref()?;
    let (task, bytes) = (stage.group.task, stage.group.task_bytes);
    let record = kit.b.imul(task, bytes);
    let offset = kit.b.iadd(record, Src::imm32(PAYLOAD));
    let base = kit.uniforms.get(UniformSource::TaskRecords, 0, 64);
    Some(Place { base, offset })
}

/// Number of the draw; `None` in other stages.
pub fn draw(kit: &Kit<'_, '_>) -> Option<Src> {
    Some(kit.software.mesh.as_ref()?.group.draw)
}

/// Sets the numbers of vertices and primitives, or of emitted workgroups. Those of the first invocation count.
pub fn set_counts(kit: &mut Kit<'_, '_>, counts: &[Src]) {
    let Some(stage) = &kit.software.mesh else { return };
    for (variable, count) in stage.counts.iter().zip(counts) {
        kit.vars.write(&kit.b, *variable, *count);
    }
}

/// Ends a task or mesh shader.
///
/// # Errors
/// More workgroup memory than there is.
pub fn end(kit: &mut Kit<'_, '_>) -> Result<(), CompileError> {
    let Some(stage) = kit.software.mesh.as_ref() else { return Ok(()) };
    let (info, variables) = (stage.info, stage.counts.clone());
    let counts: Vec<Src> = variables.iter().map(|count| kit.vars.read(&mut kit.b, *count)).collect();
    let index = register(kit, Sr::THREAD_INDEX);
    let is_first = kit.b.icmp(IntCond::EQ, index, Src::imm32(0));
    if info.kind == MeshKind::Task {
        store_emitted(kit, is_first, &counts);
        return Ok(());
    }
    let counts = shared(kit, is_first, &counts)?;
    let [vertices, primitives] = counts.as_slice() else { return Ok(()) };
    let vertices = kit.b.umin(*vertices, Src::imm32(info.vertices));
    let none = kit.b.icmp(IntCond::EQ, vertices, Src::imm32(0));
    let primitives = kit.b.select(none, Src::imm32(0), *primitives);
    let last = kit.b.isub(vertices, Src::imm32(1));
    finish_primitives(kit, info, [primitives, last]);
    Ok(())
}

/// Stores the number of workgroups that a task workgroup emits.
fn store_emitted(kit: &mut Kit<'_, '_>, is_first: Src, counts: &[Src]) {
    let Some(Place { base, offset }) = payload(kit) else { return };
    kit.b.begin_if(is_first);
    let record = kit.b.isub(offset, Src::imm32(PAYLOAD));
    let data = kit.b.collect(Type::vector(32, counts.len() as u8), counts);
    kit.b.effect(IrOp::StoreGlobal, &[data, base, record], &[0, WORD_BYTES]);
    kit.b.begin_else();
    kit.b.end_if();
}

/// The numbers of the first invocation, after all have stored their outputs.
fn shared(kit: &mut Kit<'_, '_>, is_first: Src, counts: &[Src]) -> Result<Vec<Src>, CompileError> {
    let bytes = (counts.len() as u32).saturating_mul(WORD_BYTES);
    let start = kit.memory.local_bytes.next_multiple_of(8);
    kit.memory.local_bytes = start.saturating_add(bytes);
    if kit.memory.local_bytes > MAX_LOCAL_BYTES {
        return Err(MemoryError::Workgroup { most: MAX_LOCAL_BYTES }.into());
    }
    let words = counts.len();
    let ty = Type::vector(32, words as u8);
    kit.b.begin_if(is_first);
    let data = kit.b.collect(ty, counts);
    kit.b.effect(IrOp::StoreLocal, &[data, Src::imm32(start)], &[WORD_BYTES]);
    kit.b.begin_else();
    kit.b.end_if();
    barrier(kit, Access::LOCAL | Access::DEVICE);
    let loaded = kit.b.value(IrOp::LoadLocal, ty, &[Src::imm32(start)], &[WORD_BYTES]);
    Ok(kit.b.split(Src::value(loaded), Type::B32, words).to_vec())
}

/// What a workgroup has stored, and the numbers that it has set.
#[derive(Clone, Copy)]
struct Results {
    /// The indices of primitives, their outputs, and those of vertices.
    indices: Place,
    primitives: Place,
    vertices: Place,
    /// Number of the first vertex that can be drawn, among those of the launch.
    first: Src,
    /// Number of primitives.
    count: Src,
    /// The last vertex: greater indices are those of that vertex.
    last: Src,
}

/// Makes the indices of primitives numbers of vertices of the launch, and copies the vertices of primitives that have outputs.
fn finish_primitives(kit: &mut Kit<'_, '_>, info: MeshInfo, [count, last]: [Src; 2]) {
    let Some(stage) = kit.software.mesh.as_ref() else { return };
    let (number, outputs) = (stage.group.number, stage.outputs.clone());
    let (Some(indices), Some(primitives), Some(vertices)) = (indices(kit), primitives(kit), vertices(kit))
    else {
        return;
    };
    let names = outputs.vertex.iter().chain(&outputs.primitive).map(|output| output.stored());
    kit.vertex.varyings = assign_slots(&names.collect::<Vec<_>>());
    let first = kit.b.imul(number, Src::imm32(info.drawn_vertices()));
    let results = Results { indices, primitives, vertices, first, count, last };
    for_primitives(kit, info.primitives, |kit, at| finish_primitive(kit, info, &outputs, results, at));
}

/// Finishes primitive `at`.
fn finish_primitive(kit: &mut Kit<'_, '_>, info: MeshInfo, outputs: &MeshOutputs, results: Results, at: Src) {
    let Results { indices, primitives, first, count, last, .. } = results;
    let within = kit.b.imul(at, Src::imm32(info.corners.saturating_mul(INDEX_BYTES)));
    let place = [indices.base, kit.b.iadd(indices.offset, within)];
    let within = kit.b.imul(at, Src::imm32(info.primitive_words.saturating_mul(WORD_BYTES)));
    let own = Place { offset: kit.b.iadd(primitives.offset, within), ..primitives };
    let mut is_drawn = kit.b.icmp(IntCond::ULT, at, count);
    if outputs.culls {
        let mark = load_stored(kit, [own.base, own.offset]);
        let is_kept = kit.b.icmp(IntCond::EQ, mark, Src::imm32(0));
        is_drawn = kit.b.and(is_drawn, is_kept);
    }
    let mut given = Vec::with_capacity(3);
    for corner in 0..info.corners {
        let offset = kit.b.iadd(place[1], Src::imm32(corner.saturating_mul(INDEX_BYTES)));
        let index = load_stored(kit, [place[0], offset]);
        given.push(kit.b.umin(index, last));
    }
    let drawn: Vec<Src> = if info.drawn_words == 0 {
        given.iter().map(|index| kit.b.iadd(first, *index)).collect()
    } else {
        let before = kit.b.imul(at, Src::imm32(info.corners));
        let before = kit.b.iadd(first, before);
        let numbers: Vec<Src> =
            (0..info.corners).map(|corner| kit.b.iadd(before, Src::imm32(corner))).collect();
        kit.b.begin_if(is_drawn);
        copy_vertices(kit, info, outputs, (own, results.vertices), (&given, &numbers));
        kit.b.begin_else();
        kit.b.end_if();
        numbers
    };
    let restart = Src::imm32(RESTART);
    let drawn: Vec<Src> = drawn.iter().map(|index| kit.b.select(is_drawn, *index, restart)).collect();
    let data = kit.b.collect(Type::vector(32, drawn.len() as u8), &drawn);
    kit.b.effect(IrOp::StoreGlobal, &[data, place[0], place[1]], &[0, WORD_BYTES]);
}

/// A word that an invocation of the workgroup has stored.
fn load_stored(kit: &mut Kit<'_, '_>, [base, offset]: [Src; 2]) -> Src {
    Src::value(kit.b.value(IrOp::LoadGlobal, Type::B32, &[base, offset], &[0, WORD_BYTES]))
}

/// Copies the vertices `given` of a primitive, each with the outputs of the primitive, to the drawn vertices `numbers`.
fn copy_vertices(
    kit: &mut Kit<'_, '_>,
    info: MeshInfo,
    outputs: &MeshOutputs,
    (own, stored): (Place, Place),
    (given, numbers): (&[Src], &[Src]),
) {
    let base = kit.uniforms.get(UniformSource::GeometryVertices, 0, 64);
    let slots = kit.vertex.varyings.clone();
    let of_vertex = outputs.slots();
    let word = |kit: &mut Kit<'_, '_>, place: Place, at: Option<u32>| {
        let offset = kit.b.iadd(place.offset, Src::imm32(at.unwrap_or(0).saturating_mul(WORD_BYTES)));
        load_stored(kit, [place.base, offset])
    };
    let of_primitive: Vec<(VertexOutput, Src)> = outputs
        .primitive
        .iter()
        .map(|output| (*output, word(kit, own, outputs.primitive_word(*output))))
        .collect();
    for (index, number) in given.iter().zip(numbers) {
        let within = kit.b.imul(*index, Src::imm32(info.vertex_words.saturating_mul(WORD_BYTES)));
        let vertex = Place { offset: kit.b.iadd(stored.offset, within), ..stored };
        let mut words: Vec<(VertexOutput, Src)> = outputs
            .vertex
            .iter()
            .map(|output| (*output, word(kit, vertex, outputs.vertex_word(&of_vertex, *output))))
            .collect();
        words.extend(of_primitive.iter().copied());
        let words = packed(kit, &words);
        let of = |varying: &Varying| words.iter().rev().find(|(output, _)| *output == varying.output);
        let all: Vec<Src> =
            slots.iter().map(|varying| of(varying).map_or(Src::imm32(0), |(_, word)| *word)).collect();
        let first = kit.b.imul(*number, Src::imm32(info.drawn_words.saturating_mul(WORD_BYTES)));
        for (at, part) in (0u32..).zip(all.chunks(ACCESS_WORDS)) {
            let within = at.saturating_mul(ACCESS_WORDS as u32).saturating_mul(WORD_BYTES);
            let offset = kit.b.iadd(first, Src::imm32(within));
            let data = kit.b.collect(Type::vector(32, part.len() as u8), part);
            kit.b.effect(IrOp::StoreGlobal, &[data, base, offset], &[0, WORD_BYTES]);
        }
    }
}
