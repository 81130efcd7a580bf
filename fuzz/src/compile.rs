//! Guarantees of every compilation, for any input.

use agx_abi::PartRole;
use agx_compiler::internal::frontend::language::IR;
use agx_compiler::{CompileKey, Compiler, ErrorKind, Input, Scratch};
use agx_isa::validate::{Limits, Part, validate};

/// Compiles `input` with all checks: an error must not be an internal one, and the code must be valid within
/// the registers and uniforms that it declares.
pub fn compile(input: Input<'_>) {
    let mut key = CompileKey::default();
    key.validate = true;
    let shader = match Compiler::default().compile(&mut Scratch::default(), input, &key) {
        Ok(shader) => shader,
        Err(error) => {
            assert_ne!(error.kind(), ErrorKind::Internal, "{error}\n{}", text(input));
            return;
        }
    };
    // A text may read any uniform register with any contents.
    let uniform_halves =
        if is_ir(input) { Limits::MACHINE.uniform_halves } else { shader.info.uniform_halves };
    for part in &shader.parts {
        let register_halves = match part.role {
            PartRole::Preamble => shader.info.preamble_gpr_halves,
            _ => shader.info.gpr_halves,
        };
        let kind = if part.role == PartRole::Preamble { Part::Preamble } else { Part::Main };
        let goes_on = shader.info.goes_on(part.role);
        let limits = Limits { register_halves, uniform_halves, part: kind, goes_on };
        let findings = validate(&part.code, limits);
        assert!(findings.is_empty(), "{findings:?}\n{}", text(input));
    }
}

/// The input as text, if it is text.
fn text(input: Input<'_>) -> &str {
    input.text().unwrap_or_default()
}

fn is_ir(input: Input<'_>) -> bool {
    *input.language == IR
}
