//! Signatures of IR-only operations: the number, names and types of their operands.
//!
//! A signature is a text, `destinations <- sources`, each a list of `[name:]class[*|?|_]` separated by
//! spaces. `*` accepts any number of operands, `?` none or one; both must be last in their list. `_` may be
//! absent but keeps its position. Operands of a class with a capital letter must have the same type within
//! the instruction.

use super::types::Type;

/// Number of operands of a role.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Count {
    /// Exactly this number.
    Fixed(u8),
    /// Any number.
    Any,
}

/// The types that an operand may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// `b`: a boolean.
    Bool,
    /// `T`: any type, the same for all `T`.
    SameAny,
    /// `I`: a scalar of 8, 16, 32 or 64 bits, the same for all `I`.
    SameInt,
    /// `F`: a scalar of 16, 32 or 64 bits read as a float, the same for all `F`.
    SameFloat,
    /// `s`: any scalar.
    Scalar,
    /// `i`: a scalar of 8, 16, 32 or 64 bits.
    Int,
    /// `f`: a scalar of 16, 32 or 64 bits read as a float.
    Float,
    /// `w`: a scalar of 32 bits.
    Word,
    /// `q`: a scalar of 64 bits.
    Quad,
    /// `v`: any type.
    Any,
}

/// Letter, class and description of every class.
pub const CLASSES: [(char, Class, &str); 10] = [
    ('b', Class::Bool, "a boolean"),
    ('T', Class::SameAny, "a value of one type for all T"),
    ('I', Class::SameInt, "an integer of one width for all I"),
    ('F', Class::SameFloat, "a float of one width for all F"),
    ('s', Class::Scalar, "a scalar"),
    ('i', Class::Int, "an integer"),
    ('f', Class::Float, "a float"),
    ('w', Class::Word, "a 32-bit scalar"),
    ('q', Class::Quad, "a 64-bit scalar"),
    ('v', Class::Any, "any value"),
];

impl Class {
    /// The class of a letter of [`CLASSES`].
    const fn from_letter(letter: u8) -> Class {
        let mut at = 0;
        while at < CLASSES.len() {
            if CLASSES[at].0 as u32 == letter as u32 {
                return CLASSES[at].1;
            }
            at += 1;
        }
        panic!("unknown class letter")
    }

    /// A description of the accepted types.
    pub fn describe(self) -> &'static str {
        CLASSES[CLASSES.iter().position(|(_, class, _)| *class == self).unwrap_or(0)].2
    }

    /// Whether operands of the class are read as floats.
    pub fn is_float(self) -> bool {
        matches!(self, Class::SameFloat | Class::Float)
    }

    /// Whether operands of the class must have the type of the others of the class.
    pub fn must_agree(self) -> bool {
        matches!(self, Class::SameAny | Class::SameInt | Class::SameFloat)
    }

    /// Whether `ty` is in the class, ignoring agreement with other operands.
    pub fn takes(self, ty: Type) -> bool {
        let widths: &[u8] = match self {
            Class::Any | Class::SameAny => return true,
            Class::Bool => &[1],
            Class::Scalar => &[1, 8, 16, 32, 64],
            Class::Int | Class::SameInt => &[8, 16, 32, 64],
            Class::Float | Class::SameFloat => &[16, 32, 64],
            Class::Word => &[32],
            Class::Quad => &[64],
        };
        ty.comps == 1 && widths.contains(&ty.bits)
    }
}

/// One entry of a signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Name of the operand; empty if it has none.
    pub name: &'static str,
    /// Its types.
    pub class: Class,
    /// Accepts any number of operands.
    pub many: bool,
    /// May be omitted, as the last one.
    pub optional: bool,
    /// May be absent, with a placeholder in its position.
    pub absent: bool,
}

/// A signature, parsed from its text at compile time (see [`signature!`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signature {
    /// The text.
    pub text: &'static str,
    /// Entries of the destinations.
    pub dsts: &'static [Slot],
    /// Entries of the sources.
    pub srcs: &'static [Slot],
}

impl Signature {
    /// Number of destinations.
    pub fn dst_count(self) -> Count {
        count(self.dsts)
    }

    /// Number of sources.
    pub fn src_count(self) -> Count {
        count(self.srcs)
    }
}

/// The [`Signature`] denoted by a text. An invalid text fails to compile.
macro_rules! signature {
    ($text:literal) => {{
        use $crate::ir::signature::{Signature, Slot, entries, entry_count};
        const SPLIT: [usize; 2] = entry_count($text);
        const DSTS: [Slot; SPLIT[0]] = entries($text, 0);
        const SRCS: [Slot; SPLIT[1]] = entries($text, SPLIT[0]);
        Signature { text: $text, dsts: &DSTS, srcs: &SRCS }
    }};
}
pub(super) use signature;

