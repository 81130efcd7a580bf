//! Makes a failing input smaller: removes units (SPIR-V instructions, lines, blocks in braces) while it keeps failing.

use crate::input::Kind;

/// An input as a sequence of removable units.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Units {
    /// The beginning of every candidate: the header of a SPIR-V module.
    head: Vec<u8>,
    /// The units, in order.
    units: Vec<Vec<u8>>,
}

/// Size of the header of a SPIR-V module.
const HEADER_BYTES: usize = 20;

impl Units {
    /// The units of `bytes`.
    pub fn of(kind: Kind, bytes: &[u8]) -> Units {
        match kind {
            Kind::Shader(language) if language.name == "spirv" => spirv(bytes),
            Kind::Shader(language) if !language.is_text => {
                Units { head: Vec::new(), units: bytes.chunks(4).map(<[u8]>::to_vec).collect() }
            }
            _ => {
                let lines = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec);
                Units { head: Vec::new(), units: lines.collect() }
            }
        }
    }

    /// Number of units.
    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// The input that consists of these units.
    pub fn bytes(&self) -> Vec<u8> {
        [&self.head[..], &self.units.concat()].concat()
    }

    /// All but the units from `from` to `to`.
    fn without(&self, from: usize, to: usize) -> Units {
        let kept = self.units.iter().enumerate().filter(|(at, _)| !(from..to).contains(at));
        Units { head: self.head.clone(), units: kept.map(|(_, unit)| unit.clone()).collect() }
    }

    /// All but the units at `first` and `last`.
    fn without_two(&self, first: usize, last: usize) -> Units {
        let kept = self.units.iter().enumerate().filter(|(at, _)| *at != first && *at != last);
        Units { head: self.head.clone(), units: kept.map(|(_, unit)| unit.clone()).collect() }
    }

    /// For each unit that opens more braces than it closes, the unit that closes them.
    fn blocks(&self) -> Vec<(usize, usize)> {
        let depth = |unit: &[u8]| {
            unit.iter().map(|byte| i32::from(*byte == b'{') - i32::from(*byte == b'}')).sum::<i32>()
        };
        let (mut open, mut found) = (Vec::new(), Vec::new());
        for (at, unit) in self.units.iter().enumerate() {
            let change = depth(unit);
            (0..change).for_each(|_| open.push(at));
            (change..0).for_each(|_| found.extend(open.pop().map(|first| (first, at))));
        }
        found
    }
}

/// The instructions of a module in either byte order; undecodable words form one unit.
fn spirv(bytes: &[u8]) -> Units {
    let head = bytes.get(..HEADER_BYTES).unwrap_or(bytes).to_vec();
    let mut rest = bytes.get(HEADER_BYTES..).unwrap_or_default();
    let is_big_endian = head.first() == Some(&0x07);
    let mut units = Vec::new();
    while let Some((first, _)) = rest.split_first_chunk::<4>() {
        let word = if is_big_endian { u32::from_be_bytes(*first) } else { u32::from_le_bytes(*first) };
        let length = ((word >> 16) as usize * 4).clamp(4, rest.len());
        let (unit, after) = rest.split_at(length);
        units.push(unit.to_vec());
        rest = after;
    }
    if !rest.is_empty() {
        units.push(rest.to_vec());
    }
    Units { head, units }
}

/// Removes units while `fails` reports that the rest still fails in the same way. At the end, no single unit can be
/// removed, unless `fails` returned an error.
pub fn reduce<E>(mut units: Units, mut fails: impl FnMut(&Units) -> Result<bool, E>) -> Result<Units, E> {
    loop {
        let before = units.len();
        let mut size = (units.len() / 2).max(1);
        loop {
            let mut at = 0;
            while at < units.len() {
                let candidate = units.without(at, at + size);
                if fails(&candidate)? {
                    units = candidate;
                } else {
                    at += size;
                }
            }
            if size == 1 {
                break;
            }
            size /= 2;
        }
        units = reduce_blocks(units, &mut fails)?;
        if units.len() == before {
            return Ok(units);
        }
    }
}

/// Removes blocks in braces, or their first and last units.
fn reduce_blocks<E>(mut units: Units, fails: &mut impl FnMut(&Units) -> Result<bool, E>) -> Result<Units, E> {
    let mut tried = 0;
    while let Some((first, last)) = units.blocks().get(tried).copied() {
        let candidates = [units.without(first, last + 1), units.without_two(first, last)];
        let mut found = None;
        for candidate in candidates {
            if candidate.len() < units.len() && fails(&candidate)? {
                found = Some(candidate);
                break;
            }
        }
        match found {
            Some(smaller) => (units, tried) = (smaller, 0),
            None => tried += 1,
        }
    }
    Ok(units)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn reduced(text: &str, fails: impl Fn(&str) -> bool) -> String {
        let units = Units::of(Kind::Assembly, text.as_bytes());
        let small =
            reduce(units, |units| Ok::<bool, Infallible>(fails(&String::from_utf8(units.bytes()).unwrap())));
        String::from_utf8(small.unwrap().bytes()).unwrap()
    }

    #[test]
    fn what_does_not_matter_is_removed() {
        let text: String = (0..40).map(|line| format!("line {line}\n")).collect();
        assert_eq!(
            reduced(&text, |text| text.contains("line 7\n") && text.contains("line 31\n")),
            "line 7\nline 31\n"
        );
        assert_eq!(reduced(&text, |_| true), "");
    }

    #[test]
    fn balanced_braces_are_removed_together() {
        let balanced = |text: &str| text.matches('{').count() == text.matches('}').count();
        let text = "a {\nb {\ncrash\n}\nc {\n}\n}\n";
        assert_eq!(reduced(text, |text| balanced(text) && text.contains("crash")), "crash\n");
    }

    #[test]
    fn modules_are_divided_into_instructions() {
        let words: [u32; 9] = [0x0723_0203, 0x1_0000, 0, 9, 0, 1 << 16, 2 << 16 | 5, 77, 3 << 16];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let units = spirv(&bytes);
        assert_eq!(
            units.units.iter().map(Vec::len).collect::<Vec<_>>(),
            [4, 8, 4],
            "the last one is cut off"
        );
        assert_eq!(units.bytes(), bytes);
        let swapped: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        assert_eq!(spirv(&swapped).len(), 3);
    }
}
