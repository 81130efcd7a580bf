//! Sorts naga's errors about WGSL, which are texts, into kinds with codes of their own.

use naga::front::wgsl::ParseError;

use crate::error::{CompileError, Location, NagaError};

use super::nesting::Nesting;

/// Kinds of errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Syntax,
    Undeclared,
    Redeclared,
    Cycle,
    Unknown,
    Attribute,
    Types,
    Arguments,
    Constant,
    ConstantBuiltIn,
    Extension,
    Limit,
    Unsupported,
}

/// Beginnings of naga's messages. The first that fits counts.
#[rustfmt::skip]
const MESSAGES: &[(&str, Class)] = &[
    ("expected an image", Class::Types),
    ("expected global variable", Class::Types),
    ("expected global declaration", Class::Syntax),
    ("expected ", Class::Syntax),
    ("numeric literal not representable", Class::Constant),
    ("invalid numeric literal format", Class::Syntax),
    ("Identifier can't be `_`", Class::Syntax),
    ("Identifier starts with a reserved prefix", Class::Syntax),
    ("name `", Class::Syntax),
    ("A break if is only allowed", Class::Syntax),
    ("unterminated block comment", Class::Syntax),
    ("no definition in scope", Class::Undeclared),
    ("redefinition of", Class::Redeclared),
    ("declaration of `", Class::Cycle),
    ("unknown enable-extension", Class::Extension),
    ("unknown language extension", Class::Extension),
    ("the type of", Class::Types),
    ("the `", Class::Extension),
    ("unknown attribute", Class::Attribute),
    ("unknown builtin", Class::Attribute),
    ("repeated attribute", Class::Attribute),
    ("variable `", Class::Attribute),
    ("struct member size", Class::Attribute),
    ("struct member alignment", Class::Attribute),
    ("@size attribute", Class::Attribute),
    ("input/output binding", Class::Attribute),
    ("workgroup size is missing", Class::Attribute),
    ("pipeline constant ID", Class::Attribute),
    ("attribute `@must_use`", Class::Attribute),
    ("function annotated with @must_use", Class::Attribute),
    ("`@diagnostic(…)` attribute(s) not yet implemented", Class::Unsupported),
    ("`@diagnostic(…)` attribute(s) on", Class::Attribute),
    ("unknown ", Class::Unknown),
    ("invalid `diagnostic(…)` severity", Class::Unknown),
    ("wrong number of arguments", Class::Arguments),
    ("too many arguments", Class::Arguments),
    ("wrong type passed as argument", Class::Arguments),
    ("inconsistent type passed as argument", Class::Arguments),
    ("incorrect type passed to", Class::Arguments),
    ("unexpected argument type", Class::Arguments),
    ("Not implemented as constant expression", Class::ConstantBuiltIn),
    ("brace nesting limit", Class::Limit),
    ("struct member is too large", Class::Limit),
    ("type is too large", Class::Limit),
    ("Type is too large", Class::Limit),
    ("must be ", Class::Constant),
    ("array element count", Class::Constant),
    ("`const_assert` failure", Class::Constant),
    ("this operation is not supported in a const context", Class::Constant),
    ("Constants ", Class::Constant),
    ("Cannot ", Class::Constant),
    ("Can't use pipeline-overridable constants", Class::Constant),
    ("Unexpected ", Class::Constant),
    ("Division by zero", Class::Constant),
    ("Remainder by zero", Class::Constant),
    ("RHS of shift", Class::Constant),
    ("Subexpression(s) are not constant", Class::Constant),
    ("value of `low`", Class::Constant),
    ("automatic conversions", Class::Types),
    ("failed to convert", Class::Types),
    ("type ", Class::Types),
    ("matrix scalar type", Class::Types),
    ("texture sample type", Class::Types),
    ("invalid ", Class::Types),
    ("atomic ", Class::Types),
    ("increment/decrement", Class::Types),
    ("cannot take the address", Class::Types),
];

/// Built-in functions overflow with a message of their own.
const OVERFLOW: &str = " operation overflowed";

/// A parse error of `text`. `nesting` tells where the brackets are deepest, which naga does not.
pub fn compile_error(error: &ParseError, text: &str, nesting: &Nesting) -> CompileError {
    if error.notes().any(|note| note.contains("recursion limit")) {
        return CompileError::from(NagaError::ParserDepth).at(super::location(text, nesting.innermost.0));
    }
    let location = error.location(text).map_or(Location::Whole, super::at);
    CompileError::from(by_message(error.message(), error.notes())).at(location)
}

