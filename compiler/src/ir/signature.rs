//! Signatures of IR-only operations: how many operands they have, what they are called, and which types go together.
//!
//! A signature is text, `destinations <- sources`, each a list of `[name:]class[*|?|_]` separated by spaces. `*` takes
//! any number of operands, `?` none or one; both stand last in their list. `_` may be absent and keeps its place.
//! Capital classes must agree with each other within the instruction.

use super::types::Type;

/// How many operands of a role an operation has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Count {
    /// Exactly this number.
    Fixed(u8),
    /// Any number, or a number that varies.
    Any,
}

/// Which types an operand may have.
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
    fn from_letter(letter: char) -> Option<Class> {
        CLASSES.iter().find(|(known, ..)| *known == letter).map(|(_, class, _)| *class)
    }

    /// What the class takes, in words.
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

    /// Whether `ty` is of the class, the agreement with other operands aside.
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
    /// Name of the operand; empty when it has none.
    pub name: &'static str,
    /// Its types.
    pub class: Class,
    /// Denotes any number of operands.
    pub many: bool,
    /// May be left out, as the last one.
    pub optional: bool,
    /// May be absent, with a mark in its place.
    pub absent: bool,
}

/// A signature, as text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signature(pub &'static str);

impl Signature {
    /// Entries of the destinations.
    pub fn dsts(self) -> impl Iterator<Item = Slot> {
        self.0.split("<-").next().unwrap_or("").split_whitespace().filter_map(slot)
    }

    /// Entries of the sources.
    pub fn srcs(self) -> impl Iterator<Item = Slot> {
        self.0.split("<-").nth(1).unwrap_or("").split_whitespace().filter_map(slot)
    }

    /// Number of destinations.
    pub fn dst_count(self) -> Count {
        count(self.dsts())
    }

    /// Number of sources.
    pub fn src_count(self) -> Count {
        count(self.srcs())
    }
}

fn slot(text: &'static str) -> Option<Slot> {
    let (name, class) = text.split_once(':').unwrap_or(("", text));
    let [many, optional, absent] = ['*', '?', '_'].map(|mark| class.ends_with(mark));
    let class = Class::from_letter(class.chars().next()?)?;
    Some(Slot { name, class, many, optional, absent })
}

fn count(slots: impl Iterator<Item = Slot>) -> Count {
    let mut fixed = 0;
    for slot in slots {
        if slot.many || slot.optional {
            return Count::Any;
        }
        fixed += 1;
    }
    Count::Fixed(fixed)
}

/// The entry that describes operand `index`: the last one repeats when it denotes many. `None` past the end.
pub fn slot_at(slots: impl Iterator<Item = Slot>, index: usize) -> Option<Slot> {
    let mut last = None;
    for (at, slot) in slots.enumerate() {
        if at == index {
            return Some(slot);
        }
        last = Some(slot);
    }
    last.filter(|slot| slot.many)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::IrOp;

    #[test]
    fn every_signature_is_well_formed() {
        for op in IrOp::ALL {
            let text = op.desc().signature.0;
            let (dsts, srcs) = text.split_once("<-").expect("an arrow");
            for list in [dsts, srcs] {
                let tokens: Vec<&str> = list.split_whitespace().collect();
                for (index, token) in tokens.iter().enumerate() {
                    let slot = slot(Box::leak(token.to_string().into_boxed_str())).expect("a known class");
                    let class = token.rsplit(':').next().unwrap_or("").trim_end_matches(['*', '?', '_']);
                    assert_eq!(class.len(), 1, "{text}");
                    let last = index + 1 == tokens.len();
                    assert!(last || !(slot.many || slot.optional), "{text}: only the last entry varies");
                }
            }
        }
    }

    #[test]
    fn entries_are_read_with_their_names() {
        let signature = Signature("old:w? <- base:q data:v*");
        assert_eq!(signature.dst_count(), Count::Any);
        assert_eq!(Signature("I <- I amount:i").src_count(), Count::Fixed(2));
        let slot = slot_at(signature.srcs(), 7).expect("repeats");
        assert_eq!((slot.name, slot.class, slot.many), ("data", Class::Any, true));
        assert_eq!(slot_at(signature.dsts(), 1), None);
    }

    #[test]
    fn classes_take_their_types() {
        assert!(Class::Bool.takes(Type::BOOL) && !Class::Int.takes(Type::BOOL));
        assert!(!Class::Scalar.takes(Type::vector(32, 2)) && Class::Any.takes(Type::vector(32, 2)));
        assert!(Class::Float.takes(Type::B16) && !Class::Float.takes(Type::scalar(8)));
    }
}
