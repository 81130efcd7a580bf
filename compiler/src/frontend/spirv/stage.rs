//! Inputs and outputs of vertex, tessellation, geometry and fragment shaders: inputs become variables that are set at the
//! start of the program, outputs become variables that are read at its end or when a vertex is emitted.

use agx_abi::Stage;
use spirv::{BuiltIn, Decoration, StorageClass};

use super::fragment::{fragment_inputs, fragment_outputs};
use super::geometry::{geometry_end, geometry_inputs, geometry_start};
use super::interface::StageIo;
use super::interface::{Leaf, Output, Slot, leaves};
use super::module::{Entry, Global, Init};
use super::owners::Memory;
use super::pointer::{Pointer, Root};
use super::values::Values;
use super::vertex::{captured_outputs, captured_vertices, vertex_inputs, vertex_outputs, vertex_start};
use super::{memory, mesh, tessellation, variables};
use crate::CompileKey;
use crate::error::CompileError;
use crate::frontend::kit;
use crate::frontend::kit::fragment::{self, FragmentModes};
use crate::ir::build::alu::IntCond;
use crate::ir::function::Access;
use crate::ir::op::IrOp;
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::ir::{Arithmetic, Build};

/// Builds the start of a vertex, geometry or fragment shader, and the variables of its inputs and outputs.
pub(super) fn stage_inputs<'a>(
    io: &mut StageIo<'a>,
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    (entry, key): (&Entry<'a>, &CompileKey),
) -> Result<(), CompileError> {
    match v.kit.stage {
        Stage::Compute => match (entry.geometry, entry.tessellation, entry.mesh) {
            (Some(info), ..) => geometry_start(io, v, info, key)?,
            (None, Some((_, info)), _) => tessellation::control_start(io, v, info)?,
            (None, None, Some(info)) => return mesh::start(io, m, v, info),
            (None, None, None) => return Ok(()),
        },
        Stage::Vertex => match entry.tessellation {
            Some((_, info)) => tessellation::evaluation_start(io, v, info, key)?,
            None => vertex_start(io, m, v)?,
        },
        Stage::Fragment => {
            let modes = FragmentModes {
                sample_shading: asks_for_samples(io, v)?,
                has_loops: v.module.has_loops(),
                reads_addresses: v.module.has_addresses(),
                ..entry.fragment
            };
            fragment::begin(&mut v.kit, modes);
        }
    }
    for (index, global) in v.module.globals.iter().enumerate() {
        if !io.interface.contains(&global.id) {
            continue;
        }
        let in_memory = match entry.tessellation {
            Some((kind, _)) => tessellation::variable(v, global, kind)?,
            None => None,
        };
        let pointer = match global.class {
            StorageClass::Input | StorageClass::Output if in_memory.is_some() => in_memory,
            StorageClass::Input => input(io, m, v, global)?,
            StorageClass::Output => Some(output(io, m, v, global)?),
            _ => None,
        };
        m.globals[index] = pointer.map(|pointer| &*v.bump.alloc(pointer));
    }
    Ok(())
}

/// The variable of an input; `None` if it is not supported.
fn input<'a>(
    io: &mut StageIo<'a>,
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    global: &Global<'a>,
) -> Result<Option<Pointer<'a>>, CompileError> {
    if v.kit.software.tessellation.is_some() {
        let values = tessellation::inputs(v, global)?;
        return input_variable(m, v, global.id, global.ty, values);
    }
    if v.kit.stage == Stage::Compute {
        let values = geometry_inputs(v, global)?;
        return input_variable(m, v, global.id, global.ty, values);
    }
    let leaves = leaves(v.module, global)?;
    let values = match v.kit.stage {
        Stage::Vertex => vertex_inputs(v, &leaves)?,
        _ => fragment_inputs(v, &leaves)?,
    };
    let pointer = input_variable(m, v, global.id, global.ty, values)?;
    if let Some(Root::Variables(first)) = pointer.map(|pointer| pointer.root) {
        io.inputs.push((first, leaves));
    }
    Ok(pointer)
}

/// The variable of an output.
fn output<'a>(
    io: &mut StageIo<'a>,
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    global: &Global<'a>,
) -> Result<Pointer<'a>, CompileError> {
    let pointer = variables::allocate(m, v, global.id, global.ty)?;
    match global.init {
        Some(Init::Constant(init)) => memory::store(v, &pointer, init, Access::empty())?,
        Some(Init::Variable(_)) | None => mark_unwritten(io, v, pointer, global.ty)?,
    }
    let written = io.written.as_ref().map(|written| written.scalars(v.module, global)).transpose()?;
    let all = (0..).zip(leaves(v.module, global)?);
    // A captured vertex takes room in its buffer even where nothing is written.
    let is_captured = |leaf: &Leaf| io.feedback && leaf.captured.is_some();
    let leaves = match written.flatten() {
        Some(kept) => {
            let kept = all.zip(kept).filter(|((_, leaf), kept)| *kept || is_captured(leaf));
            kept.map(|(leaf, _)| leaf).collect()
        }
        None => all.collect(),
    };
    io.outputs.push((pointer, leaves));
    Ok(pointer)
}

