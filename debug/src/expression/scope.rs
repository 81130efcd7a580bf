//! The lane in which an expression is evaluated.

use agx_emulator::{GroupView, LaneState, Stepper};

use super::value::{Kind, Value};
use super::{ExpressionError, Space};
use crate::code::Part;
use crate::symbols::{Leaf, Place, Symbols, Variable};

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
    pub(crate) stepper: &'s Stepper<'s>,
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

    /// The variables with a place here, and their values.
    pub fn variables(&self) -> impl Iterator<Item = (&str, Option<Datum>)> {
        let offset = self.group.pc();
        let variables = self.symbols.part(self.part).variables.iter();
        variables.map(move |variable| {
            let has_place = variable.leaves.iter().any(|leaf| leaf.place(offset).is_some());
            (variable.name.as_str(), has_place.then(|| self.datum(variable)))
        })
    }

    fn datum(&self, variable: &Variable) -> Datum {
        match variable.leaves.as_slice() {
            [only] if only.path.is_empty() => {
                Datum::Scalar(self.leaf(only).unwrap_or(Value::new(only.kind, 0)))
            }
            leaves => {
                Datum::Composite(leaves.iter().map(|leaf| (leaf.path.clone(), self.leaf(leaf))).collect())
            }
        }
    }

    /// A source variable, or the component of one, that has a place here. Of several with the same name, the last.
    pub(super) fn variable(&self, name: &str) -> Result<Datum, ExpressionError> {
        let offset = self.group.pc();
        let mut is_known = false;
        for variable in self.symbols.part(self.part).variables.iter().rev() {
            let Some(path) = name.strip_prefix(variable.name.as_str()) else { continue };
            let wanted = |leaf: &&Leaf| {
                leaf.path == path
                    || leaf.path.strip_prefix(path).is_some_and(|rest| rest.starts_with(['.', '[']))
            };
            let leaves: Vec<&Leaf> = variable.leaves.iter().filter(wanted).collect();
            is_known |= !leaves.is_empty();
            if leaves.iter().all(|leaf| leaf.place(offset).is_none()) {
                continue;
            }
            return Ok(match leaves.as_slice() {
                [only] if only.path == path => {
                    let unavailable = || ExpressionError::Unavailable { name: name.to_owned() };
                    Datum::Scalar(self.leaf(only).ok_or_else(unavailable)?)
                }
                leaves => {
                    let rest = |leaf: &Leaf| leaf.path.strip_prefix(path).unwrap_or_default().to_owned();
                    Datum::Composite(leaves.iter().map(|leaf| (rest(leaf), self.leaf(leaf))).collect())
                }
            });
        }
        let name = name.to_owned();
        Err(if is_known { ExpressionError::Unavailable { name } } else { ExpressionError::Unknown { name } })
    }

    fn leaf(&self, leaf: &Leaf) -> Option<Value> {
        let halves = |read: &dyn Fn(u16) -> Option<u16>| {
            let each = (0..u16::from(leaf.kind.halves())).rev();
            each.map(read).try_fold(0u64, |value, half| Some(value.wrapping_shl(16) | u64::from(half?)))
        };
        let bits = match leaf.place(self.group.pc())? {
            Place::Constant(bits) => bits,
            Place::Register(first) => return Some(self.register(first, leaf.kind)),
            Place::Uniform(first) => halves(&|at| self.stepper.uniform(first.wrapping_add(at)))?,
            Place::Stack(offset) => {
                halves(&|at| self.group.stack(offset.wrapping_add(u32::from(at).wrapping_mul(2)), self.lane))?
            }
        };
        Some(Value::new(leaf.kind, bits))
    }

    pub(super) fn register(&self, first: u8, kind: Kind) -> Value {
        let half = |at: u8| u64::from(self.group.half(first.wrapping_add(at), self.lane));
        Value::new(kind, (0..kind.halves()).rev().fold(0, |value, at| value.wrapping_shl(16) | half(at)))
    }

    pub(super) fn uniform(&self, first: u16, kind: Kind) -> Value {
        let half = |at: u8| u64::from(self.stepper.uniform(first.wrapping_add(at.into())).unwrap_or(0));
        Value::new(kind, (0..kind.halves()).rev().fold(0, |value, at| value.wrapping_shl(16) | half(at)))
    }

    pub(super) fn load(&self, space: Space, address: u64, kind: Kind) -> Result<Value, ExpressionError> {
        let len = usize::from(kind.bits.div_ceil(8));
        let bytes = match space {
            Space::Device => self.stepper.memory().bytes(address, len),
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
