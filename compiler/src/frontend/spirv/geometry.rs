//! Geometry shaders: the inputs of each vertex, emitted vertices, captured outputs.

use agx_abi::GeometryInfo;
use agx_abi::geometry::MAX_STREAMS;
use agx_abi::vertex::Output as Name;
use spirv::{BuiltIn, StorageClass};

use super::interface::{Leaf, Output, Slot, StageIo, input_value, leaves_of};
use super::module::{Global, Module};
use super::owners::Memory;
use super::pointer::Root;
use super::types::Kind;
use super::values::Values;
use super::vertex::{captured_words, name, output_words, place};
use super::words::Inst;
use super::{globals, memory, written};
use crate::CompileKey;
use crate::error::{CompileError, StageError};
use crate::frontend::kit::geometry;
use crate::ir::Build;
use crate::ir::function::Access;
use crate::ir::src::Src;
use crate::ir::types::Type;

/// The scalars of an input, in order, each with the number of its vertex: inputs of vertices are arrays.
fn input_leaves(module: &Module<'_>, global: &Global<'_>) -> Result<Vec<(u32, Leaf)>, CompileError> {
    let (ty, count) = match module.types.kind(global.ty) {
        Kind::Array { elem, count, .. } => (elem, count),
        _ => (global.ty, 1),
    };
    let of_vertex = leaves_of(module, global.id, ty)?;
    // The number of scalars is limited, that of elements without scalars is not.
    if module.types.leaf_count(global.ty)? == 0 {
        return Ok(Vec::new());
    }
    Ok((0..count).flat_map(|vertex| of_vertex.iter().map(move |leaf| (vertex, *leaf))).collect())
}

/// Begins a geometry shader: declares the inputs of its vertices.
pub(super) fn geometry_start(
    io: &mut StageIo<'_>,
    v: &mut Values<'_, '_>,
    info: GeometryInfo,
    key: &CompileKey,
) -> Result<(), CompileError> {
    let mut read: Vec<Name> = Vec::new();
    for global in v.module.globals.iter().filter(|global| global.class == StorageClass::Input) {
        if io.interface.contains(&global.id) {
            let leaves = input_leaves(v.module, global)?;
            let slots = leaves.iter().flat_map(|(_, leaf)| leaf.components());
            read.extend(slots.filter_map(|slot| place(slot).ok()).map(name));
        }
    }
    io.written = Some(written::scan(v.module, &v.kit.b.f.watch)?);
    geometry::begin(&mut v.kit, info, &read, key);
    Ok(())
}

/// The scalars of an input; `None` if one is not supported.
pub(super) fn geometry_inputs(
    v: &mut Values<'_, '_>,
    global: &Global<'_>,
) -> Result<Option<Vec<Src>>, CompileError> {
    let leaves = input_leaves(v.module, global)?;
    let mut values = Vec::with_capacity(leaves.len());
    for (vertex, leaf) in leaves {
        let Some(value) = scalar(v, vertex, &leaf) else { return Ok(None) };
        let Some(value) = input_value(&mut v.kit.b, &leaf, value) else { return Ok(None) };
        values.push(value);
    }
    Ok(Some(values))
}

fn scalar(v: &mut Values<'_, '_>, vertex: u32, leaf: &Leaf) -> Option<Src> {
    match leaf.slot {
        Slot::BuiltIn { built_in: BuiltIn::PrimitiveId, .. } => return geometry::primitive(&mut v.kit),
        Slot::BuiltIn { built_in: BuiltIn::InvocationId, .. } => return geometry::invocation(&mut v.kit),
        Slot::BuiltIn { built_in, index } if place(leaf.slot).is_err() => {
            return globals::lane_built_in(v, built_in, index);
        }
        _ => {}
    }
    let mut words = Vec::with_capacity(2);
    for slot in leaf.components() {
        words.push(geometry::input(&mut v.kit, vertex, name(place(slot).ok()?)));
    }
    match words.as_slice() {
        [word] => Some(*word),
        words => Some(v.kit.b.collect(Type::B64, words)),
    }
}

/// The current values of all outputs.
fn outputs<'a>(io: &StageIo<'a>, v: &mut Values<'_, 'a>) -> Result<Vec<Output>, CompileError> {
    let mut outputs = Vec::new();
    for (pointer, leaves) in &io.outputs {
        match pointer.root {
            Root::Variables(first) => {
                for (at, leaf) in leaves {
                    outputs.push((*leaf, v.kit.vars.read(&mut v.kit.b, first.at(*at))));
                }
            }
            _ => {
                let values = memory::load(v, pointer, Access::empty())?;
                let of = |(at, leaf): &(u32, Leaf)| Some((*leaf, *values.get(*at as usize)?));
                outputs.extend(leaves.iter().filter_map(of));
            }
        }
    }
    Ok(outputs)
}

/// The stream of an instruction.
fn stream(v: &mut Values<'_, '_>, inst: &Inst<'_>) -> Result<u32, CompileError> {
    let [id, ..] = inst.rest(0) else { return Ok(0) };
    let is_declared = v.kit.software.geometry.as_ref().is_some_and(|stage| stage.info.streams);
    match v.eval().scalar(*id)?.as_imm() {
        Some(0) => Ok(0),
        Some(stream) if is_declared && stream < u64::from(MAX_STREAMS) => Ok(stream as u32),
        _ => Err(StageError::Stream { most: MAX_STREAMS }.into()),
    }
}

/// Emits a vertex.
pub(super) fn emit_vertex<'a>(
    io: &mut StageIo<'a>,
    _: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let stream = stream(v, inst)?;
    let outputs = outputs(io, v)?;
    let words = output_words(v, &outputs)?;
    geometry::emit(&mut v.kit, &words, stream)
}

/// Ends a strip.
pub(super) fn end_primitive<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let stream = stream(v, inst)?;
    geometry::end_primitive(&mut v.kit, stream);
    Ok(())
}

/// Ends a geometry shader: declares the captured outputs.
pub(super) fn geometry_end(io: &StageIo<'_>, v: &mut Values<'_, '_>) -> Result<(), CompileError> {
    let all = io.outputs.iter().flat_map(|(_, leaves)| leaves).filter(|_| io.feedback);
    for (_, leaf) in all {
        for (captured, vertices) in captured_words(leaf)? {
            geometry::capture(&mut v.kit, captured, vertices)?;
        }
    }
    geometry::end(&mut v.kit);
    Ok(())
}
