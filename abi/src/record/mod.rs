//! Control streams as data: one table per record, field by field, like `agx_isa::INSTS` for instructions.
//!
//! Decoding is total: bits that no field covers are kept and identified by position, so that decoding
//! followed by encoding gives the same bytes. Fields whose validity depends on another field declare that in
//! [`When`].

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

mod build;
mod cdm;
mod descriptor;
mod kernel;
mod packed;
mod pass;
mod ppp;
mod rule;
mod update;
mod usc;
mod vdm;

pub use build::FieldError;
pub use cdm::*;
pub use descriptor::*;
pub use kernel::*;
pub use packed::Packed;
pub use pass::*;
pub use ppp::*;
pub use rule::{Given, Rule, Scope};
pub use update::{StateUpdate, UPDATE, initial_update};
pub use usc::*;
pub use vdm::*;

use std::fmt::Write as _;

/// The encoding of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A number.
    Number,
    /// A number minus one.
    MinusOne,
    /// A number divided by a power of two, given by its exponent.
    Shifted(u32),
    /// Groups of this size; 0 means more groups than fit.
    Groups(u32),
    /// The logarithm to base two of a number.
    Log2,
    /// A boolean.
    Flag,
    /// Bits of unknown meaning that drivers set.
    Unknown,
    /// Bits that must have this value.
    Exactly(u64),
    /// A 32-bit float.
    Float,
    /// A level of detail in 64ths.
    Level,
    /// One of these values; other values are unknown.
    Choice(&'static [(u64, &'static str)]),
}

/// When a field is valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// In every record.
    Always,
    /// If the bits `start`, `len` equal `value`.
    Is(u32, u32, u64),
    /// If they do not.
    IsNot(u32, u32, u64),
}

/// A field of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// Name, unique in the record.
    pub name: &'static str,
    /// First bit, counted from bit 0 of byte 0.
    pub start: u32,
    /// Number of bits, 1 to 64.
    pub bits: u32,
    /// Their encoding.
    pub kind: Kind,
    /// When they are valid.
    pub when: When,
    /// Meaning.
    pub doc: &'static str,
}

/// A record.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// Name.
    pub name: &'static str,
    /// Length in bytes.
    pub bytes: usize,
    /// Its purpose.
    pub doc: &'static str,
    /// The source of the facts.
    pub source: &'static str,
    /// Fields in the order of their bits.
    pub fields: &'static [Field],
    /// What a conformant driver writes to each field.
    pub rules: &'static [Rule],
}

/// `len` bits starting at `start`; bits after the last byte are 0.
pub fn bits(bytes: &[u8], start: u32, len: u32) -> u64 {
    let first = (start / 8) as usize;
    let mask = u64::MAX >> 64u32.saturating_sub(len);
    // Most fields are within eight bytes of the record.
    let eight = bytes.get(first..).and_then(<[u8]>::first_chunk::<8>);
    if let Some(eight) = eight.filter(|_| (start % 8).saturating_add(len) <= 64) {
        return u64::from_le_bytes(*eight) >> (start % 8) & mask;
    }
    let window = (0..9).rev().fold(0_u128, |value, at| {
        value << 8 | u128::from(bytes.get(first.saturating_add(at)).copied().unwrap_or(0))
    });
    (window >> (start % 8)) as u64 & mask
}

/// The first half word.
#[inline(always)]
const fn half_word(bytes: &[u8]) -> u32 {
    match bytes.first_chunk::<2>() {
        Some(half) => u16::from_le_bytes(*half) as u32,
        None => 0,
    }
}

/// Sets `len` bits starting at `start`; bits after the last byte are dropped.
#[inline(always)]
#[expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "the index is below the length, and a field has at most 64 bits; `get_mut` is not constant"
)]
pub const fn set_bits(bytes: &mut [u8], start: u32, len: u32, value: u64) {
    let mask = if len == 0 { 0 } else { u64::MAX >> (64 - len) };
    let mut at = (start / 8) as usize;
    let mut cleared = (mask as u128) << (start % 8);
    let mut set = ((value & mask) as u128) << (start % 8);
    while cleared != 0 && at < bytes.len() {
        bytes[at] = bytes[at] & !(cleared as u8) | set as u8;
        cleared >>= 8;
        set >>= 8;
        at += 1;
    }
}

impl Field {
    /// The raw bits.
    pub fn raw(&self, bytes: &[u8]) -> u64 {
        bits(bytes, self.start, self.bits)
    }

