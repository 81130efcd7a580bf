//! The lane in which an expression is evaluated.

use agx_emulator::{GroupView, LaneState};

use super::value::{Kind, Value, joined};
use super::{ExpressionError, Space};
use crate::code::Part;
use crate::shadow::Machine;
use crate::symbols::{Content, Leaf, Symbols, Variable};

/// The value of an expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Datum {
    /// One value.
    Scalar(Value),
    /// The components of a variable with their paths; `None` for those without a value.
    Composite(Vec<(String, Option<Value>)>),
}

impl Datum {
    /// The value, of a variable called `name`.
    pub(super) fn scalar(self, name: &str) -> Result<Value, ExpressionError> {
        match self {
            Datum::Scalar(value) => Ok(value),
            Datum::Composite(components) => {
                let first = components.into_iter().next().map_or_else(String::new, |(path, _)| path);
                Err(ExpressionError::Composite { name: name.to_owned(), first })
            }
        }
    }
}

impl std::fmt::Display for Datum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Datum::Scalar(value) => value.fmt(f),
            Datum::Composite(components) => {
                let text = components.iter().map(|(path, value)| match value {
                    Some(value) => format!("{path} = {value}"),
                    None => format!("{path} = ?"),
                });
                write!(f, "{{{}}}", text.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// A lane of a SIMD-group, at its next instruction.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'s> {
    pub(crate) machine: &'s Machine<'s>,
    pub(crate) group: GroupView<'s>,
    pub(crate) part: Part,
    pub(crate) symbols: &'s Symbols,
    pub(crate) lane: usize,
}

impl Scope<'_> {
    /// The lane.
    pub fn lane(&self) -> usize {
        self.lane
    }

    /// The variables, and the values of those that were assigned in this lane.
    pub fn variables(&self) -> impl Iterator<Item = (&str, Option<Datum>)> {
        (0..).zip(&self.symbols.part(self.part).variables).map(|(number, variable)| {
            let time = self.machine.changed(&self.group, number, self.lane);
            (variable.name.as_str(), time.map(|_| self.datum(number, variable, "")))
        })
    }

    /// A source variable, or the component of one. Of several with the same name, the latest that was assigned.
    pub(super) fn variable(&self, name: &str) -> Result<Datum, ExpressionError> {
        let mut is_known = false;
        let mut found: Option<(u64, Datum)> = None;
        for (number, variable) in (0..).zip(&self.symbols.part(self.part).variables) {
            let Some(path) = name.strip_prefix(variable.name.as_str()) else { continue };
            if !variable.leaves.iter().any(|leaf| rest(leaf, path).is_some()) {
                continue;
            }
            is_known = true;
            if let Some(time) = self.machine.changed(&self.group, number, self.lane)
                && found.as_ref().is_none_or(|(latest, _)| *latest <= time)
            {
                found = Some((time, self.datum(number, variable, path)));
            }
        }
        let name = name.to_owned();
        match found {
            Some((_, Datum::Composite(list))) if list.iter().all(|(_, value)| value.is_none()) => {
                Err(ExpressionError::Unavailable { name })
            }
            Some((_, datum)) => Ok(datum),
            None if is_known => Err(ExpressionError::Unavailable { name }),
            None => Err(ExpressionError::Unknown { name }),
        }
    }

    /// The component at `path` of a variable.
    fn datum(&self, number: u32, variable: &Variable, path: &str) -> Datum {
        let leaves = (0..).zip(&variable.leaves);
        let part = leaves
            .filter_map(|(leaf, one)| Some((rest(one, path)?.to_owned(), self.leaf((number, leaf), one))));
        let part: Vec<(String, Option<Value>)> = part.collect();
        match part.as_slice() {
            [(rest, Some(value))] if rest.is_empty() => Datum::Scalar(*value),
            _ => Datum::Composite(part),
        }
    }

    fn leaf(&self, scalar: (u32, u32), leaf: &Leaf) -> Option<Value> {
        let halves = leaf.kind.halves();
        let bits = match self.machine.content(&self.group, scalar, self.lane)? {
            Content::Constant(bits) => bits,
            Content::Value(value) => self.machine.value(&self.group, value, self.lane)?,
            Content::Uniform(first) => {
                joined(halves, |at| self.machine.uniform(first.wrapping_add(at.into())))?
            }
            Content::Stack(offset) => {
                let place = |at: u8| offset.wrapping_add(u32::from(at).wrapping_mul(2));
                joined(halves, |at| self.group.stack(place(at), self.lane))?
            }
            Content::Lost => return None,
        };
        Some(Value::new(leaf.kind, bits))
    }

    pub(super) fn register(&self, first: u8, kind: Kind) -> Value {
        let half = |at: u8| Some(self.group.half(first.wrapping_add(at), self.lane));
        Value::new(kind, joined(kind.halves(), half).unwrap_or(0))
    }

    pub(super) fn uniform(&self, first: u16, kind: Kind) -> Value {
        let half = |at: u8| Some(self.machine.uniform(first.wrapping_add(at.into())).unwrap_or(0));
        Value::new(kind, joined(kind.halves(), half).unwrap_or(0))
    }

    pub(super) fn load(&self, space: Space, address: u64, kind: Kind) -> Result<Value, ExpressionError> {
        let len = usize::from(kind.bits.div_ceil(8));
        let bytes = match space {
            Space::Device => self.machine.memory().bytes(address, len),
            Space::Local => {
                let start = usize::try_from(address).unwrap_or(usize::MAX);
                self.group.local().get(start..start.saturating_add(len))
            }
        };
        let bytes = bytes.ok_or(ExpressionError::Unmapped { address })?;
        let bits = bytes.iter().rev().fold(0u64, |value, byte| value.wrapping_shl(8) | u64::from(*byte));
        Ok(Value::new(kind, bits))
    }

    /// A property of the lane.
    pub(super) fn builtin(&self, name: &str) -> Result<Value, ExpressionError> {
        let (name, axis) = match name.split_once('.') {
            Some((name, "x")) => (name, 0),
            Some((name, "y")) => (name, 1),
            Some((name, "z")) => (name, 2),
            Some((_, _)) => return Err(ExpressionError::Unknown { name: format!("${name}") }),
            None => (name, usize::MAX),
        };
        let group = &self.group;
        let at = |vector: [u32; 3]| vector.get(axis).copied();
        let pixel = || group.pixel(self.lane).map(|pixel| [pixel.position[0], pixel.position[1], 0]);
        let value = match name {
            "lane" => Some(self.lane as u32),
            "group" => Some(group.index()),
            "exec" => {
                return Ok(Value::word(group.exec()).convert(Kind { class: super::Class::Hex, bits: 32 }));
            }
            "pc" => Some(group.pc()),
            "active" => return Ok(Value::bool(group.lane(self.lane) == LaneState::Active)),
            "workgroup" => at(group.workgroup()),
            "thread" => at(group.thread(self.lane)),
            "global" => at(group.global(self.lane)),
            "pixel" => pixel().and_then(at),
            _ => None,
        };
        value.map(Value::word).ok_or_else(|| ExpressionError::Unknown { name: format!("${name}") })
    }
}

/// How a scalar is reached from the component at `path`, if it is one of its scalars.
fn rest<'l>(leaf: &'l Leaf, path: &str) -> Option<&'l str> {
    let rest = leaf.path.strip_prefix(path)?;
    (rest.is_empty() || rest.starts_with(['.', '['])).then_some(rest)
}
