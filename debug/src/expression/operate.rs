//! Operators of expressions.

use super::ExpressionError;
use super::value::{Class, Kind, Value};

/// An operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operator {
    Negate,
    Not,
    Complement,
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    ExclusiveOr,
    Or,
    BothHold,
    OneHolds,
}

/// Texts and precedences of the binary operators; a text that begins with another one is first.
const BINARY: &[(&str, Operator, u8)] = &[
    ("<<", Operator::ShiftLeft, 8),
    (">>", Operator::ShiftRight, 8),
    ("<=", Operator::LessEqual, 7),
    (">=", Operator::GreaterEqual, 7),
    ("==", Operator::Equal, 6),
    ("!=", Operator::NotEqual, 6),
    ("&&", Operator::BothHold, 2),
    ("||", Operator::OneHolds, 1),
    ("<", Operator::Less, 7),
    (">", Operator::Greater, 7),
    ("*", Operator::Multiply, 10),
    ("/", Operator::Divide, 10),
    ("%", Operator::Remainder, 10),
    ("+", Operator::Add, 9),
    ("-", Operator::Subtract, 9),
    ("&", Operator::And, 5),
    ("^", Operator::ExclusiveOr, 4),
    ("|", Operator::Or, 3),
];

/// Precedence of the unary operators.
const UNARY: u8 = 11;

impl Operator {
    /// The binary operator at the start of `text`, and its length.
    pub(crate) fn binary_at(text: &str) -> Option<(Operator, usize)> {
        let row = BINARY.iter().find(|row| text.starts_with(row.0));
        row.map(|row| (row.1, row.0.len()))
    }

    /// The unary operator that a character stands for.
    pub(crate) fn unary_of(character: char) -> Option<Operator> {
        match character {
            '-' => Some(Operator::Negate),
            '!' => Some(Operator::Not),
            '~' => Some(Operator::Complement),
            _ => None,
        }
    }

    pub(crate) fn is_unary(self) -> bool {
        matches!(self, Operator::Negate | Operator::Not | Operator::Complement)
    }

    pub(crate) fn precedence(self) -> u8 {
        BINARY.iter().find(|row| row.1 == self).map_or(UNARY, |row| row.2)
    }

    pub(crate) fn unary(self, value: Value) -> Value {
        match self {
            Operator::Not => Value::bool(!value.holds()),
            Operator::Complement => Value::new(value.kind, !value.bits),
            _ if value.kind.class == Class::Float => Value::of_float(-value.float(), value.kind.bits),
            _ => {
                let kind = Kind { class: Class::Signed, ..value.kind };
                Value::new(kind, (value.integer() as i64).wrapping_neg() as u64)
            }
        }
    }

    pub(crate) fn binary(self, a: Value, b: Value) -> Result<Value, ExpressionError> {
        use Operator::*;
        match self {
            BothHold => return Ok(Value::bool(a.holds() && b.holds())),
            OneHolds => return Ok(Value::bool(a.holds() || b.holds())),
            // The result of a shift has the type of what is shifted.
            ShiftLeft | ShiftRight => return Ok(shift(self, a, b)),
            _ => {}
        }
        let kind = common(a.kind, b.kind);
        let (a, b) = (a.convert(kind), b.convert(kind));
        match kind.class {
            Class::Float => Ok(floats(self, a.float(), b.float(), kind.bits)),
            _ => integers(self, a.integer(), b.integer(), kind),
        }
    }
}

/// The type in which an operator works.
fn common(a: Kind, b: Kind) -> Kind {
    let is_float = |kind: Kind| kind.class == Class::Float;
    match (is_float(a), is_float(b)) {
        (true, true) => Kind { class: Class::Float, bits: a.bits.max(b.bits) },
        (true, false) => a,
        (false, true) => b,
        _ if b.bits == 0 && b.class == Class::Signed => a,
        _ if a.bits == 0 && a.class == Class::Signed => b,
        _ if a.class == b.class => Kind { bits: a.bits.max(b.bits), ..a },
        _ => Kind::unsigned(a.bits.max(b.bits)),
    }
}

fn shift(operator: Operator, a: Value, b: Value) -> Value {
    let count = u32::try_from(b.integer()).unwrap_or(u32::MAX).min(127);
    let shifted = match operator {
        Operator::ShiftLeft => a.integer().wrapping_shl(count),
        _ => a.integer().wrapping_shr(count),
    };
    Value::new(a.kind, shifted as u64)
}

/// The result of a comparison.
fn compare<T: PartialOrd>(operator: Operator, a: T, b: T) -> Option<bool> {
    Some(match operator {
        Operator::Less => a < b,
        Operator::LessEqual => a <= b,
        Operator::Greater => a > b,
        Operator::GreaterEqual => a >= b,
        Operator::Equal => a == b,
        Operator::NotEqual => a != b,
        _ => return None,
    })
}

fn floats(operator: Operator, a: f64, b: f64, bits: u8) -> Value {
    if let Some(holds) = compare(operator, a, b) {
        return Value::bool(holds);
    }
    let result = match operator {
        Operator::Multiply => a * b,
        Operator::Divide => a / b,
        Operator::Remainder => a % b,
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        // Bits of floats have no operators.
        _ => f64::NAN,
    };
    Value::of_float(result, bits)
}

fn integers(operator: Operator, a: i128, b: i128, kind: Kind) -> Result<Value, ExpressionError> {
    if let Some(holds) = compare(operator, a, b) {
        return Ok(Value::bool(holds));
    }
    let result = match operator {
        Operator::Multiply => a.wrapping_mul(b),
        Operator::Divide => a.checked_div(b).ok_or(ExpressionError::Division)?,
        Operator::Remainder => a.checked_rem(b).ok_or(ExpressionError::Division)?,
        Operator::Add => a.wrapping_add(b),
        Operator::Subtract => a.wrapping_sub(b),
        Operator::And => a & b,
        Operator::ExclusiveOr => a ^ b,
        _ => a | b,
    };
    Ok(Value::new(kind, result as u64))
}
