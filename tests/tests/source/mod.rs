//! A minimal parser of Rust sources that finds functions and tests.

use std::path::Path;

/// A source file.
pub struct Source {
    /// Its path, with `/`.
    pub path: String,
    /// Its text.
    pub text: String,
    /// The text with comments and contents of literals blanked; line breaks are preserved.
    code: String,
}

/// A function with a body.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Line of its signature, from 1.
    pub line: usize,
    /// Lines from the signature to the closing brace.
    pub lines: usize,
}

impl Source {
    /// A file's text.
    pub fn new(path: &Path, text: &str) -> Source {
        let path = path.to_string_lossy().replace('\\', "/");
        Source { path, text: text.to_owned(), code: blank(text) }
    }

    /// Whether the whole file is test code.
    pub fn is_test(&self) -> bool {
        ["/tests/tests/", "/examples/", "/benches/", "/test_", "_tests.rs", "/tests.rs"]
            .iter()
            .any(|part| self.path.contains(part))
            || self.path.contains("/tests/") && !self.path.contains("/tests/src/")
    }

    /// Every function with a body.
    pub fn functions(&self) -> Vec<Function> {
        let mut functions = Vec::new();
        for (at, _) in self.code.match_indices("fn ") {
            let before = self.code[..at].chars().next_back();
            if before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_' || letter == '$') {
                continue;
            }
            let rest = &self.code[at + 3..];
            let name: String =
                rest.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
            let Some(body) = rest.find(['{', ';']).filter(|end| rest[*end..].starts_with('{')) else {
                continue;
            };
            if name.is_empty() {
                continue;
            }
            let end = at + 3 + body + closing(&rest[body..]);
            let line = line_of(&self.code, at);
            functions.push(Function { name, line, lines: line_of(&self.code, end) - line + 1 });
        }
        functions
    }

    /// Lines of code that are not within `#[cfg(test)]`, with their numbers.
    pub fn code_outside_tests(&self) -> Vec<(usize, &str)> {
        let mut excluded = Vec::new();
        for (at, mark) in self.code.match_indices("#[cfg(test)]") {
            let rest = &self.code[at + mark.len()..];
            let end = match rest.find(['{', ';']) {
                Some(open) if rest[open..].starts_with('{') => open + closing(&rest[open..]),
                other => other.unwrap_or(0),
            };
            excluded.push(line_of(&self.code, at)..=line_of(&self.code, at + mark.len() + end));
        }
        let lines = self.code.lines().enumerate().map(|(index, line)| (index + 1, line));
        lines.filter(|(number, _)| !excluded.iter().any(|range| range.contains(number))).collect()
    }
}

impl Source {
    /// Arguments that are evaluated whether or not they are needed, with indices that may be out of bounds: lines and arguments.
    /// An index that the receiver of the call has too is evaluated before.
    pub fn eager_indices(&self) -> Vec<(usize, &str)> {
        let mut found = Vec::new();
        for name in EAGER {
            for (at, call) in self.code.match_indices(name) {
                let arguments = &self.code[at + call.len()..];
                let argument = &arguments[..end_of_argument(arguments)];
                let before = &self.code[..at];
                let statement = before.rfind(['{', '}', ';']).map_or(before, |start| &before[start..]);
                if indices(argument).any(|index| !statement.contains(index)) {
                    found.push((line_of(&self.code, at), argument));
                }
            }
        }
        found
    }
}

/// Calls whose first argument is evaluated before the condition is known.
const EAGER: [&str; 7] = [".then_some(", ".unwrap_or(", ".map_or(", ".ok_or(", ".or(", ".and(", ".xor("];

/// Length of the first argument of a call.
fn end_of_argument(arguments: &str) -> usize {
    let mut depth = 0;
    for (at, letter) in arguments.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ',' if depth == 0 => return at,
            ')' | ']' | '}' if depth == 0 => return at,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    arguments.len()
}

