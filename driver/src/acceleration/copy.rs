//! Copies of structures, their serialised form, and their sizes.
//!
//! The serialised form is that of `vkCmdCopyAccelerationStructureToMemoryKHR`: the identifiers of the driver and of the form, three
//! sizes, the addresses of the structures of instances, and the bytes of the structure.

use super::{AccelerationStructure, run_pieces, words};
use crate::Error;
use crate::command::Recorder;
use crate::kernels::Kernel;
use crate::physical::UUID;
use crate::query::QueryPool;

/// The identifier of the serialised form.
pub const SERIAL_FORM: [u8; 16] = *b"agxc structure 1";

/// A size of a structure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// Its bytes.
    Bytes = 0,
    /// Bytes of its serialised form.
    Serialized = 1,
    /// Number of addresses in its serialised form.
    Handles = 2,
}

/// An identifier as words.
fn identifier(bytes: [u8; 16]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Copies a structure, whole or as far as it fits.
///
/// # Errors
/// Out of memory.
pub fn copy(
    recorder: &mut Recorder,
    from: &AccelerationStructure,
    to: &AccelerationStructure,
) -> Result<(), Error> {
    recorder.copy_memory(from.address(), to.address(), from.bytes.min(to.bytes) & !15)
}

/// Writes the serialised form of a structure to an address.
///
/// # Errors
/// Out of memory.
pub fn serialize(recorder: &mut Recorder, from: &AccelerationStructure, to: u64) -> Result<(), Error> {
    run_pieces(recorder, Kernel::StructureSerialize, from.bytes / 4, |start| {
        let mut list = words([from.address(), to]);
        list.extend([identifier(UUID), identifier(SERIAL_FORM)].concat());
        list.push(start);
        list
    })
}

/// Writes a structure from its serialised form at an address.
///
/// # Errors
/// Out of memory.
pub fn deserialize(recorder: &mut Recorder, from: u64, to: &AccelerationStructure) -> Result<(), Error> {
    run_pieces(recorder, Kernel::StructureDeserialize, to.bytes / 4, |start| {
        let mut list = words([from, to.address()]);
        list.push(start);
        list
    })
}

/// Writes a size of a structure as the result of a query.
///
/// # Errors
/// Out of memory.
pub fn measure(
    recorder: &mut Recorder,
    structure: &AccelerationStructure,
    asked: Asked,
    (pool, query): (&QueryPool, u32),
) -> Result<(), Error> {
    let mut list = words([structure.address(), pool.result_address(query)]);
    list.push(asked as u32);
    recorder.run_kernel(Kernel::StructureMeasure, &list, &[], [1, 1, 1])?;
    recorder.finish_queries(pool, query, 1)
}
