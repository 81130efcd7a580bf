//! Memory of the device: buffers of the kernel at addresses, and parts of them.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agx_device::words::{Window, Words};

use crate::Error;
use crate::gpu::{CHOSEN, Gpu, GpuBuffer, HIGH, LOW, PAGE};
use crate::ranges::Ranges;

/// Locks a mutex. The data is consistent even if a thread panicked while it held the lock.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    #[cfg(test)]
    LOCKED.set(LOCKED.get() + 1);
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
thread_local! {
    /// Number of locks that this thread has taken.
    static LOCKED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Number of locks that this thread has taken.
#[cfg(test)]
pub(crate) fn locked() -> usize {
    LOCKED.get()
}

/// The address range of an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Addresses that streams can encode in 32 bits.
    Low,
    /// All other addresses.
    High,
    /// Addresses that applications may choose.
    Chosen,
}

/// The address space of a device, and its kernel.
pub struct Space {
    gpu: Box<dyn Gpu>,
    low: Mutex<Ranges>,
    high: Mutex<Ranges>,
    chosen: Mutex<Ranges>,
    /// The page that sparse resources show where they have no memory.
    unbound: Mutex<Option<GpuBuffer>>,
}

impl Space {
    /// An empty address space.
    pub fn new(gpu: Box<dyn Gpu>) -> Space {
        let [low, high, chosen] = [LOW, HIGH, CHOSEN].map(|range| Mutex::new(Ranges::new(range)));
        Space { gpu, low, high, chosen, unbound: Mutex::new(None) }
    }

    /// The kernel.
    pub fn gpu(&self) -> &dyn Gpu {
        &*self.gpu
    }

    fn ranges(&self, place: Place) -> MutexGuard<'_, Ranges> {
        match place {
            Place::Low => lock(&self.low),
            Place::High => lock(&self.high),
            Place::Chosen => lock(&self.chosen),
        }
    }

    /// Takes `bytes` bytes of addresses, a multiple of a page, and an unmapped page after them.
    ///
    /// # Errors
    /// Out of addresses.
    pub(crate) fn take(&self, bytes: u64, place: Place) -> Result<u64, Error> {
        self.ranges(place).take(bytes + PAGE, PAGE).ok_or(Error::DeviceMemory { bytes })
    }

    /// Gives back what [`Space::take`] took.
    pub(crate) fn give(&self, address: u64, bytes: u64, place: Place) {
        self.ranges(place).give(address, bytes + PAGE);
    }

    /// The buffer of the page that sparse resources show where they have no memory.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn unbound_page(&self) -> Result<u32, Error> {
        let mut page = lock(&self.unbound);
        if let Some(page) = &*page {
            return Ok(page.handle);
        }
        Ok(page.insert(self.gpu().create_buffer(PAGE)?).handle)
    }

    /// Allocates at least `bytes` bytes of zeroed memory, followed by an unmapped page.
    ///
    /// # Errors
    /// Out of memory or addresses.
    pub fn allocate(self: &Arc<Space>, bytes: u64, place: Place) -> Result<Allocation, Error> {
        let bytes = rounded(bytes)?;
        let address = self.take(bytes, place)?;
        self.fill((place, address, bytes), || self.gpu().create_buffer(bytes))
    }

    /// As [`Space::allocate`], at an address of [`Place::Chosen`].
    ///
    /// # Errors
    /// Out of memory, or [`Error::Address`]: the address is not available.
    pub fn allocate_at(self: &Arc<Space>, bytes: u64, address: u64) -> Result<Allocation, Error> {
        let bytes = rounded(bytes)?;
        let taken =
            address.is_multiple_of(PAGE).then(|| self.ranges(Place::Chosen).take_at(address, bytes + PAGE));
        taken.flatten().ok_or(Error::Address { address })?;
        self.fill((Place::Chosen, address, bytes), || self.gpu().create_buffer(bytes))
    }

    /// The memory of a descriptor, of at least `bytes` bytes.
    ///
    /// # Errors
    /// Out of addresses, or [`Error::ExternalHandle`]: the descriptor is not that of such memory.
    pub fn import(self: &Arc<Space>, file: BorrowedFd<'_>, bytes: u64) -> Result<Allocation, Error> {
        let (buffer, all) = self.gpu().import_buffer(file)?;
        let taken = match bytes <= all {
            true => self.take(all, Place::High),
            false => Err(Error::ExternalHandle),
        };
        let address = taken.inspect_err(|_| self.gpu().close_buffer(buffer.handle))?;
        self.fill((Place::High, address, all), || Ok(buffer))
    }

    /// Binds a buffer at addresses that were taken, and gives them back if that fails.
    fn fill(
        self: &Arc<Space>,
        (place, address, bytes): (Place, u64, u64),
        buffer: impl FnOnce() -> Result<GpuBuffer, Error>,
    ) -> Result<Allocation, Error> {
        let gpu = self.gpu();
        let bound = buffer().and_then(|buffer| {
            gpu.bind(buffer.handle, 0, address, bytes).inspect_err(|_| gpu.close_buffer(buffer.handle))?;
            Ok(buffer)
        });
        match bound {
            Ok(GpuBuffer { handle, words }) => {
                let buffer = Bound { space: self.clone(), handle, place, address, bytes };
                Ok(Allocation { address, bytes, words, buffer })
            }
            Err(error) => {
                self.give(address, bytes, place);
                Err(error)
            }
        }
    }
}

