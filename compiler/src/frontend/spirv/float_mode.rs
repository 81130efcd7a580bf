//! How the arithmetic of an instruction is built.

use super::translate::Translator;
use super::types::Ty;
use super::words::Inst;
use crate::ir::Arithmetic;
use crate::ir::src::Src;

impl<'a> Translator<'_, 'a> {
    /// Sets how the arithmetic of an instruction is built.
    pub(super) fn float_mode(&mut self, inst: &Inst<'a>) {
        if self.values.floats.is_plain() {
            return;
        }
        let ty = inst.word(0).ok().and_then(|id| self.eval().ty(id).ok());
        let bits = ty.and_then(|ty| self.values.types.leaves(ty).ok()?.first().copied()).unwrap_or(0);
        self.kit.b.mode = self.values.floats.mode(self.module, inst, bits);
    }

    /// Keeps the floats that an instruction gives from being fused with what reads them, and from rules that change zeros,
    /// where its mode says so. Functions that do not allow contraction at all need no mark.
    pub(super) fn apart(&mut self, ty: Ty, leaves: &'a [Src]) -> &'a [Src] {
        let marked = self.kit.b.mode.separate || (self.kit.b.mode.signed_zero && self.kit.b.f.contract);
        if !marked || self.eval().check_float(ty).is_err() {
            return leaves;
        }
        let apart: Vec<Src> = leaves.iter().map(|leaf| self.kit.b.apart(*leaf)).collect();
        self.values.bump.alloc_slice_copy(&apart)
    }
}
