//! Typed scalars.

use std::fmt;

use half::f16;

/// How the bits of a scalar are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// A float.
    Float,
    /// A signed integer.
    Signed,
    /// An unsigned integer.
    Unsigned,
    /// A boolean.
    Bool,
    /// Bits, printed in hexadecimal.
    Hex,
}

/// The type of a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    /// How its bits are read.
    pub class: Class,
    /// Their number; 0 for numbers in an expression, which take the width of the other operand.
    pub bits: u8,
}

/// Names of types.
const NAMES: &[(&str, Class, u8)] = &[
    ("f16", Class::Float, 16),
    ("f32", Class::Float, 32),
    ("f64", Class::Float, 64),
    ("i8", Class::Signed, 8),
    ("i16", Class::Signed, 16),
    ("i32", Class::Signed, 32),
    ("i64", Class::Signed, 64),
    ("u8", Class::Unsigned, 8),
    ("u16", Class::Unsigned, 16),
    ("u32", Class::Unsigned, 32),
    ("u64", Class::Unsigned, 64),
    ("bool", Class::Bool, 1),
    ("x8", Class::Hex, 8),
    ("x16", Class::Hex, 16),
    ("x32", Class::Hex, 32),
    ("x64", Class::Hex, 64),
];

impl Kind {
    /// The type called `name`.
    pub fn find(name: &str) -> Option<Kind> {
        let row = NAMES.iter().find(|row| row.0 == name);
        row.map(|(_, class, bits)| Kind { class: *class, bits: *bits })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        let row = NAMES.iter().find(|row| (row.1, row.2) == (self.class, self.bits));
        row.map_or("number", |row| row.0)
    }

    /// An unsigned integer.
    pub fn unsigned(bits: u8) -> Kind {
        Kind { class: Class::Unsigned, bits }
    }

    /// Half registers of a value.
    pub(crate) fn halves(self) -> u8 {
        self.bits.div_ceil(16).max(1)
    }
}

/// A scalar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    /// Its type.
    pub kind: Kind,
    /// Its bits.
    pub bits: u64,
}

impl Value {
    pub(crate) const FALSE: Value = Value { kind: Kind { class: Class::Bool, bits: 1 }, bits: 0 };

    /// A scalar with these bits; those beyond its width are dropped.
    pub fn new(kind: Kind, bits: u64) -> Value {
        Value { kind, bits: bits & mask(kind.bits) }
    }

    /// An unsigned 32-bit integer.
    pub(crate) fn word(bits: u32) -> Value {
        Value::new(Kind::unsigned(32), bits.into())
    }

    pub(crate) fn bool(holds: bool) -> Value {
        Value { bits: holds.into(), ..Value::FALSE }
    }

    /// As a float.
    pub fn float(self) -> f64 {
        match (self.kind.class, self.kind.bits) {
            (Class::Float, 16) => f16::from_bits(self.bits as u16).to_f64(),
            (Class::Float, 32) => f32::from_bits(self.bits as u32).into(),
            (Class::Float, _) => f64::from_bits(self.bits),
            _ => self.integer() as f64,
        }
    }

    /// As an integer; a float is truncated.
    pub fn integer(self) -> i128 {
        match self.kind.class {
            Class::Float => self.float() as i128,
            Class::Signed => {
                let unused = u32::from(64u8.saturating_sub(self.kind.bits.max(1)));
                let unused = if self.kind.bits == 0 { 0 } else { unused };
                i128::from((self.bits as i64).wrapping_shl(unused).wrapping_shr(unused))
            }
            Class::Unsigned | Class::Bool | Class::Hex => self.bits.into(),
        }
    }

    /// Whether it is not zero.
    pub fn holds(self) -> bool {
        match self.kind.class {
            Class::Float => self.float() != 0.0,
            _ => self.bits != 0,
        }
    }

    /// Converted to another type, as a conversion in the source would.
    pub fn convert(self, kind: Kind) -> Value {
        let bits = match (kind.class, kind.bits) {
            (Class::Float, 16) => f16::from_f64(self.float()).to_bits().into(),
            (Class::Float, 32) => (self.float() as f32).to_bits().into(),
            (Class::Float, _) => self.float().to_bits(),
            (Class::Bool, _) => self.holds().into(),
            _ => self.integer() as u64,
        };
        Value::new(kind, bits)
    }

    /// A float of the given width.
    pub(crate) fn of_float(value: f64, bits: u8) -> Value {
        let wide = Value { kind: Kind { class: Class::Float, bits: 0 }, bits: value.to_bits() };
        wide.convert(Kind { class: Class::Float, bits })
    }
}

/// The value of half registers, lowest first; `None` if one of them has none.
pub(crate) fn joined(halves: u8, half: impl Fn(u8) -> Option<u16>) -> Option<u64> {
    (0..halves).rev().try_fold(0u64, |value, at| Some(value.wrapping_shl(16) | u64::from(half(at)?)))
}

/// The low bits of a value; all for numbers without a width.
fn mask(bits: u8) -> u64 {
    match bits {
        0 | 64.. => u64::MAX,
        bits => 1u64.wrapping_shl(bits.into()).wrapping_sub(1),
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind.class, self.kind.bits) {
            (Class::Float, 16) => write!(f, "{:?}", f16::from_bits(self.bits as u16).to_f32()),
            (Class::Float, 32) => write!(f, "{:?}", f32::from_bits(self.bits as u32)),
            (Class::Float, _) => write!(f, "{:?}", self.float()),
            (Class::Bool, _) => write!(f, "{}", self.holds()),
            (Class::Hex, bits) => {
                write!(f, "{:#0width$x}", self.bits, width = usize::from(bits / 4).saturating_add(2))
            }
            _ => write!(f, "{}", self.integer()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_print_by_their_types() {
        let print = |name: &str, bits: u64| Value::new(Kind::find(name).unwrap(), bits).to_string();
        assert_eq!(print("f32", 0x3fc0_0000), "1.5");
        assert_eq!(print("f16", 0xc000), "-2.0");
        assert_eq!(print("f64", 0.1f64.to_bits()), "0.1");
        assert_eq!((print("i16", 0xffff), print("u16", 0xffff)), ("-1".into(), "65535".into()));
        assert_eq!((print("i8", 0x80), print("i64", u64::MAX)), ("-128".into(), "-1".into()));
        assert_eq!((print("x32", 255), print("bool", 1)), ("0x000000ff".into(), "true".into()));
        assert_eq!(print("u8", 0x1ff), "255", "bits beyond the width are dropped");
    }

    #[test]
    fn conversions_follow_the_source_languages() {
        let float = Value::of_float(-2.7, 32);
        assert_eq!(float.convert(Kind::find("i32").unwrap()).to_string(), "-2");
        assert_eq!(Value::word(3).convert(Kind::find("f16").unwrap()).to_string(), "3.0");
        assert!(Value::of_float(0.5, 16).holds() && !Value::of_float(-0.0, 32).holds());
    }
}
