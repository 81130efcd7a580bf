//! Relaxed memory between SIMD-groups: stores become visible late and out of order, and loads may return old values,
//! until a fence, wait or barrier orders them.
//!
//! Each SIMD-group has a buffer for its stores and sees them at once. Other SIMD-groups see a store after it was
//! published from the buffer, word by word, at times and in an order that the seed determines. Until a group has seen
//! the new value of a word, it may still read the old one. The following operations order memory (docs/emulator.md
//! lists the assumptions):
//!
//! * `wait` completes the stores of its group. `memory_barrier` publishes completed stores, and makes all published
//!   stores visible to its group. A threadgroup barrier makes all published stores visible to its groups.
//! * Image stores have a buffer that `image_barrier_1` and then `image_barrier_2` publish. Texel loads bypass both
//!   buffers; they see image stores published before `image_barrier_3`, and other stores published before
//!   `flush_memory_to_texture`.
//! * Atomics access memory immediately; the group's own stores to the word are published first.

use rustc_hash::FxHashMap;

use crate::memory::{Memory, MemoryFault};
use crate::rng::Rng;

/// When SIMD-groups see each other's stores, and when results arrive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MemoryOrder {
    /// All accesses take effect immediately, in the order of execution.
    #[default]
    Sequential,
    /// Results of asynchronous operations arrive at their `wait`. Stores become visible to other SIMD-groups late and
    /// out of order. Several workgroups, and several fragment SIMD-groups, run concurrently. The seed determines the
    /// details.
    Relaxed,
}

/// The path of an access to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Path {
    /// Loads, stores and atomics of device memory.
    Device,
    /// Texels: loads through the texture cache, image stores.
    Texels,
}

/// The effect of a fence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fence {
    /// Orders device memory.
    Memory,
    /// Starts publishing image stores.
    ImagesLeave,
    /// Completes publishing image stores.
    ImagesLeft,
    /// Makes image stores of others visible to texel loads.
    ImagesSeen,
    /// Makes other stores visible to texel loads.
    TexelsSeen,
    /// No effect that the machine models.
    Unknown,
}

/// Maximum number of entries in a buffer; then one is published.
const MOST_ENTRIES: usize = 96;

/// Bytes of a word that a group has stored and others do not see yet.
#[derive(Clone, Copy, Debug)]
struct Entry {
    word: u64,
    mask: u8,
    bytes: [u8; 4],
    /// The wait group in which the store is unfinished.
    unfinished: Option<u8>,
    leaving: bool,
}

/// Buffered stores, at most one entry per word: later bytes replace earlier ones.
#[derive(Clone, Debug, Default)]
struct Buffer {
    entries: Vec<Entry>,
    places: FxHashMap<u64, usize>,
}

impl Buffer {
    fn put(&mut self, address: u64, bytes: &[u8], unfinished: Option<u8>) {
        for (at, byte) in bytes.iter().enumerate() {
            let address = address.wrapping_add(at as u64);
            let (word, lane) = (address & !3, (address & 3) as usize);
            let new = Entry { word, mask: 0, bytes: [0; 4], unfinished, leaving: false };
            let place = *self.places.entry(word).or_insert(self.entries.len());
            if place == self.entries.len() {
                self.entries.push(new);
            }
            let entry = &mut self.entries[place];
            entry.mask |= 1 << lane;
            entry.bytes[lane] = *byte;
            entry.unfinished = unfinished;
            entry.leaving = false;
        }
    }

    fn byte(&self, address: u64) -> Option<u8> {
        let entry = &self.entries[*self.places.get(&(address & !3))?];
        let lane = (address & 3) as usize;
        (entry.mask >> lane & 1 != 0).then_some(entry.bytes[lane])
    }

    fn take(&mut self, at: usize) -> Entry {
        let entry = self.entries.swap_remove(at);
        self.places.remove(&entry.word);
        if let Some(moved) = self.entries.get(at) {
            self.places.insert(moved.word, at);
        }
        entry
    }

    /// Removes and returns every entry for which `leaves` is true.
    fn take_all(&mut self, leaves: impl Fn(&Entry) -> bool) -> Vec<Entry> {
        let mut taken = Vec::new();
        for at in (0..self.entries.len()).rev() {
            if leaves(&self.entries[at]) {
                taken.push(self.take(at));
            }
        }
        taken
    }
}

