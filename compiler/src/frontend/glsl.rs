//! GLSL: parsed by naga, then handled by `text`. A fallback for when the Khronos reference compiler is not
//! available: naga supports versions 4.40 to 4.60 without most extensions.

use agx_abi::Stage;
use bumpalo::Bump;
use naga::back::spv::SourceLanguage;
use naga::front::glsl::{Frontend, Options};
use naga::{AddressSpace, ShaderStage, StorageAccess};

use pp_rs::pp::Preprocessor;
use pp_rs::token::{Punct, TokenValue};

use super::text::nesting::{self, Comments, Meter, Nesting, Sign};
use super::text::{self, Language, Text, glsl_errors, stack};
use super::{FrontEnd, Input, Shader};
use crate::CompileKey;
use crate::error::{CompileError, InputError, NagaError};

/// A comment ends at the first end.
const COMMENTS: Comments = Comments { nest: false };

/// Accesses out of bounds are undefined in GLSL.
const GLSL: Language = Language {
    name: text::GLSL,
    language: SourceLanguage::GLSL,
    is_defined_everywhere: false,
    is_discard_demotion: false,
};

/// The front end of GLSL.
pub struct Glsl;

impl FrontEnd for Glsl {
    fn read<'a>(
        &self,
        bump: &'a Bump,
        input: Input<'_>,
        key: &CompileKey,
    ) -> Result<Shader<'a>, CompileError> {
        let stage = input.stage.or(key.stage).ok_or_else(|| CompileError::from(InputError::NoStage))?;
        read(bump, input.text()?, stage, key)
    }

    fn located(&self, error: CompileError) -> CompileError {
        text::in_text(error)
    }
}

/// Reads a GLSL shader.
///
/// # Errors
/// naga's errors, with line and column, and the errors of the SPIR-V front end.
pub fn read<'a>(
    bump: &'a Bump,
    text: &str,
    stage: Stage,
    key: &CompileKey,
) -> Result<Shader<'a>, CompileError> {
    // The preprocessor recurses over conditions of directives, and the parser over what it generates.
    let raw = nesting::of(text, COMMENTS);
    stack::check(&raw, text)?;
    let expanded = stack::run(&raw, || expanded(text))?;
    let nesting = &Nesting { depth: raw.depth.max(expanded.depth), ..expanded };
    stack::check(nesting, text)?;
    text::read(bump, &GLSL, Text { text, nesting }, key, || parse(text, stage))
}

/// Tokens that the preprocessor may generate: macros can make a short text long.
const MAX_TOKENS: usize = 1 << 22;

/// The nesting of a text after the preprocessor. Errors of the preprocessor are left to the parser.
fn expanded(text: &str) -> Result<Nesting, CompileError> {
    let mut meter = Meter::default();
    for token in Preprocessor::new(text).map_while(Result::ok) {
        if let TokenValue::Punct(Punct::LeftBracket) = token.value {
            // Selectors may form a chain.
            meter.take(Sign::Selector, 0);
        }
        if meter.take(sign(&token.value), token.location.start as usize) > MAX_TOKENS {
            return Err(
                NagaError::TextSize { what: "tokens after the preprocessor", most: MAX_TOKENS }.into()
            );
        }
    }
    Ok(meter.finish())
}

/// The part of a token that matters for the nesting.
fn sign(token: &TokenValue) -> Sign<'_> {
    match token {
        TokenValue::Ident(word) => Sign::Word(word),
        TokenValue::Punct(Punct::LeftParen | Punct::LeftBracket | Punct::LeftBrace) => Sign::Open,
        TokenValue::Punct(Punct::RightParen | Punct::RightBracket) => Sign::Close,
        TokenValue::Punct(Punct::RightBrace) => Sign::CloseBrace,
        TokenValue::Punct(Punct::Comma) => Sign::Comma,
        TokenValue::Punct(Punct::Semicolon) => Sign::Semicolon,
        TokenValue::Punct(Punct::Dot) => Sign::Selector,
        TokenValue::Punct(_) => Sign::Operator,
        _ => Sign::Other,
    }
}

/// Parses a text. To be called within [`stack::run`].
fn parse(text: &str, stage: Stage) -> Result<naga::Module, CompileError> {
    let stage = match stage {
        Stage::Compute => ShaderStage::Compute,
        Stage::Vertex => ShaderStage::Vertex,
        Stage::Fragment => ShaderStage::Fragment,
    };
    let parsed = Frontend::default().parse(&Options::from(stage), text);
    let mut module = parsed.map_err(|errors| {
        // Only the first error: others may follow from it.
        match errors.errors.first() {
            Some(error) => glsl_errors::compile_error(error, text),
            None => CompileError::from(NagaError::Semantics { what: "the text is not GLSL".to_owned() }),
        }
    })?;
    // `writeonly` is a promise that can safely be ignored, and naga's validator does not support such
    // buffers.
    for (_, variable) in module.global_variables.iter_mut() {
        if let AddressSpace::Storage { access } = &mut variable.space {
            *access |= StorageAccess::LOAD;
        }
    }
    Ok(module)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{ErrorKind, Location};

    const HEAD: &str = "#version 450\nlayout(local_size_x = 32) in;\n\
        layout(std430, set = 0, binding = 0) buffer Data { float data[]; };\n";

    fn ir(body: &str) -> Result<String, CompileError> {
        let text = format!("{HEAD}void main() {{\n{body}\n}}\n");
        read(&Bump::new(), &text, Stage::Compute, &CompileKey::default()).map(|(f, _)| f.to_string())
    }

    #[test]
    fn a_compute_shader_is_read() {
        let text = ir("uint i = gl_GlobalInvocationID.x; data[i] = sqrt(data[i]) * 2.0;").expect("GLSL");
        assert!(text.contains("fsqrt") && text.contains("store_global"), "{text}");
    }

    #[test]
    fn errors_name_line_and_column() {
        let error = ir("data[0] = nothing;").expect_err("there is no such name");
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(matches!(error.location, Location::Text { line: 5, column: 11 }), "{error}");
    }
}
