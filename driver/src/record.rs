//! Encodes the records of `agx_abi::record`.

use agx_abi::record::{Field, Kind, Record};

/// A record that is being filled in.
#[derive(Clone, Debug)]
pub struct Writer {
    bytes: Vec<u8>,
}

/// The bits for a value: the inverse of [`Field::get`].
pub fn raw(field: &Field, value: u64) -> u64 {
    match field.kind {
        Kind::MinusOne => value.saturating_sub(1),
        Kind::Shifted(by) => value >> by,
        // The maximum number of groups is encoded as 0, so 0 groups are encoded as 1.
        Kind::Groups(of) => value.max(1).div_ceil(of.into()) & (u64::MAX >> (64 - field.bits)),
        Kind::Log2 => value.max(1).ilog2().into(),
        _ => value,
    }
}

impl Writer {
    /// A record with only the bits that identify its kind.
    pub fn new(record: &Record) -> Writer {
        let mut bytes = vec![0; record.bytes];
        for field in record.fields {
            if let Kind::Exactly(value) = field.kind {
                field.set_raw(&mut bytes, value);
            }
        }
        Writer { bytes }
    }

    /// Sets a field to a value.
    pub fn set(mut self, field: &Field, value: u64) -> Writer {
        field.set_raw(&mut self.bytes, raw(field, value));
        self
    }

    /// Sets a flag.
    pub fn flag(self, field: &Field, value: bool) -> Writer {
        self.set(field, value.into())
    }

    /// Sets the bits of a 32-bit float.
    pub fn float(self, field: &Field, value: f32) -> Writer {
        self.set(field, value.to_bits().into())
    }

    /// The record.
    pub fn bytes(self) -> Vec<u8> {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_what_is_read() {
        for (_, record) in agx_abi::record::all() {
            for field in record.fields {
                let (value, expected) = match field.kind {
                    Kind::Exactly(_) => continue,
                    Kind::Shifted(by) => (1 << by, 1 << by),
                    Kind::Groups(of) => (of.into(), of.into()),
                    _ => (1, 1),
                };
                let bytes = Writer::new(record).set(field, value).bytes();
                assert_eq!(field.get(&bytes), expected, "{}.{}", record.name, field.name);
            }
        }
    }
}
