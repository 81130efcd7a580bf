//! The set of bytes of device memory that were read and written.
//!
//! Atomics are ignored, as in [`crate::Options::races`], because they are ordered among themselves.

use rustc_hash::FxHashMap;

/// Bytes of a page.
const PAGE: u64 = 4096;
/// Words of a page's set of bytes.
const WORDS: usize = (PAGE / 64) as usize;

/// A set of the bytes of a page.
type Bytes = [u64; WORDS];

#[derive(Clone, Debug)]
struct Page {
    read: Bytes,
    written: Bytes,
}

/// Bytes that were read and written.
#[derive(Clone, Debug, Default)]
pub struct Touched {
    pages: FxHashMap<u64, Box<Page>>,
}

impl Touched {
    /// Adds an access.
    pub(crate) fn add(&mut self, address: u64, len: usize, write: bool) {
        let mut at = address;
        let mut left = len as u64;
        while left > 0 {
            let (page, first) = (at / PAGE, at % PAGE);
            let now = left.min(PAGE - first);
            let empty = || Box::new(Page { read: [0; WORDS], written: [0; WORDS] });
            let page = self.pages.entry(page).or_insert_with(empty);
            set(if write { &mut page.written } else { &mut page.read }, first, now);
            at = at.wrapping_add(now);
            left -= now;
        }
    }

    /// The first byte that one side wrote and the other accessed, and whether both wrote it.
    pub fn conflict(&self, other: &Touched) -> Option<Conflict> {
        let conflicts = self.pages.iter().filter_map(|(number, page)| {
            let other = other.pages.get(number)?;
            (0..WORDS).find_map(|word| {
                let touched = |page: &Page| page.read[word] | page.written[word];
                let bits = page.written[word] & touched(other) | other.written[word] & touched(page);
                let bit = u64::from(bits.trailing_zeros());
                let both = page.written[word] & other.written[word] & bits & bits.wrapping_neg() != 0;
                (bits != 0)
                    .then_some(Conflict { address: number * PAGE + 64 * word as u64 + bit, both_write: both })
            })
        });
        conflicts.min_by_key(|conflict| conflict.address)
    }
}

/// A byte that two sides access, one of them writing it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The byte.
    pub address: u64,
    /// Whether both sides write it.
    pub both_write: bool,
}

/// Adds `len` bytes from `first` on to a page's set.
fn set(bytes: &mut Bytes, first: u64, len: u64) {
    let (mut at, end) = (first, first + len);
    while at < end {
        let (word, bit) = ((at / 64) as usize, at % 64);
        let now = (end - at).min(64 - bit);
        bytes[word] |= (u64::MAX >> (64 - now)) << bit;
        at += now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touched(accesses: &[(u64, usize, bool)]) -> Touched {
        let mut touched = Touched::default();
        accesses.iter().for_each(|(address, len, write)| touched.add(*address, *len, *write));
        touched
    }

    #[test]
    fn a_conflict_needs_a_common_byte_and_a_write() {
        let reader = touched(&[(0x1ffc, 8, false)]);
        let cases = [
            ((0x1ff8, 4, true), None),
            ((0x2004, 400, true), None),
            ((0x1ffc, 8, false), None),
            ((0x1fff, 1, true), Some(0x1fff)),
            ((0x2003, 100, true), Some(0x2003)),
            ((0x1000, 0x2000, true), Some(0x1ffc)),
        ];
        for (access, address) in cases {
            let found = touched(&[access]).conflict(&reader);
            assert_eq!(found.map(|conflict| conflict.address), address, "{access:?}");
            assert_eq!(found, reader.conflict(&touched(&[access])), "{access:?}");
            assert!(found.is_none_or(|conflict| !conflict.both_write), "{access:?}");
        }
        let writer = touched(&[(0x3f, 2, true)]);
        assert_eq!(writer.conflict(&writer), Some(Conflict { address: 0x3f, both_write: true }));
    }
}
