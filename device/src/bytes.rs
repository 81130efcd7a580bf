//! Reads the memory of an address space: bytes, words, records.

use agx_emulator::{Memory, MemoryFault};

use crate::record::Record;

/// The address `offset` bytes after `base`; the last address if it is beyond, which is never mapped.
pub(crate) fn address(base: u64, offset: u64) -> u64 {
    base.saturating_add(offset)
}

/// The address of a record in an array.
pub(crate) fn element(array: u64, index: u64, record: &Record) -> u64 {
    address(array, index.saturating_mul(record.bytes as u64))
}

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

/// A number of `len` bytes, at most four.
pub(crate) fn number(memory: &Memory, address: u64, len: usize) -> Result<u32, MemoryFault> {
    memory.saw_read(address, len);
    let mut bytes = [0; 4];
    let (low, _) = bytes.split_at_mut(len.min(4));
    memory.fetch(address, low)?;
    Ok(u32::from_le_bytes(bytes))
}

/// A 32-bit word.
pub(crate) fn word(memory: &Memory, address: u64) -> Result<u32, MemoryFault> {
    number(memory, address, 4)
}

/// `N` consecutive words.
pub(crate) fn words<const N: usize>(memory: &Memory, start: u64) -> Result<[u32; N], MemoryFault> {
    let mut words = [0; N];
    for (offset, place) in (0..).step_by(4).zip(&mut words) {
        *place = word(memory, address(start, offset))?;
    }
    Ok(words)
}
