//! The sparse 64-bit address space of the machine: mapped ranges with permissions.
//!
//! Ranges never overlap, and every access must be within one range: an element that straddles two ranges faults. A
//! range either owns its bytes or maps a [`Window`] of words that other threads and programs can access too.

use std::cell::RefCell;

use bitflags::bitflags;
use thiserror::Error;

use crate::exec::plain::{Span, SpanMut};
use crate::lines::Lines;
use crate::touched::Touched;
use crate::window::Window;

bitflags! {
    /// What the program may do with a mapped range.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Access: u8 {
        /// Loads are permitted.
        const READ = 1 << 0;
        /// Stores are permitted.
        const WRITE = 1 << 1;
    }
}

/// The reason why a range cannot be mapped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum MapError {
    /// Part of the range is already mapped.
    #[error("the range at {address:#x} ({bytes} bytes) overlaps the one mapped at {other:#x}")]
    Overlap {
        /// First byte of the refused range.
        address: u64,
        /// Length of the refused range.
        bytes: usize,
        /// First byte of the existing range.
        other: u64,
    },
    /// The range runs past the end of the address space.
    #[error("the range at {address:#x} ({bytes} bytes) runs past the end of the address space")]
    Wraps {
        /// First byte of the refused range.
        address: u64,
        /// Length of the refused range.
        bytes: usize,
    },
}

/// The reason why an access failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum MemoryFault {
    /// No mapped range contains all bytes of the access.
    #[error("{bytes} bytes at {address:#x} are not mapped")]
    Unmapped {
        /// First byte of the access.
        address: u64,
        /// Length of the access.
        bytes: usize,
    },
    /// The range does not permit the access.
    #[error("{bytes} bytes at {address:#x} may not be {verb}", verb = if *write { "written" } else { "read" })]
    NotPermitted {
        /// First byte of the access.
        address: u64,
        /// Length of the access.
        bytes: usize,
        /// Whether the access was a store.
        write: bool,
    },
}

/// The bytes of a range.
#[derive(Clone, Debug)]
enum Storage {
    /// In the range itself.
    Owned(Vec<u8>),
    /// Shared words.
    Shared(Window),
}

#[derive(Clone, Debug)]
struct Range {
    start: u64,
    storage: Storage,
    access: Access,
}

impl Range {
    fn len(&self) -> u64 {
        match &self.storage {
            Storage::Owned(bytes) => bytes.len() as u64,
            Storage::Shared(window) => window.len(),
        }
    }

    /// Offset of an access in the range, if the range contains all of it.
    fn offset(&self, address: u64, len: usize) -> Option<usize> {
        let offset = address.checked_sub(self.start)?;
        (offset.checked_add(len as u64)? <= self.len()).then_some(offset as usize)
    }

    /// The part of the range between two addresses within it.
    fn part(&self, from: u64, to: u64) -> Range {
        let (skip, len) = (from - self.start, to - from);
        let storage = match &self.storage {
            Storage::Owned(bytes) => Storage::Owned(bytes[skip as usize..(skip + len) as usize].to_vec()),
            Storage::Shared(window) => Storage::Shared(window.part(skip, len)),
        };
        Range { start: from, storage, access: self.access }
    }
}

/// Bytes that a copy of `memory` takes.
pub(crate) fn owned_bytes(memory: &Memory) -> usize {
    let owned = |range: &Range| match &range.storage {
        Storage::Owned(bytes) => bytes.len(),
        Storage::Shared(_) => 0,
    };
    memory.ranges.iter().map(owned).sum()
}

/// A sparse 64-bit address space. Little-endian, byte addressed.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Sorted by start; disjoint; none empty.
    ranges: Vec<Range>,
    /// The range of the latest access, which neighbouring lanes usually access too.
    latest: usize,
    /// Accessed bytes since [`Memory::watch`].
    touched: Option<RefCell<Touched>>,
    /// The cache that reads of texels go through, if there is one. It ends neither with a mapping nor with a program.
    pub texels: Option<Box<Lines>>,
}

impl Memory {
    /// Memory without mappings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Maps `bytes` at `address`. Mapping an empty range has no effect.
    pub fn map(&mut self, address: u64, bytes: Vec<u8>, access: Access) -> Result<(), MapError> {
        self.insert(Range { start: address, storage: Storage::Owned(bytes), access })
    }

