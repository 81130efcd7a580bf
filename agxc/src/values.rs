//! Buffers on the command line: `SET.BINDING=SPEC`, where a specification is `f32:1,2,3`, `u32:…`, `zero:BYTES`,
//! `file:PATH` and the like; comparing and printing them.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use crate::diagnostic::{Diagnostic, Failure};
use crate::input::Reader;
use crate::npy;

/// Type of the elements of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    /// 8-bit unsigned integer, also the type of raw bytes.
    U8,
    /// 8-bit signed integer.
    I8,
    /// 16-bit unsigned integer.
    U16,
    /// 16-bit signed integer.
    I16,
    /// 32-bit unsigned integer.
    U32,
    /// 32-bit signed integer.
    I32,
    /// 64-bit unsigned integer.
    U64,
    /// 64-bit signed integer.
    I64,
    /// 16-bit float.
    F16,
    /// 32-bit float.
    F32,
    /// 64-bit float.
    F64,
}

/// The type called `name`.
///
/// # Errors
/// A usage error that lists the types.
pub fn element(name: &str) -> Result<Element, Failure> {
    Element::from_name(name)
        .ok_or_else(|| Failure::usage(format!("unknown type `{name}`; expected one of {}", Element::names())))
}

/// The interpretation of the bits of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Unsigned,
    Signed,
    Float,
}

/// Every element type: name, bytes, form.
static ELEMENTS: [(Element, &str, usize, Form); 11] = [
    (Element::U8, "u8", 1, Form::Unsigned),
    (Element::I8, "i8", 1, Form::Signed),
    (Element::U16, "u16", 2, Form::Unsigned),
    (Element::I16, "i16", 2, Form::Signed),
    (Element::U32, "u32", 4, Form::Unsigned),
    (Element::I32, "i32", 4, Form::Signed),
    (Element::U64, "u64", 8, Form::Unsigned),
    (Element::I64, "i64", 8, Form::Signed),
    (Element::F16, "f16", 2, Form::Float),
    (Element::F32, "f32", 4, Form::Float),
    (Element::F64, "f64", 8, Form::Float),
];

impl Element {
    /// The type called `name`.
    pub fn from_name(name: &str) -> Option<Element> {
        ELEMENTS.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// The names of all types, as a list.
    pub fn names() -> String {
        ELEMENTS.map(|row| row.1).join(", ")
    }

    /// Bytes of an element.
    pub fn size_bytes(self) -> usize {
        self.row().2
    }

    /// The bytes of one element whose bits are the low bits of `word`.
    pub fn low_bytes(self, word: u64) -> Vec<u8> {
        word.to_le_bytes().into_iter().take(self.size_bytes()).collect()
    }

    fn row(self) -> &'static (Element, &'static str, usize, Form) {
        let row = ELEMENTS.iter().find(|row| row.0 == self);
        row.expect("invariant: every element type has a row")
    }

    fn bits(self) -> u32 {
        (self.size_bytes() as u32).saturating_mul(8)
    }

    /// The bits that `text` denotes.
    fn parse(self, text: &str) -> Option<u64> {
        match self.row().3 {
            Form::Unsigned => unsigned(text, self.bits()),
            Form::Signed => signed(text, self.bits()),
            Form::Float => {
                let value = text.parse::<f64>().ok()?;
                Some(match self {
                    Element::F16 => half::f16::from_f64(value).to_bits().into(),
                    // Round the text directly to a single, not through a double.
                    Element::F32 => text.parse::<f32>().ok()?.to_bits().into(),
                    _ => value.to_bits(),
                })
            }
        }
    }

    /// The number that these bits of a float type represent; `None` for integers.
    fn float(self, bits: u64) -> Option<f64> {
        match self {
            Element::F16 => Some(half::f16::from_bits(bits as u16).to_f64()),
            Element::F32 => Some(f32::from_bits(bits as u32).into()),
            Element::F64 => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    fn print(self, bits: u64) -> String {
        match (self.row().3, self) {
            (Form::Unsigned, _) => bits.to_string(),
            (Form::Signed, _) => sign_extended(bits, self.bits()).to_string(),
            (Form::Float, Element::F16) => half::f16::from_bits(bits as u16).to_string(),
            (Form::Float, Element::F32) => f32::from_bits(bits as u32).to_string(),
            (Form::Float, _) => f64::from_bits(bits).to_string(),
        }
    }
}

fn unsigned(text: &str, bits: u32) -> Option<u64> {
    let value = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => text.parse().ok()?,
    };
    (bits == 64 || value >> bits == 0).then_some(value)
}

fn signed(text: &str, bits: u32) -> Option<u64> {
    let value = text.parse::<i64>().ok()?;
    let mask = u64::MAX >> 64u32.saturating_sub(bits);
    let low = value as u64 & mask;
    (sign_extended(low, bits) == value).then_some(low)
}

fn sign_extended(value: u64, bits: u32) -> i64 {
    let above = 64u32.saturating_sub(bits);
    (value << above) as i64 >> above
}

/// Which buffer: set, binding and array element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Descriptor set.
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// Array element.
    pub element: u32,
}

