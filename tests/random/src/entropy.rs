//! Arbitrary bytes as a source of choices.

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
