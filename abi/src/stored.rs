//! Serialisation of values, for caches on disk: one form per value, little-endian, without padding.
//!
//! Reading is total: invalid bytes are an error, and lengths are checked before anything is allocated. The
//! form has no version; users that store values prefix one.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use thiserror::Error;

/// Why bytes do not decode to a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum StoredError {
    /// The bytes end before the value does.
    #[error("the bytes end within a {0}")]
    End(&'static str),
    /// A number that denotes nothing.
    #[error("{found} does not denote a {expected}")]
    Value {
        /// The expected kind.
        expected: &'static str,
        /// The number.
        found: u64,
    },
    /// Trailing bytes after the value.
    #[error("{0} bytes follow the value")]
    Trailing(usize),
}

/// Bytes to read from the front.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    /// The next `count` bytes.
    fn take(&mut self, count: usize, of: &'static str) -> Result<&'b [u8], StoredError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(StoredError::End(of))?;
        self.rest = rest;
        Ok(taken)
    }

    /// The length of a list or text. Each element takes at least one byte, so a length beyond the remaining
    /// bytes is an error.
    fn length(&mut self) -> Result<usize, StoredError> {
        let length = u32::read(self)? as usize;
        if length > self.rest.len() { Err(StoredError::End("list")) } else { Ok(length) }
    }
}

/// A value with a serialised form.
pub trait Stored: Sized {
    /// Appends the value.
    fn write(&self, to: &mut Vec<u8>);

    /// Reads a value from the front.
    ///
    /// # Errors
    /// The bytes do not decode to one.
    fn read(from: &mut Reader<'_>) -> Result<Self, StoredError>;
}

/// Serialises a value.
pub fn to_bytes(value: &impl Stored) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.write(&mut bytes);
    bytes
}

/// Decodes a value from bytes, using all of them.
///
/// # Errors
/// The bytes do not decode to one.
pub fn from_bytes<T: Stored>(bytes: &[u8]) -> Result<T, StoredError> {
    let mut reader = Reader { rest: bytes };
    let value = T::read(&mut reader)?;
    match reader.rest.len() {
        0 => Ok(value),
        more => Err(StoredError::Trailing(more)),
    }
}

macro_rules! numbers {
    ($($type:ident)*) => {$(
        impl Stored for $type {
            fn write(&self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }

            fn read(from: &mut Reader<'_>) -> Result<Self, StoredError> {
                let bytes = from.take(size_of::<$type>(), stringify!($type))?;
                let bytes = bytes.try_into().map_err(|_| StoredError::End(stringify!($type)))?;
                Ok($type::from_le_bytes(bytes))
            }
        }
    )*};
}

numbers! { u8 u16 u32 u64 u128 }

