//! Reads expressions, by operator precedence with explicit stacks.

use super::operate::Operator;
use super::value::{Class, Kind, Value};
use super::{ExpressionError, Item, Space};

/// An operator or bracket that waits for its operands.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Waiting {
    Operator(Operator),
    Bracket,
    Convert(Kind),
    Load(Space),
}

struct Parser<'t> {
    text: &'t str,
    rest: &'t str,
    items: Vec<Item>,
    waiting: Vec<Waiting>,
}

/// The operations of an expression.
pub(super) fn items(text: &str) -> Result<Vec<Item>, ExpressionError> {
    let mut parser = Parser { text, rest: text, items: Vec::new(), waiting: Vec::new() };
    loop {
        parser.operand()?;
        while parser.closes()? {}
        parser.skip_spaces();
        if parser.rest.is_empty() {
            break;
        }
        let (operator, len) =
            Operator::binary_at(parser.rest).ok_or_else(|| parser.expected("an operator"))?;
        parser.reduce(operator.precedence());
        parser.waiting.push(Waiting::Operator(operator));
        parser.advance(len);
    }
    parser.reduce(0);
    match parser.waiting.is_empty() {
        true => Ok(parser.items),
        false => Err(parser.expected("a closing bracket")),
    }
}

impl<'t> Parser<'t> {
    fn expected(&self, expected: &'static str) -> ExpressionError {
        let at = self.text.len().saturating_sub(self.rest.len());
        let at = self.text.get(..at).map_or(0, |before| before.chars().count()).saturating_add(1);
        ExpressionError::Syntax { text: self.text.to_owned(), at, expected }
    }

