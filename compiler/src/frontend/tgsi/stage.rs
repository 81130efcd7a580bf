//! The start and end of a stage: reads inputs and system values, exports outputs.

use agx_abi::Stage;
use agx_tgsi::{Class, File, PropertyName, SemanticName, Shader};

use super::program::{Inputs, Program, option};
use super::reads::{Reads, refused};
use super::{fragment, vertex};
use crate::CompileKey;
use crate::error::{CompileError, KitError};
use crate::frontend::four;
use crate::frontend::kit::compute::{ComputeInput, LaneInput};
use crate::frontend::kit::derivatives::Quads;
use crate::frontend::kit::limits::MAX_INVOCATIONS;
use crate::frontend::kit::{Kit, compute};
use crate::ir::Src;

/// Begins the stage and reads the inputs that instructions use.
///
/// # Errors
/// Semantics that the stage does not support.
pub(super) fn begin(
    kit: &mut Kit<'_, '_>,
    shader: &Shader,
    key: &CompileKey,
) -> Result<Inputs, CompileError> {
    let reads = Reads::new(shader);
    let mut inputs = Inputs::default();
    match kit.stage {
        Stage::Vertex => vertex::begin(kit, shader, &reads, &mut inputs)?,
        Stage::Fragment => fragment::begin(kit, shader, key, &reads, &mut inputs)?,
        Stage::Compute => workgroup(kit, shader, key)?,
    }
    for declaration in shader.of_file(File::SystemValue) {
        let semantic = declaration.semantic.map(|semantic| semantic.name);
        for number in declaration.range.first..=declaration.range.last {
            let mask = reads.mask(File::SystemValue, number);
            let mut words = [None; 4];
            for component in (0..4).filter(|component| mask & 1 << component != 0) {
                let Some(name) = semantic else { continue };
                let word = system_value(kit, shader, name, component)?;
                four::set(&mut words, component as usize, Some(word));
            }
            inputs.insert((File::SystemValue, number), words);
        }
    }
    Ok(inputs)
}

/// Exports the outputs.
///
/// # Errors
/// Outputs that the stage does not support.
pub(super) fn end(kit: &mut Kit<'_, '_>, program: &Program<'_>) -> Result<(), CompileError> {
    match kit.stage {
        Stage::Vertex => vertex::end(kit, program),
        Stage::Fragment => fragment::end(kit, program),
        Stage::Compute => Ok(()),
    }
}

/// The size of the workgroup.
fn workgroup(kit: &mut Kit<'_, '_>, shader: &Shader, key: &CompileKey) -> Result<(), CompileError> {
    let size = |property, name| match shader.property(property) {
        Some(size @ 1..) => size,
        _ => option(key, name).map_or(1, |size| u32::try_from(size).unwrap_or(u32::MAX)).max(1),
    };
    let size = [
        size(PropertyName::CsFixedBlockWidth, "block_width"),
        size(PropertyName::CsFixedBlockHeight, "block_height"),
        size(PropertyName::CsFixedBlockDepth, "block_depth"),
    ];
    let threads = size.iter().fold(1u64, |product, size| product.saturating_mul(u64::from(*size)));
    if threads > MAX_INVOCATIONS {
        return Err(KitError::LargeWorkgroup { threads, most: MAX_INVOCATIONS }.into());
    }
    kit.compute.workgroup_size = size;
    let derives = |instruction: &agx_tgsi::Instruction| instruction.opcode.info().class == Class::Derivative;
    if shader.instructions.iter().any(derives) {
        kit.compute.quads = Some(Quads::Linear);
    }
    Ok(())
}

/// A component of a system value, 32 bits.
fn system_value(
    kit: &mut Kit<'_, '_>,
    shader: &Shader,
    name: SemanticName,
    component: u32,
) -> Result<Src, CompileError> {
    if let Some(lane) = lane_value(name) {
        // Masks have 64 bits, of which 32 are significant for a subgroup.
        return Ok(if component == 0 { compute::lane_input(kit, lane) } else { Src::imm32(0) });
    }
    match kit.stage {
        Stage::Vertex => vertex::system_value(kit, name, component),
        Stage::Fragment => fragment::system_value(kit, shader, name, component),
        Stage::Compute => {
            let axis = component.min(2);
            let input = match name {
                SemanticName::GridSize => ComputeInput::WorkgroupCount(axis),
                SemanticName::BlockId => ComputeInput::WorkgroupId(axis),
                SemanticName::BlockSize => ComputeInput::WorkgroupSize(axis),
                SemanticName::ThreadId => ComputeInput::LocalInvocationId(axis),
                SemanticName::WorkDim => return Ok(Src::imm32(3)),
                other => return Err(refused(other, "compute")),
            };
            Ok(if component == 3 { Src::imm32(0) } else { compute::input(kit, input) })
        }
    }
}

fn lane_value(name: SemanticName) -> Option<LaneInput> {
    Some(match name {
        SemanticName::SubgroupSize => LaneInput::Count,
        SemanticName::SubgroupInvocation => LaneInput::Index,
        SemanticName::SubgroupEqMask => LaneInput::EqMask,
        SemanticName::SubgroupGeMask => LaneInput::GeMask,
        SemanticName::SubgroupGtMask => LaneInput::GtMask,
        SemanticName::SubgroupLeMask => LaneInput::LeMask,
        SemanticName::SubgroupLtMask => LaneInput::LtMask,
        _ => return None,
    })
}
