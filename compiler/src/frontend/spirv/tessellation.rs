//! Tessellation shaders: the records of patches, and their inputs and outputs in memory.

use agx_abi::tessellation::{INNER_LEVELS, OUTER_LEVELS, PatchLayout, Row, Rows, TessellationInfo};
use spirv::{BuiltIn, Decoration, StorageClass};

use super::interface::{Leaf, Slot, StageIo, input_value, leaves, leaves_of};
use super::module::{Global, Module};
use super::pointer::{Pointer, Root, StageMemory, StoredScalar};
use super::tessellation_modes::TessellationKind;
use super::types::{Kind, Layout, Ty};
use super::values::Values;
use super::vertex::{name, place};
use super::written::Written;
use super::{globals, written};
use crate::CompileKey;
use crate::error::CompileError;
use crate::frontend::kit::{tessellation, vertex};
use crate::ir::function::Access;
use crate::ir::src::Src;

/// How a variable of the interface is stored.
#[derive(Clone, Copy)]
enum Storage {
    /// In a register: it belongs to one invocation.
    Register,
    /// Once for the patch.
    Patch,
    /// For each vertex of the patch: the type of an element, and the number of vertices.
    Vertices(Ty, u32),
}

/// How a variable is stored.
fn storage(module: &Module<'_>, global: &Global<'_>, kind: TessellationKind) -> Storage {
    // From SPIR-V 1.4 on, the interface of an entry point also has its resources.
    if !matches!(global.class, StorageClass::Input | StorageClass::Output) {
        return Storage::Register;
    }
    let built_in = module.decorations.of(global.id, Decoration::BuiltIn);
    let of_levels = [BuiltIn::TessLevelOuter, BuiltIn::TessLevelInner].map(|level| Some(level as u32));
    if of_levels.contains(&built_in) {
        return Storage::Patch;
    }
    // A built-in input is not in the record, even if it is decorated as one of the patch like the tessellation coordinate.
    if global.class == StorageClass::Input
        && built_in.is_some()
        && module.decorations.has(global.id, Decoration::Patch)
    {
        return Storage::Register;
    }
    match (global.class, kind) {
        (StorageClass::Output, TessellationKind::Evaluation) => Storage::Register,
        _ if is_patch(module, global) => Storage::Patch,
        _ => match module.types.kind(global.ty) {
            Kind::Array { elem, count, .. } => Storage::Vertices(elem, count),
            _ => Storage::Register,
        },
    }
}

/// Whether a variable is decorated as a whole or by its members as one of the patch.
fn is_patch(module: &Module<'_>, global: &Global<'_>) -> bool {
    if module.decorations.has(global.id, Decoration::Patch) {
        return true;
    }
    let ty = match module.types.kind(global.ty) {
        Kind::Array { elem, .. } => elem,
        _ => global.ty,
    };
    match module.types.kind(ty) {
        Kind::Struct { members } => members.iter().any(|member| member.decorated.patch),
        _ => false,
    }
}

/// Adds the rows of scalars.
fn insert(rows: &mut Rows, leaves: &[Leaf], used: Option<&[bool]>) -> Result<(), CompileError> {
    for (at, leaf) in leaves.iter().enumerate() {
        if used.is_some_and(|used| used.get(at) != Some(&true)) {
            continue;
        }
        for slot in leaf.components() {
            if let Some((row, _)) = Row::of(name(place(slot)?)) {
                rows.insert(row);
            }
        }
    }
    Ok(())
}

/// Adds the rows of a variable in memory. Tessellation levels have their places in the header.
fn insert_variable(
    used: &Written,
    module: &Module<'_>,
    global: &Global<'_>,
    kind: TessellationKind,
    (patch, vertex): (&mut Rows, &mut Rows),
) -> Result<(), CompileError> {
    match storage(module, global, kind) {
        Storage::Register => Ok(()),
        Storage::Patch => {
            let leaves: Vec<Leaf> =
                leaves(module, global)?.into_iter().filter(|leaf| level(leaf).is_none()).collect();
            insert(patch, &leaves, None)
        }
        Storage::Vertices(elem, _) => {
            let used = used.element_scalars(module, global, elem)?;
            insert(vertex, &leaves_of(module, global.id, elem)?, used.as_deref())
        }
    }
}

/// Byte of a tessellation level in the header of the record.
fn level(leaf: &Leaf) -> Option<u32> {
    let Slot::BuiltIn { built_in, index } = leaf.slot else { return None };
    let (start, count) = match built_in {
        BuiltIn::TessLevelOuter => (OUTER_LEVELS, 4),
        BuiltIn::TessLevelInner => (INNER_LEVELS, 2),
        _ => return None,
    };
    (index < count).then(|| start.saturating_add(index.saturating_mul(4)))
}

/// The variables of the entry point's interface of one class.
fn variables<'m, 'a>(
    io: &StageIo<'_>,
    module: &'m Module<'a>,
    class: StorageClass,
) -> impl Iterator<Item = &'m Global<'a>> {
    module.globals.iter().filter(move |global| global.class == class && io.interface.contains(&global.id))
}

