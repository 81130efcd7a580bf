//! Expressions over registers, memory and source variables, for conditions and watches.
//!
//! `sum`, `v.x`, `m[2].y` are source variables. `$r5`, `$r5l.f16`, `$u12.f32` are registers and uniform registers,
//! `$mem[address].f32` and `$local[offset]` memory; without a type they are unsigned. `$lane`, `$group`, `$workgroup.x`,
//! `$thread.x`, `$global.x`, `$pixel.x`, `$exec`, `$pc` and `$active` describe the lane. Operators are those of C; `f32(e)`
//! converts. A text is translated to a list of operations on a stack.

mod operate;
mod parse;
mod scope;
mod value;

use thiserror::Error;

use operate::Operator;
pub use scope::{Datum, Scope};
pub(crate) use value::joined;
pub use value::{Class, Kind, Value};

/// Why an expression cannot be read or has no value.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ExpressionError {
    /// The text is not an expression.
    #[error("`{text}`, character {at}: expected {expected}")]
    Syntax {
        /// The text.
        text: String,
        /// Position of the character, from 1.
        at: usize,
        /// What is missing.
        expected: &'static str,
    },
    /// No variable or register has this name.
    #[error("unknown name `{name}`")]
    Unknown {
        /// The name.
        name: String,
    },
    /// The variable exists, but no register holds it at this instruction.
    #[error("`{name}` has no value here")]
    Unavailable {
        /// The name.
        name: String,
    },
    /// The variable has several scalars.
    #[error("`{name}` has several components; expected one, as in `{name}{first}`")]
    Composite {
        /// The name.
        name: String,
        /// The path of the first component.
        first: String,
    },
    /// The address is not mapped.
    #[error("no memory at {address:#x}")]
    Unmapped {
        /// The address.
        address: u64,
    },
    /// A division by zero.
    #[error("division by zero")]
    Division,
}

/// The kind of memory of a load.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Space {
    Device,
    Local,
}

/// One operation.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Item {
    Literal(Value),
    /// A source variable, or a component of one.
    Variable(String),
    /// A property of the lane.
    Builtin(String),
    Register {
        half: u8,
        kind: Kind,
    },
    Uniform {
        half: u16,
        kind: Kind,
    },
    /// Replaces an address by the contents of memory.
    Load(Space, Kind),
    Convert(Kind),
    Operator(Operator),
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expression {
    text: String,
    items: Vec<Item>,
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// The text is not an expression.
    pub fn parse(text: &str) -> Result<Expression, ExpressionError> {
        Ok(Expression { text: text.to_owned(), items: parse::items(text)? })
    }

    /// The text that it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its value in a lane, which may have several components if the expression is a variable.
    ///
    /// # Errors
    /// A name is unknown or has no value.
    pub fn datum(&self, scope: &Scope<'_>) -> Result<Datum, ExpressionError> {
        match self.items.as_slice() {
            [Item::Variable(name)] => scope.variable(name),
            _ => self.value(scope).map(Datum::Scalar),
        }
    }

    /// Its value in a lane.
    ///
    /// # Errors
    /// A name is unknown, has no value, or has several components.
    pub fn value(&self, scope: &Scope<'_>) -> Result<Value, ExpressionError> {
        let mut stack: Vec<Value> = Vec::new();
        let pop = |stack: &mut Vec<Value>| stack.pop().unwrap_or(Value::FALSE);
        for item in &self.items {
            let value = match item {
                Item::Literal(value) => *value,
                Item::Variable(name) => scope.variable(name)?.scalar(name)?,
                Item::Builtin(name) => scope.builtin(name)?,
                Item::Register { half, kind } => scope.register(*half, *kind),
                Item::Uniform { half, kind } => scope.uniform(*half, *kind),
                Item::Load(space, kind) => scope.load(*space, pop(&mut stack).integer() as u64, *kind)?,
                Item::Convert(kind) => pop(&mut stack).convert(*kind),
                Item::Operator(operator) if operator.is_unary() => operator.unary(pop(&mut stack)),
                Item::Operator(operator) => {
                    let (b, a) = (pop(&mut stack), pop(&mut stack));
                    operator.binary(a, b)?
                }
            };
            stack.push(value);
        }
        Ok(pop(&mut stack))
    }
}
