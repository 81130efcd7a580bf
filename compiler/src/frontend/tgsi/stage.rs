//! What comes before and after the instructions: inputs and system values are read, outputs are handed on.

use agx_abi::Stage;
use agx_tgsi::{Class, File, PropertyName, SemanticName, Shader};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::registers::indirect_range;
use super::translate::{Program, Words};
use super::{fragment, vertex};
use crate::CompileKey;
use crate::error::{CompileError, KitError, TgsiError};
use crate::frontend::kit::compute::{ComputeInput, LaneInput};
use crate::frontend::kit::derivatives::Quads;
use crate::frontend::kit::limits::MAX_INVOCATIONS;
use crate::frontend::kit::{Kit, compute};
use crate::ir::Src;

/// Inputs and system values, by file and number.
pub(super) type Inputs = HashMap<(File, u32), Words, FxBuildHasher>;

/// The value of an option of the language.
pub(super) fn option(key: &CompileKey, name: &str) -> Option<u64> {
    key.options.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
}

/// Begins the stage and reads what instructions read.
///
/// # Errors
/// Semantics that the stage cannot have.
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
                words[component as usize] = Some(system_value(kit, shader, name, component)?);
            }
            inputs.insert((File::SystemValue, number), words);
        }
    }
    Ok(inputs)
}

/// Hands on the outputs.
///
/// # Errors
/// Outputs that the stage cannot have.
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
        // Masks have 64 bits, of which a subgroup uses 32.
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

/// A semantic that a stage cannot have.
pub(super) fn refused(name: SemanticName, stage: &str) -> CompileError {
    CompileError::from(TgsiError::Semantic { name: name.name().to_string(), stage: stage.to_owned() })
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

/// Which components of inputs and system values a program reads.
pub(super) struct Reads {
    masks: HashMap<(File, u32), u8, FxBuildHasher>,
    /// Registers of a file that computed addresses may reach.
    indirect: [Option<(u32, u32)>; 2],
}

const READ_FILES: [File; 2] = [File::Input, File::SystemValue];

impl Reads {
    fn new(shader: &Shader) -> Reads {
        let mut masks: HashMap<(File, u32), u8, FxBuildHasher> = HashMap::default();
        let mut note = |file: File, number: i32, swizzle: &[u8]| {
            let Ok(number) = u32::try_from(number) else { return };
            let mask = swizzle.iter().fold(0, |mask, component| mask | 1 << (component & 3));
            *masks.entry((file, number)).or_insert(0) |= mask;
        };
        for instruction in &shader.instructions {
            for src in &instruction.srcs {
                note(src.file, src.index.offset, &src.swizzle);
                for indirect in [Some(src.index), src.dimension].into_iter().flatten() {
                    if let Some(indirect) = indirect.indirect {
                        note(indirect.file, indirect.index, &[indirect.component]);
                    }
                }
            }
            for indirect in instruction.dsts.iter().filter_map(|dst| dst.index.indirect) {
                note(indirect.file, indirect.index, &[indirect.component]);
            }
            for offset in instruction.texture.iter().flat_map(|texture| &texture.offsets) {
                note(offset.file, offset.index, &offset.swizzle);
            }
        }
        Reads { masks, indirect: READ_FILES.map(|file| indirect_range(shader, file)) }
    }

    /// The components of a register that may be read.
    pub fn mask(&self, file: File, number: u32) -> u8 {
        let at = READ_FILES.iter().position(|known| *known == file);
        let range = at.and_then(|at| self.indirect[at]);
        if range.is_some_and(|(first, last)| (first..=last).contains(&number)) {
            return 0xf;
        }
        self.masks.get(&(file, number)).copied().unwrap_or(0)
    }
}
