//! The start of a program, before its entry point.

use agx_abi::Stage;
use spirv::StorageClass;

use super::large::{self, Operand};
use super::module::Init;
use super::owners::Memory;
use super::values::Values;
use super::{globals, variables};
use crate::error::CompileError;
use crate::ir::function::Access;

/// Builds the start of the program: zeros of workgroup memory, initial values of private variables, and built-in inputs.
pub(super) fn prologue<'a>(m: &mut Memory<'a>, v: &mut Values<'_, 'a>) -> Result<(), CompileError> {
    // First, while no other variable has a place in workgroup memory.
    globals::zero_workgroup_memory(m, v)?;
    for (index, global) in v.module.globals.iter().enumerate() {
        if m.globals[index].is_some() {
            continue;
        }
        let pointer = match global.class {
            StorageClass::Private => {
                let pointer = variables::allocate(m, v, global.id, global.ty)?;
                if let Some(init) = global.init {
                    let init = match init {
                        Init::Constant(leaves) => Operand::Scalars(leaves),
                        Init::Variable(id) => large::operand(m, v, id)?,
                    };
                    large::store(m, v, &pointer, init, Access::empty())?;
                }
                Some(pointer)
            }
            StorageClass::Input if v.kit.stage == Stage::Compute && !v.types.is_kernel => {
                globals::input(m, v, global)?
            }
            _ => None,
        };
        m.globals[index] = pointer.map(|pointer| &*v.bump.alloc(pointer));
    }
    Ok(())
}
