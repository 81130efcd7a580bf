//! Records of a fixed size, filled field by field.
//!
//! Records and fields are constants, so that setting a field compiles to a mask and an OR of constant bits: the builder
//! costs nothing over writing the words by hand, and the table stays the only description of the encoding.

use super::{Field, FieldError, Kind, When, set_bits};

/// The first four bytes of a record.
const FIRST_WORD: Field = Field {
    name: "WORD",
    start: 0,
    bits: 32,
    kind: Kind::Number,
    when: When::Always,
    doc: "The first word.",
};

/// A record of `N` bytes that is being filled in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Packed<const N: usize>([u8; N]);

impl<const N: usize> Packed<N> {
    /// The record with these fields in which each has its only valid value, or 0.
    pub const fn blank(mut fields: &[Field]) -> Packed<N> {
        let mut packed = Packed([0; N]);
        while let Some((first, rest)) = fields.split_first() {
            if let Kind::Exactly(value) = first.kind {
                packed = packed.set_raw(first, value);
            }
            fields = rest;
        }
        packed
    }

    /// Sets the bits of a field.
    #[inline(always)]
    #[must_use]
    pub const fn set_raw(mut self, field: &Field, raw: u64) -> Packed<N> {
        self.put_raw(field, raw);
        self
    }

    /// Sets the bits of a field in place.
    #[inline(always)]
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "a field has 1 to 64 bits, and words are numbered from 0 on"
    )]
    const fn put_raw(&mut self, field: &Field, raw: u64) {
        let mask = (u64::MAX >> (64 - field.bits)) as u128;
        let (mask, set) = (mask << (field.start % 32), (raw as u128 & mask) << (field.start % 32));
        // A field of 64 bits touches at most three words. Those that it does not touch cost nothing, because fields are constants.
        let first = field.start / 32;
        self.replace_word(first, mask as u32, set as u32);
        self.replace_word(first + 1, (mask >> 32) as u32, (set >> 32) as u32);
        self.replace_word(first + 2, (mask >> 64) as u32, (set >> 64) as u32);
    }

    /// Replaces the bits of `mask` in a word.
    #[inline(always)]
    #[expect(clippy::arithmetic_side_effects, reason = "a record is in memory, so its bytes have numbers")]
    const fn replace_word(&mut self, word: u32, mask: u32, set: u32) {
        if mask == 0 {
            return;
        }
        let (_, rest) = self.0.split_at_mut(4 * word as usize);
        match rest.first_chunk_mut::<4>() {
            Some(bytes) => *bytes = (u32::from_le_bytes(*bytes) & !mask | set).to_le_bytes(),
            // The last half word of a record.
            None => {
                set_bits(rest, 0, 16, (super::half_word(rest) & !mask | set) as u64);
            }
        }
    }

    /// Sets a field to a value, without a check: see [`Field::pack`].
    #[inline(always)]
    #[must_use]
    pub const fn set(self, field: &Field, value: u64) -> Packed<N> {
        self.set_raw(field, field.pack(value))
    }

    /// As [`Packed::set`], in place, for records that are too large to be moved.
    #[inline(always)]
    pub const fn put(&mut self, field: &Field, value: u64) -> &mut Packed<N> {
        self.put_raw(field, field.pack(value));
        self
    }

    /// As [`Packed::flag`], in place.
    #[inline(always)]
    pub const fn put_flag(&mut self, field: &Field, value: bool) -> &mut Packed<N> {
        self.put_raw(field, value as u64);
        self
    }

    /// As [`Packed::float`], in place.
    #[inline(always)]
    pub const fn put_float(&mut self, field: &Field, value: f32) -> &mut Packed<N> {
        self.put_raw(field, value.to_bits() as u64);
        self
    }

    /// Sets a flag.
    #[inline(always)]
    #[must_use]
    pub const fn flag(self, field: &Field, value: bool) -> Packed<N> {
        self.set_raw(field, value as u64)
    }

    /// Sets the bits of a 32-bit float.
    #[inline(always)]
    #[must_use]
    pub const fn float(self, field: &Field, value: f32) -> Packed<N> {
        self.set_raw(field, value.to_bits() as u64)
    }

    /// Sets a field to a value that it can hold.
    ///
    /// # Errors
    /// It cannot.
    #[inline(always)]
    pub fn checked(self, field: &Field, value: u64) -> Result<Packed<N>, FieldError> {
        Ok(self.set_raw(field, field.encode(value)?))
    }

    /// ORs a word to the first four bytes: the resources of a shader ([`crate::words::Resources`]), which begin several
    /// records.
    #[inline(always)]
    #[must_use]
    pub fn or(self, word: u32) -> Packed<N> {
        let own = self.0.first_chunk::<4>().map_or(0, |own| u32::from_le_bytes(*own));
        self.set_raw(&FIRST_WORD, (own | word) as u64)
    }

    /// The bytes.
    #[inline(always)]
    pub const fn bytes(self) -> [u8; N] {
        self.0
    }

    /// The bytes, where they are.
    #[inline(always)]
    pub const fn as_bytes(&self) -> &[u8; N] {
        &self.0
    }
}

impl Packed<4> {
    /// The record as a word.
    #[inline(always)]
    pub const fn bits(self) -> u32 {
        u32::from_le_bytes(self.0)
    }
}

impl Packed<8> {
    /// The record as a word of 64 bits.
    #[inline(always)]
    pub const fn bits(self) -> u64 {
        u64::from_le_bytes(self.0)
    }
}

impl Field {
    /// The bits for a value: the inverse of [`Field::get`] for values that the field can hold. Others are cut to the
    /// field; [`Field::encode`] rejects them.
    #[inline(always)]
    pub const fn pack(&self, value: u64) -> u64 {
        match self.kind {
            Kind::MinusOne => value.saturating_sub(1),
            Kind::Shifted(by) => value >> by,
            // The maximum number of groups is encoded as 0, so 0 groups are encoded as 1.
            Kind::Groups(of) => {
                if value == 0 {
                    1
                } else {
                    value.div_ceil(of as u64)
                }
            }
            Kind::Log2 => {
                if value == 0 {
                    0
                } else {
                    value.ilog2() as u64
                }
            }
            _ => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{all, launch, usc_preamble};

    #[test]
    fn packing_a_value_gives_the_bits_of_its_encoding() {
        for (_, record) in all() {
            for field in record.fields {
                for value in [1, 2, 4, 64, 4096]
                    .into_iter()
                    .filter(|value: &u64| value.checked_shr(field.bits).unwrap_or(0) == 0)
                {
                    if let Ok(raw) = field.encode(value) {
                        let found = Packed::<256>::blank(&[]).set(field, value);
                        assert_eq!(
                            field.raw(&found.bytes()),
                            raw,
                            "{}.{} = {value}",
                            record.name,
                            field.name
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn records_begin_with_the_bits_of_their_kind() {
        assert_eq!(usc_preamble::new().bytes(), [0x38, 0, 0x80, 0xc0, 0, 0, 0, 0]);
        let packed = launch::new().set(&launch::UNIFORMS, 65).set(&launch::PIPELINE, 0x1240);
        assert_eq!(packed.bits(), 2 << 1 | 0x1240 << 32);
        // Setting a field again replaces it, and values are cut to the field.
        assert_eq!(packed.set(&launch::UNIFORMS, 1).bits(), 1 << 1 | 0x1240 << 32);
        assert_eq!(launch::new().set(&launch::MODE, 5).bits(), 1 << 27);
        assert!(launch::new().checked(&launch::MODE, 5).is_err());
    }
}
