//! Capabilities that a module declares.

use spirv::{AddressingModel, Capability};

use crate::error::{CompileError, ModuleError};

/// Capabilities that change the meaning of a module as a whole and are not supported. All other capabilities
/// are accepted: a module's actual use of a feature is checked instruction by instruction, so an unused
/// declaration does no harm.
const REFUSED: &[Capability] = &[Capability::DeviceEnqueue, Capability::Pipes];

/// Rejects capabilities that change the meaning of a whole module.
pub(super) fn check(number: u32) -> Result<(), CompileError> {
    match Capability::from_u32(number) {
        Some(capability) if REFUSED.contains(&capability) => {
            Err(ModuleError::Capability { capability }.into())
        }
        Some(_) => Ok(()),
        None => Err(ModuleError::UnknownCapability { number }.into()),
    }
}

/// Whether an addressing model is that of OpenCL's kernels. Rejects those that are not supported.
pub(super) fn is_of_kernels(number: u32) -> Result<bool, CompileError> {
    match AddressingModel::from_u32(number) {
        Some(AddressingModel::Logical | AddressingModel::PhysicalStorageBuffer64) => Ok(false),
        Some(AddressingModel::Physical64) => Ok(true),
        Some(model) => Err(ModuleError::Addressing { model }.into()),
        None => Err(ModuleError::UnknownAddressing { number }.into()),
    }
}
