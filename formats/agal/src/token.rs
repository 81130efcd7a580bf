//! Tokens of the byte code: four bit fields, kept unchanged so that reading and writing are lossless.

use crate::opcode::Opcode;

/// Bytes of a token.
pub const TOKEN_BYTES: usize = 24;

/// An instruction in the byte code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// Its opcode.
    pub opcode: Opcode,
    /// Its destination.
    pub destination: DestinationWord,
    /// Its first source.
    pub source1: SourceWord,
    /// Its second source; for texture instructions a [`SamplerField`].
    pub source2: SourceWord,
}

/// A destination field: register 0..16, write mask 16..20 (bit 0 is x), register file 24..28; the rest is reserved.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct DestinationWord(pub u32);

impl DestinationWord {
    /// A field from its parts.
    pub fn new(file: u8, register: u16, mask: u8) -> Self {
        DestinationWord(u32::from(register) | u32::from(mask & 15) << 16 | u32::from(file & 15) << 24)
    }

    /// Register number.
    pub fn register(self) -> u16 {
        self.0 as u16
    }

    /// Components written, bit 0 for x.
    pub fn mask(self) -> u8 {
        (self.0 >> 16) as u8 & 15
    }

    /// Number of the register file.
    pub fn file(self) -> u8 {
        (self.0 >> 24) as u8 & 15
    }

    /// The reserved bits.
    pub fn reserved(self) -> u32 {
        self.0 & 0xf0f0_0000
    }
}

/// A source field: register 0..16, offset 16..24, swizzle 24..32 (component x lowest), register file 32..36, file of
/// the index 40..44, component of the index 48..50, relative 63; the rest is reserved.
///
/// In a relative source, `register` and the file of the index name the register with the index, the register
/// file is the indexed one, and the offset is added.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SourceWord(pub u64);

/// The identity swizzle.
pub(crate) const IDENTITY: u8 = 0xe4;

impl SourceWord {
    /// A direct source from its parts.
    pub fn direct(file: u8, register: u16, swizzle: u8) -> Self {
        SourceWord(u64::from(register) | u64::from(swizzle) << 24 | u64::from(file & 15) << 32)
    }

    /// A relative source: `file[index_file register.component + offset]`.
    pub fn relative(file: u8, index: (u8, u16, u8), offset: u8, swizzle: u8) -> Self {
        let (index_file, register, component) = index;
        let direct = SourceWord::direct(file, register, swizzle).0;
        let index = u64::from(index_file & 15) << 40 | u64::from(component & 3) << 48;
        SourceWord(direct | u64::from(offset) << 16 | index | 1 << 63)
    }

    /// Register number; that of the index register if the source is relative.
    pub fn register(self) -> u16 {
        self.0 as u16
    }

    /// The offset added to an index.
    pub fn offset(self) -> u8 {
        (self.0 >> 16) as u8
    }

    /// The swizzle as it is encoded.
    pub fn swizzle_bits(self) -> u8 {
        (self.0 >> 24) as u8
    }

    /// The component of the register that each component of the source reads.
    pub fn swizzle(self) -> [u8; 4] {
        [0, 2, 4, 6].map(|shift| self.swizzle_bits() >> shift & 3)
    }

    /// Number of the register file.
    pub fn file(self) -> u8 {
        (self.0 >> 32) as u8 & 15
    }

    /// Number of the register file of the index.
    pub fn index_file(self) -> u8 {
        (self.0 >> 40) as u8 & 15
    }

    /// Component of the index register.
    pub fn index_component(self) -> u8 {
        (self.0 >> 48) as u8 & 3
    }

    /// Whether the source is relative.
    pub fn is_relative(self) -> bool {
        self.0 >> 63 == 1
    }

    /// The reserved bits.
    pub fn reserved(self) -> u64 {
        self.0 & 0x7ffc_f0f0_0000_0000
    }

    /// The bits that only relative sources use.
    pub fn relative_only(self) -> u64 {
        self.0 & 0x0003_0f00_00ff_0000
    }
}

/// The second source of a texture instruction: register 0..16, bias 16..24, register file 32..36, format 40..44,
/// dimension 44..48, flags 48..52, wrapping 52..56, mipmapping 56..60, filter 60..64; the rest is reserved.
///
/// The document reserves the bits of the format (0 for plain colours, 1 `dxt1`, 2 `dxt5`, 3 `video`); Adobe's
/// assembler writes it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SamplerField(pub u64);

impl SamplerField {
    /// Register number.
    pub fn register(self) -> u16 {
        self.0 as u16
    }

    /// Bias of the level of detail in eighths.
    pub fn bias_eighths(self) -> i8 {
        (self.0 >> 16) as u8 as i8
    }

    /// Number of the register file, 5 in valid programs.
    pub fn file(self) -> u8 {
        (self.0 >> 32) as u8 & 15
    }

    /// The four bits from `shift` on.
    pub fn nibble(self, shift: u32) -> u8 {
        (self.0 >> shift) as u8 & 15
    }

    /// The reserved bits.
    pub fn reserved(self) -> u64 {
        self.0 & 0x0000_00f0_ff00_0000
    }
}
