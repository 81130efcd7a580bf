//! How deeply a text nests: an upper bound of the recursion of naga, taken from the tokens before naga sees them.
//!
//! naga's parsers, its lowering and its SPIR-V writer recurse over brackets, chains of operators (`a + b + c` is a tree
//! of two levels), chains of selectors, `else if`, statements without braces, and declarations that use each other.
//! The bound counts each of these on the way from the outermost level to the innermost, and takes the longest way. It
//! may exceed the true depth, because every sign of an operator and every keyword counts; separators (commas,
//! semicolons, closing braces) begin a new count, so that long lists and long functions are not deep.

/// Keywords that begin a statement which contains another one.
const NESTING_WORDS: &[&str] = &["if", "else", "for", "while", "do", "switch", "loop"];

/// The part of a token that matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign<'t> {
    /// `(`, `[` or `{`.
    Open,
    /// `)` or `]`.
    Close,
    /// `}`.
    CloseBrace,
    /// `,`.
    Comma,
    /// `;`.
    Semicolon,
    /// An operator.
    Operator,
    /// `.`; a `[` is one too.
    Selector,
    /// A keyword or name.
    Word(&'t str),
    /// A number or anything else.
    Other,
}

/// The nesting of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Nesting {
    /// Levels on the longest way to a token.
    pub depth: usize,
    /// Declarations of the outermost level, each of which may use the next one.
    pub declarations: usize,
    /// Byte offset of the token with the most open brackets, and their number.
    pub innermost: (usize, usize),
    /// Byte offset and length of the longest word.
    pub longest_word: (usize, usize),
    /// Number of tokens.
    pub tokens: usize,
}

/// Counts within a pair of brackets.
#[derive(Clone, Copy, Default)]
struct Level {
    /// Keywords of nesting statements since the last separator.
    statements: usize,
    /// Operators since the last separator or `else`.
    operators: usize,
    /// Depth of the deepest brackets since then.
    brackets: usize,
    /// Selectors of the operand, and of the operand before with the most since then.
    selectors: (usize, usize),
    /// The largest sum of the two before an `else` of the statement.
    before_else: usize,
    /// Depth of the deepest part up to the last separator.
    deepest: usize,
}

impl Level {
    fn depth(&self) -> usize {
        self.statements.saturating_add(self.before_else.max(self.expression()))
    }

    /// Depth of the expression.
    fn expression(&self) -> usize {
        let selectors = self.selectors.0.max(self.selectors.1);
        self.operators.saturating_add(self.brackets).saturating_add(selectors)
    }

    fn operator(&mut self) {
        self.operators = self.operators.saturating_add(1);
        self.selectors = (0, self.selectors.0.max(self.selectors.1));
    }

    /// Ends a part.
    fn separate(&mut self) {
        *self = Level { deepest: self.deepest.max(self.depth()), ..Level::default() };
    }

    fn word(&mut self, word: &str) {
        if word == "else" {
            self.before_else = self.before_else.max(self.expression());
            (self.operators, self.brackets, self.selectors) = (0, 0, (0, 0));
        }
        if NESTING_WORDS.contains(&word) {
            self.statements = self.statements.saturating_add(1);
        }
    }
}

/// Takes the tokens of a text in their order.
#[derive(Default)]
pub struct Meter {
    /// The levels around the current one.
    outer: Vec<Level>,
    current: Level,
    /// A statement may have ended: it has unless `else` follows.
    may_end: bool,
    found: Nesting,
}