/// The bytes of the pages that hold these bytes.
pub(crate) fn rounded(bytes: u64) -> Result<u64, Error> {
    // There is room for the unmapped page.
    match bytes.max(1).checked_next_multiple_of(PAGE) {
        Some(pages) if pages <= u64::MAX - PAGE => Ok(pages),
        _ => Err(Error::DeviceMemory { bytes }),
    }
}

/// A buffer of the kernel at an address.
pub struct Allocation {
    /// First address.
    pub address: u64,
    /// Bytes.
    pub bytes: u64,
    /// Its memory, which goes before the buffer.
    words: Arc<dyn Words>,
    buffer: Bound,
}

/// A buffer that is bound at addresses, until it is dropped.
struct Bound {
    space: Arc<Space>,
    handle: u32,
    place: Place,
    address: u64,
    bytes: u64,
}

impl Allocation {
    /// The kernel's number of the buffer.
    pub fn handle(&self) -> u32 {
        self.buffer.handle
    }

    /// A descriptor of the memory.
    ///
    /// # Errors
    /// The call fails.
    pub fn export(&self) -> Result<OwnedFd, Error> {
        self.buffer.space.gpu().export_buffer(self.buffer.handle)
    }

    /// The file that maps it, and the offset there.
    ///
    /// # Errors
    /// The memory is that of the process, or the call fails.
    pub fn file(&self) -> Result<(BorrowedFd<'_>, u64), Error> {
        self.buffer.space.gpu().file(self.buffer.handle)?.ok_or(Error::Mapping)
    }

    /// The processor's pointer to the first byte, valid for the lifetime of the allocation.
    pub fn pointer(&self) -> *const u8 {
        self.words.words().as_ptr().cast()
    }

    /// Its bytes from byte `offset` on.
    pub fn window(&self, offset: u64) -> Option<Window> {
        Window::new(self.words.clone(), offset, self.bytes.checked_sub(offset)?)
    }

    /// Copies bytes to it from byte `offset` on; bytes that do not fit are dropped.
    #[inline]
    pub fn write(&self, offset: u64, from: &[u8]) {
        let (words, rest) = from.as_chunks::<4>();
        let places = self.words_at(offset, words.len());
        match offset.is_multiple_of(4) && rest.is_empty() && places.len() == words.len() {
            true => store(places, words),
            false => self.write_bytes(offset, from),
        }
    }

    /// As [`Allocation::write`], for bytes that are not whole words.
    #[inline(never)]
    fn write_bytes(&self, offset: u64, from: &[u8]) {
        if let Some(window) = self.window(0) {
            window.store(offset, from);
        }
    }

