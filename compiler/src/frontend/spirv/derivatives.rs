//! Derivatives: differences between the invocations of a quad.
//!
//! There is one kind of derivative instruction, whose result is constant along a quad's row or column and
//! therefore serves as both coarse and fine. Compute shaders declare which invocations form a quad
//! (SPV_KHR_compute_shader_derivatives); these are assigned to the four lanes of a hardware quad, for which the
//! instructions work as in fragment shaders (Mesa 26.1 uses them there).

use super::module::Def;
use super::values::Values;
use super::words::Inst;
use crate::error::{CompileError, StageError};
use crate::frontend::kit::derivatives::{Axis, derivative};
use crate::ir::Arithmetic;
use crate::ir::src::Src;

/// A derivative, from its directions.
pub(super) fn derivative_instruction<'a>(
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    axes: &[Axis],
) -> Result<(), CompileError> {
    let (ty, source) = v.eval().value(inst.word(2)?)?;
    let mut result = Vec::with_capacity(source.len());
    for x in source {
        let slopes: Vec<Src> = axes.iter().map(|axis| derivative(&mut v.kit, *axis, *x)).collect();
        result.push(match slopes[..] {
            [dx, dy] => {
                let (dx, dy) = (v.kit.b.fabs(dx), v.kit.b.fabs(dy));
                v.kit.b.fadd(dx, dy)
            }
            [slope, ..] => slope,
            [] => return Err(CompileError::internal("a derivative along no axis")),
        });
    }
    let leaves = v.bump.alloc_slice_copy(&result);
    let wanted = v.eval().ty(inst.word(0)?)?;
    if wanted != ty {
        return Err(StageError::DerivativeType.into());
    }
    v.define(inst.word(1)?, Def::Value(ty, leaves))
}
