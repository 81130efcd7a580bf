//! Buffers on the command line: `SET.BINDING=SPEC`, where a specification is `f32:1,2,3`, `u32:…`, `zero:BYTES`,
//! `file:PATH` and the like; their comparison and their printing.

use crate::diagnostic::Failure;
use crate::input;

/// Type of the elements of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    /// 8-bit unsigned integer, also the type of raw bytes.
    U8,
    /// 16-bit unsigned integer.
    U16,
    /// 32-bit unsigned integer.
    U32,
    /// 32-bit signed integer.
    I32,
    /// 64-bit unsigned integer.
    U64,
    /// 32-bit float.
    F32,
}

/// How elements of a type are read, printed and measured.
struct ElementRow {
    element: Element,
    name: &'static str,
    size_bytes: usize,
    parse: fn(&str) -> Option<u64>,
    print: fn(u64) -> String,
}

/// Every element type.
static ELEMENTS: [ElementRow; 6] = [
    ElementRow {
        element: Element::U8,
        name: "u8",
        size_bytes: 1,
        parse: |t| unsigned(t, 8),
        print: |b| b.to_string(),
    },
    ElementRow {
        element: Element::U16,
        name: "u16",
        size_bytes: 2,
        parse: |t| unsigned(t, 16),
        print: |b| b.to_string(),
    },
    ElementRow {
        element: Element::U32,
        name: "u32",
        size_bytes: 4,
        parse: |t| unsigned(t, 32),
        print: |b| b.to_string(),
    },
    ElementRow {
        element: Element::I32,
        name: "i32",
        size_bytes: 4,
        parse: signed,
        print: |b| (b as u32 as i32).to_string(),
    },
    ElementRow {
        element: Element::U64,
        name: "u64",
        size_bytes: 8,
        parse: |t| unsigned(t, 64),
        print: |b| b.to_string(),
    },
    ElementRow {
        element: Element::F32,
        name: "f32",
        size_bytes: 4,
        parse: float,
        print: |b| float_of(b).to_string(),
    },
];

impl Element {
    /// The type called `name`.
    pub fn from_name(name: &str) -> Option<Element> {
        ELEMENTS.iter().find(|row| row.name == name).map(|row| row.element)
    }

    /// The bytes of one element whose bits are the low bits of `word`.
    pub fn low_bytes(self, word: u64) -> Vec<u8> {
        word.to_le_bytes()[..self.row().size_bytes].to_vec()
    }

    fn row(self) -> &'static ElementRow {
        let row = ELEMENTS.iter().find(|row| row.element == self);
        row.expect("invariant: every element type has a row")
    }
}

fn unsigned(text: &str, bits: u32) -> Option<u64> {
    let value = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => text.parse().ok()?,
    };
    (bits == 64 || value >> bits == 0).then_some(value)
}

fn signed(text: &str) -> Option<u64> {
    text.parse::<i32>().ok().map(|value| u64::from(value as u32))
}

fn float(text: &str) -> Option<u64> {
    text.parse::<f32>().ok().map(|value| u64::from(value.to_bits()))
}

fn float_of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
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

/// Contents with the type they were given in.
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
        _ => Err(Failure::usage(format!(
            "`{text}` is no buffer: SET.BINDING or SET.BINDING.ELEMENT is wanted"
        ))),
    }
}

/// `SET.BINDING=SPEC`.
pub fn binding(text: &str) -> Result<(Slot, Values), Failure> {
    let (left, right) = text
        .split_once('=')
        .ok_or_else(|| Failure::usage(format!("`{text}` has no `=`: SET.BINDING=SPEC is wanted")))?;
    Ok((slot(left)?, contents(right)?))
}

/// Most bytes that `zero:` makes, so that a slip of the finger does not exhaust the machine.
const MOST_ZEROS: u64 = 1 << 30;

/// What a specification stands for.
pub fn contents(spec: &str) -> Result<Values, Failure> {
    let wrong = |why: String| Failure::usage(format!("`{spec}`: {why}"));
    let (kind, rest) =
        spec.split_once(':').ok_or_else(|| wrong("TYPE:VALUES, zero:BYTES or file:PATH is wanted".into()))?;
    match kind {
        "file" => return Ok(Values { element: Element::U8, bytes: input::read_bytes(rest)? }),
        "zero" => {
            let count = unsigned(rest, 64).filter(|count| *count <= MOST_ZEROS);
            let count =
                count.ok_or_else(|| wrong(format!("a number of bytes up to {MOST_ZEROS} is wanted")))?;
            return Ok(Values { element: Element::U8, bytes: vec![0; count as usize] });
        }
        _ => {}
    }
    let element = Element::from_name(kind).ok_or_else(|| {
        let names: Vec<&str> = ELEMENTS.iter().map(|row| row.name).collect();
        wrong(format!("`{kind}` is no type: {}, zero, file", names.join(", ")))
    })?;
    let row = element.row();
    let mut bytes = Vec::new();
    for word in rest.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        let bits = (row.parse)(word).ok_or_else(|| wrong(format!("`{word}` is no {}", row.name)))?;
        bytes.extend_from_slice(&bits.to_le_bytes()[..row.size_bytes]);
    }
    Ok(Values { element, bytes })
}