    /// The decoded number.
    pub fn get(&self, bytes: &[u8]) -> u64 {
        let raw = self.raw(bytes);
        match self.kind {
            Kind::MinusOne => raw.saturating_add(1),
            Kind::Shifted(by) => raw << by,
            Kind::Groups(of) if raw == 0 => u64::from(of) << self.bits,
            Kind::Groups(of) => raw.saturating_mul(of.into()),
            Kind::Log2 => 1 << raw.min(63),
            _ => raw,
        }
    }

    /// Whether the field is not 0.
    pub fn is_set(&self, bytes: &[u8]) -> bool {
        self.raw(bytes) != 0
    }

    /// The field as a 32-bit float.
    pub fn float(&self, bytes: &[u8]) -> f32 {
        f32::from_bits(self.raw(bytes) as u32)
    }

    /// Writes the bits, truncated to the field.
    pub fn set_raw(&self, bytes: &mut [u8], raw: u64) {
        set_bits(bytes, self.start, self.bits, raw);
    }

    /// Whether the field is valid in this record.
    pub fn is_meant(&self, bytes: &[u8]) -> bool {
        match self.when {
            When::Always => true,
            When::Is(start, len, value) => bits(bytes, start, len) == value,
            When::IsNot(start, len, value) => bits(bytes, start, len) != value,
        }
    }

    /// The field's value as text.
    pub fn text(&self, bytes: &[u8]) -> String {
        let (raw, value) = (self.raw(bytes), self.get(bytes));
        match self.kind {
            Kind::Number | Kind::MinusOne | Kind::Groups(_) | Kind::Log2 => value.to_string(),
            Kind::Shifted(_) | Kind::Unknown | Kind::Exactly(_) => format!("{value:#x}"),
            Kind::Flag => String::from(if raw != 0 { "yes" } else { "no" }),
            Kind::Float => format!("{:?}", self.float(bytes)),
            Kind::Level => format!("{:?}", raw as f64 / 64.0),
            Kind::Choice(names) => match names.iter().find(|(code, _)| *code == raw) {
                Some((_, name)) => String::from(*name),
                None => format!("unknown {raw:#x}"),
            },
        }
    }
}

/// A decoded record: the bits of every valid field, and the bits that no field names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Values {
    /// The raw bits of each field, in table order; `None` for invalid fields.
    pub fields: Vec<Option<u64>>,
    /// Positions of the bits that are set although no field covers them.
    pub unnamed: Vec<u32>,
}

impl Record {
    /// Decodes a record; missing bytes count as 0.
    pub fn decode(&self, bytes: &[u8]) -> Values {
        let fields =
            self.fields.iter().map(|field| field.is_meant(bytes).then(|| field.raw(bytes))).collect();
        Values { fields, unnamed: self.unnamed(bytes) }
    }

    /// Encodes a record.
    pub fn encode(&self, values: &Values) -> Vec<u8> {
        let mut bytes = vec![0; self.bytes];
        for (field, value) in self.fields.iter().zip(&values.fields) {
            if let Some(value) = value {
                field.set_raw(&mut bytes, *value);
            }
        }
        values.unnamed.iter().for_each(|bit| set_bits(&mut bytes, *bit, 1, 1));
        bytes
    }

    /// Positions of the bits that are set although no field covers them.
    pub fn unnamed(&self, bytes: &[u8]) -> Vec<u32> {
        let mut rest = bytes.get(..self.bytes.min(bytes.len())).unwrap_or(bytes).to_vec();
        for field in self.fields.iter().filter(|field| field.is_meant(bytes)) {
            field.set_raw(&mut rest, 0);
        }
        (0..(rest.len() as u32).saturating_mul(8)).filter(|bit| bits(&rest, *bit, 1) != 0).collect()
    }

    /// The problems of a record: set bits without a name, unknown values.
    pub fn complaints(&self, bytes: &[u8]) -> Vec<String> {
        let mut complaints = Vec::new();
        for bit in self.unnamed(bytes) {
            complaints.push(format!("{}: bit {bit} is set and has no known meaning", self.name));
        }
        for field in self.fields.iter().filter(|field| field.is_meant(bytes)) {
            let raw = field.raw(bytes);
            match field.kind {
                Kind::Exactly(value) if raw != value => {
                    complaints.push(format!("{}: {} is {raw:#x}; expected {value:#x}", self.name, field.name))
                }
                Kind::Choice(names) if !names.iter().any(|(code, _)| *code == raw) => {
                    complaints.push(format!("{}: {} has the unknown value {raw:#x}", self.name, field.name));
                }
                _ => {}
            }
        }
        complaints
    }

