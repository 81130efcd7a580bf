//! The textual IR: the first function of a text.

use agx_abi::ShaderInfo;
use bumpalo::Bump;

use super::{FrontEnd, Input, Shader};
use crate::CompileKey;
use crate::error::{CompileError, TextError};
use crate::ir;

/// The front end of the textual IR.
pub struct TextIr;

impl FrontEnd for TextIr {
    fn read<'a>(&self, bump: &'a Bump, input: Input<'_>, _: &CompileKey) -> Result<Shader<'a>, CompileError> {
        let functions = ir::parse(bump, input.text()?)?;
        let first = functions.into_iter().next().ok_or(TextError::NoFunction)?;
        let violations = ir::validate(&first, first.stage).err().unwrap_or_default();
        if let Some((violation, rest)) = violations.split_first() {
            return Err(violation.error(rest.len()));
        }
        let info = ShaderInfo {
            entry_point: first.name.to_string(),
            workgroup_size: first.declared.workgroup_size.unwrap_or([1; 3]),
            ..ShaderInfo::default()
        };
        Ok((first, info))
    }
}
