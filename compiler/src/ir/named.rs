//! Source variables, and what is assigned to them: debug information beside a function, which no pass reads.
//!
//! A front end records each assignment with the value and the time, the number of values built so far. Rewrites report
//! values that they replace. `emit/tracking.rs` finds the machine code of both.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::entity::{Block, Value};
use super::src::Src;

/// What ends the name of a variable that a translator added for a value. Its initial contents are no assignment.
pub const ADDED_VARIABLE: &str = " ";

/// The class of a scalar in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SourceClass {
    /// A float.
    Float,
    /// A signed integer.
    Signed,
    /// An unsigned integer.
    Unsigned,
    /// A boolean.
    Bool,
}

/// A scalar of a source variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceLeaf {
    /// How it is reached from the variable: `.x`, `[2]`, `.field.y`; empty for a scalar variable.
    pub path: String,
    /// Its class.
    pub class: SourceClass,
    /// Its width; 1 for booleans.
    pub bits: u8,
}

/// A source variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceVariable {
    /// Its name.
    pub name: String,
    /// Its scalars.
    pub leaves: Vec<SourceLeaf>,
    /// Whether the first assignment is that of initial contents which the source does not have.
    pub is_added: bool,
}

/// What a scalar of a variable is set to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Assigned {
    /// A value, constant or uniform.
    Source(Src),
    /// It is in stack memory at this byte, from here on.
    Stack(u32),
}

/// An assignment to a scalar of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Assignment {
    /// Number of the variable.
    pub variable: u32,
    /// Number of its scalar.
    pub leaf: u32,
    /// What it is set to.
    pub to: Assigned,
    /// The block of the assignment.
    pub block: Block,
    /// Number of values built before it; `None` at the start of the block.
    pub time: Option<u32>,
}

/// The source variables of a function.
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// The variables.
    pub variables: Vec<SourceVariable>,
    /// Assignments in the order of the source.
    pub assignments: Vec<Assignment>,
    /// Number of values that the front end built.
    pub built: u32,
    /// Values that passes replaced, the latest replacement of each.
    replaced: HashMap<Value, Src, FxBuildHasher>,
}

impl Named {
    /// Records that passes use `src` in place of `value`.
    pub(super) fn replace(&mut self, value: Value, src: Src) {
        self.replaced.insert(value, src);
    }

    /// What is used in place of `src` after all replacements; `None` if modifiers apply to it.
    pub fn resolve(&self, mut src: Src) -> Option<Src> {
        // Replacements have no cycles; the limit protects from a defect.
        for _ in 0..=self.replaced.len() {
            match src.as_value().and_then(|value| self.replaced.get(&value)) {
                Some(next) if src.flags.is_empty() => src = *next,
                _ => break,
            }
        }
        src.flags.is_empty().then_some(src)
    }

    /// For each value that replaces one of the front end, the least number of those.
    pub fn times(&self) -> HashMap<Value, u32, FxBuildHasher> {
        let mut times = HashMap::default();
        for value in self.replaced.keys().filter(|value| value.0 < self.built) {
            if let Some(last) = self.resolve(Src::value(*value)).and_then(Src::as_value) {
                let time = times.entry(last).or_insert(value.0);
                *time = value.0.min(*time);
            }
        }
        times
    }
}