impl Stored for bool {
    fn write(&self, to: &mut Vec<u8>) {
        to.push((*self).into());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, StoredError> {
        match u8::read(from)? {
            0 => Ok(false),
            1 => Ok(true),
            found => Err(StoredError::Value { expected: "bool", found: found.into() }),
        }
    }
}

impl Stored for String {
    fn write(&self, to: &mut Vec<u8>) {
        (self.len() as u32).write(to);
        to.extend_from_slice(self.as_bytes());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, StoredError> {
        let length = from.length()?;
        let bytes = from.take(length, "text")?;
        let text = str::from_utf8(bytes);
        text.map(str::to_owned).map_err(|error| StoredError::Value {
            expected: "text in UTF-8",
            found: error.valid_up_to() as u64,
        })
    }
}

impl<T: Stored> Stored for Option<T> {
    fn write(&self, to: &mut Vec<u8>) {
        self.is_some().write(to);
        if let Some(value) = self {
            value.write(to);
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, StoredError> {
        Ok(if bool::read(from)? { Some(T::read(from)?) } else { None })
    }
}

impl<T: Stored> Stored for Vec<T> {
    fn write(&self, to: &mut Vec<u8>) {
        (self.len() as u32).write(to);
        self.iter().for_each(|value| value.write(to));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, StoredError> {
        let length = from.length()?;
        (0..length).map(|_| T::read(from)).collect()
    }
}

impl<T: Stored, const N: usize> Stored for [T; N] {
    fn write(&self, to: &mut Vec<u8>) {
        self.iter().for_each(|value| value.write(to));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, StoredError> {
        let values = (0..N).map(|_| T::read(from)).collect::<Result<Vec<T>, StoredError>>()?;
        values.try_into().map_err(|_| StoredError::End("array"))
    }
}

impl<A: Stored, B: Stored> Stored for (A, B) {
    fn write(&self, to: &mut Vec<u8>) {
        self.0.write(to);
        self.1.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, StoredError> {
        Ok((A::read(from)?, B::read(from)?))
    }
}

/// Implements [`Stored`] for structures, field by field: `TYPE { FIELD FIELD … }`. An omitted field does not
/// compile.
#[macro_export]
macro_rules! stored_structs {
    ($($type:ident { $($field:ident)* })*) => {$(
        impl $crate::stored::Stored for $type {
            fn write(&self, to: &mut Vec<u8>) {
                let $type { $($field),* } = self;
                $($crate::stored::Stored::write($field, to);)*
            }

            fn read(
                from: &mut $crate::stored::Reader<'_>,
            ) -> Result<Self, $crate::stored::StoredError> {
                Ok($type { $($field: $crate::stored::Stored::read(from)?),* })
            }
        }
    )*};
}

/// Implements [`Stored`] for enumerations, by the numbers of their variants: `TYPE { NUMBER VARIANT { FIELD …
/// } … }`. An omitted variant does not compile.
#[macro_export]
macro_rules! stored_enums {
    ($($type:ident { $($code:literal $variant:ident $({ $($field:ident)* })? $(($inner:ident))?;)* })*) => {$(
        impl $crate::stored::Stored for $type {
            fn write(&self, to: &mut Vec<u8>) {
                match self {$(
                    $type::$variant $({ $($field),* })? $(($inner))? => {
                        to.push($code);
                        $($($crate::stored::Stored::write($field, to);)*)?
                        $($crate::stored::Stored::write($inner, to);)?
                    }
                )*}
            }

            fn read(
                from: &mut $crate::stored::Reader<'_>,
            ) -> Result<Self, $crate::stored::StoredError> {
                Ok(match <u8 as $crate::stored::Stored>::read(from)? {
                    $($code => $type::$variant
                        $({ $($field: $crate::stored::Stored::read(from)?),* })?
                        $(({
                            let $inner = $crate::stored::Stored::read(from)?;
                            $inner
                        }))?,)*
                    found => {
                        return Err($crate::stored::StoredError::Value {
                            expected: stringify!($type),
                            found: found.into(),
                        });
                    }
                })
            }
        }
    )*};
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vertex::Output;
    use crate::{PartRole, ShaderInfo};

    #[test]
    fn values_round_trip() {
        let value = (vec![Some(String::from("ä")), None], [(7_u16, true), (9, false)]);
        let bytes = to_bytes(&value);
        assert_eq!(from_bytes(&bytes), Ok(value));
        assert_eq!(bytes.len(), 4 + 1 + 4 + 2 + 1 + 2 * 3);
        let output = Output::User { location: 3, component: 2 };
        assert_eq!(from_bytes(&to_bytes(&output)), Ok(output));
    }

    #[test]
    fn invalid_bytes_are_errors() {
        let unknown = StoredError::Value { expected: "PartRole", found: 9 };
        assert_eq!(from_bytes::<PartRole>(&[9]), Err(unknown));
        assert_eq!(from_bytes::<bool>(&[2]), Err(StoredError::Value { expected: "bool", found: 2 }));
        assert_eq!(from_bytes::<u32>(&[0; 3]), Err(StoredError::End("u32")));
        assert_eq!(from_bytes::<u8>(&[0; 3]), Err(StoredError::Trailing(2)));
        // A length without the bytes for it allocates nothing.
        assert_eq!(from_bytes::<Vec<u64>>(&[0xff; 4]), Err(StoredError::End("list")));
        assert!(from_bytes::<String>(&[1, 0, 0, 0, 0xff]).is_err());
    }

    #[test]
    fn every_prefix_of_a_value_is_rejected() {
        let mut info = ShaderInfo { entry_point: "main".into(), ..ShaderInfo::default() };
        info.fragment.coefficients.push(crate::fragment::CoefficientSource::ClipDistance(1));
        info.uniforms.extend(crate::fragment::UNIFORMS);
        let bytes = to_bytes(&info);
        assert_eq!(from_bytes(&bytes), Ok(info));
        for length in 0..bytes.len() {
            assert!(from_bytes::<ShaderInfo>(&bytes[..length]).is_err(), "{length} bytes");
        }
    }
}
