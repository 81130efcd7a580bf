//! Operands: their number, their files, whether their registers are declared, their modifiers.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

use crate::error::{Fault, ValidateError};
use crate::model::{Dst, Index, Indirect, Instruction, Place, Saturate, Shader, Src};
use crate::names::File;
use crate::opcode::{Class, Opcode, Type};

/// Checks an instruction's operands.
pub(super) fn check(shader: &Shader, instruction: &Instruction) -> Result<(), ValidateError> {
    let at = |place: Place| move |fault: Fault| ValidateError { place, fault };
    counts(instruction).map_err(at(instruction.place))?;
    for dst in &instruction.dsts {
        destination(shader, instruction.opcode, dst).map_err(at(dst.place))?;
    }
    for (number, src) in instruction.srcs.iter().enumerate() {
        source(shader, instruction, number, src).map_err(at(src.place))?;
    }
    for offset in instruction.texture.iter().flat_map(|texture| &texture.offsets) {
        let index = Index::fixed(offset.index);
        declared(shader, offset.file, None, index).map_err(at(instruction.place))?;
    }
    if let Some(predicate) = instruction.predicate {
        let index = Index::fixed(predicate.index.min(i32::MAX as u32) as i32);
        declared(shader, File::Predicate, None, index).map_err(at(instruction.place))?;
    }
    let opcode = instruction.opcode;
    let is_float = opcode.can_saturate() || opcode.info().gives == Type::Double;
    if instruction.saturate != Saturate::No && !is_float {
        let fault = Fault::Modifier { what: "_SAT", opcode: opcode.name(), where_: "result" };
        return Err(at(instruction.place)(fault));
    }
    Ok(())
}

fn counts(instruction: &Instruction) -> Result<(), Fault> {
    let info = instruction.opcode.info();
    let count = |what, expected: u8, found: usize| {
        let expected = usize::from(expected);
        let is_short =
            matches!(instruction.opcode, Opcode::Emit | Opcode::Endprim | Opcode::Tg4 | Opcode::SampleInfo)
                && found.checked_add(1) == Some(expected);
        if found == expected || (is_short && what == "sources") {
            return Ok(());
        }
        Err(Fault::Count { opcode: info.name, what, expected, found })
    };
    count("destinations", info.dsts, instruction.dsts.len())?;
    count("sources", info.srcs, instruction.srcs.len())
}

fn destination(shader: &Shader, opcode: Opcode, dst: &Dst) -> Result<(), Fault> {
    let (is_allowed, expected) = match opcode.info().class {
        Class::Store => (
            matches!(dst.file, File::Buffer | File::Image | File::Memory | File::Resource),
            "BUFFER, IMAGE or MEMORY",
        ),
        _ => (
            matches!(
                dst.file,
                File::Null
                    | File::Output
                    | File::Temporary
                    | File::Address
                    | File::Predicate
                    | File::HalfTemporary
                    | File::TemporaryArray
            ),
            "OUT, TEMP, ADDR or PRED",
        ),
    };
    if !is_allowed {
        let (opcode, file) = (opcode.name(), dst.file.name());
        return Err(Fault::File { opcode, action: "write", file, expected });
    }
    declared(shader, dst.file, dst.dimension, dst.index)
}

fn source(shader: &Shader, instruction: &Instruction, number: usize, src: &Src) -> Result<(), Fault> {
    let opcode = instruction.opcode;
    let (is_allowed, expected) = source_files(instruction, number, src.file);
    if !is_allowed {
        return Err(Fault::File { opcode: opcode.name(), action: "read", file: src.file.name(), expected });
    }
    let is_integer =
        matches!(opcode.info().takes, Type::Signed | Type::Unsigned | Type::Signed64 | Type::Unsigned64);
    if src.absolute && is_integer {
        return Err(Fault::Modifier { what: "|…|", opcode: opcode.name(), where_: "source" });
    }
    declared(shader, src.file, src.dimension, src.index)
}

