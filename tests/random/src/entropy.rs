//! Arbitrary bytes as a source of choices.

/// Reads choices from a byte string; zeros after its end.
pub struct Entropy<'d> {
    data: &'d [u8],
}

impl<'d> Entropy<'d> {
    /// Choices from `data`.
    pub fn new(data: &'d [u8]) -> Self {
        Entropy { data }
    }

    /// Whether all bytes have been read.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// The remaining bytes.
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

    /// A number below `count`, which must not be zero. Reads as many bytes as the range needs.
    pub fn below(&mut self, count: usize) -> usize {
        let bits = if count <= 256 { u32::from(self.byte()) } else { self.word() };
        bits as usize % count
    }

    /// A random boolean.
    pub fn flip(&mut self) -> bool {
        self.byte() & 1 == 1
    }
}