/// Number of entries in the two lists of a signature.
pub(super) const fn entry_count(text: &str) -> [usize; 2] {
    let mut counts = [0; 2];
    let mut side = 0;
    let mut rest = text.as_bytes();
    while let Some((token, after)) = next_token(rest) {
        rest = after;
        if is_arrow(token) {
            side += 1;
        } else {
            counts[side] += 1;
        }
    }
    assert!(side == 1, "a signature has one arrow");
    counts
}

/// `N` entries of a signature after the first `skip`.
pub(super) const fn entries<const N: usize>(text: &'static str, skip: usize) -> [Slot; N] {
    let none = Slot { name: "", class: Class::Any, many: false, optional: false, absent: false };
    let mut slots = [none; N];
    let mut at = 0;
    let mut rest = text.as_bytes();
    while let Some((token, after)) = next_token(rest) {
        rest = after;
        if is_arrow(token) {
            continue;
        }
        if at >= skip && at - skip < N {
            slots[at - skip] = slot(token);
            let varies = slots[at - skip].many || slots[at - skip].optional;
            assert!(!varies || at - skip + 1 == N, "only the last entry of a list may vary in number");
        }
        at += 1;
    }
    slots
}

/// The bytes before the first space of `text` (ignoring leading spaces), and the rest.
const fn next_token(mut text: &[u8]) -> Option<(&[u8], &[u8])> {
    while let [b' ', after @ ..] = text {
        text = after;
    }
    let mut length = 0;
    while length < text.len() && text[length] != b' ' {
        length += 1;
    }
    if length == 0 { None } else { Some(text.split_at(length)) }
}

const fn is_arrow(token: &[u8]) -> bool {
    matches!(token, b"<-")
}

/// The entry denoted by `[name:]class[*|?|_]`.
const fn slot(token: &'static [u8]) -> Slot {
    let mut colon = 0;
    while colon < token.len() && token[colon] != b':' {
        colon += 1;
    }
    let (name, class) = if colon == token.len() { (&[] as &[u8], token) } else { token.split_at(colon) };
    let (class, mark) = match class {
        [b':', letter] | [letter] => (*letter, b' '),
        [b':', letter, mark] | [letter, mark] => (*letter, *mark),
        _ => panic!("an entry is `[name:]class[*|?|_]`"),
    };
    assert!(matches!(mark, b' ' | b'*' | b'?' | b'_'), "an entry ends in `*`, `?`, `_` or its class");
    let Ok(name) = core::str::from_utf8(name) else { panic!("a name is text") };
    let class = Class::from_letter(class);
    Slot { name, class, many: mark == b'*', optional: mark == b'?', absent: mark == b'_' }
}

fn count(slots: &[Slot]) -> Count {
    match slots.last() {
        Some(last) if last.many || last.optional => Count::Any,
        _ => Count::Fixed(slots.len() as u8),
    }
}

/// The entry of operand `index`: the last one repeats if it accepts any number. `None` past the end.
pub fn slot_at(slots: &[Slot], index: usize) -> Option<Slot> {
    slots.get(index).or_else(|| slots.last().filter(|slot| slot.many)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_with_their_names() {
        let signature = signature!("old:w? <- base:q heap:q_ data:v*");
        assert_eq!(signature.dst_count(), Count::Any);
        assert_eq!(signature!("I <- I amount:i").src_count(), Count::Fixed(2));
        assert_eq!(signature!("<- ").src_count(), Count::Fixed(0));
        let slot = slot_at(signature.srcs, 7).expect("repeats");
        assert_eq!((slot.name, slot.class, slot.many), ("data", Class::Any, true));
        assert_eq!((signature.srcs[1].name, signature.srcs[1].absent), ("heap", true));
        assert_eq!((signature.dsts[0].name, signature.dsts[0].optional), ("old", true));
        assert_eq!(slot_at(signature.dsts, 1), None);
    }

    #[test]
    fn classes_take_their_types() {
        assert!(Class::Bool.takes(Type::BOOL) && !Class::Int.takes(Type::BOOL));
        assert!(!Class::Scalar.takes(Type::vector(32, 2)) && Class::Any.takes(Type::vector(32, 2)));
        assert!(Class::Float.takes(Type::B16) && !Class::Float.takes(Type::scalar(8)));
    }
}