    /// One line: the name and every field that is not 0.
    pub fn text(&self, bytes: &[u8]) -> String {
        let mut line = String::from(self.name);
        for field in self.fields.iter().filter(|field| field.is_meant(bytes)) {
            let silent = matches!(field.kind, Kind::Exactly(_));
            let plain = matches!(
                field.kind,
                Kind::Number | Kind::Flag | Kind::Unknown | Kind::Shifted(_) | Kind::Float
            );
            if silent || (plain && !field.is_set(bytes)) {
                continue;
            }
            // Writing to a String cannot fail.
            let _ = match field.kind {
                Kind::Flag => write!(line, " {}", field.name),
                _ => write!(line, " {}={}", field.name, field.text(bytes)),
            };
        }
        for bit in self.unnamed(bytes) {
            let _ = write!(line, " bit{bit}");
        }
        line
    }
}

/// Defines tables of records: `MODULE "name" bytes "doc" { FIELD start bits kind, [if When,] [must Rule,] "doc"; … }` with a
/// common source. Each becomes a module with a constant for every field, the `RECORD` itself, and `new` for building one.
macro_rules! records {
    ($source:literal; $($module:ident $name:literal $bytes:literal $doc:literal {
        $($field:ident $start:literal $bits:literal $kind:expr, $(if $when:expr,)? $(must $rule:expr,)? $text:literal;)*
    })*) => {
        $(
            #[doc = $doc]
            pub mod $module {
                #[allow(unused_imports, reason = "records use what they need of the kinds")]
                use crate::record::{Field, Kind, Kind::*, Packed, Record, Rule, Rule::*, When, When::*};
                $(
                    #[doc = $text]
                    pub const $field: Field = Field {
                        name: stringify!($field),
                        start: $start,
                        bits: $bits,
                        kind: $kind,
                        when: $crate::record::records!(@when $($when)?),
                        doc: $text,
                    };
                )*
                /// The whole record.
                pub static RECORD: Record = Record {
                    name: $name,
                    bytes: $bytes,
                    doc: $doc,
                    source: $source,
                    fields: &[$($field),*],
                    rules: &[$($crate::record::records!(@rule $($rule)?)),*],
                };
                const BLANK: Packed<$bytes> = Packed::blank(&[$($field),*]);
                /// A record with the bits that identify its kind.
                #[inline(always)]
                pub const fn new() -> Packed<$bytes> {
                    BLANK
                }
            }
        )*
        /// All records of this file.
        pub(crate) static RECORDS: &[&crate::record::Record] = &[$(&$module::RECORD),*];
    };
    (@when) => { When::Always };
    (@when $when:expr) => { $when };
    (@rule) => { Rule::Any };
    (@rule $rule:expr) => { $rule };
}
pub(crate) use records;

/// All records, by family.
#[expect(unused_qualifications, reason = "each file has a list of this name")]
pub fn all() -> impl Iterator<Item = (&'static str, &'static Record)> {
    let families: [(&str, &[&Record]); 7] = [
        ("Compute control stream", cdm::RECORDS),
        ("Draw control stream", vdm::RECORDS),
        ("State of the rasteriser", ppp::RECORDS),
        ("Words of a shader", usc::RECORDS),
        ("Textures, images and samplers", descriptor::RECORDS),
        ("Arrays and registers of a render pass", pass::RECORDS),
        ("Kernel interface", kernel::RECORDS),
    ];
    families.into_iter().flat_map(|(family, records)| records.iter().map(move |record| (family, *record)))
}

/// A Markdown section for every record, as shown in docs/device.md.
pub fn reference() -> String {
    let mut text = String::new();
    let mut last = "";
    for (family, record) in all() {
        if family != last {
            let _ = writeln!(text, "### {family}\n");
            last = family;
        }
        let _ = writeln!(
            text,
            "#### {} ({} bytes)\n\n{} Source: {}.\n",
            record.name, record.bytes, record.doc, record.source
        );
        if record.fields.is_empty() {
            continue;
        }
        let _ = writeln!(text, "| field | bits | kind | drivers write | meaning |\n|---|---|---|---|---|");
        for (field, rule) in record.fields.iter().zip(record.rules) {
            let end = last_bit(field.start, field.bits);
            let place =
                if field.bits == 1 { field.start.to_string() } else { format!("{}–{end}", field.start) };
            let (kind, rule) = (kind_text(field), rule.text(field));
            let _ = writeln!(text, "| {} | {place} | {kind} | {rule} | {} |", field.name, field.doc);
        }
        text.push('\n');
    }
    text
}

