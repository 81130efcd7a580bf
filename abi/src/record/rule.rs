//! The values that a conformant driver writes.
//!
//! A field may have a [`Rule`]: the values in the submissions of Mesa's driver 26.1, which passes the conformance suite of
//! Vulkan on this hardware. What no driver writes is not known to work. A rule may depend on the rest of the record and on
//! its [`Scope`].

use super::{Field, Record};
use crate::words::ProgramKind;

/// What a conformant driver writes to a field, as its decoded value ([`Field::get`]); the bits of a float.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// Every value of its kind.
    Any,
    /// This value.
    Only(u64),
    /// One of these values.
    OneOf(&'static [u64]),
    /// At most this value.
    UpTo(u64),
    /// The value of a function, which the text names.
    Equals(&'static str, fn(&Given<'_>) -> u64),
    /// A value that a function accepts, for the reason in the text.
    Meets(&'static str, fn(&Given<'_>) -> bool),
}

/// The surroundings of a record.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'s> {
    /// The kind of the program whose words these are.
    pub kind: ProgramKind,
    /// The render command of the pass; empty outside passes.
    pub command: &'s [u8],
}

impl Scope<'_> {
    /// Outside passes.
    pub const NONE: Scope<'static> = Scope { kind: ProgramKind::VertexOrCompute, command: &[] };
}

/// A field's value with its record.
#[derive(Clone, Copy, Debug)]
pub struct Given<'g> {
    /// The decoded value.
    pub value: u64,
    /// The record.
    pub record: &'g [u8],
    /// Its surroundings.
    pub scope: Scope<'g>,
}

impl Rule {
    /// What was expected, if a value breaks the rule.
    fn expected(&self, field: &Field, given: &Given<'_>) -> Option<String> {
        let text = |value: u64| {
            let mut bytes = vec![0; given.record.len()];
            field.set_raw(&mut bytes, field.pack(value));
            field.text(&bytes)
        };
        let value = given.value;
        match *self {
            Rule::Any => None,
            Rule::Only(known) => (value != known).then(|| text(known)),
            Rule::OneOf(known) => (!known.contains(&value)).then(|| {
                let texts: Vec<String> = known.iter().map(|value| text(*value)).collect();
                format!("one of {}", texts.join(", "))
            }),
            Rule::UpTo(most) => (value > most).then(|| format!("at most {}", text(most))),
            Rule::Equals(what, of) => {
                let known = of(given);
                (value != known).then(|| format!("{} ({what})", text(known)))
            }
            Rule::Meets(what, accepts) => (!accepts(given)).then(|| what.to_owned()),
        }
    }

    /// The rule in the tables of documentation.
    pub(super) fn text(&self, field: &Field) -> String {
        let number = |value: u64| match field.kind {
            super::Kind::Flag => String::from(if value == 0 { "no" } else { "yes" }),
            super::Kind::Float => format!("{:?}", f32::from_bits(value as u32)),
            super::Kind::Unknown | super::Kind::Shifted(_) => format!("{value:#x}"),
            super::Kind::Choice(names) => match names.iter().find(|(code, _)| *code == value) {
                Some((_, name)) => (*name).to_owned(),
                None => value.to_string(),
            },
            _ => value.to_string(),
        };
        match *self {
            Rule::Any => String::new(),
            Rule::Only(known) => number(known),
            Rule::OneOf(known) => known.iter().map(|value| number(*value)).collect::<Vec<_>>().join(", "),
            Rule::UpTo(most) => format!("≤ {}", number(most)),
            Rule::Equals(what, _) | Rule::Meets(what, _) => what.to_owned(),
        }
    }
}

impl Record {
    /// The fields of a record that no conformant driver writes so.
    pub fn violations(&self, bytes: &[u8], scope: &Scope<'_>) -> Vec<String> {
        let rows = self.fields.iter().zip(self.rules).filter(|(field, _)| field.is_meant(bytes));
        rows.filter_map(|(field, rule)| {
            let given = Given { value: field.get(bytes), record: bytes, scope: *scope };
            let expected = rule.expected(field, &given)?;
            Some(format!(
                "{}: {} is {}; a conformant driver writes {expected}",
                self.name,
                field.name,
                field.text(bytes)
            ))
        })
        .collect()
    }
}
