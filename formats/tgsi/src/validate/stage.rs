//! The features of each kind of program.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

use crate::error::{Fault, ValidateError};
use crate::model::{Declaration, Instruction, Shader};
use crate::names::{File, MemoryKind, Processor, PropertyName, SemanticName};
use crate::opcode::{Class, Opcode};

/// Maximum number of threads of a workgroup per dimension.
const MAX_WORKGROUP: u32 = 1024;

fn only(shader: &Shader, what: &str, processors: &[Processor]) -> Result<(), Fault> {
    if processors.contains(&shader.processor) {
        return Ok(());
    }
    Err(Fault::Stage { what: what.to_owned(), processor: shader.processor.name() })
}

/// Checks the values of properties.
pub(super) fn properties(shader: &Shader) -> Result<(), ValidateError> {
    for property in &shader.properties {
        let value = property.values.first().copied().unwrap_or(0);
        let (is_allowed, expected) = match property.name {
            PropertyName::FsCoordOrigin => (value < 2, "UPPER_LEFT or LOWER_LEFT"),
            PropertyName::FsCoordPixelCenter => (value < 2, "HALF_INTEGER or INTEGER"),
            PropertyName::FsDepthLayout => (value < 5, "0 to 4"),
            PropertyName::CsFixedBlockWidth
            | PropertyName::CsFixedBlockHeight
            | PropertyName::CsFixedBlockDepth => (value <= MAX_WORKGROUP, "at most 1024"),
            _ => (true, ""),
        };
        if !is_allowed {
            let fault = Fault::Property { property: property.name.name(), value, expected };
            return Err(ValidateError { place: property.place, fault });
        }
    }
    Ok(())
}

/// Checks a declaration.
pub(super) fn declaration(shader: &Shader, declaration: &Declaration) -> Result<(), Fault> {
    use Processor::{Compute, Fragment, Geometry, TessControl, TessEval, Vertex};
    let is_shared = declaration.detail == crate::model::Detail::Memory(MemoryKind::Shared);
    if is_shared {
        only(shader, "shared memory", &[Compute, TessControl])?;
    }
    if matches!(declaration.file, File::Input | File::Output) {
        let name = declaration.file.name();
        only(shader, name, &[Vertex, Fragment, Geometry, TessControl, TessEval])?;
    }
    let Some(semantic) = declaration.semantic else { return Ok(()) };
    let processors: &[Processor] = match semantic.name {
        SemanticName::GridSize
        | SemanticName::BlockId
        | SemanticName::BlockSize
        | SemanticName::ThreadId
        | SemanticName::WorkDim => &[Compute],
        SemanticName::SampleId
        | SemanticName::SamplePosition
        | SemanticName::SampleMask
        | SemanticName::HelperInvocation => &[Fragment],
        SemanticName::TessCoord => &[TessEval],
        _ => return Ok(()),
    };
    only(shader, semantic.name.name(), processors)
}

/// Checks an instruction.
pub(super) fn instruction(shader: &Shader, instruction: &Instruction) -> Result<(), Fault> {
    use Processor::{Compute, Fragment, Geometry, TessControl};
    let opcode = instruction.opcode;
    match opcode.info().class {
        Class::Discard | Class::Interpolate | Class::Framebuffer => only(shader, opcode.name(), &[Fragment])?,
        Class::Derivative => only(shader, opcode.name(), &[Fragment, Compute])?,
        Class::Geometry => only(shader, opcode.name(), &[Geometry])?,
        Class::Barrier if opcode == Opcode::Barrier => only(shader, "BARRIER", &[Compute, TessControl])?,
        _ if opcode == Opcode::ReadHelper => only(shader, "READ_HELPER", &[Fragment])?,
        _ => {}
    }
    target(instruction)
}

/// Checks the texture target of an operation.
fn target(instruction: &Instruction) -> Result<(), Fault> {
    use Opcode::{Tex2, Tg4, Txb, Txb2, Txd, Txf, TxfLz, Txl, Txl2, Txp};
    let opcode = instruction.opcode;
    let Some(texture) = &instruction.texture else { return Ok(()) };
    let target = texture.target;
    if matches!(opcode, Txf | TxfLz) && target.is_cube() {
        return Err(Fault::CubeTexel { opcode: opcode.name(), target: target.name() });
    }
    let is_bad = match opcode {
        Txf | TxfLz => target.is_shadow(),
        Opcode::Tex | Txb | Txl | Txp | Txd | Tex2 | Txb2 | Txl2 | Opcode::Lodq => target.is_multisampled(),
        Tg4 => target.is_multisampled() || target.dimensions() == 1,
        _ => false,
    };
    if is_bad {
        return Err(Fault::Target { opcode: opcode.name(), target: target.name() });
    }
    Ok(())
}
