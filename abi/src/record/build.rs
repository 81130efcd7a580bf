//! Building records from the values of their fields.

use super::{Field, Kind, Record};
use thiserror::Error;

/// A value that a field cannot hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("field {field} cannot hold {value}; expected {expected}")]
pub struct FieldError {
    /// Name of the field.
    pub field: &'static str,
    /// The value, before it is encoded.
    pub value: u64,
    /// The range of the field.
    pub expected: &'static str,
}

impl Field {
    /// The encoding of `value`: the inverse of [`Field::get`]. Counts in groups are rounded up, and 0 is one
    /// group (Mesa 25.0 does the same); a float is given by its bits, a choice by its code.
    ///
    /// # Errors
    /// The field cannot hold the value.
    #[inline(always)]
    pub fn encode(&self, value: u64) -> Result<u64, FieldError> {
        let refused = |expected| Err(FieldError { field: self.name, value, expected });
        let raw = match self.kind {
            Kind::MinusOne if value == 0 => return refused("a number of at least 1"),
            Kind::MinusOne => value.saturating_sub(1),
            Kind::Shifted(by) if value.trailing_zeros() < by => {
                return refused("a multiple of the field's unit");
            }
            Kind::Shifted(by) => value >> by,
            Kind::Groups(1) if value == 0 => return refused("a number of at least 1"),
            Kind::Groups(of) => {
                let groups = value.div_ceil(of.into()).max(1);
                if groups == 1 << self.bits { 0 } else { groups }
            }
            Kind::Log2 if !value.is_power_of_two() => return refused("a power of two"),
            Kind::Log2 => value.trailing_zeros().into(),
            Kind::Exactly(known) if value != known => return refused("its only valid value"),
            Kind::Choice(names) if !names.iter().any(|(code, _)| *code == value) => {
                return refused("one of its choices");
            }
            _ => value,
        };
        match raw >> self.bits.saturating_sub(1) > 1 {
            true => refused("a number that fits the field"),
            false => Ok(raw),
        }
    }

    /// The code of a choice, by its name.
    pub fn choice(&self, name: &str) -> Option<u64> {
        let Kind::Choice(names) = self.kind else { return None };
        names.iter().find(|(_, known)| *known == name).map(|(code, _)| *code)
    }
}

impl Record {
    /// A record with the given field values; fields with only one valid value have it, and all others are 0.
    ///
    /// # Errors
    /// The first value that its field cannot hold.
    pub fn build(&self, values: &[(Field, u64)]) -> Result<Vec<u8>, FieldError> {
        let mut bytes = vec![0; self.bytes];
        for field in self.fields {
            if let Kind::Exactly(value) = field.kind {
                field.set_raw(&mut bytes, value);
            }
        }
        for (field, value) in values {
            debug_assert!(self.fields.contains(field), "{} is not a field of {}", field.name, self.name);
            field.set_raw(&mut bytes, field.encode(*value)?);
        }
        Ok(bytes)
    }

    /// A record with the given field bits and all others 0, without checks: see [`Record::build`] for valid
    /// records.
    pub fn build_raw(&self, bits: &[(Field, u64)]) -> Vec<u8> {
        let mut bytes = vec![0; self.bytes];
        for (field, raw) in bits {
            debug_assert!(self.fields.contains(field), "{} is not a field of {}", field.name, self.name);
            field.set_raw(&mut bytes, *raw);
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{all, cf_binding, usc_registers, usc_shared, usc_uniform};

    #[test]
    fn encoding_a_value_and_reading_it_gives_the_same_value() {
        for (_, record) in all() {
            for field in record.fields {
                for raw in [0, 1, 2, 3, (1_u64 << (field.bits - 1)) - 1, u64::MAX >> (64 - field.bits)] {
                    let raw = raw & (u64::MAX >> (64 - field.bits));
                    let mut bytes = vec![0; record.bytes];
                    field.set_raw(&mut bytes, raw);
                    let value = field.get(&bytes);
                    let large = matches!(field.kind, Kind::Log2) && raw > 63;
                    let unknown = match field.kind {
                        Kind::Choice(names) => !names.iter().any(|(code, _)| *code == raw),
                        Kind::Exactly(known) => raw != known,
                        _ => false,
                    };
                    let overflows = matches!(field.kind, Kind::Shifted(by) if raw << by >> by != raw);
                    if !large && !unknown && !overflows {
                        assert_eq!(field.encode(value), Ok(raw), "{}.{} = {value}", record.name, field.name);
                    }
                }
            }
        }
    }

    #[test]
    fn values_out_of_range_are_rejected() {
        let cases = [
            (usc_uniform::COUNT, 0),
            (usc_uniform::COUNT, 65),
            (usc_uniform::ADDRESS, 6),
            (usc_uniform::TAG, 1),
            (usc_shared::SAMPLES, 3),
            (usc_shared::LAYOUT, 1),
            (cf_binding::COMPONENTS, 0),
            (cf_binding::COMPONENTS, 5),
            (usc_registers::COUNT, 257),
        ];
        for (field, value) in cases {
            assert!(field.encode(value).is_err(), "{} = {value}", field.name);
        }
        assert_eq!(
            [0, 1, 8, 9, 256].map(|count| usc_registers::COUNT.encode(count)),
            [1, 1, 1, 2, 0].map(Ok)
        );
        assert_eq!(usc_shared::LAYOUT.choice("32x16"), Some(0x3f));
    }
}