impl Meter {
    /// Takes a token at a byte offset; returns the number of tokens so far.
    pub fn take(&mut self, sign: Sign<'_>, offset: usize) -> usize {
        self.found.tokens = self.found.tokens.saturating_add(1);
        if std::mem::take(&mut self.may_end) && sign != Sign::Word("else") {
            self.separate();
        }
        match sign {
            Sign::Open => {
                self.outer.push(std::mem::take(&mut self.current));
                if self.outer.len() > self.found.innermost.1 {
                    self.found.innermost = (offset, self.outer.len());
                }
            }
            Sign::Close => self.close(),
            Sign::CloseBrace => {
                self.close();
                self.may_end = true;
            }
            Sign::Comma => self.separate(),
            Sign::Semicolon => self.may_end = true,
            Sign::Operator => self.current.operator(),
            Sign::Selector => self.current.selectors.0 = self.current.selectors.0.saturating_add(1),
            Sign::Word(word) => {
                self.current.word(word);
                if word.len() > self.found.longest_word.1 {
                    self.found.longest_word = (offset, word.len());
                }
            }
            Sign::Other => {}
        }
        self.found.tokens
    }

    fn separate(&mut self) {
        self.current.separate();
        if self.outer.is_empty() {
            self.found.declarations = self.found.declarations.saturating_add(1);
        }
    }

    /// Ends a level; a bracket that closes nothing is ignored.
    fn close(&mut self) {
        self.current.separate();
        let Some(outer) = self.outer.pop() else { return };
        let depth = self.current.deepest.saturating_add(1);
        self.current = Level { brackets: outer.brackets.max(depth), ..outer };
    }

    /// The nesting of the tokens so far.
    pub fn finish(mut self) -> Nesting {
        while !self.outer.is_empty() {
            self.close();
        }
        self.separate();
        Nesting { depth: self.current.deepest, ..self.found }
    }
}

/// How a language writes comments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comments {
    /// Whether `/* /* */ */` is one comment.
    pub nest: bool,
}

/// The nesting of a text. Directives of a preprocessor are read like other lines.
pub fn of(text: &str, comments: Comments) -> Nesting {
    let mut meter = Meter::default();
    for (sign, offset) in signs(text, comments) {
        if text.as_bytes().get(offset) == Some(&b'[') {
            // Selectors may form a chain.
            meter.take(Sign::Selector, offset);
        }
        meter.take(sign, offset);
    }
    meter.finish()
}

/// The signs of a text with their byte offsets.
pub fn signs(text: &str, comments: Comments) -> impl Iterator<Item = (Sign<'_>, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..)?;
            let first = rest.chars().next()?;
            let length = blank(rest, first, comments);
            if length > 0 {
                at = at.saturating_add(length);
                continue;
            }
            let (sign, length) = token(rest, first);
            let offset = at;
            at = at.saturating_add(length);
            return Some((sign, offset));
        }
    })
}

/// Bytes of the white space or the comment at the start of `rest`.
fn blank(rest: &str, first: char, comments: Comments) -> usize {
    if first.is_whitespace() {
        return first.len_utf8();
    }
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if !rest.starts_with("/*") {
        return 0;
    }
    let (mut open, mut at) = (1_usize, 2);
    while open > 0 {
        let Some(left) = rest.get(at..) else { return rest.len() };
        let Some(next) = left.find(['*', '/']) else { return rest.len() };
        let left = left.get(next..).unwrap_or_default();
        let (change, length) = match (left.starts_with("*/"), left.starts_with("/*")) {
            (true, _) => (-1, 2),
            (_, true) if comments.nest => (1, 2),
            _ => (0, 1),
        };
        open = open.saturating_add_signed(change);
        at = at.saturating_add(next).saturating_add(length);
    }
    at
}

