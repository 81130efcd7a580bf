//! Task and mesh shaders: payloads, and the outputs of vertices and primitives, which are in memory.

use agx_abi::mesh::MAX_PAYLOAD_BYTES;
use agx_abi::vertex::Varying;
use agx_abi::{MeshInfo, MeshKind};
use spirv::{BuiltIn, Decoration, StorageClass};

use super::interface::{Leaf, Slot, StageIo, leaves_of};
use super::module::{Global, Module};
use super::owners::Memory;
use super::pointer::{Pointer, Root, StageMemory, StoredScalar};
use super::types::{Kind, Layout, MatrixLayout, Ty};
use super::values::Values;
use super::vertex::place;
use super::words::Inst;
use super::written::{self, Written};
use crate::error::{CompileError, StageError};
use crate::frontend::kit::Kit;
use crate::frontend::kit::mesh::{self, MeshOutputs};
use crate::frontend::kit::tessellation::Place;
use crate::ir::function::Access;

/// Bytes of a word.
const WORD_BYTES: u32 = 4;

/// Whose values an output of a mesh shader has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// Those of the vertices.
    Vertex,
    /// Those of the primitives.
    Primitive,
    /// The vertices of the primitives.
    Indices,
}

/// An output of a mesh shader.
struct MeshOutput {
    owner: Owner,
    /// Number of its elements.
    count: u32,
    /// The scalars of an element, and which of them the shader may write; `None` for all.
    leaves: Vec<Leaf>,
    used: Option<Vec<bool>>,
}

impl MeshOutput {
    /// The scalars that the shader may write.
    fn written(&self) -> impl Iterator<Item = &Leaf> {
        let is_used = |at: usize| self.used.as_ref().is_none_or(|used| used.get(at) == Some(&true));
        self.leaves.iter().enumerate().filter(move |(at, _)| is_used(*at)).map(|(_, leaf)| leaf)
    }
}

/// Whether a built-in tells the vertices of primitives.
fn is_index(built_in: BuiltIn) -> bool {
    matches!(
        built_in,
        BuiltIn::PrimitivePointIndicesEXT
            | BuiltIn::PrimitiveLineIndicesEXT
            | BuiltIn::PrimitiveTriangleIndicesEXT
    )
}

/// Whether a scalar tells if a primitive is culled.
fn is_mark(leaf: &Leaf) -> bool {
    matches!(leaf.slot, Slot::BuiltIn { built_in: BuiltIn::CullPrimitiveEXT, .. })
}

/// Whether a scalar is one that is never read: there is only one shading rate.
fn is_ignored(leaf: &Leaf) -> bool {
    matches!(leaf.slot, Slot::BuiltIn { built_in: BuiltIn::PrimitiveShadingRateKHR, .. })
}

/// An output variable.
fn output(module: &Module<'_>, used: &Written, global: &Global<'_>) -> Result<MeshOutput, CompileError> {
    let Kind::Array { elem, count, .. } = module.types.kind(global.ty) else {
        return Err(StageError::MeshOutput { id: global.id }.into());
    };
    module.types.leaf_count(global.ty)?;
    let leaves = leaves_of(module, global.id, elem)?;
    let built_in = module.decorations.of(global.id, Decoration::BuiltIn).and_then(BuiltIn::from_u32);
    let owner = match built_in {
        Some(built_in) if is_index(built_in) => Owner::Indices,
        _ if is_per_primitive(module, global, elem) => Owner::Primitive,
        _ => Owner::Vertex,
    };
    let used = used.element_scalars(module, global, elem)?;
    Ok(MeshOutput { owner, count, leaves, used })
}

/// Whether a variable is decorated as a whole or by its members as one of primitives.
fn is_per_primitive(module: &Module<'_>, global: &Global<'_>, elem: Ty) -> bool {
    if module.decorations.has(global.id, Decoration::PerPrimitiveEXT) {
        return true;
    }
    match module.types.kind(elem) {
        Kind::Struct { members } => members.iter().any(|member| member.decorated.per_primitive),
        _ => false,
    }
}

