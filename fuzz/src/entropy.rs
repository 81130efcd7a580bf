//! Arbitrary bytes, as a source of choices and from a generator.

/// Reads choices off a byte string; zeros when it is used up.
pub struct Entropy<'d> {
    data: &'d [u8],
}

impl<'d> Entropy<'d> {
    /// Choices from `data`.
    pub fn new(data: &'d [u8]) -> Self {
        Entropy { data }
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// What is left.
    pub fn rest(&self) -> &'d [u8] {
        self.data
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.data.split_first() else { return 0 };
        self.data = rest;
        *first
    }

    /// The next 32 bits.
    pub fn word(&mut self) -> u32 {
        u32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()])
    }

    /// A number below `count`, which must not be zero. Takes as many bytes as the range needs.
    pub fn below(&mut self, count: usize) -> usize {
        let bits = if count <= 256 { u32::from(self.byte()) } else { self.word() };
        bits as usize % count
    }

    /// Heads or tails.
    pub fn flip(&mut self) -> bool {
        self.byte() & 1 == 1
    }
}

/// A small generator of pseudo-random bytes (splitmix64), the same on every machine.
pub struct Generator(u64);

impl Generator {
    /// A generator for `seed`.
    pub fn new(seed: u64) -> Self {
        Generator(seed)
    }

    /// The next 64 bits.
    pub fn next_word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// `length` bytes.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        let words = std::iter::repeat_with(|| self.next_word().to_le_bytes());
        words.take(length.div_ceil(8)).flatten().take(length).collect()
    }
}