    fn advance(&mut self, len: usize) {
        self.rest = self.rest.get(len..).unwrap_or("");
    }

    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, character: char) -> bool {
        let rest = self.rest.strip_prefix(character);
        rest.map(|rest| self.rest = rest).is_some()
    }

    /// The longest start of the rest with these characters.
    fn take(&mut self, belongs: impl Fn(char) -> bool) -> &'t str {
        let len = self.rest.find(|character| !belongs(character)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at_checked(len).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    /// Emits operators that bind at least as strongly.
    fn reduce(&mut self, precedence: u8) {
        while let Some(Waiting::Operator(operator)) = self.waiting.last().copied() {
            if operator.precedence() < precedence {
                break;
            }
            self.items.push(Item::Operator(operator));
            self.waiting.pop();
        }
    }

    /// An operand, with the unary operators and brackets before it.
    fn operand(&mut self) -> Result<(), ExpressionError> {
        loop {
            self.skip_spaces();
            let Some(first) = self.rest.chars().next() else { return Err(self.expected("an operand")) };
            if let Some(operator) = Operator::unary_of(first) {
                self.waiting.push(Waiting::Operator(operator));
                self.advance(1);
                continue;
            }
            match first {
                '(' => {
                    self.waiting.push(Waiting::Bracket);
                    self.advance(1);
                }
                '0'..='9' | '.' => return self.number(),
                '$' => {
                    self.advance(1);
                    if self.machine()? {
                        return Ok(());
                    }
                }
                'a'..='z' | 'A'..='Z' | '_' => {
                    if self.name()? {
                        return Ok(());
                    }
                }
                _ => return Err(self.expected("an operand")),
            }
        }
    }

    fn number(&mut self) -> Result<(), ExpressionError> {
        let before = self.rest;
        let failed = |parser: &mut Self, expected| {
            parser.rest = before;
            Err(parser.expected(expected))
        };
        if let Some(digits) = self.rest.strip_prefix("0x") {
            self.rest = digits;
            let digits = self.take(|character| character.is_ascii_hexdigit());
            let Ok(bits) = u64::from_str_radix(digits, 16) else {
                return failed(self, "a number of 64 bits");
            };
            self.items.push(Item::Literal(literal(Class::Signed, bits)));
            return Ok(());
        }
        let mut digits = self.take(|character| character.is_ascii_digit() || character == '.').to_owned();
        if self.rest.starts_with(['e', 'E']) {
            digits.push('e');
            self.advance(1);
            digits.push_str(self.take(|character| character.is_ascii_digit() || "+-".contains(character)));
        }
        let value = match digits.contains(['.', 'e']) {
            true => digits.parse::<f64>().ok().map(|number| literal(Class::Float, number.to_bits())),
            false => digits.parse::<u64>().ok().map(|number| literal(Class::Signed, number)),
        };
        let Some(value) = value else { return failed(self, "a number") };
        self.items.push(Item::Literal(value));
        Ok(())
    }

    /// A variable with its path, or a conversion, after which an operand follows.
    fn name(&mut self) -> Result<bool, ExpressionError> {
        let mut name = self.take(is_word).to_owned();
        if self.rest.starts_with('(')
            && let Some(kind) = Kind::find(&name)
        {
            self.advance(1);
            self.waiting.push(Waiting::Convert(kind));
            return Ok(false);
        }
        if let "true" | "false" = name.as_str() {
            self.items.push(Item::Literal(Value::bool(name == "true")));
            return Ok(true);
        }
        while self.rest.starts_with(['.', '[']) {
            if self.eat('.') {
                name.push('.');
                name.push_str(self.take(is_word));
                continue;
            }
            self.advance(1);
            let index = self.take(|character| character.is_ascii_digit());
            if index.is_empty() || !self.eat(']') {
                return Err(self.expected("a number and `]`"));
            }
            name.push_str(&format!("[{index}]"));
        }
        self.items.push(Item::Variable(name));
        Ok(true)
    }

    /// What follows `$`; false for memory, whose address follows.
    fn machine(&mut self) -> Result<bool, ExpressionError> {
        let name = self.take(is_word);
        if self.eat('[') {
            let space = match name {
                "mem" => Space::Device,
                "local" => Space::Local,
                _ => return Err(self.expected("`$mem` or `$local` before `[`")),
            };
            self.waiting.push(Waiting::Load(space));
            return Ok(false);
        }
        if let Some((half, bits)) = register(name, 'r') {
            let kind = self.kind(Kind::unsigned(bits))?;
            let half = u8::try_from(half).map_err(|_| self.expected("a register up to r127"))?;
            self.items.push(Item::Register { half, kind });
            return Ok(true);
        }
        if let Some((half, bits)) = register(name, 'u') {
            let kind = self.kind(Kind::unsigned(bits))?;
            self.items.push(Item::Uniform { half, kind });
            return Ok(true);
        }
        let mut name = name.to_owned();
        if self.eat('.') {
            name.push('.');
            name.push_str(self.take(is_word));
        }
        self.items.push(Item::Builtin(name));
        Ok(true)
    }

    /// The type after a register or memory; `default` if there is none.
    fn kind(&mut self, default: Kind) -> Result<Kind, ExpressionError> {
        if !self.eat('.') {
            return Ok(default);
        }
        Kind::find(self.take(is_word)).ok_or_else(|| self.expected("a type before here, like `f32`"))
    }

    /// Whether a closing bracket follows, which ends what it belongs to.
    fn closes(&mut self) -> Result<bool, ExpressionError> {
        self.skip_spaces();
        let Some(bracket) = self.rest.chars().next().filter(|character| ")]".contains(*character)) else {
            return Ok(false);
        };
        self.reduce(0);
        match (self.waiting.pop(), bracket) {
            (Some(Waiting::Bracket), ')') => self.advance(1),
            (Some(Waiting::Convert(kind)), ')') => {
                self.items.push(Item::Convert(kind));
                self.advance(1);
            }
            (Some(Waiting::Load(space)), ']') => {
                self.advance(1);
                let kind = self.kind(Kind::unsigned(32))?;
                self.items.push(Item::Load(space, kind));
            }
            _ => return Err(self.expected("the end or an operator")),
        }
        Ok(true)
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn literal(class: Class, bits: u64) -> Value {
    Value { kind: Kind { class, bits: 0 }, bits }
}

/// The half index and width of a register's name after its letter: `r5`, `r5l`, `r5h`.
fn register(name: &str, letter: char) -> Option<(u16, u8)> {
    let number = name.strip_prefix(letter)?;
    let (digits, half) = match number.strip_suffix(['l', 'h']) {
        Some(digits) => (digits, Some(number.ends_with('h'))),
        None => (number, None),
    };
    let number: u16 = digits.parse().ok().filter(|number| *number < 256)?;
    let half_index = number.wrapping_mul(2).wrapping_add(u16::from(half == Some(true)));
    Some((half_index, if half.is_some() { 16 } else { 32 }))
}