/// Adds what an output needs for a vertex or primitive.
fn declare(outputs: &mut MeshOutputs, output: &MeshOutput) -> Result<(), CompileError> {
    for leaf in output.written().filter(|leaf| !is_ignored(leaf)) {
        if is_mark(leaf) {
            outputs.culls = true;
            continue;
        }
        let list = match output.owner {
            Owner::Vertex => &mut outputs.vertex,
            Owner::Primitive => &mut outputs.primitive,
            Owner::Indices => continue,
        };
        for slot in leaf.components() {
            let word = place(slot)?;
            if !list.contains(&word) {
                list.push(word);
            }
        }
    }
    Ok(())
}

/// Begins a task or mesh shader: its payload, and the variables of its outputs.
pub(super) fn start<'a>(
    io: &StageIo<'a>,
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    mut info: MeshInfo,
) -> Result<(), CompileError> {
    info.payload_bytes = payload_bytes(io, v)?;
    let mut outputs = MeshOutputs::default();
    let mut variables = Vec::new();
    if info.kind == MeshKind::Mesh {
        let used = written::scan(v.module, &v.kit.b.f.watch)?;
        for (index, global) in v.module.globals.iter().enumerate() {
            if global.class == StorageClass::Output && io.interface.contains(&global.id) {
                let output = output(v.module, &used, global)?;
                declare(&mut outputs, &output)?;
                variables.push((index, global.ty, output));
            }
        }
    }
    let slots = outputs.slots();
    mesh::begin(&mut v.kit, info, outputs.clone())?;
    // Here, where its address is known in all blocks.
    for (index, global) in v.module.globals.iter().enumerate() {
        if global.class == StorageClass::TaskPayloadWorkgroupEXT && io.interface.contains(&global.id) {
            let pointer = Pointer { pointer: Some(global.pointer), ..payload(v, global)? };
            m.globals[index] = Some(&*v.bump.alloc(pointer));
        }
    }
    for (index, ty, output) in variables {
        let pointer = variable(v, ty, &output, (&outputs, &slots))?;
        m.globals[index] = Some(&*v.bump.alloc(pointer));
    }
    Ok(())
}

/// Bytes of the payload.
fn payload_bytes(io: &StageIo<'_>, v: &Values<'_, '_>) -> Result<u32, CompileError> {
    let is_payload = |global: &&Global<'_>| {
        global.class == StorageClass::TaskPayloadWorkgroupEXT && io.interface.contains(&global.id)
    };
    let mut payloads = v.module.globals.iter().filter(is_payload);
    let Some(payload) = payloads.next() else { return Ok(0) };
    if payloads.next().is_some() {
        return Err(StageError::Payloads.into());
    }
    let bytes = match layout(v, payload) {
        Layout::Explicit => v.types.explicit_end(payload.ty, MatrixLayout::default())?,
        Layout::Natural => v.types.natural(payload.ty).0,
    };
    if bytes > MAX_PAYLOAD_BYTES {
        return Err(StageError::Payload { bytes, most: MAX_PAYLOAD_BYTES }.into());
    }
    Ok(bytes)
}

/// How the payload is laid out in memory.
fn layout(v: &Values<'_, '_>, payload: &Global<'_>) -> Layout {
    if v.module.is_block(payload.ty) { Layout::Explicit } else { Layout::Natural }
}

/// The pointer to the payload: a place in device memory that belongs to the task workgroup.
fn payload<'a>(v: &mut Values<'_, 'a>, global: &Global<'a>) -> Result<Pointer<'a>, CompileError> {
    let Some(Place { base, offset }) = mesh::payload(&mut v.kit) else {
        return Err(StageError::NoPayload { id: global.id }.into());
    };
    let access = match is_kind(&v.kit, MeshKind::Mesh) {
        true => Access::READONLY,
        false => Access::empty(),
    };
    let (root, layout) = (Root::Buffer { base, limit: None }, layout(v, global));
    Ok(Pointer { offset: Some(offset), ..Pointer::new(root, global.ty, layout, access) })
}

