//! Capabilities: what a module announces to need.

use spirv::{AddressingModel, Capability};

use crate::error::{CompileError, ModuleError};

/// Capabilities that need nothing this front end lacks. What a supported module actually uses is checked instruction by
/// instruction, so a capability that is declared and not used does no harm; only those stand in [`REFUSED`] that change
/// the meaning of the module as a whole.
const REFUSED: &[Capability] = &[Capability::Kernel, Capability::Linkage];

/// Refuses capabilities that change the meaning of a whole module.
pub(super) fn check(number: u32) -> Result<(), CompileError> {
    match Capability::from_u32(number) {
        Some(capability) if REFUSED.contains(&capability) => {
            Err(ModuleError::Capability { capability }.into())
        }
        Some(_) => Ok(()),
        None => Err(ModuleError::UnknownCapability { number }.into()),
    }
}

/// Refuses addressing models of other environments than Vulkan's.
pub(super) fn check_addressing(number: u32) -> Result<(), CompileError> {
    match AddressingModel::from_u32(number) {
        Some(AddressingModel::Logical | AddressingModel::PhysicalStorageBuffer64) => Ok(()),
        Some(model) => Err(ModuleError::Addressing { model }.into()),
        None => Err(ModuleError::UnknownAddressing { number }.into()),
    }
}
