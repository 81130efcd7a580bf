//! Checks that the text examples of error codes cause their errors.

use std::fmt::Write as _;

use agx_abi::Target;

use super::{FRONT_ENDS, Input};
use crate::error::{CODES, Example};
use crate::{CompileKey, Compiler, Scratch};

#[test]
fn texts_lead_to_their_errors() {
    let compiler = Compiler::new(Target::default());
    let mut wrong = String::new();
    for row in CODES.iter().flat_map(|rows| rows.iter()) {
        let Example::Text { language, text } = row.example else { continue };
        let language = FRONT_ENDS.iter().find(|known| known.name == language).expect("a language");
        if language.front_end().is_err() {
            continue;
        }
        let input = Input { bytes: text.as_bytes(), language, stage: None };
        match compiler.compile(&mut Scratch::default(), input, &CompileKey::default()) {
            Ok(_) => writeln!(wrong, "AGX{}: no error", row.code).expect("a string"),
            Err(error) if error.code() == row.code => {}
            Err(error) => {
                writeln!(wrong, "AGX{}: found AGX{}: {error}", row.code, error.code()).expect("a string")
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
