//! Translates naga's errors about GLSL into GLSL's terms: tokens are quoted as written, and features that
//! only this reader lacks are reported as unsupported.

use naga::front::glsl::{Error, ErrorKind, ExpectedToken};

use crate::error::{CompileError, Location, NagaError};

/// The first error of a text as a compile error.
pub fn compile_error(error: &Error, source: &str) -> CompileError {
    let location = error.location(source).map_or(Location::Whole, super::at);
    by_kind(error, source).at(location)
}

fn by_kind(error: &Error, source: &str) -> CompileError {
    match &error.kind {
        ErrorKind::NotImplemented(what) => CompileError::from(NagaError::Glsl { what: (*what).to_string() }),
        ErrorKind::UnknownLayoutQualifier(name) => {
            CompileError::from(NagaError::Glsl { what: format!("layout qualifier `{name}`") })
        }
        ErrorKind::InvalidVersion(version) => CompileError::from(NagaError::Glsl {
            what: format!("GLSL version {version}, other than 440, 450 and 460,"),
        }),
        ErrorKind::InvalidProfile(profile) => CompileError::from(NagaError::Glsl {
            what: format!("GLSL profile `{profile}`, other than `core`,"),
        }),
        ErrorKind::UnsupportedMatrixWithTwoRowsInStd140 { columns } => {
            CompileError::from(NagaError::Glsl { what: format!("mat{columns}x2 in a std140 block") })
        }
        ErrorKind::UnsupportedF16MatrixInStd140 { columns, rows } => {
            CompileError::from(NagaError::Glsl { what: format!("f16mat{columns}x{rows} in a std140 block") })
        }
        ErrorKind::InternalError(what) => CompileError::from(NagaError::Glsl {
            what: format!("a construct on which the GLSL reader fails ({what})"),
        }),
        ErrorKind::PreprocessorError(error) => preprocessor(&format!("{error:?}")),
        ErrorKind::InvalidToken(_, expected) => {
            let found = error.location(source).and_then(|place| {
                let start = place.offset as usize;
                source.get(start..start.checked_add(place.length as usize)?)
            });
            let expected: Vec<String> = expected.iter().map(spelling).collect();
            let found = found.map_or_else(|| "the end of the text".to_owned(), |found| format!("`{found}`"));
            CompileError::from(NagaError::Syntax { expected: expected.join(" or "), found })
        }
        ErrorKind::EndOfFile => CompileError::from(NagaError::Syntax {
            expected: "more".to_owned(),
            found: "the end of the text".to_owned(),
        }),
        ErrorKind::UnknownVariable(name) => {
            CompileError::from(NagaError::Undeclared { what: "undeclared identifier", name: name.clone() })
        }
        ErrorKind::UnknownType(name) => {
            CompileError::from(NagaError::Undeclared { what: "unknown type", name: name.clone() })
        }
        ErrorKind::UnknownField(name) => {
            CompileError::from(NagaError::Undeclared { what: "unknown field", name: name.clone() })
        }
        ErrorKind::VariableAlreadyDeclared(name) => {
            CompileError::from(NagaError::Redeclared { name: name.clone() })
        }
        ErrorKind::SemanticError(what) => CompileError::from(NagaError::Semantics { what: what.to_string() }),
    }
}

/// The preprocessor's errors, by name because naga does not export their type.
fn preprocessor(name: &str) -> CompileError {
    match name {
        "UnknownDirective" => {
            CompileError::from(NagaError::Glsl { what: "this preprocessor directive".to_owned() })
        }
        "NotSupported16BitLiteral" => {
            CompileError::from(NagaError::Glsl { what: "a 16-bit literal".to_owned() })
        }
        "NotSupported64BitLiteral" => {
            CompileError::from(NagaError::Glsl { what: "a 64-bit literal".to_owned() })
        }
        "RecursionLimitReached" => CompileError::from(NagaError::Macros),
        "ErrorDirective" => {
            CompileError::from(NagaError::Preprocessor { what: "`#error` directive".to_owned() })
        }
        "DefineRedefined" => {
            CompileError::from(NagaError::Preprocessor { what: "a macro is defined twice".to_owned() })
        }
        "UnfinishedBlock" => {
            CompileError::from(NagaError::Preprocessor { what: "`#if` without `#endif`".to_owned() })
        }
        _ => CompileError::from(NagaError::Preprocessor { what: sentence(name) }),
    }
}

/// `TooFewDefineArguments` as `too few define arguments`; the text after the name is dropped.
fn sentence(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars().take_while(|letter| letter.is_alphanumeric()) {
        if letter.is_uppercase() && !text.is_empty() {
            text.push(' ');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

/// Tokens by naga's names, with their spelling.
const SPELLINGS: &[(&str, &str)] = &[
    ("Semicolon", "`;`"),
    ("Comma", "`,`"),
    ("Colon", "`:`"),
    ("Dot", "`.`"),
    ("Assign", "`=`"),
    ("LeftBrace", "`{`"),
    ("RightBrace", "`}`"),
    ("LeftParen", "`(`"),
    ("RightParen", "`)`"),
    ("LeftBracket", "`[`"),
    ("RightBracket", "`]`"),
    ("LeftAngle", "`<`"),
    ("RightAngle", "`>`"),
];

fn spelling(token: &ExpectedToken) -> String {
    let ExpectedToken::Token(value) = token else { return token.to_string() };
    let name = format!("{value:?}");
    match SPELLINGS.iter().find(|(known, _)| *known == name) {
        Some((_, written)) => (*written).to_owned(),
        None => format!("`{}`", sentence(&name)),
    }
}

#[cfg(test)]
mod tests {
    use naga::ShaderStage;
    use naga::front::glsl::{Frontend, Options};

    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn messages_name_tokens_as_they_are_written() {
        let cases = [
            ("void main() { int x = 1 }", ErrorKind::Invalid, "`;`", "found `}`"),
            ("void main() { int x = y; }", ErrorKind::Invalid, "undeclared identifier `y`", ""),
            ("#include \"a.h\"\nvoid main() {}", ErrorKind::Unsupported, "preprocessor directive", ""),
            ("#if 1\nvoid main() {}", ErrorKind::Invalid, "`#if` without `#endif`", ""),
            (
                "struct S { int x; };\nvoid main() { S s; s.y = 1; }",
                ErrorKind::Invalid,
                "unknown field `y`",
                "",
            ),
        ];
        for (body, kind, first, second) in cases {
            let text = format!("#version 450\n{body}\n");
            let errors = Frontend::default().parse(&Options::from(ShaderStage::Compute), &text).unwrap_err();
            let error = compile_error(&errors.errors[0], &text);
            assert_eq!(error.kind(), kind, "{body}: {error}");
            assert!(error.message().contains(first) && error.message().contains(second), "{body}: {error}");
        }
    }
}