/// Whether `file` is allowed for a source, and the name of the allowed files.
fn source_files(instruction: &Instruction, number: usize, file: File) -> (bool, &'static str) {
    let is_value = !matches!(
        file,
        File::Sampler
            | File::SamplerView
            | File::Image
            | File::Buffer
            | File::Memory
            | File::HwAtomic
            | File::Resource
    );
    let last = instruction.srcs.len().saturating_sub(1);
    let opcode = instruction.opcode;
    match opcode.info().class {
        // A sampler, or a value with its handle.
        Class::Texture if number == last => (is_value || file == File::Sampler, "SAMP"),
        Class::View if opcode == Opcode::SamplePos || opcode == Opcode::SampleInfo => match number {
            0 => (true, "SVIEW or a value"),
            _ => (is_value, "a value"),
        },
        Class::View if number == 1 => {
            (matches!(file, File::SamplerView | File::Resource | File::Sampler), "SVIEW")
        }
        Class::View if number == 2 && opcode != Opcode::SampleIMs => (file == File::Sampler, "SAMP"),
        Class::Load | Class::Atomic if number == 0 => {
            // Some drivers allow loads from constant buffers.
            let is_constant = opcode == Opcode::Load && matches!(file, File::ConstantBuffer | File::Constant);
            (!is_value || is_constant, "BUFFER, IMAGE, MEMORY or HWATOMIC")
        }
        Class::Query => (!is_value, "BUFFER or IMAGE"),
        Class::Handle => (matches!(file, File::Image | File::Sampler), "IMAGE or SAMP"),
        Class::Interpolate if number == 0 => (file == File::Input, "IN"),
        Class::Framebuffer => (file == File::Output, "OUT"),
        _ => (is_value, "a value"),
    }
}

/// Checks that the registers that an operand may access are declared.
fn declared(shader: &Shader, file: File, dimension: Option<Index>, index: Index) -> Result<(), Fault> {
    for indirect in [Some(index), dimension].into_iter().flatten().filter_map(|index| index.indirect) {
        address(shader, indirect)?;
    }
    let is_bare =
        file == File::Null || (is_resource(file) && (index.indirect.is_some() || dimension.is_some()));
    if is_bare {
        return Ok(());
    }
    let undeclared = || {
        let dimension = dimension.map_or(String::new(), |index| format!("[{}]", describe(index)));
        Fault::Undeclared { register: format!("{}{dimension}[{}]", file.name(), describe(index)) }
    };
    if file == File::Immediate {
        let is_there = usize::try_from(index.offset).is_ok_and(|at| at < shader.immediates.len());
        let is_any = index.indirect.is_some() && !shader.immediates.is_empty();
        return if is_there || is_any { Ok(()) } else { Err(undeclared()) };
    }
    let covers = |declaration: &&crate::model::Declaration| {
        let in_range = |at: i32| {
            u32::try_from(at).is_ok_and(|at| (declaration.range.first..=declaration.range.last).contains(&at))
        };
        let dimension_fits = match (dimension, declaration.dimension) {
            _ if declaration.per_vertex => true,
            (Some(Index { indirect: Some(_), .. }), _) => true,
            (Some(index), declared) => i64::from(index.offset) == i64::from(declared.unwrap_or(0)),
            (None, declared) => declared.unwrap_or(0) == 0,
        };
        dimension_fits && (index.indirect.is_some() || in_range(index.offset))
    };
    let is_only_memory = || {
        let number = u32::try_from(index.offset).ok().filter(|_| file == File::Memory);
        number.and_then(|number| shader.memory(number)).is_some()
    };
    match shader.of_file(file).any(|declaration| covers(&declaration)) || is_only_memory() {
        true => Ok(()),
        false => Err(undeclared()),
    }
}

/// Whether a handle in a register, or a two-dimensional form, may denote a register of this file.
fn is_resource(file: File) -> bool {
    matches!(file, File::Image | File::Sampler | File::Buffer | File::HwAtomic)
}

/// Checks an address register.
fn address(shader: &Shader, indirect: Indirect) -> Result<(), Fault> {
    let is_allowed = matches!(
        indirect.file,
        File::Address
            | File::Temporary
            | File::HalfTemporary
            | File::Constant
            | File::Immediate
            | File::Input
            | File::SystemValue
    );
    if !is_allowed {
        let (file, expected) = (indirect.file.name(), "ADDR or TEMP");
        return Err(Fault::File { opcode: "an address", action: "use", file, expected });
    }
    declared(shader, indirect.file, None, Index::fixed(indirect.index))
}

fn describe(index: Index) -> String {
    match index.indirect {
        None => index.offset.to_string(),
        Some(indirect) => format!("{}[{}]{:+}", indirect.file.name(), indirect.index, index.offset),
    }
}
