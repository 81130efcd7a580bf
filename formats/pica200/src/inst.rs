//! Instructions as values of bit fields.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

use crate::opcode::{Field, Opcode};
use crate::register::{Address, Combine, Compare, Condition, Dest, Source};

/// Number of fields.
pub const FIELDS: usize = 18;

/// An instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inst {
    /// The operation.
    pub opcode: Opcode,
    /// Bits outside of all fields. They have no effect.
    pub unused: u32,
    /// Values, indexed by [`Field`].
    values: [u16; FIELDS],
}

impl Inst {
    /// An instruction with all fields 0.
    pub fn new(opcode: Opcode) -> Inst {
        Inst { opcode, unused: 0, values: [0; FIELDS] }
    }

    /// Decodes a word; `None` if its opcode is unknown.
    pub fn decode(word: u32) -> Option<Inst> {
        let mut inst = Inst::new(Opcode::of_word(word)?);
        let row = inst.opcode.desc();
        inst.unused = word & !row.mask();
        for desc in row.format.fields() {
            let mask = !u32::MAX.unbounded_shl(desc.width.into());
            *inst.slot(desc.field) = (word >> desc.shift & mask) as u16;
            inst.unused &= !(mask << desc.shift);
        }
        Some(inst)
    }

    /// Encodes the instruction. Values are truncated to the width of their field.
    pub fn encode(&self) -> u32 {
        let row = self.opcode.desc();
        let mut word = row.base() | self.unused;
        for desc in row.format.fields() {
            let mask = !u32::MAX.unbounded_shl(desc.width.into());
            word |= (u32::from(self.get(desc.field)) & mask) << desc.shift;
        }
        word
    }

    /// The value of a field; 0 if the format does not have the field.
    #[expect(clippy::indexing_slicing, reason = "there is a value for each variant of `Field`")]
    pub fn get(&self, field: Field) -> u16 {
        self.values[field as usize]
    }

    #[expect(clippy::indexing_slicing, reason = "there is a value for each variant of `Field`")]
    fn slot(&mut self, field: Field) -> &mut u16 {
        &mut self.values[field as usize]
    }

    /// Sets a field.
    #[must_use]
    pub fn with(mut self, field: Field, value: u16) -> Inst {
        *self.slot(field) = value;
        self
    }

    /// The number of the descriptor, if the format has one.
    pub fn descriptor(&self) -> Option<usize> {
        self.opcode.desc().format.has_descriptor().then(|| usize::from(self.get(Field::Descriptor)))
    }

    /// A source, counted from 1 to 3; `None` if the format has fewer.
    pub fn source(&self, number: usize) -> Option<Source> {
        if number > self.opcode.desc().format.sources() {
            return None;
        }
        let field = [Field::Src1, Field::Src2, Field::Src3].get(number.checked_sub(1)?)?;
        Some(Source::from_number(self.get(*field) as u8))
    }

    /// The address register of a source, counted from 1. Only the wide source can have one, and only if it
    /// names a uniform.
    pub fn address(&self, number: usize) -> Option<Address> {
        let wide = self.opcode.desc().format.wide_source()? == number;
        let applies = wide && matches!(self.source(number), Some(Source::Uniform(_)));
        if applies { Address::from_number(self.get(Field::Address) as u8) } else { None }
    }

    /// The destination, if the format has one.
    pub fn dest(&self) -> Option<Dest> {
        let has = self.opcode.desc().format.fields().iter().any(|desc| desc.field == Field::Dst);
        has.then(|| Dest::from_number(self.get(Field::Dst) as u8))
    }

    /// The comparisons of x and y.
    pub fn comparisons(&self) -> [Compare; 2] {
        [Field::CompareX, Field::CompareY].map(|field| Compare::from_number(self.get(field) as u8))
    }

    /// The condition of a conditional instruction.
    pub fn condition(&self) -> Condition {
        let combine = match self.get(Field::Combine) {
            0 => Combine::Or,
            1 => Combine::And,
            2 => Combine::X,
            _ => Combine::Y,
        };
        Condition { combine, x: self.get(Field::RefX) != 0, y: self.get(Field::RefY) != 0 }
    }

    /// The target address, in words.
    pub fn target(&self) -> u32 {
        u32::from(self.get(Field::Target))
    }

    /// The address after the `count` instructions from the target on, in words.
    pub fn range_end(&self) -> u32 {
        // Both numbers have 16 bits, so the sum does not overflow.
        self.target().saturating_add(self.get(Field::Count).into())
    }

    /// The number of the boolean uniform.
    pub fn bool_uniform(&self) -> usize {
        usize::from(self.get(Field::Bool))
    }

    /// The number of the integer uniform.
    pub fn int_uniform(&self) -> usize {
        usize::from(self.get(Field::Int))
    }

    /// The value of the boolean uniform for which the instruction acts: false only for a jump with an odd
    /// count.
    pub fn expected_bool(&self) -> bool {
        self.opcode != Opcode::Jmpu || self.get(Field::Count) & 1 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_words_decode() {
        let mad = Inst::decode(0xe000_0440).expect("mad");
        assert_eq!(mad.opcode, Opcode::Mad);
        let sources = [1, 2, 3].map(|number| mad.source(number));
        assert_eq!(sources, [0, 1, 2].map(|index| Some(Source::Input(index))));
        let relative = Inst::decode(0x4c0c_8001).expect("mov");
        assert_eq!(relative.source(1), Some(Source::Uniform(40)));
        assert_eq!(relative.address(1), Some(Address::A0X));
        assert_eq!(relative.descriptor(), Some(1));
    }

    #[test]
    fn every_word_round_trips() {
        // Every opcode with every single bit, and a pseudo-random sweep over all 32 bits.
        let mut word = 0x1234_5678u32;
        let sweep = std::iter::repeat_with(|| {
            word = word.wrapping_mul(0x9e37_79b1).wrapping_add(0x7f4a_7c15);
            word
        });
        let single = (0..64u32).flat_map(|top| (0..26).map(move |bit| top << 26 | 1 << bit));
        let mut known = 0;
        for word in single.chain(sweep.take(200_000)) {
            if let Some(inst) = Inst::decode(word) {
                assert_eq!(inst.encode(), word, "{inst:?}");
                known += 1;
            }
        }
        assert!(known > 100_000);
    }
}
