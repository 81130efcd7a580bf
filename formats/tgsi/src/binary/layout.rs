//! Fields of tokens, and the numbers of files, opcodes and other names in each edition.

use super::Edition;
use crate::error::TokenError;
use crate::names::{File, Processor, STAGE_NUMBERS, SemanticName, Target};
use crate::opcode::{OPCODES, Opcode};

/// Bits of a token: lowest bit and width.
#[derive(Clone, Copy)]
pub(super) struct Field(pub u32, pub u32);

impl Field {
    /// The field's value.
    pub fn get(self, word: u32) -> u32 {
        (word >> self.0) & self.limit()
    }

    /// The field's value as a signed number.
    pub fn get_signed(self, word: u32) -> i32 {
        let sign = self.limit() & !self.positive();
        ((self.get(word) ^ sign) as i32).wrapping_sub(sign as i32)
    }

    /// The largest unsigned value.
    fn limit(self) -> u32 {
        !u32::MAX.unbounded_shl(self.1)
    }

    /// The largest signed value.
    fn positive(self) -> u32 {
        self.limit() >> 1
    }
}

/// A token under construction.
#[derive(Default)]
pub(super) struct Token(pub u32);

impl Token {
    /// Sets a field.
    pub fn set(&mut self, field: Field, what: &'static str, value: u32) -> Result<(), TokenError> {
        if value > field.limit() {
            return Err(TokenError::Wide { what, value: i64::from(value), bits: field.1 });
        }
        self.0 |= value << field.0;
        Ok(())
    }

    /// Sets a field to a signed number.
    pub fn set_signed(&mut self, field: Field, what: &'static str, value: i32) -> Result<(), TokenError> {
        let most = i64::from(field.positive());
        if !(!most..=most).contains(&i64::from(value)) {
            return Err(TokenError::Wide { what, value: i64::from(value), bits: field.1 });
        }
        self.0 |= (value as u32 & field.limit()) << field.0;
        Ok(())
    }

    /// Sets a field of one bit.
    pub fn flag(&mut self, field: Field, value: bool) {
        self.0 |= u32::from(value) << field.0;
    }
}

/// The first word of every entry.
pub(super) mod entry {
    use super::Field;
    pub const KIND: Field = Field(0, 4);
    pub const LENGTH: Field = Field(4, 8);
    pub const DECLARATION: u32 = 0;
    pub const IMMEDIATE: u32 = 1;
    pub const INSTRUCTION: u32 = 2;
    pub const PROPERTY: u32 = 3;
    /// Immediates have a longer length field.
    pub const IMMEDIATE_LENGTH: Field = Field(4, 14);
    pub const IMMEDIATE_TYPE: Field = Field(18, 4);
    pub const PROPERTY_NAME: Field = Field(12, 8);
}

/// The words of a declaration.
pub(super) struct DeclarationLayout {
    pub file: Field,
    pub mask: Field,
    pub dimension: Field,
    pub semantic: Field,
    pub invariant: Field,
}

pub(super) const DECLARATION: DeclarationLayout = DeclarationLayout {
    file: Field(12, 4),
    mask: Field(16, 4),
    dimension: Field(20, 1),
    semantic: Field(21, 1),
    invariant: Field(23, 1),
};

/// The first word of a declaration in the early edition, which includes interpolation. The dimension and the
/// fields after it are four bits higher.
pub(super) mod early_declaration {
    use super::Field;
    pub const INTERPOLATE: Field = Field(20, 4);
    pub const DIMENSION: Field = Field(24, 1);
    pub const SEMANTIC: Field = Field(25, 1);
    pub const CENTROID: Field = Field(26, 1);
    pub const INVARIANT: Field = Field(27, 1);
    pub const WRAP: Field = Field(28, 4);
}

/// The first word of a declaration in the late edition.
pub(super) mod late_declaration {
    use super::Field;
    pub const INTERPOLATE: Field = Field(22, 1);
    pub const LOCAL: Field = Field(24, 1);
    pub const ARRAY: Field = Field(25, 1);
    pub const ATOMIC: Field = Field(26, 1);
    pub const MEMORY: Field = Field(27, 2);
}

pub(super) mod words {
    use super::Field;
    pub const FIRST: Field = Field(0, 16);
    pub const LAST: Field = Field(16, 16);
    pub const DIMENSION: Field = Field(0, 16);
    pub const INTERPOLATE: Field = Field(0, 4);
    pub const LOCATION: Field = Field(4, 2);
    pub const SEMANTIC: Field = Field(0, 8);
    pub const SEMANTIC_INDEX: Field = Field(8, 16);
    pub const STREAMS: [Field; 4] = [Field(24, 2), Field(26, 2), Field(28, 2), Field(30, 2)];
    pub const RESOURCE: Field = Field(0, 8);
    pub const RAW: Field = Field(8, 1);
    pub const WRITABLE: Field = Field(9, 1);
    pub const FORMAT: Field = Field(10, 10);
    pub const RETURNS: [Field; 4] = [Field(8, 6), Field(14, 6), Field(20, 6), Field(26, 6)];
    pub const ARRAY: Field = Field(0, 10);
}