/// Begins a control shader.
pub(super) fn control_start(
    io: &mut StageIo<'_>,
    v: &mut Values<'_, '_>,
    mut info: TessellationInfo,
) -> Result<(), CompileError> {
    let kind = TessellationKind::Control;
    let used = written::scan(v.module, &v.kit.b.f.watch)?;
    let PatchLayout { patch, vertex, .. } = &mut info.record;
    for global in variables(io, v.module, StorageClass::Output) {
        insert_variable(&used, v.module, global, kind, (patch, vertex))?;
    }
    for global in variables(io, v.module, StorageClass::Input) {
        insert_variable(&used, v.module, global, kind, (&mut Rows::default(), &mut info.inputs))?;
    }
    tessellation::begin_control(&mut v.kit, info);
    Ok(())
}

/// Begins an evaluation shader.
pub(super) fn evaluation_start(
    io: &mut StageIo<'_>,
    v: &mut Values<'_, '_>,
    mut info: TessellationInfo,
    key: &CompileKey,
) -> Result<(), CompileError> {
    vertex::begin(&mut v.kit, [])?;
    match key.tessellation {
        Some(record) => info.record = record,
        None => declared(io, v, &mut info.record)?,
    }
    tessellation::begin_evaluation(&mut v.kit, info);
    Ok(())
}

/// The record with the rows that an evaluation shader declares.
fn declared(io: &StageIo<'_>, v: &Values<'_, '_>, record: &mut PatchLayout) -> Result<(), CompileError> {
    let (kind, used) = (TessellationKind::Evaluation, written::scan(v.module, &v.kit.b.f.watch)?);
    for global in variables(io, v.module, StorageClass::Input) {
        if let Storage::Vertices(_, count) = storage(v.module, global, kind) {
            record.vertices = record.vertices.max(count);
        }
        let PatchLayout { patch, vertex, .. } = record;
        insert_variable(&used, v.module, global, kind, (patch, vertex))?;
    }
    Ok(())
}

/// The pointer to a variable in memory; `None` for others.
pub(super) fn variable<'a>(
    v: &mut Values<'_, 'a>,
    global: &Global<'a>,
    kind: TessellationKind,
) -> Result<Option<Pointer<'a>>, CompileError> {
    let Some((info, record)) = v.kit.software.tessellation.as_ref().map(|stage| (stage.info, stage.record))
    else {
        return Ok(None);
    };
    let is_control_input = (global.class, kind) == (StorageClass::Input, TessellationKind::Control);
    let scalars = match storage(v.module, global, kind) {
        Storage::Register => return Ok(None),
        Storage::Patch => {
            let header = PatchLayout::default().vertex_byte(0);
            scalars(&leaves(v.module, global)?, info.record.patch, header)?
        }
        Storage::Vertices(elem, count) => {
            v.types.leaf_count(global.ty)?;
            let leaves = leaves_of(v.module, global.id, elem)?;
            let most = if is_control_input { count } else { info.record.vertices };
            let mut all = Vec::new();
            for vertex in 0..count {
                all.extend(match vertex < most {
                    _ if leaves.is_empty() => break,
                    false => leaves.iter().map(|leaf| scalar(leaf, None)).collect(),
                    true if is_control_input => {
                        scalars(&leaves, info.inputs, vertex.saturating_mul(info.inputs.bytes()))?
                    }
                    true => scalars(&leaves, info.record.vertex, info.record.vertex_byte(vertex))?,
                });
            }
            all
        }
    };
    let start = match is_control_input {
        true => tessellation::input_vertices(&mut v.kit).unwrap_or(record),
        false => record,
    };
    let is_input = global.class == StorageClass::Input;
    let access = if is_input { Access::READONLY } else { Access::empty() };
    let number = v.stage_memory.len() as u32;
    v.stage_memory.push(StageMemory { start, scalars: v.bump.alloc_slice_copy(&scalars), access });
    Ok(Some(Pointer::new(Root::Stage(number), global.ty, Layout::Natural, access)))
}

fn scalar(leaf: &Leaf, byte: Option<u32>) -> StoredScalar {
    StoredScalar { byte, bits: leaf.bits, is_float: leaf.is_float }
}

/// The scalars of a part of the record that starts at byte `start` and has the rows `rows`.
fn scalars(leaves: &[Leaf], rows: Rows, start: u32) -> Result<Vec<StoredScalar>, CompileError> {
    let of = |leaf: &Leaf| {
        if let Some(byte) = level(leaf) {
            return Ok(scalar(leaf, Some(byte)));
        }
        let found = Row::of(name(place(leaf.slot)?));
        let byte = found.and_then(|(row, component)| {
            Some(start.saturating_add(rows.byte(row)?).saturating_add(component.saturating_mul(4)))
        });
        Ok(scalar(leaf, byte))
    };
    leaves.iter().map(of).collect()
}

/// The scalars of an input in registers; `None` if one is not supported.
pub(super) fn inputs(v: &mut Values<'_, '_>, global: &Global<'_>) -> Result<Option<Vec<Src>>, CompileError> {
    let leaves = leaves(v.module, global)?;
    let mut values = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        let Slot::BuiltIn { built_in, index } = leaf.slot else { return Ok(None) };
        let value = match built_in {
            BuiltIn::InvocationId => tessellation::invocation(&v.kit),
            BuiltIn::PrimitiveId => tessellation::patch_number(&mut v.kit),
            BuiltIn::PatchVertices => tessellation::patch_vertices(&mut v.kit),
            BuiltIn::TessCoord => tessellation::coordinate(&mut v.kit, index),
            _ => globals::lane_built_in(v, built_in, index),
        };
        let Some(value) = value else { return Ok(None) };
        let Some(value) = input_value(&mut v.kit.b, &leaf, value) else { return Ok(None) };
        values.push(value);
    }
    Ok(Some(values))
}
