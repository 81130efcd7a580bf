//! WGSL: parsed by naga, then handled by `text`.

use bumpalo::Bump;
use naga::back::spv::SourceLanguage;

use super::text::{self, Language};
use super::{FrontEnd, Input, Shader};
use crate::CompileKey;
use crate::error::{CompileError, Location, NagaError};

/// WGSL requires clamped indices, shift amounts modulo the width, zeroed workgroup memory, and that invocations go on after
/// a discard.
const WGSL: Language = Language {
    name: text::WGSL,
    language: SourceLanguage::WGSL,
    is_defined_everywhere: true,
    is_discard_demotion: true,
};

/// The front end of WGSL.
pub struct Wgsl;

impl FrontEnd for Wgsl {
    fn read<'a>(
        &self,
        bump: &'a Bump,
        input: Input<'_>,
        key: &CompileKey,
    ) -> Result<Shader<'a>, CompileError> {
        read(bump, input.text()?, key)
    }

    fn located(&self, error: CompileError) -> CompileError {
        text::in_text(error)
    }
}

/// Reads a WGSL module.
///
/// # Errors
/// naga's errors, with line and column, and the errors of the SPIR-V front end.
pub fn read<'a>(bump: &'a Bump, text: &str, key: &CompileKey) -> Result<Shader<'a>, CompileError> {
    text::read(bump, &WGSL, &parse(text)?, text, key)
}

/// Translates a WGSL module to SPIR-V. The specialization constants of `key` set overrides by id.
///
/// # Errors
/// naga's errors, with line and column.
pub fn to_spirv(text: &str, key: &CompileKey) -> Result<Vec<u32>, CompileError> {
    text::to_spirv(&WGSL, &parse(text)?, text, key)
}

/// Like [`to_spirv`], with discards that end the invocation, as in other languages: for tests.
///
/// # Errors
/// The same.
pub fn to_spirv_with_kills(text: &str, key: &CompileKey) -> Result<Vec<u32>, CompileError> {
    text::to_spirv(&Language { is_discard_demotion: false, ..WGSL }, &parse(text)?, text, key)
}

/// The overrides that a WGSL module declares, with their numbers in a key.
///
/// # Errors
/// naga's errors, with line and column.
pub fn overrides(text: &str) -> Result<Vec<text::OverrideName>, CompileError> {
    Ok(text::override_names(&parse(text)?))
}

fn parse(text: &str) -> Result<naga::Module, CompileError> {
    naga::front::wgsl::parse_str(text).map_err(|error| {
        let location = error.location(text).map_or(Location::Whole, text::at);
        CompileError::from(NagaError::Wgsl { what: error.message().to_owned() }).at(location)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn ir(text: &str, key: &CompileKey) -> Result<String, CompileError> {
        read(&Bump::new(), text, key).map(|(f, _)| f.to_string())
    }

    #[test]
    fn errors_name_line_and_column() {
        let text = "@compute @workgroup_size(1)\nfn main() { let x: u32 = 1.5; }";
        let error = ir(text, &CompileKey::default()).expect_err("the types differ");
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(matches!(error.location, Location::Text { line: 2, column: 17.. }), "{error}");
    }

    #[test]
    fn overrides_take_the_values_of_the_key() {
        let text = "@id(7) override n: i32 = 3;\n@group(0) @binding(0) var<storage, read_write> out: array<i32, 1>;\n\
                    @compute @workgroup_size(1) fn main() { out[0] = n * 5; }";
        assert!(ir(text, &CompileKey::default()).is_ok_and(|text| text.contains("store_global #15")));
        let key = CompileKey { spec_constants: vec![(7, 9)], ..CompileKey::default() };
        assert!(ir(text, &key).is_ok_and(|text| text.contains("store_global #45")));
        // Without `@id`, overrides are numbered in order.
        let text = text.replace("@id(7) ", "override m: f32 = 1.0; ");
        let names = overrides(&text).expect("the text parses");
        let found: Vec<_> = names.iter().map(|one| (one.id, one.name.as_str(), one.float_bits)).collect();
        assert_eq!(found, [(65536, "m", Some(32)), (65537, "n", None)]);
        let key = CompileKey { spec_constants: vec![(65537, 9)], ..CompileKey::default() };
        assert!(ir(&text, &key).is_ok_and(|text| text.contains("store_global #45")));
    }

    #[test]
    fn invariant_outputs_are_marked() {
        let is_marked = |attribute: &str| {
            let text = format!(
                "@vertex fn main(@location(0) at: vec4f) -> @builtin(position) {attribute} vec4f {{ return at * at + at; }}"
            );
            ir(&text, &CompileKey::default()).map(|text| text.contains("= invariant "))
        };
        assert_eq!(is_marked("").ok(), Some(false));
        assert_eq!(is_marked("@invariant").ok(), Some(true));
    }

    #[test]
    fn shift_amounts_are_taken_modulo_the_width() {
        let text = "@group(0) @binding(0) var<storage, read_write> data: array<u32, 2>;\n\
                    @compute @workgroup_size(1) fn main() { data[0] = 1u << data[1]; }";
        let text = ir(text, &CompileKey::default()).expect("the text compiles");
        assert!(text.contains(" = and ") && text.contains("#31"), "{text}");
    }
}