/// The view of one SIMD-group.
#[derive(Clone, Debug, Default)]
struct View {
    stores: Buffer,
    images: Buffer,
    /// Number of published stores that it sees completely: device path, image stores by texel loads, others by texel
    /// loads.
    acquired: [u64; 3],
    /// Later stores that it has already seen, by word: on the device path, as texels.
    seen: [FxHashMap<u64, u64>; 2],
}

/// The contents of a word before stores that some group may not have seen.
#[derive(Clone, Copy, Debug)]
struct Former {
    bytes: [u8; 4],
    /// Number of the first of these stores.
    first: u64,
    /// Number of the last.
    latest: u64,
    path: Path,
}

/// The state of memory between concurrent SIMD-groups.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    rng: Rng,
    views: Vec<View>,
    former: FxHashMap<u64, Former>,
    /// Number of published stores.
    sent: u64,
    /// A random number that changes with each instruction.
    instruction: u64,
    /// Buffers publish some stores spontaneously once in this number of turns.
    pace: u64,
}

impl Order {
    /// Relaxed memory with decisions from `seed`.
    pub(crate) fn new(seed: u64) -> Order {
        let mut rng = Rng::new(seed.rotate_left(41));
        let pace = [2, 8, 64][rng.below(3) as usize];
        Order { rng, views: Vec::new(), former: FxHashMap::default(), sent: 0, instruction: 0, pace }
    }

    /// The random generator.
    pub(crate) fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    /// Begins the next instruction.
    pub(crate) fn next_instruction(&mut self) {
        self.instruction = self.rng.next();
    }

    /// Begins `groups` SIMD-groups with empty buffers.
    pub(crate) fn begin(&mut self, groups: usize) {
        self.former.clear();
        let view = View { acquired: [self.sent; 3], ..View::default() };
        self.views = vec![view; groups];
    }

    /// Publishes all stores when all SIMD-groups have stopped.
    pub(crate) fn finish(&mut self, memory: &mut Memory) {
        for by in 0..self.views.len() {
            for path in [Path::Device, Path::Texels] {
                let entries = self.buffer(by, path).take_all(|_| true);
                self.send(memory, by, path, &entries);
            }
        }
        self.begin(0);
    }

    /// Occasionally publishes some stores.
    pub(crate) fn drain(&mut self, memory: &mut Memory) {
        for by in 0..self.views.len() {
            for path in [Path::Device, Path::Texels] {
                let held = self.buffer(by, path).entries.len() as u64;
                if held == 0 || self.rng.below(self.pace) != 0 {
                    continue;
                }
                for left in 0..1 + self.rng.below(held) {
                    self.send_one(memory, by, path, held - left);
                }
            }
        }
    }

    /// Reads memory as the SIMD-group `by` sees it.
    pub(crate) fn load(
        &mut self,
        memory: &mut Memory,
        by: usize,
        path: Path,
        address: u64,
        into: &mut [u8],
    ) -> Result<(), MemoryFault> {
        memory.read(address, into)?;
        let mut decided = None;
        for (at, byte) in into.iter_mut().enumerate() {
            let address = address.wrapping_add(at as u64);
            let Some(view) = self.views.get(by) else { return Ok(()) };
            let own = || view.stores.byte(address).or_else(|| view.images.byte(address));
            if let Some(own) = (path == Path::Device).then(own).flatten() {
                *byte = own;
                continue;
            }
            let word = address & !3;
            let old = match decided {
                Some((known, old)) if known == word => old,
                _ => self.finds_former(by, path, word),
            };
            decided = Some((word, old));
            if let Some(bytes) = old {
                *byte = bytes[(address & 3) as usize];
            }
        }
        Ok(())
    }

    /// The old value of a word, if the group may still see it and the seed chooses it.
    fn finds_former(&mut self, by: usize, path: Path, word: u64) -> Option<[u8; 4]> {
        let former = *self.former.get(&word)?;
        let view = self.views.get_mut(by)?;
        let (acquired, seen) = match (path, former.path) {
            (Path::Device, _) => (view.acquired[0], &mut view.seen[0]),
            (Path::Texels, Path::Texels) => (view.acquired[1], &mut view.seen[1]),
            (Path::Texels, Path::Device) => (view.acquired[2], &mut view.seen[1]),
        };
        if former.first <= acquired || seen.get(&word).is_some_and(|seen| *seen >= former.first) {
            return None;
        }
        // All lanes of an instruction get the same choice.
        if Rng::new(self.instruction ^ word).below(2) == 0 {
            return Some(former.bytes);
        }
        seen.insert(word, former.latest);
        None
    }