/// The number of the last bit of a range.
fn last_bit(start: u32, len: u32) -> u32 {
    start.saturating_add(len).saturating_sub(1)
}

fn kind_text(field: &Field) -> String {
    let kind = match field.kind {
        Kind::Number => String::from("number"),
        Kind::MinusOne => String::from("number − 1"),
        Kind::Shifted(by) => format!("number ≫ {by}"),
        Kind::Groups(of) => format!("groups of {of}, 0 is {}", u64::from(of) << field.bits),
        Kind::Log2 => String::from("log₂"),
        Kind::Flag => String::from("flag"),
        Kind::Unknown => String::from("unknown"),
        Kind::Exactly(value) => format!("{value:#x}"),
        Kind::Float => String::from("float"),
        Kind::Level => String::from("64ths"),
        Kind::Choice(names) => {
            names.iter().map(|(code, name)| format!("{code} {name}")).collect::<Vec<_>>().join(", ")
        }
    };
    match field.when {
        When::Always => kind,
        When::Is(start, len, value) => {
            format!("{kind}; when bits {start}–{} are {value}", last_bit(start, len))
        }
        When::IsNot(start, len, value) => {
            format!("{kind}; unless bits {start}–{} are {value}", last_bit(start, len))
        }
    }
}

#[cfg(test)]
mod tests {
    use agx_random::Random;

    use super::*;

    /// Whether two fields can be valid in the same record.
    fn meet(a: &Field, b: &Field) -> bool {
        match (a.when, b.when) {
            (When::Is(p, l, v), When::IsNot(q, m, w)) | (When::IsNot(q, m, w), When::Is(p, l, v)) => {
                (p, l, v) != (q, m, w)
            }
            (When::Is(p, l, v), When::Is(q, m, w)) => (p, l) != (q, m) || v == w,
            _ => true,
        }
    }

    #[test]
    fn fields_are_inside_and_disjoint() {
        for (_, record) in all() {
            for (at, field) in record.fields.iter().enumerate() {
                let place = format!("{}.{}", record.name, field.name);
                assert!((1..=64).contains(&field.bits), "{place}");
                assert!((field.start + field.bits) as usize <= 8 * record.bytes, "{place} ends outside");
                assert!(!field.doc.is_empty() && field.doc.ends_with('.'), "{place} has no sentence");
                for other in &record.fields[..at] {
                    assert_ne!(field.name, other.name, "{place}");
                    let apart =
                        field.start + field.bits <= other.start || other.start + other.bits <= field.start;
                    assert!(apart || !meet(field, other), "{place} overlaps {}", other.name);
                }
            }
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = all().map(|(_, record)| record.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(count > 70, "{count} records");
    }

    #[test]
    fn decoding_and_encoding_again_gives_the_same_bytes() {
        let mut random = Random::new(1);
        for (_, record) in all() {
            for _ in 0..20 {
                let bytes = random.bytes(record.bytes);
                assert_eq!(record.encode(&record.decode(&bytes)), bytes, "{}", record.name);
            }
        }
    }

    #[test]
    fn fields_do_not_share_bits() {
        for (_, record) in all() {
            for field in record.fields.iter().filter(|field| field.when == When::Always) {
                for bit in 0..field.bits {
                    let mut bytes = vec![0; record.bytes];
                    field.set_raw(&mut bytes, 1 << bit);
                    assert_eq!(field.raw(&bytes), 1 << bit, "{}.{}", record.name, field.name);
                    assert!(record.unnamed(&bytes).is_empty(), "{}.{}", record.name, field.name);
                    let others = record.fields.iter().filter(|other| *other != field && meet(field, other));
                    for other in others.filter(|other| other.is_meant(&bytes)) {
                        assert_eq!(other.raw(&bytes), 0, "{}.{} and {}", record.name, field.name, other.name);
                    }
                }
            }
        }
    }

    #[test]
    fn unknown_bits_are_reported_with_their_position() {
        let mut bytes = [0; 8];
        set_bits(&mut bytes, 25, 1, 1);
        assert_eq!(launch::RECORD.unnamed(&bytes), [25]);
        assert!(launch::RECORD.text(&bytes).ends_with("bit25"));
        assert_eq!(launch::RECORD.complaints(&bytes), ["launch: bit 25 is set and has no known meaning"]);
    }
}
