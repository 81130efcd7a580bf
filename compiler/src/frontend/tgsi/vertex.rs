//! Vertex programs: attributes, vertex numbers, outputs by semantic.

use agx_tgsi::{File, PropertyName, SemanticName, Shader};

use super::program::{Inputs, Program};
use super::reads::{Reads, refused};
use super::registers::{Component, Number};
use super::semantics::location;
use crate::error::{CompileError, TgsiError};
use crate::frontend::kit::Kit;
use crate::frontend::kit::vertex::{self, VertexInput, VertexOutput};
use crate::ir::{Arithmetic, Src};

/// Begins a vertex program and reads its attributes.
///
/// # Errors
/// Too many attributes.
pub(super) fn begin(
    kit: &mut Kit<'_, '_>,
    shader: &Shader,
    reads: &Reads,
    inputs: &mut Inputs,
) -> Result<(), CompileError> {
    if shader.property(PropertyName::VsWindowSpacePosition).is_some_and(|value| value != 0) {
        return Err(TgsiError::Feature {
            what: "VS_WINDOW_SPACE_POSITION",
            why: "the hardware divides by w and applies the viewport to every position",
        }
        .into());
    }
    let count = shader.size_of(File::Input);
    let attributes: Vec<(u32, u32)> = (0..count)
        .flat_map(|number| (0..4).map(move |component| (number, component)))
        .filter(|(number, component)| reads.mask(File::Input, *number) & 1 << component != 0)
        .collect();
    vertex::begin(kit, attributes)?;
    for number in 0..count {
        let words = [0, 1, 2, 3].map(|component| vertex::attribute(kit, number, component));
        inputs.insert((File::Input, number), words);
    }
    Ok(())
}

/// A component of a system value.
///
/// # Errors
/// Semantics that vertex programs do not support.
pub(super) fn system_value(
    kit: &mut Kit<'_, '_>,
    name: SemanticName,
    component: u32,
) -> Result<Src, CompileError> {
    let input = match name {
        _ if component != 0 => return Ok(Src::imm32(0)),
        SemanticName::VertexId => VertexInput::VertexIndex,
        SemanticName::InstanceId => VertexInput::InstanceNumber,
        SemanticName::BaseVertex => VertexInput::BaseVertex,
        SemanticName::BaseInstance => VertexInput::BaseInstance,
        SemanticName::DrawId => VertexInput::DrawIndex,
        SemanticName::VertexIdNoBase => {
            let number = vertex::input(kit, VertexInput::VertexIndex);
            let first = vertex::input(kit, VertexInput::BaseVertex);
            return Ok(kit.b.isub(number, first));
        }
        other => return Err(refused(other, "vertex")),
    };
    Ok(vertex::input(kit, input))
}

/// Exports the outputs that the program writes.
///
/// # Errors
/// Outputs that the stage does not support, and more words than slots.
pub(super) fn end(kit: &mut Kit<'_, '_>, program: &Program<'_>) -> Result<(), CompileError> {
    let clip_count = program.shader.property(PropertyName::NumClipdistEnabled);
    let mut outputs = Vec::new();
    let Some(registers) = program.file(File::Output) else { return vertex::end(kit, &outputs) };
    for declaration in program.shader.of_file(File::Output) {
        for (number, index) in (declaration.range.first..=declaration.range.last).zip(0..) {
            let Some(mut semantic) = declaration.semantic else { continue };
            semantic.index = semantic.index.wrapping_add(index);
            for component in 0..4 {
                let is_here = program.shader.declares(declaration, number, component);
                let is_used = is_here && declaration.mask & 1 << component != 0;
                if !is_used || !registers.is_written(kit, number, component) {
                    continue;
                }
                let Some(output) = output(semantic, u32::from(component), clip_count)? else { continue };
                let word = registers.read(kit, Component { number: Number::Fixed(number), component });
                let word = if declaration.is_invariant { kit.b.invariant(word) } else { word };
                outputs.push((output, word));
            }
        }
    }
    vertex::end(kit, &outputs)
}

/// The meaning of an output component; `None` for those without effect.
fn output(
    semantic: agx_tgsi::Semantic,
    component: u32,
    clip_count: Option<u32>,
) -> Result<Option<VertexOutput>, CompileError> {
    let first = |output: VertexOutput| Ok((component == 0).then_some(output));
    match semantic.name {
        SemanticName::Position => Ok(Some(VertexOutput::Position(component))),
        SemanticName::PointSize => first(VertexOutput::PointSize),
        SemanticName::Layer => first(VertexOutput::Layer),
        SemanticName::ViewportIndex => first(VertexOutput::Viewport),
        // Clip distances come first, then cull distances, if a property specifies their number.
        SemanticName::ClipDistance => {
            let index = semantic.index.wrapping_mul(4).wrapping_add(component);
            Ok(Some(match clip_count {
                Some(count) if index >= count => VertexOutput::CullDistance(index.saturating_sub(count)),
                _ => VertexOutput::ClipDistance(index),
            }))
        }
        // The driver handles edge flags, by drawing polygons as lines.
        SemanticName::EdgeFlag => Ok(None),
        name => match location(semantic) {
            Some(location) => Ok(Some(VertexOutput::User { location, component })),
            None => Err(refused(name, "vertex")),
        },
    }
}