    /// Buffers a store of the SIMD-group `by`.
    pub(crate) fn store(
        &mut self,
        memory: &mut Memory,
        by: usize,
        path: Path,
        address: u64,
        bytes: &[u8],
        unfinished: Option<u8>,
    ) -> Result<(), MemoryFault> {
        memory.writable(address, bytes.len())?;
        // Earlier stores of the group on the other path are published first.
        let other = if path == Path::Device { Path::Texels } else { Path::Device };
        self.settle(memory, by, other, address, bytes.len());
        let buffer = self.buffer(by, path);
        buffer.put(address, bytes, unfinished);
        let held = buffer.entries.len();
        if held > MOST_ENTRIES {
            self.send_one(memory, by, path, held as u64);
        }
        Ok(())
    }

    /// Before an atomic of the SIMD-group `by`, publishes its own stores to these bytes.
    pub(crate) fn before_atomic(&mut self, memory: &mut Memory, by: usize, address: u64, len: usize) {
        self.settle(memory, by, Path::Texels, address, len);
        self.settle(memory, by, Path::Device, address, len);
    }

    /// The store of an atomic, which takes effect immediately.
    pub(crate) fn store_atomic(&mut self, memory: &mut Memory, by: usize, address: u64, bytes: &[u8]) {
        let mut buffer = Buffer::default();
        buffer.put(address, bytes, None);
        self.send(memory, by, Path::Device, &buffer.entries);
    }

    /// Executes a `wait` of the SIMD-group `by` for its wait group `index`.
    pub(crate) fn complete(&mut self, by: usize, index: u8) {
        for entry in &mut self.buffer(by, Path::Device).entries {
            entry.unfinished = entry.unfinished.filter(|unfinished| *unfinished != index);
        }
    }

    /// Executes a fence of the SIMD-group `by`.
    pub(crate) fn fence(&mut self, memory: &mut Memory, by: usize, fence: Fence) {
        match fence {
            Fence::Memory => {
                let finished = |entry: &Entry| entry.unfinished.is_none();
                let entries = self.buffer(by, Path::Device).take_all(finished);
                self.send(memory, by, Path::Device, &entries);
                self.acquire(by, 0);
            }
            Fence::ImagesLeave => {
                self.buffer(by, Path::Texels).entries.iter_mut().for_each(|entry| entry.leaving = true);
            }
            Fence::ImagesLeft => {
                let entries = self.buffer(by, Path::Texels).take_all(|entry| entry.leaving);
                self.send(memory, by, Path::Texels, &entries);
            }
            Fence::ImagesSeen => self.acquire(by, 1),
            Fence::TexelsSeen => self.acquire(by, 2),
            Fence::Unknown => {}
        }
    }

    /// Applies a threadgroup barrier to these SIMD-groups.
    pub(crate) fn barrier(&mut self, groups: impl Iterator<Item = usize>) {
        groups.for_each(|by| self.acquire(by, 0));
    }

    fn acquire(&mut self, by: usize, what: usize) {
        if let Some(view) = self.views.get_mut(by) {
            view.acquired[what] = self.sent;
        }
    }

    fn buffer(&mut self, by: usize, path: Path) -> &mut Buffer {
        if self.views.len() <= by {
            self.views.resize_with(by + 1, View::default);
        }
        match path {
            Path::Device => &mut self.views[by].stores,
            Path::Texels => &mut self.views[by].images,
        }
    }

    /// Publishes stores of `by` to these bytes.
    fn settle(&mut self, memory: &mut Memory, by: usize, path: Path, address: u64, len: usize) {
        let buffer = self.buffer(by, path);
        if buffer.entries.is_empty() {
            return;
        }
        let last = address.wrapping_add(len.saturating_sub(1) as u64) & !3;
        let mut words = vec![address & !3];
        words.extend((last != words[0]).then_some(last));
        let places = words.iter().filter_map(|word| buffer.places.get(word).map(|_| *word));
        let words: Vec<u64> = places.collect();
        let entries = buffer.take_all(|entry| words.contains(&entry.word));
        self.send(memory, by, path, &entries);
    }