/// The token at the start of `rest` and its length in bytes.
fn token(rest: &str, first: char) -> (Sign<'_>, usize) {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    if first.is_ascii_digit()
        || first == '.' && rest.get(1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    {
        return (Sign::Other, number(rest));
    }
    if is_part(first) {
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        return (Sign::Word(rest.get(..length).unwrap_or_default()), length);
    }
    let sign = match first {
        '(' | '[' | '{' => Sign::Open,
        ')' | ']' => Sign::Close,
        '}' => Sign::CloseBrace,
        ',' => Sign::Comma,
        ';' => Sign::Semicolon,
        '.' => Sign::Selector,
        '+' | '-' | '*' | '/' | '%' | '&' | '|' | '^' | '!' | '~' | '<' | '>' | '=' | '?' => Sign::Operator,
        _ => Sign::Other,
    };
    (sign, first.len_utf8())
}

/// Bytes of the number at the start of `rest`: digits, letters, points, and a sign after the letter of an exponent.
fn number(rest: &str) -> usize {
    let exponent: &[u8] = if rest.starts_with("0x") || rest.starts_with("0X") { b"pP" } else { b"eE" };
    let mut before = 0;
    let is_part = |byte: &u8| {
        let is_sign = matches!(byte, b'+' | b'-') && exponent.contains(&before);
        before = *byte;
        byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_') || is_sign
    };
    rest.bytes().take_while(is_part).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NESTED: Comments = Comments { nest: true };

    fn depth(text: &str) -> usize {
        of(text, NESTED).depth
    }

    #[test]
    fn every_kind_of_nesting_counts() {
        let repeat = |text: &str| text.repeat(50);
        let cases = [
            repeat("("),
            format!("a{}", repeat(" + a")),
            format!("a{}", repeat(".x")),
            format!("a{}", repeat("[0]")),
            repeat("-"),
            repeat("!"),
            repeat("a = "),
            repeat("a ? b : "),
            repeat("array<"),
            repeat("{"),
            repeat("f("),
            format!("if a {{ }} {}", repeat("else if a { } ")),
            repeat("if (a) "),
            repeat("for (;;) "),
            repeat("do "),
            format!("if (a) b; {}", repeat("else if (a) b; ")),
            repeat("switch a { case 1: { "),
        ];
        for text in cases {
            assert!((50..=202).contains(&depth(&text)), "{text}: {}", depth(&text));
        }
    }

    #[test]
    fn depth_adds_up_along_the_longest_way() {
        // Two operators around brackets with two operators.
        assert_eq!(depth("(a + b + c) * d / e;"), 5);
        assert_eq!(depth("(a + b, c) * d, (a + b + c);"), 3);
        // The selectors of an operand count, not those of all operands.
        assert_eq!(depth("a.x + b.y.z + c[0] + d;"), 3 + 1 + 2);
        // An `else` is a level below its `if`; an arm counts with the deepest.
        assert_eq!(depth("if a { b + c; } else if d { e + f + g; }"), 3 + 3);
        assert_eq!(depth("if (a) b + b; else c + c; d + d;"), 2 + 2);
    }

    #[test]
    fn what_follows_a_separator_is_not_deeper() {
        for part in [
            "a + b; ",
            "a + b, ",
            "{ a + b; } ",
            "if a { b + c; } ",
            "if (a) { b; } else { c + d; } ",
            "x[1] = 1; ",
        ] {
            let one = depth(part);
            assert_eq!(depth(&part.repeat(100)), one, "{part}");
        }
    }

    #[test]
    fn comments_and_numbers_have_no_operators() {
        for text in ["/* - /* - */ - */ a", "// -----\na", "1.5e-7", "1e+4", ".5", "0x1p-4", "/* -"] {
            assert_eq!(depth(text), 0, "{text}");
        }
        assert_eq!(of("/* /* */ - */", Comments { nest: false }).depth, 3, "`-`, and `*/` is two operators");
        assert_eq!(depth("0xe-1"), 1);
        assert_eq!(depth("é - ü"), 1);
    }

    #[test]
    fn declarations_and_words_are_measured() {
        let found = of("const a = 1; fn long_name() { let x = 1; }\nstruct S { a: i32, b: u32 } ", NESTED);
        assert_eq!(found.declarations, 3);
        assert_eq!(found.longest_word, (16, 9));
        assert_eq!(of("f(g((x)))", NESTED).innermost, (4, 3));
        assert_eq!(of("", NESTED), Nesting { declarations: 1, ..Nesting::default() });
        assert_eq!(of(")]}", NESTED).depth, 0);
    }
}