/// Whether an input of a fragment shader makes it run per sample.
fn asks_for_samples<'a>(io: &StageIo<'a>, v: &Values<'_, 'a>) -> Result<bool, CompileError> {
    let decorations = &v.module.decorations;
    if !decorations.anywhere(Decoration::Sample)
        && !decorations.any_built_in(&[BuiltIn::SampleId, BuiltIn::SamplePosition])
    {
        return Ok(false);
    }
    for global in v.module.globals.iter().filter(|global| global.class == StorageClass::Input) {
        let of_sample = |leaf: &Leaf| match leaf.slot {
            Slot::BuiltIn { built_in: BuiltIn::SampleId | BuiltIn::SamplePosition, .. } => true,
            _ => leaf.style.sample,
        };
        if io.interface.contains(&global.id) && leaves(v.module, global)?.iter().any(of_sample) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The variable of an input with its values; `None` if one of them is not supported, which is an error only
/// where the input is used.
fn input_variable<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    id: u32,
    ty: super::types::Ty,
    values: Option<Vec<Src>>,
) -> Result<Option<Pointer<'a>>, CompileError> {
    let Some(values) = values else { return Ok(None) };
    let widths = v.types.leaves(ty)?;
    let values: Vec<Src> = values
        .into_iter()
        .zip(widths)
        .map(|(value, bits)| match (v.kit.b.f.width(value), *bits) {
            (width, bits) if width == bits => value,
            (width, 1) => v.kit.b.icmp(IntCond::NE, value, Src::imm(0, width)),
            (_, bits) => v.kit.b.uconv(value, bits),
        })
        .collect();
    let pointer = variables::allocate(m, v, id, ty)?;
    memory::store(v, &pointer, &values, Access::empty())?;
    Ok(Some(pointer))
}

/// Initialises the scalars of a fragment shader's output with a marker by which
/// [`read_output`](Self::read_output) recognises unwritten ones.
fn mark_unwritten<'a>(
    io: &mut StageIo<'a>,
    v: &mut Values<'_, 'a>,
    pointer: Pointer<'a>,
    ty: super::types::Ty,
) -> Result<(), CompileError> {
    let Root::Variables(first) = pointer.root else { return Ok(()) };
    if v.kit.stage != Stage::Fragment {
        return Ok(());
    }
    for (at, bits) in (0..).zip(v.types.leaves(ty)?) {
        let known = io.unwritten.iter().find(|(width, _)| width == bits).map(|(_, src)| *src);
        let src = known.unwrap_or_else(|| {
            let zero = Src::imm(0, *bits);
            let value = Src::value(v.kit.b.value(IrOp::Mov, Type::scalar(*bits), &[zero], &[]));
            io.unwritten.push((*bits, value));
            value
        });
        v.kit.vars.write(&v.kit.b, first.at(at), src);
    }
    Ok(())
}

/// Builds the end of a vertex, geometry or fragment shader.
pub(super) fn stage_outputs<'a>(io: &mut StageIo<'a>, v: &mut Values<'_, 'a>) -> Result<(), CompileError> {
    if v.kit.software.geometry.is_some() {
        return geometry_end(io, v);
    }
    if v.kit.software.mesh.is_some() {
        return kit::mesh::end(&mut v.kit);
    }
    if v.kit.stage == Stage::Compute {
        return Ok(());
    }
    let mut outputs = Vec::new();
    for (pointer, leaves) in &io.outputs {
        read_output(io, v, *pointer, leaves, &mut outputs)?;
    }
    match v.kit.stage {
        Stage::Vertex => {
            for (_, value) in outputs.iter_mut().filter(|(leaf, _)| leaf.style.invariant) {
                *value = v.kit.b.invariant(*value);
            }
            if io.feedback {
                captured_vertices(io, v)?;
                captured_outputs(v, &outputs)?;
            }
            vertex_outputs(v, &outputs)
        }
        _ => fragment_outputs(v, &outputs),
    }
}

/// Reads the written scalars of an output. A scalar that is unwritten on every path is omitted.
fn read_output<'a>(
    io: &StageIo<'a>,
    v: &mut Values<'_, 'a>,
    pointer: Pointer<'a>,
    leaves: &[(u32, Leaf)],
    outputs: &mut Vec<Output>,
) -> Result<(), CompileError> {
    if let Root::Variables(first) = pointer.root {
        for (at, leaf) in leaves {
            let variable = first.at(*at);
            if !v.kit.vars.is_written(variable) {
                continue;
            }
            let value = v.kit.vars.read(&mut v.kit.b, variable);
            if !io.unwritten.iter().any(|(_, unwritten)| *unwritten == value) {
                outputs.push((*leaf, value));
            }
        }
        return Ok(());
    }
    let values = memory::load(v, &pointer, Access::empty())?;
    outputs.extend(leaves.iter().map(|(_, leaf)| *leaf).zip(values.iter().copied()));
    Ok(())
}
