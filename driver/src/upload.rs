//! Memory that command buffers fill while they are recorded.

use std::sync::{Arc, Mutex};

use agx_abi::streams::{LINKED_BYTES, READ_AHEAD_BYTES};

use crate::Error;
use crate::gpu::PAGE;
use crate::memory::{Allocation, Piece, Place, Space, lock};
use crate::results_memory::SharedMemory;
use crate::sampler_heap::SamplerHeap;

/// Bytes of a chunk.
const CHUNK: u64 = 4 * PAGE;

/// Free chunks, returned by command buffers.
pub struct Chunks {
    space: Arc<Space>,
    /// The heap of samplers.
    pub samplers: SamplerHeap,
    /// Memory for the results of large draws before their passes.
    pub results: SharedMemory,
    /// The update of the rasteriser's state with which draw streams begin.
    initial: Piece,
    free: Mutex<Vec<Arc<Allocation>>>,
}

impl Chunks {
    /// No chunks yet.
    pub fn new(space: Arc<Space>, samplers: SamplerHeap, initial: Piece) -> Chunks {
        let results = SharedMemory::new(space.clone());
        Chunks { space, samplers, results, initial, free: Mutex::new(Vec::new()) }
    }

    fn take(&self, bytes: u64) -> Result<Arc<Allocation>, Error> {
        let known = if bytes <= CHUNK { lock(&self.free).pop() } else { None };
        match known {
            Some(chunk) => Ok(chunk),
            None => Ok(Arc::new(self.space.allocate(bytes.max(CHUNK), Place::Low)?)),
        }
    }

    fn give(&self, chunks: impl Iterator<Item = Arc<Allocation>>) {
        lock(&self.free).extend(chunks.filter(|chunk| chunk.bytes == CHUNK));
    }
}

/// Memory that is allocated linearly.
pub struct Upload {
    chunks: Arc<Chunks>,
    used: Vec<Arc<Allocation>>,
    /// First unused byte of the last chunk, and its length.
    next: u64,
    end: u64,
    /// Memory that only programs of the device access.
    reserved: Vec<Allocation>,
    /// Addresses in the words of a program: a list that is empty between launches, but keeps its memory.
    pub(crate) addresses: Vec<u64>,
}

impl Upload {
    /// No memory yet.
    pub fn new(chunks: Arc<Chunks>) -> Upload {
        let (used, reserved, addresses) = Default::default();
        Upload { chunks, used, next: 0, end: 0, reserved, addresses }
    }

    /// Address and bytes of the update of the rasteriser's state with which draw streams begin.
    pub(crate) fn initial_update(&self) -> (u64, u64) {
        (self.chunks.initial.address, self.chunks.initial.bytes)
    }

    /// Number of chunks in use.
    #[cfg(test)]
    pub(crate) fn chunks(&self) -> usize {
        self.used.len()
    }

    /// Allocates `bytes` bytes at a multiple of `alignment`, a power of two: the chunk, and the offset in it.
    ///
    /// # Errors
    /// Out of memory.
    #[inline(always)]
    fn room(&mut self, bytes: u64, alignment: u64) -> Result<(&Arc<Allocation>, u64), Error> {
        let mut at = (self.next + alignment - 1) & !(alignment - 1);
        if at + bytes > self.end {
            self.grow(bytes)?;
            at = 0;
        }
        self.next = at + bytes;
        match self.used.last() {
            Some(chunk) => Ok((chunk, at)),
            None => Err(Error::DeviceMemory { bytes }),
        }
    }

    /// Continues in another chunk.
    #[cold]
    fn grow(&mut self, bytes: u64) -> Result<(), Error> {
        let chunk = self.chunks.take(bytes)?;
        self.end = chunk.bytes;
        self.used.push(chunk);
        Ok(())
    }

    /// The words that were put into the first chunk, with its address; `None` if there are others, or nothing was put.
    pub(crate) fn contents(&self) -> Option<(u64, Vec<u32>)> {
        let [chunk] = &self.used[..] else { return None };
        let mut bytes = vec![0; self.next.next_multiple_of(4) as usize];
        chunk.read(0, &mut bytes);
        Some((chunk.address, bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()))
    }