pub(super) mod instruction {
    use super::Field;
    pub const OPCODE: Field = Field(12, 8);
    /// In the late edition it has one bit, and the fields after it are one bit lower.
    pub const SATURATE: Field = Field(20, 2);
    pub const EARLY: [Field; 5] = [Field(22, 2), Field(24, 4), Field(29, 1), Field(30, 1), Field(28, 1)];
    pub const LATE_SATURATE: Field = Field(20, 1);
    /// Destinations, sources, label, texture, memory.
    pub const LATE: [Field; 5] = [Field(21, 2), Field(23, 4), Field(27, 1), Field(28, 1), Field(29, 1)];
    pub const PRECISE: Field = Field(30, 1);
    pub const LABEL: Field = Field(0, 24);
    pub const TARGET: Field = Field(0, 8);
    pub const OFFSETS: Field = Field(8, 4);
    pub const QUALIFIER: Field = Field(0, 4);
    pub const MEMORY_TARGET: Field = Field(4, 8);
    pub const MEMORY_FORMAT: Field = Field(12, 10);
}

pub(super) mod operand {
    use super::Field;
    pub const FILE: Field = Field(0, 4);
    pub const SRC_INDIRECT: Field = Field(4, 1);
    pub const SRC_DIMENSION: Field = Field(5, 1);
    pub const SRC_INDEX: Field = Field(6, 16);
    pub const SWIZZLE: [Field; 4] = [Field(22, 2), Field(24, 2), Field(26, 2), Field(28, 2)];
    pub const ABSOLUTE: Field = Field(30, 1);
    pub const NEGATE: Field = Field(31, 1);
    pub const DST_MASK: Field = Field(4, 4);
    pub const DST_INDIRECT: Field = Field(8, 1);
    pub const DST_DIMENSION: Field = Field(9, 1);
    pub const DST_INDEX: Field = Field(10, 16);
    pub const INDIRECT_INDEX: Field = Field(4, 16);
    pub const INDIRECT_COMPONENT: Field = Field(20, 2);
    pub const INDIRECT_ARRAY: Field = Field(22, 10);
    pub const DIMENSION_INDIRECT: Field = Field(0, 1);
    pub const DIMENSION_INDEX: Field = Field(16, 16);
    pub const OFFSET_INDEX: Field = Field(0, 16);
    pub const OFFSET_FILE: Field = Field(16, 4);
    pub const OFFSET_SWIZZLE: [Field; 3] = [Field(20, 2), Field(22, 2), Field(24, 2)];
    pub const PREDICATE_INDEX: Field = Field(0, 16);
    pub const PREDICATE_SWIZZLE: [Field; 4] = [Field(16, 2), Field(18, 2), Field(20, 2), Field(22, 2)];
    pub const PREDICATE_NEGATE: Field = Field(24, 1);
}

/// Files in the order of their numbers in the early edition.
const EARLY_FILES: [File; 12] = [
    File::Null,
    File::Constant,
    File::Input,
    File::Output,
    File::Temporary,
    File::Sampler,
    File::Address,
    File::Immediate,
    File::Predicate,
    File::SystemValue,
    File::ImmediateArray,
    File::TemporaryArray,
];

/// Processors in the order of their numbers in the early edition.
const EARLY_PROCESSORS: [Processor; 3] = [Processor::Fragment, Processor::Vertex, Processor::Geometry];

/// Semantics in the early edition: the first eleven, and then the stencil value.
const EARLY_SEMANTICS: usize = 11;

/// Register files of the late edition. The remaining files have no number there.
const LATE_FILES: &[File] = File::ALL.split_at(16).0;

impl Edition {
    /// Register files in the order of their numbers.
    pub(super) fn files(self) -> &'static [File] {
        match self {
            Edition::Early => &EARLY_FILES,
            Edition::Late => LATE_FILES,
        }
    }

    /// Processors in the order of their numbers.
    pub(super) fn processors(self) -> &'static [Processor] {
        match self {
            Edition::Early => &EARLY_PROCESSORS,
            Edition::Late => &STAGE_NUMBERS,
        }
    }

    /// The semantic for a number.
    pub(super) fn semantic(self, number: u32) -> Option<SemanticName> {
        match self {
            Edition::Early if number as usize == EARLY_SEMANTICS => Some(SemanticName::Stencil),
            Edition::Early if number as usize > EARLY_SEMANTICS => None,
            _ => SemanticName::ALL.get(number as usize).copied(),
        }
    }

    /// The target for a number.
    pub(super) fn target(self, number: u32) -> Option<Target> {
        match self {
            Edition::Early if number == 0 => Some(Target::Unknown),
            Edition::Early if number > Target::ShadowRect as u32 => None,
            _ => Target::ALL.get(number as usize).copied(),
        }
    }

    /// The code of an opcode.
    pub(super) fn code(self, opcode: Opcode) -> Option<u8> {
        let info = opcode.info();
        match self {
            Edition::Early => info.early_code,
            Edition::Late => info.late_code,
        }
    }

    /// The opcode for a code; if there are several, the one that is current.
    pub(super) fn opcode(self, code: u32) -> Option<Opcode> {
        let row = OPCODES.iter().rev().find(|row| self.code(row.opcode).map(u32::from) == Some(code));
        row.map(|row| row.opcode)
    }
}

/// The number of a name, by search.
pub(super) fn number<T: Copy + PartialEq>(
    find: impl Fn(u32) -> Option<T>,
    one: T,
    what: &'static str,
    name: &str,
) -> Result<u32, TokenError> {
    let number = (0..=u32::from(u8::MAX)).find(|number| find(*number) == Some(one));
    number.ok_or_else(|| TokenError::NoCode { what, name: name.to_owned() })
}