impl std::fmt::Display for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.set, self.binding)?;
        if self.element != 0 { write!(f, ".{}", self.element) } else { Ok(()) }
    }
}

/// Contents with the type in which they were given.
#[derive(Clone, PartialEq, Debug)]
pub struct Values {
    /// Type of the elements.
    pub element: Element,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Values {
    /// The elements, zero-extended.
    pub fn words(&self) -> Vec<u64> {
        elements(&self.bytes, self.element).collect()
    }
}

/// `SET.BINDING` or `SET.BINDING.ELEMENT`.
pub fn slot(text: &str) -> Result<Slot, Failure> {
    let numbers: Option<Vec<u32>> = text.split('.').map(|part| part.parse().ok()).collect();
    match numbers.as_deref() {
        Some([set, binding]) => Ok(Slot { set: *set, binding: *binding, element: 0 }),
        Some([set, binding, element]) => Ok(Slot { set: *set, binding: *binding, element: *element }),
        _ => Err(Failure::usage(format!("expected SET.BINDING or SET.BINDING.ELEMENT, found `{text}`"))),
    }
}

/// `SET.BINDING=SPEC`.
pub fn binding(text: &str, read: &Reader) -> Result<(Slot, Values), Failure> {
    let (left, right) = text
        .split_once('=')
        .ok_or_else(|| Failure::usage(format!("expected SET.BINDING=SPEC, found `{text}`")))?;
    Ok((slot(left)?, contents(right, read)?))
}

/// Maximum size of a buffer, so that a typing mistake does not exhaust memory.
pub const MAX_BUFFER_BYTES: u64 = 1 << 30;

/// The contents that a specification denotes; `read` gives those of the file that it names.
pub fn contents(spec: &str, read: &Reader) -> Result<Values, Failure> {
    let wrong = |why: String| Failure::usage(format!("`{spec}`: {why}"));
    let (kind, rest) =
        spec.split_once(':').ok_or_else(|| wrong("expected TYPE:VALUES, zero:BYTES or file:PATH".into()))?;
    match kind {
        "file" => return from_file(rest, read),
        "zero" => {
            let count = unsigned(rest, 64).filter(|count| *count <= MAX_BUFFER_BYTES);
            let count =
                count.ok_or_else(|| wrong(format!("expected a number of bytes up to {MAX_BUFFER_BYTES}")))?;
            return Ok(Values { element: Element::U8, bytes: vec![0; count as usize] });
        }
        _ => {}
    }
    let element = Element::from_name(kind).ok_or_else(|| {
        wrong(format!("unknown type `{kind}`; expected one of {}, zero, file", Element::names()))
    })?;
    let mut bytes = Vec::new();
    // One comma may follow the last value.
    let rest = rest.trim_end().strip_suffix(',').unwrap_or(rest);
    for word in rest.split(',').map(str::trim) {
        let bits = element.parse(word);
        let bits = bits.ok_or_else(|| wrong(format!("expected a value of type {kind}, found `{word}`")))?;
        bytes.extend(element.low_bytes(bits));
    }
    Ok(Values { element, bytes })
}

/// The contents of the file at `path`: a NumPy array file with its type, any other file as bytes.
fn from_file(path: &str, read: &Reader) -> Result<Values, Failure> {
    let bytes = read(path)?;
    match bytes.starts_with(npy::MAGIC) {
        true => npy::read(&bytes).map_err(|why| Diagnostic::new(107, why).in_file(path).into()),
        false => Ok(Values { element: Element::U8, bytes }),
    }
}

/// The elements of `bytes` as bits; a last incomplete element is padded with zeros.
fn elements(bytes: &[u8], element: Element) -> impl Iterator<Item = u64> {
    bytes.chunks(element.size_bytes()).map(|chunk| {
        let mut word = [0; 8];
        word.iter_mut().zip(chunk).for_each(|(byte, given)| *byte = *given);
        u64::from_le_bytes(word)
    })
}

/// The expected contents of a buffer after a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Expectation {
    /// Which buffer.
    pub slot: Slot,
    /// The expected elements.
    pub values: Values,
    /// Whether the buffer may be longer: the specification ends with `...`.
    pub is_prefix: bool,
}

/// `SET.BINDING=SPEC`, or `SET.BINDING=SPEC,...` for the first elements of a longer buffer.
pub fn expectation(text: &str, read: &Reader) -> Result<Expectation, Failure> {
    let (spec, is_prefix) = match text.strip_suffix("...") {
        Some(spec) => (spec.trim_end_matches([',', ' ']), true),
        None => (text, false),
    };
    let (slot, values) = binding(spec, read)?;
    Ok(Expectation { slot, values, is_prefix })
}