    /// Room for a part of a control stream, with mapped memory after it: address, chunk, and offset in the chunk.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn part(&mut self, bytes: u64) -> Result<(u64, Arc<Allocation>, u64), Error> {
        let (chunk, at) = self.room(bytes + READ_AHEAD, 64)?;
        let room = (chunk.address + at, chunk.clone(), at);
        // Only the mapping matters: other data may be there.
        self.next -= READ_AHEAD;
        Ok(room)
    }

    /// Room for words at a multiple of `alignment`: the memory, and the offset in it.
    ///
    /// # Errors
    /// Out of memory.
    #[inline]
    pub fn words(&mut self, count: usize, alignment: u64) -> Result<(&Arc<Allocation>, u64), Error> {
        self.room(4 * count as u64, alignment)
    }

    /// Stores bytes at a multiple of `alignment`; returns their address.
    ///
    /// # Errors
    /// Out of memory.
    #[inline]
    pub fn put(&mut self, bytes: &[u8], alignment: u64) -> Result<u64, Error> {
        let (chunk, at) = self.room(bytes.len() as u64, alignment)?;
        chunk.write(at, bytes);
        Ok(chunk.address + at)
    }

    /// Memory of this number of bytes, for as long as the commands exist.
    ///
    /// # Errors
    /// Out of memory.
    pub fn piece(&mut self, bytes: u64) -> Result<Piece, Error> {
        let (chunk, at) = self.room(bytes, 16)?;
        Ok(Piece::within(chunk.clone(), at, bytes))
    }

    /// As [`Upload::put`], for words.
    ///
    /// # Errors
    /// Out of memory.
    #[inline]
    pub fn put_words(&mut self, words: &[u32], alignment: u64) -> Result<u64, Error> {
        let (chunk, at) = self.room(4 * words.len() as u64, alignment)?;
        chunk.write_words(at, words);
        Ok(chunk.address + at)
    }

    /// Address of `bytes` bytes for results of programs.
    ///
    /// # Errors
    /// Out of memory.
    pub fn reserve(&mut self, bytes: u64) -> Result<u64, Error> {
        let memory = self.chunks.space.allocate(bytes, Place::High)?;
        let address = memory.address;
        self.reserved.push(memory);
        Ok(address)
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        self.chunks.give(self.used.drain(..));
    }
}

/// A control stream that is written in linked parts.
pub struct Stream {
    /// Start address of the stream.
    pub start: u64,
    is_linked: bool,
    chunk: Arc<Allocation>,
    first: u64,
    at: u64,
    end: u64,
    link: fn(u64) -> [u8; LINK as usize],
}

/// Bytes of a part of a stream.
const PART: u64 = 4096;
/// Bytes of mapped memory after a part.
const READ_AHEAD: u64 = READ_AHEAD_BYTES as u64;
/// Bytes of a link.
const LINK: u64 = 8;

impl Stream {
    /// An empty stream; `link` encodes the link to the part at an address.
    ///
    /// # Errors
    /// Out of memory.
    pub fn new(upload: &mut Upload, link: fn(u64) -> [u8; LINK as usize]) -> Result<Stream, Error> {
        let (start, chunk, first) = upload.part(PART)?;
        Ok(Stream { start, is_linked: false, chunk, first, at: 0, end: PART - LINK, link })
    }

    /// Writes records that must be contiguous.
    ///
    /// # Errors
    /// Out of memory.
    #[inline(always)]
    pub fn push(&mut self, upload: &mut Upload, records: &[u32]) -> Result<(), Error> {
        let bytes = 4 * records.len() as u64;
        if self.at + bytes > self.end {
            self.link(upload, bytes)?;
        }
        self.chunk.write_words(self.first + self.at, records);
        self.at += bytes;
        Ok(())
    }

    /// Continues in a part with room for this number of bytes.
    #[cold]
    fn link(&mut self, upload: &mut Upload, bytes: u64) -> Result<(), Error> {
        let (start, chunk, first) = upload.part(PART.max(bytes + LINK))?;
        self.is_linked = true;
        self.chunk.write(self.first + self.at, &(self.link)(start));
        let end = PART.max(bytes + LINK) - LINK;
        (self.chunk, self.first, self.at, self.end) = (chunk, first, 0, end);
        Ok(())
    }

    /// The address of the next record.
    pub(crate) fn place(&self) -> u64 {
        self.chunk.address + self.first + self.at
    }

    /// Continues at a link in memory, which may lead back.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn jump(&mut self, upload: &mut Upload, target: u64) -> Result<(), Error> {
        let [a, b, c, d, e, f, g, h] = (self.link)(target);
        self.call(upload, [u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])])
    }

    /// Writes a record that continues elsewhere, from where records return.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn call(&mut self, upload: &mut Upload, record: [u32; 2]) -> Result<(), Error> {
        self.push(upload, &record)?;
        self.is_linked = true;
        Ok(())
    }

    /// The end of the stream, as commands have it.
    pub fn end(&self) -> u64 {
        self.start + if self.is_linked { LINKED_BYTES } else { self.at }
    }
}