/// The pointer to an output in memory.
fn variable<'a>(
    v: &mut Values<'_, 'a>,
    ty: Ty,
    output: &MeshOutput,
    outputs: (&MeshOutputs, &[Varying]),
) -> Result<Pointer<'a>, CompileError> {
    let missing = || CompileError::internal("outputs of a mesh outside mesh shaders");
    let info = v.kit.software.mesh.as_ref().map(|stage| stage.info).ok_or_else(missing)?;
    let (start, words, most) = match output.owner {
        Owner::Vertex => (mesh::vertices(&mut v.kit), info.vertex_words, info.vertices),
        Owner::Primitive => (mesh::primitives(&mut v.kit), info.primitive_words, info.primitives),
        Owner::Indices => (mesh::indices(&mut v.kit), info.corners, info.primitives),
    };
    let of_element: Vec<Option<u32>> =
        output.leaves.iter().map(|leaf| word(output.owner, leaf, outputs)).collect();
    let mut scalars = Vec::new();
    if !output.leaves.is_empty() {
        for element in 0..output.count {
            let byte =
                |word: u32| element.saturating_mul(words).saturating_add(word).saturating_mul(WORD_BYTES);
            scalars.extend(output.leaves.iter().zip(&of_element).map(|(leaf, word)| StoredScalar {
                byte: word.filter(|_| element < most).map(byte),
                bits: leaf.bits,
                is_float: leaf.is_float,
            }));
        }
    }
    let (start, access) = (start.ok_or_else(missing)?, Access::empty());
    let number = v.stage_memory.len() as u32;
    v.stage_memory.push(StageMemory { start, scalars: v.bump.alloc_slice_copy(&scalars), access });
    Ok(Pointer::new(Root::Stage(number), ty, Layout::Natural, access))
}

/// The word of a scalar in its vertex, primitive or list of indices; `None` if it is not stored.
fn word(owner: Owner, leaf: &Leaf, (outputs, slots): (&MeshOutputs, &[Varying])) -> Option<u32> {
    match owner {
        Owner::Indices => match leaf.slot {
            Slot::BuiltIn { index, .. } => Some(index),
            Slot::User { .. } => None,
        },
        _ if is_mark(leaf) => outputs.culls.then_some(0),
        Owner::Vertex => outputs.vertex_word(slots, place(leaf.slot).ok()?),
        Owner::Primitive => outputs.primitive_word(place(leaf.slot).ok()?),
    }
}

/// Whether the shader is the task or the mesh shader of a mesh pipeline.
pub(super) fn is_kind(kit: &Kit<'_, '_>, kind: MeshKind) -> bool {
    kit.software.mesh.as_ref().is_some_and(|stage| stage.info.kind == kind)
}

/// `OpSetMeshOutputsEXT`.
pub(super) fn set_outputs<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    set_counts(v, &[inst.word(0)?, inst.word(1)?])
}

/// `OpEmitMeshTasksEXT`, which ends the shader.
pub(super) fn emit_tasks(v: &mut Values<'_, '_>, counts: [u32; 3]) -> Result<(), CompileError> {
    if !is_kind(&v.kit, MeshKind::Task) {
        return Err(StageError::NotTask.into());
    }
    set_counts(v, &counts)
}

fn set_counts(v: &mut Values<'_, '_>, ids: &[u32]) -> Result<(), CompileError> {
    let counts = ids.iter().map(|id| v.eval().scalar(*id)).collect::<Result<Vec<_>, _>>()?;
    let counts: Vec<_> = counts.iter().map(|count| super::index::index_word(&mut v.kit.b, *count)).collect();
    mesh::set_counts(&mut v.kit, &counts);
    Ok(())
}