impl Expectation {
    /// A sentence about the first element of `found` that differs, or about the number of elements. Floats may differ
    /// by `tolerance` times the expected magnitude (at least 1); integers must be equal.
    pub fn difference(&self, found: &[u8], tolerance: f64) -> Option<String> {
        let Values { element, bytes } = &self.values;
        let pairs = elements(bytes, *element).zip(elements(found, *element));
        let differing = pairs.enumerate().find(|(_, (expected, found))| {
            match (element.float(*expected), element.float(*found)) {
                (Some(expected), Some(found)) => !close(expected, found, tolerance),
                _ => expected != found,
            }
        });
        if let Some((index, (expected, found))) = differing {
            let [expected, found] = [expected, found].map(|bits| element.print(bits));
            return Some(format!("element {index}: expected {expected}, got {found}"));
        }
        let too_long = !self.is_prefix && found.len() > bytes.len();
        if found.len() < bytes.len() || too_long {
            let more = if too_long { "; end the values with `,...` to compare only the first" } else { "" };
            return Some(format!("expected {} bytes, got {}{more}", bytes.len(), found.len()));
        }
        None
    }
}

/// NaN is equal to any NaN and to nothing else; zero equals negative zero.
fn close(expected: f64, found: f64, tolerance: f64) -> bool {
    expected == found
        || (expected.is_nan() && found.is_nan())
        || (expected - found).abs() <= tolerance * expected.abs().max(1.0)
}

/// The elements of `bytes`, comma-separated, eight to a line.
pub fn print(bytes: &[u8], element: Element) -> String {
    let words: Vec<String> = elements(bytes, element).map(|bits| element.print(bits)).collect();
    words.chunks(8).map(|line| line.join(", ") + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::read_bytes;

    #[test]
    fn specifications() {
        let cases: [(&str, Option<&[u8]>); 18] = [
            ("u32:1,0x100", Some(&[1, 0, 0, 0, 0, 1, 0, 0])),
            ("i32:-1", Some(&[255; 4])),
            ("f32:1.0", Some(&[0, 0, 0x80, 0x3f])),
            ("u8:1, 2,", Some(&[1, 2])),
            ("u16:65535", Some(&[255, 255])),
            ("u64:1", Some(&[1, 0, 0, 0, 0, 0, 0, 0])),
            ("zero:3", Some(&[0; 3])),
            ("f16:1.5,-2", Some(&[0, 0x3e, 0, 0xc0])),
            ("f64:1", Some(&[0, 0, 0, 0, 0, 0, 0xf0, 0x3f])),
            ("i8:-1,127", Some(&[255, 127])),
            ("i8:128", None),
            ("i16:-32768", Some(&[0, 0x80])),
            ("i64:-1", Some(&[255; 8])),
            ("u8:256", None),
            ("u8:1,,2", None),
            ("u8:", None),
            ("zero:99999999999999", None),
            ("f99:1", None),
        ];
        for (spec, wanted) in cases {
            assert_eq!(
                contents(spec, &read_bytes).ok().map(|values| values.bytes).as_deref(),
                wanted,
                "{spec}"
            );
        }
        assert!(
            binding("0.1", &read_bytes).is_err()
                && binding("0=u8:1", &read_bytes).is_err()
                && binding("a.b=u8:1", &read_bytes).is_err()
        );
        assert_eq!(binding("2.3.4=u8:1", &read_bytes).unwrap().0, Slot { set: 2, binding: 3, element: 4 });
    }

    #[test]
    fn differences_name_the_element() {
        let difference = |expected: &str, found: &str, tolerance| {
            let found = contents(found, &read_bytes).unwrap().bytes;
            expectation(&format!("0.0={expected}"), &read_bytes).unwrap().difference(&found, tolerance)
        };
        assert_eq!(difference("f32:1,2,NaN", "f32:1,2,NaN", 0.0), None);
        assert_eq!(difference("f32:1,2,NaN", "f32:1,2.0001,NaN", 1e-3), None);
        assert_eq!(difference("f16:1,2", "f16:1,2.001", 1e-2), None);
        let text = difference("f32:1,2,NaN", "f32:1,2.5,NaN", 1e-3);
        assert_eq!(text.as_deref(), Some("element 1: expected 2, got 2.5"));
        assert!(difference("f32:NaN", "f32:3", 9.0).is_some(), "NaN is expected");
        assert_eq!(difference("u8:1,2", "u8:1", 9.0).as_deref(), Some("expected 2 bytes, got 1"));
        assert!(difference("u8:1", "u8:2", 9.0).is_some(), "integers are exact");
        let longer = difference("f32:1", "f32:1,2", 0.0).unwrap();
        assert!(longer.starts_with("expected 4 bytes, got 8; end the values with"), "{longer}");
        assert_eq!(difference("f32:1,...", "f32:1,2", 0.0), None);
        assert!(difference("f32:1,...", "f32:3,2", 0.0).is_some());
    }

    #[test]
    fn printing_gives_eight_to_a_line() {
        assert_eq!(print(&[1, 0, 2, 0], Element::U16), "1, 2\n");
        assert_eq!(print(&[255, 255], Element::I16), "-1\n");
        assert_eq!(print(&[0, 0x3e], Element::F16), "1.5\n");
        assert_eq!(print(&[7; 9], Element::U8), "7, 7, 7, 7, 7, 7, 7, 7\n7\n");
    }
}
