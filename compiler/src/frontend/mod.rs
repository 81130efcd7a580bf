//! Front ends: each reads one shader language into the IR.

#[cfg(feature = "glsl")]
pub mod glsl;
#[cfg(feature = "glsl")]
mod glsl_errors;
pub mod kit;
pub mod spirv;
pub mod ssa;
#[cfg(any(feature = "wgsl", feature = "glsl"))]
pub mod text;
#[cfg(feature = "wgsl")]
pub mod wgsl;

use agx_abi::ShaderInfo;
use bumpalo::Bump;

use crate::error::CompileError;
use crate::ir::{self, Function};
use crate::{CompileKey, Input};

/// A shader as a front end leaves it, at stage Source, with what is known of it so far.
pub type Shader<'a> = (Function<'a>, ShaderInfo);

/// Reads `input` into `bump`.
///
/// # Errors
/// What the front end of the input's language reports.
pub fn read<'a>(bump: &'a Bump, input: Input<'_>, key: &CompileKey) -> Result<Shader<'a>, CompileError> {
    match input {
        Input::Ir(text) => read_ir(bump, text),
        Input::SpirV(bytes) => spirv::read(bump, bytes, key, spirv::Dialect::default()),
        #[cfg(feature = "wgsl")]
        Input::Wgsl(text) => wgsl::read(bump, text, key),
        #[cfg(feature = "glsl")]
        Input::Glsl(text, stage) => glsl::read(bump, text, stage, key),
    }
}

/// Puts the place of an error of a later pass in the terms of `input`.
pub fn located(input: Input<'_>, error: CompileError) -> CompileError {
    match input {
        Input::Ir(_) | Input::SpirV(_) => error,
        #[cfg(feature = "wgsl")]
        Input::Wgsl(_) => text::in_text(error),
        #[cfg(feature = "glsl")]
        Input::Glsl(..) => text::in_text(error),
    }
}

/// The first function of a text.
fn read_ir<'a>(bump: &'a Bump, text: &str) -> Result<Shader<'a>, CompileError> {
    let functions = ir::parse(bump, text)?;
    let first =
        functions.into_iter().next().ok_or_else(|| CompileError::invalid("the text has no function"))?;
    if let Err(violations) = ir::validate(&first, first.stage) {
        let first = violations.first().map_or_else(String::new, ToString::to_string);
        let more = match violations.len() {
            0 | 1 => String::new(),
            count => format!(" (and {} more violations)", count - 1),
        };
        return Err(CompileError::invalid(format!("{first}{more}")));
    }
    let info = ShaderInfo {
        entry_point: first.name.to_string(),
        workgroup_size: first.workgroup_size.unwrap_or([1; 3]),
        ..ShaderInfo::default()
    };
    Ok((first, info))
}