    /// `count` words from byte `offset` on, a multiple of 4; none if they are not all there.
    #[inline(always)]
    pub(crate) fn words_at(&self, offset: u64, count: usize) -> &[AtomicU32] {
        let first = (offset / 4) as usize;
        self.words.words().get(first..first + count).unwrap_or_default()
    }

    /// Copies words to it from byte `offset` on, a multiple of 4; the words must fit.
    #[inline]
    pub fn write_words(&self, offset: u64, from: &[u32]) {
        let places = self.words_at(offset, from.len());
        debug_assert!(offset.is_multiple_of(4) && places.len() == from.len());
        places.iter().zip(from).for_each(|(place, word)| place.store(*word, Ordering::Relaxed));
    }

    /// Copies bytes from it from byte `offset` on; bytes past its end are left unchanged.
    pub fn read(&self, offset: u64, into: &mut [u8]) {
        let (words, rest) = into.as_chunks_mut::<4>();
        let places = self.words.words().get((offset / 4) as usize..);
        match places.and_then(|places| places.get(..words.len())) {
            Some(places) if offset.is_multiple_of(4) && rest.is_empty() => {
                words.iter_mut().zip(places).for_each(|(word, place)| {
                    *word = place.load(Ordering::Relaxed).to_le_bytes();
                });
            }
            _ => {
                if let Some(window) = self.window(0) {
                    window.load(offset, into);
                }
            }
        }
    }
}

/// Stores words, whose bytes are given, to as many places.
#[inline(always)]
pub(crate) fn store(places: &[AtomicU32], words: &[[u8; 4]]) {
    places.iter().zip(words).for_each(|(place, word)| {
        place.store(u32::from_le_bytes(*word), Ordering::Relaxed);
    });
}

impl Drop for Bound {
    fn drop(&mut self) {
        let gpu = self.space.gpu();
        gpu.unbind(self.address, self.bytes);
        gpu.close_buffer(self.handle);
        self.space.give(self.address, self.bytes, self.place);
    }
}

/// Size of a chunk from which pieces are allocated.
const CHUNK: u64 = 16 * PAGE;

/// Pieces of memory: code, descriptor sets, counters.
pub struct Arena {
    space: Arc<Space>,
    place: Place,
    chunks: Mutex<Vec<(Arc<Allocation>, Ranges)>>,
}

impl Arena {
    /// An arena without memory.
    pub fn new(space: Arc<Space>, place: Place) -> Arc<Arena> {
        Arc::new(Arena { space, place, chunks: Mutex::new(Vec::new()) })
    }

    /// Allocates `bytes` bytes at a multiple of `alignment`, with undefined contents.
    ///
    /// # Errors
    /// Out of memory or addresses.
    pub fn take(self: &Arc<Arena>, bytes: u64, alignment: u64) -> Result<Piece, Error> {
        let bytes = bytes.max(1);
        let mut chunks = lock(&self.chunks);
        for (memory, ranges) in chunks.iter_mut() {
            if let Some(address) = ranges.take(bytes, alignment) {
                return Ok(Piece { arena: Some(self.clone()), memory: memory.clone(), address, bytes });
            }
        }
        let memory = Arc::new(self.space.allocate(bytes.max(CHUNK), self.place)?);
        let mut ranges = Ranges::new([memory.address, memory.address + memory.bytes]);
        let address = ranges.take(bytes, alignment).ok_or(Error::DeviceMemory { bytes })?;
        chunks.push((memory.clone(), ranges));
        Ok(Piece { arena: Some(self.clone()), memory, address, bytes })
    }
}