/// The indexing expressions in an argument, as far as they consist of names and fields. Elements of constants by number are
/// checked when they are compiled, and closures run only where they are needed.
fn indices(argument: &str) -> impl Iterator<Item = &str> {
    let text = if argument.contains('|') { "" } else { argument };
    text.match_indices('[').filter_map(move |(at, _)| {
        let is_part = |letter: char| letter.is_alphanumeric() || "_.?".contains(letter);
        let start = text[..at].rfind(|letter| !is_part(letter)).map_or(0, |before| before + 1);
        let base = &text[start..at];
        let end = at + text[at..].find(']')? + 1;
        let is_constant = base.chars().all(|letter| letter.is_uppercase() || letter == '_');
        (!base.is_empty() && !is_constant).then(|| &text[start..end])
    })
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at.min(text.len())].matches('\n').count() + 1
}

/// Offset of the bracket that closes the one at the start of `text`.
fn closing(text: &str) -> usize {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// Blanks comments and the contents of string and character literals; every byte keeps its position.
fn blank(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut result = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match &bytes[at..] {
            [b'/', b'/', ..] => {
                at + bytes[at..].iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len() - at)
            }
            [b'/', b'*', ..] => text[at..].find("*/").map_or(bytes.len(), |end| at + end + 2),
            [b'r', b'"' | b'#', ..] if !is_word(bytes, at) => raw_string_end(text, at),
            [b'"', ..] => quoted_end(bytes, at, b'"'),
            [b'\'', b'\\', ..] => quoted_end(bytes, at, b'\''),
            [b'\'', ..] => character_end(text, at),
            _ => at,
        };
        if end == at {
            at += 1;
            continue;
        }
        for byte in &mut result[at..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end;
    }
    String::from_utf8_lossy(&result).into_owned()
}

/// Whether the byte before `at` belongs to a word.
fn is_word(bytes: &[u8], at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| bytes[before].is_ascii_alphanumeric() || bytes[before] == b'_')
}

fn raw_string_end(text: &str, at: usize) -> usize {
    let hashes = text[at + 1..].bytes().take_while(|byte| *byte == b'#').count();
    let open = at + 1 + hashes;
    if !text[open..].starts_with('"') {
        return at;
    }
    let close = format!("\"{}", "#".repeat(hashes));
    text[open + 1..].find(&close).map_or(text.len(), |end| open + 1 + end + close.len())
}

fn quoted_end(bytes: &[u8], at: usize, quote: u8) -> usize {
    let mut end = at + 1;
    while end < bytes.len() && bytes[end] != quote {
        end += if bytes[end] == b'\\' { 2 } else { 1 };
    }
    (end + 1).min(bytes.len())
}

/// End of a character literal; `at` itself if it is a lifetime.
fn character_end(text: &str, at: usize) -> usize {
    let mut letters = text[at + 1..].char_indices();
    letters.next();
    match letters.next() {
        Some((offset, '\'')) => at + 1 + offset + 1,
        _ => at,
    }
}

#[test]
fn functions_and_tests_are_found() {
    let text = "//! Doc: fn comment() {\nfn one<'a>(x: &'a str) -> char {\n    let s = \"fn no() {\";\n    '{'\n}\n\
        trait T { fn declared(); }\n#[cfg(test)]\nmod tests {\n    fn two() { x.unwrap() }\n}\nfn three() { r#\"}\"#; }\n";
    let source = Source::new(Path::new("a.rs"), text);
    let found: Vec<(String, usize, usize)> = source
        .functions()
        .into_iter()
        .map(|function| (function.name, function.line, function.lines))
        .collect();
    assert_eq!(found, [("one".into(), 2, 4), ("two".into(), 9, 1), ("three".into(), 11, 1)]);
    let lines: Vec<usize> = source.code_outside_tests().iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [1, 2, 3, 4, 5, 6, 11]);
}

#[test]
fn eager_indices_are_found() {
    let text = "//! Doc.\nfn one() { is_there.then_some(list[0]) }\nfn two() { (list[0] > 1).then_some(list[0]) }\n\
        fn three() { a.unwrap_or(SHAPES[0]); b.map_or(x.y[at].z, |v| v[1]); c.ok_or(vec![1]); d.unwrap_or([1; 3]) }\n";
    let source = Source::new(Path::new("a.rs"), text);
    assert_eq!(source.eager_indices(), [(2, "list[0]"), (4, "x.y[at].z")]);
}
