//! WGSL: parsed by naga, then handled by `text`.

use std::borrow::Cow;

use bumpalo::Bump;
use naga::back::spv::SourceLanguage;

use super::text::nesting::{self, Comments, Nesting, Sign};
use super::text::{self, Language, Text, stack, wgsl_errors};
use super::{FrontEnd, Input, Shader};
use crate::CompileKey;
use crate::error::CompileError;

/// Comments in comments end separately.
const COMMENTS: Comments = Comments { nest: true };

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
    let nesting = &measured(text)?;
    text::read(bump, &WGSL, Text { text, nesting }, key, || parse(text, nesting))
}

/// The nesting of a text within the limits.
fn measured(text: &str) -> Result<Nesting, CompileError> {
    let nesting = nesting::of(text, COMMENTS);
    stack::check(&nesting, text)?;
    Ok(nesting)
}

/// Translates a WGSL module to SPIR-V. The specialization constants of `key` set overrides by id.
///
/// # Errors
/// naga's errors, with line and column.
pub fn to_spirv(text: &str, key: &CompileKey) -> Result<Vec<u32>, CompileError> {
    let nesting = &measured(text)?;
    stack::run(nesting, || text::to_spirv(&WGSL, parse(text, nesting)?, text, key))
}

/// Like [`to_spirv`], with discards that end the invocation, as in other languages: for tests.
///
/// # Errors
/// The same.
pub fn to_spirv_with_kills(text: &str, key: &CompileKey) -> Result<Vec<u32>, CompileError> {
    let (nesting, language) = (&measured(text)?, &Language { is_discard_demotion: false, ..WGSL });
    stack::run(nesting, || text::to_spirv(language, parse(text, nesting)?, text, key))
}

/// The overrides that a WGSL module declares, with their numbers in a key.
///
/// # Errors
/// naga's errors, with line and column.
pub fn overrides(text: &str) -> Result<Vec<text::OverrideName>, CompileError> {
    let nesting = &measured(text)?;
    stack::run(nesting, || parse(text, nesting).map(|module| text::override_names(&module)))
}

/// Parses a text. To be called within [`stack::run`].
pub(super) fn parse(text: &str, nesting: &Nesting) -> Result<naga::Module, CompileError> {
    let parsed = naga::front::wgsl::parse_str(&without_extensions(text));
    parsed.map_err(|error| wgsl_errors::compile_error(&error, text, nesting))
}

/// Extensions that naga refuses by name, but whose features it has, or whose use has an error of its own.
const SUPPORTED: &[&str] = &["subgroups", "unrestricted_pointer_parameters"];

/// `text` with blanks in place of the names of [`SUPPORTED`] extensions in directives, so that places stay.
fn without_extensions(text: &str) -> Cow<'_, str> {
    let mut changed: Option<String> = None;
    let mut signs = nesting::signs(text, COMMENTS);
    // Directives come first.
    while let Some((Sign::Word(word @ ("enable" | "requires" | "diagnostic")), start)) = signs.next() {
        let (mut kept, mut is_changed, mut end) = (Vec::new(), false, None);
        for (sign, offset) in signs.by_ref() {
            match sign {
                Sign::Semicolon => {
                    end = Some(offset);
                    break;
                }
                Sign::Word(name) if SUPPORTED.contains(&name) => is_changed = true,
                Sign::Word(name) => kept.push(name),
                _ => {}
            }
        }
        let Some(end) = end.filter(|_| is_changed) else { continue };
        let rest = if kept.is_empty() { String::new() } else { format!("{word} {}", kept.join(",")) };
        let width = end.saturating_sub(start);
        let last = if kept.is_empty() { " " } else { ";" };
        let directive = format!("{rest:width$}{last}");
        changed.get_or_insert_with(|| text.to_owned()).replace_range(start..=end, &directive);
    }
    changed.map_or(Cow::Borrowed(text), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{ErrorKind, Location};

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
    fn the_text_is_not_part_of_the_module() {
        let text = "@compute @workgroup_size(1) fn main() { var x = 1; x = 2; }";
        let words = |text: &str| to_spirv(text, &CompileKey::default()).map(|words| words.len());
        assert_eq!(words(&format!("/* {} */ {text}", "long".repeat(100_000))), words(text));
        let name = text.replace('x', &"n".repeat(70_000));
        let error = words(&name).expect_err("longer than an instruction");
        assert_eq!((error.code(), error.location), (2213, Location::Text { line: 1, column: 45 }));
    }

    #[test]
    fn every_statement_has_its_line() {
        // More statements than one digit can number, in both arms of an if and in a loop.
        let lines: String = (0..2_200).map(|at| format!("x += {at};\n")).collect();
        let text = format!(
            "@compute @workgroup_size(1) fn main() {{\nvar x = 1;\nif x > 0 {{\n{lines}}} else {{ loop {{\n{lines}}} }}\n}}"
        );
        let words = to_spirv(&text, &CompileKey::default()).expect("WGSL");
        let found: Vec<u32> =
            words.windows(4).filter(|words| words[0] == 4 << 16 | 8).map(|words| words[2]).collect();
        // naga writes statements without a place, as of conversions, at the start of the text.
        for (at, line) in text.lines().enumerate().skip(1) {
            let number = at as u32 + 1;
            assert_eq!(
                found.contains(&number),
                line.contains("+=") || line.contains("if") || line.contains("loop"),
                "line {number}: {line}"
            );
        }
        assert!(found.iter().all(|line| (1..=4_406).contains(line)));
    }

    #[test]
    fn extensions_whose_features_exist_are_accepted() {
        let cases = [
            ("enable subgroups;\nconst a = 1;", "                 \nconst a = 1;"),
            ("enable f16, subgroups ;x", "enable f16            ;x"),
            ("enable subgroups,f16;", "enable f16          ;"),
            (
                "/* ; */ enable /* ; */ f16; enable subgroups;",
                "/* ; */ enable /* ; */ f16;                  ",
            ),
            ("enable subgroups", "enable subgroups"),
            ("const subgroups = 1; enable subgroups;", "const subgroups = 1; enable subgroups;"),
        ];
        for (text, expected) in cases {
            assert_eq!(without_extensions(text), expected, "{text}");
        }
    }

    #[test]
    fn shift_amounts_are_taken_modulo_the_width() {
        let text = "@group(0) @binding(0) var<storage, read_write> data: array<u32, 2>;\n\
                    @compute @workgroup_size(1) fn main() { data[0] = 1u << data[1]; }";
        let text = ir(text, &CompileKey::default()).expect("the text compiles");
        assert!(text.contains(" = and ") && text.contains("#31"), "{text}");
    }
}