fn by_message<'n>(message: &str, notes: impl Iterator<Item = &'n str>) -> NagaError {
    let notes: Vec<&str> = notes.collect();
    let what = match notes.is_empty() {
        true => message.to_owned(),
        false => format!("{message} ({})", notes.join("; ")),
    };
    let class = MESSAGES.iter().find(|(start, _)| message.starts_with(start)).map(|(_, class)| *class);
    let quoted = message.split('`').nth(1).map(str::to_owned);
    match (class, quoted) {
        (Some(Class::Syntax), _) => {
            match message.strip_prefix("expected ").and_then(|rest| rest.rsplit_once(", found ")) {
                Some((expected, found)) => {
                    NagaError::Syntax { expected: expected.to_owned(), found: found.to_owned() }
                }
                None => NagaError::WgslWord { what },
            }
        }
        (Some(Class::Undeclared), Some(name)) => {
            NagaError::Undeclared { what: "no definition in scope for identifier:", name }
        }
        (Some(Class::Redeclared), Some(name)) => NagaError::Redeclared { name },
        (Some(Class::Cycle), _) if message.ends_with("recursive") || message.ends_with("cyclic") => {
            NagaError::Cycle { what }
        }
        (Some(Class::Unknown), _) => NagaError::UnknownWord { what },
        (Some(Class::Attribute), _) => NagaError::Attribute { what },
        (Some(Class::Types), _) => NagaError::Types { what },
        (Some(Class::Arguments), _) => NagaError::Arguments { what },
        (Some(Class::Constant), _) => NagaError::Constant { what },
        (Some(Class::ConstantBuiltIn), _) => NagaError::ConstantBuiltIn { what: built_in(message) },
        (Some(Class::Extension), Some(name)) if message.contains("extension") => {
            match message.contains("is not enabled") {
                true => NagaError::NotEnabled { name },
                false => NagaError::Extension { name },
            }
        }
        (Some(Class::Limit), _) => NagaError::ReaderLimit { what },
        (Some(Class::Unsupported), _) => NagaError::Inexpressible { what },
        _ if message.ends_with(OVERFLOW) => NagaError::Constant { what },
        _ => NagaError::Wgsl { what },
    }
}

/// The name of a built-in function that naga cannot evaluate, from its message (`SmoothStep built-in function`).
pub fn built_in(message: &str) -> String {
    let name = message.rsplit(": ").next().unwrap_or(message).trim_end_matches(" built-in function");
    let mut letters = name.chars();
    let first = letters.next().map_or_else(String::new, |first| first.to_lowercase().collect());
    format!("`{first}{}`", letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::super::nesting::{self, Comments};
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn errors_have_codes_by_their_kind() {
        let body = |text: &str| format!("fn f() {{ {text} }}");
        let cases = [
            (body("let x = 1"), 2204, "expected"),
            (body("let loop = 1;"), 2218, "name `loop` is a reserved keyword"),
            (body("let enum = 1;"), 2218, "reserved keyword"),
            (body("let x = y;"), 2205, "no definition in scope for identifier: `y`"),
            (body("let x = 1; let x = 2;"), 2206, "`x` is already declared"),
            ("const a = b; const b = a;".to_owned(), 2219, "cyclic"),
            ("fn f() { f(); }".to_owned(), 2219, "recursive"),
            ("var<stack> x: i32;".to_owned(), 2220, "unknown address space: `stack`"),
            ("@colour fn f() {}".to_owned(), 2221, "unknown attribute"),
            ("@compute fn f() {}".to_owned(), 2221, "workgroup size is missing"),
            (body("let x: i32 = 1.5;"), 2222, "expected to be `i32`"),
            (body("let x = vec2f(1, 2) + 1u; let y: u32 = x;"), 2222, ""),
            (body("let x = sin(1, 2);"), 2223, "too many arguments"),
            (body("let x = cross(vec2f(1), vec2f(2));"), 2223, "cross"),
            (body("const_assert 1 > 2;"), 2224, "const_assert"),
            ("const x = 1 / 0;".to_owned(), 2224, "ivision by zero"),
            ("const x = mix(1.0, 2.0, 0.5);".to_owned(), 2225, "`mix` in a constant expression"),
            ("const x = transpose(mat2x2f(1, 2, 3, 4));".to_owned(), 2225, "`transpose`"),
            ("const x = bitcast<u32>(1.0f);".to_owned(), 2225, "`bitcast`"),
            ("enable chromium_experimental;".to_owned(), 2226, "`chromium_experimental`"),
            ("requires rays;".to_owned(), 2226, "`rays`"),
            ("const x = 1h;".to_owned(), 2227, "`f16`"),
            (body(&format!("{}{}", "{".repeat(130), "}".repeat(130))), 2228, "nesting limit"),
        ];
        for (text, code, message) in cases {
            let error = super::super::super::wgsl::parse(&text, &nesting::of(&text, Comments { nest: true }));
            let error = error.expect_err(&text);
            assert_eq!(error.code(), code, "{text}: {error}");
            assert!(error.message().contains(message), "{text}: {error}");
        }
    }

    #[test]
    fn the_place_of_too_many_brackets_is_named() {
        let text = format!("fn f() {{\n let x = {}1{};\n}}", "(".repeat(300), ")".repeat(300));
        let error = super::super::super::wgsl::parse(&text, &nesting::of(&text, Comments { nest: true }));
        let error = error.expect_err("too deep");
        assert_eq!((error.code(), error.kind()), (2229, ErrorKind::Limit));
        assert_eq!(error.location, Location::Text { line: 2, column: 309 });
    }
}
