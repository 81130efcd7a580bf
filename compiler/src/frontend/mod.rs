//! Front ends: each reads one shader language into the IR.
//!
//! [`FRONT_ENDS`] lists the languages; [`kit`] is the common toolkit, with an example front end. A front end
//! for a new language is a folder here with an implementation of [`FrontEnd`], and a row of the table.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

#[cfg(feature = "agal")]
pub mod agal;
#[cfg(test)]
mod example_tests;
mod four;
#[cfg(feature = "glsl")]
pub mod glsl;
pub mod kit;
pub mod language;
#[cfg(feature = "pica200")]
pub mod pica200;
pub mod spirv;
#[cfg(any(feature = "wgsl", feature = "glsl"))]
pub mod text;
mod text_ir;
#[cfg(feature = "tgsi")]
pub mod tgsi;
#[cfg(feature = "wgsl")]
pub mod wgsl;
#[cfg(any(feature = "wgsl", feature = "glsl"))]
mod wgsl_discard;

use bumpalo::Bump;

pub use language::{FRONT_ENDS, FrontEnd, Input, Language, Shader};

use crate::error::{CompileError, InputError, Location};
use crate::{CompileKey, stopping};

/// Reads `input` into `bump`.
///
/// # Errors
/// The errors of the language's front end; a language that this build does not support; options that the
/// language does not have.
pub fn read<'a>(bump: &'a Bump, input: Input<'_>, key: &CompileKey) -> Result<Shader<'a>, CompileError> {
    let language = input.language;
    for (name, _) in &key.options {
        if language.options.iter().all(|(known, _)| known != name) {
            let names: Vec<&str> = language.options.iter().map(|(known, _)| *known).collect();
            let expected = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(
                InputError::UnknownOption { name: name.clone(), language: language.name, expected }.into()
            );
        }
    }
    let front_end = language.front_end()?;
    stopping::guarded_reading(&key.limits, || front_end.read(bump, input, key))
}

/// Converts the location of an error of a later pass to the terms of `input`.
pub fn located(input: Input<'_>, error: CompileError) -> CompileError {
    match input.language.front_end {
        Some(front_end) => front_end.located(error),
        None => error,
    }
}

/// Converts an error in a text without file names: source positions are positions in the text.
fn in_text(error: CompileError) -> CompileError {
    error.relocate(|location| match location {
        Location::Source { line, column, .. } => Location::Text { line, column },
        location => location,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_option_is_rejected() {
        let key = CompileKey { options: vec![("colour".to_owned(), 1)], ..CompileKey::default() };
        let bump = Bump::new();
        let error = read(&bump, Input::ir("kernel @k() stage source {\nb0:\n}\n"), &key);
        assert!(
            error
                .is_err_and(|error| error.message().contains("unknown option `colour` of ir; expected none"))
        );
    }

    #[test]
    fn a_language_without_a_front_end_is_unsupported() {
        let without = FRONT_ENDS.iter().find(|language| language.front_end.is_none());
        if let Some(language) = without {
            let bump = Bump::new();
            let error = read(&bump, Input::new(language, b""), &CompileKey::default());
            assert!(error.is_err_and(|error| error.kind() == crate::ErrorKind::Unsupported));
        }
    }
}