/// A piece of memory.
pub struct Piece {
    /// The arena to which it returns.
    arena: Option<Arc<Arena>>,
    memory: Arc<Allocation>,
    /// First address.
    pub address: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Piece {
    /// A part of a piece, from an address on. The owner of the piece uses it again.
    pub(crate) fn part(&self, address: u64, bytes: u64) -> Piece {
        Piece { arena: None, memory: self.memory.clone(), address, bytes }
    }

    /// A part of an allocation, whose owner uses it again.
    pub(crate) fn within(memory: Arc<Allocation>, offset: u64, bytes: u64) -> Piece {
        Piece { arena: None, address: memory.address + offset, memory, bytes }
    }

    /// Its words, with the rest of its last word. It begins at a multiple of 4.
    #[inline]
    pub(crate) fn words(&self) -> &[AtomicU32] {
        self.memory.words_at(self.address - self.memory.address, ((self.bytes + 3) >> 2) as usize)
    }

    /// Copies bytes to it from byte `offset` on; bytes that do not fit are dropped.
    pub fn write(&self, offset: u64, from: &[u8]) {
        let room = self.bytes.saturating_sub(offset).min(from.len() as u64) as usize;
        self.memory.write(self.address - self.memory.address + offset, &from[..room]);
    }

    /// Copies words to it from byte `offset` on, a multiple of 4; the words must fit.
    #[inline]
    pub fn write_words(&self, offset: u64, from: &[u32]) {
        debug_assert!(offset + 4 * from.len() as u64 <= self.bytes);
        self.memory.write_words(self.address - self.memory.address + offset, from);
    }

    /// Copies another piece to it, as far as both reach.
    pub fn copy_from(&self, from: &Piece) {
        for (to, from) in self.words().iter().zip(from.words()) {
            to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }

    /// Writes zeros to all of it, and to the rest of its last word.
    pub fn clear(&self) {
        let (blocks, rest) = self.words().as_chunks::<8>();
        blocks.iter().for_each(|block| block.iter().for_each(|place| place.store(0, Ordering::Relaxed)));
        rest.iter().for_each(|place| place.store(0, Ordering::Relaxed));
    }

    /// Copies bytes from it from byte `offset` on.
    pub fn read(&self, offset: u64, into: &mut [u8]) {
        self.memory.read(self.address - self.memory.address + offset, into);
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        let Some(arena) = &self.arena else { return };
        let mut chunks = lock(&arena.chunks);
        if let Some((_, ranges)) = chunks.iter_mut().find(|(memory, _)| memory.address == self.memory.address)
        {
            ranges.give(self.address, self.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd as _;

    use super::*;
    use crate::device::Device;

    #[test]
    fn chosen_addresses_are_given_once_and_again() {
        let device = Device::in_test();
        let first = device.space.allocate(PAGE + 1, Place::Chosen).expect("memory");
        let at = first.address;
        let again = |address: u64| device.space.allocate_at(PAGE + 1, address);
        for address in [at, at + PAGE, at + 2 * PAGE, at + 1, HIGH[0], CHOSEN[1]] {
            let refused = again(address).err();
            assert!(
                matches!(refused, Some(Error::Address { address: named }) if named == address),
                "{address:#x}"
            );
        }
        let other = again(at + 3 * PAGE).expect("free");
        drop(first);
        assert_eq!(again(at).expect("free again").address, at);
        assert_eq!(other.address, at + 3 * PAGE);
    }

    #[test]
    fn exported_memory_lives_as_long_as_its_descriptor() {
        let [first, second] = Device::two_in_test();
        let memory = first.space.allocate(PAGE, Place::High).expect("memory");
        memory.write(0, &[5; 4]);
        let file = memory.export().expect("a descriptor");
        let imported = second.space.import(file.as_fd(), PAGE).expect("imported");
        memory.write(4, &[6; 4]);
        drop(memory);
        let third = first.space.import(file.as_fd(), 1).expect("imported");
        drop(file);
        let mut bytes = [0; 8];
        for memory in [&imported, &third] {
            memory.read(0, &mut bytes);
            assert_eq!(bytes, [5, 5, 5, 5, 6, 6, 6, 6]);
        }
        let file = imported.export().expect("a descriptor");
        assert!(matches!(first.space.import(file.as_fd(), PAGE + 1), Err(Error::ExternalHandle)));
    }
}
