//! A read cache of the hardware: lines keep the bytes that they were filled with, whatever is stored to memory
//! afterwards, until they are dropped or replaced.

use crate::memory::Memory;

/// Bytes of a line.
const LINE: usize = 128;
/// Number of lines. A line has one place, so that reads of other addresses replace it.
const PLACES: usize = 1024;

/// A line and the bytes that it was filled with.
#[derive(Clone, Debug)]
struct Line {
    /// Its address divided by its size.
    number: u64,
    /// [`Lines::age`] when it was filled; other lines are not valid.
    age: u64,
    bytes: [u8; LINE],
}

/// A cache that only reads go through. Stores to memory do not change it.
#[derive(Clone, Debug)]
pub struct Lines {
    /// Selects the place of each line.
    seed: u64,
    /// Number of times that all lines were dropped.
    age: u64,
    places: Vec<Option<Box<Line>>>,
    /// The first byte that differed from memory.
    stale: Option<u64>,
}

impl Lines {
    /// An empty cache; `seed` determines which lines replace each other.
    pub fn new(seed: u64) -> Lines {
        Lines { seed: seed.wrapping_mul(2) | 1, age: 0, places: vec![None; PLACES], stale: None }
    }

    /// Drops all lines.
    pub fn drop_all(&mut self) {
        self.age += 1;
    }

    /// The first address since the last call whose byte in the cache was not that of memory.
    pub fn take_stale(&mut self) -> Option<u64> {
        self.stale.take()
    }

    /// Replaces `bytes`, just read from memory at `address`, by what the cache holds. `fill` reads a whole line that the
    /// cache does not hold; false if part of it is not mapped, so that it stays outside the cache.
    pub fn see(&mut self, address: u64, bytes: &mut [u8], mut fill: impl FnMut(u64, &mut [u8]) -> bool) {
        let mut rest = bytes;
        let mut at = address;
        while !rest.is_empty() {
            let first = (at % LINE as u64) as usize;
            let (now, after) = rest.split_at_mut(rest.len().min(LINE - first));
            if let Some(line) = self.line(at / LINE as u64, &mut fill) {
                let held = &line[first..first + now.len()];
                if let Some(byte) = held.iter().zip(&*now).position(|(held, new)| held != new) {
                    now.copy_from_slice(held);
                    self.stale.get_or_insert(at + byte as u64);
                }
            }
            at = at.wrapping_add(now.len() as u64);
            rest = after;
        }
    }

    /// The bytes of a line, filled now if the cache does not hold it.
    fn line(&mut self, number: u64, fill: &mut impl FnMut(u64, &mut [u8]) -> bool) -> Option<[u8; LINE]> {
        let place = (number.wrapping_mul(self.seed) >> 7 ^ number) as usize % PLACES;
        let place = &mut self.places[place];
        if let Some(line) = place.as_ref().filter(|line| line.number == number && line.age == self.age) {
            return Some(line.bytes);
        }
        let mut bytes = [0; LINE];
        if !fill(number * LINE as u64, &mut bytes) {
            return None;
        }
        *place = Some(Box::new(Line { number, age: self.age, bytes }));
        Some(bytes)
    }
}

/// Replaces bytes of a texel, just read from memory, by those of the texture cache of `memory`.
pub(crate) fn see_texel(memory: &mut Memory, address: u64, bytes: &mut [u8]) {
    let Some(mut cache) = memory.texels.take() else { return };
    cache.see(address, bytes, |from, into| memory.fetch(from, into).is_ok());
    memory.texels = Some(cache);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads four bytes of `memory`, which begins at address 0, through the cache.
    fn word(lines: &mut Lines, memory: &[u8], address: usize) -> [u8; 4] {
        let mut word = [0; 4];
        word.copy_from_slice(&memory[address..address + 4]);
        lines.see(address as u64, &mut word, |from, into| {
            let line = memory.get(from as usize..from as usize + into.len());
            line.inspect(|line| into.copy_from_slice(line)).is_some()
        });
        word
    }

    #[test]
    fn lines_keep_their_bytes_until_dropped() {
        let mut lines = Lines::new(0);
        let mut memory = vec![1; 2 * LINE];
        assert_eq!(word(&mut lines, &memory, 8), [1; 4]);
        memory.fill(2);
        assert_eq!(word(&mut lines, &memory, 16), [1; 4], "the same line");
        assert_eq!(lines.take_stale(), Some(16));
        assert_eq!(word(&mut lines, &memory, LINE + 16), [2; 4], "another line");
        assert_eq!(word(&mut lines, &memory, LINE - 2), [1, 1, 2, 2], "half of it in each");
        lines.drop_all();
        assert_eq!(word(&mut lines, &memory, 8), [2; 4]);
        assert_eq!(lines.take_stale(), Some(LINE as u64 - 2), "recorded before the drop");
        assert_eq!(lines.take_stale(), None);
    }

    #[test]
    fn lines_beyond_the_mapping_are_not_held() {
        let mut lines = Lines::new(1);
        let mut memory = vec![1; LINE / 2];
        assert_eq!(word(&mut lines, &memory, 0), [1; 4]);
        memory.fill(2);
        assert_eq!(word(&mut lines, &memory, 0), [2; 4]);
    }

    #[test]
    fn seeds_select_what_a_line_replaces() {
        let replaced = |seed: u64| {
            let mut lines = Lines::new(seed);
            let mut memory = vec![1; (PLACES * 3 + 1) * LINE];
            word(&mut lines, &memory, 5 * LINE);
            for line in PLACES..PLACES * 3 {
                word(&mut lines, &memory, line * LINE);
                memory[5 * LINE..5 * LINE + 4].fill(2);
                if word(&mut lines.clone(), &memory, 5 * LINE) == [2; 4] {
                    return line;
                }
            }
            0
        };
        let found: std::collections::BTreeSet<usize> = (0..8).map(replaced).collect();
        assert!(found.len() > 4, "{found:?}");
    }
}