    fn send_one(&mut self, memory: &mut Memory, by: usize, path: Path, held: u64) {
        let at = self.rng.below(held) as usize;
        let entry = self.buffer(by, path).take(at);
        self.send(memory, by, path, &[entry]);
    }

    /// Publishes stores to memory, and keeps the old values for groups that do not see the new ones yet.
    fn send(&mut self, memory: &mut Memory, by: usize, path: Path, entries: &[Entry]) {
        for entry in entries {
            let mut old = [0; 4];
            for (lane, (old, new)) in old.iter_mut().zip(entry.bytes).enumerate() {
                let address = entry.word.wrapping_add(lane as u64);
                // Unmapped memory reads as 0.
                let _ = memory.fetch(address, std::slice::from_mut(old));
                if entry.mask >> lane & 1 != 0 {
                    memory.set_byte(address, new);
                }
            }
            self.sent += 1;
            self.remember(entry.word, old, path);
            if let Some(view) = self.views.get_mut(by) {
                view.seen[0].insert(entry.word, self.sent);
            }
        }
    }
}

impl Order {
    /// Keeps the contents of a word before the latest store, or before earlier ones that some group has not seen
    /// either.
    fn remember(&mut self, word: u64, bytes: [u8; 4], path: Path) {
        let latest = self.sent;
        let new = Former { bytes, first: latest, latest, path };
        let former = self.former.entry(word).or_insert(new);
        let unseen = self.views.iter().any(|view| view.acquired.iter().any(|seen| *seen < former.first));
        *former = if unseen && former.path == path { Former { latest, ..*former } } else { new };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Access;

    const WORD: u64 = 0x1000;

    fn memory() -> Memory {
        let mut memory = Memory::new();
        memory.map(WORD, vec![7; 16], Access::READ | Access::WRITE).expect("free");
        memory
    }

    fn load(order: &mut Order, memory: &mut Memory, by: usize) -> u8 {
        let mut byte = [0];
        order.load(memory, by, Path::Device, WORD, &mut byte).expect("mapped");
        byte[0]
    }

    #[test]
    fn a_store_is_seen_by_its_group_at_once_and_by_others_after_the_fences() {
        let mut memory = memory();
        let mut order = Order::new(1);
        order.begin(2);
        order.store(&mut memory, 0, Path::Device, WORD, &[9], Some(1)).expect("mapped");
        assert_eq!((load(&mut order, &mut memory, 0), load(&mut order, &mut memory, 1)), (9, 7));
        order.fence(&mut memory, 0, Fence::Memory);
        assert_eq!(load(&mut order, &mut memory, 1), 7, "unfinished stores are not sent");
        order.complete(0, 1);
        order.fence(&mut memory, 0, Fence::Memory);
        order.fence(&mut memory, 1, Fence::Memory);
        assert_eq!(load(&mut order, &mut memory, 1), 9);
    }

    #[test]
    fn an_old_value_is_never_read_after_the_new_one() {
        let mut old = 0;
        for seed in 0..64 {
            let mut memory = memory();
            let mut order = Order::new(seed);
            order.begin(2);
            order.store(&mut memory, 0, Path::Device, WORD, &[9], None).expect("mapped");
            order.fence(&mut memory, 0, Fence::Memory);
            let mut next = || {
                order.next_instruction();
                load(&mut order, &mut memory, 1)
            };
            let read: Vec<u8> = (0..6).map(|_| next()).collect();
            assert!(read.is_sorted(), "{read:?}");
            old += usize::from(read[0] == 7);
        }
        assert!((8..56).contains(&old), "{old} of 64 first loads were old");
    }

    #[test]
    fn stores_to_one_word_keep_their_order_and_what_is_read_only_stays() {
        let mut memory = memory();
        memory.map(0x2000, vec![0; 4], Access::READ).expect("free");
        let mut order = Order::new(3);
        order.begin(1);
        assert!(order.store(&mut memory, 0, Path::Device, 0x2000, &[1], None).is_err());
        order.store(&mut memory, 0, Path::Device, WORD, &[1, 2, 3], None).expect("mapped");
        order.store(&mut memory, 0, Path::Texels, WORD + 1, &[4], None).expect("mapped");
        order.store(&mut memory, 0, Path::Device, WORD + 3, &[5, 6], None).expect("mapped");
        order.finish(&mut memory);
        assert_eq!(memory.bytes(WORD, 6), Some(&[1, 4, 3, 5, 6, 7][..]));
    }
}
