//! What an experiment has found, as named bytes, and the comparison of two runs.

use std::fmt;

/// How the bytes of two runs are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// They are equal.
    Exact,
    /// They are floats of 32 bits, at most this number of units in the last place apart.
    Floats(u32),
    /// They are a text, and may differ.
    Note,
}

/// A named output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// Its name, without spaces.
    pub name: String,
    /// How it is compared.
    pub kind: Kind,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Two digits for each byte.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of digits.
pub fn from_hex(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

impl fmt::Display for Output {
    /// One line: kind, name, bytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Exact => String::from("exact"),
            Kind::Floats(units) => format!("floats:{units}"),
            Kind::Note => String::from("note"),
        };
        write!(f, "output {kind} {} {}", self.name, hex(&self.bytes))
    }
}

/// Reads the lines of a run; others are left out.
pub fn parse(text: &str) -> Vec<Output> {
    text.lines().filter_map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<Output> {
    let mut words = line.strip_prefix("output ")?.splitn(3, ' ');
    let kind = match words.next()? {
        "exact" => Kind::Exact,
        "note" => Kind::Note,
        other => Kind::Floats(other.strip_prefix("floats:")?.parse().ok()?),
    };
    Some(Output { name: words.next()?.to_owned(), kind, bytes: from_hex(words.next()?)? })
}

/// The first difference of two outputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The output.
    pub name: String,
    /// The first byte that differs.
    pub at: usize,
    /// Words of the hardware from there on.
    pub found: Vec<u8>,
    /// Words of the machine from there on.
    pub expected: Vec<u8>,
    /// How many words differ, or too much.
    pub count: usize,
}

/// Bytes of a difference that are shown.
const SHOWN: usize = 16;

/// Distance of two floats in units in the last place; all NaNs are equal.
fn distance(a: u32, b: u32) -> u32 {
    let is_nan = |bits: u32| f32::from_bits(bits).is_nan();
    if is_nan(a) && is_nan(b) {
        return 0;
    }
    let line = |bits: u32| match bits >> 31 {
        0 => i64::from(bits),
        _ => -i64::from(bits & 0x7fff_ffff),
    };
    u32::try_from((line(a) - line(b)).unsigned_abs()).unwrap_or(u32::MAX)
}

fn word(bytes: &[u8]) -> u32 {
    let mut word = [0; 4];
    word.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    u32::from_le_bytes(word)
}

/// The first difference of outputs with the same name; `None` if they agree.
pub fn compare(found: &Output, expected: &Output) -> Option<Difference> {
    let differs = |(a, b): (&[u8], &[u8])| match expected.kind {
        Kind::Exact => a != b,
        Kind::Floats(units) => distance(word(a), word(b)) > units,
        Kind::Note => false,
    };
    let words = || found.bytes.chunks(4).zip(expected.bytes.chunks(4));
    let count = words().filter(|pair| differs(*pair)).count();
    let same_length = found.bytes.len() == expected.bytes.len() || expected.kind == Kind::Note;
    let first = words().position(differs).map(|at| 4 * at);
    let at = first.or((!same_length).then_some(found.bytes.len().min(expected.bytes.len())))?;
    let shown = |bytes: &[u8]| bytes.iter().skip(at).take(SHOWN).copied().collect();
    Some(Difference {
        name: expected.name.clone(),
        at,
        found: shown(&found.bytes),
        expected: shown(&expected.bytes),
        count,
    })
}

/// The differences of two runs: of each output, and outputs that one of them lacks.
pub fn differences(found: &[Output], expected: &[Output]) -> Vec<Difference> {
    let missing = |output: &Output| Output { bytes: Vec::new(), ..output.clone() };
    let of = |list: &[Output], name: &str| list.iter().find(|output| output.name == name).cloned();
    let here = expected.iter().filter_map(|expected| {
        compare(&of(found, &expected.name).unwrap_or_else(|| missing(expected)), expected)
    });
    let more = found.iter().filter(|output| of(expected, &output.name).is_none());
    here.chain(more.filter_map(|output| compare(output, &missing(output)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(kind: Kind, bytes: &[u8]) -> Output {
        Output { name: String::from("a"), kind, bytes: bytes.to_vec() }
    }

    fn floats(kind: Kind, values: &[f32]) -> Output {
        output(kind, &values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>())
    }

    #[test]
    fn lines_of_outputs_are_read_again() {
        let list = [output(Kind::Exact, &[1, 255]), output(Kind::Floats(3), &[]), output(Kind::Note, b"x")];
        let text: String = list.iter().map(|output| format!("{output}\n")).collect();
        assert_eq!(parse(&format!("noise\n{text}output what a 00\noutput exact a 0x\n")), list);
    }

    #[test]
    fn the_first_difference_is_named() {
        let found =
            compare(&output(Kind::Exact, &[0, 0, 0, 0, 1, 2]), &output(Kind::Exact, &[0, 0, 0, 0, 1, 3]));
        let expected =
            Difference { name: "a".into(), at: 4, found: vec![1, 2], expected: vec![1, 3], count: 1 };
        assert_eq!(found, Some(expected));
        let longer = compare(&output(Kind::Exact, &[7; 8]), &output(Kind::Exact, &[7; 4]));
        assert_eq!(longer.map(|difference| (difference.at, difference.count)), Some((4, 0)));
        assert_eq!(compare(&output(Kind::Note, b"x"), &output(Kind::Note, b"yz")), None);
    }

    #[test]
    fn floats_may_be_some_units_apart() {
        let one = f32::from_bits(1.0_f32.to_bits() + 2);
        let (found, expected) = ([one, 0.0, f32::NAN], [1.0, -0.0, -f32::NAN]);
        let differs = |units| compare(&floats(Kind::Exact, &found), &floats(Kind::Floats(units), &expected));
        assert_eq!(differs(2), None);
        assert_eq!(differs(1).map(|difference| difference.count), Some(1));
    }

    #[test]
    fn outputs_that_one_run_lacks_are_differences() {
        let list = [output(Kind::Exact, &[1])];
        let names = |list: Vec<Difference>| list.into_iter().map(|found| found.name).collect::<Vec<_>>();
        assert_eq!(names(differences(&list, &[])), ["a"]);
        assert_eq!(names(differences(&[], &list)), ["a"]);
        assert!(differences(&list, &list).is_empty());
    }
}
