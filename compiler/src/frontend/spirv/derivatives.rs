//! Derivatives: how a value differs between the invocations of a quad.
//!
//! Fragment shaders have an instruction for them, of one kind, which is the same throughout a quad's row or column and so
//! does for both coarse and fine ones. Compute shaders say which invocations make a quad
//! (SPV_KHR_compute_shader_derivatives); these are put into the four lanes of a hardware quad, and read each other by
//! shuffles.

use spirv::{ExecutionMode, Op};

use super::module::Def;
use super::translate::Translator;
use super::words::Inst;
use crate::error::CompileError;
use crate::frontend::kit::derivatives::{Axis, Quads, derivative, has_quads};
use crate::ir::src::Src;

/// The quads that an execution mode asks for.
pub(super) fn quads(mode: u32) -> Option<Quads> {
    match ExecutionMode::from_u32(mode)? {
        ExecutionMode::DerivativeGroupQuadsKHR => Some(Quads::Square),
        ExecutionMode::DerivativeGroupLinearKHR => Some(Quads::Linear),
        _ => None,
    }
}

/// Whether a workgroup can be made of such quads.
pub(super) fn check_quads(quads: Quads, size: [u32; 3]) -> Result<(), CompileError> {
    let fits = match quads {
        Quads::Square => size[0].is_multiple_of(2) && size[1].is_multiple_of(2),
        Quads::Linear => size.iter().product::<u32>().is_multiple_of(4),
    };
    if fits {
        return Ok(());
    }
    Err(CompileError::invalid(format!("a workgroup of {size:?} cannot be made of quads")))
}

/// Derivatives with the directions they are made of.
const DERIVATIVES: &[(Op, &[Axis])] = &[
    (Op::DPdx, &[Axis::X]),
    (Op::DPdxFine, &[Axis::X]),
    (Op::DPdxCoarse, &[Axis::X]),
    (Op::DPdy, &[Axis::Y]),
    (Op::DPdyFine, &[Axis::Y]),
    (Op::DPdyCoarse, &[Axis::Y]),
    (Op::Fwidth, &[Axis::X, Axis::Y]),
    (Op::FwidthFine, &[Axis::X, Axis::Y]),
    (Op::FwidthCoarse, &[Axis::X, Axis::Y]),
];

impl<'a> Translator<'_, 'a> {
    /// Translates derivatives; false for other instructions.
    pub(super) fn derivative_instruction(&mut self, inst: &Inst<'a>) -> Result<bool, CompileError> {
        let Some((_, axes)) = DERIVATIVES.iter().find(|(op, _)| *op == inst.op) else { return Ok(false) };
        if !has_quads(&self.kit) {
            return Err(CompileError::unsupported(
                "derivatives in shaders without quads: a compute shader says by an execution mode how it has them",
            ));
        }
        let (ty, source) = self.eval().value(inst.word(2)?)?;
        let mut result = Vec::with_capacity(source.len());
        for x in source {
            let slopes: Vec<Src> = axes.iter().map(|axis| derivative(&mut self.kit, *axis, *x)).collect();
            result.push(match slopes[..] {
                [dx, dy] => {
                    let (dx, dy) = (self.kit.b.fabs(dx), self.kit.b.fabs(dy));
                    self.kit.b.fadd(dx, dy)
                }
                _ => slopes[0],
            });
        }
        let leaves = self.bump.alloc_slice_copy(&result);
        let wanted = self.eval().ty(inst.word(0)?)?;
        if wanted != ty {
            return Err(CompileError::invalid("a derivative is of another type than its operand"));
        }
        self.define(inst.word(1)?, Def::Value(ty, leaves))?;
        Ok(true)
    }
}