/// The elements of `bytes` as bits; a last incomplete element is padded with zeros.
fn elements(bytes: &[u8], element: Element) -> impl Iterator<Item = u64> {
    bytes.chunks(element.row().size_bytes).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    })
}

/// A sentence on the first element of `found` that differs from `wanted`: by more than `tolerance` times the wanted
/// magnitude (at least one) for floats, at all for integers. Elements beyond the wanted ones are not looked at.
pub fn first_difference(wanted: &Values, found: &[u8], tolerance: f32) -> Option<String> {
    if found.len() < wanted.bytes.len() {
        return Some(format!("it has {} bytes instead of {}", found.len(), wanted.bytes.len()));
    }
    let print = wanted.element.row().print;
    let pairs = elements(&wanted.bytes, wanted.element).zip(elements(found, wanted.element));
    let differing = pairs.enumerate().find(|(_, (wanted_bits, found_bits))| match wanted.element {
        Element::F32 => !close(float_of(*wanted_bits), float_of(*found_bits), tolerance),
        _ => wanted_bits != found_bits,
    });
    differing.map(|(index, (wanted, found))| {
        format!("element {index} is {} instead of {}", print(found), print(wanted))
    })
}

/// Not-a-number is wanted or found on both sides or on none; zero equals negative zero.
fn close(wanted: f32, found: f32, tolerance: f32) -> bool {
    wanted == found
        || (wanted.is_nan() && found.is_nan())
        || (wanted - found).abs() <= tolerance * wanted.abs().max(1.0)
}

/// The elements of `bytes`, comma-separated, eight to a line.
pub fn print(bytes: &[u8], element: Element) -> String {
    let words: Vec<String> = elements(bytes, element).map(element.row().print).collect();
    words.chunks(8).map(|line| line.join(", ") + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifications() {
        let cases: [(&str, Option<&[u8]>); 10] = [
            ("u32:1,0x100", Some(&[1, 0, 0, 0, 0, 1, 0, 0])),
            ("i32:-1", Some(&[255; 4])),
            ("f32:1.0", Some(&[0, 0, 0x80, 0x3f])),
            ("u8:1, 2,", Some(&[1, 2])),
            ("u16:65535", Some(&[255, 255])),
            ("u64:1", Some(&[1, 0, 0, 0, 0, 0, 0, 0])),
            ("zero:3", Some(&[0; 3])),
            ("u8:256", None),
            ("zero:99999999999999", None),
            ("f99:1", None),
        ];
        for (spec, wanted) in cases {
            assert_eq!(contents(spec).ok().map(|values| values.bytes).as_deref(), wanted, "{spec}");
        }
        assert!(binding("0.1").is_err() && binding("0=u8:1").is_err() && binding("a.b=u8:1").is_err());
        assert_eq!(binding("2.3.4=u8:1").unwrap().0, Slot { set: 2, binding: 3, element: 4 });
    }

    #[test]
    fn differences_name_the_element() {
        let wanted = contents("f32:1,2,NaN").unwrap();
        let found = |spec: &str| contents(spec).unwrap().bytes;
        assert_eq!(first_difference(&wanted, &found("f32:1,2,NaN,7"), 0.0), None);
        assert_eq!(first_difference(&wanted, &found("f32:1,2.0001,NaN"), 1e-3), None);
        let text = first_difference(&wanted, &found("f32:1,2.5,NaN"), 1e-3).unwrap();
        assert_eq!(text, "element 1 is 2.5 instead of 2");
        assert!(
            first_difference(&wanted, &found("f32:1,2,3"), 9.0).is_some(),
            "a number where none is wanted"
        );
        assert!(first_difference(&wanted, &found("f32:1,2"), 9.0).is_some(), "too short");
        assert!(first_difference(&contents("u8:1").unwrap(), &[2], 9.0).is_some(), "integers are exact");
    }

    #[test]
    fn printing_gives_eight_to_a_line() {
        assert_eq!(print(&[1, 0, 2, 0], Element::U16), "1, 2\n");
        assert_eq!(print(&[7; 9], Element::U8), "7, 7, 7, 7, 7, 7, 7, 7\n7\n");
    }
}
