//! The rules beyond the grammar: declared registers, operands of the right number and kind, balanced blocks,
//! and the features of each kind of program.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

mod operands;
mod stage;

use crate::error::{Fault, ValidateError};
use crate::flow::{Flow, flow};
use crate::model::{Declaration, Detail, Instruction, Shader};
use crate::names::{File, Processor};
use crate::opcode::Opcode;

/// One more than the largest register number, which has 16 bits in the binary form.
const MAX_REGISTERS: u32 = 1 << 16;

/// Maximum number of declared registers, so that a small text cannot use a lot of memory.
const MAX_DECLARED: u64 = 1 << 18;

/// Checks all rules and finds the related instructions.
///
/// # Errors
///
/// The first violation and its place.
pub fn validate(shader: &Shader) -> Result<Flow, ValidateError> {
    declarations(shader)?;
    stage::properties(shader)?;
    for declaration in &shader.declarations {
        let fault = stage::declaration(shader, declaration);
        fault.map_err(|fault| ValidateError { place: declaration.place, fault })?;
    }
    for instruction in &shader.instructions {
        operands::check(shader, instruction)?;
        let fault = stage::instruction(shader, instruction);
        fault.map_err(|fault| ValidateError { place: instruction.place, fault })?;
    }
    let flow = flow(shader)?;
    recursion(shader, &flow)?;
    Ok(flow)
}

fn declarations(shader: &Shader) -> Result<(), ValidateError> {
    let mut total = 0;
    for (number, declaration) in shader.declarations.iter().enumerate() {
        let range = declaration.range;
        if range.last < range.first || range.last >= MAX_REGISTERS {
            let fault = Fault::Range { file: declaration.file.name(), first: range.first, last: range.last };
            return Err(ValidateError { place: declaration.place, fault });
        }
        total = u64::saturating_add(total, declaration.count().into());
        if total > MAX_DECLARED {
            let fault = Fault::Range { file: declaration.file.name(), first: range.first, last: range.last };
            return Err(ValidateError { place: declaration.place, fault });
        }
        twice(declaration, shader.declarations.get(..number).unwrap_or_default())?;
    }
    Ok(())
}

/// Whether an earlier declaration covers the same components of the same register.
fn twice(declaration: &Declaration, earlier: &[Declaration]) -> Result<(), ValidateError> {
    let range = declaration.range;
    let overlaps = |other: &&Declaration| {
        let same = other.file == declaration.file && other.dimension == declaration.dimension;
        let meet = other.range.first <= range.last && range.first <= other.range.last;
        same && meet && other.mask & declaration.mask != 0
    };
    // Dumps declare constants once per use, and inputs and outputs again for some of their components.
    let is_free = |other: &&Declaration| match declaration.file {
        File::Constant | File::HwAtomic => true,
        File::Input | File::Output => {
            let number = other.range.first.max(range.first);
            other.semantic_of(number) == declaration.semantic_of(number)
        }
        _ => false,
    };
    match earlier.iter().filter(overlaps).find(|other| !is_free(other)) {
        None => Ok(()),
        Some(other) => {
            let number = other.range.first.max(range.first);
            let register = format!("{}[{number}]", declaration.file.name());
            Err(ValidateError { place: declaration.place, fault: Fault::Twice { register } })
        }
    }
}

/// Rejects recursive subroutines, because the depth of their calls is unknown.
fn recursion(shader: &Shader, flow: &Flow) -> Result<(), ValidateError> {
    let mut waiting: Vec<u32> = vec![0; shader.instructions.len()];
    let mut calls = Vec::new();
    let mut around = None;
    for (at, instruction) in shader.instructions.iter().enumerate() {
        match instruction.opcode {
            Opcode::Bgnsub => around = Some(at),
            Opcode::Endsub => around = None,
            Opcode::Cal | Opcode::Callnz => calls.extend(flow.partner_of(at).zip(around)),
            _ => {}
        }
    }
    calls.sort_unstable();
    for (_, caller) in &calls {
        if let Some(waiting) = waiting.get_mut(*caller) {
            *waiting = waiting.saturating_add(1);
        }
    }
    // Adds subroutines whose callees all return, until there is no change.
    let subs = shader.instructions.iter().zip(&waiting).enumerate();
    let is_safe = |(at, (found, waiting)): (usize, (&Instruction, &u32))| {
        (found.opcode == Opcode::Bgnsub && *waiting == 0).then_some(at)
    };
    let mut safe: Vec<usize> = subs.filter_map(is_safe).collect();
    while let Some(callee) = safe.pop() {
        let first = calls.partition_point(|(other, _)| *other < callee);
        let callers = calls.iter().skip(first).take_while(|(other, _)| *other == callee);
        for (_, caller) in callers {
            let Some(waiting) = waiting.get_mut(*caller) else { continue };
            *waiting = waiting.saturating_sub(1);
            if *waiting == 0 {
                safe.push(*caller);
            }
        }
    }
    match shader.instructions.iter().zip(&waiting).enumerate().find(|(_, (_, waiting))| **waiting > 0) {
        None => Ok(()),
        Some((sub, (found, _))) => {
            Err(ValidateError { place: found.place, fault: Fault::Recursion { target: sub as u32 } })
        }
    }
}

/// The texture kind of a sampler view, if it is declared.
pub fn view_target(shader: &Shader, view: u32) -> Option<crate::names::Target> {
    match shader.declaration(File::SamplerView, None, view)?.detail {
        Detail::View { target, .. } => Some(target),
        _ => None,
    }
}

/// Whether the processor runs one invocation per vertex, fragment or thread.
pub fn is_compiled_stage(processor: Processor) -> bool {
    matches!(processor, Processor::Vertex | Processor::Fragment | Processor::Compute)
}