    /// Maps `window` at `address`. Mapping an empty window has no effect.
    pub fn map_window(&mut self, address: u64, window: Window, access: Access) -> Result<(), MapError> {
        self.insert(Range { start: address, storage: Storage::Shared(window), access })
    }

    fn insert(&mut self, range: Range) -> Result<(), MapError> {
        let (address, bytes) = (range.start, range.len() as usize);
        let Some(last) = range.len().checked_sub(1) else { return Ok(()) };
        let Some(last) = address.checked_add(last) else {
            return Err(MapError::Wraps { address, bytes });
        };
        let at = self.ranges.partition_point(|range| range.start <= last);
        if let Some(before) = at.checked_sub(1).and_then(|before| self.ranges.get(before))
            && before.start + (before.len() - 1) >= address
        {
            return Err(MapError::Overlap { address, bytes, other: before.start });
        }
        self.ranges.insert(at, range);
        Ok(())
    }

    /// Whether a clone shares all bytes: every range is a window, accesses are not recorded, and nothing is cached.
    pub(crate) fn is_shared(&self) -> bool {
        self.touched.is_none()
            && self.texels.is_none()
            && self.ranges.iter().all(|range| matches!(range.storage, Storage::Shared(_)))
    }

    /// Unmaps the range that starts at `address` and returns its bytes; for a window the result is empty.
    pub fn unmap(&mut self, address: u64) -> Option<Vec<u8>> {
        let at = self.ranges.binary_search_by_key(&address, |range| range.start).ok()?;
        match self.ranges.remove(at).storage {
            Storage::Owned(bytes) => Some(bytes),
            Storage::Shared(_) => Some(Vec::new()),
        }
    }

    /// Unmaps everything between two addresses, the last exclusive. Ranges that extend beyond are split.
    pub fn clear(&mut self, from: u64, to: u64) {
        let mut kept = Vec::with_capacity(self.ranges.len() + 1);
        for range in self.ranges.drain(..) {
            let end = range.start + range.len();
            if end <= from || range.start >= to {
                kept.push(range);
                continue;
            }
            if range.start < from {
                kept.push(range.part(range.start, from));
            }
            if end > to {
                kept.push(range.part(to, end));
            }
        }
        self.ranges = kept;
        self.latest = 0;
    }

    /// `len` mapped bytes at `address`, regardless of permissions; `None` if no range owns them all.
    pub fn bytes(&self, address: u64, len: usize) -> Option<&[u8]> {
        if len == 0 {
            return Some(&[]);
        }
        let range = &self.ranges[self.find(address)?];
        let offset = range.offset(address, len)?;
        match &range.storage {
            Storage::Owned(bytes) => Some(&bytes[offset..offset + len]),
            Storage::Shared(_) => None,
        }
    }

    /// `len` mapped bytes at `address`, mutable, regardless of permissions; `None` if no range owns them all.
    pub fn bytes_mut(&mut self, address: u64, len: usize) -> Option<&mut [u8]> {
        if len == 0 {
            return Some(&mut []);
        }
        let at = self.find(address)?;
        let range = &mut self.ranges[at];
        let offset = range.offset(address, len)?;
        match &mut range.storage {
            Storage::Owned(bytes) => Some(&mut bytes[offset..offset + len]),
            Storage::Shared(_) => None,
        }
    }

    /// Copies mapped bytes, regardless of permissions, possibly from several ranges.
    pub fn fetch(&self, mut address: u64, mut into: &mut [u8]) -> Result<(), MemoryFault> {
        while !into.is_empty() {
            let fault = MemoryFault::Unmapped { address, bytes: into.len() };
            let range = self.find(address).and_then(|at| self.ranges.get(at)).ok_or(fault)?;
            let left = (range.start + range.len()).saturating_sub(address);
            let (now, rest) = into.split_at_mut(left.min(into.len() as u64) as usize);
            let offset = range.offset(address, now.len().max(1)).ok_or(fault)?;
            match &range.storage {
                Storage::Owned(bytes) => now.copy_from_slice(&bytes[offset..offset + now.len()]),
                Storage::Shared(window) => window.read(offset, now),
            }
            address = address.wrapping_add(now.len() as u64);
            into = rest;
        }
        Ok(())
    }

