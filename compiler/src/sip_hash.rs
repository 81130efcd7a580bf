//! SipHash-1-3 with a 128-bit result: checksums of stored shaders, and cache keys.
//!
//! This is the function of J.-P. Aumasson and D. J. Bernstein's paper with one round per word and three final
//! rounds, in the 128-bit variant of its reference implementation.

/// Rounds per word.
const WORD_ROUNDS: usize = 1;

/// Rounds before each half of the result.
const LAST_ROUNDS: usize = 3;

/// An incremental hash.
pub(crate) struct SipHash {
    state: [u64; 4],
    /// Bytes of an incomplete word, the first one lowest.
    pending: u64,
    /// Bytes added so far.
    length: u64,
}

impl SipHash {
    /// The state before any bytes, for a key.
    pub fn new(key_low: u64, key_high: u64) -> SipHash {
        let state = [
            key_low ^ 0x736f_6d65_7073_6575,
            key_high ^ 0x646f_7261_6e64_6f6d ^ 0xee,
            key_low ^ 0x6c79_6765_6e65_7261,
            key_high ^ 0x7465_6462_7974_6573,
        ];
        SipHash { state, pending: 0, length: 0 }
    }

    /// Adds bytes.
    pub fn write(&mut self, bytes: &[u8]) {
        let (start, rest) = bytes.split_at((self.length.wrapping_neg() as usize % 8).min(bytes.len()));
        start.iter().for_each(|byte| self.add(*byte));
        let (words, rest) = rest.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
            self.length += 8;
        }
        rest.iter().for_each(|byte| self.add(*byte));
    }

    fn add(&mut self, byte: u8) {
        self.pending |= u64::from(byte) << (self.length % 8 * 8);
        self.length += 1;
        if self.length.is_multiple_of(8) {
            let word = std::mem::take(&mut self.pending);
            self.mix(word);
        }
    }

    fn mix(&mut self, word: u64) {
        self.state[3] ^= word;
        self.rounds(WORD_ROUNDS);
        self.state[0] ^= word;
    }

    fn rounds(&mut self, count: usize) {
        let [mut a, mut b, mut c, mut d] = self.state;
        for _ in 0..count {
            (a, c) = (a.wrapping_add(b), c.wrapping_add(d));
            (b, d) = (b.rotate_left(13) ^ a, d.rotate_left(16) ^ c);
            a = a.rotate_left(32);
            (c, a) = (c.wrapping_add(b), a.wrapping_add(d));
            (b, d) = (b.rotate_left(17) ^ c, d.rotate_left(21) ^ a);
            c = c.rotate_left(32);
        }
        self.state = [a, b, c, d];
    }

    /// The hash of all bytes.
    pub fn finish(mut self) -> u128 {
        let last = self.pending | self.length << 56;
        self.mix(last);
        let mut half = |mark: (usize, u64)| {
            self.state[mark.0] ^= mark.1;
            self.rounds(LAST_ROUNDS);
            self.state.iter().fold(0, |sum, word| sum ^ word)
        };
        let low = half((2, 0xee));
        let high = half((1, 0xdd));
        u128::from(high) << 64 | u128::from(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use siphasher::sip128::{Hasher128 as _, SipHasher13};
    use std::hash::Hasher as _;

    #[test]
    fn hashes_are_those_of_the_crate() {
        let bytes: Vec<u8> = (0..200_u32).map(|at| (at * 37) as u8).collect();
        for length in 0..bytes.len() {
            for cut in [0, length / 3, length] {
                let (mut ours, mut theirs) =
                    (SipHash::new(3, u64::MAX - 7), SipHasher13::new_with_keys(3, u64::MAX - 7));
                for part in [&bytes[..cut], &bytes[cut..length]] {
                    ours.write(part);
                    theirs.write(part);
                }
                assert_eq!(ours.finish(), theirs.finish128().as_u128(), "{length} bytes, cut at {cut}");
            }
        }
    }
}
