//! Errors of the SPIR-V front end, by subject.

mod flow;
mod groups;
mod images;
mod kernels;
mod memory;
mod module;
mod stages;
mod types;
mod values;

pub(crate) use flow::FlowError;
pub(crate) use groups::GroupError;
pub(crate) use images::ImageError;
pub(crate) use kernels::KernelError;
pub(crate) use memory::MemoryError;
pub(crate) use module::ModuleError;
pub(crate) use stages::StageError;
pub(crate) use types::TypeError;
pub(crate) use values::ValueError;
