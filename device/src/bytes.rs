//! Reads the memory of an address space: bytes, words, records.

use agx_emulator::{Memory, MemoryFault};

use crate::record::Record;

/// Bytes of a record, read from memory.
pub(crate) fn record(memory: &Memory, address: u64, record: &Record) -> Result<Vec<u8>, MemoryFault> {
    read(memory, address, record.bytes)
}

/// `len` bytes.
pub(crate) fn read(memory: &Memory, address: u64, len: usize) -> Result<Vec<u8>, MemoryFault> {
    memory.saw_read(address, len);
    let mut bytes = vec![0; len];
    memory.fetch(address, &mut bytes)?;
    Ok(bytes)
}

/// A 32-bit word.
pub(crate) fn word(memory: &Memory, address: u64) -> Result<u32, MemoryFault> {
    memory.saw_read(address, 4);
    let mut bytes = [0; 4];
    memory.fetch(address, &mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

/// `N` consecutive words.
pub(crate) fn words<const N: usize>(memory: &Memory, address: u64) -> Result<[u32; N], MemoryFault> {
    let mut words = [0; N];
    for (at, place) in words.iter_mut().enumerate() {
        *place = word(memory, address.wrapping_add(4 * at as u64))?;
    }
    Ok(words)
}
