//! Inputs and outputs of vertex shaders, mapped to those of the kit.

use agx_abi::feedback::CapturedOutput;
use agx_abi::vertex::Output as Name;
use spirv::{BuiltIn, StorageClass};

use super::globals;
use super::interface::StageIo;
use super::interface::{Captured, Leaf, Output, Slot, leaves};
use super::interface::{input_value, output_word};
use super::owners::Memory;
use super::values::Values;
use crate::error::{CompileError, StageError};
use crate::frontend::kit::feedback::Vertices;
use crate::frontend::kit::vertex::{self, VertexInput, VertexOutput};
use crate::frontend::kit::{feedback, tessellation};
use crate::ir::Build;
use crate::ir::src::Src;
use crate::ir::types::Type;

/// Built-in inputs.
const INPUTS: &[(BuiltIn, VertexInput)] = &[
    (BuiltIn::VertexIndex, VertexInput::VertexIndex),
    (BuiltIn::InstanceIndex, VertexInput::InstanceIndex),
    (BuiltIn::BaseVertex, VertexInput::BaseVertex),
    (BuiltIn::BaseInstance, VertexInput::BaseInstance),
    (BuiltIn::DrawIndex, VertexInput::DrawIndex),
    (BuiltIn::ViewIndex, VertexInput::ViewIndex),
];

/// Begins a vertex shader: declares the attributes that are read.
pub(super) fn vertex_start<'a>(
    io: &mut StageIo<'a>,
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
) -> Result<(), CompileError> {
    let mut read: Vec<(u32, u32)> = Vec::new();
    for global in v.module.globals.iter().filter(|global| global.class == StorageClass::Input) {
        if io.interface.contains(&global.id) && m.usage.is_read(global.id) {
            let leaves = leaves(v.module, global)?;
            read.extend(leaves.iter().flat_map(Leaf::components).filter_map(|slot| match slot {
                Slot::User { location, component } => Some((location, component)),
                Slot::BuiltIn { .. } => None,
            }));
        }
    }
    vertex::begin(&mut v.kit, read)
}

/// The scalars of an input; `None` if one is not supported.
pub(super) fn vertex_inputs(
    v: &mut Values<'_, '_>,
    leaves: &[Leaf],
) -> Result<Option<Vec<Src>>, CompileError> {
    let mut values = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        let value = match leaf.slot {
            Slot::User { location, component } if leaf.bits == 64 => {
                let words = [0, 1]
                    .map(|word| vertex::attribute(&mut v.kit, location, component.saturating_add(word)));
                match words {
                    [Some(low), Some(high)] => Some(v.kit.b.collect(Type::B64, &[low, high])),
                    _ => None,
                }
            }
            Slot::User { location, component } => vertex::attribute(&mut v.kit, location, component),
            Slot::BuiltIn { built_in, index } => match INPUTS.iter().find(|(known, _)| *known == built_in) {
                Some((_, input)) => Some(vertex::input(&mut v.kit, *input)),
                None => globals::lane_built_in(v, built_in, index),
            },
        };
        let Some(value) = value else { return Ok(None) };
        let Some(value) = input_value(&mut v.kit.b, leaf, value) else { return Ok(None) };
        values.push(value);
    }
    Ok(Some(values))
}

/// Stores the outputs.
pub(super) fn vertex_outputs(v: &mut Values<'_, '_>, outputs: &[Output]) -> Result<(), CompileError> {
    let mut words = output_words(v, outputs)?;
    // The primitives of a tessellated patch have its number.
    words.extend(tessellation::patch_number(&mut v.kit).map(|number| (VertexOutput::PrimitiveId, number)));
    vertex::end(&mut v.kit, &words)
}

/// The outputs as 32-bit words.
pub(super) fn output_words(
    v: &mut Values<'_, '_>,
    outputs: &[Output],
) -> Result<Vec<(VertexOutput, Src)>, CompileError> {
    let mut words: Vec<(VertexOutput, Src)> = Vec::with_capacity(outputs.len());
    for (leaf, value) in outputs {
        // There is only one shading rate, whatever a primitive requests.
        if matches!(leaf.slot, Slot::BuiltIn { built_in: BuiltIn::PrimitiveShadingRateKHR, .. }) {
            continue;
        }
        if leaf.bits == 64 {
            let halves = v.kit.b.split(*value, Type::B32, 2).to_vec();
            for (slot, half) in leaf.components().zip(halves) {
                words.push((place(slot)?, half));
            }
            continue;
        }
        let place = place(leaf.slot)?;
        words.push((place, output_word(&mut v.kit.b, leaf, *value)));
    }
    Ok(words)
}

/// Declares the vertices of the buffers that capture outputs, whether or not the outputs are written.
pub(super) fn captured_vertices(io: &StageIo<'_>, v: &mut Values<'_, '_>) -> Result<(), CompileError> {
    let leaves = io.outputs.iter().flat_map(|(_, leaves)| leaves);
    for (_, leaf) in leaves {
        for (captured, vertices) in captured_words(leaf)? {
            feedback::declare(&mut v.kit, captured, vertices)?;
        }
    }
    Ok(())
}

/// Captures the written outputs, each in its own width.
pub(super) fn captured_outputs(v: &mut Values<'_, '_>, outputs: &[Output]) -> Result<(), CompileError> {
    for (leaf, value) in outputs {
        let captured = captured_words(leaf)?;
        let words = match leaf.bits {
            64 if !captured.is_empty() => v.kit.b.split(*value, Type::B32, 2).to_vec(),
            _ => vec![*value],
        };
        for ((captured, vertices), word) in captured.into_iter().zip(words) {
            feedback::capture(&mut v.kit, captured, vertices, word)?;
        }
    }
    Ok(())
}

/// The captured words of a scalar, each with its vertices: a 64-bit scalar has two.
pub(super) fn captured_words(leaf: &Leaf) -> Result<Vec<(CapturedOutput, Vertices)>, CompileError> {
    let Some(Captured { buffer, stride, offset, stream }) = leaf.captured else { return Ok(Vec::new()) };
    let vertices = Vertices { stride, stream };
    let of = |(slot, offset): (Slot, u32)| {
        let (buffer, bits) = (u8::try_from(buffer).unwrap_or(u8::MAX), leaf.bits.min(32));
        Ok((CapturedOutput { buffer, offset, bits, output: name(place(slot)?) }, vertices))
    };
    leaf.components().zip((offset..).step_by(4)).map(of).collect()
}

/// The name of an output in memory: layer and viewport share a word.
pub(super) fn name(output: VertexOutput) -> Name {
    match output {
        VertexOutput::Viewport => Name::Viewport,
        other => other.stored(),
    }
}

/// The kit's output for a slot.
pub(super) fn place(slot: Slot) -> Result<VertexOutput, CompileError> {
    Ok(match slot {
        Slot::User { location, component } => VertexOutput::User { location, component },
        Slot::BuiltIn { built_in, index } => match built_in {
            BuiltIn::Position => VertexOutput::Position(index),
            BuiltIn::PointSize => VertexOutput::PointSize,
            BuiltIn::ClipDistance => VertexOutput::ClipDistance(index),
            BuiltIn::CullDistance => VertexOutput::CullDistance(index),
            BuiltIn::Layer => VertexOutput::Layer,
            BuiltIn::ViewportIndex => VertexOutput::Viewport,
            BuiltIn::PrimitiveId => VertexOutput::PrimitiveId,
            _ => return Err(StageError::Output { built_in }.into()),
        },
    })
}