    /// From now on records in `touched` the accesses of [`Memory::read`], [`Memory::write`] and programs.
    pub fn watch(&mut self, touched: Touched) {
        self.touched = Some(RefCell::new(touched));
    }

    /// Ends [`Memory::watch`] and returns the recorded accesses; `None` if none were recorded.
    pub fn watched(&mut self) -> Option<Touched> {
        self.touched.take().map(RefCell::into_inner)
    }

    /// Records a read that was not made by a program.
    pub fn saw_read(&self, address: u64, len: usize) {
        self.saw(address, len, false);
    }

    fn saw(&self, address: u64, len: usize, write: bool) {
        if let Some(touched) = &self.touched {
            touched.borrow_mut().add(address, len, write);
        }
    }

    /// Reads memory with the permissions of the program.
    pub fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), MemoryFault> {
        self.saw(address, into.len(), false);
        self.read_unseen(address, into)
    }

    /// The same for an atomic, without recording the access.
    pub(crate) fn read_unseen(&mut self, address: u64, into: &mut [u8]) -> Result<(), MemoryFault> {
        let len = into.len();
        let (range, offset) = self.locate(address, len)?;
        if !range.access.contains(Access::READ) {
            return Err(MemoryFault::NotPermitted { address, bytes: len, write: false });
        }
        match &range.storage {
            Storage::Owned(bytes) => into.copy_from_slice(&bytes[offset..offset + len]),
            Storage::Shared(window) => window.read(offset, into),
        }
        Ok(())
    }

    /// Writes memory with the permissions of the program.
    pub fn write(&mut self, address: u64, from: &[u8]) -> Result<(), MemoryFault> {
        self.saw(address, from.len(), true);
        self.write_unseen(address, from)
    }

    /// The same for an atomic, without recording the access.
    pub(crate) fn write_unseen(&mut self, address: u64, from: &[u8]) -> Result<(), MemoryFault> {
        let len = from.len();
        let (range, offset) = self.locate(address, len)?;
        if !range.access.contains(Access::WRITE) {
            return Err(MemoryFault::NotPermitted { address, bytes: len, write: true });
        }
        match &mut range.storage {
            Storage::Owned(bytes) => bytes[offset..offset + len].copy_from_slice(from),
            Storage::Shared(window) => window.write(offset, from),
        }
        Ok(())
    }

    /// The memory from `address` on, if the program may read it and one range contains all of it. `None` if accesses
    /// are recorded, because a span may contain bytes that no lane accesses.
    pub(crate) fn readable_span(&mut self, address: u64, len: usize) -> Option<Span<'_>> {
        if self.touched.is_some() {
            return None;
        }
        let (range, offset) = self.locate(address, len).ok()?;
        if !range.access.contains(Access::READ) {
            return None;
        }
        Some(match &range.storage {
            Storage::Owned(bytes) => Span::Bytes(&bytes[offset..offset + len]),
            Storage::Shared(window) => Span::Shared(window, offset),
        })
    }

    /// The same for writing.
    pub(crate) fn writable_span(&mut self, address: u64, len: usize) -> Option<SpanMut<'_>> {
        if self.touched.is_some() {
            return None;
        }
        let (range, offset) = self.locate(address, len).ok()?;
        if !range.access.contains(Access::WRITE) {
            return None;
        }
        Some(match &mut range.storage {
            Storage::Owned(bytes) => SpanMut::Bytes(&mut bytes[offset..offset + len]),
            Storage::Shared(window) => SpanMut::Shared(window, offset),
        })
    }

    /// Sets a byte if it is mapped, regardless of permissions.
    pub(crate) fn set_byte(&mut self, address: u64, byte: u8) {
        self.saw(address, 1, true);
        let Ok((range, offset)) = self.locate(address, 1) else { return };
        match &mut range.storage {
            Storage::Owned(bytes) => bytes[offset] = byte,
            Storage::Shared(window) => window.write(offset, &[byte]),
        }
    }

    /// Checks that the program may write these bytes and that one mapping contains them.
    ///
    /// # Errors
    /// The fault that a store would cause.
    pub fn writable(&mut self, address: u64, len: usize) -> Result<(), MemoryFault> {
        let (range, _) = self.locate(address, len)?;
        match range.access.contains(Access::WRITE) {
            true => Ok(()),
            false => Err(MemoryFault::NotPermitted { address, bytes: len, write: true }),
        }
    }

    /// The mapped ranges in address order: first byte, length, permissions.
    pub fn ranges(&self) -> impl Iterator<Item = (u64, usize, Access)> + '_ {
        self.ranges.iter().map(|range| (range.start, range.len() as usize, range.access))
    }

    fn find(&self, address: u64) -> Option<usize> {
        self.ranges.partition_point(|range| range.start <= address).checked_sub(1)
    }

    fn locate(&mut self, address: u64, len: usize) -> Result<(&mut Range, usize), MemoryFault> {
        let unmapped = MemoryFault::Unmapped { address, bytes: len };
        if self.ranges.get(self.latest).and_then(|range| range.offset(address, len)).is_none() {
            self.latest = self.find(address).ok_or(unmapped)?;
        }
        let range = self.ranges.get_mut(self.latest).ok_or(unmapped)?;
        let offset = range.offset(address, len).ok_or(unmapped)?;
        Ok((range, offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped() -> Memory {
        let mut memory = Memory::new();
        memory.map(0x2000, vec![2; 16], Access::READ).expect("free");
        memory.map(0x1000, vec![1; 16], Access::READ | Access::WRITE).expect("free");
        memory
    }

    #[test]
    fn overlap_and_wrap_are_refused() {
        let mut memory = mapped();
        for (address, len) in [(0x1000, 1), (0x100f, 1), (0xfff, 2), (0x0ff0, 0x40), (0x1fff, 0x1000)] {
            let refused = memory.map(address, vec![0; len], Access::READ);
            assert!(matches!(refused, Err(MapError::Overlap { .. })), "{address:#x}");
        }
        let wraps = memory.map(u64::MAX, vec![0; 2], Access::READ);
        assert_eq!(wraps, Err(MapError::Wraps { address: u64::MAX, bytes: 2 }));
        memory.map(u64::MAX, vec![7], Access::READ).expect("the last byte can be mapped");
        memory.map(0x1010, vec![0; 16], Access::READ).expect("neighbours do not overlap");
        assert_eq!(memory.bytes(u64::MAX, 1), Some(&[7][..]));
    }

    #[test]
    fn accesses_stay_in_one_range() {
        let mut memory = mapped();
        let mut word = [0; 4];
        memory.read(0x100c, &mut word).expect("mapped");
        assert_eq!(word, [1; 4]);
        for address in [0, 0xfff, 0x100d, 0x1010, 0x2010, u64::MAX] {
            let fault = memory.read(address, &mut word);
            assert_eq!(fault, Err(MemoryFault::Unmapped { address, bytes: 4 }), "{address:#x}");
        }
    }

    #[test]
    fn clearing_cuts_ranges() {
        let mut memory = mapped();
        memory.clear(0x1004, 0x2008);
        let left: Vec<_> = memory.ranges().map(|(start, len, _)| (start, len)).collect();
        assert_eq!(left, [(0x1000, 4), (0x2008, 8)]);
        let mut word = [0; 4];
        memory.fetch(0x1000, &mut word).expect("mapped");
        assert_eq!(word, [1; 4]);
        assert!(memory.fetch(0x1002, &mut word).is_err(), "half of it is gone");
    }

    #[test]
    fn permissions_hold() {
        let mut memory = mapped();
        memory.write(0x1004, &[9; 4]).expect("writable");
        assert_eq!(memory.bytes(0x1003, 6), Some(&[1, 9, 9, 9, 9, 1][..]));
        let fault = memory.write(0x2000, &[9]);
        assert_eq!(fault, Err(MemoryFault::NotPermitted { address: 0x2000, bytes: 1, write: true }));
        assert_eq!(memory.unmap(0x2000), Some(vec![2; 16]));
        assert_eq!(memory.bytes(0x2000, 1), None);
    }
}
